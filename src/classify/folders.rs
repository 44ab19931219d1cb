//! Files and folders that are called after a session: what a tool keeps on disk for it.

use super::access::{Access, Bag, Keyed, Kind};
use super::bags::note;
use super::keys::{key_text, keys_session};
use super::words;
use crate::model::facts::{Arg, ExprId, ExprKind};
use crate::model::flow::Flow;
use crate::model::program::{At, ExprRef, Sort};
use crate::model::query::Holder;

/// What methods of a path, and functions that take one first, do there.
fn does(name: &str) -> Option<Kind> {
    match name {
        "mkdir" | "makedirs" | "write_text" | "write_bytes" | "touch" => Some(Kind::Write),
        "rmtree" | "unlink" | "rmdir" => Some(Kind::Delete),
        "read_text" | "read_bytes" | "iterdir" | "listdir" | "exists" | "is_dir" | "is_file" | "rglob" | "scandir" => {
            Some(Kind::Read)
        }
        _ => None,
    }
}

/// Adds them to what is kept outside the program.
pub(super) fn collect(flow: &Flow<'_>, found: &mut Vec<Keyed>) {
    for at in flow.program.exprs_of([Sort::Call]) {
        let ExprKind::Call { callee, args } = flow.program.kind(at) else { continue };
        // Files of a language that puts paths together as values.
        if !flow.program.tables(at.module).traits.handlers_by_type {
            continue;
        }
        let Some(kind) = flow.callee_name(at).and_then(|name| does(name.text())) else { continue };
        let Some(path) = path_of(flow, at, *callee, args) else { continue };
        let text = key_text(flow, path);
        // What is only written down is no state.
        if text.is_some_and(|text| words::is_log(text.text())) {
            continue;
        }
        let written = text.or_else(|| flow.written_name(path));
        let Some(called) = written else { continue };
        let span = flow.program.expr(path).span;
        let holder = Holder { name: called, module: at.module, span, symbol: None };
        let access = Access { at, key: path, receiver: path, kind, func: flow.program.func_of(at), value: None };
        note(found, holder, Some(Bag::Files), access);
    }
}

/// The path that a call is about, where a session is a part of it.
fn path_of(flow: &Flow<'_>, at: ExprRef, callee: ExprId, args: &[Arg]) -> Option<ExprRef> {
    let here = |id| At { module: at.module, id };
    let receiver = match flow.program.module(at.module).kind(callee) {
        ExprKind::Member { object, .. } => Some(here(*object)),
        _ => None,
    };
    let first = args.first().filter(|arg| !arg.spread && arg.name.is_none()).map(|arg| here(arg.value));
    receiver.into_iter().chain(first).find(|path| keys_session(flow, *path))
}
