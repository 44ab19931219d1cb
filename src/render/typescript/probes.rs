//! Probes that GET the path of the protocol: they met a session's stream or an error page, and meet 405 now.

use crate::render::Files;
use crate::workspace::paths;

/// Files that probes are written in, looked for beside the sources and above.
const PLACES: &[&str] = &[
    "Dockerfile",
    "docker-compose.yml",
    "docker-compose.yaml",
    "compose.yml",
    "compose.yaml",
    "fly.toml",
    "render.yaml",
    "railway.json",
    "railway.toml",
    "k8s/deployment.yaml",
    "README.md",
];

/// One note for each line that looks like a probe of a path that the file at `path` serves.
pub(super) fn notes<'p>(files: &dyn Files, path: &str, served: impl Iterator<Item = &'p str>) -> Vec<String> {
    let served = served.map(|path| path.trim_matches(['\'', '"', '`']));
    let mut served: Vec<&str> = served.filter(|path| path.starts_with('/') && path.len() > 1).collect();
    served.sort_unstable();
    served.dedup();
    let mut out = Vec::new();
    for dir in paths::ancestors(paths::parent(path)) {
        for at in PLACES.iter().filter_map(|place| paths::join(dir, place)) {
            let Some(source) = files.text(&at) else { continue };
            for (number, line) in source.text.lines().enumerate() {
                if served.iter().any(|path| probes(line, path)) {
                    out.push(format!(
                        "{at}:{} may ask with GET, which is answered 405 from now on: probe another path",
                        number + 1
                    ));
                }
            }
        }
    }
    out
}

/// Whether a line asks a path with GET.
fn probes(line: &str, path: &str) -> bool {
    let asks =
        ["HEALTHCHECK", "curl", "wget", "httpGet", "healthcheck", "path:"].iter().any(|word| line.contains(word));
    let sends = ["POST", "--data", "-d ", "-X", "DELETE"].iter().any(|word| line.contains(word));
    let names = line.match_indices(path).any(|(at, _)| {
        !line[at + path.len()..]
            .starts_with(|next: char| next.is_alphanumeric() || matches!(next, '/' | '-' | '_' | '.'))
    });
    asks && !sends && names
}
