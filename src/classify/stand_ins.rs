//! What stands in for a session id where there is none: a constant, nothing that code takes for an id, a text that is made of nothing.

use super::access::{Access, Keyed, Kind};
use super::answer::{Failure, Holds};
use super::failure::guard_of;
use super::stores::Analysis;
use crate::model::facts::{ExprKind, Language};
use crate::model::flow::Flow;
use crate::model::flow::value::{SourceInfo, SourceKind, Value};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, SymbolRef};
use crate::model::vocabulary::Role;

/// What a key is where there is no session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StandIn {
    /// A constant that the code chooses.
    Constant(Name),
    /// Nothing itself (`undefined`, `None`): the code only says that the id is there.
    Nothing(&'static str),
    /// A text that nothing is made into: `draft/undefined`.
    Text(String),
}

/// How far a key is followed to where it is written.
const STEPS: u32 = 6;

/// What stands in for the id in the key of an access.
pub fn stand_in(analysis: &Analysis<'_>, key: ExprRef) -> Option<StandIn> {
    let constant = analysis.flow.at(key).iter().find_map(|value| match value {
        Value::Text(text) => Some(StandIn::Constant(*text)),
        _ => None,
    });
    constant.or_else(|| written(analysis, key, STEPS))
}

/// The key under which handlers write without asking whether its id is there, though it says that it is, or makes a text of it.
pub(super) fn unasked(analysis: &Analysis<'_>, keyed: &Keyed, failure: Failure, holds: Holds) -> Option<ExprRef> {
    // A count for everybody leaks nothing, and tables of connections have rules of their own.
    if failure != Failure::Collapsed || matches!(holds, Holds::Telemetry | Holds::Transport | Holds::Upstream) {
        return None;
    }
    let written_by_handler = |access: &&Access| {
        matches!(access.kind, Kind::Write | Kind::GetOrCreate | Kind::AddId)
            && analysis.lives.handler_reach.contains(&access.func)
    };
    let unasked =
        |access: &&Access| guard_of(analysis, access).is_none() && written(analysis, access.key, STEPS).is_some();
    keyed.accesses.iter().filter(written_by_handler).find(unasked).map(|access| access.key)
}

/// What a key says where there is no session, by the expression that it is written as.
fn written(analysis: &Analysis<'_>, at: ExprRef, steps: u32) -> Option<StandIn> {
    if steps == 0 {
        return None;
    }
    let flow = &analysis.flow;
    let facts = flow.program.module(at.module);
    let here = |id| At { module: at.module, id };
    if facts.asserted.binary_search(&at.id).is_ok()
        && let Some(nothing) = absent(flow, at)
    {
        return Some(StandIn::Nothing(nothing));
    }
    match facts.kind(at.id) {
        ExprKind::Cast { value, .. } => written(analysis, here(*value), steps - 1),
        ExprKind::Template(_) => text(flow, at).map(StandIn::Text),
        ExprKind::Call { callee, args } => {
            let callee_text = |name: &Name| matches!(name.text(), "String" | "str");
            if let (ExprKind::Global(name), [only]) = (facts.kind(*callee), args.as_slice())
                && callee_text(name)
            {
                return spelled(flow, here(only.value)).map(StandIn::Text);
            }
            flow.callees(at).into_iter().find_map(|callee| {
                let returns = flow.program.function(callee).returns.iter();
                returns.copied().find_map(|id| written(analysis, At { module: callee.module, id }, steps - 1))
            })
        }
        ExprKind::Symbol(id) => match facts.symbol(*id).init {
            Some(init) => written(analysis, here(init), steps - 1),
            None => passed(analysis, At { module: at.module, id: *id }, steps - 1),
        },
        _ => None,
    }
}

/// What handlers pass for a parameter.
fn passed(analysis: &Analysis<'_>, symbol: SymbolRef, steps: u32) -> Option<StandIn> {
    let flow = &analysis.flow;
    let func = At { module: symbol.module, id: flow.program.symbol(symbol).func };
    let index = flow.program.function(func).params.iter().position(|param| param.symbol == symbol.id)?;
    let callers = flow.callers.get(&func).into_iter().flatten();
    let mut calls = callers.filter(|(caller, _, _)| analysis.lives.handler_reach.contains(caller));
    calls.find_map(|(_, call, _)| written(analysis, flow.argument(*call, index)?, steps))
}

/// A text put together of texts, arguments and an id that may be absent, as it reads without the id. With a part that tells clients
/// apart, they do not share the key.
fn text(flow: &Flow<'_>, at: ExprRef) -> Option<String> {
    let facts = flow.program.module(at.module);
    let ExprKind::Template(parts) = facts.kind(at.id) else { return None };
    let mut out = String::new();
    let mut with_id = false;
    for part in parts {
        let part = At { module: at.module, id: *part };
        if let ExprKind::Text(text) = facts.kind(part.id) {
            // What separates parts may be nothing that can be shown.
            out.extend(text.text().chars().map(|c| if c.is_control() { ' ' } else { c }));
        } else if let Some(nothing) = spelled(flow, part) {
            with_id = true;
            out.push_str(&nothing);
        } else {
            match flow.at(part) {
                [Value::Text(text)] => out.push_str(text.text()),
                [_, ..] if flow.at(part).iter().all(|value| matches!(value, Value::Argument(_) | Value::Text(_))) => {
                    out.push('…');
                }
                _ => return None,
            }
        }
    }
    with_id.then_some(out)
}

/// What an id that may be absent reads as within a text.
fn spelled(flow: &Flow<'_>, at: ExprRef) -> Option<String> {
    match flow.program.kind(at) {
        ExprKind::Template(_) => text(flow, at),
        _ => absent(flow, at).or_else(|| constant(flow, at)).map(str::to_owned),
    }
}

/// The one constant that an optional id is replaced by.
fn constant(flow: &Flow<'_>, at: ExprRef) -> Option<&'static str> {
    let id_or_text = |value: &Value| matches!(value, Value::Id(_) | Value::Text(_) | Value::Absent);
    let mut texts = flow.at(at).iter().filter_map(|value| match value {
        Value::Text(text) => Some(text.text()),
        _ => None,
    });
    let (text, others) = (texts.next()?, texts.next().is_some());
    let mut sources = flow.ids_at(at).peekable();
    let optional = sources.peek().is_some() && sources.all(|source| is_optional(flow, source));
    (optional && !others && flow.at(at).iter().all(id_or_text)).then_some(text)
}

/// The nothing that an expression is without a session, where it is an id that may be absent and nothing else.
fn absent(flow: &Flow<'_>, at: ExprRef) -> Option<&'static str> {
    let nothing = match flow.program.module(at.module).language {
        Language::TypeScript | Language::JavaScript => "undefined",
        Language::Python => "None",
        // There the type says which values may be absent, and only a fallback of its own gets past it.
        Language::Rust => return None,
    };
    let mut sources = flow.ids_at(at).peekable();
    let first = *sources.peek()?;
    let id_alone = flow.at(at).iter().all(|value| matches!(value, Value::Id(_) | Value::Absent));
    (id_alone && sources.all(|source| is_optional(flow, source)))
        .then(|| if is_read_from_headers(flow, first.at) { "null" } else { nothing })
}

/// Whether reading an id yields nothing where there is no session, and is no error.
fn is_optional(flow: &Flow<'_>, source: SourceInfo) -> bool {
    let strict = flow.program.tables(source.at.module).traits.absent_raises;
    match source.kind {
        SourceKind::Context | SourceKind::Missing | SourceKind::Transport => true,
        SourceKind::Header | SourceKind::ToolHeader => {
            !(strict && matches!(flow.program.kind(source.at), ExprKind::Index { .. }))
        }
        _ => false,
    }
}

/// Whether an id is read with `get` from the headers of a web request, which answer `null`.
fn is_read_from_headers(flow: &Flow<'_>, read: ExprRef) -> bool {
    let facts = flow.program.module(read.module);
    if facts.language == Language::Python {
        return false;
    }
    let ExprKind::Call { callee, .. } = facts.kind(read.id) else { return false };
    let ExprKind::Member { object, name } = facts.kind(*callee) else { return false };
    let receiver = At { module: read.module, id: *object };
    *name == "get" && (flow.plays(receiver, Role::Headers) || flow.plays(receiver, Role::ContextHeaders))
}
