//! A value that stands under several keys, or grows by commands: no single write makes one, and an empty one has no key at all. A mark
//! says that there is such a handle; it lives as long as what it stands for, and each tool asks for it first.

mod expiry;
mod functions;
mod guards;
mod home;
mod keys;

use super::{Work, added, ids};
use crate::plan::handle::{Kind, Touch};
use crate::render::Refused;
use crate::render::typescript::handle::reach;
use crate::render::typescript::imports;
use crate::render::typescript::script::{children, enclosing_function};
use expiry::Lives;
use home::Home;
use keys::Key;

/// Puts the handle in the place of the id, and adds what creates, checks and drops one.
pub fn replace(work: &mut Work<'_>) -> Result<(), Refused> {
    let home = home::find(work)?;
    extended(&home)?;
    let mut accesses: Vec<(&Touch, Vec<Key>)> = Vec::new();
    for touch in &work.external.touches {
        accesses.push((touch, keys::of(work, &home, touch)?));
    }
    let mut all: Vec<Key> = Vec::new();
    for key in accesses.iter().flat_map(|(_, keys)| keys) {
        if !all.iter().any(|known| known.is(key)) {
            all.push(key.clone());
        }
    }
    let written: Vec<_> = accesses.into_iter().filter(|(touch, _)| touch.kind == Kind::Write).collect();
    let lives = expiry::of(work, &home, &written)?;
    let mark = keys::mark(work, &home, &all);
    ids::replace(work)?;
    let names = functions::names(work, &home);
    guards::ask(work, &home, &names)?;
    tools(work, &home, &names, &lives)?;
    let outward = !home.has_methods() && work.told_in.iter().any(|path| *path != home.script.path);
    if outward && (imports::common_js(home.script) || home.around.kind() != "program") {
        return Err(home.script.refuse(
            home.before,
            "the store is used in another file than the tools",
            "export functions that create and check a value",
        ));
    }
    let (text, missing) = functions::texts(work, &home, &names, (&mark, &all), &lives, outward);
    place(work, &home, &text, &missing);
    work.wanted.push((home.script.path.clone(), "node:crypto".to_owned(), "randomBytes".to_owned()));
    Ok(())
}

/// Refuses methods beside others that a type of their own lists: they would not be known by it.
fn extended(home: &Home<'_>) -> Result<(), Refused> {
    let told = match home.around.kind() {
        "class_body" => {
            let class = home.around.parent();
            class.and_then(|class| children(class).into_iter().find(|child| child.kind() == "class_heritage"))
        }
        "object" => {
            let function =
                enclosing_function(home.around).and_then(|function| function.child_by_field_name("return_type"));
            let declarator = home.around.parent().filter(|parent| parent.kind() == "variable_declarator");
            function.or_else(|| declarator.and_then(|declarator| declarator.child_by_field_name("type")))
        }
        _ => None,
    };
    match told {
        None => Ok(()),
        Some(told) => Err(home.script.refuse(
            told,
            "what keeps the values is known by a type of its own, and that does not have the methods which create and check a handle",
            "leave the type away here and use what keeps the values as what it is; then run again",
        )),
    }
}

/// The tools that create and drop a value.
fn tools(work: &mut Work<'_>, home: &Home<'_>, names: &functions::Names, lives: &Lives) -> Result<(), Refused> {
    let external = work.external;
    let (Some(first), Some(last)) = (external.tools.first(), external.tools.last()) else { return Ok(()) };
    let last = if last.registration.path == first.registration.path { last } else { first };
    let (creates, drops) = (guards::beside(work, home, first)?, guards::beside(work, home, last)?);
    for (path, name) in [(&first.registration.path, &names.create), (&last.registration.path, &names.destroy)] {
        if !home.has_methods() && *path != home.script.path {
            let source = reach::specifier(work.scripts.open(path)?, &home.script.path);
            work.wanted.push((path.clone(), source, name.clone()));
            work.told_in.push(path.clone());
        }
    }
    for path in work.told_in.clone() {
        let source = reach::specifier(work.scripts.open(&path)?, &home.script.path);
        let asks = external.tools.iter().any(|tool| tool.handler.path == path);
        if asks && path != home.script.path {
            work.wanted.push((path, source, names.check.clone()));
        }
    }
    let expires = match &lives.mark {
        None => format!("is kept until {} is called", external.names.destroy),
        Some(life) => match life.seconds {
            Some(seconds) => format!("expires {seconds} seconds after its last use"),
            None => "expires some time after its last use".to_owned(),
        },
    };
    let create = creates.call(&names.create, "");
    let destroy = drops.call(&names.destroy, &external.names.argument);
    added::tools(work, &create, (Some(&destroy), None), &expires)
}

/// Puts the functions in front of the code that uses the client, and what they call in front of a class.
fn place(work: &mut Work<'_>, home: &Home<'_>, text: &str, missing: &str) {
    let script = home.script;
    let newline = script.style.newline;
    let dressed = |text: &str| script.style.dress(text);
    let at = script.line_start(script.with_comments(home.before));
    let indent = script.indentation(home.before).to_owned();
    let within = |text: &str| {
        let mut out = String::new();
        for line in dressed(text).split_inclusive('\n') {
            if !line.trim().is_empty() {
                out.push_str(&indent);
            }
            out.push_str(line);
        }
        out
    };
    if !home.has_methods() {
        let both = format!("{text}\n\n{missing}");
        work.edits.insert(script, at, format!("{}{newline}{newline}", within(&both)));
        return;
    }
    work.edits.insert(script, at, format!("{}{newline}{newline}", within(text)));
    let top = std::iter::successors(Some(home.around), |node| node.parent())
        .find(|node| node.parent().is_some_and(|parent| parent.kind() == "program"))
        .unwrap_or(home.around);
    let at = script.line_start(script.with_comments(top));
    work.edits.insert(script, at, format!("{}{newline}{newline}", dressed(missing)));
}
