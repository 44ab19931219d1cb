//! Objects and programs that serve over stdio: there is one client, for as long as the process lives.

use rustc_hash::FxHashSet;

use super::facts::{ExprKind, FuncKind};
use super::flow::Flow;
use super::lives::{TransportSite, constructions};
use super::program::{At, FuncRef, Sort};
use super::reach::reach;
use super::vocabulary::Role;

/// The constructors of classes of which some method makes a stdio transport and no method any other.
pub fn constructors(flow: &Flow<'_>, transports: &[TransportSite]) -> FxHashSet<FuncRef> {
    let mut out = FxHashSet::default();
    for at in constructions(flow, &[Role::StdioTransport]) {
        let func = flow.program.func_of(at);
        let Some(class) = flow.program.function(func).class else { continue };
        let class = flow.program.module(func.module).class(class);
        let constructor = At { module: func.module, id: class.constructor };
        debug_assert!(flow.program.function(constructor).kind == FuncKind::Constructor);
        let reached: FxHashSet<FuncRef> = std::iter::once(&class.constructor)
            .chain(&class.methods)
            .flat_map(|id| reach(flow, At { module: func.module, id: *id }))
            .collect();
        if !transports.iter().any(|site| reached.contains(&flow.program.func_of(site.at))) {
            out.insert(constructor);
        }
    }
    out
}

/// Whether the servers of a program are run by a call that means stdio, and by no other: `mcp.run()`, `mcp.run(transport="stdio")`.
pub fn only(flow: &Flow<'_>) -> bool {
    let http = [Role::Transport, Role::SseTransport, Role::SessionManager];
    if !constructions(flow, &http).is_empty() {
        return false;
    }
    let mut runs = false;
    for at in flow.program.exprs_of([Sort::Call]) {
        let ExprKind::Call { callee, args } = flow.program.kind(at) else { continue };
        let ExprKind::Member { object, name } = flow.program.module(at.module).kind(*callee) else { continue };
        let names = &flow.program.tables(at.module).setup;
        let method = name.text();
        if names.run_http.contains(&method) || names.run_sse.contains(&method) || names.run_app.contains(&method) {
            return false;
        }
        if !names.run.contains(&method) || !flow.plays(At { module: at.module, id: *object }, Role::Server) {
            continue;
        }
        // Written out: what the environment or an option chooses may be anything.
        let stdio = |kind: &ExprKind| matches!(kind, ExprKind::Text(text) if *text == "stdio");
        if !args.iter().all(|arg| stdio(flow.program.module(at.module).kind(arg.value))) {
            return false;
        }
        runs = true;
    }
    runs
}
