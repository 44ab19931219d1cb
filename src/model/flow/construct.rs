//! Constructions, and calls of what is outside the program.

use super::calls::CallSite;
use super::types::Base;
use super::value::{ObjId, Object, Site, SourceKind, Value};
use super::{Edge, Flow, Owner, Root};
use crate::model::facts::{Arg, ExprId, ExprKind, SymbolKind};
use crate::model::name::{Name, part};
use crate::model::program::{At, ClassRef, ExprRef, FuncRef};
use crate::model::vocabulary::{Op, Role};

impl Flow<'_> {
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
    pub(super) fn type_constructed(&mut self, at: ExprRef, made: &[Value]) {
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

    pub(super) fn construct(&mut self, call: CallSite<'_>, class: ClassRef) -> Value {
        let id = self.instance(class);
        let whole = self.whole(class);
        self.instances.entry(whole).or_default().insert(call.at);
        // A class without a constructor of its own runs its base's.
        let mut at = class;
        for _ in 0..16 {
            let constructor = At { module: at.module, id: self.program.class(at).constructor };
            self.bind(call, constructor, 0);
            let written = !self.program.function(constructor).params.is_empty();
            let base = self.parent(at);
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

    pub(super) fn call_super(&mut self, call: CallSite<'_>, class: ClassRef) {
        for base in self.bases(class).iter() {
            match *base {
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

    pub(super) fn construct_external(&mut self, call: CallSite<'_>, package: Name, path: Name) -> Vec<Value> {
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
    pub(super) fn set_up(&mut self, call: CallSite<'_>, role: Role, id: ObjId) -> Vec<Value> {
        let mut views = Vec::new();
        match role {
            Role::Transport => self.set_up_transport(call),
            Role::Map | Role::WeakMap | Role::Set | Role::List => {
                for value in self.arg_values(call, 0) {
                    let Value::Object(source) = value else {
                        continue;
                    };
                    if matches!(
                        self.object(source).role,
                        Some(Role::Headers | Role::ContextHeaders | Role::Query | Role::PathParameters)
                    ) {
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

    pub(super) fn set_up_transport(&mut self, call: CallSite<'_>) {
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
    pub(super) fn mint_returns(&mut self, generator: FuncRef) {
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

    /// `require(package)` as a function or a class is what the package exports by default.
    fn called_export(&self, call: CallSite<'_>, package: Name, path: Name) -> Name {
        let default = Name::new("default");
        let tables = self.program.tables(call.at.module);
        let stands_in = path == "" && package != "" && tables.export(package.text(), "").is_none();
        if stands_in && tables.export(package.text(), "default").is_some() { default } else { path }
    }

    pub(super) fn call_external(&mut self, call: CallSite<'_>, package: Name, path: Name) -> Vec<Value> {
        let tables = self.program.tables(call.at.module);
        let path = self.called_export(call, package, path);
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
                                if let Some(default) = call.named(tables.traits.default_name) {
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
        if self.register_through(call, path) {
            return Vec::new();
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
