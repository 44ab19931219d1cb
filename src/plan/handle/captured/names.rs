//! What the handle of a captured value is called, and what is lost with it.

use super::Group;
use crate::classify::stores::Found;
use crate::model::facts::{ExprKind, Key};
use crate::model::program::{At, FuncRef};
use crate::model::vocabulary::Role as Known;
use crate::plan::handle::Names;
use crate::plan::handle::names::{Source, singular};
use crate::plan::handle::planner::{Words, loss};
use crate::plan::settings::NameSetting;
use crate::rules::detect::Context;

/// The noun is what the variables keep, what the server is about, or a variable that counts or names something.
pub(super) fn names(context: &Context<'_, '_>, group: &Group<'_>, words: &Words, chosen: &NameSetting) -> Names {
    let of = |store: &str, value: Option<&str>| {
        Names::of(&Source { store, value, list: false, tools: &words.tools, arguments: &words.arguments, chosen })
    };
    let unknown = of("state", None);
    let tells = |names: &Names| names.noun != unknown.noun;
    let container = |found: &&&Found| !found.objects.is_empty();
    let own = |found: &&Found| {
        let name = found.name.text();
        let names = of(name, found.value.as_deref());
        let several = crate::classify::words::words(name).last().is_some_and(|word| singular(word) != *word);
        let thing = several || !tells(&of(name, None));
        // `lines` is a list of them, and the handle stands for the list; `queue` says that itself.
        let list = is_list(context, found) && thing && tells(&names);
        if list { of(&format!("{} list", names.noun), None) } else { names }
    };
    // `visited` tells what was done, and not to what.
    let several = group.found.len() > 1;
    let thing = |found: &&&Found| {
        let words = crate::classify::words::words(found.name.text());
        !(several && found.value.is_none() && words.last().is_some_and(|word| word.len() > 4 && word.ends_with("ed")))
    };
    let kept = group.found.iter().filter(container).filter(thing).map(own).find(tells);
    let only = || group.found.iter().map(own).find(tells);
    let domain = || server_name(context, group.scope).map(|name| of(&domain(&name), None)).filter(tells);
    if let Some(names) = kept.or_else(|| if group.found.len() == 1 { only() } else { None }) {
        return names;
    }
    domain().or_else(only).unwrap_or(unknown)
}

pub(super) fn is_list(context: &Context<'_, '_>, found: &Found) -> bool {
    let role = |id| context.analysis.flow.object(id).role;
    let written = found.value.as_deref().is_some_and(|value| value.ends_with("[]") || value.starts_with("Array<"));
    written
        || !found.objects.is_empty()
            && found.objects.iter().all(|id| matches!(role(*id), Some(Known::List | Known::Set)))
}

/// What a server's name says beside that it is a server.
pub(in crate::plan) fn domain(name: &str) -> String {
    const PLAIN: &[&str] =
        &["server", "mcp", "demo", "example", "service", "my", "test", "sample", "app", "tool", "tools"];
    let words = crate::classify::words::words(name.rsplit('/').next().unwrap_or(name));
    let told: Vec<String> = words.into_iter().filter(|word| !PLAIN.contains(&word.as_str())).collect();
    told.join("-")
}

/// The name of the server that a function builds: `new McpServer({ name: … })`.
pub(super) fn server_name(context: &Context<'_, '_>, scope: FuncRef) -> Option<String> {
    let flow = &context.analysis.flow;
    let facts = flow.program.module(scope.module);
    facts.expr_ids().map(|id| At { module: scope.module, id }).find_map(|at| {
        let ExprKind::New { args, .. } = facts.kind(at.id) else { return None };
        let server = flow.objects_at(at).any(|id| flow.object(id).role == Some(Known::Server));
        if !server || !flow.program.within(flow.program.func_of(at), scope) {
            return None;
        }
        let ExprKind::Object(fields) = facts.kind(args.first()?.value) else { return None };
        let name = fields.iter().find(|field| matches!(&field.key, Key::Name(name) if *name == "name"))?;
        match facts.kind(name.value) {
            ExprKind::Text(text) => Some(text.text().to_owned()),
            _ => None,
        }
    })
}

pub(super) fn lost(context: &Context<'_, '_>, group: &Group<'_>) -> String {
    let lists = group.found.iter().filter(|found| is_list(context, found)).map(|found| found.name.text().to_owned());
    let lists: Vec<String> = lists.filter(|name| name.ends_with('s')).collect();
    loss(&lists)
}
