//! Tools of the low-level `Server` that its handler looks up in a table: each has an entry in the list and a function of its own.

use tree_sitter::Node;

use super::create::{Answers, answers_of, is_annotated};
use super::lists::{self, Listed};
use super::own_file::OwnFile;
use super::parameters::{Handed, Like};
use super::reach::{is_typed_by_place, table_entry};
use super::register::{handler_of, leading};
use super::{
    Added, Argument, Context, Kind, NewTool, Parameter, create, dispatch, handler, json, listing, schema, sdk,
};
use crate::model::facts::Span;
use crate::plan::handle::ToolUse;
use crate::render::typescript::script::{Script, bare, children, span};
use crate::render::typescript::scripts::{Code, Scripts, declaration, mentions, property};
use crate::render::{Change, Refused};

/// Adds an argument to a listed tool, and lets its function take it. Nobody has checked the arguments: the function asks by
/// `handleIn`, or by `givenHandle` where it takes them apart.
pub fn add_argument(
    scripts: &Scripts<'_>,
    tool: &ToolUse,
    argument: &Argument,
    context: &Context,
) -> Result<Added, Refused> {
    let entry = dispatch::listed(scripts, tool)?;
    let mut changes = json::extend(scripts, entry, argument)?;
    let list = entry.node.parent().filter(|list| list.kind() == "array");
    changes.extend(list.map(|list| sdk::list_of_tools(entry.script, list)).into_iter().flatten());
    let function = handler_of(scripts, tool)?;
    let script = function.script;
    let string = |text: &str| script.style.string(text);
    let asked =
        |arguments: &str| format!("handleIn({arguments}, {}, {})", string(&argument.name), string(&argument.source));
    let at = tool.body.as_ref().map_or(0, |body| body.arguments);
    let (name, given, auth) = match arguments(function, at) {
        Arguments::Named(node) => {
            let kept = script.of(node);
            let name = spoken(function, node);
            let (mut given, auth) = handler::context(function, (leading(tool), at + 1), context, true)?;
            match given.iter_mut().find(|change| change.span.contains(span(node))) {
                Some(whole) => whole.text = whole.text.replacen(kept, &name, 1),
                None if name != kept => given.push(script.change(span(node), name.as_str())),
                None => {}
            }
            (asked(&name), given, auth)
        }
        Arguments::None => {
            let list = function.node.child_by_field_name("parameters").ok_or_else(|| {
                function.refuse("it has no parameters that can be changed", "give it the handle by hand")
            })?;
            let before = children(list).into_iter().skip(leading(tool)).map(|own| script.of(own).to_owned());
            let says = script.typed() && (is_annotated(function) || !is_contextual(function.node));
            let own = if says { "args: object | undefined" } else { "args" };
            let all: Vec<String> = before.chain([own.to_owned()]).collect();
            let inside = Span::new(list.start_byte() + 1, list.end_byte() - 1);
            (asked("args"), vec![script.change(inside, all.join(", "))], None)
        }
        Arguments::Other if at > leading(tool) => {
            return Err(function.refuse(
                "the tool takes its arguments apart, or not at all, behind others",
                "let it take them as one parameter, and run again",
            ));
        }
        Arguments::Other => {
            let wish = handler::Wish {
                takes: handler::Takes::Arguments,
                argument: &argument.name,
                optional: argument.optional,
                frees: argument.frees,
                context,
                constant: None,
                typed_by_call: is_typed_by_place(function),
                leading: leading(tool),
                whole: false,
            };
            let given = handler::add(function, &wish)?;
            let name =
                format!("{}({}, {}, {})", super::GIVEN, given.name, string(&argument.name), string(&argument.source));
            (name, given.changes, given.auth)
        }
    };
    changes.extend(given);
    Ok(Added { changes, name, auth })
}

/// The changes of what a tool's own function is handed beside the arguments.
pub fn context(
    scripts: &Scripts<'_>,
    tool: &ToolUse,
    wish: &Context,
) -> Result<(Vec<Change>, Option<String>), Refused> {
    let at = tool.body.as_ref().map_or(0, |body| body.arguments);
    handler::context(handler_of(scripts, tool)?, (leading(tool), at + 1), wish, true)
}

/// How a tool's own function takes the arguments.
enum Arguments<'s> {
    /// As a whole, under a name.
    Named(Node<'s>),
    /// Not at all, nor anything else.
    None,
    /// Taken apart.
    Other,
}

fn arguments(function: Code<'_>, at: usize) -> Arguments<'_> {
    let only = function.node.child_by_field_name("parameter");
    let list = function.node.child_by_field_name("parameters").map(children).unwrap_or_default();
    if only.is_none() && list.len() == at {
        return Arguments::None;
    }
    match only.filter(|_| at == 0).or_else(|| list.get(at).copied()).map(handler::pattern) {
        Some(node) if node.kind() == "identifier" => Arguments::Named(node),
        _ => Arguments::Other,
    }
}

/// The name of a parameter that was not used so far, and is from now on: without its underscore.
fn spoken(function: Code<'_>, node: Node<'_>) -> String {
    let (script, name) = (function.script, function.script.of(node));
    let bare = name.trim_start_matches('_');
    let free = !bare.is_empty() && mentions(script, function.node, bare).is_empty();
    let unused = mentions(script, function.node, name).iter().all(|used| *used == node);
    if free && unused { bare.to_owned() } else { name.to_owned() }
}

/// Adds a tool before or behind another: to the list, and to the table of functions.
pub fn insert(scripts: &Scripts<'_>, beside: &ToolUse, before: bool, tool: &NewTool) -> Result<Vec<Change>, Refused> {
    let entry = dispatch::listed(scripts, beside)?;
    let function = handler_of(scripts, beside)?;
    let script = function.script;
    let refuse = || function.refuse("where the functions of the tools are kept was not found", "add the tool by hand");
    let text_alone = answers_of(scripts, beside)?.ok_or_else(refuse)? == Answers::Text;
    let mut tool = NewTool { text_alone, ..tool.clone() };
    if text_alone {
        tool.structured.clear();
    }
    let (table, own) = table_entry(function).or_else(|| named_entry(function)).ok_or_else(refuse)?;
    let other = Other { like: Like::of(beside, function), own };
    if entry.script.path == script.path && span(table.node).contains(span(entry.node)) {
        let text = module(table, &other, &tool)?;
        return match listing::listing(table, before, &tool, &text) {
            Ok(changes) => Ok(changes),
            Err(refused) => listed_elsewhere(scripts, beside, table, before, &tool, &text).unwrap_or(Err(refused)),
        };
    }
    let listed = listing::literal(entry.script, &tool, "");
    let mut changes = listing::listing(entry, before, &tool, &listed)?;
    let text = format!("{}: {}", schema::key(script, &tool.name), other.arrow(&tool));
    changes.push(beside_pair(script, own, before, &text));
    Ok(changes)
}

/// A tool that a constant of one file describes, which a list in another names, along with more of that file: one more constant, and one
/// more name in the import and in the list. A file that is all the tool's own is a way to keep them: the new one gets its own as well.
fn listed_elsewhere(
    scripts: &Scripts<'_>,
    beside: &ToolUse,
    table: Code<'_>,
    before: bool,
    tool: &NewTool,
    text: &str,
) -> Option<Result<Vec<Change>, Refused>> {
    if let Some(file) = OwnFile::of(scripts, beside, table) {
        let draft = file.draft(scripts, &tool.name)?;
        return Some(file.rewrite(draft, text, &tool.name, None).map(|mut changes| {
            changes.extend(file.place(draft, &tool.name, before));
            changes
        }));
    }
    let Listed { list, item } = lists::of(scripts, beside, table)?;
    let import = declaration(list, list.script.of(item)).filter(|own| own.node.kind() == "import_specifier")?;
    if item.kind() == "pair" || import.node.child_by_field_name("alias").is_some() {
        return None;
    }
    let (constant, name) = listing::another(table, before, tool, text)?;
    let end = import.node.end_byte();
    Some(Ok(vec![
        constant,
        import.script.change(Span::new(end, end), format!(", {name}")),
        listing::element(list.script, item, before, &name),
    ]))
}

/// The file that a new tool gets, where each has one.
pub fn file_for<'s>(scripts: &'s Scripts<'_>, beside: &ToolUse, name: &str) -> Option<&'s Script> {
    let (table, _) = table_entry(handler_of(scripts, beside).ok()?)?;
    let entry = dispatch::listed(scripts, beside).ok()?;
    let one = entry.script.path == table.script.path && span(table.node).contains(span(entry.node));
    let in_list = table.node.parent().is_some_and(|list| list.kind() == "array");
    if one && !in_list { OwnFile::of(scripts, beside, table)?.draft(scripts, name) } else { None }
}

/// The entry of a table whose entries hold the definition of a tool and its function.
fn module(entry: Code<'_>, other: &Other<'_>, tool: &NewTool) -> Result<String, Refused> {
    let script = entry.script;
    let comma = if script.style.trailing_commas { "," } else { "" };
    let of_definition = json::fields(script, tool);
    let mut fields = Vec::new();
    for field in children(entry.node) {
        let key = field.child_by_field_name("key").or_else(|| field.child_by_field_name("name"));
        let key = key.map(|key| script.of(key)).unwrap_or_default();
        if field == other.own {
            let text = other.arrow(tool).replace('\n', "\n\t");
            fields.push(match field.kind() {
                "method_definition" => {
                    let (waits, rest) =
                        text.strip_prefix("async ").map_or(("", text.as_str()), |rest| ("async ", rest));
                    format!("{waits}{key}{}", rest.replacen(" => {", " {", 1))
                }
                _ => format!("{key}: {text}"),
            });
            continue;
        }
        let value = field.child_by_field_name("value").map(bare);
        let defines =
            |value: &Node<'_>| value.kind() == "object" && property(entry.to(*value), "inputSchema").is_some();
        match (key, value) {
            ("name" | "description" | "inputSchema", _) => {
                let own = |text: &&String| text.split(':').next() == Some(key);
                fields.extend(of_definition.iter().find(own).cloned());
            }
            ("title" | "annotations" | "outputSchema", _) => {}
            (_, Some(value)) if defines(&value) => {
                let deeper: Vec<String> = of_definition.iter().map(|text| text.replace('\n', "\n\t")).collect();
                let inner = deeper.join(",\n\t\t");
                fields.push(format!("{key}: {{\n\t\t{inner}{comma}\n\t}}"));
            }
            (_, Some(value)) if matches!(value.kind(), "string" | "number" | "true" | "false") => {
                fields.push(script.of(field).to_owned());
            }
            _ => {
                return Err(script.refuse(
                    field,
                    "what this would be for a new tool of the table can't be told",
                    "add the tool to the table by hand",
                ));
            }
        }
    }
    Ok(format!("{{\n\t{}{comma}\n}}", fields.join(",\n\t")))
}

/// The function of another tool, and where the table has it.
struct Other<'s> {
    like: Like<'s>,
    own: Node<'s>,
}

impl Other<'_> {
    /// The function of a new tool: it takes the arguments as they came.
    fn arrow(&self, tool: &NewTool) -> String {
        let script = self.like.function.script;
        let string = |text: &str| script.style.string(text);
        let mut lines = Vec::new();
        for Parameter { name, kind } in &tool.parameters {
            lines.push(match kind {
                Kind::Handle { source, .. } => {
                    format!("const {name} = handleIn(args, {}, {});", string(name), string(source))
                }
                Kind::Text(default) => {
                    format!("const {name} = String(Reflect.get(args ?? {{}}, {}) ?? {default});", string(name))
                }
                Kind::Same(_) => format!("const {name} = args?.{name};"),
            });
        }
        let says = self.says_types();
        let Handed { before, after, first } = self.like.handed(&tool.body, says);
        lines.extend(first);
        lines.extend(tool.body.iter().cloned());
        let answer = create::answer(script, tool, if says { " as const" } else { "" });
        lines.extend(answer.lines().map(str::to_owned));
        let waits = !tool.text_alone || lines.iter().any(|line| line.contains("await "));
        let body: String = lines.iter().map(|line| format!("\t{line}\n")).collect();
        // A type that says less than that of others takes all that theirs takes.
        let of_type = if says { ": object | undefined" } else { "" };
        let takes = !tool.parameters.is_empty();
        let name = if takes { "args" } else { "_args" };
        let before = before.into_iter().filter(|_| takes || !after.is_empty());
        let own = (takes || !after.is_empty()).then(|| format!("{name}{of_type}"));
        let parameters: Vec<String> = before.chain(own).chain(after.iter().cloned()).collect();
        format!("{}({}) => {{\n{body}}}", if waits { "async " } else { "" }, parameters.join(", "))
    }

    /// Whether a function in the table has to say the types of its parameters itself.
    fn says_types(&self) -> bool {
        let function = self.like.function;
        let inline = span(self.own).contains(span(function.node));
        function.script.typed() && (inline && is_annotated(function) || !is_contextual(self.own))
    }
}

/// Whether what stands around an entry of a table says of what type its functions are.
fn is_contextual(entry: Node<'_>) -> bool {
    let transparent =
        ["pair", "object", "array", "arguments", "call_expression", "as_expression", "satisfies_expression"];
    std::iter::successors(entry.parent(), Node::parent)
        .take_while(|node| transparent.contains(&node.kind()) || node.kind() == "variable_declarator")
        .any(|node| match node.kind() {
            "variable_declarator" => node.child_by_field_name("type").is_some(),
            "arguments" | "satisfies_expression" => true,
            _ => false,
        })
}

fn is_shorthand(node: Node<'_>) -> bool {
    node.kind() == "shorthand_property_identifier"
}

/// The entry of a table in the same file that names a function: `{ add: addItem }`, `{ add }`.
fn named_entry<'s>(function: Code<'s>) -> Option<(Code<'s>, Node<'s>)> {
    let script = function.script;
    let name = match function.node.kind() {
        "function_declaration" => function.node.child_by_field_name("name")?,
        _ => function.node.parent().filter(|own| own.kind() == "variable_declarator")?.child_by_field_name("name")?,
    };
    mentions(script, script.tree.root_node(), script.of(name)).into_iter().find_map(|used| {
        let own = if is_shorthand(used) { used } else { used.parent().filter(|parent| parent.kind() == "pair")? };
        own.parent().filter(|table| table.kind() == "object").map(|table| (function.to(table), own))
    })
}

/// A property beside another.
fn beside_pair(script: &Script, place: Node<'_>, before: bool, text: &str) -> Change {
    let (newline, indent) = (script.style.newline, script.indentation(place));
    let text = script.indented(&script.style.dress(text), indent);
    if before {
        let start = script.with_comments(place);
        return script.change(Span::new(start, start), format!("{text},{newline}{indent}"));
    }
    script.change(Span::new(place.end_byte(), place.end_byte()), format!(",{newline}{indent}{text}"))
}
