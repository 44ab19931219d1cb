//! The session header in lists of headers that browsers may send or read.

use super::{Site, site};
use crate::model::facts::{ExprKind, Key};
use crate::model::flow::value::Value;
use crate::model::program::{At, ExprRef};
use crate::rules::detect::Context;

const LISTS: &[&str] = &["allowedheaders", "exposedheaders", "allowheaders", "exposeheaders"];

/// Where the header stands in such lists, as a text or by the name of a constant.
pub fn sites(context: &Context<'_, '_>) -> Vec<Site> {
    let mut out: Vec<Site> =
        context.ours(&context.signals.header_lists).map(|at| site(context, context.spot(at))).collect();
    let program = context.analysis.flow.program;
    let named = program.exprs().filter(|at| context.here(*at) && is_named_in_list(context, *at));
    out.extend(named.map(|at| site(context, context.spot(at))));
    out
}

/// `exposedHeaders: [SESSION_HEADER]`.
fn is_named_in_list(context: &Context<'_, '_>, at: ExprRef) -> bool {
    let flow = &context.analysis.flow;
    let facts = flow.program.module(at.module);
    let header =
        |value: &Value| matches!(value, Value::Text(text) if text.text().eq_ignore_ascii_case("mcp-session-id"));
    if !matches!(facts.kind(at.id), ExprKind::Symbol(_)) {
        return false;
    }
    let Some(list) = facts.expr(at.id).parent.filter(|parent| matches!(facts.kind(*parent), ExprKind::Sequence(_)))
    else {
        return false;
    };
    let Some(ExprKind::Object(fields)) = facts.expr(list).parent.map(|object| facts.kind(object)) else { return false };
    let listed = fields.iter().any(|field| {
        field.value == list
            && matches!(&field.key, Key::Name(name) if LISTS.contains(&name.text().to_ascii_lowercase().as_str()))
    });
    listed && flow.at(At { module: at.module, id: at.id }).iter().any(header)
}
