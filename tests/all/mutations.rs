//! Planted mistakes: every one is found, and the usual ones are called by their names. What is right is never called
//! wrong.

use gradyn::check::{CheckError, ClaimError, Guess, Options, Quantity, State, Verdict, check_claim};
use gradyn::dynamics::{FrameRef, ReferenceFrame, Workspace, frame_jacobian};
use gradyn::model::Model;
use gradyn::partials::{DerivativeWorkspace, Method, aba_derivatives, rnea_derivatives};
use nalgebra::DMatrix;
use rand::RngExt;
use testing::*;

/// So many random right derivatives are checked, at least.
const RIGHT: usize = 1000;
/// And so many planted mistakes.
const PLANTED: usize = 60;

fn options() -> Options {
    Options::default().pictures(0, 0)
}

/// The derivatives of inverse and forward dynamics at a state.
fn derivatives(model: &Model, state: State<'_>) -> Vec<(Quantity, DMatrix<f64>)> {
    let State { q, v, a, tau, wrenches } = state;
    let mut ws = DerivativeWorkspace::new(model);
    let by = rnea_derivatives(model, &mut ws, Method::Analytical, q, v, a, wrenches).expect("runs");
    let mut all = vec![
        (Quantity::DtauDq, by.dtau_dq.clone()),
        (Quantity::DtauDv, by.dtau_dv.clone()),
        (Quantity::DtauDa, by.dtau_da.clone()),
    ];
    if let Ok(by) = aba_derivatives(model, &mut ws, Method::Analytical, q, v, tau, wrenches) {
        all.push((Quantity::DdqDq, by.ddq_dq.clone()));
        all.push((Quantity::DdqDv, by.ddq_dv.clone()));
        all.push((Quantity::DdqDtau, by.ddq_dtau.clone()));
    }
    all
}

/// A state of a model in its own memory.
struct Owned {
    q: Vec<f64>,
    v: Vec<f64>,
    a: Vec<f64>,
    tau: Vec<f64>,
}

impl Owned {
    fn random(model: &Model, seed: u64) -> Self {
        let (q, v, a) = state(model, seed);
        Self { q, v, a, tau: state(model, seed + 1000).1 }
    }
    fn state(&self) -> State<'_> {
        State { q: &self.q, v: &self.v, a: &self.a, tau: &self.tau, wrenches: &[] }
    }
}

/// Right derivatives at random states of every robot and of trees of every kind of joint: no false alarm.
#[test]
fn right_derivatives_raise_no_alarm() {
    let (mut checked, mut entries, mut untold) = (0, 0, [0, 0]);
    let mut seed = 0;
    while checked < RIGHT {
        for (name, model) in moderate(models()) {
            // The large ones take long, and each has a thousand entries or more.
            if seed >= 1 && model.nv() > 20 {
                continue;
            }
            let at = Owned::random(&model, seed);
            for (quantity, claimed) in derivatives(&model, at.state()) {
                let report = check_claim(&model, quantity, at.state(), &claimed, &options()).expect("runs");
                assert!(!report.disagrees(), "{name}, state {seed}: {report}");
                checked += 1;
                entries += report.entries.len();
                untold[usize::from(quantity.name().starts_with("ddq"))] += report.counts.cannot_tell;
            }
        }
        seed += 1;
    }
    println!("{checked} right derivatives of {entries} entries, nothing said of {untold:?} (torques, accelerations)");
    assert_eq!(untold[0], 0);
    // Mass matrices of some random trees are so ill-conditioned that little is known of accelerations.
    assert!(untold[1] < entries / 100);
}

/// One entry that is wrong by a part in 1e5 of itself or more, in any quantity of any model: found, at its place.
#[test]
fn single_wrong_entries_are_found() {
    let mut planted = 0;
    // Larger ones say nothing of another kind, and take as long as all others.
    for (name, model) in models().into_iter().filter(|(_, model)| (1..=30).contains(&model.nv())) {
        let at = Owned::random(&model, 7);
        let rng = &mut rng(model.nv() as u64);
        for (quantity, right) in derivatives(&model, at.state()) {
            let largest = right.amax();
            let size = [1e-5, 1e-4, 1e-3, 1e-1, 1.0][rng.random_range(0..5)];
            // Not a mistake is what rounding alone can do, in accelerations of an ill-conditioned tree.
            let report = check_claim(&model, quantity, at.state(), &right, &options()).expect("runs");
            let rounding =
                |k: usize| report.entry(k % right.nrows(), k / right.nrows()).map_or(0.0, |entry| entry.error);
            let accelerations = quantity.name().starts_with("ddq");
            let shows = |k: &usize| {
                let entry = right.as_slice()[*k].abs();
                entry > 1e-5 * largest && !(accelerations && size * entry < 20.0 * rounding(*k))
            };
            let worth: Vec<usize> = (0..right.len()).filter(shows).collect();
            let Some(k) = worth.get(rng.random_range(0..worth.len().max(1))) else { continue };
            let mut claimed = right.clone();
            claimed.as_mut_slice()[*k] *= 1.0 + size;
            let report = check_claim(&model, quantity, at.state(), &claimed, &options()).expect("runs");
            let entry = report.entry(k % right.nrows(), k / right.nrows());
            let what = format!("{name}: {size:e} of {entry:?} of {}, at most {largest:e}: {report}", quantity.name());
            let wrong: Vec<_> = report.entries.iter().filter(|entry| entry.verdict == Verdict::Disagrees).collect();
            // Of an asymmetric pair in a symmetric matrix, the other one is right.
            assert_eq!(wrong.len(), 1, "{what}");
            assert_eq!(wrong[0].row + wrong[0].column * right.nrows(), *k, "{what}");
            planted += 1;
        }
    }
    println!("{planted} single wrong entries");
    assert!(planted >= PLANTED);
}

/// A claim with a mistake planted is called wrong, and the mistake by its name.
#[track_caller]
fn expect(name: &str, model: &Model, quantity: Quantity, at: &Owned, wrong: &DMatrix<f64>, guess: &Guess) {
    let report = check_claim(model, quantity, at.state(), wrong, &options()).expect("runs");
    assert!(!report.agrees(), "{name}: {guess:?}: {report}");
    assert_eq!(report.guess(), Some(guess), "{name}: {report}");
}

/// Mistakes that can be made with any matrix.
#[test]
fn mistakes_with_matrices_are_named() {
    let mut planted = 0;
    let degree = std::f64::consts::PI / 180.0;
    for (name, model) in robots().into_iter().filter(|(_, model)| (4..20).contains(&model.nv())) {
        let at = Owned::random(&model, 11);
        for (quantity, right) in derivatives(&model, at.state()) {
            let symmetric = matches!(quantity, Quantity::DtauDa | Quantity::DdqDtau);
            let mut cases = vec![
                (&right * -1.0, Guess::WrongSign),
                (&right * 2.0, Guess::Factor { factor: 2.0 }),
                (&right * 0.5, Guess::Factor { factor: 0.5 }),
                (&right * degree, Guess::Degrees),
                (&right / degree, Guess::Degrees),
                (right.upper_triangle(), Guess::OneTriangle { upper: true }),
                (right.lower_triangle(), Guess::OneTriangle { upper: false }),
            ];
            if !symmetric {
                cases.push((right.transpose(), Guess::Transposed));
            }
            for (wrong, guess) in cases {
                let needs = matches!(guess, Guess::OneTriangle { .. } | Guess::Transposed);
                // Of a diagonal nothing of this is wrong; of one body that floats, not the triangle that has all.
                let changed = (&wrong - &right).amax() > 1e-3 * right.amax();
                if needs && !changed || wrong == right {
                    continue;
                }
                expect(&name, &model, quantity, &at, &wrong, &guess);
                planted += 1;
            }
        }
    }
    println!("{planted} mistakes with matrices");
    assert!(planted >= PLANTED);
}

/// By position, by velocity, by acceleration: one in another's place.
#[test]
fn exchanged_parts_are_named() {
    for name in ["panda", "ur5", "solo12"] {
        let model = robot(name, &Default::default());
        let at = Owned::random(&model, 3);
        let all = derivatives(&model, at.state());
        let names = ["by q", "by v", "by a, or by τ"];
        for (k, (quantity, _)) in all.iter().enumerate() {
            for other in (0..3).filter(|other| *other != k % 3) {
                let (_, wrong) = &all[k / 3 * 3 + other];
                let guess = Guess::PartsExchanged { found: names[other].to_owned() };
                expect(name, &model, *quantity, &at, wrong, &guess);
            }
        }
    }
}

/// The rotation of each body that rotates about more than one axis, and its pose, in its parent.
fn blocks(model: &Model, q: &[f64]) -> (DMatrix<f64>, DMatrix<f64>) {
    use gradyn::joint::JointKind;
    let n = model.nv();
    let (mut rotation, mut action) = (DMatrix::identity(n, n), DMatrix::identity(n, n));
    for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
        let x = body.joint().pose(&q[body.q_range()]);
        let start = body.v_range().start;
        match body.joint().kind() {
            "free-flyer" => {
                for at in [start, start + 3] {
                    rotation.view_mut((at, at), (3, 3)).copy_from(&x.rotation);
                }
                action.view_mut((start, start), (6, 6)).copy_from(&x.action());
            }
            "spherical" => {
                rotation.view_mut((start, start), (3, 3)).copy_from(&x.rotation);
                action.view_mut((start, start), (3, 3)).copy_from(&x.rotation);
            }
            _ => {}
        }
    }
    (rotation, action)
}

/// Models in which some joint rotates about more than one axis.
fn with_rotations() -> Vec<(String, Model)> {
    use gradyn::joint::{Axis, FreeFlyer, Prismatic, Revolute, Spherical};
    let mut models: Vec<_> = robots()
        .into_iter()
        .filter(|(name, model)| name.contains("floating base") && (8..20).contains(&model.nv()))
        .collect();
    let joints = || vec![FreeFlyer.into(), Revolute { axis: Axis::Z }.into(), Prismatic { axis: Axis::X }.into()];
    models.push((String::from("free-flyer"), tree(3, joints())));
    let joints = || vec![Revolute { axis: Axis::X }.into(), Spherical.into(), Revolute { axis: Axis::Y }.into()];
    models.push((String::from("spherical"), tree(4, joints())));
    models
}

/// World coordinates for those of the body, a rotation left out, linear and angular parts exchanged.
#[test]
fn mistakes_with_frames_are_named() {
    let mut planted = 0;
    for (name, model) in with_rotations() {
        let at = Owned::random(&model, 13);
        let (rotation, action) = blocks(&model, &at.q);
        let inverse = action.clone().try_inverse().expect("is regular");
        let found = String::from("world coordinates");
        let world = Guess::Frame { found, expected: String::from("the body's own coordinates") };
        for (quantity, right) in derivatives(&model, at.state()).into_iter().take(3) {
            expect(&name, &model, quantity, &at, &(&right * rotation.transpose()), &Guess::MissingRotation);
            expect(&name, &model, quantity, &at, &(&rotation * &right), &Guess::MissingRotation);
            let both = &rotation * &right * rotation.transpose();
            expect(&name, &model, quantity, &at, &both, &Guess::MissingRotation);
            planted += 3;
            if rotation != action {
                let columns = &right * &inverse;
                // Where the base stands makes no difference to torques: nor do its linear columns.
                if (&columns - &right * rotation.transpose()).amax() > 1e-6 * right.amax() {
                    expect(&name, &model, quantity, &at, &columns, &world);
                }
                expect(&name, &model, quantity, &at, &(inverse.transpose() * &right * &inverse), &world);
                let start = model.bodies()[0].v_range().start;
                let other = |k: usize| if (start..start + 6).contains(&k) { start + (k - start + 3) % 6 } else { k };
                let n = model.nv();
                let columns = DMatrix::from_fn(n, n, |i, j| right[(i, other(j))]);
                let both = DMatrix::from_fn(n, n, |i, j| right[(other(i), other(j))]);
                expect(&name, &model, quantity, &at, &columns, &Guess::LinearAngularSwapped);
                expect(&name, &model, quantity, &at, &both, &Guess::LinearAngularSwapped);
                planted += 4;
            }
        }
    }
    println!("{planted} mistakes with frames");
    assert!(planted >= PLANTED / 2);
}

/// Jacobians of frames in another reference, and with angular rows first.
#[test]
fn references_of_jacobians_are_named() {
    let all = [ReferenceFrame::Local, ReferenceFrame::World, ReferenceFrame::LocalWorldAligned];
    for name in ["panda", "ur5", "solo12"] {
        let model = robot(name, &Default::default());
        let at = Owned::random(&model, 17);
        let frame = FrameRef::Body(model.body_id(model.bodies().len() - 1).expect("is there"));
        let jacobian = |reference| {
            let mut ws = Workspace::new(&model);
            frame_jacobian(&model, &mut ws, &at.q, frame, reference).expect("runs").clone()
        };
        for right in all {
            let quantity = Quantity::FrameJacobian(frame, right);
            for other in all.into_iter().filter(|other| *other != right) {
                let guess = Guess::Frame { found: other.name().to_owned(), expected: right.name().to_owned() };
                expect(name, &model, quantity, &at, &jacobian(other), &guess);
            }
            let j = jacobian(right);
            let swapped = DMatrix::from_fn(6, model.nv(), |i, k| j[((i + 3) % 6, k)]);
            expect(name, &model, quantity, &at, &swapped, &Guess::LinearAngularSwapped);
        }
    }
}

/// Derivatives by the coefficients of quaternions: with a column for each, and with one of them left out.
#[test]
fn coefficients_of_quaternions_are_named() {
    for (name, model) in with_rotations() {
        let at = Owned::random(&model, 19);
        let (_, right) = derivatives(&model, at.state()).swap_remove(0);
        let (nq, nv) = (model.nq(), model.nv());
        // By coefficients, of a function that is constant along the length of a quaternion: δ = 2 (q⁻¹ ⊗ dq) for the
        // angle.
        let mut by = DMatrix::zeros(nv, nq);
        for c in 0..nq {
            let step = |h: f64| {
                let mut q = at.q.clone();
                q[c] += h;
                model.normalize(&mut q).expect("fits");
                nalgebra::DVector::from_vec(model.difference(&at.q, &q).expect("fits"))
            };
            let h = 1e-5;
            by.set_column(c, &(&right * (step(h) - step(-h)) / (2.0 * h)));
        }
        let error = check_claim(&model, Quantity::DtauDq, at.state(), &by, &options()).expect_err("has nq columns");
        let ClaimError::Check(CheckError::Shape { guess, .. }) = &error else { panic!("{error}") };
        assert_eq!(*guess, Some(Guess::QuaternionCoefficients), "{name}: {error}");

        let kept: Vec<usize> = {
            let mut kept = Vec::new();
            for body in model.bodies().iter().filter(|body| body.owns_coordinates()) {
                kept.extend(body.q_range().take(body.v_range().len()));
            }
            kept
        };
        let wrong = DMatrix::from_fn(nv, nv, |i, j| by[(i, kept[j])]);
        expect(&name, &model, Quantity::DtauDq, &at, &wrong, &Guess::QuaternionCoefficients);

        let zeros = DMatrix::zeros(nv, nq);
        let error = check_claim(&model, Quantity::DtauDq, at.state(), &zeros, &options()).expect_err("nq columns");
        let ClaimError::Check(CheckError::Shape { guess, .. }) = &error else { panic!("{error}") };
        assert_eq!(*guess, Some(Guess::CoordinatesNotDirections), "{name}: {error}");
    }
}

/// Parts of the dynamics left out, of derivatives and of values; joints in another order.
#[test]
fn what_is_left_out_is_named() {
    let mut model = tree(9, every_joint(&mut rng(9)));
    let at = Owned::random(&model, 23);
    let other = |text: &str| Guess::Other { text: text.to_owned() };
    let by = |model: &Model| derivatives(model, at.state());
    let without = by(&model.clone().with_gravity(nalgebra::Vector3::zeros()));
    expect("gravity", &model, Quantity::DtauDq, &at, &without[0].1, &other("gravity is left out"));
    let without = by(&model.clone().with_joint_friction(false));
    let guess = other("damping and friction of joints are left out");
    expect("friction", &model, Quantity::DtauDv, &at, &without[1].1, &guess);
    let mut dofs = model.joint_dynamics().to_vec();
    dofs.iter_mut().for_each(|dof| dof.armature = 0.0);
    let without = by(&model.clone().with_joint_dynamics(dofs).expect("fits"));
    expect("armature", &model, Quantity::DtauDa, &at, &without[2].1, &other("armature is left out"));

    model = robot("panda", &Default::default());
    let at = Owned::random(&model, 23);
    for (quantity, right) in derivatives(&model, at.state()) {
        let order = [1, 0, 2, 3, 6, 4, 5];
        let wrong = DMatrix::from_fn(7, 7, |i, j| right[(order[i], order[j])]);
        expect("order", &model, quantity, &at, &wrong, &Guess::Reordered);
    }
    let zero = DMatrix::zeros(7, 7);
    expect("zero", &model, Quantity::DtauDv, &at, &zero, &Guess::LeftOut);
}
