//! Calls and constructions: who is called, with what, and what comes back.

use super::types::join;
use super::value::{ObjId, SourceKind, Value};
use super::{Edge, Flow, Owner};
use crate::model::facts::{Arg, ExprId, ExprKind, SymbolKind};
use crate::model::name::{Name, part};
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::vocabulary::{Op, Role};

/// A call under evaluation.
#[derive(Clone, Copy)]
pub(super) struct CallSite<'a> {
    /// The call.
    pub at: ExprRef,
    /// Its arguments.
    pub args: &'a [Arg],
}

impl CallSite<'_> {
    /// The argument at a position, if it is no spread and not passed by name.
    pub fn arg(&self, index: usize) -> Option<ExprRef> {
        let arg = self.args.get(index)?;
        (!arg.spread && arg.name.is_none()).then_some(At { module: self.at.module, id: arg.value })
    }
}

impl Flow<'_> {
    pub(super) fn eval_call(&mut self, at: ExprRef, callee: ExprId, args: &[Arg]) -> Vec<Value> {
        let mut out = self.call_written(at, callee, args);
        if self.is_id_function(at.module, callee) {
            // An id is a text, whatever the call looks like from here.
            out.retain(|value| !matches!(value, Value::Object(_)));
            out.push(self.id_value(SourceKind::Context, at));
        }
        // What is decorated stays what it is unless the decorator is known to make something else of it.
        if self.decorators.contains(&At { module: at.module, id: callee }) {
            let known = |value: &Value| match value {
                Value::Object(id) => self.object(*id).role.is_some() || self.object(*id).class.is_some(),
                _ => true,
            };
            out.retain(known);
            if !out.iter().any(|value| matches!(value, Value::Func(_) | Value::Class(_))) {
                let decorated = args.first().map(|arg| self.read_expr(at.module, arg.value)).unwrap_or_default();
                out.extend(decorated.into_iter().filter(|value| matches!(value, Value::Func(_) | Value::Class(_))));
            }
        }
        out
    }

    pub(super) fn call_written(&mut self, at: ExprRef, callee: ExprId, args: &[Arg]) -> Vec<Value> {
        let call = CallSite { at, args };
        let module = at.module;
        match self.program.module(module).kind(callee) {
            ExprKind::Member { object, name } => {
                let (object, name) = (*object, *name);
                let receivers = self.read_expr(module, object);
                let mut out = Vec::new();
                let mut understood = false;
                for value in &receivers {
                    if let Some(values) = self.call_method(call, *value, name) {
                        understood = true;
                        out.extend(values);
                    }
                }
                if !understood {
                    out.extend(self.call_unknown(call, object, &receivers, name));
                }
                let part = self.request_part(call, &receivers, name);
                if !part.is_empty() {
                    return part;
                }
                out.extend(self.authenticated(call, callee));
                out
            }
            ExprKind::Super(Some(class)) => {
                self.call_super(call, At { module, id: *class });
                Vec::new()
            }
            _ => {
                let callees = self.read_expr(module, callee);
                let mut out = Vec::new();
                let mut understood = false;
                let given = self.is_parameter(module, callee);
                for value in callees {
                    if given && let Value::Func(func) = value {
                        understood = true;
                        out.extend(self.bind_as(call, func, 0, Edge::Given));
                        continue;
                    }
                    if let Some(values) = self.call_value(call, value) {
                        understood = true;
                        out.extend(values);
                    }
                }
                if understood {
                    out.extend(self.authenticated(call, callee));
                }
                if !understood {
                    // `app[method](path, handler)`.
                    if let ExprKind::Index { object, .. } = self.program.module(module).kind(callee) {
                        let object = *object;
                        let routers: Vec<Value> = self.read_expr(module, object);
                        if routers
                            .iter()
                            .any(|v| matches!(v, Value::Object(id) if self.object(*id).role == Some(Role::Router)))
                        {
                            return self.perform(call, Op::Route, None, None);
                        }
                    }
                    self.escape_args(call);
                    out.extend(self.authenticated(call, callee));
                }
                out
            }
        }
    }

    /// `c.req.query('name')`, `c.req.param('name')`: a part of a request that is asked for one of its values.
    fn request_part(&mut self, call: CallSite<'_>, receivers: &[Value], name: Name) -> Vec<Value> {
        let is_request = |v: &Value| matches!(v, Value::Object(id) if self.object(*id).role == Some(Role::Request));
        let row = self.program.tables(call.at.module).member(Role::Request, name.text());
        let part = row.filter(|row| row.does.is_none()).and_then(|row| row.gives);
        let Some(part @ (Role::Query | Role::PathParameters)) = part.filter(|_| receivers.iter().any(is_request))
        else {
            return Vec::new();
        };
        // Streams of any kind have sessions of theirs.
        if !self.announces_endpoint() && !self.imports_sse {
            return Vec::new();
        }
        let texts = self.arg_texts(call, 0);
        texts.iter().flat_map(|text| self.named_value(call.at, part, text.text())).collect()
    }

    /// Whether the user said that what is called here gives a session id.
    pub(super) fn is_id_function(&self, module: u32, callee: ExprId) -> bool {
        let known = &self.program.id_functions;
        if known.is_empty() {
            return false;
        }
        let facts = self.program.module(module);
        match facts.kind(callee) {
            ExprKind::Symbol(id) => known.contains(&facts.symbol(*id).name),
            ExprKind::Member { name, .. } | ExprKind::Global(name) => known.contains(name),
            _ => false,
        }
    }

    pub(super) fn is_parameter(&self, module: u32, callee: ExprId) -> bool {
        let facts = self.program.module(module);
        matches!(facts.kind(callee), ExprKind::Symbol(id) if facts.symbol(*id).kind == SymbolKind::Parameter)
    }

    /// Calls a value. `None` where it is nothing that can be called.
    pub(super) fn call_value(&mut self, call: CallSite<'_>, callee: Value) -> Option<Vec<Value>> {
        match callee {
            Value::Func(func) => Some(self.bind(call, func, 0)),
            // Not by way of the field again, that may hold this very method.
            Value::Method(id, name) => self.call_object_method(call, id, name, false),
            Value::External(package, path) => Some(self.call_external(call, package, path)),
            Value::Class(class) => Some(vec![self.construct(call, class)]),
            Value::Object(id) => {
                let class = self.object(id).class?;
                let method = self.program.tables(class.module).traits.call_method;
                let methods =
                    if method.is_empty() { Default::default() } else { self.methods_of(class, Name::new(method)) };
                let mut out = None;
                for &method in methods.iter() {
                    out.get_or_insert_with(Vec::new).extend(self.bind(call, method, 0));
                }
                out
            }
            Value::Namespace(module) => {
                let target =
                    self.export(module, part::module()).or_else(|| self.export(module, Name::new("default")))?;
                let mut out = None;
                for value in self.read_target(target, call.at.module) {
                    if let Some(values) = self.call_value(call, value) {
                        out.get_or_insert_with(Vec::new).extend(values);
                    }
                }
                out
            }
            _ => None,
        }
    }

    pub(super) fn call_method(&mut self, call: CallSite<'_>, receiver: Value, name: Name) -> Option<Vec<Value>> {
        match receiver {
            Value::Object(id) => self.call_object_method(call, id, name, true),
            Value::External(package, path) => Some(self.call_external(call, package, join(path, name))),
            Value::Namespace(_) | Value::Class(_) => {
                let mut out = None;
                for value in self.member(call.at, receiver, name) {
                    if let Some(values) = self.call_value(call, value) {
                        out.get_or_insert_with(Vec::new).extend(values);
                    }
                }
                out
            }
            Value::Func(func) => match name.text() {
                "call" => Some(self.bind(call, func, 1)),
                "bind" => Some(vec![Value::Func(func)]),
                "apply" => Some(self.bind(CallSite { at: call.at, args: &[] }, func, 0)),
                _ => None,
            },
            Value::Id(_) | Value::Credential(_) | Value::Argument(_) | Value::Random(_) | Value::Text(_) => {
                match self.program.tables(call.at.module).anywhere(name.text()) {
                    Some(Op::Pass | Op::AsText) => Some(vec![receiver]),
                    Some(Op::MapValue) => Some(self.apply_callback(call, &[receiver], name)),
                    Some(Op::Then) => Some(self.perform_then(call, &[receiver], name)),
                    _ => None,
                }
            }
            Value::Method(..) => matches!(name.text(), "bind").then(|| vec![receiver]),
            Value::Absent => None,
        }
    }

    pub(super) fn call_object_method(
        &mut self,
        call: CallSite<'_>,
        id: ObjId,
        name: Name,
        fields: bool,
    ) -> Option<Vec<Value>> {
        let object = self.object(id).clone();
        if let Some(class) = object.class {
            let methods = self.methods_of(class, name);
            if !methods.is_empty() {
                let mut out = Vec::new();
                for &method in methods.iter() {
                    out.extend(self.bind(call, method, 0));
                }
                // A server class's own way of registering tools: `addReadOnlyTool(name, …, handler)`.
                let registers = name.text().to_ascii_lowercase().contains("tool");
                let by_calls = !self.program.tables(call.at.module).traits.partial_classes;
                if registers && by_calls && object.role == Some(Role::Server) && self.is_given_function(call) {
                    out.extend(self.perform(call, Op::RegisterTool, Some(id), Some(name)));
                }
                return Some(out);
            }
        }
        // A function kept in a field, or a method of an object literal.
        let node = self.field_node(self.owner(id), name);
        let mut out = None;
        let held = if fields { self.read(node) } else { Vec::new() };
        for value in held {
            if let Some(values) = self.call_value(call, value) {
                out.get_or_insert_with(Vec::new).extend(values);
            }
        }
        if out.is_some() {
            return out;
        }
        let tables = self.program.tables(call.at.module);
        if let Some(role) = self.acts_as(id) {
            if let Some(row) = tables.member(role, name.text()) {
                let mut values = match row.does {
                    Some(op) => self.perform(call, op, Some(id), Some(name)),
                    None => Vec::new(),
                };
                if let Some(gives) = row.gives {
                    values.push(self.external_object(call.at, Name::new(""), name, Some(gives)));
                }
                // What others read, this language's SDK answers when it is called.
                if let Some(source) = row.source.filter(|_| row.does.is_none() && row.gives.is_none()) {
                    values.extend(self.entering(call.at, role, source));
                }
                return Some(values);
            }
            // A call that the role does not list: a chain on the same thing (`express().use(…)`), or nothing known.
            if matches!(role, Role::Router | Role::TransportOptions | Role::Transport | Role::SseTransport)
                && (role == Role::Router || tables.traits.explicit_factories)
            {
                self.escape_args(call);
                return Some(vec![Value::Object(id)]);
            }
        }
        if matches!(tables.anywhere(name.text()), Some(Op::Then)) {
            return Some(self.perform_then(call, &[Value::Object(id)], name));
        }
        if matches!(tables.anywhere(name.text()), Some(Op::MapValue)) {
            return Some(self.apply_callback(call, &[Value::Object(id)], name));
        }
        if object.external.is_some() && object.role.is_none() {
            self.escape_args(call);
            return Some(Vec::new());
        }
        None
    }

    pub(super) fn arg_texts(&mut self, call: CallSite<'_>, index: usize) -> Vec<Name> {
        let Some(arg) = call.arg(index) else {
            return Vec::new();
        };
        self.read_expr(arg.module, arg.id)
            .into_iter()
            .filter_map(|value| match value {
                Value::Text(text) => Some(text),
                _ => None,
            })
            .collect()
    }

    pub(super) fn arg_values(&mut self, call: CallSite<'_>, index: usize) -> Vec<Value> {
        match call.arg(index) {
            Some(arg) => self.read_expr(arg.module, arg.id),
            None => Vec::new(),
        }
    }

    /// Binds arguments to parameters; the result is what the function returns.
    pub(super) fn bind(&mut self, call: CallSite<'_>, func: FuncRef, skip: usize) -> Vec<Value> {
        self.bind_as(call, func, skip, Edge::Call)
    }

    pub(super) fn bind_as(&mut self, call: CallSite<'_>, func: FuncRef, skip: usize, edge: Edge) -> Vec<Value> {
        self.edge(call.at, func, edge);
        let params = self.program.function(func).params.clone();
        let by_name = (0..params.len()).find(|index| self.takes_names(func, *index));
        let rest = (0..params.len()).find(|index| params[*index].rest && Some(*index) != by_name);
        for (index, arg) in call.args.iter().skip(skip).enumerate() {
            let values = self.read_expr(call.at.module, arg.value);
            if values.is_empty() {
                continue;
            }
            for value in &values {
                if let Value::Func(given) = value {
                    self.edge(call.at, *given, Edge::Callback);
                }
            }
            match arg.name {
                Some(name) if arg.spread => {
                    debug_assert!(name.text().is_empty());
                    self.bind_spread(func, &values, by_name);
                }
                Some(name) => {
                    let position = params
                        .iter()
                        .position(|p| !p.rest && self.program.module(func.module).symbol(p.symbol).name == name);
                    match (position.and_then(|position| self.param_node(func, position)), by_name) {
                        (Some(node), _) => self.write(node, &values),
                        (None, Some(by_name)) => {
                            let record = self.rest_object(func, by_name);
                            let node = self.field_node(self.owner(record), name);
                            self.write(node, &values);
                        }
                        (None, None) => {}
                    }
                }
                None => {
                    let values = if arg.spread && self.program.tables(call.at.module).traits.handlers_by_type {
                        self.elements_of(&values)
                    } else {
                        values
                    };
                    match rest {
                        Some(rest) if index >= rest => {
                            let list = self.rest_object(func, rest);
                            let node = self.field_node(Owner::Object(list), part::elements());
                            self.write(node, &values);
                        }
                        _ => {
                            if let Some(node) = self.param_node(func, index) {
                                self.write(node, &values);
                            }
                        }
                    }
                }
            }
        }
        let out = self.read(self.return_node(func));
        if edge == Edge::Call && skip == 0 { self.of_this_call(call, func, out) } else { out }
    }

    /// A helper that hands on what it is given hands each caller its own: an id or a credential that came in as a parameter comes
    /// back from the calls that passed it.
    fn of_this_call(&mut self, call: CallSite<'_>, func: FuncRef, mut out: Vec<Value>) -> Vec<Value> {
        let tracked = |value: &Value| matches!(value, Value::Id(_) | Value::Credential(_));
        if !out.iter().any(tracked) || call.args.iter().any(|arg| arg.spread || arg.name.is_some()) {
            return out;
        }
        let mut given = Vec::new();
        for arg in call.args {
            given.extend(self.read_expr(call.at.module, arg.value));
        }
        let mut passed = Vec::new();
        for index in 0..self.program.function(func).params.len() {
            if let Some(node) = self.param_node(func, index) {
                passed.extend(self.read(node));
            }
        }
        out.retain(|value| !tracked(value) || given.contains(value) || !passed.contains(value));
        out
    }

    /// `f(**record)`: each parameter gets the record's value of its name, else what the record may hold.
    pub(super) fn bind_spread(&mut self, func: FuncRef, values: &[Value], by_name: Option<usize>) {
        let params = self.program.function(func).params.clone();
        for value in values {
            let Value::Object(from) = *value else { continue };
            let owner = self.owner(from);
            let elements = self.field_node(owner, part::elements());
            let elements = self.read(elements);
            for param in params.iter().filter(|param| !param.rest) {
                let symbol = At { module: func.module, id: param.symbol };
                let name = self.program.symbol(symbol).name;
                let node = self.field_node(owner, name);
                let named = self.read(node);
                let given = if named.is_empty() { &elements } else { &named };
                if !given.is_empty() {
                    self.write(self.symbol_node(symbol), given);
                }
            }
            if let Some(by_name) = by_name {
                let record = self.rest_object(func, by_name);
                let into = self.owner(record);
                self.copy_entries(from, into);
            }
        }
    }

    /// Gives values to a parameter of a callback and says who will run it.
    pub(super) fn run_callback(&mut self, at: ExprRef, callback: Value, params: &[&[Value]], edge: Edge) -> Vec<Value> {
        match callback {
            Value::Func(func) => {
                self.edge(at, func, edge);
                for (index, values) in params.iter().enumerate() {
                    if let Some(node) = self.param_node(func, index) {
                        self.write(node, values);
                    }
                }
                self.read(self.return_node(func))
            }
            _ => Vec::new(),
        }
    }
}
