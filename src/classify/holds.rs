//! What a store holds: decided by what flows into it and who touches it; names decide only what that leaves open.

use super::access::{Access, Keyed, Kind};
use super::answer::{Failure, Holds};
use super::by_hand;
use super::counts::{class_around, counts_only, is_counted_by_tools, is_limit, is_once, keeps_timers};
use super::failure;
use super::guards::{gates_only, is_guard};
use super::lifetime::Lasting;
use super::limiters;
use super::proven;
use super::routing;
use super::secrets;
use super::served;
use super::spend;
use super::stores::Analysis;
use super::unread;
use super::upstreams;
use super::words;
use crate::model::facts::{ExprKind, FuncKind};
use crate::model::flow::Root;
use crate::model::flow::value::{ObjId, Site, SourceKind, Value};
use crate::model::lives::Contexts;
use crate::model::name::Name;
use crate::model::program::{At, FuncRef};
use crate::model::vocabulary::Role;

/// What a keyed store was found to hold.
pub struct Judged {
    /// The main thing.
    pub holds: Holds,
    /// Transports too.
    pub with_transport: bool,
    /// Credentials too.
    pub with_auth: bool,
}

const TRANSPORTS: &[Role] =
    &[Role::Transport, Role::SseTransport, Role::Response, Role::Server, Role::Channel, Role::EventStream];

/// What a keyed store holds. `None` where it turns out to be no store of a session.
pub fn keyed(analysis: &Analysis<'_>, keyed: &Keyed) -> Option<Judged> {
    let flow = &analysis.flow;
    let values = stored_values(analysis, keyed);
    let objects: Vec<ObjId> = values
        .iter()
        .filter_map(|value| match value {
            Value::Object(id) => Some(*id),
            _ => None,
        })
        .collect();
    let holds_any = |roles: &[Role], depth| objects.iter().any(|id| flow.holds_role(*id, roles, depth));
    let name = keyed.key_text.unwrap_or(keyed.holder.name).text();
    let transport =
        keyed.object.is_some_and(|id| is_kept_by_transport(analysis, id) && is_looked_into(analysis, keyed))
            || holds_any(TRANSPORTS, 1)
            || served::answer_requests(analysis, &objects)
            || (holds_any(TRANSPORTS, 2) && !holds_any(&[Role::Registration], 2));
    let written = analysis.value_type(keyed.object, &keyed.holder);
    let counted = written.as_ref().is_some_and(|ty| words::is_number_type(ty));
    let auth = !counted && secrets::has_auth(analysis, keyed, &objects, &values, name);
    // What nobody ever asks for proves nothing.
    let idle = auth && unread::is_unread(analysis, keyed);
    let auth = auth && !idle;
    let judged = |holds| Some(Judged { holds, with_transport: transport, with_auth: auth });
    let by_tools = reached_by_handlers(analysis, keyed, &objects);

    // A process that tools alone start and use is a tool's own (who clears it away says nothing); a gateway's are started for the session.
    let own_process =
        keyed.accesses.iter().all(|access| access.kind == Kind::Delete || is_handler_access(analysis, access))
            && keyed.accesses.iter().any(|access| access.kind != Kind::Delete)
            && !holds_any(&[Role::Client, Role::ClientTransport], 2)
            && !objects.iter().any(|id| upstreams::speaks(analysis, *id, 2));
    let upstream =
        objects.iter().any(|id| upstreams::holds(analysis, *id, 2) || upstreams::are_named(analysis, *id, 2))
            || routing::is_route(analysis, keyed);
    if upstream && !keyed.by_object && !own_process {
        return judged(Holds::Upstream);
    }
    if transport && (only_levels(analysis, keyed) || by_hand::keeps_subscriptions(analysis, &objects)) {
        return judged(Holds::Subscription);
    }
    if transport {
        // The record of a session holds more than the transport where tools use the rest of it.
        return judged(if by_tools && is_asked_for(keyed) { Holds::AppState } else { Holds::Transport });
    }
    if auth {
        return judged(Holds::Auth);
    }
    if idle {
        return judged(Holds::Transport);
    }
    let known_to_tools = keyed.accesses.iter().any(|access| is_known_to_tools(analysis, access));
    // Numbers and timers, kept by code that no tool is seen to run: who is connected, and since when.
    let connected = !known_to_tools && !by_tools && keeps_timers(analysis, &values);
    let in_handlers =
        known_to_tools || (!connected && keyed.accesses.iter().any(|access| is_handler_access(analysis, access)));
    if words::is_client_info(name) || tells_of_client(analysis, &objects) {
        return judged(Holds::ClientInfo);
    }
    // Where the SDK keeps the sessions, or the value says that it is something else, a table is more than the transport's.
    let explicit = flow.program.tables(keyed.holder.module).traits.explicit_factories;
    let beside = explicit && (written.is_some() || !analysis.lives.transports.is_empty() || !objects.is_empty());
    let by_hand = !by_tools && !in_handlers && by_hand::is_spoken(analysis);
    if by_hand
        && !by_hand::keeps_work(analysis, &objects)
        && (!beside || by_hand::is_protocol_state(analysis, &objects))
    {
        // A protocol of one's own: its session table is its transport.
        let known = |id: ObjId| flow.object(id).class.is_some() || flow.object(id).external.is_none();
        let notes = !values.is_empty()
            && values.iter().all(|value| matches!(value, Value::Object(id) if known(*id)))
            && counts_only(analysis, &values)
            && !admits(analysis, keyed);
        return Some(Judged { holds: Holds::Transport, with_transport: !notes, with_auth: false });
    }
    if !by_tools && !in_handlers && !beside && !by_hand {
        if words::is_telemetry(name) && counts_only(analysis, &values) {
            return judged(Holds::Telemetry);
        }
        // Book-keeping about sessions: it goes with them.
        return judged(Holds::Transport);
    }
    // Sessions collected to tell them something later.
    let collected = keyed.by_object && keyed.accesses.iter().any(|access| access.kind == Kind::AddId);
    if collected || is_subscription(analysis, keyed, &objects, name) {
        return judged(Holds::Subscription);
    }
    if counted && !by_tools && !in_handlers {
        return judged(Holds::Telemetry);
    }
    if spend::is_capped(analysis, keyed) {
        return judged(Holds::Guard);
    }
    if limiters::is_lockout(analysis, keyed) || proven::is_by_secret(analysis, keyed, &values, &objects) {
        return judged(Holds::Guard);
    }
    if is_limit(analysis, keyed, &values, name) || is_once(analysis, keyed, &values) {
        return judged(Holds::Telemetry);
    }
    if is_guard(analysis, keyed, &objects, name) {
        return judged(Holds::Guard);
    }
    let class = class_around(analysis, keyed).map(Name::text);
    if class.is_some_and(words::is_guard_class) {
        return judged(Holds::Guard);
    }
    if class.is_some_and(words::is_limiter_class) {
        return judged(Holds::Telemetry);
    }
    judged(Holds::AppState)
}

/// Whether handlers look records up to no other end than to keep the level of log messages that a client wants to be sent: the table
/// says whom to send something to.
fn only_levels(analysis: &Analysis<'_>, keyed: &Keyed) -> bool {
    let mut asking =
        keyed.accesses.iter().filter(|access| analysis.lives.handler_reach.contains(&access.func)).peekable();
    let sets_level = |handler: &FuncRef| {
        analysis.registrations_of(*handler).any(|known| {
            known.name.is_some_and(|name| matches!(name.text(), "SetLevelRequestSchema" | "logging/setLevel"))
        })
    };
    asking.peek().is_some()
        && asking.all(|access| {
            analysis.lives.handlers_of.get(&access.func).is_some_and(|handlers| handlers.iter().all(sets_level))
        })
}

/// Whether records have nothing but what a client says of itself in the handshake.
fn tells_of_client(analysis: &Analysis<'_>, records: &[ObjId]) -> bool {
    let fields: Vec<Name> = records.iter().flat_map(|id| analysis.flow.fields(*id)).map(|(name, _)| name).collect();
    let told = |name: &Name| {
        let name = name.text();
        words::is_client_info(name) || matches!(name, "clientName" | "protocolVersion")
    };
    fields.len() > 1 && fields.iter().all(told)
}

/// Whether a table says who has a session: it is asked for the id that a client sends, and whoever is unknown to it is turned away, or
/// an id is taken out when its session ends.
fn admits(analysis: &Analysis<'_>, keyed: &Keyed) -> bool {
    let sent = |access: &Access| {
        let kinds = [SourceKind::Header, SourceKind::ToolHeader, SourceKind::Query];
        analysis.flow.ids_at(access.key).any(|source| kinds.contains(&source.kind))
    };
    let asked = |kind| keyed.accesses.iter().any(|access| access.kind == kind && sent(access));
    let ends = keyed.accesses.iter().any(|access| access.kind == Kind::Delete);
    asked(Kind::Test)
        || asked(Kind::GetOrCreate) && ends
        || asked(Kind::Read) && (ends || failure::keyed(analysis, keyed, Holds::Transport) == Failure::Refused)
}

/// Whether anything is ever looked up in a table: what is only put in and taken out leads nobody to the tools.
fn is_asked_for(keyed: &Keyed) -> bool {
    keyed.accesses.iter().any(|access| !matches!(access.kind, Kind::Write | Kind::Delete))
}

/// Whether a table is a part of what the SDK serves with: its own table of sessions.
fn is_kept_by_transport(analysis: &Analysis<'_>, id: ObjId) -> bool {
    let object = |id: ObjId| analysis.flow.object(id);
    let owner = match object(id).site {
        Site::Part(owner, _) if owner.0 != u32::MAX => object(owner).role,
        // A member that was read.
        Site::Expr(at) => match analysis.flow.program.kind(at) {
            ExprKind::Member { object: of, .. } => {
                let mut owners = analysis.flow.objects_at(At { module: at.module, id: *of });
                owners.find_map(|owner| object(owner).role)
            }
            _ => None,
        },
        _ => None,
    };
    matches!(owner, Some(Role::Transport | Role::SseTransport | Role::SessionManager))
}

/// Whether code outside of the object that keeps a table looks into it: a transport of one's own looks into its own table.
fn is_looked_into(analysis: &Analysis<'_>, keyed: &Keyed) -> bool {
    keyed.accesses.iter().any(|access| match analysis.flow.program.kind(access.receiver) {
        ExprKind::Member { object, .. } => {
            let object = At { module: access.receiver.module, id: *object };
            !matches!(analysis.flow.program.kind(object), ExprKind::This(_))
        }
        _ => true,
    })
}

/// What state without a key holds.
pub fn lasting(analysis: &Analysis<'_>, lasting: &Lasting) -> Holds {
    let name = lasting.holder.name.text();
    let objects: Vec<ObjId> = lasting
        .values
        .iter()
        .filter_map(|value| match value {
            Value::Object(id) if analysis.flow.object(*id).role == Some(Role::Cell) => None,
            Value::Object(id) => Some(*id),
            _ => None,
        })
        .collect();
    if objects.iter().any(|id| upstreams::holds(analysis, *id, 1) || upstreams::pools(analysis, *id, 2)) {
        return Holds::Upstream;
    }
    let is_timer = |id: &ObjId| analysis.flow.object(*id).role == Some(Role::Timer);
    let kept = objects.iter().flat_map(|id| analysis.element_objects(*id));
    if objects.iter().any(is_timer) || kept.into_iter().any(|id| is_timer(&id)) || words::is_subscription(name) {
        return Holds::Subscription;
    }
    if words::is_client_info(name) {
        return Holds::ClientInfo;
    }
    if words::is_telemetry(name) && counts_only(analysis, &lasting.values) && !is_counted_by_tools(analysis, lasting) {
        return Holds::Telemetry;
    }
    if words::is_auth(name) && objects.is_empty() {
        return Holds::Auth;
    }
    if objects.iter().any(|id| secrets::keeps_tokens(analysis, *id, 1)) {
        return Holds::Auth;
    }
    if gates_only(analysis, &lasting.uses, &objects)
        && (words::is_guard(name) || objects.iter().any(|id| analysis.flow.object(*id).role == Some(Role::Set)))
    {
        return Holds::Guard;
    }
    Holds::AppState
}

/// Everything that is put into a store.
pub fn stored_values(analysis: &Analysis<'_>, keyed: &Keyed) -> Vec<Value> {
    let mut out = keyed.object.map_or_else(Vec::new, |id| analysis.flow.elements(id));
    for access in &keyed.accesses {
        if let Some(value) = access.value
            && matches!(access.kind, Kind::Write | Kind::GetOrCreate)
        {
            out.extend(analysis.flow.at(value));
        }
    }
    out.sort_by_cached_key(|value| format!("{value:?}"));
    out.dedup();
    out
}

/// Objects of classes that build a server are sessions themselves; their fields are stores of their own.
pub(super) fn is_session_class(analysis: &Analysis<'_>, id: ObjId) -> bool {
    let Some(class) = analysis.flow.object(id).class else { return false };
    analysis.lives.servers.iter().any(|at| {
        at.module == class.module
            && analysis.flow.program.function(analysis.flow.program.func_of(*at)).class == Some(class.id)
    }) || analysis.flow.roots.iter().any(|(func, roots)| {
        roots.contains(&Root::Handler)
            && func.module == class.module
            && analysis.flow.program.function(*func).class == Some(class.id)
    })
}

/// Whether the code of a tool reaches the store itself, or what it keeps.
fn reached_by_handlers(analysis: &Analysis<'_>, keyed: &Keyed, objects: &[ObjId]) -> bool {
    let direct = keyed.accesses.iter().any(|access| analysis.lives.handler_reach.contains(&access.func));
    direct
        || objects.iter().any(|id| {
            let object = analysis.flow.object(*id);
            // What a library made (a queue, a task) says nothing of who it serves.
            let plain = match object.role {
                None => object.external.is_none(),
                Some(role) => matches!(role, Role::List | Role::Map | Role::Set),
            };
            plain && !is_session_class(analysis, *id) && analysis.mutations.touched.contains(id)
        })
}

/// Whether an access stands in code that handlers run, and not in code that a route runs as well.
fn is_handler_access(analysis: &Analysis<'_>, access: &Access) -> bool {
    let contexts = analysis.lives.contexts(access.func);
    // Tools that are registered in a way that was not followed: code that no route runs, and that takes the id from the context.
    let unseen = (contexts.is_empty() || contexts == Contexts::UNKNOWN)
        && analysis.flow.program.function(access.func).kind != FuncKind::Top
        && analysis.flow.is_id(access.key)
        && (!by_hand::is_spoken(analysis) || is_known_to_tools(analysis, access));
    analysis.lives.handler_reach.contains(&access.func) || (unseen && access.kind != Kind::Delete)
}

/// Whether the key of an access is one that only the code of a tool is handed: the id in its context, the identity of its session.
fn is_known_to_tools(analysis: &Analysis<'_>, access: &Access) -> bool {
    access.kind != Kind::Delete
        && analysis.flow.ids_at(access.key).any(|source| {
            matches!(
                source.kind,
                SourceKind::Context
                    | SourceKind::Fresh
                    | SourceKind::Missing
                    | SourceKind::Removed
                    | SourceKind::Identity
            )
        })
}

fn is_subscription(analysis: &Analysis<'_>, keyed: &Keyed, objects: &[ObjId], name: &str) -> bool {
    if objects.iter().any(|id| analysis.flow.object(*id).role == Some(Role::Timer)) {
        return true;
    }
    let subscribes = |func: FuncRef| {
        analysis.lives.handlers_of.get(&func).into_iter().flatten().any(|handler| {
            analysis
                .registrations_of(*handler)
                .any(|registration| registration.name.is_some_and(|name| name.text().contains("ubscribe")))
        })
    };
    words::is_subscription(name)
        || keyed.accesses.iter().any(|access| access.kind == Kind::AddId && subscribes(access.func))
        || keyed
            .accesses
            .iter()
            .any(|access| matches!(access.kind, Kind::Write | Kind::GetOrCreate) && subscribes(access.func))
}
