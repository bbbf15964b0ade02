//! The Hessian of `λᵀ τ`: equations (1) to (4) of [`torque_hessian`](crate::formulas::torque_hessian), link by link.
//!
//! Wrenches that stand still in the world do not move with the bodies. They stay out of `f`, and, with `x` the velocity `w` of
//! their body less that of the parent of column `k`,
//!
//! ```text
//! −φ · w:    ∂/∂q_k = x · (S_k ×* φ) = −S_k · (x ×* φ)        ∂²/∂q_k ∂q_j = −S_j · ((S_k × x) ×* φ)          (5)
//! ```

use super::RneaHessian;
use crate::dynamics::placed::{Link, Placed, update};
use crate::dynamics::{ExternalWrench, Workspace, WrenchFrame};
use crate::formulas::joint_forces::JointForces;
use crate::formulas::torque_hessian::{Bodies, ColumnForces, ColumnMotions};
use crate::model::Model;
use crate::spatial::{Force, Motion, vector as v3};
use nalgebra::{DMatrix, Vector3};

/// What the equations have of bodies and of columns.
#[derive(Clone, Debug, Default)]
pub(super) struct RneaHessianMemory {
    /// `w` of each body.
    w: Vec<Motion<f64>>,
    /// Of each body, then of its subtree.
    pub(super) bodies: Vec<Bodies<f64>>,
    /// `Ω` of each column.
    omega: Vec<Motion<f64>>,
    /// Of each column, with `w` of its link's parent.
    w_parent: Vec<Motion<f64>>,
    /// Of each column, (3).
    pub(super) forces: Vec<ColumnForces<f64>>,
    /// Of each column: what `S_j` of those that carry it sees of wrenches that stand still, (5).
    pub(super) standing: Vec<Force<f64>>,
    /// Of each column: `φ_C`, the wrenches that stand still on what it carries.
    pub(super) still: Vec<Force<f64>>,
}

/// State, weights and wrenches.
#[derive(Clone, Copy)]
pub(in crate::partials) struct At<'a> {
    pub(in crate::partials) q: &'a [f64],
    pub(in crate::partials) v: &'a [f64],
    pub(in crate::partials) a: &'a [f64],
    pub(in crate::partials) lambda: &'a [f64],
    pub(in crate::partials) wrenches: &'a [ExternalWrench],
}

impl RneaHessianMemory {
    fn size(&mut self, bodies: usize, columns: usize) {
        self.w.resize(bodies, Motion::zero());
        self.bodies.resize(bodies, Bodies::zero());
        self.omega.resize(columns, Motion::zero());
        self.w_parent.resize(columns, Motion::zero());
        self.forces.resize(columns, ColumnForces::zero());
        for forces in [&mut self.standing, &mut self.still] {
            forces.clear();
            forces.resize(columns, Force::zero());
        }
    }

    /// The subtree of column `k` moves so with it.
    #[inline(always)]
    pub(super) fn motions(&self, links: &Placed<f64>, k: usize) -> ColumnMotions<f64> {
        ColumnMotions {
            s: links.columns[k],
            psi_dot: links.psi_dot[k],
            psi_ddot: links.psi_ddot[k],
            psi_s_dot: links.psi_s_dot[k],
            omega: self.omega[k],
        }
    }
}

/// Value, gradient, and all that matrices and products are made of, without what joints add by themselves. Returns links and memory.
pub(super) fn sweep<'w>(
    gravity: Vector3<f64>,
    model: &Model,
    ws: &'w mut Workspace<f64>,
    memory: &mut RneaHessianMemory,
    at: At<'_>,
    to: &mut RneaHessian,
) -> &'w Placed<f64> {
    let At { q, v, a, lambda, wrenches } = at;
    let links = &*update(model, ws, Motion::new(-gravity, Vector3::zeros()), (q, v, a));
    memory.size(model.bodies.len(), links.columns.len());
    for (i, body) in model.bodies.iter().enumerate() {
        let mut w = body.parent.map_or(Motion::zero(), |p| memory.w[p]);
        for link in &links.links[links.of_body[i].clone()] {
            let w_parent = w;
            for k in link.columns.clone() {
                let s = links.columns[k];
                memory.w_parent[k] = w_parent;
                memory.omega[k] = w_parent.cross(s); //                Ω = w_λ × S
                w = s.times_plus(lambda[links.dof[k]], w); //          w = w_λ + S λ
            }
        }
        memory.w[i] = w;
        let (v_i, a_i) = (links.velocity[i], links.acceleration[i]);
        memory.bodies[i] = Bodies::one(links.inertia(body, i).into(), v_i, a_i, w);
    }
    for gradient in [&mut to.dq, &mut to.dv, &mut to.da] {
        gradient.fill(0.0);
    }
    to.value = 0.0;
    for w in wrenches {
        let b = w.body.index();
        match w.frame {
            WrenchFrame::Body => memory.bodies[b].force -= links.pose[b].act(w.wrench),
            WrenchFrame::World => stand(links, memory, b, links.standing(b, w.wrench), to),
        }
    }
    for (i, body) in model.bodies.iter().enumerate().rev() {
        let bodies = memory.bodies[i];
        for k in links.columns_of(i) {
            let (motions, row) = (memory.motions(links, k), links.dof[k]);
            let [dq, dv, da] = bodies.gradient(&motions);
            to.dq[row] += dq;
            to.dv[row] += dv;
            to.da[row] += da;
            to.value += lambda[row] * motions.s.power(bodies.force);
            memory.forces[k] = ColumnForces::new(&motions, &bodies);
        }
        if let Some(p) = body.parent {
            memory.bodies[p] += bodies;
        }
    }
    links
}

/// Value and gradient by a wrench that stands still on body `b`, and what it binds columns by, (5).
fn stand(links: &Placed<f64>, memory: &mut RneaHessianMemory, b: usize, wrench: Force<f64>, to: &mut RneaHessian) {
    let w = memory.w[b];
    to.value -= w.power(wrench);
    for link in links.path(links.carrier[b]) {
        for k in link.columns.clone() {
            let (s, x) = (links.columns[k], w - memory.w_parent[k]);
            to.dq[links.dof[k]] -= s.power(x.cross_force(wrench));
            memory.standing[k] -= s.cross(x).cross_force(wrench);
            memory.still[k] += wrench;
        }
    }
}

/// The matrices, from what [`sweep`] left.
pub(super) fn matrices(links: &Placed<f64>, memory: &RneaHessianMemory, to: &mut RneaHessian) {
    let RneaHessian { dqq, dvq, daq, dvv, .. } = to;
    let mut to = Matrices { dqq, dvq, daq, dvv };
    for matrix in [&mut to.dqq, &mut to.dvq, &mut to.daq, &mut to.dvv] {
        matrix.fill(0.0);
    }
    for (i, of_body) in links.of_body.iter().enumerate() {
        let h = memory.bodies[i].weighted.whole_momentum();
        for link in &links.links[of_body.clone()] {
            for k in link.columns.clone() {
                to.of_link(links, memory, link, k, h);
                to.of_path(links, memory, link, k);
            }
        }
    }
}

struct Matrices<'a> {
    dqq: &'a mut DMatrix<f64>,
    dvq: &'a mut DMatrix<f64>,
    daq: &'a mut DMatrix<f64>,
    dvv: &'a mut DMatrix<f64>,
}

impl Matrices<'_> {
    /// Rows of column `k` against the columns of its own link.
    #[inline(always)]
    fn of_link(&mut self, links: &Placed<f64>, memory: &RneaHessianMemory, link: &Link, k: usize, h: Force<f64>) {
        let (forces, standing, row) = (&memory.forces[k], memory.standing[k], links.dof[k]);
        let turned = v3::sub(forces.g, links.columns[k].cross_force(h).angular);
        let sinking = v3::neg(links.columns[k].cross_force(h).linear);
        for j in link.columns.clone() {
            let (by, column) = (memory.motions(links, j), links.dof[j]);
            self.dqq[(row, column)] += forces.by_qq(&by) + by.s.power(standing); //       (4)
            self.dvq[(row, column)] += forces.by_vq(&by);
            self.daq[(row, column)] += by.omega.power(forces.a);
            self.dvv[(row, column)] += by.s.power(Force::new(sinking, turned));
        }
    }

    /// Rows and columns of column `k` against those of all links that carry it.
    #[inline(always)]
    fn of_path(&mut self, links: &Placed<f64>, memory: &RneaHessianMemory, link: &Link, k: usize) {
        let (forces, standing, row) = (&memory.forces[k], memory.standing[k], links.dof[k]);
        for j in links.path(link.parent).flat_map(|link| link.columns.clone()) {
            let (by, column) = (memory.motions(links, j), links.dof[j]);
            let qq = forces.by_qq(&by) + by.s.power(standing);
            let vv = v3::dot(by.s.angular, forces.g);
            self.dqq[(row, column)] += qq; //                                             (4)
            self.dqq[(column, row)] += qq;
            self.dvq[(row, column)] += forces.by_vq(&by);
            self.dvq[(column, row)] += by.psi_s_dot.power(forces.r) + v3::dot(by.s.angular, forces.t);
            self.daq[(row, column)] += by.omega.power(forces.a);
            self.daq[(column, row)] += by.s.power(forces.r);
            self.dvv[(row, column)] += vv;
            self.dvv[(column, row)] += vv;
        }
    }
}

impl ColumnForces<f64> {
    fn zero() -> Self {
        let (force, moment) = (Force::zero(), v3::zero());
        Self { a: force, u: force, p: force, r: force, g: moment, t: moment }
    }

    /// `∂²/∂q_k ∂q_j`
    #[inline(always)]
    fn by_qq(&self, by: &ColumnMotions<f64>) -> f64 {
        by.omega.power(self.p) + by.psi_ddot.power(self.r) + v3::dot(by.psi_dot.angular, self.t)
    }

    /// `∂²/∂v_k ∂q_j`
    #[inline(always)]
    fn by_vq(&self, by: &ColumnMotions<f64>) -> f64 {
        by.omega.power(self.u) + v3::dot(by.psi_dot.angular, self.g)
    }
}

/// Armature, damping, friction, and these forces of joints. Returns zero if what has been added to is finite.
pub(super) fn add_joints(model: &Model, joints: JointForces<'_>, at: At<'_>, to: &mut RneaHessian) -> f64 {
    let At { q, v, a, lambda, .. } = at;
    let mut waste = 0.0;
    for dof in &model.dofs {
        let i = dof.index;
        to.da[i] += lambda[i] * dof.mass();
        to.value += lambda[i] * a[i] * dof.mass();
        waste += to.da[i] * 0.0;
        if model.joint_friction {
            to.dv[i] += lambda[i] * dof.friction_slope(v[i], model.friction_width);
            to.value += lambda[i] * dof.friction_torque(v[i], model.friction_width);
            waste += to.dv[i] * 0.0;
            if dof.friction != 0.0 {
                let entry = &mut to.dvv[(i, i)];
                *entry += lambda[i] * dof.friction_curvature(v[i], model.friction_width);
                waste += *entry * 0.0;
            }
        }
    }
    joints.add_gradient((q, v), lambda, (&mut to.value, to.dq.as_mut_slice(), to.dv.as_mut_slice()));
    for spring in joints.springs {
        waste += to.dq[spring.index] * 0.0;
    }
    for spring in joints.poses {
        for (by, j) in spring.numbered() {
            let mut along = [0.0; 6];
            along[j] = 1.0;
            let bent = spring.bent(q).bend(spring.numbers(lambda), along);
            for (dof, i) in spring.numbered() {
                let entry = &mut to.dqq[(dof, by)];
                *entry += bent[i];
                waste += (*entry + to.dq[dof]) * 0.0;
            }
        }
    }
    for curve in joints.curves {
        let i = curve.index;
        let entry = &mut to.dvv[(i, i)];
        *entry += lambda[i] * curve.curvature(v[i], joints.width);
        waste += (*entry + to.dv[i]) * 0.0;
    }
    waste + to.value * 0.0
}
