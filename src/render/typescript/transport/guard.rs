//! Failures of handlers under a framework that does not look after them: the client would wait for ever.

use std::rc::Rc;

use tree_sitter::Node;

use super::fold::any;
use super::lines;
use super::machine::parameters;
use super::modern::applied;
use crate::lower::typescript;
use crate::model::facts::Span;
use crate::plan::web::Framework;
use crate::render::Change;
use crate::render::typescript::entry::Entry;
use crate::render::typescript::lines::deeper;
use crate::render::typescript::script::{Script, children, enclosing_function, is_function, leading_comments, span};
use crate::syntax::source::SourceText;

/// Calls that register handlers of requests.
const REGISTERS: &[&str] = &["post", "all", "use"];

/// What is told of it.
pub const NOTE: &str = "A handler that fails answers 500 now: under this release of Express nothing else would answer.";

/// The changes of a file, with a `try` in the handlers that serve and have none; nothing where all have one.
pub fn changes(script: &Script, own: &[Change]) -> Option<Vec<Change>> {
    if own.is_empty() {
        return None;
    }
    let text = applied(script.text(), own);
    guarded(script, &text).map(|text| lines::changes(script, &text))
}

fn guarded(script: &Script, text: &str) -> Option<String> {
    let tree = typescript::parse(&script.path, text).ok()?;
    let source = SourceText { text: text.to_owned(), ..(*script.source).clone() };
    let new = Script::new(&script.path, Rc::new(source), tree);
    let mut handlers: Vec<Node<'_>> = Vec::new();
    any(new.tree.root_node(), &mut |node| {
        let callee = node.child_by_field_name("function").filter(|_| node.kind() == "call_expression");
        let answers = callee
            .and_then(|callee| callee.child_by_field_name("property"))
            .is_some_and(|name| new.of(name) == "handleRequest");
        let handler = enclosing_function(node).filter(|_| answers);
        handlers.extend(handler.filter(|handler| {
            !handlers.contains(handler)
                && !is_caught(node, *handler)
                && !script.text().contains(new.of(*handler))
                && is_handler(&new, *handler)
        }));
        false
    });
    let changes: Vec<Change> = handlers.into_iter().filter_map(|handler| guard(&new, handler)).collect();
    (!changes.is_empty()).then(|| applied(text, &changes))
}

/// Whether a `try` stands between a node and the function around it.
fn is_caught(node: Node<'_>, function: Node<'_>) -> bool {
    std::iter::successors(node.parent(), Node::parent)
        .take_while(|around| *around != function)
        .any(|around| around.kind() == "try_statement" && around.child_by_field_name("handler").is_some())
}

/// Whether an asynchronous function is registered for requests as it stands, by no helper that looks after failures.
fn is_handler(script: &Script, function: Node<'_>) -> bool {
    let waits = function.child(0).is_some_and(|first| first.kind() == "async");
    let name = match function.parent() {
        Some(declarator) if declarator.kind() == "variable_declarator" => declarator.child_by_field_name("name"),
        _ => function.child_by_field_name("name").filter(|_| function.kind() == "function_declaration"),
    };
    let name = name.map(|name| script.of(name));
    waits
        && any(script.tree.root_node(), &mut |call| {
            let callee = call.child_by_field_name("function").filter(|_| call.kind() == "call_expression");
            let method = callee.and_then(|callee| callee.child_by_field_name("property"));
            method.is_some_and(|method| REGISTERS.contains(&script.of(method)))
                && call.child_by_field_name("arguments").map_or_else(Vec::new, children).into_iter().any(|argument| {
                    argument == function || (argument.kind() == "identifier" && Some(script.of(argument)) == name)
                })
        })
}

/// The body of a handler in a `try`.
fn guard(script: &Script, handler: Node<'_>) -> Option<Change> {
    let body = handler.child_by_field_name("body").filter(|body| body.kind() == "statement_block")?;
    let mut cursor = body.walk();
    let inner: Vec<Node<'_>> = body.named_children(&mut cursor).collect();
    let statements: Vec<Node<'_>> = inner.iter().copied().filter(|node| node.kind() != "comment").collect();
    let (first, last) = (statements.first()?, inner.last()?);
    let names: Vec<&str> = parameters(handler)
        .into_iter()
        .map(|parameter| parameter.child_by_field_name("pattern").unwrap_or(parameter))
        .filter(|name| name.kind() == "identifier")
        .map(|name| script.of(name))
        .collect();
    let [request, response, ..] = names.as_slice() else { return None };
    let (start, end) = (script.line_start(leading_comments(script, *first)), script.line_end(last.end_byte()));
    let whole_lines = start > body.start_byte() && end <= script.line_start(body.end_byte());
    // A function that is declared within the body is seen from all of it.
    let declares = statements.iter().any(|node| is_function(*node));
    if !whole_lines || declares || span(body).end as usize <= end {
        return None;
    }
    let entry = Entry { style: &script.style, framework: Framework::Express, request, response, types: None };
    let indent = script.indentation(*first);
    let lines = Span::new(start, end);
    let caught = script.indented(&entry.caught(), indent);
    let newline = script.style.newline;
    Some(script.change(lines, format!("{indent}try {{{newline}{}{indent}}} {caught}{newline}", deeper(script, lines))))
}
