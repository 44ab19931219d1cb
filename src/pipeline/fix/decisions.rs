//! From what the rounds came to, to what is decided about each store.

use super::propose::Rounds;
use crate::classify::answer::{self, Carrier, Place};
use crate::edit::Overlay;
use crate::pipeline::locate::Locator;
use crate::plan::handle::{Kind, Role, ToolUse};
use crate::plan::selection::Kept;
use crate::plan::{self, Site, Step, StepKind};
use crate::report::fix::{Fix, Group, Status};
use crate::report::plan::{Choice, Handle, Plan, Refused, Server, Store};
use crate::report::{describe, words};

/// Decisions, server by server.
pub fn of(rounds: &Rounds, told: &Fix, root: &std::path::Path) -> Plan {
    let all = All { rounds, told, places: Locator::through(root.to_owned(), Overlay::default()) };
    let mut servers: Vec<Server> = rounds.first.scan.servers.iter().map(|server| all.server(server)).collect();
    servers.sort_by(|a, b| (&a.path, a.language).cmp(&(&b.path, b.language)));
    Plan { servers }
}

struct All<'r> {
    rounds: &'r Rounds,
    told: &'r Fix,
    places: Locator,
}

impl All<'_> {
    fn place(&self, at: &Site) -> Place {
        self.places.place(&at.path, at.span)
    }

    /// The steps that were planned for a server at first.
    fn steps<'s>(&'s self, server: &'s answer::Server) -> impl Iterator<Item = &'s Step> {
        let plans = self.rounds.first.plans.iter().filter(|plan| plan.server == server.path);
        plans.flat_map(|plan| &plan.steps)
    }

    fn server(&self, server: &answer::Server) -> Server {
        let mut stores: Vec<Store> = server.stores.iter().map(|store| self.store(server, store)).collect();
        stores.extend(self.parts(server));
        stores.sort_by(|a, b| (&a.at, &a.id).cmp(&(&b.at, &b.id)));
        let about = format!(
            "{} server in `{}`: {}. SDK: {}.",
            words::language(server.language),
            server.path,
            describe::categories(server),
            describe::sdk(server)
        );
        let shows = |one: &answer::Processes| format!("{} ({}:{})", one.reason, one.at.path, one.at.line);
        Server {
            path: server.path.clone(),
            language: server.language,
            about,
            planned: plan::speaks(server.language),
            processes: describe::processes(server, &shows),
            others: self.others(server),
            manual: self.manual(server),
            stores,
        }
    }

    /// Changes that belong to the server itself.
    fn others(&self, server: &answer::Server) -> Vec<Group> {
        let paths: Vec<&str> = server.stores.iter().map(|store| store.at.path.as_str()).collect();
        let plans = || self.rounds.first.plans.iter().chain(&self.rounds.last.plans);
        let steps = || plans().filter(|plan| plan.server == server.path).flat_map(|plan| &plan.steps);
        // A change of a later round was in no plan that was kept, but names the file of a store.
        let of_server = |group: &&Group| {
            let (_, about) = group.id.split_once(':').unwrap_or_default();
            steps().any(|step| step.id == group.id) || paths.iter().any(|path| about.split('#').next() == Some(path))
        };
        let parts: Vec<String> = self.parts(server).into_iter().map(|part| part.id).collect();
        let stores = || server.stores.iter().map(|store| &store.id).chain(&parts);
        let is_of_store = |group: &&Group| stores().any(|id| group.id.ends_with(&format!(":{id}")));
        let mut plain: Vec<Group> =
            self.told.groups.iter().filter(|group| !is_of_store(group)).filter(of_server).cloned().collect();
        plain.sort_by(|a, b| a.id.cmp(&b.id));
        plain
    }

    /// What is left beside the stores.
    fn manual(&self, server: &answer::Server) -> Vec<crate::report::fix::Manual> {
        let plans = || self.rounds.last.plans.iter().filter(|plan| plan.server == server.path);
        let own = |manual: &&crate::report::fix::Manual| {
            plans()
                .flat_map(|plan| &plan.manual)
                .any(|known| self.place(&known.at) == manual.at && known.what == manual.what)
        };
        let of_store = |manual: &&crate::report::fix::Manual| server.stores.iter().any(|store| store.at == manual.at);
        self.told.manual.iter().filter(|manual| !of_store(manual)).filter(own).cloned().collect()
    }

    fn store(&self, server: &answer::Server, store: &answer::Store) -> Store {
        let claims = |step: &&Step| step.claims.iter().any(|claim| self.place(&claim.at) == store.at);
        let step = self.steps(server).find(claims).filter(|step| carries(step).is_some());
        let lead = step.and_then(|step| step.id.split_once(':')).map(|(_, id)| id.to_owned());
        let under = lead.filter(|id| *id != store.id);
        let own = step.filter(|_| under.is_none());
        let carrier = step.and_then(carries).unwrap_or(store.carrier);
        let value = store.value.as_ref().map(|value| format!(" ({value})")).unwrap_or_default();
        Store {
            id: store.id.clone(),
            at: store.at.clone(),
            about: format!(
                "{}, kept {}, holds {}{value}; on the newest SDK {}",
                store.container,
                words::keyed_by(store.keyed_by),
                words::holds(store.holds),
                words::on_upgrade(store.failure)
            ),
            carrier,
            meaning: words::move_to(carrier, store.holds),
            level: step.map(|step| step.level),
            with: own.map(|step| self.with(server, store, step)).unwrap_or_default(),
            tools: self.tools(store, own),
            handle: own.and_then(|step| self.handle(server, step)),
            choice: own.and_then(|step| self.choice(step)),
            refused: self.refused(server, store, step),
            under,
        }
    }

    /// Choices among the fields of stores' records, which are decided about apart from those.
    fn parts(&self, server: &answer::Server) -> Vec<Store> {
        let part = |step: &Step| {
            let StepKind::Selection(selection) = &step.kind else { return None };
            let (_, id) = step.id.split_once(':').filter(|_| selection.kept == Kept::Part)?;
            let at = self.place(&selection.declared);
            let record = server.stores.iter().find(|store| store.at == at)?;
            Some(Store {
                id: id.to_owned(),
                about: format!("a field of what `{}` keeps: a choice that the session only remembers", record.name),
                carrier: Carrier::Argument,
                meaning: words::move_to(Carrier::Argument, record.holds),
                level: Some(step.level),
                with: Vec::new(),
                under: None,
                tools: self.takers(&selection.tools, |_| true),
                handle: None,
                choice: self.choice(step),
                refused: self.refused(server, record, Some(step)),
                at,
            })
        };
        self.steps(server).filter_map(part).collect()
    }

    fn choice(&self, step: &Step) -> Option<Choice> {
        let StepKind::Selection(selection) = &step.kind else { return None };
        let setter = &selection.setter;
        Some(Choice {
            argument: selection.argument.argument.clone(),
            setter: (setter.tool.name.clone(), self.registered(&setter.tool)),
            stays: setter.tells.as_ref().map(|at| self.place(at)),
            gone: selection.idle.iter().map(|tool| tool.name.clone()).collect(),
            part: selection.kept == Kept::Part,
        })
    }

    /// Other stores that a step is about.
    fn with(&self, server: &answer::Server, own: &answer::Store, step: &Step) -> Vec<String> {
        let claimed = |store: &&answer::Store| step.claims.iter().any(|claim| self.place(&claim.at) == store.at);
        let others = server.stores.iter().filter(|store| store.id != own.id);
        others.filter(claimed).map(|store| store.id.clone()).collect()
    }

    fn tools(&self, store: &answer::Store, step: Option<&Step>) -> Vec<(String, Option<Place>)> {
        match step.map(|step| &step.kind) {
            Some(StepKind::Handle(handle)) => {
                self.takers(&handle.tools, |tool| tool.role != Role::Creates || handle.lazy)
            }
            Some(StepKind::Captured(captured)) => self.takers(&captured.tools, |_| true),
            Some(StepKind::External(external)) => self.takers(&external.tools, |_| true),
            Some(StepKind::Selection(selection)) => self.takers(&selection.tools, |_| true),
            _ => store.tools.iter().map(|tool| (tool.clone(), None)).collect(),
        }
    }

    fn takers(&self, tools: &[ToolUse], takes: impl Fn(&ToolUse) -> bool) -> Vec<(String, Option<Place>)> {
        let takers = tools.iter().filter(|tool| takes(tool));
        takers.map(|tool| (tool.name.clone(), Some(self.registered(tool)))).collect()
    }

    fn registered(&self, tool: &ToolUse) -> Place {
        self.place(tool.entry.as_ref().unwrap_or(&tool.registration))
    }

    fn handle(&self, server: &answer::Server, step: &Step) -> Option<Handle> {
        let owner = |owner: bool| server.principal_at.clone().filter(|_| owner);
        match &step.kind {
            StepKind::Handle(handle) => {
                let tool = |role: Role| {
                    let tool = handle.tools.iter().find(|tool| tool.role == role)?;
                    Some((tool.name.clone(), self.registered(tool)))
                };
                let touches = handle.touches.iter().map(|touch| (touch.kind, &touch.at));
                let mut all = touches.chain(handle.outside.iter().map(|outside| (outside.kind, &outside.at)));
                let first = all.find(|(kind, _)| matches!(kind, Kind::GetOrCreate | Kind::Write));
                Some(Handle {
                    names: handle.names.clone(),
                    lifetime: Some(handle.lifetime.clone()),
                    creator: tool(Role::Creates).filter(|_| !handle.adds_creator()),
                    destroyer: tool(Role::Destroys),
                    first: first.map(|(_, at)| self.place(at)),
                    parameters: handle.choices.clone(),
                    owner: owner(handle.owner),
                })
            }
            StepKind::Captured(captured) => Some(Handle {
                names: captured.names.clone(),
                lifetime: Some(captured.lifetime.clone()),
                creator: None,
                destroyer: None,
                first: captured.locals.first().map(|local| self.place(&local.declared)),
                parameters: Vec::new(),
                owner: owner(captured.owner),
            }),
            StepKind::External(external) => {
                let mut writes = external.touches.iter().filter(|touch| touch.kind == Kind::Write);
                let destroyer = external.tools.iter().find(|tool| tool.role == Role::Destroys);
                Some(Handle {
                    names: external.names.clone(),
                    lifetime: None,
                    creator: None,
                    destroyer: destroyer.map(|tool| (tool.name.clone(), self.registered(tool))),
                    first: writes.next().map(|touch| self.place(&touch.at)),
                    parameters: Vec::new(),
                    owner: None,
                })
            }
            _ => None,
        }
    }

    /// Why a store stays: the planner's reason, or that of whoever wrote the change or applied it.
    fn refused(&self, server: &answer::Server, store: &answer::Store, step: Option<&Step>) -> Option<Refused> {
        if let Some(step) = step {
            let group = self.told.groups.iter().find(|group| group.id == step.id)?;
            return (group.status != Status::Applied).then(|| Refused {
                at: group.at.clone(),
                why: group.reason.clone().unwrap_or_default(),
                todo: group.help.clone().into_iter().collect(),
                by_processes: false,
            });
        }
        let manual = self.told.manual.iter().find(|manual| manual.at == store.at)?;
        Some(Refused {
            at: None,
            why: manual.why.clone(),
            todo: manual.todo.clone(),
            by_processes: !server.processes.is_empty() && store.carrier == Carrier::Handle,
        })
    }
}

/// Where a step puts the state of a store; `None` for steps that are about no store of their own.
fn carries(step: &Step) -> Option<Carrier> {
    match step.kind {
        StepKind::Handle(_) | StepKind::Captured(_) | StepKind::External(_) | StepKind::Records(_) => {
            Some(Carrier::Handle)
        }
        StepKind::Selection(_) => Some(Carrier::Argument),
        StepKind::Telemetry(_) => Some(Carrier::Request),
        _ => None,
    }
}
