//! Whether a transport opens sessions, where options of a vocabulary switch them on and off.

use super::facts::{AssignKind, ExprKind};
use super::flow::value::{ObjId, Value};
use super::flow::{Flow, Owner};
use super::lives::Mode;
use super::name::Name;
use super::program::{At, ExprRef, Sort};
use super::vocabulary::{Role, SwitchRow};

/// The mode of a transport, and the expression that says so, by the switches of the language; `None` where it has none.
pub fn switched(flow: &Flow<'_>, at: ExprRef, transport: ObjId) -> Option<(Mode, Option<ExprRef>)> {
    let switches = flow.program.tables(at.module).switches;
    if switches.is_empty() {
        return None;
    }
    let mut options = vec![transport];
    let mut never = false;
    for call in calls_of(flow, at, transport) {
        let ExprKind::Call { args, .. } = flow.program.kind(call) else { continue };
        for arg in args {
            for id in flow.objects_at(At { module: call.module, id: arg.value }) {
                match flow.object(id).role {
                    Some(Role::TransportOptions) => options.push(id),
                    Some(Role::NoSessions) => never = true,
                    _ => {}
                }
            }
        }
    }
    if never {
        return Some((Mode::Off, None));
    }
    let given: Vec<ObjId> = if options.len() > 1 { options.split_off(1) } else { options };
    let (mut on, mut off, mut said) = (false, false, None);
    for id in given {
        // A switch may be set to something of which nothing is known.
        let set =
            switches.iter().filter(|row| flow.has_field(id, Name::new(row.name)) || written(flow, id, row).is_some());
        let mut found = false;
        for row in set {
            found = true;
            let (may_be_on, may_be_off) = positions(flow, id, row);
            on |= may_be_on;
            off |= may_be_off;
            said = said.or_else(|| written(flow, id, row));
        }
        // The SDK opens sessions where nothing else is said.
        on |= !found;
    }
    let mode = match (on, off) {
        (true, true) => Mode::Either,
        (false, true) => Mode::Off,
        _ => Mode::On,
    };
    Some((mode, said))
}

/// The construction, and the calls in its chain that configure it.
fn calls_of(flow: &Flow<'_>, at: ExprRef, transport: ObjId) -> Vec<ExprRef> {
    let mut out = vec![at];
    let facts = flow.program.module(at.module);
    let mut id = at.id;
    while let Some(parent) = facts.expr(id).parent {
        let next = At { module: at.module, id: parent };
        if matches!(facts.kind(parent), ExprKind::Call { .. }) {
            if !flow.objects_at(next).any(|object| object == transport) {
                break;
            }
            out.push(next);
        }
        id = parent;
    }
    out
}

/// Which positions a switch may have.
fn positions(flow: &Flow<'_>, id: ObjId, row: &SwitchRow) -> (bool, bool) {
    let name = Name::new(row.name);
    let values = flow.field_values(id, name);
    let (mut on, mut off) = (false, false);
    for value in &values {
        match value {
            Value::External(_, path) if *path == row.on => on = true,
            Value::External(_, path) if matches!(path.text(), "true" | "false") => off = true,
            _ => (on, off) = (true, true),
        }
    }
    if values.is_empty() {
        return (true, true);
    }
    // Set under a condition: the default holds otherwise.
    if assignments(flow, id, name).iter().any(|at| conditional(flow, *at)) {
        on = true;
    }
    (on, off)
}

/// Assignments to a field of an object.
fn assignments(flow: &Flow<'_>, id: ObjId, name: Name) -> Vec<ExprRef> {
    flow.program
        .exprs_of([Sort::Assign])
        .filter(|at| match flow.program.kind(*at) {
            ExprKind::Assign { target, kind: AssignKind::Set, .. } => {
                match flow.program.module(at.module).kind(*target) {
                    ExprKind::Member { object, name: written } => {
                        *written == name
                            && flow.objects_at(At { module: at.module, id: *object }).any(|known| known == id)
                    }
                    _ => false,
                }
            }
            _ => false,
        })
        .collect()
}

fn conditional(flow: &Flow<'_>, at: ExprRef) -> bool {
    let facts = flow.program.module(at.module);
    let expr = facts.expr(at.id);
    flow.branches_in(At { module: at.module, id: expr.func }).any(|branch| {
        branch.then.contains(expr.span) || branch.otherwise.is_some_and(|other| other.contains(expr.span))
    })
}

/// The expression that sets a switch.
fn written(flow: &Flow<'_>, id: ObjId, row: &SwitchRow) -> Option<ExprRef> {
    let name = Name::new(row.name);
    let of = |at: ExprRef| flow.objects_at(at).any(|known| known == id);
    let spread = flow.known_field(Owner::Object(id), Name::new("..."));
    flow.program.exprs_of([Sort::Assign, Sort::Call]).find_map(|at| {
        let facts = flow.program.module(at.module);
        let inner = |id| At { module: at.module, id };
        match facts.kind(at.id) {
            ExprKind::Assign { target, value, .. } => match facts.kind(*target) {
                ExprKind::Member { object, name: written } if *written == name && of(inner(*object)) => {
                    Some(inner(*value))
                }
                _ => None,
            },
            ExprKind::Call { callee, args } => match facts.kind(*callee) {
                ExprKind::Member { object, name: written }
                    if *written == name && (of(inner(*object)) || (spread.is_some() && of(at))) =>
                {
                    args.first().map(|arg| inner(arg.value))
                }
                _ => None,
            },
            _ => None,
        }
    })
}
