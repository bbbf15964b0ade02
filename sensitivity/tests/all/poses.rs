//! Calibration: geometry from measured poses.

use crate::common::*;
use gradyn::once::frame_pose;
use gradyn::spatial::exp3;
use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::identify::{Poses, fit_poses};
use nalgebra::Vector3;
use testing::{numbers, rng};

/// Poses of the hand with planted errors of placements: found to rounding from exact poses, within intervals from noisy
/// ones; positions alone do as well; what poses cannot tell is named and stays.
#[test]
fn planted_placements_are_found() {
    let model = robot("panda", false);
    let p = Parameters::of(&model)
        .select_all(
            "panda_joint3.placement.x, panda_joint4.placement.z, panda_joint5.placement.ry, panda_joint6.axis.1",
        )
        .expect("are there");
    let truth = [3e-3, -2e-3, 4e-3, -3e-3];
    let calibrated = p.robot_at(&truth).expect("fits");
    let frame = calibrated.find_frame("panda_link7").expect("is there");
    let rng = &mut rng(8);
    let measured = |noise: f64, rng: &mut _| {
        let q: Vec<Vec<f64>> = (0..60).map(|_| numbers(rng, 7)).collect();
        let pose = |q: &Vec<f64>, rng: &mut _| {
            let mut pose = frame_pose(&calibrated, q, frame).expect("runs");
            pose.translation += noise * Vector3::from_vec(numbers(rng, 3));
            pose.rotation = exp3(noise * Vector3::from_vec(numbers(rng, 3))) * pose.rotation;
            pose
        };
        let poses = q.iter().map(|q| pose(q, rng)).collect();
        Poses { frame: model.find_frame("panda_link7").expect("is there").into(), q, poses, rotations: true }
    };
    for rotations in [true, false] {
        let exact = Poses { rotations, ..measured(0.0, rng) };
        let found = fit_poses(&p, &exact, 0.3).expect("fits");
        assert!(found.cannot_tell.is_empty() && found.explains, "{:?}", found.cannot_tell);
        for (x, truth) in found.estimate.parameters.iter().zip(truth) {
            // Rounding of a meter, times the condition.
            assert!((x - truth).abs() < 1e-12, "{x} against {truth}");
        }
        let noisy = Poses { rotations, ..measured(1e-4, rng) };
        let found = fit_poses(&p, &noisy, 0.3).expect("fits");
        for (k, truth) in truth.iter().enumerate() {
            let (x, sd) = (found.estimate.parameters[k], found.estimate.deviation(k).expect("is told"));
            // Five deviations: 1 in 1.7 million for each. Positions near the wrist tell its turns little.
            assert!((x - truth).abs() < 5.0 * sd && sd < 1e-3, "{}: {x} ± {sd} against {truth}", found.parameters[k]);
        }
        assert!(found.held_out.position < 0.2 * found.before.position, "{:?}", found.held_out);
    }
    // A shift along the first axis before and behind the joint is the same.
    let both = Parameters::of(&model).select_all("panda_joint1.placement.z, panda_joint2.placement.y").expect("are");
    let found = fit_poses(&both, &measured(0.0, rng), 0.0).expect("fits");
    assert_eq!((found.cannot_tell.len(), found.held.len()), (1, 1), "{:?}", found.cannot_tell);
    let short = Poses { q: vec![vec![0.0; 7]], poses: vec![], ..measured(0.0, rng) };
    assert!(fit_poses(&p, &short, 0.0).expect_err("no pose").to_string().contains("the poses has 0 entries"));
}
