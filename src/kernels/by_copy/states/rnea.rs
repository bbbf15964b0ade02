//! Inverse dynamics.
//! Page: `dynamics/rnea.rs`. Source: RBDA, table 5.1. Test: `batch::batches_of_hinges_and_slides_equal_single_states`.

use crate::joint::{FreeFlyer, JointKind};
use crate::kernels::by_copy::newton_euler::{Motion, free, hinged, hinged_to_world, to_parent};
use crate::kernels::by_copy::states::turns::Turn;
use crate::kernels::by_copy::states::{Numbers, store};
use crate::plan::states::{LinkKind, StatesLayout, Step};
use crate::spatial::{Force, spread, vector as v3};
use gradyn_derivatives::{Lanes, MulAdd, Real, Register};
use nalgebra::{Matrix3, Vector3};

/// How a body moves, and what moves it, in its own axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Body<T> {
    rotation: Matrix3<T>,
    /// Of its origin.
    motion: Motion<T>,
    /// `[ω̇]× + [ω]×²`: what is at `r` accelerates at `a + K r`.
    spread: Matrix3<T>,
    force: Vector3<T>,
    moment: Vector3<T>,
    /// In the parent, where that is not constant: of a slide.
    position: Vector3<T>,
}

impl<T: Real> Body<T> {
    pub(crate) fn new() -> Self {
        let (zero, matrix) = (v3::zero(), v3::zero_matrix());
        Self {
            rotation: matrix,
            motion: Motion { angular: zero, angular_rate: zero, acceleration: zero },
            spread: matrix,
            force: zero,
            moment: zero,
            position: zero,
        }
    }
}

piece!(
    /// Torques without those of armature, damping and friction.
    pub(crate) fn rnea<'a, R: Register>(
        layout: &'a StatesLayout,
        gravity: Vector3<f64>,
        turns: &'a [Turn<R>],
        bodies: &'a mut [Body<Lanes<R>>],
        q: Numbers<'a, R>,
        v: Numbers<'a, R>,
        a: Numbers<'a, R>,
        tau: &'a mut [Lanes<R>],
    ) {
        let up = v3::neg(gravity);
        for (i, step) in layout.steps.iter().enumerate() {
            match step.link.kind {
                LinkKind::Hinge => hinge_motion(step, bodies, i, up, turns[i], (v[step.v], a[step.v])),
                LinkKind::Slide => slide_motion::<R>(step, bodies, i, up, q[step.q], v[step.v], a[step.v]),
                LinkKind::Free => free_motion(step, &mut bodies[i], up, (&q[step.q..], &v[step.v..], &a[step.v..])),
            }
            body_force(step, &mut bodies[i]);
        }
        for (i, step) in layout.steps.iter().enumerate().rev() {
            let Body { force, moment, rotation, .. } = &bodies[i];
            let (force, moment) = (*force, *moment);
            match step.link.kind {
                LinkKind::Hinge => tau[step.v] = moment.z,
                LinkKind::Slide => tau[step.v] = force.z,
                LinkKind::Free => store(&mut tau[step.v..], &Force::new(force, moment).to_array()),
            }
            if let Some(p) = step.parent {
                let (of_body, onto) = ((force, moment), bodies[p].moment);
                let (force, moment) = match step.link.kind {
                    LinkKind::Slide => to_parent(rotation, bodies[i].position, of_body, onto),
                    _ => to_parent(rotation, step.link.translation, of_body, onto),
                };
                bodies[p].force = v3::add(force, bodies[p].force);
                bodies[p].moment = moment;
            }
        }
    }
);

/// Motion of a body whose joint, to its parent or the world, is a hinge.
#[inline(always)]
fn hinge_motion<R: Register>(
    step: &Step,
    bodies: &mut [Body<Lanes<R>>],
    i: usize,
    up: Vector3<f64>,
    (sin, cos): Turn<R>,
    rates: (Lanes<R>, Lanes<R>),
) {
    let g = &step.link.rotation;
    let (g0, g1) = (v3::column(g, 0), v3::column(g, 1));
    let x = v3::times_plus(g0, cos, v3::times(g1, sin));
    let y = v3::times_plus(g0, -sin, v3::times(g1, cos));
    let z = v3::column(g, 2);
    let rotation = v3::from_columns(x, y, v3::lift(z));
    let motion = match step.parent {
        Some(p) => hinged(&rotation, &motion_at(&bodies[p], v3::lift(step.link.translation)), rates),
        None => hinged_to_world(&rotation, v3::lift(up), rates),
    };
    (bodies[i].rotation, bodies[i].motion) = (rotation, motion);
}

/// How a place of a body moves: `a + K p`.
#[inline(always)]
fn motion_at<R: Register>(of: &Body<Lanes<R>>, p: Vector3<Lanes<R>>) -> Motion<Lanes<R>> {
    Motion { acceleration: v3::rotate_plus(&of.spread, p, of.motion.acceleration), ..of.motion }
}

piece!(
    /// Motion of a body that slides along its parent, or along the world:
    ///
    /// ```text
    /// ω = Rᵀ ω_λ    ω̇ = Rᵀ ω̇_λ    a = Rᵀ (a_λ + K_λ p) + z q̈ + 2 ω × z q̇
    /// ```
    fn slide_motion<'a, R: Register>(
        step: &'a Step,
        bodies: &'a mut [Body<Lanes<R>>],
        i: usize,
        up: Vector3<f64>,
        q: Lanes<R>,
        v: Lanes<R>,
        a: Lanes<R>,
    ) {
        let g = &step.link.rotation;
        let position = v3::times_plus(v3::column(g, 2), q, v3::lift(step.link.translation));
        let (w, w_rate, seat) = match step.parent {
            Some(p) => {
                let Motion { angular, angular_rate, acceleration } = motion_at(&bodies[p], position);
                (v3::rotate_back(g, angular), v3::rotate_back(g, angular_rate), acceleration)
            }
            None => (v3::zero(), v3::zero(), v3::lift(up)),
        };
        let (moved, twice) = (v3::rotate_back(g, seat), v + v);
        let body = &mut bodies[i];
        body.rotation = v3::lift_matrix(g);
        body.position = position;
        body.motion = Motion {
            angular: w,
            angular_rate: w_rate,
            acceleration: Vector3::new(w.y.mul_plus(twice, moved.x), moved.y - w.x * twice, moved.z + a),
        };
    }
);

/// Motion of a free body.
#[inline(always)]
fn free_motion<R: Register>(
    step: &Step,
    body: &mut Body<Lanes<R>>,
    up: Vector3<f64>,
    (q, v, a): (Numbers<'_, R>, Numbers<'_, R>, Numbers<'_, R>),
) {
    let pose = JointKind::<f64>::pose::<Lanes<R>>(&FreeFlyer, q);
    body.rotation = v3::product(&step.link.rotation, &pose.rotation);
    let three = |x: &[Lanes<R>]| Vector3::new(x[0], x[1], x[2]);
    body.motion = free(&body.rotation, v3::lift(up), [three(v), three(&v[3..])], [three(a), three(&a[3..])]);
}

/// The force and the moment about its origin that the motion of a body takes: equation (5) of [`moments`](crate::spatial::moments).
#[inline(always)]
fn body_force<R: Register>(step: &Step, body: &mut Body<Lanes<R>>) {
    body.spread = spread(body.motion.angular, body.motion.angular_rate);
    let Force { linear, angular } = step.link.mass.load(&body.spread, body.motion.acceleration);
    body.force = linear;
    body.moment = angular;
}
