//! Memory of a stage, and views of a node that are made of it.

use super::curvature::CurvatureMemory;
use super::static_variables::RobotAtParameters;
use crate::fault::Reason;
use crate::gauss_newton::GaussNewton;
use crate::loss::Loss;
use crate::node::Memory;
use crate::residual::{Depends, Jacobian, Residual};
use crate::step::Sensitivities;
use gradyn::{DerivativeWorkspace, Model, Workspace};
use nalgebra::{DMatrix, DVector};
use std::any::Any;
use std::sync::Arc;

/// Memory of a stage, for one thread.
pub(super) struct StageMemory {
    /// The robot as it is at this node.
    pub(super) model: Arc<Model>,
    pub(super) varied: Option<Box<RobotAtParameters>>,
    pub(super) workspace: Workspace,
    pub(super) derivatives: DerivativeWorkspace,
    pub(super) step: Box<dyn Any + Send>,
    /// Of the step's method of higher order, made when first needed.
    pub(super) reference: Option<Box<dyn Any + Send>>,
    pub(super) by: Sensitivities,
    pub(super) a: Vec<f64>,
    pub(super) f: Vec<f64>,
    pub(super) terms: Vec<TermMemory>,
    pub(super) held: Vec<TermMemory>,
    pub(super) gauss_newton: GaussNewton,
    /// Made when first asked for.
    pub(super) curvature: Option<CurvatureMemory>,
    /// Gradients of what is integrated over time, where its length is free.
    pub(super) integrated: [DVector<f64>; 2],
    pub(super) by_length: Vec<f64>,
}

pub(super) struct TermMemory {
    pub(super) own: Box<dyn Any + Send>,
    pub(super) r: Vec<f64>,
    pub(super) gradient: Vec<f64>,
    pub(super) diagonal: Vec<f64>,
    pub(super) by: Jacobian,
    /// Weights of a full loss, times the weight of the cost.
    pub(super) full: DMatrix<f64>,
    /// Whether it has been differentiated. Residuals may allocate the first time only.
    pub(super) warm: bool,
}

impl TermMemory {
    pub(super) fn new(
        residual: &dyn Residual,
        loss: &Loss,
        depends: Depends,
        [nv, nu, rows, remembered]: [usize; 4],
    ) -> Self {
        let m = residual.rows();
        Self {
            own: residual.memory(),
            r: vec![0.0; m],
            gradient: vec![0.0; m],
            diagonal: vec![0.0; m],
            by: Jacobian::new(m, depends, nv, nu, rows, remembered),
            full: if let Loss::Full(w) = loss { w.clone() } else { DMatrix::zeros(0, 0) },
            warm: false,
        }
    }
}

/// A residual's view of a node, taken from a stage's memory field by field.
macro_rules! view {
    ($stage:expr, $at:expr, $memory:expr, $term:expr, $own:expr) => {{
        let (q, v, w) = $stage.space().split($at.x);
        ResidualPoint {
            model: &$memory.model,
            q,
            v,
            w,
            u: $at.u,
            a: &$memory.a,
            f: &$memory.f,
            time: $at.time,
            dt: $at.dt,
            goal: &$at.parameters[$term.goal.clone()],
            workspace: &mut $memory.workspace,
            derivatives: &mut $memory.derivatives,
            own: &mut **$own,
        }
    }};
}

pub(super) use view;

/// The memory of a stage.
pub(super) fn memory_of(memory: &mut Memory) -> Result<&mut StageMemory, Reason> {
    crate::fault::memory_of(&mut **memory)
}
