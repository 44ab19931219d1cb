//! The one table of what the scan must answer: every gold server, every shape, every case, against the file beside it that holds the
//! right answer. Entries in (brackets) may be reported or not.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use mcp_migrate::report::scan::Scan;
use mcp_migrate::rules::finding::Severity;
use mcp_migrate::{ScanOptions, Silent, scan};

/// Languages that the scan reads so far.
const READ: &[&str] = &["typescript", "python", "rust"];

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

fn run(path: &Path) -> Scan {
    let options = ScanOptions { paths: vec![path.to_owned()], ..ScanOptions::default() };
    scan(&options, &Silent).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// What must be there, and what may.
#[derive(Debug, Default)]
struct Wanted {
    must: BTreeSet<String>,
    may: BTreeSet<String>,
}

impl Wanted {
    fn parse(cell: &str, separator: char) -> Self {
        let mut out = Self::default();
        for entry in cell.split(separator).map(str::trim).filter(|entry| !entry.is_empty() && *entry != "-") {
            match entry.strip_prefix('(').and_then(|entry| entry.strip_suffix(')')) {
                Some(optional) => out.may.insert(optional.to_owned()),
                None => out.must.insert(entry.to_owned()),
            };
        }
        out
    }

    fn check(&self, what: &str, found: &BTreeSet<String>, problems: &mut Vec<String>) {
        for missing in self.must.difference(found) {
            problems.push(format!("{what}: {missing} is missing (found: {found:?})"));
        }
        for extra in found.iter().filter(|entry| !self.must.contains(*entry) && !self.may.contains(*entry)) {
            problems.push(format!("{what}: {extra} is too much"));
        }
    }
}

fn set<T: ToString>(items: impl IntoIterator<Item = T>) -> BTreeSet<String> {
    items.into_iter().map(|item| item.to_string()).collect()
}

fn stores(scan: &Scan) -> BTreeSet<String> {
    let stores = scan.servers.iter().flat_map(|server| &server.stores);
    set(stores.map(|s| format!("{}:{}:{}:{}", s.name, s.holds, s.carrier, s.failure)))
}

fn rules(scan: &Scan) -> BTreeSet<String> {
    set(scan.findings.iter().map(|finding| finding.rule))
}

fn rows(table: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(table).unwrap_or_else(|error| panic!("{}: {error}", table.display()));
    text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

fn report(problems: &[String]) {
    assert!(problems.is_empty(), "{} wrong answers:\n{}", problems.len(), problems.join("\n"));
}

/// A server that is one file, with the module of handles that it may import.
fn with_handles(file: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::copy(file, folder.path().join("server.py")).expect("copying the server");
    let handles = file.with_file_name("handles.py");
    if handles.exists() && file.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with("after")) {
        fs::copy(handles, folder.path().join("handles.py")).expect("copying the handles");
    }
    folder
}

/// `gold/<language>/expected.tsv`: path, category, categories, facets, principal, stores, rules.
fn gold(language: &str) {
    let root = fixtures().join("gold").join(language);
    let mut problems = Vec::new();
    for row in rows(&root.join("expected.tsv")) {
        let [path, category, categories, facets, principal, wanted_stores, wanted_rules] = row.as_slice() else {
            panic!("a row of {language} has {} cells", row.len())
        };
        let file = root.join(path);
        let answer = if file.extension().is_some_and(|extension| extension == "py") {
            run(with_handles(&file).path())
        } else {
            run(&file)
        };
        let mut own = Vec::new();
        let got = answer.summary.category.map_or("null", |category| category.id());
        if got != category {
            own.push(format!("category: {got} for {category}"));
        }
        Wanted::parse(categories, ',').check("categories", &set(&answer.summary.categories), &mut own);
        Wanted::parse(facets, ',').check("facets", &set(&answer.summary.facets), &mut own);
        let got = answer.servers.iter().map(|server| server.principal).max();
        if got.map_or("none", |principal| principal.id()) != principal {
            own.push(format!("principal: {got:?} for {principal}"));
        }
        Wanted::parse(wanted_stores, ';').check("stores", &stores(&answer), &mut own);
        // Every rule named must speak; further notes are free, warnings are not.
        let wanted = Wanted::parse(wanted_rules, ',');
        for missing in wanted.must.difference(&rules(&answer)) {
            own.push(format!("rules: {missing} is silent"));
        }
        let loud = answer.findings.iter().filter(|finding| finding.severity >= Severity::Warning);
        for finding in loud.filter(|f| !wanted.must.contains(f.rule) && !wanted.may.contains(f.rule)) {
            own.push(format!("rules: {} speaks at {}:{}", finding.rule, finding.path, finding.start.line));
        }
        problems.extend(own.into_iter().map(|problem| format!("{path}: {problem}")));
    }
    report(&problems);
}

#[test]
fn gold_typescript() {
    gold("typescript");
}

#[test]
fn gold_python() {
    gold("python");
}

#[test]
fn gold_rust() {
    gold("rust");
}

/// `shapes.expected.tsv`: id, category, store, holds, carrier, failure, note; several rows for several stores.
#[test]
fn shapes_typescript() {
    let root = fixtures().join("gold/typescript/shapes");
    let table = rows(&root.join("shapes.expected.tsv"));
    let mut problems = Vec::new();
    let ids: BTreeSet<&String> = table.iter().map(|row| &row[0]).collect();
    for id in ids {
        let answer = run(&root.join(format!("{id}.ts")));
        let own: Vec<&Vec<String>> = table.iter().filter(|row| row[0] == *id).collect();
        let got = answer.summary.category.map_or("null", |category| category.id());
        if got != own[0][1] {
            problems.push(format!("{id}: category {got} for {}", own[0][1]));
        }
        let wanted = Wanted {
            must: own
                .iter()
                .filter(|row| row[2] != "-")
                .map(|row| format!("{}:{}:{}:{}", row[2], row[3], row[4], row[5]))
                .collect(),
            may: BTreeSet::new(),
        };
        let mut found = Vec::new();
        wanted.check("stores", &stores(&answer), &mut found);
        let note = own.iter().map(|row| row[6].as_str()).collect::<Vec<_>>().join("; ");
        for facet in ["stateless-already", "sse-legacy", "server-initiated", "mutable-list", "telemetry"] {
            if note.contains(&format!("facet {facet}")) && !set(&answer.summary.facets).contains(facet) {
                // S23 speaks of a second tool that answers with the id: an answer, not a label.
                if id != "S23" {
                    found.push(format!("facet {facet} is missing"));
                }
            }
        }
        for rule in ["session-fallback-bucket", "dead-session-code"] {
            if note.contains(rule) && !rules(&answer).contains(rule) {
                found.push(format!("rule {rule} is silent"));
            }
        }
        problems.extend(found.into_iter().map(|problem| format!("{id}: {problem}")));
    }
    report(&problems);
}

/// A copy of a shapes file with one of its entry functions alone: the functions of a file are programs of their own.
fn one_function(file: &Path, others: &[&str]) -> tempfile::TempDir {
    let mut text = fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    for other in others {
        let start = text.find(&format!("pub fn {other}(")).unwrap_or_else(|| panic!("{other} is there"));
        let end = text[start..].find("\n}\n").expect("a function ends") + start + 3;
        text.replace_range(start..end, "");
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("shape.rs"), text).expect("writing the shape");
    folder
}

/// `shapes.expected.tsv` of Rust, where an id may name a function of a file.
#[test]
fn shapes_rust() {
    let root = fixtures().join("gold/rust/shapes");
    let table = rows(&root.join("shapes.expected.tsv"));
    let mut problems = Vec::new();
    for row in &table {
        let [id, category, store, holds, carrier, failure, silent, _note] = row.as_slice() else {
            panic!("a row has {} cells", row.len())
        };
        let answer = match id.split_once('#') {
            None => run(&root.join(format!("{id}.rs"))),
            Some((file, function)) => {
                let prefix = format!("{file}#");
                let others: Vec<&str> = table
                    .iter()
                    .filter_map(|row| row[0].strip_prefix(&prefix))
                    .filter(|other| *other != function)
                    .collect();
                run(one_function(&root.join(format!("{file}.rs")), &others).path())
            }
        };
        let got = answer.summary.category.map_or("none", |found| found.id());
        if got != category {
            problems.push(format!("{id}: category {got} for {category}"));
        }
        let wanted = Wanted {
            must: (store != "-").then(|| format!("{store}:{holds}:{carrier}:{failure}")).into_iter().collect(),
            may: BTreeSet::new(),
        };
        let mut found = Vec::new();
        wanted.check("stores", &stores(&answer), &mut found);
        if silent == "yes" {
            let loud = answer.findings.iter().filter(|finding| finding.severity >= Severity::Warning);
            found.extend(loud.map(|finding| format!("{} speaks", finding.rule)));
        }
        problems.extend(found.into_iter().map(|problem| format!("{id}: {problem}")));
    }
    report(&problems);
}

/// `shapes.expected.tsv` of Python, where the same file may belong to a package of the official SDK or of fastmcp.
#[test]
fn shapes_python() {
    let root = fixtures().join("gold/python/shapes");
    let table = rows(&root.join("shapes.expected.tsv"));
    let mut problems = Vec::new();
    let ids: BTreeSet<(&String, &String)> = table.iter().map(|row| (&row[0], &row[1])).collect();
    for (id, sdk) in ids {
        let own: Vec<&Vec<String>> = table.iter().filter(|row| row[0] == *id && row[1] == *sdk).collect();
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::copy(root.join(format!("{id}.py")), folder.path().join("shape.py")).expect("copying the shape");
        let package = if sdk == "official" { "mcp" } else { "fastmcp" };
        let manifest = format!("[project]\nname = \"shape\"\nversion = \"1\"\ndependencies = [\"{package}\"]\n");
        fs::write(folder.path().join("pyproject.toml"), manifest).expect("writing the manifest");
        let answer = run(folder.path());
        let mut found = Vec::new();
        let got = answer.summary.category.map_or("none", |category| category.id());
        if got != own[0][2] {
            found.push(format!("category {got} for {}", own[0][2]));
        }
        let nameless = own.iter().any(|row| row[3] == "-" && row[2] == "app-state");
        let got = stores(&answer);
        if nameless {
            // A store without a name of its own.
            let tail = format!(":{}:{}:{}", own[0][4], own[0][5], own[0][6]);
            if got.len() != 1 || !got.iter().all(|store| store.ends_with(&tail)) {
                found.push(format!("stores: {got:?} instead of one {tail}"));
            }
        } else {
            let must = own.iter().filter(|row| row[3] != "-").map(|row| row[3..7].join(":")).collect();
            Wanted { must, may: BTreeSet::new() }.check("stores", &got, &mut found);
        }
        let note = own.iter().map(|row| row[8].as_str()).collect::<Vec<_>>().join("; ");
        for word in note.split("facet ").skip(1) {
            let facet: String = word.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
            if !set(&answer.summary.facets).contains(&facet) {
                found.push(format!("facet {facet} is missing (found {:?})", answer.summary.facets));
            }
        }
        if own.iter().all(|row| row[7] == "yes") {
            let loud = answer.findings.iter().filter(|finding| finding.severity >= Severity::Warning);
            found.extend(loud.map(|finding| format!("{} speaks", finding.rule)));
        }
        problems.extend(found.into_iter().map(|problem| format!("{id} {sdk}: {problem}")));
    }
    report(&problems);
}

/// A tool is called as its attribute says, else as its function.
#[test]
fn tools_of_rust() {
    let path = fixtures().join("gold/rust/c_header_keyed_map/before/src/main.rs");
    let text = fs::read_to_string(path).expect("the server is there");
    let text = text.replace("#[tool(description = \"Order", "#[tool(name = \"order\", description = \"Order");
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("main.rs"), text).expect("writing the server");
    let answer = run(folder.path());
    let tools: Vec<&String> = answer.servers.iter().flat_map(|s| &s.stores).flat_map(|store| &store.tools).collect();
    assert_eq!(tools, ["add_item", "order", "show_basket"]);
}

/// Positions of the session switch that no literal shows.
#[test]
fn switches_of_rust() {
    let shape =
        fs::read_to_string(fixtures().join("gold/rust/shapes/config_spellings.rs")).expect("the shape is there");
    let start = shape.find("pub fn builder_on").expect("its functions follow");
    for (options, sessions, sessionless) in [
        ("StreamableHttpServerConfig::default().with_stateful_mode(!flag())", true, true),
        ("{ let mut c = StreamableHttpServerConfig::default(); if flag() { c.stateful_mode = false; } c }", true, true),
        ("StreamableHttpServerConfig { stateful_mode: flag(), ..Default::default() }", true, true),
        ("StreamableHttpServerConfig::default().with_legacy_session_mode(true)", true, false),
        ("StreamableHttpServerConfig::default().with_legacy_session_mode(false)", false, true),
        ("Default::default()", true, false),
        ("unknown()", true, false),
    ] {
        let text = format!(
            "{}pub fn serve() {{ StreamableHttpService::new(|| Ok(Clock), Default::default(), {options}); }}\n",
            &shape[..start]
        );
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("shape.rs"), text).expect("writing the shape");
        let answer = run(folder.path());
        assert_eq!(answer.summary.category.is_some_and(|c| c.id() == "setup-only"), sessions, "{options}");
        assert_eq!(set(&answer.summary.facets).contains("stateless-already"), sessionless, "{options}");
    }
}

/// Spellings of the session switch of Python: what is set up, and whether it has sessions, can do without, leaves it to the SDK.
#[test]
fn switches_of_python() {
    let official = "from mcp.server.fastmcp import FastMCP\n";
    let fastmcp = "from fastmcp import FastMCP\n";
    for (sdk, program, sessions, sessionless, implicit) in [
        (
            official,
            "mcp = FastMCP('x', stateless_http=False)\nmcp.run(transport='streamable-http')",
            true,
            false,
            false,
        ),
        (official, "mcp = FastMCP('x', stateless_http=True)\nmcp.run(transport='streamable-http')", false, true, false),
        (official, "mcp = FastMCP('x')\nmcp.run(transport='streamable-http')", false, false, true),
        (official, "mcp = FastMCP('x')\nmcp.run('streamable-http')", false, false, true),
        (official, "mcp = FastMCP('x')\nmcp.run()", false, false, false),
        (official, "mcp = FastMCP('x')\nmcp.run(transport='stdio')", false, false, false),
        (official, "mcp = FastMCP('x')\napp = mcp.streamable_http_app()", false, false, true),
        (
            official,
            "mcp = FastMCP('x')\nmcp.settings.stateless_http = True\napp = mcp.streamable_http_app()",
            false,
            true,
            false,
        ),
        (
            official,
            "options = {'stateless_http': True}\nmcp = FastMCP('x', **options)\napp = mcp.streamable_http_app()",
            false,
            true,
            false,
        ),
        (official, "def make(off: bool):\n    return FastMCP('x', stateless_http=off)\nmake(True)", true, true, false),
        (
            official,
            "import os\nmcp = FastMCP('x', stateless_http=os.getenv('OFF') == '1')\napp = mcp.streamable_http_app()",
            true,
            true,
            false,
        ),
        // What nobody sets is what its default says.
        (
            official,
            "import os\nclass Config:\n    OFF: bool = os.getenv('OFF', 'true').lower() == 'true'\nconfig = Config()\nmcp = FastMCP('x', stateless_http=config.OFF)\napp = mcp.streamable_http_app()",
            false,
            true,
            false,
        ),
        (
            official,
            "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--keep-sessions', action='store_true')\nargs = parser.parse_args()\nmcp = FastMCP('x')\nmcp.settings.stateless_http = not args.keep_sessions\napp = mcp.streamable_http_app()",
            false,
            true,
            false,
        ),
        (
            official,
            "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--stateless', action='store_true')\nargs = parser.parse_args()\nmcp = FastMCP('x')\nmcp.settings.stateless_http = args.stateless\napp = mcp.streamable_http_app()",
            true,
            true,
            false,
        ),
        (
            fastmcp,
            "import os\nOFF = os.environ.get('OFF', '0') in ('1', 'true')\nmcp = FastMCP('x')\nmcp.run(transport='http', stateless_http=OFF)",
            true,
            true,
            false,
        ),
        (
            fastmcp,
            "import os\nOFF = os.environ.get('OFF', '1') in ('1', 'true')\nmcp = FastMCP('x')\nmcp.run(transport='http', stateless_http=OFF)",
            false,
            true,
            false,
        ),
        (
            fastmcp,
            "from pydantic import Field\nfrom pydantic_settings import BaseSettings\nclass Settings(BaseSettings):\n    off: bool = Field(default=True)\nsettings = Settings()\nmcp = FastMCP('x')\nmcp.run(transport='http', stateless_http=settings.off)",
            false,
            true,
            false,
        ),
        (fastmcp, "mcp = FastMCP('x')\nmcp.run(transport='http', stateless_http=True)", false, true, false),
        (fastmcp, "mcp = FastMCP('x')\nmcp.run(transport='http', stateless=True)", false, true, false),
        (fastmcp, "mcp = FastMCP('x')\napp = mcp.http_app(stateless_http=False)", true, false, false),
        (fastmcp, "mcp = FastMCP('x')\napp = mcp.http_app()", false, false, true),
        (fastmcp, "mcp = FastMCP('x')\napp = mcp.http_app(transport='sse')", false, false, false),
        (
            fastmcp,
            "import os\nos.environ.setdefault('FASTMCP_STATELESS_HTTP', 'true')\nmcp = FastMCP('x')\nmcp.run(transport='http')",
            false,
            true,
            false,
        ),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::write(folder.path().join("server.py"), format!("{sdk}{program}\n")).expect("writing the server");
        let answer = run(folder.path());
        let facets = set(&answer.summary.facets);
        let category = answer.summary.category.map_or("none", |category| category.id());
        assert_eq!(category == "setup-only", sessions, "{program}");
        assert_eq!(rules(&answer).contains("session-transport-setup"), sessions, "{program}");
        assert_eq!(facets.contains("stateless-already"), sessionless, "{program}");
        assert_eq!(facets.contains("implicit-sessions"), implicit, "{program}");
        assert_eq!(rules(&answer).contains("implicit-sessions"), implicit, "{program}");
    }
}

/// One `case.json`.
fn case(folder: &Path, expected: &serde_json::Value, problems: &mut Vec<String>) {
    let texts = |value: &serde_json::Value| -> BTreeSet<String> {
        value.as_array().into_iter().flatten().filter_map(|v| v.as_str().map(str::to_owned)).collect()
    };
    let answer = run(folder);
    let mut own = Vec::new();
    let allowed = |key: &str, value: &str| {
        let mut all = texts(&expected[format!("{key}_allowed")]);
        all.extend(expected[key].as_str().map(str::to_owned));
        all.contains(value)
    };
    let got = answer.summary.category.map_or("null", |category| category.id());
    if !allowed("category", got) {
        own.push(format!("category: {got} for {}", expected["category"]));
    }
    let categories = set(&answer.summary.categories);
    if categories != texts(&expected["categories"]) {
        let others = expected["categories_allowed"].as_array().into_iter().flatten().any(|v| texts(v) == categories);
        if !others {
            own.push(format!("categories: {categories:?} for {}", expected["categories"]));
        }
    }
    for facet in texts(&expected["facets"]).difference(&set(&answer.summary.facets)) {
        own.push(format!("facet {facet} is missing (found {:?})", answer.summary.facets));
    }
    for rule in texts(&expected["rules"]).difference(&rules(&answer)) {
        own.push(format!("rule {rule} is silent (found {:?})", rules(&answer)));
    }
    let found: Vec<_> = answer.servers.iter().flat_map(|server| &server.stores).collect();
    let wanted = expected["stores"].as_array().cloned().unwrap_or_default();
    for store in &wanted {
        let Some(got) = found.iter().find(|s| store["name"] == s.name.as_str()) else {
            own.push(format!("store {} is missing", store["name"]));
            continue;
        };
        for (key, value) in [("holds", got.holds.id()), ("carrier", got.carrier.id()), ("failure", got.failure.id())] {
            let others = texts(&store[format!("{key}_allowed")]);
            if store[key] != value && !others.contains(value) {
                own.push(format!("store {}: {key} {value} for {}", store["name"], store[key]));
            }
        }
    }
    for extra in found.iter().filter(|s| !wanted.iter().any(|w| w["name"] == s.name.as_str())) {
        own.push(format!("store {} is too much", extra.name));
    }
    let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    problems.extend(own.into_iter().map(|problem| format!("{name}: {problem}")));
}

#[test]
fn cases() {
    let mut problems = Vec::new();
    let mut waiting = BTreeSet::new();
    let mut folders: Vec<PathBuf> =
        fs::read_dir(fixtures().join("cases")).expect("the cases are there").flatten().map(|e| e.path()).collect();
    folders.sort();
    for folder in folders.iter().filter(|folder| folder.is_dir()) {
        let text = fs::read_to_string(folder.join("case.json")).expect("a case has its answer");
        let expected: serde_json::Value = serde_json::from_str(&text).expect("case.json is JSON");
        let language = expected["language"].as_str().expect("a case has a language");
        if READ.contains(&language) {
            case(folder, &expected, &mut problems);
        } else {
            waiting.insert(language.to_owned());
        }
    }
    println!("cases in languages still to come: {waiting:?}");
    report(&problems);
}
