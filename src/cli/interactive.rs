//! `fix --interactive`: each change is shown, and made only if its reader says so.

use std::io::{self, BufRead, IsTerminal};

use mcp_migrate::pipeline::fix::{self, FixError, FixOptions, Prepared};
use mcp_migrate::report::fix::Group;
use mcp_migrate::report::fix_text;

use super::args::Answers;
use super::output::Output;
use super::progress::Counter;

const HELP: &str = "  y  make this change\n  n  leave it out, and what needs it\n  a  make this one and all that follow\n  \
                    q  leave this one and all that follow out\n  d  show the diff";

/// What a reader says.
enum Said {
    Yes,
    No,
    All,
    Quit,
}

/// Asks for each change. Answers what is left when all were asked for; the options hold what was declined.
pub fn choose(options: &mut FixOptions, from: Answers, output: &Output) -> Result<Prepared, FixError> {
    if from == Answers::Terminal && !io::stdin().is_terminal() {
        return Err(FixError::Program {
            message: "--interactive asks at a terminal, and there is none".to_owned(),
            help: "Run it at a terminal; `--dry-run` shows all changes, and `--level` and `--plan` choose among them."
                .to_owned(),
        });
    }
    let counter = Counter::new(output.shows_progress());
    let mut prepared = fix::prepare(options, &counter)?;
    let mut accepted: Vec<String> = Vec::new();
    loop {
        let open = |group: &&Group| !accepted.contains(&group.id);
        let Some(group) = prepared.told().applied().find(open).cloned() else { return Ok(prepared) };
        match ask(&group, output)? {
            Said::Yes => accepted.push(group.id),
            Said::All => return Ok(prepared),
            Said::No => options.declined.push(group.id),
            Said::Quit => options.declined.extend(prepared.told().applied().filter(open).map(|group| group.id.clone())),
        }
        // What needs a change that is left out is left out with it, and later ones look at other code.
        prepared = fix::prepare(options, &counter)?;
    }
}

fn ask(group: &Group, output: &Output) -> Result<Said, FixError> {
    output.note(&format!("\n{} [{}, {}]", group.title, group.level.id(), group.rule));
    for note in &group.notes {
        output.note(&format!("  {note}"));
    }
    output.note(&format!("  {}", group.files.join(", ")));
    loop {
        output.question("Make this change? [y,n,a,q,d,?] ");
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line);
        match (read, line.trim().to_ascii_lowercase().as_str()) {
            // Nobody is there any more.
            (Err(_) | Ok(0), _) | (_, "q" | "quit") => return Ok(Said::Quit),
            (_, "y" | "yes") => return Ok(Said::Yes),
            (_, "n" | "no") => return Ok(Said::No),
            (_, "a" | "all") => return Ok(Said::All),
            (_, "d" | "diff") => output.note(fix_text::diff(&group.patch, output.style_of_stderr()).trim_end()),
            _ => output.note(HELP),
        }
    }
}
