//! Routes without sessions: POST serves, the other methods are not allowed.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::fold::Fold;
use super::machine::parameters;
use super::world::Function;
use crate::model::facts::{Exported, Span};
use crate::plan::transport::{Route, Transport};
use crate::plan::web::Framework;
use crate::render::typescript::entry::{Entry, NOT_ALLOWED};
use crate::render::typescript::in_flight::mentions;
use crate::render::typescript::script::{Script, children, leading_comments, span, statement};
use crate::render::typescript::singleton::types;
use crate::render::{Refused, all};

/// The handler of methods that are gone.
const NOT_ALLOWED_NAME: &str = "methodNotAllowed";

/// What a route is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Serves {
    /// POST alone, or with others that stay as they are.
    Post,
    /// Methods that are gone.
    Gone,
    /// Every method.
    All,
}

/// What a route is for.
pub fn serves(route: &Route) -> Serves {
    if route.methods.is_empty() {
        Serves::All
    } else if route.methods.iter().any(|method| method == "post") {
        Serves::Post
    } else {
        Serves::Gone
    }
}

/// Whether one function receives the requests of every path and method.
pub fn is_node(route: &Route) -> bool {
    matches!(route.framework.as_str(), "http" | "https" | "http2" | "node:http" | "node:https")
}

/// The framework of a route. Where it is not known, nothing can be written in its terms.
pub fn framework(route: &Route, script: &Script) -> Result<Framework, Refused> {
    if let Some(known) = Framework::of_package(&route.framework) {
        return Ok(known);
    }
    if route.framework.is_empty() && script.node(route.at.span).is_some_and(|node| node.kind() != "call_expression") {
        return Ok(Framework::Web);
    }
    let whose = match route.framework.as_str() {
        "" => "what framework this route belongs to is not known".to_owned(),
        name => format!("this route belongs to `{name}`, whose handlers are not known here"),
    };
    Err(Refused {
        at: route.at.clone(),
        why: format!("{whose}, and answers have to be written in the framework's terms"),
        todo: "answer GET and DELETE with 405 and `Allow: POST` here, and make server and transport in the handler of POST"
            .to_owned(),
        also: Vec::new(),
    })
}

/// The path of a route, where it is written out.
pub fn path<'s>(route: &Route, script: &'s Script) -> Option<&'s str> {
    let list = script.node(route.at.span)?.child_by_field_name("arguments")?;
    let path = children(list).first().copied().filter(|path| path.kind() == "string")?;
    let text = script.of(path).trim_matches(['\'', '"', '`']);
    (text.len() > 1).then_some(text)
}

impl<'w> Fold<'w> {
    /// Rewrites all routes.
    pub fn routes(&mut self, step: &Transport) -> Result<(), Refused> {
        if step.sse_alone {
            return Ok(());
        }
        let serving: FxHashSet<Function> = step
            .routes
            .iter()
            .filter(|route| serves(route) != Serves::Gone)
            .flat_map(|route| self.handlers(route))
            .collect();
        self.probes(step, &serving)?;
        let mut answered = FxHashSet::default();
        let mut outcomes = Vec::new();
        for route in &step.routes {
            match serves(route) {
                Serves::Post if self.modern => self.every_method(route),
                Serves::Post => {}
                Serves::All if self.modern => {}
                Serves::Gone if self.modern && self.without_route(route, &serving) => {}
                Serves::Gone => {
                    outcomes.push(self.gone(step, route, &serving, &mut answered));
                    if let Some(unit) = self.world.unit(&route.at.path) {
                        self.stale_comment(unit, self.world.units[unit].script.node(route.at.span).map(statement));
                    }
                }
                Serves::All => outcomes.push(self.all(route)),
            }
        }
        self.remove_wrapped(step);
        all(outcomes)
    }

    /// A handler of the second SDK answers all methods.
    fn every_method(&mut self, route: &Route) {
        let Some(unit) = self.world.unit(&route.at.path) else { return };
        let call = self.world.units[unit].script.node(route.at.span);
        let callee = call.and_then(|call| call.child_by_field_name("function"));
        let alone = callee
            .and_then(|callee| callee.child_by_field_name("object"))
            .is_some_and(|app| app.kind() == "identifier");
        let method = callee.and_then(|callee| callee.child_by_field_name("property"));
        let script = &self.world.units[unit].script;
        if let Some(method) = method.filter(|method| alone && script.of(*method) == "post") {
            self.edits[unit].replace(span(method), "all");
        }
    }

    /// Takes the route of a method away that the handler of all methods answers; whether that was possible.
    fn without_route(&mut self, route: &Route, serving: &FxHashSet<Function>) -> bool {
        let Some(unit) = self.world.unit(&route.at.path) else { return false };
        let script = &self.world.units[unit].script;
        let Some(call) = script.node(route.at.span) else { return false };
        let at = statement(call);
        let plain = at.kind() == "expression_statement"
            && children(at).first() == Some(&call)
            && call
                .child_by_field_name("function")
                .and_then(|callee| callee.child_by_field_name("object"))
                .is_some_and(|app| app.kind() == "identifier");
        if plain {
            // A loop over the methods has nothing else to do.
            let around = at.parent().filter(|block| block.kind() == "statement_block" && children(*block).len() == 1);
            let whole = around.and_then(|block| block.parent()).filter(|node| node.kind() == "for_in_statement");
            self.remove(unit, whole.unwrap_or(at));
            for (unit, handler) in self.handlers(route).into_iter().filter(|handler| !serving.contains(handler)) {
                self.remove_handler(unit, handler);
            }
        }
        plain
    }

    /// The handlers of a route, as functions of the files.
    pub fn handlers(&self, route: &Route) -> Vec<Function> {
        let found = route.handlers.iter().filter_map(|site| Some((self.world.unit(&site.path)?, site.span)));
        found.collect()
    }

    fn gone(
        &mut self,
        step: &Transport,
        route: &Route,
        serving: &FxHashSet<Function>,
        answered: &mut FxHashSet<Function>,
    ) -> Result<(), Refused> {
        for handler in self.handlers(route) {
            if serving.contains(&handler) || self.wrapper(route, handler).is_some() || self.shares(step, route, handler)
            {
                self.not_allowed_here(step, route, handler)?;
            } else if answered.insert(handler) {
                let own = |node: Node<'w>| if node.kind() == "method_definition" { node } else { statement(node) };
                self.stale_comment(handler.0, self.world.function(handler).map(own));
                self.not_allowed(route, handler)?;
            }
        }
        Ok(())
    }

    /// Whether a handler that is written where it is registered can be the same as that of another route beside it.
    fn shares(&self, step: &Transport, route: &Route, handler: Function) -> bool {
        let inline = |route: &Route| -> Option<Node<'w>> {
            let unit = self.world.unit(&route.at.path)?;
            let call = self.world.units[unit].script.node(route.at.span)?;
            let last = children(call.child_by_field_name("arguments")?).last().copied()?;
            let own = self.handlers(route).contains(&(unit, span(last)));
            let whole = statement(call);
            (own && whole.kind() == "expression_statement").then_some(whole)
        };
        let Some(own) = inline(route) else { return false };
        let express =
            framework(route, &self.world.units[handler.0].script).is_ok_and(|known| known == Framework::Express);
        let others = step.routes.iter().filter(|other| serves(other) == Serves::Gone && other.at.path == route.at.path);
        let beside = others.filter(|other| other.at != route.at).filter_map(inline);
        express && beside.into_iter().any(|other| other.parent() == own.parent())
    }

    /// The call that makes the handler of a route from a function: `wrap(async (req, res) => …)`.
    fn wrapper(&self, route: &Route, handler: Function) -> Option<Node<'w>> {
        let registers = self.world.unit(&route.at.path).map(|unit| (unit, route.at.span));
        let list = self.world.function(handler)?.parent().filter(|parent| parent.kind() == "arguments")?;
        list.parent().filter(|call| call.kind() == "call_expression" && registers != Some((handler.0, span(*call))))
    }

    /// Handlers that a helper made and that no route names any more.
    fn remove_wrapped(&mut self, step: &Transport) {
        for route in step.routes.iter().filter(|route| serves(route) == Serves::Gone) {
            for handler in self.handlers(route) {
                let declarator = self.wrapper(route, handler).and_then(|call| call.parent());
                let declarator = declarator.filter(|parent| parent.kind() == "variable_declarator");
                let Some(name) = declarator.and_then(|declarator| declarator.child_by_field_name("name")) else {
                    continue;
                };
                let Some(symbol) = self.world.units[handler.0].symbol(name) else { continue };
                let uses = self.uses(handler.0, (handler.0, symbol));
                let unused = uses.iter().all(|used| *used == name || self.edits[handler.0].gone(*used));
                let declaration = statement(name);
                if unused && declaration.kind() != "export_statement" && !self.edits[handler.0].gone(declaration) {
                    self.remove(handler.0, declaration);
                }
            }
        }
    }

    /// What stands above a statement about methods that are gone, and speaks of what they did. A banner heads more than that.
    fn stale_comment(&mut self, unit: usize, at: Option<Node<'w>>) {
        let Some(at) = at else { return };
        let script = &self.world.units[unit].script;
        let start = leading_comments(script, at);
        let text = script.text()[start..at.start_byte()].to_ascii_lowercase();
        let speaks = ["session", "sse", "stream", "notification"].iter().any(|word| text.contains(word));
        let banner = ["====", "----", "####", "****", "────", "━━━━"].iter().any(|line| text.contains(line));
        let line = script.line_start(start);
        if speaks && !banner && script.text()[line..start].trim().is_empty() {
            let last = start + script.text()[start..at.start_byte()].trim_end().len();
            self.edits[unit].cut(Span::new(line, script.line_end(last)));
        }
    }

    /// A handler that other routes need: this one gets another. Several in a block share one.
    fn not_allowed_here(&mut self, step: &Transport, route: &Route, handler: Function) -> Result<(), Refused> {
        let Some(unit) = self.world.unit(&route.at.path) else { return Ok(()) };
        let script = &self.world.units[unit].script;
        let call = script.node(route.at.span);
        let Some(call) = call else { return Ok(()) };
        let Some(last) = call.child_by_field_name("arguments").and_then(|list| children(list).last().copied()) else {
            return Ok(());
        };
        let framework = framework(route, script)?;
        let (request, response) = framework.names();
        let at = statement(call);
        let scope = (unit, at.parent().map_or(0, |block| block.id()));
        if self.turned_away.contains(&scope) {
            self.edits[unit].replace(span(last), NOT_ALLOWED_NAME);
            return Ok(());
        }
        let beside = step.routes.iter().filter(|other| serves(other) == Serves::Gone && other.at.path == route.at.path);
        let several = beside
            .filter_map(|other| script.node(other.at.span))
            .filter(|other| statement(*other).parent().map(|block| block.id()) == at.parent().map(|block| block.id()))
            .count()
            > 1;
        let types = self.types_of(handler).or_else(|| types::without_imports(script, framework));
        let types = types.filter(|_| script.typed());
        let named = several
            && at.kind() == "expression_statement"
            && (types.is_some() || !script.typed())
            && !mentions(script.text(), NOT_ALLOWED_NAME)
            && !self.turned_away.iter().any(|(known, _)| *known == unit);
        let types = types.as_ref().filter(|_| named);
        let entry = Entry {
            style: &script.style,
            framework,
            request,
            response,
            types: types.map(|(request, response)| (request.as_str(), response.as_str())),
        };
        let text = entry.not_allowed_handler();
        if !named {
            let text = script.indented(&text, self.edits[unit].indentation(script, last));
            self.edits[unit].replace(span(last), text);
            return Ok(());
        }
        // Above all routes of the block; what stands above one that is gone may go.
        let others = step.routes.iter().filter(|other| other.at.path == route.at.path && other.at.span < route.at.span);
        let first = others
            .filter_map(|other| script.node(other.at.span).map(statement))
            .find(|other| other.parent().map(|block| block.id()) == at.parent().map(|block| block.id()));
        let place = first.map_or(at.start_byte(), |first| leading_comments(script, first));
        let (indent, newline) = (self.edits[unit].indentation(script, first.unwrap_or(at)), script.style.newline);
        let end = if script.style.semicolons { ";" } else { "" };
        let text = script.indented(&format!("const {NOT_ALLOWED_NAME} = {text}{end}"), indent);
        let text = format!("{text}{newline}{newline}{indent}");
        self.edits[unit].insert(place, text);
        self.edits[unit].replace(span(last), NOT_ALLOWED_NAME);
        self.turned_away.push(scope);
        Ok(())
    }

    /// The types of the two parameters of a handler, as written.
    fn types_of(&self, handler: Function) -> Option<(String, String)> {
        let script = &self.world.units[handler.0].script;
        let params = parameters(self.world.function(handler)?);
        let type_of = |index: usize| {
            let ty = params.get(index)?.child_by_field_name("type")?;
            Some(script.of(ty).trim_start_matches(':').trim().to_owned())
        };
        Some((type_of(0)?, type_of(1).unwrap_or_default()))
    }

    /// A handler of methods that are gone answers so.
    fn not_allowed(&mut self, route: &Route, handler: Function) -> Result<(), Refused> {
        let (unit, _) = handler;
        let Some(node) = self.world.function(handler) else { return Ok(()) };
        let script = &self.world.units[unit].script;
        let params = parameters(node);
        let framework = framework(route, script)?;
        let name_of = |index: usize, otherwise: &str| -> Result<String, Refused> {
            let Some(param) = params.get(index) else { return Ok(otherwise.to_owned()) };
            let name = param.child_by_field_name("pattern").unwrap_or(*param);
            if name.kind() != "identifier" {
                return Err(script.refuse(
                    name,
                    "this parameter is taken apart",
                    "answer GET and DELETE with 405 here",
                ));
            }
            Ok(script.of(name).to_owned())
        };
        let alone = framework.returns() || framework.has_context();
        let request = name_of(0, framework.names().0)?;
        let response = if alone { String::new() } else { name_of(1, framework.names().1)? };
        let types = self.types_of(handler).filter(|(_, response)| alone || !response.is_empty());
        let types = types.as_ref().map(|(request, response)| (request.as_str(), response.as_str()));
        let entry = Entry { style: &script.style, framework, request: &request, response: &response, types };
        let indent = self.edits[unit].indentation(script, node).to_owned();
        let unit_indent = script.style.indent.text();
        let newline = script.style.newline;
        let body = || {
            let inner = format!("{indent}{unit_indent}");
            format!("{{{newline}{inner}{}{newline}{indent}}}", script.indented(&entry.answer(&NOT_ALLOWED), &inner))
        };
        let waits = if self.is_waited_for(unit, node) { "async " } else { "" };
        match node.kind() {
            "arrow_function" | "function_expression" => {
                let text = script.indented(&format!("{waits}{}", entry.not_allowed_handler()), &indent);
                match node.parent().filter(|parent| parent.kind() == "variable_declarator") {
                    Some(declarator) => self.renamed(unit, declarator, |name| {
                        let ty = declarator.child_by_field_name("type").map_or("", |ty| script.of(ty));
                        format!("{name}{ty} = {text}")
                    }),
                    None => self.edits[unit].replace(span(node), text),
                }
            }
            "function_declaration" => {
                let text = format!("{} {}", entry.parameters(false), body());
                self.renamed(unit, node, |name| format!("{waits}function {name}{text}"));
            }
            _ => {
                let Some(old) = node.child_by_field_name("body") else { return Ok(()) };
                self.edits[unit].replace(span(old), body());
            }
        }
        Ok(())
    }

    /// Whether what an asynchronous handler answers may be waited for: something else than a route is handed it (`guard(handler)`).
    fn is_waited_for(&self, unit: usize, function: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let mut cursor = function.walk();
        if !function.children(&mut cursor).any(|child| child.kind() == "async") {
            return false;
        }
        let declared = match function.kind() {
            "function_declaration" => function.child_by_field_name("name"),
            _ => function.parent().and_then(|parent| parent.child_by_field_name("name")),
        };
        let uses =
            declared.and_then(|name| file.symbol(name)).map_or_else(Vec::new, |symbol| self.uses(unit, (unit, symbol)));
        uses.into_iter().filter(|used| !self.edits[unit].gone(*used)).any(|used| {
            let call = used.parent().filter(|list| list.kind() == "arguments").and_then(|list| list.parent());
            let callee = call.and_then(|call| call.child_by_field_name("function"));
            let method =
                callee.and_then(|callee| callee.child_by_field_name("property")).map(|name| file.script.of(name));
            let registers = matches!(method, Some("get" | "delete" | "all" | "use" | "put" | "patch" | "route"));
            call.is_some_and(|_| !registers)
                || used.parent().is_some_and(|parent| parent.child_by_field_name("function") == Some(used))
        })
    }

    /// Puts a new text in the place of a declaration. It does not keep a name that speaks of sessions.
    fn renamed(&mut self, unit: usize, declaration: Node<'w>, text: impl Fn(&str) -> String) {
        const NAME: &str = NOT_ALLOWED_NAME;
        let file = &self.world.units[unit];
        let Some(name) = declaration.child_by_field_name("name") else { return };
        let old = file.script.of(name);
        let exported = std::iter::successors(declaration.parent(), Node::parent)
            .take_while(|node| node.kind() != "statement_block")
            .any(|node| node.kind() == "export_statement");
        let symbol = file.symbol(name);
        let listed =
            file.module.exports.iter().any(|export| matches!(export.what, Exported::Local(id) if Some(id) == symbol));
        let block = |node: Node<'w>| {
            std::iter::successors(node.parent(), Node::parent)
                .find(|node| matches!(node.kind(), "statement_block" | "program"))
        };
        let scope = (unit, block(declaration).map_or(0, |block| block.id()));
        let again = self.turned_away.contains(&scope);
        let elsewhere = !again && self.turned_away.iter().any(|(known, _)| *known == unit);
        if exported || listed || elsewhere || mentions(file.script.text(), NAME) {
            self.edits[unit].replace(span(declaration), text(old));
            return;
        }
        self.turned_away.push(scope);
        // With its keyword, so that it counts as a new declaration and not as an old one without uses.
        let statement = declaration
            .parent()
            .filter(|parent| parent.kind() == "lexical_declaration" && children(*parent).len() == 1);
        let whole =
            statement.map_or(span(declaration), |statement| Span::new(statement.start_byte(), declaration.end_byte()));
        let head = if statement.is_some() { "const " } else { "" };
        let end = statement.filter(|statement| statement.end_byte() > declaration.end_byte());
        let whole = end.map_or(whole, |statement| span(statement));
        let tail = if end.is_some() { ";" } else { "" };
        if again {
            self.remove(unit, statement.unwrap_or(declaration));
        } else {
            self.edits[unit].replace(whole, format!("{head}{}{tail}", text(NAME)));
        }
        for used in symbol.map_or_else(Vec::new, |symbol| self.uses(unit, (unit, symbol))) {
            if self.edits[unit].gone(used) {
                continue;
            }
            let text = if used.kind() == "shorthand_property_identifier" {
                format!("{}: {NAME}", file.script.of(used))
            } else {
                NAME.to_owned()
            };
            self.edits[unit].replace(span(used), text);
        }
    }
}
