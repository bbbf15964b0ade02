//! Second derivatives of torques: four tensors.

use crate::dynamics::tensor3::Tensor3;
use crate::model::{InputError, Model};
use gradyn_derivatives::Real;

/// Second derivatives of the torques of inverse dynamics, each nv × nv × nv, the torque first.
///
/// | tensor | entry `(i, j, k)` |
/// |---|---|
/// | `d2tau_dqdq` | `∂/∂q_k (∂τ_i/∂q_j)` |
/// | `d2tau_dqdv` | `∂²τ_i/∂q_j ∂v_k` |
/// | `d2tau_dvdv` | `∂²τ_i/∂v_j ∂v_k` |
/// | `d2tau_dadq` | `∂M_ij/∂q_k = ∂²τ_i/∂a_j ∂q_k` |
///
/// `d2tau_dqdq` is the derivative of the first derivative: `d/dε d/dδ τ_i((q ⊕ ε e_k) ⊕ δ e_j)` at zero. The second
/// step is taken from where the first one has led, in the coordinates of the body there, so it is **not** symmetric in
/// `j` and `k` where both belong to one joint that turns about more than one axis (free-flyer, spherical, planar). The
/// symmetric second derivative along `q ⊕ (ε e_k + δ e_j)` is half the sum of both orders. `∂²τ/∂a²` and `∂²τ/∂a ∂v`
/// are zero.
#[derive(Clone, Debug, PartialEq)]
pub struct RneaSecondDerivatives<T = f64> {
    /// `∂²τ/∂q²`, ordered.
    pub d2tau_dqdq: Tensor3<T>,
    /// `∂²τ/∂q ∂v`.
    pub d2tau_dqdv: Tensor3<T>,
    /// `∂²τ/∂v²`, symmetric in the last two indices.
    pub d2tau_dvdv: Tensor3<T>,
    /// `∂M/∂q`, symmetric in the first two indices.
    pub d2tau_dadq: Tensor3<T>,
}

impl<T: Real> RneaSecondDerivatives<T> {
    pub(crate) fn zeros(nv: usize) -> Self {
        let [d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dadq] = Tensor3::four([nv; 3]);
        Self { d2tau_dqdq, d2tau_dqdv, d2tau_dvdv, d2tau_dadq }
    }

    /// The tensors by name.
    pub fn tensors(&self) -> [(&'static str, &Tensor3<T>); 4] {
        [
            ("d2tau_dqdq", &self.d2tau_dqdq),
            ("d2tau_dqdv", &self.d2tau_dqdv),
            ("d2tau_dvdv", &self.d2tau_dvdv),
            ("d2tau_dadq", &self.d2tau_dadq),
        ]
    }

    pub(crate) fn tensors_mut(&mut self) -> [&mut Tensor3<T>; 4] {
        [&mut self.d2tau_dqdq, &mut self.d2tau_dqdv, &mut self.d2tau_dvdv, &mut self.d2tau_dadq]
    }

    /// Whether all entries are finite.
    #[cold]
    pub(crate) fn is_finite(&self) -> bool {
        self.tensors().into_iter().all(|(_, tensor)| tensor.as_slice().iter().all(|x| x.is_finite()))
    }

    /// The first entry that is not finite.
    #[cold]
    pub(crate) fn overflow<P: Real>(&self, model: &Model<P>) -> InputError {
        for (what, tensor) in self.tensors() {
            if let Some(((index, _, _), _)) = tensor.iter().find(|(_, x)| !x.is_finite()) {
                return model.overflow(what, index);
            }
        }
        model.overflow("d2tau", 0)
    }
}
