//! The `Allow` header of answers to methods that are not known: it does not name those that are gone.

use tree_sitter::Node;

use super::fold::{Fold, any};
use super::routes;
use crate::plan::transport::{Fact, Transport};
use crate::render::typescript::script::{children, span, statement};

/// Methods that are gone with the sessions.
const GONE: &[&str] = &["GET", "DELETE"];

impl<'w> Fold<'w> {
    /// Takes methods off that are turned away beside it: `default: res.writeHead(405, { Allow: 'GET, POST, DELETE' })`.
    pub fn allowed_methods(&mut self, step: &Transport) {
        for unit in 0..self.world.units.len() {
            let script = &self.world.units[unit].script;
            let mut lists = Vec::new();
            any(script.tree.root_node(), &mut |node| {
                if node.kind() == "string"
                    && (self.beside_what_is_gone(unit, node)
                        || self.behind_what_is_gone(unit, node)
                        || self.answers_same_path(step, unit, node))
                    && names_allow(node, |n| script.of(n))
                {
                    lists.extend(without_gone(script.of(node)).map(|left| (span(node), left)));
                }
                false
            });
            for (at, left) in lists {
                self.edits[unit].replace(at, left);
            }
        }
    }

    /// Whether code stays in a handler of a path that transports were served on: `app.get('/mcp', (_req, res) => …405…)`.
    fn answers_same_path(&self, step: &Transport, unit: usize, node: Node<'w>) -> bool {
        let script = &self.world.units[unit].script;
        let routes = step.routes.iter().filter(|route| route.at.path == script.path);
        let served: Vec<&str> = routes.filter_map(|route| routes::path(route, script)).collect();
        !self.edits[unit].gone(node)
            && std::iter::successors(node.parent(), Node::parent).any(|call| {
                let callee = call.child_by_field_name("function").filter(|_| call.kind() == "call_expression");
                let registers = callee
                    .and_then(|callee| callee.child_by_field_name("property"))
                    .is_some_and(|name| matches!(script.of(name), "get" | "delete" | "all" | "put" | "patch" | "use"));
                let path = self.argument(call, 0).filter(|path| registers && path.kind() == "string");
                path.is_some_and(|path| served.contains(&script.of(path).trim_matches(['\'', '"', '`'])))
            })
    }

    /// Whether code stays that stands beside answers for other methods, some of which were changed: where nothing but the method
    /// decides, in a `switch` or behind an `else`.
    fn beside_what_is_gone(&self, unit: usize, node: Node<'w>) -> bool {
        let holder = statement(node).parent();
        let branch =
            holder.filter(|holder| holder.kind() == "statement_block").and_then(|block| block.parent()).or(holder);
        let choice = branch.and_then(|branch| match branch.kind() {
            "switch_case" | "switch_default" => branch.parent().and_then(|body| body.parent()),
            "else_clause" => branch.parent(),
            _ => None,
        });
        let Some(choice) = choice.filter(|_| !self.edits[unit].gone(node)) else { return false };
        let asks = choice.child_by_field_name("value").or_else(|| choice.child_by_field_name("condition"));
        asks.is_some_and(|asks| self.only_by_method(unit, asks)) && self.edits[unit].touches(span(choice))
    }

    /// Whether code stays that is reached behind answers for other methods, some of which were changed: nothing but branches by the
    /// method, which leave, stands between.
    fn behind_what_is_gone(&self, unit: usize, node: Node<'w>) -> bool {
        let by_method = |branch: &Node<'w>| {
            let asks = branch.child_by_field_name("condition").filter(|_| branch.kind() == "if_statement");
            let then = branch.child_by_field_name("consequence");
            let last =
                then.and_then(|then| children(then).last().copied().filter(|_| then.kind() == "statement_block"));
            asks.is_some_and(|asks| self.only_by_method(unit, asks))
                && last.is_some_and(|last| last.kind() == "return_statement")
                && branch.child_by_field_name("alternative").is_none()
        };
        let own = statement(node);
        let before = std::iter::successors(own.prev_named_sibling(), Node::prev_named_sibling);
        let mut branches = before.filter(|before| before.kind() != "comment").take_while(by_method);
        !self.edits[unit].gone(node) && branches.any(|branch| self.edits[unit].touches(span(branch)))
    }

    /// Whether an expression depends on nothing but the method of the request.
    fn only_by_method(&self, unit: usize, asks: Node<'w>) -> bool {
        let file = &self.world.units[unit];
        let of_method = |node: Node<'w>| file.fact(node) == Some(&Fact::Method);
        let other = |node: &Node<'w>| {
            matches!(node.kind(), "identifier" | "member_expression" | "call_expression")
                && !std::iter::successors(Some(*node), Node::parent).take(3).any(of_method)
        };
        any(asks, &mut |node| of_method(node)) && !any(asks, &mut |node| other(&node))
    }
}

/// Whether a text is the value of the header: `{ Allow: … }`, `res.set('Allow', …)`.
fn names_allow<'t>(node: Node<'t>, of: impl Fn(Node<'t>) -> &'t str) -> bool {
    let is = |node: Node<'t>| of(node).trim_matches(['\'', '"', '`']).eq_ignore_ascii_case("allow");
    let Some(parent) = node.parent() else { return false };
    match parent.kind() {
        "pair" => parent.child_by_field_name("key").is_some_and(is),
        "arguments" => children(parent).windows(2).any(|pair| pair[1] == node && is(pair[0])),
        _ => false,
    }
}

/// A list of methods, as written, without those that are gone; `None` where it is no such list.
fn without_gone(written: &str) -> Option<String> {
    let (quote, end) = (written.get(..1)?, written.get(written.len() - 1..)?);
    let inner = written.get(1..written.len() - 1)?;
    let methods: Vec<&str> = inner.split(',').map(str::trim).collect();
    let method = |name: &&str| !name.is_empty() && name.chars().all(|char| char.is_ascii_uppercase());
    let left: Vec<&str> = methods.iter().copied().filter(|name| !GONE.contains(name)).collect();
    let whole = methods.iter().all(method) && methods.contains(&"POST") && left.len() < methods.len();
    whole.then(|| format!("{quote}{}{end}", left.join(if inner.contains(", ") { ", " } else { "," })))
}

#[cfg(test)]
mod tests {
    use super::without_gone;

    #[test]
    fn only_lists_of_methods_with_post_lose_some() {
        assert_eq!(without_gone("'GET, POST, DELETE'").as_deref(), Some("'POST'"));
        assert_eq!(without_gone("\"GET,POST,OPTIONS\"").as_deref(), Some("\"POST,OPTIONS\""));
        assert_eq!(without_gone("'GET, HEAD'"), None);
        assert_eq!(without_gone("'POST'"), None);
        assert_eq!(without_gone("'POST, and GET'"), None);
    }
}
