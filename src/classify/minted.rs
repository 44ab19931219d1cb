//! Handles that a tool makes up in silence: a new one where none was given, or one that it does not know taken as new.

use std::cell::OnceCell;

use rustc_hash::FxHashSet;

use super::registries::argument_name;
use super::signals::Registry;
use super::stores::Analysis;
use crate::model::facts::{AssignKind, Choice, ExprId, ExprKind};
use crate::model::flow::Flow;
use crate::model::flow::value::{ObjId, Value};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef, Sort};
use crate::model::vocabulary::Op;

/// When a handle is made up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// The call gave none.
    NoneGiven,
    /// The call gave one that the registry does not have.
    Unknown,
}

/// A handle that is made up in silence.
#[derive(Clone, Copy, Debug)]
pub struct Minted {
    /// Where.
    pub at: ExprRef,
    /// The argument, as the tool takes it.
    pub argument: Name,
    /// When.
    pub when: When,
}

/// All of them, for the registries of a program. A container in which nobody puts what was minted is none: the caller's own names and
/// keys may well be new.
pub(super) fn find(analysis: &Analysis<'_>, registries: &[Registry]) -> Vec<Minted> {
    let mut out: Vec<Minted> = Vec::new();
    for registry in registries {
        let looker = Looker { analysis, flow: &analysis.flow, object: registry.object, uses: OnceCell::new() };
        let absent = looker.none_given();
        // Where one is made up for want of an argument, the same call is what takes it as new.
        let known: FxHashSet<FuncRef> = absent.iter().map(|minted| analysis.flow.program.func_of(minted.at)).collect();
        let unknown = looker.unknown().into_iter().filter(|m| !known.contains(&analysis.flow.program.func_of(m.at)));
        for minted in absent.into_iter().chain(unknown) {
            if !out.iter().any(|other| other.at == minted.at) {
                out.push(minted);
            }
        }
    }
    out
}

/// What a use of a registry does with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    Looks,
    Puts,
    Creates,
}

/// Looks at the uses of one registry.
struct Looker<'a, 'p> {
    analysis: &'a Analysis<'p>,
    flow: &'a Flow<'p>,
    object: ObjId,
    /// Its uses by key, once somebody asks: where, the key, and what is done.
    uses: OnceCell<Vec<(ExprRef, ExprRef, Use)>>,
}

impl Looker<'_, '_> {
    /// `basket_id ?? randomUUID()`, as the key of what is looked up, where no answer tells the new one.
    fn none_given(&self) -> Vec<Minted> {
        let minted = |at: ExprRef| {
            let (given, random) = self.alternatives(at)?;
            let func = self.flow.program.func_of(at);
            let used = self.keys().iter().any(|(used, key, how)| {
                *how != Use::Puts
                    && self.flow.at(*key).contains(&random)
                    && self.is_argument(*key)
                    && self.shares(func, *used)
            });
            (self.is_handler(func) && used && !self.is_told(func, random))
                .then(|| self.named(at, given, When::NoneGiven))
                .flatten()
        };
        self.flow.program.exprs_of([Sort::Either, Sort::Assign]).filter_map(minted).collect()
    }

    /// The argument and the random id of an expression that takes the one or else the other.
    fn alternatives(&self, at: ExprRef) -> Option<(ExprRef, Value)> {
        let here = |id| At { module: at.module, id };
        let (given, otherwise) = match self.flow.program.kind(at) {
            ExprKind::Either { arms, choice: Choice::Coalesce | Choice::Default | Choice::Branch, .. } => {
                let [first, second] = arms[..] else { return None };
                let (first, second) = (here(first), here(second));
                if self.random(first).is_some() { (second, first) } else { (first, second) }
            }
            ExprKind::Assign { target, value, kind: AssignKind::IfAbsent } => (here(*target), here(*value)),
            ExprKind::Assign { target, value, kind: AssignKind::Set } if self.is_where_absent(at, *target) => {
                (here(*target), here(*value))
            }
            _ => return None,
        };
        let random = self.random(otherwise)?;
        (self.is_argument(given) && !self.is_argument(otherwise)).then_some((given, random))
    }

    fn random(&self, at: ExprRef) -> Option<Value> {
        self.flow.at(at).iter().copied().find(|value| matches!(value, Value::Random(_)))
    }

    /// Whether an assignment stands where a branch found its target absent: `if (!id) id = …`, `if id is None: id = …`.
    fn is_where_absent(&self, at: ExprRef, target: ExprId) -> bool {
        let facts = self.flow.program.module(at.module);
        let ExprKind::Symbol(symbol) = facts.kind(target) else { return false };
        let same = |id: ExprId| matches!(facts.kind(id), ExprKind::Symbol(other) if other == symbol);
        let span = facts.expr(at.id).span;
        self.flow.branches_about(at).any(|branch| {
            let absent = match facts.kind(branch.condition) {
                ExprKind::Opaque(children) => matches!(children.as_slice(), [only] if same(*only)),
                ExprKind::Compare { operator, left, right } => {
                    is_equality(operator.text()) && self.is_nothing(at.module, *right) && same(*left)
                }
                _ => false,
            };
            branch.then.contains(span) && absent
        })
    }

    /// Whether what a handler answers has the random id in it.
    fn is_told(&self, func: FuncRef, random: Value) -> bool {
        let holds = |at: ExprRef| {
            self.flow.at(at).iter().any(|value| match value {
                Value::Object(id) => self.flow.fields(*id).iter().any(|(_, values)| values.contains(&random)),
                other => *other == random,
            })
        };
        let handlers = self.analysis.lives.handlers_of.get(&func).into_iter().flatten();
        handlers.flat_map(|handler| crate::model::reach::reach(self.flow, *handler)).any(|func| {
            let facts = self.flow.program.module(func.module);
            facts.function(func.id).returns.iter().any(|returned| {
                let span = facts.expr(*returned).span;
                self.flow.exprs_within(func.module, span).any(|id| holds(At { module: func.module, id }))
            })
        })
    }

    /// What puts an entry under an argument of which it was just found that there is none.
    fn unknown(&self) -> Vec<Minted> {
        let minted = |&(at, key, how): &(ExprRef, ExprRef, Use)| {
            let func = self.flow.program.func_of(at);
            if !self.is_handler(func) || !self.is_argument(key) || self.random(key).is_some() {
                return None;
            }
            let accepts = match how {
                Use::Creates => true,
                Use::Puts => self.is_put_where_unknown(at) || self.puts_what_was_looked_up_or_new(at),
                Use::Looks => false,
            };
            accepts.then(|| self.named(at, key, When::Unknown)).flatten()
        };
        self.keys().iter().filter_map(minted).collect()
    }

    /// `if (!baskets.has(id)) baskets.set(id, [])`.
    fn is_put_where_unknown(&self, put: ExprRef) -> bool {
        let facts = self.flow.program.module(put.module);
        let span = facts.expr(put.id).span;
        let new = self.written(put).is_some_and(|value| self.is_new(value, 3));
        new && self.flow.branches_about(put).any(|branch| match self.asks_for_absence(put.module, branch.condition) {
            Some(true) => branch.then.contains(span),
            Some(false) => branch.otherwise.is_some_and(|otherwise| otherwise.contains(span)),
            None => false,
        })
    }

    /// Whether a condition holds for an entry that is not there (`Some(true)`), or for one that is.
    fn asks_for_absence(&self, module: u32, condition: ExprId) -> Option<bool> {
        let facts = self.flow.program.module(module);
        let here = |id| At { module, id };
        match facts.kind(condition) {
            ExprKind::Opaque(children) => match children[..] {
                [only] => self.asks_for_absence(module, only).map(|absent| !absent),
                _ => None,
            },
            ExprKind::Compare { operator, left, right } if self.is_nothing(module, *right) => {
                let looked_up = self.is_looked_up(here(*left), 2);
                looked_up.then(|| is_equality(operator.text()))
            }
            _ => self.is_looked_up(here(condition), 2).then_some(false),
        }
    }

    /// Whether an expression is what the registry has under an argument, or whether it has anything.
    fn is_looked_up(&self, at: ExprRef, steps: u32) -> bool {
        if let ExprKind::Symbol(id) = self.flow.program.kind(at) {
            let init = self.flow.program.module(at.module).symbol(*id).init;
            return steps > 0 && init.is_some_and(|id| self.is_looked_up(At { module: at.module, id }, steps - 1));
        }
        self.used(at).is_some_and(|(key, how)| how == Use::Looks && self.is_argument(key))
    }

    /// `const basket = baskets.get(id) ?? []`, and `basket` is put back.
    fn puts_what_was_looked_up_or_new(&self, put: ExprRef) -> bool {
        let Some(mut value) = self.written(put) else { return false };
        if let ExprKind::Symbol(id) = self.flow.program.kind(value) {
            let Some(init) = self.flow.program.module(value.module).symbol(*id).init else { return false };
            value = At { module: value.module, id: init };
        }
        let ExprKind::Either { arms, choice: Choice::Coalesce | Choice::Default, .. } = self.flow.program.kind(value)
        else {
            return false;
        };
        let [first, second] = arms[..] else { return false };
        let here = |id| At { module: value.module, id };
        self.is_looked_up(here(first), 0) && self.is_new(here(second), 3)
    }

    /// Whether a value is made on the spot and of nothing that the argument leads to: an entry that is loaded by it is known elsewhere.
    fn is_new(&self, at: ExprRef, steps: u32) -> bool {
        let facts = self.flow.program.module(at.module);
        let here = |id| At { module: at.module, id };
        match facts.kind(at.id) {
            ExprKind::Symbol(id) => {
                steps > 0 && facts.symbol(*id).init.is_some_and(|id| self.is_new(here(id), steps - 1))
            }
            ExprKind::Cast { value, .. } => steps > 0 && self.is_new(here(*value), steps - 1),
            ExprKind::Literal | ExprKind::Text(_) | ExprKind::New { .. } => true,
            ExprKind::Object(_) | ExprKind::Sequence(_) => {
                let span = facts.expr(at.id).span;
                let loads = |id: ExprId| match facts.kind(id) {
                    ExprKind::Call { args, .. } => args.iter().any(|arg| self.is_argument(here(arg.value))),
                    _ => false,
                };
                !self.flow.exprs_within(at.module, span).any(loads)
            }
            ExprKind::Call { callee, args } => {
                args.is_empty()
                    && (matches!(facts.kind(*callee), ExprKind::Global(_))
                        || self.flow.at(here(*callee)).iter().any(|value| matches!(value, Value::Class(_))))
            }
            _ => false,
        }
    }

    /// What is put by a call or an assignment.
    fn written(&self, put: ExprRef) -> Option<ExprRef> {
        let facts = self.flow.program.module(put.module);
        match facts.kind(put.id) {
            ExprKind::Call { .. } => self.flow.argument(put, 1),
            ExprKind::Index { .. } => match facts.kind(facts.expr(put.id).parent?) {
                ExprKind::Assign { value, .. } => Some(At { module: put.module, id: *value }),
                _ => None,
            },
            _ => None,
        }
    }

    /// Every use of the registry by key.
    fn keys(&self) -> &[(ExprRef, ExprRef, Use)] {
        self.uses.get_or_init(|| {
            let all = self.flow.program.exprs_of([Sort::Index, Sort::Contains, Sort::Call]);
            all.filter_map(|at| self.used(at).map(|(key, how)| (at, key, how))).collect()
        })
    }

    /// The key of a use, and what the use does.
    fn used(&self, at: ExprRef) -> Option<(ExprRef, Use)> {
        let facts = self.flow.program.module(at.module);
        let here = |id| At { module: at.module, id };
        let is_it = |at: ExprRef| self.flow.at(at).contains(&Value::Object(self.object));
        match facts.kind(at.id) {
            ExprKind::Index { object, key } if is_it(here(*object)) => {
                let parent = facts.expr(at.id).parent.map(|parent| facts.kind(parent));
                let how = match parent {
                    Some(ExprKind::Assign { target, kind, .. }) if *target == at.id => match kind {
                        AssignKind::IfAbsent => Use::Creates,
                        _ => Use::Puts,
                    },
                    Some(ExprKind::Delete { .. }) => return None,
                    _ if self.flow.creates_on_read(self.object) => Use::Creates,
                    _ => Use::Looks,
                };
                Some((here(*key), how))
            }
            ExprKind::Contains { haystack, needle } if is_it(here(*haystack)) => Some((here(*needle), Use::Looks)),
            ExprKind::Call { args, .. } => {
                let key = here(args.first()?.value);
                let performed = self.flow.performed(at).iter().copied().find(|p| p.object == Some(self.object))?;
                let how = match performed.op {
                    Op::Get | Op::Has => Use::Looks,
                    Op::Put => Use::Puts,
                    Op::GetOrInsert => Use::Creates,
                    _ => return None,
                };
                Some((key, how))
            }
            _ => None,
        }
    }

    fn is_nothing(&self, module: u32, id: ExprId) -> bool {
        self.flow.at(At { module, id }) == [Value::Absent]
    }

    fn is_argument(&self, at: ExprRef) -> bool {
        self.flow.at(at).iter().any(|value| matches!(value, Value::Argument(_)))
    }

    fn is_handler(&self, func: FuncRef) -> bool {
        self.analysis.lives.handler_reach.contains(&func)
    }

    /// Whether a handler that runs a function also uses the registry at a place.
    fn shares(&self, func: FuncRef, at: ExprRef) -> bool {
        let handlers_of = &self.analysis.lives.handlers_of;
        let (Some(one), Some(other)) = (handlers_of.get(&func), handlers_of.get(&self.flow.program.func_of(at))) else {
            return false;
        };
        one.iter().any(|handler| other.contains(handler))
    }

    fn named(&self, at: ExprRef, given: ExprRef, when: When) -> Option<Minted> {
        let argument = argument_name(self.analysis, given)?;
        (!is_chosen_by_users(argument.text())).then_some(Minted { at, argument, when })
    }
}

/// Whether an argument is a name that people give to things, which may well be new.
fn is_chosen_by_users(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["name", "key", "path", "file", "project", "title", "label", "slug", "url", "uri", "topic", "user", "tag"]
        .iter()
        .any(|word| name.contains(word))
}

/// Whether an operator asks whether two things are the same: `==`, `===`, `is`.
fn is_equality(operator: &str) -> bool {
    matches!(operator, "==" | "===" | "is")
}
