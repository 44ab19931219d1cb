//! What is known at a place of a function.

use rustc_hash::{FxHashMap, FxHashSet};

use super::value::Value;
use super::world::Name;

/// What variables of the function at hand hold.
#[derive(Clone, Debug, Default)]
pub struct Env {
    values: FxHashMap<Name, Value>,
    /// Comparisons, as written, that are known to fail here: where they hold, the function was left before.
    refuted: FxHashSet<String>,
}

impl Env {
    /// What they hold after either of two ways.
    pub fn join(&mut self, other: Self) {
        for (name, value) in other.values {
            let own = self.values.remove(&name).unwrap_or(Value::Never);
            self.values.insert(name, own.join(value));
        }
        self.refuted.retain(|text| other.refuted.contains(text));
    }

    /// Gives a variable a value.
    pub fn set(&mut self, name: Name, value: Value) {
        self.values.insert(name, value);
    }

    /// The value of a variable of this function.
    pub fn get(&self, name: Name) -> Option<&Value> {
        self.values.get(&name)
    }

    /// The variables.
    pub fn names(&self) -> Vec<Name> {
        self.values.keys().copied().collect()
    }

    /// A comparison fails from here on.
    pub fn refute(&mut self, comparison: String) {
        self.refuted.insert(comparison);
    }

    /// Whether a comparison is known to fail.
    pub fn is_refuted(&self, comparison: &str) -> bool {
        self.refuted.contains(comparison)
    }
}
