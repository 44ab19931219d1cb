//! Imports of Python.

use rustc_hash::FxHashSet;

use super::{Resolution, Resolver};
use crate::model::facts::Language;
use crate::workspace::paths;
use crate::workspace::walk::Tree;

impl Resolver {
    /// Notes which top-level modules each import root holds.
    pub(super) fn index_python_modules(&mut self, tree: &Tree) {
        let roots: FxHashSet<&str> = self.python_roots.values().flatten().map(String::as_str).collect();
        for file in tree.files.iter().filter(|file| file.language == Language::Python) {
            if paths::file_name(&file.path) == "__init__.py" {
                self.python_packages.insert(paths::parent(&file.path).to_owned());
            }
            for part in file.path.trim_end_matches(".py").split('/') {
                if !self.python_names.contains(part) {
                    self.python_names.insert(part.to_owned());
                }
            }
            for dir in paths::ancestors(paths::parent(&file.path)) {
                if !roots.contains(dir) {
                    continue;
                }
                let Some(inside) = paths::strip(&file.path, dir) else {
                    continue;
                };
                let module = inside.split('/').next().unwrap_or(inside).trim_end_matches(".py");
                let holders = self.python_modules.entry(module.to_owned()).or_default();
                if !holders.iter().any(|root| root == dir) {
                    holders.push(dir.to_owned());
                }
            }
        }
    }

    pub(super) fn python(&self, from: &str, module: &str) -> Resolution {
        let dir = paths::parent(from);
        let name = module.trim_start_matches('.');
        let dots = module.len() - name.len();
        let inner = name.replace('.', "/");
        if dots > 0 {
            let up = "../".repeat(dots - 1);
            let file = paths::join(dir, &format!("{up}{inner}")).and_then(|path| self.module_file(&path));
            return file.map_or(Resolution::Missing, Resolution::File);
        }
        let (first, rest) = name.split_once('.').unwrap_or((name, ""));
        let external = || Resolution::External { package: first.to_owned(), subpath: rest.to_owned() };
        // Most imports lead out of the tree: no file has to be looked for.
        if !first.is_empty() && !self.python_names.contains(first) {
            return external();
        }
        let in_root = |root: &str| paths::join(root, &inner).and_then(|path| self.module_file(&path));
        // A folder that is no package itself is where a script in it imports from.
        let scripts = paths::ancestors(dir).filter(|dir| !self.python_packages.contains(*dir));
        let own =
            paths::ancestors(dir).find_map(|dir| self.python_roots.get(dir)).into_iter().flatten().map(String::as_str);
        let others = self.python_modules.get(first).into_iter().flatten().map(String::as_str);
        if let Some(file) = scripts.chain(own).chain(others).find_map(in_root) {
            return Resolution::File(file);
        }
        external()
    }

    /// The file of a module: a package's `__init__.py` comes before a module of the same name.
    fn module_file(&self, path: &str) -> Option<String> {
        let package = || self.python_packages.contains(path).then(|| paths::join(path, "__init__.py"))?;
        let module = || Some(format!("{path}.py")).filter(|path| self.known.contains(path));
        package().or_else(module)
    }
}
