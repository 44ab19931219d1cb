//! Which values are credentials that a session keeps: of the request that opened it, or built from one.

use super::lifetime::Finder;
use crate::model::facts::{ExprKind, TOP};
use crate::model::flow::value::{Site, Value};
use crate::model::name::part;
use crate::model::program::{At, FuncRef};
use crate::model::vocabulary::Role;

impl Finder<'_, '_> {
    /// Whether a value is a credential of an HTTP request, or something built from one.
    pub fn is_credential(&self, value: Value, depth: u32) -> bool {
        match value {
            Value::Credential(_) => true,
            Value::Func(func) => self.closes_over_credential(func),
            Value::Object(id) => {
                let object = self.flow.object(id);
                if matches!(
                    object.role,
                    Some(
                        Role::Request
                            | Role::Headers
                            | Role::Server
                            | Role::Transport
                            | Role::SseTransport
                            | Role::HandlerContext
                            | Role::Response
                    )
                ) {
                    return false;
                }
                if !self.lasts(id) {
                    return false;
                }
                if let Site::Expr(at) = object.site
                    && object.class.is_none()
                    && let ExprKind::New { args, .. } | ExprKind::Call { args, .. } = self.flow.program.kind(at)
                    && args.iter().any(|arg| {
                        self.flow.at(At { module: at.module, id: arg.value }).iter().any(|value| {
                            matches!(value, Value::Credential(_))
                                || (depth > 0
                                    && matches!(value, Value::Object(inner) if *inner != id)
                                    && self.is_credential(*value, depth - 1))
                        })
                    })
                {
                    return true;
                }
                let spread = self.flow.known_field(self.flow.owner(id), part::spread());
                let spread = spread.into_iter().flat_map(|node| self.flow.values(node).to_vec());
                depth > 0
                    && self.flow.fields(id).into_iter().flat_map(|(_, values)| values).chain(spread).any(|inner| {
                        !matches!(inner, Value::Object(other) if other == id) && self.is_credential(inner, depth - 1)
                    })
            }
            _ => false,
        }
    }

    /// Whether a closure made where a session begins keeps a credential: a provider of the token.
    fn closes_over_credential(&self, func: FuncRef) -> bool {
        let facts = self.flow.program.module(func.module);
        let Some(parent) = facts.function(func.id).parent else { return false };
        let around = At { module: func.module, id: parent };
        if parent == TOP || !self.lives.contexts(around).has(self.context) || self.lives.within_calls(around) {
            return false;
        }
        facts.exprs.iter().any(|expr| match &expr.kind {
            ExprKind::Symbol(id) => {
                let symbol = facts.symbol(*id);
                symbol.func != TOP
                    && self.flow.program.within(At { module: func.module, id: expr.func }, func)
                    && !self.flow.program.within(At { module: func.module, id: symbol.func }, func)
                    && self
                        .flow
                        .values(self.flow.symbol_node(At { module: func.module, id: *id }))
                        .iter()
                        .any(|value| matches!(value, Value::Credential(_)))
            }
            _ => false,
        })
    }
}
