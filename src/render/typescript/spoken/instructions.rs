//! What a server tells models about itself: sentences on the session go, and one on the handle comes in.

use tree_sitter::Node;

use super::sentences::{Says, says, sentences};
use super::{leave, without_session};
use crate::classify::words::words;
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::handle::Names;
use crate::render::Stale;
use crate::render::typescript::handle::edits::Edits;
use crate::render::typescript::script::{Script, children, span};
use crate::render::typescript::scripts::{Code, Scripts, property};

/// What the sentence on a handle says in every server, by which one that is there already is known.
const KNOWN: &str = " first and pass its ";

/// What the instructions have to say of a handle.
pub struct Told<'a> {
    /// How it is called.
    pub names: &'a Names,
    /// The tool that answers it.
    pub create: &'a str,
    /// The tools that take it: what they are called after is no matter of the protocol.
    pub tools: Vec<&'a str>,
}

/// A text of one or several pieces: literals with what stands between them when they are joined.
struct Pieces<'t> {
    literals: Vec<Node<'t>>,
    between: &'static str,
}

/// Changes what servers tell models about themselves, and tells where that is for a person to say.
pub fn instructions(
    edits: &mut Edits,
    left: &mut Vec<Stale>,
    scripts: &Scripts<'_>,
    servers: &[Site],
    told: &Told<'_>,
) {
    let mut seen: Vec<(String, Span)> = Vec::new();
    for server in servers {
        let Some(text) = instructions_of(scripts, server) else { continue };
        let place = (text.script.path.clone(), span(text.node));
        if seen.contains(&place) || edits.covers(&place.0, place.1) {
            continue;
        }
        seen.push(place);
        let speaks = || says(text.script.of(text.node), &[]) != Says::Else;
        let whole = match pieces(text.script, text.node) {
            Some(pieces) => retell(edits, text.script, &pieces, told),
            None => !speaks(),
        };
        if !whole {
            leave(
                left,
                Stale {
                    path: text.script.path.clone(),
                    said: text.script.of(text.node).to_owned(),
                    sure: true,
                    what: "see what the server's instructions say of sessions".to_owned(),
                    why: "models read them first, and there is no session any more that could keep something for them"
                        .to_owned(),
                    todo: format!(
                        "say that {} comes first and that its {} is passed on, where they mean that",
                        told.create, told.names.argument
                    ),
                },
            );
        }
    }
}

/// Rewrites what tells of the session for sure. Whether that was all that may.
fn retell(edits: &mut Edits, script: &Script, pieces: &Pieces<'_>, told: &Told<'_>) -> bool {
    let insides: Vec<&str> = pieces.literals.iter().map(|node| inside(script, *node)).collect();
    let things: Vec<String> = told.tools.iter().flat_map(|tool| words(tool)).collect();
    let said = retold(&insides, pieces.between, &sentence(told), &things, &told.names.argument);
    for (index, text) in said.pieces.iter().enumerate() {
        let literal = pieces.literals[index];
        if text == insides[index] {
            continue;
        }
        match index.checked_sub(1).filter(|_| text.trim().is_empty()) {
            Some(before) => edits.cut(script, Span::new(pieces.literals[before].end_byte(), literal.end_byte())),
            None => edits.replace(script, Span::new(literal.start_byte() + 1, literal.end_byte() - 1), text.as_str()),
        }
    }
    said.all
}

/// The sentence on the handle.
fn sentence(told: &Told<'_>) -> String {
    let Told { names, create, .. } = told;
    let one = names.one();
    format!("Call {create}{KNOWN}{} to the tools that take one; {create} says how long {one} lives.", names.argument)
}

/// Pieces as they are to be.
struct Retold {
    pieces: Vec<String>,
    /// Nothing is left that may speak of the session.
    all: bool,
}

/// The text with one sentence on the handle where some told of the session.
fn retold(pieces: &[&str], between: &str, sentence: &str, things: &[String], argument: &str) -> Retold {
    let whole = pieces.join(between);
    let mut starts = Vec::new();
    let mut at = 0;
    for piece in pieces {
        starts.push(at);
        at += piece.len() + between.len();
    }
    // From the last to the first, so that places stay what they are.
    let mut out: Vec<String> = pieces.iter().map(|piece| (*piece).to_owned()).collect();
    let mut all = true;
    let mut spoke = false;
    let mut gone: Vec<Span> = Vec::new();
    for part in sentences(&whole) {
        let text = &whole[part.start as usize..part.end as usize];
        match says(text, things) {
            Says::Else => {}
            Says::Maybe => all = false,
            Says::Session => {
                spoke = true;
                gone.push(part);
            }
        }
    }
    for (index, part) in gone.iter().enumerate().rev() {
        let text = &whole[part.start as usize..part.end as usize];
        let shorter = without_session(text);
        let stays = shorter != text && says(&shorter, things) == Says::Else && (asks(text) || is_owner(text));
        let bare = text.trim_end_matches([' ', '\n']).trim_end_matches("\\n");
        let lead = bullet(bare);
        let put = match (stays, index) {
            (true, _) => shorter,
            (false, 0) => format!("{}{sentence}{}", &text[..lead], &text[bare.len()..]),
            (false, _) => String::new(),
        };
        replace(&mut out, &starts, pieces, *part, &put);
    }
    let known = |text: &str| text.contains(KNOWN);
    let joined = out.join(between);
    let lacks =
        spoke && !joined.contains(sentence) || known(&joined) && !joined.contains(&format!("{KNOWN}{argument} "));
    if let Some(last) = out.iter_mut().rfind(|piece| !piece.trim().is_empty()).filter(|_| lacks) {
        let trimmed = last.trim_end().len();
        let stop = if last[..trimmed].ends_with(['.', '!', '?', ':']) { " " } else { ". " };
        last.truncate(trimmed);
        last.push_str(&format!("{stop}{sentence}"));
    }
    if spoke && let Some(last) = out.last_mut() {
        last.truncate(last.trim_end_matches(' ').len());
    }
    Retold { pieces: out, all }
}

/// Writes a text in the place of a stretch of the whole, in the piece where that begins.
fn replace(out: &mut [String], starts: &[usize], pieces: &[&str], part: Span, put: &str) {
    let (start, end) = (part.start as usize, part.end as usize);
    let mut put = Some(put);
    for (index, piece) in pieces.iter().enumerate() {
        let (from, to) = (starts[index], starts[index] + piece.len());
        if start >= to.max(from + 1) || end <= from {
            continue;
        }
        let own = start.max(from) - from..end.min(to) - from;
        out[index].replace_range(own, put.take().unwrap_or_default());
    }
}

/// Whether a sentence asks for something to be done: `The draft lives in this session` says what is not so any more.
fn asks(text: &str) -> bool {
    const TELLS: &[&str] = &[
        "the",
        "a",
        "an",
        "it",
        "its",
        "this",
        "that",
        "there",
        "each",
        "every",
        "all",
        "your",
        "you",
        "one",
        "only",
        "no",
        "everything",
        "nothing",
        "state",
    ];
    words(text).first().is_some_and(|first| !TELLS.contains(&first.as_str()))
}

/// Whether the session is only what something is of: `The cart of this session holds 20 items`.
fn is_owner(text: &str) -> bool {
    const KIND: &[&str] = &["the", "this", "your", "current", "active", "mcp", "client"];
    let all = words(text);
    let of =
        |at: usize| all[..at].iter().rev().find(|word| !KIND.contains(&word.as_str())).is_some_and(|word| word == "of");
    (0..all.len()).filter(|at| all[*at].starts_with("session")).all(of)
}

/// How long what stands before the first word of a line of a list is.
fn bullet(text: &str) -> usize {
    let blank = text.len() - text.trim_start().len();
    let rest = &text[blank..];
    let mark = ["- ", "* ", "• "].iter().find(|mark| rest.starts_with(**mark)).map(|mark| mark.len());
    let digits = rest.chars().take_while(char::is_ascii_digit).count();
    let number = rest[digits..].starts_with(". ").then_some(digits + 2).filter(|_| digits > 0);
    blank + mark.or(number).unwrap_or(0)
}

/// The literals of `'…'`, of `'…' + '…'` and of `['…', '…'].join('\n')`.
fn pieces<'t>(script: &Script, node: Node<'t>) -> Option<Pieces<'t>> {
    let literal = |node: &Node<'_>| matches!(node.kind(), "string" | "template_string");
    if node.kind() == "call_expression" {
        let function = node.child_by_field_name("function")?;
        let (array, name) = (function.child_by_field_name("object")?, function.child_by_field_name("property")?);
        let separator = children(node.child_by_field_name("arguments")?).first().map(|first| inside(script, *first));
        let between = match separator? {
            "\\n" => "\n",
            "\\n\\n" => "\n\n",
            " " => " ",
            "" => "",
            _ => return None,
        };
        let literals = children(array);
        let is_list = array.kind() == "array" && script.of(name) == "join" && literals.iter().all(literal);
        return is_list.then_some(Pieces { literals, between });
    }
    let mut literals = Vec::new();
    let mut stack = vec![node];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "binary_expression" => {
                let operator = node.child_by_field_name("operator").filter(|sign| script.of(*sign) == "+");
                operator?;
                stack.extend([node.child_by_field_name("right")?, node.child_by_field_name("left")?]);
            }
            "parenthesized_expression" => stack.extend(children(node)),
            _ if literal(&node) => literals.push(node),
            _ => return None,
        }
    }
    Some(Pieces { literals, between: "" })
}

/// A literal without its quotes.
fn inside<'s>(script: &'s Script, literal: Node<'_>) -> &'s str {
    let text = script.of(literal);
    if text.len() < 2 { text } else { &text[1..text.len() - 1] }
}

/// The instructions that a server is made with.
fn instructions_of<'s>(scripts: &'s Scripts<'_>, server: &Site) -> Option<Code<'s>> {
    let made = scripts.at(server).ok()?;
    let call = if made.node.kind() == "new_expression" { made } else { made.bare() };
    let arguments = call.node.child_by_field_name("arguments")?;
    let options = call.to(*children(arguments).get(1)?);
    let text = property(scripts.value(options)?, "instructions")?;
    scripts.value(text)
}

#[cfg(test)]
mod tests {
    use super::retold;

    const TOLD: &str = "Call create_trip first and pass its trip_id to the tools that take one; create_trip says how long a trip lives.";

    fn of(pieces: &[&str], between: &str) -> Vec<String> {
        retold(pieces, between, TOLD, &[], "trip_id").pieces
    }

    #[test]
    fn a_sentence_of_instructions_tells_of_the_handle() {
        for (before, after) in [
            ("Plan one trip per session. Add the stops in order.", format!("{TOLD} Add the stops in order.")),
            ("Call load_cues first. One file per session.", format!("Call load_cues first. {TOLD}")),
            ("The trip lives in this session. Done.", format!("{TOLD} Done.")),
            ("The trip of this session. Has 20 stops at most.", format!("The trip. Has 20 stops at most. {TOLD}")),
            ("A session holds one trip.", TOLD.to_owned()),
            ("Begin. A session holds it. The session ends. Done.", format!("Begin. {TOLD} Done.")),
            ("Begin.\nOne per session\nDone.", format!("Begin.\n{TOLD}\nDone.")),
            ("- Begin.\n- Each connection has one trip.\n- Done.", format!("- Begin.\n- {TOLD}\n- Done.")),
            (
                "Add stops to the trip of this session. Then show it.",
                format!("Add stops to the trip. Then show it. {TOLD}"),
            ),
        ] {
            assert_eq!(of(&[before], ""), [after]);
        }
    }

    #[test]
    fn pieces_that_are_joined_are_one_text() {
        let lines =
            ["Plan it step by step.", "Each connection has one trip.", "It is gone once the session ends.", "Done."];
        assert_eq!(of(&lines, "\n"), ["Plan it step by step.", TOLD, "", "Done."]);
        assert_eq!(
            of(&["Plan it. Each session has ", "one trip. Done."], ""),
            [format!("Plan it. {TOLD} "), "Done.".to_owned()]
        );
    }

    #[test]
    fn what_may_mean_something_else_stays() {
        let text = "Plan training sessions.";
        let told = retold(&[text], "", TOLD, &[], "trip_id");
        assert_eq!((told.pieces, told.all), (vec![text.to_owned()], false));
        let other = "Call create_map first and pass its map_id to the tools that take one; create_map says how long a map lives.";
        assert_eq!(of(&[other], ""), [format!("{other} {TOLD}")]);
        assert_eq!(
            of(&["Plan trips by train. Search for a connection."], ""),
            ["Plan trips by train. Search for a connection."]
        );
    }
}
