//! What the handle of a captured value is called, and what is lost with it.

use super::Group;
use crate::classify::stores::Found;
use crate::model::flow::value::ObjId;
use crate::model::vocabulary::Role as Known;
use crate::plan::handle::facts::Kept;
use crate::plan::handle::names::{Source, singular};
use crate::plan::handle::planner::{Words, loss};
use crate::plan::handle::{Names, ToolUse, nouns, only_domain};
use crate::plan::settings::NameSetting;
use crate::rules::detect::Context;

/// The noun is what the variables keep; of several, what the tools that use them have in common; what the server is about; or a variable
/// that counts or names something.
pub(super) fn names(
    context: &Context<'_, '_>,
    group: &Group<'_>,
    words: &Words,
    chosen: &NameSetting,
    tools: &[ToolUse],
) -> Names {
    let with = |store: &str, value: Option<&str>, instead: &[String]| {
        let (tools, arguments) = (&words.tools, &words.arguments);
        Names::of(&Source { store, value, list: false, tools, arguments, instead, chosen })
    };
    let of = |store: &str, value: Option<&str>| with(store, value, &[]);
    let unknown = of("state", None);
    let tells = |names: &Names| names.noun != unknown.noun;
    let container = |found: &&&Found| !found.objects.is_empty();
    let is_several =
        |name: &str| crate::classify::words::words(name).last().is_some_and(|word| singular(word) != *word);
    let own = |found: &&Found| {
        let name = found.name.text();
        let names = of(name, found.value.as_deref());
        let thing = is_several(name) || !tells(&of(name, None));
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
    let containers: Vec<&&Found> = group.found.iter().filter(container).filter(thing).collect();
    let kept = containers.iter().copied().map(own).find(tells);
    let class = group.class.as_ref().map(|(class, _)| *class);
    let instead = nouns::instead(context, tools, class, words);
    // Ingredients and steps are parts of what the tools call a recipe.
    let parts = several && containers.iter().all(|found| is_several(found.name.text()));
    let spoken = || Some(with("state", None, &instead)).filter(tells);
    let of_parts = || spoken().filter(|_| parts && (containers.len() > 1 || nouns::is_whole(tools)));
    let only = || group.found.iter().map(own).find(tells);
    let domain = || only_domain(context, Some(group.scope)).map(|name| of(&name, None)).filter(tells);
    of_parts()
        .or(kept)
        .or_else(|| if several { None } else { only() })
        .or_else(|| if several { spoken() } else { None })
        .or_else(domain)
        .or_else(only)
        .or_else(spoken)
        .unwrap_or(unknown)
}

pub(super) fn is_list(context: &Context<'_, '_>, found: &Found) -> bool {
    let role = |id| context.analysis.flow.object(id).role;
    let written = found.value.as_deref().is_some_and(|value| value.ends_with("[]") || value.starts_with("Array<"));
    written
        || !found.objects.is_empty()
            && found.objects.iter().all(|id| matches!(role(*id), Some(Known::List | Known::Set)))
}

pub(super) fn lost(context: &Context<'_, '_>, group: &Group<'_>) -> String {
    let role = |id| context.analysis.flow.object(id).role;
    let holds_several = |found: &Found| {
        let several = |id: &ObjId| matches!(role(*id), Some(Known::List | Known::Set | Known::Map));
        is_list(context, found) || !found.objects.is_empty() && found.objects.iter().all(several)
    };
    let mut kept = Kept::default();
    for found in &group.found {
        kept.add(found.name.text(), holds_several(found));
    }
    loss(&kept)
}
