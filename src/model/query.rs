//! Questions to a solved program that need no further solving.

mod holder;
mod performed;

pub use holder::Holder;
pub use performed::{Performed, PerformedAt};

use rustc_hash::{FxHashMap, FxHashSet};

use super::facts::{ExprId, ExprKind, Key, Module, SymbolId};
use super::flow::value::{ObjId, Site, Value};
use super::flow::{Flow, Owner};
use super::name::{Name, part};
use super::program::{At, ExprRef, FuncRef, Sort, SymbolRef};
use super::vocabulary::Role;

/// How many spreads are followed from an object to one whose fields it takes over.
const SPREADS: u32 = 3;

impl<'p> Flow<'p> {
    /// The values of a field of an object; fields taken over by a spread included.
    pub fn field_values(&self, id: ObjId, name: Name) -> Vec<Value> {
        self.held(&self.holders(id), name).copied().collect()
    }

    fn held<'a>(&'a self, holders: &'a [Owner], name: Name) -> impl Iterator<Item = &'a Value> {
        holders.iter().filter_map(move |owner| self.known_field(*owner, name)).flat_map(|node| self.values(node))
    }

    /// Who owns the fields of an object, and those from which it takes fields over by spreads, each once: records are spread into each
    /// other in circles.
    fn holders(&self, id: ObjId) -> Vec<Owner> {
        let mut out = vec![self.owner(id)];
        if self.known_field(out[0], part::spread()).is_some() {
            out.clear();
            self.add_holders(id, 0, &mut FxHashMap::default(), &mut out);
        }
        out
    }

    /// `seen`: how many spreads away an owner was met before.
    fn add_holders(&self, id: ObjId, depth: u32, seen: &mut FxHashMap<Owner, u32>, out: &mut Vec<Owner>) {
        let owner = self.owner(id);
        let nearest = seen.get(&owner).copied();
        if nearest.is_some_and(|nearest| nearest <= depth) {
            return;
        }
        seen.insert(owner, depth);
        if nearest.is_none() {
            out.push(owner);
        }
        let spread = self.known_field(owner, part::spread()).filter(|_| depth < SPREADS);
        for value in spread.into_iter().flat_map(|node| self.values(node)) {
            if let Value::Object(other) = value
                && *other != id
            {
                self.add_holders(*other, depth + 1, seen, out);
            }
        }
    }

    /// Whether a field of an object is written anywhere.
    pub fn has_field(&self, id: ObjId, name: Name) -> bool {
        let written = |id: ObjId| {
            self.known_field(self.owner(id), name).is_some_and(|node| !self.values(node).is_empty())
                || self.written_field(id, name).is_some()
        };
        written(id)
            || self.known_field(self.owner(id), part::spread()).is_some_and(|node| {
                self.values(node).iter().any(|v| matches!(v, Value::Object(other) if *other != id && written(*other)))
            })
    }

    /// The expression written for a field of an object literal.
    pub fn written_field(&self, id: ObjId, name: Name) -> Option<ExprRef> {
        let Site::Expr(at) = self.object(id).site else { return None };
        let ExprKind::Object(fields) = self.program.kind(at) else { return None };
        let field = fields.iter().find(|field| matches!(&field.key, Key::Name(n) if *n == name))?;
        Some(At { module: at.module, id: field.value })
    }

    /// The values of the elements of a container.
    pub fn elements(&self, id: ObjId) -> Vec<Value> {
        self.field_values(id, part::elements())
    }

    /// The named fields of an object with their values.
    pub fn fields(&self, id: ObjId) -> Vec<(Name, Vec<Value>)> {
        let holders = self.holders(id);
        self.named_parts(id).map(|name| (name, self.held(&holders, name).copied().collect())).collect()
    }

    /// The objects in the named fields of an object, then those among its elements.
    pub fn parts_of(&self, id: ObjId) -> Vec<ObjId> {
        self.objects_in(id, self.named_parts(id).chain([part::elements()]))
    }

    /// The objects in the named fields of an object.
    pub fn fields_of(&self, id: ObjId) -> Vec<ObjId> {
        let mut names = self.named_parts(id).peekable();
        match names.peek() {
            Some(_) => self.objects_in(id, names),
            None => Vec::new(),
        }
    }

    fn objects_in(&self, id: ObjId, names: impl Iterator<Item = Name>) -> Vec<ObjId> {
        let holders = self.holders(id);
        let objects = |value: &Value| match value {
            Value::Object(inner) => Some(*inner),
            _ => None,
        };
        names.flat_map(|name| self.held(&holders, name).filter_map(objects)).collect()
    }

    /// The names of an object's fields.
    fn named_parts(&self, id: ObjId) -> impl Iterator<Item = Name> + '_ {
        let names = self.field_names.get(&self.owner(id)).into_iter().flatten().copied();
        names.filter(|name| !name.text().starts_with('[') && *name != "...")
    }

    /// The literal callee name of a call: `f(…)`, `x.f(…)`.
    pub fn callee_name(&self, call: ExprRef) -> Option<Name> {
        let (ExprKind::Call { callee, .. } | ExprKind::New { callee, .. }) = self.program.kind(call) else {
            return None;
        };
        match self.program.module(call.module).kind(*callee) {
            ExprKind::Member { name, .. } | ExprKind::Global(name) => Some(*name),
            ExprKind::Symbol(id) => Some(self.program.module(call.module).symbol(*id).name),
            _ => None,
        }
    }

    /// The written name of an expression: a variable, or the last member.
    pub fn written_name(&self, at: ExprRef) -> Option<Name> {
        match self.program.kind(at) {
            ExprKind::Symbol(id) => Some(self.program.module(at.module).symbol(*id).name),
            ExprKind::Global(name) | ExprKind::Member { name, .. } => Some(*name),
            ExprKind::Cast { value, .. } => self.written_name(At { module: at.module, id: *value }),
            _ => None,
        }
    }

    /// The outermost expression whose value is this one's: through casts, alternatives and awaits.
    pub fn outermost(&self, expr: ExprRef) -> ExprRef {
        let facts = self.program.module(expr.module);
        let mut at = expr.id;
        while let Some(parent) = facts.expr(at).parent {
            match facts.kind(parent) {
                ExprKind::Cast { .. } | ExprKind::Either { .. } => at = parent,
                _ => break,
            }
        }
        At { module: expr.module, id: at }
    }

    /// The symbol that an expression uses.
    pub fn symbol_at(&self, expr: ExprRef) -> Option<SymbolRef> {
        match self.program.kind(expr) {
            ExprKind::Symbol(id) => Some(At { module: expr.module, id: *id }),
            ExprKind::Cast { value, .. } => self.symbol_at(At { module: expr.module, id: *value }),
            _ => None,
        }
    }

    /// Whether an object may, itself or within its fields, be something of one of the roles.
    pub fn holds_role(&self, id: ObjId, roles: &[Role], depth: u32) -> bool {
        let mut seen = FxHashSet::default();
        let mut level = vec![id];
        for left in (0..=depth).rev() {
            level.retain(|id| seen.insert(*id));
            if level.iter().any(|id| self.object(*id).role.is_some_and(|role| roles.contains(&role))) {
                return true;
            }
            if left > 0 {
                level = level.iter().flat_map(|id| self.parts_of(*id)).collect();
            }
        }
        false
    }

    /// The functions among the values of an expression.
    pub fn functions_at(&self, expr: ExprRef) -> impl Iterator<Item = FuncRef> + '_ {
        self.at(expr).iter().filter_map(|value| match value {
            Value::Func(func) => Some(*func),
            _ => None,
        })
    }

    /// The functions that a call may run directly.
    pub fn callees(&self, call: ExprRef) -> Vec<FuncRef> {
        let caller = self.program.func_of(call);
        self.edges
            .get(&caller)
            .into_iter()
            .flatten()
            .filter(|(_, at, _)| *at == call)
            .map(|(callee, _, _)| *callee)
            .collect()
    }

    /// A symbol by id, for callers that hold both parts.
    pub fn symbol_ref(module: u32, id: SymbolId) -> SymbolRef {
        At { module, id }
    }
}

impl Flow<'_> {
    /// Whether an object is a literal of the program (an object or list literal, a built-in container).
    pub fn program_literal(&self, id: ObjId) -> bool {
        match self.object(id).site {
            Site::Expr(at) => matches!(self.program.kind(at), ExprKind::Object(_) | ExprKind::Sequence(_)),
            _ => false,
        }
    }

    /// Whether an object is the default of a type that nothing tells: beside texts, the empty text.
    pub fn is_plain_default(&self, id: ObjId) -> bool {
        let object = self.object(id);
        object.role.is_none()
            && object.class.is_none()
            && object.external.is_some_and(|(package, path)| package == "" && path == "")
    }

    /// Whether the program serves the HTTP+SSE transport: the SDK's, or event streams of its own.
    pub fn serves_sse(&self) -> bool {
        *self.sse.get_or_init(|| {
            self.announces_endpoint()
                || self.object_ids().any(|id| matches!(self.object(id).role, Some(Role::SseTransport | Role::EventStream)))
                || self.program.exprs_of([Sort::Text]).any(|at| {
                    matches!(self.program.kind(at), ExprKind::Text(text) if text.text().contains("text/event-stream"))
                })
        })
    }

    /// Whether the program writes the event that opens a stream of the HTTP+SSE transport.
    pub fn opens_streams(&self) -> bool {
        *self.streams.get_or_init(|| self.program.modules.iter().any(opens_streams))
    }
}

/// Whether a module has an event of that name: `event: endpoint`, `{"event": "endpoint"}`, `Event(event="endpoint")`.
fn opens_streams(module: &Module) -> bool {
    let named = |id: ExprId| matches!(module.kind(id), ExprKind::Text(text) if text.text() == "endpoint");
    module.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Text(text) => text.text().contains("event: endpoint"),
        ExprKind::Object(fields) => {
            fields.iter().any(|field| matches!(&field.key, Key::Name(name) if *name == "event") && named(field.value))
        }
        ExprKind::Call { args, .. } => {
            args.iter().any(|arg| arg.name.is_some_and(|name| name == "event") && named(arg.value))
        }
        _ => false,
    })
}
