//! What newer releases of a package change for code that uses it, and the versions that are asked about.
//!
//! The tables are data: `grammars/<language>/upgrades.toml`.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use super::packages::{Family, normal_name};
use super::sdk::{self, KNOWN};
use super::version::Release;

include!(concat!(env!("OUT_DIR"), "/upgrades.rs"));

/// What kind of thing a newer release changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// Which revisions are spoken.
    Era,
    /// How the server is set up and how long its parts live.
    Mode,
    /// What becomes of kept state.
    Failure,
    /// A name that the code uses is gone.
    Removed,
    /// The same code does something else.
    Behaviour,
}

impl ChangeKind {
    /// Every kind, in order.
    pub const ALL: &'static [Self] = &[Self::Era, Self::Mode, Self::Failure, Self::Removed, Self::Behaviour];

    /// The published id.
    pub fn id(self) -> &'static str {
        match self {
            Self::Era => "era",
            Self::Mode => "mode",
            Self::Failure => "failure",
            Self::Removed => "removed",
            Self::Behaviour => "behaviour",
        }
    }
}

/// Something that a release changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The ecosystem.
    pub family: Family,
    /// The packages.
    pub packages: &'static [&'static str],
    /// The first release that does so.
    pub at: Release,
    /// The first that no longer does.
    pub below: Option<Release>,
    /// What kind of thing.
    pub kind: ChangeKind,
    /// What changes.
    pub text: &'static str,
    /// Imports of these modules meet it.
    pub modules: &'static [&'static str],
    /// Uses of these names of the package meet it.
    pub names: &'static [&'static str],
    /// Reads of these members meet it.
    pub members: &'static [&'static str],
    /// What the members are members of.
    pub roles: &'static [&'static str],
    /// These options meet it.
    pub options: &'static [&'static str],
    /// What the options are given to.
    pub calls: &'static [&'static str],
    /// Findings of these rules meet it.
    pub rules: &'static [&'static str],
}

impl Change {
    /// Whether everybody meets it.
    pub fn is_general(&self) -> bool {
        [self.modules, self.names, self.members, self.options, self.rules].iter().all(|uses| uses.is_empty())
    }
}

/// A package and the version that it would move to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Its name, as given.
    pub name: String,
    /// The version, as given.
    pub version: String,
    /// The highest release that is meant: `2` is any 2.x.
    pub release: Release,
}

impl Target {
    /// The package of an ecosystem that moves, where a package of this name (or one that goes on under the name) does.
    pub fn matches(&self, family: Family, package: &str) -> bool {
        let own = if family == Family::Python { normal_name(&self.name) } else { self.name.clone() };
        own == package || SUCCESSORS.iter().any(|(of, old, new)| *of == family && *old == package && *new == own)
    }

    /// What moving a package from a release changes.
    pub fn changes(&self, family: Family, package: &str, from: Release) -> impl Iterator<Item = &'static Change> {
        let to = self.release;
        CHANGES.iter().filter(move |change| {
            change.family == family
                && change.packages.contains(&package)
                && from < change.at
                && change.at <= to
                && change.below.is_none_or(|below| to < below)
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.name, self.version)
    }
}

/// Why a target is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadTarget(String);

impl fmt::Display for BadTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadTarget {}

impl FromStr for Target {
    type Err = BadTarget;

    fn from_str(text: &str) -> Result<Self, BadTarget> {
        let example = "write it as `mcp@2.3.0` or `@modelcontextprotocol/sdk@1.26`";
        // A scope begins with an `@` too.
        let split = text.rsplit_once('@').filter(|(name, _)| !name.is_empty());
        let (name, version) = split.ok_or_else(|| BadTarget(format!("no version is given; {example}")))?;
        let known = Family::ALL.iter().any(|family| {
            sdk::known(*family, name).is_some()
                || (*family == Family::Python && sdk::known(*family, &normal_name(name)).is_some())
        });
        if !known {
            let near = KNOWN.iter().map(|package| (strsim::jaro_winkler(name, package.name), package.name));
            let near = near.filter(|(close, _)| *close > 0.8).max_by(|a, b| a.0.total_cmp(&b.0));
            let hint = match near {
                Some((_, near)) => format!("did you mean `{near}`?"),
                None => "it has to be an MCP SDK or a framework on one".to_owned(),
            };
            return Err(BadTarget(format!("`{name}` is not a package that is known here; {hint}")));
        }
        let release = highest(version)
            .ok_or_else(|| BadTarget(format!("`{version}` is not a version that can be understood; {example}")))?;
        Ok(Self { name: name.to_owned(), version: version.to_owned(), release })
    }
}

/// The highest release that a version stands for; what is not written may be anything.
fn highest(version: &str) -> Option<Release> {
    let plain = version.strip_prefix(['v', '=']).unwrap_or(version);
    let plain = plain.strip_suffix(".x").unwrap_or(plain);
    let parts: Vec<&str> = plain.split('.').collect();
    let mut numbers = Release::parse(plain)?.0;
    let leading = |part: &&&str| part.starts_with(|c: char| c.is_ascii_digit());
    if parts.iter().take(3).any(|part| !leading(&part)) {
        return None;
    }
    for number in numbers.iter_mut().skip(parts.len()) {
        *number = u64::MAX;
    }
    Some(Release(numbers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::vocabulary::Role;

    #[test]
    fn targets() {
        for (text, name, release) in [
            ("mcp@2", "mcp", [2, u64::MAX, u64::MAX]),
            ("@modelcontextprotocol/sdk@1.26", "@modelcontextprotocol/sdk", [1, 26, u64::MAX]),
            ("fastmcp@v4.2.3", "fastmcp", [4, 2, 3]),
            ("rmcp@3.x", "rmcp", [3, u64::MAX, u64::MAX]),
            ("mcp@2.0.0rc1", "mcp", [2, 0, 0]),
        ] {
            let target: Target = text.parse().expect(text);
            assert_eq!((target.name.as_str(), target.release.0), (name, release), "{text}");
        }
        for (text, says) in [
            ("mcp", "no version is given"),
            ("@modelcontextprotocol/sdk", "no version is given"),
            ("@modelcontextprotocol/sdkk@2", "did you mean `@modelcontextprotocol/sdk`?"),
            ("express@5", "not a package that is known here"),
            ("mcp@latest", "not a version"),
            ("mcp@2.beta", "not a version"),
            ("mcp@", "not a version"),
        ] {
            let error = text.parse::<Target>().expect_err(text).to_string();
            assert!(error.contains(says), "{text}: {error}");
        }
    }

    #[test]
    fn every_change_is_of_a_known_package_and_names_what_exists() {
        for change in CHANGES {
            for package in change.packages {
                assert!(sdk::known(change.family, package).is_some(), "{package}");
            }
            for role in change.roles {
                assert!(Role::from_id(role).is_some(), "{role}");
            }
            for rule in change.rules {
                assert!(crate::rules::find(rule).is_ok(), "{rule}");
            }
            assert!(!change.text.ends_with('.'), "{}", change.text);
        }
    }

    #[test]
    fn only_what_lies_between_the_versions() {
        let texts = |text: &str, from| {
            let target: Target = text.parse().expect(text);
            target.changes(Family::Python, "mcp", Release(from)).count()
        };
        assert_eq!(texts("mcp@1.29.0", [1, 20, 0]), 0);
        assert_eq!(texts("mcp@1.30.0", [1, 20, 0]), 1);
        assert_eq!(texts("mcp@2.1.1", [2, 1, 0]), 1);
        assert!(texts("mcp@2.0.0", [1, 20, 0]) > 5);
        let sdk: Target = "@modelcontextprotocol/server@2".parse().expect("a successor");
        assert!(sdk.matches(Family::Js, "@modelcontextprotocol/sdk") && !sdk.matches(Family::Js, "mcp-handler"));
    }
}
