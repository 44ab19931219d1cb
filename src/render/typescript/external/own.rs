//! Values that a class of the program's own keeps: its methods are called as others call them.

use tree_sitter::Node;

use super::Work;
use super::make::keyed;
use crate::plan::handle::Touch;
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children};

/// How a value is looked up and dropped by a class of the program's own.
pub fn end(work: &Work<'_>, script: &Script, call: Node<'_>, write: &Touch) -> Result<Option<[String; 2]>, Refused> {
    let Some(own) = &work.external.own else { return Ok(None) };
    let callee = bare(call).child_by_field_name("function");
    let object = callee.and_then(|callee| callee.child_by_field_name("object")).map(|object| script.of(object));
    let key = bare(call).child_by_field_name("arguments").map(children).and_then(|all| all.first().copied());
    let (Some(object), Some(key), Some(drop)) = (object, key, &own.drop) else { return Ok(None) };
    let key = keyed(work, script, key, write)?;
    let wait = waits(work);
    let look = format!("{wait}{object}.{}({key})", own.get);
    Ok(Some([if wait.is_empty() { look } else { format!("({look})") }, format!("{wait}{object}.{drop}({key})")]))
}

/// `await `, unless nobody waits for the methods of a class of the program's own.
pub fn waits(work: &Work<'_>) -> &'static str {
    let waited = |touch: &Touch| {
        let found = work.scripts.expression(&touch.at);
        found.is_ok_and(|(_, node)| {
            node.parent().is_some_and(|parent| {
                matches!(parent.kind(), "await_expression" | "return_statement" | "arrow_function")
            })
        })
    };
    let all = &work.external.touches;
    if work.external.own.is_none() || all.iter().any(waited) { "await " } else { "" }
}
