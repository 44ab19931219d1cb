//! Categories, facets, carriers and failure modes: questions to the model.

pub mod access;
pub mod answer;
pub mod lifetime;
pub mod mutations;
pub mod words;
