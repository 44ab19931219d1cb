//! Contexts of a program's own that hand the session id to the tools, beside other things: `{ sessionId: extra.sessionId, log }`.
//! Once no tool asks for it, it is not handed on any more.

use tree_sitter::Node;

use super::shed::{self, type_named};
use super::work::Work;
use crate::plan::handle::{Entry, ToolUse};
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, is_function, span, statement};
use crate::render::typescript::scripts::{Code, Scripts, binds, declaration, mentions};
use crate::render::typescript::tools::table_entry;

/// Takes the id out of such contexts, and out of their types.
pub fn settle(work: &mut Work<'_>) -> Result<(), Refused> {
    let scripts = work.scripts;
    for tool in &work.handle.tools {
        for call in tool.body.iter().flat_map(|body| &body.calls) {
            let (script, node) = scripts.expression(call)?;
            let list = node.child_by_field_name("arguments").map(children).unwrap_or_default();
            for (index, argument) in list.into_iter().enumerate() {
                let Some(literal) = literal(scripts, Code { script, node: argument }) else { continue };
                for name in handed_names(work)? {
                    one(work, (literal, index), &name)?;
                }
                if is_empty(work, literal) && literal.node == bare(argument) {
                    let (script, call) = scripts.expression(call)?;
                    without(work, Code { script, node: call }, index)?;
                }
                if let Some(function) = enclosing_function(node) {
                    of_maker(work, literal, Code { script, node: function });
                }
            }
            if let Some(function) = enclosing_function(node) {
                shed::leftovers(work, script, function);
                if let Some((_, parameter)) = shed::last_unused(work, script, function) {
                    match is_typed_anyway(work, tool, Code { script, node: function }) {
                        true => shed::drop_parameter(&mut work.edits, script, parameter),
                        false => work.edits.insert(script, parameter.start_byte(), "_"),
                    }
                }
            }
        }
    }
    Ok(())
}

/// Whether a function that is registered for each entry of a table keeps the types of its parameters with one less of them. Where the
/// type of the schemas says little, the SDK tells by their number what they are.
fn is_typed_anyway(work: &Work<'_>, tool: &ToolUse, function: Code<'_>) -> bool {
    let parameters = function.node.child_by_field_name("parameters").map(children).unwrap_or_default();
    let written = parameters.first().is_some_and(|first| first.child_by_field_name("type").is_some());
    if !function.script.typed() || written || tool.entry.is_some() {
        return true;
    }
    let entry = work.scripts.at(&tool.handler).ok().and_then(table_entry);
    let said = entry.and_then(|(entry, _)| said(work, entry));
    said.is_none_or(|of_entry| {
        let mut texts = vec![of_entry.text().to_owned()];
        let mut stack = vec![of_entry.node];
        while let Some(node) = stack.pop() {
            stack.extend(children(node));
            let named = (node.kind() == "type_identifier").then(|| type_named(work.scripts, of_entry.to(node)));
            texts.extend(named.flatten().map(|named| named.text().to_owned()));
        }
        texts.iter().any(|text| text.contains("ZodRawShape")) && !texts.iter().any(|text| text.contains("any>"))
    })
}

/// Whether nothing is left of a context.
fn is_empty(work: &Work<'_>, literal: Code<'_>) -> bool {
    let entries = children(literal.node);
    !entries.is_empty() && entries.iter().all(|entry| work.edits.covers(&literal.script.path, span(*entry)))
}

/// Hands on no context at all, where it is the last argument.
fn without(work: &mut Work<'_>, call: Code<'_>, index: usize) -> Result<(), Refused> {
    let lists = call.node.child_by_field_name("arguments").zip(call.node.child_by_field_name("function"));
    let Some((list, callee)) = lists.filter(|(list, _)| children(*list).len() == index + 1) else { return Ok(()) };
    shed::drop_item(&mut work.edits, call.script, list, index);
    shed::retype(work, call.script, callee, index)
}

/// The object literal that an argument is, or that its variable holds, or that a function makes for it.
fn literal<'s>(scripts: &'s Scripts<'_>, argument: Code<'s>) -> Option<Code<'s>> {
    let code = argument.bare();
    match code.node.kind() {
        "object" => Some(code),
        "identifier" => {
            let own = declaration(code, code.text())?;
            let value = own.to(bare(own.node.child_by_field_name("value")?));
            if value.node.kind() == "call_expression" { made(scripts, value) } else { Some(value) }
                .filter(|value| value.node.kind() == "object")
        }
        "call_expression" => made(scripts, code),
        _ => None,
    }
}

/// The object literal that a call answers, where the function does nothing but make that, perhaps after taking things apart.
fn made<'s>(scripts: &'s Scripts<'_>, call: Code<'s>) -> Option<Code<'s>> {
    let maker = scripts.value(call.to(call.node.child_by_field_name("function")?))?;
    let body = maker.node.child_by_field_name("body").filter(|_| is_function(maker.node))?;
    let answered = match body.kind() {
        "statement_block" => {
            let statements = children(body);
            let (last, before) = statements.split_last()?;
            let plain = before.iter().all(|statement| statement.kind() == "lexical_declaration");
            (plain && last.kind() == "return_statement").then(|| children(*last).first().copied()).flatten()?
        }
        _ => body,
    };
    Some(maker.to(bare(answered))).filter(|answered| answered.node.kind() == "object")
}

/// A function that made the context is not handed any more what only led to the id. Where others may call it, it just leaves that.
fn of_maker(work: &mut Work<'_>, literal: Code<'_>, around: Code<'_>) {
    let script = literal.script;
    let Some(maker) = enclosing_function(literal.node).filter(|maker| *maker != around.node) else { return };
    shed::leftovers(work, script, maker);
    let Some((position, parameter)) = shed::last_unused(work, script, maker) else { return };
    let own = maker.child_by_field_name("name").or_else(|| maker.parent()?.child_by_field_name("name"));
    let uses = own.map(|own| mentions(script, script.tree.root_node(), script.of(own))).unwrap_or_default();
    let exported = statement(maker).kind() == "export_statement";
    let others: Vec<Node<'_>> = uses.into_iter().filter(|used| Some(*used) != own).collect();
    let call = match others.as_slice() {
        [only] => only.parent().filter(|call| call.child_by_field_name("function") == Some(*only)),
        _ => None,
    };
    let list = call.and_then(|call| call.child_by_field_name("arguments"));
    match list.filter(|_| !exported && script.path == around.script.path) {
        Some(list) => {
            shed::drop_parameter(&mut work.edits, script, parameter);
            shed::drop_item(&mut work.edits, script, list, position);
        }
        None => work.edits.insert(script, parameter.start_byte(), "_"),
    }
}

/// The names by which functions of the tools took the id out of a context: `sessionId` in `ctx.sessionId`, or in `{ sessionId }`.
fn handed_names(work: &Work<'_>) -> Result<Vec<String>, Refused> {
    let mut out = Vec::new();
    for carrier in &work.handle.carriers {
        if !matches!(carrier.entry, Entry::Handler(_) | Entry::Parameter { whole: false, .. }) {
            continue;
        }
        let (of_function, function) = work.function(carrier)?;
        for id in &carrier.ids {
            let script = work.scripts.of(id)?;
            let text = script.slice(id.span);
            let name = match text.rsplit_once('.') {
                Some((object, name)) => plain(object).then(|| name.to_owned()),
                None => taken_apart(of_function, function, text).map(str::to_owned),
            };
            out.extend(name);
        }
    }
    out.sort();
    out.dedup();
    Ok(out)
}

fn plain(object: &str) -> bool {
    object.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '$' | '?'))
}

/// The property that a name among a function's parameters is taken from.
fn taken_apart<'s>(script: &'s Script, function: Node<'s>, name: &str) -> Option<&'s str> {
    let parameters = function.child_by_field_name("parameters").map(children).unwrap_or_default();
    let patterns = parameters.into_iter().map(|own| own.child_by_field_name("pattern").unwrap_or(own));
    patterns.filter(|own| own.kind() == "object_pattern").flat_map(children).find_map(|part| {
        binds(script, part, name)?;
        match part.kind() {
            "shorthand_property_identifier_pattern" => Some(script.of(part)),
            "pair_pattern" => part.child_by_field_name("key").map(|key| script.of(key)),
            _ => None,
        }
    })
}

/// Takes one property out of an argument at a position, where nothing reads it any more.
fn one(work: &mut Work<'_>, (literal, position): (Code<'_>, usize), name: &str) -> Result<(), Refused> {
    let entries = children(literal.node);
    let named = |entry: &Node<'_>| {
        let key = entry.child_by_field_name("key").unwrap_or(*entry);
        literal.script.of(key) == name && matches!(entry.kind(), "pair" | "shorthand_property_identifier")
    };
    let Some(index) = entries.iter().position(named) else { return Ok(()) };
    let entry = entries[index];
    if work.edits.covers(&literal.script.path, span(entry)) {
        return Ok(());
    }
    let around = enclosing_function(literal.node).unwrap_or(literal.node);
    if reads_elsewhere(work, literal.script, around, name) {
        return Ok(());
    }
    let mut members = Vec::new();
    for carrier in &work.handle.carriers {
        let (script, function) = work.function(carrier)?;
        let code = Code { script, node: function };
        members.extend(written_types(work, code).into_iter().filter_map(|found| member(found, name)));
        if matches!(carrier.entry, Entry::Handler(_)) {
            members.extend(type_by_place(work, code, position).and_then(|found| member(found, name)));
        }
        if is_read(work, script, script.tree.root_node(), name) {
            return Ok(());
        }
    }
    members.sort_by_key(|member| (member.script.path.clone(), member.node.start_byte()));
    members.dedup_by(|one, other| one.is(*other));
    // What has a type that was not found would lack a property of it.
    let untyped = literal.script.typed() && members.is_empty();
    if untyped || is_read(work, literal.script, around, name) && entry.kind() != "pair" {
        return Ok(());
    }
    shed::drop_item(&mut work.edits, literal.script, literal.node, index);
    for member in members {
        work.edits.cut(member.script, member.script.removal(member.node));
    }
    Ok(())
}

/// Whether a property of this name is read where the id is meant by it, outside of what takes the handle.
fn reads_elsewhere(work: &Work<'_>, script: &Script, around: Node<'_>, name: &str) -> bool {
    work.handle.strays.iter().any(|stray| {
        let here = stray.path == script.path && span(around).contains(stray.span);
        let text = work.scripts.by_path(&stray.path).map(|script| script.slice(stray.span)).unwrap_or_default();
        let own = text.rsplit(['.', '?']).next() == Some(name);
        own && !here && !work.edits.covers(&stray.path, stray.span)
    })
}

/// The types that the parameters of a function are written with, as far as they are the program's own.
pub fn written_types<'a>(work: &Work<'a>, function: Code<'a>) -> Vec<Code<'a>> {
    let parameters = function.node.child_by_field_name("parameters").map(children).unwrap_or_default();
    let types = parameters.into_iter().filter_map(|parameter| parameter.child_by_field_name("type"));
    types.filter_map(|of_type| of_annotation(work, function.to(of_type))).collect()
}

/// The type that an annotation names, or writes out.
fn of_annotation<'a>(work: &Work<'a>, annotation: Code<'a>) -> Option<Code<'a>> {
    let written = annotation.to(*children(annotation.node).first()?);
    match written.node.kind() {
        "type_identifier" => type_named(work.scripts, written),
        "object_type" => Some(written),
        _ => None,
    }
}

/// The type of a parameter by where its function stands: by what the entry of a table is said to be.
pub fn type_by_place<'a>(work: &Work<'a>, function: Code<'a>, position: usize) -> Option<Code<'a>> {
    let (entry, own) = table_entry(function)?;
    let key = own.child_by_field_name("key").or_else(|| own.child_by_field_name("name"))?;
    let key = entry.script.of(key);
    let of_entry = said(work, entry)?;
    let mut stack = vec![of_entry.node];
    while let Some(node) = stack.pop() {
        stack.extend(children(node));
        let declared = match node.kind() {
            "type_identifier" => type_named(work.scripts, of_entry.to(node)),
            "object_type" => Some(of_entry.to(node)),
            _ => None,
        };
        let list = declared.and_then(|declared| {
            let list = *shed::signatures(declared.script, declared.node, key).first()?;
            Some(declared.to(list))
        });
        if let Some(list) = list {
            let parameter = *children(list.node).get(position)?;
            return of_annotation(work, list.to(parameter.child_by_field_name("type")?));
        }
    }
    None
}

/// What is written of the type of an entry: with its constant or its list, or as the parameter of a helper that it is given to.
fn said<'a>(work: &Work<'a>, entry: Code<'a>) -> Option<Code<'a>> {
    let mut node = entry.node;
    while let Some(parent) = node.parent() {
        match parent.kind() {
            "variable_declarator" => return parent.child_by_field_name("type").map(|written| entry.to(written)),
            "satisfies_expression" => return children(parent).get(1).map(|written| entry.to(*written)),
            "arguments" => {
                let call = parent.parent()?;
                let index = children(parent).iter().position(|own| *own == node)?;
                let helper = work.scripts.value(entry.to(call.child_by_field_name("function")?));
                let parameters = helper.and_then(|helper| helper.node.child_by_field_name("parameters"));
                let own = parameters.map(children).unwrap_or_default();
                if let (Some(helper), Some(written)) =
                    (helper, own.get(index).and_then(|own| own.child_by_field_name("type")))
                {
                    return Some(helper.to(written));
                }
                node = call;
            }
            "pair" | "object" | "array" | "as_expression" | "parenthesized_expression" => node = parent,
            _ => return None,
        }
    }
    None
}

/// The member of a type.
pub fn member<'s>(declared: Code<'s>, name: &str) -> Option<Code<'s>> {
    let body = declared.node.child_by_field_name("body").or_else(|| declared.node.child_by_field_name("value"));
    let own = |node: &Node<'_>| {
        node.kind() == "property_signature"
            && node.child_by_field_name("name").is_some_and(|found| declared.script.of(found) == name)
    };
    children(body.unwrap_or(declared.node)).into_iter().find(own).map(|own| declared.to(own))
}

/// Whether code that stays reads a property of this name, or takes it out of an object.
fn is_read(work: &Work<'_>, script: &Script, node: Node<'_>, name: &str) -> bool {
    if work.edits.covers(&script.path, span(node)) {
        return false;
    }
    let reads = match node.kind() {
        "member_expression" => node.child_by_field_name("property").is_some_and(|own| script.of(own) == name),
        "shorthand_property_identifier_pattern" => script.of(node) == name,
        "pair_pattern" => node.child_by_field_name("key").is_some_and(|own| script.of(own) == name),
        _ => false,
    };
    // Where the context is put together, the id comes from the SDK.
    let given = node.parent().is_some_and(|parent| {
        matches!(parent.kind(), "pair" | "non_null_expression" | "binary_expression" | "as_expression")
    });
    let of_sdk = reads && given && is_value_of(script, node, name);
    (reads && !of_sdk) || children(node).into_iter().any(|child| is_read(work, script, child, name))
}

/// Whether a read is what a property of the same name is given.
fn is_value_of(script: &Script, node: Node<'_>, name: &str) -> bool {
    let pair = std::iter::successors(node.parent(), Node::parent).find(|around| around.kind() == "pair");
    pair.and_then(|pair| pair.child_by_field_name("key")).is_some_and(|key| script.of(key) == name)
}
