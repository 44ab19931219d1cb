//! What a model reads of each tool: its name, title, description, and the names and texts of its input and output schemas.
//!
//! Counted is what the code says, in characters of the texts themselves, without quotes. Keywords of JSON Schema are not, since a
//! library of schemas writes them by itself, and neither is what a template fills in when it runs.

use std::collections::BTreeMap;

use rustc_hash::FxHashSet;

use crate::model::facts::{ExprKind, Field, Key};
use crate::model::flow::value::Value;
use crate::model::flow::{Flow, Registered, Target};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef};

/// Characters that a model reads, by tool.
pub type ToolTexts = BTreeMap<String, usize>;

/// How deep texts may lie in declarations and the names that they use.
const DEPTH: u32 = 24;
/// Methods of schema libraries whose texts reach the model.
const TELLING: &[&str] = &["describe", "meta", "enum", "Enum", "literal", "Literal", "default", "title", "description"];
/// Methods of schema libraries that take fields by name.
const SHAPED: &[&str] =
    &["object", "Object", "strictObject", "looseObject", "extend", "safeExtend", "merge", "partialRecord"];

/// The texts of the tools of a program, by module. A tool that is declared twice is counted twice.
pub fn of(flow: &Flow<'_>) -> Vec<ToolTexts> {
    let mut out = vec![ToolTexts::new(); flow.program.modules.len()];
    let mut add = |module: u32, name: Name, sum: usize| {
        *out[module as usize].entry(name.text().to_owned()).or_default() += sum;
    };
    for registration in flow.registrations.values().filter(|entry| entry.what == Registered::Tool) {
        let Some(name) = registration.name else { continue };
        let mut count = Count::new(flow);
        count.registration(registration.at);
        // An entry of a table that is registered is counted where it stands.
        if count.sum > 0 {
            add(registration.at.module, name, count.sum);
        }
    }
    for at in flow.program.exprs() {
        let ExprKind::Object(fields) = flow.program.kind(at) else { continue };
        if let Some(name) = entry(flow, at, fields) {
            let mut count = Count::new(flow);
            count.settings(at.module, fields);
            add(at.module, name, count.sum);
        }
    }
    out
}

/// The name of a tool that an entry of a list declares.
fn entry(flow: &Flow<'_>, at: ExprRef, fields: &[Field]) -> Option<Name> {
    let schema = ["inputSchema", "parameters"].iter().any(|key| field(fields, key).is_some());
    let name = field(fields, "name").filter(|_| schema)?;
    let ExprKind::Text(text) = flow.program.kind(At { module: at.module, id: name.value }) else { return None };
    Some(*text)
}

fn field<'f>(fields: &'f [Field], wanted: &str) -> Option<&'f Field> {
    fields.iter().find(|field| matches!(&field.key, Key::Name(name) if *name == wanted))
}

fn length(name: Name) -> usize {
    name.text().chars().count()
}

/// Adds up what is read of one tool.
struct Count<'a, 'p> {
    flow: &'a Flow<'p>,
    sum: usize,
    depth: u32,
    /// What is being read: a schema may contain itself.
    open: FxHashSet<ExprRef>,
}

impl<'a, 'p> Count<'a, 'p> {
    fn new(flow: &'a Flow<'p>) -> Self {
        Self { flow, sum: 0, depth: 0, open: FxHashSet::default() }
    }

    /// A call that registers a tool: its name, then texts, settings, or the fields of a schema, then the handler.
    fn registration(&mut self, call: ExprRef) {
        let (ExprKind::Call { args, .. } | ExprKind::New { args, .. }) = self.flow.program.kind(call) else { return };
        for arg in args {
            self.resolved(At { module: call.module, id: arg.value }, |count, at| match count.flow.program.kind(at) {
                ExprKind::Object(fields) if entry(count.flow, at, fields).is_some() => {}
                ExprKind::Object(fields) if is_settings(count.flow, at.module, fields) => {
                    count.settings(at.module, fields)
                }
                ExprKind::Object(fields) => count.shape(at.module, fields),
                _ => count.words(at),
            });
        }
    }

    /// `{ title, description, inputSchema, … }`.
    fn settings(&mut self, module: u32, fields: &[Field]) {
        for field in fields {
            let Key::Name(key) = &field.key else { continue };
            let value = At { module, id: field.value };
            match key.text() {
                "name" | "title" | "description" => self.text(value),
                "inputSchema" | "outputSchema" | "parameters" | "argsSchema" => self.schema(value),
                "annotations" => self.resolved(value, |count, at| {
                    if let ExprKind::Object(fields) = count.flow.program.kind(at)
                        && let Some(title) = self::field(fields, "title")
                    {
                        count.text(At { module: at.module, id: title.value });
                    }
                }),
                _ => {}
            }
        }
    }

    /// A schema: of a library, JSON Schema, or bare fields.
    fn schema(&mut self, at: ExprRef) {
        self.resolved(at, |count, at| match count.flow.program.kind(at) {
            ExprKind::Object(fields) if is_node(count.flow, at.module, fields) => count.node(at.module, fields),
            ExprKind::Object(fields) => count.shape(at.module, fields),
            ExprKind::Sequence(items) => {
                items.iter().for_each(|item| count.schema(At { module: at.module, id: *item }));
            }
            ExprKind::Call { callee, args } => {
                let inside = |id| At { module: at.module, id };
                let method = match count.flow.program.kind(inside(*callee)) {
                    ExprKind::Member { object, name } => {
                        // `z.string().min(1).describe('…')`: what stands before is part of it.
                        count.schema(inside(*object));
                        name.text()
                    }
                    _ => "",
                };
                for arg in args {
                    let arg = inside(arg.value);
                    match count.flow.program.kind(arg) {
                        ExprKind::Object(fields) if SHAPED.contains(&method) => count.shape(arg.module, fields),
                        ExprKind::Object(fields) => count.node(arg.module, fields),
                        ExprKind::Sequence(items) if TELLING.contains(&method) => {
                            items.iter().for_each(|item| count.text(inside(*item)));
                        }
                        ExprKind::Text(_) | ExprKind::Template(_) if TELLING.contains(&method) => count.text(arg),
                        ExprKind::Text(_) | ExprKind::Template(_) => {}
                        _ if TELLING.contains(&method) => count.text(arg),
                        _ => count.schema(arg),
                    }
                }
            }
            _ => {}
        });
    }

    /// Fields by name: the names are what the model has to write.
    fn shape(&mut self, module: u32, fields: &[Field]) {
        for field in fields {
            if let Key::Name(name) = &field.key {
                self.sum += length(*name);
            }
            self.schema(At { module, id: field.value });
        }
    }

    /// A node of JSON Schema, or options that end up in one.
    fn node(&mut self, module: u32, fields: &[Field]) {
        for field in fields {
            let Key::Name(key) = &field.key else { continue };
            let value = At { module, id: field.value };
            match key.text() {
                "title" | "description" | "enum" | "const" | "default" | "examples" => self.text(value),
                "properties" | "$defs" | "definitions" => self.resolved(value, |count, at| {
                    if let ExprKind::Object(fields) = count.flow.program.kind(at) {
                        count.shape(at.module, fields);
                    }
                }),
                "items" | "additionalProperties" | "anyOf" | "oneOf" | "allOf" | "prefixItems" => self.schema(value),
                _ => {}
            }
        }
    }

    /// A text, or several.
    fn text(&mut self, at: ExprRef) {
        self.resolved(at, Self::words);
    }

    /// What stands in a literal, or in the literals of a list.
    fn words(&mut self, at: ExprRef) {
        match self.flow.program.kind(at) {
            ExprKind::Text(text) => self.sum += length(*text),
            ExprKind::Template(parts) | ExprKind::Sequence(parts) => {
                parts.iter().for_each(|part| self.text(At { module: at.module, id: *part }));
            }
            _ => {}
        }
    }

    /// Does something with an expression, or with what a name stands for.
    fn resolved(&mut self, at: ExprRef, then: impl FnOnce(&mut Self, ExprRef)) {
        let mut at = at;
        for _ in 0..DEPTH {
            match self.flow.program.kind(at) {
                ExprKind::Cast { value, .. } => at = At { module: at.module, id: *value },
                ExprKind::Symbol(id) => match self.flow.target(At { module: at.module, id: *id }) {
                    Some(Target::Symbol(symbol)) => match self.flow.program.symbol(symbol).init {
                        Some(init) => at = At { module: symbol.module, id: init },
                        None => return,
                    },
                    Some(Target::Expr(expr)) => at = expr,
                    _ => return,
                },
                ExprKind::Member { .. } => return self.valued(at),
                _ => break,
            }
        }
        if self.depth >= DEPTH || !self.open.insert(at) {
            return;
        }
        self.depth += 1;
        then(self, at);
        self.depth -= 1;
        self.open.remove(&at);
    }

    /// A member of some object: the text that it is known to have.
    fn valued(&mut self, at: ExprRef) {
        let text = self.flow.at(at).iter().find_map(|value| match value {
            Value::Text(text) => Some(*text),
            _ => None,
        });
        self.sum += text.map_or(0, length);
    }
}

/// Whether an object configures a tool, rather than naming the fields of its schema: `title` may be either.
fn is_settings(flow: &Flow<'_>, module: u32, fields: &[Field]) -> bool {
    let keys = ["inputSchema", "outputSchema", "argsSchema", "parameters", "annotations", "_meta", "icons"];
    let hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
    let written = |key: &&str| {
        let value = field(fields, key).map(|field| flow.program.kind(At { module, id: field.value }));
        value.is_some_and(|value| !matches!(value, ExprKind::Call { .. }))
    };
    keys.iter().chain(&hints).any(|key| field(fields, key).is_some()) || ["title", "description"].iter().any(written)
}

/// Whether an object is a node of JSON Schema.
fn is_node(flow: &Flow<'_>, module: u32, fields: &[Field]) -> bool {
    let typed = field(fields, "type").is_some_and(|field| {
        matches!(flow.program.kind(At { module, id: field.value }), ExprKind::Text(_) | ExprKind::Sequence(_))
    });
    typed
        || ["properties", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"].iter().any(|key| {
            field(fields, key).is_some_and(|field| {
                let value = flow.program.kind(At { module, id: field.value });
                matches!(value, ExprKind::Object(_) | ExprKind::Sequence(_) | ExprKind::Text(_))
            })
        })
}
