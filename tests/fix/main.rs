//! What `fix` makes of code.

mod disk;
mod parse;
mod transport;
