//! A parsed file, with the questions that edits ask of it.

use std::rc::Rc;

use tree_sitter::{Node, Tree};

use super::formatter::Formatter;
use super::style::Style;
use crate::lower::typescript;
use crate::model::facts::Span;
use crate::plan::Site;
use crate::render::{Change, Files, Refused};
use crate::syntax::source::SourceText;

/// A parsed file.
pub struct Script {
    /// Its path, relative to the root.
    pub path: String,
    /// Its text.
    pub source: Rc<SourceText>,
    /// Its syntax tree.
    pub tree: Tree,
    /// How it is written.
    pub style: Style,
    /// It is to be made: its text is that of another file, which the changes make its own.
    pub is_draft: bool,
}

impl Script {
    /// Reads and parses a file. A file that is gone or can't be parsed is refused.
    pub fn open(files: &dyn Files, path: &str) -> Result<Self, Refused> {
        let nowhere = Site { path: path.to_owned(), span: Span::default() };
        let source = files.text(path).ok_or_else(|| Refused {
            at: nowhere.clone(),
            why: "the file can't be read any more".to_owned(),
            todo: "run again once it is there".to_owned(),
            also: Vec::new(),
        })?;
        let tree = typescript::parse(path, &source.text).map_err(|error| Refused {
            at: nowhere,
            why: format!("it can't be parsed: {error}"),
            todo: "split the file, or migrate it by hand".to_owned(),
            also: Vec::new(),
        })?;
        let mut own = Self::new(path, source, tree);
        own.style = own.style.told(&Formatter::of(files, path), own.text());
        Ok(own)
    }

    /// A file that is parsed already.
    pub fn new(path: &str, source: Rc<SourceText>, tree: Tree) -> Self {
        let style = Style::of(&source.text, source.eol, tree.root_node());
        Self { path: path.to_owned(), source, tree, style, is_draft: false }
    }

    /// A file that is to be made, and begins as this one.
    pub fn draft(&self, path: &str) -> Self {
        let (source, tree) = (Rc::clone(&self.source), self.tree.clone());
        Self { path: path.to_owned(), source, tree, style: self.style, is_draft: true }
    }

    /// The same file with another text, where that can be parsed.
    pub fn with_text(&self, text: &str) -> Option<Self> {
        let tree = typescript::parse(&self.path, text).ok()?;
        let source = SourceText { text: text.to_owned(), ..(*self.source).clone() };
        Some(Self { path: self.path.clone(), source: Rc::new(source), tree, ..*self })
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.source.text
    }

    /// The text of a node.
    pub fn of(&self, node: Node<'_>) -> &str {
        &self.source.text[node.byte_range()]
    }

    /// The text of a span.
    pub fn slice(&self, span: Span) -> &str {
        &self.source.text[span.start as usize..span.end as usize]
    }

    /// Whether a JavaScript file says types in comments.
    pub fn documents_types(&self) -> bool {
        !self.typed() && ["@param {", "@type {", "@typedef {"].iter().any(|tag| self.text().contains(tag))
    }

    /// Whether the file is TypeScript.
    pub fn typed(&self) -> bool {
        [".ts", ".tsx", ".mts", ".cts"].iter().any(|end| self.path.ends_with(end))
    }

    /// The outermost expression, declaration or part of one with exactly this span. A statement that is nothing but an expression, with
    /// no semicolon behind it, has the span of that: it is not meant.
    pub fn node(&self, span: Span) -> Option<Node<'_>> {
        let (start, end) = (span.start as usize, span.end as usize);
        let mut node = self.tree.root_node().named_descendant_for_byte_range(start, end)?;
        if node.byte_range() != (start..end) {
            return None;
        }
        let meant = |node: &Node<'_>| {
            node.byte_range() == (start..end)
                && node.is_named()
                && !matches!(node.kind(), "expression_statement" | "program" | "statement_block")
        };
        while let Some(parent) = node.parent().filter(meant) {
            node = parent;
        }
        Some(node)
    }

    /// The smallest named node around a span.
    pub fn around(&self, span: Span) -> Option<Node<'_>> {
        self.tree.root_node().named_descendant_for_byte_range(span.start as usize, span.end as usize)
    }

    /// A refusal at a node.
    pub fn refuse(&self, node: Node<'_>, why: impl Into<String>, todo: impl Into<String>) -> Refused {
        Refused {
            at: Site { path: self.path.clone(), span: span(node) },
            why: why.into(),
            todo: todo.into(),
            also: Vec::new(),
        }
    }

    /// A change of this file.
    pub fn change(&self, span: Span, text: impl Into<String>) -> Change {
        Change { path: self.path.clone(), span, text: text.into() }
    }

    /// Where the line of an offset begins.
    pub fn line_start(&self, offset: usize) -> usize {
        self.text()[..offset].rfind('\n').map_or(0, |at| at + 1)
    }

    /// Where the line of an offset ends, its line end included.
    pub fn line_end(&self, offset: usize) -> usize {
        self.text()[offset..].find('\n').map_or(self.text().len(), |at| offset + at + 1)
    }

    /// The white space that the line of a node begins with.
    pub fn indentation(&self, node: Node<'_>) -> &str {
        let start = self.line_start(node.start_byte());
        let rest = &self.text()[start..];
        &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
    }

    /// What has to go so that a statement is gone without a trace: its lines where it has them to itself, with the comments that
    /// stand right above it and speak of it, and with one of two blank lines around it.
    pub fn removal(&self, node: Node<'_>) -> Span {
        self.removal_from(leading_comments(self, node), node)
    }

    /// Where a statement begins, the comments that stand right above it and speak of it included.
    pub fn with_comments(&self, node: Node<'_>) -> usize {
        leading_comments(self, node)
    }

    /// [`Script::removal`], but the comments above stay: what stands above the first import speaks of the file.
    pub fn removal_below_comments(&self, node: Node<'_>) -> Span {
        self.removal_from(node.start_byte(), node)
    }

    /// [`Script::removal`] of neighbouring statements, from the first to the last.
    pub fn removal_of_run(&self, first: Node<'_>, last: Node<'_>) -> Span {
        self.removal_from(leading_comments(self, first), last)
    }

    fn removal_from(&self, mut start: usize, node: Node<'_>) -> Span {
        let text = self.text();
        let mut end = node.end_byte();
        // An automatic semicolon belongs to nobody; a written one to the statement.
        if text[end..].starts_with(';') {
            end += 1;
        }
        let line = self.line_start(start);
        let alone = text[line..start].trim().is_empty();
        let rest_end = self.line_end(end);
        let rest = text[end..rest_end].trim();
        if alone && (rest.is_empty() || rest.starts_with("//")) {
            start = line;
            end = rest_end;
            let blank_before = start == 0 || text[..start].ends_with("\n\n") || text[..start].ends_with("\n\r\n");
            let opens = text[..start].trim_end().ends_with(['{', '[', '(']);
            let next = &text[end..self.line_end(end)];
            if (blank_before || opens) && !next.is_empty() && next.trim().is_empty() {
                end += next.len();
            } else if blank_before && text[end..].trim_start_matches([' ', '\t']).starts_with(['}', ']', ')'])
                || (blank_before && end >= text.len() && start > 0)
            {
                // What would be left is a blank line before a closing bracket, or at the end of the file.
                start = text[..start].trim_end_matches(['\n', '\r', ' ', '\t']).len();
                start = self.line_end(start);
            }
        } else {
            let spaces = text[end..].len() - text[end..].trim_start_matches([' ', '\t']).len();
            end += spaces;
        }
        Span::new(start, end)
    }

    /// `text` (written at no indentation) at the indentation `indent`: every line but the first gets it.
    pub fn indented(&self, text: &str, indent: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for (index, line) in text.split_inclusive('\n').enumerate() {
            if index > 0 && !line.trim().is_empty() {
                out.push_str(indent);
            }
            out.push_str(line);
        }
        out
    }
}

/// The span of a node.
pub fn span(node: Node<'_>) -> Span {
    Span::new(node.start_byte(), node.end_byte())
}

/// The function (declaration, expression, arrow, method) around a node, not the node itself.
pub fn enclosing_function(node: Node<'_>) -> Option<Node<'_>> {
    std::iter::successors(node.parent(), Node::parent).find(|node| is_function(*node))
}

/// Whether a node is a function of any form.
pub fn is_function(node: Node<'_>) -> bool {
    matches!(
        node.kind(),
        "function_declaration"
            | "function_expression"
            | "arrow_function"
            | "method_definition"
            | "generator_function"
            | "generator_function_declaration"
    )
}

/// The statement that a node belongs to: the node itself, or the nearest one around it.
pub fn statement(node: Node<'_>) -> Node<'_> {
    std::iter::successors(Some(node), Node::parent).find(|node| is_statement(*node)).unwrap_or(node)
}

/// Whether a node stands in a list of statements.
pub fn is_statement(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    matches!(parent.kind(), "program" | "statement_block" | "switch_case" | "switch_default")
        && node.is_named()
        && parent.child_by_field_name("value") != Some(node)
}

/// Named children, comments left out.
pub fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).filter(|child| child.kind() != "comment").collect()
}

/// Whether something is called, constructed or awaited in an expression: evaluating it twice, or elsewhere, may do more.
pub fn runs_code(node: Node<'_>) -> bool {
    matches!(node.kind(), "call_expression" | "new_expression" | "await_expression")
        || children(node).into_iter().any(runs_code)
}

/// An expression without what is transparent around it: parentheses, `await`, casts, `!`.
pub fn bare(mut node: Node<'_>) -> Node<'_> {
    while matches!(
        node.kind(),
        "parenthesized_expression"
            | "await_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression"
    ) {
        match children(node).first() {
            Some(inner) => node = *inner,
            None => break,
        }
    }
    node
}

/// Where the comments begin that stand directly above a statement, no blank line between, none of them behind code.
pub fn leading_comments(script: &Script, node: Node<'_>) -> usize {
    let text = script.text();
    let mut start = node.start_byte();
    let mut before = node.prev_sibling();
    while let Some(comment) = before.filter(|before| before.kind() == "comment") {
        let between = &text[comment.end_byte()..start];
        let touches = between.trim().is_empty() && between.matches('\n').count() <= 1;
        let own_line = text[script.line_start(comment.start_byte())..comment.start_byte()].trim().is_empty();
        let licence = comment.start_byte() == 0 && (text.starts_with("#!") || text.starts_with("/*!"));
        if !touches || !own_line || licence {
            break;
        }
        start = comment.start_byte();
        before = comment.prev_sibling();
    }
    start
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::{Script, statement};
    use crate::lower::typescript;
    use crate::model::facts::Span;
    use crate::syntax::source::SourceText;

    fn script(text: &str) -> Script {
        let source = Rc::new(SourceText::decode(text.as_bytes().to_vec()).expect("text"));
        let tree = typescript::parse("a.ts", text).expect("a tree");
        Script::new("a.ts", source, tree)
    }

    fn without(text: &str, what: &str) -> String {
        let script = script(text);
        let at = text.find(what).expect("there");
        let node = script.around(Span::new(at, at + what.len())).expect("a node");
        let gone = script.removal(statement(node));
        format!("{}{}", &text[..gone.start as usize], &text[gone.end as usize..])
    }

    #[test]
    fn a_removed_statement_leaves_no_trace() {
        assert_eq!(without("a();\nb();\nc();\n", "b()"), "a();\nc();\n");
        assert_eq!(without("a();\n\n// Of b.\nb();\n\nc();\n", "b()"), "a();\n\nc();\n");
        assert_eq!(without("// Of all.\n\nb();\nc();\n", "b()"), "// Of all.\n\nc();\n");
        assert_eq!(without("{\n  b();\n\n  c();\n}\n", "b()"), "{\n  c();\n}\n");
        assert_eq!(without("{\n  a();\n\n  b();\n}\n", "b()"), "{\n  a();\n}\n");
        assert_eq!(without("a(); b(); c();\n", "b()"), "a(); c();\n");
        assert_eq!(without("a();\r\n\r\nb(); // so\r\n\r\nc();\r\n", "b()"), "a();\r\n\r\nc();\r\n");
        assert_eq!(without("a();\n\nb();\n", "b()"), "a();\n");
    }
}
