//! What has a column a degree of freedom, and what bodies do: the form over `f64`, eight joints at a time, is the plain
//! form.

use gradyn::dynamics::{
    Centroidal, CentroidalDerivatives, CentroidalMomentum, Constraint, FrameDerivatives, FrameRef, Kinematics,
    PointDerivatives, ReferenceFrame, Workspace, bias, center_of_mass, center_of_mass_derivatives, centroidal,
    centroidal_derivatives, centroidal_momentum, centroidal_momentum_matrix, classical_frame_derivatives, com_jacobian,
    com_regressor, constraint_bias, constraint_error, constraint_jacobian, forward_kinematics, frame_derivatives,
    frame_jacobian, frame_jacobian_rate, frame_wrench_regressor, generalized_gravity, joint_jacobians,
    kinematic_regressor, kinetic_energy, kinetic_energy_regressor, mechanical_energy, point_derivatives,
    point_jacobian, potential_energy, potential_energy_regressor, rnea, torque_regressor,
};
use gradyn::joint::{Axis, Joint, Prismatic, Revolute};
use gradyn::model::{BodyKey, DofDynamics, InputError, Model, ModelBuilder};
use gradyn::partials::{DerivativeWorkspace, Method, mass_product_derivatives, rnea_derivatives};
use gradyn::spatial::{Force, Inertia, Motion, Symmetric3, Transform};
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::with_level;
use gradyn_derivatives::{Level, Real, Scalar};
use nalgebra::{DMatrix, Rotation3, Vector3};

/// Named numbers.
type Results = Vec<(String, Vec<f64>)>;

/// The values of numbers of any type.
fn values<T: Real>(x: impl IntoIterator<Item = T>) -> Vec<f64>
where
    f64: Value<T>,
{
    x.into_iter().map(<f64 as Value<T>>::of).collect()
}

/// How to get at the value of a number.
trait Value<T> {
    fn of(x: T) -> f64;
}
impl Value<f64> for f64 {
    fn of(x: f64) -> f64 {
        x
    }
}
impl Value<Dual64> for f64 {
    fn of(x: Dual64) -> f64 {
        x.re
    }
}

/// All results at a state, in any number type. Two frames stand for all: one of the last body, one of the first.
fn results<T: Scalar<f64>>(model: &Model, ws: &mut Workspace<T>, state: &(Vec<f64>, Vec<f64>, Vec<f64>)) -> Results
where
    f64: Value<T>,
{
    let [q, v, a] = [&state.0, &state.1, &state.2].map(|x| testing::lift::<T>(x));
    let mut all = Results::new();
    let mut keep = |name: &str, numbers: Vec<f64>| all.push((name.to_owned(), numbers));
    let matrix = |m: &DMatrix<T>| values(m.iter().copied());
    let motion = |m: Motion<T>| values(testing::motion(m));
    let force = |f: Force<T>| values(testing::force(f));

    keep("joint_jacobians", matrix(joint_jacobians(model, ws, &q).expect("valid")));
    keep("generalized_gravity", values(generalized_gravity(model, ws, &q).expect("valid").iter().copied()));
    keep("torque_regressor", matrix(torque_regressor(model, ws, &q, &v, &a).expect("valid")));
    keep("mechanical_energy", values([mechanical_energy(model, ws, &q, &v).expect("valid")]));
    keep("potential_energy", values([potential_energy(model, ws, &q).expect("valid")]));
    keep("com_regressor", matrix(com_regressor(model, ws, &q).expect("valid")));
    for part in std::iter::once(None).chain((0..model.bodies().len()).map(|k| model.body_id(k))) {
        // A follower may have no mass.
        if let Ok(jacobian) = com_jacobian(model, ws, &q, part) {
            keep(&format!("com_jacobian of {part:?}"), matrix(jacobian));
        }
        if let Ok(by) = center_of_mass_derivatives(model, ws, &q, &v, &a, part) {
            let vectors = [by.position, by.velocity, by.acceleration];
            let name = format!("center_of_mass_derivatives of {part:?}");
            keep(&name, values(vectors.iter().flat_map(|x| x.iter().copied())));
            for (of, m) in by.matrices() {
                keep(&format!("{name}: {of}"), matrix(m));
            }
        }
    }
    keep("centroidal_momentum_matrix", matrix(centroidal_momentum_matrix(model, ws, &q).expect("valid")));
    keep("kinetic_energy_regressor", matrix(kinetic_energy_regressor(model, ws, &q, &v).expect("valid")));
    keep("potential_energy_regressor", matrix(potential_energy_regressor(model, ws, &q).expect("valid")));
    let centers = center_of_mass(model, ws, &q, &v, &a).expect("valid");
    let subtrees = (0..model.bodies().len()).filter_map(|k| centers.subtree(model.body_id(k)?));
    for (k, c) in std::iter::once(centers.whole).chain(subtrees).enumerate() {
        let numbers = [c.position, c.velocity, c.acceleration];
        keep(&format!("center_of_mass {k}: mass"), values([c.mass]));
        keep(&format!("center_of_mass {k}"), values(numbers.iter().flat_map(|x| x.iter().copied())));
    }
    let c: Centroidal<'_, T> = centroidal(model, ws, &q, &v, &a).expect("valid");
    keep(
        "centroidal: com",
        values([c.com.position, c.com.velocity, c.com.acceleration].iter().flat_map(|x| x.iter().copied())),
    );
    keep("centroidal: mass", values([c.com.mass]));
    keep("centroidal: inertia", values(c.inertia.to_parameters()));
    keep("centroidal: momentum", force(c.momentum));
    keep("centroidal: momentum_rate", force(c.momentum_rate));
    keep("centroidal: matrix", matrix(c.matrix));
    keep("centroidal: matrix_rate", matrix(c.matrix_rate));
    let h: CentroidalMomentum<T> = centroidal_momentum(model, ws, &q, &v, &a).expect("valid");
    let vectors = [h.com.position, h.com.velocity, h.com.acceleration];
    keep("centroidal_momentum: com", values(vectors.iter().flat_map(|x| x.iter().copied())));
    keep("centroidal_momentum: mass", values([h.com.mass]));
    keep("centroidal_momentum: inertia", values(h.inertia.to_parameters()));
    keep("centroidal_momentum: momentum", force(h.momentum));
    keep("centroidal_momentum: momentum_rate", force(h.momentum_rate));
    let by: &CentroidalDerivatives<T> = centroidal_derivatives(model, ws, &q, &v, &a).expect("valid");
    keep("centroidal_derivatives: momentum", force(by.momentum));
    keep("centroidal_derivatives: momentum_rate", force(by.momentum_rate));
    for (name, m) in by.matrices() {
        keep(&format!("centroidal_derivatives: {name}"), matrix(m));
    }

    let last = model.body_id(model.bodies().len() - 1).expect("is there");
    let first = model.body_id(0).expect("is there");
    let frames: Vec<FrameRef> = [FrameRef::Body(last), FrameRef::Body(first)]
        .into_iter()
        .chain(model.frames().last().and_then(|frame| model.find_frame(frame.name())).map(FrameRef::Frame))
        .collect();
    for (frame, reference) in frames.into_iter().flat_map(|f| ReferenceFrame::ALL.map(|r| (f, r))) {
        let of = format!("of {frame:?}, {reference}");
        let jacobian = frame_jacobian(model, ws, &q, frame, reference).expect("valid");
        keep(&format!("frame_jacobian {of}"), matrix(jacobian));
        keep(
            &format!("kinematic_regressor {of}"),
            matrix(kinematic_regressor(model, ws, &q, frame, reference).expect("valid")),
        );
        let wrench = frame_wrench_regressor(model, ws, &q, &v, &a, frame).expect("valid");
        keep(&format!("frame_wrench_regressor {of}"), matrix(wrench));
        let by: &FrameDerivatives<T> =
            classical_frame_derivatives(model, ws, &q, &v, &a, frame, reference).expect("valid");
        keep(&format!("classical_frame_derivatives {of}: velocity"), motion(by.velocity));
        keep(&format!("classical_frame_derivatives {of}: acceleration"), motion(by.acceleration));
        for (name, m) in by.matrices() {
            keep(&format!("classical_frame_derivatives {of}: {name}"), matrix(m));
        }
        let rate = frame_jacobian_rate(model, ws, &q, &v, frame, reference).expect("valid");
        keep(&format!("frame_jacobian_rate of {frame:?}, {reference}"), matrix(rate));
        let by: &FrameDerivatives<T> = frame_derivatives(model, ws, &q, &v, &a, frame, reference).expect("valid");
        keep(&format!("frame_derivatives of {frame:?}, {reference}: velocity"), motion(by.velocity));
        keep(&format!("frame_derivatives of {frame:?}, {reference}: acceleration"), motion(by.acceleration));
        for (name, m) in by.matrices() {
            keep(&format!("frame_derivatives of {frame:?}, {reference}: {name}"), matrix(m));
        }
    }

    let point = Vector3::new(0.1, -0.2, 0.3);
    for (body, reference) in [last, first].into_iter().flat_map(|b| ReferenceFrame::ALL.map(|r| (b, r))) {
        let of = format!("of {body:?}, {reference}");
        keep(
            &format!("point_jacobian {of}"),
            matrix(point_jacobian(model, ws, &q, body, point, reference).expect("valid")),
        );
        let by: &PointDerivatives<T> = point_derivatives(model, ws, &q, &v, &a, body, point, reference).expect("valid");
        let vectors = [by.velocity, by.acceleration];
        keep(&format!("point_derivatives {of}"), values(vectors.iter().flat_map(|x| x.iter().copied())));
        for (name, m) in by.matrices() {
            keep(&format!("point_derivatives {of}: {name}"), matrix(m));
        }
    }
    let x = Transform::new(*Rotation3::from_euler_angles(0.3, -0.4, 0.5).matrix(), point);
    let held = [
        Constraint::contact(last, point, Vector3::zeros()),
        Constraint::contact(first, point, Vector3::zeros()).with_gains(2.0, 3.0),
        Constraint::frame(None, x, last, x.inverse()),
        Constraint::frame(first, x, None, x.inverse()),
        Constraint::point(last, point, None, -point),
    ];
    keep("constraint_error", values(constraint_error(model, ws, &q, &held).expect("valid").iter().copied()));
    keep("constraint_jacobian", matrix(constraint_jacobian(model, ws, &q, &held).expect("valid")));
    keep("constraint_bias", values(constraint_bias(model, ws, &q, &v, &held).expect("valid").iter().copied()));

    let kinematics: Kinematics<'_, f64, T> = forward_kinematics(model, ws, &q, &v, &a).expect("valid");
    for b in (0..model.bodies().len()).filter_map(|k| model.body_id(k)) {
        let x = kinematics.pose(b).expect("is there");
        let name = |what: &str| format!("forward_kinematics: {what} of {b:?}");
        keep(&name("pose"), values(x.rotation.iter().chain(x.translation.iter()).copied()));
        keep(&name("velocity"), motion(kinematics.velocity(b).expect("is there")));
        keep(&name("acceleration"), motion(kinematics.acceleration(b).expect("is there")));
    }
    all
}

/// Every model of the tests, and trees of joints whose subspaces are constant.
fn models() -> Vec<(String, Model)> {
    [testing::models(), testing::constant_subspaces()].concat()
}

/// Over `f64` all is what it is over dual numbers, which go through the plain forms, at every level; a second call,
/// after one at another state, gives the same to the bit.
#[test]
fn results_are_those_of_the_plain_forms() {
    for (what, model) in models() {
        let (state, other) = (testing::state(&model, 7), testing::state(&model, 8));
        let plain = results(&model, &mut Workspace::<Dual64>::new(&model), &state);
        for level in Level::available() {
            let ws = &mut Workspace::<f64>::new(&model);
            let found = with_level(level, || results(&model, ws, &state));
            assert_eq!(found.len(), plain.len());
            for ((name, found), (_, plain)) in found.iter().zip(&plain) {
                // Sums in another order, about another point: some hundred roundings of the largest entry.
                testing::assert_near(found, plain, 1e-11, format!("{what}, {level}: {name}"));
            }
            let again = with_level(level, || {
                results(&model, ws, &other);
                results(&model, ws, &state)
            });
            for ((name, found), (_, again)) in found.iter().zip(&again) {
                testing::assert_same(again, found, format!("{what}, {level}: {name}"));
            }
        }
    }
}

/// A workspace serves the same robot mounted elsewhere: nothing is kept of where it was.
#[test]
fn workspaces_serve_another_mounting() {
    for (what, model) in models() {
        let (state, other) = (testing::state(&model, 5), testing::state(&model, 6));
        let wrenches = testing::wrenches(&model, 7);
        let rng = &mut testing::rng(8);
        let mut moved = model.clone();
        for k in (0..model.bodies().len()).filter(|k| model.bodies()[*k].parent().is_none()) {
            let root = model.body_id(k).expect("is there");
            moved = moved.with_placement(root, testing::transform(rng)).expect("is there");
        }
        for level in Level::available() {
            with_level(level, || {
                let run = |ws: &mut Workspace<f64>| {
                    let mut all = results(&moved, ws, &state);
                    let tau = rnea(&moved, ws, &state.0, &state.1, &state.2, &wrenches).expect("valid");
                    all.push(("rnea".to_owned(), tau.to_vec()));
                    all
                };
                let (used, fresh) = (&mut Workspace::new(&model), &mut Workspace::new(&moved));
                results(&model, used, &other);
                for ((name, found), (_, fresh)) in run(used).iter().zip(&run(fresh)) {
                    testing::assert_same(found, fresh, format!("{what}, {level}: {name}"));
                }
            });
        }
    }
}

/// Of the columns of all joints, the Jacobian of a body has those on its path to the root.
#[test]
fn columns_of_joints_are_those_of_jacobians() {
    for (what, model) in models() {
        let (q, ..) = testing::state(&model, 2);
        let ws = &mut Workspace::<f64>::new(&model);
        let joints = joint_jacobians(&model, ws, &q).expect("valid").clone();
        assert_eq!(joints.shape(), (6, model.nv()), "{what}");
        // How many joints move along each degree of freedom: sums are not what one body sees.
        let mut joints_of = vec![0; model.nv()];
        model.bodies().iter().for_each(|b| b.v_range().for_each(|dof| joints_of[dof] += 1));
        let largest = joints.amax().max(1.0);
        for b in (0..model.bodies().len()).filter_map(|k| model.body_id(k)) {
            let of_body = frame_jacobian(&model, ws, &q, b, ReferenceFrame::World).expect("valid");
            let path = std::iter::successors(Some(b), |b| model.bodies()[b.index()].parent());
            for dof in path.flat_map(|b| model.bodies()[b.index()].v_range()).filter(|dof| joints_of[*dof] == 1) {
                let off = (of_body.column(dof) - joints.column(dof)).amax();
                // Placed in two orders: some ten roundings along a chain.
                assert!(off < 1e-12 * largest, "{what}: column {dof} of {b:?} is off by {off:e}");
            }
        }
    }
}

/// What the tree makes zero is exactly zero: of a frame, the columns beside the path to the root; of the regressor, the
/// parameters of bodies that a joint does not carry.
#[test]
fn what_the_tree_makes_zero_is_zero() {
    for (what, model) in models() {
        let ws = &mut Workspace::<f64>::new(&model);
        let world = ReferenceFrame::World;
        let (q, v, a) = testing::state(&model, 4);
        for b in (0..model.bodies().len()).rev().filter_map(|k| model.body_id(k)) {
            let path = std::iter::successors(Some(b), |b| model.bodies()[b.index()].parent());
            let moving: Vec<usize> = path.flat_map(|b| model.bodies()[b.index()].v_range()).collect();
            let beside = |dof: &usize| !moving.contains(dof);
            let rate = frame_jacobian_rate(&model, ws, &q, &v, b, world).expect("valid");
            assert!((0..model.nv()).filter(beside).all(|dof| rate.column(dof).amax() == 0.0), "{what}: rate of {b:?}");
            let by = frame_derivatives(&model, ws, &q, &v, &a, b, world).expect("valid");
            for (name, m) in by.matrices() {
                let zero = (0..model.nv()).filter(beside).all(|dof| m.column(dof).amax() == 0.0);
                assert!(zero, "{what}: {name} of {b:?}");
            }
            let regressor = torque_regressor(&model, ws, &q, &v, &a).expect("valid");
            let of_body = regressor.columns(10 * b.index(), 10);
            assert!((0..model.nv()).filter(beside).all(|dof| of_body.row(dof).amax() == 0.0), "{what}: {b:?}");
        }
    }
}

/// Numbers that are not finite are named, whichever form meets them.
#[test]
fn what_is_not_finite_is_named() {
    let (_, model) = testing::models().into_iter().find(|(what, _)| what.contains("g1")).expect("is there");
    let (q, v, a) = testing::state(&model, 1);
    let ws = &mut Workspace::<f64>::new(&model);
    let b = model.body_id(3).expect("is there");
    let world = ReferenceFrame::World;
    let with =
        |x: &[f64], k: usize| x.iter().enumerate().map(|(i, x)| if i == k { f64::NAN } else { *x }).collect::<Vec<_>>();
    let (q_bad, v_bad, a_bad) = (with(&q, q.len() - 1), with(&v, 2), with(&a, 0));
    let p = Vector3::new(0.1, 0.2, 0.3);
    let held = [Constraint::contact(b, p, p)];
    let of_q: [(&str, Result<(), InputError>); 20] = [
        ("potential_energy", potential_energy(&model, ws, &q_bad).map(|_| ())),
        ("com_regressor", com_regressor(&model, ws, &q_bad).map(|_| ())),
        ("com_jacobian of a part", com_jacobian(&model, ws, &q_bad, Some(b)).map(|_| ())),
        ("center_of_mass_derivatives", center_of_mass_derivatives(&model, ws, &q_bad, &v, &a, Some(b)).map(|_| ())),
        ("centroidal_momentum", centroidal_momentum(&model, ws, &q_bad, &v, &a).map(|_| ())),
        ("frame_jacobian", frame_jacobian(&model, ws, &q_bad, b, world).map(|_| ())),
        ("point_jacobian", point_jacobian(&model, ws, &q_bad, b, p, world).map(|_| ())),
        ("kinematic_regressor", kinematic_regressor(&model, ws, &q_bad, b, world).map(|_| ())),
        ("frame_wrench_regressor", frame_wrench_regressor(&model, ws, &q_bad, &v, &a, b).map(|_| ())),
        ("point_derivatives", point_derivatives(&model, ws, &q_bad, &v, &a, b, p, world).map(|_| ())),
        ("constraint_jacobian", constraint_jacobian(&model, ws, &q_bad, &held).map(|_| ())),
        ("joint_jacobians", joint_jacobians(&model, ws, &q_bad).map(|_| ())),
        ("generalized_gravity", generalized_gravity(&model, ws, &q_bad).map(|_| ())),
        ("torque_regressor", torque_regressor(&model, ws, &q_bad, &v, &a).map(|_| ())),
        ("mechanical_energy", mechanical_energy(&model, ws, &q_bad, &v).map(|_| ())),
        ("com_jacobian", com_jacobian(&model, ws, &q_bad, None).map(|_| ())),
        ("centroidal_momentum_matrix", centroidal_momentum_matrix(&model, ws, &q_bad).map(|_| ())),
        ("frame_jacobian_rate", frame_jacobian_rate(&model, ws, &q_bad, &v, b, world).map(|_| ())),
        ("frame_derivatives", frame_derivatives(&model, ws, &q_bad, &v, &a, b, world).map(|_| ())),
        ("forward_kinematics", forward_kinematics(&model, ws, &q_bad, &v, &a).map(|_| ())),
    ];
    for (name, found) in of_q {
        let named = matches!(found, Err(InputError::NotFinite { what: "q", index, .. }) if index == q.len() - 1);
        assert!(named, "{name}: {found:?}");
    }
    let found = centroidal(&model, ws, &q, &v_bad, &a).map(|_| ());
    assert!(matches!(found, Err(InputError::NotFinite { what: "v", index: 2, .. })), "{found:?}");
    let found = centroidal_derivatives(&model, ws, &q, &v, &a_bad).map(|_| ());
    assert!(matches!(found, Err(InputError::NotFinite { what: "a", index: 0, .. })), "{found:?}");
    // Of joints that do not move the body too.
    let (v_bad, a_bad) = (with(&v, v.len() - 1), with(&a, a.len() - 1));
    let of_v: [(&str, Result<(), InputError>); 8] = [
        ("centroidal_momentum", centroidal_momentum(&model, ws, &q, &v_bad, &a).map(|_| ())),
        ("frame_wrench_regressor", frame_wrench_regressor(&model, ws, &q, &v_bad, &a, b).map(|_| ())),
        ("point_derivatives", point_derivatives(&model, ws, &q, &v_bad, &a, b, p, world).map(|_| ())),
        ("constraint_bias", constraint_bias(&model, ws, &q, &v_bad, &held).map(|_| ())),
        ("frame_jacobian_rate", frame_jacobian_rate(&model, ws, &q, &v_bad, b, world).map(|_| ())),
        ("frame_derivatives", frame_derivatives(&model, ws, &q, &v_bad, &a, b, world).map(|_| ())),
        ("forward_kinematics", forward_kinematics(&model, ws, &q, &v_bad, &a).map(|_| ())),
        ("mechanical_energy", mechanical_energy(&model, ws, &q, &v_bad).map(|_| ())),
    ];
    let of_a: [(&str, Result<(), InputError>); 5] = [
        ("centroidal_momentum", centroidal_momentum(&model, ws, &q, &v, &a_bad).map(|_| ())),
        ("frame_wrench_regressor", frame_wrench_regressor(&model, ws, &q, &v, &a_bad, b).map(|_| ())),
        ("center_of_mass_derivatives", center_of_mass_derivatives(&model, ws, &q, &v, &a_bad, Some(b)).map(|_| ())),
        ("frame_derivatives", frame_derivatives(&model, ws, &q, &v, &a_bad, b, world).map(|_| ())),
        ("forward_kinematics", forward_kinematics(&model, ws, &q, &v, &a_bad).map(|_| ())),
    ];
    for (wrong, (name, found)) in of_v.into_iter().map(|x| ("v", x)).chain(of_a.into_iter().map(|x| ("a", x))) {
        let named =
            matches!(found, Err(InputError::NotFinite { what, index, .. }) if what == wrong && index == v.len() - 1);
        assert!(named, "{name}: {found:?}");
    }
    // And after that all is as before.
    let fresh = results(&model, &mut Workspace::<f64>::new(&model), &(q.clone(), v.clone(), a.clone()));
    for ((name, found), (_, fresh)) in results(&model, ws, &(q, v, a)).iter().zip(&fresh) {
        testing::assert_same(found, fresh, name);
    }
}

/// Whether each result is there, in any number type; those that depend on `q` alone come first.
fn outcomes<T: Scalar<f64>>(model: &Model, [q, v]: [&[f64]; 2]) -> [(&'static str, Result<(), InputError>); 19] {
    let ws = &mut Workspace::<T>::new(model);
    let [q, v, a] = [q, v, &vec![0.0; model.nv()]].map(|x| testing::lift::<T>(x));
    let (last, world) = (model.body_id(model.bodies().len() - 1).expect("is there"), ReferenceFrame::World);
    let p = Vector3::new(0.1, 0.2, 0.3);
    [
        ("com_regressor", com_regressor(model, ws, &q).map(|_| ())),
        ("potential_energy", potential_energy(model, ws, &q).map(|_| ())),
        ("frame_jacobian", frame_jacobian(model, ws, &q, last, world).map(|_| ())),
        ("joint_jacobians", joint_jacobians(model, ws, &q).map(|_| ())),
        ("generalized_gravity", generalized_gravity(model, ws, &q).map(|_| ())),
        ("com_jacobian", com_jacobian(model, ws, &q, None).map(|_| ())),
        ("centroidal_momentum_matrix", centroidal_momentum_matrix(model, ws, &q).map(|_| ())),
        ("torque_regressor", torque_regressor(model, ws, &q, &v, &a).map(|_| ())),
        ("mechanical_energy", mechanical_energy(model, ws, &q, &v).map(|_| ())),
        ("kinetic_energy", kinetic_energy(model, ws, &q, &v).map(|_| ())),
        ("centroidal", centroidal(model, ws, &q, &v, &a).map(|_| ())),
        ("centroidal_momentum", centroidal_momentum(model, ws, &q, &v, &a).map(|_| ())),
        ("center_of_mass_derivatives", center_of_mass_derivatives(model, ws, &q, &v, &a, Some(last)).map(|_| ())),
        ("point_derivatives", point_derivatives(model, ws, &q, &v, &a, last, p, world).map(|_| ())),
        ("frame_wrench_regressor", frame_wrench_regressor(model, ws, &q, &v, &a, last).map(|_| ())),
        ("centroidal_derivatives", centroidal_derivatives(model, ws, &q, &v, &a).map(|_| ())),
        ("frame_jacobian_rate", frame_jacobian_rate(model, ws, &q, &v, last, world).map(|_| ())),
        ("frame_derivatives", frame_derivatives(model, ws, &q, &v, &a, last, world).map(|_| ())),
        ("forward_kinematics", forward_kinematics(model, ws, &q, &v, &a).map(|_| ())),
    ]
}

/// What is too large for a number is said to be, whichever form meets it: two slides, one on the other, that have gone
/// half as far as numbers reach and more; and as fast.
#[test]
fn what_overflows_is_named() {
    let rng = &mut testing::rng(9);
    let mut builder = ModelBuilder::new("slides");
    let (hinge, slide) = (Revolute { axis: Axis::Z }, Prismatic { axis: Axis::X });
    let joints: [Joint; 4] = [hinge.into(), slide.into(), slide.into(), hinge.into()];
    let mut parent = None;
    for (k, joint) in joints.into_iter().enumerate() {
        let (x, y) = (Transform::from_translation(testing::vector(rng)), testing::inertia(rng));
        let key = builder.add_body(parent, format!("body{k}"), format!("joint{k}"), x, joint, y).expect("fits");
        parent = Some(key);
    }
    let model = builder.build().expect("builds");
    let (near, slow, far, fast) = ([0.3; 4], [0.1; 4], [0.3, 1.5e308, 1.5e308, 0.2], [1.5e308; 4]);
    let overflows = |what: &str, (name, found): (&str, Result<(), InputError>)| {
        assert!(matches!(found, Err(InputError::Overflow { .. })), "{what}, {name}: {found:?}");
    };
    for (q, v, first) in [(&far, &slow, 0), (&near, &fast, 7)] {
        for outcome in outcomes::<Dual64>(&model, [q, v]).into_iter().skip(first) {
            overflows("plain form", outcome);
        }
        for level in Level::available() {
            let found = with_level(level, || outcomes::<f64>(&model, [q, v]));
            found.into_iter().skip(first).for_each(|outcome| overflows(&level.to_string(), outcome));
        }
    }
}

/// Sliders along x, each on the one before or all side by side, which follow the first where there is a multiplier.
fn slides(gravity: f64, multipliers: &[Option<f64>], in_a_row: bool) -> Model {
    let mut builder = ModelBuilder::new("slides");
    builder.set_gravity(Vector3::new(gravity, 0.0, 0.0));
    let mut keys: Vec<BodyKey> = Vec::new();
    for (i, multiplier) in multipliers.iter().enumerate() {
        // In a row, the last one has the mass.
        let mass = if in_a_row && i + 1 < multipliers.len() { 1e-9 } else { 1.0 };
        let y = Inertia::new(mass, Vector3::zeros(), Symmetric3::diagonal(1.0, 1.0, 1.0));
        let parent = keys.last().copied().filter(|_| in_a_row);
        let (x, joint) = (Transform::identity(), Prismatic { axis: Axis::X });
        let key = builder.add_body(parent, format!("b{i}"), format!("j{i}"), x, joint, y).expect("fits");
        keys.push(key);
        if let Some(k) = *multiplier {
            builder.set_mimic(key, keys[0], k, 0.0).expect("fits");
        }
    }
    builder.build().expect("builds")
}

/// Where several joints share a degree of freedom, what each of them adds may be finite and the sum not.
#[test]
fn sums_over_joints_that_mimic_are_looked_at() {
    type Found = (&'static str, Result<(), InputError>);
    fn torques<T: Scalar<f64>>(model: &Model, a: f64) -> Vec<Found> {
        let ws = &mut Workspace::<T>::new(model);
        let [zero, a] = [0.0, a].map(|x| testing::lift::<T>(&[x]));
        vec![
            ("rnea", rnea(model, ws, &zero, &zero, &a, &[]).map(|_| ())),
            ("bias", bias(model, ws, &zero, &zero, &[]).map(|_| ())),
            ("generalized_gravity", generalized_gravity(model, ws, &zero).map(|_| ())),
        ]
    }
    fn columns<T: Scalar<f64>>(model: &Model) -> Vec<Found> {
        let ws = &mut Workspace::<T>::new(model);
        let zero = &testing::lift::<T>(&[0.0])[..];
        let (last, local) = (model.body_id(model.bodies().len() - 1).expect("is there"), ReferenceFrame::Local);
        let p = Vector3::zeros();
        vec![
            ("frame_jacobian", frame_jacobian(model, ws, zero, last, local).map(|_| ())),
            ("joint_jacobians", joint_jacobians(model, ws, zero).map(|_| ())),
            ("point_jacobian", point_jacobian(model, ws, zero, last, p, local).map(|_| ())),
            ("frame_motion", frame_derivatives(model, ws, zero, zero, zero, last, local).map(|_| ())),
            ("point_motion", point_derivatives(model, ws, zero, zero, zero, last, p, local).map(|_| ())),
        ]
    }
    fn masses<T: Scalar<f64>>(model: &Model) -> Vec<Found> {
        let ws = &mut Workspace::<T>::new(model);
        let zero = &testing::lift::<T>(&[0.0])[..];
        vec![
            ("com_jacobian", com_jacobian(model, ws, zero, None).map(|_| ())),
            ("center_of_mass_derivatives", center_of_mass_derivatives(model, ws, zero, zero, zero, None).map(|_| ())),
            ("momentum_matrix", centroidal_momentum_matrix(model, ws, zero).map(|_| ())),
            ("centroidal", centroidal(model, ws, zero, zero, zero).map(|_| ())),
            ("centroidal_derivatives", centroidal_derivatives(model, ws, zero, zero, zero).map(|_| ())),
        ]
    }
    fn derivatives(model: &Model, a: f64) -> Vec<Found> {
        let ws = &mut DerivativeWorkspace::new(model);
        let of = |method| rnea_derivatives(model, ws, method, &[0.0], &[0.0], &[a], &[]).map(|_| ());
        let names = ["derivatives, analytical", "derivatives, dual"];
        let mut found: Vec<_> = names.into_iter().zip([Method::Analytical, Method::Dual].map(of)).collect();
        let product = mass_product_derivatives(model, ws, Method::Analytical, &[0.0], &[a]).map(|_| ());
        found.push(("mass product", product));
        found
    }
    let named = |form: &str, found: Vec<Found>| {
        for (name, found) in found {
            assert!(matches!(found, Err(InputError::Overflow { .. })), "{form}, {name}: {found:?}");
        }
    };
    let side_by_side = slides(-1.5e308, &[None, Some(1.0)], false);
    let still = slides(0.0, &[None, Some(1.0)], false);
    let row = slides(0.0, &[None, Some(1.2e308), Some(1.2e308)], true);
    named("plain form", torques::<Dual64>(&side_by_side, 0.0));
    named("plain form", columns::<Dual64>(&row));
    named("plain form", masses::<Dual64>(&row));
    for level in Level::available() {
        let form = &level.to_string();
        with_level(level, || {
            named(form, torques::<f64>(&side_by_side, 0.0));
            named(form, torques::<f64>(&still, 1.5e308).into_iter().take(1).collect());
            named(form, columns::<f64>(&row));
            named(form, masses::<f64>(&row));
            named(form, derivatives(&still, 1.5e308));
        });
    }
}

/// So are torques of armatures that no lane has room for.
#[test]
fn armatures_beyond_lanes_are_looked_at() {
    let model = slides(0.0, &[None], true);
    let dof = |armature| DofDynamics { index: 0, multiplier: 1.0, armature, damping: 0.0, friction: 0.0 };
    let model = model.with_joint_dynamics(vec![dof(1.0); 8]).expect("fits");
    for level in Level::available() {
        let found = with_level(level, || {
            let ws = &mut Workspace::<f64>::new(&model);
            rnea(&model, ws, &[0.0], &[0.0], &[0.3e308], &[]).map(<[f64]>::to_vec)
        });
        assert!(matches!(found, Err(InputError::Overflow { what: "tau", .. })), "{level}: {found:?}");
    }
}
