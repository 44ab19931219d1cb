//! Functions that go, with what lists them: the object that hands them out, and the type that names its members.

use tree_sitter::Node;

use super::edits::item;
use super::fold::{Fold, any};
use crate::render::typescript::script::{children, enclosing_function};

impl<'w> Fold<'w> {
    /// Takes a function away that nothing calls any more. One that an object hands out goes off that too; where it is not seen what
    /// type the object has to have, it stays.
    pub(super) fn remove_function(&mut self, unit: usize, function: Node<'w>) {
        let script = &self.world.units[unit].script;
        let parent = function.parent();
        let own = match function.kind() {
            "method_definition" if parent.is_some_and(|parent| parent.kind() == "object") => function,
            "function_declaration" | "method_definition" => {
                let name = function.child_by_field_name("name").filter(|_| function.kind() == "function_declaration");
                if self.unlist(unit, name) {
                    self.remove_declaration(unit, function);
                }
                return;
            }
            _ => match parent {
                Some(pair) if pair.kind() == "pair" => pair,
                Some(declarator) if declarator.kind() == "variable_declarator" => {
                    if let Some(declaration) = declarator.parent()
                        && self.unlist(unit, declarator.child_by_field_name("name"))
                    {
                        self.remove_declaration(unit, declaration);
                    }
                    return;
                }
                _ => return,
            },
        };
        // Code that tells of sessions alone may leave others of a kind without one, a logger without `info`.
        if !self.speaks_of_sessions(unit, function) {
            return;
        }
        if let Some(members) = self.members_of(unit, own) {
            self.edits[unit].cut(item(script, own));
            self.cut_members(members);
        }
    }

    /// Takes a function off the objects that hand it out by its name. Whether that is possible.
    fn unlist(&mut self, unit: usize, name: Option<Node<'w>>) -> bool {
        let file = &self.world.units[unit];
        let Some((name, symbol)) = name.and_then(|name| Some((name, file.symbol(name)?))) else { return true };
        let entries: Vec<Node<'w>> = self
            .uses(unit, (unit, symbol))
            .into_iter()
            .filter(|used| *used != name && !self.edits[unit].gone(*used))
            .filter_map(|used| match used.parent() {
                Some(_) if used.kind() == "shorthand_property_identifier" => Some(used),
                Some(pair) if pair.kind() == "pair" => Some(pair),
                _ => None,
            })
            .collect();
        let members: Option<Vec<_>> = entries.iter().map(|entry| self.members_of(unit, *entry)).collect();
        let Some(members) = members else { return false };
        for entry in entries {
            self.edits[unit].cut(item(&file.script, entry));
        }
        members.into_iter().for_each(|members| self.cut_members(members));
        true
    }

    fn cut_members(&mut self, members: Vec<(usize, Node<'w>)>) {
        for (unit, member) in members {
            self.edits[unit].cut(self.world.units[unit].script.removal(member));
        }
    }

    /// The members of written types that name an entry of an object; `None` where its type is written, and not seen.
    fn members_of(&self, unit: usize, entry: Node<'w>) -> Option<Vec<(usize, Node<'w>)>> {
        let script = &self.world.units[unit].script;
        let key = entry.child_by_field_name("key").or(entry.child_by_field_name("name")).unwrap_or(entry);
        let name = script.of(key).trim_matches(['"', '\'']);
        let object = entry.parent().filter(|object| object.kind() == "object")?;
        let ty = match object.parent().map(|parent| (parent, parent.kind())) {
            Some((declarator, "variable_declarator")) => declarator.child_by_field_name("type"),
            Some((_, "return_statement" | "parenthesized_expression" | "arrow_function")) => {
                enclosing_function(object).and_then(|function| function.child_by_field_name("return_type"))
            }
            _ => return None,
        };
        let Some(ty) = ty.and_then(|ty| children(ty).first().copied()) else { return Some(Vec::new()) };
        let body = match ty.kind() {
            "object_type" => (unit, ty),
            "type_identifier" => self.declared_type(script.of(ty))?,
            _ => return None,
        };
        let script = &self.world.units[body.0].script;
        let mut found = children(body.1)
            .into_iter()
            .filter(|member| member.child_by_field_name("name").is_some_and(|known| script.of(known) == name));
        let member = found.next()?;
        found.next().is_none().then(|| vec![(body.0, member)])
    }

    /// The members of the only interface or type of a name; `None` where a class has to have them as well.
    fn declared_type(&self, name: &str) -> Option<(usize, Node<'w>)> {
        let mut found = Vec::new();
        let mut shared = false;
        for (unit, file) in self.world.units.iter().enumerate() {
            any(file.script.tree.root_node(), &mut |node| {
                let named = || node.child_by_field_name("name").is_some_and(|own| file.script.of(own) == name);
                match node.kind() {
                    "interface_declaration" if named() => {
                        found.extend(node.child_by_field_name("body").map(|at| (unit, at)))
                    }
                    "type_alias_declaration" if named() => {
                        found.extend(node.child_by_field_name("value").map(|at| (unit, at)));
                    }
                    "implements_clause" | "extends_type_clause" => {
                        shared |= children(node).into_iter().any(|of| file.script.of(of) == name);
                    }
                    _ => {}
                }
                false
            });
        }
        let [(unit, body)] = found.as_slice() else { return None };
        (!shared && matches!(body.kind(), "interface_body" | "object_type")).then_some((*unit, *body))
    }
}
