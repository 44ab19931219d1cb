//! The tools that create a value, and drop one.

use super::Work;
use crate::render::Refused;
use crate::render::typescript::handle::users;
use crate::render::typescript::tools::{self, NewTool, Parameter};

/// Adds them, by the calls that do the work: the one that drops a value, or the tool that does so already. `expires`: what is said of
/// the life of a value.
pub fn tools(
    work: &mut Work<'_>,
    create: &str,
    (destroy, own): (Option<&str>, Option<&str>),
    expires: &str,
) -> Result<(), Refused> {
    let external = work.external;
    let names = &external.names;
    let (Some(first), Some(last)) = (external.tools.first(), external.tools.last()) else { return Ok(()) };
    let last = if last.registration.path == first.registration.path { last } else { first };
    let ends = own.unwrap_or(&names.destroy);
    let listed: Vec<&str> = external.tools.iter().map(|tool| tool.name.as_str()).collect();
    let needs = match (own, destroy) {
        (None, None) => users(names, listed.clone(), listed[0]),
        _ => users(names, listed, ends),
    };
    let one = names.one();
    let stop = if tools::with_stop(work.scripts, &external.tools) { "." } else { "" };
    let tool = NewTool {
        name: names.create.clone(),
        description: vec![
            format!("Create {one} and return its {}, which {needs}.", names.argument),
            format!("Keep using that {}; call this again only for another {}.", names.argument, names.noun),
            format!("The {} {expires}{stop}", names.noun),
        ],
        parameters: Vec::new(),
        body: vec![format!("const {} = await {create};", names.argument)],
        text: format!("Created {} ${{{}}}", names.noun, names.argument),
        structured: vec![names.argument.clone()],
        lists: false,
        text_alone: false,
    };
    work.edits.extend(tools::insert(work.scripts, first, &external.tools, true, &tool, None)?);
    if let Some(destroy) = destroy {
        let description = format!("{} returned by {}", names.argument, names.create);
        let tool = NewTool {
            name: names.destroy.clone(),
            description: vec![format!("Discard {one}{stop}")],
            parameters: vec![Parameter {
                name: names.argument.clone(),
                kind: tools::Kind::Handle { description, source: names.create.clone() },
            }],
            body: vec![format!("await {destroy};")],
            text: format!("Destroyed ${{{}}}", names.argument),
            structured: Vec::new(),
            lists: false,
            text_alone: false,
        };
        work.edits.extend(tools::insert(work.scripts, last, &external.tools, false, &tool, None)?);
    }
    Ok(())
}
