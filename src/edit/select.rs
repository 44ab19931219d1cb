//! Which groups of a proposal come into question, and in which order: what others require comes first, else the order is kept.

use std::collections::{BTreeMap, BTreeSet};

use super::fixpoint::Refused;
use super::group::Group;
use super::refusal::Refusal;

/// Groups in the order of application, and those that have no place in it.
pub struct Order {
    /// What is required comes first.
    pub groups: Vec<Group>,
    /// Groups with one id, or that require themselves.
    pub refused: Vec<Refused>,
}

/// Orders groups.
pub fn order(groups: &[Group]) -> Order {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for group in groups {
        *count.entry(&group.id).or_default() += 1;
    }
    let (single, double): (Vec<&Group>, Vec<&Group>) = groups.iter().partition(|group| count[group.id.as_str()] == 1);
    let mut refused: Vec<Refused> =
        double.into_iter().map(|group| Refused { group: group.clone(), refusal: Refusal::SameId }).collect();
    let circles = circles(&single);
    let mut left: Vec<&Group> = Vec::new();
    for group in single {
        match circles.get(group.id.as_str()) {
            Some(ids) => refused.push(Refused { group: group.clone(), refusal: Refusal::Cycle { ids: ids.clone() } }),
            None => left.push(group),
        }
    }
    let mut ordered = Vec::new();
    while !left.is_empty() {
        let waiting: BTreeSet<&str> = left.iter().map(|group| group.id.as_str()).collect();
        let ready = |group: &&Group| group.requires.iter().all(|id| !waiting.contains(id.as_str()));
        let at = left.iter().position(ready).expect("without circles one of them waits for none");
        ordered.push(left.remove(at).clone());
    }
    Order { groups: ordered, refused }
}

/// The groups that require themselves, over others, each with the groups of its circle.
fn circles(groups: &[&Group]) -> BTreeMap<String, Vec<String>> {
    let requires: BTreeMap<&str, &[String]> =
        groups.iter().map(|group| (group.id.as_str(), group.requires.as_slice())).collect();
    let reach = |from: &str| {
        let mut seen: BTreeSet<&str> = BTreeSet::new();
        let mut open: Vec<&String> = requires.get(from).copied().unwrap_or_default().iter().collect();
        while let Some(id) = open.pop() {
            if seen.insert(id) {
                open.extend(requires.get(id.as_str()).copied().unwrap_or_default());
            }
        }
        seen
    };
    let reached: BTreeMap<&str, BTreeSet<&str>> = requires.keys().map(|id| (*id, reach(id))).collect();
    let mut out = BTreeMap::new();
    for (id, others) in &reached {
        if others.contains(id) {
            let back = |other: &&&str| reached.get(**other).is_some_and(|there| there.contains(id));
            out.insert((*id).to_owned(), others.iter().filter(back).map(|other| (*other).to_owned()).collect());
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::level::Level;

    fn group(id: &str, requires: &[&str]) -> Group {
        let requires = requires.iter().map(|id| (*id).to_owned()).collect();
        Group { requires, ..Group::new(id, "t", "r", Level::Safe) }
    }

    fn ids(groups: &[Group]) -> Vec<&str> {
        groups.iter().map(|group| group.id.as_str()).collect()
    }

    #[test]
    fn what_is_required_comes_first() {
        let order = order(&[group("a", &["c", "elsewhere"]), group("b", &[]), group("c", &["d"]), group("d", &[])]);
        assert_eq!(ids(&order.groups), ["b", "d", "c", "a"]);
        assert!(order.refused.is_empty());
    }

    #[test]
    fn circles_and_doubles_are_refused_and_who_needs_them_is_not() {
        let order = order(&[
            group("a", &["b"]),
            group("b", &["a"]),
            group("c", &["b"]),
            group("self", &["self"]),
            group("twice", &[]),
            group("twice", &[]),
        ]);
        assert_eq!(ids(&order.groups), ["c"]);
        let refused: Vec<(&str, &Refusal)> = order.refused.iter().map(|r| (r.group.id.as_str(), &r.refusal)).collect();
        let circle = Refusal::Cycle { ids: vec!["a".to_owned(), "b".to_owned()] };
        let alone = Refusal::Cycle { ids: vec!["self".to_owned()] };
        let expected = [
            ("twice", &Refusal::SameId),
            ("twice", &Refusal::SameId),
            ("a", &circle),
            ("b", &circle),
            ("self", &alone),
        ];
        assert_eq!(refused, expected);
    }
}
