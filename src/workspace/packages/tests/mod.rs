mod javascript;
mod others;

use std::fs;

use super::*;
use crate::workspace::skipped::SkipReason;
use crate::workspace::walk::{Tree, WalkOptions, walk};

/// A folder with these files, walked from `argument`.
pub(super) fn tree_at(files: &[(&str, &str)], argument: &str) -> (tempfile::TempDir, Tree) {
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

pub(super) fn packages(files: &[(&str, &str)]) -> Packages {
    let (_dir, tree) = tree_at(files, ".");
    Packages::find(&tree)
}

/// `name requirement resolved line dev` of each dependency, `-` for none.
pub(super) fn shown(package: &Package) -> Vec<String> {
    let or_dash = |text: &Option<String>| text.clone().unwrap_or_else(|| "-".to_owned());
    let show = |d: &Dependency| {
        let alias = d.alias.as_ref().map(|alias| format!(" as {alias}")).unwrap_or_default();
        let dev = if d.dev { " dev" } else { "" };
        format!("{}{alias} {} {} {}{dev}", d.name, or_dash(&d.requirement), or_dash(&d.resolved), d.line)
    };
    package.dependencies.iter().map(show).collect()
}

pub(super) fn at<'a>(packages: &'a Packages, family: Family, dir: &str) -> &'a Package {
    packages.at(family, dir).unwrap_or_else(|| panic!("a package in {dir}"))
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
