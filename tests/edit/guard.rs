//! The git guard.

use std::path::Path;

use mcp_migrate::edit::{Change, Dirty, Stop, guard};

use super::support::{folder, git_ok, put};

fn changes(paths: &[&str]) -> Vec<Change> {
    let one = |path: &&str| Change { path: (*path).to_owned(), before: Some("".into()), after: "x".into() };
    paths.iter().map(one).collect()
}

fn dirty(root: &Path, paths: &[&str]) -> Vec<(String, &'static str)> {
    match guard(root, &changes(paths)) {
        Ok(()) => Vec::new(),
        Err(Stop::Dirty(files)) => files.into_iter().map(|Dirty { path, state }| (path, state)).collect(),
        Err(other) => panic!("{other}"),
    }
}

fn repository() -> tempfile::TempDir {
    let files = ["clean.ts", "changed.ts", "staged.ts", "sub/[x] \u{e9}.ts", "hidden.ts", "gone.ts"];
    let dir = folder(&files.map(|path| (path, "1\n")));
    put(dir.path(), ".gitignore", "ignored.ts\n");
    git_ok(dir.path(), &["init", "-q"], "");
    git_ok(dir.path(), &["add", "."], "");
    git_ok(dir.path(), &["commit", "-q", "-m", "x"], "");
    dir
}

#[test]
fn only_files_that_would_be_written_count() {
    let dir = repository();
    let root = dir.path();
    for path in ["changed.ts", "staged.ts", "new.ts", "ignored.ts", "hidden.ts"] {
        put(root, path, "2\n");
    }
    git_ok(root, &["add", "staged.ts"], "");
    git_ok(root, &["update-index", "--assume-unchanged", "hidden.ts"], "");
    assert!(dirty(root, &["clean.ts", "sub/[x] \u{e9}.ts"]).is_empty());
    let all = ["clean.ts", "changed.ts", "staged.ts", "new.ts", "ignored.ts", "hidden.ts"];
    let expected = [
        ("changed.ts", "changed"),
        ("hidden.ts", "hidden from git status"),
        ("ignored.ts", "not in the repository"),
        ("new.ts", "not in the repository"),
        ("staged.ts", "staged"),
    ];
    assert_eq!(dirty(root, &all), expected.map(|(path, state)| (path.to_owned(), state)));
    let made = Change { path: "sub/made/by/us.ts".to_owned(), before: None, after: "x".into() };
    assert_eq!(guard(root, &[made]), Ok(()));
}

#[test]
fn names_are_no_patterns_and_paths_are_those_of_the_root() {
    let dir = repository();
    put(dir.path(), "sub/[x] \u{e9}.ts", "2\n");
    put(dir.path(), "sub/x \u{e9}.ts", "2\n");
    let root = dir.path().join("sub");
    assert_eq!(dirty(&root, &["[x] \u{e9}.ts"]), [("[x] \u{e9}.ts".to_owned(), "changed")]);
}

#[test]
fn a_repository_in_the_repository_is_asked_about_its_own_files() {
    let dir = repository();
    put(dir.path(), "inner/a.ts", "1\n");
    let inner = dir.path().join("inner");
    git_ok(&inner, &["init", "-q"], "");
    git_ok(&inner, &["add", "."], "");
    assert_eq!(dirty(dir.path(), &["inner/a.ts", "clean.ts"]), [("inner/a.ts".to_owned(), "staged")]);
    git_ok(&inner, &["commit", "-q", "-m", "x"], "");
    assert!(dirty(dir.path(), &["inner/a.ts", "clean.ts"]).is_empty());
}

#[cfg(unix)]
#[test]
fn a_link_is_as_clean_as_what_it_leads_to() {
    let dir = repository();
    std::os::unix::fs::symlink("changed.ts", dir.path().join("link.ts")).expect("link");
    git_ok(dir.path(), &["add", "link.ts"], "");
    git_ok(dir.path(), &["commit", "-q", "-m", "x"], "");
    assert!(dirty(dir.path(), &["link.ts"]).is_empty());
    put(dir.path(), "changed.ts", "2\n");
    assert_eq!(dirty(dir.path(), &["link.ts"]), [("link.ts".to_owned(), "changed")]);
}

#[test]
fn without_a_repository_nothing_is_written() {
    let dir = folder(&[("a.ts", "1\n")]);
    let stop = guard(dir.path(), &changes(&["a.ts"])).expect_err("no repository");
    assert_eq!(stop, Stop::NoRepository { path: "a.ts".to_owned() });
    assert!(stop.help().contains("--allow-dirty"));
    put(dir.path(), ".git", "nonsense\n");
    assert!(matches!(guard(dir.path(), &changes(&["a.ts"])), Err(Stop::Git { .. })));
}
