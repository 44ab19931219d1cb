//! Log lines that name an endpoint: where it is gone, they would send people there.

use super::fold::{Fold, any};
use super::routes;
use crate::plan::transport::{Fact, Route, Transport};
use crate::render::typescript::script::children;

impl Fold<'_> {
    /// Takes log lines away that tell of the HTTP+SSE endpoints and of no other.
    pub fn unannounce(&mut self, step: &Transport) {
        let gone = self.paths_of_sse(step);
        let stay: Vec<String> = step.routes.iter().filter_map(|route| self.path_of(route)).collect();
        for unit in 0..self.world.units.len() {
            let file = &self.world.units[unit];
            let mut told = Vec::new();
            any(file.script.tree.root_node(), &mut |node| {
                let logs = node.kind() == "expression_statement"
                    && children(node).first().is_some_and(|call| file.fact(*call) == Some(&Fact::Log));
                let text = file.script.of(node);
                let of = |paths: &[String]| paths.iter().any(|path| names(text, path));
                if logs && of(&gone) && !self.edits[unit].gone(node) {
                    told.push((node, of(&stay)));
                }
                false
            });
            for (node, more) in told {
                if more {
                    let line = file.script.of(node).lines().next().unwrap_or_default();
                    self.raise(&format!("This line still names the HTTP+SSE endpoint, which is gone: `{line}`."));
                    continue;
                }
                self.remove(unit, node);
                self.raise("Log lines that told of the HTTP+SSE endpoint are gone with it.");
            }
        }
    }

    /// The paths of the HTTP+SSE endpoints, where they are written out.
    pub fn paths_of_sse(&self, step: &Transport) -> Vec<String> {
        let routes = step.sse.iter().filter_map(|route| self.path_of(route));
        let mut out: Vec<String> = routes.chain(self.world.paths_apart()).collect();
        out.sort();
        out.dedup();
        out
    }

    fn path_of(&self, route: &Route) -> Option<String> {
        routes::path(route, &self.world.units[self.world.unit(&route.at.path)?].script).map(str::to_owned)
    }
}

/// Whether a text names a path, and not one that only begins like it.
pub(super) fn names(text: &str, path: &str) -> bool {
    text.match_indices(path).any(|(at, _)| {
        !text[at + path.len()..].starts_with(|next: char| next.is_alphanumeric() || matches!(next, '/' | '-' | '_'))
    })
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn a_path_is_not_the_beginning_of_another() {
        assert!(names("log(`http://localhost:${port}/sse`)", "/sse"));
        assert!(!names("log('/sse-status')", "/sse") && !names("log('/sse/x')", "/sse"));
    }
}
