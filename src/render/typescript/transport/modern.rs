//! The second SDK: what was specialised to a server and a transport for each request becomes one handler, which makes a server for
//! each request by itself and speaks the newest revision too.

use std::rc::Rc;

use tree_sitter::Node;

use super::edits::settled;
use super::fold::any;
use super::lines;
use super::modern_helper;
use super::modern_inline::{self, Built};
use super::modern_request;
use crate::lower::typescript;
use crate::model::facts::Span;
use crate::plan::web::Framework;
use crate::render::Change;
use crate::render::typescript::entry::{Entry, Modern};
use crate::render::typescript::imports::{self, Wanted};
use crate::render::typescript::in_flight::free_name;
use crate::render::typescript::prune::prune;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, is_statement, span, statement};
use crate::syntax::source::SourceText;

/// What stands above the route.
const COMMENT: &str = "// GET and DELETE reach the handler too: it answers them with 405.";

/// The linear code that serves a request.
pub(super) struct Served<'t> {
    /// `x.handleRequest(…)`.
    pub(super) answer: Node<'t>,
    /// The statements from the first to the last of it.
    pub(super) statements: Vec<Node<'t>>,
    /// What builds the server.
    pub(super) built: Built,
    /// Options of the handler.
    pub(super) options: Vec<String>,
    /// What becomes of the helper that built it.
    helper: Vec<Change>,
    /// The helper's name, where it says something that is not so any more.
    helper_name: Option<String>,
}

/// The changes of a file with the handler in place; `None` where the code around is not as simple as that.
pub fn changes(script: &Script, own: &[Change], framework: Framework) -> Option<Vec<Change>> {
    let text = applied(script.text(), own);
    let tree = typescript::parse(&script.path, &text).ok()?;
    let source = SourceText { text, ..(*script.source).clone() };
    let new = Script::new(&script.path, Rc::new(source), tree);
    let served = find(&new)?;
    let rewritten = rewrite(&new, &served, framework)?;
    let done = settled(&new, prune(&new, rewritten));
    let text = applied(new.text(), &done);
    let text = match &served.helper_name {
        Some(name) => modern_helper::renamed(&script.path, text, name)?,
        None => text,
    };
    Some(lines::changes(script, &text))
}

/// A text with changes applied.
pub(super) fn applied(text: &str, changes: &[Change]) -> String {
    let mut sorted: Vec<&Change> = changes.iter().collect();
    sorted.sort_by_key(|change| (change.span.start, change.span.end));
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for change in sorted {
        let (start, end) = (change.span.start as usize, change.span.end as usize);
        out.push_str(&text[at..start.max(at)]);
        out.push_str(&change.text);
        at = end.max(at);
    }
    out.push_str(&text[at..]);
    out
}

fn find(script: &Script) -> Option<Served<'_>> {
    let mut answers = Vec::new();
    any(script.tree.root_node(), &mut |node| {
        if called(script, node) == Some("handleRequest") {
            answers.push(node);
        }
        false
    });
    match answers.as_slice() {
        [only] => served(script, *only),
        _ => None,
    }
}

/// The name of the method that a node calls.
fn called<'s>(script: &'s Script, node: Node<'_>) -> Option<&'s str> {
    let callee = node.child_by_field_name("function").filter(|_| node.kind() == "call_expression")?;
    callee.child_by_field_name("property").map(|name| script.of(name))
}

fn receiver<'s>(script: &'s Script, call: Node<'_>) -> Option<&'s str> {
    let object = bare(call.child_by_field_name("function")?.child_by_field_name("object")?);
    (object.kind() == "identifier").then(|| script.of(object))
}

fn served<'t>(script: &'t Script, answer: Node<'t>) -> Option<Served<'t>> {
    let last = statement(answer);
    let block = last.parent()?;
    if let Some(served) = served_by_helper(script, answer, last, block) {
        return Some(served);
    }
    let transport = receiver(script, answer)?;
    let declaration = |name: &str| {
        children(block).into_iter().find_map(|node| {
            let declarator = children(node).first().copied().filter(|_| node.kind() == "lexical_declaration")?;
            let named = declarator.child_by_field_name("name").is_some_and(|known| script.of(known) == name);
            named.then(|| Some((node, declarator.child_by_field_name("value")?)))?
        })
    };
    let (made_at, made) = declaration(transport)?;
    let options = options(script, made)?;
    let connect = children(block).into_iter().find(|node| {
        let call = children(*node).first().copied().map(bare);
        call.is_some_and(|call| called(script, call) == Some("connect"))
    })?;
    let server = receiver(script, bare(*children(connect).first()?))?;
    let (server_at, _) = declaration(server)?;
    let mut statements = vec![made_at, connect, server_at, last];
    let closes = children(block).into_iter().find(|node| {
        let call = children(*node).first().copied().filter(|call| called(script, *call) == Some("on"));
        call.is_some_and(|call| script.of(call).contains(&format!("{server}.close()")))
    });
    statements.extend(closes);
    statements.sort_by_key(|node| node.start_byte());
    let (start, end) = (statements[0].start_byte(), last.end_byte());
    let between = children(block).into_iter().filter(|node| node.start_byte() >= start && node.end_byte() <= end);
    let (statements, others): (Vec<_>, Vec<_>) = between.partition(|node| statements.contains(node));
    // What sets up the server stands before it is connected.
    let set_up = |node: &Node<'_>| (server_at.end_byte()..connect.start_byte()).contains(&node.start_byte());
    if !others.iter().all(set_up) {
        return None;
    }
    let function = enclosing_function(answer)?;
    let mut elsewhere = false;
    any(function, &mut |node| {
        let ours =
            node.kind() == "identifier" && matches!(script.of(node), name if name == transport || name == server);
        elsewhere |= ours && !(start..end).contains(&node.start_byte());
        false
    });
    if elsewhere {
        return None;
    }
    let built = modern_inline::look(script, function, server_at, &others);
    let built = built.or_else(|| modern_request::look(script, function, server_at, &others))?;
    let mut all = [statements, others].concat();
    all.sort_by_key(|node| node.start_byte());
    Some(Served { answer, statements: all, built, options, helper: Vec::new(), helper_name: None })
}

/// `const session = await open(); return session.transport.handleRequest(…);`
fn served_by_helper<'t>(script: &'t Script, answer: Node<'t>, last: Node<'t>, block: Node<'t>) -> Option<Served<'t>> {
    let mut object = bare(answer.child_by_field_name("function")?.child_by_field_name("object")?);
    if object.kind() == "member_expression" {
        object = bare(object.child_by_field_name("object")?);
    }
    let (first, call) = if object.kind() == "identifier" {
        let before = last.prev_named_sibling().filter(|node| node.kind() == "lexical_declaration")?;
        let declarators = children(before);
        let [declarator] = declarators.as_slice() else { return None };
        let name = declarator.child_by_field_name("name")?;
        let mut uses = 0;
        any(block, &mut |node| {
            uses += usize::from(node.kind() == "identifier" && script.of(node) == script.of(object));
            false
        });
        // The declaration and the answer.
        let alone = uses == 2 && script.of(name) == script.of(object);
        alone.then_some((Some(before), bare(declarator.child_by_field_name("value")?)))?
    } else {
        (None, object)
    };
    let helper = modern_helper::look(script, call)?;
    Some(Served {
        answer,
        statements: first.into_iter().chain([last]).collect(),
        options: options(script, helper.made)?,
        built: Built { build: helper.build, function: String::new(), of_request: false },
        helper: helper.changes,
        helper_name: helper.name.filter(|name| !name.to_ascii_lowercase().ends_with("server")),
    })
}

/// The handler's options that say what those of the transport said.
fn options(script: &Script, made: Node<'_>) -> Option<Vec<String>> {
    let arguments = made.child_by_field_name("arguments").filter(|_| made.kind() == "new_expression")?;
    let mut out = Vec::new();
    for field in children(arguments).first().map_or_else(Vec::new, |object| children(*object)) {
        let text = script.of(field).split_whitespace().collect::<Vec<_>>().join(" ");
        match text.as_str() {
            "sessionIdGenerator: undefined" => {}
            "enableJsonResponse: true" => out.push(format!("responseMode: {}", script.style.string("json"))),
            _ => return None,
        }
    }
    Some(out)
}

fn rewrite(script: &Script, served: &Served<'_>, framework: Framework) -> Option<Vec<Change>> {
    let function = enclosing_function(served.answer)?;
    if served.built.of_request {
        return modern_request::rewrite(script, served, framework);
    }
    let route = std::iter::successors(Some(function), Node::parent).find(|node| is_statement(*node))?;
    let drain = drain(script, route);
    let node = free_name(script, &["mcp", "mcpHandler", "handleMcp"]);
    let returns = framework.returns();
    let handler =
        if returns || drain.is_some() { free_name(script, &["handler", "mcpHandler"]) } else { String::new() };
    let caught = alone(function, served).then(|| caught(script, function)).flatten();
    let whole = alone(function, served) && (caught.is_some() || !has_try(function));
    let mut options = served.options.clone();
    options.extend(caught);
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    let Built { build, function: builder, .. } = &served.built;
    let factory = match builder.is_empty() {
        true => format!("() => {build}"),
        // A function of its own, without parameters.
        false => build.trim_end_matches("()").to_owned(),
    };
    let modern = Modern { factory: &factory, handler: &handler, node: &node, options: &options };
    let entry = Entry { style: &script.style, framework, request: "", response: "", types: None };
    let list = script.of(served.answer.child_by_field_name("arguments")?);
    let call = entry.modern_call(&modern, &list[1..list.len() - 1]);
    let newline = script.style.newline;
    let indent = script.indentation(route);
    let builder = if builder.is_empty() { String::new() } else { format!("{builder}{newline}{newline}") };
    let declarations = script.indented(&format!("{builder}{}", entry.modern(&modern)), indent);
    let mut out = served.helper.clone();
    let at = route.start_byte();
    let comment = if turns_away(script, route) { String::new() } else { format!("{COMMENT}{newline}{indent}") };
    out.push(script.change(Span::new(at, at), format!("{declarations}{newline}{newline}{indent}{comment}")));
    if whole && function.kind() == "arrow_function" {
        let parameters =
            function.child_by_field_name("parameters").or_else(|| function.child_by_field_name("parameter"))?;
        out.push(script.change(span(function), format!("{} => {call}", script.of(parameters))));
    } else {
        let (first, last) = (served.statements.first()?, served.statements.last()?);
        let end = if script.style.semicolons { ";" } else { "" };
        let word = if returns { "return" } else { "await" };
        out.push(script.change(Span::new(first.start_byte(), last.end_byte()), format!("{word} {call}{end}")));
    }
    if let Some(drain) = drain {
        let end = if script.style.semicolons { ";" } else { "" };
        let text = format!("{newline}{}await {handler}.close(){end}", script.indentation(drain));
        out.push(script.change(Span::new(drain.end_byte(), drain.end_byte()), text));
    }
    out.extend(imports(script, framework));
    Some(out)
}

/// The imports that a handler of the second SDK needs.
pub(super) fn imports(script: &Script, framework: Framework) -> Vec<Change> {
    let create =
        Wanted { source: "@modelcontextprotocol/server", name: "createMcpHandler", alias: None, is_type: false };
    let wrap = Wanted { source: "@modelcontextprotocol/node", name: "toNodeHandler", alias: None, is_type: false };
    let wanted = if framework.returns() { vec![create] } else { vec![wrap, create] };
    imports::add(script, &wanted)
}

/// The statement with which shutdown waits, where it sees what stands at the route.
pub(super) fn drain<'t>(script: &'t Script, route: Node<'t>) -> Option<Node<'t>> {
    let scope = route.parent()?;
    let mut found = None;
    any(scope, &mut |node| {
        let text = script.of(node);
        let waits = text.starts_with("await Promise.allSettled([...")
            || (text.starts_with("await Promise.race([") && text.contains("Promise.allSettled([..."));
        if node.kind() == "expression_statement" && waits {
            found = Some(node);
        }
        found.is_some()
    });
    found
}

/// Whether other methods are turned away by a route of their own.
fn turns_away(script: &Script, route: Node<'_>) -> bool {
    let text = script.of(route);
    !text.contains(".all(")
}

/// Whether a function does nothing but serve, or does so in a `try`.
fn alone(function: Node<'_>, served: &Served<'_>) -> bool {
    let Some(body) = function.child_by_field_name("body") else { return false };
    let inner = match children(body).as_slice() {
        [only] if only.kind() == "try_statement" && only.child_by_field_name("finalizer").is_none() => {
            only.child_by_field_name("body").map_or_else(Vec::new, children)
        }
        statements => statements.to_vec(),
    };
    inner.len() == served.statements.len() && inner.iter().zip(&served.statements).all(|(a, b)| a == b)
}

fn has_try(function: Node<'_>) -> bool {
    any(function, &mut |node| node.kind() == "try_statement")
}

/// The option that logs what the handler of a `try` logged before it answered.
fn caught(script: &Script, function: Node<'_>) -> Option<String> {
    let body = function.child_by_field_name("body")?;
    let clause = children(body).first()?.child_by_field_name("handler")?;
    let parameter = clause.child_by_field_name("parameter").filter(|parameter| parameter.kind() == "identifier")?;
    let name = script.of(parameter);
    let statements = children(clause.child_by_field_name("body")?);
    let [log, answer] = statements.as_slice() else { return None };
    let call = *children(*log)
        .first()
        .filter(|call| call.kind() == "call_expression" && log.kind() == "expression_statement")?;
    let answers = answer.kind() == "if_statement"
        && script.of(*answer).contains("headersSent")
        && script.of(*answer).contains("500");
    answers.then(|| format!("onerror: ({name}) => {}", script.of(call)))
}
