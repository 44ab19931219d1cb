//! A fix for people. A dry run is a patch that `git apply` takes: what is said beside it stands in lines that begin with `#`.

use super::fix::{Fix, Group, Manual};
use super::layout::{lines, plural};
use super::style::Style;
use super::tool_text::ToolText;

/// Renders a fix; `undo` says how to take it back, where it was written.
pub fn render(fix: &Fix, style: Style, undo: Option<&str>) -> String {
    let mut page = Page { out: String::new(), style };
    for (index, group) in fix.applied().enumerate() {
        page.applied(index + 1, group, fix.dry_run);
    }
    let refused: Vec<&Group> = fix.refused().collect();
    if !refused.is_empty() || !fix.manual.is_empty() {
        page.left(&refused, &fix.manual);
    }
    page.good_to_know(&fix.good_to_know);
    page.allowed(fix);
    page.checked(fix);
    page.read_by_models(&fix.tool_text);
    page.end(fix, undo);
    page.out
}

struct Page {
    out: String,
    style: Style,
}

impl Page {
    /// A paragraph, its first line behind `first`.
    fn say(&mut self, first: &str, text: &str) {
        self.paint(first, text, |_, line| line.to_owned());
    }

    fn paint(&mut self, first: &str, text: &str, paint: impl Fn(Style, &str) -> String) {
        let text = self.style.text(text);
        let room = self.style.width.saturating_sub(first.chars().count() + 2).max(24);
        let rest = " ".repeat(first.chars().count());
        for (index, line) in lines(&text, room).iter().enumerate() {
            let before = if index == 0 { first } else { &rest };
            let line = format!("# {before}{}", paint(self.style, line));
            self.out.push_str(line.trim_end());
            self.out.push('\n');
        }
    }

    fn applied(&mut self, number: usize, group: &Group, dry_run: bool) {
        let head = format!("{number}. {} [{}, {}]", group.title, group.level.id(), group.rule);
        self.paint("", &head, |style, line| style.bold(line));
        for note in &group.notes {
            self.say("   ", note);
        }
        if dry_run {
            self.out.push_str(&diff(&group.patch, self.style));
        } else {
            self.say("   ", &group.files.join(", "));
        }
        self.out.push('\n');
    }

    fn left(&mut self, refused: &[&Group], manual: &[Manual]) {
        let count = refused.len() + manual.len();
        self.paint("", &format!("Left to you: {}", plural(count, "thing")), |style, line| style.bold(line));
        for group in refused {
            let at =
                group.at.as_ref().map_or_else(String::new, |at| format!("{}:{}:{}: ", at.path, at.line, at.column));
            self.say("* ", &format!("{at}{} [{}, {}]", group.title, group.level.id(), group.rule));
            self.say("  ", group.reason.as_deref().map(sentence).unwrap_or_default().as_str());
            self.say("  - ", group.help.as_deref().map(sentence).unwrap_or_default().as_str());
            for (why, help) in group.stopped_by() {
                self.say("  ", &sentence(&why));
                if group.help.as_deref() != Some(help) {
                    self.say("  - ", &sentence(help));
                }
            }
            if !group.about.is_empty() {
                let places: Vec<String> = group.about.iter().map(|at| format!("{}:{}", at.path, at.line)).collect();
                self.say("  ", &sentence(&format!("It would see to {}", places.join(", "))));
            }
        }
        self.manual(manual);
    }

    fn manual(&mut self, manual: &[Manual]) {
        for manual in manual {
            let at = &manual.at;
            let place = format!("{}:{}:{}{}", at.path, at.line, at.column, manual.others());
            self.say("* ", &format!("{place}: {} [{}]", manual.what, manual.rule));
            self.say("  ", &sentence(&manual.why));
            for todo in &manual.todo {
                self.say("  - ", &sentence(todo));
            }
        }
        self.out.push('\n');
    }

    fn good_to_know(&mut self, notes: &[Manual]) {
        if notes.is_empty() {
            return;
        }
        self.paint("", "Good to know: nothing is to be done", |style, line| style.bold(line));
        for note in notes {
            let at = &note.at;
            let place = format!("{}:{}:{}{}", at.path, at.line, at.column, note.others());
            self.say("* ", &format!("{place}: {} [{}]", note.what, note.rule));
        }
        self.out.push('\n');
    }

    fn allowed(&mut self, fix: &Fix) {
        if fix.summary.allowed == 0 {
            return;
        }
        self.paint("", "Stays as it is", |style, line| style.bold(line));
        for group in fix.allowed() {
            self.say("* ", &format!("{} [{}, {}]", group.title, group.level.id(), group.rule));
            self.say("  ", &group.reason.as_deref().map(sentence).unwrap_or_default());
        }
        self.out.push('\n');
    }

    fn checked(&mut self, fix: &Fix) {
        if fix.preconditions.is_empty() {
            return;
        }
        self.paint("", "Checked, and found so", |style, line| style.bold(line));
        for precondition in &fix.preconditions {
            let at = precondition.at.as_ref().map_or_else(String::new, |at| format!(" ({}:{})", at.path, at.line));
            self.say("* ", &format!("{}{at}", precondition.what));
        }
        self.out.push('\n');
    }

    fn read_by_models(&mut self, text: &ToolText) {
        let Some(sentence) = text.sentence() else { return };
        self.paint("", &sentence, |style, line| style.bold(line));
        for tool in &text.tools {
            let (added, count) =
                (tool.added(), |count: Option<usize>| count.map_or("none".to_owned(), |n| n.to_string()));
            let figures = format!("{added:+} ({} before, {} after)", count(tool.before), count(tool.after));
            self.say("* ", &format!("{}: {figures}", tool.tool));
        }
        self.out.push('\n');
    }

    fn end(&mut self, fix: &Fix, undo: Option<&str>) {
        for note in &fix.notes {
            self.say("", note);
        }
        let summary = &fix.summary;
        let id = |category: Option<crate::classify::answer::Category>| category.map_or("no server", |c| c.id());
        let head = match (summary.applied, fix.leaves()) {
            (0, false) => "Nothing to change.".to_owned(),
            (0, true) => "Nothing was changed.".to_owned(),
            _ => {
                let verb = if fix.dry_run { "would change" } else { "changed" };
                let (changes, files) = (plural(summary.applied, "change"), plural(summary.files, "file"));
                format!("{changes} {verb} {files}: {} before, {} after.", id(summary.before), id(summary.after))
            }
        };
        self.paint("", &head, |style, line| style.bold(line));
        if summary.applied == 0 {
            return;
        }
        if fix.dry_run {
            self.say("", "Next: `mcp-migrate fix` writes this; --patch FILE keeps it as a patch for `git apply`.");
        } else {
            self.say(
                "",
                "Next: read the diff (`git diff`), run your type check and tests, and tell your users what changed.",
            );
            if let Some(undo) = undo {
                self.say("", &format!("To undo: {undo}"));
            }
        }
    }
}

/// A patch in colours.
pub fn diff(patch: &str, style: Style) -> String {
    patch.split_inclusive('\n').map(|line| colored(line, style)).collect()
}

/// With a full stop at its end.
fn sentence(text: &str) -> String {
    if text.is_empty() || text.ends_with(['.', '!', '?', ':']) { text.to_owned() } else { format!("{text}.") }
}

fn colored(line: &str, style: Style) -> String {
    let (text, end) = match line.strip_suffix('\n') {
        Some(text) => (text, "\n"),
        None => (line, ""),
    };
    let painted = match text.as_bytes().first() {
        _ if text.starts_with("diff ") || text.starts_with("---") || text.starts_with("+++") => style.bold(text),
        Some(b'+') => style.added(text),
        Some(b'-') => style.removed(text),
        Some(b'@') => style.code(text),
        _ => text.to_owned(),
    };
    painted + end
}
