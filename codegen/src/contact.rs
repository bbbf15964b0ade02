//! Forward dynamics with points that are held: a form for straight-line code, by Cholesky's factors.
//!
//! ```text
//! M q̈ + h = τ + Jᵀ f,   J q̈ + J̇ v = 0:   (J M⁻¹ Jᵀ) f = −(J q̈_free + J̇ v)
//! ```
//!
//! [`gradyn::constraint_dynamics`] finds the rank of J by comparing numbers, which straight-line code cannot. Here contacts
//! must be independent; `rank_lost` is 1 where they are not, to the digits that the factors have.

use crate::engine::Results;
use crate::function::{Failure, Port};
use gradyn::dynamics::{self, FrameRef, ReferenceFrame, Workspace};
use gradyn::{Model, Scalar};
use nalgebra::DMatrix;

/// A pivot below this part of its diagonal has lost ten digits.
const LOST: f64 = 1e-10;

/// Accelerations, forces on the robot at the points in axes of the world, and whether the rank is lost.
pub(crate) fn compute<T: Scalar<T>>(
    model: &Model<T>,
    frames: &[FrameRef],
    (q, v, tau): (&[T], &[T], &[T]),
) -> Result<Results<T>, Failure> {
    let (ws, nv, m) = (&mut Workspace::<T>::new(model), model.nv(), 3 * frames.len());
    let aligned = ReferenceFrame::LocalWorldAligned;
    let free = dynamics::aba(model, ws, q, v, tau, &[])?.to_vec();
    let inverse = dynamics::minv(model, ws, q)?.clone();
    let mut j = DMatrix::from_element(m, nv, T::zero());
    let mut wanted = Vec::with_capacity(m);
    for (c, frame) in frames.iter().enumerate() {
        j.rows_mut(3 * c, 3).copy_from(&dynamics::frame_jacobian(model, ws, q, *frame, aligned)?.rows(0, 3));
        let bias = dynamics::frame_bias_acceleration(model, ws, q, v, *frame, aligned)?.classical;
        wanted.extend(bias.linear.iter().copied());
    }
    let dot = |terms: &mut dyn Iterator<Item = T>| terms.reduce(|sum, x| sum + x).unwrap_or_else(T::zero);
    for (i, wanted) in wanted.iter_mut().enumerate() {
        *wanted = -(*wanted + dot(&mut (0..nv).map(|k| j[(i, k)] * free[k])));
    }
    // M⁻¹ Jᵀ, and J M⁻¹ Jᵀ.
    let y = DMatrix::from_fn(nv, m, |i, c| dot(&mut (0..nv).map(|k| inverse[(i, k)] * j[(c, k)])));
    let a = DMatrix::from_fn(m, m, |r, c| dot(&mut (0..nv).map(|k| j[(r, k)] * y[(k, c)])));
    let (force, lost) = solve(&a, &wanted);
    let ddq = (0..nv).map(|i| free[i] + dot(&mut (0..m).map(|c| y[(i, c)] * force[c]))).collect();
    Ok(vec![
        (Port::vector("ddq", nv), ddq),
        (Port::new("force", 3, frames.len()), force),
        (Port::vector("rank_lost", 1), vec![lost]),
    ])
}

/// `a⁻¹ b` of a positive definite matrix, and 1 where it is not one.
fn solve<T: Scalar<T>>(a: &DMatrix<T>, b: &[T]) -> (Vec<T>, T) {
    let n = b.len();
    let (mut l, mut lost) = (a.clone(), T::zero());
    for k in 0..n {
        let mut pivot = l[(k, k)];
        for i in 0..k {
            pivot -= l[(k, i)] * l[(k, i)];
        }
        // Where it is lost, something that can be divided by.
        let bad = a[(k, k)] * LOST;
        lost = bad.select_less(pivot, lost, T::one());
        let root = bad.select_less(pivot, pivot, T::one()).sqrt();
        l[(k, k)] = root;
        let by = root.recip();
        for r in k + 1..n {
            let mut x = l[(r, k)];
            for i in 0..k {
                x -= l[(r, i)] * l[(k, i)];
            }
            l[(r, k)] = x * by;
        }
    }
    let mut x = b.to_vec();
    for k in 0..n {
        for i in 0..k {
            let part = l[(k, i)] * x[i];
            x[k] -= part;
        }
        x[k] = x[k] / l[(k, k)];
    }
    for k in (0..n).rev() {
        for i in k + 1..n {
            let part = l[(i, k)] * x[i];
            x[k] -= part;
        }
        x[k] = x[k] / l[(k, k)];
    }
    (x, lost)
}
