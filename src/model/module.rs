//! A lowered file.

use super::facts::*;

/// One file, lowered.
#[derive(Clone, Debug)]
pub struct Module {
    /// Path relative to the scan's root, with `/`.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// Expressions.
    pub exprs: Vec<Expr>,
    /// Declared names.
    pub symbols: Vec<Symbol>,
    /// Functions; the first is the top-level code.
    pub functions: Vec<Function>,
    /// Classes.
    pub classes: Vec<Class>,
    /// Types.
    pub types: Vec<Type>,
    /// Type declarations.
    pub type_decls: Vec<TypeDecl>,
    /// Imports.
    pub imports: Vec<Import>,
    /// Exports.
    pub exports: Vec<Export>,
    /// Branches, in source order.
    pub branches: Vec<Branch>,
    /// Type arguments written at a `Call` or `New` (`new Map<string, Basket>()`, `create<State>()`), by ascending expression. What such an
    /// expression holds is often said nowhere else.
    pub type_args: Vec<(ExprId, Vec<TypeId>)>,
    /// Expressions of which the code says, without asking, that they are not absent (`x!`, `x as string`, `cast(str, x)`), ascending.
    pub asserted: Vec<ExprId>,
    /// Byte ranges that the parser could not make sense of. Not empty: report the file as `syntax-error`, keep what could be read.
    pub errors: Vec<Span>,
    /// Comments that hold a directive for this program, in source order.
    pub comments: Vec<Span>,
}

impl Module {
    /// A module without anything in it.
    pub fn empty(language: Language) -> Self {
        Self {
            path: String::new(),
            language,
            exprs: Vec::new(),
            symbols: Vec::new(),
            functions: Vec::new(),
            classes: Vec::new(),
            types: Vec::new(),
            type_args: Vec::new(),
            asserted: Vec::new(),
            type_decls: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            branches: Vec::new(),
            errors: Vec::new(),
            comments: Vec::new(),
        }
    }

    /// An expression.
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.index()]
    }

    /// The kind of an expression.
    pub fn kind(&self, id: ExprId) -> &ExprKind {
        &self.exprs[id.index()].kind
    }

    /// A symbol.
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.index()]
    }

    /// A function.
    pub fn function(&self, id: FuncId) -> &Function {
        &self.functions[id.index()]
    }

    /// A class.
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id.index()]
    }

    /// A type.
    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id.index()]
    }

    /// The type arguments written at a call or construction.
    pub fn type_args_of(&self, id: ExprId) -> &[TypeId] {
        match self.type_args.binary_search_by_key(&id, |(expr, _)| *expr) {
            Ok(at) => &self.type_args[at].1,
            Err(_) => &[],
        }
    }

    /// All expression ids.
    pub fn expr_ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        (0..self.exprs.len() as u32).map(ExprId)
    }
}
