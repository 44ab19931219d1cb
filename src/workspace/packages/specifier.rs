//! Package specifiers: `@scope/name/sub`, `npm:name@^1/sub`, `jsr:@scope/name@1`.

use super::Dependency;

/// A specifier taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Specifier<'a> {
    /// The package's name, scope included.
    pub name: &'a str,
    /// What stands behind `@`, if anything.
    pub requirement: Option<&'a str>,
    /// The path inside the package, without a leading `/`; empty for its main module.
    pub subpath: &'a str,
}

impl<'a> Specifier<'a> {
    /// Takes apart a bare or prefixed specifier; `None` where it names no package.
    pub fn parse(text: &'a str) -> Option<Self> {
        let text = text.strip_prefix("npm:").or_else(|| text.strip_prefix("jsr:")).unwrap_or(text);
        let text = text.trim_start_matches('/');
        let scoped = text.starts_with('@');
        let name_segments = if scoped { 2 } else { 1 };
        let end = text.match_indices('/').nth(name_segments - 1).map_or(text.len(), |(at, _)| at);
        let (head, rest) = text.split_at(end);
        let (name, requirement) = match head.char_indices().skip(1).find(|(_, c)| *c == '@') {
            Some((at, _)) => (&head[..at], Some(&head[at + 1..])),
            None => (head, None),
        };
        let plausible = !name.is_empty()
            && !name.contains([' ', ':', '\\'])
            && (!scoped || name.split_once('/').is_some_and(|(scope, name)| scope.len() > 1 && !name.is_empty()));
        plausible.then_some(Self {
            name,
            requirement: requirement.filter(|text| !text.is_empty()),
            subpath: rest.trim_start_matches('/'),
        })
    }
}

/// The dependencies that prefixed specifiers in a source (`npm:`, `jsr:`) declare by themselves, without a manifest.
pub fn dependencies_in_specifiers<'a>(specifiers: impl IntoIterator<Item = &'a str>) -> Vec<Dependency> {
    let mut found: Vec<Dependency> = Vec::new();
    for text in specifiers {
        if !text.starts_with("npm:") && !text.starts_with("jsr:") {
            continue;
        }
        let Some(specifier) = Specifier::parse(text) else {
            continue;
        };
        if !found.iter().any(|known| known.name == specifier.name) {
            found.push(Dependency {
                name: specifier.name.to_owned(),
                requirement: specifier.requirement.map(str::to_owned),
                ..Dependency::default()
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        for (text, expected) in [
            ("zod", Some(("zod", None, ""))),
            ("zod/v4", Some(("zod", None, "v4"))),
            ("@a/b/c/d.js", Some(("@a/b", None, "c/d.js"))),
            ("npm:@a/b@^1.2/c.js", Some(("@a/b", Some("^1.2"), "c.js"))),
            ("npm:/x@1", Some(("x", Some("1"), ""))),
            ("jsr:@std/path@1", Some(("@std/path", Some("1"), ""))),
            ("@/local", None),
            ("@a/", None),
            ("@a", None),
            ("", None),
            ("virtual:x", None),
        ] {
            let found = Specifier::parse(text).map(|found| (found.name, found.requirement, found.subpath));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn dependencies() {
        let found = dependencies_in_specifiers(["npm:@a/b@^1/x.js", "npm:@a/b/y.js", "zod", "./a.ts"]);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].name.as_str(), found[0].requirement.as_deref()), ("@a/b", Some("^1")));
    }
}
