//! What `fix` makes of code.

mod asked;
mod disk;
mod external;
mod handles;
mod left;
mod parse;
mod selections;
mod telemetry;
mod transport;
