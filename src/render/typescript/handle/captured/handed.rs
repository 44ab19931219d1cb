//! State that was made beside the server is made by a tool now: the parameters that took it go, with all that handed it on.

use tree_sitter::Node;

use super::super::edits::Edits;
use super::super::reach;
use super::record::Record;
use super::types::{self, Typed};
use super::{last, members};
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::captured::Captured;
use crate::plan::handle::handed::Handed;
use crate::render::Refused;
use crate::render::typescript::imports;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, children, enclosing_function, is_function, span};
use crate::render::typescript::scripts::{Code, Scripts, declaration, is_declared};

/// A parameter, or the variable that it is made for, whose function registers tools that use the state.
#[derive(Clone, Copy)]
pub struct Parameter<'a> {
    /// The file.
    pub script: &'a Script,
    /// The name at its declaration.
    pub name: Node<'a>,
    /// The function.
    pub function: Node<'a>,
}

/// What a tool makes the state of.
pub struct First<'a> {
    /// The code, for the file with the tools.
    pub text: String,
    /// The expression as it stands.
    pub made: Node<'a>,
    /// The file it stands in.
    pub maker: &'a Script,
    /// Names that the code needs: where they come from.
    pub needs: Vec<(String, String)>,
}

/// The parameters that tools use, by file: in each of them they have one name.
pub fn parameters<'a>(
    captured: &Captured,
    handed: &Handed,
    scripts: &'a Scripts<'a>,
) -> Result<Vec<Vec<Parameter<'a>>>, Refused> {
    let mut out: Vec<Vec<Parameter<'a>>> = Vec::new();
    for site in handed.parameters.iter().chain(&handed.variable) {
        let (script, name) = name_at(scripts, site)?;
        let function =
            enclosing_function(name).ok_or_else(|| script.refuse(name, "it belongs to no function", "run again"))?;
        let within = |carried: &Site| carried.path == site.path && span(function).contains(carried.span);
        if !captured.carriers.iter().any(|carrier| within(&carrier.function)) {
            continue;
        }
        let own = Parameter { script, name, function };
        match out.iter_mut().find(|known| known[0].script.path == script.path) {
            Some(known) if known[0].script.of(known[0].name) != script.of(name) => {
                return Err(script.refuse(
                    name,
                    "it has several names in this file",
                    "call it by one name, and run again",
                ));
            }
            Some(known) => known.push(own),
            None => out.push(vec![own]),
        }
    }
    // The store is declared where the first tool is registered that is handed the state: what makes it imports that file already.
    let takes = |path: &str| handed.parameters.iter().any(|site| site.path == path);
    let mut homes = captured.tools.iter().map(|tool| tool.registration.path.as_str());
    let home = homes.find(|path| takes(path)).map(str::to_owned);
    out.sort_by_key(|own| Some(own[0].script.path.clone()) != home);
    Ok(out)
}

fn name_at<'a>(scripts: &'a Scripts<'a>, site: &Site) -> Result<(&'a Script, Node<'a>), Refused> {
    let script = scripts.of(site)?;
    let kinds = |node: &Node<'_>| matches!(node.kind(), "identifier" | "shorthand_property_identifier_pattern");
    let name = script.around(site.span).filter(kinds);
    let root = script.tree.root_node();
    Ok((script, name.ok_or_else(|| script.refuse(root, "a declaration was not found", "run again"))?))
}

/// The state's type as the file with the tools writes it.
pub fn ty(
    scripts: &Scripts<'_>,
    first: Option<&First<'_>>,
    parameter: &Parameter<'_>,
) -> Result<Option<Typed>, Refused> {
    let script = parameter.script;
    if !script.typed() {
        return Ok(None);
    }
    let around = parameter.name.parent();
    match around.map(|around| (around, around.kind())) {
        Some((declarator, "variable_declarator")) if class(first).is_none() => {
            return types::of(scripts, script, declarator).map(Some);
        }
        Some((pattern, "object_pattern")) => {
            let written = pattern.parent().and_then(|whole| whole.child_by_field_name("type"));
            let member = written.and_then(|ty| members::written(scripts, script, ty, script.of(parameter.name)));
            if let Some(member) = member {
                return Ok(Some(Typed::Text(member)));
            }
        }
        _ => {}
    }
    let declared = parameter.name.parent().filter(|parent| parent.kind() == "required_parameter");
    let written = declared.and_then(|parent| parent.child_by_field_name("type"));
    let generic = parameter.function.child_by_field_name("type_parameters").is_some();
    if let Some(written) = written.and_then(|ty| children(ty).first().copied()).filter(|_| !generic) {
        let plain = matches!(written.kind(), "type_identifier" | "generic_type" | "object_type" | "array_type");
        return match plain {
            true => Ok(Some(Typed::Text(script.of(written).to_owned()))),
            false => Err(script.refuse(written, "its type is more than a name", "declare the type, and name it here")),
        };
    }
    let unknown = || script.refuse(parameter.name, "its type can't be told here", "write its type at the parameter");
    class(first).map(|class| Some(Typed::Text(class))).ok_or_else(unknown)
}

/// The class that the state is made an object of, with its type arguments.
fn class(first: Option<&First<'_>>) -> Option<String> {
    let first = first?;
    let class = first.made.child_by_field_name("constructor").filter(|_| first.made.kind() == "new_expression");
    let class = class.filter(|class| class.kind() == "identifier")?;
    let arguments = first.made.child_by_field_name("type_arguments").map(|list| first.maker.of(list));
    Some(format!("{}{}", first.maker.of(class), arguments.unwrap_or_default()))
}

/// The code that makes the state, for another place: it must mean the same there.
pub fn first<'a>(
    captured: &Captured,
    handed: &Handed,
    scripts: &'a Scripts<'a>,
    script: &Script,
) -> Result<First<'a>, Refused> {
    let (maker, node) = scripts.expression(&handed.made)?;
    let made = types::inner(node);
    if made.kind() != "call_expression" && made.kind() != "new_expression" {
        types::plain(maker, made)?;
    }
    if captured.object && made.kind() == "new_expression" && maker.of(made).contains("//") {
        return Err(maker.refuse(made, "there are comments in what makes it", "write it without, and run again"));
    }
    let mut out = First { text: String::new(), made, maker, needs: Vec::new() };
    out.text = out.moved(scripts, script, made, 0)?;
    Ok(out)
}

impl First<'_> {
    /// The text of an expression, with what it depends on.
    fn moved(&mut self, scripts: &Scripts<'_>, script: &Script, code: Node<'_>, depth: u32) -> Result<String, Refused> {
        let maker = self.maker;
        let refused = |node: Node<'_>| {
            maker.refuse(
                node,
                "it is made of something that belongs to one session, or that the file with the tools does not have",
                "make it by `new` and the name of its class, of nothing that belongs to one session",
            )
        };
        let mut swaps: Vec<(Span, String)> = Vec::new();
        let mut stack = vec![code];
        while let Some(node) = stack.pop() {
            match node.kind() {
                "this" | "await_expression" | "yield_expression" | "comment" => return Err(refused(node)),
                "identifier" | "shorthand_property_identifier" | "type_identifier" => {
                    let own = scope::binding(maker, node, maker.of(node));
                    match own {
                        Some(own) if span(code).contains(span(own)) => {}
                        Some(own) if own.kind() != "program" => {
                            let value = constant(maker, node).filter(|value| depth < 2 && is_random(maker, *value));
                            let value = value.ok_or_else(|| refused(node))?;
                            let text = self.moved(scripts, script, value, depth + 1)?;
                            let shorthand = node.kind() == "shorthand_property_identifier";
                            let text = if shorthand { format!("{}: {text}", maker.of(node)) } else { text };
                            swaps.push((span(node), text));
                        }
                        _ => self.need(scripts, script, node).ok_or_else(|| refused(node))?,
                    }
                }
                _ => stack.extend(children(node)),
            }
        }
        swaps.sort_by_key(|(span, _)| span.start);
        let mut text = String::new();
        let mut from = code.start_byte();
        for (span, new) in swaps {
            text.push_str(&maker.text()[from..span.start as usize]);
            text.push_str(&new);
            from = span.end as usize;
        }
        text.push_str(&maker.text()[from..code.end_byte()]);
        Ok(text)
    }

    /// A name of the file that makes it, or of the platform.
    fn need(&mut self, scripts: &Scripts<'_>, script: &Script, node: Node<'_>) -> Option<()> {
        let maker = self.maker;
        let name = maker.of(node);
        if maker.path == script.path {
            return Some(());
        }
        let Some(found) = declaration(Code { script: maker, node }, name) else {
            // What the platform has must not be something else there.
            return (!is_declared(script, name)).then_some(());
        };
        let (source, exported) = imported(maker, found.node)?;
        if exported != name {
            return None;
        }
        let home = scripts.resolve(&maker.path, &source);
        if home.as_deref() == Some(script.path.as_str()) {
            return is_declared(script, name).then_some(());
        }
        let source = match home {
            Some(path) => reach::specifier(script, &path),
            None if source.starts_with('.') => return None,
            None => source,
        };
        if imports::local_name(script, &source, name).is_none() && is_declared(script, name) {
            return None;
        }
        let need = (source, name.to_owned());
        if !self.needs.contains(&need) {
            self.needs.push(need);
        }
        Some(())
    }
}

/// Where a name comes from, and what it is called there.
fn imported(script: &Script, found: Node<'_>) -> Option<(String, String)> {
    if found.kind() == "import_specifier" {
        let statement =
            std::iter::successors(Some(found), Node::parent).find(|node| node.kind() == "import_statement")?;
        let source = script.of(statement.child_by_field_name("source")?).trim_matches(['\'', '"']);
        let alias = found.child_by_field_name("alias");
        let name = found.child_by_field_name("name").filter(|_| alias.is_none())?;
        return Some((source.to_owned(), script.of(name).to_owned()));
    }
    let declarator = Some(found).filter(|node| node.kind() == "variable_declarator")?;
    let pattern = declarator.child_by_field_name("name").filter(|name| name.kind() == "object_pattern")?;
    let call = declarator.child_by_field_name("value").filter(|value| value.kind() == "call_expression")?;
    let source = children(call.child_by_field_name("arguments")?).first().copied()?;
    let required = script.of(call.child_by_field_name("function")?) == "require" && source.kind() == "string";
    let names = children(pattern);
    let only =
        names.first().filter(|only| names.len() == 1 && only.kind() == "shorthand_property_identifier_pattern")?;
    required.then(|| (script.of(source).trim_matches(['\'', '"']).to_owned(), script.of(*only).to_owned()))
}

/// The value of a constant of a function.
fn constant<'t>(script: &'t Script, used: Node<'t>) -> Option<Node<'t>> {
    let name = scope::declaration(script, used, script.of(used))?;
    let declarator = name.parent().filter(|parent| parent.kind() == "variable_declarator")?;
    let list = declarator.parent()?;
    let value = declarator.child_by_field_name("value")?;
    script.of(list).starts_with("const").then_some(value)
}

/// Whether an expression is a random text, which another one can stand for.
fn is_random(script: &Script, value: Node<'_>) -> bool {
    let callee = value.child_by_field_name("function").filter(|_| value.kind() == "call_expression");
    let plain = value.child_by_field_name("arguments").is_some_and(|list| children(list).is_empty());
    plain
        && callee.is_some_and(|callee| {
            let name = script.of(callee);
            let own = name.rsplit('.').next().unwrap_or(name);
            matches!(own, "randomUUID" | "nanoid") && (own == name || name.ends_with("crypto.randomUUID"))
        })
}

/// Takes out what made the state and handed it on, in all files.
pub fn take_out(record: &Record<'_>, handed: &Handed, edits: &mut Edits) -> Result<(), Refused> {
    let scripts = record.scripts;
    let mut gone = Vec::new();
    for site in &handed.parameters {
        let (script, name) = name_at(scripts, site)?;
        gone.extend(parameter(scripts, script, name, edits)?);
    }
    for site in &handed.arguments {
        let (script, node) = scripts.expression(site)?;
        argument(script, node, edits)?;
    }
    let mut keys: Vec<String> = Vec::new();
    for site in &handed.kept {
        let (script, node) = entry(scripts, site)?;
        let object = node.parent().unwrap_or(node);
        let given = object.parent().is_some_and(|parent| parent.kind() == "arguments");
        let alone = children(object).len() == 1;
        if given && alone != gone.contains(&true) {
            return Err(script.refuse(
                object,
                "these options and the pattern that takes them do not have the same entries",
                "hand over what is taken, and run again",
            ));
        }
        if given && alone {
            argument(script, object, edits)?;
            continue;
        }
        if !given {
            let key = node.child_by_field_name("key").unwrap_or(node);
            keys.push(script.of(key).to_owned());
        }
        edits.cut(script, of_list(script, node)?);
    }
    members::of_tables(scripts, handed, &keys, edits)?;
    if let Some(site) = &handed.variable {
        let (script, name) = name_at(scripts, site)?;
        edits.cut(script, script.removal(alone(script, name)?));
    }
    last::take_out(record, handed, edits)?;
    for site in &handed.taken {
        let (script, name) = name_at(scripts, site)?;
        if edits.covers(&script.path, span(name)) {
            continue;
        }
        match name.parent() {
            Some(pattern) if pattern.kind() == "object_pattern" && children(pattern).len() > 1 => {
                edits.cut(script, of_list(script, name)?);
            }
            _ => edits.cut(script, script.removal(alone(script, name)?)),
        }
    }
    Ok(())
}

/// The statement that declares a variable and nothing else.
fn alone<'t>(script: &Script, name: Node<'t>) -> Result<Node<'t>, Refused> {
    let declarator =
        std::iter::successors(name.parent(), Node::parent).take(2).find(|node| node.kind() == "variable_declarator");
    let list = declarator.and_then(|node| node.parent()).filter(|list| children(*list).len() == 1);
    let list = list.filter(|list| matches!(list.kind(), "lexical_declaration" | "variable_declaration"));
    list.ok_or_else(|| {
        script.refuse(name, "its declaration is shared with others", "declare it in a statement of its own")
    })
}

/// The entry of an object literal that a value is, or belongs to.
fn entry<'a>(scripts: &'a Scripts<'a>, site: &Site) -> Result<(&'a Script, Node<'a>), Refused> {
    let script = scripts.of(site)?;
    let node = script.around(site.span);
    let own = node.and_then(|node| match node.kind() {
        "shorthand_property_identifier" => Some(node),
        _ => std::iter::successors(Some(node), Node::parent).take(3).find(|node| node.kind() == "pair"),
    });
    let root = script.tree.root_node();
    Ok((script, own.ok_or_else(|| script.refuse(root, "an entry of an object was expected", "run again"))?))
}

/// Takes a parameter out, or its name out of a pattern. Answers for a pattern whether nothing is left of it.
fn parameter<'a>(
    scripts: &'a Scripts<'a>,
    script: &'a Script,
    name: Node<'a>,
    edits: &mut Edits,
) -> Result<Option<bool>, Refused> {
    let refused = |node: Node<'_>| script.refuse(node, "this parameter can't be taken out", "make the state inside");
    let function = enclosing_function(name).ok_or_else(|| refused(name))?;
    let typed = function.parent().filter(|parent| parent.kind() == "variable_declarator");
    if typed.is_some_and(|declarator| declarator.child_by_field_name("type").is_some())
        || !is_function(function)
        || script.of(function).contains("arguments[")
    {
        return Err(refused(function));
    }
    let mut whole = name;
    let mut pattern = None;
    while let Some(parent) = whole.parent().filter(|parent| parent.kind() != "formal_parameters" && *parent != function)
    {
        match parent.kind() {
            "object_pattern" if pattern.is_none() => pattern = Some(parent),
            "required_parameter" | "assignment_pattern" => {}
            _ => return Err(refused(name)),
        }
        whole = parent;
    }
    match pattern {
        Some(pattern) if children(pattern).len() > 1 => {
            edits.cut(script, of_list(script, name)?);
            if let Some(ty) = whole.child_by_field_name("type") {
                members::of_type(scripts, script, ty, script.of(name), edits)?;
            }
            return Ok(Some(false));
        }
        _ => {}
    }
    match function.child_by_field_name("parameter") {
        Some(only) => edits.replace(script, span(only), "()"),
        None => edits.cut(script, of_list(script, whole)?),
    }
    Ok(pattern.map(|_| true))
}

/// Takes an argument out.
fn argument(script: &Script, node: Node<'_>, edits: &mut Edits) -> Result<(), Refused> {
    let whole = std::iter::successors(Some(node), Node::parent)
        .take(3)
        .find(|node| node.parent().is_some_and(|parent| parent.kind() == "arguments"));
    let whole = whole.ok_or_else(|| script.refuse(node, "an argument was expected here", "run again"))?;
    edits.cut(script, of_list(script, whole)?);
    Ok(())
}

/// An element of a list with the comma that goes with it.
pub fn of_list(script: &Script, node: Node<'_>) -> Result<Span, Refused> {
    let list = node.parent().unwrap_or(node);
    let mut cursor = list.walk();
    if list.named_children(&mut cursor).any(|child| child.kind() == "comment") {
        return Err(script.refuse(list, "there are comments in this list", "write them above, and run again"));
    }
    Ok(match (node.prev_named_sibling(), node.next_named_sibling()) {
        (_, Some(next)) => Span::new(node.start_byte(), next.start_byte()),
        (Some(previous), None) => Span::new(previous.end_byte(), node.end_byte()),
        (None, None) => {
            let comma = script.text()[node.end_byte()..list.end_byte()].trim_start().starts_with(',');
            if comma || matches!(list.kind(), "arguments" | "formal_parameters") {
                Span::new(list.start_byte() + 1, list.end_byte() - 1)
            } else {
                span(node)
            }
        }
    })
}

/// A name that a file imports as a type alone is imported as a value as well. Whether it is one of those.
pub fn as_value(script: &Script, source: &str, name: &str, edits: &mut Edits) -> bool {
    for statement in children(script.tree.root_node()) {
        let from = statement.child_by_field_name("source").map(|from| script.of(from).trim_matches(['\'', '"']));
        if statement.kind() != "import_statement" || from != Some(source) {
            continue;
        }
        let mut specifiers = Vec::new();
        let mut stack = children(statement);
        while let Some(node) = stack.pop() {
            match node.kind() {
                "import_specifier" => specifiers.push(node),
                _ => stack.extend(children(node)),
            }
        }
        let of = |node: &Node<'_>| node.child_by_field_name("name").is_some_and(|own| script.of(own) == name);
        let Some(own) = specifiers.iter().find(|node| of(node)) else { continue };
        let word = |at: usize| Span::new(at, at + "type ".len());
        if script.of(*own).starts_with("type ") {
            edits.cut(script, word(own.start_byte()));
            return true;
        }
        if let Some(rest) = script.of(statement).strip_prefix("import type ") {
            edits.cut(script, word(statement.end_byte() - rest.len() - "type ".len()));
            for other in specifiers.iter().filter(|other| *other != own) {
                edits.insert(script, other.start_byte(), "type ");
            }
            return true;
        }
    }
    false
}
