//! Uses of the variables: fields of the record now, which functions take as their first parameter.

use tree_sitter::Node;

use super::super::edits::Edits;
use super::super::work::function_in;
use super::fields;
use super::record::Record;
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::{Carries, Entry};
use crate::render::Refused;
use crate::render::typescript::scope;
use crate::render::typescript::script::{children, span};
use crate::render::typescript::scripts::mentions;

/// The function of a carrier.
pub fn function<'a>(record: &Record<'a>, carrier: &Carries) -> Result<Node<'a>, Refused> {
    let (script, node) = record.scripts.expression(&carrier.function)?;
    let found = function_in(node).filter(|_| script.path == record.script.path);
    found.ok_or_else(|| script.refuse(node, "a function of the same file was expected here", "run again"))
}

/// Puts the fields of the record in the place of the variables.
pub fn replace(record: &Record<'_>, edits: &mut Edits) -> Result<(), Refused> {
    let script = record.script;
    let mut bodies = Vec::new();
    for carrier in record.captured.carriers.iter().filter(|carrier| record.has(carrier)) {
        let function = function(record, carrier)?;
        let body = function.child_by_field_name("body");
        bodies.push(body.ok_or_else(|| script.refuse(function, "this function has no body", "run again"))?);
    }
    if record.variables.iter().any(|variable| variable.field.is_some()) {
        return fields::replace(record, &bodies, edits);
    }
    for variable in &record.variables {
        let name = script.of(variable.name);
        let own = scope::binding(script, variable.name, name);
        for pattern in mentions(script, script.tree.root_node(), name) {
            let taken_apart = pattern.kind() == "shorthand_property_identifier_pattern";
            let handed = record.captured.handed.as_ref();
            if handed.is_some_and(|handed| handed.declares(&script.path, span(pattern))) {
                continue;
            }
            if taken_apart && scope::binding(script, pattern, name) == own {
                return Err(script.refuse(
                    pattern,
                    "the variable is assigned where an object is taken apart",
                    "assign it in a statement of its own",
                ));
            }
        }
        for used in scope::uses(script, variable.name) {
            let seen = |site: &Site| site.path == script.path && site.span.contains(span(used));
            let handed = record.captured.handed.iter();
            if record.captured.ends.iter().chain(handed.flat_map(|handed| handed.sites())).any(seen) {
                continue;
            }
            if !bodies.iter().any(|body| span(*body).contains(span(used))) {
                return Err(script.refuse(
                    used,
                    "it is used outside of the tools and the functions that they call",
                    "let only tools use it, and run again",
                ));
            }
            if record.whole {
                continue;
            }
            let field = format!("{}.{name}", record.name);
            let shorthand = used.kind() == "shorthand_property_identifier";
            edits.replace(script, span(used), if shorthand { format!("{name}: {field}") } else { field });
        }
    }
    Ok(())
}

/// Gives functions the record, and their calls the argument.
pub fn pass_on(record: &Record<'_>, edits: &mut Edits) -> Result<(), Refused> {
    let script = record.script;
    for carrier in record.captured.carriers.iter().filter(|carrier| record.has(carrier)) {
        let function = function(record, carrier)?;
        if matches!(carrier.entry, Entry::Handler(_)) {
            continue;
        }
        if !matches!(carrier.entry, Entry::New) || carrier.calls.is_empty() && record.captured.begins.is_empty() {
            return Err(script.refuse(
                function,
                "how this function is called can't be told",
                "pass the record by hand",
            ));
        }
        if !fields::only_called(record, carrier, function)? {
            only_called(record, carrier, function)?;
        }
        let parameter = match &record.ty {
            Some(ty) => format!("{}: {ty}", record.name),
            None => record.name.clone(),
        };
        if let Some(only) = function.child_by_field_name("parameter") {
            edits.replace(script, span(only), format!("({parameter}, {})", script.of(only)));
        } else {
            let list = function.child_by_field_name("parameters");
            let list =
                list.ok_or_else(|| script.refuse(function, "it has no parameters", "pass the record by hand"))?;
            first(record, edits, list, &parameter);
        }
        let getter = fields::is_getter(function);
        if getter {
            fields::no_getter(script, function, edits);
        }
        for call in &carrier.calls {
            let (file, node) = record.scripts.expression(&call.at)?;
            if getter && file.path == script.path && node.kind() == "member_expression" {
                edits.insert(script, node.end_byte(), format!("({})", record.name));
                continue;
            }
            let list = node.child_by_field_name("arguments").filter(|_| node.kind() == "call_expression");
            let list = list
                .filter(|_| file.path == script.path)
                .ok_or_else(|| file.refuse(node, "a call was expected here", "pass the record by hand"))?;
            first(record, edits, list, &record.name);
        }
    }
    Ok(())
}

/// Refuses a function that is used in another way than by a call which passes the record on.
fn only_called(record: &Record<'_>, carrier: &Carries, function: Node<'_>) -> Result<(), Refused> {
    let script = record.script;
    let declares = |node: &Node<'_>| matches!(node.kind(), "function_declaration" | "variable_declarator");
    let name = std::iter::successors(Some(function), Node::parent)
        .take(2)
        .find(declares)
        .and_then(|declaration| declaration.child_by_field_name("name"))
        .filter(|name| name.kind() == "identifier")
        .ok_or_else(|| script.refuse(function, "this function has no name of its own", "pass the record by hand"))?;
    let passes = |used: &Node<'_>| {
        let call = used.parent().filter(|call| call.child_by_field_name("function") == Some(*used));
        call.is_some_and(|call| carrier.calls.iter().any(|known| known.at.span == span(call)))
    };
    match scope::uses(script, name).into_iter().find(|used| !passes(used)) {
        None => Ok(()),
        Some(used) => Err(script.refuse(
            used,
            "this function needs the record, and what calls it here can't be told",
            "call it by its name, with its arguments, and run again",
        )),
    }
}

/// Puts a text before all others of a list in parentheses.
fn first(record: &Record<'_>, edits: &mut Edits, list: Node<'_>, text: &str) {
    match children(list).first() {
        Some(next) => edits.insert(record.script, next.start_byte(), format!("{text}, ")),
        None => edits.replace(record.script, Span::new(list.start_byte() + 1, list.end_byte() - 1), text),
    }
}
