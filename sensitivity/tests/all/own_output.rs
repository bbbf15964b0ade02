//! Outputs of a user have the sensitivities of those of the library.

use crate::common::{controls, robot, state, tree};
use gradyn::dynamics::{FrameRef, ReferenceFrame, frame_jacobian, frame_pose, rnea};
use gradyn::{Method, Model, Scalar, Workspace};
use gradyn_sensitivity::{
    AtState, Output, OutputPoint, Parameters, Rollout, Scheme, SensitivityError, StateOutput, evaluate_many, local,
    local_second,
};

/// Torques, as a user writes them.
struct Torques<'a> {
    state: AtState<'a>,
    batched: bool,
}

impl Output for Torques<'_> {
    fn name(&self) -> &str {
        "torques"
    }
    fn rows(&self, model: &Model) -> Vec<String> {
        model.dof_names()
    }
    fn state(&self) -> AtState<'_> {
        self.state
    }
    fn value<P: Scalar<f64> + Scalar<P>>(&self, on: &mut OutputPoint<'_, P>) -> Result<Vec<P>, SensitivityError> {
        Ok(rnea(on.model, on.workspace, on.q, on.v, on.u, &[])?.to_vec())
    }
    fn is_batched(&self) -> bool {
        self.batched
    }
}

/// By every method, second derivatives too, an output of a user is to the last bit what the library's is by the same
/// method. Without formulas it is the library's by dual numbers.
#[test]
fn an_own_output_has_the_derivatives_of_a_built_in_one() {
    for model in [tree(1), robot("panda", false)] {
        let p = Parameters::of(&model).select_all("*.mass, *.com.x, gravity.*").expect("are there");
        let (q, v, a) = state(&model, 8);
        let own = Torques { state: AtState { q: &q, v: &v, u: &a }, batched: false };
        let built_in = StateOutput::Torques { q: &q, v: &v, a: &a };
        for (method, same) in [(Method::Analytical, Method::Dual), (Method::Dual, Method::Dual)] {
            let found = local(&p, &p.nominal(), &own, method).expect("runs");
            let expected = local(&p, &p.nominal(), built_in, same).expect("runs");
            assert_eq!((found.value, found.jacobian), (expected.value, expected.jacobian));
        }
        let by_differences = |output| local(&p, &p.nominal(), output, Method::Difference).expect("runs").jacobian;
        let own_differences = local(&p, &p.nominal(), &own, Method::Difference).expect("runs").jacobian;
        assert_eq!(own_differences, by_differences(built_in));
        let lambda = vec![0.7; model.nv()];
        let second = local_second(&p, &p.nominal(), &own, &lambda).expect("runs");
        assert_eq!(second, local_second(&p, &p.nominal(), built_in, &lambda).expect("runs"));
    }
}

/// Samples of an own output are those of the library's to the last bit, eight at a time or one by one as it says.
#[test]
fn an_own_output_has_the_samples_of_a_built_in_one() {
    let model = robot("panda", false);
    let p = Parameters::of(&model).select("*.mass").expect("are there");
    let (q, v, a) = state(&model, 8);
    let samples: Vec<f64> =
        (0..11).flat_map(|i| p.nominal().into_iter().map(move |m| m * (1.0 + 0.01 * f64::from(i)))).collect();
    let at = AtState { q: &q, v: &v, u: &a };
    let [mut own, mut built_in, mut alone] = [(); 3].map(|()| vec![0.0; 11 * model.nv()]);
    evaluate_many(&p, Torques { state: at, batched: true }, &samples, &mut own);
    evaluate_many(&p, StateOutput::Torques { q: &q, v: &v, a: &a }, &samples, &mut built_in);
    assert_eq!(own, built_in);
    evaluate_many(&p, Torques { state: at, batched: false }, &samples, &mut alone);
    for (x, y) in alone.iter().zip(&built_in) {
        // Lanes sum in another order: some roundings of torques of 100 N m.
        assert!((x - y).abs() <= 1e-12, "{x} {y}");
    }
}

/// Where a frame is, as a user writes it.
struct Position<'a> {
    q: &'a [f64],
    frame: FrameRef,
}

impl Output for Position<'_> {
    fn name(&self) -> &str {
        "position"
    }
    fn rows(&self, _model: &Model) -> Vec<String> {
        ["x", "y", "z"].map(str::to_owned).to_vec()
    }
    fn state(&self) -> AtState<'_> {
        AtState { q: self.q, v: &[], u: &[] }
    }
    fn value<P: Scalar<f64> + Scalar<P>>(&self, on: &mut OutputPoint<'_, P>) -> Result<Vec<P>, SensitivityError> {
        Ok(frame_pose(on.model, on.workspace, on.q, self.frame)?.translation.iter().copied().collect())
    }
}

/// Along a trajectory a parameter moves an output by the motion and by itself: the chain rule by formulas says the
/// same.
#[test]
fn an_own_output_along_a_trajectory_follows_the_chain_rule() {
    let model = robot("panda", false);
    let p = Parameters::of(&model).select_all("*.mass, panda_joint4.placement.*").expect("are there");
    let (q0, v0, _) = state(&model, 3);
    let run = Rollout::new(&p, Scheme::SemiImplicitEuler, 1e-3, controls(&model, 200, 3.0)).expect("fits");
    let forward = run.forward(&p.nominal(), &q0, &v0).expect("runs");
    let frame = FrameRef::from(model.find_frame("panda_link8").expect("is there"));
    for node in [0, 100, 200] {
        let q = &forward.states[node].0;
        let found = run.output(&p.nominal(), &forward, node, &Position { q: &q0, frame }, &[]).expect("runs");
        let own = local(&p, &p.nominal(), StateOutput::Pose { q, frame }, Method::Analytical).expect("runs").jacobian;
        let ws = &mut Workspace::new(&model);
        let by_q = frame_jacobian(&model, ws, q, frame, ReferenceFrame::LocalWorldAligned).expect("runs").clone();
        let expected = own + by_q * forward.by_parameters(node).rows(0, model.nv());
        let error = (found - expected.rows(0, 3)).amax() / expected.amax();
        // Two hundred steps lie behind both; what differs is the last product.
        assert!(error <= 1e-12, "node {node}: {error:e}");
    }
    let none = run.output(&p.nominal(), &forward, 201, &Position { q: &q0, frame }, &[]);
    assert!(matches!(none, Err(SensitivityError::Length { what: "nodes", .. })), "{none:?}");
}

/// An output with more entries than names is refused by every method.
#[test]
fn an_output_has_as_many_entries_as_names() {
    struct Odd<'a>(&'a [f64]);
    impl Output for Odd<'_> {
        fn name(&self) -> &str {
            "odd"
        }
        fn rows(&self, _model: &Model) -> Vec<String> {
            vec![String::from("one")]
        }
        fn state(&self) -> AtState<'_> {
            AtState { q: self.0, v: &[], u: &[] }
        }
        fn value<P: Scalar<f64> + Scalar<P>>(&self, on: &mut OutputPoint<'_, P>) -> Result<Vec<P>, SensitivityError> {
            Ok(on.q.to_vec())
        }
    }
    let model = robot("panda", false);
    let p = Parameters::of(&model).select("*.mass").expect("are there");
    let (q, ..) = state(&model, 3);
    for method in Method::ALL {
        let error = local(&p, &p.nominal(), Odd(&q), method).expect_err("seven are not one");
        assert_eq!(error.to_string(), "the output has 7 entries, expected 1");
    }
}
