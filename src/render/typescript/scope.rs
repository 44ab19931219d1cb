//! Which uses of a name mean a declaration: by the blocks and functions between them that declare the name anew.

use tree_sitter::Node;

use super::script::{Script, children, is_function};

/// The uses of the name that an identifier declares, in source order, the declaration itself left out.
pub fn uses<'t>(script: &'t Script, declared: Node<'t>) -> Vec<Node<'t>> {
    let name = script.of(declared);
    let Some(scope) = binding(script, declared, name) else { return Vec::new() };
    let mut out = Vec::new();
    let mut stack = vec![scope];
    while let Some(node) = stack.pop() {
        let names = matches!(node.kind(), "identifier" | "shorthand_property_identifier");
        if names && node != declared && script.of(node) == name && binding(script, node, name) == Some(scope) {
            out.push(node);
        }
        let mut cursor = node.walk();
        stack.extend(node.named_children(&mut cursor));
    }
    out.retain(|node| !is_binding(*node));
    out.sort_by_key(Node::start_byte);
    out
}

/// The identifier at the declaration of a name, as seen from a place.
pub fn declaration<'t>(script: &'t Script, from: Node<'t>, name: &str) -> Option<Node<'t>> {
    let scope = binding(script, from, name)?;
    let mut found = None;
    each_binding(scope, &mut |identifier| {
        if script.of(identifier) == name && found.is_none() {
            found = Some(identifier);
        }
    });
    found
}

/// The block, function or file whose declaration of a name is seen from a place.
pub fn binding<'t>(script: &'t Script, from: Node<'t>, name: &str) -> Option<Node<'t>> {
    std::iter::successors(Some(from), Node::parent).find(|scope| {
        let mut declares = false;
        each_binding(*scope, &mut |identifier| declares |= script.of(identifier) == name);
        declares
    })
}

/// The names that a statement declares in its block.
pub fn declared_by<'t>(statement: Node<'t>) -> Vec<Node<'t>> {
    let mut out = Vec::new();
    each_of_statement(statement, &mut |identifier| out.push(identifier));
    out
}

fn each_binding<'t>(scope: Node<'t>, visit: &mut dyn FnMut(Node<'t>)) {
    match scope.kind() {
        "program" | "statement_block" | "switch_case" | "switch_default" => {
            children(scope).into_iter().for_each(|statement| each_of_statement(statement, visit));
        }
        "for_statement" => {
            if let Some(first) = scope.child_by_field_name("initializer") {
                each_of_statement(first, visit);
            }
        }
        "for_in_statement" => {
            let declares = scope.child_by_field_name("kind").is_some();
            if let Some(left) = scope.child_by_field_name("left").filter(|_| declares) {
                each_of_pattern(left, visit);
            }
        }
        "catch_clause" => {
            if let Some(parameter) = scope.child_by_field_name("parameter") {
                each_of_pattern(parameter, visit);
            }
        }
        _ if is_function(scope) => {
            if let Some(one) = scope.child_by_field_name("parameter") {
                each_of_pattern(one, visit);
            }
            let parameters = scope.child_by_field_name("parameters");
            for parameter in parameters.into_iter().flat_map(children) {
                let pattern = parameter.child_by_field_name("pattern").unwrap_or(parameter);
                each_of_pattern(pattern, visit);
            }
        }
        _ => {}
    }
}

fn each_of_statement<'t>(statement: Node<'t>, visit: &mut dyn FnMut(Node<'t>)) {
    match statement.kind() {
        "lexical_declaration" | "variable_declaration" => {
            for declarator in children(statement) {
                if let Some(name) = declarator.child_by_field_name("name") {
                    each_of_pattern(name, visit);
                }
            }
        }
        "function_declaration" | "generator_function_declaration" | "class_declaration" | "enum_declaration" => {
            if let Some(name) = statement.child_by_field_name("name") {
                visit(name);
            }
        }
        "export_statement" => {
            if let Some(inner) = statement.child_by_field_name("declaration") {
                each_of_statement(inner, visit);
            }
        }
        "import_statement" => {
            let mut stack = children(statement);
            while let Some(node) = stack.pop() {
                match node.kind() {
                    "import_specifier" => {
                        let local = node.child_by_field_name("alias").or_else(|| node.child_by_field_name("name"));
                        local.into_iter().for_each(&mut *visit);
                    }
                    "identifier" => visit(node),
                    "import_clause" | "named_imports" | "namespace_import" => stack.extend(children(node)),
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

fn each_of_pattern<'t>(pattern: Node<'t>, visit: &mut dyn FnMut(Node<'t>)) {
    match pattern.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => visit(pattern),
        "pair_pattern" => {
            if let Some(value) = pattern.child_by_field_name("value") {
                each_of_pattern(value, visit);
            }
        }
        "assignment_pattern" | "object_assignment_pattern" => {
            if let Some(left) = pattern.child_by_field_name("left") {
                each_of_pattern(left, visit);
            }
        }
        "object_pattern" | "array_pattern" | "rest_pattern" | "required_parameter" | "optional_parameter" => {
            children(pattern).into_iter().for_each(|child| each_of_pattern(child, visit));
        }
        _ => {}
    }
}

/// Whether an identifier declares a name, rather than using one.
fn is_binding(node: Node<'_>) -> bool {
    let Some(parent) = node.parent() else { return false };
    match parent.kind() {
        "variable_declarator" | "function_declaration" | "class_declaration" => {
            parent.child_by_field_name("name") == Some(node)
        }
        "import_specifier" | "import_clause" | "namespace_import" => true,
        "required_parameter" | "optional_parameter" => parent.child_by_field_name("pattern") == Some(node),
        _ => false,
    }
}
