//! A package whose SDK changed its version: its findings count whichever lines changed, since the same code now does other things.

use rustc_hash::FxHashMap;

use super::Evidence;
use super::changes::{Before, Changes};
use crate::rules::finding::Finding;
use crate::rules::{
    implicit_sessions, session_transport_map, session_transport_setup, shared_stateless_server, stateless_capability,
};
use crate::workspace::packages::read_text;
use crate::workspace::sdk::{self, Sdk};
use crate::workspace::{Family, Packages};

/// Rules about transports: what they find depends on the SDK's version, though no store does.
const TRANSPORTS: &[&str] = &[
    session_transport_setup::RULE.name,
    session_transport_map::RULE.name,
    shared_stateless_server::RULE.name,
    stateless_capability::RULE.name,
    implicit_sessions::RULE.name,
];

/// A package whose SDK changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bump {
    family: Family,
    /// The package's folder.
    dir: String,
    /// The SDK.
    name: String,
    from: Option<String>,
    to: Option<String>,
}

impl Bump {
    /// Whether a finding counts because of it. `language` is that of the finding's server.
    pub fn counts(&self, finding: &Finding, family: Family) -> bool {
        family == self.family
            && finding.server == self.dir
            && (finding.failure.is_some() || TRANSPORTS.contains(&finding.rule))
    }

    /// What happened, for people.
    pub fn words(&self) -> String {
        let place = if self.dir == "." { "the package" } else { &self.dir };
        let version = |version: &Option<String>| version.clone().unwrap_or_else(|| "none".to_owned());
        format!(
            "{place} moved from {name} {from} to {to}, so its findings about transports and kept state count whichever lines changed",
            name = self.name,
            from = version(&self.from),
            to = version(&self.to),
        )
    }
}

/// The packages whose SDK changed, and manifests of which it can't be told.
pub(super) fn find(evidence: &Evidence, changes: &Changes) -> (Vec<Bump>, Vec<String>) {
    let mut unknown = Vec::new();
    let changed = evidence.tree.manifests.iter().filter(|manifest| changes.has(&manifest.path));
    let mut old_texts: FxHashMap<String, String> = FxHashMap::default();
    let mut tree = evidence.tree.clone();
    let mut any = false;
    for manifest in changed {
        let Some(now) = read_text(&manifest.absolute).or_else(|| {
            let bytes = std::fs::read(&manifest.absolute).ok()?;
            Some(String::from_utf8_lossy(&bytes).into_owned())
        }) else {
            continue;
        };
        match changes.before(&manifest.path, &now) {
            Before::Same => {}
            Before::Missing => {
                any = true;
                tree.manifests.retain(|other| other.path != manifest.path);
            }
            Before::Text(text) => {
                any = true;
                old_texts.insert(manifest.path.clone(), text);
            }
            Before::Unknown => unknown.push(manifest.path.clone()),
        }
    }
    if !any {
        return (Vec::new(), unknown);
    }
    let before = Packages::find_as_it_was(&tree, &old_texts);
    let mut out = Vec::new();
    for package in evidence.packages.all() {
        let Some(older) = before.at(package.family, &package.dir) else { continue };
        let (old, new) = (sdk::sdks_in(&before, older), sdk::sdks_in(&evidence.packages, package));
        for sdk in &new {
            let was = old.iter().find(|other| other.name == sdk.name);
            if was.is_none_or(|was| moved(was, sdk)) {
                out.push(Bump {
                    family: package.family,
                    dir: package.dir.clone(),
                    name: sdk.name.clone(),
                    from: was.and_then(version),
                    to: version(sdk),
                });
            }
        }
    }
    (out, unknown)
}

/// Whether the version is another one. What a lock file says counts for more than a requirement.
fn moved(old: &Sdk, new: &Sdk) -> bool {
    match (&old.resolved, &new.resolved) {
        (Some(old), Some(new)) => old != new,
        _ => old.requirement != new.requirement,
    }
}

fn version(sdk: &Sdk) -> Option<String> {
    sdk.resolved.clone().or_else(|| sdk.requirement.clone())
}
