//! What handlers' parameters are called in types, as far as a file can name them.

use crate::plan::web::Framework;
use crate::render::typescript::imports::{self, Wanted};
use crate::render::typescript::script::{Script, children};

/// The types of a framework's handlers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Types {
    /// Of the request.
    pub request: String,
    /// Of the response.
    pub response: String,
    /// Of what middleware calls to go on.
    pub next: String,
    /// They are imported by name, which names may be missing.
    named: bool,
}

impl Types {
    /// Imports that are needed; `next` says whether middleware is emitted.
    pub fn wanted(&self, next: bool) -> Vec<Wanted<'static>> {
        let names = ["Request", "Response", "NextFunction"];
        let count = if next { 3 } else { 2 };
        let all = names.into_iter().take(count);
        let all = all.map(|name| Wanted { source: "express", name, alias: None, is_type: true });
        if self.named { all.collect() } else { Vec::new() }
    }
}

/// The types as a file can name them; `None` where it can't without more ado.
pub(super) fn types(script: &Script, framework: Framework) -> Option<Types> {
    if framework != Framework::Express {
        return None;
    }
    let local = |name: &str| imports::local_name(script, "express", name);
    if let (Some(request), response) = (local("Request"), local("Response")) {
        let or = |name: Option<String>, default: &str| name.unwrap_or_else(|| default.to_owned());
        let next = or(local("NextFunction"), "NextFunction");
        return Some(Types { request, response: or(response, "Response"), next, named: true });
    }
    let express = default_import(script)?;
    let of = |name: &str| format!("{express}.{name}");
    Some(Types { request: of("Request"), response: of("Response"), next: of("NextFunction"), named: false })
}

/// The types of request and response, where a file can name them as it is.
pub(in crate::render::typescript) fn without_imports(
    script: &Script,
    framework: Framework,
) -> Option<(String, String)> {
    let found = types(script, framework)?;
    let known = !found.named || imports::local_name(script, "express", "Response").is_some();
    known.then_some((found.request, found.response))
}

/// The name of the default import of express.
fn default_import(script: &Script) -> Option<String> {
    children(script.tree.root_node()).into_iter().find_map(|node| {
        let source = node.child_by_field_name("source").filter(|_| node.kind() == "import_statement")?;
        if script.of(source).trim_matches(['\'', '"']) != "express" {
            return None;
        }
        let clause = children(node).into_iter().find(|child| child.kind() == "import_clause")?;
        let name = children(clause).into_iter().find(|child| child.kind() == "identifier")?;
        Some(script.of(name).to_owned())
    })
}
