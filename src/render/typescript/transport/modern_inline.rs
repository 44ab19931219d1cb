//! Servers that a route builds in place: the code that builds one becomes a function above the route.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::fold::any;
use crate::render::typescript::in_flight::free_name;
use crate::render::typescript::script::{Script, children};

/// What builds the server of a route.
pub struct Built {
    /// What a caller writes to have one.
    pub build: String,
    /// The function that has to stand above the route; empty where the call was one before.
    pub function: String,
    /// It needs something of the request that it is built for.
    pub of_request: bool,
}

/// Looks at `const server = …` and the statements that set it up before it is connected. `None` where they need something of the
/// request.
pub fn look(script: &Script, function: Node<'_>, declaration: Node<'_>, set_up: &[Node<'_>]) -> Option<Built> {
    let declarators = children(declaration);
    let [declarator] = declarators.as_slice() else { return None };
    let (name, value) = (declarator.child_by_field_name("name")?, declarator.child_by_field_name("value")?);
    let mut moved = vec![declaration];
    moved.extend_from_slice(set_up);
    let local = bound(script, function, &moved);
    if moved.iter().any(|node| any(*node, &mut |node| needs(script, node, &local))) {
        return None;
    }
    let plain = if value.kind() == "await_expression" { *children(value).first()? } else { value };
    let made = matches!(plain.kind(), "new_expression" | "call_expression");
    if set_up.is_empty() {
        return made.then(|| Built { build: script.of(plain).to_owned(), function: String::new(), of_request: false });
    }
    let server = script.of(name);
    if plain.kind() != "new_expression" || !set_up.iter().all(|node| sets_up(script, *node, server)) {
        return None;
    }
    let waits = moved.iter().any(|node| waits(*node));
    let class = plain.child_by_field_name("constructor").filter(|class| class.kind() == "identifier")?;
    let called = free_name(script, &["createServer", "buildServer", "newServer"]);
    let ty = match (script.typed(), waits) {
        (false, _) => String::new(),
        (true, false) => format!(": {}", script.of(class)),
        (true, true) => format!(": Promise<{}>", script.of(class)),
    };
    let (word, end) = (if waits { "async " } else { "" }, if script.style.semicolons { ";" } else { "" });
    let newline = script.style.newline;
    let unit = script.style.indent.text();
    let indent = script.indentation(declaration);
    let lines: Vec<String> = moved
        .iter()
        .map(|node| shifted(script, *node, indent, &unit))
        .chain([format!("{unit}return {server}{end}")])
        .collect();
    Some(Built {
        of_request: false,
        build: format!("{called}()"),
        function: format!("{word}function {called}(){ty} {{{newline}{}{newline}}}", lines.join(newline)),
    })
}

/// A statement with the comments above it, as it stands in a function at no indentation.
fn shifted(script: &Script, node: Node<'_>, indent: &str, unit: &str) -> String {
    let text = &script.text()[script.with_comments(node)..node.end_byte()];
    let newline = script.style.newline;
    let lines = text.split(newline).map(|line| line.strip_prefix(indent).unwrap_or(line));
    let kept: Vec<String> =
        lines.map(|line| if line.is_empty() { String::new() } else { format!("{unit}{line}") }).collect();
    kept.join(newline)
}

/// Names that a function binds outside of some of its statements, its parameters included.
pub(super) fn bound(script: &Script, function: Node<'_>, moved: &[Node<'_>]) -> FxHashSet<String> {
    let mut out = FxHashSet::default();
    collect(script, function, moved, &mut out);
    out
}

fn collect(script: &Script, node: Node<'_>, moved: &[Node<'_>], out: &mut FxHashSet<String>) {
    if moved.contains(&node) {
        return;
    }
    let patterns: Vec<Node<'_>> = match node.kind() {
        "variable_declarator" | "function_declaration" | "class_declaration" => {
            node.child_by_field_name("name").into_iter().collect()
        }
        "required_parameter" | "optional_parameter" => node.child_by_field_name("pattern").into_iter().collect(),
        "formal_parameters" => children(node),
        "arrow_function" => node.child_by_field_name("parameter").into_iter().collect(),
        "catch_clause" => node.child_by_field_name("parameter").into_iter().collect(),
        "for_in_statement" => node.child_by_field_name("left").into_iter().collect(),
        _ => Vec::new(),
    };
    for pattern in patterns {
        any(pattern, &mut |node| {
            if matches!(node.kind(), "identifier" | "type_identifier" | "shorthand_property_identifier_pattern") {
                out.insert(script.of(node).to_owned());
            }
            false
        });
    }
    for child in children(node) {
        collect(script, child, moved, out);
    }
}

/// Whether a node is something that only the code of the request has, or that can't stand elsewhere.
fn needs(script: &Script, node: Node<'_>, local: &FxHashSet<String>) -> bool {
    match node.kind() {
        "identifier" | "shorthand_property_identifier" | "type_identifier" => local.contains(script.of(node)),
        // Its lines would move, and with them its text.
        "template_string" => script.of(node).contains('\n'),
        _ => false,
    }
}

fn is_callback(node: Node<'_>) -> bool {
    matches!(node.kind(), "arrow_function" | "function_expression" | "method_definition" | "function_declaration")
}

/// Whether a statement does nothing but to set up the server.
fn sets_up(script: &Script, node: Node<'_>, server: &str) -> bool {
    let names = any(node, &mut |node| node.kind() == "identifier" && script.of(node) == server);
    let this = any(node, &mut |node| node.kind() == "this");
    node.kind() == "expression_statement" && names && !this
}

/// Whether a statement waits for something itself.
fn waits(node: Node<'_>) -> bool {
    match node.kind() {
        "await_expression" => true,
        _ if is_callback(node) => false,
        _ => children(node).into_iter().any(waits),
    }
}
