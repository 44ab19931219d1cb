//! Servers that are built for each request, and what is made beside them.

use super::flow::value::{ObjId, Site};
use super::flow::{Flow, Root};
use super::lives::{Contexts, Lives};
use super::program::FuncRef;
use super::reach::reach;

impl Lives {
    /// Whether a function runs with a factory that an entry point calls for each request, and at no other time.
    pub fn built_per_request(&self, flow: &Flow<'_>, func: FuncRef) -> bool {
        let contexts = self.contexts(func);
        let once = contexts.has(Contexts::SESSION) || contexts.has(Contexts::PROCESS);
        let factory = |root: &FuncRef| flow.roots[root].contains(&Root::RequestFactory);
        !once && flow.roots.keys().filter(|root| factory(root)).any(|root| reach(flow, *root).contains(&func))
    }

    /// Whether an object is made by code that builds a server for a request, and not for a request of another kind.
    pub fn made_with_server(&self, flow: &Flow<'_>, id: ObjId) -> bool {
        let sites = match flow.object(id).site {
            Site::Expr(at) => vec![at],
            Site::Class(class) => flow.instances.get(&class).into_iter().flatten().copied().collect(),
            _ => return true,
        };
        let made = |func: &FuncRef| sites.iter().any(|at| flow.program.func_of(*at) == *func);
        let builders =
            flow.roots.iter().filter(|(_, roots)| roots.contains(&Root::RequestFactory)).map(|(func, _)| func);
        builders.chain(&self.routes).any(|func| {
            let reached = reach(flow, *func);
            let built = self.servers.iter().chain(self.transports.iter().map(|site| &site.at));
            let factory = !self.routes.contains(func);
            (factory || built.into_iter().any(|at| reached.contains(&flow.program.func_of(*at))))
                && reached.iter().any(made)
        })
    }
}
