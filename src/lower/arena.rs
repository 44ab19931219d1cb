//! What the front ends share about the arenas of a module.

use crate::model::facts::{ExprId, ExprKind, FuncKind, Function, Key, Language, Module, Span};

/// A module with nothing but its top-level function.
pub(super) fn empty_module(path: &str, language: Language, text: &str) -> Module {
    let top = Function {
        name: None,
        kind: FuncKind::Top,
        parent: None,
        class: None,
        is_static: false,
        params: Vec::new(),
        returns: Vec::new(),
        ret: None,
        decorators: Vec::new(),
        span: Span::new(0, text.len()),
        name_span: Span::default(),
        throws: Vec::new(),
    };
    Module {
        path: path.to_owned(),
        language,
        // About one expression for 12 bytes of source.
        exprs: Vec::with_capacity(text.len() / 12),
        symbols: Vec::new(),
        functions: vec![top],
        classes: Vec::new(),
        types: Vec::new(),
        type_decls: Vec::new(),
        imports: Vec::new(),
        exports: Vec::new(),
        branches: Vec::new(),
        type_args: Vec::new(),
        errors: Vec::new(),
    }
}

/// Calls `visit` for every direct child of an expression.
pub(super) fn each_child(kind: &ExprKind, mut visit: impl FnMut(ExprId)) {
    match kind {
        ExprKind::Symbol(_)
        | ExprKind::Global(_)
        | ExprKind::This(_)
        | ExprKind::Super(_)
        | ExprKind::Text(_)
        | ExprKind::Function(_)
        | ExprKind::Class(_)
        | ExprKind::Require(_)
        | ExprKind::Absent
        | ExprKind::Literal => {}
        ExprKind::Member { object: child, .. }
        | ExprKind::Element { of: child, .. }
        | ExprKind::Cast { value: child, .. }
        | ExprKind::Delete { target: child } => visit(*child),
        ExprKind::Index { object: a, key: b }
        | ExprKind::Assign { target: a, value: b, .. }
        | ExprKind::Compare { left: a, right: b, .. }
        | ExprKind::Contains { haystack: a, needle: b } => {
            visit(*a);
            visit(*b);
        }
        ExprKind::Call { callee, args } | ExprKind::New { callee, args } => {
            visit(*callee);
            args.iter().for_each(|arg| visit(arg.value));
        }
        ExprKind::Either { condition, arms, .. } => {
            condition.iter().chain(arms).for_each(|child| visit(*child));
        }
        ExprKind::Object(fields) => {
            for field in fields {
                if let Key::Computed(key) = field.key {
                    visit(key);
                }
                visit(field.value);
            }
        }
        ExprKind::Template(children) | ExprKind::Sequence(children) | ExprKind::Opaque(children) => {
            children.iter().for_each(|child| visit(*child));
        }
        ExprKind::Return(child) | ExprKind::Yield(child) | ExprKind::Throw(child) => {
            child.iter().for_each(|child| visit(*child));
        }
    }
}
