//! Matrices that velocities of joints are multiplied by: Jacobians and momentum matrices, six rows and nv columns, with their frames.

use super::{CheckedForce, CheckedMomentum, CheckedMotion, Expressed, Frame, FrameMismatch, same, same_coordinates};
use crate::model::InputError;
use crate::spatial::{Force, Motion, Transform, Transformable};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix6xX, Vector6};

/// The Jacobian of `body` measured in `base`, in coordinates of `expressed_in`: `v = J v_joints`, linear part first, 6 × nv.
///
/// [`frame_jacobian`](crate::dynamics::frame_jacobian) makes the matrix: in the reference `Local` it is expressed in the frame itself, in
/// `World` in the world.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedJacobian<T> {
    body: Frame,
    base: Frame,
    expressed_in: Frame,
    value: Matrix6xX<T>,
}

/// The momentum matrix of `body`, or of a system, measured in `base`, in coordinates of `expressed_in`: `h = A v_joints`, 6 × nv.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedMomentumMatrix<T> {
    body: Frame,
    base: Frame,
    expressed_in: Frame,
    value: Matrix6xX<T>,
}

macro_rules! six_rows {
    ($($type:ident: $what:literal, $column:ident, $result:ident;)*) => { $(
        impl<T: Real> $type<T> {
            #[doc = concat!("The ", $what, " of `body` in `base`, in coordinates of `expressed_in`; 6 × nv, linear part first.")]
            pub fn new(body: &Frame, base: &Frame, expressed_in: &Frame, value: Matrix6xX<T>) -> Self {
                Self { body: body.clone(), base: base.clone(), expressed_in: expressed_in.clone(), value }
            }

            /// The body, or system, that it is of.
            pub fn body(&self) -> &Frame {
                &self.body
            }

            /// The frame that velocities are measured in.
            pub fn base(&self) -> &Frame {
                &self.base
            }

            /// The frame of the coordinates.
            pub fn expressed_in(&self) -> &Frame {
                &self.expressed_in
            }

            /// The plain matrix.
            pub fn value(&self) -> &Matrix6xX<T> {
                &self.value
            }

            /// The product with the velocities of the joints, nv.
            ///
            /// # Errors
            /// [`InputError::Length`].
            pub fn times(&self, v: &[T]) -> Result<$result<T>, InputError> {
                if v.len() != self.value.ncols() {
                    let (expected, found) = (self.value.ncols(), v.len());
                    return Err(InputError::Length { what: "v", size: "nv", expected, found });
                }
                let mut sum = $column::<T>::zero();
                for (column, v) in self.value.column_iter().zip(v) {
                    sum = $column::<T>::new(column.fixed_rows::<3>(0).into(), column.fixed_rows::<3>(3).into())
                        .times_plus::<T>(*v, sum);
                }
                Ok($result::new(&self.body, &self.base, &self.expressed_in, sum))
            }

            fn mapped(&self, to: &Frame, f: impl Fn($column<T>) -> $column<T>) -> Self {
                let mut value = self.value.clone();
                for mut column in value.column_iter_mut() {
                    let of = $column::new(column.fixed_rows::<3>(0).into(), column.fixed_rows::<3>(3).into());
                    column.copy_from(&Vector6::from_column_slice(&f(of).to_array()));
                }
                Self { expressed_in: to.clone(), value, ..self.clone() }
            }
        }

        impl<P: Real, T: Scalar<P>> Expressed<P> for $type<T> {
            fn expressed_in(&self) -> &Frame {
                &self.expressed_in
            }
            fn carried(&self, x_ab: &Transform<P>, a: &Frame) -> Self {
                self.mapped(a, |column| column.transformed(x_ab))
            }
            fn carried_back(&self, x_ab: &Transform<P>, b: &Frame) -> Self {
                self.mapped(b, |column| column.transformed_back(x_ab))
            }
        }
    )* };
}
six_rows! {
    CheckedJacobian: "Jacobian", Motion, CheckedMotion;
    CheckedMomentumMatrix: "momentum matrix", Force, CheckedMomentum;
}

impl<T: Real> CheckedJacobian<T> {
    /// Torques at the joints that a wrench on the body stands for: `τ = Jᵀ f`, nv.
    ///
    /// # Errors
    /// [`FrameMismatch`] if the wrench acts on another body, or the two are not expressed in one frame.
    pub fn transpose_times(&self, f: &CheckedForce<T>) -> Result<Vec<T>, FrameMismatch> {
        let operation = "transpose_times";
        same_coordinates(operation, &self.expressed_in, f.expressed_in())?;
        same(operation, ("the Jacobian is of", &self.body), ("the force acts on", f.body()))?;
        let torque = |column: nalgebra::MatrixView6x1<'_, T>| {
            Motion::new(column.fixed_rows::<3>(0).into(), column.fixed_rows::<3>(3).into()).power::<T>(f.value())
        };
        Ok((0..self.value.ncols()).map(|k| torque(self.value.fixed_columns::<1>(k))).collect())
    }
}
