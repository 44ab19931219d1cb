//! What people say of the plan: a repository in its settings, names and lifetimes by store; a plan file, which comes before them, every
//! decision of a store.

use std::collections::BTreeMap;

use crate::classify::answer::Carrier;

/// What is said. Stores are called by their name, or by `path#name` where a name is not enough.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanSettings {
    /// What handles are called.
    pub names: BTreeMap<String, NameSetting>,
    /// How long values live where nothing else says so.
    pub lifetime: LifetimeSetting,
    /// How long those of a store live.
    pub lifetimes: BTreeMap<String, LifetimeSetting>,
    /// Schemas let callers leave handles out, for a time.
    pub transition: bool,
    /// What a plan file decides, by id.
    pub decisions: BTreeMap<String, Decision>,
}

/// What the handles of a store are called.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameSetting {
    /// In words: `basket`, `reading list`.
    pub noun: Option<String>,
    /// What an id begins with, without the underscore.
    pub prefix: Option<String>,
    /// The argument of the tools.
    pub argument: Option<String>,
    /// The tool that creates one.
    pub create: Option<String>,
    /// The tool that drops one.
    pub destroy: Option<String>,
    /// The tool that lists those of a user.
    pub list: Option<String>,
}

/// How long values live, and how many may.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LifetimeSetting {
    /// Seconds without use; 0 for ever.
    pub idle_seconds: Option<u32>,
    /// How many may live at once.
    pub limit: Option<u32>,
}

/// Where the values of a store of handles are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In the process.
    Memory,
    /// Where all processes reach them.
    Shared,
}

/// A store of handles that several processes share: a class of the repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedStore {
    /// The file, relative to the root.
    pub module: String,
    /// The class in it, which is constructed like the one in memory.
    pub class: String,
}

/// What becomes of a tool that set a choice which is an argument now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetterFate {
    /// It goes.
    Drop,
    /// It stays, as a tool that looks up.
    Keep,
}

/// What a plan file decides about one store. What it does not say follows from the settings and the code.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Where the state belongs.
    pub carrier: Option<Carrier>,
    /// What its handles are called.
    pub names: NameSetting,
    /// How long its values live.
    pub lifetime: LifetimeSetting,
    /// Where its values are.
    pub home: Option<Home>,
    /// The class that keeps them, where it is shared.
    pub shared: Option<SharedStore>,
    /// Fields of the first value that a caller chooses.
    pub parameters: Option<Vec<String>>,
    /// What becomes of the tool that set a choice.
    pub setter: Option<SetterFate>,
    /// Where it says so: the file and the line of each key.
    pub places: BTreeMap<&'static str, String>,
}

impl PlanSettings {
    /// What is said of the names of a store, by what it can be called, the best first.
    pub fn names_of(&self, called: &[String]) -> NameSetting {
        let general = called.iter().find_map(|name| self.names.get(name)).cloned().unwrap_or_default();
        let own = self.decision(called).map(|decision| decision.names.clone()).unwrap_or_default();
        NameSetting {
            noun: own.noun.or(general.noun),
            prefix: own.prefix.or(general.prefix),
            argument: own.argument.or(general.argument),
            create: own.create.or(general.create),
            destroy: own.destroy.or(general.destroy),
            list: own.list.or(general.list),
        }
    }

    /// What is said of the lifetime of a store, and not of all.
    pub fn lifetime_of(&self, called: &[String]) -> LifetimeSetting {
        let general = called.iter().find_map(|name| self.lifetimes.get(name)).copied().unwrap_or_default();
        let own = self.decision(called).map(|decision| decision.lifetime).unwrap_or_default();
        LifetimeSetting { idle_seconds: own.idle_seconds.or(general.idle_seconds), limit: own.limit.or(general.limit) }
    }

    /// What a plan file decides about a store.
    pub fn decision(&self, called: &[String]) -> Option<&Decision> {
        called.iter().find_map(|name| self.decisions.get(name))
    }

    /// Where a plan file wants a store.
    pub fn carrier(&self, id: &str) -> Option<Carrier> {
        self.decisions.get(id)?.carrier
    }

    /// Stores that the settings speak of, each once.
    pub fn stores(&self) -> impl Iterator<Item = &str> {
        let more = self.lifetimes.keys().filter(|name| !self.names.contains_key(*name));
        self.names.keys().chain(more).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noun(noun: &str) -> NameSetting {
        NameSetting { noun: Some(noun.to_owned()), ..NameSetting::default() }
    }

    #[test]
    fn an_id_says_more_than_a_name() {
        let names = [("carts".to_owned(), noun("cart")), ("b.ts#carts".to_owned(), noun("trolley"))].into();
        let settings = PlanSettings { names, ..PlanSettings::default() };
        let of = |called: [&str; 2]| settings.names_of(&called.map(str::to_owned));
        assert_eq!(of(["a.ts#carts", "carts"]), noun("cart"));
        assert_eq!(of(["b.ts#carts", "carts"]), noun("trolley"));
        assert_eq!(of(["b.ts#lists", "lists"]), NameSetting::default());
        assert_eq!(settings.stores().count(), 2);
    }

    #[test]
    fn a_plan_comes_before_the_settings_and_leaves_them_what_it_does_not_say() {
        let hour = LifetimeSetting { idle_seconds: Some(3600), limit: None };
        let decision = Decision { names: noun("trolley"), lifetime: hour, ..Decision::default() };
        let settings = PlanSettings {
            names: [("carts".to_owned(), NameSetting { prefix: Some("crt".to_owned()), ..noun("cart") })].into(),
            lifetimes: [("carts".to_owned(), LifetimeSetting { idle_seconds: Some(60), limit: Some(9) })].into(),
            decisions: [("a.ts#carts".to_owned(), decision)].into(),
            ..PlanSettings::default()
        };
        let called = ["a.ts#carts".to_owned(), "carts".to_owned()];
        let names = settings.names_of(&called);
        assert_eq!((names.noun.as_deref(), names.prefix.as_deref()), (Some("trolley"), Some("crt")));
        assert_eq!(settings.lifetime_of(&called), LifetimeSetting { idle_seconds: Some(3600), limit: Some(9) });
    }
}
