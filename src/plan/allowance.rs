//! Suppression comments that allow nothing.

use super::Site;

/// A comment, or some of the rules that it names, that allows nothing.
#[derive(Clone, Debug)]
pub struct Allowance {
    /// The comment.
    pub comment: Site,
    /// The names that have to go; none: the whole comment.
    pub names: Vec<Site>,
}
