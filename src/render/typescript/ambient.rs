//! A context variable that told the session id goes: what was run in it is run as it is.

use tree_sitter::Node;

use super::declared;
use super::handle::edits::Edits;
use super::handle::finished;
use super::handle::mode::is_async;
use super::handle::work::function_in;
use super::script::{Script, children, enclosing_function, is_function, span, statement};
use super::scripts::{Scripts, mentions};
use super::transport::item;
use crate::model::facts::Span;
use crate::plan::ambient::{Ambient, Field};
use crate::render::revise::Revision;
use crate::render::{Files, Refused, Rendered};

/// Renders the step.
pub fn render(ambient: &Ambient, files: &dyn Files) -> Result<Rendered, Refused> {
    let scripts = Scripts::new(files);
    let mut edits = Edits::default();
    for function in &ambient.functions {
        let (script, node) = scripts.expression(function)?;
        let own = function_in(node).ok_or_else(|| script.refuse(node, "a function was expected here", "run again"))?;
        declared::take_out(&mut edits, script, own)?;
    }
    for (call, given) in &ambient.runs {
        let (script, call) = scripts.expression(call)?;
        match given {
            None => entered(&mut edits, script, call)?,
            Some(given) => {
                let (_, given) = scripts.expression(given)?;
                run(&mut edits, script, call, given)?;
            }
        }
    }
    match &ambient.field {
        None => declaration(&mut edits, &scripts, ambient)?,
        Some(field) => without_field(&mut edits, &scripts, ambient, field)?,
    }
    let mut out = Rendered::default();
    for path in edits.paths() {
        if let Some(script) = scripts.by_path(&path) {
            let changes = finished(script, edits.of(&path), Vec::new());
            if Revision::new(&path, script.text(), &changes).result().trim().is_empty() {
                out.notes.push(format!("nothing is left in {path}: delete it"));
            }
            out.changes.extend(changes);
        }
    }
    Ok(out)
}

/// Takes a field out of what the variable holds, and out of the type of that.
fn without_field(edits: &mut Edits, scripts: &Scripts<'_>, ambient: &Ambient, field: &Field) -> Result<(), Refused> {
    for value in &field.values {
        let (script, value) = scripts.expression(value)?;
        let whole = match value.kind() {
            "shorthand_property_identifier" => Some(value),
            _ => value.parent().filter(|pair| pair.kind() == "pair"),
        };
        let whole = whole.ok_or_else(|| unknown(script, value))?;
        edits.cut(script, item(script, whole));
    }
    let script = scripts.of(&ambient.declared)?;
    if !script.typed() {
        return Ok(());
    }
    let refuse = |node: Node<'_>| {
        script.refuse(
            node,
            format!("the type with `{}` is not written in this file", field.name),
            "take the field out of the type and of what it is given, then run again",
        )
    };
    let root = script.tree.root_node();
    let made = script.around(ambient.declared.span).and_then(|name| name.parent());
    let value = made.and_then(|made| made.child_by_field_name("value")).ok_or_else(|| refuse(root))?;
    let ty = value.child_by_field_name("type_arguments").and_then(|list| children(list).first().copied());
    let ty = ty.ok_or_else(|| refuse(value))?;
    let members = match ty.kind() {
        "object_type" => Some(ty),
        _ => mentions_type(script, root, script.of(ty)),
    };
    let members = members.ok_or_else(|| refuse(ty))?;
    let own = children(members).into_iter().find(|member| {
        member.kind() == "property_signature"
            && member.child_by_field_name("name").is_some_and(|name| script.of(name) == field.name)
    });
    let own = own.ok_or_else(|| refuse(ty))?;
    edits.cut(script, script.removal(own));
    Ok(())
}

/// The members of an interface or of an object type with a name.
fn mentions_type<'t>(script: &Script, root: Node<'t>, name: &str) -> Option<Node<'t>> {
    let mut stack = vec![root];
    while let Some(node) = stack.pop() {
        let named = node.child_by_field_name("name").is_some_and(|own| script.of(own) == name);
        match node.kind() {
            "interface_declaration" if named => return node.child_by_field_name("body"),
            "type_alias_declaration" if named => {
                return node.child_by_field_name("value").filter(|value| value.kind() == "object_type");
            }
            _ => stack.extend(children(node)),
        }
    }
    None
}

fn unknown(script: &Script, node: Node<'_>) -> Refused {
    script.refuse(
        node,
        "what is run in the context of a session can't be taken out of it here",
        "run it without the context, which nothing reads any more",
    )
}

/// `storage.enterWith(id);`
fn entered(edits: &mut Edits, script: &Script, call: Node<'_>) -> Result<(), Refused> {
    let own = call.parent().filter(|own| own.kind() == "expression_statement" && statement(*own) == *own);
    let own = own.ok_or_else(|| unknown(script, call))?;
    edits.cut(script, script.removal(own));
    Ok(())
}

fn run(edits: &mut Edits, script: &Script, call: Node<'_>, given: Node<'_>) -> Result<(), Refused> {
    if given.kind() == "identifier" {
        if through(edits, script, call, given) {
            return Ok(());
        }
        edits.replace(script, span(call), format!("{}()", script.of(given)));
        return Ok(());
    }
    let body = given.child_by_field_name("body").filter(|_| {
        let takes = given.child_by_field_name("parameters").map(children).unwrap_or_default();
        matches!(given.kind(), "arrow_function" | "function_expression")
            && takes.is_empty()
            && given.child_by_field_name("parameter").is_none()
    });
    let body = body.ok_or_else(|| unknown(script, call))?;
    if body.kind() != "statement_block" {
        if is_async(script, given) && !is_waited_for(call) {
            return Err(unknown(script, call));
        }
        edits.cut(script, Span::new(call.start_byte(), body.start_byte()));
        edits.cut(script, Span::new(body.end_byte(), call.end_byte()));
        return Ok(());
    }
    block(edits, script, call, given, body)
}

/// Whether a call is waited for, or answered.
fn is_waited_for(call: Node<'_>) -> bool {
    call.parent()
        .is_some_and(|parent| matches!(parent.kind(), "await_expression" | "return_statement" | "arrow_function"))
}

/// The statements of a callback take the place of the statement that ran it.
fn block(edits: &mut Edits, script: &Script, call: Node<'_>, given: Node<'_>, body: Node<'_>) -> Result<(), Refused> {
    let waited = call.parent().filter(|parent| parent.kind() == "await_expression");
    let outer = waited.unwrap_or(call);
    let own = outer.parent().filter(|own| statement(*own) == *own).ok_or_else(|| unknown(script, call))?;
    let answers = own.kind() == "return_statement";
    if !(answers || own.kind() == "expression_statement") || is_async(script, given) && waited.is_none() && !answers {
        return Err(unknown(script, call));
    }
    let around = enclosing_function(call).ok_or_else(|| unknown(script, call))?;
    let statements = children(body);
    let (Some(first), Some(last)) = (statements.first(), statements.last()) else { return Err(unknown(script, call)) };
    let leaves = !answers && contains_return(body);
    let waits = is_async(script, given) && !is_async(script, around);
    let clashes = statements.iter().filter(|own| own.kind().ends_with("declaration")).any(|declared| {
        let names = children(*declared).into_iter().filter_map(|own| own.child_by_field_name("name"));
        names
            .into_iter()
            .any(|name| mentions(script, around, script.of(name)).iter().any(|used| !span(body).contains(span(*used))))
    });
    if leaves || waits || clashes || has_long_text(script, body) {
        return Err(unknown(script, call));
    }
    let inner = script.slice(Span::new(first.start_byte(), last.end_byte()));
    let (from, to) = (script.indentation(*first), script.indentation(own));
    let text = inner.replace(&format!("\n{from}"), &format!("\n{to}"));
    edits.replace(script, span(own), text);
    Ok(())
}

/// Whether a text goes over several lines: what its lines begin with is a part of it.
fn has_long_text(script: &Script, node: Node<'_>) -> bool {
    node.kind() == "template_string" && script.of(node).contains('\n')
        || children(node).into_iter().any(|child| has_long_text(script, child))
}

/// Whether code leaves the function that it stands in.
fn contains_return(node: Node<'_>) -> bool {
    children(node)
        .into_iter()
        .any(|child| !is_function(child) && (child.kind() == "return_statement" || contains_return(child)))
}

/// Middleware that did nothing but to run the next in the context goes as a whole.
fn through(edits: &mut Edits, script: &Script, call: Node<'_>, next: Node<'_>) -> bool {
    let Some(function) = enclosing_function(call) else { return false };
    let own = function
        .parent()
        .filter(|list| list.kind() == "arguments")
        .and_then(|list| list.parent())
        .filter(|used| {
            let callee = used.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("property"));
            callee.is_some_and(|name| script.of(name) == "use")
        })
        .and_then(|used| used.parent())
        .filter(|own| own.kind() == "expression_statement");
    let Some(own) = own else { return false };
    let functions = function.parent().map(children).unwrap_or_default();
    if functions.iter().filter(|argument| argument.kind() != "string").count() != 1 {
        return false;
    }
    let name = script.of(next);
    let only_next = |text: &str| {
        let text = text.trim().trim_end_matches(';').trim().trim_start_matches("return ").trim();
        text == format!("{name}()")
    };
    let idle = |node: &Node<'_>| match node.kind() {
        "lexical_declaration" => !contains_call(script, *node),
        "if_statement" => {
            let then = node.child_by_field_name("consequence").map(|then| script.of(then).trim_matches(['{', '}']));
            node.child_by_field_name("alternative").is_none() && then.is_some_and(only_next)
        }
        _ => span(*node).contains(span(call)),
    };
    let body = function.child_by_field_name("body");
    let whole = body.is_some_and(|body| match body.kind() {
        "statement_block" => children(body).iter().all(idle),
        _ => body == call,
    });
    if whole {
        edits.cut(script, script.removal(own));
    }
    whole
}

/// Whether code calls something that is not a plain look at the request.
fn contains_call(script: &Script, node: Node<'_>) -> bool {
    let calls = node.kind() == "call_expression"
        && node
            .child_by_field_name("function")
            .is_some_and(|callee| !matches!(script.of(callee).rsplit('.').next(), Some("header" | "get" | "String")));
    calls || children(node).into_iter().any(|child| contains_call(script, child))
}

/// The variable itself, where nothing of its file mentions it any more.
fn declaration(edits: &mut Edits, scripts: &Scripts<'_>, ambient: &Ambient) -> Result<(), Refused> {
    let script = scripts.of(&ambient.declared)?;
    let Some(name) = script.around(ambient.declared.span).filter(|name| name.kind() == "identifier") else {
        return Ok(());
    };
    let uses = mentions(script, script.tree.root_node(), script.of(name));
    let gone = uses.iter().filter(|used| **used != name).all(|used| edits.covers(&script.path, span(*used)));
    let own = name.parent().and_then(|declarator| declarator.parent());
    let Some(own) = own.filter(|own| gone && own.kind() == "lexical_declaration" && children(*own).len() == 1) else {
        return Ok(());
    };
    let whole = own.parent().filter(|parent| parent.kind() == "export_statement").unwrap_or(own);
    edits.cut(script, script.removal(whole));
    Ok(())
}
