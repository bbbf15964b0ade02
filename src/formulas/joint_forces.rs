//! What springs and friction curves of joints add to torques: forces of a position, or of a velocity, alone.
//!
//! Kernels do not know them: they are added to torques that come out, or taken from torques that go in. A robot without them has empty
//! lists.

use crate::model::{FrictionCurve, JointSpring, Model, PoseSpring};
use crate::spatial::Motion;
use gradyn_derivatives::{Real, Scalar};

/// Those of a robot.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointForces<'a, P = f64> {
    pub(crate) springs: &'a [JointSpring<P>],
    pub(crate) poses: &'a [PoseSpring<P>],
    /// Empty where friction does not count.
    pub(crate) curves: &'a [FrictionCurve<P>],
    /// That of the smooth friction.
    pub(crate) width: P,
}

impl<'a, P: Real> JointForces<'a, P> {
    #[inline(always)]
    pub(crate) fn of(model: &'a Model<P>) -> Self {
        let curves: &[_] = if model.joint_friction { &model.friction_curves } else { &[] };
        Self { springs: &model.springs, poses: &model.pose_springs, curves, width: model.friction_width }
    }

    pub(crate) fn none() -> Self {
        Self { springs: &[], poses: &[], curves: &[], width: P::one() }
    }

    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.springs.is_empty() && self.poses.is_empty() && self.curves.is_empty()
    }

    /// Adds their torques.
    #[inline(always)]
    pub(crate) fn add_torques<T: Scalar<P>>(self, q: &[T], v: &[T], tau: &mut [T]) {
        for spring in self.springs {
            tau[spring.index] += spring.torque(q[spring.coordinate]);
        }
        for spring in self.poses {
            let torque = spring.bent(q).torque().to_array();
            spring.numbered().for_each(|(dof, i)| tau[dof] += torque[i]);
        }
        for curve in self.curves {
            tau[curve.index] += curve.torque(v[curve.index], self.width);
        }
    }

    /// Takes their torques from those that drive the joints.
    #[inline(always)]
    pub(crate) fn subtract_torques<T: Scalar<P>>(self, q: &[T], v: &[T], tau: &mut [T]) {
        for spring in self.springs {
            tau[spring.index] -= spring.torque(q[spring.coordinate]);
        }
        for spring in self.poses {
            let torque = spring.bent(q).torque().to_array();
            spring.numbered().for_each(|(dof, i)| tau[dof] -= torque[i]);
        }
        for curve in self.curves {
            tau[curve.index] -= curve.torque(v[curve.index], self.width);
        }
    }

    /// Adds their torques, and the derivatives of these by configurations and velocities, nv × nv.
    #[inline(always)]
    pub(crate) fn add_derivatives<T: Scalar<P>>(
        self,
        (q, v): (&[T], &[T]),
        (tau, dtau_dq, dtau_dv): (&mut [T], &mut [T], &mut [T]),
    ) {
        let nv = tau.len();
        self.add_torques(q, v, tau);
        for spring in self.springs {
            dtau_dq[spring.index * (nv + 1)] += T::from(spring.slope());
        }
        for spring in self.poses {
            let columns = spring.bent(q).slope();
            for (by, j) in spring.numbered() {
                let column = columns[j].to_array();
                spring.numbered().for_each(|(dof, i)| dtau_dq[dof + by * nv] += column[i]);
            }
        }
        for curve in self.curves {
            dtau_dv[curve.index * (nv + 1)] += curve.slope(v[curve.index], self.width);
        }
    }

    /// Adds `λᵀ τ` of theirs, and its derivatives by configurations and velocities, nv.
    #[inline(always)]
    pub(crate) fn add_gradient<T: Scalar<P>>(
        self,
        (q, v): (&[T], &[T]),
        lambda: &[T],
        (value, dq, dv): (&mut T, &mut [T], &mut [T]),
    ) {
        for spring in self.springs {
            let i = spring.index;
            *value += lambda[i] * spring.torque(q[spring.coordinate]);
            dq[i] += lambda[i] * spring.slope();
        }
        for spring in self.poses {
            let (weights, at) = (Motion::from_array(spring.numbers(lambda)), spring.bent(q));
            let columns = at.slope();
            *value += at.torque().power(weights);
            spring.numbered().for_each(|(dof, i)| dq[dof] += columns[i].power(weights));
        }
        for curve in self.curves {
            let i = curve.index;
            *value += lambda[i] * curve.torque(v[i], self.width);
            dv[i] += lambda[i] * curve.slope(v[i], self.width);
        }
    }
}

impl<P: Real> JointForces<'_, P> {
    /// Adds the derivative of the gradient of `λᵀ τ` by `q` along a step of configurations: that of springs of poses, as all others are
    /// linear in `q`. `to` is given the degree of freedom and the number.
    pub(crate) fn bend<T: Scalar<P>>(self, q: &[T], lambda: &[T], along: &[T], mut to: impl FnMut(usize, T)) {
        for spring in self.poses {
            let bent = spring.bent(q).bend(spring.numbers(lambda), spring.numbers(along));
            spring.numbered().for_each(|(dof, i)| to(dof, bent[i]));
        }
    }
}

/// `Σ ½ stiffness (u − reference)²`, and what springs of poses store.
#[inline(always)]
pub(crate) fn energy<P: Real, T: Scalar<P>>(model: &Model<P>, q: &[T]) -> T {
    let mut sum = T::zero();
    for spring in &model.springs {
        sum += spring.energy(q[spring.coordinate]);
    }
    for spring in &model.pose_springs {
        sum += spring.bent(q).energy();
    }
    sum
}
