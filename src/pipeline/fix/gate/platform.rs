//! Names that programs use without declaring them: what the language and its usual platforms offer.

/// Names with a small initial letter, sorted: what the language, Node.js, browsers, Deno, Bun, workers and test runners put into the global
/// scope. What begins with a capital is taken for something that is offered: types are declared elsewhere too.
const OFFERED: &[&str] = &[
    "addEventListener",
    "after",
    "afterAll",
    "afterEach",
    "alert",
    "arguments",
    "atob",
    "before",
    "beforeAll",
    "beforeEach",
    "btoa",
    "caches",
    "clearImmediate",
    "clearInterval",
    "clearTimeout",
    "console",
    "crypto",
    "decodeURI",
    "decodeURIComponent",
    "describe",
    "dispatchEvent",
    "document",
    "encodeURI",
    "encodeURIComponent",
    "escape",
    "eval",
    "expect",
    "exports",
    "fetch",
    "global",
    "globalThis",
    "isFinite",
    "isNaN",
    "it",
    "jest",
    "localStorage",
    "location",
    "module",
    "navigator",
    "parseFloat",
    "parseInt",
    "performance",
    "process",
    "queueMicrotask",
    "removeEventListener",
    "reportError",
    "require",
    "self",
    "sessionStorage",
    "setImmediate",
    "setInterval",
    "setTimeout",
    "structuredClone",
    "test",
    "undefined",
    "unescape",
    "vi",
    "window",
];

/// Whether a name may be used without a declaration.
pub fn offers(name: &str) -> bool {
    name.starts_with(|first: char| first.is_uppercase() || matches!(first, '_' | '$'))
        || OFFERED.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_sorted() {
        assert!(super::OFFERED.is_sorted());
    }
}
