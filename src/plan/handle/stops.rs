//! What stops a store on its way to handles once its keys were followed.

use super::carriers::{Followed, Problem};
use crate::classify::access::Kind;
use crate::classify::stores::Found;
use crate::plan::{Site, site};
use crate::rules::detect::{Context, Spot};

/// Why there is no tool to give a handle to: none is known to use the store, or the id comes to it in a way of its own.
pub(super) fn unreached(context: &Context<'_, '_>, found: &Found, followed: &Followed) -> Problem {
    let declared = site(context, Spot { module: found.holder.module, span: found.holder.span });
    let names: Vec<&str> = found.tools.iter().map(|tool| tool.text()).collect();
    let (first, more) = names.split_at(names.len().min(3));
    if first.is_empty() {
        return Problem {
            at: declared,
            why: "no tool was seen to reach it".to_owned(),
            todo: "if tools use it through a table of tools, a context of the request or a library, hand them the id as an argument, and \
                   run again; else it goes together with the sessions"
                .to_owned(),
        };
    }
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    Problem {
        at: followed.outside.iter().find(|outside| !outside.direct).map_or(declared, |outside| outside.at.clone()),
        why: format!("tools use it ({}{more}), and the id does not come to it from their calls", first.join(", ")),
        todo: "let these tools hand their id on to it as an argument, and run again".to_owned(),
    }
}

/// Where a function drops a value and gets it again, which makes it anew where it is made when it is first used.
pub(super) fn made_anew(followed: &Followed) -> Option<Site> {
    let ours =
        |carrier: usize| followed.touches.iter().filter(move |touch| touch.carrier == carrier && !touch.companion);
    let makes = |carrier: usize| {
        let has = |kind: Kind| ours(carrier).any(|touch| touch.kind == kind);
        has(Kind::GetOrCreate) || has(Kind::Read) && has(Kind::Write)
    };
    let dropped = followed.touches.iter().filter(|touch| touch.kind == Kind::Delete && !touch.companion);
    dropped
        .filter(|dropped| {
            let behind = |at: &Site| at.path == dropped.at.path && at.span.start > dropped.at.span.start;
            let again = ours(dropped.carrier).any(|touch| touch.kind == Kind::GetOrCreate && behind(&touch.at));
            let calls = followed.carriers.iter().enumerate().filter(|(index, _)| makes(*index));
            again
                || calls
                    .flat_map(|(_, carrier)| &carrier.calls)
                    .any(|call| call.within == dropped.carrier && behind(&call.at))
        })
        .map(|dropped| dropped.at.clone())
        .next()
}
