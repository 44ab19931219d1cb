//! The functions that create, check and drop a handle.

use super::super::Work;
use super::expiry::{Life, Lives};
use super::home::Home;
use super::keys::Key;
use crate::classify::words;
use crate::plan::handle::clients::Client;
use crate::render::typescript::classes;
use crate::render::typescript::script::children;
use crate::render::typescript::scripts::mentions;

/// What the functions are called.
pub struct Names {
    /// Answers a new handle.
    pub create: String,
    /// Fails where there is no such handle.
    pub check: String,
    /// Drops it.
    pub destroy: String,
    /// Says that there is none.
    pub missing: String,
}

/// Names that nothing else has.
pub fn names(work: &Work<'_>, home: &Home<'_>) -> Names {
    let noun: String = work.external.names.noun.split(' ').map(words::capital).collect();
    let paths = work.external.tools.iter().map(|tool| &tool.registration.path);
    let mut scripts: Vec<_> = paths.filter_map(|path| work.scripts.by_path(path)).collect();
    scripts.push(home.script);
    let members = if home.has_methods() { children(home.around) } else { Vec::new() };
    let free = |verb: &str| {
        let taken = |name: &str| {
            scripts.iter().any(|script| !mentions(script, script.tree.root_node(), name).is_empty())
                || members.iter().any(|member| classes::member_name(home.script, *member) == Some(name))
        };
        let plain = format!("{verb}{noun}");
        if taken(&plain) { format!("{plain}Handle") } else { plain }
    };
    Names { create: free("create"), check: free("check"), destroy: free("destroy"), missing: free("no") }
}

/// The text of the functions, with one tab for each level; the one that says that there is no such handle comes apart.
pub fn texts(
    work: &Work<'_>,
    home: &Home<'_>,
    names: &Names,
    (mark, keys): (&str, &[Key]),
    lives: &Lives,
    exported: bool,
) -> (String, String) {
    let (script, client) = (home.script, &home.client);
    let id = &work.external.names.variable;
    let typed = |text: &'static str| if script.typed() { text } else { "" };
    let camel = work.external.client == Some(Client::NodeRedis);
    let handed = home.handed.as_ref().map(|(parameter, _)| parameter.as_str());
    // Members of an object have commas between them.
    let close = if home.around.kind() == "object" { "}," } else { "}" };
    let begins = home.begins.as_ref().map(|text| format!("\t{text};"));
    let head = match (home.has_methods(), exported) {
        (true, _) => "async ",
        (false, true) => "export async function ",
        (false, false) => "async function ",
    };
    let noun = &work.external.names.noun;
    let mut lines = vec![
        format!("// The mark says that there is such a {noun}, also while it has no other key."),
        format!("{head}{}({}){} {{", names.create, handed.unwrap_or_default(), typed(": Promise<string>")),
        format!(
            "\tconst {id} = `{}_${{randomBytes(16).toString({})}}`;",
            work.external.names.prefix,
            script.style.string("base64url")
        ),
    ];
    lines.extend(begins.clone());
    let one = script.style.string("1");
    lines.push(match &lives.mark {
        None => format!("\tawait {client}.set({mark}, {one});"),
        Some(life) => format!("\tawait {client}.{}({mark}, {}, {one});", setting(life, camel), life.text),
    });
    lines.extend([format!("\treturn {id};"), close.to_owned(), String::new()]);
    let before = handed.map(|handed| format!("{handed}, ")).unwrap_or_default();
    let head_of =
        |name: &str| format!("{head}{name}({before}{id}{}){} {{", typed(": string"), typed(": Promise<void>"));
    lines.push(head_of(&names.check));
    lines.extend(begins.clone());
    lines.push(match &lives.mark {
        None => format!("\tif (!(await {client}.exists({mark}))) {}({id});", names.missing),
        Some(life) => {
            format!(
                "\tif (!(await {client}.{}({mark}, {}))) {}({id});",
                extending(life, camel),
                life.text,
                names.missing
            )
        }
    });
    if let (Some(life), true) = (&lives.mark, lives.all) {
        let command = extending(life, camel);
        lines.push(match keys {
            [only] => format!("\tawait {client}.{command}({}, {});", only.text, life.text),
            _ => {
                let all = format!("[{}].map((key) => {client}.{command}(key, {}))", list(keys), life.text);
                let comma = if script.style.argument_commas { "," } else { "" };
                let ways =
                    [format!("\tawait Promise.all({all});"), format!("\tawait Promise.all(\n\t\t{all}{comma}\n\t);")];
                script.style.fitting(script.indentation(home.before), &ways).to_owned()
            }
        });
    }
    lines.extend([close.to_owned(), String::new(), head_of(&names.destroy)]);
    lines.extend(begins);
    lines.push(format!("\tif (!(await {client}.del({mark}))) {}({id});", names.missing));
    lines.push(match (keys, camel) {
        ([_, _, ..], true) => format!("\tawait {client}.del([{}]);", list(keys)),
        _ => format!("\tawait {client}.del({});", list(keys)),
    });
    lines.push(close.to_owned());
    let missing = [
        format!("function {}({id}{}){} {{", names.missing, typed(": string"), typed(": never")),
        format!(
            "\tthrow new Error(`{} ${{{id}}} is unknown or has expired; call {}`);",
            work.external.names.noun, work.external.names.create
        ),
        "}".to_owned(),
    ];
    (lines.join("\n"), missing.join("\n"))
}

fn list(keys: &[Key]) -> String {
    keys.iter().map(|key| key.text.as_str()).collect::<Vec<_>>().join(", ")
}

/// The command that sets a key for a time.
fn setting(life: &Life, camel: bool) -> &'static str {
    match (life.millis, camel) {
        (false, false) => "setex",
        (false, true) => "setEx",
        (true, false) => "psetex",
        (true, true) => "pSetEx",
    }
}

/// The command that lets a key live for a time from now on, and says whether there was one.
fn extending(life: &Life, camel: bool) -> &'static str {
    match (life.millis, camel) {
        (false, _) => "expire",
        (true, false) => "pexpire",
        (true, true) => "pExpire",
    }
}
