//! What `fix` makes of code.

mod disk;
mod handles;
mod left;
mod parse;
mod telemetry;
mod transport;
