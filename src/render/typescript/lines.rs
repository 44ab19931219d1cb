//! Moving lines of code deeper: the text of strings that run over several lines is theirs, and stays where it is.

use tree_sitter::Node;

use super::script::Script;
use crate::model::facts::Span;

/// The text of a span, its lines one level deeper. The span begins at a line start.
pub fn deeper(script: &Script, span: Span) -> String {
    let unit = script.style.indent.text();
    let mut out = String::new();
    let mut at = span.start as usize;
    for line in script.slice(span).split_inclusive('\n') {
        if !line.trim_end_matches(['\n', '\r']).is_empty() && !within_text(script, at) {
            out.push_str(&unit);
        }
        out.push_str(line);
        at += line.len();
    }
    out
}

/// Whether the start of a line lies within a string that began before it.
fn within_text(script: &Script, at: usize) -> bool {
    let node = script.tree.root_node().descendant_for_byte_range(at, at);
    std::iter::successors(node, Node::parent)
        .any(|node| matches!(node.kind(), "template_string" | "string" | "jsx_text") && node.start_byte() < at)
}
