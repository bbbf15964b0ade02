//! The step of one body of the mass matrix and of derivatives, in axes of the body at the root, about its origin, with
//! one state in each lane.
//! Page: `dynamics/crba.rs`, `dynamics/rnea_derivatives.rs`. Test:
//! `batch::batches_of_hinges_and_slides_equal_single_states`.
//!
//! It also runs with the legs of a quadruped in the lanes, and then takes up to 15 % fewer instructions than axes of
//! the bodies ([`bodies`](super::bodies)), but more time, for an unknown reason. For solo12 with registers of four
//! numbers (AMD EPYC) the mass matrix took 142 ns instead of 148, its inverse 524 instead of 370, derivatives of
//! inverse dynamics 911 instead of 752, of forward dynamics 2 116 instead of 1 913. There are therefore two forms.
//!
//! Here sums need no transformations, and `S` of a free body at the root is the unit matrix. Constants have a simpler
//! type `P` if all lanes share them. For one coordinate `Ṡ = Ψ̇`. With `E = 2 Ψ̇`, composite inertia `I_C`, half the
//! Coriolis matrix `½B_C` and the force `f_C` of the subtree of a joint, the mass matrix (RBDA, table 6.2) and the
//! derivatives of inverse dynamics (S. Singh, R. Russell, P. Wensing, *Efficient analytical derivatives of rigid-body
//! dynamics using spatial vector algebra*, 2022) are
//!
//! ```text
//! A = I_C S    Q = ½B_C E + I_C Ψ̈ + f_C ×̄* S    V = 2 ½B_C S + I_C E    T = ½B_Cᵀ S             (1)
//! ∂τ_i/∂q_j = S_iᵀ Q_j               ∂τ_i/∂v_j = S_iᵀ V_j          M_ij = S_iᵀ A_j              (2)
//! ∂τ_j/∂q_i = Ψ̈_iᵀ A_j + E_iᵀ T_j    ∂τ_j/∂v_i = E_iᵀ A_j + 2 S_iᵀ T_j                          (3)
//! ```
//!
//! for `i` from `j` to the root.

use crate::plan::states::{Link, column, place, unit};
use crate::spatial::{Flow, Force, Mass, Motion, spread, vector as v3};
use gradyn_derivatives::{Real, Scalar};
use nalgebra::{Matrix3, Vector3};

/// Where a body stands, the column of its joint, and what it weighs: alone, then with all that it carries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<T> {
    pub(crate) rotation: Matrix3<T>,
    pub(crate) translation: Vector3<T>,
    pub(crate) s: Motion<T>,
    pub(crate) mass: Mass<T>,
}

impl<T: Real + Scalar<T>> Placed<T> {
    /// At the root: bodies there keep this pose, and joints there this column.
    #[inline(always)]
    pub(crate) fn root<P: Real>(link: &Link<P>) -> Self
    where
        T: Scalar<P>,
    {
        let (rotation, translation) = (v3::identity(), v3::zero());
        Self { rotation, translation, s: column(link, &rotation, translation), mass: link.mass.lift() }
    }

    /// On its parent, at the coordinate of a slide, or at sine and cosine of that of a hinge.
    #[inline(always)]
    pub(crate) fn attach<P: Real>(&mut self, link: &Link<P>, parent: &Self, q: (T, (T, T)))
    where
        T: Scalar<P>,
    {
        let (rotation, translation) = place(link, &parent.rotation, parent.translation, q);
        self.rotation = rotation;
        self.translation = translation;
        self.s = column(link, &rotation, translation);
        self.mass = link.mass.placed(&rotation, translation);
    }
}

/// How a body moves besides, and what its subtree does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moving<T> {
    pub(crate) at: Placed<T>,
    /// `2 Ψ̇`
    pub(crate) e: Motion<T>,
    /// `Ψ̈`; of a free body what its columns are crossed with, `(−g, 0)`.
    pub(crate) psi_ddot: Motion<T>,
    pub(crate) velocity: Motion<T>,
    pub(crate) acceleration: Motion<T>,
    /// Of the body, then of its subtree.
    pub(crate) flow: Flow<T>,
    pub(crate) force: Force<T>,
}

impl<T: Real + Scalar<T>> Moving<T> {
    /// At the root and at rest. `Ψ̇` of joints there stays zero.
    #[inline(always)]
    pub(crate) fn root<P: Real>(link: &Link<P>) -> Self
    where
        T: Scalar<P>,
    {
        Self {
            at: Placed::root(link),
            e: Motion::zero(),
            psi_ddot: Motion::zero(),
            velocity: Motion::zero(),
            acceleration: Motion::zero(),
            flow: Flow::zero(),
            force: Force::zero(),
        }
    }

    /// On its parent, at the coordinate of a slide, or at sine and cosine of that of a hinge, with the rates `v` and
    /// `a`. Field by field: a body of eight states has 3 kB, which would be copied.
    #[inline(always)]
    pub(crate) fn attach<P: Real>(&mut self, link: &Link<P>, parent: &Self, q: (T, (T, T)), (v, a): (T, T))
    where
        T: Scalar<P>,
    {
        self.at.attach(link, &parent.at, q);
        let s = self.at.s;
        let psi_dot = parent.velocity.cross(s);
        self.e = psi_dot + psi_dot;
        self.psi_ddot = parent.acceleration.cross_plus(s, parent.velocity.cross(psi_dot));
        self.velocity = s.times_plus(v, parent.velocity);
        self.acceleration = psi_dot.times_plus(v, s.times_plus(a, parent.acceleration));
        self.set_flow_and_force();
    }

    /// Freely against the world, where gravity in its axes is the opposite of `up`.
    #[inline(always)]
    pub(crate) fn set_free(&mut self, up: Vector3<T>, v: [T; 6], a: [T; 6]) {
        let motion = |[a, b, c, d, e, f]: [T; 6]| Motion::new(Vector3::new(a, b, c), Vector3::new(d, e, f));
        let acceleration = motion(a);
        self.psi_ddot = Motion::new(up, v3::zero());
        self.velocity = motion(v);
        self.acceleration = Motion::new(v3::add(up, acceleration.linear), acceleration.angular);
        self.set_flow_and_force();
    }

    /// Moments of flow, and the force.
    #[inline(always)]
    pub(crate) fn set_flow_and_force(&mut self) {
        let (v, a) = (self.velocity, self.acceleration);
        self.flow = self.at.mass.flow(v);
        // The acceleration of the point at the origin.
        let at_origin = v3::cross_plus(v.angular, v.linear, a.linear);
        self.force = self.at.mass.load(&spread(v.angular, a.angular), at_origin);
    }

    /// The sums of a subtree are part of its parent's.
    #[inline(always)]
    pub(crate) fn add(&mut self, child: &Self) {
        self.at.mass.add(&child.at.mass);
        self.flow.add(&child.flow);
        self.force += child.force;
    }

    /// Equation (1).
    #[inline(always)]
    #[expect(non_snake_case, reason = "symbols of the paper")]
    pub(crate) fn column(&self) -> Column<T> {
        let Self { at: Placed { s, mass, .. }, e, psi_ddot, flow, force, .. } = self;
        let s = *s;
        let A = mass.times(s);
        let T = flow.tr_times(s);
        let V = flow.times_plus(v3::add(s.angular, s.angular), mass.times(*e));
        let Q = flow.times_plus(e.angular, mass.times_plus(*psi_ddot, force.bar_cross(s)));
        Column { A, Q, V, T, twice: v3::add(T, T) }
    }
}

/// What a joint is multiplied with by others: equation (1), and twice the moment of `T`, whose force is zero.
#[derive(Clone, Copy, Debug)]
#[expect(non_snake_case, reason = "symbols of the paper")]
pub(crate) struct Column<T> {
    pub(crate) A: Force<T>,
    pub(crate) Q: Force<T>,
    pub(crate) V: Force<T>,
    pub(crate) T: Vector3<T>,
    pub(crate) twice: Vector3<T>,
}

/// Entries of the joint `i` of a body with that of another one, `j`, that it carries: by accelerations, where both are
/// equal, by configurations and by velocities those at (i, j) and at (j, i).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entries<X> {
    pub(crate) by_a: X,
    pub(crate) by_q: (X, X),
    pub(crate) by_v: (X, X),
}

impl<T: Real + Scalar<T>> Column<T> {
    /// Equations (2) and (3).
    #[inline(always)]
    pub(crate) fn with(&self, above: &Moving<T>) -> Entries<T> {
        let s = above.at.s;
        Entries {
            by_a: s.power(self.A),
            by_q: (s.power(self.Q), v3::dot_plus(above.e.angular, self.T, above.psi_ddot.power(self.A))),
            by_v: (s.power(self.V), v3::dot_plus(s.angular, self.twice, above.e.power(self.A))),
        }
    }

    /// The same with the six columns of a free body.
    #[inline(always)]
    pub(crate) fn with_free(&self, root: &Moving<T>) -> Entries<Force<T>> {
        // (m × e_k)ᵀ A, the rates of the columns, are entries of (A_l × w, A_l × s + A_n × w) for m = (s, w).
        let (v, up, a) = (root.velocity, root.psi_ddot.linear, self.A);
        let by_q = v3::cross(a.linear, up);
        let by_v = v3::cross(a.linear, v.angular);
        let turning = v3::cross_plus(a.linear, v.linear, v3::cross_plus(a.angular, v.angular, self.twice));
        Entries { by_a: a, by_q: (self.Q, Force::new(v3::zero(), by_q)), by_v: (self.V, Force::new(by_v, turning)) }
    }
}

/// Column `k` of a free body with all six: by configurations and by velocities. Within its joint the force does not
/// turn with them, `Q = I_C Ψ̈`.
#[inline(always)]
pub(crate) fn of_free<T: Real + Scalar<T>>(
    k: usize,
    (mass, flow): (&Mass<T>, &Flow<T>),
    fall: Motion<T>,
    velocity: Motion<T>,
) -> [Force<T>; 2] {
    let s = unit(k);
    let twice = v3::add(s.angular, s.angular);
    [mass.times(fall.cross(s)), flow.times_plus(twice, mass.times(velocity.cross(s)))]
}
