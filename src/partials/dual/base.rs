//! The run over `f64` that the dual ones stand on: poses of all bodies, and motions of those that some directions leave
//! as they are while bodies that hang from them move.

use crate::dynamics::{ExternalWrench, Workspace, WrenchFrame, external, rnea, step};
use crate::joint::{Elementary, Joint};
use crate::model::Model;
use crate::partials::plan::Plan;
use crate::spatial::Motion;
use gradyn_derivatives::simd::{Register, WIDTH};
use gradyn_derivatives::{Lanes, Real};

/// Poses, columns, biases, and motions where the plan asks for them.
#[inline(always)]
pub(super) fn run<R: Register>(
    model: &Model,
    plan: &Plan,
    ws: &mut Workspace<f64>,
    (q, v, a): (&[f64], &[f64], &[f64]),
    wrenches: &[ExternalWrench],
) {
    // Sines and cosines of eight hinges at once.
    for hinges in plan.hinges.chunks(WIDTH) {
        let mut angles = [0.0; WIDTH];
        for (angle, hinge) in angles.iter_mut().zip(hinges) {
            *angle = q[model.bodies[*hinge].q.start];
        }
        let (sin, cos) = Lanes::<R>::from_array(angles).sin_cos();
        let (sin, cos) = (sin.to_array(), cos.to_array());
        for (k, hinge) in hinges.iter().enumerate() {
            ws.trig[*hinge] = (sin[k], cos[k]);
        }
    }
    for (i, body) in model.bodies.iter().enumerate() {
        let (q, v, a) = (&q[body.q.clone()], &v[body.v.clone()], &a[body.v.clone()]);
        let columns = &mut ws.columns[ws.first[i]..][..body.v.len()];
        match &body.joint {
            Joint::Elementary(Elementary::Revolute(joint)) => {
                ws.x_pb[i] = step::revolute_pose(joint, &body.placement, ws.trig[i]);
            }
            joint => step::other_pose(joint, &body.placement, q, columns, &mut ws.x_pb[i]),
        }
        if body.subspace_varies {
            ws.bias[i] = step::bias(body, q, v);
        }
        if plan.still[i] {
            let (v_p, a_p) = match body.parent {
                Some(p) => (ws.velocity[p], ws.acceleration[p]),
                None => (Motion::zero(), rnea::base_acceleration(model)),
            };
            let columns = &ws.columns[ws.first[i]..][..body.v.len()];
            (ws.velocity[i], ws.acceleration[i]) =
                step::motion(body, &ws.x_pb[i], columns, &ws.bias[i], v, a, v_p, a_p);
        }
    }
    if wrenches.iter().any(|w| w.frame == WrenchFrame::World) {
        external::step_world_poses(model, ws);
    }
}
