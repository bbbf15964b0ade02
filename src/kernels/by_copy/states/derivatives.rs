//! Derivatives of inverse dynamics: the formulas of
//! [`rnea_derivatives`](crate::dynamics::rnea_derivatives), in axes of the body at the root, about its origin.
//!
//! There `S` of a free body at the root is the unit matrix, and nothing has to be transformed to be summed up. For one coordinate
//! `Ṡ = Ψ̇`, so with `E = 2 Ψ̇` and half the Coriolis matrix
//!
//! ```text
//! A = I_C S    Q = ½B_C E + I_C Ψ̈ + f_C ×̄* S    V = 2 ½B_C S + I_C E    T = ½B_Cᵀ S             (1)
//! ∂τ_i/∂q_j = S_iᵀ Q_j               ∂τ_i/∂v_j = S_iᵀ V_j          M_ij = S_iᵀ A_j              (2)
//! ∂τ_j/∂q_i = Ψ̈_iᵀ A_j + E_iᵀ T_j    ∂τ_j/∂v_i = E_iᵀ A_j + 2 S_iᵀ T_j                          (3)
//! ```

use crate::joint::{FreeFlyer, JointKind};
use crate::kernels::by_copy::states::turns::Turn;
use crate::kernels::by_copy::states::{Numbers, put, store};
use crate::plan::states::{Kind, Step, Table, column, place, unit};
use crate::spatial::moments::{Flow, Mass, spread};
use crate::spatial::{Force, Motion, vector as v3};
use gradyn_derivatives::simd::{Piece, Register};
use gradyn_derivatives::{Lanes, MulAdd, Real};
use nalgebra::{Matrix3, Vector3};

/// A body and its column.
#[derive(Clone, Copy, Debug)]
struct Body<T> {
    rotation: Matrix3<T>,
    translation: Vector3<T>,
    s: Motion<T>,
    /// `2 Ψ̇`
    e: Motion<T>,
    /// `Ψ̈`; of a free body what its columns are crossed with, `(−g, 0)`.
    psi_ddot: Motion<T>,
    velocity: Motion<T>,
    acceleration: Motion<T>,
    /// Of the body, then of its subtree.
    mass: Mass<T>,
    flow: Flow<T>,
    force: Force<T>,
}

/// What the bodies of eight states do, and results.
#[derive(Debug)]
pub(crate) struct Memory<T> {
    bodies: Vec<Body<T>>,
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

impl<R: Register> Memory<Lanes<R>> {
    pub(crate) fn new(table: &Table) -> Self {
        let bodies = table.steps.iter().map(|step| {
            let (rotation, translation) = (v3::identity(), v3::zero());
            // Bodies at a root keep this pose, and joints there this column and a zero `Ψ̇`.
            Body {
                rotation,
                translation,
                s: column(step, &rotation, translation),
                e: Motion::zero(),
                psi_ddot: Motion::zero(),
                velocity: Motion::zero(),
                acceleration: Motion::zero(),
                mass: Mass::zero(),
                flow: Flow::zero(),
                force: Force::zero(),
            }
        });
        let nv = table.nv;
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

/// Torques and their derivatives without what armature, damping and friction contribute.
pub(crate) struct Derivatives<'a, R: Register> {
    pub(crate) table: &'a Table,
    pub(crate) gravity: Vector3<f64>,
    pub(crate) memory: &'a mut Memory<Lanes<R>>,
    pub(crate) turns: &'a [Turn<R>],
    pub(crate) q: Numbers<'a, R>,
    pub(crate) v: Numbers<'a, R>,
    pub(crate) a: Numbers<'a, R>,
}

impl<R: Register> Piece for Derivatives<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { table, gravity, memory, turns, q, v, a } = self;
        let up = v3::neg(gravity);
        for (i, step) in table.steps.iter().enumerate() {
            match step.parent {
                Some(p) => {
                    let (q, v, a) = ((q[step.q], turns[i]), v[step.v], a[step.v]);
                    Hang { step, bodies: &mut memory.bodies, i, p, q, v, a }.run();
                }
                None => {
                    let (q, v, a) = (&q[step.q..], &v[step.v..], &a[step.v..]);
                    Begin { step, body: &mut memory.bodies[i], up, turn: turns[i], q, v, a }.run();
                }
            }
        }
        for (j, step) in table.steps.iter().enumerate().rev() {
            if let Some(parent) = step.parent {
                R::call(Column { table, row: step.v, j, parent, memory: &mut *memory, nv: table.nv });
            } else {
                let Memory { bodies, results } = &mut *memory;
                R::call(Root { step, body: &bodies[j], results, nv: table.nv });
            }
        }
    }
}

/// A body that hangs from another: where it is, how it moves, and what it weighs.
struct Hang<'a, R: Register> {
    step: &'a Step,
    bodies: &'a mut [Body<Lanes<R>>],
    i: usize,
    p: usize,
    q: (Lanes<R>, Turn<R>),
    v: Lanes<R>,
    a: Lanes<R>,
}

impl<R: Register> Piece for Hang<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { step, bodies, i, p, q, v, a } = self;
        let (before, here) = bodies.split_at_mut(i);
        let (parent, body) = (&before[p], &mut here[0]);
        let (rotation, position) = place(step, &parent.rotation, parent.translation, q);
        body.rotation = rotation;
        body.translation = position;

        let s = column(step, &rotation, position);
        let psi_dot = parent.velocity.cross(s);
        body.s = s;
        body.e = psi_dot + psi_dot;
        body.psi_ddot = parent.acceleration.cross_plus(s, parent.velocity.cross(psi_dot));
        body.velocity = s.times_plus(v, parent.velocity);
        body.acceleration = psi_dot.times_plus(v, s.times_plus(a, parent.acceleration));
        body.mass = step.mass.placed(&rotation, position);
        load(body);
    }
}

/// `l`, `P` and the force.
#[inline(always)]
fn load<R: Register>(body: &mut Body<Lanes<R>>) {
    let (v, a) = (body.velocity, body.acceleration);
    body.flow = body.mass.flow(v);
    // The acceleration of the point at the origin.
    let at_origin = v3::cross_plus(v.angular, v.linear, a.linear);
    body.force = body.mass.load(&spread(v.angular, a.angular), at_origin);
}

/// A body that hangs from the world.
struct Begin<'a, R: Register> {
    step: &'a Step,
    body: &'a mut Body<Lanes<R>>,
    up: Vector3<f64>,
    turn: Turn<R>,
    q: Numbers<'a, R>,
    v: Numbers<'a, R>,
    a: Numbers<'a, R>,
}

impl<R: Register> Piece for Begin<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { step, body, up, turn: (sin, cos), q, v, a } = self;
        let o = Lanes::zero();
        let up = v3::rotate_back(&step.rotation, v3::lift::<f64, Lanes<R>>(up));
        if step.kind == Kind::Hinge {
            let up = Vector3::new(cos.mul_plus(up.x, sin * up.y), cos.mul_minus(up.y, sin * up.x), up.z);
            body.psi_ddot = Motion::new(Vector3::new(up.y, -up.x, o), v3::zero());
            body.velocity = Motion::new(v3::zero(), Vector3::new(o, o, v[0]));
            body.acceleration = Motion::new(up, Vector3::new(o, o, a[0]));
        } else if step.kind == Kind::Slide {
            body.velocity = Motion::new(Vector3::new(o, o, v[0]), v3::zero());
            body.acceleration = Motion::new(Vector3::new(up.x, up.y, up.z + a[0]), v3::zero());
        } else {
            let pose = JointKind::<f64>::pose::<Lanes<R>>(&FreeFlyer, q);
            let up = v3::rotate_back(&pose.rotation, up);
            body.velocity = Motion::new(Vector3::new(v[0], v[1], v[2]), Vector3::new(v[3], v[4], v[5]));
            let linear = Vector3::new(a[0], a[1], a[2]);
            body.acceleration = Motion::new(v3::add(up, linear), Vector3::new(a[3], a[4], a[5]));
            body.psi_ddot = Motion::new(up, v3::zero());
        }
        body.mass = step.mass.lift();
        load(body);
    }
}

/// The column of a joint that hangs from another, (1), its entries with all columns towards the root, (2) and (3), and what its parent carries.
struct Column<'a, R: Register> {
    table: &'a Table,
    row: usize,
    j: usize,
    parent: usize,
    memory: &'a mut Memory<Lanes<R>>,
    nv: usize,
}

impl<R: Register> Piece for Column<'_, R> {
    type Output = ();
    #[inline(always)]
    #[expect(non_snake_case, reason = "symbols of the paper")]
    fn run(self) {
        let Self { table, row, j, parent, memory, nv } = self;
        let Memory { bodies, results: to } = memory;
        // Everything is computed before anything is stored: what is read stays in registers.
        let Body { s, e, psi_ddot, mass, flow, force, .. } = &bodies[j];
        let s = *s;
        let A = mass.times(s);
        let T = flow.tr_times(s);
        let V = flow.times_plus(v3::add(s.angular, s.angular), mass.times(*e));
        let Q = flow.times_plus(e.angular, mass.times_plus(*psi_ddot, force.bar_cross(s)));
        let (own, size) = (row * (nv + 1), nv * nv);
        let (torque, by_a, by_v, by_q) = (s.power(*force), s.power(A), s.power(V), s.power(Q));
        to.tau[row] = torque;
        // Of one length, which the compiler sees.
        let to =
            &mut Matrices { dq: &mut to.dtau_dq[..size], dv: &mut to.dtau_dv[..size], da: &mut to.dtau_da[..size] };
        to.da[own] = by_a;
        to.dv[own] = by_v;
        to.dq[own] = by_q;
        let (before, here) = bodies.split_at_mut(j);
        add(&mut before[parent], &here[0]);
        let twice = v3::add(T, T);
        let steps = &table.steps[..bodies.len()];
        let mut at = Some(parent);
        while let Some(i) = at {
            let (body, above) = (&bodies[i], &steps[i]);
            at = above.parent;
            if at.is_none() {
                with_root(above, body, (row, nv), Products { A, Q, V, twice }, to);
                break;
            }
            let by_q = (body.s.power(Q), v3::dot_plus(body.e.angular, T, body.psi_ddot.power(A)));
            let by_v = (body.s.power(V), v3::dot_plus(body.s.angular, twice, body.e.power(A)));
            to.pair((above.v, row, nv), body.s.power(A), by_q, by_v);
        }
    }
}

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

/// What such a joint is multiplied with by others: equation (1), with twice the moment of `T`.
#[expect(non_snake_case, reason = "symbols of the paper")]
struct Products<T> {
    A: Force<T>,
    Q: Force<T>,
    V: Force<T>,
    twice: Vector3<T>,
}

/// Entries of such a joint with that of the root, whose `S` are columns of the unit matrix: the third or the sixth, with `Ψ̇ = 0`,
/// or all.
#[inline(always)]
fn with_root<R: Register>(
    step: &Step,
    root: &Body<Lanes<R>>,
    (row, nv): (usize, usize),
    of: Products<Lanes<R>>,
    to: &mut Matrices<'_, Lanes<R>>,
) {
    let (first, a, up) = (step.v, of.A, root.psi_ddot.linear);
    match step.kind {
        Kind::Hinge => {
            let by_q = (of.Q.angular.z, up.x.mul_plus(a.linear.x, up.y * a.linear.y));
            to.pair((first, row, nv), a.angular.z, by_q, (of.V.angular.z, of.twice.z));
        }
        Kind::Slide => {
            let zero = Lanes::zero();
            to.pair((first, row, nv), a.linear.z, (of.Q.linear.z, zero), (of.V.linear.z, zero));
        }
        Kind::Free => with_free(root, first, (row, nv), of, to),
    }
}

/// The same where it is free.
#[inline(always)]
fn with_free<R: Register>(
    root: &Body<Lanes<R>>,
    first: usize,
    (row, nv): (usize, usize),
    of: Products<Lanes<R>>,
    to: &mut Matrices<'_, Lanes<R>>,
) {
    // (m × e_k)ᵀ A, the rates of the columns, are entries of (A_l × w, A_l × s + A_n × w) for m = (s, w).
    let (v, up, a) = (root.velocity, root.psi_ddot.linear, of.A);
    let by_q = v3::cross(a.linear, up);
    let by_v = v3::cross(a.linear, v.angular);
    let turning = v3::cross_plus(a.linear, v.linear, v3::cross_plus(a.angular, v.angular, of.twice));
    put(to.da, first, (row, nv), a, a);
    put(to.dq, first, (row, nv), of.Q, Force::new(v3::zero(), by_q));
    put(to.dv, first, (row, nv), of.V, Force::new(by_v, turning));
}

/// The sums of a subtree are part of its parent's.
#[inline(always)]
fn add<R: Register>(to: &mut Body<Lanes<R>>, body: &Body<Lanes<R>>) {
    to.mass.add(&body.mass);
    to.flow.add(&body.flow);
    to.force += body.force;
}

/// The columns of a body at the root with each other.
struct Root<'a, R: Register> {
    step: &'a Step,
    body: &'a Body<Lanes<R>>,
    results: &'a mut Results<Lanes<R>>,
    nv: usize,
}

impl<R: Register> Piece for Root<'_, R> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let Self { step, body, results, nv } = self;
        let Results { tau, dtau_dq, dtau_dv, dtau_da } = results;
        let Body { mass, flow, force, psi_ddot, .. } = body;
        let (first, own) = (step.v, step.v * (nv + 1));
        match step.kind {
            // S = (0, e_z): A = (e_z × h, …), and nothing of f_C ×̄* S is left.
            Kind::Hinge => {
                let (up, h) = (psi_ddot.linear, mass.first);
                let half = flow.second.m11 + flow.second.m22;
                tau[first] = force.angular.z;
                dtau_da[own] = mass.second.xx + mass.second.yy;
                dtau_dv[own] = half + half;
                dtau_dq[own] = up.y.mul_minus(h.x, up.x * h.y);
            }
            // S = (e_z, 0) and Ψ̈ = 0.
            Kind::Slide => {
                tau[first] = force.linear.z;
                dtau_da[own] = mass.mass;
                dtau_dv[own] = Lanes::zero();
                dtau_dq[own] = Lanes::zero();
            }
            Kind::Free => {
                store(&mut tau[first..], *force);
                let mut k = 0;
                while k < 6 {
                    let s = unit(k);
                    let twice = v3::add(s.angular, s.angular);
                    let at = first + nv * (first + k);
                    store(&mut dtau_da[at..], mass.times(s));
                    store(&mut dtau_dv[at..], flow.times_plus(twice, mass.times(body.velocity.cross(s))));
                    store(&mut dtau_dq[at..], mass.times(psi_ddot.cross(s)));
                    k += 1;
                }
            }
        }
    }
}
