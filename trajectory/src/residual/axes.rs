//! Axes of joints, and how they rotate with the configuration: the building blocks of second derivatives of kinematics.
//!
//! The axis `S_i` of a degree of freedom is the motion that it gives to everything it carries. Joints are series of
//! stages ([`JointKind::stage_end`]). Axes of one stage do not move in its own body, so along `q ⊕ ε e_i`
//!
//! ```text
//! ∂S_j/∂q_i = S_i × S_j ,   stage of i before that of j on the path from the root, or the same;   0 otherwise        (1)
//! ```
//!
//! Second derivatives come from (1) with i moved first. Within a stage the order matters, and the Hessian of `f(q ⊕ x)`
//! is the mean of both orders; between stages it does not. A degree of freedom that moves several joints through mimic
//! joints has several axes.

use crate::fault::Reason;
use gradyn::dynamics::{FrameRef, Kinematics, forward_kinematics, frame_pose};
use gradyn::joint::JointKind;
use gradyn::{BodyId, Force, Model, Motion, Transform, Workspace};
use nalgebra::{DMatrix, Vector3};

/// No axis.
const NONE: usize = usize::MAX;

/// The motion that a degree of freedom gives to what a joint carries.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) motion: Motion<f64>,
    pub(super) dof: usize,
    /// The body of the joint, by its index.
    pub(super) body: usize,
    stage: usize,
    /// The one before it on the path from the root.
    previous: usize,
}

/// Axes of the joints of a robot, or on the path to one frame, the root's first.
#[derive(Debug, Default)]
pub(super) struct Axes {
    pub(super) list: Vec<Axis>,
    /// Of each body the last axis on the path to it, itself included.
    last: Vec<usize>,
    path: Vec<BodyId>,
    columns: Vec<Motion<f64>>,
    forces: Vec<Force<f64>>,
}

/// The coordinates that axes are wanted in.
#[derive(Clone, Copy, Debug)]
pub(super) enum Coordinates {
    /// Of the frame.
    Local,
    /// Axes of the world, about the frame's origin.
    Aligned,
    /// Of the world.
    World,
}

impl Coordinates {
    /// Their pose in the world, from the frame's.
    pub(super) fn about(self, pose: &Transform<f64>) -> Transform<f64> {
        match self {
            Self::Local => *pose,
            Self::Aligned => Transform::from_translation(pose.translation),
            Self::World => Transform::identity(),
        }
    }
}

/// The body that a frame is on; `None` for the world.
fn attached(model: &Model, frame: FrameRef) -> Option<BodyId> {
    match frame {
        FrameRef::Body(body) => Some(body),
        FrameRef::Frame(frame) => model.frames().get(frame.index())?.body(),
    }
}

fn unknown() -> Reason {
    Reason::ForeignFrame
}

impl Axes {
    /// Those that move a frame, in coordinates whose pose follows from the frame's; its pose in the world.
    pub(super) fn of_frame(
        &mut self,
        model: &Model,
        workspace: &mut Workspace,
        [q, v, a]: [&[f64]; 3],
        frame: FrameRef,
        about: impl FnOnce(&Transform<f64>) -> Transform<f64>,
    ) -> Result<Transform<f64>, Reason> {
        let moved = forward_kinematics(model, workspace, q, v, a)?;
        let pose = match frame {
            FrameRef::Body(body) => moved.pose(body),
            FrameRef::Frame(frame) => moved.frame_pose(frame),
        };
        let Some(pose) = pose else {
            frame_pose(model, workspace, q, frame)?; // says why there is none
            return Err(unknown());
        };
        self.along_path(model, &moved, q, attached(model, frame), &about(&pose))?;
        Ok(pose)
    }

    /// Those that move a body, in coordinates whose pose in the world this is.
    pub(super) fn along_path(
        &mut self,
        model: &Model,
        moved: &Kinematics<'_, f64, f64>,
        q: &[f64],
        tip: Option<BodyId>,
        about: &Transform<f64>,
    ) -> Result<(), Reason> {
        self.list.clear();
        self.path.clear();
        let mut at = tip;
        while let Some(body) = at {
            self.path.push(body);
            at = model.bodies()[body.index()].parent();
        }
        for k in (0..self.path.len()).rev() {
            let previous = self.list.len().wrapping_sub(1);
            self.push(model, moved, q, self.path[k], previous, about)?;
        }
        Ok(())
    }

    /// Those of all joints.
    pub(super) fn of_all(
        &mut self,
        model: &Model,
        moved: &Kinematics<'_, f64, f64>,
        q: &[f64],
        about: &Transform<f64>,
    ) -> Result<(), Reason> {
        self.list.clear();
        self.last.clear();
        for (k, body) in model.bodies().iter().enumerate() {
            let before = body.parent().map_or(NONE, |parent| self.last[parent.index()]);
            let (first, id) = (self.list.len(), model.body_id(k).ok_or_else(unknown)?);
            self.push(model, moved, q, id, before, about)?;
            self.last.push(if self.list.len() > first { self.list.len() - 1 } else { before });
        }
        Ok(())
    }

    fn push(
        &mut self,
        model: &Model,
        moved: &Kinematics<'_, f64, f64>,
        q: &[f64],
        id: BodyId,
        mut previous: usize,
        about: &Transform<f64>,
    ) -> Result<(), Reason> {
        let body = &model.bodies()[id.index()];
        let dofs = body.v_range();
        if dofs.is_empty() {
            return Ok(());
        }
        let x = about.inv_mul(&moved.pose(id).ok_or_else(unknown)?);
        self.columns.resize(dofs.len(), Motion::zero());
        body.joint().motion_subspace(&q[body.q_range()], &mut self.columns);
        let (mut stage, mut end) = (self.list.len(), 0);
        for (k, (column, dof)) in self.columns.iter().zip(dofs).enumerate() {
            if k >= end {
                (stage, end) = (self.list.len(), body.joint().stage_end(k));
            }
            let motion = x.act(*column);
            self.list.push(Axis { motion, dof, body: id.index(), stage, previous });
            previous = self.list.len() - 1;
        }
        Ok(())
    }

    /// Whether the stage of the axis i is before that of j, which is on the same path.
    #[inline(always)]
    pub(super) fn is_before(&self, i: usize, j: usize) -> bool {
        self.list[i].stage < self.list[j].stage
    }
    /// The one before on the path.
    #[inline(always)]
    pub(super) fn previous(&self, j: usize) -> Option<usize> {
        Some(self.list[j].previous).filter(|i| *i != NONE)
    }
    /// The axis before the stage of this one.
    #[inline(always)]
    pub(super) fn before_stage(&self, j: usize) -> Option<usize> {
        self.previous(self.list[j].stage)
    }
    /// The last axis of the stage.
    #[inline(always)]
    pub(super) fn stage_last(&self, j: usize) -> usize {
        let mut last = j;
        while self.list.get(last + 1).is_some_and(|next| next.stage == self.list[j].stage) {
            last += 1;
        }
        last
    }

    /// Adds the symmetric Hessian whose entries, i moved before j, this gives for i at most j on one path, to the rows
    /// and columns from this one on.
    #[inline(always)]
    pub(super) fn add_pairs(&self, out: &mut DMatrix<f64>, first: usize, entry: impl Fn(usize, usize) -> f64) {
        for j in 0..self.list.len() {
            let mut at = Some(j);
            while let Some(i) = at {
                let both = i != j && self.list[i].stage == self.list[j].stage;
                let h = if both { 0.5 * (entry(i, j) + entry(j, i)) } else { entry(i, j) };
                let (row, column) = (first + self.list[i].dof, first + self.list[j].dof);
                out[(row, column)] += h;
                if i != j {
                    out[(column, row)] += h;
                }
                at = self.previous(i);
            }
        }
    }

    /// Adds the block by configurations and by something linear that has an entry a degree of freedom, which begins at
    /// this row, and its transpose: entries by (axis that moves the configuration, other axis), of all pairs on one
    /// path.
    #[inline(always)]
    pub(super) fn add_rectangle(&self, out: &mut DMatrix<f64>, first: usize, entry: impl Fn(usize, usize) -> f64) {
        let mut add = |i: usize, k: usize| {
            let (row, column, h) = (self.list[i].dof, first + self.list[k].dof, entry(i, k));
            out[(row, column)] += h;
            out[(column, row)] += h;
        };
        for j in 0..self.list.len() {
            add(j, j);
            let mut at = self.previous(j);
            while let Some(i) = at {
                add(i, j);
                add(j, i);
                at = self.previous(i);
            }
        }
    }

    /// The same where the entry is `S_i · f(S_j)`.
    #[inline(always)]
    pub(super) fn add_pairs_by(&mut self, out: &mut DMatrix<f64>, force: impl Fn(&Axis) -> Force<f64>) {
        let mut forces = std::mem::take(&mut self.forces);
        forces.clear();
        forces.extend(self.list.iter().map(force));
        self.add_pairs(out, 0, |i, j| self.list[i].motion.power(forces[j]));
        self.forces = forces;
    }

    /// Adds `λ · ∂²p` of the place p that these axes of the world are about: `λ · (ω_i × v_j)`.
    pub(super) fn add_place(&mut self, out: &mut DMatrix<f64>, lambda: Vector3<f64>) {
        self.add_pairs_by(out, |axis| Force::new(Vector3::zeros(), axis.motion.linear.cross(&lambda)));
    }
}
