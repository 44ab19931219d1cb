//! The neutral form: what a front end lowers one file to.
//!
//! One arena per file. Expressions are evaluated values *and* effects (assignment, return, delete, throw are expressions
//! here), so that every piece of code that matters has one id, one span, one enclosing function and one parent. What is
//! transparent in the source is transparent here: parentheses, `await`, `!`, `?.`, `void`, `satisfies` lower to the inner
//! expression itself. Nothing in this file knows a language, an SDK or a rule.

use super::name::Name;

/// A half-open byte range of the file's text (after decoding to UTF-8, without a byte order mark).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start: start as u32, end: end as u32 }
    }

    /// Whether `other` lies within this range.
    pub fn contains(self, other: Span) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $id:ident),* $(,)?) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $id(pub u32);
        impl $id {
            /// Position in its arena.
            pub fn index(self) -> usize { self.0 as usize }
        }
    )* };
}

ids! {
    /// An expression of one module.
    ExprId,
    /// A declared name of one module.
    SymbolId,
    /// A function of one module; `FuncId(0)` is the module's own top-level code.
    FuncId,
    /// A class (Rust: a struct with its impls) of one module.
    ClassId,
    /// A written type of one module.
    TypeId,
    /// A type declaration (interface, alias, protocol) of one module.
    TypeDeclId,
}

/// The top-level code of a module, as a function.
pub const TOP: FuncId = FuncId(0);

/// A source language with a front end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Language {
    /// TypeScript: `.ts`, `.tsx`, `.mts`, `.cts`.
    TypeScript,
    /// JavaScript: `.js`, `.jsx`, `.mjs`, `.cjs`.
    JavaScript,
    /// Python: `.py`.
    Python,
    /// Rust: `.rs`.
    Rust,
}

/// How the arms of an [`ExprKind::Either`] are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// `a ?? b`, `a || b`, `a or b`: the right arm where the left is absent (or falsy).
    Coalesce,
    /// `c ? a : b`, `a if c else b`, an `if`/`match` used as a value.
    Branch,
    /// A default: of a parameter, of a destructured name, of `get(key, default)`.
    Default,
    /// `try` with a fallback in the handler: the value that the body returns or assigns, and the one that the handler does. Both belong
    /// to statements of their own; the expression only says that they belong together.
    Rescue,
    /// `a && b`: the value is `b` where `a` holds.
    And,
}

/// How an assignment combines the old value with the new.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AssignKind {
    /// The first value of a declaration (`const x = …`, a destructured binding, a loop variable).
    Init,
    /// `x = v`.
    Set,
    /// `x ??= v`, `x ||= v`: only where absent. Its value is the old or the new one.
    IfAbsent,
    /// `x += v` and its like, `x++`.
    Update,
}

/// What part of a collection [`ExprKind::Element`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// What `for … of` yields: an element of a list or set, a `[key, value]` entry of a map.
    Item,
    /// What `for … in` yields: a key.
    Key,
    /// What iterating yields where a map yields its keys (Python).
    Iterated,
    /// What `with … as` binds: what the context manager hands over.
    Entered,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct Arg {
    /// Its value.
    pub value: ExprId,
    /// The keyword, where it is passed by name (Python).
    pub name: Option<Name>,
    /// `...args`, `*args`, `**kwargs`; the last has an empty name.
    pub spread: bool,
}

/// The key of a field of an object literal.
#[derive(Clone, Debug)]
pub enum Key {
    /// `a: …`, `'a': …`, `a` (shorthand) or a method `a() {…}`.
    Name(Name),
    /// `[expr]: …`.
    Computed(ExprId),
    /// `...expr`: the value's fields are taken over.
    Spread,
}

/// A field of an object literal (Python: a dict display or a constructor call by keyword; Rust: a struct literal).
#[derive(Clone, Debug)]
pub struct Field {
    /// Its key.
    pub key: Key,
    /// Its value.
    pub value: ExprId,
    /// The whole field as written, without a trailing comma.
    pub span: Span,
}

/// The kinds of expression the model keeps.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A use of a declared name.
    Symbol(SymbolId),
    /// A use of a name that is not declared in the file (`Map`, `process`, `fetch`).
    Global(Name),
    /// `this` / `self` inside class `0`; `None` outside any class. In Python and Rust the first parameter of a method lowers to this.
    This(Option<ClassId>),
    /// `super`.
    Super(Option<ClassId>),
    /// `object.name`, `object?.name`, `object::name`. `obj['literal']` is an [`ExprKind::Index`] with a text key.
    Member { object: ExprId, name: Name },
    /// `object[key]`.
    Index { object: ExprId, key: ExprId },
    /// A call. A tagged template is a call of its tag.
    Call { callee: ExprId, args: Vec<Arg> },
    /// `new callee(args)`. In Python and Rust construction is a plain call.
    New { callee: ExprId, args: Vec<Arg> },
    /// A string literal (also a byte string) or a template without substitutions: its value.
    Text(Name),
    /// A template or a concatenation: literal parts are `Text`. `'a' + x`, `` `a${x}` ``, `f"a{x}"`, `format!("a{}", x)`.
    Template(Vec<ExprId>),
    /// One of the arms; `condition` is evaluated too (ternary and the like).
    Either { condition: Option<ExprId>, arms: Vec<ExprId>, choice: Choice },
    /// An object literal.
    Object(Vec<Field>),
    /// An array, tuple or set literal. `spread` elements are lowered to an `Element { of, part: Item }`.
    Sequence(Vec<ExprId>),
    /// A function expression, arrow, lambda, closure, or a named function's value at its declaration.
    Function(FuncId),
    /// A class expression.
    Class(ClassId),
    /// An element of a collection, as a loop yields it.
    Element { of: ExprId, part: Part },
    /// A value with a written type: `value as T`, `<T>value`. The type may say what the value is.
    Cast { value: ExprId, ty: TypeId },
    /// An assignment; its value is what is assigned. `target` is a `Symbol`, `Member`, `Index`, or (for a pattern the front
    /// end took apart) the assignments of the parts follow as expressions of their own.
    Assign { target: ExprId, value: ExprId, kind: AssignKind },
    /// `delete target`, `del target`.
    Delete { target: ExprId },
    /// A comparison: `==`, `===`, `!=`, `!==`, `is`, `<` … with its operator as written.
    Compare { operator: Name, left: ExprId, right: ExprId },
    /// `needle in haystack`, `not in`.
    Contains { haystack: ExprId, needle: ExprId },
    /// `return value`, the value of an expression-bodied arrow, the tail of a block in Rust.
    Return(Option<ExprId>),
    /// `yield value`.
    Yield(Option<ExprId>),
    /// `throw value`, `raise value`, `return Err(value)`, `bail!(…)`.
    Throw(Option<ExprId>),
    /// `require('x')`, `import('x')`, `importlib.import_module('x')` with a literal specifier.
    Require(Name),
    /// `undefined`, `null`, `None`.
    Absent,
    /// A number, boolean, regular expression: a value of no interest.
    Literal,
    /// Anything else; what it contains is evaluated (`!a`, `a * b`, JSX, comprehension bodies …).
    Opaque(Vec<ExprId>),
}

impl ExprKind {
    /// Calls `visit` for every expression directly contained, in the order of the fields.
    pub fn each_child(&self, mut visit: impl FnMut(ExprId)) {
        match self {
            Self::Symbol(_)
            | Self::Global(_)
            | Self::This(_)
            | Self::Super(_)
            | Self::Text(_)
            | Self::Function(_)
            | Self::Class(_)
            | Self::Require(_)
            | Self::Absent
            | Self::Literal => {}
            Self::Member { object: child, .. }
            | Self::Element { of: child, .. }
            | Self::Cast { value: child, .. }
            | Self::Delete { target: child } => visit(*child),
            Self::Index { object: a, key: b }
            | Self::Assign { target: a, value: b, .. }
            | Self::Compare { left: a, right: b, .. }
            | Self::Contains { haystack: a, needle: b } => {
                visit(*a);
                visit(*b);
            }
            Self::Call { callee, args } | Self::New { callee, args } => {
                visit(*callee);
                args.iter().for_each(|arg| visit(arg.value));
            }
            Self::Either { condition, arms, .. } => {
                condition.iter().chain(arms).for_each(|child| visit(*child));
            }
            Self::Object(fields) => {
                for field in fields {
                    if let Key::Computed(key) = field.key {
                        visit(key);
                    }
                    visit(field.value);
                }
            }
            Self::Template(children) | Self::Sequence(children) | Self::Opaque(children) => {
                children.iter().for_each(|child| visit(*child))
            }
            Self::Return(child) | Self::Yield(child) | Self::Throw(child) => {
                child.iter().for_each(|child| visit(*child));
            }
        }
    }
}

/// One expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands. A synthesised expression (the member reads of a destructuring pattern) has the span of the binding it feeds.
    pub span: Span,
    /// The function whose code it is.
    pub func: FuncId,
    /// The expression that directly contains it. `None` for a statement of its own.
    pub parent: Option<ExprId>,
}

/// What a declared name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SymbolKind {
    /// A variable; `mutable` for `let`, `var` and Python names.
    Variable { mutable: bool },
    /// A parameter, or a name destructured from one.
    Parameter,
    /// A function declaration.
    Function(FuncId),
    /// A class declaration.
    Class(ClassId),
    /// An imported name: index into [`Module::imports`].
    Import(u32),
    /// An enum, namespace or other declaration the model does not look into.
    Other,
}

/// A declared name.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// As written.
    pub name: Name,
    /// What it is.
    pub kind: SymbolKind,
    /// The function whose scope declares it; [`TOP`] for module level.
    pub func: FuncId,
    /// The identifier at its declaration.
    pub span: Span,
    /// The written type, if any.
    pub ty: Option<TypeId>,
    /// Its initial value, if the declaration has one and no pattern stands between. (The flow is in the `Assign` that the
    /// front end emits for it as well.)
    pub init: Option<ExprId>,
}

/// What kind of function it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FuncKind {
    /// Top-level code of the module.
    Top,
    /// A declared function.
    Named,
    /// A function expression, arrow, lambda or closure.
    Anonymous,
    /// A method of a class, or of an object literal.
    Method,
    /// A constructor; class field initialisers run in it. A class without a written one gets a synthesised one.
    Constructor,
    /// A `get` accessor or `@property`: reading the member calls it.
    Getter,
    /// A `set` accessor.
    Setter,
}

/// A parameter.
#[derive(Clone, Debug)]
pub struct Param {
    /// The symbol it binds. A pattern binds a synthesised symbol (named `#0`, `#1`, … by position) from which the pattern's names are
    /// assigned at the start of the body.
    pub symbol: SymbolId,
    /// `...rest`, `*args`, `**kwargs`. The symbol's type tells the last from the others: an `Object` with an index.
    pub rest: bool,
    /// May be left out: it has a default, or is marked optional. A default's value also flows into the symbol, as
    /// `Assign { value: Either { arms: [Symbol(symbol), default], choice: Default } }`.
    pub optional: bool,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name: as declared, the variable or field it is assigned to, the method name. `None` for a bare callback.
    pub name: Option<Name>,
    /// Its kind.
    pub kind: FuncKind,
    /// The function around it (`None` for [`TOP`] alone). A method's parent is the function that declares the class.
    pub parent: Option<FuncId>,
    /// The class it is a method of (also for functions nested in one whose `this` is the class's: arrows).
    pub class: Option<ClassId>,
    /// Declared `static` (Python `@staticmethod`/`@classmethod`; Rust: no `self`).
    pub is_static: bool,
    /// Its parameters, `self` left out.
    pub params: Vec<Param>,
    /// All values it returns: the operands of its `Return`s.
    pub returns: Vec<ExprId>,
    /// The written return type.
    pub ret: Option<TypeId>,
    /// Decorators or attributes, outermost first.
    pub decorators: Vec<ExprId>,
    /// The whole function as written.
    pub span: Span,
    /// The function's name as written, else its first token.
    pub name_span: Span,
    /// Every `throw` in its own code (not in nested functions).
    pub throws: Vec<ExprId>,
}

/// A field of a class.
#[derive(Clone, Debug)]
pub struct ClassField {
    /// Its name, `#` included.
    pub name: Name,
    /// The written type.
    pub ty: Option<TypeId>,
    /// Its initial value. The flow into `this.name` is an `Assign` in the constructor as well.
    pub init: Option<ExprId>,
    /// Belongs to the class, not to an instance.
    pub is_static: bool,
    /// Written `readonly` / `final`.
    pub readonly: bool,
    /// The name at its declaration (or the first `self.x = …`).
    pub span: Span,
}

/// A class.
#[derive(Clone, Debug)]
pub struct Class {
    /// Its name.
    pub name: Option<Name>,
    /// Base classes (TypeScript `extends`).
    pub bases: Vec<ExprId>,
    /// Written interfaces (TypeScript `implements`, Rust traits).
    pub implements: Vec<TypeId>,
    /// Fields, written or (Python) first assigned in a method.
    pub fields: Vec<ClassField>,
    /// Methods and accessors, without the constructor.
    pub methods: Vec<FuncId>,
    /// The constructor; always there (synthesised where none is written).
    pub constructor: FuncId,
    /// Decorators, derives and attributes.
    pub decorators: Vec<ExprId>,
    /// The function that declares it.
    pub func: FuncId,
    /// The whole class as written.
    pub span: Span,
    /// Its name, else its first token.
    pub name_span: Span,
}

/// A written type, in as much detail as the model needs.
#[derive(Clone, Debug)]
pub enum Type {
    /// `Name<args>`, `a.b.Name<args>`: `path` is as written with dots; `head` is the symbol that the first segment names, if declared here.
    Named { path: Name, head: Option<SymbolId>, decl: Option<TypeDeclId>, args: Vec<TypeId> },
    /// `{ a: T; [k: string]: U }`.
    Object { fields: Vec<(Name, TypeId)>, index: Option<TypeId> },
    /// `A | B`, `Optional[A]`; absent arms are left out. An intersection is one too.
    Union(Vec<TypeId>),
    /// `(a: A) => R`, `Callable[[A], R]`.
    Function { params: Vec<TypeId>, ret: Option<TypeId> },
    /// `T[]`, `Array<T>` stays `Named`.
    List(TypeId),
    /// `typeof x`, `ReturnType<typeof f>` (the front end unwraps the latter to a call's value): the type of a value. The expression
    /// stands in the arena without a parent; it is not evaluated.
    Of(ExprId),
    /// Literals, mapped and conditional types and what else is not followed.
    Unknown,
}

/// An interface, type alias or protocol.
#[derive(Clone, Debug)]
pub struct TypeDecl {
    /// Its name.
    pub name: Name,
    /// What it stands for; an interface is an `Object`.
    pub ty: TypeId,
    /// What it extends.
    pub extends: Vec<TypeId>,
    /// Its name as written.
    pub span: Span,
}

/// What an import takes from a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Imported {
    /// `import { name }`, `from m import name`, `use m::name`.
    Named(Name),
    /// `import x from`.
    Default,
    /// `import * as x`, `import m`.
    Namespace,
    /// `import 'x'`: only its effects; binds nothing.
    Effects,
}

/// An import.
#[derive(Clone, Debug)]
pub struct Import {
    /// The specifier as written (`./tools.js`, `@scope/pkg/sub`, `a.b`, `crate::x`).
    pub source: Name,
    /// What is taken.
    pub imported: Imported,
    /// The local name it binds; `None` for effects, and for a module that another import may bind or reach (Python: `from a import b`
    /// names `a.b` as well, `import a.b` loads it).
    pub symbol: Option<SymbolId>,
    /// `import type`: gone at run time.
    pub type_only: bool,
    /// The whole statement (shared by the names of one statement).
    pub span: Span,
}

/// Where an exported name comes from.
#[derive(Clone, Debug)]
pub enum Exported {
    /// A declared name of this module.
    Local(SymbolId),
    /// An expression (`export default …`, `exports.x = …`). CommonJS `module.exports = …` is the export named `=`.
    Value(ExprId),
    /// A declared type.
    Type(TypeDeclId),
    /// `export { name } from source`.
    From { source: Name, name: Imported },
    /// `export * from source`.
    All { source: Name },
}

/// An export. `Exported::All` has the name `*`.
#[derive(Clone, Debug)]
pub struct Export {
    /// The name it is exported under; `default` for the default export.
    pub name: Name,
    /// What is exported.
    pub what: Exported,
}

/// An `if` (also a loop condition, a `case`, a guard clause): which code runs only where a condition holds.
#[derive(Clone, Debug)]
pub struct Branch {
    /// The condition.
    pub condition: ExprId,
    /// Code that runs where it holds.
    pub then: Span,
    /// Code that runs where it does not, if written.
    pub otherwise: Option<Span>,
    /// The `then` code always leaves (return, throw, continue, break) at its end.
    pub then_leaves: bool,
    /// The `otherwise` code always leaves.
    pub otherwise_leaves: bool,
    /// The whole statement.
    pub span: Span,
    /// The function it stands in.
    pub func: FuncId,
}

pub use super::module::Module;
