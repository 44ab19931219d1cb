//! The handle in an object that is handed on: it is put where the id was, and read as that was.

use tree_sitter::Node;

use super::work::Work;
use crate::plan::Site;
use crate::plan::handle::{Carries, Entry};
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children, span};
use crate::render::typescript::scripts::{Scripts, mentions};

/// What stands for the handle in a function that is handed such an object.
pub fn name(work: &Work<'_>, carrier: &Carries, parameter: &Site, field: &str) -> Result<String, Refused> {
    let (script, function) = work.function(carrier)?;
    let node = script.around(parameter.span).filter(|_| parameter.path == script.path);
    let node = node.ok_or_else(|| script.refuse(function, "a parameter was not found", "run again"))?;
    if node.kind() == "object_pattern" {
        let bound = children(node).into_iter().find_map(|entry| bound_to(script, entry, field));
        return bound.map(|name| script.of(name).to_owned()).ok_or_else(|| {
            script.refuse(
                node,
                "the id is taken out of the object that is handed on in a way that is not known",
                "take it out by its name alone, and run again",
            )
        });
    }
    let sure = match may_be_absent(work.scripts, script, function, script.of(node), field) {
        true if script.typed() => "!",
        _ => "",
    };
    Ok(format!("{}.{field}{sure}", script.of(node)))
}

/// The name that an entry of a pattern binds a field to.
fn bound_to<'t>(script: &Script, entry: Node<'t>, field: &str) -> Option<Node<'t>> {
    match entry.kind() {
        "shorthand_property_identifier_pattern" => (script.of(entry) == field).then_some(entry),
        "pair_pattern" => {
            let own = entry.child_by_field_name("key").is_some_and(|key| script.of(key) == field);
            entry.child_by_field_name("value").filter(|value| own && value.kind() == "identifier")
        }
        _ => None,
    }
}

/// Whether the written type of a parameter says that a field of it may be absent.
fn may_be_absent(scripts: &Scripts<'_>, script: &Script, function: Node<'_>, parameter: &str, field: &str) -> bool {
    let own = function
        .child_by_field_name("parameters")
        .map(children)
        .unwrap_or_default()
        .into_iter()
        .find(|one| one.child_by_field_name("pattern").is_some_and(|pattern| script.of(pattern) == parameter));
    let written = own.and_then(|one| one.child_by_field_name("type")).and_then(|ty| children(ty).first().copied());
    let Some(written) = written else { return false };
    let (script, body) = match written.kind() {
        "object_type" => (script, Some(written)),
        _ => declared(scripts, script, script.of(written)),
    };
    body.is_some_and(|body| says_absent(script, body, field))
}

/// The body of a type, where it is declared.
fn declared<'s>(scripts: &'s Scripts<'_>, script: &'s Script, name: &str) -> (&'s Script, Option<Node<'s>>) {
    if let Some(body) = body_of(script, name) {
        return (script, Some(body));
    }
    let elsewhere = scripts.source(script, name).and_then(|(path, name)| Some((scripts.by_path(&path)?, name)));
    match elsewhere {
        Some((other, name)) => (other, body_of(other, &name)),
        None => (script, None),
    }
}

fn body_of<'s>(script: &'s Script, name: &str) -> Option<Node<'s>> {
    children(script.tree.root_node()).into_iter().find_map(|statement| {
        let node = statement.child_by_field_name("declaration").unwrap_or(statement);
        let own = node.child_by_field_name("name").is_some_and(|own| script.of(own) == name);
        match node.kind() {
            "interface_declaration" if own => node.child_by_field_name("body"),
            "type_alias_declaration" if own => node.child_by_field_name("value"),
            _ => None,
        }
    })
}

fn says_absent(script: &Script, body: Node<'_>, field: &str) -> bool {
    children(body).into_iter().any(|member| {
        member.child_by_field_name("name").is_some_and(|name| script.of(name) == field) && {
            let text = script.of(member);
            text.trim_start_matches("readonly ").trim_start()[field.len()..].trim_start().starts_with('?')
                || text.contains("undefined")
                || text.contains("null")
        }
    })
}

/// Puts the handle into the objects.
pub fn put_in(work: &mut Work<'_>) -> Result<(), Refused> {
    let mut fields: Vec<&str> = work.handle.carriers.iter().filter_map(field_of).collect();
    fields.sort_unstable();
    fields.dedup();
    for field in fields.into_iter().filter(|_| !work.handle.carried.is_empty()) {
        let argument = &work.handle.names.argument;
        let note =
            format!("`{field}` in the objects that are handed on holds the {argument} now; rename it if you like");
        work.notes.push(note);
    }
    for carried in &work.handle.carried {
        let (script, node) = work.scripts.expression(&carried.at)?;
        let mut name = work.names[carried.within].clone();
        if for_all_tools(work, carried.within, node) {
            let (_, handler) = work.function(&work.handle.carriers[carried.within])?;
            let known = |arguments: &str| {
                let root = arguments.split(['.', '?']).next().unwrap_or_default();
                mentions(script, handler, root).first().is_some_and(|first| first.start_byte() < node.start_byte())
            };
            name = if_given(script, &name, &work.handle.names.argument, known).ok_or_else(|| {
                script.refuse(
                    node,
                    "the object with the id is made here for all tools that this handler serves, also for those without a handle",
                    "make it where a tool that uses the state is told apart from the others, and run again",
                )
            })?;
        }
        let pair = std::iter::successors(node.parent(), Node::parent).find(|parent| parent.kind() == "pair");
        match (node.kind(), pair.and_then(|pair| pair.child_by_field_name("value"))) {
            ("shorthand_property_identifier", _) => {
                let text = format!("{}: {name}", script.of(node));
                work.edits.replace(script, span(node), text);
            }
            (_, Some(value)) if bare(value) == bare(node) => work.edits.replace(script, span(value), name),
            _ => {
                return Err(script.refuse(
                    node,
                    "what is put into the object here is not what the scan saw",
                    "put the handle in by hand",
                ));
            }
        }
    }
    Ok(())
}

fn field_of(carrier: &Carries) -> Option<&str> {
    match &carrier.entry {
        Entry::Part { field, .. } => Some(field),
        _ => None,
    }
}

/// Whether code of a handler that serves several tools runs for all of them.
fn for_all_tools(work: &Work<'_>, within: usize, node: Node<'_>) -> bool {
    let Entry::Handler(tools) = &work.handle.carriers[within].entry else { return false };
    let dispatches = tools.iter().any(|tool| work.handle.tools[*tool].entry.is_some());
    let Ok((_, handler)) = work.function(&work.handle.carriers[within]) else { return true };
    let around = std::iter::successors(node.parent(), Node::parent).take_while(|around| *around != handler);
    let told_apart = |around: Node<'_>| {
        let inner = around.kind() == "switch_case"
            || around.parent().is_some_and(|outer| {
                outer.kind() == "if_statement" && outer.child_by_field_name("consequence") == Some(around)
            });
        inner && span(around).contains(span(node))
    };
    dispatches && !around.into_iter().any(told_apart)
}

/// The handle among the arguments, or an empty one where a tool takes none: whoever looks that up is told where to get one.
fn if_given(script: &Script, asked: &str, argument: &str, known: impl Fn(&str) -> bool) -> Option<String> {
    let quote = script.style.quote;
    let (arguments, _) = asked.strip_prefix("handleIn(")?.split_once(&format!(", {quote}"))?;
    let plain = arguments.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '$' | '.' | '?'));
    (plain && known(arguments)).then(|| format!("String({arguments}?.{argument} ?? {quote}{quote})"))
}
