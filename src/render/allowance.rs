//! Takes suppression comments away. Comments are alike in all languages: this looks at lines only.

use std::ops::Range;

use super::{Change, Files, Refused, Rendered};
use crate::model::facts::Span;
use crate::plan::Site;
use crate::plan::allowance::Allowance;
use crate::syntax::comments::DIRECTIVE;

/// Renders the step.
pub fn render(allowance: &Allowance, files: &dyn Files) -> Result<Rendered, Refused> {
    let at = &allowance.comment;
    let refused = |why: &str| Refused {
        at: at.clone(),
        why: why.to_owned(),
        todo: "take the comment out by hand".to_owned(),
        also: Vec::new(),
    };
    let source = files.text(&at.path).ok_or_else(|| refused("its file can't be read"))?;
    let comment = Comment::of(&source.text, at.span).ok_or_else(|| refused("no such comment is there any more"))?;
    let (range, text) = match allowance.names.is_empty() {
        true => (comment.removal().map_err(refused)?, String::new()),
        false => comment.without(&allowance.names).ok_or_else(|| refused("its list of rules is not what it was"))?,
    };
    let change = Change { path: at.path.clone(), span: Span::new(range.start, range.end), text };
    Ok(Rendered { changes: vec![change], ..Rendered::default() })
}

/// A comment on one line and what stands around it.
struct Comment<'t> {
    text: &'t str,
    range: Range<usize>,
    /// Of the whole line, with its end.
    line: Range<usize>,
}

impl<'t> Comment<'t> {
    fn of(text: &'t str, span: Span) -> Option<Self> {
        let range = span.start as usize..span.end as usize;
        let comment = text.get(range.clone())?;
        let marked = ["//", "/*", "#"].iter().any(|mark| comment.starts_with(mark));
        if !marked || !comment.contains(DIRECTIVE) {
            return None;
        }
        let start = text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at + 1);
        Some(Self { text, range, line: start..end })
    }

    fn before(&self) -> &'t str {
        &self.text[self.line.start..self.range.start]
    }

    fn after(&self) -> &'t str {
        &self.text[self.range.end..self.line.end]
    }

    /// The bytes that go with the whole comment.
    fn removal(&self) -> Result<Range<usize>, &'static str> {
        if self.text[self.range.clone()].contains('\n') {
            return Err("the comment has several lines, and says more than what it allows");
        }
        if self.goes_on() {
            return Err("the comment below it may go on about its reason");
        }
        match (self.before().trim(), self.after().trim()) {
            ("", "") => Ok(self.line.clone()),
            ("{", "}") if self.is_among_elements() => Ok(self.line.clone()),
            (_, "") => Ok(self.line.start + self.before().trim_end().len()..self.range.end),
            (_, rest) => {
                let blank = self.after().len() - self.after().trim_start().len();
                let word = |c: char| c.is_alphanumeric() || "_$".contains(c);
                let joins = blank == 0 && self.before().ends_with(word) && rest.starts_with(word);
                if joins { Err("it stands between two words") } else { Ok(self.range.start..self.range.end + blank) }
            }
        }
    }

    /// Whether `{/* … */}` is a comment among elements, and no block: an element or another expression ends before it.
    fn is_among_elements(&self) -> bool {
        let before = self.text[..self.line.start].trim_end();
        before.ends_with(['>', '}']) && !before.ends_with("=>")
    }

    /// Whether the next line is a comment that looks like more of this one: the same mark in the same column.
    fn goes_on(&self) -> bool {
        let mark = if self.text[self.range.clone()].starts_with('#') { "#" } else { "//" };
        let next = self.text[self.line.end..].lines().next().unwrap_or_default();
        let indent = next.len() - next.trim_start().len();
        let body = next.trim_start();
        let says_more = |body: &str| !body.trim_start_matches(['/', '#', '!', ' ', '\t']).starts_with(DIRECTIVE);
        self.text[self.range.clone()].starts_with(mark)
            && body.starts_with(mark)
            && next[..indent].chars().count() == self.before().chars().count()
            && says_more(body)
    }

    /// The list of rules without some names: its bytes and its new text.
    fn without(&self, names: &[Site]) -> Option<(Range<usize>, String)> {
        let first = names.first()?.span.start as usize;
        let colon = self.text.get(self.range.start..first)?.rfind(DIRECTIVE)? + self.range.start + DIRECTIVE.len();
        let list = self.text[colon..self.range.end].strip_prefix(':')?;
        let list = &list[..list.find("--")?];
        let start = colon + 1;
        let mut at = start;
        let mut kept = Vec::new();
        let mut gone = 0;
        for name in list.split(',') {
            let begin = (at + name.len() - name.trim_start().len()) as u32;
            at += name.len() + 1;
            match names.iter().any(|site| site.span.start == begin) {
                true => gone += 1,
                false => kept.push(name.trim()),
            }
        }
        let lead = list.len() - list.trim_start().len();
        let range = start + lead..start + list.trim_end().len();
        (gone == names.len() && !kept.is_empty()).then(|| (range, kept.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_comment(text: &str) -> Result<String, &'static str> {
        let word = text.find(DIRECTIVE).expect("a directive");
        let start = text[..word].rfind(['/', '#', '*']).expect("a mark");
        let start = if text[start..].starts_with('#') { start } else { start - 1 };
        let line = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let end = text[start..line].find("*/").map_or(line, |at| start + at + 2);
        let end = if text[start..end].ends_with('\r') { end - 1 } else { end };
        let comment = Comment::of(text, Span::new(start, end)).expect("a comment");
        let range = comment.removal()?;
        Ok(format!("{}{}", &text[..range.start], &text[range.end..]))
    }

    #[test]
    fn a_comment_goes_with_its_line_or_the_space_before_it() {
        for (before, after) in [
            ("a();\n  // mcp-migrate-allow: x -- y\nb();\n", "a();\nb();\n"),
            ("a();\r\n\t// mcp-migrate-allow: x -- y\r\nb();\r\n", "a();\r\nb();\r\n"),
            ("a(); // mcp-migrate-allow: x -- y\nb();", "a();\nb();"),
            ("a();  # mcp-migrate-allow: x -- y", "a();"),
            ("/* mcp-migrate-allow: x -- y */ a();\n", "a();\n"),
            ("a(/* mcp-migrate-allow: x -- y */b);\n", "a(b);\n"),
            ("<p>\n  {/* mcp-migrate-allow: x -- y */}\n  {id}\n</p>", "<p>\n  {id}\n</p>"),
            ("// mcp-migrate-allow: x -- y\n/** About a. */\na();", "/** About a. */\na();"),
            ("// mcp-migrate-allow: x -- y\n// mcp-migrate-allow: z -- y\na();", "// mcp-migrate-allow: z -- y\na();"),
            ("a(); // mcp-migrate-allow: x -- y\n// About b.\nb();", "a();\n// About b.\nb();"),
        ] {
            assert_eq!(without_comment(before).as_deref(), Ok(after), "{before}");
        }
    }

    #[test]
    fn what_may_be_more_than_the_comment_stays() {
        for text in [
            "// mcp-migrate-allow: x -- y\n// and more of it\na();",
            "a(); // mcp-migrate-allow: x -- y\n     // and more of it\n",
            "return/* mcp-migrate-allow: x -- y */a;\n",
        ] {
            assert!(without_comment(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_name_goes_out_of_a_list() {
        let text = "// mcp-migrate-allow: a-a,  b-b ,c-c -- why\n";
        let comment = Comment::of(text, Span::new(0, text.len() - 1)).expect("a comment");
        let site = |name: &str| {
            let start = text.find(name).expect("a name");
            Site { path: "a.ts".to_owned(), span: Span::new(start, start + name.len()) }
        };
        let left = |names: &[&str]| {
            let sites: Vec<Site> = names.iter().map(|name| site(name)).collect();
            let (range, list) = comment.without(&sites)?;
            Some(format!("{}{list}{}", &text[..range.start], &text[range.end..]))
        };
        assert_eq!(left(&["b-b"]).as_deref(), Some("// mcp-migrate-allow: a-a, c-c -- why\n"));
        assert_eq!(left(&["a-a", "c-c"]).as_deref(), Some("// mcp-migrate-allow: b-b -- why\n"));
        assert_eq!(left(&["a-a", "b-b", "c-c"]), None);
    }
}
