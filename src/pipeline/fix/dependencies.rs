//! Packages that nothing imports any more: what a change took away used them last. They are told, never removed: lock files and build
//! tools have a say in them.

use std::collections::BTreeSet;
use std::path::Path;

use super::aside;
use super::unread::is_source;
use crate::edit::Change;
use crate::workspace::paths;

/// What is to be told of the dependencies of the server in `folder`, after some changes.
pub fn note(root: &Path, folder: &str, changes: &[Change]) -> Option<String> {
    let ours = |change: &&Change| is_source(&change.path) && paths::is_within(&change.path, folder);
    let mut lost: BTreeSet<String> = BTreeSet::new();
    for change in changes.iter().filter(ours) {
        let after = packages(&change.after);
        let before = change.before.as_deref().map(packages).unwrap_or_default();
        lost.extend(before.into_iter().filter(|name| !after.contains(name)));
    }
    if lost.is_empty() {
        return None;
    }
    let mut manifest = None;
    aside::files(root, folder, &|path| is_source(path) || is_manifest(path), &mut |path, text| {
        if paths::file_name(path) == "package.json" {
            manifest = manifest.take().or((paths::parent(path) == folder).then(|| (path.to_owned(), text)));
        } else if !changes.iter().any(|change| change.path == path) {
            lost.retain(|name| !mentions(&text, name));
        }
    });
    for change in changes.iter().filter(ours) {
        lost.retain(|name| !mentions(&change.after, name));
    }
    let (path, manifest) = manifest?;
    let told: Vec<String> =
        lost.iter().filter(|name| declared_alone(&manifest, name)).map(|name| quoted(name)).collect();
    let types: Vec<String> =
        lost.iter().map(|name| types_of(name)).filter(|name| manifest.contains(&format!("\"{name}\""))).collect();
    let types = if told.is_empty() { Vec::new() } else { types };
    let all: Vec<String> = told.into_iter().chain(types.iter().map(|name| quoted(name))).collect();
    (!all.is_empty()).then(|| format!("Nothing imports {} any more; take it out of {path}.", all.join(" or ")))
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}

/// The package with the types of another.
fn types_of(name: &str) -> String {
    format!("@types/{}", name.trim_start_matches('@').replace('/', "__"))
}

/// The packages that a source imports, as far as its quoted texts behind `from`, `import` and `require` tell.
fn packages(text: &str) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for (at, quote) in text.match_indices(['"', '\'']) {
        let before = text[..at].trim_end_matches([' ', '(']);
        let leads = ["from", "import", "require"].iter().any(|word| before.ends_with(word));
        let inner = &text[at + 1..];
        let Some(end) = inner.find(quote).filter(|_| leads) else { continue };
        let parts = if inner.starts_with('@') { 2 } else { 1 };
        let name: Vec<&str> = inner[..end].split('/').take(parts).collect();
        let named = !name[0].is_empty() && !name[0].starts_with('.') && !inner[..end].contains([':', ' ', '\n']);
        out.extend(named.then(|| name.join("/")));
    }
    out
}

/// Whether a text names a package as a quoted text, or a part of one.
fn mentions(text: &str, name: &str) -> bool {
    ['"', '\'', '`']
        .iter()
        .any(|quote| text.contains(&format!("{quote}{name}{quote}")) || text.contains(&format!("{quote}{name}/")))
}

/// Whether a manifest lists a package among its dependencies and names it nowhere else: a script may run it.
fn declared_alone(manifest: &str, name: &str) -> bool {
    let word = |char: char| char.is_alphanumeric() || matches!(char, '@' | '/' | '-' | '_' | '.');
    let named = manifest.match_indices(name).filter(|(at, _)| {
        let behind = &manifest[at + name.len()..];
        !manifest[..*at].ends_with(word) && !behind.starts_with(word)
    });
    manifest.contains(&format!("\"{name}\":")) && named.count() == 1
}

fn is_manifest(path: &str) -> bool {
    paths::file_name(path) == "package.json"
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use super::*;

    const BEFORE: &str = "import { v4 } from 'uuid';\nimport express from 'express';\nserve(express(), v4);\n";
    const AFTER: &str = "import express from 'express';\nserve(express());\n";

    fn told(manifest: &str, other: &str) -> Option<String> {
        let root = tempfile::tempdir().expect("a folder");
        fs::write(root.path().join("package.json"), manifest).expect("a file");
        fs::write(root.path().join("other.ts"), other).expect("a file");
        let change = Change { path: "a.ts".to_owned(), before: Some(Arc::from(BEFORE)), after: Arc::from(AFTER) };
        note(root.path(), ".", &[change])
    }

    #[test]
    fn a_dependency_without_an_import_is_told_with_its_types() {
        let manifest =
            r#"{ "dependencies": { "express": "5", "uuid": "9" }, "devDependencies": { "@types/uuid": "9" } }"#;
        let wanted = "Nothing imports `uuid` or `@types/uuid` any more; take it out of package.json.";
        assert_eq!(told(manifest, "").as_deref(), Some(wanted));
    }

    #[test]
    fn what_something_else_uses_or_no_manifest_lists_is_not_told() {
        let manifest = r#"{ "dependencies": { "uuid": "9" } }"#;
        assert_eq!(told(manifest, "const { v4 } = require(\"uuid\");"), None);
        assert_eq!(told(manifest, "vi.mock('uuid/v4');"), None);
        assert_eq!(told(r#"{ "scripts": { "id": "uuid" }, "dependencies": { "uuid": "9" } }"#, ""), None);
        assert_eq!(told("{}", ""), None);
    }
}
