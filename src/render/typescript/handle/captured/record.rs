//! The record: its type, its first value, the store that keeps it, and what it is called.

use tree_sitter::Node;

use super::super::create;
use super::super::edits::Edits;
use super::super::store;
use super::super::words;
use super::ends;
use super::fields::{self, Field};
use super::handed::{self, First};
use super::types::{self, Typed};
use crate::plan::handle::Carries;
use crate::plan::handle::captured::Captured;
use crate::render::Refused;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, span};
use crate::render::typescript::scripts::{Scripts, mentions};

/// A variable as it is declared.
pub struct Variable<'a> {
    /// Its name at its declaration.
    pub name: Node<'a>,
    /// The statement.
    pub statement: Node<'a>,
    /// Its type, where the file has types.
    pub ty: Option<Typed>,
    /// Its first value.
    pub value: Option<Node<'a>>,
    /// How it stands in its class, if it is a field.
    pub field: Option<Field<'a>>,
}

impl Variable<'_> {
    /// Its name in the record.
    pub fn label<'s>(&self, script: &'s Script) -> &'s str {
        script.of(self.name).trim_start_matches('#')
    }
}

/// The variables together.
pub struct Record<'a> {
    /// The plan.
    pub captured: &'a Captured,
    /// The files.
    pub scripts: &'a Scripts<'a>,
    /// The file, which is one: what captures a variable stands where that does.
    pub script: &'a Script,
    /// The variables.
    pub variables: Vec<Variable<'a>>,
    /// The value of the only variable is the record itself: functions go on using it by its name.
    pub whole: bool,
    /// What functions call the record.
    pub name: String,
    /// Its type.
    pub ty: Option<String>,
    /// Whether that type has to be declared.
    pub declares: bool,
    /// The store.
    pub store: String,
    /// What frees a value.
    pub close: Option<String>,
    /// What a tool makes the value of, where it was handed in.
    pub first: Option<First<'a>>,
    /// Code of another file needs the store.
    pub outward: bool,
    /// The store is declared in this file.
    pub home: bool,
    /// The function that the variables leave.
    pub factory: Node<'a>,
}

impl<'a> Record<'a> {
    /// Reads the declarations.
    pub fn of(captured: &'a Captured, scripts: &'a Scripts<'a>) -> Result<Self, Refused> {
        let mut variables = Vec::new();
        let mut script = None;
        for local in &captured.locals {
            let file = scripts.of(&local.declared)?;
            script = Some(file);
            if let Some(field) = fields::variable(scripts, file, local)? {
                variables.push(field);
                continue;
            }
            let name = file.around(local.declared.span).filter(|node| node.kind() == "identifier");
            let root = file.tree.root_node();
            let name = name.ok_or_else(|| file.refuse(root, "a declaration was not found", "run again"))?;
            variables.push(variable(captured, scripts, file, name)?);
        }
        let (Some(script), Some(first)) = (script, variables.first()) else {
            return Err(Refused {
                at: captured.tools[0].registration.clone(),
                why: "there is no variable to move".to_owned(),
                todo: "run again".to_owned(),
                also: Vec::new(),
            });
        };
        let factory = match &first.field {
            Some(_) => fields::class(script, first.name)?,
            None => enclosing_function(first.name)
                .ok_or_else(|| script.refuse(first.name, "it belongs to no function", "run again"))?,
        };
        match &first.field {
            Some(_) => fields::registered_in(captured, scripts, script, factory)?,
            None => in_sight(captured, scripts, script, first)?,
        }
        let whole = variables.len() == 1
            && first.field.as_ref().map_or_else(
                || is_whole(script, first, captured.object),
                |field| fields::is_whole(script, first, field),
            );
        let capital = camel(&captured.names.noun, true);
        let (name, ty, declares) = names(script, captured, &variables, whole, &capital)?;
        let stores = plurals(&camel(&captured.names.noun, false)).into_iter().filter(|store| *store != name);
        let store = free(script, &stores.collect::<Vec<_>>(), first.name)?;
        let close = ends::close(captured, scripts, None)?;
        let (first, outward, home) = (None, false, true);
        let record = Self {
            captured,
            scripts,
            script,
            variables,
            whole,
            name,
            ty,
            declares,
            store,
            close,
            first,
            outward,
            home,
            factory,
        };
        record.independent()?;
        Ok(record)
    }

    /// The first values must not depend on each other.
    fn independent(&self) -> Result<(), Refused> {
        for variable in self.variables.iter().filter(|variable| variable.field.is_none()) {
            for used in scope::uses(self.script, variable.name) {
                if self.variables.iter().any(|other| span(other.statement).contains(span(used))) {
                    return Err(self.script.refuse(
                        used,
                        "a first value depends on another variable of the same record",
                        "give it a first value of its own",
                    ));
                }
            }
        }
        Ok(())
    }

    /// Whether a function stands in the file.
    pub fn has(&self, carrier: &Carries) -> bool {
        carrier.function.path == self.script.path
    }

    /// The first value of a record, line by line.
    pub fn initial_lines(&self) -> Vec<String> {
        if let Some(first) = &self.first {
            return create::unindented(first.maker, first.made, &first.text);
        }
        create::unindented(self.script, self.variables[0].statement, &self.initial())
    }

    fn initial(&self) -> String {
        let value = |variable: &Variable<'_>| match variable.value {
            Some(value) => self.script.of(value).to_owned(),
            None => "undefined".to_owned(),
        };
        if let ([only], true) = (self.variables.as_slice(), self.whole) {
            return value(only);
        }
        let fields: Vec<String> = self
            .variables
            .iter()
            .map(|variable| {
                let (name, value) = (variable.label(self.script), value(variable));
                if name == value { value } else { format!("{name}: {value}") }
            })
            .collect();
        format!("{{ {} }}", fields.join(", "))
    }

    /// Takes the variables out of the function, and puts the store in front of it.
    pub fn take_out(&self, edits: &mut Edits) -> Result<(), Refused> {
        let script = self.script;
        match &self.captured.handed {
            Some(handed) if self.home => handed::take_out(self, handed, edits)?,
            Some(_) => return Ok(()),
            None => self.take_out_statements(edits),
        }
        let top = self.place();
        words::above(edits, script, self.factory);
        let newline = script.style.newline;
        let text = script.style.dress(&self.declaration());
        let start = script.line_start(script.with_comments(top));
        edits.insert(script, start, format!("{text}{newline}{newline}"));
        Ok(())
    }

    fn take_out_statements(&self, edits: &mut Edits) {
        let script = self.script;
        fields::take_out(self, edits);
        // Neighbours go together, so that no blank line of theirs is left.
        let statements: Vec<Node<'_>> = self.variables.iter().map(|variable| variable.statement).collect();
        for run in statements.chunk_by(|a, b| a.next_named_sibling() == Some(*b)) {
            edits.cut(script, script.removal_of_run(run[0], run[run.len() - 1]));
        }
    }

    /// The statement that the store is declared before: the one around the function, or an earlier one that may call it already.
    fn place(&self) -> Node<'a> {
        let mut top = self.variables[0].statement;
        while let Some(parent) = top.parent().filter(|parent| parent.kind() != "program") {
            top = parent;
        }
        let script = self.script;
        let declared = top.child_by_field_name("declaration").unwrap_or(top).child_by_field_name("name");
        let calls = |node: &Node<'a>| {
            let runs = matches!(node.kind(), "expression_statement" | "lexical_declaration" | "variable_declaration");
            let main = children(*node).first().is_some_and(|call| {
                bare(*call).kind() == "call_expression"
                    && bare(*call).child_by_field_name("function").is_some_and(|callee| callee.kind() == "identifier")
            });
            let named = declared.is_some_and(|name| !mentions(script, *node, script.of(name)).is_empty());
            runs && (main || named)
        };
        let before = children(script.tree.root_node()).into_iter().take_while(|node| *node != top);
        let required = |node: &Node<'a>| script.of(*node).contains("require(");
        before.filter(|node| !required(node)).find(calls).unwrap_or(top)
    }

    fn declaration(&self) -> String {
        let string = |text: &str| self.script.style.string(text);
        let (names, lifetime) = (&self.captured.names, &self.captured.lifetime);
        let mut lines = vec![
            format!("noun: {}", string(&names.noun)),
            format!("prefix: {}", string(&names.prefix)),
            format!("createTool: {}", string(&names.create)),
            format!("loss: {}", string(&self.captured.loss)),
            format!("idleSeconds: Number(process.env.{}_IDLE_SECONDS || {})", names.setting, lifetime.idle_seconds),
            format!("limit: Number(process.env.{}_LIMIT || {})", names.setting, lifetime.limit),
        ];
        lines.extend(self.close.iter().map(|close| format!("close: {close}")));
        let comma = if self.script.style.trailing_commas { "," } else { "" };
        let annotation = self.ty.as_ref().map(|ty| format!(": HandleStore<{ty}>")).unwrap_or_default();
        let class = store::class(self.captured.shared.as_ref());
        let argument = match (&self.close, &self.ty) {
            (Some(_), Some(ty)) => format!("<{ty}>"),
            _ => String::new(),
        };
        let export = if self.outward { "export " } else { "" };
        let store = format!(
            "{export}const {}{annotation} = new {class}{argument}({{\n\t{}{comma}\n}});",
            self.store,
            lines.join(",\n\t")
        );
        match self.ty.as_ref().filter(|_| self.declares) {
            Some(ty) => format!("interface {ty} {{\n\t{}\n}}\n\n{store}", self.members().join("\n\t")),
            None => store,
        }
    }

    fn members(&self) -> Vec<String> {
        if let (Some(Typed::Members(members)), true) = (&self.variables[0].ty, self.whole) {
            return members.iter().map(|member| format!("{member};")).collect();
        }
        let member = |variable: &Variable<'_>| {
            Some(format!("{}: {};", variable.label(self.script), variable.ty.as_ref()?.text()))
        };
        self.variables.iter().filter_map(member).collect()
    }
}

/// Refuses a tool that is registered where the variables are not known.
fn in_sight(captured: &Captured, scripts: &Scripts<'_>, script: &Script, first: &Variable<'_>) -> Result<(), Refused> {
    let own_block = |node: &Node<'_>| first.statement.parent().is_some_and(|block| span(block).contains(span(*node)));
    for tool in &captured.tools {
        let (file, call) = scripts.expression(&tool.registration)?;
        if file.path != script.path || !own_block(&call) {
            return Err(file.refuse(
                call,
                "this tool is registered where the variables are not in sight",
                "register it in the function that has them, and run again",
            ));
        }
    }
    Ok(())
}

fn variable<'a>(
    captured: &Captured,
    scripts: &'a Scripts<'a>,
    script: &'a Script,
    name: Node<'a>,
) -> Result<Variable<'a>, Refused> {
    let alone = |declarator: Node<'a>| {
        let list = declarator.parent()?;
        let kinds = matches!(list.kind(), "lexical_declaration" | "variable_declaration");
        (kinds && children(list).len() == 1 && list.parent()?.kind() == "statement_block").then_some(list)
    };
    let declarator = name.parent().filter(|parent| parent.kind() == "variable_declarator");
    let declarator = declarator.ok_or_else(|| {
        script.refuse(name, "it is taken out of something else", "declare it in a statement of its own")
    })?;
    let statement = alone(declarator).ok_or_else(|| {
        script.refuse(name, "its declaration is shared with others", "declare it in a statement of its own")
    })?;
    let value = declarator.child_by_field_name("value");
    if captured.object {
        let factory =
            enclosing_function(name).ok_or_else(|| script.refuse(name, "it belongs to no function", "run again"))?;
        let ty = types::object(script, declarator, factory)?;
        return Ok(Variable { name, statement, ty, value, field: None });
    }
    if let Some(value) = value {
        types::plain(script, value)?;
    }
    let ty = match script.typed() {
        true => Some(types::of(scripts, script, declarator)?),
        false => {
            types::made_by_a_call(script, value)?;
            types::assigned(script, name)?;
            None
        }
    };
    Ok(Variable { name, statement, ty, value, field: None })
}

/// Whether a variable is never assigned anew and holds an object: then that is the record.
fn is_whole(script: &Script, variable: &Variable<'_>, object: bool) -> bool {
    let constant = script.of(variable.statement).starts_with("const");
    let uses = scope::uses(script, variable.name).len();
    // No function has the name for something else.
    constant
        && mentions(script, script.tree.root_node(), script.of(variable.name)).len() == uses + 1
        && variable.value.map(types::inner).is_some_and(|value| {
            matches!(value.kind(), "array" | "object" | "new_expression") || object && value.kind() == "call_expression"
        })
}

/// What the record and its type are called, and whether the type has to be declared.
fn names(
    script: &Script,
    captured: &Captured,
    variables: &[Variable<'_>],
    whole: bool,
    capital: &str,
) -> Result<(String, Option<String>, bool), Refused> {
    let first = &variables[0];
    let types = [capital.to_owned(), format!("{capital}State"), format!("{capital}Record")];
    let of_type = |declares: bool| match (script.typed(), declares) {
        (false, _) => Ok(None),
        (true, true) => free(script, &types, first.name).map(Some),
        (true, false) => Ok(first.ty.as_ref().map(Typed::text)),
    };
    if whole {
        let declares = matches!(first.ty, Some(Typed::Members(_)));
        return Ok((first.label(script).to_owned(), of_type(declares)?, declares && script.typed()));
    }
    let noun = camel(&captured.names.noun, false);
    let candidates = [noun.clone(), format!("{noun}State"), format!("{noun}Record")];
    Ok((free(script, &candidates, first.name)?, of_type(true)?, script.typed()))
}

/// The first name that a file does not use.
pub fn free(script: &Script, candidates: &[String], at: Node<'_>) -> Result<String, Refused> {
    let mut used = Vec::new();
    let mut stack = vec![script.tree.root_node()];
    while let Some(node) = stack.pop() {
        let names = matches!(
            node.kind(),
            "identifier"
                | "type_identifier"
                | "shorthand_property_identifier"
                | "shorthand_property_identifier_pattern"
        );
        if names {
            used.push(script.of(node));
        }
        stack.extend(children(node));
    }
    candidates
        .iter()
        .find(|name| !used.contains(&name.as_str()) && !RESERVED.contains(&name.as_str()))
        .cloned()
        .ok_or_else(|| {
            script.refuse(at, format!("names like `{}` are taken", candidates.join("`, `")), "rename what has them")
        })
}

/// Words that are no names, and globals that a record must not hide.
const RESERVED: &[&str] = &[
    "case", "class", "default", "package", "process", "console", "return", "switch", "import", "export", "new", "try",
    "Map", "Set", "Date", "Array", "Object", "Number", "String", "Record", "Promise", "Symbol", "Error",
];

/// A noun as a name.
pub fn camel(noun: &str, capital: bool) -> String {
    let mut out = String::new();
    for (index, word) in noun.split(' ').enumerate() {
        match word.chars().next().filter(|_| index > 0 || capital) {
            Some(first) => {
                out.extend(first.to_uppercase());
                out.push_str(&word[first.len_utf8()..]);
            }
            None => out.push_str(word),
        }
    }
    out
}

/// Names for many of them.
pub fn plurals(noun: &str) -> [String; 3] {
    let plural = match noun {
        _ if noun.ends_with(['s', 'x', 'z']) || noun.ends_with("ch") || noun.ends_with("sh") => format!("{noun}es"),
        _ => match noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'i', 'o', 'u'])) {
            Some(stem) => format!("{stem}ies"),
            None => format!("{noun}s"),
        },
    };
    [plural, format!("{noun}Handles"), format!("{noun}Store")]
}
