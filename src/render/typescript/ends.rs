//! Whether code stands in a function after which the process ends.

use tree_sitter::Node;

use super::script::{Script, is_function, span};
use crate::plan::Site;

/// Whether the process ends after the code at `node`; `endings` are the functions of which that is known.
pub fn ends_process(endings: &[Site], script: &Script, node: Node<'_>) -> bool {
    let mut functions = std::iter::successors(node.parent(), Node::parent).filter(|around| is_function(*around));
    functions.any(|function| endings.iter().any(|site| site.path == script.path && site.span == span(function)))
}
