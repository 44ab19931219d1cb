//! From the whole answer of a scan to what a check reports: suppressions, per-path ignores, the baseline, and changed lines.
//!
//! Stands between `report` and `cli`: it takes an assembled scan and gives one back with fewer (or other) findings.

mod allow;
pub mod baseline;
mod bump;
pub mod changes;
pub mod config;
pub mod diff;
pub mod error;
mod git;
pub mod ignore;
mod leftover;
pub mod settle;
pub mod since;

pub use baseline::Baseline;
pub use changes::Changes;
pub use config::Config;
pub use error::CheckError;
pub use ignore::Ignore;
pub use settle::{Policy, Settled, settle};
pub use since::Since;

use crate::classify::answer::Place;
use crate::model::facts::Span;
use crate::report::layout::plural;
use crate::report::scan::Scan;
use crate::report::sources::DiskSources;
use crate::rules::finding::Finding;
use crate::workspace::{Family, Packages, Tree};

/// What a check needs to know beside the answer of the scan.
#[derive(Debug)]
pub struct Evidence {
    /// What was walked.
    pub tree: Tree,
    /// The packages there.
    pub packages: Packages,
    /// Comments that hold a directive, with the path of their file.
    pub comments: Vec<(String, Span)>,
}

/// What is checked.
#[derive(Debug, Default)]
pub struct Checks {
    /// What is looked for, and what settings take out.
    pub policy: Policy,
    /// Report only what changed since then.
    pub since: Option<Since>,
    /// Report only what is not known yet.
    pub baseline: Option<Baseline>,
    /// Put all findings into the baseline.
    pub write_baseline: bool,
}

/// A checked answer.
#[derive(Debug)]
pub struct Checked {
    /// The answer with the findings that count.
    pub scan: Scan,
    /// What was left out and why, for people.
    pub notes: Vec<String>,
}

/// Reduces an answer to what counts: comments that allow, settings by rule and path, the baseline, changed lines; in this order.
pub fn apply(mut scan: Scan, evidence: &Evidence, mut checks: Checks) -> Result<Checked, CheckError> {
    let mut notes = Vec::new();
    let findings = std::mem::take(&mut scan.findings);
    let policy = &checks.policy;
    let judged = |rule: &str| policy.judges(rule);
    let mut findings = settle(&scan, findings, evidence, policy).findings;
    if let Some(baseline) = &mut checks.baseline {
        let view = baseline::View {
            root: &scan.disk_root,
            sources: &DiskSources::new(scan.disk_root.clone()).with(evidence.tree.overlay.clone()),
            judged: &judged,
            scope: &policy.scope,
            scanned: &|path| evidence.tree.files.binary_search_by(|file| file.path.as_str().cmp(path)).is_ok(),
        };
        let absorbed = baseline.absorb(findings.clone(), &view);
        if checks.write_baseline {
            baseline.rewrite(&findings, &view)?;
            let total = plural(findings.len(), "finding");
            notes.push(format!("the baseline holds {total}: {} new, {} gone", absorbed.kept.len(), absorbed.gone));
            findings.clear();
        } else {
            findings = absorbed.kept;
            if absorbed.known > 0 {
                notes.push(format!("{} known from the baseline", plural(absorbed.known as usize, "finding")));
            }
            if absorbed.gone > 0 {
                let gone = plural(absorbed.gone as usize, "finding");
                notes.push(format!("{gone} of the baseline gone; --write-baseline takes such entries out"));
            }
        }
    }
    if let Some(since) = &checks.since {
        let changes = since.changes(&concerned(&findings, evidence))?;
        findings = changed(&scan, evidence, &changes, findings, &mut notes);
    }
    Ok(Checked { scan: scan.with_findings(findings), notes })
}

/// The files whose changes can make findings count: those that they are about, and what says which SDK a package has.
fn concerned<'a>(findings: &'a [Finding], evidence: &'a Evidence) -> Vec<&'a str> {
    if findings.is_empty() {
        return Vec::new();
    }
    let places = findings.iter().flat_map(|finding| {
        let related = finding.related.iter().map(|related| related.at.path.as_str());
        let more = finding.more.iter().map(|place| place.path.as_str());
        related.chain(more).chain([finding.path.as_str()])
    });
    places.chain(evidence.tree.manifests.iter().map(|manifest| manifest.path.as_str())).collect()
}

/// The findings that changes brought about.
fn changed(
    scan: &Scan,
    evidence: &Evidence,
    changes: &Changes,
    findings: Vec<Finding>,
    notes: &mut Vec<String>,
) -> Vec<Finding> {
    let before = findings.len();
    let (bumps, unknown) = bump::find(evidence, changes);
    notes.extend(bumps.iter().map(bump::Bump::words));
    notes.extend(unknown.iter().map(|path| format!("how {path} changed can't be told from the diff")));
    if !changes.unstaged.is_empty() {
        let files = plural(changes.unstaged.len(), "file");
        notes.push(format!("{files} with changes that are not staged: what is scanned is the working tree"));
    }
    let family = |finding: &Finding| {
        let server =
            scan.servers.iter().find(|server| server.path == finding.server && speaks(server.language, &finding.path));
        match server.map(|server| server.language) {
            Some("python") => Family::Python,
            Some("rust") => Family::Rust,
            _ => Family::Js,
        }
    };
    let at = |place: &Place| changes.touches(&place.path, place.line, place.line);
    let counts = |finding: &Finding| {
        let last = if finding.end.column == 1 { finding.end.line.saturating_sub(1) } else { finding.end.line };
        changes.touches(&finding.path, finding.start.line, last.max(finding.start.line))
            || finding.related.iter().any(|related| at(&related.at))
            || finding.more.iter().any(at)
            || bumps.iter().any(|bump| bump.counts(finding, family(finding)))
    };
    let findings: Vec<Finding> = findings.into_iter().filter(counts).collect();
    let left = before - findings.len();
    if left > 0 {
        notes.push(format!("{} on lines that did not change", plural(left, "finding")));
    }
    findings
}

/// Whether a file is written in the language of a server.
fn speaks(language: &str, path: &str) -> bool {
    match crate::workspace::names::language_of(path).map(Family::of) {
        Some(Family::Python) => language == "python",
        Some(Family::Rust) => language == "rust",
        _ => language != "python" && language != "rust",
    }
}

/// A short hash that is the same on every machine and in every release (FNV-1a).
fn hash(parts: &[&str]) -> String {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash =
        bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{hash:016x}")
}
