//! The edit engine: texts, groups, rounds, patches that git takes, the guard, and writing.

mod guard;
mod overlay;
mod patches;
mod rounds;
mod support;
mod texts;
mod writing;
