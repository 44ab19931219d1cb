//! Capabilities that a server without sessions offers and can't keep: they go, where nothing of the server uses them.

use super::{Claim, Level, Site, Step, StepKind, site};
use crate::model::program::ExprRef;
use crate::rules::detect::Context;
use crate::rules::stateless_capability::{self, idle};

/// What goes.
#[derive(Clone, Debug)]
pub struct Capabilities {
    /// The values that say that something is offered: `true` of `listChanged: true`.
    pub values: Vec<Site>,
}

/// Plans that a server without sessions offers no more than it can keep.
pub fn plan(context: &Context<'_, '_>) -> Option<Step> {
    let found = idle(context);
    let place = |at: &ExprRef| site(context, context.spot(*at));
    let mut values: Vec<Site> = found.iter().map(place).collect();
    values.sort();
    values.dedup();
    let first = values.first()?;
    let rule = stateless_capability::RULE.name;
    Some(Step {
        id: format!("capabilities:{}", first.path),
        rule,
        title: "Offer no news: nobody can be told without a standing connection".to_owned(),
        level: Level::Safe,
        requires: Vec::new(),
        claims: values.iter().map(|at| Claim { rule, at: at.clone() }).collect(),
        notes: Vec::new(),
        kind: StepKind::Capabilities(Box::new(Capabilities { values })),
    })
}
