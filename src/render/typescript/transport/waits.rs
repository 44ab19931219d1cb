//! Functions that have to wait: what shutdown did at once takes as long as requests do.

use tree_sitter::Node;

use super::fold::Fold;
use crate::model::facts::Exported;
use crate::render::Refused;
use crate::render::typescript::script::{bare, children, enclosing_function, is_function, span};

impl<'w> Fold<'w> {
    /// Shutdown waits, so that the function around it has to be asynchronous.
    pub(super) fn make_async(&mut self, unit: usize, at: Node<'w>) -> Result<(), Refused> {
        let script = &self.world.units[unit].script;
        let Some(function) = enclosing_function(at) else { return Ok(()) };
        let mut cursor = function.walk();
        if function.children(&mut cursor).any(|child| child.kind() == "async") {
            return Ok(());
        }
        let callback = function.parent().is_some_and(|parent| parent.kind() == "arguments");
        if !(callback && bare(function).kind() != "method_definition" || self.may_wait(unit, function)) {
            return Err(script.refuse(
                at,
                "shutdown closes all sessions here, and the function around it does not wait for anything",
                "make this function asynchronous, and await it where it is called, then run again",
            ));
        }
        self.edits[unit].insert(function.start_byte(), "async ");
        if let Some(ty) = function.child_by_field_name("return_type").and_then(|ty| children(ty).first().copied()) {
            self.edits[unit].replace(span(ty), "Promise<void>");
        }
        Ok(())
    }

    /// Whether nobody notices that a function of the file answers later: it gives nothing back, and all that it is used for is to end
    /// the process, or to be the last that such a function does.
    fn may_wait(&self, unit: usize, function: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let script = &file.script;
        let name = match function.kind() {
            "function_declaration" => function.child_by_field_name("name"),
            "arrow_function" | "function_expression" => function
                .parent()
                .filter(|parent| parent.kind() == "variable_declarator" && parent.child_by_field_name("type").is_none())
                .and_then(|declarator| declarator.child_by_field_name("name")),
            _ => None,
        };
        let Some((name, symbol)) = name.and_then(|name| Some((name, file.symbol(name)?))) else { return false };
        let exported = std::iter::successors(function.parent(), Node::parent)
            .take_while(|node| node.kind() != "statement_block")
            .any(|node| node.kind() == "export_statement")
            || file.module.exports.iter().any(|export| matches!(export.what, Exported::Local(id) if id == symbol));
        let says_nothing = function
            .child_by_field_name("return_type")
            .is_none_or(|ty| children(ty).first().is_some_and(|ty| script.of(*ty) == "void"));
        let gives_back = |node: Node<'w>| node.kind() == "return_statement" && !children(node).is_empty();
        let block = function.child_by_field_name("body").filter(|body| body.kind() == "statement_block");
        let silent = block.is_some_and(|body| !any_own(body, &gives_back));
        let mut uses = self.uses(unit, (unit, symbol));
        uses.retain(|used| *used != name);
        !exported
            && says_nothing
            && silent
            && !uses.is_empty()
            && uses.into_iter().all(|used| self.ends(unit, used) || self.is_last_call(unit, used))
    }

    /// Whether a function is what runs when the process is told to end: `process.on('SIGTERM', stop)`.
    fn ends(&self, unit: usize, function: Node<'w>) -> bool {
        let script = &self.world.units[unit].script;
        let call = function.parent().filter(|parent| parent.kind() == "arguments").and_then(|list| list.parent());
        let callee = call.and_then(|call| call.child_by_field_name("function"));
        let listens = |name: &str| matches!(name, "process.on" | "process.once" | "process.addListener");
        callee.is_some_and(|callee| listens(script.of(callee)))
    }

    /// Whether a name is called, and nothing is done after that in a function that runs when the process is told to end.
    fn is_last_call(&self, unit: usize, name: Node<'w>) -> bool {
        let call = name.parent().filter(|call| call.child_by_field_name("function") == Some(name));
        let Some(mut at) = call else { return false };
        while let Some(outer) = at.parent().filter(|outer| {
            matches!(
                outer.kind(),
                "await_expression" | "unary_expression" | "parenthesized_expression" | "expression_statement"
            )
        }) {
            at = outer;
        }
        let Some(outer) = at.parent() else { return false };
        if outer.kind() == "arrow_function" && outer.child_by_field_name("body") == Some(at) {
            return self.ends(unit, outer);
        }
        let last = outer.kind() == "statement_block" && children(outer).last() == Some(&at);
        last && outer.parent().is_some_and(|function| is_function(function) && self.ends(unit, function))
    }
}

/// Whether something holds within code, the functions in it left out.
fn any_own<'t>(node: Node<'t>, wanted: &impl Fn(Node<'t>) -> bool) -> bool {
    wanted(node) || children(node).into_iter().any(|child| !is_function(child) && any_own(child, wanted))
}
