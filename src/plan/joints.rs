//! A model for forms that process eight joints at a time: constants lane by lane, and data of bodies, groups and pairs
//! of them.

use crate::joint::Joint;
use crate::model::DofDynamics;
use crate::plan::bodies::BodiesLayout;
use crate::plan::dof_tree::DofTree;
use crate::plan::floating::Floating;
use crate::plan::forms::Plan;
use crate::plan::rows::Row;
use crate::plan::states::StatesLayout;
use crate::spatial::Transform;
use gradyn_derivatives::{Places, WIDTH};
use nalgebra::{Matrix3, Vector3};
use std::ops::Range;

/// The lanes of a model.
#[derive(Clone, Debug)]
pub(crate) struct JointsLayout {
    pub(crate) groups: Vec<Group>,
    pub(crate) bodies: Vec<BodyStep>,
    /// Degrees of freedom.
    pub(crate) nv: usize,
    /// Armature, damping and friction.
    pub(crate) dofs: Vec<DofDynamics>,
    /// Which degrees of freedom couple in the mass matrix.
    pub(crate) tree_of_dofs: DofTree,
    /// The degree of freedom of each lane that has one.
    pub(crate) dof: Vec<Option<usize>>,
    /// The column of each lane that has one, counted body by body.
    pub(crate) column: Vec<Option<usize>>,
    /// The degree of freedom of the first lane: the first one, but of a robot [`floating`](super::floating).
    pub(crate) first: usize,
    /// Whether lane `k` is degree of freedom `first + k`, each once.
    pub(crate) direct: bool,
    /// Where the angles of eight hinges, in the bodies' order, stand side by side in `q`.
    pub(crate) angles: Vec<Option<Angles>>,
    /// The other joints that turn by a coordinate, with multiplier and offset.
    pub(crate) turns: Vec<Turn>,
    /// Joints that turn by cosine and sine: number of the hinge, and place in `q`.
    pub(crate) cos_sin: Vec<(usize, usize)>,
    /// Armature, damping and friction of what a lane has one entry of.
    pub(crate) joints: Vec<JointRows>,
    /// Entries beyond the first of a degree of freedom.
    pub(crate) more_joints: Vec<DofDynamics>,
    /// Pairs of a column and eight rows that have an entry other than zero, by rows.
    pub(crate) pairs: Vec<Vec<Pair>>,
    /// Columns that descend from lanes of each group, eight of one group at a time, its own first.
    pub(crate) carried: Vec<Vec<Carried>>,
    /// Of each body, of each group the lanes between it and the root.
    pub(super) paths: Vec<u8>,
    /// For each body and each eight hinges: whether some of them are between it and the root.
    pub(super) turning: Vec<bool>,
    /// The bodies at the roots, and where their joints are mounted in the world.
    pub(crate) roots: Vec<(usize, Vector3<f64>)>,
    /// Which of the trees each lane belongs to.
    pub(crate) tree: Vec<usize>,
    /// The bodies that float.
    pub(crate) floating: Vec<Floating>,
    /// For eight states at a time, if there is a form for such joints.
    pub(crate) states_layout: Option<StatesLayout>,
    /// For four bodies of equal depth at a time, if that pays.
    pub(crate) bodies_layout: Option<BodiesLayout>,
    /// Which form what goes by.
    pub(crate) plan: Plan,
    /// The lanes without those of a [`floating`](super::floating) base, if these suffice and are fewer groups.
    pub(crate) without_base_lanes: Option<Box<JointsLayout>>,
}

/// Angles of eight hinges: that of the first would be `q[start]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Angles {
    pub(crate) start: usize,
    /// The hinges that have one.
    pub(crate) hinges: u8,
}

/// A joint that turns by `k q + b`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// Number of the hinge.
    pub(crate) hinge: usize,
    pub(crate) q: usize,
    pub(crate) multiplier: f64,
    pub(crate) offset: f64,
}

/// Armature, damping and friction of eight lanes.
#[derive(Clone, Debug)]
pub(crate) struct JointRows {
    /// Whether there is any.
    pub(crate) some: bool,
    /// Whether there is any friction.
    pub(crate) rub: bool,
    pub(crate) multiplier: Row,
    pub(crate) armature: Row,
    pub(crate) damping: Row,
    pub(crate) friction: Row,
}

/// Eight lanes.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Whether all joints are hinges about their own z axis, so that `S = (p × z, z)`.
    pub(crate) hinges: bool,
    /// Whether all joints have one degree of freedom, so that `v_λ` is not needed.
    pub(crate) single: bool,
    /// Whether the body of the first lane is a base whose motion is in `memory.base`.
    pub(crate) floats: bool,
    /// Columns of the motion subspaces in coordinates of the bodies.
    pub(crate) subspace: [Row; 6],
    /// From the axes of the lanes to those of the bodies, row by row.
    pub(crate) axes: [Row; 9],
    /// Inertia, where a body's last column stands: mass, center of mass, rotational inertia about it.
    pub(crate) mass: Row,
    pub(crate) com: [Row; 3],
    pub(crate) rotational: [Row; 6],
    /// Sums from the root, inside the group.
    pub(crate) ancestors: Vec<Places>,
    /// And from groups before.
    pub(crate) ancestors_before: Vec<(usize, Places)>,
    /// The last column of the parent body, from this group or one before.
    pub(crate) parent: Vec<(usize, Places)>,
    /// The last column of the body itself.
    pub(crate) own: Places,
    /// Sums over subtrees, inside the group.
    pub(crate) subtree: Vec<Places>,
    /// And from groups after.
    pub(crate) subtree_after: Vec<(usize, Places)>,
    /// The same step by step: the parent of each in this group, `WIDTH` standing for none.
    pub(crate) links: [usize; WIDTH],
    /// The group before, and its lane, of each one's parent.
    pub(crate) parents_before: [Option<(usize, usize)>; WIDTH],
    /// And which lanes of groups after add to a lane of this one: the lane, the group, its lane.
    pub(crate) children_after: Vec<(usize, usize, usize)>,
}

/// What the pose of a body takes.
#[derive(Clone, Debug)]
pub(crate) struct BodyStep {
    /// Lane of its last column; [`Self::columns`] lanes end there.
    pub(crate) lane: usize,
    pub(crate) columns: usize,
    /// Lane of its parent's last column; one past the last lane for the world.
    pub(crate) parent: usize,
    pub(crate) kind: StepKind,
    /// Which tree it belongs to.
    pub(crate) tree: usize,
    /// Its coordinates.
    pub(crate) q: Range<usize>,
    /// Its degrees of freedom.
    pub(crate) v: Range<usize>,
    /// Its parent.
    pub(crate) above: Option<usize>,
    /// Where its joint is mounted on that.
    pub(crate) placement: Transform<f64>,
    /// The body after the last of its subtree: bodies are numbered depth first.
    pub(crate) subtree_end: usize,
    /// How many bodies before it the origin of its tree has gone along with, if it goes on to this one.
    pub(crate) trunk: usize,
    /// From the body's own axes to those of its lane, whose z axis is that of the hinge.
    pub(crate) axes: Matrix3<f64>,
}

#[derive(Clone, Debug)]
pub(crate) enum StepKind {
    /// A hinge, numbered in the bodies' order: the pose in the parent is `cos` times the first rows, `sin` times the
    /// second, plus the third.
    Hinge { number: usize, rows: Box<HingeRows> },
    /// Anything else: the joint, and the mounting pose, in axes of the parent's lane; none where it is the identity.
    Other { joint: Box<Joint>, placement: Option<Box<Transform<f64>>> },
}

/// Row `k` of the local rotation `[G₀ G₁ | G₂ p]`, each entry four times, to be multiplied with column `k` of the
/// parent's.
#[derive(Clone, Debug)]
pub(crate) struct HingeRows {
    pub(crate) cos: [Row; 3],
    pub(crate) sin: [Row; 3],
    pub(crate) rest: [Row; 3],
}

/// Rows of one group against one column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// Lane of the column.
    pub(crate) column: usize,
    /// Which column of a matrix it is, where lanes are degrees of freedom.
    pub(crate) to: usize,
    /// Rows that carry the column's body, or are its own.
    pub(crate) above: u8,
    /// Rows of its descendants.
    pub(crate) below: u8,
    /// Whether the column is that of a floating body, along its own axes.
    pub(crate) floating: bool,
}

/// Columns of one group that descend from lanes of another, or of the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carried {
    /// The group of the columns.
    pub(crate) group: usize,
    /// Of each column, the lanes that carry its body or are its own.
    pub(crate) above: [u8; WIDTH],
}

impl JointsLayout {
    /// Row of a matrix that is lane 0 of these pairs, where lanes are degrees of freedom.
    #[inline(always)]
    pub(crate) fn row(&self, g: usize) -> usize {
        if g == self.groups.len() { 0 } else { self.first + g * WIDTH }
    }

    /// Row and column of a matrix that a lane is, where lanes are degrees of freedom.
    #[inline(always)]
    pub(crate) fn to(&self, lane: usize) -> usize {
        self.row(lane / WIDTH) + lane % WIDTH
    }

    /// Whether lanes of group `g` are between a body and the root.
    #[inline(always)]
    pub(crate) fn passes(&self, body: usize, g: usize) -> bool {
        self.lanes_of_path(body, g) != 0
    }

    /// Whether some of the hinges of register `k` are between a body and the root.
    #[inline(always)]
    pub(crate) fn turns(&self, body: usize, k: usize) -> bool {
        self.turning[body * self.angles.len() + k]
    }

    /// The lanes of group `g` between a body and the root, its own among them.
    #[inline(always)]
    pub(crate) fn lanes_of_path(&self, body: usize, g: usize) -> u8 {
        self.paths[body * self.groups.len() + g]
    }

    /// The bodies between a body and the root, from itself on.
    #[inline(always)]
    pub(crate) fn bodies_to_root(&self, body: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(body), |i| self.bodies[*i].above)
    }

    /// The lanes between a body and the root, its own among them: groups, and a bit for each lane there.
    #[inline(always)]
    pub(crate) fn path(&self, body: usize) -> impl Iterator<Item = (usize, u8)> {
        let groups = self.groups.len();
        self.paths[body * groups..][..groups].iter().copied().enumerate().filter(|(_, lanes)| *lanes != 0)
    }
}
