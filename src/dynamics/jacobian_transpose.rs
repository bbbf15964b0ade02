//! Torques of a wrench on a frame, `Jᵀ f`, and their derivatives by the configuration.
//!
//! With `f` the wrench in world coordinates, `S_k` and `S_m` columns of links on the path from the frame to the root,
//! `θ` their angular parts and `u_m` the velocity of the frame's origin along `S_m`:
//!
//! ```text
//! τ_k = S_k · f                                                                                   (1)
//! ∂τ_k/∂q_m = (S_m × S_k) · f   if m is a column of the link of k or of one toward the root      (2)
//!           + S_k · (S_m ×* f)  for f fixed in the frame                                          (3)
//!           + θ_k · (u_m × f)   for f fixed in axes of the world at the frame's origin            (4)
//! ```
//!
//! Since `(S_m × S_k) · f = −S_k · (S_m ×* f)`, (2) and (3) cancel: if f is fixed in the frame, only motion between a
//! joint and the frame changes its torque.

use super::frame_derivatives::path_columns;
use super::jacobian::{check, clear, finite};
use super::placed::{Placed, update};
use super::reference::Attached;
use super::slice_ops::{fill, first_not_finite};
use super::{FrameRef, ReferenceFrame, Workspace};
use crate::default_fields::default_of_fields;
use crate::dynamics::reference::view;
use crate::level::at_level;
use crate::model::{InputError, Model};
use crate::spatial::{Force, Motion, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{DMatrix, DVector};

/// The torques `Jᵀ f` of a wrench on a frame, and their derivatives by the configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct JacobianTransposeDerivatives<T = f64> {
    /// `Jᵀ f`, nv.
    pub torque: DVector<T>,
    /// `∂(Jᵀ f)/∂q`, nv × nv, along `q ⊕ ε e_m`; f keeps its coordinates in the reference.
    pub dtorque_dq: DMatrix<T>,
    /// Estimated errors, from the method of differences.
    pub errors: Option<Box<Self>>,
}

default_of_fields!(JacobianTransposeDerivatives: torque, dtorque_dq, errors);

/// Results of this file.
#[derive(Clone, Debug)]
pub(crate) struct JacobianTransposeMemory<T> {
    pub(crate) result: JacobianTransposeDerivatives<T>,
    /// No motion of the joints, nv.
    zeros: Vec<T>,
}

default_of_fields!(JacobianTransposeMemory: result, zeros);

/// The torques `Jᵀ f` of a wrench on a frame or a body, and `∂(Jᵀ f)/∂q` in closed form, in any number type.
///
/// `q`: nq; `force`: force and moment, given in the reference, whose coordinates it keeps when the robot moves. The
/// matrix is exactly zero in rows and columns that do not move the frame. Cost O(n + depth²); a second call allocates
/// nothing. Over `f64`, [`partials::jacobian_transpose_derivatives`](crate::partials::jacobian_transpose_derivatives)
/// gives the choice of the method.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, the model has no such frame, or a number is
/// not finite.
pub fn jacobian_transpose_derivatives<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
    frame: impl Into<FrameRef>,
    reference: ReferenceFrame,
    force: Force<T>,
) -> Result<&'w JacobianTransposeDerivatives<T>, InputError> {
    let at = Attached::of(model, frame.into())?;
    check(model, ws, q, &[])?;
    if let Some(index) = first_not_finite(&force.to_array()) {
        let value = crate::joint::value(force.to_array()[index]);
        return Err(InputError::NotFinite { what: "force", index, joint: String::from("on a frame"), value });
    }
    let mut memory = std::mem::take(&mut ws.jacobian_transpose).unwrap_or_default();
    let JacobianTransposeMemory { result, zeros } = &mut *memory;
    zeros.resize(model.nv, T::zero());
    if result.torque.len() != model.nv {
        result.torque = DVector::from_element(model.nv, T::zero());
    }
    fill(result.torque.as_mut_slice(), T::zero());
    result.errors = None;
    clear(&mut result.dtorque_dq, model.nv, model.nv);
    let placed = update(model, ws, Motion::zero(), (q, zeros, zeros));
    if let Some(b) = at.body {
        of_body(&*placed, b, &at, reference, &force, result);
    }
    let memory = ws.jacobian_transpose.insert(memory);
    finite(model, "dtorque_dq", &memory.result.dtorque_dq)?;
    if let Some(index) = first_not_finite(memory.result.torque.as_slice()) {
        return Err(model.overflow("torque", index));
    }
    Ok(&memory.result)
}

at_level! {
    /// Of a wrench on a frame of the body `b`, added up.
    fn of_body<P: Real, T: Scalar<P>>(
        placed: &Placed<T>,
        b: usize,
        at: &Attached<P>,
        reference: ReferenceFrame,
        force: &Force<T>,
        result: &mut JacobianTransposeDerivatives<T>,
    ) {
        let seen = view(placed, b, at, reference);
        let f = seen.force(*force);
        for link in placed.path(placed.carrier[b]) {
            for k in link.columns.clone() {
                let (s_k, row) = (placed.columns[k], placed.dof[k]);
                result.torque[row] += s_k.power(f); //                                   (1)
                for m in path_columns(placed, b) {
                    let (s_m, column) = (placed.columns[m], placed.dof[m]);
                    let above = m < link.columns.end;
                    let turned = s_k.power(s_m.cross_force(f));
                    let entry = match (reference, above) {
                        (ReferenceFrame::Local, true) | (ReferenceFrame::World, false) => T::zero(),
                        (ReferenceFrame::Local, false) => turned, //                (3)
                        (ReferenceFrame::World, true) => -turned, //                (2)
                        (ReferenceFrame::LocalWorldAligned, above) => {
                            let u = seen.origin_along(s_m);
                            let moved = v3::dot(s_k.angular, v3::cross(u, f.linear)); // (4)
                            if above { moved - turned } else { moved }
                        }
                    };
                    result.dtorque_dq[(row, column)] += entry;
                }
            }
        }
    }
}
