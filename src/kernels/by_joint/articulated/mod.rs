//! Solutions with the mass matrix by articulated bodies, for trees so deep that sparse factors are hardly sparse.
//! Page: `dynamics/aba.rs`. Test: `long_chains::a_long_chain_accelerates_as_it_is_pushed`.
//!
//! One sweep from the leaves gives `U`, `D` of each degree of freedom (RBDA, section 7.3). After that, a product
//! `M⁻¹ x` takes two more sweeps, of 24 products per degree of freedom, for any depth:
//!
//! ```text
//! r_k = x_k − S_kᵀ p_k            p_λ += p_k + (U D⁻¹)_k r_k                                       (1)
//! y_k = D_k⁻¹ r_k − (U D⁻¹)_kᵀ a_λ        a_k = a_λ + S_k y_k                                        (2)
//! ```
//!
//! (the innovations factors of A. Jain, *Robot and Multibody Dynamics*, 2011, section 7.2). Axes are the world's, about
//! the root of each tree.

pub(crate) mod factors;
pub(crate) mod pivots;

use crate::formulas::articulated_body;
use crate::kernels::Outcome;
use crate::kernels::by_joint::JointsMemory;
use crate::kernels::by_joint::articulated::factors::Articulated;
use crate::plan::JointsLayout;
use crate::spatial::{Force, Motion};

/// `memory.articulated` from columns and inertias in its lanes, and `x := M⁻¹ x`. The first degree of freedom whose
/// pivot is lost, and the pivot, is an error.
pub(crate) fn factorize_and_solve(layout: &JointsLayout, memory: &mut JointsMemory, x: &mut [f64]) -> Outcome {
    let mut articulated = memory.articulated.take().unwrap_or_else(|| Box::new(Articulated::new(layout)));
    let done = articulated.eliminate(layout, memory, x);
    if !done.is_lost() {
        articulated.outward(x);
    }
    memory.articulated = Some(articulated);
    done
}

impl Articulated {
    /// From `x` to `r`.
    fn eliminate(&mut self, layout: &JointsLayout, memory: &JointsMemory, x: &mut [f64]) -> Outcome {
        let Self { steps, welds, factors, armature, joined, own, .. } = self;
        articulated_body::armature(&layout.dofs, armature);
        pivots::eliminate(memory.level, memory, steps, welds, armature, joined, factors, own, x)
    }

    /// From `r` to `y`, equation (2) for one column.
    fn outward(&mut self, x: &mut [f64]) {
        let Self { steps, factors, accelerations, .. } = self;
        let mut a = Motion::zero();
        for (k, (step, (factor, x))) in steps.iter().zip(factors.iter().zip(x)).enumerate() {
            if !step.follows {
                a = step.parent.map_or_else(Motion::zero, |p| accelerations[p]);
            }
            (*x, a) = factor.outward(*x, a);
            if step.joins {
                accelerations[k] = a;
            }
        }
    }

    /// From `x` to `r`, equation (1) for one column.
    fn inward(&mut self, x: &mut [f64]) {
        let Self { steps, factors, forces, .. } = self;
        forces.fill(Force::zero());
        for (k, (step, factor)) in steps.iter().zip(&*factors).enumerate().rev() {
            let p;
            (x[k], p) = factor.inward(x[k], forces[k]);
            if let Some(parent) = step.parent {
                forces[parent] += p;
            }
        }
    }

    /// `x := M⁻¹ x`
    pub(crate) fn solve(&mut self, x: &mut [f64]) {
        self.inward(x);
        self.outward(x);
    }
}
