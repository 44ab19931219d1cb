//! What servers capture that an entry point builds for each request: one tool leaves it for another, which never finds it.

use rustc_hash::FxHashSet;

use super::answer::Holds;
use super::lifetime::Finder;
use super::stores::{Analysis, Found};
use crate::model::flow::Root;
use crate::model::lives::Contexts;

/// Adds it to the stores, where no session leads to it as well. What one tool alone uses may be meant for its one call.
pub(super) fn add(analysis: &Analysis<'_>, out: &mut Vec<Found>) {
    if !analysis.flow.roots.values().any(|roots| roots.contains(&Root::RequestFactory)) {
        return;
    }
    let owned = FxHashSet::default();
    let finder = Finder {
        flow: &analysis.flow,
        lives: &analysis.lives,
        mutations: &analysis.mutations,
        context: Contexts::REQUEST,
        owned: &owned,
    };
    let built = finder.find().into_iter();
    for lasting in built.filter(|lasting| analysis.lives.built_per_request(&analysis.flow, lasting.scope)) {
        let found = analysis.lasting_store(&lasting);
        let known = out.iter().any(|known| known.objects.iter().any(|object| found.objects.contains(object)));
        if !known && found.holds == Holds::AppState && found.tools.len() > 1 {
            out.push(found);
        }
    }
}
