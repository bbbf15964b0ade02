//! Second derivatives of weighted rows of constraints.
//!
//! Of accelerations `J a + γ` and of velocities `J x`, all with weights that are held, by `q` and `v`, and once by `a` or `x`. A row is a
//! function of the frames of its two sides, of their poses and motions. So there are two parts: second derivatives of that function, by
//! dual numbers, along what each column changes of the sides; and its first ones, forces `φ`, with what two columns change of a side
//! together. The latter, with the origin at the side's frame, `u` and `ω` its velocity, `ω ∘ m = (ω × m_l, ω × m_a)`, and as in
//! [`torque_hessian`](crate::formulas::torque_hessian), where column `k` hangs from `j` or is of the same link:
//!
//! ```text
//! by q of   pose       S_k                                  ω_j ∘ S_k
//!           velocity   ω_k ∘ v + Ψ̇_k                        ω_j ∘ (ω_k ∘ v + Ψ̇_k) + ω_k ∘ Ψ̇_j + Ψ̇_j × S_k            (1)
//!           a          ω_k ∘ a + A(Ψ̇_k, Ψ̈_k)                ω_j ∘ (ω_k ∘ a + A(Ψ̇_k, Ψ̈_k)) + ω_k ∘ A(Ψ̇_j, Ψ̈_j)
//!                                                             + A₂(Ψ̇_j, Ψ̇_k, Ψ̇_j × S_k, Ψ̈_j × S_k + 2 Ψ̇_j × Ψ̇_k)    (2)
//! A(α, β)           = (β_l + 2 α_a × u, β_a − ω × α_a)
//! A₂(α, α', δ, ε)   = (ε_l + 2 α'_a × α_l + 2 δ_a × u, ε_a − α_a × α'_a − ω × δ_a)
//! ```
//!
//! The acceleration `a` is the classical one. Of poses, second derivatives have an order: along `k` after `j` as above; along `j` after `k`,
//! which does not turn the axis of `j`, without `ω_j × ω_k`. By `v`, `(S, Ψ̇ + Ṡ)` stand for `(Ψ̇, Ψ̈)`, and nothing turns.

use super::sides::{Change, Field, Frame};
use crate::dynamics::Constraint;
use crate::dynamics::constraints::{Place, Side};
use crate::dynamics::placed::Placed;
use crate::dynamics::reference::Attached;
use crate::partials::constrained::variation::sides;
use crate::spatial::{Force, Motion, vector as v3};
use gradyn_derivatives::Scalar;
use nalgebra::{DMatrix, Vector3};

/// `J x`, weighted.
pub(super) struct Rate<'a> {
    pub(super) x: &'a Field,
    pub(super) weights: &'a [f64],
    /// Where to add second derivatives by `x` and `q`, if they are asked for.
    pub(super) to: Option<&'a mut DMatrix<f64>>,
}

/// Where to add second derivatives, nv × nv: rows by the first, columns by the second.
pub(super) struct Curvature<'a> {
    pub(super) dqq: &'a mut DMatrix<f64>,
    pub(super) dvq: &'a mut DMatrix<f64>,
    pub(super) daq: &'a mut DMatrix<f64>,
    pub(super) dvv: &'a mut DMatrix<f64>,
}

/// No more rates than this.
const RATES: usize = 4;

/// Velocity and acceleration of a frame, and its velocities in rates.
pub(super) const MOTIONS: usize = 2 + RATES;
const VELOCITY: usize = 0;
const ACCELERATION: usize = 1;

/// Adds second derivatives of `μ · (J a + γ)`, if there is a `μ`, at the state of the links, and of the rates.
pub(super) fn add(
    links: &Placed<f64>,
    constraints: &[Constraint],
    accelerations: Option<&[f64]>,
    rates: &mut [Rate<'_>],
    to: &mut Curvature<'_>,
) {
    let mut first = 0;
    for c in constraints {
        let rows = first..first + c.rows();
        first = rows.end;
        let mut weights = [[0.0; 6]; 1 + RATES];
        let all = std::iter::once(accelerations).chain(rates.iter().map(|rate| Some(rate.weights)));
        for (to, from) in weights.iter_mut().zip(all) {
            if let Some(from) = from {
                to[..c.rows()].copy_from_slice(&from[rows.clone()]);
            }
        }
        let held = Held { c, weights, accelerations: accelerations.is_some(), rates: rates.len() };
        let frames = held.frames(links, rates);
        let columns = [0, 1].map(|s| held.columns(links, rates, s, &frames[s]));
        let forces = held.forces(&frames);
        for (columns, forces) in columns.iter().zip(&forces) {
            together(links, columns, forces, rates, to);
        }
        if held.bends() {
            held.bend(links, &frames, &columns, rates, to);
        }
    }
}

/// What a column changes of the frame of a side, in axes of the world about its origin.
#[derive(Clone, Copy)]
struct Column {
    /// The column, and the first one of its link.
    at: usize,
    link: usize,
    s: Motion<f64>,
    psi_dot: Motion<f64>,
    psi_ddot: Motion<f64>,
    psi_s_dot: Motion<f64>,
    omega: [Motion<f64>; RATES],
    /// `A(Ψ̇, Ψ̈)` and `A(S, Ψ̇ + Ṡ)`
    by_place: Motion<f64>,
    by_rate: Motion<f64>,
    /// All that varies of the motions by q.
    moved: [Motion<f64>; MOTIONS],
}

impl Column {
    /// What it changes by q, and by v.
    fn by_place(&self) -> Change {
        Change { pose: self.s, motions: self.moved }
    }

    fn by_rate(&self) -> Change {
        let mut change = Change::of(VELOCITY, self.s);
        change.motions[ACCELERATION] = self.by_rate;
        change
    }
}

/// A side with a body: its columns, and its velocity.
struct Columns {
    all: Vec<Column>,
    velocity: Motion<f64>,
}

/// First derivatives by the pose and the motions of a side.
#[derive(Clone, Copy)]
struct Forces {
    pose: Force<f64>,
    motions: [Force<f64>; MOTIONS],
}

/// A constraint, its weights, and what they weigh.
struct Held<'a> {
    c: &'a Constraint,
    weights: [[f64; 6]; 1 + RATES],
    accelerations: bool,
    rates: usize,
}

/// `ω ∘ m`
fn turn(by: Motion<f64>, m: Motion<f64>) -> Motion<f64> {
    Motion::new(v3::cross(by.angular, m.linear), v3::cross(by.angular, m.angular))
}

/// `A(α, β)`
fn varied(v: Motion<f64>, alpha: Motion<f64>, beta: Motion<f64>) -> Motion<f64> {
    let (a, u): (Vector3<f64>, Vector3<f64>) = (alpha.angular, v.linear);
    Motion::new(beta.linear + 2.0 * a.cross(&u), beta.angular - v.angular.cross(&a))
}

/// `A₂(α, α', δ, ε)`
fn varied_twice(
    v: Motion<f64>,
    (alpha, other): (Motion<f64>, Motion<f64>),
    delta: Motion<f64>,
    epsilon: Motion<f64>,
) -> Motion<f64> {
    let linear = other.angular.cross(&alpha.linear) + delta.angular.cross(&v.linear);
    let angular = alpha.angular.cross(&other.angular) + v.angular.cross(&delta.angular);
    Motion::new(epsilon.linear + 2.0 * linear, epsilon.angular - angular)
}

impl Held<'_> {
    /// Is the row's function not linear in what moves? In axes of the world it is, but for the error of a rotation.
    fn bends(&self) -> bool {
        match self.c.relation.axes() {
            Some(axes) => axes.is_turned() && self.accelerations && self.c.kp != 0.0,
            None => true,
        }
    }

    /// Both frames at the state.
    fn frames(&self, links: &Placed<f64>, rates: &[Rate<'_>]) -> [Frame<f64>; 2] {
        let place = |velocity: Motion<f64>, b: usize| {
            let acceleration = links.acceleration[b];
            Some(Place { pose: links.pose[b], origin: links.origin(b), velocity, acceleration })
        };
        let at = sides(self.c, |b| place(links.velocity[b], b));
        let mut frames = at.map(|Side { pose, velocity, acceleration }| {
            let mut motions = [Motion::zero(); MOTIONS];
            (motions[VELOCITY], motions[ACCELERATION]) = (velocity, acceleration);
            Frame { pose, motions }
        });
        for (n, rate) in rates.iter().enumerate() {
            let at = sides(self.c, |b| place(rate.x.body[b], b));
            for (frame, side) in frames.iter_mut().zip(at) {
                frame.motions[2 + n] = side.velocity;
            }
        }
        frames
    }

    /// The columns that move a side, from its body to the root.
    fn columns(&self, links: &Placed<f64>, rates: &[Rate<'_>], s: usize, frame: &Frame<f64>) -> Columns {
        let at: &Attached<f64> = if s == 0 { &self.c.a } else { &self.c.b };
        let velocity = frame.motions[VELOCITY];
        let Some(b) = at.body else { return Columns { all: Vec::new(), velocity } };
        let p = (links.pose[b] * at.placement).translation;
        let mut all = Vec::new();
        for link in links.path(links.carrier[b]) {
            for k in link.columns.clone() {
                let of = |m: &[Motion<f64>]| m[k].shifted::<f64>(p);
                let [s, psi_dot, psi_ddot, psi_s_dot] =
                    [of(&links.columns), of(&links.psi_dot), of(&links.psi_ddot), of(&links.psi_s_dot)];
                let mut omega = [Motion::zero(); RATES];
                for (to, rate) in omega.iter_mut().zip(rates) {
                    *to = of(&rate.x.omega);
                }
                let (by_place, by_rate) = (varied(velocity, psi_dot, psi_ddot), varied(velocity, s, psi_s_dot));
                let mut moved = frame.motions.map(|m| turn(s, m));
                moved[VELOCITY] += psi_dot;
                moved[ACCELERATION] += by_place;
                for (to, omega) in moved[2..].iter_mut().zip(omega) {
                    *to += omega;
                }
                let link = link.columns.start;
                all.push(Column { at: k, link, s, psi_dot, psi_ddot, psi_s_dot, omega, by_place, by_rate, moved });
            }
        }
        Columns { all, velocity }
    }

    /// The weighted rows, of any frames.
    fn value<T: Scalar>(&self, [a, b]: &[Frame<T>; 2]) -> T {
        let Self { c, weights, .. } = self;
        let rows = c.rows();
        let side = |frame: &Frame<T>, n: usize| Side {
            pose: frame.pose,
            velocity: frame.motions[n],
            acceleration: frame.motions[ACCELERATION],
        };
        let mut sum = T::zero();
        let mut add = |x: &[T; 6], weights: &[f64; 6], by: f64| {
            for (x, weight) in x[..rows].iter().zip(weights) {
                sum += *x * (weight * by);
            }
        };
        let mut x = [T::zero(); 6];
        if self.accelerations {
            c.relation.acceleration(&side(a, VELOCITY), &side(b, VELOCITY), &mut x[..rows]);
            add(&x, &weights[0], 1.0);
            c.relation.rate(&side(a, VELOCITY), &side(b, VELOCITY), &mut x[..rows]);
            add(&x, &weights[0], c.kd);
            if c.kp != 0.0 {
                c.relation.error(&a.pose, &b.pose, &mut x[..rows]);
                add(&x, &weights[0], c.kp);
            }
        }
        for (n, weights) in weights[1..].iter().enumerate().take(self.rates) {
            c.relation.rate(&side(a, 2 + n), &side(b, 2 + n), &mut x[..rows]);
            add(&x, weights, 1.0);
        }
        sum
    }

    /// First derivatives of the weighted rows.
    fn forces(&self, frames: &[Frame<f64>; 2]) -> [Forces; 2] {
        let still = [Change::NONE; 2];
        let moves = [self.c.a.body.is_some(), self.c.b.body.is_some()];
        [0, 1].map(|s| {
            if !moves[s] {
                return Forces { pose: Force::zero(), motions: [Force::zero(); MOTIONS] };
            }
            let along = |change: Change| {
                let mut by = still;
                by[s] = change;
                self.value(&[0, 1].map(|s| frames[s].dual(&by[s]))).eps
            };
            let force = |to: fn(&mut Change, usize) -> Option<&mut Motion<f64>>, n: usize| {
                let mut x = [0.0; 6];
                for (k, x) in x.iter_mut().enumerate() {
                    let mut change = Change::NONE;
                    if let Some(m) = to(&mut change, n) {
                        *if k < 3 { &mut m.linear[k] } else { &mut m.angular[k - 3] } = 1.0;
                    }
                    *x = along(change);
                }
                let [a, b, c, d, e, f] = x;
                Force::new(Vector3::new(a, b, c), Vector3::new(d, e, f))
            };
            let mut motions = [Force::zero(); MOTIONS];
            for (n, to) in motions.iter_mut().enumerate().take(2 + self.rates) {
                *to = force(|change, n| change.motions.get_mut(n), n);
            }
            Forces { pose: force(|change, _| Some(&mut change.pose), 0), motions }
        })
    }

    /// Adds second derivatives of the function of the sides, along what pairs of columns change of them.
    fn bend(
        &self,
        links: &Placed<f64>,
        frames: &[Frame<f64>; 2],
        columns: &[Columns; 2],
        rates: &mut [Rate<'_>],
        to: &mut Curvature<'_>,
    ) {
        let mut all: Vec<usize> = columns.iter().flat_map(|side| side.all.iter().map(|column| column.at)).collect();
        all.sort_unstable();
        all.dedup();
        let changes: Vec<_> = all
            .iter()
            .map(|at| {
                let of = |change: fn(&Column, usize) -> Change, n: usize| {
                    [0, 1].map(|s: usize| {
                        let column = columns[s].all.iter().find(|column| column.at == *at);
                        column.map_or(Change::NONE, |column| change(column, n))
                    })
                };
                let by_x = [0, 1, 2, 3, 4].map(|n| of(|column, n| Change::of(1 + n, column.s), n));
                (links.dof[*at], of(|column, _| column.by_place(), 0), of(|column, _| column.by_rate(), 0), by_x)
            })
            .collect();
        let second = |row: &[Change; 2], column: &[Change; 2]| {
            self.value(&[0, 1].map(|s| frames[s].hyper(&row[s], &column[s]))).eps1eps2
        };
        for (row, by_q, by_v, by_x) in &changes {
            for (column, along_q, along_v, _) in &changes {
                let at = (*row, *column);
                to.dqq[at] += second(by_q, along_q);
                if self.accelerations {
                    to.dvq[at] += second(by_v, along_q);
                    to.daq[at] += second(&by_x[0], along_q);
                    to.dvv[at] += second(by_v, along_v);
                }
                for (by_x, rate) in by_x[1..].iter().zip(&mut *rates) {
                    if let Some(to) = &mut rate.to {
                        to[at] += second(by_x, along_q);
                    }
                }
            }
        }
    }
}

/// Adds what pairs of columns change of a side together, as its forces see it.
fn together(links: &Placed<f64>, columns: &Columns, forces: &Forces, rates: &mut [Rate<'_>], to: &mut Curvature<'_>) {
    let (v, [f_v, f_a]) = (columns.velocity, [forces.motions[VELOCITY], forces.motions[ACCELERATION]]);
    for (n, k) in columns.all.iter().enumerate() {
        let row = links.dof[k.at];
        // Columns of the same link, then of those that carry it.
        let same = columns.all[..n].iter().rev().take_while(|j| j.link == k.link);
        for j in columns.all[n..].iter().chain(same) {
            let (strict, column) = (j.link != k.link, links.dof[j.at]);
            let carried = turn(j.s, k.s);
            let delta = j.psi_dot.cross(k.s);
            let epsilon = j.psi_ddot.cross_plus(k.s, j.psi_dot.cross(k.psi_dot).scale(2.0));
            let mut qq = carried.power(forces.pose);
            let x = turn(j.s, k.moved[VELOCITY]) + turn(k.s, j.psi_dot) + delta;
            qq += x.power(f_v);
            let both = varied_twice(v, (j.psi_dot, k.psi_dot), delta, epsilon);
            let x = turn(j.s, k.moved[ACCELERATION]) + turn(k.s, j.by_place) + both;
            qq += x.power(f_a); //                                                       (2)
            for (r, force) in forces.motions[2..].iter().enumerate().take(rates.len()) {
                let x = turn(j.s, k.moved[2 + r]) + turn(k.s, j.omega[r]) + j.omega[r].cross(k.s);
                qq += x.power(*force); //                                                (1)
            }
            let both = varied_twice(v, (j.psi_dot, k.s), Motion::zero(), j.psi_dot.cross(k.s).scale(2.0));
            to.dqq[(row, column)] += qq;
            to.dvq[(row, column)] += carried.power(f_v) + (turn(j.s, k.by_rate) + both).power(f_a);
            to.daq[(row, column)] += carried.power(f_a);
            let s_s = j.s.cross(k.s);
            let twice = if strict { 2.0 } else { 1.0 };
            let vv = varied_twice(v, (j.s, k.s), Motion::zero(), s_s.scale(twice)).power(f_a);
            to.dvv[(row, column)] += vv;
            let hangs = turn(k.s, j.s) + s_s;
            if strict {
                let epsilon = j.psi_s_dot.cross_plus(k.s, j.s.cross(k.psi_dot).scale(2.0));
                let both = varied_twice(v, (j.s, k.psi_dot), s_s, epsilon);
                // In this order, `k` does not turn the axis of `j`.
                to.dqq[(column, row)] += qq - v3::dot(carried.angular, forces.pose.angular);
                to.dvq[(column, row)] += hangs.power(f_v) + (turn(k.s, j.by_rate) + both).power(f_a);
                to.daq[(column, row)] += hangs.power(f_a);
                to.dvv[(column, row)] += vv;
            }
            for (rate, force) in rates.iter_mut().zip(&forces.motions[2..]) {
                if let Some(to) = &mut rate.to {
                    to[(row, column)] += carried.power(*force);
                    if strict {
                        to[(column, row)] += hangs.power(*force);
                    }
                }
            }
        }
    }
}
