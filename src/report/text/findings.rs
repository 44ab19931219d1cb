//! Findings with the code they speak of.

use std::collections::HashMap;
use std::fmt;

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode};

use crate::report::layout::wrap;
use crate::report::places::word_length;
use crate::report::scan::Scan;
use crate::report::sources::{Sources, offset};
use crate::report::style::Style;
use crate::report::verdict::most_severe_first;
use crate::report::words;
use crate::rules::finding::{Finding, Severity};

/// A snippet with a longer line than this would flood the terminal.
const LONGEST_LINE: usize = 400;
/// More labels than this hide the code.
const MOST_LABELS: usize = 8;

/// Appends every finding, the most severe first.
pub fn render(out: &mut String, scan: &Scan, sources: &dyn Sources, style: Style) {
    let mut texts: HashMap<&str, Option<String>> = HashMap::new();
    for finding in most_severe_first(scan) {
        let text = texts.entry(&finding.path).or_insert_with(|| sources.read(&finding.path));
        out.push('\n');
        one(out, finding, text.as_deref(), style);
    }
}

fn one(out: &mut String, finding: &Finding, text: Option<&str>, style: Style) {
    let head = format!("{}[{}]", words::severity(finding.severity), finding.rule);
    let shown = Shown::new(finding, text, style);
    out.push_str(&style.severity(finding.severity, &head));
    if shown.source.is_none() {
        let place = format!(" {}:{}:{}", finding.path, finding.start.line, finding.start.column);
        out.push_str(&style.dim(&place));
    }
    out.push('\n');
    let mut drawn = String::new();
    match style.diagnostics().render_report(&mut drawn, &shown) {
        Ok(()) => out.push_str(drawn.trim_start_matches('\n')),
        Err(_) => wrap(out, style, "  ", "  ", &finding.message),
    }
    if !drawn.ends_with('\n') && !drawn.is_empty() {
        out.push('\n');
    }
    for i in &shown.elsewhere {
        let related = &finding.related[*i];
        let at = format!("{}:{}", related.at.path, related.at.line);
        wrap(out, style, &format!("  {} ", style.bullet()), "    ", &format!("{at}: {}", related.message));
    }
}

/// A finding as something that can be drawn.
struct Shown<'a> {
    finding: &'a Finding,
    source: Option<NamedSource<String>>,
    labels: Vec<LabeledSpan>,
    /// Related places that are not labels: in other files, or too many.
    elsewhere: Vec<usize>,
    help: String,
    message: String,
}

impl<'a> Shown<'a> {
    fn new(finding: &'a Finding, text: Option<&str>, style: Style) -> Self {
        let mut labels = Vec::new();
        let mut elsewhere = Vec::new();
        let span = text.and_then(|t| primary(finding, t));
        if let (Some(text), Some((start, end))) = (text, span) {
            let label = finding.failure.map(|f| words::failure(f).to_owned());
            labels.push(LabeledSpan::new_primary_with_span(label, (start, end - start)));
            for (i, related) in finding.related.iter().enumerate() {
                let at = offset(text, related.at.line, related.at.column);
                match at.filter(|at| related.at.path == finding.path && short_line(text, *at)) {
                    Some(at) if labels.len() < MOST_LABELS => {
                        let label = Some(style.text(&related.message));
                        labels.push(LabeledSpan::new(label, at, word_length(&text[at..])));
                    }
                    _ => elsewhere.push(i),
                }
            }
        } else {
            elsewhere.extend(0..finding.related.len());
        }
        let source = text.filter(|_| !labels.is_empty()).map(|t| NamedSource::new(&finding.path, t.to_owned()));
        Self {
            finding,
            source,
            labels,
            elsewhere,
            help: style.text(&finding.advice),
            message: style.text(&finding.message),
        }
    }
}

/// The range of the finding; cut at the end of its first line, since a whole function underlined says nothing.
fn primary(finding: &Finding, text: &str) -> Option<(usize, usize)> {
    let start = offset(text, finding.start.line, finding.start.column)?;
    if !short_line(text, start) {
        return None;
    }
    let line_end = text[start..].find(['\n', '\r']).map_or(text.len(), |n| start + n);
    let end = offset(text, finding.end.line, finding.end.column).unwrap_or(line_end);
    Some((start, end.min(line_end).max(start)))
}

fn short_line(text: &str, at: usize) -> bool {
    let before = text[..at].rfind('\n').map_or(at, |n| at - n);
    let after = text[at..].find('\n').unwrap_or(text.len() - at);
    before + after <= LONGEST_LINE
}

impl fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Shown<'_> {}

impl Diagnostic for Shown<'_> {
    fn severity(&self) -> Option<miette::Severity> {
        Some(match self.finding.severity {
            Severity::Error => miette::Severity::Error,
            Severity::Warning => miette::Severity::Warning,
            Severity::Note => miette::Severity::Advice,
        })
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (!self.help.is_empty()).then(|| Box::new(&self.help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|s| s as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty())
            .then(|| Box::new(self.labels.iter().cloned()) as Box<dyn Iterator<Item = LabeledSpan>>)
    }
}
