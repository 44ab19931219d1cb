//! What rules detect with: the analysed program, seen from one package, and detections in terms of its modules.

use crate::classify::access::{Access, Kind};
use crate::classify::answer::{Failure, Holds};
use crate::classify::signals::Signals;
use crate::classify::stores::{Analysis, Found};
use crate::model::facts::{ExprKind, Span};
use crate::model::lives::{Mode, TransportSite, constructions};
use crate::model::program::ExprRef;
use crate::model::vocabulary::Role;

use super::Rule;

/// A place in a module of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spot {
    /// The module.
    pub module: u32,
    /// The bytes.
    pub span: Span,
}

/// Something a rule found.
#[derive(Clone, Debug)]
pub struct Detection {
    /// The rule.
    pub rule: &'static Rule,
    /// Where.
    pub at: Spot,
    /// What is wrong, for people.
    pub message: String,
    /// Other places that belong to it.
    pub related: Vec<(Spot, String)>,
    /// Places like these, beyond those worth showing.
    pub more: Vec<Spot>,
    /// What becomes of the store it is about.
    pub failure: Option<Failure>,
    /// What to do.
    pub advice: String,
}

/// An analysed program, seen from one package.
pub struct Context<'a, 'p> {
    /// The program.
    pub analysis: &'a Analysis<'p>,
    /// Facts beside the stores.
    pub signals: &'a Signals,
    /// Whether a module belongs to the package.
    pub modules: &'a [bool],
    /// The package serves over HTTP.
    pub http: bool,
}

impl<'a> Context<'a, '_> {
    /// Whether a place belongs to the package.
    pub fn here(&self, at: ExprRef) -> bool {
        self.modules[at.module as usize]
    }

    /// The places of a list that belong to the package.
    pub fn ours(&self, places: &'a [ExprRef]) -> impl Iterator<Item = ExprRef> + 'a {
        let modules = self.modules;
        places.iter().copied().filter(move |at| modules[at.module as usize])
    }

    /// The package's stores.
    pub fn stores(&self) -> impl Iterator<Item = &'a Found> + 'a {
        let modules = self.modules;
        self.analysis.stores.iter().filter(move |found| modules[found.holder.module as usize])
    }

    /// The package's transports.
    pub fn transports(&self) -> impl Iterator<Item = &'a TransportSite> + 'a {
        let modules = self.modules;
        self.analysis.lives.transports.iter().filter(move |site| modules[site.at.module as usize])
    }

    /// Whether the package uses sessions at all.
    pub fn uses_sessions(&self) -> bool {
        self.stores().next().is_some() || self.transports().any(|site| site.sse || site.mode != Mode::Off)
    }

    /// Whether the package also serves over stdio.
    pub fn serves_stdio(&self) -> bool {
        let flow = &self.analysis.flow;
        constructions(flow, &[Role::StdioTransport]).into_iter().any(|at| self.here(at))
    }

    /// The place of an expression.
    pub fn spot(&self, at: ExprRef) -> Spot {
        Spot { module: at.module, span: self.analysis.flow.program.expr(at).span }
    }

    /// The place of a call's name rather than of the whole call, which may be long.
    pub fn call_spot(&self, at: ExprRef) -> Spot {
        let facts = self.analysis.flow.program.module(at.module);
        match facts.kind(at.id) {
            ExprKind::Call { callee, .. } | ExprKind::New { callee, .. } => {
                let span = facts.expr(*callee).span;
                Spot { module: at.module, span }
            }
            _ => self.spot(at),
        }
    }

    /// ` in tool add_item`, or ` in add_item` for a plain function, for a related place.
    pub fn whereabouts(&self, at: ExprRef) -> String {
        let func = self.analysis.flow.program.func_of(at);
        let mut tools = Vec::new();
        for handler in self.analysis.lives.handlers_of.get(&func).into_iter().flatten() {
            tools.extend(self.analysis.tool_names(*handler, at));
        }
        tools.sort_by_key(|name| name.text());
        tools.dedup();
        match tools.as_slice() {
            [] => match self.analysis.flow.program.function(func).name {
                Some(name) => format!(", in {name}"),
                None => String::new(),
            },
            [tool] => format!(", in tool {tool}"),
            [first, second] => format!(", in tools {first} and {second}"),
            [first, rest @ ..] => format!(", in tool {first} and {} others", rest.len()),
        }
    }

    fn access_words(&self, access: &Access) -> String {
        let what = match access.kind {
            Kind::Read => "read here",
            Kind::Write => "written here",
            Kind::GetOrCreate => "created on first use here",
            Kind::Test => "looked up here",
            Kind::Delete => "deleted here",
            Kind::AddId => "the session id is put in here",
        };
        format!("{what}{}", self.whereabouts(access.at))
    }

    /// A detection at the declaration of a store, with its accesses beside it.
    pub fn store(&self, rule: &'static Rule, found: &Found, message: String, advice: String) -> Detection {
        const MOST: usize = 8;
        let at = Spot { module: found.holder.module, span: found.holder.span };
        let mut related: Vec<(Spot, String)> =
            found.uses.iter().map(|access| (self.spot(access.at), self.access_words(access))).collect();
        related
            .extend(found.writers.iter().map(|at| (self.spot(*at), format!("changed here{}", self.whereabouts(*at)))));
        related.sort();
        related.dedup_by_key(|(spot, _)| *spot);
        let more = related.iter().skip(MOST).map(|(spot, _)| *spot).collect();
        related.truncate(MOST);
        Detection { rule, at, message, related, more, failure: Some(found.failure), advice }
    }

    /// A detection at an expression.
    pub fn at(
        &self,
        rule: &'static Rule,
        at: Spot,
        message: impl Into<String>,
        advice: impl Into<String>,
    ) -> Detection {
        Detection {
            rule,
            at,
            message: message.into(),
            related: Vec::new(),
            more: Vec::new(),
            failure: None,
            advice: advice.into(),
        }
    }
}

/// What becomes of a store, as the end of a sentence.
pub fn consequence(failure: Failure) -> &'static str {
    match failure {
        Failure::Lost => "a request without a session finds it empty, silently",
        Failure::Collapsed => "without a session all clients share one entry",
        Failure::Spoofed => "without a session the caller chooses the key by sending any header",
        Failure::Refused => "without a session every call that needs it is an error",
        Failure::Unguarded => "without a session the check lets everybody through",
        Failure::Dead => "without a session the code does nothing",
        Failure::Works => "it goes on working",
    }
}

/// ` (tools add_item, checkout)`, or nothing.
pub fn tools_of(found: &Found) -> String {
    match found.tools.as_slice() {
        [] => String::new(),
        [tool] => format!(" (tool {tool})"),
        tools if tools.len() <= 5 => {
            let names: Vec<&str> = tools.iter().map(|tool| tool.text()).collect();
            format!(" (tools {})", names.join(", "))
        }
        tools => {
            let names: Vec<&str> = tools[..4].iter().map(|tool| tool.text()).collect();
            format!(" (tools {} and {} others)", names.join(", "), tools.len() - 4)
        }
    }
}

/// Whether a store is kept by session in the plain sense: application data.
pub fn is_state(found: &Found) -> bool {
    matches!(found.holds, Holds::AppState | Holds::Subscription | Holds::ClientInfo)
}
