//! The record that functions were handed which register tools: one for each file that has such functions.

use super::ends;
use super::handed::{self, Parameter};
use super::record::{Record, Variable, camel, free, plurals};
use super::types::Typed;
use crate::plan::handle::captured::Captured;
use crate::plan::handle::handed::Handed;
use crate::render::Refused;
use crate::render::typescript::imports;
use crate::render::typescript::scope;
use crate::render::typescript::script::span;
use crate::render::typescript::scripts::{Scripts, mentions};

/// The records, that of the file which declares the store first.
pub fn records<'a>(
    captured: &'a Captured,
    handed: &Handed,
    scripts: &'a Scripts<'a>,
) -> Result<Vec<Record<'a>>, Refused> {
    let files = handed::parameters(captured, handed, scripts)?;
    for tool in &captured.tools {
        let (file, call) = scripts.expression(&tool.registration)?;
        let own = |parameter: &Parameter<'_>| {
            parameter.script.path == file.path && span(parameter.function).contains(span(call))
        };
        if !files.iter().flatten().any(own) {
            let why = "this tool is registered where what it uses is not in sight";
            return Err(file.refuse(call, why, "register it in the function that is handed that, and run again"));
        }
    }
    let mut out: Vec<Record<'a>> = Vec::new();
    let store = store(captured, &files)?;
    let outward = files.len() > 1
        || handed.last.iter().any(|site| Some(&site.path) != files.first().map(|own| &own[0].script.path));
    if let Some(own) = files.first().filter(|own| outward && imports::common_js(own[0].script)) {
        return Err(own[0].script.refuse(
            own[0].name,
            "files that use it would need the store, and this one has no `export`",
            "register its tools in one file, and end it in the same, then run again",
        ));
    }
    for parameters in &files {
        let Some(Parameter { script, name, function }) = parameters.first().copied() else { continue };
        means_one_thing(captured, parameters)?;
        let home = out.is_empty();
        // The file that makes it has the name of its class as well.
        let makes = handed.made.path == script.path;
        let first = if home || makes { Some(handed::first(captured, handed, scripts, script)?) } else { None };
        let ty = handed::ty(scripts, first.as_ref(), &parameters[0])?;
        let first = first.filter(|_| home);
        let own = script.of(name).to_owned();
        let variables = parameters.iter().map(|parameter| Variable {
            name: parameter.name,
            statement: parameter.function,
            ty: ty.clone(),
            value: None,
            field: None,
        });
        out.push(Record {
            captured,
            scripts,
            script,
            variables: variables.collect(),
            whole: true,
            ty: ty.as_ref().map(Typed::text),
            declares: false,
            store: store.clone(),
            close: ends::close(captured, scripts, Some(&own))?,
            name: own,
            first,
            outward,
            home,
            factory: function,
        });
    }
    match out.is_empty() {
        false => Ok(out),
        true => Err(Refused {
            at: captured.tools[0].registration.clone(),
            why: "which function takes it can't be told".to_owned(),
            todo: "run again".to_owned(),
            also: Vec::new(),
        }),
    }
}

/// What the store is called in all files.
fn store(captured: &Captured, files: &[Vec<Parameter<'_>>]) -> Result<String, Refused> {
    let names = plurals(&camel(&captured.names.noun, false));
    let Some(first) = files.first().and_then(|own| own.first()) else { return Ok(names[0].clone()) };
    let is_free =
        |name: &&String| files.iter().flatten().all(|own| free(own.script, &[(*name).clone()], own.name).is_ok());
    match names.iter().find(is_free) {
        Some(name) => Ok(name.clone()),
        None => free(first.script, &names, first.name),
    }
}

/// Refuses a function that has the name for something else as well.
fn means_one_thing(captured: &Captured, parameters: &[Parameter<'_>]) -> Result<(), Refused> {
    let (script, name) = (parameters[0].script, parameters[0].script.of(parameters[0].name));
    let own: Vec<_> = parameters.iter().filter_map(|parameter| scope::binding(script, parameter.name, name)).collect();
    for carrier in captured.carriers.iter().filter(|carrier| carrier.function.path == script.path) {
        let Some(body) = script.around(carrier.function.span) else { continue };
        let other = mentions(script, body, name)
            .into_iter()
            .find(|used| !scope::binding(script, *used, name).is_some_and(|bound| own.contains(&bound)));
        if let Some(other) = other {
            return Err(script.refuse(other, "this name means something else here", "rename it, and run again"));
        }
    }
    Ok(())
}
