//! The language-neutral facts of a server, and the flow engine over them. Knows no language and no rule.

pub mod facts;
pub mod name;
