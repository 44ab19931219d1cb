//! Frameworks that keep sessions by themselves, and generators that are given to them.

use super::stores::Analysis;
use crate::model::facts::{ExprId, ExprKind, Key};
use crate::model::flow::value::{ObjId, Value};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, Sort};
use crate::model::vocabulary::Role;

pub(super) fn frameworks(analysis: &Analysis<'_>) -> Vec<ExprRef> {
    let mut out = crate::model::lives::constructions(&analysis.flow, &[Role::SessionFramework]);
    out.retain(|at| keeps_sessions(analysis, *at));
    for class in analysis.flow.program.classes() {
        if analysis.flow.class_role(class) == Some(Role::SessionFramework)
            && let Some(base) = analysis.flow.program.class(class).bases.first()
        {
            out.push(At { module: class.module, id: *base });
        }
    }
    out
}

/// Whether a framework's server is started over HTTP, in the mode that keeps sessions: by the options of its construction and of the call
/// that starts it.
pub(super) fn keeps_sessions(analysis: &Analysis<'_>, made: ExprRef) -> bool {
    let flow = &analysis.flow;
    let servers: Vec<ObjId> = flow.objects_at(made).collect();
    let mut options: Vec<ObjId> = Vec::new();
    for at in flow.program.exprs_of([Sort::Call]) {
        let ExprKind::Call { callee, args } = flow.program.kind(at) else { continue };
        let ExprKind::Member { object, .. } = flow.program.module(at.module).kind(*callee) else { continue };
        if flow.objects_at(At { module: at.module, id: *object }).any(|id| servers.contains(&id)) {
            options.extend(args.iter().flat_map(|arg| flow.objects_at(At { module: at.module, id: arg.value })));
        }
    }
    if let ExprKind::New { args, .. } | ExprKind::Call { args, .. } = flow.program.kind(made) {
        options.extend(args.iter().flat_map(|arg| flow.objects_at(At { module: made.module, id: arg.value })));
    }
    let inner: Vec<ObjId> = options
        .iter()
        .flat_map(|id| flow.fields(*id))
        .flat_map(|(_, values)| values)
        .filter_map(|value| match value {
            Value::Object(id) => Some(id),
            _ => None,
        })
        .collect();
    options.extend(inner);
    let (mut http, mut stateless) = (false, false);
    for id in options {
        for (name, values) in flow.fields(id) {
            let text = |value: &Value| matches!(value, Value::Text(text) if matches!(text.text(), "httpStream" | "http-stream" | "streamable-http" | "http" | "sse"));
            http |= matches!(name.text(), "transportType" | "type" | "transport") && values.iter().any(text);
            stateless |= name == "stateless";
        }
    }
    http && !stateless
}

/// Whether what an object literal is part of names the protocol or its transport: other things have session ids too.
pub(super) fn speaks_of_mcp(facts: &crate::model::facts::Module, object: ExprId) -> bool {
    let named = |name: Name| {
        let name = name.text().to_ascii_lowercase();
        name.contains("mcp") || name.contains("streamable") || name.contains("transport")
    };
    let mut at = object;
    while let Some(parent) = facts.expr(at).parent {
        let found = match facts.kind(parent) {
            ExprKind::Object(fields) => {
                fields.iter().any(|field| field.value == at && matches!(&field.key, Key::Name(name) if named(*name)))
            }
            ExprKind::Assign { target, .. } => {
                matches!(facts.kind(*target), ExprKind::Symbol(id) if named(facts.symbol(*id).name))
            }
            ExprKind::Call { callee, .. } | ExprKind::New { callee, .. } => {
                let mut head = *callee;
                loop {
                    match facts.kind(head) {
                        ExprKind::Member { object, name } if !named(*name) => head = *object,
                        ExprKind::Member { .. } => break true,
                        ExprKind::Symbol(id) => break named(facts.symbol(*id).name),
                        _ => break false,
                    }
                }
            }
            _ => false,
        };
        if found {
            return true;
        }
        at = parent;
    }
    false
}
