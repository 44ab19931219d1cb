//! Python's requirement lines, and the files made of them.

use std::path::Path;

use super::{Dependency, line_of};

/// How deep `-r` may lead.
const INCLUDE_DEPTH: usize = 8;

/// A package name in normal form: lower case, runs of `-`, `_` and `.` as one hyphen.
pub fn normal_name(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for character in name.chars() {
        match character {
            '-' | '_' | '.' => {
                if !normal.ends_with('-') {
                    normal.push('-');
                }
            }
            _ => normal.push(character.to_ascii_lowercase()),
        }
    }
    normal
}

/// Reads one requirement (`name[extra] >=1,<2 ; marker`); `None` for a line that names no package.
pub(super) fn requirement(text: &str, dev: bool, manifest: &str, line: u32) -> Option<Dependency> {
    let text = text.split(';').next().unwrap_or("").trim();
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    if !name.starts_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let rest = rest.trim_start();
    let rest = match rest.strip_prefix('[') {
        Some(extras) => extras.split_once(']')?.1.trim_start(),
        None => rest,
    };
    if !rest.is_empty() && !rest.starts_with(['=', '>', '<', '~', '!', '(', '@']) {
        return None;
    }
    let requirement = rest.trim_start_matches('(').trim_end_matches(')').trim();
    Some(Dependency {
        name: normal_name(name),
        requirement: (!requirement.is_empty()).then(|| requirement.to_owned()),
        dev,
        manifest: manifest.to_owned(),
        line,
        ..Dependency::default()
    })
}

/// A list of requirements somewhere in a manifest.
pub(super) fn list<'a>(
    items: impl IntoIterator<Item = &'a str>,
    dev: bool,
    manifest: &str,
    text: &str,
) -> Vec<Dependency> {
    let read = |item: &'a str| {
        let mut dependency = requirement(item, dev, manifest, 0)?;
        dependency.line = line_of_name(text, item, dependency.requirement.as_deref());
        Some(dependency)
    };
    items.into_iter().filter_map(read).collect()
}

/// The line of a name as written in `item`.
pub(super) fn line_of_name(text: &str, item: &str, requirement: Option<&str>) -> u32 {
    let end = item.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))).unwrap_or(item.len());
    line_of(text, &item[..end], requirement.unwrap_or(&item[..end]))
}

/// Whether a requirements file or group of this name is for development.
pub(super) fn is_dev_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["dev", "test", "doc", "lint", "typing", "bench"].iter().any(|word| name.contains(word))
}

/// Reads `requirements.txt`, following `-r` on disk below `root`. `manifest` is the path shown, `absolute` where it is.
pub(super) fn file(text: &str, manifest: &str, absolute: &Path, root: &Path) -> Vec<Dependency> {
    let mut found = Vec::new();
    let dev = is_dev_name(super::paths::file_name(manifest));
    read(text, manifest, absolute, root, dev, INCLUDE_DEPTH, &mut found);
    found
}

fn read(
    text: &str,
    manifest: &str,
    absolute: &Path,
    root: &Path,
    dev: bool,
    depth: usize,
    found: &mut Vec<Dependency>,
) {
    let mut pending = String::new();
    for (number, raw) in (1u32..).zip(text.lines()) {
        let line = raw.split(" #").next().unwrap_or("").trim();
        if line.starts_with('#') {
            continue;
        }
        if let Some(open) = line.strip_suffix('\\') {
            pending.push_str(open);
            continue;
        }
        let line = std::mem::take(&mut pending) + line;
        let line = line.trim();
        if let Some(included) = line.strip_prefix("-r ").or_else(|| line.strip_prefix("--requirement ")) {
            include(included.trim(), manifest, absolute, root, dev, depth, found);
        } else if !line.starts_with('-') {
            let line = line.split(" --").next().unwrap_or(line);
            found.extend(requirement(line, dev, manifest, number));
        }
    }
}

fn include(
    included: &str,
    manifest: &str,
    absolute: &Path,
    root: &Path,
    dev: bool,
    depth: usize,
    found: &mut Vec<Dependency>,
) {
    let Some(path) = absolute.parent().map(|dir| dir.join(included)) else {
        return;
    };
    let Ok(path) = path.canonicalize() else {
        return;
    };
    if depth == 0 || !path.starts_with(root) || path == absolute {
        return;
    }
    let Some(text) = super::find::read_text(&path) else {
        return;
    };
    let shown = super::paths::join(super::paths::parent(manifest), included).unwrap_or_else(|| included.to_owned());
    read(&text, &shown, &path, root, dev, depth - 1, found);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirement_lines() {
        for (text, expected) in [
            ("mcp", Some(("mcp", None))),
            ("mcp[cli]>=1.9,<2", Some(("mcp", Some(">=1.9,<2")))),
            ("FastMCP == 3.4.4 ; python_version > '3.9'", Some(("fastmcp", Some("== 3.4.4")))),
            ("fast_api.mcp (>=0.4)", Some(("fast-api-mcp", Some(">=0.4")))),
            ("mcp @ git+ssh://git@code.example/mcp", Some(("mcp", Some("@ git+ssh://git@code.example/mcp")))),
            ("./local/path", None),
            ("https://code.example/x.whl", None),
            ("", None),
            ("--hash=sha256:0", None),
        ] {
            let found = requirement(text, false, "r", 1);
            let found = found.as_ref().map(|found| (found.name.as_str(), found.requirement.as_deref()));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn files_with_includes_continuations_and_comments() {
        let dir = tempfile::tempdir().expect("temp dir");
        let root = dir.path().canonicalize().expect("root");
        let text = "# top\n-r common/base.txt\nmcp==1.9.0 \\\n    --hash=sha256:0\n-e .\n--index-url https://registry.example/simple\nuvicorn  # server\n-r loop.txt\n";
        std::fs::create_dir(root.join("common")).expect("dir");
        std::fs::write(root.join("common/base.txt"), "httpx>=0.27\n").expect("file");
        std::fs::write(root.join("loop.txt"), "-r loop.txt\nanyio\n").expect("file");
        let found = file(text, "requirements.txt", &root.join("requirements.txt"), &root);
        let names: Vec<_> = found.iter().map(|d| (d.name.as_str(), d.manifest.as_str(), d.line)).collect();
        assert_eq!(
            names,
            [
                ("httpx", "common/base.txt", 1),
                ("mcp", "requirements.txt", 4),
                ("uvicorn", "requirements.txt", 7),
                ("anyio", "loop.txt", 2)
            ]
        );
        assert_eq!(found[1].requirement.as_deref(), Some("==1.9.0"));
    }
}
