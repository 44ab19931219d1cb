//! What one record takes over from another: elements, keys and named fields.
//!
//! Records are copied into each other again and again while the program is solved, and most of what they hold was copied before. A node
//! only grows, and only at its end, so it is enough to know how much of each field a task has copied.

use rustc_hash::FxHashMap;

use super::collections::MANY_NAMES;
use super::nodes::NodeId;
use super::value::ObjId;
use super::{Flow, Owner};
use crate::model::name::{Name, part};

/// By task, source and target: how far the copy is.
pub(super) type Copies = FxHashMap<(Option<u32>, Owner, Owner), Copy>;

/// A copy of a record's fields.
#[derive(Default)]
pub(super) struct Copy {
    /// The source's fields that are copied, and how many of their values were.
    fields: Vec<(Name, NodeId, u32)>,
    /// How many of the source's names were looked at.
    names: usize,
    /// Named values go to the target's elements.
    is_table: bool,
}

impl Flow<'_> {
    /// Copies elements, keys and named fields.
    pub(super) fn copy_entries(&mut self, from: ObjId, into: Owner) {
        let source = self.owner(from);
        if source == into {
            return;
        }
        let key = (self.current, source, into);
        let mut copy = self.copied.remove(&key).unwrap_or_else(|| self.begin_copy(source));
        self.copy_names(source, &mut copy);
        // A record of that many names is a table: what it holds counts, not under which name.
        let is_table = [source, into].iter().any(|owner| self.names(*owner) > MANY_NAMES);
        let again = is_table && !copy.is_table;
        copy.is_table = is_table;
        for (name, node, copied) in &mut copy.fields {
            let is_part = [part::elements(), part::keys()].contains(name);
            if again && !is_part {
                *copied = 0;
            }
            let values = self.read_since(*node, *copied as usize);
            if values.is_empty() {
                continue;
            }
            *copied += values.len() as u32;
            let target = self.field_node(into, if is_table && !is_part { part::elements() } else { *name });
            self.write(target, &values);
        }
        self.copied.insert(key, copy);
    }

    fn begin_copy(&mut self, source: Owner) -> Copy {
        let mut copy = Copy::default();
        for name in [part::elements(), part::keys()] {
            let node = self.field_node(source, name);
            self.watch(node);
            copy.fields.push((name, node, 0));
        }
        copy
    }

    /// Takes up the names that the source got since the last time.
    fn copy_names(&mut self, source: Owner, copy: &mut Copy) {
        let new = self.field_names.get(&source).map_or(&[][..], |names| &names[copy.names..]).to_vec();
        copy.names += new.len();
        // Two fields are no names.
        let room = (2 * MANY_NAMES + 2).saturating_sub(copy.fields.len());
        for name in new.into_iter().filter(|name| !name.text().starts_with('[')).take(room) {
            let node = self.field_node(source, name);
            self.watch(node);
            copy.fields.push((name, node, 0));
        }
    }

    fn names(&self, owner: Owner) -> usize {
        self.field_names.get(&owner).map_or(0, Vec::len)
    }
}
