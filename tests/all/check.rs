//! The robot-aware checker: right claims agree, planted mistakes are found and named.

use gradyn::check::{CheckError, ClaimError, Guess, Options, Quantity, State, check_claim};
use gradyn::model::InputError;
use gradyn::model::Model;
use nalgebra::DMatrix;
use testing::*;

/// Every quantity of a robot, as the library itself computes it.
fn claims(model: &Model, state: State<'_>) -> Vec<(Quantity, DMatrix<f64>)> {
    use gradyn::dynamics::*;
    use gradyn::partials::{DerivativeWorkspace, Method, aba_derivatives, rnea_derivatives};
    let State { q, v, a, tau, wrenches } = state;
    let mut memory = DerivativeWorkspace::new(model);
    let mut ws = Workspace::new(model);
    let column = |x: &[f64]| DMatrix::from_column_slice(x.len(), 1, x);
    let by = rnea_derivatives(model, &mut memory, Method::Analytical, q, v, a, wrenches).expect("runs");
    let mut claims = vec![
        (Quantity::Tau, column(by.tau.as_slice())),
        (Quantity::DtauDq, by.dtau_dq.clone()),
        (Quantity::DtauDv, by.dtau_dv.clone()),
        (Quantity::DtauDa, by.dtau_da.clone()),
        (Quantity::MassMatrix, by.dtau_da.clone()),
    ];
    claims.extend(by.dtau_df_ext.iter().enumerate().map(|(k, m)| (Quantity::DtauDfExt(k), m.clone())));
    claims.push((Quantity::Bias, column(bias(model, &mut ws, q, v, wrenches).expect("runs"))));
    claims.push((Quantity::Gravity, column(generalized_gravity(model, &mut ws, q).expect("runs"))));
    claims.push((Quantity::Coriolis, coriolis_matrix(model, &mut ws, q, v).expect("runs").clone()));
    claims.push((Quantity::ComJacobian, com_jacobian(model, &mut ws, q, None).expect("runs").clone()));
    let frame = FrameRef::Body(model.body_id(model.bodies().len() - 1).expect("is there"));
    for reference in [ReferenceFrame::Local, ReferenceFrame::World, ReferenceFrame::LocalWorldAligned] {
        let jacobian = frame_jacobian(model, &mut ws, q, frame, reference).expect("runs").clone();
        claims.push((Quantity::FrameJacobian(frame, reference), jacobian));
    }
    if let Ok(by) = aba_derivatives(model, &mut memory, Method::Analytical, q, v, tau, wrenches) {
        claims.push((Quantity::Ddq, column(by.ddq.as_slice())));
        claims.push((Quantity::DdqDq, by.ddq_dq.clone()));
        claims.push((Quantity::DdqDv, by.ddq_dv.clone()));
        claims.push((Quantity::DdqDtau, by.ddq_dtau.clone()));
        claims.push((Quantity::MassMatrixInverse, by.ddq_dtau.clone()));
        claims.extend(by.ddq_df_ext.iter().enumerate().map(|(k, m)| (Quantity::DdqDfExt(k), m.clone())));
    }
    claims
}

/// What the library computes is right, for every quantity of every model. (Of the humanoid the command is asked.)
#[test]
fn right_claims_agree() {
    for (name, model) in models().into_iter().filter(|(_, model)| model.nv() <= 30) {
        let (q, v, a) = state(&model, 5);
        let wrenches = wrenches(&model, 5);
        let tau = testing::state(&model, 6).1;
        let state = State { q: &q, v: &v, a: &a, tau: &tau, wrenches: &wrenches };
        for (quantity, claimed) in claims(&model, state) {
            let options = Options::default().pictures(0, 0);
            let report = check_claim(&model, quantity, state, &claimed, &options).expect("runs");
            assert!(!report.disagrees() && report.notes.is_empty(), "{name}: {report}");
            // Random trees can have mass matrices so ill-conditioned that little is known of accelerations.
            let accelerations = quantity.name().starts_with("ddq") || quantity == Quantity::MassMatrixInverse;
            assert!(report.agrees() || accelerations && !name.contains("base"), "{name}: {report}");
        }
    }
}

/// Reports name joints and directions, the quantity and the seed; a vector is checked too.
#[test]
fn reports_name_joints() {
    let model = robot("solo12", &gradyn::UrdfOptions::new().floating_base(true));
    let (q, v, a) = state(&model, 2);
    let state = State { q: &q, v: &v, a: &a, ..State::default() };
    let (_, right) = claims(&model, state).swap_remove(1);
    let mut wrong = right.clone();
    wrong[(5, 3)] += 1.0;
    let options = Options::default().seed(12);
    let report = check_claim(&model, Quantity::DtauDq, state, &wrong, &options).expect("runs");
    let text = report.to_string();
    for part in ["dtau_dq: 1 of 324 entries DISAGREE (seed 12)", "root_joint.wz by root_joint.wx: claimed"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!((report.curves.len(), report.taylor.len()), (2, 2));
    assert!(report.taylor.iter().all(|taylor| !taylor.agrees()), "{:?}", report.taylor);
    let report = check_claim(&model, Quantity::DtauDq, state, &right, &options).expect("runs");
    assert!(report.taylor.iter().all(|taylor| taylor.agrees() && taylor.order.is_some()), "{:?}", report.taylor);

    let tau = DMatrix::from_element(model.nv(), 1, 0.0);
    let report = check_claim(&model, Quantity::Tau, state, &tau, &options).expect("runs");
    assert_eq!(report.guess(), Some(&Guess::LeftOut), "{report}");
}

/// Bad input comes back as an error that names it.
#[test]
fn bad_input_is_refused() {
    let model = robot("panda", &gradyn::UrdfOptions::new());
    let (q, v, a) = state(&model, 2);
    let good = State { q: &q, v: &v, a: &a, ..State::default() };
    let square = DMatrix::zeros(7, 7);
    let check =
        |quantity, state, claimed: &DMatrix<f64>| check_claim(&model, quantity, state, claimed, &Options::default());
    let shape = check(Quantity::DtauDq, good, &DMatrix::zeros(7, 6));
    assert!(
        matches!(shape, Err(ClaimError::Check(CheckError::Shape { found_columns: 6, guess: None, .. }))),
        "{shape:?}"
    );
    let shape = check(Quantity::ComJacobian, good, &DMatrix::zeros(7, 3));
    let guess = Some(Guess::Transposed);
    assert!(matches!(&shape, Err(ClaimError::Check(CheckError::Shape { guess: g, .. })) if *g == guess), "{shape:?}");
    let short = check(Quantity::DtauDq, State { q: &q[1..], ..good }, &square);
    assert!(matches!(short, Err(ClaimError::Input(InputError::Length { what: "q", .. }))), "{short:?}");
    let mut infinite = v.clone();
    infinite[3] = f64::INFINITY;
    let infinite = check(Quantity::DtauDq, State { v: &infinite, ..good }, &square);
    assert!(
        matches!(infinite, Err(ClaimError::Input(InputError::NotFinite { what: "v", index: 3, .. }))),
        "{infinite:?}"
    );
    let wrench = check(Quantity::DtauDfExt(0), good, &DMatrix::zeros(7, 6));
    assert_eq!(wrench, Err(ClaimError::UnknownWrench { index: 0, wrenches: 0 }));
    // A claim that is no number is wrong.
    let report = check(Quantity::DtauDv, good, &DMatrix::from_element(7, 7, f64::NAN)).expect("runs");
    assert_eq!(report.counts.disagree, 49, "{report}");
}

/// A finger of a gram on an arm of ten tons: what is wrong about the finger is seen, though it is below any rounding of
/// the arm.
#[test]
fn what_carries_little_is_measured_by_what_it_carries() {
    let link = |name: &str, mass: f64, at: f64| {
        format!(
            r#"<link name="{name}"><inertial><origin xyz="0 0 {at}"/><mass value="{mass}"/>
            <inertia ixx="{i}" iyy="{i}" izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial></link>"#,
            i = 0.1 * mass * at * at
        )
    };
    let joint = |name: &str, parent: &str, child: &str, z: f64| {
        format!(
            r#"<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>
            <origin xyz="0 0 {z}"/><axis xyz="1 0 0"/></joint>"#
        )
    };
    let links = [link("base", 1.0, 0.1), link("arm", 1e4, 1.0), link("finger", 1e-3, 1e-3)].concat();
    let joints = [joint("shoulder", "base", "arm", 0.0), joint("knuckle", "arm", "finger", 1.0)].concat();
    let text = format!(r#"<robot name="crane">{links}{joints}</robot>"#);
    let model = Model::from_urdf_text(&text, &gradyn::model::urdf::UrdfOptions::new()).expect("is good").model;
    let state = State { q: &[0.3, 0.4], v: &[0.5, -0.7], a: &[0.1, 0.2], ..State::default() };
    let mut seen = 0;
    for (quantity, right) in claims(&model, state) {
        if !matches!(quantity, Quantity::MassMatrix | Quantity::DtauDa) {
            continue;
        }
        let mut wrong = right.clone();
        assert!(wrong[(1, 1)].abs() < 1e-8, "{wrong}");
        wrong[(1, 1)] = -wrong[(1, 1)];
        for (claimed, disagree) in [(&right, 0), (&wrong, 1)] {
            let report = check_claim(&model, quantity, state, claimed, &Options::default()).expect("runs");
            assert_eq!((report.counts.disagree, report.counts.cannot_tell), (disagree, 0), "{report}");
        }
        seen += 1;
    }
    assert_eq!(seen, 2);
}
