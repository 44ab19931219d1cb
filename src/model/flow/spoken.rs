//! The HTTP+SSE transport as programs write it themselves: whoever serves it tells the client where to post, in an event of its own.

use super::Flow;
use crate::model::facts::{ExprId, ExprKind, Imported, Key, Language, Module};
use crate::model::name::Name;
use crate::model::program::{ClassRef, ExprRef, Program};
use crate::model::vocabulary::Role;

/// The event that tells a client where to post its messages.
const ENDPOINT: &str = "endpoint";

/// Where a program sends that event.
pub(super) fn announcements(program: &Program) -> Vec<ExprRef> {
    let sends = |at: &ExprRef| {
        let facts = program.module(at.module);
        match facts.kind(at.id) {
            ExprKind::Text(text) if text.text().contains("event: endpoint") => true,
            ExprKind::Text(text) if *text == ENDPOINT => is_event(facts, at.id),
            _ => false,
        }
    };
    program.exprs().filter(sends).collect()
}

/// Whether a program takes a server's transport of the HTTP+SSE kind from a package.
pub(super) fn imports_transport(program: &Program) -> bool {
    let is_transport = |name: &str| name.contains("SSE") && name.ends_with("Transport") && !name.contains("Client");
    program.modules.iter().flat_map(|module| &module.imports).any(|import| match &import.imported {
        Imported::Named(name) => is_transport(name.text()),
        _ => false,
    })
}

/// Whether a text names an event that is sent: `{ event: 'endpoint', … }`, `sendEvent('endpoint', …)`.
fn is_event(facts: &Module, text: ExprId) -> bool {
    let Some(parent) = facts.expr(text).parent else { return false };
    match facts.kind(parent) {
        ExprKind::Object(fields) => {
            fields.iter().any(|field| field.value == text && matches!(&field.key, Key::Name(name) if *name == "event"))
        }
        ExprKind::Call { callee, args } if args.len() > 1 && args[0].value == text => {
            let name = match facts.kind(*callee) {
                ExprKind::Symbol(id) => facts.symbol(*id).name,
                ExprKind::Member { name, .. } => *name,
                _ => return false,
            };
            let name = name.text().to_ascii_lowercase();
            ["send", "write", "emit", "push"].iter().any(|verb| name.starts_with(verb))
        }
        _ => false,
    }
}

impl Flow<'_> {
    /// Whether the program tells clients of the HTTP+SSE transport where to post.
    pub fn announces_endpoint(&self) -> bool {
        !self.announced.is_empty()
    }

    /// The role of a class that is a transport by what it does: it has a session id, tells its client where to post, takes what is
    /// posted, and sends.
    pub(super) fn own_transport(&self, class: ClassRef) -> Option<Role> {
        let facts = self.program.module(class.module);
        if !matches!(facts.language, Language::TypeScript | Language::JavaScript) {
            return None;
        }
        let span = facts.class(class.id).span;
        let tells = |at: &ExprRef| at.module == class.module && span.contains(facts.expr(at.id).span);
        let method = |wanted: &dyn Fn(&str) -> bool| {
            let methods = facts.class(class.id).methods.iter();
            methods.filter_map(|id| facts.function(*id).name).any(|name| wanted(name.text()))
        };
        let named = self.announced.iter().any(tells)
            && self.has_session_id(class)
            && method(&|name| name == "send")
            && method(&|name| name.starts_with("handle"));
        named.then_some(Role::SseTransport)
    }

    fn has_session_id(&self, class: ClassRef) -> bool {
        let facts = self.program.class(class);
        let name = Name::new("sessionId");
        let module = self.program.module(class.module);
        facts.fields.iter().any(|field| field.name == name)
            || facts.methods.iter().any(|id| module.function(*id).name == Some(name))
    }

    /// A session id by its name among the parameters of a path, where the endpoint that clients are told may have it there.
    pub(super) fn is_path_session(&self, at: ExprRef, name: &str) -> bool {
        let language = self.program.module(at.module).language;
        matches!(language, Language::TypeScript | Language::JavaScript)
            && self.announces_endpoint()
            && super::eval::is_session_parameter(name)
    }
}
