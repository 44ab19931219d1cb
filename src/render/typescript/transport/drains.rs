//! Shutdown: what closed all sessions waits for the requests in flight.

use tree_sitter::Node;

use super::fold::{Fold, any};
use super::world::Function;
use crate::model::facts::Span;
use crate::plan::transport::Fact;
use crate::render::Refused;
use crate::render::typescript::script::{
    Script, bare, children, enclosing_function, is_function, is_statement, leading_comments, span, statement,
};

impl<'w> Fold<'w> {
    /// Whether all that a function does is to close all sessions.
    pub(super) fn only_closes(&self, target: Function) -> bool {
        let Some(function) = self.world.function(target) else { return false };
        let Some(body) = function.child_by_field_name("body") else { return false };
        let whole = self.places(target.0, &Fact::Table).into_iter().any(|table| {
            // All of them, and not one that is looked up.
            span(body).contains(span(table)) && !self.looks_up(target.0, table)
        });
        whole
            && (self.closes(target.0, body) || self.closes_by_calls(target.0, body))
            && children(body).into_iter().all(|node| self.closing_statement(target.0, node))
    }

    fn looks_up(&self, unit: usize, table: Node<'w>) -> bool {
        let script = &self.world.units[unit].script;
        table.parent().is_some_and(|parent| {
            parent.kind() == "subscript_expression"
                || parent.child_by_field_name("property").is_some_and(|name| matches!(script.of(name), "get" | "has"))
        })
    }

    /// A statement of a function that closes all sessions: nothing in it has to do with anything else.
    fn closing_statement(&self, unit: usize, node: Node<'w>) -> bool {
        self.is_chore(unit, node, true) || (node.kind() == "expression_statement" && self.closing_value(unit, node))
    }

    /// Whether all that a value calls closes sessions, goes over them or logs.
    fn closing_value(&self, unit: usize, node: Node<'w>) -> bool {
        const HELPERS: &[&str] =
            &["all", "allSettled", "from", "map", "forEach", "values", "entries", "keys", "clear", "catch", "then"];
        let file = &self.world.units[unit];
        !any(node, &mut |inner| {
            let callee = inner.child_by_field_name("function").filter(|_| inner.kind() == "call_expression");
            callee.is_some_and(|callee| {
                let name = callee.child_by_field_name("property").unwrap_or(callee);
                let name = file.script.of(name);
                let known = matches!(file.fact(inner), Some(Fact::Close | Fact::Log))
                    || HELPERS.contains(&name)
                    || matches!(name, "clearInterval" | "clearTimeout")
                    || file.calls.get(&span(inner)).is_some_and(|target| self.only_closes(*target));
                !known
            })
        })
    }

    /// Statements that close what a table holds, outside of requests and timers.
    pub(super) fn shutdowns(&self, unit: usize) -> Vec<Node<'w>> {
        let mut out: Vec<Node<'w>> = Vec::new();
        let tables = self.places(unit, &Fact::Table);
        let mut copies: Vec<Node<'w>> = tables.iter().flat_map(|table| self.copies(unit, *table)).collect();
        let calls = self.world.units[unit].calls.iter().filter(|(_, target)| self.lists_all(**target));
        copies.extend(calls.filter_map(|(at, _)| self.world.units[unit].script.node(*at)));
        copies.retain(|copy| !self.edits[unit].gone(*copy));
        copies.sort_by_key(Node::start_byte);
        for table in tables.into_iter().chain(copies) {
            let mut found = statement(table);
            // The loop rather than a statement within it.
            while let Some(around) = std::iter::successors(found.parent(), Node::parent)
                .take_while(|node| !is_function(*node) || self.is_callback_of_table(unit, *node))
                .find(|node| {
                    is_statement(*node)
                        && matches!(node.kind(), "for_in_statement" | "expression_statement" | "try_statement")
                })
                .filter(|node| node.kind() != "try_statement")
            {
                found = around;
            }
            let closes = (self.closes(unit, found)
                || found.kind() == "for_in_statement" && self.closes_by_calls(unit, found))
                && !self.in_timer(unit, found)
                && !self.was_called(unit, found);
            let known = out.iter().any(|known| span(*known).contains(span(found)));
            // The initial value of a field has no statement of its own.
            let whole = matches!(found.kind(), "class_declaration" | "abstract_class_declaration" | "export_statement");
            if closes && !known && !whole {
                out.push(found);
            }
        }
        out
    }

    /// Whether all that a function does is to answer the sessions of a table: `all() { return [...this.sessions.values()]; }`.
    fn lists_all(&self, target: Function) -> bool {
        let body = self.world.function(target).and_then(|function| function.child_by_field_name("body"));
        let Some(body) = body else { return false };
        let answer = match children(body).as_slice() {
            [only] if only.kind() == "return_statement" => children(*only).first().copied(),
            _ => (body.kind() != "statement_block").then_some(body),
        };
        answer.is_some_and(|answer| {
            let mut tables = self.all_places(target.0, &Fact::Table).into_iter();
            matches!(bare(answer).kind(), "array" | "call_expression")
                && tables.any(|table| {
                    span(answer).contains(span(table))
                        && table.parent().is_some_and(|member| {
                            let name = member.child_by_field_name("property");
                            name.is_some_and(|name| self.world.units[target.0].script.of(name) == "values")
                        })
                })
        })
    }

    /// Uses of a variable that holds what a table holds: `const open = [...table.values()]`.
    fn copies(&self, unit: usize, table: Node<'w>) -> Vec<Node<'w>> {
        let file = &self.world.units[unit];
        let declarator = std::iter::successors(table.parent(), Node::parent)
            .take_while(|node| !is_function(*node) && !is_statement(*node))
            .find(|node| node.kind() == "variable_declarator");
        let name = declarator.and_then(|declarator| declarator.child_by_field_name("name"));
        let symbol = name.filter(|name| name.kind() == "identifier").and_then(|name| file.symbol(name));
        let uses = symbol.map_or_else(Vec::new, |symbol| self.uses(unit, (unit, symbol)));
        uses.into_iter().filter(|used| Some(*used) != name && !self.edits[unit].gone(*used)).collect()
    }

    /// Whether code stands in a function that was called, and is not any more: a timer did, say.
    fn was_called(&self, unit: usize, node: Node<'w>) -> bool {
        let calls = enclosing_function(node).map_or_else(Vec::new, |function| self.calls_of((unit, span(function))));
        !calls.is_empty() && calls.into_iter().all(|(at, call)| self.edits[at].gone(call))
    }

    /// Whether a timer runs this code.
    fn in_timer(&self, unit: usize, node: Node<'w>) -> bool {
        let script = &self.world.units[unit].script;
        std::iter::successors(node.parent(), Node::parent).any(|around| {
            around.kind() == "call_expression"
                && around
                    .child_by_field_name("function")
                    .is_some_and(|callee| matches!(script.of(callee), "setInterval" | "setTimeout"))
        })
    }

    fn is_callback_of_table(&self, unit: usize, function: Node<'w>) -> bool {
        function
            .parent()
            .filter(|parent| parent.kind() == "arguments")
            .and_then(|arguments| arguments.parent())
            .and_then(|call| call.child_by_field_name("function"))
            .is_some_and(|callee| any(callee, &mut |node| self.world.units[unit].fact(node) == Some(&Fact::Table)))
    }

    /// Takes a statement away that closes all sessions when a signal is aborted, where nothing waits for it: requests end by themselves.
    /// Whether it was one.
    pub(super) fn ends_unheard(&mut self, unit: usize, shutdown: Node<'w>) -> bool {
        let Some(gone) = self.unheard(unit, shutdown) else { return false };
        self.remove(unit, gone);
        self.raise("What closed the sessions when a signal was aborted is gone: requests end by themselves.");
        true
    }

    /// Takes a statement away that closes all sessions where the listener is closed behind it, which waits for requests by itself, and the
    /// process ends after a time of its own: another wait would come before that. Whether it was one.
    pub(super) fn ends_with_listener(&mut self, unit: usize, shutdown: Node<'w>) -> bool {
        let script = &self.world.units[unit].script;
        let behind = std::iter::successors(shutdown.next_named_sibling(), Node::next_named_sibling);
        let calls: Vec<Node<'w>> = behind.filter_map(|node| first_call(node)).collect();
        let exits = |call: &&Node<'w>| {
            let callback = self.argument(**call, 0);
            callback.is_some_and(|callback| is_function(callback) && script.of(callback).contains("process.exit"))
        };
        let callee = |call: &Node<'w>| call.child_by_field_name("function");
        let closes = calls.iter().filter(exits).filter_map(callee).any(|callee| {
            callee.child_by_field_name("property").is_some_and(|name| script.of(name) == "close")
                && callee.child_by_field_name("object").is_some_and(|object| listens(script, script.of(object)))
        });
        let late = calls.iter().filter(exits).filter_map(callee).any(|callee| script.of(callee) == "setTimeout");
        if !closes || !late || !self.closing_statement(unit, shutdown) {
            return false;
        }
        self.remove(unit, shutdown);
        self.raise("Shutdown has no sessions to close any more: the listener lets requests be answered, for as long as it did.");
        true
    }

    /// What goes with a statement that closes all sessions when a signal is aborted: the listener too, where it has nothing else to do.
    fn unheard(&self, unit: usize, shutdown: Node<'w>) -> Option<Node<'w>> {
        if any(shutdown, &mut |node| node.kind() == "await_expression") {
            return None;
        }
        let listens = children(shutdown).first().copied().and_then(|call| self.abort_listener(unit, call));
        if let Some(body) = listens.and_then(|listener| listener.child_by_field_name("body")) {
            return (body.kind() != "statement_block" && self.closing_value(unit, body)).then_some(shutdown);
        }
        let function = enclosing_function(shutdown)?;
        let call = function.parent()?.parent()?;
        if self.abort_listener(unit, call) != Some(function) || !self.closing_statement(unit, shutdown) {
            return None;
        }
        let body = children(function.child_by_field_name("body")?);
        let alone = body.iter().all(|node| *node == shutdown || self.edits[unit].gone(*node));
        Some(if alone { statement(call) } else { shutdown })
    }

    /// The function that a call has run when a signal is aborted: `signal.addEventListener('abort', () => …)`.
    fn abort_listener(&self, unit: usize, call: Node<'w>) -> Option<Node<'w>> {
        let script = &self.world.units[unit].script;
        let callee = call.child_by_field_name("function").filter(|_| call.kind() == "call_expression")?;
        let listens = callee.child_by_field_name("property").is_some_and(|name| script.of(name) == "addEventListener");
        let event = self.argument(call, 0)?;
        let aborted = listens && script.of(event).trim_matches(['"', '\'']) == "abort";
        self.argument(call, 1).filter(|listener| aborted && is_function(*listener))
    }

    /// Puts the wait for requests in the place of a statement that closes all sessions; `first` says whether it is the first one. What
    /// is done when they are closed is done after the wait.
    pub(super) fn drain(&mut self, unit: usize, shutdown: Node<'w>, first: bool, wait: &str) -> Result<(), Refused> {
        let script = &self.world.units[unit].script;
        let follows = self.done_when_closed(unit, shutdown)?;
        let above = leading_comments(script, shutdown);
        let said = script.text()[above..shutdown.start_byte()].to_ascii_lowercase();
        if ["transport", "session", "connection"].iter().any(|word| said.contains(word)) {
            let last = above + script.text()[above..shutdown.start_byte()].trim_end().len();
            self.edits[unit].cut(Span::new(script.line_start(above), script.line_end(last)));
        }
        let indent = self.edits[unit].indentation(script, shutdown).to_owned();
        let line = script.line_start(shutdown.start_byte());
        // A statement among others on a line stays on that.
        let dense = !script.text()[line..shutdown.start_byte()].trim().is_empty();
        let wait = match (first, dense) {
            (false, _) => String::new(),
            (true, true) => wait.split(script.style.newline).map(str::trim).collect::<Vec<_>>().join(" "),
            (true, false) => script.indented(wait, &indent),
        };
        let block = follows.filter(|follows| follows.kind() == "statement_block");
        let statements = block.map_or_else(Vec::new, children);
        match (statements.first(), statements.last(), follows) {
            (Some(from), Some(to), _) => {
                self.edits[unit].unwrap_lines(script, shutdown, *from, *to);
                if first {
                    let text = format!("{wait}{}{indent}", script.style.newline);
                    self.edits[unit].insert(from.start_byte(), text);
                }
            }
            (_, _, Some(value)) if value.kind() != "statement_block" => {
                let end = if script.style.semicolons { ";" } else { "" };
                let before = if first { format!("{wait}{}{indent}", script.style.newline) } else { String::new() };
                self.edits[unit].replace(span(shutdown), format!("{before}{}{end}", script.of(value)));
            }
            _ if first => self.edits[unit].replace(span(shutdown), wait),
            _ => self.remove(unit, shutdown),
        }
        if first { self.make_async(unit, shutdown) } else { Ok(()) }
    }

    /// The body of the callback that runs when all sessions are closed. Refuses where a statement does more than to close them.
    fn done_when_closed(&self, unit: usize, shutdown: Node<'w>) -> Result<Option<Node<'w>>, Refused> {
        if self.closing_statement(unit, shutdown) {
            return Ok(None);
        }
        let script = &self.world.units[unit].script;
        let split = || {
            let call = bare(*children(shutdown).first()?);
            let call =
                if call.kind() == "unary_expression" { bare(call.child_by_field_name("argument")?) } else { call };
            let callee = call.child_by_field_name("function")?;
            let name = script.of(callee.child_by_field_name("property")?);
            let arguments = children(call.child_by_field_name("arguments")?);
            let [callback] = arguments.as_slice() else { return None };
            let plain = is_function(*callback) && super::machine::parameters(*callback).is_empty();
            let closes = self.closing_value(unit, callee.child_by_field_name("object")?);
            (matches!(name, "then" | "finally") && plain && closes).then(|| callback.child_by_field_name("body"))?
        };
        split().map(Some).ok_or_else(|| {
            script.refuse(
                shutdown,
                "more is done here than to close all sessions",
                "close the sessions in a statement of its own, then run again",
            )
        })
    }
}

/// The call that a statement begins with: `setTimeout(…)` of `setTimeout(…).unref();`.
fn first_call(statement: Node<'_>) -> Option<Node<'_>> {
    let mut call = children(statement).first().copied().filter(|call| call.kind() == "call_expression")?;
    while let Some(inner) = call.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("object"))
    {
        if inner.kind() != "call_expression" {
            break;
        }
        call = inner;
    }
    Some(call)
}

/// Whether a name of a file is given a server that listens: `const http = app.listen(…)`, `this.http = createServer(…)`.
fn listens(script: &Script, name: &str) -> bool {
    any(script.tree.root_node(), &mut |node| {
        let (target, value) = match node.kind() {
            "variable_declarator" => (node.child_by_field_name("name"), node.child_by_field_name("value")),
            "assignment_expression" => (node.child_by_field_name("left"), node.child_by_field_name("right")),
            _ => return false,
        };
        let callee = value.and_then(|value| bare(value).child_by_field_name("function"));
        target.is_some_and(|target| script.of(target) == name)
            && callee.is_some_and(|callee| {
                let called = callee.child_by_field_name("property").unwrap_or(callee);
                matches!(script.of(called), "listen" | "createServer")
            })
    })
}
