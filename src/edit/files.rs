//! Files as the engine sees them: as they were on disk when they were first looked at, and as they would be.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::refusal::Refusal;
use crate::syntax::source::{Encoding, LoadError, SourceText, read_limited};
use crate::workspace::names;
use crate::workspace::overlay::Overlay;

/// A file before and after.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The file, relative to the root, with `/`.
    pub path: String,
    /// Its text before, byte order mark included; `None`: it is made.
    pub before: Option<Arc<str>>,
    /// Its text after.
    pub after: Arc<str>,
}

/// The files below a root.
#[derive(Clone, Debug)]
pub struct Files {
    root: PathBuf,
    /// When it was begun to look: what is written later was not seen by whoever proposes.
    since: SystemTime,
    overlay: Overlay,
    /// What was on disk when it was first looked at.
    originals: BTreeMap<String, Arc<str>>,
}

impl Files {
    /// Files below `root`, unchanged.
    pub fn new(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into(), since: SystemTime::now(), overlay: Overlay::default(), originals: BTreeMap::new() }
    }

    /// The folder that paths are relative to.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// What is to be seen in the place of the disk.
    pub fn overlay(&self) -> &Overlay {
        &self.overlay
    }

    /// Goes back to an earlier state.
    pub(super) fn restore(&mut self, overlay: Overlay) {
        self.overlay = overlay;
    }

    /// The text of a file that may be edited, byte order mark included.
    pub(super) fn text(&mut self, path: &str) -> Result<Arc<str>, Refusal> {
        if let Some(text) = self.overlay.get(path).or_else(|| self.originals.get(path)) {
            return Ok(Arc::clone(text));
        }
        self.admit(path)?;
        let text: Arc<str> = self.read(path)?.into();
        self.originals.insert(path.to_owned(), Arc::clone(&text));
        Ok(text)
    }

    /// Gives a file another text.
    pub(super) fn change(&mut self, path: &str, text: &str) {
        if self.originals.contains_key(path) {
            self.overlay.change(path, text);
        } else {
            self.overlay.create(path, text);
        }
    }

    /// Refuses a new file at a place where it can't be.
    pub(super) fn admit_new(&self, path: &str) -> Result<(), Refusal> {
        self.admit(path)?;
        let there = self.overlay.get(path).is_some() || fs::symlink_metadata(self.root.join(path)).is_ok();
        if there { Err(Refusal::Exists { path: path.to_owned() }) } else { Ok(()) }
    }

    /// What is different now from what was on disk, by path.
    pub fn changes(&self) -> Vec<Change> {
        let change = |(path, after): (&str, &Arc<str>)| Change {
            path: path.to_owned(),
            before: self.originals.get(path).cloned(),
            after: Arc::clone(after),
        };
        self.overlay.texts().map(change).filter(|change| change.before.as_ref() != Some(&change.after)).collect()
    }

    /// Refuses paths that lead out of the root and folders that hold the code of others.
    fn admit(&self, path: &str) -> Result<(), Refusal> {
        let outside = || Refusal::OutsideRoot { path: path.to_owned() };
        let is_name = |part: &str| !matches!(part, "" | "." | "..") && !part.contains('\\');
        if !path.split('/').all(is_name) || Path::new(path).is_absolute() {
            return Err(outside());
        }
        let mut below_src = false;
        let folders = path.split('/').rev().skip(1).collect::<Vec<_>>();
        for name in folders.into_iter().rev() {
            if names::is_excluded_dir(name, below_src) || name.starts_with('.') {
                let why = format!("lies in `{name}`, a folder for what is not written here");
                return Err(Refusal::Foreign { path: path.to_owned(), why });
            }
            below_src |= name == "src";
        }
        if is_inside(&self.root, &self.root.join(path)) { Ok(()) } else { Err(outside()) }
    }

    fn read(&self, path: &str) -> Result<String, Refusal> {
        let absolute = self.root.join(path);
        let owned = path.to_owned();
        let bytes = read_limited(&absolute).map_err(|error| refusal(&owned, &error))?;
        let modified = fs::metadata(&absolute).and_then(|metadata| metadata.modified()).unwrap_or(self.since);
        // A time that is still to come says nothing.
        if modified > self.since && modified <= SystemTime::now() {
            return Err(Refusal::ChangedMeanwhile { path: owned });
        }
        let source = SourceText::decode(bytes.clone()).map_err(|error| refusal(&owned, &error))?;
        match String::from_utf8(bytes) {
            Ok(text) if source.encoding == Encoding::Utf8 => Ok(text),
            _ => Err(Refusal::NotText { path: owned, why: "is UTF-16, which a patch can't carry".to_owned() }),
        }
    }
}

/// Whether a path, or the nearest folder above it that is there, lies in the root when links are followed.
pub(super) fn is_inside(root: &Path, path: &Path) -> bool {
    let Ok(root) = fs::canonicalize(root) else { return false };
    let nearest = path.ancestors().find(|path| fs::symlink_metadata(path).is_ok());
    nearest.is_some_and(|nearest| match fs::canonicalize(nearest) {
        Ok(real) => real.starts_with(&root),
        // A link to nothing could lead anywhere.
        Err(_) => false,
    })
}

fn refusal(path: &str, error: &LoadError) -> Refusal {
    let (path, why) = (path.to_owned(), error.to_string());
    match error {
        LoadError::Unreadable(error) if error.kind() == io::ErrorKind::NotFound => Refusal::Missing { path },
        LoadError::Generated | LoadError::Minified => Refusal::Foreign { path, why },
        LoadError::Unreadable(_) | LoadError::TooLarge(_) | LoadError::NotUtf8 { .. } => Refusal::NotText { path, why },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &[u8])]) -> (tempfile::TempDir, Files) {
        let dir = tempfile::tempdir().expect("temp dir");
        for (path, bytes) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
            fs::write(path, bytes).expect("file");
        }
        let files = Files::new(dir.path());
        (dir, files)
    }

    #[test]
    fn what_is_not_ours_is_refused() {
        let (dir, mut files) = folder(&[
            ("a.ts", b"let a;"),
            ("vendor/a.ts", b""),
            ("src/out/a.ts", b""),
            ("out/a.ts", b""),
            (".git/a.ts", b""),
            ("gen.ts", b"// @generated\n"),
            ("wide.ts", b"\xFF\xFEa\0"),
            ("bin.ts", b"\0"),
        ]);
        assert!(files.text("a.ts").is_ok() && files.text("src/out/a.ts").is_ok());
        for path in ["vendor/a.ts", "out/a.ts", ".git/a.ts", "gen.ts"] {
            assert!(matches!(files.text(path), Err(Refusal::Foreign { .. })), "{path}");
        }
        for path in ["wide.ts", "bin.ts"] {
            assert!(matches!(files.text(path), Err(Refusal::NotText { .. })), "{path}");
        }
        let absolute = dir.path().join("a.ts");
        for path in ["../a.ts", "./a.ts", "src//a.ts", "", absolute.to_str().expect("text")] {
            assert!(matches!(files.text(path), Err(Refusal::OutsideRoot { .. })), "{path}");
        }
        assert!(matches!(files.text("none.ts"), Err(Refusal::Missing { .. })));
        assert!(matches!(files.admit_new("a.ts"), Err(Refusal::Exists { .. })));
        assert_eq!(files.admit_new("new/folder/b.ts"), Ok(()));
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_root_are_refused() {
        let (dir, mut files) = folder(&[("a.ts", b"let a;")]);
        let elsewhere = tempfile::tempdir().expect("temp dir");
        fs::write(elsewhere.path().join("x.ts"), "").expect("file");
        std::os::unix::fs::symlink(elsewhere.path(), dir.path().join("linked")).expect("link");
        std::os::unix::fs::symlink(elsewhere.path().join("none.ts"), dir.path().join("broken.ts")).expect("link");
        std::os::unix::fs::symlink("a.ts", dir.path().join("b.ts")).expect("link");
        assert!(matches!(files.text("linked/x.ts"), Err(Refusal::OutsideRoot { .. })));
        assert!(matches!(files.admit_new("linked/new.ts"), Err(Refusal::OutsideRoot { .. })));
        assert!(matches!(files.admit_new("broken.ts"), Err(Refusal::OutsideRoot { .. })));
        assert!(files.text("b.ts").is_ok());
    }

    #[test]
    fn what_changed_after_the_look_is_refused() {
        let (dir, mut files) = folder(&[("a.ts", b"let a;")]);
        std::thread::sleep(std::time::Duration::from_millis(30));
        fs::write(dir.path().join("a.ts"), "let b;").expect("file");
        assert!(matches!(files.text("a.ts"), Err(Refusal::ChangedMeanwhile { .. })));
    }

    #[test]
    fn a_file_that_is_as_before_is_no_change() {
        let (_dir, mut files) = folder(&[("a.ts", b"let a;")]);
        files.text("a.ts").expect("there");
        files.change("a.ts", "let b;");
        assert_eq!(files.changes().len(), 1);
        files.change("a.ts", "let a;");
        assert!(files.changes().is_empty());
        files.change("n.ts", "");
        assert_eq!(files.changes()[0].before, None);
    }
}
