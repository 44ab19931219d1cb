//! What needs the client on the other end of a standing connection: its answers, its attention, what it said of itself.

use super::{Blockers, is_claimed};
use crate::model::facts::{ExprKind, FuncKind};
use crate::model::flow::Registered;
use crate::model::program::{At, ExprRef};
use crate::model::vocabulary::{Op, Role};
use crate::plan::{Step, site};
use crate::rules::detect::{Context, Spot};
use crate::rules::{handshake_client_info, server_initiated_request, session_dependent_list, stateless_capability};

pub(super) fn look(context: &Context<'_, '_>, steps: &[Step], out: &mut Blockers) {
    asks(context, out);
    client_info(context, out);
    initialized(context, out);
    subscriptions(context, out);
    lists(context, steps, out);
    announcements(context, out);
}

/// Requests to the client. Without a session they throw, or wait for an answer that arrives at another server.
fn asks(context: &Context<'_, '_>, out: &mut Blockers) {
    let program = context.analysis.flow.program;
    let mut calls: Vec<ExprRef> = context.ours(&context.signals.asks).collect();
    calls.extend(program.exprs().filter(|at| context.here(*at) && is_unmistakable(context, *at)));
    calls.sort_unstable();
    calls.dedup();
    for at in &calls {
        let name = context.analysis.flow.callee_name(*at).map_or("this", |name| name.text());
        let why = match name {
            "elicitInput" => "without a session it throws: the server that saw what the client can do is gone",
            "ping" => "without a session there is nobody to ping",
            _ => "without a session it waits until the request times out: the answer arrives at another server",
        };
        let todo: &[&str] = match name {
            "elicitInput" => &[
                "take the answer as an argument of the tool, and say in its description when to ask the user",
                "on an SDK that speaks 2026-07-28: answer `inputRequired(…)`, and read the input when the call comes back",
            ],
            "createMessage" | "requestSampling" => {
                &["call a model directly, or hand the text back for the client's own model"]
            }
            "listRoots" => &["take the paths as arguments, or as a setting of the server"],
            "ping" => &["delete it: a dead connection shows when its request ends"],
            _ => &["answer within the request that the client sent"],
        };
        out.block(
            server_initiated_request::RULE.name,
            site(context, context.call_spot(*at)),
            format!("`{name}` asks the client{}", context.whereabouts(*at)),
            why,
            todo,
        );
    }
    if calls.is_empty() {
        out.hold("no call to the client is made");
    }
}

/// Names that mean a call to the client whatever they are called on, as long as the program has no such method itself.
fn is_unmistakable(context: &Context<'_, '_>, at: ExprRef) -> bool {
    let facts = context.analysis.flow.program.module(at.module);
    let ExprKind::Call { callee, .. } = facts.kind(at.id) else { return false };
    let ExprKind::Member { object, name } = facts.kind(*callee) else { return false };
    let of_request = || matches!(facts.kind(*object), ExprKind::Member { name, .. } if *name == "mcpReq");
    match name.text() {
        "elicitInput" | "requestSampling" | "listRoots" => context.analysis.flow.callees(at).is_empty(),
        "send" => of_request(),
        _ => false,
    }
}

fn client_info(context: &Context<'_, '_>, out: &mut Blockers) {
    let mut none = true;
    for at in context.ours(&context.signals.client_info).filter(|at| !serves_stdio_alone(context, *at)) {
        none = false;
        out.block(
            handshake_client_info::RULE.name,
            site(context, context.call_spot(at)),
            format!("what the client said in the handshake is read{}", context.whereabouts(at)),
            "a server that is made for each request has seen no handshake but that of an `initialize` request: it is absent",
            &[
                "do without, or take it from the request: on an SDK that speaks 2026-07-28 it is in `_meta`",
            ],
        );
    }
    if none {
        out.hold("nothing reads what the client said in the handshake");
    }
}

/// `server.oninitialized = …`, where it does more than log.
fn initialized(context: &Context<'_, '_>, out: &mut Blockers) {
    let flow = &context.analysis.flow;
    for at in flow.program.exprs().filter(|at| context.here(*at)) {
        let ExprKind::Assign { target, value, .. } = flow.program.kind(at) else { continue };
        let inner = |id| At { module: at.module, id };
        let ExprKind::Member { object, name } = flow.program.kind(inner(*target)) else { continue };
        let on_server = flow.plays(inner(*object), Role::Server);
        if *name != "oninitialized" || !on_server || serves_stdio_alone(context, at) {
            continue;
        }
        let works = flow.functions_at(inner(*value)).any(|func| {
            flow.program.exprs().any(|call| {
                matches!(flow.program.kind(call), ExprKind::Call { .. })
                    && flow.program.within(flow.program.func_of(call), func)
                    && !flow.performed(call).iter().any(|performed| matches!(performed.op, Op::Log | Op::Measure))
            })
        });
        if works {
            out.block(
                handshake_client_info::RULE.name,
                site(context, context.spot(inner(*target))),
                "work is done when a session has begun",
                "no request begins a session: the hook runs on a server that lives as long as one request, or never",
                &["do the work where its result is needed, or when the process starts"],
            );
        }
    }
}

/// Whether code stands in a branch or a function that connects its server to standard input and output, and to nothing else: there
/// the handshake happens as ever.
fn serves_stdio_alone(context: &Context<'_, '_>, at: ExprRef) -> bool {
    let flow = &context.analysis.flow;
    let facts = flow.program.module(at.module);
    let span = facts.expr(at.id).span;
    let branches = facts.branches.iter().flat_map(|branch| [Some(branch.then), branch.otherwise]).flatten();
    let functions = facts.functions.iter().filter(|func| func.kind != FuncKind::Top).map(|func| func.span);
    branches.chain(functions).filter(|part| part.contains(span)).any(|part| {
        let connects = flow
            .connects
            .iter()
            .filter(|(call, _)| call.module == at.module && part.contains(facts.expr(call.id).span));
        let mut transports = connects.flat_map(|(_, pairs)| pairs).map(|(_, id)| flow.object(*id).role).peekable();
        transports.peek().is_some() && transports.all(|role| role == Some(Role::StdioTransport))
    })
}

/// Handlers of `resources/subscribe`: who is to be told, and over which stream?
fn subscriptions(context: &Context<'_, '_>, out: &mut Blockers) {
    let mut handled = false;
    let registrations = &context.analysis.flow.registrations;
    for (at, registration) in registrations.iter().filter(|(at, _)| context.here(**at)) {
        let subscribes = registration.what == Registered::Method
            && registration
                .name
                .is_some_and(|name| matches!(name.text(), "SubscribeRequestSchema" | "resources/subscribe"));
        if subscribes {
            handled = true;
            out.block(
                stateless_capability::RULE.name,
                site(context, context.call_spot(*at)),
                "clients subscribe to resources here",
                "whoever subscribed is told over the stream of a session; a request without one ends before there is news",
                &[
                    "take the capability and its handlers out: clients read again when they want to know",
                    "on an SDK that speaks 2026-07-28: serve `subscriptions/listen` with the handler's own bus",
                ],
            );
        }
    }
    let offered = context.signals.capabilities.iter().any(|(at, name)| context.here(*at) && *name == "subscribe");
    if offered && !handled {
        out.notes.push("the capability `subscribe` is offered and has no handler; it should go".to_owned());
    }
    if !handled {
        out.hold("no handler lets clients subscribe to resources");
    }
}

/// Lists that handlers change: a server that is made anew for each request forgets it.
fn lists(context: &Context<'_, '_>, steps: &[Step], out: &mut Blockers) {
    let changes: Vec<ExprRef> = context.ours(&context.signals.list_changes).collect();
    let varying: Vec<ExprRef> = context.ours(&context.signals.varying_lists).collect();
    let all: Vec<Spot> = changes.iter().chain(&varying).map(|at| context.call_spot(*at)).collect();
    let migrated = all.iter().any(|spot| is_claimed(steps, &site(context, *spot)));
    for at in changes.iter().chain(&varying).filter(|_| !migrated) {
        out.block(
            session_dependent_list::RULE.name,
            site(context, context.call_spot(*at)),
            format!("what is listed changes by calls{}", context.whereabouts(*at)),
            "a server that is made for each request lists what it registers, whatever earlier calls did",
            &["list everything always, and let a tool whose precondition does not hold say which one to call first"],
        );
    }
    if all.is_empty() {
        out.hold("no handler changes what is listed");
    }
}

/// What is sent without a request to ride on is dropped in silence. Nothing breaks, but clients hear no more of it.
fn announcements(context: &Context<'_, '_>, out: &mut Blockers) {
    let names = |places: &[ExprRef]| {
        let mut names: Vec<&str> = context
            .ours(places)
            .filter(|at| !rides_on_request(context, *at))
            .filter_map(|at| Some(context.analysis.flow.callee_name(at)?.text()))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let sent = [names(&context.signals.notifies), names(&context.signals.list_changed)].concat();
    for name in sent {
        out.notes.push(format!(
            "clients no longer receive what `{name}` sends outside of a request: without a standing stream it is dropped"
        ));
    }
}

/// Whether a notification is sent by what a handler was given, on the stream of its request.
fn rides_on_request(context: &Context<'_, '_>, at: ExprRef) -> bool {
    let performed = context.analysis.flow.performed(at);
    performed.iter().any(|performed| {
        performed.object.is_some_and(|id| context.analysis.flow.object(id).role == Some(Role::HandlerContext))
    })
}
