//! Routes of Fastify that run a function before their handler.

use tree_sitter::Node;

use super::fold::Fold;
use crate::render::Refused;
use crate::render::typescript::script::{children, span};

/// The option that names what runs before a handler.
const OPTION: &str = "preHandler";

impl<'w> Fold<'w> {
    /// Has a route run a function before its handler, after all that it runs there already.
    pub(super) fn pre_handler(&mut self, unit: usize, call: Node<'w>, function: &str) -> Result<(), Refused> {
        let script = &self.world.units[unit].script;
        let arguments = call.child_by_field_name("arguments").map_or_else(Vec::new, children);
        let callee = call.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("property"));
        let whole = callee.is_some_and(|name| script.of(name) == "route");
        let options = match arguments.as_slice() {
            [options] if whole && options.kind() == "object" => *options,
            [_, options, _] if !whole && options.kind() == "object" => *options,
            [_, handler] if !whole => {
                let (options, at) = (format!("{{ {OPTION}: {function} }}, "), handler.start_byte());
                self.edits[unit].insert(at, options);
                return Ok(());
            }
            _ => return Err(self.unseen_options(unit, call)),
        };
        let fields = children(options);
        if fields.iter().any(|field| field.kind() == "spread_element") {
            return Err(self.unseen_options(unit, options));
        }
        let named = |wanted: &str| {
            fields.iter().copied().find(|field| {
                let key = field.child_by_field_name("key").or_else(|| field.child_by_field_name("name"));
                script.of(key.unwrap_or(*field)).trim_matches(['"', '\'']) == wanted
            })
        };
        let Some(known) = named(OPTION) else {
            let Some(before) = named("handler").or(fields.first().copied()) else {
                self.edits[unit].replace(span(options), format!("{{ {OPTION}: {function} }}"));
                return Ok(());
            };
            let line = script.line_start(before.start_byte());
            let alone = script.text()[line..before.start_byte()].trim().is_empty();
            let apart =
                if alone { format!("{}{}", script.style.newline, script.indentation(before)) } else { " ".to_owned() };
            self.edits[unit].insert(before.start_byte(), format!("{OPTION}: {function},{apart}"));
            return Ok(());
        };
        match (known.kind(), known.child_by_field_name("value")) {
            ("shorthand_property_identifier", _) => {
                self.edits[unit].replace(span(known), format!("{OPTION}: [{OPTION}, {function}]"));
            }
            ("pair", Some(list)) if list.kind() == "array" => match children(list).last() {
                Some(last) => self.edits[unit].insert(last.end_byte(), format!(", {function}")),
                None => self.edits[unit].replace(span(list), format!("[{function}]")),
            },
            ("pair", Some(value)) => {
                self.edits[unit].insert(value.start_byte(), "[");
                self.edits[unit].insert(value.end_byte(), format!(", {function}]"));
            }
            _ => return Err(self.unseen_options(unit, known)),
        }
        Ok(())
    }

    fn unseen_options(&self, unit: usize, node: Node<'w>) -> Refused {
        self.world.units[unit].script.refuse(
            node,
            "requests have to be counted before this route's handler, and what runs before it is put together elsewhere",
            "write the options of the route where it is registered, then run again",
        )
    }
}
