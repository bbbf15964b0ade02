//! The mass matrix as a product of sparse factors, `M = Lᵀ D L` (RBDA, table 6.3).
//!
//! `L` is lower triangular with ones on its diagonal. It has no entry where the degrees of freedom do not lie on one
//! path to the root: eliminating the last ones first causes no fill-in. Row `k` is stored as its entries along the
//! path, root first. The part that a step of the elimination subtracts from row `i` is therefore the beginning of row
//! `k`, and is contiguous.
use super::{Workspace, check_finite, crba, first_not_finite, placed};
use crate::default_fields::default_of_fields;
use crate::dynamics::by_plan;
use crate::formulas::singular;
use crate::joint::value;
use crate::kernels::blocks::factors;
use crate::level::at_level;
use crate::model::{InputError, Model, room};
use crate::plan::dof_tree::DofTree;
use gradyn_derivatives::{Real, Scalar};
use nalgebra::DMatrix;

/// `M(q) = Lᵀ D L`; borrows from the workspace.
#[derive(Clone, Copy, Debug)]
pub struct MassFactors<'w, T> {
    factors: &'w Factors<T>,
}

/// Factors of the mass matrix `M(q)`, armature included, to solve `M x = b` with.
///
/// `q`: nq. Cost O(n d²), d the depth of the tree; a second call allocates nothing. Joints that mimic couple branches
/// of the tree; `L` then has entries along the paths of the tree of that coupling ([`MassFactors::parent`]), at a cost
/// between this and that of a dense factorization.
///
/// # Errors
/// [`InputError`] if a length is wrong, the workspace is another model's, or a number is not finite;
/// [`InputError::SingularMassMatrix`] names the joint that moves nothing with inertia.
#[inline(never)]
#[doc(alias("cholesky", "decompose", "LTDL", "mj_factorM"))]
pub fn factorize_mass_matrix<'w, P: Real, T: Scalar<P>>(
    model: &Model<P>,
    ws: &'w mut Workspace<T>,
    q: &[T],
) -> Result<MassFactors<'w, T>, InputError> {
    model.check_q(q)?;
    ws.check(model)?;
    check_finite(model, q, &[], &[])?;
    let quick = by_plan::of(model, ws).and_then(|kernels| kernels.factors(T::as_f64s(q)?));
    if !matches!(quick, Some(Ok(()))) {
        placed::place_inertias(model, ws, q);
        factorize(model, ws)?;
    }
    Ok(MassFactors { factors: &ws.ltl })
}

/// Mass matrix and its factors, of bodies that have been placed.
#[inline(never)]
pub(crate) fn factorize<P: Real, T: Scalar<P>>(model: &Model<P>, ws: &mut Workspace<T>) -> Result<(), InputError> {
    if ws.crba.matrix.nrows() != model.nv {
        room::<T>("the mass matrix", &[model.nv, model.nv])?;
    }
    crba::fill(model, ws);
    crba::check_finite_diagonal(model, ws)?;
    ws.ltl.size(model);
    for scale in &mut ws.ltl.scale {
        *scale = T::zero();
    }
    for (body, (y, first)) in model.bodies.iter().zip(ws.crba.composite.iter().zip(&ws.first)) {
        for (column, dof) in ws.placed.columns[*first..].iter().zip(body.v.clone()) {
            ws.ltl.scale[dof] += singular::scale(y, *column);
        }
    }
    ws.ltl.factorize(&ws.crba.matrix).map_err(|index| model.singular(index))
}

impl<T: Real> MassFactors<'_, T> {
    /// `x := M⁻¹ x`. `x`: nv; its type may be wider than that of the matrix: eight right-hand sides at a time, or a
    /// dual number. Cost O(n d).
    ///
    /// # Errors
    /// [`InputError::Length`]; [`InputError::NotFinite`] of `x`; [`InputError::Overflow`], and then `x` is no solution.
    pub fn solve<U: Scalar<T>>(&self, x: &mut [U]) -> Result<(), InputError> {
        let nv = self.factors.reciprocal.len();
        if x.len() != nv {
            return Err(InputError::Length { what: "x", size: "nv", expected: nv, found: x.len() });
        }
        let owner = |index| format!("degree of freedom {index}");
        if let Some(index) = first_not_finite(x) {
            return Err(InputError::NotFinite { what: "x", index, joint: owner(index), value: value(x[index]) });
        }
        self.factors.solve(x);
        match first_not_finite(x) {
            Some(index) => Err(InputError::Overflow { what: "x", index, joint: owner(index) }),
            None => Ok(()),
        }
    }

    /// The degree of freedom before `dof` on its path to the root; `None` for a root, or where there is no such degree
    /// of freedom. `L[k, j]` can be different from zero only for `j` on the path of `k`.
    #[must_use]
    pub fn parent(&self, dof: usize) -> Option<usize> {
        if dof < self.factors.reciprocal.len() { self.factors.tree.parent(dof) } else { None }
    }

    /// `L`, nv × nv, in full. Allocates; for looking at.
    #[must_use]
    pub fn unit_lower(&self) -> DMatrix<T> {
        let nv = self.factors.reciprocal.len();
        let mut l = DMatrix::from_element(nv, nv, T::zero());
        for k in 0..nv {
            let path = self.factors.tree.path(k);
            for (j, x) in path.iter().zip(self.factors.row(k)) {
                l[(k, *j)] = *x;
            }
            l[(k, k)] = T::one();
        }
        l
    }

    /// The diagonal of `D`, nv.
    #[must_use]
    pub fn diagonal(&self) -> Vec<T> {
        (0..self.factors.reciprocal.len()).map(|k| self.factors.rows[self.factors.tree.start[k + 1] - 1]).collect()
    }
}

/// The factors in memory.
#[derive(Clone, Debug)]
pub(crate) struct Factors<T> {
    tree: DofTree,
    /// Rows of `L` along the paths; in the place of its diagonal stands that of `D`.
    rows: Vec<T>,
    /// `1 / D`
    reciprocal: Vec<T>,
    /// What the pivots are compared with ([`singular::scale`]); zero if nothing but zero counts as singular.
    pub(crate) scale: Vec<T>,
}

default_of_fields!(Factors: tree, rows, reciprocal, scale);

impl Factors<f64> {
    /// Those of eight lanes.
    pub(crate) fn copy(&mut self, from: &factors::Factors) {
        from.copy_paths(&mut self.rows, &mut self.reciprocal);
    }
}

impl<T: Real> Factors<T> {
    /// Memory for this model, if there is none yet.
    pub(crate) fn size<P: Real>(&mut self, model: &Model<P>) {
        if self.tree.start.is_empty() {
            self.tree = DofTree::new(model);
            self.rows = vec![T::zero(); self.tree.paths.len()];
            self.reciprocal = vec![T::zero(); model.nv];
            self.scale = vec![T::zero(); model.nv];
        }
    }

    /// Degrees of freedom.
    pub(crate) fn dofs(&self) -> usize {
        self.reciprocal.len()
    }

    /// Row `k` along its path, the diagonal last.
    fn row(&self, k: usize) -> &[T] {
        &self.rows[self.tree.start[k]..self.tree.start[k + 1]]
    }

    /// The factors of `m`, of which the upper triangle is read. The error is the degree of freedom whose pivot is lost.
    #[inline(never)]
    pub(crate) fn factorize(&mut self, m: &DMatrix<T>) -> Result<(), usize> {
        match eliminate(self, m.as_slice()) {
            Some(lost) => Err(lost),
            None => Ok(()),
        }
    }

    /// `x := M⁻¹ x`
    #[inline(always)]
    pub(crate) fn solve<U: Scalar<T>>(&self, x: &mut [U]) {
        solve(self, x);
    }
}

at_level! {
    /// `M = Lᵀ D L`, last degree of freedom first:
    ///
    /// ```text
    /// a = H[k, i] / H[k, k] ;  H[i, j] −= a H[k, j] for j on the path of i ;  L[k, i] = a      for i on the path of k
    /// ```
    ///
    /// Returns the first degree of freedom whose pivot is lost.
    #[inline(always)]
    fn eliminate<T: Real>(factors: &mut Factors<T>, m: &[T]) -> Option<usize> {
        let Factors { tree, rows, reciprocal, scale } = factors;
        let nv = reciprocal.len();
        for k in 0..nv {
            let column = &m[k * nv..][..nv];
            let range = tree.start[k]..tree.start[k + 1];
            for (x, &j) in rows[range.clone()].iter_mut().zip(&tree.paths[range]) {
                *x = column[j];
            }
        }
        for k in (0..nv).rev() {
            let (start, end) = (tree.start[k], tree.start[k + 1] - 1);
            let pivot = rows[end];
            if singular::is_lost(pivot, scale[k]) {
                return Some(k);
            }
            let inverse = pivot.recip();
            reciprocal[k] = inverse;
            // Rows of the path lie before row k.
            let (above, row) = rows.split_at_mut(start);
            let row = &mut row[..end - start];
            for (length, &i) in tree.paths[start..end].iter().enumerate().rev() {
                let a = row[length] * inverse;
                let minus = -a;
                let to = &mut above[tree.start[i]..][..length + 1];
                for (h, x) in to.iter_mut().zip(&row[..=length]) {
                    *h = x.mul_plus(minus, *h);
                }
                row[length] = a;
            }
        }
        None
    }
}

impl<T: Real> Factors<T> {
    /// `x := L⁻ᵀ x`
    #[inline(always)]
    fn back<U: Scalar<T>>(&self, x: &mut [U]) {
        let Self { tree, rows, .. } = self;
        for k in (0..x.len()).rev() {
            let range = tree.start[k]..tree.start[k + 1] - 1;
            let minus = -x[k];
            for (l, &j) in rows[range.clone()].iter().zip(&tree.paths[range]) {
                x[j] = minus.mul_plus(*l, x[j]);
            }
        }
    }

    /// `x := L⁻¹ S x`, S diagonal.
    #[inline(always)]
    fn forth<U: Scalar<T>>(&self, s: &[T], x: &mut [U]) {
        let Self { tree, rows, .. } = self;
        for k in 0..x.len() {
            let range = tree.start[k]..tree.start[k + 1] - 1;
            let mut sum = U::zero();
            for (l, &j) in rows[range.clone()].iter().zip(&tree.paths[range]) {
                sum = x[j].mul_plus(*l, sum);
            }
            x[k] = x[k] * s[k] - sum;
        }
    }

    /// `D^(−1/2)`, for [`half`](Self::half) and [`other_half`](Self::other_half).
    pub(crate) fn roots(&self, out: &mut Vec<T>) {
        square_roots(&self.reciprocal, out);
    }

    /// `x := D^(−1/2) L⁻ᵀ x`
    pub(crate) fn half(&self, roots: &[T], x: &mut [T]) {
        half(self, roots, x);
    }

    /// `X := L⁻¹ D^(−1/2) X` of as many columns as asked for, row by row.
    pub(crate) fn other_half_of_rows(&self, roots: &[T], columns: usize, x: &mut [T]) {
        let Self { tree, rows, .. } = self;
        for (k, root) in roots.iter().enumerate() {
            let range = tree.start[k]..tree.start[k + 1] - 1;
            let (before, from) = x.split_at_mut(k * columns);
            let own = &mut from[..columns];
            own.iter_mut().for_each(|x| *x *= *root);
            for (l, &j) in rows[range.clone()].iter().zip(&tree.paths[range]) {
                let minus = -*l;
                own.iter_mut().zip(&before[j * columns..]).for_each(|(x, y)| *x = y.mul_plus(minus, *x));
            }
        }
    }

    /// `x := L⁻¹ D^(−1/2) x`: after [`half`](Self::half) it gives `M⁻¹ x`.
    pub(crate) fn other_half(&self, roots: &[T], x: &mut [T]) {
        other_half(self, roots, x);
    }
}

at_level! {
    /// `Lᵀ y = x`, `D z = y`, `L x = z`.
    #[inline(always)]
    fn solve<T: Real, U: Scalar<T>>(factors: &Factors<T>, x: &mut [U]) {
        factors.back(x);
        factors.forth(&factors.reciprocal, x);
    }

    fn half<T: Real>(factors: &Factors<T>, roots: &[T], x: &mut [T]) {
        factors.back(x);
        for (x, root) in x.iter_mut().zip(roots) {
            *x *= *root;
        }
    }

    fn other_half<T: Real>(factors: &Factors<T>, roots: &[T], x: &mut [T]) {
        factors.forth(roots, x);
    }

    fn square_roots<T: Real>(from: &[T], to: &mut Vec<T>) {
        to.clear();
        for x in from {
            to.push(x.sqrt());
        }
    }
}
