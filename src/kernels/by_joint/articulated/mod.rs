//! Solutions with the mass matrix by articulated bodies, for trees so deep that sparse factors are hardly sparse.
//!
//! One sweep from the leaves leaves `U`, `D` of each degree of freedom (RBDA, section 7.3); after that a product `M⁻¹ x` is two
//! more, of 24 products a degree of freedom, whatever the depth:
//!
//! ```text
//! r_k = x_k − S_kᵀ p_k            p_λ += p_k + (U D⁻¹)_k r_k                                       (1)
//! y_k = D_k⁻¹ r_k − (U D⁻¹)_kᵀ a_λ        a_k = a_λ + S_k y_k                                        (2)
//! ```
//!
//! (the innovations factors of A. Jain, *Robot and Multibody Dynamics*, 2011, section 7.2). Axes are the world's, about the root of
//! each tree.

pub(crate) mod pivots;

use crate::formulas::articulated_body;
use crate::kernels::by_joint::articulated::pivots::{Below, Own};
use crate::kernels::by_joint::memory::{JointsMemory, Row};
use crate::kernels::outcome::Outcome;
use crate::plan::joints::Layout;
use crate::spatial::{Force, Motion};
use nalgebra::Vector3;

/// `M⁻¹`, in factors along the tree. There are no mimic joints.
#[derive(Clone, Debug)]
pub(crate) struct Articulated {
    steps: Vec<Step>,
    welds: Vec<Weld>,
    factors: Vec<Factor>,
    /// Of degrees of freedom.
    armature: Vec<f64>,
    /// What hangs from degrees of freedom where branches join, and how these move.
    joined: Vec<Below>,
    accelerations: Vec<Motion<f64>>,
    own: Own,
    /// `p` of each degree of freedom.
    forces: Vec<Force<f64>>,
}

/// A degree of freedom in the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) lane: usize,
    pub(crate) parent: Option<usize>,
    /// Is the one before its parent?
    pub(crate) follows: bool,
    /// Do others hang from it than the next one, or bodies without a degree of freedom?
    pub(crate) branches: bool,
}

/// A body without a degree of freedom: part of what carries it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weld {
    pub(crate) lane: usize,
    /// The last degree of freedom between it and the root.
    pub(crate) to: usize,
}

/// One degree of freedom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factor {
    /// `S`, and two numbers that nobody asks for.
    pub(crate) s: Row,
    /// `U D⁻¹`, a number that nobody asks for, and `D⁻¹`.
    pub(crate) w: Row,
}

impl Factor {
    const ZERO: Self = Self { s: Row::ZERO, w: Row::ZERO };

    #[inline(always)]
    fn s(&self) -> Motion<f64> {
        let [a, b, c, d, e, f, ..] = self.s.0;
        Motion::new(Vector3::new(a, b, c), Vector3::new(d, e, f))
    }

    #[inline(always)]
    fn w(&self) -> (Force<f64>, f64) {
        let [a, b, c, d, e, f, _, reciprocal] = self.w.0;
        (Force::new(Vector3::new(a, b, c), Vector3::new(d, e, f)), reciprocal)
    }

    /// `r` of equation (1), and `p` grown by this degree of freedom.
    #[inline(always)]
    fn inward(&self, x: f64, p: Force<f64>) -> (f64, Force<f64>) {
        let r = x - self.s().power(p);
        (r, self.w().0.times_plus(r, p))
    }

    /// `y` of equation (2), and `a` grown by this degree of freedom.
    #[inline(always)]
    fn outward(&self, r: f64, a: Motion<f64>) -> (f64, Motion<f64>) {
        let (w, reciprocal) = self.w();
        let y = r * reciprocal - w.power(a);
        (y, self.s().times_plus(y, a))
    }
}

/// `memory.articulated` from columns and inertias in its lanes, and `x := M⁻¹ x`. The first degree of freedom whose pivot is lost, and
/// the pivot, is an error.
pub(crate) fn factorize_and_solve(layout: &Layout, memory: &mut JointsMemory, x: &mut [f64]) -> Outcome {
    let mut articulated = memory.articulated.take().unwrap_or_else(|| Box::new(Articulated::new(layout)));
    let done = articulated.eliminate(layout, memory, x);
    if !done.is_lost() {
        articulated.outward(x);
    }
    memory.articulated = Some(articulated);
    done
}

impl Articulated {
    fn new(layout: &Layout) -> Self {
        let (tree, nv) = (&layout.tree_of_dofs, layout.nv);
        let mut steps = vec![Step { lane: 0, parent: None, follows: false, branches: false }; nv];
        for (lane, dof) in layout.dof.iter().enumerate() {
            if let Some(k) = *dof {
                steps[k].lane = lane;
            }
        }
        for k in 0..nv {
            let parent = tree.parent(k);
            (steps[k].parent, steps[k].follows) = (parent, parent.is_some_and(|p| p + 1 == k));
            if let (Some(p), false) = (parent, steps[k].follows) {
                steps[p].branches = true;
            }
        }
        let welded = layout.bodies.iter().enumerate().filter(|(_, body)| body.v.is_empty());
        let welds: Vec<Weld> = welded
            .filter_map(|(i, _)| {
                let carrier = layout.bodies_to_root(i).map(|i| &layout.bodies[i]).find(|body| !body.v.is_empty())?;
                Some(Weld { lane: layout.bodies[i].lane, to: carrier.v.end - 1 })
            })
            .collect();
        for weld in &welds {
            steps[weld.to].branches = true;
        }
        Self {
            steps,
            welds,
            factors: vec![Factor::ZERO; nv],
            armature: vec![0.0; nv],
            joined: vec![Below::NOTHING; nv],
            accelerations: vec![Motion::zero(); nv],
            own: Own::NOTHING,
            forces: vec![Force::zero(); nv],
        }
    }

    /// From `x` to `r`.
    fn eliminate(&mut self, layout: &Layout, memory: &JointsMemory, x: &mut [f64]) -> Outcome {
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
            if step.branches {
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
