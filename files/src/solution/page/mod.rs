//! A trajectory as one page: the robot in motion, plots, and the verdict. One file, with script and style inside, and
//! no network.

mod curves;
mod measures;
mod scene;

use super::contact_report;
use super::motion::{Beside, Motion};
use super::violations::Violation;
use super::{Solution, Solved};
use crate::number::five;
use crate::page::{Line, Plot, Scale, document, escape, row, table};
use crate::task::Task;
use curves::Curves;
use gradyn_trajectory::{Attempt, Report, Warning};
use measures::Measures;
use scene::Scene;

/// The whole page.
pub(super) fn write(all: &Solution, beside: Option<&Beside>) -> String {
    let Solution { task, solved, motion, .. } = all;
    let measures = Measures::of(task, motion);
    let beside = beside.map(|of| (of, Measures::of(task, &of.motion)));
    let beside = beside.as_ref().map(|(of, measures)| (*of, measures));
    let scene = Scene::new(task, (motion, &measures), beside.map(|(of, _)| of));
    // `<` could end the script.
    let data = serde_json::to_string(&scene).unwrap_or_else(|_| String::from("{}")).replace('<', "\\u003c");
    let mut html = String::from("<main>\n");
    verdict(task, solved, motion, &mut html);
    told(&solved.found.report, &mut html);
    html.push_str(&include_str!("stage.html").replace("LEGEND", &scene.legend()));
    parameters(task, motion, &mut html);
    costs(motion, &mut html);
    constraints(motion, &mut html);
    contacts(task, motion, &mut html);
    between(all, &mut html);
    iterations(solved, &mut html);
    Curves { task, motion, measures: &measures, beside }.write(&mut html);
    html.push_str(&format!("<footer>gradyn {}, three.js 0.187.0</footer>\n</main>\n", env!("CARGO_PKG_VERSION")));
    html.push_str(&format!("<script type=\"application/json\" id=\"scene\">{data}</script>\n"));
    html.push_str(&format!("<script>\n{}</script>\n", include_str!("three.min.js")));
    html.push_str(&format!("<script>\n{}</script>\n", include_str!("page.js")));
    document(&format!("gradyn optimize: {}", task.name), include_str!("page.css"), &html)
}

fn verdict(task: &Task, solved: &Solved, motion: &Motion, html: &mut String) {
    let report = &solved.found.report;
    let class = if report.status.is_solved() { "good" } else { "bad" };
    let mut status = report.status.to_string();
    if let Some(first) = status.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let model = &task.start.model;
    html.push_str(&format!(
        "<header>\n<h1>{}</h1>\n<p class=\"verdict {class}\">{}</p>\n<p>{}: {} iterations, cost {}, largest gap {}, {} s. \
         {}, {} nodes, {} s, nv {}, {} controls.</p>\n</header>\n",
        escape(&task.name),
        escape(&status),
        escape(task.solver.solver.name),
        report.iterations,
        five(report.cost),
        five(report.gap),
        five(solved.took.as_secs_f64()),
        escape(model.name()),
        motion_nodes(task),
        five(motion.time.last().copied().unwrap_or(0.0)),
        model.nv(),
        task.start.actuated.names.len(),
    ));
}

/// Warnings, and what was tried.
fn told(report: &Report, html: &mut String) {
    if !report.warnings.is_empty() {
        html.push_str("<section>\n<h2>Warnings</h2>\n<ul>\n");
        let line = |warning: &Warning| format!("<li>{}</li>\n", escape(&warning.text));
        html.push_str(&report.warnings.iter().map(line).collect::<String>());
        html.push_str("</ul>\n</section>\n");
    }
    if report.attempts.len() > 1 {
        html.push_str("<section>\n<h2>Attempts</h2>\n");
        let line = |Attempt { what, status, iterations, cost, violation }: &Attempt| {
            let cells = [what.clone(), status.to_string(), iterations.to_string(), five(*cost), five(*violation)];
            row(&cells, Some(status.is_solved()))
        };
        html.push_str(&table(&["tried", "ended", "iterations", "cost", "violation"], report.attempts.iter().map(line)));
        html.push_str("</section>\n");
    }
}

fn motion_nodes(task: &Task) -> usize {
    task.nodes()
}

fn parameters(task: &Task, motion: &Motion, html: &mut String) {
    if motion.parameters.is_empty() && motion.durations.is_empty() {
        return;
    }
    html.push_str("<section>\n<h2>Parameters</h2>\n");
    let numbers = |x: &[f64]| x.iter().map(|x| five(*x)).collect::<Vec<_>>().join(", ");
    let rows = task.start.parameters.iter().zip(&motion.parameters);
    let rows = rows.map(|(of, (name, x))| row(&[name.clone(), numbers(x), of.unit.to_owned(), of.of.clone()], None));
    let lasts = |(phase, seconds): &(String, f64)| {
        row(&["duration".to_owned(), five(*seconds), "s".to_owned(), phase.clone()], None)
    };
    let rows = rows.chain(motion.durations.iter().map(lasts));
    html.push_str(&table(&["parameter", "chosen", "unit", "of"], rows));
    html.push_str("</section>\n");
}

fn costs(motion: &Motion, html: &mut String) {
    html.push_str("<section>\n<h2>Costs</h2>\n");
    let total: f64 = motion.costs.iter().map(|(_, cost)| cost).sum();
    let mut costs = motion.costs.clone();
    costs.sort_by(|a, b| b.1.total_cmp(&a.1));
    let share = |cost: f64| if total > 0.0 { format!("{:.1} %", 100.0 * cost / total) } else { String::new() };
    let rows = costs.iter().map(|(name, cost)| row(&[name.clone(), five(*cost), share(*cost)], None));
    html.push_str(&table(&["cost", "sum over all nodes", "share"], rows));
    html.push_str("</section>\n");
}

fn constraints(motion: &Motion, html: &mut String) {
    if motion.violations.is_empty() {
        return;
    }
    html.push_str("<section>\n<h2>Constraints</h2>\n");
    let mut all: Vec<&Violation> = motion.violations.iter().collect();
    all.sort_by(|a, b| b.violation.total_cmp(&a.violation).then(b.active.cmp(&a.active)));
    let line = |kept: &&Violation| {
        let place = if kept.violation > 0.0 { format!("node {}, {}", kept.node, kept.phase) } else { String::new() };
        let price = kept.multiplier.map_or_else(String::new, five);
        let at = format!("{} of {}", kept.active, kept.rows);
        // A violation of this size is what the usual tolerance leaves.
        row(&[kept.name.clone(), five(kept.violation), place, at, price], Some(kept.violation <= 1e-6))
    };
    let heads = ["constraint", "largest violation", "where", "rows at a bound", "largest multiplier"];
    html.push_str(&table(&heads, all.iter().map(line)));
    html.push_str("</section>\n");
}

/// What contacts, loops and impulses do.
fn contacts(task: &Task, motion: &Motion, html: &mut String) {
    let Some(of) = &motion.contact_report else { return };
    html.push_str("<section>\n<h2>Contacts</h2>\n");
    for (heads, rows) in of.tables(task) {
        // Columns that none has are left out.
        let there: Vec<usize> = (0..heads.len()).filter(|k| rows.iter().any(|row| !row.cells[*k].is_empty())).collect();
        let heads: Vec<&str> = there.iter().map(|k| heads[*k]).collect();
        let cells = |of: &contact_report::Row| there.iter().map(|k| of.cells[*k].clone()).collect::<Vec<_>>();
        html.push_str(&table(&heads, rows.iter().map(|of| row(&cells(of), Some(of.good)))));
    }
    html.push_str("</section>\n");
}

/// What steps get wrong, and what happens between nodes.
fn between(Solution { task, motion, resimulated, .. }: &Solution, html: &mut String) {
    let Some(of) = resimulated else { return };
    let node = |k: usize| k.saturating_sub(task.first());
    let place = |k: usize| format!("node {}, {}", node(k), task.problem.phase_of(k));
    html.push_str("<section>\n<h2>Between nodes</h2>\n");
    html.push_str("<p class=\"note\">Each step integrated again from its own node, in tenths, by a method of higher order; and the whole plan under its feedback gains.</p>\n");
    let mut rows = Vec::new();
    if let Some(worst) = of.check.largest() {
        let good = of.worst_step().is_none();
        let cells = [
            "largest defect of a step, of its change".into(),
            five(worst.relative),
            place(worst.node),
            five(of.tolerances.step_defect),
        ];
        rows.push(row(&cells, Some(good)));
    }
    for (worst, _) in of.worst_between() {
        let most = if worst.of_forces { of.tolerances.force } else { of.tolerances.constraint };
        let cells =
            [worst.constraint.clone(), five(worst.violation), format!("after {}", place(worst.node)), five(most)];
        rows.push(row(&cells, Some(false)));
    }
    match &of.followed {
        Ok(end) => {
            let cells = [
                "distance at the end, under feedback".into(),
                five(end.position),
                String::from("end"),
                five(of.end_distance),
            ];
            rows.push(row(&cells, Some(end.position <= of.end_distance)));
        }
        Err(why) => rows.push(row(
            &["distance at the end, under feedback".into(), why.clone(), String::new(), five(of.end_distance)],
            Some(false),
        )),
    }
    html.push_str(&table(&["what", "largest", "where", "allowed"], rows.into_iter()));
    let points = of.check.defects.iter().filter(|of| of.relative > 0.0);
    let points: Vec<_> = points.filter_map(|of| Some((*motion.time.get(node(of.node))?, of.relative))).collect();
    if points.len() > 1 {
        let (from, to) = (points[0].0, points[points.len() - 1].0);
        let allowed = of.tolerances.step_defect;
        let lines = vec![
            Line { class: "claimed", points },
            Line { class: "guide", points: vec![(from, allowed), (to, allowed)] },
        ];
        let plot = Plot {
            x: "s".into(),
            y: String::from("defect"),
            scales: [Scale::Linear, Scale::Log],
            lines,
            clock: true,
            names: vec![("claimed", String::from("defect")), ("guide", String::from("allowed"))],
            ..Plot::default()
        };
        html.push_str("<div class=\"figures\">\n");
        html.push_str(&plot.figure("What each step gets wrong, of its change."));
        html.push_str("</div>\n");
    }
    html.push_str("</section>\n");
}

/// Plots by iteration.
fn iterations(solved: &Solved, html: &mut String) {
    let history = &solved.found.history;
    let over = |of: fn(&gradyn_trajectory::Iteration) -> Option<f64>| -> Vec<(f64, f64)> {
        #[expect(clippy::cast_precision_loss, reason = "iterations are few")]
        history.iter().filter_map(|it| Some((it.iteration as f64, of(it)?))).collect()
    };
    html.push_str("<section>\n<h2>Iterations</h2>\n<div class=\"figures\">\n");
    let log = [Scale::Linear, Scale::Log];
    let cost = Line { class: "claimed", points: over(|it| Some(it.cost)) };
    // A cost that is not positive has no logarithm.
    let scales = if history.iter().all(|it| it.cost > 0.0) { log } else { [Scale::Linear; 2] };
    html.push_str(
        &Plot {
            x: "iteration".into(),
            y: String::from("cost"),
            scales,
            lines: vec![cost],
            names: vec![("claimed", String::from("cost"))],
            ..Plot::default()
        }
        .figure("Cost."),
    );
    let lines = vec![
        Line { class: "claimed", points: over(|it| Some(it.stationarity)) },
        Line { class: "found", points: over(|it| it.kkt_error.or(it.expected_decrease)) },
        Line { class: "wrong", points: over(|it| Some(it.gap)) },
    ];
    let report = &solved.found.report;
    let left =
        if report.kkt_error.is_some() { "the residual of the conditions of optimality" } else { "expected decrease" };
    let names = vec![
        ("claimed", String::from("stationarity")),
        ("found", left.to_owned()),
        ("wrong", String::from("largest gap, while there is one")),
    ];
    let y = String::from("residual");
    html.push_str(&Plot { x: "iteration".into(), y, scales: log, lines, names, ..Plot::default() }.figure(""));
    let names = [(report.mu, "μ of the barriers"), (report.penalty, "penalty ρ")];
    if let Some((_, name)) = names.into_iter().find(|(has, _)| has.is_some()) {
        let lines = vec![
            Line { class: "wrong", points: over(|it| Some(it.violation)) },
            Line { class: "found", points: over(|it| it.mu.or(it.penalty)) },
        ];
        let names = vec![
            ("wrong", String::from("largest violation of a constraint, while there is one")),
            ("found", String::from(name)),
        ];
        let y = format!("violation, {name}");
        html.push_str(&Plot { x: "iteration".into(), y, scales: log, lines, names, ..Plot::default() }.figure(""));
    }
    html.push_str("</div>\n</section>\n");
}
