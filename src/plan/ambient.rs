//! A context variable that carried the session id (`AsyncLocalStorage`), once nothing that runs reads it any more: requests are handled
//! without it.

use rustc_hash::FxHashSet;

use super::telemetry::ambient as variable;
use super::{Claim, Level, ServerPlan, Site, Step, StepKind, site};
use crate::classify::answer::Holds;
use crate::model::facts::{ExprKind, Key, TOP};
use crate::model::flow::Edge;
use crate::model::flow::value::{ObjId, Site as Made, Value};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::vocabulary::Role;
use crate::rules::detect::{Context, Spot};
use crate::rules::session_transport_setup;

/// A context variable that goes.
#[derive(Clone, Debug)]
pub struct Ambient {
    /// Its name where it is declared.
    pub declared: Site,
    /// Calls that run something in it, with what they run; what enters it for all that follows runs nothing.
    pub runs: Vec<(Site, Option<Site>)>,
    /// Functions that read it, or did nothing but to run what they were given in it.
    pub functions: Vec<Site>,
    /// The field that told the session, where the variable tells more than that: it alone goes.
    pub field: Option<Field>,
}

/// A field of what a context variable holds.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What it is given.
    pub values: Vec<Site>,
}

/// Plans it, once nothing is kept by the id that it carried.
pub fn plan(context: &Context<'_, '_>, out: &mut ServerPlan) {
    let kept = context.stores().any(|found| found.holds != Holds::Transport);
    if kept || !out.steps.is_empty() {
        return;
    }
    let Some(known) = variable(context) else { return };
    let Some(object) = object(context) else { return };
    let whole = of(context, object, &known.declared);
    let Some(step) = whole.or_else(|| field(context, object, &known.declared)) else { return };
    let rule = session_transport_setup::RULE.name;
    out.steps.push(Step {
        id: format!("ambient:{}", known.declared.path),
        rule,
        title: match &step.field {
            None => "Handle requests without the context that told their session".to_owned(),
            Some(field) => format!("Take `{}` out of the context of requests", field.name),
        },
        level: Level::Safe,
        requires: Vec::new(),
        claims: Vec::<Claim>::new(),
        notes: vec!["nothing reads it any more".to_owned()],
        kind: StepKind::Ambient(Box::new(step)),
    });
}

fn object(context: &Context<'_, '_>) -> Option<ObjId> {
    let flow = &context.analysis.flow;
    flow.object_ids().find(|id| flow.object(*id).role == Some(Role::AsyncContext))
}

fn of(context: &Context<'_, '_>, object: ObjId, declared: &Site) -> Option<Ambient> {
    let flow = &context.analysis.flow;
    let place = |at: ExprRef| site(context, context.spot(at));
    let (mut runs, mut functions): (Vec<(Site, Option<Site>)>, Vec<FuncRef>) = (Vec::new(), Vec::new());
    for at in flow.program.exprs() {
        if !matches!(flow.program.kind(at), ExprKind::Symbol(_) | ExprKind::Member { .. })
            || !flow.objects_at(at).any(|id| id == object)
        {
            continue;
        }
        let facts = flow.program.module(at.module);
        let parent = facts.expr(at.id).parent?;
        let name = match facts.kind(parent) {
            ExprKind::Member { object, name } if *object == at.id => *name,
            ExprKind::Assign { target, .. } if *target == at.id => continue,
            _ => return None,
        };
        let call = facts.expr(parent).parent?;
        let ExprKind::Call { callee, args } = facts.kind(call) else { return None };
        let call = At { module: at.module, id: call };
        let func = flow.program.func_of(call);
        match name.text() {
            _ if *callee != parent => return None,
            "getStore" if args.is_empty() => {
                let unread = func.id != TOP && flow.callers.get(&func).is_none_or(|callers| callers.is_empty());
                if !unread || flow.roots.contains_key(&func) {
                    return None;
                }
                functions.push(func);
            }
            "run" if args.len() == 2 && only_id(context, At { module: at.module, id: args[0].value }) => {
                let given = At { module: at.module, id: args[1].value };
                match parameter(context, given, func) {
                    None => runs.push((place(call), Some(place(given)))),
                    Some(index) => {
                        for (_, caller, edge) in flow.callers.get(&func).into_iter().flatten() {
                            let ExprKind::Call { args, .. } = flow.program.kind(*caller) else { return None };
                            let given = args.get(index).filter(|arg| *edge == Edge::Call && !arg.spread)?;
                            runs.push((place(*caller), Some(place(At { module: caller.module, id: given.value }))));
                        }
                        functions.push(func);
                    }
                }
            }
            "enterWith" if args.len() == 1 && only_id(context, At { module: at.module, id: args[0].value }) => {
                runs.push((place(call), None));
            }
            _ => return None,
        }
    }
    runs.sort();
    runs.dedup();
    functions.sort_unstable();
    functions.dedup();
    let spot = |func: FuncRef| Spot { module: func.module, span: flow.program.function(func).span };
    (!runs.is_empty()).then(|| Ambient {
        declared: declared.clone(),
        runs,
        functions: functions.into_iter().map(|func| site(context, spot(func))).collect(),
        field: None,
    })
}

/// The field of a variable that tells more, where nothing that runs reads it.
fn field(context: &Context<'_, '_>, object: ObjId, declared: &Site) -> Option<Ambient> {
    let flow = &context.analysis.flow;
    let place = |at: ExprRef| site(context, context.spot(at));
    let mut names: Vec<Name> = Vec::new();
    let mut values: Vec<Site> = Vec::new();
    for at in flow.program.exprs().filter(|at| context.here(*at)) {
        for literal in given(context, object, at)? {
            let ExprKind::Object(fields) = flow.program.kind(literal) else { return None };
            let ids = fields.iter().filter(|field| flow.is_id(At { module: literal.module, id: field.value }));
            for field in ids {
                let Key::Name(name) = &field.key else { return None };
                names.push(*name);
                values.push(place(At { module: literal.module, id: field.value }));
            }
            if fields.iter().any(|field| matches!(field.key, Key::Spread)) {
                return None;
            }
        }
    }
    names.sort_unstable();
    names.dedup();
    values.sort();
    values.dedup();
    let [name] = names.as_slice() else { return None };
    let sources: FxHashSet<ExprRef> = flow.sources().iter().map(|source| source.at).collect();
    let reads = flow.program.exprs().filter(|at| context.here(*at)).filter(|at| {
        let named = matches!(flow.program.kind(*at), ExprKind::Member { name: own, .. } if own == name);
        named && flow.is_id(*at) && !sources.contains(at)
    });
    let mut functions = Vec::new();
    for at in reads {
        let func = flow.program.func_of(at);
        let unread = func.id != TOP && flow.callers.get(&func).is_none_or(|callers| callers.is_empty());
        if !unread || flow.roots.contains_key(&func) {
            return None;
        }
        let span = flow.program.function(func).span;
        functions.push(site(context, Spot { module: func.module, span }));
    }
    functions.sort();
    functions.dedup();
    let field = Some(Field { name: name.text().to_owned(), values });
    Some(Ambient { declared: declared.clone(), runs: Vec::new(), functions, field })
}

/// The literals that a call puts into the variable; none where it puts nothing in, `None` where what it puts in is not seen.
fn given(context: &Context<'_, '_>, object: ObjId, at: ExprRef) -> Option<Vec<ExprRef>> {
    let flow = &context.analysis.flow;
    let nothing = Some(Vec::new());
    let ExprKind::Call { callee, args } = flow.program.kind(at) else { return nothing };
    let ExprKind::Member { object: of, name } = flow.program.module(at.module).kind(*callee) else { return nothing };
    let ours = flow.objects_at(At { module: at.module, id: *of }).any(|id| id == object);
    if !ours || !matches!(name.text(), "run" | "enterWith") {
        return nothing;
    }
    let value = At { module: at.module, id: args.first()?.value };
    let mut out = Vec::new();
    for value in flow.at(value) {
        match value {
            Value::Object(id) => match flow.object(*id).site {
                Made::Expr(at) => out.push(at),
                Made::Decl(_) => {}
                _ => return None,
            },
            _ => return None,
        }
    }
    Some(out)
}

/// Whether a value is the session id, or an object that has nothing else.
fn only_id(context: &Context<'_, '_>, at: ExprRef) -> bool {
    let flow = &context.analysis.flow;
    let written = |at: ExprRef| match flow.program.kind(at) {
        ExprKind::Object(fields) => {
            !fields.is_empty() && fields.iter().all(|field| flow.is_id(At { module: at.module, id: field.value }))
        }
        _ => false,
    };
    // One that is handed in is written where it is made; what a type says of it is no object of its own.
    let made = || {
        let mut sites = flow.at(at).iter().map(|value| match value {
            Value::Object(id) => Some(flow.object(*id).site),
            _ => None,
        });
        let literal = |made: &Option<Made>| matches!(made, Some(Made::Expr(at)) if written(*at));
        sites.clone().any(|made| literal(&made))
            && sites.all(|made| literal(&made) || matches!(made, Some(Made::Decl(_))))
    };
    written(at) || flow.is_id(at) || made()
}

/// The position of the parameter that an expression is, of the function around it, which then does nothing but to run that.
fn parameter(context: &Context<'_, '_>, at: ExprRef, func: FuncRef) -> Option<usize> {
    let program = context.analysis.flow.program;
    let ExprKind::Symbol(symbol) = program.kind(at) else { return None };
    let facts = program.function(func);
    let only = matches!(facts.returns.as_slice(), [only] if matches!(program.kind(At { module: func.module, id: *only }), ExprKind::Call { .. }));
    facts.params.iter().position(|param| param.symbol == *symbol).filter(|_| only && facts.name.is_some())
}
