//! Creation and the end of a value as tools: the ones that are there say the id, new ones are added where there are none.

use tree_sitter::Node;

use super::beginnings;
use super::ending;
use super::initial::{chosen, free, nothing};
use super::instances;
use super::interfaces;
use super::minted;
use super::reach;
use super::work::{Import, Work};
use crate::classify::words::capital;
use crate::model::facts::Span;
use crate::plan::handle::{Container, Entry, Kind, Names, Place, Role, ToolUse, Touch, plural};
use crate::render::Refused;
use crate::render::typescript::script::{Script, children, enclosing_function, span, statement};
use crate::render::typescript::scripts::Code;
use crate::render::typescript::spoken;
use crate::render::typescript::tools::{self, NewTool, Parameter};

/// Lets the tools that create a value answer its id.
pub fn existing(work: &mut Work<'_>) -> Result<(), Refused> {
    for index in 0..work.handle.carriers.len() {
        let carrier = &work.handle.carriers[index];
        let creates = work.creates(carrier);
        let puts = |touch: &&Touch| {
            touch.kind == Kind::Write
                && (creates || work.is_beginning(index, touch.at.span))
                && !work.is_gone(&touch.at)
        };
        let touches: Vec<&Touch> = work.touches(index).filter(puts).collect();
        for touch in touches {
            put_in(work, index, touch)?;
        }
    }
    minted::settle(work)
}

/// The statement that puts a value in makes its handle, which the answers behind it tell.
pub fn put_in(work: &mut Work<'_>, carrier: usize, touch: &Touch) -> Result<(), Refused> {
    let (script, node) = work.scripts.expression(&touch.at)?;
    let unknown = |node: Node<'_>| {
        script.refuse(node, "the value is not put in by a statement of its own", "write it as `store.set(key, value)`")
    };
    let (whole, value) = match node.kind() {
        "call_expression" => {
            let arguments = node.child_by_field_name("arguments").map(children).unwrap_or_default();
            (node, *arguments.get(1).ok_or_else(|| unknown(node))?)
        }
        _ => {
            let assignment = node.parent().filter(|parent| parent.kind() == "assignment_expression");
            let assignment = assignment.ok_or_else(|| unknown(node))?;
            (assignment, assignment.child_by_field_name("right").ok_or_else(|| unknown(node))?)
        }
    };
    let own = statement(whole);
    if whole.parent().is_none_or(|parent| parent != own) {
        return Err(unknown(whole));
    }
    let ids = &work.handle.carriers[carrier].ids;
    if let Some(id) = ids.iter().find(|id| id.path == script.path && span(value).contains(id.span)) {
        let at = script.around(id.span).unwrap_or(value);
        return Err(script.refuse(at, "the value holds the session id", "leave it out of the value"));
    }
    let (_, store_node) = work.scripts.expression(&touch.receiver)?;
    let store = script.of(store_node);
    let name = work.handle.names.argument.clone();
    let wait = if work.wait { "await " } else { "" };
    let owner = work.owners[carrier].as_ref().map(|owner| format!(", {owner}")).unwrap_or_default();
    let start = Span::new(whole.start_byte(), value.start_byte());
    work.edits.replace(script, start, format!("const {name} = {wait}{store}.create("));
    let end = Span::new(value.end_byte(), whole.end_byte());
    let closing = format!("{owner})");
    if end.start == end.end {
        work.edits.insert(script, whole.end_byte(), closing);
    } else {
        work.edits.replace(script, end, closing);
    }
    work.done.push(touch.at.clone());
    beginnings::embrace(work, script, own);
    let block = own.parent().unwrap_or(own);
    let function = enclosing_function(own).unwrap_or(block);
    let scope = if block.kind() == "statement_block" && block.parent() == Some(function) { function } else { block };
    let text = match &work.handle.carriers[carrier].entry {
        Entry::Closure { given, .. } => minted::is_text(work, given)?,
        _ => minted::answers_text(work, carrier)?,
    };
    let answers = match text {
        true => tools::append_to_texts(script, scope, own.end_byte(), &name)?,
        false => tools::append_to_answers(work.scripts, script, scope, own.end_byte(), &name)?,
    };
    work.edits.extend(answers);
    Ok(())
}

/// Adds the tools that are missing.
pub fn missing(work: &mut Work<'_>) -> Result<(), Refused> {
    let handle = work.handle;
    let (Some(first), Some(last)) = (handle.tools.first(), handle.tools.last()) else { return Ok(()) };
    let file = |tool: &ToolUse| tool.entry.as_ref().unwrap_or(&tool.registration).path.clone();
    let last = if file(last) == file(first) {
        last
    } else {
        handle.tools.iter().rev().find(|tool| file(tool) == file(first)).unwrap_or(first)
    };
    let creates = handle.adds_creator();
    let destroys = handle.adds_destroyer();
    let (anchor_script, handled) = (work.scripts.of(&first.registration)?, work.scripts.of(&first.handler)?);
    let ahead = ahead(work, first);
    // A table that a loop registers may stand in another file than the loop.
    let tried = || {
        tools::insert(work.scripts, last, &handle.tools, false, &destroying(work, &work.handle.store.name), ahead).ok()
    };
    let in_table = first.body.is_some() && tried().is_some_and(|all| all.iter().all(|one| one.path == handled.path));
    let code = if first.entry.is_some() || in_table { handled } else { anchor_script };
    let (code, store) = of_new(work, code, first, &handle.names.create, creates)?;
    if creates {
        let told = match &first.entry {
            Some(entry) => work.scripts.at(entry)?,
            None => tools::description(work.scripts, first).map_or_else(|| work.scripts.at(&first.registration), Ok)?,
        };
        let later = is_read_later(work, told);
        let mut tool = creating(work, code, &store)?;
        let lifetime = tool.description.pop();
        if !later {
            tell_in_answer(&mut tool, &handle.names, &store);
        } else if first.entry.is_some() && told.script.path != code.path {
            // The list of tools stands in another file than what runs them.
            let there = store_expression(work, told.script, first)?;
            tool.description.extend(lifetime.map(|text| text.replace(&store, &there)));
        } else {
            tool.description.extend(lifetime);
        }
        work.edits.extend(tools::insert(work.scripts, first, &handle.tools, true, &tool, ahead)?);
    }
    let lists = if handle.owner { handle.names.list.clone() } else { None };
    if let Some(name) = &lists {
        let (_, store) = of_new(work, code, first, name, true)?;
        let tool = listing(&handle.names, name, &store, work.wait, stops(work));
        work.edits.extend(tools::insert(work.scripts, first, &handle.tools, true, &tool, ahead)?);
        work.features.list = true;
    }
    if destroys {
        let (_, store) = of_new(work, code, last, &handle.names.destroy, true)?;
        let tool = destroying(work, &store);
        work.edits.extend(tools::insert(work.scripts, last, &handle.tools, false, &tool, ahead)?);
    }
    for tool in handle.tools.iter().filter(|tool| !creates && tool.role == Role::Creates) {
        tell_lifetime(work, tool);
    }
    let ending = handle.tools.iter().filter(|tool| ending::always(work, tool));
    let said = tools::say_ends(work.scripts, ending, &handle.names, &handle.creating_tool());
    work.edits.extend(said);
    Ok(())
}

/// Lets the answer of a tool that creates values say how long they live, where its description is read before that is known.
fn tell_in_answer(tool: &mut NewTool, names: &Names, store: &str) {
    let one = capital(&names.one());
    tool.description.push(format!("{one} expires after a time without use, which the answer says."));
    tool.body.push(format!("const lifetime = `{one} ${{{store}.lifetime}}`;"));
    tool.text = format!("{}. ${{lifetime}}.", tool.text);
    tool.structured.push("lifetime".to_owned());
}

/// The file that has the code of a new tool, and how that code names the store. `code` is the file where others have none of their own.
fn of_new<'a>(
    work: &mut Work<'a>,
    code: &'a Script,
    beside: &ToolUse,
    name: &str,
    is_added: bool,
) -> Result<(&'a Script, String), Refused> {
    let own = tools::file_for(work.scripts, beside, name).filter(|_| is_added).unwrap_or(code);
    if is_added && work.handle.owner {
        work.owned_files.push(own.path.clone());
    }
    Ok((own, store_expression(work, own, beside)?))
}

/// Lets the description of a tool that creates values say when to call it, and how long they live, where that is known by the time it
/// is read.
fn tell_lifetime(work: &mut Work<'_>, tool: &ToolUse) {
    let names = &work.handle.names;
    let again = format!("Keep using its {}; call this again only for another {}.", names.argument, names.noun);
    let what = format!("{again} {}", capital(&names.one()));
    let description = tools::description(work.scripts, tool);
    if let Some(text) = description.filter(|code| code.node.kind() != "object") {
        spoken::replacement(&mut work.left, text, &tool.name, &names.noun);
    }
    let description = description.filter(|code| is_read_later(work, *code));
    let told = description.and_then(|code| Some((code, store_expression(work, code.script, tool).ok()?)));
    match told {
        Some((description, store)) => {
            let last = if stops(work) { "." } else { "" };
            let sentence = format!("{what} ${{{store}.lifetime}}{last}");
            work.edits.extend(tools::say_more(description, &sentence, Some(&work.handle.names.noun)));
        }
        None => work.notes.push(lifetime_note(&tool.name, names)),
    }
}

fn lifetime_note(tool: &str, names: &Names) -> String {
    format!("{tool}: its description should say how long {} lives", names.one())
}

/// Whether code runs after the store was made: within a function, or below it.
fn is_read_later(work: &Work<'_>, code: Code<'_>) -> bool {
    let made = &work.handle.store.made;
    if enclosing_function(code.node).is_some() {
        return true;
    }
    let made_before = match code.script.path == made.path {
        true => code.node.start_byte() > made.span.end as usize,
        // What is imported runs first, unless it imports in turn what waits for it.
        false => work.scripts.by_path(&made.path).is_some_and(|script| !imports_own_files(script)),
    };
    made_before && work.handle.store.place != Place::Field
}

/// Whether a file names others beside it: imports may go in a circle then.
fn imports_own_files(script: &Script) -> bool {
    ['\'', '"', '`']
        .iter()
        .any(|quote| [".", ".."].iter().any(|folder| script.text().contains(&format!("{quote}{folder}/"))))
}

/// The first access of a handler that dispatches: a new tool has to be run before.
fn ahead(work: &Work<'_>, tool: &ToolUse) -> Option<Span> {
    tool.entry.as_ref()?;
    let within = |span: Span| tool.handler.span.contains(span);
    let touches = work.handle.touches.iter().map(|touch| &touch.at);
    let calls = work.handle.carriers.iter().flat_map(|carrier| &carrier.calls).map(|call| &call.at);
    touches.chain(calls).filter(|at| at.path == tool.handler.path && within(at.span)).map(|at| at.span).min()
}

/// How the code beside a tool's registration names the store.
pub fn store_expression(work: &mut Work<'_>, script: &Script, tool: &ToolUse) -> Result<String, Refused> {
    let store = &work.handle.store;
    if let Some(injected) = &work.handle.injected {
        return Ok(format!("{}.{}", injected.expression, store.name));
    }
    if store.place == Place::Field {
        return field_expression(work, tool);
    }
    if script.path != store.declared.path {
        work.outward = true;
        return Ok(imported(work, script, &store.name));
    }
    Ok(store.name.clone())
}

/// How a file names a variable of the declaring module, which it imports.
pub fn imported(work: &mut Work<'_>, script: &Script, name: &str) -> String {
    let source = reach::specifier(script, &work.handle.store.declared.path);
    let own = &work.handle.names.variable;
    let own = own.strip_suffix("Id").unwrap_or(own);
    let others = [format!("{own}Store"), format!("{own}Handles")];
    let import = Import::value(script, source, name).apart(script, &others);
    let local = import.local(script);
    work.wanted.push(import);
    local
}

/// `this.canvases` where the tools are registered in the class itself, `manager.canvases` where they use an object of it.
fn field_expression(work: &mut Work<'_>, tool: &ToolUse) -> Result<String, Refused> {
    let handle = work.handle;
    let carrier = handle.carriers.iter().position(|carrier| carrier.function == tool.handler);
    let direct = handle.touches.iter().find(|touch| Some(touch.carrier) == carrier && !touch.companion);
    if let Some(touch) = direct {
        return Ok(work.scripts.of(&touch.receiver)?.slice(touch.receiver.span).to_owned());
    }
    let own = |index: usize| match handle.carriers[index].entry {
        Entry::Closure { within, .. } => Some(within) == carrier,
        _ => Some(index) == carrier,
    };
    let call = handle.carriers.iter().flat_map(|carrier| &carrier.calls).find(|call| own(call.within));
    let object = call.and_then(|call| {
        let (script, node) = work.scripts.expression(&call.at).ok()?;
        let object = node.child_by_field_name("function")?.child_by_field_name("object")?;
        Some(script.of(object).to_owned())
    });
    let Some(object) = object.filter(|object| object == "this" || !handle.store.name.starts_with('#')) else {
        return Err(work.scripts.at(&tool.registration)?.refuse(
            "the store is a field that the code around the tools can't reach",
            "give its class methods that create and destroy a value by handle, and tools that call them",
        ));
    };
    if let Some(interface) = interfaces::hiding(work, tool, &object)? {
        return Err(interface.refuse(
            format!("the tools know `{object}` by this type, which says nothing of the store in it"),
            "let it be the class itself there, and run again",
        ));
    }
    if object != "this" {
        work.outward = true;
    }
    let object = match object.strip_prefix("this.") {
        Some(field) => instances::field(work, tool, field)?,
        None => object,
    };
    Ok(format!("{object}.{}", handle.store.name))
}

fn creating(work: &mut Work<'_>, script: &Script, store: &str) -> Result<NewTool, Refused> {
    let names = &work.handle.names;
    if work.handle.registry {
        return Ok(opening(work, store));
    }
    let initial = chosen(work)?;
    let origin = work.scripts.by_path(&initial.path).ok_or_else(|| nothing(work))?;
    let node = origin.around(initial.span).ok_or_else(|| nothing(work))?;
    let node = std::iter::successors(Some(node), Node::parent)
        .take_while(|node| span(*node) == initial.span || initial.span.contains(span(*node)))
        .last()
        .unwrap_or(node);
    let constants = free(work, script, origin, node)?;
    let (value, parameters) = with_choices(work, origin, node);
    let wait = if work.wait { "await " } else { "" };
    let owner = if work.handle.owner { ", ownerOf({auth})" } else { "" };
    let mut body = Vec::new();
    declared(origin, &constants, &mut body);
    let lines: Vec<String> = unindented(origin, node, &value);
    let last = lines.len().saturating_sub(1);
    for (index, line) in lines.iter().enumerate() {
        let before =
            if index == 0 { format!("const {} = {wait}{store}.create(", names.argument) } else { String::new() };
        let after = if index == last { format!("{owner});") } else { String::new() };
        body.push(format!("{before}{line}{after}"));
    }
    beside(work, script, &mut body)?;
    Ok(NewTool {
        name: names.create.clone(),
        description: description(names, &needed_by(work, &work.handle.destroying_tool()), store, stops(work)),
        parameters,
        body,
        text: format!("Created {} ${{{}}}", names.noun, names.argument),
        structured: vec![names.argument.clone()],
        text_alone: false,
        lists: false,
    })
}

/// Constants that a value is made of, in front of it.
fn declared(script: &Script, constants: &[Node<'_>], body: &mut Vec<String>) {
    for constant in constants {
        let line = format!("const {};", unindented(script, *constant, script.of(*constant)).join("\n"));
        if !body.contains(&line) {
            body.push(line);
        }
    }
}

/// Who needs the handle, as the end of a sentence: by name, where all names are known.
fn needed_by(work: &Work<'_>, destroy: &str) -> String {
    let tools = &work.handle.tools;
    if tools.iter().any(|tool| tool.entry.is_none() && tools::serves_several(work.scripts, tool)) {
        return format!("the tools that work on {} need", work.handle.names.one());
    }
    users(&work.handle.names, tools.iter().map(|tool| tool.name.as_str()).collect(), destroy)
}

/// Whether the descriptions of the tools end with a full stop.
fn stops(work: &Work<'_>) -> bool {
    tools::with_stop(work.scripts, &work.handle.tools)
}

/// The tool that makes a handle which all else is kept by.
fn opening(work: &Work<'_>, store: &str) -> NewTool {
    let names = &work.handle.names;
    let wait = if work.wait { "await " } else { "" };
    NewTool {
        name: names.create.clone(),
        description: description(names, &needed_by(work, &names.destroy), store, stops(work)),
        parameters: Vec::new(),
        body: vec![format!("const {} = {wait}{store}.create(true);", names.argument)],
        text: format!("Created {} ${{{}}}", names.noun, names.argument),
        structured: vec![names.argument.clone()],
        text_alone: false,
        lists: false,
    }
}

/// What the model reads of a tool that creates a value.
pub fn description(names: &Names, users: &str, store: &str, stop: bool) -> Vec<String> {
    let last = if stop { "." } else { "" };
    vec![
        format!("Create {} and return its {}, which {users}.", names.one(), names.argument),
        format!("Keep using that {}; call this again only for another {}.", names.argument, names.noun),
        format!("{} ${{{store}.lifetime}}{last}", capital(&names.one())),
    ]
}

/// What is put beside the value, under its handle.
fn beside(work: &mut Work<'_>, script: &Script, body: &mut Vec<String>) -> Result<(), Refused> {
    for more in work.alongside.clone() {
        let key = work.handle.names.argument.clone();
        let name = match script.path == work.handle.store.declared.path {
            true => more.name.clone(),
            false => {
                let declaring = work.scripts.of(&work.handle.store.declared)?;
                reach::export(work, declaring, &more.name);
                imported(work, script, &more.name)
            }
        };
        let Some((path, span)) = more.value else {
            body.push(format!("{name}.add({key});"));
            continue;
        };
        let origin = work.scripts.open(&path)?;
        let node = origin.around(span).ok_or_else(|| nothing(work))?;
        let constants = free(work, script, origin, node)?;
        declared(origin, &constants, body);
        let value = unindented(origin, node, origin.of(node)).join("\n");
        body.push(match more.container {
            Container::Record => format!("{name}[{key}] = {value};"),
            Container::Map | Container::Set => format!("{name}.set({key}, {value});"),
        });
    }
    Ok(())
}

fn destroying(work: &Work<'_>, store: &str) -> NewTool {
    let handle = work.handle;
    drops(&handle.names, handle.creating_tool(), store, (work.wait, handle.owner), stops(work))
}

/// The tool that drops a value.
pub fn drops(names: &Names, source: String, store: &str, (wait, owner): (bool, bool), stop: bool) -> NewTool {
    let last = if stop { "." } else { "" };
    let wait = if wait { "await " } else { "" };
    let owner = if owner { ", ownerOf({auth})" } else { "" };
    let description = format!("{} returned by {source}", names.argument);
    NewTool {
        name: names.destroy.clone(),
        description: vec![format!("Discard {}{last}", names.one())],
        parameters: vec![Parameter { name: names.argument.clone(), kind: tools::Kind::Handle { description, source } }],
        body: vec![format!("{wait}{store}.destroy({}{owner});", names.argument)],
        text: format!("Destroyed ${{{}}}", names.argument),
        structured: Vec::new(),
        text_alone: false,
        lists: false,
    }
}

/// The tool that lists the handles of the caller: handles alone, since who owns them is nobody's business.
pub fn listing(names: &Names, name: &str, store: &str, wait: bool, stop: bool) -> NewTool {
    let last = if stop { "." } else { "" };
    let wait = if wait { "await " } else { "" };
    let ids = format!("{}s", names.argument);
    NewTool {
        name: name.to_owned(),
        description: vec![format!("List the {} of the calling user by {}{last}", plural(&names.noun), names.argument)],
        parameters: Vec::new(),
        body: vec![format!("const {ids} = ({wait}{store}.list(ownerOf({{auth}}))).map(({{ handle }}) => handle);")],
        text: format!("{ids}: ${{JSON.stringify({ids})}}"),
        structured: vec![ids],
        text_alone: false,
        lists: true,
    }
}

/// The tools that need the handle, as the end of a sentence.
pub fn users<'t>(handle: &Names, mut names: Vec<&'t str>, destroy: &'t str) -> String {
    if !names.contains(&destroy) {
        names.push(destroy);
    }
    match names.as_slice() {
        [only] => format!("{only} needs"),
        [rest @ .., last] if names.len() <= 5 => format!("{} and {last} need", rest.join(", ")),
        _ => format!("the tools that work on {} need", handle.one()),
    }
}

/// The value with the fields that a caller may choose, and these as parameters.
fn with_choices(work: &Work<'_>, script: &Script, node: Node<'_>) -> (String, Vec<Parameter>) {
    let mut text = script.of(node).to_owned();
    let mut parameters = Vec::new();
    if node.kind() != "object" {
        return (text, parameters);
    }
    let mut pairs = children(node);
    pairs.reverse();
    for pair in pairs {
        let (Some(key), Some(value)) = (pair.child_by_field_name("key"), pair.child_by_field_name("value")) else {
            continue;
        };
        let name = script.of(key);
        if value.kind() == "string" && work.handle.choices.iter().any(|choice| choice == name) {
            let range = pair.start_byte() - node.start_byte()..pair.end_byte() - node.start_byte();
            text.replace_range(range, name);
            parameters.push(Parameter { name: name.to_owned(), kind: tools::Kind::Text(script.of(value).to_owned()) });
        }
    }
    parameters.reverse();
    (text, parameters)
}

/// The lines of a value, each with one tab for each level below the first.
pub fn unindented(script: &Script, node: Node<'_>, text: &str) -> Vec<String> {
    let base = script.indentation(node);
    let unit = script.style.indent.text();
    text.lines()
        .enumerate()
        .map(|(index, line)| {
            if index == 0 {
                return line.to_owned();
            }
            let line = line.strip_prefix(base).unwrap_or_else(|| line.trim_start());
            let mut rest = line;
            let mut depth = 0;
            while let Some(inner) = rest.strip_prefix(unit.as_str()) {
                rest = inner;
                depth += 1;
            }
            format!("{}{rest}", "\t".repeat(depth))
        })
        .collect()
}
