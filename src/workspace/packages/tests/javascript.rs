use super::*;
use crate::workspace::sdk::{Era, sdks, sdks_in};

#[test]
fn npm_package_with_lock_and_alias() {
    let found = packages(&[
        (
            "package.json",
            "\u{feff}{\n  \"name\": \"cart\", \"version\": \"1.0.0\", \"type\": \"module\", \"bin\": \"dist/cli.js\",\n  \"dependencies\": {\n    \"@modelcontextprotocol/sdk\": \"^1.20.0\",\n    \"old\": \"npm:@modelcontextprotocol/sdk@1.9.0\",\n    \"zod\": \"npm:^3\"\n  },\n  \"devDependencies\": { \"fastmcp\": \"^3\" }\n}",
        ),
        (
            "package-lock.json",
            "{ \"packages\": { \"node_modules/@modelcontextprotocol/sdk\": { \"version\": \"1.26.0\" } } }",
        ),
        ("src/index.ts", ""),
        ("tsconfig.json", "{ /* c */ }"),
    ]);
    let package = at(&found, Family::Js, ".");
    assert_eq!(
        shown(package),
        [
            "@modelcontextprotocol/sdk ^1.20.0 1.26.0 4",
            "@modelcontextprotocol/sdk as old 1.9.0 - 5",
            "zod npm:^3 - 6",
            "fastmcp ^3 - 8 dev"
        ]
    );
    assert!(package.js.is_module);
    assert_eq!(package.js.bin, [("cart".to_owned(), "dist/cli.js".to_owned())]);
    assert_eq!(package.tsconfig.as_deref(), Some("tsconfig.json"));
    assert_eq!(package.dependency("old").map(|d| d.name.as_str()), Some("@modelcontextprotocol/sdk"));
    assert_eq!(sdks(package)[0].resolved.as_deref(), Some("1.26.0"));
    assert!(found.skipped.is_empty());
}

#[test]
fn pnpm_workspace_with_catalogs() {
    let found = packages(&[
        ("package.json", "{ \"name\": \"root\", \"private\": true }"),
        (
            "pnpm-workspace.yaml",
            "packages:\n  - packages/*\ncatalog:\n  '@modelcontextprotocol/sdk': ^1.20.0\n  zod: 4\ncatalogs:\n  next:\n    '@modelcontextprotocol/server': ^2.0.0\n",
        ),
        (
            "packages/cart/package.json",
            "{ \"name\": \"@shop/cart\", \"dependencies\": { \"@modelcontextprotocol/sdk\": \"catalog:\", \"zod\": \"catalog:default\", \"@shop/kit\": \"workspace:*\" } }",
        ),
        (
            "packages/kit/package.json",
            "{ \"name\": \"@shop/kit\", \"version\": \"0.1.0\", \"dependencies\": { \"@modelcontextprotocol/server\": \"catalog:next\" } }",
        ),
        (
            "pnpm-lock.yaml",
            "importers:\n\n  packages/cart:\n    dependencies:\n      '@modelcontextprotocol/sdk':\n        specifier: 'catalog:'\n        version: 1.22.0(zod@4)\n",
        ),
    ]);
    let cart = at(&found, Family::Js, "packages/cart");
    assert_eq!(shown(cart), ["@modelcontextprotocol/sdk ^1.20.0 1.22.0 1", "zod 4 - 1", "@shop/kit workspace:* - 1"]);
    assert_eq!(cart.dependencies[2].path.as_deref(), Some("packages/kit"));
    assert_eq!(sdks(at(&found, Family::Js, "packages/kit"))[0].era, Some(Era::Modern));
    assert_eq!(at(&found, Family::Js, ".").js.workspaces, ["packages/*"]);
    assert_eq!(found.named(Family::Js, "@shop/kit").map(|p| p.dir.as_str()), Some("packages/kit"));
}

#[test]
fn catalogs_of_bun_live_in_package_json() {
    let found = packages(&[
        (
            "package.json",
            "{ \"name\": \"root\", \"workspaces\": { \"packages\": [\"apps/*\"], \"catalog\": { \"fastmcp\": \"^3.1.0\" } } }",
        ),
        ("apps/a/package.json", "{ \"name\": \"a\", \"dependencies\": { \"fastmcp\": \"catalog:\" } }"),
        ("bun.lock", "{ \"packages\": { \"fastmcp\": [\"fastmcp@3.2.0\", \"\", {}] } }"),
    ]);
    assert_eq!(shown(at(&found, Family::Js, "apps/a")), ["fastmcp ^3.1.0 3.2.0 1"]);
}

#[test]
fn the_workspace_root_serves_members_without_their_own_sdk() {
    let found = packages(&[
        ("package.json", "{ \"name\": \"root\", \"dependencies\": { \"@modelcontextprotocol/sdk\": \"1.26.0\" } }"),
        ("apps/a/package.json", "{ \"name\": \"a\" }"),
        ("apps/a/src/cjs/package.json", "{ \"type\": \"commonjs\" }"),
    ]);
    let a = at(&found, Family::Js, "apps/a");
    assert!(sdks(a).is_empty());
    assert_eq!(sdks_in(&found, a)[0].resolved.as_deref(), Some("1.26.0"));
    assert!(found.at(Family::Js, "apps/a/src/cjs").is_none(), "a marker is no package");
    assert_eq!(found.of_file("apps/a/src/cjs/x.js", Language::JavaScript).map(|p| p.dir.as_str()), Some("apps/a"));
}

#[test]
fn yarn_berry_and_members_by_file() {
    let found = packages(&[
        ("package.json", "{ \"name\": \"root\", \"workspaces\": [\"sdk\", \"app\"] }"),
        (
            "app/package.json",
            "{ \"name\": \"app\", \"dependencies\": { \"mcp-handler\": \"^1.0.0\", \"@modelcontextprotocol/server\": \"workspace:^\" } }",
        ),
        ("sdk/package.json", "{ \"name\": \"@modelcontextprotocol/server\", \"version\": \"2.4.0\" }"),
        ("yarn.lock", "\"mcp-handler@npm:^1.0.0\":\n  version: 1.0.4\n"),
    ]);
    let app = at(&found, Family::Js, "app");
    assert_eq!(shown(app), ["mcp-handler ^1.0.0 1.0.4 1", "@modelcontextprotocol/server workspace:^ 2.4.0 1"]);
}

#[test]
fn deno_import_maps_are_dependencies() {
    let found = packages(&[
        (
            "deno.jsonc",
            "{\n  // the server\n  \"name\": \"@shop/cart\",\n  \"imports\": {\n    \"mcp\": \"npm:@modelcontextprotocol/sdk@^1.20.0\",\n    \"@std/path\": \"jsr:@std/path@1\",\n    \"@/\": \"./src/\",\n  },\n}\n",
        ),
        ("deno.lock", "{ \"specifiers\": { \"npm:@modelcontextprotocol/sdk@^1.20.0\": \"1.26.0_zod@3\" } }"),
    ]);
    let package = at(&found, Family::Js, ".");
    assert_eq!(shown(package), ["@modelcontextprotocol/sdk as mcp ^1.20.0 1.26.0 5", "@std/path 1 - 6"]);
}
