//! What counted or awaited sessions counts and awaits requests in flight.

use rustc_hash::FxHashMap;
use tree_sitter::Node;

use super::fold::{Counted, Fold};
use super::machine::parameters;
use super::routes::{Serves, framework, serves};
use super::world::Function;
use crate::model::facts::Span;
use crate::plan::transport::{Fact, Route, Transport};
use crate::plan::web::Framework;
use crate::render::typescript::ends::ends_process;
use crate::render::typescript::entry::Entry;
use crate::render::typescript::imports::{self, Wanted};
use crate::render::typescript::in_flight::{COUNTS, InFlight};
use crate::render::typescript::script::{Script, bare, children, enclosing_function, is_function, span, statement};
use crate::render::{Change, Refused};

/// Changes of imports by file.
type Imports = FxHashMap<String, Vec<Change>>;

impl<'w> Fold<'w> {
    /// Puts requests in flight in the place of sessions where they were counted, or awaited at shutdown.
    pub fn requests_in_flight(&mut self, step: &Transport) -> Result<Imports, Refused> {
        let mut out = Imports::default();
        let keepers = self.keepers(step);
        let first = step.routes.iter().find(|route| serves(route) != Serves::Gone);
        let routed = first.and_then(|route| self.world.unit(&route.at.path));
        // The file of the route tells how many there are, of what another file keeps.
        let told = routed.is_some_and(|unit| !keepers.is_empty() && !self.counts(unit).is_empty());
        let elsewhere = |target: Function| !keepers.contains(&target.0);
        for unit in 0..self.world.units.len() {
            let mut counts = self.counts(unit);
            counts.extend(self.calls_elsewhere(unit, &|fold, target| elsewhere(target) && fold.only_counts(target)));
            let mut drains = self.shutdowns(unit);
            let closing = self.calls_elsewhere(unit, &|fold, target| elsewhere(target) && fold.only_closes(target));
            drains.extend(closing.into_iter().map(statement));
            drains.extend(self.closed_servers(unit));
            drains.retain(|shutdown| !self.ends_unheard(unit, *shutdown) && !self.ends_with_listener(unit, *shutdown));
            drains.sort_by_key(Node::start_byte);
            if counts.is_empty() && drains.is_empty() {
                continue;
            }
            let path = self.world.units[unit].script.path.clone();
            let serving = || step.routes.iter().filter(|route| serves(route) != Serves::Gone);
            if let Some(route) = serving().find(|route| route.at.path == path) {
                match (keepers.as_slice(), drains.first()) {
                    ([], _) => {
                        self.bounds_of(unit);
                        let changes = self.track(unit, route, &counts, &drains, step)?;
                        out.entry(path).or_default().extend(changes);
                    }
                    // The set of requests has its home elsewhere.
                    ([keeper], None) if routed == Some(unit) => {
                        let set = self.free_names(*keeper, unit).set;
                        counts.into_iter().for_each(|count| self.count(unit, count, &set));
                    }
                    _ => return Err(self.closed_twice(unit, drains.first().or(counts.first()).copied())),
                }
                continue;
            }
            if keepers.contains(&unit) && keepers.len() > 1 {
                return Err(self.closed_twice(unit, drains.first().or(counts.first()).copied()));
            }
            if let (true, Some(route)) = (keepers.contains(&unit), serving().next())
                && let Some((importer, specifier)) = self.imported_by_route(unit, route)
            {
                counts = self.counts(unit);
                drains = self.shutdowns(unit);
                self.bounds_of(unit);
                let changes = self.track(unit, route, &counts, &drains, step)?;
                out.entry(path).or_default().extend(changes);
                let names = self.free_names(unit, importer);
                let script = &self.world.units[importer].script;
                let mut wanted = vec![names.track.as_str()];
                if told {
                    self.export_set(unit, &names);
                    wanted.push(&names.set);
                }
                let wanted: Vec<Wanted<'_>> = wanted
                    .into_iter()
                    .map(|name| Wanted { source: &specifier, name, alias: None, is_type: false })
                    .collect();
                out.entry(script.path.clone()).or_default().extend(imports::add(script, &wanted));
            }
        }
        Ok(out)
    }

    /// Calls of functions in files without routes that are of a kind: what they do has to be done where the requests are.
    fn calls_elsewhere(&self, unit: usize, wanted: &dyn Fn(&Self, Function) -> bool) -> Vec<Node<'w>> {
        let file = &self.world.units[unit];
        let mut spans: Vec<Span> = file
            .calls
            .iter()
            .filter(|(_, target)| target.0 != unit && wanted(self, **target))
            .map(|(at, _)| *at)
            .collect();
        spans.sort_unstable();
        let nodes = spans.into_iter().filter_map(|at| file.script.node(at));
        nodes.filter(|node| !self.edits[unit].gone(*node) && self.runs(unit, *node)).collect()
    }

    /// Whether all that a function does is to say how many sessions there are.
    pub(super) fn only_counts(&self, target: Function) -> bool {
        let Some(body) = self.world.function(target).and_then(|node| node.child_by_field_name("body")) else {
            return false;
        };
        let value = match children(body).as_slice() {
            [only] if body.kind() == "statement_block" && only.kind() == "return_statement" => {
                children(*only).first().copied()
            }
            _ if body.kind() != "statement_block" => Some(body),
            _ => None,
        };
        value.is_some_and(|value| self.counts(target.0).contains(&bare(value)))
    }

    fn track(
        &mut self,
        unit: usize,
        route: &Route,
        counts: &[Node<'w>],
        drains: &[Node<'w>],
        step: &Transport,
    ) -> Result<Vec<Change>, Refused> {
        let script = &self.world.units[unit].script;
        let Some(routed) = self.world.unit(&route.at.path) else { return Ok(Vec::new()) };
        let ends = |shutdown: &Node<'w>| {
            ends_process(&step.endings, script, *shutdown)
                || (routed == unit && self.closes_instance(unit, route, *shutdown))
        };
        if let Some(open) = drains.iter().find(|shutdown| !ends(shutdown)) {
            return Err(script.refuse(
                *open,
                "the sessions are closed here, and the server may be started again after it: requests would be refused for ever",
                "close what is not about sessions here, and leave the sessions out; then run this again",
            ));
        }
        let framework = framework(route, &self.world.units[routed].script)?;
        let asks = self.asks_to_count(route).unwrap_or(routed);
        let names = self.free_names(unit, asks);
        let typed = script.typed();
        let (request, response) = self.names_of_handler(route, framework);
        let (ty, next) = match framework {
            Framework::Express => (("Request", "Response"), "NextFunction"),
            Framework::Fastify => (("FastifyRequest", "FastifyReply"), ""),
            Framework::Hono | Framework::Koa => (("Context", ""), "Next"),
            _ => (("IncomingMessage", "ServerResponse"), ""),
        };
        let source = match framework {
            Framework::Express => "express",
            Framework::Fastify => "fastify",
            Framework::Hono => "hono",
            Framework::Koa => "koa",
            _ => "node:http",
        };
        let imported = |name: &str| format!("import({}).{name}", script.style.string(source));
        let within = imports::whole(script, source).filter(|whole| {
            typed && framework == Framework::Express && script.text().contains(&format!("{whole}.{}", ty.1))
        });
        let qualified = |name: &str| match &within {
            Some(whole) if !name.is_empty() => format!("{whole}.{name}"),
            _ => name.to_owned(),
        };
        let named = (qualified(ty.0), qualified(ty.1), qualified(next));
        let of = (imported(ty.0), imported(ty.1), imported(next));
        let entry = Entry {
            style: &script.style,
            framework,
            request: &request,
            response: &response,
            types: typed.then_some((named.0.as_str(), named.1.as_str())),
        };
        let flight = InFlight {
            entry: &entry,
            names: &names,
            drains: !drains.is_empty(),
            cap: None,
            modern: self.modern,
            next: (typed && !next.is_empty()).then_some(named.2.as_str()),
            documented: script.documents_types().then_some((of.0.as_str(), of.1.as_str(), of.2.as_str())),
        };
        let Some(call) = self.world.units[routed].script.node(route.at.span) else { return Ok(Vec::new()) };
        let Some(declarations) = flight.declarations() else {
            return Err(script.refuse(
                counts.iter().chain(drains).next().copied().unwrap_or(call),
                "sessions are counted or awaited here, and this framework offers nothing to hang a count of requests on",
                "count requests where they come in, then run again",
            ));
        };
        self.drains |= !drains.is_empty();
        let newline = script.style.newline;
        // Handlers of plain servers ask for themselves, wherever they stand.
        let asking = if framework == Framework::Node { self.places(unit, &Fact::Handle) } else { Vec::new() };
        let own_start = started_by(call, &[counts, drains, &asking].concat()).filter(|_| routed == unit);
        let (start, declarations) = if routed == unit {
            let home = own_start.unwrap_or_else(|| {
                let told = counts.iter().chain(drains).filter(|node| !self.is_uncalled(unit, **node));
                let first = told.map(|node| top_level(*node)).min_by_key(Node::start_byte);
                first.filter(|first| first.start_byte() < call.start_byte()).unwrap_or_else(|| top_level(call))
            });
            (above(script, home), script.indented(&declarations, script.indentation(home)))
        } else {
            let mut telling: Vec<Node<'w>> = counts.iter().chain(drains).copied().collect();
            // What only the life of sessions called goes with it, and what stands beside it would too.
            if telling.iter().any(|node| !self.is_uncalled(unit, *node)) {
                telling.retain(|node| !self.is_uncalled(unit, *node));
            }
            let Some(first) = telling.into_iter().map(top_level).min_by_key(Node::start_byte) else {
                return Ok(Vec::new());
            };
            let own = format!("const {} = ", names.track);
            (above(script, first), declarations.replacen(&own, &format!("export {own}"), 1))
        };
        for none in self.counts_of_none(unit) {
            self.edits[unit].replace(span(none), "0");
        }
        let line = script.line_start(start);
        let indent = &script.text()[line..start];
        let indent = if indent.trim().is_empty() { indent } else { "" };
        self.edits[unit].insert(start, format!("{declarations}{newline}{newline}{indent}"));
        match routed == unit && asks != routed {
            true => self.count_in_handler(unit, route, &flight)?,
            false => self.hook(asks, route, call, &flight)?,
        }
        let mut counts = counts.to_vec();
        counts.sort_by_key(Node::start_byte);
        counts.dedup();
        for count in counts {
            self.count(unit, count, &flight.names.set);
        }
        for (index, shutdown) in drains.iter().enumerate() {
            let indent = self.edits[unit].indentation(script, *shutdown);
            // What may be started again takes requests again.
            let reset = own_start.is_none() && may_start_again(script, *shutdown);
            let again = if reset { flight.take_again() } else { String::new() };
            self.drain(unit, *shutdown, index == 0, &format!("{}{again}", flight.drain(indent)))?;
        }
        let mut wanted = flight.imports();
        if typed && within.is_none() {
            // What counts in a plain server's own function is handed the response alone.
            let unused = framework == Framework::Node && !declarations.contains(ty.0);
            let named = [ty.0, ty.1, next].into_iter().skip(usize::from(unused)).filter(|name| !name.is_empty());
            wanted.extend(named.map(|name| Wanted { source, name, alias: None, is_type: true }));
        }
        Ok(imports::add(script, &wanted))
    }

    /// Whether code runs when the very application closes on which a function registers the route, and which can't be opened again.
    fn closes_instance(&self, unit: usize, route: &Route, shutdown: Node<'w>) -> bool {
        let script = &self.world.units[unit].script;
        let application = |call: Node<'w>| {
            let callee = call.child_by_field_name("function")?;
            let object = callee.child_by_field_name("object").filter(|object| object.kind() == "identifier")?;
            Some((callee.child_by_field_name("property")?, script.of(object)))
        };
        let hook = std::iter::successors(Some(shutdown), Node::parent).filter(|node| node.kind() == "call_expression");
        let hook = hook.into_iter().find(|call| {
            let event = self.argument(*call, 0).map_or("", |event| script.of(event).trim_matches(['"', '\'']));
            matches!(event, "preClose" | "onClose")
                && application(*call).is_some_and(|(name, _)| script.of(name) == "addHook")
        });
        let (Some(hook), Some(routed)) = (hook, script.node(route.at.span)) else { return false };
        let same = application(hook).map(|(_, app)| app) == application(routed).map(|(_, app)| app);
        let function = enclosing_function(hook);
        same && function.is_some() && function == enclosing_function(routed)
    }

    /// Whether all calls of the function around a node are gone.
    fn is_uncalled(&self, unit: usize, node: Node<'w>) -> bool {
        let Some(function) = std::iter::successors(enclosing_function(node), |inner| enclosing_function(*inner)).last()
        else {
            return false;
        };
        let own = (unit, span(function));
        let files = self.world.units.iter().enumerate();
        let gone: Vec<bool> = files
            .flat_map(|(at, file)| {
                let calls = file.calls.iter().filter(|(_, target)| **target == own);
                calls.map(move |(call, _)| self.edits[at].covers(*call))
            })
            .collect();
        !gone.is_empty() && gone.iter().all(|gone| *gone)
    }

    fn names_of_handler(&self, route: &Route, framework: Framework) -> (String, String) {
        let otherwise = framework.names();
        let handler = self.handlers(route).first().copied();
        let node = handler.and_then(|handler| self.world.function(handler));
        let (Some((unit, _)), Some(node)) = (handler, node) else {
            return (otherwise.0.to_owned(), otherwise.1.to_owned());
        };
        let script = &self.world.units[unit].script;
        let params = parameters(node);
        let name = |index: usize, otherwise: &str| {
            let param = params.get(index).map(|param| param.child_by_field_name("pattern").unwrap_or(*param));
            param
                .filter(|name| name.kind() == "identifier")
                .map_or_else(|| otherwise.to_owned(), |name| script.of(name).trim_start_matches('_').to_owned())
        };
        (name(0, otherwise.0), if otherwise.1.is_empty() { String::new() } else { name(1, otherwise.1) })
    }

    /// The route counts its requests.
    fn hook(&mut self, unit: usize, route: &Route, call: Node<'w>, flight: &InFlight<'_>) -> Result<(), Refused> {
        if flight.entry.framework == Framework::Node {
            let turns_away = flight.turns_away();
            self.counted_by = Some(Counted { unit, track: flight.names.track.clone(), turns_away });
            return Ok(());
        }
        if flight.entry.framework == Framework::Fastify {
            return self.pre_handler(unit, call, &flight.names.track);
        }
        let arguments = call.child_by_field_name("arguments").map_or_else(Vec::new, children);
        let here = route.handlers.iter().filter(|site| site.path == route.at.path);
        let handlers: Vec<Span> = here.map(|site| site.span).collect();
        let at = arguments
            .iter()
            .find(|argument| handlers.iter().any(|handler| span(**argument).contains(*handler)))
            .or(arguments.last());
        if let Some(at) = at {
            self.put_before(unit, *at, &flight.hook());
        }
        Ok(())
    }

    fn count(&mut self, unit: usize, count: Node<'w>, set: &str) {
        let script = &self.world.units[unit].script;
        let text =
            self.alive_test(unit, count).map_or_else(|| format!("{set}.size"), |test| format!("{set}.size {test}"));
        self.edits[unit].replace(span(count), text);
        let file = &self.world.units[unit];
        let logged = std::iter::successors(count.parent(), Node::parent)
            .take_while(|around| !is_function(*around))
            .any(|around| file.fact(around) == Some(&Fact::Log));
        if logged || self.bound(unit, count) {
            return;
        }
        let mut around = std::iter::successors(Some(count), Node::parent);
        let method = around
            .find(|node| node.kind() == "method_definition")
            .filter(|method| method.child_by_field_name("body").is_some_and(|body| children(body).len() == 1));
        let top = method.unwrap_or_else(|| telling(count));
        let indent = self.edits[unit].indentation(script, top).to_owned();
        let at = top.start_byte();
        let comment = format!("{COUNTS}{}{indent}", script.style.newline);
        if !self.edits[unit].inserts(at, &comment) {
            self.edits[unit].insert(at, comment);
        }
        self.raise("What counted sessions counts requests in flight now.");
    }
}

/// The statement around a registration in the function that starts the server, where all that counts or waits stands in that function
/// too: each start gets its own.
fn started_by<'t>(call: Node<'t>, uses: &[Node<'t>]) -> Option<Node<'t>> {
    let function = std::iter::successors(enclosing_function(call), |function| enclosing_function(*function))
        .find(|function| uses.iter().all(|used| span(*function).contains(span(*used))))?;
    let body = function.child_by_field_name("body").filter(|body| body.kind() == "statement_block")?;
    std::iter::successors(Some(call), Node::parent).find(|node| node.parent() == Some(body))
}

/// Whether what closes all sessions does so for one instance of several: a method, or a function that another one makes.
fn may_start_again(script: &Script, shutdown: Node<'_>) -> bool {
    let functions: Vec<Node<'_>> =
        std::iter::successors(enclosing_function(shutdown), |function| enclosing_function(*function)).collect();
    let by_signal = functions.iter().any(|function| {
        let call = function.parent().filter(|list| list.kind() == "arguments").and_then(|list| list.parent());
        let callee = call.and_then(|call| call.child_by_field_name("function"));
        callee.is_some_and(|callee| matches!(script.of(callee), "process.on" | "process.once"))
    });
    let method = functions.first().is_some_and(|function| function.kind() == "method_definition");
    !by_signal && (method || functions.len() > 1)
}

/// The statement that tells a count: a handler that does nothing else is told of as a whole.
fn telling(count: Node<'_>) -> Node<'_> {
    std::iter::successors(Some(statement(count)), |node| {
        let body = node.parent().filter(|body| body.kind() == "statement_block" && children(*body).len() == 1)?;
        let handler = body.parent().filter(|around| is_function(*around))?;
        Some(statement(handler)).filter(|whole| *whole != handler)
    })
    .last()
    .unwrap_or(count)
}

/// The statement of the file's top level around a node.
fn top_level(node: Node<'_>) -> Node<'_> {
    std::iter::successors(Some(node), Node::parent)
        .find(|node| node.parent().is_some_and(|parent| parent.kind() == "program"))
        .unwrap_or(node)
}

/// Where something goes that stands above a statement and its comments.
fn above(script: &Script, node: Node<'_>) -> usize {
    let mut start = node.start_byte();
    let mut before = node.prev_sibling();
    while let Some(comment) = before.filter(|before| before.kind() == "comment") {
        let between = &script.text()[comment.end_byte()..start];
        if between.matches('\n').count() > 1 {
            break;
        }
        start = comment.start_byte();
        before = comment.prev_sibling();
    }
    start
}
