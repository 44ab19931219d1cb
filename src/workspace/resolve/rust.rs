//! Paths of Rust modules: which file `crate::a::b`, `self::x`, `super::y` stand for.

use super::{Resolution, Resolver};
use crate::workspace::paths;

impl Resolver {
    pub(super) fn rust(&self, from: &str, specifier: &str) -> Resolution {
        let specifier = specifier.trim_start_matches("::");
        let (first, rest) = specifier.split_once("::").unwrap_or((specifier, ""));
        let segments = || rest.split("::").filter(|segment| !segment.is_empty());
        let found = match first {
            "" => None,
            "self" => self.walk(vec![from.to_owned()], segments()),
            "super" => {
                let more = segments().take_while(|segment| *segment == "super").count();
                let starts = (0..=more).fold(vec![from.to_owned()], |files, _| {
                    files.iter().flat_map(|file| parents(file)).filter(|file| self.known.contains(file)).collect()
                });
                self.walk(starts, segments().skip(more))
            }
            "crate" => self.walk(self.roots(from), segments()),
            "std" | "core" | "alloc" | "proc_macro" => return Resolution::Builtin("std".to_owned()),
            name => match self.library(from, name) {
                Some(root) => self.walk(vec![root], segments()),
                None => return Resolution::External { package: first.to_owned(), subpath: rest.to_owned() },
            },
        };
        found.map_or(Resolution::Missing, Resolution::File)
    }

    /// The root file of a crate by its name: a dependency by path, or the library beside a binary.
    fn library(&self, from: &str, name: &str) -> Option<String> {
        let around = || paths::ancestors(paths::parent(from));
        let root = |dir: &str| paths::join(dir, "src/lib.rs").filter(|path| self.known.contains(path));
        let written = around().find_map(|dir| self.crates.get(&(dir.to_owned(), name.to_owned())));
        if let Some(dir) = written {
            return root(dir);
        }
        around().filter(|dir| self.crate_names.get(*dir).is_some_and(|own| own == name)).find_map(root)
    }

    /// Goes down from files along modules. What is no file is an inline module of the last one.
    fn walk<'s>(&self, starts: Vec<String>, segments: impl Iterator<Item = &'s str> + Clone) -> Option<String> {
        let mut best: Option<(usize, String)> = None;
        for start in starts {
            if !self.known.contains(&start) {
                continue;
            }
            let mut file = start;
            let mut depth = 0;
            for segment in segments.clone() {
                let Some(next) = children(&file, segment).into_iter().find(|path| self.known.contains(path)) else {
                    break;
                };
                file = next;
                depth += 1;
            }
            if best.as_ref().is_none_or(|(deepest, _)| *deepest < depth) {
                best = Some((depth, file));
            }
        }
        best.map(|(_, file)| file)
    }

    /// The roots of the crate that a file belongs to: the nearest ones above it.
    fn roots(&self, path: &str) -> Vec<String> {
        if matches!(paths::file_name(path), "main.rs" | "lib.rs") {
            return vec![path.to_owned()];
        }
        for dir in paths::ancestors(paths::parent(path)) {
            let here: Vec<String> = ["lib.rs", "main.rs"]
                .iter()
                .filter_map(|name| paths::join(dir, name))
                .filter(|root| self.known.contains(root))
                .collect();
            if !here.is_empty() {
                return here;
            }
        }
        vec![path.to_owned()]
    }
}

fn join(dir: &str, rest: &str) -> String {
    if dir == "." || dir.is_empty() { rest.to_owned() } else { format!("{dir}/{rest}") }
}

/// The folder that the modules of a file lie in.
fn module_dir(path: &str) -> String {
    let (dir, file) = (paths::parent(path), paths::file_name(path));
    let beside = matches!(file, "mod.rs" | "main.rs" | "lib.rs" | "build.rs");
    if beside { dir.to_owned() } else { join(dir, file.trim_end_matches(".rs")) }
}

/// Files that a module of a file may be.
fn children(path: &str, name: &str) -> Vec<String> {
    let own = module_dir(path);
    let dir = paths::parent(path);
    let mut out = vec![join(&own, &format!("{name}.rs")), join(&own, &format!("{name}/mod.rs"))];
    // A binary, example or test is a crate root too: its modules lie beside it.
    if own != dir {
        out.extend([join(dir, &format!("{name}.rs")), join(dir, &format!("{name}/mod.rs"))]);
    }
    out
}

/// Files that a module's parent may be.
fn parents(path: &str) -> Vec<String> {
    let mut dir = paths::parent(path);
    if paths::file_name(path) == "mod.rs" {
        dir = paths::parent(dir);
    }
    let mut out: Vec<String> = ["mod.rs", "lib.rs", "main.rs"].iter().map(|name| join(dir, name)).collect();
    if dir != "." && !dir.is_empty() {
        out.push(format!("{dir}.rs"));
    }
    out.retain(|parent| parent != path);
    out
}
