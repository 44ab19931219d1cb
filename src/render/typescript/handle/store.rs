//! The declaration: the container gives way to a handle store.

use tree_sitter::Node;

use super::of_class;
use super::outside::seconds;
use super::reach;
use super::work::Work;
use crate::model::facts::Span;
use crate::plan::SharedStore;
use crate::plan::handle::{Container, Place};
use crate::render::typescript::imports;
use crate::render::typescript::in_flight::free_name;
use crate::render::typescript::script::{Script, children, span};
use crate::render::typescript::scripts::{is_declared, mentions};
use crate::render::typescript::tools::pair;
use crate::render::{Files, Refused};

/// Declares the handle store where the container was. Answers whether the file needs the type of handle stores.
pub fn declare(work: &mut Work<'_>) -> Result<(), Refused> {
    let store = &work.handle.store;
    let (script, made) = work.scripts.expression(&store.made)?;
    let name = work.scripts.of(&store.declared)?.around(store.declared.span);
    let name = name.ok_or_else(|| script.refuse(made, "its declaration was not found", "run again"))?;
    let declaration = name.parent().unwrap_or(name);
    let written = declaration.child_by_field_name("type");
    let of_class = work.handle.value.clone().filter(|name| is_declared(script, name.trim_end_matches("[]")));
    let value = script.typed().then(|| {
        let known = value_type(script, written).or_else(|| made_type(script, made));
        known.or_else(|| of_class.clone()).unwrap_or_else(|| "any".to_owned())
    });
    if work.handle.wrapped
        && script.typed()
        && made.child_by_field_name("type_arguments").is_none()
        && written.is_none()
        && of_class.is_none()
    {
        return Err(script.refuse(made, "the type of a value is not written here", "write it as a type argument"));
    }
    if let Some(at) = &work.handle.idle {
        let (script, node) = work.scripts.expression(at)?;
        work.idle = Some(seconds(script.of(node)));
    }
    let options = options(work, script, made);
    match work.handle.store.place {
        Place::Module | Place::Field => {
            if let Some(value) = &value {
                let annotation = format!(": {}<{value}>", local(script, "HandleStore"));
                match written {
                    Some(written) => work.edits.replace(script, span(written), annotation),
                    None => work.edits.insert(script, name.end_byte(), annotation),
                }
            }
            let indent = script.indentation(declaration);
            let class = class_in(work, script);
            let argument = type_argument(work, value.as_deref());
            let text = format!("new {class}{argument}({})", script.style.dress(&options));
            let own = [work.idle.as_deref().and_then(|idle| idle.strip_suffix(" / 1000")), work.limit.as_deref()];
            let later = own.into_iter().flatten().any(|own| text.contains(own) && waits_for_class(work, script, own));
            if !later || of_class::in_constructor(work, script, made, script.of(name), &text).is_none() {
                work.edits.replace(script, span(made), script.indented(&text, indent));
            }
            open_up(work, script, declaration)?;
        }
        Place::Local => move_out(work, script, declaration, made, value.as_deref(), &options)?,
    }
    Ok(())
}

/// Whether a lifetime, or a limit, is one that the constructor of the class is given.
fn waits_for_class(work: &Work<'_>, script: &Script, own: &str) -> bool {
    let field = own.split(' ').next().unwrap_or(own);
    if !field.starts_with("this.") {
        return false;
    }
    let mut stack = vec![script.tree.root_node()];
    while let Some(node) = stack.pop() {
        if node.kind() == "member_expression" && script.of(node) == field {
            return of_class::known(work, script, node) == Some(of_class::Known::ByConstructor);
        }
        stack.extend(children(node));
    }
    false
}

/// What a name of the module of handles is called where it is taken.
pub fn alias(name: &str) -> Option<&'static str> {
    match name {
        "MemoryHandles" => Some("HandlesInMemory"),
        "HandleStore" => Some("StoreOfHandles"),
        _ => None,
    }
}

/// What the declaring file calls it: nothing of that name comes from a module of handles there yet, or it is that.
pub fn local(script: &Script, name: &str) -> String {
    let known = |source: &str| imports::local_name(script, source, name);
    let stems = ["handles", "handle-store", "mcp-handles"];
    let ends = ["", ".js", ".ts", ".mjs", ".cjs", ".mts", ".cts"];
    let found = stems.iter().flat_map(|stem| ends.iter().map(move |end| format!("./{stem}{end}")));
    if let Some(own) = found.into_iter().find_map(|source| known(&source)) {
        return own;
    }
    match alias(name) {
        Some(other) if !mentions(script, script.tree.root_node(), name).is_empty() => free_name(script, &[other]),
        _ => name.to_owned(),
    }
}

/// The class of the store, as the declaring file calls it.
fn class_in(work: &Work<'_>, script: &Script) -> String {
    match &work.handle.shared {
        Some(shared) => shared.class.clone(),
        None => local(script, "MemoryHandles"),
    }
}

/// The class of the store.
pub fn class(shared: Option<&SharedStore>) -> &str {
    shared.map_or("MemoryHandles", |shared| shared.class.as_str())
}

/// Imports the class of a shared store, which has to be there, from its file.
pub fn shared_source(shared: &SharedStore, script: &Script, files: &dyn Files) -> Result<String, Refused> {
    if files.exists(&shared.module) {
        return Ok(reach::specifier(script, &shared.module));
    }
    Err(script.refuse(
        script.tree.root_node(),
        format!("the plan takes the store from `{}`, and there is no such file", shared.module),
        "write it below the root, or name another file",
    ))
}

/// With a function among the options, nothing else tells the type of values early enough.
fn type_argument(work: &Work<'_>, value: Option<&str>) -> String {
    match value {
        Some(value) if work.features.close => format!("<{value}>"),
        _ => String::new(),
    }
}

/// The options of a store that only knows which handles there are.
pub fn registry_options(work: &Work<'_>, script: &Script) -> String {
    options(work, script, script.tree.root_node())
}

fn options(work: &Work<'_>, script: &Script, made: Node<'_>) -> String {
    let (names, lifetime) = (&work.handle.names, &work.handle.lifetime);
    let string = |text: &str| script.style.string(text);
    let given = made.child_by_field_name("arguments").and_then(|list| children(list).first().copied());
    let given = given.filter(|given| given.kind() == "object");
    let option = |key: &str| {
        let value = pair(script, given?, key)?.child_by_field_name("value")?;
        (children(value).is_empty() || value.kind() == "binary_expression").then(|| script.of(value).to_owned())
    };
    // What is set for this store comes before what its code says, and that before what is usual.
    let written = option("ttl").map(|ttl| seconds(&ttl)).or_else(|| work.idle.clone());
    let idle = written.filter(|_| !lifetime.idle_is_set).unwrap_or_else(|| lifetime.idle_seconds.to_string());
    let limit = option("max").filter(|_| !lifetime.limit_is_set).unwrap_or_else(|| lifetime.limit.to_string());
    let bound = match work.limit.as_ref().filter(|_| !lifetime.limit_is_set) {
        Some(own) => format!("limit: {own}"),
        None => format!("limit: Number(process.env.{}_LIMIT || {limit})", names.setting),
    };
    let mut lines = vec![
        format!("noun: {}", string(&names.noun)),
        format!("prefix: {}", string(&names.prefix)),
        format!("createTool: {}", string(&work.handle.creating_tool())),
        format!("loss: {}", string(&work.handle.loss)),
        format!("idleSeconds: Number(process.env.{}_IDLE_SECONDS || {idle})", names.setting),
        bound,
    ];
    lines.extend(close(work));
    let comma = if script.style.trailing_commas { "," } else { "" };
    format!("{{\n\t{}{comma}\n}}", lines.join(",\n\t"))
}

/// What is done when a value goes: what its session's end did, and the containers that are keyed alike lose their entry.
fn close(work: &Work<'_>) -> Option<String> {
    if work.handle.registry {
        return work.close.as_ref().map(|close| format!("close: {close}"));
    }
    let variable = &work.handle.names.variable;
    let drops: Vec<String> = work
        .handle
        .companions
        .iter()
        .map(|companion| match companion.container {
            Container::Map | Container::Set => format!("{}.delete({variable});", companion.name),
            Container::Record => format!("delete {}[{variable}];", companion.name),
        })
        .collect();
    match (drops.is_empty(), &work.close) {
        (true, close) => close.as_ref().map(|close| format!("close: {close}")),
        (false, None) => Some(format!("close: (_value, {variable}) => {{\n\t\t{}\n\t}}", drops.join("\n\t\t"))),
        (false, Some(close)) => {
            let (head, body) = close.split_once(" => ")?;
            let (start, parameter) = head.split_once('(')?;
            let parameter = parameter.trim_end_matches(')');
            let rest = match body.strip_prefix("{\n") {
                Some(block) => block.strip_suffix("\n\t}")?.trim_start().to_owned(),
                None => format!("return {body};"),
            };
            let lines = format!("{}\n\t\t{rest}", drops.join("\n\t\t"));
            Some(format!("close: {start}({parameter}, {variable}) => {{\n\t\t{lines}\n\t}}"))
        }
    }
}

/// The type of the values by the written type of the container.
fn value_type(script: &Script, written: Option<Node<'_>>) -> Option<String> {
    let ty = children(written?).first().copied()?;
    match ty.kind() {
        "generic_type" => last_argument(script, ty.child_by_field_name("type_arguments")?),
        "object_type" => {
            let index = children(ty).into_iter().find(|part| part.kind() == "index_signature")?;
            let value = index.child_by_field_name("type")?;
            Some(plain(script.of(value).trim_start_matches(':').trim()))
        }
        _ => None,
    }
}

fn made_type(script: &Script, made: Node<'_>) -> Option<String> {
    last_argument(script, made.child_by_field_name("type_arguments")?)
}

fn last_argument(script: &Script, list: Node<'_>) -> Option<String> {
    let arguments = children(list);
    let value = arguments.get(1).or(arguments.last())?;
    Some(plain(script.of(*value)))
}

fn plain(ty: &str) -> String {
    ty.trim_end_matches(" | undefined").to_owned()
}

/// The tools in another class, or in another file, use the store as well.
fn open_up(work: &mut Work<'_>, script: &Script, declaration: Node<'_>) -> Result<(), Refused> {
    if !work.outward {
        return Ok(());
    }
    if work.handle.store.place == Place::Field {
        let modifier = children(declaration).into_iter().find(|child| child.kind() == "accessibility_modifier");
        if let Some(modifier) = modifier.filter(|modifier| script.of(*modifier) != "public") {
            let next = script.text()[modifier.end_byte()..].find(|char: char| !char.is_whitespace()).unwrap_or(0);
            work.edits.cut(script, Span::new(modifier.start_byte(), modifier.end_byte() + next));
        }
        return Ok(());
    }
    reach::export(work, script, &work.handle.store.name).ok_or_else(|| {
        script.refuse(declaration, "the code beside the tools needs the store, and it is not exported", "export it")
    })
}

/// A container of a function that runs more than once moves in front of that function.
fn move_out(
    work: &mut Work<'_>,
    script: &Script,
    declaration: Node<'_>,
    made: Node<'_>,
    value: Option<&str>,
    options: &str,
) -> Result<(), Refused> {
    let own = declaration.parent().filter(|parent| {
        matches!(parent.kind(), "lexical_declaration" | "variable_declaration") && children(*parent).len() == 1
    });
    let own = own.ok_or_else(|| {
        script.refuse(made, "its declaration is shared with others", "declare it in a statement of its own")
    })?;
    let mut top = own;
    while let Some(parent) = top.parent().filter(|parent| parent.kind() != "program") {
        top = parent;
    }
    let name = work.handle.store.name.clone();
    if is_declared(script, &name) {
        return Err(script.refuse(own, "a variable of the module has the same name", "rename one of them"));
    }
    let annotation = value.map(|value| format!(": {}<{value}>", local(script, "HandleStore"))).unwrap_or_default();
    let end = if script.style.semicolons { ";" } else { "" };
    let newline = script.style.newline;
    let argument = type_argument(work, value);
    let class = class_in(work, script);
    let text = format!("const {name}{annotation} = new {class}{argument}({}){end}", script.style.dress(options));
    work.edits.cut(script, script.removal(own));
    let start = script.removal(top).start as usize;
    let start =
        if script.text()[start..].starts_with(['\n', '\r']) { script.line_start(top.start_byte()) } else { start };
    work.edits.insert(script, start, format!("{text}{newline}{newline}"));
    Ok(())
}
