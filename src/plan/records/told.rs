//! Which mentions of a record belong together, and what they are for.

use super::parts::{KEEP, Linker, Mentions, Node, Part, Parts, of_symbol};
use crate::classify::access::Kind;
use crate::model::facts::{ExprKind, TOP};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef};
use crate::plan::handle::Problem;

impl Linker<'_, '_, '_> {
    /// The mentions, as they belong together.
    pub(super) fn gathered(&self, all: &[ExprRef]) -> Vec<Mentions> {
        let flow = &self.context.analysis.flow;
        let mut out: Vec<(Node, Mentions)> = Vec::new();
        let mut slot = |node: Node| {
            let root = self.root(node);
            match out.iter().position(|(known, _)| *known == root) {
                Some(index) => index,
                None => {
                    out.push((root, Mentions::default()));
                    out.len() - 1
                }
            }
        };
        let places: Vec<usize> = all.iter().map(|at| slot(self.node(*at))).collect();
        let fields: Vec<usize> = self.fields.iter().map(|(node, ..)| slot(*node)).collect();
        for (index, (_, name, at)) in fields.into_iter().zip(&self.fields) {
            out[index].1.fields.push((*name, *at));
        }
        for (at, index) in all.iter().zip(places) {
            let mentions = &mut out[index].1;
            mentions.all.push(*at);
            match flow.program.kind(*at) {
                ExprKind::Symbol(symbol) => {
                    let symbol = of_symbol(*at, *symbol);
                    if !mentions.symbols.contains(&symbol) {
                        mentions.symbols.push(symbol);
                    }
                }
                ExprKind::Element { of, .. } => {
                    mentions.loops = true;
                    mentions.tables.extend(self.table(At { module: at.module, id: *of }));
                }
                _ => {}
            }
            if let Some(access) = self.access(*at).filter(|access| access.kind == Kind::Read) {
                mentions.reads.push(*at);
                mentions.tables.push(access.receiver);
            }
        }
        for (node, mentions) in &mut out {
            let answers = self.leads.keys().chain([&*node]).filter_map(|other| match other {
                Node::Answer(func) if self.root(*other) == *node => Some(*func),
                _ => None,
            });
            mentions.functions.extend(answers);
            mentions.functions.sort_unstable();
            mentions.functions.dedup();
        }
        out.into_iter().map(|(_, mentions)| mentions).collect()
    }

    /// The mention of the table that a loop goes over.
    fn table(&self, of: ExprRef) -> Option<ExprRef> {
        let flow = &self.context.analysis.flow;
        if flow.objects_at(of).any(|id| self.found.objects.contains(&id)) {
            return Some(of);
        }
        let ExprKind::Call { callee, args } = flow.program.kind(of) else { return None };
        let ExprKind::Member { object, name } = flow.program.kind(At { module: of.module, id: *callee }) else {
            return None;
        };
        let object = At { module: of.module, id: *object };
        let viewed = args.is_empty() && matches!(name.text(), "values" | "entries");
        (viewed && flow.objects_at(object).any(|id| self.found.objects.contains(&id))).then_some(object)
    }

    /// Decides what each is for.
    pub(super) fn told(
        &self,
        state: Vec<Name>,
        ticks: Vec<ExprRef>,
        mut mentions: Vec<Mentions>,
    ) -> Result<Parts, Problem> {
        let mut apart = Vec::new();
        for one in &mut mentions {
            let (of_state, of_rest): (Vec<_>, Vec<_>) = one.fields.iter().partition(|(name, _)| state.contains(name));
            let in_tools = one.all.iter().any(|at| self.by_tools(*at));
            one.part = Some(match (of_state.first(), of_rest.first()) {
                (Some(_), None) => Part::State,
                (None, None) if in_tools => Part::State,
                (None, None) => Part::Rest,
                (_, Some((name, at))) if in_tools => {
                    let why = format!("`{name}` of the record is used here, and tools lead here for its state");
                    return Err(self.stop(Some(*at), &why, "let tools use nothing but its state, and run again"));
                }
                (None, Some(_)) => Part::Rest,
                (Some((_, at)), Some(_)) => {
                    let read = one.reads.first().filter(|_| one.reads.len() == 1 && !one.loops);
                    let access = read.and_then(|read| self.access(*read)).copied();
                    let handed_on = one.symbols.len() > 1 || !one.functions.is_empty();
                    let Some(access) = access.filter(|access| !handed_on && self.is_steady(access.key)) else {
                        let why = "its state and its transport are used here in one go";
                        return Err(self.stop(Some(*at), why, "look its state up on its own here, and run again"));
                    };
                    apart.extend(of_state.iter().map(|(_, at)| (*at, access)));
                    Part::Rest
                }
            });
            let whence = one.reads.is_empty() && one.tables.is_empty();
            if one.part == Some(Part::State) && whence && !one.fields.is_empty() {
                let at = one.all.first().copied();
                return Err(self.stop(at, "the tools are handed the record, and no id leads to it", KEEP));
            }
        }
        Ok(Parts { state, mentions, ticks, apart })
    }

    /// Whether a key is a name: it means the same at the next statement.
    fn is_steady(&self, key: ExprRef) -> bool {
        let program = self.context.analysis.flow.program;
        matches!(program.kind(key), ExprKind::Symbol(symbol) if program.symbol(of_symbol(key, *symbol)).func != TOP)
    }
}
