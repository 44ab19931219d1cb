//! `plan` and `fix --plan`: what the file says, that it is obeyed, and what is said of one that can't be.

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::fix::{copy, fix, repository};
use super::{program, run};

fn gold() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/gold/typescript")
}

fn plan(folder: &Path, arguments: &[&str]) -> String {
    let (code, stdout, stderr) = run(program().arg("plan").args(arguments).current_dir(folder));
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    stdout
}

/// The plan of an example beside it, with some of its text changed.
fn planned(folder: &Path, changes: &[(&str, &str)]) {
    let mut text = plan(folder, &[]);
    for (from, to) in changes {
        assert!(text.contains(from), "{from} is not in\n{text}");
        text = text.replacen(from, to, 1);
    }
    fs::write(folder.join(".git/plan.toml"), text).expect("the plan");
}

const OBEY: [&str; 2] = ["--plan", ".git/plan.toml"];

fn all(folder: &Path, file: &str) -> String {
    fs::read_to_string(folder.join(file)).unwrap_or_default()
}

#[test]
fn the_plan_of_a_store_tells_each_decision_with_its_reason() {
    let folder = repository("c-session-map/before");
    insta::assert_snapshot!(plan(folder.path(), &[]));
    assert_eq!(plan(folder.path(), &[]), plan(folder.path(), &["."]), "it says the same each time");
}

#[test]
fn the_plan_of_captured_state_and_of_counts() {
    insta::assert_snapshot!(plan(repository("d-factory-closure/before").path(), &[]));
    insta::assert_snapshot!(plan(repository("i-telemetry/before").path(), &[]));
}

#[test]
fn what_is_refused_stands_in_the_plan_with_a_way_out() {
    let text = plan(repository("f-session-auth/before").path(), &[]);
    assert!(text.contains("# Not done: "), "{text}");
    assert!(text.contains("# To do: "), "{text}");
}

/// Every example, also those in folders of shapes.
fn examples() -> Vec<PathBuf> {
    let mut out = Vec::new();
    let servers = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/e2e/typescript");
    let servers = fs::read_dir(servers).expect("servers").flatten().map(|entry| entry.path());
    out.extend(servers.filter(|folder| folder.join("package.json").is_file()));
    let mut folders = vec![gold()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("examples").flatten().filter(|entry| entry.path().is_dir()) {
            match entry.file_name().to_string_lossy().starts_with("before") {
                true => out.push(entry.path()),
                false => folders.push(entry.path()),
            }
        }
    }
    out.sort();
    assert!(out.len() >= 10, "{out:?}");
    out
}

#[test]
fn a_plan_that_nobody_changed_does_what_happens_without_one() {
    for example in examples() {
        let folder = TempDir::new().expect("a folder");
        copy(&example, folder.path());
        let text = plan(folder.path(), &[]);
        let file = TempDir::new().expect("a folder for the plan");
        let file = file.path().join("plan.toml");
        fs::write(&file, &text).expect("the plan");
        let with = fix(folder.path(), &["--dry-run", "--plan", file.to_str().expect("UTF-8")]);
        let without = fix(folder.path(), &["--dry-run"]);
        assert_eq!(with, without, "{}\n{text}", example.display());
        let document: toml::Value = toml::from_str(&text).expect("TOML");
        let schema = serde_json::from_str(mcp_migrate::report::plan_toml::SCHEMA_TEXT).expect("JSON");
        let validator = jsonschema::draft202012::new(&schema).expect("the schema is sound");
        let document = serde_json::to_value(document).expect("JSON");
        let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}\n{text}", example.display());
    }
}

#[test]
fn names_lifetimes_and_arguments_are_obeyed() {
    let folder = repository("c-session-map/before");
    planned(
        folder.path(),
        &[
            ("noun = \"basket\"", "noun = \"shopping trolley\""),
            ("argument = \"basket_id\"", "argument = \"trolley_ref\""),
            ("prefix = \"bsk\"", "prefix = \"trl\""),
            ("create = \"create_basket\"", "create = \"new_trolley\""),
            ("destroy = \"destroy_basket\"", "destroy = \"drop_trolley\""),
            ("idle-seconds = 1800", "idle-seconds = 0"),
            ("limit = 1000", "limit = 7"),
            ("create-parameters = [\"currency\"]", "create-parameters = []"),
        ],
    );
    let (code, stdout, stderr) = fix(folder.path(), &OBEY);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    let server = all(folder.path(), "src/server.ts");
    for wanted in [
        "noun: 'shopping trolley'",
        "prefix: 'trl'",
        "createTool: 'new_trolley'",
        "trolley_ref: z.string().describe('trolley_ref returned by new_trolley')",
        "'drop_trolley'",
        "process.env.SHOPPING_TROLLEY_IDLE_SECONDS || 0)",
        "process.env.SHOPPING_TROLLEY_LIMIT || 7)",
        "currency: 'EUR'",
    ] {
        assert!(server.contains(wanted), "{wanted} is not in\n{server}");
    }
    assert!(!server.contains("basket_id") && !server.contains(".default('EUR')"), "{server}");
}

#[test]
fn lines_that_are_taken_out_follow_the_noun_and_the_settings() {
    let folder = repository("c-session-map/before");
    fs::write(folder.path().join("mcp-migrate.toml"), "[fix.names]\nbaskets = { noun = 'crate', prefix = 'crx' }\n")
        .expect("x");
    planned(
        folder.path(),
        &[
            ("noun = \"crate\"", "noun = \"trolley\""),
            ("argument = \"crate_id\"\n", ""),
            ("prefix = \"crx\"\n", ""),
            ("create = \"create_crate\"\n", ""),
            ("destroy = \"destroy_crate\"\n", ""),
        ],
    );
    let (code, stdout, _) = fix(folder.path(), &["--plan", ".git/plan.toml", "--allow-dirty"]);
    assert_eq!(code, 0, "{stdout}");
    let server = all(folder.path(), "src/server.ts");
    // The plan comes before the settings, and these before the code.
    for wanted in ["'create_trolley'", "'destroy_trolley'", "trolley_id", "prefix: 'crx'"] {
        assert!(server.contains(wanted), "{wanted} is not in\n{server}");
    }
}

#[test]
fn what_is_left_to_a_person_stays_and_the_sessions_with_it() {
    let folder = repository("c-session-map/before");
    let before = all(folder.path(), "src/server.ts");
    planned(folder.path(), &[("carrier = \"handle\"", "carrier = \"manual\"")]);
    let (code, stdout, _) = fix(folder.path(), &OBEY);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains("The plan leaves it to you") || stdout.contains("the plan leaves it to you"), "{stdout}");
    assert_eq!(all(folder.path(), "src/server.ts"), before);
}

#[test]
fn a_carrier_that_fix_can_not_do_is_refused_with_the_reason() {
    let folder = repository("c-session-map/before");
    let before = all(folder.path(), "src/server.ts");
    planned(folder.path(), &[("carrier = \"handle\"", "carrier = \"argument\"")]);
    let (code, stdout, _) = fix(folder.path(), &OBEY);
    assert_eq!(code, 1, "{stdout}");
    let flat = stdout.replace("\n#", "").split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("no caller was seen to have its values already"), "{stdout}");
    assert_eq!(all(folder.path(), "src/server.ts"), before);
}

#[test]
fn transports_that_are_to_stay_keep_the_sessions() {
    let folder = repository("b-transport-map/before");
    let before = all(folder.path(), "src/server.ts");
    planned(folder.path(), &[("carrier = \"drop\"", "carrier = \"manual\"")]);
    let (code, stdout, _) = fix(folder.path(), &OBEY);
    assert_eq!(code, 1, "{stdout}");
    assert_eq!(all(folder.path(), "src/server.ts"), before);
}

#[test]
fn what_can_not_be_stops_before_anything_is_written() {
    let folder = repository("c-session-map/before");
    let before = all(folder.path(), "src/server.ts");
    for (from, to, message) in [
        ("id = \"src/server.ts#baskets\"", "id = \"src/server.ts#basket\"", "did you mean `src/server.ts#baskets`?"),
        ("path = \".\"", "path = \"packages/cart\"", "there is no server in `packages/cart`"),
        ("create = \"create_basket\"", "create = \"checkout\"", "there is a tool `checkout` already"),
        ("argument = \"basket_id\"", "argument = \"sku\"", "there is an argument `sku` already"),
        ("create-parameters = [\"currency\"]", "create-parameters = [\"lines\"]", "`lines` can't be an argument"),
        ("noun = ", "nuon = ", "did you mean `noun`?"),
    ] {
        planned(folder.path(), &[(from, to)]);
        let (code, stdout, stderr) = fix(folder.path(), &OBEY);
        assert_eq!((code, stdout.as_str()), (2, ""), "{to}: {stderr}");
        let flat = stderr.replace(['│', '×', '╰', '▶'], " ").split_whitespace().collect::<Vec<_>>().join(" ");
        let plan = all(folder.path(), ".git/plan.toml");
        let line = plan.lines().position(|line| line.contains(to)).expect("its line") + 1;
        assert!(flat.contains(&format!("plan.toml:{line}:")), "{to} in line {line}: {stderr}");
        assert!(flat.contains(message), "{to}: {stderr}");
        assert!(flat.contains("help:"), "{to}: {stderr}");
        assert_eq!(all(folder.path(), "src/server.ts"), before);
    }
}

#[test]
fn a_plan_of_code_that_has_changed_since_is_refused() {
    let folder = repository("c-session-map/before");
    planned(folder.path(), &[]);
    assert_eq!(fix(folder.path(), &OBEY).0, 0);
    let (code, stdout, stderr) = fix(folder.path(), &OBEY);
    assert_eq!((code, stdout.as_str()), (2, ""));
    let flat = stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("nothing of the id `src/server.ts#baskets` is kept per session"), "{stderr}");
    assert!(flat.contains("migrated, renamed or taken away since"), "{stderr}");
}

#[test]
fn it_is_written_to_a_file_and_to_one_that_can_not_be_written_it_says_so() {
    let folder = repository("b-transport-map/before");
    let stdout = plan(folder.path(), &["--output", "out.toml"]);
    assert_eq!(stdout, "");
    assert!(all(folder.path(), "out.toml").contains("schema = \"mcp-migrate/plan/v1\""));
    let (code, _, stderr) = run(program().args(["plan", "--output", "no/such/plan.toml"]).current_dir(folder.path()));
    assert_eq!(code, 2);
    assert!(stderr.contains("no/such/plan.toml"), "{stderr}");
    let (code, _, stderr) = fix(folder.path(), &["--plan", "no/such/plan.toml"]);
    assert_eq!(code, 2);
    assert!(stderr.contains("no/such/plan.toml"), "{stderr}");
    let empty = TempDir::new().expect("a folder");
    assert_eq!(run(program().arg("plan").current_dir(empty.path())).0, 2);
    assert_eq!(run(program().args(["plan", "--allow-empty"]).current_dir(empty.path())).0, 0);
}

#[test]
fn values_are_kept_by_a_class_of_the_repository_where_the_plan_names_one() {
    let folder = repository("c-session-map/before");
    let shared = "store = \"shared\"\nstore-module = \"src/redis-handles.ts\"\nstore-class = \"RedisHandles\"";
    let named = [("store = \"in-memory\"", shared)];
    planned(folder.path(), &named);
    let (code, stdout, _) = fix(folder.path(), &OBEY);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains("there is no such file"), "{stdout}");

    fs::write(folder.path().join("src/redis-handles.ts"), "export class RedisHandles {}\n").expect("a class");
    let (code, stdout, stderr) = fix(folder.path(), &OBEY);
    assert_eq!((code, stderr.as_str()), (0, ""), "{stdout}");
    let server = all(folder.path(), "src/server.ts");
    for wanted in [
        "import { RedisHandles } from './redis-handles.js';",
        "import type { HandleStore } from './handles.js';",
        "const baskets: HandleStore<Basket> = new RedisHandles({",
        "await baskets.save(basket_id, basket);",
    ] {
        assert!(server.contains(wanted), "{wanted} is not in\n{server}");
    }
    assert!(!server.contains("MemoryHandles"), "{server}");
}

#[test]
fn a_change_that_can_not_be_written_back_keeps_a_store_from_being_shared() {
    let folder = repository("c-session-map/before");
    let file = folder.path().join("src/server.ts");
    let server = all(folder.path(), "src/server.ts");
    let held = "const basket = getBasket(extra.sessionId);\n      basket.lines.push(";
    assert!(server.contains(held), "{server}");
    let passing = server.replacen(
        held,
        "const basket = { lines: getBasket(extra.sessionId).lines };\n      basket.lines.push(",
        1,
    );
    fs::write(&file, passing).expect("a server");
    fs::write(folder.path().join("src/redis-handles.ts"), "export class RedisHandles {}\n").expect("a class");
    let shared = "store = \"shared\"\nstore-module = \"src/redis-handles.ts\"\nstore-class = \"RedisHandles\"";
    planned(folder.path(), &[("store = \"in-memory\"", shared)]);
    let (code, stdout, _) = fix(folder.path(), &["--plan", ".git/plan.toml", "--allow-dirty"]);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains("hands out"), "{stdout}");
    assert!(!all(folder.path(), "src/server.ts").contains("RedisHandles"));
}

#[test]
fn a_shared_store_without_a_class_is_left_with_what_it_has_to_do() {
    let folder = repository("c-session-map/before");
    let before = all(folder.path(), "src/server.ts");
    planned(folder.path(), &[("store = \"in-memory\"", "store = \"shared\"")]);
    let (code, stdout, _) = fix(folder.path(), &OBEY);
    assert_eq!(code, 1, "{stdout}");
    assert!(stdout.contains("store-class"), "{stdout}");
    assert_eq!(all(folder.path(), "src/server.ts"), before);
}

#[test]
fn where_several_processes_run_the_plan_says_where_values_are() {
    let folder = repository("c-session-map/before");
    fs::write(folder.path().join("Procfile"), "web: pm2-runtime start dist/server.js -i 4\n").expect("a manifest");
    let text = plan(folder.path(), &[]);
    assert!(text.contains("# store = \"in-memory\""), "{text}");
    assert!(!text.contains("\nnoun = "), "{text}");
    planned(folder.path(), &[("# store = \"in-memory\"", "store = \"in-memory\"")]);
    let (code, stdout, _) = fix(folder.path(), &OBEY);
    assert_eq!(code, 0, "{stdout}");
    assert!(all(folder.path(), "src/server.ts").contains("new MemoryHandles("));
}

#[test]
fn of_a_store_outside_names_are_obeyed_and_what_is_its_own_affair_is_told() {
    let folder = repository("../../e2e/typescript/pantry");
    let text = plan(folder.path(), &[]);
    for line in ["noun = \"shelf\"", "create = \"create_shelf\"", "destroy = \"destroy_shelf\"", "expire as they did"] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
    assert!(!text.contains("idle-seconds"), "{text}");
    planned(folder.path(), &[("noun = \"shelf\"", "noun = \"shelf\"\nlimit = 9")]);
    let (code, _, stderr) = fix(folder.path(), &OBEY);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.contains("kept outside of this program"), "{stderr}");
    planned(folder.path(), &[("create = \"create_shelf\"", "create = \"build_shelf\""), ("shelf_id", "board_id")]);
    let (code, stdout, stderr) = fix(folder.path(), &OBEY);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let tools = all(folder.path(), "src/tools.ts");
    assert!(tools.contains("\"build_shelf\"") && tools.contains("board_id: z.string()"), "{tools}");
}
