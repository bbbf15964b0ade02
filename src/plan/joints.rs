//! A model as forms that take eight joints at a time see it: constants lane by lane, and what bodies, groups and pairs of them take.

use crate::joint::{Elementary, Geometry, Joint, JointKind};
use crate::model::{Body, DofDynamics, Model, Refresh, path};
use crate::plan::bodies::DepthGroups;
use crate::plan::dof_tree::DofTree;
use crate::plan::floating::Floating;
use crate::plan::joint_axes::{hinge, joint_axes};
use crate::plan::lanes::Lanes;
use crate::plan::rows::Row;
use crate::plan::states::Table;
use crate::plan::{Branches, Facts, MOST_COLUMNS, Plan, factors_pay, floating, origin};
use crate::spatial::{Inertia, Motion, Transform, vector as v3};
use gradyn_derivatives::simd::{Places, WIDTH};
use nalgebra::{Matrix3, Vector3};
use std::ops::Range;

/// The lanes of a model.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub(crate) groups: Vec<Group>,
    pub(crate) bodies: Vec<BodyStep>,
    /// Degrees of freedom.
    pub(crate) nv: usize,
    /// Coordinates.
    pub(crate) nq: usize,
    /// Armature, damping and friction.
    pub(crate) dofs: Vec<DofDynamics>,
    /// Which degrees of freedom couple in the mass matrix.
    pub(crate) tree_of_dofs: DofTree,
    /// Is each configuration added to as a vector, coordinate by coordinate?
    pub(crate) flat: bool,
    /// The degree of freedom of each lane that has one.
    pub(crate) dof: Vec<Option<usize>>,
    /// The column of each lane that has one, counted body by body.
    pub(crate) column: Vec<Option<usize>>,
    /// The degree of freedom of the first lane: the first one, but of a robot [`floating`](super::floating).
    pub(crate) first: usize,
    /// Is lane `k` degree of freedom `first + k`, each once?
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
    /// Columns that hang from lanes of each group, eight of one group at a time, its own first.
    pub(crate) carried: Vec<Vec<Carried>>,
    /// Of each body, of each group the lanes between it and the root.
    paths: Vec<u8>,
    /// Of each body, for each eight hinges: are some of them between it and the root?
    turning: Vec<bool>,
    /// The bodies at the roots, and where their joints are mounted in the world.
    pub(crate) roots: Vec<(usize, Vector3<f64>)>,
    /// Which of the trees each lane belongs to.
    pub(crate) tree: Vec<usize>,
    /// The bodies that float.
    pub(crate) floating: Vec<Floating>,
    /// For eight states at a time, if there is a form for such joints.
    pub(crate) table: Option<Table>,
    /// For bodies of several limbs at a time, if that pays.
    pub(crate) depth_groups: Option<DepthGroups>,
    /// Which form what goes by.
    pub(crate) plan: Plan,
    /// Fewer lanes for robots [`floating`](super::floating), where these do.
    pub(crate) afloat: Option<Box<Layout>>,
}

/// Do the joint's coordinates move at its velocities?
pub(crate) fn is_flat(body: &Body) -> bool {
    body.q.len() == body.v.len() && body.joint.geometry() == Geometry::Flat
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
    /// Is there any?
    pub(crate) some: bool,
    /// Is there any friction?
    pub(crate) rub: bool,
    pub(crate) multiplier: Row,
    pub(crate) armature: Row,
    pub(crate) damping: Row,
    pub(crate) friction: Row,
}

/// Eight lanes.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Are all joints hinges about their own z axis, so that `S = (p × z, z)`?
    pub(crate) hinges: bool,
    /// Do all joints have one degree of freedom, so that `v_λ` need not be asked for?
    pub(crate) single: bool,
    /// Is the body of the first lane a base whose motion stands in `memory.base`?
    pub(crate) floats: bool,
    /// Columns of the motion subspaces in coordinates of the bodies.
    pub(crate) subspace: [Row; 6],
    /// From the axes of the lanes to those of the bodies, row by row.
    pub(crate) axes: [Row; 9],
    /// Inertia, where a body's last column stands: mass, mass centre, rotational inertia about it.
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
    /// The same step by step: the lane of this group that each hangs from, `WIDTH` standing for none.
    pub(crate) links: [usize; WIDTH],
    /// The group before, and its lane, that each hangs from.
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
    /// The body that it hangs from.
    pub(crate) above: Option<usize>,
    /// Where its joint is mounted on that.
    pub(crate) placement: Transform<f64>,
    /// The body after the last that hangs from it: bodies are numbered depth first.
    pub(crate) subtree_end: usize,
    /// How many bodies before it the origin of its tree has gone along with, if it goes on to this one.
    pub(crate) trunk: usize,
    /// From the body's own axes to those of its lane, whose z axis is that of the hinge.
    pub(crate) axes: Matrix3<f64>,
}

#[derive(Clone, Debug)]
pub(crate) enum StepKind {
    /// A hinge, numbered in the bodies' order: the pose in the parent is `cos` times the first rows, `sin` times the second, plus the third.
    Hinge { number: usize, rows: Box<HingeRows> },
    /// Anything else: the joint, and the mounting pose, in axes of the parent's lane; none where it is the identity.
    Other { joint: Box<Joint>, placement: Option<Box<Transform<f64>>> },
}

/// Row `k` of the local rotation `[G₀ G₁ | G₂ p]`, each entry four times, to be multiplied with column `k` of the parent's.
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
    /// Rows that hang from it.
    pub(crate) below: u8,
    /// Is the column that of a body that floats, along its own axes?
    pub(crate) floating: bool,
}

/// Columns of one group that hang from lanes of another, or of the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Carried {
    /// The group of the columns.
    pub(crate) group: usize,
    /// Of each column, the lanes that carry its body or are its own.
    pub(crate) above: [u8; WIDTH],
}

/// The columns that group `g` carries, from the pairs of its rows.
fn carried(g: usize, pairs: &[Pair]) -> Vec<Carried> {
    let mut all = vec![Carried { group: g, above: [0; WIDTH] }];
    for pair in pairs.iter().filter(|pair| pair.above != 0) {
        let group = pair.column / WIDTH;
        // Columns ascend: a group that is neither this one nor the last is new.
        let at = match all.last() {
            _ if group == g => 0,
            Some(last) if last.group == group => all.len() - 1,
            _ => {
                all.push(Carried { group, above: [0; WIDTH] });
                all.len() - 1
            }
        };
        all[at].above[pair.column % WIDTH] = pair.above;
    }
    all
}

/// `a` four times, then `b` four times.
pub(crate) fn fours(a: f64, b: f64) -> Row {
    Row([a, a, a, a, b, b, b, b])
}

impl Layout {
    /// The lanes of a model; `None` if some joint's motion subspace depends on `q`, or is too large for a register, if a joint
    /// follows an angle that is given by (cos, sin), or if there are too many.
    pub(crate) fn new(model: &Model) -> Option<Self> {
        let bodies = &model.bodies;
        let columns: usize = bodies.iter().map(|body| body.v.len()).sum();
        let unfit = |body: &Body| {
            let by_angle = matches!(&body.joint, Joint::Mimic(mimic) if mimic.is_of_direction());
            body.subspace_varies || body.v.len() > WIDTH || by_angle
        };
        if bodies.is_empty() || columns > MOST_COLUMNS || bodies.iter().any(unfit) {
            return None;
        }
        let lanes = Lanes::new(bodies, 0);
        let afloat =
            floating::fewer_lanes(model, &lanes).map(|lanes| Box::new(Self::of(model, &lanes, floating::LEFT_OUT)));
        let all = Self::of(model, &lanes, 0);
        let afloat = afloat.filter(|afloat| all.direct && afloat.direct);
        let table = Table::new(model);
        let depth_groups = table.as_ref().and_then(|table| DepthGroups::new(model, table));
        let facts = Facts {
            book_only: None,
            factors_pay: factors_pay(all.tree_of_dofs.block_products(), model.nv),
            branches: depth_groups.as_ref().map(|depth_groups| Branches { quadruped: depth_groups.is_quadruped() }),
            states: table.is_some(),
            ..Facts::of_book(model)
        };
        let mut layout = Self { plan: Plan::new(&facts), depth_groups, table, afloat, ..all };
        layout.refresh(model);
        Some(layout)
    }

    /// Such lanes of a model, which begin with this degree of freedom, without the numbers that [`refresh`](Refresh::refresh) writes.
    fn of(model: &Model, lanes: &Lanes, first: usize) -> Self {
        let bodies = &model.bodies;
        let mut groups = lanes.groups();
        let (mut steps, mut turns, mut cos_sin) = (Vec::<BodyStep>::new(), Vec::<Turn>::new(), Vec::new());
        let (mut roots, mut tree) = (Vec::new(), vec![0; lanes.body.len()]);
        let (mut hinges, trunks) = (0, origin::trunks(bodies));
        for (i, body) in bodies.iter().enumerate() {
            let lane = lanes.last[i];
            if body.parent.is_none() {
                roots.push((i, Vector3::zeros()));
            }
            let of_tree = body.parent.map_or(roots.len() - 1, |p| steps[p].tree);
            steps.push(step(body, lanes, (i, hinges), of_tree, i - trunks[i]));
            tree[lanes.first[i]..=lane].fill(of_tree);
            if hinge(&body.joint).is_some() {
                let (hinge, q) = (hinges, body.q.start);
                hinges += 1;
                match &body.joint {
                    Joint::Elementary(Elementary::Continuous(_)) => cos_sin.push((hinge, q)),
                    Joint::Mimic(m) => turns.push(Turn { hinge, q, multiplier: m.multiplier(), offset: m.offset() }),
                    _ => turns.push(Turn { hinge, q, multiplier: 1.0, offset: 0.0 }),
                }
            }
            for (row, x) in groups[lane / WIDTH].axes.iter_mut().zip(steps[i].axes.iter()) {
                row.0[lane % WIDTH] = *x;
            }
            subspace(body, &steps[i], &mut groups);
        }
        for (g, group) in groups.iter_mut().enumerate() {
            let mut bodies = lanes.body[g * WIDTH..(g + 1) * WIDTH].iter().flatten().map(|i| (*i, &bodies[*i].joint));
            let is_hinge = |joint| hinge(joint).is_some() && !matches!(joint, Joint::Mimic(_));
            // The last column of a floating base is a turn about its z axis.
            group.floats = g == 0 && first == floating::LEFT_OUT;
            group.hinges = bodies.all(|(i, joint)| is_hinge(joint) || i == 0 && group.floats);
        }
        let angles: Vec<_> = (0..hinges.div_ceil(WIDTH)).map(|eight| angles(&turns, eight)).collect();
        turns.retain(|turn| angles[turn.hinge / WIDTH].is_none());
        let used = lanes.body.iter().filter(|b| b.is_some()).count();
        let is_direct = |(k, dof): (usize, &Option<usize>)| *dof == Some(first + k);
        let direct = first + used == model.nv && lanes.dof.iter().take(used).enumerate().all(is_direct);
        let floating = Floating::all(model);
        let mut pairs = lanes.pairs(bodies, &floating);
        let mut carried: Vec<_> = pairs.iter().enumerate().map(|(g, pairs)| carried(g, pairs)).collect();
        let above = |pairs: &Vec<Pair>, column: usize| {
            pairs.binary_search_by_key(&column, |pair| pair.column).map_or(0, |at| pairs[at].above)
        };
        let paths = steps.iter().flat_map(|step| pairs.iter().map(|pairs| above(pairs, step.lane))).collect();
        let mut turning = vec![false; bodies.len() * angles.len()];
        for i in 0..bodies.len() {
            for (on_path, _) in path(bodies, Some(i)) {
                if let StepKind::Hinge { number, .. } = &steps[on_path].kind {
                    turning[i * angles.len() + number / WIDTH] = true;
                }
            }
        }
        if first > 0 {
            floating::add_base(&mut pairs, &mut carried);
        }
        let joints = vec![JointRows::NONE; lanes.dof.len() / WIDTH];
        Self {
            nv: model.nv,
            nq: model.nq,
            dofs: model.dofs.clone(),
            tree_of_dofs: DofTree::new(model),
            flat: bodies.iter().all(|body| is_flat(body) && body.q == body.v),
            groups,
            bodies: steps,
            first,
            column: lanes.columns(bodies),
            dof: lanes.dof.clone(),
            direct,
            angles,
            turns,
            cos_sin,
            joints,
            more_joints: Vec::new(),
            pairs,
            carried,
            paths,
            turning,
            roots,
            tree,
            floating,
            table: None,
            depth_groups: None,
            plan: Plan::new(&Facts::of_book(model)),
            afloat: None,
        }
    }
}

/// The angles of eight hinges, if they stand side by side as they are.
fn angles(turns: &[Turn], eight: usize) -> Option<Angles> {
    let mut angles: Option<Angles> = None;
    #[expect(clippy::float_cmp, reason = "constants as they were set")]
    for turn in turns.iter().filter(|turn| turn.hinge / WIDTH == eight) {
        let start = turn.q.checked_sub(turn.hinge % WIDTH)?;
        let hinges = 1 << (turn.hinge % WIDTH) | angles.map_or(0, |angles| angles.hinges);
        if turn.multiplier != 1.0 || turn.offset != 0.0 || angles.is_some_and(|angles| angles.start != start) {
            return None;
        }
        angles = Some(Angles { start, hinges });
    }
    angles
}

impl Layout {
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

    /// Are lanes of group `g` between a body and the root?
    #[inline(always)]
    pub(crate) fn passes(&self, body: usize, g: usize) -> bool {
        self.lanes_of_path(body, g) != 0
    }

    /// Are some of the hinges of register `k` between a body and the root?
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

/// The numbers that a robot of the same joints may have other ones of: inertias, placements, armature, damping and friction.
impl Refresh for Layout {
    fn refresh(&mut self, model: &Model) {
        for (i, body) in model.bodies.iter().enumerate() {
            let parent_axes = body.parent.map(|p| self.bodies[p].axes);
            self.bodies[i].placement = body.placement;
            let BodyStep { lane, axes, kind, .. } = &mut self.bodies[i];
            place(kind, body, axes, parent_axes);
            let in_lane: Inertia<f64> = Transform::from_rotation(*axes).inv_act(body.inertia);
            let (group, k) = (&mut self.groups[*lane / WIDTH], *lane % WIDTH);
            group.mass.0[k] = in_lane.mass;
            for (row, x) in group.com.iter_mut().zip(in_lane.com.iter()) {
                row.0[k] = *x;
            }
            for (row, x) in group.rotational.iter_mut().zip(rows_of(in_lane.rotational)) {
                row.0[k] = x;
            }
        }
        for (root, translation) in &mut self.roots {
            *translation = model.bodies[*root].placement.translation;
        }
        self.dofs.clone_from(&model.dofs);
        joint_rows(&model.dofs, &self.dof, &mut self.joints, &mut self.more_joints);
        if let Some(afloat) = &mut self.afloat {
            afloat.refresh(model);
        }
        if let Some(table) = &mut self.table {
            table.refresh(model);
            if let Some(depth_groups) = &mut self.depth_groups {
                depth_groups.refresh(model, table);
            }
        }
    }
}

impl JointRows {
    const NONE: Self = Self {
        some: false,
        rub: false,
        multiplier: Row::ONE,
        armature: Row::ZERO,
        damping: Row::ZERO,
        friction: Row::ZERO,
    };
}

/// The entries of each degree of freedom in lanes of it, and the rest. Entries of one degree of freedom stand side by side.
fn joint_rows(entries: &[DofDynamics], dof: &[Option<usize>], rows: &mut [JointRows], rest: &mut Vec<DofDynamics>) {
    rows.fill(JointRows::NONE);
    rest.clear();
    for of_one in entries.chunk_by(|a, b| a.index == b.index) {
        let mut lanes = (0..dof.len()).filter(|lane| dof[*lane] == Some(of_one[0].index));
        for entry in of_one {
            let Some(lane) = lanes.next() else {
                rest.push(*entry);
                continue;
            };
            let (row, k) = (&mut rows[lane / WIDTH], lane % WIDTH);
            row.some = true;
            row.rub |= entry.friction != 0.0;
            row.multiplier.0[k] = entry.multiplier;
            row.armature.0[k] = entry.armature;
            row.damping.0[k] = entry.damping;
            row.friction.0[k] = entry.friction;
        }
    }
}

/// In the order of [`load_symmetric`](super::rows::load_symmetric).
fn rows_of(x: crate::spatial::Symmetric3<f64>) -> [f64; 6] {
    [x.xx, x.xy, x.xz, x.yy, x.yz, x.zz]
}

/// The columns of a joint, in axes of its lane.
fn subspace(body: &Body, step: &BodyStep, groups: &mut [Group]) {
    let n = body.v.len();
    let mut columns = vec![Motion::<f64>::zero(); n];
    let mut q = vec![0.0; body.q.len()];
    JointKind::<f64>::neutral(&body.joint, &mut q);
    JointKind::<f64>::motion_subspace(&body.joint, &q, &mut columns);
    for (k, column) in columns.into_iter().enumerate().skip(n.saturating_sub(step.columns)) {
        let lane = step.lane + 1 + k - n;
        let column = Transform::from_rotation(step.axes).inv_act(column);
        let numbers = column.linear.iter().chain(column.angular.iter());
        for (row, x) in groups[lane / WIDTH].subspace.iter_mut().zip(numbers) {
            row.0[lane % WIDTH] = *x;
        }
    }
}

/// The step of a body, not yet [placed](place).
fn step(body: &Body, lanes: &Lanes, (i, number): (usize, usize), tree: usize, trunk: usize) -> BodyStep {
    let kind = if hinge(&body.joint).is_some() {
        StepKind::Hinge { number, rows: Box::new(HingeRows { cos: NONE, sin: NONE, rest: NONE }) }
    } else {
        StepKind::Other { joint: Box::new(body.joint.clone()), placement: None }
    };
    let parent = body.parent.map_or(lanes.body.len(), |p| lanes.last[p]);
    let axes = joint_axes(&body.joint);
    BodyStep {
        lane: lanes.last[i],
        columns: lanes.last[i] + 1 - lanes.first[i],
        parent,
        kind,
        tree,
        q: body.q.clone(),
        v: body.v.clone(),
        above: body.parent,
        placement: body.placement,
        subtree_end: body.subtree_end,
        trunk,
        axes,
    }
}

const NONE: [Row; 3] = [Row::ZERO; 3];

/// Where the body's joint is mounted, from axes of the parent's lane to those of the body's.
fn place(kind: &mut StepKind, body: &Body, own: &Matrix3<f64>, parent_axes: Option<Matrix3<f64>>) {
    let to_parent_axes = parent_axes.map_or_else(Matrix3::identity, |axes| axes.transpose());
    // x_pb in axes of the parent's lane.
    let placement = Transform::from_rotation(to_parent_axes) * body.placement;
    match kind {
        StepKind::Hinge { rows, .. } => {
            let g = v3::product(&placement.rotation, own);
            let p = if body.parent.is_some() { placement.translation } else { Vector3::zeros() };
            let row = |f: fn(f64, f64, f64, f64) -> [f64; 4]| {
                std::array::from_fn(|k| {
                    let [a, b, c, d] = f(g[(k, 0)], g[(k, 1)], g[(k, 2)], p[k]);
                    (fours(a, b), fours(c, d))
                })
            };
            // (c G₀ + s G₁, c G₁ − s G₀, G₂, p)
            let first = |rows: [(Row, Row); 3]| rows.map(|pair| pair.0);
            let second = |rows: [(Row, Row); 3]| rows.map(|pair| pair.1);
            **rows = HingeRows {
                cos: first(row(|g0, g1, _, _| [g0, g1, 0.0, 0.0])),
                sin: first(row(|g0, g1, _, _| [g1, -g0, 0.0, 0.0])),
                rest: second(row(|_, _, g2, p| [0.0, 0.0, g2, p])),
            };
        }
        StepKind::Other { placement: Some(kept), .. } => **kept = placement,
        StepKind::Other { placement: none, .. } if placement != Transform::identity() => {
            *none = Some(Box::new(placement))
        }
        StepKind::Other { .. } => {}
    }
}
