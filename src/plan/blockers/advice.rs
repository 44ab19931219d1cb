//! What to do about a store that no step moves: it depends on what the store is for and on where it belongs.

use crate::classify::answer::Carrier;
use crate::classify::stores::Found;
use crate::classify::words::words;
use crate::rules::detect::Context;

/// What a store is for, as far as its name tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Data of the application.
    Data,
    /// It lets calls through or not: a limit, a budget, a permission.
    Admits,
    /// It counts uses of what belongs to a session.
    Counts,
}

/// Words in the names of what admits or refuses.
const ADMITS: &[&str] = &[
    "limit",
    "limits",
    "limiter",
    "limiters",
    "limited",
    "rate",
    "rates",
    "throttle",
    "throttles",
    "quota",
    "quotas",
    "budget",
    "budgets",
    "spend",
    "spent",
    "spending",
    "allowance",
    "bucket",
    "buckets",
    "evidence",
    "consent",
    "consents",
    "lease",
    "leases",
    "approval",
    "approvals",
    "approved",
    "permission",
    "permissions",
    "grant",
    "grants",
    "guard",
    "guards",
    "gate",
    "gates",
    "ban",
    "banned",
    "blocked",
    "attempts",
    "strikes",
    "lockout",
    "policy",
    "policies",
];

/// Words in the names of what counts uses.
const COUNTS: &[&str] = &["counter", "counters", "refcount", "refcounts", "refs", "references", "usage", "usages"];

/// What a store is for, by its name, its types and the class that it is a field of.
pub(super) fn purpose(context: &Context<'_, '_>, found: &Found) -> Purpose {
    let mut words = words(found.name.text());
    let classes = &context.analysis.flow.program.module(found.holder.module).classes;
    let around = classes.iter().filter(|class| class.fields.iter().any(|field| field.span.contains(found.holder.span)));
    words.extend(around.filter_map(|class| class.name).flat_map(|name| crate::classify::words::words(name.text())));
    words.extend(words_of_type(found.value.as_deref().unwrap_or_default()));
    words.extend(words_of_type(&found.container));
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    match () {
        () if has(ADMITS) => Purpose::Admits,
        () if has(COUNTS) => Purpose::Counts,
        () => Purpose::Data,
    }
}

/// One way each.
pub(super) fn ways(purpose: Purpose, carrier: Carrier) -> &'static [&'static str] {
    match (purpose, carrier) {
        (Purpose::Admits, _) => &[
            "key it by the authenticated user (issuer, client and subject, hashed)",
            "where there are no users, by the network address, and only where a mere count is limited",
        ],
        (Purpose::Counts, _) => &["delete it together with the sessions whose uses it counts"],
        (_, Carrier::Argument) => &[
            "let the tools that read it take it as a required argument; the tool that sets it goes, then run this again",
        ],
        (_, Carrier::Address) => &[
            "take it from the address that the client connects to (a path or a query), or from a setting of the server",
            "else let the tools that read it take it as a required argument",
        ],
        (_, Carrier::Principal) => {
            &["keep it by the authenticated user (issuer, client and subject, hashed), and let entries expire"]
        }
        (_, Carrier::Request) => &["take it from the request that is being answered: its headers, or `_meta`"],
        (_, Carrier::Mrtr) => &[
            "ask within the call: on an SDK that speaks 2026-07-28 by `inputRequired(…)`, else by an argument of the tool",
        ],
        (_, Carrier::Tasks) => {
            &["answer with a task and its id (the tasks extension), or with an id that a second tool asks after"]
        }
        (_, Carrier::Process) => &[
            "keep it once for the process, bounded and keyed by all that it was made from, or drop it and compute anew",
        ],
        (_, Carrier::Drop) => &["delete it: without sessions nothing needs it"],
        (_, Carrier::Manual) => &[
            "decide whom it belongs to: what a client makes gets a handle, what a user owns is kept by the user, the rest is one for all",
        ],
        (_, Carrier::Handle) => {
            &["give it a handle that a `create_*` tool returns and the tools take as an argument, then run this again"]
        }
    }
}

/// The words of a type, those of the platform's containers apart.
fn words_of_type(ty: &str) -> Vec<String> {
    ty.split(|c: char| !c.is_alphanumeric()).flat_map(words).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart() {
        assert_eq!(words("sessionAccessCounter"), ["session", "access", "counter"]);
        assert_eq!(words("RATE_LIMITS"), ["rate", "limits"]);
        assert_eq!(words_of_type("Map<string, TokenBucket>"), ["map", "string", "token", "bucket"]);
    }
}
