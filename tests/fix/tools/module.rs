//! The module of handles, run by Node.js: what it keeps, refuses, forgets and says.

use std::fs;
use std::process::Command;

use mcp_migrate::lower::typescript;
use mcp_migrate::render::typescript::handle_module::{Extended, Features, extend, place, text};
use mcp_migrate::render::typescript::script::Script;
use mcp_migrate::render::typescript::style::Style;
use mcp_migrate::syntax::source::Eol;

use super::cases::Case;
use super::program::assert_parses;

fn style_of(text: &str, eol: Eol) -> Style {
    Style::of(text, eol, typescript::parse("a.ts", text).expect("a tree").root_node())
}

fn style() -> Style {
    style_of("const a = 'b';\nif (a) {\n  f(a);\n}\n", Eol::Lf)
}

fn all() -> Features {
    Features {
        typed: false,
        common_js: false,
        web: false,
        wait: true,
        owner: true,
        create: true,
        open: true,
        save: true,
        put: true,
        has: true,
        size: true,
        list: true,
        pin: true,
        close: true,
        end: true,
        clear: true,
        transition: true,
        low_level: true,
        answers: true,
    }
}

/// Runs a program beside the module.
fn run(features: Features, program: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let module = if features.common_js { "handles.cjs" } else { "handles.mjs" };
    fs::write(folder.path().join(module), text(features, &style())).expect("the module");
    let import = format!("import assert from 'node:assert/strict';\nimport * as handles from './{module}';\n");
    fs::write(folder.path().join("program.mjs"), format!("{import}{program}")).expect("the program");
    let output = Command::new("node")
        .arg("program.mjs")
        .current_dir(folder.path())
        .output()
        .unwrap_or_else(|error| panic!("this test needs Node.js 20 or newer as `node`: {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

const OPTIONS: &str = "const options = { noun: 'basket', prefix: 'bsk', createTool: 'create_basket', loss: 'its lines are lost', idleSeconds: 1800, limit: 3 };
let now = 1_000_000;
Date.now = () => now;
const pass = (ms) => { now += ms; };
const later = () => new Promise((resolve) => setImmediate(resolve));
const refuses = (work, pattern) => assert.rejects(async () => work(), pattern);
";

#[test]
fn values_are_kept_apart_and_dropped() {
    let program = "
const store = new handles.MemoryHandles(options);
const one = await store.create({ lines: [] }, 'ana');
const two = await store.open(() => ({ lines: [1] }), 'ana');
assert.match(one, /^bsk_[A-Za-z0-9_-]{22}$/);
assert.notEqual(one, two);
(await store.get(one, 'ana')).lines.push('mug');
assert.deepEqual(await store.get(one, 'ana'), { lines: ['mug'] });
assert.deepEqual(await store.get(two, 'ana'), { lines: [1] });
await store.save(two, 'ana', { lines: [2] });
assert.deepEqual(await store.get(two, 'ana'), { lines: [2] });
assert.deepEqual((await store.list('ana')).map(({ handle }) => handle).sort(), [one, two].sort());
assert.deepEqual(await store.list('ben'), []);
assert.equal(await store.size(), 2);
await store.destroy(one, 'ana');
assert.equal(await store.has(one, 'ana'), false);
assert.equal(await store.has(two, 'ana'), true);
assert.equal(await store.has(two, 'ben'), false);
";
    run(all(), &format!("{OPTIONS}{program}"));
}

#[test]
fn unknown_destroyed_and_foreign_handles_sound_alike() {
    let program = "
const store = new handles.MemoryHandles(options);
const text = (handle) => `basket ${handle} is unknown or has expired; call create_basket`;
const one = await store.create({}, 'ana');
const two = await store.create({}, 'ana');
await store.destroy(two, 'ana');
for (const [handle, owner] of [['bsk_made_up', 'ana'], [two, 'ana'], [one, 'ben'], [one, undefined]]) {
  for (const work of [() => store.get(handle, owner), () => store.save(handle, owner, {}), () => store.destroy(handle, owner), () => store.use(handle, owner, () => {})]) {
    await refuses(work, (error) => error instanceof handles.HandleError && error.message === text(handle));
  }
}
";
    run(all(), &format!("{OPTIONS}{program}"));
}

#[test]
fn a_full_store_refuses_and_never_gives_up_what_lives() {
    let program = "
const store = new handles.MemoryHandles(options);
const kept = await Promise.all([1, 2].map((value) => store.create(value, 'ana')));
const opening = store.open(later, 'ana');
let opened = false;
await refuses(() => store.open(() => { opened = true; }, 'ana'), /no room for another basket \\(limit 3\\)/);
assert.equal(opened, false);
kept.push(await opening);
await refuses(() => store.create(4, 'ana'), /no room/);
for (const handle of kept) await store.get(handle, 'ana');
await store.destroy(kept[0], 'ana');
await store.create(4, 'ana');
assert.throws(() => new handles.MemoryHandles({ ...options, idleSeconds: -1 }), RangeError);
assert.throws(() => new handles.MemoryHandles({ ...options, idleSeconds: Number('x') }), RangeError);
assert.throws(() => new handles.MemoryHandles({ ...options, limit: 0 }), RangeError);
";
    run(all(), &format!("{OPTIONS}{program}"));
}

#[test]
fn what_is_not_used_expires_and_its_owner_hears_what_was_lost() {
    let program = "
const closed = [];
const store = new handles.MemoryHandles({ ...options, idleSeconds: 0.2, close: (value) => { closed.push(value); } });
const idle = await store.create('idle', 'ana');
const used = await store.create('used', 'ana');
const lent = await store.create('lent', 'ana');
assert.equal(store.lifetime, 'expires after 0.2 seconds without use');
let finish;
const work = store.use(lent, 'ana', (value) => new Promise((resolve) => { finish = () => resolve(value); }));
for (let i = 0; i < 3; i += 1) { pass(90); await store.get(used, 'ana'); }
await refuses(() => store.get(idle, 'ana'), /^Error: basket bsk_\\S+ expired after 0\\.2 seconds without use and its lines are lost; call create_basket$/);
await refuses(() => store.get(idle, 'ben'), /is unknown or has expired/);
assert.deepEqual(closed, ['idle']);
pass(300);
assert.equal(await store.size(), 1);
finish();
assert.equal(await work, 'lent');
assert.equal(await store.get(lent, 'ana'), 'lent');
pass(500);
await refuses(() => store.get(idle, 'ana'), /is unknown or has expired/);
await refuses(() => store.get(lent, 'ana'), /is unknown or has expired/);
await later();
assert.deepEqual(closed.sort(), ['idle', 'lent', 'used']);
const forever = new handles.MemoryHandles({ ...options, idleSeconds: 0 });
assert.equal(forever.lifetime, 'does not expire');
const handle = await forever.create(1, undefined);
pass(1e15);
assert.equal(await forever.get(handle, undefined), 1);
";
    run(all(), &format!("{OPTIONS}{program}"));
}

#[test]
fn a_value_is_freed_once_and_a_failing_close_fails_nobody() {
    let program = "
console.error = () => {};
let times = 0;
const store = new handles.MemoryHandles({ ...options, close: async () => { times += 1; throw new Error('stuck'); } });
const handle = await store.create({}, 'ana');
await store.destroy(handle, 'ana');
await refuses(() => store.destroy(handle, 'ana'), /unknown/);
assert.equal(times, 1);
";
    run(all(), &format!("{OPTIONS}{program}"));
}

#[test]
fn owners_are_told_apart_by_issuer_client_and_subject() {
    let program = "
const of = (iss, clientId, sub) => handles.ownerOf({ clientId, extra: { iss, sub } });
assert.equal(handles.ownerOf(undefined), undefined);
assert.equal(of('a', 'b', 'c'), of('a', 'b', 'c'));
assert.equal(new Set([of('a', 'b', 'c'), of('x', 'b', 'c'), of('a', 'x', 'c'), of('a', 'b', 'x'), handles.ownerOf({ clientId: 'b' })]).size, 5);
assert.doesNotMatch(of('issuer', 'client', 'subject'), /issuer|client|subject/);
";
    run(all(), &format!("{OPTIONS}{program}"));
}

#[test]
fn a_low_level_server_checks_and_answers_itself() {
    let program = "
const store = new handles.MemoryHandles(options);
const call = handles.answering(async (args) => store.get(handles.handleIn(args, 'basket_id', 'create_basket'), 'ana'));
assert.deepEqual(await call({}), { isError: true, content: [{ type: 'text', text: 'basket_id is required; call create_basket' }] });
assert.deepEqual(await call(undefined), await call({ basket_id: 7 }));
assert.equal((await call({ basket_id: 'x' })).content[0].text, 'basket x is unknown or has expired; call create_basket');
assert.equal(await call({ basket_id: await store.create(1, 'ana') }), 1);
await refuses(() => handles.answering(() => { throw new TypeError('else'); })(), TypeError);
";
    run(all(), &format!("{OPTIONS}{program}"));
}

#[test]
fn a_store_without_promises_without_owners_and_in_workers_works_as_well() {
    let program = "
const store = new handles.MemoryHandles({ ...options, idleSeconds: 0.05 });
const handle = store.create({ a: 1 });
assert.deepEqual(store.get(handle), { a: 1 });
store.save(handle, { a: 2 });
assert.deepEqual(store.get(handle), { a: 2 });
assert.equal(store.size(), 1);
pass(80);
assert.throws(() => store.get(handle), /its lines are lost/);
assert.throws(() => store.get('bsk_x'), /unknown/);
";
    let plain = Features { create: true, save: true, size: true, ..Features::default() };
    run(plain, &format!("{OPTIONS}{program}"));
    run(Features { common_js: true, ..plain }, &format!("{OPTIONS}{program}"));
    run(Features { web: true, ..plain }, &format!("{OPTIONS}{program}"));
}

#[test]
fn callers_see_their_own_handles_and_strangers_none() {
    let program = "
const store = new handles.MemoryHandles(options);
const [ann, bob] = ['ann', 'bob'].map((sub) => handles.ownerOf({ clientId: 'c', extra: { sub } }));
const hers = await store.create({ n: 1 }, ann);
await store.create({ n: 2 }, bob);
await store.create({ n: 3 }, undefined);
assert.deepEqual((await store.list(ann)).map(({ handle }) => handle), [hers]);
// Callers without a name can't be told apart.
assert.deepEqual(await store.list(undefined), []);
assert.ok(!JSON.stringify(await store.list(ann)).includes('ann'), 'who owns it is not told');
";
    run(all(), &format!("{OPTIONS}{program}"));
}

#[test]
fn the_end_of_the_process_frees_all_values() {
    let program = "
const closed = [];
const store = new handles.MemoryHandles({ ...options, close: (value) => closed.push(value) });
const [first] = await Promise.all([store.create('a'), store.create('b')]);
await store.closeAll();
assert.deepEqual(closed, ['a', 'b']);
await assert.rejects(store.get(first), /is unknown or has expired/);
await store.closeAll();
assert.equal(closed.length, 2);
";
    run(Features { owner: false, low_level: false, ..all() }, &format!("{OPTIONS}{program}"));
}

#[test]
fn a_handle_that_may_be_left_out_is_asked_for() {
    let program = "
assert.equal(handles.givenHandle('bsk_1', 'basket_id', 'create_basket'), 'bsk_1');
const asks = /^Error: basket_id is required; call create_basket and pass the basket_id that it returns$/;
assert.throws(() => handles.givenHandle(undefined, 'basket_id', 'create_basket'), asks);
assert.throws(() => handles.givenHandle('', 'basket_id', 'create_basket'), asks);
";
    run(Features { low_level: false, answers: false, ..all() }, &format!("{OPTIONS}{program}"));
}

/// Every second feature on, by the bits of a number.
fn some(bits: u32) -> Features {
    let on = |bit: u32| bits >> bit & 1 == 1;
    Features {
        typed: on(0),
        common_js: on(1) && !on(0),
        web: on(2),
        wait: on(3),
        owner: on(4),
        create: on(5) || !on(6),
        open: on(5),
        save: on(6),
        put: on(6),
        has: on(7),
        size: on(8),
        list: on(9),
        pin: on(10),
        close: on(11),
        end: on(11) && on(14),
        clear: on(8) && on(14),
        low_level: on(12),
        answers: on(12) && on(10),
        transition: on(13),
    }
}

#[test]
fn every_combination_parses_and_is_recognised() {
    let double = style_of("const a = \"b\"\nif (a) {\n\tf(a)\n}\n", Eol::CrLf);
    for bits in (0..1 << 15).step_by(27) {
        let features = some(bits);
        let path = if features.typed { "handles.ts" } else { "handles.js" };
        for style in [style(), double] {
            let text = text(features, &style);
            assert_parses(path, &text);
            assert!(!text.contains(['⟦', '⟧', '@']), "{text}");
            assert_eq!(Features::read(&text), Some(Features { common_js: features.common_js, ..features }));
        }
    }
    assert_eq!(Features::read("export class MemoryHandles {}"), None);
}

#[test]
fn a_module_that_is_there_is_extended_only_as_it_was_made() {
    let little = Features { typed: true, wait: true, ..Features::default() };
    let more = Features { save: true, ..little };
    let made = text(little, &style());
    assert_eq!(extend(&made, &style(), little), Extended::Enough);
    assert_eq!(extend(&text(more, &style()), &style(), little), Extended::Enough);
    assert_eq!(extend(&made, &style(), more), Extended::Text(text(more, &style())));
    let changed = made.replace("does not expire", "lives for ever");
    assert_eq!(extend(&changed, &style(), little), Extended::Enough);
    assert!(matches!(extend(&changed, &style(), more), Extended::No(_)));
    assert!(matches!(extend(&made, &style(), Features { owner: true, ..little }), Extended::No(_)));
    assert!(matches!(extend("export const x = 1;\n", &style(), little), Extended::No(_)));
}

/// Where the module of a program would go, and how the program would import it.
fn placed(files: &[(&str, &str)]) -> Option<(String, String, bool)> {
    let files: Vec<(String, String)> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    let case = Case { title: String::new(), settings: Vec::new(), files, expected: String::new() };
    let script = Script::open(&case, &case.files[0].0).expect("the file");
    place(&case, &script).map(|place| (place.path, place.specifier, place.exists))
}

#[test]
fn the_module_stands_beside_the_store_and_is_imported_as_its_siblings_are() {
    let at = |path: &str, specifier: &str, exists| Some((path.to_owned(), specifier.to_owned(), exists));
    assert_eq!(placed(&[("src/a.ts", "")]), at("src/handles.ts", "./handles.js", false));
    assert_eq!(placed(&[("src/a.ts", "import b from './b';")]), at("src/handles.ts", "./handles", false));
    assert_eq!(placed(&[("src/a.ts", "import b from './b.ts';")]), at("src/handles.ts", "./handles.ts", false));
    assert_eq!(placed(&[("src/a.ts", "import b from './b.js';")]), at("src/handles.ts", "./handles.js", false));
    assert_eq!(placed(&[("a.tsx", "import d from './d.json';")]), at("handles.ts", "./handles.js", false));
    assert_eq!(placed(&[("a.mts", "import b from './b.mjs';")]), at("handles.mts", "./handles.mjs", false));
    assert_eq!(placed(&[("a.cjs", "const b = require('./b');")]), at("handles.cjs", "./handles.cjs", false));
    assert_eq!(placed(&[("a.js", "const b = require('./b.js');")]), at("handles.js", "./handles.js", false));
    let ours = text(Features { typed: true, wait: true, ..Features::default() }, &style());
    assert_eq!(placed(&[("a.ts", ""), ("handles.ts", &ours)]), at("handles.ts", "./handles.js", true));
    let other = "export const handles = [];\n";
    assert_eq!(placed(&[("a.ts", ""), ("handles.ts", other)]), at("handle-store.ts", "./handle-store.js", false));
    let all = [("a.ts", ""), ("handles.ts", other), ("handle-store.ts", other), ("mcp-handles.ts", other)];
    assert_eq!(placed(&all), None);
}
