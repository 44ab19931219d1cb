//! Every rule is documented, and the documentation says something.

use std::collections::HashSet;

use mcp_migrate::report::style::Style;
use mcp_migrate::report::{explain, rules as list};
use mcp_migrate::rules::{ALL, find};

#[test]
fn names_are_unique_kebab_case_words() {
    let mut seen = HashSet::new();
    for rule in ALL {
        assert!(seen.insert(rule.name), "{} twice", rule.name);
        let words: Vec<&str> = rule.name.split('-').collect();
        assert!(words.len() > 1, "{}", rule.name);
        assert!(words.iter().all(|w| !w.is_empty() && w.chars().all(|c| c.is_ascii_lowercase())), "{}", rule.name);
    }
    assert_eq!(ALL.len(), 23);
}

#[test]
fn every_section_is_there() {
    for rule in ALL {
        let docs = &rule.docs;
        let name = rule.name;
        for (section, text) in [
            ("summary", rule.summary),
            ("finds", docs.finds),
            ("why", docs.why),
            ("migration", docs.migration),
            ("safety", docs.safety),
        ] {
            assert!(text.len() > 25, "{name}: {section} says little");
        }
        assert!(!rule.summary.ends_with('.') && rule.summary.len() <= 90, "{name}: summary is one line");
        assert!(docs.examples.iter().any(|e| e.language == "TypeScript"), "{name}: no TypeScript example");
        for example in docs.examples {
            assert!(!example.bad.trim().is_empty() && !example.good.trim().is_empty(), "{name}");
            assert_ne!(example.bad.trim(), example.good.trim(), "{name}");
        }
        assert!(docs.references.iter().any(|r| r.starts_with("SEP-")), "{name}: no reference");
    }
}

#[test]
fn no_placeholders_and_even_backquotes() {
    for rule in ALL {
        let text = explain::render(rule, Style::plain(true));
        for word in ["TODO", "FIXME", "TBD", "lorem", "xxx", "not yet", "coming soon", "://"] {
            assert!(!text.contains(word), "{}: {word}", rule.name);
        }
        for part in [rule.docs.finds, rule.docs.why, rule.docs.migration, rule.docs.safety] {
            assert_eq!(part.matches('`').count() % 2, 0, "{}: {part}", rule.name);
        }
    }
}

#[test]
fn find_knows_what_was_meant() {
    assert_eq!(find("session-guard").unwrap().name, "session-guard");
    let near = |name: &str| find(name).unwrap_err().nearest;
    assert_eq!(near("session-gard"), Some("session-guard"));
    assert_eq!(near("session_keyed_state"), Some("session-keyed-state"));
    assert_eq!(near("Session-Gateway"), Some("session-gateway"));
    assert_eq!(near("fallback"), Some("session-fallback-bucket"));
    assert_eq!(near("no-unused-vars"), None);
    assert_eq!(near(""), None);
}

#[test]
fn the_list() {
    insta::assert_snapshot!(list::text(ALL, Style { width: 110, ..Style::plain(true) }));
}

#[test]
fn one_explanation() {
    insta::assert_snapshot!(explain::render(find("session-keyed-state").unwrap(), Style::plain(true)));
}
