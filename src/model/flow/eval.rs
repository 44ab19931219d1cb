//! The transfer function of each kind of expression.

use super::types::{Base, Target};
use super::value::{Object, Site, Value};
use super::{Flow, Owner, Root};
use crate::model::facts::{Choice, Exported, ExprKind, FuncKind, Key, SymbolId, SymbolKind};
use crate::model::name::{Name, part};
use crate::model::program::{At, ClassRef, ExprRef, FuncRef, Link};
use crate::model::vocabulary::Role;

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

/// Whether a query parameter carries a credential. A token may stand for a page as well; such a one is called so.
pub fn is_credential_parameter(text: &str) -> bool {
    let text: String = text.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    text.ends_with("apikey")
        || matches!(
            text.as_str(),
            "token"
                | "accesstoken"
                | "authtoken"
                | "apitoken"
                | "bearertoken"
                | "bearer"
                | "jwt"
                | "accesskey"
                | "authkey"
        )
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

    pub(super) fn link_class(&mut self, class: ClassRef) {
        for base in self.bases(class).iter() {
            if let Base::Class(base) = base {
                self.derived.entry(*base).or_default().insert(class);
            }
        }
        self.link_signatures(class.module, &self.program.class(class).methods.clone());
        self.link_overrides(class);
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
    pub(super) fn link_exports(&mut self, module: u32) {
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
            ExprKind::This(Some(class)) if program.in_static_method(at) => {
                vec![Value::Class(At { module, id: *class })]
            }
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

    pub(super) fn eval_symbol(&mut self, module: u32, id: SymbolId) -> Vec<Value> {
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
    pub(super) fn eval_global(&mut self, module: u32, name: Name) -> Vec<Value> {
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

    pub(super) fn external_object(&mut self, at: ExprRef, package: Name, path: Name, role: Option<Role>) -> Value {
        let site = Site::Expr(at);
        let object = || Object { site, role, class: None, external: Some((package, path)) };
        Value::Object(self.object_of(site, object))
    }
}
