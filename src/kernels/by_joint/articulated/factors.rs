//! Factors of the inverse of the mass matrix along the tree, and the memory of the sweep that computes them.
//! Serves: `kernels/by_joint/articulated/mod.rs`. Test: `long_chains::a_long_chain_accelerates_as_it_is_pushed`.

use crate::plan::{JointsLayout, Row};
use crate::spatial::{Force, Motion};
use gradyn_derivatives::WIDTH;
use nalgebra::Vector3;

/// `M⁻¹`, in factors along the tree. There are no mimic joints.
#[derive(Clone, Debug)]
pub(crate) struct Articulated {
    pub(super) steps: Vec<Step>,
    pub(super) welds: Vec<Weld>,
    pub(super) factors: Vec<Factor>,
    /// Of degrees of freedom.
    pub(super) armature: Vec<f64>,
    /// Subtrees of degrees of freedom where branches join, and how these move.
    pub(super) joined: Vec<Below>,
    pub(super) accelerations: Vec<Motion<f64>>,
    pub(super) own: Own,
    /// `p` of each degree of freedom.
    pub(super) forces: Vec<Force<f64>>,
}

/// A degree of freedom in the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) lane: usize,
    pub(crate) parent: Option<usize>,
    /// Whether the previous one is its parent.
    pub(crate) follows: bool,
    /// Whether other bodies than the next one are attached to it, or bodies without a degree of freedom.
    pub(crate) joins: bool,
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
    pub(super) fn inward(&self, x: f64, p: Force<f64>) -> (f64, Force<f64>) {
        let r = x - self.s().power(p);
        (r, self.w().0.times_plus(r, p))
    }

    /// `y` of equation (2), and `a` grown by this degree of freedom.
    #[inline(always)]
    pub(super) fn outward(&self, r: f64, a: Motion<f64>) -> (f64, Motion<f64>) {
        let (w, reciprocal) = self.w();
        let y = r * reciprocal - w.power(a);
        (y, self.s().times_plus(y, a))
    }
}

impl Articulated {
    pub(super) fn new(layout: &JointsLayout) -> Self {
        let (tree, nv) = (&layout.tree_of_dofs, layout.nv);
        let mut steps = vec![Step { lane: 0, parent: None, follows: false, joins: false }; nv];
        for (lane, dof) in layout.dof.iter().enumerate() {
            if let Some(k) = *dof {
                steps[k].lane = lane;
            }
        }
        for k in 0..nv {
            let parent = tree.parent(k);
            (steps[k].parent, steps[k].follows) = (parent, parent.is_some_and(|p| p + 1 == k));
            if let (Some(p), false) = (parent, steps[k].follows) {
                steps[p].joins = true;
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
            steps[weld.to].joins = true;
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
}

/// The subtree of a degree of freedom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Below {
    /// Columns of `[I^A; pᵀ]`
    pub(super) columns: [Row; 6],
    pub(super) extent: Extent,
}

impl Below {
    pub(crate) const NOTHING: Self = Self { columns: [Row::ZERO; 6], extent: (0.0, 0.0) };
}

/// What pivots are compared with: mass, and trace of the moment of inertia.
pub(super) type Extent = (f64, f64);

/// Of each lane of a group: its column, and columns of the body's inertia where that stands in the lane.
#[derive(Clone, Debug)]
pub(crate) struct Own {
    pub(super) s: [Row; WIDTH],
    pub(super) columns: [[Row; WIDTH]; 6],
    pub(super) mass: Row,
    pub(super) trace: Row,
}

impl Own {
    pub(crate) const NOTHING: Self =
        Self { s: [Row::ZERO; WIDTH], columns: [[Row::ZERO; WIDTH]; 6], mass: Row::ZERO, trace: Row::ZERO };
}
