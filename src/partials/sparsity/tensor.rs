//! Which entries of second derivatives can differ from zero.

use super::SparsityPattern;
use super::groups::Groups;
use crate::dynamics::Tensor3;
use crate::joint::JointKind;
use crate::model::{BodyId, InputError, Model};

/// The places `(i, j, k)` of a tensor whose entries can differ from zero, in the order of [`Tensor3`]: k fastest, then j.
///
/// As for [`SparsityPattern`], patterns are of the tree alone, and all other entries are exactly zero.
///
/// ```
/// use gradyn::partials::{Method, SecondOrderWorkspace, TensorPattern, rnea_second_derivatives};
/// # use gradyn::{Model, UrdfOptions};
/// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/solo12.urdf");
/// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
/// # let (q, v) = (model.neutral::<f64>(), vec![0.1; model.nv()]);
/// let pattern = TensorPattern::torques(&model);
/// assert_eq!((pattern.nonzeros(), model.nv().pow(3)), (108, 1728)); // four legs of three joints
///
/// let mut workspace = SecondOrderWorkspace::new(&model);
/// let by = rnea_second_derivatives(&model, &mut workspace, Method::Analytical, &q, &v, &v, &[])?;
/// let values = pattern.values(&by.d2tau_dqdq)?;
/// for ([i, j, k], value) in pattern.coordinates().iter().zip(&values) {
///     assert_eq!(*value, by.d2tau_dqdq[(*i, *j, *k)]);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorPattern {
    dims: [usize; 3],
    places: Vec<[usize; 3]>,
}

impl TensorPattern {
    /// Of the second derivatives of torques, nv × nv × nv each ([`RneaSecondDerivatives`](crate::dynamics::RneaSecondDerivatives)):
    /// a body is carried by all three joints.
    ///
    /// Of `∂²τ/∂q²` no entry is zero in general. Others are, or are rounding errors, of hinges: in `∂²τ/∂q ∂v` those of a joint at
    /// the root (j), which turns velocities and forces alike, and `(i, j, i)` for j not below i; in `∂²τ/∂v²` `(i, i, k)` and
    /// `(i, k, i)` for k not below i, because `M_ii` depends on joints below i alone; in `∂M/∂q` all but
    /// [`mass_matrix`](Self::mass_matrix).
    ///
    /// Cost O(nv³), and O(d³) for each leaf of the tree.
    #[must_use]
    pub fn torques(model: &Model) -> Self {
        Self::of_paths(model, |_, _, _| true)
    }

    /// Of `∂M/∂q`, nv × nv × nv, by formula: of [`torques`](Self::torques) those where i or j lies nearer to the root than k.
    /// Where neither does, the joint k moves all that `M_ij` is made of at once.
    ///
    /// Methods other than [`Method::Analytical`](super::super::Method::Analytical) leave rounding errors elsewhere. The same cost.
    #[must_use]
    pub fn mass_matrix(model: &Model) -> Self {
        Self::of_paths(model, |i, j, k| i.min(j) < k)
    }

    /// Of the second derivatives of accelerations, nv × nv × nv each
    /// ([`AbaSecondDerivatives`](super::super::AbaSecondDerivatives)): all joints of a tree, as
    /// [`SparsityPattern::accelerations`].
    ///
    /// Of `∂²q̈/∂q²` no entry is zero in general. In `∂²q̈/∂q ∂v` and `∂²q̈/∂q ∂τ` those of a hinge at the root (j) are, or are
    /// rounding errors; in `∂²q̈/∂v²` all but [`accelerations_by_velocities`](Self::accelerations_by_velocities).
    ///
    /// Cost O(nv³).
    #[must_use]
    pub fn accelerations(model: &Model) -> Self {
        let groups = Groups::new(model, &[]);
        Self::from_flags(model.nv(), |i, j, k| {
            groups.of_dof(i) == groups.of_dof(j) && groups.of_dof(j) == groups.of_dof(k)
        })
    }

    /// Of `∂²q̈/∂v²`, nv × nv × nv: of [`accelerations`](Self::accelerations) those where a body is carried by both joints j and k.
    /// Velocities of separate branches do not multiply.
    ///
    /// Cost O(nv³).
    #[must_use]
    pub fn accelerations_by_velocities(model: &Model) -> Self {
        let (groups, torques) = (Groups::new(model, &[]), SparsityPattern::torques(model));
        Self::from_flags(model.nv(), |i, j, k| groups.of_dof(i) == groups.of_dof(j) && torques.contains(j, k))
    }

    /// Triples of columns on one path, by their places on it: stages of joints, counted from the root.
    fn of_paths(model: &Model, can: impl Fn(usize, usize, usize) -> bool) -> Self {
        let nv = model.nv();
        let mut flags = vec![false; nv * nv * nv];
        for leaf in 0..model.bodies().len() {
            if model.bodies[leaf].subtree_end == leaf + 1 {
                let path = columns_of_path(model, leaf);
                for (i, at_i) in &path {
                    for (j, at_j) in &path {
                        for (k, at_k) in &path {
                            flags[(i * nv + j) * nv + k] |= can(*at_i, *at_j, *at_k);
                        }
                    }
                }
            }
        }
        Self::from_flags(nv, |i, j, k| flags[(i * nv + j) * nv + k])
    }

    fn from_flags(nv: usize, can: impl Fn(usize, usize, usize) -> bool) -> Self {
        let mut places = Vec::new();
        for i in 0..nv {
            for j in 0..nv {
                places.extend((0..nv).filter(|k| can(i, j, *k)).map(|k| [i, j, k]));
            }
        }
        Self { dims: [nv; 3], places }
    }

    /// The dimensions of the tensor.
    #[must_use]
    pub fn dims(&self) -> [usize; 3] {
        self.dims
    }
    /// Number of entries that can differ from zero.
    #[must_use]
    pub fn nonzeros(&self) -> usize {
        self.places.len()
    }
    /// The place `[i, j, k]` of each entry, in ascending order.
    #[must_use]
    pub fn coordinates(&self) -> &[[usize; 3]] {
        &self.places
    }
    /// Whether this entry can differ from zero. False if there is no such entry.
    #[must_use]
    pub fn contains(&self, i: usize, j: usize, k: usize) -> bool {
        self.places.binary_search(&[i, j, k]).is_ok()
    }

    /// The tensor's entries at these places, in this order. Entries elsewhere are not looked at.
    ///
    /// # Errors
    /// [`InputError::Length`] if the tensor has other dimensions.
    pub fn values(&self, tensor: &Tensor3) -> Result<Vec<f64>, InputError> {
        let mut values = vec![0.0; self.nonzeros()];
        self.values_into(tensor, &mut values)?;
        Ok(values)
    }

    /// [`values`](Self::values) into memory of the caller.
    ///
    /// # Errors
    /// As [`values`](Self::values), and if there is not one value an entry.
    pub fn values_into(&self, tensor: &Tensor3, values: &mut [f64]) -> Result<(), InputError> {
        let (dims, found) = (self.dims, tensor.dims());
        let lengths = [
            ("first dimension of the tensor", dims[0], found[0]),
            ("second dimension of the tensor", dims[1], found[1]),
            ("third dimension of the tensor", dims[2], found[2]),
            ("values", self.nonzeros(), values.len()),
        ];
        super::check_lengths(&lengths)?;
        for (to, [i, j, k]) in values.iter_mut().zip(&self.places) {
            *to = tensor[(*i, *j, *k)];
        }
        Ok(())
    }
}

/// The degrees of freedom on the path to a body, each with the stage of its joint, counted from the root.
fn columns_of_path(model: &Model, body: usize) -> Vec<(usize, usize)> {
    let mut path: Vec<_> =
        std::iter::successors(Some(body), |b| model.bodies()[*b].parent().map(BodyId::index)).collect();
    path.reverse();
    let (mut columns, mut stage) = (Vec::new(), 0);
    for b in path {
        let (joint, dofs) = (model.bodies()[b].joint(), model.bodies()[b].v_range());
        let mut k = 0;
        while k < dofs.len() {
            let end = joint.stage_end(k);
            columns.extend((k..end).map(|k| (dofs.start + k, stage)));
            (k, stage) = (end, stage + 1);
        }
    }
    columns
}
