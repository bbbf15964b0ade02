//! The Hessian of `λᵀ τ` times a direction: equations (4) of [`torque_hessian`](crate::formulas::torque_hessian) summed up before they
//! are formed, motions along paths from the root and forces over subtrees.

use super::RneaHessianProduct;
use super::page::{At, RneaHessianMemory};
use crate::dynamics::placed::{Link, Placed};
use crate::formulas::joint_forces::JointForces;
use crate::model::Model;
use crate::spatial::{Force, Motion, vector as v3};
use nalgebra::Vector3;
use std::ops::AddAssign;

/// A direction of `(q, v, a)`.
#[derive(Clone, Copy)]
pub(in crate::partials) struct Along<'a> {
    pub(in crate::partials) q: &'a [f64],
    pub(in crate::partials) v: &'a [f64],
    pub(in crate::partials) a: &'a [f64],
}

/// Motions of columns along the direction, summed up from the root.
#[derive(Clone, Copy, Debug)]
pub(super) struct Path {
    /// `Σ Ω δq`, `Σ Ψ̇ δq`, `Σ Ψ̈ δq`
    omega: Motion<f64>,
    psi_dot: Motion<f64>,
    psi_ddot: Motion<f64>,
    /// `Σ S δq`
    carried: Motion<f64>,
    /// `Σ S δv`, `Σ (Ψ̇ + Ṡ) δv + S δa`
    rate: Motion<f64>,
    psi_s_dot: Motion<f64>,
}

impl Path {
    const ZERO: Self = {
        let none = Motion { linear: Vector3::new(0.0, 0.0, 0.0), angular: Vector3::new(0.0, 0.0, 0.0) };
        Self { omega: none, psi_dot: none, psi_ddot: none, carried: none, rate: none, psi_s_dot: none }
    };
}

impl AddAssign for Path {
    fn add_assign(&mut self, other: Self) {
        self.omega += other.omega;
        self.psi_dot += other.psi_dot;
        self.psi_ddot += other.psi_ddot;
        self.carried += other.carried;
        self.rate += other.rate;
        self.psi_s_dot += other.psi_s_dot;
    }
}

/// Forces of columns along the direction, summed up over the subtree of a link.
#[derive(Clone, Copy, Debug)]
pub(super) struct Below {
    /// `Σ P δq + U δv + A δa`, `Σ R δq`, `Σ T δq + G δv`, and of wrenches that stand still.
    p: Force<f64>,
    r: Force<f64>,
    t: Vector3<f64>,
    standing: Force<f64>,
}

impl Below {
    const ZERO: Self = {
        let none = Vector3::new(0.0, 0.0, 0.0);
        let force = Force { linear: none, angular: none };
        Self { p: force, r: force, t: none, standing: force }
    };
}

impl AddAssign for Below {
    fn add_assign(&mut self, other: Self) {
        self.p += other.p;
        self.r += other.r;
        self.t += other.t;
        self.standing += other.standing;
    }
}

/// Sums of each link.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    path: Vec<Path>,
    below: Vec<Below>,
}

/// The product, from what [`sweep`](super::page::sweep) left.
pub(super) fn product(
    model: &Model,
    (links, memory, sums): (&Placed<f64>, &RneaHessianMemory, &mut Sums),
    at: At<'_>,
    along: Along<'_>,
    to: &mut RneaHessianProduct,
) {
    for x in [&mut to.dq, &mut to.dv, &mut to.da] {
        x.fill(0.0);
    }
    sums.path.resize(links.links.len(), Path::ZERO);
    sums.below.clear();
    sums.below.resize(links.links.len(), Below::ZERO);
    for (i, of_body) in links.of_body.iter().enumerate() {
        for n in of_body.clone() {
            let link = &links.links[n];
            let before = link.parent.map_or(Path::ZERO, |p| sums.path[p]);
            sums.path[n] = from_root((links, memory), (i, link), before, along, to);
        }
    }
    for (n, link) in links.links.iter().enumerate().rev() {
        let all = to_root((links, memory), link, sums.below[n], along, to);
        if let Some(p) = link.parent {
            sums.below[p] += all;
        }
    }
    if model.joint_friction {
        for dof in model.dofs.iter().filter(|dof| dof.friction != 0.0) {
            let i = dof.index;
            to.dv[i] += at.lambda[i] * dof.friction_curvature(at.v[i], model.friction_width) * along.v[i];
        }
    }
    let joints = JointForces::of(model);
    joints.bend(at.q, at.lambda, along.q, |dof, number| to.dq[dof] += number);
    for curve in joints.curves {
        let i = curve.index;
        to.dv[i] += at.lambda[i] * curve.curvature(at.v[i], joints.width) * along.v[i];
    }
}

/// What motions of the links that carry a link, and its own, bind its columns by. Returns the sum with its own.
fn from_root(
    (links, memory): (&Placed<f64>, &RneaHessianMemory),
    (i, link): (usize, &Link),
    before: Path,
    along: Along<'_>,
    to: &mut RneaHessianProduct,
) -> Path {
    let mut all = before;
    for j in link.columns.clone() {
        let (by, dof) = (memory.motions(links, j), links.dof[j]);
        let (q, v, a) = (along.q[dof], along.v[dof], along.a[dof]);
        all += Path {
            omega: by.omega * q,
            psi_dot: by.psi_dot * q,
            psi_ddot: by.psi_ddot * q,
            carried: by.s * q,
            rate: by.s * v,
            psi_s_dot: by.s.times_plus(a, by.psi_s_dot * v),
        };
    }
    let h = memory.bodies[i].weighted.whole_momentum();
    let own = all.rate - before.rate;
    for k in link.columns.clone() {
        let (forces, dof) = (&memory.forces[k], links.dof[k]);
        to.dq[dof] += all.omega.power(forces.p)
            + (all.psi_ddot + before.psi_s_dot).power(forces.r)
            + v3::dot((all.psi_dot + before.rate).angular, forces.t)
            + all.carried.power(memory.standing[k]);
        to.dv[dof] += all.omega.power(forces.u) + v3::dot((all.psi_dot + all.rate).angular, forces.g)
            - own.power(links.columns[k].cross_force(h));
        to.da[dof] += all.omega.power(forces.a);
    }
    all
}

/// What forces on the subtree of a link bind its columns by. Returns the sum with its own.
fn to_root(
    (links, memory): (&Placed<f64>, &RneaHessianMemory),
    link: &Link,
    below: Below,
    along: Along<'_>,
    to: &mut RneaHessianProduct,
) -> Below {
    // By velocities and accelerations, and by configurations.
    let (mut all, mut placed) = (below, Below::ZERO);
    for k in link.columns.clone() {
        let (forces, dof) = (&memory.forces[k], links.dof[k]);
        let (q, v, a) = (along.q[dof], along.v[dof], along.a[dof]);
        all.p += forces.u.times_plus(v, forces.a.times(a));
        all.t += forces.g * v;
        let (p, r, t) = (forces.p.times(q), forces.r.times(q), forces.t * q);
        placed += Below { p, r, t, standing: memory.standing[k].times(q) };
    }
    for j in link.columns.clone() {
        let (by, dof) = (memory.motions(links, j), links.dof[j]);
        to.dq[dof] += by.omega.power(all.p)
            + by.psi_ddot.power(below.r)
            + v3::dot(by.psi_dot.angular, all.t)
            + by.s.power(below.standing);
        to.dv[dof] += by.psi_s_dot.power(below.r) + v3::dot(by.s.angular, below.t);
        to.da[dof] += by.s.power(below.r);
    }
    all += placed;
    all
}
