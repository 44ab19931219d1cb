//! Files beside the code that a step changes, documents and tests above all: nothing of ours changes them, and what they say may not be
//! so any more.

use std::fs;
use std::path::Path;

/// How many lines of a file are named.
const MOST_LINES: usize = 8;
/// How many files are named.
const MOST_FILES: usize = 12;
/// How many entries of folders are looked at.
const MOST_ENTRIES: usize = 4_000;
/// How many folders one within the other are looked into.
const MOST_DEPTH: usize = 6;
/// How large a file may be.
const MOST_BYTES: u64 = 1 << 20;
/// Folders with a hidden name in which there are instructions for agents.
const SHOWN: &[&str] = &[".github", ".cursor", ".claude"];

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Read by people, or by agents that work on the code.
    Document,
    /// It tries the code out.
    Test,
}

/// Hands over each document and each test of the server in `folder`, with its text.
pub fn each(root: &Path, folder: &str, visit: &mut dyn FnMut(Kind, &str, &str)) {
    let mut found = |path: &str, text: String| {
        if let Some(kind) = kind_of(path) {
            visit(kind, path, &text);
        }
    };
    files(root, folder, &|path| kind_of(path).is_some(), &mut found);
    if folder != "." {
        file(root, "README.md", &mut found);
    }
}

/// Hands over the texts below a folder whose paths are wanted. What others wrote or programs made is passed over.
pub fn files(root: &Path, folder: &str, wanted: &dyn Fn(&str) -> bool, visit: &mut dyn FnMut(&str, String)) {
    let own = if folder == "." { "" } else { folder };
    let mut left = MOST_ENTRIES;
    look(root, own, 0, &mut left, wanted, visit);
}

/// Files with their lines, told in one sentence.
pub fn told(what: &str, mut places: Vec<String>) -> Option<String> {
    places.sort();
    let more = places.len().saturating_sub(MOST_FILES);
    places.truncate(MOST_FILES);
    let rest = if more > 0 { format!(", and {more} more") } else { String::new() };
    (!places.is_empty()).then(|| format!("{what}: {}{rest}", places.join("; ")))
}

/// `README.md:12, 40`.
pub fn place(path: &str, lines: &[usize]) -> Option<String> {
    let first: Vec<String> = lines.iter().take(MOST_LINES).map(usize::to_string).collect();
    let more = if lines.len() > MOST_LINES { ", …" } else { "" };
    (!first.is_empty()).then(|| format!("{path}:{}{more}", first.join(", ")))
}

/// The numbers of the lines that are wanted.
pub fn lines(text: &str, wanted: impl Fn(&str) -> bool) -> Vec<usize> {
    text.lines().enumerate().filter(|(_, line)| wanted(line)).map(|(index, _)| index + 1).collect()
}

fn look(
    root: &Path,
    folder: &str,
    depth: usize,
    left: &mut usize,
    wanted: &dyn Fn(&str) -> bool,
    visit: &mut dyn FnMut(&str, String),
) {
    const FOREIGN: &[&str] = &["node_modules", "dist", "build", "out", "target", "vendor", "coverage"];
    let Ok(entries) = fs::read_dir(root.join(folder)) else { return };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        if *left == 0 {
            return;
        }
        *left -= 1;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
        let Ok(kind) = entry.file_type() else { continue };
        let hidden = name.starts_with('.') && !SHOWN.contains(&name.as_str());
        if kind.is_dir() && depth < MOST_DEPTH && !hidden && !FOREIGN.contains(&name.as_str()) {
            look(root, &path, depth + 1, left, wanted, visit);
        } else if kind.is_file() && wanted(&path) {
            file(root, &path, visit);
        }
    }
}

fn file(root: &Path, path: &str, visit: &mut dyn FnMut(&str, String)) {
    let at = root.join(path);
    if fs::metadata(&at).is_ok_and(|meta| meta.len() <= MOST_BYTES)
        && let Ok(text) = fs::read_to_string(&at)
    {
        visit(path, text);
    }
}

fn kind_of(path: &str) -> Option<Kind> {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    let named = matches!(name, "llms.txt" | "llms-full.txt" | ".cursorrules");
    let document = named || [".md", ".mdx", ".mdc"].iter().any(|end| name.ends_with(end));
    if document {
        return (!name.starts_with("changelog")).then_some(Kind::Document);
    }
    let source = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"].iter().any(|end| name.ends_with(end));
    let test = source
        && (name.contains(".test.")
            || name.contains(".spec.")
            || lower.split('/').any(|part| matches!(part, "test" | "tests" | "__tests__" | "e2e")));
    test.then_some(Kind::Test)
}
