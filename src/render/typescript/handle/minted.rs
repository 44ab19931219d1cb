//! Creation further down: a helper puts the value in, so the tool makes the handle first and hands it on.

use tree_sitter::Node;

use super::beginnings;
use super::create::{put_in, store_expression};
use super::mode::is_async;
use super::work::Work;
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::{CallSite, Entry, Kind, Touch};
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, span, statement};
use crate::render::typescript::tools;

/// Which carriers only run where a value is created.
pub fn creating(work: &Work<'_>) -> Vec<bool> {
    let carriers = &work.handle.carriers;
    let mut out: Vec<bool> = carriers.iter().map(|carrier| work.creates(carrier)).collect();
    for _ in 0..carriers.len() {
        for (index, carrier) in carriers.iter().enumerate() {
            out[index] = match &carrier.entry {
                Entry::Handler(_) => out[index],
                Entry::Closure { within, .. } => out[*within] || work.is_beginning(*within, carrier.function.span),
                _ => {
                    let creates = |call: &CallSite| out[call.within] || work.is_beginning(call.within, call.at.span);
                    !carrier.calls.is_empty() && carrier.calls.iter().all(creates)
                }
            };
        }
    }
    out
}

/// The first statement that needs the handle: an object that it is put into is made before the helper is called.
fn first_needed<'t>(work: &Work<'_>, index: usize, script: &'t Script, calling: Node<'t>) -> Result<Node<'t>, Refused> {
    let own = |within: usize, at: &Site| within == index && at.path == script.path;
    let put = work.handle.carried.iter().filter(|one| own(one.within, &one.at)).map(|one| &one.at);
    let calls = work.handle.carriers.iter().flat_map(|carrier| &carrier.calls);
    let handed = calls.filter(|call| call.argument.is_some() && own(call.within, &call.at)).map(|call| &call.at);
    // Of a handler that serves other tools as well, only what runs for this one.
    let part = work.beginnings[index].iter().find(|part| part.contains(span(calling)));
    let runs = |site: &&Site| part.is_none_or(|part| part.contains(site.span));
    let mut first = calling;
    for site in put.chain(handed).filter(|site| site.span.start < calling.start_byte() as u32).filter(runs) {
        let Some(node) = script.around(site.span) else { continue };
        let needs = statement(node);
        if needs.parent() != calling.parent() {
            return Err(script.refuse(
                node,
                "the id is needed here, before the value is created",
                "make what needs it where the value is created",
            ));
        }
        if needs.start_byte() < first.start_byte() {
            first = needs;
        }
    }
    Ok(first)
}

/// Lets tools make the handle for the helpers that put the value in, and answer it.
pub fn settle(work: &mut Work<'_>) -> Result<(), Refused> {
    let mut minting: Vec<(usize, Site)> = Vec::new();
    for index in 0..work.handle.carriers.len() {
        let carrier = &work.handle.carriers[index];
        let writes: Vec<_> =
            work.touches(index).filter(|touch| touch.kind == Kind::Write && !work.is_gone(&touch.at)).collect();
        if writes.is_empty() || work.creates(carrier) {
            continue;
        }
        if !work.creating[index] {
            let for_creators = carrier.calls.iter().any(|call| work.creates_at(call.within, call.at.span));
            if let Some(touch) = writes.first().filter(|_| for_creators) {
                let (script, node) = work.scripts.expression(&touch.at)?;
                return Err(script.refuse(
                    node,
                    "tools that create a value and tools that use one put it in by the same function",
                    "give the tools that create it a function of their own for that",
                ));
            }
            continue;
        }
        match carrier.entry {
            Entry::Closure { .. } => {
                for touch in writes {
                    put_in(work, index, touch)?;
                }
            }
            _ if answers_itself(work, index)? => {
                work.makers.push(index);
                put_in(work, index, writes[0])?;
            }
            _ => roots(work, index, &mut minting),
        }
    }
    minting.sort();
    minting.dedup_by_key(|(index, _)| *index);
    for (index, call) in minting {
        mint(work, index, &call)?;
    }
    Ok(())
}

/// Whether what a helper that puts the value in answers is the answer of all its callers: `case 'open': return open(args)`. It makes
/// the handle itself then, and nobody hands it one.
fn answers_itself(work: &Work<'_>, helper: usize) -> Result<bool, Refused> {
    let carrier = &work.handle.carriers[helper];
    let own = matches!(carrier.entry, Entry::New | Entry::Parameter { whole: true, .. });
    let hands_on = || work.handle.carriers.iter().flat_map(|other| &other.calls).any(|call| call.within == helper);
    let writes = work.touches(helper).filter(|touch| touch.kind == Kind::Write).count();
    if !own || work.handle.owner || writes != 1 || hands_on() || !carrier.handed.is_empty() {
        return Ok(false);
    }
    for call in &carrier.calls {
        let (_, node) = work.scripts.expression(&call.at)?;
        let (_, function) = work.function(&work.handle.carriers[call.within])?;
        let whole = std::iter::successors(Some(node), Node::parent).find(|node| {
            node.parent().is_none_or(|parent| bare(parent) == parent || parent.kind() == "return_statement")
        });
        let answered = whole.and_then(|whole| whole.parent()).is_some_and(|parent| {
            parent.kind() == "return_statement" && enclosing_function(parent) == Some(function) || parent == function
        });
        if !answered || !matches!(work.handle.carriers[call.within].entry, Entry::Handler(_)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The calls, in tools and in callbacks within them, that lead to a helper.
fn roots(work: &Work<'_>, helper: usize, out: &mut Vec<(usize, Site)>) {
    let mut pending = vec![helper];
    let mut seen = Vec::new();
    while let Some(index) = pending.pop() {
        if seen.contains(&index) {
            continue;
        }
        seen.push(index);
        for call in &work.handle.carriers[index].calls {
            match work.handle.carriers[call.within].entry {
                Entry::Handler(_) | Entry::Closure { .. } => out.push((call.within, call.at.clone())),
                _ => pending.push(call.within),
            }
        }
    }
}

/// A statement that makes the handle, before the one that first needs it; and the handle in the answers.
fn mint(work: &mut Work<'_>, index: usize, call: &Site) -> Result<(), Refused> {
    let handle = work.handle;
    let carrier = &handle.carriers[index];
    let (script, function) = work.function(carrier)?;
    let (_, node) = work.scripts.expression(call)?;
    if enclosing_function(node) != Some(function) {
        return Err(script.refuse(
            node,
            "the value is created in a callback here, and its id is needed outside of that",
            "create it in the tool itself",
        ));
    }
    let root = match carrier.entry {
        Entry::Closure { within, .. } => within,
        _ => index,
    };
    let tool = handle.tools.iter().find(|tool| tool.handler == handle.carriers[root].function);
    let tool =
        tool.ok_or_else(|| script.refuse(function, "the tool that creates the value was not found", "run again"))?;
    let store = store_expression(work, script, tool)?;
    let name = handle.names.argument.clone();
    let end = if script.style.semicolons { ";" } else { "" };
    let text = format!("const {name} = {store}.mint(){end}");
    work.features.put = true;
    let Some(body) = function.child_by_field_name("body") else { return Ok(()) };
    let newline = script.style.newline;
    if body.kind() == "statement_block" {
        let own = first_needed(work, index, script, statement(node))?;
        let indent = beginnings::indentation(script, own);
        beginnings::embrace(work, script, own);
        work.edits.insert(script, own.start_byte(), format!("{text}{newline}{indent}"));
    } else {
        let (inner, outer) = (script.indentation(function), script.style.indent.text());
        let open = format!("{{{newline}{inner}{outer}{text}{newline}{inner}{outer}return ");
        work.edits.insert(script, body.start_byte(), open);
    }
    let scope = beginnings::scope(work, index, script, node).unwrap_or(function);
    // What is answered before there is a handle does not tell it.
    let behind = match body.kind() {
        "statement_block" => statement(node).start_byte(),
        _ => body.start_byte().saturating_sub(1),
    };
    let answers = match &carrier.entry {
        Entry::Closure { given, .. } if is_text(work, given)? => {
            tools::append_to_texts(script, function, node.start_byte(), &name)?
        }
        Entry::Handler(_) if answers_text(work, index)? => {
            tools::append_to_texts(script, function, node.start_byte(), &name)?
        }
        _ => tools::append_to_answers(work.scripts, script, scope, behind, &name)?,
    };
    work.edits.extend(answers);
    if body.kind() != "statement_block" {
        let inner = script.indentation(function);
        work.edits.insert(script, body.end_byte(), format!("{end}{newline}{inner}}}"));
    }
    Ok(())
}

/// Whether what a tool's own function answers is the text of its answer.
pub fn answers_text(work: &Work<'_>, index: usize) -> Result<bool, Refused> {
    let function = &work.handle.carriers[index].function;
    let own = work.handle.tools.iter().find(|tool| tool.handler == *function).and_then(|tool| tool.body.as_ref());
    own.map_or(Ok(false), |body| is_text(work, &body.calls))
}

/// Whether what a callback answers is the text of the tool's answer: `{ type: 'text', text: body(…) }`.
pub fn is_text(work: &Work<'_>, given: &[Site]) -> Result<bool, Refused> {
    for call in given {
        let (script, node) = work.scripts.expression(call)?;
        let mut outer = node;
        while let Some(parent) = outer.parent().filter(|parent| {
            matches!(
                parent.kind(),
                "await_expression" | "parenthesized_expression" | "template_substitution" | "template_string"
            )
        }) {
            outer = parent;
        }
        let named = outer.parent().filter(|parent| parent.kind() == "pair");
        let text = named.and_then(|pair| pair.child_by_field_name("key")).is_some_and(|key| script.of(key) == "text");
        if !text && !is_kept_as_text(script, outer) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// `const text = await body(…)`, for an answer further down.
fn is_kept_as_text(script: &Script, value: Node<'_>) -> bool {
    value
        .parent()
        .filter(|parent| parent.kind() == "variable_declarator")
        .is_some_and(|declarator| declarator.child_by_field_name("name").is_some_and(|name| script.of(name) == "text"))
}

/// What creates a value drops an older one first: there is none under a new handle.
pub fn without_older_ones(work: &mut Work<'_>) -> Result<(), Refused> {
    for index in 0..work.handle.carriers.len() {
        let older = |touch: &&Touch| touch.kind == Kind::Delete && work.creates_at(index, touch.at.span);
        let deletes: Vec<_> = work.touches(index).filter(older).collect();
        for touch in deletes {
            let (script, node) = work.scripts.expression(&touch.at)?;
            let own = statement(node);
            if work.is_gone(&touch.at) || children(own).first().copied().map(bare) != Some(whole(node)) {
                continue;
            }
            work.edits.cut(script, script.removal(own));
        }
    }
    Ok(())
}

fn whole(node: Node<'_>) -> Node<'_> {
    node.parent().filter(|parent| parent.kind() == "unary_expression").unwrap_or(node)
}

/// Whether callbacks which the handle passes through can wait: only those that do already, for nothing tells what their caller makes
/// of a promise.
pub fn callbacks_wait(work: &Work<'_>) -> Result<bool, Refused> {
    for (index, carrier) in work.handle.carriers.iter().enumerate() {
        let handed = match &carrier.entry {
            Entry::Closure { .. } => true,
            Entry::Handler(tools) => tools.iter().any(|tool| work.handle.tools[*tool].body.is_some()),
            _ => false,
        };
        if handed && work.waits[index] {
            let (script, function) = work.function(carrier)?;
            if !is_async(script, function) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Where in a function a value was put in, so that what follows has its id.
pub fn known_before(work: &Work<'_>, carrier: usize, at: Span) -> bool {
    work.handle.carriers[carrier].calls.iter().any(|_| work.creating[carrier])
        || work.touches(carrier).any(|touch| touch.kind == Kind::Write && touch.at.span.end <= at.start)
}
