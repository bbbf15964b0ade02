//! Patterns of constraints, centers of mass, regressors and second derivatives: zero outside, exactly, and not zero
//! inside.

use gradyn::dynamics::{
    self, Constraint, ExternalWrench, ReferenceFrame, Workspace, com_jacobian, constraint_jacobian,
    frame_wrench_regressor, kinematic_regressor, kinetic_energy_regressor, potential_energy_regressor,
    static_torque_regressor, torque_regressor,
};
use gradyn::joint::{Axis, Revolute};
use gradyn::model::{BodyId, InputError, Model, ModelBuilder};
use gradyn::partials::{
    DerivativeWorkspace, Method, SecondOrderWorkspace, SparsityPattern, TensorPattern, aba_second_derivatives,
    center_of_mass_derivatives, centroidal_derivatives, constraint_dynamics_derivatives, impulse_dynamics_derivatives,
    rnea_second_derivatives,
};
use gradyn::spatial::Force;
use nalgebra::{DMatrix, Vector3};
use testing::{SINGULAR, models, state, wrenches};

/// Less than this part of a matrix's largest entry is rounding: a thousand roundings of numbers that a mass matrix of
/// condition a thousand has been solved with.
const ROUNDING: f64 = 1e-10;

fn body(model: &Model, i: usize) -> BodyId {
    model.body_id(i).expect("is there")
}

/// Entries outside are zero, exactly; returns how many there are.
#[track_caller]
fn zeros_outside(pattern: &SparsityPattern, m: &DMatrix<f64>, what: &str) -> usize {
    assert_eq!((pattern.rows(), pattern.columns()), m.shape(), "{what}");
    for (i, j) in (0..m.nrows()).flat_map(|i| (0..m.ncols()).map(move |j| (i, j))) {
        assert!(pattern.contains(i, j) || m[(i, j)] == 0.0, "{what}[{i}, {j}] is {}", m[(i, j)]);
    }
    let values = pattern.values(m).expect("fits");
    assert!(pattern.coordinates().zip(values).all(|(place, x)| x.to_bits() == m[place].to_bits()), "{what}");
    m.len() - pattern.nonzeros()
}

/// Each entry inside is more than rounding at one of the states at least.
#[track_caller]
fn filled(pattern: &SparsityPattern, at: &[DMatrix<f64>], but: impl Fn(usize, usize) -> bool, what: &str) {
    for place @ (i, j) in pattern.coordinates().filter(|(i, j)| !but(*i, *j)) {
        let largest = at.iter().map(|m| m[place].abs() / m.amax()).fold(0.0, f64::max);
        assert!(largest > ROUNDING, "{what}[{i}, {j}] is zero, or {largest:e} of the largest");
    }
}

/// Three trees that hang from the world: chains of five hinges about skew axes, and a sixth hinge that branches off.
fn grove(seed: u64) -> Model {
    let mut rng = testing::rng(seed + 900);
    let mut builder = ModelBuilder::new("grove");
    for tree in 0..3 {
        let mut keys = Vec::new();
        for k in 0..6 {
            let parent = if k == 5 { Some(keys[1]) } else { keys.last().copied() };
            let (place, hinge) = (testing::transform(&mut rng), Revolute { axis: testing::axis(&mut rng) });
            let names = (format!("body {tree} {k}"), format!("joint {tree} {k}"));
            let y = testing::inertia(&mut rng);
            keys.push(builder.add_body(parent, names.0, names.1, place, hinge, y).expect("builds"));
        }
    }
    builder.build().expect("builds")
}

/// The place of a hinge's body in a [`grove`]: depth first, the branch comes after the chain.
fn at(model: &Model, tree: usize, k: usize) -> BodyId {
    model.find_body(&format!("body {tree} {k}")).expect("is there")
}

/// Of each kind, to the world, between trees, within one, and one of them twice.
fn constraints(model: &Model) -> Vec<Constraint> {
    let n = model.bodies().len();
    let (first, middle, last) = (body(model, 0), body(model, n / 2), body(model, n - 1));
    let mut rng = testing::rng(5);
    let mut pose = || testing::transform(&mut rng);
    let mut all = vec![
        Constraint::contact(last, Vector3::new(0.1, 0.2, 0.3), Vector3::new(0.5, 0.0, 0.1)),
        Constraint::contact(last, Vector3::new(0.1, 0.2, 0.3), Vector3::new(0.5, 0.0, 0.1)),
    ];
    for other in [first, middle] {
        if other != last {
            all.push(Constraint::point(other, Vector3::new(0.3, 0.1, 0.2), last, Vector3::new(0.2, 0.0, 0.4)));
            all.push(Constraint::frame(last, pose(), other, pose()));
            let hinge = Revolute { axis: Axis::Y };
            all.push(
                Constraint::joint(other, pose(), last, pose(), hinge).expect("closes a loop").with_gains(2.0, 1.0),
            );
        }
    }
    all
}

/// Jacobians of constraints, and what they do to accelerations, multipliers and impulses: by every method, each
/// constraint alone and all at once, with rows that depend on each other; of large trees by dual numbers all at once
/// only.
#[test]
fn nothing_is_outside_the_patterns_of_constraints() {
    let mut zeros = [0; 3];
    for (what, model) in models().into_iter().filter(|(_, model)| model.nv() <= 45 && model.bodies().len() > 1) {
        let ((q, v, tau), all) = (state(&model, 6), constraints(&model));
        // The first two are the same.
        let mut lists: Vec<&[Constraint]> = all.chunks(1).skip(1).collect();
        lists.push(&all);
        for (number, list) in lists.into_iter().enumerate() {
            let what = format!("{what}, list {number}");
            let mut ws = Workspace::new(&model);
            let j = constraint_jacobian(&model, &mut ws, &q, list).expect("valid");
            zeros[0] += zeros_outside(&SparsityPattern::constraint_jacobian(&model, list), j, &what);
            if SINGULAR.iter().any(|name| what.starts_with(name)) {
                continue;
            }
            let motion = SparsityPattern::constrained_accelerations(&model, list);
            let multipliers = SparsityPattern::multipliers(&model, list);
            let methods = match model.nv() {
                0..=7 => 3,
                8..=24 => 2,
                _ => {
                    if list.len() > 1 {
                        2
                    } else {
                        1
                    }
                }
            };
            for method in &Method::ALL[..methods] {
                let what = format!("{what}, {method}");
                let mut ws = DerivativeWorkspace::new(&model);
                let pushes = wrenches(&model, 6);
                let by = constraint_dynamics_derivatives(&model, &mut ws, *method, &q, &v, &tau, list, &pushes);
                let by = by.expect("valid");
                for (w, (motion, lambda)) in pushes.iter().zip(by.ddq_df_ext.iter().zip(&by.dlambda_df_ext)) {
                    let pattern = SparsityPattern::accelerations_by_wrench(&model, list, w.body);
                    zeros[1] += zeros_outside(&pattern, motion, &format!("{what}: ddq_df_ext"));
                    let pattern = SparsityPattern::multipliers_by_wrench(&model, list, w.body);
                    zeros[2] += zeros_outside(&pattern, lambda, &format!("{what}: dlambda_df_ext"));
                }
                for (name, m) in by.matrices() {
                    let of_motion = name.starts_with("ddq");
                    let pattern = if of_motion { &motion } else { &multipliers };
                    zeros[2 - usize::from(of_motion)] += zeros_outside(pattern, m, &format!("{what}: {name}"));
                }
                let by = impulse_dynamics_derivatives(&model, &mut ws, *method, &q, &v, 0.5, list).expect("valid");
                for (name, m) in by.matrices() {
                    let pattern = if name.starts_with("dv") { &motion } else { &multipliers };
                    zeros_outside(pattern, m, &format!("{what}: {name}"));
                }
            }
        }
    }
    assert!(zeros.iter().all(|zeros| *zeros > 1000), "some trees branch, some are several: {zeros:?}");
}

/// Jacobians of each kind of constraint between trees and within one; two trees held together, one of them to the
/// world, the third one free.
#[test]
fn nothing_inside_the_patterns_of_constraints_is_zero() {
    for seed in 0..3 {
        let model = grove(seed);
        let mut rng = testing::rng(seed);
        let mut pose = || testing::transform(&mut rng);
        let points = (Vector3::new(0.3, 0.1, 0.2), Vector3::new(0.2, 0.5, 0.4));
        let (tip, branch, other) = (at(&model, 0, 4), at(&model, 0, 5), at(&model, 1, 4));
        let hinge = Revolute { axis: Axis::along(Vector3::new(0.3, -0.5, 0.8)).expect("not zero") };
        let mut list = Vec::new();
        for side in [branch, other] {
            list.push(Constraint::point(tip, points.0, side, points.1));
            list.push(Constraint::frame(tip, pose(), side, pose()));
            list.push(Constraint::joint(tip, pose(), side, pose(), hinge).expect("closes a loop"));
        }
        list.push(Constraint::contact(tip, points.0, points.1));
        let of_seed = |s: u64| state(&model, 10 * seed + s);
        let all: Vec<_> = (0..3)
            .map(|s| {
                constraint_jacobian(&model, &mut Workspace::new(&model), &of_seed(s).0, &list).expect("valid").clone()
            })
            .collect();
        filled(&SparsityPattern::constraint_jacobian(&model, &list), &all, |_, _| false, "jacobian");

        let list = [Constraint::point(tip, points.0, other, points.1), Constraint::contact(other, points.0, points.1)];
        let list = list.map(|c| c.with_gains(2.0, 1.0));
        let motion = SparsityPattern::constrained_accelerations(&model, &list);
        let multipliers = SparsityPattern::multipliers(&model, &list);
        assert_eq!((motion.nonzeros(), multipliers.nonzeros()), (12 * 12 + 6 * 6, 6 * 12));
        let mut ws = DerivativeWorkspace::new(&model);
        let mut found: Vec<Vec<DMatrix<f64>>> = vec![Vec::new(); 8];
        let mut names = [""; 8];
        for s in 0..3 {
            let (q, v, tau) = of_seed(s);
            let method = Method::Analytical;
            let by = constraint_dynamics_derivatives(&model, &mut ws, method, &q, &v, &tau, &list, &[]).expect("valid");
            let mut all: Vec<_> = by.matrices().map(|(name, m)| (name, m.clone())).into();
            let by = impulse_dynamics_derivatives(&model, &mut ws, method, &q, &v, 0.5, &list).expect("valid");
            all.extend([("dv_dq", by.dv_dq.clone()), ("dimpulse_dq", by.dimpulse_dq.clone())]);
            for ((to, at), (name, m)) in found.iter_mut().zip(&mut names).zip(all) {
                *at = name;
                to.push(m);
            }
        }
        for tree in 0..3 {
            let mut found = [Vec::new(), Vec::new()];
            for s in 0..3 {
                let ((q, v, tau), b) = (of_seed(s), at(&model, tree, 4));
                let push = [ExternalWrench::in_body(
                    b,
                    Force::new(Vector3::new(1.0, 2.0, s as f64), Vector3::new(0.5, -1.0, 0.3)),
                )];
                let by =
                    constraint_dynamics_derivatives(&model, &mut ws, Method::Analytical, &q, &v, &tau, &list, &push)
                        .expect("valid");
                found[0].push(by.ddq_df_ext[0].clone());
                found[1].push(by.dlambda_df_ext[0].clone());
            }
            let b = at(&model, tree, 4);
            let pattern = SparsityPattern::accelerations_by_wrench(&model, &list, b);
            assert_eq!(pattern.nonzeros(), if tree < 2 { 12 * 6 } else { 6 * 6 });
            filled(&pattern, &found[0], |_, _| false, "accelerations by a wrench");
            let pattern = SparsityPattern::multipliers_by_wrench(&model, &list, b);
            assert_eq!(pattern.nonzeros(), if tree < 2 { 6 * 6 } else { 0 });
            filled(&pattern, &found[1], |_, _| false, "multipliers by a wrench");
        }
        // An impulse leaves the third tree alone.
        let free = |dof: usize| (0..6).any(|k| model.bodies()[at(&model, 2, k).index()].v_range().contains(&dof));
        for (name, all) in names.into_iter().zip(&found) {
            let pattern = if all[0].nrows() == model.nv() { &motion } else { &multipliers };
            filled(pattern, all, |i, _| name == "dv_dq" && free(i), &format!("grove {seed}: {name}"));
        }
    }
}

/// Centers of mass of the robot and of each subtree, by every method; regressors.
#[test]
fn nothing_is_outside_the_patterns_of_masses() {
    let mut zeros = [0; 6];
    for (what, model) in models() {
        let (q, v, a) = state(&model, 7);
        let (mut ws, mut derivatives) = (Workspace::new(&model), DerivativeWorkspace::new(&model));
        let n = model.bodies().len();
        for tip in (0..n).step_by(1 + n / 12) {
            let subtree = Some(body(&model, tip));
            let pattern = SparsityPattern::center_of_mass(&model, subtree);
            if com_jacobian(&model, &mut ws, &q, subtree).is_err() {
                continue; // without mass
            }
            let j = com_jacobian(&model, &mut ws, &q, subtree).expect("has mass");
            zeros[0] += zeros_outside(&pattern, j, &format!("{what}: com of body {tip}"));
            for method in if model.nv() <= 30 { &Method::ALL[..] } else { &Method::ALL[..2] } {
                let by = center_of_mass_derivatives(&model, &mut derivatives, *method, &q, &v, &a, subtree)
                    .expect("has mass");
                for (name, m) in [
                    ("dposition_dq", &by.dposition_dq),
                    ("dvelocity_dq", &by.dvelocity_dq),
                    ("dvelocity_dv", &by.dvelocity_dv),
                    ("dacceleration_dq", &by.dacceleration_dq),
                    ("dacceleration_dv", &by.dacceleration_dv),
                    ("dacceleration_da", &by.dacceleration_da),
                ] {
                    zeros_outside(&pattern, m, &format!("{what}, {method}: {name} of body {tip}"));
                }
            }
            let m = kinematic_regressor(&model, &mut ws, &q, body(&model, tip), ReferenceFrame::World).expect("valid");
            let pattern = SparsityPattern::kinematic_regressor(&model, body(&model, tip));
            zeros[1] += zeros_outside(&pattern, m, &format!("{what}: kinematic regressor of body {tip}"));
        }
        let m = potential_energy_regressor(&model, &mut ws, &q).expect("valid");
        zeros[4] += zeros_outside(&SparsityPattern::potential_energy_regressor(&model), m, &format!("{what}: energy"));
        let m = kinetic_energy_regressor(&model, &mut ws, &q, &v).expect("valid");
        zeros_outside(&SparsityPattern::kinetic_energy_regressor(&model), m, &format!("{what}: kinetic energy"));
        for tip in (0..n).step_by(1 + n / 12) {
            let m = frame_wrench_regressor(&model, &mut ws, &q, &v, &a, body(&model, tip)).expect("valid");
            zeros[5] += zeros_outside(&SparsityPattern::frame_wrench_regressor(), m, &format!("{what}: wrench"));
        }
        let m = torque_regressor(&model, &mut ws, &q, &v, &a).expect("valid");
        zeros[2] += zeros_outside(&SparsityPattern::torque_regressor(&model), m, &format!("{what}: regressor"));
        let m = static_torque_regressor(&model, &mut ws, &q).expect("valid");
        zeros[3] += zeros_outside(&SparsityPattern::static_torque_regressor(&model), m, &format!("{what}: at rest"));
    }
    assert!(zeros.iter().all(|zeros| *zeros > 1000), "some trees branch: {zeros:?}");
}

/// Of hinges about skew axes; but no hinge feels the force at the origin of its own body.
#[test]
fn nothing_inside_the_patterns_of_masses_is_zero() {
    for seed in 0..3 {
        let model = grove(seed);
        let states: Vec<_> = (0..3).map(|s| state(&model, 20 * seed + s)).collect();
        for tip in [at(&model, 0, 0), at(&model, 1, 2), at(&model, 2, 5)] {
            for subtree in [None, Some(tip)] {
                let mut ws = DerivativeWorkspace::new(&model);
                let mut found: Vec<Vec<DMatrix<f64>>> = vec![Vec::new(); 6];
                for (q, v, a) in &states {
                    let by = center_of_mass_derivatives(&model, &mut ws, Method::Analytical, q, v, a, subtree)
                        .expect("has mass");
                    let all = [&by.dposition_dq, &by.dvelocity_dq, &by.dvelocity_dv, &by.dacceleration_dq];
                    let all = all.into_iter().chain([&by.dacceleration_dv, &by.dacceleration_da]);
                    found.iter_mut().zip(all).for_each(|(to, m)| to.push(m.clone()));
                }
                let pattern = SparsityPattern::center_of_mass(&model, subtree);
                found.iter().for_each(|all| filled(&pattern, all, |_, _| false, "center of mass"));
            }
            let mut ws = Workspace::new(&model);
            let all: Vec<_> = states
                .iter()
                .map(|(q, ..)| {
                    kinematic_regressor(&model, &mut ws, q, tip, ReferenceFrame::World).expect("valid").clone()
                })
                .collect();
            filled(&SparsityPattern::kinematic_regressor(&model, tip), &all, |_, _| false, "kinematic regressor");
        }
        let mut ws = DerivativeWorkspace::new(&model);
        let mut found: Vec<Vec<DMatrix<f64>>> = vec![Vec::new(); 5];
        for (q, v, a) in &states {
            let by = centroidal_derivatives(&model, &mut ws, Method::Analytical, q, v, a).expect("has mass");
            let all = [&by.dmomentum_dq, &by.dmomentum_dv, &by.drate_dq, &by.drate_dv, &by.drate_da];
            found.iter_mut().zip(all).for_each(|(to, m)| to.push(m.clone()));
        }
        found.iter().for_each(|all| filled(&SparsityPattern::centroidal(&model), all, |_, _| false, "centroidal"));

        let mut ws = Workspace::new(&model);
        let own_mass = |i: usize, k: usize| k.is_multiple_of(10) && model.bodies()[k / 10].v_range().contains(&i);
        let moving: Vec<_> =
            states.iter().map(|(q, v, a)| torque_regressor(&model, &mut ws, q, v, a).expect("valid").clone()).collect();
        filled(&SparsityPattern::torque_regressor(&model), &moving, own_mass, "torque regressor");
        let at_rest: Vec<_> =
            states.iter().map(|(q, ..)| static_torque_regressor(&model, &mut ws, q).expect("valid").clone()).collect();
        filled(&SparsityPattern::static_torque_regressor(&model), &at_rest, own_mass, "regressor at rest");
        let kinetic: Vec<_> = states
            .iter()
            .map(|(q, v, _)| kinetic_energy_regressor(&model, &mut ws, q, v).expect("valid").clone())
            .collect();
        // A root's origin does not move.
        let root = |_: usize, k: usize| k % 10 < 4 && model.bodies()[k / 10].parent().is_none();
        filled(&SparsityPattern::kinetic_energy_regressor(&model), &kinetic, root, "kinetic energy");
        let potential: Vec<_> = states
            .iter()
            .map(|(q, ..)| potential_energy_regressor(&model, &mut ws, q).expect("valid").clone())
            .collect();
        filled(&SparsityPattern::potential_energy_regressor(&model), &potential, |_, _| false, "potential energy");
        let tip = at(&model, 1, 3);
        let wrench: Vec<_> = states
            .iter()
            .map(|(q, v, a)| frame_wrench_regressor(&model, &mut ws, q, v, a, tip).expect("valid").clone())
            .collect();
        filled(&SparsityPattern::frame_wrench_regressor(), &wrench, |_, _| false, "wrench regressor");
    }
}

/// Entries outside are zero, exactly; returns how many there are.
#[track_caller]
fn tensor_zeros_outside(pattern: &TensorPattern, tensor: &dynamics::Tensor3, what: &str) -> usize {
    let values = pattern.values(tensor).expect("fits");
    let mut inside = pattern.coordinates().iter().zip(&values).peekable();
    let mut zeros = 0;
    for ((i, j, k), x) in tensor.iter() {
        // The order is the tensor's.
        if let Some((_, value)) = inside.next_if(|(place, _)| **place == [i, j, k]) {
            assert!(pattern.contains(i, j, k) && value.to_bits() == x.to_bits(), "{what}");
        } else {
            assert!(*x == 0.0 && !pattern.contains(i, j, k), "{what}[{i}, {j}, {k}] is {x}");
            zeros += 1;
        }
    }
    assert!(inside.next().is_none(), "{what}");
    zeros
}

/// Second derivatives of torques and of accelerations; rounding errors of `∂M/∂q` are left by other methods than
/// formulas.
#[test]
fn nothing_is_outside_the_patterns_of_second_derivatives() {
    let mut zeros = [0; 4];
    for (what, model) in models().into_iter().filter(|(_, model)| model.nv() <= 45) {
        let ((q, v, a), f_ext) = (state(&model, 8), wrenches(&model, 8));
        let mut ws = SecondOrderWorkspace::new(&model);
        for method in if model.nv() <= 15 { &Method::ALL[..] } else { &Method::ALL[..2] } {
            let what = format!("{what}, {method}");
            let by = rnea_second_derivatives(&model, &mut ws, *method, &q, &v, &a, &f_ext).expect("valid");
            for (name, tensor) in by.tensors() {
                let pattern = TensorPattern::torques(&model);
                zeros[0] += tensor_zeros_outside(&pattern, tensor, &format!("{what}: {name}"));
            }
            if *method == Method::Analytical {
                let pattern = TensorPattern::mass_matrix(&model);
                zeros[1] += tensor_zeros_outside(&pattern, &by.d2tau_dadq, &format!("{what}: dM_dq"));
            }
            if SINGULAR.iter().any(|name| what.starts_with(name)) {
                continue;
            }
            let by = aba_second_derivatives(&model, &mut ws, *method, &q, &v, &a, &f_ext).expect("valid");
            for (name, tensor) in by.tensors() {
                let pattern = TensorPattern::accelerations(&model);
                zeros[2] += tensor_zeros_outside(&pattern, tensor, &format!("{what}: {name}"));
            }
            let pattern = TensorPattern::accelerations_by_velocities(&model);
            zeros[3] += tensor_zeros_outside(&pattern, &by.d2ddq_dvdv, &format!("{what}: d2ddq_dvdv"));
        }
    }
    assert!(zeros.iter().all(|zeros| *zeros > 1000), "some trees branch, some are several: {zeros:?}");
}

/// Of hinges about skew axes, but for what their documentation lists: `M` does not depend on the joint at the root, and
/// `M_ii` on joints below i alone, of which `∂τ_i/∂v_i` is made.
#[test]
fn nothing_inside_the_patterns_of_second_derivatives_is_zero() {
    let model = grove(7);
    let body_of = |dof: usize| model.bodies().iter().position(|body| body.v_range().contains(&dof)).expect("is there");
    let is_root = |dof: usize| model.bodies()[body_of(dof)].parent().is_none();
    let below = |a: usize, b: usize| {
        let parents = std::iter::successors(Some(body_of(a)), |i| model.bodies()[*i].parent().map(BodyId::index));
        a != b && parents.into_iter().any(|i| i == body_of(b))
    };
    let mut ws = SecondOrderWorkspace::new(&model);
    let (mut torques, mut accelerations) = (Vec::new(), Vec::new());
    for seed in 0..4 {
        let ((q, v, a), f_ext) = (state(&model, seed), wrenches(&model, seed));
        let method = Method::Analytical;
        torques.push(rnea_second_derivatives(&model, &mut ws, method, &q, &v, &a, &f_ext).expect("valid").clone());
        let by = aba_second_derivatives(&model, &mut ws, method, &q, &v, &a, &f_ext).expect("valid");
        accelerations.push(by.clone());
    }
    let filled =
        |pattern: &TensorPattern, all: Vec<&dynamics::Tensor3>, but: &dyn Fn([usize; 3]) -> bool, what: &str| {
            let sizes: Vec<f64> =
                all.iter().map(|t| t.as_slice().iter().fold(0.0, |s: f64, x| s.max(x.abs()))).collect();
            for &place @ [i, j, k] in pattern.coordinates().iter().filter(|place| !but(**place)) {
                let largest = all.iter().zip(&sizes).map(|(t, size)| t[(i, j, k)].abs() / size).fold(0.0, f64::max);
                assert!(largest > ROUNDING, "{what}{place:?} is zero, or {largest:e} of the largest");
            }
        };
    let pattern = TensorPattern::torques(&model);
    filled(&pattern, torques.iter().map(|t| &t.d2tau_dqdq).collect(), &|_| false, "d2tau_dqdq");
    let of_own_rate = |[i, j, k]: [usize; 3]| is_root(j) || i == k && !below(j, i);
    filled(&pattern, torques.iter().map(|t| &t.d2tau_dqdv).collect(), &of_own_rate, "d2tau_dqdv");
    let of_own_rate = |[i, j, k]: [usize; 3]| i == j && !below(k, i) || i == k && !below(j, i);
    filled(&pattern, torques.iter().map(|t| &t.d2tau_dvdv).collect(), &of_own_rate, "d2tau_dvdv");
    let pattern = TensorPattern::mass_matrix(&model);
    filled(&pattern, torques.iter().map(|t| &t.d2tau_dadq).collect(), &|_| false, "d2tau_dadq");

    let pattern = TensorPattern::accelerations(&model);
    filled(&pattern, accelerations.iter().map(|t| &t.d2ddq_dqdq).collect(), &|_| false, "d2ddq_dqdq");
    let of_root = |[_, j, _]: [usize; 3]| is_root(j);
    filled(&pattern, accelerations.iter().map(|t| &t.d2ddq_dqdv).collect(), &of_root, "d2ddq_dqdv");
    filled(&pattern, accelerations.iter().map(|t| &t.d2ddq_dqdtau).collect(), &of_root, "d2ddq_dqdtau");
    let pattern = TensorPattern::accelerations_by_velocities(&model);
    filled(&pattern, accelerations.iter().map(|t| &t.d2ddq_dvdv).collect(), &|_| false, "d2ddq_dvdv");
}

/// Shapes are checked; bodies that are not there carry nothing.
#[test]
fn wrong_shapes_are_named() {
    let (model, large) = (testing::tree_of(5, 2), testing::tree_of(30, 1));
    let foreign = body(&large, 29);
    assert_eq!(SparsityPattern::center_of_mass(&model, Some(foreign)).nonzeros(), 0);
    assert_eq!(SparsityPattern::kinematic_regressor(&model, foreign).nonzeros(), 0);
    let list = [Constraint::contact(foreign, Vector3::zeros(), Vector3::zeros())];
    let patterns = [
        SparsityPattern::constraint_jacobian(&model, &list),
        SparsityPattern::multipliers(&model, &list),
        SparsityPattern::multipliers(&model, &[]),
    ];
    assert_eq!(patterns.map(|p| (p.rows(), p.nonzeros())), [(3, 0), (3, 0), (0, 0)]);
    let (pattern, nv) = (TensorPattern::torques(&model), model.nv());
    assert_eq!(pattern.dims(), [nv; 3]);
    let error = pattern.values(&dynamics::Tensor3::zeros([nv, nv + 1, nv])).expect_err("another shape");
    let (what, size) = ("second dimension of the tensor", "sparsity pattern");
    assert_eq!(error, InputError::Length { what, size, expected: nv, found: nv + 1 });
    let error = pattern.values_into(&dynamics::Tensor3::zeros([nv; 3]), &mut []).expect_err("too short");
    assert!(matches!(error, InputError::Length { what: "values", .. }), "{error}");
    assert!(!pattern.contains(0, nv, 0));
}
