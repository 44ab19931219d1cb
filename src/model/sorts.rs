//! Expressions by what they are. Most questions to a program are about its calls, or its comparisons: few of all expressions.

use super::facts::{ExprId, ExprKind, Module};
use super::program::{At, ExprRef};

/// What a question to a whole program may be about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// [`ExprKind::Symbol`].
    Symbol,
    /// [`ExprKind::Member`].
    Member,
    /// [`ExprKind::Index`].
    Index,
    /// [`ExprKind::Call`].
    Call,
    /// [`ExprKind::New`].
    New,
    /// [`ExprKind::Text`].
    Text,
    /// [`ExprKind::Either`].
    Either,
    /// [`ExprKind::Object`].
    Object,
    /// [`ExprKind::Assign`].
    Assign,
    /// [`ExprKind::Delete`].
    Delete,
    /// [`ExprKind::Compare`].
    Compare,
    /// [`ExprKind::Contains`].
    Contains,
    /// [`ExprKind::Require`].
    Require,
}

/// How many sorts there are.
const SORTS: usize = Sort::Require as usize + 1;

impl Sort {
    /// The sort of an expression, if anything asks for it.
    fn of(kind: &ExprKind) -> Option<Self> {
        Some(match kind {
            ExprKind::Symbol(_) => Self::Symbol,
            ExprKind::Member { .. } => Self::Member,
            ExprKind::Index { .. } => Self::Index,
            ExprKind::Call { .. } => Self::Call,
            ExprKind::New { .. } => Self::New,
            ExprKind::Text(_) => Self::Text,
            ExprKind::Either { .. } => Self::Either,
            ExprKind::Object(_) => Self::Object,
            ExprKind::Assign { .. } => Self::Assign,
            ExprKind::Delete { .. } => Self::Delete,
            ExprKind::Compare { .. } => Self::Compare,
            ExprKind::Contains { .. } => Self::Contains,
            ExprKind::Require(_) => Self::Require,
            _ => return None,
        })
    }
}

/// Up to 64 expressions of a module that come one after the other.
#[derive(Debug)]
struct Block {
    module: u32,
    /// The first of them.
    first: u32,
    /// For each sort, a bit for each of them.
    of: [u64; SORTS],
}

/// The expressions of a program by sort. One bit for each keeps them in the order of the program, whichever sorts are asked for.
#[derive(Debug)]
pub(super) struct Sorts(Vec<Block>);

impl Sorts {
    pub(super) fn new(modules: &[Module]) -> Self {
        let mut blocks = Vec::new();
        for (module, facts) in (0u32..).zip(modules) {
            for (first, exprs) in (0u32..).step_by(64).zip(facts.exprs.chunks(64)) {
                let mut of = [0; SORTS];
                for (bit, expr) in exprs.iter().enumerate() {
                    if let Some(sort) = Sort::of(&expr.kind) {
                        of[sort as usize] |= 1 << bit;
                    }
                }
                blocks.push(Block { module, first, of });
            }
        }
        Self(blocks)
    }

    /// The expressions that are of one of some sorts.
    pub(super) fn all<const N: usize>(&self, sorts: [Sort; N]) -> impl Iterator<Item = ExprRef> + '_ {
        self.0.iter().flat_map(move |block| {
            let of = sorts.iter().fold(0, |of, sort| of | block.of[*sort as usize]);
            bits(of).map(|bit| At { module: block.module, id: ExprId(block.first + bit) })
        })
    }
}

/// The places of the ones of a word, from the lowest upwards.
fn bits(word: u64) -> impl Iterator<Item = u32> {
    let rest = |left: &u64| Some(left & (left - 1)).filter(|left| *left != 0);
    std::iter::successors(Some(word).filter(|word| *word != 0), rest).map(u64::trailing_zeros)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::facts::{Expr, Language, Span, TOP};
    use crate::model::name::Name;

    fn module(kinds: impl Iterator<Item = ExprKind>) -> Module {
        let expr = |kind| Expr { kind, span: Span::default(), func: TOP, parent: None };
        Module { exprs: kinds.map(expr).collect(), ..Module::empty(Language::Python) }
    }

    /// What is a text at every third place, absent at every second of the others, and else a literal.
    fn kind(at: u32) -> ExprKind {
        match at {
            at if at % 3 == 0 => ExprKind::Text(Name::new("text")),
            at if at % 2 == 0 => ExprKind::Require(Name::new("package")),
            _ => ExprKind::Literal,
        }
    }

    #[test]
    fn all_of_a_sort_are_found_in_order() {
        let modules = [module((0..130).map(kind)), module(std::iter::empty()), module((0..64).map(kind))];
        let sorts = Sorts::new(&modules);
        let among = |wanted: fn(&ExprKind) -> bool| -> Vec<ExprRef> {
            let of = |(module, facts): (u32, &Module)| -> Vec<ExprRef> {
                facts.expr_ids().filter(|id| wanted(facts.kind(*id))).map(|id| At { module, id }).collect()
            };
            (0u32..).zip(&modules).flat_map(of).collect()
        };
        let texts: Vec<ExprRef> = sorts.all([Sort::Text]).collect();
        assert_eq!(texts, among(|kind| matches!(kind, ExprKind::Text(_))));
        let both: Vec<ExprRef> = sorts.all([Sort::Require, Sort::Text]).collect();
        assert_eq!(both, among(|kind| matches!(kind, ExprKind::Text(_) | ExprKind::Require(_))));
        assert_eq!(sorts.all([Sort::Call]).count(), 0);
    }
}
