//! What frameworks give functions by the types, the names or the defaults of their parameters.

use super::calls::CallSite;
use super::types::{Base, join};
use super::value::{ObjId, Object, Site, SourceKind, Value};
use super::{Edge, Flow, Root};
use crate::model::facts::{Choice, ExprKind, FuncId, Type};
use crate::model::name::{Name, part};
use crate::model::program::{At, ClassRef, ExprRef, FuncRef, SymbolRef};
use crate::model::vocabulary::Role;

/// Roles of what a handler gets beside its arguments.
const CONTEXTS: &[Role] = &[Role::HandlerContext, Role::SessionContext];

impl Flow<'_> {
    /// Gives a handler its context where a parameter's type (or, untyped, its name) asks for it, and arguments everywhere else.
    pub(super) fn fill_parameters(&mut self, handler: FuncRef) {
        let params = self.program.function(handler).params.clone();
        for (index, param) in params.iter().enumerate() {
            let symbol = At { module: handler.module, id: param.symbol };
            let facts = self.program.symbol(symbol);
            let (ty, name) = (facts.ty, facts.name);
            let node = self.symbol_node(symbol);
            let site = Site::Param(handler, index as u32);
            let typed = match ty {
                Some(ty) if !param.rest => self.typed(At { module: handler.module, id: ty }, site, 0),
                _ => Vec::new(),
            };
            let plays = |it: &Self, values: &[Value], roles: &[Role]| {
                values
                    .iter()
                    .any(|v| matches!(v, Value::Object(id) if it.object(*id).role.is_some_and(|r| roles.contains(&r))))
            };
            if plays(self, &typed, CONTEXTS) {
                self.write(node, &typed);
                continue;
            }
            let contexts = self.program.tables(handler.module).traits.context_names;
            if ty.is_none() && contexts.contains(&name.text()) {
                let context = self.role_object(site, Some(Role::HandlerContext));
                self.write(node, &[context]);
                continue;
            }
            let known = self.read(node);
            let injected = known.iter().any(|value| match value {
                Value::Object(id) => self.object(*id).role.is_some_and(|role| role != Role::List && role != Role::Map),
                _ => false,
            });
            if injected {
                continue;
            }
            if param.rest {
                let rest = self.rest_object(handler, index);
                let node = self.field_node(self.owner(rest), part::elements());
                self.write(node, &[Value::Argument(handler)]);
            } else {
                self.write(node, &[Value::Argument(handler)]);
            }
        }
    }

    /// What a rest parameter holds: a list, or a record of what was passed by name.
    pub(super) fn rest_object(&mut self, func: FuncRef, index: usize) -> ObjId {
        let role = if self.takes_names(func, index) { None } else { Some(Role::List) };
        let site = Site::Param(func, index as u32);
        let id = self.object_of(site, || Object { site, role, class: None, external: None });
        if let Some(node) = self.param_node(func, index) {
            self.write(node, &[Value::Object(id)]);
        }
        id
    }

    /// Whether a rest parameter takes what is passed by name.
    pub(super) fn takes_names(&self, func: FuncRef, index: usize) -> bool {
        let Some(param) = self.program.function(func).params.get(index) else { return false };
        let facts = self.program.module(func.module);
        param.rest
            && facts
                .symbol(param.symbol)
                .ty
                .is_some_and(|ty| matches!(facts.ty(ty), Type::Object { index: Some(_), .. }))
    }

    /// Functions that are known by the names of their last parameters.
    pub(super) fn link_signatures(&mut self, module: u32, functions: &[FuncId]) {
        let signatures = self.program.tables(module).signatures;
        for id in functions {
            let func = At { module, id: *id };
            let facts = self.program.module(module);
            let params = &facts.function(*id).params;
            let names: Vec<&str> = params.iter().map(|param| facts.symbol(param.symbol).name.text()).collect();
            for signature in signatures {
                let Some(first) = names.len().checked_sub(signature.params.len()) else { continue };
                if names[first..] != *signature.params {
                    continue;
                }
                self.root(func, Root::Route);
                let value = self.role_object(Site::Param(func, first as u32), Some(signature.gives));
                if let Some(node) = self.param_node(func, first) {
                    self.write(node, &[value]);
                }
            }
        }
    }

    /// Methods that override one of a framework's class, which runs them with something that plays a role.
    pub(super) fn link_overrides(&mut self, class: ClassRef) {
        let tables = self.program.tables(class.module);
        if !tables.traits.handlers_by_type {
            return;
        }
        let bases = self.outside_bases(class);
        for id in &self.program.class(class).methods {
            let method = At { module: class.module, id: *id };
            let Some(name) = self.program.function(method).name else { continue };
            let overridden = |(package, path): &(Name, Name)| {
                tables.export(package.text(), join(*path, name).text()).and_then(|row| row.gives)
            };
            let Some(role) = bases.iter().find_map(overridden) else { continue };
            let value = self.role_object(Site::Param(method, 0), Some(role));
            if let Some(node) = self.param_node(method, 0) {
                self.write(node, &[value]);
            }
        }
    }

    /// The classes outside the program that a class derives from, by way of others of the program too.
    fn outside_bases(&self, class: ClassRef) -> Vec<(Name, Name)> {
        let mut out = Vec::new();
        let mut open = vec![class];
        let mut seen = vec![class];
        while let Some(class) = open.pop() {
            for base in self.bases(class).iter() {
                match *base {
                    Base::External(package, path) => out.push((package, path)),
                    Base::Class(base) if !seen.contains(&base) => {
                        seen.push(base);
                        open.push(base);
                    }
                    Base::Class(_) => {}
                }
            }
        }
        out
    }

    /// Gives a route's handler the request where a parameter's type asks for it; an untyped first parameter is the request.
    pub(super) fn fill_route(&mut self, func: FuncRef) {
        let params = self.program.function(func).params.clone();
        for (index, param) in params.iter().enumerate() {
            let symbol = At { module: func.module, id: param.symbol };
            if self.program.symbol(symbol).ty.is_none() && index == 0 && !param.rest && !param.optional {
                let value = self.role_object(Site::Param(func, 0), Some(Role::Request));
                self.write(self.symbol_node(symbol), &[value]);
            }
        }
    }

    /// Gives a route's handler the session of the older transport where a parameter is called so, as the framework does from the path
    /// or the query; in a program that opens such streams by hand.
    pub(super) fn fill_query(&mut self, route: ExprRef, func: FuncRef) {
        if !self.program.tables(func.module).traits.handlers_by_type || !self.opens_streams() {
            return;
        }
        for param in self.program.function(func).params.iter().filter(|param| !param.rest) {
            let symbol = At { module: func.module, id: param.symbol };
            let named = super::eval::is_session_parameter(self.program.symbol(symbol).name.text());
            if named && !self.is_filled_otherwise(symbol) {
                let id = self.id_value(SourceKind::Query, route);
                self.write(self.symbol_node(symbol), &[id]);
            }
        }
    }

    /// Whether a parameter's default says that it comes from elsewhere: a header, a cookie, another function.
    fn is_filled_otherwise(&self, param: SymbolRef) -> bool {
        let facts = self.program.module(param.module);
        facts.exprs.iter().any(|expr| match &expr.kind {
            ExprKind::Either { arms, choice: Choice::Default, .. } => match arms.as_slice() {
                [own, default] if matches!(facts.kind(*own), ExprKind::Symbol(id) if *id == param.id) => {
                    let from_query = |name: Name| matches!(name.text(), "Query" | "Path");
                    matches!(facts.kind(*default), ExprKind::Call { .. })
                        && !self.callee_name(At { module: param.module, id: *default }).is_some_and(from_query)
                }
                _ => false,
            },
            _ => false,
        })
    }

    /// A parameter that the framework fills from a header: which one says the option, or the parameter's name.
    pub(super) fn header_parameter(&mut self, call: CallSite<'_>) -> Vec<Value> {
        let mut names: Vec<String> = Vec::new();
        if let Some(alias) = call.named("alias") {
            let values = self.read_expr(alias.module, alias.id);
            names.extend(values.into_iter().filter_map(|value| match value {
                Value::Text(text) => Some(text.text().to_owned()),
                _ => None,
            }));
        } else {
            let facts = self.program.module(call.at.module);
            if let Some(parent) = facts.expr(call.at.id).parent
                && let ExprKind::Either { arms, .. } = facts.kind(parent)
                && let Some(ExprKind::Symbol(symbol)) = arms.first().map(|arm| facts.kind(*arm))
            {
                names.push(facts.symbol(*symbol).name.text().replace('_', "-"));
            }
        }
        let mut out: Vec<Value> = Vec::new();
        for name in names {
            if super::eval::is_session_header(&name) {
                out.push(self.id_value(SourceKind::Header, call.at));
            } else if super::eval::is_credential_header(&name) {
                out.push(Value::Credential(call.at));
            }
        }
        // `Header(None)`
        let default = self.arg_values(call, 0);
        out.extend(default.into_iter().filter(|value| matches!(value, Value::Absent | Value::Text(_))));
        out
    }

    /// Runs the callback that fills a parameter.
    pub(super) fn inject(&mut self, call: CallSite<'_>) -> Vec<Value> {
        let mut out = Vec::new();
        for value in self.arg_values(call, 0) {
            match value {
                Value::Func(func) => {
                    self.edge(call.at, func, Edge::Call);
                    out.extend(self.read_yielded(func));
                }
                Value::Class(_) | Value::External(..) => {
                    let call = CallSite { at: call.at, args: &[] };
                    out.extend(self.call_value(call, value).unwrap_or_default());
                }
                _ => {}
            }
        }
        out
    }
}
