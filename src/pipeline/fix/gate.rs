//! The syntax gate's judge: the front ends, which know what they did not understand.

use std::ops::Range;

use crate::edit::Syntax;
use crate::lower;
use crate::workspace::names;

/// Judges texts with the front end of their language.
pub struct Gate;

impl Syntax for Gate {
    fn errors(&self, path: &str, text: &str) -> Result<Vec<Range<usize>>, String> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let Some(language) = names::language_of(name) else { return Ok(Vec::new()) };
        let module = lower::lower(path, language, text).map_err(|error| error.to_string())?;
        Ok(module.errors.iter().map(|span| span.start as usize..span.end as usize).collect())
    }
}
