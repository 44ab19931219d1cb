//! Handlers that are registered by decoration or by options, and what frameworks give functions by the types or names of their
//! parameters.

use super::calls::CallSite;
use super::value::{ObjId, Object, Site, SourceKind, Value};
use super::{Edge, Flow, Owner, Registered, Registration, Root};
use crate::model::facts::{ExprId, ExprKind, FuncId, Type};
use crate::model::name::{Name, part};
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::vocabulary::{Op, Role};

/// Roles of what a handler gets beside its arguments.
const CONTEXTS: &[Role] = &[Role::HandlerContext, Role::SessionContext];

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

    /// Gives a handler its context where a parameter's type (or, untyped, its name) asks for it, and arguments everywhere else.
    fn fill_parameters(&mut self, handler: FuncRef) {
        let params = self.program.function(handler).params.clone();
        for (index, param) in params.iter().enumerate() {
            let symbol = At { module: handler.module, id: param.symbol };
            let facts = self.program.symbol(symbol);
            let (ty, name) = (facts.ty, facts.name);
            let node = self.symbol_node(symbol);
            let site = Site::Param(handler, index as u32);
            let typed = match ty {
                Some(ty) if !param.rest => self.typed(At { module: handler.module, id: ty }, site, 0),
                _ => Vec::new(),
            };
            let plays = |it: &Self, values: &[Value], roles: &[Role]| {
                values
                    .iter()
                    .any(|v| matches!(v, Value::Object(id) if it.object(*id).role.is_some_and(|r| roles.contains(&r))))
            };
            if plays(self, &typed, CONTEXTS) {
                self.write(node, &typed);
                continue;
            }
            if ty.is_none() && matches!(name.text(), "ctx" | "context") {
                let context = self.role_object(site, Some(Role::HandlerContext));
                self.write(node, &[context]);
                continue;
            }
            let known = self.read(node);
            let injected = known.iter().any(|value| match value {
                Value::Object(id) => self.object(*id).role.is_some_and(|role| role != Role::List && role != Role::Map),
                _ => false,
            });
            if injected {
                continue;
            }
            if param.rest {
                let rest = self.rest_object(handler, index);
                let node = self.field_node(self.owner(rest), part::elements());
                self.write(node, &[Value::Argument(handler)]);
            } else {
                self.write(node, &[Value::Argument(handler)]);
            }
        }
    }

    /// What a rest parameter holds: a list, or a record of what was passed by name.
    pub(super) fn rest_object(&mut self, func: FuncRef, index: usize) -> ObjId {
        let role = if self.takes_names(func, index) { None } else { Some(Role::List) };
        let site = Site::Param(func, index as u32);
        let id = self.object_of(site, || Object { site, role, class: None, external: None });
        if let Some(node) = self.param_node(func, index) {
            self.write(node, &[Value::Object(id)]);
        }
        id
    }

    /// Whether a rest parameter takes what is passed by name.
    pub(super) fn takes_names(&self, func: FuncRef, index: usize) -> bool {
        let Some(param) = self.program.function(func).params.get(index) else { return false };
        let facts = self.program.module(func.module);
        param.rest
            && facts
                .symbol(param.symbol)
                .ty
                .is_some_and(|ty| matches!(facts.ty(ty), Type::Object { index: Some(_), .. }))
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
    fn read_yielded(&mut self, func: FuncRef) -> Vec<Value> {
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

    /// Functions that are known by the names of their last parameters.
    pub(super) fn link_signatures(&mut self, module: u32, functions: &[FuncId]) {
        let signatures = self.program.tables(module).signatures;
        for id in functions {
            let func = At { module, id: *id };
            let facts = self.program.module(module);
            let params = &facts.function(*id).params;
            let names: Vec<&str> = params.iter().map(|param| facts.symbol(param.symbol).name.text()).collect();
            for signature in signatures {
                let Some(first) = names.len().checked_sub(signature.params.len()) else { continue };
                if names[first..] != *signature.params {
                    continue;
                }
                self.root(func, Root::Route);
                let value = self.role_object(Site::Param(func, first as u32), Some(signature.gives));
                if let Some(node) = self.param_node(func, first) {
                    self.write(node, &[value]);
                }
            }
        }
    }

    /// Gives a route's handler the request where a parameter's type asks for it; an untyped first parameter is the request.
    pub(super) fn fill_route(&mut self, func: FuncRef) {
        let params = self.program.function(func).params.clone();
        for (index, param) in params.iter().enumerate() {
            let symbol = At { module: func.module, id: param.symbol };
            if self.program.symbol(symbol).ty.is_none() && index == 0 && !param.rest && !param.optional {
                let value = self.role_object(Site::Param(func, 0), Some(Role::Request));
                self.write(self.symbol_node(symbol), &[value]);
            }
        }
    }

    /// A parameter that the framework fills from a header: which one says the option, or the parameter's name.
    pub(super) fn header_parameter(&mut self, call: CallSite<'_>) -> Vec<Value> {
        let mut names: Vec<String> = Vec::new();
        if let Some(alias) = call.named("alias") {
            let values = self.read_expr(alias.module, alias.id);
            names.extend(values.into_iter().filter_map(|value| match value {
                Value::Text(text) => Some(text.text().to_owned()),
                _ => None,
            }));
        } else {
            let facts = self.program.module(call.at.module);
            if let Some(parent) = facts.expr(call.at.id).parent
                && let ExprKind::Either { arms, .. } = facts.kind(parent)
                && let Some(ExprKind::Symbol(symbol)) = arms.first().map(|arm| facts.kind(*arm))
            {
                names.push(facts.symbol(*symbol).name.text().replace('_', "-"));
            }
        }
        let mut out: Vec<Value> = Vec::new();
        for name in names {
            if super::eval::is_session_header(&name) {
                out.push(self.id_value(SourceKind::Header, call.at));
            } else if super::eval::is_credential_header(&name) {
                out.push(Value::Credential(call.at));
            }
        }
        // `Header(None)`
        let default = self.arg_values(call, 0);
        out.extend(default.into_iter().filter(|value| matches!(value, Value::Absent | Value::Text(_))));
        out
    }

    /// Runs the callback that fills a parameter.
    pub(super) fn inject(&mut self, call: CallSite<'_>) -> Vec<Value> {
        let mut out = Vec::new();
        for value in self.arg_values(call, 0) {
            match value {
                Value::Func(func) => {
                    self.edge(call.at, func, Edge::Call);
                    out.extend(self.read_yielded(func));
                }
                Value::Class(_) | Value::External(..) => {
                    let call = CallSite { at: call.at, args: &[] };
                    out.extend(self.call_value(call, value).unwrap_or_default());
                }
                _ => {}
            }
        }
        out
    }

    /// Whether an object stands for a session without being an id.
    pub(super) fn stands_for_session(&self, value: Value) -> bool {
        matches!(value, Value::Object(id) if self.object(id).role == Some(Role::SessionObject))
    }
}
