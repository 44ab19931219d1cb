//! The language-neutral facts of a server, and the flow engine over them. Knows no language and no rule.

pub mod demand;
pub mod facts;
pub mod flow;
mod lasting;
mod lifespans;
pub mod lives;
pub mod modes;
mod module;
pub mod name;
pub mod program;
pub mod query;
pub mod reach;
mod requests;
mod sorts;
mod stdio;
mod transports;
pub mod vocabulary;
