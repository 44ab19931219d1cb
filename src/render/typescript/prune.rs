//! Takes away what our own changes made unused: imports and declarations that something used before, and nothing does now.
//!
//! By name, within the block that declares it: another thing of the same name keeps a declaration alive, which costs nothing but a
//! line too many. Only what is pure goes: a declaration whose initial value does something stays.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::in_flight::mentions;
use super::pure;
use super::script::{Script, children, span};
use crate::model::facts::Span;
use crate::render::Change;

/// A name that may have become unused.
struct Candidate<'t> {
    name: &'t str,
    /// The whole declaration: uses within it don't count.
    own: Node<'t>,
    /// Where uses would be.
    region: Node<'t>,
    how: How<'t>,
}

/// How a declaration is taken away.
enum How<'t> {
    /// A name of a list in an import or a destructuring: the list's statement.
    Listed(Node<'t>),
    /// The statement goes.
    Statement(Node<'t>),
}

/// A use of a name.
struct Use {
    at: usize,
    member: bool,
}

/// Adds to the changes of one file the deletions of what they leave unused. Changes within a deleted declaration are dropped.
pub fn prune(script: &Script, changes: Vec<Change>) -> Vec<Change> {
    if changes.is_empty() {
        return changes;
    }
    let uses = uses(script);
    let candidates = candidates(script);
    let mut dead: FxHashSet<usize> = FxHashSet::default();
    loop {
        let gone = gone(&changes, &candidates, &dead);
        let before = dead.len();
        for (index, candidate) in candidates.iter().enumerate() {
            if !dead.contains(&index) && !covered(&gone, span(candidate.own)) && died(candidate, &uses, &gone, &changes)
            {
                dead.insert(index);
            }
        }
        if dead.len() == before {
            break;
        }
    }
    finish(script, changes, &candidates, &dead)
}

fn gone(changes: &[Change], candidates: &[Candidate<'_>], dead: &FxHashSet<usize>) -> Vec<Span> {
    let changed = changes.iter().map(|change| change.span).filter(|span| span.start < span.end);
    changed.chain(dead.iter().map(|index| span(candidates[*index].own))).collect()
}

fn covered(gone: &[Span], what: Span) -> bool {
    gone.iter().any(|span| span.contains(what))
}

/// Whether a name was used before and is not any more.
fn died(candidate: &Candidate<'_>, uses: &FxHashMap<&str, Vec<Use>>, gone: &[Span], changes: &[Change]) -> bool {
    let (own, region) = (span(candidate.own), span(candidate.region));
    let inside = |at: usize, span: Span| (span.start as usize..span.end as usize).contains(&at);
    let member = matches!(candidate.own.kind(), "public_field_definition" | "field_definition" | "method_definition");
    let mut used_before = false;
    for used in uses.get(candidate.name).into_iter().flatten() {
        if used.member != member || inside(used.at, own) || !inside(used.at, region) {
            continue;
        }
        used_before = true;
        if !gone.iter().any(|span| inside(used.at, *span)) {
            return false;
        }
    }
    let live = |change: &&Change| !own.contains(change.span) && region.contains(change.span);
    used_before && !changes.iter().filter(live).any(|change| mentions(&change.text, candidate.name))
}

fn uses(script: &Script) -> FxHashMap<&str, Vec<Use>> {
    let mut out: FxHashMap<&str, Vec<Use>> = FxHashMap::default();
    walk(script.tree.root_node(), &mut |node| {
        let member = match node.kind() {
            "identifier" | "type_identifier" | "shorthand_property_identifier" => false,
            "property_identifier" | "private_property_identifier" => true,
            _ => return,
        };
        out.entry(script.of(node)).or_default().push(Use { at: node.start_byte(), member });
    });
    out
}

fn candidates(script: &Script) -> Vec<Candidate<'_>> {
    let mut out = Vec::new();
    walk(script.tree.root_node(), &mut |node| match node.kind() {
        "import_statement" => imported(script, node, &mut out),
        "lexical_declaration" | "variable_declaration" => declared(script, node, &mut out),
        "function_declaration"
        | "generator_function_declaration"
        | "class_declaration"
        | "abstract_class_declaration"
        | "interface_declaration"
        | "type_alias_declaration"
        | "enum_declaration" => {
            if let (Some(name), Some(region)) = (node.child_by_field_name("name"), region(node)) {
                out.push(Candidate { name: script.of(name), own: node, region, how: How::Statement(node) });
            }
        }
        "public_field_definition" | "field_definition" | "method_definition" => private_member(script, node, &mut out),
        _ => {}
    });
    out
}

/// The block that declares a statement; `None` where it is exported.
fn region(statement: Node<'_>) -> Option<Node<'_>> {
    statement.parent().filter(|parent| matches!(parent.kind(), "program" | "statement_block"))
}

fn imported<'t>(script: &'t Script, statement: Node<'t>, out: &mut Vec<Candidate<'t>>) {
    let Some(region) = region(statement) else { return };
    for own in listed(statement) {
        let name = own.child_by_field_name("alias").or_else(|| own.child_by_field_name("name"));
        let name = name.or_else(|| own.named_child(0)).unwrap_or(own);
        out.push(Candidate { name: script.of(name), own, region, how: How::Listed(statement) });
    }
}

/// The names that an import or a destructuring lists, in order.
fn listed(statement: Node<'_>) -> Vec<Node<'_>> {
    let mut out = Vec::new();
    walk(statement, &mut |node| match node.kind() {
        "import_specifier" | "namespace_import" | "shorthand_property_identifier_pattern" | "pair_pattern" => {
            out.push(node)
        }
        "identifier" if node.parent().is_some_and(|parent| parent.kind() == "import_clause") => out.push(node),
        _ => {}
    });
    out
}

fn declared<'t>(script: &'t Script, statement: Node<'t>, out: &mut Vec<Candidate<'t>>) {
    let Some(region) = region(statement) else { return };
    let declarators = children(statement);
    let [declarator] = declarators.as_slice() else { return };
    let Some(name) = declarator.child_by_field_name("name") else { return };
    let value = declarator.child_by_field_name("value");
    if value.is_some_and(|value| !pure::is_pure(script, value)) {
        return;
    }
    match name.kind() {
        "identifier" => {
            out.push(Candidate { name: script.of(name), own: statement, region, how: How::Statement(statement) })
        }
        "object_pattern" => {
            let entries = children(name);
            let plain = |entry: &Node<'_>| {
                let bound = entry.child_by_field_name("value");
                entry.kind() == "shorthand_property_identifier_pattern"
                    || entry.kind() == "pair_pattern" && bound.is_some_and(|bound| bound.kind() == "identifier")
            };
            if !entries.iter().all(plain) {
                return;
            }
            for own in entries {
                let name = own.child_by_field_name("value").unwrap_or(own);
                out.push(Candidate { name: script.of(name), own, region, how: How::Listed(statement) });
            }
        }
        _ => {}
    }
}

fn private_member<'t>(script: &'t Script, member: Node<'t>, out: &mut Vec<Candidate<'t>>) {
    let Some(name) = member.child_by_field_name("name").or_else(|| member.child_by_field_name("property")) else {
        return;
    };
    let private = name.kind() == "private_property_identifier"
        || children(member)
            .iter()
            .any(|child| child.kind() == "accessibility_modifier" && script.of(*child) == "private");
    let pure = member.child_by_field_name("value").is_none_or(|value| pure::is_pure(script, value));
    if let Some(region) = member.parent().filter(|parent| private && pure && parent.kind() == "class_body") {
        if script.of(name) == "constructor" {
            return;
        }
        out.push(Candidate { name: script.of(name), own: member, region, how: How::Statement(member) });
    }
}

fn walk<'t>(root: Node<'t>, visit: &mut dyn FnMut(Node<'t>)) {
    let mut cursor = root.walk();
    loop {
        visit(cursor.node());
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() || cursor.node() == root {
                return;
            }
        }
    }
}

/// A list of names, some of which go, while our changes put others in: written anew.
fn relist(script: &Script, statement: Node<'_>, gone: &[usize], changes: &[Change]) -> Option<Change> {
    let within = span(statement);
    let added = changes.iter().filter(|change| puts_in(within, change));
    let added: Vec<&str> =
        added.flat_map(|change| change.text.split(',')).map(str::trim).filter(|name| !name.is_empty()).collect();
    let mut listed = Vec::new();
    let mut stack = vec![statement];
    while let Some(node) = stack.pop().filter(|_| !added.is_empty()) {
        match gone.contains(&node.id()) {
            true => listed = node.parent().map(children).unwrap_or_default(),
            false => stack.extend(children(node)),
        }
    }
    let (first, last) = (listed.first()?, listed.last()?);
    let kept = listed.iter().filter(|node| !gone.contains(&node.id())).map(|node| script.of(*node));
    let names: Vec<&str> = kept.chain(added).collect();
    let multiline = script.of(first.parent()?).contains('\n');
    let glue =
        if multiline { format!(",{}{}", script.style.newline, script.indentation(*first)) } else { ", ".to_owned() };
    Some(script.change(Span::new(first.start_byte(), last.end_byte()), names.join(&glue)))
}

/// Whether a change puts something in amid a statement.
fn puts_in(statement: Span, change: &Change) -> bool {
    change.span.start == change.span.end && statement.start < change.span.start && change.span.end < statement.end
}

fn finish(script: &Script, changes: Vec<Change>, candidates: &[Candidate<'_>], dead: &FxHashSet<usize>) -> Vec<Change> {
    let mut order: Vec<usize> = dead.iter().copied().collect();
    order.sort_unstable();
    let mut lists: Vec<(Node<'_>, Vec<usize>)> = Vec::new();
    let mut cuts: Vec<Span> = Vec::new();
    for index in order {
        let own = candidates[index].own;
        match candidates[index].how {
            How::Statement(statement) => cuts.push(script.removal(statement)),
            How::Listed(statement) => match lists.iter_mut().find(|(known, _)| *known == statement) {
                Some((_, names)) => names.push(own.id()),
                None => lists.push((statement, vec![own.id()])),
            },
        }
    }
    let mut changes = changes;
    for (statement, names) in lists {
        match relist(script, statement, &names, &changes) {
            Some(relisted) => {
                let within = span(statement);
                changes.retain(|change| !puts_in(within, change));
                changes.push(relisted);
            }
            None => cuts.extend(unlist(script, statement, &names)),
        }
    }
    let nested = |cut: &Span| cuts.iter().any(|other| other != cut && other.contains(*cut));
    let outer: Vec<Span> = cuts.iter().copied().filter(|cut| !nested(cut)).collect();
    // What begins a line of its own behind what goes takes its place.
    let mut outer = outer;
    for change in &mut changes {
        let at = change.span.start as usize;
        let follows = |cut: &Span| {
            let end = cut.end as usize;
            (cut.start as usize) < at && at < end && script.text()[at..end].trim().is_empty()
        };
        let newline = script.style.newline;
        if change.span.start == change.span.end
            && change.text.starts_with(newline)
            && let Some(index) = outer.iter().position(follows)
        {
            change.span.start = outer.remove(index).start;
            change.text.drain(..newline.len());
        }
    }
    // What is put in at the edge of a cut belongs to what stands beside it.
    let within = |cut: &Span, span: Span| match span.start == span.end {
        true => cut.start < span.start && span.end < cut.end,
        false => cut.contains(span),
    };
    let mut out: Vec<Change> =
        changes.into_iter().filter(|change| !outer.iter().any(|cut| within(cut, change.span))).collect();
    for cut in outer {
        // A cut that runs into a change of ours (a blank line that both would take) gives way.
        let mut cut = cut;
        for change in &out {
            if change.span.start >= cut.end || cut.start >= change.span.end {
                continue;
            }
            if change.span.start > cut.start { cut.end = change.span.start } else { cut.start = change.span.end }
        }
        if cut.start < cut.end {
            out.push(script.change(cut, ""));
        }
    }
    out.sort_by_key(|change| (change.span.start, change.span.end));
    out
}

/// The cuts that take names out of a list; the whole statement where none is left.
fn unlist(script: &Script, statement: Node<'_>, dead: &[usize]) -> Vec<Span> {
    let all = listed(statement);
    if all.iter().all(|own| dead.contains(&own.id())) {
        return vec![script.removal_below_comments(statement)];
    }
    let mut cuts = Vec::new();
    for group in groups(&all) {
        let kept = |own: &Node<'_>| !dead.contains(&own.id());
        if !group.iter().any(kept) {
            cuts.extend(whole_clause(statement, group[0]));
            continue;
        }
        for (index, own) in group.iter().enumerate().filter(|(_, own)| !kept(own)) {
            match group[index + 1..].iter().find(|next| kept(next)) {
                Some(_) => cuts.push(Span::new(own.start_byte(), group[index + 1].start_byte())),
                None => {
                    let last = group[..index].iter().rev().find(|before| kept(before)).unwrap_or(own);
                    let end = group[group.len() - 1].end_byte();
                    cuts.push(Span::new(last.end_byte(), end));
                    break;
                }
            }
        }
    }
    cuts
}

/// The names of a statement by the list they stand in: a default import is a list of its own.
fn groups<'t>(all: &[Node<'t>]) -> Vec<Vec<Node<'t>>> {
    let mut out: Vec<Vec<Node<'t>>> = Vec::new();
    for own in all {
        match out.last_mut().filter(|group| group[0].parent() == own.parent() && own.kind() == group[0].kind()) {
            Some(group) => group.push(*own),
            None => {
                match out.last_mut().filter(|group| group[0].parent() == own.parent() && own.kind() != "identifier") {
                    Some(group) => group.push(*own),
                    None => out.push(vec![*own]),
                }
            }
        }
    }
    out
}

/// The clause of an import that goes as a whole, while another stays: `express, ` or `, { … }`.
fn whole_clause(statement: Node<'_>, first: Node<'_>) -> Option<Span> {
    let clause = children(statement).into_iter().find(|child| child.kind() == "import_clause")?;
    let parts = children(clause);
    let mut part = first;
    while part.parent() != Some(clause) {
        part = part.parent()?;
    }
    let at = parts.iter().position(|known| *known == part)?;
    Some(match at {
        0 => Span::new(part.start_byte(), parts.get(1)?.start_byte()),
        _ => Span::new(parts[at - 1].end_byte(), part.end_byte()),
    })
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::prune;
    use crate::lower::typescript;
    use crate::model::facts::Span;
    use crate::render::typescript::script::Script;
    use crate::syntax::source::SourceText;

    /// The text without `cut`, and without what that leaves unused.
    fn without(text: &str, cut: &str) -> String {
        let source = Rc::new(SourceText::decode(text.as_bytes().to_vec()).expect("text"));
        let tree = typescript::parse("a.ts", text).expect("a tree");
        let script = Script::new("a.ts", source, tree);
        let at = text.find(cut).expect("there");
        let change = script.change(Span::new(at, at + cut.len()), "");
        let mut out = text.to_owned();
        for change in prune(&script, vec![change]).into_iter().rev() {
            out.replace_range(change.span.start as usize..change.span.end as usize, &change.text);
        }
        out
    }

    #[test]
    fn imports_that_our_change_left_unused_go_and_others_stay() {
        assert_eq!(
            without("import { a, b } from 'x';\nimport c from 'y';\nb();\na();\n", "a();\n"),
            "import { b } from 'x';\nimport c from 'y';\nb();\n"
        );
        assert_eq!(without("// Head.\nimport { a } from 'x';\nb();\na();\n", "a();\n"), "// Head.\nb();\n");
        assert_eq!(
            without("import e, { a, type B } from 'x';\ne(a as B);\n(c as B);\na();\n", "a();\n"),
            "import e, { a, type B } from 'x';\ne(a as B);\n(c as B);\n"
        );
        assert_eq!(
            without("import e, { a, type B } from 'x';\ne();\na as B;\n", "a as B;\n"),
            "import e from 'x';\ne();\n"
        );
        assert_eq!(without("import e, { a } from 'x';\na();\ne();\n", "e();\n"), "import { a } from 'x';\na();\n");
        assert_eq!(without("import * as e from 'x';\na();\ne();\n", "e();\n"), "a();\n");
        assert_eq!(
            without("import {\n  a,\n  b,\n  c,\n} from 'x';\na();\nb(), c();\n", "b(), c();\n"),
            "import {\n  a,\n} from 'x';\na();\n"
        );
        assert_eq!(
            without("import {\n  a,\n  b,\n  c,\n} from 'x';\nc();\na(), b();\n", "a(), b();\n"),
            "import {\n  c,\n} from 'x';\nc();\n"
        );
        assert_eq!(
            without("const { a, b } = require('x');\nb();\na();\n", "a();\n"),
            "const { b } = require('x');\nb();\n"
        );
        assert_eq!(without("const a = require('x');\nb();\na.c();\n", "a.c();\n"), "b();\n");
    }

    #[test]
    fn declarations_follow_what_they_served() {
        let text = "import { u } from 'x';\ntype T = string;\n// All of them.\nconst all = new Map<T, number>();\nfunction f() {\n  return u();\n}\nb();\nall.set(f(), 1);\n";
        assert_eq!(without(text, "all.set(f(), 1);\n"), "b();\n");
        assert_eq!(without("const a = start();\nb(a);\n", "b(a);\n"), "const a = start();\n");
        assert_eq!(without("export const a = 1;\nb(a);\n", "b(a);\n"), "export const a = 1;\n");
        assert_eq!(
            without(
                "class A {\n  private m = new Map();\n  f() {}\n  g() {\n    this.m.clear();\n  }\n}\n",
                "    this.m.clear();\n"
            ),
            "class A {\n  f() {}\n  g() {\n  }\n}\n"
        );
    }

    #[test]
    fn what_was_unused_before_is_not_ours() {
        assert_eq!(
            without("import { z } from 'x';\nconst y = 1;\na();\nb();\n", "a();\n"),
            "import { z } from 'x';\nconst y = 1;\nb();\n"
        );
    }
}
