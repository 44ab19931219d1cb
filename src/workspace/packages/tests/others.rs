use super::*;
use crate::workspace::sdk::{Era, sdks};

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
