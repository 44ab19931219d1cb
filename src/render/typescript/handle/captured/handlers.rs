//! Handlers look their record up before they do anything else.

use tree_sitter::Node;

use super::super::edits::Edits;
use super::super::opening;
use super::record::Record;
use super::uses::function;
use super::write_back::write_back;
use crate::plan::handle::Entry;
use crate::render::Refused;
use crate::render::typescript::tools::{self, Argument, Context};

/// Gives each tool the handle, and its handler the record. Whether one of them writes it back.
pub fn look_up(record: &Record<'_>, edits: &mut Edits) -> Result<bool, Refused> {
    let mut saves = false;
    let captured = record.captured;
    let names = &captured.names;
    let argument = Argument {
        name: names.argument.clone(),
        description: format!("{} returned by {}", names.argument, names.create),
        source: names.create.clone(),
        constant: None,
        optional: captured.transition,
        schema: None,
        frees: false,
    };
    let context = Context { owner: captured.owner, gone: Vec::new() };
    for carrier in captured.carriers.iter().filter(|carrier| record.has(carrier)) {
        let Entry::Handler(indices) = &carrier.entry else { continue };
        let handler = function(record, carrier)?;
        for (position, index) in indices.iter().enumerate() {
            let added = tools::add_argument(record.scripts, &captured.tools[*index], &argument, &context)?;
            edits.extend(added.changes);
            if position == 0 {
                let key = key(&added.name, added.auth.as_deref());
                begin(record, edits, handler, &key)?;
                saves |= write_back(record, edits, handler, &key)?;
            }
        }
    }
    Ok(saves)
}

/// The arguments of a look-up.
pub fn key(handle: &str, auth: Option<&str>) -> String {
    match auth {
        Some(auth) => format!("{handle}, ownerOf({auth})"),
        None => handle.to_owned(),
    }
}

/// Begins a function with the look-up.
pub fn begin(record: &Record<'_>, edits: &mut Edits, function: Node<'_>, key: &str) -> Result<(), Refused> {
    let text = format!("const {} = await {}.get({key})", record.name, record.store);
    opening::begin(record.script, edits, function, &text)
}
