//! The transfer function of each kind of expression.

use super::types::{Base, Target, join};
use super::value::{Object, Site, SourceKind, Value};
use super::{Edge, Flow, Owner, Root};
use crate::model::facts::{Choice, Exported, ExprId, ExprKind, Field, FuncKind, Key, Part, SymbolId, SymbolKind};
use crate::model::name::{Name, part};
use crate::model::program::{At, ClassRef, ExprRef, FuncRef, Link};
use crate::model::vocabulary::{Role, Source};

/// Whether a text is the name of the session header.
pub fn is_session_header(text: &str) -> bool {
    text.eq_ignore_ascii_case("mcp-session-id")
}

/// Whether a query parameter's name carries the session of the SSE era.
pub fn is_session_parameter(text: &str) -> bool {
    matches!(text, "sessionId" | "session_id" | "sessionid" | "session" | "sid")
}

/// Whether a header carries a credential.
pub fn is_credential_header(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    text == "authorization"
        || text == "cookie"
        || text.ends_with("api-key")
        || text.ends_with("apikey")
        || text.ends_with("token")
}

impl Flow<'_> {
    pub(super) fn link(&mut self) {
        self.link_decorators();
        let program = self.program;
        for module in 0..program.modules.len() as u32 {
            let facts = program.module(module);
            for (index, symbol) in facts.symbols.iter().enumerate() {
                let value = match symbol.kind {
                    SymbolKind::Function(id) => Value::Func(At { module, id }),
                    SymbolKind::Class(id) => Value::Class(At { module, id }),
                    _ => continue,
                };
                self.write_symbol(module, SymbolId(index as u32), &[value]);
            }
            for index in 0..facts.classes.len() as u32 {
                let class = At { module, id: crate::model::facts::ClassId(index) };
                self.link_class(class);
            }
            let functions: Vec<_> = (0..facts.functions.len() as u32).map(crate::model::facts::FuncId).collect();
            let free: Vec<_> = functions.into_iter().filter(|id| facts.function(*id).kind == FuncKind::Named).collect();
            self.link_signatures(module, &free);
            self.link_exports(module);
        }
    }

    fn link_class(&mut self, class: ClassRef) {
        for base in self.bases(class) {
            if let Base::Class(base) = base {
                self.derived.entry(base).or_default().insert(class);
            }
        }
        self.link_signatures(class.module, &self.program.class(class).methods.clone());
        if self.class_role(class) == Some(Role::SessionFramework) {
            self.instance(class);
            for method in self.program.class(class).methods.clone() {
                let method = At { module: class.module, id: method };
                if self.program.function(method).name.is_some_and(|name| name == "init") {
                    self.root(method, Root::SessionStart);
                }
            }
        }
    }

    /// Handlers that a platform calls by convention: `export default { fetch }`, `export function POST`.
    fn link_exports(&mut self, module: u32) {
        let facts = self.program.module(module);
        let routes = ["app/", "pages/", "routes/", "api/", "functions/"].iter().any(|dir| facts.path.contains(dir));
        for export in &facts.exports {
            let method =
                matches!(export.name.text(), "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "fetch" | "onRequest");
            match (&export.what, export.name.text()) {
                (Exported::Local(symbol), _) if method => {
                    if let SymbolKind::Function(id) = facts.symbol(*symbol).kind {
                        self.route_root(At { module, id }, 0);
                    }
                }
                (Exported::Value(expr), "default") => {
                    if let ExprKind::Object(fields) = facts.kind(*expr) {
                        for field in fields {
                            if let (Key::Name(name), ExprKind::Function(id)) = (&field.key, facts.kind(field.value))
                                && *name == "fetch"
                            {
                                self.route_root(At { module, id: *id }, 0);
                            }
                        }
                    } else if let ExprKind::Function(id) = facts.kind(*expr)
                        && routes
                    {
                        self.route_root(At { module, id: *id }, 0);
                    }
                }
                _ => {}
            }
        }
    }

    pub(super) fn route_root(&mut self, func: FuncRef, first: usize) {
        self.root(func, Root::Route);
        if self.program.tables(func.module).traits.handlers_by_type {
            self.fill_route(func);
            return;
        }
        for (index, role) in [(first, Role::Request), (first + 1, Role::Response)] {
            if let Some(node) = self.param_node(func, index) {
                let value = self.role_object(Site::Param(func, index as u32), Some(role));
                self.write(node, &[value]);
            }
        }
    }

    pub(super) fn eval(&mut self, at: ExprRef) {
        let program = self.program;
        let module = at.module;
        let values = match program.kind(at) {
            ExprKind::Symbol(id) => self.eval_symbol(module, *id),
            ExprKind::Global(name) => match name.text() {
                "undefined" => vec![Value::Absent],
                "globalThis" | "window" | "self" => {
                    vec![Value::External(Name::new(""), Name::new(""))]
                }
                _ => self.eval_global(module, *name),
            },
            ExprKind::This(Some(class)) => {
                vec![Value::Object(self.instance(At { module, id: *class }))]
            }
            ExprKind::This(None) | ExprKind::Super(_) => Vec::new(),
            ExprKind::Member { object, name } => self.eval_member(at, *object, *name),
            ExprKind::Index { object, key } => self.eval_index(at, *object, *key),
            ExprKind::Call { callee, args } => self.eval_call(at, *callee, args),
            ExprKind::New { callee, args } => self.eval_new(at, *callee, args),
            ExprKind::Text(text) => vec![Value::Text(*text)],
            ExprKind::Template(parts) => {
                let mut out = Vec::new();
                for part in parts {
                    out.extend(self.read_expr(module, *part).into_iter().filter(|value| {
                        matches!(value, Value::Id(_) | Value::Credential(_) | Value::Random(_) | Value::Argument(_))
                    }));
                }
                out
            }
            ExprKind::Either { arms, choice, .. } => {
                let mut out = Vec::new();
                for (index, arm) in arms.iter().enumerate() {
                    let values = self.read_expr(module, *arm);
                    // The absent value never gets past a fallback.
                    let passes = index + 1 == arms.len() || !matches!(choice, Choice::Coalesce | Choice::Default);
                    out.extend(values.into_iter().filter(|value| passes || *value != Value::Absent));
                }
                out
            }
            ExprKind::Object(fields) => self.eval_object(at, fields),
            ExprKind::Sequence(items) => self.eval_sequence(at, items),
            ExprKind::Function(id) => vec![Value::Func(At { module, id: *id })],
            ExprKind::Class(id) => vec![Value::Class(At { module, id: *id })],
            ExprKind::Element { of, part } => self.eval_element(at, *of, *part),
            ExprKind::Cast { value, ty } => {
                let mut out = self.read_expr(module, *value);
                let ty = At { module, id: *ty };
                if self.typed {
                    out.extend(self.adopt(&out.clone(), ty));
                }
                if self.typed && !out.iter().any(|v| matches!(v, Value::Object(_) | Value::Func(_))) {
                    out.extend(self.typed(ty, Site::Expr(at), 0));
                } else if self.typed
                    && let Some(element) = self.element_type(ty)
                {
                    for value in out.clone() {
                        if let Value::Object(id) = value {
                            self.type_elements(id, element, 0);
                        }
                    }
                }
                out
            }
            ExprKind::Assign { target, value, .. } => {
                let values = self.read_expr(module, *value);
                self.assign(module, *target, &values);
                values
            }
            ExprKind::Return(Some(value)) => {
                let values = self.read_expr(module, *value);
                let func = program.func_of(at);
                self.write(self.return_node(func), &values);
                values
            }
            ExprKind::Yield(Some(value)) => {
                let values = self.read_expr(module, *value);
                let func = program.func_of(at);
                let list = self.role_object(Site::Param(func, super::collections::YIELDED), Some(Role::List));
                if let Value::Object(id) = list {
                    let node = self.field_node(Owner::Object(id), part::elements());
                    self.write(node, &values);
                }
                self.write(self.return_node(func), &[list]);
                values
            }
            ExprKind::Require(source) => match program.link(module, *source) {
                Link::Module(other) => vec![Value::Namespace(other)],
                Link::External(package) => vec![Value::External(package, Name::new(""))],
                Link::Missing => Vec::new(),
            },
            ExprKind::Absent => vec![Value::Absent],
            ExprKind::Literal
            | ExprKind::Opaque(_)
            | ExprKind::Compare { .. }
            | ExprKind::Contains { .. }
            | ExprKind::Delete { .. }
            | ExprKind::Throw(_)
            | ExprKind::Return(None)
            | ExprKind::Yield(None) => Vec::new(),
        };
        if !values.is_empty() {
            self.write_expr(at, &values);
        }
    }

    fn eval_symbol(&mut self, module: u32, id: SymbolId) -> Vec<Value> {
        let at = At { module, id };
        if let SymbolKind::Import(index) = self.program.symbol(at).kind {
            return match self.import(module, index) {
                Some(target) => self.read_target(target, module),
                None => Vec::new(),
            };
        }
        self.read(self.symbol_node(at))
    }

    /// A name that nothing in the file declares.
    fn eval_global(&mut self, module: u32, name: Name) -> Vec<Value> {
        if self.program.tables(module).traits.open_imports
            && let Some(target) = self.open_import(module, name)
        {
            return self.read_target(target, module);
        }
        vec![Value::External(Name::new(""), name)]
    }

    /// What a name outside the program is as a value.
    pub(super) fn external(&self, module: u32, package: Name, path: Name) -> Value {
        match self.program.tables(module).export(package.text(), path.text()).and_then(|row| row.text) {
            Some(text) => Value::Text(Name::new(text)),
            None => Value::External(package, path),
        }
    }

    pub(super) fn read_target(&mut self, target: Target, from: u32) -> Vec<Value> {
        match target {
            Target::Symbol(symbol) => self.read(self.symbol_node(symbol)),
            Target::Expr(expr) => self.read(self.expr_node(expr)),
            Target::Namespace(module) => vec![Value::Namespace(module)],
            Target::External(package, path) => vec![self.external(from, package, path)],
            Target::Decl(_) => Vec::new(),
        }
    }

    fn eval_member(&mut self, at: ExprRef, object: ExprId, name: Name) -> Vec<Value> {
        let receivers = self.read_expr(at.module, object);
        let mut out = Vec::new();
        for value in &receivers {
            out.extend(self.member(at, *value, name));
        }
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

    fn looks_like_transport(&self, module: u32, object: ExprId) -> bool {
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
                name.contains("headers") && !name.contains("resp")
            }
            _ => false,
        }
    }

    /// The values of a member of a value.
    pub(super) fn member(&mut self, at: ExprRef, value: Value, name: Name) -> Vec<Value> {
        match value {
            Value::Object(id) => self.object_member(at, id, name),
            Value::Namespace(module) => self.namespace_member(at, module, name),
            Value::External(package, path) => vec![self.external(at.module, package, join(path, name))],
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
            Value::Argument(_) | Value::Random(_) => vec![value],
            Value::Credential(_) if name != "length" => vec![value],
            // `headers['x']?.[0]` and the like.
            Value::Id(_) | Value::Credential(_) if name.text().parse::<u8>().is_ok() => vec![value],
            _ => Vec::new(),
        }
    }

    fn namespace_member(&mut self, at: ExprRef, module: u32, name: Name) -> Vec<Value> {
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

    /// The method of a class under a name: its own, an ancestor's, or (for what a base leaves to them) its descendants'.
    pub fn method_of(&self, class: ClassRef, name: Name, is_static: bool) -> Option<FuncRef> {
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
            let base = self.bases(at).into_iter().find_map(|base| match base {
                Base::Class(class) => Some(class),
                Base::External(..) => None,
            });
            match base {
                Some(base) => at = base,
                None => break,
            }
        }
        None
    }

    /// All methods that a call on an instance may run.
    pub fn methods_of(&self, class: ClassRef, name: Name) -> Vec<FuncRef> {
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

    fn object_member(&mut self, at: ExprRef, id: super::value::ObjId, name: Name) -> Vec<Value> {
        let object = self.object(id).clone();
        if let Some(class) = object.class {
            let methods = self.methods_of(class, name);
            if !methods.is_empty() {
                let mut out = Vec::new();
                for method in methods {
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
            if matches!(role, Role::Headers | Role::ContextHeaders | Role::StrippedHeaders | Role::Query) {
                return self.named_value(at, role, name.text());
            }
            if let Some(row) = self.program.tables(at.module).member(role, name.text()) {
                match row.source {
                    Some(Source::ContextId) => out.push(self.id_value(SourceKind::Context, at)),
                    Some(Source::TransportId) => {
                        let sse = role == Role::SseTransport;
                        let kind = if sse { SourceKind::SseTransport } else { SourceKind::Transport };
                        out.push(self.id_value(kind, at));
                    }
                    Some(Source::FreshId) => out.push(self.id_value(SourceKind::Fresh, at)),
                    Some(Source::MissingId) => out.push(self.id_value(SourceKind::Missing, at)),
                    Some(Source::RemovedId) => out.push(self.id_value(SourceKind::Removed, at)),
                    Some(Source::Lifespan) => out.extend(self.lifespan_values()),
                    Some(Source::Identity) if matches!(role, Role::Request | Role::SessionFramework) => {
                        out.push(Value::Credential(at));
                    }
                    Some(Source::Identity | Source::ClientInfo) | None => {}
                }
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

    fn spreads(&mut self, id: super::value::ObjId) -> Vec<Value> {
        match self.known_field(Owner::Object(id), part::spread()) {
            Some(node) => self.read(node),
            None => Vec::new(),
        }
    }

    fn member_of_spread(&mut self, at: ExprRef, value: Value, name: Name) -> Vec<Value> {
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
            _ => Vec::new(),
        }
    }

    fn eval_index(&mut self, at: ExprRef, object: ExprId, key: ExprId) -> Vec<Value> {
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
                    if let Some(role @ (Role::Headers | Role::ContextHeaders | Role::StrippedHeaders | Role::Query)) =
                        role
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

    pub(super) fn named_fields(&mut self, owner: Owner) -> Vec<Value> {
        let names = self.field_names.get(&owner).cloned().unwrap_or_default();
        let mut out = Vec::new();
        for name in names {
            if !name.text().starts_with('[') && name != "..." {
                let node = self.field_node(owner, name);
                out.extend(self.read(node));
            }
        }
        out
    }

    /// Who owns the fields of an object.
    pub fn owner(&self, id: super::value::ObjId) -> Owner {
        match (self.object(id).class, self.object(id).role) {
            (Some(class), _) => Owner::Class(self.topmost(class)),
            (None, Some(role @ Role::RequestScope)) => Owner::Shared(role),
            (None, _) => Owner::Object(id),
        }
    }

    fn eval_object(&mut self, at: ExprRef, fields: &[Field]) -> Vec<Value> {
        let object = self.role_object(Site::Expr(at), None);
        let Value::Object(id) = object else {
            return Vec::new();
        };
        for field in fields {
            let values = self.read_expr(at.module, field.value);
            match &field.key {
                Key::Name(name) => {
                    let node = self.field_node(Owner::Object(id), *name);
                    self.write(node, &values);
                    if is_session_header(name.text()) {
                        self.answered_header(at, field.value);
                    }
                }
                Key::Computed(key) => {
                    let keys = self.read_expr(at.module, *key);
                    let mut named = false;
                    for value in keys {
                        if let Value::Text(text) = value {
                            named = true;
                            let node = self.field_node(Owner::Object(id), text);
                            self.write(node, &values);
                            if is_session_header(text.text()) {
                                self.answered_header(at, field.value);
                            }
                        }
                    }
                    if !named {
                        let node = self.field_node(Owner::Object(id), part::elements());
                        self.write(node, &values);
                    }
                }
                Key::Spread => {
                    let node = self.field_node(Owner::Object(id), part::spread());
                    self.write(node, &values);
                }
            }
        }
        vec![object]
    }

    /// The session header among headers that a server answers with: what is sent is the session id.
    fn answered_header(&mut self, object: ExprRef, value: ExprId) {
        if self.is_answer(object) {
            self.mint(At { module: object.module, id: value });
        }
    }

    /// Whether an object literal of headers is part of a server's answer, not of a client's request.
    fn is_answer(&self, object: ExprRef) -> bool {
        let facts = self.program.module(object.module);
        let mut at = object.id;
        for _ in 0..6 {
            let Some(parent) = facts.expr(at).parent else {
                return false;
            };
            match facts.kind(parent) {
                ExprKind::New { callee, .. } => {
                    return matches!(facts.kind(*callee), ExprKind::Global(name) if *name == "Response")
                        || matches!(facts.kind(*callee), ExprKind::Symbol(id) if facts.symbol(*id).name.text().ends_with("Response"));
                }
                ExprKind::Call { callee, .. } => {
                    return matches!(facts.kind(*callee), ExprKind::Symbol(id) if facts.symbol(*id).name.text().ends_with("Response"))
                        || matches!(facts.kind(*callee), ExprKind::Member { name, object } if matches!(name.text(), "writeHead" | "json" | "set" | "header" | "headers" | "body" | "newResponse")
                        && !matches!(facts.kind(*object), ExprKind::Symbol(id) if matches!(facts.symbol(*id).name.text(), "axios" | "got" | "ky" | "client" | "request")));
                }
                _ => at = parent,
            }
        }
        false
    }

    /// Marks a value as a session id of the program's own making: the variable or field that holds it.
    pub(super) fn mint(&mut self, value: ExprRef) {
        let id = self.id_value(SourceKind::Minted, value);
        self.write_expr(value, &[id]);
        let target = match self.program.kind(value) {
            ExprKind::Call { callee: _, args } if args.len() == 1 => At { module: value.module, id: args[0].value },
            _ => value,
        };
        if matches!(self.program.kind(target), ExprKind::Symbol(_) | ExprKind::Member { .. }) {
            self.assign(target.module, target.id, &[id]);
        }
    }

    fn eval_sequence(&mut self, at: ExprRef, items: &[ExprId]) -> Vec<Value> {
        let object = self.role_object(Site::Expr(at), Some(Role::List));
        let Value::Object(id) = object else {
            return Vec::new();
        };
        for (index, item) in items.iter().enumerate() {
            let values = self.read_expr(at.module, *item);
            let node = self.field_node(Owner::Object(id), part::elements());
            self.write(node, &values);
            if index < 4 {
                let node = self.field_node(Owner::Object(id), Name::new(["0", "1", "2", "3"][index]));
                self.write(node, &values);
            }
        }
        vec![object]
    }

    fn eval_element(&mut self, at: ExprRef, of: ExprId, part: Part) -> Vec<Value> {
        let mut out = Vec::new();
        for value in self.read_expr(at.module, of) {
            match value {
                Value::Object(id) => match (part, self.object(id).role) {
                    (Part::Item, Some(Role::Map | Role::Cache)) => out.push(self.entry(id)),
                    (Part::Iterated | Part::Entered, _) => out.extend(self.iterated(at, id, part)),
                    (Part::Item, _) => {
                        let node = self.field_node(self.owner(id), part::elements());
                        out.extend(self.read(node));
                    }
                    (Part::Key, _) => {
                        let node = self.field_node(self.owner(id), part::keys());
                        out.extend(self.read(node));
                    }
                },
                Value::Id(_) | Value::Credential(_) => out.push(value),
                _ if part == Part::Entered => out.push(value),
                _ => {}
            }
        }
        out
    }

    /// The `[key, value]` pair that iterating over a map yields.
    pub(super) fn entry(&mut self, map: super::value::ObjId) -> Value {
        let pair = self.role_object(Site::Part(map, part::entry()), Some(Role::List));
        let Value::Object(id) = pair else { return pair };
        for (from, to) in [("[keys]", "0"), ("[]", "1")] {
            let source = self.field_node(self.owner(map), Name::new(from));
            let values = self.read(source);
            let node = self.field_node(Owner::Object(id), Name::new(to));
            self.write(node, &values);
        }
        if self.is_record(map) {
            let values = self.named_fields(self.owner(map));
            let node = self.field_node(Owner::Object(id), Name::new("1"));
            self.write(node, &values);
        }
        pair
    }

    /// Writes values to the place that an expression names.
    pub(super) fn assign(&mut self, module: u32, target: ExprId, values: &[Value]) {
        match self.program.module(module).kind(target) {
            ExprKind::Symbol(id) => {
                let at = At { module, id: *id };
                if let SymbolKind::Import(index) = self.program.symbol(at).kind {
                    if let Some(Target::Symbol(symbol)) = self.import(module, index) {
                        self.write(self.symbol_node(symbol), values);
                    }
                    return;
                }
                self.write_symbol(module, *id, values);
            }
            ExprKind::Member { object, name } => {
                let (object, name) = (*object, *name);
                for value in self.read_expr(module, object) {
                    match value {
                        Value::Object(id) => {
                            let node = self.field_node(self.owner(id), name);
                            self.write(node, values);
                            self.assigned_hook(id, name, values);
                        }
                        Value::Class(class) => {
                            let node = self.field_node(Owner::Static(class), name);
                            self.write(node, values);
                        }
                        _ => {}
                    }
                }
            }
            ExprKind::Index { object, key } => {
                let (object, key) = (*object, *key);
                let keys = self.read_expr(module, key);
                for value in self.read_expr(module, object) {
                    let Value::Object(id) = value else { continue };
                    let owner = self.owner(id);
                    if self.object(id).role == Some(Role::HandlerTable) {
                        self.put_handler(At { module, id: target }, key, values);
                    }
                    if self.is_record(id) && keys.iter().any(|key| matches!(key, Value::Text(_))) {
                        for key in &keys {
                            if let Value::Text(name) = key {
                                let node = self.field_node(owner, *name);
                                self.write(node, values);
                            }
                        }
                        if keys.iter().all(|key| matches!(key, Value::Text(_))) {
                            continue;
                        }
                    }
                    let keys_node = self.field_node(owner, part::keys());
                    self.write(keys_node, &keys);
                    let node = self.field_node(owner, part::elements());
                    self.write(node, values);
                }
            }
            ExprKind::Cast { value, .. } => self.assign(module, *value, values),
            _ => {}
        }
    }

    /// Callbacks that are given by assignment: `transport.onclose = …`.
    fn assigned_hook(&mut self, id: super::value::ObjId, name: Name, values: &[Value]) {
        let role = self.object(id).role;
        if !matches!(role, Some(Role::Transport | Role::SseTransport | Role::Server)) {
            return;
        }
        let root = match name.text() {
            "onclose" => Root::SessionEnd,
            "oninitialized" => Root::SessionStart,
            _ => return,
        };
        for value in values {
            if let Value::Func(func) = value {
                self.root(*func, root);
            }
        }
    }

    pub(super) fn external_object(&mut self, at: ExprRef, package: Name, path: Name, role: Option<Role>) -> Value {
        let site = Site::Expr(at);
        let object = || Object { site, role, class: None, external: Some((package, path)) };
        Value::Object(self.object_of(site, object))
    }
}
