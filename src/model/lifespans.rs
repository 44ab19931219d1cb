//! Code that runs once for the process although requests run the function around it: an application is called for its own start and
//! end as well.

use super::facts::{ExprKind, Span};
use super::flow::Flow;
use super::program::At;

/// The branches of applications that only those calls go through, with their modules.
pub(super) fn branches(flow: &Flow<'_>) -> Vec<(u32, Span)> {
    let mut out = Vec::new();
    for (module, facts) in (0u32..).zip(&flow.program.modules) {
        let named = |id| matches!(facts.kind(id), ExprKind::Text(text) if text.text().starts_with("lifespan"));
        for expr in &facts.exprs {
            let ExprKind::Compare { operator, left, right } = &expr.kind else { continue };
            if *operator != "==" || !(named(*left) || named(*right)) {
                continue;
            }
            let asks = |condition| facts.expr(condition).span.contains(expr.span);
            let around = flow.branches_in(At { module, id: expr.func }).filter(|branch| asks(branch.condition));
            out.extend(around.map(|branch| (module, branch.then)));
        }
    }
    out
}
