use std::fs;
use std::path::{Path, PathBuf};

use super::*;

/// A folder with these files; the text of each is its name.
fn folder(files: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("temp dir");
    for file in files {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().expect("parent")).expect("folders");
        fs::write(path, file).expect("file");
    }
    dir
}

fn options(dir: &Path, paths: &[&str]) -> WalkOptions {
    WalkOptions { paths: paths.iter().map(|path| dir.join(path)).collect(), ..WalkOptions::default() }
}

fn files(tree: &Tree) -> Vec<&str> {
    tree.files.iter().map(|file| file.path.as_str()).collect()
}

fn skipped(tree: &Tree) -> Vec<(&str, &str)> {
    tree.skipped.iter().map(|skipped| (skipped.path.as_str(), skipped.reason.id())).collect()
}

fn walked(dir: &Path, paths: &[&str]) -> Tree {
    walk(&options(dir, paths)).expect("walks")
}

#[test]
fn languages_exclusions_and_counts() {
    let dir = folder(&[
        "a.ts",
        "b.mts",
        "c.jsx",
        "d.py",
        "e.rs",
        "README.md",
        "main.go",
        "x/y.go",
        "Tool.java",
        "types.d.ts",
        "lib.min.js",
        "x_pb2.py",
        "node_modules/p/i.js",
        "dist/i.js",
        "vendor/v.ts",
        ".venv/p.py",
        ".hidden/h.ts",
        "src/build/ok.ts",
        "src/dist/no.ts",
        "examples/e.ts",
        "docs/d.py",
        "target/debug/x.rs",
        "test/t.ts",
        "src/a.test.ts",
        "src/test_a.py",
        "src/__tests__/b.ts",
        "test-servers/s.ts",
    ]);
    let tree = walked(dir.path(), &["."]);
    assert_eq!(
        files(&tree),
        ["a.ts", "b.mts", "c.jsx", "d.py", "docs/d.py", "e.rs", "examples/e.ts", "src/build/ok.ts"]
    );
    assert_eq!(tree.unsupported.iter().map(|(k, v)| (*k, v.0)).collect::<Vec<_>>(), [("go", 2), ("java", 1)]);
    assert_eq!(skipped(&tree), [("lib.min.js", "minified"), ("x_pb2.py", "generated")]);
    assert!(tree.files.iter().all(|file| !file.is_test));
}

#[test]
fn tests_on_request() {
    let dir = folder(&["src/a.ts", "src/a.test.ts", "test/t.ts", "test/node_modules/p.js"]);
    let mut options = options(dir.path(), &["."]);
    options.include_tests = true;
    let tree = walk(&options).expect("walks");
    let marks: Vec<_> = tree.files.iter().map(|file| (file.path.as_str(), file.is_test)).collect();
    assert_eq!(marks, [("src/a.test.ts", true), ("src/a.ts", false), ("test/t.ts", true)]);
}

#[test]
fn names_above_an_argument_do_not_count() {
    let dir = folder(&["tests/fixtures/shop/server.ts", "tests/fixtures/shop/test/t.ts", "dist/app/a.py", "a.test.ts"]);
    assert_eq!(files(&walked(dir.path(), &["tests/fixtures/shop"])), ["server.ts"]);
    assert_eq!(files(&walked(dir.path(), &["dist/app"])), ["a.py"]);
    let tree = walked(dir.path(), &["a.test.ts"]);
    assert_eq!(files(&tree), ["a.test.ts"], "a named file is taken in");
    assert!(tree.files[0].is_test);
}

#[test]
fn exclude_globs() {
    let dir = folder(&["a.ts", "gen/b.ts", "src/gen/c.ts", "src/legacy/d.ts", "src/e.ts"]);
    for (globs, expected) in [
        (&["gen"] as &[&str], vec!["a.ts", "src/e.ts", "src/legacy/d.ts"]),
        (&["src/legacy/**", "./gen/"], vec!["a.ts", "src/e.ts"]),
        (&["**/*.ts"], vec![]),
        (&["e.ts", "src/{gen,legacy}"], vec!["a.ts", "gen/b.ts"]),
    ] {
        let mut options = options(dir.path(), &["."]);
        options.exclude = globs.iter().map(|glob| (*glob).to_owned()).collect();
        assert_eq!(files(&walk(&options).expect("walks")), expected, "{globs:?}");
    }
    let mut bad = options(dir.path(), &["."]);
    bad.exclude = vec!["a{b".to_owned()];
    let error = walk(&bad).expect_err("no glob").to_string();
    assert!(error.contains("`a{b` is not a glob"), "{error}");
}

#[test]
fn gitignore_without_and_with_git() {
    let dir = folder(&["a.ts", "out.ts", "sub/local.ts", "sub/b.ts", "top/.gitignore"]);
    fs::write(dir.path().join(".gitignore"), "out.ts\n").expect("file");
    fs::write(dir.path().join("sub/.gitignore"), "local.ts\n").expect("file");
    assert_eq!(files(&walked(dir.path(), &["."])), ["a.ts", "sub/b.ts"]);
    // Inside a repository the rules above the argument count, up to where it begins.
    fs::write(dir.path().join(".gitignore"), "b.ts\n").expect("file");
    assert_eq!(files(&walked(dir.path(), &["sub"])), ["b.ts"]);
    fs::create_dir(dir.path().join(".git")).expect("dir");
    assert!(files(&walked(dir.path(), &["sub"])).is_empty());
}

#[test]
fn roots() {
    let dir = folder(&["p/package.json", "p/src/deep/a.ts", "p/src/b.ts", "q/c.py", "loose/d.ts"]);
    for (arguments, root, expected) in [
        (&["p"] as &[&str], "p", vec!["src/b.ts", "src/deep/a.ts"]),
        (&["p/src/deep/a.ts"], "p", vec!["src/deep/a.ts"]),
        (&["loose/d.ts"], "loose", vec!["d.ts"]),
        (&["p/src/deep/a.ts", "p/src/b.ts"], "p/src", vec!["b.ts", "deep/a.ts"]),
        (&["p/src", "q"], "", vec!["p/src/b.ts", "p/src/deep/a.ts", "q/c.py"]),
        (&["p", "p/src", "p/src/b.ts"], "p", vec!["src/b.ts", "src/deep/a.ts"]),
    ] {
        let tree = walked(dir.path(), arguments);
        let expected_root = dir.path().canonicalize().expect("root").join(root);
        assert_eq!(tree.root, expected_root.components().collect::<PathBuf>(), "{arguments:?}");
        assert_eq!(files(&tree), expected, "{arguments:?}");
    }
    let tree = walked(dir.path(), &["p/src/deep/a.ts", "p/src/b.ts"]);
    let manifests: Vec<_> = tree.manifests.iter().map(|file| (file.path.as_str(), file.dir(), file.above())).collect();
    assert_eq!(manifests, [("../package.json", ".", 1)]);
}

#[test]
fn what_is_not_there_is_an_error_with_its_name() {
    let dir = folder(&[]);
    assert!(walked(dir.path(), &["."]).files.is_empty(), "an empty folder is no error");
    let error = walk(&options(dir.path(), &["no/such"])).expect_err("missing");
    assert!(matches!(error, WalkError::Missing(_)));
    assert!(error.to_string().contains("no/such"), "{error}");
    assert!(matches!(walk(&WalkOptions::default()), Err(WalkError::NoPaths)));
}

#[test]
fn a_named_file_in_another_language_is_said() {
    let dir = folder(&["main.go", "notes.txt"]);
    let tree = walked(dir.path(), &["main.go", "notes.txt"]);
    assert_eq!(skipped(&tree), [("main.go", "unsupported-language"), ("notes.txt", "unsupported-language")]);
    assert_eq!(tree.unsupported.get("go").map(|seen| seen.0), Some(1));
}

#[cfg(unix)]
#[test]
fn links() {
    use std::os::unix::fs::symlink;
    let dir = folder(&["repo/src/a.ts", "repo/pkg/b.ts", "outside/c.ts", "repo/data.json"]);
    let repo = dir.path().join("repo");
    symlink(&repo, repo.join("src/up")).expect("link");
    symlink("loop2", repo.join("loop1")).expect("link");
    symlink("loop1", repo.join("loop2")).expect("link");
    symlink(dir.path().join("outside"), repo.join("out")).expect("link");
    symlink(dir.path().join("outside"), repo.join("escape")).expect("link");
    symlink(dir.path().join("outside/c.ts"), repo.join("c.ts")).expect("link");
    symlink(repo.join("pkg"), repo.join("inside")).expect("link");
    symlink(repo.join("gone.ts"), repo.join("dangling.ts")).expect("link");
    symlink(repo.join("gone.txt"), repo.join("dangling.txt")).expect("link");
    let tree = walked(dir.path(), &["repo"]);
    assert_eq!(files(&tree), ["pkg/b.ts", "src/a.ts"]);
    assert_eq!(
        skipped(&tree),
        [
            ("c.ts", "outside-root"),
            ("dangling.ts", "unreadable"),
            ("escape", "outside-root"),
            ("loop1", "link-cycle"),
            ("loop2", "link-cycle"),
            ("src/up", "link-cycle"),
        ],
        "`out` is left out for its name, links to what is walked anyway say nothing"
    );
}

#[cfg(unix)]
#[test]
fn unreadable_folders_are_reported() {
    use std::os::unix::fs::PermissionsExt;
    let dir = folder(&["a.ts", "locked/b.ts"]);
    let locked = dir.path().join("locked");
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o000)).expect("chmod");
    // The superuser reads everything: nothing to see then.
    let enforced = fs::read_dir(&locked).is_err();
    let tree = walked(dir.path(), &["."]);
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).expect("chmod");
    if enforced {
        assert_eq!(files(&tree), ["a.ts"]);
        assert_eq!(skipped(&tree), [("locked", "unreadable")]);
    } else {
        assert_eq!(files(&tree), ["a.ts", "locked/b.ts"]);
    }
}
