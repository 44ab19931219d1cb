//! `dead-session-code`: session code that does nothing any more.

use super::finding::Severity;
use super::rule::{Docs, Example, Level, Rule};

/// The rule.
pub const RULE: Rule = Rule {
    name: "dead-session-code",
    severity: Severity::Warning,
    summary: "session code that does nothing any more",
    docs: Docs {
        finds: "Code that only had a meaning while sessions existed: callbacks that never fire \
            (`onsessioninitialized`, `onsessionclosed`), a read of `transport.sessionId` that is always empty, \
            the header's name in CORS lists, reapers over a map that is never filled, DELETE routes that end a \
            session, leftovers of a half migration.",
        why: "It misleads: people and agents who read it write more of it. A callback that never fires may also \
            have held clean-up that now never runs, which the finding says where it is so.",
        examples: &[Example {
            language: "TypeScript",
            bad: r#"
const transport = new StreamableHTTPServerTransport({
  sessionIdGenerator: undefined,
  onsessioninitialized: (id) => log.info({ id }, "session opened"),
});
app.use(cors({ exposedHeaders: ["Mcp-Session-Id"] }));
"#,
            good: r"
const transport = new StreamableHTTPServerTransport({
  sessionIdGenerator: undefined,
});
app.use(cors());
",
        }],
        migration: "The code goes, with the imports and helpers that only it used. Clean-up that hung on it moves to \
            where the state now ends: when a handle is destroyed or expires.",
        level: Level::Safe,
        safety: "No tool changes. It is a matter for review where a comment would go with the code, or where clean-up \
            has to move.",
        references: &[
            "SEP-2567: protocol sessions and the `Mcp-Session-Id` header are removed; state that spans calls is named by explicit handles",
        ],
    },
};
