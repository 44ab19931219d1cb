//! State that records hold beside the transport moves to a table of its own.

mod places;
mod types;
mod writes;

use tree_sitter::Node;

use super::handle::edits::Edits;
use super::handle::finished;
use super::imports::Wanted;
use super::script::{Script, children, is_statement, span};
use super::scripts::{Code, Scripts, declaration, is_declared};
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::Place;
use crate::plan::records::Records;
use crate::render::{Change, Files, Refused, Rendered};

/// What is at hand while a table is taken apart.
pub struct Work<'r> {
    /// What to do.
    pub records: &'r Records,
    /// The files.
    pub scripts: &'r Scripts<'r>,
    /// The file of the table.
    pub script: &'r Script,
    /// The name at the table's declaration.
    pub name: Node<'r>,
    /// The changes.
    pub edits: Edits,
    /// Names that files need: the file, the module, the name, and whether it is a type.
    pub wanted: Vec<(String, String, String, bool)>,
    /// Imports that name the new type in the place of the old one: the file, the import, and the change of its only name.
    pub renamed: Vec<(String, Span, Change)>,
}

/// Renders it.
pub fn render(records: &Records, files: &dyn Files) -> Result<Rendered, Refused> {
    let scripts = Scripts::new(files);
    let Code { script, node: name } = scripts.at(&records.declared)?;
    let mut work = Work {
        records,
        scripts: &scripts,
        script,
        name,
        edits: Edits::default(),
        wanted: Vec::new(),
        renamed: Vec::new(),
    };
    work.names_are_free()?;
    let declared = work.declared()?;
    types::part(&mut work, declared)?;
    for written in &records.written {
        writes::write(&mut work, written)?;
    }
    for dropped in &records.dropped {
        writes::drop(&mut work, dropped)?;
    }
    for apart in &records.apart {
        writes::apart(&mut work, apart)?;
    }
    for tick in &records.ticks {
        let (script, node) = scripts.expression(tick)?;
        let whole = node.parent().filter(|parent| parent.kind() == "expression_statement" && is_statement(*parent));
        let whole = whole.ok_or_else(|| {
            script.refuse(node, "a tool notes here when the session was used", "let it do so in a statement of its own")
        })?;
        work.edits.cut(script, script.removal(whole));
    }
    for turned in &records.turned {
        work.turn(turned)?;
    }
    let mut out = Rendered::default();
    for path in work.edits.paths() {
        let script = scripts.open(&path)?;
        let own = work.wanted.iter().filter(|(file, ..)| *file == path);
        let mut wanted: Vec<Wanted<'_>> = Vec::new();
        for (_, source, name, is_type) in own {
            let want = Wanted { source, name, alias: None, is_type: *is_type };
            if !wanted.contains(&want) {
                wanted.push(want);
            }
        }
        let mut changes = finished(script, work.edits.of(&path), wanted);
        for (_, import, change) in work.renamed.iter().filter(|(file, ..)| *file == path) {
            // The old name is used no more: nothing but that took the import out.
            let meets = |change: &Change| change.span.start < import.end && import.start < change.span.end;
            changes.retain(|change| !(meets(change) && change.text.is_empty()));
            changes.push(change.clone());
        }
        out.changes.extend(changes);
    }
    Ok(out)
}

impl<'r> Work<'r> {
    fn names_are_free(&self) -> Result<(), Refused> {
        let table = self.records.place == Place::Module && is_declared(self.script, &self.records.table);
        let state = self.script.typed() && is_declared(self.script, &self.records.state);
        let taken = if table { &self.records.table } else { &self.records.state };
        match table || state {
            true => Err(self.script.refuse(
                self.name,
                format!("`{taken}` is needed as a name, and means something else in this file already"),
                "give that another name, then run this again",
            )),
            false => Ok(()),
        }
    }

    /// The declaration of the table, which makes nothing else.
    fn declared(&self) -> Result<Node<'r>, Refused> {
        let refused = || self.script.refuse(self.name, "how this table is declared can't be told", "declare it alone");
        let owner = self.name.parent().ok_or_else(refused)?;
        let whole = match owner.kind() {
            "public_field_definition" | "field_definition" => Some(owner),
            "variable_declarator" => {
                owner.parent().filter(|list| children(*list).len() == 1).map(|list| match list.parent() {
                    Some(outer) if outer.kind() == "export_statement" => outer,
                    _ => list,
                })
            }
            _ => None,
        };
        let whole = whole.ok_or_else(refused)?;
        let made = self.records.made.path == self.script.path && span(whole).contains(self.records.made.span);
        if made { Ok(whole) } else { Err(refused()) }
    }

    /// How the new table is called where the old one is called by an expression.
    pub fn table_at(&self, site: &Site) -> Result<(&'r Script, String), Refused> {
        let (script, node) = self.scripts.expression(site)?;
        let (_, own) = self.own_name(script, node)?;
        let (whole, name) = (span(node), span(own));
        let before = &script.text()[whole.start as usize..name.start as usize];
        let after = &script.text()[name.end as usize..whole.end as usize];
        Ok((script, format!("{before}{}{after}", self.spelled(script, own))))
    }

    fn spelled(&self, script: &Script, own: Node<'_>) -> String {
        let private = if script.of(own).starts_with('#') { "#" } else { "" };
        format!("{private}{}", self.records.table)
    }

    /// The name of the table in an expression that is the table.
    fn own_name<'s>(&self, script: &'s Script, node: Node<'s>) -> Result<(&'s Script, Node<'s>), Refused> {
        let own = match node.kind() {
            "member_expression" => node.child_by_field_name("property"),
            "identifier" => Some(node),
            _ => None,
        };
        let same = |own: &Node<'_>| script.of(*own) == self.script.of(self.name);
        own.filter(same).map(|own| (script, own)).ok_or_else(|| {
            script.refuse(node, "the table has another name here", "call it by the name that it was declared with")
        })
    }

    /// Puts the new table in the place of the old one.
    fn turn(&mut self, site: &Site) -> Result<(), Refused> {
        let (script, node) = self.scripts.expression(site)?;
        if self.edits.covers(&script.path, span(node)) {
            return Ok(());
        }
        let (_, own) = self.own_name(script, node)?;
        let text = self.spelled(script, own);
        self.edits.replace(script, span(own), text);
        self.import_table(script, node)
    }

    /// A file that imports the old table imports the new one.
    pub fn import_table(&mut self, script: &'r Script, node: Node<'_>) -> Result<(), Refused> {
        if node.kind() != "identifier" {
            return Ok(());
        }
        let refused = || script.refuse(node, "where this table comes from can't be told", "import it by its own name");
        let code = Code { script, node: script.tree.root_node() };
        let found = declaration(Code { script, node: script.node(span(node)).unwrap_or(code.node) }, script.of(node));
        let found = found.ok_or_else(refused)?.node;
        if script.path == self.script.path && span(found).contains(span(self.name)) {
            return Ok(());
        }
        let source = types::source_of(script, found).ok_or_else(refused)?;
        self.wanted.push((script.path.clone(), source, self.records.table.clone(), false));
        Ok(())
    }
}
