//! A module as text, for tests to compare: one line for every statement-level expression, under the function whose code it is.

use mcp_migrate::model::facts::*;

/// All of a module's code, as one line for every expression without a parent: `function: expression`.
pub fn code(module: &Module) -> String {
    let lines: Vec<String> = module
        .expr_ids()
        .filter(|&id| module.expr(id).parent.is_none())
        .map(|id| format!("{}: {}", func(module, module.expr(id).func), expr(module, id)))
        .collect();
    lines.join("\n")
}

/// The name of a function.
pub fn func(module: &Module, id: FuncId) -> String {
    let function = module.function(id);
    match (function.kind, function.name) {
        (FuncKind::Top, _) => "top".to_owned(),
        (FuncKind::Constructor, _) => match function.class {
            Some(class) => format!("new {}", class_name(module, class)),
            None => "constructor".to_owned(),
        },
        (_, Some(name)) => name.to_string(),
        (_, None) => format!("fn{}", id.0),
    }
}

fn class_name(module: &Module, id: ClassId) -> String {
    module.class(id).name.map_or_else(|| format!("class{}", id.0), |name| name.to_string())
}

/// A symbol's name, with a number where an earlier symbol of the module has the same.
pub fn symbol(module: &Module, id: SymbolId) -> String {
    let name = module.symbol(id).name;
    let earlier = module.symbols[..id.index()].iter().filter(|symbol| symbol.name == name).count();
    if earlier == 0 { name.to_string() } else { format!("{name}'{}", earlier + 1) }
}

fn list(module: &Module, ids: &[ExprId]) -> String {
    let texts: Vec<String> = ids.iter().map(|&id| expr(module, id)).collect();
    texts.join(", ")
}

fn args(module: &Module, args: &[Arg]) -> String {
    let texts: Vec<String> = args
        .iter()
        .map(|arg| {
            let spread = if arg.spread { "..." } else { "" };
            format!("{spread}{}", expr(module, arg.value))
        })
        .collect();
    texts.join(", ")
}

fn owner(module: &Module, class: Option<ClassId>) -> String {
    class.map_or_else(String::new, |class| class_name(module, class))
}

/// An expression. `~x` is a global, `'text'` a text, `_` a value of no interest, `?(…)` what is not looked into.
pub fn expr(module: &Module, id: ExprId) -> String {
    let of = |id: &ExprId| expr(module, *id);
    let maybe = |word: &str, id: &Option<ExprId>| match id {
        Some(id) => format!("{word} {}", expr(module, *id)),
        None => word.to_owned(),
    };
    match module.kind(id) {
        ExprKind::Symbol(id) => symbol(module, *id),
        ExprKind::Global(name) => format!("~{name}"),
        ExprKind::This(class) => format!("this<{}>", owner(module, *class)),
        ExprKind::Super(class) => format!("super<{}>", owner(module, *class)),
        ExprKind::Member { object, name } => format!("{}.{name}", of(object)),
        ExprKind::Index { object, key } => format!("{}[{}]", of(object), of(key)),
        ExprKind::Call { callee, args: list } => format!("{}({})", of(callee), args(module, list)),
        ExprKind::New { callee, args: list } => {
            format!("new {}({})", of(callee), args(module, list))
        }
        ExprKind::Text(text) => format!("'{text}'"),
        ExprKind::Template(parts) => format!("text({})", list(module, parts)),
        ExprKind::Either { condition, arms, choice } => {
            let condition = condition.map_or_else(String::new, |c| format!("{} ? ", of(&c)));
            let word = format!("{choice:?}").to_lowercase();
            format!("{word}({condition}{})", list(module, arms))
        }
        ExprKind::Object(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|field| match field.key {
                    Key::Name(name) => format!("{name}: {}", of(&field.value)),
                    Key::Computed(key) => format!("[{}]: {}", of(&key), of(&field.value)),
                    Key::Spread => format!("...{}", of(&field.value)),
                })
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        ExprKind::Sequence(items) => format!("[{}]", list(module, items)),
        ExprKind::Function(id) => format!("fn({})", func(module, *id)),
        ExprKind::Class(id) => format!("class({})", class_name(module, *id)),
        ExprKind::Element { of: list, part } => {
            format!("{}({})", format!("{part:?}").to_lowercase(), of(list))
        }
        ExprKind::Cast { value, ty } => format!("({} as {})", of(value), ty_text(module, *ty)),
        ExprKind::Assign { target, value, kind } => {
            let sign = match kind {
                AssignKind::Init => ":=",
                AssignKind::Set => "=",
                AssignKind::IfAbsent => "?=",
                AssignKind::Update => "+=",
            };
            format!("{} {sign} {}", of(target), of(value))
        }
        ExprKind::Delete { target } => format!("delete {}", of(target)),
        ExprKind::Compare { operator, left, right } => format!("({} {operator} {})", of(left), of(right)),
        ExprKind::Contains { haystack, needle } => format!("({} in {})", of(needle), of(haystack)),
        ExprKind::Return(value) => maybe("return", value),
        ExprKind::Yield(value) => maybe("yield", value),
        ExprKind::Throw(value) => maybe("throw", value),
        ExprKind::Require(source) => format!("require('{source}')"),
        ExprKind::Absent => "absent".to_owned(),
        ExprKind::Literal => "_".to_owned(),
        ExprKind::Opaque(children) => format!("?({})", list(module, children)),
    }
}

/// A type. `#` marks a name whose first segment is a symbol of the module, `!` one that has a declaration.
pub fn ty_text(module: &Module, id: TypeId) -> String {
    let types = |ids: &[TypeId]| {
        let texts: Vec<String> = ids.iter().map(|&id| ty_text(module, id)).collect();
        texts.join(", ")
    };
    match module.ty(id) {
        Type::Named { path, head, decl, args } => {
            let mark = if head.is_some() { "#" } else { "" };
            let known = if decl.is_some() { "!" } else { "" };
            let args = if args.is_empty() { String::new() } else { format!("<{}>", types(args)) };
            format!("{mark}{path}{known}{args}")
        }
        Type::Object { fields, index } => {
            let mut parts: Vec<String> =
                fields.iter().map(|(name, ty)| format!("{name}: {}", ty_text(module, *ty))).collect();
            parts.extend(index.map(|index| format!("[]: {}", ty_text(module, index))));
            format!("{{{}}}", parts.join("; "))
        }
        Type::Union(arms) => types(arms).replace(", ", " | "),
        Type::Function { params, ret } => {
            let ret = ret.map_or_else(|| "_".to_owned(), |ret| ty_text(module, ret));
            format!("({}) => {ret}", types(params))
        }
        Type::List(item) => format!("{}[]", ty_text(module, *item)),
        Type::Of(value) => format!("typeof {}", expr(module, *value)),
        Type::Unknown => "_".to_owned(),
    }
}

/// The type of the first symbol of a name.
pub fn symbol_type(module: &Module, name: &str) -> String {
    let symbol = module.symbols.iter().find(|symbol| symbol.name == name);
    symbol.and_then(|symbol| symbol.ty).map_or_else(|| "none".to_owned(), |ty| ty_text(module, ty))
}

/// The exports, one a line.
pub fn exports(module: &Module) -> String {
    let lines: Vec<String> = module
        .exports
        .iter()
        .map(|export| {
            let what = match &export.what {
                Exported::Local(id) => symbol(module, *id),
                Exported::Value(id) => expr(module, *id),
                Exported::Type(id) => {
                    format!("type {}", module.type_decls[id.index()].name)
                }
                Exported::From { source, name } => format!("{name:?} from '{source}'"),
                Exported::All { source } => format!("all from '{source}'"),
            };
            format!("{}: {what}", export.name)
        })
        .collect();
    lines.join("\n")
}

/// The imports, one a line.
pub fn imports(module: &Module) -> String {
    let lines: Vec<String> = module
        .imports
        .iter()
        .map(|import| {
            let local = import.symbol.map_or_else(|| "-".to_owned(), |id| symbol(module, id));
            let kind = if import.type_only { " (type)" } else { "" };
            format!("{local}: {:?} from '{}'{kind}", import.imported, import.source)
        })
        .collect();
    lines.join("\n")
}

/// The branches: condition, what runs, and what leaves.
pub fn branches(module: &Module, text: &str) -> String {
    let cut = |span: Span| &text[span.start as usize..span.end as usize];
    let lines: Vec<String> = module
        .branches
        .iter()
        .map(|branch| {
            let leaves = |leaves| if leaves { " leaves" } else { "" };
            let otherwise = branch
                .otherwise
                .map_or_else(String::new, |span| format!(" | {}{}", cut(span), leaves(branch.otherwise_leaves)));
            format!(
                "{} => {}{}{otherwise}",
                expr(module, branch.condition),
                cut(branch.then),
                leaves(branch.then_leaves)
            )
        })
        .collect();
    lines.join("\n")
}
