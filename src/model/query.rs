//! Questions to a solved program that need no further solving.

use super::facts::{ClassId, ExprId, ExprKind, Key, Span, SymbolId};
use super::flow::value::{ObjId, Site, Value};
use super::flow::{Flow, Owner};
use super::name::{Name, part};
use super::program::{At, ExprRef, FuncRef, SymbolRef};
use super::vocabulary::{Op, Role};

/// What holds an object, as a reader of the code would name it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Holder {
    /// Variable or field name.
    pub name: Name,
    /// Module of the declaration.
    pub module: u32,
    /// The name at its declaration.
    pub span: Span,
    /// The variable, where it is one.
    pub symbol: Option<SymbolRef>,
}

/// An operation that a call performs on a receiver.
#[derive(Clone, Debug)]
pub struct Performed {
    /// What it does.
    pub op: Op,
    /// The receiver's expression.
    pub receiver: ExprRef,
    /// The receiver's object, if known.
    pub object: Option<ObjId>,
}

impl<'p> Flow<'p> {
    /// The values of a field of an object; fields taken over by a spread included.
    pub fn field_values(&self, id: ObjId, name: Name) -> Vec<Value> {
        self.field_values_within(id, name, 0)
    }

    fn field_values_within(&self, id: ObjId, name: Name, depth: u32) -> Vec<Value> {
        let owner = self.owner(id);
        let mut out = match self.known_field(owner, name) {
            Some(node) => self.values(node).to_vec(),
            None => Vec::new(),
        };
        if depth < 3
            && let Some(node) = self.known_field(owner, part::spread())
        {
            for value in self.values(node) {
                if let Value::Object(other) = value
                    && *other != id
                {
                    out.extend(self.field_values_within(*other, name, depth + 1));
                }
            }
        }
        out
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
        let owner = self.owner(id);
        self.field_names
            .get(&owner)
            .into_iter()
            .flatten()
            .filter(|name| !name.text().starts_with('[') && **name != "...")
            .map(|name| (*name, self.field_values(id, *name)))
            .collect()
    }

    /// What a call does to its receiver, by the receiver's role or (where that is unknown) by the name alone.
    pub fn performed(&self, call: ExprRef) -> Vec<Performed> {
        let ExprKind::Call { callee, .. } = self.program.kind(call) else { return Vec::new() };
        let ExprKind::Member { object, name } = self.program.module(call.module).kind(*callee) else {
            return self.performed_by_value(call, At { module: call.module, id: *callee });
        };
        let receiver = At { module: call.module, id: *object };
        let tables = self.program.tables(call.module);
        let mut out = Vec::new();
        let mut known = false;
        for id in self.objects_at(receiver) {
            let object = self.object(id);
            if let Some(class) = object.class
                && self.method_of(class, *name, false).is_some()
            {
                known = true;
                continue;
            }
            match self.acts_as(id) {
                Some(role) => {
                    known = true;
                    if let Some(op) = tables.member(role, name.text()).and_then(|row| row.does) {
                        out.push(Performed { op, receiver, object: Some(id) });
                    }
                }
                None => {
                    if let Some(op) = tables.anywhere(name.text())
                        && !self.field_values(id, *name).iter().any(|v| matches!(v, Value::Func(_)))
                    {
                        out.push(Performed { op, receiver, object: Some(id) });
                    }
                }
            }
        }
        if out.is_empty() && !known {
            for value in self.at(receiver) {
                if let Value::External(package, path) = value {
                    let full = super::flow::join_path(*path, *name);
                    let given = tables.export(package.text(), path.text()).and_then(|row| row.gives);
                    let by_name = tables.export(package.text(), full.text()).and_then(|row| row.does);
                    // An instance that the package exports: `cache.set(…)`.
                    let by_role = || given.and_then(|role| tables.member(role, name.text())).and_then(|row| row.does);
                    if let Some(op) = by_name.or_else(by_role) {
                        out.push(Performed { op, receiver, object: None });
                        known = true;
                    }
                }
            }
            if !known && let Some(op) = tables.anywhere(name.text()) {
                out.push(Performed { op, receiver, object: None });
            }
        }
        out
    }

    fn performed_by_value(&self, call: ExprRef, callee: ExprRef) -> Vec<Performed> {
        let mut out = Vec::new();
        for value in self.at(callee) {
            match value {
                Value::External(package, path) => {
                    let row = self.program.tables(call.module).export(package.text(), path.text());
                    if let Some(op) = row.and_then(|row| row.does) {
                        out.push(Performed { op, receiver: callee, object: None });
                    }
                }
                Value::Method(id, name) => {
                    if let Some(role) = self.object(*id).role
                        && let Some(op) =
                            self.program.tables(call.module).member(role, name.text()).and_then(|row| row.does)
                    {
                        out.push(Performed { op, receiver: callee, object: Some(*id) });
                    }
                }
                _ => {}
            }
        }
        out
    }

    /// Whether a call performs an operation.
    pub fn performs(&self, call: ExprRef, op: Op) -> bool {
        self.performed(call).iter().any(|performed| performed.op == op)
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

    /// What holds an object: the variable or field it is first put in.
    pub fn holder(&self, id: ObjId) -> Option<Holder> {
        self.holder_within(id, 0)
    }

    fn holder_within(&self, id: ObjId, depth: u32) -> Option<Holder> {
        if depth > 6 {
            return None;
        }
        match self.object(id).site {
            Site::Symbol(symbol) => Some(self.symbol_holder(symbol)),
            Site::Expr(expr) => self.holder_of_expr(expr).or_else(|| self.owner_holder(id, depth)),
            Site::Part(owner, name) if name == "[]" => self.holder_within(owner, depth + 1),
            Site::Part(owner, name) => match self.object(owner).class {
                Some(class) => {
                    let field = self.program.class(class).fields.iter().find(|field| field.name == name)?;
                    Some(Holder { name, module: class.module, span: field.span, symbol: None })
                }
                None if owner.0 == u32::MAX => None,
                None => self.holder_within(owner, depth + 1),
            },
            Site::Class(class) => {
                let facts = self.program.class(class);
                Some(Holder { name: facts.name?, module: class.module, span: facts.name_span, symbol: None })
            }
            Site::Param(func, index) => {
                let param = self.program.function(func).params.get(index as usize)?;
                Some(self.symbol_holder(At { module: func.module, id: param.symbol }))
            }
            Site::Decl(decl) => {
                let facts = &self.program.module(decl.module).type_decls[decl.id.index()];
                Some(Holder { name: facts.name, module: decl.module, span: facts.span, symbol: None })
            }
        }
    }

    /// A holder that is a variable.
    pub fn symbol_holder(&self, symbol: SymbolRef) -> Holder {
        let facts = self.program.symbol(symbol);
        Holder { name: facts.name, module: symbol.module, span: facts.span, symbol: Some(symbol) }
    }

    /// The variable or field that a fresh value goes into, by the code around it.
    pub fn holder_of_expr(&self, expr: ExprRef) -> Option<Holder> {
        let facts = self.program.module(expr.module);
        let mut at = expr.id;
        for _ in 0..8 {
            let parent = facts.expr(at).parent?;
            match facts.kind(parent) {
                ExprKind::Assign { target, value, .. } if *value == at => {
                    return match facts.kind(*target) {
                        ExprKind::Symbol(id) => Some(self.symbol_holder(At { module: expr.module, id: *id })),
                        ExprKind::Member { name, object } => {
                            Some(self.field_holder(expr.module, *object, *name, *target))
                        }
                        _ => None,
                    };
                }
                ExprKind::Cast { .. } | ExprKind::Either { .. } => at = parent,
                // `Object.freeze(new Map())`, `proxy(new Map())`.
                ExprKind::Call { args, .. } if args.len() == 1 && args[0].value == at => at = parent,
                ExprKind::Object(fields) => {
                    let field = fields.iter().find(|field| field.value == at)?;
                    let Key::Name(name) = &field.key else { return None };
                    let start = field.span.start;
                    let span = Span { start, end: start + name.text().len() as u32 };
                    return Some(Holder { name: *name, module: expr.module, span, symbol: None });
                }
                _ => return None,
            }
        }
        None
    }

    fn field_holder(&self, module: u32, object: ExprId, name: Name, target: ExprId) -> Holder {
        let facts = self.program.module(module);
        let class = match facts.kind(object) {
            ExprKind::This(Some(class)) => Some(*class),
            // A static field is one of the class by its name.
            ExprKind::Symbol(symbol) => {
                let symbol = facts.symbol(*symbol);
                let named =
                    |class: &super::facts::Class| class.name == Some(symbol.name) && class.name_span == symbol.span;
                facts.classes.iter().position(named).map(|at| ClassId(at as u32))
            }
            _ => None,
        };
        let declared =
            class.and_then(|class: ClassId| facts.class(class).fields.iter().find(|field| field.name == name));
        let span = declared.map_or(facts.expr(target).span, |field| field.span);
        Holder { name, module, span, symbol: None }
    }

    /// Where a field of an object is declared, or first given a value.
    pub fn field_place(&self, id: ObjId, name: Name) -> Option<Holder> {
        let object = self.object(id);
        if let Some(class) = object.class {
            let field = self.program.class(class).fields.iter().find(|field| field.name == name)?;
            return Some(Holder { name, module: class.module, span: field.span, symbol: None });
        }
        let Site::Expr(at) = object.site else { return None };
        let ExprKind::Object(fields) = self.program.kind(at) else { return None };
        let field = fields.iter().find(|field| matches!(&field.key, Key::Name(key) if *key == name))?;
        let Span { start, .. } = field.span;
        let span = Span { start, end: start + name.text().len() as u32 };
        Some(Holder { name, module: at.module, span, symbol: None })
    }

    /// The holder of the container that an object is an element or field of.
    fn owner_holder(&self, id: ObjId, depth: u32) -> Option<Holder> {
        let value = Value::Object(id);
        self.field_names.iter().find_map(|(owner, names)| {
            let Owner::Object(owner_id) = owner else { return None };
            let holds = *owner_id != id
                && names
                    .iter()
                    .any(|name| self.known_field(*owner, *name).is_some_and(|node| self.values(node).contains(&value)));
            if holds { self.holder_within(*owner_id, depth + 1) } else { None }
        })
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

    /// All uses of a symbol.
    pub fn uses(&self, symbol: SymbolRef) -> impl Iterator<Item = ExprRef> + '_ {
        let facts = self.program.module(symbol.module);
        facts
            .expr_ids()
            .filter(move |id| matches!(facts.kind(*id), ExprKind::Symbol(used) if *used == symbol.id))
            .map(move |id| At { module: symbol.module, id })
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
        let object = self.object(id);
        if object.role.is_some_and(|role| roles.contains(&role)) {
            return true;
        }
        depth > 0
            && self.fields(id).iter().flat_map(|(_, values)| values).chain(&self.elements(id)).any(
                |value| match value {
                    Value::Object(inner) => *inner != id && self.holds_role(*inner, roles, depth - 1),
                    _ => false,
                },
            )
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
            self.object_ids().any(|id| matches!(self.object(id).role, Some(Role::SseTransport | Role::EventStream)))
                || self.program.exprs().any(|at| {
                    matches!(self.program.kind(at), ExprKind::Text(text) if text.text().contains("text/event-stream"))
                })
        })
    }
}
