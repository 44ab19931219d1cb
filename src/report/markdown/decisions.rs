//! What a person decides: each store that no edit can move, with the options there are and the places they touch.

use super::Cx;
use super::escape::{code, prose};
use crate::classify::answer::{Carrier, Failure, Holds, Principal, Server, Store};
use crate::report::verdict::as_sentence;
use crate::report::words;

/// Whether a person decides where a store belongs.
pub fn is_open(store: &Store) -> bool {
    store.carrier == Carrier::Manual && store.failure != Failure::Works
}

/// Stores of one server that hold the same kind of thing and stand for one decision.
pub struct Decision<'a> {
    server: &'a Server,
    pub holds: Holds,
    pub stores: Vec<&'a Store>,
}

/// The decisions, in the order of the servers and their stores. The report numbers them from 1.
pub fn all<'a>(cx: &Cx<'a>) -> Vec<Decision<'a>> {
    let mut out: Vec<Decision<'a>> = Vec::new();
    for (server, store) in cx.stores().filter(|(_, store)| is_open(store)) {
        match out.iter_mut().find(|d| std::ptr::eq(d.server, server) && d.holds == store.holds) {
            Some(decision) => decision.stores.push(store),
            None => out.push(Decision { server, holds: store.holds, stores: vec![store] }),
        }
    }
    out
}

/// One part for each decision.
pub fn render(cx: &Cx<'_>) -> Vec<String> {
    let mut parts: Vec<String> = all(cx).iter().enumerate().map(|(i, decision)| of(cx, i + 1, decision)).collect();
    let proposed = cx.stores().any(|(_, s)| matches!(s.carrier, Carrier::Handle | Carrier::Argument));
    if let Some(first) = parts.first_mut() {
        first.insert_str(0, "\n## To decide\n");
    } else if proposed {
        parts.push(
            "\n## To decide\n\nWhether the carriers proposed below are the right ones; nothing else.\n".to_owned(),
        );
    }
    parts
}

fn of(cx: &Cx<'_>, number: usize, decision: &Decision<'_>) -> String {
    let mut out =
        format!("\n### {number}. {}: {}\n\n{}\n\n", names(decision), words::holds(decision.holds), why(decision.holds));
    for (title, text) in options(cx, decision) {
        out.push_str(&format!("- **{title}** {text}\n"));
    }
    for store in &decision.stores {
        let tools: Vec<String> = store.tools.iter().map(|tool| code(tool)).collect();
        let by = if tools.is_empty() { String::new() } else { format!(", reached by {}", tools.join(", ")) };
        out.push_str(&format!(
            "\n{} ({}) is kept {}{by}. Without a session: {}.{}\n",
            code(&store.name),
            cx.at(&store.at),
            words::keyed_by(store.keyed_by),
            words::on_upgrade(store.failure),
            cx.reached(store)
        ));
    }
    out
}

fn names(decision: &Decision<'_>) -> String {
    decision.stores.iter().map(|store| code(&store.name)).collect::<Vec<_>>().join(", ")
}

/// Why no edit is proposed.
fn why(holds: Holds) -> &'static str {
    match holds {
        Holds::Upstream => {
            "What a request is routed by is a decision about the deployment; the code does not hold the answer."
        }
        Holds::Auth => "A credential never becomes a handle, for then whoever knows the handle has the credential.",
        Holds::Guard => "A guard never becomes a handle, for then the model would carry its own permission.",
        Holds::Subscription => "It follows a standing connection, which a request of its own does not have.",
        _ => "The code does not show where it belongs.",
    }
}

fn options(cx: &Cx<'_>, decision: &Decision<'_>) -> Vec<(&'static str, String)> {
    let names = names(decision);
    let user = principal(cx, decision.server, &names);
    match decision.holds {
        Holds::Upstream => vec![
            ("Route by the authenticated user.", user),
            (
                "Route by a cookie or a header that the gateway issues.",
                format!("It takes the place of the session id in {names}. Only clients that send it back keep their upstream."),
            ),
            (
                "Route by a handle.",
                "A tool of the gateway opens the upstream and returns its handle; the tools passed on take it as their \
                 first argument, so their schemas change."
                    .to_owned(),
            ),
            ("Make the upstream stateless.", stateless_upstream(cx, decision.server, &names)),
        ],
        Holds::Auth => vec![
            ("Authenticate each request on its own.", user),
            (
                "Link the steps of a login by a nonce.",
                "The server makes it and sends it as the OAuth `state`; it is the key of what two steps share, until the \
                 login ends."
                    .to_owned(),
            ),
        ],
        Holds::Guard => vec![
            ("It is about a user.", user),
            (
                "It is about one call.",
                "Answer `input_required` and let the client retry with the answer, the arguments bound into `requestState`."
                    .to_owned(),
            ),
            (
                "It is about a thing that changes.",
                "The earlier tool returns its revision, and the later one requires that revision as an argument.".to_owned(),
            ),
        ],
        Holds::Subscription => vec![(
            "Serve `subscriptions/listen`.",
            format!("The stream of that request takes the place of {names}; it needs an SDK that speaks {}.", cx.scan.spec),
        )],
        holds => vec![("By hand.", prose(&as_sentence(words::move_to(Carrier::Manual, holds))))],
    }
}

/// What the authenticated user can carry here.
fn principal(cx: &Cx<'_>, server: &Server, names: &str) -> String {
    let at = server.principal_at.as_ref().map(|at| format!(" ({})", cx.at(at))).unwrap_or_default();
    match server.principal {
        Principal::None => "Nobody is authenticated here yet, so that comes first.".to_owned(),
        Principal::App => {
            format!(
                "One key or client id stands for everybody{at}, which does not tell callers apart; a user has to be known first."
            )
        }
        Principal::User => format!("Each user is known{at}; issuer, client and subject are the key of {names}."),
    }
}

fn stateless_upstream(cx: &Cx<'_>, server: &Server, names: &str) -> String {
    let mut out = format!("Then {names} goes, and what is opened per session now is opened once for the process.");
    let state = cx.of_rule("process-lifetime-state");
    let places: Vec<String> =
        state.iter().filter(|f| f.server == server.path).map(|f| cx.line(&f.path, f.start.line)).collect();
    if !places.is_empty() {
        out.push_str(&format!(" State that lives as long as a process stands at {}.", places.join(", ")));
    }
    out
}
