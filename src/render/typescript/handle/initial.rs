//! The value that something would have created where it was first used: which one it is, and whether a tool can create it.

use tree_sitter::Node;

use super::reach;
use super::work::{Initial, Work, same_code};
use crate::render::Refused;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, children, span, statement};

/// There is no such value.
pub fn nothing(work: &Work<'_>) -> Refused {
    Refused {
        at: work.handle.store.declared.clone(),
        why: "no initial value was found that a tool could create".to_owned(),
        todo: "write a tool that creates one".to_owned(),
        also: Vec::new(),
    }
}

/// The initial value, where all places agree on one.
pub fn chosen(work: &Work<'_>) -> Result<Initial, Refused> {
    let strong = work.initials.iter().any(|initial| initial.strong);
    let mut candidates = work.initials.iter().filter(|initial| initial.strong || !strong);
    let first = candidates.next().ok_or_else(|| nothing(work))?;
    let text = |initial: &Initial| work.scripts.by_path(&initial.path).map(|script| script.slice(initial.span));
    for other in candidates {
        let (Some(a), Some(b)) = (text(first), text(other)) else { continue };
        if !same_code(a, b) {
            let script = work.scripts.by_path(&other.path).ok_or_else(|| nothing(work))?;
            let node = script.around(other.span).unwrap_or(script.tree.root_node());
            return Err(script.refuse(
                node,
                "a value starts in different ways here and elsewhere",
                "let one function make the first value",
            ));
        }
    }
    Ok(first.clone())
}

/// Refuses an initial value that depends on what only its function knows. Answers the constants beside it that it is made of, which
/// are made where it is.
pub fn free<'t>(
    work: &mut Work<'_>,
    script: &Script,
    origin: &'t Script,
    node: Node<'t>,
) -> Result<Vec<Node<'t>>, Refused> {
    let mut made = Vec::new();
    let ids = work.handle.carriers.iter().flat_map(|carrier| &carrier.ids);
    if let Some(id) = ids.into_iter().find(|id| id.path == origin.path && span(node).contains(id.span)) {
        let at = origin.around(id.span).unwrap_or(node);
        return Err(origin.refuse(at, "the first value holds the session id", "leave it out of the value"));
    }
    for name in names_in(node) {
        let text = origin.of(name);
        if is_global(text) || is_own(origin, node, text) {
            continue;
        }
        if let Some(constant) = beside(work, origin, name) {
            let value = constant.child_by_field_name("value").unwrap_or(constant);
            made.extend(free(work, script, origin, value)?);
            made.push(constant);
            continue;
        }
        if text == "this" || !is_top_level(origin, text) {
            return Err(origin.refuse(
                name,
                format!("the first value depends on `{text}`, which the tool that creates it does not know"),
                "let the tool that creates it take that as an argument",
            ));
        }
        if origin.path != script.path && !is_top_level(script, text) {
            reach::bring(work, script, origin, name)?;
        }
    }
    if origin.path != script.path {
        for name in types_in(node) {
            let text = origin.of(name);
            if is_top_level(origin, text) && !is_top_level(script, text) {
                reach::bring(work, script, origin, name)?;
            }
        }
    }
    made.sort_by_key(Node::start_byte);
    made.dedup();
    Ok(made)
}

/// The declaration of a constant that stands above the value in the same block: `const now = new Date();`
fn beside<'t>(work: &Work<'_>, script: &'t Script, name: Node<'t>) -> Option<Node<'t>> {
    let declarator = scope::declaration(script, name, script.of(name))?.parent()?;
    let own = declarator.parent().filter(|own| own.kind() == "lexical_declaration" && children(*own).len() == 1)?;
    let constant = own.child(0).is_some_and(|word| script.of(word) == "const");
    let plain = declarator.child_by_field_name("name").is_some_and(|name| name.kind() == "identifier");
    let block = own.parent().filter(|block| block.kind() == "statement_block")?;
    let above = own.end_byte() <= name.start_byte() && statement(name).parent() == Some(block);
    let value = declarator.child_by_field_name("value")?;
    let waits = mentions_await(value);
    (constant && plain && above && !waits && script.of(name) != work.handle.names.argument).then_some(declarator)
}

fn mentions_await(node: Node<'_>) -> bool {
    node.kind() == "await_expression" || children(node).into_iter().any(mentions_await)
}

/// The names of types that a value is written with.
fn types_in(node: Node<'_>) -> Vec<Node<'_>> {
    let (mut out, mut stack) = (Vec::new(), vec![node]);
    while let Some(node) = stack.pop() {
        if node.kind() == "type_identifier" {
            out.push(node);
        }
        stack.extend(children(node));
    }
    out.sort_by_key(Node::start_byte);
    out
}

/// The names that a value depends on.
pub fn names_in(node: Node<'_>) -> Vec<Node<'_>> {
    let mut out = Vec::new();
    mentioned(node, &mut out);
    out
}

fn mentioned<'t>(node: Node<'t>, out: &mut Vec<Node<'t>>) {
    match node.kind() {
        "identifier" | "shorthand_property_identifier" | "this" => out.push(node),
        "type_annotation" | "type_arguments" => {}
        "as_expression" | "satisfies_expression" => {
            if let Some(value) = children(node).first() {
                mentioned(*value, out);
            }
        }
        _ => children(node).into_iter().for_each(|child| mentioned(child, out)),
    }
}

/// Whether a name is one of the language or of the platform.
pub fn is_global(name: &str) -> bool {
    [
        "Date",
        "Map",
        "Set",
        "Array",
        "Object",
        "Math",
        "Number",
        "String",
        "JSON",
        "undefined",
        "null",
        "Infinity",
        "NaN",
        "process",
        "crypto",
        "structuredClone",
        "Promise",
        "Boolean",
        "BigInt",
        "Symbol",
        "WeakMap",
        "RegExp",
        "Error",
        "URL",
        "globalThis",
        "performance",
        "console",
        "AbortController",
        "Buffer",
    ]
    .contains(&name)
}

/// Whether a name is declared within the value itself: a parameter of a callback.
pub fn is_own(script: &Script, value: Node<'_>, name: &str) -> bool {
    let mut stack = vec![value];
    while let Some(node) = stack.pop() {
        let binds = matches!(node.kind(), "formal_parameters" | "variable_declarator")
            || node.parent().is_some_and(|parent| parent.child_by_field_name("parameter") == Some(node));
        if binds && script.of(node).split(|char: char| !char.is_alphanumeric() && char != '_').any(|word| word == name)
        {
            return true;
        }
        stack.extend(children(node));
    }
    false
}

/// Whether a name is imported or declared at the top of a file.
fn is_top_level(script: &Script, name: &str) -> bool {
    children(script.tree.root_node()).into_iter().any(|node| {
        let node = if node.kind() == "export_statement" {
            node.child_by_field_name("declaration").unwrap_or(node)
        } else {
            node
        };
        match node.kind() {
            "import_statement" => script
                .of(node)
                .split(|char: char| !char.is_alphanumeric() && char != '_' && char != '$')
                .any(|word| word == name),
            "lexical_declaration" | "variable_declaration" => children(node).into_iter().any(|declarator| {
                declarator.child_by_field_name("name").is_some_and(|bound| {
                    script
                        .of(bound)
                        .split(|char: char| !char.is_alphanumeric() && char != '_' && char != '$')
                        .any(|word| word == name)
                })
            }),
            _ => node.child_by_field_name("name").is_some_and(|bound| script.of(bound) == name),
        }
    })
}
