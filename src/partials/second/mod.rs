//! Second derivatives of inverse and forward dynamics: in closed form, by dual numbers, by differences.

mod along;
mod contraction;
mod difference;
mod dual;
mod forward;
mod solved;

pub use along::{AbaHessianProduct, aba_hessian_product};
pub use contraction::{AbaHessian, aba_hessian};
pub use forward::{AbaSecondDerivatives, aba_second_derivatives};

use super::Method;
use super::constrained::hessian::ConstrainedHessianMemory;
use crate::dynamics::rnea_second::{Sweep, check};
use crate::dynamics::{ExternalWrench, RneaSecondDerivatives, Workspace, by_plan};
use crate::kernels::macros::kernel;
use crate::model::{InputError, Model, room};
use along::AbaHessianProductMemory;
use contraction::AbaHessianMemory;
use forward::AbaSecondMemory;
use gradyn_derivatives::{Lanes, Register};
use std::any::Any;
use std::fmt;
use std::marker::PhantomData;

/// Memory for second derivatives, made once per thread for one model; results borrow from it.
pub struct SecondOrderWorkspace {
    pub(super) base: Workspace<f64>,
    /// Registers; their type depends on the level.
    pub(super) registers: Option<Box<dyn Any + Send + Sync>>,
    errors: Option<Box<RneaSecondDerivatives>>,
    forward: Option<Box<AbaSecondMemory>>,
    contraction: Option<Box<AbaHessianMemory>>,
    along: Option<Box<AbaHessianProductMemory>>,
    /// Of Hessians under constraints; made when first needed.
    pub(super) constrained: Option<Box<ConstrainedHessianMemory>>,
}

impl fmt::Debug for SecondOrderWorkspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecondOrderWorkspace").finish_non_exhaustive()
    }
}

impl SecondOrderWorkspace {
    /// Memory for the second derivatives of this model. The tensors, `4 nv³` numbers, are made at the first use.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        Self {
            base: Workspace::new(model),
            registers: None,
            errors: None,
            forward: None,
            contraction: None,
            along: None,
            constrained: None,
        }
    }

    /// Estimated errors of the last second derivatives of inverse dynamics, if it is by [`Method::Difference`].
    #[must_use]
    pub fn rnea_errors(&self) -> Option<&RneaSecondDerivatives> {
        self.errors.as_deref()
    }
}

/// Second derivatives of torques: four tensors nv × nv × nv, in the order that [`RneaSecondDerivatives`] states.
///
/// `q`: nq, `v`, `a`: nv. Wrenches, armature, friction and mimic joints are included, and every kind of joint. Entries
/// that the tree makes zero are exactly zero.
///
/// | method | how | cost |
/// |---|---|---|
/// | [`Method::Analytical`] | [`dynamics::rnea_second_derivatives`](crate::dynamics::rnea_second_derivatives), ancestors in registers | O(n d²) |
/// | [`Method::Dual`] | the first derivatives in closed form over dual numbers | O(n² d) |
/// | [`Method::Difference`] | extrapolated differences of the first derivatives; [errors](SecondOrderWorkspace::rnea_errors) | some twenty first derivatives a direction |
///
/// A second call with [`Method::Analytical`] allocates nothing.
///
/// ```
/// use gradyn::partials::{Method, SecondOrderWorkspace, rnea_second_derivatives};
/// # use gradyn::{Model, UrdfOptions};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// let (q, v, a) = ([0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8], [0.2; 7], [0.0; 7]);
/// let mut workspace = SecondOrderWorkspace::new(&model);
/// let second = rnea_second_derivatives(&model, &mut workspace, Method::Analytical, &q, &v, &a, &[])?;
/// // How the torque of the second joint bends with the third and the fourth angle:
/// println!("{}", second.d2tau_dqdq[(1, 2, 3)]);
/// # assert_eq!(second.d2tau_dqdq[(1, 2, 3)], second.d2tau_dqdq[(1, 3, 2)]); // single axes commute
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, a wrench is on a body that is not there, or a
/// number is not finite.
#[doc(alias = "ComputeRNEASecondOrderDerivatives")]
pub fn rnea_second_derivatives<'w>(
    model: &Model,
    ws: &'w mut SecondOrderWorkspace,
    method: Method,
    q: &[f64],
    v: &[f64],
    a: &[f64],
    wrenches: &[ExternalWrench],
) -> Result<&'w RneaSecondDerivatives, InputError> {
    check(model, &ws.base, q, v, a, wrenches)?;
    ws.errors = None;
    let at = At { q, v, a, wrenches };
    let finite = match method {
        Method::Analytical => {
            let reuse =
                by_plan::of(model, &mut ws.base).and_then(|kernels| kernels.placed((q, v, a), !wrenches.is_empty()));
            analytical(model, &mut ws.base, at, reuse.is_some())
        }
        Method::Dual => dual::rnea_second_derivatives(model, ws, at)?,
        Method::Difference => {
            // Two tables of two tensors with their errors, and four tensors of errors.
            room::<f64>("second derivatives by differences", &[12, model.nv, model.nv, model.nv])?;
            let (base, errors) = (&mut ws.base, &mut ws.errors);
            **errors.insert(Box::new(RneaSecondDerivatives::zeros(model.nv()))) =
                difference::rnea_second_derivatives(model, base, at)?;
            true
        }
    };
    let result = &ws.base.second(model).result;
    if finite { Ok(result) } else { Err(result.overflow(model)) }
}

/// A state, and the wrenches there.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    q: &'a [f64],
    v: &'a [f64],
    a: &'a [f64],
    wrenches: &'a [ExternalWrench],
}

kernel!(
    active,
    /// The closed form at the width of registers.
    fn analytical<'a, R: Register>(
        model: &'a Model,
        ws: &'a mut Workspace<f64>,
        at: At<'a>,
        /// Whether the columns are in their places.
        reuse: bool,
    ) -> bool {
        let At { q, v, a, wrenches } = at;
        R::call(Sweep { model, ws, q, v, a, wrenches, reuse, width: PhantomData::<Lanes<R>> })
    }
);
