//! The problem as understood.

use crate::table::{Align, Table};
use anstyle::Style;
use gradyn_files::number::{five, short};
use gradyn_files::task::{At, Controls, GuessSource, GuessTask, States, Task, Term};
use gradyn_trajectory::Loss;
use gradyn_trajectory::step::Scheme;

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
    text.push_str(&format!("sizes      {} nodes, {} s, ndx {ndx}, nu {}\n", task.nodes(), five(end), names.len()));
    text.push_str(&format!("solver     {}\n", solver(task)));
    for of in &task.guesses {
        text.push_str(&format!("guess      {}\n", guess(of)));
    }
    text.push_str(&format!("\n{bold}phases{bold:#}\n"));
    phases(task, &mut text);
    if !task.start.parameters.is_empty() {
        text.push_str(&format!("\n{bold}parameters{bold:#}\n"));
        parameters(task, &mut text);
    }
    text.push_str(&format!("\n{bold}costs{bold:#}\n"));
    costs(task, &mut text);
    if !task.constraints.is_empty() {
        text.push_str(&format!("\n{bold}constraints{bold:#}\n"));
        constraints(task, &mut text);
    }
    text
}

fn solver(task: &Task) -> String {
    let solver = &task.solver;
    let own = if solver.has_multipliers() {
        let (hessian, roll_out) = (solver.hessian_name(), solver.roll_out_name());
        let (name, mu) = solver.mu();
        format!(", hessian {hessian}, roll-out {roll_out}, {name} {}", five(mu))
    } else {
        String::new()
    };
    format!(
        "{}, at most {} iterations{}, tolerance {}, {} thread{}{own}",
        solver.solver.name,
        solver.iterations,
        solver.time.map_or_else(String::new, |time| format!(" and {} s", five(time.as_secs_f64()))),
        five(solver.tolerance),
        solver.threads,
        if solver.threads == 1 { "" } else { "s" },
    )
}

fn guess(guess: &GuessTask) -> String {
    let (states, controls) = match &guess.made {
        GuessSource::File(file) => return format!("from {}", file.display()),
        GuessSource::Of(states, controls) => (states, controls),
    };
    let states = match states {
        States::Standing => String::from("standing at the start"),
        States::Interpolation(_) => String::from("interpolation from the start to a configuration"),
        States::WayPoints(all) => format!("from the start through {} way-points", all.len()),
        States::Drawn(_, width, seed) => {
            format!("from the start to a configuration, bent aside by up to {} (seed {seed})", five(*width))
        }
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
    let mut first = task.first();
    for phase in &task.phases {
        let end = first + phase.nodes();
        let (least, most) =
            phase.dt.iter().fold((f64::INFINITY, 0.0_f64), |(least, most), dt| (least.min(*dt), most.max(*dt)));
        // Lengths of one phase that are equal but for rounding are shown as one.
        let dt = if most - least <= 1e-12 * most { five(most) } else { format!("{}..{}", five(least), five(most)) };
        let contact = |held: &gradyn_files::task::HeldContact| {
            let n = held.contact.normal;
            let tilted = n.x != 0.0 || n.y != 0.0 || n.z < 0.0;
            let normal = format!(", normal {} {} {}", five(n.x), five(n.y), five(n.z));
            format!("{} ({}{})", held.contact.name, held.hold.name(), if tilted { normal.as_str() } else { "" })
        };
        let contacts: Vec<String> = phase.held.iter().map(contact).collect();
        let cells = [
            phase.name.clone(),
            phase.nodes().to_string(),
            five(task.problem.time(first)),
            five(task.problem.time(end)),
            dt,
            phase.scheme.map_or("impact", Scheme::name).to_owned()
                + if phase.implicit_friction { ", implicit friction" } else { "" },
            if contacts.is_empty() { String::from("none") } else { contacts.join(", ") },
        ];
        table.row(cells.iter().map(|cell| cell.as_str().into()));
        first = end;
    }
    table.render(2, text);
    for (phase, [least, most]) in task.phases.iter().filter_map(|phase| Some((phase, phase.free?))) {
        text.push_str(&format!(
            "  {} lasts from {} to {} s, as the solver chooses\n",
            phase.name,
            five(least),
            five(most)
        ));
    }
}

fn parameters(task: &Task, text: &mut String) {
    let mut table = Table::new(["parameter", "kind", "of", "unit", "bounds"].map(|head| (head, Align::Left)));
    for of in &task.start.parameters {
        let cells =
            [of.parameter.name(), of.kind, &of.of, of.unit, &range(&of.bounds[0], &of.bounds[1])].map(str::to_owned);
        table.row(cells.iter().map(|cell| cell.as_str().into()));
    }
    table.render(2, text);
}

fn costs(task: &Task, text: &mut String) {
    let heads = ["cost", "kind", "of", "weight", "entries", "where", "goals"];
    let align = |(k, name): (usize, &'static str)| (name, if k == 3 { Align::Right } else { Align::Left });
    let mut table = Table::new(heads.into_iter().enumerate().map(align));
    for cost in &task.costs {
        let term = &cost.term;
        let cells = [&term.name, term.kind, &of(term, task), &five(cost.weight), loss(&cost.loss), &place(term, task)]
            .map(str::to_owned);
        let cells = [&cells[..], &[goals(term)]].concat();
        table.row(cells.iter().map(|cell| cell.as_str().into()));
    }
    table.render(2, text);
}

fn constraints(task: &Task, text: &mut String) {
    let heads = ["constraint", "kind", "of", "bounds", "where", "goals"];
    let mut table = Table::new(heads.map(|head| (head, Align::Left)));
    for constraint in &task.constraints {
        let term = &constraint.term;
        let bounds = constraint.set.text().unwrap_or_else(|| range(&constraint.lower, &constraint.upper));
        let cells = [&term.name, term.kind, &of(term, task), &bounds];
        let cells = [&cells.map(str::to_owned)[..], &[place(term, task), goals(term)]].concat();
        table.row(cells.iter().map(|cell| cell.as_str().into()));
    }
    table.render(2, text);
}

/// Bounds of the rows that have any: all of them alike as one, and of many the first ones.
fn range(lower: &[f64], upper: &[f64]) -> String {
    const SHOWN: usize = 3;
    let one = |(lower, upper): (&f64, &f64)| match (lower.is_finite(), upper.is_finite()) {
        _ if lower >= upper => Some(format!("= {}", short(*lower))),
        (true, true) => Some(format!("{} to {}", short(*lower), short(*upper))),
        (true, false) => Some(format!(">= {}", short(*lower))),
        (false, true) => Some(format!("<= {}", short(*upper))),
        (false, false) => None,
    };
    let all: Vec<String> = lower.iter().zip(upper).filter_map(one).collect();
    let mut shown = all.clone();
    shown.dedup();
    let more = shown.len() > SHOWN;
    shown.truncate(SHOWN);
    let (text, rows) = (shown.join(", "), all.len());
    match lower.len() {
        n if rows < n => format!("{text}{} ({rows} of {n} rows)", if more { ", .." } else { "" }),
        n if more => format!("{text}, .. ({n} rows)"),
        _ => text,
    }
}

/// The frame or the contact that a term is of, and the parameter.
fn of(term: &Term, task: &Task) -> String {
    let contact = term.contact.as_deref().unwrap_or("");
    let of = term.frame.map_or(contact, |frame| task.start.model.frames()[frame.index()].name());
    match &term.parameter {
        Some(name) if of.is_empty() => name.clone(),
        Some(name) => format!("{of} less {name}"),
        None => of.to_owned(),
    }
}

fn place(term: &Term, task: &Task) -> String {
    let phases: Vec<&str> = term.phases.iter().map(|k| task.phases[*k].name.as_str()).collect();
    let phases = phases.join(", ");
    match &term.at {
        At::Along if term.end => format!("along {phases}, and at the end"),
        At::Along => format!("along {phases}"),
        At::End => String::from("at the end"),
        At::Nodes(nodes) => {
            let nodes: Vec<String> = nodes.iter().map(ToString::to_string).collect();
            format!("at nodes {} of {phases}", nodes.join(", "))
        }
    }
}

fn goals(term: &Term) -> String {
    if term.goals.len() > 1 { format!("{}, interpolated", term.goals.len()) } else { String::from("1") }
}

fn loss(loss: &Loss) -> &'static str {
    match loss {
        Loss::Quadratic => "quadratic",
        Loss::Diagonal(_) => "weighted",
        Loss::Full(_) => "weighted by a matrix",
        Loss::QuadraticBarrier { .. } => "outside bounds",
        Loss::LogBarrier { .. } => "log barrier",
        Loss::Huber { .. } => "Huber",
        Loss::SmoothL1 { .. } => "smooth L1",
        _ => "other",
    }
}
