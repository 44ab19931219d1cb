//! Events by which a registry of sessions tells who listens that one began or ended: without sessions nothing tells them.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::model::facts::{ExprId, ExprKind};
use crate::model::flow::Flow;
use crate::model::flow::value::ObjId;
use crate::model::program::{At, ClassRef, ExprRef};

/// Methods by which somebody listens.
const LISTENS: &[&str] = &["on", "once", "addListener", "prependListener", "prependOnceListener"];

/// Other methods of an emitter: what they mean for the events is not looked into.
const OTHER: &[&str] = &["off", "removeListener", "removeAllListeners", "listenerCount", "listeners", "eventNames"];

/// What emits and hears of sessions.
#[derive(Debug, Default)]
pub(super) struct Emitters {
    /// Calls that emit.
    pub emits: FxHashSet<ExprRef>,
    /// Calls that listen.
    pub listens: FxHashSet<ExprRef>,
    /// Base classes of registries that are emitters for the sake of these events alone.
    pub bases: FxHashSet<ExprRef>,
}

/// A call of a method of an emitter.
struct Use {
    at: ExprRef,
    method: &'static str,
    event: Option<&'static str>,
    objects: Vec<ObjId>,
}

/// Finds the events of a program that are about sessions and nothing else.
pub(super) fn collect(flow: &Flow<'_>) -> Emitters {
    let uses: Vec<Use> = flow.program.exprs().filter_map(|at| used(flow, at)).collect();
    let mut by_object: FxHashMap<ObjId, Vec<&Use>> = FxHashMap::default();
    for found in &uses {
        found.objects.iter().for_each(|id| by_object.entry(*id).or_default().push(found));
    }
    let mut out = Emitters::default();
    for (id, uses) in &by_object {
        let unclear = uses.iter().any(|found| found.event.is_none() || found.objects.len() > 1);
        // Whoever listens to the same event of something that is not seen may listen to this one.
        if unclear || uses.iter().any(|found| OTHER.contains(&found.method)) {
            continue;
        }
        let of_sessions: FxHashSet<&str> = uses
            .iter()
            .filter(|found| found.method == "emit" && tells_session(flow, found.at))
            .filter_map(|found| found.event)
            .filter(|event| !heard_by_unknown(flow, event))
            .collect();
        let ours = |found: &&&Use| found.event.is_some_and(|event| of_sessions.contains(event));
        for found in uses.iter().filter(ours) {
            match found.method {
                "emit" => out.emits.insert(found.at),
                _ => out.listens.insert(found.at),
            };
        }
        let all = uses.iter().all(|found| ours(&found));
        if let Some(class) = flow.object(*id).class.filter(|_| all) {
            let base = flow.program.class(class).bases.first().copied();
            out.bases.extend(base.filter(|_| extends_emitter(flow, class)).map(|id| At { module: class.module, id }));
        }
    }
    out
}

/// A call of a method of an emitter.
fn used(flow: &Flow<'_>, at: ExprRef) -> Option<Use> {
    let facts = flow.program.module(at.module);
    let ExprKind::Call { callee, args } = facts.kind(at.id) else { return None };
    let ExprKind::Member { object, name } = facts.kind(*callee) else { return None };
    let method = ["emit"].iter().chain(LISTENS).chain(OTHER).find(|method| *name == **method)?;
    let objects: Vec<ObjId> = flow.objects_at(At { module: at.module, id: *object }).collect();
    let emits = !objects.is_empty() && objects.iter().all(|id| is_emitter(flow, *id));
    let event = args.first().and_then(|arg| text(flow, At { module: at.module, id: arg.value }));
    emits.then_some(Use { at, method, event, objects })
}

fn text(flow: &Flow<'_>, at: ExprRef) -> Option<&'static str> {
    match flow.program.kind(at) {
        ExprKind::Text(text) => Some(text.text()),
        _ => None,
    }
}

/// Whether an object of the program emits events: its class extends the platform's emitter, or it is one.
fn is_emitter(flow: &Flow<'_>, id: ObjId) -> bool {
    let object = flow.object(id);
    object.class.is_some_and(|class| extends_emitter(flow, class))
        || object.external.is_some_and(|(package, path)| is_platform_emitter(package.text(), path.text()))
}

fn extends_emitter(flow: &Flow<'_>, class: ClassRef) -> bool {
    flow.external_bases(class).iter().any(|(package, path)| is_platform_emitter(package.text(), path.text()))
}

fn is_platform_emitter(package: &str, path: &str) -> bool {
    matches!(package, "events" | "node:events") && matches!(path, "" | "default" | "EventEmitter")
}

/// Whether an event carries the id of a session.
fn tells_session(flow: &Flow<'_>, emit: ExprRef) -> bool {
    let ExprKind::Call { args, .. } = flow.program.kind(emit) else { return false };
    let id = |id: ExprId| flow.is_id(At { module: emit.module, id });
    args.iter().skip(1).any(|arg| id(arg.value))
}

/// Whether something that is not seen is listened to for an event of that name.
fn heard_by_unknown(flow: &Flow<'_>, event: &str) -> bool {
    flow.program.exprs().any(|at| {
        let facts = flow.program.module(at.module);
        let ExprKind::Call { callee, args } = facts.kind(at.id) else { return false };
        let ExprKind::Member { object, name } = facts.kind(*callee) else { return false };
        let named = args.first().and_then(|arg| text(flow, At { module: at.module, id: arg.value })) == Some(event);
        named
            && LISTENS.contains(&name.text())
            && !matches!(facts.kind(*object), ExprKind::Global(_))
            && flow.objects_at(At { module: at.module, id: *object }).next().is_none()
    })
}
