//! What a setting says where nobody sets it: the default of an environment variable, of an option of the command line, of a field.

use super::words;
use crate::model::facts::{Arg, AssignKind, Choice, ExprId, ExprKind, Imported, Key, SymbolId, SymbolKind, TOP};
use crate::model::flow::Flow;
use crate::model::flow::value::{ObjId, Site, Value};
use crate::model::name::Name;
use crate::model::program::{At, ClassRef, ExprRef, Link};

/// How many settings a setting may be taken from.
const DEPTH: u32 = 8;

/// A value that is known without running anything.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Known {
    /// Nothing.
    Absent,
    /// True or false.
    Truth(bool),
    /// A text.
    Text(String),
}

/// Whether an expression is true where nobody sets anything; `None` where that can't be told.
pub fn is_true_by_default(flow: &Flow<'_>, at: ExprRef) -> Option<bool> {
    match known(flow, at, DEPTH)? {
        Known::Truth(truth) => Some(truth),
        Known::Absent => Some(false),
        Known::Text(_) => None,
    }
}

fn known(flow: &Flow<'_>, at: ExprRef, depth: u32) -> Option<Known> {
    let depth = depth.checked_sub(1)?;
    let facts = flow.program.module(at.module);
    let inner = |id: ExprId| known(flow, At { module: at.module, id }, depth);
    match facts.kind(at.id) {
        ExprKind::Absent => Some(Known::Absent),
        ExprKind::Global(name) => truth(name.text()).map(Known::Truth),
        ExprKind::Text(text) => Some(Known::Text(text.text().to_owned())),
        ExprKind::Cast { value, .. } => inner(*value),
        ExprKind::Opaque(parts) => match parts.as_slice() {
            // `not x`: a sign is shorter.
            [part] if facts.expr(*part).span.start - facts.expr(at.id).span.start >= 4 => match inner(*part)? {
                Known::Truth(truth) => Some(Known::Truth(!truth)),
                Known::Absent => Some(Known::Truth(true)),
                Known::Text(_) => None,
            },
            _ => None,
        },
        ExprKind::Compare { operator, left, right } => {
            let same = inner(*left)? == inner(*right)?;
            match operator.text() {
                "==" => Some(Known::Truth(same)),
                "!=" => Some(Known::Truth(!same)),
                _ => None,
            }
        }
        ExprKind::Contains { haystack, needle } => {
            let ExprKind::Sequence(items) = facts.kind(*haystack) else { return None };
            let needle = inner(*needle)?;
            let items: Option<Vec<Known>> = items.iter().map(|item| inner(*item)).collect();
            Some(Known::Truth(items?.contains(&needle)))
        }
        ExprKind::Either { condition: None, arms, choice: choice @ (Choice::Coalesce | Choice::Default) } => {
            let (last, before) = arms.split_last()?;
            for arm in before {
                match inner(*arm)? {
                    Known::Absent => {}
                    // `a or b` goes on to `b` where `a` is false.
                    Known::Truth(false) if *choice == Choice::Coalesce => {}
                    said => return Some(said),
                }
            }
            inner(*last)
        }
        ExprKind::Call { callee, args } => called(flow, at, *callee, args, depth),
        ExprKind::Symbol(symbol) => of_symbol(flow, at.module, *symbol, depth),
        ExprKind::Member { object, name } => of_member(flow, At { module: at.module, id: *object }, *name, depth),
        _ => None,
    }
}

fn truth(name: &str) -> Option<bool> {
    match name {
        "True" | "true" => Some(true),
        "False" | "false" => Some(false),
        _ => None,
    }
}

fn called(flow: &Flow<'_>, at: ExprRef, callee: ExprId, args: &[Arg], depth: u32) -> Option<Known> {
    let facts = flow.program.module(at.module);
    let inner = |id: ExprId| known(flow, At { module: at.module, id }, depth);
    let name = flow.callee_name(at)?;
    let setup = &flow.program.tables(at.module).setup;
    let given = |index: usize| args.iter().filter(|arg| arg.name.is_none() && !arg.spread).nth(index);
    if let ExprKind::Member { object, .. } = facts.kind(callee)
        && args.is_empty()
        && setup.normalizes.contains(&name.text())
    {
        return match inner(*object)? {
            Known::Text(text) => Some(Known::Text(text.trim().to_lowercase())),
            other => Some(other),
        };
    }
    if matches!(facts.kind(callee), ExprKind::Global(_)) && setup.converts.contains(&name.text()) {
        return inner(given(0)?.value);
    }
    let default_name = flow.program.tables(at.module).traits.default_name;
    let default = args.iter().find(|arg| arg.name.is_some_and(|name| name == default_name));
    if setup.fields.contains(&name.text()) {
        return inner(default.or_else(|| given(0))?.value);
    }
    if let Some(answer) = answered(flow, At { module: at.module, id: callee }, args, depth) {
        return Some(answer);
    }
    // A read of something outside by its name, with or without what it is where it is not there.
    let by_name = given(0).is_some_and(|arg| matches!(facts.kind(arg.value), ExprKind::Text(_)));
    let outside =
        setup.environment_reads.iter().any(|read| is_written(flow, At { module: at.module, id: callee }, read));
    let helper = name.text().to_ascii_lowercase().contains("env");
    if !by_name || !(outside || helper) {
        return match facts.kind(callee) {
            ExprKind::Member { object, .. } if by_name && setup.reads.contains(&name.text()) => {
                let read = At { module: at.module, id: given(0)?.value };
                of_record(flow, At { module: at.module, id: *object }, read, depth)
            }
            _ => None,
        };
    }
    match default.or_else(|| given(1)) {
        Some(default) => inner(default.value),
        None if outside => Some(Known::Absent),
        None => None,
    }
}

/// What a function of the program answers where nobody sets anything: the same at each of its ends. One that only makes a truth of what
/// it is given hands that on.
fn answered(flow: &Flow<'_>, callee: ExprRef, args: &[Arg], depth: u32) -> Option<Known> {
    let mut answer = None;
    for func in flow.functions_at(callee) {
        let facts = flow.program.module(func.module);
        let converts = facts.function(func.id).name.is_some_and(|name| words::makes_truth(name.text()));
        if converts && let Some(first) = args.first().filter(|arg| arg.name.is_none() && !arg.spread) {
            return known(flow, At { module: callee.module, id: first.value }, depth);
        }
        let ends = facts.exprs.iter().filter(|expr| expr.func == func.id).filter_map(|expr| match expr.kind {
            ExprKind::Return(value) => Some(value),
            _ => None,
        });
        for end in ends {
            let said = known(flow, At { module: func.module, id: end? }, depth)?;
            if *answer.get_or_insert_with(|| said.clone()) != said {
                return None;
            }
        }
    }
    answer
}

/// A setting that is read from a record by its name: what the code writes there, else nothing. What comes from elsewhere is what
/// somebody sets.
fn of_record(flow: &Flow<'_>, record: ExprRef, name: ExprRef, depth: u32) -> Option<Known> {
    let ExprKind::Text(name) = flow.program.kind(name) else { return None };
    let own: Vec<ObjId> = flow.objects_at(record).collect();
    let copied = own.iter().flat_map(|id| copied_from(flow, *id));
    let written = own.iter().copied().chain(copied).filter_map(|id| flow.written_field(id, *name));
    let mut said = written.map(|value| known(flow, value, depth));
    let first = said.next().unwrap_or(Some(Known::Absent))?;
    said.all(|other| other.as_ref() == Some(&first)).then_some(first)
}

/// The records that a record was made as a copy of: `dict(defaults)`, `{**defaults}`.
fn copied_from(flow: &Flow<'_>, id: ObjId) -> Vec<ObjId> {
    let Site::Expr(made) = flow.object(id).site else { return Vec::new() };
    let sources: Vec<ExprId> = match flow.program.kind(made) {
        ExprKind::Call { args, .. } => args.iter().map(|arg| arg.value).collect(),
        ExprKind::Object(fields) => {
            fields.iter().filter(|field| matches!(field.key, Key::Spread)).map(|field| field.value).collect()
        }
        _ => Vec::new(),
    };
    sources.into_iter().flat_map(|source| flow.objects_at(At { module: made.module, id: source })).collect()
}

/// Whether a callee is written as a dotted name, whatever stands before it.
fn is_written(flow: &Flow<'_>, callee: ExprRef, dotted: &str) -> bool {
    match dotted.rsplit_once('.') {
        None => flow.written_name(callee).is_some_and(|name| name == dotted),
        Some((before, last)) => match flow.program.kind(callee) {
            ExprKind::Member { object, name } => {
                *name == last && is_written(flow, At { module: callee.module, id: *object }, before)
            }
            _ => false,
        },
    }
}

/// A variable that is set once.
fn of_symbol(flow: &Flow<'_>, module: u32, symbol: SymbolId, depth: u32) -> Option<Known> {
    let facts = flow.program.module(module);
    let found = facts.symbol(symbol);
    if let SymbolKind::Import(index) = found.kind {
        let import = &facts.imports[index as usize];
        let Imported::Named(name) = &import.imported else { return None };
        let Link::Module(from) = flow.program.link(module, import.source) else { return None };
        return of_global(flow, from, *name, depth);
    }
    let changed = facts.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Assign { target, kind, .. } => {
            *kind != AssignKind::Init && matches!(facts.kind(*target), ExprKind::Symbol(used) if *used == symbol)
        }
        _ => false,
    });
    match (found.kind, changed) {
        (SymbolKind::Variable { .. }, false) => known(flow, At { module, id: found.init? }, depth),
        _ => None,
    }
}

/// A variable of a module, by its name.
fn of_global(flow: &Flow<'_>, module: u32, name: Name, depth: u32) -> Option<Known> {
    let facts = flow.program.module(module);
    let index = facts.symbols.iter().position(|symbol| symbol.func == TOP && symbol.name == name)?;
    of_symbol(flow, module, SymbolId(index as u32), depth)
}

/// A field of settings: of a class, of a module, or of the options of the command line.
fn of_member(flow: &Flow<'_>, object: ExprRef, name: Name, depth: u32) -> Option<Known> {
    for value in flow.at(object) {
        let class = match value {
            Value::Class(class) => *class,
            Value::Object(id) => match flow.object(*id).class {
                Some(class) => class,
                None => continue,
            },
            Value::Namespace(module) => return of_global(flow, *module, name, depth),
            _ => continue,
        };
        return of_field(flow, class, name, depth);
    }
    of_option(flow, object.module, name, depth)
}

/// A field of a class: what its constructions give it, else its initial value.
fn of_field(flow: &Flow<'_>, class: ClassRef, name: Name, depth: u32) -> Option<Known> {
    let made = flow.instances.get(&class).into_iter().flatten();
    for at in made {
        let ExprKind::Call { args, .. } = flow.program.kind(*at) else { continue };
        if let Some(arg) = args.iter().find(|arg| arg.name.is_some_and(|given| given == name)) {
            return known(flow, At { module: at.module, id: arg.value }, depth);
        }
    }
    let field = flow.program.class(class).fields.iter().find(|field| field.name == name)?;
    known(flow, At { module: class.module, id: field.init? }, depth)
}

/// An option of the command line: `add_argument("--name", default = …)`.
fn of_option(flow: &Flow<'_>, module: u32, name: Name, depth: u32) -> Option<Known> {
    let facts = flow.program.module(module);
    facts.exprs.iter().find_map(|expr| {
        let ExprKind::Call { callee, args } = &expr.kind else { return None };
        let ExprKind::Member { name: method, .. } = facts.kind(*callee) else { return None };
        let names = |arg: &&Arg| match facts.kind(arg.value) {
            ExprKind::Text(text) => arg.name.is_none() && option_name(text.text()) == name.text(),
            _ => false,
        };
        if *method != flow.program.tables(module).setup.option || !args.iter().any(|arg| names(&arg)) {
            return None;
        }
        let given = |wanted: &str| args.iter().find(|arg| arg.name.is_some_and(|name| name == wanted));
        if let Some(default) = given(flow.program.tables(module).traits.default_name) {
            return known(flow, At { module, id: default.value }, depth);
        }
        match facts.kind(given("action")?.value) {
            ExprKind::Text(action) if *action == "store_true" => Some(Known::Truth(false)),
            ExprKind::Text(action) if *action == "store_false" => Some(Known::Truth(true)),
            _ => None,
        }
    })
}

/// The name under which an option is read: `--no-sessions` as `no_sessions`.
fn option_name(flag: &str) -> String {
    flag.trim_start_matches('-').replace('-', "_")
}
