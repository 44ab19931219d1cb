//! Fields of a request in which the transport of its session was handed on: where nothing uses them any more, nothing declares them.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::fold::{Fold, any};
use super::machine::Machine;
use super::value::Value;
use super::world::World;
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::transport::Fact;
use crate::render::typescript::script::{children, span, statement};
use crate::render::{Change, Refused, all};

/// Calls that tell a framework of a field that requests have.
const DECORATES: &[&str] = &["decorateRequest", "decorate"];

impl<'w> Machine<'w> {
    /// What a field of the request holds. Without sessions nobody leaves anything there, but for what is made for the request itself.
    pub(super) fn carried(&self, field: Node<'_>) -> Value {
        let name = field.child_by_field_name("property").map_or("", |name| self.text(name));
        self.carried.get(name).cloned().unwrap_or(Value::Gone)
    }

    pub(super) fn carry(&mut self, field: Node<'_>, value: Value) {
        let before = self.carried(field);
        let after = before.clone().join(value);
        let name = field.child_by_field_name("property").map_or("", |name| self.text(name));
        if after != before {
            self.changed = true;
            self.carried.insert(name, after);
        }
    }
}

impl<'w> Fold<'w> {
    /// Takes the declarations of fields away that carried the transport of a session, and that nothing uses any more.
    pub(super) fn undecorate(&mut self) {
        let names = carried(self.world);
        let used = |name: &str| {
            self.world.units.iter().enumerate().any(|(unit, file)| {
                any(file.script.tree.root_node(), &mut |node| {
                    node.kind() == "member_expression"
                        && node.child_by_field_name("property").is_some_and(|field| file.script.of(field) == name)
                        && !self.edits[unit].gone(node)
                })
            })
        };
        let unused: Vec<&str> = names.into_iter().filter(|name| !used(name)).collect();
        for unit in 0..self.world.units.len() {
            let root = self.world.units[unit].script.tree.root_node();
            let mut found = Vec::new();
            any(root, &mut |node| {
                if self.decorates(unit, node, &unused) {
                    found.push(statement(node));
                } else if node.kind() == "property_signature" && self.names_field(unit, node, &unused) {
                    found.extend(augmentation(node));
                }
                false
            });
            for node in found {
                self.remove(unit, node);
            }
        }
    }

    /// `app.decorateRequest('mcpTransport', null)`.
    fn decorates(&self, unit: usize, node: Node<'w>, names: &[&str]) -> bool {
        let script = &self.world.units[unit].script;
        let callee = node.child_by_field_name("function").filter(|_| node.kind() == "call_expression");
        let method = callee.and_then(|callee| callee.child_by_field_name("property")).map(|name| script.of(name));
        let named = || {
            let first = self.argument(node, 0).filter(|first| first.kind() == "string");
            first.is_some_and(|first| names.contains(&script.of(first).trim_matches(['"', '\''])))
        };
        let alone = node.parent().is_some_and(|parent| parent.kind() == "expression_statement");
        method.is_some_and(|method| DECORATES.contains(&method)) && named() && alone
    }

    fn names_field(&self, unit: usize, signature: Node<'w>, names: &[&str]) -> bool {
        let name = signature.child_by_field_name("name");
        name.is_some_and(|name| names.contains(&self.world.units[unit].script.of(name)))
    }
}

/// What goes with a field that other code's interface is given here: it, or all around it that holds nothing else.
fn augmentation(field: Node<'_>) -> Option<Node<'_>> {
    let around = |node: &Node<'_>| matches!(node.kind(), "ambient_declaration" | "module" | "internal_module");
    std::iter::successors(field.parent(), Node::parent).find(around)?;
    let mut whole = field;
    while let Some(parent) = whole.parent().filter(|parent| parent.kind() != "program") {
        // The name and the body.
        let parts = children(parent);
        let holds_more = match parent.kind() {
            "interface_body" | "object_type" | "statement_block" => parts.len() > 1,
            "interface_declaration" | "module" | "internal_module" | "ambient_declaration" | "expression_statement" => {
                false
            }
            _ => true,
        };
        if holds_more {
            break;
        }
        whole = parent;
    }
    Some(whole)
}

/// The names of fields that carry the transport of a session.
fn carried(world: &World) -> FxHashSet<&str> {
    let mut out = FxHashSet::default();
    for unit in &world.units {
        for (at, _) in unit.facts.iter().filter(|(_, fact)| **fact == Fact::Carried) {
            let field = unit.script.node(*at).and_then(|node| node.child_by_field_name("property"));
            out.extend(field.map(|field| unit.script.of(field)));
        }
    }
    out
}

/// Refuses where a handler still reads such a field, and nothing puts a transport into it any more.
pub fn check(world: &World, changes: &[Vec<Change>]) -> Result<(), Refused> {
    let mut read: Vec<(Site, &str)> = Vec::new();
    let mut written = FxHashSet::default();
    for (unit, own) in world.units.iter().zip(changes) {
        let gone = |at: Span| own.iter().any(|change| change.span.contains(at) && change.span.start < change.span.end);
        let left = unit.facts.iter().filter(|(at, fact)| **fact == Fact::Carried && !gone(**at));
        for node in left.filter_map(|(at, _)| unit.script.node(*at)) {
            let Some(name) = node.child_by_field_name("property").map(|name| unit.script.of(name)) else { continue };
            if node.parent().is_some_and(|parent| parent.child_by_field_name("left") == Some(node)) {
                written.insert(name);
            } else {
                read.push((Site { path: unit.script.path.clone(), span: span(node) }, name));
            }
        }
    }
    read.sort();
    all(read.into_iter().filter(|(_, name)| !written.contains(name)).map(|(at, name)| {
        Err(Refused {
            at,
            why: format!("`{name}` is read here, and without sessions nothing is put into it"),
            todo: "make server and transport in this handler instead, then run again".to_owned(),
            also: Vec::new(),
        })
    }))
}
