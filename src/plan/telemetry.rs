//! Limits and mere counts that are kept by session: they are counted by the network address of the request. What a session's end
//! cleaned up expires by itself. Which functions the key passes through is told by the model, as it is for handles.

use super::handle::{Carries, Outside, Problem, ToolUse, Touch, entry_of, follow, loose, made};
use super::transport::{Route, routes_of};
use super::{Claim, Level, Manual, ServerPlan, Site, Step, StepKind, site};
use crate::classify::answer::{Failure, Holds, KeyedBy, Principal, Server};
use crate::classify::stores::Found;
use crate::model::facts::{ExprKind, TOP};
use crate::model::flow::value::{ObjId, Site as Made};
use crate::model::program::At;
use crate::model::vocabulary::Role;
use crate::rules::detect::{Context, Spot};
use crate::rules::{session_fallback_bucket, session_keyed_telemetry};

/// A table of limits or counts that is keyed by address.
#[derive(Clone, Debug)]
pub struct Telemetry {
    /// Its name.
    pub name: String,
    /// Its name at its declaration.
    pub declared: Site,
    /// The expression that makes it.
    pub made: Site,
    /// Functions that the key passes through.
    pub carriers: Vec<Carries>,
    /// Accesses in them.
    pub touches: Vec<Touch>,
    /// Accesses where no tool is called: where a session ends, or in a sweep.
    pub outside: Vec<Outside>,
    /// Other mentions of the table.
    pub loose: Vec<Site>,
    /// The handlers among the functions, with a tool that each serves.
    pub handlers: Vec<ToolUse>,
    /// Where requests come in.
    pub routes: Vec<Route>,
    /// What is known during a request, where the server keeps that in a context variable.
    pub ambient: Option<Ambient>,
}

/// A context variable: what it holds belongs to one request.
#[derive(Clone, Debug)]
pub struct Ambient {
    /// Its name at its declaration.
    pub declared: Site,
    /// The expression that makes it.
    pub made: Site,
    /// The calls that give it a value.
    pub runs: Vec<Site>,
}

const RULE: &str = session_keyed_telemetry::RULE.name;

/// Plans what becomes of the counts of a server that are kept by session.
pub fn plan(context: &Context<'_, '_>, server: &Server, out: &mut ServerPlan) {
    let counts = context.stores().filter(|found| {
        found.holds == Holds::Telemetry
            && found.keyed_by == KeyedBy::SessionId
            && !matches!(found.failure, Failure::Dead | Failure::Works)
    });
    for found in counts {
        match step(context, server, found) {
            Ok(step) => out.steps.push(step),
            Err(problem) => out.manual.push(manual(context, found, problem)),
        }
    }
}

fn manual(context: &Context<'_, '_>, found: &Found, problem: Problem) -> Manual {
    let at = declared(context, found);
    Manual {
        rule: RULE,
        what: format!("count `{}` by caller", found.name),
        why: problem.why,
        cause: (problem.at != at).then_some(problem.at),
        todo: vec![problem.todo],
        at,
    }
}

fn declared(context: &Context<'_, '_>, found: &Found) -> Site {
    site(context, Spot { module: found.holder.module, span: found.holder.span })
}

fn step(context: &Context<'_, '_>, server: &Server, found: &Found) -> Result<Step, Problem> {
    let at = declared(context, found);
    let stop = |why: &str, todo: &str| Problem { at: at.clone(), why: why.to_owned(), todo: todo.to_owned() };
    if server.principal == Principal::User {
        return Err(stop(
            "the server knows its users, and how a user is told from `authInfo` is the server's own affair",
            "key it by a hash of issuer, client and subject of `authInfo`, and let entries expire",
        ));
    }
    let module = found.holder.symbol.is_some_and(|symbol| context.analysis.flow.program.symbol(symbol).func == TOP);
    let made = made(context.analysis, found).filter(|made| {
        module
            && matches!(context.analysis.flow.program.kind(*made), ExprKind::New { args, .. } if args.is_empty())
            && context.analysis.flow.callee_name(*made).is_some_and(|name| name == "Map")
    });
    let Some(made) = made else {
        return Err(stop(
            "it is no `Map` of a module: how its entries are keyed and expire is not told by the code at hand",
            "key it by the network address of the request (`req.ip`), and let entries expire",
        ));
    };
    if found.with_transport || found.with_auth {
        return Err(stop("its records hold more than counts", "keep the counts in a map of their own"));
    }
    let followed = follow(context, found, &[]);
    if let Some(problem) = followed.problems.into_iter().next() {
        return Err(Problem {
            at: problem.at,
            why: "where its key comes from can't be followed everywhere".to_owned(),
            todo: "key it by the network address of the request (`req.ip`)".to_owned(),
        });
    }
    let routes = routes_of(context);
    let known = |route: &Route| matches!(route.framework.as_str(), "express" | "fastify" | "hono");
    if routes.is_empty() || !routes.iter().all(known) {
        return Err(stop(
            "the address of a request is only known how to reach a tool behind Express, Fastify and Hono",
            "put the address of the request into an `AsyncLocalStorage` around the transport, and key by it",
        ));
    }
    let handlers = followed.handlers.iter().map(|used| {
        let span = context.analysis.flow.program.function(used.handler).span;
        let first = used.tools.first().copied();
        let entry = first.filter(|_| used.dispatches).and_then(|tool| entry_of(context, tool));
        ToolUse {
            name: first.map_or_else(String::new, |tool| tool.text().to_owned()),
            registration: site(context, context.spot(used.registration)),
            handler: site(context, Spot { module: used.handler.module, span }),
            entry: entry.map(|at| site(context, context.spot(at))),
            body: None,
            role: super::handle::Role::Uses,
        }
    });
    let telemetry = Telemetry {
        name: found.name.text().to_owned(),
        declared: at.clone(),
        made: site(context, context.spot(made)),
        handlers: handlers.collect(),
        carriers: followed.carriers,
        touches: followed.touches,
        outside: followed.outside,
        loose: loose(context, found).into_iter().map(|at| site(context, context.spot(at))).collect(),
        routes,
        ambient: ambient(context),
    };
    let mut claims = vec![Claim { rule: RULE, at: at.clone() }];
    let fallback = found.fallback.map(|key| site(context, context.spot(key)));
    claims.extend(fallback.map(|at| Claim { rule: session_fallback_bucket::RULE.name, at }));
    Ok(Step {
        id: format!("telemetry:{}#{}", at.path, found.name),
        rule: RULE,
        title: format!("Count {} by network address", found.name),
        level: Level::Review,
        requires: Vec::new(),
        claims,
        notes: vec![
            "clients behind one address share an entry now, and a client with two sessions no longer has two"
                .to_owned(),
        ],
        kind: StepKind::Telemetry(Box::new(telemetry)),
    })
}

/// The only context variable of a package.
pub(super) fn ambient(context: &Context<'_, '_>) -> Option<Ambient> {
    let flow = &context.analysis.flow;
    let variables: Vec<ObjId> =
        flow.object_ids().filter(|id| flow.object(*id).role == Some(Role::AsyncContext)).collect();
    let [only] = variables.as_slice() else { return None };
    let Made::Expr(made) = flow.object(*only).site else { return None };
    let holder = flow.holder(*only).filter(|_| context.here(made))?;
    let runs = flow.program.exprs().filter(|at| context.here(*at)).filter(|at| {
        let ExprKind::Call { callee, .. } = flow.program.kind(*at) else { return false };
        let callee = At { module: at.module, id: *callee };
        let ExprKind::Member { object, name } = flow.program.kind(callee) else { return false };
        matches!(name.text(), "run" | "enterWith")
            && flow.objects_at(At { module: at.module, id: *object }).any(|id| id == *only)
    });
    let runs: Vec<Site> = runs.map(|at| site(context, context.spot(at))).collect();
    (!runs.is_empty()).then(|| Ambient {
        declared: site(context, Spot { module: holder.module, span: holder.span }),
        made: site(context, context.spot(made)),
        runs,
    })
}
