//! The loop of `control_loop.rs` against generated forward dynamics: an arm that begins off its path and comes back.

use control_loop::{JOINTS, Wanted, torques, ur5};

/// A path: each joint swings by a fifth of a radian, once a second.
fn wanted(t: f64) -> Wanted {
    let w = std::f64::consts::TAU;
    let mid = [0.3, -1.2, 1.4, -0.5, 0.7, 0.1];
    let at = |k: usize| w * t + k as f64;
    Wanted {
        q: std::array::from_fn(|k| mid[k] + 0.2 * at(k).sin()),
        v: std::array::from_fn(|k| 0.2 * w * at(k).cos()),
        a: std::array::from_fn(|k| -0.2 * w * w * at(k).sin()),
    }
}

fn main() {
    let start = wanted(0.0);
    let (mut q, mut v) = (start.q.map(|q| q + 0.05), start.v);
    let h = 1e-3;
    let mut ddq = [0.0; JOINTS];
    for step in 0..2000 {
        let goal = wanted(step as f64 * h);
        let error = (0..JOINTS).map(|k| (q[k] - goal.q[k]).abs()).fold(0.0, f64::max);
        if step % 250 == 0 {
            println!("{:.2} s  {error:.1e} rad off", step as f64 * h);
        }
        let tau = torques(&goal, &q, &v, 100.0, 20.0);
        ur5::aba(&q, &v, &tau, &mut ddq);
        for k in 0..JOINTS {
            v[k] += h * ddq[k];
            q[k] += h * v[k];
        }
    }
    let goal = wanted(2.0);
    let error = (0..JOINTS).map(|k| (q[k] - goal.q[k]).abs()).fold(0.0, f64::max);
    // Poles at −10/s: what was off is gone; a step of a millisecond leaves this much.
    assert!(error < 2e-3, "{error} rad off");
}
