//! Each rule on programs that must make it speak and on look-alikes that must not.

#[path = "../common/program.rs"]
#[allow(dead_code, reason = "shared with other suites")]
mod program;

mod auth;
mod capabilities;
mod dead_code;
mod fallback;
mod gateway;
mod guard;
mod handles;
mod implicit;
mod keyed_state;
mod lists;
mod object_key;
mod own_protocol;
mod process_state;
mod requests;
mod scoped_server;
mod setup;
mod shared_server;
mod state_api;
mod telemetry;
mod transport_map;
