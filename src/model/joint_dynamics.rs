//! What a joint adds by itself: armature, damping, friction.

use super::Model;
use gradyn_derivatives::{Real, Scalar};

/// Armature, damping and friction of one degree of freedom.
///
/// With the joint's own velocity `u = k v` and acceleration `k a` (`k = 1` except for mimic joints):
/// `τ += k (armature k a + damping u + friction u / √(u² + w²))`, where `w` is the model's friction width. The last term
/// is Coulomb friction made smooth: 0.7 of it at `u = w`, and all of it well above.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("armature", "damping", "friction", "rotorInertia"))]
pub struct DofDynamics<P = f64> {
    /// Which degree of freedom, an index into v.
    pub index: usize,
    /// `k`: the multiplier of a mimic joint, else one.
    pub multiplier: P,
    /// Rotor inertia seen at the joint, kg m² (kg).
    pub armature: P,
    /// Viscous friction, N m s/rad (N s/m).
    pub damping: P,
    /// Coulomb friction, N m (N).
    pub friction: P,
}

/// A number that joints have of their own, one a degree of freedom: all that goes over these numbers (builders, changes, parameters
/// and their gradients, regressors) asks this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JointConstant {
    Friction,
    Damping,
    Armature,
}

impl JointConstant {
    /// In the order of [`ParameterLayout`](super::ParameterLayout).
    pub(crate) const ALL: [Self; 3] = [Self::Friction, Self::Damping, Self::Armature];

    /// As errors and names of parameters call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Friction => "friction",
            Self::Damping => "damping",
            Self::Armature => "armature",
        }
    }

    pub(crate) fn of<P>(self, dof: &DofDynamics<P>) -> &P {
        match self {
            Self::Friction => &dof.friction,
            Self::Damping => &dof.damping,
            Self::Armature => &dof.armature,
        }
    }

    pub(crate) fn of_mut<P>(self, dof: &mut DofDynamics<P>) -> &mut P {
        match self {
            Self::Friction => &mut dof.friction,
            Self::Damping => &mut dof.damping,
            Self::Armature => &mut dof.armature,
        }
    }

    /// Whether it is part of the dynamics.
    #[inline(always)]
    pub(crate) fn counts(self, joint_friction: bool) -> bool {
        joint_friction || self == Self::Armature
    }

    /// The torque of a joint in which it is one and all others zero, at a velocity and an acceleration of the degree of freedom: torques
    /// are linear in it.
    #[inline(always)]
    pub(crate) fn unit_torque<P: Real, T: Scalar<P>>(self, multiplier: P, width: P, v: T, a: T) -> T {
        let mut unit = DofDynamics::none(0, multiplier);
        *self.of_mut(&mut unit) = P::one();
        match self {
            Self::Friction => unit.friction_torque(v, width),
            Self::Damping => unit.damping_torque(v),
            Self::Armature => a * unit.mass(),
        }
    }
}

impl<P: Real> DofDynamics<P> {
    /// Of a joint that has nothing of its own.
    #[inline(always)]
    pub(crate) fn none(index: usize, multiplier: P) -> Self {
        let zero = P::zero();
        Self { index, multiplier, armature: zero, damping: zero, friction: zero }
    }

    /// The same in a wider number type.
    #[must_use]
    pub fn lift<T: Scalar<P>>(&self) -> DofDynamics<T> {
        DofDynamics {
            index: self.index,
            multiplier: T::from(self.multiplier),
            armature: T::from(self.armature),
            damping: T::from(self.damping),
            friction: T::from(self.friction),
        }
    }

    /// Whether there is surely no friction. A parameter that carries a derivative may be zero and still matter.
    #[inline(always)]
    fn frictionless(&self) -> bool {
        P::as_f64s(std::slice::from_ref(&self.friction)) == Some(&[0.0])
    }

    /// What resists the joint's own velocity `u` without friction: `damping u`.
    #[inline(always)]
    fn viscous<T: Scalar<P>>(&self, u: T) -> T {
        u * self.damping
    }

    /// Damping at velocity `v`.
    #[inline(always)]
    pub(crate) fn damping_torque<T: Scalar<P>>(&self, v: T) -> T {
        self.viscous(v * self.multiplier) * self.multiplier
    }

    /// Its derivative by the velocity: `k² damping`.
    #[inline(always)]
    pub(crate) fn damping_slope(&self) -> P {
        self.damping * self.multiplier * self.multiplier
    }

    /// Torque that resists velocity `v` of the degree of freedom, N m (N): `k (damping u + friction u / √(u² + w²))`, `u = k v`, w the
    /// [width](Model::friction_width).
    #[inline(always)]
    pub fn friction_torque<T: Scalar<P>>(&self, v: T, width: P) -> T {
        if self.frictionless() {
            return self.damping_torque(v); // a root and a reciprocal less
        }
        let u = v * self.multiplier;
        // Not a quotient: dual numbers divide by multiplying with the reciprocal, and values must keep their bits.
        let smooth_sign = u * (u * u + width * width).sqrt().recip();
        (self.viscous(u) + smooth_sign * self.friction) * self.multiplier
    }

    /// Derivative of [`friction_torque`](Self::friction_torque) by the velocity: `k² (damping + friction w² / (u² + w²)^{3/2})`. It is not
    /// negative.
    #[inline(always)]
    pub fn friction_slope<T: Scalar<P>>(&self, v: T, width: P) -> T {
        if self.frictionless() {
            return T::from(self.damping_slope());
        }
        let u = v * self.multiplier;
        let near = (u * u + width * width).sqrt().recip() * width;
        // w² / (u² + w²)^{3/2}, without the cube of a small number.
        let slope = near * near * (near * width.recip());
        (slope * self.friction + T::from(self.damping)) * (self.multiplier * self.multiplier)
    }

    /// Second derivative of [`friction_torque`](Self::friction_torque): `−3 k³ friction w² u / (u² + w²)^{5/2}`.
    #[inline(always)]
    pub fn friction_curvature<T: Scalar<P>>(&self, v: T, width: P) -> T {
        let u = v * self.multiplier;
        let r = (u * u + width * width).sqrt().recip();
        let (near, k) = (r * width, self.multiplier);
        (u * r) * (near * near) * (r * r) * (k * k * k * self.friction) * -3.0
    }

    /// Derivative of [`friction_torque`](Self::friction_torque) by the width: `−k friction u w / (u² + w²)^{3/2}`.
    #[inline(always)]
    pub(crate) fn friction_by_width<T: Scalar<P>>(&self, v: T, width: P) -> T {
        let u = v * self.multiplier;
        let r = (u * u + width * width).sqrt().recip();
        -((u * r) * (r * width) * r) * (self.multiplier * self.friction)
    }

    /// Derivative of [`friction_torque`](Self::friction_torque) by the multiplier: `2 k damping v + friction (u / r + k v w² / r³)`,
    /// `r² = u² + w²`.
    #[inline(always)]
    pub(crate) fn friction_by_multiplier<T: Scalar<P>>(&self, v: T, width: P) -> T {
        let u = v * self.multiplier;
        let r = (u * u + width * width).sqrt().recip();
        let smooth_sign = u * r;
        let near = r * width;
        let rubs = (smooth_sign + smooth_sign * (near * near)) * self.friction;
        u * (self.damping + self.damping) + rubs
    }

    /// Derivative of [`mass`](Self::mass) by the multiplier: `2 k armature`.
    #[inline(always)]
    pub(crate) fn mass_by_multiplier(&self) -> P {
        (self.multiplier + self.multiplier) * self.armature
    }

    /// `k² armature`, what it adds to the mass matrix.
    #[inline(always)]
    pub(crate) fn mass(&self) -> P {
        self.multiplier * self.multiplier * self.armature
    }
}

impl<P: Real> Model<P> {
    /// Width `w` of the smooth Coulomb friction, rad/s (m/s).
    #[must_use]
    pub fn friction_width(&self) -> P {
        self.friction_width
    }
}

/// One entry for each degree of freedom of each body's joint, mimic joints too, and for what joints have several of.
impl<P: Real> Model<P> {
    /// Calls with each, all zero where the joint has none.
    pub(crate) fn each_joint_parameter(&self, mut call: impl FnMut(DofDynamics<P>)) {
        for (b, body) in self.bodies.iter().enumerate() {
            for (k, index) in body.v.clone().enumerate() {
                let none = DofDynamics::none(index, body.joint.multiplier());
                call(self.joint_entry(b, k).map_or(none, |at| self.dofs[at]));
            }
        }
        for (at, dof) in self.dofs.iter().enumerate() {
            if !self.is_of_a_joint(at) {
                call(*dof);
            }
        }
    }

    /// Their names: those of the degrees of freedom, mimic joints' own, and a number where there is more than the joint's.
    pub(crate) fn joint_parameter_names(&self) -> Vec<String> {
        let own = self.dof_names();
        let (mut names, mut more) = (Vec::new(), 1);
        for body in &self.bodies {
            let of_body = |index: usize| match body.owns_coordinates {
                true => own[index].clone(),
                false => body.joint_name.clone(),
            };
            names.extend(body.v.clone().map(of_body));
        }
        for (at, dof) in self.dofs.iter().enumerate() {
            if !self.is_of_a_joint(at) {
                more += 1;
                names.push(format!("{}#{more}", own[dof.index]));
            }
        }
        names
    }

    /// The place in the list of joint dynamics of what a body's joint adds at its `k`-th degree of freedom, or where it would have to
    /// stand. Bodies whose joints share a degree of freedom take their entries in order, by their multipliers.
    pub(super) fn joint_entry(&self, body: usize, k: usize) -> Result<usize, usize> {
        let index = self.bodies[body].v.start + k;
        let mut at = self.dofs.partition_point(|dof| dof.index < index);
        for (b, sharing) in self.bodies.iter().enumerate().filter(|(_, b)| b.v.contains(&index)) {
            let fits = |dof: &DofDynamics<P>| dof.index == index && dof.multiplier == sharing.joint.multiplier();
            let found = self.dofs.get(at).is_some_and(fits);
            if b == body {
                return if found { Ok(at) } else { Err(at) };
            }
            at += usize::from(found);
        }
        Err(at)
    }

    /// Whether an entry is some joint's own.
    pub(super) fn is_of_a_joint(&self, at: usize) -> bool {
        let index = self.dofs[at].index;
        let mut sharing = self.bodies.iter().enumerate().filter(|(_, body)| body.v.contains(&index));
        sharing.any(|(b, body)| self.joint_entry(b, index - body.v.start) == Ok(at))
    }
}

/// Why friction cannot have this width. At width zero it jumps, and has no derivative at rest; so it would where the square of the
/// width vanishes.
pub(super) fn no_friction_width<P: Real>(w: P) -> Option<&'static str> {
    let bad = !w.is_finite() || w.any_below(0.0) || (w * w).any_below(f64::MIN_POSITIVE);
    bad.then_some("expected a positive number, above 1.5e-154: its square is divided by")
}

/// By degrees of freedom; entries of one and the same keep their order.
pub(super) fn sort<P: Real>(dofs: &mut [DofDynamics<P>]) {
    dofs.sort_by_key(|dof| dof.index);
}
