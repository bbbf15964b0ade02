//! How long residuals take: their Jacobians, and their weighted second derivatives.
//!
//! `cargo run --release --example residual_hessians`

use gradyn::dynamics::ReferenceFrame;
use gradyn::spatial::{Momentum, exp3};
use gradyn::{DerivativeWorkspace, Model, Motion, Transform, UrdfOptions, Workspace};
use gradyn_trajectory::residual::{
    Capsule, CenterOfMass, CentroidalMomentum, Distance, FrameAcceleration, FramePlacement, FrameRotation,
    FrameTranslation, FrameVelocity, Jacobian, JointTorque, PhaseInfo, Residual, ResidualPoint, StateError,
};
use gradyn_trajectory::step::{Actuation, Contact, ContactRows};
use nalgebra::{DMatrix, Vector3};
use std::error::Error;
use std::time::Instant;

type Terms = Vec<(&'static str, Box<dyn Residual>)>;

fn terms(model: &Model, tip: &str, contacts: &[Contact]) -> Result<Terms, Box<dyn Error>> {
    let tip = model.find_frame(tip).ok_or("no such frame")?;
    let turn = exp3(Vector3::new(0.3, -0.5, 0.2));
    let pole = Capsule::fixed([[0.5, 0.4, -0.5].into(), [0.6, 0.5, 0.9].into()], 0.05);
    let shin = Capsule::new(tip, [[0.0; 3].into(), [0.02, 0.01, 0.15].into()], 0.02);
    let (twist, momentum) = (Motion::zero(), Momentum::new(Vector3::zeros(), Vector3::zeros()));
    let (aligned, local) = (ReferenceFrame::LocalWorldAligned, ReferenceFrame::Local);
    Ok(vec![
        ("state", Box::new(StateError::neutral(model))),
        ("translation", Box::new(FrameTranslation::new(tip, [0.1, 0.2, 0.3].into()))),
        ("rotation", Box::new(FrameRotation::new(tip, turn))),
        ("placement", Box::new(FramePlacement::new(tip, Transform::new(turn, [0.1, 0.2, 0.3].into())))),
        ("velocity, local", Box::new(FrameVelocity::new(tip, local, twist))),
        ("velocity, aligned", Box::new(FrameVelocity::new(tip, aligned, twist))),
        ("acceleration, aligned", Box::new(FrameAcceleration::new(tip, aligned, twist))),
        ("center of mass", Box::new(CenterOfMass::new([0.0, 0.1, 0.2].into()))),
        ("momentum", Box::new(CentroidalMomentum::new(momentum))),
        ("distance", Box::new(Distance::new(shin, pole))),
        ("torque", Box::new(JointTorque::new(&Actuation::of(model), contacts))),
    ])
}

/// Microseconds of the fastest of many calls.
fn least(mut run: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    let begin = Instant::now();
    for k in 0..100_000 {
        let start = Instant::now();
        run();
        least = least.min(start.elapsed().as_secs_f64());
        if k > 5 && begin.elapsed().as_secs_f64() > 0.3 {
            break;
        }
    }
    1e6 * least
}

fn main() -> Result<(), Box<dyn Error>> {
    for (name, floats, tip, feet) in [
        ("panda", false, "panda_link8", vec![]),
        ("quadrotor", true, "front_left", vec![]),
        ("solo12", true, "FL_FOOT", vec!["FL_FOOT", "HR_FOOT"]),
        ("g1", true, "left_hand_palm_link", vec!["left_hand_palm_link", "right_hand_palm_link"]),
    ] {
        let file = format!("{}/../robots/{name}.urdf", env!("CARGO_MANIFEST_DIR"));
        let model = Model::from_urdf_file(file, &UrdfOptions::new().floating_base(floats))?.model;
        let step: Vec<f64> = (0..model.nv()).map(|k| 0.1 + 0.05 * (k % 7) as f64).collect();
        let q = model.integrate(&model.neutral::<f64>(), &step)?;
        let contacts = feet.iter().map(|foot| Contact::frame_at(&model, foot, &q)).collect::<Result<Vec<_>, _>>()?;
        let rows: Vec<ContactRows> = feet
            .iter()
            .enumerate()
            .map(|(k, foot)| ContactRows {
                name: (*foot).into(),
                rows: 6 * k..6 * k + 6,
                constraint: None,
                normal: Vector3::z(),
            })
            .collect();
        let (nv, nu, nf) = (model.nv(), Actuation::of(&model).controls(), 6 * feet.len());
        let (v, a, f, u) = (step.clone(), vec![0.2; nv], vec![3.0; nf], vec![0.0; nu]);
        println!("{name}: nv = {nv}, us");
        for (term, mut residual) in terms(&model, tip, &contacts)? {
            residual.bind(&PhaseInfo {
                name: "move",
                place: &"move".into(),
                model: &model,
                nu,
                remembered: 0,
                contacts: &rows,
            })?;
            let (goal, m) = (residual.goal(), residual.rows());
            let (mut workspace, mut derivatives) = (Workspace::new(&model), DerivativeWorkspace::new(&model));
            let mut own = residual.memory();
            let mut on = ResidualPoint {
                model: &model,
                q: &q,
                v: &v,
                w: &[],
                u: &u,
                a: &a,
                f: &f,
                time: 0.0,
                dt: 0.01,
                goal: &goal,
                workspace: &mut workspace,
                derivatives: &mut derivatives,
                own: &mut *own,
            };
            let (mut r, mut by) = (vec![0.0; m], Jacobian::new(m, residual.depends(), nv, nu, nf, 0));
            let lambda: Vec<f64> = (0..m).map(|k| 0.3 + 0.1 * (k % 5) as f64).collect();
            let n = 3 * nv + nu + nf;
            let mut hessian = DMatrix::zeros(n, n);
            residual.jacobian(&mut on, &mut r, &mut by)?;
            residual.hessian(&mut on, &lambda, &mut hessian)?;
            let first = least(|| drop(residual.jacobian(&mut on, &mut r, &mut by)));
            let second = least(|| drop(residual.hessian(&mut on, &lambda, &mut hessian)));
            let added = least(|| drop(residual.add_hessian(&mut on, &lambda, &mut hessian)));
            println!("    {term:24} Jacobian {first:8.2}   Hessian {second:10.2}   added to others {added:10.2}");
        }
    }
    Ok(())
}
