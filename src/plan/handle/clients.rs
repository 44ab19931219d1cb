//! Clients of stores outside of the program: which one it is, and which stores it keeps together.

use rustc_hash::FxHashSet;

use crate::classify::access::chained;
use crate::classify::stores::Found;
use crate::model::flow::Flow;
use crate::model::flow::value::ObjId;
use crate::model::name::Name;
use crate::rules::detect::Context;

/// A client of Redis, by the way in which its commands are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Client {
    /// `ioredis`: lower case, options as arguments, several keys as arguments.
    IoRedis,
    /// `redis`: camel case, options in an object, several keys in a list.
    NodeRedis,
    /// `@upstash/redis` and `@vercel/kv`: lower case, options in an object, values are packed by the client.
    Upstash,
}

const CLIENTS: &[(&str, Client)] = &[
    ("ioredis", Client::IoRedis),
    ("ioredis-mock", Client::IoRedis),
    ("redis", Client::NodeRedis),
    ("@redis/client", Client::NodeRedis),
    ("@upstash/redis", Client::Upstash),
    ("@vercel/kv", Client::Upstash),
];

/// The client that stores are kept by, where it is one of Redis and nothing else. One that the program has of its own, perhaps beside
/// it, answers nobody knows what.
pub fn of(context: &Context<'_, '_>, stores: &[&Found]) -> Option<Client> {
    let flow = &context.analysis.flow;
    let mut out = None;
    for access in stores.iter().flat_map(|found| &found.uses) {
        for id in flow.objects_at(access.receiver) {
            let client = client(flow, id)?;
            if out.is_some_and(|known| known != client) {
                return None;
            }
            out = Some(client);
        }
    }
    out
}

fn client(flow: &Flow<'_>, id: ObjId) -> Option<Client> {
    let object = flow.object(id);
    let (package, _) = object.external.filter(|_| object.class.is_none())?;
    // What a client's own method answers (`multi`) is made by no package's name.
    let package = package.text();
    CLIENTS.iter().find(|(name, _)| *name == package).map(|(_, client)| *client)
}

/// Stores outside of the program, those together that one client of Redis keeps for the same tools: one thing, under several keys.
pub fn together<'s>(context: &Context<'_, '_>, stores: &[&'s Found]) -> Vec<Vec<&'s Found>> {
    let mut out: Vec<Vec<&Found>> = Vec::new();
    for found in stores {
        let belongs = |group: &Vec<&Found>| {
            group.iter().any(|other| are_one(context, found, other))
                && of(context, &[found]).is_some()
                && of(context, group).is_some()
        };
        let (own, others): (Vec<_>, Vec<_>) = std::mem::take(&mut out).into_iter().partition(belongs);
        out = others;
        out.push(own.into_iter().flatten().chain([*found]).collect());
    }
    // What most tools use names it.
    out.iter_mut().for_each(|group| group.sort_by_key(|found| std::cmp::Reverse(found.tools.len())));
    out
}

/// Whether two stores are parts of one thing, or can't be told apart: what the keys of one begin with is not known.
fn are_one(context: &Context<'_, '_>, one: &Found, other: &Found) -> bool {
    let unknown = |found: &Found| found.name == found.holder.name;
    let own = receivers(context, one);
    receivers(context, other).iter().any(|receiver| own.contains(receiver))
        && (unknown(one) || unknown(other) || one.tools.iter().any(|tool| other.tools.contains(tool)))
}

/// What the client is called where a store is used, by file.
fn receivers(context: &Context<'_, '_>, found: &Found) -> FxHashSet<(u32, Name)> {
    let flow = &context.analysis.flow;
    let named = |access: &crate::classify::access::Access| {
        let at = chained(flow, access.receiver);
        flow.written_name(at).map(|name| (at.module, name))
    };
    found.uses.iter().filter_map(named).collect()
}
