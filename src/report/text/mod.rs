//! The scan for people: the verdict first, then each server, the findings with their code, what was not read, and a summary.

mod findings;
mod server;
mod skipped;

use super::describe;
use super::layout::{plural, wrap};
use super::scan::Scan;
use super::sources::Sources;
use super::style::Style;
use super::verdict;
use crate::classify::answer::{Carrier, Category, Server, Store};
use crate::rules::finding::{Finding, Severity};

/// How much to tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Detail {
    /// The verdict and the summary.
    Brief,
    /// Everything that asks for a decision.
    #[default]
    Normal,
    /// Everything, also what was skipped, file by file.
    Full,
}

/// Renders the scan.
pub fn render(scan: &Scan, sources: &dyn Sources, style: Style, detail: Detail) -> String {
    let mut out = String::new();
    verdict(&mut out, scan, style);
    if detail > Detail::Brief {
        servers(&mut out, scan, style, detail);
        findings::render(&mut out, scan, sources, style);
        skipped::render(&mut out, scan, style, detail);
    }
    out.push('\n');
    summary(&mut out, scan, style);
    out
}

/// Servers that need no word of their own share one line, unless there is only one or everything was asked for.
fn servers(out: &mut String, scan: &Scan, style: Style, detail: Detail) {
    let speaks_of = |path: &str| scan.findings.iter().any(|f| f.server == path);
    let (quiet, loud): (Vec<&Server>, Vec<&Server>) = scan
        .servers
        .iter()
        .partition(|s| detail < Detail::Full && scan.servers.len() > 1 && describe::is_quiet(s) && !speaks_of(&s.path));
    for server in loud {
        server::render(out, server, style);
    }
    if !quiet.is_empty() {
        server::render_quiet(out, &quiet, style);
    }
}

fn verdict(out: &mut String, scan: &Scan, style: Style) {
    // The id is painted after wrapping, so that the escape codes take no room.
    let mut plain = String::new();
    wrap(&mut plain, style, "", "", &verdict::sentence(scan));
    match scan.summary.category {
        Some(category) => out.push_str(&plain.replacen(category.id(), &style.bold(category.id()), 1)),
        None => out.push_str(&plain),
    }
}

fn summary(out: &mut String, scan: &Scan, style: Style) {
    let counts = verdict::counts(scan);
    let places = plural(scan.summary.servers, "server");
    let head = match (counts.is_empty(), scan.summary.servers) {
        (true, 0) => "Nothing to report.".to_owned(),
        (true, _) => format!("No findings in {places}."),
        (false, 0) => format!("{}.", counts),
        (false, _) => format!("{} in {places}.", counts),
    };
    let mut plain = String::new();
    wrap(&mut plain, style, "", "", &format!("{head} {}", next(scan)));
    // Painted after wrapping, as the verdict is.
    let painted = scan.worst().map_or_else(|| style.bold(&head), |s| style.severity(s, &head));
    out.push_str(&plain.replacen(&head, &painted, 1));
}

/// The one thing to do next.
fn next(scan: &Scan) -> String {
    let Some(worst) = scan.worst() else {
        return match scan.summary.category {
            None if scan.unsupported.is_empty() => String::new(),
            None => "What is written in a language that is not supported yet was not looked at.".to_owned(),
            Some(Category::None) => "Next: nothing; there is no session to take away here.".to_owned(),
            Some(_) => String::new(),
        };
    };
    let decide: Vec<&Store> =
        scan.servers.iter().flat_map(|s| &s.stores).filter(|s| s.carrier == Carrier::Manual).collect();
    let about = |f: &&Finding| match decide.first() {
        Some(store) => f.path == store.at.path && f.start.line == store.at.line,
        None => false,
    };
    let first = scan.findings.iter().find(about);
    let first = first.or_else(|| scan.findings.iter().find(|f| f.severity == worst));
    let explain = first.map_or_else(String::new, |f| format!("`mcp-migrate explain {}`", f.rule));
    if worst == Severity::Note {
        format!("Next: nothing that can't wait; {explain} tells more.")
    } else if let [one] = decide[..] {
        format!("Next: decide where `{}` belongs; {explain} shows the choices.", one.name)
    } else if !decide.is_empty() {
        format!(
            "Next: decide where {} stores belong (\"you decide\" above); {explain} shows the choices.",
            decide.len()
        )
    } else if matches!(scan.summary.category, Some(Category::AppState)) {
        format!("Next: look through the carriers proposed above; {explain} shows the migration.")
    } else {
        format!("Next: {explain} shows the migration.")
    }
}
