//! How many sessions there are, in whatever way it is asked.

use tree_sitter::Node;

use super::fold::Fold;
use crate::plan::transport::Fact;
use crate::render::typescript::script::{bare, is_function};

/// What a count counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Counted {
    /// All sessions, or those of the transport that stays.
    All,
    /// Those of a transport that is gone.
    None,
    /// Some of them.
    Some,
}

impl<'w> Fold<'w> {
    /// `table.size`, `Object.keys(table).length`.
    pub(super) fn counts(&self, unit: usize) -> Vec<Node<'w>> {
        let counted = self.all_counts(unit).into_iter().filter(|(_, what)| *what == Counted::All);
        counted.map(|(node, _)| node).chain(self.asked_alive(unit).into_iter().map(|(node, _)| node)).collect()
    }

    /// `Object.values(table).filter((t) => t instanceof SSEServerTransport).length`.
    pub(super) fn counts_of_none(&self, unit: usize) -> Vec<Node<'w>> {
        self.all_counts(unit).into_iter().filter(|(_, what)| *what == Counted::None).map(|(node, _)| node).collect()
    }

    fn all_counts(&self, unit: usize) -> Vec<(Node<'w>, Counted)> {
        let mut out = Vec::new();
        for table in self.places(unit, &Fact::Table) {
            match self.climb(unit, table) {
                Reached::Count(node, what) => out.push((node, what)),
                // `const all = Object.values(table)`.
                Reached::Variable(name) => {
                    let file = &self.world.units[unit];
                    let Some(symbol) = file.symbol(name) else { continue };
                    let uses = self.uses(unit, (unit, symbol)).into_iter();
                    out.extend(uses.filter(|used| *used != name && !self.edits[unit].gone(*used)).filter_map(|used| {
                        match self.climb(unit, used) {
                            Reached::Count(node, what) => Some((node, what)),
                            _ => None,
                        }
                    }));
                }
                Reached::Other => {}
            }
        }
        out
    }

    /// Follows what is made of a table of sessions, or of a list of them.
    fn climb(&self, unit: usize, from: Node<'w>) -> Reached<'w> {
        let script = &self.world.units[unit].script;
        let property = |node: Node<'w>| node.child_by_field_name("property").map_or("", |name| script.of(name));
        let (mut node, mut what) = (from, Counted::All);
        for _ in 0..8 {
            let Some(parent) = node.parent() else { break };
            match parent.kind() {
                "member_expression" if matches!(property(parent), "size" | "length") => {
                    return Reached::Count(parent, what);
                }
                "member_expression" if property(parent) == "filter" => {
                    let Some(call) = parent.parent().filter(|call| call.kind() == "call_expression") else { break };
                    what = self.filtered(unit, call);
                    node = call;
                }
                "member_expression" | "call_expression" | "arguments" | "spread_element" | "array" => node = parent,
                "variable_declarator" if what == Counted::All => {
                    let name = parent.child_by_field_name("name").filter(|name| name.kind() == "identifier");
                    return name.map_or(Reached::Other, Reached::Variable);
                }
                _ => break,
            }
        }
        Reached::Other
    }

    /// What `.filter((t) => t instanceof X)` leaves of sessions.
    fn filtered(&self, unit: usize, call: Node<'w>) -> Counted {
        let file = &self.world.units[unit];
        let test = self.argument(call, 0).filter(|callback| is_function(*callback));
        let test = test.and_then(|callback| callback.child_by_field_name("body")).map(bare);
        let test = test.filter(|test| {
            test.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "instanceof")
        });
        let Some(class) = test.and_then(|test| test.child_by_field_name("right")) else { return Counted::Some };
        let name = file.script.of(class);
        let constructs = |wanted: &Fact| {
            self.all_places(unit, wanted)
                .into_iter()
                .any(|made| made.child_by_field_name("constructor").is_some_and(|class| file.script.of(class) == name))
        };
        match (constructs(&Fact::Construct), constructs(&Fact::Sse)) {
            (true, false) => Counted::All,
            (false, true) => Counted::None,
            _ => Counted::Some,
        }
    }
}

/// Where following leads.
enum Reached<'t> {
    /// A count.
    Count(Node<'t>, Counted),
    /// A variable that holds a list.
    Variable(Node<'t>),
    /// Something else.
    Other,
}
