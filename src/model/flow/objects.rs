//! Literals, elements, and the places that assignments write to.

use super::eval::is_session_header;
use super::types::Target;
use super::value::{Site, SourceKind, Value};
use super::{Flow, Owner, Root};
use crate::model::facts::{ExprId, ExprKind, Field, Key, Part, SymbolKind};
use crate::model::name::{Name, part};
use crate::model::program::{At, ExprRef};
use crate::model::vocabulary::Role;

impl Flow<'_> {
    pub(super) fn eval_object(&mut self, at: ExprRef, fields: &[Field]) -> Vec<Value> {
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
    pub(super) fn answered_header(&mut self, object: ExprRef, value: ExprId) {
        if self.is_answer(object) {
            self.mint(At { module: object.module, id: value });
        }
    }

    /// Whether an object literal of headers is part of a server's answer, not of a client's request.
    pub(super) fn is_answer(&self, object: ExprRef) -> bool {
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

    pub(super) fn eval_sequence(&mut self, at: ExprRef, items: &[ExprId]) -> Vec<Value> {
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

    pub(super) fn eval_element(&mut self, at: ExprRef, of: ExprId, part: Part) -> Vec<Value> {
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
                self.put_meta(module, object, name, values);
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

    /// `params._meta = { ...params._meta, sid }`, `params._meta.sid = sid`: an id that a route puts where handlers find it.
    fn put_meta(&mut self, module: u32, object: ExprId, name: Name, values: &[Value]) {
        let is_id = |value: &Value| matches!(value, Value::Id(_));
        let mut put = Vec::new();
        if name == "_meta" {
            for value in values {
                let Value::Object(id) = *value else { continue };
                let owner = self.owner(id);
                for field in self.field_names.get(&owner).cloned().unwrap_or_default() {
                    let node = self.field_node(owner, field);
                    put.push((field, self.read(node)));
                }
            }
        } else if matches!(self.program.module(module).kind(object), ExprKind::Member { name, .. } if *name == "_meta")
        {
            put.push((name, values.to_vec()));
        }
        for (field, mut values) in put {
            values.retain(is_id);
            if !values.is_empty() {
                let node = self.field_node(Owner::Shared(Role::MessageMeta), field);
                self.write(node, &values);
            }
        }
    }

    /// Callbacks that are given by assignment: `transport.onclose = …`.
    pub(super) fn assigned_hook(&mut self, id: super::value::ObjId, name: Name, values: &[Value]) {
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
}
