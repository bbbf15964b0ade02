//! How `q ⊕ w` bends: second derivatives of a step of configurations, joint by joint.
//!
//! ```text
//! φ(δ, ε) = λᵀ log((q ⊕ w)⁻¹ (q ⊕ δ ⊕ (w + ε)))
//! ```
//!
//! It is the same for every q, zero for joints whose configurations are numbers, and falls into blocks, one for each joint that turns in
//! space. By numbers with two directions over a robot of that joint alone.

use crate::fault::Reason;
use crate::space::Blocks;
use gradyn::model::ModelBuilder;
use gradyn::num_dual::HyperDual64;
use gradyn::{Inertia, Model, Transform};
use std::ops::Range;

/// The joints of a robot that turn in space, each as a robot of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Retraction {
    joints: Vec<(Range<usize>, Model)>,
}

impl Retraction {
    pub(super) fn new(model: &Model) -> Self {
        let mut joints = Vec::new();
        for block in Blocks::new(model).0 {
            let body = model.bodies().iter().find(|body| body.owns_coordinates() && body.v_range() == block);
            let Some(body) = body else { continue };
            let mut alone = ModelBuilder::new("joint");
            let (at, mass) = (Transform::identity(), Inertia::zero());
            let added = alone.add_body(None, "body", "joint", at, body.joint().clone(), mass);
            if added.is_ok()
                && let Ok(model) = alone.build()
            {
                joints.push((block, model));
            }
        }
        Self { joints }
    }

    /// Is `q ⊕ w` a sum of numbers?
    pub(super) fn is_flat(&self) -> bool {
        self.joints.is_empty()
    }

    /// Calls `add` with entries of `∂²φ/∂(δ, ε)²` at `w`: rows and columns count δ from 0 and ε from nv on.
    pub(super) fn bend(&self, w: &[f64], lambda: &[f64], mut add: impl FnMut(usize, usize, f64)) -> Result<(), Reason> {
        let nv = w.len();
        let constant = |x: &f64| HyperDual64::from(*x);
        for (block, model) in &self.joints {
            let n = block.len();
            let still = model.neutral::<HyperDual64>();
            let w: Vec<_> = w[block.clone()].iter().map(constant).collect();
            let reached = model.integrate(&still, &w)?;
            let place = |k: usize| if k < n { block.start + k } else { nv + block.start + k - n };
            let mut moved = [vec![HyperDual64::from(0.0); n], w.clone()];
            for i in 0..2 * n {
                moved[i / n][i % n].eps1 = 1.0;
                for j in 0..=i {
                    moved[j / n][j % n].eps2 = 1.0;
                    let [delta, step] = &moved;
                    let to = model.integrate(&model.integrate(&still, delta)?, step)?;
                    let off = model.difference(&reached, &to)?;
                    moved[j / n][j % n].eps2 = 0.0;
                    let sum = off.iter().zip(&lambda[block.clone()]).map(|(x, l)| x.eps1eps2 * l).sum();
                    add(place(i), place(j), sum);
                    if i != j {
                        add(place(j), place(i), sum);
                    }
                }
                moved[i / n][i % n].eps1 = 0.0;
            }
        }
        Ok(())
    }
}
