//! How long a value outside lives, where the code says so.

use tree_sitter::Node;

use super::Work;
use crate::plan::handle::Touch;
use crate::render::typescript::script::{Script, bare, children};
use crate::render::typescript::scripts::Code;

/// Seconds in one unit of an option or of an argument.
const UNITS: &[(&str, f64)] = &[("EX", 1.0), ("ex", 1.0), ("PX", 0.001), ("px", 0.001)];

/// The seconds for which a value lives after a write.
pub fn of(work: &Work<'_>, write: &Touch) -> Option<f64> {
    let (script, call) = work.scripts.expression(&write.at).ok()?;
    let call = bare(call);
    let method = call.child_by_field_name("function")?.child_by_field_name("property").map(|name| script.of(name))?;
    let arguments = call.child_by_field_name("arguments").map(children)?;
    let argument = |at: usize| arguments.get(at).and_then(|node| number(work, script, *node));
    match method {
        "setex" | "setEx" => argument(1),
        "psetex" | "pSetEx" => argument(1).map(|millis| millis / 1000.0),
        "set" => match (arguments.get(2), arguments.get(3)) {
            (None, _) => of_store(work),
            (Some(mode), Some(_)) => {
                let mode = script.of(*mode).trim_matches(['\'', '"']);
                let (_, unit) = UNITS.iter().find(|(name, _)| *name == mode)?;
                argument(3).map(|count| count * unit)
            }
            (Some(options), None) if options.kind() == "object" => {
                let [pair] = children(*options)[..] else { return None };
                let key = pair.child_by_field_name("key").map(|key| script.of(key))?;
                let (_, unit) = UNITS.iter().find(|(name, _)| *name == key)?;
                number(work, script, pair.child_by_field_name("value")?).map(|count| count * unit)
            }
            // Keyv takes milliseconds.
            (Some(_), None) => keyv(work).and_then(|_| argument(2)).map(|millis| millis / 1000.0),
        },
        _ => None,
    }
}

/// `new Keyv({ ttl: … })`, in milliseconds.
fn of_store(work: &Work<'_>) -> Option<f64> {
    let (script, list) = keyv(work)?;
    children(list).into_iter().filter(|given| given.kind() == "object").find_map(|given| {
        let named = |pair: &Node<'_>| pair.child_by_field_name("key").is_some_and(|key| script.of(key) == "ttl");
        let ttl = children(given).into_iter().find(named)?.child_by_field_name("value")?;
        number(work, script, ttl).map(|millis| millis / 1000.0)
    })
}

/// The arguments that the client of Keyv is made with.
fn keyv<'w>(work: &Work<'w>) -> Option<(&'w Script, Node<'w>)> {
    let declared = work.scripts.of(&work.external.declared).ok()?;
    let name = declared.around(work.external.declared.span)?;
    let made = name.parent()?.child_by_field_name("value").map(bare)?;
    let class = made.child_by_field_name("constructor").map(|class| declared.of(class))?;
    (class == "Keyv").then(|| made.child_by_field_name("arguments")).flatten().map(|list| (declared, list))
}

/// A number, a constant that is one, or a product of them.
pub fn number(work: &Work<'_>, script: &Script, node: Node<'_>) -> Option<f64> {
    let code = work.scripts.value(Code { script, node })?;
    if code.node.kind() == "binary_expression" {
        let side = |name: &str| number(work, code.script, code.node.child_by_field_name(name)?);
        let times = code.node.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "*");
        return times.then(|| Some(side("left")? * side("right")?)).flatten();
    }
    code.script.of(code.node).replace('_', "").parse().ok()
}
