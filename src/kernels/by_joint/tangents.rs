//! The memory of forward mode of inverse dynamics.

use crate::formulas::external_wrench::ExternalWrench;
use crate::kernels::by_joint::quantities::{Row, Six};
use crate::plan::joints::Layout;
use gradyn_derivatives::simd::WIDTH;

/// A state with its derivatives, those of its torques, and what is between them.
#[derive(Clone, Debug)]
pub(crate) struct Tangents {
    /// The values of the state.
    pub(crate) q: Vec<f64>,
    pub(crate) v: Vec<f64>,
    pub(crate) a: Vec<f64>,
    /// How the joints move along eight directions: one row a degree of freedom. The one after the last does not move.
    pub(crate) dq: Vec<Row>,
    pub(crate) dv: Vec<Row>,
    pub(crate) da: Vec<Row>,
    /// Wrenches, and how they vary in coordinates of their own.
    pub(crate) wrenches: Vec<(ExternalWrench, Six)>,
    /// The torques.
    pub(crate) tau: Vec<f64>,
    /// And theirs, one row more than there are degrees of freedom.
    pub(crate) dtau: Vec<Row>,
    /// Whether the rates of all coordinates are the velocities of the same numbers.
    pub(crate) flat: bool,
    pub(crate) steps: Vec<Step>,
    /// Whether the first of them is a base whose columns have no lanes.
    pub(crate) floats: bool,
    /// Whether several columns share a degree of freedom, so that its torque is a sum.
    pub(crate) shares: bool,
    /// By lanes, the last of which is the world.
    pub(crate) motion: Vec<Change>,
    /// By lanes: what columns that hang on it hand on, `Σ (dF_c + S_c ×* F_c δq_c)`, but for the one that follows.
    pub(crate) handed: Vec<Six>,
    /// `S ×* F`, in groups of eight lanes.
    pub(crate) turned: Vec<Six>,
    /// What torques vary with their joints' accelerations, and velocities, besides.
    pub(crate) joints: Vec<[Row; 2]>,
}

/// How the motion of a body varies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    /// The angular part of `dν`: `B` has no use for the linear one.
    pub(crate) omega: [Row; 3],
    pub(crate) beta: Six,
}

/// One column of a motion subspace, in the order of the bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) lane: usize,
    /// That of a weld is the one after the last.
    pub(crate) dof: usize,
    /// The lane that it hangs on; one past the last for the world.
    pub(crate) parent: usize,
    /// Whether the body is attached to it: it is the last of its joint.
    pub(crate) carries: bool,
    /// Whether it is attached to the one before.
    pub(crate) follows: bool,
    /// Whether others than the one that follows are attached to it.
    pub(crate) gathers: bool,
    /// Whether it is the last of those others that are attached to its parent, the first on the way back.
    pub(crate) is_last: bool,
}

impl Tangents {
    pub(crate) fn new(layout: &Layout) -> Self {
        let (nv, lanes, six) = (layout.nv, layout.dof.len(), [Row::ZERO; 6]);
        let mut steps = Vec::with_capacity(lanes);
        for at in &layout.bodies {
            let mut parent = at.parent;
            for lane in at.lane + 1 - at.columns..=at.lane {
                let (dof, carries) = (layout.dof[lane].unwrap_or(nv), lane == at.lane);
                // A base whose columns have no lanes is done by itself.
                let before = steps.last().filter(|_| steps.len() > 1 || layout.first == 0);
                let follows = before.is_some_and(|before: &Step| before.lane == parent);
                steps.push(Step { lane, dof, parent, carries, follows, gathers: false, is_last: false });
                parent = lane;
            }
        }
        let mut gathers = vec![false; lanes + 1];
        for step in steps.iter_mut().rev() {
            step.gathers = gathers[step.lane];
            step.is_last = !step.follows && !std::mem::replace(&mut gathers[step.parent], true);
        }
        let rows = vec![Row::ZERO; nv + 1];
        Self {
            q: vec![0.0; layout.nq],
            v: vec![0.0; nv],
            a: vec![0.0; nv],
            dq: rows.clone(),
            dv: rows.clone(),
            da: rows.clone(),
            wrenches: Vec::with_capacity(layout.bodies.len().max(WIDTH)),
            tau: vec![0.0; nv],
            dtau: rows,
            flat: layout.flat,
            floats: layout.first > 0,
            shares: layout.first + layout.dof.iter().flatten().count() > nv,
            steps,
            motion: vec![Change { omega: [Row::ZERO; 3], beta: six }; lanes + 1],
            handed: vec![six; lanes],
            turned: vec![six; layout.groups.len()],
            joints: vec![[Row::ZERO; 2]; layout.groups.len()],
        }
    }
}
