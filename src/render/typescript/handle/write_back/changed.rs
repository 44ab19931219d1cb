//! Code that changes a value in place: it writes to what a variable stands for, or to a part of it.

use tree_sitter::Node;

use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, is_function, span};

/// Methods of lists, maps and sets that change them.
const CHANGING: &[&str] = &[
    "push",
    "pop",
    "shift",
    "unshift",
    "splice",
    "sort",
    "reverse",
    "fill",
    "copyWithin",
    "set",
    "delete",
    "clear",
    "add",
];

/// Methods that call what they are given at once, with parts of what they are called on.
pub const VISITING: &[&str] = &[
    "forEach",
    "map",
    "flatMap",
    "filter",
    "find",
    "findLast",
    "findIndex",
    "some",
    "every",
    "reduce",
    "reduceRight",
    "sort",
];

/// Methods that answer a new list of the parts.
const COPYING: &[&str] = &["filter", "slice", "concat", "toSorted", "toReversed", "toSpliced", "flat"];

/// Methods that answer a new list of what is made of the parts.
const MAPPING: &[&str] = &["map", "flatMap", "reduce", "reduceRight", "join"];

/// Functions that are looked into, one calling the other.
const DEPTH: usize = 3;

/// Where code within a function changes what a variable stands for. `own`: an assignment to the variable itself counts.
pub fn changes<'t>(script: &'t Script, function: Node<'t>, variable: Node<'t>, own: bool) -> Vec<Node<'t>> {
    let mut out = Vec::new();
    look(script, function, variable, own, DEPTH, &mut out);
    out.sort_by_key(Node::start_byte);
    out.dedup();
    out
}

/// Where code within a function changes what expressions of it stand for (`this.lines`). `own`: assignments to them count.
pub fn changes_of<'t>(script: &'t Script, function: Node<'t>, used: &[Node<'t>], own: bool) -> Vec<Node<'t>> {
    let mut out = Vec::new();
    for used in used.iter().copied().filter(|used| span(function).contains(span(*used))) {
        out.extend(change(script, used).filter(|_| own || used != whole(used)));
        out.extend(handed_on(script, used, DEPTH));
        for part in parts(script, used, false) {
            look_at(script, function, part, false, DEPTH, &mut out);
        }
    }
    out.sort_by_key(Node::start_byte);
    out.dedup();
    out
}

fn look<'t>(
    script: &'t Script,
    function: Node<'t>,
    variable: Node<'t>,
    own: bool,
    depth: usize,
    out: &mut Vec<Node<'t>>,
) {
    look_at(script, function, Part { name: variable, fresh: false }, own, depth, out);
}

/// A name that stands for a part of a value.
#[derive(Clone, Copy)]
struct Part<'t> {
    name: Node<'t>,
    /// It is a list of its own, with parts of the value in it: to change the list changes none of them.
    fresh: bool,
}

fn look_at<'t>(
    script: &'t Script,
    function: Node<'t>,
    variable: Part<'t>,
    own: bool,
    depth: usize,
    out: &mut Vec<Node<'t>>,
) {
    let mut todo = vec![variable];
    let mut seen = vec![span(variable.name)];
    while let Some(Part { name, fresh }) = todo.pop() {
        for used in scope::uses(script, name).into_iter().filter(|used| span(function).contains(span(*used))) {
            let counts = used != whole(used) || own && name == variable.name;
            let counts = if fresh { levels(used) > 1 } else { counts };
            out.extend(change(script, used).filter(|_| counts));
            out.extend(handed_on(script, used, depth).filter(|_| !fresh || levels(used) > 0));
            for part in parts(script, used, fresh) {
                if !seen.contains(&span(part.name)) {
                    seen.push(span(part.name));
                    todo.push(part);
                }
            }
        }
    }
}

/// The access that a use begins: `basket.lines[0].quantity`.
fn whole(used: Node<'_>) -> Node<'_> {
    let mut node = used;
    while let Some(parent) = node.parent() {
        let goes_on = match parent.kind() {
            "member_expression" | "subscript_expression" => parent.child_by_field_name("object") == Some(node),
            "non_null_expression" | "parenthesized_expression" | "as_expression" => true,
            _ => false,
        };
        if !goes_on {
            break;
        }
        node = parent;
    }
    node
}

/// The assignment, or the call of a changing method, that a use is the beginning of.
fn change<'t>(script: &Script, used: Node<'t>) -> Option<Node<'t>> {
    let access = whole(used);
    let parent = access.parent()?;
    let changes = match parent.kind() {
        "assignment_expression" | "augmented_assignment_expression" => {
            parent.child_by_field_name("left") == Some(access)
        }
        "update_expression" => true,
        "unary_expression" => script.of(parent).starts_with("delete"),
        "call_expression" => method(script, parent, access).is_some_and(|name| CHANGING.contains(&name)),
        _ => false,
    };
    changes.then_some(parent)
}

/// Whether a value that no variable holds may be changed where it is looked up.
pub fn may_change(script: &Script, function: Node<'_>, looked_up: Node<'_>) -> bool {
    let mut node = looked_up;
    while let Some(parent) = node.parent().filter(|parent| !is_function(*parent)) {
        match parent.kind() {
            "call_expression" if method(script, parent, node).is_some_and(|name| CHANGING.contains(&name)) => {
                return true;
            }
            "assignment_expression" | "augmented_assignment_expression" | "update_expression" => return true,
            "variable_declarator" => {
                let names = parent.child_by_field_name("name").map(bound).unwrap_or_default();
                return names.into_iter().any(|name| !changes(script, function, name, false).is_empty());
            }
            "expression_statement" => return true,
            "return_statement" => return false,
            _ => node = parent,
        }
    }
    false
}

/// The method that a call calls, where that is the end of an access.
fn method<'s>(script: &'s Script, call: Node<'_>, access: Node<'_>) -> Option<&'s str> {
    let callee = call.child_by_field_name("function").filter(|callee| *callee == access)?;
    callee.child_by_field_name("property").map(|name| script.slice(span(name)))
}

/// How many accesses a use begins: two for `basket.lines[0]`.
fn levels(used: Node<'_>) -> usize {
    let access = whole(used);
    let around = std::iter::successors(Some(used), Node::parent).take_while(|node| span(access).contains(span(*node)));
    around.filter(|node| matches!(node.kind(), "member_expression" | "subscript_expression")).count()
}

/// Names that stand for a part of what a use stands for: variables made from it, and parameters of what visits its parts. `fresh`: the
/// use is of a list of its own.
fn parts<'t>(script: &'t Script, used: Node<'t>, fresh: bool) -> Vec<Part<'t>> {
    let mut out = Vec::new();
    let mut node = used;
    let mut fresh = fresh;
    while let Some(parent) = node.parent() {
        match parent.kind() {
            "member_expression" | "subscript_expression" if parent.child_by_field_name("object") != Some(node) => break,
            "subscript_expression" => fresh = false,
            "member_expression"
            | "non_null_expression"
            | "parenthesized_expression"
            | "as_expression"
            | "await_expression"
            | "binary_expression"
            | "ternary_expression" => {}
            "spread_element" | "array" => fresh = true,
            "call_expression" if parent.child_by_field_name("function") == Some(node) => {
                let name = method(script, parent, node).unwrap_or_default();
                let given = parent.child_by_field_name("arguments").map(children).unwrap_or_default();
                if VISITING.contains(&name) {
                    let visitors = given.iter().filter(|given| is_function(**given));
                    out.extend(visitors.flat_map(|own| parameters(*own)).map(|name| Part { name, fresh: false }));
                }
                if MAPPING.contains(&name) && !given.first().is_some_and(|given| answers_a_part(*given)) {
                    break;
                }
                fresh = COPYING.contains(&name) || MAPPING.contains(&name);
            }
            "variable_declarator" if parent.child_by_field_name("value") == Some(node) => {
                let pattern = parent.child_by_field_name("name");
                let whole = pattern.is_some_and(|pattern| pattern.kind() == "identifier");
                let names = pattern.map(bound).unwrap_or_default().into_iter();
                out.extend(names.map(|name| Part { name, fresh: fresh && whole }));
                break;
            }
            "for_in_statement" if parent.child_by_field_name("right") == Some(node) => {
                let names = parent.child_by_field_name("left").map(bound).unwrap_or_default().into_iter();
                out.extend(names.map(|name| Part { name, fresh: false }));
                break;
            }
            _ => break,
        }
        node = parent;
    }
    out
}

/// Whether a function that is called for each part answers the part, or one of its own: `(line) => line.item`.
fn answers_a_part(given: Node<'_>) -> bool {
    let body = given.child_by_field_name("body").map(bare);
    body.is_none_or(|body| matches!(body.kind(), "identifier" | "member_expression" | "subscript_expression"))
}

fn parameters(function: Node<'_>) -> Vec<Node<'_>> {
    let list = function.child_by_field_name("parameters").map(children);
    let listed = list.unwrap_or_else(|| function.child_by_field_name("parameter").into_iter().collect());
    listed.into_iter().flat_map(|one| bound(one.child_by_field_name("pattern").unwrap_or(one))).collect()
}

/// The names that a pattern binds.
fn bound(pattern: Node<'_>) -> Vec<Node<'_>> {
    match pattern.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => vec![pattern],
        "pair_pattern" => pattern.child_by_field_name("value").map(bound).unwrap_or_default(),
        "object_assignment_pattern" | "assignment_pattern" => {
            pattern.child_by_field_name("left").map(bound).unwrap_or_default()
        }
        "object_pattern" | "array_pattern" | "rest_pattern" => children(pattern).into_iter().flat_map(bound).collect(),
        _ => Vec::new(),
    }
}

/// A call that hands the value, or a part of it, to a function that changes it. Of one that is not in sight, what it answers tells:
/// where nobody takes that, the call is made for what it does.
fn handed_on<'t>(script: &'t Script, used: Node<'t>, depth: usize) -> Option<Node<'t>> {
    let given = whole(used);
    let list = given.parent().filter(|list| list.kind() == "arguments")?;
    let call = list.parent().filter(|call| call.kind() == "call_expression")?;
    let callee = call.child_by_field_name("function").filter(|callee| callee.kind() == "identifier")?;
    let index = children(list).iter().position(|argument| *argument == given)?;
    let declared = scope::declaration(script, callee, script.of(callee));
    let function = declared.and_then(|name| name.parent()).and_then(function_of);
    let changes = match function {
        Some(function) => {
            let parameter = parameter_at(function, index).filter(|_| depth > 0);
            let mut inner = Vec::new();
            if let Some(parameter) = parameter {
                look(script, function, parameter, false, depth - 1, &mut inner);
            }
            !inner.is_empty()
        }
        None => call.parent().map(through_await).is_some_and(|around| around.kind() == "expression_statement"),
    };
    changes.then_some(call)
}

fn through_await(node: Node<'_>) -> Node<'_> {
    if node.kind() == "await_expression" { node.parent().unwrap_or(node) } else { node }
}

fn function_of(declaration: Node<'_>) -> Option<Node<'_>> {
    if is_function(declaration) {
        return Some(declaration);
    }
    let value = declaration.child_by_field_name("value").filter(|_| declaration.kind() == "variable_declarator");
    value.map(bare).filter(|value| is_function(*value))
}

fn parameter_at(function: Node<'_>, index: usize) -> Option<Node<'_>> {
    let list = function.child_by_field_name("parameters").map(children);
    let listed = list.unwrap_or_else(|| function.child_by_field_name("parameter").into_iter().collect());
    let parameter = *listed.get(index)?;
    let pattern = parameter.child_by_field_name("pattern").unwrap_or(parameter);
    let pattern = if pattern.kind() == "assignment_pattern" { pattern.child_by_field_name("left")? } else { pattern };
    (pattern.kind() == "identifier").then_some(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::source::SourceText;
    use std::rc::Rc;

    fn of(body: &str, own: bool) -> Vec<String> {
        let text = format!(
            "function grow(one) {{ one.lines.push(1); }}\nfunction show(one) {{ return one.lines.length; }}\n\
             function tool() {{\n  let basket = get();\n{body}\n}}\n"
        );
        let source = SourceText::decode(text.into_bytes()).expect("a text");
        let tree = crate::lower::typescript::parse("a.ts", &source.text).expect("a tree");
        let script = Script::new("a.ts", Rc::new(source), tree);
        let at = script.text().find("basket").expect("the variable");
        let name = script.around(crate::model::facts::Span::new(at, at + 6)).expect("a name");
        let function = crate::render::typescript::script::enclosing_function(name).expect("a function");
        changes(&script, function, name, own).into_iter().map(|node| script.of(node).to_owned()).collect()
    }

    #[test]
    fn changes_of_parts_are_seen_and_reading_is_not() {
        for (body, wanted) in [
            ("basket.lines.push(1);", vec!["basket.lines.push(1)"]),
            ("basket!.count += 1;", vec!["basket!.count += 1"]),
            ("basket['a'].b = 1;", vec!["basket['a'].b = 1"]),
            ("delete basket.a;", vec!["delete basket.a"]),
            ("basket.count++;", vec!["basket.count++"]),
            ("const line = basket.lines.find((l) => l.ok); line.quantity = 2;", vec!["line.quantity = 2"]),
            ("const { lines } = basket; lines.push(1);", vec!["lines.push(1)"]),
            ("for (const line of basket.lines) line.done = true;", vec!["line.done = true"]),
            ("basket.lines.forEach((l) => { l.done = true; });", vec!["l.done = true"]),
            ("grow(basket);", vec!["grow(basket)"]),
            ("const answer = grow(basket);", vec!["grow(basket)"]),
            ("apply(basket);", vec!["apply(basket)"]),
            ("const shown = show(basket); const other = format(basket);", vec![]),
            ("return basket.lines.map((l) => l.name).join();", vec![]),
            ("const total = basket.lines.length; other.count = total;", vec![]),
            ("const lines = basket.lines.map((l) => `${l.name}`); lines.push('total');", vec![]),
            ("const lines = basket.lines.filter((l) => l.ok); lines.push(1); lines.length = 0;", vec![]),
            ("const lines = [...basket.lines]; lines.sort(); lines[0] = 1;", vec![]),
            ("const lines = basket.lines.slice(1); lines[0].quantity = 2;", vec!["lines[0].quantity = 2"]),
            ("for (const line of basket.lines.filter((l) => l.ok)) line.done = true;", vec!["line.done = true"]),
            ("const items = basket.lines.map((l) => l.item); items[0].ok = true;", vec!["items[0].ok = true"]),
            ("const lines = basket.lines; lines.push(1);", vec!["lines.push(1)"]),
            ("{ const basket = other(); basket.count = 1; }", vec![]),
            ("basket = undefined;", vec![]),
        ] {
            assert_eq!(of(body, false), wanted, "{body}");
        }
        assert_eq!(of("basket = undefined;", true), ["basket = undefined"]);
        assert_eq!(of("basket += 1; const other = basket; other += 1;", true), ["basket += 1"]);
    }
}
