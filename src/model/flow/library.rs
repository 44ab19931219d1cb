//! What the operations of the vocabulary do to values.

use super::calls::CallSite;
use super::value::{ObjId, Site, SourceKind, Value};
use super::{Edge, Flow, Owner, Registered, Root};
use crate::model::facts::ExprKind;
use crate::model::name::{Name, part};
use crate::model::program::{At, ExprRef};
use crate::model::vocabulary::{Op, Role};

impl Flow<'_> {
    /// Performs an operation; the result is what the call evaluates to, besides a role that the vocabulary gives it.
    pub(super) fn perform(
        &mut self,
        call: CallSite<'_>,
        op: Op,
        receiver: Option<ObjId>,
        name: Option<Name>,
    ) -> Vec<Value> {
        let decorates = matches!(
            op,
            Op::RegisterTool
                | Op::RegisterResource
                | Op::RegisterPrompt
                | Op::RequestHandler
                | Op::OnStart
                | Op::OnEnd
                | Op::RouteTyped
        );
        if decorates && let Some(&func) = self.decorated.get(&call.at) {
            return self.perform_decorator(call, op, func);
        }
        match op {
            Op::RegisterTool => self.register(call, Registered::Tool),
            Op::RegisterResource => self.register(call, Registered::Resource),
            Op::RegisterPrompt => self.register(call, Registered::Prompt),
            Op::RequestHandler => self.register(call, Registered::Method),
            Op::RegisterToolObject => {
                self.register_object(call);
                Vec::new()
            }
            Op::Connect => {
                let transports = self.arg_values(call, 0);
                for value in transports {
                    if let (Some(server), Value::Object(transport)) = (receiver, value) {
                        self.connects.entry(call.at).or_default().insert((server, transport));
                    }
                }
                Vec::new()
            }
            Op::ServePerRequest | Op::ServeInit => {
                for value in self.arg_values(call, 0) {
                    if let Value::Func(func) = value {
                        self.root(func, Root::RequestFactory);
                        let role = if op == Op::ServeInit { Role::Server } else { Role::HandlerContext };
                        let given = self.role_object(Site::Param(func, 0), Some(role));
                        if let Some(node) = self.param_node(func, 0) {
                            self.write(node, &[given]);
                        }
                    }
                }
                Vec::new()
            }
            Op::DecorateTool | Op::DecorateResource | Op::DecoratePrompt | Op::DecorateMethod | Op::DecorateRoute => {
                self.decorate(call, op, receiver, name)
            }
            Op::ServeSessions
            | Op::Configure
            | Op::Construct
            | Op::Make
            | Op::MapValue
            | Op::Change
            | Op::TypedGet
            | Op::OnStart
            | Op::OnEnd
            | Op::RouteTyped
            | Op::EachPair => self.perform_declared(call, op, receiver, name),
            Op::Extract
            | Op::Get
            | Op::Put
            | Op::Has
            | Op::Remove
            | Op::GetOrInsert
            | Op::Clear
            | Op::Add
            | Op::Take => self.perform_on_elements(call, op, receiver),
            Op::Find | Op::Each | Op::Collect | Op::Same => self.perform_each(call, op, receiver),
            Op::Keys | Op::Values | Op::Entries => self.perform_views(call, op, receiver),
            Op::Pass => match receiver {
                Some(id) => vec![Value::Object(id)],
                None => self.arg_values(call, 0),
            },
            Op::Wrap => self.arg_values(call, 0),
            Op::AsText => {
                let mut values = self.arg_values(call, 0);
                if call.arg(0).is_none() {
                    // `UUID(hex = text)`
                    for arg in call.args.iter().filter(|arg| !arg.spread) {
                        values.extend(self.read_expr(call.at.module, arg.value));
                    }
                }
                if let Some(id) = receiver {
                    let node = self.field_node(self.owner(id), part::elements());
                    values.extend(self.read(node));
                }
                values.retain(|v| {
                    matches!(
                        v,
                        Value::Id(_) | Value::Credential(_) | Value::Text(_) | Value::Random(_) | Value::Argument(_)
                    )
                });
                values
            }
            Op::Route => {
                self.perform_route(call);
                receiver.map(Value::Object).into_iter().collect()
            }
            Op::RouteObject => {
                self.perform_route_object(call);
                Vec::new()
            }
            Op::Serve => {
                self.perform_serve(call);
                Vec::new()
            }
            Op::HeaderGet => {
                let role = receiver.and_then(|id| self.object(id).role).unwrap_or(Role::Headers);
                let mut out = Vec::new();
                for text in self.arg_texts(call, 0) {
                    out.extend(self.named_value(call.at, role, text.text()));
                }
                out
            }
            Op::HeaderSet => {
                let session = self.arg_texts(call, 0).iter().any(|text| super::eval::is_session_header(text.text()));
                if session && let Some(value) = call.arg(1) {
                    self.mint(value);
                }
                receiver.map(Value::Object).into_iter().collect()
            }
            Op::ContextRun => {
                let Some(id) = receiver else {
                    return Vec::new();
                };
                let values = self.arg_values(call, 0);
                let store = self.field_node(Owner::Object(id), part::store());
                self.write(store, &values);
                let mut out = Vec::new();
                for value in self.arg_values(call, 1) {
                    out.extend(self.run_callback(call.at, value, &[], Edge::Call));
                }
                out
            }
            Op::ContextGet => {
                let Some(id) = receiver else {
                    return Vec::new();
                };
                let store = self.field_node(Owner::Object(id), part::store());
                let mut held = self.read(store);
                // `CURRENT.with(|current| current.clone())`
                let given = self.arg_values(call, 0);
                if given.iter().any(|value| matches!(value, Value::Func(_))) {
                    let seen = std::mem::take(&mut held);
                    for value in given {
                        held.extend(self.run_callback(call.at, value, &[&seen], Edge::Call));
                    }
                }
                held
            }
            Op::ContextSet => {
                if let Some(id) = receiver {
                    let values = self.arg_values(call, 0);
                    let store = self.field_node(Owner::Object(id), part::store());
                    self.write(store, &values);
                }
                Vec::new()
            }
            Op::Merge => {
                if let Some(id) = receiver {
                    self.merge(call, id);
                }
                Vec::new()
            }
            Op::Apply => {
                let rest = CallSite { at: call.at, args: call.args.get(1..).unwrap_or_default() };
                let mut out = Vec::new();
                for value in self.arg_values(call, 0) {
                    out.extend(self.call_value(rest, value).unwrap_or_default());
                }
                out
            }
            Op::Inject => self.inject(call),
            Op::HeaderParameter => self.header_parameter(call),
            Op::RequestHeaders => {
                let role = if call.args.is_empty() { Role::StrippedHeaders } else { Role::Headers };
                vec![self.role_object(Site::Expr(call.at), Some(role))]
            }
            Op::IdentityOf => {
                let mut out = Vec::new();
                for value in self.arg_values(call, 0) {
                    if self.stands_for_session(value) {
                        out.push(self.id_value(SourceKind::Identity, call.at));
                    }
                }
                out
            }
            Op::RandomId => vec![Value::Random(call.at)],
            Op::StartTimer => {
                for value in self.arg_values(call, 0) {
                    if let Value::Func(func) = value {
                        self.edge(call.at, func, Edge::Callback);
                        let repeats = matches!(self.program.kind(call.at), ExprKind::Call { callee, .. }
                            if matches!(self.program.module(call.at.module).kind(*callee), ExprKind::Global(name) if *name == "setInterval"));
                        if repeats {
                            self.root(func, Root::Timer);
                        }
                    }
                }
                Vec::new()
            }
            Op::Then => self.perform_then(
                call,
                &receiver.map(Value::Object).into_iter().collect::<Vec<_>>(),
                name.unwrap_or(Name::new("then")),
            ),
            Op::ListChanged
            | Op::Notify
            | Op::AskClient
            | Op::LogMessage
            | Op::ClientInfo
            | Op::Switch
            | Op::IsInitialize
            | Op::IsLegacy
            | Op::ConnectClient
            | Op::Spawn
            | Op::Log
            | Op::Measure
            | Op::StopTimer
            | Op::Fetch
            | Op::Authenticate
            | Op::HandleRequest
            | Op::Send
            | Op::Query
            | Op::DefaultMap
            | Op::SessionLifespan
            | Op::ProcessLifespan
            | Op::SessionOption
            | Op::SessionVisibility
            | Op::RequestOnly
            | Op::StructuralType
            | Op::Table
            | Op::SessionUpstreams
            | Op::StateGet
            | Op::StateSet => {
                self.escape_args(call);
                Vec::new()
            }
        }
    }

    pub(super) fn perform_then(&mut self, call: CallSite<'_>, receivers: &[Value], name: Name) -> Vec<Value> {
        let mut out = Vec::new();
        for index in 0..call.args.len().min(2) {
            for callback in self.arg_values(call, index) {
                let given: &[Value] = if name == "then" && index == 0 { receivers } else { &[] };
                out.extend(self.run_callback(call.at, callback, &[given], Edge::Call));
            }
        }
        if name != "then" {
            out.extend(receivers);
        }
        out
    }

    pub(super) fn perform_route(&mut self, call: CallSite<'_>) {
        for index in 0..call.args.len() {
            for value in self.arg_values(call, index) {
                self.route_handler(call.at, value, 0);
            }
        }
    }

    pub(super) fn route_handler(&mut self, at: ExprRef, value: Value, depth: u32) {
        match value {
            Value::Func(func) => {
                // An error handler takes the error first.
                let first = usize::from(self.program.function(func).params.len() == 4);
                self.route_root(func, first);
                self.edge(at, func, Edge::Callback);
            }
            Value::Object(id) if depth < 2 && self.object(id).role == Some(Role::List) => {
                let node = self.field_node(Owner::Object(id), part::elements());
                for value in self.read(node) {
                    self.route_handler(at, value, depth + 1);
                }
            }
            _ => {}
        }
    }

    pub(super) fn perform_route_object(&mut self, call: CallSite<'_>) {
        for value in self.arg_values(call, 0) {
            if let Value::Object(id) = value {
                for field in ["handler", "preHandler", "onRequest"] {
                    for value in self.option_values(id, field) {
                        self.route_handler(call.at, value, 0);
                    }
                }
            }
        }
        // `app.route('/sub', router)` runs nothing by itself; a function given to it is a handler.
        for value in self.arg_values(call, 1) {
            self.route_handler(call.at, value, 0);
        }
    }

    pub(super) fn perform_serve(&mut self, call: CallSite<'_>) {
        for index in 0..call.args.len() {
            for value in self.arg_values(call, index) {
                self.route_handler(call.at, value, 0);
                if let Value::Object(id) = value {
                    for field in ["fetch", "handler"] {
                        for value in self.option_values(id, field) {
                            self.route_handler(call.at, value, 0);
                        }
                    }
                }
            }
        }
    }

    /// The expression that an argument of a call by position is, for questions after solving.
    pub fn argument(&self, call: ExprRef, index: usize) -> Option<ExprRef> {
        match self.program.kind(call) {
            ExprKind::Call { args, .. } | ExprKind::New { args, .. } => {
                let arg = args.get(index)?;
                (!arg.spread && arg.name.is_none()).then_some(At { module: call.module, id: arg.value })
            }
            _ => None,
        }
    }
}
