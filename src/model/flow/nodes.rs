//! The nodes of the flow graph: bounded sets of values, and who reads them.

use rustc_hash::FxHashSet;

use super::Flow;
use super::value::Value;
use crate::model::facts::{ExprId, SymbolId};
use crate::model::program::{At, ExprRef};

/// Values kept per node; beyond it only ids are taken in.
const CAP: usize = 40;
/// The same for a node that holds what many others do: whoever reads it takes what it has room for.
const WHOLE_CAP: usize = 10 * CAP;
/// Values that are looked for one after the other; what many receivers give holds the same ones again and again.
const MANY: usize = 32;
/// Literal texts kept per node.
const TEXT_CAP: usize = 12;

/// A node of the flow graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NodeId(pub(super) u32);

/// What is known of a node.
#[derive(Default)]
pub(super) struct Node {
    pub(super) values: Vec<Value>,
    /// Tasks that run again when the set grows.
    readers: Readers,
}

/// A set of tasks. Most nodes are read in one place or two: those need no memory of their own.
enum Readers {
    Few {
        count: u8,
        tasks: [u32; 3],
    },
    /// Sorted. Boxed, so that a node stays small.
    #[expect(clippy::box_collection)]
    Many(Box<Vec<u32>>),
}

impl Default for Readers {
    fn default() -> Self {
        Self::Few { count: 0, tasks: [0; 3] }
    }
}

impl Readers {
    fn add(&mut self, task: u32) {
        match self {
            Self::Few { count, tasks } => {
                let known = &tasks[..usize::from(*count)];
                if known.contains(&task) {
                    return;
                }
                if let Some(free) = tasks.get_mut(usize::from(*count)) {
                    *free = task;
                    *count += 1;
                } else {
                    let mut many = tasks.to_vec();
                    many.push(task);
                    many.sort_unstable();
                    *self = Self::Many(Box::new(many));
                }
            }
            Self::Many(tasks) => {
                // Tasks run in the order of the source: most come after all that were here before, or came last.
                match tasks.last() {
                    Some(last) if *last == task => {}
                    Some(last) if *last > task => {
                        if let Err(place) = tasks.binary_search(&task) {
                            tasks.insert(place, task);
                        }
                    }
                    _ => tasks.push(task),
                }
            }
        }
    }

    fn tasks(&self) -> &[u32] {
        match self {
            Self::Few { count, tasks } => &tasks[..usize::from(*count)],
            Self::Many(tasks) => tasks,
        }
    }
}

impl Node {
    /// Takes values in as far as there is room. Says whether there was anything new.
    pub(super) fn add(&mut self, values: &[Value]) -> bool {
        self.add_up_to(values, CAP)
    }

    fn add_up_to(&mut self, values: &[Value], cap: usize) -> bool {
        let before = self.values.len();
        // Most of what is written was written before, in the same order.
        let known = values.iter().zip(&self.values).take_while(|(new, known)| new == known).count();
        if known == values.len() {
            return false;
        }
        let mut texts = self.values.iter().filter(|value| matches!(value, Value::Text(_))).count();
        // A full set is not looked through for most values.
        let many = values.len() - known > MANY && before < cap;
        let mut seen = many.then(|| self.values.iter().copied().collect::<FxHashSet<_>>());
        for &value in &values[known..] {
            // Whether there is room comes first: looking through a full set for each of many values is what takes time.
            let full = match value {
                Value::Id(_) => false,
                Value::Text(_) => texts >= TEXT_CAP,
                _ => self.values.len() >= cap,
            };
            let mut is_new = || match &mut seen {
                Some(seen) => seen.insert(value),
                None => !self.values.contains(&value),
            };
            if !full && is_new() {
                if self.values.is_empty() {
                    // Most nodes have one value for good.
                    self.values.reserve_exact(values.len().min(cap));
                }
                self.values.push(value);
                texts += usize::from(matches!(value, Value::Text(_)));
            }
        }
        self.values.len() > before
    }
}

impl Flow<'_> {
    fn reading(&mut self, node: NodeId) -> &[Value] {
        let entry = &mut self.nodes[node.0 as usize];
        if let Some(task) = self.current {
            entry.readers.add(task);
        }
        &entry.values
    }

    pub(super) fn read(&mut self, node: NodeId) -> Vec<Value> {
        self.reading(node).to_vec()
    }

    /// What a node has beyond so many values, for a task that reads it already.
    pub(super) fn read_since(&self, node: NodeId, known: usize) -> Vec<Value> {
        self.nodes[node.0 as usize].values[known..].to_vec()
    }

    /// Runs the current task again when a node grows.
    pub(super) fn watch(&mut self, node: NodeId) {
        self.reading(node);
    }

    pub(super) fn read_expr(&mut self, module: u32, id: ExprId) -> Vec<Value> {
        let node = self.expr_node(At { module, id });
        self.read(node)
    }

    pub(super) fn write(&mut self, node: NodeId, values: &[Value]) {
        self.write_up_to(node, values, CAP);
    }

    fn write_up_to(&mut self, node: NodeId, values: &[Value], cap: usize) {
        if self.nodes[node.0 as usize].add_up_to(values, cap) {
            for task in self.nodes[node.0 as usize].readers.tasks() {
                self.queue.add(*task);
            }
            if let Some(&whole) = self.wholes.by_part.get(&node) {
                self.write_whole(whole, values);
            }
        }
    }

    /// Writes to a node that stands for many.
    pub(super) fn write_whole(&mut self, node: NodeId, values: &[Value]) {
        self.write_up_to(node, values, WHOLE_CAP);
    }

    pub(super) fn write_expr(&mut self, at: ExprRef, values: &[Value]) {
        self.write(self.expr_node(at), values);
    }

    pub(super) fn write_symbol(&mut self, module: u32, id: SymbolId, values: &[Value]) {
        self.write(self.symbol_node(At { module, id }), values);
    }
}

#[cfg(test)]
mod tests {
    use super::{Node, Readers};

    #[test]
    fn readers_are_a_set_whatever_their_number() {
        let mut readers = Readers::default();
        for task in [7, 3, 7, 9, 1, 3, 5, 1] {
            readers.add(task);
        }
        let mut tasks = readers.tasks().to_vec();
        tasks.sort_unstable();
        assert_eq!(tasks, [1, 3, 5, 7, 9]);
    }

    #[test]
    fn a_node_is_small() {
        assert!(size_of::<Node>() <= 40, "{}", size_of::<Node>());
    }
}
