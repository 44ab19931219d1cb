//! The short form of the report, for a comment on a pull request: at most [`LINES`] lines.

use super::escape::code;
use super::{Cx, LIMIT, decisions, findings, fitted, plan, servers, verdict_line};
use crate::classify::answer::{Carrier, Category, Store};
use crate::report::fix::Fix;
use crate::report::layout::plural;
use crate::report::places::Base;
use crate::report::scan::Scan;
use crate::report::verdict::{self, as_sentence};
use crate::report::words;

/// The short form has no more lines.
pub const LINES: usize = 60;
/// Decisions that are listed.
const DECISIONS: usize = 12;
/// Stores of a decision that are named.
const FEW: usize = 5;
/// Stores that are listed where there is no plan.
const STORES: usize = 18;

/// Verdict, decisions, the plan, stores, what clients lose, counts.
pub fn render(scan: &Scan, fix: Option<&Fix>, base: &Base) -> String {
    let cx = Cx { scan, base };
    let title = scan.summary.category.map_or("none found".to_owned(), |c| format!("`{c}`"));
    let mut parts = vec![format!("### MCP sessions: {title}\n\n{}\n", verdict_line(scan))];
    parts.extend(to_decide(&cx));
    let plan = fix.and_then(plan::brief);
    // What the plan takes, the stores give.
    let room = STORES - plan.as_ref().map_or(0, |plan| plan.lines().count()).min(STORES - FEW);
    parts.extend(plan);
    parts.extend(kept(&cx, room));
    let losses = findings::loss_lines(&cx);
    if !losses.is_empty() {
        parts.push(format!("\n**What clients lose**\n\n{}", losses.concat()));
    }
    parts.push(last(&cx));
    let out = fitted(&parts, LIMIT);
    debug_assert!(out.lines().count() <= LINES);
    out
}

fn to_decide(cx: &Cx<'_>) -> Option<String> {
    let open = decisions::all(cx);
    if open.is_empty() {
        return None;
    }
    let mut out = "\n**To decide**\n\n".to_owned();
    for (i, decision) in open.iter().take(DECISIONS).enumerate() {
        let stores: Vec<String> =
            decision.stores.iter().take(FEW).map(|s| format!("{} ({})", code(&s.name), cx.at(&s.at))).collect();
        let more = match decision.stores.len().saturating_sub(FEW) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let todo = as_sentence(words::move_to(Carrier::Manual, decision.holds));
        out.push_str(&format!("{}. {}{more}: {}: {todo}\n", i + 1, stores.join(", "), words::holds(decision.holds)));
    }
    out.push_str(&more(open.len(), DECISIONS, "decision"));
    Some(out)
}

fn kept(cx: &Cx<'_>, room: usize) -> Option<String> {
    let mut stores: Vec<&Store> = cx.stores().map(|(_, store)| store).collect();
    // What goes away on its own is the first to be left out.
    stores.sort_by_key(|store| store.carrier == Carrier::Drop);
    if stores.is_empty() {
        return None;
    }
    let table = servers::table(cx, stores.iter().take(room).copied());
    Some(format!("\n**What is kept**\n\n{table}{}", more(stores.len(), room, "store")))
}

fn more(all: usize, shown: usize, noun: &str) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        n => format!("\n{} more: `mcp-migrate report` lists them.\n", plural(n, noun)),
    }
}

fn last(cx: &Cx<'_>) -> String {
    let counts = verdict::counts(cx.scan);
    let mut out = match (counts.is_empty(), cx.scan.summary.category) {
        (true, None) => return String::new(),
        (true, Some(Category::None)) => "\nNo findings; there is no session to take away here.".to_owned(),
        (true, Some(_)) => "\nNo findings.".to_owned(),
        (false, _) => format!(
            "\n{} in {}; `mcp-migrate scan` shows them with their code.",
            counts,
            plural(cx.scan.summary.servers, "server")
        ),
    };
    if !cx.scan.skipped.is_empty() {
        out.push_str(&format!(" {} not read.", plural(cx.scan.skipped.len(), "file")));
    }
    out.push('\n');
    out
}
