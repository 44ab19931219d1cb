//! `mcp-migrate/plan/v1`: decisions as a file to be edited. Comments say why each is as it is, where that shows, and what can be changed.

use super::layout::lines;
use super::plan::{Choice, Handle, Plan, Refused, Server, Store};
use crate::classify::answer::{Carrier, Place};
use crate::plan::handle::Lifetime;

/// The schema id that stands at the head of every plan.
pub const SCHEMA: &str = "mcp-migrate/plan/v1";

/// The published JSON Schema of the file.
pub const SCHEMA_TEXT: &str = include_str!("../../schemas/plan-v1.schema.json");

/// Comments are wrapped there.
const WIDTH: usize = 100;

/// The file.
pub fn render(plan: &Plan) -> String {
    let mut page = Page { out: String::new() };
    page.say("The plan of `mcp-migrate fix`: what becomes of each thing that is kept per session, and why.");
    page.say(
        "Change what you like, then run `mcp-migrate fix --plan FILE`. What is not said here follows from \
         mcp-migrate.toml and from the code: a line that is taken out, a store that is not listed. Comments are for you; \
         fix does not read them.",
    );
    page.text("schema", SCHEMA);
    for server in &plan.servers {
        page.server(server);
    }
    page.out
}

struct Page {
    out: String,
}

impl Page {
    fn blank(&mut self) {
        self.out.push('\n');
    }

    /// A comment, wrapped.
    fn say(&mut self, text: &str) {
        for line in lines(text, WIDTH - 2) {
            self.out.push_str(&format!("# {line}\n"));
        }
    }

    fn text(&mut self, key: &str, value: &str) {
        self.out.push_str(&format!("{key} = {}\n", quoted(value)));
    }

    fn server(&mut self, server: &Server) {
        self.blank();
        self.out.push_str(&format!("# {}\n", "-".repeat(WIDTH - 2)));
        self.say(&server.about);
        if let Some(processes) = &server.processes {
            self.say(&format!("It {processes}."));
        }
        if !server.planned {
            self.say("fix edits TypeScript and JavaScript only, so far: what follows is for you to do by hand.");
        }
        for group in &server.others {
            let state = if group.reason.is_some() { "Not done" } else { "Beside the stores" };
            let reason = group.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
            self.say(&format!("{state}: {} [{}]{reason}", group.title, group.level.id()));
        }
        for manual in &server.manual {
            self.say(&format!("Left to you: {}: {}: {}", shown(&manual.at), manual.what, manual.why));
        }
        if server.planned {
            self.out.push_str("[[server]]\n");
            self.text("path", &server.path);
        }
        for store in &server.stores {
            self.store(store, server.planned);
        }
    }

    fn store(&mut self, store: &Store, planned: bool) {
        self.blank();
        if planned {
            self.out.push_str("[[server.store]]\n");
            self.text("id", &store.id);
        } else {
            self.say(&store.id);
        }
        self.say(&format!("{}: {}.", shown(&store.at), store.about));
        if !store.tools.is_empty() {
            let tools: Vec<String> = store.tools.iter().map(|(name, at)| named(name, at.as_ref())).collect();
            let verb = match (&store.handle, &store.choice) {
                (Some(_), _) => "Tools that take the handle",
                (None, Some(_)) => "Tools that take the argument",
                (None, None) => "Tools that reach it",
            };
            self.say(&format!("{verb}: {}.", tools.join(", ")));
        }
        if let Some(level) = store.level {
            self.say(&format!("Level: {}.", level.id()));
        }
        if !store.with.is_empty() {
            self.say(&format!("Under the same handle: {}.", store.with.join(", ")));
        }
        if let Some(refused) = &store.refused {
            self.refused(refused);
        }
        match planned {
            true => self.carrier(store),
            false => self.say(&format!("carrier {}: {}", store.carrier, store.meaning)),
        }
        if let Some(handle) = store.handle.as_ref().filter(|_| planned) {
            self.handle(store, handle);
        }
        if let Some(choice) = store.choice.as_ref().filter(|_| planned) {
            self.choice(choice);
        }
    }

    fn choice(&mut self, choice: &Choice) {
        let (setter, at) = &choice.setter;
        self.say(&format!("The required argument of the tools above. {setter} ({}) has it already.", shown(at)));
        self.text("argument", &choice.argument);
        match &choice.stays {
            Some(tells) => {
                self.say(&format!(
                    "{setter} answers more than that it was done ({}): it stays, and remembers nothing. \"drop\" takes it out.",
                    shown(tells)
                ));
                self.text("setter", "keep");
            }
            None => {
                self.say(&format!("{setter} only sets it, and goes."));
                self.text("setter", "drop");
            }
        }
        if !choice.gone.is_empty() {
            self.say(&format!("They go as well: {}.", choice.gone.join(", ")));
        }
    }

    fn refused(&mut self, refused: &Refused) {
        let at = refused.at.as_ref().map(|at| format!("{}: ", shown(at))).unwrap_or_default();
        self.say(&format!("Not done: {at}{}.", refused.why.trim_end_matches('.')));
        for todo in &refused.todo {
            self.say(&format!("To do: {}.", todo.trim_end_matches('.')));
        }
        if refused.by_processes {
            self.say("Where it runs in one process after all, take the # off:");
            self.out.push_str("# store = \"in-memory\"\n");
        }
    }

    fn carrier(&mut self, store: &Store) {
        self.blank();
        self.say(&format!("Where it goes ({}): {}.", shown(&store.at), store.meaning));
        if let Some(lead) = &store.under {
            self.say(&format!("It is kept under the handle of {lead}, which says how that is called."));
        }
        self.say(match store.carrier {
            Carrier::Drop => "\"manual\" leaves it and the sessions alone.",
            Carrier::Handle => "\"manual\" leaves it to you, and the sessions with it.",
            Carrier::Argument if store.choice.as_ref().is_some_and(|choice| choice.part) => {
                "\"handle\" keeps it in its record; \"manual\" leaves both to you."
            }
            Carrier::Argument => "\"handle\" keeps it behind an id of its own; \"manual\" leaves it to you.",
            _ => "\"manual\" leaves it to you.",
        });
        self.text("carrier", store.carrier.id());
    }

    fn handle(&mut self, store: &Store, handle: &Handle) {
        let names = &handle.names;
        self.say(&format!(
            "What one is called, after the code ({}). Names below follow it where their lines are taken out.",
            shown(&store.at)
        ));
        self.text("noun", &names.noun);
        self.say("The first, required argument of the tools above.");
        self.text("argument", &names.argument);
        self.say(&format!("Handles begin with it: {}_4fTq…", names.prefix));
        self.text("prefix", &names.prefix);
        self.tools(handle);
        let Some(lifetime) = &handle.lifetime else {
            self.say("Its values stay where they are, outside of this program, and expire as they did.");
            return;
        };
        self.lifetime(lifetime, &handle.names.setting);
        self.say(
            "Where the values are: nothing in this repository runs the server in several processes, so its memory will do. \
             \"shared\" takes a class of yours, of which store-module is the file and store-class the name: it is constructed \
             like MemoryHandles, and has the same methods.",
        );
        self.text("store", "in-memory");
        if let Some(at) = &handle.owner {
            self.say(&format!("A handle belongs to the user who created it ({}).", shown(at)));
        }
    }

    fn tools(&mut self, handle: &Handle) {
        let names = &handle.names;
        let first = handle.first.as_ref().map(|at| format!(" ({})", shown(at))).unwrap_or_default();
        match &handle.creator {
            Some((tool, at)) => {
                self.say(&format!(
                    "{tool} ({}) creates one already, and answers its id now; it keeps its name.",
                    shown(at)
                ));
            }
            None => {
                self.say(&format!("A new tool: {} came into being by itself{first}.", names.one()));
                self.text("create", &names.create);
                if handle.lifetime.is_some() {
                    self.parameters(handle);
                }
            }
        }
        match &handle.destroyer {
            Some((tool, at)) => {
                self.say(&format!("{tool} ({}) drops one already; it keeps its name.", shown(at)));
            }
            None => {
                self.say("A new tool.");
                self.text("destroy", &names.destroy);
            }
        }
        if let (Some(at), Some(list)) = (&handle.owner, &names.list) {
            self.say(&format!("A new tool: users are known ({}), and each sees the handles of its own.", shown(at)));
            self.text("list", list);
        }
    }

    fn parameters(&mut self, handle: &Handle) {
        self.say(match handle.parameters.is_empty() {
            true => "What it lets its caller choose: no field of the first value holds a text that nothing changes.",
            false => "What it lets its caller choose: fields of the first value with a text that nothing changes.",
        });
        let listed: Vec<String> = handle.parameters.iter().map(|name| quoted(name)).collect();
        self.out.push_str(&format!("create-parameters = [{}]\n", listed.join(", ")));
    }

    fn lifetime(&mut self, lifetime: &Lifetime, setting: &str) {
        let origin = |set: bool| if set { "mcp-migrate.toml says so" } else { "what is usual" };
        let mut number = |key: &str, what: String, in_code: bool, set: bool, value: u32| match in_code && !set {
            true => {
                self.say(&format!("{what}. What the code says of it stays, unless a number stands here."));
                self.out.push_str(&format!("# {key} = {value}\n"));
            }
            false => {
                self.say(&format!("{what} ({}).", origin(set)));
                self.out.push_str(&format!("{key} = {value}\n"));
            }
        };
        let idle =
            format!("Seconds without use until one expires, 0 for never; {setting}_IDLE_SECONDS comes before it");
        number("idle-seconds", idle, lifetime.idle_in_code, lifetime.idle_is_set, lifetime.idle_seconds);
        let limit = format!("How many may live at once; {setting}_LIMIT comes before it");
        number("limit", limit, lifetime.limit_in_code, lifetime.limit_is_set, lifetime.limit);
    }
}

fn shown(at: &Place) -> String {
    format!("{}:{}", at.path, at.line)
}

fn named(name: &str, at: Option<&Place>) -> String {
    at.map_or_else(|| name.to_owned(), |at| format!("{name} ({})", shown(at)))
}

/// A text as TOML writes it.
fn quoted(text: &str) -> String {
    toml::Value::String(text.to_owned()).to_string()
}
