//! The code that serves requests without sessions, for each framework: a server and a transport for each request, their one close,
//! and the answer to methods that are gone. Texts come in the file's style, at no indentation.

use super::style::Style;
use crate::plan::web::Framework;

/// Where the code goes: what it can name, and how the file is written.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// The file's style.
    pub style: &'a Style,
    /// Whose handlers they are.
    pub framework: Framework,
    /// What the handler calls the request (Hono: the context).
    pub request: &'a str,
    /// What the handler calls the response; empty where it has none.
    pub response: &'a str,
    /// The types that parameters need where nothing implies them: request and response.
    pub types: Option<(&'a str, &'a str)>,
}

/// How a transport is told to open no sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generator {
    /// `sessionIdGenerator: undefined`: needed by old releases, taken by all.
    Undefined,
    /// No such key: the type of newer releases leaves `undefined` out under `exactOptionalPropertyTypes`.
    LeftOut,
}

/// What serves one request on the first SDK.
#[derive(Clone, Copy, Debug)]
pub struct Serve<'a> {
    /// The expression that builds the server: `buildServer()`; empty where the transport comes connected.
    pub build: &'a str,
    /// The variable that holds the server.
    pub server: &'a str,
    /// What closes with the answer: the server, or the transport where an object of the program is around the server.
    pub closes: &'a str,
    /// The variable that holds the transport.
    pub transport: &'a str,
    /// What is constructed: `StreamableHTTPServerTransport`.
    pub class: &'a str,
    /// The expression that makes it, where a function of the program does: `createTransport()`.
    pub made: Option<&'a str>,
    /// How it is told.
    pub generator: Generator,
    /// Its other options, each as written.
    pub options: &'a [&'a str],
    /// The method that connects the two: `connect`.
    pub method: &'a str,
    /// What stands behind the transport where it is connected: ` as Transport`, or nothing.
    pub cast: &'a str,
    /// The arguments of `handleRequest`, as written.
    pub arguments: &'a str,
    /// The code around catches nothing, and neither does the framework.
    pub guarded: bool,
}

/// The handler of the second SDK, which makes a server for each request by itself.
#[derive(Clone, Copy, Debug)]
pub struct Modern<'a> {
    /// The factory: `buildServer`, `() => getServer(config)`.
    pub factory: &'a str,
    /// The variable of the handler; empty where nobody closes it and only the platform's form of it is needed.
    pub handler: &'a str,
    /// The variable of its form for the platform's request and response.
    pub node: &'a str,
    /// Options of the handler, each as written.
    pub options: &'a [&'a str],
}

/// Why a request is turned away.
#[derive(Clone, Copy, Debug)]
pub struct Answer<'a> {
    /// The status.
    pub status: u16,
    /// A header and its value.
    pub header: Option<(&'a str, &'a str)>,
    /// The code of the JSON-RPC error.
    pub code: i32,
    /// Its text.
    pub message: &'a str,
}

/// GET and DELETE have nothing to say without sessions.
pub const NOT_ALLOWED: Answer<'static> =
    Answer { status: 405, header: Some(("Allow", "POST")), code: -32000, message: "Method not allowed." };

/// What a failed request is answered.
pub const INTERNAL: Answer<'static> =
    Answer { status: 500, header: None, code: -32603, message: "Internal server error" };

impl Entry<'_> {
    /// Server, transport, close, connect, answer: all for one request, on the first SDK.
    pub fn serve(&self, serve: &Serve<'_>) -> String {
        self.style.dress(&self.serve_plain(serve))
    }

    /// The statements that answer with an error.
    pub fn answer(&self, answer: &Answer<'_>) -> String {
        self.style.dress(&self.answer_plain(answer))
    }

    /// The statement that turns a method away, and ends the handler where it does not end by itself.
    pub fn answer_and_leave(&self, answer: &Answer<'_>) -> String {
        let text = self.answer_plain(answer);
        self.style.dress(&if self.framework.returns() { text } else { format!("{text}\nreturn;") })
    }

    /// A handler that answers methods that are gone: `(_req, res) => { … }`.
    pub fn not_allowed_handler(&self) -> String {
        let parameters = self.parameters(false);
        let text = format!("{parameters} => {{\n{}\n}}", indented(&self.answer_plain(&NOT_ALLOWED)));
        self.style.dress(&text)
    }

    /// The route that answers methods that are gone; it stands behind that of POST. `path` is an expression, as written.
    pub fn not_allowed_route(&self, app: &str, path: &str) -> String {
        let parameters = self.parameters(false);
        let text = match self.framework {
            Framework::Hono | Framework::Web => {
                let answer = self.answer_value(&NOT_ALLOWED);
                let answer = answer.strip_suffix(';').unwrap_or(&answer);
                format!("{app}.all({path}, {parameters} =>\n{}{}\n);", indented(answer), self.argument_comma())
            }
            Framework::Fastify => {
                let (get, delete) = (self.style.string("GET"), self.style.string("DELETE"));
                let answer = indented(&indented(&self.answer_plain(&NOT_ALLOWED)));
                let comma = self.comma();
                format!(
                    "{app}.route({{\n\tmethod: [{get}, {delete}],\n\turl: {path},\n\thandler: {parameters} => {{\n{answer}\n\t}}{comma}\n}});"
                )
            }
            Framework::Express | Framework::Koa | Framework::Node => {
                format!("{app}.all({path}, {parameters} => {{\n{}\n}});", indented(&self.answer_plain(&NOT_ALLOWED)))
            }
        };
        self.style.dress(&text)
    }

    /// The statement that closes what served the request, once, when the response is done or its client gone. For frameworks whose
    /// handlers write their answer.
    pub fn close(&self, server: &str) -> String {
        self.style.dress(&self.close_plain(server))
    }

    /// `(req, res)`, typed where nothing implies the types; `request` says whether the request is used.
    pub fn parameters(&self, request: bool) -> String {
        let unused = if request || self.framework.has_context() || self.request.starts_with('_') { "" } else { "_" };
        let first = format!("{unused}{}", self.request);
        if self.response.is_empty() {
            return match self.types {
                Some((ty, _)) => format!("({first}: {ty})"),
                None => format!("({first})"),
            };
        }
        match self.types {
            Some((request, response)) => format!("({first}: {request}, {}: {response})", self.response),
            None => format!("({first}, {})", self.response),
        }
    }

    /// The `catch` of a body that has none: `catch (error) { … }`.
    pub fn caught(&self) -> String {
        self.style.dress(&self.caught_plain())
    }

    /// The declarations of a handler of the second SDK; they stand outside of all handlers of requests.
    pub fn modern(&self, modern: &Modern<'_>) -> String {
        let Modern { factory, handler, node, options } = modern;
        let options = match options {
            [] => String::new(),
            options => format!(", {{\n\t{}{}\n}}", options.join(",\n\t"), self.comma()),
        };
        let made = format!("createMcpHandler({factory}{options})");
        let text = match (self.framework.returns(), handler.is_empty()) {
            (true, _) => format!("const {handler} = {made};"),
            (false, true) => format!("const {node} = toNodeHandler({made});"),
            (false, false) => format!("const {handler} = {made};\nconst {node} = toNodeHandler({handler});"),
        };
        self.style.dress(&text)
    }

    /// What hands a request to a handler of the second SDK, as an expression; `arguments` are those that the transport was given.
    pub fn modern_call(&self, modern: &Modern<'_>, arguments: &str) -> String {
        match self.framework.returns() {
            true => format!("{}.fetch({arguments})", modern.handler),
            false => format!("{}({arguments})", modern.node),
        }
    }

    fn serve_plain(&self, serve: &Serve<'_>) -> String {
        let Serve { build, transport, class, cast, arguments, .. } = serve;
        let options = || transport_options(serve.generator, serve.options, self.style.trailing_commas);
        let made = serve.made.map_or_else(|| format!("new {class}({})", options()), str::to_owned);
        let made = format!("const {transport} = {made};");
        // What is connected already closes with its transport.
        let (server, made, connect) = match build.is_empty() && serve.made.is_some() {
            true => (transport, made, String::new()),
            false => (
                &serve.closes,
                format!("const {} = {build};\n{made}", serve.server),
                format!("\nawait {}.{}({transport}{cast});", serve.server, serve.method),
            ),
        };
        let json = serve.options.iter().any(|option| says_json(option));
        let body = match self.framework {
            Framework::Hono | Framework::Web if json => format!(
                "{made}{connect}\ntry {{\n\treturn await {transport}.handleRequest({arguments});\n}} finally {{\n\tawait {server}.close();\n}}"
            ),
            // The answer is a stream that goes on after the handler: the server closes when it ends, or when nobody reads it any more.
            Framework::Hono | Framework::Web => format!(
                "{made}{connect}\nconst response = await {transport}.handleRequest({arguments});\nif (!response.body) {{\n\tawait {server}.close();\n\treturn response;\n}}\n\
                 // The answer may stream on after the handler: the server closes when it ends, or when nobody reads it any more.\n\
                 const {{ readable, writable }} = new TransformStream();\nvoid response.body\n\t.pipeTo(writable)\n\t.catch(() => {{}})\n\t.finally(() => {server}.close());\nreturn new Response(readable, response);"
            ),
            _ => {
                format!("{made}\n{}{connect}\nawait {transport}.handleRequest({arguments});", self.close_plain(server))
            }
        };
        if serve.guarded { format!("try {{\n{}\n}} {}", indented(&body), self.caught_plain()) } else { body }
    }

    /// Tells the framework that the answer is written to the platform's response: empty where it need not be told.
    pub fn hijack(&self) -> String {
        match self.framework {
            Framework::Fastify => self.style.dress(&format!("{}.hijack();", self.response)),
            Framework::Koa => self.style.dress(&format!("{}.respond = false;", self.request)),
            _ => String::new(),
        }
    }

    /// The platform's response.
    fn written(&self) -> String {
        match self.framework {
            Framework::Fastify => format!("{}.raw", self.response),
            Framework::Koa => format!("{}.res", self.request),
            _ => self.response.to_owned(),
        }
    }

    fn close_plain(&self, server: &str) -> String {
        let close = self.style.string("close");
        format!("{}.on({close}, () => void {server}.close());", self.written())
    }

    fn caught_plain(&self) -> String {
        let log = format!("console.error({}, error);", self.style.string("request failed"));
        if self.framework.returns() {
            return format!("catch (error) {{\n\t{log}\n{}\n}}", indented(&self.answer_plain(&INTERNAL)));
        }
        // Fastify and Koa were told that the answer is no matter of their own.
        let raw = matches!(self.framework, Framework::Fastify | Framework::Koa);
        let written = Entry { framework: if raw { Framework::Node } else { self.framework }, ..*self };
        let response = self.written();
        let answer = Entry { response: &response, ..written }.answer_plain(&INTERNAL);
        format!(
            "catch (error) {{\n\t{log}\n\tif (!{response}.headersSent) {{\n{}\n\t}}\n}}",
            indented(&indented(&answer))
        )
    }

    /// An answer as an expression statement, not in the style yet: for texts that are put together from several.
    pub(super) fn undressed(&self, answer: &Answer<'_>) -> String {
        self.answer_value(answer)
    }

    fn answer_plain(&self, answer: &Answer<'_>) -> String {
        let value = self.answer_value(answer);
        if self.framework.returns() { format!("return {value}") } else { value }
    }

    /// The error as an expression statement; for handlers that return, what they return. Its body stands over several lines, as
    /// formatters leave it whatever the width of a line; so are calls in a chain that is as long as this.
    fn answer_value(&self, answer: &Answer<'_>) -> String {
        let Answer { status, .. } = answer;
        let (response, body) = (self.response, self.body(answer));
        let header = answer.header.map(|(name, value)| (name, self.style.string(value)));
        match self.framework {
            Framework::Express | Framework::Fastify => {
                let (set_status, set_header, send) = match self.framework {
                    Framework::Express => ("status", "set", "json"),
                    _ => ("code", "header", "send"),
                };
                let Some((name, value)) = header else {
                    return format!("{response}.{set_status}({status}).{send}({body});");
                };
                // A name that is no longer than an indentation has its first call beside it.
                let first = if response.len() <= self.style.indent.text().len() { "" } else { "\n\t" };
                let name = self.style.string(name);
                let body = deeper(&body);
                format!(
                    "{response}{first}.{set_status}({status})\n\t.{set_header}({name}, {value})\n\t.{send}({body});"
                )
            }
            Framework::Hono => {
                let set = header.map(|(name, value)| format!(",\n\t{{ {name}: {value} }}"));
                let (request, body, comma) = (self.request, deeper(&body), self.argument_comma());
                format!("{request}.json(\n\t{body},\n\t{status}{}{comma}\n);", set.unwrap_or_default())
            }
            Framework::Koa => {
                let context = self.request;
                let set = header.map(|(name, value)| format!("{context}.set({}, {value});\n", self.style.string(name)));
                format!("{context}.status = {status};\n{}{context}.body = {body};", set.unwrap_or_default())
            }
            Framework::Web => {
                let set = header.map(|(name, value)| format!(", headers: {{ {name}: {value} }}"));
                let (body, comma) = (deeper(&body), self.argument_comma());
                format!("Response.json(\n\t{body},\n\t{{ status: {status}{} }}{comma}\n);", set.unwrap_or_default())
            }
            Framework::Node => {
                let comma = self.argument_comma();
                let json = format!("{}: {}", self.style.string("Content-Type"), self.style.string("application/json"));
                match header {
                    Some((name, value)) => format!(
                        "{response}\n\t.writeHead({status}, {{ {name}: {value}, {json} }})\n\t.end(\n\t\tJSON.stringify({}){comma}\n\t);",
                        deeper(&deeper(&body))
                    ),
                    None => format!(
                        "{response}.writeHead({status}, {{ {json} }}).end(\n\tJSON.stringify({}){comma}\n);",
                        deeper(&body)
                    ),
                }
            }
        }
    }

    fn body(&self, answer: &Answer<'_>) -> String {
        let (version, message) = (self.style.string("2.0"), self.style.string(answer.message));
        let (code, comma) = (answer.code, self.comma());
        format!("{{\n\tjsonrpc: {version},\n\terror: {{ code: {code}, message: {message} }},\n\tid: null{comma}\n}}")
    }

    fn comma(&self) -> &'static str {
        if self.style.trailing_commas { "," } else { "" }
    }

    fn argument_comma(&self) -> &'static str {
        if self.style.argument_commas { "," } else { "" }
    }
}

/// The argument of a transport's constructor.
fn transport_options(generator: Generator, options: &[&str], trailing: bool) -> String {
    let mut lines: Vec<&str> = Vec::new();
    if generator == Generator::Undefined {
        lines.push("sessionIdGenerator: undefined");
    }
    lines.extend(options);
    let comma = if trailing { "," } else { "" };
    match lines.as_slice() {
        [] => String::new(),
        lines => format!("{{\n\t{}{comma}\n}}", lines.join(",\n\t")),
    }
}

/// Whether an option makes each answer one JSON body.
fn says_json(option: &str) -> bool {
    option.split_once(':').is_some_and(|(name, value)| name.trim() == "enableJsonResponse" && value.trim() == "true")
}

/// Text whose lines but the first have one more level of indentation.
fn deeper(text: &str) -> String {
    text.replace('\n', "\n\t")
}

/// Text with one more level of indentation.
fn indented(text: &str) -> String {
    let lines = text.split('\n').map(|line| if line.is_empty() { String::new() } else { format!("\t{line}") });
    lines.collect::<Vec<_>>().join("\n")
}
