//! Credentials and identities among what is kept for a session.

use rustc_hash::FxHashSet;

use super::access::Keyed;
use super::holds::is_session_class;
use super::lifetime::Finder;
use super::limiters::{is_number, is_ordered};
use super::models;
use super::stores::Analysis;
use super::words;
use crate::model::facts::{ExprKind, Key};
use crate::model::flow::value::{ObjId, Site, Value};
use crate::model::lives::Contexts;
use crate::model::program::{At, ExprRef, Sort};
use crate::model::vocabulary::Role;

/// Whether a store of a session holds credentials or identities.
pub(super) fn has_auth(
    analysis: &Analysis<'_>,
    keyed: &Keyed,
    objects: &[ObjId],
    values: &[Value],
    name: &str,
) -> bool {
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
    if values.iter().any(|value| matches!(value, Value::Credential(_))) || models::has_auth(&analysis.flow, keyed) {
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
            let spent = opened_with_secret(analysis, *id);
            analysis.flow.fields(*id).iter().any(|(field, values)| {
                let strong = values.iter().any(|value| match value {
                    Value::Credential(_) => true,
                    Value::Object(inner) => {
                        analysis.flow.object(*inner).role.is_none() && finder.is_credential(*value, 1)
                    }
                    _ => false,
                });
                // A secret that the model passed, or one made for a login under way. One from the environment is everybody's, and the
                // session's own id says which session a record belongs to. A number that the server drew is one to be guessed.
                let is_drawn = |value: &Value| matches!(value, Value::Object(id) if is_number(analysis, *id));
                let given = values.iter().any(|v| {
                    !matches!(v, Value::External(..) | Value::Text(_) | Value::Absent | Value::Id(_)) && !is_drawn(v)
                });
                strong
                    || words::is_principal(field.text())
                    || words::is_token_field(field.text())
                    || (words::is_auth(field.text())
                        && given
                        && !spent
                        && !words::is_bookkeeping(field.text())
                        && !is_ordered(analysis, *id, *field))
            })
        })
}

/// Whether the owner that a record names is compared with somebody: the session is pinned to a user.
fn compares_owner(analysis: &Analysis<'_>, objects: &[ObjId]) -> bool {
    let flow = &analysis.flow;
    flow.program.exprs_of([Sort::Compare]).any(|at| {
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

/// Whether an object keeps something live that was opened with a secret: a connection, a shell. The secret beside it is the
/// connection's, that opens it again. A client that sends the secret with each request is nothing but the secret.
fn opened_with_secret(analysis: &Analysis<'_>, id: ObjId) -> bool {
    let flow = &analysis.flow;
    let kept = flow.fields(id).into_iter().flat_map(|(_, values)| values);
    let within = kept.flat_map(|value| match value {
        Value::Object(part) => flow.elements(part).into_iter().chain([value]).collect(),
        _ => Vec::new(),
    });
    let sends = [Role::HttpClient, Role::FetchResponse, Role::Response, Role::Logger, Role::AuthInfo];
    within.into_iter().any(|value| match value {
        Value::Object(part) => {
            let object = flow.object(part);
            let live = object.external.is_some_and(|(package, _)| package != "")
                && !object.role.is_some_and(|role| sends.contains(&role));
            live && matches!(object.site, Site::Expr(made) if is_given_secret(analysis, made))
        }
        _ => false,
    })
}

/// Whether a call is given a secret, under a name that says so: `connect(host, password=…)`, `connect({ password })`.
fn is_given_secret(analysis: &Analysis<'_>, call: ExprRef) -> bool {
    let flow = &analysis.flow;
    let (ExprKind::Call { args, .. } | ExprKind::New { args, .. }) = flow.program.kind(call) else { return false };
    args.iter().any(|arg| {
        let value = At { module: call.module, id: arg.value };
        let fields = match flow.program.kind(value) {
            ExprKind::Object(fields) => fields.as_slice(),
            _ => &[],
        };
        arg.name.or_else(|| flow.written_name(value)).is_some_and(|name| words::is_auth(name.text()))
            || fields.iter().any(|field| matches!(&field.key, Key::Name(name) if words::is_auth(name.text())))
    })
}

/// Whether an object is, or has, a store of tokens or credentials, by the name of its class.
pub(super) fn keeps_tokens(analysis: &Analysis<'_>, id: ObjId, depth: u32) -> bool {
    let class = analysis.flow.object(id).class.and_then(|class| analysis.flow.program.class(class).name);
    class.is_some_and(|name| words::is_token_store(name.text()))
        || (depth > 0
            && analysis.flow.fields(id).iter().flat_map(|(_, values)| values).any(
                |value| matches!(value, Value::Object(inner) if *inner != id && keeps_tokens(analysis, *inner, depth - 1)),
            ))
}
