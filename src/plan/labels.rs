//! Log lines that are labelled with the session id, by way of what a context variable holds: an id of the request takes its place.

use super::telemetry::{Ambient, ambient};
use super::{Claim, Level, ServerPlan, Site, Step, StepKind, site};
use crate::classify::answer::Holds;
use crate::model::facts::{ExprKind, Key};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef};
use crate::rules::detect::Context;
use crate::rules::session_keyed_telemetry;

/// A field of a context variable that was the session id.
#[derive(Clone, Debug)]
pub struct Labels {
    /// The context variable.
    pub ambient: Ambient,
    /// The field.
    pub field: String,
    /// What it is given.
    pub values: Vec<Site>,
    /// Where it is read.
    pub reads: Vec<Site>,
}

/// Plans the labels of a server, once nothing is kept under the id any more.
pub fn plan(context: &Context<'_, '_>, out: &mut ServerPlan) {
    let kept = context.stores().any(|found| found.holds != Holds::Transport);
    if kept || !out.steps.is_empty() {
        return;
    }
    let Some(first) = context.ours(&context.signals.labels).next() else { return };
    let Some(ambient) = ambient(context) else { return };
    let Some((field, values)) = field(context, &ambient) else { return };
    let reads = reads(context, field);
    if reads.is_empty() {
        return;
    }
    let rule = session_keyed_telemetry::RULE.name;
    out.steps.push(Step {
        id: format!("labels:{}#{field}", ambient.declared.path),
        rule,
        title: "Label log lines with an id of the request".to_owned(),
        level: Level::Review,
        requires: Vec::new(),
        claims: vec![Claim { rule, at: site(context, context.spot(first)) }],
        notes: vec!["log lines tell the request that they belong to, and no session".to_owned()],
        kind: StepKind::Labels(Box::new(Labels {
            field: field.text().to_owned(),
            values: values.into_iter().map(|at| site(context, context.spot(at))).collect(),
            reads: reads.into_iter().map(|at| site(context, context.spot(at))).collect(),
            ambient,
        })),
    });
}

/// The only field of what the variable is given that is the session id, with its values.
fn field(context: &Context<'_, '_>, ambient: &Ambient) -> Option<(Name, Vec<ExprRef>)> {
    let flow = &context.analysis.flow;
    let mut names: Vec<Name> = Vec::new();
    let mut values = Vec::new();
    for at in flow.program.exprs().filter(|at| context.here(*at)) {
        let ExprKind::Call { args, .. } = flow.program.kind(at) else { continue };
        if !ambient.runs.contains(&site(context, context.spot(at))) {
            continue;
        }
        let given = At { module: at.module, id: args.first()?.value };
        let ExprKind::Object(fields) = flow.program.kind(given) else { return None };
        for field in fields {
            let value = At { module: at.module, id: field.value };
            if let Key::Name(name) = &field.key
                && flow.is_id(value)
            {
                names.push(*name);
                values.push(value);
            }
        }
    }
    names.dedup();
    let [only] = names.as_slice() else { return None };
    (values.len() == ambient.runs.len()).then_some((*only, values))
}

/// Where a field with a name is read as the session id.
fn reads(context: &Context<'_, '_>, field: Name) -> Vec<ExprRef> {
    let flow = &context.analysis.flow;
    let mut out: Vec<ExprRef> = flow
        .program
        .exprs()
        .filter(|at| context.here(*at) && flow.is_id(*at))
        .filter(|at| {
            let ExprKind::Member { object, name } = flow.program.kind(*at) else { return false };
            let object = At { module: at.module, id: *object };
            let stored = flow.callee_name(object).is_some_and(|name| name == "getStore");
            *name == field && (stored || matches!(flow.program.kind(object), ExprKind::Symbol(_)))
        })
        .collect();
    out.sort_unstable();
    out
}
