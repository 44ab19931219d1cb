//! What the code that handlers run changes.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::facts::{AssignKind, ExprKind, FuncKind};
use crate::model::flow::value::{ObjId, Value};
use crate::model::flow::{Flow, Owner};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef, SymbolRef};
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
}

impl Mutations {
    /// What the given functions change.
    pub fn of(flow: &Flow<'_>, functions: &FxHashSet<FuncRef>) -> Self {
        let mut out = Self::default();
        for at in flow.program.exprs() {
            let func = flow.program.func_of(at);
            if functions.contains(&func) {
                out.add(flow, at, func);
            }
        }
        out
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
                for performed in flow.performed(at) {
                    let Some(object) = performed.object else { continue };
                    match performed.op {
                        Op::Put | Op::Remove | Op::GetOrInsert | Op::Clear | Op::Add | Op::Extract | Op::Merge => {
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
    Role::StrippedHeaders,
    Role::RequestScope,
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
            Value::Absent => {}
            _ => return false,
        }
    }
    any
}
