//! The syntax gate's judge: the front ends, which know what they did not understand.

use std::cell::RefCell;
use std::ops::Range;

use tree_sitter::{Node, Tree};

use crate::edit::Syntax;
use crate::lower;
use crate::model::facts::Language;
use crate::workspace::names;

/// Judges texts with the front end of their language.
#[derive(Default)]
pub struct Gate {
    /// The last text that was taken apart: edits of one file come one after the other.
    last: RefCell<Option<(String, Tree)>>,
}

impl Syntax for Gate {
    fn errors(&self, path: &str, text: &str) -> Result<Vec<Range<usize>>, String> {
        let Some(language) = names::language_of(name(path)) else { return Ok(Vec::new()) };
        let module = lower::lower(path, language, text).map_err(|error| error.to_string())?;
        Ok(module.errors.iter().map(|span| span.start as usize..span.end as usize).collect())
    }

    fn statement(&self, path: &str, text: &str, at: Range<usize>) -> Option<Range<usize>> {
        let language = names::language_of(name(path))?;
        if !matches!(language, Language::TypeScript | Language::JavaScript) {
            return None;
        }
        let mut last = self.last.borrow_mut();
        if last.as_ref().is_none_or(|(known, _)| known != text) {
            *last = Some((text.to_owned(), lower::typescript::parse(path, text).ok()?));
        }
        let (_, tree) = last.as_ref()?;
        let innermost = tree.root_node().descendant_for_byte_range(at.start, at.end)?;
        let around = std::iter::successors(Some(innermost), Node::parent);
        around.filter(|node| is_statement(*node)).map(|node| node.byte_range()).next()
    }
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn is_statement(node: Node<'_>) -> bool {
    node.kind().ends_with("_statement") || node.kind().ends_with("_declaration")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_statement_is_what_an_error_is_near_to() {
        let text = "f(() => {\n  if (a) {\n    b();\n  }\n  c();\n});\nd();\n";
        let gate = Gate::default();
        let of = |word: &str| {
            let start = text.find(word).expect("the word");
            gate.statement("a.ts", text, start..start + 1).map(|range| &text[range])
        };
        assert_eq!(of("b()"), Some("b();"));
        assert_eq!(of("a)"), Some("if (a) {\n    b();\n  }"));
        assert_eq!(of("d()"), Some("d();"));
        assert_eq!(gate.statement("a.md", text, 0..1), None);
    }
}
