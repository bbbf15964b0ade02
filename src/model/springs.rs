//! Springs of joints.

use super::spring_setters::SpringConstant;
use super::{Body, BodyId, Model, PoseSpring};
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
pub(super) const NO_COORDINATE: &str =
    "expected no spring: a planar joint and an angle with the coordinates (cos, sin) cannot have one";

/// What the spring of a degree of freedom measures. Places count from the first coordinate and the first degree of freedom of the joint.
pub(super) enum Measured {
    /// A coordinate whose rate it is.
    Coordinate(usize),
    /// A pose, or a turn, of which it is one of several: the first of their degrees of freedom and of their coordinates.
    Pose { first: usize, coordinate: usize, floats: bool },
}

/// What the spring of a joint's `k`-th degree of freedom measures; none where there can be no spring.
pub(super) fn measured<P: Real>(joint: &Joint<P>, k: usize) -> Option<Measured> {
    let (geometry, q, v) = match joint {
        Joint::Composite(kind) => {
            let (part, q, v) = kind.blocks().find(|(_, _, v)| v.contains(&k))?;
            (JointKind::<P>::geometry(part), q, v)
        }
        joint => (JointKind::<P>::geometry(joint), 0..JointKind::<P>::nq(joint), 0..JointKind::<P>::nv(joint)),
    };
    let pose = |floats| Measured::Pose { first: v.start, coordinate: q.start, floats };
    match geometry {
        _ if !v.contains(&k) => None,
        Geometry::Flat => (q.len() == v.len()).then(|| Measured::Coordinate(q.start + k - v.start)),
        Geometry::So3 => Some(pose(false)),
        Geometry::Se3 => Some(pose(true)),
        Geometry::Se2 => None,
    }
}

impl<P: Real> Body<P> {
    /// The spring without stiffness of a degree of freedom of its joint; none if no coordinate is its plain number. `body` is the body's
    /// own place.
    pub(crate) fn spring(&self, body: usize, k: usize) -> Option<JointSpring<P>> {
        let Some(Measured::Coordinate(coordinate)) = measured(&self.joint, k) else { return None };
        let coordinate = self.q.start + coordinate;
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

    /// The springs without stiffness of the pose that a degree of freedom of its joint is one of.
    pub(crate) fn pose_spring(&self, body: usize, k: usize) -> Option<PoseSpring<P>> {
        let Some(Measured::Pose { first, coordinate, floats }) = measured(&self.joint, k) else { return None };
        let none = [P::zero(); 6];
        let (index, coordinate) = (self.v.start + first, self.q.start + coordinate);
        Some(PoseSpring { body, first, index, coordinate, floats, stiffness: none, reference: none })
    }
}

impl<P: Real> Model<P> {
    /// The springs of joints whose coordinates are plain numbers, in the order of the degrees of freedom, then of the bodies; those of
    /// spherical and floating joints are [`pose_springs`](Self::pose_springs).
    ///
    /// They are part of the dynamics whether [joint friction](Self::has_joint_friction) is or not, and of the potential energy.
    #[must_use]
    pub fn springs(&self) -> &[JointSpring<P>] {
        &self.springs
    }

    /// The springs of spherical and floating joints, in the order of the degrees of freedom.
    #[must_use]
    pub fn pose_springs(&self) -> &[PoseSpring<P>] {
        &self.pose_springs
    }

    /// Whether any joint has a spring.
    #[must_use]
    pub fn has_springs(&self) -> bool {
        !(self.springs.is_empty() && self.pose_springs.is_empty())
    }

    /// Stiffness and reference of the spring of the `k`-th degree of freedom of a body's joint, of whatever kind, if it has one.
    #[must_use]
    pub fn spring_constants(&self, body: BodyId, k: usize) -> Option<[P; 2]> {
        self.spring_constants_at(self.place_of(body)?, k)
    }

    /// The same of the body at a place.
    pub(crate) fn spring_constants_at(&self, body: usize, k: usize) -> Option<[P; 2]> {
        if let Ok(at) = self.spring_at(body, k) {
            return Some([self.springs[at].stiffness, self.springs[at].reference]);
        }
        let (spring, i) = self.pose_spring_at(body, k)?;
        Some([spring.stiffness[i], spring.reference[i]])
    }

    /// The springs of the pose that the `k`-th degree of freedom of a body's joint is one of, without stiffness if there are none, and its
    /// place among the six of a pose; none where it is of no pose.
    #[must_use]
    pub fn pose_spring_or_none(&self, body: BodyId, k: usize) -> Option<(PoseSpring<P>, usize)> {
        let b = self.place_of(body)?;
        let spring =
            self.pose_spring_at(b, k).map(|(spring, _)| *spring).or_else(|| self.bodies[b].pose_spring(b, k))?;
        Some((spring, spring.of_pose(k - spring.first)))
    }

    /// The springs of the pose of a degree of freedom, and its place among the six of a pose.
    pub(crate) fn pose_spring_at(&self, body: usize, k: usize) -> Option<(&PoseSpring<P>, usize)> {
        let index = self.bodies[body].v.start + k;
        let spring = self.pose_springs.iter().find(|spring| spring.body == body && spring.dofs().contains(&index))?;
        Some((spring, spring.of_pose(index - spring.index)))
    }

    /// The spring of the `k`-th degree of freedom of a body's joint, if its coordinate is a plain number and it has one.
    #[must_use]
    pub fn spring_of(&self, body: BodyId, k: usize) -> Option<&JointSpring<P>> {
        let b = self.place_of(body)?;
        self.spring_at(b, k).ok().map(|at| &self.springs[at])
    }

    /// The same, without stiffness if there is none; none where no coordinate is a plain number.
    #[must_use]
    pub fn spring_or_none(&self, body: BodyId, k: usize) -> Option<JointSpring<P>> {
        let b = self.place_of(body)?;
        self.spring_of(body, k).copied().or_else(|| self.bodies[b].spring(b, k))
    }

    /// The same robot without springs.
    #[must_use]
    pub fn without_springs(mut self) -> Self {
        self.springs.clear();
        self.pose_springs.clear();
        self
    }

    /// The place of a spring in the list, or where it would have to stand.
    pub(crate) fn spring_at(&self, body: usize, k: usize) -> Result<usize, usize> {
        let index = self.bodies[body].v.start + k;
        self.springs.binary_search_by_key(&(index, body), |spring| (spring.index, spring.body))
    }

    /// A number of the spring of a degree of freedom of a joint, made if there is none; none where it has no meaning.
    pub(super) fn spring_constant_mut(&mut self, constant: SpringConstant, body: usize, k: usize) -> Option<&mut P> {
        if let Some(none) = self.bodies[body].pose_spring(body, k) {
            let at = self.pose_springs.partition_point(|spring| spring.index < none.index);
            if self.pose_springs.get(at).is_none_or(|spring| spring.index != none.index) {
                self.pose_springs.insert(at, none);
            }
            let spring = self.pose_springs.get_mut(at)?;
            let i = spring.of_pose(k - none.first);
            return constant.of_pose_mut(spring).get_mut(i);
        }
        let at = match self.spring_at(body, k) {
            Ok(at) => at,
            Err(at) => {
                let spring = self.bodies[body].spring(body, k)?;
                self.springs.insert(at, spring);
                at
            }
        };
        self.springs.get_mut(at).map(|spring| constant.of_mut(spring))
    }
}

/// By degrees of freedom, then by bodies.
pub(super) fn sort<P: Real>(springs: &mut [JointSpring<P>]) {
    springs.sort_by_key(|spring| (spring.index, spring.body));
}
