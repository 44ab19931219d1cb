//! The session header in lists of headers that browsers may send or read.

use tree_sitter::Node;

use super::script::{Script, children, span};
use super::transport::{item, item_alone};
use crate::model::facts::Span;
use crate::plan::Site;
use crate::render::{Files, Refused, Rendered};

/// Takes the header off the lists. `script` is the file that is open already.
pub fn without_session_id(
    script: &Script,
    files: &dyn Files,
    sites: &[Site],
    out: &mut Rendered,
) -> Result<(), Refused> {
    for site in sites {
        let other;
        let script = match site.path == script.path {
            true => script,
            false => {
                other = Script::open(files, &site.path)?;
                &other
            }
        };
        if let Some((span, text)) = removal(script, site.span) {
            out.changes.push(script.change(span, text));
        }
    }
    Ok(())
}

/// Whether a list is the value of a property that says nothing without it.
fn only_property(array: Node<'_>) -> bool {
    array
        .parent()
        .is_some_and(|pair| pair.kind() == "pair" && pair.parent().is_some_and(|object| children(object).len() > 1))
}

/// What goes where the name is all that is listed: the option, or the statement that sets a header.
fn alone(script: &Script, holder: Node<'_>) -> Option<Span> {
    match holder.kind() {
        "pair" if holder.parent().is_some_and(|object| children(object).len() > 1) => Some(item(script, holder)),
        "pair" => Some(span(holder)),
        "arguments" => {
            let call = holder.parent()?;
            let statement = call.parent().filter(|statement| statement.kind() == "expression_statement")?;
            let plain = call.child_by_field_name("function")?.child_by_field_name("object")?.kind() == "identifier";
            plain.then(|| script.removal(statement))
        }
        _ => None,
    }
}

/// What takes the name off the list that it stands in: an element of an array, a part of a text.
fn removal(script: &Script, at: Span) -> Option<(Span, String)> {
    let node = script.node(at)?;
    let written = script.of(node);
    let quote = written.chars().next()?;
    let value = written.trim_matches(['\'', '"', '`']);
    if value.contains(',') {
        let kept: Vec<&str> =
            value.split(',').filter(|name| !name.trim().eq_ignore_ascii_case("mcp-session-id")).collect();
        return Some((at, format!("{quote}{}{quote}", kept.join(",").trim())));
    }
    let parent = node.parent()?;
    if parent.kind() != "array" {
        return alone(script, parent).map(|at| (at, String::new()));
    }
    let array = parent;
    let elements = children(array);
    let index = elements.iter().position(|element| *element == node)?;
    let text = script.text();
    let around = match (elements.get(index + 1), index.checked_sub(1).and_then(|before| elements.get(before))) {
        (Some(next), _) => Span::new(node.start_byte(), next.start_byte()),
        (None, Some(before)) => Span::new(before.end_byte(), node.end_byte()),
        (None, None) if only_property(array) => {
            let pair = array.parent()?;
            let speaks = |comment: Node<'_>| {
                let text = script.of(comment).to_ascii_lowercase();
                ["session", "header", "expose"].iter().any(|word| text.contains(word))
            };
            let above = pair.prev_sibling().filter(|above| above.kind() == "comment");
            if above.is_some_and(|above| !speaks(above)) { item_alone(script, pair) } else { item(script, pair) }
        }
        (None, None) => {
            let end = array.end_byte() - 1;
            let comma = text[node.end_byte()..end].trim_start().starts_with(',');
            if comma { Span::new(node.start_byte(), end) } else { span(node) }
        }
    };
    Some((around, String::new()))
}
