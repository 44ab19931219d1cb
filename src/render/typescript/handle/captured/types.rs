//! The types of captured variables: as written, or by their first values, and only of plain data.

use tree_sitter::Node;

use crate::render::Refused;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, span};
use crate::render::typescript::scripts::{Code, Scripts, declaration};

/// Types that come with the language and hold nothing but data.
const BUILT_IN: &[&str] = &[
    "Map",
    "Set",
    "Record",
    "Array",
    "ReadonlyArray",
    "ReadonlyMap",
    "ReadonlySet",
    "Partial",
    "Required",
    "Readonly",
    "Pick",
    "Omit",
    "Date",
    "Uint8Array",
];

/// A type.
#[derive(Clone, Debug)]
pub enum Typed {
    /// As text.
    Text(String),
    /// Of an object literal: its members.
    Members(Vec<String>),
}

impl Typed {
    /// As text.
    pub fn text(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Members(members) => format!("{{ {} }}", members.join("; ")),
        }
    }
}

/// An expression without parentheses and casts around it.
pub fn inner(node: Node<'_>) -> Node<'_> {
    if node.kind() == "await_expression" { node } else { bare(node) }
}

/// The type of a variable that an object of a class (or what a function answers) is made for, and the arguments that it is made of:
/// these must mean the same wherever a tool makes one.
pub fn object(script: &Script, declarator: Node<'_>, factory: Node<'_>) -> Result<Option<Typed>, Refused> {
    let refused = |node: Node<'_>| {
        script.refuse(
            node,
            "how this object is made can't be told",
            "make it by `new` and the name of its class, of nothing that belongs to one server",
        )
    };
    let value = declarator.child_by_field_name("value").map(inner).ok_or_else(|| refused(declarator))?;
    let class = match value.kind() {
        "new_expression" => value.child_by_field_name("constructor"),
        "call_expression" => value.child_by_field_name("function"),
        _ => None,
    };
    let class = class.filter(|class| class.kind() == "identifier");
    let class = class.ok_or_else(|| refused(value))?;
    let mut stack = vec![value];
    while let Some(node) = stack.pop() {
        let own = node.kind() == "identifier"
            && scope::binding(script, node, script.of(node)).is_some_and(|scope| span(factory).contains(span(scope)));
        let more = matches!(node.kind(), "this" | "await_expression" | "arrow_function" | "function_expression");
        if own || more || node.kind() == "comment" {
            return Err(refused(node));
        }
        stack.extend(children(node));
    }
    if !script.typed() {
        return Ok(None);
    }
    if let Some(written) = declarator.child_by_field_name("type").and_then(|ty| children(ty).first().copied()) {
        return Ok(Some(Typed::Text(script.of(written).to_owned())));
    }
    let arguments = value.child_by_field_name("type_arguments").map(|list| script.of(list)).unwrap_or_default();
    Ok(Some(Typed::Text(match value.kind() {
        "call_expression" => format!("ReturnType<typeof {}>", script.of(class)),
        _ => format!("{}{arguments}", script.of(class)),
    })))
}

/// Refuses a first value that is more than data, or that has to be waited for.
pub fn plain(script: &Script, value: Node<'_>) -> Result<(), Refused> {
    let mut stack = vec![value];
    while let Some(node) = stack.pop() {
        let why = match node.kind() {
            "await_expression" => "the first value has to be waited for",
            "new_expression" if !is_container(script, node) => "the first value is an object with a life of its own",
            "arrow_function" | "function_expression" | "method_definition" | "this" | "class" => {
                "the first value is more than data"
            }
            _ => {
                stack.extend(children(node));
                continue;
            }
        };
        return Err(script.refuse(node, why, "keep plain data in the variable, and make the rest where it is used"));
    }
    if script.of(value).contains('\n') && holds_comment(value) {
        return Err(script.refuse(value, "there are comments in the first value", "write it without, and run again"));
    }
    Ok(())
}

fn holds_comment(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.kind() == "comment" || node.named_children(&mut cursor).collect::<Vec<_>>().into_iter().any(holds_comment)
}

fn is_container(script: &Script, node: Node<'_>) -> bool {
    node.child_by_field_name("constructor")
        .is_some_and(|name| matches!(script.of(name), "Map" | "Set" | "Date" | "Array" | "Uint8Array"))
}

/// Refuses a first value that a call makes: without types nothing says what it is.
pub fn made_by_a_call(script: &Script, value: Option<Node<'_>>) -> Result<(), Refused> {
    let Some(value) = value else { return Ok(()) };
    let mut stack = vec![value];
    while let Some(node) = stack.pop() {
        if node.kind() == "call_expression" {
            return Err(script.refuse(
                node,
                "what this call makes is not known",
                "write the first value out, and run again",
            ));
        }
        stack.extend(children(node));
    }
    Ok(())
}

/// Refuses assignments of what has to be waited for or is made by a class: without types nothing says what it is.
pub fn assigned(script: &Script, name: Node<'_>) -> Result<(), Refused> {
    scope::uses(script, name).into_iter().try_for_each(|used| assigned_here(script, used))
}

/// The same, for one use.
pub fn assigned_here(script: &Script, used: Node<'_>) -> Result<(), Refused> {
    let assignment = used.parent().filter(|parent| {
        parent.kind().ends_with("assignment_expression") && parent.child_by_field_name("left") == Some(used)
    });
    let Some(value) = assignment.and_then(|assignment| assignment.child_by_field_name("right")) else { return Ok(()) };
    match value.kind() == "await_expression" || value.kind() == "new_expression" && !is_container(script, value) {
        true => Err(script.refuse(
            value,
            "this may be an object with a life of its own, and not plain data",
            "keep plain data in the variable, and make the rest where it is used",
        )),
        false => Ok(()),
    }
}

/// The type of a declared variable.
pub fn of(scripts: &Scripts<'_>, script: &Script, declarator: Node<'_>) -> Result<Typed, Refused> {
    if let Some(written) = declarator.child_by_field_name("type").and_then(|ty| children(ty).first().copied()) {
        known(scripts, script, written)?;
        return Ok(Typed::Text(script.of(written).to_owned()));
    }
    of_value(scripts, script, declarator, declarator.child_by_field_name("value"))
}

/// The type of a first value, where none is written.
pub fn of_value(
    scripts: &Scripts<'_>,
    script: &Script,
    declarator: Node<'_>,
    value: Option<Node<'_>>,
) -> Result<Typed, Refused> {
    let unknown = || {
        script.refuse(declarator, "its type is not written, and can't be told from its first value", "write its type")
    };
    inferred(scripts, script, value.ok_or_else(unknown)?)?.ok_or_else(unknown)
}

/// Refuses a type that is not known to hold only data, or that the top of the file does not know.
fn known(scripts: &Scripts<'_>, script: &Script, written: Node<'_>) -> Result<(), Refused> {
    let mut stack = vec![written];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "type_identifier" if is_data(scripts, script, node) => {}
            "type_identifier" | "nested_type_identifier" | "type_query" | "function_type" => {
                return Err(script.refuse(
                    node,
                    format!("whether `{}` is plain data can't be told", script.of(node)),
                    "keep plain data in the variable, with a type that this package declares beside its functions",
                ));
            }
            _ => stack.extend(children(node)),
        }
    }
    Ok(())
}

fn is_data(scripts: &Scripts<'_>, script: &Script, name: Node<'_>) -> bool {
    let text = script.of(name);
    let Some(found) = declaration(Code { script, node: name }, text) else { return BUILT_IN.contains(&text) };
    if found.node.kind() == "import_specifier" {
        return imported(scripts, script, found.node).is_some();
    }
    is_type(found.node) && is_top(found.node)
}

fn is_type(node: Node<'_>) -> bool {
    matches!(node.kind(), "interface_declaration" | "type_alias_declaration" | "enum_declaration")
}

fn is_top(node: Node<'_>) -> bool {
    node.parent().is_some_and(|parent| matches!(parent.kind(), "program" | "export_statement"))
}

/// A type that another file of the program declares.
fn imported(scripts: &Scripts<'_>, script: &Script, specifier: Node<'_>) -> Option<()> {
    let statement =
        std::iter::successors(Some(specifier), Node::parent).find(|node| node.kind() == "import_statement")?;
    let source = script.of(statement.child_by_field_name("source")?).trim_matches(['\'', '"']);
    let file = scripts.by_path(&scripts.resolve(&script.path, source)?)?;
    let name = script.of(specifier.child_by_field_name("name")?);
    let found = declaration(Code { script: file, node: file.tree.root_node() }, name)?;
    is_type(found.node).then_some(())
}

/// The type of a first value, widened as the compiler does it.
fn inferred(scripts: &Scripts<'_>, script: &Script, value: Node<'_>) -> Result<Option<Typed>, Refused> {
    let text = |text: &str| Ok(Some(Typed::Text(text.to_owned())));
    match value.kind() {
        "number" => text("number"),
        "string" | "template_string" => text("string"),
        "true" | "false" => text("boolean"),
        "unary_expression" | "binary_expression" if is_number(value) => text("number"),
        "parenthesized_expression" => match children(value).first() {
            Some(inner) => inferred(scripts, script, *inner),
            None => Ok(None),
        },
        "as_expression" => {
            let Some(written) = children(value).get(1).copied() else { return Ok(None) };
            known(scripts, script, written)?;
            text(script.of(written))
        }
        "new_expression" => {
            let (Some(made), arguments) =
                (value.child_by_field_name("constructor"), value.child_by_field_name("type_arguments"))
            else {
                return Ok(None);
            };
            match (script.of(made), arguments) {
                ("Date", None) => text("Date"),
                (name @ ("Map" | "Set" | "Array"), Some(arguments)) => {
                    known(scripts, script, arguments)?;
                    text(&format!("{name}{}", script.of(arguments)))
                }
                _ => Ok(None),
            }
        }
        "array" => {
            let mut all: Vec<String> = Vec::new();
            for element in children(value) {
                let Some(ty) = inferred(scripts, script, element)? else { return Ok(None) };
                all.push(ty.text());
            }
            all.dedup();
            match all.as_slice() {
                [only] if !only.contains(' ') => text(&format!("{only}[]")),
                [only] => text(&format!("Array<{only}>")),
                _ => Ok(None),
            }
        }
        "object" => members(scripts, script, value),
        _ => Ok(None),
    }
}

fn members(scripts: &Scripts<'_>, script: &Script, object: Node<'_>) -> Result<Option<Typed>, Refused> {
    let mut out = Vec::new();
    for entry in children(object) {
        let (Some(key), Some(value)) = (entry.child_by_field_name("key"), entry.child_by_field_name("value")) else {
            return Ok(None);
        };
        let Some(ty) = inferred(scripts, script, value)?.filter(|_| key.kind() != "computed_property_name") else {
            return Ok(None);
        };
        out.push(format!("{}: {}", script.of(key), ty.text()));
    }
    Ok((!out.is_empty()).then_some(Typed::Members(out)))
}

fn is_number(value: Node<'_>) -> bool {
    match value.kind() {
        "number" => true,
        "unary_expression" => {
            let sign =
                value.child_by_field_name("operator").is_some_and(|operator| matches!(operator.kind(), "-" | "+"));
            sign && value.child_by_field_name("argument").is_some_and(is_number)
        }
        "binary_expression" => {
            let operator = value.child_by_field_name("operator");
            operator.is_some_and(|operator| matches!(operator.kind(), "*" | "+" | "-" | "/"))
                && children(value).into_iter().all(is_number)
        }
        _ => false,
    }
}
