//! Derivatives of inverse dynamics, in axes of the body at the root ([`root_axes`](crate::kernels::by_copy::root_axes)).
//! Page: `dynamics/rnea_derivatives.rs`. Test: `batch::batches_of_hinges_and_slides_equal_single_states`.

use crate::joint::{FreeFlyer, JointKind};
use crate::kernels::by_copy::root_axes::{Column, Entries, Moving, Placed, of_free};
use crate::kernels::by_copy::states::turns::Turn;
use crate::kernels::by_copy::states::{Numbers, put, store};
use crate::plan::states::{LinkKind, StatesLayout, Step};
use crate::spatial::{Motion, vector as v3};
use gradyn_derivatives::{Lanes, MulAdd, Real, Register};
use nalgebra::Vector3;

/// What the bodies of eight states do, and results.
#[derive(Debug)]
pub(crate) struct DerivativesMemory<T> {
    bodies: Vec<Moving<T>>,
    pub(crate) results: Results<T>,
}

/// Torques and their derivatives, column by column.
#[derive(Debug)]
pub(crate) struct Results<T> {
    pub(crate) tau: Vec<T>,
    /// Entries that the tree makes zero stay so.
    pub(crate) dtau_dq: Vec<T>,
    pub(crate) dtau_dv: Vec<T>,
    pub(crate) dtau_da: Vec<T>,
}

impl<R: Register> DerivativesMemory<Lanes<R>> {
    pub(crate) fn new(layout: &StatesLayout) -> Self {
        let bodies = layout.steps.iter().map(|step| Moving::root(&step.link));
        let nv = layout.nv;
        let zeros = |n: usize| vec![Lanes::zero(); n];
        Self {
            bodies: bodies.collect(),
            results: Results {
                tau: zeros(nv),
                dtau_dq: zeros(nv * nv),
                dtau_dv: zeros(nv * nv),
                dtau_da: zeros(nv * nv),
            },
        }
    }
}

piece!(
    /// Torques and their derivatives without what armature, damping and friction contribute.
    pub(crate) fn derivatives<'a, R: Register>(
        layout: &'a StatesLayout,
        gravity: Vector3<f64>,
        memory: &'a mut DerivativesMemory<Lanes<R>>,
        turns: &'a [Turn<R>],
        q: Numbers<'a, R>,
        v: Numbers<'a, R>,
        a: Numbers<'a, R>,
    ) {
        let up = v3::neg(gravity);
        for (i, step) in layout.steps.iter().enumerate() {
            match step.parent {
                Some(p) => {
                    let (before, here) = memory.bodies.split_at_mut(i);
                    here[0].attach(&step.link, &before[p], (q[step.q], turns[i]), (v[step.v], a[step.v]));
                }
                None => {
                    let (q, v, a) = (&q[step.q..], &v[step.v..], &a[step.v..]);
                    root_motion(step, &mut memory.bodies[i], up, turns[i], (q, v, a));
                }
            }
        }
        for (j, step) in layout.steps.iter().enumerate().rev() {
            if let Some(parent) = step.parent {
                joint_column::<R>(layout, step.v, j, parent, &mut *memory, layout.nv);
            } else {
                let DerivativesMemory { bodies, results } = &mut *memory;
                root_columns::<R>(step, &bodies[j], results, layout.nv);
            }
        }
    }
);

/// A body whose parent is the world.
#[inline(always)]
fn root_motion<R: Register>(
    step: &Step,
    body: &mut Moving<Lanes<R>>,
    up: Vector3<f64>,
    (sin, cos): Turn<R>,
    (q, v, a): (Numbers<'_, R>, Numbers<'_, R>, Numbers<'_, R>),
) {
    let o = Lanes::zero();
    let up = v3::rotate_back(&step.link.rotation, v3::lift::<f64, Lanes<R>>(up));
    body.at.mass = step.link.mass.lift();
    if step.link.kind == LinkKind::Hinge {
        let up = Vector3::new(cos.mul_plus(up.x, sin * up.y), cos.mul_minus(up.y, sin * up.x), up.z);
        body.psi_ddot = Motion::new(Vector3::new(up.y, -up.x, o), v3::zero());
        body.velocity = Motion::new(v3::zero(), Vector3::new(o, o, v[0]));
        body.acceleration = Motion::new(up, Vector3::new(o, o, a[0]));
        body.set_flow_and_force();
    } else if step.link.kind == LinkKind::Slide {
        body.velocity = Motion::new(Vector3::new(o, o, v[0]), v3::zero());
        body.acceleration = Motion::new(Vector3::new(up.x, up.y, up.z + a[0]), v3::zero());
        body.set_flow_and_force();
    } else {
        let pose = JointKind::<f64>::pose::<Lanes<R>>(&FreeFlyer, q);
        let six = |x: Numbers<'_, R>| [x[0], x[1], x[2], x[3], x[4], x[5]];
        body.set_free(v3::rotate_back(&pose.rotation, up), six(v), six(a));
    }
}

piece!(
    /// The column of a joint with a parent, its entries with all columns toward the root, and what its parent carries.
    fn joint_column<'a, R: Register>(
        layout: &'a StatesLayout,
        row: usize,
        j: usize,
        parent: usize,
        memory: &'a mut DerivativesMemory<Lanes<R>>,
        nv: usize,
    ) {
        let DerivativesMemory { bodies, results: to } = memory;
        // Everything is computed before anything is stored: what is read stays in registers.
        let (s, force, of) = (bodies[j].at.s, bodies[j].force, bodies[j].column());
        let (own, size) = (row * (nv + 1), nv * nv);
        let (torque, by_a, by_v, by_q) = (s.power(force), s.power(of.A), s.power(of.V), s.power(of.Q));
        to.tau[row] = torque;
        // Of one length, which the compiler sees.
        let to =
            &mut Matrices { dq: &mut to.dtau_dq[..size], dv: &mut to.dtau_dv[..size], da: &mut to.dtau_da[..size] };
        to.da[own] = by_a;
        to.dv[own] = by_v;
        to.dq[own] = by_q;
        let (before, here) = bodies.split_at_mut(j);
        before[parent].add(&here[0]);
        let steps = &layout.steps[..bodies.len()];
        let mut at = Some(parent);
        while let Some(i) = at {
            let (body, above) = (&bodies[i], &steps[i]);
            at = above.parent;
            if at.is_none() {
                with_root(above, body, (row, nv), &of, to);
                break;
            }
            let Entries { by_a, by_q, by_v } = of.with(body);
            to.pair((above.v, row, nv), by_a, by_q, by_v);
        }
    }
);

/// Derivatives of torques, column by column.
struct Matrices<'a, T> {
    dq: &'a mut [T],
    dv: &'a mut [T],
    da: &'a mut [T],
}

impl<T: Copy> Matrices<'_, T> {
    /// Entries (i, j), and (j, i).
    #[inline(always)]
    fn pair(&mut self, (i, j, nv): (usize, usize, usize), by_a: T, by_q: (T, T), by_v: (T, T)) {
        let (over, under) = (i + nv * j, j + nv * i);
        self.da[over] = by_a;
        self.da[under] = by_a;
        self.dq[over] = by_q.0;
        self.dv[over] = by_v.0;
        self.dq[under] = by_q.1;
        self.dv[under] = by_v.1;
    }
}

/// Entries of such a joint with that of the root, whose `S` are columns of the unit matrix: the third or the sixth, with `Ψ̇ = 0`,
/// or all.
#[inline(always)]
fn with_root<R: Register>(
    step: &Step,
    root: &Moving<Lanes<R>>,
    (row, nv): (usize, usize),
    of: &Column<Lanes<R>>,
    to: &mut Matrices<'_, Lanes<R>>,
) {
    let (first, a, up) = (step.v, of.A, root.psi_ddot.linear);
    match step.link.kind {
        LinkKind::Hinge => {
            let by_q = (of.Q.angular.z, up.x.mul_plus(a.linear.x, up.y * a.linear.y));
            to.pair((first, row, nv), a.angular.z, by_q, (of.V.angular.z, of.twice.z));
        }
        LinkKind::Slide => {
            let zero = Lanes::zero();
            to.pair((first, row, nv), a.linear.z, (of.Q.linear.z, zero), (of.V.linear.z, zero));
        }
        LinkKind::Free => {
            let Entries { by_a, by_q, by_v } = of.with_free(root);
            put(to.da, first, (row, nv), by_a, by_a);
            put(to.dq, first, (row, nv), by_q.0, by_q.1);
            put(to.dv, first, (row, nv), by_v.0, by_v.1);
        }
    }
}

piece!(
    /// The columns of a body at the root with each other.
    fn root_columns<'a, R: Register>(
        step: &'a Step,
        body: &'a Moving<Lanes<R>>,
        results: &'a mut Results<Lanes<R>>,
        nv: usize,
    ) {
        let Results { tau, dtau_dq, dtau_dv, dtau_da } = results;
        let Moving { at: Placed { mass, .. }, flow, force, psi_ddot, .. } = body;
        let (first, own) = (step.v, step.v * (nv + 1));
        match step.link.kind {
            // S = (0, e_z): A = (e_z × h, …), and nothing of f_C ×̄* S is left.
            LinkKind::Hinge => {
                let (up, h) = (psi_ddot.linear, mass.first);
                let half = flow.second.m11 + flow.second.m22;
                tau[first] = force.angular.z;
                dtau_da[own] = mass.second.xx + mass.second.yy;
                dtau_dv[own] = half + half;
                dtau_dq[own] = up.y.mul_minus(h.x, up.x * h.y);
            }
            // S = (e_z, 0) and Ψ̈ = 0.
            LinkKind::Slide => {
                tau[first] = force.linear.z;
                dtau_da[own] = mass.mass;
                dtau_dv[own] = Lanes::zero();
                dtau_dq[own] = Lanes::zero();
            }
            LinkKind::Free => {
                store(&mut tau[first..], &force.to_array());
                let (columns, mut k) = (mass.matrix(), 0);
                while k < 6 {
                    let at = first + nv * (first + k);
                    let [by_q, by_v] = of_free(k, (mass, flow), *psi_ddot, body.velocity);
                    store(&mut dtau_da[at..], &columns[k]);
                    store(&mut dtau_dv[at..], &by_v.to_array());
                    store(&mut dtau_dq[at..], &by_q.to_array());
                    k += 1;
                }
            }
        }
    }
);
