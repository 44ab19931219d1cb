//! `pyproject.toml`, `setup.cfg`, `setup.py`, `Pipfile`.

use toml::{Table, Value};

use super::requirements::{is_dev_name, line_of_name, list, normal_name};
use super::{Dependency, Package};
use crate::workspace::paths;

/// Takes in `pyproject.toml`; `None` where it is broken. Whether it made the folder a package is what the answer says: many only
/// configure a linter.
pub(super) fn pyproject(text: &str, manifest: &str, package: &mut Package) -> Option<bool> {
    let file: Table = toml::from_str(text).ok()?;
    let tool = |name: &str| file.get("tool").and_then(|tool| tool.get(name));
    let project = file.get("project");
    let poetry = tool("poetry");
    let is_package = project.is_some()
        || poetry.is_some()
        || file.contains_key("dependency-groups")
        || file.contains_key("build-system");
    if !is_package {
        return Some(false);
    }
    let string = |holder: Option<&Value>, key: &str| holder?.get(key)?.as_str().map(str::to_owned);
    package.name = string(project, "name").or_else(|| string(poetry, "name")).or(package.name.take());
    package.version = string(project, "version").or_else(|| string(poetry, "version")).or(package.version.take());
    let mut add =
        |items: Option<&Value>, dev: bool| package.dependencies.extend(list(texts(items), dev, manifest, text));
    add(project.and_then(|project| project.get("dependencies")), false);
    for (name, items) in tables(project.and_then(|project| project.get("optional-dependencies"))) {
        add(Some(items), is_dev_name(name));
    }
    for (_, items) in tables(file.get("dependency-groups")) {
        add(Some(items), true);
    }
    add(tool("uv").and_then(|uv| uv.get("dev-dependencies")), true);
    for (_, items) in tables(tool("pdm").and_then(|pdm| pdm.get("dev-dependencies"))) {
        add(Some(items), true);
    }
    if let Some(poetry) = poetry {
        poetry_dependencies(poetry, text, manifest, &mut package.dependencies);
    }
    let dir = package.dir.clone();
    for (name, source) in tables(tool("uv").and_then(|uv| uv.get("sources"))) {
        let Some(path) = source.get("path").and_then(Value::as_str) else {
            continue;
        };
        let name = normal_name(name);
        for dependency in package.dependencies.iter_mut().filter(|dependency| dependency.name == name) {
            dependency.path = paths::join(&dir, path);
        }
    }
    package.python_roots.extend(roots(&file).into_iter().filter_map(|root| paths::join(&dir, &root)));
    Some(true)
}

fn poetry_dependencies(poetry: &Value, text: &str, manifest: &str, found: &mut Vec<Dependency>) {
    let mut add = |section: Option<&Value>, dev: bool| {
        for (name, value) in tables(section) {
            if name == "python" {
                continue;
            }
            let first = value.as_array().and_then(|variants| variants.first()).unwrap_or(value);
            let requirement = first.as_str().or_else(|| first.get("version")?.as_str());
            found.push(Dependency {
                name: normal_name(name),
                requirement: requirement.map(str::to_owned),
                dev,
                manifest: manifest.to_owned(),
                line: line_of_name(text, name, requirement),
                ..Dependency::default()
            });
        }
    };
    add(poetry.get("dependencies"), false);
    add(poetry.get("dev-dependencies"), true);
    for (group, value) in tables(poetry.get("group")) {
        add(value.get("dependencies"), group != "main");
    }
}

/// Folders that a build back end is told to take modules from.
fn roots(file: &Table) -> Vec<String> {
    let get = |path: &[&str]| path.iter().try_fold(file.get("tool")?, |value, key| value.get(*key));
    let mut roots: Vec<String> = Vec::new();
    let mut add = |value: Option<&Value>| roots.extend(value.and_then(Value::as_str).map(str::to_owned));
    add(get(&["setuptools", "package-dir", ""]));
    add(get(&["maturin", "python-source"]));
    add(get(&["pdm", "build", "package-dir"]));
    add(get(&["uv", "build-backend", "module-root"]));
    let found = texts(get(&["setuptools", "packages", "find", "where"]));
    roots.extend(found.map(str::to_owned));
    for package in get(&["poetry", "packages"]).and_then(Value::as_array).into_iter().flatten() {
        roots.extend(package.get("from").and_then(Value::as_str).map(str::to_owned));
    }
    for package in texts(get(&["hatch", "build", "targets", "wheel", "packages"])) {
        roots.extend(package.rsplit_once('/').map(|(root, _)| root.to_owned()));
    }
    for source in texts(get(&["hatch", "build", "targets", "wheel", "sources"])) {
        roots.push(source.to_owned());
    }
    roots
}

/// Takes in `setup.cfg`; whether it made the folder a package.
pub(super) fn setup_cfg(text: &str, manifest: &str, package: &mut Package) -> bool {
    let (mut section, mut key) = ("", "");
    let mut is_package = false;
    for raw in text.lines() {
        let line = raw.split(" #").next().unwrap_or("");
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            (section, key) = (name.trim(), "");
            continue;
        }
        let value = if line.starts_with([' ', '\t']) {
            trimmed
        } else {
            let Some((name, value)) = trimmed.split_once(['=', ':']) else {
                continue;
            };
            key = name.trim();
            value.trim()
        };
        if value.is_empty() {
            continue;
        }
        match (section, key) {
            ("metadata", "name") => {
                package.name.get_or_insert_with(|| value.to_owned());
                is_package = true;
            }
            ("metadata", "version") if !value.contains(':') => {
                package.version.get_or_insert_with(|| value.to_owned());
            }
            ("options", "install_requires") => {
                package.dependencies.extend(list([value], false, manifest, text));
                is_package = true;
            }
            ("options.extras_require", extra) => {
                package.dependencies.extend(list([value], is_dev_name(extra), manifest, text))
            }
            ("options", "package_dir") => {
                if let Some(root) = value.trim_start_matches(['=', ' ']).split_whitespace().next() {
                    package.python_roots.extend(paths::join(&package.dir, root));
                }
            }
            ("options.packages.find", "where") => package.python_roots.extend(paths::join(&package.dir, value)),
            _ => {}
        }
    }
    is_package
}

/// Takes in `setup.py` by a light look at its string literals.
pub(super) fn setup_py(text: &str, manifest: &str, package: &mut Package) {
    let code = without_comments(text);
    let call = code.find("setup(").map_or(code.as_str(), |at| &code[at..]);
    let keyword = |name: &str| after_keyword(call, name).and_then(|rest| literals(rest).next());
    if let Some(name) = keyword("name") {
        package.name.get_or_insert_with(|| name.to_owned());
    }
    if let Some(version) = keyword("version") {
        package.version.get_or_insert_with(|| version.to_owned());
    }
    // The list may stand in the call or be a variable of that name.
    let required = after_keyword(&code, "install_requires").or_else(|| after_keyword(&code, "requirements"));
    if let Some(items) = required.and_then(bracketed) {
        package.dependencies.extend(list(literals(items), false, manifest, text));
    }
    if let Some(map) = after_keyword(call, "package_dir").and_then(bracketed) {
        let parts: Vec<&str> = literals(map).collect();
        if let ["", root, ..] = parts.as_slice() {
            package.python_roots.extend(paths::join(&package.dir, root));
        }
    }
}

/// Takes in `Pipfile`; `None` where it is broken.
pub(super) fn pipfile(text: &str, manifest: &str, package: &mut Package) -> Option<()> {
    let file: Table = toml::from_str(text).ok()?;
    for (section, dev) in [("packages", false), ("dev-packages", true)] {
        for (name, value) in tables(file.get(section)) {
            let requirement = value.as_str().or_else(|| value.get("version")?.as_str());
            package.dependencies.push(Dependency {
                name: normal_name(name),
                requirement: requirement.map(str::to_owned),
                dev,
                manifest: manifest.to_owned(),
                line: line_of_name(text, name, requirement),
                ..Dependency::default()
            });
        }
    }
    Some(())
}

fn texts(value: Option<&Value>) -> impl Iterator<Item = &str> {
    value.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

fn tables(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_table).into_iter().flatten()
}

fn without_comments(text: &str) -> String {
    let comment = |line: &str| line.trim_start().starts_with('#');
    text.lines().filter(|line| !comment(line)).flat_map(|line| [line, "\n"]).collect()
}

/// What follows `name =` in Python code.
fn after_keyword<'a>(code: &'a str, name: &str) -> Option<&'a str> {
    code.match_indices(name).find_map(|(at, _)| {
        let starts = code[..at].ends_with(|c: char| !c.is_alphanumeric() && c != '_') || at == 0;
        let rest = code[at + name.len()..].trim_start().strip_prefix('=')?;
        (starts && !rest.starts_with('=')).then_some(rest.trim_start())
    })
}

/// The inside of the bracket that `code` begins with; brackets in it are balanced, in strings too (extras).
fn bracketed(code: &str) -> Option<&str> {
    if !code.starts_with(['[', '{', '(']) {
        return None;
    }
    let mut depth = 0usize;
    for (at, character) in code.char_indices() {
        match character {
            '[' | '{' | '(' => depth += 1,
            ']' | '}' | ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(&code[1..at]);
        }
    }
    None
}

/// The string literals of a piece of code, up to the end of the argument list.
fn literals(code: &str) -> impl Iterator<Item = &str> {
    let mut rest = code;
    std::iter::from_fn(move || {
        let start = rest.find(['\'', '"'])?;
        let quote = rest[start..].chars().next()?;
        let body = &rest[start + 1..];
        let end = body.find(quote)?;
        rest = &body[end + 1..];
        Some(&body[..end])
    })
}
