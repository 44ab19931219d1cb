//! Written types as values: what a symbol must be by its annotation, used where no value was seen to flow.

use rustc_hash::FxHashMap;

use super::value::{Object, Site, Value};
use super::{Flow, NodeId, Owner};
use crate::model::facts::{SymbolKind, Type};
use crate::model::name::{Name, part};
use crate::model::program::{At, ClassRef, DeclRef, ExprRef, SymbolRef, TypeRef};
use crate::model::vocabulary::{Op, Role};

/// What an exported name leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A declared name.
    Symbol(SymbolRef),
    /// An expression.
    Expr(ExprRef),
    /// A declared type.
    Decl(DeclRef),
    /// A whole module.
    Namespace(u32),
    /// A name outside the program.
    External(Name, Name),
}

/// What a class extends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// A class of the program.
    Class(ClassRef),
    /// A class outside it.
    External(Name, Name),
}

/// `path.name`, where the default export of a package counts as the package.
pub fn join(path: Name, name: Name) -> Name {
    match path.text() {
        "" | "default" => name,
        path => Name::new(&format!("{path}.{name}")),
    }
}

/// The specifier of a module within another: `a` and `b` are `a.b`, `.` and `b` are `.b`.
pub fn submodule(source: Name, name: Name) -> Name {
    let dot = if source.text().ends_with('.') { "" } else { "." };
    Name::new(&format!("{source}{dot}{name}"))
}

impl Flow<'_> {
    /// Written types speak where no value was seen. `first`: fields of languages that construct in full are left for later.
    pub(super) fn apply_types(&mut self, first: bool) {
        for module in 0..self.program.modules.len() as u32 {
            let facts = self.program.module(module);
            for (index, symbol) in facts.symbols.iter().enumerate() {
                if let Some(ty) = symbol.ty {
                    let at = At { module, id: crate::model::facts::SymbolId(index as u32) };
                    self.apply(self.symbol_node(at), At { module, id: ty }, Site::Symbol(at));
                }
            }
            let later = first && self.program.tables(module).traits.full_construction;
            for (index, class) in facts.classes.iter().enumerate().filter(|_| !later) {
                let class_ref = At { module, id: crate::model::facts::ClassId(index as u32) };
                for field in &class.fields {
                    let Some(ty) = field.ty else { continue };
                    let top = self.topmost(class_ref);
                    let owner = if field.is_static { Owner::Static(class_ref) } else { Owner::Class(top) };
                    let node = self.field_node(owner, field.name);
                    let this = self.instance(class_ref);
                    self.apply(node, At { module, id: ty }, Site::Part(this, field.name));
                }
            }
            for (index, func) in facts.functions.iter().enumerate() {
                let Some(ty) = func.ret else { continue };
                let at = At { module, id: crate::model::facts::FuncId(index as u32) };
                self.apply(self.return_node(at), At { module, id: ty }, Site::Param(at, u32::MAX));
            }
        }
    }

    pub(super) fn apply(&mut self, node: NodeId, ty: TypeRef, site: Site) {
        let known: Vec<_> = self.values(node).to_vec();
        let adopted = self.adopt(&known, ty);
        self.write(node, &adopted);
        // What is known of a cell says nothing of what is in it.
        let cells = known.iter().filter_map(|value| match value {
            Value::Object(id) if self.object(*id).role == Some(Role::Cell) => Some(*id),
            _ => None,
        });
        if let Some(cell) = cells.clone().next()
            && known.iter().all(|v| matches!(v, Value::Absent | Value::Object(_)))
            && cells.count() == known.iter().filter(|v| matches!(v, Value::Object(_))).count()
        {
            let values = self.typed(ty, Site::Part(cell, Name::new("[]")), 0);
            self.write(node, &values);
            return;
        }
        let informative = known.iter().any(|value| {
            matches!(
                value,
                Value::Object(_) | Value::Func(_) | Value::Class(_) | Value::External(..) | Value::Method(..)
            )
        });
        // A value that an SDK made, declared to be of a class of the program: that class extends the SDK's.
        let made_outside = known.iter().all(|value| match value {
            Value::Object(id) => self.object(*id).class.is_none() && self.object(*id).role.is_some(),
            _ => false,
        });
        if informative && made_outside && self.program.tables(ty.module).traits.class_attributes {
            let values = self.typed(ty, site, 0);
            let classes: Vec<Value> = values
                .into_iter()
                .filter(|value| matches!(value, Value::Object(id) if self.object(*id).class.is_some() && self.object(*id).role.is_some()))
                .collect();
            self.write(node, &classes);
        }
        if !informative {
            let values = self.typed(ty, site, 0);
            self.write(node, &values);
            return;
        }
        let Some(element) = self.element_type(ty) else {
            return;
        };
        for value in known {
            if let Value::Object(id) = value {
                self.type_elements(id, element, 0);
            }
        }
    }

    /// Gives the elements of a container the written type, where no element was seen.
    pub(super) fn type_elements(&mut self, id: super::value::ObjId, element: TypeRef, depth: u32) {
        let elements = self.field_node(Owner::Object(id), part::elements());
        let known = self.values(elements).to_vec();
        let adopted = self.adopt(&known, element);
        self.write(elements, &adopted);
        if self.values(elements).iter().any(|value| matches!(value, Value::Object(_) | Value::Func(_))) {
            return;
        }
        let values = self.typed(element, Site::Part(id, part::elements()), depth + 1);
        self.write(elements, &values);
    }

    /// The type of a container type's elements.
    pub fn element_type(&self, ty: TypeRef) -> Option<TypeRef> {
        let at = |id| At { module: ty.module, id };
        match self.program.ty(ty) {
            Type::Named { path, args, .. } => match path.text() {
                "Promise" | "Readonly" | "Partial" | "Required" => self.element_type(at(*args.first()?)),
                _ => args.last().map(|id| at(*id)),
            },
            Type::Object { index, .. } => index.map(at),
            Type::Union(arms) => arms.iter().find_map(|arm| self.element_type(at(*arm))),
            Type::List(element) => Some(at(*element)),
            _ => None,
        }
    }

    /// The values that a written type stands for.
    pub(super) fn typed(&mut self, ty: TypeRef, site: Site, depth: u32) -> Vec<Value> {
        if depth > 4 {
            return Vec::new();
        }
        let program = self.program;
        let at = |id| At { module: ty.module, id };
        match program.ty(ty) {
            Type::Named { path, head, decl, args } => {
                let element = args.last().map(|id| at(*id));
                if let Some(decl) = decl {
                    return self.typed_decl(At { module: ty.module, id: *decl }, site, depth);
                }
                match head {
                    Some(head) => {
                        let rest = path.text().split_once('.').map(|(_, rest)| Name::new(rest));
                        self.typed_symbol(At { module: ty.module, id: *head }, rest, site, element, depth)
                    }
                    None => self.typed_external(ty.module, Name::new(""), *path, site, element.map(|ty| (ty, depth))),
                }
            }
            Type::Object { index, fields } => {
                let Value::Object(id) = self.role_object(site, index.map(|_| Role::Map)) else {
                    return Vec::new();
                };
                if let Some(index) = index {
                    self.type_elements(id, at(*index), depth);
                }
                for (name, ty) in fields {
                    self.type_field(id, *name, at(*ty), depth);
                }
                vec![Value::Object(id)]
            }
            Type::Union(arms) => arms.iter().flat_map(|arm| self.typed(at(*arm), site, depth + 1)).collect(),
            Type::List(element) => {
                let Value::Object(id) = self.role_object(site, Some(Role::List)) else {
                    return Vec::new();
                };
                self.type_elements(id, at(*element), depth);
                vec![Value::Object(id)]
            }
            Type::Of(expr) => self.at(At { module: ty.module, id: *expr }).to_vec(),
            Type::Function { .. } | Type::Unknown => Vec::new(),
        }
    }

    pub(super) fn type_field(&mut self, id: super::value::ObjId, name: Name, ty: TypeRef, depth: u32) {
        let node = self.field_node(Owner::Object(id), name);
        if self.values(node).is_empty() {
            let values = self.typed(ty, Site::Part(id, name), depth + 1);
            self.write(node, &values);
        }
    }

    pub(super) fn typed_symbol(
        &mut self,
        symbol: SymbolRef,
        rest: Option<Name>,
        site: Site,
        element: Option<TypeRef>,
        depth: u32,
    ) -> Vec<Value> {
        match self.target(symbol) {
            Some(Target::Symbol(symbol)) => match self.program.symbol(symbol).kind {
                SymbolKind::Class(id) => self.instances_of(At { module: symbol.module, id }),
                // A name that stands for a type, or for one of several.
                SymbolKind::Variable { .. } => {
                    let values = self.read(self.symbol_node(symbol));
                    for value in values {
                        match value {
                            Value::External(package, path) => {
                                let path = rest.map_or(path, |rest| join(path, rest));
                                let element = element.map(|ty| (ty, depth));
                                return self.typed_external(symbol.module, package, path, site, element);
                            }
                            Value::Class(class) => return vec![Value::Object(self.instance(class))],
                            _ => {}
                        }
                    }
                    Vec::new()
                }
                _ => Vec::new(),
            },
            Some(Target::Decl(decl)) => self.typed_decl(decl, site, depth),
            Some(Target::External(package, path)) => {
                let path = rest.map_or(path, |rest| join(path, rest));
                self.typed_external(symbol.module, package, path, site, element.map(|ty| (ty, depth)))
            }
            Some(Target::Namespace(module)) => match rest.and_then(|rest| self.export(module, rest)) {
                Some(Target::Symbol(symbol)) => self.typed_symbol(symbol, None, site, element, depth + 1),
                Some(Target::Decl(decl)) => self.typed_decl(decl, site, depth),
                _ => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// What a class stands for as a type: its instances; for a protocol those of the classes that have all its methods.
    pub(super) fn instances_of(&mut self, class: ClassRef) -> Vec<Value> {
        let protocol = self.bases(class).iter().any(|base| match base {
            Base::External(package, path) => {
                let row = self.program.tables(class.module).export(package.text(), path.text());
                row.is_some_and(|row| row.does == Some(Op::StructuralType))
            }
            Base::Class(_) => false,
        });
        if !protocol {
            return vec![Value::Object(self.instance(class))];
        }
        let standing = match self.structural.get(&class) {
            Some(known) => known.clone(),
            None => {
                let found = self.with_methods_of(class);
                self.structural.insert(class, found.clone());
                found
            }
        };
        standing.into_iter().map(|class| Value::Object(self.instance(class))).collect()
    }

    /// The classes that have all methods of another; the other itself where there are none.
    pub(super) fn with_methods_of(&self, class: ClassRef) -> Vec<ClassRef> {
        let names = self.method_names(class);
        let has_all = |other: &ClassRef| {
            let written = self.method_names(*other);
            *other != class && names.iter().all(|name| written.contains(name))
        };
        let found: Vec<ClassRef> =
            if names.is_empty() { Vec::new() } else { self.program.classes().filter(has_all).take(8).collect() };
        if found.is_empty() { vec![class] } else { found }
    }

    pub(super) fn method_names(&self, class: ClassRef) -> Vec<Name> {
        let facts = self.program.module(class.module);
        facts.class(class.id).methods.iter().filter_map(|method| facts.function(*method).name).collect()
    }

    pub(super) fn typed_external(
        &mut self,
        module: u32,
        package: Name,
        path: Name,
        site: Site,
        element: Option<(TypeRef, u32)>,
    ) -> Vec<Value> {
        let role = self.program.tables(module).export(package.text(), path.text()).and_then(|row| row.gives);
        if role.is_none() && package == "" {
            return Vec::new();
        }
        if role == Some(Role::Arguments)
            && let Site::Symbol(symbol) = site
        {
            let func = At { module: symbol.module, id: self.program.symbol(symbol).func };
            return vec![Value::Argument(func)];
        }
        let object = || Object { site, role, class: None, external: Some((package, path)) };
        let id = self.object_of(site, object);
        self.give_role(id, role, Some((package, path)));
        if let Some((element, depth)) = element
            && matches!(role, Some(Role::Map | Role::List | Role::Set | Role::Cache | Role::WeakMap))
        {
            self.type_elements(id, element, depth);
        }
        vec![Value::Object(id)]
    }

    pub(super) fn typed_decl(&mut self, decl: DeclRef, site: Site, depth: u32) -> Vec<Value> {
        let implementers = self.implementers(decl);
        if !implementers.is_empty() {
            return implementers.into_iter().map(|class| Value::Object(self.instance(class))).collect();
        }
        let declared = &self.program.module(decl.module).type_decls[decl.id.index()];
        let (ty, extends) = (declared.ty, declared.extends.clone());
        let mut out = Vec::new();
        for base in extends {
            out.extend(self.typed(At { module: decl.module, id: base }, site, depth + 1));
        }
        let at = At { module: decl.module, id: ty };
        // An interface is one object however many symbols are typed with it; an alias of something else is that thing.
        let site = match self.program.ty(at) {
            Type::Object { index: None, .. } if out.is_empty() => Site::Decl(decl),
            _ => site,
        };
        if let Some(&id) = self.sites.get(&site)
            && site == Site::Decl(decl)
        {
            return vec![Value::Object(id)];
        }
        if !(out.iter().any(|value| matches!(value, Value::Object(id) if self.object(*id).role.is_some()))) {
            out.extend(self.typed(at, site, depth + 1));
        }
        out
    }

    /// The classes of the program that say they implement a declared type.
    pub(super) fn implementers(&mut self, decl: DeclRef) -> Vec<ClassRef> {
        if self.implementing.is_none() {
            let mut table: FxHashMap<DeclRef, Vec<ClassRef>> = FxHashMap::default();
            for class in self.program.classes() {
                for ty in &self.program.class(class).implements {
                    let written = match self.program.module(class.module).ty(*ty) {
                        Type::Named { decl: Some(id), .. } => Some(At { module: class.module, id: *id }),
                        Type::Named { head: Some(head), .. } => {
                            match self.target(At { module: class.module, id: *head }) {
                                Some(Target::Decl(decl)) => Some(decl),
                                _ => None,
                            }
                        }
                        _ => None,
                    };
                    if let Some(decl) = written {
                        table.entry(decl).or_default().push(class);
                    }
                }
            }
            self.implementing = Some(table);
        }
        self.implementing.as_ref().and_then(|table| table.get(&decl)).cloned().unwrap_or_default()
    }
}
