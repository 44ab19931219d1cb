//! A store of handles as a field of the object whose containers it is about: it is wherever that is handed.

use tree_sitter::Node;

use super::store;
use super::work::Work;
use crate::plan::handle::Handle;
use crate::plan::handle::injected::Injected;
use crate::render::Refused;
use crate::render::typescript::script::{Script, bare, children, span};

/// What the field is called.
const NAME: &str = "handles";

/// The same handles, declared in the class.
pub fn moved(handle: &Handle, own: &Injected) -> Handle {
    let mut moved = handle.clone();
    moved.store.declared = own.class.clone();
    NAME.clone_into(&mut moved.store.name);
    moved
}

/// What ran where a session ended, as the object itself does it: a call of one of its methods.
pub fn end(
    work: &Work<'_>,
    script: &Script,
    (whole, key): (Node<'_>, Node<'_>),
    own: &Injected,
) -> Result<String, Refused> {
    let receiver = own.receivers.iter().find(|site| site.path == script.path && span(whole).contains(site.span));
    let call = match whole.kind() {
        "expression_statement" => children(whole).first().copied().map_or(whole, bare),
        _ => bare(whole),
    };
    let list = call.child_by_field_name("arguments").map(children).unwrap_or_default();
    match receiver.filter(|_| call.kind() == "call_expression" && list.as_slice() == [key]) {
        Some(receiver) => {
            let method = &script.text()[receiver.span.end as usize..key.start_byte()];
            Ok(format!("this{method}{});", work.handle.names.variable))
        }
        None => Err(script.refuse(whole, "what ends here is more than a call of the object", "call a method of it")),
    }
}

/// Declares the store in the class, before its first member.
pub fn declare(work: &mut Work<'_>, script: &Script) -> Result<(), Refused> {
    let root = script.tree.root_node();
    let class = script.around(work.handle.store.declared.span).and_then(class);
    let class = class.ok_or_else(|| script.refuse(root, "the class of the object was not found", "run again"))?;
    let body = class.child_by_field_name("body").filter(|_| !script.of(class).contains(NAME));
    let members = body.map(children).unwrap_or_default();
    let Some(first) = members.first() else {
        return Err(script.refuse(class, format!("`{NAME}` means something else in this class"), "rename it"));
    };
    let options = store::registry_options(work, script);
    let local = store::local(script, "MemoryHandles");
    let (modifier, annotation) = match script.typed() {
        true => ("readonly ", format!(": {}<true>", store::local(script, "HandleStore"))),
        false => ("", String::new()),
    };
    let argument = if script.typed() && work.features.close { "<true>" } else { "" };
    let text = format!("{modifier}{NAME}{annotation} = new {local}{argument}({options});");
    let indent = script.indentation(*first).to_owned();
    let text = script.indented(&script.style.dress(&text), &indent);
    let (start, newline) = (script.with_comments(*first), script.style.newline);
    work.edits.insert(script, start, format!("{text}{newline}{newline}{indent}"));
    Ok(())
}

fn class(node: Node<'_>) -> Option<Node<'_>> {
    let kinds = |node: &Node<'_>| matches!(node.kind(), "class_declaration" | "class");
    std::iter::successors(Some(node), Node::parent).find(kinds).or_else(|| children(node).into_iter().find(kinds))
}
