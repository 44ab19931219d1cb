//! Clients of other servers that a session's handlers were given: each session has a way of its own to what lies behind.

use super::lifetime::{Finder, Held, Lasting};
use crate::model::flow::value::Value;
use crate::model::lives::Contexts;
use crate::model::program::{ExprRef, FuncRef};
use crate::model::query::Holder;
use crate::model::vocabulary::Role;

impl Finder<'_, '_> {
    /// A captured client that is opened where a session begins, and that the handlers of tools use.
    pub(super) fn captured_client(
        &self,
        holder: Holder,
        values: &[Value],
        uses: &[ExprRef],
        scope: FuncRef,
    ) -> Option<Lasting> {
        let opened = |value: &Value| match value {
            Value::Object(id) => self.flow.object(*id).role == Some(Role::Client) && self.lasts(*id),
            _ => false,
        };
        let of_session = self.context == Contexts::SESSION && !self.lives.contexts(scope).has(Contexts::PROCESS);
        (of_session && values.iter().any(opened) && self.is_reached_by_tools(uses)).then(|| Lasting {
            holder,
            held: Held::Variable,
            values: values.to_vec(),
            writers: uses.to_vec(),
            fills: Vec::new(),
            uses: uses.to_vec(),
            credential: false,
            switched: false,
            shared: false,
            scope,
        })
    }
}
