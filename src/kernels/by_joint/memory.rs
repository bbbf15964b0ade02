//! Rows of eight numbers: one quantity of eight degrees of freedom.

use crate::formulas::external_wrench::ExternalWrench;
use crate::kernels::blocks::factors::Factors;
use crate::kernels::by_copy::bodies;
use crate::kernels::by_joint::articulated::Articulated;
use crate::kernels::by_joint::constraints::solve::Held;
use crate::kernels::by_joint::tangents::Tangents;
use crate::kernels::by_joint::torque_hessian::Scratch;
use crate::plan::bodies::DepthGroups;
use crate::plan::joints::Layout;
pub(crate) use crate::plan::rows::{Row, load_matrix, load_symmetric, load_vector, store_vector};
use crate::spatial::{BodyCoriolis, Force, InertiaAboutOrigin, Motion, Symmetric3};
use gradyn_derivatives::simd::{Register, VectorLevel, WIDTH};
use gradyn_derivatives::{Lanes, Real};
use nalgebra::{Matrix3, Vector3};
use std::any::Any;

/// Numbers that stand side by side, into rows, the last one filled up with zeros.
#[inline(always)]
pub(crate) fn to_rows(from: &[f64], to: &mut [Row]) {
    let (whole, rest) = from.as_chunks();
    for (to, from) in to.iter_mut().zip(whole) {
        to.0 = *from;
    }
    if let (false, Some(last)) = (rest.is_empty(), to.get_mut(whole.len())) {
        *last = Row::ZERO;
        for (to, from) in last.0.iter_mut().zip(rest) {
            *to = *from;
        }
    }
}

/// And back.
#[inline(always)]
pub(crate) fn from_rows(from: &[Row], to: &mut [f64]) {
    let (whole, rest) = to.as_chunks_mut();
    for (to, from) in whole.iter_mut().zip(from) {
        *to = from.0;
    }
    if let Some(last) = from.get(whole.len()) {
        for (to, from) in rest.iter_mut().zip(last.0) {
            *to = from;
        }
    }
}

/// Linear and angular part.
pub(crate) type Six = [Row; 6];

#[inline(always)]
pub(crate) fn load_motion<R: Register>(m: &Six) -> Motion<Lanes<R>> {
    Motion::new(
        Vector3::new(m[0].load(), m[1].load(), m[2].load()),
        Vector3::new(m[3].load(), m[4].load(), m[5].load()),
    )
}
#[inline(always)]
pub(crate) fn store_motion<R: Register>(to: &mut Six, m: Motion<Lanes<R>>) {
    store_vectors(to, m.linear, m.angular);
}
#[inline(always)]
pub(crate) fn store_force<R: Register>(to: &mut Six, f: Force<Lanes<R>>) {
    store_vectors(to, f.linear, f.angular);
}
#[inline(always)]
fn store_vectors<R: Register>(to: &mut Six, a: Vector3<Lanes<R>>, b: Vector3<Lanes<R>>) {
    to[0].store(a.x);
    to[1].store(a.y);
    to[2].store(a.z);
    to[3].store(b.x);
    to[4].store(b.y);
    to[5].store(b.z);
}

/// What is summed up over subtrees: force, then for derivatives inertia and Coriolis matrix.
pub(crate) const FORCE: usize = 6;
/// Mass, first moment, moment about the origin.
pub(crate) const INERTIA: usize = 10;
/// And the Coriolis matrix: momentum, nine entries.
pub(crate) const ALL: usize = FORCE + INERTIA + 12;

/// The sums of eight degrees of freedom.
pub(crate) type Sums = [Row; ALL];

#[inline(always)]
pub(crate) fn load_sum_force<R: Register>(x: &Sums) -> Force<Lanes<R>> {
    Force::new(Vector3::new(x[0].load(), x[1].load(), x[2].load()), Vector3::new(x[3].load(), x[4].load(), x[5].load()))
}
#[inline(always)]
pub(crate) fn store_sum_force<R: Register>(to: &mut Sums, f: Force<Lanes<R>>) {
    to[0].store(f.linear.x);
    to[1].store(f.linear.y);
    to[2].store(f.linear.z);
    to[3].store(f.angular.x);
    to[4].store(f.angular.y);
    to[5].store(f.angular.z);
}
#[inline(always)]
pub(crate) fn load_inertia<R: Register>(x: &Sums) -> InertiaAboutOrigin<Lanes<R>> {
    InertiaAboutOrigin {
        mass: x[6].load(),
        first_moment: Vector3::new(x[7].load(), x[8].load(), x[9].load()),
        moment: Symmetric3::new(x[10].load(), x[11].load(), x[12].load(), x[13].load(), x[14].load(), x[15].load()),
    }
}
#[inline(always)]
pub(crate) fn store_inertia<R: Register>(to: &mut Sums, y: InertiaAboutOrigin<Lanes<R>>) {
    store_weight(to, y.mass, y.first_moment);
    to[10].store(y.moment.xx);
    to[11].store(y.moment.xy);
    to[12].store(y.moment.xz);
    to[13].store(y.moment.yy);
    to[14].store(y.moment.yz);
    to[15].store(y.moment.zz);
}
/// The inertia in a lane.
#[inline(always)]
pub(crate) fn inertia_of_lane(sums: &[Sums], lane: usize) -> InertiaAboutOrigin<f64> {
    let x = |row: usize| sums[lane / WIDTH][row].0[lane % WIDTH];
    InertiaAboutOrigin {
        mass: x(6),
        first_moment: Vector3::new(x(7), x(8), x(9)),
        moment: Symmetric3::new(x(10), x(11), x(12), x(13), x(14), x(15)),
    }
}
/// The Coriolis matrix in a lane.
#[inline(always)]
pub(crate) fn coriolis_of_lane(sums: &[Sums], lane: usize) -> BodyCoriolis<f64> {
    let x = |row: usize| sums[lane / WIDTH][row].0[lane % WIDTH];
    #[rustfmt::skip]
    let angular = Matrix3::new(
        x(19), x(20), x(21),
        x(22), x(23), x(24),
        x(25), x(26), x(27),
    );
    BodyCoriolis { momentum: Vector3::new(x(16), x(17), x(18)), angular }
}
/// Mass and first moment of an inertia.
#[inline(always)]
pub(crate) fn load_weight<R: Register>(x: &Sums) -> (Lanes<R>, Vector3<Lanes<R>>) {
    (x[6].load(), Vector3::new(x[7].load(), x[8].load(), x[9].load()))
}
/// Mass and first moment of an inertia.
#[inline(always)]
pub(crate) fn store_weight<R: Register>(to: &mut Sums, mass: Lanes<R>, first_moment: Vector3<Lanes<R>>) {
    to[6].store(mass);
    to[7].store(first_moment.x);
    to[8].store(first_moment.y);
    to[9].store(first_moment.z);
}
#[inline(always)]
pub(crate) fn load_coriolis<R: Register>(x: &Sums) -> BodyCoriolis<Lanes<R>> {
    BodyCoriolis {
        momentum: Vector3::new(x[16].load(), x[17].load(), x[18].load()),
        #[rustfmt::skip]
        angular: Matrix3::new(
            x[19].load(), x[20].load(), x[21].load(),
            x[22].load(), x[23].load(), x[24].load(),
            x[25].load(), x[26].load(), x[27].load(),
        ),
    }
}
#[inline(always)]
pub(crate) fn store_coriolis<R: Register>(to: &mut Sums, b: &BodyCoriolis<Lanes<R>>) {
    to[16].store(b.momentum.x);
    to[17].store(b.momentum.y);
    to[18].store(b.momentum.z);
    let mut row = 0;
    while row < 3 {
        let mut column = 0;
        while column < 3 {
            to[19 + 3 * row + column].store(b.angular[(row, column)]);
            column += 1;
        }
        row += 1;
    }
}

/// What derivatives need of eight degrees of freedom besides their sums; names as in the literature (IDSVA).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    /// `Ψ̇ = v_λ × S`
    pub(crate) psi_d: Six,
    /// `Ψ̈ = a_λ × S + v_λ × Ψ̇`
    pub(crate) psi_dd: Six,
    /// `Ψ̇ + Ṡ`
    pub(crate) psi_s: Six,
    /// `A = I_C S`
    pub(crate) a: Six,
    /// `Q = B_C Ψ̇ + I_C Ψ̈ + f_C ×̄* S`
    pub(crate) q: Six,
    /// `V = B_C S + I_C (Ψ̇ + Ṡ)`
    pub(crate) v: Six,
    /// `T = B_Cᵀ S`: its linear part is zero.
    pub(crate) t: [Row; 3],
}

impl Columns {
    const ZERO: Self = {
        let six = [Row::ZERO; 6];
        Self { psi_d: six, psi_dd: six, psi_s: six, a: six, q: six, v: six, t: [Row::ZERO; 3] }
    };
}

/// Scratch memory of a [`Layout`], a group of eight degrees of freedom an entry.
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
    /// Columns of the motion subspaces; of a robot [`afloat`](super::afloat) those of the base come last.
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
    pub(crate) held: Option<Box<Held>>,
    /// Of eight directional derivatives; made when first needed.
    pub(crate) tangents: Option<Box<Tangents>>,
    /// Of Hessians of torques; made when first needed.
    pub(crate) weighted: Option<Box<Scratch>>,
    /// How the base of a robot [`afloat`](super::afloat) moves: velocity and acceleration, in the first lane.
    pub(crate) base: [Six; 2],
    /// And what it takes to move it so.
    pub(crate) base_torques: [f64; 6],
    /// JointsMemory for the fewer lanes of such a robot.
    pub(crate) afloat: Option<Box<Self>>,
    /// For bodies of several limbs at a time.
    pub(crate) branches: Option<Box<bodies::BodiesMemory>>,
    /// Wrenches of this call.
    pub(crate) wrenches: Vec<ExternalWrench>,
    /// Of each tree: origin of the body at its root in the world.
    pub(crate) origins: Vec<Vector3<f64>>,
    /// Of each tree: the centre of mass of the robot, in its coordinates.
    pub(crate) centers: Vec<Vector3<f64>>,
    /// Of the body of each lane, after forward kinematics.
    pub(crate) bodies: Vec<Bodies>,
}

/// Where eight bodies are and how they move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bodies {
    /// Row by row.
    pub(crate) rotation: [Row; 9],
    /// In coordinates of the tree.
    pub(crate) translation: [Row; 3],
    /// In coordinates of the body.
    pub(crate) velocity: Six,
    /// In coordinates of the body.
    pub(crate) acceleration: Six,
}

impl JointsMemory {
    pub(crate) fn new(layout: &Layout, level: VectorLevel) -> Self {
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
            tangents: None,
            weighted: None,
            base: [[Row::ZERO; 6]; 2],
            base_torques: [0.0; 6],
            afloat: layout.afloat.as_ref().map(|fewer| Box::new(Self::new(fewer, level))),
            branches: layout.depth_groups.as_ref().map(|groups| Box::new(bodies::BodiesMemory::new(groups))),
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

    /// JointsMemory for the fewer lanes of a robot [`afloat`](super::afloat), with the wrenches of this call.
    #[inline(always)]
    pub(crate) fn afloat(&mut self, layout: &Layout) -> &mut Self {
        let Self { level, afloat, wrenches, .. } = self;
        let memory = afloat.get_or_insert_with(|| Box::new(Self::new(layout, *level)));
        memory.level = *level;
        memory.wrenches.clone_from(wrenches);
        memory
    }

    /// The depth groups of a robot whose branches go side by side, and memory for them.
    #[inline(always)]
    pub(crate) fn branches<'m, 'l>(
        &'m mut self,
        layout: &'l Layout,
    ) -> Option<(&'l DepthGroups, &'m mut bodies::BodiesMemory)> {
        let groups = layout.depth_groups.as_ref()?;
        Some((groups, self.branches.get_or_insert_with(|| Box::new(bodies::BodiesMemory::new(groups)))))
    }

    /// JointsMemory for the mass matrix.
    pub(crate) fn size_mass(&mut self, layout: &Layout) {
        self.size_columns(layout);
        let groups = layout.groups.len();
        if self.scale.len() != groups {
            self.scale = vec![Row::ZERO; groups];
            self.mass = vec![Row::ZERO; groups * groups * WIDTH];
        }
    }

    /// JointsMemory for derivatives.
    pub(crate) fn size_columns(&mut self, layout: &Layout) {
        let groups = layout.groups.len() + usize::from(layout.first > 0);
        if self.columns.len() != groups {
            self.columns = vec![Columns::ZERO; groups];
        }
    }
}
