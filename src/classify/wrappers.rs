//! What changes within something else: a wrapper of a client, a cache. It is no state of its own.

use rustc_hash::FxHashSet;

use super::lifetime::{Finder, Lasting};
use super::words;
use crate::model::facts::ExprKind;
use crate::model::flow::value::{ObjId, Value};
use crate::model::program::{At, ExprRef};

impl Finder<'_, '_> {
    /// What only wraps a client that was built from a credential has nothing of its own: what changes is within the client.
    pub(super) fn drop_wrappers(&self, found: &mut Vec<Lasting>) {
        let objects = |lasting: &Lasting| -> Vec<ObjId> {
            let of = |value: &Value| match value {
                Value::Object(id) => Some(*id),
                _ => None,
            };
            lasting.values.iter().filter_map(of).collect()
        };
        let clients: FxHashSet<ObjId> = found.iter().filter(|lasting| lasting.credential).flat_map(objects).collect();
        if clients.is_empty() {
            return;
        }
        found.retain(|lasting| {
            let own = objects(lasting);
            lasting.credential
                || lasting.switched
                || !lasting.fills.is_empty()
                || own.is_empty()
                || own.iter().any(|id| !self.changes(*id, 3, false, &mut clients.clone()).is_empty())
        });
    }

    /// Whether an object is one of a class that is called a cache, and keeps nothing that a call chose or minted: without it, what
    /// it holds is fetched again.
    pub(super) fn is_cache(&self, id: ObjId) -> bool {
        let class = self.flow.object(id).class.and_then(|class| self.flow.program.class(class).name);
        if !class.is_some_and(|name| words::is_cache(name.text())) {
            return false;
        }
        let changes = self.mutations.objects.get(&id).into_iter().flatten();
        let fields = self.flow.fields(id);
        let inner = fields.iter().flat_map(|(_, values)| values).filter_map(|value| match value {
            Value::Object(inner) if *inner != id => self.mutations.objects.get(inner),
            _ => None,
        });
        let chosen = |at: &ExprRef| match self.flow.program.kind(*at) {
            ExprKind::Call { args, .. } => args.iter().enumerate().any(|(index, arg)| {
                self.flow.at(At { module: at.module, id: arg.value }).iter().any(|value| match value {
                    Value::Random(_) => true,
                    Value::Argument(_) => index > 0,
                    _ => false,
                })
            }),
            _ => false,
        };
        !changes.chain(inner.flatten()).any(chosen)
    }
}
