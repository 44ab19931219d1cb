//! Log lines that name a session: what else they say stays.

use tree_sitter::Node;

use super::edits::item;
use super::fold::{Fold, any};
use super::phrase::{self, without};
use crate::model::facts::Span;
use crate::plan::transport::Fact;
use crate::render::typescript::script::{bare, children, is_function, span};

impl<'w> Fold<'w> {
    /// Takes the session out of a log line that says more than it; whether that was possible.
    pub(super) fn trim_log(&mut self, unit: usize, node: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let call = children(node).first().copied().map(bare).filter(|call| file.fact(*call) == Some(&Fact::Log));
        call.is_some_and(|call| self.trim_call(unit, call))
    }

    /// Whether a statement calls a function that logs more than the session that it is given: `logCall(sessionId, tool, ms)`.
    pub(super) fn logs_more(&self, unit: usize, node: Node<'w>) -> bool {
        let call = children(node).first().copied().map(bare).filter(|call| call.kind() == "call_expression");
        let Some(call) = call else { return false };
        let arguments = call.child_by_field_name("arguments").map_or_else(Vec::new, children);
        let more = arguments.into_iter().any(|argument| !self.is_of_session(unit, argument));
        let target = self.world.units[unit].calls.get(&span(call)).filter(|_| more);
        let function = target.and_then(|(at, own)| Some((*at, self.world.function((*at, *own))?)));
        function.is_some_and(|(at, function)| {
            any(function, &mut |line| {
                self.world.units[at].fact(line) == Some(&Fact::Log)
                    && line
                        .child_by_field_name("arguments")
                        .map_or_else(Vec::new, children)
                        .into_iter()
                        .any(|said| self.says_more(at, said))
            })
        })
    }

    /// Whether a log line tells of sessions nothing but how many there are, where that is too many: it stays with the bound.
    pub(super) fn tells_bound(&self, unit: usize, node: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let call = children(node).first().copied().map(bare).filter(|call| file.fact(*call) == Some(&Fact::Log));
        let counts = self.counts(unit);
        let counted = |part: Node<'w>| any(part, &mut |inner| counts.contains(&inner));
        let bounds = || {
            std::iter::successors(node.parent(), Node::parent).take_while(|around| !is_function(*around)).any(
                |around| {
                    around.kind() == "if_statement"
                        && around.child_by_field_name("condition").is_some_and(counted)
                        && !self.is_eviction(unit, around)
                },
            )
        };
        call.is_some_and(|call| counted(call) && !self.speaks_but_for(unit, call, &counts)) && bounds()
    }

    /// Whether code has to do with sessions beside some of its parts.
    fn speaks_but_for(&self, unit: usize, node: Node<'w>, apart: &[Node<'w>]) -> bool {
        if apart.contains(&node) {
            return false;
        }
        match children(node) {
            parts if any(node, &mut |inner| apart.contains(&inner)) => {
                parts.into_iter().any(|part| self.speaks_but_for(unit, part, apart))
            }
            _ => self.speaks_of_sessions(unit, node),
        }
    }

    /// Takes what is said of a session out of what is logged, where that leaves something of it.
    pub(super) fn trim_call(&mut self, unit: usize, call: Node<'w>) -> bool {
        let Some(list) = call.child_by_field_name("arguments") else { return false };
        let arguments = children(list);
        let script = &self.world.units[unit].script;
        let event = arguments.first().is_some_and(|first| first.kind() == "string" && tells_event(script.of(*first)));
        if !event && !arguments.iter().any(|argument| self.says_more(unit, *argument)) {
            return false;
        }
        for (index, argument) in arguments.iter().enumerate() {
            let text = argument.kind() == "template_string";
            if !text && self.is_of_session(unit, *argument) {
                self.drop_argument(unit, &arguments, index);
                continue;
            }
            self.trim_value(unit, *argument);
            if text && self.edits[unit].edited(&self.world.units[unit].script, *argument) == "``" {
                self.drop_argument(unit, &arguments, index);
            }
        }
        true
    }

    /// Whether a value is a session id, something made of it alone, or a count of sessions.
    fn is_of_session(&self, unit: usize, node: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let node = bare(node);
        let field = |name: &str| node.child_by_field_name(name);
        let literal = |node: Node<'w>| matches!(node.kind(), "string" | "number" | "undefined" | "null");
        if self.is_absent(unit, node) || file.fact(node) == Some(&Fact::Absent) {
            return true;
        }
        match node.kind() {
            "binary_expression" => {
                let default = field("operator").is_some_and(|operator| matches!(operator.kind(), "??" | "||"));
                default
                    && field("left").is_some_and(|left| self.is_of_session(unit, left))
                    && field("right").is_some_and(literal)
            }
            "ternary_expression" => {
                let condition = field("condition").map(bare);
                let asks = condition.is_some_and(|condition| {
                    self.is_of_session(unit, condition.child_by_field_name("argument").unwrap_or(condition))
                });
                let part =
                    |part: Option<Node<'w>>| part.is_some_and(|part| literal(part) || self.is_of_session(unit, part));
                asks && part(field("consequence")) && part(field("alternative"))
            }
            "member_expression" => self.counts(unit).contains(&node),
            "call_expression" => {
                let object = field("function").and_then(|callee| callee.child_by_field_name("object"));
                let arguments = field("arguments").map_or_else(Vec::new, children);
                match object {
                    Some(object) => self.is_of_session(unit, object) && arguments.into_iter().all(literal),
                    None => !arguments.is_empty() && arguments.into_iter().all(|value| self.is_of_session(unit, value)),
                }
            }
            "template_string" => {
                let parts = substitutions(node);
                !parts.is_empty()
                    && parts
                        .into_iter()
                        .all(|part| children(part).first().is_some_and(|value| self.is_of_session(unit, *value)))
            }
            "object" => {
                let fields = children(node);
                !fields.is_empty() && fields.into_iter().all(|field| self.is_of_session(unit, value_of(field)))
            }
            _ => false,
        }
    }

    /// Whether a value says something besides; times alone are nothing.
    fn says_more(&self, unit: usize, node: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let node = bare(node);
        if self.is_of_session(unit, node) {
            return false;
        }
        match node.kind() {
            "string" | "number" | "true" | "false" | "undefined" | "null" => false,
            "template_string" => substitutions(node).into_iter().any(|part| self.says_more(unit, part)),
            "object" => children(node).into_iter().any(|field| self.says_more(unit, value_of(field))),
            // `JSON.stringify({ sessionId, tool })`.
            "call_expression" if self.speaks_of_sessions(unit, node) => {
                let list = node.child_by_field_name("arguments").map_or_else(Vec::new, children);
                let callee = node.child_by_field_name("function").map_or("", |callee| file.script.of(callee));
                matches!(callee, "JSON.stringify" | "inspect" | "format" | "util.inspect" | "util.format")
                    && list.into_iter().any(|argument| self.says_more(unit, argument))
            }
            "template_substitution" | "array" | "binary_expression" | "ternary_expression" | "spread_element" => {
                children(node).into_iter().any(|child| self.says_more(unit, child))
            }
            _ => {
                let text = file.script.of(node);
                !text.starts_with("new Date(") && !text.starts_with("Date.now(") && !self.speaks_of_sessions(unit, node)
            }
        }
    }

    /// An argument that is about the session alone, with the end of the text before it that led to it.
    fn drop_argument(&mut self, unit: usize, arguments: &[Node<'w>], index: usize) {
        let script = &self.world.units[unit].script;
        let argument = arguments[index];
        let label = index.checked_sub(1).map(|before| arguments[before]).filter(|before| before.kind() == "string");
        if let Some(label) =
            label.filter(|label| !self.edits[unit].gone(*label) && label.end_byte() > label.start_byte() + 2)
        {
            let text = &script.of(label)[1..script.of(label).len() - 1];
            let rest = without(&format!("{text} "), "");
            match rest.before {
                0 if rest.instead.is_empty() => {
                    let at = match (arguments.get(index + 1), index.checked_sub(2).map(|before| arguments[before])) {
                        (Some(next), _) => Span::new(label.start_byte(), next.start_byte()),
                        (None, Some(before)) => Span::new(before.end_byte(), argument.end_byte()),
                        (None, None) => Span::new(label.start_byte(), argument.end_byte()),
                    };
                    self.edits[unit].cut(at);
                    return;
                }
                kept if kept < text.len() => {
                    let start = label.start_byte() + 1;
                    let at = Span::new(start + kept, start + text.len());
                    self.edits[unit].replace(at, rest.instead);
                }
                _ => {}
            }
        }
        self.edits[unit].cut(item(script, argument));
    }

    fn trim_value(&mut self, unit: usize, node: Node<'w>) {
        let script = &self.world.units[unit].script;
        match node.kind() {
            "object" => {
                for field in children(node) {
                    if self.is_of_session(unit, value_of(field)) {
                        self.edits[unit].cut(item(script, field));
                    } else {
                        self.trim_value(unit, value_of(field));
                    }
                }
            }
            "template_string" => self.trim_template(unit, node),
            _ if self.is_of_session(unit, node) => {
                let text = script.style.string(phrase::NOTHING);
                self.edits[unit].replace(span(node), text);
            }
            _ => {
                for child in children(node) {
                    self.trim_value(unit, child);
                }
            }
        }
    }

    fn trim_template(&mut self, unit: usize, template: Node<'w>) {
        let script = &self.world.units[unit].script;
        let parts = substitutions(template);
        for (index, part) in parts.iter().enumerate() {
            let Some(value) = children(*part).first().copied() else { continue };
            if !self.is_of_session(unit, value) {
                self.trim_value(unit, value);
                continue;
            }
            let start = index.checked_sub(1).map_or(template.start_byte() + 1, |before| parts[before].end_byte());
            let end = parts.get(index + 1).map_or(template.end_byte() - 1, Node::start_byte);
            let rest = without(&script.text()[start..part.start_byte()], &script.text()[part.end_byte()..end]);
            let at = Span::new(start + rest.before, part.end_byte() + rest.behind);
            self.edits[unit].replace(at, rest.instead);
        }
    }

    /// Tells the reader where code goes that logs something besides a session.
    pub(super) fn note_lost_lines(&mut self, unit: usize, node: Node<'w>) {
        self.note_counters(unit, node);
        let file = &self.world.units[unit];
        let says_more = any(node, &mut |inner| {
            let list = inner.child_by_field_name("arguments").filter(|_| file.fact(inner) == Some(&Fact::Log));
            list.is_some_and(|list| children(list).into_iter().any(|argument| self.says_more(unit, argument)))
        });
        if says_more {
            self.raise("Log lines that only sessions led to are gone, with what else they said.");
        }
    }
}

/// Whether a text tells of something, and not of what becomes of sessions and connections.
fn tells_event(text: &str) -> bool {
    const OF_SESSIONS: &[&str] = &[
        "session",
        "connect",
        "disconnect",
        "transport",
        "client",
        "initializ",
        "initialis",
        "active",
        "open",
        "clos",
        "creat",
        "remov",
        "delet",
        "expir",
        "evict",
        "clean",
        "sweep",
        "reap",
        "new",
        "add",
        "existing",
        "reus",
        "unknown",
        "stale",
        "id",
        "count",
        "total",
        "number",
        "mcp",
        "sse",
        "stream",
    ];
    let words: Vec<String> = text
        .split(|char: char| !char.is_alphabetic())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    words.iter().any(|word| word.len() > 3)
        && !words.iter().any(|word| OF_SESSIONS.iter().any(|stem| word.starts_with(stem)))
}

fn substitutions(template: Node<'_>) -> Vec<Node<'_>> {
    children(template).into_iter().filter(|part| part.kind() == "template_substitution").collect()
}

/// The value of a field of an object.
fn value_of(field: Node<'_>) -> Node<'_> {
    field.child_by_field_name("value").unwrap_or(field)
}
