//! One round: groups are applied one after the other to one state of the files, each as a whole or not at all.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use super::conflict;
use super::files::{Change, Files};
use super::fixpoint::{AppliedGroup, GroupChange, Refused, Round};
use super::gate::{self, Syntax};
use super::group::Group;
use super::level::Level;
use super::refusal::{Conflict, Refusal};
use super::select;
use super::text::{self, Edit};
use crate::syntax::source::{MARK, SourceText, without_mark};

/// What holds for every group of a round.
pub struct Rules<'a> {
    /// The highest level that is applied.
    pub level: Level,
    /// Judges texts.
    pub syntax: &'a dyn Syntax,
    /// Groups that were applied in earlier rounds.
    pub earlier: BTreeSet<String>,
    /// Groups that are not applied any more, and why.
    pub banned: &'a BTreeMap<String, Refused>,
}

/// A group that has to wait for the next round.
pub struct Deferred {
    /// The group.
    pub group: Group,
    /// The group that it waits for.
    pub after: String,
    /// How they are in each other's way; `None`: it requires the other one.
    pub conflict: Option<Conflict>,
}

/// How a round went.
#[derive(Default)]
pub struct Played {
    /// What was applied.
    pub round: Round,
    /// What was not, and why.
    pub refused: Vec<Refused>,
    /// What comes into question again when the rest was applied.
    pub deferred: Vec<Deferred>,
}

/// Applies what can be applied of some groups.
pub fn play(files: &mut Files, groups: &[Group], rules: &Rules<'_>) -> Played {
    let order = select::order(groups);
    let mut played = Played { refused: order.refused, ..Played::default() };
    let mut desk = Desk { files, rules, sheets: BTreeMap::new() };
    for group in order.groups {
        match desk.decide(&group, &played) {
            Ok(applied) => played.round.applied.push(applied),
            Err(Setback::Wait { after, conflict }) => played.deferred.push(Deferred { group, after, conflict }),
            Err(Setback::Refuse(refusal)) => played.refused.push(Refused { group, refusal }),
        }
    }
    played
}

/// Why a group is not applied in this round.
enum Setback {
    Wait { after: String, conflict: Option<Conflict> },
    Refuse(Refusal),
}

impl From<Refusal> for Setback {
    fn from(refusal: Refusal) -> Self {
        Self::Refuse(refusal)
    }
}

/// A file as it is in the middle of a round.
#[derive(Clone)]
struct Sheet {
    /// The text that all edits of the round refer to, without a byte order mark.
    base: Arc<str>,
    /// Begins with a byte order mark.
    mark: bool,
    /// The edits so far, each with the group that made it first.
    edits: Vec<(Edit, String)>,
    /// The text after them.
    now: Arc<str>,
}

impl Sheet {
    /// Edits of the base as edits of the text that it is now. None of them touches an edit that was made already.
    fn moved(&self, edits: &[Edit]) -> Vec<Edit> {
        let moved = |at: usize| {
            let before = self.edits.iter().filter(|(edit, _)| edit.end <= at);
            let (came, went) = before
                .fold((0, 0), |(came, went), (edit, _)| (came + edit.replacement.len(), went + edit.end - edit.start));
            at + came - went
        };
        let one = |edit: &Edit| {
            let start = moved(edit.start);
            Edit { start, end: start + edit.end - edit.start, ..edit.clone() }
        };
        edits.iter().map(one).collect()
    }

    /// A text as it is on disk.
    fn on_disk(&self, text: &str) -> Arc<str> {
        if self.mark { format!("{MARK}{text}").into() } else { text.into() }
    }
}

/// The work of one round.
struct Desk<'a> {
    files: &'a mut Files,
    rules: &'a Rules<'a>,
    sheets: BTreeMap<String, Sheet>,
}

/// What a group would do, before it is decided.
#[derive(Default)]
struct Draft {
    sheets: BTreeMap<String, Sheet>,
    changes: Vec<GroupChange>,
    shared: BTreeSet<String>,
}

impl Desk<'_> {
    fn decide(&mut self, group: &Group, played: &Played) -> Result<AppliedGroup, Setback> {
        self.may(group)?;
        self.has_what_it_requires(group, played)?;
        let edits = self.valid_edits(group)?;
        if let Some(conflict) = played.round.applied.iter().find_map(|done| conflict::between(group, &done.group)) {
            return Err(Setback::Wait { after: conflict.with.clone(), conflict: Some(conflict) });
        }
        let mut draft = Draft::default();
        self.draft_files(group, played, &mut draft)?;
        for (path, edits) in &edits {
            self.draft_edits(group, path, edits, &mut draft)?;
        }
        Ok(self.settle(group, draft))
    }

    fn may(&self, group: &Group) -> Result<(), Refusal> {
        if let Some(banned) = self.rules.banned.get(&group.id) {
            return Err(banned.refusal.clone());
        }
        if group.level > self.rules.level || group.level == Level::Manual {
            return Err(Refusal::Level { level: group.level, limit: self.rules.level });
        }
        if group.is_empty() { Err(Refusal::NoChange) } else { Ok(()) }
    }

    fn has_what_it_requires(&self, group: &Group, played: &Played) -> Result<(), Setback> {
        for id in &group.requires {
            let applied = played.round.applied.iter().any(|done| done.group.id == *id);
            if applied || self.rules.earlier.contains(id) {
                continue;
            }
            if played.deferred.iter().any(|deferred| deferred.group.id == *id) {
                return Err(Setback::Wait { after: id.clone(), conflict: None });
            }
            let refused =
                played.refused.iter().any(|other| other.group.id == *id) || self.rules.banned.contains_key(id);
            return Err(Refusal::Requires { id: id.clone(), refused }.into());
        }
        Ok(())
    }

    /// The edits of a group by file, all of which can be applied to the text of the round, and change it.
    fn valid_edits(&mut self, group: &Group) -> Result<Vec<(String, Vec<Edit>)>, Refusal> {
        let mut out = Vec::new();
        let mut changes = !group.new_files.is_empty();
        for path in group.paths() {
            let edits = group.edits_of(path);
            if !edits.is_empty() {
                let base = self.sheet(path)?.base;
                let edits = text::normalise(&base, &edits).map_err(Refusal::BadEdit)?;
                changes |= edits.iter().any(|edit| base[edit.range()] != edit.replacement);
                out.push((path.to_owned(), edits));
            }
        }
        if changes { Ok(out) } else { Err(Refusal::NoChange) }
    }

    /// A file as the groups before left it.
    fn sheet(&mut self, path: &str) -> Result<Sheet, Refusal> {
        if let Some(sheet) = self.sheets.get(path) {
            return Ok(sheet.clone());
        }
        let on_disk = self.files.text(path)?;
        let base: Arc<str> = without_mark(&on_disk).into();
        let sheet = Sheet { mark: base.len() < on_disk.len(), now: Arc::clone(&base), base, edits: Vec::new() };
        self.sheets.insert(path.to_owned(), sheet.clone());
        Ok(sheet)
    }

    /// Checks the new files of a group. A new file has no syntax error at all.
    fn draft_files(&mut self, group: &Group, played: &Played, draft: &mut Draft) -> Result<(), Refusal> {
        for file in &group.new_files {
            let maker = played.round.applied.iter().find(|done| done.group.new_files.contains(file));
            if let Some(maker) = maker {
                draft.shared.insert(maker.group.id.clone());
                continue;
            }
            self.files.admit_new(&file.path)?;
            if draft.changes.iter().any(|made| made.change.path == file.path) {
                return Err(Refusal::Exists { path: file.path.clone() });
            }
            self.sound(&file.path, without_mark(&file.text), &[], &[])?;
            let change = Change { path: file.path.clone(), before: None, after: file.text.as_str().into() };
            draft.changes.push(GroupChange { change, ranges: Vec::new() });
        }
        Ok(())
    }

    /// Applies the edits of one file to what earlier groups made of it.
    fn draft_edits(&mut self, group: &Group, path: &str, edits: &[Edit], draft: &mut Draft) -> Result<(), Refusal> {
        let mut sheet = self.sheet(path)?;
        let done: Vec<Edit> = sheet.edits.iter().map(|(edit, _)| edit.clone()).collect();
        let (shared, own): (Vec<&Edit>, Vec<&Edit>) =
            edits.iter().partition(|edit| conflict::is_shared(edit, edits, &done));
        let maker = |edit: &&Edit| sheet.edits.iter().find(|(other, _)| other == *edit).map(|(_, id)| id.clone());
        draft.shared.extend(shared.iter().filter_map(maker));
        let own: Vec<Edit> = own.into_iter().cloned().collect();
        let moved = sheet.moved(&own);
        let before = self.errors(path, &sheet.now)?;
        self.nothing_near(path, &sheet.now, &before, &moved)?;
        let applied = text::apply(&sheet.now, &moved).map_err(Refusal::BadEdit)?;
        if applied.text == *sheet.now {
            return Ok(());
        }
        self.sound(path, &applied.text, &before, &applied.ranges)?;
        self.bound(path, &sheet.now, &applied.text)?;
        let (before, after) = (sheet.on_disk(&sheet.now), sheet.on_disk(&applied.text));
        let change = Change { path: path.to_owned(), before: Some(before), after };
        draft.changes.push(GroupChange { change, ranges: applied.ranges });
        sheet.edits.extend(own.into_iter().map(|edit| (edit, group.id.clone())));
        sheet.now = applied.text.into();
        draft.sheets.insert(path.to_owned(), sheet);
        Ok(())
    }

    fn errors(&self, path: &str, text: &str) -> Result<Vec<Range<usize>>, Refusal> {
        let judged = self.rules.syntax.errors(path, text);
        judged.map_err(|why| Refusal::NotJudged { path: path.to_owned(), why })
    }

    /// Refuses edits next to what could not be understood.
    fn nothing_near(&self, path: &str, text: &str, errors: &[Range<usize>], edits: &[Edit]) -> Result<(), Refusal> {
        if errors.is_empty() {
            return Ok(());
        }
        for edit in edits {
            let statement = self.rules.syntax.statement(path, text, edit.range());
            if let Some(error) = gate::near(text, errors, edit.range(), statement) {
                return Err(Refusal::SyntaxNear { path: path.to_owned(), line: gate::line_of(text, error.start) });
            }
        }
        Ok(())
    }

    /// Refuses a text with errors that were not there before, or that the next scan would not take in.
    fn sound(
        &self,
        path: &str,
        text: &str,
        before: &[Range<usize>],
        moved: &[(Range<usize>, Range<usize>)],
    ) -> Result<(), Refusal> {
        let readable = SourceText::decode(text.as_bytes().to_vec());
        readable.map_err(|error| Refusal::NotJudged { path: path.to_owned(), why: format!("it then {error}") })?;
        match gate::added(before, &self.errors(path, text)?, moved) {
            Some(error) => Err(Refusal::Breaks { path: path.to_owned(), line: gate::line_of(text, error.start) }),
            None => Ok(()),
        }
    }

    /// Refuses a text with a name in it that has lost what declared it, or never had it.
    fn bound(&self, path: &str, before: &str, after: &str) -> Result<(), Refusal> {
        let unbound = self.rules.syntax.unbound(path, after);
        if unbound.is_empty() {
            return Ok(());
        }
        match gate::lost(&self.rules.syntax.unbound(path, before), unbound) {
            Some((name, at)) => Err(Refusal::Unbound { path: path.to_owned(), line: gate::line_of(after, at), name }),
            None => Ok(()),
        }
    }

    fn settle(&mut self, group: &Group, draft: Draft) -> AppliedGroup {
        self.sheets.extend(draft.sheets);
        let mut changes = draft.changes;
        changes.sort_by(|a, b| a.change.path.cmp(&b.change.path));
        for GroupChange { change, .. } in &changes {
            self.files.change(&change.path, &change.after);
        }
        AppliedGroup { group: group.clone(), changes, shared: draft.shared.into_iter().collect() }
    }
}
