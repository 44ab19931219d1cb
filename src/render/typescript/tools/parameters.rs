//! What the function of a new tool is handed beside its arguments: what it needs of that which the function of another is handed.

use tree_sitter::Node;

use super::handler::pattern;
use super::register::leading;
use crate::plan::handle::ToolUse;
use crate::render::typescript::script::children;
use crate::render::typescript::scripts::{Code, binds};

/// The function of another tool.
#[derive(Clone, Copy)]
pub struct Like<'s> {
    /// The function.
    pub function: Code<'s>,
    /// How many parameters before the arguments go.
    leading: usize,
    /// The position of the arguments.
    at: usize,
}

/// Parameters around the arguments, and statements that take something out of them.
#[derive(Default)]
pub struct Handed {
    /// Before the arguments.
    pub before: Vec<String>,
    /// Behind them.
    pub after: Vec<String>,
    /// Statements before all others.
    pub first: Vec<String>,
}

impl<'s> Like<'s> {
    /// The function of a tool.
    pub fn of(tool: &ToolUse, function: Code<'s>) -> Self {
        Self { function, leading: leading(tool), at: tool.body.as_ref().map_or(0, |body| body.arguments) }
    }

    /// What a new function needs whose statements are given. `typed`: its parameters say their types themselves.
    pub fn handed(self, body: &'s [String], typed: bool) -> Handed {
        let mut words: Vec<&'s str> = body.iter().flat_map(|line| free_words(line)).collect();
        let first = self.aliases(&mut words);
        let mut out = Handed { first, ..Handed::default() };
        for (index, parameter) in self.parameters().into_iter().enumerate().skip(self.leading) {
            if index == self.at {
                continue;
            }
            let needed = self.needed(parameter, &words, typed);
            if index < self.at {
                out.before.push(needed.unwrap_or_else(|| self.unused(parameter, index, typed)));
            } else if let Some(needed) = needed {
                let between = out.after.len() + self.at + 1..index;
                out.after.extend(between.map(|index| self.unused(self.parameters()[index], index, typed)));
                out.after.push(needed);
            }
        }
        out
    }

    fn parameters(self) -> Vec<Node<'s>> {
        let node = self.function.node;
        let only = || node.child_by_field_name("parameter").into_iter().collect();
        node.child_by_field_name("parameters").map_or_else(only, children)
    }

    /// A parameter as far as it is needed.
    fn needed(self, parameter: Node<'s>, words: &[&str], typed: bool) -> Option<String> {
        let script = self.function.script;
        let own = pattern(parameter);
        let text = match own.kind() {
            "object_pattern" => {
                let is_needed = |part: &Node<'s>| words.iter().any(|word| binds(script, *part, word).is_some());
                let parts: Vec<&str> =
                    children(own).into_iter().filter(is_needed).map(|part| script.of(part)).collect();
                (!parts.is_empty()).then(|| format!("{{ {} }}", parts.join(", ")))?
            }
            _ => words.contains(&script.of(own)).then(|| script.of(own).to_owned())?,
        };
        Some(format!("{text}{}", self.type_of(parameter, typed)))
    }

    /// A parameter that stands before one that is needed.
    fn unused(self, parameter: Node<'s>, index: usize, typed: bool) -> String {
        let own = pattern(parameter);
        let name = match own.kind() {
            "identifier" => format!("_{}", self.function.script.of(own).trim_start_matches('_')),
            _ => format!("_{}", index + 1),
        };
        format!("{name}{}", self.type_of(parameter, typed))
    }

    fn type_of(self, parameter: Node<'s>, typed: bool) -> &'s str {
        let written = parameter.child_by_field_name("type").filter(|_| typed);
        written.map(|written| self.function.script.of(written)).unwrap_or_default()
    }

    /// Statements by which the other function takes what is needed out of its parameters, which is needed in its place.
    fn aliases(self, words: &mut Vec<&'s str>) -> Vec<String> {
        let parameters = self.parameters();
        let mut out = Vec::new();
        let mut index = 0;
        while let Some(word) = words.get(index).copied() {
            index += 1;
            if parameters.iter().any(|own| binds(self.function.script, pattern(*own), word).is_some()) {
                continue;
            }
            if let Some((statement, value)) = self.alias(word).filter(|(statement, _)| !out.contains(statement)) {
                out.insert(0, statement);
                words.extend(free_words(value));
            }
        }
        out
    }

    /// The statement that gives a name its value, which is a name or a property of one, and that value.
    fn alias(self, word: &str) -> Option<(String, &'s str)> {
        let script = self.function.script;
        let statements = children(self.function.node.child_by_field_name("body")?);
        let declarators = statements.into_iter().filter(|node| node.kind() == "lexical_declaration").flat_map(children);
        declarators.into_iter().find_map(|declarator| {
            let name = declarator.child_by_field_name("name")?;
            binds(script, name, word)?;
            let value = declarator.child_by_field_name("value")?;
            if !matches!(value.kind(), "identifier" | "member_expression") || script.of(value).contains('(') {
                return None;
            }
            let bound = match name.kind() {
                "object_pattern" => {
                    let part = children(name).into_iter().find(|part| binds(script, *part, word).is_some())?;
                    format!("{{ {} }}", script.of(part))
                }
                _ => word.to_owned(),
            };
            Some((format!("const {bound} = {};", script.of(value)), script.of(value)))
        })
    }
}

/// Names that an expression uses: no properties, no keys, nothing within strings.
fn free_words(line: &str) -> Vec<&str> {
    let bytes = line.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$';
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !is_word(bytes[at]) {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && is_word(bytes[at]) {
            at += 1;
        }
        let member = line[..start].ends_with('.') && !line[..start].ends_with("...");
        let key = line[at..].trim_start().starts_with(':');
        if !member && !key {
            out.push(&line[start..at]);
        }
    }
    out
}
