//! Second derivatives by dual numbers: the first derivatives in closed form, eight directions a run where there are registers
//! for them.

use super::{At, SecondOrderWorkspace};
use crate::dynamics::rnea_derivatives::analytical;
use crate::dynamics::{ExternalWrench, Tensor3, Workspace};
use crate::model::{InputError, Model};
use crate::partials::directions::{Seeds, constant, runs};
use gradyn_derivatives::Directions;
use gradyn_derivatives::directions::{InDirections, in_directions};
use std::ops::Range;

/// Fills in the tensors. Returns whether all entries are finite.
pub(super) fn rnea_second_derivatives(
    model: &Model,
    ws: &mut SecondOrderWorkspace,
    at: At<'_>,
) -> Result<bool, InputError> {
    ws.base.second(model).sparse = false;
    in_directions(Run { model, ws, at });
    Ok(ws.base.second(model).result.is_finite())
}

struct Run<'a> {
    model: &'a Model,
    ws: &'a mut SecondOrderWorkspace,
    at: At<'a>,
}

impl InDirections for Run<'_> {
    type Output = ();

    #[inline(always)]
    fn run<T: Directions>(self) {
        let Self { model, ws, at: At { q, v, a, wrenches } } = self;
        let SecondOrderWorkspace { base, registers, .. } = ws;
        if !registers.as_ref().is_some_and(|memory| memory.is::<Workspace<T>>()) {
            *registers = Some(Box::new(Workspace::<T>::new(model)));
        }
        // The memory has this type: it was made with it or is replaced.
        let Some(dual) = registers.as_mut().and_then(|memory| memory.downcast_mut::<Workspace<T>>()) else { return };
        let result = &mut base.second(model).result;
        let (mut q_0, mut v_0) = (vec![T::zero(); model.nq()], vec![T::zero(); model.nv()]);
        let (mut q_k, mut a_0) = (q_0.clone(), v_0.clone());
        for (to, from) in [(&mut q_0, q), (&mut v_0, v), (&mut a_0, a)] {
            constant(to, from);
        }
        let wrenches: Vec<ExternalWrench<T>> = wrenches.iter().map(ExternalWrench::lift).collect();
        let mut seeds = Seeds::new(model);
        for dofs in runs::<T>(model.nv()) {
            seeds.configuration(model, q, dofs.clone(), &mut q_k);
            let by = analytical(model, dual, &q_k, &v_0, &a_0, &wrenches);
            store(by.dtau_dq, &dofs, &mut result.d2tau_dqdq);
            store(by.dtau_da, &dofs, &mut result.d2tau_dadq);

            for (k, dof) in dofs.clone().enumerate() {
                v_0[dof] = T::variable(v[dof], k);
            }
            let by = analytical(model, dual, &q_0, &v_0, &a_0, &wrenches);
            store(by.dtau_dq, &dofs, &mut result.d2tau_dqdv);
            store(by.dtau_dv, &dofs, &mut result.d2tau_dvdv);
            constant(&mut v_0[dofs.clone()], &v[dofs]);
        }
    }
}

/// Derivatives of a matrix, in column-major order, along the directions of `dofs`.
#[inline(always)]
fn store<T: Directions>(matrix: &[T], dofs: &Range<usize>, tensor: &mut Tensor3) {
    let nv = tensor.dims()[0];
    let to = tensor.as_mut_slice();
    for (at, x) in matrix.iter().enumerate() {
        let (row, column) = (at % nv, at / nv);
        to[(row * nv + column) * nv..][dofs.clone()].copy_from_slice(&x.derivatives()[..dofs.len()]);
    }
}
