//! Which file a path leads to.

use crate::model::facts::{Exported, ExprKind, Module};
use crate::model::name::Name;
use crate::model::program::Link;

/// Where the specifiers of a module lead. `known` tells the index of a file of the program by its path; `library` the root file of
/// another crate of the tree by its name.
pub fn links(
    module: &Module,
    known: &dyn Fn(&str) -> Option<u32>,
    library: &dyn Fn(&str) -> Option<String>,
) -> Vec<(Name, Link)> {
    let mut out: Vec<(Name, Link)> = Vec::new();
    let mut add = |specifier: Name| {
        if !out.iter().any(|(name, _)| *name == specifier) {
            out.push((specifier, link(&module.path, specifier.text(), known, library)));
        }
    };
    for import in &module.imports {
        add(import.source);
    }
    for export in &module.exports {
        if let Exported::From { source, .. } | Exported::All { source } = &export.what {
            add(*source);
        }
    }
    for expr in &module.exprs {
        if let ExprKind::Require(source) = expr.kind {
            add(source);
        }
    }
    out
}

fn link(
    path: &str,
    specifier: &str,
    known: &dyn Fn(&str) -> Option<u32>,
    library: &dyn Fn(&str) -> Option<String>,
) -> Link {
    let segments: Vec<&str> = specifier.split("::").collect();
    let found = match segments[0] {
        "self" => walk(vec![path.to_owned()], &segments[1..], known),
        "super" => {
            let up = segments.iter().take_while(|segment| **segment == "super").count();
            let starts = (0..up).fold(vec![path.to_owned()], |files, _| {
                files.iter().flat_map(|file| parents(file)).filter(|file| known(file).is_some()).collect()
            });
            walk(starts, &segments[up..], known)
        }
        "crate" => walk(roots(path, known), &segments[1..], known),
        name => {
            let target = library(name);
            match target {
                Some(root) => walk(vec![root], &segments[1..], known),
                None => {
                    let package = if matches!(name, "core" | "alloc") { "std" } else { name };
                    return Link::External(Name::new(package));
                }
            }
        }
    };
    found.map_or(Link::Missing, Link::Module)
}

/// Goes down from files along modules. What is no file is an inline module of the last one.
fn walk(starts: Vec<String>, segments: &[&str], known: &dyn Fn(&str) -> Option<u32>) -> Option<u32> {
    let mut best = None;
    for start in starts {
        let Some(mut index) = known(&start) else { continue };
        let mut file = start;
        let mut depth = 0;
        for segment in segments {
            let next = children(&file, segment).into_iter().find_map(|path| Some((known(&path)?, path)));
            let Some((found, path)) = next else { break };
            (index, file) = (found, path);
            depth += 1;
        }
        if best.is_none_or(|(known_depth, _)| known_depth < depth) {
            best = Some((depth, index));
        }
    }
    best.map(|(_, index)| index)
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

fn join(dir: &str, rest: &str) -> String {
    if dir.is_empty() { rest.to_owned() } else { format!("{dir}/{rest}") }
}

/// Whether a file's modules lie beside it and not in a folder of its name.
fn is_root_like(file: &str) -> bool {
    matches!(file, "mod.rs" | "main.rs" | "lib.rs" | "build.rs")
}

/// The folder that the modules of a file lie in.
fn module_dir(path: &str) -> String {
    let (dir, file) = split(path);
    if is_root_like(file) { dir.to_owned() } else { join(dir, file.trim_end_matches(".rs")) }
}

/// Files that a module of a file may be.
fn children(path: &str, name: &str) -> Vec<String> {
    let own = module_dir(path);
    let (dir, _) = split(path);
    let mut out = vec![join(&own, &format!("{name}.rs")), join(&own, &format!("{name}/mod.rs"))];
    // A binary, example or test is a crate root too: its modules lie beside it.
    if own != dir {
        out.extend([join(dir, &format!("{name}.rs")), join(dir, &format!("{name}/mod.rs"))]);
    }
    out
}

/// Files that a module's parent may be.
fn parents(path: &str) -> Vec<String> {
    let (dir, file) = split(path);
    let dir = if file == "mod.rs" { split(dir).0 } else { dir };
    let mut out: Vec<String> = ["mod.rs", "lib.rs", "main.rs"].iter().map(|name| join(dir, name)).collect();
    if !dir.is_empty() {
        out.push(format!("{dir}.rs"));
    }
    out.retain(|parent| parent != path);
    out
}

/// The roots of the crate that a file belongs to: the nearest ones above it.
fn roots(path: &str, known: &dyn Fn(&str) -> Option<u32>) -> Vec<String> {
    let (mut dir, file) = split(path);
    if matches!(file, "main.rs" | "lib.rs") {
        return vec![path.to_owned()];
    }
    loop {
        let here: Vec<String> =
            ["lib.rs", "main.rs"].iter().map(|name| join(dir, name)).filter(|root| known(root).is_some()).collect();
        if !here.is_empty() {
            return here;
        }
        if dir.is_empty() {
            return vec![path.to_owned()];
        }
        dir = split(dir).0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: &[&str] = &[
        "src/main.rs",
        "src/lib.rs",
        "src/seat.rs",
        "src/server/mod.rs",
        "src/server/tools.rs",
        "src/state.rs",
        "src/state/store.rs",
        "src/bin/other.rs",
        "crates/core/src/lib.rs",
        "crates/core/src/deep.rs",
    ];

    fn target(from: &str, specifier: &str) -> Option<&'static str> {
        let known = |path: &str| FILES.iter().position(|file| *file == path).map(|at| at as u32);
        let library = |name: &str| (name == "core_lib").then(|| "crates/core/src/lib.rs".to_owned());
        match link(from, specifier, &known, &library) {
            Link::Module(index) => Some(FILES[index as usize]),
            _ => None,
        }
    }

    #[test]
    fn paths_lead_to_files() {
        for (from, specifier, expected) in [
            ("src/main.rs", "self::seat", Some("src/seat.rs")),
            ("src/main.rs", "self::server::tools", Some("src/server/tools.rs")),
            ("src/server/tools.rs", "super", Some("src/server/mod.rs")),
            ("src/server/tools.rs", "super::super::state", Some("src/state.rs")),
            ("src/server/mod.rs", "self::tools", Some("src/server/tools.rs")),
            ("src/state.rs", "self::store", Some("src/state/store.rs")),
            ("src/state/store.rs", "super", Some("src/state.rs")),
            ("src/state/store.rs", "crate::server::tools", Some("src/server/tools.rs")),
            ("src/server/tools.rs", "crate::state::store::inline", Some("src/state/store.rs")),
            ("src/main.rs", "core_lib::deep", Some("crates/core/src/deep.rs")),
            ("src/main.rs", "rmcp::model", None),
        ] {
            assert_eq!(target(from, specifier), expected, "{specifier} in {from}");
        }
    }
}
