//! The migration report: decisions first, then what fix does, what is kept, what clients lose, and the findings.

mod brief;
mod decisions;
mod escape;
mod findings;
mod plan;
mod servers;

use super::fix::Fix;
use super::layout::plural;
use super::places::Base;
use super::scan::{Scan, Tool};
use super::verdict;
use crate::classify::answer::{Place, Server, Store};
use crate::classify::words::capital;
use crate::rules::finding::Finding;
use escape::{code, prose};

pub use brief::render as brief;

/// A comment on GitHub holds so many characters.
pub const LIMIT: usize = 65_536;

/// The whole report, shortened to [`LIMIT`] where it is longer.
///
/// `fix`: what fix would do, where that was thought out.
pub fn render(scan: &Scan, fix: Option<&Fix>, base: &Base) -> String {
    let cx = Cx { scan, base };
    let mut parts = vec![Part::plain(head(&cx))];
    parts.extend(decisions::render(&cx).into_iter().map(Part::plain));
    parts.extend(fix.into_iter().flat_map(|fix| plan::render(&cx, fix)));
    let rest = servers::render(&cx)
        .into_iter()
        .chain(findings::losses(&cx))
        .chain(findings::by_rule(&cx))
        .chain(findings::not_read(&cx))
        .chain([foot()]);
    parts.extend(rest.map(Part::plain));
    fitted(&slim(parts, LIMIT), LIMIT)
}

/// A part of the report.
struct Part {
    text: String,
    /// The first to go where there is no room; it can be had elsewhere.
    tail: String,
    /// What is said then.
    instead: &'static str,
}

impl Part {
    /// A part that stays whole.
    fn plain(text: String) -> Self {
        Self { text, tail: String::new(), instead: "" }
    }

    /// Puts a text before it.
    fn lead(&mut self, text: &str) {
        self.text.insert_str(0, text);
    }
}

/// Takes tails off until the parts fit, the longest first.
fn slim(mut parts: Vec<Part>, limit: usize) -> Vec<String> {
    let length = |text: &str| text.chars().count();
    let all: usize = parts.iter().map(|part| length(&part.text) + length(&part.tail)).sum();
    let mut over = all.saturating_sub(limit);
    while over > 0
        && let Some(part) =
            parts.iter_mut().filter(|part| !part.instead.is_empty()).max_by_key(|part| length(&part.tail))
    {
        let saved = length(&part.tail).saturating_sub(length(part.instead));
        part.tail = std::mem::take(&mut part.instead).to_owned();
        over = over.saturating_sub(saved);
    }
    parts.into_iter().map(|part| part.text + &part.tail).collect()
}

/// What every part is made from.
struct Cx<'a> {
    scan: &'a Scan,
    base: &'a Base,
}

impl<'a> Cx<'a> {
    /// `path:line` as a code span.
    fn at(&self, place: &Place) -> String {
        self.line(&place.path, place.line)
    }

    fn line(&self, path: &str, line: u32) -> String {
        code(&format!("{}:{line}", self.base.path(path)))
    }

    /// A `path:line` of the answer as a code span.
    fn spot(&self, spot: &str) -> String {
        code(&self.base.path(spot))
    }

    fn spots(&self, spots: &[String]) -> String {
        let spots: Vec<String> = spots.iter().map(|spot| self.spot(spot)).collect();
        if spots.is_empty() { "\u{2013}".to_owned() } else { spots.join(", ") }
    }

    /// Findings of a rule, in the order of the scan.
    fn of_rule(&self, rule: &str) -> Vec<&'a Finding> {
        self.scan.findings.iter().filter(|f| f.rule == rule).collect()
    }

    /// The finding that lists where a store is reached.
    fn about(&self, store: &Store) -> Option<&'a Finding> {
        let here = |f: &&Finding| {
            (f.path.as_str(), f.start.line, f.start.column) == (store.at.path.as_str(), store.at.line, store.at.column)
        };
        self.scan.findings.iter().filter(here).max_by_key(|f| f.related.len())
    }

    /// A sentence that says where a store is reached and what happens there, with a blank before it; empty if that is not known.
    fn reached(&self, store: &Store) -> String {
        let related = self.about(store).map(|f| f.related.as_slice()).unwrap_or_default();
        let places: Vec<String> = related
            .iter()
            .map(|related| {
                format!("{} ({})", self.at(&related.at), prose(related.message.replacen(" here", "", 1).trim()))
            })
            .collect();
        if places.is_empty() { String::new() } else { format!(" Reached at {}.", places.join(", ")) }
    }

    /// Every store with its server.
    fn stores(&self) -> impl Iterator<Item = (&'a Server, &'a Store)> {
        self.scan.servers.iter().flat_map(|server| server.stores.iter().map(move |store| (server, store)))
    }
}

fn head(cx: &Cx<'_>) -> String {
    let scan = cx.scan;
    let counts = verdict::counts(scan);
    let found = if counts.is_empty() { "no findings".to_owned() } else { counts };
    let mut out = format!("# Protocol sessions and revision {}\n\n{}\n\n", scan.spec, verdict_line(scan));
    if scan.summary.servers > 0 || !scan.findings.is_empty() {
        out.push_str(&format!(
            "{} in {}; {} looked at.",
            capital(&found),
            plural(scan.summary.servers, "server"),
            plural(scan.summary.files.walked as usize, "file")
        ));
        if !scan.skipped.is_empty() {
            out.push_str(" Some could not be read; they stand at the end.");
        }
        out.push('\n');
    }
    out
}

/// The verdict with its category set off.
fn verdict_line(scan: &Scan) -> String {
    let verdict = verdict::sentence(scan);
    match scan.summary.category {
        Some(category) => verdict.replacen(category.id(), &format!("**`{category}`**"), 1),
        None => verdict,
    }
}

fn foot() -> String {
    format!(
        "\n---\n\nRead from the source by {} {}; nothing was run and nothing was changed. `mcp-migrate explain RULE` tells \
         what a rule finds and why.\n",
        Tool::THIS.name,
        Tool::THIS.version
    )
}

/// Joins the parts. Where they are too long, whole parts from the end give way to a note.
fn fitted(parts: &[String], limit: usize) -> String {
    let length = |text: &str| text.chars().count();
    if parts.iter().map(|part| length(part)).sum::<usize>() <= limit {
        return parts.concat();
    }
    let note = |left: usize| {
        format!(
            "\n> Shortened to {limit} characters: {} left out. `mcp-migrate scan` shows everything.\n",
            plural(left, "part")
        )
    };
    let room = limit - length(&note(parts.len()));
    let mut out = String::new();
    let mut used = 0;
    let mut kept = 0;
    for part in parts {
        if used + length(part) > room {
            break;
        }
        out.push_str(part);
        used += length(part);
        kept += 1;
    }
    if kept == 0 {
        // The first part alone is too long.
        let end = parts[0].char_indices().nth(room).map_or(parts[0].len(), |(at, _)| at);
        let cut = &parts[0][..end];
        out.push_str(&cut[..cut.rfind('\n').map_or(cut.len(), |at| at + 1)]);
    }
    out.push_str(&note(parts.len() - kept));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn diffs_go_first_and_the_longest_of_them() {
        let part = |letter: &str, tail: usize| Part { text: letter.to_owned(), tail: "+".repeat(tail), instead: "-" };
        let parts = || vec![Part::plain("a".repeat(50)), part("b", 40), part("c", 100)];
        assert_eq!(slim(parts(), 1000)[2].len(), 101);
        let short = slim(parts(), 100);
        assert_eq!((short[0].len(), short[1].len(), short[2].as_str()), (50, 41, "c-"));
        let shorter = slim(parts(), 55);
        assert_eq!((shorter[1].as_str(), shorter[2].as_str()), ("b-", "c-"));
    }

    #[test]
    fn shortened_at_a_part_with_a_note() {
        let parts: Vec<String> = (0..100).map(|i| format!("{i} {}\n", "\u{e9}".repeat(50))).collect();
        assert_eq!(fitted(&parts, 100_000), parts.concat());
        let short = fitted(&parts, 1000);
        assert!(short.chars().count() <= 1000);
        assert!(short.contains("Shortened to 1000 characters: ") && short.starts_with("0 \u{e9}"), "{short}");
        let one = fitted(&["x\n".repeat(5000)], 1000);
        assert!(one.chars().count() <= 1000 && one.contains("1 part left out"), "{one}");
    }
}
