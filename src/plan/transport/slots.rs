//! Variables and fields that hold the one session that there is at a time: code that requests run puts another into them.

use rustc_hash::FxHashSet;

use crate::model::facts::{ExprKind, FuncKind, SymbolKind, TOP};
use crate::model::flow::value::{ObjId, Value};
use crate::model::lives::{Mode, TransportSite};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef, SymbolRef};
use crate::model::reach::reach;
use crate::plan::Site;
use crate::rules::detect::Context;

/// What holds a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Holder {
    /// A variable.
    Variable(SymbolRef),
    /// A field of a class: its module and name.
    Field(u32, Name),
}

/// The holders of a package.
#[derive(Debug, Default)]
pub(super) struct Slots {
    holders: FxHashSet<Holder>,
}

impl Slots {
    /// Finds them. Where a table holds the sessions, there are none.
    pub fn of(context: &Context<'_, '_>) -> Self {
        let mut out = Self::default();
        if context.stores().any(|found| found.with_transport) {
            return out;
        }
        let flow = &context.analysis.flow;
        let requested: FxHashSet<FuncRef> =
            context.analysis.lives.routes.iter().flat_map(|route| reach(flow, *route)).collect();
        for transport in context.transports().filter(|transport| !transport.sse && transport.mode != Mode::Off) {
            out.holders.extend(holders(context, transport, &requested));
        }
        out
    }

    /// Whether there are any.
    pub fn is_empty(&self) -> bool {
        self.holders.is_empty()
    }

    /// Whether an expression is one of them.
    pub fn contains(&self, context: &Context<'_, '_>, at: ExprRef) -> bool {
        !self.holders.is_empty() && holder(context, at).is_some_and(|holder| self.holders.contains(&holder))
    }

    /// Where the variables are declared.
    pub fn sites(&self, context: &Context<'_, '_>) -> Vec<Site> {
        let program = context.analysis.flow.program;
        let mut out: Vec<Site> = self
            .holders
            .iter()
            .filter_map(|holder| match holder {
                Holder::Variable(at) => {
                    Some(Site { path: program.module(at.module).path.clone(), span: program.symbol(*at).span })
                }
                Holder::Field(..) => None,
            })
            .collect();
        out.sort();
        out
    }
}

/// What an expression names, where that may be a holder.
fn holder(context: &Context<'_, '_>, at: ExprRef) -> Option<Holder> {
    let facts = context.analysis.flow.program.module(at.module);
    match facts.kind(at.id) {
        ExprKind::Symbol(id) => Some(Holder::Variable(At { module: at.module, id: *id })),
        ExprKind::Member { object, name } if matches!(facts.kind(*object), ExprKind::This(_)) => {
            Some(Holder::Field(at.module, *name))
        }
        _ => None,
    }
}

/// The holders of one transport, which code that requests run makes: all that live longer than the request, and hold nothing else.
fn holders(context: &Context<'_, '_>, transport: &TransportSite, requested: &FxHashSet<FuncRef>) -> Vec<Holder> {
    let flow = &context.analysis.flow;
    let made_in = flow.program.func_of(transport.at);
    if made_in.id == TOP || !requested.contains(&made_in) {
        return Vec::new();
    }
    let (mut held, mut others): (FxHashSet<Holder>, FxHashSet<Holder>) = Default::default();
    for at in flow.program.exprs().filter(|at| context.here(*at)) {
        let Some(holder) = holder(context, at).filter(|holder| outlives(context, *holder, made_in, requested)) else {
            continue;
        };
        let objects: Vec<ObjId> = flow.objects_at(at).collect();
        if objects.iter().all(|id| belongs(context, transport.object, *id)) {
            if !objects.is_empty() {
                held.insert(holder);
            }
        } else {
            others.insert(holder);
        }
    }
    held.retain(|holder| !others.contains(holder));
    held.into_iter().collect()
}

/// Whether an object is a transport, a server that is connected to it, or a record of such that holds it.
fn belongs(context: &Context<'_, '_>, transport: ObjId, id: ObjId) -> bool {
    let flow = &context.analysis.flow;
    let parts = || flow.connects.values().flatten().filter(|(_, connected)| *connected == transport);
    if id == transport || parts().any(|(server, _)| *server == id) {
        return true;
    }
    let object = flow.object(id);
    let fields = flow.fields(id);
    let holds = |value: &Value| *value == Value::Object(transport);
    let plain = |value: &Value| !matches!(value, Value::Object(held) if flow.object(*held).role.is_none());
    object.class.is_none()
        && object.role.is_none()
        && fields.iter().any(|(_, values)| values.iter().any(holds))
        && fields.iter().all(|(_, values)| values.iter().all(plain))
}

/// Whether a holder lives longer than the requests whose code fills it.
fn outlives(context: &Context<'_, '_>, holder: Holder, made_in: FuncRef, requested: &FxHashSet<FuncRef>) -> bool {
    let program = context.analysis.flow.program;
    match holder {
        Holder::Variable(at) => {
            let symbol = program.symbol(at);
            let home = At { module: at.module, id: symbol.func };
            let around = home.id == TOP || program.within(made_in, home) && home != made_in;
            matches!(symbol.kind, SymbolKind::Variable { mutable: true })
                && around
                && at.module == made_in.module
                && !requested.contains(&home)
        }
        Holder::Field(module, _) => {
            let method = program.function(made_in).kind;
            module == made_in.module
                && method != FuncKind::Constructor
                && !made_for_requests(context, module, requested)
        }
    }
}

/// Whether code that requests run makes instances of a class of a module.
fn made_for_requests(context: &Context<'_, '_>, module: u32, requested: &FxHashSet<FuncRef>) -> bool {
    let flow = &context.analysis.flow;
    flow.program.exprs().any(|at| {
        matches!(flow.program.kind(at), ExprKind::New { .. })
            && requested.contains(&flow.program.func_of(at))
            && flow.objects_at(at).any(|id| flow.object(id).class.is_some_and(|class| class.module == module))
    })
}
