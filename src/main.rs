//! The `mcp-migrate` program.

mod cli;

/// Half of a small scan's time is spent on short-lived trees and sets; this allocator serves the C parsers too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::run()
}
