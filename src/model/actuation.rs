//! The effect of controls: `τ = B u`.

use super::{Actuator, InputError, Model};
use nalgebra::DMatrix;

/// Joint torques of controls, `τ = B u`, nv × nu.
#[derive(Clone, Debug, PartialEq)]
pub enum Actuation {
    /// Every degree of freedom has its own motor: B is the identity.
    Full(usize),
    /// These degrees of freedom have motors: columns of the identity.
    Joints {
        /// nv
        nv: usize,
        /// Which, in the order of the controls.
        dofs: Vec<usize>,
    },
    /// Any constant matrix: thrusters, transmissions.
    Matrix(DMatrix<f64>),
}

impl Actuation {
    /// The robot's [actuators](Model::actuators); of one that names none, motors of all joints but those that float or turn freely in
    /// space at the root: what URDF's floating bases are.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        if !model.actuators().is_empty() {
            return Self::of_actuators(model.nv(), model.actuators());
        }
        let floating = |body: &super::Body| body.parent().is_none() && body.v_range().len() == 6;
        let nv = model.nv();
        let bases: Vec<_> = model.bodies().iter().filter(|body| floating(body)).map(|body| body.v_range()).collect();
        let dofs: Vec<usize> = (0..nv).filter(|k| !bases.iter().any(|base| base.contains(k))).collect();
        if dofs.len() == nv { Self::Full(nv) } else { Self::Joints { nv, dofs } }
    }
    /// Of these actuators, on a robot with so many degrees of freedom: those that it does not have are left out.
    #[must_use]
    pub fn of_actuators(nv: usize, actuators: &[Actuator]) -> Self {
        let direct = |actuator: &Actuator| match actuator.gears[..] {
            [(dof, 1.0)] if dof < nv => Some(dof),
            _ => None,
        };
        if let Some(dofs) = actuators.iter().map(direct).collect::<Option<Vec<usize>>>()
            && (1..dofs.len()).all(|k| !dofs[..k].contains(&dofs[k]))
        {
            let is_full = dofs.len() == nv && dofs.iter().enumerate().all(|(k, dof)| k == *dof);
            return if is_full { Self::Full(nv) } else { Self::Joints { nv, dofs } };
        }
        let mut b = DMatrix::zeros(nv, actuators.len());
        for (k, actuator) in actuators.iter().enumerate() {
            actuator.gears.iter().filter(|(dof, _)| *dof < nv).for_each(|(dof, gear)| b[(*dof, k)] += gear);
        }
        Self::Matrix(b)
    }
    /// The motors of these joints, by name, in this order.
    ///
    /// # Errors
    /// [`InputError::UnknownJoint`] if there is no such joint.
    pub fn joints(model: &Model, names: &[&str]) -> Result<Self, InputError> {
        let mut dofs = Vec::new();
        for name in names {
            let body = model.bodies().iter().find(|body| body.joint_name() == *name && body.owns_coordinates());
            let body = body.ok_or_else(|| InputError::UnknownJoint { name: (*name).to_owned() })?;
            dofs.extend(body.v_range());
        }
        Ok(Self::Joints { nv: model.nv(), dofs })
    }
    /// Degrees of freedom.
    #[must_use]
    pub fn degrees_of_freedom(&self) -> usize {
        match self {
            Self::Full(nv) | Self::Joints { nv, .. } => *nv,
            Self::Matrix(b) => b.nrows(),
        }
    }
    /// Controls.
    #[must_use]
    pub fn controls(&self) -> usize {
        match self {
            Self::Full(nv) => *nv,
            Self::Joints { dofs, .. } => dofs.len(),
            Self::Matrix(b) => b.ncols(),
        }
    }
    /// `τ = B u`
    pub fn torques(&self, u: &[f64], tau: &mut [f64]) {
        match self {
            Self::Full(nv) => tau.copy_from_slice(&u[..*nv]),
            Self::Joints { dofs, .. } => {
                tau.fill(0.0);
                dofs.iter().zip(u).for_each(|(k, u)| tau[*k] += u);
            }
            Self::Matrix(b) => {
                tau.fill(0.0);
                for (column, u) in b.column_iter().zip(u) {
                    tau.iter_mut().zip(column.iter()).for_each(|(tau, b)| *tau += b * u);
                }
            }
        }
    }
    /// `B`, nv × nu.
    #[must_use]
    pub fn matrix(&self) -> DMatrix<f64> {
        match self {
            Self::Full(nv) => DMatrix::identity(*nv, *nv),
            Self::Joints { nv, dofs } => {
                let mut b = DMatrix::zeros(*nv, dofs.len());
                dofs.iter().enumerate().for_each(|(u, k)| b[(*k, u)] = 1.0);
                b
            }
            Self::Matrix(b) => b.clone(),
        }
    }
    /// `B⁺`, nu × nv: the controls of least squares that make torques.
    #[must_use]
    pub fn inverse(&self) -> DMatrix<f64> {
        match self {
            Self::Full(_) | Self::Joints { .. } => self.matrix().transpose(),
            // Singular values below 1e-12 of the largest are taken for zero: rounding leaves 1e-16 of it.
            Self::Matrix(b) => {
                let (nu, nv) = (b.ncols(), b.nrows());
                b.clone().pseudo_inverse(1e-12 * b.amax()).unwrap_or_else(|_| DMatrix::zeros(nu, nv))
            }
        }
    }
    /// N, nv × as many as motors leave out: an orthonormal basis of the torques that no motor makes, `Nᵀ B = 0`.
    #[must_use]
    pub fn idle(&self) -> DMatrix<f64> {
        match self {
            Self::Full(nv) => DMatrix::zeros(*nv, 0),
            Self::Joints { nv, dofs } => {
                let idle: Vec<usize> = (0..*nv).filter(|k| !dofs.contains(k)).collect();
                DMatrix::from_fn(*nv, idle.len(), |i, j| f64::from(i == idle[j]))
            }
            Self::Matrix(b) => {
                let by = (b * b.transpose()).symmetric_eigen();
                // Eigenvalues are squares: rounding leaves 1e-16 of the largest where there should be zero.
                let least = 1e-12 * by.eigenvalues.amax();
                let idle: Vec<usize> = (0..b.nrows()).filter(|k| by.eigenvalues[*k] <= least).collect();
                DMatrix::from_fn(b.nrows(), idle.len(), |i, j| by.eigenvectors[(i, idle[j])])
            }
        }
    }
    /// `Bᵀ x`, entry by entry: the control and its number.
    pub fn transposed(&self, x: &[f64], mut to: impl FnMut(usize, f64)) {
        match self {
            Self::Full(_) => x.iter().enumerate().for_each(|(k, x)| to(k, *x)),
            Self::Joints { dofs, .. } => dofs.iter().enumerate().for_each(|(k, dof)| to(k, x[*dof])),
            Self::Matrix(b) => {
                let columns = b.column_iter().enumerate();
                columns.for_each(|(k, b)| to(k, b.iter().zip(x).map(|(b, x)| b * x).sum()));
            }
        }
    }
    /// Entries of a row of B: controls that a degree of freedom feels.
    pub fn each(&self, dof: usize, mut to: impl FnMut(usize, f64)) {
        match self {
            Self::Full(_) => to(dof, 1.0),
            Self::Joints { dofs, .. } => {
                dofs.iter().enumerate().filter(|(_, k)| **k == dof).for_each(|(k, _)| to(k, 1.0))
            }
            Self::Matrix(b) => b.row(dof).iter().enumerate().for_each(|(k, b)| to(k, *b)),
        }
    }
    /// `m B` into the first columns of `out`, for any m with nv columns.
    pub fn times(&self, m: &DMatrix<f64>, out: &mut DMatrix<f64>) {
        match self {
            Self::Full(nv) => out.columns_mut(0, *nv).copy_from(m),
            Self::Joints { dofs, .. } => {
                dofs.iter().enumerate().for_each(|(u, k)| out.column_mut(u).copy_from(&m.column(*k)));
            }
            Self::Matrix(b) => out.columns_mut(0, b.ncols()).gemm(1.0, m, b, 0.0),
        }
    }

    /// Whether it fits the robot.
    ///
    /// # Errors
    /// [`InputError::Length`] for another number of degrees of freedom, [`InputError::Parameter`] for an entry that is not finite, or a
    /// degree of freedom that the robot does not have.
    pub fn check(&self, model: &Model) -> Result<(), InputError> {
        let nv = self.degrees_of_freedom();
        model.check_length("the actuation matrix, by rows,", "nv", nv, model.nv())?;
        let name = || String::from("actuation");
        if let Self::Matrix(b) = self
            && let Some(x) = b.iter().find(|x| !x.is_finite())
        {
            let (what, rule) = ("an entry of the actuation matrix", "it must be finite");
            return Err(InputError::Parameter { what, name: name(), value: *x, rule });
        }
        if let Self::Joints { dofs, .. } = self
            && let Some(k) = dofs.iter().find(|k| **k >= nv)
        {
            let (what, rule) = ("a degree of freedom that has a motor", "it must be less than nv");
            return Err(InputError::Parameter { what, name: name(), value: *k as f64, rule });
        }
        Ok(())
    }
}
