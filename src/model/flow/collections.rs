//! What objects are as collections: maps that create on reading, literals that act as maps, what iterating and entering yields.

use super::calls::CallSite;
use super::value::{ObjId, Site, SourceKind, Value};
use super::{Edge, Flow, Owner};
use crate::model::facts::{ExprKind, Part};
use crate::model::name::{Name, part};
use crate::model::program::{At, ClassRef, ExprRef};
use crate::model::vocabulary::{Op, Role};

impl Flow<'_> {
    /// The role that an object acts in: its own, or that of a literal of its language.
    pub fn acts_as(&self, id: ObjId) -> Option<Role> {
        let object = self.object(id);
        if object.role.is_some() {
            return object.role;
        }
        match object.site {
            Site::Expr(at) if matches!(self.program.kind(at), ExprKind::Object(_)) => {
                self.program.tables(at.module).traits.object_literal
            }
            Site::Param(func, _) if object.class.is_none() && object.external.is_none() => {
                self.program.tables(func.module).traits.object_literal
            }
            _ => None,
        }
    }

    /// Whether an object keeps values under names that the program writes as texts.
    pub(super) fn is_record(&self, id: ObjId) -> bool {
        let object = self.object(id);
        match object.role {
            None => object.class.is_none() && self.acts_as(id).is_some(),
            // The literal's long form: `dict(other)`.
            Some(Role::Map) => match (object.external, object.site) {
                (Some((package, path)), Site::Expr(at)) => {
                    package == "" && path == self.program.tables(at.module).traits.containers[0]
                }
                _ => false,
            },
            role => role == Some(Role::RequestScope),
        }
    }

    /// Whether reading an absent key of an object creates it.
    pub fn creates_on_read(&self, id: ObjId) -> bool {
        let object = self.object(id);
        let (Some((package, path)), Site::Expr(at)) = (object.external, object.site) else { return false };
        let row = self.program.tables(at.module).export(package.text(), path.text());
        row.is_some_and(|row| row.does == Some(Op::DefaultMap))
    }

    /// What such an object creates.
    pub(super) fn made_on_read(&mut self, id: ObjId) -> Option<Vec<Value>> {
        if !self.creates_on_read(id) {
            return None;
        }
        let Site::Expr(at) = self.object(id).site else { return None };
        let ExprKind::Call { args, .. } = self.program.kind(at) else { return None };
        let factory = args.first().filter(|arg| !arg.spread)?;
        let values = self.read_expr(at.module, factory.value);
        let mut made = Vec::new();
        for value in values {
            // The factory runs without arguments; what it makes is made here.
            let call = CallSite { at: At { module: at.module, id: factory.value }, args: &[] };
            made.extend(self.call_value(call, value).unwrap_or_default());
        }
        let node = self.field_node(self.owner(id), part::elements());
        self.write(node, &made);
        Some(made)
    }

    /// An attribute of a class, its own or an ancestor's.
    pub(super) fn class_attribute(&mut self, class: ClassRef, name: Name) -> Vec<Value> {
        let mut at = class;
        let mut out = Vec::new();
        for _ in 0..16 {
            let declared =
                self.program.class(at).fields.iter().any(|field| field.is_static && field.name == name) || at == class;
            if declared {
                let node = self.field_node(Owner::Static(at), name);
                out.extend(self.read(node));
            }
            let base = self.parent(at);
            match base {
                Some(base) if base != at => at = base,
                _ => break,
            }
        }
        // What a base reads of itself may be what a descendant says.
        if out.is_empty() {
            let derived: Vec<ClassRef> = self.derived.get(&class).into_iter().flatten().copied().take(64).collect();
            for class in derived {
                let node = self.field_node(Owner::Static(class), name);
                out.extend(self.read(node));
            }
        }
        out
    }

    /// What iterating over an object, or entering it, yields.
    pub(super) fn iterated(&mut self, at: ExprRef, id: ObjId, part: Part) -> Vec<Value> {
        let owner = self.owner(id);
        if part == Part::Entered {
            return self.entered(at, id);
        }
        match self.acts_as(id) {
            Some(Role::Map | Role::WeakMap | Role::Cache) => {
                let node = self.field_node(owner, part::keys());
                self.read(node)
            }
            Some(role @ (Role::Headers | Role::ContextHeaders)) => self.header_pair(at, id, role),
            _ => {
                let node = self.field_node(owner, part::elements());
                self.read(node)
            }
        }
    }

    fn entered(&mut self, at: ExprRef, id: ObjId) -> Vec<Value> {
        let object = self.object(id).clone();
        if let Site::Param(_, u32::MAX | YIELDED) = object.site {
            let node = self.field_node(self.owner(id), part::elements());
            return self.read(node);
        }
        if let Some(class) = object.class {
            let methods = self.program.tables(class.module).traits.enter_methods;
            let found: Vec<_> =
                methods.iter().filter_map(|name| self.method_of(class, Name::new(name), false)).collect();
            let mut out = Vec::new();
            for method in &found {
                self.edge(at, *method, Edge::Call);
                out.extend(self.read(self.return_node(*method)));
            }
            if !out.is_empty() {
                return out;
            }
        }
        vec![Value::Object(id)]
    }

    /// A header as a pair, while looking for one by comparing names: its value is the session id where that is the name looked for.
    fn header_pair(&mut self, at: ExprRef, headers: ObjId, role: Role) -> Vec<Value> {
        if !self.looks_for_session(at) {
            return Vec::new();
        }
        let pair = self.role_object(Site::Part(headers, part::entry()), Some(Role::List));
        let kind = if role == Role::ContextHeaders { SourceKind::ToolHeader } else { SourceKind::Header };
        let id = self.id_value(kind, at);
        if let Value::Object(pair) = pair {
            let node = self.field_node(Owner::Object(pair), Name::new("1"));
            self.write(node, &[id]);
        }
        vec![pair]
    }

    /// Whether the function around an expression compares something with the name of the session header, or asks whether it is one
    /// of several such names.
    fn looks_for_session(&mut self, at: ExprRef) -> bool {
        let facts = self.program.module(at.module);
        let func = facts.expr(at.id).func;
        for expr in facts.exprs.iter().filter(|expr| expr.func == func) {
            match &expr.kind {
                ExprKind::Compare { left, right, .. } => {
                    for side in [left, right] {
                        let values = self.read_expr(at.module, *side);
                        if values.iter().any(|value| is_text(value, super::eval::is_session_header)) {
                            return true;
                        }
                    }
                }
                ExprKind::Contains { haystack, .. } => {
                    let listed = self.read_expr(at.module, *haystack);
                    let names = self.elements_of(&listed);
                    let others = |value: &Value| is_text(value, |text| !text.to_ascii_lowercase().contains("session"));
                    if names.iter().any(|value| is_text(value, super::eval::is_session_header))
                        && !names.iter().any(others)
                    {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }

    /// What a call takes over from its arguments: elements, entries, named values.
    pub(super) fn merge(&mut self, call: CallSite<'_>, into: ObjId) {
        let owner = self.owner(into);
        for arg in call.args {
            let values = self.read_expr(call.at.module, arg.value);
            if let Some(name) = arg.name.filter(|name| !name.text().is_empty()) {
                let node = self.field_node(owner, name);
                self.write(node, &values);
                continue;
            }
            for value in values {
                let Value::Object(from) = value else { continue };
                self.copy_entries(from, owner);
            }
        }
    }

    /// What a map yields under a text by what it was made of: a request's parts, headers that were put into a map of their own.
    pub(super) fn looked_up(&mut self, call: CallSite<'_>, id: ObjId, keys: &[Value]) -> Vec<Value> {
        let mut out = Vec::new();
        for key in keys {
            let Value::Text(text) = key else { continue };
            if self.object(id).role == Some(Role::RequestScope) {
                out.extend(self.member(call.at, Value::Object(id), *text));
            } else if super::eval::is_session_header(text.text())
                && let ExprKind::Call { callee, .. } = self.program.kind(call.at)
                && let ExprKind::Member { object, .. } = self.program.module(call.at.module).kind(*callee)
                && self.named_like_headers(call.at.module, *object)
            {
                out.push(self.id_value(SourceKind::Header, call.at));
            }
        }
        out
    }

    /// The values that an object literal or a record keeps under the texts that a key may be; under any where it is not known.
    pub(super) fn record_values(&mut self, id: ObjId, keys: &[Value]) -> Vec<Value> {
        if !self.is_record(id) {
            return Vec::new();
        }
        let owner = self.owner(id);
        let texts: Vec<Name> = keys
            .iter()
            .filter_map(|key| match key {
                Value::Text(text) => Some(*text),
                _ => None,
            })
            .collect();
        if texts.is_empty() {
            return self.named_fields(owner);
        }
        let mut out = Vec::new();
        for text in texts {
            let node = self.field_node(owner, text);
            out.extend(self.read(node));
        }
        out
    }
}

/// Names that a record has at most. Records are copied into each other in circles.
pub(super) const MANY_NAMES: usize = 32;

/// The pseudo-parameter of a function that holds what it yields.
pub(super) const YIELDED: u32 = u32::MAX - 1;

fn is_text(value: &Value, test: impl Fn(&str) -> bool) -> bool {
    matches!(value, Value::Text(text) if test(text.text()))
}
