//! Makes handles required that schemas let callers leave out.

use tree_sitter::Node;

use super::handle::finished;
use super::handle_module::{self, Features};
use super::imports::local_name;
use super::script::{Script, children, span};
use super::scripts::{Code, Scripts};
use super::tools::{self, GIVEN, OPTIONAL};
use crate::model::facts::Span;
use crate::plan::required::Required;
use crate::render::{Change, Files, Refused, Rendered};

/// Renders the step.
pub fn render(required: &Required, files: &dyn Files) -> Result<Rendered, Refused> {
    let scripts = Scripts::new(files);
    let mut changes: Vec<Change> = Vec::new();
    let mut modules: Vec<String> = Vec::new();
    for call in &required.calls {
        let code = scripts.at(call)?;
        changes.push(without_asking(code)?);
        modules.extend(module_of(&scripts, code.script));
        for argument in &required.arguments {
            changes.extend(types(code.script, argument));
        }
    }
    for ty in &required.types {
        changes.push(without_optional(scripts.at(ty)?)?);
    }
    for (schema, argument) in &required.schemas {
        changes.extend(tools::require(&scripts, scripts.at(schema)?, argument)?);
    }
    let mut paths: Vec<String> = changes.iter().map(|change| change.path.clone()).collect();
    paths.sort();
    paths.dedup();
    let mut out = Rendered::default();
    for path in paths {
        let mut own: Vec<Change> = Vec::new();
        for change in changes.iter().filter(|change| change.path == path) {
            if !own.contains(change) {
                own.push(change.clone());
            }
        }
        out.changes.extend(finished(scripts.open(&path)?, own, Vec::new()));
    }
    modules.sort();
    modules.dedup();
    for module in modules {
        out.changes.extend(smaller(&scripts, &module)?);
    }
    Ok(out)
}

/// The call gives way to its first argument.
fn without_asking(code: Code<'_>) -> Result<Change, Refused> {
    let list = code.node.child_by_field_name("arguments").map(children).unwrap_or_default();
    let first = list.first().filter(|_| code.node.kind() == "call_expression");
    let first = first.ok_or_else(|| code.refuse("a call was expected here", "run again"))?;
    Ok(code.script.change(span(code.node), code.script.of(*first)))
}

/// `.optional()` goes, or what is around a type to the same end.
fn without_optional(code: Code<'_>) -> Result<Change, Refused> {
    let text = code.text();
    let start = code.node.start_byte();
    if let Some(at) = text.find(".optional()") {
        return Ok(code.script.change(Span::new(start + at, start + at + ".optional()".len()), ""));
    }
    let mut stack = vec![code.node];
    while let Some(node) = stack.pop() {
        let callee = node.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("property"));
        let list = node.child_by_field_name("arguments").map(children).unwrap_or_default();
        if let (Some(callee), [only]) = (callee, list.as_slice())
            && code.script.of(callee) == "optional"
        {
            return Ok(code.script.change(span(node), code.script.of(*only)));
        }
        stack.extend(children(node));
    }
    Err(code.refuse("what makes this optional was not found", "make it required by hand, and run again"))
}

/// The argument in types of arguments that are written out.
fn types(script: &Script, argument: &str) -> Vec<Change> {
    let mut out = Vec::new();
    let mut stack = vec![script.tree.root_node()];
    while let Some(node) = stack.pop() {
        if node.kind() == "property_signature"
            && let Some(name) = node.child_by_field_name("name")
            && script.of(name).trim_matches(['\'', '"']) == argument
            && script.of(node).ends_with(OPTIONAL)
        {
            out.push(script.change(Span::new(name.end_byte(), node.end_byte()), ": string"));
        }
        stack.extend(children(node));
    }
    out
}

/// The module that a file takes the function from.
fn module_of(scripts: &Scripts<'_>, script: &Script) -> Option<String> {
    let sources = children(script.tree.root_node()).into_iter().filter_map(|node| source(script, node));
    let own = sources.filter(|source| local_name(script, source, GIVEN).is_some());
    own.filter_map(|source| scripts.resolve(&script.path, source)).next()
}

fn source<'s>(script: &'s Script, statement: Node<'_>) -> Option<&'s str> {
    let quotes = ['\'', '"', '`'];
    if let Some(source) = statement.child_by_field_name("source") {
        return Some(script.slice(span(source)).trim_matches(quotes));
    }
    let (_, rest) = script.slice(span(statement)).split_once("require(")?;
    Some(rest.split_once(')')?.0.trim_matches(quotes))
}

/// The module without the function, where it is as it was made.
fn smaller(scripts: &Scripts<'_>, path: &str) -> Result<Option<Change>, Refused> {
    let script = scripts.open(path)?;
    let Some(found) = Features::read(script.text()).filter(|found| found.transition) else { return Ok(None) };
    if handle_module::text(found, &script.style) != script.text() {
        return Ok(None);
    }
    let text = handle_module::text(Features { transition: false, ..found }, &script.style);
    Ok(Some(script.change(Span::new(0, script.text().len()), text)))
}
