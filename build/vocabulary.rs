//! Turns `grammars/<language>/sdk.toml` into static tables.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    language: Traits,
    #[serde(default)]
    signature: Vec<Signature>,
    #[serde(default)]
    switch: Vec<Switch>,
    #[serde(default)]
    setup: Setup,
    #[serde(default)]
    export: Vec<Export>,
    #[serde(default)]
    member: Vec<Member>,
    #[serde(default)]
    anywhere: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Switch {
    names: Vec<String>,
    on: String,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct Setup {
    switches: Vec<String>,
    settings: String,
    environment: String,
    if_unset: String,
    transport: String,
    http: Vec<String>,
    sse: Vec<String>,
    run: Vec<String>,
    run_http: Vec<String>,
    run_app: Vec<String>,
    run_sse: Vec<String>,
    event_store: String,
    modern: String,
    hook: String,
    counted: String,
    environment_reads: Vec<String>,
    reads: Vec<String>,
    normalizes: Vec<String>,
    converts: Vec<String>,
    fields: Vec<String>,
    option: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
#[derive(Default)]
struct Traits {
    absent_raises: bool,
    transport_table_works: bool,
    factory_per_session: bool,
    class_attributes: bool,
    handlers_by_type: bool,
    dotted: bool,
    open_imports: bool,
    object_literal: Option<String>,
    call_method: String,
    enter_methods: Vec<String>,
    index_module: String,
    containers: [String; 5],
    generics: [String; 2],
    explicit_factories: bool,
    partial_classes: bool,
    full_construction: bool,
    modern_by_version: bool,
    raw_header: bool,
    context_names: Vec<String>,
    default_name: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Signature {
    params: Vec<String>,
    gives: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Export {
    from: Vec<String>,
    names: Vec<String>,
    gives: Option<String>,
    does: Option<String>,
    text: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Member {
    of: Vec<String>,
    names: Vec<String>,
    gives: Option<String>,
    does: Option<String>,
    source: Option<String>,
}

/// An id of the data file as the enum variant's path.
fn variant(kind: &str, id: &str) -> String {
    let camel: String = id.split('-').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
    let camel = if camel == "ExternalStore" { "External".to_owned() } else { camel };
    format!("{kind}::{camel}")
}

fn option(kind: &str, id: Option<&String>) -> String {
    id.map_or("None".to_owned(), |id| format!("Some({})", variant(kind, id)))
}

impl Traits {
    fn rust(&self) -> String {
        let texts = |texts: &[String]| texts.iter().map(|text| format!("{text:?}")).collect::<Vec<_>>().join(", ");
        format!(
            "Traits {{ absent_raises: {}, transport_table_works: {}, factory_per_session: {}, class_attributes: {}, \
             handlers_by_type: {}, dotted: {}, open_imports: {}, object_literal: {}, call_method: {:?}, enter_methods: &[{}], \
             index_module: {:?}, containers: [{}], generics: [{}], explicit_factories: {}, partial_classes: {}, full_construction: {}, \
             modern_by_version: {}, raw_header: {}, context_names: &[{}], default_name: {:?} }}",
            self.absent_raises,
            self.transport_table_works,
            self.factory_per_session,
            self.class_attributes,
            self.handlers_by_type,
            self.dotted,
            self.open_imports,
            option("Role", self.object_literal.as_ref()),
            self.call_method,
            texts(&self.enter_methods),
            self.index_module,
            texts(&self.containers),
            texts(&self.generics),
            self.explicit_factories,
            self.partial_classes,
            self.full_construction,
            self.modern_by_version,
            self.raw_header,
            texts(&self.context_names),
            self.default_name,
        )
    }
}

impl Setup {
    fn rust(&self) -> String {
        format!(
            "SetupNames {{ switches: &{:?}, settings: {:?}, environment: {:?}, if_unset: {:?}, transport: {:?}, http: &{:?}, sse: &{:?}, \
             run: &{:?}, run_http: &{:?}, run_app: &{:?}, run_sse: &{:?}, event_store: {:?}, modern: {:?}, hook: {:?}, counted: {:?}, environment_reads: &{:?}, reads: &{:?}, \
             normalizes: &{:?}, converts: &{:?}, fields: &{:?}, option: {:?} }}",
            self.switches,
            self.settings,
            self.environment,
            self.if_unset,
            self.transport,
            self.http,
            self.sse,
            self.run,
            self.run_http,
            self.run_app,
            self.run_sse,
            self.event_store,
            self.modern,
            self.hook,
            self.counted,
            self.environment_reads,
            self.reads,
            self.normalizes,
            self.converts,
            self.fields,
            self.option,
        )
    }
}

impl Signature {
    fn rust(&self) -> String {
        format!("Signature {{ params: &{:?}, gives: {} }},", self.params, variant("Role", &self.gives))
    }
}

/// The Rust source of the tables of every language that has them.
pub fn generate_all(grammars: &Path) -> String {
    let languages = [("typescript", "TYPESCRIPT"), ("python", "PYTHON"), ("rust", "RUST")];
    languages.map(|(name, constant)| generate(&grammars.join(name).join("sdk.toml"), constant)).concat()
}

/// The Rust source of the tables of one language, as a static called `constant`.
fn generate(path: &Path, constant: &str) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let file: File = toml::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut exports = BTreeMap::new();
    for row in &file.export {
        for name in &row.names {
            for from in &row.from {
                let made = format!(
                    "ExportRow {{ from: {from:?}, name: {name:?}, gives: {}, does: {}, text: {:?} }},",
                    option("Role", row.gives.as_ref()),
                    option("Op", row.does.as_ref()),
                    row.text
                );
                let old = exports.insert((name.clone(), from.clone()), made);
                assert!(old.is_none(), "{}: {name} of {from} stands twice", path.display());
            }
        }
    }
    let mut members = BTreeMap::new();
    for row in &file.member {
        for name in &row.names {
            for of in &row.of {
                let made = format!(
                    "MemberRow {{ of: {}, name: {name:?}, gives: {}, does: {}, source: {} }},",
                    variant("Role", of),
                    option("Role", row.gives.as_ref()),
                    option("Op", row.does.as_ref()),
                    option("Source", row.source.as_ref())
                );
                let old = members.insert((name.clone(), of.clone()), made);
                assert!(old.is_none(), "{}: {name} of {of} stands twice", path.display());
            }
        }
    }
    let mut anywhere = BTreeMap::new();
    for (op, names) in &file.anywhere {
        for name in names {
            anywhere.insert(name.clone(), format!("({name:?}, {}),", variant("Op", op)));
        }
    }
    let mut out = String::new();
    let mut switches = String::new();
    for row in &file.switch {
        for name in &row.names {
            write!(switches, "SwitchRow {{ name: {name:?}, on: {:?} }}, ", row.on).expect("writing to a string");
        }
    }
    let rows = |map: &mut dyn Iterator<Item = &String>| map.cloned().collect::<Vec<_>>().join("\n    ");
    write!(
        out,
        "/// Generated from `sdk.toml`.\npub static {constant}: Tables = Tables {{\n  traits: {},\n  signatures: &[{}],\n  switches: &[{switches}],\n  setup: {},\n  exports: &[\n    {}\n  ],\n  members: &[\n    {}\n  ],\n  anywhere: &[\n    {}\n  ],\n  index: OnceLock::new(),\n}};\n",
        file.language.rust(),
        file.signature.iter().map(Signature::rust).collect::<Vec<_>>().join(" "),
        file.setup.rust(),
        rows(&mut exports.values()),
        rows(&mut members.values()),
        rows(&mut anywhere.values()),
    )
    .expect("writing to a string");
    out
}
