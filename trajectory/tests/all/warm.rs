//! Warm starts: a solution is exported, and another solver of the same kind begins there.

use crate::common::puck::puck;
use gradyn_trajectory::residual::{Control, StateError};
use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
use gradyn_trajectory::{
    Cost, Newton, NewtonOptions, PathConstraint, Phase, Problem, Proximal, ProximalOptions, Report, Status, WarmStart,
    guess,
};

/// A mass that is to come to rest at a place in a second, with forces that are bounded, and at their bounds on some of
/// the way: the least squares of forces without bounds begin at 6 N for each meter.
fn problem(goal: f64) -> Problem {
    let model = puck();
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::Full(3)));
    let phase = Phase::new("move", 20, 0.05, step)
        .cost(Cost::new("force", Control::zero()).weight(0.1))
        .control_bounds(&[-5.0; 3], &[5.0; 3]);
    Problem::builder(&model)
        .phase(phase)
        .last_constraint(PathConstraint::equal("there", StateError::at(&model, &[goal, 0.5, 0.0], &[0.0; 3])))
        .build()
        .expect("is a problem")
}

/// Solved from a guess, where that ended, and solved again by another solver from there, for another problem.
fn twice(solver: &str, first: &Problem, second: &Problem) -> (Report, WarmStart, Report, Report) {
    let start = guess::standing(first);
    macro_rules! with {
        ($solver:ident, $options:ident) => {{
            let mut solver = $solver::new(first, $options::default());
            assert_eq!(solver.warm_start(), None);
            let report = solver.solve(first, &start);
            let warm = solver.warm_start().expect("was solved");
            let again = $solver::new(second, $options::default()).solve_warm(second, &warm);
            let cold = $solver::new(second, $options::default()).solve(second, &start);
            (report, warm, again, cold)
        }};
    }
    if solver == "newton" { with!(Newton, NewtonOptions) } else { with!(Proximal, ProximalOptions) }
}

/// From its own solution there is nothing to do; for a goal that is a little further, less than from the guess.
#[test]
fn a_solver_begins_where_another_one_has_ended() {
    for solver in ["newton", "proximal"] {
        let (here, further) = (problem(1.0), problem(1.005));
        let (report, warm, again, _) = twice(solver, &here, &here);
        assert_eq!(report.status, Status::Converged, "{solver}");
        assert!(warm.fits(&here));
        assert!(warm.nodes.iter().any(|node| node.upper.iter().chain(&node.lower).any(|z| *z > 1e-3)), "{solver}");
        assert_eq!((again.status, again.iterations <= 3), (Status::Converged, true), "{solver}: {}", again.iterations);
        // The same point, but for the rounding of multipliers that are scaled.
        assert!((again.cost - report.cost).abs() < 1e-12 * report.cost, "{solver}: {} {}", again.cost, report.cost);
        let (_, _, again, cold) = twice(solver, &here, &further);
        assert_eq!((&again.status, &cold.status), (&Status::Converged, &Status::Converged), "{solver}");
        assert!(again.iterations < cold.iterations, "{solver}: {} {}", again.iterations, cold.iterations);
        // Both are at the optimum, to the tolerance.
        assert!((again.cost - cold.cost).abs() < 1e-6 * cold.cost, "{solver}: {} {}", again.cost, cold.cost);
    }
}

/// What does not fit the problem is a fault.
#[test]
fn warm_starts_of_other_sizes_are_faults() {
    let here = problem(1.0);
    for solver in ["newton", "proximal"] {
        let (_, warm, ..) = twice(solver, &here, &here);
        let broken: [fn(&mut WarmStart); 5] = [
            |warm| warm.nodes.truncate(3),
            |warm| warm.nodes[2].slacks.clear(),
            |warm| warm.nodes[2].lower[0] = f64::NAN,
            |warm| warm.mu = -1.0,
            |warm| warm.scale = 0.0,
        ];
        for (k, change) in broken.into_iter().enumerate() {
            let mut warm = warm.clone();
            change(&mut warm);
            assert!(!warm.fits(&here), "{k}");
            let report = match solver {
                "newton" => Newton::new(&here, NewtonOptions::default()).solve_warm(&here, &warm),
                _ => Proximal::new(&here, ProximalOptions::default()).solve_warm(&here, &warm),
            };
            assert!(matches!(report.status, Status::Fault(_)), "{k}: {}", report.status);
        }
    }
}
