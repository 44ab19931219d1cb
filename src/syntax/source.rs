//! Reading a file: encoding, byte order mark, line ends, and the checks that come before any parser.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use memchr::{memchr, memchr_iter, memmem};

/// A source file larger than this is not read.
pub const MAX_BYTES: u64 = 5 * 1024 * 1024;

/// A line longer than this in a file that runs to it says "written by a bundler".
const LONG_LINE: usize = 20_000;

/// How many bytes at the top of a file are looked at for a "generated" header.
/// How far into a file a bundle shows itself.
const BUNDLE_BYTES: usize = 256 * 1024;

const HEADER_BYTES: usize = 1024;

/// The byte order mark.
pub const MARK: char = '\u{feff}';

/// A text without the byte order mark that it may begin with.
pub fn without_mark(text: &str) -> &str {
    text.strip_prefix(MARK).unwrap_or(text)
}

/// How the bytes on disk encode the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-16, little endian, with a byte order mark.
    Utf16Le,
    /// UTF-16, big endian, with a byte order mark.
    Utf16Be,
}

/// How the lines of a file end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eol {
    /// `\n` only; also a file of one line.
    Lf,
    /// `\r\n` only.
    CrLf,
    /// Both occur.
    Mixed,
}

/// Why a file was not taken in.
#[derive(Debug)]
pub enum LoadError {
    /// It could not be opened or read.
    Unreadable(io::Error),
    /// It has more than [`MAX_BYTES`].
    TooLarge(u64),
    /// Its lines are so long that no human wrote them.
    Minified,
    /// It says of itself that a program wrote it.
    Generated,
    /// It is binary, or in an encoding other than UTF-8 and marked UTF-16.
    NotUtf8 {
        /// Offset of the first byte that is not text.
        at: usize,
    },
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) => write!(f, "cannot be read: {error}"),
            Self::TooLarge(bytes) => write!(f, "has {bytes} bytes, more than {MAX_BYTES}"),
            Self::Minified => f.write_str("is minified"),
            Self::Generated => f.write_str("is generated"),
            Self::NotUtf8 { at } => write!(f, "is not UTF-8 (byte {at})"),
        }
    }
}

impl std::error::Error for LoadError {}

/// The text of a file, and what is needed to write it back as it was.
#[derive(Clone, Debug)]
pub struct SourceText {
    /// The text, without a byte order mark.
    pub text: String,
    /// The file began with a byte order mark.
    pub had_bom: bool,
    /// How it is encoded on disk.
    pub encoding: Encoding,
    /// How its lines end.
    pub eol: Eol,
}

impl SourceText {
    /// Checks and decodes the bytes of a file.
    pub fn decode(bytes: Vec<u8>) -> Result<Self, LoadError> {
        if bytes.len() as u64 > MAX_BYTES {
            return Err(LoadError::TooLarge(bytes.len() as u64));
        }
        let (text, encoding, had_bom) = match bytes.as_slice() {
            [0xFF, 0xFE, rest @ ..] => (utf16(rest, encoding_rs::UTF_16LE)?, Encoding::Utf16Le, true),
            [0xFE, 0xFF, rest @ ..] => (utf16(rest, encoding_rs::UTF_16BE)?, Encoding::Utf16Be, true),
            [0xEF, 0xBB, 0xBF, ..] => (utf8(bytes, 3)?, Encoding::Utf8, true),
            _ => (utf8(bytes, 0)?, Encoding::Utf8, false),
        };
        if is_minified(&text) {
            return Err(LoadError::Minified);
        }
        if says_generated(&text) {
            return Err(LoadError::Generated);
        }
        let eol = eol_of(&text);
        Ok(Self { text, had_bom, encoding, eol })
    }

    /// How many bytes on disk come before the first byte of [`SourceText::text`]. In UTF-8, `offset + shift` is the offset on disk.
    pub fn shift(&self) -> usize {
        match (self.had_bom, self.encoding) {
            (false, _) => 0,
            (true, Encoding::Utf8) => 3,
            (true, _) => 2,
        }
    }

    /// The offset on disk of a byte offset of the text.
    pub fn disk_offset(&self, offset: usize) -> usize {
        let before = match self.encoding {
            Encoding::Utf8 => offset,
            _ => {
                let units: usize = self.text[..floor_boundary(&self.text, offset)].chars().map(char::len_utf16).sum();
                units * 2
            }
        };
        self.shift() + before
    }

    /// Encodes a (changed) text as this file is encoded, byte order mark included.
    pub fn encode(&self, text: &str) -> Vec<u8> {
        match self.encoding {
            Encoding::Utf8 => {
                let mark: &[u8] = if self.had_bom { &[0xEF, 0xBB, 0xBF] } else { &[] };
                [mark, text.as_bytes()].concat()
            }
            Encoding::Utf16Le => {
                std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
            }
            Encoding::Utf16Be => {
                std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect()
            }
        }
    }
}

/// Reads a file, but no more of it than [`MAX_BYTES`].
pub fn read_limited(path: &Path) -> Result<Vec<u8>, LoadError> {
    // Looked at before it is opened: opening a pipe waits for whoever writes to it.
    let metadata = std::fs::metadata(path).map_err(LoadError::Unreadable)?;
    if !metadata.is_file() {
        let error = io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
        return Err(LoadError::Unreadable(error));
    }
    if metadata.len() > MAX_BYTES {
        return Err(LoadError::TooLarge(metadata.len()));
    }
    let file = File::open(path).map_err(LoadError::Unreadable)?;
    let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(LoadError::Unreadable)?;
    Ok(bytes)
}

/// The UTF-8 text after the first `skip` bytes, without a copy where nothing is skipped.
fn utf8(mut bytes: Vec<u8>, skip: usize) -> Result<String, LoadError> {
    if let Some(at) = memchr(0, &bytes) {
        return Err(LoadError::NotUtf8 { at });
    }
    bytes.drain(..skip);
    String::from_utf8(bytes).map_err(|error| LoadError::NotUtf8 { at: skip + error.utf8_error().valid_up_to() })
}

/// The text of marked UTF-16.
fn utf16(bytes: &[u8], encoding: &'static encoding_rs::Encoding) -> Result<String, LoadError> {
    let text =
        encoding.decode_without_bom_handling_and_without_replacement(bytes).ok_or(LoadError::NotUtf8 { at: 2 })?;
    match memchr(0, text.as_bytes()) {
        Some(at) => Err(LoadError::NotUtf8 { at }),
        None => Ok(text.into_owned()),
    }
}

/// Whether the lines are those of a bundler: one of them is huge and makes up most of the file, or they are long on average.
fn is_minified(text: &str) -> bool {
    let (mut longest, mut start, mut lines) = (0, 0, 1usize);
    for end in memchr_iter(b'\n', text.as_bytes()) {
        longest = longest.max(end - start);
        start = end + 1;
        lines += 1;
    }
    longest = longest.max(text.len() - start);
    longest > LONG_LINE && (longest * 2 > text.len() || text.len() / lines > 500)
}

/// Whether the top of the file says that a program wrote it.
fn says_generated(text: &str) -> bool {
    let header = &text.as_bytes()[..text.len().min(HEADER_BYTES)];
    let comment = header.split(|&b| b == b'\n').take_while(|line| {
        let line = line.trim_ascii();
        line.is_empty() || [b"//", b"/*", b"# ", b"#!", b"\"\""].iter().any(|c| line.starts_with(*c)) || line[0] == b'*'
    });
    // A bundle names the packages that it was put together from.
    let front = &text.as_bytes()[..text.len().min(BUNDLE_BYTES)];
    let mut parts = memmem::find_iter(front, b"\n// ").filter(|&at| {
        let line = front[at + 1..].split(|&b| b == b'\n').next().unwrap_or_default();
        memmem::find(line, b"node_modules/").is_some()
    });
    if parts.nth(2).is_some() {
        return true;
    }
    comment.into_iter().any(|line| {
        memmem::find(line, b"@generated").is_some()
            || memmem::find(line, b"DO NOT EDIT").is_some()
            || (memmem::find(line, b"do not edit").is_some() && memmem::find(line, b"generated").is_some())
    })
}

fn eol_of(text: &str) -> Eol {
    let (mut lf, mut crlf) = (false, false);
    let bytes = text.as_bytes();
    for at in memchr_iter(b'\n', bytes) {
        if at > 0 && bytes[at - 1] == b'\r' {
            crlf = true;
        } else {
            lf = true;
        }
    }
    match (lf, crlf) {
        (true, true) => Eol::Mixed,
        (false, true) => Eol::CrLf,
        _ => Eol::Lf,
    }
}

/// The greatest character boundary not beyond `offset`.
pub(crate) fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Result<SourceText, LoadError> {
        SourceText::decode(bytes.to_vec())
    }

    #[test]
    fn every_encoding_gives_the_same_text_and_goes_back() {
        let text = "const naïve = '😀';\r\nlet x;\r\n";
        let le: Vec<u8> = [0xFF, 0xFE].into_iter().chain(text.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        let be: Vec<u8> = [0xFE, 0xFF].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect();
        let bom = [b"\xEF\xBB\xBF", text.as_bytes()].concat();
        let cases = [
            (text.as_bytes().to_vec(), Encoding::Utf8, false, 0),
            (bom, Encoding::Utf8, true, 3),
            (le, Encoding::Utf16Le, true, 2),
            (be, Encoding::Utf16Be, true, 2),
        ];
        for (bytes, encoding, had_bom, shift) in cases {
            let source = decode(&bytes).expect("text");
            assert_eq!(source.text, text);
            assert_eq!((source.encoding, source.had_bom, source.shift()), (encoding, had_bom, shift));
            assert_eq!(source.eol, Eol::CrLf);
            assert_eq!(source.encode(&source.text), bytes);
            assert_eq!(source.disk_offset(text.len()), bytes.len());
        }
    }

    #[test]
    fn what_is_no_text_is_refused_with_its_place() {
        assert!(matches!(decode(b"caf\xE9 = 1"), Err(LoadError::NotUtf8 { at: 3 })));
        assert!(matches!(decode(b"ab\0c"), Err(LoadError::NotUtf8 { at: 2 })));
        assert!(matches!(decode(b"\xFF\xFE\x00"), Err(LoadError::NotUtf8 { .. })));
        assert!(matches!(decode(b"\xFF\xFE\x00\xD8"), Err(LoadError::NotUtf8 { .. })));
        assert!(decode(b"").expect("empty is text").text.is_empty());
    }

    #[test]
    fn line_ends() {
        for (text, eol) in
            [("a", Eol::Lf), ("a\nb", Eol::Lf), ("a\r\n", Eol::CrLf), ("a\r\nb\n", Eol::Mixed), ("\n", Eol::Lf)]
        {
            assert_eq!(decode(text.as_bytes()).expect("text").eol, eol, "{text:?}");
        }
    }

    #[test]
    fn huge_and_minified() {
        let line = vec![b'x'; 5 * 1024 * 1024];
        assert!(matches!(decode(&line), Err(LoadError::Minified)));
        assert!(matches!(decode(&vec![b'x'; line.len() + 1]), Err(LoadError::TooLarge(_))));
        // A data URI in an otherwise human file is no reason to skip it.
        let human = "const a = 1; // an ordinary line\n".repeat(3000);
        let data = format!("const icon = '{}';\n", "A".repeat(30_000));
        assert!(decode(format!("{human}{data}").as_bytes()).is_ok());
        assert!(matches!(decode(format!("/* licence */\n{data}").as_bytes()), Err(LoadError::Minified)));
    }

    #[test]
    fn generated_headers_count_only_in_the_top_comment() {
        for text in [
            "// @generated by x\nlet a;",
            "# Code generated by y. DO NOT EDIT.\nx = 1",
            "/*\n * This file is generated, do not edit\n */\n",
        ] {
            assert!(matches!(decode(text.as_bytes()), Err(LoadError::Generated)), "{text}");
        }
        for text in [
            "const s = '@generated';",
            "let a;\n// @generated\n",
            "// the generated id\nlet a;",
            "// please do not edit on a Monday\n",
        ] {
            assert!(decode(text.as_bytes()).is_ok(), "{text}");
        }
    }

    #[test]
    fn reading_tells_what_is_wrong() {
        let dir = tempfile::tempdir().expect("temp dir");
        assert!(matches!(read_limited(dir.path()), Err(LoadError::Unreadable(_))));
        assert!(matches!(read_limited(&dir.path().join("none.ts")), Err(LoadError::Unreadable(_))));
        let big = dir.path().join("big.py");
        let file = File::create(&big).expect("file");
        file.set_len(MAX_BYTES + 1).expect("sparse");
        assert!(matches!(read_limited(&big), Err(LoadError::TooLarge(_))));
    }
}
