//! State in a store outside of the program (Redis, a key-value store): backend and expiry stay, only the id in the key changes. A new
//! tool mints the id and writes the first value under it.

use super::carriers::{Problem, follow};
use super::names::{Names, Source};
use super::nouns;
use super::planner::{RULE, Words, called, handler_tools};
use super::stops::unreached;
use super::{Carries, Entry, Outside, Role, ToolUse, Touch, composite, facts};
use crate::classify::access::Kind;
use crate::classify::answer::{Principal, Server};
use crate::classify::stores::Found;
use crate::model::vocabulary::Role as Known;
use crate::plan::{Claim, Level, PlanSettings, Site, Step, StepKind, site};
use crate::rules::detect::{Context, Spot};
use crate::rules::session_fallback_bucket;

/// A store outside of the program whose keys hold a handle.
#[derive(Clone, Debug)]
pub struct External {
    /// Its name: the literal part of its keys.
    pub name: String,
    /// Where the client is declared.
    pub declared: Site,
    /// How things are called.
    pub names: Names,
    /// Functions that the handle passes through.
    pub carriers: Vec<Carries>,
    /// Accesses in them.
    pub touches: Vec<Touch>,
    /// Accesses elsewhere.
    pub outside: Vec<Outside>,
    /// Tools that reach the store.
    pub tools: Vec<ToolUse>,
    /// Constructions of servers, whose instructions may speak of sessions.
    pub servers: Vec<Site>,
    /// Schemas let callers leave the handle out, for a time.
    pub transition: bool,
}

impl External {
    /// The tool that drops a value, where there is one already.
    pub fn destroyer(&self) -> Option<&str> {
        self.tools.iter().find(|tool| tool.role == Role::Destroys).map(|tool| tool.name.as_str())
    }
}

/// Packages whose containers may keep their values anywhere.
const BACKED: &[&str] = &[
    "keyv",
    "@keyvhq/core",
    "unstorage",
    "cacheable",
    "cache-manager",
    "ioredis",
    "redis",
    "@redis/client",
    "@upstash/redis",
    "@vercel/kv",
    "@netlify/blobs",
    "level",
    "classic-level",
    "lmdb",
];

/// Whether the values of a store are kept outside of the program.
pub fn is_outside(context: &Context<'_, '_>, found: &Found) -> bool {
    let flow = &context.analysis.flow;
    // `Object.create(null)` comes from elsewhere, and is kept here all the same.
    let known = facts::made(context.analysis, found).and_then(|at| facts::container(context.analysis, at)).is_some();
    found.objects.iter().all(|id| {
        let object = flow.object(*id);
        object.role == Some(Known::External)
            || object.external.is_some_and(|(package, _)| BACKED.contains(&package.text()))
            || (!known && object.role.is_none() && object.class.is_none() && object.external.is_some())
    })
}

/// Plans what becomes of such a store.
pub(super) fn step(
    context: &Context<'_, '_>,
    server: &Server,
    found: &Found,
    words: &Words,
    settings: &PlanSettings,
) -> Result<Step, Problem> {
    let declared = site(context, Spot { module: found.holder.module, span: found.holder.span });
    let stop = |why: &str, todo: &str| Problem { at: declared.clone(), why: why.to_owned(), todo: todo.to_owned() };
    if found.with_auth || found.with_transport {
        return Err(stop(
            "its values hold credentials or identities, and these never become handles",
            "take the caller from each request (`authInfo`), and keep the rest under a key of its own",
        ));
    }
    if server.principal == Principal::User {
        return Err(stop(
            "the server knows its users, and who owns a value has to stand in the store as well",
            "let a create tool write the first value under a random id behind a hash of issuer, client and subject (`cart:<owner>:<id>`)",
        ));
    }
    composite::check(context, &[found])?;
    let followed = follow(context, found, &[]);
    if let Some(problem) = followed.problems.first() {
        return Err(problem.clone());
    }
    let tools = handler_tools(context, found, &[], &followed)?;
    if tools.is_empty() {
        return Err(unreached(context, found, &followed));
    }
    if let Some(tool) = tools.iter().find(|tool| tool.entry.is_some()) {
        return Err(Problem {
            at: tool.registration.clone(),
            why: "one handler serves all tools, and the errors of a store outside are not answered by it".to_owned(),
            todo: "let the tools that use it take an id, and a new tool write the first value under a random one"
                .to_owned(),
        });
    }
    for (kind, why) in [
        (Kind::Read, "no place was seen where a value is read"),
        (Kind::Write, "no place was seen where a value is written"),
    ] {
        if !followed.touches.iter().any(|touch| touch.kind == kind) {
            return Err(stop(
                why,
                "let a create tool write the first value under a random id, and put that id in the key where the session id stands now",
            ));
        }
    }
    let prefix = found.name.text().trim_matches([':', '/', '.', '-', '_', '#']);
    let several =
        crate::classify::words::words(prefix).last().is_some_and(|last| super::names::singular(last) != *last);
    let chosen = settings.names_of(&called(context, found, &[]));
    let instead = nouns::instead(context, &tools, None, words);
    let names = Names::of(&Source {
        store: prefix,
        instead: &instead,
        value: found.value.as_deref(),
        // `notes:` under one id is a list of notes, where the tools speak of one note.
        list: several && found.value.is_none(),
        tools: &words.tools,
        arguments: &words.arguments,
        chosen: &chosen,
    });
    let mut carriers = followed.carriers;
    for carrier in &mut carriers {
        if let Entry::Handler(indices) = &mut carrier.entry {
            *indices = (0..tools.len()).filter(|index| tools[*index].handler == carrier.function).collect();
        }
    }
    let mut claims = vec![Claim { rule: RULE, at: declared.clone() }];
    if let Some(key) = found.fallback {
        claims.push(Claim { rule: session_fallback_bucket::RULE.name, at: site(context, context.spot(key)) });
    }
    let ends = tools.iter().any(|tool| tool.role == Role::Destroys);
    let mut notes = vec![
        format!("{} is new: it writes the first value under a new id", names.create),
        "the backend and its expiry stay; only the id in the key changes".to_owned(),
    ];
    if ends {
        notes.push(format!("a tool drops the {} already: none for that is added", names.noun));
    }
    Ok(Step {
        id: format!("handle:{}#{}", declared.path, found.name),
        rule: RULE,
        title: format!("Keep {} by handle", found.name),
        level: Level::Review,
        requires: Vec::new(),
        claims,
        notes,
        kind: StepKind::External(Box::new(External {
            name: found.name.text().to_owned(),
            declared,
            names,
            carriers,
            touches: followed.touches,
            outside: followed.outside,
            tools,
            servers: facts::servers(context),
            transition: settings.transition,
        })),
    })
}
