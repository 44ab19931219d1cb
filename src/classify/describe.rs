//! How a store is told: its container, the type and the fields of its value, the tools that reach it.

use super::bodies::Body;
use super::stores::{Analysis, Found};
use rustc_hash::FxHashMap;

use crate::model::facts::{ExprKind, Type};
use crate::model::flow::value::{ObjId, Site, Value};
use crate::model::flow::{Flow, Registered, Registration};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef, Sort, TypeRef};
use crate::model::query::Holder;
use crate::model::vocabulary::Role;

impl Analysis<'_> {
    /// The tools that reach a keyed store.
    pub(super) fn tools_of(&self, found: &Found) -> Vec<Name> {
        let accesses = found.uses.iter().map(|access| &access.at);
        let fields = found.fields.iter().flat_map(|(_, readers, writers)| readers.iter().chain(writers));
        self.tools_at(accesses.chain(fields))
    }

    pub(super) fn tools_at<'x>(&self, places: impl Iterator<Item = &'x ExprRef>) -> Vec<Name> {
        let mut out = Vec::new();
        for at in places {
            let func = self.flow.program.func_of(*at);
            for handler in self.lives.handlers_of.get(&func).into_iter().flatten() {
                out.extend(self.tool_names(*handler, *at));
            }
        }
        out.sort_by_key(|name| name.text());
        out.dedup();
        out
    }

    /// What registers a handler.
    pub(super) fn registrations_of(&self, handler: FuncRef) -> impl Iterator<Item = &Registration> {
        let registered = self.registered.get_or_init(|| {
            let mut out: FxHashMap<FuncRef, Vec<ExprRef>> = FxHashMap::default();
            for (at, registration) in &self.flow.registrations {
                registration.handlers.iter().for_each(|handler| out.entry(*handler).or_default().push(*at));
            }
            out
        });
        registered.get(&handler).into_iter().flatten().filter_map(|at| self.flow.registrations.get(at))
    }

    /// The names that a handler serves: its registration's, or those its dispatch compares with at a place.
    pub fn tool_names(&self, handler: FuncRef, at: ExprRef) -> Vec<Name> {
        let mut out = Vec::new();
        for registration in self.registrations_of(handler) {
            match registration.what {
                Registered::Tool => match self.bodies_at(handler, at) {
                    names if names.is_empty() => out.extend(registration.name),
                    names => out.extend(names),
                },
                Registered::Method if registration.name.is_some_and(|name| is_tool_call(name.text())) => {
                    match self.bodies_at(handler, at) {
                        names if names.is_empty() => out.extend(self.dispatched_to(handler, at)),
                        names => out.extend(names),
                    }
                }
                _ => {}
            }
        }
        out
    }

    /// The tools among those that are registered alike whose own functions lead to a place.
    fn bodies_at(&self, handler: FuncRef, at: ExprRef) -> Vec<Name> {
        let func = self.flow.program.func_of(at);
        let served = |body: &&Body| body.func == handler || body.calls.iter().any(|(caller, _)| *caller == handler);
        let leads = |body: &&Body| body.reach.contains(&func) || self.flow.program.within(func, body.func);
        self.bodies.iter().filter(served).filter(leads).map(|body| body.name).collect()
    }

    /// How the code names a container.
    pub(super) fn container(&self, object: Option<ObjId>, holder: &Holder) -> String {
        let Some(id) = object else {
            return holder.name.text().to_owned();
        };
        let object = self.flow.object(id);
        let names = self.flow.program.tables(holder.module).traits.containers;
        if let Site::Expr(at) = object.site {
            match self.flow.program.kind(at) {
                // `Type::new()`: the type.
                ExprKind::Call { .. }
                    if let Some((_, path)) = object.external
                        && path.text().rsplit('.').next().is_some_and(|last| last.starts_with(char::is_uppercase)) =>
                {
                    return path.text().rsplit('.').next().unwrap_or_default().to_owned();
                }
                ExprKind::New { .. } | ExprKind::Call { .. } => {
                    if let Some(name) = self.flow.callee_name(at) {
                        return name.text().to_owned();
                    }
                }
                ExprKind::Sequence(_) => return names[1].to_owned(),
                ExprKind::Object(_) => {
                    let ty = holder.symbol.and_then(|symbol| self.flow.program.symbol(symbol).ty);
                    let written = ty.zip(holder.symbol).map(|(ty, symbol)| At { module: symbol.module, id: ty });
                    let is_record = written.is_some_and(
                        |ty| matches!(self.flow.program.ty(ty), Type::Named { path, .. } if *path == "Record"),
                    );
                    return if is_record { "Record" } else { names[0] }.to_owned();
                }
                _ => {}
            }
        }
        if let Some(class) = object.class.and_then(|class| self.flow.program.class(class).name) {
            return class.text().to_owned();
        }
        if let Some((_, path)) = object.external
            && !path.text().is_empty()
            && path != "default"
        {
            return path.text().to_owned();
        }
        match object.role {
            Some(Role::List) => names[1],
            Some(Role::Set) => names[2],
            Some(Role::Map) => names[3],
            Some(Role::WeakMap) => names[4],
            _ => holder.name.text(),
        }
        .to_owned()
    }

    /// The type of a store's value as written.
    pub(super) fn value_type(&self, object: Option<ObjId>, holder: &Holder) -> Option<String> {
        let symbol_ty = holder.symbol.and_then(|symbol| {
            let facts = self.flow.program.symbol(symbol);
            facts.ty.map(|id| At { module: symbol.module, id })
        });
        let written = symbol_ty.or_else(|| self.field_type(holder));
        let element = match (object, written) {
            (Some(_), Some(ty)) => self.flow.element_type(ty),
            (None, Some(ty)) => Some(ty),
            _ => None,
        };
        let element = element.or_else(|| object.and_then(|id| self.constructed_type(id)));
        element.and_then(|ty| self.type_text(ty, 0))
    }

    pub(super) fn field_type(&self, holder: &Holder) -> Option<TypeRef> {
        let facts = self.flow.program.module(holder.module);
        facts
            .classes
            .iter()
            .flat_map(|class| &class.fields)
            .find(|field| field.span == holder.span)
            .and_then(|field| field.ty)
            .map(|id| At { module: holder.module, id })
    }

    /// `new Map<string, T>()`: the written type of its construction.
    pub(super) fn constructed_type(&self, id: ObjId) -> Option<TypeRef> {
        let Site::Expr(at) = self.flow.object(id).site else { return None };
        let args = self.flow.program.module(at.module).type_args_of(at.id);
        args.last().map(|id| At { module: at.module, id: *id })
    }

    pub(super) fn type_text(&self, ty: TypeRef, depth: u32) -> Option<String> {
        let inner = |id| self.type_text(At { module: ty.module, id }, depth + 1);
        if depth > 3 {
            return None;
        }
        match self.flow.program.ty(ty) {
            Type::Named { path, args, .. } => {
                let args: Option<Vec<String>> = args.iter().map(|arg| inner(*arg)).collect();
                match args {
                    Some(args) if !args.is_empty() => {
                        let [open, close] = self.flow.program.tables(ty.module).traits.generics;
                        Some(format!("{path}{open}{}{close}", args.join(", ")))
                    }
                    _ => Some(path.text().to_owned()),
                }
            }
            Type::List(element) => Some(format!("{}[]", inner(*element)?)),
            // What a cell holds says it; that it is a cell is no part of the type.
            Type::Union(arms) if arms.iter().any(|arm| self.is_cell_type(At { module: ty.module, id: *arm })) => {
                let arm = arms.iter().find(|arm| !self.is_cell_type(At { module: ty.module, id: **arm }))?;
                inner(*arm)
            }
            Type::Union(arms) => {
                let arms: Option<Vec<String>> = arms.iter().map(|arm| inner(*arm)).collect();
                arms.map(|arms| arms.join(" | "))
            }
            _ => None,
        }
    }

    pub(super) fn is_cell_type(&self, ty: TypeRef) -> bool {
        matches!(self.flow.program.ty(ty), Type::Named { path, head: None, decl: None, args }
            if args.is_empty()
                && self.flow.program.tables(ty.module).export("", path.text()).is_some_and(|row| row.gives == Some(Role::Cell)))
    }

    /// The objects that a container's values are.
    pub fn element_objects(&self, id: ObjId) -> Vec<ObjId> {
        self.flow
            .elements(id)
            .into_iter()
            .filter_map(|value| match value {
                Value::Object(inner) if inner != id => Some(inner),
                _ => None,
            })
            .collect()
    }

    pub(super) fn value_fields(&self, object: Option<ObjId>) -> Vec<(Name, Vec<ExprRef>, Vec<ExprRef>)> {
        object.map_or_else(Vec::new, |id| self.value_fields_of(&self.element_objects(id)))
    }

    pub(super) fn value_fields_of(&self, objects: &[ObjId]) -> Vec<(Name, Vec<ExprRef>, Vec<ExprRef>)> {
        let objects: Vec<ObjId> = objects.iter().copied().filter(|id| self.flow.object(*id).role.is_none()).collect();
        if objects.is_empty() {
            return Vec::new();
        }
        let mut out: FxHashMap<Name, (Vec<ExprRef>, Vec<ExprRef>)> = FxHashMap::default();
        let members = self.members.get_or_init(|| members(&self.flow));
        let mut found: Vec<ExprRef> = objects.iter().filter_map(|id| members.get(id)).flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        for at in found {
            let ExprKind::Member { name, .. } = self.flow.program.kind(at) else { continue };
            let is_method = self.flow.at(at).iter().any(|value| matches!(value, Value::Func(_)));
            if is_method {
                continue;
            }
            let entry = out.entry(*name).or_default();
            if self.is_written(at) { entry.1.push(at) } else { entry.0.push(at) }
        }
        let mut out: Vec<_> = out.into_iter().map(|(name, (readers, writers))| (name, readers, writers)).collect();
        out.sort_by_key(|(name, ..)| name.text());
        out
    }

    /// Whether a member expression is written: assigned, deleted, or changed by a call on it.
    pub fn is_written(&self, at: ExprRef) -> bool {
        let facts = self.flow.program.module(at.module);
        let Some(parent) = facts.expr(at.id).parent else { return false };
        match facts.kind(parent) {
            ExprKind::Assign { target, .. } => *target == at.id,
            ExprKind::Delete { .. } => true,
            ExprKind::Member { .. } => {
                let Some(call) = facts.expr(parent).parent else { return false };
                let mutating = || self.mutations.objects.values().flatten().copied().collect();
                self.mutating.get_or_init(mutating).contains(&At { module: at.module, id: call })
            }
            ExprKind::Index { object, .. } if *object == at.id => self.is_written(At { module: at.module, id: parent }),
            _ => false,
        }
    }
}

/// The member expressions on each object that plays no role.
fn members(flow: &Flow<'_>) -> FxHashMap<ObjId, Vec<ExprRef>> {
    let mut out: FxHashMap<ObjId, Vec<ExprRef>> = FxHashMap::default();
    for at in flow.program.exprs_of([Sort::Member]) {
        let ExprKind::Member { object, .. } = flow.program.kind(at) else { continue };
        for id in flow.objects_at(At { module: at.module, id: *object }) {
            if flow.object(id).role.is_none() {
                out.entry(id).or_default().push(at);
            }
        }
    }
    out
}

/// Whether a low-level handler is the one that calls tools, however its SDK spells that.
pub(super) fn is_tool_call(name: &str) -> bool {
    let letters: String = name.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect();
    letters.contains("calltool") || letters == "toolscall"
}
