use super::*;

/// Family, name, requirement, locked version; era and what told it.
type Case = (Family, &'static str, &'static str, Option<&'static str>, Option<Era>, EraSource);

fn declared(name: &str, requirement: &str, resolved: Option<&str>) -> Dependency {
    Dependency {
        name: name.to_owned(),
        requirement: (!requirement.is_empty()).then(|| requirement.to_owned()),
        resolved: resolved.map(str::to_owned),
        ..Dependency::default()
    }
}

#[test]
fn tables_are_ascending_and_normal() {
    for package in KNOWN {
        assert!(package.eras.is_sorted_by(|a, b| a.from < b.from), "{}", package.name);
        if package.family == Family::Python {
            assert_eq!(package.name, super::super::packages::normal_name(package.name));
        }
    }
}

#[test]
fn era_by_lock_then_pin_then_range_then_lower_bound() {
    use EraSource as S;
    let cases: [Case; 17] = [
        (Family::Js, "@modelcontextprotocol/sdk", "^1.20.0", Some("1.26.0"), Some(Era::Legacy), S::Lock),
        (Family::Js, "@modelcontextprotocol/sdk", "1.26.0", None, Some(Era::Legacy), S::Pin),
        (Family::Js, "@modelcontextprotocol/sdk", "^1.20.0", None, Some(Era::Legacy), S::Range),
        (Family::Js, "@modelcontextprotocol/server", "latest", None, Some(Era::Modern), S::Range),
        (Family::Js, "agents", "^0.3.0", None, None, S::Unknown),
        (Family::Js, "@tmcp/transport-http", "^1", None, None, S::Unknown),
        (Family::Js, "mcp-handler", "^2.0.0", None, Some(Era::Modern), S::Range),
        (Family::Python, "mcp", ">=1.9", Some("2.1.0"), Some(Era::Modern), S::Lock),
        (Family::Python, "mcp", ">=1.9", None, Some(Era::Legacy), S::LowerBound),
        (Family::Python, "mcp", ">=1.9,<2", None, Some(Era::Legacy), S::Range),
        (Family::Python, "mcp", ">=2.0.0b1", None, Some(Era::Modern), S::Range),
        (Family::Python, "mcp", "", None, None, S::Unknown),
        (Family::Python, "fastmcp", "==3.4.11", None, Some(Era::Legacy), S::Pin),
        (Family::Python, "fastmcp", ">=4", None, Some(Era::Modern), S::Range),
        (Family::Rust, "rmcp", "1.8", None, Some(Era::Legacy), S::Range),
        (Family::Rust, "rmcp", "3.1", None, Some(Era::Modern), S::Range),
        (Family::Rust, "rmcp", "*", Some("2.2.0"), Some(Era::Legacy), S::Lock),
    ];
    for (family, name, requirement, resolved, era, source) in cases {
        let found = sdks_of(family, &[declared(name, requirement, resolved)]);
        assert_eq!(found.len(), 1, "{name}");
        assert_eq!((found[0].era, found[0].era_source), (era, source), "{name} {requirement}");
    }
}

#[test]
fn bounds_are_kept() {
    let found = sdks_of(Family::Python, &[declared("mcp", ">=1.9", None), declared("mcp", "==1.27.0", None)]);
    assert_eq!(found.len(), 1);
    let sdk = &found[0];
    assert_eq!((sdk.requirement.as_deref(), sdk.resolved.as_deref()), (Some(">=1.9"), Some("1.27.0")));
    assert_eq!((sdk.lower_bound, sdk.highest_allowed), (Some(Release([1, 9, 0])), None));
    assert!(sdk.may_be_modern);
    assert!(!sdks_of(Family::Js, &[declared("@modelcontextprotocol/sdk", "^1.2", None)])[0].may_be_modern);
}

#[test]
fn vocabulary_beats_a_lower_bound_only() {
    let loose = sdks_of(Family::Python, &[declared("mcp", ">=1.9", None)]).remove(0);
    assert_eq!(loose.clone().with_vocabulary(None), loose);
    let read = loose.with_vocabulary(Some(Era::Modern));
    assert_eq!((read.era, read.era_source), (Some(Era::Modern), EraSource::Vocabulary));
    let locked = sdks_of(Family::Python, &[declared("mcp", ">=1.9", Some("1.27.0"))]).remove(0);
    assert_eq!(locked.with_vocabulary(Some(Era::Modern)).era, Some(Era::Legacy));
}

#[test]
fn imports_name_packages() {
    for (family, specifier, expected) in [
        (Family::Js, "@modelcontextprotocol/sdk/server/mcp.js", Some("@modelcontextprotocol/sdk")),
        (Family::Js, "npm:@modelcontextprotocol/sdk@^1.20/server/mcp.js", Some("@modelcontextprotocol/sdk")),
        (Family::Js, "@modelcontextprotocol/server-legacy/sse", Some("@modelcontextprotocol/server-legacy")),
        (Family::Js, "agents/mcp", Some("agents")),
        (Family::Js, "agents", None),
        (Family::Js, "@tmcp/session-manager", Some("@tmcp/*")),
        (Family::Js, "fastmcp-extra", None),
        (Family::Python, "mcp.server.fastmcp", Some("mcp")),
        (Family::Python, "fastapi_mcp", Some("fastapi-mcp")),
        (Family::Python, "mcp_tools", None),
        (Family::Rust, "rmcp::handler", Some("rmcp")),
        (Family::Rust, "rust_mcp_sdk", Some("rust-mcp-sdk")),
    ] {
        assert_eq!(of_import(family, specifier).map(|package| package.name), expected, "{specifier}");
    }
}

#[test]
fn server_sdks_come_first_and_development_last() {
    let mut dev = declared("@modelcontextprotocol/server", "^2", None);
    dev.dev = true;
    let found = sdks_of(
        Family::Js,
        &[declared("@modelcontextprotocol/client", "^2", None), dev, declared("mcp-handler", "^1", None)],
    );
    let names: Vec<_> = found.iter().map(|sdk| sdk.name.as_str()).collect();
    assert_eq!(names, ["mcp-handler", "@modelcontextprotocol/client", "@modelcontextprotocol/server"]);
}
