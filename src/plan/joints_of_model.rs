//! The lanes of a model's joints, and their relations there.

use crate::joint::{Elementary, Joint, JointKind};
use crate::model::{Body, Model, Refresh, path};
use crate::plan::bodies::BodiesLayout;
use crate::plan::dof_tree::DofTree;
use crate::plan::floating::Floating;
use crate::plan::forms::Plan;
use crate::plan::joint_axes::{hinge, joint_axes};
use crate::plan::joint_numbers::NONE;
use crate::plan::joints::{Angles, BodyStep, Carried, Group, HingeRows, JointRows, JointsLayout, Pair, StepKind, Turn};
use crate::plan::lanes::Lanes;
use crate::plan::rules::{BodiesFacts, MOST_COLUMNS, ModelFacts, factors_pay};
use crate::plan::states::StatesLayout;
use crate::plan::{base_lanes, origin};
use crate::spatial::{Motion, Transform};
use gradyn_derivatives::WIDTH;
use nalgebra::Vector3;

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

impl JointsLayout {
    /// The lanes of a model; `None` if some joint's motion subspace depends on `q`, or is too large for a register, if
    /// a joint follows an angle that is given by (cos, sin), or if there are too many.
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
        let without_base_lanes =
            base_lanes::fewer_lanes(model, &lanes).map(|lanes| Box::new(Self::of(model, &lanes, base_lanes::LEFT_OUT)));
        let all = Self::of(model, &lanes, 0);
        let without_base_lanes = without_base_lanes.filter(|fewer| all.direct && fewer.direct);
        let states_layout = StatesLayout::new(model);
        let bodies_layout = states_layout.as_ref().and_then(|states_layout| BodiesLayout::new(model, states_layout));
        let facts = ModelFacts {
            book_only: None,
            factors_pay: factors_pay(all.tree_of_dofs.block_products(), model.nv),
            bodies: bodies_layout.as_ref().map(|bodies_layout| BodiesFacts { quadruped: bodies_layout.is_quadruped() }),
            states: states_layout.is_some(),
            ..ModelFacts::of_book(model)
        };
        let mut layout = Self { plan: Plan::new(&facts), bodies_layout, states_layout, without_base_lanes, ..all };
        layout.refresh(model);
        Some(layout)
    }

    /// Such lanes of a model, which begin with this degree of freedom, without the numbers that
    /// [`refresh`](Refresh::refresh) writes.
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
            group.floats = g == 0 && first == base_lanes::LEFT_OUT;
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
            base_lanes::append_base_pairs(&mut pairs, &mut carried);
        }
        let joints = vec![JointRows::NONE; lanes.dof.len() / WIDTH];
        Self {
            nv: model.nv,
            dofs: model.dofs.clone(),
            tree_of_dofs: DofTree::new(model),
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
            states_layout: None,
            bodies_layout: None,
            plan: Plan::new(&ModelFacts::of_book(model)),
            without_base_lanes: None,
        }
    }
}

impl Plan {
    /// The plan of a model.
    #[must_use]
    pub fn of(model: &Model) -> Self {
        match model.derived.get(|| JointsLayout::new(model)) {
            Some(layout) => layout.plan.clone(),
            None => Self::new(&ModelFacts::of_book(model)),
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
