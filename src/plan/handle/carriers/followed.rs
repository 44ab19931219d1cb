//! What was found by following the keys of a store.

use super::super::{BodyUse, Carried, Carries, Entry, Outside, Shed, ToolUse, Touch};
use crate::model::facts::ExprKind;
use crate::model::flow::value::Site as Made;
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::plan::{Site, site};
use crate::rules::detect::Context;

/// Something that can't be followed.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Where.
    pub at: Site,
    /// Why not.
    pub why: String,
    /// What to do.
    pub todo: String,
}

/// A handler that the handle enters by.
#[derive(Clone, Debug)]
pub struct HandlerUse {
    /// The handler.
    pub handler: FuncRef,
    /// The registering call.
    pub registration: ExprRef,
    /// Names of the tools that it serves here.
    pub tools: Vec<Name>,
    /// It serves several tools and tells them apart itself.
    pub dispatches: bool,
    /// It is a tool's own function, which what the SDK is given calls.
    pub body: Option<BodyUse>,
}

/// What was found by following the keys of a store.
pub struct Followed {
    /// Functions that the handle passes through.
    pub carriers: Vec<Carries>,
    /// The function of each of them.
    pub funcs: Vec<FuncRef>,
    /// Accesses in them.
    pub touches: Vec<Touch>,
    /// Accesses elsewhere.
    pub outside: Vec<Outside>,
    /// Handlers among the functions.
    pub handlers: Vec<HandlerUse>,
    /// Calls that register resources whose handlers are among the functions, with their handlers.
    pub resources: Vec<(FuncRef, ExprRef)>,
    /// Calls that handed the id on to functions which take the handle, or need neither.
    pub sheds: Vec<Shed>,
    /// Places where the id is put into an object that is handed on.
    pub carried: Vec<Carried>,
    /// What stopped it.
    pub problems: Vec<Problem>,
}

impl Followed {
    /// Where the id is read from an object of the program's own, outside of the functions that the handle passes through.
    pub fn strays(&self, context: &Context<'_, '_>) -> Vec<Site> {
        let flow = &context.analysis.flow;
        let is_own = |object: ExprRef| {
            flow.objects_at(object).any(|id| match flow.object(id).site {
                Made::Expr(at) => matches!(flow.program.kind(at), ExprKind::Object(_)),
                _ => false,
            })
        };
        let is_stray = |at: &ExprRef| match flow.program.kind(*at) {
            ExprKind::Member { object, .. } if flow.is_id(*at) => {
                is_own(At { module: at.module, id: *object })
                    && !self.funcs.iter().any(|func| flow.program.within(flow.program.func_of(*at), *func))
            }
            _ => false,
        };
        flow.program.exprs().filter(is_stray).map(|at| site(context, context.spot(at))).collect()
    }

    /// The functions that the handle passes through; of handlers, which of the tools they serve.
    pub fn carriers_of(&self, context: &Context<'_, '_>, tools: &[ToolUse]) -> Vec<Carries> {
        let program = context.analysis.flow.program;
        let mut carriers = self.carriers.clone();
        for (carrier, func) in carriers.iter_mut().zip(&self.funcs) {
            if let Entry::Handler(indices) = &mut carrier.entry {
                let (handler, path) = (program.function(*func).span, &program.module(func.module).path);
                let serves = |tool: &ToolUse| tool.handler.span == handler && tool.handler.path == *path;
                *indices = (0..tools.len()).filter(|index| serves(&tools[*index])).collect();
            }
        }
        carriers
    }
}
