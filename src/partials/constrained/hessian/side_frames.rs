//! Velocities of bodies; the frame of a side of a constraint, how it is changed, as dual numbers, and the forces on it.

use crate::dynamics::placed::Placed;
use crate::spatial::{Force, Motion, Transform, vector as v3};
use gradyn_derivatives::num_dual::{Dual64, HyperDual64};
use nalgebra::{Matrix3, Vector3};

/// No more rates than this.
pub(super) const RATES: usize = 4;

/// Velocity and acceleration of a frame, and its velocities in rates.
pub(super) const MOTIONS: usize = 2 + RATES;
pub(super) const VELOCITY: usize = 0;
pub(super) const ACCELERATION: usize = 1;

/// A velocity of all joints: those of bodies, and `x_λ × S` of columns.
#[derive(Clone, Debug, Default)]
pub(super) struct Field {
    pub(super) body: Vec<Motion<f64>>,
    pub(super) omega: Vec<Motion<f64>>,
}

impl Field {
    /// At the configuration of the links.
    pub(super) fn fill(&mut self, parents: impl Iterator<Item = Option<usize>>, links: &Placed<f64>, x: &[f64]) {
        self.body.clear();
        self.omega.clear();
        for (i, parent) in parents.enumerate() {
            let mut own = parent.map_or(Motion::zero(), |p| self.body[p]);
            for link in &links.links[links.of_body[i].clone()] {
                let below = own;
                for k in link.columns.clone() {
                    let s = links.columns[k];
                    self.omega.push(below.cross(s));
                    own = s.times_plus(x[links.dof[k]], own);
                }
            }
            self.body.push(own);
        }
    }
}

/// A frame of a side: its pose, and its motions.
#[derive(Clone, Copy)]
pub(super) struct Frame<T> {
    pub(super) pose: Transform<T>,
    pub(super) motions: [Motion<T>; MOTIONS],
}

/// How a frame is changed: moved, and its motions by these.
#[derive(Clone, Copy)]
pub(super) struct Change {
    pub(super) pose: Motion<f64>,
    pub(super) motions: [Motion<f64>; MOTIONS],
}

impl Change {
    pub(super) const NONE: Self = {
        let none = Vector3::new(0.0, 0.0, 0.0);
        let none = Motion { linear: none, angular: none };
        Self { pose: none, motions: [none; MOTIONS] }
    };

    /// Of one motion.
    pub(super) fn of(n: usize, by: Motion<f64>) -> Self {
        let mut change = Self::NONE;
        if let Some(to) = change.motions.get_mut(n) {
            *to = by;
        }
        change
    }
}

/// First derivatives by the pose and the motions of a side.
#[derive(Clone, Copy)]
pub(super) struct Forces {
    pub(super) pose: Force<f64>,
    pub(super) motions: [Force<f64>; MOTIONS],
}

impl Frame<f64> {
    /// Where it is, with one motion alone.
    pub(super) fn alone(&self, n: usize, motion: Motion<f64>) -> Self {
        Self { pose: self.pose, motions: Change::of(n, motion).motions }
    }

    /// Changed by one.
    pub(super) fn dual(&self, by: &Change) -> Frame<Dual64> {
        let vector = |x: Vector3<f64>, dx: Vector3<f64>| x.zip_map(&dx, Dual64::new);
        let turned: Matrix3<f64> = v3::skew(by.pose.angular) * self.pose.rotation;
        let rotation = self.pose.rotation.zip_map(&turned, Dual64::new);
        let mut motions = [Motion::zero(); MOTIONS];
        for (to, (x, by)) in motions.iter_mut().zip(self.motions.iter().zip(&by.motions)) {
            *to = Motion::new(vector(x.linear, by.linear), vector(x.angular, by.angular));
        }
        Frame { pose: Transform::new(rotation, vector(self.pose.translation, by.pose.linear)), motions }
    }

    /// Changed by two, the first after the second.
    pub(super) fn hyper(&self, first: &Change, second: &Change) -> Frame<HyperDual64> {
        let vector = |x: Vector3<f64>, a: Vector3<f64>, b: Vector3<f64>| {
            Vector3::from_fn(|i, _| HyperDual64::new(x[i], a[i], b[i], 0.0))
        };
        let r = self.pose.rotation;
        let (a, b) = (v3::skew(first.pose.angular), v3::skew(second.pose.angular));
        let (by_a, by_b, by_both) = (a * r, b * r, a * b * r);
        let rotation = Matrix3::from_fn(|i, k| {
            let at = (i, k);
            HyperDual64::new(r[at], by_a[at], by_b[at], by_both[at])
        });
        let mut motions = [Motion::zero(); MOTIONS];
        for (n, to) in motions.iter_mut().enumerate() {
            let (x, a, b) = (self.motions[n], first.motions[n], second.motions[n]);
            *to = Motion::new(vector(x.linear, a.linear, b.linear), vector(x.angular, a.angular, b.angular));
        }
        let translation = vector(self.pose.translation, first.pose.linear, second.pose.linear);
        Frame { pose: Transform::new(rotation, translation), motions }
    }
}
