//! What the manifests around a file say about how its code has to be spelled: releases of the SDK and of Express, and the compiler's
//! strictness.

use serde_json::Value;

use super::entry::Generator;
use crate::render::Files;
use crate::workspace::packages::jsonc;
use crate::workspace::version::{Bounds, Release};
use crate::workspace::{Family, paths};

/// How long a chain of `extends` may be.
const EXTENDS_DEPTH: usize = 8;

/// The first release of the first SDK whose transport may be constructed without a generator.
const OPTIONAL: Release = Release([1, 25, 0]);

/// What a file's project is like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Project {
    /// The lowest release of the first SDK that is allowed.
    pub sdk: Option<Release>,
    /// The lowest major release of Express that is allowed.
    pub express: Option<u64>,
    /// `exactOptionalPropertyTypes` is set.
    pub exact: bool,
}

impl Project {
    /// Looks around a file.
    pub fn of(files: &dyn Files, path: &str) -> Self {
        let lower = |name: &str| lower_bound(files, path, name);
        Self {
            sdk: lower("@modelcontextprotocol/sdk"),
            express: lower("express").map(|release| release.0[0]),
            exact: configuration(files, path).is_some_and(|at| is_exact(files, &at, EXTENDS_DEPTH) == Some(true)),
        }
    }

    /// How a transport of the first SDK is told to open no sessions.
    pub fn generator(&self, typed: bool) -> Generator {
        if typed && self.exact && self.sdk.is_some_and(|sdk| sdk >= OPTIONAL) {
            Generator::LeftOut
        } else {
            Generator::Undefined
        }
    }

    /// Whether Express itself answers where a handler's promise fails.
    pub fn express_catches(&self) -> bool {
        self.express.is_some_and(|major| major >= 5)
    }
}

/// The lowest release of a package that the nearest manifest with it allows.
fn lower_bound(files: &dyn Files, path: &str, name: &str) -> Option<Release> {
    paths::ancestors(paths::parent(path)).find_map(|dir| {
        let manifest = read(files, &paths::join(dir, "package.json")?)?;
        let requirement = ["dependencies", "peerDependencies", "optionalDependencies", "devDependencies"]
            .iter()
            .find_map(|section| manifest.get(section)?.get(name)?.as_str())?;
        Bounds::parse(Family::Js, requirement)?.lower
    })
}

/// The nearest configuration of the compiler.
fn configuration(files: &dyn Files, path: &str) -> Option<String> {
    paths::ancestors(paths::parent(path)).find_map(|dir| {
        let at = paths::join(dir, "tsconfig.json")?;
        files.exists(&at).then_some(at)
    })
}

/// Whether a configuration, or what it extends, sets the option; `None` where none of them speaks of it.
fn is_exact(files: &dyn Files, path: &str, depth: usize) -> Option<bool> {
    let json = read(files, path)?;
    if let Some(set) = json.get("compilerOptions").and_then(|options| options.get("exactOptionalPropertyTypes")) {
        return set.as_bool();
    }
    let extended: Vec<&str> = match json.get("extends") {
        Some(Value::Array(several)) => several.iter().filter_map(Value::as_str).collect(),
        Some(Value::String(one)) => vec![one.as_str()],
        _ => Vec::new(),
    };
    extended.into_iter().rev().filter(|_| depth > 0).find_map(|extended| {
        if extended.starts_with("@tsconfig/strictest") {
            return Some(true);
        }
        let at = paths::join(paths::parent(path), extended)?;
        [at.clone(), format!("{at}.json"), format!("{at}/tsconfig.json")]
            .iter()
            .find(|at| files.exists(at))
            .and_then(|at| is_exact(files, at, depth - 1))
    })
}

fn read(files: &dyn Files, path: &str) -> Option<Value> {
    jsonc(&files.text(path)?.text)
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::Project;
    use crate::render::Files;
    use crate::render::typescript::entry::Generator;
    use crate::syntax::source::SourceText;

    struct Given(&'static [(&'static str, &'static str)]);

    impl Files for Given {
        fn text(&self, path: &str) -> Option<Rc<SourceText>> {
            let (_, text) = self.0.iter().find(|(known, _)| *known == path)?;
            SourceText::decode(text.as_bytes().to_vec()).ok().map(Rc::new)
        }

        fn exists(&self, path: &str) -> bool {
            self.0.iter().any(|(known, _)| *known == path)
        }
    }

    fn project(files: &'static [(&'static str, &'static str)]) -> Project {
        Project::of(&Given(files), "a/src/x.ts")
    }

    #[test]
    fn the_key_goes_only_where_it_may() {
        let strict = r#"{"extends": "../base", /* so */ }"#;
        let base = r#"{"compilerOptions": {"exactOptionalPropertyTypes": true}}"#;
        let new = r#"{"dependencies": {"@modelcontextprotocol/sdk": "^1.26.0", "express": "^5.1.0"}}"#;
        let old = r#"{"dependencies": {"@modelcontextprotocol/sdk": "^1.20.0", "express": "^4.1.0"}}"#;
        let files: &[(&str, &str)] =
            Box::leak(Box::new([("a/tsconfig.json", strict), ("base.json", base), ("package.json", new)]));
        assert_eq!(project(Box::leak(Box::new([("package.json", new)]))).generator(true), Generator::Undefined);
        let found = project(Box::leak(files.to_vec().into_boxed_slice()));
        assert!(found.express_catches());
        assert_eq!((found.generator(true), found.generator(false)), (Generator::LeftOut, Generator::Undefined));
        let found = project(Box::leak(Box::new([("a/tsconfig.json", base), ("a/package.json", old)])));
        assert!(!found.express_catches());
        assert_eq!(found.generator(true), Generator::Undefined);
        assert_eq!(project(&[]).express, None);
    }
}
