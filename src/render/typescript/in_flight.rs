//! Requests in flight: what takes the place of a table of sessions where something counted them, waited for them, or kept their
//! number down. Texts come in the file's style, at no indentation.

use rustc_hash::FxHashSet;

use super::entry::{Answer, Entry};
use super::imports::Wanted;
use super::script::{Script, children};
use crate::plan::web::Framework;

/// What a count of sessions says now; stands above the code that tells it.
pub const COUNTS: &str = "// The key keeps its name for whoever reads it; it counts requests in flight now.";

/// How long shutdown waits for requests, in milliseconds: one that hangs must not keep the process.
const LATEST: &str = "10_000";

/// A request during shutdown.
const DRAINING: Answer<'static> =
    Answer { status: 503, header: Some(("Connection", "close")), code: -32000, message: "Server is shutting down" };

/// What is told of a shutdown that waits.
pub const DRAINS: &str = "Shutdown has no sessions to close any more: it lets requests in flight be answered, for ten seconds at most, \
     and turns new ones away with 503 meanwhile.";

/// A request too many.
const FULL: Answer<'static> =
    Answer { status: 503, header: Some(("Retry-After", "1")), code: -32000, message: "Server is busy" };

/// Names for what is emitted, none of which the file knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// The set of requests.
    pub set: String,
    /// The function that puts them in.
    pub track: String,
    /// The flag that shutdown sets.
    pub draining: String,
}

impl Names {
    /// Names that are free in all of some files.
    pub fn free(scripts: &[&Script]) -> Self {
        let name = |wanted: &[&str]| free_name_in(scripts, wanted);
        Self {
            set: name(&["inFlight", "requestsInFlight"]),
            track: name(&["track", "trackRequest"]),
            draining: name(&["draining", "shuttingDown"]),
        }
    }
}

/// What has to be kept of a table of sessions.
#[derive(Clone, Copy, Debug)]
pub struct InFlight<'a> {
    /// Where the code goes. Its request and response are those that the emitted function will have.
    pub entry: &'a Entry<'a>,
    /// The names.
    pub names: &'a Names,
    /// Shutdown waits for requests, and turns new ones away.
    pub drains: bool,
    /// How many there may be, an expression.
    pub cap: Option<&'a str>,
    /// Requests go to a handler of the second SDK, whose subscription streams end with the handler, not with the request.
    pub modern: bool,
    /// The type of the third parameter of middleware, where types are written.
    pub next: Option<&'a str>,
    /// The types of request, response and `next`, where types are written in comments.
    pub documented: Option<(&'a str, &'a str, &'a str)>,
}

impl InFlight<'_> {
    /// The set and the function that fills it. `None` for handlers that have nothing to hang it on.
    pub fn declarations(&self) -> Option<String> {
        let Names { set, draining, .. } = self.names;
        let comment = match (self.drains, self.modern) {
            (true, false) => "// Requests being answered, so that shutdown can wait for them.",
            (true, true) => {
                "// Requests being answered, so that shutdown can wait for them. A subscription stream ends with the handler instead."
            }
            (false, _) => "// Requests being answered.",
        };
        let held = self.held();
        let ty = self.entry.types.map_or(String::new(), |_| format!("<{held}>"));
        let flag = if self.drains { format!("\nlet {draining} = false;") } else { String::new() };
        let track = match self.entry.framework {
            Framework::Express => self.express(),
            Framework::Fastify => self.fastify(),
            Framework::Node => self.node(),
            Framework::Hono => self.hono(),
            Framework::Koa => self.koa(),
            Framework::Web => return None,
        };
        let (set_type, track_type) = self.comments();
        let text = format!("{comment}\n{set_type}const {set} = new Set{ty}();{flag}\n\n{track_type}{track}");
        Some(self.entry.style.dress(&text))
    }

    /// The comments that say the types of the set and of the function.
    fn comments(&self) -> (String, String) {
        let Some((request, response, next)) = self.documented else { return Default::default() };
        let param = |ty: &str, name: &str| format!(" @param {{{ty}}} {name}");
        let (own, of_response) = (self.entry.request, self.entry.response);
        let unused = if self.modern { "" } else { "_" };
        let (held, params) = match self.entry.framework {
            Framework::Hono | Framework::Web => {
                ("Promise<void>".to_owned(), param(request, own) + &param(next, "next"))
            }
            Framework::Fastify => {
                let raw = self.entry.style.string("raw");
                (format!("{response}[{raw}]"), param(request, &format!("_{own}")) + &param(response, of_response))
            }
            Framework::Koa => {
                let res = self.entry.style.string("res");
                (format!("{request}[{res}]"), param(request, own) + &param(next, "next"))
            }
            Framework::Node => (response.to_owned(), param(response, of_response)),
            Framework::Express => {
                let params = [
                    (request, format!("{unused}{own}")),
                    (response, of_response.to_owned()),
                    (next, "next".to_owned()),
                ];
                (response.to_owned(), params.iter().map(|(ty, name)| param(ty, name)).collect())
            }
        };
        (format!("/** @type {{Set<{held}>}} */\n"), format!("/**{params} */\n"))
    }

    /// The statement behind the wait that takes requests again: another start is served.
    pub fn take_again(&self) -> String {
        let style = self.entry.style;
        format!("{}{}", style.newline, style.dress(&format!("{} = false;", self.names.draining)))
    }

    /// The statements with which shutdown waits. They stand in an asynchronous function, at an indentation.
    pub fn drain(&self, indent: &str) -> String {
        let Names { set, draining, .. } = self.names;
        let style = self.entry.style;
        let late = format!("AbortSignal.timeout({LATEST})");
        let wait = match self.entry.framework {
            Framework::Hono | Framework::Web => {
                let abort = style.string("abort");
                let comma = if style.trailing_commas { "," } else { "" };
                let late = format!("new Promise((resolve) => {late}.addEventListener({abort}, resolve))");
                format!("await Promise.race([\n\tPromise.allSettled([...{set}]),\n\t{late}{comma}\n]);")
            }
            _ => {
                let parameter = if style.arrow_parentheses { "(res)" } else { "res" };
                let comma = if style.argument_commas { "," } else { "" };
                let (each, once) = (format!("[...{set}].map({parameter} =>"), style.string("close"));
                let once = format!("once(res, {once}, {{ signal: {late} }})");
                let ways = [
                    format!("await Promise.allSettled({each} {once}));"),
                    format!("await Promise.allSettled(\n\t{each} {once}){comma}\n);"),
                    format!("await Promise.allSettled(\n\t{each}\n\t\t{once}{comma}\n\t){comma}\n);"),
                ];
                let ways = ways.map(|way| style.dress(&way));
                return format!(
                    "{}{}{}",
                    style.dress(&format!("{draining} = true;")),
                    style.newline,
                    style.fitting(indent, &ways)
                );
            }
        };
        style.dress(&format!("{draining} = true;\n{wait}"))
    }

    /// The route's further argument, or for `createServer` the statement at the start of the handler, that counts its requests.
    pub fn hook(&self) -> String {
        let track = &self.names.track;
        match self.entry.framework {
            Framework::Fastify => format!("{{ preHandler: {track} }}"),
            Framework::Node if self.turns_away() => {
                self.entry.style.dress(&format!("if (!{track}({})) return;", self.entry.response))
            }
            Framework::Node => self.entry.style.dress(&format!("{track}({});", self.entry.response)),
            _ => track.clone(),
        }
    }

    /// Whether some requests are turned away.
    pub fn turns_away(&self) -> bool {
        self.drains || self.cap.is_some()
    }

    /// Imports that the emitted code needs.
    pub fn imports(&self) -> Vec<Wanted<'static>> {
        let waits = self.drains && !self.entry.framework.returns();
        let once = Wanted { source: "node:events", name: "once", alias: None, is_type: false };
        if waits { vec![once] } else { Vec::new() }
    }

    /// What the set holds.
    fn held(&self) -> String {
        match self.entry.framework {
            Framework::Hono | Framework::Web => "Promise<void>".to_owned(),
            Framework::Fastify => {
                let raw = self.entry.style.string("raw");
                format!("{}[{raw}]", self.entry.types.map_or("", |(_, response)| response))
            }
            Framework::Koa => {
                let res = self.entry.style.string("res");
                format!("{}[{res}]", self.entry.types.map_or("", |(context, _)| context))
            }
            _ => self.entry.types.map_or("", |(_, response)| response).to_owned(),
        }
    }

    /// Turns requests away, each with its condition.
    fn gates(&self, leave: &str) -> String {
        let Names { set, draining, .. } = self.names;
        let mut out = String::new();
        let gate = |condition: &str, answer: &Answer<'_>| {
            let text = self.entry.undressed(answer);
            let text = match leave {
                "" => format!("return {text}"),
                leave => format!("{text}\n{leave}"),
            };
            format!("\tif ({condition}) {{\n{}\n\t}}\n", indented(&text, 2))
        };
        if self.drains {
            out += &gate(draining, &DRAINING);
        }
        if let Some(cap) = self.cap {
            out += &gate(&format!("{set}.size >= {cap}"), &FULL);
        }
        out
    }

    /// Puts a response in, and takes it out when it is done or its client gone.
    fn admit(&self, response: &str) -> String {
        let set = &self.names.set;
        let on =
            |event: &str| format!("{response}.on({}, () => {set}.delete({response}));", self.entry.style.string(event));
        // A bound is released as soon as the answer is written, whatever the connection does afterwards.
        let finish = if self.cap.is_some() { format!("{}\n", on("finish")) } else { String::new() };
        format!("{set}.add({response});\n{finish}{}", on("close"))
    }

    fn express(&self) -> String {
        let entry = self.entry;
        let track = &self.names.track;
        let gates = self.gates("return;");
        let admit = self.admit(entry.response);
        let (unused, admit) = match self.modern {
            true => {
                let method = entry.style.string("subscriptions/listen");
                ("", format!("if ({}.body?.method !== {method}) {{\n{}\n}}", entry.request, indented(&admit, 1)))
            }
            false => ("_", admit),
        };
        let parameters = match (entry.types, self.next) {
            (Some((request, response)), Some(next)) => [
                format!("{unused}{}: {request}", entry.request),
                format!("{}: {response}", entry.response),
                format!("next: {next}"),
            ],
            _ => [format!("{unused}{}", entry.request), entry.response.to_owned(), "next".to_owned()],
        };
        let comma = if entry.style.argument_commas { "," } else { "" };
        let heads = [
            format!("const {track} = ({}) => {{", parameters.join(", ")),
            format!("const {track} = (\n\t{}{comma}\n) => {{", parameters.join(",\n\t")),
        ];
        // One more level, where it stands in a function.
        let head = entry.style.fitting("  ", &heads);
        format!("{head}\n{gates}{}\n\tnext();\n}};", indented(&admit, 1))
    }

    fn fastify(&self) -> String {
        let entry = self.entry;
        let gates = self.gates("");
        let raw = format!("{}.raw", entry.response);
        let admit = indented(&self.admit(&raw), 1);
        format!("const {} = async {} => {{\n{gates}{admit}\n}};", self.names.track, entry.parameters(false))
    }

    fn koa(&self) -> String {
        let entry = self.entry;
        let (track, context) = (&self.names.track, entry.request);
        let gates = self.gates("return;");
        let admit = self.admit(&format!("{context}.res"));
        // The newest revision says the method in a header.
        let admit = match self.modern {
            true => {
                let (name, method) = (entry.style.string("mcp-method"), entry.style.string("subscriptions/listen"));
                format!("if ({context}.get({name}) !== {method}) {{\n{}\n}}", indented(&admit, 1))
            }
            false => admit,
        };
        let (context_type, next_type) = match (entry.types, self.next) {
            (Some((context, _)), Some(next)) => (format!(": {context}"), format!(": {next}")),
            _ => Default::default(),
        };
        let admit = indented(&admit, 1);
        format!(
            "const {track} = async ({context}{context_type}, next{next_type}) => {{\n{gates}{admit}\n\tawait next();\n}};"
        )
    }

    fn node(&self) -> String {
        let entry = self.entry;
        let gates = self.gates("return false;");
        let (returns, goes_on) = if self.turns_away() { (": boolean", "\n\treturn true;") } else { (": void", "") };
        let (response, returns) = match entry.types {
            Some((_, response)) => (format!("{}: {response}", entry.response), returns),
            None => (entry.response.to_owned(), ""),
        };
        let admit = indented(&self.admit(entry.response), 1);
        format!("const {} = ({response}){returns} => {{\n{gates}{admit}{goes_on}\n}};", self.names.track)
    }

    /// The answer may stream on after the handler, so that its body is watched.
    fn hono(&self) -> String {
        let entry = self.entry;
        let (Names { set, track, .. }, context) = (self.names, entry.request);
        let gates = self.gates("");
        let (context_type, next_type, void) = match (entry.types, self.next) {
            (Some((context, _)), Some(next)) => (format!(": {context}"), format!(": {next}"), "<void>"),
            _ => (String::new(), String::new(), ""),
        };
        // The newest revision says the method in a header.
        let passes = match self.modern {
            true => {
                let (name, method) = (entry.style.string("mcp-method"), entry.style.string("subscriptions/listen"));
                format!("if ({context}.req.header({name}) === {method}) {{\n\tawait next();\n\treturn;\n}}\n")
            }
            false => String::new(),
        };
        let done = if self.documented.is_some() { "/** @type {Promise<void>} */\n" } else { "" };
        let body = format!(
            "{passes}let finish = () => {{}};\n{done}const done = new Promise{void}((resolve) => {{\n\tfinish = resolve;\n}});\n{set}.add(done);\n\
             void done.then(() => {set}.delete(done));\nawait next();\nconst {{ body }} = {context}.res;\nif (!body) {{\n\tfinish();\n\treturn;\n}}\n\
             const {{ readable, writable }} = new TransformStream();\nvoid body\n\t.pipeTo(writable)\n\t.catch(() => {{}})\n\t.finally(finish);\n\
             {context}.res = new Response(readable, {context}.res);"
        );
        format!(
            "const {track} = async ({context}{context_type}, next{next_type}) => {{\n{gates}{}\n}};",
            indented(&body, 1)
        )
    }
}

/// The first of some names that a file does not use; where it uses all, the last with a number.
pub fn free_name(script: &Script, wanted: &[&str]) -> String {
    free_name_in(&[script], wanted)
}

/// The same for several files.
fn free_name_in(scripts: &[&Script], wanted: &[&str]) -> String {
    let mut names: FxHashSet<&str> = FxHashSet::default();
    for script in scripts {
        let mut stack = vec![script.tree.root_node()];
        while let Some(node) = stack.pop() {
            if matches!(
                node.kind(),
                "identifier"
                    | "shorthand_property_identifier"
                    | "shorthand_property_identifier_pattern"
                    | "type_identifier"
            ) {
                names.insert(script.of(node));
            }
            stack.extend(children(node));
        }
    }
    let used = |name: &str| names.contains(name);
    let numbered = (2..).map(|number| format!("{}{number}", wanted.last().copied().unwrap_or("name")));
    wanted.iter().map(|name| (*name).to_owned()).chain(numbered).find(|name| !used(name)).unwrap_or_default()
}

/// Whether a text has a name as a word of its own, in whatever place.
pub fn mentions(text: &str, name: &str) -> bool {
    let word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '$' | '#');
    text.match_indices(name).any(|(at, _)| {
        !text[..at].chars().next_back().is_some_and(word) && !text[at + name.len()..].chars().next().is_some_and(word)
    })
}

fn indented(text: &str, levels: usize) -> String {
    let tabs = "\t".repeat(levels);
    let lines = text.split('\n').map(|line| if line.is_empty() { String::new() } else { format!("{tabs}{line}") });
    lines.collect::<Vec<_>>().join("\n")
}
