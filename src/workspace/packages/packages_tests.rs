use std::fs;

use super::*;
use crate::workspace::sdk::{Era, sdks, sdks_in};
use crate::workspace::skipped::SkipReason;
use crate::workspace::walk::{Tree, WalkOptions, walk};

/// A folder with these files, walked from `argument`.
fn tree_at(files: &[(&str, &str)], argument: &str) -> (tempfile::TempDir, Tree) {
    let dir = tempfile::tempdir().expect("temp dir");
    for (path, text) in files {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().expect("parent")).expect("folders");
        fs::write(path, text).expect("file");
    }
    let options = WalkOptions { paths: vec![dir.path().join(argument)], ..WalkOptions::default() };
    let tree = walk(&options).expect("walks");
    (dir, tree)
}

fn packages(files: &[(&str, &str)]) -> Packages {
    let (_dir, tree) = tree_at(files, ".");
    Packages::find(&tree)
}

/// `name requirement resolved line dev` of each dependency, `-` for none.
fn shown(package: &Package) -> Vec<String> {
    let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let show = |d: &Dependency| {
        let alias = d.alias.as_ref().map(|alias| format!(" as {alias}")).unwrap_or_default();
        let dev = if d.dev { " dev" } else { "" };
        format!("{}{alias} {} {} {}{dev}", d.name, or_dash(&d.requirement), or_dash(&d.resolved), d.line)
    };
    package.dependencies.iter().map(show).collect()
}

fn at<'a>(packages: &'a Packages, family: Family, dir: &str) -> &'a Package {
    packages.at(family, dir).unwrap_or_else(|| panic!("a package in {dir}"))
}

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

#[test]
fn pyproject_of_each_school() {
    let found = packages(&[
        (
            "uv/pyproject.toml",
            "[project]\nname = \"uv-server\"\ndependencies = [\n  \"mcp[cli]>=1.9,<2\",\n  \"uvicorn\",\n]\n[project.optional-dependencies]\nhttp = [\"fastmcp>=3\"]\n[dependency-groups]\ndev = [\"pytest>=8\", { include-group = \"lint\" }]\nlint = [\"ruff\"]\n[tool.setuptools.packages.find]\nwhere = [\"lib\"]\n",
        ),
        ("uv/uv.lock", "[[package]]\nname = \"mcp\"\nversion = \"1.27.0\"\n"),
        ("uv/server.py", ""),
        (
            "poetry/pyproject.toml",
            "[tool.poetry]\nname = \"poetry-server\"\nversion = \"0.1.0\"\npackages = [{ include = \"shop\", from = \"python\" }]\n[tool.poetry.dependencies]\npython = \"^3.11\"\nmcp = { version = \"^1.2\", extras = [\"cli\"] }\n[tool.poetry.group.dev.dependencies]\nfastmcp = \"*\"\n",
        ),
        ("poetry/poetry.lock", "[[package]]\nname = \"mcp\"\nversion = \"1.6.0\"\n"),
        ("poetry/tests-are-elsewhere.py", ""),
        ("lint/pyproject.toml", "[tool.ruff]\nline-length = 100\n"),
    ]);
    let uv = at(&found, Family::Python, "uv");
    assert_eq!(
        shown(uv),
        ["mcp >=1.9,<2 1.27.0 4", "uvicorn - - 5", "fastmcp >=3 - 8", "pytest >=8 - 10 dev", "ruff - - 11 dev"]
    );
    assert_eq!(uv.python_roots, ["uv/lib"]);
    let poetry = at(&found, Family::Python, "poetry");
    assert_eq!(shown(poetry), ["mcp ^1.2 1.6.0 7", "fastmcp * - 9 dev"]);
    assert_eq!(poetry.python_roots, ["poetry/python"]);
    assert!(found.at(Family::Python, "lint").is_none(), "a linter's settings are no package");
}

#[test]
fn older_python_manifests() {
    let found = packages(&[
        (
            "cfg/setup.cfg",
            "[metadata]\nname = cfg-server\nversion = attr: x.y\n[options]\npackage_dir =\n    = src\ninstall_requires =\n    mcp>=1.2  # SDK\n    httpx\n[options.extras_require]\ntest = pytest\n[flake8]\nmax-line-length = 100\n",
        ),
        (
            "py/setup.py",
            "from setuptools import setup\n# install_requires=['nothing']\nsetup(\n    name=\"py-server\",\n    version='2.0',\n    package_dir={'': 'src'},\n    install_requires=[\n        'mcp[cli]==1.9.4',\n        \"httpx; python_version>'3.9'\",\n    ],\n)\n",
        ),
        ("req/requirements.txt", "mcp==1.30.0\n"),
        ("req/requirements-dev.txt", "-r requirements.txt\npytest\n"),
        ("folder/requirements/base.txt", "fastmcp>=2.3,<3\n"),
        ("pip/Pipfile", "[packages]\nmcp = \"*\"\n[dev-packages]\npytest = \"*\"\n"),
        ("pip/Pipfile.lock", "{ \"default\": { \"mcp\": { \"version\": \"==1.8.1\" } } }"),
    ]);
    assert_eq!(shown(at(&found, Family::Python, "cfg")), ["mcp >=1.2 - 8", "httpx - - 9", "pytest - - 11 dev"]);
    assert_eq!(at(&found, Family::Python, "cfg").python_roots, ["cfg/src"]);
    let py = at(&found, Family::Python, "py");
    assert_eq!((py.name.as_deref(), py.version.as_deref()), (Some("py-server"), Some("2.0")));
    assert_eq!(shown(py), ["mcp ==1.9.4 - 8", "httpx - - 9"]);
    assert_eq!(py.python_roots, ["py/src"]);
    let req = at(&found, Family::Python, "req");
    assert_eq!(req.manifest.as_deref(), Some("req/requirements-dev.txt"));
    assert_eq!(sdks(req)[0].resolved.as_deref(), Some("1.30.0"));
    assert_eq!(shown(at(&found, Family::Python, "folder")), ["fastmcp >=2.3,<3 - 1"]);
    assert_eq!(shown(at(&found, Family::Python, "pip")), ["mcp * 1.8.1 2", "pytest * - 4 dev"]);
}

#[test]
fn cargo_workspace() {
    let found = packages(&[
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"crates/*\"]\n[workspace.package]\nversion = \"0.3.0\"\n[workspace.dependencies]\nrmcp = { version = \"1.2\", features = [\"server\"] }\nshop-core = { path = \"crates/core\" }\n",
        ),
        (
            "crates/server/Cargo.toml",
            "[package]\nname = \"shop-server\"\nversion.workspace = true\n[dependencies]\nrmcp = { workspace = true }\nshop-core.workspace = true\nsdk2 = { package = \"rust-mcp-sdk\", version = \"0.8\" }\n[dev-dependencies]\ntempfile = \"3\"\n[target.'cfg(unix)'.dependencies]\nlibc = \"0.2\"\n",
        ),
        ("crates/core/Cargo.toml", "[package]\nname = \"shop-core\"\nversion = \"0.1.0\"\n"),
        (
            "Cargo.lock",
            "[[package]]\nname = \"rmcp\"\nversion = \"0.2.0\"\n\n[[package]]\nname = \"rmcp\"\nversion = \"1.8.0\"\n",
        ),
        ("crates/server/src/main.rs", ""),
    ]);
    assert!(found.at(Family::Rust, ".").is_none(), "a virtual manifest is no package");
    let server = at(&found, Family::Rust, "crates/server");
    assert_eq!(server.version.as_deref(), Some("0.3.0"));
    assert_eq!(
        shown(server),
        ["rmcp 1.2 1.8.0 5", "rust-mcp-sdk as sdk2 0.8 - 7", "shop-core - - 6", "tempfile 3 - 9 dev", "libc 0.2 - 11"]
    );
    assert_eq!(server.crate_dir("shop_core"), Some("crates/core"));
    assert_eq!(server.crate_dir("libc"), None);
}

#[test]
fn broken_manifests_are_reported_and_abort_nothing() {
    let found = packages(&[
        ("package.json", "{ \"name\": \"ok\", \"dependencies\": [1], \"exports\": 3 }"),
        ("a/package.json", "{ nope"),
        ("b/pyproject.toml", "[project\n"),
        ("c/Cargo.toml", "= 1"),
        ("d/pnpm-workspace.yaml", "a: [\n"),
        ("e/deno.json", "{{"),
        ("f/package.json", "[]"),
        ("g/Pipfile", "x"),
        ("h/setup.py", "setup(install_requires=["),
        ("i/pnpm-workspace.yaml", "# nothing yet\n"),
        ("j/package.json", "\u{0}\u{1}"),
        ("k/pyproject.toml", "[project]\nname = 3\ndependencies = \"mcp\"\n"),
        ("a/index.ts", ""),
    ]);
    let reported: Vec<&str> = found.skipped.iter().map(|skipped| skipped.path.as_str()).collect();
    for path in [
        "a/package.json",
        "b/pyproject.toml",
        "c/Cargo.toml",
        "d/pnpm-workspace.yaml",
        "e/deno.json",
        "f/package.json",
        "g/Pipfile",
        "j/package.json",
    ] {
        assert!(reported.contains(&path), "{path} in {reported:?}");
    }
    assert_eq!(reported.len(), 8);
    assert!(found.skipped.iter().all(|skipped| skipped.reason == SkipReason::BrokenManifest));
    assert_eq!(found.of_file("a/index.ts", Language::TypeScript).and_then(|p| p.name.as_deref()), Some("ok"));
}

#[test]
fn each_family_has_its_own_nearest_package() {
    let found = packages(&[
        ("pyproject.toml", "[project]\nname = \"py\"\n"),
        ("web/package.json", "{ \"name\": \"web\" }"),
        ("web/tool.py", ""),
        ("web/main.ts", ""),
        ("loose.rs", ""),
    ]);
    let name = |path: &str, language| {
        found.of_file(path, language).map(|package| (package.dir.as_str(), package.name.as_deref()))
    };
    assert_eq!(name("web/tool.py", Language::Python), Some((".", Some("py"))));
    assert_eq!(name("web/main.ts", Language::TypeScript), Some(("web", Some("web"))));
    assert_eq!(name("loose.rs", Language::Rust), Some((".", None)));
    assert!(at(&found, Family::Rust, ".").manifest.is_none());
}

#[test]
fn a_part_of_a_repository_finds_manifest_catalog_and_lock_above() {
    let files = [
        (".git/HEAD", "ref"),
        ("pnpm-workspace.yaml", "catalog:\n  fastmcp: ^3.1.0\n"),
        (
            "pnpm-lock.yaml",
            "importers:\n\n  apps/a:\n    dependencies:\n      fastmcp:\n        specifier: 'catalog:'\n        version: 3.1.5\n",
        ),
        ("package.json", "{ \"name\": \"root\" }"),
        ("apps/a/package.json", "{ \"name\": \"a\", \"dependencies\": { \"fastmcp\": \"catalog:\" } }"),
        ("apps/a/src/index.ts", ""),
    ];
    for (argument, manifest) in
        [("apps/a", "package.json"), ("apps/a/src", "../package.json"), ("apps/a/src/index.ts", "package.json")]
    {
        let (_dir, tree) = tree_at(&files, argument);
        let found = Packages::find(&tree);
        let package = at(&found, Family::Js, ".");
        assert_eq!((package.name.as_deref(), package.manifest.as_deref()), (Some("a"), Some(manifest)), "{argument}");
        assert_eq!(package.dependencies[0].requirement.as_deref(), Some("^3.1.0"), "{argument}");
        assert_eq!(package.dependencies[0].resolved.as_deref(), Some("3.1.5"), "{argument}");
    }
}

#[test]
fn a_lock_file_that_contradicts_its_manifest_tells_nothing() {
    let found = packages(&[
        ("pyproject.toml", "[project]\nname = \"root\"\ndependencies = [\"mcp>=1.9.3\"]\n"),
        ("uv.lock", "[[package]]\nname = \"mcp\"\nversion = \"1.6.0\"\n"),
        ("demo/requirements.txt", "mcp==2.0.0b2\n"),
    ]);
    let root = &sdks(at(&found, Family::Python, "."))[0];
    assert_eq!((root.resolved.as_deref(), root.era), (None, Some(Era::Legacy)));
    let demo = &sdks(at(&found, Family::Python, "demo"))[0];
    assert_eq!((demo.resolved.as_deref(), demo.era), (Some("2.0.0b2"), Some(Era::Modern)));
}
