//! Capabilities go from the object that offers them.

use tree_sitter::Node;

use super::script::{Script, span};
use super::transport::item;
use crate::plan::capabilities::Capabilities;
use crate::render::{Files, Refused, Rendered};

/// Renders the step.
pub fn render(step: &Capabilities, files: &dyn Files) -> Result<Rendered, Refused> {
    let mut out = Rendered::default();
    let mut paths: Vec<&str> = step.values.iter().map(|at| at.path.as_str()).collect();
    paths.dedup();
    for path in paths {
        let script = Script::open(files, path)?;
        let values = step.values.iter().filter(|at| at.path == path).filter_map(|at| script.node(at.span));
        let pairs: Vec<Node<'_>> = values.filter_map(|value| value.parent()).filter(|at| at.kind() == "pair").collect();
        for (object, own) in by_object(&pairs) {
            let mut cursor = object.walk();
            let emptied =
                object.named_children(&mut cursor).all(|child| child.kind() == "comment" || own.contains(&child));
            if emptied {
                out.changes.push(script.change(span(object), "{}"));
            } else {
                out.changes.extend(own.iter().map(|pair| script.change(item(&script, *pair), "")));
            }
        }
    }
    Ok(out)
}

/// Pairs with the object that they stand in.
fn by_object<'t>(pairs: &[Node<'t>]) -> Vec<(Node<'t>, Vec<Node<'t>>)> {
    let mut out: Vec<(Node<'t>, Vec<Node<'t>>)> = Vec::new();
    for pair in pairs {
        let Some(object) = pair.parent() else { continue };
        match out.iter_mut().find(|(known, _)| *known == object) {
            Some((_, own)) => own.push(*pair),
            None => out.push((object, vec![*pair])),
        }
    }
    out
}
