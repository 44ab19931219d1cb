//! Sentences of texts for models, and which of them can only mean the session, the connection, or what a second call used to replace.

use crate::model::facts::Span;

/// What sessions of the protocol are spoken of with; a `training session` is something else.
const OF_SESSIONS: &[&str] = &[
    "a",
    "an",
    "the",
    "this",
    "that",
    "each",
    "every",
    "per",
    "your",
    "one",
    "current",
    "active",
    "mcp",
    "client",
    "same",
    "new",
    "whole",
    "entire",
    "its",
    "own",
    "single",
    "between",
    "across",
    "of",
    "in",
    "for",
    "http",
    "when",
    "while",
    "until",
    "once",
    "separate",
    "different",
    "all",
    "any",
    "no",
    "two",
    "other",
    "and",
    "or",
    "by",
    "with",
    "from",
    "to",
    "is",
    "are",
    "over",
    "within",
    "during",
];

/// The same of connections, which servers also tell of as things of the world.
const OF_CONNECTIONS: &[&str] =
    &["per", "each", "every", "this", "your", "current", "same", "client", "mcp", "http", "own"];

/// What becomes of a connection.
const ENDS: &[&str] = &["closes", "ends", "drops", "lasts", "stays", "breaks", "is", "goes"];

/// What a second call did to what was there.
const REPLACES: &[&str] = &[
    "replaces",
    "replacing",
    "discards",
    "discarding",
    "overwrites",
    "overwriting",
    "drops",
    "dropping",
    "abandons",
    "abandoning",
    "forgets",
    "forgetting",
    "ends",
    "ending",
    "cancels",
    "cancelling",
    "closes",
    "closing",
    "resets",
    "resetting",
    "leaves",
    "leaving",
    "clears",
    "clearing",
    "deletes",
    "deleting",
    "removes",
    "removing",
];

/// The same of what was there.
const REPLACED: &[&str] = &[
    "replaced",
    "discarded",
    "overwritten",
    "dropped",
    "abandoned",
    "forgotten",
    "ended",
    "cancelled",
    "canceled",
    "closed",
    "lost",
    "deleted",
    "removed",
];

/// What tells the one that was there from others.
const EARLIER: &[&str] = &[
    "current", "previous", "existing", "present", "old", "earlier", "running", "active", "any", "last", "open", "you",
    "your",
];

/// What a sentence says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// Nothing of sessions.
    Else,
    /// It tells of the session or of the connection.
    Session,
    /// It may, and may mean something else.
    Maybe,
}

/// What a sentence says. `things`: what else a session or a connection is in this server, by the names of its tools.
pub fn says(text: &str, things: &[String]) -> Says {
    let words = words(text);
    let word = |index: usize| words.get(index).map(|(_, word)| word.as_str());
    let before = |index: usize| index.checked_sub(1).and_then(word);
    let is_thing = |stem: &str| things.iter().any(|thing| thing.starts_with(stem));
    let mut out = Says::Else;
    for (index, (_, own)) in words.iter().enumerate() {
        let found = if own.starts_with("session") {
            let sure = before(index).is_none_or(|before| OF_SESSIONS.contains(&before));
            if sure && !is_thing("session") { Says::Session } else { Says::Maybe }
        } else if matches!(own.as_str(), "connection" | "connections") {
            let ends = before(index) == Some("the") && word(index + 1).is_some_and(|next| ENDS.contains(&next));
            match before(index).is_some_and(|before| OF_CONNECTIONS.contains(&before)) || ends {
                true if is_thing("connection") => Says::Maybe,
                true => Says::Session,
                false => Says::Else,
            }
        } else if matches!(own.as_str(), "disconnect" | "disconnects" | "disconnected" | "reconnect" | "reconnects") {
            if is_thing("disconnect") || is_thing("reconnect") || is_thing("connect") {
                Says::Maybe
            } else {
                Says::Session
            }
        } else {
            continue;
        };
        out = match (out, found) {
            (Says::Maybe, _) | (_, Says::Maybe) => Says::Maybe,
            (_, found) if found != Says::Else => found,
            (out, _) => out,
        };
    }
    // A value that is put in may be anything.
    if out == Says::Session && text.contains("${") { Says::Maybe } else { out }
}

/// A text for models without what it says of the thing that a second call replaced: a sentence, or the end of one.
pub fn without_replacement(text: &str, noun: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for span in sentences(text) {
        let sentence = &text[span.start as usize..span.end as usize];
        let trimmed = sentence.trim_end();
        if replaces(trimmed, noun) && !out.trim().is_empty() {
            continue;
        }
        match clause(trimmed)
            .filter(|at| replaces(trimmed[*at..].trim_start_matches([';', ',', '(', '-', '–', '—', ' ']), noun))
        {
            Some(at) => {
                let stop = if trimmed.ends_with('.') { "." } else { "" };
                out.push_str(trimmed[..at].trim_end());
                out.push_str(stop);
                out.push_str(&sentence[trimmed.len()..]);
            }
            None => out.push_str(sentence),
        }
    }
    if text.ends_with(char::is_whitespace) { out } else { out.trim_end().to_owned() }
}

/// Whether a text may say that a thing which was there already goes.
pub fn may_replace(text: &str, noun: &str) -> bool {
    let all = words(text);
    let thing = noun.rsplit(' ').next().unwrap_or(noun);
    let stems = ["replac", "overwrit", "discard", "abandon"];
    let goes = all.iter().any(|(_, word)| stems.iter().any(|stem| word.starts_with(stem)));
    let earlier = ["current", "previous", "existing", "one"];
    goes && all.iter().any(|(_, word)| word == thing || earlier.contains(&word.as_str()))
}

/// Whether a sentence, or the end of one, says that what is there already goes, and nothing besides.
fn replaces(text: &str, noun: &str) -> bool {
    let all = words(text);
    let is = |index: usize, list: &[&str]| all.get(index).is_some_and(|(_, word)| list.contains(&word.as_str()));
    let thing = noun.rsplit(' ').next().unwrap_or(noun);
    let named = all.iter().any(|(_, word)| word == thing || word == "one" || word == "it");
    let earlier = all.iter().any(|(_, word)| EARLIER.contains(&word.as_str()));
    // `Replaces {what}`: another clause would say something of its own.
    let only = !text.contains(';') && !text.contains(':') && all.len() < 12;
    let passive = all.len() < 9
        && all.iter().any(|(_, word)| matches!(word.as_str(), "is" | "are" | "be"))
        && all.last().is_some_and(|(_, word)| REPLACED.contains(&word.as_str()));
    (is(0, REPLACES) || passive) && named && earlier && only
}

/// Where the last clause of a sentence begins, with what divides it from the rest.
fn clause(sentence: &str) -> Option<usize> {
    [";", ", ", " (", " - ", " – ", " — "]
        .iter()
        .filter_map(|mark| {
            // `…, if any` belongs to the clause before it.
            let whole = sentence.trim_end_matches(['.', ')']);
            let body =
                whole.strip_suffix(", if any").or_else(|| whole.strip_suffix(", if there is one")).unwrap_or(whole);
            body.rfind(mark).filter(|at| *at > 0)
        })
        .max()
}

/// Words in lower case with their places.
fn words(text: &str) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    let mut start = None;
    for (at, char) in text.char_indices().chain([(text.len(), ' ')]) {
        match (char.is_alphanumeric(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                out.push((from, text[from..at].to_lowercase()));
                start = None;
            }
            _ => {}
        }
    }
    out
}

/// A text in sentences, each with the blanks behind it.
pub fn sentences(text: &str) -> Vec<Span> {
    let mut out = Vec::new();
    let mut start = 0;
    let mut depth = 0_usize;
    let bytes = text.as_bytes();
    for (at, char) in text.char_indices() {
        let next = bytes.get(at + 1).copied();
        // What is put in by `${…}` is no part of the text.
        match char {
            '$' if next == Some(b'{') => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > 0 {
            continue;
        }
        let ends = match char {
            '.' | '!' | '?' => next.is_some_and(|next| next == b' ' || next == b'\n'),
            '\n' => true,
            _ => false,
        };
        // An escaped line break within a string.
        let escaped = char == '\\' && next == Some(b'n');
        let end = if ends { at + 1 + usize::from(char != '\n' && next == Some(b' ')) } else { at + 2 };
        if (ends || escaped) && end > start {
            out.push(Span::new(start, end));
            start = end;
        }
    }
    if start < text.len() {
        out.push(Span::new(start, text.len()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Says, says, without_replacement};

    #[test]
    fn sessions_of_the_protocol_are_told_from_others() {
        for text in [
            "One survey per session.",
            "Each connection has one survey: it is made by the first tool call and thrown away when the session ends.",
            "Sessions do not share notes.",
            "It is lost when the connection closes.",
            "State is session-scoped.",
            "It is gone once you disconnect.",
        ] {
            assert_eq!(says(text, &[]), Says::Session, "{text}");
        }
        for text in ["Plan training sessions.", "Each session lasts ${minutes} minutes."] {
            assert_eq!(says(text, &[]), Says::Maybe, "{text}");
        }
        for text in ["Search the connections of a railway.", "Append a connection to the trip.", "In possession of it."]
        {
            assert_eq!(says(text, &[]), Says::Else, "{text}");
        }
        assert_eq!(says("Book the session.", &["session".to_owned()]), Says::Maybe);
        assert_eq!(says("Each connection has a code.", &["connections".to_owned()]), Says::Maybe);
    }

    #[test]
    fn what_a_second_call_replaced_is_not_spoken_of_any_more() {
        for (before, after) in [
            ("Start a game of hangman. Replaces the game you are playing, if any.", "Start a game of hangman."),
            ("Start a game, replacing the current one", "Start a game"),
            ("Start a game; discards any existing game.", "Start a game."),
            ("Start a game (replaces the running game)", "Start a game"),
            ("Start a game. An open game is replaced.", "Start a game."),
            ("Start a game; the current one will be lost", "Start a game"),
            ("Start a game. Ends the previous one. Choose a category.", "Start a game. Choose a category."),
        ] {
            assert_eq!(without_replacement(before, "game"), after);
        }
        for text in [
            "Words that were lost are open",
            "Replaces the text of a note",
            "Start a game. Replaces vowels by dots.",
            "Start a game; ends when the word is found.",
            "Start a game. Discards the previous one: call save_game before, and copy the board.",
        ] {
            assert_eq!(without_replacement(text, "game"), text);
        }
    }
}
