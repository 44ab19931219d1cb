//! Writing: what is refused, what is kept, and what an interrupted run leaves.

use std::fs;
use std::path::{Path, PathBuf};

use mcp_migrate::edit::{Change, Recovery, Stop, recover, write};

use super::support::{folder, put, read};

const JOURNAL: &str = ".mcp-migrate-journal";

fn change(path: &str, before: Option<&str>, after: &str) -> Change {
    Change { path: path.to_owned(), before: before.map(Into::into), after: after.into() }
}

/// All files below a folder, sorted.
fn names(root: &Path) -> Vec<String> {
    let mut out = Vec::new();
    let mut open: Vec<PathBuf> = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).expect("folder").flatten() {
            let path = entry.path();
            match path.is_dir() && !path.is_symlink() {
                true => open.push(path),
                false => out.push(path.strip_prefix(root).expect("below").to_string_lossy().into_owned()),
            }
        }
    }
    out.sort();
    out
}

#[test]
fn files_are_replaced_and_made_and_nothing_else_is_left() {
    let dir = folder(&[("a.ts", "1"), ("sub/b.ts", "2")]);
    let changes =
        [change("a.ts", Some("1"), "one"), change("sub/b.ts", Some("2"), "two"), change("x/y/n.ts", None, "new")];
    let written = write(dir.path(), &changes).expect("writes");
    assert_eq!(written.files, ["a.ts", "sub/b.ts", "x/y/n.ts"]);
    assert!(written.notes.is_empty());
    assert_eq!(names(dir.path()), ["a.ts", "sub/b.ts", "x/y/n.ts"]);
    assert_eq!(["a.ts", "sub/b.ts", "x/y/n.ts"].map(|path| read(dir.path(), path)), ["one", "two", "new"]);
    assert_eq!(recover(dir.path()), Ok(Recovery::Nothing));
}

#[test]
fn one_file_that_can_not_be_written_keeps_all_others_as_they_are() {
    let dir = folder(&[("a.ts", "1"), ("b.ts", "2"), ("file", "")]);
    let mut permissions = fs::metadata(dir.path().join("b.ts")).expect("file").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(dir.path().join("b.ts"), permissions).expect("set");
    let read_only = [change("a.ts", Some("1"), "one"), change("b.ts", Some("2"), "two")];
    let Err(Stop::Unwritable(files)) = write(dir.path(), &read_only) else { panic!("it is read-only") };
    assert_eq!(files, [("b.ts".to_owned(), "it is read-only".to_owned())]);

    // A file stands where a folder is needed: that shows only when the new file is prepared.
    let no_folder = [change("a.ts", Some("1"), "one"), change("new/n.ts", None, ""), change("file/n.ts", None, "")];
    let stop = write(dir.path(), &no_folder).expect_err("no folder");
    assert!(matches!(&stop, Stop::Unwritable(files) if files[0].0 == "file/n.ts"), "{stop}");
    assert_eq!(names(dir.path()), ["a.ts", "b.ts", "file"]);
    assert!(!dir.path().join("new").exists());
    assert_eq!(read(dir.path(), "a.ts"), "1");
}

#[test]
fn what_changed_in_the_meantime_is_not_overwritten() {
    let dir = folder(&[("a.ts", "1"), ("b.ts", "changed"), ("n.ts", "made by someone")]);
    for other in [change("b.ts", Some("2"), "two"), change("n.ts", None, "new"), change("gone.ts", Some("3"), "three")]
    {
        let path = other.path.clone();
        let stop = write(dir.path(), &[change("a.ts", Some("1"), "one"), other]).expect_err("changed");
        assert_eq!(stop, Stop::Changed(vec![path]));
    }
    assert_eq!(names(dir.path()), ["a.ts", "b.ts", "n.ts"]);
    assert_eq!(read(dir.path(), "a.ts"), "1");
}

#[cfg(unix)]
#[test]
fn permissions_and_links_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = folder(&[("a.ts", "1"), ("real/b.ts", "2"), ("c.ts", "3")]);
    let root = dir.path();
    fs::set_permissions(root.join("a.ts"), fs::Permissions::from_mode(0o751)).expect("set");
    symlink("real/b.ts", root.join("link.ts")).expect("link");
    fs::hard_link(root.join("c.ts"), root.join("also-c.ts")).expect("link");
    let changes =
        [change("a.ts", Some("1"), "one"), change("link.ts", Some("2"), "two"), change("c.ts", Some("3"), "three")];
    let written = write(root, &changes).expect("writes");
    assert_eq!(fs::metadata(root.join("a.ts")).expect("file").permissions().mode() & 0o777, 0o751);
    assert!(root.join("link.ts").is_symlink());
    assert_eq!(read(root, "real/b.ts"), "two");
    assert_eq!((read(root, "c.ts"), read(root, "also-c.ts")), ("three".to_owned(), "3".to_owned()));
    assert_eq!(written.notes.len(), 1);

    let elsewhere = folder(&[("x.ts", "4")]);
    symlink(elsewhere.path().join("x.ts"), root.join("out.ts")).expect("link");
    let stop = write(root, &[change("out.ts", Some("4"), "four")]).expect_err("outside");
    assert_eq!(stop, Stop::OutsideRoot(vec!["out.ts".to_owned()]));
    symlink("real/b.ts", root.join("again.ts")).expect("link");
    let both = [change("again.ts", Some("two"), "x"), change("real/b.ts", Some("two"), "y")];
    assert!(matches!(write(root, &both), Err(Stop::Unwritable(_))));
}

#[test]
fn a_run_that_had_prepared_everything_is_finished() {
    let dir = folder(&[
        ("a.ts", "1"),
        ("b.ts", "someone else"),
        (".mcp-migrate-7-0.tmp", "one"),
        (".mcp-migrate-7-1.tmp", "two"),
        ("sub/.mcp-migrate-7-2.tmp", "new"),
    ]);
    let one = 0xaf63_ac4c_8601_9afc_u64;
    let journal = format!(
        r#"{{"entries":[{{"target":"a.ts","prepared":".mcp-migrate-7-0.tmp","before":{one}}},{{"target":"b.ts","prepared":".mcp-migrate-7-1.tmp","before":1}},{{"target":"sub/n.ts","prepared":"sub/.mcp-migrate-7-2.tmp","before":null}},{{"target":"c.ts","prepared":".mcp-migrate-7-3.tmp","before":1}}],"folders":[]}}"#
    );
    put(dir.path(), JOURNAL, &format!("{journal}\nprepared\n"));
    assert_eq!(write(dir.path(), &[change("a.ts", Some("1"), "x")]), Err(Stop::Interrupted));
    let recovery = recover(dir.path()).expect("recovers");
    let files = vec!["a.ts".to_owned(), "sub/n.ts".to_owned()];
    assert_eq!(recovery, Recovery::Completed { files, left: vec!["b.ts".to_owned()] });
    assert_eq!(names(dir.path()), ["a.ts", "b.ts", "sub/n.ts"]);
    assert_eq!(["a.ts", "b.ts", "sub/n.ts"].map(|path| read(dir.path(), path)), ["one", "someone else", "new"]);
}

#[test]
fn a_run_whose_files_were_taken_back_is_not_finished() {
    let hash = |text: &str| {
        text.bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    };
    let entry = |number: usize, target: &str, before: Option<&str>, after: &str| {
        let before = before.map_or("null".to_owned(), |text| hash(text).to_string());
        format!(
            r#"{{"target":"{target}","prepared":".mcp-migrate-7-{number}.tmp","before":{before},"after":{}}}"#,
            hash(after)
        )
    };
    let entries = [
        entry(0, "a.ts", Some("1"), "one"),
        entry(1, "made.ts", None, "made"),
        entry(2, "mine.ts", None, "made as well"),
        entry(3, "still.ts", Some("4"), "four"),
        entry(4, "b.ts", Some("2"), "two"),
    ];
    // The first four were in their places already; then somebody took `a.ts` back and wrote `mine.ts` anew.
    let dir = folder(&[
        ("a.ts", "1"),
        ("made.ts", "made"),
        ("mine.ts", "mine"),
        ("still.ts", "four"),
        ("b.ts", "2"),
        (".mcp-migrate-7-4.tmp", "two"),
        (JOURNAL, &format!("{{\"entries\":[{}],\"folders\":[]}}\nprepared\n", entries.join(","))),
    ]);
    assert_eq!(recover(dir.path()), Ok(Recovery::TakenBack { still: vec!["still.ts".to_owned()] }));
    assert_eq!(names(dir.path()), ["a.ts", "b.ts", "mine.ts", "still.ts"]);
    assert_eq!(["a.ts", "b.ts", "mine.ts", "still.ts"].map(|path| read(dir.path(), path)), ["1", "2", "mine", "four"]);
}

#[test]
fn a_run_that_had_not_prepared_everything_is_thrown_away() {
    let journal =
        r#"{"entries":[{"target":"new/n.ts","prepared":"new/.mcp-migrate-7-0.tmp","before":null}],"folders":["new"]}"#;
    for text in [format!("{journal}\n"), format!("{journal}\nprep")] {
        let dir = folder(&[("a.ts", "1"), ("new/.mcp-migrate-7-0.tmp", "half"), (JOURNAL, &text)]);
        assert_eq!(recover(dir.path()), Ok(Recovery::Discarded));
        assert_eq!(names(dir.path()), ["a.ts"]);
        assert!(!dir.path().join("new").exists());
    }
    for torn in ["", "{\"entries\":[{\"tar"] {
        let dir = folder(&[("a.ts", "1"), (JOURNAL, torn)]);
        assert_eq!(recover(dir.path()), Ok(Recovery::Discarded));
        assert_eq!(names(dir.path()), ["a.ts"]);
    }
}

#[test]
fn a_journal_that_came_with_the_repository_leads_nowhere_else() {
    let outside = folder(&[("x", "1")]);
    let absolute = outside.path().join("x").to_string_lossy().into_owned();
    for (target, prepared) in [
        ("../x", "../.mcp-migrate-1-0.tmp"),
        (absolute.as_str(), ".mcp-migrate-1-0.tmp"),
        ("a.ts", "secret"),
        ("a.ts", "sub/.mcp-migrate-1-0.tmp"),
        (".", ".mcp-migrate-1-0.tmp"),
    ] {
        let entry = serde_json::json!({"target": target, "prepared": prepared, "before": null});
        let text = format!("{}\nprepared\n", serde_json::json!({"entries": [entry], "folders": []}));
        let dir = folder(&[("secret", "s"), (".mcp-migrate-1-0.tmp", "t"), ("sub/.mcp-migrate-1-0.tmp", "t")]);
        put(dir.path(), JOURNAL, &text);
        assert!(matches!(recover(dir.path()), Err(Stop::Failed { .. })), "{target} {prepared}");
        assert!(dir.path().join("secret").exists() && !dir.path().join("a.ts").exists());
    }
    assert_eq!(read(outside.path(), "x"), "1");
}

#[test]
fn two_runs_do_not_write_at_once() {
    let dir = folder(&[("a.ts", "1"), (JOURNAL, "")]);
    let held = fs::File::open(dir.path().join(JOURNAL)).expect("file");
    held.lock().expect("locks");
    assert_eq!(write(dir.path(), &[change("a.ts", Some("1"), "x")]), Err(Stop::Busy));
    assert_eq!(recover(dir.path()), Err(Stop::Busy));
    // Closing the file is not enough: a program that another test is starting may still have it open for a moment.
    held.unlock().expect("unlocks");
    assert_eq!(recover(dir.path()), Ok(Recovery::Discarded));
}
