//! `release`: contacts that an impact would have to pull are let go, and the task is solved again without them.

use super::contact_report::ContactReport;
use super::{Event, Solved, Watcher, solve};
use crate::Error;
use crate::task::{PhaseTask, Released, Task};
use gradyn_trajectory::solver::{Guess, Warning};

/// Solves again until no impact pulls on a contact that its phase may release; with what was let go. What is gained is
/// never let go: it is what the impact is of.
pub(super) fn release(
    task: Task,
    solved: Solved,
    watcher: &mut Watcher<'_>,
) -> Result<(Task, Solved, Vec<Released>), Error> {
    let (mut task, mut solved, mut released) = (task, solved, Vec::new());
    loop {
        let found = let_go(&task, &solved);
        if found.is_empty() || !solved.found.report.status.is_solved() {
            break;
        }
        for Released { impact, contact } in &found {
            watcher(Event::Note(&format!(
                "release: the impulse of `{contact}` would pull at `{impact}`, and is left out"
            )));
        }
        released.extend(found);
        let mut next = task.changed(&[], &released)?;
        next.solver.threads = task.solver.threads;
        let trajectory = solved.found.trajectory;
        let guess = Guess { name: String::from("with all contacts"), trajectory, warm: None };
        solved = solve(&next, &[guess], watcher);
        task = next;
    }
    for Released { impact, contact } in &released {
        let node = task.problem.nodes_of(impact).ok().map(|nodes| nodes.start);
        let text = format!("`{contact}` is let go at `{impact}`: the impulse there would have to pull on the ground");
        solved.found.report.warnings.push(Warning { about: contact.clone(), node, text });
    }
    Ok((task, solved, released))
}

/// Contacts that an impact pulls and may release.
fn let_go(task: &Task, solved: &Solved) -> Vec<Released> {
    let Some(held) = ContactReport::of(task, &solved.found.trajectory, &solved.found.report.status) else {
        return Vec::new();
    };
    let may = |impact: &str, contact: &str| {
        let at = task.phases.iter().position(|phase| phase.name == impact && phase.release)?;
        let before = task.phases[..at].iter().rev().find(|phase| !phase.is_jump())?;
        let holds = |phase: &PhaseTask| phase.held.iter().any(|held| held.contact.name == contact);
        holds(before).then_some(())
    };
    let pulls = held.pulls().map(|of| (task.problem.phase_of(of.node), of.name.as_str()));
    let found = pulls.filter(|(impact, contact)| may(impact, contact).is_some());
    found.map(|(impact, contact)| Released { impact: impact.to_owned(), contact: contact.to_owned() }).collect()
}
