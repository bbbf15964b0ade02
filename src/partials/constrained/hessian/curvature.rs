//! Second derivatives of weighted rows of constraints.
//!
//! Of accelerations `J a + γ` and of velocities `J x`, all with weights that are held, by `q` and `v`, and once by `a` or `x`. A row is a
//! function of the frames of its two sides, of their poses and motions. So there are two parts: second derivatives of that function
//! along what each column changes of the sides ([`bend`](super::bend)); and its first ones, forces `f` on pose, velocity and
//! acceleration, with what two columns change of a side together ([`Bound`]).
//!
//! With the origin at the side's frame, `u` and `ω` its velocity, `ω ∘ m = (ω × m_l, ω × m_a)`, and as in
//! [`torque_hessian`](crate::formulas::torque_hessian), where column `k` descends from `j` or is of the same link:
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
//!
//! Their power with the forces is linear in what `j` has, so that the rest is one of `k` alone: with `f ∘ x = (f_l × x, f_a × x)`,
//! `m ⊙ f = m_l × f_l + m_a × f_a`, `B(x) = (2 f_l × x, f_a × x)` and `C(f) = 2 u × f_l − f_a × ω` of the force `f` on `a`,
//!
//! ```text
//! q_k q_j = ω_j · Σ m_k ⊙ f + Ψ̇_j · P + Ψ̈_j · R + (x_λ × S_j) · R_x          v_j q_k = S_j · P + (Ψ̇_j + Ṡ_j) · R
//! v_k q_j = ω_j · (S_k ⊙ f_v + A_k ⊙ f) + Ψ̇_j · G                           v_k v_j = S_j · G
//! a_k q_j = ω_j · (S_k ⊙ f)                                                 a_j q_k = S_j · R
//! R = S_k ×* f + f ∘ ω_k          G = 2 S_k ×* f + B(ω_k)                                                        (3)
//! P = S_k ×* f_v + f_v ∘ ω_k + 2 Ψ̇_k ×* f + B(Ψ̇_k) + (0, ω_k × C(f) + C(f ∘ ω_k))
//! ```

use super::columns::Column;
use super::results::{Curvature, Rate, RowsByPlace, Slope};
use super::row_hessian::{Moved, Reach, WeightedConstraint};
use super::side_frames::{ACCELERATION, Forces, RATES, VELOCITY};
use crate::dynamics::Constraint;
use crate::dynamics::placed::Placed;
use crate::spatial::{Force, Motion, vector as v3};
use nalgebra::Vector3;

/// Memory: columns of both sides, and what they change.
#[derive(Default)]
pub(super) struct CurvatureMemory {
    columns: [Vec<Column>; 2],
    moved: Vec<Moved>,
}

/// Adds second derivatives of `μ · (J a + γ)`, if there is a `μ`, at the state of the links, and of the rates.
pub(super) fn add(
    links: &Placed<f64>,
    constraints: &[Constraint],
    accelerations: Option<&[f64]>,
    rates: &mut [Rate<'_>],
    to: &mut Curvature<'_>,
    memory: &mut CurvatureMemory,
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
        let (start, held) =
            (rows.start, WeightedConstraint { c, weights, accelerations: accelerations.is_some(), rates: rates.len() });
        let frames = held.frames(links, rates);
        let forces = held.forces(&frames);
        for (s, at) in [&c.a, &c.b].into_iter().enumerate() {
            let (columns, frame) = (&mut memory.columns[s], &frames[s]);
            columns.clear();
            Column::all(links, rates, at, frame, columns);
            if let Some(slope) = &mut to.slope {
                slope.add(links, columns, &forces[s]);
            }
            together(links, columns, frame.motions[VELOCITY], &forces[s], rates, to);
            for (n, rate) in rates.iter_mut().enumerate() {
                if let Some(RowsByPlace { to, first }) = &mut rate.by_place {
                    for column in &*columns {
                        let by = held.rate_by_place(&frames, (s, column), n);
                        let to = &mut to.column_mut(links.dof[column.at]);
                        by[..c.rows()].iter().enumerate().for_each(|(r, x)| to[*first + start + r] += x);
                    }
                }
            }
        }
        if let Some(slope) = &mut to.slope {
            *slope.value += held.value(&frames, Reach::All);
        }
        held.bend(links, &frames, &memory.columns, &mut memory.moved, rates, to);
    }
}

impl Slope<'_> {
    fn add(&mut self, links: &Placed<f64>, columns: &[Column], forces: &Forces) {
        for k in columns {
            let [f_v, f_a] = [forces.motions[VELOCITY], forces.motions[ACCELERATION]];
            let row = links.dof[k.at];
            self.dq[row] += k.s.power(forces.pose);
            self.dq[row] += k.moved.iter().zip(&forces.motions).map(|(m, f)| m.power(*f)).sum::<f64>();
            self.dv[row] += k.s.power(f_v) + k.by_rate.power(f_a);
            self.da[row] += k.s.power(f_a);
        }
    }
}

/// What forces on a side make of one column, (3).
struct Bound {
    /// With `ω_j`: by q, v, `a` and `x`, each with q.
    turn_q: Vector3<f64>,
    turn_v: Vector3<f64>,
    turn_a: Vector3<f64>,
    turn_x: [Vector3<f64>; RATES],
    /// What of the first is one of the order.
    order: Vector3<f64>,
    p: Force<f64>,
    r: Force<f64>,
    g: Force<f64>,
    /// `G − S_k ×* f`: within one link, where `S_j` turns with nothing.
    own: Force<f64>,
    r_x: [Force<f64>; RATES],
}

impl Bound {
    #[inline(always)]
    fn new(k: &Column, v: Motion<f64>, forces: &Forces, rates: usize) -> Self {
        let (omega, [f_v, f_a]) = (k.s.angular, [forces.motions[VELOCITY], forces.motions[ACCELERATION]]);
        let tilted = |f: Force<f64>| Force::new(f.linear.cross(&omega), f.angular.cross(&omega));
        let spin = |m: Motion<f64>, f: Force<f64>| m.linear.cross(&f.linear) + m.angular.cross(&f.angular);
        let after = |x: Vector3<f64>| Force::new(2.0 * f_a.linear.cross(&x), f_a.angular.cross(&x));
        let lag = |f: Force<f64>| 2.0 * v.linear.cross(&f.linear) - f.angular.cross(&v.angular);
        let (carried, tilt) = (k.s.cross_force(f_a), tilted(f_a));
        let mut p = tilted(f_v) + k.s.cross_force(f_v) + k.psi_dot.cross_force(f_a).scale(2.0);
        p += after(k.psi_dot.angular);
        p.angular += omega.cross(&lag(f_a)) + lag(tilt);
        let own = carried + after(omega);
        let mut turn_q = spin(k.s, forces.pose) + spin(k.moved[VELOCITY], f_v) + spin(k.moved[ACCELERATION], f_a);
        let (mut turn_x, mut r_x) = ([v3::zero(); RATES], [Force::zero(); RATES]);
        for n in 0..rates {
            let f = forces.motions[2 + n];
            turn_q += spin(k.moved[2 + n], f);
            turn_x[n] = spin(k.s, f);
            r_x[n] = tilted(f) + k.s.cross_force(f);
        }
        Self {
            turn_q,
            turn_v: spin(k.s, f_v) + spin(k.by_rate, f_a),
            turn_a: spin(k.s, f_a),
            turn_x,
            order: omega.cross(&forces.pose.angular),
            p,
            r: carried + tilt,
            g: own + carried,
            own,
            r_x,
        }
    }
}

/// Adds what pairs of columns change of a side together, as its forces see it.
fn together(
    links: &Placed<f64>,
    columns: &[Column],
    velocity: Motion<f64>,
    forces: &Forces,
    rates: &mut [Rate<'_>],
    to: &mut Curvature<'_>,
) {
    for (n, k) in columns.iter().enumerate() {
        let (row, by) = (links.dof[k.at], Bound::new(k, velocity, forces, rates.len()));
        // Columns of the same link, then of those that carry it.
        let same = columns[..n].iter().rev().take_while(|j| j.link == k.link);
        for j in columns[n..].iter().chain(same) {
            let (strict, column, omega) = (j.link != k.link, links.dof[j.at], j.s.angular);
            let mut qq = omega.dot(&by.turn_q) + j.psi_dot.power(by.p) + j.psi_ddot.power(by.r);
            for (omega, r) in j.omega.iter().zip(&by.r_x).take(rates.len()) {
                qq += omega.power(*r);
            }
            to.dqq[(row, column)] += qq;
            to.dvq[(row, column)] += omega.dot(&by.turn_v) + j.psi_dot.power(by.g);
            to.daq[(row, column)] += omega.dot(&by.turn_a);
            let vv = j.s.power(if strict { by.g } else { by.own });
            to.dvv[(row, column)] += vv;
            if strict {
                // In this order, `k` does not turn the axis of `j`.
                to.dqq[(column, row)] += qq - omega.dot(&by.order);
                to.dvq[(column, row)] += j.s.power(by.p) + j.psi_s_dot.power(by.r);
                to.daq[(column, row)] += j.s.power(by.r);
                to.dvv[(column, row)] += vv;
            }
            for (n, rate) in rates.iter_mut().enumerate() {
                if let Some(to) = &mut rate.to {
                    to[(row, column)] += omega.dot(&by.turn_x[n]);
                    if strict {
                        to[(column, row)] += j.s.power(by.r_x[n]);
                    }
                }
            }
        }
    }
}
