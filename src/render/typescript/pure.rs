//! Whether an expression can be dropped: evaluating it does nothing.

use tree_sitter::Node;

use super::script::{Script, children};

/// Calls that only look: names of functions and methods whose arguments are all they depend on, or that read a request.
const LOOKS: &[&str] = &[
    "Number",
    "String",
    "Boolean",
    "parseInt",
    "parseFloat",
    "isArray",
    "header",
    "get",
    "has",
    "toString",
    "trim",
    "toLowerCase",
    "toUpperCase",
    "at",
    "flat",
    "slice",
    "split",
    "require",
    "Symbol",
    "freeze",
    "keys",
    "values",
    "entries",
    "isInitializeRequest",
    "randomUUID",
];

/// Containers whose construction does nothing else.
const CONTAINERS: &[&str] =
    &["Map", "Set", "WeakMap", "WeakSet", "Array", "Date", "AbortController", "AsyncLocalStorage"];

/// Whether dropping `node` changes nothing.
pub fn is_pure(script: &Script, node: Node<'_>) -> bool {
    let all = |node: Node<'_>| children(node).into_iter().all(|child| is_pure(script, child));
    match node.kind() {
        "identifier"
        | "property_identifier"
        | "shorthand_property_identifier"
        | "this"
        | "super"
        | "undefined"
        | "null"
        | "true"
        | "false"
        | "number"
        | "string"
        | "regex"
        | "arrow_function"
        | "function_expression"
        | "class"
        | "private_property_identifier"
        | "string_fragment"
        | "escape_sequence"
        | "optional_chain"
        | "computed_property_name"
        | "method_definition" => true,
        "template_string"
        | "template_substitution"
        | "object"
        | "pair"
        | "spread_element"
        | "array"
        | "binary_expression"
        | "ternary_expression"
        | "parenthesized_expression"
        | "member_expression"
        | "subscript_expression"
        | "arguments" => all(node),
        "unary_expression" => {
            node.child_by_field_name("operator").is_none_or(|operator| operator.kind() != "delete") && all(node)
        }
        "as_expression" | "satisfies_expression" | "non_null_expression" => {
            children(node).first().is_some_and(|inner| is_pure(script, *inner))
        }
        "new_expression" => {
            let made = node.child_by_field_name("constructor").map(|made| script.of(made));
            made.is_some_and(|made| CONTAINERS.contains(&made)) && arguments_pure(script, node)
        }
        "call_expression" => {
            let Some(callee) = node.child_by_field_name("function") else { return false };
            let (name, receiver) = match callee.kind() {
                "identifier" => (script.of(callee), None),
                "member_expression" => {
                    let Some(name) = callee.child_by_field_name("property") else { return false };
                    (script.of(name), callee.child_by_field_name("object"))
                }
                _ => return false,
            };
            LOOKS.contains(&name)
                && receiver.is_none_or(|receiver| is_pure(script, receiver))
                && arguments_pure(script, node)
        }
        _ => false,
    }
}

fn arguments_pure(script: &Script, call: Node<'_>) -> bool {
    call.child_by_field_name("arguments").is_none_or(|arguments| is_pure(script, arguments))
}
