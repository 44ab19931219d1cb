//! A folder with a package that `fix` is run on, and an independent parser as a judge of what was written.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use mcp_migrate::check::Policy;
use mcp_migrate::edit::Level;
use mcp_migrate::pipeline::fix::{FixOptions, prepare};
use mcp_migrate::{ScanOptions, Silent, scan};
use oxc_allocator::Allocator;
use oxc_parser::Parser;
use oxc_span::SourceType;

/// Texts by path.
pub type Files = BTreeMap<String, String>;

/// What became of a package.
pub struct Fixed {
    /// Its files.
    pub files: Files,
    /// Something was changed.
    pub changed: bool,
    /// The levels of what was applied.
    pub levels: Vec<&'static str>,
    /// What is left to a person: place and reason.
    pub manual: Vec<String>,
    /// Findings of the result that are worth a warning.
    pub findings: Vec<String>,
}

/// Runs `fix` on a copy of some files.
pub fn fix(files: &Files) -> Fixed {
    let folder = tempfile::tempdir().expect("a folder");
    write(folder.path(), files);
    let scanned = ScanOptions { paths: vec![folder.path().to_owned()], ..ScanOptions::default() };
    let options = FixOptions {
        scan: scanned.clone(),
        level: Level::Review,
        rules: Vec::new(),
        without: Vec::new(),
        declined: Vec::new(),
        plan: None,
        policy: Policy::default(),
        allow_dirty: true,
    };
    let prepared = prepare(&options, &Silent).expect("a plan");
    let changed = !prepared.is_empty();
    let told = prepared.write(&options).expect("written files");
    let mut manual: Vec<String> = told
        .groups
        .iter()
        .filter_map(|group| Some((group.reason.as_ref()?, group.at.as_ref()?, group.help.as_ref()?)))
        .map(|(reason, at, help)| format!("{}:{}: {reason}\n  {help}", at.path, at.line))
        .collect();
    manual.extend(told.manual.iter().map(|manual| {
        format!(
            "{}:{}: {}: {}\n  {}",
            manual.at.path,
            manual.at.line,
            manual.what,
            manual.why,
            manual.todo.join("\n  ")
        )
    }));
    let levels = told.groups.iter().filter(|group| group.reason.is_none()).map(|group| group.level.id()).collect();
    let findings = scan(&scanned, &Silent).expect("a scan").findings;
    let grave = findings.iter().filter(|finding| finding.severity != mcp_migrate::rules::finding::Severity::Note);
    let findings =
        grave.map(|finding| format!("{} at {}:{}", finding.rule, finding.path, finding.start.line)).collect();
    Fixed { files: read(folder.path()), changed, levels, manual, findings }
}

/// Writes files into a folder.
pub fn write(folder: &Path, files: &Files) {
    for (path, text) in files {
        let at = folder.join(path);
        fs::create_dir_all(at.parent().expect("a parent")).expect("a folder");
        fs::write(at, text).expect("a file");
    }
}

/// All files of a folder.
pub fn read(folder: &Path) -> Files {
    let mut out = Files::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(dir) = pending.pop() {
        for entry in fs::read_dir(&dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display())) {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).expect("within").to_string_lossy().replace('\\', "/");
            out.insert(name, fs::read_to_string(&path).expect("a text"));
        }
    }
    out
}

/// Fails where a text is no valid code.
pub fn assert_parses(path: &str, text: &str) {
    let Ok(kind) = SourceType::from_path(Path::new(path)) else { return };
    let allocator = Allocator::default();
    // CommonJS is read as a script.
    let kind = if text.contains("require(") { kind.with_script(true) } else { kind };
    let parsed = Parser::new(&allocator, text, kind).parse();
    let errors: Vec<String> = parsed.diagnostics.iter().map(ToString::to_string).collect();
    assert!(errors.is_empty() && !parsed.panicked, "{path}: {errors:?}\n{text}");
}
