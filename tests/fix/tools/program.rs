//! Small programs with a tool that is given an argument.

use mcp_migrate::model::facts::Span;
use mcp_migrate::plan::Site;
use mcp_migrate::plan::handle::{Role, ToolUse};
use mcp_migrate::render::typescript::script::Script;
use mcp_migrate::render::typescript::scripts::Scripts;
use mcp_migrate::render::typescript::tools::{self, Argument, Context};
use mcp_migrate::render::{Change, Refused};

use super::cases::Case;

/// The tool that a case is about, by the texts that its registration, its handler and its entry in a list begin with.
pub fn tool(case: &Case, scripts: &Scripts<'_>) -> ToolUse {
    let first = case.files[0].0.as_str();
    let within = |key: &str| case.get(key).unwrap_or(first).to_owned();
    let at = |path: &str, needle: &str, what: fn(&str) -> bool| {
        let script = scripts.open(path).expect("the file");
        Site { path: path.to_owned(), span: node(script, needle, what) }
    };
    let is_call = |kind: &str| kind == "call_expression";
    let function = |kind: &str| {
        ["arrow_function", "function_expression", "function_declaration", "method_definition"].contains(&kind)
    };
    ToolUse {
        name: case.get("tool").unwrap_or("checkout").to_owned(),
        registration: at(first, case.get("at").expect("a registration"), is_call),
        handler: at(&within("handled"), case.get("handler").expect("a handler"), function),
        entry: case.get("entry").map(|entry| at(&within("listed"), entry, |kind| kind == "object")),
        body: None,
        role: Role::Uses,
    }
}

fn node(script: &Script, needle: &str, what: fn(&str) -> bool) -> Span {
    let at = script.text().find(needle).unwrap_or_else(|| panic!("{needle} is not there"));
    let mut stack = vec![script.tree.root_node()];
    while let Some(node) = stack.pop() {
        if node.start_byte() == at && what(node.kind()) {
            return Span::new(node.start_byte(), node.end_byte());
        }
        let mut cursor = node.walk();
        let inner: Vec<_> = node.named_children(&mut cursor).collect();
        stack.extend(inner.into_iter().rev());
    }
    let inner = script.around(Span::new(at, at + needle.len())).expect("a node");
    let around = std::iter::successors(Some(inner), |node| node.parent()).find(|node| what(node.kind()));
    let around = around.unwrap_or_else(|| panic!("nothing of the kind is at {needle}"));
    Span::new(around.start_byte(), around.end_byte())
}

/// What becomes of the programs where a tool is given the argument.
pub fn with_argument(case: &Case) -> String {
    let scripts = Scripts::new(case);
    let tool = tool(case, &scripts);
    let argument = Argument {
        name: case.get("argument").unwrap_or("basket_id").to_owned(),
        description: "basket_id returned by create_basket".to_owned(),
        source: "create_basket".to_owned(),
        constant: case.get("constant").map(str::to_owned),
        schema: None,
        frees: false,
        optional: case.get("optional") == Some("yes"),
    };
    let context = Context {
        owner: case.get("owner") == Some("yes"),
        gone: case.get("gone").unwrap_or_default().split(' ').map(str::to_owned).collect(),
    };
    match tools::add_argument(&scripts, &tool, &argument, &context) {
        Ok(mut added) => {
            if tool.entry.is_some() {
                let (changes, auth) = tools::add_context(&scripts, &tool, &context).expect("a context");
                added.changes.extend(changes);
                added.changes.extend(tools::answering(&scripts, &tool).expect("a call"));
                added.auth = auth;
            }
            let auth = added.auth.map(|auth| format!(" auth {auth}")).unwrap_or_default();
            format!("{}named {}{auth}\n", applied(case, added.changes), added.name)
        }
        Err(refused) => refusal(case, &refused),
    }
}

/// A refusal, with the line that it names.
pub fn refusal(case: &Case, refused: &Refused) -> String {
    let (_, text) = case.files.iter().find(|(path, _)| *path == refused.at.path).expect("the file");
    let code = &text[refused.at.span.start as usize..refused.at.span.end as usize];
    format!("{}: {}\n{}; {}\n", refused.at.path, code.lines().next().unwrap_or_default(), refused.why, refused.todo)
}

/// The files with changes applied: those that changed, each of which has to parse.
pub fn applied(case: &Case, changes: Vec<Change>) -> String {
    let mut out = String::new();
    for (path, text) in &case.files {
        let mut own: Vec<&Change> = Vec::new();
        for change in changes.iter().filter(|change| change.path == *path) {
            if !own.contains(&change) {
                own.push(change);
            }
        }
        if own.is_empty() {
            continue;
        }
        own.sort_by_key(|change| (change.span.start, change.span.end));
        for pair in own.windows(2) {
            assert!(pair[0].span.end <= pair[1].span.start, "{}: changes overlap: {pair:?}", case.title);
        }
        let mut text = text.clone();
        for change in own.into_iter().rev() {
            text.replace_range(change.span.start as usize..change.span.end as usize, &change.text);
        }
        assert_parses(path, &text);
        if case.files.len() > 1 {
            out.push_str(&format!("--- {path}\n"));
        }
        out.push_str(&text);
    }
    out
}

/// An independent parser finds nothing wrong.
pub fn assert_parses(path: &str, text: &str) {
    let allocator = oxc_allocator::Allocator::default();
    let kind = oxc_span::SourceType::from_path(path).expect("a kind of file");
    let parsed = oxc_parser::Parser::new(&allocator, text, kind).parse();
    assert!(parsed.diagnostics.is_empty() && !parsed.panicked, "{path}: {:?}\n{text}", parsed.diagnostics);
}
