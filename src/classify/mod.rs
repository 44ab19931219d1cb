//! Categories, facets, carriers and failure modes: questions to the model.

pub mod access;
pub mod answer;
pub mod bags;
pub mod bodies;
mod by_hand;
mod defaults;
mod describe;
pub mod failure;
mod frameworks;
mod guards;
mod holders;
pub mod holds;
pub mod lifetime;
pub mod mutations;
pub mod processes;
mod registries;
pub mod server;
pub mod setup;
pub mod signals;
pub mod slots;
mod spend;
pub mod stores;
mod unfilled;
pub mod upgrades;
pub mod words;
