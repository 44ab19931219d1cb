//! The `[fix]` table: how far a fix goes, and what it calls things.

use toml::de::DeTable;

use super::{Config, Key, Reader, Value};
use crate::check::error::CheckError;
use crate::plan::settings::{LifetimeSetting, NameSetting};

/// Keys of the table.
pub const FIX_KEYS: &[&str] = &["level", "lifetimes", "names"];

/// Keys of a store below `names`.
pub const NAME_KEYS: &[&str] = &["noun", "prefix"];

/// Keys of a store below `lifetimes`.
pub const LIFETIME_KEYS: &[&str] = &["idle-seconds", "limit"];

/// Values of `level`.
pub const LEVEL_VALUES: &[&str] = &["safe", "review"];

/// The key below `lifetimes` that speaks of all stores.
const ALL_STORES: &str = "default";

/// Longer prefixes make ids that models copy badly.
const LONGEST_PREFIX: usize = 16;

impl Reader<'_> {
    /// Reads the table.
    pub(super) fn fix(&self, value: &Value<'_>, config: &mut Config) -> Result<(), CheckError> {
        for (key, value) in self.table(value, "`fix` is a table", "Write `[fix]`.")? {
            match key.get_ref().as_ref() {
                "level" => config.level = Some(self.one_of(key, value, LEVEL_VALUES)?),
                "names" => self.names(value, config)?,
                "lifetimes" => self.lifetimes(value, config)?,
                _ => return Err(self.unknown(key, FIX_KEYS)),
            }
        }
        Ok(())
    }

    fn table<'v, 'i>(&self, value: &'v Value<'i>, wanted: &str, help: &str) -> Result<&'v DeTable<'i>, CheckError> {
        value.get_ref().as_table().ok_or_else(|| self.error(value.span().start, wanted, help))
    }

    fn names(&self, value: &Value<'_>, config: &mut Config) -> Result<(), CheckError> {
        let names = &mut config.plan.names;
        // In the order of the file, so that the second of two is the one that is told.
        let mut stores: Vec<(&Key<'_>, &Value<'_>)> =
            self.table(value, "`names` is a table", "Write `[fix.names]`.")?.iter().collect();
        stores.sort_by_key(|(key, _)| key.span().start);
        for (store, value) in stores {
            let setting = self.name(store, value)?;
            let same = |one: &Option<String>, other: &Option<String>| {
                one.as_ref().zip(other.as_ref()).is_some_and(|(one, other)| one.eq_ignore_ascii_case(other))
            };
            for (other, known) in names.iter() {
                for (what, taken) in
                    [("noun", same(&known.noun, &setting.noun)), ("prefix", same(&known.prefix, &setting.prefix))]
                {
                    if taken {
                        let message = format!("`{other}` has that {what} already");
                        return Err(self.error(store.span().start, message, "Handles of two stores need two names."));
                    }
                }
            }
            names.insert(store.get_ref().to_string(), setting);
        }
        Ok(())
    }

    fn name(&self, store: &Key<'_>, value: &Value<'_>) -> Result<NameSetting, CheckError> {
        let help = "Write `\"baskets\" = { noun = \"basket\", prefix = \"bsk\" }`.";
        let mut out = NameSetting::default();
        for (key, value) in self.table(value, "the names of a store are a table", help)? {
            let at = value.span().start;
            match key.get_ref().as_ref() {
                "noun" => {
                    let noun = self.string(value)?;
                    let message = format!("`{noun}` is no noun");
                    let wanted = "Write words of letters and digits, for instance `reading list`.";
                    out.noun = Some(noun).filter(|noun| is_noun(noun));
                    out.noun.as_ref().ok_or_else(|| self.error(at, message, wanted))?;
                }
                "prefix" => {
                    let prefix = self.string(value)?;
                    let message = format!("`{prefix}` is no prefix");
                    let wanted = "Write at most 16 small letters and digits, a letter first, for instance `bsk`.";
                    out.prefix = Some(prefix).filter(|prefix| is_prefix(prefix));
                    out.prefix.as_ref().ok_or_else(|| self.error(at, message, wanted))?;
                }
                _ => return Err(self.unknown(key, NAME_KEYS)),
            }
        }
        self.says_something(store, out != NameSetting::default(), help)?;
        Ok(out)
    }

    fn lifetimes(&self, value: &Value<'_>, config: &mut Config) -> Result<(), CheckError> {
        for (store, value) in self.table(value, "`lifetimes` is a table", "Write `[fix.lifetimes]`.")? {
            let setting = self.lifetime(store, value)?;
            match store.get_ref().as_ref() {
                ALL_STORES => config.plan.lifetime = setting,
                store => {
                    config.plan.lifetimes.insert(store.to_owned(), setting);
                }
            }
        }
        Ok(())
    }

    fn lifetime(&self, store: &Key<'_>, value: &Value<'_>) -> Result<LifetimeSetting, CheckError> {
        let help = "Write `\"baskets\" = { idle-seconds = 1800, limit = 1000 }`.";
        let mut out = LifetimeSetting::default();
        for (key, value) in self.table(value, "the lifetime of a store is a table", help)? {
            match key.get_ref().as_ref() {
                "idle-seconds" => out.idle_seconds = Some(self.number(key, value)?),
                "limit" => out.limit = Some(self.number(key, value)?),
                _ => return Err(self.unknown(key, LIFETIME_KEYS)),
            }
        }
        self.says_something(store, out != LifetimeSetting::default(), help)?;
        Ok(out)
    }

    fn says_something(&self, store: &Key<'_>, says: bool, help: &str) -> Result<(), CheckError> {
        let message = || format!("`{}` says nothing", store.get_ref());
        if says { Ok(()) } else { Err(self.error(store.span().start, message(), help)) }
    }

    fn number(&self, key: &Key<'_>, value: &Value<'_>) -> Result<u32, CheckError> {
        let number = value.get_ref().as_integer();
        let number = number.and_then(|number| u32::from_str_radix(number.as_str(), number.radix()).ok());
        number.filter(|number| *number > 0).ok_or_else(|| self.wrong(key, "a whole number from 1 on"))
    }
}

/// Whether a text can be a noun.
pub(super) fn is_noun(noun: &str) -> bool {
    let mut words = noun.split(' ');
    noun.starts_with(|c: char| c.is_ascii_alphabetic())
        && words.all(|word| !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric()))
}

/// Whether a text can be a prefix.
pub(super) fn is_prefix(prefix: &str) -> bool {
    prefix.len() <= LONGEST_PREFIX
        && prefix.starts_with(|c: char| c.is_ascii_lowercase())
        && prefix.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
}
