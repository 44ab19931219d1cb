//! How long the stages take: the prefilter, parsing and lowering, and a whole scan, on the gold servers.

use std::path::{Path, PathBuf};

use divan::counter::BytesCount;
use mcp_migrate::model::facts::Language;
use mcp_migrate::workspace::prefilter;
use mcp_migrate::{ScanOptions, Silent, lower, scan};

fn main() {
    divan::main();
}

fn gold() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/gold/typescript")
}

fn source() -> String {
    std::fs::read_to_string(gold().join("f-session-auth/before/src/server.ts")).expect("the gold server is there")
}

#[divan::bench]
fn prefilter_one_file(bencher: divan::Bencher) {
    let text = source();
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| prefilter::interesting(Language::TypeScript, divan::black_box(text.as_bytes())));
}

#[divan::bench]
fn parse_and_lower_one_file(bencher: divan::Bencher) {
    let text = source();
    bencher
        .counter(BytesCount::of_str(&text))
        .bench(|| lower::lower("server.ts", Language::TypeScript, divan::black_box(&text)));
}

#[divan::bench(args = ["c-session-map/before", "e-session-object/before", "."])]
fn whole_scan(bencher: divan::Bencher, folder: &str) {
    let options = ScanOptions { paths: vec![gold().join(folder)], ..ScanOptions::default() };
    bencher.bench(|| scan(&options, &Silent).expect("a gold server can be scanned"));
}
