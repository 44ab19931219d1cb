//! A server that is handed to the function that serves: what is handed in is the way to build one.

use tree_sitter::Node;

use super::build::{Build, TODO, of_argument};
use crate::model::facts::Span;
use crate::plan::origins::Origin;
use crate::render::typescript::in_flight::free_name;
use crate::render::typescript::prune::prune;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, children, enclosing_function, span, statement};
use crate::render::{Files, Refused, all};

/// The server that a parameter stands for. `used` is code that goes, or is seen to.
pub(super) fn by_parameter(
    script: &Script,
    origin: &Origin,
    files: &dyn Files,
    declared: Node<'_>,
    used: &[Span],
) -> Result<Build, Refused> {
    let name = script.of(declared);
    let unseen = |why: &str| Err(script.refuse(declared, format!("`{name}` {why}"), TODO));
    let Some((parameter, index)) = parameter(declared) else {
        return unseen("gets its value later: which server it is can't be told here");
    };
    let [call] = origin.handed.as_slice() else {
        return unseen("is handed in, from several places or from none that is seen");
    };
    let others =
        scope::uses(script, declared).into_iter().filter(|other| !used.iter().any(|used| used.contains(span(*other))));
    all(others.map(|other| {
        let why = format!("`{name}` is used here: with one server for each request, which one is meant?");
        Err(script.refuse(other, why, "move it into the function that builds the server"))
    }))?;
    let own;
    let caller = match call.path == script.path {
        true => script,
        false => {
            own = Script::open(files, &call.path)?;
            &own
        }
    };
    let node = caller.node(call.span).filter(|node| node.kind() == "call_expression");
    let arguments = node.and_then(|node| node.child_by_field_name("arguments")).map(children).unwrap_or_default();
    let Some(argument) = arguments.get(index).copied() else {
        return unseen("is handed in by a call that is not seen");
    };
    let given = of_argument(caller, origin, files, argument)?;
    let factory = free_name(script, &["buildServer", "makeServer"]);
    let waits = given.call.starts_with("await ");
    let ty = parameter.child_by_field_name("type").map(|ty| script.of(ty).trim_start_matches(':').trim());
    let ty = match (ty, waits) {
        (None, _) => String::new(),
        (Some(ty), false) => format!(": () => {ty}"),
        (Some(ty), true) => format!(": () => Promise<{ty}>"),
    };
    let mut changes = given.changes;
    changes.push(caller.change(span(argument), given.factory));
    let gone = given.gone.iter().chain(&given.closed).filter_map(|gone| caller.node(*gone)).map(statement);
    changes.extend(gone.map(|gone| caller.change(caller.removal(gone), "")));
    if caller.path != script.path {
        let (theirs, others): (Vec<_>, Vec<_>) = changes.into_iter().partition(|change| change.path == caller.path);
        changes = others;
        changes.extend(prune(caller, theirs));
    }
    changes.push(script.change(span(parameter), format!("{factory}{ty}")));
    let call = if waits { format!("await {factory}()") } else { format!("{factory}()") };
    Ok(Build {
        call,
        factory,
        variable: name.to_owned(),
        changes,
        drops_comment: given.drops_comment,
        ..Build::default()
    })
}

/// The parameter that an identifier declares, and its position.
fn parameter(declared: Node<'_>) -> Option<(Node<'_>, usize)> {
    let function = enclosing_function(declared)?;
    let parameters = children(function.child_by_field_name("parameters")?);
    let position = parameters
        .iter()
        .position(|parameter| *parameter == declared || parameter.child_by_field_name("pattern") == Some(declared))?;
    let parameter = parameters[position];
    (parameter.child_by_field_name("value").is_none()).then_some((parameter, position))
}
