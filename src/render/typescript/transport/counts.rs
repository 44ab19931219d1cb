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
        self.all_counts(unit).into_iter().filter(|(_, what)| *what == Counted::All).map(|(node, _)| node).collect()
    }

    /// `Object.values(table).filter((t) => t instanceof SSEServerTransport).length`.
    pub(super) fn counts_of_none(&self, unit: usize) -> Vec<Node<'w>> {
        self.all_counts(unit).into_iter().filter(|(_, what)| *what == Counted::None).map(|(node, _)| node).collect()
    }

    fn all_counts(&self, unit: usize) -> Vec<(Node<'w>, Counted)> {
        let mut out = Vec::new();
        for table in self.places(unit, &Fact::Table) {
            match self.climb(unit, table) {
                Reached::Count(node, Counted::All) if self.of_gone_transport(unit, table) => {
                    out.push((node, Counted::None));
                }
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
        while let Some(sum) = sum(&out) {
            let (parts, rest): (Vec<_>, Vec<_>) = out.into_iter().partition(|(count, _)| is_side(sum, *count));
            let all = parts.iter().any(|(_, what)| *what == Counted::All);
            out = rest;
            out.push((sum, if all { Counted::All } else { Counted::None }));
        }
        out
    }

    /// Whether a table holds nothing but transports that are gone: all that is put into it is one of them.
    fn of_gone_transport(&self, unit: usize, table: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let made_gone = |value: Node<'w>| {
            let init = file.symbol(value).and_then(|symbol| file.module.symbol(symbol).init);
            init.is_some_and(|init| file.facts.get(&file.module.expr(init).span) == Some(&Fact::Sse))
        };
        let name = file.script.of(table);
        let same = self.all_places(unit, &Fact::Table).into_iter().filter(|other| file.script.of(*other) == name);
        let written: Vec<Node<'w>> = same.filter_map(|other| self.put_in(unit, other)).collect();
        !written.is_empty() && written.into_iter().all(made_gone)
    }

    /// What is put into a table: `table[id] = value`, `table.set(id, value)`.
    fn put_in(&self, unit: usize, table: Node<'w>) -> Option<Node<'w>> {
        let parent = table.parent()?;
        let around = parent.parent()?;
        match parent.kind() {
            "subscript_expression" => (around.child_by_field_name("left") == Some(parent))
                .then(|| around.child_by_field_name("right"))
                .flatten(),
            "member_expression" => {
                let put = self.table_call(unit, around).is_some_and(|name| matches!(name, "set" | "put"));
                put.then(|| self.argument(around, 1)).flatten()
            }
            _ => None,
        }
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

/// A sum of two counts, neither of which counts some sessions only.
fn sum<'t>(counts: &[(Node<'t>, Counted)]) -> Option<Node<'t>> {
    let whole = |side: Option<Node<'t>>| {
        let side = side.map(bare);
        counts.iter().any(|(count, what)| *what != Counted::Some && Some(*count) == side)
    };
    let parents = counts.iter().filter_map(|(count, _)| outermost(*count).parent());
    parents.into_iter().find(|parent| {
        parent.kind() == "binary_expression"
            && parent.child_by_field_name("operator").is_some_and(|operator| operator.kind() == "+")
            && whole(parent.child_by_field_name("left"))
            && whole(parent.child_by_field_name("right"))
    })
}

/// Whether a count is a side of a sum.
fn is_side(sum: Node<'_>, count: Node<'_>) -> bool {
    ["left", "right"].iter().any(|side| sum.child_by_field_name(side).map(bare) == Some(count))
}

/// A node with the brackets around it.
fn outermost(node: Node<'_>) -> Node<'_> {
    std::iter::successors(Some(node), |node| node.parent().filter(|parent| parent.kind() == "parenthesized_expression"))
        .last()
        .unwrap_or(node)
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
