//! The modules that are solved together, and how their imports meet.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use super::facts::{
    Class, ClassId, Expr, ExprId, ExprKind, FuncId, FuncKind, Function, Language, Module, Symbol, SymbolId, Type,
    TypeDeclId, TypeId,
};
use super::name::Name;
pub use super::sorts::Sort;
use super::sorts::Sorts;
use super::vocabulary::{PYTHON, RUST, TYPESCRIPT, Tables};

/// Something of one module of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct At<T> {
    /// Index of the module.
    pub module: u32,
    /// The thing in it.
    pub id: T,
}

/// An expression of the program.
pub type ExprRef = At<ExprId>;
/// A function of the program.
pub type FuncRef = At<FuncId>;
/// A symbol of the program.
pub type SymbolRef = At<SymbolId>;
/// A class of the program.
pub type ClassRef = At<ClassId>;
/// A type of the program.
pub type TypeRef = At<TypeId>;
/// A type declaration of the program.
pub type DeclRef = At<TypeDeclId>;

/// Where an import leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Link {
    /// A module of the program.
    Module(u32),
    /// A package outside it.
    External(Name),
    /// Nowhere that is known.
    Missing,
}

/// Modules that are solved together.
#[derive(Debug, Default)]
pub struct Program {
    /// The modules.
    pub modules: Vec<Module>,
    /// (module, specifier) → target.
    pub links: FxHashMap<(u32, Name), Link>,
    /// Names of functions and methods that are known to give a session id.
    pub id_functions: Vec<Name>,
    /// The expressions of the modules by sort, once somebody asks.
    sorts: OnceCell<Sorts>,
}

impl Program {
    /// Modules that are solved together. They stay as they are for as long as anything is asked of the program.
    pub fn new(modules: Vec<Module>, links: FxHashMap<(u32, Name), Link>, id_functions: Vec<Name>) -> Self {
        Self { modules, links, id_functions, sorts: OnceCell::new() }
    }

    /// Where a specifier leads from a module.
    pub fn link(&self, module: u32, specifier: Name) -> Link {
        self.links.get(&(module, specifier)).copied().unwrap_or(Link::Missing)
    }

    /// A module.
    pub fn module(&self, index: u32) -> &Module {
        &self.modules[index as usize]
    }

    /// An expression.
    pub fn expr(&self, at: ExprRef) -> &Expr {
        self.module(at.module).expr(at.id)
    }

    /// The kind of an expression.
    pub fn kind(&self, at: ExprRef) -> &ExprKind {
        self.module(at.module).kind(at.id)
    }

    /// A function.
    pub fn function(&self, at: FuncRef) -> &Function {
        self.module(at.module).function(at.id)
    }

    /// A symbol.
    pub fn symbol(&self, at: SymbolRef) -> &Symbol {
        self.module(at.module).symbol(at.id)
    }

    /// A class.
    pub fn class(&self, at: ClassRef) -> &Class {
        self.module(at.module).class(at.id)
    }

    /// A type.
    pub fn ty(&self, at: TypeRef) -> &Type {
        self.module(at.module).ty(at.id)
    }

    /// The function that an expression belongs to.
    pub fn func_of(&self, at: ExprRef) -> FuncRef {
        At { module: at.module, id: self.expr(at).func }
    }

    /// Whether an expression is code of a static method, where `this` is the class.
    pub fn in_static_method(&self, at: ExprRef) -> bool {
        // Where whoever makes an instance fills it, a function of the type makes one and has no class to speak of.
        if self.tables(at.module).traits.full_construction {
            return false;
        }
        let facts = self.module(at.module);
        let mut func = self.expr(at).func;
        loop {
            let function = facts.function(func);
            match (function.kind, function.parent) {
                (FuncKind::Method | FuncKind::Getter | FuncKind::Setter, _) => return function.is_static,
                // Only an arrow has the `this` of what is around it, and only such a function has a class.
                (FuncKind::Anonymous, Some(parent)) if function.class.is_some() => func = parent,
                _ => return false,
            }
        }
    }

    /// What names mean in the language of a module.
    pub fn tables(&self, module: u32) -> &'static Tables {
        match self.module(module).language {
            Language::TypeScript | Language::JavaScript => &TYPESCRIPT,
            Language::Python => &PYTHON,
            Language::Rust => &RUST,
        }
    }

    /// Whether `inner` is `outer` or lies within it.
    pub fn within(&self, inner: FuncRef, outer: FuncRef) -> bool {
        if inner.module != outer.module {
            return false;
        }
        let mut at = Some(inner.id);
        while let Some(id) = at {
            if id == outer.id {
                return true;
            }
            at = self.module(inner.module).function(id).parent;
        }
        false
    }

    /// All functions of all modules.
    pub fn functions(&self) -> impl Iterator<Item = FuncRef> + '_ {
        (0..self.modules.len() as u32).flat_map(move |module| {
            (0..self.module(module).functions.len() as u32).map(move |id| At { module, id: FuncId(id) })
        })
    }

    /// All expressions of all modules.
    pub fn exprs(&self) -> impl Iterator<Item = ExprRef> + '_ {
        (0..self.modules.len() as u32)
            .flat_map(move |module| self.module(module).expr_ids().map(move |id| At { module, id }))
    }

    /// All expressions of all modules that are of one of some sorts, in the order of [`Program::exprs`].
    pub fn exprs_of<const N: usize>(&self, sorts: [Sort; N]) -> impl Iterator<Item = ExprRef> + '_ {
        self.sorts.get_or_init(|| Sorts::new(&self.modules)).all(sorts)
    }

    /// All classes of all modules.
    pub fn classes(&self) -> impl Iterator<Item = ClassRef> + '_ {
        (0..self.modules.len() as u32).flat_map(move |module| {
            (0..self.module(module).classes.len() as u32).map(move |id| At { module, id: ClassId(id) })
        })
    }
}
