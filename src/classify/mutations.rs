//! What the code that handlers run changes.

use std::cell::RefCell;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::facts::{AssignKind, ExprKind, FuncKind};
use crate::model::flow::value::{ObjId, Value};
use crate::model::flow::{Flow, Owner};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef, Sort, SymbolRef};
use crate::model::vocabulary::{Op, Role};

/// Changes made by a set of functions.
#[derive(Default)]
pub struct Mutations {
    /// Objects whose elements or fields change.
    pub objects: FxHashMap<ObjId, Vec<ExprRef>>,
    /// Fields that are assigned.
    pub fields: FxHashMap<(Owner, Name), Vec<ExprRef>>,
    /// Variables that are assigned.
    pub symbols: FxHashMap<SymbolRef, Vec<ExprRef>>,
    /// Registrations that are switched on or off.
    pub switched: FxHashMap<ObjId, Vec<ExprRef>>,
    /// Objects of which members are read or called.
    pub touched: FxHashSet<ObjId>,
    /// Which assignments fill something once, as far as somebody asked: many objects lead to the same one.
    memos: RefCell<FxHashMap<ExprRef, bool>>,
}

impl Mutations {
    /// What the given functions change.
    pub fn of(flow: &Flow<'_>, functions: &FxHashSet<FuncRef>) -> Self {
        let mut out = Self::default();
        for at in flow.program.exprs_of([Sort::Assign, Sort::Delete, Sort::Call, Sort::Member]) {
            let func = flow.program.func_of(at);
            if functions.contains(&func) {
                out.add(flow, at, func);
            }
        }
        out
    }

    /// Whether a change fills something once, with a value that no call chooses.
    pub fn is_memo(&self, flow: &Flow<'_>, change: ExprRef) -> bool {
        if !matches!(flow.program.kind(change), ExprKind::Assign { .. }) {
            return false;
        }
        *self.memos.borrow_mut().entry(change).or_insert_with(|| is_memo(flow, change))
    }

    fn add(&mut self, flow: &Flow<'_>, at: ExprRef, func: FuncRef) {
        let in_module = |id| At { module: at.module, id };
        match flow.program.kind(at) {
            ExprKind::Assign { target, kind, .. } if *kind != AssignKind::Init => {
                self.assigned(flow, at, in_module(*target), func);
            }
            ExprKind::Delete { target } => self.assigned(flow, at, in_module(*target), func),
            ExprKind::Call { callee, .. } => {
                if let ExprKind::Member { object, .. } = flow.program.module(at.module).kind(*callee) {
                    self.touched.extend(flow.objects_at(in_module(*object)));
                }
                for &performed in flow.performed(at).iter() {
                    let Some(object) = performed.object else { continue };
                    match performed.op {
                        Op::Put
                        | Op::Remove
                        | Op::GetOrInsert
                        | Op::Clear
                        | Op::Add
                        | Op::Extract
                        | Op::Merge
                        | Op::Change => {
                            self.objects.entry(object).or_default().push(at);
                        }
                        // Reading by position changes nothing; taking an element out does.
                        Op::Take if flow.callee_name(at).is_some_and(|name| name != "at") => {
                            self.objects.entry(object).or_default().push(at);
                        }
                        Op::Switch => self.switched.entry(object).or_default().push(at),
                        _ => {}
                    }
                }
            }
            ExprKind::Member { object, .. } => self.touched.extend(flow.objects_at(in_module(*object))),
            _ => {}
        }
    }

    fn assigned(&mut self, flow: &Flow<'_>, at: ExprRef, target: ExprRef, func: FuncRef) {
        match flow.program.kind(target) {
            ExprKind::Symbol(id) => {
                self.symbols.entry(At { module: target.module, id: *id }).or_default().push(at);
            }
            ExprKind::Member { object, name } => {
                let object = At { module: target.module, id: *object };
                // A constructor fills its own object; that is no change.
                let own = flow.program.function(func).kind == FuncKind::Constructor
                    && matches!(flow.program.kind(object), ExprKind::This(_));
                if own {
                    return;
                }
                for id in flow.objects_at(object) {
                    self.touched.insert(id);
                    self.objects.entry(id).or_default().push(at);
                    self.fields.entry((flow.owner(id), *name)).or_default().push(at);
                }
            }
            ExprKind::Index { object, .. } => {
                let object = At { module: target.module, id: *object };
                for id in flow.objects_at(object) {
                    self.touched.insert(id);
                    self.objects.entry(id).or_default().push(at);
                }
            }
            _ => {}
        }
    }
}

/// Things that are never state of their own, whatever is called on them.
pub const MACHINERY: &[Role] = &[
    Role::Server,
    Role::Transport,
    Role::SseTransport,
    Role::StdioTransport,
    Role::RequestEntry,
    Role::SessionFramework,
    Role::Registration,
    Role::HandlerContext,
    Role::SessionContext,
    Role::MiddlewareContext,
    Role::SessionManager,
    Role::RequestInfo,
    Role::AuthInfo,
    Role::Request,
    Role::Headers,
    Role::ContextHeaders,
    Role::Query,
    Role::PathParameters,
    Role::StrippedHeaders,
    Role::RequestScope,
    Role::MessageMeta,
    Role::HttpClient,
    Role::Response,
    Role::FetchResponse,
    Role::Router,
    Role::HttpServer,
    Role::Logger,
    Role::Telemetry,
    Role::AsyncContext,
    Role::External,
    Role::Client,
    Role::ClientTransport,
    Role::ChildProcess,
];

/// Whether an object is machinery.
pub fn is_machinery(flow: &Flow<'_>, id: ObjId) -> bool {
    flow.object(id).role.is_some_and(|role| MACHINERY.contains(&role))
}

/// Whether all that a value may be is machinery or functions (and there is something).
pub fn only_machinery(flow: &Flow<'_>, values: &[Value]) -> bool {
    let mut any = false;
    for value in values {
        match value {
            Value::Object(id) if is_machinery(flow, *id) => any = true,
            // What the machinery lies in.
            Value::Object(id) if flow.object(*id).role == Some(Role::Cell) => {}
            Value::Absent => {}
            _ => return false,
        }
    }
    any
}

/// Whether an assignment fills something once, with a value that no call chooses: `if (!cache) cache = load()`,
/// `if (this.ready) return; this.ready = true`, a flag that a notice was shown.
fn is_memo(flow: &Flow<'_>, assignment: ExprRef) -> bool {
    let facts = flow.program.module(assignment.module);
    let ExprKind::Assign { target, value, kind } = facts.kind(assignment.id) else { return false };
    // What adds to what is there fills nothing once.
    if *kind == AssignKind::Update {
        return false;
    }
    if flow.at(At { module: assignment.module, id: *value }).iter().any(|v| matches!(v, Value::Argument(_))) {
        return false;
    }
    let literal = match facts.kind(*value) {
        ExprKind::Literal => true,
        // The Python front end keeps which of the two it is.
        ExprKind::Global(name) => *name == "True" || *name == "False",
        _ => false,
    };
    if literal && is_once_flag(flow, assignment.module, *target, facts.expr(assignment.id).func) {
        return true;
    }
    let span = facts.expr(assignment.id).span;
    let func = facts.expr(assignment.id).func;
    flow.branches_in(At { module: assignment.module, id: func }).any(|branch| {
        let before = branch.then_leaves && branch.span.end <= span.start;
        (branch.then.contains(span) || before)
            && mentions_assigned(flow, assignment.module, branch.condition, *target, func, before)
    })
}

/// A flag that is set in one place and never taken back: it says that something was done, not what the session is.
fn is_once_flag(
    flow: &Flow<'_>,
    module: u32,
    target: crate::model::facts::ExprId,
    func: crate::model::facts::FuncId,
) -> bool {
    let facts = flow.program.module(module);
    let name = match facts.kind(target) {
        ExprKind::Symbol(id) => facts.symbol(*id).name,
        ExprKind::Member { name, .. } => *name,
        _ => return false,
    };
    if filled_on_demand(flow, module, name, func) {
        return true;
    }
    let assigned = flow.assignments_of(module).filter(|id| match facts.kind(*id) {
        ExprKind::Assign { target, kind, .. } if *kind != AssignKind::Init => match facts.kind(*target) {
            ExprKind::Symbol(id) => facts.symbol(*id).name == name,
            ExprKind::Member { name: used, .. } => *used == name,
            _ => false,
        },
        _ => false,
    });
    assigned.count() == 1 && !super::words::is_guard(name.text())
}

/// `if (!this.ready) await this.prepare()`, where `prepare` sets the flag.
fn filled_on_demand(flow: &Flow<'_>, module: u32, name: Name, func: crate::model::facts::FuncId) -> bool {
    let facts = flow.program.module(module);
    let filler = At { module, id: func };
    let calls: Vec<_> = flow
        .callers
        .get(&filler)
        .into_iter()
        .flatten()
        .filter(|(_, at, _)| at.module == module)
        .map(|(_, at, _)| facts.expr(at.id).span)
        .collect();
    facts.branches.iter().any(|branch| {
        calls.iter().any(|call| branch.then.contains(*call)) && {
            let condition = facts.expr(branch.condition).span;
            flow.exprs_within(module, condition).any(|id| match facts.kind(id) {
                ExprKind::Member { name: used, .. } => *used == name,
                ExprKind::Symbol(id) => facts.symbol(*id).name == name,
                _ => false,
            })
        }
    })
}

/// Whether a condition speaks of the target of an assignment (or, for an early return, of another field that the function fills).
fn mentions_assigned(
    flow: &Flow<'_>,
    module: u32,
    condition: crate::model::facts::ExprId,
    target: crate::model::facts::ExprId,
    func: crate::model::facts::FuncId,
    any_filled: bool,
) -> bool {
    let facts = flow.program.module(module);
    let span = facts.expr(condition).span;
    let same = |a: &ExprKind, b: &ExprKind| match (a, b) {
        (ExprKind::Symbol(a), ExprKind::Symbol(b)) => a == b,
        (ExprKind::Member { name: a, object: x }, ExprKind::Member { name: b, object: y }) => {
            a == b && matches!((facts.kind(*x), facts.kind(*y)), (ExprKind::This(_), ExprKind::This(_)))
        }
        _ => false,
    };
    // A guard stands for the place that it was locked from.
    let behind = |kind: &ExprKind| match kind {
        ExprKind::Symbol(id) => facts.symbol(*id).init.is_some_and(|init| same(facts.kind(init), facts.kind(target))),
        _ => false,
    };
    flow.exprs_within(module, span).any(|id| {
        let kind = facts.kind(id);
        same(kind, facts.kind(target))
            || behind(kind)
            || (any_filled
                && matches!(kind, ExprKind::Member { .. })
                && flow.assignments_in(At { module, id: func }).iter().any(|other| {
                    matches!(facts.kind(*other), ExprKind::Assign { target, kind: AssignKind::Set, .. } if same(kind, facts.kind(*target)))
                }))
    })
}
