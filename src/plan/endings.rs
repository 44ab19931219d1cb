//! Functions on the way to the end of the process. What refuses requests from then on must not stand in code after which the server
//! may be started again.

use rustc_hash::FxHashSet;

use super::{Site, site};
use crate::model::facts::{ExprKind, TOP};
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::reach::reach;
use crate::rules::detect::{Context, Spot};

/// How far calls are followed back to the start of the program.
const STEPS: usize = 6;

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
    let mut reached: FxHashSet<FuncRef> = last.iter().flat_map(|func| reach(flow, *func)).collect();
    let listeners = aborted_at_end(context, &reached);
    reached.extend(listeners.into_iter().flat_map(|func| reach(flow, func)));
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

/// The functions that run when a signal is aborted which code on the way to the end of the process aborts, and no other code: such a
/// signal is aborted once. Only where they are made known in code that runs once.
fn aborted_at_end(context: &Context<'_, '_>, endings: &FxHashSet<FuncRef>) -> Vec<FuncRef> {
    let flow = &context.analysis.flow;
    let program = flow.program;
    let exprs = || program.exprs().filter(|at| context.here(*at));
    let mut aborts = exprs().filter(|at| aborts_for_all(context, *at)).peekable();
    let ends = |at: ExprRef| enclosing(context, at).iter().any(|func| endings.contains(func));
    if aborts.peek().is_none() || !aborts.all(ends) {
        return Vec::new();
    }
    let hooks = exprs().filter_map(|at| abort_hook(context, at).filter(|_| runs_once(context, at)));
    hooks.flat_map(|hook| flow.functions_at(hook).collect::<Vec<_>>()).collect()
}

/// `controller.abort()`, where the controller is not one that a function makes for itself each time it runs.
fn aborts_for_all(context: &Context<'_, '_>, at: ExprRef) -> bool {
    let program = context.analysis.flow.program;
    let facts = program.module(at.module);
    let ExprKind::Call { callee, .. } = facts.kind(at.id) else { return false };
    let ExprKind::Member { object, name } = facts.kind(*callee) else { return false };
    let own = match facts.kind(*object) {
        ExprKind::Symbol(symbol) => {
            let home = At { module: at.module, id: facts.symbol(*symbol).func };
            home.id != TOP && !called_once(context, home)
        }
        _ => false,
    };
    *name == "abort" && !own
}

/// What a signal is given to run when it is aborted: `signal.addEventListener('abort', …)`, `signal.onabort = …`.
fn abort_hook(context: &Context<'_, '_>, at: ExprRef) -> Option<ExprRef> {
    let facts = context.analysis.flow.program.module(at.module);
    let of = |id| At { module: at.module, id };
    match facts.kind(at.id) {
        ExprKind::Call { callee, args } => {
            let ExprKind::Member { name, .. } = facts.kind(*callee) else { return None };
            let [event, hook, ..] = args.as_slice() else { return None };
            let aborted = matches!(facts.kind(event.value), ExprKind::Text(text) if *text == "abort");
            (*name == "addEventListener" && aborted).then_some(of(hook.value))
        }
        ExprKind::Assign { target, value, .. } => {
            let ExprKind::Member { name, .. } = facts.kind(*target) else { return None };
            (*name == "onabort").then_some(of(*value))
        }
        _ => None,
    }
}

/// Whether code runs at the start of the program, or in a function that its start calls once.
fn runs_once(context: &Context<'_, '_>, at: ExprRef) -> bool {
    called_once(context, context.analysis.flow.program.func_of(at))
}

/// Whether a function is the program's start, or one that its start calls at one place, however far off.
fn called_once(context: &Context<'_, '_>, func: FuncRef) -> bool {
    let callers = &context.analysis.flow.callers;
    let only = |func: &FuncRef| match callers.get(func)?.iter().collect::<Vec<_>>().as_slice() {
        [(caller, _, _)] => Some(*caller),
        _ => None,
    };
    std::iter::successors(Some(func), only).take(STEPS).any(|func| func.id == TOP)
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
