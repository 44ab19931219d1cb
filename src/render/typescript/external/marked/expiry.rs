//! How long the keys of one session live, as the code says it: the mark lives as long.

use tree_sitter::Node;

use super::super::{Work, lifetime};
use super::home::{Home, arguments};
use super::keys::Key;
use crate::plan::handle::Touch;
use crate::render::Refused;
use crate::render::typescript::handle::initial;
use crate::render::typescript::script::{Script, bare, children, enclosing_function};

/// How long something lives.
#[derive(Clone, Debug)]
pub struct Life {
    /// The expression, as it is written.
    pub text: String,
    /// It is in milliseconds.
    pub millis: bool,
    /// The seconds, where they are known.
    pub seconds: Option<f64>,
    /// Each write begins it anew.
    anew: bool,
}

/// How long handles live.
pub struct Lives {
    /// How long the mark does; `None` where something lives for ever.
    pub mark: Option<Life>,
    /// All keys live as long, so that they are kept alive with the mark.
    pub all: bool,
}

/// What the accesses say, each with its keys.
pub fn of(work: &Work<'_>, home: &Home<'_>, accesses: &[(&Touch, Vec<Key>)]) -> Result<Lives, Refused> {
    let mut known: Vec<(&Key, Option<Life>)> = Vec::new();
    for (touch, keys) in accesses {
        let life = told(work, home, touch)?;
        for key in keys {
            match known.iter_mut().find(|(other, _)| other.is(key)) {
                Some((_, known)) => *known = known.take().or_else(|| life.clone()),
                None => known.push((key, life.clone())),
            }
        }
    }
    let lives: Vec<&Life> = known.iter().filter_map(|(_, life)| life.as_ref()).collect();
    let Some(first) = lives.first().copied() else { return Ok(Lives { mark: None, all: false }) };
    if lives.len() < known.len() {
        return Ok(Lives { mark: None, all: false });
    }
    let same = |life: &&&Life| {
        life.text == first.text && life.millis == first.millis
            || life.seconds.is_some() && life.seconds == first.seconds
    };
    if lives.iter().all(|life| same(&life)) {
        return Ok(Lives { mark: Some(first.clone()), all: lives.iter().all(|life| life.anew) });
    }
    let longest =
        lives.iter().copied().max_by(|a, b| a.seconds.partial_cmp(&b.seconds).unwrap_or(std::cmp::Ordering::Equal));
    match longest.filter(|_| lives.iter().all(|life| life.seconds.is_some())) {
        Some(longest) => Ok(Lives { mark: Some(longest.clone()), all: false }),
        None => Err(Refused {
            at: work.external.declared.clone(),
            why: "its keys live for different times, and which of them is the longest can't be told".to_owned(),
            todo: "let all keys live as long, and run again".to_owned(),
            also: Vec::new(),
        }),
    }
}

/// The position of the time among the arguments of a command, and whether it is in milliseconds.
fn timed(command: &str) -> Option<(usize, bool)> {
    Some(match command {
        "expire" => (1, false),
        "pexpire" | "pExpire" => (1, true),
        "setex" | "setEx" => (1, false),
        "psetex" | "pSetEx" => (1, true),
        _ => return None,
    })
}

/// What one access says.
fn told(work: &Work<'_>, home: &Home<'_>, touch: &Touch) -> Result<Option<Life>, Refused> {
    let (script, call) = work.scripts.expression(&touch.at)?;
    let call = bare(call);
    let command = call.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("property"));
    let Some(command) = command.map(|name| script.of(name)) else { return Ok(None) };
    let given = arguments(call);
    let refuse = |node: Node<'_>, why: &str| {
        script.refuse(node, why, "say it as a number of seconds in `expire`, and run again")
    };
    let mut anew = true;
    let time = match (command, timed(command)) {
        ("expireat" | "expireAt" | "persist", _) => {
            return Err(refuse(call, "how long this value lives can't be told as a number of seconds"));
        }
        (_, Some((at, millis))) => {
            let given = given.clone();
            anew = given.len() <= at + usize::from(timed_value(command)) + 1;
            given.get(at).copied().map(|node| (node, millis))
        }
        ("set" | "getex" | "getEx", None) => {
            let options = &given[usize::from(command == "set") + 1..]
                [..given.len().saturating_sub(usize::from(command == "set") + 1)];
            anew = !options
                .iter()
                .any(|node| ["NX", "nx", "KEEPTTL", "keepTtl"].iter().any(|word| script.of(*node).contains(word)));
            match option(script, options) {
                Some(found) => Some(found),
                None if options.is_empty() || !anew => None,
                None => return Err(refuse(call, "how long this value lives can't be told")),
            }
        }
        _ => None,
    };
    let Some((node, millis)) = time else { return Ok(None) };
    if home.script.path != script.path {
        return Err(refuse(node, "the time is known in another file only"));
    }
    if let Some(name) = home.unknown(node) {
        let why = format!("how long it lives is told by `{}`, which only the function around knows", script.of(name));
        return Err(refuse(node, &why));
    }
    match asked(call) {
        Some(condition) if initial::names_in(node).iter().any(|name| mentions(script, condition, script.of(*name))) => {
            return Err(refuse(condition, "whether it expires at all is decided here"));
        }
        Some(_) => anew = false,
        None => {}
    }
    let seconds = lifetime::number(work, script, node).map(|count| if millis { count / 1000.0 } else { count });
    Ok(Some(Life { text: script.of(node).to_owned(), millis, seconds, anew }))
}

/// Whether a command has a value behind the time.
fn timed_value(command: &str) -> bool {
    command.to_ascii_lowercase().contains("set")
}

/// `'EX', seconds`, `{ EX: seconds }`, `{ expiration: { type: 'EX', value: seconds } }`.
fn option<'t>(script: &Script, options: &[Node<'t>]) -> Option<(Node<'t>, bool)> {
    let unit = |text: &str| match text.trim_matches(['\'', '"']) {
        "EX" | "ex" => Some(false),
        "PX" | "px" => Some(true),
        _ => None,
    };
    for (index, node) in options.iter().enumerate() {
        if let Some(millis) = (node.kind() == "string").then(|| unit(script.of(*node))).flatten() {
            return options.get(index + 1).map(|time| (*time, millis));
        }
        if node.kind() != "object" {
            continue;
        }
        let field = |object: Node<'t>, name: &str| {
            let own = |pair: &Node<'_>| pair.child_by_field_name("key").is_some_and(|key| script.of(key) == name);
            children(object).into_iter().find(own).and_then(|pair| pair.child_by_field_name("value"))
        };
        for name in ["EX", "ex", "PX", "px"] {
            if let (Some(time), Some(millis)) = (field(*node, name), unit(name)) {
                return Some((time, millis));
            }
        }
        if let Some(inner) = field(*node, "expiration").filter(|inner| inner.kind() == "object") {
            let millis = field(inner, "type").and_then(|kind| unit(script.of(kind)))?;
            return field(inner, "value").map(|time| (time, millis));
        }
    }
    None
}

/// The condition that a call stands behind in its function.
fn asked(call: Node<'_>) -> Option<Node<'_>> {
    let function = enclosing_function(call);
    let mut inner = call;
    while let Some(parent) = inner.parent().filter(|parent| Some(*parent) != function) {
        let condition = parent.child_by_field_name("condition");
        let decides = matches!(parent.kind(), "if_statement" | "ternary_expression") && condition != Some(inner);
        if decides {
            return condition;
        }
        let sign = parent.child_by_field_name("operator").is_some_and(|sign| matches!(sign.kind(), "&&" | "||" | "??"));
        if parent.kind() == "binary_expression" && sign && parent.child_by_field_name("right") == Some(inner) {
            return parent.child_by_field_name("left");
        }
        inner = parent;
    }
    None
}

fn mentions(script: &Script, node: Node<'_>, name: &str) -> bool {
    initial::names_in(node).iter().any(|used| script.of(*used) == name)
}
