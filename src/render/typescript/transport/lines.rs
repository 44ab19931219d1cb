//! The changes that lead from one text to another, line by line.

use crate::model::facts::Span;
use crate::render::Change;
use crate::render::typescript::script::Script;

/// The changes that make a file's text another.
pub fn changes(script: &Script, after: &str) -> Vec<Change> {
    let before: Vec<&str> = script.text().split_inclusive('\n').collect();
    let after: Vec<&str> = after.split_inclusive('\n').collect();
    let head = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let rest = before.len().min(after.len()) - head;
    let tail = before.iter().rev().zip(after.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    let (old, new) = (&before[head..before.len() - tail], &after[head..after.len() - tail]);
    let mut at: usize = before[..head].iter().map(|line| line.len()).sum();
    let mut out: Vec<Change> = Vec::new();
    let mut open: Option<Change> = None;
    for step in steps(old, new) {
        match step {
            Step::Same(line) => {
                out.extend(open.take());
                at += line.len();
            }
            Step::Old(line) => {
                let change = open.get_or_insert_with(|| script.change(Span::new(at, at), ""));
                at += line.len();
                change.span.end = at as u32;
            }
            Step::New(line) => {
                open.get_or_insert_with(|| script.change(Span::new(at, at), "")).text.push_str(line);
            }
        }
    }
    out.extend(open);
    out
}

enum Step<'t> {
    Same(&'t str),
    Old(&'t str),
    New(&'t str),
}

/// The longest common lines, and what stands between them.
fn steps<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<Step<'t>> {
    let width = new.len() + 1;
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = if old[i] == new[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            out.push(Step::Same(old[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == new.len() || (i < old.len() && common[(i + 1) * width + j] >= common[i * width + j + 1]) {
            out.push(Step::Old(old[i]));
            i += 1;
        } else {
            out.push(Step::New(new[j]));
            j += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::changes;
    use crate::lower::typescript;
    use crate::render::typescript::script::Script;
    use crate::syntax::source::SourceText;

    #[test]
    fn lines_that_stay_are_no_part_of_a_change() {
        let text = "a();\nb();\nc();\nd();\n";
        let source = Rc::new(SourceText::decode(text.as_bytes().to_vec()).expect("text"));
        let tree = typescript::parse("a.ts", text).expect("a tree");
        let found = changes(&Script::new("a.ts", source, tree), "a();\nx();\nc();\ny();\nd();\n");
        let told: Vec<(u32, u32, &str)> =
            found.iter().map(|change| (change.span.start, change.span.end, change.text.as_str())).collect();
        assert_eq!(told, [(5, 10, "x();\n"), (15, 15, "y();\n")]);
    }
}
