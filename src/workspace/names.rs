//! What file and folder names tell: language, manifest, test, generated, build output.

use crate::model::facts::Language;

use super::skipped::SkipReason;

/// Languages with MCP servers in the wild for which there is no front end, by extension.
const UNSUPPORTED: &[&str] = &[
    "c", "cc", "clj", "cpp", "cs", "dart", "ex", "exs", "fs", "go", "groovy", "java", "kt", "kts", "lua", "php", "rb",
    "scala", "swift", "vb", "zig",
];

/// Folders that hold installed or foreign code.
const FOREIGN_DIRS: &[&str] = &[
    "node_modules",
    "bower_components",
    "vendor",
    "vendored",
    "third_party",
    "third-party",
    "venv",
    "site-packages",
    "__pycache__",
    "_vendor",
];

/// Folders that hold what a build wrote. Below a `src` folder the last four are ordinary names.
const OUTPUT_DIRS: &[&str] = &["dist", "build", "out", "target", "coverage"];

const TEST_DIRS: &[&str] = &[
    "test",
    "tests",
    "spec",
    "specs",
    "e2e",
    "testing",
    "testdata",
    "fixtures",
    "cypress",
    "__tests__",
    "__test__",
    "__mocks__",
    "__fixtures__",
];

/// A manifest or lock file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ManifestKind {
    /// `package.json`.
    PackageJson,
    /// `pnpm-workspace.yaml`.
    PnpmWorkspace,
    /// `deno.json`, `deno.jsonc`.
    DenoJson,
    /// `tsconfig*.json`, `jsconfig.json`.
    TsConfig,
    /// `pyproject.toml`.
    Pyproject,
    /// `setup.cfg`.
    SetupCfg,
    /// `setup.py`.
    SetupPy,
    /// `Pipfile`.
    Pipfile,
    /// `requirements*.txt` and its like.
    Requirements,
    /// `Cargo.toml`.
    CargoToml,
    /// A lock file.
    Lock(LockKind),
}

/// A kind of lock file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LockKind {
    /// `pnpm-lock.yaml`.
    Pnpm,
    /// `yarn.lock`, classic and berry.
    Yarn,
    /// `bun.lock`.
    Bun,
    /// `package-lock.json`, `npm-shrinkwrap.json`.
    Npm,
    /// `deno.lock`.
    Deno,
    /// `uv.lock`, `poetry.lock`, `pdm.lock`.
    PythonToml,
    /// `Pipfile.lock`.
    Pipfile,
    /// `Cargo.lock`.
    Cargo,
}

/// The language of a file name, by its extension alone.
pub fn language_of(name: &str) -> Option<Language> {
    match extension(name)? {
        "ts" | "tsx" | "mts" | "cts" => Some(Language::TypeScript),
        "js" | "jsx" | "mjs" | "cjs" => Some(Language::JavaScript),
        "py" => Some(Language::Python),
        "rs" => Some(Language::Rust),
        _ => None,
    }
}

/// The extension, where it is that of a programming language without a front end.
pub fn unsupported_extension(name: &str) -> Option<&'static str> {
    let extension = extension(name)?;
    UNSUPPORTED.iter().copied().find(|&known| known == extension)
}

fn extension(name: &str) -> Option<&str> {
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty()).then_some(extension)
}

/// What manifest a file is; `dir` is the name of its folder.
pub fn manifest_of(name: &str, dir: &str) -> Option<ManifestKind> {
    use ManifestKind as M;
    Some(match name {
        "package.json" => M::PackageJson,
        "pnpm-workspace.yaml" => M::PnpmWorkspace,
        "deno.json" | "deno.jsonc" => M::DenoJson,
        "jsconfig.json" => M::TsConfig,
        "pyproject.toml" => M::Pyproject,
        "setup.cfg" => M::SetupCfg,
        "setup.py" => M::SetupPy,
        "Pipfile" => M::Pipfile,
        "Cargo.toml" => M::CargoToml,
        "pnpm-lock.yaml" => M::Lock(LockKind::Pnpm),
        "yarn.lock" => M::Lock(LockKind::Yarn),
        "bun.lock" => M::Lock(LockKind::Bun),
        "package-lock.json" | "npm-shrinkwrap.json" => M::Lock(LockKind::Npm),
        "deno.lock" => M::Lock(LockKind::Deno),
        "uv.lock" | "poetry.lock" | "pdm.lock" => M::Lock(LockKind::PythonToml),
        "Pipfile.lock" => M::Lock(LockKind::Pipfile),
        "Cargo.lock" => M::Lock(LockKind::Cargo),
        _ if name.starts_with("tsconfig") && name.ends_with(".json") => M::TsConfig,
        _ if is_requirements(name, dir) => M::Requirements,
        _ => return None,
    })
}

fn is_requirements(name: &str, dir: &str) -> bool {
    let Some(stem) = name.strip_suffix(".txt") else {
        return false;
    };
    dir == "requirements" || stem.starts_with("requirements") || stem.ends_with("requirements")
}

/// Whether a folder of this name is left out always; `below_src`: a folder named `src` lies above it.
pub fn is_excluded_dir(name: &str, below_src: bool) -> bool {
    FOREIGN_DIRS.contains(&name) || (OUTPUT_DIRS.contains(&name) && !(below_src && name != "dist"))
}

/// Whether a folder of this name holds tests.
pub fn is_test_dir(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    TEST_DIRS.contains(&name.as_str())
        || ["test-", "test_", "tests-", "tests_"].iter().any(|start| name.starts_with(start))
        || ["-tests", "_tests"].iter().any(|end| name.ends_with(end))
}

/// Whether a source file of this name is a test.
pub fn is_test_file(name: &str, language: Language) -> bool {
    let (stem, _) = name.rsplit_once('.').unwrap_or((name, ""));
    match language {
        Language::TypeScript | Language::JavaScript => {
            let kind = stem.rsplit_once('.').map(|(_, kind)| kind);
            matches!(kind, Some("test" | "tests" | "spec" | "e2e" | "test-d"))
                || matches!(stem, "test" | "tests")
                || stem.ends_with("-test")
        }
        Language::Python => {
            stem.starts_with("test_") || stem.ends_with("_test") || matches!(stem, "conftest" | "test" | "tests")
        }
        Language::Rust => stem.ends_with("_test") || stem.ends_with("_tests") || matches!(stem, "test" | "tests"),
    }
}

/// Whether a source file is left out for its name: `Some(None)` silently (declarations hold no code), `Some(Some(reason))` with a word.
pub fn excluded_file(name: &str) -> Option<Option<SkipReason>> {
    let declares = [".d.ts", ".d.mts", ".d.cts"].iter().any(|end| name.ends_with(end));
    if declares {
        return Some(None);
    }
    let (stem, _) = name.rsplit_once('.').unwrap_or((name, ""));
    if [".min", ".bundle", "-min"].iter().any(|end| stem.ends_with(end)) {
        return Some(Some(SkipReason::Minified));
    }
    let generated = [".generated", ".gen", "_pb2", "_pb2_grpc", ".pb", "_pb", "_generated"];
    generated.iter().any(|end| stem.ends_with(end)).then_some(Some(SkipReason::Generated))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages() {
        for (name, language) in [
            ("a.ts", Some(Language::TypeScript)),
            ("a.mts", Some(Language::TypeScript)),
            ("a.test.tsx", Some(Language::TypeScript)),
            ("a.cjs", Some(Language::JavaScript)),
            ("a.py", Some(Language::Python)),
            ("a.pyi", None),
            ("a.rs", Some(Language::Rust)),
            (".ts", None),
            ("ts", None),
            ("a.go", None),
        ] {
            assert_eq!(language_of(name), language, "{name}");
        }
        assert_eq!(unsupported_extension("main.go"), Some("go"));
        assert_eq!(unsupported_extension("a.md"), None);
    }

    #[test]
    fn tests_by_name() {
        for name in ["test", "__tests__", "test-servers", "integration-tests", "Tests", "fixtures", "testing"] {
            assert!(is_test_dir(name), "{name}");
        }
        for name in ["src", "latest", "contest", "examples", "attest", "testimonials"] {
            assert!(!is_test_dir(name), "{name}");
        }
        for name in ["a.test.ts", "a.spec.ts", "a.e2e.js", "test.js"] {
            assert!(is_test_file(name, Language::TypeScript), "{name}");
        }
        for name in ["latest.ts", "testbed.ts", "spec.ts", "a.tests-helper.ts"] {
            assert!(!is_test_file(name, Language::TypeScript), "{name}");
        }
        for name in ["test_a.py", "a_test.py", "conftest.py"] {
            assert!(is_test_file(name, Language::Python), "{name}");
        }
        assert!(!is_test_file("testing_tools.py", Language::Python));
        assert!(is_test_file("store_tests.rs", Language::Rust));
    }

    #[test]
    fn output_folders_are_ordinary_below_src() {
        assert!(is_excluded_dir("build", false) && !is_excluded_dir("build", true));
        assert!(is_excluded_dir("dist", true) && is_excluded_dir("node_modules", true));
        assert!(!is_excluded_dir("examples", false) && !is_excluded_dir("docs", false));
    }

    #[test]
    fn files_left_out() {
        assert_eq!(excluded_file("a.d.ts"), Some(None));
        assert_eq!(excluded_file("a.min.js"), Some(Some(SkipReason::Minified)));
        assert_eq!(excluded_file("x_pb2.py"), Some(Some(SkipReason::Generated)));
        assert_eq!(excluded_file("routes.gen.ts"), Some(Some(SkipReason::Generated)));
        assert_eq!(excluded_file("generator.ts"), None);
    }

    #[test]
    fn manifests() {
        use ManifestKind as M;
        for (name, dir, kind) in [
            ("package.json", "", Some(M::PackageJson)),
            ("tsconfig.build.json", "", Some(M::TsConfig)),
            ("requirements-dev.txt", "", Some(M::Requirements)),
            ("base.txt", "requirements", Some(M::Requirements)),
            ("base.txt", "docs", None),
            ("dev-requirements.txt", "", Some(M::Requirements)),
            ("poetry.lock", "", Some(M::Lock(LockKind::PythonToml))),
            ("flake.lock", "", None),
        ] {
            assert_eq!(manifest_of(name, dir), kind, "{name}");
        }
    }
}
