//! Scratch memory of kernels by joint.
//! Serves: `kernels/by_joint/mod.rs`. Test: `same_bits_again::results_have_the_same_bits_each_time`.

use crate::formulas::external_wrench::ExternalWrench;
use crate::kernels::blocks::factors::Factors;
use crate::kernels::by_copy::bodies::BodiesMemory;
use crate::kernels::by_joint::articulated::factors::Articulated;
use crate::kernels::by_joint::constraints::factors::ConstraintFactors;
use crate::kernels::by_joint::contraction::Scratch;
use crate::kernels::by_joint::quantities::{ALL, Bodies, Columns, Six, Sums};
use crate::plan::{BodiesLayout, JointsLayout, Row};
use gradyn_derivatives::{Real, VectorLevel, WIDTH};
use nalgebra::Vector3;
use std::any::Any;

/// Scratch memory of a [`JointsLayout`], a group of eight degrees of freedom an entry.
#[derive(Clone, Debug)]
pub(crate) struct JointsMemory {
    /// The level of the call.
    pub(crate) level: VectorLevel,
    /// Of each hinge, in the bodies' order.
    pub(crate) sin: Vec<Row>,
    pub(crate) cos: Vec<Row>,
    /// Velocities and accelerations of the degrees of freedom.
    pub(crate) qd: Vec<Row>,
    pub(crate) qdd: Vec<Row>,
    /// Pose of the body of each lane: columns 0 and 1 of the rotation, then column 2 and the translation; four numbers
    /// each. The last entry is the world's.
    pub(crate) poses: Vec<[Row; 2]>,
    /// Columns of the motion subspaces; those of a [floating base](super::floating_base) come last.
    pub(crate) s: Vec<Six>,
    /// Of the body of each lane, about the origin of its tree.
    pub(crate) velocity: Vec<Six>,
    /// The same, without the `−g` of the base, which `acceleration` of a [`Workspace`](crate::dynamics::Workspace) has.
    pub(crate) acceleration: Vec<Six>,
    pub(crate) sums: Vec<Sums>,
    /// Made at the first call for derivatives; those of a base come last.
    pub(crate) columns: Vec<Columns>,
    /// Matrices of all lanes, where lanes are not degrees of freedom one by one.
    pub(crate) scratch: Vec<f64>,
    pub(crate) tau: Vec<Row>,
    /// The mass matrix of the lanes, in blocks: eight rows of a register each.
    pub(crate) mass: Vec<Row>,
    /// What the pivots of the mass matrix are compared with.
    pub(crate) scale: Vec<Row>,
    /// Its factors; made when first needed.
    pub(crate) factors: Option<Box<Factors>>,
    /// Its inverse by articulated bodies, where that is faster; made when first needed.
    pub(crate) articulated: Option<Box<Articulated>>,
    /// What constraints hold; made when first needed.
    pub(crate) held: Option<Box<ConstraintFactors>>,
    /// Of Hessians of torques; made when first needed.
    pub(crate) weighted: Option<Box<Scratch>>,
    /// How a [floating base](super::floating_base) moves: velocity and acceleration, in the first lane.
    pub(crate) base: [Six; 2],
    /// And what it takes to move it so.
    pub(crate) base_torques: [f64; 6],
    /// Memory for the lanes without those of such a base.
    pub(crate) without_base_lanes: Option<Box<Self>>,
    /// For four bodies of equal depth at a time.
    pub(crate) by_bodies: Option<Box<BodiesMemory>>,
    /// Wrenches of this call.
    pub(crate) wrenches: Vec<ExternalWrench>,
    /// Of each tree: origin of the body at its root in the world.
    pub(crate) origins: Vec<Vector3<f64>>,
    /// Of each tree: the center of mass of the robot, in its coordinates.
    pub(crate) centers: Vec<Vector3<f64>>,
    /// Of the body of each lane, after forward kinematics.
    pub(crate) bodies: Vec<Bodies>,
}

impl JointsMemory {
    pub(crate) fn new(layout: &JointsLayout, level: VectorLevel) -> Self {
        let groups = layout.groups.len();
        let six = [Row::ZERO; 6];
        let bodies = Bodies { rotation: [Row::ZERO; 9], translation: [Row::ZERO; 3], velocity: six, acceleration: six };
        let identity = [Row([1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]), Row([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0])];
        Self {
            level,
            sin: vec![Row::ZERO; layout.angles.len()],
            cos: vec![Row::ONE; layout.angles.len()],
            qd: vec![Row::ZERO; groups],
            qdd: vec![Row::ZERO; groups],
            poses: vec![identity; groups * WIDTH + 1],
            s: vec![[Row::ZERO; 6]; groups + usize::from(layout.first > 0)],
            velocity: vec![[Row::ZERO; 6]; groups],
            acceleration: vec![[Row::ZERO; 6]; groups],
            sums: vec![[Row::ZERO; ALL]; groups],
            columns: Vec::new(),
            scratch: Vec::new(),
            tau: vec![Row::ZERO; groups],
            mass: Vec::new(),
            scale: Vec::new(),
            factors: None,
            articulated: None,
            held: None,
            weighted: None,
            base: [[Row::ZERO; 6]; 2],
            base_torques: [0.0; 6],
            without_base_lanes: layout.without_base_lanes.as_ref().map(|lanes| Box::new(Self::new(lanes, level))),
            by_bodies: layout.bodies_layout.as_ref().map(|groups| Box::new(BodiesMemory::new(groups))),
            wrenches: Vec::with_capacity(layout.bodies.len().max(WIDTH)),
            origins: layout.roots.iter().map(|(_, mounting)| *mounting).collect(),
            centers: vec![Vector3::zeros(); layout.roots.len()],
            bodies: vec![bodies; groups],
        }
    }

    /// Takes the wrenches of a call, which are of `f64`.
    #[inline(always)]
    pub(crate) fn act<T: Real>(&mut self, wrenches: &[ExternalWrench<T>]) {
        self.wrenches.clear();
        self.wrenches.extend(wrenches.iter().filter_map(|w| (w as &dyn Any).downcast_ref::<ExternalWrench>()));
    }

    /// Memory for the lanes without those of a [floating base](super::floating_base), with the wrenches of this call.
    #[inline(always)]
    pub(crate) fn without_base_lanes(&mut self, layout: &JointsLayout) -> &mut Self {
        let Self { level, without_base_lanes, wrenches, .. } = self;
        let memory = without_base_lanes.get_or_insert_with(|| Box::new(Self::new(layout, *level)));
        memory.level = *level;
        memory.wrenches.clone_from(wrenches);
        memory
    }

    /// The bodies of equal depth that go side by side, and memory for them.
    #[inline(always)]
    pub(crate) fn for_bodies<'m, 'l>(
        &'m mut self,
        layout: &'l JointsLayout,
    ) -> Option<(&'l BodiesLayout, &'m mut BodiesMemory)> {
        let groups = layout.bodies_layout.as_ref()?;
        Some((groups, self.by_bodies.get_or_insert_with(|| Box::new(BodiesMemory::new(groups)))))
    }

    /// Memory for the mass matrix.
    pub(crate) fn size_mass(&mut self, layout: &JointsLayout) {
        self.size_columns(layout);
        let groups = layout.groups.len();
        if self.scale.len() != groups {
            self.scale = vec![Row::ZERO; groups];
            self.mass = vec![Row::ZERO; groups * groups * WIDTH];
        }
    }

    /// Memory for derivatives.
    pub(crate) fn size_columns(&mut self, layout: &JointsLayout) {
        let groups = layout.groups.len() + usize::from(layout.first > 0);
        if self.columns.len() != groups {
            self.columns = vec![Columns::ZERO; groups];
        }
    }
}
