//! Helpers that build a server and connect it to a transport for the code that answers: what is left of them builds the server.

use std::rc::Rc;

use tree_sitter::Node;

use super::fold::any;
use crate::lower::typescript;
use crate::model::facts::Span;
use crate::render::Change;
use crate::render::typescript::in_flight::free_name;
use crate::render::typescript::script::{Script, bare, children, span};
use crate::syntax::source::SourceText;

/// What is known of a helper.
pub struct Helper<'t> {
    /// The construction of its transport.
    pub made: Node<'t>,
    /// What builds the server now.
    pub build: String,
    /// The changes that make it so.
    pub changes: Vec<Change>,
    /// Its name, where it is still there.
    pub name: Option<String>,
}

/// The text with a new name for what does not open sessions any more.
pub fn renamed(path: &str, text: String, old: &str) -> Option<String> {
    let tree = typescript::parse(path, &text).ok()?;
    let source = SourceText::decode(text.into_bytes()).ok()?;
    let script = Script::new(path, Rc::new(source), tree);
    let new = free_name(&script, &["buildServer", "createServer", "newServer"]);
    let mut named = Vec::new();
    any(script.tree.root_node(), &mut |node| {
        if node.kind() == "identifier" && script.of(node) == old {
            named.push(node.byte_range());
        }
        false
    });
    let mut out = script.text().to_owned();
    for at in named.into_iter().rev() {
        out.replace_range(at, &new);
    }
    Some(out)
}

/// Looks at the helper that a call runs. `None` where it does more than to build a server, to connect it and to hand it back.
pub fn look<'t>(script: &'t Script, call: Node<'t>) -> Option<Helper<'t>> {
    let callee = call.child_by_field_name("function").filter(|callee| callee.kind() == "identifier")?;
    call.child_by_field_name("arguments")?;
    let name = script.of(callee);
    let function = declared(script, name)?;
    let mut uses = 0;
    any(script.tree.root_node(), &mut |node| {
        uses += usize::from(
            matches!(node.kind(), "identifier" | "shorthand_property_identifier") && script.of(node) == name,
        );
        false
    });
    let body = function.child_by_field_name("body").filter(|body| body.kind() == "statement_block")?;
    // The declaration and this call.
    if uses != 2 || function.parent()?.kind() == "export_statement" {
        return None;
    }
    let statements = children(body);
    let (last, rest) = statements.split_last()?;
    let returned = returned(*last)?;
    let connect =
        rest.iter().copied().find(|node| called(script, *node).is_some_and(|(_, method, _)| method == "connect"))?;
    let (server, _, _) = called(script, connect)?;
    let (record, made) = rest.iter().find_map(|node| Some((*node, construction(script, *node)?)))?;
    let holder = declarator(record)?.child_by_field_name("name")?;
    let hands_back = hands_back(script, returned, script.of(holder));
    let mut gone = vec![record, connect];
    let plain = server.kind() == "identifier";
    // Nothing else may use the transport or what holds it.
    let used = rest.iter().filter(|node| !gone.contains(node)).any(|node| mentions(script, *node, script.of(holder)));
    let leaves = any(body, &mut |node| node.kind() == "return_statement" && node != *last);
    if !hands_back || used || leaves || !(plain || server.kind() == "call_expression") {
        return None;
    }
    let server = script.of(server);
    gone.retain(|node| *node != *last);
    let mut changes: Vec<Change> = gone.iter().map(|node| script.change(script.removal(*node), "")).collect();
    if !plain && rest.len() == gone.len() {
        let whole = statement_of(function);
        let changes = vec![script.change(script.removal(whole), "")];
        return Some(Helper { made, build: server.to_owned(), changes, name: None });
    }
    changes.push(script.change(span(returned), server));
    if let Some(ty) = function.child_by_field_name("return_type") {
        changes.push(script.change(span(ty), ""));
    }
    let waits =
        rest.iter().any(|node| !gone.contains(node) && any(*node, &mut |node| node.kind() == "await_expression"));
    let async_word = function.child(0).filter(|word| word.kind() == "async");
    if let Some(word) = async_word.filter(|_| !waits) {
        let next = function.child(1)?;
        changes.push(script.change(Span::new(word.start_byte(), next.start_byte()), ""));
    }
    Some(Helper { made, build: script.of(call).to_owned(), changes, name: Some(name.to_owned()) })
}

/// The function of a name that the file's top level declares.
fn declared<'t>(script: &'t Script, name: &str) -> Option<Node<'t>> {
    children(script.tree.root_node()).into_iter().find_map(|node| {
        let function = match node.kind() {
            "function_declaration" => node,
            _ => declarator(node)?.child_by_field_name("value").filter(|value| value.kind() == "arrow_function")?,
        };
        let named = match function.kind() {
            "function_declaration" => function.child_by_field_name("name")?,
            _ => function.parent()?.child_by_field_name("name")?,
        };
        let parameters = function.child_by_field_name("parameters").map_or_else(Vec::new, children);
        (script.of(named) == name && parameters.is_empty()).then_some(function)
    })
}

fn statement_of(function: Node<'_>) -> Node<'_> {
    match function.kind() {
        "function_declaration" => function,
        _ => function.parent().and_then(|declarator| declarator.parent()).unwrap_or(function),
    }
}

fn declarator(node: Node<'_>) -> Option<Node<'_>> {
    let declarators = children(node);
    (node.kind() == "lexical_declaration" && declarators.len() == 1).then(|| declarators[0])
}

fn returned(node: Node<'_>) -> Option<Node<'_>> {
    (node.kind() == "return_statement").then(|| children(node).first().copied())?
}

/// What a statement calls: the receiver, the method, the arguments.
fn called<'s, 't>(script: &'s Script, node: Node<'t>) -> Option<(Node<'t>, &'s str, Vec<Node<'t>>)> {
    let call = bare(*children(node).first().filter(|_| node.kind() == "expression_statement")?);
    let callee = call.child_by_field_name("function")?;
    let method = script.of(callee.child_by_field_name("property")?);
    Some((bare(callee.child_by_field_name("object")?), method, children(call.child_by_field_name("arguments")?)))
}

/// `const transport = new Transport(…)`, `const session = { server, transport: new Transport(…), since: Date.now() }`.
fn construction<'t>(script: &Script, node: Node<'t>) -> Option<Node<'t>> {
    let value = bare(declarator(node)?.child_by_field_name("value")?);
    match value.kind() {
        "new_expression" => is_transport(script, value).then_some(value),
        "object" => {
            let mut found = None;
            for field in children(value) {
                let value = field.child_by_field_name("value").map(bare);
                match value {
                    Some(value) if value.kind() == "new_expression" && is_transport(script, value) => {
                        found = Some(value)
                    }
                    Some(value) if any(value, &mut |node| node.kind() == "await_expression") => return None,
                    _ => {}
                }
            }
            found
        }
        _ => None,
    }
}

fn is_transport(script: &Script, new: Node<'_>) -> bool {
    new.child_by_field_name("constructor").is_some_and(|class| script.of(class).ends_with("Transport"))
}

/// Whether what a helper returns is its transport, or a record that holds it.
fn hands_back(script: &Script, returned: Node<'_>, holder: &str) -> bool {
    match returned.kind() {
        "identifier" => script.of(returned) == holder,
        "object" => children(returned)
            .into_iter()
            .any(|field| script.of(field.child_by_field_name("value").unwrap_or(field)) == holder),
        _ => false,
    }
}

fn mentions(script: &Script, node: Node<'_>, name: &str) -> bool {
    any(node, &mut |node| {
        matches!(node.kind(), "identifier" | "shorthand_property_identifier") && script.of(node) == name
    })
}
