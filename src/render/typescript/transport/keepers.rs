//! Files without routes that count or close sessions: where they do it for others, requests in flight have their home there.

use tree_sitter::Node;

use super::fold::Fold;
use super::routes::{Serves, framework, serves};
use crate::plan::transport::{Fact, Route, Transport};
use crate::plan::web::Framework;
use crate::render::Refused;
use crate::render::typescript::imports;
use crate::render::typescript::in_flight::Names;
use crate::render::typescript::script::{children, enclosing_function, is_function, span};

impl<'w> Fold<'w> {
    /// Files without routes in which sessions are counted or closed, and requests will be.
    pub(super) fn keepers(&self, step: &Transport) -> Vec<usize> {
        let serving = || step.routes.iter().filter(|route| serves(route) != Serves::Gone);
        let Some(first) = serving().next() else { return Vec::new() };
        let keeps = |unit: &usize| {
            let path = &self.world.units[*unit].script.path;
            !serving().any(|route| route.at.path == *path)
                && (self.keeps_for_others(*unit) || self.decides_by_count(*unit) || self.shuts_down(*unit))
                && self.imported_by_route(*unit, first).is_some()
        };
        (0..self.world.units.len()).filter(keeps).collect()
    }

    /// Whether all sessions are closed in a file among other things that belong there: in the handler of a signal, say.
    fn shuts_down(&self, unit: usize) -> bool {
        self.shutdowns(unit).into_iter().any(|shutdown| {
            let mut around = std::iter::successors(shutdown.parent(), Node::parent).filter(|node| is_function(*node));
            !around.any(|function| self.only_closes((unit, span(function))))
        })
    }

    /// Whether a file does more with the number of sessions than to tell it: it keeps it down, say.
    fn decides_by_count(&self, unit: usize) -> bool {
        let own = |call: &(usize, Node<'w>)| call.0 == unit;
        let told = self.functions(unit).into_iter().filter(|function| self.only_counts((unit, span(*function))));
        let asked = told.flat_map(|function| self.calls_of((unit, span(function)))).filter(own).map(|(_, call)| call);
        self.counts(unit)
            .into_iter()
            .chain(asked)
            .any(|count| enclosing_function(count).is_some_and(|function| !self.only_counts((unit, span(function)))))
    }

    /// Whether functions of a file without routes count or close sessions for code that has to do with nothing else: there they stay.
    fn keeps_for_others(&self, unit: usize) -> bool {
        self.functions(unit).into_iter().any(|function| {
            let own = (unit, span(function));
            let named = function.kind() == "function_declaration"
                || function.kind() == "method_definition"
                || function.parent().is_some_and(|parent| parent.kind() == "variable_declarator");
            named
                && (self.only_counts(own) || self.only_closes(own))
                && !self.world.units.iter().any(|file| file.calls.values().any(|target| *target == own))
        })
    }

    /// The file of a route, and the module specifier by which it imports another file.
    pub(super) fn imported_by_route(&self, unit: usize, route: &Route) -> Option<(usize, String)> {
        let at = self.asks_to_count(route)?;
        let script = &self.world.units[at].script;
        if imports::common_js(script) {
            return None;
        }
        let own = stem_of(&self.world.units[unit].script.path);
        let same_name = self.world.units.iter().filter(|file| stem_of(&file.script.path) == own).count();
        let found = children(script.tree.root_node())
            .into_iter()
            .filter(|node| node.kind() == "import_statement")
            .find_map(|node| {
                let source = script.of(node.child_by_field_name("source")?).trim_matches(['"', '\'']).to_owned();
                let file = source.rsplit('/').next()?;
                let base = ["js", "ts", "mjs", "mts", "cjs", "cts"]
                    .into_iter()
                    .find_map(|end| file.strip_suffix(end)?.strip_suffix('.'))
                    .unwrap_or(file);
                (source.starts_with('.') && base == own).then_some(source)
            })?;
        (same_name == 1).then_some((at, found))
    }

    /// The file whose code has requests counted: that of the route, or for a plain server that in which they are answered.
    pub(super) fn asks_to_count(&self, route: &Route) -> Option<usize> {
        let routed = self.world.unit(&route.at.path)?;
        if !framework(route, &self.world.units[routed].script).is_ok_and(|known| known == Framework::Node) {
            return Some(routed);
        }
        let answers = |unit: &usize| self.places(*unit, &Fact::Handle).into_iter().any(|node| self.runs(*unit, node));
        let mut units = (0..self.world.units.len()).filter(answers);
        units.next().filter(|_| units.next().is_none())
    }

    /// Names for the set of requests and what fills it, free in the file that declares them and in the one that imports them.
    pub(super) fn free_names(&self, unit: usize, routed: usize) -> Names {
        Names::free(&[&self.world.units[unit].script, &self.world.units[routed].script])
    }

    /// A count that is compared with a bound: the request at hand is one of those that are counted now. Whether it was one.
    pub(super) fn bound(&mut self, unit: usize, count: Node<'w>) -> bool {
        let comparison = count.parent().filter(|parent| parent.kind() == "binary_expression");
        let Some(operator) = comparison.and_then(|comparison| comparison.child_by_field_name("operator")) else {
            return false;
        };
        let left = comparison.and_then(|comparison| comparison.child_by_field_name("left")) == Some(count);
        let other = match (operator.kind(), left) {
            (">=", true) => ">",
            ("<", true) => "<=",
            ("<=", false) => "<",
            (">", false) => ">=",
            _ => return false,
        };
        self.edits[unit].replace(span(operator), other);
        self.raise("A bound on sessions is one on requests in flight now.");
        true
    }

    /// The same for what functions of a file tell that only count.
    pub(super) fn bounds_of(&mut self, keeper: usize) {
        let told = self.functions(keeper).into_iter().filter(|function| self.only_counts((keeper, span(*function))));
        let calls: Vec<(usize, Node<'w>)> = told.flat_map(|function| self.calls_of((keeper, span(function)))).collect();
        for (unit, call) in calls {
            if !self.edits[unit].gone(call) {
                self.bound(unit, call);
            }
        }
    }

    /// Lets other files see the set of requests that a file declares.
    pub(super) fn export_set(&mut self, unit: usize, names: &Names) {
        let own = format!("const {} = ", names.set);
        self.edits[unit].reword(&own, &format!("export {own}"));
    }

    /// Why requests have no home where sessions are closed in several files.
    pub(super) fn closed_twice(&self, unit: usize, at: Option<Node<'w>>) -> Refused {
        let script = &self.world.units[unit].script;
        script.refuse(
            at.unwrap_or_else(|| script.tree.root_node()),
            "sessions are closed in several files, and requests in flight can be awaited in one",
            "close all sessions in one function, call that wherever the server stops, then run again",
        )
    }
}

/// The name of a file without what tells its kind.
fn stem_of(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}
