//! What a session's end did to a value before it was dropped is done when its handle ends: by a tool, or by itself.

use tree_sitter::Node;

use super::work::Work;
use crate::plan::handle::{Kind, Touch};
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, is_function, span, statement};
use crate::render::typescript::scripts::{Code, entry, mentions};

/// `const game = games.get(id); if (!game) return; clearInterval(game.timer); …; games.delete(id);`, where a session ends: what stands
/// between becomes the store's own clean-up. Answers whether it is that.
pub fn take(work: &mut Work<'_>, script: &Script, read: Node<'_>) -> Result<bool, Refused> {
    let Some(declarator) = whole(read).parent().filter(|parent| parent.kind() == "variable_declarator") else {
        return Ok(false);
    };
    let own = statement(declarator);
    let (Some(name), Some(block)) = (declarator.child_by_field_name("name"), own.parent()) else { return Ok(false) };
    let in_function = block.kind() == "statement_block" && block.parent().is_some_and(is_function);
    if name.kind() != "identifier" || !in_function || children(own).len() != 1 || work.close.is_some() {
        return Ok(false);
    }
    let value = script.of(name);
    let mut rest = children(block).into_iter().skip_while(|node| *node != own).skip(1).peekable();
    let guard = rest.next_if(|node| is_guard(script, *node, value));
    let mut kept = Vec::new();
    for node in rest {
        if drops(work, script, node) || node.kind() == "return_statement" && children(node).is_empty() {
            continue;
        }
        // What has nothing to do with the value stays, where it was done whether there was one or not.
        if guard.is_none() && mentions(script, node, value).is_empty() {
            continue;
        }
        if !only_of(work, script, node, value) {
            return Ok(false);
        }
        kept.push(node);
    }
    if kept.is_empty() || !is_run(script, &kept) {
        return Ok(false);
    }
    work.close = Some(written(script, &kept, value));
    work.features.close = true;
    work.edits.cut(script, script.removal(own));
    guard.into_iter().chain(kept).for_each(|node| work.edits.cut(script, script.removal(node)));
    Ok(true)
}

/// Options by which a container is told what to do with a value that goes, and the position of the value among what that is given.
const GOING: [(&str, usize); 6] =
    [("dispose", 0), ("disposeAfter", 0), ("onEviction", 1), ("onEvict", 1), ("onExpire", 1), ("onDispose", 0)];

/// What the container does with a value that goes, the handle store does.
pub fn of_container(work: &mut Work<'_>) -> Result<(), Refused> {
    let (script, made) = work.scripts.expression(&work.handle.store.made)?;
    let given = made.child_by_field_name("arguments").map(children).unwrap_or_default();
    let Some(options) = given.first().filter(|first| first.kind() == "object") else { return Ok(()) };
    let options = Code { script, node: *options };
    let mut found = GOING.iter().filter_map(|(name, index)| Some((*index, entry(options, name)?)));
    let Some((index, option)) = found.next() else { return Ok(()) };
    let refuse = |node: Node<'_>, why: &str| {
        script.refuse(node, why, "let it take nothing but the value (`dispose: (value) => …`), and run again")
    };
    if let Some((_, other)) = found.next() {
        return Err(refuse(other, "the container does two things with a value that goes"));
    }
    let close = going(work, options.to(option), index)
        .ok_or_else(|| refuse(option, "what the container does with a value that goes needs more than the value"))?;
    work.close = Some(close);
    work.features.close = true;
    Ok(())
}

/// The function that frees a value, by the option of a container.
fn going(work: &Work<'_>, option: Code<'_>, index: usize) -> Option<String> {
    let script = option.script;
    let noun = &work.handle.names.variable;
    let noun = noun.strip_suffix("Id").unwrap_or(noun);
    let value = option.node.child_by_field_name("value");
    let function = match value {
        Some(value) if matches!(value.kind(), "arrow_function" | "function_expression") => value,
        Some(value) => {
            // A function of the program that takes the value alone.
            let named = work.scripts.value(option.to(value)).filter(|found| is_function(found.node))?;
            let takes = children(named.node.child_by_field_name("parameters")?).len();
            return (index == 0 && takes == 1 && value.kind() == "identifier")
                .then(|| format!("({noun}) => {}({noun})", script.of(value)));
        }
        None if option.node.kind() == "method_definition" => option.node,
        None => return None,
    };
    let body = function.child_by_field_name("body")?;
    let names = match function.child_by_field_name("parameters") {
        Some(list) => children(list),
        None => vec![function.child_by_field_name("parameter")?],
    };
    let own = *names.get(index)?;
    let pattern = own.child_by_field_name("pattern").unwrap_or(own);
    let bound = |node: &Node<'_>| script.of(node.child_by_field_name("pattern").unwrap_or(*node)).to_owned();
    let others = names.iter().filter(|node| **node != own);
    if others.into_iter().any(|node| !mentions(script, body, &bound(node)).is_empty())
        || script.of(body).contains("this")
    {
        return None;
    }
    let waits = if script.of(function).starts_with("async") { "async " } else { "" };
    let body = super::create::unindented(script, body, script.of(body)).join("\n").replace('\n', "\n\t");
    Some(format!("{waits}({}) => {body}", script.of(pattern)))
}

/// `const game = games.get(id); if (!game) return 0; clearInterval(game.timer); games.delete(id); return game.moves;`, in a helper that
/// a session's end and tools call alike: what frees the value is the store's own clean-up, which runs whenever it ends.
pub fn of_helpers(work: &mut Work<'_>) -> Result<(), Refused> {
    for index in 0..work.handle.carriers.len() {
        let name = work.handle.carriers[index].name.as_deref();
        let ends = work.handle.outside.iter().filter(|outside| outside.kind == Kind::Delete && !outside.direct);
        let mut called = false;
        for outside in ends {
            let (script, node) = work.scripts.expression(&outside.at)?;
            let callee = node.child_by_field_name("function").map(|callee| script.of(callee));
            called |= name.is_some() && callee.and_then(|callee| callee.rsplit('.').next()) == name;
        }
        if called && work.close.is_none() {
            of_helper(work, index)?;
        }
    }
    Ok(())
}

fn of_helper(work: &mut Work<'_>, index: usize) -> Result<(), Refused> {
    let (script, function) = work.function(&work.handle.carriers[index])?;
    let block = function.child_by_field_name("body").filter(|body| body.kind() == "statement_block");
    let touches: Vec<&Touch> = work.touches(index).collect();
    let [read, delete] = touches.as_slice() else { return Ok(()) };
    if (read.kind, delete.kind) != (Kind::Read, Kind::Delete) {
        return Ok(());
    }
    let (_, read) = work.scripts.expression(&read.at)?;
    let (_, delete) = work.scripts.expression(&delete.at)?;
    let Some(declarator) = whole(read).parent().filter(|parent| parent.kind() == "variable_declarator") else {
        return Ok(());
    };
    let (own, last) = (statement(declarator), statement(delete));
    let name = declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier");
    let (Some(name), true) = (name, own.parent() == block && last.parent() == block && children(own).len() == 1) else {
        return Ok(());
    };
    let value = script.of(name);
    let between = (own.end_byte(), last.start_byte());
    let kept: Vec<Node<'_>> = block
        .map(children)
        .unwrap_or_default()
        .into_iter()
        .filter(|node| {
            node.start_byte() >= between.0
                && node.end_byte() <= between.1
                && !work.edits.covers(&script.path, span(*node))
        })
        .collect();
    let frees = kept.iter().all(|node| only_of(work, script, *node, value));
    if kept.is_empty() {
        return Ok(());
    }
    if !frees || !is_run(script, &kept) {
        work.notes.push(format!(
            "{}: what is done before the {} is dropped is not done where it expires",
            work.handle.carriers[index].name.as_deref().unwrap_or_default(),
            work.handle.names.noun
        ));
        return Ok(());
    }
    work.close = Some(written(script, &kept, value));
    work.features.close = true;
    kept.iter().for_each(|node| work.edits.cut(script, script.removal(*node)));
    let used = mentions(script, function, value).into_iter().filter(|node| *node != name);
    if used.into_iter().all(|node| work.edits.covers(&script.path, span(node))) {
        work.edits.cut(script, script.removal(own));
    }
    Ok(())
}

/// The function that frees a value, of the statements that did.
fn written(script: &Script, kept: &[Node<'_>], value: &str) -> String {
    let lines: Vec<String> = kept.iter().map(|node| text(script, *node)).collect();
    let start = if lines.iter().any(|line| line.contains("await ")) { "async " } else { "" };
    format!("{start}({value}) => {{\n\t\t{}\n\t}}", lines.join("\n").replace('\n', "\n\t\t"))
}

/// Whether nothing but white space stands between statements.
fn is_run(script: &Script, kept: &[Node<'_>]) -> bool {
    kept.windows(2).all(|pair| script.text()[pair[0].end_byte()..pair[1].start_byte()].trim().is_empty())
}

fn whole(node: Node<'_>) -> Node<'_> {
    let mut outer = node;
    while let Some(parent) = outer.parent().filter(|parent| {
        matches!(parent.kind(), "await_expression" | "parenthesized_expression" | "non_null_expression")
    }) {
        outer = parent;
    }
    outer
}

/// `if (!value) return;`.
fn is_guard(script: &Script, node: Node<'_>, value: &str) -> bool {
    let condition = node.child_by_field_name("condition").map(bare);
    let asks = condition.is_some_and(|condition| {
        let asked = script.of(condition);
        asked == format!("!{value}") || asked == format!("{value} === undefined") || asked == format!("{value} == null")
    });
    let leaves = node.child_by_field_name("consequence").is_some_and(|then| {
        let last = if then.kind() == "statement_block" { children(then) } else { vec![then] };
        matches!(last.as_slice(), [only] if only.kind() == "return_statement" && children(*only).is_empty())
    });
    node.kind() == "if_statement" && asks && leaves && node.child_by_field_name("alternative").is_none()
}

/// Whether a statement is one of those that drop the entry, which go by themselves.
fn drops(work: &Work<'_>, script: &Script, node: Node<'_>) -> bool {
    node.kind() == "expression_statement"
        && work.handle.outside.iter().any(|outside| {
            outside.at.path == script.path && span(node).contains(outside.at.span) && outside.kind == Kind::Delete
        })
}

/// Whether a statement uses the value, and of its function nothing else.
fn only_of(work: &Work<'_>, script: &Script, node: Node<'_>, value: &str) -> bool {
    let Some(function) = enclosing_function(node) else { return false };
    let parameters = function
        .child_by_field_name("parameters")
        .or_else(|| function.child_by_field_name("parameter"))
        .map(|list| script.of(list))
        .unwrap_or_default();
    let words = |text: &str, word: &str| {
        text.split(|char: char| !char.is_alphanumeric() && char != '_' && char != '$').any(|part| part == word)
    };
    let leaves = script.of(node).contains("return") || script.of(node).contains("this");
    let touches = work
        .handle
        .outside
        .iter()
        .any(|outside| outside.at.path == script.path && span(node).contains(outside.at.span));
    let foreign = parameters
        .split(|char: char| !char.is_alphanumeric() && char != '_' && char != '$')
        .filter(|word| !word.is_empty() && *word != "string")
        .any(|parameter| words(script.of(node), parameter));
    matches!(node.kind(), "expression_statement" | "for_in_statement" | "if_statement")
        && !mentions(script, node, value).is_empty()
        && !leaves
        && !touches
        && !foreign
}

/// A statement without the indentation of its place.
fn text(script: &Script, node: Node<'_>) -> String {
    super::create::unindented(script, node, script.of(node)).join("\n")
}
