//! Handlers that serve many tools by name: which parts of one run only for tools that create the value.

use tree_sitter::Node;

use super::work::Work;
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::{Carries, Entry, Role};
use crate::render::Refused;
use crate::render::typescript::script::{Script, children, span};
use crate::render::typescript::tools;

/// The parts of each carrier that run only where a tool creates the value, though the carrier serves others as well.
pub fn of(work: &Work<'_>) -> Result<Vec<Vec<Span>>, Refused> {
    work.handle.carriers.iter().enumerate().map(|(index, carrier)| of_carrier(work, index, carrier)).collect()
}

fn of_carrier(work: &Work<'_>, index: usize, carrier: &Carries) -> Result<Vec<Span>, Refused> {
    let Entry::Handler(served) = &carrier.entry else { return Ok(Vec::new()) };
    let served = || served.iter().map(|tool| &work.handle.tools[*tool]);
    let creates = |tool: &&crate::plan::handle::ToolUse| tool.role == Role::Creates;
    let Some(creator) = served().find(creates).filter(|_| !work.handle.lazy && !work.creates(carrier)) else {
        return Ok(Vec::new());
    };
    let (script, function) = work.function(carrier)?;
    let part = |name: &str| tools::part(script, function, name);
    let others: Vec<Span> = served().filter(|tool| !creates(tool)).filter_map(|tool| part(&tool.name)).collect();
    let mut out = Vec::new();
    for tool in served().filter(creates) {
        match part(&tool.name).filter(|own| !others.contains(own)) {
            Some(part) => out.push(part),
            None => return Err(together(script, function, &tool.name)),
        }
    }
    // What runs for all tools would ask the first one for a handle that only it can give.
    let elsewhere = |at: &&Site| !out.iter().chain(&others).any(|part| part.contains(at.span));
    let touches = work.handle.touches.iter().filter(|touch| touch.carrier == index).map(|touch| &touch.at);
    let calls = work.handle.carriers.iter().flat_map(|other| &other.calls).filter(|call| call.within == index);
    if let Some(at) = touches.chain(calls.map(|call| &call.at)).find(elsewhere) {
        return Err(together(script, script.around(at.span).unwrap_or(function), &creator.name));
    }
    Ok(out)
}

fn together(script: &Script, node: Node<'_>, creator: &str) -> Refused {
    script.refuse(
        node,
        format!("this is run for `{creator}`, which creates the value, along with tools that use it"),
        "give that tool a branch or a handler of its own, and run again",
    )
}

/// Gives the statements of a case a block of their own, for the constant that stands among them.
pub fn embrace(work: &mut Work<'_>, script: &Script, inside: Node<'_>) {
    let Some(case) = inside.parent().filter(|parent| parent.kind() == "switch_case") else { return };
    let statements: Vec<Node<'_>> =
        children(case).into_iter().filter(|node| case.child_by_field_name("value") != Some(*node)).collect();
    let (Some(first), Some(last)) = (statements.first(), statements.last()) else { return };
    let colon = (0..case.child_count()).filter_map(|index| case.child(index)).find(|child| child.kind() == ":");
    let Some(colon) = colon else { return };
    let (newline, indent) = (script.style.newline, script.indentation(case));
    if script.line_start(first.start_byte()) != script.line_start(case.start_byte()) {
        work.edits.insert(script, colon.end_byte(), " {");
        work.edits.insert(script, last.end_byte(), format!("{newline}{indent}}}"));
        return;
    }
    // All of it stands on the line of its label.
    let inner = format!("{newline}{indent}{}", script.style.indent.text());
    let mut end = colon.end_byte();
    for (index, statement) in statements.iter().enumerate() {
        let open = if index == 0 { " {" } else { "" };
        work.edits.replace(script, Span::new(end, statement.start_byte()), format!("{open}{inner}"));
        end = statement.end_byte();
    }
    work.edits.insert(script, last.end_byte(), format!("{newline}{indent}}}"));
}

/// What a statement's own lines begin with, once it stands in a block of its own.
pub fn indentation(script: &Script, statement: Node<'_>) -> String {
    let own = script.indentation(statement).to_owned();
    let case = statement.parent().filter(|parent| parent.kind() == "switch_case");
    let joined =
        case.is_some_and(|case| script.line_start(case.start_byte()) == script.line_start(statement.start_byte()));
    if joined { format!("{own}{}", script.style.indent.text()) } else { own }
}

/// The smallest part of a carrier around a place that runs for creating tools alone, as code.
pub fn scope<'t>(work: &Work<'_>, carrier: usize, script: &'t Script, at: Node<'t>) -> Option<Node<'t>> {
    let part = work.beginnings[carrier].iter().find(|part| part.contains(span(at)))?;
    script.around(*part)
}
