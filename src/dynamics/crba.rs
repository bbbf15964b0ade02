//! The mass matrix: the composite rigid body algorithm (RBDA, table 6.2), in world coordinates.

use super::rnea::check_finite;
use super::{Workspace, world};
use crate::model::{InputError, Model};
use crate::spatial::{Force, Inertia};
use gradyn_derivatives::simd::Piece;
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
pub fn crba<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
) -> Result<&'w DMatrix<T>, InputError> {
    model.check_length("q", "nq", q.len(), model.nq)?;
    ws.check(model)?;
    check_finite(model, q, &[], &[])?;
    world::place(model, ws, q);
    fill(model, ws);
    check_finite_diagonal(model, ws)?;
    Ok(&ws.crba.matrix)
}

/// The diagonal holds every body that moves: a number that is too large shows there.
pub(crate) fn check_finite_diagonal<P: Real, T: Real>(model: &Model<P>, ws: &Workspace<T>) -> Result<(), InputError> {
    match (0..model.nv).find(|&k| !ws.crba.matrix[(k, k)].is_finite()) {
        Some(index) => Err(InputError::Overflow { what: "mass_matrix", index, joint: model.dof_label(index) }),
        None => Ok(()),
    }
}

/// The mass matrix `M(q)`: [`crba`] in memory of its own.
///
/// # Errors
/// As [`crba`].
pub fn mass_matrix<P: Real, T: Scalar<P>>(model: &Model<P>, q: &[T]) -> Result<DMatrix<T>, InputError> {
    let mut ws = Workspace::new(model);
    crba(model, &mut ws, q)?;
    Ok(ws.crba.matrix)
}

/// What the mass matrix is made in, and the matrix.
#[derive(Clone, Debug)]
pub(crate) struct Memory<T> {
    /// Inertia of each subtree.
    pub(crate) composite: Vec<Inertia<T>>,
    /// `I_C S`, the momentum of what a column moves; one a column.
    pub(crate) momentum: Vec<Force<T>>,
    /// `M`
    pub(crate) matrix: DMatrix<T>,
}

impl<T: Real> Default for Memory<T> {
    fn default() -> Self {
        Self { composite: Vec::new(), momentum: Vec::new(), matrix: DMatrix::from_vec(0, 0, Vec::new()) }
    }
}

/// Fills in the mass matrix of bodies that have been placed.
pub(crate) fn fill<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>) {
    let (bodies, columns) = (model.bodies.len(), ws.dof.len());
    if ws.crba.composite.len() != bodies || ws.crba.matrix.nrows() != model.nv {
        ws.crba.composite = vec![Inertia::zero(); bodies];
        ws.crba.momentum = vec![Force::zero(); columns];
        ws.crba.matrix = DMatrix::from_element(model.nv, model.nv, T::zero());
    }
    world::weigh(model, ws);
    T::call(Sweep { model, ws });
}

/// From the leaves to the root; bodies have been placed and weighed.
struct Sweep<'a, P, T> {
    model: &'a Model<P>,
    ws: &'a mut Workspace<T>,
}

impl<P: Real, T: Scalar<P>> Piece for Sweep<'_, P, T> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { model, ws } = self;
        let Memory { composite, momentum, matrix } = &mut ws.crba;
        let (nv, columns) = (model.nv, &ws.world.columns[..]);
        let m = matrix.as_mut_slice();
        for x in &mut *m {
            *x = T::zero();
        }
        composite.copy_from_slice(&ws.world.inertia);
        for (i, body) in model.bodies.iter().enumerate().rev() {
            let y = composite[i];
            if let Some(p) = body.parent {
                composite[p] += y; //                            I_C,λ += I_C,i
            }
            let (first, own) = (ws.first[i], body.v.len());
            for k in first..first + own {
                momentum[k] = y * columns[k]; //                 A = I_C S
            }
            let end = ws.first.get(body.subtree_end).copied().unwrap_or(ws.dof.len());
            for k in first..first + own {
                let (s, row) = (columns[k], ws.dof[k]);
                m[row * nv + row] += s.power(momentum[k]);
                // Added, as a joint that mimics has its leader's rows and columns.
                for (a, &column) in momentum[k + 1..end].iter().zip(&ws.dof[k + 1..end]) {
                    let x = s.power(*a); //                      M[i, j] = S_iᵀ A_j, j below i
                    m[row * nv + column] += x;
                    m[column * nv + row] += x;
                }
            }
        }
        for dof in &model.dofs {
            m[dof.index * nv + dof.index] += T::from(dof.mass());
        }
    }
}
