//! What the tool that set the choice checked, as a function of its own: the tools ask it where they use what they are given.

use tree_sitter::Node;

use super::Work;
use crate::classify::words::{capital, words};
use crate::model::facts::Span;
use crate::plan::handle::{Entry, ToolUse};
use crate::plan::selection::Selection;
use crate::render::Refused;
use crate::render::typescript::handle::mode;
use crate::render::typescript::handle::reach;
use crate::render::typescript::handle::work::function_in;
use crate::render::typescript::imports;
use crate::render::typescript::script::{Script, children, enclosing_function, span, statement};
use crate::render::typescript::scripts::{Code, is_declared, mentions};

use super::guards::{Guards, guard, guards, locals, waits};
use super::{fold, listing, typed};
use crate::render::typescript::scope;
use crate::render::typescript::tools::sdk;

/// A function that checks an id.
#[derive(Clone, Debug)]
pub struct Check {
    /// Its name.
    pub name: String,
    /// It answers a promise.
    pub wait: bool,
    /// The file that it stands in.
    pub path: String,
    /// Where it can be called from, in that file; everywhere where it is not said.
    pub within: Option<Span>,
    /// It is a method.
    pub method: bool,
    /// Carriers that ask it once, at their start.
    pub first: Vec<bool>,
}

/// Makes the function, where the tool that set the choice checked anything, or where the server does not check arguments itself.
pub fn make(work: &mut Work<'_>) -> Result<(), Refused> {
    let mut found: Vec<Guards<'_>> = Vec::new();
    let locals = locals(work)?;
    for (link, local) in work.selection.setter.links.iter().zip(locals) {
        if let Some(guards) = guards(work, link, local)? {
            found.push(guards);
        }
    }
    let dispatched = work.selection.tools.iter().any(|tool| tool.entry.is_some());
    let guards = match found.as_slice() {
        [] if dispatched => None,
        [] => return Ok(()),
        [only] => Some(only),
        [first, ..] => {
            return Err(first.script.refuse(
                first.function,
                "the id is checked in several functions",
                "let one function check it, and run again",
            ));
        }
    };
    let text = text(work, guards, dispatched)?;
    place(work, guards, text)
}

/// The function's lines, each with a tab for each level.
struct Text {
    name: String,
    parameter: String,
    unknown: bool,
    wait: bool,
    /// The type of the choice, as `typeof` tells it.
    kind: Option<&'static str>,
    lines: Vec<String>,
}

fn text(work: &Work<'_>, guards: Option<&Guards<'_>>, unknown: bool) -> Result<Text, Refused> {
    let argument = &work.selection.argument;
    let plain = |name: &str| name.chars().all(|char| char.is_alphanumeric() || char == '_' || char == '$');
    let local = guards.map(|guards| guards.local.as_str()).unwrap_or_default();
    let parameter = if plain(local) && !local.is_empty() { local.to_owned() } else { argument.variable.clone() };
    let mut lines = Vec::new();
    let kind = typed::kind(work)?;
    if unknown {
        let (_, script) = home(work, guards)?;
        let message = script.style.string(&format!("{} is required", argument.argument));
        let missing = match kind {
            Some(kind) => format!("typeof {parameter} !== {}", script.style.string(kind)),
            None => format!("{parameter} === undefined"),
        };
        lines.push(format!("if ({missing}) throw new Error({message});"));
    }
    let mut wait = false;
    for node in guards.into_iter().flat_map(|guards| &guards.statements) {
        let guards = guards.ok_or_else(|| work.nothing())?;
        let script = guards.script;
        wait |= waits(*node);
        let written = match node.kind() {
            "if_statement" => guard(guards, *node, &parameter)?,
            _ => listing::with(script, *node, &guards.local, &parameter),
        };
        lines.extend(super::super::handle::unindented(script, *node, &written));
    }
    lines.push(format!("return {parameter};"));
    Ok(Text { name: name(work), parameter, unknown, wait, kind, lines })
}

/// `knownProject`, for `project_id`.
fn name(work: &Work<'_>) -> String {
    let mut words = words(&work.selection.argument.argument);
    if words.len() > 1 && matches!(words.last().map(String::as_str), Some("id" | "name" | "slug" | "key")) {
        words.pop();
    }
    let noun: String = words.iter().map(|word| capital(word)).collect();
    let taken =
        |name: &String| work.scripts.all().any(|script| !mentions(script, script.tree.root_node(), name).is_empty());
    let candidates = [format!("known{noun}"), format!("checked{noun}"), format!("require{noun}Argument")];
    candidates.iter().find(|name| !taken(name)).cloned().unwrap_or_else(|| format!("known{noun}Argument"))
}

/// The registration of the tool that set the choice, and its file.
fn home<'a>(work: &Work<'a>, guards: Option<&Guards<'a>>) -> Result<(Node<'a>, &'a Script), Refused> {
    match guards {
        Some(guards) => Ok((guards.function, guards.script)),
        None => {
            let (script, node) = work.scripts.expression(&work.selection.setter.tool.handler)?;
            Ok((function_in(node).unwrap_or(node), script))
        }
    }
}

/// Puts the function where what it needs is at hand.
fn place(work: &mut Work<'_>, guards: Option<&Guards<'_>>, text: Text) -> Result<(), Refused> {
    let (function, script) = home(work, guards)?;
    let statements: Vec<Node<'_>> = guards.map(|guards| guards.statements.clone()).unwrap_or_default();
    let local_names: Vec<&str> =
        statements.iter().flat_map(|node| scope::declared_by(*node)).map(|name| script.of(name)).collect();
    let local = guards.map(|guards| guards.local.clone()).unwrap_or_default();
    let of_class = statements.iter().any(|node| has_this(*node));
    let free = |node: &Node<'_>| free_names(script, *node);
    let near = statements.iter().flat_map(free).any(|name| {
        !local_names.contains(&name)
            && !local.starts_with(name)
            && !is_declared(script, name)
            && scope::declaration(script, statements[0], name).is_some()
    });
    let method = of_class
        .then(|| std::iter::successors(Some(function), Node::parent).find(|node| node.kind() == "method_definition"))
        .flatten();
    let (anchor, within) = match (of_class, near) {
        (true, _) => {
            let method = method.ok_or_else(|| {
                script.refuse(
                    function,
                    "what is checked here needs an object at hand",
                    "let a function of the file check it",
                )
            })?;
            (method, method.parent().map(span))
        }
        (false, true) => {
            // Beside the registration, in the function that has the names.
            let own = statement_above(function);
            let block = own.parent().ok_or_else(|| work.nothing())?;
            let seen = statements.iter().flat_map(free).filter(|name| !is_declared(script, name)).all(|name| {
                local_names.contains(&name) || local.starts_with(name) || {
                    let found = scope::declaration(script, statements[0], name);
                    found.is_none_or(|found| !span(function).contains(span(found)))
                }
            });
            if !seen {
                return Err(script.refuse(
                    statements[0],
                    "what is checked here depends on what only the tool knows",
                    "let a function of its own check the id",
                ));
            }
            (own, Some(span(block)))
        }
        (false, false) => {
            let top = std::iter::successors(Some(function), Node::parent)
                .find(|node| node.parent().is_some_and(|parent| parent.kind() == "program"))
                .unwrap_or(function);
            (top, None)
        }
    };
    let outward = work.selection.tools.iter().any(|tool| tool.handler.path != script.path);
    let kind = match script.typed() {
        true => typed::type_in(work, script, function)?,
        false => String::new(),
    };
    if script.typed() && text.unknown && text.kind != Some(kind.as_str()) {
        return Err(script.refuse(
            function,
            format!("the arguments have no types here, and the choice is a `{kind}`"),
            "check the argument in a function of its own, and run again",
        ));
    }
    let written = lines(script, &text, &kind, method.is_some(), outward && within.is_none());
    let indent = script.indentation(anchor).to_owned();
    let newline = script.style.newline;
    let at = script.line_start(script.with_comments(anchor));
    let dressed = script.indented(&script.style.dress(&written), &indent);
    work.edits.insert(script, at, format!("{indent}{dressed}{newline}{newline}"));
    let count = work.selection.carriers.len();
    work.check = Some(Check {
        name: text.name,
        wait: text.wait,
        path: script.path.clone(),
        within,
        method: method.is_some(),
        first: vec![false; count],
    });
    first(work)
}

fn statement_above(function: Node<'_>) -> Node<'_> {
    let outer = function.parent().unwrap_or(function);
    statement(outer)
}

fn has_this(node: Node<'_>) -> bool {
    node.kind() == "this" || children(node).into_iter().any(has_this)
}

/// Names that a statement uses, properties left out.
fn free_names<'s>(script: &'s Script, node: Node<'_>) -> Vec<&'s str> {
    let mut out = Vec::new();
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        if matches!(node.kind(), "identifier" | "shorthand_property_identifier") {
            out.push(script.of(node));
        }
        stack.extend(children(node));
    }
    out
}

fn lines(script: &Script, text: &Text, kind: &str, method: bool, exported: bool) -> String {
    let (parameter, answer) = match script.typed() {
        true => (
            format!("{}: {}", text.parameter, if text.unknown { "unknown" } else { kind }),
            if text.wait { format!(": Promise<{kind}>") } else { format!(": {kind}") },
        ),
        false => (text.parameter.clone(), String::new()),
    };
    let wait = if text.wait { "async " } else { "" };
    let head = match (method, exported) {
        (true, _) if script.typed() => format!("private {wait}"),
        (true, _) => wait.to_owned(),
        (false, true) if !imports::common_js(script) => format!("export {wait}function "),
        (false, _) => format!("{wait}function "),
    };
    let body: String = text.lines.iter().map(|line| format!("\t{line}\n")).collect();
    format!("{head}{}({parameter}){answer} {{\n{body}}}", text.name)
}

/// Which tools ask once, at their start: those that use the choice in several places.
fn first(work: &mut Work<'_>) -> Result<(), Refused> {
    for index in 0..work.selection.carriers.len() {
        let Entry::Handler(tools) = &work.selection.carriers[index].entry else { continue };
        let reads = work.selection.reads.iter().filter(|read| read.carrier == Some(index) && !read.asks);
        let reads = reads.filter(|read| {
            let found = work.scripts.expression(&read.at);
            found.is_ok_and(|(script, node)| !fold::asks(script, node))
        });
        let reads = reads.count();
        let calls = work.selection.carriers.iter().flat_map(|carrier| &carrier.calls);
        let calls = calls.filter(|call| call.within == index).count();
        let (_, function) = work.function(&work.selection.carriers[index])?;
        let block = function.child_by_field_name("body").is_some_and(|body| body.kind() == "statement_block");
        let dispatched = tools.iter().any(|tool| work.selection.tools[*tool].entry.is_some());
        if let Some(check) = &mut work.check {
            check.first[index] = reads + calls > 1 && block && !dispatched;
        }
    }
    Ok(())
}

/// What stands for the choice at a place of a carrier: the argument, checked where it enters.
pub fn asked(work: &mut Work<'_>, script: &Script, at: Node<'_>, carrier: usize) -> Result<String, Refused> {
    let name = work.names[carrier].clone();
    let Some(check) = work.check.clone().filter(|check| work.handles(carrier) && !check.first[carrier]) else {
        return Ok(name);
    };
    let call = called(work, &check, script, at, &name)?;
    if !check.wait {
        return Ok(call);
    }
    let (_, function) = work.function(&work.selection.carriers[carrier])?;
    let around = enclosing_function(at);
    if around != Some(function) && !around.is_some_and(|around| mode::is_async(script, around)) {
        return Err(script.refuse(
            at,
            "the check takes time, and this can't wait for it",
            "check it before, in the tool",
        ));
    }
    let tight = at.parent().is_some_and(|parent| {
        matches!(parent.kind(), "member_expression" | "subscript_expression")
            && parent.child_by_field_name("object") == Some(at)
    });
    Ok(if tight { format!("(await {call})") } else { format!("await {call}") })
}

fn called(work: &mut Work<'_>, check: &Check, script: &Script, at: Node<'_>, name: &str) -> Result<String, Refused> {
    let reachable = check.within.is_none_or(|within| check.path == script.path && within.contains(span(at)));
    if !reachable {
        return Err(script.refuse(
            at,
            "what the id is checked with is not at hand here",
            "let a function that both files can import check the id",
        ));
    }
    if check.path != script.path {
        if imports::common_js(script) {
            return Err(script.refuse(at, "the check stands in another file", "export it there, and run again"));
        }
        let source = reach::specifier(script, &check.path);
        work.wanted.push((script.path.clone(), source, check.name.clone()));
    }
    let this = if check.method { "this." } else { "" };
    Ok(format!("{this}{}({name})", check.name))
}

/// Lets tools that use the choice in several places ask once.
pub fn ask(work: &mut Work<'_>) -> Result<(), Refused> {
    let Some(check) = work.check.clone() else { return Ok(()) };
    for index in 0..work.selection.carriers.len() {
        if !check.first[index] || work.uses[index] == 0 {
            continue;
        }
        let (script, function) = work.function(&work.selection.carriers[index])?;
        let body = function.child_by_field_name("body").unwrap_or(function);
        let statements = children(body);
        let kept = statements.iter().find(|node| !work.edits.covers(&script.path, span(**node)));
        let Some(first) = kept.copied() else { continue };
        let name = work.names[index].clone();
        let call = called(work, &check, script, first, &name)?;
        let wait = if check.wait { "await " } else { "" };
        let end = if script.style.semicolons { ";" } else { "" };
        let (newline, indent) = (script.style.newline, script.indentation(first));
        let start = script.with_comments(first);
        work.edits.insert(script, start, format!("{wait}{call}{end}{newline}{indent}"));
    }
    Ok(())
}

/// A schema as one that has to be given.
pub fn required(schema: Code<'_>, selection: &Selection) -> String {
    let script = schema.script;
    let mut out = schema.text().to_owned();
    for optional in [".optional()", ".nullable()", ".nullish()"] {
        out = out.replace(optional, "");
    }
    let described = out.contains(".describe(") || out.contains(".meta(") || !out.ends_with(')') || sdk::is_mini(script);
    if described {
        return out;
    }
    let words = words(&selection.argument.argument);
    let text = match words.as_slice() {
        [noun @ .., last] if !noun.is_empty() && matches!(last.as_str(), "id" | "name" | "slug" | "key") => {
            format!("{last} of the {}", noun.join(" "))
        }
        _ => format!("the {} to work on", words.join(" ")),
    };
    let text = match &selection.listed_by {
        Some(tool) => format!("{text}, see {tool}"),
        None => text,
    };
    format!("{out}.describe({})", script.style.string(&text))
}

/// Refuses a schema that names something which the file of another tool does not have.
pub fn within_reach(work: &Work<'_>, tool: &ToolUse, schema: Code<'_>) -> Result<(), Refused> {
    let site = tool.entry.as_ref().unwrap_or(&tool.registration);
    if site.path == schema.script.path {
        return Ok(());
    }
    let other = work.scripts.of(site)?;
    match free_names(schema.script, schema.node).into_iter().find(|name| *name != "z" && !is_declared(other, name)) {
        None => Ok(()),
        Some(name) => Err(schema.refuse(
            format!("the schema of the argument needs `{name}`, which {} does not have", site.path),
            "write the schema out, or import it there",
        )),
    }
}

impl Work<'_> {
    fn nothing(&self) -> Refused {
        Refused {
            at: self.selection.setter.tool.handler.clone(),
            why: "where the id is checked was not found".to_owned(),
            todo: "run again".to_owned(),
            also: Vec::new(),
        }
    }
}
