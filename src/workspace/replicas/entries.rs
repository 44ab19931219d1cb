//! Key paths of YAML and TOML with their places. Templates and what else no parser would take are read as far as their lines go.

use super::command::{Token, tokens};

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its keys, outermost first; an item of a list is `[0]`, `[1]` ….
    pub path: Vec<String>,
    /// The value without quotes and comment.
    pub value: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in characters, within quotes.
    pub column: u32,
}

impl Entry {
    /// Whether the keys are these; `*` stands for any one.
    pub fn is(&self, keys: &[&str]) -> bool {
        self.path.len() == keys.len() && self.starts(keys)
    }

    /// Whether the first keys are these; `*` stands for any one.
    pub fn starts(&self, keys: &[&str]) -> bool {
        self.path.len() >= keys.len() && keys.iter().zip(&self.path).all(|(key, own)| *key == "*" || key == own)
    }

    /// Whether the last keys are these.
    pub fn ends(&self, keys: &[&str]) -> bool {
        self.path.len() >= keys.len() && self.path[self.path.len() - keys.len()..].iter().zip(keys).all(|(a, b)| a == b)
    }

    /// The value as a number.
    pub fn number(&self) -> Option<u64> {
        self.value.parse().ok()
    }

    /// The value as words of a command line.
    pub fn tokens(&self) -> Vec<Token> {
        tokens(&self.value, self.line, self.column)
    }
}

/// The documents of a YAML file.
pub fn yaml(text: &str) -> Vec<Vec<Entry>> {
    let mut documents = vec![Vec::new()];
    let mut stack: Vec<(usize, String)> = Vec::new();
    let mut block: Option<usize> = None;
    for (number, line) in (1u32..).zip(text.lines()) {
        let line = line.trim_end();
        let mut indent = line.len() - line.trim_start_matches(' ').len();
        let mut rest = &line[indent..];
        if rest.is_empty() {
            continue;
        }
        if let Some(around) = block {
            if indent > around {
                push(&mut documents, &stack, rest, rest, line, number);
                continue;
            }
            block = None;
        }
        if rest.starts_with(['#', '%']) || rest.starts_with("{{") {
            continue;
        }
        if line.starts_with("---") {
            documents.push(Vec::new());
            stack.clear();
            continue;
        }
        while rest == "-" || rest.starts_with("- ") {
            let mut next = 0;
            while let Some((at, key)) = stack.last()
                && (*at > indent || (*at == indent && key.starts_with('[')))
            {
                if *at == indent {
                    next = key.trim_matches(['[', ']']).parse().map_or(0, |n: usize| n + 1);
                }
                stack.pop();
            }
            stack.push((indent, format!("[{next}]")));
            let after = rest[1..].trim_start();
            indent += rest.len() - after.len();
            rest = after;
        }
        let Some((key, value)) = split(rest) else {
            push(&mut documents, &stack, &clean(rest), rest, line, number);
            continue;
        };
        while stack.last().is_some_and(|(at, _)| *at >= indent) {
            stack.pop();
        }
        stack.push((indent, key));
        if value.starts_with(['|', '>']) {
            block = Some(indent);
        } else if let Some(inner) = value.strip_prefix('{').and_then(|inner| inner.split_once('}')) {
            for field in inner.0.split(',') {
                if let Some((key, value)) = split(field.trim()) {
                    stack.push((indent + 1, key));
                    push(&mut documents, &stack, &clean(value), value, line, number);
                    stack.pop();
                }
            }
        } else if !value.is_empty() {
            push(&mut documents, &stack, &clean(value), value, line, number);
        }
    }
    documents
}

/// `rest` is a slice of `line`.
fn push(documents: &mut [Vec<Entry>], stack: &[(usize, String)], value: &str, rest: &str, line: &str, number: u32) {
    let start = (rest.as_ptr() as usize).saturating_sub(line.as_ptr() as usize).min(line.len());
    let quoted = u32::from(rest.starts_with(['"', '\'']) && !value.starts_with(['"', '\'']));
    let column = line.get(..start).map_or(1, |before| before.chars().count() as u32 + 1) + quoted;
    let path = stack.iter().map(|(_, key)| key.clone()).collect();
    if let Some(document) = documents.last_mut()
        && !value.is_empty()
    {
        document.push(Entry { path, value: value.to_owned(), line: number, column });
    }
}

/// `key: value`, the key without quotes.
fn split(text: &str) -> Option<(String, &str)> {
    let (key, rest) = match text.chars().next()? {
        quote @ ('"' | '\'') => {
            let end = text[1..].find(quote)? + 1;
            (&text[1..end], text[end + 1..].trim_start().strip_prefix(':')?)
        }
        '[' | '{' => return None,
        _ => match text.find(": ") {
            Some(at) => (&text[..at], &text[at + 1..]),
            None => (text.strip_suffix(':')?, ""),
        },
    };
    let value = rest.trim();
    Some((key.trim().to_owned(), if value.starts_with('#') { "" } else { value }))
}

/// A scalar without its comment and quotes.
fn clean(text: &str) -> String {
    let text = text.trim();
    for quote in ['"', '\''] {
        if let Some(rest) = text.strip_prefix(quote)
            && let Some((inner, _)) = rest.rsplit_once(quote)
        {
            return inner.to_owned();
        }
    }
    text.split(" #").next().unwrap_or_default().trim().to_owned()
}

/// The keys of a TOML file; a table of an array is named as a plain one.
pub fn toml(text: &str) -> Vec<Entry> {
    let mut out = vec![Vec::new()];
    let mut table: Vec<(usize, String)> = Vec::new();
    for (number, line) in (1u32..).zip(text.lines()) {
        let rest = line.trim();
        if rest.is_empty() || rest.starts_with('#') {
            continue;
        }
        if let Some(name) = rest.strip_prefix('[')
            && let Some((name, _)) = name.trim_start_matches('[').split_once(']')
            && !rest.contains('=')
        {
            table = name.split('.').map(|part| (0, part.trim().trim_matches(['"', '\'']).to_owned())).collect();
            // The head itself counts: a table may be all there is.
            push(&mut out, &table, "[]", rest, line, number);
            continue;
        }
        if let Some((key, value)) = rest.split_once('=') {
            let mut path = table.clone();
            path.extend(key.trim().split('.').map(|part| (0, part.trim().trim_matches('"').to_owned())));
            push(&mut out, &path, &clean(value), value.trim_start(), line, number);
        }
    }
    out.remove(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flat(entries: &[Entry]) -> Vec<String> {
        entries.iter().map(|e| format!("{}:{} {}={}", e.line, e.column, e.path.join("."), e.value)).collect()
    }

    #[test]
    fn yaml_keys_lists_blocks_and_flows() {
        let text = "a:\n  b: 'x' # no\n  c:\n  - one\n  - k: v\n    l: w\n  d: { replicas: 3, x: y }\n  e: >\n    some words\n\n    more\nf: \"#1\"\n---\n# only\ng:\n  - h\n";
        let documents = yaml(text);
        assert_eq!(
            flat(&documents[0]),
            [
                "2:7 a.b=x",
                "4:5 a.c.[0]=one",
                "5:8 a.c.[1].k=v",
                "6:8 a.c.[1].l=w",
                "7:18 a.d.replicas=3",
                "7:24 a.d.x=y",
                "9:5 a.e=some words",
                "11:5 a.e=more",
                "12:5 f=#1",
            ]
        );
        assert_eq!(flat(&documents[1]), ["16:5 g.[0]=h"]);
    }

    #[test]
    fn toml_tables() {
        let entries = toml("a = 1 # one\n[b]\n# c = 2\nc.d = \"x\"\n[[services]]\ne = 3\n");
        assert_eq!(flat(&entries), ["1:5 a=1", "2:1 b=[]", "4:8 b.c.d=x", "5:1 services=[]", "6:5 services.e=3"]);
    }
}
