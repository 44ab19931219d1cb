//! The functions that write a first value, drop one, and say that there is none; and the tools that call them.

use tree_sitter::Node;

use super::ids::{is_id, is_key, is_plain};
use super::{Initial, Work, added, lifetime};
use crate::classify::words;
use crate::plan::handle::{Carries, Entry, Kind, Role, Touch};
use crate::render::Refused;
use crate::render::typescript::handle::{initial, reach, unindented};
use crate::render::typescript::imports;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children};
use crate::render::typescript::scripts::is_declared;

/// Adds the functions and the tools.
pub fn functions(work: &mut Work<'_>) -> Result<(), Refused> {
    let external = work.external;
    let names = &external.names;
    let write = main_write(work).ok_or_else(|| nothing(work))?;
    let (script, call) = work.scripts.expression(&write.at)?;
    looks(work)?;
    one_key(work)?;
    let value = first_value(work, script)?;
    let noun = joined(&names.noun);
    let id = &names.variable;
    let (create, destroy) = (format!("create{noun}"), format!("destroy{noun}"));
    let typed = |text: &'static str| if script.typed() { text } else { "" };
    let mut lines = vec![
        format!("async function {create}(){} {{", typed(": Promise<string>")),
        format!(
            "\tconst {id} = `{}_${{randomBytes(16).toString({})}}`;",
            names.prefix,
            script.style.string("base64url")
        ),
    ];
    let written = written(work, script, call, write, &value)?;
    lines.extend(written.lines().map(|line| format!("\t{line}")));
    lines.extend([format!("\treturn {id};"), "}".to_owned()]);
    let ends = external.tools.iter().any(|tool| tool.role == Role::Destroys);
    let dropped = if ends { None } else { dropped(work, script, call, write)? };
    if let Some(dropped) = &dropped {
        lines.extend([
            String::new(),
            format!("async function {destroy}({id}{}){} {{", typed(": string"), typed(": Promise<void>")),
            format!("\tif (!(await {dropped})) {}({id});", work.missing),
            "}".to_owned(),
        ]);
    }
    lines.extend([
        String::new(),
        format!("function {}({id}{}){} {{", work.missing, typed(": string"), typed(": never")),
        format!("\tthrow new Error(`{} ${{{id}}} is unknown or has expired; call {}`);", names.noun, names.create),
        "}".to_owned(),
    ]);
    let tool = external.tools.first().ok_or_else(|| nothing(work))?;
    let beside = work.scripts.of(&tool.registration)?;
    let outward = beside.path != script.path || work.told_in.iter().any(|path| *path != script.path);
    if outward && imports::common_js(script) {
        return Err(script.refuse(
            call,
            "the store is written in another file than the tools",
            "export a function that creates a value",
        ));
    }
    let text: Vec<String> = lines
        .into_iter()
        .map(|line| {
            if outward && line.contains("function ") && !line.starts_with('\t') {
                format!("export {line}")
            } else {
                line
            }
        })
        .collect();
    place(work, script, call, &text.join("\n"));
    work.wanted.push((script.path.clone(), "node:crypto".to_owned(), "randomBytes".to_owned()));
    for path in work.told_in.clone() {
        want(work, &path, script, &work.missing.clone())?;
    }
    want(work, &beside.path, script, &create)?;
    if dropped.is_some() {
        want(work, &beside.path, script, &destroy)?;
    }
    let expires = match (lifetime::of(work, write), bare(call).child_by_field_name("arguments")) {
        (Some(seconds), _) => format!("expires {seconds} seconds after its last change"),
        (None, Some(list)) if children(list).len() > 2 => "expires some time after its last change".to_owned(),
        _ => "may expire some time after its last change".to_owned(),
    };
    let own = external.tools.iter().find(|tool| tool.role == Role::Destroys).map(|tool| tool.name.as_str());
    let (create, destroy) = (format!("{create}()"), format!("{destroy}({})", names.argument));
    added::tools(work, &create, (dropped.is_some().then_some(destroy.as_str()), own), &expires)
}

/// The write of the key that is read, where values are kept under several keys.
fn main_write<'a>(work: &Work<'a>) -> Option<&'a Touch> {
    let touches = &work.external.touches;
    let key = |touch: &Touch| {
        let (script, call) = work.scripts.expression(&touch.at).ok()?;
        let key = bare(call).child_by_field_name("arguments").map(children)?.first().copied()?;
        keyed(work, script, key, touch).ok()
    };
    let read: Vec<String> = touches.iter().filter(|touch| touch.kind == Kind::Read).filter_map(key).collect();
    let puts = || touches.iter().filter(|touch| touch.kind == Kind::Write && is_put(work, touch));
    puts().find(|touch| key(touch).is_some_and(|key| read.contains(&key))).or_else(|| puts().next())
}

/// Refuses where more than one key is read: only the main one has a first value.
fn one_key(work: &Work<'_>) -> Result<(), Refused> {
    let mut main: Option<String> = None;
    for touch in work.external.touches.iter().filter(|touch| touch.kind == Kind::Read) {
        let (script, call) = work.scripts.expression(&touch.at)?;
        let Some(key) = bare(call).child_by_field_name("arguments").map(children).and_then(|all| all.first().copied())
        else {
            continue;
        };
        let text = keyed(work, script, key, touch)?;
        if main.as_ref().is_some_and(|main| *main != text) {
            return Err(script.refuse(
                key,
                "values are read under more than one key, and a new one has only the first of them",
                "keep them under one key, and run again",
            ));
        }
        main = Some(text);
    }
    Ok(())
}

/// All keys that values are written under, the main one first.
fn all_keys(work: &Work<'_>, write: &Touch) -> Vec<String> {
    let touches = work.external.touches.iter().filter(|touch| touch.kind == Kind::Write && is_put(work, touch));
    let mut out: Vec<String> = Vec::new();
    for touch in std::iter::once(write).chain(touches) {
        let Ok((script, call)) = work.scripts.expression(&touch.at) else { continue };
        let key = bare(call).child_by_field_name("arguments").map(children).and_then(|all| all.first().copied());
        let text = key.and_then(|key| keyed(work, script, key, touch).ok());
        out.extend(text.filter(|text| !out.contains(text)));
    }
    out
}

/// The name of the method that an access calls.
fn method<'s>(script: &'s Script, call: Node<'_>) -> Option<&'s str> {
    let callee = bare(call).child_by_field_name("function")?;
    callee.child_by_field_name("property").map(|name| script.of(name))
}

/// Methods that put a value in, with the position of the value.
const PUTS: &[(&str, usize)] =
    &[("set", 1), ("put", 1), ("setItem", 1), ("setex", 2), ("setEx", 2), ("psetex", 2), ("pSetEx", 2), ("setJSON", 1)];

fn is_put(work: &Work<'_>, touch: &Touch) -> bool {
    let found = work.scripts.expression(&touch.at);
    found.is_ok_and(|(script, call)| method(script, call).is_some_and(|name| PUTS.iter().any(|(put, _)| *put == name)))
}

/// Refuses a tool that changes a value without a look whether there is one: an unknown id would make one.
fn looks(work: &Work<'_>) -> Result<(), Refused> {
    let external = work.external;
    let mut looks: Vec<bool> = (0..external.carriers.len())
        .map(|index| external.touches.iter().any(|touch| touch.carrier == index && touch.kind == Kind::Read))
        .collect();
    for _ in 0..looks.len() {
        for (index, carrier) in external.carriers.iter().enumerate() {
            if looks[index] {
                carrier.calls.iter().for_each(|call| looks[call.within] = true);
            }
        }
    }
    for (carrier, looks) in external.carriers.iter().zip(looks) {
        let Entry::Handler(tools) = &carrier.entry else { continue };
        let drops = tools.iter().all(|tool| external.tools[*tool].role == Role::Destroys);
        if !looks && !drops {
            let (script, function) = work.function(carrier)?;
            return Err(script.refuse(
                function,
                "this tool writes a value without a look whether there is one, so that an unknown id would make one",
                "let it read the value first",
            ));
        }
    }
    Ok(())
}

fn nothing(work: &Work<'_>) -> Refused {
    Refused {
        at: work.external.declared.clone(),
        why: "no first value was found that a tool could write".to_owned(),
        todo: "write a tool that writes one under a random id".to_owned(),
        also: Vec::new(),
    }
}

/// `ReadingList`, for `reading list`.
pub fn joined(noun: &str) -> String {
    noun.split(' ').map(words::capital).collect()
}

/// The first value, where all places agree on one.
fn first_value(work: &Work<'_>, script: &Script) -> Result<Initial, Refused> {
    let first = match work.initials.as_slice() {
        [] => return Err(nothing(work)),
        [only] => only.clone(),
        [_, other, ..] => {
            let script = work.scripts.by_path(&other.path).ok_or_else(|| nothing(work))?;
            let node = script.around(other.span).unwrap_or(script.tree.root_node());
            return Err(script.refuse(
                node,
                "a value starts in different ways here and elsewhere",
                "let one function make the first value",
            ));
        }
    };
    let origin = work.scripts.by_path(&first.path).ok_or_else(|| nothing(work))?;
    let node = origin.around(first.span).ok_or_else(|| nothing(work))?;
    for name in initial::names_in(node) {
        let text = origin.of(name);
        let known = initial::is_global(text) || initial::is_own(origin, node, text);
        let here = is_declared(origin, text) && scope_is_top(origin, name, text);
        if !(known || here && origin.path == script.path) {
            return Err(origin.refuse(
                name,
                format!("the first value depends on `{text}`, which the function that writes it does not know"),
                "write the first value out",
            ));
        }
    }
    Ok(first)
}

fn scope_is_top(script: &Script, from: Node<'_>, name: &str) -> bool {
    scope::binding(script, from, name).is_some_and(|scope| scope.kind() == "program")
}

/// The statement that writes the first value: as the code writes others.
fn written(
    work: &Work<'_>,
    script: &Script,
    call: Node<'_>,
    write: &Touch,
    first: &Initial,
) -> Result<String, Refused> {
    let refuse =
        || script.refuse(call, "this way to write a value is not known", "write a tool that writes the first value");
    let call = bare(call);
    let callee = call.child_by_field_name("function").ok_or_else(refuse)?;
    let arguments = call.child_by_field_name("arguments").map(children).ok_or_else(refuse)?;
    let at = method(script, call).and_then(|name| PUTS.iter().find(|(put, _)| *put == name)).map_or(1, |(_, at)| *at);
    let (key, value) = (*arguments.first().ok_or_else(refuse)?, *arguments.get(at).ok_or_else(refuse)?);
    let origin = work.scripts.by_path(&first.path).ok_or_else(refuse)?;
    let node = origin.around(first.span).ok_or_else(refuse)?;
    let text = unindented(origin, node, origin.slice(first.span)).join("\n");
    let made = bare(value);
    let packs = made.kind() == "call_expression"
        && made.child_by_field_name("function").is_some_and(|callee| script.of(callee).ends_with("stringify"));
    let text = match (packs, first.raw) {
        (true, false) => {
            let callee = made.child_by_field_name("function").map(|callee| script.of(callee)).unwrap_or_default();
            format!("{callee}({text})")
        }
        _ => text,
    };
    reachable(script, callee, call)?;
    let mut parts = vec![keyed(work, script, key, write)?];
    for (index, other) in arguments.iter().enumerate().skip(1) {
        if index == at {
            parts.push(text.clone());
            continue;
        }
        reachable(script, *other, call)?;
        parts.push(script.of(*other).to_owned());
    }
    let end = if script.style.semicolons { ";" } else { "" };
    Ok(format!("await {}({}){end}", script.of(callee), parts.join(", ")))
}

/// Refuses what only the function around a place knows.
fn reachable(script: &Script, node: Node<'_>, call: Node<'_>) -> Result<(), Refused> {
    let known = |name: &Node<'_>| {
        let text = script.of(*name);
        text != "this" && (initial::is_global(text) || scope_is_top(script, *name, text))
    };
    match initial::names_in(node).into_iter().find(|name| !known(name)) {
        None => Ok(()),
        Some(name) => Err(script.refuse(
            call,
            format!("the value is written with `{}`, which only the function around knows", script.of(name)),
            "make it one of the file, and run again",
        )),
    }
}

/// The key with the handle in it.
fn keyed(work: &Work<'_>, script: &Script, key: Node<'_>, touch: &Touch) -> Result<String, Refused> {
    let carrier = &work.external.carriers[touch.carrier];
    let id = &work.external.names.variable;
    let inner = bare(key);
    if inner.kind() == "identifier" && !is_plain_id(work, script, inner, touch) {
        let declared = scope::declaration(script, inner, script.of(inner));
        let value = declared.and_then(|own| own.parent()).and_then(|parent| parent.child_by_field_name("value"));
        let value =
            value.ok_or_else(|| script.refuse(key, "where this key comes from can't be told", "write it out here"))?;
        return keyed(work, script, value, touch);
    }
    let mut out = String::new();
    let mut at = key.start_byte();
    let mut found = Vec::new();
    ids_in(carrier, script, key, &mut found);
    for node in found {
        out.push_str(&script.text()[at..node.start_byte()]);
        out.push_str(id);
        at = node.end_byte();
    }
    out.push_str(&script.text()[at..key.end_byte()]);
    Ok(out)
}

/// Whether a name is the id itself, and not a key that is made from it.
fn is_plain_id(work: &Work<'_>, script: &Script, name: Node<'_>, touch: &Touch) -> bool {
    let carrier = &work.external.carriers[touch.carrier];
    let declared = scope::declaration(script, name, script.of(name));
    let value = declared.and_then(|own| own.parent()).and_then(|parent| parent.child_by_field_name("value"));
    is_id(carrier, script, name) && value.is_none_or(|value| !is_key(script, value))
}

fn ids_in<'t>(carrier: &Carries, script: &Script, node: Node<'t>, out: &mut Vec<Node<'t>>) {
    if is_plain(carrier, script, node) {
        out.push(node);
        return;
    }
    children(node).into_iter().for_each(|child| ids_in(carrier, script, child, out));
}

/// The call that drops a value, where the store is one that says whether there was one.
fn dropped(work: &Work<'_>, script: &Script, call: Node<'_>, write: &Touch) -> Result<Option<String>, Refused> {
    let callee = bare(call).child_by_field_name("function");
    let Some(object) = callee.and_then(|callee| callee.child_by_field_name("object")) else { return Ok(None) };
    let deletes = work.external.touches.iter().find(|touch| touch.kind == Kind::Delete);
    let method = match deletes {
        Some(touch) => {
            let (other, node) = work.scripts.expression(&touch.at)?;
            let callee = bare(node).child_by_field_name("function");
            callee.and_then(|callee| callee.child_by_field_name("property")).map(|name| other.of(name).to_owned())
        }
        None => {
            let text = script.text();
            let redis = ["'ioredis'", "\"ioredis\"", "'redis'", "\"redis\"", "@upstash/redis"];
            let maps = ["'keyv'", "\"keyv\"", "'@keyvhq/core'"];
            match (redis.iter().any(|name| text.contains(name)), maps.iter().any(|name| text.contains(name))) {
                (true, _) => Some("del".to_owned()),
                (_, true) => Some("delete".to_owned()),
                _ => None,
            }
        }
    };
    let arguments = bare(call).child_by_field_name("arguments").map(children).unwrap_or_default();
    let (Some(method), Some(key)) =
        (method.filter(|name| matches!(name.as_str(), "del" | "delete" | "unlink")), arguments.first())
    else {
        return Ok(None);
    };
    let all = all_keys(work, write);
    if all.len() > 1 && method == "del" {
        return Ok(Some(format!("{}.del({})", script.of(object), all.join(", "))));
    }
    Ok(Some(format!("{}.{method}({})", script.of(object), keyed(work, script, *key, write)?)))
}

/// Puts the functions behind the imports' end, in front of the code that writes.
fn place(work: &mut Work<'_>, script: &Script, call: Node<'_>, text: &str) {
    let top = std::iter::successors(Some(call), Node::parent)
        .find(|node| node.parent().is_some_and(|parent| parent.kind() == "program"))
        .unwrap_or(call);
    let newline = script.style.newline;
    let at = script.line_start(script.with_comments(top));
    work.edits.insert(script, at, format!("{}{newline}{newline}", script.style.dress(text)));
}

fn want(work: &mut Work<'_>, path: &str, home: &Script, name: &str) -> Result<(), Refused> {
    if path != home.path {
        let script = work.scripts.open(path)?;
        let source = reach::specifier(script, &home.path);
        work.wanted.push((path.to_owned(), source, name.to_owned()));
    }
    Ok(())
}
