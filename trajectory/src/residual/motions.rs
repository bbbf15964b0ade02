//! Second derivatives of the velocity and the acceleration of a frame.
//!
//! In coordinates of a reference, with the [axes](super::axes) `S_i` from the root to the frame, `V_i` and `A_i` the
//! velocity and the acceleration of what is before the stage of i, `V_i⁺` the velocity of what is behind it, `V` and
//! `A` those of the frame, `d_i = S_i × V_i`, and `W_i` how the coordinates turn along `q ⊕ ε e_i`: not at all in those
//! of the frame, `ω_i ×` of both parts in axes of the world about it, `S_i ×` in those of the world. In coordinates of
//! the frame only what is before a stage counts:
//!
//! ```text
//! ∂V/∂q_i = W_i V − d_i                         ∂A/∂q_i = W_i A + Z_i ,   Z_i = −S_i × A_i − d_i × (V − V_i)
//! ∂²V/∂q_i∂q_j = W_i (W_j V − d_j) − W_j d_i + S_j × d_i                                     i before j        (1)
//! ∂²V/∂q_i∂v_k = W_i S_k − [k before i] S_i × S_k                                                              (2)
//! ∂²A/∂q_i∂q_j = W_i (W_j A + Z_j) + W_j Z_i + S_j × (e_i + d_i × V_j) + (S_j × d_i) × (V − V_j)               (3)
//! ∂²A/∂q_i∂v_k = W_i (S_k × V + B_k) − S_i × (S_k × V_i + B_k) − (S_i × S_k) × (V − V_i)     k before i,       (4)
//!                W_i (S_k × V + B_k) − d_i × S_k                                             else
//! ∂²A/∂q_i∂a_k = W_i S_k − [k before i] S_i × S_k        ∂²A/∂v_k∂v_l = S_k × S_l            k before l        (5)
//! e_i = S_i × A_i − d_i × V_i ,   B_k = −S_k × (V_k + V_k⁺)
//! ```
//!
//! (1) and (3) hold within a stage too, with i moved first. They follow from `∂S_j/∂q_i = S_i × S_j` and the Jacobi
//! identity.

use super::axes::{Axes, Coordinates};
use gradyn::dynamics::ReferenceFrame;
use gradyn::{Force, Motion};
use nalgebra::{DMatrix, Vector3};

/// Memory of one frame.
#[derive(Debug, Default)]
pub(super) struct Motions {
    pub(super) axes: Axes,
    moving: Vec<Moving>,
    curvatures: Vec<AxisCurvature>,
    rates: Vec<Rate>,
}

/// What moves before the stage of an axis, and behind it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moving {
    pub(super) before: Motion<f64>,
    after: Motion<f64>,
    rate_before: Motion<f64>,
    rate_after: Motion<f64>,
}

/// What (1) and (2) are made of, for weights h: `W_i* h`, `∂V/∂q_i`, `W_i* h − S_i ×* h`, `d_i`.
#[derive(Clone, Copy, Debug)]
struct AxisCurvature {
    turn: Force<f64>,
    slope: Motion<f64>,
    rest: Force<f64>,
    slip: Motion<f64>,
}

/// What (3) and (4) are made of besides.
#[derive(Clone, Copy, Debug)]
struct Rate {
    turn: Force<f64>,
    /// `S_i ×* h`
    carried: Force<f64>,
    /// `V_i ×* (S_i ×* h) + S_i ×* ((V − V_i) ×* h)`
    curvature: Force<f64>,
    /// `d_i ×* h`
    slipped: Force<f64>,
    /// `Z_i` and `∂A/∂q_i`
    own: Motion<f64>,
    slope: Motion<f64>,
    /// `e_i`
    lag: Motion<f64>,
    /// `B_i` and `S_i × V + B_i`
    by_v: Motion<f64>,
    whole_by_v: Motion<f64>,
}

/// Coordinates of a reference.
pub(super) fn coordinates(reference: ReferenceFrame) -> Coordinates {
    match reference {
        ReferenceFrame::Local => Coordinates::Local,
        ReferenceFrame::LocalWorldAligned => Coordinates::Aligned,
        ReferenceFrame::World => Coordinates::World,
    }
}

/// `W m`
#[inline(always)]
fn turned(coordinates: Coordinates, s: Motion<f64>, m: Motion<f64>) -> Motion<f64> {
    match coordinates {
        Coordinates::Local => Motion::zero(),
        Coordinates::Aligned => Motion::new(s.angular.cross(&m.linear), s.angular.cross(&m.angular)),
        Coordinates::World => s.cross(m),
    }
}

/// `W* h`: `h · W m = −(W* h) · m`
#[inline(always)]
fn turned_force(coordinates: Coordinates, s: Motion<f64>, h: Force<f64>) -> Force<f64> {
    match coordinates {
        Coordinates::Local => Force::zero(),
        Coordinates::Aligned => Force::new(s.angular.cross(&h.linear), s.angular.cross(&h.angular)),
        Coordinates::World => s.cross_force(h),
    }
}

/// Fills in what moves, of the axes of a path or of a tree.
pub(super) fn move_axes(axes: &Axes, v: &[f64], a: &[f64], moving: &mut Vec<Moving>) {
    moving.clear();
    for j in 0..axes.list.len() {
        if axes.previous(j).is_some_and(|i| !axes.is_before(i, j)) {
            moving.push(moving[j - 1]); // of the same stage
            continue;
        }
        let (before, rate_before) = match axes.before_stage(j) {
            Some(i) => (moving[i].after, moving[i].rate_after),
            None => (Motion::zero(), Motion::zero()),
        };
        let (mut after, mut rate_after) = (before, rate_before);
        for axis in &axes.list[j..=axes.stage_last(j)] {
            let own = axis.motion.times(v[axis.dof]);
            after += own;
            rate_after = before.cross_plus(own, rate_after + axis.motion.times(a[axis.dof]));
        }
        moving.push(Moving { before, after, rate_before, rate_after });
    }
}

impl Motions {
    /// Fills in what moves at joint velocities v and accelerations a; what the frame does.
    fn differentiate(&mut self, [v, a]: [&[f64]; 2]) -> Moving {
        move_axes(&self.axes, v, a, &mut self.moving);
        let still = Motion::zero();
        self.moving.last().copied().unwrap_or(Moving {
            before: still,
            after: still,
            rate_before: still,
            rate_after: still,
        })
    }

    fn differentiate_velocity(&mut self, coordinates: Coordinates, whole: Motion<f64>, h: Force<f64>) {
        self.curvatures.clear();
        self.curvatures.extend(self.axes.list.iter().zip(&self.moving).map(|(axis, moving)| {
            let s = axis.motion;
            let (slip, turn) = (s.cross(moving.before), turned_force(coordinates, s, h));
            AxisCurvature { turn, slope: turned(coordinates, s, whole) - slip, rest: turn - s.cross_force(h), slip }
        }));
    }

    /// Adds `h · ∂²V` by (q, q).
    fn add_by_q(&self, out: &mut DMatrix<f64>) {
        let curvatures = &self.curvatures;
        self.axes.add_pairs(out, 0, |i, j| {
            curvatures[i].slip.power(curvatures[j].rest) - curvatures[j].slope.power(curvatures[i].turn)
        });
    }

    /// Adds `h · ∂²V` by (q, v).
    fn add_by_v(&self, nv: usize, out: &mut DMatrix<f64>) {
        let axes = &self.axes;
        axes.add_rectangle(out, nv, |i, k| {
            let by = if axes.is_before(k, i) { self.curvatures[i].rest } else { self.curvatures[i].turn };
            -axes.list[k].motion.power(by)
        });
    }

    /// Adds `h · ∂²V` of a velocity in these coordinates, that of the axes, by q and v.
    pub(super) fn add_velocity(&mut self, coordinates: Coordinates, v: &[f64], h: Force<f64>, out: &mut DMatrix<f64>) {
        let whole = self.differentiate([v, v]).after;
        self.differentiate_velocity(coordinates, whole, h);
        self.add_by_q(out);
        self.add_by_v(v.len(), out);
    }

    /// Adds `h · ∂²V` of a velocity in axes of the world about the frame, by q alone; then calls with each degree of
    /// freedom and its part of `∂V/∂q`.
    pub(super) fn add_velocity_at(
        &mut self,
        v: &[f64],
        h: Force<f64>,
        out: &mut DMatrix<f64>,
        mut slope: impl FnMut(&mut DMatrix<f64>, usize, Motion<f64>),
    ) {
        let whole = self.differentiate([v, v]).after;
        self.differentiate_velocity(Coordinates::Aligned, whole, h);
        self.add_by_q(out);
        for (axis, curvature) in self.axes.list.iter().zip(&self.curvatures) {
            slope(out, axis.dof, curvature.slope);
        }
    }

    /// Adds `h · ∂²α` of the classical acceleration `α = A + (ω × v, 0)` in these coordinates, by q, v and a; `first`:
    /// where those of a begin.
    pub(super) fn add_acceleration(
        &mut self,
        coordinates: Coordinates,
        [v, a]: [&[f64]; 2],
        h: Force<f64>,
        first: usize,
        out: &mut DMatrix<f64>,
    ) {
        let tip = self.differentiate([v, a]);
        let (whole, rate, nv) = (tip.after, tip.rate_after, v.len());
        // h_l · (ω × v): as weights of V, and by both of its factors.
        let by_velocity = Force::new(h.linear.cross(&whole.angular), whole.linear.cross(&h.linear));
        self.differentiate_velocity(coordinates, whole, by_velocity);
        self.rates.clear();
        self.rates.extend(self.axes.list.iter().zip(&self.moving).zip(&self.curvatures).map(
            |((axis, moving), curvature)| {
                let (s, d, rest) = (axis.motion, curvature.slip, whole - moving.before);
                let carried = s.cross_force(h);
                let own = -(s.cross(moving.rate_before) + d.cross(rest));
                let by_v = -s.cross(moving.before + moving.after);
                Rate {
                    turn: turned_force(coordinates, s, h),
                    carried,
                    curvature: moving.before.cross_force(carried) + s.cross_force(rest.cross_force(h)),
                    slipped: d.cross_force(h),
                    own,
                    slope: turned(coordinates, s, rate) + own,
                    lag: s.cross(moving.rate_before) - d.cross(moving.before),
                    by_v,
                    whole_by_v: s.cross(whole) + by_v,
                }
            },
        ));
        let Self { axes, curvatures, rates, .. } = &*self;
        let product = |x: Motion<f64>, y: Motion<f64>| both(h.linear, x, y);
        self.add_by_q(out);
        self.add_by_v(nv, out);
        axes.add_pairs(out, 0, |i, j| {
            let (x, y) = (&rates[i], &rates[j]);
            product(curvatures[i].slope, curvatures[j].slope)
                - y.slope.power(x.turn)
                - x.own.power(y.turn)
                - x.lag.power(y.carried)
                - curvatures[i].slip.power(y.curvature)
        });
        axes.add_rectangle(out, nv, |i, k| {
            let (x, s) = (&rates[i], axes.list[k].motion);
            let behind = if axes.is_before(k, i) {
                rates[k].by_v.power(x.carried) + s.power(x.curvature)
            } else {
                s.power(x.slipped)
            };
            product(curvatures[i].slope, s) - rates[k].whole_by_v.power(x.turn) + behind
        });
        axes.add_rectangle(out, first, |i, k| {
            let by = if axes.is_before(k, i) { rates[i].carried - rates[i].turn } else { -rates[i].turn };
            axes.list[k].motion.power(by)
        });
        axes.add_pairs(out, nv, |k, l| {
            let (x, y) = (axes.list[k].motion, axes.list[l].motion);
            let carried = if axes.is_before(k, l) { -y.power(rates[k].carried) } else { 0.0 };
            product(x, y) + carried
        });
    }
}

/// `u · (ω_x × v_y + ω_y × v_x)`
#[inline(always)]
fn both(u: Vector3<f64>, x: Motion<f64>, y: Motion<f64>) -> f64 {
    u.dot(&(x.angular.cross(&y.linear) + y.angular.cross(&x.linear)))
}
