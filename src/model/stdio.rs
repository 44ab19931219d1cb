//! Objects that serve over stdio: there is one client, for as long as the process lives.

use rustc_hash::FxHashSet;

use super::facts::FuncKind;
use super::flow::Flow;
use super::lives::{TransportSite, constructions, reach};
use super::program::{At, FuncRef};
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
