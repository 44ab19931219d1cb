//! The Python front end.
//!
//! One walk over the syntax tree builds the module. It recurses with the nesting of the code and iterates along what programs
//! (and those who write programs by program) make long: operator and call chains, conditional chains. Names are declared while
//! the file is read and looked up when all of it has been, since an assignment anywhere in a function makes a name local.

mod class;
mod comprehension;
mod control;
mod decorator;
mod expr;
mod function;
mod grammar;
mod literal;
mod modules;
mod operators;
mod scope;
mod statement;
mod target;
mod text;
mod tree;
mod types;
mod written;

use rustc_hash::{FxHashMap, FxHashSet};

use self::grammar::{F, K};
use self::scope::{Reference, TypeReference};
use self::tree::{Node, Tree};
use super::LowerError;
use super::scopes::{MODULE, ScopeId, Scopes};
use crate::model::facts::{
    ClassId, Expr, ExprId, ExprKind, FuncId, FuncKind, Function, Language, Module, Span, SymbolId, TOP, Type, TypeId,
};
use crate::model::name::Name;

/// Lowers one file. `path` is recorded; `text` is free of a byte order mark.
pub fn lower(path: &str, language: Language, text: &str) -> Result<Module, LowerError> {
    lower_tree(path, language, text, &Tree::read(text)?)
}

/// How a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Road {
    /// By the fast parser, which knows no errors.
    Fast,
    /// By the parser that recovers from errors.
    Recovering,
}

/// Lowers one file by the given road alone; both come to the same. `None`: the file is not for this road.
pub fn lower_by(road: Road, path: &str, language: Language, text: &str) -> Result<Option<Module>, LowerError> {
    match Tree::read_by(road, text)? {
        Some(tree) => lower_tree(path, language, text, &tree).map(Some),
        None => Ok(None),
    }
}

fn lower_tree(path: &str, language: Language, text: &str, tree: &Tree) -> Result<Module, LowerError> {
    super::deepening(|cap| Lowerer::new(path, language, text, cap).run(tree))
}

/// A child of a node, with what decides how it is read.
#[derive(Clone, Copy)]
struct Kid<'t> {
    node: Node<'t>,
    k: K,
    field: F,
}

impl<'t> Kid<'t> {
    fn of(node: Node<'t>) -> Self {
        Self { node, k: node.kind(), field: node.role() }
    }
}

/// Where in the code the walk is.
#[derive(Clone, Copy)]
struct Place {
    func: FuncId,
    /// The class that `self` is an instance of, here and in nested functions.
    class: Option<ClassId>,
    /// The class whose body this is.
    body_of: Option<ClassId>,
    /// Where names are declared.
    scope: ScopeId,
    /// Where a walrus declares them: comprehensions have a scope of their own.
    function_scope: ScopeId,
    /// What nested functions see: not the names of a class body.
    visible: ScopeId,
    /// In code that only a type checker reads.
    type_only: bool,
}

struct Lowerer<'t> {
    text: &'t str,
    module: Module,
    scopes: Scopes,
    at: Place,
    references: Vec<Reference>,
    type_references: Vec<TypeReference>,
    /// Names of first parameters that are the instance itself.
    selves: FxHashMap<SymbolId, ClassId>,
    /// What each class statement declared.
    class_symbols: FxHashMap<ClassId, SymbolId>,
    /// Module-level names that so far only a `global` statement named.
    provisional: FxHashSet<SymbolId>,
    /// Functions that only describe an overload.
    stubs: FxHashSet<FuncId>,
    /// Values that a `try` body gives away and a handler may replace.
    tries: Vec<Vec<control::Given>>,
    names: FxHashMap<&'t str, Name>,
    depth: u32,
    cap: u32,
    too_deep: bool,
}

impl<'t> Lowerer<'t> {
    fn new(path: &str, language: Language, text: &'t str, cap: u32) -> Self {
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
        let module = Module {
            path: path.to_owned(),
            language,
            // About one expression for 12 bytes of source.
            exprs: Vec::with_capacity(text.len() / 12),
            symbols: Vec::new(),
            functions: vec![top],
            classes: Vec::new(),
            types: Vec::new(),
            type_decls: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            branches: Vec::new(),
            type_args: Vec::new(),
            asserted: Vec::new(),
            errors: Vec::new(),
            comments: Vec::new(),
        };
        Self {
            text,
            module,
            scopes: Scopes::new(),
            at: Place {
                func: TOP,
                class: None,
                body_of: None,
                scope: MODULE,
                function_scope: MODULE,
                visible: MODULE,
                type_only: false,
            },
            references: Vec::new(),
            type_references: Vec::new(),
            selves: FxHashMap::default(),
            class_symbols: FxHashMap::default(),
            provisional: FxHashSet::default(),
            stubs: FxHashSet::default(),
            tries: Vec::new(),
            names: FxHashMap::default(),
            depth: 0,
            cap,
            too_deep: false,
        }
    }

    fn run(mut self, tree: &'t Tree) -> Result<Module, LowerError> {
        self.statements(tree.root());
        if self.too_deep {
            return Err(LowerError::TooDeep);
        }
        self.resolve();
        self.settle_imports();
        self.export_all();
        self.module.exprs.shrink_to_fit();
        self.module.branches.sort_by_key(|branch| (branch.span.start, std::cmp::Reverse(branch.span.end)));
        self.module.type_args.sort_by_key(|(expr, _)| *expr);
        self.module.asserted.sort_unstable();
        self.module.errors = tree.errors.clone();
        self.module.comments = tree.comments.clone();
        Ok(self.module)
    }

    // The tree.

    fn k(&self, node: Node<'t>) -> K {
        node.kind()
    }

    /// The children of a node, tokens included.
    fn kids(&self, node: Node<'t>) -> impl Iterator<Item = Kid<'t>> + Clone + use<'t> {
        node.children().map(Kid::of)
    }

    /// The children that are no tokens.
    fn parts(&self, node: Node<'t>) -> impl Iterator<Item = Kid<'t>> + Clone + use<'t> {
        self.kids(node).filter(|kid| !kid.k.is_token())
    }

    /// What a wrapper is around: its first child that is neither a token nor, if there is another, an error.
    fn inner(&self, node: Node<'t>) -> Option<Node<'t>> {
        let sound = self.parts(node).find(|kid| kid.k != K::Error);
        Some(sound.or_else(|| self.parts(node).next())?.node)
    }

    /// The first child that carries a field.
    fn field(&self, node: Node<'t>, field: F) -> Option<Node<'t>> {
        node.child(field)
    }

    fn span(&self, node: Node<'t>) -> Span {
        node.span()
    }

    fn slice(&self, node: Node<'t>) -> &'t str {
        self.text.get(node.start_byte()..node.end_byte()).unwrap_or_default()
    }

    fn name_of(&mut self, text: &'t str) -> Name {
        // The interner is shared by all threads; most names of a file recur in it.
        *self.names.entry(text).or_insert_with(|| Name::new(text))
    }

    fn name(&mut self, node: Node<'t>) -> Name {
        let text = self.slice(node);
        self.name_of(text)
    }

    /// Enters one level of nesting. False: give up, the file is too deep; whatever is answered then is thrown away.
    fn enter(&mut self) -> bool {
        if self.depth >= self.cap {
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
    fn within<T>(&mut self, place: Place, inside: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.at, place);
        let answer = inside(self);
        self.at = outer;
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

    /// Adds one more child to an expression that was just built.
    fn adopt(&mut self, parent: ExprId, child: ExprId) {
        self.module.exprs[child.index()].parent = Some(parent);
    }

    fn reference(&mut self, name: Name, span: Span) -> ExprId {
        let expr = self.add(ExprKind::Global(name), span);
        self.references.push(Reference { expr, name, scope: self.at.scope });
        expr
    }

    /// A synthesised use of a symbol.
    fn symbol_use(&mut self, symbol: SymbolId, span: Span) -> ExprId {
        self.add(ExprKind::Symbol(symbol), span)
    }

    fn nothing(&mut self, span: Span) -> ExprId {
        self.add(ExprKind::Opaque(Vec::new()), span)
    }

    /// The expression at a node, or nothing where there is none.
    fn expr_or_nothing(&mut self, node: Option<Node<'t>>, span: Span) -> ExprId {
        match node {
            Some(node) => self.expr(node),
            None => self.nothing(span),
        }
    }

    fn add_type(&mut self, ty: Type) -> TypeId {
        let id = TypeId(self.module.types.len() as u32);
        self.module.types.push(ty);
        id
    }

    fn unknown(&mut self) -> TypeId {
        self.add_type(Type::Unknown)
    }

    /// Gives a lambda the name of what it is assigned to.
    fn christen(&mut self, value: ExprId, name: Name, span: Span) {
        if let ExprKind::Function(id) = *self.module.kind(value) {
            let function = &mut self.module.functions[id.index()];
            if function.name.is_none() {
                function.name = Some(name);
                function.name_span = span;
            }
        }
    }
}
