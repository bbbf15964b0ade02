//! Numbers that are linear in the wrench of one contact, in axes of the sole under it: `r = C l`.
//!
//! With the normal n of the ground and the x axis `X(q)` of a frame, a sole has the axes
//!
//! ```text
//! x = (X − c n)/s ,   y = n × x ,   z = n ,        c = n·X ,   s = |X − c n|
//! ```
//!
//! and with `R = (x y z)` the wrench in them is `l = (Rᵀ f, Rᵀ τ)`. Since n is constant, a frame that turns by ω turns
//! them about n alone:
//!
//! ```text
//! dψ = ω · g ,   g = n − (c/s) x                                                            (1)
//! dl = D l dψ ,  D l = (l_y, −l_x, 0) of force and moment                                   (2)
//! ∂²ψ/∂q_i∂q_j = (ω_i × ω_j)·g + (ω_i·y)(ω_j·x)/s² − (c/s) ψ_i (ω_j·y)     i before j       (3)
//! ```
//!
//! (3) is the derivative of (1) along i, with `∂ω_j/∂q_i = ω_i × ω_j`, `∂x = ψ_i y` and `∂(c/s) = −(ω_i·y)/s²`.

use super::axes::{Axes, Coordinates};
use super::force_rows::{ForceRows, check_axes, wrench_in};
use super::formula::own_memory;
use super::own::value_of;
use super::{Depends, Jacobian, PhaseInfo, Quantity, QuantityPoint, ResidualPoint};
use crate::fault::{ProblemError, Reason};
use gradyn::dynamics::{FrameRef, ReferenceFrame, frame_pose, frame_pose_jacobian};
use gradyn::model::InputError;
use gradyn::spatial::vector as v3;
use gradyn::{Scalar, Transform};
use nalgebra::{DMatrix, Matrix3, Vector3, Vector6};

/// A frame's x axis that is nearer to the normal than this, rad, leaves a sole no direction: what is left of it on the
/// ground has half of the digits of a number.
const ALONG: f64 = 1e-8;

/// The wrench of a contact in axes of a sole, and what is made of it.
#[derive(Clone, Debug)]
pub(super) struct Sole {
    force: ForceRows,
    /// C, m × 6.
    rows: DMatrix<f64>,
    /// To those of the world; where a frame is followed, its third column is the normal, and the others do not count.
    axes: Matrix3<f64>,
    frame: Option<FrameRef>,
}

/// The axes at a configuration, by (1).
#[derive(Clone, Copy, Debug)]
struct Heading {
    axes: Matrix3<f64>,
    /// `c/s`
    slope: f64,
    /// s
    length: f64,
}

impl Sole {
    /// Of a contact by name; without rows until the phase is known.
    pub(super) fn new(contact: &str, axes: Matrix3<f64>) -> Self {
        Self { force: ForceRows::of(contact), rows: DMatrix::zeros(0, 0), axes, frame: None }
    }
    /// With x along that of a frame.
    pub(super) fn follow(&mut self, frame: FrameRef) {
        self.frame = Some(frame);
    }
    pub(super) fn depends(&self) -> Depends {
        Depends { q: self.frame.is_some(), ..Depends::F }
    }
    /// Whether the axes are constant.
    pub(super) fn is_linear(&self) -> bool {
        self.frame.is_none()
    }
    /// Finds the contact, which must have a force and a moment, and takes these rows.
    pub(super) fn bind(&mut self, phase: &PhaseInfo<'_>, rows: DMatrix<f64>) -> Result<(), ProblemError> {
        self.force.bind_wrench(phase)?;
        let part = format!("axes of the sole of `{}`", self.force.contact());
        check_axes(&self.axes, phase.place.part(part))?;
        self.force.matrix = &rows * wrench_in(&self.axes);
        self.rows = rows;
        Ok(())
    }

    /// The numbers, where a frame is followed.
    #[inline(always)]
    pub(super) fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        let mut axes = v3::lift_matrix::<f64, T>(&self.axes);
        if let Some(frame) = self.frame {
            let pose = frame_pose(on.model, on.workspace, on.q, frame)?;
            let (along, n) = (v3::column(&pose.rotation, 0), v3::column(&axes, 2));
            let across = v3::sub(along, v3::scale(v3::dot(n, along), n));
            let square = v3::norm_squared(across);
            let inverse = square.select_lt(ALONG * ALONG, T::from(f64::NAN), square.sqrt().recip());
            let x = v3::scale(inverse, across);
            axes = v3::from_columns(x, v3::cross(n, x), n);
        }
        let w = &on.f[self.force.rows()];
        let of = |first: usize| v3::rotate_back(&axes, Vector3::new(w[first], w[first + 1], w[first + 2]));
        let (f, tau) = (of(0), of(3));
        for (r, row) in r.iter_mut().zip(self.rows.row_iter()) {
            *r = T::from(0.0);
            for (c, l) in row.iter().zip(f.iter().chain(tau.iter())) {
                *r += *l * *c;
            }
        }
        Ok(())
    }

    pub(super) fn value<Q: Quantity>(&self, of: &Q, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
        if self.frame.is_none() {
            self.force.value(on.f, r);
            return Ok(());
        }
        value_of(on, of, r)?;
        let finite = |x: &[f64]| x.iter().all(|x| x.is_finite());
        // Of what is not finite in the wrench others tell.
        if finite(r) || !finite(on.f) { Ok(()) } else { Err(no_direction()) }
    }

    pub(super) fn jacobian<Q: Quantity>(
        &self,
        of: &Q,
        on: &mut ResidualPoint<'_>,
        r: &mut [f64],
        out: &mut Jacobian,
    ) -> Result<(), Reason> {
        let Some(frame) = self.frame else {
            self.force.jacobian(out);
            return self.value(of, on, r);
        };
        self.value(of, on, r)?;
        let reference = ReferenceFrame::LocalWorldAligned;
        let (pose, jacobian) = frame_pose_jacobian(on.model, on.workspace, on.q, frame, reference)?;
        let heading = self.heading(&pose)?;
        let turned = turned(self.wrench(&heading, on.f));
        let g = heading.turn();
        for (k, column) in jacobian.column_iter().enumerate() {
            let psi = g.dot(&column.fixed_rows::<3>(3));
            for (i, row) in self.rows.row_iter().enumerate() {
                out.dq[(i, k)] = psi * row.tr_dot(&turned);
            }
        }
        let first = self.force.rows().start;
        for (i, row) in self.rows.row_iter().enumerate() {
            for part in [0, 3] {
                let by = heading.axes * Vector3::new(row[part], row[part + 1], row[part + 2]);
                by.iter().enumerate().for_each(|(k, x)| out.df[(i, first + part + k)] = *x);
            }
        }
        Ok(())
    }

    /// Adds `Σ λ_i ∂²r_i`. The residual has [`Axes`] as its memory.
    pub(super) fn add_hessian(
        &self,
        on: &mut ResidualPoint<'_>,
        lambda: &[f64],
        out: &mut DMatrix<f64>,
    ) -> Result<(), Reason> {
        let Some(frame) = self.frame else { return Ok(()) };
        let (axes, state) = (own_memory::<Axes>(on.own)?, [on.q, on.v, on.a]);
        let pose = axes.of_frame(on.model, on.workspace, state, frame, |pose| Coordinates::Aligned.about(pose))?;
        let heading = self.heading(&pose)?;
        let (x, y) = (heading.axes.column(0).into_owned(), heading.axes.column(1).into_owned());
        let (g, slope, square) = (heading.turn(), heading.slope, heading.length * heading.length);
        let mut weights = Vector6::zeros();
        for (row, lambda) in self.rows.row_iter().zip(lambda) {
            weights.iter_mut().zip(row.iter()).for_each(|(w, c)| *w += lambda * c);
        }
        let once = turned(self.wrench(&heading, on.f));
        let (first, second) = (weights.dot(&once), weights.dot(&turned(once)));
        let list = &axes.list;
        axes.add_pairs(out, 0, |i, j| {
            let (a, b) = (list[i].motion.angular, list[j].motion.angular);
            let psi = g.dot(&a);
            let curvature = a.cross(&b).dot(&g) + a.dot(&y) * b.dot(&x) / square - slope * psi * b.dot(&y);
            second * psi * g.dot(&b) + first * curvature
        });
        // By the wrench in axes of the world: R Dᵀ Cᵀ λ.
        let by = -turned(weights);
        let begin = out.nrows() - on.f.len() + self.force.rows().start;
        for part in [0, 3] {
            let by = heading.axes * by.fixed_rows::<3>(part);
            for axis in list {
                let psi = g.dot(&axis.motion.angular);
                for (k, x) in by.iter().enumerate() {
                    let column = begin + part + k;
                    out[(axis.dof, column)] += psi * x;
                    out[(column, axis.dof)] += psi * x;
                }
            }
        }
        Ok(())
    }

    fn heading(&self, pose: &Transform<f64>) -> Result<Heading, Reason> {
        let (along, n) = (pose.rotation.column(0).into_owned(), self.axes.column(2).into_owned());
        let c = n.dot(&along);
        let across = along - n * c;
        let length = across.norm();
        if length < ALONG {
            return Err(no_direction());
        }
        let x = across / length;
        Ok(Heading { axes: Matrix3::from_columns(&[x, n.cross(&x), n]), slope: c / length, length })
    }

    /// l
    fn wrench(&self, heading: &Heading, f: &[f64]) -> Vector6<f64> {
        let w = &f[self.force.rows()];
        let of = |first: usize| heading.axes.tr_mul(&Vector3::new(w[first], w[first + 1], w[first + 2]));
        let (f, tau) = (of(0), of(3));
        Vector6::new(f.x, f.y, f.z, tau.x, tau.y, tau.z)
    }
}

impl Heading {
    /// g of (1).
    fn turn(&self) -> Vector3<f64> {
        self.axes.column(2) - self.axes.column(0) * self.slope
    }
}

/// A residual that is linear in the wrench in axes of its `sole`: with `following`, `barrier`, and all but
/// [`Residual::bind`](super::Residual::bind), which is `$bind`.
macro_rules! residual_of_sole {
    ($name:ident, rows $rows:expr, $bind:expr) => {
        impl $name {
            /// With an x axis along that of a frame, projected on the ground, at the configuration of each node. Only
            /// the normal, the third column, of the constant axes then counts. There must be an angle between the
            /// frame's x axis and the normal.
            #[must_use]
            pub fn following(mut self, frame: impl Into<FrameRef>) -> Self {
                self.sole.follow(frame.into());
                self
            }
            /// The loss that keeps it: the quadratic barrier below zero.
            #[must_use]
            pub fn barrier() -> Loss {
                Loss::QuadraticBarrier { lower: vec![0.0; $rows], upper: vec![f64::INFINITY; $rows] }
            }
        }

        impl Quantity for $name {
            fn rows(&self, _model: &Model) -> usize {
                $rows
            }
            fn depends(&self) -> Depends {
                self.sole.depends()
            }
            #[inline(always)]
            fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
                self.sole.evaluate(on, r)
            }
        }

        impl Residual for $name {
            fn rows(&self) -> usize {
                $rows
            }
            fn depends(&self) -> Depends {
                self.sole.depends()
            }
            fn sees_robot(&self) -> bool {
                false
            }
            fn bind(&mut self, phase: &PhaseInfo<'_>) -> Result<(), ProblemError> {
                let bind: fn(&mut Self, &PhaseInfo<'_>) -> Result<(), ProblemError> = $bind;
                bind(self, phase)
            }
            fn value(&self, on: &mut ResidualPoint<'_>, r: &mut [f64]) -> Result<(), Reason> {
                self.sole.value(self, on, r)
            }
            fn jacobian(&self, on: &mut ResidualPoint<'_>, r: &mut [f64], out: &mut Jacobian) -> Result<(), Reason> {
                self.sole.jacobian(self, on, r, out)
            }
            fn is_linear(&self) -> bool {
                self.sole.is_linear()
            }
            $crate::residual::formula::second_opinion!($crate::residual::axes::Axes);
            fn add_hessian(
                &self,
                on: &mut ResidualPoint<'_>,
                lambda: &[f64],
                out: &mut DMatrix<f64>,
            ) -> Result<(), Reason> {
                self.sole.add_hessian(on, lambda, out)
            }
        }
    };
}
pub(super) use residual_of_sole;

/// `D l`; `Dᵀ = −D`.
fn turned(l: Vector6<f64>) -> Vector6<f64> {
    Vector6::new(l[1], -l[0], 0.0, l[4], -l[3], 0.0)
}

fn no_direction() -> Reason {
    Reason::NoSoleDirection
}
