//! What follows from the written program alone, found once and looked up again and again: what classes extend, which methods they
//! have, what imports bind.

use std::cell::RefCell;
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

impl Flow<'_> {
    /// What a class extends, as far as it is written as a name.
    pub fn bases(&self, class: ClassRef) -> Rc<[Base]> {
        if let Some(known) = self.looked_up.bases.borrow().get(&class) {
            return Rc::clone(known);
        }
        let found: Rc<[Base]> = self.find_bases(class).into();
        self.looked_up.bases.borrow_mut().insert(class, Rc::clone(&found));
        found
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
        if !self.looked_up.linked {
            return self.find_method(class, name, is_static);
        }
        let key = (class, name, is_static);
        if let Some(known) = self.looked_up.methods.borrow().get(&key) {
            return *known;
        }
        let found = self.find_method(class, name, is_static);
        self.looked_up.methods.borrow_mut().insert(key, found);
        found
    }

    /// All methods that a call on an instance may run.
    pub fn methods_of(&self, class: ClassRef, name: Name) -> Rc<[FuncRef]> {
        if !self.looked_up.linked {
            return self.find_methods(class, name).into();
        }
        if let Some(known) = self.looked_up.overridden.borrow().get(&(class, name)) {
            return Rc::clone(known);
        }
        let found: Rc<[FuncRef]> = self.find_methods(class, name).into();
        self.looked_up.overridden.borrow_mut().insert((class, name), Rc::clone(&found));
        found
    }

    /// What a module exports under a name, through re-exports.
    pub fn export(&self, module: u32, name: Name) -> Option<Target> {
        if let Some(known) = self.looked_up.exports.borrow().get(&(module, name)) {
            return *known;
        }
        let found = self.export_within(module, name, 0);
        self.looked_up.exports.borrow_mut().insert((module, name), found);
        found
    }

    /// What an import binds.
    pub fn import(&self, module: u32, index: u32) -> Option<Target> {
        if let Some(known) = self.looked_up.imports.borrow().get(&(module, index)) {
            return *known;
        }
        let found = self.import_within(module, index, 0);
        self.looked_up.imports.borrow_mut().insert((module, index), found);
        found
    }
}
