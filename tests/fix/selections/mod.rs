//! Choices that a session remembers as arguments: small programs, as for handles.

use crate::handles::{Cases, each, keeps_line_ends, needs_no_semicolons};

const SELECTIONS: Cases = Cases { folder: "selections/cases", step: "selection:", what: "an argument of the tools" };

#[test]
fn each_way_to_remember_a_choice() {
    each(&SELECTIONS);
}

#[test]
fn line_ends_are_kept() {
    keeps_line_ends(&SELECTIONS);
}

#[test]
fn semicolons_are_not_needed() {
    needs_no_semicolons(&SELECTIONS);
}
