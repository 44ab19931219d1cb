//! A finding has one fingerprint, wherever the scan of it starts.

use std::path::Path;

use serde_json::Value;

use super::support::{CLEAN, MAPPED, NOTES, Repository};

/// The fingerprints that a scan gives, sorted.
fn fingerprints(repository: &Repository, folder: &str, path: &str) -> Vec<String> {
    let run = repository.run_with(&["scan", "--format", "json", path], |command| {
        command.current_dir(repository.path().join(folder));
    });
    let document: Value = serde_json::from_str(&run.stdout).unwrap_or_else(|_| panic!("no JSON: {run:?}"));
    let findings = document["findings"].as_array().expect("a list").iter();
    let mut out: Vec<String> = findings.map(|f| f["fingerprint"].as_str().expect("a text").to_owned()).collect();
    assert!(!out.is_empty(), "{run:?}");
    out.sort();
    out
}

/// An example in a folder of a repository.
fn nested(example: &str, folder: &str) -> Repository {
    let repository = Repository::empty();
    let from = Repository::bare(example);
    let target = repository.path().join(folder);
    std::fs::create_dir_all(target.parent().expect("a folder")).expect("folders");
    std::fs::rename(from.path(), &target).expect("a move");
    repository.write(&format!("{folder}/src/notes.ts"), NOTES);
    let stale = "// mcp-migrate-allow: session-guard -- an old reason\nexport const a = 1;\n";
    repository.write(&format!("{folder}/src/stale.ts"), stale);
    repository
}

fn agree(repository: &Repository, folder: &str) -> Vec<String> {
    let from_top = fingerprints(repository, ".", ".");
    let deep = format!("{folder}/src");
    for (from, path) in [(".", folder), (folder, "."), (folder, "src"), (deep.as_str(), "..")] {
        assert_eq!(fingerprints(repository, from, path), from_top, "{from} {path}");
    }
    from_top
}

#[test]
fn in_a_repository_paths_count_from_its_top() {
    let repository = nested(MAPPED, "packages/cart");
    repository.git(&["init", "-q", "-b", "main"]);
    repository.commit("base");
    let here = agree(&repository, "packages/cart");
    // In a worktree, too: there `.git` is a file.
    let tree = Repository::empty();
    let path = tree.path().join("tree");
    repository.git(&["worktree", "add", "-q", path.to_str().expect("UTF-8"), "-b", "other"]);
    assert_eq!(fingerprints(&tree, "tree/packages", "cart"), here);
    // A file of another name is another file.
    repository.git(&["mv", "packages/cart", "packages/basket"]);
    let moved = agree(&repository, "packages/basket");
    assert!(moved.iter().all(|fingerprint| !here.contains(fingerprint)));
}

#[test]
fn without_a_repository_they_count_from_the_settings_or_the_root() {
    let repository = nested(CLEAN, "packages/cart");
    let root = fingerprints(&repository, ".", ".");
    assert_ne!(fingerprints(&repository, ".", "packages/cart"), root);
    repository.write("mcp-migrate.toml", "");
    assert_eq!(agree(&repository, "packages/cart"), root);
}

#[test]
fn a_submodule_names_its_files_for_itself() {
    let part = Repository::of(MAPPED);
    let repository = Repository::of(CLEAN);
    let source = part.path().display().to_string();
    repository.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &source, "part"]);
    assert!(Path::new(&repository.path().join("part/.git")).is_file());
    assert_eq!(fingerprints(&repository, ".", "part"), fingerprints(&repository, "part", "."));
    // Seen from above it is a folder among others, so that two files never share a name.
    let mut whole = fingerprints(&repository, ".", ".");
    whole.dedup();
    assert_eq!(whole.len(), fingerprints(&repository, ".", "part").len());
}

#[test]
fn a_baseline_holds_wherever_the_scan_starts() {
    let repository = nested(MAPPED, "packages/cart");
    repository.git(&["init", "-q", "-b", "main"]);
    repository.commit("base");
    assert_eq!(repository.run(&["scan", "--baseline", "known.json", "--write-baseline"]).code, 0);
    let scan = |folder: &str, arguments: &[&str]| {
        repository.run_with(arguments, |command| {
            command.current_dir(repository.path().join(folder));
        })
    };
    assert_eq!(scan(".", &["scan", "--baseline", "known.json", "packages/cart"]).code, 0);
    assert_eq!(scan("packages/cart", &["scan", "--baseline", "../../known.json", "."]).code, 0);
    assert_eq!(scan("packages/cart", &["scan", "--baseline", "../../known.json", "src"]).code, 0);
}
