//! What is said when the program itself is wrong. The process then ends with 101.

use std::io::Write;
use std::panic::PanicHookInfo;

/// Replaces the message of a panic.
pub fn install() {
    std::panic::set_hook(Box::new(|info| {
        let _ = write!(std::io::stderr(), "{}", message(info));
        if std::env::var_os("RUST_BACKTRACE").is_some_and(|v| v != "0") {
            let _ = writeln!(std::io::stderr(), "{}", std::backtrace::Backtrace::force_capture());
        }
    }));
}

fn message(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let cause = payload
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    let place = info.location().map(ToString::to_string).unwrap_or_default();
    text(cause, &place)
}

fn text(cause: &str, place: &str) -> String {
    format!(
        "mcp-migrate {} has stopped because of a bug of its own: {cause} ({place}).\n\
         No file was changed. Please report it to the project: this text, the command line, and, if it may be shared, the \
         source file that was being read.\nRun the command again with RUST_BACKTRACE=1 for a trace that helps.\n",
        env!("CARGO_PKG_VERSION")
    )
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_message_tells_how_to_report_without_a_link() {
        let text = super::text("index out of bounds", "src/x.rs:1:2");
        assert!(text.contains("index out of bounds (src/x.rs:1:2)"));
        assert!(text.contains("RUST_BACKTRACE=1"));
        assert!(!text.contains("://"));
    }
}
