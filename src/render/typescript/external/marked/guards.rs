//! Each tool asks for its handle before it does anything else.

use tree_sitter::Node;

use super::super::Work;
use super::functions::Names;
use super::home::{self, Home, root};
use crate::plan::handle::{Entry, ToolUse};
use crate::render::Refused;
use crate::render::typescript::handle::opening;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, is_function, span};

/// Lets the handlers ask.
pub fn ask(work: &mut Work<'_>, home: &Home<'_>, names: &Names) -> Result<(), Refused> {
    let external = work.external;
    for (index, carrier) in external.carriers.iter().enumerate() {
        if !matches!(carrier.entry, Entry::Handler(_)) {
            continue;
        }
        let (script, function) = work.function(carrier)?;
        let way = way(work, home, index)?;
        let text = format!("await {}", way.call(&names.check, &work.names[index]));
        opening::begin(script, &mut work.edits, function, &text)?;
        if !home.has_methods() && script.path != home.script.path {
            work.told_in.push(script.path.clone());
        }
    }
    Ok(())
}

/// How the functions are called somewhere.
#[derive(Default)]
pub struct Way {
    /// The object that has them, with its dot.
    object: String,
    /// The client, where they are handed it.
    client: Option<String>,
}

impl Way {
    /// A call of one of them.
    pub fn call(&self, function: &str, handle: &str) -> String {
        let given: Vec<&str> =
            self.client.as_deref().into_iter().chain([handle]).filter(|text| !text.is_empty()).collect();
        format!("{}{function}({})", self.object, given.join(", "))
    }
}

/// How they are called beside a tool.
pub fn beside(work: &Work<'_>, home: &Home<'_>, tool: &ToolUse) -> Result<Way, Refused> {
    let own = |tools: &Vec<usize>| tools.iter().any(|index| work.external.tools[*index].handler == tool.handler);
    let index =
        work.external.carriers.iter().position(|carrier| matches!(&carrier.entry, Entry::Handler(tools) if own(tools)));
    match index {
        Some(index) => way(work, home, index),
        None => Ok(Way::default()),
    }
}

/// The same in a handler.
fn way(work: &Work<'_>, home: &Home<'_>, handler: usize) -> Result<Way, Refused> {
    let (script, function) = work.function(&work.external.carriers[handler])?;
    let named = |object: String| Ok(Way { object, client: None });
    if let Some((_, index)) = &home.handed {
        let client = given(work, home, handler, |call| home::arguments(call).get(*index).copied())?;
        return client.map(|client| Way { object: String::new(), client: Some(client) }).ok_or_else(|| {
            script.refuse(
                function,
                "this tool does not hand the store's client to the functions that use it",
                "let it call these functions itself, and run again",
            )
        });
    }
    if !home.has_methods() {
        let here = home.around.kind() == "program"
            || script.path == home.script.path && span(home.around).contains(span(function));
        return match here {
            true => named(String::new()),
            false => Err(script.refuse(
                function,
                "this tool is registered where the functions that check its handle can't be seen",
                "keep the store's client in a variable of the file or in a field of a class, and run again",
            )),
        };
    }
    if script.path == home.script.path && span(home.around).contains(span(function)) {
        return named("this.".to_owned());
    }
    match given(work, home, handler, object_of)? {
        Some(object) => named(format!("{object}.")),
        None => Err(script.refuse(
            function,
            "this tool has no object of what keeps its values, whose methods could check its handle",
            "let it call these methods itself, and run again",
        )),
    }
}

/// The object whose method a call is of.
fn object_of(call: Node<'_>) -> Option<Node<'_>> {
    call.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("object"))
}

/// What a part of a handler's calls of the functions is, where it means the same around the handler.
fn given(
    work: &Work<'_>,
    home: &Home<'_>,
    handler: usize,
    part: impl for<'t> Fn(Node<'t>) -> Option<Node<'t>>,
) -> Result<Option<String>, Refused> {
    let (_, function) = work.function(&work.external.carriers[handler])?;
    for carrier in &work.external.carriers {
        let at = &carrier.function;
        if at.path != home.script.path || !span(home.around).contains(at.span) {
            continue;
        }
        for call in carrier.calls.iter().filter(|call| call.within == handler) {
            let (script, node) = work.scripts.expression(&call.at)?;
            if let Some(part) = part(bare(node)).filter(|part| is_seen(script, function, *part)) {
                return Ok(Some(script.of(part).to_owned()));
            }
        }
    }
    Ok(None)
}

/// Whether an object is a name that stands for the same around a function.
fn is_seen(script: &Script, function: Node<'_>, object: Node<'_>) -> bool {
    let mut node = bare(object);
    while node.kind() == "member_expression" {
        match node.child_by_field_name("object") {
            Some(inner) => node = bare(inner),
            None => return false,
        }
    }
    let root = root(object);
    if root != node {
        return false;
    }
    match root.kind() {
        "this" => {
            !std::iter::successors(root.parent(), Node::parent)
                .take_while(|around| *around != function)
                .any(|around| is_function(around) && around.kind() != "arrow_function")
                && function.kind() == "arrow_function"
        }
        "identifier" => scope::binding(script, root, script.of(root))
            .is_some_and(|scope| scope != function && !span(function).contains(span(scope))),
        _ => false,
    }
}
