//! Cases as text: a title, settings, the files before, and what is expected.

use std::rc::Rc;

use mcp_migrate::render::Files;
use mcp_migrate::syntax::source::SourceText;

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// What it shows.
    pub title: String,
    /// `key: value` lines.
    pub settings: Vec<(String, String)>,
    /// Files by path; the first has the registration.
    pub files: Vec<(String, String)>,
    /// What is expected.
    pub expected: String,
}

impl Case {
    /// A setting.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.settings.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
    }

    /// The same with tabs and Windows line ends.
    pub fn foreign(&self) -> Self {
        let mut out = self.clone();
        for (_, text) in &mut out.files {
            let lines = text.lines().map(|line| {
                let rest = line.trim_start_matches("  ");
                format!("{}{rest}\r\n", "\t".repeat((line.len() - rest.len()) / 2))
            });
            *text = format!("{{\r\n\tlet x;\r\n}}\r\n{}", lines.collect::<String>());
        }
        out
    }
}

impl Files for Case {
    fn text(&self, path: &str) -> Option<Rc<SourceText>> {
        let (_, text) = self.files.iter().find(|(known, _)| known == path)?;
        SourceText::decode(text.as_bytes().to_vec()).ok().map(Rc::new)
    }

    fn exists(&self, path: &str) -> bool {
        self.files.iter().any(|(known, _)| known == path)
    }
}

/// Reads cases: `=== title`, settings, `--- path` and a file for each, `+++` and what is expected.
pub fn read(text: &str) -> Vec<Case> {
    let mut out: Vec<Case> = Vec::new();
    let mut expecting = false;
    for line in text.lines() {
        if let Some(title) = line.strip_prefix("=== ") {
            let title = title.to_owned();
            out.push(Case { title, settings: Vec::new(), files: Vec::new(), expected: String::new() });
            expecting = false;
            continue;
        }
        let Some(case) = out.last_mut() else { continue };
        if line == "+++" {
            expecting = true;
        } else if let Some(path) = line.strip_prefix("--- ").filter(|_| !expecting) {
            case.files.push((path.to_owned(), String::new()));
        } else if expecting {
            case.expected.push_str(line);
            case.expected.push('\n');
        } else if let Some((_, file)) = case.files.last_mut() {
            file.push_str(line);
            file.push('\n');
        } else if let Some((key, value)) = line.split_once(": ") {
            case.settings.push((key.to_owned(), value.to_owned()));
        }
    }
    out
}
