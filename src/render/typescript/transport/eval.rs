//! Evaluates expressions under what is known.

use tree_sitter::Node;

use super::env::Env;
use super::machine::Machine;
use super::value::Value;
use crate::plan::transport::Fact;
use crate::render::typescript::script::{bare, children, is_function, span};

/// Methods that put something into a list.
pub(super) const FILLS: &[&str] = &["push", "unshift", "splice"];

impl Machine<'_> {
    /// The value of an expression; records what it decides and what it calls.
    pub fn eval(&mut self, node: Node<'_>, env: &mut Env) -> Value {
        let value = self.plain(node, env);
        if value == Value::Empty {
            self.findings.empty_lists.insert((self.at, span(node), node.kind_id()));
        }
        match self.fact(node) {
            Some(Fact::Absent) => Value::Gone,
            Some(Fact::Opens) => Value::Bool(true),
            Some(Fact::Table) => Value::Table,
            Some(Fact::Construct | Fact::Sessionless) => Value::Some,
            Some(Fact::Method) => self.method(node),
            Some(Fact::Carried) => self.carried(node),
            Some(Fact::Slot) => self.slot(node, env).unwrap_or(value),
            _ => value,
        }
    }

    fn plain(&mut self, node: Node<'_>, env: &mut Env) -> Value {
        match node.kind() {
            "parenthesized_expression"
            | "await_expression"
            | "as_expression"
            | "satisfies_expression"
            | "non_null_expression" => match children(node).first() {
                Some(inner) => self.eval(*inner, env),
                None => Value::Unknown,
            },
            "identifier" | "shorthand_property_identifier" => self.name(node, env),
            "undefined" => Value::Absent,
            "null" => Value::Null,
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            "number" => {
                if self.text(node).trim_matches(['0', '.', '_']).is_empty() {
                    Value::Zero
                } else {
                    Value::Some
                }
            }
            "string" => Value::Text(self.text(node).trim_matches(['"', '\'']).to_owned()),
            "template_string" => {
                self.eval_children(node, env);
                Value::Unknown
            }
            "spread_element" => {
                let value = children(node).first().map_or(Value::Unknown, |inner| self.eval(*inner, env));
                self.decide(node, matches!(value, Value::Empty | Value::Table).then_some(false));
                value
            }
            "regex" | "class" => Value::Some,
            "object" => self.object(node, env),
            "array" => self.array(node, env),
            "new_expression" => {
                let arguments = self.arguments(node, env);
                self.enter(node, &arguments);
                self.refill(node, env);
                Value::Some
            }
            "unary_expression" => self.unary(node, env),
            "binary_expression" => self.binary(node, env),
            "ternary_expression" => self.ternary(node, env),
            "assignment_expression" => self.assignment(node, env),
            "augmented_assignment_expression" => self.augmented(node, env),
            "update_expression" => {
                self.forget_target(node.child_by_field_name("argument"), env);
                Value::Unknown
            }
            "member_expression" => self.member(node, env),
            "subscript_expression" => self.subscript(node, env),
            "call_expression" => self.call(node, env),
            _ if is_function(node) => Value::Some,
            _ => {
                self.eval_children(node, env);
                Value::Unknown
            }
        }
    }

    fn eval_children(&mut self, node: Node<'_>, env: &mut Env) {
        for child in children(node) {
            self.eval(child, env);
        }
    }

    fn field(&mut self, node: Node<'_>, name: &str, env: &mut Env) -> Value {
        node.child_by_field_name(name).map_or(Value::Unknown, |child| self.eval(child, env))
    }

    fn object(&mut self, node: Node<'_>, env: &mut Env) -> Value {
        let mut fields = Vec::new();
        for child in children(node) {
            match child.kind() {
                "pair" => {
                    let value = self.field(child, "value", env);
                    let key =
                        child.child_by_field_name("key").map_or("", |key| self.text(key).trim_matches(['"', '\'']));
                    if let Some(held) = held(&value).filter(|_| !self.written.contains(key)) {
                        fields.push((key.to_owned(), held));
                    }
                }
                "shorthand_property_identifier" => {
                    let value = self.eval(child, env);
                    if let Some(held) = held(&value).filter(|_| !self.written.contains(self.text(child))) {
                        fields.push((self.text(child).to_owned(), held));
                    }
                }
                "method_definition" => {}
                _ => {
                    self.eval(child, env);
                }
            }
        }
        fields.sort_by(|a, b| a.0.cmp(&b.0));
        Value::Record(fields)
    }

    fn array(&mut self, node: Node<'_>, env: &mut Env) -> Value {
        // A list that is written empty is there to be filled.
        let mut empty = !children(node).is_empty();
        for child in children(node) {
            let spread = child.kind() == "spread_element";
            let value = match children(child).first() {
                Some(inner) if spread => self.eval(*inner, env),
                _ => self.eval(child, env),
            };
            empty &= spread && matches!(value, Value::Empty | Value::Table);
        }
        if empty { Value::Empty } else { Value::Some }
    }

    fn arguments(&mut self, call: Node<'_>, env: &mut Env) -> Vec<Value> {
        let Some(arguments) = call.child_by_field_name("arguments") else { return Vec::new() };
        children(arguments).into_iter().map(|argument| self.eval(argument, env)).collect()
    }

    fn unary(&mut self, node: Node<'_>, env: &mut Env) -> Value {
        let value = self.field(node, "argument", env);
        match node.child_by_field_name("operator").map(|operator| operator.kind()) {
            Some("!") => Value::of_bool(value.truth().map(|truth| !truth)),
            Some("typeof") => value.type_name().map_or(Value::Some, |name| Value::Text(name.to_owned())),
            Some("void") => Value::Absent,
            _ => Value::Unknown,
        }
    }

    fn binary(&mut self, node: Node<'_>, env: &mut Env) -> Value {
        let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
        let mut left = self.field(node, "left", env);
        if operator == "&&" && left == Value::Unknown && self.guards_check(node) {
            left = Value::Some;
        }
        let takes_right = match operator {
            "&&" => left.truth(),
            "||" => left.truth().map(|truth| !truth),
            "??" => left.nullish(),
            _ => Some(true),
        };
        if !matches!(operator, "&&" | "||" | "??") {
            let right = self.field(node, "right", env);
            if matches!(operator, "===" | "==") && env.is_refuted(&self.words(node)) {
                return Value::Bool(false);
            }
            return compare(operator, &left, &right);
        }
        self.decide(node, takes_right);
        if left == Value::Never {
            return Value::Never;
        }
        match takes_right {
            Some(false) => left,
            Some(true) => self.field(node, "right", env),
            None => {
                let mut branch = env.clone();
                let right = self.field(node, "right", &mut branch);
                env.join(branch);
                // What the left side is where it decides.
                let left = match (operator, &left) {
                    ("&&", _) => Value::Falsy,
                    ("||", _) => Value::Some,
                    _ => left,
                };
                left.join(right)
            }
        }
    }

    /// `req.body && isInitializeRequest(req.body)`: that there is something to look at belongs to the check.
    fn guards_check(&self, node: Node<'_>) -> bool {
        let (Some(left), Some(right)) = (node.child_by_field_name("left"), node.child_by_field_name("right")) else {
            return false;
        };
        let right = bare(right);
        let given = right.child_by_field_name("arguments").map(children).unwrap_or_default();
        self.fact(right) == Some(&Fact::Opens)
            && given.first().is_some_and(|given| self.words(*given) == self.words(bare(left)))
    }

    /// The text of an expression, on one line.
    pub(super) fn words(&self, node: Node<'_>) -> String {
        self.text(node).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    fn ternary(&mut self, node: Node<'_>, env: &mut Env) -> Value {
        let condition = self.field(node, "condition", env);
        self.decide(node, condition.truth());
        match (condition.truth(), condition) {
            (_, Value::Never) => Value::Never,
            (Some(true), _) => self.field(node, "consequence", env),
            (Some(false), _) => self.field(node, "alternative", env),
            (None, _) => {
                let mut branch = env.clone();
                let one = self.field(node, "consequence", env);
                let other = self.field(node, "alternative", &mut branch);
                env.join(branch);
                one.join(other)
            }
        }
    }

    fn assignment(&mut self, node: Node<'_>, env: &mut Env) -> Value {
        let value = self.field(node, "right", env);
        if let Some(target) = node.child_by_field_name("left") {
            self.bind(target, value.clone(), env);
        }
        value
    }

    fn augmented(&mut self, node: Node<'_>, env: &mut Env) -> Value {
        let operator = node.child_by_field_name("operator").map_or("", |operator| operator.kind());
        let left = self.field(node, "left", env);
        let sets = match operator {
            "??=" => left.nullish(),
            "||=" => left.truth().map(|truth| !truth),
            "&&=" => left.truth(),
            _ => {
                self.field(node, "right", env);
                self.forget_target(node.child_by_field_name("left"), env);
                return Value::Unknown;
            }
        };
        self.decide(node, sets);
        let value = match sets {
            Some(false) => return left,
            Some(true) => self.field(node, "right", env),
            None => left.join(self.field(node, "right", env)),
        };
        if let Some(target) = node.child_by_field_name("left") {
            self.bind(target, value.clone(), env);
        }
        value
    }

    fn member(&mut self, node: Node<'_>, env: &mut Env) -> Value {
        let object = self.field(node, "object", env);
        let name = node.child_by_field_name("property").map_or("", |property| self.text(property)).to_owned();
        if name == "sessionId" && self.is_transport(node) {
            return Value::Gone;
        }
        // Reading it runs an accessor.
        if let Some(value) = self.enter(node, &[]) {
            return value;
        }
        match object {
            Value::Never => Value::Never,
            Value::Gone => Value::Gone,
            Value::Absent | Value::Null => Value::Absent,
            Value::Empty if name == "length" => Value::Zero,
            Value::Table if matches!(name.as_str(), "size" | "length") => Value::Zero,
            Value::Record(fields) => {
                fields.into_iter().find(|(field, _)| *field == name).map_or(Value::Unknown, |(_, value)| value)
            }
            _ => Value::Unknown,
        }
    }

    fn is_transport(&self, member: Node<'_>) -> bool {
        let object = member.child_by_field_name("object").map(crate::render::typescript::script::bare);
        object.is_some_and(|object| matches!(self.fact(object), Some(Fact::Transport | Fact::Carried | Fact::Slot)))
    }

    fn subscript(&mut self, node: Node<'_>, env: &mut Env) -> Value {
        let object = self.field(node, "object", env);
        self.field(node, "index", env);
        match object {
            Value::Never => Value::Never,
            Value::Table | Value::Gone => Value::Gone,
            Value::Empty | Value::Absent | Value::Null => Value::Absent,
            _ => Value::Unknown,
        }
    }

    fn call(&mut self, node: Node<'_>, env: &mut Env) -> Value {
        let callee = node.child_by_field_name("function");
        let (receiver, method) = match callee {
            Some(callee) if callee.kind() == "member_expression" => {
                let receiver = self.field(callee, "object", env);
                self.eval(callee, env);
                (receiver, callee.child_by_field_name("property").map_or("", |name| self.text(name)).to_owned())
            }
            Some(callee) => {
                self.eval(callee, env);
                (Value::Unknown, self.text(callee).to_owned())
            }
            None => (Value::Unknown, String::new()),
        };
        let arguments = self.arguments(node, env);
        if receiver == Value::Empty && FILLS.contains(&method.as_str()) {
            self.forget_target(callee.and_then(|callee| callee.child_by_field_name("object")), env);
        }
        self.note_close(node, &receiver);
        self.refill(node, env);
        if let Some(value) = self.enter(node, &arguments) {
            return value;
        }
        if matches!(method.as_str(), "some" | "every" | "find") && self.always_holds(node) {
            return Value::Bool(true);
        }
        known_call(&receiver, &method, &arguments)
    }

    /// Whether the callback of a call answers true whatever it is given.
    fn always_holds(&self, call: Node<'_>) -> bool {
        let callback = call.child_by_field_name("arguments").and_then(|list| children(list).first().copied());
        callback.filter(|callback| is_function(*callback)).is_some_and(|callback| self.answers_true(callback))
    }
}

/// What calls answer that only look.
fn known_call(receiver: &Value, method: &str, arguments: &[Value]) -> Value {
    let first = arguments.first().unwrap_or(&Value::Absent);
    match (receiver, method) {
        (Value::Never, _) => Value::Never,
        (Value::Gone, _) => Value::Gone,
        (Value::Absent | Value::Null, _) => Value::Absent,
        (Value::Table, "get" | "peek" | "pop" | "shift" | "at" | "find") => Value::Gone,
        (Value::Table, "has" | "delete" | "includes" | "hasOwnProperty") => Value::Bool(false),
        (_, "hasOwn" | "call") if *first == Value::Table => Value::Bool(false),
        (Value::Table, "keys" | "values" | "entries") => Value::Empty,
        (Value::Empty, "some" | "includes") => Value::Bool(false),
        (Value::Empty, "every") => Value::Bool(true),
        (Value::Empty, "find" | "pop" | "shift" | "at") => Value::Absent,
        (Value::Empty | Value::Table, "filter" | "map" | "flatMap" | "slice" | "sort" | "toSorted") => Value::Empty,
        (_, "keys" | "values" | "entries" | "from") if matches!(first, Value::Table | Value::Empty) => Value::Empty,
        (_, "isArray") => match first {
            Value::Empty => Value::Bool(true),
            Value::Never => Value::Never,
            Value::Some | Value::Falsy | Value::Unknown => Value::Unknown,
            _ => Value::Bool(false),
        },
        (_, "Boolean") => Value::of_bool(first.truth()),
        _ => Value::Unknown,
    }
}

fn compare(operator: &str, left: &Value, right: &Value) -> Value {
    if matches!(left, Value::Never) || matches!(right, Value::Never) {
        return Value::Never;
    }
    match operator {
        "===" => Value::of_bool(left.equals(right, true)),
        "==" => Value::of_bool(left.equals(right, false)),
        "!==" => Value::of_bool(left.equals(right, true).map(|equal| !equal)),
        "!=" => Value::of_bool(left.equals(right, false).map(|equal| !equal)),
        "in" if matches!(right, Value::Table) => Value::Bool(false),
        "instanceof" if left.truth() == Some(false) => Value::Bool(false),
        ">" if *left == Value::Zero && *right == Value::Zero => Value::Bool(false),
        _ => Value::Unknown,
    }
}

/// What is kept of the value of a field: that it holds something, or that there is nothing for want of a session.
fn held(value: &Value) -> Option<Value> {
    match value {
        Value::Gone | Value::Absent | Value::Null => Some(value.clone()),
        value => (value.truth() == Some(true)).then_some(Value::Some),
    }
}
