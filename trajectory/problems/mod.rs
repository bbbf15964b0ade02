//! Problems that Crocoddyl solves too: `tests/golden/with_crocoddyl.py` states them there, number by number.
//!
//! Tests, benchmarks and examples take them from here by `#[path]`.

mod legged;

use gradyn::dynamics::{FrameRef, Workspace, center_of_mass, frame_pose};
use gradyn::model::InputError;
use gradyn::model::urdf::JointOrder;
use gradyn::{Constraint, Model, Scalar, Transform, UrdfOptions};
use gradyn_trajectory::residual::{
    AutodiffResidual, Capsule, Depends, Distance, FnResidual, FramePlacement, Quantity, QuantityPoint,
};
use gradyn_trajectory::residual::{CenterOfMass, Control, FrameTranslation, FrictionCone, StateError};
use gradyn_trajectory::step::{Actuation, Contact, ForwardDynamics, Impulse, SemiImplicitEuler};
use gradyn_trajectory::{Cost, Loss, PathConstraint, Phase, Problem};
use nalgebra::{DMatrix, Vector3};
use std::error::Error;
use std::f64::consts::PI;

type Made<T> = Result<T, Box<dyn Error>>;

/// A problem by name: `panda_reach`, `panda_bounded`, `solo12_trot`, `g1_squat`, `double_pendulum`, `quadrotor`, and
/// others.
pub(crate) fn by_name(name: &str) -> Made<Problem> {
    match name {
        "panda_reach" => panda_reach(100, f64::INFINITY),
        "panda_bounded" => panda_reach(100, 15.0),
        "panda_mpc" => panda_reach(50, 15.0),
        "solo12_trot" => Ok(Trot::new()?.problem()?),
        "g1_squat" => g1_squat(),
        "double_pendulum" => double_pendulum(),
        "quadrotor" => quadrotor(),
        "panda_limits" => panda_limits(Some([0.4, 0.3, 0.5])),
        "panda_far" => panda_limits(Some([2.0, 0.3, 0.5])),
        "panda_capsule" => panda_limits(None),
        "solo12_jump" => legged::solo12_jump(),
        "solo12_mpc" => legged::solo12_mpc(),
        "g1_reach" => legged::g1_reach(),
        _ => Err(format!("there is no problem `{name}`").into()),
    }
}

/// A robot in Pinocchio's order of joints, without the friction that Pinocchio leaves out.
pub(crate) fn robot(name: &str, floating: bool) -> Made<Model> {
    let file = format!("{}/../robots/{name}.urdf", env!("CARGO_MANIFEST_DIR"));
    let options = UrdfOptions::new().floating_base(floating).joint_order(JointOrder::Pinocchio);
    Ok(Model::from_urdf_file(file, &options)?.model.with_joint_friction(false))
}

/// Weights as Crocoddyl's examples have them: each is squared.
fn squared(parts: &[(usize, f64)]) -> Loss {
    Loss::Diagonal(parts.iter().flat_map(|(n, w)| vec![w * w; *n]).collect())
}

/// The arm's hand to a pose, in one second of so many nodes; torques within `most`, N m.
fn panda_reach(nodes: usize, most: f64) -> Made<Problem> {
    let model = robot("panda", false)?;
    let hand = model.find_frame("panda_link8").ok_or("no hand")?;
    let goal = Transform::from_translation([0.4, 0.2, 0.4].into());
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let mut reach = Phase::new("reach", nodes, 1.0 / nodes as f64, step)
        .cost(Cost::new("hand", FramePlacement::new(hand, goal)))
        .cost(Cost::new("state", StateError::neutral(&model)).weight(0.1))
        .cost(Cost::new("torque", Control::zero()).weight(0.1));
    if most.is_finite() {
        reach = reach.control_bounds(&[-most; 7], &[most; 7]);
    }
    let problem = Problem::builder(&model)
        .start(&[0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8], &[0.0; 7])
        .phase(reach)
        .last(Cost::new("hand", FramePlacement::new(hand, goal)).weight(1e3))
        .last(Cost::new("state", StateError::neutral(&model)).weight(0.1))
        .build()?;
    Ok(problem)
}

/// The arm's hand to a place at the end, exactly and at rest, within limits of positions, velocities and torques.
/// Without a place: from one side of a post to the other, which links must not touch.
pub(crate) fn panda_limits(place: Option<[f64; 3]>) -> Made<Problem> {
    let model = robot("panda", false)?;
    let hand = model.find_frame("panda_link8").ok_or("no hand")?;
    let post = place.is_none();
    let place = place.unwrap_or([0.1, 0.55, 0.4]);
    let limits = model.limits();
    let speed: Vec<f64> = limits.velocity.iter().map(|v| 0.5 * v).collect();
    let lower: Vec<f64> = limits.q_lower.iter().copied().chain(speed.iter().map(|v| -v)).collect();
    let upper: Vec<f64> = limits.q_upper.iter().copied().chain(speed.iter().copied()).collect();
    let torque =
        if post { [87.0, 87.0, 87.0, 87.0, 12.0, 12.0, 12.0] } else { [40.0, 40.0, 40.0, 40.0, 2.0, 2.0, 2.0] };
    let start = if post { [-0.9, 0.5, 0.0, -1.7, 0.0, 2.2, 0.8] } else { [0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8] };
    let within = || PathConstraint::within("limits", StateError::at(&model, &[0.0; 7], &[0.0; 7]), &lower, &upper);
    let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    let mut reach = Phase::new("reach", 100, if post { 0.03 } else { 0.01 }, step)
        .cost(Cost::new("state", StateError::at(&model, &start, &[0.0; 7])).weight(0.1))
        .cost(Cost::new("torque", Control::zero()).weight(1e-2))
        .constraint(within())
        .control_bounds(&torque.map(|x| -x), &torque);
    if post {
        let column = Capsule::fixed([[0.45, 0.0, 0.0].into(), [0.45, 0.0, 0.9].into()], 0.08);
        let link = Capsule::sphere(hand, [0.0, 0.0, 0.05].into(), 0.06);
        reach = reach.constraint(PathConstraint::at_least("post", Distance::new(link, column), 0.02));
    }
    let problem = Problem::builder(&model)
        .start(&start, &[0.0; 7])
        .phase(reach)
        .last(Cost::new("state", StateError::at(&model, &start, &[0.0; 7])).weight(0.1))
        .last_constraint(PathConstraint::equal("place", FrameTranslation::new(hand, place.into())))
        .last_constraint(PathConstraint::equal("rest", rest(&model)))
        .build()?;
    Ok(problem)
}

/// Velocities: zero at rest.
pub(crate) fn rest(model: &Model) -> AutodiffResidual<impl Quantity> {
    AutodiffResidual::new(model, Rest)
}

/// `r = v`
#[derive(Debug)]
struct Rest;

impl Quantity for Rest {
    fn rows(&self, model: &Model) -> usize {
        model.nv()
    }
    fn depends(&self) -> Depends {
        Depends::V
    }
    #[inline(always)]
    fn evaluate<T: Scalar>(&self, on: &mut QuantityPoint<'_, T>, r: &mut [T]) -> Result<(), InputError> {
        r.copy_from_slice(on.v);
        Ok(())
    }
}

/// A double pendulum swings up by a motor at its shoulder alone, in three seconds.
fn double_pendulum() -> Made<Problem> {
    let model = robot("double_pendulum", false)?;
    let up = || StateError::at(&model, &[PI, 0.0], &[0.0; 2]);
    let dynamics = ForwardDynamics::new(Actuation::joints(&model, &["shoulder"])?);
    let swing = Phase::new("swing", 150, 0.02, SemiImplicitEuler::new(&model, dynamics))
        .cost(Cost::new("calm", up()).loss(Loss::Diagonal(vec![0.1, 0.1, 0.01, 0.01])))
        .cost(Cost::new("torque", Control::zero()).weight(1e-2));
    let last = Cost::new("up", up()).weight(1e3);
    Ok(Problem::builder(&model).start(&[0.0; 2], &[0.0; 2]).phase(swing).last(last).build()?)
}

/// Thrust along z of a quadrotor's rotors, and its moment: columns of front left, front right, hind left, hind right.
pub(crate) fn thrusts() -> DMatrix<f64> {
    let mut thrusts = DMatrix::zeros(6, 4);
    for (k, (x, y, moment)) in
        [(0.18, 0.18, 0.016), (0.18, -0.18, -0.016), (-0.18, 0.18, -0.016), (-0.18, -0.18, 0.016)]
            .into_iter()
            .enumerate()
    {
        thrusts.column_mut(k).copy_from_slice(&[0.0, 0.0, 1.0, y, -x, moment]);
    }
    thrusts
}

/// A quadrotor flies through a gate that leans, and hovers behind it.
fn quadrotor() -> Made<Problem> {
    let model = robot("quadrotor", true)?;
    let trunk = model.find_frame("trunk").ok_or("no trunk")?;
    let gate = Transform::from_rpy([0.7, 0.0, 0.0], Vector3::new(2.0, 1.0, 1.8));
    let behind = [4.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let thrusts = thrusts();
    let phase = |name| {
        let dynamics = ForwardDynamics::new(Actuation::Matrix(thrusts.clone()));
        let calm = Loss::Diagonal([vec![0.0; 6], vec![0.05; 6]].concat());
        Phase::new(name, 60, 0.02, SemiImplicitEuler::new(&model, dynamics))
            .cost(Cost::new("calm", StateError::neutral(&model)).loss(calm))
            .cost(Cost::new("thrust", Control::at(&[2.4525; 4])).weight(0.05))
    };
    let through = Cost::new("gate", FramePlacement::new(trunk, gate))
        .loss(Loss::Diagonal(vec![100.0, 100.0, 100.0, 10.0, 10.0, 10.0]))
        .weight(10.0)
        .only_at(&[0]);
    let problem = Problem::builder(&model)
        .start(&[0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], &[0.0; 6])
        .phase(phase("approach"))
        .phase(phase("depart").cost(through))
        .last(Cost::new("hover", StateError::at(&model, &behind, &[0.0; 6])).weight(100.0))
        .build()?;
    Ok(problem)
}

/// `SimpleQuadrupedalGaitProblem.createTrottingProblem` of Crocoddyl's utilities, for solo12.
struct Trot {
    model: Model,
    q: Vec<f64>,
    center: Vector3<f64>,
    feet: [(&'static str, FrameRef, Vector3<f64>); 4],
}

impl Trot {
    const DT: f64 = 0.01;
    const STEP: f64 = 0.15;
    const HEIGHT: f64 = 0.1;
    const STEP_KNOTS: usize = 25;
    const SUPPORT_KNOTS: usize = 2;

    fn new() -> Made<Self> {
        let model = robot("solo12", true)?;
        let (front, hind) = ([0.0, 0.8, -1.6], [0.0, -0.8, 1.6]);
        let q = [&[0.0, 0.0, 0.24, 0.0, 0.0, 0.0, 1.0][..], &front, &front, &hind, &hind].concat();
        let mut workspace = Workspace::new(&model);
        let mut feet = Vec::new();
        for name in ["FL", "FR", "HL", "HR"] {
            let frame = model.find_frame(&format!("{name}_FOOT")).ok_or("no foot")?;
            feet.push((name, frame.into(), frame_pose(&model, &mut workspace, &q, frame)?.translation));
        }
        let rest = vec![0.0; model.nv()];
        let height = center_of_mass(&model, &mut workspace, &q, &rest, &rest)?.whole.position.z;
        let mut center = feet.iter().map(|foot| foot.2).sum::<Vector3<f64>>() / 4.0;
        center.z = height;
        let feet = feet.try_into().map_err(|_| "four feet")?;
        Ok(Self { model, q, center, feet })
    }

    fn problem(mut self) -> Made<Problem> {
        let all = ["FL", "FR", "HL", "HR"];
        let (first, second) = (["FR", "HL"], ["FL", "HR"]);
        let mut builder = Problem::builder(&self.model).start(&self.q, &vec![0.0; self.model.nv()]);
        for (number, swing, stand, length) in [(1, first, second, 0.5 * Self::STEP), (2, second, first, Self::STEP)] {
            let stands = self.phase(&format!("stand {number}"), Self::SUPPORT_KNOTS, &all)?;
            let [swings, lands] = self.step(number, swing, stand, length)?;
            builder = builder.phase(stands).phase(swings).phase(lands);
        }
        Ok(builder.last(self.posture()).last(self.limits()).build()?)
    }

    fn step(&mut self, number: usize, swing: [&str; 2], stand: [&str; 2], length: f64) -> Made<[Phase; 2]> {
        let knots = Self::STEP_KNOTS;
        let share = swing.len() as f64 / 4.0;
        let forth = |k: usize| length * (k + 1) as f64 / knots as f64;
        let up = |k: usize| {
            let half = knots as f64 / 2.0;
            let k = k as f64;
            Self::HEIGHT * if k < half { k / half } else { 1.0 - (k - half) / half }
        };
        let mut center = Cost::new("center", CenterOfMass::new(self.center)).weight(1e6);
        for k in 0..knots {
            let goal = self.center + Vector3::new(forth(k) * share, 0.0, 0.0);
            center = center.goal_at(k, goal.as_slice().to_vec());
        }
        let mut swings = self.phase(&format!("swing {number}"), knots, &stand)?.cost(center);
        let landing: Vec<Contact> = self.contacts(&swing, 0.0)?;
        let mut lands = Phase::jump(format!("land {number}"), Impulse::new(&landing, 0.0));
        for (name, frame, place) in self.feet.iter_mut().filter(|foot| swing.contains(&foot.0)) {
            let goal = |k: usize| *place + Vector3::new(forth(k), 0.0, up(k));
            let mut track = Cost::new(format!("{name} track"), FrameTranslation::new(*frame, *place)).weight(1e6);
            for k in 0..knots {
                track = track.goal_at(k, goal(k).as_slice().to_vec());
            }
            swings = swings.cost(track);
            let residual = FrameTranslation::new(*frame, goal(knots - 1));
            lands = lands.cost(Cost::new(format!("{name} track"), residual).weight(1e7));
            place.x += length;
        }
        let nv = self.model.nv();
        let posture = StateError::at(&self.model, &self.q, &vec![0.0; nv]);
        let loss = squared(&[(6, 1.0), (nv - 6, 10.0), (nv, 10.0)]);
        lands = lands.cost(Cost::new("state", posture).loss(loss).weight(10.0));
        self.center.x += length * share;
        Ok([swings, lands])
    }

    fn contacts(&self, feet: &[&str], damping: f64) -> Made<Vec<Contact>> {
        let mut contacts = Vec::new();
        for (name, frame, place) in self.feet.iter().filter(|foot| feet.contains(&foot.0)) {
            let constraint = Constraint::frame_contact(&self.model, *frame, *place)?.with_gains(0.0, damping);
            contacts.push(Contact::new(*name, constraint));
        }
        Ok(contacts)
    }

    /// What all phases with feet on the ground have in common.
    fn phase(&self, name: &str, knots: usize, stand: &[&str]) -> Made<Phase> {
        let dynamics = ForwardDynamics::new(Actuation::of(&self.model)).with_contacts(&self.contacts(stand, 50.0)?);
        let mut phase = Phase::new(name, knots, Self::DT, SemiImplicitEuler::new(&self.model, dynamics));
        for foot in stand {
            let cone = FrictionCone::of(*foot).friction(0.7);
            phase = phase.cost(Cost::new(format!("{foot} cone"), cone.clone()).loss(cone.loss()).weight(10.0));
        }
        let control = Cost::new("control", Control::zero()).weight(0.1);
        Ok(phase.cost(self.posture()).cost(control).cost(self.limits()))
    }

    fn posture(&self) -> Cost {
        let nv = self.model.nv();
        let loss = squared(&[(3, 0.0), (3, 500.0), (nv - 6, 0.01), (6, 10.0), (nv - 6, 1.0)]);
        Cost::new("state", StateError::at(&self.model, &self.q, &vec![0.0; nv])).loss(loss).weight(10.0)
    }

    /// Limits of the joints; the base has none.
    fn limits(&self) -> Cost {
        let limits = self.model.limits();
        let free = [f64::INFINITY; 6];
        let upper = [&free, &limits.q_upper[7..], &free, &limits.velocity[6..]].concat();
        let lower: Vec<f64> = limits.q_lower[7..].to_vec();
        let speed: Vec<f64> = limits.velocity[6..].iter().map(|v| -v).collect();
        let lower = [&free.map(|x| -x), &lower[..], &free.map(|x| -x), &speed].concat();
        let loss = Loss::QuadraticBarrier { lower, upper };
        Cost::new("bounds", StateError::neutral(&self.model)).loss(loss).weight(1e3)
    }
}

/// Down and up on two feet that stay flat on the ground, 60 nodes.
fn g1_squat() -> Made<Problem> {
    let model = robot("g1", true)?;
    let nv = model.nv();
    let mut q = model.neutral();
    q[2] = 0.75;
    let mut contacts = Vec::new();
    let mut workspace = Workspace::new(&model);
    for side in ["left", "right"] {
        for (joint, angle) in [("hip_pitch", -0.3), ("knee", 0.6), ("ankle_pitch", -0.3)] {
            let name = format!("{side}_{joint}_joint");
            let body = model.bodies().iter().find(|body| body.joint_name() == name).ok_or("no joint")?;
            q[body.q_range().start] = angle;
        }
    }
    for side in ["left", "right"] {
        let foot = model.find_frame(&format!("{side}_ankle_roll_link")).ok_or("no foot")?;
        let frame = &model.frames()[foot.index()];
        let pose = frame_pose(&model, &mut workspace, &q, foot)?;
        let constraint = Constraint::frame(None, pose, frame.body(), *frame.placement()).with_gains(0.0, 50.0);
        contacts.push(Contact::new(side, constraint));
    }
    let rest = vec![0.0; nv];
    let high = center_of_mass(&model, &mut workspace, &q, &rest, &rest)?.whole.position;
    let center = |goal| Cost::new("center", CenterOfMass::new(goal)).weight(1e4);
    let state = || {
        let loss = squared(&[(3, 0.0), (3, 10.0), (nv - 6, 0.1), (nv, 1.0)]);
        Cost::new("state", StateError::at(&model, &q, &rest)).loss(loss)
    };
    let phase = |name, goal| {
        let dynamics = ForwardDynamics::new(Actuation::of(&model)).with_contacts(&contacts);
        let mut phase = Phase::new(name, 30, 0.02, SemiImplicitEuler::new(&model, dynamics));
        for (side, first) in [("left", 0), ("right", 6)] {
            phase = phase.cost(wrench_cone(&format!("{side} cone"), first));
        }
        phase.cost(center(goal)).cost(state()).cost(Cost::new("control", Control::zero()).weight(1e-3))
    };
    let problem = Problem::builder(&model)
        .start(&q, &rest)
        .phase(phase("down", high - Vector3::new(0.0, 0.0, 0.15)))
        .phase(phase("up", high))
        .last(center(high))
        .last(state())
        .build()?;
    Ok(problem)
}

/// Crocoddyl's `WrenchCone` of a foot of 0.1 m by 0.05 m on level ground, friction 0.7, four facets outside of the
/// cone: the multipliers from `first` on are its force and its moment.
fn wrench_cone(name: &str, first: usize) -> Cost {
    let (mu, l, w) = (0.7, 0.05, 0.025);
    let mut rows = vec![
        [1.0, 0.0, -mu, 0.0, 0.0, 0.0],
        [-1.0, 0.0, -mu, 0.0, 0.0, 0.0],
        [0.0, 1.0, -mu, 0.0, 0.0, 0.0],
        [0.0, -1.0, -mu, 0.0, 0.0, 0.0],
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, -w, 1.0, 0.0, 0.0],
        [0.0, 0.0, -w, -1.0, 0.0, 0.0],
        [0.0, 0.0, -l, 0.0, 1.0, 0.0],
        [0.0, 0.0, -l, 0.0, -1.0, 0.0],
    ];
    for turn in [-1.0, 1.0] {
        for (x, y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
            rows.push([x * w, y * l, -mu * (l + w), turn * x * mu, turn * y * mu, turn]);
        }
    }
    let m = rows.len();
    let (mut lower, mut upper) = (vec![f64::NEG_INFINITY; m], vec![0.0; m]);
    (lower[4], upper[4]) = (0.0, f64::INFINITY);
    let (of_values, of_jacobian) = (rows.clone(), rows);
    let residual = FnResidual::new(
        m,
        Depends::F,
        move |on, r| {
            for (r, row) in r.iter_mut().zip(&of_values) {
                *r = row.iter().zip(&on.f[first..]).map(|(a, f)| a * f).sum();
            }
            Ok(())
        },
        move |_, out| {
            for (i, row) in of_jacobian.iter().enumerate() {
                for (k, a) in row.iter().enumerate() {
                    out.df[(i, first + k)] = *a;
                }
            }
            Ok(())
        },
    );
    Cost::new(name, residual).loss(Loss::QuadraticBarrier { lower, upper })
}
