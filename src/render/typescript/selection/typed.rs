//! The type of a choice: by the schema of the tool that set it, and as the table was declared.

use tree_sitter::Node;

use super::Work;
use crate::render::Refused;
use crate::render::typescript::script::{Script, children};
use crate::render::typescript::scripts::property;
use crate::render::typescript::tools;

/// What `typeof` tells of the choice, by the schema of the tool that set it. `None` where that is neither a text nor a number nor a
/// truth.
pub fn kind(work: &Work<'_>) -> Result<Option<&'static str>, Refused> {
    let setter = &work.selection.setter;
    let schema = tools::argument_schema(work.scripts, &setter.tool, &setter.given)?;
    let Some(schema) = schema.and_then(|schema| work.scripts.value(schema)) else { return Ok(Some("string")) };
    if schema.node.kind() != "object" {
        // A schema that is built: the server has checked the value by it, and what is not named here is a text.
        let text = schema.text();
        let numbers = ["z.number(", "z.int(", "z.coerce.number("];
        return Ok(match () {
            () if numbers.iter().any(|call| text.starts_with(call)) => Some("number"),
            () if text.starts_with("z.boolean(") => Some("boolean"),
            () => Some("string"),
        });
    }
    let told = property(schema, "type").map(|told| told.text().trim_matches(['\'', '"', '`']).to_owned());
    Ok(match told.as_deref() {
        Some("string") => Some("string"),
        Some("integer" | "number") => Some("number"),
        Some("boolean") => Some("boolean"),
        None if property(schema, "enum")
            .is_some_and(|list| children(list.node).iter().all(|item| item.kind() == "string")) =>
        {
            Some("string")
        }
        _ => None,
    })
}

/// The type of the choice, as a file can name it.
pub fn type_in(work: &Work<'_>, script: &Script, at: Node<'_>) -> Result<String, Refused> {
    let Some(written) = &work.selection.value else { return Ok("string".to_owned()) };
    let arms: Vec<&str> =
        written.split('|').map(str::trim).filter(|arm| !matches!(*arm, "undefined" | "null" | "")).collect();
    let plain = |arm: &&str| {
        matches!(*arm, "string" | "number" | "boolean")
            || arm.starts_with(['\'', '"'])
            || (arm.chars().all(char::is_alphanumeric) && names_type(script, arm))
    };
    match arms.iter().all(plain) && !arms.is_empty() {
        true => Ok(arms.join(" | ")),
        false => Err(script.refuse(
            at,
            format!("the choice has the type `{written}`, which this file does not have"),
            "import the type there, and run again",
        )),
    }
}

/// Whether a file declares or imports a type.
fn names_type(script: &Script, name: &str) -> bool {
    let mut stack = vec![script.tree.root_node()];
    while let Some(node) = stack.pop() {
        let declares = matches!(
            node.kind(),
            "type_alias_declaration" | "interface_declaration" | "enum_declaration" | "import_specifier"
        );
        let own = node.child_by_field_name("alias").or_else(|| node.child_by_field_name("name"));
        if declares && own.is_some_and(|own| script.of(own) == name) {
            return true;
        }
        stack.extend(children(node));
    }
    false
}
