//! Before anything is written: where each file really is, and whether it can be replaced.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::files::{Change, is_inside};
use super::journal::{Entry, hash};
use super::stop::Stop;
use crate::workspace::paths;

/// A file to be written.
pub struct Target {
    /// As the user calls it.
    pub shown: String,
    /// Its real place, relative to the top, with `/`.
    pub place: String,
    before: Option<u64>,
    after: Arc<str>,
    /// Of the file that is replaced.
    metadata: Option<Metadata>,
}

/// Looks at all files before any is touched.
pub fn check(root: &Path, top: &Path, changes: &[Change]) -> Result<Vec<Target>, Stop> {
    let (mut targets, mut unwritable): (Vec<Target>, Vec<(String, String)>) = (Vec::new(), Vec::new());
    let (mut outside, mut changed) = (Vec::new(), Vec::new());
    for change in changes {
        match Target::of(root, top, change) {
            Ok(target) if targets.iter().any(|other| other.place == target.place) => {
                unwritable.push((target.shown, "another changed file is a link to it".to_owned()));
            }
            Ok(target) => targets.push(target),
            Err(Trouble::Outside) => outside.push(change.path.clone()),
            Err(Trouble::Changed) => changed.push(change.path.clone()),
            Err(Trouble::Unwritable(why)) => unwritable.push((change.path.clone(), why)),
        }
    }
    match () {
        () if !outside.is_empty() => Err(Stop::OutsideRoot(outside)),
        () if !unwritable.is_empty() => Err(Stop::Unwritable(unwritable)),
        () if !changed.is_empty() => Err(Stop::Changed(changed)),
        () => Ok(targets),
    }
}

enum Trouble {
    Outside,
    Changed,
    Unwritable(String),
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound => Self::Changed,
            _ => Self::Unwritable(error.to_string()),
        }
    }
}

impl Target {
    fn of(root: &Path, top: &Path, change: &Change) -> Result<Self, Trouble> {
        let path = root.join(&change.path);
        if !is_inside(root, &path) {
            return Err(Trouble::Outside);
        }
        let (real, metadata) = match &change.before {
            Some(before) => {
                let real = fs::canonicalize(&path)?;
                let metadata = fs::metadata(&real)?;
                replaceable(&metadata)?;
                if fs::read(&real)? != before.as_bytes() {
                    return Err(Trouble::Changed);
                }
                (real, Some(metadata))
            }
            None if fs::symlink_metadata(&path).is_ok() => return Err(Trouble::Changed),
            None => (real_place(&path)?, None),
        };
        let place = paths::relative(&real, top);
        if top.join(&place) != real {
            return Err(Trouble::Unwritable("its real path is no Unicode text".to_owned()));
        }
        Ok(Self {
            shown: change.path.clone(),
            place,
            before: change.before.as_ref().map(|text| hash(text.as_bytes())),
            after: Arc::clone(&change.after),
            metadata,
        })
    }

    /// What the journal says of it.
    pub fn entry(&self, number: usize) -> Entry {
        Entry::new(number, &self.place, self.before, hash(self.after.as_bytes()))
    }

    /// Writes the whole new file beside the old one.
    pub fn prepare(&self, at: &Path) -> io::Result<()> {
        if let Some(folder) = at.parent() {
            fs::create_dir_all(folder)?;
        }
        // Whoever holds the journal is alone: what is in the way was left by a run that was killed.
        if fs::symlink_metadata(at).is_ok() {
            fs::remove_file(at)?;
        }
        let mut file = File::options().write(true).create_new(true).open(at)?;
        if let Some(metadata) = &self.metadata {
            keep_owner(&file, metadata);
            file.set_permissions(metadata.permissions())?;
        }
        file.write_all(self.after.as_bytes())?;
        file.sync_all()
    }

    /// What the user should know of replacing it.
    pub fn note(&self) -> Option<String> {
        let links = links(self.metadata.as_ref()?);
        (links > 1)
            .then(|| format!("{} has {} further names (hard links), which keep the old text", self.shown, links - 1))
    }
}

/// Folders that do not exist yet, outer ones first, relative to the top.
pub fn missing_folders(top: &Path, targets: &[Target]) -> Vec<String> {
    let folders = targets.iter().flat_map(|target| paths::ancestors(paths::parent(&target.place)));
    let mut missing: Vec<String> = folders.filter(|folder| !top.join(folder).exists()).map(str::to_owned).collect();
    missing.sort_unstable();
    missing.dedup();
    missing
}

fn replaceable(metadata: &Metadata) -> Result<(), Trouble> {
    match () {
        () if !metadata.is_file() => Err(Trouble::Unwritable("it is no regular file".to_owned())),
        () if metadata.permissions().readonly() => Err(Trouble::Unwritable("it is read-only".to_owned())),
        () => Ok(()),
    }
}

/// Where a file that is not there would really be.
fn real_place(path: &Path) -> io::Result<PathBuf> {
    let nearest = path.ancestors().skip(1).find(|folder| fs::symlink_metadata(folder).is_ok());
    let nearest = nearest.ok_or(io::ErrorKind::NotFound)?;
    let rest = path.strip_prefix(nearest).map_err(io::Error::other)?;
    Ok(fs::canonicalize(nearest)?.join(rest))
}

#[cfg(unix)]
fn links(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(metadata)
}

#[cfg(not(unix))]
fn links(_metadata: &Metadata) -> u64 {
    1
}

/// Gives the new file the owner of the old one, where that is allowed: else it is the user's, as after a checkout.
#[cfg(unix)]
fn keep_owner(file: &File, metadata: &Metadata) {
    use std::os::unix::fs::MetadataExt;
    let _ = std::os::unix::fs::fchown(file, Some(metadata.uid()), Some(metadata.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_file: &File, _metadata: &Metadata) {}
