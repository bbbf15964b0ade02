//! The quantities of the [Hessian of torques](super::torque_hessian) for eight lanes.
//! Serves: `kernels/by_joint/torque_hessian.rs`. Test: `contractions::levels_agree_and_nothing_stays_behind`.

use crate::kernels::by_joint::quantities::{ALL, Six, Sums};
use crate::plan::{JointsLayout, Row};
use crate::spatial::BodyCoriolis;
use gradyn_derivatives::{Lanes, Register, WIDTH};
use nalgebra::{Matrix3, Vector3};

/// What the Hessian has of eight lanes and first derivatives have not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weighted {
    pub(crate) lambda: Row,
    /// `Ω`
    pub(crate) omega: Six,
    /// `R`, `G` and `T`
    pub(crate) r: Six,
    pub(crate) g: [Row; 3],
    pub(crate) t: [Row; 3],
    /// By q, by v and by a.
    pub(crate) gradient: [Row; 3],
    /// The lanes of the same body as each one.
    pub(crate) own: [u8; WIDTH],
}

/// Memory for all groups of lanes.
#[derive(Clone, Debug)]
pub(crate) struct Scratch {
    pub(crate) weighted: Vec<Weighted>,
    /// `w`
    pub(crate) w: Vec<Six>,
    /// `W`, then `z`, of lanes, then of subtrees.
    pub(crate) sums: Vec<Sums>,
}

impl Scratch {
    pub(crate) fn new(layout: &JointsLayout) -> Self {
        let (row, three, six) = (Row::ZERO, [Row::ZERO; 3], [Row::ZERO; 6]);
        let none = Weighted { lambda: row, omega: six, r: six, g: three, t: three, gradient: three, own: [0; WIDTH] };
        let groups = layout.groups.len();
        let mut weighted = vec![none; groups];
        for step in &layout.bodies {
            let lanes = step.lane + 1 - step.columns..step.lane + 1;
            let own = lanes.clone().fold(0, |mask, lane| mask | 1 << (lane % WIDTH));
            for lane in lanes {
                weighted[lane / WIDTH].own[lane % WIDTH] = own;
            }
        }
        Self { weighted, w: vec![six; groups], sums: vec![[row; ALL]; groups] }
    }
}

/// `W` and `z` of subtrees.
#[inline(always)]
pub(crate) fn load_weighted<R: Register>(x: &Sums) -> (BodyCoriolis<Lanes<R>>, Vector3<Lanes<R>>) {
    #[rustfmt::skip]
    let angular = Matrix3::new(
        x[3].load(), x[4].load(), x[5].load(),
        x[6].load(), x[7].load(), x[8].load(),
        x[9].load(), x[10].load(), x[11].load(),
    );
    let momentum = Vector3::new(x[0].load(), x[1].load(), x[2].load());
    (BodyCoriolis { momentum, angular }, Vector3::new(x[12].load(), x[13].load(), x[14].load()))
}
