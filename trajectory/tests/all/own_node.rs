//! A node of one's own in a problem: whatever is not made of a step and costs.

use crate::common::robot;
use gradyn::Model;
use gradyn_trajectory::node::{At, Memory, NodeError};
use gradyn_trajectory::quadratic::{Dims, Quadratic};
use gradyn_trajectory::residual::StateError;
use gradyn_trajectory::{Cost, Fddp, FddpOptions, Node, Phase, Problem, Status, guess};

/// Controls are accelerations: `q⁺ = q + h v`, `v⁺ = v + h u`, at the price `½ h |u|²`; for joints that are numbers.
struct Glide {
    n: usize,
    /// An entry of A that is wrong by so much.
    mistake: f64,
}

impl Glide {
    fn step(&self, at: At<'_>, next: &mut [f64]) -> f64 {
        let n = self.n;
        for i in 0..n {
            next[i] = at.x[i] + at.dt * at.x[n + i];
            next[n + i] = at.x[n + i] + at.dt * at.u[i];
        }
        0.5 * at.dt * at.u.iter().map(|u| u * u).sum::<f64>()
    }
}

impl Node for Glide {
    fn dims(&self) -> Dims {
        Dims { nx: 2 * self.n, ndx: 2 * self.n, nu: self.n, n_eq: 0, n_in: 0 }
    }
    fn memory(&self) -> Memory {
        Box::new(())
    }
    fn value(&self, at: At<'_>, _: &mut Memory, next: &mut [f64], _: &mut [f64]) -> Result<f64, NodeError> {
        Ok(self.step(at, next))
    }
    fn linearize(&self, at: At<'_>, _: &mut Memory, out: &mut Quadratic) -> Result<(), NodeError> {
        let n = self.n;
        out.cost = self.step(at, &mut out.next);
        out.lu.iter_mut().zip(at.u).for_each(|(to, u)| *to = at.dt * u);
        for i in 0..n {
            out.luu[(i, i)] = at.dt;
            (out.a[(i, i)], out.a[(n + i, n + i)], out.a[(i, n + i)]) = (1.0, 1.0, at.dt);
            out.b[(n + i, i)] = at.dt;
        }
        out.a[(0, n)] += self.mistake;
        Ok(())
    }
}

fn problem(model: &Model, node: Glide) -> Problem {
    let goal = [0.3, -0.2, 0.1, -1.5, 0.4, 1.2, 0.0];
    Problem::builder(model)
        .phase(Phase::own("glide", 50, 0.02, node))
        .last(Cost::new("goal", StateError::at(model, &goal, &[0.0; 7])).weight(1e6))
        .build()
        .expect("a problem")
}

#[test]
fn it_is_solved_as_any_other() {
    let model = robot("panda", false);
    let problem = problem(&model, Glide { n: 7, mistake: 0.0 });
    let mut solver = Fddp::new(&problem, FddpOptions::default());
    let report = solver.solve(&problem, &guess::standing(&problem));
    assert_eq!(report.status, Status::Converged);
    // Linear and quadratic: one step, another to see that it was right, and one for the sake of regularization.
    assert!(report.iterations <= 3, "{report:?}");
    // A rest-to-rest glide over D in T costs 6 D² / T³ in the limit of short steps; here are fifty.
    let length: f64 = [0.3_f64, -0.2, 0.1, -1.5, 0.4, 1.2].iter().map(|x| x * x).sum();
    assert!((report.cost / (6.0 * length) - 1.0).abs() < 0.01, "{} {}", report.cost, 6.0 * length);
    let check = problem.check(solver.trajectory()).expect("can be checked");
    assert!(check.agrees(), "{check}");
}

#[test]
fn the_check_finds_a_wrong_entry() {
    let model = robot("panda", false);
    let problem = problem(&model, Glide { n: 7, mistake: 1e-4 });
    let check = problem.check(&guess::standing(&problem)).expect("can be checked");
    assert!(!check.agrees(), "{check}");
    assert!(check.to_string().contains("glide"), "{check}");
}

#[test]
fn a_node_of_another_space_is_refused() {
    let model = robot("panda", false);
    let error = Problem::builder(&model).phase(Phase::own("glide", 3, 0.1, Glide { n: 6, mistake: 0.0 })).build();
    let text = error.expect_err("is refused").to_string();
    assert_eq!(text, "phase `glide`: the list of numbers of its node's states has 12 entries, expected 14");
}
