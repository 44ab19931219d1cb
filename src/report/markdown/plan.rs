//! What `fix` would do, group by group with its diff, what stays manual, and on which preconditions the edits rest.

use super::escape::{cell, code, fence, prose};
use super::{Cx, Part};
use crate::classify::answer::{Category, Place};
use crate::report::fix::{Fix, Group, Manual};
use crate::report::layout::plural;
use crate::report::tool_text::ToolText;
use crate::report::verdict::as_sentence;

/// Groups that the short form lists.
const FEW_GROUPS: usize = 6;

/// The sections of the plan; none where there is nothing to do and nothing left.
pub fn render(cx: &Cx<'_>, fix: &Fix) -> Vec<Part> {
    let mut out = Vec::new();
    for (index, group) in fix.applied().enumerate() {
        let mut part = applied(cx, group);
        if index == 0 {
            part.lead(&format!("\n## What fix does\n\n{}\n", summary(fix)));
        }
        out.push(part);
    }
    out.extend(read_by_models(cx, &fix.tool_text).map(Part::plain));
    out.extend(left(cx, fix).map(Part::plain));
    out.extend(stays(fix).map(Part::plain));
    out.extend(preconditions(cx, fix).map(Part::plain));
    out
}

/// Titles, levels and counts, for the short form.
pub fn brief(fix: &Fix) -> Option<String> {
    let groups: Vec<&Group> = fix.applied().collect();
    let left = fix.summary.refused + fix.summary.manual;
    if groups.is_empty() && left == 0 {
        return None;
    }
    let mut out = "\n**What `fix` does**\n\n".to_owned();
    for group in groups.iter().take(FEW_GROUPS) {
        let files = plural(group.files.len(), "file");
        out.push_str(&format!("- {} ({}, {files})\n", prose(&group.title), group.level.id()));
    }
    if let Some(more) = groups.len().checked_sub(FEW_GROUPS).filter(|more| *more > 0) {
        out.push_str(&format!("- {} more\n", plural(more, "change")));
    }
    if left > 0 {
        out.push_str(&format!("- left to you: {}\n", plural(left, "thing")));
    }
    if let Some(sentence) = fix.tool_text.sentence() {
        out.push_str(&format!("- {}\n", sentence.trim_end_matches('.')));
    }
    out.push_str("\n`mcp-migrate fix --dry-run` shows the diff.\n");
    Some(out)
}

/// How much more models read, tool by tool.
fn read_by_models(cx: &Cx<'_>, text: &ToolText) -> Option<String> {
    let mut out = format!(
        "\n## What models read\n\n{} Counted are names, titles, descriptions, and the names and texts of schemas, as the code \
         says them; what is filled in at run time is not.\n\n| tool | file | before | after | more |\n| --- | --- | ---: | ---: | ---: |\n",
        text.sentence()?
    );
    let count = |count: Option<usize>| count.map_or_else(|| "\u{2013}".to_owned(), |count| count.to_string());
    for tool in &text.tools {
        let (name, path) = (cell(&code(&tool.tool)), cell(&code(&cx.base.path(&tool.path))));
        let (before, after) = (count(tool.before), count(tool.after));
        out.push_str(&format!("| {name} | {path} | {before} | {after} | {:+} |\n", tool.added()));
    }
    Some(out)
}

fn summary(fix: &Fix) -> String {
    let id = |category: Option<Category>| category.map_or("no server".to_owned(), |c| format!("`{}`", c.id()));
    let (changes, files) = (plural(fix.summary.applied, "change"), plural(fix.summary.files, "file"));
    format!(
        "`mcp-migrate fix` makes {changes} in {files}: {} before, {} after (`--level {}`). Each change below is one \
         idea, and its diff is on top of those before it.",
        id(fix.summary.before),
        id(fix.summary.after),
        fix.level.id()
    )
}

fn applied(cx: &Cx<'_>, group: &Group) -> Part {
    let files: Vec<String> = group.files.iter().map(|path| code(&cx.base.path(path))).collect();
    let mut text = format!("\n### {}\n\n", prose(&group.title));
    text.push_str(&format!("Level `{}`, for {}; {}.\n", group.level.id(), code(&group.rule), files.join(", ")));
    if !group.notes.is_empty() {
        text.push('\n');
    }
    for note in &group.notes {
        // A note may begin with a name of the code, which keeps its small letter.
        text.push_str(&format!("- {}\n", prose(note)));
    }
    let tail = format!("\n<details><summary>Diff</summary>\n\n{}\n</details>\n", fence("diff", &group.patch));
    Part { text, tail, instead: "\nIts diff is left out here: `mcp-migrate fix --dry-run` shows it.\n" }
}

fn left(cx: &Cx<'_>, fix: &Fix) -> Option<String> {
    if !fix.leaves() {
        return None;
    }
    let mut out = "\n## What stays manual\n".to_owned();
    for group in fix.refused() {
        let Group { title, reason, help, .. } = group;
        let (reason, help) = (reason.as_deref().unwrap_or_default(), help.as_deref().unwrap_or_default());
        out.push_str(&item(cx, group.at.as_ref(), title, reason, &[help]));
        for (why, help) in group.stopped_by() {
            out.push_str(&format!("  - {} {}\n", as_sentence(&prose(&why)), as_sentence(&prose(help))));
        }
    }
    for manual in &fix.manual {
        let Manual { at, what, why, todo, .. } = manual;
        let todo: Vec<&str> = todo.iter().map(String::as_str).collect();
        out.push_str(&item(cx, Some(at), &format!("{what}{}", manual.others()), why, &todo));
    }
    Some(out)
}

/// One thing: where, what, why the tool does not do it, and each way to do it.
fn item(cx: &Cx<'_>, at: Option<&Place>, what: &str, why: &str, todo: &[&str]) -> String {
    let at = at.map_or_else(String::new, |at| format!(" ({})", cx.at(at)));
    let mut out = format!("\n- **{}**{at}. {}\n", prose(what), as_sentence(&prose(why)));
    for way in todo.iter().filter(|way| !way.is_empty()) {
        out.push_str(&format!("  - {}\n", as_sentence(&prose(way))));
    }
    out
}

/// What comments and settings keep from being changed.
fn stays(fix: &Fix) -> Option<String> {
    let lines: Vec<String> = fix
        .allowed()
        .map(|group| {
            let reason = group.reason.as_deref().unwrap_or_default();
            format!("- {}: {}\n", prose(&group.title), as_sentence(&prose(reason)))
        })
        .collect();
    (!lines.is_empty()).then(|| format!("\n## What stays as it is\n\n{}", lines.concat()))
}

fn preconditions(cx: &Cx<'_>, fix: &Fix) -> Option<String> {
    let lines: Vec<String> = fix
        .preconditions
        .iter()
        .map(|holds| {
            let at = holds.at.as_ref().map_or_else(String::new, |at| format!(" ({})", cx.at(at)));
            format!("- {}{at}\n", prose(&holds.what))
        })
        .collect();
    (!lines.is_empty()).then(|| format!("\n## Preconditions that hold\n\n{}", lines.concat()))
}
