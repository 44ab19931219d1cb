//! What says whether there are sessions, and what only has the word in it; what labels log lines, and what is set for one request.

use mcp_migrate::rules::finding::Severity;

use crate::program::{Program, findings, report};

fn check(programs: &[Program]) {
    let mut problems = Vec::new();
    for program in programs {
        let answer = program.scan();
        for problem in program.problems(&answer) {
            problems.push(format!("{}: {problem} (findings: {:?})", program.name, findings(&answer)));
        }
    }
    report(&problems);
}

/// The same, and nothing of warning or above.
fn quiet(programs: &[Program]) {
    check(programs);
    let mut problems = Vec::new();
    for program in programs {
        let answer = program.scan();
        let loud = answer.findings.iter().filter(|f| f.severity >= Severity::Warning);
        problems.extend(loud.map(|f| format!("{}: {} at {}:{}", program.name, f.rule, f.path, f.start.line)));
    }
    report(&problems);
}

fn fastmcp(name: &'static str, text: &str) -> Program {
    Program::python(name, "fastmcp>=3.4,<4", &format!("from fastmcp import Context, FastMCP\n{text}"))
}

const CLOCK: &str = "
@mcp.tool
def now() -> str:
    return 'noon'
";

/// A record with a field called `stateless` says nothing of this server, unless it is what the server is set up with.
#[test]
fn a_word_in_a_record() {
    let saved = |field: &str| {
        format!(
            "mcp = FastMCP('desk')\n{CLOCK}\ndef saved(backend) -> dict:\n    row = {{'name': backend.name}}\n    row['{field}'] = backend.{field}\n    return row\n\nmcp.run(transport='http')\n"
        )
    };
    let spread = |value: &str| {
        format!(
            "mcp = FastMCP('desk')\n{CLOCK}\noptions = {{'port': 9000}}\noptions['stateless'] = {value}\nmcp.run(transport='http', **options)\n"
        )
    };
    quiet(&[
        fastmcp("a field of a backend's record", &saved("stateless")).category("none").facet("implicit-sessions"),
        fastmcp("handed over, sessions off", &spread("True")).category("none").facet("stateless-already"),
    ]);
    check(&[fastmcp("handed over, sessions on", &spread("False")).category("setup-only")]);
}

/// A setting of the program says what its functions answer where nobody sets anything.
#[test]
fn settings_behind_functions() {
    let served = |config: &str, value: &str| {
        fastmcp(
            "settings of the program",
            &format!("from .config import sessionless, flag\nmcp = FastMCP('desk')\n{CLOCK}\nmcp.run(transport='http', stateless_http={value})\n"),
        )
        .file("config.py", config)
    };
    let read = |default: &str| {
        format!(
            "
def flag() -> bool:
    return {default}

def _coerce_bool(value, default):
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value.lower() in ('true', '1')
    return default

def load() -> dict:
    out = {{}}
    with open('desk.conf') as lines:
        for line in lines:
            key, value = line.split('=', 1)
            out[key] = value
    return out

def sessionless() -> bool:
    config = load()
    return _coerce_bool(config.get('sessionless', {default}), {default})
"
        )
    };
    let contradicted = "
DEFAULTS = {'sessionless': False}

def flag() -> bool:
    return True

def sessionless() -> bool:
    return DEFAULTS.get('sessionless', True)
";
    quiet(&[
        served(&read("True"), "sessionless()").category("none").facet("stateless-already"),
        served(&read("True"), "flag()").category("none").facet("stateless-already"),
    ]);
    check(&[
        served(&read("False"), "sessionless()").category("setup-only").facet("stateless-already"),
        served(contradicted, "sessionless()").category("setup-only").facet("stateless-already"),
    ]);
}

/// What is set for the request alone is no state, however the method is called; what is set for the session is.
#[test]
fn set_for_the_request() {
    let bag = |write: &str| {
        format!(
            "mcp = FastMCP('desk', stateless_http=True)\n
async def _keep(ctx: Context, key: str, value, serializable: bool = False) -> None:
    setter = getattr(ctx, 'set_state', None)
    if setter is not None:
        {write}

async def client_for(ctx: Context):
    known = await ctx.get_state('client')
    if known:
        return known
    made = object()
    await _keep(ctx, 'client', made)
    return made

@mcp.tool
async def look(ctx: Context) -> str:
    return str(await client_for(ctx))

mcp.run(transport='http')
"
        )
    };
    quiet(&[
        fastmcp("for the request, through a variable", &bag("await setter(key, value, serializable=serializable)"))
            .category("none"),
        fastmcp("for the request, at once", &bag("await ctx.set_state(key, value, serializable=False)"))
            .category("none"),
    ]);
    check(&[
        fastmcp("for the session, through a variable", &bag("await setter(key, value)"))
            .category("app-state")
            .store("client:app-state:*:*"),
        fastmcp("for the session, said so", &bag("await ctx.set_state(key, value, serializable=True)"))
            .category("app-state")
            .store("client:app-state:*:*"),
    ]);
}

/// An id that goes into a record labels what the record is handed over to.
#[test]
fn labels_in_records() {
    let middleware = |put: &str, used: &str, imports: &str| {
        format!(
            "{imports}from fastmcp.server.dependencies import get_http_headers\nfrom fastmcp.server.middleware import Middleware, MiddlewareContext
mcp = FastMCP('desk')\n{CLOCK}
class Labels(Middleware):
    async def on_call_tool(self, context: MiddlewareContext, call_next):
        sid = get_http_headers(include_all=True).get('mcp-session-id')
        {put}
        {used}
        return await call_next(context)

mcp.add_middleware(Labels())
mcp.run(transport='http')
"
        )
    };
    let loguru = "from loguru import logger\n";
    let labelled = |name, put, used, imports: &str| {
        fastmcp(name, &middleware(put, used, imports)).category("setup-only").facet("telemetry")
    };
    check(&[
        labelled(
            "a record filled and handed over",
            "fields = {}\n        fields['session'] = sid",
            "logger.contextualize(**fields)",
            loguru,
        ),
        labelled("a record written at once", "fields = {'session': sid}", "logger.info('call', extra=fields)", loguru),
        labelled(
            "a record within another",
            "fields = {'session': sid}",
            "more = {'fields': fields}\n        logger.info('call', more)",
            loguru,
        ),
        labelled("by keyword", "pass", "logger.contextualize(session=sid)", loguru),
        labelled(
            "all log lines of the request",
            "pass",
            "structlog.contextvars.bind_contextvars(session=sid)",
            "import structlog\n",
        ),
        labelled("a tag of an error report", "pass", "sentry_sdk.set_tag('session', sid)", "import sentry_sdk\n"),
    ]);
    quiet(&[fastmcp(
        "a record that goes nowhere",
        &middleware("fields = {}\n        fields['session'] = sid", "logger.info('call')", loguru),
    )
    .category("none")]);
}
