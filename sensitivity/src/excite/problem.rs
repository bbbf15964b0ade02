//! Information against limits: the augmented Lagrangian of a motion.
//!
//! ```text
//! L(x, y) = f(x) + Σ ρ/2 (s − clip(s))² − y²/(2ρ) ,   s = u + y/ρ ,   |u| ≤ 1
//! ```
//!
//! with f the cost of the information and u a position, velocity, acceleration or torque of a node over its limit, for
//! both bounds at once. Then `y ← ρ (s − clip(s))`.
//!
//! Source: R. Rockafellar, *Augmented Lagrange multiplier functions and duality in nonconvex programming*, SIAM J.
//! Control 12(2), 1974.

use super::information::{Information, State};
use super::limits::Uses;
use super::robot::Robot;
use super::series::Coordinates;
use super::stance::Stance;
use crate::error::SensitivityError;
use gradyn::Workspace;
use gradyn::dynamics::rnea_gradient;
use nalgebra::DMatrix;
use rayon::prelude::*;

/// The allowance for the rise between nodes: waves of twenty nodes rise by 1.2 %, products of four of them by less.
const LEAST_PART: f64 = 0.8;

/// A motion at its nodes, with cost and limits.
pub(super) struct Problem<'a> {
    pub(super) robot: Robot<'a>,
    pub(super) coordinates: &'a Coordinates,
    pub(super) information: &'a Information<'a>,
    /// For each node, the map from the coordinates to (q, v, a).
    waves: Vec<[Vec<f64>; 3]>,
    /// The share of each limit that nodes may use, which is less where a motion rises further between them.
    parts: Vec<[f64; 4]>,
}

/// Multipliers, of each node and joint those of the four kinds of limits; and ρ.
#[derive(Clone, Debug)]
pub(super) struct Multipliers {
    y: Vec<Vec<[f64; 4]>>,
    pub(super) rho: f64,
}

/// L and its parts.
pub(super) struct Value {
    pub(super) lagrangian: f64,
    pub(super) gradient: Vec<f64>,
    /// f
    pub(super) cost: f64,
    /// The largest excess of a limit, relative to it; negative if none is exceeded.
    pub(super) excess: f64,
    /// y of the next round.
    y: Vec<Vec<[f64; 4]>>,
}

/// The contribution of the limits at one node: their penalty, the largest excess, the next multipliers, and the slopes
/// of the penalty by the limited quantities.
struct LimitTerms {
    penalty: f64,
    excess: f64,
    next: Vec<[f64; 4]>,
    slopes: [Vec<f64>; 4],
}

/// Steps of differences of positions, velocities and accelerations. The error of the first is its square times a
/// curvature of some ten, 1e-9; torques are quadratic in velocities and linear in accelerations, so that only rounding
/// counts there.
const STEP: [f64; 3] = [1e-5, 1e-3, 1e-2];

fn unreachable() -> SensitivityError {
    SensitivityError::Other("the feet cannot stay where they are".into())
}

impl<'a> Problem<'a> {
    /// A problem with equidistant nodes over a period.
    pub(super) fn new(
        robot: Robot<'a>,
        coordinates: &'a Coordinates,
        information: &'a Information<'a>,
        nodes: usize,
    ) -> Self {
        let time = |i: usize| coordinates.period * i as f64 / nodes as f64;
        let waves = (0..nodes).map(|i| coordinates.waves(time(i))).collect();
        let parts = vec![[1.0; 4]; robot.model.nv()];
        Self { robot, coordinates, information, waves, parts }
    }

    /// Reduces what nodes may use so that this motion leaves `room` between them, according to its use on a fine grid.
    ///
    /// # Errors
    /// Input that the engine rejects.
    pub(super) fn leave(&mut self, room: f64, fine: &Uses, x: &[f64]) -> Result<(), SensitivityError> {
        let ws = &mut Workspace::new(self.robot.model);
        let mut nodes = Uses::none(self.robot.model.nv());
        for state in &self.states(x)? {
            nodes.add(self.robot.limits, self.robot.limited(ws, state)?.each_ref().map(|x| &**x));
        }
        for ((parts, fine), nodes) in self.parts.iter_mut().zip(fine.each()).zip(nodes.each()) {
            for ((part, fine), nodes) in parts.iter_mut().zip(fine).zip(nodes) {
                *part = (1.0 - room) * if *nodes > 0.0 { (nodes / fine).clamp(LEAST_PART, 1.0) } else { 1.0 };
            }
        }
        Ok(())
    }

    /// Multipliers of zero.
    pub(super) fn multipliers(&self, rho: f64) -> Multipliers {
        Multipliers { y: vec![vec![[0.0; 4]; self.robot.model.nv()]; self.waves.len()], rho }
    }

    /// The states at the nodes.
    ///
    /// # Errors
    /// Contacts that cannot be held there; input that the engine rejects.
    pub(super) fn states(&self, x: &[f64]) -> Result<Vec<State>, SensitivityError> {
        self.robot.states(self.free(x))?.ok_or_else(unreachable)
    }

    /// The states of the free degrees of freedom at the nodes.
    fn free(&self, x: &[f64]) -> Vec<State> {
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
    /// Input that the engine rejects: torques that are not finite.
    pub(super) fn value(&self, x: &[f64], multipliers: &Multipliers, scale: &[f64]) -> Result<Value, SensitivityError> {
        let states = self.states(x)?;
        let nodes = states.par_iter().zip(&multipliers.y);
        let limited = |ws: &mut _, (state, y): (&State, &Vec<_>)| {
            Ok(self.held(&self.robot.limited(ws, state)?, y, multipliers.rho))
        };
        let held = nodes
            .map_init(|| Workspace::new(self.robot.model), limited)
            .collect::<Result<Vec<_>, SensitivityError>>()?;
        let (cost, by_states) = match self.robot.stance {
            None => {
                let (cost, mut by) = self.information.cost(&states, scale)?;
                let slopes =
                    |ws: &mut _, ((state, held), by): ((&State, &LimitTerms), &mut _)| self.add(ws, state, held, by);
                states
                    .par_iter()
                    .zip(&held)
                    .zip(&mut by)
                    .map_init(|| Workspace::new(self.robot.model), slopes)
                    .collect::<Result<(), SensitivityError>>()?;
                (cost, by)
            }
            Some(stance) => {
                let (cost, weights) = self.information.weights(&states, scale)?;
                let free = self.free(x);
                let by = states.par_iter().zip(&free).zip(weights.par_iter().zip(&held));
                let by = by.map_init(
                    || self.information.memory(),
                    |memory, ((state, free), (weights, held))| {
                        let near = stance.of_dependent(&stance.positions(self.robot.model, &state[0])?);
                        self.differences(memory, stance, (free, &near), (weights, held))
                    },
                );
                (cost, by.collect::<Result<_, SensitivityError>>()?)
            }
        };
        let (mut lagrangian, mut excess, mut all) = (cost, -1.0_f64, Vec::with_capacity(held.len()));
        for held in held {
            lagrangian += held.penalty;
            excess = excess.max(held.excess);
            all.push(held.next);
        }
        Ok(Value { lagrangian, gradient: self.by_coordinates(&by_states), cost, excess, y: all })
    }

    /// The contribution of the limits at one node, by the limited quantities there.
    fn held(&self, limited: &[Vec<f64>; 4], y: &[[f64; 4]], rho: f64) -> LimitTerms {
        let (mut penalty, mut excess, mut next) = (0.0, -1.0_f64, y.to_vec());
        let mut slopes = [(); 4].map(|()| vec![0.0; y.len()]);
        for (j, next) in next.iter_mut().enumerate() {
            for (k, (middle, half)) in self.robot.limits.of_joint(j).into_iter().enumerate() {
                if half.is_infinite() {
                    continue;
                }
                let half = self.parts[j][k] * half;
                let u = (limited[k][j] - middle) / half;
                let s = u + next[k] / rho;
                let over = s - s.clamp(-1.0, 1.0);
                penalty += 0.5 * (rho * over * over - next[k] * next[k] / rho);
                excess = excess.max(u.abs() - 1.0);
                next[k] = rho * over;
                slopes[k][j] = next[k] / half;
            }
        }
        LimitTerms { penalty, excess, next, slopes }
    }

    /// Adds the slopes of the limits to a gradient by a state.
    fn add(
        &self,
        ws: &mut Workspace,
        [q, v, a]: &State,
        held: &LimitTerms,
        by: &mut State,
    ) -> Result<(), SensitivityError> {
        let mut add = |of: [&[f64]; 3]| {
            for (by, of) in by.iter_mut().zip(of) {
                by.iter_mut().zip(of).for_each(|(by, of)| *by += of);
            }
        };
        let [of_q, of_v, of_a, lambda] = &held.slopes;
        add([of_q, of_v, of_a]);
        if lambda.iter().any(|x| *x != 0.0) {
            let of = rnea_gradient(self.robot.model, ws, q, v, a, lambda, &[])?;
            add([of.dq, of.dv, of.da]);
        }
        Ok(())
    }

    /// The gradient of a node by the state of the free degrees of freedom, through the joints that follow: by central
    /// differences of the weighted quantities there, and of the limited ones.
    fn differences(
        &self,
        (ws, by): &mut (Workspace, DMatrix<f64>),
        stance: &Stance,
        (free, near): (&State, &[f64]),
        (weights, held): (&DMatrix<f64>, &LimitTerms),
    ) -> Result<State, SensitivityError> {
        let mut at = |free: &State| -> Result<f64, SensitivityError> {
            let state = stance.state(self.robot.model, ws, free, &mut near.to_vec())?.ok_or_else(unreachable)?;
            let mut sum = self.information.weighed(ws, by, &state, weights)?;
            if held.slopes.iter().flatten().any(|x| *x != 0.0) {
                let limited = self.robot.limited(ws, &state)?;
                sum += limited.iter().flatten().zip(held.slopes.iter().flatten()).map(|(x, s)| x * s).sum::<f64>();
            }
            Ok(sum)
        };
        let mut gradient = free.clone();
        for (of, step) in STEP.into_iter().enumerate() {
            for k in 0..free[of].len() {
                let mut beside = |step: f64| {
                    let mut moved = free.clone();
                    moved[of][k] += step;
                    at(&moved)
                };
                gradient[of][k] = (beside(step)? - beside(-step)?) / (2.0 * step);
            }
        }
        Ok(gradient)
    }

    /// Converts a gradient by the states to one by the coordinates.
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
    /// The multipliers of the next round.
    pub(super) fn follow(&mut self, value: Value) {
        self.y = value.y;
    }
}

#[cfg(test)]
mod tests {
    use super::super::base::Base;
    use super::super::limits::JointLimits;
    use super::*;
    use crate::Parameters;
    use gradyn::derivatives::difference::{Euclidean, Method, along};
    use gradyn::{Model, UrdfOptions};

    /// The gradient of information and limits, the chain through the series included, is what differences of its value
    /// converge to: with parameters of inertias and joints, and with placements, axes and gravity, which go another
    /// way.
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
            let problem =
                Problem::new(Robot { model: &model, limits: &limits, stance: None }, &coordinates, &information, 30);
            let x: Vec<f64> = (0..coordinates.len()).map(|i| (5.0 * i as f64).sin()).collect();
            let scale: Vec<f64> = problem
                .information
                .stack(&problem.states(&x).expect("moves"))
                .expect("runs")
                .column_iter()
                .map(|c| c.norm())
                .collect();
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
                // Where a limit comes or goes the value has a jump in its second derivative: differences are good to a
                // step's square.
                assert!(
                    (slope - found.value[0]).abs() < 1e-5 * slope.abs(),
                    "{patterns}: {slope} against {}",
                    found.value[0]
                );
            }
        }
    }

    /// The same of a quadruped whose legs follow its base, where all kinds of limits are exceeded.
    #[test]
    fn gradients_pass_through_legs_that_follow() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/solo12.urdf");
        let model = Model::from_urdf_file(file, &UrdfOptions::new().floating_base(true)).expect("reads").model;
        let mut q = model.neutral::<f64>();
        q[2] = 0.25;
        (0..4).for_each(|leg| q[8 + 3 * leg..][..2].copy_from_slice(&[0.7, -1.4]));
        let ws = &mut Workspace::new(&model);
        let feet = ["FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT"].map(|name| {
            let frame = model.find_frame(name).expect("is there");
            let place = gradyn::dynamics::frame_pose(&model, ws, &q, frame).expect("runs").translation;
            gradyn::dynamics::Constraint::frame_contact(&model, frame, place).expect("fits")
        });
        let stance = Stance::new(&model, &q, &feet).expect("stands");
        let parameters = Parameters::of(&model).select_all("base_link.pi.m?, *_UPPER_LEG.mass").expect("are there");
        let base = Base::of(&parameters).expect("told");
        let noise = [0.5; 18];
        let information = Information::new(&parameters, &base, &noise).expect("fits");
        let limits = JointLimits {
            position: vec![(-0.02, 0.03); 18],
            velocity: vec![0.1; 18],
            acceleration: vec![0.2; 18],
            effort: vec![0.3; 18],
        };
        let start = stance.free_start().into_iter().map(|at| (at, 0.0)).collect();
        let coordinates = Coordinates::new(2.0, 2, vec![0.1; 6], start);
        let robot = Robot { model: &model, limits: &limits, stance: Some(&stance) };
        let problem = Problem::new(robot, &coordinates, &information, 10);
        let x: Vec<f64> = (0..coordinates.len()).map(|i| (5.0 * i as f64).sin()).collect();
        let states = problem.states(&x).expect("moves");
        let scale: Vec<f64> = information.stack(&states).expect("runs").column_iter().map(|c| c.norm()).collect();
        let multipliers = problem.multipliers(0.1);
        let at = |x: &[f64]| problem.value(x, &multipliers, &scale).expect("feet stay");
        let exact = at(&x);
        assert!(exact.excess > 0.1 && exact.lagrangian > exact.cost);
        for way in 0..3 {
            let d: Vec<f64> = (0..x.len()).map(|i| (0.3 + (7 * i + way) as f64 * 1.7).cos()).collect();
            let beside = |t: f64| at(&x.iter().zip(&d).map(|(x, d)| x + t * d).collect::<Vec<_>>()).lagrangian;
            let h = 1e-4;
            let found = (beside(h) - beside(-h)) / (2.0 * h);
            let slope: f64 = exact.gradient.iter().zip(&d).map(|(g, d)| g * d).sum();
            // Of second order, over limits that come and go.
            assert!((slope - found).abs() < 1e-5 * found.abs().max(slope.abs()), "{slope} against {found}");
        }
    }
}
