//! Versions from lock files by byte search for the wanted names alone. A full parse of a large lock file takes as long as a whole scan.

use memchr::memmem;

use super::normal_name;
use crate::workspace::names::LockKind;

/// What is asked of a lock file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted<'a> {
    /// The package's name in the registry.
    pub name: &'a str,
    /// The name that the asking manifest gives it.
    pub local_name: &'a str,
    /// The requirement as written.
    pub requirement: Option<&'a str>,
    /// The asking package's folder, relative to the lock file's; `.` for the same.
    pub importer: &'a str,
}

/// All versions that the lock file has for a package; those that it gives to this very importer or requirement come first.
pub(super) fn versions(kind: LockKind, lock: &[u8], wanted: Wanted) -> Vec<String> {
    let mut found = match kind {
        LockKind::Npm => npm(lock, wanted),
        LockKind::Pnpm => pnpm(lock, wanted),
        LockKind::Yarn => yarn(lock, wanted),
        LockKind::Bun => bun(lock, wanted),
        LockKind::Deno => deno(lock, wanted),
        LockKind::PythonToml => package_tables(lock, &normal_name(wanted.name)),
        LockKind::Cargo => package_tables(lock, wanted.name),
        LockKind::Pipfile => pipfile(lock, &normal_name(wanted.name)),
    };
    let mut seen = Vec::new();
    found.retain(|version| {
        version.starts_with(|c: char| c.is_ascii_digit()) && !seen.contains(version) && {
            seen.push(version.clone());
            true
        }
    });
    found
}

/// `"node_modules/name": {` (v2, v3) or `"name": {` (v1), then `"version": "…"`.
fn npm(lock: &[u8], wanted: Wanted) -> Vec<String> {
    let own = format!("\"{}/node_modules/{}\"", wanted.importer, wanted.local_name);
    let hoisted = format!("\"node_modules/{}\"", wanted.local_name);
    let first = format!("\"{}\"", wanted.local_name);
    let mut found = Vec::new();
    for key in [own, hoisted, first] {
        for after in occurrences(lock, &key) {
            let Some(body) =
                after.strip_prefix(b":").map(<[u8]>::trim_ascii_start).and_then(|rest| rest.strip_prefix(b"{"))
            else {
                continue;
            };
            let body = &body[..memchr::memchr(b'}', body).unwrap_or(body.len())];
            found.extend(quoted_after(body, "\"version\""));
        }
    }
    found
}

/// The importer's own section, else the package keys.
fn pnpm(lock: &[u8], wanted: Wanted) -> Vec<String> {
    let mut found = Vec::new();
    let headers = [format!("\n  {}:", wanted.importer), format!("\n  '{}':", wanted.importer)];
    let section = headers.iter().find_map(|header| {
        occurrences(lock, header).find(|after| after.starts_with(b"\n") || after.starts_with(b"\r"))
    });
    // Without an `importers` part the whole file belongs to one importer.
    let whole = wanted.importer == "." && memmem::find(lock, b"\nimporters:").is_none();
    if let Some(section) = section.or(whole.then_some(lock)) {
        let end = if whole { section.len() } else { section_end(section) };
        for key in [
            format!(" {}:", wanted.local_name),
            format!(" '{}':", wanted.local_name),
            format!(" \"{}\":", wanted.local_name),
        ] {
            for after in occurrences(&section[..end], &key) {
                let (first, rest) = split_line(after);
                let inline = first.trim_ascii();
                if !inline.is_empty() {
                    found.push(clean(inline));
                    continue;
                }
                let fields = rest.split(|&b| b == b'\n').take(3);
                let version = fields.filter_map(|line| line.trim_ascii().strip_prefix(b"version:")).next();
                found.extend(version.map(|version| clean(version.trim_ascii())));
            }
        }
    }
    for key in [
        format!("'{}@", wanted.name),
        format!("\n  {}@", wanted.name),
        format!("/{}@", wanted.name),
        format!("\n  /{}/", wanted.name),
    ] {
        found.extend(occurrences(lock, &key).map(clean));
    }
    found
}

/// Where the lines that are indented deeper than two spaces end.
fn section_end(section: &[u8]) -> usize {
    let mut at = 0;
    for (index, line) in section.split_inclusive(|&b| b == b'\n').enumerate() {
        let is_inside = index == 0 || line.trim_ascii().is_empty() || line.starts_with(b"   ");
        if !is_inside {
            return at;
        }
        at += line.len();
    }
    at
}

/// Entries `"name@^1.0", "name@^1.2":` or `"name@npm:^1.0":`, then `version "…"` or `version: …`.
fn yarn(lock: &[u8], wanted: Wanted) -> Vec<String> {
    let (mut exact, mut others) = (Vec::new(), Vec::new());
    for after in occurrences(lock, &format!("{}@", wanted.local_name))
        .filter(|after| starts_name(lock, after, wanted.local_name.len() + 1))
    {
        let (header, body) = split_line(after);
        if !header.trim_ascii_end().ends_with(b":") {
            continue;
        }
        let fields = body.split(|&b| b == b'\n').take_while(|line| line.starts_with(b" "));
        let version = fields.filter_map(|line| line.trim_ascii().strip_prefix(b"version")).next();
        let Some(version) =
            version.map(|version| clean(version.trim_ascii_start().strip_prefix(b":").unwrap_or(version).trim_ascii()))
        else {
            continue;
        };
        let header = header.strip_prefix(b"npm:").unwrap_or(header);
        let matches = wanted.requirement.is_some_and(|requirement| {
            let requirement = requirement.trim_start_matches("npm:").as_bytes();
            header
                .strip_prefix(requirement)
                .is_some_and(|rest| rest.starts_with(b"\"") || rest.starts_with(b",") || rest.starts_with(b":"))
        });
        if matches { exact.push(version) } else { others.push(version) }
    }
    exact.extend(others);
    exact
}

/// `"name": ["name@1.2.3", …`.
fn bun(lock: &[u8], wanted: Wanted) -> Vec<String> {
    let key = format!("[\"{}@", wanted.name);
    occurrences(lock, &key).map(clean).collect()
}

/// `"npm:name@^1": "1.2.3"` or `"npm:name@^1": "npm:name@1.2.3"`, and package keys `"name@1.2.3"`.
fn deno(lock: &[u8], wanted: Wanted) -> Vec<String> {
    let (mut exact, mut others) = (Vec::new(), Vec::new());
    for registry in ["npm:", "jsr:"] {
        for after in occurrences(lock, &format!("\"{registry}{}@", wanted.name)) {
            let Some(end) = memchr::memchr(b'"', after) else {
                continue;
            };
            let Some(value) = after[end + 1..]
                .trim_ascii_start()
                .strip_prefix(b":")
                .and_then(|rest| rest.trim_ascii_start().strip_prefix(b"\""))
            else {
                continue;
            };
            let value = &value[..memchr::memchr(b'"', value).unwrap_or(value.len())];
            let version = clean(value.rsplit(|&b| b == b'@').next().filter(|_| value.contains(&b':')).unwrap_or(value));
            if wanted.requirement.is_some_and(|requirement| &after[..end] == requirement.as_bytes()) {
                exact.push(version);
            } else {
                others.push(version);
            }
        }
    }
    exact.extend(others);
    exact.extend(occurrences(lock, &format!("\"{}@", wanted.name)).map(clean));
    exact
}

/// `name = "mcp"` and on the next line `version = "…"`: uv, poetry, pdm, cargo.
fn package_tables(lock: &[u8], name: &str) -> Vec<String> {
    let key = format!("name = \"{name}\"");
    let at_line_start = |after: &&[u8]| {
        let start = lock.len() - after.len() - key.len();
        start == 0 || lock[start - 1] == b'\n'
    };
    occurrences(lock, &key)
        .filter(at_line_start)
        .filter_map(|after| {
            let (_, next) = split_line(after);
            let value = next.strip_prefix(b"version = \"")?;
            Some(clean(value))
        })
        .collect()
}

/// `"mcp": { … "version": "==1.9.0" }`.
fn pipfile(lock: &[u8], name: &str) -> Vec<String> {
    let key = format!("\"{name}\"");
    occurrences(lock, &key)
        .filter_map(|after| {
            let body = after.strip_prefix(b":")?.trim_ascii_start().strip_prefix(b"{")?;
            let body = &body[..memchr::memchr(b'}', body)?];
            quoted_after(body, "\"version\"").map(|version| version.trim_start_matches('=').to_owned())
        })
        .collect()
}

/// What follows each occurrence of `key`.
fn occurrences<'a>(haystack: &'a [u8], key: &str) -> impl Iterator<Item = &'a [u8]> {
    let length = key.len();
    let starts: Vec<usize> = memmem::find_iter(haystack, key.as_bytes()).collect();
    starts.into_iter().map(move |at| &haystack[at + length..])
}

/// Whether the key of `length` bytes before `after` begins a name: behind a quote, a blank or a line end.
fn starts_name(haystack: &[u8], after: &[u8], length: usize) -> bool {
    let start = haystack.len() - after.len() - length;
    start == 0 || matches!(haystack[start - 1], b'"' | b' ' | b'\n')
}

fn split_line(bytes: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b'\n', bytes) {
        Some(at) => (&bytes[..at], &bytes[at + 1..]),
        None => (bytes, &[]),
    }
}

/// The first quoted text behind `key`.
fn quoted_after(bytes: &[u8], key: &str) -> Option<String> {
    let after = occurrences(bytes, key).next()?;
    let start = memchr::memchr(b'"', after)? + 1;
    let end = memchr::memchr(b'"', &after[start..])?;
    Some(String::from_utf8_lossy(&after[start..start + end]).into_owned())
}

/// The version at the beginning of `bytes`, without quotes and what a lock file appends (peers, hashes).
fn clean(bytes: &[u8]) -> String {
    let bytes = bytes.trim_ascii_start();
    let bytes = bytes.strip_prefix(b"\"").or_else(|| bytes.strip_prefix(b"'")).unwrap_or(bytes);
    let end = bytes.iter().position(|&b| !(b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'+' | b'!')));
    String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]).into_owned()
}

#[cfg(test)]
#[path = "lock_tests.rs"]
mod tests;
