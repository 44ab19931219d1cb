//! Tools of the low-level `Server`: an entry in a list, and a branch in the handler that all of them share.

use tree_sitter::Node;

use super::create::{Answers, answer, answers_of};
use super::register::handler_of;
use super::{Added, Argument, Context, Kind, NewTool, handler, json, listing, sdk};
use crate::model::facts::Span;
use crate::plan::handle::ToolUse;
use crate::render::typescript::script::{
    Script, bare, children, is_function, is_statement, runs_code, span, statement,
};
use crate::render::typescript::scripts::{Code, Scripts, binds, mentions};
use crate::render::{Change, Refused};

/// The object that lists a tool.
pub(super) fn listed<'s>(scripts: &'s Scripts<'_>, tool: &ToolUse) -> Result<Code<'s>, Refused> {
    let site = tool.entry.as_ref().unwrap_or(&tool.registration);
    let code = scripts.at(site)?.bare();
    if code.node.kind() == "object" {
        return Ok(code);
    }
    Err(code.refuse("the tool's entry in the list of tools is not written out here", "give it the handle by hand"))
}

/// Adds an argument to a listed tool. The handler's own parameters are seen to by [`context`]. The server has not checked the
/// arguments: the handler's code gets the handle by `handleIn`, which does.
pub fn add_argument(scripts: &Scripts<'_>, tool: &ToolUse, argument: &Argument) -> Result<Added, Refused> {
    let entry = listed(scripts, tool)?;
    let mut changes = json::extend(scripts, entry, argument)?;
    let list = entry.node.parent().filter(|list| list.kind() == "array");
    changes.extend(list.map(|list| sdk::list_of_tools(entry.script, list)).into_iter().flatten());
    let handler = handler_of(scripts, tool)?;
    if argument.schema.is_some() {
        return Ok(Added { changes, name: name_of(handler, &argument.name)?, auth: None });
    }
    let arguments = arguments_of(tool, handler)?;
    let string = |text: &str| handler.script.style.string(text);
    let name = format!("handleIn({arguments}, {}, {})", string(&argument.name), string(&argument.source));
    Ok(Added { changes, name, auth: None })
}

/// How a handler that dispatches names an argument, which nobody has checked.
pub fn name_of(handler: Code<'_>, argument: &str) -> Result<String, Refused> {
    let arguments = arguments(handler.script, handler.node)?;
    let key = super::schema::key(handler.script, argument);
    Ok(if key == argument { format!("{arguments}?.{key}") } else { format!("{arguments}?.[{key}]") })
}

/// The changes of a dispatching handler's context parameter.
pub fn context(
    scripts: &Scripts<'_>,
    tool: &ToolUse,
    wish: &Context,
) -> Result<(Vec<Change>, Option<String>), Refused> {
    // A function that is called to tell the tools apart has no context of the SDK.
    match &tool.body {
        Some(_) => Ok((Vec::new(), None)),
        None => handler::context(handler_of(scripts, tool)?, (0, 1), wish, true),
    }
}

/// Lets the handler that is registered answer the errors of the store as a tool does. Nothing where it does so already.
pub fn answering(scripts: &Scripts<'_>, tool: &ToolUse) -> Result<Vec<Change>, Refused> {
    let code = scripts.at(&tool.registration)?.bare();
    let call =
        if code.node.kind() == "expression_statement" { children(code.node).first().copied() } else { Some(code.node) };
    let list = call.and_then(|call| call.child_by_field_name("arguments"));
    let Some(handler) = list.and_then(|list| children(list).last().copied()) else {
        return Err(code.refuse("the handler is not registered by a call here", "answer the store's errors by hand"));
    };
    let script = code.script;
    if script.of(handler).starts_with("answering(") || answers_errors(scripts, tool)? {
        return Ok(Vec::new());
    }
    let around = |at: usize, text: &str| script.change(Span::new(at, at), text);
    Ok(vec![around(handler.start_byte(), "answering("), around(handler.end_byte(), ")")])
}

/// Whether all calls of a tool's own function stand in a `try` whose `catch` answers.
fn answers_errors(scripts: &Scripts<'_>, tool: &ToolUse) -> Result<bool, Refused> {
    let Some(body) = &tool.body else { return Ok(has_own_answers(handler_of(scripts, tool)?)) };
    for call in &body.calls {
        let (_, node) = scripts.expression(call)?;
        let inside =
            std::iter::successors(Some(node), Node::parent).take_while(|node| !is_function(*node)).any(|node| {
                let tried = node.parent().filter(|parent| parent.kind() == "try_statement");
                let answers = |catch: Node<'_>| catch.child_by_field_name("body").is_some_and(has_answer);
                tried.is_some_and(|tried| {
                    tried.child_by_field_name("body") == Some(node)
                        && tried.child_by_field_name("handler").is_some_and(answers)
                })
            });
        if !inside {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Whether a handler does all that can fail in a `try` whose `catch` answers with what the error says.
fn has_own_answers(handler: Code<'_>) -> bool {
    let statements = handler.node.child_by_field_name("body").map(children).unwrap_or_default();
    let [before @ .., last] = statements.as_slice() else { return false };
    let catch = last.child_by_field_name("handler").filter(|_| last.kind() == "try_statement");
    let (Some(error), Some(body)) = (
        catch.and_then(|catch| catch.child_by_field_name("parameter")),
        catch.and_then(|catch| catch.child_by_field_name("body")),
    ) else {
        return false;
    };
    let says = !mentions(handler.script, body, handler.script.of(error)).is_empty();
    let only_looks = before.iter().all(|node| node.kind() == "lexical_declaration" && !runs_code(*node));
    only_looks && says && has_answer(body) && !throws(body)
}

fn throws(node: Node<'_>) -> bool {
    node.kind() == "throw_statement" || children(node).into_iter().any(throws)
}

fn has_answer(node: Node<'_>) -> bool {
    node.kind() == "return_statement" || !is_function(node) && children(node).into_iter().any(has_answer)
}

/// How the code that tells the tools apart names the arguments of the call.
fn arguments_of(tool: &ToolUse, handler: Code<'_>) -> Result<String, Refused> {
    let Some(body) = &tool.body else { return arguments(handler.script, handler.node) };
    let list = handler.node.child_by_field_name("parameters").map(children).unwrap_or_default();
    let own = list.get(body.arguments).map(|node| handler::pattern(*node)).filter(|node| node.kind() == "identifier");
    own.map(|node| handler.script.of(node).to_owned()).ok_or_else(|| {
        handler.refuse(
            "this function takes the arguments of the call apart",
            "let it take them as one parameter, and run again",
        )
    })
}

/// How the handler names the arguments of the call.
fn arguments(script: &Script, handler: Node<'_>) -> Result<String, Refused> {
    if let Some(found) = named(script, handler, "arguments").filter(|name| is_known_first(script, handler, name)) {
        return Ok(found);
    }
    match params(script, handler) {
        Some(params) => Ok(format!("{params}.arguments")),
        None => Err(script.refuse(
            handler,
            "how it names the arguments of a call was not found",
            "take them from `request.params`, and run again",
        )),
    }
}

/// Whether the body of a handler declares a name before it does anything but take the request apart.
fn is_known_first(script: &Script, handler: Node<'_>, name: &str) -> bool {
    let Some(body) = handler.child_by_field_name("body").filter(|body| body.kind() == "statement_block") else {
        return true;
    };
    let declares = |node: &Node<'_>| node.kind() == "lexical_declaration" && !mentions(script, *node, name).is_empty();
    let statements = children(body);
    let Some(own) = statements.iter().position(declares) else { return true };
    statements[..own].iter().all(|node| node.kind() == "lexical_declaration" && script.of(*node).contains("params"))
}

/// How the handler names the tool that is called.
fn tool_name(script: &Script, handler: Node<'_>) -> Option<String> {
    named(script, handler, "name").or_else(|| params(script, handler).map(|params| format!("{params}.name")))
}

/// How the handler names the parameters of the request.
fn params(script: &Script, handler: Node<'_>) -> Option<String> {
    let list = handler.child_by_field_name("parameters").map(children);
    let first = match list {
        Some(list) => handler::pattern(*list.first()?),
        None => handler.child_by_field_name("parameter")?,
    };
    match first.kind() {
        "identifier" => Some(format!("{}.params", script.of(first))),
        "object_pattern" => binds(script, first, "params").map(|_| "params".to_owned()),
        _ => None,
    }
}

/// The variable of a handler that is given a property of `request.params`: by a pattern, or by its value.
fn named(script: &Script, handler: Node<'_>, property: &str) -> Option<String> {
    let mut stack = vec![handler];
    while let Some(node) = stack.pop() {
        if node != handler && is_function(node) {
            continue;
        }
        match node.kind() {
            "pair_pattern" => {
                let value = node.child_by_field_name("value")?;
                let value = value.child_by_field_name("left").unwrap_or(value);
                let of_parameters = node.child_by_field_name("key").is_some_and(|key| script.of(key) == property);
                if of_parameters && value.kind() == "identifier" && is_of_params(script, node) {
                    return Some(script.of(value).to_owned());
                }
            }
            "shorthand_property_identifier_pattern" if script.of(node) == property && is_of_params(script, node) => {
                return Some(property.to_owned());
            }
            "variable_declarator" => {
                let name = node.child_by_field_name("name").filter(|name| name.kind() == "identifier");
                if let (Some(name), Some(value)) = (name, node.child_by_field_name("value"))
                    && is_property_of_params(script, value, property)
                {
                    return Some(script.of(name).to_owned());
                }
            }
            _ => {}
        }
        let mut inner = children(node);
        inner.reverse();
        stack.extend(inner);
    }
    None
}

/// Whether a pattern takes `request.params` apart.
fn is_of_params(script: &Script, entry: Node<'_>) -> bool {
    let outer = std::iter::successors(entry.parent(), Node::parent)
        .find(|node| !matches!(node.kind(), "object_pattern" | "object_assignment_pattern" | "assignment_pattern"));
    match outer {
        Some(outer) if outer.kind() == "variable_declarator" => {
            outer.child_by_field_name("value").is_some_and(|value| {
                let value = script.of(bare(value));
                value == "params" || value.ends_with(".params")
            })
        }
        Some(outer) => {
            outer.kind() == "pair_pattern"
                && outer.child_by_field_name("key").is_some_and(|key| script.of(key) == "params")
        }
        None => false,
    }
}

/// `request.params.arguments`, through casts and defaults.
fn is_property_of_params(script: &Script, value: Node<'_>, property: &str) -> bool {
    let value = bare(value);
    match value.kind() {
        "member_expression" => script.of(value).replace('?', "").ends_with(&format!("params.{property}")),
        "binary_expression" => {
            value.child_by_field_name("left").is_some_and(|left| is_property_of_params(script, left, property))
        }
        _ => false,
    }
}

/// Adds a tool before or behind another one's entry in the list, and dispatches it.
pub fn insert(
    scripts: &Scripts<'_>,
    beside: &ToolUse,
    before: bool,
    tool: &NewTool,
    ahead: Option<Span>,
) -> Result<Vec<Change>, Refused> {
    let text_alone = beside.body.is_some() && answers_of(scripts, beside)? == Some(Answers::Text);
    let structured = if text_alone { Vec::new() } else { tool.structured.clone() };
    let tool = &NewTool { text_alone, structured, ..tool.clone() };
    let entry = listed(scripts, beside)?;
    let mut changes = listing::listing(entry, before, tool, &listing::literal(entry.script, tool, ""))?;
    changes.push(branch(scripts, beside, tool, ahead)?);
    Ok(changes)
}

/// The branch that runs a new tool: a case of the switch where the other's is; else a statement of its own, before `ahead`, or as
/// soon as the tool's name is known.
fn branch(scripts: &Scripts<'_>, beside: &ToolUse, tool: &NewTool, ahead: Option<Span>) -> Result<Change, Refused> {
    let handler = handler_of(scripts, beside)?;
    let script = handler.script;
    let refuse = || handler.refuse("where it tells the tools apart was not found", "dispatch the new tool by hand");
    let found = dispatching(script, handler.node, &beside.name);
    let ahead = ahead
        .filter(|ahead| {
            let start = ahead.start as usize;
            start > handler.node.start_byte() && found.is_none_or(|(place, _)| start < place.start_byte())
        })
        .and_then(|ahead| script.around(ahead))
        .and_then(|ahead| beside_dispatch(handler.node, found.map(|(place, _)| place), ahead));
    let (at, subject, is_case) = match (ahead, found) {
        (Some(ahead), Some((_, subject))) => (ahead, subject.to_owned(), false),
        (Some(ahead), None) => (ahead, tool_name(script, handler.node).ok_or_else(refuse)?, false),
        (None, Some((place, subject))) if place.kind() == "switch_case" => (place, subject.to_owned(), true),
        (None, Some((place, subject))) => (statement(place), subject.to_owned(), false),
        (None, None) => {
            let subject = tool_name(script, handler.node).ok_or_else(refuse)?;
            (first_use(script, handler.node, &subject).ok_or_else(refuse)?, subject, false)
        }
    };
    let inside: String = body(beside, handler, tool)?.iter().map(|line| format!("\t{line}\n")).collect();
    let name = script.style.string(&tool.name);
    let text = if is_case {
        format!("case {name}: {{\n{inside}}}")
    } else {
        format!("if ({subject} === {name}) {{\n{inside}}}")
    };
    let indent = script.indentation(at);
    let text = script.indented(&script.style.dress(&text), indent);
    let start = script.line_start(script.with_comments(at));
    let newline = script.style.newline;
    let gap = if is_case && is_spaced(script, at) { newline } else { "" };
    Ok(script.change(Span::new(start, start), format!("{indent}{text}{newline}{gap}")))
}

/// Whether the cases of a switch stand apart from each other.
fn is_spaced(script: &Script, case: Node<'_>) -> bool {
    let cases = case.parent().map(children).unwrap_or_default();
    let apart =
        |pair: &[Node<'_>]| script.text()[pair[0].end_byte()..script.with_comments(pair[1])].matches('\n').count() > 1;
    cases.len() > 1 && cases.windows(2).filter(|pair| apart(pair)).count() * 2 >= cases.len()
}

/// The statement around some code that stands in the list of the statement which tells the tools apart, and is not that one: what is
/// within it runs for one tool alone.
fn beside_dispatch<'t>(handler: Node<'t>, place: Option<Node<'t>>, code: Node<'t>) -> Option<Node<'t>> {
    let own = place.map(statement);
    let list = own.and_then(|own| own.parent()).or_else(|| handler.child_by_field_name("body"))?;
    let around = std::iter::successors(Some(code), Node::parent).find(|node| node.parent() == Some(list))?;
    (Some(around) != own).then_some(around)
}

/// The first statement of a handler behind those that take its parameters apart.
fn first_use<'s>(script: &'s Script, handler: Node<'s>, subject: &str) -> Option<Node<'s>> {
    let body = handler.child_by_field_name("body").filter(|body| body.kind() == "statement_block")?;
    let declares = |node: &Node<'_>| {
        node.kind() == "lexical_declaration"
            && (script.of(*node).contains(".params") || script.of(*node).contains(subject))
    };
    children(body).into_iter().find(|node| is_statement(*node) && !declares(node))
}

/// The statements of a new tool's branch.
fn body(beside: &ToolUse, handler: Code<'_>, tool: &NewTool) -> Result<Vec<String>, Refused> {
    let script = handler.script;
    let mut out = Vec::new();
    let arguments = if tool.parameters.is_empty() { String::new() } else { arguments_of(beside, handler)? };
    for parameter in &tool.parameters {
        let name = &parameter.name;
        let string = |text: &str| script.style.string(text);
        let value = match &parameter.kind {
            Kind::Handle { source, .. } => format!("handleIn({arguments}, {}, {})", string(name), string(source)),
            // The server does not fill in defaults, and lets anything pass.
            Kind::Text(default) => {
                format!("typeof {arguments}?.{name} === {} ? {arguments}.{name} : {default}", string("string"))
            }
            Kind::Same(_) => format!("{arguments}?.{name}"),
        };
        out.push(format!("const {name} = {value};"));
    }
    let auth = if tool.body.iter().any(|line| line.contains("{auth}")) {
        handler::context(handler, (0, 1), &Context { owner: true, gone: Vec::new() }, true)?.1.unwrap_or_default()
    } else {
        String::new()
    };
    out.extend(tool.body.iter().map(|line| line.replace("{auth}", &auth)));
    out.extend(answer(script, tool, "").lines().map(str::to_owned));
    Ok(out)
}

/// The case, or the `if`, that runs a tool, and the expression that it compares with the tool's name.
pub(super) fn dispatching<'t>(script: &'t Script, handler: Node<'t>, tool: &str) -> Option<(Node<'t>, &'t str)> {
    let is_name = |node: Node<'_>| node.kind() == "string" && script.of(node).trim_matches(['\'', '"']) == tool;
    let mut stack = vec![handler];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "switch_case" if node.child_by_field_name("value").is_some_and(is_name) => {
                let switch = node.parent()?.parent()?;
                let subject = script.of(bare(switch.child_by_field_name("value")?));
                return Some((first_label(node), subject));
            }
            "if_statement" => {
                let condition = node.child_by_field_name("condition").map(bare)?;
                let (left, right) = (condition.child_by_field_name("left"), condition.child_by_field_name("right"));
                if let (Some(left), Some(right)) = (left, right)
                    && is_name(right)
                {
                    return Some((node, script.of(left)));
                }
            }
            _ => {}
        }
        let mut inner = children(node);
        inner.reverse();
        stack.extend(inner);
    }
    None
}

/// The code that a handler which dispatches runs for a tool alone: what stands behind its label up to where it leaves, or within the
/// `if` that asks for its name. Nothing where other tools run it as well.
pub fn part(script: &Script, handler: Node<'_>, tool: &str) -> Option<Span> {
    let (place, _) = dispatching(script, handler, tool)?;
    if place.kind() == "if_statement" {
        let operator = place.child_by_field_name("condition").map(bare)?.child_by_field_name("operator")?;
        let asks = matches!(script.of(operator), "===" | "==");
        return place.child_by_field_name("consequence").filter(|_| asks).map(span);
    }
    let inside: Vec<Node<'_>> =
        children(place).into_iter().filter(|node| place.child_by_field_name("value") != Some(*node)).collect();
    let last = match inside.as_slice() {
        [block] if block.kind() == "statement_block" => children(*block).last().copied(),
        all => all.last().copied(),
    };
    let leaves = |node: Node<'_>| matches!(node.kind(), "return_statement" | "throw_statement" | "break_statement");
    last.filter(|last| leaves(*last)).map(|_| Span::new(inside[0].start_byte(), place.end_byte()))
}

/// The first of the labels that share a body: `case 'a': case 'b': …`.
fn first_label(case: Node<'_>) -> Node<'_> {
    let mut first = case;
    while let Some(before) =
        first.prev_named_sibling().filter(|before| before.kind() == "switch_case" && children(*before).len() == 1)
    {
        first = before;
    }
    first
}
