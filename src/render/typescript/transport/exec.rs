//! Runs statements in the abstract.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::env::Env;
use super::eval::FILLS;
use super::machine::Machine;
use super::value::Value;
use crate::model::facts::SymbolKind;
use crate::render::typescript::script::{bare, children, is_function, span};

impl Machine<'_> {
    /// Runs a statement; whether what follows it is reached.
    pub fn exec(&mut self, node: Node<'_>, env: &mut Env) -> bool {
        self.reach(node);
        match node.kind() {
            "statement_block" => self.exec_all(&children(node), env),
            "lexical_declaration" | "variable_declaration" => {
                for declarator in children(node) {
                    self.declare(declarator, env);
                }
                true
            }
            "export_statement" => {
                match node.child_by_field_name("declaration").or_else(|| node.child_by_field_name("value")) {
                    Some(declaration) => self.exec(declaration, env),
                    None => true,
                }
            }
            "if_statement" => self.exec_if(node, env),
            "return_statement" => {
                let value = children(node).first().map_or(Value::Absent, |value| self.eval(*value, env));
                self.answer(value);
                false
            }
            "throw_statement" => {
                for child in children(node) {
                    self.eval(child, env);
                }
                false
            }
            "break_statement" | "continue_statement" => false,
            "try_statement" => self.exec_try(node, env),
            "for_in_statement" => self.exec_for_in(node, env),
            "for_statement" | "while_statement" | "do_statement" => {
                self.exec_loop(node, env);
                true
            }
            "switch_statement" => self.exec_switch(node, env),
            "labeled_statement" => {
                if let Some(body) = node.child_by_field_name("body") {
                    self.exec(body, env);
                }
                true
            }
            "class_declaration" | "abstract_class_declaration" => {
                self.exec_class(node, env);
                true
            }
            _ if is_function(node) => true,
            "import_statement" | "interface_declaration" | "type_alias_declaration" | "empty_statement" => true,
            "expression_statement" => children(node).into_iter().all(|child| {
                let value = self.eval(child, env);
                !(self.throws_by_name(child) || value == Value::Never && self.is_waited_for(child))
            }),
            _ => {
                self.eval(node, env);
                true
            }
        }
    }

    /// `ctx.throw(404)`: a method of that name throws.
    fn throws_by_name(&self, node: Node<'_>) -> bool {
        let callee = node.child_by_field_name("function").filter(|_| node.kind() == "call_expression");
        let name = callee.and_then(|callee| callee.child_by_field_name("property"));
        name.is_some_and(|name| self.world.units[self.at].script.of(name) == "throw")
    }

    /// Whether a call of a function of the program is done when its statement is.
    fn is_waited_for(&self, node: Node<'_>) -> bool {
        let awaits = node.kind() == "await_expression";
        let call = if awaits { children(node).first().copied().map(bare) } else { Some(node) };
        let target = call.and_then(|call| self.world.units[self.at].calls.get(&span(call)));
        target.and_then(|target| self.world.function(*target)).is_some_and(|function| {
            let mut cursor = function.walk();
            awaits || !function.children(&mut cursor).any(|child| child.kind() == "async")
        })
    }

    fn exec_all(&mut self, statements: &[Node<'_>], env: &mut Env) -> bool {
        statements.iter().all(|statement| self.exec(*statement, env))
    }

    fn declare(&mut self, declarator: Node<'_>, env: &mut Env) {
        let Some(name) = declarator.child_by_field_name("name") else { return };
        let value = match declarator.child_by_field_name("value") {
            Some(value) => self.eval(value, env),
            None => Value::Absent,
        };
        self.bind(name, value, env);
    }

    fn exec_if(&mut self, node: Node<'_>, env: &mut Env) -> bool {
        let then = node.child_by_field_name("consequence");
        let mut condition = node.child_by_field_name("condition").map_or(Value::Unknown, |node| self.eval(node, env));
        if !self.blind && then.is_some_and(|then| self.world.is_apart(self.at, then)) {
            condition = Value::Bool(false);
        }
        self.decide(node, condition.truth());
        let otherwise = node.child_by_field_name("alternative").and_then(|clause| children(clause).first().copied());
        if condition == Value::Never {
            return false;
        }
        match condition.truth() {
            Some(true) => then.is_none_or(|then| self.exec(then, env)),
            Some(false) => otherwise.is_none_or(|otherwise| self.exec(otherwise, env)),
            None => {
                let mut other = env.clone();
                let first = then.is_none_or(|then| self.exec(then, env));
                let second = otherwise.is_none_or(|otherwise| self.exec(otherwise, &mut other));
                match (first, second) {
                    (true, true) => env.join(other),
                    (false, true) => {
                        *env = other;
                        self.refute(node, env);
                    }
                    _ => {}
                }
                first || second
            }
        }
    }

    /// Behind an `if` whose branch left: where all of the condition but one comparison holds, that one does not.
    fn refute(&mut self, node: Node<'_>, env: &mut Env) {
        let Some(condition) = node.child_by_field_name("condition") else { return };
        let mut parts = Vec::new();
        conjuncts(bare(condition), &mut parts);
        parts.retain(|part| self.eval(*part, &mut env.clone()).truth() != Some(true));
        if let [only] = parts.as_slice()
            && self.is_stable(*only)
        {
            env.refute(self.words(*only));
        }
    }

    /// Whether a comparison says the same for as long as the function runs.
    fn is_stable(&self, node: Node<'_>) -> bool {
        let compares = node.child_by_field_name("operator").is_some_and(|op| matches!(op.kind(), "===" | "=="));
        let fixed = |side: Node<'_>| {
            let mut root = bare(side);
            while root.kind() == "member_expression" {
                let name = root.child_by_field_name("property").map_or("", |name| self.text(name));
                match root.child_by_field_name("object").filter(|_| !self.written.contains(name)) {
                    Some(object) => root = bare(object),
                    None => return false,
                }
            }
            let constant = || {
                let symbol = self.unit().symbol(root);
                symbol.is_some_and(|symbol| {
                    matches!(self.unit().declared_by(symbol), SymbolKind::Variable { mutable: false })
                })
            };
            matches!(root.kind(), "string" | "number") || (root.kind() == "identifier" && constant())
        };
        let sides = [node.child_by_field_name("left"), node.child_by_field_name("right")];
        compares && sides.into_iter().flatten().all(fixed)
    }

    fn exec_try(&mut self, node: Node<'_>, env: &mut Env) -> bool {
        let before = env.clone();
        let body = node.child_by_field_name("body");
        let mut falls = body.is_none_or(|body| self.exec(body, env));
        if let Some(handler) = node.child_by_field_name("handler") {
            // The handler runs after any part of the body.
            let mut caught = before;
            caught.join(env.clone());
            if let Some(body) = body {
                self.havoc(body, &mut caught);
            }
            if let Some(parameter) = handler.child_by_field_name("parameter") {
                self.bind(parameter, Value::Unknown, &mut caught);
            }
            let recovers = handler.child_by_field_name("body").is_none_or(|body| self.exec(body, &mut caught));
            if recovers && falls {
                env.join(caught);
            } else if recovers {
                *env = caught;
            }
            falls |= recovers;
        }
        if let Some(last) = node.child_by_field_name("finalizer")
            && let Some(body) = children(last).last()
        {
            falls &= self.exec(*body, env);
        }
        falls
    }

    fn exec_for_in(&mut self, node: Node<'_>, env: &mut Env) -> bool {
        let over = node.child_by_field_name("right").map_or(Value::Unknown, |right| self.eval(right, env));
        let runs = !matches!(over, Value::Empty | Value::Table | Value::Never);
        self.decide(node, if runs { None } else { Some(false) });
        if runs {
            if let Some(body) = node.child_by_field_name("body") {
                self.havoc(body, env);
            }
            let mut within = env.clone();
            if let Some(left) = node.child_by_field_name("left") {
                self.bind(left, Value::Unknown, &mut within);
            }
            if let Some(body) = node.child_by_field_name("body") {
                self.exec(body, &mut within);
            }
            env.join(within);
        }
        true
    }

    fn exec_loop(&mut self, node: Node<'_>, env: &mut Env) {
        if let Some(start) = node.child_by_field_name("initializer") {
            self.exec(start, env);
        }
        self.havoc(node, env);
        for part in ["condition", "increment"] {
            if let Some(part) = node.child_by_field_name(part) {
                for inner in if part.kind().ends_with("_statement") { children(part) } else { vec![part] } {
                    self.eval(inner, env);
                }
            }
        }
        let mut within = env.clone();
        if let Some(body) = node.child_by_field_name("body") {
            self.exec(body, &mut within);
        }
        env.join(within);
    }

    fn exec_switch(&mut self, node: Node<'_>, env: &mut Env) -> bool {
        let value = node.child_by_field_name("value").map_or(Value::Unknown, |value| self.eval(value, env));
        let Some(body) = node.child_by_field_name("body") else { return true };
        let cases = children(body);
        let mut entered: Vec<bool> = Vec::new();
        let mut certain = false;
        for case in &cases {
            let matches = match case.child_by_field_name("value") {
                Some(test) => {
                    let test = self.eval(test, env);
                    value.equals(&test, true)
                }
                None => None,
            };
            let apart = !self.blind && self.world.is_apart(self.at, *case);
            let enters = matches != Some(false) && !certain && !apart && case.kind() == "switch_case";
            certain |= enters && matches == Some(true);
            entered.push(enters);
        }
        for (index, case) in cases.iter().enumerate() {
            if case.kind() == "switch_default" {
                entered[index] = !certain;
            }
        }
        let has_default = cases.iter().any(|case| case.kind() == "switch_default");
        let before = env.clone();
        let mut after: Option<Env> = if certain || has_default { None } else { Some(before.clone()) };
        let mut falling: Option<Env> = None;
        for (index, case) in cases.iter().enumerate() {
            let mut own = match (entered[index], falling.take()) {
                (true, Some(from)) => {
                    let mut own = before.clone();
                    own.join(from);
                    own
                }
                (true, None) => before.clone(),
                (false, Some(from)) => from,
                (false, None) => continue,
            };
            self.reach(*case);
            let value = case.child_by_field_name("value");
            let statements: Vec<Node<'_>> = children(*case).into_iter().filter(|node| Some(*node) != value).collect();
            if self.exec_all(&statements, &mut own) {
                falling = Some(own);
            } else if statements.iter().any(|statement| leaves_switch(*statement)) {
                match &mut after {
                    Some(after) => after.join(own),
                    None => after = Some(own),
                }
            }
        }
        if let Some(own) = falling {
            match &mut after {
                Some(after) => after.join(own),
                None => after = Some(own),
            }
        }
        match after {
            Some(after) => {
                *env = after;
                true
            }
            None => false,
        }
    }

    fn exec_class(&mut self, node: Node<'_>, env: &mut Env) {
        let Some(body) = node.child_by_field_name("body") else { return };
        for member in children(body) {
            if let Some(value) = member.child_by_field_name("value") {
                self.eval(value, env);
            }
        }
    }

    /// Variables that code assigns hold anything before and after it: it runs any number of times, or in part.
    fn havoc(&mut self, code: Node<'_>, env: &mut Env) {
        let mut assigned = FxHashSet::default();
        assigned_in(code, &mut |target| {
            let called = target.parent().filter(|parent| parent.kind() == "member_expression");
            let fills = called.and_then(|callee| callee.child_by_field_name("property")).map(|name| self.text(name));
            if fills.is_some_and(|name| !FILLS.contains(&name)) {
                return;
            }
            let named =
                if target.kind() == "identifier" { self.unit().symbol(target) } else { self.unit().slot(target) };
            if let Some(symbol) = named {
                assigned.insert((self.at, symbol));
            }
        });
        for name in env.names() {
            if assigned.contains(&name) {
                env.set(name, Value::Unknown);
            }
        }
    }
}

/// What all has to hold for a condition to hold.
fn conjuncts<'t>(node: Node<'t>, out: &mut Vec<Node<'t>>) {
    let both = node.kind() == "binary_expression"
        && node.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "&&");
    match (node.child_by_field_name("left"), node.child_by_field_name("right")) {
        (Some(left), Some(right)) if both => {
            conjuncts(bare(left), out);
            conjuncts(bare(right), out);
        }
        _ => out.push(node),
    }
}

/// Whether a statement leaves the switch around it, and not only a loop of its own.
fn leaves_switch(node: Node<'_>) -> bool {
    match node.kind() {
        "break_statement" => true,
        "switch_statement" | "for_statement" | "for_in_statement" | "while_statement" | "do_statement" => false,
        _ if is_function(node) => false,
        _ => children(node).into_iter().any(leaves_switch),
    }
}

fn assigned_in<'t>(node: Node<'t>, visit: &mut impl FnMut(Node<'t>)) {
    let target = match node.kind() {
        "assignment_expression" | "augmented_assignment_expression" => node.child_by_field_name("left"),
        "update_expression" => node.child_by_field_name("argument"),
        "call_expression" => {
            node.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("object"))
        }
        _ => None,
    };
    if let Some(target) = target.filter(|target| target.kind() == "identifier") {
        visit(target);
    }
    for child in children(node) {
        assigned_in(child, visit);
    }
}
