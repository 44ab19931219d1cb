//! What names lead to across modules, and what classes extend.

use super::types::{Base, Target, join, submodule};

use super::Flow;
use crate::model::facts::{Exported, Imported, SymbolKind};
use crate::model::name::{Name, part};
use crate::model::program::{At, ClassRef, Link, SymbolRef};
use crate::model::vocabulary::Role;

impl Flow<'_> {
    pub(super) fn export_within(&self, module: u32, name: Name, depth: u32) -> Option<Target> {
        if depth > 16 {
            return None;
        }
        let exports = &self.program.module(module).exports;
        let named = exports.iter().find(|export| export.name == name && !matches!(export.what, Exported::All { .. }));
        if let Some(export) = named {
            return match &export.what {
                Exported::Local(symbol) => match self.program.module(module).symbol(*symbol).kind {
                    SymbolKind::Import(index) => self.import_within(module, index, depth + 1),
                    _ => Some(Target::Symbol(At { module, id: *symbol })),
                },
                Exported::Value(expr) => Some(Target::Expr(At { module, id: *expr })),
                Exported::Type(decl) => Some(Target::Decl(At { module, id: *decl })),
                Exported::From { source, name } => self.imported(module, *source, name, depth + 1),
                Exported::All { .. } => None,
            };
        }
        let all = exports.iter().filter_map(|export| match &export.what {
            Exported::All { source } => Some(*source),
            _ => None,
        });
        for source in all {
            match self.program.link(module, source) {
                Link::Module(other) => {
                    if let Some(target) = self.export_within(other, name, depth + 1) {
                        return Some(target);
                    }
                }
                Link::External(package) if exports.len() == 1 => {
                    return Some(Target::External(package, name));
                }
                _ => {}
            }
        }
        None
    }

    pub(super) fn import_within(&self, module: u32, index: u32, depth: u32) -> Option<Target> {
        let import = &self.program.module(module).imports[index as usize];
        self.imported(module, import.source, &import.imported, depth)
    }

    pub(super) fn imported(&self, module: u32, source: Name, what: &Imported, depth: u32) -> Option<Target> {
        match self.program.link(module, source) {
            Link::External(package) => Some(Target::External(
                package,
                match what {
                    Imported::Named(name) => *name,
                    Imported::Default => Name::new("default"),
                    Imported::Namespace | Imported::Effects => Name::new(""),
                },
            )),
            Link::Module(other) => match what {
                Imported::Named(name) => {
                    let inner = || self.inner_module(other, *name).map(Target::Namespace);
                    let within = || self.inline_export(other, source, *name, depth);
                    self.export_within(other, *name, depth + 1).or_else(inner).or_else(within).or_else(|| {
                        // A CommonJS module's object has the names as fields.
                        self.export_within(other, part::module(), depth + 1).map(|_| Target::Namespace(other))
                    })
                }
                Imported::Default => self
                    .export_within(other, Name::new("default"), depth + 1)
                    .or_else(|| self.export_within(other, part::module(), depth + 1)),
                Imported::Namespace | Imported::Effects => Some(Target::Namespace(other)),
            },
            // A folder that no file stands for has modules all the same.
            Link::Missing => match what {
                Imported::Named(name) if self.program.tables(module).traits.open_imports => {
                    match self.program.link(module, submodule(source, *name)) {
                        Link::Module(other) => Some(Target::Namespace(other)),
                        _ => None,
                    }
                }
                _ => None,
            },
        }
    }

    /// What a module written within another's file exports: the last parts of the specifier are no files.
    fn inline_export(&self, module: u32, source: Name, name: Name, depth: u32) -> Option<Target> {
        if !self.program.tables(module).traits.partial_classes {
            return None;
        }
        let mut path = name.text().to_owned();
        source.text().rsplit("::").take(4).find_map(|part| {
            path = format!("{part}::{path}");
            self.export_within(module, Name::new(&path), depth + 1)
        })
    }

    /// The module that a module contains under a name: a file or folder beside the file that stands for the folder.
    pub(super) fn inner_module(&self, module: u32, name: Name) -> Option<u32> {
        let index = self.program.tables(module).traits.index_module;
        if index.is_empty() {
            return None;
        }
        let (stem, extension) = self.program.module(module).path.rsplit_once('.')?;
        let folder = stem.strip_suffix(index)?;
        let file = self.paths.get(format!("{folder}{name}.{extension}").as_str());
        file.or_else(|| self.paths.get(format!("{folder}{name}/{index}.{extension}").as_str())).copied()
    }

    /// A name that a module has in sight because it takes over all names of another.
    pub(super) fn open_import(&self, module: u32, name: Name) -> Option<Target> {
        let exports = &self.program.module(module).exports;
        exports.iter().find_map(|export| match &export.what {
            Exported::All { source } => match self.program.link(module, *source) {
                Link::Module(other) => self.export_within(other, name, 1),
                Link::External(package) => {
                    let known = self.program.tables(module).export(package.text(), name.text());
                    known.map(|_| Target::External(package, name))
                }
                Link::Missing => None,
            },
            _ => None,
        })
    }

    /// What a symbol leads to, through imports.
    pub fn target(&self, symbol: SymbolRef) -> Option<Target> {
        match self.program.symbol(symbol).kind {
            SymbolKind::Import(index) => self.import(symbol.module, index),
            _ => Some(Target::Symbol(symbol)),
        }
    }

    pub(super) fn find_bases(&self, class: ClassRef) -> Vec<Base> {
        use crate::model::facts::ExprKind;
        let mut out = Vec::new();
        for &base in &self.program.class(class).bases {
            let mut base = base;
            // `class A extends mixin(B)`: what the mixin is given is the base that matters.
            while let ExprKind::Call { args, .. } = self.program.module(class.module).kind(base) {
                match args.first() {
                    Some(arg) => base = arg.value,
                    None => break,
                }
            }
            match self.program.module(class.module).kind(base) {
                ExprKind::Symbol(id) => match self.target(At { module: class.module, id: *id }) {
                    Some(Target::Symbol(symbol)) => {
                        if let SymbolKind::Class(id) = self.program.symbol(symbol).kind {
                            out.push(Base::Class(At { module: symbol.module, id }));
                        }
                    }
                    Some(Target::External(package, path)) => out.push(Base::External(package, path)),
                    _ => {}
                },
                ExprKind::Member { object, name } => {
                    if let ExprKind::Symbol(id) = self.program.module(class.module).kind(*object)
                        && let Some(Target::External(package, path)) = self.target(At { module: class.module, id: *id })
                    {
                        out.push(Base::External(package, join(path, *name)));
                    }
                }
                ExprKind::Global(name) => out.push(Base::External(Name::new(""), *name)),
                _ => {}
            }
        }
        out
    }

    /// The classes of other packages that a class extends: package and path of each.
    pub fn external_bases(&self, class: ClassRef) -> Vec<(Name, Name)> {
        let external = |base: &Base| match base {
            Base::External(package, path) => Some((*package, *path)),
            Base::Class(_) => None,
        };
        self.bases(class).iter().filter_map(external).collect()
    }

    /// The topmost ancestor of a class within the program; fields belong to it.
    pub fn topmost(&self, class: ClassRef) -> ClassRef {
        if let Some(&known) = self.tops.borrow().get(&class) {
            return known;
        }
        let top = self.find_topmost(class);
        self.tops.borrow_mut().insert(class, top);
        top
    }

    pub(super) fn find_topmost(&self, class: ClassRef) -> ClassRef {
        let mut at = class;
        for _ in 0..16 {
            match self.parent(at) {
                Some(next) if next != class => at = next,
                _ => break,
            }
        }
        at
    }

    /// The role that a class has by what it extends, or by what it does.
    pub fn class_role(&self, class: ClassRef) -> Option<Role> {
        self.inherited_role(class).or_else(|| self.own_transport(class))
    }

    fn inherited_role(&self, class: ClassRef) -> Option<Role> {
        if let Some(role) = self.implemented_role(class) {
            return Some(role);
        }
        let mut at = class;
        for _ in 0..16 {
            let mut next = None;
            for base in self.bases(at).iter() {
                match *base {
                    Base::External(package, path) => {
                        let row = self.program.tables(at.module).export(package.text(), path.text());
                        if let Some(role) = row.and_then(|row| row.gives) {
                            return Some(role);
                        }
                    }
                    Base::Class(class) => next = Some(class),
                }
            }
            at = next?;
        }
        None
    }
}
