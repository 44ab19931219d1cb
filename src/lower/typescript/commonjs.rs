//! CommonJS: `require` and `module.exports` are ordinary names, so that what they mean is known only when scopes are.

use super::Lowerer;
use crate::model::facts::{Export, Exported, ExprId, ExprKind};
use crate::model::name::Name;

/// What looks like CommonJS, unless a local name shadows it.
#[derive(Default)]
pub(super) struct Candidates {
    /// A call, its callee and the specifier.
    requires: Vec<(ExprId, ExprId, Name)>,
    /// The expression that must be the global `module` or `exports`, the exported name and its value.
    exports: Vec<(ExprId, Name, ExprId)>,
}

impl Lowerer<'_> {
    /// Notes a call that may be a `require`.
    pub(super) fn note_require(&mut self, call: ExprId) {
        let ExprKind::Call { callee, args } = self.module.kind(call) else {
            return;
        };
        let [arg] = args.as_slice() else { return };
        let (ExprKind::Global(name), ExprKind::Text(specifier)) =
            (self.module.kind(*callee), self.module.kind(arg.value))
        else {
            return;
        };
        if *name == self.words.require {
            self.commonjs.requires.push((call, *callee, *specifier));
        }
    }

    /// Notes an assignment that may be an export.
    pub(super) fn note_export(&mut self, target: ExprId, value: ExprId) {
        let ExprKind::Member { object, name } = *self.module.kind(target) else {
            return;
        };
        let (root, name) = match *self.module.kind(object) {
            ExprKind::Global(of) if of == self.words.module && name == self.words.exports => {
                (object, self.words.equals)
            }
            ExprKind::Global(of) if of == self.words.exports => (object, name),
            ExprKind::Member { object: inner, name: exports } if exports == self.words.exports => {
                match *self.module.kind(inner) {
                    ExprKind::Global(of) if of == self.words.module => (inner, name),
                    _ => return,
                }
            }
            _ => return,
        };
        self.commonjs.exports.push((root, name, value));
    }

    /// Settles the candidates; names are resolved by now.
    pub(super) fn finish_commonjs(&mut self) {
        let candidates = std::mem::take(&mut self.commonjs);
        let is_global = |it: &Self, expr: ExprId| matches!(it.module.kind(expr), ExprKind::Global(_));
        for (call, callee, specifier) in candidates.requires {
            if is_global(self, callee) {
                self.module.exprs[call.index()].kind = ExprKind::Require(specifier);
            }
        }
        for (root, name, value) in candidates.exports {
            if is_global(self, root) {
                self.module.exports.push(Export { name, what: Exported::Value(value) });
            }
        }
    }
}
