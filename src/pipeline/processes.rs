//! Which servers run in several processes, by their code and by the files around it.

use super::analyse::Answers;
use super::load::Loaded;
use super::locate::Locator;
use crate::classify::answer::{Place, Processes, Role, Server};
use crate::classify::processes::{WORDS, find};
use crate::classify::stores::Analysis;
use crate::model::program::Program;
use crate::workspace::replicas::{self, Replicas};
use crate::workspace::{Family, Packages, Tree};

/// What the code itself says.
pub fn in_code(program: &Program, analysis: &Analysis<'_>, locator: &Locator) -> Vec<Replicas> {
    let mut out = Vec::new();
    for found in find(analysis) {
        let module = program.module(found.module);
        let more =
            |span| locator.text(&module.path, span).trim_matches(['"', '\'']).parse::<u64>().is_ok_and(|n| n > 1);
        let number = found.counts.iter().copied().find(|span| more(*span));
        if number.is_none() && !found.counts.is_empty() {
            continue;
        }
        let place = locator.place(&module.path, found.span);
        let number = number.map(|span| format!(": {}", locator.text(&module.path, span).trim_matches(['"', '\''])));
        out.push(Replicas {
            path: place.path,
            line: place.line,
            column: place.column,
            reason: format!("{}{}", found.words, number.unwrap_or_default()),
            family: Some(Family::of(module.language)),
            ..Replicas::default()
        });
    }
    out
}

/// Files that are of no other interest and may start the processes of a server that keeps something in memory.
pub fn files(loaded: &Loaded<'_>, servers: &[&Server], elsewhere: &dyn Fn(&str) -> bool) -> Vec<String> {
    let mut dirs: Vec<&str> =
        servers.iter().filter(|server| !server.stores.is_empty()).map(|server| server.path.as_str()).collect();
    dirs.sort_unstable();
    dirs.dedup();
    dirs.into_iter().flat_map(|dir| loaded.mentioning(dir, WORDS, elsewhere)).collect()
}

/// Tells each server what was found about it.
pub fn attribute(tree: &Tree, packages: &Packages, answers: &mut Answers) {
    let serves = |server: &&Server| server.role != Role::Client;
    let mut dirs: Vec<String> = answers.servers.iter().filter(serves).map(|server| server.path.clone()).collect();
    if dirs.is_empty() {
        return;
    }
    dirs.sort_unstable();
    dirs.dedup();
    let mut found = std::mem::take(&mut answers.processes);
    found.extend(replicas::find(tree));
    for replicas in found {
        let of = |server: &Server| match server.language {
            "python" => Family::Python,
            "rust" => Family::Rust,
            _ => Family::Js,
        };
        let matching =
            |server: &Server| server.role != Role::Client && replicas.family.is_none_or(|family| of(server) == family);
        let candidates: Vec<&str> = dirs
            .iter()
            .map(String::as_str)
            .filter(|dir| answers.servers.iter().any(|s| s.path == *dir && matching(s)))
            .collect();
        let meant = replicas::servers_of(&replicas, &candidates, packages);
        for server in
            answers.servers.iter_mut().filter(|server| meant.contains(&server.path.as_str()) && matching(server))
        {
            let at = Place { path: replicas.path.clone(), line: replicas.line, column: replicas.column };
            server.processes.push(Processes { reason: replicas.reason.clone(), at });
        }
    }
}
