//! What holds an object: the variable or field that a reader of the code would name.

use crate::model::facts::{Class, ClassId, ExprId, ExprKind, Key, Span};
use crate::model::flow::Flow;
use crate::model::flow::value::{ObjId, Site};
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, SymbolRef};

/// What holds an object, as a reader of the code would name it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Holder {
    /// Variable or field name.
    pub name: Name,
    /// Module of the declaration.
    pub module: u32,
    /// The name at its declaration.
    pub span: Span,
    /// The variable, where it is one.
    pub symbol: Option<SymbolRef>,
}

impl Flow<'_> {
    /// What holds an object: the variable or field it is first put in.
    pub fn holder(&self, id: ObjId) -> Option<Holder> {
        self.holder_within(id, 0)
    }

    fn holder_within(&self, id: ObjId, depth: u32) -> Option<Holder> {
        if depth > 6 {
            return None;
        }
        match self.object(id).site {
            Site::Symbol(symbol) => Some(self.symbol_holder(symbol)),
            Site::Expr(expr) => self.holder_of_expr(expr).or_else(|| self.owner_holder(id, depth)),
            Site::Part(owner, name) if name == "[]" => self.holder_within(owner, depth + 1),
            Site::Part(owner, name) => match self.object(owner).class {
                Some(class) => {
                    let field = self.program.class(class).fields.iter().find(|field| field.name == name)?;
                    Some(Holder { name, module: class.module, span: field.span, symbol: None })
                }
                None if owner.0 == u32::MAX => None,
                None => self.holder_within(owner, depth + 1),
            },
            Site::Class(class) => {
                let facts = self.program.class(class);
                Some(Holder { name: facts.name?, module: class.module, span: facts.name_span, symbol: None })
            }
            Site::Param(func, index) => {
                let param = self.program.function(func).params.get(index as usize)?;
                Some(self.symbol_holder(At { module: func.module, id: param.symbol }))
            }
            Site::Decl(decl) => {
                let facts = &self.program.module(decl.module).type_decls[decl.id.index()];
                Some(Holder { name: facts.name, module: decl.module, span: facts.span, symbol: None })
            }
        }
    }

    /// A holder that is a variable.
    pub fn symbol_holder(&self, symbol: SymbolRef) -> Holder {
        let facts = self.program.symbol(symbol);
        Holder { name: facts.name, module: symbol.module, span: facts.span, symbol: Some(symbol) }
    }

    /// The variable or field that a fresh value goes into, by the code around it.
    pub fn holder_of_expr(&self, expr: ExprRef) -> Option<Holder> {
        let facts = self.program.module(expr.module);
        let mut at = expr.id;
        for _ in 0..8 {
            let parent = facts.expr(at).parent?;
            match facts.kind(parent) {
                ExprKind::Assign { target, value, .. } if *value == at => {
                    return match facts.kind(*target) {
                        ExprKind::Symbol(id) => Some(self.symbol_holder(At { module: expr.module, id: *id })),
                        ExprKind::Member { name, object } => {
                            Some(self.field_holder(expr.module, *object, *name, *target))
                        }
                        _ => None,
                    };
                }
                ExprKind::Cast { .. } | ExprKind::Either { .. } => at = parent,
                // `Object.freeze(new Map())`, `proxy(new Map())`.
                ExprKind::Call { args, .. } if args.len() == 1 && args[0].value == at => at = parent,
                ExprKind::Object(fields) => {
                    let field = fields.iter().find(|field| field.value == at)?;
                    let Key::Name(name) = &field.key else { return None };
                    let start = field.span.start;
                    let span = Span { start, end: start + name.text().len() as u32 };
                    return Some(Holder { name: *name, module: expr.module, span, symbol: None });
                }
                _ => return None,
            }
        }
        None
    }

    fn field_holder(&self, module: u32, object: ExprId, name: Name, target: ExprId) -> Holder {
        let facts = self.program.module(module);
        let class = match facts.kind(object) {
            ExprKind::This(Some(class)) => Some(*class),
            // A static field is one of the class by its name.
            ExprKind::Symbol(symbol) => {
                let symbol = facts.symbol(*symbol);
                let named = |class: &Class| class.name == Some(symbol.name) && class.name_span == symbol.span;
                facts.classes.iter().position(named).map(|at| ClassId(at as u32))
            }
            _ => None,
        };
        let declared =
            class.and_then(|class: ClassId| facts.class(class).fields.iter().find(|field| field.name == name));
        let span = declared.map_or(facts.expr(target).span, |field| field.span);
        Holder { name, module, span, symbol: None }
    }

    /// Where a field of an object is declared, or first given a value.
    pub fn field_place(&self, id: ObjId, name: Name) -> Option<Holder> {
        let object = self.object(id);
        if let Some(class) = object.class {
            let field = self.program.class(class).fields.iter().find(|field| field.name == name)?;
            return Some(Holder { name, module: class.module, span: field.span, symbol: None });
        }
        let Site::Expr(at) = object.site else { return None };
        let ExprKind::Object(fields) = self.program.kind(at) else { return None };
        let field = fields.iter().find(|field| matches!(&field.key, Key::Name(key) if *key == name))?;
        let Span { start, .. } = field.span;
        let span = Span { start, end: start + name.text().len() as u32 };
        Some(Holder { name, module: at.module, span, symbol: None })
    }

    /// The holder of the container that an object is an element or field of.
    fn owner_holder(&self, id: ObjId, depth: u32) -> Option<Holder> {
        self.owners_of(id).iter().find_map(|owner| self.holder_within(*owner, depth + 1))
    }
}
