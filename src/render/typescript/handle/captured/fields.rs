//! Fields of a class that is made for each session: tools find them in the record, and not in `this`.

use tree_sitter::Node;

use super::super::edits::Edits;
use super::record::{self, Record, Variable};
use super::types;
use crate::model::facts::Span;
use crate::plan::handle::Carries;
use crate::plan::handle::captured::{Captured, Local};
use crate::render::Refused;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, children, is_statement, span};
use crate::render::typescript::scripts::Scripts;

/// How a field stands in its class.
pub struct Field<'a> {
    /// `this.name`, where tools lead.
    pub uses: Vec<Node<'a>>,
    /// The statement of the constructor that assigns the first value, where it is declared on its own.
    pub assigned: Option<Node<'a>>,
    /// `this.name`, where the constructor does something else with it.
    pub filled: Vec<Span>,
}

/// The field of a plan, as it is declared.
pub fn variable<'a>(
    scripts: &'a Scripts<'a>,
    script: &'a Script,
    local: &Local,
) -> Result<Option<Variable<'a>>, Refused> {
    let Some(field) = &local.field else { return Ok(None) };
    let name = script.around(local.declared.span);
    let name = name.map(|node| node.child_by_field_name("property").unwrap_or(node));
    let name = name.filter(|node| matches!(node.kind(), "property_identifier" | "private_property_identifier"));
    let root = script.tree.root_node();
    let name = name.ok_or_else(|| {
        script.refuse(root, "a field is declared in a way that can't be taken out", "declare it in its class")
    })?;
    let refused = |node: Node<'_>| {
        script.refuse(node, "how this field is declared can't be told", "declare it in its class with its first value")
    };
    let first = match &field.first {
        Some(site) => Some(assignment(script, scripts.expression(site)?.1).ok_or_else(|| refused(name))?),
        None => None,
    };
    let parent = name.parent().ok_or_else(|| refused(name))?;
    let (statement, declared, assigned) = match (parent.kind(), first) {
        ("public_field_definition" | "field_definition", first) => (parent, parent, first.map(|(outer, _)| outer)),
        ("member_expression", Some((outer, _))) => (outer, outer, None),
        _ => return Err(refused(parent)),
    };
    let own = declared.child_by_field_name("value");
    let given = first.map(|(_, value)| value);
    if own.is_some() && given.is_some() || decorated(script, declared) {
        return Err(refused(parent));
    }
    let value = own.or(given);
    if let Some(value) = value {
        types::plain(script, value)?;
        independent(script, value)?;
    }
    let mut uses = Vec::new();
    for site in &field.uses {
        let (_, node) = scripts.expression(site)?;
        let this = node.child_by_field_name("object").is_some_and(|object| object.kind() == "this");
        if node.kind() != "member_expression" || !this {
            return Err(script.refuse(
                node,
                "the field is taken out of `this` here",
                "use it by its name, as `this.…`",
            ));
        }
        uses.push(node);
    }
    let filled = field.filled.iter().map(|site| site.span).collect();
    let ty = match script.typed() {
        true => Some(match declared.child_by_field_name("type") {
            Some(_) => types::of(scripts, script, declared)?,
            None => types::of_value(scripts, script, declared, value)?,
        }),
        false => {
            types::made_by_a_call(script, value)?;
            uses.iter().try_for_each(|used| types::assigned_here(script, *used))?;
            None
        }
    };
    Ok(Some(Variable { name, statement, ty, value, field: Some(Field { uses, assigned, filled }) }))
}

/// The statement that is an assignment to an expression, and the value.
fn assignment<'t>(script: &Script, target: Node<'t>) -> Option<(Node<'t>, Node<'t>)> {
    let assignment = target.parent().filter(|parent| parent.kind() == "assignment_expression")?;
    let outer = assignment.parent().filter(|outer| outer.kind() == "expression_statement" && is_statement(*outer))?;
    let body = outer.parent().and_then(|block| block.parent())?;
    let constructor = body.kind() == "method_definition"
        && body.child_by_field_name("name").is_some_and(|name| script.of(name) == "constructor");
    Some((outer, assignment.child_by_field_name("right").filter(|_| constructor)?))
}

fn decorated(script: &Script, declared: Node<'_>) -> bool {
    children(declared).iter().any(|child| child.kind() == "decorator")
        || script.of(declared).starts_with("static ")
        || script.of(declared).starts_with("declare ")
}

/// Refuses a first value that depends on what the constructor was given.
pub fn independent(script: &Script, value: Node<'_>) -> Result<(), Refused> {
    let mut stack = vec![value];
    while let Some(node) = stack.pop() {
        let names = matches!(node.kind(), "identifier" | "shorthand_property_identifier");
        let bound = scope::binding(script, node, script.of(node)).filter(|_| names);
        if bound.is_some_and(|bound| bound.kind() != "program" && !span(value).contains(span(bound))) {
            return Err(script.refuse(
                node,
                "the first value depends on what the constructor is given",
                "give it a first value of its own",
            ));
        }
        stack.extend(children(node));
    }
    Ok(())
}

/// The class around a field.
pub fn class<'t>(script: &Script, name: Node<'t>) -> Result<Node<'t>, Refused> {
    let kinds = |node: &Node<'_>| matches!(node.kind(), "class_declaration" | "abstract_class_declaration" | "class");
    std::iter::successors(name.parent(), Node::parent)
        .find(kinds)
        .ok_or_else(|| script.refuse(name, "it belongs to no class", "run again"))
}

/// Whether a field is never assigned anew, holds an object, and has a name that the file uses for nothing else.
pub fn is_whole(script: &Script, variable: &Variable<'_>, field: &Field<'_>) -> bool {
    let assigned = |used: &Node<'_>| {
        used.parent().is_some_and(|parent| {
            parent.kind().ends_with("assignment_expression") && parent.child_by_field_name("left") == Some(*used)
                || parent.kind() == "update_expression"
        })
    };
    let held =
        variable.value.is_some_and(|value| matches!(types::inner(value).kind(), "array" | "object" | "new_expression"));
    held && !field.uses.iter().any(assigned)
        && record::free(script, &[variable.label(script).to_owned()], variable.name).is_ok()
}

/// Puts what the record has in the place of the fields.
pub fn replace(record: &Record<'_>, bodies: &[Node<'_>], edits: &mut Edits) -> Result<(), Refused> {
    let script = record.script;
    for variable in &record.variables {
        let Some(field) = &variable.field else { continue };
        let name = variable.label(script);
        for used in &field.uses {
            if !bodies.iter().any(|body| span(*body).contains(span(*used))) {
                return Err(script.refuse(
                    *used,
                    "it is used outside of the tools and the methods that they call",
                    "let only tools use it, and run again",
                ));
            }
            let text = if record.whole { record.name.clone() } else { format!("{}.{name}", record.name) };
            edits.replace(script, span(*used), text);
        }
        unseen(record, variable, field)?;
    }
    Ok(())
}

/// Refuses a use that the plan does not know: by a pattern, or by another name of the object.
fn unseen(record: &Record<'_>, variable: &Variable<'_>, field: &Field<'_>) -> Result<(), Refused> {
    let script = record.script;
    let own = script.of(variable.name);
    let mut stack = vec![record.factory];
    while let Some(node) = stack.pop() {
        let named = match node.kind() {
            "member_expression" => node.child_by_field_name("property").filter(|property| script.of(*property) == own),
            "shorthand_property_identifier_pattern" if script.of(node) == own => Some(node),
            "pair_pattern" => node.child_by_field_name("key").filter(|key| script.of(*key) == own),
            _ => None,
        };
        let of_this = match node.kind() {
            "member_expression" => node.child_by_field_name("object").is_some_and(|of| of.kind() == "this"),
            _ => std::iter::successors(node.parent(), Node::parent)
                .find(|around| around.kind() == "variable_declarator")
                .and_then(|declarator| declarator.child_by_field_name("value"))
                .is_some_and(|value| value.kind() == "this"),
        };
        let gone = |statement: Node<'_>| span(statement).contains(span(node));
        let filled = field.filled.contains(&span(node));
        let known =
            filled || field.uses.contains(&node) || gone(variable.statement) || field.assigned.is_some_and(gone);
        if named.is_some() && of_this && !known {
            return Err(script.refuse(node, "this use of the field was not followed", "use it by its name, in a tool"));
        }
        stack.extend(children(node));
    }
    Ok(())
}

/// Whether a method is a getter: it takes the record as a method of that name.
pub fn is_getter(function: Node<'_>) -> bool {
    function.kind() == "method_definition" && accessors(function).any(|word| word.kind() == "get")
}

/// The words before a method's name.
fn accessors(function: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let words = (0..function.child_count()).filter_map(move |index| function.child(index));
    words.take_while(move |word| function.child_by_field_name("name") != Some(*word))
}

/// Whether nothing outside of its class can use a method.
fn is_private(script: &Script, function: Node<'_>) -> bool {
    let name = function.child_by_field_name("name");
    let private =
        accessors(function).any(|word| word.kind() == "accessibility_modifier" && script.of(word) == "private");
    private || name.is_some_and(|name| name.kind() == "private_property_identifier")
}

/// Takes `get` from a getter that is a method now.
pub fn no_getter(script: &Script, function: Node<'_>, edits: &mut Edits) {
    let word = accessors(function).find(|word| word.kind() == "get");
    if let Some((word, name)) = word.zip(function.child_by_field_name("name")) {
        edits.cut(script, Span::new(word.start_byte(), name.start_byte()));
    }
}

/// Refuses a method that is used in another way than by a call which passes the record on. Whether a function is a method.
pub fn only_called(record: &Record<'_>, carrier: &Carries, function: Node<'_>) -> Result<bool, Refused> {
    let script = record.script;
    if function.kind() != "method_definition" {
        return Ok(false);
    }
    let name = function.child_by_field_name("name").map(|name| script.of(name)).unwrap_or_default();
    let class = class(script, function)?;
    let getter = is_getter(function);
    let accessor = accessors(function).any(|word| matches!(word.kind(), "set" | "static"))
        || getter && (!is_private(script, function) || has_setter(script, class, name));
    let promised = children(class).iter().any(|part| part.kind() == "class_heritage");
    if accessor || promised {
        let why = "others may rely on this method's parameters";
        return Err(script.refuse(function, why, "pass the record by hand"));
    }
    let mut stack = vec![script.tree.root_node()];
    while let Some(node) = stack.pop() {
        let property = node.child_by_field_name("property").filter(|_| node.kind() == "member_expression");
        let own = node.child_by_field_name("object").is_some_and(|object| object.kind() == "this");
        if own && property.is_some_and(|property| script.of(property) == name) {
            let call = node.parent().filter(|call| call.child_by_field_name("function") == Some(node));
            let call = if getter { Some(node) } else { call };
            let known = |call: Node<'_>| {
                let begins = record.captured.begins.iter();
                carrier.calls.iter().map(|known| &known.at).chain(begins).any(|known| known.span == span(call))
            };
            if !call.is_some_and(known) {
                return Err(script.refuse(
                    node,
                    "this method needs the record, and what calls it here can't be told",
                    "call it by its name, with its arguments, and run again",
                ));
            }
        }
        stack.extend(children(node));
    }
    Ok(true)
}

/// Whether a class has a setter with a name.
fn has_setter(script: &Script, class: Node<'_>, name: &str) -> bool {
    let members = class.child_by_field_name("body").map(children).unwrap_or_default();
    members.into_iter().filter(|member| member.kind() == "method_definition").any(|member| {
        member.child_by_field_name("name").is_some_and(|own| script.of(own) == name)
            && accessors(member).any(|word| word.kind() == "set")
    })
}

/// Takes the fields out of their class.
pub fn take_out(record: &Record<'_>, edits: &mut Edits) {
    let script = record.script;
    for variable in &record.variables {
        if let Some(assigned) = variable.field.as_ref().and_then(|field| field.assigned) {
            edits.cut(script, script.removal(assigned));
        }
    }
}

/// Whether all tools of a plan are registered in a class.
pub fn registered_in(
    captured: &Captured,
    scripts: &Scripts<'_>,
    script: &Script,
    class: Node<'_>,
) -> Result<(), Refused> {
    let whole: Span = span(class);
    for tool in &captured.tools {
        let (file, call) = scripts.expression(&tool.registration)?;
        if file.path != script.path || !whole.contains(span(call)) {
            return Err(file.refuse(
                call,
                "this tool is registered outside of the class that has the fields",
                "register it in a method of the class, and run again",
            ));
        }
    }
    Ok(())
}
