//! The table must not grow for ever: entries that have expired go. An entry has expired where the code that uses it would begin a new
//! one in its place, so that dropping it changes no answer.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::outside::sweep;
use super::told::{self, Told};
use super::{TODO, Work, function};
use crate::plan::handle::Kind;
use crate::render::Refused;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, children, span, statement};

/// When an entry has expired.
struct Expiry {
    /// What the code calls the entry.
    entry: String,
    /// The condition.
    condition: String,
    /// The statement that tells the time for it, as written.
    clock: Option<String>,
}

/// Adds a sweep, unless there is one. `cleaned`: entries went with their sessions so far.
pub fn bound(work: &mut Work<'_>, name: &str, cleaned: bool) -> Result<(), Refused> {
    if is_swept(work)? {
        return Ok(());
    }
    let made = work.scripts.at(&work.plan.made)?;
    let Some(expiry) = expiry(work)? else {
        match told::by(work)? {
            Told::Logged => {
                anew(work, made.script, statement(made.node), name);
                return Ok(());
            }
            // Nothing took them away so far, and nothing asks for them.
            Told::Nowhere if !cleaned => return Ok(()),
            _ => {}
        }
        let why = match cleaned {
            true => "counts ended with their session, and nothing says when those of an address end",
            false => "these counts are never set back: an address would keep them for ever",
        };
        let todo = "give an entry a time at which it begins anew (`resetAt`), and run this again";
        return Err(made.refuse(why, todo));
    };
    let script = made.script;
    let clock = expiry.clock.map(|clock| format!("\t{clock}\n")).unwrap_or_default();
    let text = format!(
        "\n\nsetInterval(() => {{\n{clock}\tfor (const [address, {entry}] of {name}) {{\n\t\tif ({condition}) {name}.delete(address);\n\t}}\n}}, 60_000).unref();",
        entry = expiry.entry,
        condition = expiry.condition,
    );
    let declaration = statement(made.node);
    work.edits.insert(script, declaration.end_byte(), script.style.dress(&text));
    Ok(())
}

/// Lets counts that only log lines tell begin anew each day.
fn anew(work: &mut Work<'_>, script: &Script, declaration: Node<'_>, name: &str) {
    let text = format!(
        "\n\n// Only log lines tell these counts: they begin anew each day, so that addresses do not pile up.\n\
         setInterval(() => {name}.clear(), 24 * 60 * 60 * 1000).unref();"
    );
    work.edits.insert(script, declaration.end_byte(), script.style.dress(&text));
}

/// Whether the code drops what has expired, or all from time to time.
fn is_swept(work: &Work<'_>) -> Result<bool, Refused> {
    let mut swept = false;
    for site in &work.plan.loose {
        let (script, node) = work.scripts.expression(site)?;
        let parent = node.parent();
        let member = parent.filter(|parent| parent.kind() == "member_expression");
        let method = member.and_then(|member| member.child_by_field_name("property")).map(|name| script.of(name));
        let around = member.and_then(|member| member.parent()).unwrap_or(node);
        if method == Some("clear") || sweep(script, around, &work.plan.name).is_some_and(|around| drops(script, around))
        {
            swept = true;
            continue;
        }
        let loops = parent.filter(|parent| parent.kind() == "for_in_statement" && drops(script, *parent));
        let each = (method == Some("forEach")).then(|| member.and_then(|member| member.parent())).flatten();
        if loops.is_some() || each.is_some_and(|call| drops(script, call)) {
            swept = true;
        } else if !matches!(method, Some("size" | "delete"))
            && !matches!(method, Some("entries" | "keys") if swept_over(script, node))
        {
            return Err(script.refuse(node, "the counts are used here as a whole", TODO));
        } else if matches!(method, Some("entries" | "keys")) {
            swept = true;
        }
    }
    Ok(swept)
}

/// Whether a loop over `table.entries()` drops entries.
fn swept_over(script: &Script, node: Node<'_>) -> bool {
    let around = std::iter::successors(node.parent(), Node::parent).find(|node| node.kind() == "for_in_statement");
    around.is_some_and(|around| drops(script, around))
}

fn drops(script: &Script, around: Node<'_>) -> bool {
    script.of(around).contains(".delete(")
}

/// When an entry has expired, by a read of the table: `if (!bucket || bucket.resetAt < now) table.set(…)`.
fn expiry(work: &Work<'_>) -> Result<Option<Expiry>, Refused> {
    let reads = work.plan.touches.iter().filter(|touch| touch.kind == Kind::Read);
    for read in reads {
        let (script, node) = work.scripts.expression(&read.at)?;
        let (_, function) = function(work, &work.plan.carriers[read.carrier].function)?;
        if let Some(found) = by_condition(work, script, function, node) {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn by_condition(work: &Work<'_>, script: &Script, function: Node<'_>, read: Node<'_>) -> Option<Expiry> {
    let declarator = read.parent().filter(|parent| parent.kind() == "variable_declarator")?;
    let entry = declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier")?;
    for used in scope::uses(script, entry) {
        let branch = std::iter::successors(used.parent(), Node::parent).find(|node| node.kind() == "if_statement")?;
        let condition = children(branch.child_by_field_name("condition")?).first().copied()?;
        let (left, right) = (condition.child_by_field_name("left"), condition.child_by_field_name("right"));
        let either = condition.child_by_field_name("operator").is_some_and(|operator| script.of(operator) == "||");
        let (Some(left), Some(right), true) = (left, right, either) else { continue };
        let absent = script.of(left) == format!("!{}", script.of(entry))
            || script.of(left) == format!("{} === undefined", script.of(entry));
        let then = branch.child_by_field_name("consequence")?;
        let anew = work.plan.touches.iter().any(|touch| {
            touch.kind == Kind::Write && touch.at.path == script.path && span(then).contains(touch.at.span)
        });
        if !absent || !anew {
            continue;
        }
        let clock = clock(script, function, right, script.of(entry))?;
        return Some(Expiry { entry: script.of(entry).to_owned(), condition: script.of(right).to_owned(), clock });
    }
    None
}

/// The statement that tells the time for a condition. Nothing where the condition depends on more than that, the entry, and what the
/// file itself declares.
fn clock(script: &Script, function: Node<'_>, condition: Node<'_>, entry: &str) -> Option<Option<String>> {
    let mut names: FxHashSet<&str> = FxHashSet::default();
    let mut found = None;
    let mut stack = vec![condition];
    let root = script.tree.root_node();
    let mut timed = false;
    while let Some(node) = stack.pop() {
        stack.extend(children(node));
        if node.kind() == "call_expression" {
            if script.of(node) != "Date.now()" {
                return None;
            }
            timed = true;
        }
        if node.kind() != "identifier" || !names.insert(script.of(node)) {
            continue;
        }
        let name = script.of(node);
        if name == entry || name == "Date" {
            continue;
        }
        let binding = scope::binding(script, node, name);
        if binding == Some(root) {
            continue;
        }
        let declared = scope::declaration(script, node, name)?;
        let declarator = declared.parent().filter(|parent| parent.kind() == "variable_declarator")?;
        let value = declarator.child_by_field_name("value")?;
        if script.of(value) != "Date.now()" || !span(function).contains(span(declarator)) || found.is_some() {
            return None;
        }
        timed = true;
        found = Some(format!("const {name} = Date.now();"));
    }
    timed.then_some(found)
}
