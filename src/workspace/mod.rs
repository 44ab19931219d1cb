//! Walking, the byte prefilter, manifests and lock files: from path arguments to packages, SDK versions and import edges.
//! Reads no syntax.

pub mod git;
pub mod names;
pub mod overlay;
pub mod packages;
pub mod paths;
pub mod prefilter;
pub mod replicas;
pub mod resolve;
pub mod sdk;
pub mod skipped;
pub mod upgrades;
pub mod version;
pub mod walk;
mod walk_exclude;
mod walk_root;

pub use packages::{Family, Package, Packages};
pub use resolve::{Resolution, Resolver};
pub use skipped::{SkipReason, Skipped};
pub use walk::{SourceFile, Tree, WalkError, WalkOptions, walk};
