//! Relative paths with `/`, as text. `.` is the root itself; a path that begins with `..` lies above it.

use std::path::{Component, Path, PathBuf};

/// The folder of a path: `a/b.ts` → `a`, `b.ts` → `.`.
pub fn parent(path: &str) -> &str {
    match path.rfind('/') {
        Some(at) => &path[..at],
        None => ".",
    }
}

/// The last segment.
pub fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// `dir` and every folder above it, nearest first, down to `.`.
pub fn ancestors(dir: &str) -> impl Iterator<Item = &str> {
    let mut next = Some(dir);
    std::iter::from_fn(move || {
        let here = next?;
        next = (here != ".").then(|| parent(here));
        Some(here)
    })
}

/// How many folders above the root a path lies: the `..` that it begins with.
pub fn above(path: &str) -> usize {
    path.split('/').take_while(|part| *part == "..").count()
}

/// `relative` seen from folder `dir`, with `.` and `..` taken out; `None` where it leaves the root.
pub fn join(dir: &str, relative: &str) -> Option<String> {
    if is_plain(dir) && is_plain(relative) {
        return Some([dir, relative].join("/"));
    }
    let mut parts: Vec<&str> = dir.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    for part in relative.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            _ => parts.push(part),
        }
    }
    Some(if parts.is_empty() { ".".to_owned() } else { parts.join("/") })
}

/// Whether a path is written as it is meant: most are.
fn is_plain(path: &str) -> bool {
    !path.contains('\\') && path.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// Whether `path` is `dir` or lies in it.
pub fn is_within(path: &str, dir: &str) -> bool {
    dir == "." || path.strip_prefix(dir).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// `path` as seen from `dir`, which holds it.
pub fn strip<'a>(path: &'a str, dir: &str) -> Option<&'a str> {
    match dir {
        "." => Some(path),
        _ if path == dir => Some("."),
        _ => path.strip_prefix(dir)?.strip_prefix('/'),
    }
}

/// `path` relative to `root` with `/`, climbing with `..` where it is not inside.
pub fn relative(path: &Path, root: &Path) -> String {
    let shared = path.components().zip(root.components()).take_while(|(a, b)| a == b).count();
    let up = root.components().skip(shared).map(|_| "..".into());
    let down = path.components().skip(shared).filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy()),
        _ => None,
    });
    let parts: Vec<_> = up.chain(down).collect();
    if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
}

/// A path without `..`.
pub fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining() {
        for (dir, relative, expected) in [
            (".", "./a.ts", Some("a.ts")),
            ("a/b", "../c", Some("a/c")),
            ("a", "..", Some(".")),
            ("a", "../../x", None),
            ("a", ".", Some("a")),
            ("a", "b//c/", Some("a/b/c")),
            ("a", "b\\..\\c", Some("a/c")),
            ("a//b", "c", Some("a/b/c")),
            (".", "a", Some("a")),
            ("a", "", Some("a")),
        ] {
            assert_eq!(join(dir, relative).as_deref(), expected, "{dir} + {relative}");
        }
    }

    #[test]
    fn climbing() {
        assert_eq!(ancestors("a/b").collect::<Vec<_>>(), ["a/b", "a", "."]);
        assert_eq!(ancestors(".").collect::<Vec<_>>(), ["."]);
        assert_eq!((parent("a/b.ts"), parent("b.ts"), file_name("a/b.ts")), ("a", ".", "b.ts"));
    }

    #[test]
    fn containment() {
        assert!(is_within("a/b", "a") && is_within("a", "a") && is_within("x", "."));
        assert!(!is_within("ab", "a"));
        assert_eq!(
            (strip("a/b", "a"), strip("b", "."), strip("a", "a"), strip("ab", "a")),
            (Some("b"), Some("b"), Some("."), None)
        );
    }

    #[test]
    fn relative_paths() {
        let root = Path::new("/x/y");
        for (path, expected) in [("/x/y/a/b", "a/b"), ("/x/y", "."), ("/x/p.json", "../p.json"), ("/x", "..")] {
            assert_eq!(relative(Path::new(path), root), expected);
        }
    }
}
