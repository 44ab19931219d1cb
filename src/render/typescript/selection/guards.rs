//! The checks of the tool that set the choice: the statements in front of the one that set it, which leave where the id is wrong.

use tree_sitter::Node;

use super::{Work, listing};
use crate::plan::selection::Link;
use crate::render::Refused;
use crate::render::typescript::handle::work::function_in;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, is_function, span};
use crate::render::typescript::scripts::mentions;

/// The statements of one function on the way that check the id.
pub struct Guards<'a> {
    /// Its file.
    pub script: &'a Script,
    /// The function.
    pub function: Node<'a>,
    /// The statements.
    pub statements: Vec<Node<'a>>,
    /// How the function names the id.
    pub local: String,
}

/// How each function on the way names the id.
pub fn locals(work: &Work<'_>) -> Result<Vec<String>, Refused> {
    let setter = &work.selection.setter;
    let (script, value) = work.scripts.expression(&setter.value)?;
    let mut name = script.of(bare(value)).to_owned();
    let mut out = vec![name.clone()];
    for pair in setter.links.windows(2).rev() {
        let (callee_script, callee) = work.scripts.expression(&pair[1].function)?;
        let callee = function_in(callee).unwrap_or(callee);
        let parameters = callee.child_by_field_name("parameters").map(children).unwrap_or_default();
        let own = |node: &Node<'_>| callee_script.of(node.child_by_field_name("pattern").unwrap_or(*node)) == name;
        let index = parameters.iter().position(own);
        let (script, call) = work.scripts.expression(&pair[0].at)?;
        let call = bare(call);
        let given = call.child_by_field_name("arguments").map(children).unwrap_or_default();
        let argument = index.and_then(|index| given.get(index));
        let argument = argument.ok_or_else(|| {
            script.refuse(call, "how the id gets from here to where it is kept can't be followed", "pass it as it is")
        })?;
        name = script.of(bare(*argument)).to_owned();
        out.insert(0, name.clone());
    }
    Ok(out)
}

/// What a function checks before it leads on.
pub fn guards<'a>(work: &Work<'a>, link: &Link, local: String) -> Result<Option<Guards<'a>>, Refused> {
    let (script, node) = work.scripts.expression(&link.function)?;
    let function = function_in(node).ok_or_else(|| script.refuse(node, "a function was expected here", "run again"))?;
    let body = function.child_by_field_name("body").filter(|body| body.kind() == "statement_block");
    let Some(mut list) = body.map(children) else { return Ok(None) };
    let mut before: Vec<Node<'a>> = Vec::new();
    loop {
        let holds = |node: &Node<'_>| span(*node).contains(link.at.span);
        let Some(at) = list.iter().position(holds) else { break };
        before.extend(&list[..at]);
        let own = list[at];
        let inner = match own.kind() {
            "try_statement" => own.child_by_field_name("body"),
            "switch_statement" => own.child_by_field_name("body"),
            "switch_case" | "switch_default" => Some(own),
            "statement_block" => Some(own),
            "if_statement" if is_dispatch(script, own) => own.child_by_field_name("consequence"),
            "if_statement" => {
                return Err(script.refuse(
                    own,
                    "the choice is set only where this holds",
                    "leave early where it does not hold, and set it behind that",
                ));
            }
            _ => break,
        };
        match inner {
            Some(inner) => {
                if inner.kind() != "switch_body" && own.kind() != "try_statement" {
                    // What stands before is for all tools.
                    before.clear();
                }
                let value = inner.child_by_field_name("value");
                list = children(inner).into_iter().filter(|node| Some(*node) != value).collect();
            }
            None => break,
        }
    }
    let mut kept = Vec::new();
    for node in before {
        if keeps(script, link, node, &local)? {
            kept.push(node);
        }
    }
    let statements = needed(script, kept);
    Ok((!statements.is_empty()).then_some(Guards { script, function, statements, local }))
}

/// `if (name === 'use_project') { … }`.
fn is_dispatch(script: &Script, node: Node<'_>) -> bool {
    let condition = node.child_by_field_name("condition").map(bare);
    condition.is_some_and(|condition| {
        condition.kind() == "binary_expression"
            && condition.child_by_field_name("operator").is_some_and(|sign| script.of(sign).starts_with("=="))
            && condition.child_by_field_name("right").is_some_and(|right| right.kind() == "string")
    })
}

/// Whether a statement before the choice is set belongs to its checks.
fn keeps(script: &Script, link: &Link, node: Node<'_>, local: &str) -> Result<bool, Refused> {
    let ids = link.ids.iter().any(|id| id.path == script.path && span(node).contains(id.span));
    let speaks = script.of(node).contains(local);
    match node.kind() {
        "lexical_declaration" | "variable_declaration" => {
            // What only takes the argument out of the others is done by the caller.
            let takes = scope::declared_by(node).iter().any(|name| script.of(*name) == local);
            Ok(!ids && !takes && !script.of(node).starts_with("let"))
        }
        "if_statement" if ids && !speaks => Ok(false),
        "if_statement" if node.child_by_field_name("alternative").is_none() && !ids => Ok(true),
        "expression_statement" => {
            let text = script.of(node);
            let told = text.starts_with("console.") || text.starts_with("log") || text.contains("logger.");
            // A check that throws by itself: `assertProject(id)`.
            Ok(!told)
        }
        "comment" | "empty_statement" => Ok(false),
        _ => Err(script.refuse(
            node,
            "what is done here before the choice is set is not known",
            "move it out of the tool",
        )),
    }
}

/// The checks, and the constants that they need.
fn needed<'t>(script: &Script, kept: Vec<Node<'t>>) -> Vec<Node<'t>> {
    let mut out: Vec<Node<'t>> = Vec::new();
    for node in kept.into_iter().rev() {
        let declares = node.kind() == "lexical_declaration";
        let names: Vec<&str> = scope::declared_by(node).into_iter().map(|name| script.of(name)).collect();
        let used = names.iter().any(|name| out.iter().any(|other| !mentions(script, *other, name).is_empty()));
        if !declares || used {
            out.insert(0, node);
        }
    }
    out
}

/// Whether a statement waits for something.
pub fn waits(node: Node<'_>) -> bool {
    node.kind() == "await_expression" || (!is_function(node) && children(node).into_iter().any(waits))
}

/// `if (wrong) throw …`, with the ids that there are.
pub fn guard(guards: &Guards<'_>, node: Node<'_>, parameter: &str) -> Result<String, Refused> {
    let script = guards.script;
    let refuse = || {
        script.refuse(
            node,
            "what this answers where the id is wrong can't be told",
            "throw an error here, or answer one text, and run again",
        )
    };
    let condition = node.child_by_field_name("condition").ok_or_else(refuse)?;
    let then = node.child_by_field_name("consequence").ok_or_else(refuse)?;
    let statements = if then.kind() == "statement_block" { children(then) } else { vec![then] };
    let (last, rest) = statements.split_last().ok_or_else(refuse)?;
    let mut lines = Vec::new();
    for other in rest {
        match other.kind() {
            "lexical_declaration" => lines.push(listing::with(script, *other, &guards.local, parameter)),
            "expression_statement" if script.of(*other).starts_with("console.") => {}
            _ => return Err(refuse()),
        }
    }
    let value = children(*last).first().copied().ok_or_else(refuse)?;
    let list = listing::of(script, condition, &guards.statements, &guards.local);
    let list = list.filter(|list| !lines.iter().any(|line| line.contains(list.as_str())));
    let end = if script.style.semicolons { ";" } else { "" };
    let thrown = match last.kind() {
        "throw_statement" => {
            let arguments = value.child_by_field_name("arguments").map(children).unwrap_or_default();
            let message = arguments.iter().copied().find(|node| listing::is_text(*node));
            match (value.kind(), message) {
                ("new_expression", Some(message)) => {
                    let told =
                        listing::told(script, message, list.as_deref(), &guards.local, parameter, !rest.is_empty());
                    let whole = script.of(value);
                    let (start, stop) =
                        (message.start_byte() - value.start_byte(), message.end_byte() - value.start_byte());
                    format!("{}{told}{}", &whole[..start], &whole[stop..])
                }
                _ => listing::with(script, value, &guards.local, parameter),
            }
        }
        "return_statement" => {
            let message = listing::message(script, value).ok_or_else(refuse)?;
            let told = listing::told(script, message, list.as_deref(), &guards.local, parameter, !rest.is_empty());
            format!("new Error({told})")
        }
        _ => return Err(refuse()),
    };
    let asked = listing::with(script, condition, &guards.local, parameter);
    if lines.is_empty() {
        let line = format!("if {asked} throw {thrown}{end}");
        if line.chars().count() < 100 {
            return Ok(line);
        }
    }
    lines.push(format!("throw {thrown}{end}"));
    let unit = script.style.indent.text();
    let base = script.indentation(node);
    let lines: Vec<String> = lines.iter().map(|line| format!("{base}{unit}{line}")).collect();
    let newline = script.style.newline;
    Ok(format!("if {asked} {{{newline}{}{newline}{base}}}", lines.join(newline)))
}
