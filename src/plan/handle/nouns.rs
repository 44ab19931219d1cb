//! What tools say of the thing that they work on, by their names: `show_recipe` beside `reset_recipe`, and what they put into it.
//!
//! Used where the store says nothing of what it keeps (`sessions`), or where several variables are one thing together.

use super::names::{is_bookkeeping, singular};
use super::planner::Words;
use super::served::{domain, only_domain};
use super::{Role, ToolUse};
use crate::classify::words::words;
use crate::model::program::ClassRef;
use crate::rules::detect::Context;

/// What is done to a thing as a whole.
const WHOLE: &[&str] = &[
    "show",
    "view",
    "preview",
    "display",
    "render",
    "print",
    "describe",
    "summarize",
    "summarise",
    "reset",
    "clear",
    "empty",
    "name",
    "rename",
    "start",
    "begin",
    "restart",
    "finish",
    "end",
    "quit",
    "leave",
    "abandon",
    "discard",
    "submit",
    "confirm",
    "export",
    "checkout",
    "review",
    "publish",
    "share",
    "resume",
    "pause",
    "solve",
    "open",
    "close",
    "scale",
    "quote",
    "place",
    "save",
    "load",
    "build",
    "bake",
    "play",
];

/// What is done to a whole or to one thing of several.
const EITHER: &[&str] =
    &["get", "read", "fetch", "delete", "remove", "drop", "update", "edit", "set", "move", "take", "cancel"];

/// What is done to one thing of several.
const PART: &[&str] = &[
    "add", "append", "insert", "push", "put", "log", "record", "toggle", "complete", "mark", "check", "uncheck",
    "list", "find", "search", "undo", "redo", "pick", "draw", "guess", "create", "new", "make", "count", "swap",
    "select",
];

/// Whether a verb makes the thing itself: `log_line` makes no line, where a log is what it begins.
fn makes(verb: &str) -> bool {
    matches!(verb, "create" | "new" | "make")
}

/// What puts a thing into another one, or takes it out.
const INTO: &[&str] = &["add", "append", "insert", "push", "put", "remove", "delete", "drop", "take"];

/// Words in front of a thing that do not belong to its name.
const LEAD: &[&str] = &["my", "your", "this", "that", "whole", "full", "entire", "a", "an", "next", "last", "new"];

/// What a thing has, behind its name: `recipe_summary`, `cart_total`.
const FACET: &[&str] = &[
    "status",
    "summary",
    "total",
    "totals",
    "history",
    "details",
    "size",
    "list",
    "item",
    "items",
    "help",
    "result",
    "results",
    "everything",
    "overview",
    "stats",
    "progress",
    "page",
    "text",
    "name",
    "title",
    "settings",
    "it",
    "them",
    "all",
    "one",
    "options",
];

/// A tool that reaches a store.
#[derive(Clone, Copy)]
pub struct Reaches<'a> {
    /// Its name.
    pub name: &'a str,
    /// It makes the value, or ends it.
    pub bounds: bool,
}

impl<'a> From<&'a ToolUse> for Reaches<'a> {
    fn from(tool: &'a ToolUse) -> Self {
        Self { name: &tool.name, bounds: tool.role != Role::Uses }
    }
}

/// What tools work on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spoken {
    /// The thing as a whole.
    pub whole: Option<String>,
    /// What it is made of, where that is all they name.
    pub part: Option<String>,
}

/// How much is said for a thing.
#[derive(Default)]
struct Votes {
    thing: Vec<String>,
    /// Tools that treat it as a whole for sure.
    whole: u32,
    /// Tools that may.
    either: u32,
    /// Tools that treat it as one of several for sure.
    part: u32,
}

/// A tool's name, taken apart.
struct Told {
    /// What stands before the verb: `recipe` of `recipe_add_step`.
    space: Option<String>,
    verb: String,
    thing: Vec<String>,
    /// The thing is what another one is put into.
    container: bool,
    several: bool,
}

/// What the names of tools have in common. `known` are names that tell which of two it is.
pub fn spoken(tools: &[Reaches<'_>], known: &[String]) -> Spoken {
    let told: Vec<(Told, bool)> = tools.iter().filter_map(|tool| Some((apart(tool.name)?, tool.bounds))).collect();
    let mut votes: Vec<Votes> = Vec::new();
    for (told, bounds) in told.iter().filter(|(told, _)| !told.thing.is_empty()) {
        let at = votes.iter().position(|one| one.thing == told.thing).unwrap_or_else(|| {
            votes.push(Votes { thing: told.thing.clone(), ..Votes::default() });
            votes.len() - 1
        });
        let is = |list: &[&str]| list.contains(&told.verb.as_str());
        if told.several {
            votes[at].part += 1;
        } else if told.container || is(WHOLE) || *bounds && (makes(&told.verb) || !is(PART)) {
            votes[at].whole += 1;
        } else if is(PART) {
            votes[at].part += 1;
        } else {
            votes[at].either += 1;
        }
    }
    join_longer(&mut votes);
    let is_known = |votes: &Votes| {
        let known = known.iter().flat_map(|name| words(name)).map(|word| singular(&word));
        known.into_iter().any(|word| votes.thing.last() == Some(&word))
    };
    let mut wholes: Vec<&Votes> = votes.iter().filter(|votes| votes.part == 0 && votes.whole > 0).collect();
    wholes.sort_by_key(|votes| std::cmp::Reverse((votes.whole + votes.either, is_known(votes))));
    let rank = |votes: &Votes| (votes.whole + votes.either, is_known(votes));
    let alone = match wholes.as_slice() {
        [] => None,
        [only] => Some(*only),
        [first, second, ..] => (rank(first) > rank(second)).then_some(*first),
    };
    let whole = alone.map(|votes| votes.thing.join(" ")).or_else(|| space(&told));
    let mut parts: Vec<&Votes> = votes.iter().filter(|votes| votes.part > 0).collect();
    parts.sort_by_key(|votes| std::cmp::Reverse(votes.part + votes.whole + votes.either));
    let part = match parts.as_slice() {
        [only] => Some(*only),
        [first, second, ..] if first.part + first.either > 1 && second.part + second.either < 2 => Some(*first),
        _ => None,
    };
    Spoken { part: part.filter(|_| whole.is_none()).map(|votes| votes.thing.join(" ")), whole }
}

/// `cart` and `shopping cart` are one thing.
fn join_longer(votes: &mut Vec<Votes>) {
    votes.sort_by_key(|votes| votes.thing.len());
    let mut out: Vec<Votes> = Vec::new();
    for one in votes.drain(..) {
        match out.iter_mut().find(|shorter| one.thing.ends_with(&shorter.thing)) {
            Some(shorter) => {
                shorter.whole += one.whole;
                shorter.either += one.either;
                shorter.part += one.part;
            }
            None => out.push(one),
        }
    }
    *votes = out;
}

/// What stands before the verb in the names of all tools: `recipe_show`, `recipe_add_step`.
fn space(told: &[(Told, bool)]) -> Option<String> {
    let first = told.first()?.0.space.clone()?;
    (told.len() > 1 && told.iter().all(|(told, _)| told.space.as_ref() == Some(&first))).then_some(first)
}

fn apart(name: &str) -> Option<Told> {
    let mut words = words(name);
    let is_verb = |word: &String| [WHOLE, EITHER, PART].iter().any(|list| list.contains(&word.as_str()));
    let mut space = None;
    if words.len() > 1 && !is_verb(&words[0]) && is_verb(&words[1]) {
        let first = singular(&words.remove(0));
        space = Some(first).filter(|first| !is_bookkeeping(first) && !FACET.contains(&first.as_str()));
    }
    let verb = words.first()?.clone();
    let rest = &words[1..];
    let place = |list: &[&str]| rest.iter().position(|word| list.contains(&word.as_str()));
    let into = place(&["to", "from", "into", "onto", "in", "on"]).filter(|_| INTO.contains(&verb.as_str()));
    let container = into.is_some();
    let thing = match into.or_else(|| place(&["of"])) {
        Some(at) => &rest[at + 1..],
        None => {
            &rest[..place(&["to", "from", "into", "in", "on", "for", "by", "with", "as", "at", "and"])
                .unwrap_or(rest.len())]
        }
    };
    let mut thing: Vec<String> =
        thing.iter().filter(|word| !LEAD.contains(&word.as_str()) && !is_bookkeeping(word)).cloned().collect();
    // `shopping list` is a thing, `cart total` a part of what is known of one.
    while thing.last().is_some_and(|last| FACET.contains(&last.as_str()) && (last != "list" || thing.len() < 2)) {
        thing.pop();
    }
    let several = thing.last().is_some_and(|last| singular(last) != *last);
    if let Some(last) = thing.last_mut() {
        *last = singular(last);
    }
    Some(Told { space, verb, thing, container, several })
}

/// What serves as a noun where a store says nothing of what it keeps, best first: what its tools have in common, its class, the
/// server's name.
pub fn instead(context: &Context<'_, '_>, tools: &[ToolUse], class: Option<ClassRef>, words: &Words) -> Vec<String> {
    let reaches: Vec<Reaches<'_>> = tools.iter().map(Reaches::from).collect();
    let class = class.and_then(|class| context.analysis.flow.program.class(class).name);
    let class = class.map(|name| domain(name.text())).filter(|name| !name.is_empty());
    let named = class.into_iter().chain(only_domain(context, None)).collect();
    ranked(&reaches, named).into_iter().filter(|noun| is_free(noun, &reaches, words)).collect()
}

/// Whether tools name a thing that they treat as a whole.
pub fn is_whole(tools: &[ToolUse]) -> bool {
    let reaches: Vec<Reaches<'_>> = tools.iter().map(Reaches::from).collect();
    spoken(&reaches, &[]).whole.is_some()
}

/// The thing that tools have in common; else names that are no part of it; else the list of such parts.
fn ranked(tools: &[Reaches<'_>], named: Vec<String>) -> Vec<String> {
    let Spoken { whole, part } = spoken(tools, &named);
    let last = |name: &str| words(name).pop().map(|last| singular(&last));
    let own = named.into_iter().filter(|name| part.as_ref().is_none_or(|part| last(name) != last(part)));
    let listed = part.as_ref().map(|part| format!("{part} list"));
    whole.into_iter().chain(own).chain(listed).collect()
}

/// Whether nothing has the names that would follow from a noun: where a `create_recipe` is there that makes no handle, or a `recipe_id`,
/// a recipe is one of several.
fn is_free(noun: &str, reaches: &[Reaches<'_>], names: &Words) -> bool {
    let same = |name: &String, wanted: String| words(name) == words(&wanted);
    let creates = |tool: &String| {
        let bounds = reaches.iter().any(|reaches| reaches.bounds && reaches.name == tool);
        !bounds && same(tool, format!("create {noun}"))
    };
    !names.tools.iter().any(creates) && !names.arguments.iter().any(|name| same(name, format!("{noun} id")))
}

#[cfg(test)]
mod tests {
    use super::{Reaches, ranked};

    fn of(tools: &[&str], named: &[&str]) -> String {
        let reaches: Vec<Reaches<'_>> = tools.iter().map(|name| Reaches { name, bounds: false }).collect();
        let named = named.iter().map(|name| (*name).to_owned()).collect();
        ranked(&reaches, named).first().cloned().unwrap_or_default()
    }

    #[test]
    fn tools_name_the_thing_that_they_work_on() {
        let recipe = ["name_recipe", "add_ingredient", "add_step", "scale_recipe", "show_recipe", "reset_recipe"];
        assert_eq!(of(&recipe, &["recipe-desk"]), "recipe");
        assert_eq!(of(&["add_leg", "drop_leg", "set_party", "show_itinerary", "clear_itinerary"], &[]), "itinerary");
        assert_eq!(of(&["addItem", "removeItem", "viewCart", "checkoutCart"], &[]), "cart");
        assert_eq!(of(&["add-to-cart", "remove-from-cart", "list-products"], &[]), "cart");
        assert_eq!(of(&["recipe_show", "recipe_add_step", "recipe_rename"], &[]), "recipe");
        assert_eq!(of(&["shop_add_item", "shop_show_cart", "shop_clear_cart"], &[]), "cart");
        assert_eq!(of(&["add_item", "view_shopping_list", "clear_shopping_list"], &[]), "shopping list");
        assert_eq!(of(&["start_game", "guess_letter", "show_board"], &["hangman-game"]), "game");
    }

    #[test]
    fn what_is_put_into_the_thing_is_not_the_thing() {
        assert_eq!(of(&["add_note", "list_notes", "delete_note"], &["notes"]), "note list");
        assert_eq!(of(&["add_note", "clear_notes"], &[]), "note list");
        assert_eq!(of(&["log_set", "undo_set", "workout_summary"], &["workout"]), "workout");
        assert_eq!(of(&["create_task", "complete_task", "get_task"], &["planner"]), "planner");
        assert_eq!(of(&["create_task", "complete_task", "get_task"], &["tasks"]), "task list");
    }

    #[test]
    fn what_tools_do_not_agree_on_is_left_to_other_names() {
        assert_eq!(of(&["start_game", "show_board", "move_piece"], &["chess"]), "chess");
        assert_eq!(of(&["get_state", "set_value", "reset"], &["thermostat"]), "thermostat");
        assert_eq!(of(&["undo", "redo", "run"], &[]), "");
        assert_eq!(of(&["show_it", "clear_all", "reset_everything"], &[]), "");
    }
}
