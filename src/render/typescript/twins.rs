//! What is told where a package serves without sessions in another place already.

use crate::plan::Site;
use crate::render::{Change, Files};

/// Names the places that serve without sessions already and that the changes leave as they are. `own` is what joins them.
pub fn note(twins: &[Site], own: &Site, files: &dyn Files, changes: &[Change]) -> Option<String> {
    let left = |twin: &&Site| {
        let mut of_file = changes.iter().filter(|change| change.path == twin.path);
        !of_file.any(|change| change.span.contains(twin.span))
    };
    let places: Vec<String> = twins.iter().filter(left).filter_map(|twin| place(twin, files)).collect();
    if places.is_empty() {
        return None;
    }
    let own = place(own, files)?;
    let serve = if places.len() == 1 { "serves" } else { "serve" };
    Some(format!(
        "{} {serve} without sessions already, and {own} does the same now: keep one of them, and look after the scripts, images, \
         settings and documents that name the other or tell the two apart.",
        places.join(", ")
    ))
}

/// `src/server.ts:12`.
fn place(site: &Site, files: &dyn Files) -> Option<String> {
    let source = files.text(&site.path)?;
    let before = source.text.get(..site.span.start as usize)?;
    Some(format!("{}:{}", site.path, before.matches('\n').count() + 1))
}
