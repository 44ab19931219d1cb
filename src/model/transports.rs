//! Where transports are constructed, and whether they open sessions.

use super::lives::{Mode, TransportSite};

use super::facts::{ExprKind, SymbolKind};
use super::flow::Flow;
use super::flow::value::{ObjId, Site, Value};
use super::modes;
use super::name::Name;
use super::program::{At, ExprRef, FuncRef, Sort};
use super::vocabulary::{Op, Role};

pub(super) fn transport_sites(flow: &Flow<'_>) -> Vec<TransportSite> {
    let mut out = Vec::new();
    for id in flow.object_ids() {
        let object = flow.object(id);
        let sse = match object.role {
            Some(Role::Transport) => false,
            Some(Role::SseTransport) => true,
            _ => continue,
        };
        let sites: Vec<ExprRef> = match object.site {
            Site::Expr(at) if matches!(flow.program.kind(at), ExprKind::New { .. } | ExprKind::Call { .. }) => vec![at],
            Site::Class(class) => flow.instances.get(&class).into_iter().flatten().copied().collect(),
            _ => continue,
        };
        for at in sites.into_iter().filter(|at| !is_handed_stdio(flow, *at)) {
            let (mode, generator) = match modes::switched(flow, at, id) {
                _ if sse => (Mode::On, None),
                Some(switched) => switched,
                None => transport_mode(flow, at, object.site),
            };
            out.push(TransportSite { at, object: id, sse, mode, generator });
        }
    }
    out.sort_unstable_by_key(|site| site.at);
    out
}

/// Whether what serves is handed the one connection that it serves, by itself or within its options: nobody opens a session there.
fn is_handed_stdio(flow: &Flow<'_>, call: ExprRef) -> bool {
    let (ExprKind::New { args, .. } | ExprKind::Call { args, .. }) = flow.program.kind(call) else { return false };
    args.iter()
        .flat_map(|arg| flow.objects_at(At { module: call.module, id: arg.value }))
        .any(|id| flow.holds_role(id, &[Role::StdioTransport], 1))
}

/// Whether a construction of a transport opens sessions, by the value of its generator option.
pub(super) fn transport_mode(flow: &Flow<'_>, at: ExprRef, site: Site) -> (Mode, Option<ExprRef>) {
    if matches!(flow.program.kind(at), ExprKind::Call { .. }) {
        return given_id(flow, at);
    }
    let mut options = argument_objects(flow, at);
    if let Site::Class(class) = site {
        // What the constructor hands to `super`.
        for expr in flow.program.module(class.module).expr_ids().map(|id| At { module: class.module, id }) {
            if let ExprKind::Call { callee, .. } = flow.program.kind(expr)
                && matches!(flow.program.module(class.module).kind(*callee), ExprKind::Super(Some(id)) if *id == class.id)
            {
                options.extend(argument_objects(flow, expr));
            }
        }
    }
    let has_argument = matches!(flow.program.kind(at), ExprKind::New { args, .. } if !args.is_empty());
    if options.is_empty() {
        return (if has_argument { Mode::On } else { Mode::Off }, None);
    }
    let name = Name::new("sessionIdGenerator");
    let (mut on, mut off, mut generator) = (false, false, None);
    for id in options {
        if !flow.has_field(id, name) {
            off = true;
            continue;
        }
        let values = flow.field_values(id, name);
        let absent = values.contains(&Value::Absent);
        off |= absent;
        on |= !absent || values.len() > 1;
        // An option that is only there under a condition.
        off |= flow.known_field(flow.owner(id), name).is_none_or(|node| flow.values(node).is_empty())
            && flow.written_field(id, name).is_none();
        generator = generator.or_else(|| flow.written_field(id, name));
    }
    let mode = match (on, off) {
        (true, true) => Mode::Either,
        (true, false) => Mode::On,
        _ => Mode::Off,
    };
    (mode, generator)
}

pub(super) fn argument_objects(flow: &Flow<'_>, call: ExprRef) -> Vec<ObjId> {
    let (ExprKind::New { args, .. } | ExprKind::Call { args, .. }) = flow.program.kind(call) else { return Vec::new() };
    args.iter()
        .flat_map(|arg| flow.objects_at(At { module: call.module, id: arg.value }))
        .filter(|id| flow.object(*id).role.is_none() && flow.object(*id).class.is_none())
        .collect()
}

/// Expressions that construct something of a role (or of a class that extends it).
pub fn constructions(flow: &Flow<'_>, roles: &[Role]) -> Vec<ExprRef> {
    let mut out = Vec::new();
    for id in flow.object_ids() {
        let object = flow.object(id);
        if !object.role.is_some_and(|role| roles.contains(&role)) {
            continue;
        }
        match object.site {
            Site::Expr(at) if matches!(flow.program.kind(at), ExprKind::New { .. } | ExprKind::Call { .. }) => {
                out.push(at)
            }
            Site::Class(class) => out.extend(flow.instances.get(&class).into_iter().flatten()),
            _ => {}
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

/// Whether a transport is given a session id: by the option that the vocabulary names, or as the first argument.
fn given_id(flow: &Flow<'_>, call: ExprRef) -> (Mode, Option<ExprRef>) {
    let ExprKind::Call { args, callee } = flow.program.kind(call) else { return (Mode::Off, None) };
    let option = |name: Name| {
        flow.at(At { module: call.module, id: *callee }).iter().any(|value| match value {
            Value::External(package, path) => {
                let row = flow.program.tables(call.module).export(package.text(), &format!("{path}.{name}"));
                row.is_some_and(|row| row.does == Some(Op::SessionOption))
            }
            _ => false,
        })
    };
    let given = args.iter().find(|arg| arg.name.is_none_or(option) && !arg.spread);
    let Some(given) = given else { return (if args.is_empty() { Mode::Off } else { Mode::On }, None) };
    let at = At { module: call.module, id: given.value };
    let values = flow.at(at);
    let mode = match (values.contains(&Value::Absent), values.len()) {
        (true, 1) => Mode::Off,
        (true, _) => Mode::Either,
        (false, _) => Mode::On,
    };
    (mode, Some(at))
}

/// Functions that serve a factory which they are handed, and of which nothing shows who hands it over.
pub fn unfed_factories(flow: &Flow<'_>) -> Vec<FuncRef> {
    let mut out = Vec::new();
    for at in flow.program.exprs_of([Sort::Call]) {
        let ExprKind::Call { args, .. } = flow.program.kind(at) else { continue };
        let serves = || flow.performed(at).iter().any(|performed| performed.op == Op::ServeSessions);
        for arg in args {
            let ExprKind::Symbol(symbol) = flow.program.module(at.module).kind(arg.value) else { continue };
            let symbol = flow.program.module(at.module).symbol(*symbol);
            let given = At { module: at.module, id: arg.value };
            if symbol.kind == SymbolKind::Parameter && flow.at(given).is_empty() && serves() {
                out.push(At { module: at.module, id: symbol.func });
            }
        }
    }
    out
}
