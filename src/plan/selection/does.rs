//! What a function does besides keeping or telling a choice: nothing, for one that may go.

use crate::model::facts::{ExprKind, Span};
use crate::model::flow::value::Value;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::plan::loggers;
use crate::rules::detect::Context;

/// How the names of functions begin that only look.
const LOOKS: &[&str] = &[
    "get",
    "find",
    "has",
    "is",
    "load",
    "fetch",
    "read",
    "list",
    "lookup",
    "look",
    "resolve",
    "validate",
    "check",
    "assert",
    "ensure",
    "require",
    "known",
    "include",
    "some",
    "every",
    "filter",
    "map",
    "key",
    "value",
    "entr",
    "at",
    "index",
    "exist",
    "test",
    "match",
    "trim",
    "to",
    "string",
    "parse",
    "safe",
    "starts",
    "ends",
    "own",
    "describe",
    "slice",
    "join",
    "concat",
    "can",
    "normalize",
    "normalise",
    "sort",
    "size",
    "length",
];

/// A function looked at, with the expressions in it that belong to the choice.
pub struct Looked<'c, 'a, 'p> {
    context: &'c Context<'a, 'p>,
    func: FuncRef,
    /// The code that is looked at.
    region: Span,
    own: Vec<Span>,
    /// Code that runs only to say that something is wrong.
    leaving: Vec<Span>,
    /// Names that the conditions of such code ask for.
    asked: Vec<Span>,
    /// How deep to look into functions that are called.
    depth: usize,
}

impl<'c, 'a, 'p> Looked<'c, 'a, 'p> {
    /// Looks at a function. `own` are its accesses to the choice, and calls of functions that make one.
    pub fn at(context: &'c Context<'a, 'p>, func: FuncRef, own: &[ExprRef]) -> Self {
        Self::in_region(context, func, context.analysis.flow.program.function(func).span, own)
    }

    /// The same for a part of a function: what one that dispatches tools does for one of them.
    pub fn in_region(context: &'c Context<'a, 'p>, func: FuncRef, region: Span, own: &[ExprRef]) -> Self {
        let program = context.analysis.flow.program;
        let facts = program.module(func.module);
        let inside = |span: Span| region.contains(span);
        let own = own.iter().filter(|at| at.module == func.module).map(|at| program.expr(*at).span);
        let branches: Vec<_> = facts.branches.iter().filter(|branch| inside(branch.span)).collect();
        let mut leaving: Vec<Span> =
            branches.iter().filter(|branch| branch.then_leaves).map(|branch| branch.then).collect();
        leaving.extend(branches.iter().filter(|branch| branch.otherwise_leaves).filter_map(|branch| branch.otherwise));
        let throws = facts.expr_ids().filter(|id| matches!(facts.kind(*id), ExprKind::Throw(_)));
        leaving.extend(throws.map(|id| facts.expr(id).span).filter(|span| inside(*span)));
        let asked = branches
            .iter()
            .filter(|branch| branch.then_leaves || branch.otherwise_leaves)
            .map(|branch| facts.expr(branch.condition).span)
            .collect();
        Self { context, func, region, own: own.filter(|span| inside(*span)).collect(), leaving, asked, depth: 4 }
    }

    fn exprs(&self) -> impl Iterator<Item = ExprRef> + '_ {
        let program = self.context.analysis.flow.program;
        let region = self.region;
        let facts = program.module(self.func.module);
        let ids = facts.expr_ids().filter(move |id| region.contains(facts.expr(*id).span));
        ids.map(|id| At { module: self.func.module, id })
            .filter(|at| program.within(program.func_of(*at), self.func) || program.func_of(*at) == self.func)
    }

    fn span(&self, at: ExprRef) -> Span {
        self.context.analysis.flow.program.expr(at).span
    }

    fn within(&self, at: ExprRef, spans: &[Span]) -> bool {
        let span = self.span(at);
        spans.iter().any(|outer| outer.contains(span))
    }

    /// A call that does more than to look, to check or to answer.
    pub fn more(&self) -> Option<ExprRef> {
        let flow = &self.context.analysis.flow;
        let answers: Vec<Span> = self
            .exprs()
            .filter(|at| matches!(flow.program.kind(*at), ExprKind::Return(_)))
            .map(|at| self.span(at))
            .collect();
        self.exprs().find(|at| match flow.program.kind(*at) {
            ExprKind::Call { .. } => {
                let looks = flow.callee_name(*at).is_some_and(|name| is_look(name.text()));
                let told = loggers::is_logger(flow, *at) || loggers::is_told(flow, *at);
                let asked = self.within(*at, &self.asked) || self.is_kept_for_asking(*at);
                !(self.within(*at, &self.own)
                    || self.within(*at, &self.leaving)
                    || self.within(*at, &answers)
                    || flow.is_id(*at)
                    || told
                    || (looks && asked))
            }
            ExprKind::New { .. } => !(self.within(*at, &self.own) || self.within(*at, &self.leaving)),
            ExprKind::Assign { target, .. } => {
                let target = At { module: at.module, id: *target };
                let local = matches!(flow.program.kind(target), ExprKind::Symbol(symbol)
                    if flow.program.within(At { module: at.module, id: flow.program.module(at.module).symbol(*symbol).func }, self.func)
                        || flow.program.module(at.module).symbol(*symbol).func == self.func.id);
                !(local || self.within(target, &self.own) || self.within(*at, &self.leaving))
            }
            ExprKind::Delete { target } => !self.within(At { module: at.module, id: *target }, &self.own),
            _ => false,
        })
    }

    /// Whether a call's value goes into a variable that decides whether something is wrong.
    fn is_kept_for_asking(&self, call: ExprRef) -> bool {
        let flow = &self.context.analysis.flow;
        let facts = flow.program.module(call.module);
        let mut above = facts.expr(call.id).parent;
        while let Some(id) = above {
            if let ExprKind::Assign { target, .. } = facts.kind(id) {
                let ExprKind::Symbol(symbol) = facts.kind(*target) else { return false };
                return facts.expr_ids().any(|id| {
                    matches!(facts.kind(id), ExprKind::Symbol(used) if used == symbol)
                        && self.asked.iter().any(|asked| asked.contains(facts.expr(id).span))
                });
            }
            above = facts.expr(id).parent;
        }
        false
    }

    /// Something in an answer that is more than a word that it was done: what else is known of the thing that was chosen.
    pub fn tells(&self) -> Option<ExprRef> {
        let program = self.context.analysis.flow.program;
        let facts = program.module(self.func.module);
        let answers = program.function(self.func).returns.iter().map(|id| At { module: self.func.module, id: *id });
        answers
            .filter(|at| self.region.contains(facts.expr(at.id).span) && !self.within(*at, &self.leaving))
            .find_map(|at| self.data(at))
    }

    /// Whether a function that is called makes something of what it is given, and does not only wrap it.
    fn is_told_more(&self, call: ExprRef) -> bool {
        let Some(depth) = self.depth.checked_sub(1) else { return true };
        self.context.analysis.flow.callees(call).iter().any(|callee| {
            let inside = Self { depth, ..Self::at(self.context, *callee, &[]) };
            inside.tells().is_some()
        })
    }

    /// Whether it answers anything.
    pub fn answers(&self) -> bool {
        let program = self.context.analysis.flow.program;
        let facts = program.module(self.func.module);
        program.function(self.func).returns.iter().any(|id| self.region.contains(facts.expr(*id).span))
    }

    fn data(&self, at: ExprRef) -> Option<ExprRef> {
        if self.within(at, &self.own) {
            return None;
        }
        let flow = &self.context.analysis.flow;
        let inner = |id| At { module: at.module, id };
        match flow.program.kind(at) {
            ExprKind::Call { callee, args } => {
                let name = flow.callee_name(at).map(|name| name.text().to_owned()).unwrap_or_default();
                let method = matches!(flow.program.kind(inner(*callee)), ExprKind::Member { .. });
                let known = !method || name == "stringify" || !flow.callees(at).is_empty();
                if !known || args.len() > 3 || self.is_told_more(at) {
                    return Some(at);
                }
                args.iter().find_map(|arg| self.data(inner(arg.value)))
            }
            ExprKind::Member { name, .. } => {
                let told = ["id", "name", "title", "label", "key", "slug", "path", "displayName", "uri", "url"];
                let given = flow.at(at).iter().any(|value| matches!(value, Value::Argument(_)));
                (!given && !told.contains(&name.text())).then_some(at)
            }
            ExprKind::Symbol(_) => {
                let plain =
                    flow.objects_at(at).all(|id| flow.object(id).role.is_some() && flow.object(id).class.is_none());
                (!plain).then_some(at)
            }
            ExprKind::Index { .. } | ExprKind::New { .. } | ExprKind::Function(_) => Some(at),
            kind => {
                let mut out = None;
                kind.each_child(|child| out = out.or_else(|| self.data(inner(child))));
                out
            }
        }
    }
}

fn is_look(name: &str) -> bool {
    let name = name.trim_start_matches(['_', '#']).to_ascii_lowercase();
    LOOKS.iter().any(|look| name.starts_with(look))
}
