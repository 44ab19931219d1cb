//! Damaged programs: whatever is cut, doubled or thrown into a fixture, the scan ends soon, without a panic and with valid JSON.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use mcp_migrate::report::json;
use mcp_migrate::{ScanOptions, Silent, scan};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tempfile::TempDir;

/// How long one scan may take here, with room for a busy machine and no optimisation.
const LIMIT: Duration = Duration::from_secs(20);

/// The fixtures that are damaged.
static FILES: LazyLock<Vec<PathBuf>> = LazyLock::new(|| {
    let mut files = Vec::new();
    for folder in ["gold/typescript", "cases"] {
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(folder), &mut files);
    }
    files.sort();
    assert!(files.len() > 50, "the fixtures are there");
    files
});

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() && !path.ends_with("node_modules") {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "ts" || e == "js" || e == "mjs") {
            files.push(path);
        }
    }
}

/// Pieces of syntax that send a parser or a solver astray.
const TOKENS: &[&str] = &[
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "`",
    "${",
    "'",
    "\"",
    "/*",
    "*/",
    "//",
    "<",
    ">",
    "=>",
    "?.",
    "??",
    "!",
    ";",
    ",",
    ":",
    "=",
    "...",
    "async ",
    "await ",
    "class ",
    "extends ",
    "this",
    "super",
    "new ",
    "return ",
    "export ",
    "import ",
    "from ",
    "default ",
    "function ",
    "extra.sessionId",
    "transports[",
    "'mcp-session-id'",
    "sessionIdGenerator: ",
    "= this = ",
    "\u{feff}",
    "\u{2028}",
    "\u{1F600}",
    "#x",
    "@d ",
    "<T,>",
    "as any",
    "satisfies ",
    "import('./x')",
    "require(",
    "<<<<<<< HEAD\n",
    "\r\n",
    "\\",
    "0x",
    "1n",
    "/re/",
    "\t",
];

#[derive(Clone, Debug)]
enum Mutation {
    Delete(f64, usize),
    Double(f64, usize),
    Move(f64, f64, usize),
    Truncate(f64),
    Insert(f64, usize, usize),
    Raw(f64, Vec<u8>),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let place = 0.0..1.0f64;
    prop_oneof![
        3 => (place.clone(), 1..120usize).prop_map(|(at, len)| Mutation::Delete(at, len)),
        3 => (place.clone(), 1..400usize).prop_map(|(at, len)| Mutation::Double(at, len)),
        2 => (place.clone(), place.clone(), 1..200usize).prop_map(|(from, to, len)| Mutation::Move(from, to, len)),
        1 => place.clone().prop_map(Mutation::Truncate),
        4 => (place.clone(), 0..TOKENS.len(), 1..5usize).prop_map(|(at, token, times)| Mutation::Insert(at, token, times)),
        1 => (place, prop::collection::vec(any::<u8>(), 1..6)).prop_map(|(at, bytes)| Mutation::Raw(at, bytes)),
    ]
}

fn apply(bytes: &mut Vec<u8>, mutation: &Mutation) {
    let length = bytes.len();
    let position = |at: f64| (at * length as f64) as usize;
    let range = |at: f64, len: usize| position(at)..(position(at) + len).min(length);
    match mutation {
        Mutation::Delete(at, len) => drop(bytes.drain(range(*at, *len))),
        Mutation::Double(at, len) => {
            let part = bytes[range(*at, *len)].to_vec();
            bytes.splice(position(*at)..position(*at), part);
        }
        Mutation::Move(from, to, len) => {
            let part: Vec<u8> = bytes.drain(range(*from, *len)).collect();
            let to = position(*to).min(bytes.len());
            bytes.splice(to..to, part);
        }
        Mutation::Truncate(at) => bytes.truncate(position(*at)),
        Mutation::Insert(at, token, times) => {
            let text = TOKENS[*token].repeat(*times);
            bytes.splice(position(*at)..position(*at), text.into_bytes());
        }
        Mutation::Raw(at, raw) => drop(bytes.splice(position(*at)..position(*at), raw.iter().copied())),
    }
}

/// The fixture's own folder, or what stands beside a single file, with one file damaged.
fn damaged(file: &Path, mutations: &[Mutation]) -> (TempDir, Vec<u8>) {
    let folder = TempDir::new().expect("a folder");
    let manifest = r#"{"name":"x","type":"module","dependencies":{"@modelcontextprotocol/sdk":"^1.26.0"}}"#;
    fs::write(folder.path().join("package.json"), manifest).expect("a file");
    let from = file.parent().expect("a file is in a folder");
    for beside in fs::read_dir(from).expect("a folder").flatten().filter(|_| !from.ends_with("shapes")) {
        if beside.path().is_file() {
            fs::copy(beside.path(), folder.path().join(beside.file_name())).expect("a copy");
        }
    }
    let mut bytes = fs::read(file).expect("a fixture");
    for mutation in mutations {
        apply(&mut bytes, mutation);
    }
    fs::write(folder.path().join(file.file_name().expect("a name")), &bytes).expect("a file");
    (folder, bytes)
}

/// The same damage in each run, unless `PROPTEST_RNG_SEED` says otherwise; `PROPTEST_CASES` says how much of it.
fn config() -> ProptestConfig {
    let default = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    match std::env::var_os("PROPTEST_RNG_SEED") {
        Some(_) => default,
        None => ProptestConfig { rng_seed: RngSeed::Fixed(20_260_728), ..default },
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn damage_is_survived(file in 0..FILES.len(), mutations in prop::collection::vec(mutation(), 1..8)) {
        let (folder, bytes) = damaged(&FILES[file], &mutations);
        let options = ScanOptions { paths: vec![folder.path().to_owned()], ..ScanOptions::default() };
        let began = Instant::now();
        let answer = std::panic::catch_unwind(|| scan(&options, &Silent));
        let took = began.elapsed();
        let text = String::from_utf8_lossy(&bytes);
        prop_assert!(took < LIMIT, "{took:?}:\n{text}");
        let Ok(answer) = answer else { return Err(TestCaseError::fail(format!("a panic:\n{text}"))) };
        let answer = answer.expect("the folder is readable");
        let again = scan(&options, &Silent).expect("and still is");
        prop_assert_eq!(json::render(&answer), json::render(&again), "two scans of one text differ:\n{}", text);
        let document: serde_json::Value = serde_json::from_str(&json::render(&answer)).expect("JSON");
        for finding in document["findings"].as_array().expect("a list") {
            let (start, end) = (&finding["start"], &finding["end"]);
            let at = |place: &serde_json::Value| (place["line"].as_u64(), place["column"].as_u64());
            prop_assert!(at(start) <= at(end) && start["byte"].as_u64() <= end["byte"].as_u64(), "{finding}:\n{text}");
            let path = folder.path().join(finding["path"].as_str().expect("a path"));
            let length = fs::metadata(path).expect("it is there").len();
            prop_assert!(end["byte"].as_u64() <= Some(length), "beyond the file: {finding}:\n{text}");
        }
    }
}
