//! The keys that one session's values stand under, with the handle in the place of the id, and a key of the same kind for the mark.

use tree_sitter::Node;

use super::super::Work;
use super::super::ids::is_plain;
use super::home::{Home, arguments};
use crate::plan::handle::{Carries, Touch};
use crate::render::Refused;
use crate::render::typescript::classes;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children};
use crate::render::typescript::scripts::Code;

/// A key.
#[derive(Clone, Debug)]
pub struct Key {
    /// The expression that makes it, where the functions stand.
    pub text: String,
    /// What stands around the id, where that can be told.
    pub pattern: Option<Pattern>,
}

/// What stands around the id in a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// As it is written: the inside of a template, or the first operands of a sum with their signs.
    before: String,
    /// What comes behind the id.
    after: String,
    /// It is a sum.
    sum: bool,
}

impl Key {
    /// Whether two are one key.
    pub fn is(&self, other: &Self) -> bool {
        self.text == other.text || self.pattern.is_some() && self.pattern == other.pattern
    }
}

/// Keys that are several arguments of one call, or the elements of a list.
const SEVERAL: &[&str] = &["del", "unlink", "mget", "mGet", "exists", "touch"];

/// The keys of an access, each where it can be told. The first one can.
pub fn of(work: &Work<'_>, home: &Home<'_>, touch: &Touch) -> Result<Vec<Key>, Refused> {
    let (script, call) = work.scripts.expression(&touch.at)?;
    let callee = bare(call).child_by_field_name("function");
    let command = callee.and_then(|callee| callee.child_by_field_name("property")).map(|name| script.of(name));
    let mut given = arguments(call);
    if !command.is_some_and(|command| SEVERAL.contains(&command)) {
        given.truncate(1);
    }
    let listed: Vec<Node<'_>> = given
        .into_iter()
        .flat_map(|argument| match argument.kind() {
            "array" => children(argument),
            _ => vec![argument],
        })
        .collect();
    let mut out = Vec::new();
    for (index, argument) in listed.into_iter().enumerate() {
        match of_argument(work, home, (script, argument), touch.carrier, 4) {
            Ok(keys) => out.extend(keys),
            Err(refused) if index == 0 => return Err(refused),
            Err(_) => {}
        }
    }
    Ok(out)
}

/// The key that an argument is, or those that a function is handed.
fn of_argument(
    work: &Work<'_>,
    home: &Home<'_>,
    (script, argument): (&Script, Node<'_>),
    carrier: usize,
    left: usize,
) -> Result<Vec<Key>, Refused> {
    let Some(left) = left.checked_sub(1).filter(|_| work.keyed[carrier]) else {
        return one(work, home, script, argument, carrier).map(|key| vec![key]);
    };
    let mut out = Vec::new();
    for call in &work.external.carriers[carrier].calls {
        let Some(given) = &call.argument else { continue };
        let (script, given) = work.scripts.expression(given)?;
        out.extend(of_argument(work, home, (script, given), call.within, left)?);
    }
    if out.is_empty() {
        return Err(script.refuse(
            argument,
            "where this key comes from can't be told",
            "write the key out where it is used",
        ));
    }
    Ok(out)
}

fn one(work: &Work<'_>, home: &Home<'_>, script: &Script, argument: Node<'_>, carrier: usize) -> Result<Key, Refused> {
    let carrier = &work.external.carriers[carrier];
    let id = &work.external.names.variable;
    let (text, whole) = written(home, script, argument, carrier, id)?;
    let is_own = |node: Node<'_>| is_plain(carrier, script, node);
    let pattern = pattern(work, Code { script, node: whole }, &is_own, home, 6);
    Ok(Key { text, pattern })
}

/// The expression of a key with the handle in it, and the expression as it stands in the code.
fn written<'t>(
    home: &Home<'_>,
    script: &'t Script,
    key: Node<'t>,
    carrier: &Carries,
    id: &str,
) -> Result<(String, Node<'t>), Refused> {
    let refuse = |node: Node<'_>, why: String| {
        script.refuse(node, why, "write the key out where it is used, or let a function of the file make it")
    };
    let node = bare(key);
    if node.kind() == "identifier" {
        let own = scope::declaration(script, node, script.of(node));
        let holder = own.and_then(|own| own.parent());
        let value = |holder: Node<'t>| holder.child_by_field_name("value");
        match holder.map(|holder| (holder, holder.kind())) {
            Some((holder, "variable_declarator")) if value(holder).is_some_and(|value| !comes(value)) => {
                let Some(value) = value(holder) else { return Err(refuse(key, String::new())) };
                return written(home, script, value, carrier, id);
            }
            // `const { items } = keys(id)`
            Some((pattern, "object_pattern")) => {
                let declarator = pattern.parent().filter(|outer| outer.kind() == "variable_declarator");
                if let Some(value) = declarator.and_then(value) {
                    let (text, _) = written(home, script, value, carrier, id)?;
                    return Ok((format!("{text}.{}", script.of(node)), node));
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    ids_in(carrier, script, node, &mut found);
    if found.is_empty() {
        return Err(refuse(key, "where this key comes from can't be told".to_owned()));
    }
    if script.path != home.script.path && !matches!(node.kind(), "template_string" | "binary_expression") {
        return Err(refuse(
            key,
            "this key is made in another file than the functions that use the store's client".to_owned(),
        ));
    }
    let mut stack = vec![node];
    while let Some(inner) = stack.pop() {
        if found.contains(&inner) {
            continue;
        }
        let named = matches!(inner.kind(), "identifier" | "shorthand_property_identifier" | "this");
        if named && (script.path != home.script.path || !home.knows(inner)) {
            let why = format!("this key is made with `{}`, which only the function around knows", script.of(inner));
            return Err(refuse(inner, why));
        }
        stack.extend(children(inner));
    }
    let mut out = String::new();
    let mut at = node.start_byte();
    for inner in found {
        out.push_str(&script.text()[at..inner.start_byte()]);
        out.push_str(id);
        at = inner.end_byte();
    }
    out.push_str(&script.text()[at..node.end_byte()]);
    Ok((out, node))
}

/// Whether a variable's value is the id as it comes, and no key that is made of it.
fn comes(value: Node<'_>) -> bool {
    let value = bare(value);
    let of_call = || value.child_by_field_name("object").is_some_and(|object| bare(object).kind() == "call_expression");
    match value.kind() {
        "template_string" | "binary_expression" | "call_expression" | "identifier" => false,
        "member_expression" => !of_call(),
        _ => true,
    }
}

fn ids_in<'t>(carrier: &Carries, script: &Script, node: Node<'t>, out: &mut Vec<Node<'t>>) {
    if is_plain(carrier, script, node) && node.kind() != "arguments" {
        // `sessionId!` is replaced as a whole.
        let whole = node.parent().filter(|parent| parent.kind() == "non_null_expression").unwrap_or(node);
        out.push(whole);
        return;
    }
    children(node).into_iter().for_each(|child| ids_in(carrier, script, child, out));
}

/// What stands around the id in a key, through the functions that make it.
fn pattern(
    work: &Work<'_>,
    code: Code<'_>,
    is_own: &dyn Fn(Node<'_>) -> bool,
    home: &Home<'_>,
    left: usize,
) -> Option<Pattern> {
    let left = left.checked_sub(1)?;
    let script = code.script;
    let node = bare(code.node);
    match node.kind() {
        "template_string" => {
            let parts = children(node);
            let held = |part: &Node<'_>| {
                part.kind() == "template_substitution"
                    && children(*part).first().is_some_and(|inner| is_own(bare(*inner)))
            };
            let id = parts.iter().position(held)?;
            let others =
                parts.iter().enumerate().filter(|(index, part)| *index != id && part.kind() == "template_substitution");
            let here = script.path == home.script.path;
            for (_, other) in others {
                if held(other) || !here || home.unknown(*other).is_some() {
                    return None;
                }
            }
            let text = script.text();
            Some(Pattern {
                before: text[node.start_byte() + 1..parts[id].start_byte()].to_owned(),
                after: text[parts[id].end_byte()..node.end_byte() - 1].to_owned(),
                sum: false,
            })
        }
        "binary_expression" => {
            let (first, last) = (node.child_by_field_name("left")?, node.child_by_field_name("right")?);
            let text = script.text();
            // `'cart:' + id`, and the same with a text behind it.
            if is_own(bare(last)) && bare(first).kind() == "string" {
                let before = text[first.start_byte()..last.start_byte()].to_owned();
                return Some(Pattern { before, after: String::new(), sum: true });
            }
            let inner = bare(first);
            let (start, id) = (inner.child_by_field_name("left")?, inner.child_by_field_name("right")?);
            (is_own(bare(id)) && bare(start).kind() == "string" && bare(last).kind() == "string").then(|| Pattern {
                before: text[start.start_byte()..id.start_byte()].to_owned(),
                after: script.of(last).trim_matches(['\'', '"']).to_owned(),
                sum: true,
            })
        }
        "identifier" => {
            // A name that is taken from what a function answers.
            let own = scope::declaration(script, node, script.of(node))?;
            let declarator = own.parent()?.parent().filter(|outer| outer.kind() == "variable_declarator")?;
            let value = declarator.child_by_field_name("value")?;
            field(work, code.to(value), script.of(node), is_own, home, left)
        }
        "member_expression" => {
            let name = script.of(node.child_by_field_name("property")?);
            field(work, code.to(node.child_by_field_name("object")?), name, is_own, home, left)
        }
        "call_expression" => {
            let (value, parameter) = answer(work, code.to(node), is_own)?;
            let script = value.script;
            let is_own = |node: Node<'_>| node.kind() == "identifier" && script.of(node) == parameter;
            pattern(work, value, &is_own, home, left)
        }
        _ => None,
    }
}

/// The same of a field of what a call answers: `keys(id).items`.
fn field(
    work: &Work<'_>,
    call: Code<'_>,
    name: &str,
    is_own: &dyn Fn(Node<'_>) -> bool,
    home: &Home<'_>,
    left: usize,
) -> Option<Pattern> {
    let node = bare(call.node);
    if node.kind() != "call_expression" {
        return None;
    }
    let (value, parameter) = answer(work, call.to(node), is_own)?;
    let value = crate::render::typescript::scripts::property(value.bare(), name)?;
    let script = value.script;
    let is_own = |node: Node<'_>| node.kind() == "identifier" && script.of(node) == parameter;
    pattern(work, value, &is_own, home, left)
}

/// What a function answers that does nothing else, and the parameter that the id is given as.
fn answer<'s>(work: &Work<'s>, call: Code<'s>, is_own: &dyn Fn(Node<'_>) -> bool) -> Option<(Code<'s>, String)> {
    let script = call.script;
    let index = arguments(call.node).iter().position(|argument| is_own(bare(*argument)))?;
    let callee = call.node.child_by_field_name("function")?;
    let function = match method(script, callee) {
        Some(method) => call.to(method),
        None => work.scripts.value(call.to(callee))?,
    };
    let body = function.node.child_by_field_name("body")?;
    let parameters = function.node.child_by_field_name("parameters").map(children);
    let parameter = match (parameters, function.node.child_by_field_name("parameter")) {
        (Some(list), _) => *list.get(index)?,
        (None, only) => only.filter(|_| index == 0)?,
    };
    let parameter = parameter.child_by_field_name("pattern").unwrap_or(parameter);
    let value = match (body.kind(), children(body).as_slice()) {
        ("statement_block", [only]) if only.kind() == "return_statement" => children(*only).first().copied()?,
        ("statement_block", _) => return None,
        _ => body,
    };
    Some((function.to(bare(value)), function.script.of(parameter).to_owned()))
}

/// The method that `this.name` is in the class around.
fn method<'t>(script: &Script, callee: Node<'t>) -> Option<Node<'t>> {
    callee.child_by_field_name("object").filter(|object| object.kind() == "this")?;
    let name = script.of(callee.child_by_field_name("property")?);
    let members = children(classes::body(callee)?);
    let member = members.into_iter().find(|member| classes::member_name(script, *member) == Some(name))?;
    match member.kind() {
        "method_definition" => Some(member),
        _ => member.child_by_field_name("value"),
    }
}

/// The key of the mark, which no other key is.
pub fn mark(work: &Work<'_>, home: &Home<'_>, keys: &[Key]) -> String {
    let id = &work.external.names.variable;
    let Some(first) = keys.iter().find(|key| key.pattern.is_some()).or(keys.first()) else { return id.clone() };
    let Some(pattern) = &first.pattern else {
        return match first.text == *id {
            true => format!("`${{{id}}}:open`"),
            false => format!("`${{{}}}:open`", first.text),
        };
    };
    let start = pattern.before.trim_end_matches([' ', '+', '\'', '"', '`']);
    let sign = start.chars().next_back().filter(|char| ":/.-_#|".contains(*char)).unwrap_or(':');
    // Keys of one slot of a cluster stay in it.
    let closing = if pattern.after.starts_with('}') { "}" } else { "" };
    let taken = |end: &str| keys.iter().filter_map(|key| key.pattern.as_ref()).any(|known| known.after == end);
    let mut end = format!("{closing}{sign}open");
    if taken(&end) {
        end = format!("{closing}{sign}handle");
    }
    match pattern.sum {
        true => format!("{}{id} + {}", pattern.before, home.script.style.string(&end)),
        false => format!("`{}${{{id}}}{end}`", pattern.before),
    }
}
