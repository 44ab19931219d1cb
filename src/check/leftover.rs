//! From a comment that allows nothing to the step that takes it away.

use crate::model::facts::Span;
use crate::plan::allowance::Allowance;
use crate::plan::{Claim, Level, Site, Step, StepKind};
use crate::report::layout::plural;
use crate::rules::finding::FixHint;
use crate::rules::unused_allow;

/// What of a comment allows nothing.
pub struct Leftover<'a> {
    /// The file.
    pub path: &'a str,
    /// The comment.
    pub comment: Span,
    /// The line of its first name.
    pub line: u32,
    /// The rules of which it allows nothing, with the places of their names.
    pub names: Vec<(&'static str, Span)>,
    /// Nothing else stands in the comment.
    pub whole: bool,
}

/// The step that takes it away. Its line is part of its name: the next round may find the same words elsewhere.
pub fn step(leftover: Leftover<'_>) -> Step {
    let site = |span: Span| Site { path: leftover.path.to_owned(), span };
    let rules: Vec<&str> = leftover.names.iter().map(|(rule, _)| *rule).collect();
    let title = match leftover.whole {
        true => format!("Remove a comment that allows nothing of {}", rules.join(", ")),
        false => format!("Take {} out of a comment that allows nothing of it", named(&rules)),
    };
    let rule = unused_allow::RULE.name;
    Step {
        id: format!("{rule}:{}:{}#{}", leftover.path, leftover.line, rules.join("+")),
        rule,
        title,
        level: Level::Safe,
        requires: Vec::new(),
        claims: leftover.names.iter().map(|(_, span)| Claim { rule, at: site(*span) }).collect(),
        kind: StepKind::Allowance(Box::new(Allowance {
            comment: site(leftover.comment),
            names: match leftover.whole {
                true => Vec::new(),
                false => leftover.names.iter().map(|(_, span)| site(*span)).collect(),
            },
        })),
        notes: Vec::new(),
    }
}

fn named(rules: &[&str]) -> String {
    match rules {
        [only] => (*only).to_owned(),
        more => plural(more.len(), "rule"),
    }
}

/// What a finding says of the step.
pub fn hint(step: &Step) -> FixHint {
    FixHint { level: step.level.id(), title: step.title.clone(), step: Some(step.id.clone()) }
}
