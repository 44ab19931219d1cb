//! Versions and requirements, as far as they are needed to tell an era: where a range begins, where it ends, what it pins.

use std::fmt;
use std::str::FromStr;

use pep440_rs::{Operator, VersionSpecifiers};
use semver::{Op, VersionReq};

use super::packages::Family;

/// The three leading numbers of a version. Pre-releases count as the release they lead to: the first beta of a new major speaks what
/// that major speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Release(pub [u64; 3]);

impl Release {
    /// Reads any ecosystem's spelling: `1.26.0-beta.1`, `v2.0`, `2.0.0rc1`, `1!4.0`.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().trim_start_matches(['=', 'v', 'V', ' ']);
        let text = text.rsplit_once('!').map_or(text, |(_, rest)| rest);
        let mut numbers = [0; 3];
        for (index, part) in text.split('.').take(3).enumerate() {
            let digits = part.bytes().take_while(u8::is_ascii_digit).count();
            match part[..digits].parse() {
                Ok(number) => numbers[index] = number,
                Err(_) if index > 0 => break,
                Err(_) => return None,
            }
            if digits < part.len() {
                break;
            }
        }
        Some(Self(numbers))
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(f, "{major}.{minor}.{patch}")
    }
}

/// The far end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Upper {
    /// The release.
    pub release: Release,
    /// It is allowed itself.
    pub inclusive: bool,
}

impl fmt::Display for Upper {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.inclusive { "<=" } else { "<" }, self.release)
    }
}

/// What a requirement allows, without the holes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The lowest allowed release; `None` where there is no lower bound.
    pub lower: Option<Release>,
    /// The highest; `None` where there is no upper bound.
    pub upper: Option<Upper>,
    /// The one version that is pinned, as written.
    pub exact: Option<String>,
}

impl Bounds {
    /// Reads a requirement in its ecosystem's language. `None` where it is not a range of versions (`workspace:*`, a URL, a tag).
    pub fn parse(family: Family, requirement: &str) -> Option<Self> {
        let requirement = requirement.trim();
        match family {
            Family::Js => npm(requirement),
            Family::Python => python(requirement),
            Family::Rust => cargo(requirement),
        }
    }

    /// Whether a release lies within.
    pub fn allows(&self, release: Release) -> bool {
        self.overlaps(release, None) && self.lower.is_none_or(|lower| lower <= release)
    }

    /// Whether any release from `from` up to (not including) `below` lies within.
    pub fn overlaps(&self, from: Release, below: Option<Release>) -> bool {
        let above_from =
            self.upper.is_none_or(|upper| upper.release > from || (upper.inclusive && upper.release == from));
        let starts_below = match (self.lower, below) {
            (Some(lower), Some(below)) => lower < below,
            _ => true,
        };
        above_from && starts_below
    }

    fn exactly(version: &str) -> Option<Self> {
        let release = Release::parse(version)?;
        Some(Self {
            lower: Some(release),
            upper: Some(Upper { release, inclusive: true }),
            exact: Some(version.to_owned()),
        })
    }

    fn raise(&mut self, release: Release) {
        self.lower = Some(self.lower.map_or(release, |lower| lower.max(release)));
    }

    fn cap(&mut self, release: Release, inclusive: bool) {
        let tighter = |upper: Upper| upper.release < release || (upper.release == release && !upper.inclusive);
        if !self.upper.is_some_and(tighter) {
            self.upper = Some(Upper { release, inclusive });
        }
    }

    /// The hull of both.
    fn or(self, other: Self) -> Self {
        let reach = |upper: Upper| (upper.release, upper.inclusive);
        Self {
            lower: self.lower.zip(other.lower).map(|(a, b)| a.min(b)),
            upper: self.upper.zip(other.upper).map(|(a, b)| if reach(a) >= reach(b) { a } else { b }),
            exact: None,
        }
    }
}

fn npm(requirement: &str) -> Option<Bounds> {
    let range = node_semver::Range::parse(requirement).ok()?;
    // The normal form of a range is alternatives of plain comparators.
    let normal = range.to_string();
    normal.split("||").map(comparators).reduce(|a, b| Some(a?.or(b?))).flatten()
}

fn comparators(text: &str) -> Option<Bounds> {
    let mut bounds = Bounds::default();
    for part in text.split_whitespace() {
        let number = part.trim_start_matches(['<', '>', '=']);
        let release = || Release::parse(number);
        match &part[..part.len() - number.len()] {
            ">=" | ">" => {
                let release = release()?;
                if release > Release([0; 3]) {
                    bounds.raise(release);
                }
            }
            "<" => bounds.cap(release()?, false),
            "<=" => bounds.cap(release()?, true),
            _ if part == "*" => {}
            _ => return Bounds::exactly(number),
        }
    }
    Some(bounds)
}

fn python(requirement: &str) -> Option<Bounds> {
    if requirement.is_empty() || requirement == "*" {
        return Some(Bounds::default());
    }
    let poetry = requirement.contains('^')
        || requirement.contains("||")
        || (requirement.starts_with('~') && !requirement.starts_with("~="));
    if poetry {
        return npm(&requirement.replace(',', " "));
    }
    let Ok(specifiers) = VersionSpecifiers::from_str(requirement) else {
        return pep440_rs::Version::from_str(requirement)
            .ok()
            .and_then(|_| Bounds::exactly(requirement))
            .or_else(|| npm(requirement));
    };
    let mut bounds = Bounds::default();
    for specifier in specifiers.iter() {
        let version = specifier.version();
        let numbers = version.release();
        let number = |index: usize| numbers.get(index).copied().unwrap_or(0);
        let release = Release([number(0), number(1), number(2)]);
        // The series that `count` leading numbers name ends where the last of them is one higher.
        let series_end = |count: usize| match count {
            0 | 1 => Release([number(0) + 1, 0, 0]),
            2 => Release([number(0), number(1) + 1, 0]),
            _ => Release([number(0), number(1), number(2) + 1]),
        };
        match specifier.operator() {
            Operator::Equal | Operator::ExactEqual => return Bounds::exactly(&version.to_string()),
            Operator::EqualStar => {
                bounds.raise(release);
                bounds.cap(series_end(numbers.len()), false);
            }
            Operator::TildeEqual => {
                bounds.raise(release);
                bounds.cap(series_end(numbers.len() - 1), false);
            }
            Operator::GreaterThan | Operator::GreaterThanEqual => bounds.raise(release),
            Operator::LessThan => bounds.cap(release, false),
            Operator::LessThanEqual => bounds.cap(release, true),
            Operator::NotEqual | Operator::NotEqualStar => {}
        }
    }
    Some(bounds)
}

fn cargo(requirement: &str) -> Option<Bounds> {
    let mut bounds = Bounds::default();
    for comparator in VersionReq::parse(requirement).ok()?.comparators {
        let (major, minor, patch) = (comparator.major, comparator.minor, comparator.patch);
        let release = Release([major, minor.unwrap_or(0), patch.unwrap_or(0)]);
        let series_end = match (minor, patch) {
            (None, _) => Release([major + 1, 0, 0]),
            (Some(minor), None) => Release([major, minor + 1, 0]),
            (Some(minor), Some(patch)) => Release([major, minor, patch + 1]),
        };
        match comparator.op {
            Op::Exact if patch.is_some() => {
                let version = comparator.to_string();
                return Bounds::exactly(version.trim_start_matches('='));
            }
            Op::Exact | Op::Wildcard => {
                bounds.raise(release);
                bounds.cap(series_end, false);
            }
            Op::Greater | Op::GreaterEq => bounds.raise(release),
            Op::Less => bounds.cap(release, false),
            Op::LessEq => bounds.cap(release, true),
            Op::Tilde => {
                bounds.raise(release);
                bounds.cap(minor.map_or(series_end, |minor| Release([major, minor + 1, 0])), false);
            }
            Op::Caret => {
                bounds.raise(release);
                let end = match (major, minor, patch) {
                    (0, Some(0), Some(patch)) => Release([0, 0, patch + 1]),
                    (0, Some(minor), _) => Release([0, minor + 1, 0]),
                    _ => Release([major + 1, 0, 0]),
                };
                bounds.cap(end, false);
            }
            _ => {}
        }
    }
    Some(bounds)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `lower upper exact`, with `-` for none.
    fn shown(family: Family, requirement: &str) -> String {
        let Some(bounds) = Bounds::parse(family, requirement) else {
            return "no range".to_owned();
        };
        let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        let (lower, upper) = (bounds.lower.map(|lower| lower.to_string()), bounds.upper.map(|upper| upper.to_string()));
        format!("{} {} {}", or_dash(lower), or_dash(upper), or_dash(bounds.exact))
    }

    #[test]
    fn npm_ranges() {
        for (requirement, expected) in [
            ("^1.20.0", "1.20.0 <2.0.0 -"),
            ("~1.20.3", "1.20.3 <1.21.0 -"),
            ("1.26.0", "1.26.0 <=1.26.0 1.26.0"),
            (">=1.10", "1.10.0 - -"),
            (">=1.10 <3", "1.10.0 <3.0.0 -"),
            ("^1.20.0 || ^2.0.0", "1.20.0 <3.0.0 -"),
            ("1.x", "1.0.0 <2.0.0 -"),
            ("^0.4.1", "0.4.1 <0.5.0 -"),
            ("^2.0.0-beta.1", "2.0.0 <3.0.0 -"),
            ("*", "- - -"),
            ("latest", "no range"),
            ("workspace:*", "no range"),
            ("github:a/b", "no range"),
        ] {
            assert_eq!(shown(Family::Js, requirement), expected, "{requirement}");
        }
    }

    #[test]
    fn python_specifiers() {
        for (requirement, expected) in [
            (">=1.9.4", "1.9.4 - -"),
            (">=1.9,<2", "1.9.0 <2.0.0 -"),
            ("==1.30.0", "1.30.0 <=1.30.0 1.30.0"),
            ("==1.*", "1.0.0 <2.0.0 -"),
            ("~=1.4", "1.4.0 <2.0.0 -"),
            ("~=1.4.2", "1.4.2 <1.5.0 -"),
            ("^1.2", "1.2.0 <2.0.0 -"),
            ("~1.2", "1.2.0 <1.3.0 -"),
            ("1.2.3", "1.2.3 <=1.2.3 1.2.3"),
            (">=2.0.0b1", "2.0.0 - -"),
            (">=1.2,!=1.3", "1.2.0 - -"),
            ("*", "- - -"),
            ("", "- - -"),
            ("git+ssh", "no range"),
        ] {
            assert_eq!(shown(Family::Python, requirement), expected, "{requirement}");
        }
    }

    #[test]
    fn cargo_requirements() {
        for (requirement, expected) in [
            ("1.8", "1.8.0 <2.0.0 -"),
            ("0.8.5", "0.8.5 <0.9.0 -"),
            ("0.0.3", "0.0.3 <0.0.4 -"),
            ("=1.8.0", "1.8.0 <=1.8.0 1.8.0"),
            (">=1, <4", "1.0.0 <4.0.0 -"),
            ("~1.2", "1.2.0 <1.3.0 -"),
            ("1.*", "1.0.0 <2.0.0 -"),
            ("*", "- - -"),
        ] {
            assert_eq!(shown(Family::Rust, requirement), expected, "{requirement}");
        }
    }

    #[test]
    fn releases_in_every_spelling() {
        for (text, expected) in [
            ("1.26.0-beta.1", "1.26.0"),
            ("v2.0", "2.0.0"),
            ("2.0.0rc1", "2.0.0"),
            ("1!4.2", "4.2.0"),
            ("3", "3.0.0"),
            ("2.1b3.4", "2.1.0"),
        ] {
            assert_eq!(Release::parse(text).map(|release| release.to_string()).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(Release::parse("latest"), None);
    }
}
