//! Where the servers come from that are connected to transports, and what else has to do with them.

use super::{Site, site};
use crate::model::facts::{ExprKind, Imported, SymbolKind};
use crate::model::flow::value::{self, ObjId};
use crate::model::program::{At, ExprRef, Link};
use crate::model::reach::reach;
use crate::model::vocabulary::Op;
use crate::rules::detect::{Context, Spot};

/// Where a server comes from, and what has to do with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Its construction.
    pub server: Site,
    /// Calls that are given the server and do nothing but register with it.
    pub registrars: Vec<Site>,
    /// Imports of the server's variable.
    pub importers: Vec<Site>,
    /// Calls that hand the server in, where the function that serves takes it as a parameter.
    pub handed: Vec<Site>,
}

impl Origin {
    pub(super) fn of(
        context: &Context<'_, '_>,
        origin: ExprRef,
        servers: &[ObjId],
        connects: &[(ExprRef, ObjId)],
    ) -> Self {
        Self {
            server: place(context, origin),
            registrars: registrars(context, servers),
            importers: importers(context, origin),
            handed: handed(context, connects),
        }
    }
}

/// Where the servers come from that are connected to the transports of a package.
pub(super) fn servers(context: &Context<'_, '_>) -> Vec<Origin> {
    let flow = &context.analysis.flow;
    let ours: Vec<ObjId> = context.transports().filter(|site| !site.sse).map(|site| site.object).collect();
    let mut connects: Vec<(ExprRef, ObjId)> = flow
        .connects
        .iter()
        .flat_map(|(at, pairs)| pairs.iter().map(|(server, transport)| (*at, *server, *transport)))
        .filter(|(_, _, transport)| ours.contains(transport))
        .map(|(at, server, _)| (at, server))
        .collect();
    connects.sort_unstable();
    connects.dedup();
    let mut ids: Vec<ObjId> = connects.iter().map(|(_, server)| *server).collect();
    ids.sort_unstable();
    ids.dedup();
    let of = |id: ObjId| {
        let own: Vec<(ExprRef, ObjId)> = connects.iter().copied().filter(|(_, server)| *server == id).collect();
        origins(context, id).into_iter().map(move |origin| Origin::of(context, origin, &[id], &own))
    };
    ids.into_iter().flat_map(of).collect()
}

/// Where an object is constructed.
pub(super) fn origins(context: &Context<'_, '_>, id: ObjId) -> Vec<ExprRef> {
    let flow = &context.analysis.flow;
    match flow.object(id).site {
        value::Site::Expr(at) => vec![at],
        value::Site::Class(class) => flow.instances.get(&class).into_iter().flatten().copied().collect(),
        _ => Vec::new(),
    }
}

/// Calls that are given a server and do nothing but register with it.
fn registrars(context: &Context<'_, '_>, servers: &[ObjId]) -> Vec<Site> {
    let flow = &context.analysis.flow;
    let mut out = Vec::new();
    for at in flow.program.exprs() {
        let ExprKind::Call { args, .. } = flow.program.kind(at) else { continue };
        let given = args
            .iter()
            .any(|arg| flow.objects_at(At { module: at.module, id: arg.value }).any(|id| servers.contains(&id)));
        if given && only_registers(context, at) {
            out.push(place(context, at));
        }
    }
    out
}

/// Whether what a call runs registers, and neither serves nor connects. A function of another package is taken at its word.
fn only_registers(context: &Context<'_, '_>, call: ExprRef) -> bool {
    let flow = &context.analysis.flow;
    let callees = flow.callees(call);
    if callees.is_empty() {
        let name = flow.callee_name(call).map_or(String::new(), |name| name.text().to_ascii_lowercase());
        return ["register", "add", "setup", "attach", "install", "define"].iter().any(|word| name.starts_with(word));
    }
    callees.iter().all(|callee| {
        let reached = reach(flow, *callee);
        let runs = |at: &ExprRef| reached.contains(&flow.program.func_of(*at));
        let serves = flow.connects.keys().any(runs)
            || context.analysis.lives.transports.iter().any(|site| runs(&site.at))
            || flow.program.exprs().any(|at| {
                matches!(flow.program.kind(at), ExprKind::Call { .. })
                    && runs(&at)
                    && flow.performed(at).iter().any(|performed| {
                        matches!(performed.op, Op::Route | Op::Serve | Op::StartTimer | Op::Spawn | Op::ConnectClient)
                            && performed.object.is_some()
                    })
            });
        !serves && flow.registrations.keys().any(runs)
    })
}

/// The imports of the variable that something is made into.
pub(super) fn importers(context: &Context<'_, '_>, origin: ExprRef) -> Vec<Site> {
    let program = context.analysis.flow.program;
    let home = program.module(origin.module);
    let Some(symbol) = home.symbols.iter().find(|symbol| symbol.init == Some(origin.id)) else { return Vec::new() };
    let mut out = Vec::new();
    for (index, module) in program.modules.iter().enumerate() {
        for import in &module.imports {
            let leads = program.link(index as u32, import.source) == Link::Module(origin.module);
            let takes = import.imported == Imported::Named(symbol.name)
                || matches!(import.imported, Imported::Namespace | Imported::Default);
            if leads && takes {
                out.push(site(context, Spot { module: index as u32, span: import.span }));
            }
        }
    }
    out
}

/// Calls of the function around a connection that gets the server as a parameter.
fn handed(context: &Context<'_, '_>, connects: &[(ExprRef, ObjId)]) -> Vec<Site> {
    let flow = &context.analysis.flow;
    let mut out = Vec::new();
    for (at, _) in connects {
        let facts = flow.program.module(at.module);
        let ExprKind::Call { callee, .. } = facts.kind(at.id) else { continue };
        let ExprKind::Member { object, .. } = facts.kind(*callee) else { continue };
        let ExprKind::Symbol(symbol) = facts.kind(*object) else { continue };
        if facts.symbol(*symbol).kind != SymbolKind::Parameter {
            continue;
        }
        let func = At { module: at.module, id: facts.symbol(*symbol).func };
        for (_, call, _) in flow.callers.get(&func).into_iter().flatten() {
            out.push(place(context, *call));
        }
    }
    out.sort();
    out.dedup();
    out
}

fn place(context: &Context<'_, '_>, at: ExprRef) -> Site {
    site(context, Spot { module: at.module, span: context.analysis.flow.program.expr(at).span })
}
