//! The id in an object that tools make for each call and hand on: `run({ sessionId: extra.sessionId, log }, args)`. The handle is put
//! into the object in the id's place, and what reads it there stays as it is.

use rustc_hash::FxHashSet;

use super::super::trace::{Origin, home};
use super::super::{Carried, Entry};
use super::Follower;
use crate::model::facts::{ExprKind, Key};
use crate::model::flow::value::{ObjId, Site as Made, Value};
use crate::model::flow::{Registered, Registration};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::vocabulary::Role;
use crate::plan::Site;

/// Objects that carry the id to a function.
pub(super) struct Parcel {
    /// The objects.
    objects: FxHashSet<ObjId>,
    /// What the field is called in all of them.
    field: Name,
    /// What is put into it.
    put: Vec<ExprRef>,
}

impl Follower<'_, '_, '_> {
    /// The objects that a parameter is handed, where all of them are written out with the id in the same field.
    pub(super) fn parcel(&self, func: FuncRef, index: usize) -> Option<Parcel> {
        let flow = &self.context.analysis.flow;
        let symbol = At { module: func.module, id: flow.program.function(func).params.get(index)?.symbol };
        let mut out: Option<Parcel> = None;
        for value in flow.values(flow.symbol_node(symbol)) {
            let Value::Object(id) = value else { return None };
            let Made::Expr(at) = flow.object(*id).site else {
                // What a written type says is no object of its own.
                if matches!(flow.object(*id).site, Made::Decl(_)) {
                    continue;
                }
                return None;
            };
            let ExprKind::Object(fields) = flow.program.kind(at) else { return None };
            let mut ids = fields.iter().filter_map(|field| match field.key {
                Key::Name(name) => Some((name, At { module: at.module, id: field.value })),
                _ => None,
            });
            let (field, put) = ids.find(|(_, value)| flow.is_id(*value))?;
            if ids.any(|(_, value)| flow.is_id(value)) {
                return None;
            }
            let parcel = out.get_or_insert_with(|| Parcel { objects: FxHashSet::default(), field, put: Vec::new() });
            if parcel.field != field {
                return None;
            }
            parcel.objects.insert(*id);
            parcel.put.push(put);
        }
        out.filter(|parcel| !parcel.put.iter().any(|put| self.is_looked_up(*put)))
    }

    /// Whether the function around a place looks tools up for a low-level server: it has no handle to put into an object, and each tool
    /// takes its own.
    fn is_looked_up(&self, put: ExprRef) -> bool {
        let flow = &self.context.analysis.flow;
        let around = home(flow, flow.program.func_of(put));
        let method = |known: &Registration| known.what == Registered::Method && known.handlers.contains(&around);
        flow.registrations.values().any(method)
            && self.context.analysis.bodies.iter().any(|body| body.calls.iter().any(|(caller, _)| *caller == around))
    }

    /// How a function gets the handle that is handed such objects. Refuses where the id in them is used for something that no handle
    /// would be right for.
    pub(super) fn unpacked(&mut self, at: Site, parcel: &Parcel) -> Option<Entry> {
        if let Some(read) = self.reads(parcel).into_iter().find(|read| self.is_used_otherwise(*read)) {
            self.problem(
                read,
                "the id in the object that is handed on is used for something else here",
                "put what is needed here into a field of its own, and run again",
            );
            return None;
        }
        Some(Entry::Part { at, field: parcel.field.text().to_owned() })
    }

    /// Where the field of the objects is read or written.
    fn reads(&self, parcel: &Parcel) -> Vec<ExprRef> {
        let flow = &self.context.analysis.flow;
        let is_one = |at: ExprRef| match flow.program.kind(at) {
            ExprKind::Member { object, name } if *name == parcel.field => {
                flow.objects_at(At { module: at.module, id: *object }).any(|id| parcel.objects.contains(&id))
            }
            _ => false,
        };
        flow.program.exprs().filter(|at| is_one(*at)).collect()
    }

    /// Whether the id that is read from an object goes elsewhere than to the stores at hand, to functions of the program and to words.
    fn is_used_otherwise(&self, read: ExprRef) -> bool {
        let flow = &self.context.analysis.flow;
        let facts = flow.program.module(read.module);
        let stores = self.context.analysis.stores.iter().filter(|other| {
            other.holder.span != self.found.holder.span
                && !self.companions.iter().any(|own| own.holder.span == other.holder.span)
        });
        let key_elsewhere = |at: ExprRef| stores.clone().any(|other| other.uses.iter().any(|access| access.key == at));
        let mut at = read;
        loop {
            if key_elsewhere(at) {
                return true;
            }
            let Some(parent) = facts.expr(at.id).parent else { return false };
            let whole = At { module: at.module, id: parent };
            match facts.kind(parent) {
                ExprKind::Cast { .. } | ExprKind::Either { .. } | ExprKind::Template(_) => at = whole,
                ExprKind::Object(_) => at = whole,
                ExprKind::Assign { target, .. } => return *target == at.id,
                ExprKind::Delete { .. } | ExprKind::Return(_) | ExprKind::Yield(_) => return true,
                // What is thrown only tells of it.
                ExprKind::New { .. } if self.is_thrown(whole) => return false,
                ExprKind::New { .. } => return flow.callees(whole).is_empty(),
                ExprKind::Throw(_) => return false,
                ExprKind::Call { callee, .. } => {
                    let own = self.found.uses.iter().chain(self.companions.iter().flat_map(|found| &found.uses));
                    let logs = match facts.kind(*callee) {
                        ExprKind::Member { object, .. } => {
                            flow.plays(At { module: at.module, id: *object }, Role::Logger)
                                || matches!(facts.kind(*object), ExprKind::Global(name) if *name == "console")
                        }
                        _ => false,
                    };
                    let known = own.into_iter().any(|access| access.at == whole);
                    return !known && !logs && flow.callees(whole).into_iter().next().is_none();
                }
                ExprKind::Index { .. } => {
                    let own = self.found.uses.iter().chain(self.companions.iter().flat_map(|found| &found.uses));
                    return !own.into_iter().any(|access| access.at == whole);
                }
                ExprKind::Compare { left, right, .. } => {
                    return [*left, *right].iter().all(|side| {
                        *side == at.id || !matches!(facts.kind(*side), ExprKind::Absent | ExprKind::Text(_))
                    });
                }
                ExprKind::Sequence(_) => return true,
                _ => return false,
            }
        }
    }

    fn is_thrown(&self, made: ExprRef) -> bool {
        let facts = self.context.analysis.flow.program.module(made.module);
        facts.expr(made.id).parent.is_some_and(|parent| matches!(facts.kind(parent), ExprKind::Throw(_)))
    }

    /// Follows what is put into the objects to the functions that have the handle.
    pub(super) fn packed(&mut self, func: FuncRef, index: usize) {
        let Some(parcel) = self.parcel(func, index) else { return };
        for put in parcel.put {
            let flow = &self.context.analysis.flow;
            let around = home(flow, flow.program.func_of(put));
            if around == func || self.out.carried.iter().any(|known| known.at == self.site(put)) {
                continue;
            }
            let how = self.closed_over(around, put);
            let (Origin::Parameter { func: within, .. } | Origin::Ambient(within)) = how else {
                self.problem(put, "where this id comes from can't be followed", "pass the handle to it by hand");
                continue;
            };
            if !self.is_called_by_tools(within) {
                self.problem(
                    put,
                    "the id is put into an object here, where no tool is called",
                    "make the object where the tool is called",
                );
                continue;
            }
            let Some(within) = self.need(within, &how, put) else { continue };
            self.out.carried.push(Carried { at: self.site(put), within });
        }
    }
}
