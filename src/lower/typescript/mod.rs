//! The TypeScript and JavaScript front end.
//!
//! One walk over the syntax tree builds the module. It recurses with the nesting of the code and iterates along what programs
//! (and those who write programs by program) make long: operator and call chains, `else if`, conditional chains.

mod arena;
mod bridge;
mod class;
mod commonjs;
mod control;
mod expr;
mod function;
mod grammar;
mod literal;
mod modules;
mod operators;
mod pattern;
mod scope;
mod statement;
mod type_decls;
mod types;

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node, Tree, TreeCursor};

use self::grammar::{Grammar, K};
use self::scope::{MODULE, Reference, ScopeId, Scopes, TypeReference};
use super::LowerError;
use crate::model::facts::{ClassId, FuncId, FuncKind, Function, Language, Module, Span, TOP};
use crate::model::name::Name;
use crate::syntax::comments;
use crate::syntax::tree::{self, Budget};

/// Parses one file, bridging what the grammar does not know (see [`syntax_errors`] for what remains).
pub fn parse(path: &str, text: &str) -> Result<Tree, LowerError> {
    let language = &Grammar::for_path(path).language;
    let tree = tree::parse(language, text, Budget::default())?;
    if !tree.root_node().has_error() {
        return Ok(tree);
    }
    let Some(other) = bridge::bridged(text) else {
        return Ok(tree);
    };
    let other = tree::parse(language, &other, Budget::default())?;
    Ok(if tree::errors(&other).len() < tree::errors(&tree).len() { other } else { tree })
}

/// The byte ranges of a parsed text that are no valid code.
pub fn syntax_errors(text: &str, tree: &Tree) -> Vec<Span> {
    tree::errors(tree)
        .into_iter()
        .filter(|&(start, end)| !is_grammar_gap(text, start, end))
        .map(|(start, end)| Span::new(start, end))
        .collect()
}

/// What the grammar does not know though the language has it is no fault of the file.
fn is_grammar_gap(text: &str, start: usize, end: usize) -> bool {
    let (Some(before), Some(what), Some(after)) = (text.get(..start), text.get(start..end), text.get(end..)) else {
        return false;
    };
    match what {
        // `export type * from 'm'`
        "type" => before.trim_end().ends_with("export") && after.trim_start().starts_with('*'),
        _ => false,
    }
}

/// Lowers one file. `path` is recorded and chooses the grammar by its extension; `text` is free of a byte order mark.
pub fn lower(path: &str, language: Language, text: &str) -> Result<Module, LowerError> {
    let grammar = Grammar::for_path(path);
    let tree = parse(path, text)?;
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
            asserted: Vec::new(),
            errors: Vec::new(),
            comments: Vec::new(),
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
        self.module.asserted.sort_unstable();
        self.module.exprs.shrink_to_fit();
        self.module.errors = syntax_errors(self.text, tree);
        self.module.comments =
            comments::in_tree(tree, self.text).into_iter().map(|(start, end)| Span::new(start, end)).collect();
        Ok(self.module)
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
}
