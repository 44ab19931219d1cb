//! Where the choice was read.

use tree_sitter::Node;

use super::Work;
use super::fold::{self, Place};
use crate::plan::selection::Read;
use crate::render::Refused;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, span, statement};

/// Puts the argument in the place of each read.
pub fn rewrite(work: &mut Work<'_>) -> Result<(), Refused> {
    let selection = work.selection;
    for read in &selection.reads {
        let (script, node) = work.scripts.expression(&read.at)?;
        if work.edits.covers(&script.path, span(node)) {
            continue;
        }
        one(work, script, node, read)?;
    }
    Ok(())
}

fn one(work: &mut Work<'_>, script: &Script, node: Node<'_>, read: &Read) -> Result<(), Refused> {
    let ids = read.carrier.map(|carrier| work.selection.carriers[carrier].ids.clone()).unwrap_or_default();
    let is_id = |node: Node<'_>| {
        ids.iter().any(|id| id.path == script.path && (id.span == span(node) || id.span == span(bare(node))))
    };
    let outer = fold::outermost(script, node, &is_id);
    let whole = work.selection.reads.clone();
    let is_read = |at: Node<'_>| whole.iter().any(|read| read.at.path == script.path && read.at.span == span(at));
    let given = |at: Node<'_>| is_id(at) || is_read(at) || at == outer;
    let Some(carrier) = read.carrier else {
        return marked(work, script, outer);
    };
    if read.asks {
        return match fold::place(work, script, outer, &given)? {
            Place::Gone => Ok(()),
            Place::Value(at) => Err(script.refuse(
                at,
                "whether a choice was made is used as a value here",
                "say what is to happen where it is always given, and run again",
            )),
        };
    }
    let Place::Value(at) = fold::place(work, script, outer, &given)? else { return Ok(()) };
    if let Some(whole) = preferred(work, script, at, carrier) {
        return put(work, script, whole, carrier);
    }
    match at.parent().filter(|parent| parent.kind() == "variable_declarator") {
        Some(declarator) => variable(work, script, declarator, at, carrier, &is_id),
        None => put(work, script, at, carrier),
    }
}

/// The argument itself, checked where it has to be.
fn put(work: &mut Work<'_>, script: &Script, at: Node<'_>, carrier: usize) -> Result<(), Refused> {
    work.uses[carrier] += 1;
    let text = super::check::asked(work, script, at, carrier)?;
    work.edits.replace(script, span(at), text);
    Ok(())
}

/// `project_id ?? choice`, where the tool has that argument already: the whole of it.
fn preferred<'t>(work: &Work<'_>, script: &Script, at: Node<'t>, carrier: usize) -> Option<Node<'t>> {
    let either = at.parent().filter(|parent| parent.kind() == "binary_expression")?;
    let operator = either.child_by_field_name("operator").map(|sign| script.of(sign))?;
    let left = either.child_by_field_name("left")?;
    let own = script.of(left) == work.names[carrier];
    (matches!(operator, "??" | "||") && left != at && own && work.known[carrier]).then_some(either)
}

/// A variable that held the choice: it holds what was checked, or the argument takes its place.
fn variable(
    work: &mut Work<'_>,
    script: &Script,
    declarator: Node<'_>,
    value: Node<'_>,
    carrier: usize,
    is_id: &dyn Fn(Node<'_>) -> bool,
) -> Result<(), Refused> {
    let name = declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier");
    let name =
        name.ok_or_else(|| script.refuse(declarator, "the choice is taken apart here", "read it by its name"))?;
    let mut values = Vec::new();
    for used in scope::uses(script, name) {
        if work.edits.covers(&script.path, span(used)) {
            continue;
        }
        if is_target(used) {
            // `if (!current) current = guess`: the branch goes, and this with it.
            values.push(used);
            continue;
        }
        let outer = fold::outermost(script, used, is_id);
        let given = |at: Node<'_>| {
            at == outer || at == used || (at.kind() == "identifier" && script.of(at) == script.of(name)) || is_id(at)
        };
        match fold::place(work, script, outer, &given)? {
            Place::Gone => {}
            Place::Value(at) => values.push(at),
        }
    }
    values.retain(|at| !work.edits.covers(&script.path, span(*at)));
    if let Some(written) = values.iter().find(|at| is_target(**at)) {
        return Err(script.refuse(*written, "the choice is changed here", "let the tool use what it was given"));
    }
    let whole = statement(declarator);
    let alone = children(whole).len() == 1 && whole.kind() == "lexical_declaration";
    let checked = work.check.is_some() && work.handles(carrier);
    let same = script.of(name) == work.names[carrier];
    if (checked && !same) || !alone {
        put(work, script, value, carrier)?;
        if let Some(keyword) = whole.child(0).filter(|keyword| alone && script.of(*keyword) == "let") {
            work.edits.replace(script, span(keyword), "const");
        }
        if let Some(ty) = declarator.child_by_field_name("type") {
            work.edits.cut(script, span(ty));
        }
        for at in values {
            if at.kind() != "identifier" && at.kind() != "shorthand_property_identifier" {
                work.edits.replace(script, span(at), script.of(name).to_owned());
            }
        }
        return Ok(());
    }
    for at in values {
        let text = work.names[carrier].clone();
        match at.kind() {
            "shorthand_property_identifier" if script.of(at) != text => {
                work.edits.replace(script, span(at), format!("{}: {text}", script.of(at)));
            }
            _ if script.of(at) == text => {}
            _ => work.edits.replace(script, span(at), text),
        }
    }
    if checked {
        work.uses[carrier] += 1;
        let text = super::check::asked(work, script, value, carrier)?;
        let end = if script.style.semicolons { ";" } else { "" };
        work.edits.replace(script, span(whole), format!("{text}{end}"));
        return Ok(());
    }
    work.uses[carrier] += 1;
    work.edits.cut(script, script.removal(whole));
    Ok(())
}

fn is_target(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| {
        parent.kind() == "assignment_expression" && parent.child_by_field_name("left") == Some(node)
    })
}

/// A read that only marks something.
fn marked(work: &mut Work<'_>, script: &Script, outer: Node<'_>) -> Result<(), Refused> {
    let declarator = outer.parent().filter(|parent| parent.kind() == "variable_declarator");
    let Some(declarator) = declarator else { return fold::unmark(work, script, outer) };
    let name = declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier");
    let name =
        name.ok_or_else(|| script.refuse(declarator, "the choice is taken apart here", "read it by its name"))?;
    for used in scope::uses(script, name) {
        fold::unmark(work, script, used)?;
    }
    work.edits.cut(script, script.removal(statement(declarator)));
    Ok(())
}
