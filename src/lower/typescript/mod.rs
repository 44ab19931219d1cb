//! The TypeScript and JavaScript front end.
//!
//! One walk over the syntax tree builds the module. It recurses with the nesting of the code and iterates along what programs
//! (and those who write programs by program) make long: operator and call chains, `else if`, conditional chains.

mod class;
mod commonjs;
mod expr;
mod function;
mod grammar;
mod literal;
mod modules;
mod pattern;
mod scope;
mod statement;
mod types;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node, Tree, TreeCursor};

use self::grammar::{Grammar, K};
use self::scope::{MODULE, Reference, ScopeId, Scopes, TypeReference};
use super::LowerError;
use crate::model::facts::{
    ClassId, Expr, ExprId, ExprKind, FuncId, FuncKind, Function, Language, Module, Span, TOP, Type, TypeId,
};
use crate::model::name::Name;
use crate::syntax::tree::{self, Budget};

/// Lowers one file. `path` is recorded and chooses the grammar by its extension; `text` is free of a byte order mark.
pub fn lower(path: &str, language: Language, text: &str) -> Result<Module, LowerError> {
    let grammar = Grammar::for_path(path);
    let tree = tree::parse(&grammar.language, text, Budget::default())?;
    let attempt = |cap| Lowerer::new(path, language, text, grammar, &tree, cap).run(&tree);
    super::deepening(attempt)
}

/// A child of a node, with what decides how it is read.
#[derive(Clone, Copy)]
struct Kid<'t> {
    node: Node<'t>,
    k: K,
    field: u16,
}

/// Where in the code the walk is.
#[derive(Clone, Copy)]
struct Place {
    func: FuncId,
    /// What `this` is.
    class: Option<ClassId>,
    scope: ScopeId,
    /// Where `var` goes.
    function_scope: ScopeId,
}

/// Names that are asked for often.
struct Words {
    undefined: Name,
    module: Name,
    exports: Name,
    require: Name,
    default: Name,
    equals: Name,
    star: Name,
}

struct Lowerer<'t> {
    text: &'t str,
    g: &'static Grammar,
    cursor: TreeCursor<'t>,
    module: Module,
    scopes: Scopes,
    at: Place,
    references: Vec<Reference>,
    type_references: Vec<TypeReference>,
    exports: Vec<modules::LocalExport>,
    commonjs: commonjs::Candidates,
    /// Functions that are signatures only.
    bodiless: FxHashSet<FuncId>,
    names: FxHashMap<&'t str, Name>,
    words: Words,
    depth: u32,
    cap: u32,
    too_deep: bool,
}

impl<'t> Lowerer<'t> {
    fn new(path: &str, language: Language, text: &'t str, g: &'static Grammar, tree: &'t Tree, cap: u32) -> Self {
        let whole = Span::new(0, text.len());
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
            span: whole,
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
            errors: Vec::new(),
        };
        Self {
            text,
            g,
            cursor: tree.walk(),
            module,
            scopes: Scopes::new(),
            at: Place { func: TOP, class: None, scope: MODULE, function_scope: MODULE },
            references: Vec::new(),
            type_references: Vec::new(),
            exports: Vec::new(),
            commonjs: commonjs::Candidates::default(),
            bodiless: FxHashSet::default(),
            names: FxHashMap::default(),
            words: Words {
                undefined: Name::new("undefined"),
                module: Name::new("module"),
                exports: Name::new("exports"),
                require: Name::new("require"),
                default: Name::new("default"),
                equals: Name::new("="),
                star: Name::new("*"),
            },
            depth: 0,
            cap,
            too_deep: false,
        }
    }

    fn run(mut self, tree: &'t Tree) -> Result<Module, LowerError> {
        self.statements(tree.root_node());
        if self.too_deep {
            return Err(LowerError::TooDeep);
        }
        self.resolve();
        self.finish_commonjs();
        self.finish_exports();
        self.module.branches.sort_by_key(|branch| (branch.span.start, std::cmp::Reverse(branch.span.end)));
        self.module.type_args.sort_by_key(|(expr, _)| *expr);
        self.module.errors = tree::errors(tree)
            .into_iter()
            .filter(|&(start, end)| !self.is_grammar_gap(start, end))
            .map(|(start, end)| Span::new(start, end))
            .collect();
        Ok(self.module)
    }

    /// What the grammar does not know though the language has it is no fault of the file.
    fn is_grammar_gap(&self, start: usize, end: usize) -> bool {
        let (Some(before), Some(what), Some(after)) =
            (self.text.get(..start), self.text.get(start..end), self.text.get(end..))
        else {
            return false;
        };
        match what {
            // `export type * from 'm'`
            "type" => before.trim_end().ends_with("export") && after.trim_start().starts_with('*'),
            _ => false,
        }
    }

    // The tree.

    fn k(&self, node: Node<'t>) -> K {
        self.g.kind(node.kind_id())
    }

    /// The children of a node, tokens included, comments left out.
    fn kids(&mut self, node: Node<'t>) -> Vec<Kid<'t>> {
        let mut kids = Vec::new();
        self.cursor.reset(node);
        if self.cursor.goto_first_child() {
            loop {
                let node = self.cursor.node();
                let k = self.g.kind(node.kind_id());
                if !matches!(k, K::Comment | K::HtmlComment) {
                    let field = self.cursor.field_id().map_or(0, std::num::NonZeroU16::get);
                    kids.push(Kid { node, k, field });
                }
                if !self.cursor.goto_next_sibling() {
                    break;
                }
            }
        }
        kids
    }

    /// What a wrapper is around: its first child that is neither a token nor, if there is another, an error.
    fn inner(&mut self, node: Node<'t>) -> Option<Node<'t>> {
        let kids = self.kids(node);
        let mut inner = kids.iter().filter(|kid| !kid.k.is_token());
        let first = inner.next()?;
        let sound = if first.k == K::Error { inner.find(|kid| kid.k != K::Error) } else { None };
        Some(sound.unwrap_or(first).node)
    }

    /// The first child that carries a field.
    fn field(&self, node: Node<'t>, field: u16) -> Option<Node<'t>> {
        if field == 0 {
            return None;
        }
        node.child_by_field_id(field)
    }

    fn span(&self, node: Node<'t>) -> Span {
        Span::new(node.start_byte(), node.end_byte())
    }

    fn slice(&self, node: Node<'t>) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
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

    /// Runs `inside` in a block scope of its own.
    fn in_block<T>(&mut self, inside: impl FnOnce(&mut Self) -> T) -> T {
        let place = Place { scope: self.scopes.open(self.at.scope), ..self.at };
        self.within(place, inside)
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

    fn nothing(&mut self, span: Span) -> ExprId {
        self.add(ExprKind::Opaque(Vec::new()), span)
    }

    fn add_type(&mut self, ty: Type) -> TypeId {
        let id = TypeId(self.module.types.len() as u32);
        self.module.types.push(ty);
        id
    }

    /// Gives a function or class that is written without a name the name of what it is assigned to.
    fn christen(&mut self, value: ExprId, name: Name, span: Span) {
        match *self.module.kind(value) {
            ExprKind::Function(id) => {
                let function = &mut self.module.functions[id.index()];
                if function.name.is_none() {
                    function.name = Some(name);
                    function.name_span = span;
                }
            }
            ExprKind::Class(id) => {
                let class = &mut self.module.classes[id.index()];
                if class.name.is_none() {
                    class.name = Some(name);
                    class.name_span = span;
                }
            }
            _ => {}
        }
    }
}
