//! The Rust front end.
//!
//! A struct or enum with its `impl`s is a class: `self` is `this`, associated functions are static methods, variants and tuple
//! structs have constructors. Where an `impl` belongs to a type of another file, it is a class that continues that one (a class
//! whose base is the type). Ownership is left out: references, smart pointers, locks and the happy path of `Option` and `Result`
//! are their inner value, and what changes a value in place (`*guard = v`, `cell.store(v)`, `mem::take(&mut *guard)`) is an
//! assignment to the place. Attributes are decorators, and a method of a trait is decorated by the trait's method, so that the
//! vocabulary can say who will run it.

mod attributes;
mod calls;
mod changes;
mod class;
mod control;
mod expand;
mod expr;
mod function;
mod items;
mod macros;
mod paths;
mod pattern;
mod place;
mod scope;
mod source;
mod span;
mod types;
mod uses;

use rustc_hash::{FxHashMap, FxHashSet};

use self::place::Place;
use self::scope::{FILE, ScopeId, Scopes};
use super::LowerError;
use crate::model::facts::{
    ClassId, Expr, ExprId, ExprKind, FuncId, FuncKind, Function, Language, Module, Span, Symbol, SymbolId, SymbolKind,
    TOP, Type, TypeId,
};
use crate::model::name::Name;

/// Nesting that is lowered.
const DEEP: u32 = 1_500;
/// The stack for it: generous, for unoptimised builds.
const STACK: usize = 256 << 20;

/// Lowers one file. Spans count from the start of `text`, whether or not it begins with a byte order mark.
pub fn lower(path: &str, language: Language, text: &str) -> Result<Module, LowerError> {
    if text.len() >= i32::MAX as usize {
        return Err(LowerError::TooLarge);
    }
    // The parser recurses; its spans live in a table of the thread and go with it.
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .stack_size(STACK)
            .spawn_scoped(scope, || Lowerer::new(path, language, text).run())
            .map_err(|_| LowerError::TooDeep)?
            .join()
            .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Where in the code the walk is.
#[derive(Clone, Copy)]
struct At {
    func: FuncId,
    /// What `self` and `Self` are.
    class: Option<ClassId>,
    scope: ScopeId,
}

struct Lowerer<'t> {
    text: &'t str,
    base: usize,
    module: Module,
    scopes: Scopes,
    /// Local variables in sight, innermost last.
    locals: Vec<(Name, SymbolId)>,
    /// Where those of the current function begin.
    floor: usize,
    /// Variables that stand for a place elsewhere: guards and mutable references.
    places: FxHashMap<SymbolId, Place>,
    at: At,
    /// Imports made for full paths.
    imports: FxHashMap<(Name, Name), SymbolId>,
    /// Functions by item.
    functions: FxHashMap<usize, FuncId>,
    /// Classes by item.
    types: FxHashMap<usize, ClassId>,
    /// Classes that continue a type of another file, by the type's name.
    continued: FxHashMap<SymbolId, ClassId>,
    /// Names of methods that the file declares: a call of one is never taken for the standard library's.
    own_methods: FxHashSet<Name>,
    /// Uses of names that nothing in the file declares.
    unresolved: Vec<(ExprId, Name, ScopeId)>,
    depth: u32,
    too_deep: bool,
}

impl<'t> Lowerer<'t> {
    fn new(path: &str, language: Language, text: &'t str) -> Self {
        Self {
            text,
            base: 0,
            module: empty_module(path, language, text),
            scopes: Scopes::new(),
            locals: Vec::new(),
            floor: 0,
            places: FxHashMap::default(),
            at: At { func: TOP, class: None, scope: FILE },
            imports: FxHashMap::default(),
            functions: FxHashMap::default(),
            types: FxHashMap::default(),
            continued: FxHashMap::default(),
            own_methods: FxHashSet::default(),
            unresolved: Vec::new(),
            depth: 0,
            too_deep: false,
        }
    }

    fn run(mut self) -> Result<Module, LowerError> {
        let source = source::parse(self.text)?;
        self.base = source.base;
        self.module.errors = source.errors;
        let mut items = source.items;
        items.extend(expand::items(&items));
        self.declare_items(&items, FILE);
        self.define_items(&items, FILE);
        self.run_main();
        self.resolve_globs();
        self.export_items();
        if self.too_deep {
            return Err(LowerError::TooDeep);
        }
        self.module.branches.sort_by_key(|branch| (branch.span.start, std::cmp::Reverse(branch.span.end)));
        self.module.type_args.sort_by_key(|(expr, _)| *expr);
        Ok(self.module)
    }

    /// The platform runs `main`.
    fn run_main(&mut self) {
        if let Some(main) = self.scopes.symbol(FILE, Name::new("main"))
            && let SymbolKind::Function(id) = self.module.symbol(main).kind
        {
            let span = self.module.function(id).name_span;
            let callee = self.add(ExprKind::Symbol(main), span);
            self.add(ExprKind::Call { callee, args: Vec::new() }, span);
        }
    }

    /// A range of the parser as one of the file.
    fn span(&self, range: std::ops::Range<usize>) -> Span {
        Span::new(self.base + range.start, self.base + range.end)
    }

    fn ident_span(&self, ident: &syn::Ident) -> Span {
        self.span(ident.span().byte_range())
    }

    /// Enters one level of nesting. False: give up, the file is too deep; whatever is answered then is thrown away.
    fn enter(&mut self) -> bool {
        if self.depth >= DEEP {
            self.too_deep = true;
        }
        if self.too_deep {
            return false;
        }
        self.depth += 1;
        true
    }

    fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Runs `inside` in another place and comes back.
    fn within<T>(&mut self, place: At, inside: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.at, place);
        let answer = inside(self);
        self.at = outer;
        answer
    }

    /// Runs `inside`; the variables it declares go out of sight afterwards.
    fn in_block<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let mark = self.locals.len();
        let answer = inside(self);
        self.locals.truncate(mark);
        answer
    }

    // The arenas.

    fn add(&mut self, kind: ExprKind, span: Span) -> ExprId {
        let id = ExprId(self.module.exprs.len() as u32);
        let exprs = &mut self.module.exprs;
        kind.each_child(|child| {
            // A value that several synthesised reads share belongs to the first.
            let parent = &mut exprs[child.index()].parent;
            if parent.is_none() {
                *parent = Some(id);
            }
        });
        exprs.push(Expr { kind, span, func: self.at.func, parent: None });
        id
    }

    fn nothing(&mut self, span: Span) -> ExprId {
        self.add(ExprKind::Opaque(Vec::new()), span)
    }

    fn add_type(&mut self, ty: Type) -> TypeId {
        let id = TypeId(self.module.types.len() as u32);
        self.module.types.push(ty);
        id
    }

    fn add_function(&mut self, function: Function) -> FuncId {
        let id = FuncId(self.module.functions.len() as u32);
        self.module.functions.push(function);
        id
    }

    fn add_symbol(&mut self, name: Name, kind: SymbolKind, span: Span) -> SymbolId {
        let id = SymbolId(self.module.symbols.len() as u32);
        self.module.symbols.push(Symbol { name, kind, func: self.at.func, span, ty: None, init: None });
        id
    }

    fn add_return(&mut self, value: Option<ExprId>, span: Span) {
        self.add(ExprKind::Return(value), span);
        if let Some(value) = value {
            self.module.functions[self.at.func.index()].returns.push(value);
        }
    }

    fn add_throw(&mut self, value: Option<ExprId>, span: Span) -> ExprId {
        let id = self.add(ExprKind::Throw(value), span);
        self.module.functions[self.at.func.index()].throws.push(id);
        id
    }
}

/// A module with nothing but its top-level function.
fn empty_module(path: &str, language: Language, text: &str) -> Module {
    let top = Function {
        name: None,
        kind: FuncKind::Top,
        parent: None,
        class: None,
        is_static: false,
        params: Vec::new(),
        returns: Vec::new(),
        ret: None,
        decorators: Vec::new(),
        span: Span::new(0, text.len()),
        name_span: Span::default(),
        throws: Vec::new(),
    };
    Module {
        path: path.to_owned(),
        // About one expression for 12 bytes of source.
        exprs: Vec::with_capacity(text.len() / 12),
        functions: vec![top],
        ..Module::empty(language)
    }
}

/// The name that an identifier spells.
fn name(ident: &syn::Ident) -> Name {
    let text = ident.to_string();
    Name::new(text.strip_prefix("r#").unwrap_or(&text))
}

/// Whether a name is written like that of a type or variant.
fn is_type_name(name: Name) -> bool {
    name.text().chars().next().is_some_and(char::is_uppercase)
}
