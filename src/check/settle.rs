//! What a repository has settled: findings that comments allow, or that its settings turn off or ignore, each with the reason.

use std::path::PathBuf;

use super::{Evidence, Ignore, allow};
use crate::plan::Step;
use crate::report::scan::Scan;
use crate::rules::Rule;
use crate::rules::finding::{Finding, Severity};

/// What is looked for, and what was settled by settings.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// Rules that were asked for; empty means all.
    pub rules: Vec<&'static str>,
    /// Rules that are turned off (`None`) or have another severity.
    pub severities: Vec<(&'static Rule, Option<Severity>)>,
    /// Findings that are not reported, by path.
    pub ignores: Vec<Ignore>,
    /// The files and folders that were asked for, as canonical paths.
    pub scope: Vec<PathBuf>,
}

impl Policy {
    /// Whether findings of a rule are looked for.
    pub fn judges(&self, rule: &str) -> bool {
        self.asks_for(rule) && !self.turns_off(rule)
    }

    fn asks_for(&self, rule: &str) -> bool {
        self.rules.is_empty() || self.rules.contains(&rule)
    }

    /// Who named a rule on the command line wants to hear of it.
    fn turns_off(&self, rule: &str) -> bool {
        self.rules.is_empty()
            && self.severities.iter().any(|(known, severity)| known.name == rule && severity.is_none())
    }
}

/// Findings, sorted out.
#[derive(Debug, Default)]
pub struct Settled {
    /// Those that count.
    pub findings: Vec<Finding>,
    /// Those that stay as they are by decision, and why.
    pub left: Vec<(Finding, String)>,
    /// What takes comments away that allow nothing.
    pub steps: Vec<Step>,
}

impl Settled {
    /// Why all that a step would take away stays by decision; `None` where something of it counts.
    pub fn spares(&self, step: &str) -> Option<&str> {
        if self.findings.iter().any(|finding| is_answered(finding, step)) {
            return None;
        }
        self.left_of(step).next().map(|(_, reason)| reason.as_str())
    }

    /// What stays by decision of all that a step would take away.
    pub fn left_of(&self, step: &str) -> impl Iterator<Item = &(Finding, String)> {
        self.left.iter().filter(move |(finding, _)| is_answered(finding, step))
    }
}

/// Whether a finding is answered by a step.
fn is_answered(finding: &Finding, step: &str) -> bool {
    finding.fix.as_ref().is_some_and(|fix| fix.step.as_deref() == Some(step))
}

/// Sorts the findings of a scan by comments that allow, and by settings for rules and paths; in this order.
pub fn settle(scan: &Scan, findings: Vec<Finding>, evidence: &Evidence, policy: &Policy) -> Settled {
    // One file alone does not show what others make of it.
    let whole = policy.scope.iter().all(|path| path.is_dir());
    let heard = allow::apply(scan, evidence, findings, &|rule| whole && policy.judges(rule.name));
    let because = |(finding, reason)| (finding, format!("a comment allows it: {reason}"));
    let mut out = Settled { left: heard.allowed.into_iter().map(because).collect(), ..Settled::default() };
    for mut finding in heard.kept {
        let setting = policy.severities.iter().find(|(rule, _)| rule.name == finding.rule);
        if let Some(severity) = setting.and_then(|(_, severity)| *severity) {
            finding.severity = severity;
        }
        if !policy.asks_for(finding.rule) {
            continue;
        }
        let file = scan.disk_root.join(&finding.path);
        let ignore = policy.ignores.iter().find(|ignore| ignore.holds(&file, finding.rule));
        match ignore {
            _ if policy.turns_off(finding.rule) => {
                let reason = format!("the settings turn `{}` off", finding.rule);
                out.left.push((finding, reason));
            }
            Some(ignore) => out.left.push((finding, format!("the settings ignore it there: {}", ignore.reason))),
            None => out.findings.push(finding),
        }
    }
    let counts = |step: &Step| out.findings.iter().any(|finding| is_answered(finding, &step.id));
    out.steps = heard.steps.into_iter().filter(counts).collect();
    out
}
