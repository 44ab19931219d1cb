//! Handlers that are registered by decoration or by options.

use super::calls::CallSite;
use super::value::{ObjId, Object, Site, Value};
use super::{Edge, Flow, Owner, Registered, Registration, Root};
use crate::model::facts::{ExprId, ExprKind};
use crate::model::name::{Name, part};
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::vocabulary::{Op, Role};

impl CallSite<'_> {
    /// The argument given under a name.
    pub(super) fn named(&self, name: &str) -> Option<ExprRef> {
        let arg = self.args.iter().find(|arg| arg.name.is_some_and(|given| given == name))?;
        Some(At { module: self.at.module, id: arg.value })
    }
}

impl Flow<'_> {
    /// `register(function)`, `@register`, `register(name = …)(function)`.
    pub(super) fn decorate(
        &mut self,
        call: CallSite<'_>,
        op: Op,
        receiver: Option<ObjId>,
        name: Option<Name>,
    ) -> Vec<Value> {
        let mut given = Vec::new();
        let mut positional = 0;
        for arg in call.args.iter().filter(|arg| arg.name.is_none()) {
            positional += 1;
            let values = self.read_expr(call.at.module, arg.value);
            given.extend(values.into_iter().filter(|value| matches!(value, Value::Func(_) | Value::Class(_))));
        }
        for wanted in ["fn", "func", "handler", "endpoint"] {
            if let Some(arg) = call.named(wanted) {
                given.extend(self.read_expr(arg.module, arg.id));
            }
        }
        if given.is_empty() {
            // With options only: what it answers is called with the function.
            let receiver = receiver.unwrap_or_else(|| self.somewhere(Role::Server));
            return match name {
                Some(name) if positional <= 1 => vec![Value::Method(receiver, name)],
                _ => Vec::new(),
            };
        }
        if op == Op::DecorateRoute {
            for value in &given {
                if let Value::Func(func) = value {
                    self.route_root(*func, 0);
                    self.fill_query(call.at, *func);
                    self.edge(call.at, *func, Edge::Callback);
                }
            }
            return given;
        }
        let what = match op {
            Op::DecorateResource => Registered::Resource,
            Op::DecoratePrompt => Registered::Prompt,
            Op::DecorateMethod => Registered::Method,
            _ => Registered::Tool,
        };
        let handlers: Vec<FuncRef> = given
            .iter()
            .filter_map(|value| match value {
                Value::Func(func) => Some(*func),
                _ => None,
            })
            .collect();
        let written = if what == Registered::Method { name } else { self.given_name(call) };
        let named = written
            .or_else(|| self.defined_name(call.at))
            .or_else(|| handlers.first().and_then(|func| self.program.function(*func).name));
        self.register_handlers(call.at, what, named, &handlers);
        given
    }

    /// An object of a role of which only that is known.
    fn somewhere(&mut self, role: Role) -> ObjId {
        let site = Site::Part(ObjId(u32::MAX), Name::new("[unknown]"));
        self.object_of(site, || Object { site, role: Some(role), class: None, external: None })
    }

    /// The name under which something is registered: an option of the call, or of the call that it calls.
    fn given_name(&mut self, call: CallSite<'_>) -> Option<Name> {
        let mut calls = vec![call.at];
        if let ExprKind::Call { callee, .. } = self.program.kind(call.at) {
            calls.push(At { module: call.at.module, id: *callee });
        }
        for at in calls {
            let ExprKind::Call { args, .. } = self.program.kind(at) else { continue };
            let named = args.iter().find(|arg| arg.name.is_some_and(|name| name == "name"));
            let written = named.or_else(|| args.iter().find(|arg| arg.name.is_none() && !arg.spread));
            let Some(written) = written else { continue };
            let text = self.read_expr(at.module, written.value).into_iter().find_map(|value| match value {
                Value::Text(text) => Some(text),
                _ => None,
            });
            if text.is_some() {
                return text;
            }
        }
        None
    }

    /// `server.handlers[Request] = function`.
    pub(super) fn put_handler(&mut self, at: ExprRef, key: ExprId, values: &[Value]) {
        let name = match self.program.module(at.module).kind(key) {
            ExprKind::Member { name, .. } | ExprKind::Text(name) => Some(*name),
            ExprKind::Symbol(id) => Some(self.program.module(at.module).symbol(*id).name),
            _ => None,
        };
        let handlers: Vec<FuncRef> = values
            .iter()
            .filter_map(|value| match value {
                Value::Func(func) => Some(*func),
                _ => None,
            })
            .collect();
        self.register_handlers(at, Registered::Method, name, &handlers);
    }

    /// The name of the definition at the bottom of a stack of decorators.
    fn defined_name(&self, call: ExprRef) -> Option<Name> {
        let facts = self.program.module(call.module);
        let mut at = call.id;
        for _ in 0..16 {
            match facts.kind(at) {
                ExprKind::Call { args, .. } => at = args.iter().find(|arg| arg.name.is_none())?.value,
                ExprKind::Function(id) => return facts.function(*id).name,
                _ => return None,
            }
        }
        None
    }

    /// Notes a registration, and that its handlers are run from outside.
    pub(super) fn register_handlers(
        &mut self,
        at: ExprRef,
        what: Registered,
        name: Option<Name>,
        handlers: &[FuncRef],
    ) {
        for handler in handlers {
            self.root(*handler, Root::Handler);
            self.fill_parameters(*handler);
        }
        let made = || Registration { what, name: None, at, handlers: Vec::new() };
        let entry = self.registrations.entry(at).or_insert_with(made);
        entry.name = entry.name.or(name);
        for handler in handlers {
            if !entry.handlers.contains(handler) {
                entry.handlers.push(*handler);
            }
        }
    }

    /// What options given to a constructor do.
    pub(super) fn apply_options(&mut self, call: CallSite<'_>, package: Name, path: Name) {
        for arg in call.args {
            let Some(name) = arg.name.filter(|name| !name.text().is_empty()) else { continue };
            let option = format!("{path}.{name}");
            let row = self.program.tables(call.at.module).export(package.text(), &option);
            let Some(op) = row.and_then(|row| row.does) else { continue };
            let values = self.read_expr(call.at.module, arg.value);
            let mut functions = Vec::new();
            for value in values {
                match value {
                    Value::Func(func) => functions.push(func),
                    Value::Object(id) => functions.extend(self.element_functions(id)),
                    _ => {}
                }
            }
            let at = At { module: call.at.module, id: arg.value };
            match op {
                Op::SessionLifespan | Op::ProcessLifespan => {
                    let root = if op == Op::SessionLifespan { Root::SessionLifespan } else { Root::ProcessLifespan };
                    for func in functions {
                        self.root(func, root);
                        self.edge(call.at, func, Edge::Callback);
                        self.lifespans.insert(func);
                    }
                }
                Op::RequestHandler => self.register_handlers(at, Registered::Method, Some(name), &functions),
                Op::DecorateTool => {
                    for func in functions {
                        let name = self.program.function(func).name;
                        let at = At { module: call.at.module, id: arg.value };
                        self.register_handlers(at, Registered::Tool, name, &[func]);
                    }
                }
                _ => {}
            }
        }
    }

    fn element_functions(&mut self, id: ObjId) -> Vec<FuncRef> {
        let node = self.field_node(self.owner(id), part::elements());
        let values = self.read(node);
        values
            .into_iter()
            .filter_map(|value| match value {
                Value::Func(func) => Some(func),
                _ => None,
            })
            .collect()
    }

    /// What the lifespans of the program's servers hand over.
    pub(super) fn lifespan_values(&mut self) -> Vec<Value> {
        let mut out = Vec::new();
        for func in self.lifespans.clone() {
            out.extend(self.read_yielded(func));
        }
        out
    }

    /// What a function hands over: what it yields, else what it returns.
    pub(super) fn read_yielded(&mut self, func: FuncRef) -> Vec<Value> {
        let mut out = Vec::new();
        for value in self.read(self.return_node(func)) {
            match value {
                Value::Object(id) if self.is_yielded(id) => {
                    let node = self.field_node(Owner::Object(id), part::elements());
                    out.extend(self.read(node));
                }
                value => out.push(value),
            }
        }
        out
    }

    /// The same, for questions after solving.
    pub fn yielded(&self, func: FuncRef) -> Vec<Value> {
        let mut out = Vec::new();
        for value in self.values(self.return_node(func)) {
            match value {
                Value::Object(id) if self.is_yielded(*id) => out.extend(self.elements(*id)),
                value => out.push(*value),
            }
        }
        out
    }

    fn is_yielded(&self, id: ObjId) -> bool {
        matches!(self.object(id).site, Site::Param(_, super::collections::YIELDED))
    }

    /// The lifespans found.
    pub fn lifespans(&self) -> impl Iterator<Item = FuncRef> + '_ {
        self.lifespans.iter().copied()
    }

    /// Whether an object stands for a session without being an id.
    pub(super) fn stands_for_session(&self, value: Value) -> bool {
        matches!(value, Value::Object(id) if self.object(id).role == Some(Role::SessionObject))
    }
}
