//! The edits that machine formats carry are those that `fix` writes.

use serde_json::Value;

use super::support::{MAPPED, Repository};

const KEYED: &str = "fixtures/gold/typescript/c-session-map/before";

/// The answer of a scan as JSON.
fn scanned(repository: &Repository, format: &str) -> Value {
    let run = repository.run(&["scan", "--format", format]);
    assert_eq!((run.code, run.stderr.as_str()), (1, ""));
    serde_json::from_str(&run.stdout).expect("JSON")
}

fn number(value: &Value) -> usize {
    value.as_u64().expect("a number") as usize
}

/// The byte of a 1-based line and column, which counts what `length` says of a character.
fn offset(text: &str, line: usize, column: usize, length: fn(char) -> usize) -> usize {
    let start = text.split_inclusive('\n').take(line - 1).map(str::len).sum::<usize>();
    let mut left = column - 1;
    let inner = text[start..].char_indices().find(|(_, c)| {
        let here = left == 0;
        left = left.saturating_sub(length(*c));
        here
    });
    inner.map_or(text.len(), |(at, _)| start + at)
}

/// Applies the fix of a SARIF result and writes what comes of it.
fn apply_sarif(repository: &Repository, fix: &Value) {
    for change in fix["artifactChanges"].as_array().expect("changes") {
        let path = change["artifactLocation"]["uri"].as_str().expect("a path");
        let is_there = repository.path().join(path).exists();
        let before = if is_there { repository.read(path) } else { String::new() };
        let mark = if before.starts_with('\u{feff}') { "\u{feff}" } else { "" };
        let mut text = before[mark.len()..].to_owned();
        for replacement in change["replacements"].as_array().expect("replacements").iter().rev() {
            let region = &replacement["deletedRegion"];
            let at = |line: &str, column: &str| {
                offset(&text, number(&region[line]), number(&region[column]), char::len_utf16)
            };
            let range = at("startLine", "startColumn")..at("endLine", "endColumn");
            if is_there {
                assert_eq!(number(&region["byteOffset"]), mark.len() + range.start, "{path}: {region}");
            }
            text.replace_range(range, replacement["insertedContent"]["text"].as_str().expect("a text"));
        }
        repository.write(path, &format!("{mark}{text}"));
    }
}

/// The only fix of a log, whichever results carry it.
fn only_fix(log: &Value) -> Value {
    let results = log["runs"][0]["results"].as_array().expect("results");
    let mut fixes: Vec<&Value> = results.iter().filter_map(|result| result.get("fixes")?.get(0)).collect();
    fixes.dedup();
    assert_eq!(fixes.len(), 1, "{fixes:?}");
    fixes[0].clone()
}

/// A repository and a twin in which `fix` was run.
fn twins(example: &str, change: impl Fn(&Repository), rules: &[&str]) -> (Repository, Repository) {
    let pair = [(); 2].map(|()| {
        let repository = Repository::bare(example);
        change(&repository);
        repository
    });
    let [ours, fixed] = pair;
    let run = fixed.run(&[&["fix", "--allow-dirty"], rules].concat());
    assert!(run.code < 2, "{run:?}");
    (ours, fixed)
}

#[test]
fn a_group_of_one_file() {
    let (ours, fixed) = twins(MAPPED, |_| {}, &[]);
    let log = scanned(&ours, "sarif");
    let diagnostics = scanned(&ours, "rdjson");
    let before = ours.read("src/server.ts");
    apply_sarif(&ours, &only_fix(&log));
    assert_eq!(ours.read("src/server.ts"), fixed.read("src/server.ts"));

    let suggestions: Vec<&Value> = diagnostics["diagnostics"]
        .as_array()
        .expect("diagnostics")
        .iter()
        .flat_map(|diagnostic| diagnostic.get("suggestions").and_then(Value::as_array).into_iter().flatten())
        .collect();
    // Two findings share the group, which can be applied once.
    assert_eq!((suggestions.len(), diagnostics["diagnostics"].as_array().map(Vec::len)), (1, Some(2)));
    let range = &suggestions[0]["range"];
    let at = |end: &str| offset(&before, number(&range[end]["line"]), number(&range[end]["column"]), char::len_utf8);
    let mut text = before.clone();
    text.replace_range(at("start")..at("end"), suggestions[0]["text"].as_str().expect("a text"));
    assert_eq!(text, fixed.read("src/server.ts"));
}

#[test]
fn a_group_of_several_files_is_whole_and_no_suggestion() {
    let (ours, fixed) = twins(KEYED, |_| {}, &["--rule", "session-keyed-state"]);
    let diagnostics = scanned(&ours, "rdjson");
    assert!(!diagnostics.to_string().contains("\"suggestions\""));
    let log = scanned(&ours, "sarif");
    apply_sarif(&ours, &only_fix(&log));
    for path in ["src/server.ts", "src/handles.ts"] {
        assert_eq!(ours.read(path), fixed.read(path), "{path}");
    }
}

#[test]
fn columns_and_bytes_survive_marks_line_ends_and_wide_characters() {
    let change = |repository: &Repository| {
        let text =
            repository.read("src/server.ts").replace("// Live transports", "/* \u{1f600}\u{e9} */ // Live transports");
        let text = text.replace("const transports:", "/* \u{1f600} */ const transports:").replace('\n', "\r\n");
        repository.write("src/server.ts", &format!("\u{feff}{text}"));
    };
    let (ours, fixed) = twins(MAPPED, change, &[]);
    apply_sarif(&ours, &only_fix(&scanned(&ours, "sarif")));
    assert_eq!(ours.read("src/server.ts"), fixed.read("src/server.ts"));
}

#[test]
fn only_what_fix_would_apply_is_offered() {
    let offered = |settings: &str| {
        let repository = Repository::bare(KEYED);
        repository.write("mcp-migrate.toml", settings);
        scanned(&repository, "sarif").to_string().contains("artifactChanges")
    };
    assert!(offered(""));
    assert!(!offered("[fix]\nlevel = 'safe'\n"));
    let repository = Repository::bare(KEYED);
    repository.edit(
        "src/server.ts",
        "const baskets",
        "// mcp-migrate-allow: session-keyed-state -- one client only\nconst baskets",
    );
    assert!(!scanned(&repository, "sarif").to_string().contains("artifactChanges"));
}
