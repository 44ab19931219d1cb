//! One line on stderr that tells that long work is going on.

use std::io::Write;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use mcp_migrate::{Progress, Stage};

/// Quicker work than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// Time between two drawings.
const TICK: Duration = Duration::from_millis(100);

/// Draws a counter. Removes it when dropped.
pub struct Counter {
    enabled: bool,
    started: Instant,
    drawn: Mutex<Option<Drawn>>,
}

struct Drawn {
    at: Instant,
    turns: usize,
}

impl Counter {
    /// A counter that draws only if `enabled`.
    pub fn new(enabled: bool) -> Self {
        Self { enabled, started: Instant::now(), drawn: Mutex::new(None) }
    }
}

impl Progress for Counter {
    fn step(&self, stage: Stage, done: u64, total: Option<u64>) {
        if !self.enabled || self.started.elapsed() < PATIENCE {
            return;
        }
        // Whoever finds the line busy has nothing newer to say.
        let Ok(mut drawn) = self.drawn.try_lock() else {
            return;
        };
        if drawn.as_ref().is_some_and(|d| d.at.elapsed() < TICK) {
            return;
        }
        let turns = drawn.as_ref().map_or(0, |d| d.turns + 1);
        let spinner = ['|', '/', '-', '\\'][turns % 4];
        let what = match stage {
            Stage::Walk => "looking for files",
            Stage::Parse => "reading files",
            Stage::Analyse => "following session ids",
        };
        let count = total.map_or_else(|| done.to_string(), |t| format!("{done} of {t}"));
        let _ = write!(std::io::stderr(), "\r{spinner} {what}: {count}\u{1b}[K");
        *drawn = Some(Drawn { at: Instant::now(), turns });
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        if self.drawn.lock().is_ok_and(|d| d.is_some()) {
            let _ = write!(std::io::stderr(), "\r\u{1b}[K");
        }
    }
}
