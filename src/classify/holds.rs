//! What a store holds: decided by what flows into it and who touches it; names decide only what that leaves open.

use rustc_hash::FxHashSet;

use super::access::{Access, Keyed, Kind};
use super::answer::Holds;
use super::by_hand;
use super::counts::{class_around, counts_only, is_counted_by_tools, is_limit, is_once, keeps_timers};
use super::guards::{gates_only, is_guard};
use super::lifetime::{Finder, Lasting};
use super::routing;
use super::served;
use super::spend;
use super::stores::Analysis;
use super::unread;
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
const UPSTREAMS: &[Role] = &[Role::Client, Role::ClientTransport, Role::ChildProcess];

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
    let auth = !counted && has_auth(analysis, keyed, &objects, &values, name);
    // What nobody ever asks for proves nothing.
    let idle = auth && unread::is_unread(analysis, keyed);
    let auth = auth && !idle;
    let judged = |holds| Some(Judged { holds, with_transport: transport, with_auth: auth });
    let by_tools = reached_by_handlers(analysis, keyed, &objects);

    // A process that tools alone start and use is a tool's own (who clears it away says nothing); a gateway's are started for the session.
    let own_process =
        keyed.accesses.iter().all(|access| access.kind == Kind::Delete || is_handler_access(analysis, access))
            && keyed.accesses.iter().any(|access| access.kind != Kind::Delete)
            && !holds_any(&[Role::Client, Role::ClientTransport], 2);
    let upstream = holds_any(UPSTREAMS, 2)
        || objects.iter().any(|id| names_upstreams(analysis, *id, 2))
        || routing::is_route(analysis, keyed);
    if upstream && !keyed.by_object && !own_process {
        return judged(Holds::Upstream);
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
    if words::is_client_info(name) {
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
            && !is_entered_and_left(keyed);
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

/// Whether a table says who has a session: ids are looked up with later requests, and taken out.
fn is_entered_and_left(keyed: &Keyed) -> bool {
    let any = |kinds: &[Kind]| keyed.accesses.iter().any(|access| kinds.contains(&access.kind));
    any(&[Kind::Read, Kind::Test, Kind::GetOrCreate]) && any(&[Kind::Delete])
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

/// Whether a record of the program has, by name, servers behind this one: clients of one's own play no role that is known.
fn names_upstreams(analysis: &Analysis<'_>, id: ObjId, depth: u32) -> bool {
    let flow = &analysis.flow;
    let object = flow.object(id);
    if object.role.is_some() && depth < 2 {
        return false;
    }
    let declared = object.class.map(|class| &flow.program.class(class).fields);
    declared.into_iter().flatten().any(|field| words::is_upstream(field.name.text()))
        || (depth > 0
            && flow.fields(id).into_iter().flat_map(|(_, values)| values).any(|value| {
                matches!(value, Value::Object(inner) if inner != id && names_upstreams(analysis, inner, depth - 1))
            }))
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
    if objects.iter().any(|id| analysis.flow.holds_role(*id, UPSTREAMS, 1)) {
        return Holds::Upstream;
    }
    if objects.iter().any(|id| analysis.flow.object(*id).role == Some(Role::Timer)) || words::is_subscription(name) {
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
    if objects.iter().any(|id| keeps_tokens(analysis, *id, 1)) {
        return Holds::Auth;
    }
    if gates_only(analysis, &lasting.uses, &objects)
        && (words::is_guard(name) || objects.iter().any(|id| analysis.flow.object(*id).role == Some(Role::Set)))
    {
        return Holds::Guard;
    }
    Holds::AppState
}

/// Whether an object is, or has, a store of tokens or credentials, by the name of its class.
fn keeps_tokens(analysis: &Analysis<'_>, id: ObjId, depth: u32) -> bool {
    let class = analysis.flow.object(id).class.and_then(|class| analysis.flow.program.class(class).name);
    class.is_some_and(|name| words::is_token_store(name.text()))
        || (depth > 0
            && analysis.flow.fields(id).iter().flat_map(|(_, values)| values).any(
                |value| matches!(value, Value::Object(inner) if *inner != id && keeps_tokens(analysis, *inner, depth - 1)),
            ))
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
    out.sort_by_key(|value| format!("{value:?}"));
    out.dedup();
    out
}

/// Objects of classes that build a server are sessions themselves; their fields are stores of their own.
fn is_session_class(analysis: &Analysis<'_>, id: ObjId) -> bool {
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

fn has_auth(analysis: &Analysis<'_>, keyed: &Keyed, objects: &[ObjId], values: &[Value], name: &str) -> bool {
    // A key of a store outside says whose record it is, not that it is a credential.
    let owned = keyed.key_text.is_some() && !words::is_auth(&name.replace("owner", ""));
    if words::is_auth(name) && !owned {
        return true;
    }
    let finder = Finder {
        flow: &analysis.flow,
        lives: &analysis.lives,
        mutations: &analysis.mutations,
        context: Contexts::SESSION,
        owned: &FxHashSet::default(),
    };
    if values.iter().any(|value| matches!(value, Value::Credential(_))) {
        return true;
    }
    let typed = keyed.object.and_then(|id| analysis.flow.holder(id)).is_some_and(|_| {
        objects.iter().any(|id| {
            let object = analysis.flow.object(*id);
            match object.site {
                Site::Decl(decl) => {
                    words::is_auth(analysis.flow.program.module(decl.module).type_decls[decl.id.index()].name.text())
                }
                _ => object
                    .class
                    .and_then(|class| analysis.flow.program.class(class).name)
                    .is_some_and(|name| words::is_auth(name.text())),
            }
        })
    });
    typed
        || compares_owner(analysis, objects)
        || objects.iter().any(|id| {
            if is_session_class(analysis, *id) && analysis.flow.object(*id).role.is_some() {
                return false;
            }
            analysis.flow.fields(*id).iter().any(|(field, values)| {
                let strong = values.iter().any(|value| match value {
                    Value::Credential(_) => true,
                    Value::Object(inner) => {
                        analysis.flow.object(*inner).role.is_none() && finder.is_credential(*value, 1)
                    }
                    _ => false,
                });
                // A secret that the model passed, or one made for a login under way. One from the environment is everybody's, and the
                // session's own id says which session a record belongs to.
                let given = values
                    .iter()
                    .any(|v| !matches!(v, Value::External(..) | Value::Text(_) | Value::Absent | Value::Id(_)));
                strong
                    || words::is_principal(field.text())
                    || words::is_token_field(field.text())
                    || (words::is_auth(field.text()) && given && !words::is_bookkeeping(field.text()))
            })
        })
}

/// Whether the owner that a record names is compared with somebody: the session is pinned to a user.
fn compares_owner(analysis: &Analysis<'_>, objects: &[ObjId]) -> bool {
    let flow = &analysis.flow;
    flow.program.exprs().any(|at| {
        let ExprKind::Compare { left, right, .. } = flow.program.kind(at) else { return false };
        // A record found by the session's own id says nothing of a user.
        if [*left, *right].iter().all(|side| flow.is_id(At { module: at.module, id: *side })) {
            return false;
        }
        [*left, *right].into_iter().any(|side| {
            let ExprKind::Member { object, name } = flow.program.module(at.module).kind(side) else { return false };
            words::is_owner(name.text())
                && flow
                    .objects_at(At { module: at.module, id: *object })
                    .any(|id| objects.contains(&id) && flow.object(id).role.is_none())
        })
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
