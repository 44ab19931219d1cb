//! State in a store outside of the program, by handle: small programs, as for handles.

use crate::handles::{Cases, each, keeps_line_ends, needs_no_semicolons, optional_for_a_time};

const EXTERNAL: Cases = Cases { folder: "external/cases", step: "handle:", what: "into handles" };

#[test]
fn each_way_to_keep_state_outside() {
    each(&EXTERNAL);
}

#[test]
fn line_ends_are_kept() {
    keeps_line_ends(&EXTERNAL);
}

#[test]
fn handles_are_optional_for_a_time_and_required_by_a_later_run() {
    optional_for_a_time(&EXTERNAL, 5);
}

#[test]
fn semicolons_are_not_needed() {
    needs_no_semicolons(&EXTERNAL);
}
