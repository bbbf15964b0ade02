//! The problem as understood.

use crate::number::{five, short};
use crate::table::{Align, Table};
use crate::task::{At, Controls, GuessTask, States, Task};
use anstyle::Style;
use gradyn_trajectory::Loss;

/// All of it, for people.
pub(super) fn text(task: &Task) -> String {
    let bold = Style::new().bold();
    let mut text = format!("{bold}{}{bold:#}\n", task.name);
    let (model, problem) = (&task.start.model, &task.problem);
    let base = if model.nq() == model.nv() { "" } else { ", quaternions x, y, z, w" };
    text.push_str(&format!(
        "robot      {} ({}), nq {}, nv {}{base}, joint friction {}\n",
        model.name(),
        task.robot.path.display(),
        model.nq(),
        model.nv(),
        if model.has_joint_friction() { "on" } else { "off" },
    ));
    let names = &task.start.actuated.names;
    text.push_str(&format!("controls   {}: {}\n", names.len(), names.join(", ")));
    text.push_str(&match &task.start.actuated.bounds {
        None => String::from("bounds     none\n"),
        Some((lower, upper)) => {
            let one = |(lower, upper): (&f64, &f64)| format!("{} to {}", short(*lower), short(*upper));
            let all: Vec<String> = lower.iter().zip(upper).map(one).collect();
            format!(
                "bounds     {}\n",
                if all.windows(2).all(|w| w[0] == w[1]) { all[0].clone() } else { all.join(", ") }
            )
        }
    });
    let end = problem.time(problem.steps());
    let most = (0..=problem.steps()).map(|k| problem.dims(k)).max_by_key(|d| d.ndx);
    let ndx = most.map_or(0, |d| d.ndx);
    text.push_str(&format!(
        "sizes      {} nodes, {} s, ndx {ndx}, nu {}\n",
        problem.steps() + 1,
        five(end),
        names.len()
    ));
    text.push_str(&format!("solver     {}\n", solver(task)));
    text.push_str(&format!("guess      {}\n", guess(&task.guess)));
    text.push_str(&format!("\n{bold}phases{bold:#}\n"));
    phases(task, &mut text);
    text.push_str(&format!("\n{bold}costs{bold:#}\n"));
    costs(task, &mut text);
    text
}

fn solver(task: &Task) -> String {
    let solver = &task.solver;
    format!(
        "{}, at most {} iterations{}, tolerance {}, {} thread{}",
        solver.solver.name,
        solver.iterations,
        solver.time.map_or_else(String::new, |time| format!(" and {} s", five(time.as_secs_f64()))),
        five(solver.tolerance),
        solver.threads,
        if solver.threads == 1 { "" } else { "s" },
    )
}

fn guess(guess: &GuessTask) -> String {
    let GuessTask::Made(states, controls) = guess else {
        return match guess {
            GuessTask::File(file) => format!("from {}", file.display()),
            GuessTask::Made(..) => String::new(),
        };
    };
    let states = match states {
        States::Standing => "standing at the start",
        States::Interpolation(_) => "interpolation from the start to a configuration",
    };
    let controls = match controls {
        Controls::Zero => "no controls",
        Controls::Static => "controls that hold the robot still",
    };
    format!("{states}, {controls}")
}

fn phases(task: &Task, text: &mut String) {
    let heads = ["phase", "nodes", "from s", "to s", "dt s", "scheme", "contacts"];
    let right = [1, 2, 3, 4];
    let align = |(k, name): (usize, &'static str)| (name, if right.contains(&k) { Align::Right } else { Align::Left });
    let mut table = Table::new(heads.into_iter().enumerate().map(align));
    let mut first = 0;
    for phase in &task.phases {
        let end = first + phase.nodes();
        let (least, most) =
            phase.dt.iter().fold((f64::INFINITY, 0.0_f64), |(least, most), dt| (least.min(*dt), most.max(*dt)));
        // Lengths of one phase that are equal but for rounding are shown as one.
        let dt = if most - least <= 1e-12 * most { five(most) } else { format!("{}..{}", five(least), five(most)) };
        let contact = |held: &crate::task::Held| format!("{} ({})", held.contact.name, held.hold.name());
        let contacts: Vec<String> = phase.held.iter().map(contact).collect();
        let cells = [
            phase.name.clone(),
            phase.nodes().to_string(),
            five(task.problem.time(first)),
            five(task.problem.time(end)),
            dt,
            phase.scheme.map_or("impact", |scheme| scheme.name).to_owned(),
            if contacts.is_empty() { String::from("none") } else { contacts.join(", ") },
        ];
        table.row(cells.iter().map(|cell| cell.as_str().into()));
        first = end;
    }
    table.render(2, text);
}

fn costs(task: &Task, text: &mut String) {
    let heads = ["cost", "kind", "frame", "weight", "entries", "where", "goals"];
    let align = |(k, name): (usize, &'static str)| (name, if k == 3 { Align::Right } else { Align::Left });
    let mut table = Table::new(heads.into_iter().enumerate().map(align));
    for cost in &task.costs {
        let frame = cost.frame.map_or("", |frame| task.start.model.frames()[frame.index()].name());
        let phases: Vec<&str> = cost.phases.iter().map(|k| task.phases[*k].name.as_str()).collect();
        let place = match &cost.at {
            At::Along => format!("along {}", phases.join(", ")),
            At::End => String::from("at the end"),
            At::Nodes(nodes) => {
                let nodes: Vec<String> = nodes.iter().map(ToString::to_string).collect();
                format!("at nodes {} of {}", nodes.join(", "), phases.join(", "))
            }
        };
        let goals =
            if cost.goals.len() > 1 { format!("{}, interpolated", cost.goals.len()) } else { String::from("1") };
        let cells =
            [&cost.name, cost.kind, frame, &five(cost.weight), loss(&cost.loss), &place, &goals].map(str::to_owned);
        table.row(cells.iter().map(|cell| cell.as_str().into()));
    }
    table.render(2, text);
}

fn loss(loss: &Loss) -> &'static str {
    match loss {
        Loss::Quadratic => "quadratic",
        Loss::Diagonal(_) => "weighted",
        Loss::Full(_) => "weighted by a matrix",
        Loss::QuadraticBarrier { .. } => "outside bounds",
        _ => "other",
    }
}
