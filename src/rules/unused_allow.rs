//! `unused-allow`: a suppression comment that allows nothing, or that can't be taken at its word.

use super::detect::{Context, Detection};
use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};

/// The rule. Its findings come from the stage that applies suppressions, once all other findings are known.
pub const RULE: Rule = Rule {
    name: "unused-allow",
    severity: Severity::Warning,
    summary: "a suppression comment that allows nothing, gives no reason, or names no rule",
    detect,
    docs: Docs {
        finds: "Comments of the form `mcp-migrate-allow: rule-name -- reason` that have no effect: the rule finds nothing \
            on their line or on the line of code after them, the reason is missing, or there is no rule of that name.\n\n\
            A comment behind code speaks of its own line; one on a line of its own, of the next line of code. Only \
            comments count, never strings.",
        why: "A suppression that no longer suppresses hides the next finding on that line from everybody. One without \
            a reason tells those who come after nothing, and it is not obeyed.",
        examples: &[
            Example {
                language: "TypeScript",
                bad: "// mcp-migrate-allow: session-keyed-telemetry\nlog.info({ session: extra.sessionId }, 'called');",
                good: "// mcp-migrate-allow: session-keyed-telemetry -- the log is for 2025 clients only\n\
                    log.info({ session: extra.sessionId }, 'called');",
            },
            Example {
                language: "Python",
                bad: "total = 0  # mcp-migrate-allow: session-keyed-state -- goes with the next release",
                good: "total = 0",
            },
        ],
        migration: "Take the comment away, or correct it: a rule that exists, two hyphens, and the reason.",
        level: Level::Safe,
        safety: "`fix` takes away a comment, or a name in its list, that is well formed and allows nothing. One without a \
            reason or with a rule that does not exist may be a slip of the pen: that, and a comment that goes on over \
            several lines, is left to a person.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; what is allowed to stay needs a reason",
        ],
    },
};

fn detect(_: &Context<'_, '_>) -> Vec<Detection> {
    Vec::new()
}
