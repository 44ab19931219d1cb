//! Settings and their origins.

use super::support::{CLEAN, NOTES, Repository};
use mcp_migrate::check::Config;
use mcp_migrate::check::config::SCHEMA_TEXT;

fn noted() -> Repository {
    let repository = Repository::bare(CLEAN);
    repository.write("src/notes.ts", NOTES);
    repository
}

#[test]
fn rules_paths_and_exclusions() {
    let repository = noted();
    let found = |text: &str| {
        repository.write("mcp-migrate.toml", text);
        // Also from below: the file is looked for upwards, and its paths stay those of its folder.
        let below = repository.findings(&["src"]);
        let here = repository.findings(&[]);
        assert_eq!((here.0, here.1.len()), (below.0, below.1.len()), "{text}");
        (here.0, here.1.len())
    };
    assert_eq!(found(""), (1, 1));
    assert_eq!(found("[rules]\nsession-keyed-state = 'off'\n"), (0, 0));
    assert_eq!(found("[rules]\nsession-keyed-state = 'note'\n"), (0, 1));
    assert_eq!(found("fail-on = 'note'\n[rules]\nsession-keyed-state = 'note'\n"), (1, 1));
    assert_eq!(found("[[ignore]]\npaths = ['src/notes.ts']\nreason = 'goes'\n"), (0, 0));
    assert_eq!(found("[[ignore]]\npaths = ['src/**']\nrules = ['session-guard']\nreason = 'goes'\n"), (1, 1));
    assert_eq!(found("exclude = ['src/notes.ts']\n"), (0, 0));
    // A rule that is named is wanted.
    repository.write("mcp-migrate.toml", "[rules]\nsession-keyed-state = 'off'\n");
    assert_eq!(repository.findings(&["--rule", "session-keyed-state"]).1.len(), 1);
}

#[test]
fn a_helper_that_gives_the_session_id_can_be_named() {
    let repository = Repository::bare(CLEAN);
    let opaque = NOTES
        .replace("extra.sessionId", "currentKey()")
        .replace("import * as z", "import { currentKey } from '@acme/context';\nimport * as z");
    repository.write("src/notes.ts", &opaque);
    assert_eq!(repository.findings(&["--rule", "session-keyed-state"]).1, Vec::<String>::new());
    repository.write("mcp-migrate.toml", "session-id-functions = ['currentKey']\n");
    assert_eq!(repository.findings(&["--rule", "session-keyed-state"]).1, ["src/notes.ts:5 session-keyed-state"]);
}

#[test]
fn flags_come_first_then_the_environment_then_the_file() {
    let repository = noted();
    repository.write("mcp-migrate.toml", "fail-on = 'never'\nformat = 'json'\n");
    let run = |arguments: &[&str], variables: &[(&str, &str)]| {
        repository.run_with(arguments, |command| {
            command.envs(variables.iter().copied());
        })
    };
    let json = |run: &super::support::Run| run.stdout.starts_with('{');
    let plain = run(&["scan"], &[]);
    assert!(plain.code == 0 && json(&plain));
    let variables = [("MCP_MIGRATE_FAIL_ON", "warning"), ("MCP_MIGRATE_FORMAT", "text")];
    let varied = run(&["scan"], &variables);
    assert!(varied.code == 1 && !json(&varied));
    let flagged = run(&["scan", "--fail-on", "never", "--format", "json"], &variables);
    assert!(flagged.code == 0 && json(&flagged));
    let emptied = run(&["scan"], &[("MCP_MIGRATE_FAIL_ON", "")]);
    assert_eq!(emptied.code, 0);

    // How far a fix goes, too.
    let level = |arguments: &[&str], variables: &[(&str, &str)]| {
        let shown = run(&[&["fix", "--show-settings"], arguments].concat(), variables).stdout;
        shown.lines().find(|line| line.starts_with("level = ")).expect("a level").to_owned()
    };
    assert_eq!(level(&[], &[]), "level = \"review\"  # default");
    repository.write("mcp-migrate.toml", "fail-on = 'never'\nformat = 'json'\n[fix]\nlevel = 'safe'\n");
    assert_eq!(level(&[], &[]), "level = \"safe\"  # file");
    let variables = [("MCP_MIGRATE_LEVEL", "review")];
    assert_eq!(level(&[], &variables), "level = \"review\"  # environment: MCP_MIGRATE_LEVEL");
    assert_eq!(level(&["--level", "safe"], &variables), "level = \"safe\"  # flag");
    let wrong = run(&["fix", "--dry-run"], &[("MCP_MIGRATE_LEVEL", "manual")]);
    assert!(wrong.code == 2 && wrong.said().contains("`safe` and `review`"), "{}", wrong.stderr);

    let wrong = run(&["scan"], &[("MCP_MIGRATE_FAIL_ON", "warn")]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.said().contains("did you mean `warning`?"), "{}", wrong.stderr);
    repository.write("other.toml", "fail-on = 'warning'\n");
    assert_eq!(run(&["scan", "--config", "other.toml"], &[]).code, 1);
    assert_eq!(run(&["scan"], &[("MCP_MIGRATE_CONFIG", "other.toml")]).code, 1);
    assert_eq!(run(&["scan", "--config", "none.toml"], &[]).code, 2);
}

#[test]
fn settings_are_shown_with_their_origin() {
    let repository = noted();
    repository.write(
        "mcp-migrate.toml",
        "fail-on = 'error'\nexclude = ['old/**']\n[rules]\nsession-guard = 'off'\n[[ignore]]\npaths = ['a.ts']\nreason = 'b'\n\
         [fix.names]\nnotes = { noun = 'note list', prefix = 'nts' }\n[fix.lifetimes]\ndefault = { limit = 5 }\n\
         'a.ts#notes' = { idle-seconds = 60 }\n",
    );
    let run = repository.run_with(&["scan", "--show-settings", "--exclude", "gen/**"], |command| {
        command.env("MCP_MIGRATE_FORMAT", "json");
    });
    assert_eq!((run.code, run.stderr.as_str()), (0, ""));
    for line in [
        "fail-on = \"error\"  # file",
        "format = \"json\"  # environment: MCP_MIGRATE_FORMAT",
        "include-tests = false  # default",
        "exclude = [\"old/**\", \"gen/**\"]  # file and flag",
        "session-guard = \"off\"  # file",
        "session-gateway = \"error\"  # default",
        "paths = [\"a.ts\"]",
        "\"notes\" = { noun = \"note list\", prefix = \"nts\" }  # file",
        "default = { limit = 5 }  # file",
        "\"a.ts#notes\" = { idle-seconds = 60 }  # file",
    ] {
        assert!(run.stdout.contains(line), "{line}: {}", run.stdout);
    }
    // What is shown can be used.
    let path = repository.path().join("mcp-migrate.toml");
    let shown = Config::parse(&path, &run.stdout).expect("a configuration");
    assert_eq!(shown.plan, Config::load(&path).expect("a configuration").plan);
}

#[test]
fn names_and_lifetimes_are_those_of_the_file() {
    let repository = Repository::bare("fixtures/gold/typescript/c-session-map/before");
    let fixed = |settings: &str| {
        repository.write("mcp-migrate.toml", settings);
        let run = repository.run(&["fix", "--dry-run"]);
        assert_eq!((run.code, run.stderr.as_str()), (1, ""), "{settings}");
        run.stdout
    };
    let usual = fixed("");
    for text in ["'create_basket'", "'bsk'", "basket_id", "BASKET_IDLE_SECONDS || 1800", "BASKET_LIMIT || 1000"] {
        assert!(usual.contains(text), "{text}: {usual}");
    }
    for store in ["baskets", "src/server.ts#baskets"] {
        let named = fixed(&format!(
            "[fix.names]\n'{store}' = {{ noun = 'shopping cart', prefix = 'crt' }}\n\
             [fix.lifetimes]\ndefault = {{ limit = 20, idle-seconds = 5 }}\n'{store}' = {{ idle-seconds = 60 }}\n"
        ));
        for text in [
            "'create_shopping_cart'",
            "'crt'",
            "shopping_cart_id",
            "SHOPPING_CART_IDLE_SECONDS || 60",
            "SHOPPING_CART_LIMIT || 20",
        ] {
            assert!(named.contains(text), "{text}: {named}");
        }
        assert!(!named.contains("create_basket") && !named.contains("no such store"), "{named}");
    }
    let unknown = fixed("[fix.names]\ncarts = { noun = 'cart' }\n");
    assert!(unknown.contains("`carts`; there is no such store."), "{unknown}");
}

#[test]
fn two_stores_of_one_noun_get_tools_of_two_names() {
    let repository = Repository::bare("fixtures/gold/typescript/c-session-map/before");
    repository.write("src/notes.ts", NOTES);
    repository.write("src/memos.ts", &NOTES.replace("'note'", "'memo'").replace("register(", "registerMemos("));
    repository.edit(
        "src/server.ts",
        "import * as z",
        "import { register } from './notes.js';\nimport { registerMemos } from './memos.js';\nimport * as z",
    );
    let made = "  const server = new McpServer({ name: 'basket', version: '0.1.0' });\n";
    let registered = format!("{made}  register(server);\n  registerMemos(server);\n");
    repository.edit("src/server.ts", made, &registered);
    repository.write("mcp-migrate.toml", "[fix.names]\nnotes = { noun = 'note list' }\n");
    let run = repository.run(&["fix", "--allow-dirty"]);
    assert_eq!(run.code, 0, "{run:?}");
    let text = repository.read("src/notes.ts") + &repository.read("src/memos.ts");
    for tool in ["'create_note_list',\n", "'create_note_list_handle',\n"] {
        // Its registration, and the store that names it.
        assert_eq!(text.matches(tool).count(), 2, "{tool}: {text}");
    }
}

#[test]
fn what_is_set_for_a_store_comes_before_its_code_and_that_before_the_default() {
    let repository = Repository::bare("fixtures/gold/typescript/c-session-map/before");
    repository.edit(
        "src/server.ts",
        "const baskets = new Map<string, Basket>();",
        "const baskets = new LRUCache<string, Basket>({ max: 7, ttl: 9000 });",
    );
    repository.edit("src/server.ts", "import express", "import { LRUCache } from 'lru-cache';\nimport express");
    let fixed = |settings: &str| {
        repository.write("mcp-migrate.toml", settings);
        repository.run(&["fix", "--dry-run"]).stdout
    };
    let own = fixed("[fix.lifetimes]\ndefault = { limit = 20, idle-seconds = 5 }\n");
    assert!(own.contains("_LIMIT || 7)") && own.contains("_SECONDS || 9)"), "{own}");
    let set = fixed("[fix.lifetimes]\nbaskets = { limit = 20, idle-seconds = 5 }\n");
    assert!(set.contains("_LIMIT || 20)") && set.contains("_SECONDS || 5)"), "{set}");
}

#[test]
fn mistakes_in_the_file_stop_every_scan() {
    let repository = noted();
    repository.write("mcp-migrate.toml", "\nfail_on = 'error'\n");
    let run = repository.run(&["scan"]);
    assert_eq!((run.code, run.stdout.as_str()), (2, ""));
    assert!(run.said().contains("mcp-migrate.toml:2:") && run.said().contains("`fail-on`?"), "{}", run.stderr);
    repository.write("mcp-migrate.toml", "format = 'yaml'\n");
    let run = repository.run(&["scan"]);
    assert!(run.code == 2 && run.said().contains("mcp-migrate.toml:1:"), "{}", run.stderr);
}

#[test]
fn the_schema_and_the_reader_agree() {
    let schema: serde_json::Value = serde_json::from_str(SCHEMA_TEXT).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let path = std::path::Path::new("/r/mcp-migrate.toml");
    for text in [
        "",
        "exclude = ['a']\ninclude-tests = false\nfail-on = 'never'\nformat = 'json'\nbaseline = 'b'\nsession-id-functions = ['f']\n",
        "[rules]\nunused-allow = 'off'\nsession-guard = 'error'\n",
        "[[ignore]]\npaths = ['a']\nrules = ['session-guard']\nreason = 'b'\n",
        "[fix]\nlevel = 'safe'\n[fix.names]\na = { noun = 'reading list' }\nb = { prefix = 'b2' }\n",
        "[fix.lifetimes]\ndefault = { limit = 1 }\na = { idle-seconds = 0x10, limit = 4294967295 }\n",
    ] {
        let value: toml::Value = toml::from_str(text).expect("TOML");
        let value = serde_json::to_value(value).expect("JSON");
        assert!(
            validator.is_valid(&value),
            "{text}: {:?}",
            validator.iter_errors(&value).next().map(|e| e.to_string())
        );
        Config::parse(path, text).expect(text);
    }
    for text in [
        "colour = 1\n",
        "fail-on = 'warn'\n",
        "exclude = 'a'\n",
        "include-tests = 'yes'\n",
        "baseline = ''\n",
        "rules = 1\n",
        "[rules]\nsession-gard = 'off'\n",
        "[rules]\nsession-guard = 'warn'\n",
        "[[ignore]]\npaths = ['a']\n",
        "[[ignore]]\nreason = 'a'\n",
        "[[ignore]]\npaths = []\nreason = 'a'\n",
        "[[ignore]]\npaths = ['a']\nrules = []\nreason = 'a'\n",
        "[[ignore]]\npaths = ['a']\nreason = 'a'\nsince = 'b'\n",
        "fix = 1\n",
        "[fix]\nlevel = 'manual'\n",
        "[fix]\nname = 'a'\n",
        "[fix.names]\na = {}\n",
        "[fix.names]\na = { noun = '2 lists' }\n",
        "[fix.names]\na = { noun = 'a  b' }\n",
        "[fix.names]\na = { prefix = 'a_' }\n",
        "[fix.names]\na = { prefix = 'abcdefghijklmnopq' }\n",
        "[fix.names]\na = { tool = 'a' }\n",
        "[fix.lifetimes]\na = {}\n",
        "[fix.lifetimes]\na = { limit = 0 }\n",
        "[fix.lifetimes]\na = { limit = -1 }\n",
        "[fix.lifetimes]\na = { limit = '1' }\n",
        "[fix.lifetimes]\na = { idle-seconds = 4294967296 }\n",
        "[fix.lifetimes]\na = { seconds = 1 }\n",
    ] {
        let value: toml::Value = toml::from_str(text).expect("TOML");
        assert!(!validator.is_valid(&serde_json::to_value(value).expect("JSON")), "{text}");
        assert!(Config::parse(path, text).is_err(), "{text}");
    }
}

#[test]
fn the_example_of_the_readme_is_right() {
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("a file");
    let (_, rest) = readme.split_once("```toml\nfail-on").expect("an example");
    let rest = format!("fail-on{rest}");
    let (text, _) = rest.split_once("```").expect("its end");
    let config = Config::parse(std::path::Path::new("/r/mcp-migrate.toml"), text).expect("it is right");
    assert_eq!((config.rules.len(), config.ignore.len(), config.session_id_functions.len()), (1, 1, 1));
    assert_eq!((config.level.as_deref(), config.plan.names.len(), config.plan.lifetimes.len()), (Some("safe"), 1, 1));
}
