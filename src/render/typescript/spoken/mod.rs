//! What models read about sessions that are gone: in descriptions the phrase goes, in a server's instructions the sentence.
//!
//! Only phrases that add nothing once there are no sessions are taken out (`of the current session`); whatever else speaks of them is
//! pointed out, since only a person knows what it should say.

mod instructions;
mod sentences;

pub use instructions::{Told, instructions};
use sentences::may_replace;
pub use sentences::without_replacement;
use sentences::{Says, says};

use super::handle::edits::Edits;
use super::script::{Script, children, is_function, span};
use super::scripts::Code;
use crate::render::Stale;
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

/// Changes the texts of one tool, and leaves to a person what still speaks of the session.
pub fn tool(edits: &mut Edits, left: &mut Vec<Stale>, script: &Script, registration: Node<'_>, tool: &str) {
    for text in texts(script, registration) {
        let said = script.of(text);
        let without = without_session(said);
        if without != said && is_told(script, text, registration) && !edits.covers(&script.path, span(text)) {
            edits.replace(script, span(text), &without);
        }
        let sure = match says(&without, &[]) {
            Says::Else => continue,
            Says::Maybe => false,
            Says::Session => true,
        };
        leave(
            left,
            Stale {
                path: script.path.clone(),
                said: without,
                sure,
                what: format!("see what the model reads of {tool}"),
                why: "it still speaks of the session, and there is none any more".to_owned(),
                todo: "say it of the handle, or leave it out".to_owned(),
            },
        );
    }
}

/// Leaves to a person what the description of a tool that creates a thing may still say of another one that goes.
pub fn replacement(left: &mut Vec<Stale>, description: Code<'_>, tool: &str, noun: &str) {
    let text = description.script.of(description.node);
    let rest = match description.node.kind() {
        "string" | "template_string" => without_replacement(&text[1..text.len() - 1], noun),
        _ => text.to_owned(),
    };
    if may_replace(&rest, noun) {
        leave(
            left,
            Stale {
                path: description.script.path.clone(),
                said: rest,
                sure: true,
                what: format!("see what the model reads of {tool}"),
                why: format!("it may say that another {noun} is replaced, and each has an id of its own"),
                todo: "say that others stay, or leave it out".to_owned(),
            },
        );
    }
}

/// Leaves a text to a person, once.
fn leave(left: &mut Vec<Stale>, text: Stale) {
    if !left.contains(&text) {
        left.push(text);
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

/// Texts within the options of a registration; the handler's own are answers.
fn texts<'t>(script: &'t Script, node: Node<'t>) -> Vec<Node<'t>> {
    let mut out = Vec::new();
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "string" | "template_string" if says(script.of(node), &[]) != Says::Else => out.push(node),
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
}
