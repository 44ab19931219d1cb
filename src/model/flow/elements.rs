//! What operations on collections do to the values that they hold.

use super::calls::CallSite;
use super::value::{ObjId, Site, Value};
use super::{Edge, Flow, Owner};
use crate::model::name::part;
use crate::model::vocabulary::{Op, Role};

impl Flow<'_> {
    pub(super) fn perform_on_elements(&mut self, call: CallSite<'_>, op: Op, receiver: Option<ObjId>) -> Vec<Value> {
        let Some(id) = receiver else {
            if op == Op::Take {
                let from = self.arg_values(call, 0);
                let mut out = self.elements_of(&from);
                out.extend(self.arg_values(call, 1));
                return out;
            }
            self.escape_args(call);
            return Vec::new();
        };
        let owner = self.owner(id);
        let elements = self.field_node(owner, part::elements());
        match op {
            Op::Extract => {
                let keys = self.arg_values(call, 0);
                let mut out = self.read(elements);
                out.extend(self.record_values(id, &keys));
                out.extend(self.arg_values(call, 1));
                out
            }
            Op::Put => {
                let keys = self.arg_values(call, 0);
                let keys_node = self.field_node(owner, part::keys());
                self.write(keys_node, &keys);
                let values = self.arg_values(call, 1);
                self.write(elements, &values);
                vec![Value::Object(id)]
            }
            Op::Add => {
                for index in 0..call.args.len() {
                    let values = match call.arg(index) {
                        Some(arg) => self.read_expr(arg.module, arg.id),
                        None => {
                            // A spread: the elements of what is spread.
                            let spread = self.read_expr(call.at.module, call.args[index].value);
                            self.elements_of(&spread)
                        }
                    };
                    self.write(elements, &values);
                }
                vec![Value::Object(id)]
            }
            Op::Get | Op::Take => {
                let keys = self.arg_values(call, 0);
                let mut out = self.read(elements);
                out.extend(self.record_values(id, &keys));
                out.extend(self.looked_up(call, id, &keys));
                out
            }
            Op::GetOrInsert => {
                let keys = self.arg_values(call, 0);
                let keys_node = self.field_node(owner, part::keys());
                self.write(keys_node, &keys);
                for value in self.arg_values(call, 1) {
                    match value {
                        Value::Func(func) => {
                            self.edge(call.at, func, Edge::Call);
                            let made = self.read(self.return_node(func));
                            self.write(elements, &made);
                        }
                        value => self.write(elements, &[value]),
                    }
                }
                let mut out = self.read(elements);
                out.extend(self.record_values(id, &keys));
                out
            }
            _ => Vec::new(),
        }
    }

    pub(super) fn elements_of(&mut self, values: &[Value]) -> Vec<Value> {
        let mut out = Vec::new();
        for value in values {
            if let Value::Object(id) = value {
                let node = self.field_node(self.owner(*id), part::elements());
                out.extend(self.read(node));
            }
        }
        out
    }

    pub(super) fn perform_each(&mut self, call: CallSite<'_>, op: Op, receiver: Option<ObjId>) -> Vec<Value> {
        let Some(id) = receiver else {
            self.escape_args(call);
            return Vec::new();
        };
        let owner = self.owner(id);
        let elements = self.field_node(owner, part::elements());
        let elements = self.read(elements);
        let keys = match self.known_field(owner, part::keys()) {
            Some(node) => self.read(node),
            None => Vec::new(),
        };
        let mut made = Vec::new();
        // A plugin gets the application that it is registered with, and its options.
        let application = (self.object(id).role == Some(Role::Router)).then_some([Value::Object(id)]);
        let options = if application.is_some() { self.arg_values(call, 1) } else { Vec::new() };
        for callback in self.arg_values(call, 0) {
            let second: &[Value] = match (&application, keys.is_empty()) {
                (Some(_), _) => &options,
                (None, true) => &elements,
                (None, false) => &keys,
            };
            let first = application.as_ref().map_or(elements.as_slice(), |application| application.as_slice());
            // `reduce` hands the element second; the accumulator is what the callback returned.
            made.extend(self.run_callback(call.at, callback, &[first, second], Edge::Call));
        }
        match op {
            Op::Find => elements,
            Op::Each => made,
            Op::Same => {
                let mut out = vec![Value::Object(id)];
                for value in self.arg_values(call, 0) {
                    if let Value::Object(_) = value {
                        out.push(value);
                    }
                }
                // `[header].flat()` is a list of what the header holds.
                out.extend(elements.into_iter().filter(|v| matches!(v, Value::Id(_))));
                out
            }
            _ => {
                let list = self.role_object(Site::Expr(call.at), Some(Role::List));
                if let Value::Object(list) = list {
                    let node = self.field_node(Owner::Object(list), part::elements());
                    self.write(node, &made);
                    let inner = self.elements_of(&made);
                    self.write(node, &inner);
                }
                vec![list]
            }
        }
    }

    pub(super) fn perform_views(&mut self, call: CallSite<'_>, op: Op, receiver: Option<ObjId>) -> Vec<Value> {
        let sources: Vec<ObjId> = match receiver {
            Some(id) => vec![id],
            None => self
                .arg_values(call, 0)
                .into_iter()
                .filter_map(|value| match value {
                    Value::Object(id) => Some(id),
                    _ => None,
                })
                .collect(),
        };
        let list = self.role_object(Site::Expr(call.at), Some(Role::List));
        let Value::Object(list_id) = list else {
            return Vec::new();
        };
        let node = self.field_node(Owner::Object(list_id), part::elements());
        for id in sources {
            let owner = self.owner(id);
            let values = match op {
                Op::Keys => {
                    let keys = self.field_node(owner, part::keys());
                    self.read(keys)
                }
                Op::Values => {
                    let elements = self.field_node(owner, part::elements());
                    let mut values = self.read(elements);
                    if receiver.is_none() || self.is_record(id) {
                        values.extend(self.named_fields(owner));
                    }
                    values
                }
                _ => vec![self.entry(id)],
            };
            self.write(node, &values);
        }
        vec![list]
    }
}
