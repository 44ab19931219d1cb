//! What is kept by session, and no step moves.

use super::advice::{Purpose, purpose, ways};
use super::{Blockers, is_claimed};
use crate::classify::answer::{Carrier, Failure, Holds};
use crate::classify::stores::Found;
use crate::plan::{Manual, Site, Step, site};
use crate::rules::detect::{Context, Spot, tools_of};
use crate::rules::{session_bound_auth, session_gateway, session_guard, session_keyed_state, session_keyed_telemetry};

pub(super) fn look(context: &Context<'_, '_>, shared: &[u32], steps: &[Step], told: &[Manual], out: &mut Blockers) {
    let mut none = !look_beside(context, shared, out);
    for found in context.stores().filter(|found| needs_session(found)) {
        none = false;
        let at = site(context, Spot { module: found.holder.module, span: found.holder.span });
        if is_claimed(steps, &at) {
            continue;
        }
        // Why a step can't be made says more than that there is none, unless it is nothing for that step.
        let purpose = purpose(context, found);
        let fits = match found.holds {
            Holds::Upstream | Holds::Guard | Holds::Auth => false,
            Holds::Telemetry => true,
            _ => purpose == Purpose::Data,
        };
        if fits && told.iter().any(|manual| manual.at == at) {
            out.stand = true;
        } else {
            block(found, purpose, at, out);
        }
    }
    if none {
        out.hold("nothing but transports is kept by session");
    }
}

/// Looks at what several servers keep by session in one package: a handle for the tools of one is none for those of another. Says whether
/// there is anything.
fn look_beside(context: &Context<'_, '_>, shared: &[u32], out: &mut Blockers) -> bool {
    let stores = || context.analysis.stores.iter().filter(|found| shared.contains(&found.holder.module));
    let serves = context.transports().next().is_some();
    for found in stores().filter(|found| serves && needs_session(found)) {
        out.block(
            session_keyed_state::RULE.name,
            site(context, Spot { module: found.holder.module, span: found.holder.span }),
            format!("`{}` is kept by session{}, in a package that several servers are made of", found.name, tools_of(found)),
            "each of these servers opens sessions of its own, and all of them would have to name it in the same way",
            &["migrate the servers one by one: give each what it keeps in a package of its own, or change all of them by hand"],
        );
    }
    stores().any(needs_session)
}

/// Whether a store would be wrong without sessions, rather than idle.
fn needs_session(found: &Found) -> bool {
    match found.holds {
        Holds::Transport => false,
        Holds::Telemetry => matches!(found.failure, Failure::Collapsed | Failure::Unguarded | Failure::Refused),
        _ => !matches!(found.failure, Failure::Dead | Failure::Works),
    }
}

fn block(found: &Found, purpose: Purpose, at: Site, out: &mut Blockers) {
    let name = found.name;
    let tools = tools_of(found);
    match found.holds {
        Holds::Upstream => out.block(
            session_gateway::RULE.name,
            at,
            format!("`{name}` keeps an upstream or a child process for each session"),
            "how a request finds its upstream is a decision of design: there is no mechanical replacement",
            &[
                "route by the authenticated user",
                "route by a cookie or a header that the gateway itself issues",
                "make the upstream stateless, and share one",
                "give out a handle (`upstream_id`) that every forwarded tool takes",
            ],
        ),
        Holds::Guard => out.block(
            session_guard::RULE.name,
            at,
            format!("`{name}` admits or refuses by what happened in the session{tools}"),
            "without a session it would admit everybody or nobody, and a handle would let the model carry its own permission",
            &[
                "decide what proves it: the authenticated user, or a revision that the earlier tool returns and the later one requires",
                "ask within the call (`input_required`), on an SDK that speaks 2026-07-28",
            ],
        ),
        Holds::Auth => out.block(
            session_bound_auth::RULE.name,
            at,
            format!("`{name}` binds credentials or identities to the session{tools}"),
            "authentication code is never rewritten beyond the known pattern",
            &["authenticate each request on its own; keep what an OAuth flow needs under its `state`"],
        ),
        Holds::Telemetry => out.block(
            session_keyed_telemetry::RULE.name,
            at,
            format!("`{name}` counts or limits by session"),
            "without a session all clients share one bucket",
            &["key it by the authenticated user, else by the network address"],
        ),
        Holds::Subscription => out.block(
            session_keyed_state::RULE.name,
            at,
            format!("`{name}` keeps whom to send something to{tools}"),
            "what is sent later on goes over the stream of a session; without one it reaches nobody",
            &[
                "send it within the request that asks for it, as progress or log messages, and stop when that ends; delete the table",
                "on an SDK that speaks 2026-07-28: serve `subscriptions/listen`, whose stream belongs to one client; what it starts ends \
                 with it",
            ],
        ),
        _ => out.block(
            session_keyed_state::RULE.name,
            at,
            format!("`{name}` is kept by session{tools}"),
            match purpose {
                Purpose::Data if found.carrier == Carrier::Process => {
                    "it only spares computing the same again: no session owns it, and a handle would be one for nothing"
                }
                Purpose::Data if found.carrier == Carrier::Mrtr => {
                    "it is what the client was asked, or answered, in the middle of a session: without one the answer belongs to the call \
                     that asks"
                }
                Purpose::Data => "no step moves it, and without a session it is lost or shared by all clients",
                Purpose::Admits => "it admits, refuses or limits calls: a handle would let the model carry its own permission",
                Purpose::Counts => "it counts who uses what belongs to a session: without sessions there is nothing to count",
            },
            ways(purpose, found.carrier),
        ),
    }
}
