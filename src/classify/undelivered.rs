//! Notifications that a server sends outside the answer to a request, so that they need a standing stream to arrive on.

use super::stores::Analysis;
use crate::model::facts::{ExprKind, Key};
use crate::model::flow::Flow;
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, Sort};
use crate::model::vocabulary::Op;

/// The SDKs' methods that send one, in TypeScript and Python. What answers a request (`extra.sendNotification`, `ctx.info`) goes with the
/// answer, and what is published (`ctx.notify_tools_changed`) goes to those who listen.
const SENDS: &[&str] = &[
    "sendResourceUpdated",
    "sendLoggingMessage",
    "sendToolListChanged",
    "sendResourceListChanged",
    "sendPromptListChanged",
    "send_resource_updated",
    "send_log_message",
    "send_tool_list_changed",
    "send_resource_list_changed",
    "send_prompt_list_changed",
];

/// The notifications that belong to a capability: the progress of a request does not.
const METHODS: &[&str] = &[
    "notifications/resources/updated",
    "notifications/message",
    "notifications/tools/list_changed",
    "notifications/resources/list_changed",
    "notifications/prompts/list_changed",
];

/// All sends, each with what it is called: the method of the SDK, or that of the protocol.
pub(super) fn find(analysis: &Analysis<'_>) -> Vec<(ExprRef, Name)> {
    let flow = &analysis.flow;
    flow.program.exprs_of([Sort::Call]).filter_map(|at| Some((at, sent(flow, at)?))).collect()
}

fn sent(flow: &Flow<'_>, at: ExprRef) -> Option<Name> {
    let ExprKind::Call { args, .. } = flow.program.kind(at) else { return None };
    let name = flow.callee_name(at)?;
    let by_hand = name == "notification";
    // They all begin alike, and few calls do.
    let by_sdk = name.text().starts_with("send") && SENDS.contains(&name.text());
    if !by_hand && !by_sdk {
        return None;
    }
    let of_server = |op: Op| matches!(op, Op::Notify | Op::LogMessage | Op::ListChanged);
    flow.performed(at).iter().find(|performed| {
        of_server(performed.op) && performed.object.is_some_and(|id| flow.object(id).role.is_some())
    })?;
    let related = args.iter().any(|arg| {
        arg.name.is_some_and(|name| name == "related_request_id")
            || has_field(flow, At { module: at.module, id: arg.value }, "relatedRequestId").is_some()
    });
    if related {
        return None;
    }
    if !by_hand {
        return Some(name);
    }
    let method = has_field(flow, flow.argument(at, 0)?, "method")?;
    match flow.program.kind(method) {
        ExprKind::Text(method) if METHODS.contains(&method.text()) => Some(*method),
        _ => None,
    }
}

/// The value of a field of an object literal.
fn has_field(flow: &Flow<'_>, literal: ExprRef, wanted: &str) -> Option<ExprRef> {
    let ExprKind::Object(fields) = flow.program.kind(literal) else { return None };
    let field = fields.iter().find(|field| matches!(&field.key, Key::Name(name) if *name == wanted))?;
    Some(At { module: literal.module, id: field.value })
}
