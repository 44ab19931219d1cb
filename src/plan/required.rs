//! Handles that an earlier run left optional in the schemas of tools, for clients that knew the schemas as they were: a later run
//! makes them required.

use std::collections::BTreeSet;

use super::{Level, PlanSettings, Site, Step, StepKind, site};
use crate::model::facts::{ExprKind, Field, Key};
use crate::model::program::{At, ExprRef};
use crate::rules::detect::Context;
use crate::rules::handle_not_usable;

/// The function of the module of handles that asks for a handle which may have been left out.
const GIVEN: &str = "givenHandle";
/// The one that does so for tools which one handler dispatches.
const HANDLE_IN: &str = "handleIn";

/// What makes handles required.
#[derive(Clone, Debug)]
pub struct Required {
    /// The arguments.
    pub arguments: Vec<String>,
    /// Calls that ask for a handle.
    pub calls: Vec<Site>,
    /// Types of arguments that may be left out, in the schemas of tools.
    pub types: Vec<Site>,
    /// Schemas as JSON that do not require their handle, with the argument.
    pub schemas: Vec<(Site, String)>,
}

/// Plans that a server's handles are required.
pub fn plan(context: &Context<'_, '_>, server: &str, settings: &PlanSettings) -> Option<Step> {
    if settings.transition {
        return None;
    }
    let (given, mut arguments) = calls(context, GIVEN);
    let (_, dispatched) = calls(context, HANDLE_IN);
    let mut out = Required { arguments: Vec::new(), calls: Vec::new(), types: Vec::new(), schemas: Vec::new() };
    for at in context.analysis.flow.program.exprs().filter(|at| context.here(*at)) {
        let ExprKind::Object(fields) = context.analysis.flow.program.kind(at) else { continue };
        let typed = arguments.iter().filter_map(|name| field(fields, name));
        let values = typed.map(|field| At { module: at.module, id: field.value });
        out.types.extend(values.filter(|value| is_optional(context, *value)).map(|value| place(context, value)));
        let open = dispatched.iter().find(|name| leaves_out(context, at, fields, name));
        out.schemas.extend(open.map(|name| (place(context, at), name.clone())));
    }
    // With a schema that is required already, somebody did this by hand.
    if !out.types.is_empty() {
        out.calls = given.iter().map(|at| place(context, *at)).collect();
    } else {
        arguments.clear();
    }
    arguments.extend(out.schemas.iter().map(|(_, name)| name.clone()));
    if arguments.is_empty() {
        return None;
    }
    out.arguments = arguments.into_iter().collect();
    let listed = out.arguments.join(" and ");
    Some(Step {
        id: format!("required:{server}"),
        rule: handle_not_usable::RULE.name,
        title: format!("Require {listed}"),
        level: Level::Review,
        requires: Vec::new(),
        claims: Vec::new(),
        notes: vec![format!(
            "{listed} was optional for a time of transition; --transition leaves it so, and a client that still calls \
             without it is told so by its schema from now on"
        )],
        kind: StepKind::Required(Box::new(out)),
    })
}

fn place(context: &Context<'_, '_>, at: ExprRef) -> Site {
    site(context, context.spot(at))
}

/// Calls of a function with the name of an argument, and these names.
fn calls(context: &Context<'_, '_>, function: &str) -> (Vec<ExprRef>, BTreeSet<String>) {
    let flow = &context.analysis.flow;
    let (mut calls, mut names) = (Vec::new(), BTreeSet::new());
    for at in flow.program.exprs().filter(|at| context.here(*at)) {
        let ExprKind::Call { args, .. } = flow.program.kind(at) else { continue };
        if flow.callee_name(at).is_none_or(|name| name != function) || args.len() != 3 {
            continue;
        }
        if let ExprKind::Text(name) = flow.program.module(at.module).kind(args[1].value) {
            calls.push(at);
            names.insert(name.text().to_owned());
        }
    }
    (calls, names)
}

fn field<'f>(fields: &'f [Field], name: &str) -> Option<&'f Field> {
    fields.iter().find(|field| matches!(&field.key, Key::Name(key) if *key == name))
}

/// Whether a type of the schema library may be left out: `z.string().optional()`, `z.optional(…)`.
fn is_optional(context: &Context<'_, '_>, at: ExprRef) -> bool {
    let program = context.analysis.flow.program;
    match program.kind(at) {
        ExprKind::Call { callee, .. } => is_optional(context, At { module: at.module, id: *callee }),
        ExprKind::Member { object, name } => {
            *name == "optional" || is_optional(context, At { module: at.module, id: *object })
        }
        _ => false,
    }
}

/// Whether a schema as JSON has a property and does not require it.
fn leaves_out(context: &Context<'_, '_>, at: ExprRef, fields: &[Field], name: &str) -> bool {
    let facts = context.analysis.flow.program.module(at.module);
    let Some(properties) = field(fields, "properties") else { return false };
    let ExprKind::Object(properties) = facts.kind(properties.value) else { return false };
    if field(properties, name).is_none() {
        return false;
    }
    match field(fields, "required").map(|required| facts.kind(required.value)) {
        Some(ExprKind::Sequence(listed)) => {
            !listed.iter().any(|item| matches!(facts.kind(*item), ExprKind::Text(text) if *text == name))
        }
        Some(_) => false,
        None => true,
    }
}
