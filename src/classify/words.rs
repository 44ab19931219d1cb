//! Names as words: what a variable's name says of its content. Used only to tell apart what the flow leaves open.

/// Splits a name written in camelCase, PascalCase, snake_case or kebab-case into lower-case words.
pub fn words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut previous_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            if !word.is_empty() {
                out.push(std::mem::take(&mut word));
            }
            previous_lower = false;
            continue;
        }
        if c.is_uppercase() && previous_lower && !word.is_empty() {
            out.push(std::mem::take(&mut word));
        }
        previous_lower = c.is_lowercase() || c.is_ascii_digit();
        word.extend(c.to_lowercase());
    }
    if !word.is_empty() {
        out.push(word);
    }
    out
}

/// A word with a capital letter first, in whatever script it is written.
pub fn capital(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn any(name: &str, list: &[&str]) -> bool {
    words(name)
        .iter()
        .any(|word| list.contains(&word.as_str()) || word.strip_suffix('s').is_some_and(|w| list.contains(&w)))
}

/// Credentials, identities, and what OAuth needs between two steps.
pub fn is_auth(name: &str) -> bool {
    let joined: String = name.to_ascii_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    // Those of a limiter prove nothing.
    if joined.contains("tokenbucket") {
        return false;
    }
    any(
        name,
        &[
            "token",
            "credential",
            "cred",
            "auth",
            "oauth",
            "verifier",
            "pkce",
            "secret",
            "login",
            "bearer",
            "jwt",
            "claim",
            "principal",
            "identity",
            "identities",
            "password",
            "apikey",
            "owner",
        ],
    ) || joined.contains("apikey")
        || joined.contains("accesskey")
}

/// What somebody has to know in order to be let in, among the settings of a server.
pub fn is_secret(name: &str) -> bool {
    any(name, &["pin", "password", "passcode", "passphrase", "passwd", "secret", "token"])
}

/// Types of numbers.
pub fn is_number_type(name: &str) -> bool {
    matches!(
        name,
        "number" | "bigint" | "int" | "float" | "u8" | "u16" | "u32" | "u64" | "u128" | "usize" | "i8" | "i16"
    ) || matches!(name, "i32" | "i64" | "i128" | "isize" | "f32" | "f64")
}

/// The names that OAuth gives to tokens: a field called so holds one, wherever it comes from.
pub fn is_token_field(name: &str) -> bool {
    let joined: String = name.to_ascii_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    matches!(
        joined.as_str(),
        "accesstoken"
            | "refreshtoken"
            | "idtoken"
            | "bearertoken"
            | "codeverifier"
            | "oauthtoken"
            | "oauthtokens"
            | "authtoken"
    )
}

/// A class whose business is to keep tokens.
pub fn is_token_store(name: &str) -> bool {
    let words = words(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    has(&["token", "tokens", "credential", "credentials"]) && has(&["store", "storage", "manager", "cache", "vault"])
}

/// Whom a record belongs to.
pub fn is_owner(name: &str) -> bool {
    let joined: String = name.to_ascii_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
    matches!(
        joined.as_str(),
        "owner"
            | "ownerid"
            | "owneruserid"
            | "userid"
            | "user"
            | "tenantid"
            | "tenant"
            | "subject"
            | "sub"
            | "principal"
            | "accountid"
            | "clientid"
            | "ownertokenhash"
            | "tokenhash"
            | "userhash"
    )
}

/// Weaker words, that count beside another store of credentials.
pub fn is_account(name: &str) -> bool {
    any(name, &["account", "user", "profile"])
}

/// Counters, limits and labels.
pub fn is_telemetry(name: &str) -> bool {
    any(
        name,
        &[
            "quota",
            "limit",
            "limiter",
            "rate",
            "bucket",
            "call",
            "hit",
            "request",
            "usage",
            "counter",
            "throttle",
            "stat",
            "metric",
            "telemetry",
            "attempt",
            "trace",
            "span",
            "analytic",
        ],
    )
}

/// Proof that something happened, that later calls need.
pub fn is_guard(name: &str) -> bool {
    any(
        name,
        &[
            "approved",
            "approval",
            "consent",
            "confirmed",
            "confirmation",
            "allowed",
            "granted",
            "grant",
            "lease",
            "trusted",
            "unlocked",
            "evidence",
            "verified",
            "permission",
            "acknowledged",
            "authorized",
            "spend",
            "budget",
        ],
    )
}

/// A guard that asks the user.
pub fn is_consent(name: &str) -> bool {
    any(name, &["approved", "approval", "consent", "confirmed", "confirmation", "trusted", "acknowledged"])
}

/// Who wants to hear of changes.
pub fn is_subscription(name: &str) -> bool {
    any(name, &["subscriber", "subscription", "subscribed", "watcher", "listener", "poller"])
}

/// What a client has subscribed to, and not what a server subscribes it to.
pub fn is_subscribed(name: &str) -> bool {
    let subscribed = any(name, &["subscribed"]) && any(name, &["uri", "uris", "resource", "resources"]);
    any(name, &["subscription", "subscriptions"]) || subscribed
}

/// A mere choice among things that the model can name.
pub fn is_selection(name: &str) -> bool {
    any(name, &["active", "current", "selected", "selection", "chosen", "focused", "default"])
}

/// A tool that chooses something: `use_project`, `selectBoard`, `set_active_worker`.
pub fn is_choosing(name: &str) -> bool {
    let words = words(name);
    let first = words.first().map(String::as_str).unwrap_or_default();
    let second = words.get(1).map(String::as_str).unwrap_or_default();
    let chooses = ["use", "select", "switch", "choose", "activate", "pick"].contains(&first);
    let marks = ["set", "change"].contains(&first) && is_selection(second);
    words.len() > 1 && (chooses || marks)
}

/// Book-keeping about a connection.
pub fn is_bookkeeping(name: &str) -> bool {
    any(
        name,
        &[
            "seen",
            "activity",
            "created",
            "updated",
            "accessed",
            "access",
            "timer",
            "timeout",
            "expires",
            "expiry",
            "connected",
            "started",
            "last",
            "id",
            "closed",
            "initialized",
            "state",
            "status",
            "queue",
            "stream",
            "protocol",
            "version",
            "ttl",
        ],
    )
}

/// What a protocol spoken by hand remembers of a session.
pub fn is_protocol(name: &str) -> bool {
    any(
        name,
        &[
            "session",
            "client",
            "capability",
            "capabilities",
            "info",
            "level",
            "event",
            "notification",
            "notify",
            "subscription",
            "subscriber",
            "message",
            "pending",
            "request",
            "response",
            "sender",
            "receiver",
            "tx",
            "rx",
            "sse",
            "channel",
            "writer",
            "reader",
            "connection",
            "transport",
        ],
    )
}

/// Servers behind this one.
pub fn is_upstream(name: &str) -> bool {
    any(name, &["upstream"])
}

/// Tools that sign somebody in, or out.
pub fn signs_in(tool: &str) -> bool {
    let words = words(tool);
    let named = |word: &String| {
        matches!(
            word.as_str(),
            "login" | "logout" | "signin" | "signout" | "authenticate" | "authorize" | "otp" | "oauth"
        )
    };
    let pairs = [["sign", "in"], ["sign", "out"], ["log", "in"], ["log", "out"]];
    words.iter().any(named) || words.windows(2).any(|pair| pairs.iter().any(|known| pair == known.as_slice()))
}

/// Where another server is, as a field of what is known of it.
pub fn is_address(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('_', "");
    is_upstream(&name)
        || matches!(
            name.as_str(),
            "url"
                | "baseurl"
                | "origin"
                | "href"
                | "host"
                | "port"
                | "address"
                | "addr"
                | "target"
                | "backend"
                | "backendurl"
        )
}

/// Whoever is authenticated, under a name that means nothing else.
pub fn is_principal(name: &str) -> bool {
    any(name, &["principal"])
}

/// What says which tool is called: `request.params.name`, `toolName`, `fn`.
pub fn is_call_name(name: &str) -> bool {
    any(
        name,
        &[
            "name",
            "tool",
            "toolname",
            "fn",
            "function",
            "func",
            "method",
            "action",
            "command",
            "cmd",
            "op",
            "operation",
        ],
    )
}

/// A tool that is there to count.
pub fn is_counting(name: &str) -> bool {
    any(name, &["increment", "decrement", "inc", "dec", "counter", "count", "tick"])
}

/// What can be worked out again whenever it is missing.
pub fn is_cache(name: &str) -> bool {
    any(name, &["cache", "cached", "memo", "memoized", "memoised", "computed", "precomputed"])
}

/// A class that admits or refuses calls by what came before, whatever its fields are called.
pub fn is_guard_class(name: &str) -> bool {
    let spends = any(name, &["spend", "spending", "budget", "cost", "allowance"]);
    let bounds = any(
        name,
        &["limit", "limiter", "engine", "guard", "enforcer", "policy", "gate", "meter", "tracker", "ledger", "cap"],
    );
    let proves = any(name, &["evidence", "consent", "approval", "lease", "permission", "grant"]);
    proves || (spends && bounds)
}

/// A class that counts calls against a limit.
pub fn is_limiter_class(name: &str) -> bool {
    any(name, &["limiter", "throttle", "throttler", "ratelimiter", "ratelimit"])
        || (any(name, &["rate"]) && any(name, &["limit"]))
}

/// A function that makes a truth of what it is given: `to_bool`, `_coerce_bool`, `parseBoolean`.
pub fn makes_truth(name: &str) -> bool {
    let words = words(name);
    let named = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    named(&["bool", "boolean"]) && named(&["to", "as", "coerce", "parse", "convert", "cast", "str", "from"])
        || named(&["str2bool", "strtobool"])
}

/// Loggers.
pub fn is_log(name: &str) -> bool {
    any(name, &["logger", "log"])
}

/// What the client said of itself, or of how it wants to be served.
pub fn is_client_info(name: &str) -> bool {
    let joined = name.to_ascii_lowercase();
    joined.contains("loglevel")
        || joined.contains("log_level")
        || joined.contains("clientinfo")
        || joined.contains("client_info")
        || joined.contains("clientcapabilities")
        || joined.contains("clientversion")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_the_usual_spellings() {
        assert_eq!(words("callsBySession"), ["calls", "by", "session"]);
        assert_eq!(words("_session_user"), ["session", "user"]);
        assert_eq!(words("OAuthTokens"), ["oauth", "tokens"]);
        assert_eq!(words("#lines2"), ["lines2"]);
    }

    #[test]
    fn a_word_must_stand_alone() {
        assert!(is_auth("authBySession"));
        assert!(is_auth("accessTokens"));
        assert!(!is_auth("authors"));
        assert!(!is_telemetry("recalls"));
    }
}
