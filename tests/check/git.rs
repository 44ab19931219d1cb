//! Repositories as they are: odd names, worktrees, submodules, detached heads, line ends; and how often git is run.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use super::support::{CLEAN, MAPPED, NOTES, Repository};

const STATE: &str = "session-keyed-state";

fn at(path: &str, line: u32) -> (i32, Vec<String>) {
    (1, vec![format!("{path}:{line} {STATE}")])
}

fn none() -> (i32, Vec<String>) {
    (0, Vec::new())
}

/// A repository with state by session in a file of its own, of which nothing counts.
fn with_notes(path: &str) -> Repository {
    let repository = Repository::of(CLEAN);
    repository.write(path, NOTES);
    repository.commit("Notes are there already");
    assert_eq!(repository.findings(&["--diff-base", "HEAD"]), none());
    repository
}

/// Changes the line that the state is declared on.
fn touch(repository: &Repository, path: &str) {
    repository.edit(path, "new Map<string, string[]>()", "new Map<string, Array<string>>()");
}

#[test]
fn names_are_names_whatever_they_look_like() {
    for name in [
        "src/a b.ts",
        "src/ä.ts",
        "src/:(exclude)x.ts",
        "src/[ab]*.ts",
        "src/\"q\".ts",
        "src/-x.ts",
        ":!x.ts",
        "-x.ts",
        "src/a\tb.ts",
        "src/日本/ノート.ts",
    ] {
        let repository = with_notes(name);
        let shown = at(name, 4);
        touch(&repository, name);
        assert_eq!(repository.findings(&["--diff-base", "HEAD"]), shown, "changed");
        repository.git(&["add", "-A"]);
        assert_eq!(repository.findings(&["--staged"]), shown, "staged");
        repository.git(&["reset", "-q", "--hard"]);
        repository.git(&["rm", "-q", "--cached", "--", &format!("./{name}")]);
        repository.git(&["commit", "-q", "-m", "Not tracked any more"]);
        assert_eq!(repository.findings(&["--diff-base", "HEAD"]), shown, "not tracked");
        assert_eq!(repository.findings(&["--staged"]), none(), "not tracked");
        repository.write(".git/info/exclude", "*.ts\n");
        // What git ignores is no news, where a scan looks at it all the same.
        let named = format!("./{name}");
        assert_eq!(repository.findings(&["--diff-base", "HEAD", "--", &named]), none(), "ignored");
    }
}

#[test]
fn settings_of_git_change_nothing() {
    let repository = with_notes("src/notes.ts");
    for (name, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.relative", "true"),
        ("diff.renames", "false"),
        ("diff.external", "false"),
        ("diff.context", "9"),
        ("color.ui", "always"),
        ("core.quotePath", "false"),
    ] {
        repository.git(&["config", name, value]);
    }
    repository.git(&["mv", "src/notes.ts", "src/kept.ts"]);
    assert_eq!(repository.findings(&["--diff-base", "HEAD"]), none());
    touch(&repository, "src/kept.ts");
    assert_eq!(repository.findings(&["--diff-base", "HEAD"]), at("src/kept.ts", 4));
    assert_eq!(repository.findings(&["--diff-base", "HEAD", "src"]), at("kept.ts", 4));
}

#[test]
fn carriage_returns_and_a_mark_at_the_start() {
    let repository = Repository::of(CLEAN);
    repository.write("src/notes.ts", &format!("\u{feff}{}", NOTES.replace('\n', "\r\n")));
    repository.commit("Notes");
    touch(&repository, "src/notes.ts");
    assert_eq!(repository.findings(&["--diff-base", "HEAD"]), at("src/notes.ts", 4));
    // A file whose line ends alone are other ones is a changed file.
    repository.git(&["reset", "-q", "--hard"]);
    repository.write("src/notes.ts", NOTES);
    assert_eq!(repository.findings(&["--diff-base", "HEAD"]), at("src/notes.ts", 4));
}

#[test]
fn worktrees_subfolders_and_detached_heads() {
    let repository = Repository::of(CLEAN);
    repository.branch("notes");
    repository.write("src/notes.ts", NOTES);
    repository.commit("Notes");
    repository.git(&["checkout", "-q", "--detach"]);
    let tree = Repository::empty();
    let path = tree.path().join("tree");
    repository.git(&["worktree", "add", "-q", "--detach", path.to_str().expect("UTF-8"), "notes"]);
    assert_eq!(repository.findings(&["--diff-base", "main"]), at("src/notes.ts", 4));
    assert_eq!(tree.findings(&["--diff-base", "main", "tree"]), at("src/notes.ts", 4));
    assert_eq!(tree.findings(&["--diff-base", "main", "tree/src"]), at("notes.ts", 4));
    // The tag of a commit is as good as a branch; a tag with words, too.
    repository.git(&["tag", "-a", "v1", "-m", "first", "main"]);
    assert_eq!(repository.findings(&["--diff-base", "v1"]), at("src/notes.ts", 4));
    assert_eq!(repository.findings(&["--diff-base", "main@{0}"]), at("src/notes.ts", 4));
    for odd in ["main..notes", "^main", "main:src", "", "no such"] {
        let run = repository.run(&["scan", &format!("--diff-base={odd}")]);
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{odd}: {run:?}");
    }
}

#[test]
fn what_is_in_a_submodule_is_not_this_repositorys() {
    let part = Repository::of(MAPPED);
    let repository = Repository::of(CLEAN);
    let source = part.path().display().to_string();
    repository.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &source, "part"]);
    repository.commit("A part");
    repository.write("part/src/notes.ts", NOTES);
    repository.write("src/notes.ts", NOTES);
    let (code, found) = repository.findings(&["--diff-base", "HEAD"]);
    assert_eq!(code, 1);
    assert!(found.contains(&format!("src/notes.ts:4 {STATE}")), "{found:?}");
    assert!(!found.iter().any(|finding| finding.starts_with("part/")), "{found:?}");
    assert_eq!(repository.findings(&["--diff-base", "HEAD", "part"]), at("src/notes.ts", 4), "asked for by itself");
}

#[test]
fn several_merge_bases_are_as_good_as_one() {
    let repository = Repository::of(CLEAN);
    repository.branch("notes");
    repository.write("src/notes.ts", NOTES);
    repository.commit("Notes");
    repository.git(&["checkout", "-q", "main"]);
    repository.write("a.txt", "1");
    repository.commit("one");
    // Each is merged into the other.
    let (main, notes) = (repository.git(&["rev-parse", "main"]), repository.git(&["rev-parse", "notes"]));
    repository.git(&["merge", "-q", "--no-edit", notes.trim()]);
    repository.git(&["checkout", "-q", "notes"]);
    repository.git(&["merge", "-q", "--no-edit", main.trim()]);
    repository.write("src/more.ts", &NOTES.replace("notes", "more"));
    repository.commit("More");
    let (code, found) = repository.findings(&["--diff-base", "main"]);
    assert_eq!(code, 1);
    assert!(found.contains(&format!("src/more.ts:4 {STATE}")), "{found:?}");
}

#[test]
fn more_files_than_fit_a_command_line() {
    let repository = Repository::of(CLEAN);
    let path = |index: u32| format!("src/a-folder-with-quite-a-long-name/notes-{index}.ts");
    for index in 0..300 {
        repository.write(&path(index), &NOTES.replace("notes", &format!("notes{index}")));
    }
    repository.commit("Many");
    assert_eq!(repository.findings(&["--diff-base", "HEAD"]), none());
    touch(&repository, &path(7));
    repository.write("src/new.ts", NOTES);
    let expected = (1, vec![format!("{}:4 {STATE}", path(7)), format!("src/new.ts:4 {STATE}")]);
    assert_eq!(repository.findings(&["--diff-base", "HEAD"]), expected);
}

/// How often git is run for a check: each time costs as much as scanning hundreds of files.
#[test]
fn git_is_run_three_times_at_most() {
    let repository = with_notes("src/notes.ts");
    let tools = Repository::empty();
    let git = std::env::split_paths(&std::env::var_os("PATH").expect("a path"))
        .map(|folder| folder.join("git"))
        .find(|path| path.is_file())
        .expect("git: install it");
    let count = tools.path().join("count");
    let script = format!("#!/bin/sh\necho \"$*\" >> '{}'\nexec '{}' \"$@\"\n", count.display(), git.display());
    tools.write("git", &script);
    fs::set_permissions(tools.path().join("git"), fs::Permissions::from_mode(0o755)).expect("a mode");
    let runs = |arguments: &[&str]| {
        let _ = fs::remove_file(&count);
        let run = repository.run_with(&[&["scan"], arguments].concat(), |command| {
            command.env("PATH", tools.path());
        });
        assert!(run.code < 2, "{run:?}");
        fs::read_to_string(&count).unwrap_or_default().lines().count()
    };
    assert_eq!(runs(&[]), 0);
    assert_eq!(runs(&["--diff-base", "main"]), 3);
    assert_eq!(runs(&["--staged"]), 2);
    touch(&repository, "src/notes.ts");
    assert_eq!(runs(&["--diff-base", "main", "src/notes.ts"]), 3);
    repository.git(&["add", "-A"]);
    assert_eq!(runs(&["--staged"]), 3);
}
