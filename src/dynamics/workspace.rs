//! All scratch memory of the algorithms.

use crate::joint::JointKind;
use crate::model::{InputError, Model};
use crate::spatial::{Force, Motion, Transform};
use gradyn_derivatives::{Real, Scalar};

/// Scratch memory for one model, to be made once per thread; results borrow from it.
///
/// The number types of positions, velocities and accelerations may differ: with `Q = f64` and dual `V`, `A`, derivatives
/// with respect to velocities are had without carrying derivatives of poses. Usually all three are the same.
#[derive(Clone, Debug)]
pub struct Workspace<Q, V = Q, A = V> {
    /// Pose of each body in its parent.
    pub(crate) x_pb: Vec<Transform<Q>>,
    /// Pose of each body in the world, where it was asked for.
    pub(crate) x_wb: Vec<Transform<Q>>,
    /// Sine and cosine of each revolute joint's angle.
    pub(crate) trig: Vec<(Q, Q)>,
    /// Columns of the motion subspaces, in coordinates of their bodies. Each body has its own, mimic joints too.
    pub(crate) columns: Vec<Motion<Q>>,
    /// First column of each body.
    pub(crate) first: Vec<usize>,
    /// Bias of each joint, in coordinates of its body.
    pub(crate) bias: Vec<Motion<V>>,
    /// Velocity of each body, in its coordinates.
    pub(crate) velocity: Vec<Motion<V>>,
    /// Acceleration of each body, in its coordinates; in RNEA with that of the falling base, −g.
    pub(crate) acceleration: Vec<Motion<A>>,
    /// Force on each body; after the sweep to the root, through its joint.
    pub(crate) force: Vec<Force<A>>,
    /// Joint torques.
    pub(crate) tau: Vec<A>,
    /// That of the model.
    structure: u64,
}

impl<Q: Real, V: Real, A: Real> Workspace<Q, V, A> {
    /// Memory for the algorithms on this model.
    #[must_use]
    pub fn new<P: Real>(model: &Model<P>) -> Self
    where
        Q: Scalar<P>,
    {
        let n = model.bodies().len();
        let (mut first, mut columns) = (Vec::with_capacity(n), 0);
        for body in model.bodies() {
            first.push(columns);
            columns += body.v_range().len();
        }
        let mut workspace = Self {
            x_pb: vec![Transform::identity(); n],
            x_wb: vec![Transform::identity(); n],
            trig: vec![(Q::zero(), Q::one()); n],
            columns: vec![Motion::zero(); columns],
            first,
            bias: vec![Motion::zero(); n],
            velocity: vec![Motion::zero(); n],
            acceleration: vec![Motion::zero(); n],
            force: vec![Force::zero(); n],
            tau: vec![A::zero(); model.nv()],
            structure: model.structure,
        };
        // Constant columns are written here, once, in the parameters' own number type.
        let q = model.neutral::<P>();
        let mut own = vec![Motion::<P>::zero(); columns];
        for (i, body) in model.bodies().iter().enumerate() {
            let k = workspace.first[i];
            let own = &mut own[k..k + body.v_range().len()];
            JointKind::<P>::motion_subspace(body.joint(), &q[body.q_range()], own);
        }
        for (column, own) in workspace.columns.iter_mut().zip(own) {
            *column = own.lift();
        }
        workspace
    }

    /// Is this workspace one for `model`, or for one with the same tree of the same joints?
    #[inline]
    pub(crate) fn check<P: Real>(&self, model: &Model<P>) -> Result<(), InputError> {
        if self.structure == model.structure {
            return Ok(());
        }
        let (expected, found) = (model.bodies().len(), self.x_pb.len());
        Err(InputError::Workspace { expected, found, expected_nv: model.nv(), found_nv: self.tau.len() })
    }
}
