use super::*;

fn wanted<'a>(name: &'a str, requirement: &'a str, importer: &'a str) -> Wanted<'a> {
    Wanted { name, local_name: name, requirement: Some(requirement), importer }
}

const SDK: &str = "@modelcontextprotocol/sdk";

fn first(kind: LockKind, lock: &str, wanted: Wanted) -> Option<String> {
    let unix = versions(kind, lock.as_bytes(), wanted).into_iter().next();
    let windows = versions(kind, lock.replace('\n', "\r\n").as_bytes(), wanted).into_iter().next();
    assert_eq!(unix, windows, "line ends change nothing");
    unix
}

#[test]
fn npm_versions_one_to_three() {
    let v3 = r#"{
  "lockfileVersion": 3,
  "packages": {
    "": { "dependencies": { "@modelcontextprotocol/sdk": "^1.20.0" } },
    "node_modules/@modelcontextprotocol/sdk": {
      "version": "1.26.0",
      "resolved": "https://packages.example/sdk-1.26.0.tgz",
      "dependencies": { "zod": "^3.25" }
    },
    "packages/cart/node_modules/@modelcontextprotocol/sdk": {
      "version": "1.12.1"
    }
  }
}"#;
    assert_eq!(first(LockKind::Npm, v3, wanted(SDK, "^1.20.0", ".")).as_deref(), Some("1.26.0"));
    assert_eq!(first(LockKind::Npm, v3, wanted(SDK, "^1.20.0", "packages/cart")).as_deref(), Some("1.12.1"));
    assert_eq!(first(LockKind::Npm, v3, wanted("zod", "^3.25", ".")), None);
    let v1 = r#"{
  "lockfileVersion": 1,
  "dependencies": {
    "@modelcontextprotocol/sdk": {
      "version": "1.9.0",
      "requires": { "zod": "^3" }
    }
  }
}"#;
    assert_eq!(first(LockKind::Npm, v1, wanted(SDK, "*", ".")).as_deref(), Some("1.9.0"));
}

#[test]
fn pnpm_by_importer_and_by_key() {
    let lock = "lockfileVersion: '9.0'\n\nimporters:\n\n  .:\n    devDependencies:\n      typescript:\n        specifier: ^5\n        version: 5.9.2\n\n  packages/cart:\n    dependencies:\n      '@modelcontextprotocol/sdk':\n        specifier: 'catalog:'\n        version: 1.26.0(zod@3.25.76)\n      fastmcp:\n        specifier: ^3\n        version: link:../fastmcp\n\n  packages/old:\n    dependencies:\n      '@modelcontextprotocol/sdk':\n        specifier: 1.10.2\n        version: 1.10.2\n\npackages:\n\n  '@modelcontextprotocol/sdk@1.10.2':\n    resolution: {integrity: sha512-x}\n\n  '@modelcontextprotocol/sdk@1.26.0':\n    resolution: {integrity: sha512-y}\n";
    for (importer, expected) in [("packages/cart", "1.26.0"), ("packages/old", "1.10.2"), (".", "1.10.2")] {
        assert_eq!(
            first(LockKind::Pnpm, lock, wanted(SDK, "catalog:", importer)).as_deref(),
            Some(expected),
            "{importer}"
        );
    }
    assert_eq!(first(LockKind::Pnpm, lock, wanted("fastmcp", "^3", "packages/cart")), None);
    let single = "lockfileVersion: '6.0'\n\ndependencies:\n  '@modelcontextprotocol/sdk':\n    specifier: ^1.20.0\n    version: 1.21.0\n  fastmcp:\n    specifier: ^3\n    version: 3.1.0(zod@3)\n\npackages:\n\n  /@modelcontextprotocol/sdk@1.21.0:\n    dev: false\n";
    assert_eq!(first(LockKind::Pnpm, single, wanted(SDK, "^1.20.0", ".")).as_deref(), Some("1.21.0"));
    assert_eq!(first(LockKind::Pnpm, single, wanted("fastmcp", "^3", ".")).as_deref(), Some("3.1.0"));
    let oldest = "lockfileVersion: 5.4\n\nspecifiers:\n  fastmcp: ^3\n\ndependencies:\n  fastmcp: 3.0.1\n";
    assert_eq!(first(LockKind::Pnpm, oldest, wanted("fastmcp", "^3", ".")).as_deref(), Some("3.0.1"));
}

#[test]
fn yarn_classic_and_berry() {
    let classic = "# yarn lockfile v1\n\n\"@modelcontextprotocol/sdk@^1.10.0\", \"@modelcontextprotocol/sdk@^1.12.0\":\n  version \"1.13.0\"\n  resolved \"https://registry.example/sdk.tgz\"\n\n\"@modelcontextprotocol/sdk@^1.26.0\":\n  version \"1.27.0\"\n\nfastmcp@^3.1.0:\n  version \"3.2.0\"\n  dependencies:\n    \"@modelcontextprotocol/sdk\" \"^1.26.0\"\n";
    for (name, requirement, expected) in
        [(SDK, "^1.26.0", "1.27.0"), (SDK, "^1.12.0", "1.13.0"), (SDK, "^9", "1.13.0"), ("fastmcp", "^3.1.0", "3.2.0")]
    {
        assert_eq!(
            first(LockKind::Yarn, classic, wanted(name, requirement, ".")).as_deref(),
            Some(expected),
            "{name} {requirement}"
        );
    }
    assert_eq!(first(LockKind::Yarn, classic, wanted("mcp", "^3.1.0", ".")), None, "a name's tail is another name");
    let berry = "__metadata:\n  version: 8\n\n\"@modelcontextprotocol/sdk@npm:^1.20.0\":\n  version: 1.26.0\n  resolution: \"@modelcontextprotocol/sdk@npm:1.26.0\"\n  dependencies:\n    zod: \"npm:^3.25\"\n  languageName: node\n";
    assert_eq!(first(LockKind::Yarn, berry, wanted(SDK, "^1.20.0", ".")).as_deref(), Some("1.26.0"));
}

#[test]
fn bun_and_deno() {
    let bun = "{\n  \"workspaces\": { \"\": { \"dependencies\": { \"@modelcontextprotocol/sdk\": \"^1.20.0\", }, }, },\n  \"packages\": {\n    \"@modelcontextprotocol/sdk\": [\"@modelcontextprotocol/sdk@1.24.3\", \"\", { \"dependencies\": {} }, \"sha512-x\"],\n  }\n}\n";
    assert_eq!(first(LockKind::Bun, bun, wanted(SDK, "^1.20.0", ".")).as_deref(), Some("1.24.3"));
    let v4 = "{\n  \"version\": \"4\",\n  \"specifiers\": {\n    \"npm:@modelcontextprotocol/sdk@^1.10.0\": \"1.11.0\",\n    \"npm:@modelcontextprotocol/sdk@^1.20.0\": \"1.26.0_zod@3.25.76\"\n  }\n}";
    assert_eq!(first(LockKind::Deno, v4, wanted(SDK, "^1.20.0", ".")).as_deref(), Some("1.26.0"));
    let v3 = "{ \"packages\": { \"specifiers\": { \"npm:@modelcontextprotocol/sdk@^1.20.0\": \"npm:@modelcontextprotocol/sdk@1.22.0\" } } }";
    assert_eq!(first(LockKind::Deno, v3, wanted(SDK, "^1.20.0", ".")).as_deref(), Some("1.22.0"));
}

#[test]
fn tables_of_packages() {
    let uv = "version = 1\n\n[[package]]\nname = \"fastmcp\"\nversion = \"3.4.4\"\nsource = { registry = \"https://registry.example/simple\" }\ndependencies = [\n    { name = \"mcp\" },\n]\n\n[[package]]\nname = \"mcp\"\nversion = \"1.27.0\"\n\n[[package]]\nname = \"fastapi-mcp\"\nversion = \"0.4.0\"\n";
    for (name, expected) in [("mcp", "1.27.0"), ("fastmcp", "3.4.4"), ("FastAPI_mcp", "0.4.0")] {
        assert_eq!(first(LockKind::PythonToml, uv, wanted(name, ">=0", ".")).as_deref(), Some(expected), "{name}");
    }
    let cargo = "[[package]]\nname = \"rmcp\"\nversion = \"1.8.0\"\nsource = \"registry+https://registry.example/index\"\n\n[[package]]\nname = \"rmcp\"\nversion = \"3.1.0\"\n\n[[package]]\nname = \"rmcp-macros\"\nversion = \"3.1.0\"\n";
    assert_eq!(versions(LockKind::Cargo, cargo.as_bytes(), wanted("rmcp", "3", ".")), ["1.8.0", "3.1.0"]);
    let pipfile = "{ \"default\": { \"mcp\": { \"hashes\": [\"sha256:0\"], \"markers\": \"python_version >= '3.10'\", \"version\": \"==1.9.4\" } } }";
    assert_eq!(first(LockKind::Pipfile, pipfile, wanted("mcp", "*", ".")).as_deref(), Some("1.9.4"));
}

#[test]
fn rubbish_is_no_answer() {
    let kinds = [
        LockKind::Npm,
        LockKind::Pnpm,
        LockKind::Yarn,
        LockKind::Bun,
        LockKind::Deno,
        LockKind::PythonToml,
        LockKind::Cargo,
        LockKind::Pipfile,
    ];
    let pieces = [
        "",
        "mcp@",
        "\"mcp\":",
        "\"mcp\": {",
        "\"mcp\": {\"version\":",
        "name = \"mcp\"",
        "\n  .:\n",
        "[\"mcp@",
        "\"npm:mcp@1\": \"",
        "\"npm:mcp@",
        "mcp@1:\n  version",
    ];
    for kind in kinds {
        for piece in pieces {
            assert!(versions(kind, piece.as_bytes(), wanted("mcp", "1", ".")).is_empty(), "{kind:?} {piece}");
        }
        assert!(versions(kind, &[0xFF, 0xFE, 0, b'm'], wanted("mcp", "1", ".")).is_empty());
    }
}

#[test]
fn large_lock_files_take_no_time() {
    let entry = "[[package]]\nname = \"filler\"\nversion = \"1.0.0\"\nwheels = [{ url = \"https://registry.example/filler.whl\", hash = \"sha256:00\" }]\n\n";
    let lock = entry.repeat(160_000) + "[[package]]\nname = \"mcp\"\nversion = \"2.1.0\"\n";
    assert!(lock.len() > 16_000_000);
    let start = std::time::Instant::now();
    assert_eq!(versions(LockKind::PythonToml, lock.as_bytes(), wanted("mcp", ">=1", ".")), ["2.1.0"]);
    assert!(start.elapsed().as_millis() < 1000, "{:?}", start.elapsed());
}
