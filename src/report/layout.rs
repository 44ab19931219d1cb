//! Wrapping and tables for text of a given width.

use unicode_width::UnicodeWidthStr;

use super::style::Style;

/// Appends `text`, wrapped to the width, its first line after `first` and the others after `rest`.
pub fn wrap(out: &mut String, style: Style, first: &str, rest: &str, text: &str) {
    let text = style.text(text);
    let indent = rest.width().max(first.width());
    let room = style.width.saturating_sub(indent).max(24);
    for (i, line) in lines(&text, room).iter().enumerate() {
        out.push_str(if i == 0 { first } else { rest });
        out.push_str(line);
        out.push('\n');
    }
}

/// Breaks `text` at blanks into lines of at most `room` columns; a longer word stands alone.
pub fn lines(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.last_mut().expect("starts with one line");
        if last.is_empty() {
            last.push_str(word);
        } else if last.width() + 1 + word.width() <= room {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// Appends a table: a heading, then rows. Where it does not fit, the widest columns are wrapped.
pub fn table(out: &mut String, style: Style, indent: &str, head: &[&str], rows: &[Vec<String>]) {
    let gap = 2;
    let mut widths: Vec<usize> = head.iter().map(|h| h.width()).collect();
    for row in rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.width());
        }
    }
    let room = style.width.saturating_sub(indent.width() + gap * (head.len() - 1));
    while widths.iter().sum::<usize>() > room {
        let (at, widest) = widths
            .iter()
            .copied()
            .enumerate()
            .max_by_key(|(i, w)| (*w, std::cmp::Reverse(*i)))
            .expect("a table has columns");
        if widest <= 12 {
            break;
        }
        widths[at] -= 1;
    }
    let head: Vec<String> = head.iter().map(|h| (*h).to_owned()).collect();
    push_row(out, indent, &widths, gap, &head, |s| style.dim(s));
    for row in rows {
        push_row(out, indent, &widths, gap, row, str::to_owned);
    }
}

fn push_row(
    out: &mut String,
    indent: &str,
    widths: &[usize],
    gap: usize,
    row: &[String],
    paint: impl Fn(&str) -> String,
) {
    let cells: Vec<Vec<String>> = row.iter().zip(widths).map(|(c, w)| lines(c, *w)).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(0);
    for i in 0..height {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(widths) {
            let text = cell.get(i).map_or("", String::as_str);
            line.push_str(text);
            let pad = width.saturating_sub(text.width()) + gap;
            line.extend(std::iter::repeat_n(' ', pad));
        }
        out.push_str(indent);
        out.push_str(&paint(line.trim_end()));
        out.push('\n');
    }
}

/// `1 server`, `2 servers`.
pub fn plural(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_words_stand_alone() {
        assert_eq!(lines("a bb cccccccc d", 4), ["a bb", "cccccccc", "d"]);
        assert_eq!(lines("", 4), [""]);
    }

    #[test]
    fn tables_shrink_their_widest_column() {
        let mut out = String::new();
        let style = Style { width: 30, ..Style::plain(false) };
        table(
            &mut out,
            style,
            "",
            &["name", "what"],
            &[vec!["baskets".into(), "a long text that must be wrapped".into()]],
        );
        assert!(out.lines().all(|l| l.len() <= 30), "{out}");
        assert!(out.contains("wrapped"));
    }
}
