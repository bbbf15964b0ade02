//! The last lines of a solution: what is left of constraints, what was tried, warnings, what to try, and the status.

use super::tables;
use crate::table::{Align, Table};
use anstyle::{AnsiColor, Style};
use gradyn_files::number::five;
use gradyn_files::solution::{Solution, Solved, Violation, worst};
use gradyn_files::task::Task;
use gradyn_trajectory::{Attempt, Report, Status};

/// All of them; `chosen`: lines of parameters and durations.
pub(super) fn text(Solution { task, solved, motion, .. }: &Solution, chosen: &str) -> String {
    let (report, violations) = (&solved.found.report, &motion.violations[..]);
    let failed = !report.status.is_solved();
    let mut text = if failed && !violations.is_empty() { tables::constraints(violations) } else { String::new() };
    if let Some(of) = &motion.contact_report {
        text.push_str(&tables::contacts(of, task));
    }
    text.push_str(&attempts(&report.attempts));
    text.push_str(chosen);
    let yellow = Style::new().fg_color(Some(AnsiColor::Yellow.into()));
    for warning in &report.warnings {
        text.push_str(&format!("{yellow}warning:{yellow:#} {warning}\n"));
    }
    for advice in advice(task, &report.status) {
        text.push_str(&format!("try: {advice}\n"));
    }
    let color = if failed { AnsiColor::Red } else { AnsiColor::Green };
    let style = Style::new().bold().fg_color(Some(color.into()));
    text.push_str(&format!("{style}{}{style:#}\n", last_line(solved, violations)));
    text
}

fn last_line(solved: &Solved, violations: &[Violation]) -> String {
    let Report { status, iterations, cost, gap, kkt_error, expected_decrease, .. } = &solved.found.report;
    let violation =
        if violations.is_empty() { String::new() } else { format!(", violation {}", five(worst(violations))) };
    let left = |what: &str, x: Option<f64>| x.map_or_else(String::new, |x| format!(", {what} {}", five(x)));
    format!(
        "{status}: {iterations} iterations, cost {}, gap {}{violation}{}{}, {:.3} s",
        five(*cost),
        five(*gap),
        left("KKT error", *kkt_error),
        left("expected decrease", *expected_decrease),
        solved.took.as_secs_f64(),
    )
}

/// What was tried, if that was more than one thing.
fn attempts(all: &[Attempt]) -> String {
    if all.len() < 2 {
        return String::new();
    }
    let heads = [("tried", Align::Left), ("ended", Align::Left), ("iterations", Align::Right)];
    let mut table = Table::new(heads.into_iter().chain([("cost", Align::Right), ("violation", Align::Right)]));
    for Attempt { what, status, iterations, cost, violation } in all {
        let cells = [what, status.name(), &iterations.to_string(), &five(*cost), &five(*violation)].map(str::to_owned);
        table.row(cells.iter().map(|cell| cell.as_str().into()));
    }
    let mut text = String::new();
    table.render(0, &mut text);
    text
}

/// What may help where no solution was found.
fn advice(task: &Task, status: &Status) -> Vec<&'static str> {
    match status {
        Status::NoFeasiblePoint { .. } | Status::Stalled { .. } | Status::Diverged => {
            let mut all =
                vec!["another guess: `[guess]` with `states = \"interpolation\"`, way-points, or several `[[guess]]`"];
            if task.free_phases().next().is_some() {
                all.push("another duration to begin with: `duration` of the phases whose `free_duration` is wide");
            }
            all.push("more room: the constraints of the table, one at a time, and see which one helps");
            all
        }
        Status::IterationLimit => vec!["more `iterations` in `[solver]`"],
        _ => Vec::new(),
    }
}
