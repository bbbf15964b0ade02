//! What the methods return.
use crate::default_fields::matrices_by_name;
use crate::kernels::finite;
use crate::model::{InputError, Model, room};
use nalgebra::{DMatrix, DVector};

/// Torques of inverse dynamics and their derivatives at one state.
#[derive(Clone, Debug, PartialEq)]
pub struct RneaDerivatives {
    /// `τ`, nv.
    pub tau: DVector<f64>,
    /// `∂τ/∂q`, nv × nv, along `q ⊕ ε e_k`.
    pub dtau_dq: DMatrix<f64>,
    /// `∂τ/∂v`, nv × nv.
    pub dtau_dv: DMatrix<f64>,
    /// `∂τ/∂a`, nv × nv: the mass matrix, armature included.
    pub dtau_da: DMatrix<f64>,
    /// `∂τ/∂φ` for each external wrench, nv × 6, columns force then moment: minus the transposed Jacobian.
    pub dtau_df_ext: Vec<DMatrix<f64>>,
    /// Estimated errors of the matrices, from the method of differences.
    pub errors: Option<Box<DerivativeErrors>>,
}

/// Estimated error of each entry of the matrices of [`RneaDerivatives`].
#[derive(Clone, Debug, PartialEq)]
pub struct DerivativeErrors {
    /// Of `∂τ/∂q`.
    pub dtau_dq: DMatrix<f64>,
    /// Of `∂τ/∂v`.
    pub dtau_dv: DMatrix<f64>,
    /// Of `∂τ/∂a`.
    pub dtau_da: DMatrix<f64>,
    /// Of `∂τ/∂φ`.
    pub dtau_df_ext: Vec<DMatrix<f64>>,
}

impl Default for RneaDerivatives {
    /// Without entries: to [copy](Self::copy_from) into.
    fn default() -> Self {
        Self::new(0)
    }
}

matrices_by_name!(RneaDerivatives; 3: dtau_dq, dtau_dv, dtau_da);

impl RneaDerivatives {
    /// Copies another result, and allocates only where sizes differ.
    pub fn copy_from(&mut self, other: &Self) {
        copy_vector(&mut self.tau, &other.tau);
        self.matrices_mut().into_iter().zip(other.matrices()).for_each(|(to, (_, from))| copy_matrix(to, from));
        copy_matrices(&mut self.dtau_df_ext, &other.dtau_df_ext);
        copy_errors(&mut self.errors, &other.errors, |to, from| {
            copy_matrix(&mut to.dtau_dq, &from.dtau_dq);
            copy_matrix(&mut to.dtau_dv, &from.dtau_dv);
            copy_matrix(&mut to.dtau_da, &from.dtau_da);
            copy_matrices(&mut to.dtau_df_ext, &from.dtau_df_ext);
        });
    }

    /// Without the matrices: [`size`](Self::size) makes them.
    pub(super) fn new(nv: usize) -> Self {
        Self {
            tau: DVector::zeros(nv),
            dtau_dq: DMatrix::default(),
            dtau_dv: DMatrix::default(),
            dtau_da: DMatrix::default(),
            dtau_df_ext: Vec::new(),
            errors: None,
        }
    }

    /// All entries zero.
    #[cold]
    pub(super) fn clear(&mut self) {
        self.matrices_mut().into_iter().for_each(|m| m.fill(0.0));
        self.dtau_df_ext.iter_mut().for_each(|m| m.fill(0.0));
    }

    /// The matrices, if this is the first call for them, and one a wrench, all zero. Those too many go to `spare`, to be used
    /// again.
    pub(super) fn size(&mut self, wrenches: usize, spare: &mut Vec<DMatrix<f64>>) -> Result<(), InputError> {
        let nv = self.tau.len();
        if self.dtau_dq.nrows() != nv {
            room::<f64>("∂τ/∂q, ∂τ/∂v and ∂τ/∂a", &[3, nv, nv])?;
            for matrix in self.matrices_mut() {
                *matrix = DMatrix::zeros(nv, nv);
            }
        }
        size(&mut self.dtau_df_ext, wrenches, nv, spare);
        for m in &mut self.dtau_df_ext {
            m.fill(0.0);
        }
        Ok(())
    }

    /// Checks that all entries are finite, and clears them otherwise: no method writes the entries that the tree makes
    /// zero, and a method that omits a matrix must not find results of another there.
    pub(super) fn check_finite(&mut self, model: &Model) -> Result<(), InputError> {
        let of_wrenches = self.dtau_df_ext.iter().map(|m| ("dtau_df_ext", m));
        if let Some(index) = self.tau.iter().position(|x| !x.is_finite()) {
            self.clear();
            return Err(model.overflow("tau", index));
        }
        let found = self.matrices().into_iter().chain(of_wrenches).find(|(_, m)| !finite::all_finite(m.as_slice()));
        let Some((what, m)) = found else { return Ok(()) };
        let index = m.as_slice().iter().position(|x| !x.is_finite()).unwrap_or(0) % m.nrows();
        self.clear();
        Err(model.overflow(what, index))
    }
}

/// `copy_from` of a result that has matrices and errors: its vectors, its lists of one matrix a wrench, and its numbers.
macro_rules! copy_from_fields {
    ($type:ident: $($vector:ident),+; $($by_wrench:ident),*; $($number:ident),*) => {
        impl $type {
            /// Copies another result, and allocates only where sizes differ.
            pub fn copy_from(&mut self, other: &Self) {
                use $crate::partials::result;
                $(result::copy_vector(&mut self.$vector, &other.$vector);)+
                for (to, (_, from)) in self.matrices_mut().into_iter().zip(other.matrices()) {
                    result::copy_matrix(to, from);
                }
                $(result::copy_matrices(&mut self.$by_wrench, &other.$by_wrench);)*
                $(self.$number = other.$number;)*
                result::copy_errors(&mut self.errors, &other.errors, Self::copy_from);
            }
        }
    };
}
pub(super) use copy_from_fields;

pub(super) fn copy_vector(to: &mut DVector<f64>, from: &DVector<f64>) {
    if to.len() == from.len() { to.copy_from(from) } else { to.clone_from(from) }
}

pub(super) fn copy_matrix(to: &mut DMatrix<f64>, from: &DMatrix<f64>) {
    if to.shape() == from.shape() { to.copy_from(from) } else { to.clone_from(from) }
}

pub(super) fn copy_matrices(to: &mut Vec<DMatrix<f64>>, from: &[DMatrix<f64>]) {
    to.truncate(from.len());
    let copied = to.len();
    to.iter_mut().zip(from).for_each(|(to, from)| copy_matrix(to, from));
    to.extend_from_slice(&from[copied..]);
}

/// Copies estimated errors, into memory that is there.
pub(super) fn copy_errors<E: Clone>(to: &mut Option<Box<E>>, from: &Option<Box<E>>, copy: impl FnOnce(&mut E, &E)) {
    match (to, from) {
        (Some(to), Some(from)) => copy(to, from),
        (to, from) => to.clone_from(from),
    }
}

/// One matrix a wrench, nv × 6. Those too many go to `spare`, to be used again.
pub(super) fn size(matrices: &mut Vec<DMatrix<f64>>, wrenches: usize, nv: usize, spare: &mut Vec<DMatrix<f64>>) {
    while matrices.len() < wrenches {
        matrices.push(spare.pop().unwrap_or_else(|| DMatrix::zeros(nv, 6)));
        spare.reserve(matrices.len());
    }
    while matrices.len() > wrenches {
        spare.extend(matrices.pop());
    }
}
