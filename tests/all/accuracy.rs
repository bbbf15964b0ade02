//! How many digits forward dynamics keep, against numbers of twice as many ([`Precise`]): each form at each level.

use gradyn::batch::Batch;
use gradyn::dynamics::{self, Constraint, Workspace};
use gradyn::joint::{Axis, FreeFlyer, Joint, Prismatic, Revolute};
use gradyn::model::urdf::UrdfOptions;
use gradyn::model::{BodyKey, Model, ModelBuilder};
use gradyn::partials::{DerivativeWorkspace, Method, aba_derivatives};
use gradyn::spatial::{Inertia, Symmetric3, Transform};
use gradyn_derivatives::simd::{Level, with_level};
use nalgebra::{DMatrix, Vector3};
use std::f64::consts::FRAC_PI_2;
use testing::{Precise, path, state};

/// A robot at a state.
struct Case {
    name: String,
    model: Model,
    q: Vec<f64>,
    v: Vec<f64>,
    tau: Vec<f64>,
}

fn lift(x: &[f64]) -> Vec<Precise> {
    x.iter().map(|x| Precise::from(*x)).collect()
}

/// The largest deviation, relative to the largest number.
fn relative(found: &[f64], exact: &[Precise]) -> f64 {
    assert_eq!(found.len(), exact.len());
    let size = exact.iter().fold(0.0, |size: f64, x| size.max(x.round().abs()));
    let off = found.iter().zip(exact).map(|(x, exact)| (*exact - Precise::from(*x)).round().abs());
    off.fold(0.0, |worst: f64, x| if x.is_nan() { f64::NAN } else { worst.max(x) }) / size
}

/// Three hinges through one point, of which only the last moves a mass: the middle one locks the others at ±90°.
fn gimbal(
    builder: &mut ModelBuilder,
    parent: Option<BodyKey>,
    (name, place): (&str, Vector3<f64>),
    inertia: Inertia<f64>,
) -> BodyKey {
    let mut body = parent;
    for (k, axis) in [Axis::X, Axis::Y, Axis::Z].into_iter().enumerate() {
        let placement = if k == 0 { Transform::from_translation(place) } else { Transform::identity() };
        let own = if k == 2 { inertia } else { Inertia::zero() };
        let key = builder.add_body(
            body,
            format!("{name} {k}"),
            format!("{name} joint {k}"),
            placement,
            Revolute { axis },
            own,
        );
        body = Some(key.expect("has a parent"));
    }
    body.expect("three bodies")
}

fn hand() -> Inertia<f64> {
    Inertia::new(0.2, Vector3::new(0.01, 0.0, 0.05), Symmetric3::diagonal(2e-4, 3e-4, 1.5e-4))
}

fn finger() -> Inertia<f64> {
    Inertia::new(0.006, Vector3::new(0.0, 0.0, 0.02), Symmetric3::diagonal(1e-6, 1e-6, 2e-7))
}

fn add(builder: &mut ModelBuilder, parent: BodyKey, name: &str, place: [f64; 3], joint: impl Into<Joint>) -> BodyKey {
    let placement = Transform::from_translation(place.into());
    builder.add_body(Some(parent), name, format!("{name} joint"), placement, joint, finger()).expect("has a parent")
}

/// A hand on three massless slides and a massless gimbal: 8 m away from where it is fixed, or near.
fn on_a_gantry() -> Model {
    Model::from_urdf_file(path("tests/accuracy/handroot.urdf"), &UrdfOptions::new()).expect("is read").model
}

/// A base that floats, with four limbs of a gimbal and a knee each.
fn quadruped() -> Model {
    let mut builder = ModelBuilder::new("four gimbals");
    let trunk = Inertia::new(5.0, Vector3::zeros(), Symmetric3::diagonal(0.05, 0.1, 0.12));
    let base = builder.add_body(None, "base", "float", Transform::identity(), FreeFlyer, trunk).expect("is the root");
    for (k, (x, y)) in [(0.3, 0.2), (0.3, -0.2), (-0.3, 0.2), (-0.3, -0.2)].into_iter().enumerate() {
        let thigh = gimbal(&mut builder, Some(base), (&format!("limb {k}"), Vector3::new(x, y, 0.0)), hand());
        add(&mut builder, thigh, &format!("shank {k}"), [0.0, 0.0, -0.2], Revolute { axis: Axis::Y });
    }
    builder.build().expect("builds")
}

/// So deep that factors of its mass matrix are full: links, and a gimbal with a hand at the end.
fn deep() -> Model {
    let mut builder = ModelBuilder::new("deep");
    let link = Inertia::new(0.5, Vector3::new(0.05, 0.0, 0.0), Symmetric3::diagonal(1e-4, 1e-3, 1e-3));
    let mut parent = None;
    for k in 0..40 {
        let axis = if k % 2 == 0 { Axis::Y } else { Axis::Z };
        let placement = Transform::from_translation(Vector3::new(0.1, 0.0, 0.0));
        let key =
            builder.add_body(parent, format!("link {k}"), format!("hinge {k}"), placement, Revolute { axis }, link);
        parent = Some(key.expect("has a parent"));
    }
    gimbal(&mut builder, parent, ("wrist", Vector3::new(0.1, 0.0, 0.0)), hand());
    builder.build().expect("builds")
}

/// A light tool on a heavy carriage.
fn light_on_heavy() -> Model {
    let mut builder = ModelBuilder::new("light on heavy");
    let heavy = Inertia::new(1e4, Vector3::zeros(), Symmetric3::diagonal(1e3, 1e3, 1e3));
    let along = Prismatic { axis: Axis::X };
    let carriage =
        builder.add_body(None, "carriage", "rail", Transform::identity(), along, heavy).expect("is the root");
    let arm = add(&mut builder, carriage, "arm", [0.0, 0.3, 1.0], Revolute { axis: Axis::Z });
    add(&mut builder, arm, "tool", [0.0, 0.1, 0.2], Revolute { axis: Axis::Y });
    builder.build().expect("builds")
}

/// The robots above, their gimbals so far from their lock.
fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (seed, lock) in [1.0, 0.1, 1e-2, 1e-3, 1e-4].into_iter().enumerate() {
        let near = |name: &str, model: Model, bodies: &[&str]| {
            let (mut q, v, tau) = state(&model, seed as u64);
            for body in bodies {
                let body = model.find_body(body).expect("is there");
                q[model.bodies()[body.index()].q_range().start] = FRAC_PI_2 + lock;
            }
            Case { name: format!("{name}, {lock:e} from the lock"), model, q, v, tau }
        };
        cases.push(near("gantry", on_a_gantry(), &["l5"]));
        cases.push(near("quadruped", quadruped(), &["limb 0 1", "limb 2 1"]));
        cases.push(near("deep", deep(), &["wrist 1"]));
    }
    let mut of = |name: &str, model: Model| {
        let (q, v, tau) = state(&model, 7);
        cases.push(Case { name: name.into(), model, q, v, tau });
    };
    of("light on heavy", light_on_heavy());
    of("panda", testing::robot("panda", &UrdfOptions::new()));
    of("g1", testing::robot("g1", &UrdfOptions::new().floating_base(true)));
    let mut recorded =
        serde_json::from_str::<serde_json::Value>(include_str!("../accuracy/handroot_state.json")).expect("is JSON");
    let mut numbers = |what: &str| serde_json::from_value(recorded["states"][0][what].take()).expect("are numbers");
    let (q, v, tau) = (numbers("q"), numbers("v"), numbers("tau"));
    cases.push(Case { name: "hand on a massless root, as it was reported".into(), model: on_a_gantry(), q, v, tau });
    cases
}

/// Condition number.
fn condition(m: &DMatrix<Precise>) -> f64 {
    let values = m.map(Precise::round).symmetric_eigenvalues();
    values.max() / values.min()
}

const LEVELS: [Level; 3] = [Level::Plain, Level::Avx2, Level::Avx512];

/// `∂q̈/∂q` or `∂q̈/∂v` in these numbers: central differences with a step of 1e-11 are off by its square.
fn differences(case: &Case, by_q: bool) -> Vec<Precise> {
    let Case { model, q, v, tau, .. } = case;
    let (mut ws, mut columns) = (Workspace::<Precise>::new(model), Vec::new());
    let h = 1e-11;
    for k in 0..model.nv() {
        let mut at = |sign: f64| {
            let mut step = lift(&vec![0.0; model.nv()]);
            step[k] = Precise::from(sign * h);
            let (mut q, mut v) = (lift(q), lift(v));
            match by_q {
                true => q = model.integrate(&q, &step).expect("is a state"),
                false => v[k] += step[k],
            }
            dynamics::aba(model, &mut ws, &q, &v, &lift(tau), &[]).expect("has inertia").to_vec()
        };
        let (up, down) = (at(1.0), at(-1.0));
        columns.extend(up.iter().zip(&down).map(|(up, down)| (*up - *down) / Precise::from(2.0 * h)));
    }
    columns
}

/// Half the distance of one to the next number: what one operation may be off by.
const ROUNDING: f64 = f64::EPSILON / 2.0;

/// Checks `off` at a level against a number of roundings for each unit of the condition, and against what a page keeps
/// whatever the condition.
fn assert_keeps(off: f64, bound: f64, what: impl std::fmt::Display) {
    assert!(off <= bound, "{what}: off by {off:.1e}, which may be {bound:.1e}");
}

/// The articulated-body algorithm, of one state and of eight, and its inverse: near gimbal locks, at conditions of
/// 10¹², as far from them. A few roundings for each of the bodies that a result goes through; 40 of them in a row.
#[test]
fn the_page_keeps_all_digits_near_gimbal_locks() {
    const ALL: f64 = 1e-14;
    for case in cases() {
        let Case { name, model, q, v, tau } = &case;
        let mut ws = Workspace::<Precise>::new(model);
        let exact = dynamics::aba(model, &mut ws, &lift(q), &lift(v), &lift(tau), &[]).expect("has inertia").to_vec();
        let inverse = dynamics::minv(model, &mut ws, &lift(q)).expect("has inertia").clone();
        with_level(Level::Plain, || {
            let mut ws = Workspace::<f64>::new(model);
            let ddq = dynamics::aba(model, &mut ws, q, v, tau, &[]).expect("has inertia");
            assert_keeps(relative(ddq, &exact), ALL, format_args!("{name}: aba"));
            let found = dynamics::minv(model, &mut ws, q).expect("has inertia");
            assert_keeps(relative(found.as_slice(), inverse.as_slice()), ALL, format_args!("{name}: minv"));
        });
        for level in LEVELS {
            let mut ddq = vec![0.0; model.nv()];
            with_level(level, || Batch::new(model).aba(model, q, v, tau, &mut ddq).map(|_| ())).expect("fits");
            assert_keeps(relative(&ddq, &exact), ALL, format_args!("{name}: batch at {level}"));
        }
    }
}

/// Forms for `f64` that go by factors, by limbs or in coordinates that all bodies share: a rounding for each unit of
/// the condition (a tenth of that is seen), and accelerations and the inverse never more than five digits, after which
/// the page takes over.
#[test]
fn fast_forms_lose_no_more_than_the_condition_takes_nor_than_five_digits() {
    for case in cases() {
        let Case { name, model, q, v, tau } = &case;
        let (nv, mut ws) = (model.nv(), Workspace::<Precise>::new(model));
        let exact = dynamics::aba(model, &mut ws, &lift(q), &lift(v), &lift(tau), &[]).expect("has inertia").to_vec();
        let inverse = dynamics::minv(model, &mut ws, &lift(q)).expect("has inertia").clone();
        let mass = dynamics::crba(model, &mut ws, &lift(q)).expect("is finite").clone();
        let bias = dynamics::bias(model, &mut ws, &lift(q), &lift(v), &[]).expect("is finite").to_vec();
        let by = [true, false].map(|by_q| differences(&case, by_q));
        let taken = condition(&mass) * ROUNDING;
        let five = taken.min(1e-11);
        for level in LEVELS {
            let at = |what: &str| format!("{name}: {what} at {level}");
            with_level(level, || {
                let mut ws = Workspace::<f64>::new(model);
                let ddq = dynamics::aba(model, &mut ws, q, v, tau, &[]).expect("has inertia");
                assert_keeps(relative(ddq, &exact), five, at("aba"));
                let found = dynamics::minv(model, &mut ws, q).expect("has inertia");
                assert_keeps(relative(found.as_slice(), inverse.as_slice()), five, at("minv"));

                let mut ws = DerivativeWorkspace::new(model);
                let found = aba_derivatives(model, &mut ws, Method::Analytical, q, v, tau, &[]).expect("has inertia");
                assert_keeps(relative(found.ddq.as_slice(), &exact), five, at("accelerations with derivatives"));
                assert_keeps(relative(found.ddq_dtau.as_slice(), inverse.as_slice()), five, at("by torques"));
                assert_keeps(relative(found.ddq_dq.as_slice(), &by[0]), taken, at("by configurations"));
                assert_keeps(relative(found.ddq_dv.as_slice(), &by[1]), taken, at("by velocities"));

                // Factors of the matrix itself have nothing else to go by.
                let mut x: Vec<f64> = (0..nv).map(|i| (Precise::from(tau[i]) - bias[i]).round()).collect();
                let mut ws = Workspace::<f64>::new(model);
                let factors = dynamics::factorize_mass_matrix(model, &mut ws, q).expect("has inertia");
                factors.solve(&mut x).expect("fits");
                assert_keeps(relative(&x, &exact), taken, at("solutions by factors"));
            });
        }
    }
}

/// Under a contact at the last body: a rounding for each unit of the condition (a tenth of that is seen).
#[test]
fn contacts_lose_no_more_than_the_condition_takes() {
    for case in cases() {
        let Case { name, model, q, v, tau } = &case;
        let last = model.body_id(model.bodies().len() - 1).expect("has bodies");
        let point = Vector3::new(0.1, 0.2, 0.3);
        let contact = [Constraint::contact(last, point, Vector3::zeros())];
        let mut ws = Workspace::<Precise>::new(model);
        let found = dynamics::constraint_dynamics(model, &mut ws, &lift(q), &lift(v), &lift(tau), &contact, &[]);
        let exact = found.expect("has inertia").ddq.to_vec();
        let mass = dynamics::crba(model, &mut ws, &lift(q)).expect("is finite");
        let taken = condition(mass) * ROUNDING;
        for level in LEVELS {
            with_level(level, || {
                let mut ws = Workspace::<f64>::new(model);
                let found = dynamics::constraint_dynamics(model, &mut ws, q, v, tau, &contact, &[]);
                let ddq = found.expect("has inertia").ddq;
                assert_keeps(relative(ddq, &exact), taken, format_args!("{name}: contact at {level}"));
            });
        }
    }
}

/// Accelerations do not depend on the unit of mass: those of bodies of 10⁻²⁰⁰ kg are those of the same bodies in
/// kilograms, by every form.
#[test]
fn accelerations_do_not_depend_on_the_unit_of_mass() {
    for (name, model) in
        [("deep", deep()), ("quadruped", quadruped()), ("panda", testing::robot("panda", &UrdfOptions::new()))]
    {
        let (q, v, _) = state(&model, 3);
        let rest = vec![0.0; model.nv()];
        let expected =
            dynamics::aba(&model, &mut Workspace::new(&model), &q, &v, &rest, &[]).expect("has inertia").to_vec();
        for unit in [1e-100, 1e-150, 1e-200, 1e100] {
            let mut scaled = model.clone();
            for (k, body) in model.bodies().iter().enumerate() {
                let y = body.inertia();
                let inertia = Inertia::new(y.mass * unit, y.com, y.rotational.scale(unit));
                let body = scaled.body_id(k).expect("is there");
                scaled = scaled.with_inertia(body, inertia).expect("is finite");
            }
            let entries = model.joint_dynamics().iter().map(|dof| gradyn::model::DofDynamics {
                armature: dof.armature * unit,
                damping: dof.damping * unit,
                friction: dof.friction * unit,
                ..*dof
            });
            let scaled = scaled.with_joint_dynamics(entries.collect()).expect("fits");
            for level in LEVELS {
                let found = with_level(level, || {
                    dynamics::aba(&scaled, &mut Workspace::new(&scaled), &q, &v, &rest, &[]).map(<[f64]>::to_vec)
                });
                // Some thousand roundings for each unit of the condition of these states.
                testing::assert_near(
                    &found.expect("has inertia"),
                    &expected,
                    1e-9,
                    format_args!("{name}, {unit:e} kg, {level}"),
                );
            }
        }
    }
}
