//! Contacts: the feet of a robot that stands.

use super::standing;
use gradyn::dynamics::{
    Workspace, center_of_mass, centroidal, constraint_dynamics, forward_kinematics, impulse_dynamics,
};
use nalgebra::Vector3;
use testing::{assert_near, state};

/// On four feet: twelve independent rows; the forces on the feet and the weight move the center of mass.
#[test]
fn contact_forces_move_the_center_of_mass() {
    let (model, q, feet) = standing();
    let (_, v, tau) = state(&model, 8);
    let mut ws = Workspace::new(&model);
    let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &feet, &[]).expect("runs");
    assert_eq!(by.rank, 12);
    // Rounding errors against accelerations of about 100 m/s².
    assert!(by.residual < 1e-9, "{:e}", by.residual);
    let (ddq, lambda) = (by.ddq.to_vec(), by.lambda.to_vec());
    // What the torque of the floating base pushes with, in its own axes, comes from outside too.
    let kinematics = forward_kinematics(&model, &mut ws, &q, &v, &ddq).expect("runs");
    let base = kinematics.pose(model.body_id(0).expect("is there")).expect("is there");
    let push: Vector3<f64> = base.vector(Vector3::new(tau[0], tau[1], tau[2]));
    let force = lambda.chunks(3).fold(push, |sum, f| sum + Vector3::new(f[0], f[1], f[2]));
    let com = center_of_mass(&model, &mut ws, &q, &v, &ddq).expect("runs").whole;
    let mass: f64 = model.bodies().iter().map(|body| body.inertia().mass).sum();
    let expected = (com.acceleration - model.gravity()) * mass;
    // A few hundred roundings, and the condition of the mass matrix, 1e3.
    assert_near(force.as_slice(), expected.as_slice(), 1e-10, "forces");

    // A fifth contact on the sole of one foot repeats the first.
    let again = [&feet[..], &feet[..1]].concat();
    let by = constraint_dynamics(&model, &mut ws, &q, &v, &tau, &again, &[]).expect("runs");
    assert_eq!(by.rank, 12);
    assert_near(by.ddq, &ddq, 1e-10, "accelerations");
    assert_near(&by.lambda[..3], &lambda[..3].iter().map(|x| x / 2.0).collect::<Vec<_>>(), 1e-9, "shared");
}

/// The momentum of a robot changes by the impulses on its feet.
#[test]
fn impulses_on_feet_change_the_momentum() {
    let (model, q, feet) = standing();
    let (_, v, still) = state(&model, 9);
    let mut ws = Workspace::new(&model);
    let by = impulse_dynamics(&model, &mut ws, &q, &v, 0.2, &feet).expect("runs");
    assert_eq!(by.rank, 12);
    let (after, sum) =
        (by.v.to_vec(), by.impulse.chunks(3).fold([0.0; 3], |s, f| [s[0] + f[0], s[1] + f[1], s[2] + f[2]]));
    let mut momentum = |v: &[f64]| centroidal(&model, &mut ws, &q, v, &still).expect("runs").momentum.linear;
    let change = momentum(&after) - momentum(&v);
    // A few hundred roundings, and the condition of the mass matrix, 1e3.
    assert_near(change.as_slice(), &sum, 1e-10, "momentum");
}
