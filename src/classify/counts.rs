//! Numbers and points in time: what counts calls or connections, and what limits by them.

use super::access::{Keyed, Kind};
use super::lifetime::Lasting;
use super::limiters::{is_measured, is_number, is_time, is_told};
use super::stores::Analysis;
use super::words;
use crate::model::flow::value::{ObjId, Value};
use crate::model::name::Name;
use crate::model::program::{FuncRef, Sort};
use crate::model::vocabulary::Role;

/// The name of the class that a store stands in.
pub(super) fn class_around(analysis: &Analysis<'_>, keyed: &Keyed) -> Option<Name> {
    let facts = analysis.flow.program.module(keyed.holder.module);
    facts.classes.iter().find(|class| class.span.contains(keyed.holder.span)).and_then(|class| class.name)
}

/// Whether all that is kept is numbers and points in time, with timers among them.
pub(super) fn keeps_timers(analysis: &Analysis<'_>, values: &[Value]) -> bool {
    let timed = |id: ObjId| analysis.flow.holds_role(id, &[Role::Timer, Role::Date], 1);
    values.iter().any(|value| matches!(value, Value::Object(id) if timed(*id))) && counts_only(analysis, values)
}

pub(super) fn counts_only(analysis: &Analysis<'_>, values: &[Value]) -> bool {
    values.iter().all(|value| match value {
        Value::Object(id) => {
            let object = analysis.flow.object(*id);
            match object.role {
                None => analysis
                    .flow
                    .fields(*id)
                    .iter()
                    .all(|(_, values)| values.iter().all(|value| is_count(analysis, *value))),
                Some(Role::Timer | Role::Date | Role::Limiter) => true,
                // A number behind a lock.
                Some(Role::Cell) => analysis.flow.elements(*id).iter().all(|value| is_count(analysis, *value)),
                // Time stamps of the calls in a window.
                Some(Role::List) => analysis.flow.elements(*id).iter().all(|value| match value {
                    Value::Object(_) => is_time(analysis, *value),
                    value => !matches!(value, Value::Argument(_)),
                }),
                Some(_) => false,
            }
        }
        Value::Argument(_) => false,
        _ => true,
    })
}

/// Whether a value is a number or a point in time: nothing that a call passed.
fn is_count(analysis: &Analysis<'_>, value: Value) -> bool {
    match value {
        Value::Object(id) => {
            analysis.flow.object(id).role == Some(Role::Timer) || is_time(analysis, value) || is_number(analysis, id)
        }
        value => !matches!(value, Value::Argument(_)),
    }
}

/// Whether a store limits, or counts what nobody but the server itself asks for.
pub(super) fn is_limit(analysis: &Analysis<'_>, keyed: &Keyed, values: &[Value], name: &str) -> bool {
    let objects: Vec<ObjId> = values
        .iter()
        .filter_map(|value| match value {
            Value::Object(id) => Some(*id),
            _ => None,
        })
        .collect();
    if objects.iter().any(|id| analysis.flow.object(*id).role == Some(Role::Limiter)) {
        return true;
    }
    if keyed.accesses.is_empty() || !counts_only(analysis, values) {
        return false;
    }
    let measured = is_measured(analysis, keyed, &objects);
    let told = is_told(analysis, keyed);
    let named = words::is_telemetry(name) || objects.iter().any(|id| is_window(analysis, *id));
    // What a tool answers, and nothing is let through by, is what the tools are about.
    (named && (measured || !told))
        || (measured && !told && !objects.is_empty() && objects.iter().all(|id| keeps_times(analysis, *id)))
}

/// Whether a record is a window or a bucket, by the names of its fields.
fn is_window(analysis: &Analysis<'_>, id: ObjId) -> bool {
    let names: Vec<String> =
        analysis.flow.fields(id).iter().map(|(name, _)| name.text().to_ascii_lowercase()).collect();
    names.iter().any(|name| is_counter(name))
        && names.iter().any(|n| n.contains("reset") || n.contains("window") || n.contains("refill"))
}

fn is_counter(name: &str) -> bool {
    name.contains("count") || matches!(name, "tokens" | "hits" | "calls" | "requests")
}

/// Whether an object is a list of times, or a record of a count and a time.
fn keeps_times(analysis: &Analysis<'_>, id: ObjId) -> bool {
    let flow = &analysis.flow;
    let time = |value: &Value| is_time(analysis, *value);
    match flow.object(id).role {
        Some(Role::List) => flow.elements(id).iter().any(time),
        None => {
            let fields = flow.fields(id);
            fields.iter().any(|(name, _)| is_counter(&name.text().to_ascii_lowercase()))
                && fields.iter().any(|(_, values)| values.iter().any(time))
        }
        _ => false,
    }
}

/// A mere mark, set by code that measures: counted once per session.
pub(super) fn is_once(analysis: &Analysis<'_>, keyed: &Keyed, values: &[Value]) -> bool {
    let measures = |func: FuncRef| {
        analysis.flow.program.exprs_of([Sort::Call]).any(|at| {
            analysis.flow.program.func_of(at) == func
                && analysis.flow.performs(at, crate::model::vocabulary::Op::Measure)
        })
    };
    // A flag says no more than that it was set.
    let flag = |value: &Value| matches!(value, Value::External(package, name) if *package == "" && name.text().eq_ignore_ascii_case("true"));
    values.iter().all(flag)
        && keyed.by_object
        && keyed.object.is_none()
        && keyed.accesses.iter().filter(|access| access.kind == Kind::Write).all(|access| measures(access.func))
}

/// Whether tools are there to count: what they count is what they are about.
pub(super) fn is_counted_by_tools(analysis: &Analysis<'_>, lasting: &Lasting) -> bool {
    analysis.tools_at(lasting.writers.iter()).iter().any(|tool| words::is_counting(tool.text()))
}
