//! The migration report.

use mcp_migrate::classify::answer::{Carrier, Category, Holds, Place, Principal};
use mcp_migrate::edit::Level;
use mcp_migrate::report::fix::{Fix, Group, Manual, Precondition, Status, Summary};
use mcp_migrate::report::markdown::{LIMIT, brief, render};
use mcp_migrate::report::places::Base;
use mcp_migrate::report::scan::{Parts, SPEC, Scan, Tool};
use mcp_migrate::report::tool_text::{self, ToolText};
use mcp_migrate::rules::finding::Severity;

use crate::sample;

#[test]
fn the_whole_report() {
    insta::assert_snapshot!(render(&sample::scan(), None, &Base::root()));
}

#[test]
fn nothing_found() {
    let scan = Scan::assemble(Parts::default());
    insta::assert_snapshot!(render(&scan, None, &Base::root()));
    insta::assert_snapshot!(brief(&scan, None, &Base::root()));
}

#[test]
fn stores_of_one_kind_are_one_decision() {
    let mut parts = sample::parts();
    let cart = parts.servers.iter_mut().find(|s| !s.stores.is_empty()).expect("a server");
    for store in &mut cart.stores {
        (store.holds, store.carrier) = (Holds::Guard, Carrier::Manual);
    }
    let text = render(&Scan::assemble(parts), None, &Base::root());
    assert!(text.contains("### 1. `transports`, `baskets`, `tokens`: a guard\n"), "{text}");
    assert!(!text.contains("### 2. "), "{text}");
    assert!(text.contains("Each user is known (`packages/cart/src/auth.ts:9`)"), "{text}");
}

#[test]
fn gateways_have_their_options_with_places() {
    for (principal, words) in [
        (Principal::None, "Nobody is authenticated here yet"),
        (Principal::App, "does not tell callers apart"),
        (Principal::User, "issuer, client and subject"),
    ] {
        let mut parts = sample::parts();
        let cart = parts.servers.iter_mut().find(|s| !s.stores.is_empty()).expect("a server");
        cart.principal = principal;
        cart.stores.retain(|s| s.name == "baskets");
        (cart.stores[0].holds, cart.stores[0].carrier) = (Holds::Upstream, Carrier::Manual);
        let text = render(&Scan::assemble(parts), None, &Base::root());
        assert!(text.contains(words), "{text}");
        assert!(text.contains("Route by a cookie or a header"), "{text}");
        assert!(text.contains("`packages/cart/src/server.ts:8` (read, in tool add_item)"), "{text}");
    }
}

#[test]
fn long_reports_are_shortened_and_short_ones_stay_short() {
    let mut parts = sample::parts();
    let cart = parts.servers.iter_mut().find(|s| !s.stores.is_empty()).expect("a server");
    let template = cart.stores.clone();
    for i in 0..400 {
        for store in &template {
            let mut store = store.clone();
            store.name = format!("{}{i}", store.name);
            store.id = format!("{}{i}", store.id);
            store.at.line += 10 * i;
            cart.stores.push(store);
        }
    }
    let template = parts.servers.clone();
    for i in 0..40 {
        parts.servers.extend(template.iter().cloned().map(|mut server| {
            server.path = format!("{}{i}", server.path);
            server.stores.truncate(3);
            server
        }));
    }
    let scan = Scan::assemble(parts);
    let text = render(&scan, None, &Base::root());
    assert!(text.chars().count() <= LIMIT);
    assert!(text.contains("> Shortened to 65536 characters: "), "{}", &text[text.len() - 500..]);
    let short = brief(&scan, None, &Base::root());
    assert!(short.lines().count() <= 60, "{short}");
    assert!(short.contains("stores more: `mcp-migrate report` lists them."), "{short}");
}

fn group(title: &str, level: Level, status: Status, patch: &str) -> Group {
    let reason = (status != Status::Applied).then(|| "`x` stands in the way".to_owned());
    Group {
        id: title.to_owned(),
        title: title.to_owned(),
        rule: "session-keyed-state".to_owned(),
        level,
        status,
        help: reason.clone().map(|_| "move `x` out".to_owned()),
        at: reason.clone().map(|_| Place { path: "src/a.ts".to_owned(), line: 3, column: 1 }),
        reason,
        requires: Vec::new(),
        files: vec!["src/a.ts".to_owned(), "src/handles.ts".to_owned()],
        findings: Vec::new(),
        about: Vec::new(),
        stops: Vec::new(),
        notes: vec!["create_basket is new".to_owned()],
        patch: patch.to_owned(),
    }
}

fn plan(groups: Vec<Group>) -> Fix {
    let count = |status| groups.iter().filter(|group| group.status == status).count();
    let at = Place { path: "src/b.ts".to_owned(), line: 9, column: 2 };
    Fix {
        tool: Tool::THIS,
        spec: SPEC,
        root: ".".to_owned(),
        dry_run: true,
        level: Level::Review,
        summary: Summary {
            before: Some(Category::AppState),
            after: Some(Category::None),
            applied: count(Status::Applied),
            refused: count(Status::Refused),
            allowed: count(Status::Allowed),
            manual: 1,
            files: 2,
        },
        groups,
        manual: vec![Manual {
            rule: "session-guard".to_owned(),
            severity: Severity::Error,
            at: at.clone(),
            also: Vec::new(),
            what: "decide on <leases>".to_owned(),
            why: "a guard is for a person".to_owned(),
            todo: vec!["bind it to the principal".to_owned(), "ask each time".to_owned()],
        }],
        good_to_know: Vec::new(),
        preconditions: vec![Precondition { what: "no call to the client is made".to_owned(), at: Some(at) }],
        tool_text: ToolText {
            added: 300,
            tools: vec![tool_text::Tool {
                path: "src/a.ts".to_owned(),
                tool: "create|x".to_owned(),
                before: None,
                after: Some(300),
            }],
        },
        notes: Vec::new(),
        patch: String::new(),
    }
}

#[test]
fn the_plan_by_group_with_its_diffs() {
    let patch = "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n+```\n";
    let fix = plan(vec![
        group("Turn baskets into handles", Level::Review, Status::Applied, patch),
        group("Drop the sessions", Level::Safe, Status::Refused, ""),
        group("Turn notes into handles", Level::Review, Status::Allowed, ""),
    ]);
    let text = render(&sample::scan(), Some(&fix), &Base::folder("apps"));
    for part in [
        "\n## What fix does\n\n`mcp-migrate fix` makes 1 change in 2 files: `app-state` before, `none` after (`--level review`).",
        "\n### Turn baskets into handles\n\nLevel `review`, for `session-keyed-state`; `apps/src/a.ts`, `apps/src/handles.ts`.\n\n\
         - create_basket is new\n",
        "\n<details><summary>Diff</summary>\n\n````diff\n--- a/src/a.ts\n",
        "+```\n````\n\n</details>\n",
        "\n## What stays manual\n\n- **Drop the sessions** (`apps/src/a.ts:3`). `x` stands in the way.\n  - Move `x` out.\n",
        "- **decide on &lt;leases&gt;** (`apps/src/b.ts:9`). A guard is for a person.\n  - Bind it to the principal.\n  - Ask each time.\n",
        "\n## What stays as it is\n\n- Turn notes into handles: `x` stands in the way.\n",
        "\n## What models read\n\nModels read 300 characters more of 1 tool. Counted are names, ",
        "\n| `create\\|x` | `apps/src/a.ts` | \u{2013} | 300 | +300 |\n",
        "\n## Preconditions that hold\n\n- no call to the client is made (`apps/src/b.ts:9`)\n",
    ] {
        assert!(text.contains(part), "{part}\n---\n{text}");
    }
    let short = brief(&sample::scan(), Some(&fix), &Base::root());
    assert!(
        short.contains(
            "- Turn baskets into handles (review, 2 files)\n- left to you: 2 things\n- Models read 300 characters"
        ),
        "{short}"
    );
    assert!(!short.contains("```") && short.lines().count() <= 60, "{short}");
}

#[test]
fn diffs_are_the_first_to_go() {
    let diff = |lines: usize| format!("@@ -0,0 +1,{lines} @@\n{}", "+const a = 1;\n".repeat(lines));
    let groups: Vec<Group> = [10, 9000, 20]
        .iter()
        .map(|lines| group(&format!("Change {lines}"), Level::Safe, Status::Applied, &diff(*lines)))
        .collect();
    let text = render(&sample::scan(), Some(&plan(groups)), &Base::root());
    assert!(text.chars().count() <= LIMIT && !text.contains("> Shortened"), "{}", text.len());
    assert!(text.contains("+1,10 @@") && text.contains("+1,20 @@") && !text.contains("+1,9000 @@"));
    assert_eq!(text.matches("Its diff is left out here").count(), 1);
    assert!(text.contains("### Change 9000\n") && text.contains("## Preconditions that hold"));
}

#[test]
fn the_short_form_stays_short_with_a_plan() {
    let mut parts = sample::parts();
    let cart = parts.servers.iter_mut().find(|s| !s.stores.is_empty()).expect("a server");
    let template = cart.stores.clone();
    cart.stores = (0..40).flat_map(|_| template.clone()).collect();
    let groups = (0..30).map(|i| group(&format!("Change {i}"), Level::Safe, Status::Applied, "")).collect();
    let short = brief(&Scan::assemble(parts), Some(&plan(groups)), &Base::root());
    assert!(short.lines().count() <= 60 && short.contains("- 24 changes more\n"), "{short}");
}

#[test]
fn names_of_the_code_are_not_markup() {
    let mut parts = sample::parts();
    let cart = parts.servers.iter_mut().find(|s| !s.stores.is_empty()).expect("a server");
    cart.stores[0].name = "a`|b".to_owned();
    cart.stores[0].tools = vec!["<img src=x>\n# head".to_owned()];
    parts.findings[0].message = "in tool <b>@team</b> [x](y)".to_owned();
    let text = render(&Scan::assemble(parts), None, &Base::root());
    assert!(text.contains("`` a`\\|b ``"), "{text}");
    assert!(!text.contains("\n# head"), "{text}");
    assert!(text.contains("&lt;b&gt;@\u{2060}team&lt;/b&gt; \\[x\\](y)"), "{text}");
}
