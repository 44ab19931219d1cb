//! Categories, facets, carriers and failure modes: questions to the model.

pub mod answer;
