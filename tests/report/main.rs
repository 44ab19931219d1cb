//! The renderers, over one answer that shows everything.

mod json;
mod rules;
mod sample;
mod text;
