//! Imports of TypeScript and JavaScript.

use super::{JsPackage, Resolution, Resolver, exports};
use crate::workspace::names;
use crate::workspace::packages::{Family, Specifier};
use crate::workspace::paths;

/// What Node.js answers without an installed package.
const NODE: &[&str] = &[
    "assert",
    "async_hooks",
    "buffer",
    "child_process",
    "cluster",
    "console",
    "constants",
    "crypto",
    "dgram",
    "diagnostics_channel",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "http2",
    "https",
    "inspector",
    "module",
    "net",
    "os",
    "path",
    "perf_hooks",
    "process",
    "punycode",
    "querystring",
    "readline",
    "repl",
    "stream",
    "string_decoder",
    "sys",
    "timers",
    "tls",
    "trace_events",
    "tty",
    "url",
    "util",
    "v8",
    "vm",
    "wasi",
    "worker_threads",
    "zlib",
];

/// What may stand for a file name without an extension.
const EXTENSIONS: [&str; 8] = ["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs"];

/// Folders that compilers write to.
const OUTPUT: [&str; 10] = ["dist", "build", "lib", "out", "output", "esm", "cjs", "es", "types", "typings"];

/// How often one specifier may lead to another.
const HOPS: usize = 8;

impl Resolver {
    pub(super) fn javascript(&self, from: &str, specifier: &str) -> Resolution {
        self.js_from(paths::parent(from), specifier, HOPS)
    }

    pub(super) fn js_package(&self, name: &str) -> Option<&JsPackage> {
        self.js_by_name.get(name).map(|&index| &self.js[index])
    }

    fn js_from(&self, dir: &str, specifier: &str, hops: usize) -> Resolution {
        let specifier = specifier.split('?').next().unwrap_or(specifier);
        if specifier.starts_with("./") || specifier.starts_with("../") || matches!(specifier, "." | "..") {
            return found(paths::join(dir, specifier).and_then(|path| self.written(dir, &path)));
        }
        if let Some(name) = specifier.strip_prefix("node:") {
            return Resolution::Builtin(name.to_owned());
        }
        if let Some(target) = self.mapped(dir, specifier, hops) {
            return target;
        }
        if let Some((scheme, rest)) = specifier.split_once(':') {
            match scheme {
                "npm" | "jsr" => {}
                "http" | "https" => return from_url(rest),
                "file" | "data" | "blob" => return Resolution::Missing,
                _ => return Resolution::Builtin(specifier.to_owned()),
            }
        } else if NODE.contains(&specifier.split('/').next().unwrap_or(specifier))
            && self.js_package(specifier).is_none()
        {
            return Resolution::Builtin(specifier.to_owned());
        }
        if let Some(inner) = specifier.strip_prefix("@/").or_else(|| specifier.strip_prefix("~/")) {
            return found(self.by_convention(dir, inner));
        }
        if specifier.starts_with(['#', '/', '~']) {
            return Resolution::Missing;
        }
        let Some(parts) = Specifier::parse(specifier) else {
            return Resolution::Missing;
        };
        let name = self.real_name(dir, parts.name);
        let local = self.js_package(name).and_then(|package| self.in_package(package, parts.subpath));
        match local {
            Some(path) => Resolution::File(path),
            None => Resolution::External { package: name.to_owned(), subpath: parts.subpath.to_owned() },
        }
    }

    /// Through `imports`, import maps, and `paths` or `baseUrl` of the nearest configuration.
    fn mapped(&self, dir: &str, specifier: &str, hops: usize) -> Option<Resolution> {
        let hops = hops.checked_sub(1)?;
        for package in self.js_around(dir).filter(|package| !package.fields.imports.is_empty()) {
            let entries = package.fields.imports.iter().map(|(key, value)| (key.as_str(), value));
            let Some((value, star)) = exports::lookup(entries, specifier) else {
                continue;
            };
            let mut targets = Vec::new();
            exports::collect(value, star, &mut targets);
            let resolved = targets.iter().filter(|target| *target != specifier).map(|target| {
                let own_file = target.starts_with('.').then(|| self.package_file(&package.dir, target));
                own_file.map_or_else(|| self.js_from(&package.dir, target, hops), found)
            });
            return Some(first_good(resolved));
        }
        let config = paths::ancestors(dir).find_map(|dir| self.tsconfigs.get(dir))?;
        let targets = config.targets(specifier).into_iter();
        let based = config.base_url.iter().filter_map(|base| paths::join(base, specifier));
        targets.chain(based).find_map(|target| self.js_file(&target)).map(Resolution::File)
    }

    /// A relative import: the file, else the source of what a build will write there (`cli.js` imports `./dist/main.js`).
    fn written(&self, dir: &str, path: &str) -> Option<String> {
        self.js_file(path).or_else(|| {
            let package = self.js_around(dir).next().map_or(".", |package| package.dir.as_str());
            let inside = paths::strip(path, package)?;
            let is_output = inside.split('/').next().is_some_and(|first| OUTPUT.contains(&first));
            is_output.then(|| self.package_file(package, inside))?
        })
    }

    /// `@/x` and `~/x` that no configuration explains: bundlers are told that they mean the package's `src`, or the package.
    fn by_convention(&self, dir: &str, inner: &str) -> Option<String> {
        let package = self.js_around(dir).next().map_or(".", |package| package.dir.as_str());
        let candidates = [format!("src/{inner}"), inner.to_owned()];
        candidates.iter().find_map(|path| self.plain_file(&paths::join(package, path)?))
    }

    fn js_around<'a>(&'a self, dir: &'a str) -> impl Iterator<Item = &'a JsPackage> {
        paths::ancestors(dir).filter_map(|dir| self.js_by_dir.get(dir)).map(|&index| &self.js[index])
    }

    fn real_name<'a>(&'a self, dir: &'a str, name: &'a str) -> &'a str {
        self.js_around(dir).find_map(|package| package.aliases.get(name)).map_or(name, String::as_str)
    }

    /// A file of a package of this tree, for a subpath as its users write it.
    fn in_package(&self, package: &JsPackage, subpath: &str) -> Option<String> {
        let dir = package.dir.as_str();
        let fields = &package.fields;
        let exported = fields.exports.iter().flat_map(|exports| exports::targets(exports, subpath));
        if let Some(path) = exported.into_iter().find_map(|target| self.package_file(dir, &target)) {
            return Some(path);
        }
        if !subpath.is_empty() {
            return self.package_file(dir, subpath).or_else(|| self.package_file(dir, &format!("src/{subpath}")));
        }
        let mains = [&fields.module, &fields.main, &fields.types].into_iter().flatten();
        let usual = ["src/index", "index", "src/main", "src/mod", "mod"];
        let mut candidates = mains.map(String::as_str).chain(usual);
        candidates.find_map(|target| self.package_file(dir, target))
    }

    /// A file of a package by its path there; what a build wrote stands for its source.
    fn package_file(&self, dir: &str, target: &str) -> Option<String> {
        if let Some(path) = paths::join(dir, target).and_then(|path| self.plain_file(&path)) {
            return Some(path);
        }
        let mut rest = target.trim_start_matches("./");
        while let Some((first, after)) = rest.split_once('/') {
            let is_output = OUTPUT.contains(&first) || first.starts_with("dist") || first == "src";
            if !is_output {
                return None;
            }
            rest = after;
            let sources = [format!("src/{rest}"), rest.to_owned()];
            let found = sources.iter().find_map(|path| self.plain_file(&paths::join(dir, path)?));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// A file, or the package in a folder.
    fn js_file(&self, path: &str) -> Option<String> {
        self.plain_file(path).or_else(|| {
            let package = &self.js[*self.js_by_dir.get(path)?];
            self.in_package(package, "")
        })
    }

    /// A file by a path with or without its extension, or with that which the compiler will give it; the `index` of a folder.
    fn plain_file(&self, path: &str) -> Option<String> {
        let with =
            |stem: &str, extension: &str| Some(format!("{stem}.{extension}")).filter(|path| self.known.contains(path));
        for declaration in [".d.ts", ".d.mts", ".d.cts"] {
            if let Some(stem) = path.strip_suffix(declaration) {
                return EXTENSIONS.iter().find_map(|extension| with(stem, extension));
            }
        }
        if let Some((stem, extension)) = path.rsplit_once('.') {
            let sources: &[&str] = match extension {
                "js" => &["ts", "tsx", "js", "jsx"],
                "jsx" => &["tsx", "jsx"],
                "mjs" => &["mts", "mjs"],
                "cjs" => &["cts", "cjs"],
                _ => &[],
            };
            if let Some(path) = sources.iter().find_map(|extension| with(stem, extension)) {
                return Some(path);
            }
        }
        if self.known.contains(path)
            && names::language_of(path).is_some_and(|language| Family::of(language) == Family::Js)
        {
            return Some(path.to_owned());
        }
        let folder = if path == "." { "index".to_owned() } else { format!("{path}/index") };
        EXTENSIONS
            .iter()
            .find_map(|extension| with(path, extension))
            .or_else(|| EXTENSIONS.iter().find_map(|extension| with(&folder, extension)))
    }
}

fn found(path: Option<String>) -> Resolution {
    path.map_or(Resolution::Missing, Resolution::File)
}

/// The first that leads to a file, else the first that leads anywhere.
fn first_good(resolutions: impl Iterator<Item = Resolution>) -> Resolution {
    let mut fallback = Resolution::Missing;
    for resolution in resolutions {
        if matches!(resolution, Resolution::File(_)) {
            return resolution;
        }
        if fallback == Resolution::Missing {
            fallback = resolution;
        }
    }
    fallback
}

/// The package that the address of a module server names: what follows the host, without a version or registry prefix.
fn from_url(rest: &str) -> Resolution {
    let path = rest.trim_start_matches('/').split_once('/').map_or("", |(_, path)| path);
    let is_prefix = |part: &str| {
        matches!(part, "npm" | "x" | "gh" | "stable" | "jsr")
            || (part.len() > 1 && part.starts_with('v') && part[1..].bytes().all(|b| b.is_ascii_digit()))
    };
    let mut path = path.trim_start_matches('/');
    while let Some((first, after)) = path.split_once('/').filter(|(first, _)| is_prefix(first)) {
        debug_assert!(!first.is_empty());
        path = after;
    }
    match Specifier::parse(path) {
        Some(parts) => Resolution::External { package: parts.name.to_owned(), subpath: parts.subpath.to_owned() },
        None => Resolution::Missing,
    }
}
