//! What becomes of the uses of what saw to a connection being made once, and what the server was made of there.

use tree_sitter::Node;

use super::build::{Build, TODO};
use super::once::{Flag, Search};
use super::routes::Method;
use crate::model::facts::Span;
use crate::render::Refused;
use crate::render::all;
use crate::render::typescript::classes::{field, uses as of_this};
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, children, is_function, is_statement, span, statement};

impl<'t> Search<'t, '_> {
    /// Takes what says whether it is done away; `false` where it says something else.
    pub(super) fn flags_go(&mut self) -> Result<bool, Refused> {
        let script = self.script;
        let mut outcomes = Vec::new();
        for flag in self.flags.clone() {
            let (uses, declaration) = match flag {
                Flag::Variable(name) => (scope::uses(script, name), Some(statement(name))),
                Flag::Field(name) => (of_this(script, self.receiver, name), field(script, self.receiver, name)),
            };
            if declaration.is_some_and(|whole| whole.kind() == "export_statement") {
                return Ok(false);
            }
            for used in uses {
                if self.goes(used) {
                    continue;
                }
                let whole = statement(used);
                if gets_value(used) && !self.surely(|search| search.only_connects(whole)) {
                    return Ok(false);
                }
                if self.surely(|search| search.only_connects(whole)) {
                    self.gone.push(whole);
                } else {
                    outcomes.push(Err(script.refuse(
                        used,
                        format!(
                            "`{}` tells whether the server is connected: each request connects its own",
                            script.of(used)
                        ),
                        "take this away, then run again",
                    )));
                }
            }
            self.gone.extend(declaration);
        }
        all(outcomes)?;
        Ok(true)
    }

    /// Whether code goes.
    fn goes(&self, node: Node<'t>) -> bool {
        self.gone.iter().any(|gone| span(*gone).contains(span(node)))
    }

    /// What has nothing left in it goes as well: a `try`, a hook, a function that ran before the handlers.
    pub(super) fn hollow(&mut self) {
        let mut next = 0;
        while let Some(gone) = self.gone.get(next).copied() {
            next += 1;
            let Some(block) = gone.parent().filter(|block| block.kind() == "statement_block") else { continue };
            let Some(holder) = block.parent() else { continue };
            let left: Vec<Node<'t>> = children(block).into_iter().filter(|node| !self.goes(*node)).collect();
            let whole = match holder.kind() {
                "try_statement" if left.is_empty() => {
                    let first = holder.child_by_field_name("body") == Some(block);
                    Some(holder).filter(|_| first && holder.child_by_field_name("finalizer").is_none())
                }
                _ if is_function(holder) && left.is_empty() => {
                    let set = holder.parent().filter(|set| set.kind() == "assignment_expression");
                    set.map(statement)
                }
                _ if is_function(holder) && left.iter().all(|node| goes_on(self.script, *node)) => {
                    registered(self.script, holder)
                }
                _ => None,
            };
            if let Some(whole) = whole.filter(|whole| is_statement(*whole) && !self.gone.contains(whole)) {
                self.gone.push(whole);
            }
        }
    }

    /// What lies within something else that goes is no matter of its own, nor is what handlers do that are replaced.
    pub(super) fn settle(&mut self) {
        let replaced: Vec<Span> = self
            .handled
            .iter()
            .filter(|handled| handled.only.is_none() && handled.method() == Method::Gone)
            .map(|handled| span(handled.handler))
            .collect();
        let all = self.gone.clone();
        self.gone.retain(|gone| {
            let own = span(*gone);
            let within = |other: &Node<'t>| other != gone && span(*other).contains(own);
            !all.iter().any(within) && !replaced.iter().any(|handler| handler.contains(own))
        });
        self.gone.sort_by_key(Node::start_byte);
        self.gone.dedup();
    }

    /// The server that is made there, as a server of each request.
    pub(super) fn server(&mut self) -> Result<Option<Build>, Refused> {
        let script = self.script;
        let value = match self.made.as_slice() {
            [] => return Ok(None),
            [value] => *value,
            [_, other, ..] => {
                return Err(script.refuse(*other, "the server is made here as well: which one is meant?", TODO));
            }
        };
        let (text, local) = self.seen(value, 4)?;
        let name = script.of(self.receiver);
        let mut out = Build {
            variable: name.trim_start_matches("this.").trim_start_matches('#').to_owned(),
            factory: if local { String::new() } else { factory(&text) },
            call: text,
            ..Build::default()
        };
        let declared = scope::declaration(script, self.receiver, name);
        let (uses, declaration) = match (self.receiver.kind(), declared) {
            ("identifier", Some(declared)) => (scope::uses(script, declared), Some(statement(declared))),
            ("member_expression", _) => {
                let field_name = script.of(self.receiver.child_by_field_name("property").unwrap_or(self.receiver));
                (of_this(script, self.receiver, field_name), field(script, self.receiver, field_name))
            }
            _ => (Vec::new(), None),
        };
        let mut outcomes = Vec::new();
        for used in uses.into_iter().filter(|used| !self.goes(*used)) {
            let whole = statement(used);
            let member = used.parent().filter(|parent| parent.child_by_field_name("object") == Some(used));
            let method = member.and_then(|member| member.child_by_field_name("property")).map(|name| script.of(name));
            if method == Some("close") && whole.kind() == "expression_statement" {
                out.closed.push(span(whole));
            } else if !declaration.is_some_and(|declaration| span(declaration).contains(span(used))) {
                let why = format!("`{name}` is used here: with one server for each request, which one is meant?");
                outcomes.push(Err(script.refuse(used, why, "move it into the function that builds the server")));
            }
        }
        all(outcomes)?;
        self.gone.extend(declaration.filter(|declaration| !self.goes(*declaration)));
        Ok(Some(out))
    }

    /// An expression as the handlers can write it: parameters are what the calls hand in. Also whether it names what only they see.
    fn seen(&self, value: Node<'t>, depth: usize) -> Result<(String, bool), Refused> {
        let script = self.script;
        let hidden = |node| Err(script.refuse(node, "the server is made of something that handlers do not see", TODO));
        let (mut pieces, mut local) = (Vec::new(), false);
        for name in names(value) {
            if name.kind() == "this" {
                return hidden(name);
            }
            let Some(scope) = scope::binding(script, name, script.of(name)).filter(|scope| scope.kind() != "program")
            else {
                continue;
            };
            if span(value).contains(span(scope)) {
                continue;
            }
            let Some((function, calls)) = self.functions.iter().find(|(function, _)| *function == scope) else {
                let serving = self.handled.iter().filter(|handled| handled.method() != Method::Gone);
                let mut serving = serving.map(|handled| span(handled.statement));
                if !serving.all(|at| span(scope).contains(at)) || self.goes(scope) {
                    return hidden(name);
                }
                local = true;
                continue;
            };
            let given: Vec<Node<'t>> =
                calls.iter().filter_map(|call| argument(script, *function, *call, script.of(name))).collect();
            if given.len() != calls.len() || depth == 0 {
                return hidden(name);
            }
            let texts = given.iter().map(|given| self.seen(*given, depth - 1)).collect::<Result<Vec<_>, _>>()?;
            let [(text, inner), others @ ..] = texts.as_slice() else { return hidden(name) };
            if others.iter().any(|(other, _)| other != text) {
                return hidden(name);
            }
            local |= inner;
            pieces.push((span(name), in_place(script, name, given[0], text)));
        }
        let mut text = script.of(value).to_owned();
        pieces.sort_by_key(|(at, _)| std::cmp::Reverse(at.start));
        for (at, piece) in pieces {
            let from = at.start as usize - value.start_byte();
            text.replace_range(from..from + (at.end - at.start) as usize, &piece);
        }
        Ok((text, local))
    }
}

/// A text in the place of a name: in brackets where it would not hold together.
fn in_place(script: &Script, name: Node<'_>, given: Node<'_>, text: &str) -> String {
    let alone = name.parent().is_some_and(|parent| matches!(parent.kind(), "arguments" | "pair" | "as_expression"));
    let whole = matches!(
        given.kind(),
        "identifier" | "member_expression" | "call_expression" | "object" | "string" | "subscript_expression"
    );
    match name.kind() {
        "shorthand_property_identifier" => format!("{}: {text}", script.of(name)),
        _ if alone || whole => text.to_owned(),
        _ => format!("({text})"),
    }
}

/// What a call hands in for a parameter.
fn argument<'t>(script: &Script, function: Node<'t>, call: Node<'t>, name: &str) -> Option<Node<'t>> {
    let own = |parameter: &Node<'_>| {
        let pattern = parameter.child_by_field_name("pattern").unwrap_or(*parameter);
        pattern.kind() == "identifier" && script.of(pattern) == name
    };
    let index = children(function.child_by_field_name("parameters")?).iter().position(own)?;
    children(call.child_by_field_name("arguments")?)
        .get(index)
        .copied()
        .filter(|given| given.kind() != "spread_element")
}

/// The names that an expression uses.
fn names(value: Node<'_>) -> Vec<Node<'_>> {
    if matches!(value.kind(), "identifier" | "shorthand_property_identifier" | "this") {
        return vec![value];
    }
    children(value).into_iter().filter(|child| !child.kind().contains("type")).flat_map(names).collect()
}

/// A function that makes what a call makes.
fn factory(call: &str) -> String {
    match call.strip_suffix("()") {
        Some(name) if name.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '$')) => name.to_owned(),
        _ => format!("() => {}", call.trim_start_matches("await ")),
    }
}

/// Whether a name is used outside of a block.
pub(super) fn named_elsewhere(script: &Script, name: Node<'_>, block: Node<'_>) -> bool {
    let mut pending = vec![script.tree.root_node()];
    while let Some(node) = pending.pop() {
        if node == block {
            continue;
        }
        if node.kind().ends_with("identifier") && script.of(node) == script.of(name) {
            return true;
        }
        pending.extend(children(node));
    }
    false
}

/// Whether a statement only goes on to the next handler.
fn goes_on(script: &Script, node: Node<'_>) -> bool {
    let text = script.of(node).trim_end_matches(';');
    let text = text.trim_start_matches("return ").trim_start_matches("await ");
    matches!(text, "next()" | "done()" | "return")
}

/// The statement that registers a function to run before handlers.
fn registered<'t>(script: &Script, function: Node<'t>) -> Option<Node<'t>> {
    let call = function.parent().filter(|list| list.kind() == "arguments")?.parent()?;
    let method = call.child_by_field_name("function")?.child_by_field_name("property")?;
    let others = children(function.parent()?).into_iter().filter(|node| *node != function);
    let plain = others.into_iter().all(|node| node.kind() == "string");
    (plain && matches!(script.of(method), "use" | "addHook")).then(|| statement(call))
}

/// Whether a use gives a name a value that says something.
fn gets_value(used: Node<'_>) -> bool {
    used.parent().is_some_and(|parent| {
        parent.child_by_field_name("left") == Some(used)
            && parent.kind().ends_with("assignment_expression")
            && parent
                .child_by_field_name("right")
                .is_some_and(|value| !matches!(value.kind(), "null" | "undefined" | "false"))
    })
}

/// The name that a function is known by.
pub(super) fn named(function: Node<'_>) -> Option<Node<'_>> {
    let holder = function.parent();
    let held = holder.filter(|holder| {
        (holder.kind() == "variable_declarator" || holder.kind().ends_with("field_definition"))
            && holder.child_by_field_name("value") == Some(function)
    });
    let name = match held {
        Some(held) => held.child_by_field_name("name").or_else(|| held.child_by_field_name("property")),
        None if matches!(function.kind(), "function_declaration" | "method_definition") => {
            function.child_by_field_name("name")
        }
        None => None,
    };
    name.filter(|name| matches!(name.kind(), "identifier" | "property_identifier" | "private_property_identifier"))
}

/// Whether a file exports a name that it declares elsewhere: by a list, as the default, or as a property of `module.exports`.
pub(super) fn exports(script: &Script, name: &str) -> bool {
    let is = |node: Node<'_>| node.kind().ends_with("identifier") && script.of(node) == name;
    let value = |node: Node<'_>| match node.kind() {
        "object" => children(node).into_iter().any(|field| is(field.child_by_field_name("value").unwrap_or(field))),
        _ => is(node),
    };
    children(script.tree.root_node()).into_iter().any(|node| match node.kind() {
        "export_statement" => {
            let listed =
                children(node).into_iter().filter(|clause| clause.kind() == "export_clause").flat_map(children);
            listed.filter_map(|one| one.child_by_field_name("name")).any(is)
                || node.child_by_field_name("value").is_some_and(is)
        }
        "expression_statement" => children(node).first().is_some_and(|assignment| {
            let target = assignment.child_by_field_name("left").map_or("", |left| script.of(left));
            (target.starts_with("module.exports") || target.starts_with("exports."))
                && assignment.child_by_field_name("right").is_some_and(value)
        }),
        _ => false,
    })
}
