//! Records are put in and taken out as two.

use tree_sitter::Node;

use super::Work;
use super::places::after;
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::Container;
use crate::plan::records::{Apart, Dropped, Written};
use crate::render::Refused;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, children, runs_code, span};

/// A record is put in: its state goes into the new table.
pub fn write(work: &mut Work<'_>, written: &Written) -> Result<(), Refused> {
    if written.update {
        return Ok(());
    }
    let scripts = work.scripts;
    let (script, at) = scripts.expression(&written.at)?;
    let (home, literal) = scripts.expression(&written.value)?;
    if home.path != script.path || literal.kind() != "object" {
        return Err(script.refuse(at, "an object literal was expected here", "write out what is put in"));
    }
    let (mut state, mut rest) = (Vec::new(), Vec::new());
    for entry in children(literal) {
        match name_of(script, entry).is_some_and(|name| work.records.fields.contains(&name)) {
            true => state.push(entry),
            false => rest.push(entry),
        }
    }
    let moved = !span(at.parent().unwrap_or(at)).contains(span(literal));
    for entry in &state {
        if entry.kind() == "method_definition" || moved && !is_seen(script, *entry, at) {
            return Err(script.refuse(
                *entry,
                "this value can't be made where the record is put in",
                "write the record where it is put in",
            ));
        }
    }
    let (_, table) = work.table_at(&written.table)?;
    let key = key(work, &written.key)?;
    let value = object(script, &state);
    let text = match work.records.container {
        Container::Record => format!("{table}[{key}] = {value}"),
        _ => format!("{table}.set({key}, {value})"),
    };
    if !state.is_empty() {
        cut(work, script, literal, &state, &rest);
    }
    after(&mut work.edits, script, at, &text)?;
    let receiver = scripts.expression(&written.table)?.1;
    work.import_table(script, receiver)
}

/// A record is taken out: so is its state.
pub fn drop(work: &mut Work<'_>, dropped: &Dropped) -> Result<(), Refused> {
    let scripts = work.scripts;
    let (script, at) = scripts.expression(&dropped.at)?;
    let (_, table) = work.table_at(&dropped.table)?;
    let key = key(work, &dropped.key)?;
    let text = match work.records.container {
        Container::Record => format!("delete {table}[{key}]"),
        _ => format!("{table}.delete({key})"),
    };
    after(&mut work.edits, script, at, &text)?;
    let receiver = scripts.expression(&dropped.table)?.1;
    work.import_table(script, receiver)
}

/// State that is read from a record is looked up on its own.
pub fn apart(work: &mut Work<'_>, apart: &Apart) -> Result<(), Refused> {
    let scripts = work.scripts;
    let (script, node) = scripts.expression(&apart.at)?;
    let refused = || {
        script.refuse(
            node,
            "state is used here beside the transport",
            "look its state up on its own here, and run again",
        )
    };
    let property = node.child_by_field_name("property").filter(|_| node.kind() == "member_expression");
    let property = property.ok_or_else(refused)?;
    if !is_dropped_when_absent(node) {
        return Err(refused());
    }
    let (_, table) = work.table_at(&apart.table)?;
    let key = key(work, &apart.key)?;
    let found = match work.records.container {
        Container::Record => format!("{table}[{key}]"),
        _ => format!("{table}.get({key})"),
    };
    work.edits.replace(script, span(node), format!("{found}?.{}", script.of(property)));
    let receiver = scripts.expression(&apart.table)?.1;
    work.import_table(script, receiver)
}

/// A key, to be written once more.
fn key<'r>(work: &Work<'r>, site: &Site) -> Result<&'r str, Refused> {
    let (script, node) = work.scripts.expression(site)?;
    let text = node.child_by_field_name("function").is_some_and(|callee| script.of(callee) == "String");
    let made = if text { node.child_by_field_name("arguments") } else { Some(node) };
    match made.is_some_and(runs_code) {
        true => Err(script.refuse(node, "the key is made on the spot here", "keep it in a variable, and run again")),
        false => Ok(script.of(node)),
    }
}

/// Whether nobody misses the value of a chain: it is called for what it does, or asked whether it is there.
fn is_dropped_when_absent(node: Node<'_>) -> bool {
    let mut outer = node;
    while let Some(parent) = outer.parent() {
        let chain = matches!(parent.kind(), "member_expression") && parent.child_by_field_name("object") == Some(outer)
            || parent.kind() == "call_expression" && parent.child_by_field_name("function") == Some(outer)
            || matches!(parent.kind(), "await_expression" | "non_null_expression")
            || parent.kind() == "unary_expression";
        if !chain {
            let asked = parent.kind() == "parenthesized_expression"
                && parent.parent().is_some_and(|around| around.kind() == "if_statement");
            return outer != node && parent.kind() == "expression_statement" || asked;
        }
        outer = parent;
    }
    false
}

/// The name of an entry of an object literal, or of a member of a type.
pub fn name_of(script: &Script, entry: Node<'_>) -> Option<String> {
    let key = match entry.kind() {
        "pair" => entry.child_by_field_name("key"),
        "method_definition" | "property_signature" => entry.child_by_field_name("name"),
        "shorthand_property_identifier" => Some(entry),
        _ => None,
    }?;
    Some(script.of(key).trim_matches(['\'', '"']).to_owned())
}

/// Whether all names in an entry mean the same at another place of the file.
fn is_seen(script: &Script, entry: Node<'_>, at: Node<'_>) -> bool {
    let mut stack = vec![entry];
    while let Some(node) = stack.pop() {
        let named = matches!(node.kind(), "identifier" | "shorthand_property_identifier");
        let name = script.of(node);
        if named && scope::binding(script, node, name) != scope::binding(script, at, name) {
            let inner = scope::binding(script, node, name);
            if !inner.is_some_and(|scope| span(entry).contains(span(scope))) {
                return false;
            }
        }
        if matches!(node.kind(), "this" | "await_expression") {
            return false;
        }
        stack.extend(children(node));
    }
    true
}

/// A literal of the entries that go.
fn object(script: &Script, entries: &[Node<'_>]) -> String {
    match entries.is_empty() {
        true => "{}".to_owned(),
        false => {
            let texts: Vec<&str> = entries.iter().map(|entry| script.of(*entry)).collect();
            format!("{{ {} }}", texts.join(", "))
        }
    }
}

/// Takes entries out of a literal.
fn cut(work: &mut Work<'_>, script: &Script, literal: Node<'_>, gone: &[Node<'_>], rest: &[Node<'_>]) {
    let one_line = !script.of(literal).contains('\n');
    if one_line || rest.is_empty() {
        work.edits.replace(script, span(literal), object(script, rest));
        return;
    }
    for entry in gone {
        let mut end = entry.end_byte();
        if script.text()[end..].starts_with(',') {
            end += 1;
        }
        let line_start = script.line_start(entry.start_byte());
        let own_line = script.text()[line_start..entry.start_byte()].trim().is_empty()
            && script.text()[end..script.line_end(end)].trim().is_empty();
        let gone = match own_line {
            true => Span::new(line_start, script.line_end(end)),
            false => {
                let spaces = script.text()[end..].len() - script.text()[end..].trim_start_matches(' ').len();
                Span::new(entry.start_byte(), end + spaces)
            }
        };
        work.edits.cut(script, gone);
    }
}
