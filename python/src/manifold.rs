//! Derivatives of moving along the configurations, by the numbers of a configuration: what frameworks need that know arrays
//! alone, and no manifolds. Private methods of the model, for the package's own modules.

#![allow(clippy::redundant_closure_call, reason = "rows are written as closures")]

use crate::call::call;
use crate::memory::ModelMemory;
use crate::model::PyModel;
use crate::options::{Asked, Resolved};
use crate::table::Dim::{Nq, Nv};
use crate::table::{Argument, Function, Order, Output, functions};
use gradyn::nalgebra::DMatrix;
use gradyn::num_dual::Dual64;
use gradyn::{InputError, Model};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// Numbers that move along the degree of freedom `k`.
fn moving(model: &Model, q: &[f64], k: usize) -> Result<Vec<Dual64>, InputError> {
    let mut unit = vec![0.0; model.nv()];
    unit[k] = 1.0;
    let mut rate = vec![0.0; model.nq()];
    model.q_dot_into(q, &unit, &mut rate)?;
    Ok(q.iter().zip(rate).map(|(q, rate)| Dual64::new(*q, rate)).collect())
}

fn still(x: &[f64]) -> Vec<Dual64> {
    x.iter().map(|x| Dual64::from(*x)).collect()
}

/// The matrix `G` of rates, column by column.
fn rates(model: &Model, q: &[Dual64], mut put: impl FnMut(usize, usize, Dual64)) -> Result<(), InputError> {
    let mut rate = still(&vec![0.0; model.nq()]);
    for j in 0..model.nv() {
        let mut unit = still(&vec![0.0; model.nv()]);
        unit[j] = Dual64::from(1.0);
        model.q_dot_into(q, &unit, &mut rate)?;
        rate.iter().enumerate().for_each(|(i, x)| put(i, j, *x));
    }
    Ok(())
}

/// Derivatives of two matrices: entry (i, j, k) is that of entry (i, j) along the k-th motion.
fn along(
    nv: usize,
    outs: [&mut [f64]; 2],
    compute: impl Fn(usize, &mut DMatrix<Dual64>, &mut DMatrix<Dual64>) -> Result<(), InputError>,
) -> Result<(), InputError> {
    let mut a = DMatrix::from_element(nv, nv, Dual64::from(0.0));
    let mut b = a.clone();
    let [out_a, out_b] = outs;
    for k in 0..nv {
        compute(k, &mut a, &mut b)?;
        for (out, matrix) in [(&mut *out_a, &a), (&mut *out_b, &b)] {
            for i in 0..nv {
                for j in 0..nv {
                    out[(i * nv + j) * nv + k] = matrix[(i, j)].eps;
                }
            }
        }
    }
    Ok(())
}

/// Derivatives of both derivatives of `integrate(q, v)` by `v`.
fn integrate(m: &Model, v: &[f64], dq_dv: &mut [f64], dv_dv: &mut [f64]) -> Result<(), InputError> {
    along(m.nv(), [dq_dv, dv_dv], |k, dq, dv| {
        let mut v = still(v);
        v[k].eps = 1.0;
        m.integrate_derivatives_into(&v, dq, dv)
    })
}

/// Derivatives of both derivatives of `difference(q0, q1)`, along motions of `q0` or of `q1`.
fn difference(m: &Model, q0: &[f64], q1: &[f64], first: bool, a: &mut [f64], b: &mut [f64]) -> Result<(), InputError> {
    along(m.nv(), [a, b], |k, dq0, dq1| {
        let (q0, q1) = if first { (moving(m, q0, k)?, still(q1)) } else { (still(q0), moving(m, q1, k)?) };
        m.difference_derivatives_into(&q0, &q1, dq0, dq1)
    })
}

functions! {
    /// The matrix `G` with `q_dot(q, v) = G v`.
    _rates(q: Nq;;)
        -> { rates: [Nq, Nv] } Columns
        |m, _ws, _o| {
            let nq = m.nq();
            self::rates(m, &still(q), |i, j, x| rates[j * nq + i] = x.re)?
        };

    /// How `G` changes along each degree of freedom: entry (i, j, k) is the derivative of entry (i, j) along the k-th.
    _rates_derivatives(q: Nq;;)
        -> { rates: [Nq, Nv, Nv] } Rows
        |m, _ws, _o| {
            let nv = m.nv();
            for k in 0..nv {
                self::rates(m, &moving(m, q, k)?, |i, j, x| rates[(i * nv + j) * nv + k] = x.eps)?;
            }
        };

    /// Derivatives by `v` of the derivatives of `integrate(q, v)` by `q` and by `v`.
    _integrate_second_derivatives(v: Nv;;)
        -> _IntegrateSecondDerivatives { dq_dv: [Nv, Nv, Nv], dv_dv: [Nv, Nv, Nv] } Rows
        |m, _ws, _o| integrate(m, v, dq_dv, dv_dv)?;

    /// Derivatives of the derivatives of `difference(q0, q1)`, along motions of `q0` and of `q1`.
    _difference_second_derivatives(q0: Nq, q1: Nq;;)
        -> _DifferenceSecondDerivatives {
            dq0_dq0: [Nv, Nv, Nv], dq0_dq1: [Nv, Nv, Nv], dq1_dq0: [Nv, Nv, Nv], dq1_dq1: [Nv, Nv, Nv]
        } Rows
        |m, _ws, _o| {
            difference(m, q0, q1, true, dq0_dq0, dq1_dq0)?;
            difference(m, q0, q1, false, dq0_dq1, dq1_dq1)?;
        };
}
