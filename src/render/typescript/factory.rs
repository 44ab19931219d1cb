//! A server that is made once, as a function that makes one: `new McpServer` and its registrations move in, everything else stays.

mod moves;

use tree_sitter::Node;

use super::in_flight::{free_name, mentions};
use super::lines::deeper;
use super::scope;
use super::script::{Script, children, leading_comments, span, statement};
use crate::model::facts::Span;
use crate::render::{Change, Refused};

/// What stands above a factory.
pub const COMMENT: &str =
    "/** Runs on each request: only the registrations belong here; clients, pools, schemas and caches stay outside. */";

/// A factory that takes the place of a server.
#[derive(Clone, Debug, Default)]
pub struct Factory {
    /// Its name.
    pub name: String,
    /// What builds a server: `buildServer()`, with `await` where it has to wait.
    pub call: String,
    /// It waits for something.
    pub waits: bool,
    /// What the variable was called.
    pub server: String,
    /// The changes of the file.
    pub changes: Vec<Change>,
    /// Statements that closed the server: whoever asked for the factory sees to them.
    pub closed: Vec<Span>,
    /// A comment goes, since it said that there is one server.
    pub drops_comment: bool,
}

/// What is known of the code around a server.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// Statements that go anyway: where the server is connected to the transport.
    pub gone: &'a [Span],
    /// Calls that are given the server and only register with it.
    pub registrars: &'a [Span],
    /// The factory is to be seen by other files.
    pub exported: bool,
}

/// The declaration of a server: statement, name, constructed value.
struct Declared<'t> {
    statement: Node<'t>,
    name: Node<'t>,
    value: Node<'t>,
}

/// Turns the server that is constructed by `made` into a factory.
pub fn extract(script: &Script, made: Node<'_>, known: &Known<'_>) -> Result<Factory, Refused> {
    let declared = declared(script, made, known)?;
    let moved = moves::find(script, declared.statement, declared.name, known)?;
    let name = free_name(script, &["buildServer", "createServer", "buildMcpServer"]);
    let waits = moved.statements.iter().any(|statement| awaits(*statement));
    let call = if waits { format!("await {name}()") } else { format!("{name}()") };
    let mut changes = rewrite(script, &declared, &moved.statements, &name, waits);
    for receiver in &moved.connected {
        let built = if waits { format!("({call})") } else { call.clone() };
        changes.push(script.change(span(*receiver), built));
    }
    let closed = moved.closed.iter().map(|node| span(*node)).collect();
    Ok(Factory {
        name,
        call,
        waits,
        server: script.of(declared.name).to_owned(),
        changes,
        closed,
        drops_comment: says_one(script, declared.statement),
    })
}

fn declared<'t>(script: &'t Script, made: Node<'t>, known: &Known<'_>) -> Result<Declared<'t>, Refused> {
    let odd = |node: Node<'_>, why: &str| {
        let todo = "build the server in a function that holds only its construction and its registrations, and call it for each request";
        Err(script.refuse(node, why, todo))
    };
    let declarator = made.parent().filter(|parent| parent.kind() == "variable_declarator");
    let Some(declarator) = declarator else {
        return odd(made, "the server is not the value of a variable here");
    };
    let Some(name) = declarator.child_by_field_name("name").filter(|name| name.kind() == "identifier") else {
        return odd(declarator, "the server is taken apart where it is made");
    };
    let statement = statement(declarator);
    let declaration = statement.child_by_field_name("declaration").unwrap_or(statement);
    if children(declaration).len() != 1 {
        return odd(statement, "the server is declared together with something else");
    }
    if statement.kind() == "export_statement" && !known.exported {
        return odd(statement, "the server is exported, and whoever takes it is not seen here");
    }
    Ok(Declared { statement, name, value: made })
}

/// The function in the place of the server's declaration, and the other moved statements taken from theirs.
fn rewrite(script: &Script, declared: &Declared<'_>, moved: &[Node<'_>], name: &str, waits: bool) -> Vec<Change> {
    let runs = runs(script, moved);
    let indent = script.indentation(declared.statement);
    let unit = script.style.indent.text();
    let newline = script.style.newline;
    let bodies: Vec<String> = runs.iter().map(|run| body(script, *run, declared)).collect();
    let body = bodies.join(&format!("{newline}{newline}"));
    let class = declared.value.child_by_field_name("constructor").map_or("", |class| script.of(class));
    let returns = match (script.typed(), waits) {
        (false, _) => String::new(),
        (true, false) => format!(": {class}"),
        (true, true) => format!(": Promise<{class}>"),
    };
    let exported = if declared.statement.kind() == "export_statement" { "export " } else { "" };
    let is_async = if waits { "async " } else { "" };
    let end = if script.style.semicolons { ";" } else { "" };
    let server = script.of(declared.name);
    let function = format!(
        "{indent}{COMMENT}{newline}{indent}{exported}{is_async}function {name}(){returns} {{{newline}{body}{newline}{newline}{indent}{unit}return {server}{end}{newline}{indent}}}"
    );
    let mut changes = Vec::new();
    // Where the last of them stands, all that they use is declared.
    let last = moved.iter().rev().find(|node| node.kind() != "function_declaration").unwrap_or(&declared.statement);
    for run in runs {
        if run.contains(span(*last)) {
            changes.push(script.change(run, format!("{}{function}", blank_before(script, run))));
        } else {
            changes.push(script.change(with_blank(script, run), ""));
        }
    }
    changes
}

/// The lines of neighbouring statements, with the comments that lead them.
fn runs(script: &Script, moved: &[Node<'_>]) -> Vec<Span> {
    let mut out: Vec<(Span, Node<'_>)> = Vec::new();
    for node in moved {
        let start = script.line_start(leading_comments(script, *node));
        let end = line_end(script, node.end_byte());
        match out.last_mut() {
            Some((run, last)) if follows(*last, *node) => {
                run.end = end as u32;
                *last = *node;
            }
            _ => out.push((Span::new(start, end), *node)),
        }
    }
    out.into_iter().map(|(run, _)| run).collect()
}

/// Whether nothing but comments stands between two statements.
fn follows(before: Node<'_>, after: Node<'_>) -> bool {
    let mut next = before.next_named_sibling();
    while let Some(node) = next.filter(|node| node.kind() == "comment") {
        next = node.next_named_sibling();
    }
    next == Some(after)
}

/// The end of a line's text: behind a comment that stands at the end of the code, before the line end.
fn line_end(script: &Script, from: usize) -> usize {
    let line = &script.text()[from..script.line_end(from)];
    let rest = line.trim_end();
    let ours = rest.trim_start_matches([';', ' ', '\t']);
    if ours.is_empty() || ours.starts_with("//") { from + rest.len() } else { from }
}

/// Whether the comment above a server says that there is one: it would be wrong in a factory.
fn says_one(script: &Script, statement: Node<'_>) -> bool {
    let comment = &script.text()[leading_comments(script, statement)..statement.start_byte()].to_lowercase();
    ["the one ", "single", "global", "shared", "of this process", "of the process", "only one"]
        .iter()
        .any(|word| comment.contains(word))
}

/// The text of a run one level deeper, the server no longer exported.
fn body(script: &Script, run: Span, declared: &Declared<'_>) -> String {
    let first = script.line_start(leading_comments(script, declared.statement)) == run.start as usize;
    let run = match first && says_one(script, declared.statement) {
        true => Span::new(script.line_start(declared.statement.start_byte()), run.end as usize),
        false => run,
    };
    let text = deeper(script, run);
    if declared.statement.kind() != "export_statement" || !run.contains(span(declared.statement)) {
        return text;
    }
    let written = script.of(declared.statement);
    let bare = written.trim_start_matches("export").trim_start();
    let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    text.replacen(&first(written), &first(bare), 1)
}

/// A run with its line end, and with one of two blank lines around it.
fn with_blank(script: &Script, run: Span) -> Span {
    let text = script.text();
    let mut end = script.line_end(run.end as usize);
    let before = &text[..run.start as usize];
    let next = &text[end..script.line_end(end)];
    if !next.is_empty() && next.trim().is_empty() && (before.ends_with("\n\n") || before.ends_with("\n\r\n")) {
        end += next.len();
    }
    Span::new(run.start as usize, end)
}

/// The blank line that a function gets, where the statement in its place had none.
fn blank_before(script: &Script, run: Span) -> &'static str {
    let before = &script.text()[..run.start as usize];
    let apart = before.is_empty() || before.ends_with("\n\n") || before.ends_with("\n\r\n");
    if apart || before.trim_end().ends_with('{') { "" } else { script.style.newline }
}

/// Whether code waits for something outside of the functions in it.
fn awaits(node: Node<'_>) -> bool {
    if node.kind() == "await_expression" || (node.kind() == "for_in_statement" && is_for_await(node)) {
        return true;
    }
    !super::script::is_function(node) && children(node).into_iter().any(awaits)
}

fn is_for_await(node: Node<'_>) -> bool {
    let mut cursor = node.walk();
    node.children(&mut cursor).any(|child| child.kind() == "await")
}

/// Whether a text names the server: a quick look before a slow one.
fn speaks_of(script: &Script, node: Node<'_>, names: &[String]) -> bool {
    let text = script.of(node);
    names.iter().any(|name| mentions(text, name))
}

/// The uses of a declared name within a statement.
fn uses_within<'t>(script: &'t Script, declared: Node<'t>, statement: Node<'t>) -> Vec<Node<'t>> {
    let within = span(statement);
    scope::uses(script, declared).into_iter().filter(|used| within.contains(span(*used))).collect()
}
