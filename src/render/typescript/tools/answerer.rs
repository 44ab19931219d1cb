//! What functions that make answers do with what they are given: `text(…)`, `ok(data)`, `structured(data)`.

use tree_sitter::Node;

use super::literal::pair;
use crate::render::typescript::script::{bare, children, is_function};
use crate::render::typescript::scripts::{Code, Scripts, binds, declaration, mentions};

/// How many functions may hand an answer on to one another.
const HOPS: usize = 4;

/// How an answer's text comes from a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    /// It is the text, or a part of it.
    Whole(usize),
    /// It is written as JSON.
    Json(usize),
    /// A text stays one, all else is written as JSON.
    Either(usize),
    /// A list of lines.
    Lines(usize),
    /// The arguments from here on are its lines.
    Rest(usize),
}

/// What a function makes of its arguments.
#[derive(Clone, Copy, Debug)]
pub struct Answerer {
    /// Where the text comes from; nowhere in an answer whose text is the same each time.
    pub text: Option<Text>,
    /// The argument that is the structured part as well.
    pub structured: Option<usize>,
    /// It answers an error.
    pub error: bool,
    /// The argument that says whether it is an error.
    pub flag: Option<usize>,
}

/// What the function does that a call names; nothing where that is not known for sure.
pub fn of<'s>(scripts: &'s Scripts<'_>, call: Code<'s>) -> Option<Answerer> {
    called(scripts, call, HOPS)
}

fn called<'s>(scripts: &'s Scripts<'_>, call: Code<'s>, hops: usize) -> Option<Answerer> {
    let hops = hops.checked_sub(1)?;
    let function = scripts.value(call.to(call.node.child_by_field_name("function")?))?;
    if !is_function(function.node) {
        return None;
    }
    let mut answers = answers(function)?.into_iter().map(|answer| one(scripts, function, answer, hops));
    let first = answers.next()??;
    answers
        .all(|other| {
            other.is_some_and(|other| {
                (other.text, other.structured, other.error, other.flag)
                    == (first.text, first.structured, first.error, first.flag)
            })
        })
        .then_some(first)
}

/// All that a function answers.
fn answers<'s>(function: Code<'s>) -> Option<Vec<Code<'s>>> {
    let body = function.node.child_by_field_name("body")?;
    if body.kind() != "statement_block" {
        return Some(vec![function.to(bare(body))]);
    }
    let mut out = Vec::new();
    let mut stack = vec![body];
    while let Some(node) = stack.pop() {
        match node.kind() {
            _ if is_function(node) => {}
            "return_statement" => out.push(function.to(bare(*children(node).first()?))),
            _ => stack.extend(children(node)),
        }
    }
    Some(out)
}

fn one<'s>(scripts: &'s Scripts<'_>, function: Code<'s>, answer: Code<'s>, hops: usize) -> Option<Answerer> {
    let script = answer.script;
    match answer.node.kind() {
        "object" => {
            let value = |name: &str| {
                let entry = pair(script, answer.node, name)?;
                Some(bare(entry.child_by_field_name("value").unwrap_or(entry)))
            };
            let parts = children(value("content").filter(|content| content.kind() == "array")?);
            let part = parts.into_iter().map(bare).find(|part| pair(script, *part, "text").is_some())?;
            let text = pair(script, part, "text").map(|pair| pair.child_by_field_name("value").unwrap_or(pair))?;
            let error = value("isError");
            let structured = match value("structuredContent") {
                Some(structured) => Some(parameter(function, structured)?),
                None => None,
            };
            let flag = error.and_then(|error| parameter(function, error));
            Some(Answerer {
                text: source(function, bare(text)),
                structured,
                error: error.is_some_and(|error| script.of(error) == "true"),
                flag,
            })
        }
        "call_expression" => {
            let inner = called(scripts, answer, hops)?;
            let given = answer.node.child_by_field_name("arguments").map(children).unwrap_or_default();
            let own = |index: usize| given.get(index).and_then(|node| source(function, bare(*node)));
            let text = match inner.text {
                Some(Text::Whole(index)) => own(index),
                Some(Text::Json(index) | Text::Either(index)) => match own(index) {
                    Some(Text::Whole(own)) if inner.text == Some(Text::Either(index)) => Some(Text::Either(own)),
                    Some(Text::Whole(own)) => Some(Text::Json(own)),
                    _ => None,
                },
                _ => None,
            };
            let handed = |index: usize| given.get(index).map(|node| parameter(function, bare(*node)));
            let structured = match inner.structured.and_then(handed) {
                Some(None) => return None,
                Some(own) => own,
                None => None,
            };
            let said = inner.flag.and_then(|index| given.get(index)).map(|node| script.of(*node));
            let flag = inner.flag.and_then(handed).flatten();
            Some(Answerer { text, structured, error: inner.error || said == Some("true"), flag })
        }
        _ => None,
    }
}

fn parameters(function: Node<'_>) -> Vec<Node<'_>> {
    match function.child_by_field_name("parameter") {
        Some(only) => vec![only],
        None => function.child_by_field_name("parameters").map(children).unwrap_or_default(),
    }
}

/// Which parameter an expression names.
fn parameter(function: Code<'_>, node: Node<'_>) -> Option<usize> {
    let script = function.script;
    if !matches!(node.kind(), "identifier" | "shorthand_property_identifier") {
        return None;
    }
    parameters(function.node).into_iter().position(|own| {
        let pattern = own.child_by_field_name("pattern").unwrap_or(own);
        let pattern = pattern.child_by_field_name("left").unwrap_or(pattern);
        let pattern = match pattern.kind() {
            "rest_pattern" => children(pattern).first().copied().unwrap_or(pattern),
            _ => pattern,
        };
        pattern.kind() == "identifier" && script.of(pattern) == script.of(node)
    })
}

/// Which parameter a text comes from, and how.
fn source(function: Code<'_>, text: Node<'_>) -> Option<Text> {
    let script = function.script;
    match text.kind() {
        "identifier" | "shorthand_property_identifier" => {
            if let Some(index) = parameter(function, text) {
                return Some(Text::Whole(index));
            }
            let declared = declaration(function.to(text), script.of(text))?.node;
            let constant = declared.parent().is_some_and(|list| script.of(list).starts_with("const"));
            let own = constant && declared.kind() == "variable_declarator" && within(declared, function.node);
            declared.child_by_field_name("value").filter(|_| own).and_then(|value| source(function, bare(value)))
        }
        "template_string" => {
            let named: Vec<usize> = children(text)
                .into_iter()
                .filter_map(|part| parameter(function, bare(*children(part).first()?)))
                .collect();
            named.last().map(|index| Text::Whole(*index))
        }
        "call_expression" => {
            let callee = text.child_by_field_name("function")?;
            let given = text.child_by_field_name("arguments").map(children)?;
            if script.of(callee) == "JSON.stringify" {
                return parameter(function, bare(*given.first()?)).map(Text::Json);
            }
            let joined = callee.kind() == "member_expression"
                && callee.child_by_field_name("property").is_some_and(|name| script.of(name) == "join");
            let list = callee.child_by_field_name("object").filter(|_| joined)?;
            let index = parameter(function, list)?;
            let own = parameters(function.node)[index];
            let rest = script.of(own).starts_with("...");
            Some(if rest { Text::Rest(index) } else { Text::Lines(index) })
        }
        "ternary_expression" => {
            let condition = script.of(text.child_by_field_name("condition")?);
            let sides = ["consequence", "alternative"]
                .map(|side| text.child_by_field_name(side).and_then(|side| source(function, bare(side))));
            match sides {
                [Some(Text::Whole(a)), Some(Text::Json(b))] | [Some(Text::Json(a)), Some(Text::Whole(b))]
                    if a == b && condition.starts_with("typeof ") =>
                {
                    Some(Text::Either(a))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn within(node: Node<'_>, outer: Node<'_>) -> bool {
    outer.start_byte() <= node.start_byte() && node.end_byte() <= outer.end_byte()
}

/// Whether a name that code uses is bound to an object written out where it is declared, once and for all.
pub fn is_object(code: Code<'_>) -> bool {
    let script = code.script;
    let Some(found) = (code.node.kind() == "identifier").then(|| declaration(code, script.of(code.node))).flatten()
    else {
        return false;
    };
    let node = found.node;
    let constant = node.parent().is_some_and(|list| script.of(list).starts_with("const"));
    let single = node.child_by_field_name("name").is_some_and(|name| name.kind() == "identifier");
    node.kind() == "variable_declarator"
        && constant
        && single
        && node.child_by_field_name("value").is_some_and(|value| bare(value).kind() == "object")
}

/// The value of a constant that an answer names, where it is declared in the same function.
pub fn constant<'s>(code: Code<'s>, function: Node<'s>) -> Option<Node<'s>> {
    let script = code.script;
    let node = declaration(code, script.of(code.node))?.node;
    let constant = node.parent().is_some_and(|list| script.of(list).starts_with("const"));
    let name = node.child_by_field_name("name").filter(|_| node.kind() == "variable_declarator" && constant)?;
    let bound = binds(script, name, script.of(code.node)).is_some() && name.kind() == "identifier";
    // Used once: nobody else sees what is put into it.
    let once = mentions(script, function, script.of(code.node)).len() == 2;
    node.child_by_field_name("value").filter(|_| bound && once && within(node, function)).map(bare)
}
