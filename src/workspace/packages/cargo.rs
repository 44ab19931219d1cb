//! `Cargo.toml`.

use toml::{Table, Value};

use super::{Dependency, Package, line_of};
use crate::workspace::paths;

/// What members inherit from a workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct Workspace {
    /// The folder of the workspace.
    dir: String,
    dependencies: Table,
    version: Option<String>,
}

/// Reads the `[workspace]` of a manifest in folder `dir`; `None` where there is none.
pub(super) fn workspace(file: &Table, dir: &str) -> Option<Workspace> {
    let table = file.get("workspace")?.as_table()?;
    let dependencies = table.get("dependencies").and_then(Value::as_table).cloned();
    let version = table.get("package").and_then(|package| package.get("version")?.as_str());
    Some(Workspace {
        dir: dir.to_owned(),
        dependencies: dependencies.unwrap_or_default(),
        version: version.map(str::to_owned),
    })
}

/// Reads a manifest; `None` where it is broken.
pub(super) fn parse(text: &str) -> Option<Table> {
    toml::from_str(text).ok()
}

/// Takes in a manifest; `false` for one that only holds a workspace.
pub(super) fn cargo_toml(
    file: &Table,
    text: &str,
    manifest: &str,
    workspace: Option<&Workspace>,
    package: &mut Package,
) -> bool {
    let Some(own) = file.get("package").and_then(Value::as_table) else {
        return false;
    };
    package.name = own.get("name").and_then(Value::as_str).map(str::to_owned);
    package.version = match own.get("version") {
        Some(Value::String(version)) => Some(version.clone()),
        Some(_) => workspace.and_then(|workspace| workspace.version.clone()),
        None => None,
    };
    let mut read = |holder: &Table| {
        for (section, dev) in [("dependencies", false), ("build-dependencies", true), ("dev-dependencies", true)] {
            for (name, value) in holder.get(section).and_then(Value::as_table).into_iter().flatten() {
                let mut found = dependency(name, value, &package.dir, workspace);
                found.dev = dev;
                found.manifest = manifest.to_owned();
                found.line = line_of(text, name, found.requirement.as_deref().unwrap_or(name));
                package.dependencies.push(found);
            }
        }
    };
    read(file);
    for (_, target) in file.get("target").and_then(Value::as_table).into_iter().flatten() {
        if let Some(target) = target.as_table() {
            read(target);
        }
    }
    true
}

fn dependency(name: &str, value: &Value, dir: &str, workspace: Option<&Workspace>) -> Dependency {
    let inherits = value.get("workspace").and_then(Value::as_bool) == Some(true);
    let inherited = workspace
        .filter(|_| inherits)
        .and_then(|workspace| Some((workspace.dependencies.get(name)?, workspace.dir.as_str())));
    let (value, dir) = inherited.unwrap_or((value, dir));
    let field = |key: &str| value.get(key).and_then(Value::as_str);
    let real = field("package").unwrap_or(name);
    Dependency {
        name: real.to_owned(),
        alias: (real != name).then(|| name.to_owned()),
        requirement: value.as_str().or_else(|| field("version")).map(str::to_owned),
        path: field("path").and_then(|path| paths::join(dir, path)),
        ..Dependency::default()
    }
}
