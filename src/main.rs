//! The `mcp-migrate` program.

mod cli;

/// A scan makes and drops many short-lived trees and sets; this allocator serves the C parsers too.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::run()
}
