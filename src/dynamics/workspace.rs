//! All scratch memory of the algorithms.

use super::aba::AbaMemory;
use super::aba_gradient::AbaGradientMemory;
use super::centroidal::CentroidalMemory;
use super::centroidal_derivatives::CentroidalDerivativesMemory;
use super::com::ComMemory;
use super::constraints::ConstraintsMemory;
use super::coriolis::CoriolisMemory;
use super::crba::CrbaMemory;
use super::frame_derivatives::FrameDerivativesMemory;
use super::jacobian::JacobianMemory;
use super::jacobian_transpose::JacobianTransposeMemory;
use super::ltl;
use super::minv::MinvMemory;
use super::placed::Placed;
use super::regressor::RegressorMemory;
use super::rnea_derivatives::RneaDerivativesMemory;
use super::rnea_gradient::RneaGradientMemory;
use super::rnea_second::RneaSecondMemory;
use crate::dynamics::by_plan;
use crate::joint::JointKind;
use crate::kernels::by_joint::JointsMemory;
use crate::model::{InputError, Model};
use crate::spatial::{Force, Motion, Transform};
use gradyn_derivatives::{Real, Scalar};

/// Scratch memory for one model, to be made once per thread; results borrow from it.
#[derive(Clone, Debug)]
#[doc(alias("Data", "MechanismState", "Context", "mjData"))]
pub struct Workspace<T = f64> {
    /// Pose of each body in its parent.
    pub(crate) x_pb: Vec<Transform<T>>,
    /// Pose of each body in the world, where it was asked for.
    pub(crate) x_wb: Vec<Transform<T>>,
    /// Sine and cosine of each revolute joint's angle.
    pub(crate) trig: Vec<(T, T)>,
    /// Columns of the motion subspaces, in coordinates of their bodies. Each body has its own, mimic joints too.
    pub(crate) columns: Vec<Motion<T>>,
    /// First column of each body.
    pub(crate) first: Vec<usize>,
    /// The degree of freedom of each column. Several have the same one where joints mimic.
    pub(crate) dof: Vec<usize>,
    /// Bias of each joint, in coordinates of its body.
    pub(crate) bias: Vec<Motion<T>>,
    /// Velocity of each body, in its coordinates.
    pub(crate) velocity: Vec<Motion<T>>,
    /// Acceleration of each body, in its coordinates; in RNEA with that of the falling base, −g.
    pub(crate) acceleration: Vec<Motion<T>>,
    /// Force on each body; after the sweep to the root, through its joint.
    pub(crate) force: Vec<Force<T>>,
    /// Joint torques.
    pub(crate) tau: Vec<T>,
    /// Zeros, nv, for velocities and accelerations at rest; filled when first needed.
    pub(crate) zeros: Vec<T>,
    /// What springs and friction curves leave of torques, nv; filled when first needed.
    pub(crate) driving: Vec<T>,
    /// Rows of eight, for the forms over `f64`.
    pub(crate) by_joint: Option<Box<JointsMemory>>,
    /// What second derivatives of inverse dynamics need, made at their first use.
    pub(crate) second: Option<Box<RneaSecondMemory<T>>>,
    /// Of the derivatives of inverse dynamics; made when first needed.
    pub(crate) rnea_derivatives: Option<Box<RneaDerivativesMemory<T>>>,
    /// Of the gradient of a combination of torques; made when first needed.
    pub(crate) rnea_gradient: Option<Box<RneaGradientMemory<T>>>,
    /// Bodies and columns in axes of the world about the body at the root; made when first needed.
    pub(crate) placed: Placed<T>,
    /// Of the mass matrix.
    pub(crate) crba: CrbaMemory<T>,
    /// Of the Coriolis matrix; made when first needed.
    pub(crate) coriolis: Option<Box<CoriolisMemory<T>>>,
    /// Of the factors of the mass matrix.
    pub(crate) ltl: ltl::Factors<T>,
    /// Of its inverse.
    pub(crate) minv: MinvMemory<T>,
    /// Of forward dynamics.
    pub(crate) aba: AbaMemory<T>,
    /// Of Jacobians.
    pub(crate) jacobian: JacobianMemory<T>,
    /// Of derivatives of frames and points; made when first needed.
    pub(crate) frame_derivatives: Option<Box<FrameDerivativesMemory<T>>>,
    /// Of transposed Jacobians; made when first needed.
    pub(crate) jacobian_transpose: Option<Box<JacobianTransposeMemory<T>>>,
    /// Of the gradient of accelerations.
    pub(crate) aba_gradient: AbaGradientMemory<T>,
    /// Gradients by parameters, made at their first use.
    pub(crate) dp: Vec<T>,
    /// Of regressors.
    pub(crate) regressor: RegressorMemory<T>,
    /// Of centers of mass; made when first needed.
    pub(crate) com: Option<Box<ComMemory<T>>>,
    /// Of the centroidal momentum; made when first needed.
    pub(crate) centroidal: Option<Box<CentroidalMemory<T>>>,
    /// Of their derivatives; made when first needed.
    pub(crate) centroidal_derivatives: Option<Box<CentroidalDerivativesMemory<T>>>,
    /// Of constraints; made when first needed.
    pub(crate) constraints: Option<Box<ConstraintsMemory<T>>>,
    /// That of the model.
    structure: u64,
}

impl<T: Real> Workspace<T> {
    /// Memory for the algorithms on this model.
    #[must_use]
    #[inline(never)]
    pub fn new<P: Real>(model: &Model<P>) -> Self
    where
        T: Scalar<P>,
    {
        let n = model.bodies().len();
        let (mut first, mut dof) = (Vec::with_capacity(n), Vec::new());
        for body in model.bodies() {
            first.push(dof.len());
            dof.extend(body.v_range());
        }
        let columns = dof.len();
        let mut workspace = Self {
            x_pb: vec![Transform::identity(); n],
            x_wb: vec![Transform::identity(); n],
            trig: vec![(T::zero(), T::one()); n],
            columns: vec![Motion::zero(); columns],
            first,
            dof,
            bias: vec![Motion::zero(); n],
            velocity: vec![Motion::zero(); n],
            acceleration: vec![Motion::zero(); n],
            force: vec![Force::zero(); n],
            tau: vec![T::zero(); model.nv()],
            zeros: Vec::new(),
            driving: Vec::new(),
            by_joint: by_plan::memory::<P, T>(model),
            second: None,
            rnea_derivatives: None,
            rnea_gradient: None,
            placed: Placed::default(),
            crba: CrbaMemory::default(),
            coriolis: None,
            ltl: ltl::Factors::default(),
            minv: MinvMemory::default(),
            aba: AbaMemory::default(),
            jacobian: JacobianMemory::default(),
            frame_derivatives: None,
            jacobian_transpose: None,
            aba_gradient: AbaGradientMemory::default(),
            dp: Vec::new(),
            regressor: RegressorMemory::default(),
            com: None,
            centroidal: None,
            centroidal_derivatives: None,
            constraints: None,
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

    /// Whether this workspace is for `model`, or for a model with the same tree of the same joints.
    #[inline]
    pub(crate) fn check<P: Real>(&self, model: &Model<P>) -> Result<(), InputError> {
        if self.structure == model.structure {
            return Ok(());
        }
        let (expected, found) = (model.bodies().len(), self.x_pb.len());
        Err(InputError::Workspace { expected, found, expected_nv: model.nv(), found_nv: self.tau.len() })
    }
}
