//! Adds an import in the file's own style.

use tree_sitter::Node;

use super::script::{Script, children, span};
use super::scripts::mentions;
use crate::model::facts::Span;
use crate::render::Change;

/// A name that is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// The module specifier.
    pub source: &'a str,
    /// The exported name.
    pub name: &'a str,
    /// The name that it has here, where the exported one means something else already.
    pub alias: Option<&'a str>,
    /// It is a type: gone at run time.
    pub is_type: bool,
}

/// The local name under which a file has an export already.
pub fn local_name(script: &Script, source: &str, name: &str) -> Option<String> {
    for statement in children(script.tree.root_node()) {
        for specifier in specifiers(script, statement, source) {
            let exported = specifier.child_by_field_name("name").or_else(|| specifier.child_by_field_name("key"));
            let exported = exported.unwrap_or(specifier);
            if script.of(exported) == name {
                let local = specifier.child_by_field_name("alias").or_else(|| specifier.child_by_field_name("value"));
                return Some(script.of(local.unwrap_or(exported)).to_owned());
            }
        }
    }
    None
}

/// The name that an import's specifier has here.
fn local_of(specifier: Node<'_>) -> Option<Node<'_>> {
    specifier.child_by_field_name("alias").or_else(|| specifier.child_by_field_name("name"))
}

/// The changes that take away what a file imports and does not use.
pub fn unused(script: &Script) -> Vec<Change> {
    let root = script.tree.root_node();
    let is_used = |local: Node<'_>| mentions(script, root, script.of(local)).iter().any(|used| *used != local);
    let mut out = Vec::new();
    for statement in children(root).into_iter().filter(|node| node.kind() == "import_statement") {
        let Some(clause) = children(statement).into_iter().find(|part| part.kind() == "import_clause") else {
            continue;
        };
        let mut kept = false;
        let mut changes = Vec::new();
        for part in children(clause) {
            if part.kind() != "named_imports" {
                let local = if part.kind() == "identifier" { Some(part) } else { children(part).first().copied() };
                kept |= local.is_none_or(is_used);
                continue;
            }
            let all = children(part);
            let used: Vec<&str> =
                all.iter().filter(|one| local_of(**one).is_none_or(is_used)).map(|one| script.of(*one)).collect();
            kept |= !used.is_empty();
            if used.len() < all.len() && !used.is_empty() {
                changes.push(script.change(span(part), format!("{{ {} }}", used.join(", "))));
            }
        }
        match kept {
            true => out.extend(changes),
            false => out.push(script.change(script.removal_below_comments(statement), "")),
        }
    }
    out
}

/// The name under which a file has a module as a whole: that of its default export, or of all its exports.
pub fn whole(script: &Script, source: &str) -> Option<String> {
    let statements = children(script.tree.root_node()).into_iter();
    let clauses = statements.filter(|node| takes(script, *node, source)).flat_map(children);
    clauses.filter(|clause| clause.kind() == "import_clause").flat_map(children).find_map(|part| match part.kind() {
        "identifier" => Some(script.of(part).to_owned()),
        "namespace_import" => Some(script.of(*children(part).first()?).to_owned()),
        _ => None,
    })
}

/// Whether a statement imports from a module.
fn takes(script: &Script, node: Node<'_>, source: &str) -> bool {
    let from = node.child_by_field_name("source").map(|source| script.of(source).trim_matches(['\'', '"', '`']));
    node.kind() == "import_statement" && from == Some(source)
}

/// The changes that make the names available. Names that are there already are left out, and so are types in a file without types.
pub fn add(script: &Script, wanted: &[Wanted<'_>]) -> Vec<Change> {
    let mut sources: Vec<(&str, Vec<Wanted<'_>>)> = Vec::new();
    for want in wanted {
        if want.is_type && !script.typed() || local_name(script, want.source, want.name).is_some() {
            continue;
        }
        match sources.iter_mut().find(|(source, _)| *source == want.source) {
            Some((_, names)) if names.contains(want) => {}
            Some((_, names)) => names.push(*want),
            None => sources.push((want.source, vec![*want])),
        }
    }
    let mut fresh = Vec::new();
    let mut out = Vec::new();
    for (source, names) in sources {
        match join(script, source, &names) {
            Some(change) => out.push(change),
            None => fresh.push(statement(script, source, &names)),
        }
    }
    if !fresh.is_empty() {
        let newline = script.style.newline;
        let (at, before) = place(script);
        let text: String = fresh.iter().map(|line| format!("{line}{newline}")).collect();
        let text = if before { text } else { format!("{newline}{}", text.trim_end_matches(['\n', '\r'])) };
        out.push(script.change(Span::new(at, at), text));
    }
    out
}

/// Whether the file takes modules by `require`.
pub fn common_js(script: &Script) -> bool {
    let statements = children(script.tree.root_node());
    let imports = statements.iter().any(|node| matches!(node.kind(), "import_statement" | "export_statement"));
    !imports
        && (script.path.ends_with(".cjs")
            || script.text().contains("require(") && statements.iter().any(|node| required(script, *node).is_some())
            || statements.iter().any(|node| exports(script, *node)))
}

/// Whether a statement puts something into `module.exports` or `exports`.
fn exports(script: &Script, node: Node<'_>) -> bool {
    let assignment = children(node).first().copied().filter(|inner| inner.kind() == "assignment_expression");
    assignment.and_then(|assignment| assignment.child_by_field_name("left")).is_some_and(|left| {
        let left = script.of(left);
        left.starts_with("module.exports") || left.starts_with("exports.")
    })
}

/// Puts names into an import of the same module that is there already.
fn join(script: &Script, source: &str, names: &[Wanted<'_>]) -> Option<Change> {
    let all_types = names.iter().all(|name| name.is_type);
    for node in children(script.tree.root_node()) {
        let type_only = script.of(node).starts_with("import type");
        if type_only && !all_types {
            continue;
        }
        let listed = specifiers(script, node, source);
        let Some(last) = listed.last() else {
            match beside_default(script, node, source, names) {
                Some(change) if !type_only => return Some(change),
                _ => continue,
            }
        };
        let sorted = listed.windows(2).all(|pair| order(script.of(pair[0])) <= order(script.of(pair[1])));
        let multiline = script.of(last.parent()?).contains('\n');
        let plain =
            type_only || node.kind() != "import_statement" || listed.iter().any(|known| is_plain_type(script, *known));
        let words: Vec<String> = names.iter().map(|name| word(script, name, plain)).collect();
        if let ([word], true) = (words.as_slice(), sorted && !multiline)
            && let Some(next) = listed.iter().find(|listed| order(script.of(**listed)) > order(word))
        {
            return Some(script.change(Span::new(next.start_byte(), next.start_byte()), format!("{word}, ")));
        }
        let glue =
            if multiline { format!(",{}{}", script.style.newline, script.indentation(*last)) } else { ", ".to_owned() };
        let text: String = words.iter().map(|word| format!("{glue}{word}")).collect();
        return Some(script.change(Span::new(last.end_byte(), last.end_byte()), text));
    }
    None
}

/// Puts names beside the default export that a statement imports alone. A statement that grew too long is a formatter's to break.
fn beside_default(script: &Script, node: Node<'_>, source: &str, names: &[Wanted<'_>]) -> Option<Change> {
    let clause = children(node).into_iter().find(|_| takes(script, node, source))?;
    let [default] = children(clause)[..] else { return None };
    if clause.kind() != "import_clause" || default.kind() != "identifier" {
        return None;
    }
    let mut words: Vec<String> = names.iter().map(|name| word(script, name, false)).collect();
    words.sort_by_key(|word| order(word));
    let (newline, indent) = (script.style.newline, script.style.indent.text());
    let comma = if script.style.trailing_commas { "," } else { "" };
    let lines = format!(", {{{newline}{indent}{}{comma}{newline}}}", words.join(&format!(",{newline}{indent}")));
    let ways = [format!(", {{ {} }}", words.join(", ")), lines];
    let fitting = script.style.fitting(script.of(node), &ways);
    Some(script.change(Span::new(default.end_byte(), default.end_byte()), fitting))
}

/// Whether a file names a type of a framework in a list without saying that it is one: the others may stand there as well.
fn is_plain_type(script: &Script, specifier: Node<'_>) -> bool {
    const TYPES: &[&str] = &["Request", "Response", "NextFunction", "RequestHandler", "FastifyRequest", "FastifyReply"];
    TYPES.contains(&script.of(specifier))
}

fn order(specifier: &str) -> String {
    specifier.strip_prefix("type ").unwrap_or(specifier).to_lowercase()
}

fn word(script: &Script, name: &Wanted<'_>, plain: bool) -> String {
    let own = match name.alias {
        Some(alias) if common_js(script) => format!("{}: {alias}", name.name),
        Some(alias) => format!("{} as {alias}", name.name),
        None => name.name.to_owned(),
    };
    if name.is_type && !plain { format!("type {own}") } else { own }
}

fn statement(script: &Script, source: &str, names: &[Wanted<'_>]) -> String {
    let end = if script.style.semicolons { ";" } else { "" };
    let source = script.style.string(source);
    let all_types = names.iter().all(|name| name.is_type);
    let list = names.iter().map(|name| word(script, name, all_types)).collect::<Vec<_>>().join(", ");
    if common_js(script) {
        return format!("const {{ {list} }} = require({source}){end}");
    }
    format!("import {}{{ {list} }} from {source}{end}", if all_types { "type " } else { "" })
}

/// Where a new import goes: behind the last one (`false`), or before the first statement (`true`).
fn place(script: &Script) -> (usize, bool) {
    let statements = children(script.tree.root_node());
    let taken = |node: &&Node<'_>| node.kind() == "import_statement" || required(script, **node).is_some();
    match statements
        .iter()
        .take_while(|node| !matches!(node.kind(), "function_declaration" | "class_declaration"))
        .filter(taken)
        .last()
    {
        Some(last) => (last.end_byte(), false),
        None => {
            let first = statements
                .iter()
                .find(|node| node.kind() != "hash_bang_line" && !script.of(**node).contains("use strict"));
            (first.map_or(script.text().len(), |node| script.line_start(node.start_byte())), true)
        }
    }
}

/// The source of `const … = require('source')`.
fn required<'t>(script: &'t Script, node: Node<'t>) -> Option<&'t str> {
    if !matches!(node.kind(), "lexical_declaration" | "variable_declaration") {
        return None;
    }
    let value = children(node).first()?.child_by_field_name("value")?;
    if value.kind() != "call_expression" || script.of(value.child_by_field_name("function")?) != "require" {
        return None;
    }
    let source = children(value.child_by_field_name("arguments")?).first().copied()?;
    Some(script.of(source).trim_matches(['\'', '"', '`']))
}

/// The names that a statement takes from `source` in a list.
fn specifiers<'t>(script: &'t Script, node: Node<'t>, source: &str) -> Vec<Node<'t>> {
    let from = match node.kind() {
        "import_statement" => {
            node.child_by_field_name("source").map(|source| script.of(source).trim_matches(['\'', '"', '`']))
        }
        _ => required(script, node),
    };
    if from != Some(source) {
        return Vec::new();
    }
    let within = span(node);
    let mut out = Vec::new();
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "import_specifier" | "shorthand_property_identifier_pattern" | "pair_pattern" => out.push(node),
            _ => stack.extend(children(node)),
        }
    }
    out.retain(|node| within.contains(span(*node)));
    out.sort_by_key(|node| node.start_byte());
    out
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::{Wanted, add};
    use crate::lower::typescript;
    use crate::render::typescript::script::Script;
    use crate::syntax::source::SourceText;

    fn with(path: &str, text: &str, names: &[(&str, &str, bool)]) -> String {
        let source = Rc::new(SourceText::decode(text.as_bytes().to_vec()).expect("text"));
        let tree = typescript::parse(path, text).expect("a tree");
        let script = Script::new(path, source, tree);
        let wanted: Vec<Wanted<'_>> = names
            .iter()
            .map(|(source, name, is_type)| Wanted { source, name, alias: None, is_type: *is_type })
            .collect();
        let mut out = text.to_owned();
        let mut changes = add(&script, &wanted);
        changes.sort_by_key(|change| change.span.start);
        for change in changes.into_iter().rev() {
            out.replace_range(change.span.start as usize..change.span.end as usize, &change.text);
        }
        out
    }

    #[test]
    fn a_name_joins_the_import_of_its_module() {
        assert_eq!(with("a.ts", "import { a, c } from 'x';\n", &[("x", "b", false)]), "import { a, b, c } from 'x';\n");
        assert_eq!(with("a.ts", "import { a, c } from 'x';\n", &[("x", "a", false)]), "import { a, c } from 'x';\n");
        assert_eq!(
            with("a.ts", "import {\n  a,\n  c,\n} from 'x';\n", &[("x", "b", true)]),
            "import {\n  a,\n  c,\n  type b,\n} from 'x';\n"
        );
        assert_eq!(
            with("a.js", "const { a } = require('x');\n", &[("x", "b", false)]),
            "const { a, b } = require('x');\n"
        );
    }

    #[test]
    fn names_stand_beside_a_default_export_and_as_types_do_there() {
        assert_eq!(
            with("a.ts", "import x from 'x'\nx()\n", &[("x", "B", true), ("x", "a", false)]),
            "import x, { a, type B } from 'x'\nx()\n"
        );
        assert_eq!(
            with("a.ts", "import x, { Request } from 'x';\n", &[("x", "Response", true)]),
            "import x, { Request, Response } from 'x';\n"
        );
        for whole in ["import * as x from 'x';\n", "import type x from 'x';\n"] {
            assert_eq!(with("a.ts", whole, &[("x", "B", true)]), format!("{whole}import type {{ B }} from 'x';\n"));
        }
    }

    #[test]
    fn a_new_import_stands_behind_the_others() {
        assert_eq!(
            with("a.ts", "import { a } from \"x\"\n\nb()\n", &[("y", "b", true)]),
            "import { a } from \"x\"\nimport type { b } from \"y\"\n\nb()\n"
        );
        assert_eq!(
            with("a.js", "'use strict';\nconst { a } = require('x');\n", &[("y", "b", false)]),
            "'use strict';\nconst { a } = require('x');\nconst { b } = require('y');\n"
        );
        assert_eq!(
            with("a.js", "#!/usr/bin/env node\nb();\n", &[("y", "b", false)]),
            "#!/usr/bin/env node\nimport { b } from 'y';\nb();\n"
        );
        assert_eq!(with("a.js", "b();\n", &[("y", "b", true)]), "b();\n");
    }
}
