//! Moving along configurations: `q ⊕ v` and `q₁ ⊖ q₀`, and what belongs to them.
//!
//! A configuration is not a vector: a free-flyer has seven coordinates and six ways to move. All derivatives with respect
//! to `q` are along `integrate(q, ε e_k)`: nv columns, never nq. Integration composes on the right, in the body:
//! `quaternion ⊗ exp(v)`, `pose ∘ exp6(v)`.
//!
//! Configurations that go in are checked, so that quaternions have length one to within 1e-6; those that come out have it to
//! rounding, however many steps are made one after the other. Results that are not finite are errors that name the joint.

use super::{Body, InputError, Model, Run};
use crate::joint::{JointKind, value};
use crate::level::at_level;
use crate::slice_ops::{all_finite, first_not_finite};
use gradyn_derivatives::{Real, Scalar};
use rand::{Rng, RngExt};

impl<P: Real> Model<P> {
    /// The bodies whose joints have coordinates of their own.
    fn owners(&self) -> impl Iterator<Item = &Body<P>> {
        self.bodies.iter().filter(|body| body.owns_coordinates)
    }

    /// `q ⊕ v`: where the robot is after moving from `q` with the constant velocity `v` for unit time, into `out`.
    ///
    /// `q`, `out`: nq; `v`: nv. `q` may be off by 1e-6 in the lengths of quaternions; they come out at length one. Cost O(n).
    ///
    /// # Errors
    /// [`InputError::Length`], [`InputError::NotNormalized`], [`InputError::NotFinite`], [`InputError::Overflow`]
    #[inline(never)]
    pub fn integrate_into<T: Scalar<P>>(&self, q: &[T], v: &[T], out: &mut [T]) -> Result<(), InputError> {
        self.check_q(q)?;
        self.check_length("v", "nv", v.len(), self.nv)?;
        self.check_length("out", "nq", out.len(), self.nq)?;
        for run in &self.runs {
            match *run {
                Run::Flat { q: at, v: dof, len } => {
                    add(&q[at..][..len], &v[dof..][..len], &mut out[at..][..len]);
                }
                Run::Joint(i) => {
                    let (joint, rq, rv) = (&self.bodies[i].joint, &self.bodies[i].q, &self.bodies[i].v);
                    joint.integrate(&q[rq.clone()], &v[rv.clone()], &mut out[rq.clone()]);
                }
            }
        }
        self.check_reached([("q", q)], ("v", v), out)
    }

    /// `q ⊕ v`, as a new vector; see [`integrate_into`](Self::integrate_into).
    ///
    /// # Errors
    /// [`InputError::Length`], [`InputError::NotNormalized`], [`InputError::NotFinite`], [`InputError::Overflow`]
    #[doc(alias("retract", "boxplus", "mj_integratePos"))]
    pub fn integrate<T: Scalar<P>>(&self, q: &[T], v: &[T]) -> Result<Vec<T>, InputError> {
        let mut out = vec![T::zero(); self.nq];
        self.integrate_into(q, v, &mut out)?;
        Ok(out)
    }

    /// `q₁ ⊖ q₀`: the velocity that leads from `q₀` to `q₁` in unit time, into `out`; of several, the shortest.
    ///
    /// `q0`, `q1`: nq; `out`: nv. `integrate(q₀, q₁ ⊖ q₀) = q₁`, as a place. Cost O(n).
    ///
    /// # Errors
    /// [`InputError::Length`], [`InputError::NotNormalized`], [`InputError::NotFinite`], [`InputError::Overflow`]
    #[inline(never)]
    pub fn difference_into<T: Scalar<P>>(&self, q0: &[T], q1: &[T], out: &mut [T]) -> Result<(), InputError> {
        self.check_configurations(q0, q1)?;
        self.check_length("out", "nv", out.len(), self.nv)?;
        for run in &self.runs {
            match *run {
                Run::Flat { q: at, v: dof, len } => {
                    subtract(&q1[at..][..len], &q0[at..][..len], &mut out[dof..][..len]);
                }
                Run::Joint(i) => {
                    let (joint, rq, rv) = (&self.bodies[i].joint, &self.bodies[i].q, &self.bodies[i].v);
                    joint.difference(&q0[rq.clone()], &q1[rq.clone()], &mut out[rv.clone()]);
                }
            }
        }
        if all_finite(out) {
            return Ok(());
        }
        Err(self.no_difference([("q0", q0), ("q1", q1)], "out", first_not_finite(out).unwrap_or(0)))
    }

    /// `q₁ ⊖ q₀`, as a new vector; see [`difference_into`](Self::difference_into).
    ///
    /// # Errors
    /// [`InputError::Length`], [`InputError::NotNormalized`], [`InputError::NotFinite`], [`InputError::Overflow`]
    #[doc(alias("boxminus", "mj_differentiatePos"))]
    pub fn difference<T: Scalar<P>>(&self, q0: &[T], q1: &[T]) -> Result<Vec<T>, InputError> {
        let mut out = vec![T::zero(); self.nv];
        self.difference_into(q0, q1, &mut out)?;
        Ok(out)
    }

    /// `q₀ ⊕ t (q₁ ⊖ q₀)`: the configuration a fraction `t` of the way, into `out`. Any `t` will do.
    ///
    /// `q0`, `q1`, `out`: nq. Quaternions come out at length one. Cost O(n), no allocation.
    ///
    /// # Errors
    /// [`InputError::Length`], [`InputError::NotNormalized`], [`InputError::NotFinite`], [`InputError::Overflow`]
    pub fn interpolate_into<T: Scalar<P>>(&self, q0: &[T], q1: &[T], t: T, out: &mut [T]) -> Result<(), InputError> {
        self.check_configurations(q0, q1)?;
        self.check_length("out", "nq", out.len(), self.nq)?;
        for run in &self.runs {
            match *run {
                Run::Flat { q: at, len, .. } => {
                    between(&q0[at..][..len], &q1[at..][..len], t, &mut out[at..][..len]);
                }
                Run::Joint(i) => self.bodies[i].each_part(|joint, q, _| {
                    joint.interpolate(&q0[q.clone()], &q1[q.clone()], t, &mut out[q]);
                }),
            }
        }
        self.check_reached([("q0", q0), ("q1", q1)], ("t", &[t]), out)
    }

    /// `q₀ ⊕ t (q₁ ⊖ q₀)`, as a new vector; see [`interpolate_into`](Self::interpolate_into).
    ///
    /// # Errors
    /// [`InputError::Length`], [`InputError::NotNormalized`], [`InputError::NotFinite`], [`InputError::Overflow`]
    #[doc(alias = "slerp")]
    pub fn interpolate<T: Scalar<P>>(&self, q0: &[T], q1: &[T], t: T) -> Result<Vec<T>, InputError> {
        let mut out = vec![T::zero(); self.nq];
        self.interpolate_into(q0, q1, t, &mut out)?;
        Ok(out)
    }

    /// `q̇ = G(q) v`, the rate of change of the coordinates at velocity `v`, into `out` (nq). Not the velocity itself: a
    /// quaternion has four rates, ½ q ⊗ (ω, 0).
    ///
    /// # Errors
    /// [`InputError::Length`], [`InputError::NotNormalized`], [`InputError::NotFinite`], [`InputError::Overflow`]
    #[doc(alias = "MapVelocityToQDot")]
    pub fn q_dot_into<T: Scalar<P>>(&self, q: &[T], v: &[T], out: &mut [T]) -> Result<(), InputError> {
        self.check_q(q)?;
        self.check_length("v", "nv", v.len(), self.nv)?;
        self.check_length("out", "nq", out.len(), self.nq)?;
        self.rates(q, v, out);
        self.check_reached([("q", q)], ("v", v), out)
    }

    /// [`q_dot_into`](Self::q_dot_into), of lengths that have been checked.
    pub(crate) fn rates<T: Scalar<P>>(&self, q: &[T], v: &[T], out: &mut [T]) {
        for body in self.owners() {
            let (rq, rv) = (body.q.clone(), body.v.clone());
            body.joint.q_dot(&q[rq.clone()], &v[rv], &mut out[rq]);
        }
    }

    /// The configuration in which every joint's pose is the identity.
    #[must_use]
    pub fn neutral<T: Scalar<P>>(&self) -> Vec<T> {
        let mut q = vec![T::zero(); self.nq];
        for body in self.owners() {
            JointKind::<P>::neutral(&body.joint, &mut q[body.q.clone()]);
        }
        q
    }

    /// A random configuration: within the limits where there are any, else angles in ±π, lengths in ±1 m, rotations
    /// spread evenly.
    ///
    /// ```
    /// use gradyn::rand::{SeedableRng, rngs::SmallRng};
    /// # use gradyn::{Model, UrdfOptions};
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
    /// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    /// let q = model.random(&mut SmallRng::seed_from_u64(1));
    /// assert!(model.check_configuration(&q).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "randomConfiguration")]
    pub fn random(&self, rng: &mut impl Rng) -> Vec<f64> {
        let mut q = vec![0.0; self.nq];
        let mut unit = || rng.random::<f64>();
        for body in self.owners() {
            let r = body.q.clone();
            let (lower, upper) = (&self.limits.q_lower[r.clone()], &self.limits.q_upper[r.clone()]);
            body.joint.random(&mut unit, lower, upper, &mut q[r]);
        }
        q
    }

    /// Brings quaternions and (cos, sin) pairs in `q` (nq) to length one: `x/|x|`. What is zero has no direction and becomes
    /// neutral. Cost: a square root for each of them, nothing for other coordinates.
    ///
    /// # Errors
    /// [`InputError::Length`], [`InputError::NotFinite`]; then `q` is left as it is.
    #[doc(alias = "normalizeConfiguration")]
    pub fn normalize(&self, q: &mut [f64]) -> Result<(), InputError> {
        self.check_length("q", "nq", q.len(), self.nq)?;
        if let Some(error) = self.coordinate_not_finite("q", q) {
            return Err(error);
        }
        for run in &self.runs {
            if let Run::Joint(i) = *run {
                let body = &self.bodies[i];
                body.joint.normalize(&mut q[body.q.clone()]);
            }
        }
        Ok(())
    }

    /// Checks that `q` has the right length, is finite, and has quaternions and (cos, sin) pairs of length one to `1e-6`:
    /// what a file with seven digits gives.
    ///
    /// # Errors
    /// [`InputError::Length`], [`InputError::NotFinite`], [`InputError::NotNormalized`]
    pub fn check_configuration(&self, q: &[f64]) -> Result<(), InputError> {
        self.check_q(q)?;
        self.coordinate_not_finite("q", q).map_or(Ok(()), Err)
    }

    /// Checks two configurations but for numbers that are not finite.
    pub(super) fn check_configurations<T: Real>(&self, q0: &[T], q1: &[T]) -> Result<(), InputError> {
        self.check_length("q0", "nq", q0.len(), self.nq)?;
        self.check_length("q1", "nq", q1.len(), self.nq)?;
        self.check_directions("q0", q0)?;
        self.check_directions("q1", q1)
    }

    /// Checks that a result with one entry per coordinate is finite. If not, the error names the configuration, or else
    /// the numbers, from which it was computed.
    #[inline]
    fn check_reached<T: Scalar<P>, const N: usize>(
        &self,
        from: [(&'static str, &[T]); N],
        by: (&'static str, &[T]),
        out: &[T],
    ) -> Result<(), InputError> {
        if all_finite(out) { Ok(()) } else { Err(self.not_reached(from, by, first_not_finite(out).unwrap_or(0))) }
    }

    #[cold]
    fn not_reached<T: Scalar<P>, const N: usize>(
        &self,
        from: [(&'static str, &[T]); N],
        (what, by): (&'static str, &[T]),
        index: usize,
    ) -> InputError {
        let of_by = || {
            let index = first_not_finite(by)?;
            let joint = if what == "v" { self.dof_label(index) } else { self.whole_label() };
            Some(InputError::NotFinite { what, index, joint, value: value(by[index]) })
        };
        let of_argument = self.configuration_not_finite(from).or_else(of_by);
        let joint = self.coordinate_label(index);
        of_argument.unwrap_or(InputError::Overflow { what: "out", index, joint })
    }

    /// Why there is no velocity from one to the other, or no derivative of it.
    #[cold]
    pub(super) fn no_difference<T: Real>(
        &self,
        configurations: [(&'static str, &[T]); 2],
        what: &'static str,
        dof: usize,
    ) -> InputError {
        let joint = self.dof_label(dof);
        self.configuration_not_finite(configurations).unwrap_or(InputError::Overflow { what, index: dof, joint })
    }

    /// The first number of configurations that is not finite.
    fn configuration_not_finite<T: Real, const N: usize>(
        &self,
        configurations: [(&'static str, &[T]); N],
    ) -> Option<InputError> {
        configurations.into_iter().find_map(|(what, q)| self.coordinate_not_finite(what, q))
    }

    /// Checks that `x` (`v`, `a`, `tau`) has nv finite entries.
    ///
    /// # Errors
    /// [`InputError::Length`], [`InputError::NotFinite`]
    pub fn check_tangent(&self, what: &'static str, x: &[f64]) -> Result<(), InputError> {
        self.check_length(what, "nv", x.len(), self.nv)?;
        match x.iter().position(|x| !x.is_finite()) {
            Some(index) => Err(InputError::NotFinite { what, index, joint: self.dof_label(index), value: x[index] }),
            None => Ok(()),
        }
    }

    /// Checks that a result with an entry for each degree of freedom is finite.
    pub(crate) fn check_result<T: Real>(&self, what: &'static str, x: &[T]) -> Result<(), InputError> {
        first_not_finite(x).map_or(Ok(()), |index| Err(self.overflow(what, index)))
    }

    /// The error of a result that is not finite.
    #[cold]
    pub(crate) fn overflow(&self, what: &'static str, index: usize) -> InputError {
        self.overflow_of(what, index, self.dof_label(index))
    }

    /// What to say of a pivot of the mass matrix that is lost.
    #[cold]
    pub(crate) fn singular(&self, index: usize) -> InputError {
        InputError::SingularMassMatrix { index, joint: self.dof_label(index) }
    }

    /// The same, of what belongs to no joint. Gravity may be to blame: nobody looked at it before.
    #[cold]
    pub(crate) fn overflow_of(&self, what: &'static str, index: usize, joint: String) -> InputError {
        match self.gravity.iter().position(|x| !x.is_finite()) {
            Some(k) => {
                let (joint, value) = (self.whole_label(), value(self.gravity[k]));
                InputError::NotFinite { what: "gravity", index: k, joint, value }
            }
            None => InputError::Overflow { what, index, joint },
        }
    }

    /// "all of panda", for messages.
    pub(crate) fn whole_label(&self) -> String {
        format!("all of {}", self.name)
    }

    /// "joint elbow", for messages.
    pub(crate) fn dof_label(&self, dof: usize) -> String {
        match self.joint_of_dof(dof) {
            Some(body) => format!("joint {}", self.bodies[body.index()].joint_name),
            None => String::from("no joint"),
        }
    }
}

at_level! {
    /// `to = a + b`
    fn add<T: Real>(a: &[T], b: &[T], to: &mut [T]) {
        for (to, (a, b)) in to.iter_mut().zip(a.iter().zip(b)) {
            *to = *a + *b;
        }
    }

    /// `to = a − b`
    fn subtract<T: Real>(a: &[T], b: &[T], to: &mut [T]) {
        for (to, (a, b)) in to.iter_mut().zip(a.iter().zip(b)) {
            *to = *a - *b;
        }
    }

    /// `to = a + t (b − a)`
    fn between<T: Real>(a: &[T], b: &[T], t: T, to: &mut [T]) {
        for (to, (a, b)) in to.iter_mut().zip(a.iter().zip(b)) {
            *to = *a + (*b - *a) * t;
        }
    }
}
