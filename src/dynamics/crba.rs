//! The mass matrix: the composite rigid body algorithm (RBDA, table 6.2), in coordinates that all bodies of a tree share.

use super::{Workspace, check_finite, first_not_finite_on_diagonal, placed};
use crate::default_fields::default_of_fields;
use crate::dynamics::by_plan;
use crate::formulas::joint_dynamics::JointDynamics;
use crate::level::at_level;
use crate::model::{InputError, Model, room};
use crate::spatial::InertiaAboutOrigin;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::DMatrix;

/// The mass matrix `M(q)` of `M(q) a + c(q, v) = τ`, armature included.
///
/// `q`: nq; returns nv × nv, kg m² (kg, kg m): symmetric to the last bit, both triangles filled in, exactly zero where
/// no two bodies that the two degrees of freedom move lie on one path to the root. The matrix borrows from the
/// workspace. Cost O(n d), d the depth of the tree; a second call allocates nothing.
///
/// ```
/// use gradyn::dynamics::{Workspace, crba};
/// # use gradyn::joint::{Axis, Revolute};
/// # use gradyn::model::ModelBuilder;
/// # use gradyn::spatial::{Inertia, Symmetric3, Transform};
/// # use nalgebra::Vector3;
/// # let mut builder = ModelBuilder::new("pendulum");
/// # let point = Inertia::new(2.0, Vector3::new(0.0, 0.0, -0.5), Symmetric3::diagonal(0.0, 0.0, 0.0));
/// # builder.add_body(None, "rod", "hinge", Transform::identity(), Revolute { axis: Axis::Y }, point)?;
/// # let model = builder.build()?;
/// // A mass of 2 kg at the end of 0.5 m: m l².
/// let mut workspace = Workspace::new(&model);
/// let mass_matrix = crba(&model, &mut workspace, &[0.3])?;
/// assert!((mass_matrix[(0, 0)] - 2.0 * 0.5 * 0.5).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, or a number is not finite.
#[inline(never)]
#[doc(alias("mass_matrix", "mass matrix", "joint space inertia", "CalcMassMatrix", "mj_fullM"))]
pub fn crba<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    model.check_q(q)?;
    ws.check(model)?;
    if ws.crba.matrix.nrows() != model.nv {
        room::<T>("the mass matrix", &[model.nv, model.nv])?;
    }
    let finite = by_plan::of(model, ws).and_then(|kernels| kernels.mass_matrix(T::as_f64s(q)?));
    if finite == Some(true) {
        return Ok(&ws.crba.matrix);
    }
    check_finite(model, q, &[], &[])?;
    if finite.is_none() {
        placed::place_inertias(model, ws, q);
        fill(model, ws);
    }
    check_finite_diagonal(model, ws)?;
    Ok(&ws.crba.matrix)
}

/// The diagonal holds every body that moves: a number that is too large shows there.
pub(crate) fn check_finite_diagonal<P: Real, T: Real>(model: &Model<P>, ws: &Workspace<T>) -> Result<(), InputError> {
    match first_not_finite_on_diagonal(ws.crba.matrix.as_slice(), model.nv) {
        Some(index) => Err(model.overflow("mass_matrix", index)),
        None => Ok(()),
    }
}

/// What the mass matrix is made in, and the matrix.
#[derive(Clone, Debug)]
pub(crate) struct CrbaMemory<T> {
    /// Inertia of each subtree.
    pub(crate) composite: Vec<InertiaAboutOrigin<T>>,
    /// `A = I_C S`, the momentum of what each column moves: first components of all columns, second ones, …
    momentum: Vec<T>,
    /// The matrix of the columns, where joints mimic and it is not `M` itself.
    of_columns: Vec<T>,
    /// `M`
    pub(crate) matrix: DMatrix<T>,
}

default_of_fields!(CrbaMemory: composite, momentum, of_columns, matrix);

impl<T: Real> CrbaMemory<T> {
    /// The matrix, nv × nv.
    pub(crate) fn sized(&mut self, nv: usize) -> &mut DMatrix<T> {
        if self.matrix.nrows() != nv {
            self.matrix = DMatrix::from_element(nv, nv, T::zero());
        }
        &mut self.matrix
    }
}

/// Fills in the mass matrix of bodies that have been placed.
#[inline(never)]
pub(crate) fn fill<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>) {
    let (bodies, columns) = (model.bodies.len(), ws.dof.len());
    if ws.crba.composite.len() != bodies {
        ws.crba.composite = vec![InertiaAboutOrigin::zero(); bodies];
        ws.crba.momentum = vec![T::zero(); 6 * columns];
        ws.crba.sized(model.nv);
        if columns > model.nv {
            ws.crba.of_columns = vec![T::zero(); columns * columns];
        }
    }
    sweep(model, ws);
}

at_level! {
    /// From the leaves to the root; bodies have been placed.
    #[inline(always)]
    fn sweep<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>) {
        let Workspace { crba, placed, first, dof, .. } = ws;
        let CrbaMemory { composite, momentum, of_columns, matrix } = crba;
        let (nv, n, columns) = (model.nv, dof.len(), &placed.columns[..]);
        // Entries that the tree makes zero are never written to.
        let m = if n > nv { &mut of_columns[..] } else { matrix.as_mut_slice() };
        composite.copy_from_slice(&placed.inertia);
        for (i, body) in model.bodies.iter().enumerate().rev() {
            let y = composite[i];
            if let Some(p) = body.parent {
                composite[p] += y; //                            I_C,λ += I_C,i
            }
            let own = first[i]..first[i] + body.v.len();
            let end = first.get(body.subtree_end).copied().unwrap_or(n);
            for k in own.clone() {
                let a = (y * columns[k]).to_array(); //          A = I_C S
                for (component, x) in a.into_iter().enumerate() {
                    momentum[component * n + k] = x;
                }
            }
            for k in own {
                entries(columns[k].to_array(), momentum, k, end, n, m);
            }
        }
        if n > nv {
            fold(of_columns, dof, matrix);
        }
        JointDynamics::of(model).add_armature(model.nv, matrix.as_mut_slice());
    }
}

/// `M[k, j] = S_kᵀ A_j` and its mirror image, for the columns `j` from `k` to `end`.
#[inline(always)]
fn entries<T: Real>(s: [T; 6], momentum: &[T], k: usize, end: usize, n: usize, m: &mut [T]) {
    let length = end - k;
    // Slices of one length, so that the loop needs no checks.
    let part = |component: usize| &momentum[component * n + k..][..length];
    let (a, b, c, d, e, f) = (part(0), part(1), part(2), part(3), part(4), part(5));
    let row = &mut m[k * n + k..][..length];
    for j in 0..length {
        let linear = c[j].mul_plus(s[2], b[j].mul_plus(s[1], a[j] * s[0]));
        row[j] = f[j].mul_plus(s[5], e[j].mul_plus(s[4], d[j].mul_plus(s[3], linear)));
    }
    for j in k + 1..end {
        m[j * n + k] = m[k * n + j];
    }
}

/// Sums the entries of columns that have one degree of freedom: rows and columns of a joint that mimics are its leader's.
#[inline(always)]
fn fold<T: Real>(of_columns: &[T], dof: &[usize], matrix: &mut DMatrix<T>) {
    let (nv, n) = (matrix.nrows(), dof.len());
    let m = matrix.as_mut_slice();
    for x in &mut *m {
        *x = T::zero();
    }
    for k in 0..n {
        for j in 0..n {
            if dof[j] >= dof[k] {
                m[dof[k] * nv + dof[j]] += of_columns[k * n + j];
            }
        }
    }
    for k in 0..nv {
        for j in k + 1..nv {
            m[j * nv + k] = m[k * nv + j];
        }
    }
}
