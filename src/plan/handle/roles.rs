//! What each tool does with the value of a store.

use crate::classify::access::{Access, Kind};
use crate::classify::stores::{Analysis, Found};
use crate::model::facts::{Branch, Choice, ExprKind, Module, Span};
use crate::model::flow::Root;
use crate::model::name::Name;
use crate::model::program::{At, ExprRef, FuncRef};

/// What a tool does with the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Makes it, without a look at what was there.
    Creates,
    /// Reads or changes it.
    Uses,
    /// Reads it and drops it: the value ends with this call.
    Consumes,
    /// Does nothing but drop it.
    Destroys,
    /// Drops it to begin anew, for the next use makes it again: `clear_board`, `cancel_all`.
    Resets,
}

/// Words of tools that empty something which goes on to be there.
const EMPTIES: &[&str] = &["reset", "clear", "empty", "restart", "wipe", "flush", "purge"];

/// The role of a tool that drops a value which the next use makes anew: it ends a session's work, or only begins it again.
pub fn of_lazy(role: Role, tool: &str) -> Role {
    let words = crate::classify::words::words(tool);
    let over = words.iter().any(|word| word == "start") && words.iter().any(|word| word == "over");
    let empties = over
        || words.iter().any(|word| EMPTIES.contains(&word.as_str()))
        || words.len() > 1 && words.last().is_some_and(|last| matches!(last.as_str(), "all" | "everything"));
    match role {
        Role::Consumes | Role::Destroys if empties => Role::Resets,
        role => role,
    }
}

/// The role of the tool with a name, served by a handler.
pub fn of(analysis: &Analysis<'_>, found: &Found, handler: FuncRef, tool: Name) -> Role {
    let handler = analysis.dispatches_for(handler).unwrap_or(handler);
    let mut kinds = Vec::new();
    for access in found.uses.iter().filter(|access| reaches(analysis, handler, access.func)) {
        if is_dispatched_elsewhere(analysis, handler, tool, access)
            || reads_back(analysis, found, access)
            || is_expiry(analysis, access)
        {
            continue;
        }
        let first_write = access.kind == Kind::Write
            && (is_guarded(analysis, found, access) || is_behind_return(analysis, found, access));
        kinds.push(match access.kind {
            _ if first_write => Kind::GetOrCreate,
            Kind::Read if is_mere_question(analysis, access) => Kind::Test,
            kind => kind,
        });
    }
    let has = |kind| kinds.contains(&kind);
    let reads = has(Kind::Read) || has(Kind::GetOrCreate);
    if has(Kind::Delete) && !has(Kind::Write) && !has(Kind::GetOrCreate) {
        return if has(Kind::Read) && !only_guards(analysis, found, handler) { Role::Consumes } else { Role::Destroys };
    }
    if has(Kind::Delete) && reads && !has(Kind::Write) {
        return Role::Consumes;
    }
    // An older value goes first.
    let replaces = || {
        let own = || found.uses.iter().filter(|access| reaches(analysis, handler, access.func));
        own().filter(|access| access.kind == Kind::Delete).all(|delete| {
            own().any(|write| write.kind == Kind::Write && write.func == delete.func && delete.at < write.at)
        })
    };
    if has(Kind::Write) && !reads && (!has(Kind::Delete) || replaces()) { Role::Creates } else { Role::Uses }
}

/// Whether a value is dropped for its age: `if (Date.now() - entry.storedAt > TTL) …`. That is no end that a tool brings about.
fn is_expiry(analysis: &Analysis<'_>, access: &Access) -> bool {
    let facts = analysis.flow.program.module(access.at.module);
    let span = facts.expr(access.at.id).span;
    access.kind == Kind::Delete
        && facts.branches.iter().any(|branch| {
            let condition = facts.expr(branch.condition).span;
            branch.then.contains(span)
                && facts.expr_ids().any(|id| {
                    condition.contains(facts.expr(id).span)
                        && matches!(facts.kind(id), ExprKind::Call { .. })
                        && analysis
                            .flow
                            .callee_name(At { module: access.at.module, id })
                            .is_some_and(|name| name == "now")
                })
        })
}

/// Whether a read only asks whether there is a value already, and leaves then: `if (tables[id]) return …`.
fn is_mere_question(analysis: &Analysis<'_>, read: &Access) -> bool {
    let facts = analysis.flow.program.module(read.at.module);
    let asks = |id| facts.branches.iter().any(|branch| branch.condition == id && branch.then_leaves);
    if asks(read.at.id) {
        return true;
    }
    let kept = facts.expr(read.at.id).parent.and_then(|parent| match facts.kind(parent) {
        ExprKind::Assign { target, value, .. } if *value == read.at.id => match facts.kind(*target) {
            ExprKind::Symbol(symbol) => Some((*symbol, *target)),
            _ => None,
        },
        _ => None,
    });
    kept.is_some_and(|(symbol, target)| {
        let mut uses = analysis.flow.uses(At { module: read.at.module, id: symbol }).filter(|used| used.id != target);
        let first = uses.next();
        first.is_some_and(|used| asks(used.id)) && uses.all(|used| asks(used.id))
    })
}

/// Whether a handler runs a function.
pub fn reaches(analysis: &Analysis<'_>, handler: FuncRef, func: FuncRef) -> bool {
    func == handler
        || analysis.bodies.iter().any(|body| body.func == handler && body.reach.contains(&func))
        || analysis.flow.program.within(func, handler)
        || analysis.lives.handlers_of.get(&func).is_some_and(|handlers| handlers.contains(&handler))
}

/// Whether a dispatching handler makes an access for other tools only.
fn is_dispatched_elsewhere(analysis: &Analysis<'_>, handler: FuncRef, tool: Name, access: &Access) -> bool {
    let names = analysis.tool_names(handler, access.at);
    !names.is_empty() && !names.contains(&tool)
}

/// Whether the value is created where it is first used: by an alternative, or behind a look whether it is there.
pub fn is_lazy(analysis: &Analysis<'_>, found: &Found) -> bool {
    found.uses.iter().any(|access| match access.kind {
        Kind::GetOrCreate => true,
        Kind::Read => has_alternative(analysis, found, access.at),
        Kind::Write => is_guarded(analysis, found, access) || is_behind_return(analysis, found, access),
        _ => false,
    })
}

/// Whether a helper writes only where it did not find a value that it could return: `if (known) return known; …`.
fn is_behind_return(analysis: &Analysis<'_>, found: &Found, write: &Access) -> bool {
    let facts = analysis.flow.program.module(write.at.module);
    let start = facts.expr(write.at.id).span.start;
    let handler = analysis.flow.roots.get(&write.func).is_some_and(|roots| roots.contains(&Root::Handler));
    !handler
        && facts.branches.iter().any(|branch| {
            let there = matches!(
                facts.kind(branch.condition),
                ExprKind::Symbol(_)
                    | ExprKind::Call { .. }
                    | ExprKind::Index { .. }
                    | ExprKind::Contains { .. }
                    | ExprKind::Compare { .. }
            );
            branch.func == write.func.id
                && branch.then_leaves
                && returns(analysis, found, write.at.module, branch)
                && branch.span.end <= start
                && there
                && asks_for(analysis, found, At { module: write.at.module, id: branch.condition })
        })
}

/// Whether a branch answers what is known: `if (known) throw …` and `if (known) return 'there is one'` are no way to get it.
fn returns(analysis: &Analysis<'_>, found: &Found, module: u32, branch: &Branch) -> bool {
    let facts = analysis.flow.program.module(module);
    facts.expr_ids().filter(|id| branch.then.contains(facts.expr(*id).span)).any(|id| match facts.kind(id) {
        ExprKind::Return(Some(value)) => asks_for(analysis, found, At { module, id: *value }),
        _ => false,
    })
}

/// `read ?? something`, the value itself and not a part of it. A text or a number beside it is what to show in its place, unless the
/// same function writes the value.
fn has_alternative(analysis: &Analysis<'_>, found: &Found, at: ExprRef) -> bool {
    let facts = analysis.flow.program.module(at.module);
    let Some(parent) = facts.expr(at.id).parent else { return false };
    match facts.kind(parent) {
        ExprKind::Either { arms, choice: Choice::Coalesce, .. } if arms.first() == Some(&at.id) => {
            let func = analysis.flow.program.func_of(at);
            let writes = found.uses.iter().any(|access| access.kind == Kind::Write && access.func == func);
            arms[1..].iter().any(|arm| match facts.kind(*arm) {
                ExprKind::Absent => false,
                ExprKind::Text(_) | ExprKind::Literal | ExprKind::Template(_) => writes,
                _ => true,
            })
        }
        ExprKind::Cast { .. } => has_alternative(analysis, found, At { module: at.module, id: parent }),
        _ => false,
    }
}

/// Whether two accesses of one function stand in the same branches.
pub fn same_branch(analysis: &Analysis<'_>, one: &Access, other: &Access) -> bool {
    let facts = analysis.flow.program.module(one.at.module);
    let within = |access: &Access| branches(facts, facts.expr(access.at.id).span);
    one.at.module == other.at.module && within(one) == within(other)
}

/// Whether an access reads what the same function has just written: `games[id] = {…}; return games[id]`.
fn reads_back(analysis: &Analysis<'_>, found: &Found, read: &Access) -> bool {
    let facts = analysis.flow.program.module(read.at.module);
    let span = |access: &Access| facts.expr(access.at.id).span;
    let within = |access: &Access| branches(facts, span(access));
    let same = |access: &&Access| access.func == read.func && access.at.module == read.at.module;
    read.kind == Kind::Read
        && found.uses.iter().filter(same).any(|write| {
            write.kind == Kind::Write
                && span(write).end <= span(read).start
                && !is_guarded(analysis, found, write)
                && within(write).iter().all(|branch| within(read).contains(branch))
        })
        && !found.uses.iter().filter(same).any(|access| access.kind == Kind::Delete)
}

/// The halves of branches that a place lies within.
fn branches(facts: &Module, span: Span) -> Vec<Span> {
    let halves = facts.branches.iter().flat_map(|branch| std::iter::once(branch.then).chain(branch.otherwise));
    halves.filter(|half| half.contains(span)).collect()
}

/// Whether a write stands where the value was found to be absent.
pub fn is_guarded(analysis: &Analysis<'_>, found: &Found, write: &Access) -> bool {
    let facts = analysis.flow.program.module(write.at.module);
    let span = facts.expr(write.at.id).span;
    facts.branches.iter().any(|branch| {
        let inside = branch.then.contains(span) || branch.otherwise.is_some_and(|other| other.contains(span));
        inside && asks_for(analysis, found, At { module: write.at.module, id: branch.condition })
    })
}

/// Whether a condition looks at the store's value: at an access, or at a variable that was given one.
pub fn asks_for(analysis: &Analysis<'_>, found: &Found, condition: ExprRef) -> bool {
    let facts = analysis.flow.program.module(condition.module);
    let span = facts.expr(condition.id).span;
    facts.expr_ids().filter(|id| span.contains(facts.expr(*id).span)).any(|id| {
        if found.uses.iter().any(|access| access.at == At { module: condition.module, id }) {
            return true;
        }
        let ExprKind::Symbol(symbol) = facts.kind(id) else { return false };
        facts.expr_ids().any(|assign| match facts.kind(assign) {
            ExprKind::Assign { target, value, .. } => {
                matches!(facts.kind(*target), ExprKind::Symbol(known) if known == symbol)
                    && found.uses.iter().any(|access| {
                        access.at.module == condition.module
                            && matches!(access.kind, Kind::Read | Kind::Test | Kind::GetOrCreate)
                            && facts.expr(*value).span.contains(facts.expr(access.at.id).span)
                    })
            }
            _ => false,
        })
    })
}

/// Whether all reads of a handler only ask whether there is something to drop.
fn only_guards(analysis: &Analysis<'_>, found: &Found, handler: FuncRef) -> bool {
    let facts = analysis.flow.program.module(handler.module);
    found.uses.iter().filter(|access| access.kind == Kind::Read && reaches(analysis, handler, access.func)).all(
        |read| {
            read.at.module == handler.module
                && facts.branches.iter().any(|branch| {
                    facts.expr(branch.condition).span.contains(facts.expr(read.at.id).span) && branch.then_leaves
                })
        },
    )
}
