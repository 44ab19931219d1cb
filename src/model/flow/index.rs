//! What questions to a solved program look up again and again, found once.

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use super::value::{ObjId, Value};
use super::{Flow, Owner};
use crate::model::facts::{Branch, ClassId, ExprId, ExprKind, FuncId, Span, SymbolId};
use crate::model::name::Name;
use crate::model::program::{At, ClassRef, ExprRef, FuncRef, SymbolRef};

/// What the methods of classes touch, by class and field.
type OwnFields = FxHashMap<(ClassId, Name), Vec<ExprId>>;

/// Filled by the first question of each kind.
pub(super) struct Index {
    /// For each module: uses of its symbols, sorted.
    uses: Vec<OnceCell<Vec<(SymbolId, ExprId)>>>,
    /// For each module: what its classes' methods touch of their own fields, in the order of the source.
    own_fields: Vec<OnceCell<OwnFields>>,
    /// For each module: its expressions by where they begin.
    starts: Vec<OnceCell<Vec<(u32, ExprId)>>>,
    /// For each module: its assignments, by the function that they stand in.
    assignments: Vec<OnceCell<Assignments>>,
    /// For each module: its branches in the order of the source, by the function that they stand in.
    branches: Vec<OnceCell<Branches>>,
    /// Objects by what is in their fields.
    holders: OnceCell<FxHashMap<ObjId, Vec<ObjId>>>,
}

/// Assignments by function.
type Assignments = FxHashMap<FuncId, Vec<ExprId>>;

/// Places of branches among those of their module, by function.
type Branches = FxHashMap<FuncId, Vec<u32>>;

/// One cell for each module.
fn cells<T>(modules: usize) -> Vec<OnceCell<T>> {
    std::iter::repeat_with(OnceCell::new).take(modules).collect()
}

impl Index {
    pub(super) fn new(modules: usize) -> Self {
        Self {
            uses: cells(modules),
            own_fields: cells(modules),
            starts: cells(modules),
            assignments: cells(modules),
            branches: cells(modules),
            holders: OnceCell::new(),
        }
    }
}

impl Flow<'_> {
    /// All uses of a symbol.
    pub fn uses(&self, symbol: SymbolRef) -> impl Iterator<Item = ExprRef> + '_ {
        let uses = self.index.uses[symbol.module as usize].get_or_init(|| self.uses_in(symbol.module));
        let first = uses.partition_point(|(used, _)| *used < symbol.id);
        let own = uses[first..].iter().take_while(move |(used, _)| *used == symbol.id);
        own.map(move |(_, id)| At { module: symbol.module, id: *id })
    }

    fn uses_in(&self, module: u32) -> Vec<(SymbolId, ExprId)> {
        let facts = self.program.module(module);
        let used = |id: ExprId| match facts.kind(id) {
            ExprKind::Symbol(symbol) => Some((*symbol, id)),
            _ => None,
        };
        let mut uses: Vec<(SymbolId, ExprId)> = facts.expr_ids().filter_map(used).collect();
        uses.sort_unstable();
        uses
    }

    /// Where the methods of a class touch one of its fields by `this.name`.
    pub fn own_field_uses(&self, class: ClassRef, name: Name) -> impl Iterator<Item = ExprRef> + '_ {
        let uses = self.index.own_fields[class.module as usize].get_or_init(|| self.own_field_uses_in(class.module));
        let own = uses.get(&(class.id, name)).into_iter().flatten();
        own.map(move |id| At { module: class.module, id: *id })
    }

    fn own_field_uses_in(&self, module: u32) -> FxHashMap<(ClassId, Name), Vec<ExprId>> {
        let facts = self.program.module(module);
        let mut uses: FxHashMap<(ClassId, Name), Vec<ExprId>> = FxHashMap::default();
        for id in facts.expr_ids() {
            if let ExprKind::Member { object, name } = facts.kind(id)
                && let ExprKind::This(Some(class)) = facts.kind(*object)
            {
                uses.entry((*class, *name)).or_default().push(id);
            }
        }
        uses
    }

    /// The expressions of a module that lie within a span.
    pub fn exprs_within(&self, module: u32, span: Span) -> impl Iterator<Item = ExprId> + '_ {
        let facts = self.program.module(module);
        let starts = self.index.starts[module as usize].get_or_init(|| {
            let mut starts: Vec<(u32, ExprId)> = facts.expr_ids().map(|id| (facts.expr(id).span.start, id)).collect();
            starts.sort_unstable();
            starts
        });
        let first = starts.partition_point(|(start, _)| *start < span.start);
        let begun = starts[first..].iter().take_while(move |(start, _)| *start <= span.end);
        begun.map(|(_, id)| *id).filter(move |id| span.contains(facts.expr(*id).span))
    }

    /// The branches of a function, without those of functions in it.
    pub fn branches_in(&self, func: FuncRef) -> impl Iterator<Item = &Branch> + '_ {
        let facts = self.program.module(func.module);
        let branches = self.index.branches[func.module as usize].get_or_init(|| {
            let mut found = Branches::default();
            for (at, branch) in (0u32..).zip(&facts.branches) {
                found.entry(branch.func).or_default().push(at);
            }
            found
        });
        branches.get(&func.id).into_iter().flatten().map(|at| &facts.branches[*at as usize])
    }

    /// The branches of the function that an expression is code of, and of the functions around that: those that decide whether it runs,
    /// or that ask for it, are among them.
    pub fn branches_about(&self, at: ExprRef) -> impl Iterator<Item = &Branch> + '_ {
        let parent = move |func: &FuncId| self.program.module(at.module).function(*func).parent;
        let around = std::iter::successors(Some(self.program.expr(at).func), parent);
        around.flat_map(move |id| self.branches_in(At { module: at.module, id }))
    }

    /// The assignments of a function, without those of functions in it.
    pub fn assignments_in(&self, func: FuncRef) -> &[ExprId] {
        self.assignments(func.module).get(&func.id).map(Vec::as_slice).unwrap_or_default()
    }

    /// All assignments of a module.
    pub fn assignments_of(&self, module: u32) -> impl Iterator<Item = ExprId> + '_ {
        self.assignments(module).values().flatten().copied()
    }

    fn assignments(&self, module: u32) -> &Assignments {
        self.index.assignments[module as usize].get_or_init(|| {
            let facts = self.program.module(module);
            let mut found = Assignments::default();
            for id in facts.expr_ids().filter(|id| matches!(facts.kind(*id), ExprKind::Assign { .. })) {
                found.entry(facts.expr(id).func).or_default().push(id);
            }
            found
        })
    }

    /// The objects in whose fields an object is; only to be asked once everything is solved.
    pub(in crate::model) fn owners_of(&self, id: ObjId) -> &[ObjId] {
        let holders = self.index.holders.get_or_init(|| self.all_owners());
        holders.get(&id).map(Vec::as_slice).unwrap_or_default()
    }

    fn all_owners(&self) -> FxHashMap<ObjId, Vec<ObjId>> {
        let mut holders: FxHashMap<ObjId, Vec<ObjId>> = FxHashMap::default();
        for (owner, names) in &self.field_names {
            let Owner::Object(own) = owner else { continue };
            for name in names {
                let Some(node) = self.known_field(*owner, *name) else { continue };
                for value in self.values(node) {
                    if let Value::Object(held) = value
                        && held != own
                    {
                        let known = holders.entry(*held).or_default();
                        if known.last() != Some(own) {
                            known.push(*own);
                        }
                    }
                }
            }
        }
        holders
    }
}
