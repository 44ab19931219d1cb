//! What a record holds under any of its names.
//!
//! Tables have hundreds of names, and are looked up by names that are not known at hundreds of places. All that their fields hold is one
//! node of its own, so that such a place reads one node and not each field.

use rustc_hash::FxHashMap;

use super::nodes::NodeId;
use super::value::Value;
use super::{Flow, Owner};
use crate::model::name::{Name, part};

/// The records that were looked up by names that are not known.
#[derive(Default)]
pub(super) struct Wholes {
    /// The node of all named fields of a record.
    by_owner: FxHashMap<Owner, NodeId>,
    /// The same by a field's node.
    pub(super) by_part: FxHashMap<NodeId, NodeId>,
}

impl Flow<'_> {
    /// What a record may hold under a name.
    pub(super) fn named_fields(&mut self, owner: Owner) -> Vec<Value> {
        let whole = match self.wholes.by_owner.get(&owner) {
            Some(&whole) => whole,
            None => self.begin_whole(owner),
        };
        self.read(whole)
    }

    fn begin_whole(&mut self, owner: Owner) -> NodeId {
        let whole = self.new_node();
        self.wholes.by_owner.insert(owner, whole);
        for name in self.field_names.get(&owner).cloned().unwrap_or_default() {
            if let Some(field) = self.known_field(owner, name) {
                self.join_whole(owner, name, field);
            }
        }
        whole
    }

    /// Makes a field part of what its record holds, where that is asked for.
    pub(super) fn join_whole(&mut self, owner: Owner, name: Name, field: NodeId) {
        let Some(&whole) = self.wholes.by_owner.get(&owner) else { return };
        if name.text().starts_with('[') || name == part::spread() {
            return;
        }
        self.wholes.by_part.insert(field, whole);
        let values = self.values(field).to_vec();
        self.write_whole(whole, &values);
    }
}
