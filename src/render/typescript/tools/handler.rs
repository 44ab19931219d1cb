//! The parameters of a handler: the arguments of the call, and the SDK's context.

use tree_sitter::Node;

use super::literal::{applied, push_front};
use super::schema::key;
use super::{Context, sdk, types};
use crate::model::facts::Span;
use crate::render::typescript::script::{Script, children, span};
use crate::render::typescript::scripts::{Code, binds, mentions};
use crate::render::{Change, Refused};

/// What a handler is given so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// The arguments of the call, then the context.
    Arguments,
    /// The context alone: the tool has no schema.
    ContextAlone,
}

/// A handler with its parameters changed.
pub struct Given {
    /// The changes.
    pub changes: Vec<Change>,
    /// How its code names the argument.
    pub name: String,
    /// How it names who is calling, where that was asked for.
    pub auth: Option<String>,
}

/// What is asked of a handler.
pub struct Wish<'a> {
    /// What it is given so far.
    pub takes: Takes,
    /// The argument's name.
    pub argument: &'a str,
    /// Callers may leave it out.
    pub optional: bool,
    /// The handler's own variable of that name goes.
    pub frees: bool,
    /// What becomes of the context.
    pub context: &'a Context,
    /// A schema that has the argument by now.
    pub constant: Option<&'a str>,
    /// Its parameters get their types from the call that it stands in.
    pub typed_by_call: bool,
    /// How many parameters before the arguments go.
    pub leading: usize,
    /// What takes all arguments may take the handle along.
    pub whole: bool,
}

/// The list of parameters while it is changed.
struct Parameters<'s> {
    function: Code<'s>,
    /// The list, or the only parameter of an arrow function without brackets.
    whole: Node<'s>,
    nodes: Vec<Node<'s>>,
}

impl<'s> Parameters<'s> {
    fn of(function: Code<'s>) -> Result<Self, Refused> {
        if let Some(list) = function.node.child_by_field_name("parameters") {
            return Ok(Self { function, whole: list, nodes: children(list) });
        }
        let single = function.node.child_by_field_name("parameter").ok_or_else(|| {
            function.refuse("the handler has no parameters that can be changed", "give it the handle by hand")
        })?;
        Ok(Self { function, whole: single, nodes: vec![single] })
    }

    fn text(&self, node: Node<'_>) -> String {
        self.function.script.of(node).to_owned()
    }

    /// The change that makes these the parameters.
    fn rewritten(&self, texts: &[String]) -> Vec<Change> {
        let script = self.function.script;
        if texts.len() == self.nodes.len() && texts.iter().zip(&self.nodes).all(|(text, node)| text == script.of(*node))
        {
            return Vec::new();
        }
        if self.whole.kind() != "formal_parameters" {
            return vec![script.change(span(self.whole), format!("({})", texts.join(", ")))];
        }
        let (Some(first), Some(last)) = (self.nodes.first(), self.nodes.last()) else {
            let inside = Span::new(self.whole.start_byte() + 1, self.whole.end_byte() - 1);
            return vec![script.change(inside, texts.join(", "))];
        };
        let own_lines = script.text()[self.whole.start_byte()..first.start_byte()].contains('\n');
        let glue =
            if own_lines { format!(",{}{}", script.style.newline, script.indentation(*first)) } else { ", ".into() };
        if texts.is_empty() {
            return vec![script.change(Span::new(self.whole.start_byte() + 1, self.whole.end_byte() - 1), "")];
        }
        vec![script.change(Span::new(first.start_byte(), last.end_byte()), texts.join(&glue))]
    }
}

/// The pattern of a parameter.
pub fn pattern(parameter: Node<'_>) -> Node<'_> {
    parameter.child_by_field_name("pattern").unwrap_or(parameter)
}

/// Gives a handler the argument.
pub fn add(function: Code<'_>, wish: &Wish<'_>) -> Result<Given, Refused> {
    let parameters = Parameters::of(function)?;
    let script = function.script;
    let arguments = match wish.takes {
        Takes::Arguments => parameters.nodes.get(wish.leading).copied(),
        Takes::ContextAlone => None,
    };
    let first = match arguments {
        Some(node) => extended(function, node, wish)?,
        None => {
            let (pattern, name) = fresh(function, wish);
            let needs_type = script.typed() && !wish.typed_by_call;
            let of_type = if needs_type {
                format!(": {}", types::alone(script, wish.argument, wish.optional))
            } else {
                String::new()
            };
            More { text: format!("{pattern}{of_type}"), name, elsewhere: Vec::new() }
        }
    };
    let index = wish.leading + usize::from(arguments.is_some());
    let (context, auth) = contexts(&parameters, index, wish.context, wish.typed_by_call)?;
    let mut texts = vec![first.text];
    texts.extend(context);
    let mut changes = parameters.rewritten(&texts);
    changes.extend(first.elsewhere);
    Ok(Given { changes, name: first.name, auth })
}

/// Sees to the context of a handler alone; it is the parameter at `index`. So many parameters before the arguments go.
pub fn context(
    function: Code<'_>,
    (leading, index): (usize, usize),
    wish: &Context,
    typed_by_call: bool,
) -> Result<(Vec<Change>, Option<String>), Refused> {
    let parameters = Parameters::of(function)?;
    let script = function.script;
    let before = parameters.nodes.iter().take(index).skip(leading);
    let mut texts: Vec<String> = before.map(|node| parameters.text(*node)).collect();
    let mut index = index;
    if texts.len() < index - leading {
        if !wish.owner {
            return Ok((Vec::new(), None));
        }
        let unused = "_args".to_owned();
        let of_type = if script.typed() && !typed_by_call { ": unknown" } else { "" };
        texts.resize(index - leading, format!("{unused}{of_type}"));
        index = parameters.nodes.len();
    }
    let (context, auth) = contexts(&parameters, index, wish, typed_by_call)?;
    texts.extend(context);
    Ok((parameters.rewritten(&texts), auth))
}

/// A pattern that takes the argument alone, and the name that it gives it.
fn fresh(function: Code<'_>, wish: &Wish<'_>) -> (String, String) {
    let name = local_name(function, wish);
    (format!("{{ {} }}", bound(function.script, wish.argument, &name)), name)
}

fn bound(script: &Script, argument: &str, name: &str) -> String {
    if argument == name { name.to_owned() } else { format!("{}: {name}", key(script, argument)) }
}

/// A name for the argument that nothing in the handler has already.
fn local_name(function: Code<'_>, wish: &Wish<'_>) -> String {
    let argument = wish.argument;
    if wish.frees {
        return argument.to_owned();
    }
    let plain: String = camel(argument);
    let candidates = [argument.to_owned(), plain.clone(), format!("{plain}Handle"), format!("{plain}Argument")];
    let usable = |name: &&String| {
        name.chars().all(|char| char.is_alphanumeric() || char == '_')
            && mentions(function.script, function.node, name).is_empty()
    };
    candidates.iter().find(usable).cloned().unwrap_or(plain)
}

/// A name in words with hyphens or underscores as one with capitals.
pub fn camel(name: &str) -> String {
    let mut out = String::new();
    for (index, word) in name.split(['-', '_']).enumerate() {
        match (index, word.chars().next()) {
            (1.., Some(first)) => {
                out.extend(first.to_uppercase());
                out.push_str(&word[first.len_utf8()..]);
            }
            _ => out.push_str(word),
        }
    }
    out
}

/// The parameter of the arguments with one more.
struct More {
    /// Its text.
    text: String,
    /// How the handler's code names the argument.
    name: String,
    /// Changes elsewhere: of a type that is declared by name.
    elsewhere: Vec<Change>,
}

fn extended<'s>(function: Code<'s>, parameter: Node<'s>, wish: &Wish<'_>) -> Result<More, Refused> {
    let script = function.script;
    let inner = pattern(parameter);
    let body = function.node.child_by_field_name("body");
    let mut changes = Vec::new();
    let name = match inner.kind() {
        "object_pattern" => {
            let name = local_name(function, wish);
            changes.extend(push_front(script, inner, &bound(script, wish.argument, &name)));
            name
        }
        "identifier" if body.is_some_and(|body| mentions(script, body, script.of(inner)).is_empty()) => {
            let (text, name) = fresh(function, wish);
            changes.push(script.change(span(inner), text));
            name
        }
        "identifier" if !wish.whole && body.is_some_and(|body| is_used_whole(script, body, script.of(inner))) => {
            // What takes all arguments must not take the handle along.
            let name = local_name(function, wish);
            let text = format!("{{ {}, ...{} }}", bound(script, wish.argument, &name), script.of(inner));
            changes.push(script.change(span(inner), text));
            name
        }
        "identifier" => {
            let key = key(script, wish.argument);
            let written = script.of(inner);
            if key == wish.argument { format!("{written}.{key}") } else { format!("{written}[{key}]") }
        }
        _ => {
            return Err(script.refuse(
                parameter,
                "the handler takes its arguments in a way that the handle can't be added to",
                "let it take them as an object, and run again",
            ));
        }
    };
    if let Some(annotation) = parameter.child_by_field_name("type") {
        changes.extend(types::extend(function.to(annotation), wish.argument, wish.optional, wish.constant)?);
    }
    let within = span(parameter);
    let (inside, elsewhere) = changes.into_iter().partition(|change: &Change| within.contains(change.span));
    Ok(More { text: applied(script, within, inside), name, elsewhere })
}

/// Whether the arguments are used as one value, and not only one by one.
pub fn is_used_whole(script: &Script, body: Node<'_>, name: &str) -> bool {
    mentions(script, body, name).iter().any(|used| {
        let parent = used.parent();
        parent.is_none_or(|parent| {
            let member = matches!(parent.kind(), "member_expression" | "subscript_expression")
                && parent.child_by_field_name("object") == Some(*used);
            let taken_apart = parent.kind() == "variable_declarator"
                && parent.child_by_field_name("value") == Some(*used)
                && parent.child_by_field_name("name").is_some_and(|pattern| {
                    pattern.kind() == "object_pattern"
                        && children(pattern).iter().all(|entry| entry.kind() != "rest_pattern")
                });
            !member && !taken_apart
        })
    })
}

/// The parameters from the context on, and how the handler names who is calling.
fn contexts(
    parameters: &Parameters<'_>,
    index: usize,
    wish: &Context,
    typed_by_call: bool,
) -> Result<(Vec<String>, Option<String>), Refused> {
    let script = parameters.function.script;
    let Some(node) = parameters.nodes.get(index).copied() else {
        if !wish.owner {
            return Ok((Vec::new(), None));
        }
        return Ok(added_context(parameters, typed_by_call));
    };
    let mut rest: Vec<String> = parameters.nodes[index + 1..].iter().map(|node| parameters.text(*node)).collect();
    let inner = pattern(node);
    let (text, auth) = match inner.kind() {
        "identifier" => {
            let name = script.of(inner);
            let goes = wish.gone.iter().any(|gone| gone == name) && !wish.owner && rest.is_empty();
            let optional = if node.kind() == "optional_parameter" { "?" } else { "" };
            let auth = if sdk::is_second(script) {
                format!("{name}{optional}.http?.authInfo")
            } else {
                format!("{name}{optional}.authInfo")
            };
            ((!goes).then(|| parameters.text(node)), Some(auth))
        }
        "object_pattern" => destructured(script, node, inner, wish),
        _ if wish.owner || !wish.gone.is_empty() => {
            return Err(script.refuse(
                node,
                "the handler takes the SDK's context in a way that can't be changed",
                "let it take the context as a plain parameter, and run again",
            ));
        }
        _ => (Some(parameters.text(node)), None),
    };
    let mut out: Vec<String> = text.into_iter().collect();
    out.append(&mut rest);
    Ok((out, auth.filter(|_| wish.owner)))
}

/// A context parameter where there is none.
fn added_context(parameters: &Parameters<'_>, typed_by_call: bool) -> (Vec<String>, Option<String>) {
    let script = parameters.function.script;
    let second = sdk::is_second(script);
    let plain = if second { "ctx" } else { "extra" };
    let names = [plain, "context", "toolContext"];
    let free = |name: &&&str| mentions(script, parameters.function.node, name).is_empty();
    let name = names.iter().find(free).copied().unwrap_or("toolContext");
    let of_type = match (script.typed() && !typed_by_call, second) {
        (false, _) => "",
        (true, false) => ": { authInfo?: Parameters<typeof ownerOf>[0] }",
        (true, true) => ": { http?: { authInfo?: Parameters<typeof ownerOf>[0] } }",
    };
    let auth = if second { format!("{name}.http?.authInfo") } else { format!("{name}.authInfo") };
    (vec![format!("{name}{of_type}")], Some(auth))
}

/// A context that is taken apart where it arrives: what is gone goes, and who is calling comes.
fn destructured(script: &Script, node: Node<'_>, inner: Node<'_>, wish: &Context) -> (Option<String>, Option<String>) {
    let wanted = if sdk::is_second(script) { "http" } else { "authInfo" };
    let is_gone = |entry: &Node<'_>| wish.gone.iter().any(|gone| binds(script, *entry, gone).is_some());
    let entries = children(inner);
    let known = entries.iter().find_map(|entry| bound_as(script, *entry, wanted));
    let mut kept: Vec<String> =
        entries.iter().filter(|entry| !is_gone(entry)).map(|entry| script.of(*entry).to_owned()).collect();
    if wish.owner && known.is_none() {
        kept.push(wanted.to_owned());
    }
    let name = known.unwrap_or_else(|| wanted.to_owned());
    let auth = if wanted == "http" { format!("{name}?.authInfo") } else { name };
    if kept.is_empty() {
        return (None, Some(auth));
    }
    let same = kept.len() == entries.len() && !entries.iter().any(is_gone);
    if same && (!wish.owner || kept.iter().all(|entry| script.of(inner).contains(entry.as_str()))) {
        return (Some(script.of(node).to_owned()), Some(auth));
    }
    let mut changes = vec![script.change(span(inner), format!("{{ {} }}", kept.join(", ")))];
    if let Some(members) = node.child_by_field_name("type").and_then(|annotation| children(annotation).first().copied())
        && members.kind() == "object_type"
    {
        changes.extend(retyped(script, members, wish, wanted));
    }
    (Some(applied(script, span(node), changes)), Some(auth))
}

/// What a property of the context is bound as.
fn bound_as(script: &Script, entry: Node<'_>, wanted: &str) -> Option<String> {
    match entry.kind() {
        "shorthand_property_identifier_pattern" => (script.of(entry) == wanted).then(|| wanted.to_owned()),
        "pair_pattern" => {
            let key = entry.child_by_field_name("key")?;
            let value = entry.child_by_field_name("value").filter(|value| value.kind() == "identifier")?;
            (script.of(key) == wanted).then(|| script.of(value).to_owned())
        }
        _ => None,
    }
}

/// The type of such a context, written out member by member.
fn retyped(script: &Script, members: Node<'_>, wish: &Context, wanted: &str) -> Vec<Change> {
    let listed = children(members);
    let named = |member: &Node<'_>| member.child_by_field_name("name").map(|name| script.of(name));
    let mut kept: Vec<String> = listed
        .iter()
        .filter(|member| !wish.gone.iter().any(|gone| named(member) == Some(gone.as_str())))
        .map(|member| script.of(*member).to_owned())
        .collect();
    if wish.owner && !listed.iter().any(|member| named(member) == Some(wanted)) {
        let own = "authInfo?: Parameters<typeof ownerOf>[0]";
        kept.push(if wanted == "http" { format!("http?: {{ {own} }}") } else { own.to_owned() });
    }
    vec![script.change(span(members), format!("{{ {} }}", kept.join("; ")))]
}
