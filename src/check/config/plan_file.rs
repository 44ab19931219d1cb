//! The plan file: what `mcp-migrate plan` writes, people edit, and `fix --plan` obeys.

use std::collections::BTreeMap;
use std::path::Path;

use toml::de::DeTable;

use super::fix::{is_noun, is_prefix};
use super::{Key, Reader, Value, listed, nearest};
use crate::check::error::CheckError;
use crate::plan::choice::CARRIERS;
use crate::plan::settings::{Decision, Home, SetterFate, SharedStore};
use crate::report::plan_toml::SCHEMA;

/// Keys of the file.
pub const KEYS: &[&str] = &["schema", "server"];

/// Keys of a `[[server]]` table.
pub const SERVER_KEYS: &[&str] = &["path", "store"];

/// Keys of a `[[server.store]]` table.
pub const STORE_KEYS: &[&str] = &[
    "argument",
    "carrier",
    "create",
    "create-parameters",
    "destroy",
    "id",
    "idle-seconds",
    "limit",
    "list",
    "noun",
    "prefix",
    "setter",
    "store",
    "store-class",
    "store-module",
];

/// Values of `store`.
pub const HOMES: &[&str] = &["in-memory", "shared"];

/// Values of `setter`.
pub const SETTERS: &[&str] = &["drop", "keep"];

/// Longer names are cut or refused by clients.
const LONGEST_NAME: usize = 64;

/// Arguments of these names are dropped or rewritten by bridges between clients and servers.
const RESERVED: &[&str] = &["session_id", "sessionid", "session"];

/// Words that no variable can be called.
const KEYWORDS: &[&str] = &[
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "var",
    "void",
    "while",
    "with",
    "yield",
];

/// A plan that was read.
#[derive(Clone, Debug, Default)]
pub struct PlanFile {
    /// Servers that it names, each with the place.
    pub servers: Vec<(String, String)>,
    /// What it decides, by the id of the store.
    pub decisions: BTreeMap<String, Decision>,
}

impl PlanFile {
    /// Reads a file.
    pub fn load(path: &Path) -> Result<Self, CheckError> {
        let text = std::fs::read_to_string(path).map_err(|error| CheckError::file("the plan", path, &error))?;
        Self::parse(path, text.strip_prefix('\u{feff}').unwrap_or(&text))
    }

    /// Reads the text of a file at `path`.
    pub fn parse(path: &Path, text: &str) -> Result<Self, CheckError> {
        let reader = Reader { path, text };
        let table = DeTable::parse(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            reader.error(at, format!("this is no TOML: {}", error.message()), "Strings stand in quotes, lists in [ ].")
        })?;
        let table = table.get_ref();
        let help = format!("It begins with `schema = \"{SCHEMA}\"`; `mcp-migrate plan --output FILE` writes one.");
        let schema = table.get("schema").ok_or_else(|| reader.error(0, "this is no plan", help.clone()))?;
        if schema.get_ref().as_str() != Some(SCHEMA) {
            return Err(reader.error(schema.span().start, "this is no plan that this version can read", help));
        }
        let mut out = Self::default();
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "schema" => {}
                "server" => {
                    let help = "Write `[[server]]`.";
                    for server in reader.tables(value, "`server` is a list of tables", help)? {
                        reader.server(server, &mut out)?;
                    }
                }
                _ => return Err(reader.unknown(key, KEYS)),
            }
        }
        reader.distinct(&out)?;
        Ok(out)
    }
}

impl Reader<'_> {
    fn tables<'v, 'i>(
        &self,
        value: &'v Value<'i>,
        wanted: &str,
        help: &str,
    ) -> Result<Vec<(usize, &'v DeTable<'i>)>, CheckError> {
        let wrong = || self.error(value.span().start, wanted, help);
        let list = value.get_ref().as_array().ok_or_else(wrong)?;
        let table = |item: &'v Value<'i>| Ok((item.span().start, item.get_ref().as_table().ok_or_else(wrong)?));
        list.iter().map(table).collect()
    }

    fn place(&self, at: usize) -> String {
        format!("{}:{}", self.path.display(), self.line(at))
    }

    fn server(&self, (at, table): (usize, &DeTable<'_>), out: &mut PlanFile) -> Result<(), CheckError> {
        for (key, value) in table {
            match key.get_ref().as_ref() {
                "path" => out.servers.push((self.string(value)?, self.place(value.span().start))),
                "store" => {
                    let help = "Write `[[server.store]]`.";
                    for store in self.tables(value, "`store` is a list of tables", help)? {
                        self.store(store, out)?;
                    }
                }
                _ => return Err(self.unknown(key, SERVER_KEYS)),
            }
        }
        if table.get("path").is_none() {
            let help = "Write `path = \".\"`, or the folder of the package below the root.";
            return Err(self.error(at, "this `[[server]]` has no `path`", help));
        }
        Ok(())
    }

    fn store(&self, (at, table): (usize, &DeTable<'_>), out: &mut PlanFile) -> Result<(), CheckError> {
        let mut decision = Decision::default();
        let (mut id, mut module, mut class) = (None, None, None);
        for (key, value) in table {
            let name = STORE_KEYS.iter().find(|known| **known == key.get_ref().as_ref());
            let Some(name) = name.copied() else { return Err(self.unknown(key, STORE_KEYS)) };
            decision.places.insert(name, self.place(key.span().start));
            match name {
                "id" => id = Some(self.string(value)?),
                "carrier" => decision.carrier = Some(self.carrier(key, value)?),
                "store" => {
                    let home = self.one_of(key, value, HOMES)?;
                    decision.home = Some(if home == HOMES[0] { Home::Memory } else { Home::Shared });
                }
                "setter" => {
                    let fate = self.one_of(key, value, SETTERS)?;
                    decision.setter = Some(if fate == SETTERS[0] { SetterFate::Drop } else { SetterFate::Keep });
                }
                "store-module" => module = Some(self.string(value)?),
                "store-class" => class = Some(self.string(value)?),
                "idle-seconds" => decision.lifetime.idle_seconds = Some(self.whole(key, value, 0)?),
                "limit" => decision.lifetime.limit = Some(self.whole(key, value, 1)?),
                "create-parameters" => decision.parameters = Some(self.strings(value)?),
                _ => self.named(name, value, &mut decision)?,
            }
        }
        let id = id.ok_or_else(|| {
            self.error(at, "this `[[server.store]]` has no `id`", "Write `id = \"src/server.ts#baskets\"`.")
        })?;
        decision.shared = self.shared(at, &decision, module, class)?;
        if out.decisions.contains_key(&id) {
            return Err(self.error(at, format!("`{id}` is decided twice"), "Keep one of the two tables."));
        }
        out.decisions.insert(id, decision);
        Ok(())
    }

    /// The class that keeps the values of a shared store.
    fn shared(
        &self,
        at: usize,
        decision: &Decision,
        module: Option<String>,
        class: Option<String>,
    ) -> Result<Option<SharedStore>, CheckError> {
        let shared = decision.home == Some(Home::Shared);
        let help = "Write `store = \"shared\"`, `store-module = \"src/redis-handles.ts\"` and `store-class = \"RedisHandles\"`.";
        match (module, class) {
            (None, None) => Ok(None),
            (Some(module), Some(class)) if shared && is_argument(&class) => Ok(Some(SharedStore { module, class })),
            _ => Err(self.error(at, "a shared store takes a module and the name of a class in it", help)),
        }
    }

    fn named(&self, name: &'static str, value: &Value<'_>, decision: &mut Decision) -> Result<(), CheckError> {
        let text = self.string(value)?;
        let (fits, slot, wanted) = match name {
            "noun" => (
                is_noun(&text),
                &mut decision.names.noun,
                "Write words of letters and digits, for instance `reading list`.",
            ),
            "prefix" => (
                is_prefix(&text),
                &mut decision.names.prefix,
                "Write at most 16 small letters and digits, a letter first, for instance `bsk`.",
            ),
            "argument" => (
                is_argument(&text),
                &mut decision.names.argument,
                "Write letters, digits and underscores, a letter first, for instance `basket_id`; not `session_id`, which \
                 client bridges drop or rewrite.",
            ),
            _ => (
                is_tool(&text),
                match name {
                    "create" => &mut decision.names.create,
                    "destroy" => &mut decision.names.destroy,
                    _ => &mut decision.names.list,
                },
                "Write at most 64 letters, digits, `_` and `-`, a letter first, for instance `create_basket`.",
            ),
        };
        if !fits {
            return Err(self.error(value.span().start, format!("`{name}` can't be `{text}`"), wanted));
        }
        *slot = Some(text);
        Ok(())
    }

    fn carrier(&self, key: &Key<'_>, value: &Value<'_>) -> Result<crate::classify::answer::Carrier, CheckError> {
        let ids: Vec<&'static str> = CARRIERS.iter().map(|carrier| carrier.id()).collect();
        let text = self.string(value)?;
        CARRIERS.iter().find(|carrier| carrier.id() == text).copied().ok_or_else(|| {
            let hint = nearest(&text, &ids).map_or(String::new(), |near| format!("; did you mean `{near}`?"));
            let message = format!("`{}` can't be `{text}`{hint}", key.get_ref());
            self.error(value.span().start, message, format!("It is one of {}.", listed(&ids)))
        })
    }

    fn whole(&self, key: &Key<'_>, value: &Value<'_>, from: u32) -> Result<u32, CheckError> {
        let number = value.get_ref().as_integer();
        let number = number.and_then(|number| u32::from_str_radix(number.as_str(), number.radix()).ok());
        number.filter(|number| *number >= from).ok_or_else(|| {
            let never = if from == 0 { "; 0 means that values never expire" } else { "" };
            self.wrong(key, &format!("a whole number from {from} on{never}"))
        })
    }

    /// Two stores need two of each name.
    fn distinct(&self, plan: &PlanFile) -> Result<(), CheckError> {
        let mut seen: BTreeMap<(&str, String), &str> = BTreeMap::new();
        for (id, Decision { names, places, .. }) in &plan.decisions {
            for (what, key, name) in [
                ("noun", "noun", &names.noun),
                ("prefix", "prefix", &names.prefix),
                ("argument", "argument", &names.argument),
                ("tool", "create", &names.create),
                ("tool", "destroy", &names.destroy),
                ("tool", "list", &names.list),
            ] {
                let Some(name) = name else { continue };
                if let Some(other) = seen.insert((what, name.to_lowercase()), id) {
                    let whose =
                        if other == id { "another tool of this store".to_owned() } else { format!("`{other}`") };
                    let message = format!("{}: {whose} is called `{name}` already", places[key]);
                    return Err(CheckError::new(message, "Write another name."));
                }
            }
        }
        Ok(())
    }
}

fn is_argument(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !KEYWORDS.contains(&name)
        && !RESERVED.contains(&name.to_lowercase().as_str())
}

fn is_tool(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::plan_toml::SCHEMA_TEXT;

    const HEAD: &str = "schema = \"mcp-migrate/plan/v1\"\n[[server]]\npath = \".\"\n[[server.store]]\n";

    fn parse(rest: &str) -> Result<PlanFile, String> {
        let text = format!("{HEAD}{rest}");
        PlanFile::parse(Path::new("plan.toml"), &text).map_err(|error| format!("{error} {}", error.help))
    }

    #[test]
    fn everything_at_once() {
        let plan = parse(
            "id = 'a.ts#carts'\ncarrier = 'handle'\nnoun = 'trolley'\nargument = 'trolley_id'\nprefix = 'trl'\n\
             create = 'new-trolley'\ndestroy = 'drop_trolley'\nidle-seconds = 0\nlimit = 5\nstore = 'in-memory'\n\
             create-parameters = ['currency']\n[[server.store]]\nid = 'b.ts#lists'\ncarrier = 'manual'\n",
        )
        .expect("it is right");
        assert_eq!(plan.servers, [(".".to_owned(), "plan.toml:3".to_owned())]);
        let carts = &plan.decisions["a.ts#carts"];
        assert_eq!(carts.carrier.map(|carrier| carrier.id()), Some("handle"));
        assert_eq!((carts.lifetime.idle_seconds, carts.lifetime.limit), (Some(0), Some(5)));
        assert_eq!((carts.home, carts.parameters.as_deref()), (Some(Home::Memory), Some(&["currency".to_owned()][..])));
        assert_eq!(carts.names.create.as_deref(), Some("new-trolley"));
        assert_eq!(carts.places["prefix"], "plan.toml:9");
        assert_eq!(plan.decisions["b.ts#lists"].carrier.map(|carrier| carrier.id()), Some("manual"));
    }

    #[test]
    fn what_can_not_be_is_told_with_its_line_and_a_way_out() {
        for (text, place, message) in [
            ("id = 'a#b'\nnown = 'x'\n", "plan.toml:6:", "did you mean `noun`?"),
            ("id = 'a#b'\ncarrier = 'handel'\n", "plan.toml:6:", "did you mean `handle`?"),
            ("id = 'a#b'\nidle-seconds = -1\n", "plan.toml:6:", "0 means that values never expire"),
            ("id = 'a#b'\nlimit = 0\n", "plan.toml:6:", "a whole number from 1 on"),
            ("id = 'a#b'\nargument = 'session_id'\n", "plan.toml:6:", "client bridges drop"),
            ("id = 'a#b'\nargument = 'class'\n", "plan.toml:6:", "`argument` can't be `class`"),
            ("id = 'a#b'\nargument = '_id'\n", "plan.toml:6:", "`argument` can't be `_id`"),
            ("id = 'a#b'\ncreate = 'my tool'\n", "plan.toml:6:", "`create` can't be `my tool`"),
            ("id = 'a#b'\nprefix = 'B_'\n", "plan.toml:6:", "a letter first"),
            ("id = 'a#b'\nstore = 'redis'\n", "plan.toml:6:", "`in-memory` and `shared`"),
            ("id = 'a#b'\nsetter = 'gone'\n", "plan.toml:6:", "`drop` and `keep`"),
            ("id = 'a#b'\nstore-class = 'R'\n", "plan.toml:4:", "a module and the name of a class"),
            ("noun = 'x'\n", "plan.toml:4:", "has no `id`"),
            ("id = 'a#b'\n[[server.store]]\nid = 'a#b'\n", "plan.toml:6:", "decided twice"),
            ("id = 'a#b'\ncreate = 'x'\ndestroy = 'x'\n", "plan.toml:7:", "another tool of this store"),
            ("id = 'a#b'\nnoun = 'x'\n[[server.store]]\nid = 'a#c'\nnoun = 'X'\n", "plan.toml:9:", "`a#b` is called"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.starts_with(place), "{text}: {error}");
            assert!(error.contains(message), "{text}: {error}");
        }
    }

    #[test]
    fn only_a_plan_is_a_plan() {
        let parse = |text: &str| PlanFile::parse(Path::new("p.toml"), text).expect_err(text).to_string();
        assert_eq!(parse("[fix]\n"), "p.toml:1: this is no plan");
        assert_eq!(parse("\nschema = 'mcp-migrate/plan/v9'\n"), "p.toml:2: this is no plan that this version can read");
        assert!(parse("schema = 'mcp-migrate/plan/v1'\nstores = 1\n").contains("there is no setting `stores`"));
        assert!(parse("schema = 'mcp-migrate/plan/v1'\n[[server]]\n").contains("has no `path`"));
    }

    #[test]
    fn the_schema_knows_all_keys_and_values() {
        let schema: serde_json::Value = serde_json::from_str(SCHEMA_TEXT).expect("JSON");
        let keys = |at: &str| -> Vec<String> {
            let mut keys: Vec<String> =
                schema.pointer(at).and_then(|node| node.as_object()).expect(at).keys().cloned().collect();
            keys.sort();
            keys
        };
        assert_eq!(keys("/properties"), KEYS);
        assert_eq!(keys("/properties/server/items/properties"), SERVER_KEYS);
        assert_eq!(keys("/$defs/store/properties"), STORE_KEYS);
        let carriers: Vec<&str> = CARRIERS.iter().map(|carrier| carrier.id()).collect();
        assert_eq!(schema.pointer("/$defs/store/properties/carrier/enum"), Some(&serde_json::json!(carriers)));
        assert_eq!(schema.pointer("/$defs/store/properties/store/enum"), Some(&serde_json::json!(HOMES)));
        assert_eq!(schema.pointer("/$defs/store/properties/setter/enum"), Some(&serde_json::json!(SETTERS)));
    }
}
