//! Compose files, manifests of Kubernetes and Knative, Helm values, serverless.yml, SAM templates, app.yaml, render.yaml.

use super::command::{Several, is_several, several};
use super::entries::{self, Entry};
use super::{Replicas, at, image_name, is_foreign};

/// The places of a file.
pub fn find(name: &str, text: &str) -> Vec<Replicas> {
    // Most YAML speaks of something else.
    const WORDS: &[&str] = &[
        "eplica",
        "scale:",
        "maxScale",
        "max-scale",
        "workers",
        "-w",
        "-i",
        "--cluster",
        "WEB_CONCURRENCY",
        "Serverless",
        "functions:",
        "AWS::Lambda",
        "nstances",
        "numInstances",
    ];
    if !WORDS.iter().any(|word| text.contains(word)) {
        return Vec::new();
    }
    let mut out = Vec::new();
    for document in entries::yaml(text) {
        if document.iter().any(|entry| entry.is(&["kind"])) {
            kubernetes(&document, &mut out);
        } else if document.iter().any(|entry| entry.starts(&["services"])) {
            services(&document, &mut out);
        }
        other(name, &document, &mut out);
    }
    out
}

fn services(document: &[Entry], out: &mut Vec<Replicas>) {
    let mut names: Vec<&str> = Vec::new();
    for entry in document.iter().filter(|entry| entry.starts(&["services", "*", "*"])) {
        if !names.contains(&entry.path[1].as_str()) {
            names.push(&entry.path[1]);
        }
    }
    for name in names {
        let own: Vec<&Entry> = document.iter().filter(|entry| entry.starts(&["services", name])).collect();
        let value = |keys: &[&str]| own.iter().find(|entry| entry.path[2..] == *keys).map(|entry| entry.value.as_str());
        let context = value(&["build"]).or_else(|| value(&["build", "context"]));
        let image = value(&["image"]).map(image_name);
        // What is built here is ours whatever its name.
        if context.is_none() && (is_foreign(name) || image.is_some_and(is_foreign)) {
            continue;
        }
        let mut names = vec![name.to_owned()];
        names.extend(image.map(str::to_owned));
        let mut add = |mut found: Replicas| {
            found.context = context.map(str::to_owned);
            found.names.clone_from(&names);
            out.push(found);
        };
        for entry in &own {
            let keys = &entry.path[2..];
            let counted = keys == ["deploy", "replicas"] || keys == ["scale"];
            if counted && is_several(&entry.value, false) {
                add(at(entry.line, entry.column, format!("{}: {} of service {name}", keys.join("."), entry.value)));
            }
        }
        for found in started(&own, &["command", "entrypoint"]).into_iter().chain(concurrency(&own)) {
            add(at(found.line, found.column, format!("{} in service {name}", found.words)));
        }
    }
}

/// What the command lines under these keys start. The words of one command may stand in several entries.
fn started(own: &[&Entry], keys: &[&str]) -> Option<Several> {
    let under = |entry: &&&Entry| entry.path.iter().any(|key| keys.contains(&key.as_str()));
    let tokens: Vec<_> = own.iter().filter(under).flat_map(|entry| entry.tokens()).collect();
    several(&tokens)
}

/// `WEB_CONCURRENCY` of an environment, as a key, a word, or a name and a value.
fn concurrency(own: &[&Entry]) -> Option<Several> {
    const NAME: &str = "WEB_CONCURRENCY";
    own.iter().enumerate().find_map(|(index, entry)| {
        let value = if entry.path.last().is_some_and(|key| key == NAME) {
            &entry.value
        } else if entry.value == NAME && entry.ends(&["name"]) {
            let next = own.get(index + 1)?;
            let pair = next.ends(&["value"]) && next.path[..next.path.len() - 1] == entry.path[..entry.path.len() - 1];
            pair.then_some(&next.value)?
        } else {
            return entry.value.strip_prefix("WEB_CONCURRENCY=").and_then(|_| several(&entry.tokens()));
        };
        is_several(value, false).then(|| Several {
            words: format!("{NAME}={value}"),
            line: entry.line,
            column: entry.column,
        })
    })
}

fn kubernetes(document: &[Entry], out: &mut Vec<Replicas>) {
    let value = |keys: &[&str]| document.iter().find(|entry| entry.is(keys)).map_or("", |entry| entry.value.as_str());
    let kind = value(&["kind"]);
    let name = match value(&["spec", "scaleTargetRef", "name"]) {
        "" => value(&["metadata", "name"]),
        name => name,
    };
    let images = document.iter().filter(|entry| entry.ends(&["image"])).map(|entry| image_name(&entry.value));
    let mut names = vec![name.to_owned()];
    names.extend(images.map(str::to_owned));
    if names.iter().any(|name| is_foreign(name)) {
        return;
    }
    let keys: &[&[&str]] = match kind {
        "Deployment" | "StatefulSet" | "ReplicaSet" | "Rollout" => &[&["spec", "replicas"]],
        "HorizontalPodAutoscaler" => &[&["spec", "maxReplicas"], &["spec", "minReplicas"]],
        "ScaledObject" => &[&["spec", "maxReplicaCount"], &["spec", "minReplicaCount"]],
        "Kustomization" => &[&["replicas", "*", "count"]],
        "Service" | "Revision" | "Configuration" if value(&["apiVersion"]).starts_with("serving.knative.dev/") => &[],
        _ => return,
    };
    let mut found: Vec<Replicas> = Vec::new();
    if let Some(entry) = keys.iter().find_map(|keys| {
        document.iter().find(|entry| entry.is(keys) && entry.number().is_some_and(|number| number > 1))
    }) {
        let key = entry.path.last().map_or("", String::as_str);
        found.push(at(entry.line, entry.column, format!("{key}: {} of {kind} {name}", entry.value)));
    }
    let scales = |entry: &&Entry| {
        entry.path.last().is_some_and(|key| {
            key.starts_with("autoscaling.knative.dev/")
                && ["maxScale", "max-scale", "minScale", "min-scale"].iter().any(|end| key.ends_with(end))
        }) && entry.number().is_some_and(|number| number > 1)
    };
    if let Some(entry) = document.iter().find(scales) {
        let key = entry.path.last().and_then(|key| key.rsplit('/').next()).unwrap_or_default();
        found.push(at(entry.line, entry.column, format!("{key}: {} of {kind} {name}", entry.value)));
    }
    let all: Vec<&Entry> = document.iter().collect();
    for several in started(&all, &["command", "args"]).into_iter().chain(concurrency(&all)) {
        found.push(at(several.line, several.column, format!("{} in {kind} {name}", several.words)));
    }
    for mut replicas in found {
        replicas.names.clone_from(&names);
        out.push(replicas);
    }
}

fn other(name: &str, document: &[Entry], out: &mut Vec<Replicas>) {
    let first = |test: &dyn Fn(&&Entry) -> bool| document.iter().find(test);
    let more = |entry: &Entry| entry.number().is_some_and(|number| number > 1);
    let plain = name.trim_end_matches(".yaml").trim_end_matches(".yml");
    let all: Vec<&Entry> = document.iter().collect();
    if matches!(plain, "serverless") && document.iter().any(|entry| entry.starts(&["provider"])) {
        let function = first(&|entry| entry.starts(&["functions", "*"]));
        out.extend(
            function.map(|entry| at(entry.line, entry.column, "a function of the Serverless Framework".to_owned())),
        );
    }
    let lambda = |entry: &&Entry| {
        entry.is(&["Resources", "*", "Type"])
            && matches!(entry.value.as_str(), "AWS::Serverless::Function" | "AWS::Lambda::Function")
    };
    out.extend(first(&lambda).map(|entry| at(entry.line, entry.column, format!("a resource {}", entry.value))));
    if plain == "app" || plain.starts_with("app.") {
        let scaled = |entry: &&Entry| {
            let counts = entry.is(&["automatic_scaling", "*"])
                || entry.is(&["basic_scaling", "*"])
                || entry.is(&["manual_scaling", "*"]);
            counts
                && ["max_instances", "min_instances", "instances"].iter().any(|key| entry.ends(&[key]))
                && more(entry)
        };
        let found = first(&scaled)
            .map(|entry| at(entry.line, entry.column, format!("{}: {}", entry.path.join("."), entry.value)));
        out.extend(found);
        let started = started(&all, &["entrypoint"]).into_iter().chain(concurrency(&all));
        if document.iter().any(|entry| entry.is(&["runtime"])) {
            out.extend(started.map(|several| at(several.line, several.column, several.words)));
        }
    }
    if plain == "values" || plain.starts_with("values-") || plain.starts_with("values.") {
        let scales = first(&|entry| entry.ends(&["autoscaling", "enabled"]) && entry.value == "true").is_some();
        let counted = |entry: &&Entry| {
            let key = entry.path.last().map_or("", String::as_str);
            (matches!(key, "replicaCount" | "replicas") || (scales && entry.ends(&["autoscaling", "maxReplicas"])))
                && more(entry)
                && !entry.path.iter().any(|key| is_foreign(key))
        };
        out.extend(
            first(&counted)
                .map(|entry| at(entry.line, entry.column, format!("{}: {}", entry.path.join("."), entry.value))),
        );
    }
    if plain == "render" {
        let counted =
            |entry: &&Entry| (entry.ends(&["numInstances"]) || entry.ends(&["scaling", "maxInstances"])) && more(entry);
        out.extend(
            first(&counted)
                .map(|entry| at(entry.line, entry.column, format!("{}: {}", entry.path[2..].join("."), entry.value))),
        );
    }
}
