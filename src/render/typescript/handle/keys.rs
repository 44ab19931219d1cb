//! The way of the handle: parameters of helpers, arguments of their calls, arguments of tools.

use tree_sitter::Node;

use super::access::is_waited_for;
use super::carried;
use super::finish::is_bound_id;
use super::registry;
use super::shed;
use super::work::{Work, whole_argument};
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::{Carries, Entry};
use crate::render::Refused;
use crate::render::typescript::script::{Script, children, span};
use crate::render::typescript::tools::{self, Argument, Context};

/// Finds out what stands for the key in each carrier. Nothing is changed yet.
pub fn name(work: &mut Work<'_>) -> Result<(), Refused> {
    for carrier in &work.handle.carriers {
        let (name, owner) = match &carrier.entry {
            // That of the function around it, once all are known.
            Entry::Closure { .. } => (String::new(), None),
            Entry::Handler(_) if work.creates(carrier) => {
                let auth = if work.handle.owner { auth_of(work, carrier)? } else { None };
                (work.handle.names.argument.clone(), auth)
            }
            Entry::Handler(tools) => {
                let context = Context { owner: work.handle.owner, gone: Vec::new() };
                let mut named = None;
                for tool in tools {
                    let tool = &work.handle.tools[*tool];
                    let added = tools::add_argument(work.scripts, tool, &argument(work), &context)?;
                    let auth = match (&tool.entry, &tool.body) {
                        (Some(_), None) => tools::add_context(work.scripts, tool, &context)?.1,
                        _ => added.auth,
                    };
                    named = Some((added.name, auth));
                }
                named.ok_or_else(|| nothing(work, carrier))?
            }
            Entry::Parameter { at, whole, .. } => {
                let script = work.scripts.of(at)?;
                let old = script.slice(at.span);
                let name = if *whole && !speaks_of_sessions(old) {
                    old.to_owned()
                } else {
                    work.handle.names.variable.clone()
                };
                (name, work.handle.owner.then(|| "owner".to_owned()))
            }
            Entry::Part { at, field } => (carried::name(work, carrier, at, field)?, None),
            Entry::New => (work.handle.names.variable.clone(), work.handle.owner.then(|| "owner".to_owned())),
        };
        let owner = owner.map(|owner| if owner == "owner" { owner } else { format!("ownerOf({owner})") });
        work.keys.push(match &owner {
            Some(owner) => format!("{name}, {owner}"),
            None => name.clone(),
        });
        work.names.push(name);
        work.owners.push(owner);
    }
    for (index, carrier) in work.handle.carriers.iter().enumerate() {
        if let Entry::Closure { within, .. } = &carrier.entry {
            let at = carrier.function.span;
            (work.keys[index], work.names[index]) = (work.key_at(*within, at), work.name_at(*within, at));
        }
    }
    Ok(())
}

fn auth_of(work: &Work<'_>, carrier: &Carries) -> Result<Option<String>, Refused> {
    let Entry::Handler(tools) = &carrier.entry else { return Ok(None) };
    let Some(tool) = tools.first().map(|tool| &work.handle.tools[*tool]) else { return Ok(None) };
    let context = Context { owner: true, gone: Vec::new() };
    let added = tools::add_context(work.scripts, tool, &context)?;
    Ok(added.1)
}

fn nothing(work: &Work<'_>, carrier: &Carries) -> Refused {
    Refused {
        at: carrier.function.clone(),
        why: format!("no tool that uses {} is served by this handler", work.handle.store.name),
        todo: "give the tool the handle by hand".to_owned(),
        also: Vec::new(),
    }
}

/// The argument that the tools get.
pub fn argument(work: &Work<'_>) -> Argument {
    let names = &work.handle.names;
    let source = work.handle.creating_tool();
    Argument {
        name: names.argument.clone(),
        description: format!("{} returned by {source}", names.argument),
        source,
        constant: None,
        optional: work.handle.transition,
        schema: None,
        frees: false,
    }
}

fn speaks_of_sessions(name: &str) -> bool {
    let name = name.to_lowercase();
    ["session", "server", "transport"].iter().any(|word| name.contains(word))
        || matches!(name.as_str(), "sid" | "sess" | "_sid" | "mcp")
}

/// Gives the helpers their parameters, and their calls the arguments.
pub fn pass_on(work: &mut Work<'_>) -> Result<(), Refused> {
    for index in 0..work.handle.carriers.len() {
        let carrier = &work.handle.carriers[index];
        let makes = work.makers.contains(&index);
        match &carrier.entry {
            Entry::Handler(_) => continue,
            Entry::Parameter { at, .. } if makes => {
                let (script, node) = work.scripts.expression(at)?;
                shed::drop_parameter(&mut work.edits, script, node);
            }
            Entry::New if makes => {}
            // What hands it the object stays; only who has to wait for it is to be seen to.
            Entry::Part { .. } => {
                let waits = work.wait && work.waits[index];
                for call in carrier.calls.iter().filter(|_| waits) {
                    let (script, node) = work.scripts.expression(&call.at)?;
                    wait_for(work, script, node);
                }
                continue;
            }
            Entry::Parameter { at, whole, .. } => parameter(work, index, at.span, *whole)?,
            Entry::New => new_parameter(work, index)?,
            Entry::Closure { at, .. } => closed_over(work, index, at.span)?,
        }
        for call in &carrier.calls {
            let (script, node) = work.scripts.expression(&call.at)?;
            let key = work.key_at(call.within, call.at.span);
            match &call.argument {
                Some(argument) if makes => {
                    let (_, argument) = work.scripts.expression(argument)?;
                    let argument = whole_argument(argument, node);
                    let list = argument.parent().filter(|list| list.kind() == "arguments");
                    let index = list.and_then(|list| children(list).iter().position(|item| *item == argument));
                    if let Some((list, index)) = list.zip(index) {
                        shed::drop_item(&mut work.edits, script, list, index);
                    }
                }
                None if makes => {}
                Some(argument) => {
                    let (_, argument) = work.scripts.expression(argument)?;
                    let argument = whole_argument(argument, node);
                    if work.handle.registry && !keeps_parameter(work, index)? {
                        registry::put(work, script, argument, call.within)?;
                    } else if keeps_parameter(work, index)? {
                        work.edits.insert(script, argument.start_byte(), format!("{key}, "));
                    } else {
                        work.edits.replace(script, span(argument), key);
                    }
                }
                None => {
                    let list = node
                        .child_by_field_name("arguments")
                        .ok_or_else(|| script.refuse(node, "a call was expected here", "pass the handle by hand"))?;
                    match children(list).first() {
                        Some(first) => work.edits.insert(script, first.start_byte(), format!("{key}, ")),
                        None => work.edits.replace(script, Span::new(list.start_byte() + 1, list.end_byte() - 1), key),
                    }
                }
            }
            if work.wait && work.waits[index] {
                wait_for(work, script, node);
            }
        }
        for named in &carrier.handed {
            let (script, node) = work.scripts.expression(&named.at)?;
            let text = format!("() => {}({})", script.of(node), work.key_at(named.within, named.at.span));
            work.edits.replace(script, span(node), text);
        }
    }
    Ok(())
}

fn wait_for(work: &mut Work<'_>, script: &Script, call: Node<'_>) {
    let Some(parent) = call.parent() else { return };
    if is_waited_for(parent, call) {
        return;
    }
    let tight = match parent.kind() {
        "member_expression" | "subscript_expression" => parent.child_by_field_name("object") == Some(call),
        "call_expression" => parent.child_by_field_name("function") == Some(call),
        "non_null_expression" => true,
        _ => false,
    };
    work.edits.insert(script, call.start_byte(), if tight { "(await " } else { "await " });
    if tight {
        work.edits.insert(script, call.end_byte(), ")");
    }
}

/// Whether a helper goes on using the parameter that led to the id, for something else.
fn keeps_parameter(work: &Work<'_>, index: usize) -> Result<bool, Refused> {
    let Entry::Parameter { at, whole: false, .. } = &work.handle.carriers[index].entry else { return Ok(false) };
    let (script, function) = work.function(&work.handle.carriers[index])?;
    Ok(uses(script, function, at.span).iter().any(|used| !is_key(work, index, script, *used)))
}

fn is_passed_on(work: &Work<'_>, index: usize, script: &Script, used: Node<'_>) -> bool {
    let within = |site: &Site| site.path == script.path && site.span.contains(span(used));
    work.handle
        .carriers
        .iter()
        .flat_map(|carrier| &carrier.calls)
        .any(|call| call.within == index && call.argument.as_ref().is_some_and(within))
}

/// Whether a use of a name does nothing but lead to the key.
fn is_key(work: &Work<'_>, index: usize, script: &Script, used: Node<'_>) -> bool {
    let within = |site: &Site| site.path == script.path && site.span.contains(span(used));
    work.handle.carriers[index].ids.iter().any(within)
        || is_passed_on(work, index, script, used)
        || is_taken_apart(work, index, script, used)
}

/// `const { sessionId = 'default' } = extra`: nothing but the id is taken out of it.
fn is_taken_apart(work: &Work<'_>, index: usize, script: &Script, used: Node<'_>) -> bool {
    let declarator = used.parent().filter(|parent| parent.kind() == "variable_declarator");
    let pattern = declarator
        .filter(|declarator| declarator.child_by_field_name("value") == Some(used))
        .and_then(|declarator| declarator.child_by_field_name("name"))
        .filter(|name| name.kind() == "object_pattern");
    let carrier = &work.handle.carriers[index];
    pattern.is_some_and(|pattern| {
        let entries = children(pattern);
        !entries.is_empty() && entries.iter().all(|entry| is_bound_id(script, carrier, *entry))
    })
}

fn parameter(work: &mut Work<'_>, index: usize, at: Span, whole: bool) -> Result<(), Refused> {
    let (script, function) = work.function(&work.handle.carriers[index])?;
    let node = script.around(at).ok_or_else(|| script.refuse(function, "a parameter was not found", "run again"))?;
    let mut outer = node;
    while let Some(parent) = outer.parent().filter(|parent| parent.kind() != "formal_parameters" && *parent != function)
    {
        outer = parent;
    }
    let name = work.names[index].clone();
    let owner = if work.handle.owner { ", owner" } else { "" };
    let text = if script.typed() {
        format!("{name}: string{}", if work.handle.owner { ", owner: Owner" } else { "" })
    } else {
        format!("{name}{owner}")
    };
    let bare_arrow = function.child_by_field_name("parameter") == Some(outer);
    let text = if bare_arrow && (script.typed() || work.handle.owner) { format!("({text})") } else { text };
    if keeps_parameter(work, index)? {
        work.edits.insert(script, outer.start_byte(), format!("{text}, "));
        return Ok(());
    }
    let kept = script.of(outer) == name || script.of(outer) == text || (bare_arrow && script.of(outer) == name);
    if !kept {
        work.edits.replace(script, span(outer), text);
    }
    if whole && script.slice(at) != name {
        for used in uses(script, function, at) {
            // Where it is passed on, or is the key, the whole argument is written anew.
            if work.edits.covers(&script.path, span(used)) || is_passed_on(work, index, script, used) {
                continue;
            }
            let shorthand = used.kind() == "shorthand_property_identifier";
            let text = if shorthand { format!("{}: {name}", script.of(used)) } else { name.clone() };
            work.edits.replace(script, span(used), text);
        }
    }
    Ok(())
}

/// A callback that was handed the id takes the handle from around it.
fn closed_over(work: &mut Work<'_>, index: usize, at: Span) -> Result<(), Refused> {
    let (script, function) = work.function(&work.handle.carriers[index])?;
    let node = script.around(at).ok_or_else(|| script.refuse(function, "a parameter was not found", "run again"))?;
    let carrier = &work.handle.carriers[index];
    let mut left = false;
    for used in uses(script, function, at) {
        if work.edits.covers(&script.path, span(used)) || is_passed_on(work, index, script, used) {
            continue;
        }
        if carrier.shared {
            left = true;
            continue;
        }
        let shorthand = used.kind() == "shorthand_property_identifier";
        let name = work.names[index].clone();
        work.edits.replace(script, span(used), if shorthand { format!("{}: {name}", script.of(used)) } else { name });
    }
    let list = node.parent().and_then(|own| if own.kind() == "formal_parameters" { Some(own) } else { own.parent() });
    let last = list.is_none_or(|list| children(list).last().is_some_and(|last| span(*last).contains(at)));
    let sheds = carrier.sheds(&work.handle.sheds);
    if !left && (last || sheds) {
        shed::drop_parameter(&mut work.edits, script, node);
    }
    Ok(())
}

/// Uses of a parameter's name in a function.
pub fn uses<'t>(script: &'t Script, function: Node<'t>, parameter: Span) -> Vec<Node<'t>> {
    let name = script.slice(parameter);
    let mut out = Vec::new();
    let mut stack = vec![function];
    while let Some(node) = stack.pop() {
        if matches!(node.kind(), "identifier" | "shorthand_property_identifier")
            && script.of(node) == name
            && span(node) != parameter
        {
            out.push(node);
        }
        stack.extend(children(node));
    }
    out.sort_by_key(|node| node.start_byte());
    out
}

fn new_parameter(work: &mut Work<'_>, index: usize) -> Result<(), Refused> {
    let (script, function) = work.function(&work.handle.carriers[index])?;
    let name = &work.names[index];
    let text = match (script.typed(), work.handle.owner) {
        (true, false) => format!("{name}: string"),
        (true, true) => format!("{name}: string, owner: Owner"),
        (false, false) => name.clone(),
        (false, true) => format!("{name}, owner"),
    };
    if let Some(only) = function.child_by_field_name("parameter") {
        let text = format!("({text}, {})", script.of(only));
        work.edits.replace(script, span(only), text);
        return Ok(());
    }
    let list = function
        .child_by_field_name("parameters")
        .ok_or_else(|| script.refuse(function, "its parameters were not found", "give it the handle by hand"))?;
    match children(list).first() {
        Some(first) => work.edits.insert(script, first.start_byte(), format!("{text}, ")),
        None => work.edits.replace(script, Span::new(list.start_byte() + 1, list.end_byte() - 1), text),
    }
    Ok(())
}
