//! What a repository itself says of how many processes run a server: replicas, workers, serverless functions. Only what is written out
//! counts: one replica, a comment and a variable without a value say nothing.

mod command;
mod entries;
mod json;
mod lines;
mod toml;
mod yaml;

use super::packages::{Packages, read_text};
use super::paths;
use super::walk::{DeploymentFile, Tree};
use crate::syntax::source::without_mark;
use crate::workspace::Family;

/// A place that says that a server runs in several processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replicas {
    /// Path relative to the root.
    pub path: String,
    /// 1-based line.
    pub line: u32,
    /// 1-based column, in characters.
    pub column: u32,
    /// What it says, in a few words.
    pub reason: String,
    /// The folder that is built there, where it is not the one of the file.
    pub context: Option<String>,
    /// Names of the service and its image.
    pub names: Vec<String>,
    /// The ecosystem whose programs are started there, where it is one's alone.
    pub family: Option<Family>,
}

/// A kind of file that may say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeploymentKind {
    /// Compose, Kubernetes, Knative, serverless.yml, SAM, app.yaml, Helm values.
    Yaml,
    /// `fly.toml`.
    Fly,
    /// `wrangler.toml`.
    WranglerToml,
    /// `wrangler.json`, `wrangler.jsonc`.
    WranglerJson,
    /// `netlify.toml`.
    Netlify,
    /// `vercel.json`.
    Vercel,
    /// `package.json`, for its scripts.
    PackageJson,
    /// `Dockerfile`, `Containerfile`.
    Dockerfile,
    /// `Procfile`, start scripts.
    Commands,
    /// A unit of systemd.
    Unit,
    /// `gunicorn.conf.py`.
    Gunicorn,
    /// `ecosystem.config.js` of pm2.
    Ecosystem,
}

/// What kind a file is, by its name.
pub fn deployment_of(name: &str) -> Option<DeploymentKind> {
    use DeploymentKind as D;
    let lower = name.to_ascii_lowercase();
    Some(match name {
        "fly.toml" => D::Fly,
        "wrangler.toml" => D::WranglerToml,
        "wrangler.json" | "wrangler.jsonc" => D::WranglerJson,
        "netlify.toml" => D::Netlify,
        "vercel.json" => D::Vercel,
        "package.json" => D::PackageJson,
        "Procfile" | "start.sh" | "run.sh" | "serve.sh" | "entrypoint.sh" | "docker-entrypoint.sh" => D::Commands,
        "gunicorn.conf.py" => D::Gunicorn,
        "ecosystem.config.js" | "ecosystem.config.cjs" => D::Ecosystem,
        "pnpm-lock.yaml" | "pnpm-workspace.yaml" => return None,
        _ if lower.ends_with(".yml") || lower.ends_with(".yaml") => D::Yaml,
        _ if name.ends_with(".service") => D::Unit,
        _ if ["dockerfile", "containerfile"].iter().any(|word| {
            lower == *word || lower.starts_with(&format!("{word}.")) || lower.ends_with(&format!(".{word}"))
        }) =>
        {
            D::Dockerfile
        }
        _ => return None,
    })
}

/// Every such place of a tree, by path and line.
pub fn find(tree: &Tree) -> Vec<Replicas> {
    let mut out: Vec<Replicas> = tree
        .deployments
        .iter()
        .filter_map(|file| Some(of_text(&file.path, file.kind, &text_of(tree, file)?)))
        .flatten()
        .collect();
    out.sort_by(|a, b| (&a.path, a.line, a.column, &a.reason).cmp(&(&b.path, b.line, b.column, &b.reason)));
    out.dedup();
    out
}

fn text_of(tree: &Tree, file: &DeploymentFile) -> Option<String> {
    match tree.overlay.get(&file.path) {
        Some(text) => Some(without_mark(text).to_owned()),
        None => read_text(&file.absolute),
    }
}

/// The places of one file.
pub fn of_text(path: &str, kind: DeploymentKind, text: &str) -> Vec<Replicas> {
    use DeploymentKind as D;
    let mut found = match kind {
        D::Yaml => yaml::find(paths::file_name(path), text),
        D::Fly => toml::fly(text),
        D::WranglerToml => toml::wrangler(text),
        D::Netlify => toml::netlify(text),
        D::WranglerJson => json::wrangler(text),
        D::Vercel => json::vercel(text),
        D::PackageJson => json::scripts(text),
        D::Dockerfile => lines::dockerfile(text),
        D::Commands => lines::commands(text),
        D::Unit => lines::unit(text),
        D::Gunicorn => lines::gunicorn(text),
        D::Ecosystem => lines::ecosystem(text),
    };
    for replicas in &mut found {
        replicas.path = path.to_owned();
        replicas.family = family_of(&replicas.reason);
    }
    found
}

/// Whose program is started.
fn family_of(reason: &str) -> Option<Family> {
    let python = ["uvicorn", "gunicorn", "hypercorn", "granian", "fastapi", "WEB_CONCURRENCY"];
    let first = reason.split([' ', '=']).next().unwrap_or_default();
    if python.contains(&first) || reason.ends_with("of gunicorn") {
        Some(Family::Python)
    } else if first.starts_with("pm2") || first == "node" || reason.ends_with("of pm2") {
        Some(Family::Js)
    } else {
        None
    }
}

/// Which of the servers (by folder) a place speaks of: the nearest at or above its folder, else those below the nearest folder that holds
/// any. Another package's file speaks of that package alone; of several servers below, the one that it names.
pub fn servers_of<'s>(replicas: &Replicas, servers: &[&'s str], packages: &Packages) -> Vec<&'s str> {
    let own = if paths::above(&replicas.path) > 0 { "." } else { paths::parent(&replicas.path) };
    let dir =
        replicas.context.as_deref().and_then(|context| paths::join(own, context)).unwrap_or_else(|| own.to_owned());
    let named = |server: &str| {
        let last = paths::file_name(server);
        replicas.names.iter().any(|name| name == last || name.split(['-', '_', '.']).any(|part| part == last))
    };
    let start = dir.as_str();
    for dir in paths::ancestors(start) {
        // An example shows what may be done, and says nothing of the one beside it; a chart of something else is not ours.
        let name = paths::file_name(dir);
        let shows = matches!(name, "docs" | "doc" | "examples" | "example" | "samples") && dir != start;
        if !servers.contains(&dir) && (shows || is_foreign(name)) {
            return Vec::new();
        }
        let below: Vec<&str> =
            servers.iter().copied().filter(|server| *server != dir && paths::is_within(server, dir)).collect();
        let meant: Vec<&str> = below.iter().copied().filter(|server| named(server)).collect();
        if !meant.is_empty() {
            return meant;
        }
        if let Some(server) = servers.iter().find(|server| **server == dir) {
            return vec![server];
        }
        match below.as_slice() {
            [] => {}
            [one] => return vec![one],
            _ => return Vec::new(),
        }
        if Family::ALL.iter().any(|family| packages.at(*family, dir).is_some_and(|package| package.manifest.is_some()))
        {
            return Vec::new();
        }
    }
    Vec::new()
}

/// Whether a service of this name or image is something that servers use, not a server.
fn is_foreign(name: &str) -> bool {
    const FOREIGN: &[&str] = &[
        "redis",
        "valkey",
        "keydb",
        "memcached",
        "postgres",
        "postgresql",
        "pgvector",
        "mysql",
        "mariadb",
        "mongo",
        "mongodb",
        "elasticsearch",
        "opensearch",
        "rabbitmq",
        "kafka",
        "zookeeper",
        "nats",
        "minio",
        "nginx",
        "traefik",
        "haproxy",
        "caddy",
        "envoy",
        "prometheus",
        "grafana",
        "jaeger",
        "loki",
        "qdrant",
        "weaviate",
        "milvus",
        "celery",
    ];
    let parts = || name.split(['-', '_', '.']);
    // A server for a database is named after it.
    parts().any(|part| FOREIGN.contains(&part)) && !parts().any(|part| part == "mcp")
}

/// The name in a reference to an image: `ghcr.io/acme/cart:1.2` → `cart`.
fn image_name(image: &str) -> &str {
    let image = image.split('@').next().unwrap_or_default();
    paths::file_name(image).split(':').next().unwrap_or_default()
}

/// One without names.
fn at(line: u32, column: u32, reason: String) -> Replicas {
    Replicas { line, column, reason, ..Replicas::default() }
}

#[cfg(test)]
mod tests;
