//! Second derivatives by dual numbers: the first derivatives in closed form, eight directions a run.

use super::{At, SecondOrderWorkspace};
use crate::dynamics::rnea_derivatives::analytical;
use crate::dynamics::{ExternalWrench, Tensor3, Workspace};
use crate::model::{InputError, Model};
use gradyn_derivatives::simd::{Kernel, Register, WIDTH, dispatch};
use gradyn_derivatives::{Lanes, VectorDual};

/// Fills in the tensors; are all entries finite?
pub(super) fn rnea_second_derivatives(
    model: &Model,
    ws: &mut SecondOrderWorkspace,
    at: At<'_>,
) -> Result<bool, InputError> {
    ws.base.second(model).sparse = false;
    dispatch(Run { model, ws, at });
    let result = &ws.base.second(model).result;
    Ok(result.tensors().into_iter().all(|(_, tensor)| tensor.as_slice().iter().all(|x| x.is_finite())))
}

struct Run<'a> {
    model: &'a Model,
    ws: &'a mut SecondOrderWorkspace,
    at: At<'a>,
}

impl Kernel for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { model, ws, at: At { q, v, a, wrenches } } = self;
        let SecondOrderWorkspace { base, registers, .. } = ws;
        if !registers.as_ref().is_some_and(|memory| memory.is::<Workspace<VectorDual<R>>>()) {
            *registers = Some(Box::new(Workspace::<VectorDual<R>>::new(model)));
        }
        let Some(dual) = registers.as_mut().and_then(|memory| memory.downcast_mut::<Workspace<VectorDual<R>>>()) else {
            return;
        };
        let result = &mut base.second(model).result;
        let nv = model.nv();
        let constant = |x: &[f64]| x.iter().copied().map(VectorDual::<R>::from).collect::<Vec<_>>();
        let (q_0, mut v_0, a_0) = (constant(q), constant(v), constant(a));
        let mut q_k = q_0.clone();
        let wrenches: Vec<ExternalWrench<VectorDual<R>>> = wrenches.iter().map(ExternalWrench::lift).collect();
        for start in (0..nv).step_by(WIDTH) {
            let width = WIDTH.min(nv - start);
            seed_configuration(model, q, start, width, &mut q_k);
            let by = analytical(model, dual, &q_k, &v_0, &a_0, &wrenches);
            store(by.dtau_dq, start, width, &mut result.d2tau_dqdq);
            store(by.dtau_da, start, width, &mut result.d2tau_dadq);

            for lane in 0..width {
                v_0[start + lane].eps = Lanes::unit(lane);
            }
            let by = analytical(model, dual, &q_0, &v_0, &a_0, &wrenches);
            store(by.dtau_dq, start, width, &mut result.d2tau_dqdv);
            store(by.dtau_dv, start, width, &mut result.d2tau_dvdv);
            for lane in 0..width {
                v_0[start + lane] = VectorDual::from(v[start + lane]);
            }
        }
    }
}

/// `q ⊕ ε e_k`, k a lane.
fn seed_configuration<R: Register>(model: &Model, q: &[f64], start: usize, width: usize, out: &mut [VectorDual<R>]) {
    let mut direction = vec![0.0; model.nv()];
    let mut rates = vec![[0.0; WIDTH]; model.nq()];
    let mut rate = vec![0.0; model.nq()];
    for lane in 0..width {
        direction[start + lane] = 1.0;
        model.rates(q, &direction, &mut rate);
        direction[start + lane] = 0.0;
        for (to, from) in rates.iter_mut().zip(&rate) {
            to[lane] = *from;
        }
    }
    for ((to, value), rate) in out.iter_mut().zip(q).zip(rates) {
        *to = VectorDual::from_parts(*value, rate);
    }
}

/// Derivatives of a matrix, in column-major order, along the directions from `start`.
#[inline(always)]
fn store<R: Register>(matrix: &[VectorDual<R>], start: usize, width: usize, tensor: &mut Tensor3) {
    let nv = tensor.dims()[0];
    let to = tensor.as_mut_slice();
    for (at, x) in matrix.iter().enumerate() {
        let (row, column) = (at % nv, at / nv);
        let lanes = x.eps.to_array();
        to[(row * nv + column) * nv + start..][..width].copy_from_slice(&lanes[..width]);
    }
}
