//! Whether a plan file fits what it is about: it was written for the code as it was then.

use super::FixError;
use crate::check::config::nearest;
use crate::check::config::plan_file::PlanFile;
use crate::pipeline::Pass;

/// Refuses a plan that speaks of what is not there, or decides what can't be.
pub fn check(plan: &PlanFile, pass: &Pass) -> Result<(), FixError> {
    let servers = &pass.scan.servers;
    let again = "Write the plan anew with `mcp-migrate plan`, and make your changes again.";
    for (path, place) in &plan.servers {
        if !servers.iter().any(|server| server.path == *path) {
            let message =
                format!("{place}: there is no server in `{path}`, so the code has changed since the plan was made");
            return Err(FixError::Program { message, help: again.to_owned() });
        }
    }
    let parts = pass.plans.iter().flat_map(|plan| &plan.parts).map(String::as_str);
    let stores: Vec<&str> =
        servers.iter().flat_map(|server| &server.stores).map(|store| store.id.as_str()).chain(parts).collect();
    for (id, decision) in &plan.decisions {
        if stores.contains(&id.as_str()) {
            continue;
        }
        let hint = nearest(id, &stores).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let message = format!(
            "{}: nothing of the id `{id}` is kept per session{hint}",
            decision.places.get("id").map_or("the plan", String::as_str)
        );
        let help =
            format!("It was migrated, renamed or taken away since the plan was made. Take its table out, or: {again}");
        return Err(FixError::Program { message, help });
    }
    match pass.plans.iter().flat_map(|plan| &plan.wrong).next() {
        Some(wrong) => {
            Err(FixError::Program { message: format!("{}: {}", wrong.place, wrong.what), help: wrong.todo.clone() })
        }
        None => Ok(()),
    }
}
