//! What declarations say: decorators and implemented traits, classes that are continued elsewhere, factories that are handed to an
//! SDK, values whose type only their use tells.

use super::calls::CallSite;
use super::types::Target;
use super::value::{ObjId, Site, Value};
use super::{Edge, Flow, Registered, Registration, Root};
use crate::model::facts::{FuncId, FuncKind, Type};
use crate::model::name::Name;
use crate::model::program::{At, ClassRef, FuncRef, TypeRef};
use crate::model::vocabulary::{Op, Role};

impl Flow<'_> {
    pub(super) fn link_decorators(&mut self) {
        for func in self.program.functions() {
            for decorator in &self.program.function(func).decorators {
                self.decorated.insert(At { module: func.module, id: *decorator }, func);
            }
        }
    }

    /// What an operation means for the function that it decorates.
    pub(super) fn perform_decorator(&mut self, call: CallSite<'_>, op: Op, func: FuncRef) -> Vec<Value> {
        let what = match op {
            Op::RegisterTool => Some(Registered::Tool),
            Op::RegisterResource => Some(Registered::Resource),
            Op::RegisterPrompt => Some(Registered::Prompt),
            Op::RequestHandler | Op::OnStart => Some(Registered::Method),
            _ => None,
        };
        if let Some(what) = what {
            self.root(func, Root::Handler);
            let written = call.args.iter().find(|arg| arg.name.is_some_and(|name| name == "name"));
            let written = written.and_then(|arg| {
                self.read_expr(call.at.module, arg.value).into_iter().find_map(|value| match value {
                    Value::Text(text) => Some(text),
                    _ => None,
                })
            });
            let name = written.or(self.program.function(func).name);
            self.registrations.insert(call.at, Registration { what, name, at: call.at, handlers: vec![func] });
        }
        match op {
            Op::OnStart => self.root(func, Root::SessionStart),
            Op::OnEnd => self.root(func, Root::SessionEnd),
            Op::RouteTyped => self.root(func, Root::Route),
            _ => {}
        }
        Vec::new()
    }

    /// Operations of languages that say by types and traits what others say by calls.
    pub(super) fn perform_declared(
        &mut self,
        call: CallSite<'_>,
        op: Op,
        receiver: Option<ObjId>,
        name: Option<Name>,
    ) -> Vec<Value> {
        let through = receiver.map(Value::Object).into_iter().collect::<Vec<_>>();
        match op {
            Op::ServeSessions => {
                self.serve_sessions(call, receiver);
                through
            }
            Op::Configure => {
                if let (Some(id), Some(name)) = (receiver, name) {
                    let values = self.arg_values(call, 0);
                    let node = self.field_node(self.owner(id), name);
                    self.write(node, &values);
                }
                through
            }
            Op::Make => {
                let value = self.external_object(call.at, Name::new(""), Name::new(""), None);
                if let Value::Object(id) = value {
                    self.fresh.insert(id);
                }
                vec![value]
            }
            Op::MapValue => self.apply_callback(call, &through, name.unwrap_or(Name::new("map"))),
            Op::Change => self.change(call, receiver),
            Op::TypedGet => self.typed_get(call, receiver),
            Op::RouteTyped => {
                for index in 0..call.args.len() {
                    for value in self.arg_values(call, index) {
                        if let Value::Func(func) = value {
                            self.root(func, Root::Route);
                            self.edge(call.at, func, Edge::Callback);
                        }
                    }
                }
                through
            }
            Op::EachPair => self.each_pair(call, receiver),
            _ => {
                self.escape_args(call);
                Vec::new()
            }
        }
    }

    /// A factory is handed over: it makes the server that the transport serves.
    fn serve_sessions(&mut self, call: CallSite<'_>, receiver: Option<ObjId>) {
        let transport = match receiver {
            Some(id) => Value::Object(id),
            None => self.external_object(call.at, Name::new(""), Name::new(""), Some(Role::Transport)),
        };
        let Value::Object(transport) = transport else { return };
        for value in self.arg_values(call, 0) {
            let Value::Func(func) = value else { continue };
            self.root(func, Root::Factory);
            self.edge(call.at, func, Edge::Callback);
            self.factories.entry(func).or_default().insert(transport);
            let node = self.return_node(func);
            for made in self.read(node) {
                if let Value::Object(server) = made {
                    self.connects.entry(call.at).or_default().insert((server, transport));
                }
            }
        }
    }

    /// The callbacks of a call on a value that may be absent get the value; the rest are alternatives to it.
    pub(super) fn apply_callback(&mut self, call: CallSite<'_>, receivers: &[Value], name: Name) -> Vec<Value> {
        let mut out = Vec::new();
        for index in 0..call.args.len() {
            for value in self.arg_values(call, index) {
                match value {
                    Value::Func(_) => out.extend(self.run_callback(call.at, value, &[receivers], Edge::Call)),
                    // A function of a library: what it makes of the value is the value.
                    Value::External(..) | Value::Method(..) => out.extend(receivers),
                    value => out.push(value),
                }
            }
        }
        if call.args.is_empty() || matches!(name.text(), "filter" | "inspect") {
            out.extend(receivers);
        }
        out
    }

    fn change(&mut self, call: CallSite<'_>, receiver: Option<ObjId>) -> Vec<Value> {
        let Some(id) = receiver else { return Vec::new() };
        let node = self.field_node(self.owner(id), Name::new("[]"));
        let elements = self.read(node);
        for index in 0..call.args.len() {
            for value in self.arg_values(call, index) {
                match value {
                    Value::Func(_) => {
                        self.run_callback(call.at, value, &[elements.as_slice()], Edge::Call);
                    }
                    Value::Object(other) if other != id && self.object(other).role == Some(Role::List) => {
                        let other = self.field_node(self.owner(other), Name::new("[]"));
                        let values = self.read(other);
                        self.write(node, &values);
                    }
                    value => self.write(node, &[value]),
                }
            }
        }
        elements
    }

    /// `bag.get::<Type>()`.
    fn typed_get(&mut self, call: CallSite<'_>, receiver: Option<ObjId>) -> Vec<Value> {
        let facts = self.program.module(call.at.module);
        let ty = facts.type_args_of(call.at.id).first().copied();
        let mut out = match ty {
            Some(ty) => self.typed(At { module: call.at.module, id: ty }, Site::Expr(call.at), 0),
            None => Vec::new(),
        };
        let attached = receiver.is_some_and(|id| self.object(id).role == Some(Role::Attached));
        let identity = ty.is_none_or(|ty| match facts.ty(ty) {
            Type::Named { path, .. } => {
                !matches!(path.text(), "ConnectInfo" | "MatchedPath" | "RequestId" | "OriginalUri" | "TraceId")
            }
            _ => true,
        });
        if attached && identity {
            out.push(Value::Credential(call.at));
        }
        out
    }

    fn each_pair(&mut self, call: CallSite<'_>, receiver: Option<ObjId>) -> Vec<Value> {
        let Some(id) = receiver else {
            self.escape_args(call);
            return Vec::new();
        };
        let owner = self.owner(id);
        let (keys, elements) = (self.field_node(owner, Name::new("[keys]")), self.field_node(owner, Name::new("[]")));
        let (keys, elements) = (self.read(keys), self.read(elements));
        let pair = [self.entry(id)];
        let mut out = Vec::new();
        for index in 0..call.args.len() {
            for callback in self.arg_values(call, index) {
                let Value::Func(func) = callback else { continue };
                let params: &[&[Value]] = match self.program.function(func).params.len() {
                    0 | 1 => &[&pair],
                    _ => &[&keys, &elements],
                };
                out.extend(self.run_callback(call.at, callback, params, Edge::Call));
            }
        }
        out.extend(elements);
        out
    }

    // Classes that are continued in another place.

    /// The class that a part belongs to: itself, where classes are written in one piece.
    pub fn whole(&self, class: ClassRef) -> ClassRef {
        if self.program.tables(class.module).traits.partial_classes { self.topmost(class) } else { class }
    }

    /// A class and all that continues it.
    pub fn parts(&self, class: ClassRef) -> Vec<ClassRef> {
        let mut out = vec![class];
        if self.program.tables(class.module).traits.partial_classes {
            out.extend(self.derived.get(&class).into_iter().flatten());
        }
        out
    }

    /// A method that another part of the class has.
    pub(super) fn method_of_parts(&self, class: ClassRef, name: Name, is_static: bool) -> Option<FuncRef> {
        self.parts(class).into_iter().skip(1).find_map(|part| {
            let facts = self.program.module(part.module);
            let found = facts.class(part.id).methods.iter().find(|id| {
                let func = facts.function(**id);
                func.name == Some(name) && func.is_static == is_static && func.kind != FuncKind::Setter
            });
            found.map(|id: &FuncId| At { module: part.module, id: *id })
        })
    }

    /// The role that a class has by what it implements.
    pub(super) fn implemented_role(&self, class: ClassRef) -> Option<Role> {
        let tables = self.program.tables(class.module);
        if !tables.traits.partial_classes {
            return None;
        }
        self.parts(class).into_iter().find_map(|part| {
            let facts = self.program.module(part.module);
            facts.class(part.id).implements.iter().find_map(|ty| match facts.ty(*ty) {
                Type::Named { head: Some(head), .. } => match self.target(At { module: part.module, id: *head }) {
                    Some(Target::External(package, path)) => tables.export(package.text(), path.text())?.gives,
                    _ => None,
                },
                Type::Named { head: None, decl: None, path, .. } => tables.export("", path.text())?.gives,
                _ => None,
            })
        })
    }

    // Fresh values.

    /// Gives fresh values the type of the place that they go to. What else they are by it comes back.
    pub(super) fn adopt(&mut self, values: &[Value], ty: TypeRef) -> Vec<Value> {
        let mut out = Vec::new();
        for value in values {
            let Value::Object(id) = *value else { continue };
            if !self.fresh.contains(&id) || self.object(id).role.is_some() {
                continue;
            }
            let Site::Expr(at) = self.object(id).site else { continue };
            for value in self.typed(ty, Site::Expr(at), 1) {
                let Value::Object(other) = value else { continue };
                if let Some(class) = self.object(other).class {
                    self.adopted |= self.instances.entry(class).or_default().insert(at);
                }
                if other != id {
                    out.push(value);
                }
            }
        }
        out
    }

    /// A fresh value turns out to play a role.
    pub(super) fn give_role(&mut self, id: ObjId, role: Option<Role>, external: Option<(Name, Name)>) {
        if role.is_none() || !self.fresh.contains(&id) || self.object(id).role.is_some() {
            return;
        }
        self.objects[id.index()].role = role;
        self.objects[id.index()].external = external;
        self.adopted = true;
    }
}
