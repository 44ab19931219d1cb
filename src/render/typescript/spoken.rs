//! What models read about sessions that are gone: in descriptions the phrase goes, in a server's instructions the sentence.
//!
//! Only phrases that add nothing once there are no sessions are taken out (`of the current session`); whatever else speaks of them is
//! pointed out, since only a person knows what it should say.

use super::handle::edits::Edits;
use super::script::{Script, children, is_function, span};
use super::scripts::{Code, Scripts, property};
use crate::model::facts::Span;
use crate::plan::Site;
use tree_sitter::Node;

/// What may stand before the session in a phrase that goes: `of the`, `in this`.
const BEFORE: &[&str] = &["of", "in", "for", "from", "within", "during"];
const WHICH: &[&str] = &["the", "this", "your"];
const KIND: &[&str] = &["current", "active", "mcp", "client"];

/// What a session has of its own: `the id of the session`, `for the rest of the session`.
const ITS_OWN: &[&str] = &[
    "id",
    "ids",
    "identifier",
    "name",
    "start",
    "beginning",
    "end",
    "rest",
    "length",
    "duration",
    "lifetime",
    "age",
    "owner",
    "course",
    "part",
    "out",
    "because",
];

/// Words that say no more than that there is one for each session.
const SCOPED: &[&str] = &["per-session", "session-scoped", "session-specific", "session-bound"];

/// Changes the texts of one tool, and notes what still speaks of the session.
pub fn tool(edits: &mut Edits, notes: &mut Vec<String>, script: &Script, registration: Node<'_>, tool: &str) {
    for text in texts(script, registration) {
        let said = script.of(text);
        let without = without_session(said);
        if without != said && is_told(script, text, registration) && !edits.covers(&script.path, span(text)) {
            edits.replace(script, span(text), &without);
        }
        if speaks(&without) {
            push(notes, format!("{tool}: what the model reads of it still speaks of the session: {without}"));
        }
    }
}

/// Changes what servers tell models about themselves, and notes where that is not written in one piece. `handle` is the argument and the
/// tool that returns it.
pub fn instructions(
    edits: &mut Edits,
    notes: &mut Vec<String>,
    scripts: &Scripts<'_>,
    servers: &[Site],
    handle: (&str, &str),
) {
    let sentence = format!("Pass the {} that {} returns to the tools that take it.", handle.0, handle.1);
    for server in servers {
        let Some(text) = instructions_of(scripts, server) else { continue };
        let said = text.script.of(text.node);
        if !speaks(said) {
            continue;
        }
        let plain = text.node.kind() == "string" || text.node.kind() == "template_string" && !said.contains("${");
        let parts = joined(text.script, text.node).filter(|_| !edits.covers(&text.script.path, span(text.node)));
        if plain && !edits.covers(&text.script.path, span(text.node)) {
            edits.replace(text.script, span(text.node), retold(said, &sentence));
        } else if let Some(parts) = parts {
            retell(edits, text.script, &parts, &sentence);
        } else {
            push(notes, format!("{}: the server's instructions still speak of the session: {said}", text.script.path));
        }
    }
}

/// A text without the phrases that mean nothing any more.
pub fn without_session(text: &str) -> String {
    let tokens = tokens(text);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let mut index = 0;
    while index < tokens.len() {
        if let Some((cut, put)) = phrase(text, &tokens[index..]) {
            out.push_str(&text[at..cut.0]);
            out.push_str(put);
            at = cut.1;
            while index < tokens.len() && tokens[index].0 < at {
                index += 1;
            }
        } else {
            index += 1;
        }
    }
    out.push_str(&text[at..]);
    out
}

/// What goes where a phrase begins with the first of some words, and what takes its place.
fn phrase<'t>(text: &'t str, tokens: &[(usize, &'t str)]) -> Option<((usize, usize), &'static str)> {
    let word = |index: usize| tokens.get(index).map(|(_, word)| word.to_lowercase());
    let is = |index: usize, list: &[&str]| word(index).is_some_and(|word| list.contains(&word.as_str()));
    let (start, first) = tokens[0];
    if is(0, SCOPED) {
        // `an` would have to become `a`, or the other way around.
        let next = tokens.get(1).filter(|(_, next)| !next.starts_with(['a', 'e', 'i', 'o', 'u']))?;
        return Some(((start, next.0), ""));
    }
    let article = usize::from(is(0, BEFORE));
    let mut index = article;
    if !is(index, WHICH) {
        return None;
    }
    index += 1;
    while is(index, KIND) {
        index += 1;
    }
    let &(at, last) = tokens.get(index)?;
    let owned = matches!(last.to_lowercase().as_str(), "session's" | "session’s" | "session\\'s");
    if owned && article == 0 && tokens.get(index + 1).is_some() {
        let the = if first.starts_with(char::is_uppercase) { "The" } else { "the" };
        return Some(((start, at + last.len()), the));
    }
    // `In this session, …` begins a sentence: another word would have to begin with a capital letter.
    let before =
        text[..start].strip_suffix(' ').filter(|before| before.ends_with(|char: char| char.is_alphanumeric()))?;
    let owner = before.rsplit(' ').next().is_some_and(|word| ITS_OWN.contains(&word.to_lowercase().as_str()));
    let end = at + last.len();
    let follows = text[end..]
        .chars()
        .next()
        .is_none_or(|next| matches!(next, '.' | ',' | ';' | '!' | '?' | ')' | '\'' | '"' | '`'));
    let alone = last.eq_ignore_ascii_case("session") && (follows || goes_on(tokens.get(index + 1)));
    (article == 1 && alone && !owner).then_some(((before.len(), end), ""))
}

/// Whether the word behind a phrase begins another one, so that the session was no part of a longer name (`the session id`).
fn goes_on(next: Option<&(usize, &str)>) -> bool {
    next.is_some_and(|(_, next)| {
        matches!(*next, "and" | "or" | "by" | "with" | "as" | "to" | "from" | "in" | "at" | "so" | "until" | "using")
    })
}

/// Words with their places. An apostrophe and a hyphen are parts of a word.
fn tokens(text: &str) -> Vec<(usize, &str)> {
    let inner = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | '’' | '\'' | '\\');
    let mut out = Vec::new();
    let mut start = None;
    for (at, char) in text.char_indices().chain([(text.len(), ' ')]) {
        match (inner(char), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                let word = text[from..at].trim_end_matches(['\'', '’', '\\']);
                let lead = word.len() - word.trim_start_matches(['\'', '’', '\\']).len();
                if word.len() > lead {
                    out.push((from + lead, &word[lead..]));
                }
                start = None;
            }
            _ => {}
        }
    }
    out
}

/// The texts of `'…' + '…'`, where no sentence goes on in the next of them.
fn joined<'t>(script: &Script, node: Node<'t>) -> Option<Vec<Node<'t>>> {
    let mut parts = Vec::new();
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "binary_expression" => {
                let operator = node.child_by_field_name("operator").filter(|sign| script.of(*sign) == "+");
                operator?;
                stack.extend([node.child_by_field_name("right")?, node.child_by_field_name("left")?]);
            }
            "string" => parts.push(node),
            _ => return None,
        }
    }
    let inside = |part: &Node<'_>| script.of(*part)[1..].trim_end_matches(['\'', '"']).to_owned();
    let whole = |part: &Node<'_>| inside(part).trim_end().trim_end_matches("\\n").ends_with(['.', '!', '?', ':']);
    let ends = parts.split_last().is_some_and(|(_, earlier)| !earlier.is_empty() && earlier.iter().all(whole));
    ends.then_some(parts)
}

/// Tells of the handle in the first part that told of the session, and takes that out of all parts.
fn retell(edits: &mut Edits, script: &Script, parts: &[Node<'_>], sentence: &str) {
    let mut sentence = Some(sentence);
    for (index, part) in parts.iter().enumerate() {
        let said = script.of(*part);
        if !speaks(said) {
            continue;
        }
        let text = told_of(said, sentence.take());
        let before = index.checked_sub(1).map(|before| parts[before]);
        match before.filter(|_| text.len() == 2 || text[1..text.len() - 1].trim().is_empty()) {
            Some(before) => edits.cut(script, Span::new(before.end_byte(), part.end_byte())),
            None => edits.replace(script, span(*part), text),
        }
    }
}

/// Instructions in which one sentence tells of the handle, where some told of the session.
fn retold(text: &str, sentence: &str) -> String {
    let out = told_of(text, Some(sentence));
    let (inside, close) = out.split_at(out.len() - 1);
    format!("{}{close}", inside.trim_end_matches(' '))
}

/// The same of a part: without a sentence, what told of the session goes.
fn told_of(text: &str, sentence: Option<&str>) -> String {
    let (open, inside, close) = (&text[..1], &text[1..text.len() - 1], &text[text.len() - 1..]);
    let mut out = String::from(open);
    let mut told = sentence.is_none();
    let sentence = sentence.unwrap_or_default();
    for part in sentences(inside) {
        if !speaks(part) {
            out.push_str(part);
            continue;
        }
        let spoken = part.trim();
        let lead = &part[..part.len() - part.trim_start().len()];
        let tail = &part[lead.len() + spoken.len()..];
        if !told {
            out.push_str(lead);
            out.push_str(sentence);
            out.push_str(tail);
        }
        told = true;
    }
    out + close
}

/// A text in sentences, each with the blanks behind it.
fn sentences(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    for (at, char) in text.char_indices() {
        let next = bytes.get(at + 1).copied();
        let ends = match char {
            '.' | '!' | '?' => next.is_some_and(|next| next == b' ' || next == b'\n'),
            '\n' => true,
            _ => false,
        };
        // An escaped line break within a string.
        let escaped = char == '\\' && next == Some(b'n');
        let end = if ends { at + 1 + usize::from(char != '\n' && next == Some(b' ')) } else { at + 2 };
        if (ends || escaped) && end > start {
            out.push(&text[start..end]);
            start = end;
        }
    }
    if start < text.len() {
        out.push(&text[start..]);
    }
    out
}

/// The instructions that a server is made with.
fn instructions_of<'s>(scripts: &'s Scripts<'_>, server: &Site) -> Option<Code<'s>> {
    let made = scripts.at(server).ok()?;
    let call = if made.node.kind() == "new_expression" { made } else { made.bare() };
    let arguments = call.node.child_by_field_name("arguments")?;
    let options = call.to(*children(arguments).get(1)?);
    property(scripts.value(options)?, "instructions").and_then(|text| scripts.value(text))
}

/// Texts within the options of a registration; the handler's own are answers.
fn texts<'t>(script: &'t Script, node: Node<'t>) -> Vec<Node<'t>> {
    let mut out = Vec::new();
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "string" | "template_string" if speaks(script.of(node)) => out.push(node),
            _ if is_function(node) => {}
            _ => stack.extend(children(node)),
        }
    }
    out
}

/// Whether a text is there to be read, and no value that code compares: a description, a title, or a text that the registration is given
/// behind the name.
fn is_told(script: &Script, text: Node<'_>, registration: Node<'_>) -> bool {
    let mut node = text;
    while let Some(parent) = node.parent() {
        match parent.kind() {
            "binary_expression" | "parenthesized_expression" => node = parent,
            "pair" => {
                let key = parent.child_by_field_name("key").map(|key| script.of(key).trim_matches(['"', '\'']));
                return key.is_some_and(|key| matches!(key, "description" | "title"));
            }
            "arguments" => {
                let Some(call) = parent.parent() else { return false };
                let describes = call.child_by_field_name("function").is_some_and(|callee| {
                    callee.child_by_field_name("property").is_some_and(|name| script.of(name) == "describe")
                });
                let behind_name = call == registration && children(parent).first() != Some(&node);
                return describes || behind_name;
            }
            _ => return false,
        }
    }
    false
}

fn speaks(text: &str) -> bool {
    text.to_lowercase().contains("session")
}

fn push(notes: &mut Vec<String>, note: String) {
    if !notes.contains(&note) {
        notes.push(note);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phrases_that_mean_nothing_any_more_go() {
        for (before, after) in [
            ("Add a card to the deck of the current session.", "Add a card to the deck."),
            ("Show the next page of the last search in this session", "Show the next page of the last search"),
            (
                "Put an item on the list of the current MCP session. Again updates it.",
                "Put an item on the list. Again updates it.",
            ),
            ("Get the current value of your session's counter", "Get the current value of the counter"),
            ("This session's notes", "The notes"),
            ("Increment a per-session counter", "Increment a counter"),
            ("All timers of this session and the time they have left.", "All timers and the time they have left."),
            ("Select the project for this session. Use list_projects.", "Select the project. Use list_projects."),
        ] {
            assert_eq!(without_session(before), after);
        }
    }

    #[test]
    fn what_only_a_person_can_say_otherwise_stays() {
        for text in [
            "Timers stop when the session ends.",
            "Close the session",
            "The id of the session to end",
            "Kept for the rest of the session.",
            "In this session, everything is kept.",
            "One basket for each session",
            "A per-session item",
            "Take notes of the session notes",
            "Cards of the session-based deck",
            "Read the value of the session id",
            "possession of the sessions",
        ] {
            assert_eq!(without_session(text), text);
        }
    }

    #[test]
    fn a_sentence_of_instructions_tells_of_the_handle() {
        let told = "Pass the trip_id that create_trip returns to the tools that take it.";
        for (before, after) in [
            ("'Plan one trip per session. Add the stops in order.'", format!("'{told} Add the stops in order.'")),
            ("\"Call load_cues first. One file per session.\"", format!("\"Call load_cues first. {told}\"")),
            ("'A session holds one trip.'", format!("'{told}'")),
            ("'Begin. A session holds it. The session ends. Done.'", format!("'Begin. {told} Done.'")),
            ("`Begin.\nOne per session\nDone.`", format!("`Begin.\n{told}\nDone.`")),
        ] {
            assert_eq!(retold(before, told), after);
        }
    }
}
