//! Calls and constructions: who is called, with what, and what comes back.

use super::collections::MANY_NAMES;
use super::types::{Base, join};
use super::value::{ObjId, Object, Site, SourceKind, Value};
use super::{Edge, Flow, Owner, Root};
use crate::model::facts::{Arg, ExprId, ExprKind, SymbolKind};
use crate::model::name::{Name, part};
use crate::model::program::{At, ClassRef, ExprRef, FuncRef};
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

    fn call_written(&mut self, at: ExprRef, callee: ExprId, args: &[Arg]) -> Vec<Value> {
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

    /// Whether the user said that what is called here gives a session id.
    fn is_id_function(&self, module: u32, callee: ExprId) -> bool {
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

    fn is_parameter(&self, module: u32, callee: ExprId) -> bool {
        let facts = self.program.module(module);
        matches!(facts.kind(callee), ExprKind::Symbol(id) if facts.symbol(*id).kind == SymbolKind::Parameter)
    }

    /// What a function that is called to authenticate makes of a request, or of a credential, is an identity.
    fn authenticated(&mut self, call: CallSite<'_>, callee: ExprId) -> Vec<Value> {
        let at = At { module: call.at.module, id: callee };
        let name = match self.program.kind(at) {
            ExprKind::Symbol(id) => self.program.module(at.module).symbol(*id).name,
            ExprKind::Member { name, .. } => *name,
            _ => return Vec::new(),
        };
        let name = name.text().to_ascii_lowercase();
        let checks = ["authenticat", "verif", "validat", "decode", "introspect"].iter().any(|word| name.contains(word));
        if !checks {
            return Vec::new();
        }
        let request = (0..call.args.len()).any(|index| {
            self.arg_values(call, index).iter().any(|value| match value {
                Value::Credential(_) => true,
                Value::Object(id) => {
                    name.contains("authenticat") && matches!(self.object(*id).role, Some(Role::Request | Role::Headers))
                }
                _ => false,
            })
        });
        if request { vec![Value::Credential(call.at)] } else { Vec::new() }
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
                let methods = if method.is_empty() { Vec::new() } else { self.methods_of(class, Name::new(method)) };
                let mut out = None;
                for method in methods {
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

    fn call_method(&mut self, call: CallSite<'_>, receiver: Value, name: Name) -> Option<Vec<Value>> {
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

    fn call_object_method(&mut self, call: CallSite<'_>, id: ObjId, name: Name, fields: bool) -> Option<Vec<Value>> {
        let object = self.object(id).clone();
        if let Some(class) = object.class {
            let methods = self.methods_of(class, name);
            if !methods.is_empty() {
                let mut out = Vec::new();
                for method in methods {
                    out.extend(self.bind(call, method, 0));
                }
                // A server class's own way of registering tools: `addReadOnlyTool(name, …, handler)`.
                let registers = name.text().to_ascii_lowercase().contains("tool");
                let by_calls = !self.program.tables(call.at.module).traits.partial_classes;
                if registers && by_calls && object.role == Some(Role::Server) {
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

    /// A call on a receiver of which nothing fitting is known.
    fn call_unknown(&mut self, call: CallSite<'_>, object: ExprId, receivers: &[Value], name: Name) -> Vec<Value> {
        let module = call.at.module;
        let text = name.text();
        if self.is_header_read(module, object, text) {
            let texts = self.arg_texts(call, 0);
            if texts.iter().any(|t| super::eval::is_session_header(t.text())) {
                return vec![self.id_value(SourceKind::Header, call.at)];
            }
            if texts.iter().any(|t| super::eval::is_credential_header(t.text())) {
                return vec![Value::Credential(call.at)];
            }
            let parameters = matches!(self.program.module(module).kind(object), ExprKind::Member { name, .. } if *name == "searchParams");
            if parameters && texts.iter().any(|t| super::eval::is_session_parameter(t.text())) {
                return vec![self.id_value(SourceKind::Query, call.at)];
            }
        }
        if matches!(text, "setHeader" | "set" | "header" | "append") {
            let texts = self.arg_texts(call, 0);
            if texts.iter().any(|t| super::eval::is_session_header(t.text()))
                && call.args.len() == 2
                && let Some(value) = call.arg(1)
                && !self.is_client_headers(module, object)
            {
                self.mint(value);
            }
        }
        self.maybe_route(call, text);
        match self.program.tables(module).anywhere(text) {
            Some(Op::Then) => self.perform_then(call, receivers, name),
            Some(Op::MapValue) => self.apply_callback(call, receivers, name),
            Some(op @ (Op::DecorateTool | Op::DecorateResource | Op::DecoratePrompt | Op::DecorateMethod)) => {
                // A server of which nothing is known but that it is used to decorate.
                if self.decorators.contains(&call.at) {
                    return self.decorate(call, op, None, Some(name));
                }
                self.escape_args(call);
                Vec::new()
            }
            Some(Op::Pass | Op::AsText) => {
                self.escape_args(call);
                receivers.to_vec()
            }
            _ => {
                self.escape_args(call);
                Vec::new()
            }
        }
    }

    /// Whether a call on something unknown reads a header or a query parameter by name.
    fn is_header_read(&mut self, module: u32, object: ExprId, name: &str) -> bool {
        if !matches!(name, "get" | "header" | "getHeader" | "getFirst") {
            return false;
        }
        let facts = self.program.module(module);
        let headers = self.looks_like_headers(module, object)
            || matches!(facts.kind(object), ExprKind::Member { name, .. } if *name == "searchParams");
        let request = match facts.kind(object) {
            ExprKind::Symbol(id) => {
                let symbol = facts.symbol(*id).name.text().to_ascii_lowercase();
                matches!(symbol.as_str(), "req" | "request" | "c" | "ctx" | "context")
                    || symbol.ends_with("req")
                    || symbol.ends_with("request")
            }
            ExprKind::Member { name, .. } => matches!(name.text(), "req" | "request"),
            _ => false,
        };
        headers || request
    }

    fn is_client_headers(&self, module: u32, object: ExprId) -> bool {
        match self.program.module(module).kind(object) {
            ExprKind::Symbol(id) => {
                let symbol = self.program.module(module).symbol(*id);
                // Headers that are built to be sent: a `new Headers()` of one's own.
                symbol.init.is_some() || symbol.name.text().to_ascii_lowercase().contains("headers")
            }
            _ => false,
        }
    }

    /// `x.post('/path', handler)` on an application of which the type is not known.
    fn maybe_route(&mut self, call: CallSite<'_>, name: &str) {
        let method = matches!(name, "get" | "post" | "put" | "delete" | "patch" | "all" | "use" | "options");
        if method && self.arg_texts(call, 0).iter().any(|text| text.text().starts_with('/')) && call.args.len() > 1 {
            self.perform(call, Op::Route, None, None);
        }
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

    fn bind_as(&mut self, call: CallSite<'_>, func: FuncRef, skip: usize, edge: Edge) -> Vec<Value> {
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
        self.read(self.return_node(func))
    }

    /// `f(**record)`: each parameter gets the record's value of its name, else what the record may hold.
    fn bind_spread(&mut self, func: FuncRef, values: &[Value], by_name: Option<usize>) {
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

    /// Functions among the arguments of a call into the unknown will be run by it.
    pub(super) fn escape_args(&mut self, call: CallSite<'_>) {
        for arg in call.args {
            let values = self.read_expr(call.at.module, arg.value);
            // An options object is one of a few; what may be anything is data.
            let few = values.len() <= 8;
            for value in values {
                match value {
                    Value::Func(func) => self.escape(call.at, func),
                    Value::Object(id) if few && self.object(id).class.is_none() => {
                        // Callbacks in an options object, which is no table.
                        let names = self.field_names.get(&Owner::Object(id)).into_iter().flatten();
                        let names: Vec<Name> = names.take(MANY_NAMES).copied().collect();
                        for name in names {
                            let node = self.field_node(Owner::Object(id), name);
                            for value in self.read(node) {
                                if let Value::Func(func) = value {
                                    self.escape(call.at, func);
                                }
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// A function that something unknown will run; one that names its first parameter a request is run for each of them.
    fn escape(&mut self, at: ExprRef, func: FuncRef) {
        self.edge(at, func, Edge::Callback);
        let first = self.program.function(func).params.first();
        let name = first.map(|param| self.program.module(func.module).symbol(param.symbol).name);
        if name.is_some_and(|name| matches!(name.text(), "req" | "request")) {
            self.route_root(func, 0);
        }
    }

    pub(super) fn eval_new(&mut self, at: ExprRef, callee: ExprId, args: &[Arg]) -> Vec<Value> {
        let call = CallSite { at, args };
        let mut out = Vec::new();
        let callees = self.read_expr(at.module, callee);
        for value in &callees {
            match value {
                Value::Class(class) => out.push(self.construct(call, *class)),
                Value::External(package, path) => out.extend(self.construct_external(call, *package, *path)),
                Value::Namespace(module) => {
                    if let Some(target) = self.export(*module, part::module()) {
                        for value in self.read_target(target, call.at.module) {
                            if let Value::Class(class) = value {
                                out.push(self.construct(call, class));
                            }
                        }
                    }
                }
                _ => {}
            }
        }
        // A class that is only declared here by type (`declare class`), or a missing import: by its name.
        if out.is_empty() {
            let name = match self.program.module(at.module).kind(callee) {
                ExprKind::Symbol(id) => Some(self.program.module(at.module).symbol(*id).name),
                ExprKind::Member { name, .. } => Some(*name),
                _ => None,
            };
            if let Some(name) = name {
                let row = self.program.tables(at.module).export("", name.text());
                out.push(self.external_object(at, Name::new(""), name, row.and_then(|row| row.gives)));
            }
            self.escape_args(call);
        }
        if self.typed {
            self.type_constructed(at, &out);
        }
        out
    }

    /// `new Map<string, Basket>()`: what its elements are by the written arguments.
    fn type_constructed(&mut self, at: ExprRef, made: &[Value]) {
        let Some(element) = self.program.module(at.module).type_args_of(at.id).last().copied() else { return };
        for value in made {
            if let Value::Object(id) = value
                && matches!(
                    self.object(*id).role,
                    Some(Role::Map | Role::List | Role::Set | Role::Cache | Role::WeakMap)
                )
            {
                self.type_elements(*id, At { module: at.module, id: element }, 0);
            }
        }
    }

    fn construct(&mut self, call: CallSite<'_>, class: ClassRef) -> Value {
        let id = self.instance(class);
        let whole = self.whole(class);
        self.instances.entry(whole).or_default().insert(call.at);
        // A class without a constructor of its own runs its base's.
        let mut at = class;
        for _ in 0..16 {
            let constructor = At { module: at.module, id: self.program.class(at).constructor };
            self.bind(call, constructor, 0);
            let written = !self.program.function(constructor).params.is_empty();
            let base = self.bases(at).into_iter().find_map(|base| match base {
                Base::Class(class) => Some(class),
                Base::External(..) => None,
            });
            match base {
                Some(base) if !written => at = base,
                _ => break,
            }
        }
        // A declared class is known by its name alone: a cache, a map.
        if self.object(id).role.is_none()
            && let Some(name) = self.program.class(class).name
            && self
                .program
                .class(class)
                .methods
                .iter()
                .all(|method| self.program.module(class.module).function(*method).returns.is_empty())
            && let Some(row) = self.program.tables(class.module).export("", name.text())
            && self.program.class(class).fields.is_empty()
        {
            return self.external_object(call.at, Name::new(""), name, row.gives);
        }
        if let Some(role) = self.object(id).role {
            self.set_up(call, role, id);
        }
        Value::Object(id)
    }

    fn call_super(&mut self, call: CallSite<'_>, class: ClassRef) {
        for base in self.bases(class) {
            match base {
                Base::Class(base) => {
                    let constructor = At { module: base.module, id: self.program.class(base).constructor };
                    self.bind(call, constructor, 0);
                }
                Base::External(package, path) => {
                    self.apply_options(call, package, path);
                    let id = self.instance(class);
                    if let Some(role) = self.object(id).role {
                        self.set_up(call, role, id);
                    }
                    self.escape_args(call);
                }
            }
        }
    }

    fn construct_external(&mut self, call: CallSite<'_>, package: Name, path: Name) -> Vec<Value> {
        let row = self.program.tables(call.at.module).export(package.text(), path.text());
        let role = row.and_then(|row| row.gives);
        self.apply_options(call, package, path);
        let value = self.external_object(call.at, package, path, role);
        if let (Some(role), Value::Object(id)) = (role, value) {
            self.set_up(call, role, id);
        } else {
            self.escape_args(call);
        }
        vec![value]
    }

    /// What the construction of an SDK object or a built-in container does with its arguments.
    /// The answer is what the new thing is besides: a map made of headers still has them.
    fn set_up(&mut self, call: CallSite<'_>, role: Role, id: ObjId) -> Vec<Value> {
        let mut views = Vec::new();
        match role {
            Role::Transport => self.set_up_transport(call),
            Role::Map | Role::WeakMap | Role::Set | Role::List => {
                for value in self.arg_values(call, 0) {
                    let Value::Object(source) = value else {
                        continue;
                    };
                    if matches!(self.object(source).role, Some(Role::Headers | Role::ContextHeaders | Role::Query)) {
                        views.push(value);
                    }
                    if role == Role::Map && self.is_record(source) {
                        self.copy_entries(source, Owner::Object(id));
                    }
                    let elements = self.field_node(self.owner(source), part::elements());
                    let elements = self.read(elements);
                    let node = self.field_node(Owner::Object(id), part::elements());
                    if matches!(role, Role::Set | Role::List) {
                        self.write(node, &elements);
                        continue;
                    }
                    for pair in elements {
                        let Value::Object(pair) = pair else { continue };
                        let second = self.field_node(Owner::Object(pair), Name::new("1"));
                        let values = self.read(second);
                        self.write(node, &values);
                    }
                }
            }
            Role::Request => {
                // A request made of the scope that it belongs to.
                views.extend(self.arg_values(call, 0));
                views
                    .retain(|value| matches!(value, Value::Object(id) if self.object(*id).role == Some(Role::Request)));
            }
            _ => self.escape_args(call),
        }
        views
    }

    fn set_up_transport(&mut self, call: CallSite<'_>) {
        for index in 0..call.args.len() {
            for value in self.arg_values(call, index) {
                let Value::Object(options) = value else {
                    continue;
                };
                for (field, kind, root) in [
                    ("onsessioninitialized", SourceKind::Initialized, Root::SessionStart),
                    ("onsessionclosed", SourceKind::Closed, Root::SessionEnd),
                ] {
                    for value in self.option_values(options, field) {
                        let Value::Func(func) = value else { continue };
                        self.root(func, root);
                        self.edge(call.at, func, Edge::Callback);
                        if let Some(node) = self.param_node(func, 0) {
                            let id = self.id_value(kind, call.at);
                            self.write(node, &[id]);
                        }
                    }
                }
                for value in self.option_values(options, "sessionIdGenerator") {
                    if let Value::Func(func) = value {
                        self.edge(call.at, func, Edge::Callback);
                        self.mint_returns(func);
                    }
                }
            }
        }
    }

    /// The values of a field of an options object, spreads included.
    pub(super) fn option_values(&mut self, options: ObjId, field: &str) -> Vec<Value> {
        let node = self.field_node(self.owner(options), Name::new(field));
        let mut out = self.read(node);
        if let Some(node) = self.known_field(Owner::Object(options), part::spread()) {
            for value in self.read(node) {
                if let Value::Object(id) = value
                    && id != options
                {
                    let node = self.field_node(self.owner(id), Name::new(field));
                    out.extend(self.read(node));
                }
            }
        }
        out
    }

    /// A generator that returns a local makes that local the session id.
    fn mint_returns(&mut self, generator: FuncRef) {
        for value in self.program.function(generator).returns.clone() {
            let at = At { module: generator.module, id: value };
            if let ExprKind::Symbol(symbol) = self.program.kind(at)
                && matches!(
                    self.program.module(at.module).symbol(*symbol).kind,
                    SymbolKind::Variable { .. } | SymbolKind::Parameter
                )
                && self.program.module(at.module).symbol(*symbol).func != generator.id
            {
                self.mint(at);
            }
        }
    }

    fn call_external(&mut self, call: CallSite<'_>, package: Name, path: Name) -> Vec<Value> {
        let tables = self.program.tables(call.at.module);
        self.apply_options(call, package, path);
        if let Some(row) = tables.export(package.text(), path.text()) {
            let mut out = match row.does {
                Some(op) => self.perform(call, op, None, None),
                None => Vec::new(),
            };
            match row.gives {
                Some(role) => {
                    let value = self.external_object(call.at, package, path, Some(role));
                    if let Value::Object(id) = value {
                        match row.does {
                            None => {
                                let views = self.set_up(call, role, id);
                                out.extend(views);
                            }
                            Some(Op::DefaultMap) => {
                                self.made_on_read(id);
                            }
                            // The value that a context variable has before it is set.
                            Some(Op::ContextSet) => {
                                if let Some(default) = call.named("default") {
                                    let values = self.read_expr(default.module, default.id);
                                    let store = self.field_node(Owner::Object(id), part::store());
                                    self.write(store, &values);
                                }
                            }
                            Some(_) => {}
                        }
                    }
                    out.push(value);
                }
                None if row.does.is_none() => self.escape_args(call),
                None => {}
            }
            return out;
        }
        // `Type::new()`: makes an instance of the type.
        if let Some((ty, name)) = path.text().rsplit_once('.')
            && tables.anywhere(name) == Some(Op::Construct)
        {
            return self.construct_external(call, package, Name::new(ty));
        }
        // A method of something external: `redis.get(…)` where `redis` is an import.
        if let Some((receiver, name)) = path
            .text()
            .rsplit_once('.')
            .map(|(a, b)| (Name::new(a), Name::new(b)))
            .or(Some((Name::new("default"), path)))
            && let Some(row) = tables.export(package.text(), receiver.text())
            && let Some(role) = row.gives
            && let Some(member) = tables.member(role, name.text())
        {
            let id =
                self.object_of(Site::Part(ObjId(u32::MAX), Name::new(&format!("{package}#{receiver}"))), || Object {
                    site: Site::Part(ObjId(u32::MAX), Name::new(&format!("{package}#{receiver}"))),
                    role: Some(role),
                    class: None,
                    external: Some((package, receiver)),
                });
            let mut out = match member.does {
                Some(op) => self.perform(call, op, Some(id), Some(name)),
                None => Vec::new(),
            };
            if let Some(gives) = member.gives {
                out.push(self.external_object(call.at, package, path, Some(gives)));
            }
            return out;
        }
        self.escape_args(call);
        if package == "" && !path.text().is_empty() && path.text().chars().next().is_some_and(char::is_lowercase) {
            return Vec::new();
        }
        vec![self.external_object(call.at, package, path, None)]
    }
}
