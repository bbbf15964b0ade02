//! Springs of joints.

use super::{Body, BodyId, Model};
use crate::joint::{Geometry, Joint, JointKind};
use gradyn_derivatives::{Real, Scalar};

/// The spring of one degree of freedom of a body's joint.
///
/// With the joint's own position `u = k q + b` (`k = 1`, `b = 0` except for mimic joints):
/// `τ += k stiffness (u − reference)`. Its energy is `½ stiffness (u − reference)²`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("stiffness", "springref", "qpos_spring", "spring_reference", "compliance"))]
pub struct JointSpring<P = f64> {
    /// The place of the body whose joint it is of.
    pub(crate) body: usize,
    /// Which degree of freedom, an index into v.
    pub index: usize,
    /// Which coordinate it measures, an index into q.
    pub coordinate: usize,
    /// `k`: the multiplier of a mimic joint, else one.
    pub multiplier: P,
    /// `b`: the offset of a mimic joint, else zero.
    pub offset: P,
    /// Torque per displacement, N m/rad (N/m).
    pub stiffness: P,
    /// The position at which it exerts no torque, rad (m).
    pub reference: P,
}

impl<P: Real> JointSpring<P> {
    /// The same in a wider number type.
    #[must_use]
    pub fn lift<T: Scalar<P>>(&self) -> JointSpring<T> {
        JointSpring {
            body: self.body,
            index: self.index,
            coordinate: self.coordinate,
            multiplier: T::from(self.multiplier),
            offset: T::from(self.offset),
            stiffness: T::from(self.stiffness),
            reference: T::from(self.reference),
        }
    }

    /// `u − reference` where its coordinate is `q`, rad (m).
    #[inline(always)]
    pub fn displacement<T: Scalar<P>>(&self, q: T) -> T {
        q * self.multiplier + T::from(self.offset - self.reference)
    }

    /// The torque that holds the joint against it where its coordinate is `q`, N m (N): `k stiffness (u − reference)`.
    #[inline(always)]
    pub fn torque<T: Scalar<P>>(&self, q: T) -> T {
        self.displacement(q) * (self.multiplier * self.stiffness)
    }

    /// Its derivative by the coordinate: `k² stiffness`.
    #[inline(always)]
    pub fn slope(&self) -> P {
        self.multiplier * self.multiplier * self.stiffness
    }

    /// What it stores where its coordinate is `q`, J: `½ stiffness (u − reference)²`.
    #[inline(always)]
    pub fn energy<T: Scalar<P>>(&self, q: T) -> T {
        let displacement = self.displacement(q);
        displacement * displacement * self.stiffness * 0.5
    }

    /// Derivative of [`torque`](Self::torque) by the stiffness: `k (u − reference)`.
    #[inline(always)]
    pub(crate) fn torque_by_stiffness<T: Scalar<P>>(&self, q: T) -> T {
        self.displacement(q) * self.multiplier
    }

    /// Derivative of [`torque`](Self::torque) by the offset, and minus that by the reference: `k stiffness`.
    #[inline(always)]
    pub(crate) fn torque_by_offset(&self) -> P {
        self.multiplier * self.stiffness
    }

    /// Derivative of [`torque`](Self::torque) by the multiplier: `stiffness (u − reference + k q)`.
    #[inline(always)]
    pub(crate) fn torque_by_multiplier<T: Scalar<P>>(&self, q: T) -> T {
        (self.displacement(q) + q * self.multiplier) * self.stiffness
    }
}

/// What a spring of a joint is, for whoever makes one.
pub(super) const NO_COORDINATE: &str = "expected a joint whose coordinate is a plain number, for each degree of freedom that has a spring: \
                                        an angle as (cos, sin), a quaternion or a planar joint has no such number";

/// The coordinate whose rate a joint's `k`-th degree of freedom is, counted from the first; none where no coordinate is a plain number.
pub(super) fn coordinate<P: Real>(joint: &Joint<P>, k: usize) -> Option<usize> {
    let (flat, q, v) = match joint {
        Joint::Composite(kind) => {
            let (part, q, v) = kind.blocks().find(|(_, _, v)| v.contains(&k))?;
            (JointKind::<P>::geometry(part) == Geometry::Flat, q, v)
        }
        joint => {
            let flat = JointKind::<P>::geometry(joint) == Geometry::Flat;
            (flat, 0..JointKind::<P>::nq(joint), 0..JointKind::<P>::nv(joint))
        }
    };
    (flat && q.len() == v.len() && v.contains(&k)).then(|| q.start + k - v.start)
}

impl<P: Real> Body<P> {
    /// The spring without stiffness of a degree of freedom of its joint; none if no coordinate is its plain number. `body` is the body's
    /// own place.
    pub(crate) fn spring(&self, body: usize, k: usize) -> Option<JointSpring<P>> {
        let coordinate = self.q.start + coordinate(&self.joint, k)?;
        let zero = P::zero();
        Some(JointSpring {
            body,
            index: self.v.start + k,
            coordinate,
            multiplier: self.joint.multiplier(),
            offset: match &self.joint {
                Joint::Mimic(mimic) => mimic.offset(),
                Joint::Elementary(_) | Joint::Composite(_) => zero,
            },
            stiffness: zero,
            reference: zero,
        })
    }
}

impl<P: Real> Model<P> {
    /// The springs of joints, in the order of the degrees of freedom, then of the bodies.
    ///
    /// They are part of the dynamics whether [joint friction](Self::has_joint_friction) is or not, and of the potential energy.
    #[must_use]
    pub fn springs(&self) -> &[JointSpring<P>] {
        &self.springs
    }

    /// The spring of the `k`-th degree of freedom of a body's joint, if it has one.
    #[must_use]
    pub fn spring_of(&self, body: BodyId, k: usize) -> Option<&JointSpring<P>> {
        let b = self.place_of(body)?;
        self.spring_at(b, k).ok().map(|at| &self.springs[at])
    }

    /// The same, without stiffness if there is none; none where a joint cannot have a spring: where no coordinate is a plain number.
    #[must_use]
    pub fn spring_or_none(&self, body: BodyId, k: usize) -> Option<JointSpring<P>> {
        let b = self.place_of(body)?;
        self.spring_of(body, k).copied().or_else(|| self.bodies[b].spring(b, k))
    }

    /// The same robot without springs.
    #[must_use]
    pub fn without_springs(mut self) -> Self {
        self.springs.clear();
        self
    }

    /// The place of a spring in the list, or where it would have to stand.
    pub(crate) fn spring_at(&self, body: usize, k: usize) -> Result<usize, usize> {
        let index = self.bodies[body].v.start + k;
        self.springs.binary_search_by_key(&(index, body), |spring| (spring.index, spring.body))
    }

    /// The spring of a degree of freedom of a joint, made if there is none; none where it has no meaning.
    pub(super) fn spring_mut(&mut self, body: usize, k: usize) -> Option<&mut JointSpring<P>> {
        let at = match self.spring_at(body, k) {
            Ok(at) => at,
            Err(at) => {
                let spring = self.bodies[body].spring(body, k)?;
                self.springs.insert(at, spring);
                at
            }
        };
        self.springs.get_mut(at)
    }
}

/// By degrees of freedom, then by bodies.
pub(super) fn sort<P: Real>(springs: &mut [JointSpring<P>]) {
    springs.sort_by_key(|spring| (spring.index, spring.body));
}
