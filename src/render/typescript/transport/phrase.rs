//! How a session id is said in a line of text: what has to go with it, so that the rest still reads well.

/// What takes the place of an id within a text.
#[derive(Debug, PartialEq, Eq)]
pub struct Rest {
    /// How much of the text before the id stays.
    pub before: usize,
    /// How much of the text behind the id goes.
    pub behind: usize,
    /// What is put in instead.
    pub instead: &'static str,
}

/// What is said where nothing else can be.
pub const NOTHING: &str = "-";

const NOUNS: &[&str] = &["session", "sessionid", "session_id", "session-id", "mcp-session-id", "sid", "id"];
const AROUND: &[&str] = &["the", "this", "mcp", "client", "transport"];
const PREPOSITIONS: &[&str] = &["for", "in", "of", "from", "on", "with", "by", "to", "via", "under"];
const SEPARATORS: &[char] = &[' ', '\t', ',', ';', '|'];

/// Looks at the text on both sides of an id.
pub fn without(before: &str, behind: &str) -> Rest {
    let label = before.trim_end_matches([' ', '\t']).trim_end_matches([':', '=', '#']);
    let labelled = label.len() < before.trim_end_matches([' ', '\t']).len();
    let (noun, nouns) = nouns(label);
    if let Some(rest) = bracketed(before, behind, noun) {
        return rest;
    }
    let outer = before[..noun].trim_end_matches([' ', '\t']);
    let ends = behind.is_empty() || behind.starts_with([' ', ',', ';', ':', '.', ')', ']', '|']);
    let separated = nouns > 0 && labelled && (outer.is_empty() || outer.ends_with(SEPARATORS));
    let assigned = nouns > 0 && before.ends_with('=') && before[..noun].ends_with(SEPARATORS);
    let (word, at) = last_word(outer);
    if ends && PREPOSITIONS.contains(&word.to_ascii_lowercase().as_str()) {
        return taken_out(&before[..at], behind);
    }
    if ends && (separated || assigned) {
        return taken_out(&before[..noun], behind);
    }
    if nouns > 0 && !labelled {
        let capital = before[noun..].starts_with(char::is_uppercase);
        return Rest { before: noun, behind: 0, instead: if capital { "Request" } else { "request" } };
    }
    Rest { before: before.len(), behind: 0, instead: NOTHING }
}

/// Where the words begin that name a session at the end of a text, and how many of them are more than an article.
fn nouns(text: &str) -> (usize, usize) {
    let (mut at, mut found) = (text.len(), 0);
    loop {
        let (word, start) = last_word(&text[..at]);
        let lower = word.to_ascii_lowercase();
        if NOUNS.contains(&lower.as_str()) {
            found += 1;
        } else if found == 0 || !AROUND.contains(&lower.as_str()) || !text[..start].ends_with([' ', '\t']) && start > 0
        {
            return (at, found);
        }
        at = start;
        if !text[..at].ends_with([' ', '\t']) {
            return (at, found);
        }
    }
}

/// The last word of a text, and where it begins.
fn last_word(text: &str) -> (&str, usize) {
    let trimmed = text.trim_end_matches([' ', '\t']);
    let word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-');
    let start = trimmed.len() - trimmed.chars().rev().take_while(|char| word(*char)).map(char::len_utf8).sum::<usize>();
    (&trimmed[start..], start)
}

/// `[id] …`, `… (session id)`.
fn bracketed(before: &str, behind: &str, noun: usize) -> Option<Rest> {
    let open = before[..noun].trim_end_matches([' ', '\t']);
    let close = match open.chars().next_back()? {
        '[' => ']',
        '(' => ')',
        '<' => '>',
        _ => return None,
    };
    let behind_bracket = behind.strip_prefix(close)?;
    let rest = taken_out(&open[..open.len() - 1], behind_bracket);
    Some(Rest { behind: rest.behind + 1, ..rest })
}

/// Both sides as one text, without the blanks and marks that held the phrase.
fn taken_out(before: &str, behind: &str) -> Rest {
    let kept = before.trim_end_matches(SEPARATORS).len();
    if kept > 0 {
        return Rest { before: kept, behind: 0, instead: "" };
    }
    let rest = behind.trim_start_matches([' ', '\t', ',', ';', ':', '|', '-']);
    Rest { before: 0, behind: behind.len() - rest.len(), instead: "" }
}

#[cfg(test)]
mod tests {
    use super::without;

    fn said(before: &str, behind: &str) -> String {
        let rest = without(before, behind);
        format!("{}{}{}", &before[..rest.before], rest.instead, &behind[rest.behind..])
    }

    #[test]
    fn the_phrase_goes_with_the_id() {
        assert_eq!(said("Error for session ", ":"), "Error:");
        assert_eq!(said("called a tool in session ", ""), "called a tool");
        assert_eq!(said("sent 3 bytes to ", " at once"), "sent 3 bytes at once");
        assert_eq!(said("[", "] POST"), "POST");
        assert_eq!(said("POST (session: ", ") failed"), "POST failed");
        assert_eq!(said("POST /mcp session=", " rpc"), "POST /mcp rpc");
        assert_eq!(said("POST, session id: ", ""), "POST");
        assert_eq!(said("For session ", ", POST"), "POST");
    }

    #[test]
    fn a_subject_becomes_the_request() {
        assert_eq!(said("Session ", " called a tool"), "Request called a tool");
        assert_eq!(said("[mcp] new session ", " by somebody"), "[mcp] new request by somebody");
    }

    #[test]
    fn what_does_not_read_well_without_says_so() {
        assert_eq!(said("+ ", " opened"), "+ - opened");
        assert_eq!(said("user:", "/end"), "user:-/end");
    }
}
