//! Servers that all sessions share: each request builds its own, where it is seen how.

use tree_sitter::Node;

use super::fold::Fold;
use crate::model::facts::{Span, SymbolId, SymbolKind};
use crate::plan::Site;
use crate::plan::origins::Origin;
use crate::plan::transport::{Fact, Transport};
use crate::render::typescript::in_flight::free_name;
use crate::render::typescript::script::{bare, enclosing_function, span, statement};
use crate::render::typescript::singleton::build::{self, Build};
use crate::render::{Change, Files, Refused, all};

/// How the server of some connections is built for a request.
pub struct Own {
    /// The file.
    unit: usize,
    /// The connecting calls.
    connects: Vec<Span>,
    /// How it is built.
    build: Build,
}

impl<'w> Fold<'w> {
    /// Finds out how the servers that outlive a request are built.
    pub fn shared_servers(&mut self, step: &Transport, files: &dyn Files) -> Result<(), Refused> {
        let mut outcomes = Vec::new();
        for unit in 0..self.world.units.len() {
            let mut groups: Vec<(SymbolId, Vec<Node<'w>>)> = Vec::new();
            for connect in self.places(unit, &Fact::Connect) {
                match self.field_server(unit, connect, step) {
                    Ok(Some(own)) => {
                        self.own_servers.push(own);
                        continue;
                    }
                    Ok(None) => {}
                    Err(refused) => {
                        outcomes.push(Err(refused));
                        continue;
                    }
                }
                let Some(symbol) = self.shared_server(unit, connect, step) else { continue };
                match groups.iter_mut().find(|(known, _)| *known == symbol) {
                    Some((_, connects)) => connects.push(connect),
                    None => groups.push((symbol, vec![connect])),
                }
            }
            for (symbol, connects) in groups {
                let Some(origin) = self.origin(unit, symbol, step) else { continue };
                let Some(receiver) = receiver(connects[0]) else { continue };
                let connects: Vec<Span> = connects.into_iter().map(span).collect();
                let used = [self.edits[unit].spans(), connects.clone()].concat();
                match build::shared(&self.world.units[unit].script, &origin, files, receiver, &used) {
                    Ok(build) => self.own_servers.push(Own { unit, connects, build }),
                    Err(refused) => outcomes.push(Err(refused)),
                }
            }
        }
        all(outcomes)
    }

    /// A server in a field of the class that answers requests.
    fn field_server(&self, unit: usize, connect: Node<'w>, step: &Transport) -> Result<Option<Own>, Refused> {
        let function = enclosing_function(connect).filter(|_| self.runs(unit, connect));
        let of_this = |server: &Node<'w>| server.child_by_field_name("object").is_some_and(|of| of.kind() == "this");
        let server = receiver(connect).filter(of_this).filter(|_| self.receiver_outlives(unit, connect, step));
        let (Some(function), Some(server)) = (function, server) else { return Ok(None) };
        if self.sessionless_already(unit, function) {
            return Ok(None);
        }
        let script = &self.world.units[unit].script;
        // The tables go, so that an instance more makes none.
        let tables = step.tables.iter().filter(|table| table.path == script.path);
        let fields = tables.filter_map(|table| script.node(table.span)?.parent()).map(span);
        let used: Vec<Span> = self.edits[unit].spans().into_iter().chain(fields).chain([span(connect)]).collect();
        let mut build = build::of_this(script, server, &used)?;
        build.variable = free_name(script, &[&build.variable, "server", "requestServer"]);
        Ok(Some(Own { unit, connects: vec![span(connect)], build }))
    }

    /// The variable of the server that is connected, where it outlives the request.
    fn shared_server(&self, unit: usize, connect: Node<'w>, step: &Transport) -> Option<SymbolId> {
        let function = enclosing_function(connect).filter(|_| self.runs(unit, connect))?;
        let server = receiver(connect).filter(|server| server.kind() == "identifier")?;
        let shared = !self.sessionless_already(unit, function)
            && self.receiver_outlives(unit, connect, step)
            && self.built_there(unit, server, function).is_none();
        self.world.units[unit].symbol(server).filter(|_| shared)
    }

    /// Where the server of a variable comes from; `None` where it may be one of several.
    fn origin(&self, unit: usize, symbol: SymbolId, step: &Transport) -> Option<Origin> {
        let file = &self.world.units[unit];
        let (path, known) = (&file.script.path, file.module.symbol(symbol));
        let made_here = |origin: &&Origin| {
            let init = known.init.map(|init| file.module.expr(init).span);
            origin.server.path == *path && init.is_some_and(|init| init.contains(origin.server.span))
        };
        let mut candidates: Vec<&Origin> = match known.kind {
            SymbolKind::Parameter => step.servers.iter().filter(|origin| !origin.handed.is_empty()).collect(),
            SymbolKind::Import(_) => {
                let imports = |origin: &&Origin| origin.importers.iter().any(|site| site.path == *path);
                step.servers.iter().filter(imports).collect()
            }
            _ => step.servers.iter().filter(made_here).collect(),
        };
        candidates.dedup();
        match (candidates.as_slice(), known.kind) {
            ([only], _) => {
                let live =
                    |site: &&Site| self.world.unit(&site.path).is_none_or(|at| !self.edits[at].covers(site.span));
                Some(Origin { handed: only.handed.iter().filter(live).cloned().collect(), ..(*only).clone() })
            }
            // A function makes it, which can be called again.
            ([], SymbolKind::Variable { .. }) => Some(Origin {
                server: Site { path: path.clone(), span: known.span },
                registrars: Vec::new(),
                importers: Vec::new(),
                handed: Vec::new(),
            }),
            _ => None,
        }
    }

    /// How the server of a connection is built for the request: the variable and the expression.
    pub(super) fn built_for(&self, unit: usize, connect: Node<'w>) -> Option<(String, String)> {
        let own = self.own_servers.iter().find(|own| own.unit == unit && own.connects.contains(&span(connect)))?;
        Some((own.build.variable.clone(), own.build.call.clone()))
    }

    /// Statements of a file that closed a server that all sessions shared.
    pub(super) fn closed_servers(&self, unit: usize) -> Vec<Node<'w>> {
        let closed = self.own_servers.iter().filter(|own| own.unit == unit).flat_map(|own| &own.build.closed);
        closed.filter_map(|at| self.world.units[unit].script.node(*at)).map(statement).collect()
    }

    /// Puts functions that build servers in the place of the servers themselves.
    pub(super) fn move_servers(&mut self) -> Result<(), Refused> {
        for own in std::mem::take(&mut self.own_servers) {
            let script = &self.world.units[own.unit].script;
            for at in &own.build.gone {
                if let Some(gone) = script.node(*at) {
                    self.remove(own.unit, gone);
                }
            }
            if let Some(open) = own.build.closed.iter().find(|at| !self.edits[own.unit].covers(**at)) {
                return Err(Refused {
                    at: Site { path: script.path.clone(), span: *open },
                    why: "the server that all sessions share is closed here".to_owned(),
                    todo: "take this away: each request closes its own server".to_owned(),
                    also: Vec::new(),
                });
            }
            if own.build.drops_comment {
                self.raise("A comment that spoke of one server for all is gone.");
            }
            for change in own.build.changes {
                self.move_in(change)?;
            }
        }
        Ok(())
    }

    /// Takes a change over, where nothing else changes the same code.
    fn move_in(&mut self, change: Change) -> Result<(), Refused> {
        let Some(unit) = self.world.unit(&change.path) else {
            self.elsewhere.push(change);
            return Ok(());
        };
        let file = &self.world.units[unit];
        let of_sessions =
            |(at, fact): (&Span, &Fact)| matches!(fact, Fact::Absent | Fact::Table) && change.span.contains(*at);
        if self.edits[unit].crosses(change.span) || file.facts.iter().any(of_sessions) {
            return Err(Refused {
                at: Site { path: change.path, span: change.span },
                why: "the server that all sessions share is made here, among code about sessions".to_owned(),
                todo: "build the server in a function of its own, and call that in the handler of each request"
                    .to_owned(),
                also: Vec::new(),
            });
        }
        self.edits[unit].replace(change.span, change.text);
        Ok(())
    }
}

/// What a call connects.
fn receiver(connect: Node<'_>) -> Option<Node<'_>> {
    connect.child_by_field_name("function").and_then(|callee| callee.child_by_field_name("object")).map(bare)
}
