//! What a dependency that moves to another version changes for a server.

use crate::classify::answer::{ChangeKind, Failure, Place, Server, Store, Upgrade, UpgradeChange};
use crate::classify::stores::Analysis;
use crate::classify::upgrades::places;
use crate::model::facts::Span;
use crate::report::words;
use crate::rules::finding::Finding;
use crate::workspace::Family;
use crate::workspace::sdk::{self, Era, KnownPackage, Sdk};
use crate::workspace::upgrades::Target;
use crate::workspace::version::Release;

/// Adds to a server what each target changes for it.
pub fn of_server(
    targets: &[Target],
    sdks: &[Sdk],
    analysis: &Analysis<'_>,
    modules: &[bool],
    findings: &[Finding],
    server: &mut Server,
    place: &dyn Fn(u32, Span) -> Place,
) {
    let family = match server.language {
        "python" => Family::Python,
        "rust" => Family::Rust,
        _ => Family::Js,
    };
    for target in targets {
        let Some(found) = sdks.iter().find(|sdk| target.matches(family, &sdk.name)) else { continue };
        let Some(package) = sdk::known(family, &found.name) else { continue };
        let from = found.resolved.as_deref().and_then(Release::parse).or(found.lower_bound);
        let in_use = found.resolved.clone().or_else(|| found.lower_bound.map(|lower| lower.to_string()));
        let mut changes = Vec::new();
        // A version that is not known may be any before.
        let from = from.unwrap_or(Release([0; 3]));
        if from < target.release {
            era(package, from, target, &mut changes);
            let mut known: Vec<_> = target.changes(family, package.name, from).collect();
            known.sort_by_key(|change| change.at);
            for change in known {
                let mut at: Vec<Place> = places(analysis, modules, change, &|source| {
                    sdk::of_import(family, source).is_some_and(|own| own.name == package.name)
                })
                .into_iter()
                .map(|(module, span)| place(module, span))
                .collect();
                let met = findings.iter().filter(|finding| change.rules.contains(&finding.rule));
                at.extend(met.map(|finding| Place {
                    path: finding.path.clone(),
                    line: finding.start.line,
                    column: finding.start.column,
                }));
                if change.is_general() || !at.is_empty() {
                    let message = format!("from {} on, {}", change.at, change.text);
                    changes.push(UpgradeChange { kind: change.kind, message, at });
                }
            }
            failures(package, from, target, &server.stores, &mut changes);
        }
        let upgrade = Upgrade { package: target.name.clone(), from: in_use, to: target.version.clone(), changes };
        server.upgrades.push(upgrade);
    }
}

/// The first release that speaks 2026-07-28.
fn first_modern(package: &KnownPackage) -> Option<Release> {
    package.eras.iter().find(|range| range.era == Some(Era::Modern)).map(|range| range.from)
}

fn era(package: &KnownPackage, from: Release, target: &Target, changes: &mut Vec<UpgradeChange>) {
    let message = match (package.era_of(from), package.era_of(target.release), first_modern(package)) {
        (Some(Era::Legacy) | None, Some(Era::Modern), Some(first)) if from < first => format!(
            "from {first} on, 2026-07-28 is spoken as well, and a client that speaks it too takes it: its requests carry \
             no session id"
        ),
        (Some(Era::Legacy), Some(Era::Legacy), _) => {
            "this version speaks revisions up to 2025-11-25, as the one in use does: sessions stay as they are"
                .to_owned()
        }
        _ => return,
    };
    changes.push(UpgradeChange { kind: ChangeKind::Era, message, at: Vec::new() });
}

fn failures(
    package: &KnownPackage,
    from: Release,
    target: &Target,
    stores: &[Store],
    changes: &mut Vec<UpgradeChange>,
) {
    let Some(first) = first_modern(package).filter(|first| from < *first) else { return };
    for failure in Failure::ALL.iter().filter(|failure| **failure != Failure::Works) {
        let of: Vec<&Store> = stores.iter().filter(|store| store.failure == *failure).collect();
        if of.is_empty() {
            continue;
        }
        let names: Vec<&str> = of.iter().map(|store| store.name.as_str()).collect();
        let names = names.join(", ");
        let words = words::on_upgrade(*failure);
        let message = if target.release < first {
            format!("{names}: no change with this version. For requests of 2026-07-28, from {first} on: {words}")
        } else {
            format!("{names}: for requests of 2026-07-28, from {first} on: {words}")
        };
        let at = of.iter().map(|store| store.at.clone()).collect();
        changes.push(UpgradeChange { kind: ChangeKind::Failure, message, at });
    }
}

/// Adds up what parts of one package meet.
pub fn merge(known: &mut Vec<Upgrade>, others: Vec<Upgrade>) {
    for other in others {
        match known.iter_mut().find(|own| own.package == other.package && own.to == other.to) {
            Some(own) => {
                for change in other.changes {
                    match own.changes.iter_mut().find(|known| known.message == change.message) {
                        Some(known) => known.at.extend(change.at),
                        None => own.changes.push(change),
                    }
                }
            }
            None => known.push(other),
        }
    }
}
