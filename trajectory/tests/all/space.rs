//! The space of states: moves and differences undo each other, and blocks are where a move is not a sum.

use crate::common::joints::{arm_on, kinds};
use crate::common::robot;
use gradyn_trajectory::space::{Blocks, Space, interpolate};
use testing::{numbers, rng};

/// `(x ⊕ δ) ⊖ x = δ` for turns below π, `x ⊕ (y ⊖ x) = y`, remembered numbers included, on every joint.
#[test]
fn differences_undo_moves() {
    for (seed, (name, joint)) in kinds().into_iter().enumerate() {
        let model = arm_on(name, joint);
        let (space, rng) = (Space { model: &model, memory: 2 }, &mut rng(seed as u64 + 1));
        assert_eq!((space.nx(), space.ndx()), (model.nq() + model.nv() + 2, 2 * model.nv() + 2));
        let x = [model.random(rng), numbers(rng, model.nv() + 2)].concat();
        // Turns about three axes of at most 0.5 rad each stay below π.
        let dx: Vec<f64> = numbers(rng, space.ndx()).iter().map(|x| 0.5 * x.clamp(-1.0, 1.0)).collect();
        let (mut y, mut back) = (x.clone(), dx.clone());
        space.integrate(&x, &dx, &mut y).expect("is a move");
        space.difference(&x, &y, &mut back).expect("are states");
        let off = dx.iter().zip(&back).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-12, "{name}: {off:e}");
        let (q, v, w) = space.split(&y);
        assert_eq!((q.len(), v.len(), w.len()), (model.nq(), model.nv(), 2));
        let rest = space.at_rest(q);
        assert!(rest[..q.len()] == *q && rest[q.len()..].iter().all(|x| *x == 0.0) && rest.len() == space.nx());
    }
}

/// Interpolation is at both ends where it should be, and half of the way twice is the whole.
#[test]
fn interpolation_has_its_ends() {
    let model = robot("solo12", true);
    let rng = &mut rng(3);
    let (from, to) = (model.random(rng), model.random(rng));
    let at = |share: f64| {
        let mut q = from.clone();
        interpolate(&model, &from, &to, share, &mut q).expect("are configurations");
        q
    };
    let distance = |a: &[f64], b: &[f64]| {
        model.difference(a, b).expect("are configurations").iter().fold(0.0, |most: f64, x| most.max(x.abs()))
    };
    assert!(distance(&at(0.0), &from) < 1e-14 && distance(&at(1.0), &to) < 1e-12);
    let (first, second) = (model.difference(&from, &at(0.5)), model.difference(&at(0.5), &to));
    for (a, b) in first.expect("are configurations").iter().zip(second.expect("are configurations")) {
        assert!((a - b).abs() < 1e-12, "{a} {b}");
    }
}

/// Blocks are the joints that turn in space: none of hinges, three directions of a ball, six of a loose base.
#[test]
fn blocks_are_joints_that_turn_in_space() {
    assert_eq!(Blocks::new(&robot("panda", false)).0, Vec::new());
    assert_eq!(Blocks::new(&robot("solo12", true)).0, vec![0..6]);
    for (name, joint) in kinds() {
        let model = arm_on(name, joint);
        for block in Blocks::new(&model).0 {
            let body = model.bodies().iter().find(|body| body.v_range() == block);
            assert!(body.is_some_and(|body| body.v_range().len() >= 3), "{name}: {block:?}");
        }
    }
}
