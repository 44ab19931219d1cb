//! The journal of a run that writes: what it takes to bring the run to an end when it is killed. It lies at the top of the repository
//! (else of the root) only as long as files are being written, and is locked by the run that does it.
//!
//! Its first line lists what will be done and is on disk before anything else is; its second line says that everything is prepared.
//! Without the second line nothing was renamed yet and all can be thrown away; with it all can be finished.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::files::is_inside;
use super::stop::Stop;
use crate::workspace::paths;
use crate::workspace::walk::repository_root;

const NAME: &str = ".mcp-migrate-journal";

const PREPARED_START: &str = ".mcp-migrate-";
const PREPARED_END: &str = ".tmp";

/// What is said of a journal that no run has written.
const FOREIGN: &str = "no run of this program has written it; remove it";

/// The second line.
const PREPARED: &str = "prepared\n";

/// What will be done. Paths are relative to the journal's folder, with `/`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Files to be replaced or made.
    pub entries: Vec<Entry>,
    /// Folders that are made for them, outer ones first.
    pub folders: Vec<String>,
}

/// A file to be replaced or made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The file.
    pub target: String,
    /// The file that takes its place.
    pub prepared: String,
    /// Hash of the bytes that are replaced; `None`: nothing is there.
    pub before: Option<u64>,
    /// Hash of the bytes that take their place; `None` in journals of older releases.
    #[serde(default)]
    pub after: Option<u64>,
}

impl Plan {
    /// Whether a run could have made it. A journal may have come with the repository: it must lead nowhere else, and to no other files
    /// than those that runs prepare.
    fn is_ours(&self, top: &Path) -> bool {
        let names_only = |path: &str| {
            !path.is_empty() && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
        };
        let entry = |entry: &Entry| {
            let name = paths::file_name(&entry.prepared);
            names_only(&entry.target)
                && names_only(&entry.prepared)
                && paths::parent(&entry.prepared) == paths::parent(&entry.target)
                && name.starts_with(PREPARED_START)
                && name.ends_with(PREPARED_END)
                && is_inside(top, &top.join(paths::parent(&entry.target)))
        };
        self.entries.iter().all(entry) && self.folders.iter().all(|folder| names_only(folder))
    }
}

impl Entry {
    /// What becomes of a file of the run's. The name of the prepared file tells the walk, and people, that it is none of theirs.
    pub fn new(number: usize, target: &str, before: Option<u64>, after: u64) -> Self {
        let name = format!("{PREPARED_START}{}-{number}{PREPARED_END}", std::process::id());
        let prepared = match paths::parent(target) {
            "." => name,
            folder => format!("{folder}/{name}"),
        };
        Self { target: target.to_owned(), prepared, before, after: Some(after) }
    }
}

/// A journal, held by this process.
pub struct Journal {
    /// The folder that it lies in.
    pub top: PathBuf,
    /// What is done.
    pub plan: Plan,
    /// Whether everything is prepared.
    pub prepared: bool,
    file: File,
}

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finished {
    /// It was old and is new.
    Written,
    /// It was new already.
    Already,
    /// It is neither: someone changed it, and it was left alone.
    Left,
}

/// The folder in which the journal of a root lies.
pub fn top_of(root: &Path) -> io::Result<PathBuf> {
    let root = fs::canonicalize(root)?;
    Ok(repository_root(&root).unwrap_or(root))
}

impl Journal {
    /// Begins a run.
    pub fn begin(top: &Path, plan: Plan) -> Result<Self, Stop> {
        let path = top.join(NAME);
        let failed = |error: io::Error| Stop::Unwritable(vec![(NAME.to_owned(), error.to_string())]);
        let mut file = match File::options().read(true).write(true).create_new(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(match Self::find(top)? {
                    Some(_) => Stop::Interrupted,
                    None => Stop::Busy,
                });
            }
            Err(error) => return Err(failed(error)),
        };
        lock(&file)?;
        let mut line = serde_json::to_vec(&plan).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let journal = Self { top: top.to_owned(), plan, prepared: false, file: file.try_clone().map_err(failed)? };
        if let Err(error) = file.write_all(&line).and_then(|()| file.sync_all()) {
            journal.close().map_err(failed)?;
            return Err(failed(error));
        }
        sync_folder(top);
        Ok(journal)
    }

    /// Whether a journal lies there: a run was interrupted, or is about to write.
    pub fn lies_at(top: &Path) -> bool {
        fs::symlink_metadata(top.join(NAME)).is_ok_and(|metadata| metadata.is_file())
    }

    /// The journal that an interrupted run left.
    pub fn find(top: &Path) -> Result<Option<Self>, Stop> {
        let failed = |error: io::Error| Stop::Failed { written: Vec::new(), message: format!("{NAME}: {error}") };
        let path = top.join(NAME);
        match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_file() => {}
            Ok(_) => return Err(failed(io::Error::other(FOREIGN))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        }
        let mut file = match File::options().read(true).write(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(failed(error)),
        };
        lock(&file)?;
        if !is_still(&file, &path) {
            return Ok(None);
        }
        let mut text = String::new();
        file.rewind().and_then(|()| file.read_to_string(&mut text)).map_err(failed)?;
        let (first, rest) = text.split_once('\n').unwrap_or_default();
        // A first line that is not whole: nothing was prepared after it.
        let plan: Plan = serde_json::from_str(first).unwrap_or_default();
        if !plan.is_ours(top) {
            return Err(failed(io::Error::other(FOREIGN)));
        }
        Ok(Some(Self { top: top.to_owned(), plan, prepared: rest == PREPARED, file }))
    }

    /// Says that everything is prepared.
    pub fn set_prepared(&mut self) -> io::Result<()> {
        self.file.seek(io::SeekFrom::End(0))?;
        self.file.write_all(PREPARED.as_bytes())?;
        self.file.sync_all()?;
        self.prepared = true;
        Ok(())
    }

    /// Puts the prepared file of an entry in its place, unless someone changed what is there.
    pub fn finish(&self, entry: &Entry) -> io::Result<Finished> {
        let (target, prepared) = (self.top.join(&entry.target), self.top.join(&entry.prepared));
        if fs::symlink_metadata(&prepared).is_err() {
            return Ok(Finished::Already);
        }
        if !self.is_as_before(entry) {
            fs::remove_file(&prepared)?;
            return Ok(Finished::Left);
        }
        fs::rename(&prepared, &target)?;
        Ok(Finished::Written)
    }

    /// Whether what is there is what the run was planned on.
    pub fn is_as_before(&self, entry: &Entry) -> bool {
        let target = self.top.join(&entry.target);
        match entry.before {
            Some(before) => fs::read(&target).is_ok_and(|bytes| hash(&bytes) == before),
            None => fs::symlink_metadata(&target).is_err_and(|error| error.kind() == io::ErrorKind::NotFound),
        }
    }

    /// Whether the file of an entry was put in its place.
    fn is_placed(&self, entry: &Entry) -> bool {
        fs::symlink_metadata(self.top.join(&entry.prepared)).is_err()
    }

    /// Whether somebody took back what the run had written: a file that it had put in its place is as before again.
    pub fn is_taken_back(&self) -> bool {
        let old_again =
            |entry: &Entry| entry.before.is_some() && entry.before != entry.after && self.is_as_before(entry);
        self.plan.entries.iter().any(|entry| self.is_placed(entry) && old_again(entry))
    }

    /// Removes the files that the run made and nobody touched since. The answer: files that are still as it wrote them.
    pub fn take_back(&self) -> io::Result<Vec<String>> {
        let mut still = Vec::new();
        for entry in self.plan.entries.iter().filter(|entry| self.is_placed(entry)) {
            let target = self.top.join(&entry.target);
            let ours = fs::read(&target).is_ok_and(|bytes| Some(hash(&bytes)) == entry.after);
            match entry.before {
                None if ours => ignore_missing(fs::remove_file(target))?,
                Some(_) if ours => still.push(entry.target.clone()),
                _ => {}
            }
        }
        Ok(still)
    }

    /// Throws away what was prepared.
    pub fn discard(self) -> io::Result<()> {
        for entry in &self.plan.entries {
            ignore_missing(fs::remove_file(self.top.join(&entry.prepared)))?;
        }
        for folder in self.plan.folders.iter().rev() {
            // One that is not empty holds something of someone else's.
            let _ = fs::remove_dir(self.top.join(folder));
        }
        self.close()
    }

    /// Ends the run: makes what was done last, and takes the journal away.
    pub fn close(self) -> io::Result<()> {
        let mut folders: Vec<&Path> =
            self.plan.entries.iter().filter_map(|entry| Path::new(&entry.target).parent()).collect();
        folders.sort_unstable();
        folders.dedup();
        for folder in folders {
            sync_folder(&self.top.join(folder));
        }
        ignore_missing(fs::remove_file(self.top.join(NAME)))?;
        sync_folder(&self.top);
        Ok(())
    }
}

fn ignore_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(()),
        other => other,
    }
}

/// Takes the journal, or says that another run has it. The lock goes with the process that holds it.
fn lock(file: &File) -> Result<(), Stop> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(Stop::Busy),
        // Some file systems know no locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Whether an open file is the one that its path leads to: a run that ends takes its journal away.
#[cfg(unix)]
fn is_still(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(there)) => id(open) == id(there),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_still(_file: &File, path: &Path) -> bool {
    path.exists()
}

/// A rename is on disk only when its folder is. Where folders can't be opened, the system does that by itself.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = File::open(folder) {
        let _ = folder.sync_all();
    }
}

/// A hash that is the same in every release (FNV-1a).
pub fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}
