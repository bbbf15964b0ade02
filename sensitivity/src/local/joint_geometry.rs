//! The effect of a parameter that moves a joint on the pose, the velocity and the acceleration of a body behind it.
//!
//! If a frame P on the path from the world to a body B moves by a small `σ s` (σ a number that may change with time, s
//! a motion in coordinates of P), B changes by (with `x = x_pb`, and velocities and accelerations in coordinates of
//! their frames):
//!
//! ```text
//! δpose = x⁻¹ σ s                                            x_wb → x_wb exp(δpose)
//! δv    = x⁻¹ w ,             w = σ v_p × s + σ̇ s
//! δa    = x⁻¹ ẇ + δv × u ,    ẇ = σ̇ v_p × s + σ a_p × s + σ̈ s ,    u = v_b − x⁻¹ v_p
//! ```
//!
//! | parameter | moves |
//! |---|---|
//! | placement of a joint | its mounting frame, along six unit motions, σ = 1 |
//! | axis | the frame before the joint by a rotation, the one behind it by the opposite one, σ = 1 |
//! | pitch | the frame before the joint along its axis, σ = q |
//! | ratio, offset of a mimic joint | the frame before the joint along its motion, σ = q of the leader, σ = 1 |

use gradyn::joint::{Elementary, Joint, JointKind};
use gradyn::{Model, Motion, Transform};
use nalgebra::Vector3;

/// A frame that moves.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyState {
    /// In the world.
    pub(super) pose: Transform<f64>,
    /// In its own coordinates, like the acceleration; without gravity.
    pub(super) velocity: Motion<f64>,
    pub(super) acceleration: Motion<f64>,
}

impl BodyState {
    /// The world, at rest.
    pub(super) fn world() -> Self {
        Self { pose: Transform::identity(), velocity: Motion::zero(), acceleration: Motion::zero() }
    }

    /// The frame with this pose and this velocity in this one, in its own coordinates.
    fn then(&self, step: &Transform<f64>, velocity: Motion<f64>, acceleration: Motion<f64>) -> Self {
        Self {
            pose: self.pose * *step,
            velocity: self.velocity.composed(step, velocity),
            acceleration: self.acceleration.composed_acceleration(self.velocity, step, velocity, acceleration),
        }
    }
}

/// The change of a body, in its coordinates, with one of the engine's parameters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    /// The parameter, by its index in the layout. If it occurs more than once, changes add up.
    pub(super) at: usize,
    pub(super) pose: Motion<f64>,
    pub(super) velocity: Motion<f64>,
    pub(super) acceleration: Motion<f64>,
}

/// A frame that a parameter moves by `σ s`, with σ and its two rates.
struct Moving {
    at: usize,
    place: BodyState,
    s: Motion<f64>,
    sigma: [f64; 3],
}

impl Moving {
    /// The change of a body behind it.
    fn seen_by(&self, body: &BodyState) -> Change {
        let (Self { place, s, .. }, [sigma, rate, second]) = (self, self.sigma);
        let x = place.pose.inv_mul(&body.pose);
        let carried = place.velocity.cross(*s);
        let w = carried.scale(sigma) + s.scale(rate);
        let w_dot = carried.scale(rate) + place.acceleration.cross(*s).scale(sigma) + s.scale(second);
        let velocity = x.inv_act(w);
        let u = body.velocity - x.inv_act(place.velocity);
        let acceleration = x.inv_act(w_dot) + velocity.cross(u);
        Change { at: self.at, pose: x.inv_act(s.scale(sigma)), velocity, acceleration }
    }
}

/// All bodies at a state, and the frames that move on the path to them.
pub(super) struct JointGeometry {
    bodies: Vec<BodyState>,
    parents: Vec<Option<usize>>,
    /// By the joint of each body.
    moving: Vec<Vec<Moving>>,
}

impl JointGeometry {
    /// `q`: nq, `v`, `a`: nv, of the right lengths.
    pub(super) fn new(model: &Model, (q, v, a): (&[f64], &[f64], &[f64])) -> Self {
        let layout = model.parameter_layout();
        let count = model.bodies().len();
        let mut all = Self { bodies: Vec::with_capacity(count), parents: Vec::new(), moving: Vec::new() };
        let (mut axis, mut pitch, mut mimic) = (layout.axis.start, layout.pitch.start, 0);
        for (b, body) in model.bodies().iter().enumerate() {
            let parent = body.parent().map(|parent| parent.index());
            let carrier = parent.map_or_else(BodyState::world, |parent| all.bodies[parent]);
            let mount = carrier.then(body.placement(), Motion::zero(), Motion::zero());
            let mut moving = Vec::new();
            let mut put = |at, place, s, sigma| moving.push(Moving { at, place, s, sigma });
            for k in 0..6 {
                put(layout.placement.start + 6 * b + k, mount, unit(k), [1.0, 0.0, 0.0]);
            }
            let (q, v, a) = (&q[body.q_range()], &v[body.v_range()], &a[body.v_range()]);
            let mut here = mount;
            for stage in stages(body.joint(), (q, v, a)) {
                here = here.then(&stage.placement, Motion::zero(), Motion::zero());
                let behind = stage.behind(&here);
                if !Joint::Elementary(stage.joint).axes().is_empty() {
                    for k in 0..3 {
                        put(axis + k, here, unit(3 + k), [1.0, 0.0, 0.0]);
                        put(axis + k, behind, -unit(3 + k), [1.0, 0.0, 0.0]);
                    }
                    axis += 3;
                }
                if let Elementary::Helical(joint) = &stage.joint {
                    let along = Motion::new(joint.axis.vector(), Vector3::zeros());
                    put(pitch, here, along, [stage.q[0], stage.v[0], stage.a[0]]);
                    pitch += 1;
                }
                here = behind;
            }
            if let Joint::Mimic(joint) = body.joint() {
                // One coordinate: its motion is the same before the joint and behind it.
                let mut s = [Motion::zero()];
                let leader = followed(joint, q);
                let at = [joint.multiplier() * leader + joint.offset()];
                JointKind::<f64>::motion_subspace(joint.inner(), &at, &mut s);
                put(layout.multiplier.start + mimic, mount, s[0], [leader, v[0], a[0]]);
                put(layout.offset.start + mimic, mount, s[0], [1.0, 0.0, 0.0]);
                mimic += 1;
            }
            all.bodies.push(here);
            all.parents.push(parent);
            all.moving.push(moving);
        }
        all
    }

    /// A body; `None` is the world.
    pub(super) fn of(&self, body: Option<usize>) -> BodyState {
        body.map_or_else(BodyState::world, |body| self.bodies[body])
    }

    /// The changes of a body by parameters; none of the world.
    pub(super) fn changes(&self, body: Option<usize>) -> impl Iterator<Item = Change> + '_ {
        let seen = self.of(body);
        let path = std::iter::successors(body, |b| self.parents[*b]);
        path.flat_map(|b| &self.moving[b]).map(move |moving| moving.seen_by(&seen))
    }
}

/// A joint with one frame before it and one behind it.
struct Stage {
    joint: Elementary<f64>,
    /// In the frame of the stage before.
    placement: Transform<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
}

impl Stage {
    fn behind(&self, here: &BodyState) -> BodyState {
        let Self { joint, q, v, a, .. } = self;
        let mut columns = vec![Motion::zero(); v.len()];
        JointKind::<f64>::motion_subspace(joint, q, &mut columns);
        let times = |x: &[f64]| columns.iter().zip(x).fold(Motion::zero(), |sum, (s, x)| s.times_plus(*x, sum));
        let bias: Motion<f64> = JointKind::<f64>::bias(joint, q, v);
        here.then(&JointKind::<f64>::pose(joint, q), times(v), times(a) + bias)
    }
}

/// The stages of a joint; a joint with two axes has two.
fn stages(joint: &Joint, (q, v, a): (&[f64], &[f64], &[f64])) -> Vec<Stage> {
    let of = |joint: Elementary, placement, q: &[f64], v: &[f64], a: &[f64]| {
        let (mut at_q, mut at_v, mut placement) = (0, 0, placement);
        let stage = |joint: Elementary| {
            let (q_range, v_range) =
                (at_q..at_q + JointKind::<f64>::nq(&joint), at_v..at_v + JointKind::<f64>::nv(&joint));
            (at_q, at_v) = (q_range.end, v_range.end);
            let placement = std::mem::replace(&mut placement, Transform::identity());
            Stage { joint, placement, q: q[q_range].to_vec(), v: v[v_range.clone()].to_vec(), a: a[v_range].to_vec() }
        };
        joint.in_series().map(stage).collect::<Vec<_>>()
    };
    match joint {
        Joint::Elementary(kind) => of(*kind, Transform::identity(), q, v, a),
        Joint::Composite(kind) => {
            let (mut at_q, mut at_v) = (0, 0);
            let part = |part: &gradyn::joint::Part| {
                let (nq, nv) = (JointKind::<f64>::nq(&part.joint), JointKind::<f64>::nv(&part.joint));
                (at_q, at_v) = (at_q + nq, at_v + nv);
                of(part.joint, part.placement, &q[at_q - nq..at_q], &v[at_v - nv..at_v], &a[at_v - nv..at_v])
            };
            kind.parts().iter().flat_map(part).collect()
        }
        Joint::Mimic(kind) => {
            let k = kind.multiplier();
            let q = k * followed(kind, q) + kind.offset();
            of(*kind.inner(), Transform::identity(), &[q], &[k * v[0]], &[k * a[0]])
        }
    }
}

/// The coordinate that a mimic joint follows.
fn followed(joint: &gradyn::joint::Mimic, q: &[f64]) -> f64 {
    if joint.is_of_direction() { q[1].atan2(q[0]) } else { q[0] }
}

/// A unit motion: three displacements, then three rotations.
fn unit(k: usize) -> Motion<f64> {
    let mut six = [0.0; 6];
    six[k] = 1.0;
    Motion::new(Vector3::new(six[0], six[1], six[2]), Vector3::new(six[3], six[4], six[5]))
}
