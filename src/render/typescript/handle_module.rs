//! The module that holds the handle stores: small, readable, and the user's own. Its text comes from a template, in only the parts
//! that the server uses; one that an earlier run made is recognised by its text.

use super::imports::common_js;
use super::script::{Script, children};
use super::style::Style;
use crate::render::Files;
use crate::syntax::source::SourceText;
use crate::workspace::paths;

/// The text with its parts: lines between `@if` and `@end`, and stretches between `⟦name:` and `⟧`.
const TEMPLATE: &str = include_str!("handle_module/module.txt");

/// What the module may be called, best first: a file of that name may be something else.
const STEMS: [&str; 3] = ["handles", "handle-store", "mcp-handles"];

/// What the stores of a server ask of the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Written for TypeScript.
    pub typed: bool,
    /// `require` and `module.exports` instead of `import` and `export`.
    pub common_js: bool,
    /// Runs where there are no Node.js modules: Web Crypto, and no timer.
    pub web: bool,
    /// Methods answer promises, so that a shared store can take the place of the one in memory.
    pub wait: bool,
    /// A handle belongs to whoever created it: methods take the owner as well (`get(handle, owner)`, `save(handle, owner, value)`).
    pub owner: bool,
    /// Values are put in under a new handle (`create`).
    pub create: bool,
    /// Values are made only if there is room: `open(() => value)` beside `create(value)`.
    pub open: bool,
    /// Changed values are written back (`save`).
    pub save: bool,
    /// Values are put in under a handle that was made before (`mint`, `put`).
    pub put: bool,
    /// Something asks whether there is a value (`has`).
    pub has: bool,
    /// Something asks how many there are (`size`).
    pub size: bool,
    /// Something lists them (`list`).
    pub list: bool,
    /// Work in flight keeps its value alive (`use`).
    pub pin: bool,
    /// Values hold something that has to be freed (`close` among the options).
    pub close: bool,
    /// The end of the process frees all of them (`closeAll`).
    pub end: bool,
    /// Something drops all of them (`clear`).
    pub clear: bool,
    /// Schemas let callers leave handles out, for a time (`givenHandle`).
    pub transition: bool,
    /// A low-level `Server` checks no arguments (`handleIn`).
    pub low_level: bool,
    /// It makes protocol errors of what is thrown, and the server's own code does not see to that (`answering`).
    pub answers: bool,
}

/// What the module makes of a wish for more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extended {
    /// It has all of that.
    Enough,
    /// It is as it was made, and gets this text.
    Text(String),
    /// It can't be extended; why.
    No(String),
}

/// A place for the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its path.
    pub path: String,
    /// How the file next to it imports it.
    pub specifier: String,
    /// It is there already, made by an earlier run.
    pub exists: bool,
}

impl Features {
    /// What the file that imports the module says of it: the language and the kind of modules.
    pub fn of(script: &Script) -> Self {
        Self {
            typed: script.typed(),
            common_js: common_js(script) && !script.typed(),
            wait: true,
            create: true,
            ..Self::default()
        }
    }

    /// What a module has, if it is one that an earlier run made.
    pub fn read(text: &str) -> Option<Self> {
        if !text.contains("class MemoryHandles") || !text.contains("#makeRoom") {
            return None;
        }
        let method =
            |name: &str| text.contains(&format!(" {name}(handle")) || text.contains(&format!("\t{name}(handle"));
        let called = |name: &str| text.contains(&format!(" {name}(")) || text.contains(&format!("\t{name}("));
        Some(Self {
            typed: text.contains("implements HandleStore<T>"),
            common_js: text.contains("module.exports = {"),
            web: !text.contains("randomBytes"),
            wait: text.contains("async get(handle"),
            owner: text.contains("function ownerOf("),
            create: called("create"),
            open: called("open"),
            save: method("save"),
            put: method("put"),
            has: method("has"),
            size: called("size"),
            list: called("list"),
            pin: text.contains("borrowers"),
            close: text.contains("async #close("),
            end: called("closeAll"),
            clear: called("clear"),
            transition: text.contains("function givenHandle("),
            low_level: text.contains("function handleIn("),
            answers: text.contains("class HandleError"),
        })
    }

    /// Both.
    fn with(self, other: Self) -> Self {
        Self {
            create: self.create || other.create,
            open: self.open || other.open,
            save: self.save || other.save,
            put: self.put || other.put,
            has: self.has || other.has,
            size: self.size || other.size,
            list: self.list || other.list,
            pin: self.pin || other.pin,
            close: self.close || other.close,
            end: self.end || other.end,
            clear: self.clear || other.clear,
            transition: self.transition || other.transition,
            low_level: self.low_level || other.low_level,
            answers: self.answers || other.answers,
            ..self
        }
    }

    fn has(&self, condition: &str) -> bool {
        condition.split(" & ").all(|part| match part.strip_prefix('!') {
            Some(name) => !self.has_one(name),
            None => self.has_one(part),
        })
    }

    fn has_one(&self, name: &str) -> bool {
        match name {
            "ts" => self.typed,
            "cjs" => self.common_js,
            "esm" => !self.common_js,
            "node" => !self.web,
            "wait" => self.wait,
            "owner" => self.owner,
            "create" => self.create,
            "keep" => self.create || self.open,
            "open" => self.open,
            "opening" => self.open && self.wait,
            "save" => self.save,
            "put" => self.put,
            "has" => self.has,
            "size" => self.size,
            "list" => self.list,
            "use" => self.pin,
            "close" => self.close,
            "end" => self.end,
            "clear" => self.clear,
            "given" => self.transition,
            "error" => self.low_level,
            "answers" => self.answers,
            _ => unreachable!("the template names a part that there is not: {name}"),
        }
    }
}

/// The module's text.
pub fn text(features: Features, style: &Style) -> String {
    let mut out = String::new();
    let mut open: Vec<bool> = Vec::new();
    for line in TEMPLATE.lines() {
        match line.split_once(' ').map_or((line, ""), |(first, rest)| (first, rest)) {
            ("@if", condition) => open.push(features.has(condition)),
            ("@else", _) => open.iter_mut().last().into_iter().for_each(|holds| *holds = !*holds),
            ("@end", _) => drop(open.pop()),
            _ if open.iter().all(|holds| *holds) => {
                out.push_str(&inline(line, &features));
                out.push('\n');
            }
            _ => {}
        }
    }
    if style.quote == '"' {
        // No comment and no template literal of the module has a single quote in it.
        out = out.replace('\'', "\"");
    }
    style.dress(&out)
}

/// A line with those of its stretches that hold.
fn inline(line: &str, features: &Features) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some(start) = rest.find('⟦') {
        out.push_str(&rest[..start]);
        let inner = &rest[start + '⟦'.len_utf8()..];
        let end = closing(inner);
        let (name, body) = inner[..end].split_once(':').expect("a stretch has a name");
        let body = inline(body, features);
        match name {
            "P" if features.wait => out.push_str(&format!("Promise<{body}>")),
            "P" => out.push_str(&body),
            _ if features.has(name) => out.push_str(&body),
            _ => {}
        }
        rest = &inner[end + '⟧'.len_utf8()..];
    }
    out.push_str(rest);
    out
}

/// Where the bracket that is open at the start is closed.
fn closing(text: &str) -> usize {
    let mut depth = 0;
    for (at, char) in text.char_indices() {
        match char {
            '⟦' => depth += 1,
            '⟧' if depth == 0 => return at,
            '⟧' => depth -= 1,
            _ => {}
        }
    }
    unreachable!("the template leaves a bracket open")
}

/// What becomes of a module that is there, where more is asked of it.
pub fn extend(existing: &str, style: &Style, wanted: Features) -> Extended {
    let Some(found) = Features::read(existing) else {
        return Extended::No("it is not the module that an earlier run made".to_owned());
    };
    for (has, wants, what) in [
        (found.typed, wanted.typed, "written in the same language"),
        (found.common_js, wanted.common_js, "the same kind of module"),
        (found.wait, wanted.wait, "asynchronous in the same way"),
        (found.owner, wanted.owner, "bound to owners in the same way"),
    ] {
        if has != wants {
            return Extended::No(format!("its stores are not {what}"));
        }
    }
    let all = found.with(wanted);
    if all == found {
        return Extended::Enough;
    }
    if text(found, style) == existing {
        return Extended::Text(text(all, style));
    }
    Extended::No("it was changed since it was made, and lacks a method that this store needs".to_owned())
}

/// Where the module goes: next to the file that holds the store. `None` where every name is taken by something else.
pub fn place(files: &dyn Files, script: &Script) -> Option<Place> {
    let extension = script.path.rsplit('.').next().unwrap_or("ts");
    let extension = extension.strip_suffix('x').unwrap_or(extension);
    let spelled = spelled(script, extension);
    STEMS.iter().find_map(|stem| {
        let path = paths::join(paths::parent(&script.path), &format!("{stem}.{extension}"))?;
        let known = files.text(&path);
        if known.as_ref().is_some_and(|text| !is_ours(text)) || known.is_none() && files.exists(&path) {
            return None;
        }
        Some(Place { path, specifier: format!("./{stem}{spelled}"), exists: known.is_some() })
    })
}

fn is_ours(source: &SourceText) -> bool {
    Features::read(&source.text).is_some()
}

/// The end of a specifier in the file's own way: as it imports its siblings, else what works everywhere.
fn spelled(script: &Script, extension: &str) -> String {
    let runs = match extension {
        "mts" | "mjs" => ".mjs",
        "cts" | "cjs" => ".cjs",
        _ => ".js",
    };
    let mut relative = Vec::new();
    for node in children(script.tree.root_node()) {
        let text = script.of(node);
        let from = node.child_by_field_name("source").map(|source| script.of(source));
        let required =
            || text.split_once("require(").and_then(|(_, rest)| rest.split_once(')')).map(|(inside, _)| inside);
        if let Some(source) = from.or_else(required) {
            let source = source.trim_matches(['\'', '"', '`']);
            if source.starts_with('.') {
                relative.push(source);
            }
        }
    }
    let ends = |end: &str| relative.iter().any(|source| source.ends_with(end));
    let own = format!(".{extension}");
    // Nothing finds the other endings by itself.
    if relative.is_empty() || ends(runs) || runs != ".js" {
        runs.to_owned()
    } else if ends(&own) {
        own
    } else if relative.iter().all(|source| source.ends_with(".json")) {
        runs.to_owned()
    } else {
        String::new()
    }
}
