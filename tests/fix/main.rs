//! What `fix` makes of code.

mod disk;
mod handles;
mod parse;
mod telemetry;
mod transport;
