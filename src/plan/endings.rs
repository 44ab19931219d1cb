//! Functions on the way to the end of the process. What refuses requests from then on must not stand in code after which the server
//! may be started again.

use rustc_hash::FxHashSet;

use super::{Site, site};
use crate::model::facts::{ExprKind, TOP};
use crate::model::lives::reach;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::rules::detect::{Context, Spot};

/// The functions after which the process ends: those that end it or handle a signal, and what they call.
pub(super) fn of(context: &Context<'_, '_>) -> Vec<Site> {
    let flow = &context.analysis.flow;
    let program = flow.program;
    let mut last: FxHashSet<FuncRef> = FxHashSet::default();
    for at in program.exprs().filter(|at| context.here(*at)) {
        match platform_call(context, at) {
            Some("exit") => last.extend(enclosing(context, at)),
            Some("on" | "once" | "addSignalListener") => {
                let ExprKind::Call { args, .. } = program.kind(at) else { continue };
                last.extend(args.iter().flat_map(|arg| flow.functions_at(At { module: at.module, id: arg.value })));
            }
            _ => {}
        }
        if let Some(hook) = closing_hook(context, at) {
            last.extend(flow.functions_at(hook));
        }
    }
    let reached: FxHashSet<FuncRef> = last.iter().flat_map(|func| reach(flow, *func)).collect();
    let mut out: Vec<Site> = reached
        .into_iter()
        .filter(|func| func.id != TOP)
        .map(|func| site(context, Spot { module: func.module, span: program.function(func).span }))
        .collect();
    out.sort();
    out
}

/// The function that a server of Fastify runs when it closes: such a server can't be started again. Only where the program makes one
/// of them, in code that runs once.
fn closing_hook(context: &Context<'_, '_>, at: ExprRef) -> Option<ExprRef> {
    let flow = &context.analysis.flow;
    let ExprKind::Call { callee, args } = flow.program.kind(at) else { return None };
    let ExprKind::Member { name, .. } = flow.program.module(at.module).kind(*callee) else { return None };
    let [event, hook] = args.as_slice() else { return None };
    let event = At { module: at.module, id: event.value };
    let closes =
        matches!(flow.program.kind(event), ExprKind::Text(text) if matches!(text.text(), "preClose" | "onClose"));
    (*name == "addHook" && closes && runs_once(context, at)).then_some(At { module: at.module, id: hook.value })
}

/// Whether code runs at the start of the program, or in a function that only its start calls.
fn runs_once(context: &Context<'_, '_>, at: ExprRef) -> bool {
    let flow = &context.analysis.flow;
    let func = flow.program.func_of(at);
    let callers: Vec<FuncRef> = flow.callers.get(&func).into_iter().flatten().map(|(caller, _, _)| *caller).collect();
    func.id == TOP || matches!(callers.as_slice(), [only] if only.id == TOP)
}

/// The method of the platform's process that a call names.
fn platform_call<'c>(context: &'c Context<'_, '_>, at: ExprRef) -> Option<&'c str> {
    let facts = context.analysis.flow.program.module(at.module);
    let ExprKind::Call { callee, .. } = facts.kind(at.id) else { return None };
    let ExprKind::Member { object, name } = facts.kind(*callee) else { return None };
    matches!(facts.kind(*object), ExprKind::Global(of) if matches!(of.text(), "process" | "Deno")).then(|| name.text())
}

/// The functions around some code, from the inside out.
fn enclosing(context: &Context<'_, '_>, at: ExprRef) -> Vec<FuncRef> {
    let program = context.analysis.flow.program;
    let parent = |func: &FuncRef| Some(At { module: func.module, id: program.function(*func).parent? });
    std::iter::successors(Some(program.func_of(at)), parent).filter(|func| func.id != TOP).collect()
}
