//! Calls of which the receiver is not known: what their names and arguments give away.

use super::calls::CallSite;
use super::collections::MANY_NAMES;
use super::value::{SourceKind, Value};
use super::{Edge, Flow, Owner};
use crate::model::facts::{ExprId, ExprKind};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::vocabulary::{Op, Role};

impl Flow<'_> {
    /// A call on a receiver of which nothing fitting is known.
    pub(super) fn call_unknown(
        &mut self,
        call: CallSite<'_>,
        object: ExprId,
        receivers: &[Value],
        name: Name,
    ) -> Vec<Value> {
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
            if parameters && texts.iter().any(|t| super::eval::is_credential_parameter(t.text())) {
                return vec![Value::Credential(call.at)];
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
        if text == "exec" {
            // What a pattern finds in a header is a part of it.
            let tracked = |value: &Value| matches!(value, Value::Id(_) | Value::Credential(_));
            let found: Vec<Value> = self.arg_values(call, 0).into_iter().filter(tracked).collect();
            if !found.is_empty() {
                return found;
            }
        }
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
    pub(super) fn is_header_read(&mut self, module: u32, object: ExprId, name: &str) -> bool {
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

    pub(super) fn is_client_headers(&self, module: u32, object: ExprId) -> bool {
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
    pub(super) fn maybe_route(&mut self, call: CallSite<'_>, name: &str) {
        let method = matches!(name, "get" | "post" | "put" | "delete" | "del" | "patch" | "all" | "use" | "options");
        if method && self.arg_texts(call, 0).iter().any(|text| text.text().starts_with('/')) && call.args.len() > 1 {
            self.perform(call, Op::Route, None, None);
        }
    }

    /// What a function that is called to authenticate makes of a request, or of a credential, is an identity.
    pub(super) fn authenticated(&mut self, call: CallSite<'_>, callee: ExprId) -> Vec<Value> {
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
        let reads = || call.args.is_empty() && name.contains("authenticat") && self.reads_headers(call.at);
        if request || reads() { vec![Value::Credential(call.at)] } else { Vec::new() }
    }

    /// Whether a function of the program that a call runs asks for the headers of the request by itself.
    fn reads_headers(&self, call: ExprRef) -> bool {
        self.callees(call).into_iter().any(|func| {
            let facts = self.program.module(func.module);
            facts.expr_ids().filter(|id| facts.expr(*id).func == func.id).any(|id| {
                self.objects_at(At { module: func.module, id }).any(|id| {
                    matches!(
                        self.object(id).role,
                        Some(Role::Headers | Role::StrippedHeaders | Role::ContextHeaders | Role::Request)
                    )
                })
            })
        })
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
    pub(super) fn escape(&mut self, at: ExprRef, func: FuncRef) {
        self.edge(at, func, Edge::Callback);
        let first = self.program.function(func).params.first();
        let name = first.map(|param| self.program.module(func.module).symbol(param.symbol).name);
        if !name.is_some_and(|name| matches!(name.text(), "req" | "request")) {
            return;
        }
        // Handlers of the protocol name it so too: a receiver that is only not known yet says what it runs later on.
        match self.current {
            Some(task) if !self.guessing => {
                self.guesses.insert(task);
            }
            _ => self.route_root(func, 0),
        }
    }
}
