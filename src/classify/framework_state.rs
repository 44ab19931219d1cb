//! What a framework keeps for a session by itself: the identity that it was opened with, and the state that it offers.

use super::answer::{Carrier, Failure, Holds, KeyedBy};
use super::frameworks::keeps_sessions;
use super::lifetime::Held;
use super::stores::{Analysis, Found};
use crate::model::facts::{ExprKind, Key};
use crate::model::flow::value::Value;
use crate::model::lives::constructions;
use crate::model::name::Name;
use crate::model::program::{At, ClassRef, ExprRef, Sort};
use crate::model::query::Holder;
use crate::model::vocabulary::{Op, Role};

/// Finds it in classes that extend a framework's, and in what a framework's functions are handed.
pub(super) fn find(analysis: &Analysis<'_>) -> Vec<Found> {
    let mut out = Vec::new();
    for class in analysis.flow.program.classes() {
        if analysis.flow.class_role(class) == Some(Role::SessionFramework) {
            of_class(analysis, class, &mut out);
        }
    }
    for made in constructions(&analysis.flow, &[Role::SessionFramework]) {
        of_options(analysis, made, &mut out);
    }
    for made in analysis.flow.program.exprs_of([Sort::Call]) {
        if analysis.flow.performs(made, Op::SessionUpstreams) {
            let name = analysis.flow.callee_name(made).unwrap_or_else(|| Name::new("client"));
            out.push(store(analysis, name, name.text(), Holds::Upstream, made, vec![made]));
        }
    }
    out
}

fn of_class(analysis: &Analysis<'_>, class: ClassRef, out: &mut Vec<Found>) {
    let container = analysis.flow.program.class(class).name.map_or("class", Name::text);
    for (name, holds) in [("props", Holds::Auth), ("state", Holds::AppState)] {
        let uses = inherited_uses(analysis, class, name);
        if let Some(first) = uses.first().copied() {
            let mut found = store(analysis, Name::new(name), container, holds, first, uses);
            if holds == Holds::AppState && only_copies_props(analysis, class) {
                found.carrier = Carrier::Request;
            }
            out.push(found);
        }
    }
}

/// Where the methods of a framework's class use a member that it inherits; state counts where it is set.
fn inherited_uses(analysis: &Analysis<'_>, class: ClassRef, name: &str) -> Vec<ExprRef> {
    let facts = analysis.flow.program.module(class.module);
    let declares = facts.class(class.id).fields.iter().any(|field| field.name == name);
    if declares {
        return Vec::new();
    }
    let own = |object| matches!(facts.kind(object), ExprKind::This(Some(id)) if *id == class.id);
    let uses = |wanted: &str| -> Vec<ExprRef> {
        let all = facts.expr_ids().map(|id| At { module: class.module, id });
        all.filter(
            |at| matches!(facts.kind(at.id), ExprKind::Member { object, name } if *name == wanted && own(*object)),
        )
        .collect()
    };
    if name == "state" && uses("setState").is_empty() {
        return Vec::new();
    }
    uses(name)
}

/// Whether all that is ever put into the state is a part of `props`, which are there in each request: `setState({ a: this.props.a })`.
fn only_copies_props(analysis: &Analysis<'_>, class: ClassRef) -> bool {
    let facts = analysis.flow.program.module(class.module);
    let own = |object| matches!(facts.kind(object), ExprKind::This(Some(id)) if *id == class.id);
    let is_prop = |mut at| loop {
        match facts.kind(at) {
            ExprKind::Member { object, name } if *name == "props" && own(*object) => return true,
            ExprKind::Member { object, .. } => at = *object,
            _ => return false,
        }
    };
    let mut written = facts.expr_ids().filter_map(|id| {
        let ExprKind::Call { callee, args } = facts.kind(id) else { return None };
        let sets =
            matches!(facts.kind(*callee), ExprKind::Member { object, name } if *name == "setState" && own(*object));
        sets.then(|| args.first().map(|arg| facts.kind(arg.value)))
    });
    let copies = |value: Option<&ExprKind>| match value {
        Some(ExprKind::Object(fields)) => {
            !fields.is_empty() && fields.iter().all(|field| matches!(field.key, Key::Name(_)) && is_prop(field.value))
        }
        _ => false,
    };
    let first = written.next();
    first.is_some_and(copies) && written.all(copies)
}

/// `new FastMCP({ authenticate })`: what the function makes of the request that opens a session is handed to each tool as
/// `context.session`, as long as the session lives. Source: FastMCP (TypeScript) 3, `FastMCPSession`.
fn of_options(analysis: &Analysis<'_>, made: ExprRef, out: &mut Vec<Found>) {
    let Some(authenticate) = option(analysis, made, "authenticate").filter(|_| keeps_sessions(analysis, made)) else {
        return;
    };
    let flow = &analysis.flow;
    let reads: Vec<ExprRef> = flow
        .program
        .exprs_of([Sort::Member])
        .filter(|at| {
            is_session_read(analysis, *at) && analysis.lives.handler_reach.contains(&flow.program.func_of(*at))
        })
        .collect();
    if reads.is_empty() {
        return;
    }
    let changes: Vec<ExprRef> =
        flow.program.exprs_of([Sort::Assign, Sort::Call]).filter(|at| changes_session(analysis, *at)).collect();
    let name = Name::new("session");
    if !changes.is_empty() {
        out.push(store(analysis, name, "session", Holds::AppState, authenticate, changes));
    }
    // What is made of nothing says nothing of who asks.
    let asks = flow.functions_at(authenticate).any(|func| !flow.program.function(func).params.is_empty());
    if asks {
        out.push(store(analysis, name, "session", Holds::Auth, authenticate, reads));
    }
}

/// An option that a construction is given a function for.
fn option(analysis: &Analysis<'_>, made: ExprRef, wanted: &str) -> Option<ExprRef> {
    let flow = &analysis.flow;
    let (ExprKind::New { args, .. } | ExprKind::Call { args, .. }) = flow.program.kind(made) else { return None };
    let facts = flow.program.module(made.module);
    args.iter().find_map(|arg| {
        let ExprKind::Object(fields) = facts.kind(arg.value) else { return None };
        let field = fields.iter().find(|field| matches!(&field.key, Key::Name(name) if *name == wanted))?;
        let value = At { module: made.module, id: field.value };
        flow.at(value).iter().any(|value| matches!(value, Value::Func(_))).then_some(value)
    })
}

/// `context.session`, also as a part that a parameter is taken apart into.
fn is_session_read(analysis: &Analysis<'_>, at: ExprRef) -> bool {
    let flow = &analysis.flow;
    match flow.program.kind(at) {
        ExprKind::Member { object, name } => {
            *name == "session" && flow.plays(At { module: at.module, id: *object }, Role::HandlerContext)
        }
        _ => false,
    }
}

/// Whether an expression writes to a field of what a tool is handed as its session, or changes what is in one.
fn changes_session(analysis: &Analysis<'_>, at: ExprRef) -> bool {
    let flow = &analysis.flow;
    let facts = flow.program.module(at.module);
    let field_of_session = |id| match facts.kind(id) {
        ExprKind::Member { object, .. } => flow.plays(At { module: at.module, id: *object }, Role::SessionObject),
        _ => false,
    };
    match facts.kind(at.id) {
        ExprKind::Assign { target, .. } => field_of_session(*target),
        ExprKind::Call { callee, .. } => {
            let ExprKind::Member { object, name } = facts.kind(*callee) else { return false };
            field_of_session(*object) && changes_a_container(analysis, at, *name)
        }
        _ => false,
    }
}

/// Whether a method by this name changes a list, a map or a set: what is in the field is not known here.
fn changes_a_container(analysis: &Analysis<'_>, call: ExprRef, name: Name) -> bool {
    let tables = analysis.flow.program.tables(call.module);
    [Role::List, Role::Map, Role::Set].into_iter().any(|role| {
        let does = tables.member(role, name.text()).and_then(|row| row.does);
        matches!(does, Some(Op::Put | Op::Add | Op::Remove | Op::Merge | Op::Change | Op::GetOrInsert))
    })
}

fn store(
    analysis: &Analysis<'_>,
    name: Name,
    container: &str,
    holds: Holds,
    place: ExprRef,
    uses: Vec<ExprRef>,
) -> Found {
    let span = analysis.flow.program.expr(place).span;
    let mut found = Found {
        name,
        container: container.to_owned(),
        keyed_by: KeyedBy::SessionApi,
        value: None,
        holds,
        with_transport: false,
        with_auth: holds == Holds::Auth,
        carrier: Carrier::Manual,
        failure: Failure::Lost,
        tools: analysis.tools_at(uses.iter()),
        fields: Vec::new(),
        uses: Vec::new(),
        writers: uses,
        fallback: None,
        objects: Vec::new(),
        held: Some(Held::Field),
        holder: Holder { name, module: place.module, span, symbol: None },
    };
    found.carrier = analysis.carrier(&found, false);
    found
}
