//! Second derivatives of residuals: formulas against dual numbers with two directions, on every kind of joint; no
//! allocation.

use crate::common::joints::{arm_on, kinds};
use crate::common::robot;
use gradyn::dynamics::{FrameRef, ReferenceFrame};
use gradyn::joint::{Axis, Planar, Revolute, Spherical, Universal};
use gradyn::spatial::{Momentum, Symmetric3, exp3};
use gradyn::{Constraint, DerivativeWorkspace, Inertia, Model, ModelBuilder, Motion, Transform, Workspace};
use gradyn_trajectory::residual::{
    Affine, AutodiffResidual, Capsule, CenterOfMass, CenterOfPressure, CentroidalMomentum, Control, ControlRate,
    CoulombCone, Distance, FrameAcceleration, FramePlacement, FrameRotation, FrameTranslation, FrameVelocity,
    FrictionCone, JointLimits, JointTorque, PhaseInfo, Quantity, Residual, ResidualPoint, SpeedTorqueLines, StateError,
    WrenchCone,
};
use gradyn_trajectory::step::{Actuation, Contact, ContactRows};
use nalgebra::{DMatrix, DVector, Vector3};
use testing::{numbers, rng};

/// A robot at a node.
struct Node {
    model: Model,
    q: Vec<f64>,
    v: Vec<f64>,
    u: Vec<f64>,
    a: Vec<f64>,
    f: Vec<f64>,
    workspace: Workspace,
    derivatives: DerivativeWorkspace,
    seed: u64,
}

impl Node {
    fn new(model: Model, rows: usize, seed: u64) -> Self {
        let (nv, random) = (model.nv(), &mut rng(seed));
        let q = model.random(random);
        let (v, a, f) = (numbers(random, nv), numbers(random, nv), numbers(random, rows));
        let (workspace, derivatives) = (Workspace::new(&model), DerivativeWorkspace::new(&model));
        Self { model, q, v, u: vec![0.0; 2], a, f, workspace, derivatives, seed }
    }
    /// Runs with weights and room for the Hessian.
    fn run(&mut self, residual: &dyn Residual, goal: &[f64], times: usize) -> (DMatrix<f64>, usize) {
        let lambda = numbers(&mut rng(self.seed + 1), residual.rows());
        let n = 3 * self.v.len() + self.u.len() + self.f.len();
        let (mut hessian, mut own) = (DMatrix::from_element(n, n, f64::NAN), residual.memory());
        let mut on = ResidualPoint {
            model: &self.model,
            q: &self.q,
            v: &self.v,
            w: &[],
            u: &self.u,
            a: &self.a,
            f: &self.f,
            time: 0.0,
            dt: 0.01,
            goal,
            workspace: &mut self.workspace,
            derivatives: &mut self.derivatives,
            own: &mut *own,
        };
        let mut allocated = 0;
        for _ in 0..times {
            let before = testing::allocation_count();
            residual.hessian(&mut on, &lambda, &mut hessian).expect("has one");
            allocated = testing::allocation_count() - before;
        }
        (hessian, allocated)
    }
    /// By formulas, and one pair of directions at a time.
    fn compare<Q: Quantity + Residual + Clone>(&mut self, what: &str, residual: &Q) {
        let goal = Residual::goal(residual);
        let (formulas, allocated) = self.run(residual, &goal, 2);
        assert_eq!(allocated, 0, "{what} allocates");
        let (duals, _) = self.run(&AutodiffResidual::new(&self.model, residual.clone()), &goal, 1);
        let (scale, off) = (1.0 + duals.amax(), (&formulas - &duals).amax());
        // Rounding of sums of some tens of products.
        assert!(off < 1e-11 * scale, "{what} on {}: {off:e} of {scale}", self.model.name());
        assert!((&formulas - formulas.transpose()).amax() <= 1e-13 * scale, "{what} is not symmetric");
    }
    fn compare_all(&mut self, tip: FrameRef, other: FrameRef, constraints: &[Constraint]) {
        let nv = self.v.len();
        let goal_q = self.model.integrate(&self.q, &numbers(&mut rng(self.seed + 7), nv)).expect("is a step");
        self.compare("state", &StateError::at(&self.model, &goal_q, &vec![0.1; nv]));
        let turn = exp3(Vector3::new(0.3, -0.5, 0.2));
        self.compare("placement", &FramePlacement::new(tip, Transform::new(turn, [0.1, 0.2, 0.3].into())));
        self.compare("rotation", &FrameRotation::new(tip, turn));
        self.compare("translation", &FrameTranslation::new(tip, [0.1, 0.2, 0.3].into()));
        for reference in ReferenceFrame::ALL {
            self.compare(&format!("velocity {reference}"), &FrameVelocity::new(tip, reference, Motion::zero()));
            self.compare(&format!("acceleration {reference}"), &FrameAcceleration::new(tip, reference, Motion::zero()));
        }
        self.compare("com", &CenterOfMass::new([0.0, 0.1, 0.2].into()));
        self.compare("momentum", &CentroidalMomentum::new(Momentum::new(Vector3::zeros(), Vector3::zeros())));
        let pole = Capsule::fixed([[2.5, 1.4, -2.5].into(), [2.6, 1.5, 2.9].into()], 0.05);
        let rod = |frame: FrameRef| Capsule::new(frame, [[0.1, 0.2, -0.4].into(), [0.2, 0.1, 0.5].into()], 0.02);
        let ball = |frame: FrameRef| Capsule::sphere(frame, [0.1, 0.9, 0.05].into(), 0.1);
        self.compare("rod and pole", &Distance::new(rod(tip), pole));
        self.compare("ball and pole", &Distance::new(ball(tip), pole));
        self.compare("pole and ball", &Distance::new(pole, ball(tip)));
        self.compare("ball and ball", &Distance::new(ball(tip), Capsule::fixed_sphere([2.0, 0.1, 0.3].into(), 0.1)));
        self.compare("rod and ball", &Distance::new(rod(tip), ball(other)));
        self.compare("rod and rod", &Distance::new(rod(tip), rod(other)));
        let contacts: Vec<Contact> = constraints.iter().map(|held| Contact::new("held", *held)).collect();
        let held = [ContactRows { name: "sole".into(), rows: 2..8, constraint: None, normal: Vector3::z() }];
        let phase = PhaseInfo {
            name: "stand",
            place: &"stand".into(),
            model: &self.model,
            nu: 2,
            remembered: 0,
            contacts: &held,
        };
        let mut pressure = CenterOfPressure::new("sole", turn, 0.1, 0.04).following(tip);
        let mut cone = WrenchCone::new("sole", turn, 0.1, 0.04, 0.7).following(other);
        pressure.bind(&phase).expect("has it");
        cone.bind(&phase).expect("has it");
        if self.f.len() == 9 {
            self.compare("pressure", &pressure);
            self.compare("cone", &cone);
        }
        self.compare("torque", &JointTorque::new(&Actuation::Full(nv), &contacts));
    }
}

/// A point of a body in the world, and a frame of it on another body.
fn held(model: &Model, tip: usize, other: usize) -> Vec<Constraint> {
    let body = |k| model.body_id(k).expect("is there");
    let x = Transform::new(exp3(Vector3::new(0.1, 0.2, -0.3)), [0.05, -0.1, 0.2].into());
    vec![
        Constraint::point(None, [1.0, 0.5, 0.2].into(), body(tip), [0.1, -0.2, 0.15].into()),
        Constraint::frame(body(other), x, body(tip), x),
    ]
}

#[test]
fn formulas_are_dual_numbers_on_every_joint() {
    for (seed, (name, joint)) in kinds().into_iter().enumerate() {
        let model = arm_on(name, joint);
        let body = |k| FrameRef::Body(model.body_id(k).expect("is there"));
        let (tip, other, held) = (body(3), body(1), held(&model, 3, 1));
        Node::new(model, 9, 20 + seed as u64).compare_all(tip, other, &held);
    }
}

#[test]
fn formulas_are_dual_numbers_on_trees_and_mimics() {
    for (seed, (name, floats, tip, other)) in
        [("mimic", false, 4, 2), ("solo12", true, 3, 6), ("panda", false, 6, 3), ("continuous", false, 0, 0)]
            .into_iter()
            .enumerate()
    {
        let model = robot(name, floats);
        let body = |k: usize| FrameRef::Body(model.body_id(k.min(model.bodies().len() - 1)).expect("is there"));
        let last = model.bodies().len() - 1;
        let (a, b, held) = (body(tip), body(other), held(&model, tip.min(last), other.min(last)));
        if name == "continuous" {
            let mut node = Node::new(model, 0, 70);
            node.compare("com", &CenterOfMass::new([0.0, 0.1, 0.2].into()));
            node.compare("translation", &FrameTranslation::new(a, [0.1, 0.2, 0.3].into()));
            continue;
        }
        Node::new(model, 9, 50 + seed as u64).compare_all(a, b, &held);
    }
}

/// Two trees side by side, joints of several directions below each other.
#[test]
fn formulas_are_dual_numbers_behind_joints_that_turn() {
    let mut builder = ModelBuilder::new("branches");
    let inertia = Inertia::new(1.3, [0.1, 0.02, -0.05].into(), Symmetric3::new(0.05, 0.004, -0.003, 0.07, 0.002, 0.09));
    let place = |turn: [f64; 3], at: [f64; 3]| Transform::new(exp3(turn.into()), at.into());
    let at = place([0.2, -0.4, 0.1], [0.1, 0.2, 0.3]);
    let base = builder.add_body(None, "a", "a", at, Planar::new(Axis::X), inertia).expect("is valid");
    let ball = builder.add_body(Some(base), "b", "b", at, Spherical, inertia).expect("is valid");
    let cross = Universal { first: Axis::Y, second: Axis::Z };
    builder.add_body(Some(ball), "c", "c", at, cross, inertia).expect("is valid");
    builder.add_body(Some(base), "d", "d", at, Spherical, inertia).expect("is valid");
    let tree = builder.add_body(None, "e", "e", at, Revolute { axis: Axis::Z }, inertia).expect("is valid");
    builder.add_body(Some(tree), "f", "f", at, cross, inertia).expect("is valid");
    let model = builder.build().expect("is a robot");
    let body = |k| FrameRef::Body(model.body_id(k).expect("is there"));
    let (tip, other, held) = (body(2), body(3), held(&model, 2, 3));
    Node::new(model, 9, 90).compare_all(tip, other, &held);
}

/// What is linear has no Hessian, and says so.
#[test]
fn linear_residuals_say_so() {
    let (arm, floating) = (robot("panda", false), robot("solo12", true));
    assert!(StateError::neutral(&arm).is_linear() && !StateError::neutral(&floating).is_linear());
    let affine = Affine::new(Control::zero(), DMatrix::identity(3, 2), DVector::zeros(3));
    let (cone, coulomb) = (FrictionCone::of("foot"), CoulombCone::of("foot"));
    let lines = SpeedTorqueLines::new(&super::speed_torque::geared(&arm));
    let linear: [&dyn Residual; 7] =
        [&Control::zero(), &ControlRate::new(), &JointLimits::new(&arm), &cone, &coulomb, &affine, &lines];
    let mut node = Node::new(arm, 0, 3);
    for residual in linear {
        assert!(residual.is_linear(), "{residual:?}");
        assert!(node.run(residual, &[], 1).0.amax() <= 0.0);
    }
    let frame = FrameRef::Body(node.model.body_id(6).expect("is there"));
    assert!(!FrameTranslation::new(frame, Vector3::zeros()).is_linear());
}

/// Weights go through the matrix: `Σ λ_i ∂²(M r + m)_i = Σ (Mᵀ λ)_j ∂²r_j`, without allocation.
#[test]
fn affine_residuals_bend_as_what_they_are_made_of() {
    let model = robot("panda", false);
    let frame = FrameRef::Body(model.body_id(6).expect("is there"));
    let inner = || FrameTranslation::new(frame, [0.1, 0.2, 0.3].into());
    let (rows, seed) = (4, 11);
    let m = DMatrix::from_column_slice(rows, 3, &numbers(&mut rng(5), 3 * rows));
    let mut node = Node::new(model, 0, seed);
    let affine = Affine::new(inner(), m.clone(), DVector::zeros(rows));
    let (found, allocated) = node.run(&affine, &affine.goal(), 2);
    assert_eq!(allocated, 0);
    let weights = m.tr_mul(&DVector::from_vec(numbers(&mut rng(seed + 1), rows)));
    // One row at a time, of the residual itself.
    let mut expected = DMatrix::zeros(found.nrows(), found.ncols());
    for (k, weight) in weights.iter().enumerate() {
        let mut row = DMatrix::zeros(1, 3);
        row[(0, k)] = 1.0;
        let one = Affine::new(inner(), row, DVector::zeros(1));
        let lambda = numbers(&mut rng(seed + 1), 1)[0];
        expected += node.run(&one, &affine.goal(), 1).0 * (weight / lambda);
    }
    assert!((&found - &expected).amax() < 1e-12 && found.amax() > 0.1, "{found} {expected}");
}
