//! Files of lines: Dockerfiles, Procfiles, start scripts, units of systemd, settings of gunicorn and pm2.

use super::command::{Token, is_several, several, tokens};
use super::{Replicas, at};

fn found(tokens: &[Token]) -> Option<Replicas> {
    several(tokens).map(|found| at(found.line, found.column, found.words))
}

/// Lines with their numbers, those that end with a backslash together with what follows. Comments are left out.
fn logical(text: &str) -> Vec<Vec<(u32, &str)>> {
    let mut out: Vec<Vec<(u32, &str)>> = Vec::new();
    let mut open = false;
    for (number, line) in (1u32..).zip(text.lines()) {
        if line.trim_start().starts_with('#') {
            continue;
        }
        let (body, more) = match line.trim_end().strip_suffix('\\') {
            Some(body) => (body, true),
            None => (line, false),
        };
        match out.last_mut().filter(|_| open) {
            Some(last) => last.push((number, body)),
            None => out.push(vec![(number, body)]),
        }
        open = more;
    }
    out
}

fn words(lines: &[(u32, &str)]) -> Vec<Token> {
    lines.iter().flat_map(|(number, line)| tokens(line, *number, 1)).collect()
}

/// What the image runs, and its environment.
pub fn dockerfile(text: &str) -> Vec<Replicas> {
    let mut out = Vec::new();
    for lines in logical(text) {
        let words = words(&lines);
        let Some(first) = words.first() else { continue };
        match first.text.to_ascii_uppercase().as_str() {
            "CMD" | "ENTRYPOINT" => out.extend(found(&words)),
            "ENV" => match words.as_slice() {
                [_, name, value] if name.text == "WEB_CONCURRENCY" && is_several(&value.text, false) => {
                    out.push(at(name.line, name.column, format!("WEB_CONCURRENCY={}", value.text)));
                }
                _ => out.extend(found(&words)),
            },
            _ => {}
        }
    }
    out
}

/// Every command.
pub fn commands(text: &str) -> Vec<Replicas> {
    logical(text).iter().filter_map(|lines| found(&words(lines))).collect()
}

/// What a unit starts.
pub fn unit(text: &str) -> Vec<Replicas> {
    let starts = |lines: &[(u32, &str)]| {
        lines.first().is_some_and(|(_, line)| line.starts_with("ExecStart=") || line.starts_with("Environment="))
    };
    let cut = |lines: &[(u32, &str)]| {
        let mut out = Vec::new();
        for (index, (number, line)) in lines.iter().enumerate() {
            let skip = if index == 0 { line.find('=').map_or(0, |at| at + 1) } else { 0 };
            out.extend(tokens(&line[skip..], *number, skip as u32 + 1));
        }
        out
    };
    logical(text).iter().filter(|lines| starts(lines)).filter_map(|lines| found(&cut(lines))).collect()
}

/// `workers = 4` in the settings of gunicorn.
pub fn gunicorn(text: &str) -> Vec<Replicas> {
    let one = |(number, line): (u32, &str)| {
        let value = line.strip_prefix("workers")?.trim_start().strip_prefix('=')?;
        let value = value.split('#').next()?.trim();
        is_several(value, false).then(|| at(number, 1, format!("workers = {value} of gunicorn")))
    };
    (1u32..).zip(text.lines()).filter_map(one).collect()
}

/// `instances: 4` in the settings of pm2.
pub fn ecosystem(text: &str) -> Vec<Replicas> {
    let one = |(number, line): (u32, &str)| {
        let start = line.len() - line.trim_start().len();
        let value = line.trim_start().strip_prefix("instances")?.trim_start_matches(['"', '\'']).trim_start();
        let value = value.strip_prefix(':')?.split(',').next()?.split("//").next()?.trim().trim_matches(['"', '\'']);
        is_several(value, true).then(|| at(number, start as u32 + 1, format!("instances: {value} of pm2")))
    };
    (1u32..).zip(text.lines()).filter_map(one).collect()
}
