//! The renderers, over one answer that shows everything.

mod formats;
mod gold;
mod json;
mod markdown;
mod rules;
mod sample;
mod sarif_schema;
mod text;
