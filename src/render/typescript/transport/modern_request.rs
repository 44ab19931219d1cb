//! Servers that are built for who asks: a handler of the second SDK is made for each request, around what builds the server for it.

use tree_sitter::Node;

use super::fold::any;
use super::modern::{self, Served};
use super::modern_inline::{Built, bound};
use crate::model::facts::Span;
use crate::plan::web::Framework;
use crate::render::Change;
use crate::render::typescript::entry::{Entry, Modern};
use crate::render::typescript::in_flight::free_name;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, is_statement};

/// What the reader has to know of it.
pub(super) const NOTE: &str = "The server depends on the request, so the handler is made for each of them: its bound on subscription streams holds for one request.";

/// What stands above the handler.
pub(super) const COMMENT: &str = "// The server depends on the request, so its handler is made for each of them. It answers GET and DELETE with 405.";

/// Looks at `const server = build(caller)`. `None` where what it is given may have changed by the time the handler builds the server, or
/// where its type is not seen to be the same there.
pub(super) fn look(script: &Script, function: Node<'_>, declaration: Node<'_>, set_up: &[Node<'_>]) -> Option<Built> {
    let declarators = children(declaration);
    let [declarator] = declarators.as_slice() else { return None };
    let value = declarator.child_by_field_name("value")?;
    let plain = if value.kind() == "await_expression" { *children(value).first()? } else { value };
    if !set_up.is_empty() || !matches!(plain.kind(), "new_expression" | "call_expression") {
        return None;
    }
    let local = bound(script, function, &[declaration]);
    let mut firm = true;
    any(plain, &mut |node| {
        firm &= match node.kind() {
            "identifier" | "shorthand_property_identifier" if local.contains(script.of(node)) => {
                is_firm(script, function, node)
            }
            "await_expression" | "yield_expression" => false,
            _ => true,
        };
        !firm
    });
    firm.then(|| Built { build: script.of(plain).to_owned(), function: String::new(), of_request: true })
}

/// Whether a name of the function stands for the same value from its declaration on; what is read off it must not be looked at before,
/// as what a check says of it does not reach into a function.
fn is_firm(script: &Script, function: Node<'_>, used: Node<'_>) -> bool {
    let name = script.of(used);
    let mut firm = true;
    any(function, &mut |node| {
        let target = match node.kind() {
            "assignment_expression" | "augmented_assignment_expression" => node.child_by_field_name("left"),
            "update_expression" => node.child_by_field_name("argument"),
            "lexical_declaration" => {
                let changes = node.child_by_field_name("kind").is_none_or(|kind| kind.kind() != "const");
                children(node).first().and_then(|first| first.child_by_field_name("name")).filter(|_| changes)
            }
            "variable_declaration" => children(node).first().and_then(|first| first.child_by_field_name("name")),
            _ => None,
        };
        let sets = |target| any(bare(target), &mut |part| script.of(part) == name);
        firm &= target.is_none_or(|target| !sets(target));
        !firm
    });
    let mut whole = used;
    while let Some(around) = whole.parent().filter(|around| is_read_off(*around, whole)) {
        whole = around;
    }
    if whole == used || !script.typed() {
        return firm;
    }
    let mut looked_at = 0;
    any(function, &mut |node| {
        looked_at += usize::from(node.kind() == whole.kind() && script.of(node) == script.of(whole));
        false
    });
    firm && looked_at == 1
}

/// `object.name` and `object[key]` of an object, but for a method that is called.
fn is_read_off(node: Node<'_>, object: Node<'_>) -> bool {
    let called = node.parent().is_some_and(|call| call.child_by_field_name("function") == Some(node));
    matches!(node.kind(), "member_expression" | "subscript_expression")
        && node.child_by_field_name("object") == Some(object)
        && !called
}

/// The changes that put the handler into the code of the request.
pub(super) fn rewrite(script: &Script, served: &Served<'_>, framework: Framework) -> Option<Vec<Change>> {
    let function = enclosing_function(served.answer)?;
    let route = std::iter::successors(Some(function), Node::parent).find(|node| is_statement(*node))?;
    // Shutdown would have to close all handlers there are.
    if modern::drain(script, route).is_some() {
        return None;
    }
    let node = free_name(script, &["mcp", "mcpHandler", "handleMcp"]);
    let handler = if framework.returns() { free_name(script, &["handler", "mcpHandler"]) } else { String::new() };
    let factory = format!("() => {}", served.built.build);
    let options: Vec<&str> = served.options.iter().map(String::as_str).collect();
    let parts = Modern { factory: &factory, handler: &handler, node: &node, options: &options };
    let entry = Entry { style: &script.style, framework, request: "", response: "", types: None };
    let list = script.of(served.answer.child_by_field_name("arguments")?);
    let call = entry.modern_call(&parts, &list[1..list.len() - 1]);
    let (first, last) = (served.statements.first()?, served.statements.last()?);
    let (end, newline) = (if script.style.semicolons { ";" } else { "" }, script.style.newline);
    let word = if framework.returns() { "return" } else { "await" };
    let indent = script.indentation(*first);
    let made = script.indented(&entry.modern(&parts), indent);
    let text = format!("{COMMENT}{newline}{indent}{made}{newline}{indent}{word} {call}{end}");
    let mut out = vec![script.change(Span::new(first.start_byte(), last.end_byte()), text)];
    out.extend(modern::imports(script, framework));
    Some(out)
}
