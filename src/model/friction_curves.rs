//! Friction that varies with speed and side: Stribeck's curve.

use super::draft::{Draft, finite as finite_draft, not_negative};
use super::parameters::{finite, length};
use super::{Body, BodyId, BodyKey, InputError, Model, ModelBuilder, ModelError, Parameters};
use crate::joint::{JointKind, value};
use gradyn_derivatives::{Real, Scalar};

/// What friction of one degree of freedom of a body's joint has beside viscous and Coulomb friction.
///
/// With the joint's own velocity `u = k v` and the smooth sign `σ = u / √(u² + w²)`, `w` the model's friction width:
/// `τ += k (stribeck exp(−(u / stribeck_velocity)²) σ + asymmetry σ²)`. So friction is `friction + stribeck` where motion begins, and falls to
/// `friction` well above the Stribeck velocity; it is `friction + asymmetry` forward, and `friction − asymmetry` backward. A robot whose
/// asymmetry is larger than its friction is driven by it.
///
/// Source: H. Olsson et al., *Friction models and friction compensation*, European Journal of Control 4(3), 1998.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("stiction", "breakaway friction", "Stribeck"))]
pub struct FrictionCurve<P = f64> {
    /// The place of the body whose joint it is of.
    pub(crate) body: usize,
    /// Which degree of freedom, an index into v.
    pub index: usize,
    /// `k`: the multiplier of a mimic joint, else one.
    pub multiplier: P,
    /// Breakaway friction above Coulomb friction, N m (N).
    pub stribeck: P,
    /// The velocity at which it has fallen to 1/e, rad/s (m/s).
    pub stribeck_velocity: P,
    /// Half of what friction forward is above friction backward, N m (N).
    pub asymmetry: P,
}

/// `σ`, its first and its second derivative, and that by the width.
#[inline(always)]
fn smooth_sign<P: Real, T: Scalar<P>>(u: T, width: P) -> [T; 4] {
    let r = (u * u + width * width).sqrt().recip();
    let (sign, near) = (u * r, r * width);
    // w² r³, −3 u w² r⁵ and −u w r³, without cubes of small numbers.
    let slope = near * near * r;
    [sign, slope, sign * slope * r * -3.0, -(sign * near * r)]
}

impl<P: Real> FrictionCurve<P> {
    /// The same in a wider number type.
    #[must_use]
    pub fn lift<T: Scalar<P>>(&self) -> FrictionCurve<T> {
        FrictionCurve {
            body: self.body,
            index: self.index,
            multiplier: T::from(self.multiplier),
            stribeck: T::from(self.stribeck),
            stribeck_velocity: T::from(self.stribeck_velocity),
            asymmetry: T::from(self.asymmetry),
        }
    }

    /// `exp(−(u/c)²)`, and its first and second derivative.
    #[inline(always)]
    fn fall<T: Scalar<P>>(&self, u: T) -> [T; 3] {
        let inverse = self.stribeck_velocity.recip();
        let x = u * inverse;
        let fall = (-(x * x)).exp();
        let slope = fall * x * (inverse * -2.0);
        [fall, slope, fall * (x * x * 4.0 - T::from(2.0)) * (inverse * inverse)]
    }

    /// Torque that resists velocity `v` of the degree of freedom, N m (N).
    #[inline(always)]
    pub fn torque<T: Scalar<P>>(&self, v: T, width: P) -> T {
        let u = v * self.multiplier;
        let [sign, ..] = smooth_sign(u, width);
        let [fall, ..] = self.fall(u);
        (fall * self.stribeck + sign * self.asymmetry) * sign * self.multiplier
    }

    /// Its derivative by the velocity of the degree of freedom.
    #[inline(always)]
    pub fn slope<T: Scalar<P>>(&self, v: T, width: P) -> T {
        self.own_slope(v * self.multiplier, width) * (self.multiplier * self.multiplier)
    }

    /// The derivative of the joint's own torque by its own velocity.
    #[inline(always)]
    fn own_slope<T: Scalar<P>>(&self, u: T, width: P) -> T {
        let [sign, d_sign, ..] = smooth_sign(u, width);
        let [fall, d_fall, _] = self.fall(u);
        (d_fall * sign + fall * d_sign) * self.stribeck + sign * d_sign * (self.asymmetry + self.asymmetry)
    }

    /// Its second derivative by the velocity of the degree of freedom.
    #[inline(always)]
    pub fn curvature<T: Scalar<P>>(&self, v: T, width: P) -> T {
        let (u, k) = (v * self.multiplier, self.multiplier);
        let [sign, d_sign, dd_sign, _] = smooth_sign(u, width);
        let [fall, d_fall, dd_fall] = self.fall(u);
        let falling = dd_fall * sign + d_fall * d_sign * 2.0 + fall * dd_sign;
        let sided = (d_sign * d_sign + sign * dd_sign) * (self.asymmetry + self.asymmetry);
        (falling * self.stribeck + sided) * (k * k * k)
    }

    /// Derivative of [`torque`](Self::torque) by one of its constants.
    #[inline(always)]
    pub(crate) fn torque_by<T: Scalar<P>>(&self, constant: CurveConstant, v: T, width: P) -> T {
        let (u, k) = (v * self.multiplier, self.multiplier);
        let [sign, ..] = smooth_sign(u, width);
        let [fall, ..] = self.fall(u);
        match constant {
            CurveConstant::Stribeck => fall * sign * k,
            CurveConstant::Velocity => {
                let inverse = self.stribeck_velocity.recip();
                let x = u * inverse;
                fall * sign * (x * x) * (inverse * k * self.stribeck * 2.0)
            }
            CurveConstant::Asymmetry => sign * sign * k,
        }
    }

    /// Derivative of [`torque`](Self::torque) by the width.
    #[inline(always)]
    pub(crate) fn torque_by_width<T: Scalar<P>>(&self, v: T, width: P) -> T {
        let u = v * self.multiplier;
        let [sign, _, _, by_width] = smooth_sign(u, width);
        let [fall, ..] = self.fall(u);
        (fall * self.stribeck + sign * (self.asymmetry + self.asymmetry)) * by_width * self.multiplier
    }

    /// Derivative of [`torque`](Self::torque) by the multiplier.
    #[inline(always)]
    pub(crate) fn torque_by_multiplier<T: Scalar<P>>(&self, v: T, width: P) -> T {
        let u = v * self.multiplier;
        let [sign, ..] = smooth_sign(u, width);
        let [fall, ..] = self.fall(u);
        (fall * self.stribeck + sign * self.asymmetry) * sign + u * self.own_slope(u, width)
    }
}

/// A number that a friction curve has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CurveConstant {
    Stribeck,
    Velocity,
    Asymmetry,
}

impl CurveConstant {
    pub(crate) const ALL: [Self; 3] = [Self::Stribeck, Self::Velocity, Self::Asymmetry];

    /// As errors and names of parameters call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stribeck => "stribeck",
            Self::Velocity => "stribeck_velocity",
            Self::Asymmetry => "friction_asymmetry",
        }
    }

    pub(crate) fn of<P>(self, curve: &FrictionCurve<P>) -> &P {
        match self {
            Self::Stribeck => &curve.stribeck,
            Self::Velocity => &curve.stribeck_velocity,
            Self::Asymmetry => &curve.asymmetry,
        }
    }

    pub(crate) fn of_mut<P>(self, curve: &mut FrictionCurve<P>) -> &mut P {
        match self {
            Self::Stribeck => &mut curve.stribeck,
            Self::Velocity => &mut curve.stribeck_velocity,
            Self::Asymmetry => &mut curve.asymmetry,
        }
    }
}

/// Why a curve cannot have this velocity: its square is divided by.
pub(super) fn no_stribeck_velocity<P: Real>(c: P) -> Option<&'static str> {
    let bad = !c.is_finite() || c.any_below(0.0) || (c * c).any_below(f64::MIN_POSITIVE);
    bad.then_some("expected a positive number, above 1.5e-154: its square is divided by")
}

/// The first number that a constant cannot be, and why.
fn wrong<P: Real>(constant: CurveConstant, numbers: &[P]) -> Option<(P, &'static str)> {
    let rule = |x: &P| match constant {
        CurveConstant::Velocity => no_stribeck_velocity(*x),
        CurveConstant::Stribeck => x.any_below(0.0).then_some("expected a number that is not negative"),
        CurveConstant::Asymmetry => None,
    };
    numbers.iter().find_map(|x| Some((*x, rule(x)?)))
}

impl<P: Real> Body<P> {
    /// The curve without friction of a degree of freedom of its joint; `body` is the body's own place.
    pub(crate) fn friction_curve(&self, body: usize, k: usize) -> FrictionCurve<P> {
        let (zero, multiplier) = (P::zero(), self.joint.multiplier());
        let stribeck_velocity = P::from(FrictionCurve::<P>::VELOCITY);
        FrictionCurve { body, index: self.v.start + k, multiplier, stribeck: zero, stribeck_velocity, asymmetry: zero }
    }
}

impl<P> FrictionCurve<P> {
    /// The Stribeck velocity unless set, rad/s (m/s).
    pub const VELOCITY: f64 = 0.1;
}

impl<P: Real> Model<P> {
    /// Friction curves of joints, in the order of the degrees of freedom, then of the bodies. They are part of the dynamics if
    /// [joint friction](Self::has_joint_friction) is.
    #[must_use]
    pub fn friction_curves(&self) -> &[FrictionCurve<P>] {
        &self.friction_curves
    }

    /// That of the `k`-th degree of freedom of a body's joint, if it has one.
    #[must_use]
    pub fn friction_curve_of(&self, body: BodyId, k: usize) -> Option<&FrictionCurve<P>> {
        let b = self.place_of(body)?;
        self.curve_at(b, k).ok().map(|at| &self.friction_curves[at])
    }

    /// The same robot without them.
    #[must_use]
    pub fn without_friction_curves(mut self) -> Self {
        self.friction_curves.clear();
        self
    }

    /// The place of a curve in the list, or where it would have to stand.
    pub(crate) fn curve_at(&self, body: usize, k: usize) -> Result<usize, usize> {
        let index = self.bodies[body].v.start + k;
        self.friction_curves.binary_search_by_key(&(index, body), |curve| (curve.index, curve.body))
    }

    /// That of a degree of freedom of a joint, made if there is none.
    pub(super) fn curve_mut(&mut self, body: usize, k: usize) -> &mut FrictionCurve<P> {
        let at = self.curve_at(body, k).unwrap_or_else(|at| {
            self.friction_curves.insert(at, self.bodies[body].friction_curve(body, k));
            at
        });
        &mut self.friction_curves[at]
    }

    /// The same robot with other breakaway friction above Coulomb friction of one body's joint, one entry a degree of freedom, N m (N).
    ///
    /// # Errors
    /// As [`Parameters::set_stribeck`].
    pub fn with_stribeck(self, body: BodyId, stribeck: &[P]) -> Result<Self, InputError> {
        self.with(|parameters| parameters.set_stribeck(body, stribeck).map(|_| ()))
    }

    /// The same robot with other Stribeck velocities of one body's joint, one entry a degree of freedom, rad/s (m/s).
    ///
    /// # Errors
    /// As [`Parameters::set_stribeck_velocity`].
    pub fn with_stribeck_velocity(self, body: BodyId, velocity: &[P]) -> Result<Self, InputError> {
        self.with(|parameters| parameters.set_stribeck_velocity(body, velocity).map(|_| ()))
    }

    /// The same robot with another asymmetry of the friction of one body's joint, one entry a degree of freedom, N m (N).
    ///
    /// # Errors
    /// As [`Parameters::set_friction_asymmetry`].
    pub fn with_friction_asymmetry(self, body: BodyId, asymmetry: &[P]) -> Result<Self, InputError> {
        self.with(|parameters| parameters.set_friction_asymmetry(body, asymmetry).map(|_| ()))
    }
}

impl<P: Real> Parameters<'_, P> {
    /// Sets breakaway friction above Coulomb friction of a body's joint, one entry a degree of freedom, N m (N).
    ///
    /// # Errors
    /// [`InputError::OtherModel`] if it is another model's body, [`InputError::JointLength`] for a wrong number of entries,
    /// [`InputError::NotFinite`] by the entry's place, [`InputError::Parameter`] for one that is negative.
    pub fn set_stribeck(&mut self, body: BodyId, stribeck: &[P]) -> Result<&mut Self, InputError> {
        self.set_curve(CurveConstant::Stribeck, body, stribeck)
    }

    /// Sets the velocities at which that has fallen to 1/e, one entry a degree of freedom, rad/s (m/s);
    /// [`FrictionCurve::VELOCITY`] unless set.
    ///
    /// # Errors
    /// As [`set_stribeck`](Self::set_stribeck), also for one that is zero.
    pub fn set_stribeck_velocity(&mut self, body: BodyId, velocity: &[P]) -> Result<&mut Self, InputError> {
        self.set_curve(CurveConstant::Velocity, body, velocity)
    }

    /// Sets half of what friction forward is above friction backward, one entry a degree of freedom, N m (N).
    ///
    /// # Errors
    /// As [`set_stribeck`](Self::set_stribeck), but negative numbers are as good as others.
    pub fn set_friction_asymmetry(&mut self, body: BodyId, asymmetry: &[P]) -> Result<&mut Self, InputError> {
        self.set_curve(CurveConstant::Asymmetry, body, asymmetry)
    }

    fn set_curve(&mut self, constant: CurveConstant, body: BodyId, numbers: &[P]) -> Result<&mut Self, InputError> {
        let what = constant.name();
        let b = &*self.body(body)?;
        length(what, b, numbers.len(), b.v.len())?;
        if numbers.iter().any(|x| !x.is_finite()) {
            finite(what, &format!("joint {}", b.joint_name), numbers)?;
        }
        if let Some((x, rule)) = wrong(constant, numbers) {
            let name = format!("joint {}", b.joint_name);
            return Err(InputError::Parameter { what, name, value: value(x), rule });
        }
        for (k, x) in numbers.iter().enumerate() {
            *constant.of_mut(self.model.curve_mut(body.index(), k)) = *x;
        }
        Ok(self)
    }
}

impl<P: Real> ModelBuilder<P> {
    /// Sets breakaway friction above Coulomb friction of a body's joint, one entry a degree of freedom, N m (N).
    ///
    /// # Errors
    /// [`ModelError::Length`] for a wrong number of entries, [`ModelError::BadNumber`] for one that is negative or not finite.
    pub fn set_stribeck(&mut self, body: BodyKey, stribeck: &[P]) -> Result<&mut Self, ModelError> {
        self.set_curve(CurveConstant::Stribeck, body, stribeck)
    }

    /// Sets the velocities at which that has fallen to 1/e, one entry a degree of freedom, rad/s (m/s);
    /// [`FrictionCurve::VELOCITY`] unless set.
    ///
    /// # Errors
    /// As [`set_stribeck`](Self::set_stribeck), also for one that is zero.
    pub fn set_stribeck_velocity(&mut self, body: BodyKey, velocity: &[P]) -> Result<&mut Self, ModelError> {
        self.set_curve(CurveConstant::Velocity, body, velocity)
    }

    /// Sets half of what friction forward is above friction backward, one entry a degree of freedom, N m (N).
    ///
    /// # Errors
    /// As [`set_stribeck`](Self::set_stribeck), but negative numbers are as good as others.
    pub fn set_friction_asymmetry(&mut self, body: BodyKey, asymmetry: &[P]) -> Result<&mut Self, ModelError> {
        self.set_curve(CurveConstant::Asymmetry, body, asymmetry)
    }

    pub(super) fn set_curve(
        &mut self,
        constant: CurveConstant,
        body: BodyKey,
        numbers: &[P],
    ) -> Result<&mut Self, ModelError> {
        let what = constant.name();
        let draft = self.draft(body, what)?;
        draft.check(what, numbers.len(), draft.joint.nv())?;
        finite_draft(what, &draft.joint_name, numbers)?;
        if constant == CurveConstant::Stribeck {
            not_negative(what, &draft.joint_name, numbers)?;
        }
        if let Some((x, rule)) = wrong(constant, numbers) {
            return Err(ModelError::BadNumber { what, name: draft.joint_name.clone(), value: value(x), rule });
        }
        draft.curves.resize(numbers.len(), None);
        for (to, x) in draft.curves.iter_mut().zip(numbers) {
            let (zero, velocity) = (P::zero(), P::from(FrictionCurve::<P>::VELOCITY));
            to.get_or_insert([zero, velocity, zero])[constant as usize] = *x;
        }
        Ok(self)
    }
}

impl<P: Real> Draft<P> {
    /// Those of a body that has been built.
    pub(super) fn curves_of(curves: &[Option<[P; 3]>], body: &Body<P>, place: usize) -> Vec<FrictionCurve<P>> {
        let make = |(k, of): (usize, &Option<[P; 3]>)| {
            let [stribeck, stribeck_velocity, asymmetry] = (*of)?;
            Some(FrictionCurve { stribeck, stribeck_velocity, asymmetry, ..body.friction_curve(place, k) })
        };
        curves.iter().enumerate().filter_map(make).collect()
    }
}

/// By degrees of freedom, then by bodies.
pub(super) fn sort<P: Real>(curves: &mut [FrictionCurve<P>]) {
    curves.sort_by_key(|curve| (curve.index, curve.body));
}
