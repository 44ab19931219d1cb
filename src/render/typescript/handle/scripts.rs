//! The files that a step names, each parsed once.

use std::collections::BTreeMap;

use crate::plan::Site;
use crate::render::typescript::script::{Script, children};
use crate::render::{Files, Refused};
use tree_sitter::Node;

/// Parsed files by path.
pub struct Scripts(BTreeMap<String, Script>);

impl Scripts {
    /// Reads and parses files.
    pub fn open<'p>(files: &dyn Files, paths: impl Iterator<Item = &'p str>) -> Result<Self, Refused> {
        let mut out = BTreeMap::new();
        for path in paths {
            if !out.contains_key(path) {
                out.insert(path.to_owned(), Script::open(files, path)?);
            }
        }
        Ok(Self(out))
    }

    /// The file of a place.
    pub fn of(&self, site: &Site) -> Result<&Script, Refused> {
        self.0.get(&site.path).ok_or_else(|| Refused {
            at: site.clone(),
            why: "the file was not read".to_owned(),
            todo: "run again".to_owned(),
        })
    }

    /// A file by its path.
    pub fn by_path(&self, path: &str) -> Option<&Script> {
        self.0.get(path)
    }

    /// The expression at a place.
    pub fn expression(&self, site: &Site) -> Result<(&Script, Node<'_>), Refused> {
        let script = self.of(site)?;
        let node = script.node(site.span).map(|node| match node.kind() {
            "expression_statement" => children(node).first().copied().unwrap_or(node),
            _ => node,
        });
        let node = node.ok_or_else(|| Refused {
            at: site.clone(),
            why: "the code here is not what the plan says".to_owned(),
            todo: "run again".to_owned(),
        })?;
        Ok((script, node))
    }

    /// All files.
    pub fn all(&self) -> impl Iterator<Item = &Script> {
        self.0.values()
    }
}
