//! Moving along configurations: `q ⊕ v` and `q₁ ⊖ q₀`, and what belongs to them.
//!
//! A configuration is not a vector: a free-flyer has seven coordinates and six ways to move. All derivatives with respect
//! to `q` are along `integrate(q, ε e_k)`: nv columns, never nq. Integration composes on the right, in the body:
//! `quaternion ⊗ exp(v)`, `pose ∘ exp6(v)`.

use super::{Body, InputError, Model, Run};
use crate::joint::{Elementary, JointKind, value};
use gradyn_derivatives::{Real, Scalar};
use rand::{Rng, RngExt};

impl<P: Real> Model<P> {
    /// The bodies whose joints have coordinates of their own.
    fn owners(&self) -> impl Iterator<Item = &Body<P>> {
        self.bodies.iter().filter(|body| body.owns_coordinates)
    }

    /// `q ⊕ v`: where the robot is after moving from `q` with the constant velocity `v` for unit time, into `out`.
    ///
    /// `q`, `out`: nq; `v`: nv. Quaternions come out at length one to first order. Cost O(n).
    ///
    /// # Errors
    /// [`InputError::Length`]
    pub fn integrate_into<T: Scalar<P>>(&self, q: &[T], v: &[T], out: &mut [T]) -> Result<(), InputError> {
        self.check_length("q", "nq", q.len(), self.nq)?;
        self.check_length("v", "nv", v.len(), self.nv)?;
        self.check_length("out", "nq", out.len(), self.nq)?;
        for run in &self.runs {
            match *run {
                Run::Flat { q: at, v: dof, len } => {
                    for ((to, q), v) in out[at..][..len].iter_mut().zip(&q[at..][..len]).zip(&v[dof..][..len]) {
                        *to = *q + *v;
                    }
                }
                Run::Joint(i) => {
                    let (joint, rq, rv) = (&self.bodies[i].joint, &self.bodies[i].q, &self.bodies[i].v);
                    joint.integrate(&q[rq.clone()], &v[rv.clone()], &mut out[rq.clone()]);
                }
            }
        }
        Ok(())
    }

    /// `q ⊕ v`, as a new vector; see [`integrate_into`](Self::integrate_into).
    ///
    /// # Errors
    /// [`InputError::Length`]
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
    /// [`InputError::Length`]
    pub fn difference_into<T: Scalar<P>>(&self, q0: &[T], q1: &[T], out: &mut [T]) -> Result<(), InputError> {
        self.check_length("q0", "nq", q0.len(), self.nq)?;
        self.check_length("q1", "nq", q1.len(), self.nq)?;
        self.check_length("out", "nv", out.len(), self.nv)?;
        for run in &self.runs {
            match *run {
                Run::Flat { q: at, v: dof, len } => {
                    for ((to, q0), q1) in out[dof..][..len].iter_mut().zip(&q0[at..][..len]).zip(&q1[at..][..len]) {
                        *to = *q1 - *q0;
                    }
                }
                Run::Joint(i) => {
                    let (joint, rq, rv) = (&self.bodies[i].joint, &self.bodies[i].q, &self.bodies[i].v);
                    joint.difference(&q0[rq.clone()], &q1[rq.clone()], &mut out[rv.clone()]);
                }
            }
        }
        Ok(())
    }

    /// `q₁ ⊖ q₀`, as a new vector; see [`difference_into`](Self::difference_into).
    ///
    /// # Errors
    /// [`InputError::Length`]
    pub fn difference<T: Scalar<P>>(&self, q0: &[T], q1: &[T]) -> Result<Vec<T>, InputError> {
        let mut out = vec![T::zero(); self.nv];
        self.difference_into(q0, q1, &mut out)?;
        Ok(out)
    }

    /// `q₀ ⊕ t (q₁ ⊖ q₀)`: the configuration a fraction `t` of the way, into `out`. Any `t` will do.
    ///
    /// `q0`, `q1`, `out`: nq. Quaternions come out at length one to first order. Cost O(n), no allocation.
    ///
    /// # Errors
    /// [`InputError::Length`]
    pub fn interpolate_into<T: Scalar<P>>(&self, q0: &[T], q1: &[T], t: T, out: &mut [T]) -> Result<(), InputError> {
        self.check_length("q0", "nq", q0.len(), self.nq)?;
        self.check_length("q1", "nq", q1.len(), self.nq)?;
        self.check_length("out", "nq", out.len(), self.nq)?;
        for run in &self.runs {
            match *run {
                Run::Flat { q: at, len, .. } => {
                    for ((to, q0), q1) in out[at..][..len].iter_mut().zip(&q0[at..][..len]).zip(&q1[at..][..len]) {
                        *to = *q0 + (*q1 - *q0) * t;
                    }
                }
                Run::Joint(i) => self.bodies[i].each_part(|joint, q, _| {
                    joint.interpolate(&q0[q.clone()], &q1[q.clone()], t, &mut out[q]);
                }),
            }
        }
        Ok(())
    }

    /// `q₀ ⊕ t (q₁ ⊖ q₀)`, as a new vector; see [`interpolate_into`](Self::interpolate_into).
    ///
    /// # Errors
    /// [`InputError::Length`]
    pub fn interpolate<T: Scalar<P>>(&self, q0: &[T], q1: &[T], t: T) -> Result<Vec<T>, InputError> {
        let mut out = vec![T::zero(); self.nq];
        self.interpolate_into(q0, q1, t, &mut out)?;
        Ok(out)
    }

    /// `q̇ = G(q) v`, the rate of change of the coordinates at velocity `v`, into `out` (nq). Not the velocity itself: a
    /// quaternion has four rates, ½ q ⊗ (ω, 0).
    ///
    /// # Errors
    /// [`InputError::Length`]
    pub fn q_dot_into<T: Scalar<P>>(&self, q: &[T], v: &[T], out: &mut [T]) -> Result<(), InputError> {
        self.check_length("q", "nq", q.len(), self.nq)?;
        self.check_length("v", "nv", v.len(), self.nv)?;
        self.check_length("out", "nq", out.len(), self.nq)?;
        self.rates(q, v, out);
        Ok(())
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

    /// Brings quaternions and (cos, sin) pairs in `q` (nq) to length one: `x/|x|`. What has no direction, or is not finite,
    /// becomes neutral. Cost: a square root for each of them, nothing for other coordinates.
    ///
    /// # Errors
    /// [`InputError::Length`]
    pub fn normalize(&self, q: &mut [f64]) -> Result<(), InputError> {
        self.check_length("q", "nq", q.len(), self.nq)?;
        for run in &self.runs {
            if let Run::Joint(i) = *run {
                let body = &self.bodies[i];
                body.joint.normalize(&mut q[body.q.clone()]);
            }
        }
        Ok(())
    }

    /// Checks that `q` has the right length, is finite, and has quaternions and (cos, sin) pairs of length one to `1e-6`:
    /// what a file with nine digits gives.
    ///
    /// # Errors
    /// [`InputError::Length`], [`InputError::NotFinite`], [`InputError::NotNormalized`]
    pub fn check_configuration(&self, q: &[f64]) -> Result<(), InputError> {
        self.check_length("q", "nq", q.len(), self.nq)?;
        for body in self.owners() {
            let r = body.q.clone();
            for index in r.clone() {
                if !q[index].is_finite() {
                    let joint = format!("joint {}", body.joint_name);
                    return Err(InputError::NotFinite { what: "q", index, joint, value: q[index] });
                }
            }
            let mut first = None;
            body.each_part(|part, r, _| {
                if first.is_none() && JointKind::<P>::norm_error(part, &q[r.clone()]) > 1e-6 {
                    // Positions come before the direction.
                    let positions = match part {
                        Elementary::FreeFlyer(_) => 3,
                        Elementary::Planar(_) => 2,
                        _ => 0,
                    };
                    first = Some((part.name(), r.start + positions..r.end));
                }
            });
            if let Some((kind, direction)) = first {
                return Err(InputError::NotNormalized {
                    start: direction.start,
                    end: direction.end,
                    joint: body.joint_name.clone(),
                    kind,
                    norm: q[direction].iter().copied().fold(0.0, f64::hypot),
                });
            }
        }
        Ok(())
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

    /// The error of a result that is not finite.
    #[cold]
    pub(crate) fn overflow(&self, what: &'static str, index: usize) -> InputError {
        self.overflow_of(what, index, self.dof_label(index))
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
            Some(body) => format!("joint {}", self.bodies[body.0].joint_name),
            None => String::from("no joint"),
        }
    }
}
