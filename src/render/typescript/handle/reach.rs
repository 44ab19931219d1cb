//! Names that code in another file needs: how it imports them, and that they are exported.

use tree_sitter::Node;

use super::work::{Import, Work};
use crate::model::facts::Span;
use crate::render::Refused;
use crate::render::typescript::imports::common_js;
use crate::render::typescript::script::{Script, children};
use crate::render::typescript::tools::pair;
use crate::workspace::paths;

const ENDS: [&str; 8] = ["ts", "js", "mts", "mjs", "cts", "cjs", "tsx", "jsx"];

/// A path without its extension.
fn stem(path: &str) -> &str {
    ENDS.iter().find_map(|end| path.strip_suffix(end)?.strip_suffix('.')).unwrap_or(path)
}

/// How a file imports another one: as it does already, else in the way in which it imports others.
pub fn specifier(script: &Script, target: &str) -> String {
    let sources = relative_sources(script);
    let dir = paths::parent(&script.path);
    let same = |source: &&&str| paths::join(dir, source).is_some_and(|path| stem(&path) == stem(target));
    if let Some(known) = sources.iter().find(same) {
        return (*known).to_owned();
    }
    let end = match sources.first() {
        Some(source) => ENDS.iter().find(|end| source.ends_with(&format!(".{end}"))).copied(),
        None if common_js(script) => None,
        None => Some(if target.ends_with(".mjs") || target.ends_with(".mts") { "mjs" } else { "js" }),
    };
    let mut from: Vec<&str> = dir.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let mut to: Vec<&str> = stem(target).split('/').collect();
    while from.first().is_some_and(|first| to.len() > 1 && to[0] == *first) {
        from.remove(0);
        to.remove(0);
    }
    let up = if from.is_empty() { "./".to_owned() } else { "../".repeat(from.len()) };
    format!("{up}{}{}", to.join("/"), end.map(|end| format!(".{end}")).unwrap_or_default())
}

fn relative_sources(script: &Script) -> Vec<&str> {
    let mut out = Vec::new();
    for node in children(script.tree.root_node()) {
        let source = match node.child_by_field_name("source") {
            Some(source) => Some(source),
            None => required(script, node),
        };
        let source = source.map(|source| script.of(source).trim_matches(['\'', '"']));
        out.extend(source.filter(|source| source.starts_with('.')));
    }
    out
}

/// The source of `const … = require('source')`.
fn required<'t>(script: &Script, node: Node<'t>) -> Option<Node<'t>> {
    let value = children(node).first()?.child_by_field_name("value")?;
    let callee = value.child_by_field_name("function")?;
    (script.of(callee) == "require")
        .then(|| children(value.child_by_field_name("arguments")?).first().copied())
        .flatten()
}

/// Imports a name of one file's top level in another, that of a type as one.
pub fn bring(work: &mut Work<'_>, script: &Script, origin: &Script, name: Node<'_>) -> Result<(), Refused> {
    let text = origin.of(name);
    let is_type = name.kind() == "type_identifier";
    if let Some((source, exported)) = imported(origin, text) {
        let source = match source.starts_with('.') {
            true => paths::join(paths::parent(&origin.path), source).map(|path| specifier(script, &path)),
            false => Some(source.to_owned()),
        };
        if let Some(source) = source.filter(|_| exported == text) {
            work.wanted.push(Import { is_type, ..Import::value(script, source, text) });
            return Ok(());
        }
        return Err(out_of_reach(origin, script, name));
    }
    export(work, origin, text).ok_or_else(|| out_of_reach(origin, script, name))?;
    let source = specifier(script, &origin.path);
    work.wanted.push(Import { is_type, ..Import::value(script, source, text) });
    Ok(())
}

fn out_of_reach(origin: &Script, script: &Script, name: Node<'_>) -> Refused {
    origin.refuse(
        name,
        format!("the first value depends on `{}`, which {} does not have", origin.of(name), script.path),
        "export it, and import it beside the tools",
    )
}

/// Where a file has a name from: the source, and the name there.
fn imported<'s>(script: &'s Script, name: &str) -> Option<(&'s str, &'s str)> {
    for statement in children(script.tree.root_node()).into_iter().filter(|node| node.kind() == "import_statement") {
        let source = script.of(statement.child_by_field_name("source")?).trim_matches(['\'', '"']);
        let mut stack = children(statement);
        while let Some(node) = stack.pop() {
            if node.kind() == "import_specifier" {
                let exported = node.child_by_field_name("name")?;
                let local = node.child_by_field_name("alias").unwrap_or(exported);
                if script.of(local) == name {
                    return Some((source, script.of(exported)));
                }
            }
            stack.extend(children(node));
        }
    }
    None
}

/// Exports a name of a file's top level, if it is not yet.
pub fn export(work: &mut Work<'_>, script: &Script, name: &str) -> Option<()> {
    let top = children(script.tree.root_node());
    if common_js(script) && !script.typed() {
        return export_common(work, script, &top, name);
    }
    let declares = |node: Node<'_>| {
        let own = node.child_by_field_name("name").is_some_and(|found| script.of(found) == name);
        own || matches!(node.kind(), "lexical_declaration" | "variable_declaration")
            && children(node)
                .into_iter()
                .any(|declarator| declarator.child_by_field_name("name").is_some_and(|found| script.of(found) == name))
    };
    for node in &top {
        if node.kind() != "export_statement" {
            continue;
        }
        let declared = node.child_by_field_name("declaration").is_some_and(declares);
        let listed = children(*node).into_iter().any(|clause| {
            clause.kind() == "export_clause" && children(clause).into_iter().any(|known| script.of(known) == name)
        });
        if declared || listed {
            return Some(());
        }
    }
    let declaration = top.into_iter().find(|node| declares(*node))?;
    let keyword = declaration.child(0)?;
    work.edits.replace(
        script,
        crate::render::typescript::script::span(keyword),
        format!("export {}", script.of(keyword)),
    );
    Some(())
}

/// `module.exports = { … }` names it as well.
fn export_common(work: &mut Work<'_>, script: &Script, top: &[Node<'_>], name: &str) -> Option<()> {
    for node in top {
        let assignment = children(*node).first().copied().filter(|inner| inner.kind() == "assignment_expression");
        let Some(assignment) = assignment else { continue };
        let (left, right) = (assignment.child_by_field_name("left")?, assignment.child_by_field_name("right")?);
        if script.of(left) != "module.exports" || right.kind() != "object" {
            continue;
        }
        if pair(script, right, name).is_some() {
            return Some(());
        }
        // In front, where nothing that goes at the end of the list takes it along.
        let first = *children(right).first()?;
        let start = right.start_byte() + 1;
        let gap = script.slice(Span::new(start, first.start_byte()));
        let gap = if gap.trim().is_empty() { gap } else { " " };
        work.edits.insert(script, start, format!("{gap}{name},"));
        return Some(());
    }
    let one_by_one = top.iter().any(|node| script.of(*node).starts_with("exports."));
    let declares = |node: &&Node<'_>| {
        matches!(node.kind(), "lexical_declaration" | "variable_declaration")
            && children(**node)
                .into_iter()
                .any(|declarator| declarator.child_by_field_name("name").is_some_and(|found| script.of(found) == name))
    };
    let own = top.iter().find(declares).filter(|_| one_by_one)?;
    let end = if script.style.semicolons { ";" } else { "" };
    let text = format!("{}exports.{name} = {name}{end}", script.style.newline);
    work.edits.insert(script, own.end_byte(), text);
    Some(())
}
