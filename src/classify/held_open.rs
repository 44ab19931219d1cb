//! What a session holds open: a browser, a remote shell, a client of another server. No call is seen to change it, and yet it is state.

use super::lifetime::Finder;
use crate::model::flow::value::Value;
use crate::model::lives::Contexts;
use crate::model::program::ExprRef;
use crate::model::vocabulary::Role;

impl Finder<'_, '_> {
    /// Whether something that is held open is made where a session begins, and kept with it.
    pub(super) fn is_held_open(&self, values: &[Value]) -> bool {
        self.context == Contexts::SESSION
            && values.iter().any(|value| match value {
                Value::Object(id) => self.lasts(*id) && self.flow.holds_role(*id, &[Role::Live], 3),
                _ => false,
            })
    }

    /// Where calls open a client of another server that a place of the session keeps. Where the SDK is handed the factory, that place is
    /// known to be the session's.
    pub(super) fn opened_upstreams(&self, values: &[Value], fills: &[ExprRef]) -> Vec<ExprRef> {
        let objects = || {
            values.iter().filter_map(|value| match value {
                Value::Object(id) => Some(*id),
                _ => None,
            })
        };
        let client = objects().any(|id| self.flow.object(id).role == Some(Role::Client));
        if self.context != Contexts::SESSION || !client || self.is_shared_cell(values) {
            return Vec::new();
        }
        let cells = objects().filter(|id| self.flow.object(*id).role == Some(Role::Cell) && self.lasts(*id));
        let changed = cells.flat_map(|id| self.mutations.objects.get(&id).into_iter().flatten());
        let explicit = |at: &ExprRef| self.flow.program.tables(at.module).traits.explicit_factories;
        fills.iter().chain(changed).copied().filter(explicit).collect()
    }
}
