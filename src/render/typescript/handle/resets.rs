//! A tool that empties what the next use makes anew leaves the handle as it is: a new value takes the old one's place.

use super::create::unindented;
use super::initial::{chosen, free, nothing};
use super::work::Work;
use crate::plan::handle::{Entry, Kind, Role, Touch};
use crate::render::Refused;

/// Whether an access drops a value for nothing but tools that empty it.
pub fn is_reset(work: &Work<'_>, touch: &Touch) -> bool {
    if touch.kind != Kind::Delete || touch.companion || work.handle.shared.is_some() {
        return false;
    }
    let mut open = vec![touch.carrier];
    let mut seen = Vec::new();
    let mut roles = Vec::new();
    while let Some(index) = open.pop() {
        if seen.contains(&index) {
            continue;
        }
        seen.push(index);
        let carrier = &work.handle.carriers[index];
        match &carrier.entry {
            Entry::Handler(tools) => roles.extend(tools.iter().map(|tool| work.handle.tools[*tool].role)),
            Entry::Closure { within, .. } => open.push(*within),
            // A timer that dropped what was old is gone.
            _ => open.extend(carrier.calls.iter().filter(|call| !work.is_gone(&call.at)).map(|call| call.within)),
        }
    }
    !roles.is_empty() && roles.iter().all(|role| *role == Role::Resets)
}

/// Puts the new values in.
pub fn settle(work: &mut Work<'_>) -> Result<(), Refused> {
    for (path, at) in std::mem::take(&mut work.resets) {
        let script = work.scripts.open(&path)?;
        let initial = chosen(work)?;
        let origin = work.scripts.by_path(&initial.path).ok_or_else(|| nothing(work))?;
        let node = origin.node(initial.span).or_else(|| origin.around(initial.span)).ok_or_else(|| nothing(work))?;
        free(work, script, origin, node)?;
        let value = unindented(origin, node, origin.slice(initial.span)).join("\n");
        work.edits.insert(script, at, format!(", {}", script.style.dress(&value)));
        work.features.reset = true;
    }
    Ok(())
}
