//! Front ends: from a file's text to the neutral form of [`crate::model::facts`].

pub mod typescript;
