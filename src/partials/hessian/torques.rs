//! First derivatives of torques along a direction, and the gradient of weighted torques: those of
//! [`rnea_derivatives`](crate::dynamics::rnea_derivatives()), summed up before they are formed, as in `product.rs`. Its `Q` and `V` are
//! `P` and `U` of [`torque_hessian`](crate::formulas::torque_hessian), `T = B_Cᵀ S`, and `φ_C` are wrenches that stand still.
//!
//! For column `k`, sums go over the columns above it, which carry it, or below it, which it carries; `Σ↑` and `Σ↓` are such sums with the
//! columns of its own link:
//!
//! ```text
//! τ_q δq + τ_v δv = A_k · Σ↑ (Ψ̈ δq + (Ψ̇ + Ṡ) δv) + T_k · Σ↑ (Ψ̇ δq + S δv) + S_k · ((Σ↑ S δq) ×* φ_C)
//!                 + S_k · Σ_below (P δq + U δv)                                                           (1)
//! ∂(λᵀ τ)/∂q = P_k · Σ_above S λ + Ψ̈_k · Σ↓ A λ + Ψ̇_k · Σ↓ T λ − S_k · Σ↓ (S λ) ×* φ_C                    (2)
//! ∂(λᵀ τ)/∂v = U_k · Σ_above S λ + (Ψ̇_k + Ṡ_k) · Σ↓ A λ + S_k · Σ↓ T λ                                    (3)
//! ```
//!
//! and damping and friction of each joint by its velocity, springs by its position.

use super::page::RneaHessianMemory;
use crate::dynamics::placed::Placed;
use crate::formulas::joint_forces::JointForces;
use crate::model::Model;
use crate::spatial::{Force, Motion, vector as v3};
use nalgebra::Vector3;
use std::ops::AddAssign;

/// Sums of each link.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    path: Vec<Path>,
    below: Vec<Force<f64>>,
    weights: Vec<Motion<f64>>,
    weighted: Vec<Weighted>,
}

/// Motions of columns along the direction, summed up from the root.
#[derive(Clone, Copy, Debug)]
struct Path {
    /// `Σ Ψ̇ δq + S δv`
    velocity: Motion<f64>,
    /// `Σ Ψ̈ δq + (Ψ̇ + Ṡ) δv`
    acceleration: Motion<f64>,
    /// `Σ S δq`
    carried: Motion<f64>,
}

/// Of columns and their weights, summed up over the subtree of a link.
#[derive(Clone, Copy, Debug)]
struct Weighted {
    /// `Σ A λ`, `Σ T λ`, `Σ (S λ) ×* φ_C`
    a: Force<f64>,
    t: Vector3<f64>,
    turned: Force<f64>,
}

impl AddAssign for Weighted {
    fn add_assign(&mut self, other: Self) {
        self.a += other.a;
        self.t += other.t;
        self.turned += other.turned;
    }
}

/// `to −= τ_q δq + τ_v δv` at configuration `q` and velocities `at_v`, (1).
pub(super) fn subtract_along(
    model: &Model,
    (links, memory, sums): (&Placed<f64>, &RneaHessianMemory, &mut Sums),
    (q, at_v): (&[f64], &[f64]),
    (along_q, along_v): (&[f64], &[f64]),
    to: &mut [f64],
) {
    let none = Path { velocity: Motion::zero(), acceleration: Motion::zero(), carried: Motion::zero() };
    sums.path.resize(links.links.len(), none);
    sums.below.clear();
    sums.below.resize(links.links.len(), Force::zero());
    for (i, of_body) in links.of_body.iter().enumerate() {
        for n in of_body.clone() {
            let link = &links.links[n];
            let mut path = link.parent.map_or(none, |p| sums.path[p]);
            for k in link.columns.clone() {
                let (by, q, v) = (memory.motions(links, k), along_q[links.dof[k]], along_v[links.dof[k]]);
                path.velocity = by.psi_dot.times_plus(q, by.s.times_plus(v, path.velocity));
                path.acceleration = by.psi_ddot.times_plus(q, by.psi_s_dot.times_plus(v, path.acceleration));
                path.carried = by.s.times_plus(q, path.carried);
            }
            sums.path[n] = path;
            for k in link.columns.clone() {
                let standing = path.carried.cross_force(memory.still[k]);
                to[links.dof[k]] -= path.acceleration.power(memory.forces[k].a)
                    + v3::dot(path.velocity.angular, moment(links, memory, i, k))
                    + links.columns[k].power(standing);
            }
        }
    }
    for (n, link) in links.links.iter().enumerate().rev() {
        let below = sums.below[n];
        let mut all = below;
        for k in link.columns.clone() {
            let (forces, dof) = (&memory.forces[k], links.dof[k]);
            to[dof] -= links.columns[k].power(below);
            all = forces.p.times_plus(along_q[dof], forces.u.times_plus(along_v[dof], all));
        }
        if let Some(p) = link.parent {
            sums.below[p] += all;
        }
    }
    if model.joint_friction {
        for dof in &model.dofs {
            let i = dof.index;
            to[i] -= dof.friction_slope(at_v[i], model.friction_width) * along_v[i];
        }
    }
    let joints = JointForces::of(model);
    for spring in joints.springs {
        to[spring.index] -= spring.slope() * along_q[spring.index];
    }
    for spring in joints.poses {
        let (along, columns) = (spring.numbers(along_q), spring.bent(q).slope());
        for (_, j) in spring.numbered() {
            let column = columns[j].to_array();
            spring.numbered().for_each(|(dof, i)| to[dof] -= column[i] * along[j]);
        }
    }
    for curve in joints.curves {
        to[curve.index] -= curve.slope(at_v[curve.index], joints.width) * along_v[curve.index];
    }
}

/// Adds the gradient of `λᵀ τ` by `q` and by `v` at configuration `q` and velocities `at_v`, (2) and (3).
pub(super) fn add_gradient(
    model: &Model,
    (links, memory, sums): (&Placed<f64>, &RneaHessianMemory, &mut Sums),
    (q, at_v): (&[f64], &[f64]),
    lambda: &[f64],
    (dq, dv): (&mut [f64], &mut [f64]),
) {
    let none = Weighted { a: Force::zero(), t: v3::zero(), turned: Force::zero() };
    sums.weights.resize(links.links.len(), Motion::zero());
    sums.weighted.clear();
    sums.weighted.resize(links.links.len(), none);
    for (n, link) in links.links.iter().enumerate() {
        let above = link.parent.map_or(Motion::zero(), |p| sums.weights[p]);
        let mut all = above;
        for k in link.columns.clone() {
            let (forces, dof) = (&memory.forces[k], links.dof[k]);
            dq[dof] += above.power(forces.p);
            dv[dof] += above.power(forces.u);
            all = links.columns[k].times_plus(lambda[dof], all);
        }
        sums.weights[n] = all;
    }
    for (i, of_body) in links.of_body.iter().enumerate().rev() {
        for n in of_body.clone().rev() {
            let link = &links.links[n];
            let mut all = sums.weighted[n];
            for k in link.columns.clone() {
                let (s, lambda) = (links.columns[k], lambda[links.dof[k]]);
                all.a = memory.forces[k].a.times_plus(lambda, all.a);
                all.t += moment(links, memory, i, k) * lambda;
                all.turned += s.times(lambda).cross_force(memory.still[k]);
            }
            for k in link.columns.clone() {
                let (by, dof) = (memory.motions(links, k), links.dof[k]);
                dq[dof] += by.psi_ddot.power(all.a) + v3::dot(by.psi_dot.angular, all.t) - by.s.power(all.turned);
                dv[dof] += by.psi_s_dot.power(all.a) + v3::dot(by.s.angular, all.t);
            }
            if let Some(p) = link.parent {
                sums.weighted[p] += all;
            }
        }
    }
    if model.joint_friction {
        for dof in &model.dofs {
            let i = dof.index;
            dv[i] += dof.friction_slope(at_v[i], model.friction_width) * lambda[i];
        }
    }
    let joints = JointForces::of(model);
    for spring in joints.springs {
        dq[spring.index] += spring.slope() * lambda[spring.index];
    }
    for spring in joints.poses {
        let (weights, columns) = (Motion::from_array(spring.numbers(lambda)), spring.bent(q).slope());
        spring.numbered().for_each(|(dof, i)| dq[dof] += columns[i].power(weights));
    }
    for curve in joints.curves {
        dv[curve.index] += curve.slope(at_v[curve.index], joints.width) * lambda[curve.index];
    }
}

/// `T = B_Cᵀ S` of a column of body `i`: a pure moment.
#[inline(always)]
fn moment(links: &Placed<f64>, memory: &RneaHessianMemory, i: usize, k: usize) -> Vector3<f64> {
    memory.bodies[i].coriolis.tr_times(links.columns[k]).angular
}
