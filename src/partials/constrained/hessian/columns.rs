//! What each column of a side's path changes of the side's frame: the left part of (1) and (2) of [`curvature`](super::curvature).

use super::results::Rate;
use super::side_frames::{ACCELERATION, Change, Frame, MOTIONS, RATES, VELOCITY};
use crate::dynamics::placed::Placed;
use crate::dynamics::reference::Attached;
use crate::spatial::{Motion, vector as v3};
use nalgebra::Vector3;

/// What a column changes of the frame of a side, in axes of the world about its origin.
#[derive(Clone, Copy)]
pub(super) struct Column {
    /// The column, and the first one of its link.
    pub(super) at: usize,
    pub(super) link: usize,
    pub(super) s: Motion<f64>,
    pub(super) psi_dot: Motion<f64>,
    pub(super) psi_ddot: Motion<f64>,
    pub(super) psi_s_dot: Motion<f64>,
    pub(super) omega: [Motion<f64>; RATES],
    /// `A(S, Ψ̇ + Ṡ)`
    pub(super) by_rate: Motion<f64>,
    /// All that varies of the motions by q.
    pub(super) moved: [Motion<f64>; MOTIONS],
}

impl Column {
    /// The columns that move a side, from its body to the root.
    pub(super) fn all(
        links: &Placed<f64>,
        rates: &[Rate<'_>],
        at: &Attached<f64>,
        frame: &Frame<f64>,
        to: &mut Vec<Self>,
    ) {
        let Some(b) = at.body else { return };
        let velocity = frame.motions[VELOCITY];
        let p = (links.pose[b] * at.placement).translation;
        for link in links.path(links.carrier[b]) {
            for k in link.columns.clone() {
                let of = |m: &[Motion<f64>]| m[k].shifted::<f64>(p);
                let [s, psi_dot, psi_ddot, psi_s_dot] =
                    [of(&links.columns), of(&links.psi_dot), of(&links.psi_ddot), of(&links.psi_s_dot)];
                let mut omega = [Motion::zero(); RATES];
                for (to, rate) in omega.iter_mut().zip(rates) {
                    *to = of(&rate.x.omega);
                }
                let turn =
                    |m: Motion<f64>| Motion::new(v3::cross(s.angular, m.linear), v3::cross(s.angular, m.angular));
                let mut moved = [Motion::zero(); MOTIONS];
                moved[VELOCITY] = turn(velocity) + psi_dot;
                moved[ACCELERATION] = turn(frame.motions[ACCELERATION]) + varied(velocity, psi_dot, psi_ddot);
                for (r, to) in moved[2..].iter_mut().enumerate().take(rates.len()) {
                    *to = turn(frame.motions[2 + r]) + omega[r];
                }
                let (link, by_rate) = (link.columns.start, varied(velocity, s, psi_s_dot));
                to.push(Self { at: k, link, s, psi_dot, psi_ddot, psi_s_dot, omega, by_rate, moved });
            }
        }
    }

    /// What it changes by q, and by v.
    pub(super) fn by_place(&self) -> Change {
        Change { pose: self.s, motions: self.moved }
    }

    pub(super) fn by_rate(&self) -> Change {
        let mut change = Change::of(VELOCITY, self.s);
        change.motions[ACCELERATION] = self.by_rate;
        change
    }
}

/// `A(α, β)`
fn varied(v: Motion<f64>, alpha: Motion<f64>, beta: Motion<f64>) -> Motion<f64> {
    let (a, u): (Vector3<f64>, Vector3<f64>) = (alpha.angular, v.linear);
    Motion::new(beta.linear + 2.0 * a.cross(&u), beta.angular - v.angular.cross(&a))
}
