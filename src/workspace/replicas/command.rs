//! Command lines that start more than one process.

use crate::workspace::paths;

/// A word of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// The word, without quotes.
    pub text: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in characters.
    pub column: u32,
}

/// What was found, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Several {
    /// The words that say so.
    pub words: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in characters.
    pub column: u32,
}

/// Splits a command line, or a list of its words in JSON, YAML or TOML. Separators of commands are words of their own.
pub fn tokens(text: &str, line: u32, column: u32) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::new();
    let mut word = String::new();
    let mut start = 0;
    let mut depth = 0;
    let at = |index: usize| column + index as u32;
    let flush = |word: &mut String, start: usize, out: &mut Vec<Token>| {
        if !word.is_empty() {
            out.push(Token { text: std::mem::take(word), line, column: at(start) });
        }
    };
    for (index, c) in text.chars().enumerate() {
        match c {
            '(' | ')' => {
                depth += if c == '(' { 1 } else { -1 };
                word.push(c);
            }
            _ if depth > 0 => word.push(c),
            ' ' | '\t' | ',' | '[' | ']' | '"' | '\'' => flush(&mut word, start, &mut out),
            ';' | '|' | '&' => {
                flush(&mut word, start, &mut out);
                out.push(Token { text: ";".to_owned(), line, column: at(index) });
            }
            '#' if word.is_empty() => break,
            _ => {
                if word.is_empty() {
                    start = index;
                }
                word.push(c);
            }
        }
    }
    flush(&mut word, start, &mut out);
    out
}

/// Programs that serve in workers, with the flags that number them.
const SERVERS: &[(&str, &[&str])] = &[
    ("uvicorn", &["--workers"]),
    ("fastapi", &["--workers"]),
    ("gunicorn", &["-w", "--workers"]),
    ("hypercorn", &["-w", "--workers"]),
    ("granian", &["--workers"]),
    ("pm2", &["-i", "--instances"]),
    ("pm2-runtime", &["-i", "--instances"]),
];

/// What in a command line starts more than one process.
pub fn several(tokens: &[Token]) -> Option<Several> {
    tokens.iter().enumerate().find_map(|(index, token)| {
        let found = |words: String, token: &Token| Several { words, line: token.line, column: token.column };
        if let Some(value) = token.text.strip_prefix("WEB_CONCURRENCY=") {
            return is_several(value, false).then(|| found(format!("WEB_CONCURRENCY={value}"), token));
        }
        let program = paths::file_name(&token.text);
        let rest = || tokens[index + 1..].iter().take_while(|token| token.text != ";");
        if matches!(program, "node" | "nodejs") {
            let flag = rest().find(|token| token.text == "--cluster" || token.text.starts_with("--cluster="))?;
            let off = flag.text.strip_prefix("--cluster=").is_some_and(|value| matches!(value, "0" | "1" | "false"));
            return (!off).then(|| found(format!("node {}", flag.text), flag));
        }
        let (name, flags) = SERVERS.iter().find(|(name, _)| *name == program)?;
        let all = name.starts_with("pm2");
        let mut rest = rest().peekable();
        while let Some(token) = rest.next() {
            for flag in *flags {
                let Some(value) = token.text.strip_prefix(flag) else { continue };
                let value = match value.strip_prefix('=') {
                    Some(value) => value,
                    None if value.is_empty() => rest.peek().map_or("", |next| next.text.as_str()),
                    None if !flag.starts_with("--") => value,
                    None => continue,
                };
                if is_several(value, all) {
                    return Some(found(format!("{name} {flag} {value}"), token));
                }
            }
        }
        None
    })
}

/// Whether a count is more than one: a number, a default (`${WORKERS:-4}`), or as many as there are processors. `all`: 0 and -1 mean that too.
pub fn is_several(value: &str, all: bool) -> bool {
    let value = value.trim().trim_matches(['"', '\'']);
    if let Some(inner) = value.strip_prefix("${").and_then(|inner| inner.strip_suffix('}')) {
        return inner
            .split_once(":-")
            .or_else(|| inner.split_once('-'))
            .is_some_and(|(_, value)| is_several(value, all));
    }
    match value.parse::<i64>() {
        Ok(number) => number > 1 || (all && number <= 0),
        Err(_) => matches!(value, "max" | "auto") || value.contains("nproc") || value.contains("cpu_count"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Option<String> {
        several(&tokens(line, 1, 1)).map(|found| format!("{}@{}", found.words, found.column))
    }

    #[test]
    fn commands_that_start_several_processes() {
        for (line, expected) in [
            ("uvicorn app:app --workers 4", "uvicorn --workers 4@17"),
            ("python -m uvicorn app:app --workers=4", "uvicorn --workers 4@27"),
            ("cd /app && exec uv run gunicorn -w 4 app:app", "gunicorn -w 4@33"),
            ("gunicorn -w4 app:app", "gunicorn -w 4@10"),
            ("gunicorn --workers ${WORKERS:-3} app:app", "gunicorn --workers ${WORKERS:-3}@10"),
            ("gunicorn -w $((2 * $(nproc) + 1)) app:app", "gunicorn -w $((2 * $(nproc) + 1))@10"),
            ("[\"/venv/bin/uvicorn\", \"app:app\", \"--workers\", \"2\"]", "uvicorn --workers 2@35"),
            ("fastapi run --workers 4 app.py", "fastapi --workers 4@13"),
            ("pm2 start dist/index.js -i max", "pm2 -i max@25"),
            ("npx pm2-runtime dist/index.js -i 0", "pm2-runtime -i 0@31"),
            ("node --cluster dist/index.js", "node --cluster@6"),
            ("WEB_CONCURRENCY=4 gunicorn app:app", "WEB_CONCURRENCY=4@1"),
        ] {
            assert_eq!(words(line).as_deref(), Some(expected), "{line}");
        }
    }

    #[test]
    fn commands_that_do_not() {
        for line in [
            "uvicorn app:app",
            "uvicorn app:app --workers 1",
            "uvicorn app:app --workers $WORKERS",
            "gunicorn -w 1 -k uvicorn.workers.UvicornWorker app:app",
            "uvicorn app:app; celery worker --workers 4",
            "pm2 start dist/index.js",
            "pm2 start dist/index.js -i 1",
            "node dist/cluster.js",
            "node dist/index.js --cluster=false",
            "uvicorn app:app # --workers 4",
            "jest --workers 4",
            "WEB_CONCURRENCY=1 gunicorn app:app",
            "gunicorn --worker-connections 4 --worker-class x app:app",
        ] {
            assert_eq!(words(line), None, "{line}");
        }
    }
}
