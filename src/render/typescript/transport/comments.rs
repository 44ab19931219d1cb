//! Comments that speak of sessions: those at code that changed, and that say nothing else, go; the others are for a person to read. And
//! the one comment that says what runs on each request now.

use tree_sitter::Node;

use crate::lower::typescript;
use crate::model::facts::Span;
use crate::plan::loggers::{LEVELS, names_logger};
use crate::plan::transport::Fact;
use crate::render::Change;
use crate::render::revise::Revision;
use crate::render::typescript::script::{Script, enclosing_function, is_function, statement};

use super::announced::names;
use super::comment_words::{may_be_false, says_nothing_else, speaks};
use super::world::Unit;

/// Stands where a request gets its server.
const EACH: &str = "// Runs on each request: clients, pools and caches stay outside.";

/// Lines on which comments may not be true any more.
#[derive(Default)]
pub struct Left {
    sessions: Vec<usize>,
    endpoint: Vec<usize>,
    logs: Vec<usize>,
}

/// The file's changes with those of its comments, and the lines of the result on which comments still speak of sessions, or name one of
/// the paths that are gone.
pub fn revised(unit: &Unit, own: Vec<Change>, modern: bool, gone: &[String]) -> (Vec<Change>, Left) {
    if own.is_empty() {
        return (own, Left::default());
    }
    let script = &unit.script;
    let mut revision = Revision::new(&script.path, script.text(), &own);
    let after = revision.result();
    let Ok(tree) = typescript::parse(&script.path, &after) else { return (own, Left::default()) };
    let changed = revision.changed();
    let mut cuts: Vec<Span> = blocks(&after, tree.root_node())
        .into_iter()
        .filter(|block| speaks(block.text(&after)) && says_nothing_else(block.text(&after)) && block.is_near(&changed))
        .map(|block| block.with_its_lines(&after))
        .collect();
    cuts.sort_by_key(|cut| std::cmp::Reverse(cut.start));
    for cut in &cuts {
        revision.cut(cut.start as usize, cut.end as usize);
    }
    blank_lines(&mut revision);
    if !modern {
        say_what_runs(unit, &mut revision);
    }
    let left = lines_left(&script.path, &revision, gone);
    (revision.changes(), left)
}

/// The lines of the result on which comments speak of sessions, or name what is gone.
fn lines_left(path: &str, revision: &Revision<'_>, gone: &[String]) -> Left {
    let text = revision.result();
    let Ok(tree) = typescript::parse(path, &text) else { return Left::default() };
    let blocks = blocks(&text, tree.root_node());
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let of_sessions = blocks.iter().filter(|block| may_be_false(block.text(&text)));
    let lines = blocks.iter().flat_map(|block| {
        block.text(&text).split_inclusive('\n').scan(block.start, |at, line| {
            let start = *at;
            *at += line.len();
            Some((start, line))
        })
    });
    let of_endpoint = lines.filter(|(_, text)| gone.iter().any(|gone| names(text, gone)));
    let mut logs = Vec::new();
    log_lines(&text, tree.root_node(), &mut logs);
    Left {
        logs: logs.into_iter().map(line).collect(),
        sessions: of_sessions.map(|block| line(block.start)).collect(),
        endpoint: of_endpoint.map(|(start, _)| line(start)).collect(),
    }
}

/// Where log lines are that speak of sessions.
fn log_lines(text: &str, node: Node<'_>, out: &mut Vec<usize>) {
    let callee = node.child_by_field_name("function").filter(|_| node.kind() == "call_expression");
    let logs = callee.is_some_and(|callee| {
        let (object, level) = text[callee.byte_range()].rsplit_once('.').unwrap_or_default();
        LEVELS.contains(&level) && (object == "console" || names_logger(object.rsplit('.').next().unwrap_or(object)))
    });
    let told = node.child_by_field_name("arguments").filter(|_| logs);
    let says =
        |said: &Node<'_>| matches!(said.kind(), "string" | "template_string") && may_be_false(&text[said.byte_range()]);
    let mut cursor = node.walk();
    if told.is_some_and(|told| told.named_children(&mut told.walk()).any(|said| says(&said))) {
        out.push(node.start_byte());
        return;
    }
    for child in node.children(&mut cursor) {
        log_lines(text, child, out);
    }
}

/// What is said of the comments that speak of sessions once a file's changes are made.
pub fn left(script: &Script, changes: &[Change]) -> Option<String> {
    let own: Vec<Change> = changes.iter().filter(|change| change.path == script.path).cloned().collect();
    let revision = (!own.is_empty()).then(|| Revision::new(&script.path, script.text(), &own))?;
    note(script, &lines_left(&script.path, &revision, &[]))
}

/// Takes blank lines out that changes left before what closes a block, behind what opens one, or beside another.
fn blank_lines(revision: &mut Revision<'_>) {
    let result = revision.result();
    let changed = revision.changed();
    let mut at = 0;
    let mut lines: Vec<(usize, &str)> = Vec::new();
    for line in result.split_inclusive('\n') {
        lines.push((at, line));
        at += line.len();
    }
    let blank = |line: &str| line.trim().is_empty() && line.ends_with('\n');
    let needless = lines.windows(3).filter(|three| {
        let [(_, before), (start, line), (_, after)] = three else { return false };
        let closes = after.trim_start().starts_with(['}', ')', ']']);
        let opens = before.trim_end().ends_with(['{', '(', '[']);
        // Where a change ends or begins, the line before it or behind it may be one that it left.
        let near = changed.iter().any(|(from, to)| *from <= start + line.len() && *start <= *to);
        blank(line) && near && (closes || opens || blank(before))
    });
    let cuts: Vec<(usize, usize)> = needless.map(|three| (three[1].0, three[1].0 + three[1].1.len())).collect();
    for (from, to) in cuts.into_iter().rev() {
        revision.cut(from, to);
    }
}

/// Comment lines that belong together.
struct Block<'t> {
    start: usize,
    end: usize,
    last: Node<'t>,
}

impl Block<'_> {
    fn text<'s>(&self, source: &'s str) -> &'s str {
        &source[self.start..self.end]
    }

    /// Whether the code below it, or the function around it, changed.
    fn is_near(&self, changed: &[(usize, usize)]) -> bool {
        let next = self.last.next_named_sibling().map_or(self.end, |next| next.end_byte());
        let around = enclosing_function(self.last).map(|function| function.byte_range());
        changed.iter().any(|(from, to)| {
            let below = *from <= next && self.start <= *to;
            below || around.as_ref().is_some_and(|around| around.start <= *from && *to <= around.end)
        })
    }

    /// The comment with its lines, where it has them to itself, else with the white space before it.
    fn with_its_lines(&self, source: &str) -> Span {
        let line = source[..self.start].rfind('\n').map_or(0, |at| at + 1);
        let end = source[self.end..].find('\n').map_or(source.len(), |at| self.end + at + 1);
        if source[line..self.start].trim().is_empty() && source[self.end..end].trim().is_empty() {
            return Span::new(line, end);
        }
        Span::new(source[..self.start].trim_end().len(), self.end)
    }
}

/// All comments; those that stand below each other, each on a line of its own, as one.
fn blocks<'t>(source: &str, root: Node<'t>) -> Vec<Block<'t>> {
    let mut comments = Vec::new();
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        if node.kind() == "comment" {
            comments.push(node);
        }
        let mut cursor = node.walk();
        stack.extend(node.children(&mut cursor));
    }
    comments.sort_by_key(Node::start_byte);
    let own_line = |at: usize| {
        let line = source[..at].rfind('\n').map_or(0, |at| at + 1);
        source[line..at].trim().is_empty()
    };
    let mut out: Vec<Block<'t>> = Vec::new();
    for comment in comments {
        let (start, end) = (comment.start_byte(), comment.end_byte());
        match out.last_mut() {
            Some(last)
                if source[start..].starts_with("//")
                    && source[last.start..].starts_with("//")
                    && own_line(start)
                    && own_line(last.start)
                    && source[last.end..start].trim().is_empty()
                    && source[last.end..start].matches('\n').count() == 1 =>
            {
                last.end = end;
                last.last = comment;
            }
            _ => out.push(Block { start, end, last: comment }),
        }
    }
    out
}

/// Says where the transport of a request is made that this runs for each of them.
fn say_what_runs(unit: &Unit, revision: &mut Revision<'_>) {
    let script = &unit.script;
    let constructs = unit.facts.iter().filter(|(_, fact)| **fact == Fact::Construct);
    let classes: Vec<&str> = constructs
        .filter_map(|(at, _)| script.node(*at)?.child_by_field_name("constructor"))
        .map(|class| script.of(class))
        .collect();
    let result = revision.result();
    let Ok(tree) = typescript::parse(&script.path, &result) else { return };
    let mut made = Vec::new();
    let mut stack = vec![tree.root_node()];
    while let Some(node) = stack.pop() {
        let class = node.child_by_field_name("constructor").filter(|_| node.kind() == "new_expression");
        if class.is_some_and(|class| classes.contains(&&result[class.byte_range()])) {
            made.push(node);
        }
        let mut cursor = node.walk();
        stack.extend(node.children(&mut cursor));
    }
    let mut places: Vec<(usize, String)> = made.into_iter().filter_map(|node| place(&result, node)).collect();
    places.sort();
    places.dedup();
    for (at, indent) in places.into_iter().rev() {
        revision.insert(at, &format!("{indent}{EACH}{}", script.style.newline));
    }
}

/// The start of the line where a function begins to make what one request needs, and its indentation.
fn place(source: &str, made: Node<'_>) -> Option<(usize, String)> {
    let function = enclosing_function(made)?;
    if source[function.byte_range()].contains(EACH) {
        return None;
    }
    let mut first = statement(made);
    if is_function(first) || first.kind() == "statement_block" {
        return None;
    }
    // The server may be built right before.
    while let Some(before) = first.prev_named_sibling().filter(|before| before.kind() == "lexical_declaration") {
        let name = source[before.byte_range()].split([' ', ':', '=']).nth(1).unwrap_or_default();
        if name.is_empty() || !source[function.byte_range()].contains(&format!("{name}.connect(")) {
            break;
        }
        first = before;
    }
    // Above the comments that it has.
    let mut start = first.start_byte();
    while let Some(comment) = first.prev_named_sibling().filter(|before| before.kind() == "comment") {
        if source[comment.end_byte()..start].matches('\n').count() > 1 {
            break;
        }
        first = comment;
        start = comment.start_byte();
    }
    let line = source[..start].rfind('\n').map_or(0, |at| at + 1);
    let indent = &source[line..start];
    indent.trim().is_empty().then(|| (line, indent.to_owned()))
}

/// What is said of comments that are left for a person.
pub fn note(script: &Script, left: &Left) -> Option<String> {
    let told = |lines: &[usize], one: &str, many: &str| {
        let places: Vec<String> = lines.iter().map(|line| format!("{}:{line}", script.path)).collect();
        let which = if places.len() == 1 { one } else { many };
        (!places.is_empty()).then(|| format!("{which}, and may not be true any more: {}", places.join(", ")))
    };
    let sessions = told(&left.sessions, "A comment still speaks of sessions", "Comments still speak of sessions");
    let endpoint = told(
        &left.endpoint,
        "A comment still names the HTTP+SSE endpoint",
        "Comments still name the HTTP+SSE endpoint",
    );
    let logs = told(&left.logs, "A log line still speaks of sessions", "Log lines still speak of sessions");
    let both: Vec<String> = sessions.into_iter().chain(endpoint).chain(logs).collect();
    (!both.is_empty()).then(|| both.join("; "))
}
