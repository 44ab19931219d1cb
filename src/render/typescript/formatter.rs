//! What the project tells its formatter: settings of Prettier, of Biome, and the line length of an `.editorconfig`.

use serde_json::Value;

use crate::render::Files;
use crate::workspace::packages::jsonc;
use crate::workspace::paths;

/// The settings that new text has to heed; `None` for what is not set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Formatter {
    /// How long a line may be.
    pub width: Option<usize>,
    /// The quote of plain strings.
    pub quote: Option<char>,
    /// Statements end with a semicolon.
    pub semicolons: Option<bool>,
    /// Lists over several lines end with a comma.
    pub commas: Option<bool>,
    /// So do arguments.
    pub argument_commas: Option<bool>,
    /// A lone parameter of an arrow function stands in parentheses.
    pub arrow_parentheses: Option<bool>,
}

/// Files of Prettier that are data.
const PRETTIER: &[&str] =
    &[".prettierrc", ".prettierrc.json", ".prettierrc.yaml", ".prettierrc.yml", ".prettierrc.json5"];

/// Files of Prettier that are programs or of another format: what they say is not known.
const OPAQUE: &[&str] = &[
    ".prettierrc.toml",
    ".prettierrc.js",
    ".prettierrc.cjs",
    ".prettierrc.mjs",
    ".prettierrc.ts",
    "prettier.config.js",
    "prettier.config.cjs",
    "prettier.config.mjs",
    "prettier.config.ts",
];

impl Formatter {
    /// The settings for a file: those of the nearest folder that has any.
    pub fn of(files: &dyn Files, path: &str) -> Self {
        let found = paths::ancestors(paths::parent(path)).find_map(|dir| in_folder(files, dir));
        let own = found.unwrap_or_default();
        Self { width: own.width.or_else(|| line_length(files, path)), ..own }
    }
}

fn in_folder(files: &dyn Files, dir: &str) -> Option<Formatter> {
    let text = |name: &str| Some(files.text(&paths::join(dir, name)?)?.text.clone());
    if let Some(told) = PRETTIER.iter().find_map(|name| text(name)) {
        return Some(prettier(&jsonc(&told).filter(Value::is_object).unwrap_or_else(|| flat_yaml(&told))));
    }
    if OPAQUE.iter().any(|name| paths::join(dir, name).is_some_and(|at| files.exists(&at))) {
        return Some(Formatter::default());
    }
    if let Some(manifest) = text("package.json").and_then(|text| jsonc(&text))
        && let Some(told) = manifest.get("prettier")
    {
        return Some(if told.is_object() { prettier(told) } else { Formatter::default() });
    }
    ["biome.json", "biome.jsonc"].iter().find_map(|name| biome(&jsonc(&text(name)?)?))
}

/// The settings of Prettier. What is not set has its default, where all releases have the same.
fn prettier(told: &Value) -> Formatter {
    let set = |name: &str| told.get(name);
    let commas = set("trailingComma").and_then(Value::as_str);
    Formatter {
        width: Some(set("printWidth").and_then(number).unwrap_or(80)),
        quote: Some(if set("singleQuote").and_then(Value::as_bool) == Some(true) { '\'' } else { '"' }),
        semicolons: Some(set("semi").and_then(Value::as_bool) != Some(false)),
        commas: Some(commas != Some("none")),
        argument_commas: commas.map(|commas| commas == "all"),
        arrow_parentheses: Some(set("arrowParens").and_then(Value::as_str) != Some("avoid")),
    }
}

/// The settings of Biome, unless its formatter is off.
fn biome(told: &Value) -> Option<Formatter> {
    let at = |path: &str| told.pointer(path);
    if ["/formatter/enabled", "/javascript/formatter/enabled"].iter().any(|path| at(path) == Some(&Value::Bool(false)))
    {
        return None;
    }
    let own = |name: &str| at(&format!("/javascript/formatter/{name}")).and_then(Value::as_str);
    let width = at("/javascript/formatter/lineWidth").or_else(|| at("/formatter/lineWidth"));
    let commas = own("trailingCommas").or_else(|| own("trailingComma")).unwrap_or("all");
    Some(Formatter {
        width: Some(width.and_then(number).unwrap_or(80)),
        quote: Some(if own("quoteStyle") == Some("single") { '\'' } else { '"' }),
        semicolons: Some(own("semicolons") != Some("asNeeded")),
        commas: Some(commas != "none"),
        argument_commas: Some(commas == "all"),
        arrow_parentheses: Some(own("arrowParentheses") != Some("asNeeded")),
    })
}

/// The line length that the nearest `.editorconfig` sets for all files, or for those of this kind.
fn line_length(files: &dyn Files, path: &str) -> Option<usize> {
    let kind = path.rsplit('.').next()?;
    paths::ancestors(paths::parent(path)).find_map(|dir| {
        let text = files.text(&paths::join(dir, ".editorconfig")?)?;
        let (mut ours, mut found) = (false, None);
        for line in text.text.lines().map(str::trim) {
            if let Some(pattern) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
                let named = || {
                    pattern
                        .rsplit('.')
                        .next()
                        .is_some_and(|end| end.split(['{', '}', ',']).any(|name| name.trim() == kind))
                };
                ours = pattern == "*" || pattern.starts_with("*.") && named();
            } else if let Some((name, value)) = line.split_once('=').filter(|_| ours)
                && name.trim() == "max_line_length"
            {
                found = value.trim().parse().ok();
            }
        }
        found
    })
}

/// The top level of a YAML text that is a list of names and plain values.
fn flat_yaml(text: &str) -> Value {
    let pairs = text.lines().filter(|line| !line.starts_with([' ', '\t', '#', '-'])).filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        let value = value.split(" #").next()?.trim().trim_matches(['"', '\'']);
        let value = match value {
            "true" => Value::Bool(true),
            "false" => Value::Bool(false),
            value => value.parse::<u64>().map_or_else(|_| Value::from(value), Value::from),
        };
        Some((name.trim().trim_matches(['"', '\'']).to_owned(), value))
    });
    Value::Object(pairs.collect())
}

fn number(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|value| usize::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::Formatter;
    use crate::render::Files;
    use crate::syntax::source::SourceText;

    struct Given(Vec<(&'static str, &'static str)>);

    impl Files for Given {
        fn text(&self, path: &str) -> Option<Rc<SourceText>> {
            let (_, text) = self.0.iter().find(|(known, _)| *known == path)?;
            SourceText::decode(text.as_bytes().to_vec()).ok().map(Rc::new)
        }

        fn exists(&self, path: &str) -> bool {
            self.0.iter().any(|(known, _)| *known == path)
        }
    }

    fn of(files: &[(&'static str, &'static str)]) -> Formatter {
        Formatter::of(&Given(files.to_vec()), "a/src/x.ts")
    }

    #[test]
    fn prettier_is_asked_wherever_it_keeps_its_settings() {
        let json = r#"{ "singleQuote": true, "printWidth": 100, "trailingComma": "es5" }"#;
        let found = of(&[("a/.prettierrc", json)]);
        assert_eq!((found.width, found.quote, found.semicolons), (Some(100), Some('\''), Some(true)));
        assert_eq!((found.commas, found.argument_commas), (Some(true), Some(false)));
        let found = of(&[(
            "a/.prettierrc",
            "# so\nsemi: false\nprintWidth: 90 # wide\ntrailingComma: 'none'\narrowParens: avoid\n",
        )]);
        assert_eq!((found.width, found.quote, found.semicolons), (Some(90), Some('"'), Some(false)));
        assert_eq!((found.commas, found.arrow_parentheses), (Some(false), Some(false)));
        let found = of(&[("package.json", r#"{ "prettier": { "semi": false } }"#)]);
        assert_eq!((found.semicolons, found.argument_commas), (Some(false), None));
        assert_eq!(of(&[("package.json", r#"{ "prettier": "@own/settings" }"#)]), Formatter::default());
        // The nearest folder decides, also where what it says can't be read.
        assert_eq!(
            of(&[("a/prettier.config.js", ""), ("package.json", r#"{ "prettier": {} }"#)]),
            Formatter::default()
        );
    }

    #[test]
    fn biome_and_the_line_length_of_all_editors() {
        let json = "{ // so\n  \"formatter\": { \"lineWidth\": 100 }, \"javascript\": { \"formatter\": { \"semicolons\": \"asNeeded\" } } }";
        let found = of(&[("a/biome.jsonc", json)]);
        assert_eq!((found.width, found.quote, found.semicolons), (Some(100), Some('"'), Some(false)));
        assert_eq!(of(&[("biome.json", r#"{ "formatter": { "enabled": false } }"#)]), Formatter::default());
        let editor = "root = true\n[*.{py,rs}]\nmax_line_length = 70\n[*.{js,ts}]\nmax_line_length = 110\n[*.md]\nmax_line_length = off\n";
        assert_eq!(of(&[(".editorconfig", editor)]), Formatter { width: Some(110), ..Formatter::default() });
        assert_eq!(of(&[]), Formatter::default());
    }
}
