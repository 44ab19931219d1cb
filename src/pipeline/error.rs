//! What can stop a scan as a whole. One bad file never does.

use std::fmt;
use std::path::{Path, PathBuf};

use miette::Diagnostic;

use crate::report::scan::Unsupported;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScanError {
    /// A path does not exist.
    PathNotFound {
        /// The path.
        path: PathBuf,
        /// The nearest folder above it that does.
        nearest: Option<PathBuf>,
        /// An entry of that folder with almost the same name.
        similar: Option<PathBuf>,
    },
    /// A path exists but can't be read.
    Unreadable {
        /// The path.
        path: PathBuf,
        /// What the system says.
        cause: String,
    },
    /// There is no file in a supported language.
    NothingReadable {
        /// Where it was looked for.
        root: String,
        /// Languages that were met and can't be read yet.
        unsupported: Vec<Unsupported>,
    },
    /// A setting makes no sense.
    Config {
        /// What is wrong.
        message: String,
        /// What to do about it.
        help: String,
    },
}

impl ScanError {
    /// Worker threads could not be started.
    pub fn threads(number: usize, cause: &str) -> Self {
        Self::Config {
            message: format!("{number} threads can't be started: {cause}"),
            help: "Give `--threads` a smaller number, or leave it out.".to_owned(),
        }
    }

    /// `path` does not exist: looks for what was meant.
    pub fn not_found(path: &Path) -> Self {
        let nearest = path
            .ancestors()
            .skip(1)
            .map(|p| if p.as_os_str().is_empty() { Path::new(".") } else { p })
            .find(|p| p.is_dir());
        let similar = nearest.and_then(|folder| {
            let missing = path.strip_prefix(folder).unwrap_or(path).components().next()?;
            let missing = missing.as_os_str().to_string_lossy().into_owned();
            let mut names: Vec<(usize, PathBuf)> = std::fs::read_dir(folder)
                .ok()?
                .flatten()
                .map(|e| {
                    let name = e.file_name().to_string_lossy().into_owned();
                    (strsim::damerau_levenshtein(&missing, &name), e.path())
                })
                .filter(|(distance, _)| *distance <= 2)
                .collect();
            names.sort();
            names.into_iter().next().map(|(_, path)| path)
        });
        Self::PathNotFound { path: path.to_path_buf(), nearest: nearest.map(Path::to_path_buf), similar }
    }

    /// `glob` is not a glob.
    pub fn bad_glob(glob: &str, cause: &str) -> Self {
        Self::Config {
            message: format!("`--exclude {glob}` is not a glob: {cause}"),
            help:
                "Globs are written as in .gitignore, for instance `vendor/**` or `*.gen.ts`; quote them from the shell."
                    .to_owned(),
        }
    }
}

impl fmt::Display for ScanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PathNotFound { path, .. } => write!(f, "{} does not exist", path.display()),
            Self::Unreadable { path, cause } => {
                write!(f, "{} can't be read: {cause}", path.display())
            }
            Self::NothingReadable { root, .. } => {
                write!(f, "there is nothing in {root} that can be read")
            }
            Self::Config { message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for ScanError {}

impl Diagnostic for ScanError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        let text = match self {
            Self::PathNotFound { similar: Some(s), .. } => format!("Did you mean {}?", s.display()),
            Self::PathNotFound { nearest: Some(n), .. } => format!(
                "{} exists; give a file or folder in it, or run the command from the folder that your path starts at.",
                n.display()
            ),
            Self::PathNotFound { .. } => "Give a file or folder that exists.".to_owned(),
            Self::Unreadable { .. } => "Check the permissions of the path, or leave it out with --exclude.".to_owned(),
            Self::NothingReadable { unsupported, .. } => {
                let met: Vec<&str> = unsupported.iter().map(|u| u.language.as_str()).collect();
                let met = if met.is_empty() {
                    String::new()
                } else {
                    format!(" There are files in {}, but that can't be read yet.", met.join(", "))
                };
                format!(
                    "No file there is in a supported language.{met} What .gitignore names is left out, and so are tests, \
                     unless --include-tests is given. If an empty answer is fine, add --allow-empty."
                )
            }
            Self::Config { help, .. } => help.clone(),
        };
        Some(Box::new(text))
    }
}
