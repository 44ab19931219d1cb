//! A folder with a package, to which steps are applied until none is left.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use mcp_migrate::pipeline::{self, ScanOptions, Silent};
use mcp_migrate::plan::{Level, Manual, PlanSettings, Site, Step};
use mcp_migrate::render::{self, Change, Files, Refused};
use mcp_migrate::syntax::source::SourceText;

/// A folder that is gone with its value.
pub struct Package {
    dir: tempfile::TempDir,
}

/// What became of a package.
#[derive(Default)]
pub struct Outcome {
    /// Steps that were applied, with the level that they turned out to have.
    pub applied: Vec<(String, Level)>,
    /// What was said to the reader.
    pub notes: Vec<String>,
    /// The step that was refused.
    pub refused: Option<Refused>,
    /// What is left to a person.
    pub manual: Vec<Manual>,
}

struct Disk<'a>(&'a Path);

impl Files for Disk<'_> {
    fn text(&self, path: &str) -> Option<Rc<SourceText>> {
        SourceText::decode(fs::read(self.0.join(path)).ok()?).ok().map(Rc::new)
    }

    fn exists(&self, path: &str) -> bool {
        self.0.join(path).exists()
    }
}

impl Package {
    /// Writes files.
    pub fn new(files: &[(&str, &str)]) -> Self {
        let package = Self { dir: tempfile::tempdir().expect("a folder") };
        for (path, text) in files {
            let at = package.path(path);
            fs::create_dir_all(at.parent().expect("a parent")).expect("a folder");
            fs::write(at, text).expect("a file");
        }
        package
    }

    fn path(&self, path: &str) -> PathBuf {
        self.dir.path().join(path)
    }

    /// The text of a file.
    pub fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_default()
    }

    /// What is planned for it now.
    pub fn plan(&self) -> (Vec<Step>, Vec<Manual>) {
        self.plan_with(&PlanSettings::default())
    }

    /// The same, where somebody has something to say of it.
    pub fn plan_with(&self, settings: &PlanSettings) -> (Vec<Step>, Vec<Manual>) {
        let paths = vec![self.dir.path().to_owned()];
        let options = ScanOptions { paths, plan: settings.clone(), ..ScanOptions::default() };
        let (_, plans) = pipeline::plan(&options, &Silent).expect("a plan");
        let (mut steps, mut manual) = (Vec::new(), Vec::new());
        for plan in plans {
            steps.extend(plan.steps);
            manual.extend(plan.manual);
        }
        (steps, manual)
    }

    /// Applies steps until none is left, or one is refused.
    pub fn fix(&self) -> Outcome {
        self.fix_with(&PlanSettings::default())
    }

    /// The same, where somebody has something to say of the plan.
    pub fn fix_with(&self, settings: &PlanSettings) -> Outcome {
        let mut out = Outcome::default();
        for _ in 0..8 {
            let (steps, manual) = self.plan_with(settings);
            out.manual = manual;
            let waiting: Vec<&String> = steps.iter().map(|step| &step.id).collect();
            let Some(step) = steps.iter().find(|step| !step.requires.iter().any(|id| waiting.contains(&id))) else {
                return out;
            };
            match render::render(step, &Disk(self.dir.path())) {
                Ok(rendered) => {
                    out.applied.push((step.id.clone(), rendered.level.unwrap_or(step.level)));
                    out.notes.extend(rendered.notes);
                    self.apply(rendered.changes);
                    for (path, text) in rendered.new_files {
                        fs::write(self.path(&path), text).expect("a new file");
                    }
                }
                Err(refused) => {
                    out.refused = Some(refused);
                    return out;
                }
            }
        }
        panic!("steps come again and again: {:?}", out.applied);
    }

    /// Applies changes, which must not touch each other.
    fn apply(&self, changes: Vec<Change>) {
        let mut files: BTreeMap<String, Vec<Change>> = BTreeMap::new();
        for change in changes {
            files.entry(change.path.clone()).or_default().push(change);
        }
        for (path, mut changes) in files {
            let before = SourceText::decode(fs::read(self.path(&path)).expect("a file")).expect("a text");
            changes.sort_by_key(|change| (change.span.start, change.span.end));
            let (mut after, mut at) = (String::new(), 0);
            for change in &changes {
                let (start, end) = (change.span.start as usize, change.span.end as usize);
                assert!(start >= at, "{path}: changes overlap at {start}");
                after.push_str(&before.text[at..start]);
                after.push_str(&change.text);
                at = end;
            }
            after.push_str(&before.text[at..]);
            fs::write(self.path(&path), before.encode(&after)).expect("a changed file");
        }
    }

    /// The line of a refusal, and why; and of all that refuses it as well.
    pub fn told(&self, refused: &Refused) -> String {
        let own = format!("{}\n{}\n{}\n", self.line(&refused.at), refused.why, refused.todo);
        refused.also.iter().fold(own, |told, other| told + "\n" + &self.told(other))
    }

    /// What is left to a person, with the line that is the reason.
    pub fn left(&self, manual: &Manual) -> String {
        let cause = manual.cause.as_ref().map(|at| format!("{}\n", self.line(at)));
        format!("{}\n{}\n{}{}\n", manual.what, manual.why, cause.unwrap_or_default(), manual.todo.join("\n"))
    }

    fn line(&self, at: &Site) -> String {
        let text = self.text(&at.path);
        let (start, end) = (at.span.start as usize, at.span.end as usize);
        let line = text[..start].matches('\n').count() + 1;
        format!("{}:{line}: {}", at.path, text[start..end].lines().next().unwrap_or_default())
    }
}
