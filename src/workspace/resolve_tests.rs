use std::fs;

use super::*;
use crate::workspace::walk::{WalkOptions, walk};

/// A resolver over a folder with these files; those without text are empty.
fn resolver(files: &[(&str, &str)]) -> Resolver {
    let dir = tempfile::tempdir().expect("temp dir");
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().expect("parent")).expect("folders");
        fs::write(path, text).expect("file");
    }
    let options = WalkOptions { paths: vec![dir.path().to_owned()], ..WalkOptions::default() };
    let tree = walk(&options).expect("walks");
    Resolver::new(&tree, &Packages::find(&tree))
}

/// `file`, `package|subpath`, `builtin:name` or `-`.
fn shown(resolution: Resolution) -> String {
    match resolution {
        Resolution::File(path) => path,
        Resolution::External { package, subpath } => format!("{package}|{subpath}"),
        Resolution::Builtin(name) => format!("builtin:{name}"),
        Resolution::Missing => "-".to_owned(),
    }
}

fn check(resolver: &Resolver, cases: &[(&str, &str, &str)]) {
    for (from, specifier, expected) in cases {
        assert_eq!(shown(resolver.resolve(from, specifier)), *expected, "{specifier} in {from}");
    }
}

#[test]
fn relative_imports_in_each_spelling() {
    let resolver = resolver(&[
        ("package.json", "{ \"name\": \"app\", \"main\": \"dist/server.js\" }"),
        ("src/a.ts", ""),
        ("src/view.tsx", ""),
        ("src/m.mts", ""),
        ("src/c.cts", ""),
        ("src/plain.js", ""),
        ("src/both.ts", ""),
        ("src/both.js", ""),
        ("src/cart.service.ts", ""),
        ("src/tools/index.ts", ""),
        ("src/jsx.jsx", ""),
        ("src/data.json", "{}"),
        ("src/server.ts", ""),
        ("index.js", ""),
    ]);
    check(
        &resolver,
        &[
            ("src/a.ts", "./view.js", "src/view.tsx"),
            ("src/a.ts", "./view.jsx", "src/view.tsx"),
            ("src/a.ts", "./m.mjs", "src/m.mts"),
            ("src/a.ts", "./c.cjs", "src/c.cts"),
            ("src/a.ts", "./plain.js", "src/plain.js"),
            ("src/a.ts", "./plain", "src/plain.js"),
            ("src/a.ts", "./both.js", "src/both.ts"),
            ("src/a.ts", "./both.ts", "src/both.ts"),
            ("src/a.ts", "./cart.service", "src/cart.service.ts"),
            ("src/a.ts", "./cart.service.js", "src/cart.service.ts"),
            ("src/a.ts", "./tools", "src/tools/index.ts"),
            ("src/a.ts", "./tools/", "src/tools/index.ts"),
            ("src/a.ts", "./tools/index.js", "src/tools/index.ts"),
            ("src/tools/index.ts", "../a", "src/a.ts"),
            ("src/tools/index.ts", ".", "src/tools/index.ts"),
            ("src/tools/index.ts", "../..", "index.js"),
            ("src/a.ts", "./jsx", "src/jsx.jsx"),
            ("src/a.ts", "./a.ts?raw", "src/a.ts"),
            ("src/a.ts", "./data.json", "-"),
            ("src/a.ts", "./gone.js", "-"),
            ("index.js", "./dist/server.js", "src/server.ts"),
            ("src/tools/index.ts", "../../build/a.js", "src/a.ts"),
            ("index.js", "./lost/server.js", "-"),
            ("src/a.ts", "../../../x", "-"),
            ("src/a.ts", "/abs", "-"),
            ("src/a.ts", "", "-"),
        ],
    );
    assert!(resolver.contains("src/a.ts") && !resolver.contains("src/data.json"));
}

#[test]
fn packages_and_built_in_modules() {
    let resolver = resolver(&[
        ("package.json", "{ \"name\": \"app\", \"dependencies\": { \"mcp\": \"npm:@modelcontextprotocol/sdk@^1\" } }"),
        ("a.ts", ""),
    ]);
    check(
        &resolver,
        &[
            ("a.ts", "@modelcontextprotocol/sdk/server/mcp.js", "@modelcontextprotocol/sdk|server/mcp.js"),
            ("a.ts", "mcp/server/mcp.js", "@modelcontextprotocol/sdk|server/mcp.js"),
            ("a.ts", "npm:@modelcontextprotocol/sdk@^1.20/server/mcp.js", "@modelcontextprotocol/sdk|server/mcp.js"),
            ("a.ts", "jsr:@std/path@1", "@std/path|"),
            ("a.ts", "express", "express|"),
            ("a.ts", "node:crypto", "builtin:crypto"),
            ("a.ts", "fs/promises", "builtin:fs/promises"),
            ("a.ts", "bun:sqlite", "builtin:bun:sqlite"),
            (
                "a.ts",
                "https://modules.example/v135/@modelcontextprotocol/sdk@1.20.0/server/mcp.js",
                "@modelcontextprotocol/sdk|server/mcp.js",
            ),
            ("a.ts", "https://modules.example/", "-"),
            ("a.ts", "data:text/javascript,1", "-"),
            ("a.ts", "@/unmapped", "-"),
            ("a.ts", "#unmapped", "-"),
        ],
    );
}

#[test]
fn workspace_packages_lead_to_their_sources() {
    let resolver = resolver(&[
        ("package.json", "{ \"name\": \"root\", \"workspaces\": [\"packages/*\"] }"),
        (
            "packages/exp/package.json",
            r##"{ "name": "@shop/exp", "exports": { ".": { "types": "./dist/index.d.ts", "default": "./dist/index.js" }, "./tools/*": "./dist/tools/*.js", "./esm": "./dist/esm/extra.mjs", "./gone": "./dist/gone.js" }, "imports": { "#db": { "node": "./src/db.ts" }, "#lib/*": "./src/lib/*.js", "#ext": "zod" } }"##,
        ),
        ("packages/exp/src/index.ts", ""),
        ("packages/exp/src/tools/add.ts", ""),
        ("packages/exp/src/extra.mts", ""),
        ("packages/exp/src/db.ts", ""),
        ("packages/exp/src/lib/x.ts", ""),
        ("packages/main/package.json", "{ \"name\": \"main\", \"main\": \"./build/lib/entry.js\" }"),
        ("packages/main/lib/entry.ts", ""),
        ("packages/main/src/sub.ts", ""),
        ("packages/bare/package.json", "{ \"name\": \"bare\" }"),
        ("packages/bare/index.ts", ""),
        ("packages/types/package.json", "{ \"name\": \"typed\", \"types\": \"dist/api.d.ts\" }"),
        ("packages/types/src/api.ts", ""),
        ("app/a.ts", ""),
    ]);
    check(
        &resolver,
        &[
            ("app/a.ts", "@shop/exp", "packages/exp/src/index.ts"),
            ("app/a.ts", "@shop/exp/tools/add", "packages/exp/src/tools/add.ts"),
            ("app/a.ts", "@shop/exp/esm", "packages/exp/src/extra.mts"),
            ("app/a.ts", "@shop/exp/gone", "@shop/exp|gone"),
            ("app/a.ts", "main", "packages/main/lib/entry.ts"),
            ("app/a.ts", "main/sub", "packages/main/src/sub.ts"),
            ("app/a.ts", "main/dist/sub.js", "packages/main/src/sub.ts"),
            ("app/a.ts", "bare", "packages/bare/index.ts"),
            ("app/a.ts", "../packages/bare", "packages/bare/index.ts"),
            ("app/a.ts", "typed", "packages/types/src/api.ts"),
            ("packages/exp/src/index.ts", "#db", "packages/exp/src/db.ts"),
            ("packages/exp/src/index.ts", "#lib/x", "packages/exp/src/lib/x.ts"),
            ("packages/exp/src/index.ts", "#ext", "zod|"),
            ("packages/exp/src/index.ts", "@shop/exp", "packages/exp/src/index.ts"),
            ("app/a.ts", "#db", "-"),
        ],
    );
}

#[test]
fn configured_paths() {
    let resolver = resolver(&[
        (
            "tsconfig.base.json",
            "{ \"compilerOptions\": { \"baseUrl\": \".\", \"paths\": { \"@kit/*\": [\"kit/src/*\"], \"@kit\": [\"kit/src/index.ts\"] } } }",
        ),
        (
            "app/tsconfig.json",
            "{\n  // comments and trailing commas are allowed\n  \"extends\": \"../tsconfig.base\",\n  \"compilerOptions\": { \"strict\": true, },\n}",
        ),
        (
            "own/tsconfig.json",
            "{ \"extends\": [\"../tsconfig.base.json\", \"./nothing.json\"], \"compilerOptions\": { \"paths\": { \"@/*\": [\"./src/*\"], \"@/gen/*\": [\"./gen1/*\", \"./gen2/*\"], \"*\": [\"./types/*\"] } } }",
        ),
        ("shared/tsconfig/package.json", "{ \"name\": \"@shop/tsconfig\" }"),
        ("shared/tsconfig/base.json", "{ \"compilerOptions\": { \"baseUrl\": \"../../kit\" } }"),
        ("pkg/tsconfig.json", "{ \"extends\": \"@shop/tsconfig/base.json\" }"),
        ("loop/tsconfig.json", "{ \"extends\": \"./tsconfig.json\" }"),
        ("broken/tsconfig.json", "{{"),
        (
            "vite/tsconfig.json",
            "{ \"files\": [], \"references\": [{ \"path\": \"./tsconfig.node.json\" }, { \"path\": \"./tsconfig.app.json\" }] }",
        ),
        ("vite/tsconfig.node.json", "{}"),
        ("vite/tsconfig.app.json", "{ \"compilerOptions\": { \"paths\": { \"@/*\": [\"./src/*\"] } } }"),
        ("vite/src/x.ts", ""),
        ("bundled/package.json", "{ \"name\": \"bundled\" }"),
        ("bundled/src/deep/a.ts", ""),
        ("bundled/src/b.ts", ""),
        ("bundled/top.ts", ""),
        ("js/jsconfig.json", "{ \"compilerOptions\": { \"paths\": { \"~/*\": [\"./*\"] } } }"),
        ("kit/src/index.ts", ""),
        ("kit/src/store.ts", ""),
        ("app/a.ts", ""),
        ("own/src/x.ts", ""),
        ("own/gen2/y.ts", ""),
        ("own/a.ts", ""),
        ("pkg/a.ts", ""),
        ("loop/a.ts", ""),
        ("broken/a.ts", ""),
        ("js/a.js", ""),
        ("js/b.js", ""),
        ("app/nested/deep/b.ts", ""),
    ]);
    check(
        &resolver,
        &[
            ("app/a.ts", "@kit/store.js", "kit/src/store.ts"),
            ("app/nested/deep/b.ts", "@kit", "kit/src/index.ts"),
            ("app/a.ts", "kit/src/store", "kit/src/store.ts"),
            ("app/a.ts", "@kit/none", "@kit/none|"),
            ("own/a.ts", "@/src-less", "-"),
            ("own/a.ts", "@/x", "-"),
            ("own/a.ts", "zod", "zod|"),
            ("pkg/a.ts", "src/store", "kit/src/store.ts"),
            ("loop/a.ts", "zod", "zod|"),
            ("broken/a.ts", "./a", "broken/a.ts"),
            ("js/a.js", "~/b", "js/b.js"),
            ("vite/src/x.ts", "@/x", "vite/src/x.ts"),
            ("bundled/src/deep/a.ts", "@/b", "bundled/src/b.ts"),
            ("bundled/src/deep/a.ts", "~/top", "bundled/top.ts"),
        ],
    );
}

#[test]
fn deno_import_maps() {
    let resolver = resolver(&[
        (
            "deno.json",
            "{ \"imports\": { \"mcp/\": \"npm:/@modelcontextprotocol/sdk@^1.20/\", \"@/\": \"./src/\", \"zod\": \"npm:zod@4\", \"self\": \"self\" } }",
        ),
        ("main.ts", ""),
        ("src/store.ts", ""),
    ]);
    check(
        &resolver,
        &[
            ("main.ts", "@/store.ts", "src/store.ts"),
            ("main.ts", "mcp/server/mcp.js", "@modelcontextprotocol/sdk|server/mcp.js"),
            ("src/store.ts", "zod", "zod|"),
            ("main.ts", "self", "-"),
        ],
    );
}

#[test]
fn python_modules() {
    let resolver = resolver(&[
        ("pyproject.toml", "[project]\nname = \"shop\"\n"),
        ("src/shop/__init__.py", ""),
        ("src/shop/server.py", ""),
        ("src/shop/state.py", ""),
        ("src/shop/tools/__init__.py", ""),
        ("src/shop/tools/cart.py", ""),
        ("src/shop/logging.py", ""),
        ("scripts/run.py", ""),
        ("scripts/helper.py", ""),
        ("libs/kit/pyproject.toml", "[project]\nname = \"kit\"\n[tool.setuptools.package-dir]\n\"\" = \"python\"\n"),
        ("libs/kit/python/kit/__init__.py", ""),
        ("libs/kit/python/kit/store.py", ""),
        ("mcp/local.py", ""),
        ("both.py", ""),
        ("both/__init__.py", ""),
    ]);
    check(
        &resolver,
        &[
            ("src/shop/server.py", "shop.state", "src/shop/state.py"),
            ("src/shop/server.py", "shop.tools.cart", "src/shop/tools/cart.py"),
            ("src/shop/server.py", "shop", "src/shop/__init__.py"),
            ("src/shop/server.py", ".state", "src/shop/state.py"),
            ("src/shop/server.py", ".", "src/shop/__init__.py"),
            ("src/shop/tools/cart.py", "..state", "src/shop/state.py"),
            ("src/shop/tools/cart.py", "..", "src/shop/__init__.py"),
            ("src/shop/tools/cart.py", "......x", "-"),
            ("src/shop/server.py", ".none", "-"),
            ("src/shop/server.py", "logging", "logging|"),
            ("scripts/run.py", "helper", "scripts/helper.py"),
            ("scripts/run.py", "shop.state", "src/shop/state.py"),
            ("scripts/run.py", "kit.store", "libs/kit/python/kit/store.py"),
            ("src/shop/server.py", "mcp.server.fastmcp", "mcp|server.fastmcp"),
            ("scripts/run.py", "both", "both/__init__.py"),
            ("scripts/run.py", "os", "os|"),
        ],
    );
    let submodule = |from, module, name| resolver.resolve_submodule(from, module, name);
    assert_eq!(submodule("src/shop/server.py", ".", "state").as_deref(), Some("src/shop/state.py"));
    assert_eq!(submodule("src/shop/server.py", "shop.tools", "cart").as_deref(), Some("src/shop/tools/cart.py"));
    assert_eq!(submodule("src/shop/server.py", "shop", "Server"), None);
}

#[test]
fn rust_crates() {
    let resolver = resolver(&[
        (
            "server/Cargo.toml",
            "[package]\nname = \"server\"\n[dependencies]\nshop-core = { path = \"../core\" }\nrmcp = \"1\"\n",
        ),
        ("server/src/main.rs", ""),
        ("core/Cargo.toml", "[package]\nname = \"shop-core\"\n"),
        ("core/src/lib.rs", ""),
    ]);
    check(
        &resolver,
        &[
            ("server/src/main.rs", "shop_core::state", "core/src/lib.rs"),
            ("server/src/main.rs", "rmcp::model::Tool", "rmcp|model::Tool"),
            ("server/src/main.rs", "std::sync::Arc", "builtin:std"),
            ("server/src/main.rs", "crate::state", "-"),
        ],
    );
}
