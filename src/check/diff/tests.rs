use super::*;
use proptest::prelude::*;

fn one(text: &str) -> FileDiff {
    let mut files = parse(text.as_bytes()).expect("a diff");
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

fn names(file: &FileDiff) -> (Option<&str>, Option<&str>) {
    (file.old.as_deref(), file.new.as_deref())
}

fn added(file: &FileDiff) -> Vec<(u32, u32)> {
    file.hunks.iter().map(|hunk| (hunk.new.start, hunk.new.count)).collect()
}

#[test]
fn context_is_not_changed() {
    let file = one("diff --git a/src/a.ts b/src/a.ts\nindex 1..2 100644\n--- a/src/a.ts\n+++ b/src/a.ts\n\
         @@ -1,4 +1,5 @@ function x() {\n one\n-two\n+TWO\n+2\n three\n four\n@@ -9 +10,0 @@\n-gone\n");
    assert_eq!(names(&file), (Some("src/a.ts"), Some("src/a.ts")));
    assert_eq!(added(&file), [(2, 2), (11, 0)]);
    assert_eq!(file.hunks[0].removed, ["two"]);
}

#[test]
fn new_deleted_renamed_copied_and_binary_files() {
    let text = "diff --git a/n.ts b/n.ts\nnew file mode 100644\nindex 0..1\n--- /dev/null\n+++ b/n.ts\n@@ -0,0 +1,2 @@\n+a\n+b\n\
         diff --git a/d.ts b/d.ts\ndeleted file mode 100644\n--- a/d.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\
         diff --git a/e.ts b/e.ts\nnew file mode 100644\nindex 0..0\n\
         diff --git a/old name.ts b/new.ts\nsimilarity index 90%\nrename from old name.ts\nrename to new.ts\n\
         --- a/old name.ts\t\n+++ b/new.ts\n@@ -3 +3 @@\n-x\n+y\n\
         diff --git a/a/x.ts b/b/x.ts\nsimilarity index 100%\nrename from a/x.ts\nrename to b/x.ts\n\
         diff --git a/x.ts b/y.ts\ncopy from x.ts\ncopy to y.ts\n\
         diff --git a/p.png b/p.png\nindex 1..2 100644\nBinary files a/p.png and b/p.png differ\n\
         diff --git a/mode.ts b/mode.ts\nold mode 100644\nnew mode 100755\n";
    let files = parse(text.as_bytes()).expect("a diff");
    let all: Vec<_> = files.iter().map(names).collect();
    assert_eq!(
        all,
        [
            (None, Some("n.ts")),
            (Some("d.ts"), None),
            (None, Some("e.ts")),
            (Some("old name.ts"), Some("new.ts")),
            (Some("a/x.ts"), Some("b/x.ts")),
            (None, Some("y.ts")),
            (Some("p.png"), Some("p.png")),
            (Some("mode.ts"), Some("mode.ts")),
        ]
    );
    assert_eq!(added(&files[3]), [(3, 1)]);
    assert!(files[4].hunks.is_empty() && files[6].binary && !files[3].binary);
}

#[test]
fn a_binary_patch_is_skipped() {
    let files = parse(
        b"diff --git a/p b/p\nGIT binary patch\nliteral 3\nKcmZ-+++ ignored\n\nliteral 0\nHcmV?d00001\n\n\
          diff --git a/q.ts b/q.ts\n--- a/q.ts\n+++ b/q.ts\n@@ -1 +1 @@\n-a\n+b\n",
    )
    .expect("a diff");
    assert!(files[0].binary);
    assert_eq!(added(&files[1]), [(1, 1)]);
}

#[test]
fn lines_that_look_like_heads_are_lines() {
    let file =
        one("--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- a comment\n-@@ -1 +1 @@\n+++ more\n+diff --git a/y b/y\n");
    assert_eq!((added(&file), file.hunks[0].old.count), (vec![(1, 2)], 2));
}

#[test]
fn plain_diffs_and_no_prefixes() {
    let files = parse(
        b"Only in new: z\n--- old/a.ts\t2026-01-01 00:00:00\n+++ new/a.ts\t2026-01-02 00:00:00\n@@ -1 +1 @@\n-a\n+b\n\
          --- src/b.ts\n+++ src/b.ts\n@@ -0,0 +1 @@\n+b\n",
    )
    .expect("a diff");
    assert_eq!(names(&files[0]), (Some("old/a.ts"), Some("new/a.ts")));
    assert_eq!(names(&files[1]), (Some("src/b.ts"), Some("src/b.ts")));
    assert!(!files[0].stripped && !files[1].stripped);
}

#[test]
fn quoted_names() {
    let file = one(
        "diff --git \"a/\\303\\244 \\\"x\\\".ts\" \"b/\\303\\244 \\\"x\\\".ts\"\n--- \"a/\\303\\244 \\\"x\\\".ts\"\n\
         +++ \"b/\\303\\244 \\\"x\\\".ts\"\n@@ -1 +1 @@\n-a\n+b\n",
    );
    assert_eq!(file.new.as_deref(), Some("ä \"x\".ts"));
}

#[test]
fn carriage_returns() {
    let file = one("diff --git a/x.ts b/x.ts\r\n--- a/x.ts\r\n+++ b/x.ts\r\n@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+c\r\n");
    assert_eq!(names(&file), (Some("x.ts"), Some("x.ts")));
    assert_eq!(added(&file), [(2, 1)]);
    assert_eq!(file.undo("a\r\nc\r\n").as_deref(), Some("a\r\nb\r\n"));
}

#[test]
fn what_is_no_diff_says_so() {
    assert_eq!(parse(b"  \n").expect("blank"), []);
    let message = |text: &str| parse(text.as_bytes()).expect_err("no diff").to_string();
    assert_eq!(message("hello\n"), "line 1: this is no unified diff");
    assert!(message("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n").contains("middle of a hunk"));
    assert!(message("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a").contains("middle of a hunk"));
    assert!(message("--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n?\n").contains("fewer lines"));
    assert!(message("diff --git a/x b/x\n@@ -x +y @@\n").contains("head of a hunk"));
    assert!(message("diff --cc x\n").contains("merge base"));
}

/// The diff of two texts, as `git diff -U0` writes it: one hunk for what differs in the middle.
fn diff_of(old: &str, new: &str) -> String {
    let split = |text: &str| -> Vec<String> { text.split_inclusive('\n').map(str::to_owned).collect() };
    let (a, b) = (split(old), split(new));
    let head = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[head..a.len() - tail], &b[head..b.len() - tail]);
    if a.is_empty() && b.is_empty() {
        return String::new();
    }
    let start = |lines: &[String]| if lines.is_empty() { head } else { head + 1 };
    let mut out = format!("--- a/x\n+++ b/x\n@@ -{},{} +{},{} @@\n", start(a), a.len(), start(b), b.len());
    for (sign, lines) in [('-', a), ('+', b)] {
        for line in lines {
            out.push(sign);
            out.push_str(line);
            if !line.ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = parse(&bytes);
    }

    #[test]
    fn text_that_looks_like_a_diff_never_panics(
        lines in prop::collection::vec(
            prop_oneof![
                Just("diff --git a/x b/x".to_owned()), Just("--- a/x".to_owned()), Just("+++ b/x".to_owned()),
                Just("rename to \"\\3".to_owned()), Just("Binary files a and b differ".to_owned()), Just("\\ No".to_owned()),
                "@@ -[0-9]{1,11}(,[0-9]{1,11})? \\+[0-9]{1,11}(,[0-9]{1,11})? @@", "[-+ \"\\\\@ä]{0,6}", "\\PC{0,12}",
            ],
            0..30,
        ),
        now in "(a|b|\n|\r){0,12}",
    ) {
        if let Ok(files) = parse(lines.join("\n").as_bytes()) {
            for file in files {
                let _ = file.undo(&now);
            }
        }
    }

    #[test]
    fn undoing_gives_the_old_text(old in "([ab]|\n|\r\n){0,12}", new in "([ab]|\n|\r\n){0,12}") {
        let files = parse(diff_of(&old, &new).as_bytes()).expect("a diff");
        match files.first() {
            Some(file) => prop_assert_eq!(file.undo(&new), Some(old)),
            None => prop_assert_eq!(old, new),
        }
    }
}
