//! Where the client of the store is at hand: there the functions stand that create, check and drop a handle.

use tree_sitter::Node;

use super::super::Work;
use crate::plan::handle::Touch;
use crate::render::Refused;
use crate::render::typescript::classes;
use crate::render::typescript::handle::initial;
use crate::render::typescript::scope;
use crate::render::typescript::script::{Script, bare, children, enclosing_function, span};

/// Where functions can use the client.
pub struct Home<'a> {
    /// The file.
    pub script: &'a Script,
    /// What they stand in: the file, the body of a function, or that of a class.
    pub around: Node<'a>,
    /// The part of it that they stand before.
    pub before: Node<'a>,
    /// The expression that is the client.
    pub client: String,
    /// The statement by which a function gets it, without its semicolon.
    pub begins: Option<String>,
    /// Functions are handed it: the parameter as it is written, and its position.
    pub handed: Option<(String, usize)>,
}

/// Calls that begin a series of commands.
const SERIES: &[&str] = &["multi", "pipeline", "batch"];

/// The one place where all accesses have the client.
pub fn find<'a>(work: &Work<'a>) -> Result<Home<'a>, Refused> {
    let mut found: Option<Home<'a>> = None;
    for touch in &work.external.touches {
        let (script, receiver) = work.scripts.expression(&touch.receiver)?;
        let home = of(work, script, receiver, touch)?;
        match &found {
            None => found = Some(home),
            Some(known) if known.is(&home) => {}
            Some(_) => {
                return Err(script.refuse(
                    receiver,
                    "the store's client is reached here in another way than elsewhere",
                    "let the functions of one file use it, and run again",
                ));
            }
        }
    }
    found.ok_or_else(|| Refused {
        at: work.external.declared.clone(),
        why: "no place was seen where a tool uses the store's client".to_owned(),
        todo: "let a tool write a mark under a random id, and look for it in the others".to_owned(),
        also: Vec::new(),
    })
}

impl Home<'_> {
    fn is(&self, other: &Self) -> bool {
        self.script.path == other.script.path
            && self.around == other.around
            && self.client == other.client
            && self.begins == other.begins
            && self.handed == other.handed
    }

    /// Whether the functions are methods, of a class or of an object.
    pub fn has_methods(&self) -> bool {
        matches!(self.around.kind(), "class_body" | "object")
    }

    /// Whether a name of this file means the same where the functions stand.
    pub fn knows(&self, name: Node<'_>) -> bool {
        let text = self.script.of(name);
        if text == "this" {
            return self.around.kind() == "class_body" && classes::body(name) == Some(self.around);
        }
        match scope::binding(self.script, name, text) {
            Some(scope) => span(scope).contains(span(self.around)),
            None => initial::is_global(text),
        }
    }

    /// The first name in an expression that means nothing there.
    pub fn unknown<'t>(&self, node: Node<'t>) -> Option<Node<'t>> {
        let own = |name: &Node<'_>| initial::is_own(self.script, node, self.script.of(*name));
        initial::names_in(node).into_iter().find(|name| !self.knows(*name) && !own(name))
    }
}

/// The client as one access has it.
fn of<'a>(work: &Work<'a>, script: &'a Script, receiver: Node<'a>, touch: &Touch) -> Result<Home<'a>, Refused> {
    let (_, function) = work.function(&work.external.carriers[touch.carrier])?;
    let base = begin(script, receiver);
    let program = script.tree.root_node();
    let home = |around: Node<'a>, client: &str, begins: Option<String>| {
        let before = std::iter::successors(Some(receiver), Node::parent)
            .find(|node| node.parent() == Some(around))
            .ok_or_else(|| lost(script, receiver))?;
        Ok(Home { script, around, before, client: client.to_owned(), begins, handed: None })
    };
    let root = root(base);
    if root.kind() == "this" {
        let class = classes::body(base).filter(|_| base.kind() == "member_expression");
        return home(class.ok_or_else(|| lost(script, receiver))?, script.of(base), None);
    }
    if root.kind() != "identifier" {
        return Err(lost(script, receiver));
    }
    let name = script.of(root);
    let scope = scope::binding(script, root, name).ok_or_else(|| lost(script, receiver))?;
    if scope == program {
        let waits = |node: &Node<'_>| node.kind() == "await_expression";
        let waited = std::iter::successors(base.parent(), Node::parent).take(2).find(waits);
        return match waited.filter(|_| base.kind() == "call_expression") {
            Some(waited) => home(program, "client", Some(format!("const client = {}", script.of(waited)))),
            None => home(program, script.of(base), None),
        };
    }
    if !span(function).contains(span(scope)) {
        let body = if scope.kind() == "statement_block" { Some(scope) } else { scope.child_by_field_name("body") };
        if let Some(object) = answered(script, function, scope) {
            return home(object, script.of(base), None);
        }
        return home(body.ok_or_else(|| lost(script, receiver))?, script.of(base), None);
    }
    if let Some(handed) = parameter(script, function, root).filter(|_| base == root && scope == function) {
        return home(program, name, None).map(|home| Home { handed: Some(handed), ..home });
    }
    let declared = scope::declaration(script, root, name).and_then(|own| own.parent());
    let value =
        declared.filter(|own| own.kind() == "variable_declarator").and_then(|own| own.child_by_field_name("value"));
    match value {
        // A series of commands.
        Some(value) if base == root && begin(script, value) != bare(value) => of(work, script, value, touch),
        Some(value) if base == root && bare(value).kind() == "call_expression" => {
            let known = |node: &Node<'_>| scope::binding(script, *node, script.of(*node)) == Some(program);
            match initial::names_in(value).into_iter().find(|node| !known(node)) {
                None => home(program, name, Some(format!("const {name} = {}", script.of(value)))),
                Some(_) => Err(lost(script, receiver)),
            }
        }
        _ => Err(lost(script, receiver)),
    }
}

/// The parameter of a function that has a name, and its position.
fn parameter(script: &Script, function: Node<'_>, name: Node<'_>) -> Option<(String, usize)> {
    let list = children(function.child_by_field_name("parameters")?);
    let plain = |node: &Node<'_>| {
        let own = node.child_by_field_name("pattern").unwrap_or(*node);
        own.kind() == "identifier" && script.of(own) == script.of(name) && node.child_by_field_name("value").is_none()
    };
    let index = list.iter().position(plain)?;
    Some((script.of(list[index]).to_owned(), index))
}

/// The object of functions that a function answers: `return { add() {…}, all() {…} }`.
fn answered<'t>(script: &Script, function: Node<'t>, scope: Node<'t>) -> Option<Node<'t>> {
    let member = if function.kind() == "method_definition" { function } else { function.parent()? };
    let object = member
        .parent()
        .filter(|object| object.kind() == "object" && matches!(member.kind(), "pair" | "method_definition"))?;
    let outer = enclosing_function(object)
        .filter(|outer| span(scope).contains(span(*outer)) || span(*outer).contains(span(scope)))?;
    let whole =
        std::iter::successors(object.parent(), Node::parent).find(|node| node.kind() != "parenthesized_expression")?;
    let named = || {
        let name = (whole.kind() == "variable_declarator").then(|| whole.child_by_field_name("name")).flatten()?;
        let returns = scope::uses(script, name).into_iter().filter_map(|used| used.parent());
        returns.into_iter().find(|parent| parent.kind() == "return_statement")
    };
    let returned = whole.kind() == "return_statement" || whole == outer || named().is_some();
    returned.then_some(object)
}

fn lost(script: &Script, receiver: Node<'_>) -> Refused {
    script.refuse(
        receiver,
        "a function that creates a handle can't get at the store's client as this code does",
        "keep the client in a variable of the file or in a field of the class, and run again",
    )
}

/// What a series of commands is begun on: `redis`, for `redis.multi().rpush(…)`; else the expression itself.
fn begin<'t>(script: &Script, receiver: Node<'t>) -> Node<'t> {
    let mut node = bare(receiver);
    while node.kind() == "call_expression" {
        let Some(callee) = node.child_by_field_name("function").filter(|callee| callee.kind() == "member_expression")
        else {
            break;
        };
        let Some(object) = callee.child_by_field_name("object").map(bare) else { break };
        if callee.child_by_field_name("property").is_some_and(|name| SERIES.contains(&script.of(name))) {
            return object;
        }
        node = object;
    }
    bare(receiver)
}

/// What a chain of members and calls begins with.
pub fn root(node: Node<'_>) -> Node<'_> {
    let mut node = bare(node);
    loop {
        let inner = match node.kind() {
            "member_expression" => node.child_by_field_name("object"),
            "call_expression" => node.child_by_field_name("function"),
            _ => None,
        };
        match inner {
            Some(inner) => node = bare(inner),
            None => return node,
        }
    }
}

/// The arguments of a call.
pub fn arguments(call: Node<'_>) -> Vec<Node<'_>> {
    bare(call).child_by_field_name("arguments").map(children).unwrap_or_default()
}
