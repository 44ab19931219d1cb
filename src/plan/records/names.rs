//! What the table of the state is called, and the type of its values.

use crate::classify::stores::Found;
use crate::classify::words::{capital, words};
use crate::model::flow::value::Value;
use crate::model::name::Name;
use crate::model::vocabulary::Role;
use crate::plan::handle::{only_domain, plural, singular, values};
use crate::rules::detect::Context;

/// Names that are new.
pub struct Names {
    /// The table.
    pub table: String,
    /// The type of its values.
    pub state: String,
}

/// The only field, what the server is about, or the first list says what the state is.
pub fn of(context: &Context<'_, '_>, found: &Found, fields: &[Name]) -> Names {
    let noun = match fields {
        [only] => field(context, found, *only),
        _ => server(context)
            .or_else(|| {
                let list = fields.iter().find(|name| is_list(context, found, **name))?;
                Some(field(context, found, *list))
            })
            .unwrap_or_else(|| vec!["session".to_owned()]),
    };
    let mut several = noun.clone();
    if let Some(last) = several.last_mut() {
        *last = plural(last);
    }
    let capitals = |words: &[String]| words.iter().map(|word| capital(word)).collect::<String>();
    let camel = |words: &[String]| {
        let first = words.first().cloned().unwrap_or_default();
        format!("{first}{}", capitals(words.get(1..).unwrap_or_default()))
    };
    let state = format!("{}State", capitals(&noun));
    let table = camel(&several);
    let table = if table == found.name.text() { format!("{}States", camel(&noun)) } else { table };
    Names { table, state }
}

/// `cart` is one, and so is the list of `items`.
fn field(context: &Context<'_, '_>, found: &Found, name: Name) -> Vec<String> {
    let mut out = words(name.text());
    if let Some(last) = out.last_mut() {
        let one = singular(last);
        if one != *last && is_list(context, found, name) {
            *last = one;
            out.push("list".to_owned());
        } else {
            *last = one;
        }
    }
    out
}

fn is_list(context: &Context<'_, '_>, found: &Found, name: Name) -> bool {
    let flow = &context.analysis.flow;
    let records = values(context.analysis, found);
    let kept = records.iter().flat_map(|id| flow.fields(*id)).filter(|(field, _)| *field == name);
    kept.flat_map(|(_, values)| values)
        .any(|value| matches!(value, Value::Object(id) if matches!(flow.object(id).role, Some(Role::List | Role::Set))))
}

/// What the name of the only server says.
fn server(context: &Context<'_, '_>) -> Option<Vec<String>> {
    let mut noun = words(&only_domain(context, None)?);
    let last = noun.last_mut()?;
    *last = singular(last);
    Some(noun)
}
