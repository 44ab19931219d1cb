//! The question to a file that code of a session uses, and that is of no interest by itself: can it keep anything for later?
//!
//! By its bytes, line by line: containers at the top level and in fields, objects made at the top level, names that functions change, and
//! what a runtime offers for such ends. Functions that only compute keep nothing.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use memchr::memchr;

use crate::model::facts::Language;

static IN_PYTHON: LazyLock<AhoCorasick> = LazyLock::new(|| {
    words(&[
        "session_id",
        "sessionId",
        "ContextVar",
        "threading.local",
        "WeakKeyDict",
        "WeakValueDict",
        "default_factory",
        "_cache(",
    ])
});
static IN_SCRIPTS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    words(&[
        "sessionId",
        "SessionId",
        "session_id",
        "AsyncLocalStorage",
        "new Map",
        "new Set",
        "new WeakMap",
        "new WeakSet",
        "globalThis",
    ])
});

fn words(words: &[&str]) -> AhoCorasick {
    AhoCorasick::new(words).expect("a few words make an automaton")
}

/// Whether a file's code may keep anything for later.
pub fn keeps_state(language: Language, bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n');
    match language {
        Language::Python => IN_PYTHON.is_match(bytes) || lines.any(is_python_state),
        Language::TypeScript | Language::JavaScript => IN_SCRIPTS.is_match(bytes) || lines.any(is_script_state),
        Language::Rust => true,
    }
}

fn is_python_state(line: &[u8]) -> bool {
    let code = line.trim_ascii();
    if code.starts_with(b"global ") {
        return true;
    }
    let top = line.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    if !top && !code.starts_with(b"self.") {
        return false;
    }
    let Some((name, value)) = assignment(code) else { return false };
    const MADE: [&[u8]; 7] = [b"dict(", b"list(", b"set(", b"defaultdict(", b"deque(", b"OrderedDict(", b"Counter("];
    let constant = name.first().is_some_and(u8::is_ascii_uppercase);
    is_empty_container(value) || MADE.iter().any(|made| value.starts_with(made)) || (top && !constant && is_made(value))
}

/// `name: T = value`: the name and the value.
fn assignment(code: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr(b'=', code)?;
    let (name, value) = (code[..at].trim_ascii_end(), code[at + 1..].trim_ascii_start());
    (!value.starts_with(b"=") && !name.ends_with(b"!")).then_some((name, value))
}

fn is_empty_container(value: &[u8]) -> bool {
    let value = value.trim_ascii_end();
    let value = value.strip_suffix(b";").unwrap_or(value);
    matches!(value, b"{}" | b"[]") || value.starts_with(b"{}  #") || value.starts_with(b"[]  #")
}

/// Whether a value is a new object: a call of a name with a capital, `store.Baskets()`.
fn is_made(value: &[u8]) -> bool {
    let Some(end) = memchr(b'(', value) else { return false };
    let name = value[..end].rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    name.first().is_some_and(u8::is_ascii_uppercase)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

fn is_script_state(line: &[u8]) -> bool {
    let code = line.strip_prefix(b"export ").unwrap_or(line);
    if code.starts_with(b"let ") || code.starts_with(b"var ") {
        return true;
    }
    let Some((_, value)) = assignment(line.trim_ascii()) else { return false };
    let top = code.starts_with(b"const ");
    is_empty_container(value)
        || (top && value.strip_prefix(b"new ").is_some_and(|made| is_made(made) || made.contains(&b'<')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keeps(language: Language, text: &str) -> bool {
        keeps_state(language, text.as_bytes())
    }

    #[test]
    fn what_lasts_in_python() {
        for text in [
            "baskets = {}\n",
            "_BASKETS: dict[str, Basket] = {}\n",
            "import x\nby_user = defaultdict(list)\n",
            "store = BasketStore()\n",
            "store = shop.BasketStore(1)\n",
            "def f():\n    global count\n    count += 1\n",
            "class A:\n    def __init__(self):\n        self.items: list[str] = []\n",
            "current = ContextVar('current')\n",
            "def f(session_id): pass\n",
        ] {
            assert!(keeps(Language::Python, text), "{text}");
        }
    }

    #[test]
    fn what_only_computes_in_python() {
        for text in [
            "def f(a):\n    out = {}\n    return out\n",
            "LIMITS = {'a': 1}\nPATTERN = re.compile('x')\n",
            "if a == {}:\n    pass\n",
            "class A:\n    def f(self):\n        self.a == []\n",
            "",
        ] {
            assert!(!keeps(Language::Python, text), "{text}");
        }
    }

    #[test]
    fn what_lasts_in_scripts() {
        for text in [
            "export const baskets = new Map<string, Basket>();\n",
            "export let current: string | undefined;\n",
            "const items: string[] = [];\n",
            "class A {\n  private items: string[] = [];\n}\n",
            "export const store = new BasketStore();\n",
            "const als = new AsyncLocalStorage();\n",
        ] {
            assert!(keeps(Language::TypeScript, text), "{text}");
        }
    }

    #[test]
    fn what_only_computes_in_scripts() {
        for text in [
            "export const LIMIT = 3;\n",
            "export function f(a: string) {\n  return a + '!';\n}\n",
            "if (a === b) f();\n",
            "",
        ] {
            assert!(!keeps(Language::TypeScript, text), "{text}");
        }
    }
}
