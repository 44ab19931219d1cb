//! The tables that hold the transports of sessions, and whether what they keep can go with them.

use rustc_hash::FxHashSet;

use crate::classify::access::Kind;
use crate::classify::answer::Holds;
use crate::classify::stores::Found;
use crate::model::facts::ExprKind;
use crate::model::flow::value::{ObjId, Value};
use crate::model::program::{At, ExprRef};
use crate::model::vocabulary::Role;
use crate::plan::{Manual, Site};
use crate::rules::detect::Context;
use crate::rules::session_transport_map;

/// What a session's record may keep beside plain notes.
const GOES: &[Role] = &[Role::Transport, Role::SseTransport, Role::Server, Role::Timer, Role::Date, Role::EventStore];

/// The stores that go with the transports.
fn stores<'a>(context: &Context<'a, '_>) -> impl Iterator<Item = &'a Found> {
    let live = context.stores().filter(|found| found.holds == Holds::Transport);
    let modules = context.modules;
    live.chain(context.analysis.dead.iter().filter(move |found| modules[found.holder.module as usize]))
}

/// The tables themselves, with what takes their place when they are emptied: `transports = {}`.
pub fn objects(context: &Context<'_, '_>) -> FxHashSet<ObjId> {
    let flow = &context.analysis.flow;
    let mut out: FxHashSet<ObjId> = stores(context).flat_map(|found| found.objects.iter().copied()).collect();
    let emptied: Vec<ObjId> = flow
        .program
        .exprs()
        .filter(|at| context.modules[at.module as usize])
        .filter_map(|at| match flow.program.kind(at) {
            ExprKind::Assign { target, value, .. } => {
                let of = |id| At { module: at.module, id };
                let holds = flow.objects_at(of(*target)).any(|id| out.contains(&id));
                (holds && is_empty(context, of(*value))).then(|| flow.objects_at(of(*value)).collect::<Vec<_>>())
            }
            _ => None,
        })
        .flatten()
        .collect();
    out.extend(emptied);
    out
}

/// Whether an expression makes a container without entries.
fn is_empty(context: &Context<'_, '_>, value: ExprRef) -> bool {
    let program = context.analysis.flow.program;
    match program.kind(value) {
        ExprKind::Object(fields) => fields.is_empty(),
        ExprKind::New { args, .. } => args.is_empty(),
        ExprKind::Call { args, .. } => match args.as_slice() {
            [only] => {
                let created = context.analysis.flow.callee_name(value).is_some_and(|name| name == "create");
                created && matches!(program.kind(At { module: value.module, id: only.value }), ExprKind::Absent)
            }
            _ => false,
        },
        ExprKind::Cast { value: inner, .. } => is_empty(context, At { module: value.module, id: *inner }),
        _ => false,
    }
}

/// Where they are declared.
pub fn sites(context: &Context<'_, '_>) -> Vec<Site> {
    let path = |module: u32| context.analysis.flow.program.module(module).path.clone();
    stores(context).map(|found| Site { path: path(found.holder.module), span: found.holder.span }).collect()
}

/// Tables that keep more than transports: they are not dropped.
pub fn objections(context: &Context<'_, '_>) -> Vec<Manual> {
    let mut out = Vec::new();
    // What is only put in and taken out keeps nothing for anybody.
    let looked_up = |found: &&Found| found.uses.iter().any(|access| !matches!(access.kind, Kind::Write | Kind::Delete));
    for found in stores(context).filter(|found| found.uses.is_empty() || looked_up(found)) {
        let what = found.objects.iter().find_map(|id| more_than_transport(context, *id));
        let Some(what) = what.or_else(|| read_for_itself(context, found)) else { continue };
        out.push(Manual {
            rule: session_transport_map::RULE.name,
            at: Site {
                path: context.analysis.flow.program.module(found.holder.module).path.clone(),
                span: found.holder.span,
            },
            what: format!("drop `{}` together with the sessions", found.name),
            why: format!("it keeps {what} beside the transport"),
            cause: None,
            todo: vec![format!("give {what} a place of its own, named by a handle; the transport follows then")],
        });
    }
    out
}

/// A table beside that of the transports whose values are read and are no notes of times or numbers.
fn read_for_itself(context: &Context<'_, '_>, found: &Found) -> Option<String> {
    let flow = &context.analysis.flow;
    let reads = found.uses.iter().any(|access| matches!(access.kind, Kind::Read | Kind::GetOrCreate));
    let noted = |value: ExprRef| match flow.program.kind(value) {
        ExprKind::Literal | ExprKind::Absent => true,
        ExprKind::Call { .. } | ExprKind::New { .. } => {
            flow.callee_name(value)
                .is_some_and(|name| matches!(name.text(), "now" | "Date" | "setTimeout" | "setInterval"))
                || flow.objects_at(value).any(|id| flow.object(id).role.is_some_and(|role| GOES.contains(&role)))
        }
        _ => flow.objects_at(value).any(|id| flow.object(id).role.is_some_and(|role| GOES.contains(&role))),
    };
    let plain = |ty: &str| {
        ["number", "Date", "boolean", "Timeout", "Server", "Transport"].iter().any(|known| ty.contains(known))
    };
    let values = || found.uses.iter().filter_map(|access| access.value);
    let goes = found.with_transport || found.value.as_deref().is_some_and(plain) || values().all(noted);
    (reads && !goes).then(|| "what is looked up in it".to_owned())
}

/// What an entry keeps that is neither a transport nor a note about one.
fn more_than_transport(context: &Context<'_, '_>, table: ObjId) -> Option<String> {
    let flow = &context.analysis.flow;
    let plain = |value: &Value| match value {
        Value::Object(id) => {
            let object = flow.object(*id);
            object.role.is_some_and(|role| GOES.contains(&role)) || wraps_server(context, *id)
        }
        _ => true,
    };
    for value in flow.elements(table) {
        let Value::Object(id) = value else { continue };
        if plain(&value) {
            continue;
        }
        let object = flow.object(id);
        if object.role.is_some() {
            return Some("something that is no transport".to_owned());
        }
        for (name, values) in flow.fields(id) {
            let deep =
                values.iter().find(|value| !plain(value) && !matches!(value, Value::Object(inner) if *inner == id));
            if let Some(Value::Object(inner)) = deep
                && flow.object(*inner).role != Some(Role::Request)
                && flow.object(*inner).role != Some(Role::Response)
                && !holds_nothing(context, *inner)
            {
                return Some(format!("`{name}`"));
            }
        }
    }
    None
}

/// Whether an object is an instance of a class of the program that holds a server of its own: it stands for the server. State beside it
/// is the business of whoever asks whether the server may be built for each request.
pub(super) fn wraps_server(context: &Context<'_, '_>, id: ObjId) -> bool {
    let flow = &context.analysis.flow;
    let server =
        |value: &Value| matches!(value, Value::Object(inner) if flow.object(*inner).role == Some(Role::Server));
    flow.object(id).class.is_some() && flow.fields(id).iter().any(|(_, values)| values.iter().any(server))
}

/// An object of which nothing is known but that it exists: a time stamp's wrapper, a constant.
fn holds_nothing(context: &Context<'_, '_>, id: ObjId) -> bool {
    let flow = &context.analysis.flow;
    flow.object(id).role.is_none()
        && flow.object(id).class.is_none()
        && flow.fields(id).is_empty()
        && !flow.program_literal(id)
}
