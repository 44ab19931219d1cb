//! What keeps hostile input from the recursion of a recursive parser's tree.

use ruff_python_ast::Mod;
use ruff_python_parser::Parsed;

/// Brackets that may be open at once.
const BRACKETS: u32 = 200;
/// Operators, dots and prefixes that may stand in one expression between two commas, over all open brackets.
const LINKS: u32 = 2_000;
/// Stack that the destruction of a tree takes for each byte of its text, at most.
const DROP_STACK: usize = 512;

/// Whether a text is one for a recursive parser: not nested beyond what people write, with lines ended as they end them. Strings are
/// told from code only roughly; the parser has a guard of its own, this one saves its memory.
pub(super) fn admits(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() >= i32::MAX as usize {
        return false;
    }
    if memchr::memchr_iter(b'\r', bytes).any(|at| bytes.get(at + 1) != Some(&b'\n')) {
        return false;
    }
    let (mut brackets, mut links) = (0u32, 0u32);
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match CLASS[usize::from(byte)] {
            Class::Plain => {}
            Class::Open => {
                brackets += 1;
                if brackets > BRACKETS {
                    return false;
                }
            }
            Class::Close => brackets = brackets.saturating_sub(1),
            // Of the blanks, those between words: `not not a`.
            Class::Link if byte == b' ' && !bytes[..at - 1].last().is_some_and(u8::is_ascii_alphabetic) => {}
            Class::Link => {
                links += 1;
                if links > LINKS {
                    return false;
                }
            }
            Class::Line if brackets > 0 => {}
            Class::Line | Class::Comma => links = 0,
            Class::Comment => at += memchr::memchr(b'\n', &bytes[at..]).unwrap_or(bytes.len() - at),
            Class::Quote => at = string_end(bytes, at - 1),
        }
    }
    true
}

#[derive(Clone, Copy)]
enum Class {
    Plain,
    Open,
    Close,
    Link,
    Line,
    Comma,
    Comment,
    Quote,
}

const CLASS: [Class; 256] = {
    let mut table = [Class::Plain; 256];
    let classes: [(&[u8], Class); 7] = [
        (b"([{", Class::Open),
        (b")]}", Class::Close),
        (b".+-*/%@&|^~<>=! ", Class::Link),
        (b"\n", Class::Line),
        (b",", Class::Comma),
        (b"#", Class::Comment),
        (b"'\"", Class::Quote),
    ];
    let mut class = 0;
    while class < classes.len() {
        let (bytes, kind) = classes[class];
        let mut at = 0;
        while at < bytes.len() {
            table[bytes[at] as usize] = kind;
            at += 1;
        }
        class += 1;
    }
    table
};

/// The end of a string whose first quote stands at an offset.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let triple = bytes.get(start + 1) == Some(&quote) && bytes.get(start + 2) == Some(&quote);
    let mut at = start + if triple { 3 } else { 1 };
    while let Some(next) =
        memchr::memchr3(quote, b'\\', if triple { quote } else { b'\n' }, bytes.get(at..).unwrap_or_default())
    {
        at += next;
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' => return at,
            _ if !triple => return at + 1,
            _ if bytes.get(at + 1) == Some(&quote) && bytes.get(at + 2) == Some(&quote) => return at + 3,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Destroys a tree. One that proved too deep to be built may be too deep for this stack as well.
pub(super) fn discard(parsed: Parsed<Mod>, bytes: usize, shallow: bool) {
    if shallow {
        return;
    }
    let parsed = std::mem::ManuallyDrop::new(parsed);
    let destroy = move || drop(std::mem::ManuallyDrop::into_inner(parsed));
    // Where there is no thread to be had, the tree is left behind.
    if let Ok(thread) = std::thread::Builder::new().stack_size((1 << 20) + bytes * DROP_STACK).spawn(destroy) {
        let _ = thread.join();
    }
}
