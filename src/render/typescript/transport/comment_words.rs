//! What a comment speaks of, by its words.

fn words(text: &str) -> Vec<String> {
    let parts = text.split(|char: char| !char.is_alphanumeric());
    parts.filter(|word| !word.is_empty()).map(str::to_ascii_lowercase).collect()
}

fn is_of_sessions(word: &str) -> bool {
    ["session", "initializ", "initialis", "resum"].iter().any(|stem| word.starts_with(stem))
}

/// Whether a comment speaks of sessions.
pub fn speaks(text: &str) -> bool {
    words(text).iter().any(|word| is_of_sessions(word))
}

/// Whether a comment may have become false: it speaks of the sessions of the protocol, and not of logins and browsers, which have some
/// too, nor of whatever else is initialized.
pub fn may_be_false(text: &str) -> bool {
    let words = words(text);
    let has = |wanted: &[&str]| words.iter().any(|word| wanted.contains(&word.as_str()));
    let pair = |first: &[&str], second: &[&str]| {
        words.windows(2).any(|two| first.contains(&two[0].as_str()) && second.contains(&two[1].as_str()))
    };
    let session = words.iter().any(|word| word.starts_with("session"));
    let other = has(&["oauth", "login", "logged", "cookie", "cookies", "browser", "database", "ssh", "checkout"]);
    let of_protocol = pair(&["mcp", "transport", "client"], &["session", "sessions", "sessionid"])
        || pair(&["session"], &["transport", "transports", "header"]);
    let opening = pair(&["initialize", "initialization"], &["request", "requests", "message", "handshake"]);
    let resumed = words.iter().any(|word| word.starts_with("resumab"));
    let streams = has(&["sse"]) && has(&["stream", "streams", "streaming", "connection", "connections"]);
    let methods = ["GET /mcp", "DELETE /mcp"].iter().any(|route| text.contains(route));
    (session && (!other || of_protocol)) || opening || resumed || streams || methods
}

/// Whether a comment has nothing to say but of sessions and their transports. What is for a tool stays.
pub fn says_nothing_else(text: &str) -> bool {
    const PLAIN: &[&str] = &[
        "a",
        "above",
        "after",
        "all",
        "already",
        "an",
        "and",
        "are",
        "as",
        "be",
        "by",
        "can",
        "check",
        "checks",
        "clean",
        "cleanup",
        "client",
        "clients",
        "close",
        "closed",
        "closes",
        "connect",
        "connects",
        "connection",
        "create",
        "created",
        "creates",
        "delete",
        "deletes",
        "each",
        "endpoint",
        "ends",
        "exist",
        "existing",
        "exists",
        "explicit",
        "extract",
        "find",
        "first",
        "for",
        "found",
        "from",
        "function",
        "get",
        "gets",
        "handle",
        "handler",
        "handles",
        "has",
        "have",
        "header",
        "headers",
        "helper",
        "http",
        "id",
        "ids",
        "if",
        "in",
        "incoming",
        "instance",
        "instances",
        "invalid",
        "is",
        "it",
        "its",
        "keep",
        "keyed",
        "logic",
        "look",
        "lookup",
        "manage",
        "management",
        "manager",
        "map",
        "mcp",
        "missing",
        "must",
        "need",
        "needs",
        "new",
        "no",
        "not",
        "of",
        "on",
        "one",
        "only",
        "open",
        "or",
        "our",
        "own",
        "per",
        "post",
        "protocol",
        "remove",
        "removes",
        "request",
        "requests",
        "require",
        "required",
        "requires",
        "reusable",
        "reuse",
        "route",
        "routes",
        "s",
        "server",
        "set",
        "shared",
        "specific",
        "start",
        "started",
        "starts",
        "store",
        "stored",
        "stores",
        "streamable",
        "terminate",
        "terminates",
        "termination",
        "that",
        "the",
        "their",
        "then",
        "this",
        "to",
        "track",
        "transport",
        "transports",
        "up",
        "use",
        "using",
        "valid",
        "validate",
        "we",
        "when",
        "with",
        "without",
    ];
    let tool = text.contains('@') || text.starts_with("/**");
    !tool && words(text).iter().all(|word| is_of_sessions(word) || PLAIN.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_speaks_of_nothing_but_sessions_goes() {
        for text in [
            "// New initialization request",
            "// This is a new initialization request. Create a new transport.",
            "// Create a new server instance for this specific session.",
            "// Handle the client's request using the session's transport.",
            "// Helper function for GET and DELETE requests that require existing sessions",
        ] {
            assert!(speaks(text) && says_nothing_else(text), "{text}");
        }
        for text in [
            "// Close all sessions first so that the load balancer drains",
            "// Initialize the database before the first request",
            "/** @param session the session */",
        ] {
            assert!(speaks(text) && !says_nothing_else(text), "{text}");
        }
        assert!(!speaks("// Create new transport"));
    }

    #[test]
    fn what_may_be_false_speaks_of_the_sessions_of_the_protocol() {
        for text in
            ["// One server per session", "/* the MCP session's cookie */", "// Not an initialize request: refuse it"]
        {
            assert!(may_be_false(text), "{text}");
        }
        for text in ["// Initialize the database", "// The user's OAuth session id", "// one browser session for all"] {
            assert!(!may_be_false(text), "{text}");
        }
    }
}
