//! What joints add by themselves: armature, damping and friction.

use crate::model::{DofDynamics, Model};
use gradyn_derivatives::{Real, Scalar};

/// Those of a model, an entry for each joint that has some.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointDynamics<'a, P> {
    pub(crate) entries: &'a [DofDynamics<P>],
    /// Whether damping and friction count.
    pub(crate) friction: bool,
    /// The velocity at which friction has reached 76 % of its size, rad/s or m/s.
    pub(crate) width: P,
}

impl<'a, P: Real> JointDynamics<'a, P> {
    #[inline(always)]
    pub(crate) fn of(model: &'a Model<P>) -> Self {
        Self { entries: &model.dofs, friction: model.joint_friction, width: model.friction_width }
    }

    /// Adds the torques of all.
    #[inline(always)]
    pub(crate) fn add_torques<T: Scalar<P>>(self, v: &[T], a: &[T], tau: &mut [T]) {
        for entry in self.entries {
            let i = entry.index;
            self.add_torque(entry, v[i], a[i], &mut tau[i]);
        }
    }

    /// Adds the torque of one.
    #[inline(always)]
    pub(crate) fn add_torque<V: Scalar<P>, A: Scalar<P> + Scalar<V>>(
        self,
        entry: &DofDynamics<P>,
        v: V,
        a: A,
        tau: &mut A,
    ) {
        *tau += a * entry.mass();
        if self.friction {
            *tau = *tau + entry.friction_torque(v, self.width);
        }
    }

    /// Takes damping and friction from torques.
    #[inline(always)]
    pub(crate) fn subtract_friction<T: Scalar<P>>(self, v: &[T], tau: &mut [T]) {
        if self.friction {
            for entry in self.entries {
                tau[entry.index] -= entry.friction_torque(v[entry.index], self.width);
            }
        }
    }

    /// Adds the torques of all, and their derivatives by velocities and accelerations, nv × nv.
    #[inline(always)]
    pub(crate) fn add_derivatives<T: Scalar<P>>(
        self,
        nv: usize,
        (v, a): (&[T], &[T]),
        (tau, dtau_dv, dtau_da): (&mut [T], &mut [T], &mut [T]),
    ) {
        let (tau, v, a) = (&mut tau[..nv], &v[..nv], &a[..nv]);
        let (dtau_dv, dtau_da) = (&mut dtau_dv[..nv * nv], &mut dtau_da[..nv * nv]);
        for entry in self.entries {
            let (i, at) = (entry.index, entry.index * (nv + 1));
            tau[i] += a[i] * entry.mass();
            dtau_da[at] += T::from(entry.mass());
            if self.friction {
                tau[i] += entry.friction_torque(v[i], self.width);
                dtau_dv[at] += entry.friction_slope(v[i], self.width);
            }
        }
    }

    /// Adds armature to the diagonal of a mass matrix, nv × nv.
    #[inline(always)]
    pub(crate) fn add_armature<T: Scalar<P>>(self, nv: usize, matrix: &mut [T]) {
        for entry in self.entries {
            matrix[entry.index * (nv + 1)] += T::from(entry.mass());
        }
    }
}
