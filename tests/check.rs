//! The robot-aware checker: right claims agree, planted mistakes are found and named.

mod common;

use common::*;
use gradyn::check::{Options, Quantity, State, check_claim};
use gradyn::dynamics::{FrameRef, ReferenceFrame};
use gradyn::model::Model;
use nalgebra::DMatrix;

/// Every quantity of a robot, as the library itself computes it.
fn claims(model: &Model, state: State<'_>) -> Vec<(Quantity, DMatrix<f64>)> {
    use gradyn::dynamics::*;
    use gradyn::partials::{DerivativeWorkspace, Method, forward_dynamics_derivatives, rnea_derivatives};
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
    if let Ok(by) = forward_dynamics_derivatives(model, &mut memory, Method::Analytical, q, v, tau, wrenches) {
        claims.push((Quantity::Ddq, column(by.ddq.as_slice())));
        claims.push((Quantity::DdqDq, by.ddq_dq.clone()));
        claims.push((Quantity::DdqDv, by.ddq_dv.clone()));
        claims.push((Quantity::DdqDtau, by.ddq_dtau.clone()));
        claims.push((Quantity::MassMatrixInverse, by.ddq_dtau.clone()));
        claims.extend(by.ddq_df_ext.iter().enumerate().map(|(k, m)| (Quantity::DdqDfExt(k), m.clone())));
    }
    claims
}

/// What the library computes is right, for every quantity of every model.
#[test]
fn right_claims_agree() {
    for (name, model) in models() {
        let (q, v, a) = state(&model, 5);
        let wrenches = wrenches(&model, 5);
        let tau = common::state(&model, 6).1;
        let state = State { q: &q, v: &v, a: &a, tau: &tau, wrenches: &wrenches };
        for (quantity, claimed) in claims(&model, state) {
            let options = Options::default().pictures(0, 0);
            let report = check_claim(&model, quantity, state, &claimed, &options).expect("runs");
            assert!(report.agrees() && report.counts.cannot_tell == 0 && report.notes.is_empty(), "{name}: {report}");
        }
    }
}
