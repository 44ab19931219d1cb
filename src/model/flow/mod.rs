//! The flow engine: which values may each expression have, over all files of a program.
//!
//! Each expression is a task. A task reads the sets of other nodes and writes sets; whoever read a node runs again when it
//! grows. Fields are kept per class (all instances of a class share them) and per creation site for everything else. Sets are
//! bounded: a set that is full takes no further objects, only ids.

mod attached;
mod calls;
mod collections;
mod construct;
mod copied;
mod declared;
mod elements;
mod eval;
mod handlers;
mod imports;
mod index;
mod kinds;
mod library;
mod looked_up;
mod members;
mod nodes;
mod objects;
mod parameters;
mod queue;
mod register;
mod spoken;
mod types;
mod unknown;
mod wholes;
pub use eval::is_session_header;
pub use kinds::{Edge, Owner, Registered, Registration, Root};
pub use nodes::NodeId;
pub use types::{Base, Target, join as join_path, submodule};
pub mod value;

use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::{ExprId, ExprKind, FuncId, Type};
use super::name::Name;
use super::program::{At, ClassRef, DeclRef, ExprRef, FuncRef, Program, SymbolRef};
use super::query::PerformedAt;
use super::vocabulary::Role;
use copied::Copies;
use index::Index;
use looked_up::LookedUp;
use nodes::Node;
use queue::Queue;
use value::{ObjId, Object, Site, SourceId, SourceInfo, SourceKind, Value};
use wholes::Wholes;

/// The solved program.
pub struct Flow<'p> {
    /// What was solved.
    pub program: &'p Program,
    nodes: Vec<Node>,
    expr_base: Vec<u32>,
    symbol_base: Vec<u32>,
    return_base: Vec<u32>,
    fields: FxHashMap<(Owner, Name), NodeId>,
    objects: Vec<Object>,
    sites: FxHashMap<Site, ObjId>,
    sources: Vec<SourceInfo>,
    source_ids: FxHashMap<SourceInfo, SourceId>,
    queue: Queue,
    current: Option<u32>,
    typed: bool,
    /// All that can be known is known: names may tell the rest.
    guessing: bool,
    /// Calls into the unknown that hand over what looks like a handler of requests.
    guesses: FxHashSet<u32>,
    /// Values made where only their use tells of what type.
    fresh: FxHashSet<ObjId>,
    /// A fresh value was given a type since the last run.
    adopted: bool,
    /// Decorator calls: what they stand at.
    decorated: FxHashMap<ExprRef, FuncRef>,
    /// Modules by path.
    paths: FxHashMap<&'p str, u32>,
    /// Classes that a structural type stands for.
    structural: FxHashMap<ClassRef, Vec<ClassRef>>,
    /// What lifespans hand over.
    lifespans: FxHashSet<FuncRef>,
    /// What decorates something: called with it, it hands it on unless it is known to do otherwise.
    decorators: FxHashSet<ExprRef>,
    /// What stands in written types.
    in_types: FxHashSet<ExprRef>,
    implementing: Option<FxHashMap<DeclRef, Vec<ClassRef>>>,
    /// What was copied from one record into another by a task.
    copied: Copies,
    wholes: Wholes,
    index: Index,
    looked_up: LookedUp,
    pub(crate) performed_at: PerformedAt,
    /// Where the program tells clients where to post.
    announced: Vec<ExprRef>,
    /// It takes a transport of that kind from a package.
    imports_sse: bool,
    pub(crate) sse: std::cell::OnceCell<bool>,
    pub(crate) streams: std::cell::OnceCell<bool>,
    /// The topmost ancestors found so far; what a class extends is written, not solved.
    tops: std::cell::RefCell<FxHashMap<ClassRef, ClassRef>>,
    /// Direct calls and callbacks: call → callee.
    pub edges: FxHashMap<FuncRef, FxHashSet<(FuncRef, ExprRef, Edge)>>,
    /// The reverse of `edges`.
    pub callers: FxHashMap<FuncRef, FxHashSet<(FuncRef, ExprRef, Edge)>>,
    /// Functions that something outside runs.
    pub roots: FxHashMap<FuncRef, FxHashSet<Root>>,
    /// Registrations by call.
    pub registrations: FxHashMap<ExprRef, Registration>,
    /// `server.connect(transport)` calls: server, transport.
    pub connects: FxHashMap<ExprRef, FxHashSet<(ObjId, ObjId)>>,
    /// Server factories, with the transports that they are given to.
    pub factories: FxHashMap<FuncRef, FxHashSet<ObjId>>,
    /// Where instances of each class are made.
    pub instances: FxHashMap<ClassRef, FxHashSet<ExprRef>>,
    /// Fields known per owner.
    pub field_names: FxHashMap<Owner, Vec<Name>>,
    /// Classes derived from each class.
    pub derived: FxHashMap<ClassRef, FxHashSet<ClassRef>>,
}

impl<'p> Flow<'p> {
    /// Solves a program.
    pub fn solve(program: &'p Program) -> Self {
        let mut flow = Self::prepare(program);
        flow.link();
        flow.looked_up.linked = true;
        for task in 0..flow.queue.tasks() {
            flow.enqueue(task);
        }
        flow.run();
        // Written types stand in only where no value was seen to flow.
        flow.typed = true;
        flow.apply_types(true);
        flow.enqueue_typed();
        flow.run();
        flow.apply_types(false);
        flow.run();
        flow.guess();
        flow.attach_identities();
        flow.settle();
        flow
    }

    /// Looks again at calls of which only names tell what they run.
    fn guess(&mut self) {
        self.guessing = true;
        for task in std::mem::take(&mut self.guesses) {
            self.enqueue(task);
        }
        self.run();
    }

    /// Fresh values that got a type mean more to whoever reads them; the types in turn may reach others.
    fn settle(&mut self) {
        for _ in 0..3 {
            if !std::mem::take(&mut self.adopted) {
                break;
            }
            for task in 0..self.queue.tasks() {
                self.enqueue(task);
            }
            self.run();
            self.apply_types(false);
            self.run();
        }
    }

    /// Expressions that mean more once written types count.
    fn enqueue_typed(&mut self) {
        for task in 0..self.queue.tasks() {
            let at = self.task_expr(task);
            let means_more = match self.program.kind(at) {
                ExprKind::Cast { .. } => true,
                ExprKind::New { .. } => !self.program.module(at.module).type_args_of(at.id).is_empty(),
                // By its name alone an id is known where no value tells otherwise.
                ExprKind::Member { name, .. } => *name == "sessionId",
                _ => false,
            };
            if means_more {
                self.enqueue(task);
            }
        }
    }

    fn prepare(program: &'p Program) -> Self {
        let mut next = 0u32;
        let mut bases = |count: &dyn Fn(usize) -> usize| {
            (0..program.modules.len())
                .map(|module| {
                    let base = next;
                    next += count(module) as u32;
                    base
                })
                .collect::<Vec<_>>()
        };
        let expr_base = bases(&|m| program.modules[m].exprs.len());
        let symbol_base = bases(&|m| program.modules[m].symbols.len());
        let return_base = bases(&|m| program.modules[m].functions.len());
        let tasks = symbol_base.first().copied().unwrap_or(0) as usize;
        let mut nodes = Vec::new();
        nodes.resize_with(next as usize, Node::default);
        Self {
            program,
            nodes,
            expr_base,
            symbol_base,
            return_base,
            fields: FxHashMap::default(),
            objects: Vec::new(),
            sites: FxHashMap::default(),
            sources: Vec::new(),
            source_ids: FxHashMap::default(),
            queue: Queue::new(tasks),
            current: None,
            typed: false,
            guessing: false,
            guesses: FxHashSet::default(),
            fresh: FxHashSet::default(),
            adopted: false,
            decorated: FxHashMap::default(),
            paths: program.modules.iter().enumerate().map(|(at, module)| (module.path.as_str(), at as u32)).collect(),
            structural: FxHashMap::default(),
            lifespans: FxHashSet::default(),
            decorators: decorators(program),
            in_types: in_types(program),
            implementing: None,
            copied: Copies::default(),
            wholes: Wholes::default(),
            index: Index::new(program.modules.len()),
            looked_up: LookedUp::default(),
            performed_at: PerformedAt::default(),
            announced: spoken::announcements(program),
            imports_sse: spoken::imports_transport(program),
            sse: std::cell::OnceCell::new(),
            streams: std::cell::OnceCell::new(),
            tops: std::cell::RefCell::default(),
            edges: FxHashMap::default(),
            callers: FxHashMap::default(),
            roots: FxHashMap::default(),
            registrations: FxHashMap::default(),
            connects: FxHashMap::default(),
            factories: FxHashMap::default(),
            instances: FxHashMap::default(),
            field_names: FxHashMap::default(),
            derived: FxHashMap::default(),
        }
    }

    fn enqueue(&mut self, task: u32) {
        self.queue.add(task);
    }

    fn run(&mut self) {
        // A bound against pathological programs: facts found so far stay valid, some may be missing.
        let mut budget = 60 * self.queue.tasks() as usize + 1000;
        let mut at = 0;
        // Most tasks are of the module of the one before.
        let mut module = 0..0;
        let mut expr = At { module: 0, id: ExprId(0) };
        while let Some(task) = self.queue.take(at) {
            self.current = Some(task);
            if module.contains(&task) {
                expr.id = ExprId(task - module.start);
            } else {
                expr = self.task_expr(task);
                module.start = task - expr.id.0;
                module.end = module.start + self.program.module(expr.module).exprs.len() as u32;
            }
            self.eval(expr);
            at = task + 1;
            budget -= 1;
            if budget == 0 {
                self.queue.clear();
            }
        }
        self.current = None;
    }

    fn task_expr(&self, task: u32) -> ExprRef {
        let module = self.expr_base.partition_point(|base| *base <= task) - 1;
        At { module: module as u32, id: ExprId(task - self.expr_base[module]) }
    }

    /// The node of an expression.
    pub fn expr_node(&self, at: ExprRef) -> NodeId {
        NodeId(self.expr_base[at.module as usize] + at.id.0)
    }

    /// The node of a symbol.
    pub fn symbol_node(&self, at: SymbolRef) -> NodeId {
        NodeId(self.symbol_base[at.module as usize] + at.id.0)
    }

    /// The node of what a function returns.
    pub fn return_node(&self, at: FuncRef) -> NodeId {
        NodeId(self.return_base[at.module as usize] + at.id.0)
    }

    /// The node of a field, made on first use.
    pub fn field_node(&mut self, owner: Owner, name: Name) -> NodeId {
        if let Some(&node) = self.fields.get(&(owner, name)) {
            return node;
        }
        let node = self.new_node();
        self.fields.insert((owner, name), node);
        self.field_names.entry(owner).or_default().push(name);
        self.join_whole(owner, name, node);
        node
    }

    fn new_node(&mut self) -> NodeId {
        let node = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node::default());
        node
    }

    /// The node of a field, if anything ever touched it.
    pub fn known_field(&self, owner: Owner, name: Name) -> Option<NodeId> {
        self.fields.get(&(owner, name)).copied()
    }

    /// The values of a node.
    pub fn values(&self, node: NodeId) -> &[Value] {
        &self.nodes[node.0 as usize].values
    }

    /// The values of an expression.
    pub fn at(&self, expr: ExprRef) -> &[Value] {
        self.values(self.expr_node(expr))
    }

    /// An object.
    pub fn object(&self, id: ObjId) -> &Object {
        &self.objects[id.index()]
    }

    /// All objects.
    pub fn object_ids(&self) -> impl Iterator<Item = ObjId> + use<> {
        (0..self.objects.len() as u32).map(ObjId)
    }

    /// Where a tracked text enters.
    pub fn source(&self, id: SourceId) -> SourceInfo {
        self.sources[id.0 as usize]
    }

    /// All sources.
    pub fn sources(&self) -> &[SourceInfo] {
        &self.sources
    }

    /// The objects among the values of an expression.
    pub fn objects_at(&self, expr: ExprRef) -> impl Iterator<Item = ObjId> + '_ {
        self.at(expr).iter().filter_map(|value| match value {
            Value::Object(id) => Some(*id),
            _ => None,
        })
    }

    /// Whether an expression may be an object of a role.
    pub fn plays(&self, expr: ExprRef, role: Role) -> bool {
        self.objects_at(expr).any(|id| self.object(id).role == Some(role))
    }

    /// The session ids among the values of an expression.
    pub fn ids_at(&self, expr: ExprRef) -> impl Iterator<Item = SourceInfo> + '_ {
        self.at(expr).iter().filter_map(|value| match value {
            Value::Id(id) => Some(self.source(*id)),
            _ => None,
        })
    }

    /// Whether an expression may be a session id.
    pub fn is_id(&self, expr: ExprRef) -> bool {
        self.ids_at(expr).next().is_some()
    }

    /// The object created at a site.
    fn object_of(&mut self, site: Site, make: impl FnOnce() -> Object) -> ObjId {
        if let Some(&id) = self.sites.get(&site) {
            return id;
        }
        let id = ObjId(self.objects.len() as u32);
        self.objects.push(make());
        self.sites.insert(site, id);
        id
    }

    fn role_object(&mut self, site: Site, role: Option<Role>) -> Value {
        let id = self.object_of(site, || Object { site, role, class: None, external: None });
        self.give_role(id, role, None);
        Value::Object(id)
    }

    /// The object of all instances of a class.
    pub fn class_object(&self, class: ClassRef) -> Option<ObjId> {
        self.sites.get(&Site::Class(self.whole(class))).copied()
    }

    fn instance(&mut self, class: ClassRef) -> ObjId {
        let class = self.whole(class);
        let role = self.class_role(class);
        let site = Site::Class(class);
        let id = self.object_of(site, || Object { site, role: None, class: Some(class), external: None });
        // The base may become known later than the first instance.
        if self.objects[id.index()].role.is_none() {
            self.objects[id.index()].role = role;
        }
        id
    }

    /// The session id that enters at an expression.
    fn id_value(&mut self, kind: SourceKind, at: ExprRef) -> Value {
        let info = SourceInfo { kind, at };
        let next = SourceId(self.sources.len() as u32);
        let id = *self.source_ids.entry(info).or_insert(next);
        if id == next {
            self.sources.push(info);
        }
        Value::Id(id)
    }

    fn root(&mut self, func: FuncRef, root: Root) {
        self.roots.entry(func).or_default().insert(root);
    }

    fn edge(&mut self, at: ExprRef, callee: FuncRef, edge: Edge) {
        // A call in a written type (`ReturnType<typeof f>`) runs nothing.
        if self.in_types.contains(&at) {
            return;
        }
        let caller = self.program.func_of(at);
        self.edges.entry(caller).or_default().insert((callee, at, edge));
        self.callers.entry(callee).or_default().insert((caller, at, edge));
    }

    fn param_node(&self, func: FuncRef, index: usize) -> Option<NodeId> {
        let param = self.program.function(func).params.get(index)?;
        Some(self.symbol_node(At { module: func.module, id: param.symbol }))
    }

    /// The top-level function of a module.
    pub fn top(module: u32) -> FuncRef {
        At { module, id: FuncId(0) }
    }
}

fn decorators(program: &Program) -> FxHashSet<ExprRef> {
    let mut out = FxHashSet::default();
    for (module, facts) in program.modules.iter().enumerate() {
        let functions = facts.functions.iter().flat_map(|function| &function.decorators);
        let classes = facts.classes.iter().flat_map(|class| &class.decorators);
        out.extend(functions.chain(classes).map(|id| At { module: module as u32, id: *id }));
    }
    out
}

fn in_types(program: &Program) -> FxHashSet<ExprRef> {
    let mut out = FxHashSet::default();
    for (module, facts) in program.modules.iter().enumerate() {
        out.extend(facts.types.iter().filter_map(|ty| match ty {
            Type::Of(id) => Some(At { module: module as u32, id: *id }),
            _ => None,
        }));
    }
    out
}
