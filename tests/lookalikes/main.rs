//! What looks like sessions and is not, and what is sessions and does not look like it.

#[path = "../common/program.rs"]
#[allow(dead_code, reason = "shared with other suites")]
mod program;

mod hidden;
mod kept;
mod kinds;
mod modes;
mod python_servers;
mod python_tables;
mod rust_servers;
mod rust_upstreams;
mod tables;
mod traps;
mod twins;
