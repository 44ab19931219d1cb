//! Source text, spans and the tree-sitter wrapper. Knows nothing of MCP.

pub mod comments;
pub mod line_index;
pub mod source;
pub mod tree;
