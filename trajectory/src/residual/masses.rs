//! Second derivatives of the center of mass and of the momentum about it.
//!
//! With the [axes](super::axes) `S_i` in world axes about the center of mass c, `Y_i` the inertia of everything that
//! the joint of i carries and `h_i` its momentum, `V_i` the velocity before the stage of i, `d_i = S_i × V_i`, and m
//! the mass of the robot:
//!
//! ```text
//! ∂c/∂q_i = (Y_i S_i)_l / m                     ∂²c/∂q_i∂q_j = ω_i × ∂c/∂q_j                     i before j      (1)
//! ∂h/∂q_j = S_j ×* h_j − Y_j d_j =: F_j         ∂h/∂v_k = Y_k S_k
//! M·∂²h/∂q_i∂q_j = −(S_i × M)·F_j + G_j·d_i     G_j = Y_j (S_j × M) − S_j ×* (Y_j M)             i before j      (2)
//! M·∂²h/∂q_i∂v_k = −G_i·S_k, k before i;  −(S_i × M)·Y_k S_k, else                                               (3)
//! ```
//!
//! for the momentum h about a point at rest. About c itself, `λ·h_G = M·h − λ_a·(δc × l)` with `M = λ` and l the linear
//! momentum, so the products of derivatives of c and l are added, for all pairs of degrees of freedom.

use super::axes::Axes;
use super::motions::{Moving, move_axes};
use crate::fault::Reason;
use gradyn::dynamics::forward_kinematics;
use gradyn::spatial::InertiaAboutOrigin;
use gradyn::{Force, Model, Motion, Transform, Workspace};
use nalgebra::{DMatrix, Vector3};

/// Memory of one robot.
#[derive(Debug, Default)]
pub(super) struct Masses {
    axes: Axes,
    /// All that a body carries, itself included.
    carried: Vec<StaticVariables>,
    mass: f64,
    moving: Vec<Moving>,
    curvatures: Vec<AxisCurvature>,
    slopes: Vec<Slope>,
}

#[derive(Clone, Copy, Debug)]
struct StaticVariables {
    inertia: InertiaAboutOrigin<f64>,
    momentum: Force<f64>,
}

/// What (2) and (3) are made of: `S × M`, `d`, `F`, `G`, `Y S`.
#[derive(Clone, Copy, Debug)]
struct AxisCurvature {
    turn: Motion<f64>,
    slip: Motion<f64>,
    slope: Force<f64>,
    rest: Force<f64>,
    column: Force<f64>,
}

/// `∂c/∂q`, `∂l/∂q`, `∂l/∂v` of a degree of freedom.
#[derive(Clone, Copy, Debug, Default)]
struct Slope {
    center: Vector3<f64>,
    by_q: Vector3<f64>,
    by_v: Vector3<f64>,
}

impl Masses {
    /// Fills in axes and what they carry, in axes of the world: about the center of mass, or (for that itself) any
    /// point near.
    pub(super) fn place(
        &mut self,
        model: &Model,
        workspace: &mut Workspace,
        [q, v, a]: [&[f64]; 3],
        about_center: bool,
    ) -> Result<(), Reason> {
        let moved = forward_kinematics(model, workspace, q, v, a)?;
        let body = |k: usize| {
            let id = model.body_id(k)?;
            Some((moved.pose(id)?, moved.velocity(id)?))
        };
        self.mass = model.bodies().iter().map(|body| body.inertia().mass).sum();
        let mut about = body(0).map_or(Vector3::zeros(), |(x, _)| x.translation);
        if about_center {
            let first = about;
            for (k, link) in model.bodies().iter().enumerate() {
                let Some((x, _)) = body(k) else { continue };
                about += (x.point(link.inertia().com) - first) * (link.inertia().mass / self.mass);
            }
        }
        let about = Transform::from_translation(about);
        self.axes.of_all(model, &moved, q, &about)?;
        self.carried.clear();
        for (k, link) in model.bodies().iter().enumerate() {
            let (x, velocity) = body(k).unwrap_or((Transform::identity(), Motion::zero()));
            let x = about.inv_mul(&x);
            let inertia = InertiaAboutOrigin::from(x.act(*link.inertia()));
            let momentum = if about_center { inertia * x.act(velocity) } else { Force::zero() };
            self.carried.push(StaticVariables { inertia, momentum });
        }
        for (k, link) in model.bodies().iter().enumerate().rev() {
            if let Some(parent) = link.parent() {
                let StaticVariables { inertia, momentum } = self.carried[k];
                let to = &mut self.carried[parent.index()];
                to.inertia += inertia;
                to.momentum += momentum;
            }
        }
        Ok(())
    }

    /// Adds `λ · ∂²c`.
    pub(super) fn add_center(&mut self, out: &mut DMatrix<f64>, lambda: Vector3<f64>) {
        let (carried, share) = (&self.carried, lambda / self.mass);
        self.axes.add_pairs_by(out, |axis| {
            let column = carried[axis.body].inertia * axis.motion;
            Force::new(Vector3::zeros(), column.linear.cross(&share))
        });
    }

    /// Adds `λ · ∂²h_G` by q and v.
    pub(super) fn add_momentum(&mut self, v: &[f64], lambda: Motion<f64>, out: &mut DMatrix<f64>) {
        let Self { axes, carried, mass, moving, curvatures, slopes } = self;
        let nv = v.len();
        move_axes(axes, v, v, moving);
        curvatures.clear();
        slopes.clear();
        slopes.resize(nv, Slope::default());
        for (axis, moving) in axes.list.iter().zip(&*moving) {
            let (s, StaticVariables { inertia, momentum }) = (axis.motion, carried[axis.body]);
            let (turn, slip, column) = (s.cross(lambda), s.cross(moving.before), inertia * s);
            let slope = s.cross_force(momentum) - inertia * slip;
            let rest = inertia * turn - s.cross_force(inertia * lambda);
            curvatures.push(AxisCurvature { turn, slip, slope, rest, column });
            let to = &mut slopes[axis.dof];
            to.center += column.linear / *mass;
            to.by_q += slope.linear;
            to.by_v += column.linear;
        }
        let l: Vector3<f64> = slopes.iter().zip(v).map(|(slope, v)| slope.by_v * *v).sum();
        let kappa = lambda.angular.cross(&l);
        axes.add_pairs(out, 0, |i, j| {
            let (x, y) = (&curvatures[i], &curvatures[j]);
            let center = axes.list[i].motion.angular.dot(&y.column.linear.cross(&kappa)) / *mass;
            x.slip.power(y.rest) - x.turn.power(y.slope) + center
        });
        axes.add_rectangle(out, nv, |i, k| {
            if axes.is_before(k, i) {
                -axes.list[k].motion.power(curvatures[i].rest)
            } else {
                -curvatures[i].turn.power(curvatures[k].column)
            }
        });
        for (j, y) in slopes.iter().enumerate() {
            let moment = y.center.cross(&lambda.angular);
            for (i, x) in slopes.iter().enumerate() {
                let (by_q, by_v) = (x.by_q.dot(&moment), x.by_v.dot(&moment));
                out[(i, j)] += by_q;
                out[(j, i)] += by_q;
                out[(nv + i, j)] += by_v;
                out[(j, nv + i)] += by_v;
            }
        }
    }
}
