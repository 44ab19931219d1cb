//! Tools that are registered one by one: `registerTool(name, config, handler)`, the older `tool(name, …, handler)`, and loops that
//! do so for each entry of a table.

use tree_sitter::Node;

use super::handler::{self, Takes, Wish};
use super::literal::push_back;
use super::reach::{Helped, Reach, is_typed_by_place, lost, property_of_entry, reach, table_entry};
use super::{Added, Argument, Context, dispatch, json, reach, schema, sdk};
use crate::model::facts::Span;
use crate::plan::handle::ToolUse;
use crate::render::typescript::script::{bare, children, is_function};
use crate::render::typescript::scripts::{Code, Scripts, entry, property};
use crate::render::{Change, Refused};

/// What the schema of a tool's arguments may be called in a table of a program's own.
const SCHEMAS: [&str; 7] = ["inputSchema", "schema", "parameters", "paramsSchema", "argsSchema", "shape", "input"];

/// A registering call, taken apart.
pub struct Registration<'s> {
    /// The call.
    pub call: Code<'s>,
    /// What it is called on.
    pub receiver: Node<'s>,
    /// `registerTool` or `tool`.
    pub method: &'s str,
    /// Its arguments.
    pub arguments: Vec<Node<'s>>,
}

/// Where a tool's schema is, or would be.
enum Slot<'s> {
    /// There.
    Present(Code<'s>),
    /// A property that this literal lacks, with this name.
    Property(Code<'s>, &'s str),
    /// An argument between two others.
    Argument { behind: Node<'s>, before: Node<'s> },
    /// What stands for a schema where there is none: `null`.
    Absent(Code<'s>),
}

/// Reads a registering call.
pub fn read<'s>(scripts: &'s Scripts<'_>, tool: &ToolUse) -> Result<Registration<'s>, Refused> {
    let code = scripts.at(&tool.registration)?.bare();
    let unknown = || code.refuse("this way to register a tool is not known", "give the tool the handle by hand");
    let node =
        if code.node.kind() == "expression_statement" { children(code.node).first().copied() } else { Some(code.node) };
    let call = code.to(node.ok_or_else(unknown)?).bare();
    let parts = || {
        let callee = call.node.child_by_field_name("function")?;
        let receiver = callee.child_by_field_name("object")?;
        let method = call.script.of(callee.child_by_field_name("property")?);
        Some((receiver, method, children(call.node.child_by_field_name("arguments")?)))
    };
    let (receiver, method, arguments) = parts().ok_or_else(unknown)?;
    // `tool({ name, … }, handler)` is a library's own way.
    let named = arguments.first().is_some_and(|first| {
        let first = call.to(*first).bare();
        scripts.value(first).unwrap_or(first).node.kind() != "object"
    });
    match (method, arguments.len()) {
        ("registerTool", 3) | ("tool", 2..=5) if named => Ok(Registration { call, receiver, method, arguments }),
        _ => Err(unknown()),
    }
}

impl<'s> Registration<'s> {
    fn callback(&self) -> Code<'s> {
        self.call.to(self.arguments[self.arguments.len() - 1])
    }

    /// Where the schema is. `table` is the entry that a loop registers here, `helped` the call of the helper that registers here.
    fn slot(
        &self,
        scripts: &'s Scripts<'_>,
        table: Option<Code<'s>>,
        helped: Option<Helped<'s>>,
    ) -> Result<Slot<'s>, Refused> {
        if self.method == "registerTool" {
            return self.slot_of_configuration(scripts, table, helped);
        }
        let last = self.arguments.len() - 1;
        for argument in &self.arguments[1..last] {
            let code = given(self.call.to(*argument), helped)?;
            if let Some(slot) = table.and_then(|table| table_slot(code, table)) {
                match slot {
                    Slot::Present(value) if !is_shape(scripts, value)? => continue,
                    slot => return Ok(slot),
                }
            }
            if helped.is_some() && matches!(code.text(), "null" | "undefined") {
                return Ok(Slot::Absent(code));
            }
            if is_shape(scripts, code)? {
                return Ok(Slot::Present(code));
            }
        }
        if table.is_some() || helped.is_some() {
            return Err(self.call.refuse(
                "tools without a schema are registered here along with others",
                "let this call hand on a schema, and run again",
            ));
        }
        Ok(self.before_annotations())
    }

    /// The argument that a new shape goes before: annotations stand behind it.
    fn before_annotations(&self) -> Slot<'s> {
        let last = self.arguments.len() - 1;
        let is_object = |index: &usize| self.call.to(self.arguments[*index]).bare().node.kind() == "object";
        let index = (1..last).find(is_object).unwrap_or(last);
        Slot::Argument { behind: self.arguments[index - 1], before: self.arguments[index] }
    }

    fn slot_of_configuration(
        &self,
        scripts: &'s Scripts<'_>,
        table: Option<Code<'s>>,
        helped: Option<Helped<'s>>,
    ) -> Result<Slot<'s>, Refused> {
        let written = given(self.call.to(self.arguments[1]), helped)?;
        let unclear = || {
            written.refuse(
                "the tool's configuration is not written out where it can be extended",
                "write it as an object literal, or add the handle to its inputSchema by hand",
            )
        };
        let config = match (scripts.value(written), table, property_of_entry(written)) {
            (Some(value), ..) if value.node.kind() == "object" => value,
            (_, Some(table), Some(name)) => property(table, name).ok_or_else(unclear)?.bare(),
            // The entry of the table is the configuration.
            (_, Some(table), None) if written.node.kind() == "identifier" => table,
            _ => return Err(unclear()),
        };
        if config.node.kind() != "object" {
            return Err(unclear());
        }
        if let Some(value) = property(config, "inputSchema") {
            let value = given(value, helped)?;
            return match table
                .and_then(|table| table_slot(value, table).or_else(|| table_slot(shape_in(value)?, table)))
            {
                Some(slot) => Ok(slot),
                None if value.text() == "undefined" => Err(unclear()),
                None => Ok(Slot::Present(value)),
            };
        }
        let spread = children(config.node).into_iter().find(|entry| entry.kind() == "spread_element");
        if let Some(spread) = spread {
            return Err(config.to(spread).refuse(
                "the tool's configuration comes in part from elsewhere",
                "write its inputSchema here, and run again",
            ));
        }
        Ok(Slot::Property(config, "inputSchema"))
    }
}

/// What a parameter of a helper stands for in one call of it; any other expression as it is.
fn given<'s>(code: Code<'s>, helped: Option<Helped<'s>>) -> Result<Code<'s>, Refused> {
    let Some(helped) = helped else { return Ok(code) };
    match helped.parameter(code) {
        Some(index) => helped.argument(index).ok_or_else(|| {
            helped
                .call
                .refuse("this call leaves out the schema of the tool", "write it, `{}` if it has none, and run again")
        }),
        None => Ok(code),
    }
}

/// The shape in `z.object(shape)`, where it is not written there.
fn shape_in(code: Code<'_>) -> Option<Code<'_>> {
    let callee = code.node.child_by_field_name("function")?;
    let makes = callee.child_by_field_name("property").is_some_and(|name| code.script.of(name) == "object");
    let first = children(code.node.child_by_field_name("arguments")?).first().copied()?;
    (makes && first.kind() != "object").then(|| code.to(first))
}

/// What `tool.schema`, or a `schema` taken out of it, is for one entry of its table.
fn table_slot<'s>(code: Code<'s>, table: Code<'s>) -> Option<Slot<'s>> {
    let of_object = code.node.child_by_field_name("property").filter(|name| code.script.of(*name) == "shape");
    if let Some(object) = of_object.and(code.node.child_by_field_name("object")) {
        return table_slot(code.to(bare(object)), table);
    }
    let plain = || (code.node.kind() == "identifier" && SCHEMAS.contains(&code.text())).then(|| code.text());
    let name = property_of_entry(code).or_else(plain)?;
    match property(table, name) {
        Some(value) => Some(Slot::Present(value)),
        None => SCHEMAS.contains(&name).then_some(Slot::Property(table, name)),
    }
}

/// Whether an argument of `tool` is the shape of the arguments: no text, and no annotations.
fn is_shape<'s>(scripts: &'s Scripts<'_>, argument: Code<'s>) -> Result<bool, Refused> {
    let code = argument.bare();
    match code.node.kind() {
        "string" | "template_string" | "binary_expression" => return Ok(false),
        "member_expression" if code.text().ends_with(".shape") => return Ok(true),
        _ => {}
    }
    let unclear = || {
        code.refuse(
            "whether this is the schema of the tool's arguments can't be told",
            "write the schema as an object literal, or add the handle by hand",
        )
    };
    let value = scripts.value(code).ok_or_else(unclear)?;
    match value.node.kind() {
        "string" | "template_string" | "binary_expression" => Ok(false),
        "object" => {
            let hints = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint", "title"];
            let annotations = hints.iter().any(|hint| {
                property(value, hint).is_some_and(|value| matches!(value.node.kind(), "true" | "false" | "string"))
            });
            Ok(!annotations)
        }
        "call_expression" => Ok(true),
        _ => Err(unclear()),
    }
}

/// The handler that a plan names.
pub fn handler_of<'s>(scripts: &'s Scripts<'_>, tool: &ToolUse) -> Result<Code<'s>, Refused> {
    let code = scripts.at(&tool.handler)?;
    let inner = if is_function(code.node) { code } else { code.bare() };
    if is_function(inner.node) {
        return Ok(inner);
    }
    Err(code.refuse("this is not the handler that the scan saw", "run again"))
}

/// What a registration says of a handler.
struct Found<'s> {
    slot: Slot<'s>,
    handler: Code<'s>,
    reach: Reach,
}

fn find<'s>(scripts: &'s Scripts<'_>, tool: &ToolUse) -> Result<Found<'s>, Refused> {
    let registration = read(scripts, tool)?;
    let handler = handler_of(scripts, tool)?;
    let callback = registration.callback();
    if let Some(reach) = reach(scripts, callback, handler) {
        return Ok(Found { slot: registration.slot(scripts, None, None)?, handler, reach });
    }
    let reach = reach_in_table(callback);
    if let Some(helped) = Helped::of(scripts, registration.call, handler) {
        let direct = helped.parameter(callback).is_some();
        let reach = if direct { Reach::Direct } else { reach };
        return Ok(Found { slot: registration.slot(scripts, None, Some(helped))?, handler, reach });
    }
    let (table, _) = table_entry(handler).ok_or_else(|| lost(callback))?;
    Ok(Found { slot: registration.slot(scripts, Some(table), None)?, handler, reach })
}

/// The schema of an argument of a registered tool, as written.
pub fn argument_schema<'s>(scripts: &'s Scripts<'_>, tool: &ToolUse, name: &str) -> Result<Option<Code<'s>>, Refused> {
    if tool.entry.is_some() {
        return Ok(json::of_argument(scripts, dispatch::listed(scripts, tool)?, name));
    }
    match find(scripts, tool)?.slot {
        Slot::Present(written) => Ok(schema::of_argument(scripts, written, name)),
        Slot::Property(..) | Slot::Argument { .. } | Slot::Absent(_) => Ok(None),
    }
}

/// A loop that registers the entry's function itself, or a function of its own that calls it.
fn reach_in_table(callback: Code<'_>) -> Reach {
    if property_of_entry(callback).is_some() { Reach::Direct } else { Reach::Wrapped }
}

/// Adds an argument to a registered tool.
pub fn add_argument(
    scripts: &Scripts<'_>,
    tool: &ToolUse,
    argument: &Argument,
    context: &Context,
) -> Result<Added, Refused> {
    let Found { slot, handler, reach } = find(scripts, tool)?;
    let takes = if matches!(slot, Slot::Present(_) | Slot::Absent(_)) { Takes::Arguments } else { Takes::ContextAlone };
    if reach == Reach::Wrapped && takes == Takes::ContextAlone {
        return Err(handler.refuse(
            "what wraps this handler may not hand the arguments on to it",
            "let the wrapper hand on all that it is given, `(...args) => handler(...args)`, and run again",
        ));
    }
    gets_context(handler, reach, usize::from(takes == Takes::Arguments), context)?;
    let whole = reach == Reach::Answered && serves(scripts, tool, handler, takes)?;
    let mut changes = Vec::new();
    let mut constant = None;
    match slot {
        Slot::Present(written) => {
            let extended = schema::extend(scripts, written, argument)?;
            changes.extend(extended.changes);
            constant = extended.constant;
        }
        Slot::Property(config, name) => changes.extend(new_property(config, name, argument)),
        Slot::Absent(code) => {
            let entry = schema::entry(code.script, argument);
            let shape = schema::alone(code.script, std::slice::from_ref(&entry));
            let comma = if code.script.style.trailing_commas { "," } else { "" };
            let lines = if shape.starts_with('{') { format!("{{\n\t{entry}{comma}\n}}") } else { String::new() };
            changes.extend(schema::replaced(code, shape, &lines));
            changes.extend(sdk::zod_import(code.script));
        }
        Slot::Argument { behind, before } => {
            let script = scripts.open(&tool.registration.path)?;
            let shape = schema::alone(script, &[schema::entry(script, argument)]);
            let at = before.start_byte();
            let own_line = script.text()[script.line_start(at)..at].trim().is_empty();
            let glue =
                if own_line { format!("{}{}", script.style.newline, script.indentation(before)) } else { " ".into() };
            let width = script.line_end(at) - script.line_start(at) + shape.len();
            let wide = !own_line && shape.starts_with("{ ") && width > super::literal::limit(script);
            let shape = if wide {
                let comma = if script.style.trailing_commas { "," } else { "" };
                let lines = format!("{{\n\t{}{comma}\n}}", schema::entry(script, argument));
                script.indented(&script.style.dress(&lines), script.indentation(before))
            } else {
                shape
            };
            // Behind the argument before it: what is written in front of the handler may be that it is asynchronous.
            let end = behind.end_byte();
            changes.push(script.change(Span::new(end, end), format!(",{glue}{shape}")));
            changes.extend(sdk::zod_import(script));
        }
    }
    let wish = Wish {
        takes,
        argument: &argument.name,
        optional: argument.optional,
        frees: argument.frees,
        context,
        constant,
        typed_by_call: is_typed_by_place(handler),
        leading: leading(tool),
        whole,
    };
    let given = handler::add(handler, &wish)?;
    changes.extend(given.changes);
    Ok(Added { changes, name: argument.expression(handler.script, given.name), auth: given.auth })
}

/// Whether a handler that serves several tools hands all arguments on, the handle among them, since their type is that of no one tool.
fn serves(scripts: &Scripts<'_>, tool: &ToolUse, handler: Code<'_>, takes: Takes) -> Result<bool, Refused> {
    let callback = read(scripts, tool)?.callback();
    if takes == Takes::ContextAlone {
        return Err(callback.refuse(
            "this tool has no schema, and its handler serves others that have one",
            "give it an empty schema, and run again",
        ));
    }
    let parameters = handler.node.child_by_field_name("parameters").map(children).unwrap_or_default();
    let generic = parameters.first().and_then(|first| first.child_by_field_name("type"));
    if handler.script.typed() && generic.is_none() {
        return Err(handler.refuse(
            "this handler serves several tools, and its arguments have no type of their own",
            "write their type, and run again",
        ));
    }
    if handler.script.typed() && reach::keeps_arguments(scripts, callback, handler) {
        return Err(callback.refuse(
            "what is handed over here takes the arguments as a whole, and would take the handle along",
            "let it take them one by one, and run again",
        ));
    }
    Ok(handler.script.typed())
}

/// How many parameters before the arguments go.
pub fn leading(tool: &ToolUse) -> usize {
    usize::from(tool.body.as_ref().is_some_and(|body| body.leading.is_some()))
}

/// A wrapper may keep the context to itself: only a handler that takes it already is known to get it.
fn gets_context(handler: Code<'_>, reach: Reach, index: usize, context: &Context) -> Result<(), Refused> {
    let count = handler.node.child_by_field_name("parameters").map_or(1, |list| children(list).len());
    if context.owner && reach == Reach::Wrapped && count <= index {
        return Err(handler.refuse(
            "what wraps this handler may not hand the SDK's context on to it, which says who is calling",
            "let the handler take the context as its next parameter, and run again",
        ));
    }
    Ok(())
}

/// A schema where the configuration has none: before a handler that stands in the same literal, else at the end.
fn new_property(config: Code<'_>, name: &str, argument: &Argument) -> Vec<Change> {
    let script = config.script;
    let value = schema::alone(script, &[schema::entry(script, argument)]);
    let text = format!("{name}: {value}");
    let code = ["handler", "execute", "run", "call", "callback", "cb"];
    let mut changes = match code.iter().find_map(|name| entry(config, name)) {
        Some(before) => {
            let at = before.start_byte();
            let own_line = script.text()[script.line_start(at)..at].trim().is_empty();
            let glue =
                if own_line { format!("{}{}", script.style.newline, script.indentation(before)) } else { " ".into() };
            vec![script.change(Span::new(at, at), format!("{text},{glue}"))]
        }
        None => push_back(script, config.node, &text),
    };
    changes.extend(sdk::zod_import(script));
    changes
}

/// Sees to the context of a registered tool's handler.
pub fn context(
    scripts: &Scripts<'_>,
    tool: &ToolUse,
    context: &Context,
) -> Result<(Vec<Change>, Option<String>), Refused> {
    let found = find(scripts, tool)?;
    let index = usize::from(matches!(found.slot, Slot::Present(_) | Slot::Absent(_))) + leading(tool);
    gets_context(found.handler, found.reach, index, context)?;
    handler::context(found.handler, (leading(tool), index), context, is_typed_by_place(found.handler))
}
