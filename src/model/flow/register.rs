//! Registrations of tools, resources, prompts and request handlers.

use super::calls::CallSite;
use super::value::{Site, Value};
use super::{Flow, Registered, Registration, Root};
use crate::model::facts::{ExprKind, Key};
use crate::model::name::Name;
use crate::model::program::FuncRef;
use crate::model::vocabulary::Role;

impl Flow<'_> {
    pub(super) fn register(&mut self, call: CallSite<'_>, what: Registered) -> Vec<Value> {
        let Some(last) = call.args.len().checked_sub(1) else {
            return Vec::new();
        };
        let name = self.registered_name(call, what);
        let handlers: Vec<FuncRef> = self
            .arg_values(call, last)
            .into_iter()
            .filter_map(|value| match value {
                Value::Func(func) => Some(func),
                _ => None,
            })
            .collect();
        let has_arguments = self.handler_takes_arguments(call, what);
        for handler in &handlers {
            self.handler_root(*handler, what, has_arguments);
        }
        let entry = self.registrations.entry(call.at).or_insert_with(|| Registration {
            what,
            name: None,
            at: call.at,
            handlers: Vec::new(),
        });
        entry.name = entry.name.or(name);
        for handler in handlers {
            if !entry.handlers.contains(&handler) {
                entry.handlers.push(handler);
            }
        }
        Vec::new()
    }

    /// Whether a function is among the arguments: what a registration hands over, and a helper that only words an answer does not.
    pub(super) fn is_given_function(&mut self, call: CallSite<'_>) -> bool {
        let module = call.at.module;
        call.args
            .iter()
            .any(|arg| self.read_expr(module, arg.value).iter().any(|value| matches!(value, Value::Func(_))))
    }

    /// `registerAppTool(server, name, …, handler)`: a library's way of registering on the server that it is given.
    pub(super) fn register_through(&mut self, call: CallSite<'_>, path: Name) -> bool {
        let Some((server, rest)) = call.args.split_first() else { return false };
        let name = path.text().rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
        let what = match name.as_str() {
            name if name.contains("tool") => Registered::Tool,
            name if name.contains("resource") => Registered::Resource,
            name if name.contains("prompt") => Registered::Prompt,
            _ => return false,
        };
        let given = CallSite { at: call.at, args: rest };
        let receivers = self.read_expr(call.at.module, server.value);
        let is_server =
            |value: &Value| matches!(value, Value::Object(id) if self.object(*id).role == Some(Role::Server));
        if !receivers.iter().any(is_server) || !self.is_given_function(given) {
            return false;
        }
        self.register(given, what);
        true
    }

    pub(super) fn registered_name(&mut self, call: CallSite<'_>, what: Registered) -> Option<Name> {
        if what == Registered::Method {
            let first = call.arg(0)?;
            return match self.program.kind(first) {
                ExprKind::Symbol(id) => Some(self.program.module(first.module).symbol(*id).name),
                ExprKind::Member { name, .. } => Some(*name),
                ExprKind::Text(text) => Some(*text),
                _ => None,
            };
        }
        self.arg_texts(call, 0).first().copied().or_else(|| self.name_in_configuration(call, what))
    }

    /// `tool({ name, inputSchema }, handler)`: libraries around the SDK take the name with the rest.
    fn name_in_configuration(&mut self, call: CallSite<'_>, what: Registered) -> Option<Name> {
        let configurations = if what == Registered::Tool { self.arg_values(call, 0) } else { Vec::new() };
        let objects = configurations.into_iter().filter_map(|value| match value {
            Value::Object(id) => Some(id),
            _ => None,
        });
        let named = objects.flat_map(|id| self.option_values(id, "name")).collect::<Vec<_>>();
        named.into_iter().find_map(|value| match value {
            Value::Text(text) => Some(text),
            _ => None,
        })
    }

    /// Whether the handler gets arguments before the context: `None` where it can't be told.
    pub(super) fn handler_takes_arguments(&mut self, call: CallSite<'_>, what: Registered) -> Option<bool> {
        match what {
            Registered::Method | Registered::Resource => Some(true),
            Registered::Prompt | Registered::Tool => {
                // `tool(name, …, {}, handler)`: an empty shape is a shape.
                let shaped = self.callee_name(call.at).is_some_and(|name| matches!(name.text(), "tool" | "prompt"));
                let middle = call.args.len().saturating_sub(2);
                if middle == 0 {
                    // The configuration comes first where it has the name.
                    return Some(
                        matches!(call.arg(0).map(|first| self.program.kind(first)), Some(ExprKind::Object(fields))
                        if fields.iter().any(|field| matches!(&field.key,
                            Key::Name(name) if matches!(name.text(), "inputSchema" | "schema" | "parameters")))),
                    );
                }
                let mut known = true;
                for index in 1..=middle {
                    let arg = call.arg(index)?;
                    match self.program.kind(arg) {
                        ExprKind::Text(_) | ExprKind::Template(_) => {}
                        ExprKind::Object(fields) => {
                            let has = |wanted: &[&str]| {
                                fields
                                    .iter()
                                    .any(|field| matches!(&field.key, Key::Name(name) if wanted.contains(&name.text())))
                            };
                            if has(&["inputSchema", "argsSchema"]) {
                                return Some(true);
                            }
                            let spread = fields.iter().any(|field| matches!(field.key, Key::Spread));
                            let configuration =
                                has(&["description", "title", "annotations", "outputSchema", "_meta", "icons"]);
                            let annotations =
                                has(&["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"]);
                            if (shaped || !fields.is_empty()) && !configuration && !annotations && !spread {
                                // The raw shape of the old overloads.
                                return Some(true);
                            }
                            known &= !spread;
                        }
                        _ => known = false,
                    }
                }
                if known { Some(false) } else { None }
            }
        }
    }

    pub(super) fn handler_root(&mut self, handler: FuncRef, what: Registered, takes_arguments: Option<bool>) {
        self.root(handler, Root::Handler);
        let count = self.program.function(handler).params.len();
        let context_at = match (what, takes_arguments) {
            (Registered::Resource, _) => count.checked_sub(1).filter(|at| *at >= 1),
            (_, Some(true)) => Some(1),
            (_, Some(false)) => Some(0),
            // Two parameters: arguments and context. One: it may be either.
            (_, None) => Some(count.saturating_sub(1).min(1)),
        };
        if let Some(index) = context_at
            && let Some(node) = self.param_node(handler, index)
        {
            let context = self.role_object(Site::Param(handler, index as u32), Some(Role::HandlerContext));
            self.write(node, &[context]);
        }
        if takes_arguments != Some(false)
            && let Some(node) = self.param_node(handler, 0)
            && context_at != Some(0)
        {
            self.write(node, &[Value::Argument(handler)]);
        }
    }

    /// `addTool({ name, execute })`.
    pub(super) fn register_object(&mut self, call: CallSite<'_>) {
        for value in self.arg_values(call, 0) {
            let Value::Object(id) = value else { continue };
            let mut handlers = Vec::new();
            for field in ["execute", "handler", "run", "call"] {
                for value in self.option_values(id, field) {
                    if let Value::Func(func) = value {
                        self.handler_root(func, Registered::Tool, Some(true));
                        handlers.push(func);
                    }
                }
            }
            let name = self.option_values(id, "name").into_iter().find_map(|value| match value {
                Value::Text(text) => Some(text),
                _ => None,
            });
            self.registrations.insert(call.at, Registration { what: Registered::Tool, name, at: call.at, handlers });
        }
    }
}
