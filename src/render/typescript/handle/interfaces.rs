//! Objects that the tools know by a type of the program's own, and not by their class: a store in them can't be named there.

use super::contexts;
use super::shed::type_named;
use super::work::Work;
use crate::plan::handle::ToolUse;
use crate::render::Refused;
use crate::render::typescript::script::children;
use crate::render::typescript::scripts::{Code, declaration};

/// How many parameters of a tool's function are looked at.
const PARAMETERS: usize = 4;

/// The type that stands before the class of an object, where a tool's function has it from its parameters or from around it.
pub fn hiding<'a>(work: &Work<'a>, tool: &ToolUse, object: &str) -> Result<Option<Code<'a>>, Refused> {
    let function = work.scripts.at(&tool.handler)?;
    if !function.script.typed() {
        return Ok(None);
    }
    let name = object.rsplit('.').next().unwrap_or(object);
    let mut types = contexts::written_types(work, function);
    types.extend((0..PARAMETERS).filter_map(|position| contexts::type_by_place(work, function, position)));
    let members = types.into_iter().filter_map(|found| contexts::member(found, name));
    let annotations = members.filter_map(|member| Some(member.to(member.node.child_by_field_name("type")?)));
    let own = declaration(function, name).filter(|_| name == object).and_then(|own| {
        let parameter = own.node.parent().filter(|parent| parent.kind().ends_with("_parameter"))?;
        Some(own.to(parameter.child_by_field_name("type")?))
    });
    Ok(annotations.chain(own).find(|annotation| is_no_class(work, *annotation)))
}

fn is_no_class(work: &Work<'_>, annotation: Code<'_>) -> bool {
    let Some(written) = children(annotation.node).first().copied() else { return false };
    match written.kind() {
        "type_identifier" => type_named(work.scripts, annotation.to(written)).is_some(),
        "generic_type" | "object_type" => true,
        _ => false,
    }
}
