//! What follows from the written program alone, found once and looked up again and again: what classes extend, which methods they
//! have, what imports bind.

use std::cell::RefCell;
use std::hash::Hash;
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Flow;
use super::types::{Base, Target};
use crate::model::name::Name;
use crate::model::program::{ClassRef, FuncRef};

/// Answers by question.
type Known<Q, A> = RefCell<FxHashMap<Q, A>>;

/// What was looked up before.
#[derive(Default)]
pub(super) struct LookedUp {
    bases: Known<ClassRef, Rc<[Base]>>,
    methods: Known<(ClassRef, Name, bool), Option<FuncRef>>,
    overridden: Known<(ClassRef, Name), Rc<[FuncRef]>>,
    imports: Known<(u32, u32), Option<Target>>,
    exports: Known<(u32, Name), Option<Target>>,
    /// Which classes continue and derive from which is known of all.
    pub(super) linked: bool,
}

/// The answer to a question, found when it is asked for the first time.
fn once<Q: Copy + Eq + Hash, A: Clone>(known: &Known<Q, A>, question: Q, find: impl FnOnce() -> A) -> A {
    if let Some(answer) = known.borrow().get(&question) {
        return answer.clone();
    }
    let answer = find();
    known.borrow_mut().insert(question, answer.clone());
    answer
}

impl Flow<'_> {
    /// What a class extends, as far as it is written as a name.
    pub fn bases(&self, class: ClassRef) -> Rc<[Base]> {
        once(&self.looked_up.bases, class, || self.find_bases(class).into())
    }

    /// The class of the program that a class extends.
    pub(super) fn parent(&self, class: ClassRef) -> Option<ClassRef> {
        self.bases(class).iter().find_map(|base| match base {
            Base::Class(class) => Some(*class),
            Base::External(..) => None,
        })
    }

    /// The method of a class under a name: its own, an ancestor's, or (for what a base leaves to them) its descendants'.
    pub fn method_of(&self, class: ClassRef, name: Name, is_static: bool) -> Option<FuncRef> {
        let find = || self.find_method(class, name, is_static);
        if self.looked_up.linked { once(&self.looked_up.methods, (class, name, is_static), find) } else { find() }
    }

    /// All methods that a call on an instance may run.
    pub fn methods_of(&self, class: ClassRef, name: Name) -> Rc<[FuncRef]> {
        let find = || self.find_methods(class, name).into();
        if self.looked_up.linked { once(&self.looked_up.overridden, (class, name), find) } else { find() }
    }

    /// What a module exports under a name, through re-exports.
    pub fn export(&self, module: u32, name: Name) -> Option<Target> {
        once(&self.looked_up.exports, (module, name), || self.export_within(module, name, 0))
    }

    /// What an import binds.
    pub fn import(&self, module: u32, index: u32) -> Option<Target> {
        once(&self.looked_up.imports, (module, index), || self.import_within(module, index, 0))
    }
}
