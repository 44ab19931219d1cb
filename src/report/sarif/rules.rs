//! The rules and the kinds of notification, as SARIF describes them.

use super::level;
use super::model::{Configuration, Descriptor, Rule, RuleProperties, Text};
use crate::report::explain;
use crate::report::scan::SkipReason;
use crate::report::style::Style;
use crate::report::verdict::as_sentence;
use crate::rules;
use crate::rules::finding::Severity;

/// Descriptions are read up to this length.
const LONGEST: usize = 1024;

/// Every rule, also those that found nothing: results name them by their place in this list.
pub fn all() -> Vec<Rule> {
    rules::ALL.iter().map(|rule| descriptor(rule)).collect()
}

/// The place of a rule in [`all`].
pub fn index(name: &str) -> usize {
    rules::ALL.iter().position(|rule| rule.name == name).unwrap_or_default()
}

fn descriptor(rule: &rules::Rule) -> Rule {
    let docs = &rule.docs;
    let style = Style { width: 100, ..Style::plain(true) };
    Rule {
        id: rule.name,
        short_description: Text::plain(shortened(&as_sentence(rule.summary))),
        full_description: Text::plain(shortened(docs.finds)),
        help: Text { text: explain::render(rule, style), markdown: Some(explain::markdown(rule)) },
        default_configuration: Configuration { level: level(rule.severity) },
        properties: RuleProperties {
            tags: vec!["mcp", "sep-2567", "migration", docs.level.id()],
            severity: match rule.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Note => "recommendation",
            },
        },
    }
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some(_) => {
            let end = text.char_indices().nth(LONGEST - 1).map_or(text.len(), |(at, _)| at);
            format!("{}\u{2026}", text[..end].trim_end())
        }
    }
}

/// The reasons for which a file was not read.
pub fn notifications() -> Vec<Descriptor> {
    let reasons = SkipReason::ALL.iter();
    reasons
        .map(|reason| Descriptor { id: reason.id(), short_description: Text::plain(as_sentence(reason.words())) })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_keep_to_the_limit() {
        assert_eq!(shortened("short"), "short");
        let long = shortened(&"\u{e9}".repeat(2000));
        assert_eq!(long.chars().count(), LONGEST);
        assert!(all().iter().all(|rule| rule.full_description.text.chars().count() <= LONGEST));
    }

    #[test]
    fn no_tag_moves_results_to_the_lane_of_vulnerabilities() {
        assert!(all().iter().all(|rule| !rule.properties.tags.contains(&"security")));
    }
}
