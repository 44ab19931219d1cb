//! Log lines: what they tell of a session they tell of an address, and what nothing but a log line tells decides nothing.

use tree_sitter::Node;

use super::{Work, function};
use crate::model::facts::Span;
use crate::plan::handle::Entry;
use crate::plan::loggers::names_logger;
use crate::render::Refused;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, children, is_function, is_statement, span};

/// Whether a call is that of a logger.
fn is_log(script: &Script, call: Node<'_>) -> bool {
    let callee = call.child_by_field_name("function").filter(|_| call.kind() == "call_expression");
    let object = callee.and_then(|callee| callee.child_by_field_name("object"));
    object.is_some_and(|object| names_logger(script.of(object).rsplit('.').next().unwrap_or_default()))
}

/// A use of the key in a log line takes its new name, and so does the word before it. Answers whether it is one.
pub fn renamed(work: &mut Work<'_>, script: &Script, used: Node<'_>, new: &str) -> bool {
    let mut whole = used;
    if let Some((call, method)) = method_of(script, used) {
        // The beginning of an id tells one from another; that of an address does not.
        if !matches!(method, "slice" | "substring" | "substr" | "toString") {
            return false;
        }
        whole = call;
    }
    let Some(parent) = whole.parent() else { return false };
    let logged = std::iter::successors(Some(parent), Node::parent)
        .take_while(|around| {
            matches!(around.kind(), "template_substitution" | "template_string" | "arguments" | "pair" | "object")
                || is_log(script, *around)
        })
        .any(|around| is_log(script, around));
    if !logged {
        return false;
    }
    work.edits.replace(script, span(whole), new);
    work.logged = true;
    match parent.kind() {
        "template_substitution" => {
            let start = parent.prev_sibling().filter(|before| before.kind() != "`");
            label(work, script, start.map_or(parent.start_byte(), |before| before.start_byte()), parent.start_byte());
        }
        "pair" => {
            let key = parent.child_by_field_name("key").filter(|key| names_session(script.of(*key)));
            if let Some(key) = key.filter(|key| key.kind() == "property_identifier") {
                work.edits.replace(script, span(key), "address");
            }
        }
        _ => {
            if let Some(before) = whole.prev_named_sibling().filter(|before| before.kind() == "string") {
                label(work, script, before.start_byte() + 1, before.end_byte() - 1);
            }
        }
    }
    true
}

/// `value.method(…)`: the call, and the method.
fn method_of<'s, 't>(script: &'s Script, value: Node<'t>) -> Option<(Node<'t>, &'s str)> {
    let member = value
        .parent()
        .filter(|parent| parent.kind() == "member_expression" && parent.child_by_field_name("object") == Some(value))?;
    let call = member.parent().filter(|call| call.child_by_field_name("function") == Some(member))?;
    Some((call, script.of(member.child_by_field_name("property")?)))
}

fn names_session(word: &str) -> bool {
    matches!(word.to_ascii_lowercase().as_str(), "session" | "sessionid" | "session_id" | "sid")
}

/// `… session=`: the word at the end of a text says what follows.
fn label(work: &mut Work<'_>, script: &Script, start: usize, end: usize) {
    let text = script.text()[start..end].trim_end_matches([' ', '=', ':', '#']);
    let text =
        text.strip_suffix(" id").filter(|before| before.to_ascii_lowercase().ends_with("session")).unwrap_or(text);
    let word = text.len() - text.trim_end_matches(|char: char| char.is_alphanumeric() || char == '_').len();
    let (from, to) = (start + text.len() - word, start + text.len());
    if names_session(&script.text()[from..to]) {
        let id = script.text()[to..end].starts_with(" id");
        work.edits.replace(script, Span::new(from, if id { to + 3 } else { to }), "address");
    }
}

/// What tells the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// More than log lines: an answer, or what decides about a call.
    Elsewhere,
    /// Nothing but log lines: they may begin anew at any time.
    Logged,
    /// Nothing.
    Nowhere,
}

/// Where the counts were followed to.
#[derive(Default)]
struct Trail {
    places: Vec<(String, Span)>,
    logged: bool,
}

/// What tells the counts.
pub fn by(work: &Work<'_>) -> Result<Told, Refused> {
    let mut trail = Trail::default();
    for touch in &work.plan.touches {
        let (script, node) = work.scripts.expression(&touch.at)?;
        if !is_told(work, script, node, &mut trail)? {
            return Ok(Told::Elsewhere);
        }
    }
    Ok(match trail.logged {
        _ if work.plan.touches.is_empty() => Told::Elsewhere,
        true => Told::Logged,
        false => Told::Nowhere,
    })
}

/// Where a value goes: into a log line, back into the table, or nowhere.
fn is_told(work: &Work<'_>, script: &Script, node: Node<'_>, seen: &mut Trail) -> Result<bool, Refused> {
    let at = (script.path.clone(), span(node));
    let Some(parent) = node.parent().filter(|_| !seen.places.contains(&at)) else { return Ok(true) };
    seen.places.push(at);
    let field = |name: &str| parent.child_by_field_name(name);
    match parent.kind() {
        "expression_statement" => Ok(true),
        "if_statement" => {
            seen.logged = true;
            Ok(field("condition") == Some(node)
                && field("consequence")
                    .is_some_and(|then| field("alternative").is_none() && counts_on(work, script, then)))
        }
        "arguments" => {
            let Some(call) = parent.parent() else { return Ok(false) };
            let touches = |call: Node<'_>| {
                work.plan.touches.iter().any(|touch| touch.at.path == script.path && touch.at.span == span(call))
            };
            let logs = is_log(script, call);
            seen.logged |= logs;
            if logs || touches(call) {
                return Ok(true);
            }
            let callee = call.child_by_field_name("function").map(|callee| script.of(callee)).unwrap_or_default();
            let pure = callee.starts_with("Math.") || matches!(callee, "String" | "Number" | "JSON.stringify");
            Ok(pure && is_told(work, script, call, seen)?)
        }
        "variable_declarator" => match field("name") {
            Some(name) if name.kind() == "identifier" => told_everywhere(work, script, name, seen),
            _ => Ok(false),
        },
        "assignment_expression" | "augmented_assignment_expression" if field("right") == Some(node) => {
            let Some(left) = field("left") else { return Ok(false) };
            let root = root(left);
            let declared = scope::declaration(script, root, script.of(root)).filter(|_| root.kind() == "identifier");
            let Some(declared) = declared.filter(|_| within_function(root)) else { return Ok(false) };
            Ok(told_everywhere(work, script, declared, seen)? && is_told(work, script, parent, seen)?)
        }
        "return_statement" => answered(work, script, parent, seen),
        "arrow_function" if field("body") == Some(node) => answered(work, script, node, seen),
        "parenthesized_expression"
        | "non_null_expression"
        | "as_expression"
        | "await_expression"
        | "binary_expression"
        | "unary_expression"
        | "update_expression"
        | "ternary_expression"
        | "member_expression"
        | "subscript_expression"
        | "call_expression"
        | "template_substitution"
        | "template_string"
        | "pair"
        | "object"
        | "array"
        | "spread_element"
        | "assignment_expression"
        | "augmented_assignment_expression" => is_told(work, script, parent, seen),
        _ => Ok(false),
    }
}

fn told_everywhere(work: &Work<'_>, script: &Script, declared: Node<'_>, seen: &mut Trail) -> Result<bool, Refused> {
    for used in scope::uses(script, declared) {
        if !is_told(work, script, used, seen)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What a helper answers is told where it is called.
fn answered(work: &Work<'_>, script: &Script, node: Node<'_>, seen: &mut Trail) -> Result<bool, Refused> {
    let around = std::iter::successors(Some(node), Node::parent).find(|node| is_function(*node));
    for carrier in &work.plan.carriers {
        let (other, found) = function(work, &carrier.function)?;
        if other.path != script.path || Some(found) != around || !matches!(carrier.entry, Entry::Parameter { .. }) {
            continue;
        }
        for call in &carrier.calls {
            let (script, node) = work.scripts.expression(&call.at)?;
            if !is_told(work, script, node, seen)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    Ok(false)
}

/// The variable that a target is part of.
fn root(target: Node<'_>) -> Node<'_> {
    let mut inner = target;
    while let Some(object) = inner.child_by_field_name("object") {
        inner = object;
    }
    inner
}

fn within_function(node: Node<'_>) -> bool {
    std::iter::successors(node.parent(), Node::parent).any(is_function)
}

/// Whether code only counts on, or logs.
fn counts_on(work: &Work<'_>, script: &Script, then: Node<'_>) -> bool {
    let statements = if is_statement(then) || then.kind() != "statement_block" { vec![then] } else { children(then) };
    statements.into_iter().all(|node| {
        let inner = children(node).first().copied().filter(|_| node.kind() == "expression_statement");
        inner.is_some_and(|inner| {
            let touches = work
                .plan
                .touches
                .iter()
                .any(|touch| touch.at.path == script.path && span(inner).contains(touch.at.span));
            touches || is_log(script, inner)
        })
    })
}
