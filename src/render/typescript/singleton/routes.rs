//! Where a transport answers requests: the statement, the handler around it, the routes that the handler is registered for.

use tree_sitter::Node;

use crate::model::facts::Span;
use crate::plan::transport;
use crate::plan::web::Framework;
use crate::render::Refused;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, span, statement};

/// A call of `handleRequest` with what is around it.
pub(super) struct Handled<'t> {
    /// The call.
    pub call: Node<'t>,
    /// The statement that is nothing but the call; the call itself where it is the body of an arrow.
    pub statement: Node<'t>,
    /// The handler.
    pub handler: Node<'t>,
    /// Whose handler it is.
    pub framework: Framework,
    /// What it calls the request, or the context.
    pub request: &'t str,
    /// What it calls the response.
    pub response: &'t str,
    /// Its arguments as written.
    pub arguments: &'t str,
    /// The routes that it is registered for.
    pub routes: Vec<Route<'t>>,
    /// Something else catches what it throws.
    pub caught: bool,
    /// A condition around the call says which method it answers.
    pub only: Option<Method>,
}

/// Which methods something answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// POST: it stays.
    Post,
    /// GET or DELETE: they go.
    Gone,
    /// All of them.
    Any,
    /// All, and all paths below.
    Below,
}

/// A route: `app.post('/mcp', handler)`.
#[derive(Clone, Copy)]
pub(super) struct Route<'t> {
    /// The statement.
    pub statement: Node<'t>,
    /// The argument that is the handler.
    pub argument: Node<'t>,
    /// The name of the method that registers: `post`.
    pub registers: Node<'t>,
    /// What it answers.
    pub method: Method,
    /// The application.
    pub app: &'t str,
    /// The path, as written.
    pub path: &'t str,
}

impl<'t> Handled<'t> {
    /// Looks at a call of `handleRequest`.
    pub fn of(script: &'t Script, at: Span, known: &[transport::Route]) -> Result<Self, Refused> {
        let call = script.node(at).filter(|node| node.kind() == "call_expression").ok_or_else(|| Refused {
            at: crate::plan::Site { path: script.path.clone(), span: at },
            why: "the call is no longer where it was".to_owned(),
            todo: "run again".to_owned(),
            also: Vec::new(),
        })?;
        let todo = "write the call as a statement of its own in the handler of the route";
        let Some(handler) = enclosing_function(call) else {
            return Err(script.refuse(call, "this is not within a handler", todo));
        };
        let Some(statement) = plain_statement(call, handler) else {
            return Err(script.refuse(call, "more is done with the answer than to await it", todo));
        };
        let arguments = call.child_by_field_name("arguments");
        let list = arguments.map(children).unwrap_or_default();
        let routes = routes(script, handler);
        let Some((framework, request, response)) = framework(script, handler, &list, &routes) else {
            return Err(script.refuse(call, "this is no handler of a framework that is known here", todo));
        };
        if let Some(other) = another(script, handler, known) {
            return Err(script.refuse(
                call,
                format!("this handler belongs to `{other}`, which has ways of its own to answer"),
                "answer GET and DELETE with 405 and `Allow: POST`, and make server and transport in the handler of POST",
            ));
        }
        let written = arguments.map_or("", |arguments| script.of(arguments));
        let wrapped =
            routes.iter().any(|route| route.argument != handler && route.argument.kind() == "call_expression");
        let caught = wrapped || within_try(call, handler);
        let only = condition(script, call, handler, request).or_else(|| exported_method(script, handler));
        let arguments = written.trim_start_matches('(').strip_suffix(')').unwrap_or(written);
        Ok(Self { call, statement, handler, framework, request, response, arguments, routes, caught, only })
    }

    /// Which methods the call answers; where several routes share the handler, the widest.
    pub fn method(&self) -> Method {
        if let Some(only) = self.only {
            return only;
        }
        let methods: Vec<Method> = self.routes.iter().map(|route| route.method).collect();
        match () {
            () if methods.is_empty() || methods.contains(&Method::Below) => Method::Below,
            () if methods.contains(&Method::Any) => Method::Any,
            () if methods.contains(&Method::Post) => Method::Post,
            () => Method::Gone,
        }
    }
}

/// Routes of all methods that stand behind one for POST of the same path: GET and DELETE are what is left to them.
pub(super) fn behind_post(handled: &mut [Handled<'_>]) {
    let posts: Vec<(usize, &str, &str)> = handled
        .iter()
        .filter(|handled| arity(handled.handler) <= 2)
        .flat_map(|handled| &handled.routes)
        .filter(|route| route.method == Method::Post && !route.path.is_empty())
        .map(|route| (route.statement.start_byte(), route.app, route.path))
        .collect();
    for route in handled.iter_mut().flat_map(|handled| &mut handled.routes) {
        let at = route.statement.start_byte();
        if route.method == Method::Any
            && posts.iter().any(|(before, app, path)| *before < at && *app == route.app && *path == route.path)
        {
            route.method = Method::Gone;
        }
    }
}

/// `export async function POST(request) { … }`: the framework calls it for that method alone.
fn exported_method(script: &Script, handler: Node<'_>) -> Option<Method> {
    let exported = statement(handler).kind() == "export_statement";
    let declarator = handler.parent().filter(|parent| parent.kind() == "variable_declarator");
    let name = declarator.unwrap_or(handler).child_by_field_name("name").filter(|_| exported)?;
    match script.of(name) {
        "POST" => Some(Method::Post),
        "GET" | "DELETE" => Some(Method::Gone),
        _ => None,
    }
}

/// How many parameters a handler takes: one that takes a third may leave the request to the next.
fn arity(handler: Node<'_>) -> usize {
    handler.child_by_field_name("parameters").map_or(1, |parameters| children(parameters).len())
}

/// `await transport.handleRequest(…);`, with or without `await`, `void`, `return`; or an arrow's whole body.
fn plain_statement<'t>(call: Node<'t>, handler: Node<'t>) -> Option<Node<'t>> {
    let mut at = call;
    loop {
        if handler.child_by_field_name("body") == Some(at) {
            return Some(at);
        }
        let parent = at.parent()?;
        match parent.kind() {
            "await_expression" | "unary_expression" | "parenthesized_expression" => at = parent,
            "expression_statement" | "return_statement" => return Some(parent),
            _ => return None,
        }
    }
}

/// The package that a handler's route belongs to, where nothing is known of its handlers: they only look like those of another.
fn another<'k>(script: &Script, handler: Node<'_>, known: &'k [transport::Route]) -> Option<&'k str> {
    let ours = |route: &&transport::Route| {
        route.handlers.iter().any(|site| site.path == script.path && site.span == span(handler))
    };
    let mut packages = known.iter().filter(ours).map(|route| route.framework.as_str());
    packages.find(|package| !package.is_empty() && Framework::of_package(package).is_none())
}

/// Whose handler it is, by what the transport is given, and what it calls request and response.
fn framework<'t>(
    script: &'t Script,
    handler: Node<'t>,
    arguments: &[Node<'t>],
    routes: &[Route<'t>],
) -> Option<(Framework, &'t str, &'t str)> {
    let object = |node: Node<'t>| bare(node).child_by_field_name("object");
    let property = |node: Node<'t>| bare(node).child_by_field_name("property").map(|property| script.of(property));
    let first = *arguments.first()?;
    let second = arguments.get(1).copied().filter(|node| !matches!(node.kind(), "object"));
    let Some(second) = second else {
        let request = object(first).filter(|_| property(first) == Some("raw"));
        return match request.filter(|request| property(*request) == Some("req")).and_then(object) {
            Some(context) => Some((Framework::Hono, script.of(context), "")),
            None => (bare(first).kind() == "identifier").then(|| (Framework::Web, script.of(bare(first)), "")),
        };
    };
    if property(first) == Some("raw") && property(second) == Some("raw") {
        return Some((Framework::Fastify, script.of(object(first)?), script.of(object(second)?)));
    }
    if property(first) == Some("req") && property(second) == Some("res") && !routes.is_empty() {
        let (context, other) = (object(first)?, object(second)?);
        return (script.of(context) == script.of(other)).then(|| (Framework::Koa, script.of(context), ""));
    }
    let (first, second) = (bare(first), bare(second));
    if first.kind() != "identifier" || second.kind() != "identifier" {
        return None;
    }
    let names = (script.of(first), script.of(second));
    let parameters = handler.child_by_field_name("parameters").map_or("", |parameters| script.of(parameters));
    let node = given_to_server(script, handler)
        || routes.is_empty() && (parameters.contains("IncomingMessage") || script.text().contains("createServer("));
    if node {
        return Some((Framework::Node, names.0, names.1));
    }
    (!routes.is_empty()).then_some((Framework::Express, names.0, names.1))
}

/// Whether a handler is the argument of `createServer`.
fn given_to_server(script: &Script, handler: Node<'_>) -> bool {
    let call = handler.parent().filter(|parent| parent.kind() == "arguments").and_then(|list| list.parent());
    let callee = call.and_then(|call| call.child_by_field_name("function"));
    callee.is_some_and(|callee| script.of(callee).ends_with("createServer"))
}

/// The routes that a handler is registered for, itself or by its name.
fn routes<'t>(script: &'t Script, handler: Node<'t>) -> Vec<Route<'t>> {
    if let Some(route) = route(script, handler) {
        return vec![route];
    }
    let named = match handler.kind() {
        "method_definition" => return routes_of_method(script, handler),
        "function_declaration" => handler.child_by_field_name("name"),
        _ => handler
            .parent()
            .filter(|parent| parent.kind() == "variable_declarator")
            .and_then(|declarator| declarator.child_by_field_name("name")),
    };
    let used = named.map(|name| scope::uses(script, name)).unwrap_or_default();
    used.into_iter().filter_map(|used| route(script, used)).collect()
}

/// The routes of a method: `this.handle`, `this.handle.bind(this)`, `(req, res) => this.handle(req, res)` where it is a handler.
fn routes_of_method<'t>(script: &'t Script, method: Node<'t>) -> Vec<Route<'t>> {
    let name = method.child_by_field_name("name").map_or("", |name| script.of(name));
    let Some(class) = method.parent() else { return Vec::new() };
    let mut out = Vec::new();
    let mut stack = vec![class];
    while let Some(node) = stack.pop() {
        stack.extend(children(node));
        let of_this = node.kind() == "member_expression"
            && node.child_by_field_name("object").is_some_and(|object| object.kind() == "this")
            && node.child_by_field_name("property").is_some_and(|property| script.of(property) == name);
        if !of_this {
            continue;
        }
        let bound = node
            .parent()
            .filter(|member| member.child_by_field_name("property").is_some_and(|name| script.of(name) == "bind"))
            .and_then(|member| member.parent());
        let called = node.parent().filter(|call| call.child_by_field_name("function") == Some(node));
        let handler = match (bound, called) {
            (Some(bound), _) => Some(bound),
            (None, Some(call)) => enclosing_function(call).filter(|arrow| {
                let given = |node: Node<'t>, field: &str| {
                    let list = node.child_by_field_name(field).map(children).unwrap_or_default();
                    list.into_iter().map(|one| script.of(one.child_by_field_name("pattern").unwrap_or(one))).collect()
                };
                let (taken, passed): (Vec<&str>, Vec<&str>) = (given(*arrow, "parameters"), given(call, "arguments"));
                arrow.kind() == "arrow_function" && taken == passed
            }),
            (None, None) => Some(node),
        };
        out.extend(handler.and_then(|handler| route(script, handler)));
    }
    out.sort_by_key(|route: &Route<'_>| route.statement.start_byte());
    out
}

/// The route that a value is the handler of, directly or through a function that wraps it.
fn route<'t>(script: &'t Script, handler: Node<'t>) -> Option<Route<'t>> {
    let mut argument = handler;
    for _ in 0..2 {
        let list = argument.parent().filter(|parent| parent.kind() == "arguments")?;
        let call = list.parent().filter(|call| call.kind() == "call_expression")?;
        let callee = call.child_by_field_name("function")?;
        if callee.kind() == "member_expression" {
            let registers = callee.child_by_field_name("property")?;
            let method = match script.of(registers) {
                "post" => Method::Post,
                "get" | "delete" => Method::Gone,
                "all" => Method::Any,
                "use" => Method::Below,
                _ => return None,
            };
            let app = callee.child_by_field_name("object")?;
            let path = children(list).first().copied().filter(|path| *path != argument);
            let path = path.map_or("", |path| script.of(path));
            return Some(Route { statement: statement(call), argument, registers, method, app: script.of(app), path });
        }
        argument = call;
    }
    None
}

fn within_try(call: Node<'_>, handler: Node<'_>) -> bool {
    std::iter::successors(call.parent(), Node::parent).take_while(|node| *node != handler).any(|node| {
        node.kind() == "try_statement"
            && node.child_by_field_name("handler").is_some()
            && node.child_by_field_name("body").is_some_and(|body| span(body).contains(span(call)))
    })
}

/// The method that a condition around a call asks for.
fn condition(script: &Script, call: Node<'_>, handler: Node<'_>, request: &str) -> Option<Method> {
    let mut inner = call;
    for node in std::iter::successors(call.parent(), Node::parent).take_while(|node| *node != handler) {
        let then = node.child_by_field_name("consequence").is_some_and(|then| then == inner);
        if node.kind() == "if_statement" && then {
            let text = node.child_by_field_name("condition").map_or("", |condition| script.of(condition));
            let asks = text.contains(&format!("{request}.method")) && text.contains("===") && !text.contains("||");
            match () {
                () if asks && text.contains("POST") => return Some(Method::Post),
                () if asks && (text.contains("GET") || text.contains("DELETE")) => return Some(Method::Gone),
                () => {}
            }
        }
        inner = node;
    }
    earlier_gate(script, call, handler, request).then_some(Method::Post)
}

/// Whether the handler has turned all other methods away before: `if (req.method !== 'POST') { …; return; }`.
fn earlier_gate(script: &Script, call: Node<'_>, handler: Node<'_>, request: &str) -> bool {
    let mut at = statement(call);
    loop {
        let mut before = at.prev_named_sibling();
        while let Some(node) = before {
            let text = node.child_by_field_name("condition").map_or("", |condition| script.of(condition));
            let then = node.child_by_field_name("consequence").map_or("", |then| script.of(then));
            let asks = text.contains(&format!("{request}.method")) && text.contains("!==") && text.contains("POST");
            if node.kind() == "if_statement" && asks && then.contains("return") && !text.contains("&&") {
                return true;
            }
            before = node.prev_named_sibling();
        }
        match at.parent() {
            Some(parent) if parent != handler => at = parent,
            _ => return false,
        }
    }
}
