//! How many characters more (or fewer) models read of tools after a fix.

use std::collections::BTreeMap;

use serde::Serialize;

use super::layout::plural;
use crate::classify::tool_texts::ToolTexts;

/// A tool whose texts change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tool {
    /// The file that declares it.
    pub path: String,
    /// Its name.
    pub tool: String,
    /// Characters before; `None`: it is new there.
    pub before: Option<usize>,
    /// Characters after; `None`: it is gone from there.
    pub after: Option<usize>,
}

impl Tool {
    /// How many characters more.
    pub fn added(&self) -> i64 {
        signed(self.after.unwrap_or_default()) - signed(self.before.unwrap_or_default())
    }
}

/// What a change makes of the texts of tools: names, titles, descriptions, and the names and texts of their schemas, as the code
/// says them. Keywords of JSON Schema are not counted, nor what is filled in at run time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ToolText {
    /// Characters more than before, over all tools.
    pub added: i64,
    /// The tools that change, those that get most first.
    pub tools: Vec<Tool>,
}

impl ToolText {
    /// What differs between the texts of the same files before and after.
    pub fn between([before, after]: &[BTreeMap<String, ToolTexts>; 2]) -> Self {
        let mut paths: Vec<&String> = before.keys().chain(after.keys()).collect();
        paths.sort_unstable();
        paths.dedup();
        let mut tools = Vec::new();
        for path in paths {
            let none = ToolTexts::new();
            let (old, new) = (before.get(path).unwrap_or(&none), after.get(path).unwrap_or(&none));
            let mut names: Vec<&String> = old.keys().chain(new.keys()).collect();
            names.sort_unstable();
            names.dedup();
            tools.extend(names.into_iter().filter(|name| old.get(*name) != new.get(*name)).map(|name| Tool {
                path: path.clone(),
                tool: name.clone(),
                before: old.get(name).copied(),
                after: new.get(name).copied(),
            }));
        }
        tools.sort_by_key(|tool| std::cmp::Reverse(tool.added()));
        Self { added: tools.iter().map(Tool::added).sum(), tools }
    }

    /// The sum in a sentence; `None` where nothing changes.
    pub fn sentence(&self) -> Option<String> {
        if self.tools.is_empty() {
            return None;
        }
        let tools = plural(self.tools.len(), "tool");
        let letters = |count: i64| plural(count.unsigned_abs() as usize, "character");
        Some(match self.added {
            0 => format!("Models read other texts of {tools}, no longer in all than before."),
            more if more > 0 => format!("Models read {} more of {tools}.", letters(more)),
            fewer => format!("Models read {} fewer of {tools}.", letters(fewer)),
        })
    }
}

fn signed(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(of: &[(&str, &[(&str, usize)])]) -> BTreeMap<String, ToolTexts> {
        let tools = |tools: &[(&str, usize)]| tools.iter().map(|(name, sum)| ((*name).to_owned(), *sum)).collect();
        of.iter().map(|(path, of)| ((*path).to_owned(), tools(of))).collect()
    }

    #[test]
    fn tools_that_change_new_ones_and_those_that_are_gone() {
        let before = texts(&[("a.ts", &[("add", 10), ("same", 5), ("gone", 7)])]);
        let after = texts(&[("a.ts", &[("add", 15), ("same", 5)]), ("b.ts", &[("create", 30)])]);
        let text = ToolText::between(&[before.clone(), after]);
        let told: Vec<_> = text.tools.iter().map(|tool| (tool.tool.as_str(), tool.before, tool.after)).collect();
        assert_eq!(told, [("create", None, Some(30)), ("add", Some(10), Some(15)), ("gone", Some(7), None)]);
        assert_eq!(text.added, 28);
        assert_eq!(text.sentence().as_deref(), Some("Models read 28 characters more of 3 tools."));
        assert_eq!(ToolText::between(&[before.clone(), before]).sentence(), None);
    }
}
