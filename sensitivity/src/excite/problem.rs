//! Information against limits: the augmented Lagrangian of a motion.
//!
//! ```text
//! L(x, y) = f(x) + Σ ρ/2 (s − clip(s))² − y²/(2ρ) ,   s = u + y/ρ ,   |u| ≤ 1
//! ```
//!
//! with f the information's cost and u a position, velocity, acceleration or torque of a node by its limit, both of its ends at once. Then
//! `y ← ρ (s − clip(s))`.
//!
//! Source: R. Rockafellar, *Augmented Lagrange multiplier functions and duality in nonconvex programming*, SIAM J. Control 12(2), 1974.

use super::information::{Information, State};
use super::limits::{JointLimits, Uses};
use super::series::Coordinates;
use crate::error::SensitivityError;
use gradyn::dynamics::rnea_gradient;
use gradyn::{Model, Workspace, rnea};
use rayon::prelude::*;

/// Waves of a twentieth of whose length is between nodes rise by 1.2 % there; products of four of them by less than this.
const LEAST_PART: f64 = 0.8;

/// A motion at its nodes, and what is asked of it.
pub(super) struct Problem<'a> {
    pub(super) model: &'a Model,
    pub(super) limits: &'a JointLimits,
    pub(super) coordinates: &'a Coordinates,
    pub(super) information: &'a Information<'a>,
    /// Of each node what the coordinates do to (q, v, a).
    waves: Vec<[Vec<f64>; 3]>,
    /// The part of each limit that nodes may use, less where a motion goes on rising between them.
    parts: Vec<[f64; 4]>,
}

/// Multipliers, of each node and joint those of the four kinds of limits; and ρ.
#[derive(Clone, Debug)]
pub(super) struct Multipliers {
    y: Vec<Vec<[f64; 4]>>,
    pub(super) rho: f64,
}

/// L and what it is made of.
pub(super) struct Value {
    pub(super) lagrangian: f64,
    pub(super) gradient: Vec<f64>,
    /// f
    pub(super) cost: f64,
    /// The most that a limit is exceeded by, relative to it; below zero if none is.
    pub(super) excess: f64,
    /// y of the next round.
    y: Vec<Vec<[f64; 4]>>,
}

impl<'a> Problem<'a> {
    /// With nodes at equal distances over a period.
    pub(super) fn new(
        (model, limits): (&'a Model, &'a JointLimits),
        coordinates: &'a Coordinates,
        information: &'a Information<'a>,
        nodes: usize,
    ) -> Self {
        let time = |i: usize| coordinates.period * i as f64 / nodes as f64;
        let waves = (0..nodes).map(|i| coordinates.waves(time(i))).collect();
        let parts = vec![[1.0; 4]; model.nv()];
        Self { model, limits, coordinates, information, waves, parts }
    }

    /// Lets nodes use so much less that, of this motion, `room` is left between them: by what it uses on a fine grid.
    ///
    /// # Errors
    /// What the engine refuses.
    pub(super) fn leave(&mut self, room: f64, fine: &Uses, x: &[f64]) -> Result<(), SensitivityError> {
        let ws = &mut Workspace::new(self.model);
        let mut nodes = Uses::none(self.model.nv());
        for [q, v, a] in &self.states(x) {
            let tau = rnea(self.model, ws, q, v, a, &[])?;
            nodes.add(self.limits, [q, v, a, tau]);
        }
        for ((parts, fine), nodes) in self.parts.iter_mut().zip(fine.each()).zip(nodes.each()) {
            for ((part, fine), nodes) in parts.iter_mut().zip(fine).zip(nodes) {
                *part = (1.0 - room) * if *nodes > 0.0 { (nodes / fine).clamp(LEAST_PART, 1.0) } else { 1.0 };
            }
        }
        Ok(())
    }

    /// Of no weight.
    pub(super) fn multipliers(&self, rho: f64) -> Multipliers {
        Multipliers { y: vec![vec![[0.0; 4]; self.model.nv()]; self.waves.len()], rho }
    }

    /// The states at the nodes.
    pub(super) fn states(&self, x: &[f64]) -> Vec<State> {
        let c = self.coordinates;
        let sum = |wave: &[f64], x: &[f64]| wave.iter().zip(x).map(|(w, x)| w * x).sum::<f64>();
        let state = |waves: &[Vec<f64>; 3]| {
            let mut state = [vec![], vec![], vec![]];
            for ((x, scale), (at, free)) in x.chunks_exact(c.of_joint()).zip(&c.scale).zip(&c.start) {
                let start = [at + free * x[0], 0.0, 0.0];
                for ((to, wave), start) in state.iter_mut().zip(waves).zip(start) {
                    to.push(start + scale * sum(wave, &x[1..]));
                }
            }
            state
        };
        self.waves.iter().map(state).collect()
    }

    /// L at these coordinates, and its gradient.
    ///
    /// # Errors
    /// What the engine refuses: torques that are no numbers.
    pub(super) fn value(&self, x: &[f64], multipliers: &Multipliers, scale: &[f64]) -> Result<Value, SensitivityError> {
        let states = self.states(x);
        let (cost, mut by_states) = self.information.cost(&states, scale)?;
        let held = states
            .par_iter()
            .zip(&multipliers.y)
            .zip(&mut by_states)
            .map_init(
                || Workspace::new(self.model),
                |ws, ((state, y), by)| self.held(ws, (state, y), multipliers.rho, by),
            )
            .collect::<Result<Vec<_>, SensitivityError>>()?;
        let (mut lagrangian, mut excess, mut all) = (cost, -1.0_f64, Vec::with_capacity(held.len()));
        for (penalty, over, y) in held {
            lagrangian += penalty;
            excess = excess.max(over);
            all.push(y);
        }
        Ok(Value { lagrangian, gradient: self.by_coordinates(&by_states), cost, excess, y: all })
    }

    /// What the limits add at one node: their penalty, by how much the worst is exceeded, the next multipliers. Adds to the gradient.
    fn held(
        &self,
        ws: &mut Workspace,
        ([q, v, a], y): (&State, &[[f64; 4]]),
        rho: f64,
        by: &mut State,
    ) -> Result<(f64, f64, Vec<[f64; 4]>), SensitivityError> {
        let tau = rnea(self.model, ws, q, v, a, &[])?.to_vec();
        let (mut penalty, mut excess, mut next) = (0.0, -1.0_f64, y.to_vec());
        let mut lambda = vec![0.0; tau.len()];
        for (j, next) in next.iter_mut().enumerate() {
            let mut slopes = [0.0; 4];
            for (k, ((middle, half), x)) in
                self.limits.of_joint(j).into_iter().zip([q[j], v[j], a[j], tau[j]]).enumerate()
            {
                if half.is_infinite() {
                    continue;
                }
                let half = self.parts[j][k] * half;
                let u = (x - middle) / half;
                let s = u + next[k] / rho;
                let over = s - s.clamp(-1.0, 1.0);
                penalty += 0.5 * (rho * over * over - next[k] * next[k] / rho);
                excess = excess.max(u.abs() - 1.0);
                next[k] = rho * over;
                slopes[k] = next[k] / half;
            }
            (0..3).for_each(|k| by[k][j] += slopes[k]);
            lambda[j] = slopes[3];
        }
        if lambda.iter().any(|x| *x != 0.0) {
            let of = rnea_gradient(self.model, ws, q, v, a, &lambda, &[])?;
            for (by, of) in by.iter_mut().zip([of.dq, of.dv, of.da]) {
                by.iter_mut().zip(of).for_each(|(by, of)| *by += of);
            }
        }
        Ok((penalty, excess, next))
    }

    /// A gradient by the states as one by the coordinates.
    fn by_coordinates(&self, by_states: &[State]) -> Vec<f64> {
        let c = self.coordinates;
        let mut gradient = vec![0.0; c.len()];
        for (by, waves) in by_states.iter().zip(&self.waves) {
            for (j, to) in gradient.chunks_exact_mut(c.of_joint()).enumerate() {
                to[0] += c.start[j].1 * by[0][j];
                for (by, wave) in by.iter().zip(waves) {
                    to[1..].iter_mut().zip(wave).for_each(|(to, wave)| *to += c.scale[j] * by[j] * wave);
                }
            }
        }
        gradient
    }
}

impl Multipliers {
    /// Those of the next round.
    pub(super) fn follow(&mut self, value: Value) {
        self.y = value.y;
    }
}

#[cfg(test)]
mod tests {
    use super::super::base::Base;
    use super::*;
    use crate::Parameters;
    use gradyn::UrdfOptions;
    use gradyn::derivatives::difference::{Euclidean, Method, along};

    /// The gradient of information and limits, the chain through the series included, is what differences of its value converge to: with
    /// parameters of inertias and joints, and with placements, axes and gravity, which go another way.
    #[test]
    fn gradients_are_those_of_the_value() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/panda.urdf");
        let model = Model::from_urdf_file(file, &UrdfOptions::new()).expect("reads").model;
        for patterns in [
            "*.pi.*, *.friction, *.damping",
            "panda_link[67].mass, panda_joint[3-5].placement.*, panda_joint4.axis.*, gravity.x",
        ] {
            let parameters = Parameters::of(&model).select_all(patterns).expect("are there");
            let base = Base::of(&parameters).expect("told");
            let noise = [2.0, 2.0, 1.0, 1.0, 0.5, 0.5, 0.2];
            let information = Information::new(&parameters, &base, &noise).expect("fits");
            // Narrow ones, so that all kinds are exceeded.
            let limits = JointLimits {
                position: vec![(-0.5, 0.6); 7],
                velocity: vec![0.4; 7],
                acceleration: vec![0.7; 7],
                effort: vec![5.0; 7],
            };
            let coordinates = Coordinates::new(6.0, 3, vec![0.5; 7], vec![(0.1, 0.8); 7]);
            let problem = Problem::new((&model, &limits), &coordinates, &information, 30);
            let x: Vec<f64> = (0..coordinates.len()).map(|i| (5.0 * i as f64).sin()).collect();
            let scale: Vec<f64> =
                problem.information.stack(&problem.states(&x)).expect("runs").column_iter().map(|c| c.norm()).collect();
            let mut multipliers = problem.multipliers(3.0);
            let first = problem.value(&x, &multipliers, &scale).expect("runs");
            assert!(first.excess > 0.1 && first.lagrangian > first.cost);
            multipliers.follow(first);
            let exact = problem.value(&x, &multipliers, &scale).expect("runs");
            let ways: [Vec<f64>; 4] =
                std::array::from_fn(|way| (0..x.len()).map(|i| (0.3 + (7 * i + way) as f64 * 1.7).cos()).collect());
            for way in ways {
                let method = Method::Ridders { step: 0.01, rows: 8 };
                let found = along(method, &Euclidean(1), |t: f64, y: &mut [f64]| {
                    let at: Vec<f64> = x.iter().zip(&way).map(|(x, d)| x + t * d).collect();
                    y[0] = problem.value(&at, &multipliers, &scale).map_err(|e| e.to_string())?.lagrangian;
                    Ok::<(), String>(())
                })
                .expect("runs");
                let slope: f64 = exact.gradient.iter().zip(&way).map(|(g, d)| g * d).sum();
                // Where a limit comes or goes the value has a jump in its second derivative: differences are good to a step's square.
                assert!(
                    (slope - found.value[0]).abs() < 1e-5 * slope.abs(),
                    "{patterns}: {slope} against {}",
                    found.value[0]
                );
            }
        }
    }
}
