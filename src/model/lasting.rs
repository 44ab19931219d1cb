//! How long objects live: as long as a request, a session or the process.

use super::facts::TOP;
use super::flow::Flow;
use super::flow::value::{ObjId, Site};
use super::lives::{Contexts, Lives};
use super::program::{At, ExprRef, FuncRef};

impl Lives {
    /// Whether an object may live as long as a session.
    pub fn object_per_session(&self, flow: &Flow<'_>, id: ObjId) -> bool {
        if self.kept.contains(&id) {
            return false;
        }
        match flow.object(id).site {
            Site::Expr(at) => self.per_session(flow, at),
            Site::Class(class) => {
                let made = flow.instances.get(&class);
                match made {
                    Some(sites) => sites.iter().any(|at| self.per_session(flow, *at)),
                    None => {
                        let constructor = At { module: class.module, id: flow.program.class(class).constructor };
                        self.contexts(constructor).has(Contexts::SESSION)
                    }
                }
            }
            Site::Part(owner, _) if owner.0 != u32::MAX => self.object_per_session(flow, owner),
            Site::Param(func, _) => self.contexts(func).has(Contexts::SESSION),
            _ => false,
        }
    }

    /// Whether a function runs within the calls of handlers only, and not where they are registered. (Helpers that are handed
    /// callbacks mix the two up; a function that handlers are written in registers them.)
    pub fn within_calls(&self, func: FuncRef) -> bool {
        self.handler_reach.contains(&func) && !self.registers.contains(&func)
    }

    /// Whether an object is made where a session begins, and not within a call.
    pub fn object_outlives_calls(&self, flow: &Flow<'_>, id: ObjId) -> bool {
        if self.kept.contains(&id) {
            return false;
        }
        let lasting = |at: &ExprRef| {
            let func = flow.program.func_of(*at);
            self.contexts(func).has(Contexts::SESSION) && !self.within_calls(func)
        };
        match flow.object(id).site {
            Site::Expr(at) => lasting(&at),
            Site::Class(class) => match flow.instances.get(&class) {
                Some(sites) => sites.iter().any(lasting),
                None => self.object_per_session(flow, id),
            },
            Site::Part(owner, _) if owner.0 != u32::MAX => self.object_outlives_calls(flow, owner),
            _ => self.object_per_session(flow, id),
        }
    }

    /// Whether an object is made anew for each request, by the function that builds the request's server.
    pub fn object_per_request(&self, flow: &Flow<'_>, id: ObjId) -> bool {
        let lasting = |at: &ExprRef| {
            let func = flow.program.func_of(*at);
            let contexts = self.contexts(func);
            contexts.has(Contexts::REQUEST) && !contexts.has(Contexts::PROCESS) && !self.within_calls(func)
        };
        match flow.object(id).site {
            Site::Expr(at) => lasting(&at),
            Site::Class(class) => flow.instances.get(&class).is_some_and(|sites| sites.iter().all(lasting)),
            Site::Part(owner, _) if owner.0 != u32::MAX => self.object_per_request(flow, owner),
            _ => false,
        }
    }

    /// Whether an object lives as long as the process.
    pub fn object_per_process(&self, flow: &Flow<'_>, id: ObjId) -> bool {
        match flow.object(id).site {
            Site::Expr(at) => self.contexts(flow.program.func_of(at)).has(Contexts::PROCESS),
            Site::Class(class) => flow.instances.get(&class).is_some_and(|sites| {
                sites.iter().any(|at| self.contexts(flow.program.func_of(*at)).has(Contexts::PROCESS))
            }),
            Site::Symbol(symbol) => flow.program.symbol(symbol).func == TOP,
            Site::Part(owner, _) if owner.0 != u32::MAX => self.object_per_process(flow, owner),
            _ => false,
        }
    }
}
