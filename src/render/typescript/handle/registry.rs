//! Containers that stay as they are, keyed by a handle: the id gives way to the handle on its way to them, a store beside them knows
//! the handles, each tool asks it first, and what ran where a session ended runs where a handle does.

use tree_sitter::Node;

use super::edits::Edits;
use super::mode::is_async;
use super::work::Work;
use super::{
    begin, bounds, carried, checks, create, finish, finished_work, guarded, initial, injected, keys, shed, store,
};
use crate::plan::Site;
use crate::plan::handle::{Container, Entry, Handle};
use crate::render::typescript::in_flight::free_name;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, is_function, span, statement};
use crate::render::typescript::scripts::{Code, Scripts, declaration};
use crate::render::{Files, Refused, Rendered};

/// How many files are looked through for imports.
const IMPORTS: usize = 64;

/// Renders the migration of stores that stay. The store of handles stands beside them, or, where what ends them is only known
/// elsewhere, there: beside the tools, or beside the object that the code at the end of a session speaks of.
pub fn render(handle: &Handle, files: &dyn Files) -> Result<Rendered, Refused> {
    let apart = Handle { injected: None, ..handle.clone() };
    let refused = match beside(&apart, files) {
        Ok(rendered) => return Ok(rendered),
        Err(refused) => refused,
    };
    if !handle.companions.is_empty() {
        return Err(refused);
    }
    let others = elsewhere(handle, files).into_iter().filter(|site| site.path != handle.store.declared.path);
    let rendered = others.into_iter().find_map(|declared| {
        let mut moved = apart.clone();
        moved.store.declared = declared;
        beside(&moved, files).ok()
    });
    let within = || handle.injected.as_ref().and_then(|own| beside(&injected::moved(handle, own), files).ok());
    rendered.or_else(within).ok_or(refused)
}

/// Other places where the store of handles may stand: beside the tools, where they are in one file, and beside what the code at the
/// end of a session speaks of.
fn elsewhere(handle: &Handle, files: &dyn Files) -> Vec<Site> {
    let scripts = Scripts::new(files);
    let tools = handle.tools.first().map(|tool| tool.registration.clone());
    let together = |site: &Site| handle.tools.iter().all(|tool| tool.registration.path == site.path);
    let mut out: Vec<Site> = tools.into_iter().filter(together).collect();
    for end in &handle.ends {
        let Ok((script, node)) = scripts.expression(&end.at) else { continue };
        for name in initial::names_in(node) {
            let Some((path, name)) = scripts.source(script, script.of(name)) else { continue };
            let Some(home) = scripts.by_path(&path) else { continue };
            let root = home.tree.root_node();
            let place = declaration(Code { script: home, node: root }, &name);
            out.extend(place.map(|code| Site { path, span: span(code.node) }));
        }
    }
    // What the tools import must not import them, least of all the file that starts the server.
    out.retain(|site| together(site) || !imports_any(&scripts, &site.path, handle));
    out
}

/// Whether a file imports one that registers the tools, itself or through others.
fn imports_any(scripts: &Scripts<'_>, path: &str, handle: &Handle) -> bool {
    let mut left = vec![path.to_owned()];
    let mut seen: Vec<String> = Vec::new();
    while let Some(path) = left.pop() {
        let Some(script) = scripts.by_path(&path) else { return true };
        let statements = children(script.tree.root_node()).into_iter();
        let sources = statements.filter_map(|statement| statement.child_by_field_name("source"));
        let targets = sources.filter_map(|at| scripts.resolve(&path, script.of(at).trim_matches(['\'', '"', '`'])));
        for target in targets.filter(|target| !seen.contains(target)).collect::<Vec<_>>() {
            if handle.tools.iter().any(|tool| tool.registration.path == target) || seen.len() > IMPORTS {
                return true;
            }
            seen.push(target.clone());
            left.push(target);
        }
    }
    false
}

fn beside(handle: &Handle, files: &dyn Files) -> Result<Rendered, Refused> {
    let scripts = Scripts::new(files);
    let declaring = scripts.of(&handle.store.declared)?;
    let mut work = begin(handle, &scripts, declaring);
    work.waits = handle.carriers.iter().map(|carrier| matches!(carrier.entry, Entry::Handler(_))).collect();
    work.creating = vec![false; handle.carriers.len()];
    work.wait = handlers_wait(&work)?;
    work.features.wait = work.wait;
    work.features.close = !handle.companions.is_empty() || !handle.ends.is_empty();
    if handle.shared.is_some() {
        return Err(declaring.refuse(
            declaring.tree.root_node(),
            "the values stay in containers of this process, and no store that processes share would know them",
            "keep the values in such a store by hand",
        ));
    }
    keys::name(&mut work)?;
    let lines = ends(&mut work, declaring)?;
    sweeps(&mut work)?;
    touches(&mut work)?;
    keys::pass_on(&mut work)?;
    carried::put_in(&mut work)?;
    checks::no_timers(&work)?;
    shed::settle(&mut work)?;
    rest(&mut work)?;
    finish::clean(&mut work)?;
    finish::arguments(&mut work)?;
    create::missing(&mut work)?;
    checks::known(&mut work)?;
    if handle.store.declared.path == handle.store.made.path {
        bounds::take_over(&mut work)?;
    }
    declare(&mut work, declaring, &lines)?;
    finished_work(work, files, declaring)
}

/// Whether all tools can wait for an answer as they are.
fn handlers_wait(work: &Work<'_>) -> Result<bool, Refused> {
    for carrier in work.handle.carriers.iter().filter(|carrier| matches!(carrier.entry, Entry::Handler(_))) {
        let (script, function) = work.function(carrier)?;
        let inner = guarded::callback(script, function);
        if !is_async(script, function) || inner.is_some_and(|inner| !is_async(script, inner)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Puts the handle in the place of the id in all keys.
fn touches(work: &mut Work<'_>) -> Result<(), Refused> {
    for touch in &work.handle.touches {
        if !work.is_gone(&touch.key) {
            let (script, key) = work.scripts.expression(&touch.key)?;
            put(work, script, key, touch.carrier)?;
        }
    }
    Ok(())
}

/// Puts the handle in the place of the id in an expression.
pub fn put(work: &mut Work<'_>, script: &Script, node: Node<'_>, carrier: usize) -> Result<(), Refused> {
    let name = work.names[carrier].clone();
    if is_of_element(work, script, node, carrier) {
        return Ok(());
    }
    if is_id(work, script, node, carrier) && !is_put_together(script, node) {
        if node.kind() == "identifier"
            && let Some(value) = put_together_before(script, node)
        {
            return put(work, script, value, carrier);
        }
        let whole = node.parent().filter(|parent| parent.kind() == "non_null_expression").unwrap_or(node);
        if script.of(whole) != name && !work.edits.covers(&script.path, span(whole)) {
            let text = if node.kind() == "shorthand_property_identifier" {
                format!("{}: {name}", script.of(node))
            } else {
                name
            };
            work.edits.replace(script, span(whole), text);
        }
        return Ok(());
    }
    if is_function(node) {
        return Ok(());
    }
    children(node).into_iter().try_for_each(|child| put(work, script, child, carrier))
}

/// Whether an expression is a part of what a callback, or a variable, was handed: what is compared with the id, and not the id itself.
fn is_of_element(work: &Work<'_>, script: &Script, node: Node<'_>, carrier: usize) -> bool {
    if node.kind() != "member_expression" {
        return false;
    }
    let mut root = node;
    while let Some(object) = root.child_by_field_name("object") {
        root = object;
    }
    let own = work.function(&work.handle.carriers[carrier]).ok().map(|(_, own)| own);
    let binding = scope::binding(script, root, script.of(root));
    let parameter = binding.is_some() && binding == own;
    let context = scope::declaration(script, root, script.of(root)).and_then(|name| name.parent());
    let destructured =
        context.and_then(|own| own.child_by_field_name("value")).is_some_and(|value| value.kind() == "identifier");
    root.kind() == "identifier" && !parameter && !destructured && binding.is_some()
}

fn is_id(work: &Work<'_>, script: &Script, node: Node<'_>, carrier: usize) -> bool {
    work.handle.carriers[carrier].ids.iter().any(|site| site.path == script.path && site.span == span(node))
}

/// Whether an expression is put together, and not the id itself.
fn is_put_together(script: &Script, node: Node<'_>) -> bool {
    let node = bare(node);
    match node.kind() {
        "template_string" => true,
        "call_expression" => {
            node.child_by_field_name("arguments").map(children).unwrap_or_default().iter().any(|argument| {
                matches!(
                    argument.kind(),
                    "identifier" | "member_expression" | "non_null_expression" | "template_string"
                )
            }) && !is_handed_context(script, node)
        }
        "binary_expression" => node.child_by_field_name("operator").is_some_and(|sign| script.of(sign) == "+"),
        _ => false,
    }
}

/// `idOf(extra)`: it is handed what has the id.
fn is_handed_context(script: &Script, call: Node<'_>) -> bool {
    let arguments = call.child_by_field_name("arguments").map(children).unwrap_or_default();
    arguments.iter().all(|argument| {
        let name = script.of(bare(*argument)).rsplit('.').next().unwrap_or_default().to_lowercase();
        !name.contains("session") && !matches!(name.as_str(), "sid" | "id" | "key")
    })
}

/// What a variable that holds a key was put together from.
fn put_together_before<'t>(script: &'t Script, name: Node<'t>) -> Option<Node<'t>> {
    let declared = scope::declaration(script, name, script.of(name))?;
    let value = declared.parent()?.child_by_field_name("value")?;
    is_put_together(script, value).then_some(value)
}

/// The id in other places of the functions that have the handle: parts of values, arguments of other code.
fn rest(work: &mut Work<'_>) -> Result<(), Refused> {
    for index in 0..work.handle.carriers.len() {
        let carrier = &work.handle.carriers[index];
        if carrier.shared {
            continue;
        }
        let (script, function) = work.function(carrier)?;
        for id in carrier.ids.iter().filter(|id| id.path == script.path) {
            let Some(node) = script.around(id.span) else { continue };
            let parent = node.parent().unwrap_or(node);
            let value = matches!(parent.kind(), "pair" | "arguments" | "binary_expression" | "template_substitution")
                || node.kind() == "shorthand_property_identifier"
                || parent.kind() == "non_null_expression";
            let inside = enclosing_function(node) == Some(function) || !is_carried(work, node, script, index);
            if value && inside && !work.edits.covers(&script.path, id.span) && !is_asked(node) {
                put(work, script, node, index)?;
            }
        }
    }
    Ok(())
}

/// Whether a place belongs to another function that has the handle.
fn is_carried(work: &Work<'_>, node: Node<'_>, script: &Script, index: usize) -> bool {
    work.handle.carriers.iter().enumerate().any(|(other, carrier)| {
        other != index
            && carrier.function.path == script.path
            && carrier.function.span.contains(span(node))
            && work.handle.carriers[index].function.span.contains(carrier.function.span)
    })
}

/// Whether a condition asks for the id: such checks are taken away, or refused, as a whole.
fn is_asked(node: Node<'_>) -> bool {
    std::iter::successors(node.parent(), Node::parent)
        .take_while(|around| !is_function(*around) && !around.kind().ends_with("statement"))
        .any(|around| around.kind() == "unary_expression")
}

/// What ran where a session ended, as lines for the end of a handle.
fn ends(work: &mut Work<'_>, declaring: &Script) -> Result<Vec<String>, Refused> {
    let mut lines = Vec::new();
    for end in &work.handle.ends {
        let (script, node) = work.scripts.expression(&end.at)?;
        let (_, key) = work.scripts.expression(&end.key)?;
        let own = statement(node);
        let arrow =
            enclosing_function(node).filter(|function| function.child_by_field_name("body") == Some(outer(node)));
        let whole = match arrow {
            Some(_) => outer(node),
            None if own.kind() == "expression_statement" => own,
            _ => return Err(used(script, node)),
        };
        let text = script.of(whole);
        if text.contains('\n') {
            return Err(used(script, node));
        }
        if let Some(own) = &work.handle.injected {
            lines.push(injected::end(work, script, (whole, key), own)?);
            taken_out(work, script, whole, arrow.is_some());
            continue;
        }
        let (from, to) = (key.start_byte() - whole.start_byte(), key.end_byte() - whole.start_byte());
        for name in initial::names_in(whole).into_iter().filter(|name| !span(key).contains(span(*name))) {
            let known = initial::is_global(script.of(name)) || initial::is_own(script, whole, script.of(name));
            if !known && !is_same(work.scripts, declaring, script, script.of(name)) {
                return Err(script.refuse(
                    name,
                    format!("`{}` is needed where a handle ends, and is not known where its store is", script.of(name)),
                    "call a function of that file here which does it",
                ));
            }
        }
        let variable = &work.handle.names.variable;
        let line = format!("{}{variable}{}", &text[..from], &text[to..]);
        let line = if line.ends_with(';') { line } else { format!("{line};") };
        if !lines.contains(&line) {
            lines.push(line);
        }
        taken_out(work, script, whole, arrow.is_some());
    }
    lines.dedup();
    Ok(lines)
}

/// Takes out timers that dropped what was old: handles expire by themselves, and take what is kept under them along.
fn sweeps(work: &mut Work<'_>) -> Result<(), Refused> {
    for site in &work.handle.sweeps {
        let (script, node) = work.scripts.expression(site)?;
        let own = statement(node);
        let mut value = children(own).first().copied().map(bare);
        while let Some(call) = value.filter(|value| *value != bare(node)) {
            let function = call.child_by_field_name("function").filter(|_| call.kind() == "call_expression");
            value = function.and_then(|callee| callee.child_by_field_name("object")).map(bare);
        }
        if own.kind() != "expression_statement" || value.is_none() {
            return Err(script.refuse(
                node,
                "this timer drops what is old, and something else uses it",
                "take it out, since handles expire by themselves, and run again",
            ));
        }
        work.edits.cut(script, script.removal(own));
        let said = script.of(bare(node)).to_owned();
        work.notes.push(format!("`{said}` is gone: what is old expires with its handle"));
    }
    Ok(())
}

/// Takes out what ran where a session ended: a statement, or all that an arrow function does.
fn taken_out(work: &mut Work<'_>, script: &Script, whole: Node<'_>, arrow: bool) {
    if arrow {
        work.edits.replace(script, span(whole), "{}");
    } else {
        work.edits.cut(script, script.removal(whole));
        emptied(&mut work.edits, script, whole);
    }
}

/// Whether a name means the same thing in both files.
fn is_same(scripts: &Scripts<'_>, one: &Script, other: &Script, name: &str) -> bool {
    let source = scripts.source(one, name);
    source.is_some() && source == scripts.source(other, name)
}

/// With what waits for it around it.
fn outer(node: Node<'_>) -> Node<'_> {
    let mut outer = node;
    while let Some(parent) = outer.parent().filter(|parent| {
        matches!(parent.kind(), "await_expression" | "parenthesized_expression")
            || parent.kind() == "unary_expression" && parent.child(0).is_some_and(|sign| sign.kind() == "void")
    }) {
        outer = parent;
    }
    outer
}

fn used(script: &Script, node: Node<'_>) -> Refused {
    script.refuse(
        node,
        "what ends the state of a session is more than a statement of its own",
        "put it into a function that takes the id, and call that where a session ends",
    )
}

/// An `if` around what went is of no use any more.
fn emptied(edits: &mut Edits, script: &Script, node: Node<'_>) {
    let block = node.parent().filter(|block| block.kind() == "statement_block").unwrap_or(node);
    let Some(around) = block.parent().filter(|around| around.kind() == "if_statement") else { return };
    let empty = block == node || children(block).iter().all(|own| edits.covers(&script.path, span(*own)));
    if empty && around.child_by_field_name("alternative").is_none() {
        edits.cut(script, script.removal(around));
    }
}

/// What frees a value: what ran where a session ended, and what is dropped from the containers.
fn close(work: &mut Work<'_>, lines: &[String]) {
    let variable = work.handle.names.variable.clone();
    let mut body: Vec<String> = lines.to_vec();
    for companion in &work.handle.companions {
        body.push(match companion.container {
            Container::Map | Container::Set => format!("{}.delete({variable});", companion.name),
            Container::Record => format!("delete {}[{variable}];", companion.name),
        });
    }
    if !body.is_empty() {
        let waits = if body.iter().any(|line| line.contains("await ")) { "async " } else { "" };
        let block = body.join("\n\t\t");
        work.close = Some(format!("{waits}(_value, {variable}) => {{\n\t\t{block}\n\t}}"));
    }
}

/// Declares the store of handles before what it is about.
fn declare(work: &mut Work<'_>, script: &Script, lines: &[String]) -> Result<(), Refused> {
    close(work, lines);
    if work.handle.injected.is_some() {
        return injected::declare(work, script);
    }
    let name = work.handle.store.name.clone();
    let node = script.around(work.handle.store.declared.span).unwrap_or(script.tree.root_node());
    if free_name(script, &[&name]) != name {
        return Err(script.refuse(node, format!("`{name}` means something else in this file"), "rename it"));
    }
    let mut top = node;
    while let Some(parent) = top.parent().filter(|parent| parent.kind() != "program") {
        top = parent;
    }
    if top.kind() == "expression_statement" {
        return Err(script.refuse(top, "the tools are registered outside of any function", "register them in one"));
    }
    let options = store::registry_options(work, script);
    let (annotation, argument) = if script.typed() {
        (format!(": {}<true>", store::local(script, "HandleStore")), "<true>")
    } else {
        (String::new(), "")
    };
    let argument = if work.features.close { argument } else { "" };
    let export = if work.outward && !common(script) { "export " } else { "" };
    let class = store::local(script, "MemoryHandles");
    let end = if script.style.semicolons { ";" } else { "" };
    let newline = script.style.newline;
    let text =
        format!("{export}const {name}{annotation} = new {class}{argument}({}){end}", script.style.dress(&options));
    if work.outward && common(script) {
        return Err(script.refuse(
            node,
            "the tools are in another file than the state",
            "let that file export a store of handles",
        ));
    }
    let start = script.removal(top).start as usize;
    let start =
        if script.text()[start..].starts_with(['\n', '\r']) { script.line_start(top.start_byte()) } else { start };
    let above = script.text()[..start].trim_end_matches(' ');
    let apart = above.is_empty() || above.ends_with("\n\n") || above.ends_with("\r\n\r\n");
    let gap = if apart { "" } else { newline };
    work.edits.insert(script, start, format!("{gap}{text}{newline}{newline}"));
    Ok(())
}

fn common(script: &Script) -> bool {
    crate::render::typescript::imports::common_js(script) && !script.typed()
}
