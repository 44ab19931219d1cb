//! What middleware attaches to a request: whoever reads a credential and then puts something on the request says who is calling.

use rustc_hash::FxHashSet;

use super::value::Value;
use super::{Flow, Owner};
use crate::model::facts::{AssignKind, ExprId, ExprKind, Language};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::vocabulary::Role;

impl Flow<'_> {
    /// Takes for the caller's identity what functions that read a credential put into fields of a request.
    pub(super) fn attach_identities(&mut self) {
        let checking = self.checking();
        let attached: Vec<(ExprRef, Name)> = self
            .program
            .exprs()
            .filter_map(|at| {
                let ExprKind::Assign { target, value, kind: AssignKind::Set } = self.program.kind(at) else {
                    return None;
                };
                let name = self.field_of_request(at.module, *target)?;
                let checks = checking.contains(&self.program.func_of(at));
                (checks && self.may_identify(At { module: at.module, id: *value }))
                    .then_some((At { module: at.module, id: *target }, name))
            })
            .collect();
        for (at, name) in attached {
            let node = self.field_node(Owner::Shared(Role::Request), name);
            self.write(node, &[Value::Credential(at)]);
        }
        self.run();
    }

    /// Functions that handle a credential of a request.
    fn checking(&self) -> FxHashSet<FuncRef> {
        let mut out = FxHashSet::default();
        for at in self.program.exprs() {
            let language = self.program.module(at.module).language;
            if matches!(language, Language::TypeScript | Language::JavaScript)
                && self.at(at).iter().any(|value| matches!(value, Value::Credential(_)))
            {
                out.insert(self.program.func_of(at));
            }
        }
        out
    }

    /// The field of a request that an assignment writes, where it is one of the program's own.
    fn field_of_request(&self, module: u32, target: ExprId) -> Option<Name> {
        let ExprKind::Member { object, name } = self.program.module(module).kind(target) else { return None };
        let known = self.program.tables(module).member(Role::Request, name.text()).is_some();
        (!known && self.plays(At { module, id: *object }, Role::Request)).then_some(*name)
    }

    /// Whether a value may be a caller: no constant, no number, no id of the request, nothing that the platform or a logger made.
    fn may_identify(&self, value: ExprRef) -> bool {
        let facts = self.program.module(value.module);
        let from_elsewhere = match facts.kind(value.id) {
            ExprKind::Call { callee, .. } => !self
                .at(At { module: value.module, id: *callee })
                .iter()
                .any(|value| matches!(value, Value::External(package, _) if package.text().is_empty())),
            ExprKind::Symbol(_) | ExprKind::Member { .. } | ExprKind::Cast { .. } | ExprKind::Object(_) => true,
            _ => false,
        };
        from_elsewhere
            && !self.at(value).iter().any(|value| match value {
                Value::Id(_) | Value::Random(_) | Value::Argument(_) | Value::Func(_) => true,
                Value::Object(id) => {
                    let role = self.object(*id).role;
                    role.is_some_and(|role| !matches!(role, Role::AuthInfo | Role::Map | Role::List | Role::Plain))
                }
                _ => false,
            })
    }
}
