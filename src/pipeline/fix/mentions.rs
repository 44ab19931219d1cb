//! Documents and tests that speak of tools and functions which a step changes: they are named with their lines, for a person to see to.

use std::path::Path;

use super::aside::{self, Kind};
use crate::plan::handle::{Carries, Entry, ToolUse};
use crate::plan::{Step, StepKind};

/// What is to be told beside the change of the server in `folder`.
pub fn notes(root: &Path, folder: &str, step: &Step) -> Vec<String> {
    let Some(subjects) = Subjects::of(step) else { return Vec::new() };
    let (mut documents, mut tests) = (Vec::new(), Vec::new());
    aside::each(root, folder, &mut |kind, path, text| match kind {
        Kind::Document => {
            let lines = aside::lines(text, |line| subjects.tools.iter().any(|tool| names(line, tool)));
            documents.extend(aside::place(path, &lines));
        }
        Kind::Test => tests.extend(aside::place(path, &subjects.lines_of_test(path, text))),
    });
    let documents = aside::told("Documents that name tools which change are to be read again", documents);
    let tests = aside::told("Tests that call what changes are to be changed by hand", tests);
    documents.into_iter().chain(tests).collect()
}

/// What a step changes for those who use it.
struct Subjects<'s> {
    /// Tools with another schema, or that go.
    tools: Vec<&'s str>,
    /// Functions with other parameters, each with its file.
    functions: Vec<(&'s str, &'s str)>,
}

impl<'s> Subjects<'s> {
    fn of(step: &'s Step) -> Option<Self> {
        let (tools, carriers): (Vec<&ToolUse>, &[Carries]) = match &step.kind {
            StepKind::Handle(handle) => (handle.tools.iter().collect(), &handle.carriers),
            StepKind::Captured(captured) => (captured.tools.iter().collect(), &captured.carriers),
            StepKind::External(external) => (external.tools.iter().collect(), &external.carriers),
            StepKind::Selection(selection) => {
                (selection.tools.iter().chain(selection.gone()).collect(), &selection.carriers)
            }
            _ => return None,
        };
        let called = carriers.iter().filter(|carrier| !matches!(carrier.entry, Entry::Handler(_)));
        Some(Self {
            tools: tools.into_iter().map(|tool| tool.name.as_str()).collect(),
            functions: called
                .filter_map(|carrier| Some((carrier.name.as_deref()?, carrier.function.path.as_str())))
                .collect(),
        })
    }

    /// Calls of tools and functions, and contexts that a test makes up for them.
    fn lines_of_test(&self, path: &str, text: &str) -> Vec<usize> {
        let called = |line: &str| {
            let tool = self.tools.iter().any(|tool| quotes(line, tool));
            let mut functions = self.functions.iter().filter(|(_, file)| imports(path, text, file));
            tool || functions.any(|(name, _)| calls(line, name))
        };
        if !text.lines().any(called) {
            return Vec::new();
        }
        aside::lines(text, |line| called(line) || line.contains("sessionId"))
    }
}

/// Whether a test imports a file, by the name of that.
fn imports(path: &str, text: &str, file: &str) -> bool {
    let stem = |path: &str| path.rsplit('/').next().and_then(|name| name.split('.').next()).map(str::to_owned);
    let Some(name) = stem(file).filter(|_| path != file) else { return false };
    let folder = file.rsplit('/').nth(1).filter(|_| name == "index").unwrap_or(&name);
    text.lines().filter(|line| ["import", "require", "from "].iter().any(|word| line.contains(word))).any(|line| {
        line.split(['\'', '"', '`']).skip(1).step_by(2).any(|source| {
            let source = source.trim_end_matches("/index.js").trim_end_matches("/index");
            source.starts_with(['.', '@', '~', '#']) && stem(source).as_deref() == Some(folder)
        })
    })
}

/// Whether a line calls a function by its name.
fn calls(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + name.len()..].trim_start();
        before.is_none_or(|char| !is_word(char)) && after.starts_with(['(', '<'])
    })
}

/// Whether a line has a name between quotes.
fn quotes(line: &str, name: &str) -> bool {
    ['\'', '"', '`'].iter().any(|quote| line.contains(&format!("{quote}{name}{quote}")))
}

/// Whether a line of a document names a tool: what is also a plain word only where it is marked as code.
fn names(line: &str, tool: &str) -> bool {
    let told = tool.contains(['_', '-', '.', '/']) || tool.chars().skip(1).any(char::is_uppercase);
    line.match_indices(tool).any(|(at, _)| {
        let (before, after) = (line[..at].chars().next_back(), line[at + tool.len()..].chars().next());
        let marked =
            before.is_some_and(|char| matches!(char, '`' | '"' | '*')) && after.is_some_and(|char| !is_word(char));
        let alone = before.is_none_or(|char| !is_word(char)) && after.is_none_or(|char| !is_word(char));
        if told { alone } else { marked }
    })
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '-' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_named_as_a_word_of_its_own() {
        assert!(names("| `add_note` | takes a note |", "add_note"));
        assert!(names("Call add_note first.", "add_note"));
        assert!(!names("add_notes and re-add_note", "add_note"));
        assert!(names("- **look**: what is there", "look"));
        assert!(!names("Have a look at it, and look.", "look"));
    }

    #[test]
    fn a_test_speaks_of_what_it_calls() {
        let subjects = Subjects { tools: vec!["add_note"], functions: vec![("addNote", "src/tools/notes.ts")] };
        let own = "import { addNote } from '../src/tools/notes.js';\nconst extra = { sessionId: 's1' };\naddNote('s1');\nreaddNote();\n";
        assert_eq!(subjects.lines_of_test("tests/notes.test.ts", own), [2, 3]);
        let other = own.replace("tools/notes", "tools/votes");
        assert!(subjects.lines_of_test("tests/notes.test.ts", &other).is_empty());
        let through = "await client.callTool({ name: 'add_note', arguments: {} });\n";
        assert_eq!(subjects.lines_of_test("tests/e2e.ts", through), [1]);
    }
}
