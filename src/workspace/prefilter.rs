//! The question that comes before parsing: can this file matter?
//!
//! Strong session word, or SDK import with a weak word, or JSON-RPC method names with the handshake (a server that speaks the protocol
//! by hand). One automaton per language over the literals of `grammars/<language>/prefilter.toml`.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::model::facts::Language;

const STRONG: u8 = 1;
const IMPORT: u8 = 2;
const WEAK: u8 = 4;
const METHOD: u8 = 8;
const HANDSHAKE: u8 = 16;

include!(concat!(env!("OUT_DIR"), "/prefilter.rs"));

/// The literals of one language.
struct Prefilter {
    automaton: AhoCorasick,
    classes: Vec<u8>,
}

impl Prefilter {
    fn new(literals: &[(&str, u8)]) -> Self {
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostFirst)
            .build(literals.iter().map(|(literal, _)| literal))
            .expect("a few short literals make an automaton");
        Self { automaton, classes: literals.iter().map(|&(_, class)| class).collect() }
    }

    fn interesting(&self, bytes: &[u8]) -> bool {
        let mut seen = 0;
        for found in self.automaton.find_iter(bytes) {
            seen |= self.classes[found.pattern().as_usize()];
            if is_enough(seen) {
                return true;
            }
        }
        false
    }
}

fn is_enough(seen: u8) -> bool {
    seen & STRONG != 0 || seen & (IMPORT | WEAK) == IMPORT | WEAK || seen & (METHOD | HANDSHAKE) == METHOD | HANDSHAKE
}

static FOR_TYPESCRIPT: LazyLock<Prefilter> = LazyLock::new(|| Prefilter::new(TYPESCRIPT));
static FOR_PYTHON: LazyLock<Prefilter> = LazyLock::new(|| Prefilter::new(PYTHON));
static FOR_RUST: LazyLock<Prefilter> = LazyLock::new(|| Prefilter::new(RUST));

/// Whether a file's bytes can hold anything that a scan looks for. Files in marked UTF-16 always pass: their words are spelled otherwise.
pub fn interesting(language: Language, bytes: &[u8]) -> bool {
    if matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..]) {
        return true;
    }
    match language {
        Language::TypeScript | Language::JavaScript => FOR_TYPESCRIPT.interesting(bytes),
        Language::Python => FOR_PYTHON.interesting(bytes),
        Language::Rust => FOR_RUST.interesting(bytes),
    }
}

mod imports;
mod state;

pub use imports::imports;
pub use state::keeps_state;

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [(Language, &[(&str, u8)]); 3] =
        [(Language::TypeScript, TYPESCRIPT), (Language::Python, PYTHON), (Language::Rust, RUST)];

    #[test]
    fn each_literal_does_what_its_class_says() {
        for (language, literals) in ALL {
            let of = |class| literals.iter().filter(move |literal| literal.1 == class).map(|literal| literal.0);
            for strong in of(STRONG) {
                assert!(interesting(language, strong.as_bytes()), "{strong}");
            }
            for import in of(IMPORT) {
                assert!(!interesting(language, import.as_bytes()), "{import} alone");
                for weak in of(WEAK) {
                    assert!(interesting(language, format!("{import} {weak}").as_bytes()), "{import} with {weak}");
                }
            }
            for weak in of(WEAK) {
                assert!(!interesting(language, weak.as_bytes()), "{weak} alone");
            }
        }
    }

    #[test]
    fn a_short_literal_never_hides_a_longer_one() {
        for (language, literals) in ALL {
            for (strong, class) in literals {
                if *class == STRONG {
                    for prefix in ["_", "x.", "sessionId ", "\"", "session_id."] {
                        assert!(interesting(language, format!("{prefix}{strong}").as_bytes()), "{prefix}{strong}");
                    }
                }
            }
        }
    }

    #[test]
    fn servers_without_the_word_session_pass() {
        let ts =
            b"import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';\nserver.registerTool('a', {}, f);";
        assert!(interesting(Language::TypeScript, ts));
        assert!(interesting(
            Language::JavaScript,
            b"const { Server } = require('@modelcontextprotocol/sdk/server/index.js');\nnew Server({})"
        ));
        for tool in ["@mcp.tool()\n", "@mcp.tool\ndef f(): ...\n", "mcp.add_tool(f)\n"] {
            let text = format!("from mcp.server.fastmcp import FastMCP\n{tool}");
            assert!(interesting(Language::Python, text.as_bytes()), "{tool}");
        }
        assert!(interesting(Language::Rust, b"use rmcp::{tool, ServerHandler};\n"));
    }

    #[test]
    fn a_protocol_spoken_by_hand_passes() {
        for text in
            ["case 'tools/call': break; case 'initialize':", "if (m === \"initialize\") {} if (m === \"tools/list\")"]
        {
            assert!(interesting(Language::TypeScript, text.as_bytes()), "{text}");
        }
        assert!(!interesting(Language::TypeScript, b"fetch('/tools/list')"));
    }

    #[test]
    fn ordinary_files_do_not() {
        for (language, text) in [
            (Language::TypeScript, "import session from 'express-session'; req.session.sessionId"),
            (Language::Python, "import aiohttp\nasync with aiohttp.ClientSession() as session_id: pass"),
            (Language::Rust, "fn main() { let session_id = 1; }"),
            (Language::TypeScript, ""),
        ] {
            assert!(!interesting(language, text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn utf16_is_not_judged_by_bytes() {
        assert!(interesting(Language::TypeScript, &[0xFF, 0xFE, b'a', 0]));
    }
}
