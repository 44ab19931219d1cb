//! Session ids that are credentials: a server that speaks the protocol itself hands out the caller's own as the id, and takes whoever
//! sends it for that caller.

use super::access::{Access, Kind};
use super::answer::{Carrier, Failure, Holds, KeyedBy};
use super::by_hand;
use super::stores::{Analysis, Found};
use crate::model::flow::value::{SourceKind, Value};
use crate::model::name::Name;
use crate::model::program::ExprRef;
use crate::model::query::Holder;

/// What the server answers as the id, where that is a credential of the request, and the header is read again.
pub(super) fn find(analysis: &Analysis<'_>) -> Vec<Found> {
    let flow = &analysis.flow;
    let of_kind = |kind: SourceKind| flow.sources().iter().filter(move |source| source.kind == kind);
    let read: Vec<ExprRef> = of_kind(SourceKind::Header).map(|source| source.at).collect();
    if read.is_empty() || !by_hand::is_spoken(analysis) {
        return Vec::new();
    }
    let credential = |at: &ExprRef| {
        let values = flow.at(*at);
        values.iter().any(|value| matches!(value, Value::Credential(_)))
            && !values.iter().any(|value| matches!(value, Value::Random(_)))
    };
    of_kind(SourceKind::Minted)
        .map(|source| source.at)
        .filter(credential)
        .map(|at| found(analysis, at, &read))
        .collect()
}

fn found(analysis: &Analysis<'_>, answered: ExprRef, read: &[ExprRef]) -> Found {
    let flow = &analysis.flow;
    let name = flow.written_name(answered).unwrap_or(Name::new("Mcp-Session-Id"));
    let span = flow.program.expr(answered).span;
    let access = |at: &ExprRef| Access {
        at: *at,
        key: *at,
        receiver: *at,
        kind: Kind::Read,
        func: flow.program.func_of(*at),
        value: None,
    };
    Found {
        name,
        container: "header".to_owned(),
        keyed_by: KeyedBy::SessionId,
        value: None,
        holds: Holds::Auth,
        with_transport: false,
        with_auth: true,
        carrier: Carrier::Manual,
        failure: Failure::Refused,
        tools: Vec::new(),
        fields: Vec::new(),
        uses: read.iter().map(access).collect(),
        writers: Vec::new(),
        fallback: None,
        objects: Vec::new(),
        held: None,
        holder: Holder { name, module: answered.module, span, symbol: None },
    }
}
