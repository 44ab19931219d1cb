//! What things are called: the noun comes from the code, the spelling from the server's own tools.

use crate::classify::words::{capital, words};
use crate::plan::settings::NameSetting;

/// The names of a handle and of what it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    /// In words: `basket`, `reading list`.
    pub noun: String,
    /// The argument of the tools: `basket_id`.
    pub argument: String,
    /// The variable and parameter of other code: `basketId`.
    pub variable: String,
    /// The tool that creates one.
    pub create: String,
    /// The tool that drops one.
    pub destroy: String,
    /// The tool that lists those of a caller, where one can be told from another; `None` where another tool has its name.
    pub list: Option<String>,
    /// What an id begins with, without the underscore.
    pub prefix: String,
    /// What the environment variables of its settings begin with.
    pub setting: String,
}

/// How a server writes names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// `add_item`.
    Snake,
    /// `addItem`.
    Camel,
    /// `add-item`.
    Kebab,
}

/// What names are made from.
pub struct Source<'a> {
    /// The store's name.
    pub store: &'a str,
    /// The type of its values, as written.
    pub value: Option<&'a str>,
    /// The values are lists of things.
    pub list: bool,
    /// Names of the server's tools.
    pub tools: &'a [String],
    /// Names of the tools' arguments.
    pub arguments: &'a [String],
    /// What the handle may be called where the store's name and type say nothing, best first.
    pub instead: &'a [String],
    /// What the repository chose.
    pub chosen: &'a NameSetting,
}

/// Words that say how a thing is kept, and not what it is.
const BOOKKEEPING: &[&str] = &[
    "session", "sessions", "map", "store", "stores", "cache", "by", "id", "ids", "per", "state", "states", "data",
    "record", "records", "entry", "entries", "info", "registry", "table", "index", "lookup", "all", "active",
    "current", "user", "client", "mcp", "context", "contexts", "ctx", "for", "of", "the", "object", "obj", "bucket",
    "buckets", "values", "value", "memory", "mem", "open", "live", "running", "redis", "kv", "keyv", "db",
];

/// Whether a word says how a thing is kept, and not what it is.
pub fn is_bookkeeping(word: &str) -> bool {
    BOOKKEEPING.contains(&word)
}

impl Names {
    /// The noun with its article.
    pub fn one(&self) -> String {
        let article = if self.noun.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
        format!("{article} {}", self.noun)
    }

    /// Finds the names for a store.
    pub fn of(source: &Source<'_>) -> Self {
        let tools = spelling(source.tools.iter().map(String::as_str));
        let arguments = match spelling(source.arguments.iter().map(String::as_str)) {
            Some(Spelling::Camel) => Spelling::Camel,
            None if tools == Some(Spelling::Camel) => Spelling::Camel,
            _ => Spelling::Snake,
        };
        let tools = tools.unwrap_or(Spelling::Snake);
        let words = match &source.chosen.noun {
            Some(chosen) => words(chosen),
            None => noun(source),
        };
        let chosen = source.chosen;
        let with = |first: &[&str], last: &[&str], spelling| {
            let all: Vec<&str> =
                first.iter().copied().chain(words.iter().map(String::as_str)).chain(last.iter().copied()).collect();
            join(&all, spelling)
        };
        Self {
            noun: words.join(" "),
            argument: settled(&chosen.argument, with(&[], &["id"], arguments), source.arguments),
            variable: match &chosen.argument {
                Some(argument) => join(&self::words(argument), Spelling::Camel),
                None => with(&[], &["id"], Spelling::Camel),
            },
            create: settled(&chosen.create, with(&["create"], &[], tools), source.tools),
            destroy: settled(&chosen.destroy, with(&["destroy"], &[], tools), source.tools),
            list: chosen.list.clone().or_else(|| free(join(&all_of("list", &words), tools), source.tools)),
            prefix: chosen.prefix.clone().unwrap_or_else(|| prefix(&words)),
            setting: words.join("_").to_uppercase(),
        }
    }
}

/// `list` and the plural of a noun.
fn all_of<'w>(verb: &'w str, noun: &'w [String]) -> Vec<String> {
    let mut words: Vec<String> = std::iter::once(verb.to_owned()).chain(noun.iter().cloned()).collect();
    if let Some(last) = words.last_mut() {
        *last = plural(last);
    }
    words
}

/// A name, unless something else has it.
fn free(name: String, others: &[String]) -> Option<String> {
    (!others.contains(&name)).then_some(name)
}

/// A name as it was chosen; else one that follows from the noun, and that nothing else has.
fn settled(chosen: &Option<String>, mut name: String, others: &[String]) -> String {
    if let Some(chosen) = chosen {
        return chosen.clone();
    }
    while others.contains(&name) {
        name = match name.as_str() {
            taken if taken.contains('-') => format!("{taken}-handle"),
            taken if taken.contains('_') => format!("{taken}_handle"),
            taken => format!("{taken}Handle"),
        };
    }
    name
}

/// The spelling of most names that show one.
fn spelling<'a>(names: impl Iterator<Item = &'a str>) -> Option<Spelling> {
    let mut counts = [0_u32; 3];
    for name in names {
        if name.contains('_') {
            counts[0] += 1;
        } else if name.contains('-') {
            counts[2] += 1;
        } else if name.chars().any(char::is_uppercase) {
            counts[1] += 1;
        }
    }
    let best = (0..3).rev().max_by_key(|index| counts[*index])?;
    (counts[best] > 0).then_some([Spelling::Snake, Spelling::Camel, Spelling::Kebab][best])
}

fn join<W: AsRef<str>>(words: &[W], spelling: Spelling) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match spelling {
        Spelling::Snake => words.join("_"),
        Spelling::Kebab => words.join("-"),
        Spelling::Camel => words
            .iter()
            .enumerate()
            .map(|(index, word)| if index == 0 { (*word).to_owned() } else { capital(word) })
            .collect(),
    }
}

fn noun(source: &Source<'_>) -> Vec<String> {
    let plain = |name: &str| {
        let mut words: Vec<String> =
            words(name).into_iter().filter(|word| !BOOKKEEPING.contains(&word.as_str())).collect();
        if let Some(last) = words.last_mut() {
            *last = singular(last);
        }
        words
    };
    let named = plain(source.store);
    if !named.is_empty() {
        let listed = source.list && is_thing(&named, source.tools);
        return if listed { named.into_iter().chain(["list".to_owned()]).collect() } else { named };
    }
    let value = source.value.unwrap_or_default();
    let typed = plain(value.split(['<', '[', '|', '&', ' ']).next().unwrap_or_default());
    let primitive = ["string", "number", "boolean", "unknown", "any", "set", "array", "promise", "object"];
    let says = !typed.is_empty() && !primitive.contains(&typed[0].as_str());
    // `Map<string, Leg[]>` keeps what is made of legs.
    let of_things = says && source.list && is_thing(&typed, source.tools);
    if says && !of_things {
        return typed;
    }
    match source.instead.iter().map(|name| plain(name)).find(|words| !words.is_empty()) {
        Some(instead) => instead,
        None if of_things => typed.into_iter().chain(["list".to_owned()]).collect(),
        None => vec!["workspace".to_owned()],
    }
}

/// Whether tools speak of a noun as of one thing among several: `add_note` beside `notes: Map<string, Note[]>`.
fn is_thing(noun: &[String], tools: &[String]) -> bool {
    const VERBS: &[&str] = &[
        "add", "remove", "delete", "update", "edit", "get", "complete", "finish", "save", "read", "toggle", "move",
        "create", "append", "push", "set", "log", "record", "mark", "new", "put", "insert", "cancel", "list", "find",
    ];
    tools.iter().any(|tool| {
        let mut tool = words(tool);
        let Some(last) = tool.last_mut() else { return false };
        *last = singular(last);
        tool.len() > noun.len() && VERBS.contains(&tool[0].as_str()) && tool[1..] == *noun
    })
}

/// Plurals of their own, which compounds share: `bookshelves`, `schoolchildren`.
const WORDS: &[(&str, &str)] = &[
    ("shelves", "shelf"),
    ("halves", "half"),
    ("knives", "knife"),
    ("leaves", "leaf"),
    ("lives", "life"),
    ("loaves", "loaf"),
    ("scarves", "scarf"),
    ("thieves", "thief"),
    ("wives", "wife"),
    ("wolves", "wolf"),
    ("quizzes", "quiz"),
    ("movies", "movie"),
    ("cookies", "cookie"),
    ("calories", "calorie"),
    ("selfies", "selfie"),
    ("heroes", "hero"),
    ("potatoes", "potato"),
    ("tomatoes", "tomato"),
    ("children", "child"),
    ("people", "person"),
    ("matrices", "matrix"),
    ("vertices", "vertex"),
    ("analyses", "analysis"),
];

/// The singular of an English plural; words that are none stay.
pub fn singular(word: &str) -> String {
    const SAME: &[&str] = &["canvas", "status", "progress", "series", "news", "bus", "atlas", "process", "class"];
    if SAME.contains(&word) || word.len() < 4 {
        return word.to_owned();
    }
    const ENDINGS: &[(&str, &str)] = &[
        ("ies", "y"),
        ("sses", "ss"),
        ("aches", "ache"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("xes", "x"),
        ("zzes", "z"),
        ("vases", "vas"),
        ("tuses", "tus"),
        ("ndices", "ndex"),
    ];
    // `archives` and `drives` keep their `e`, and so do `olives`.
    let whole = |plural: &str| plural != "lives" || word == plural;
    if let Some((plural, single)) = WORDS.iter().find(|(plural, _)| word.ends_with(plural) && whole(plural)) {
        return format!("{}{single}", &word[..word.len() - plural.len()]);
    }
    for (plural, single) in ENDINGS {
        if let Some(stem) = word.strip_suffix(plural) {
            return format!("{stem}{single}");
        }
    }
    match word.strip_suffix('s') {
        Some(stem) if !stem.ends_with('s') && !stem.ends_with('u') => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// The plural of an English noun.
pub fn plural(word: &str) -> String {
    if let Some((plural, single)) = WORDS.iter().find(|(_, single)| word.ends_with(single)) {
        return format!("{}{plural}", &word[..word.len() - single.len()]);
    }
    let vowel_before_y = |stem: &str| stem.ends_with(['a', 'e', 'i', 'o', 'u']);
    match word.strip_suffix('y') {
        Some(stem) if !vowel_before_y(stem) => format!("{stem}ies"),
        _ if word.ends_with(['s', 'x', 'z']) || word.ends_with("ch") || word.ends_with("sh") => format!("{word}es"),
        _ => format!("{word}s"),
    }
}

/// Three letters that remind of the noun: its first one and the consonants that follow.
fn prefix(words: &[String]) -> String {
    let letters: String = words.concat().chars().filter(char::is_ascii_alphabetic).collect();
    let mut out = String::new();
    for (index, char) in letters.chars().enumerate() {
        let vowel = matches!(char, 'a' | 'e' | 'i' | 'o' | 'u');
        if (index == 0 || !vowel) && !out.ends_with(char) {
            out.push(char);
        }
        if out.len() == 3 {
            break;
        }
    }
    if out.len() < 3 { letters.chars().take(3).collect() } else { out }
}

#[cfg(test)]
mod tests {
    use super::{NameSetting, Names, Source};

    fn names(store: &str, value: Option<&str>, tools: &[&str], arguments: &[&str]) -> Names {
        let tools: Vec<String> = tools.iter().map(|tool| (*tool).to_owned()).collect();
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let list = value.is_some_and(|value| value.ends_with("[]"));
        let chosen = NameSetting::default();
        Names::of(&Source { store, value, list, tools: &tools, arguments: &arguments, instead: &[], chosen: &chosen })
    }

    #[test]
    fn the_noun_is_what_the_store_keeps() {
        let of = |store, value| names(store, value, &["add_note", "x_y"], &[]).noun;
        assert_eq!(of("baskets", Some("Basket")), "basket");
        assert_eq!(of("sessionBaskets", None), "basket");
        assert_eq!(of("tallies", None), "tally");
        assert_eq!(of("sessions", Some("GameSession")), "game");
        assert_eq!(of("sessions", Some("SessionState")), "workspace");
        assert_eq!(of("canvases", Some("number[][]")), "canvas");
        assert_eq!(of("notes", Some("Note[]")), "note list");
        assert_eq!(of("drafts", Some("string[]")), "draft");
        assert_eq!(of("quizzes", None), "quiz");
        assert_eq!(of("statuses", None), "status");
        assert_eq!(of("boxes", None), "box");
        assert_eq!(of("matches", None), "match");
        assert_eq!(of("shelves", None), "shelf");
        assert_eq!(of("bookshelves", None), "bookshelf");
        assert_eq!(of("archives", None), "archive");
        assert_eq!(of("movies", None), "movie");
    }

    #[test]
    fn a_name_can_be_chosen() {
        let noun = Some("shopping trolley".to_owned());
        let chosen = NameSetting { noun, prefix: Some("trl".to_owned()), ..NameSetting::default() };
        let tools = ["add_item".to_owned()];
        let source = Source {
            store: "baskets",
            value: None,
            list: true,
            tools: &tools,
            arguments: &[],
            instead: &[],
            chosen: &chosen,
        };
        let names = Names::of(&source);
        assert_eq!((names.noun.as_str(), names.create.as_str()), ("shopping trolley", "create_shopping_trolley"));
        assert_eq!((names.argument.as_str(), names.prefix.as_str()), ("shopping_trolley_id", "trl"));
        let prefix = NameSetting { prefix: Some("b".to_owned()), ..NameSetting::default() };
        assert_eq!(Names::of(&Source { chosen: &prefix, list: false, ..source }).create, "create_basket");
        let argument = NameSetting { argument: Some("trolley_ref".to_owned()), ..NameSetting::default() };
        let names = Names::of(&Source { chosen: &argument, list: false, ..source });
        assert_eq!((names.argument.as_str(), names.variable.as_str()), ("trolley_ref", "trolleyRef"));
        assert_eq!((names.noun.as_str(), names.create.as_str()), ("basket", "create_basket"));
    }

    #[test]
    fn names_follow_the_servers_spelling_and_never_collide() {
        let snake = names("baskets", None, &["add_item", "create_basket"], &["sku"]);
        assert_eq!((snake.argument.as_str(), snake.create.as_str()), ("basket_id", "create_basket_handle"));
        assert_eq!(snake.list.as_deref(), Some("list_baskets"));
        assert_eq!(names("shelves", None, &["add_jar"], &[]).list.as_deref(), Some("list_shelves"));
        assert_eq!(names("baskets", None, &["list_baskets"], &[]).list, None);
        assert_eq!((snake.prefix.as_str(), snake.variable.as_str()), ("bsk", "basketId"));
        let camel = names("baskets", None, &["addItem"], &["itemName"]);
        assert_eq!(names("tallies", None, &["addItem"], &[]).list.as_deref(), Some("listTallies"));
        assert_eq!((camel.argument.as_str(), camel.destroy.as_str()), ("basketId", "destroyBasket"));
        let kebab = names("baskets", None, &["add-item"], &["sku"]);
        assert_eq!((kebab.argument.as_str(), kebab.create.as_str()), ("basket_id", "create-basket"));
    }
}
