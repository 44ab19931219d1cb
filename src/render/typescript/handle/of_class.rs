//! How long values live, where a class keeps that beside the container: given to its constructor, or written in a field.

use tree_sitter::Node;

use super::work::Work;
use crate::model::facts::Span;
use crate::plan::handle::Place;
use crate::render::typescript::classes;
use crate::render::typescript::script::{Script, children, span};

/// When a value of the class is known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// Where the container is made as well.
    AtOnce,
    /// Once the constructor has run.
    ByConstructor,
}

/// When the value of `this.ttlMs` or `Registry.TTL_MS` is known, where nothing changes it later.
pub fn known(work: &Work<'_>, script: &Script, node: Node<'_>) -> Option<Known> {
    let store = &work.handle.store;
    if store.place != Place::Field || store.made.path != script.path || node.kind() != "member_expression" {
        return None;
    }
    let (object, name) = (node.child_by_field_name("object")?, node.child_by_field_name("property")?);
    let class = classes::body(script.node(store.made.span)?)?;
    let own = script.of(name);
    if object.kind() == "identifier" {
        let named = class.parent()?.child_by_field_name("name")?;
        let field = classes::field(script, class, own)?;
        return (script.of(named) == script.of(object) && script.of(field).contains("static "))
            .then_some(Known::AtOnce);
    }
    if object.kind() != "this" {
        return None;
    }
    let set = assigned(script, class, own);
    let constructor = classes::constructor(script, class);
    let within = |at: &Node<'_>| constructor.is_some_and(|constructor| span(constructor).contains(span(*at)));
    if !set.iter().all(within) {
        return None;
    }
    if set.is_empty()
        && let Some(field) = classes::field(script, class, own)
        && field.child_by_field_name("value").is_some()
    {
        return (field.end_byte() <= store.made.span.start as usize).then_some(Known::AtOnce);
    }
    let parameter = constructor.is_some_and(|constructor| {
        let list = constructor.child_by_field_name("parameters").map(children).unwrap_or_default();
        list.into_iter().any(|one| {
            let pattern = one.child_by_field_name("pattern").is_some_and(|pattern| script.of(pattern) == own);
            pattern
                && children(one)
                    .iter()
                    .any(|part| part.kind() == "accessibility_modifier" || script.of(*part) == "readonly")
        })
    });
    (parameter || !set.is_empty()).then_some(Known::ByConstructor)
}

/// Makes the store in the constructor of its class: the field keeps its type, and the constructor ends with the assignment.
pub fn in_constructor(work: &mut Work<'_>, script: &Script, made: Node<'_>, name: &str, text: &str) -> Option<()> {
    let declaration = made.parent().filter(|parent| parent.kind().ends_with("field_definition"))?;
    let body = classes::constructor(script, made)?.child_by_field_name("body")?;
    let before = script.text()[..made.start_byte()].trim_end();
    let start = before.strip_suffix('=').map(str::trim_end).map(str::len)?;
    work.edits.cut(script, Span::new(start, made.end_byte().min(declaration.end_byte())));
    let indent = script.indentation(body);
    let inner = format!("{indent}{}", script.style.indent.text());
    let (newline, end) = (script.style.newline, if script.style.semicolons { ";" } else { "" });
    let text = format!("{inner}this.{name} = {}{end}{newline}", script.indented(text, &inner));
    match children(body).last() {
        Some(last) => {
            let at = script.line_end(last.end_byte());
            work.edits.insert(script, at, text);
        }
        None => work.edits.replace(script, span(body), format!("{{{newline}{text}{indent}}}")),
    }
    Some(())
}

/// Assignments of a field of the class.
fn assigned<'t>(script: &Script, class: Node<'t>, name: &str) -> Vec<Node<'t>> {
    let uses = classes::uses(script, class, name).into_iter();
    let set = uses.filter_map(|used| used.parent().filter(|parent| parent.child_by_field_name("left") == Some(used)));
    set.filter(|parent| parent.kind().ends_with("assignment_expression")).collect()
}
