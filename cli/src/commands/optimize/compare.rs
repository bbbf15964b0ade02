//! Another program's trajectory in the eyes of this problem: what it costs, how large its gaps are, how far from
//! optimal it is.

use super::tables;
use crate::error::Error;
use gradyn_files::number::exact;
use gradyn_files::solution::{Reference, violations, worst};
use gradyn_files::task::Task;
use gradyn_trajectory::Fault;
use gradyn_trajectory::quadratic::Quadratic;
use gradyn_trajectory::riccati::Riccati;
use nalgebra::DVector;
use std::path::Path;
use unicode_width::UnicodeWidthStr;

/// What a trajectory is like.
struct Findings {
    cost: f64,
    costs: Vec<(String, f64)>,
    /// The largest gap, and its node.
    gap: (f64, usize),
    /// `max |Q_u|` and its node; none if the sweep fails, where it does.
    stationarity: Result<(f64, usize), usize>,
    /// `Σ Q_uᵀ k`: what a full step would gain to first order.
    expected: Option<f64>,
}

pub(super) fn text(task: &Task, file: &Path) -> Result<String, Error> {
    let all = Reference::read(file, task)?.exactly(task)?;
    let refuse = |fault: Fault| Error::content(file.display().to_string(), fault.to_string());
    let found = findings(task, &all).map_err(refuse)?;
    // Names that are longer move the numbers to the right.
    let width = found.costs.iter().map(|(name, _)| name.width() + 4).fold(22, usize::max);
    let row = |label: &str, value: String| {
        let room = width.saturating_sub(label.width());
        format!("{label}{:room$}{value}\n", "")
    };
    let mut text = row("cost", exact(found.cost));
    for (name, cost) in &found.costs {
        text.push_str(&row(&format!("  {name}"), exact(*cost)));
    }
    let node = |k: usize| format!("node {}, phase {}", k.saturating_sub(task.first()), task.problem.phase_of(k));
    text.push_str(&row("largest gap", format!("{:.3e} ({})", found.gap.0, node(found.gap.1))));
    let violations = violations(task, &all, &[], &[]);
    if !violations.is_empty() {
        text.push_str(&row("largest violation", format!("{:.3e}", worst(&violations))));
        text.push_str(&tables::constraints(&violations));
    }
    // A sweep without multipliers says nothing of what bounds hold back.
    if violations.iter().any(|of| of.active > 0) {
        return Ok(text);
    }
    let stationarity = match found.stationarity {
        Ok((most, k)) => format!("{most:.3e} ({})", node(k)),
        Err(k) => format!("none: the sweep is indefinite at {}", node(k)),
    };
    text.push_str(&row("stationarity |Qu|", stationarity));
    if let Some(expected) = found.expected {
        text.push_str(&row("expected decrease", format!("{expected:.3e}")));
    }
    Ok(text)
}

/// One sweep at the trajectory as it is.
fn findings(task: &Task, all: &gradyn_trajectory::Trajectory) -> Result<Findings, Fault> {
    let problem = &task.problem;
    let (steps, space) = (problem.steps(), problem.space());
    let dims: Vec<_> = (0..=steps).map(|k| problem.dims(k)).collect();
    let mut memory = problem.memory();
    let mut lq: Vec<Quadratic> = Vec::new();
    let mut gaps: Vec<DVector<f64>> = Vec::new();
    let mut costs: Vec<(String, f64)> = Vec::new();
    let mut worst = (0.0, 0);
    for (k, size) in dims.iter().enumerate() {
        let reached = lq.last().map_or_else(|| problem.start().to_vec(), |before| before.next.clone());
        let mut gap = DVector::zeros(size.ndx);
        space.difference(all.x(k), &reached, gap.as_mut_slice()).map_err(|reason| Fault {
            node: k,
            phase: problem.phase_of(k).to_owned(),
            term: None,
            reason: Box::new(reason),
        })?;
        if gap.amax() > worst.0 {
            worst = (gap.amax(), k);
        }
        gaps.push(gap);
        let mut node = Quadratic::new(*size, k == steps);
        problem.linearize(k, all.x(k), all.u(k), &mut memory, &mut node)?;
        lq.push(node);
        for (name, cost) in problem.costs(k, all.x(k), all.u(k), &mut memory)? {
            match costs.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += cost,
                None => costs.push((name, cost)),
            }
        }
    }
    let mut riccati = Riccati::new(&dims);
    let swept = riccati.sweep(&lq, &gaps, task.solver.regularization);
    let left = |k: usize| riccati.nodes[k].qu.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let stationarity = match swept {
        Err(at) => Err(at.node()),
        Ok(()) => Ok((0..steps).map(|k| (left(k), k)).fold((0.0, 0), |a, b| if b.0 > a.0 { b } else { a })),
    };
    let expected = stationarity.is_ok().then(|| riccati.nodes.iter().map(|node| node.qu.dot(&node.k)).sum());
    Ok(Findings { cost: lq.iter().map(|node| node.cost).sum(), costs, gap: worst, stationarity, expected })
}
