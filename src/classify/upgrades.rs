//! Where code meets what a newer release changes.

use super::stores::Analysis;
use crate::model::facts::{ExprKind, Imported, Key, Span};
use crate::model::flow::value::Value;
use crate::model::program::{At, ExprRef};
use crate::model::vocabulary::Role;
use crate::workspace::upgrades::Change;

/// The places, as module and span, among the modules of a package.
pub fn places(
    analysis: &Analysis<'_>,
    modules: &[bool],
    change: &Change,
    of_package: &dyn Fn(&str) -> bool,
) -> Vec<(u32, Span)> {
    let program = analysis.flow.program;
    let mut out = Vec::new();
    for (index, module) in (0u32..).zip(&program.modules).filter(|(index, _)| modules[*index as usize]) {
        for import in &module.imports {
            let source = import.source.text();
            let below = |known: &&str| {
                source.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '/', ':']))
            };
            let named = matches!(&import.imported, Imported::Named(name) if change.names.contains(&name.text()));
            if change.modules.iter().any(below) || (named && of_package(source)) {
                out.push((index, import.span));
            }
        }
        for id in module.expr_ids() {
            let at = At { module: index, id };
            match module.kind(id) {
                ExprKind::Member { object, name } => {
                    let object = At { module: index, id: *object };
                    let met = (change.members.contains(&name.text()) && plays(analysis, object, change))
                        || (change.names.contains(&name.text()) && is_external(analysis, object, of_package));
                    if met {
                        out.push((index, module.expr(id).span));
                    }
                }
                ExprKind::Require(source) if change.modules.iter().any(|known| source.text().starts_with(known)) => {
                    out.push((index, module.expr(id).span));
                }
                ExprKind::Call { .. } | ExprKind::New { .. } => options(analysis, at, change, &mut out),
                _ => {}
            }
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

fn plays(analysis: &Analysis<'_>, object: ExprRef, change: &Change) -> bool {
    let wanted = |role: Role| change.roles.iter().any(|id| Role::from_id(id) == Some(role));
    analysis.flow.objects_at(object).any(|id| analysis.flow.object(id).role.is_some_and(wanted))
}

fn is_external(analysis: &Analysis<'_>, object: ExprRef, of_package: &dyn Fn(&str) -> bool) -> bool {
    analysis
        .flow
        .at(object)
        .iter()
        .any(|value| matches!(value, Value::External(package, _) if of_package(package.text())))
}

/// Options given to a call, by name or as fields of an object.
fn options(analysis: &Analysis<'_>, call: ExprRef, change: &Change, out: &mut Vec<(u32, Span)>) {
    if change.options.is_empty() {
        return;
    }
    let flow = &analysis.flow;
    let module = flow.program.module(call.module);
    let (ExprKind::Call { args, callee } | ExprKind::New { args, callee }) = module.kind(call.id) else { return };
    let last = |text: &'static str| text.rsplit('.').next().unwrap_or_default();
    let external = flow.at(At { module: call.module, id: *callee }).iter().any(
        |value| matches!(value, Value::External(package, path) if *package != "" && change.calls.contains(&last(path.text()))),
    );
    if !external && !flow.callee_name(call).is_some_and(|name| change.calls.contains(&name.text())) {
        return;
    }
    for arg in args {
        if arg.name.is_some_and(|name| change.options.contains(&name.text())) {
            out.push((call.module, module.expr(arg.value).span));
        }
        if let ExprKind::Object(fields) = module.kind(arg.value) {
            let given = fields
                .iter()
                .filter(|field| matches!(&field.key, Key::Name(name) if change.options.contains(&name.text())));
            out.extend(given.map(|field| (call.module, field.span)));
        }
    }
}
