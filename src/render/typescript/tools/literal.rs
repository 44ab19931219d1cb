//! Entries put into literals, patterns and types as they are written: on one line, or one a line.

use tree_sitter::Node;

use crate::model::facts::Span;
use crate::render::Change;
use crate::render::typescript::script::{Script, children};

/// How wide a line may become at least; longer where the file has longer ones.
const WIDTH: usize = 100;

/// How wide a line may become at most.
const LIMIT: usize = 120;

/// Where an entry goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    First,
    Last,
}

/// Puts an entry before all others.
pub fn push_front(script: &Script, list: Node<'_>, entry: &str) -> Vec<Change> {
    push(script, list, entry, End::First)
}

/// Puts an entry behind all others.
pub fn push_back(script: &Script, list: Node<'_>, entry: &str) -> Vec<Change> {
    push(script, list, entry, End::Last)
}

fn push(script: &Script, list: Node<'_>, entry: &str, end: End) -> Vec<Change> {
    let containers = crowded(script, list, entry.len() + 2);
    if containers.last() == Some(&list) {
        let mut out = opened(script, &containers[..containers.len() - 1]);
        out.extend(broken(script, list, containers.len() - 1, Some((entry, end))));
        return out;
    }
    let mut out = opened(script, &containers);
    out.push(put(script, list, entry, end));
    out
}

/// The change that puts an entry where the others stand.
fn put(script: &Script, list: Node<'_>, entry: &str, end: End) -> Change {
    let entries = children(list);
    let (Some(first), Some(last)) = (entries.first(), entries.last()) else {
        return filled(script, list, entry);
    };
    let newline = script.style.newline;
    let separator = separator(script, list, &entries);
    let own_lines = script.text()[list.start_byte()..first.start_byte()].contains('\n');
    match end {
        End::First if own_lines => {
            let indent = script.indentation(*first);
            let at = first_with_comments(script, list, *first);
            insertion(script, at, format!("{entry}{separator}{newline}{indent}"))
        }
        End::First => insertion(script, first.start_byte(), format!("{entry}{separator} ")),
        End::Last => {
            let rest = &script.text()[last.end_byte()..list.end_byte()];
            let closed = rest.trim_start().starts_with(separator);
            let at = if closed { last.end_byte() + rest.find(separator).unwrap_or(0) + 1 } else { last.end_byte() };
            let glue = if own_lines { format!("{newline}{}", script.indentation(*last)) } else { " ".to_owned() };
            let text = match (closed, own_lines) {
                (true, true) => format!("{glue}{entry}{separator}"),
                (true, false) => format!("{glue}{entry}"),
                (false, _) => format!("{separator}{glue}{entry}"),
            };
            insertion(script, at, text)
        }
    }
}

/// Puts an entry (if there is one) behind all others of a literal, in whose entries other changes put so many more characters.
pub fn grow(script: &Script, list: Node<'_>, more: usize, entry: Option<&str>) -> Vec<Change> {
    let containers = crowded(script, list, more + entry.map_or(0, |entry| entry.len() + 2));
    if containers.last() == Some(&list) {
        let mut out = opened(script, &containers[..containers.len() - 1]);
        out.extend(broken(script, list, containers.len() - 1, entry.map(|entry| (entry, End::Last))));
        return out;
    }
    let mut out = opened(script, &containers);
    out.extend(entry.map(|entry| put(script, list, entry, End::Last)));
    out
}

/// Puts an entry before all others, however wide the line becomes.
pub fn put_front(script: &Script, list: Node<'_>, entry: &str) -> Change {
    put(script, list, entry, End::First)
}

/// The changes that make room for so many more characters at an expression: the literals around it are written over several lines,
/// outermost first, as far as its line is too long.
///
/// Also says how many levels deeper the expression stands then.
pub fn room(script: &Script, node: Node<'_>, more: usize) -> (Vec<Change>, usize) {
    let mut containers = crowded(script, node, more);
    containers.retain(|container| *container != node);
    (opened(script, &containers), containers.len())
}

fn opened(script: &Script, containers: &[Node<'_>]) -> Vec<Change> {
    containers.iter().enumerate().flat_map(|(depth, container)| broken(script, *container, depth, None)).collect()
}

/// The object literals on the line of a node, itself included, that have to be broken, outermost first. Patterns and types stay on
/// their line.
fn crowded<'t>(script: &Script, node: Node<'t>, more: usize) -> Vec<Node<'t>> {
    if script.of(node).contains('\n') || matches!(node.kind(), "object_pattern" | "object_type" | "interface_body") {
        return Vec::new();
    }
    let limit = limit(script);
    let start = script.line_start(node.start_byte());
    let width = script.text()[start..script.line_end(node.end_byte())].trim_end().chars().count();
    if width + more <= limit {
        return Vec::new();
    }
    let mut around = Vec::new();
    let mut inner = Some(node);
    while let Some(here) = inner.filter(|here| here.start_byte() >= start && !script.of(*here).contains('\n')) {
        if here.kind() == "object" && !children(here).is_empty() {
            around.push(here);
        }
        let leaves = matches!(here.kind(), "arrow_function" | "function_expression" | "statement_block");
        inner = here.parent().filter(|_| !leaves);
    }
    around.reverse();
    let unit = script.style.indent.text().replace('\t', "    ").chars().count();
    let indent = script.indentation(node).replace('\t', "    ").chars().count();
    let mut needed = 0;
    for (depth, container) in around.iter().enumerate() {
        needed = depth + 1;
        let holds = children(*container)
            .into_iter()
            .find(|entry| entry.start_byte() <= node.start_byte() && node.end_byte() <= entry.end_byte());
        match holds {
            Some(entry) if *container != node => {
                let width = indent + unit * (depth + 1) + script.of(entry).chars().count() + 1;
                if width + more <= limit {
                    break;
                }
            }
            _ => break,
        }
    }
    around.truncate(needed);
    around
}

/// An entry in a literal that has none.
fn filled(script: &Script, list: Node<'_>, entry: &str) -> Change {
    let inside = Span::new(list.start_byte() + 1, list.end_byte() - 1);
    let text = script.slice(inside);
    if text.trim().is_empty() {
        let space = if list.kind() == "array" { "" } else { " " };
        return script.change(inside, format!("{space}{entry}{space}"));
    }
    // A comment is all there is.
    let newline = script.style.newline;
    let indent = script.indentation(list);
    let unit = script.style.indent.text();
    let comma = if script.style.trailing_commas { "," } else { "" };
    script.change(
        Span::new(list.start_byte() + 1 + text.trim_end().len(), list.end_byte() - 1),
        format!("{newline}{indent}{unit}{entry}{comma}{newline}{indent}"),
    )
}

/// All entries of a literal on lines of their own, so many levels below the line that it stands in, and perhaps one more.
fn broken(script: &Script, list: Node<'_>, depth: usize, more: Option<(&str, End)>) -> Vec<Change> {
    let entries = children(list);
    let (Some(head), Some(last)) = (entries.first(), entries.last()) else { return Vec::new() };
    let newline = script.style.newline;
    let unit = script.style.indent.text();
    let outer = format!("{newline}{}{}", script.indentation(list), unit.repeat(depth));
    let inner = format!("{outer}{unit}");
    let separator = separator(script, list, &entries);
    let comma = if script.style.trailing_commas { separator } else { "" };
    let mut out = Vec::new();
    let first = match more {
        Some((entry, End::First)) => format!("{inner}{entry}{separator}{inner}"),
        _ => inner.clone(),
    };
    out.push(script.change(Span::new(list.start_byte() + 1, head.start_byte()), first));
    for pair in entries.windows(2) {
        let between = Span::new(pair[0].end_byte(), pair[1].start_byte());
        if script.slice(between).trim() == separator {
            out.push(script.change(between, format!("{separator}{inner}")));
        }
    }
    let tail = match more {
        Some((entry, End::Last)) => format!("{separator}{inner}{entry}{comma}"),
        _ => comma.to_owned(),
    };
    out.push(script.change(Span::new(last.end_byte(), list.end_byte() - 1), format!("{tail}{outer}")));
    out
}

/// How wide the lines of a file may become.
pub fn limit(script: &Script) -> usize {
    script.text().lines().map(|line| line.chars().count()).filter(|width| *width <= LIMIT).max().unwrap_or(0).max(WIDTH)
}

fn separator(script: &Script, list: Node<'_>, entries: &[Node<'_>]) -> &'static str {
    let end = entries.first().map_or(list.end_byte(), Node::end_byte);
    let typed = matches!(list.kind(), "object_type" | "interface_body");
    if typed && !script.text()[end..].trim_start().starts_with(',') { ";" } else { "," }
}

/// Where the first entry begins, with the comments above it.
fn first_with_comments(script: &Script, list: Node<'_>, first: Node<'_>) -> usize {
    let mut start = first.start_byte();
    let mut before = first.prev_sibling();
    while let Some(comment) =
        before.filter(|before| before.kind() == "comment" && before.start_byte() > list.start_byte())
    {
        if script.text()[script.line_start(comment.start_byte())..comment.start_byte()].trim().is_empty() {
            start = comment.start_byte();
        }
        before = comment.prev_sibling();
    }
    start
}

fn insertion(script: &Script, at: usize, text: String) -> Change {
    script.change(Span::new(at, at), text)
}

/// The text of a stretch with changes applied.
pub fn applied(script: &Script, span: Span, mut changes: Vec<Change>) -> String {
    changes.sort_by_key(|change| (change.span.start, change.span.end));
    let mut out = String::new();
    let mut at = span.start;
    for change in changes {
        out.push_str(script.slice(Span { start: at, end: change.span.start }));
        out.push_str(&change.text);
        at = change.span.end;
    }
    out.push_str(script.slice(Span { start: at, end: span.end }));
    out
}

/// The entry of an object literal with a name, its value included.
pub fn pair<'t>(script: &Script, object: Node<'t>, name: &str) -> Option<Node<'t>> {
    children(object).into_iter().find(|entry| {
        let key = entry.child_by_field_name("key").unwrap_or(*entry);
        matches!(entry.kind(), "pair" | "shorthand_property_identifier")
            && script.of(key).trim_matches(['\'', '"']) == name
    })
}
