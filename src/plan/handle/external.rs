//! State in a store outside of the program (Redis, a key-value store): backend and expiry stay, only the id in the key changes. A new
//! tool mints the id and writes the first value under it.

use super::carriers::{Problem, follow};
use super::clients::{self, Client};
use super::names::{self, Names, Source};
use super::nouns;
use super::planner::{RULE, Words, called, handler_tools};
use super::stops::unreached;
use super::{Carries, Entry, Outside, Role, ToolUse, Touch, composite, facts, roles};
use crate::classify::access::{Access, Kind};
use crate::classify::answer::{Principal, Server};
use crate::classify::own_stores;
use crate::classify::stores::Found;
use crate::model::facts::ExprKind;
use crate::model::flow::Flow;
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef};
use crate::model::vocabulary::{Op, Role as Known};
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
    /// The class of the program's own that keeps the values.
    pub own: Option<Own>,
    /// The client of Redis that keeps the values, where it is one that is known.
    pub client: Option<Client>,
    /// A value stands under several keys, or grows by commands: no single write makes one.
    pub scattered: bool,
}

/// A class of the program's own that keeps values by id: its methods.
#[derive(Clone, Debug)]
pub struct Own {
    /// The one that answers a value.
    pub get: String,
    /// The one that drops it, where there is one.
    pub drop: Option<String>,
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
        own_stores::class(flow, *id).is_some()
            || object.role == Some(Known::External)
            || object.external.is_some_and(|(package, _)| BACKED.contains(&package.text()))
            || (!known && object.role.is_none() && object.class.is_none() && object.external.is_some())
    })
}

/// Commands that read, write or drop a whole value.
const WHOLE: &[&str] = &[
    "get",
    "set",
    "setex",
    "setEx",
    "psetex",
    "pSetEx",
    "put",
    "getItem",
    "setItem",
    "removeItem",
    "setJSON",
    "getex",
    "getEx",
    "has",
    "exists",
    "del",
    "delete",
    "unlink",
    "expire",
    "pexpire",
    "pExpire",
    "ttl",
];

/// Commands by which a client that is not known lets a value grow.
const GROWS: &[&str] = &[
    "hset", "hget", "hgetall", "hincrby", "hdel", "rpush", "lpush", "lrange", "lrem", "sadd", "smembers", "srem",
    "zadd", "zrange", "incr", "incrby",
];

/// Whether values grow by commands, so that no single write makes one.
fn is_scattered(context: &Context<'_, '_>, stores: &[&Found]) -> bool {
    let program = context.analysis.flow.program;
    let command = |at: ExprRef| {
        let ExprKind::Call { callee, .. } = program.kind(at) else { return None };
        match program.kind(At { module: at.module, id: *callee }) {
            ExprKind::Member { name, .. } => Some(*name),
            _ => None,
        }
    };
    let mut uses = stores.iter().flat_map(|found| &found.uses);
    let known = clients::of(context, stores).is_some();
    let grows = |name: Name| match known {
        true => !WHOLE.contains(&name.text()),
        false => GROWS.contains(&name.text().to_ascii_lowercase().as_str()),
    };
    stores.len() > 1 || uses.any(|access| command(access.at).is_some_and(grows))
}

/// The methods of the class that keeps a store's values. What it answers where there is none has to be nothing.
fn own(context: &Context<'_, '_>, found: &Found) -> Result<Option<Own>, Problem> {
    let flow = &context.analysis.flow;
    let Some(class) = found.objects.iter().find_map(|id| own_stores::class(flow, *id)) else { return Ok(None) };
    let methods: Vec<FuncRef> =
        flow.program.class(class).methods.iter().map(|method| At { module: class.module, id: *method }).collect();
    let named = |func: &FuncRef| flow.program.function(*func).name.map(|name| name.text().to_owned());
    let called = |kind: Kind| {
        let mut uses = found.uses.iter().filter(move |access| access.kind == kind);
        uses.find_map(|access| called_method(context, access.at))
    };
    let stop = |at: ExprRef, why: &str, todo: &str| Problem {
        at: site(context, context.spot(at)),
        why: why.to_owned(),
        todo: todo.to_owned(),
    };
    let whole = |access: &&Access| {
        let ExprKind::Call { args, .. } = flow.program.kind(access.at) else { return false };
        args.len() != if access.kind == Kind::Write { 2 } else { 1 }
    };
    if let Some(part) = found.uses.iter().find(whole) {
        return Err(stop(
            part.at,
            "this method of the store takes more than the id and a value",
            "let a create tool write the first value under a random id, and put that id where the session id stands now",
        ));
    }
    if let Some(part) = own_stores::raw_path(flow, class) {
        return Err(stop(
            part,
            "a file is called after the id as it comes, and callers choose that now",
            "check its form or encode it (`encodeURIComponent`), and run again",
        ));
    }
    let Some(get) = called(Kind::Read) else { return Ok(None) };
    let reads: Vec<FuncRef> = methods.iter().copied().filter(|func| named(func).as_deref() == Some(&get)).collect();
    let nothing = |func: &FuncRef| {
        let facts = flow.program.function(*func);
        facts.returns.iter().any(|value| may_be_absent(flow, At { module: func.module, id: *value }))
    };
    if let Some(read) =
        found.uses.iter().find(|access| access.kind == Kind::Read).filter(|_| !reads.iter().any(nothing))
    {
        return Err(stop(
            read.at,
            "whether this answers nothing for an unknown id can't be told",
            "let it answer `undefined` there, and let its callers make the first value; then run again",
        ));
    }
    let drop = called(Kind::Delete).or_else(|| {
        methods
            .iter()
            .filter_map(named)
            .find(|name| own_stores::operation(name) == Some(Kind::Delete) && name != "clear")
    });
    Ok(Some(Own { get, drop }))
}

/// The name of the method that a call is of.
fn called_method(context: &Context<'_, '_>, at: ExprRef) -> Option<String> {
    let program = context.analysis.flow.program;
    let ExprKind::Call { callee, .. } = program.kind(at) else { return None };
    match program.kind(At { module: at.module, id: *callee }) {
        ExprKind::Member { name, .. } => Some(name.text().to_owned()),
        _ => None,
    }
}

/// Whether a value is nothing on some way.
fn may_be_absent(flow: &Flow<'_>, at: ExprRef) -> bool {
    let inner = |id: &crate::model::facts::ExprId| may_be_absent(flow, At { module: at.module, id: *id });
    match flow.program.kind(at) {
        ExprKind::Absent => true,
        ExprKind::Either { arms, .. } => arms.last().is_some_and(inner),
        ExprKind::Cast { value, .. } => inner(value),
        ExprKind::Index { .. } => true,
        ExprKind::Call { .. } => flow.performed(at).iter().any(|done| done.op == Op::Get),
        _ => false,
    }
}

/// What keys begin with, as the name of a thing: of several parts those that the tools speak of.
fn prefix<'n>(name: &'n str, tools: &[String]) -> Vec<&'n str> {
    let parts: Vec<&str> = name.split([':', '/', '.', '#', '|']).filter(|part| !part.is_empty()).collect();
    let told: Vec<String> = tools.iter().flat_map(|tool| crate::classify::words::words(tool)).collect();
    let spoken = |part: &&&str| {
        let words = crate::classify::words::words(part);
        words.last().is_some_and(|last| told.iter().any(|word| names::singular(word) == names::singular(last)))
    };
    let spoken: Vec<&str> = parts.iter().filter(spoken).copied().collect();
    if spoken.is_empty() { parts } else { spoken }
}

/// Plans what becomes of stores that are one thing: the first, and those beside it.
pub(super) fn step(
    context: &Context<'_, '_>,
    server: &Server,
    stores: &[&Found],
    words: &Words,
    settings: &PlanSettings,
) -> Result<Step, Problem> {
    let Some((found, others)) = stores.split_first() else { unreachable!("stores of one group") };
    let declared = site(context, Spot { module: found.holder.module, span: found.holder.span });
    let stop = |why: &str, todo: &str| Problem { at: declared.clone(), why: why.to_owned(), todo: todo.to_owned() };
    if stores.iter().any(|found| found.with_auth || found.with_transport) {
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
    composite::check(context, stores)?;
    let client = clients::of(context, stores);
    let own = own(context, found)?;
    let followed = follow(context, found, others);
    if let Some(problem) = followed.problems.first() {
        return Err(problem.clone());
    }
    let mut tools = handler_tools(context, found, others, &followed)?;
    if client.is_some() {
        tools.iter_mut().for_each(|tool| tool.role = roles::of_lazy(tool.role, &tool.name));
    }
    if tools.is_empty() {
        return Err(unreached(context, found, &followed));
    }
    // What empties a value drops its key: without a mark its handle would be gone.
    let empties = tools.iter().any(|tool| tool.role == Role::Resets);
    let scattered = empties || is_scattered(context, stores);
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
        if client.is_none() && !followed.touches.iter().any(|touch| touch.kind == kind) {
            return Err(stop(
                why,
                "let a create tool write the first value under a random id, and put that id in the key where the session id stands now",
            ));
        }
    }
    let mut prefix = prefix(found.name.text().trim_start_matches('#'), &words.tools).join("-");
    let mut named = crate::classify::words::words(&prefix);
    let several = named.last().is_some_and(|last| names::singular(last) != *last);
    if several && scattered && found.name != found.holder.name {
        // `tags:` under one id is a list of tags, whatever the tools call one.
        let last = named.pop().map(|last| names::singular(&last)).unwrap_or_default();
        named.extend([last, "list".to_owned()]);
        prefix = named.join("-");
    }
    let chosen = settings.names_of(&called(context, found, others));
    let instead = nouns::instead(context, &tools, None, words);
    let names = Names::of(&Source {
        store: &prefix,
        instead: &instead,
        value: found.value.as_deref(),
        // `notes:` under one id is a list of notes, where the tools speak of one note.
        list: (several || scattered) && found.value.is_none(),
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
    let holders = stores.iter().map(|found| Spot { module: found.holder.module, span: found.holder.span });
    let mut claims: Vec<Claim> = holders.map(|spot| Claim { rule: RULE, at: site(context, spot) }).collect();
    claims.dedup();
    for key in stores.iter().filter_map(|found| found.fallback) {
        claims.push(Claim { rule: session_fallback_bucket::RULE.name, at: site(context, context.spot(key)) });
    }
    let ends = !scattered && tools.iter().any(|tool| tool.role == Role::Destroys);
    let mut notes = vec![
        format!("{} is new: it answers a new id, by which values are kept", names.create),
        "the backend and its expiry stay; only the id in the key changes".to_owned(),
    ];
    if ends {
        notes.push(format!("a tool drops the {} already: none for that is added", names.noun));
    }
    let mut told: Vec<&str> = stores.iter().map(|found| found.name.text()).collect();
    told.dedup();
    Ok(Step {
        id: format!("handle:{}#{}", declared.path, found.name),
        rule: RULE,
        title: format!("Keep {} by handle", told.join(" and ")),
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
            own,
            client,
            scattered,
        })),
    })
}
