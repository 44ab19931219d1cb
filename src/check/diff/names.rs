//! The names of a file in a diff: they stand in up to three places, quoted or not, with prefixes or without.

/// The names of one file while its head is read.
#[derive(Default)]
pub(super) struct Names {
    header: Option<(String, String)>,
    pair: Option<(Option<String>, Option<String>)>,
    renamed: (Option<String>, Option<String>),
    is_new: bool,
    is_copy: bool,
    is_deleted: bool,
}

/// The names that a file turns out to have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Settled {
    pub old: Option<String>,
    pub new: Option<String>,
    pub stripped: bool,
}

impl Names {
    /// Takes in what follows `diff --git `.
    pub fn header(&mut self, rest: &str) {
        self.header = split_header(rest);
    }

    /// Takes in what follows `--- ` and `+++ `.
    pub fn pair(&mut self, old: &str, new: &str) {
        let name = |text: &str| Some(file_name(text)).filter(|name| name != "/dev/null");
        self.pair = Some((name(old), name(new)));
    }

    /// Whether `--- ` and `+++ ` came already.
    pub fn has_pair(&self) -> bool {
        self.pair.is_some()
    }

    /// Takes in another line between the head and the first hunk.
    pub fn extended(&mut self, line: &str) {
        let after = |prefix: &str| line.strip_prefix(prefix).map(file_name);
        if line.starts_with("new file mode ") {
            self.is_new = true;
        } else if line.starts_with("deleted file mode ") {
            self.is_deleted = true;
        } else if let Some(name) = after("rename from ") {
            self.renamed.0 = Some(name);
        } else if let Some(name) = after("rename to ") {
            self.renamed.1 = Some(name);
        } else if let Some(name) = after("copy to ") {
            self.is_copy = true;
            self.renamed.1 = Some(name);
        }
    }

    /// The names, from the surest place that has them.
    pub fn settle(self) -> Settled {
        if let (old, Some(new)) = self.renamed {
            // A copy is a new file, whatever it was copied from.
            return Settled { old: old.filter(|_| !self.is_copy), new: Some(new), stripped: true };
        }
        let (old, new) = match (self.pair, self.header) {
            (Some(pair), _) => pair,
            (None, Some((old, new))) => (Some(old), Some(new)),
            (None, None) => (None, None),
        };
        let (old, new, stripped) = strip(old, new);
        Settled { old: old.filter(|_| !self.is_new), new: new.filter(|_| !self.is_deleted), stripped }
    }
}

/// Takes `a/` and `b/` (or what `diff.mnemonicPrefix` makes of them) off.
fn strip(old: Option<String>, new: Option<String>) -> (Option<String>, Option<String>, bool) {
    const PREFIXES: &[&str] = &["a/", "b/", "c/", "i/", "o/", "w/"];
    let prefix = |name: &Option<String>| {
        let name = name.as_deref()?;
        PREFIXES.iter().copied().find(|prefix| name.starts_with(prefix))
    };
    let recognised = match (&old, &new) {
        (Some(_), Some(_)) => matches!((prefix(&old), prefix(&new)), (Some(a), Some(b)) if a != b),
        _ => prefix(&old).or(prefix(&new)).is_some(),
    };
    let cut = |name: String| if recognised { name[2..].to_owned() } else { name };
    (old.map(cut), new.map(cut), recognised)
}

/// The two names of a `diff --git` line. Unquoted names may hold blanks: then both are the same but for the prefix, or other lines tell.
fn split_header(rest: &str) -> Option<(String, String)> {
    if rest.starts_with('"') {
        let (old, after) = unquote(rest)?;
        return Some((old, file_name(after.strip_prefix(' ')?)));
    }
    if let Some(at) = rest.find(" \"") {
        let (new, _) = unquote(&rest[at + 1..])?;
        return Some((rest[..at].to_owned(), new));
    }
    let tail = |name: &str| name.split_once('/').map_or(name, |(_, tail)| tail).to_owned();
    let splits = || rest.match_indices(' ').map(|(at, _)| (&rest[..at], &rest[at + 1..]));
    let same = splits().find(|(old, new)| old == new || tail(old) == tail(new));
    let (old, new) = same.or_else(|| splits().next())?;
    Some((old.to_owned(), new.to_owned()))
}

/// A name as it stands behind `--- `: quoted, or up to a tab (behind which `diff -u` writes a time).
fn file_name(text: &str) -> String {
    if let Some((name, _)) = unquote(text) {
        return name;
    }
    text.split('\t').next().unwrap_or_default().to_owned()
}

/// A name in C quotes and what follows it.
fn unquote(text: &str) -> Option<(String, &str)> {
    let inner = text.strip_prefix('"')?;
    let bytes = inner.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    loop {
        match *bytes.get(at)? {
            b'"' => return Some((String::from_utf8_lossy(&out).into_owned(), &inner[at + 1..])),
            b'\\' => {
                let escape = *bytes.get(at + 1)?;
                at += 2;
                match escape {
                    b'0'..=b'7' => {
                        let mut value = u32::from(escape - b'0');
                        for _ in 0..2 {
                            match bytes.get(at) {
                                Some(digit @ b'0'..=b'7') => value = value * 8 + u32::from(digit - b'0'),
                                _ => break,
                            }
                            at += 1;
                        }
                        out.push(value as u8);
                    }
                    b'a' => out.push(7),
                    b'b' => out.push(8),
                    b't' => out.push(b'\t'),
                    b'n' => out.push(b'\n'),
                    b'v' => out.push(11),
                    b'f' => out.push(12),
                    b'r' => out.push(b'\r'),
                    other => out.push(other),
                }
            }
            byte => {
                out.push(byte);
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_names_have_octal_escapes() {
        for (quoted, name) in [
            (r#""a/na\303\257ve.ts""#, "a/naïve.ts"),
            (r#""a/tab\there.ts""#, "a/tab\there.ts"),
            (r#""a/say \"hi\" \\ there.ts""#, "a/say \"hi\" \\ there.ts"),
            (r#""a/\1x.ts""#, "a/\u{1}x.ts"),
        ] {
            assert_eq!(unquote(quoted), Some((name.to_owned(), "")), "{quoted}");
        }
        for broken in ["\"a", "\"a\\", "a\"", "\""] {
            assert_eq!(unquote(broken), None, "{broken}");
        }
    }

    #[test]
    fn heads_with_blanks() {
        for (rest, old, new) in [
            ("a/x.ts b/x.ts", "a/x.ts", "b/x.ts"),
            ("a/my file.ts b/my file.ts", "a/my file.ts", "b/my file.ts"),
            ("x.ts x.ts", "x.ts", "x.ts"),
            (r#""a/\303\251.ts" "b/\303\251.ts""#, "a/é.ts", "b/é.ts"),
            (r#"a/e.ts "b/\303\251.ts""#, "a/e.ts", "b/é.ts"),
        ] {
            assert_eq!(split_header(rest), Some((old.to_owned(), new.to_owned())), "{rest}");
        }
        assert_eq!(split_header("one"), None);
    }

    #[test]
    fn prefixes_come_off_in_pairs_only() {
        let strip = |old: Option<&str>, new: Option<&str>| strip(old.map(str::to_owned), new.map(str::to_owned));
        let some = |name: &str| Some(name.to_owned());
        assert_eq!(strip(Some("a/x"), Some("b/x")), (some("x"), some("x"), true));
        assert_eq!(strip(Some("i/x"), Some("w/x")), (some("x"), some("x"), true));
        assert_eq!(strip(None, Some("b/x")), (None, some("x"), true));
        assert_eq!(strip(Some("b/x"), Some("b/x")), (some("b/x"), some("b/x"), false));
        assert_eq!(strip(Some("src/x"), Some("src/x")), (some("src/x"), some("src/x"), false));
    }
}
