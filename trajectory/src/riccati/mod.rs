//! The linear-quadratic kernel: the best step of a trajectory to second order, by one sweep from the end to the start.
//!
//! With the value function `V(δx) = ½ δxᵀ Vₓₓ δx + vₓᵀ δx` of the nodes behind, at a node:
//!
//! ```text
//! Qₓ  = lₓ + Aᵀ vₓ⁺        Qₓₓ = lₓₓ + Aᵀ Vₓₓ⁺ A
//! Qᵤ  = lᵤ + Bᵀ vₓ⁺        Qₓᵤ = lₓᵤ + Aᵀ Vₓₓ⁺ B        Qᵤᵤ = lᵤᵤ + Bᵀ Vₓₓ⁺ B + δ I
//! k = Qᵤᵤ⁻¹ Qᵤ             K = Qᵤᵤ⁻¹ Qₓᵤᵀ               δu = −k − K δx
//! vₓ = Qₓ − Kᵀ Qᵤ          Vₓₓ = Qₓₓ − Qₓᵤ K + δ I
//! ```
//!
//! and, since a gap `d = f(x, u) ⊖ x⁺` moves the next state, `vₓ := vₓ + Vₓₓ d` before it is handed on.
//! D. Mayne (1966); C. Mastalli et al., *Crocoddyl*, ICRA 2020, section II.

mod dense;

use crate::quadratic::{Dims, Quadratic};
use nalgebra::{DMatrix, DVector};

/// What the sweep finds at a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Stagewise {
    /// `k`, nu.
    pub k: DVector<f64>,
    /// `K`, nu × ndx.
    pub gain: DMatrix<f64>,
    /// `Qᵤ`, nu.
    pub qu: DVector<f64>,
    /// `Qᵤᵤ k`, nu.
    pub quu_k: DVector<f64>,
    /// `vₓ`, ndx, with the gap.
    pub vx: DVector<f64>,
    /// `Vₓₓ`, ndx × ndx, symmetric.
    pub vxx: DMatrix<f64>,
}

/// The sweep of a trajectory, with memory.
#[derive(Debug)]
pub struct Riccati {
    /// One a node, the last one included.
    pub nodes: Vec<Stagewise>,
    scratch: dense::Scratch,
}

/// The sweep cannot go on: at this node `Qᵤᵤ` is not positive definite, or a number is not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indefinite {
    /// The node.
    pub node: usize,
}

impl Riccati {
    /// For nodes of these sizes, the last one included.
    #[must_use]
    pub fn new(dims: &[Dims]) -> Self {
        let node = |d: &Dims| Stagewise {
            k: DVector::zeros(d.nu),
            gain: DMatrix::zeros(d.nu, d.ndx),
            qu: DVector::zeros(d.nu),
            quu_k: DVector::zeros(d.nu),
            vx: DVector::zeros(d.ndx),
            vxx: DMatrix::zeros(d.ndx, d.ndx),
        };
        Self { nodes: dims.iter().map(node).collect(), scratch: dense::Scratch::new(dims) }
    }

    /// From the end to the start. `gaps`: of each node, ndx numbers, or empty where all are closed. `delta`: added to the diagonals of
    /// `Qᵤᵤ` and `Vₓₓ`.
    ///
    /// # Errors
    /// [`Indefinite`], with the node where it had to stop.
    pub fn sweep(&mut self, lq: &[Quadratic], gaps: &[DVector<f64>], delta: f64) -> Result<(), Indefinite> {
        let last = lq.len() - 1;
        self.begin(&lq[last], gaps.get(last), delta)?;
        (0..last).rev().try_for_each(|node| self.step(node, &lq[node], gaps.get(node), delta))
    }

    /// The last node: where a sweep begins.
    ///
    /// # Errors
    /// As [`sweep`](Self::sweep).
    pub fn begin(&mut self, lq: &Quadratic, gap: Option<&DVector<f64>>, delta: f64) -> Result<(), Indefinite> {
        let node = self.nodes.len() - 1;
        let here = &mut self.nodes[node];
        here.vx.copy_from(&lq.lx);
        here.vxx.copy_from(&lq.lxx);
        hand_on(here, gap, delta).ok_or(Indefinite { node })
    }

    /// A node, when the one behind it is done.
    ///
    /// # Errors
    /// As [`sweep`](Self::sweep).
    pub fn step(
        &mut self,
        node: usize,
        lq: &Quadratic,
        gap: Option<&DVector<f64>>,
        delta: f64,
    ) -> Result<(), Indefinite> {
        let (here, behind) = self.nodes.split_at_mut(node + 1);
        let here = &mut here[node];
        dense::step(lq, &behind[0], delta, here, &mut self.scratch).ok_or(Indefinite { node })?;
        hand_on(here, gap, delta).ok_or(Indefinite { node })
    }
}

/// Regularises the value function and moves it by the gap. `None` if it is not finite.
fn hand_on(here: &mut Stagewise, gap: Option<&DVector<f64>>, delta: f64) -> Option<()> {
    for i in 0..here.vxx.nrows() {
        here.vxx[(i, i)] += delta;
    }
    if let Some(gap) = gap {
        here.vx.gemv(1.0, &here.vxx, gap, 1.0);
    }
    let finite = here.vx.iter().all(|x| x.is_finite()) && here.vxx.iter().all(|x| x.is_finite());
    finite.then_some(())
}
