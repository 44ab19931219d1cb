//! What a repository says of the plan: names and lifetimes, by store.

use std::collections::BTreeMap;

/// What a repository says. Stores are called by their name, or by `path#name` where a name is not enough.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanSettings {
    /// What handles are called.
    pub names: BTreeMap<String, NameSetting>,
    /// How long values live where nothing else says so.
    pub lifetime: LifetimeSetting,
    /// How long those of a store live.
    pub lifetimes: BTreeMap<String, LifetimeSetting>,
}

/// What the handles of a store are called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameSetting {
    /// In words: `basket`, `reading list`.
    pub noun: Option<String>,
    /// What an id begins with, without the underscore.
    pub prefix: Option<String>,
}

/// How long values live, and how many may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LifetimeSetting {
    /// Seconds without use.
    pub idle_seconds: Option<u32>,
    /// How many may live at once.
    pub limit: Option<u32>,
}

impl PlanSettings {
    /// What is said of the names of a store, by what it can be called, the best first.
    pub fn names_of(&self, called: &[String]) -> NameSetting {
        called.iter().find_map(|name| self.names.get(name)).cloned().unwrap_or_default()
    }

    /// What is said of the lifetime of a store, and not of all.
    pub fn lifetime_of(&self, called: &[String]) -> LifetimeSetting {
        called.iter().find_map(|name| self.lifetimes.get(name)).copied().unwrap_or_default()
    }

    /// Stores that are spoken of, each once.
    pub fn stores(&self) -> impl Iterator<Item = &str> {
        let more = self.lifetimes.keys().filter(|name| !self.names.contains_key(*name));
        self.names.keys().chain(more).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_says_more_than_a_name() {
        let noun = |noun: &str| NameSetting { noun: Some(noun.to_owned()), prefix: None };
        let names = [("carts".to_owned(), noun("cart")), ("b.ts#carts".to_owned(), noun("trolley"))].into();
        let settings = PlanSettings { names, ..PlanSettings::default() };
        let of = |called: [&str; 2]| settings.names_of(&called.map(str::to_owned));
        assert_eq!(of(["a.ts#carts", "carts"]), noun("cart"));
        assert_eq!(of(["b.ts#carts", "carts"]), noun("trolley"));
        assert_eq!(of(["b.ts#lists", "lists"]), NameSetting::default());
        assert_eq!(settings.stores().count(), 2);
    }
}
