//! Functions that go, with what lists them: the object that hands them out, and the type that names its members.

use tree_sitter::Node;

use super::edits::item;
use super::fold::{Fold, any};
use crate::render::typescript::script::{bare, children, enclosing_function, span};

impl<'w> Fold<'w> {
    /// Takes a function away that nothing calls any more. One that an object hands out goes off that too; where it is not seen what
    /// type the object has to have, it stays.
    pub(super) fn remove_function(&mut self, unit: usize, function: Node<'w>) {
        let script = &self.world.units[unit].script;
        let parent = function.parent();
        let own = match function.kind() {
            "method_definition" if parent.is_some_and(|parent| parent.kind() == "object") => function,
            "method_definition" => {
                if let Some(members) = self.members_of_class(unit, function) {
                    self.remove_declaration(unit, function);
                    self.cut_members(members);
                }
                return;
            }
            "function_declaration" => {
                let name = function.child_by_field_name("name");
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

    /// Whether a class is made of which nothing is left, and whose constructor does nothing.
    pub(super) fn makes_nothing(&self, unit: usize, made: Node<'w>) -> bool {
        let name = made.child_by_field_name("constructor").filter(|_| made.kind() == "new_expression");
        let Some(name) = name.map(|name| self.world.units[unit].script.of(name)) else { return false };
        let arguments = made.child_by_field_name("arguments").map_or_else(Vec::new, children);
        let mut classes = Vec::new();
        for (at, file) in self.world.units.iter().enumerate() {
            any(file.script.tree.root_node(), &mut |node| {
                let own = node.kind() == "class_declaration"
                    && node.child_by_field_name("name").is_some_and(|own| file.script.of(own) == name);
                classes.extend(own.then_some((at, node)));
                false
            });
        }
        let [(at, class)] = classes.as_slice() else { return false };
        let heritage = children(*class).into_iter().find(|node| node.kind() == "class_heritage");
        let extends = heritage.is_some_and(|node| children(node).iter().any(|part| part.kind() == "extends_clause"));
        let members = class.child_by_field_name("body").map_or_else(Vec::new, children);
        let nothing = |member: &Node<'w>| {
            let constructs = member
                .child_by_field_name("name")
                .is_some_and(|name| self.world.units[*at].script.of(name) == "constructor");
            let empty = member.child_by_field_name("body").is_some_and(|body| children(body).is_empty());
            self.edits[*at].gone(*member) || constructs && empty
        };
        !extends
            && self.edits[*at].touches(span(*class))
            && members.iter().all(nothing)
            && arguments.into_iter().all(|argument| self.quiet(unit, argument))
    }

    /// Says so where what kept sessions could be handed in: `options.store ?? new MemoryStore()`.
    pub(super) fn note_option(&mut self, unit: usize, value: Node<'w>) {
        let sides = [value.child_by_field_name("left"), value.child_by_field_name("right")].map(|side| side.map(bare));
        if let [Some(given), Some(made)] = sides
            && given.kind() == "member_expression"
            && self.makes_nothing(unit, made)
        {
            let option = self.world.units[unit].script.of(given);
            self.raise(&format!(
                "`{option}` kept sessions where it was given, and is not asked any more: take it off with a word to who may give it."
            ));
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
            "type_identifier" => self.declared_type(script.of(ty), 0)?,
            _ => return None,
        };
        let script = &self.world.units[body.0].script;
        let mut found = children(body.1)
            .into_iter()
            .filter(|member| member.child_by_field_name("name").is_some_and(|known| script.of(known) == name));
        let member = found.next()?;
        found.next().is_none().then(|| vec![(body.0, member)])
    }

    /// The members of written types that name a method of a class; `None` where its type is written, and not seen.
    fn members_of_class(&self, unit: usize, method: Node<'w>) -> Option<Vec<(usize, Node<'w>)>> {
        let script = &self.world.units[unit].script;
        let name = script.of(method.child_by_field_name("name")?);
        let class = method.parent().and_then(|body| body.parent())?;
        let heritage = children(class).into_iter().find(|node| node.kind() == "class_heritage");
        let implemented =
            heritage.map_or_else(Vec::new, children).into_iter().filter(|node| node.kind() == "implements_clause");
        let mut out = Vec::new();
        for ty in implemented.flat_map(children) {
            let (at, body) = self.declared_type(script.of(ty), 1)?;
            let script = &self.world.units[at].script;
            let own =
                |member: &Node<'w>| member.child_by_field_name("name").is_some_and(|known| script.of(known) == name);
            out.extend(children(body).into_iter().filter(own).map(|member| (at, member)));
        }
        Some(out)
    }

    /// The members of the only interface or type of a name; `None` where more classes have to have them than are known.
    fn declared_type(&self, name: &str, classes: usize) -> Option<(usize, Node<'w>)> {
        let mut found = Vec::new();
        let mut shared = 0;
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
                        shared += children(node).into_iter().filter(|of| file.script.of(*of) == name).count();
                    }
                    _ => {}
                }
                false
            });
        }
        let [(unit, body)] = found.as_slice() else { return None };
        (shared <= classes && matches!(body.kind(), "interface_body" | "object_type")).then_some((*unit, *body))
    }
}
