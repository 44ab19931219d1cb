//! A resource has no arguments: the handle moves into its URI.

use tree_sitter::Node;

use super::super::edits::Edits;
use super::handlers;
use super::record::Record;
use crate::model::facts::Span;
use crate::plan::handle::captured::ResourceUse;
use crate::render::Refused;
use crate::render::typescript::imports;
use crate::render::typescript::script::{Script, children, span};

/// What a resource with a variable in its URI is registered with.
pub const TEMPLATE: &str = "ResourceTemplate";

/// A registration of a resource, taken apart.
struct Registered<'a> {
    script: &'a Script,
    uri: Node<'a>,
    handler: Node<'a>,
}

/// Those of the record's file.
fn own<'r>(record: &'r Record<'_>) -> impl Iterator<Item = &'r ResourceUse> {
    record.captured.resources.iter().filter(|resource| resource.registration.path == record.script.path)
}

/// Makes templates of the resources, and gives their handlers the record.
pub fn look_up(record: &Record<'_>, edits: &mut Edits) -> Result<(), Refused> {
    for resource in own(record) {
        let Registered { script, uri, handler } = read(record, resource)?;
        let text = script.style.string(&template(record, script, uri)?);
        edits.replace(script, span(uri), format!("new {TEMPLATE}({text}, {{ list: undefined }})"));
        let auth = parameters(record, edits, script, handler)?;
        let variable = format!("String(variables.{})", record.captured.names.argument);
        handlers::begin(record, edits, handler, &handlers::key(&variable, auth.as_deref()))?;
    }
    Ok(())
}

/// The URIs as they are written now.
pub fn uris(record: &Record<'_>) -> Result<Vec<String>, Refused> {
    let of = |resource| {
        let read = read(record, resource)?;
        template(record, read.script, read.uri)
    };
    own(record).map(of).collect()
}

/// Where the class of templates comes from, if one is needed: from where the server's class does.
pub fn import(record: &Record<'_>) -> Result<Option<String>, Refused> {
    if own(record).next().is_none() {
        return Ok(None);
    }
    let script = record.script;
    let known = |source: &&&str| {
        imports::local_name(script, source, "McpServer").is_some()
            || imports::local_name(script, source, TEMPLATE).is_some()
    };
    let sources = [
        "@modelcontextprotocol/sdk/server/mcp.js",
        "@modelcontextprotocol/sdk/server/mcp",
        "@modelcontextprotocol/server",
    ];
    let source = sources.iter().find(known).ok_or_else(|| Refused {
        at: record.captured.resources[0].registration.clone(),
        why: "where the class of resource templates comes from can't be told".to_owned(),
        todo: "import McpServer in this file, and run again".to_owned(),
        also: Vec::new(),
    })?;
    match imports::local_name(script, source, TEMPLATE) {
        Some(local) if local != TEMPLATE => Err(Refused {
            at: record.captured.resources[0].registration.clone(),
            why: format!("{TEMPLATE} has another name here"),
            todo: "import it by its own name, and run again".to_owned(),
            also: Vec::new(),
        }),
        _ => Ok(Some((*source).to_owned())),
    }
}

fn read<'a>(record: &Record<'a>, resource: &ResourceUse) -> Result<Registered<'a>, Refused> {
    let (script, call) = record.scripts.expression(&resource.registration)?;
    let stop = |node: Node<'_>| {
        script.refuse(
            node,
            "a resource reads the state, and it is not registered with a plain URI and a function of its own",
            "put the handle into its URI (`thing://{id}`, a resource template), or let a tool answer it",
        )
    };
    let method = call.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("property"));
    let arguments = call.child_by_field_name("arguments").map(children).unwrap_or_default();
    let known = method.is_some_and(|method| matches!(script.of(method), "registerResource" | "resource"));
    let ([_, uri, .., handler], true) = (arguments.as_slice(), known) else { return Err(stop(call)) };
    if uri.kind() != "string" || span(*handler) != resource.handler.span || script.path != record.script.path {
        return Err(stop(if uri.kind() == "string" { *handler } else { *uri }));
    }
    Ok(Registered { script, uri: *uri, handler: *handler })
}

/// `reading://{list_id}/progress` for `reading://progress`.
fn template(record: &Record<'_>, script: &Script, uri: Node<'_>) -> Result<String, Refused> {
    let written = script.of(uri);
    let (scheme, rest) = written[1..written.len() - 1].split_once("://").ok_or_else(|| {
        script.refuse(uri, "this is no URI that a handle can be put into", "write it as `scheme://name`, and run again")
    })?;
    Ok(format!("{scheme}://{{{}}}/{}", record.captured.names.argument, rest.trim_start_matches('/')))
}

/// Gives the handler the variables of the URI as its second parameter. Answers how it names who is calling.
fn parameters(
    record: &Record<'_>,
    edits: &mut Edits,
    script: &Script,
    handler: Node<'_>,
) -> Result<Option<String>, Refused> {
    let second = script.text().contains("'@modelcontextprotocol/server'")
        || script.text().contains("\"@modelcontextprotocol/server\"");
    let plain = if second { "ctx" } else { "extra" };
    let auth = |name: &str| match second {
        true => format!("{name}.http?.authInfo"),
        false => format!("{name}.authInfo"),
    };
    let list = handler.child_by_field_name("parameters");
    let nodes = match (list, handler.child_by_field_name("parameter")) {
        (Some(list), _) => children(list),
        (None, only) => only.into_iter().collect(),
    };
    let name = |node: &Node<'_>| script.of(node.child_by_field_name("pattern").unwrap_or(*node)).to_owned();
    let own = record.captured.owner;
    let context = nodes.get(1).map(name);
    let is_name = context.as_ref().is_none_or(|name| name.chars().all(|char| char.is_alphanumeric() || char == '_'));
    if nodes.len() > 2 || !is_name || nodes.iter().any(|node| name(node) == "variables") {
        return Err(script.refuse(
            handler,
            "the parameters of this resource's handler can't be extended",
            "let it take the URI and the context as plain parameters",
        ));
    }
    let mut texts = vec![nodes.first().map_or_else(|| "_uri".to_owned(), |first| script.of(*first).to_owned())];
    texts.push("variables".to_owned());
    texts.extend(nodes.get(1).map(|context| script.of(*context).to_owned()));
    if own && context.is_none() {
        texts.push(plain.to_owned());
    }
    let whole = match list {
        Some(list) => Span::new(list.start_byte() + 1, list.end_byte() - 1),
        None => span(nodes[0]),
    };
    let text = texts.join(", ");
    edits.replace(script, whole, if list.is_some() { text } else { format!("({text})") });
    Ok(own.then(|| auth(context.as_deref().unwrap_or(plain))))
}
