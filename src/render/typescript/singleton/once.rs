//! What connects server and transport once, when the first request comes or before: as each request connects its own, it goes.

use tree_sitter::Node;

use super::build::{Build, Connect};
use super::continued::{self, Continued};
use super::once_uses::{exports, named};
use super::routes::Handled;
use crate::model::facts::Span;
use crate::plan::loggers::{LEVELS, names_logger};
use crate::render::Refused;
use crate::render::typescript::classes::{field, uses as of_this};
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, is_function, is_statement, span};

const TODO: &str = "connect server and transport in the handler of each request, then run again";

/// What goes.
pub(super) struct Once<'t> {
    /// The connection.
    pub connect: Connect<'t>,
    /// Statements and declarations.
    pub gone: Vec<Node<'t>>,
    /// How the server is built, where that is done there as well.
    pub build: Option<Build>,
    /// Log lines that told of the connection go with it.
    pub logs: bool,
    /// What was to be done behind it is done at once.
    pub continued: Vec<Continued<'t>>,
}

/// What says whether it was done: a variable, or a field of the class.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Flag<'t> {
    /// The identifier that declares it.
    Variable(Node<'t>),
    /// The name behind `this.`.
    Field(&'t str),
}

/// The look for it.
pub(super) struct Search<'t, 'a> {
    pub script: &'t Script,
    pub handled: &'a [Handled<'t>],
    /// What is connected, without what is transparent around it.
    pub receiver: Node<'t>,
    /// The connecting call, and the calls of functions that do nothing else.
    calls: Vec<Node<'t>>,
    /// Those functions, with their calls.
    pub functions: Vec<(Node<'t>, Vec<Node<'t>>)>,
    pub flags: Vec<Flag<'t>>,
    /// What makes the server.
    pub made: Vec<Node<'t>>,
    pub gone: Vec<Node<'t>>,
    logs: bool,
    continued: Vec<Continued<'t>>,
}

/// Looks for code around a connecting call that sees to it being run once only; `None` where there is none.
pub(super) fn find<'t>(script: &'t Script, at: Span, handled: &[Handled<'t>]) -> Result<Option<Once<'t>>, Refused> {
    let Some(call) = script.node(at).filter(|node| node.kind() == "call_expression") else { return Ok(None) };
    let Some(receiver) = call.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("object"))
    else {
        return Ok(None);
    };
    let given = call.child_by_field_name("arguments").map(children).unwrap_or_default();
    let [given] = given.as_slice() else { return Ok(None) };
    let mut search = Search {
        script,
        handled,
        receiver: bare(receiver),
        calls: vec![call],
        functions: Vec::new(),
        flags: Vec::new(),
        made: Vec::new(),
        gone: Vec::new(),
        logs: false,
        continued: Vec::new(),
    };
    let mut next = 0;
    while let Some(call) = search.calls.get(next).copied() {
        search.around(call)?;
        next += 1;
    }
    let plain =
        search.flags.is_empty() && search.functions.is_empty() && search.continued.is_empty() && !search.asked();
    if (plain && Connect::of(script, at).is_ok()) || !search.flags_go()? {
        return Ok(None);
    }
    search.hollow();
    let continued = search.continued.iter().map(|continued| continued.statement);
    let statement = search.gone.iter().copied().chain(continued).find(|whole| span(*whole).contains(at));
    let Some(statement) = statement else { return Ok(None) };
    let build = search.server()?;
    search.settle();
    let cast = &script.text()[bare(*given).end_byte()..given.end_byte()];
    let callee = script.node(at).and_then(|call| call.child_by_field_name("function"));
    let method =
        callee.and_then(|callee| callee.child_by_field_name("property")).map_or("connect", |name| script.of(name));
    let connect = Connect { receiver, method, statement, cast };
    Ok(Some(Once { connect, gone: search.gone, build, logs: search.logs, continued: search.continued }))
}

impl<'t> Search<'t, '_> {
    /// Whether what goes asks the server whether it is connected.
    fn asked(&self) -> bool {
        self.gone.iter().any(|gone| gone.kind() == "if_statement")
    }

    /// Takes what is around a call that connects, and does nothing else: a statement, or the whole function.
    fn around(&mut self, call: Node<'t>) -> Result<(), Refused> {
        let function = enclosing_function(call);
        if let Some(function) = function.filter(|function| self.does_nothing_else(*function)) {
            if let Some(run) = run_at_once(function) {
                self.calls.push(run);
                return Ok(());
            }
            if let Some(declared) = named(function) {
                return self.function_goes(function, declared);
            }
        }
        let body = function.and_then(|function| function.child_by_field_name("body"));
        let mut whole = None;
        for around in std::iter::successors(Some(call), Node::parent).take_while(|node| Some(*node) != body) {
            let stands = is_statement(around);
            if stands && self.surely(|search| search.only_connects(around)) {
                whole = Some(around);
            } else if stands {
                break;
            }
        }
        match whole {
            Some(whole) => {
                self.gone.push(whole);
                Ok(())
            }
            None => match continued::of(self.script, call)? {
                Some(continued) => {
                    self.continued.push(continued);
                    Ok(())
                }
                None if self.calls[0] == call => Ok(()),
                None => Err(self.script.refuse(call, "more is done with the connection than to await it", TODO)),
            },
        }
    }

    fn does_nothing_else(&mut self, function: Node<'t>) -> bool {
        if self.handled.iter().any(|handled| handled.handler == function) {
            return false;
        }
        let Some(body) = function.child_by_field_name("body") else { return false };
        let before = self.logs;
        self.logs = false;
        let all = self.surely(|search| {
            let all = match body.kind() {
                "statement_block" => search.only_connects(body),
                _ => search.connects(body),
            };
            // A function that tells of more is more than that.
            all && (!search.logs || !search.flags.is_empty() || !search.made.is_empty())
        });
        self.logs |= before;
        all
    }

    /// An answer; what was found on the way counts only where it is yes.
    pub(super) fn surely(&mut self, ask: impl FnOnce(&mut Self) -> bool) -> bool {
        let (flags, made) = (self.flags.len(), self.made.len());
        let answer = ask(self);
        if !answer {
            self.flags.truncate(flags);
            self.made.truncate(made);
        }
        answer
    }

    /// A function goes, and so does what calls it.
    fn function_goes(&mut self, function: Node<'t>, name: Node<'t>) -> Result<(), Refused> {
        let script = self.script;
        let whole = match function.kind() {
            "method_definition" => function,
            _ => std::iter::successors(Some(name), Node::parent)
                .find(|node| is_statement(*node) || node.kind().ends_with("field_definition"))
                .unwrap_or(function),
        };
        if whole.kind() == "export_statement" || exports(script, script.of(name)) {
            let why = "this connects server and transport once, and other files may call it";
            return Err(script.refuse(name, why, TODO));
        }
        self.gone.push(whole);
        let method = function.kind() == "method_definition" || whole.kind().ends_with("field_definition");
        let uses = if method { of_this(script, name, script.of(name)) } else { scope::uses(script, name) };
        let mut calls = Vec::new();
        for used in uses {
            let call = used.parent().filter(|parent| {
                parent.kind() == "call_expression" && parent.child_by_field_name("function") == Some(used)
            });
            let Some(call) = call else {
                return Err(script.refuse(
                    used,
                    "this connects server and transport once, and is handed on here",
                    TODO,
                ));
            };
            calls.push(call);
        }
        self.calls.extend(&calls);
        self.functions.push((function, calls));
        Ok(())
    }

    /// Whether code does nothing but to connect server and transport, unless that is done.
    pub(super) fn only_connects(&mut self, node: Node<'t>) -> bool {
        match node.kind() {
            "expression_statement" => children(node).into_iter().all(|value| self.connects(value)),
            "statement_block" | "else_clause" => children(node).into_iter().all(|child| self.only_connects(child)),
            "empty_statement" => true,
            "if_statement" => {
                let tests = node.child_by_field_name("condition").is_some_and(|condition| self.tests(condition));
                let branches = [node.child_by_field_name("consequence"), node.child_by_field_name("alternative")];
                tests && branches.into_iter().flatten().all(|branch| self.only_connects(branch))
            }
            "return_statement" => children(node).into_iter().all(|value| self.connects(value)),
            // What is caught is that it failed.
            "try_statement" => {
                node.child_by_field_name("body").is_some_and(|body| self.only_connects(body))
                    && node.child_by_field_name("finalizer").is_none()
            }
            "lexical_declaration" | "variable_declaration" => {
                children(node).into_iter().all(|declarator| self.declares(declarator))
            }
            _ => false,
        }
    }

    /// `const server = createServer();` of the server that is connected, `const ready = server.connect(transport);`.
    fn declares(&mut self, declarator: Node<'t>) -> bool {
        let (name, value) = (declarator.child_by_field_name("name"), declarator.child_by_field_name("value"));
        let (Some(name), Some(value)) = (name.filter(|name| name.kind() == "identifier"), value) else { return false };
        if scope::declaration(self.script, self.receiver, self.script.of(self.receiver)) == Some(name) {
            return self.makes(value);
        }
        let connects = self.connects(value);
        if connects && !self.flags.contains(&Flag::Variable(name)) {
            self.flags.push(Flag::Variable(name));
        }
        connects
    }

    /// Whether a value is what makes the server.
    fn makes(&mut self, value: Node<'t>) -> bool {
        let makes = bare(value).kind() == "call_expression" && enclosing_function(value).is_some();
        if makes && !self.made.contains(&value) {
            self.made.push(value);
        }
        makes
    }

    /// Whether an expression connects the two, says that this is done, or waits for it.
    fn connects(&mut self, value: Node<'t>) -> bool {
        let value = plain(value);
        if self.calls.contains(&value) || matches!(value.kind(), "null" | "undefined" | "true" | "false") {
            return true;
        }
        match value.kind() {
            "identifier" | "member_expression" => self.flag(value),
            "assignment_expression" | "augmented_assignment_expression" => {
                let (Some(left), Some(right)) = (value.child_by_field_name("left"), value.child_by_field_name("right"))
                else {
                    return false;
                };
                if self.script.of(left) == self.script.of(self.receiver) {
                    return self.makes(right) || matches!(right.kind(), "null" | "undefined");
                }
                self.flag(left) && self.connects(right)
            }
            "call_expression" => self.called(value),
            _ => false,
        }
    }

    /// `(async () => { … })()`, `ready.catch(…)`, `console.log(…)`.
    fn called(&mut self, call: Node<'t>) -> bool {
        let Some(callee) = call.child_by_field_name("function") else { return false };
        let arguments = call.child_by_field_name("arguments").map(children).unwrap_or_default();
        let function = bare(callee);
        if is_function(function) {
            let body = function.child_by_field_name("body");
            return arguments.is_empty() && body.is_some_and(|body| self.only_connects(body));
        }
        let (Some(object), Some(property)) =
            (callee.child_by_field_name("object"), callee.child_by_field_name("property"))
        else {
            return false;
        };
        match self.script.of(property) {
            // What is caught is that it failed.
            "catch" if self.connects(object) => true,
            "then" | "finally" if self.connects(object) => arguments.into_iter().all(|callback| {
                let body =
                    Some(callback).filter(|node| is_function(*node)).and_then(|node| node.child_by_field_name("body"));
                body.is_some_and(|body| match body.kind() {
                    "statement_block" => self.only_connects(body),
                    _ => self.connects(body),
                })
            }),
            level => {
                let name = self.script.of(object).rsplit('.').next().unwrap_or_default();
                let waits = arguments.iter().any(|argument| self.script.of(*argument).contains("await "));
                let logs = names_logger(name) && LEVELS.contains(&level) && !waits;
                self.logs |= logs;
                logs
            }
        }
    }

    /// Whether a condition only asks whether it is done.
    fn tests(&mut self, condition: Node<'t>) -> bool {
        let condition = plain(condition);
        let literal = |node: Node<'_>| matches!(node.kind(), "null" | "undefined" | "true" | "false");
        match condition.kind() {
            "unary_expression" => condition.child_by_field_name("argument").is_some_and(|of| self.tests(of)),
            "binary_expression" => children(condition).into_iter().all(|side| literal(side) || self.tests(side)),
            "call_expression" => {
                let callee = condition.child_by_field_name("function").map_or("", |callee| self.script.of(callee));
                callee.strip_suffix(".isConnected").is_some_and(|of| self.is_receiver(of))
            }
            "identifier" | "member_expression" => {
                let text = self.script.of(condition).replace("?.", ".");
                let of = text.strip_suffix(".transport").map(|of| of.trim_end_matches(".server").to_owned());
                self.is_receiver(&text) || of.is_some_and(|of| self.is_receiver(&of)) || self.flag(condition)
            }
            _ => false,
        }
    }

    fn is_receiver(&self, text: &str) -> bool {
        text.trim_end_matches(['!', '?']) == self.script.of(self.receiver)
    }

    /// Whether something says that it is done: it is nothing at the start.
    fn flag(&mut self, node: Node<'t>) -> bool {
        let flag = match node.kind() {
            "identifier" => scope::declaration(self.script, node, self.script.of(node)).map(Flag::Variable),
            _ if node.child_by_field_name("object").is_some_and(|object| object.kind() == "this") => {
                node.child_by_field_name("property").map(|name| Flag::Field(self.script.of(name)))
            }
            _ => None,
        };
        let Some(flag) = flag else { return false };
        if self.flags.contains(&flag) {
            return true;
        }
        let nothing = |value: Option<Node<'_>>| {
            value.is_none_or(|value| matches!(bare(value).kind(), "null" | "undefined" | "false"))
        };
        let empty = match flag {
            Flag::Variable(name) => name.parent().is_some_and(|declarator| {
                declarator.kind() == "variable_declarator"
                    && nothing(declarator.child_by_field_name("value"))
                    && declarator.parent().is_some_and(|whole| is_statement(whole) && children(whole).len() == 1)
            }),
            Flag::Field(name) => field(self.script, node, name)
                .is_some_and(|declaration| nothing(declaration.child_by_field_name("value"))),
        };
        if empty {
            self.flags.push(flag);
        }
        empty
    }
}

/// The call of a function that is written where it is run.
fn run_at_once(function: Node<'_>) -> Option<Node<'_>> {
    let around = function.parent().filter(|parent| parent.kind() == "parenthesized_expression")?;
    let call = around.parent().filter(|call| call.child_by_field_name("function") == Some(around))?;
    (call.kind() == "call_expression").then_some(call)
}

/// A value without `await`, `void` and brackets around it.
fn plain(value: Node<'_>) -> Node<'_> {
    let inner = bare(value);
    let void = inner.kind() == "unary_expression"
        && inner.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "void");
    match inner.child_by_field_name("argument").filter(|_| void) {
        Some(argument) => plain(argument),
        None => inner,
    }
}
