//! An independent parser as a judge of what was written.

use std::path::Path;

use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::SourceType;

/// Fails where a text is no valid code.
pub fn assert_parses(path: &str, text: &str) {
    let allocator = Allocator::default();
    let kind = SourceType::from_path(Path::new(path)).expect("a known extension");
    let parsed = Parser::new(&allocator, text, kind).parse();
    let errors: Vec<String> = parsed.diagnostics.iter().map(ToString::to_string).collect();
    assert!(errors.is_empty() && !parsed.panicked, "{path}: {errors:?}\n{text}");
}
