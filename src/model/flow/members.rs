//! Members and indexes: what a name or a key of a value may be.

use super::eval::{is_credential_header, is_credential_parameter, is_session_header, is_session_parameter};
use super::nodes::Node;
use super::types::{Target, join};
use super::value::{ObjId, Site, SourceKind, Value};
use super::{Edge, Flow, Owner};
use crate::model::facts::{ExprId, ExprKind, FuncKind, Key};
use crate::model::name::{Name, part};
use crate::model::program::{At, ClassRef, ExprRef, FuncRef};
use crate::model::vocabulary::{Role, Source};

impl Flow<'_> {
    pub(super) fn eval_member(&mut self, at: ExprRef, object: ExprId, name: Name) -> Vec<Value> {
        let receivers = self.read_expr(at.module, object);
        let mut out = match receivers.as_slice() {
            [value] => self.member(at, *value, name),
            _ => {
                let mut out = Node::default();
                for value in &receivers {
                    out.add(&self.member(at, *value, name));
                }
                out.values
            }
        };
        // A session id by its name on something that nothing is known of: a transport handed around untyped.
        let unknown = !receivers.iter().any(|value| matches!(value, Value::Object(_)));
        if out.is_empty()
            && unknown
            && name == "sessionId"
            && self.typed
            && self.looks_like_transport(at.module, object)
        {
            out.push(self.id_value(SourceKind::Transport, at));
        }
        if out.is_empty() && is_session_header(name.text()) && self.looks_like_headers(at.module, object) {
            out.push(self.id_value(SourceKind::Header, at));
        }
        out
    }

    pub(super) fn looks_like_transport(&self, module: u32, object: ExprId) -> bool {
        match self.program.module(module).kind(object) {
            ExprKind::Symbol(id) => {
                let symbol = self.program.module(module).symbol(*id);
                symbol.name.text().to_ascii_lowercase().ends_with("transport")
            }
            ExprKind::Member { name, .. } => name.text().to_ascii_lowercase().ends_with("transport"),
            _ => false,
        }
    }

    /// Whether an expression of unknown value is written like the headers of a request.
    pub(super) fn looks_like_headers(&self, module: u32, object: ExprId) -> bool {
        if self.at(At { module, id: object }).iter().any(|value| {
            matches!(value, Value::Object(id) if matches!(self.object(*id).role, Some(Role::FetchResponse | Role::Response | Role::Map)))
        }) {
            return false;
        }
        self.named_like_headers(module, object)
    }

    /// Whether an expression is written like the headers of a request, whatever it is.
    pub(super) fn named_like_headers(&self, module: u32, object: ExprId) -> bool {
        let facts = self.program.module(module);
        let response = |id: ExprId| match facts.kind(id) {
            ExprKind::Symbol(id) => {
                let name = facts.symbol(*id).name.text().to_ascii_lowercase();
                matches!(name.as_str(), "res" | "r") || name.contains("resp") || name.contains("result")
            }
            ExprKind::Member { name, .. } => name.text().to_ascii_lowercase().contains("resp"),
            ExprKind::Call { .. } => true,
            _ => false,
        };
        match facts.kind(object) {
            ExprKind::Member { object, name } => *name == "headers" && !response(*object),
            ExprKind::Symbol(id) => {
                let name = facts.symbol(*id).name.text().to_ascii_lowercase();
                (name.contains("headers") && !name.contains("resp"))
                    || facts.symbol(*id).init.is_some_and(|init| self.copies_headers(module, init))
            }
            _ => false,
        }
    }

    /// `{name.lower(): value for name, value in headers.items()}`: headers under names of one spelling.
    fn copies_headers(&self, module: u32, init: ExprId) -> bool {
        let facts = self.program.module(module);
        let ExprKind::Object(fields) = facts.kind(init) else { return false };
        let span = facts.expr(init).span;
        matches!(fields.as_slice(), [field] if matches!(field.key, Key::Computed(_)))
            && facts.exprs.iter().any(|expr| match &expr.kind {
                ExprKind::Member { object, name } => {
                    *name == "items" && span.contains(expr.span) && self.named_like_headers(module, *object)
                }
                _ => false,
            })
    }

    /// The values of a member of a value.
    pub(super) fn member(&mut self, at: ExprRef, value: Value, name: Name) -> Vec<Value> {
        match value {
            Value::Object(id) => self.object_member(at, id, name),
            Value::Namespace(module) => self.namespace_member(at, module, name),
            Value::External(package, path) => match self.request_at_hand(at.module, package, path) {
                Some(request) => self.member(at, request, name),
                None => vec![self.external(at.module, package, join(path, name))],
            },
            Value::Class(class) => {
                if let Some(method) = self.method_of(class, name, true) {
                    return vec![Value::Func(method)];
                }
                if self.program.tables(at.module).traits.class_attributes {
                    return self.class_attribute(class, name);
                }
                let node = self.field_node(Owner::Static(class), name);
                self.read(node)
            }
            Value::Id(_) | Value::Credential(_) if name == "length" => Vec::new(),
            // What hangs on an argument is an argument, a part of an identity is one, a random id in another spelling is one.
            Value::Argument(_) if name == "_meta" => vec![value, self.message_meta()],
            Value::Argument(_) | Value::Random(_) => vec![value],
            Value::Credential(_) if name != "length" => vec![value],
            // `headers['x']?.[0]` and the like.
            Value::Id(_) | Value::Credential(_) if name.text().parse::<u8>().is_ok() => vec![value],
            _ => Vec::new(),
        }
    }

    /// `from flask import request`: an export that stands for whatever request is at hand.
    fn request_at_hand(&mut self, module: u32, package: Name, path: Name) -> Option<Value> {
        let row = self.program.tables(module).export(package.text(), path.text())?;
        let exported = path.text().rsplit('.').next().is_some_and(|name| name.starts_with(char::is_lowercase));
        if row.gives != Some(Role::Request) || row.does.is_some() || !exported || package == "" {
            return None;
        }
        let site = Site::Part(ObjId(u32::MAX), Name::new(&format!("{package}#{path}")));
        Some(self.role_object(site, row.gives))
    }

    pub(super) fn namespace_member(&mut self, at: ExprRef, module: u32, name: Name) -> Vec<Value> {
        if let Some(target) = self.export(module, name)
            && target != Target::Namespace(module)
        {
            return self.read_target(target, at.module);
        }
        if let Some(inner) = self.inner_module(module, name) {
            return vec![Value::Namespace(inner)];
        }
        let mut out = Vec::new();
        if let Some(target) = self.export(module, part::module()) {
            for value in self.read_target(target, at.module) {
                out.extend(self.member(at, value, name));
            }
        }
        out
    }

    pub(super) fn find_method(&self, class: ClassRef, name: Name, is_static: bool) -> Option<FuncRef> {
        let mut at = class;
        for _ in 0..16 {
            let facts = self.program.module(at.module);
            let found = facts.class(at.id).methods.iter().find(|id| {
                let func = facts.function(**id);
                func.name == Some(name) && func.is_static == is_static && func.kind != FuncKind::Setter
            });
            if let Some(id) = found {
                return Some(At { module: at.module, id: *id });
            }
            if let Some(method) = self.method_of_parts(at, name, is_static) {
                return Some(method);
            }
            let base = self.parent(at);
            match base {
                Some(base) => at = base,
                None => break,
            }
        }
        None
    }

    pub(super) fn find_methods(&self, class: ClassRef, name: Name) -> Vec<FuncRef> {
        let mut out: Vec<FuncRef> = self.method_of(class, name, false).into_iter().collect();
        let mut pending: Vec<ClassRef> = self.derived.get(&class).into_iter().flatten().copied().collect();
        let mut seen = 0;
        while let Some(derived) = pending.pop() {
            seen += 1;
            if seen > 64 {
                break;
            }
            if let Some(method) = self.method_of(derived, name, false)
                && !out.contains(&method)
            {
                out.push(method);
            }
            pending.extend(self.derived.get(&derived).into_iter().flatten());
        }
        if out.is_empty() && self.program.tables(class.module).traits.class_attributes {
            out.extend(self.method_of(class, name, true));
        }
        out
    }

    pub(super) fn object_member(&mut self, at: ExprRef, id: super::value::ObjId, name: Name) -> Vec<Value> {
        let object = self.object(id).clone();
        if let Some(class) = object.class {
            // A transport of the program's own has its id under the name that the SDK's have it.
            if object.role == Some(Role::SseTransport) && name == "sessionId" {
                return vec![self.id_value(SourceKind::SseTransport, at)];
            }
            let methods = self.methods_of(class, name);
            if !methods.is_empty() {
                let mut out = Vec::new();
                for &method in methods.iter() {
                    if self.program.function(method).kind == FuncKind::Getter {
                        self.edge(at, method, Edge::Call);
                        out.extend(self.read(self.return_node(method)));
                    } else {
                        out.push(Value::Func(method));
                    }
                }
                return out;
            }
            let node = self.field_node(Owner::Class(self.topmost(class)), name);
            let mut values = self.read(node);
            if self.program.tables(class.module).traits.class_attributes {
                values.extend(self.class_attribute(class, name));
            }
            if !values.is_empty() || object.role.is_none() {
                return values;
            }
        }
        let mut out = Vec::new();
        if let Some(role) = object.role {
            if matches!(
                role,
                Role::Headers | Role::ContextHeaders | Role::StrippedHeaders | Role::Query | Role::PathParameters
            ) {
                return self.named_value(at, role, name.text());
            }
            if let Some(row) = self.program.tables(at.module).member(role, name.text()) {
                out.extend(row.source.map(|source| self.entering(at, role, source)).unwrap_or_default());
                if row.does.is_some() {
                    out.push(Value::Method(id, name));
                } else if let Some(gives) = row.gives {
                    out.push(self.role_object(Site::Part(id, name), Some(gives)));
                }
            }
        }
        let node = self.field_node(self.owner(id), name);
        out.extend(self.read(node));
        for spread in self.spreads(id) {
            out.extend(self.member_of_spread(at, spread, name));
        }
        out
    }

    /// What enters where a member of something that plays a role is read, or is called for it.
    pub(super) fn entering(&mut self, at: ExprRef, role: Role, source: Source) -> Vec<Value> {
        let kind = match source {
            Source::ContextId => SourceKind::Context,
            Source::TransportId if role == Role::SseTransport => SourceKind::SseTransport,
            Source::TransportId => SourceKind::Transport,
            Source::FreshId => SourceKind::Fresh,
            Source::MissingId => SourceKind::Missing,
            Source::RemovedId => SourceKind::Removed,
            Source::Lifespan => return self.lifespan_values(),
            Source::Identity if matches!(role, Role::Request | Role::SessionFramework) => {
                return vec![Value::Credential(at)];
            }
            Source::Identity | Source::ClientInfo => return Vec::new(),
        };
        vec![self.id_value(kind, at)]
    }

    /// What routes put into the `_meta` of the messages that they hand on.
    fn message_meta(&mut self) -> Value {
        self.role_object(Site::Part(ObjId(u32::MAX), Name::new("_meta")), Some(Role::MessageMeta))
    }

    pub(super) fn spreads(&mut self, id: super::value::ObjId) -> Vec<Value> {
        match self.known_field(Owner::Object(id), part::spread()) {
            Some(node) => self.read(node),
            None => Vec::new(),
        }
    }

    pub(super) fn member_of_spread(&mut self, at: ExprRef, value: Value, name: Name) -> Vec<Value> {
        match value {
            Value::Object(id) => {
                let owner = match self.object(id).class {
                    Some(class) => Owner::Class(self.topmost(class)),
                    None => Owner::Object(id),
                };
                let node = self.field_node(owner, name);
                let mut out = self.read(node);
                if let Some(role) = self.object(id).role
                    && let Some(row) = self.program.tables(at.module).member(role, name.text())
                    && row.source == Some(Source::ContextId)
                {
                    out.push(self.id_value(SourceKind::Context, at));
                }
                out
            }
            _ => Vec::new(),
        }
    }

    /// A header or query value by its name.
    pub(super) fn named_value(&mut self, at: ExprRef, role: Role, name: &str) -> Vec<Value> {
        match role {
            Role::Query if is_session_parameter(name) => vec![self.id_value(SourceKind::Query, at)],
            Role::PathParameters if self.is_path_session(at, name) => vec![self.id_value(SourceKind::Query, at)],
            Role::Headers | Role::Request if is_session_header(name) => {
                vec![self.id_value(SourceKind::Header, at)]
            }
            Role::StrippedHeaders if is_session_header(name) => vec![self.id_value(SourceKind::Missing, at)],
            Role::ContextHeaders if is_session_header(name) => {
                vec![self.id_value(SourceKind::ToolHeader, at)]
            }
            Role::Headers | Role::Request if is_credential_header(name) => {
                vec![Value::Credential(at)]
            }
            Role::Query if is_credential_parameter(name) => vec![Value::Credential(at)],
            _ => Vec::new(),
        }
    }

    pub(super) fn eval_index(&mut self, at: ExprRef, object: ExprId, key: ExprId) -> Vec<Value> {
        let receivers = self.read_expr(at.module, object);
        let keys = self.read_expr(at.module, key);
        let texts: Vec<Name> = keys
            .iter()
            .filter_map(|value| match value {
                Value::Text(text) => Some(*text),
                _ => None,
            })
            .collect();
        let mut out = Vec::new();
        for value in &receivers {
            match value {
                Value::Object(id) => {
                    let role = self.object(*id).role;
                    if let Some(
                        role @ (Role::Headers
                        | Role::ContextHeaders
                        | Role::StrippedHeaders
                        | Role::Query
                        | Role::PathParameters),
                    ) = role
                    {
                        for text in &texts {
                            out.extend(self.named_value(at, role, text.text()));
                        }
                        continue;
                    }
                    for text in &texts {
                        out.extend(self.member(at, *value, *text));
                    }
                    let owner = self.owner(*id);
                    let node = self.field_node(owner, part::elements());
                    out.extend(self.read(node));
                    // A table of named things, looked up by a name that is not known.
                    if texts.is_empty() {
                        out.extend(self.named_fields(owner));
                    }
                    if let Some(made) = self.made_on_read(*id) {
                        out.extend(made);
                    }
                }
                // An element of a header that came as a list, a character of an id.
                Value::Id(_) | Value::Credential(_) | Value::Argument(_) => out.push(*value),
                Value::Namespace(_) | Value::External(..) | Value::Class(_) => {
                    for text in &texts {
                        out.extend(self.member(at, *value, *text));
                    }
                }
                _ => {}
            }
        }
        if out.is_empty()
            && texts.iter().any(|text| is_session_header(text.text()))
            && self.looks_like_headers(at.module, object)
        {
            out.push(self.id_value(SourceKind::Header, at));
        }
        out
    }

    /// Who owns the fields of an object.
    pub fn owner(&self, id: super::value::ObjId) -> Owner {
        match (self.object(id).class, self.object(id).role) {
            (Some(class), _) => Owner::Class(self.topmost(class)),
            (None, Some(role @ (Role::RequestScope | Role::MessageMeta | Role::Request))) => Owner::Shared(role),
            (None, _) => Owner::Object(id),
        }
    }
}
