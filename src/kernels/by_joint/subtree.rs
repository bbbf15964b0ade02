//! The part of the robot, or of a body's subtree, that columns move.
//! Serves: `kernels/by_joint/first_moments.rs`, `kernels/by_joint/centroidal.rs`. Test:
//! `kinematics_as_on_the_page::results_are_those_of_the_plain_forms`.

use crate::kernels::by_joint::JointsMemory;
use crate::kernels::by_joint::quantities::{ALL, Row, Sums};
use crate::plan::JointsLayout;
use gradyn_derivatives::{Lanes, Register, WIDTH};
use std::ops::Range;

/// All of the robot, or the subtree of a body. Lanes of the part move their own subtrees;
/// lanes between the body and the root move all of it; others nothing.
pub(crate) struct Subtree {
    lanes: Range<usize>,
    body: Option<usize>,
}

impl Subtree {
    pub(crate) fn of(layout: &JointsLayout, body: Option<usize>) -> Self {
        let Some(b) = body else { return Self { lanes: 0..layout.dof.len(), body } };
        // Bodies are numbered depth first, lanes in the order of the bodies.
        let (first, last) = (&layout.bodies[b], &layout.bodies[layout.bodies[b].subtree_end - 1]);
        Self { lanes: first.lane + 1 - first.columns..last.lane + 1, body }
    }

    /// The lane whose sums are those of all the part; none for all of the robot.
    pub(crate) fn lane(&self, layout: &JointsLayout) -> Option<usize> {
        self.body.map(|b| layout.bodies[b].lane)
    }

    /// The groups that its own lanes stand in, and a bit for each of them there.
    #[inline(always)]
    pub(crate) fn groups(&self) -> impl Iterator<Item = (usize, u8)> {
        (self.lanes.start / WIDTH..self.lanes.end.div_ceil(WIDTH)).map(|g| (g, self.own(g)))
    }

    /// Its own lanes of group `g`.
    #[inline(always)]
    fn own(&self, g: usize) -> u8 {
        let within = |lane: usize| self.lanes.contains(&(g * WIDTH + lane));
        (0..WIDTH).fold(0, |mask, lane| mask | u8::from(within(lane)) << lane)
    }

    /// Lanes of group `g` that move anything of the part, and the sums over what they move of it: those of `memory`,
    /// or, where some move more than what belongs to the part, others in `mixed`.
    #[inline(always)]
    pub(crate) fn sums<'a, R: Register>(
        &self,
        layout: &JointsLayout,
        memory: &'a JointsMemory,
        g: usize,
        mixed: &'a mut Sums,
    ) -> (u8, &'a Sums) {
        let own = &memory.sums[g];
        let Some(b) = self.body else { return (0xff, own) };
        let below = self.own(g);
        let above = layout.lanes_of_path(b, g) & !below;
        if above == 0 {
            return (below, own);
        }
        let lane = layout.bodies[b].lane;
        let all = &memory.sums[lane / WIDTH];
        for k in 0..ALL {
            let of_all = R::splat(all[k].0[lane % WIDTH]);
            mixed[k].store(Lanes(own[k].load::<R>().0.where_else(below, of_all)));
        }
        (below | above, mixed)
    }
}

/// Sums to be written over.
pub(crate) const NONE: Sums = [Row::ZERO; ALL];
