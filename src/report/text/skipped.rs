//! What was not read, by reason.

use super::Detail;
use crate::report::layout::{plural, wrap};
use crate::report::scan::{Scan, SkipReason, Skipped};
use crate::report::style::Style;

/// As many paths of a reason are named when not everything was asked for.
const FEW: usize = 3;

/// Appends the files that were not analysed and the languages that can't be read yet.
pub fn render(out: &mut String, scan: &Scan, style: Style, detail: Detail) {
    let represented =
        |s: &Skipped| s.reason == SkipReason::UnsupportedLanguage && scan.unsupported.iter().any(|u| u.path == s.path);
    let skipped: Vec<&Skipped> = scan.skipped.iter().filter(|s| !represented(s)).collect();
    if skipped.is_empty() && scan.unsupported.is_empty() {
        return;
    }
    out.push_str(&format!("\n{}\n", style.bold("Not read")));
    let bullet = format!("  {} ", style.bullet());
    for reason in SkipReason::ALL {
        let of: Vec<&Skipped> = skipped.iter().copied().filter(|s| s.reason == *reason).collect();
        if of.is_empty() {
            continue;
        }
        let head = format!("{}: {}", reason.words(), plural(of.len(), "file"));
        if detail == Detail::Full {
            wrap(out, style, &bullet, "    ", &format!("{head}."));
            for file in &of {
                let text = match &file.detail {
                    Some(detail) => format!("{}: {detail}", file.path),
                    None => file.path.clone(),
                };
                wrap(out, style, "      ", "        ", &text);
            }
        } else {
            let mut names: Vec<&str> = of.iter().take(FEW).map(|s| s.path.as_str()).collect();
            let more = format!("{} more", of.len().saturating_sub(FEW));
            if of.len() > FEW {
                names.push(&more);
            }
            wrap(out, style, &bullet, "    ", &format!("{head} ({}).", names.join(", ")));
        }
    }
    for language in &scan.unsupported {
        let text = format!(
            "{}, not supported yet: {} ({}).",
            language.language,
            plural(language.files as usize, "file"),
            language.path
        );
        wrap(out, style, &bullet, "    ", &text);
    }
}
