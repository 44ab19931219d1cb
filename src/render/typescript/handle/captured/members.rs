//! Members of types that go with the entries that they describe.

use tree_sitter::Node;

use super::super::edits::Edits;
use super::handed::of_list;
use crate::model::facts::Span;
use crate::plan::handle::handed::Handed;
use crate::render::Refused;
use crate::render::typescript::script::{Script, children, span};
use crate::render::typescript::scripts::{Code, Scripts, declaration};

/// Takes members out of the type of a table's records.
pub fn of_tables(scripts: &Scripts<'_>, handed: &Handed, keys: &[String], edits: &mut Edits) -> Result<(), Refused> {
    for site in &handed.tables {
        let script = scripts.of(site)?;
        if !script.typed() {
            continue;
        }
        let refused =
            |node: Node<'_>| script.refuse(node, "how this table is declared can't be told", "declare it alone");
        let root = script.tree.root_node();
        let name = script.around(site.span).ok_or_else(|| refused(root))?;
        let declarator = name.parent().ok_or_else(|| refused(name))?;
        let types = [
            declarator.child_by_field_name("type"),
            declarator.child_by_field_name("value").and_then(|made| made.child_by_field_name("type_arguments")),
        ];
        for key in keys {
            let mut found = false;
            for ty in types.into_iter().flatten() {
                found |= within(scripts, script, ty, key, edits)?;
            }
            if !found {
                return Err(script.refuse(
                    name,
                    format!("which type has `{key}` can't be told"),
                    "write the type of the records",
                ));
            }
        }
    }
    Ok(())
}

/// Takes a member out of the type that a parameter is written with.
pub fn of_type(
    scripts: &Scripts<'_>,
    script: &Script,
    ty: Node<'_>,
    key: &str,
    edits: &mut Edits,
) -> Result<(), Refused> {
    match within(scripts, script, ty, key, edits)? {
        true => Ok(()),
        false => Err(script.refuse(ty, format!("which type has `{key}` can't be told"), "declare it as an interface")),
    }
}

/// The type of a member of a type that this file writes out or declares.
pub fn written(scripts: &Scripts<'_>, script: &Script, ty: Node<'_>, key: &str) -> Option<String> {
    let ty = children(ty).first().copied()?;
    let body = match ty.kind() {
        "object_type" => ty,
        "type_identifier" => {
            let home = declared(scripts, Code { script, node: ty }).filter(|home| home.script.path == script.path)?;
            let plain = home.node.child_by_field_name("type_parameters").is_none();
            home.node
                .child_by_field_name("body")
                .or_else(|| home.node.child_by_field_name("value"))
                .filter(|_| plain)?
        }
        _ => return None,
    };
    let named = |node: &Node<'_>| node.child_by_field_name("name").is_some_and(|name| script.of(name) == key);
    let member = children(body).into_iter().find(named).filter(|member| member.kind() == "property_signature")?;
    let optional = script.of(member).trim_start_matches("readonly ").trim_start_matches(key).starts_with('?');
    let own = member.child_by_field_name("type").and_then(|ty| children(ty).first().copied())?;
    (!optional && matches!(own.kind(), "type_identifier" | "generic_type" | "array_type"))
        .then(|| script.of(own).to_owned())
}

/// Takes a member out of the types that are named or written in a node. Whether one had it.
fn within(scripts: &Scripts<'_>, script: &Script, ty: Node<'_>, key: &str, edits: &mut Edits) -> Result<bool, Refused> {
    let mut found = false;
    let mut stack = vec![ty];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "object_type" | "interface_body" => found |= member(script, node, key, edits)?,
            "type_identifier" => {
                let Some(home) = declared(scripts, Code { script, node }) else { continue };
                let body = match home.node.kind() {
                    "interface_declaration" => home.node.child_by_field_name("body"),
                    "type_alias_declaration" => home.node.child_by_field_name("value"),
                    _ => None,
                };
                if let Some(body) = body.filter(|body| matches!(body.kind(), "object_type" | "interface_body")) {
                    found |= member(home.script, body, key, edits)?;
                }
            }
            _ => stack.extend(children(node)),
        }
    }
    Ok(found)
}

/// The declaration of a type, here or in the file that it is imported from.
fn declared<'s>(scripts: &'s Scripts<'_>, name: Code<'s>) -> Option<Code<'s>> {
    let found = declaration(name, name.text())?;
    if found.node.kind() != "import_specifier" {
        return Some(found);
    }
    let statement =
        std::iter::successors(Some(found.node), Node::parent).find(|node| node.kind() == "import_statement")?;
    let source = name.script.of(statement.child_by_field_name("source")?).trim_matches(['\'', '"']);
    let file = scripts.by_path(&scripts.resolve(&name.script.path, source)?)?;
    let own = name.script.of(found.node.child_by_field_name("name")?);
    declaration(Code { script: file, node: file.tree.root_node() }, own)
}

fn member(script: &Script, body: Node<'_>, key: &str, edits: &mut Edits) -> Result<bool, Refused> {
    let named = |node: &Node<'_>| node.child_by_field_name("name").is_some_and(|name| script.of(name) == key);
    let Some(member) = children(body).into_iter().find(named) else { return Ok(false) };
    let several = script.of(body).contains('\n');
    let mut end = member.end_byte();
    if script.text()[end..].starts_with([';', ',']) {
        end += 1;
    }
    let start = script.line_start(script.with_comments(member));
    let own_lines =
        script.text()[start..member.start_byte()].trim().is_empty() || start < script.line_start(member.start_byte());
    match several && own_lines {
        true => edits.cut(script, Span::new(start, script.line_end(end))),
        false if children(body).len() == 1 => edits.cut(script, span(member)),
        false => edits.cut(script, of_list(script, member)?),
    }
    Ok(true)
}
