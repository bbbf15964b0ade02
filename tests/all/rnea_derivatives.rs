//! Derivatives of inverse dynamics in closed form: against dual numbers, against differences, and over number types.

use gradyn::dynamics::{self, ExternalWrench, Workspace};
use gradyn::joint::{Composite, Continuous, Elementary, FreeFlyer, JointKind, Planar, SphericalZyx, Universal};
use gradyn::model::{InputError, Model};
use gradyn::partials::{DerivativeWorkspace, Method, RneaDerivatives, rnea_derivatives};
use gradyn::spatial::Motion;
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::Baseline;
use gradyn_derivatives::{Dual8, Lanes, Real};
use nalgebra::DMatrix;
use testing::{
    assert_near, assert_same, deviation, eps, lift, models, moved, state, tree_of_every_joint, unit, wrenches,
};

fn at(model: &Model, method: Method, seed: u64, wrenches: &[ExternalWrench]) -> RneaDerivatives {
    let (q, v, a) = state(model, seed);
    let mut ws = DerivativeWorkspace::new(model);
    rnea_derivatives(model, &mut ws, method, &q, &v, &a, wrenches).expect("runs").clone()
}

/// Every matrix, those of wrenches too.
fn matrices(d: &RneaDerivatives) -> Vec<(String, &DMatrix<f64>)> {
    let mut all: Vec<_> = d.matrices().into_iter().map(|(what, m)| (what.to_owned(), m)).collect();
    all.extend(d.dtau_df_ext.iter().enumerate().map(|(k, m)| (format!("dtau_df_ext[{k}]"), m)));
    all
}

/// Formulas and dual numbers agree to rounding: every kind of joint, moving and not at the root, friction, armature,
/// mimic joints, wrenches of both kinds.
#[test]
fn formulas_agree_with_dual_numbers() {
    for (what, model) in models() {
        for seed in 0..4 {
            let wrenches = wrenches(&model, seed);
            let dual = at(&model, Method::Dual, seed, &wrenches);
            let analytical = at(&model, Method::Analytical, seed, &wrenches);
            // Sums in another order, about another point: some hundred roundings.
            assert_near(analytical.tau.as_slice(), dual.tau.as_slice(), 1e-12, format!("{what}: tau"));
            for ((name, x), (_, y)) in matrices(&analytical).into_iter().zip(matrices(&dual)) {
                // A few thousand roundings.
                let d = deviation(x, y);
                assert!(d < 1e-12, "{what}, state {seed}: {name} deviates by {d:e}");
            }
        }
    }
}

/// The witness that knows nothing of dual numbers.
#[test]
fn formulas_are_what_differences_converge_to() {
    for (what, model) in models().into_iter().filter(|(_, model)| model.nv() <= 30) {
        let wrenches = wrenches(&model, 1);
        let difference = at(&model, Method::Difference, 1, &wrenches);
        let analytical = at(&model, Method::Analytical, 1, &wrenches);
        for ((name, x), (_, y)) in matrices(&analytical).into_iter().zip(matrices(&difference)) {
            // Ridders' method reaches 1e-12 of the torques' scale; torques are up to 100 times an entry.
            let d = deviation(x, y);
            assert!(d < 1e-9, "{what}: {name} deviates by {d:e}");
        }
    }
}

/// `M = Mᵀ`, to the bit.
#[test]
fn mass_matrices_are_symmetric() {
    for (what, model) in models() {
        let mass = at(&model, Method::Analytical, 5, &[]).dtau_da;
        assert_same(mass.as_slice(), mass.transpose().as_slice(), what);
    }
}

/// The torques that the sweep forms on its way are those of the algorithm itself.
#[test]
fn torques_are_those_of_inverse_dynamics() {
    for (what, model) in models() {
        let ((q, v, a), wrenches) = (state(&model, 6), wrenches(&model, 6));
        let mut ws = Workspace::new(&model);
        let tau = dynamics::rnea(&model, &mut ws, &q, &v, &a, &wrenches).expect("runs").to_vec();
        let by = dynamics::rnea_derivatives(&model, &mut ws, &q, &v, &a, &wrenches).expect("runs");
        // Other coordinates, other roundings.
        testing::assert_near(by.tau, &tau, 1e-12, what);
    }
}

/// Run over dual numbers, the formulas give second derivatives: those that differences of the formulas converge to.
#[test]
fn over_dual_numbers_they_are_second_derivatives() {
    for (what, model) in models().into_iter().filter(|(_, model)| model.nv() <= 60) {
        let ((q, v, a), wrenches) = (state(&model, 8), wrenches(&model, 8));
        let lifted: Vec<ExternalWrench<Dual64>> = wrenches.iter().map(ExternalWrench::lift).collect();
        let (mut ws, mut dual_ws) = (Workspace::new(&model), Workspace::new(&model));
        let nv = model.nv();
        for k in (0..nv).step_by(1 + nv / 5) {
            let e = unit(nv, k);
            let (q_k, v_k, a_k) = (moved(&model, &q, &e), lift::<Dual64>(&v), lift::<Dual64>(&a));
            let by = dynamics::rnea_derivatives(&model, &mut dual_ws, &q_k, &v_k, &a_k, &lifted).expect("runs");
            let found = [by.dtau_dq, by.dtau_dv, by.dtau_da, by.dtau_df_ext].map(eps);
            let h = 1e-4;
            let mut near = |t: f64| {
                let mut q_t = q.clone();
                let step: Vec<_> = e.iter().map(|e| e * t).collect();
                model.integrate_into(&q, &step, &mut q_t).expect("fits");
                let by = dynamics::rnea_derivatives(&model, &mut ws, &q_t, &v, &a, &wrenches).expect("runs");
                [by.dtau_dq, by.dtau_dv, by.dtau_da, by.dtau_df_ext].map(<[f64]>::to_vec)
            };
            let (far, close) = ([near(2.0 * h), near(-2.0 * h)], [near(h), near(-h)]);
            for (n, name) in ["dtau_dq", "dtau_dv", "dtau_da", "dtau_df_ext"].into_iter().enumerate() {
                // Fourth order.
                let entry =
                    |i: usize| (8.0 * (close[0][n][i] - close[1][n][i]) - (far[0][n][i] - far[1][n][i])) / (12.0 * h);
                let expected: Vec<_> = (0..found[n].len()).map(entry).collect();
                // h⁴ and ε/h, times entries that grow along chains.
                testing::assert_near(&found[n], &expected, 1e-8, format!("{what}: {name} along {k}"));
            }
        }
    }
}

/// A state.
type Vectors = (Vec<f64>, Vec<f64>, Vec<f64>);

/// In lanes there are eight states at once, each with the derivatives of its own run.
#[test]
fn lanes_hold_independent_states() {
    for seed in 0..3 {
        let model = tree_of_every_joint(seed);
        let states: Vec<_> = (0..8).map(|lane| state(&model, seed + lane)).collect();
        let pack = |of: fn(&Vectors) -> &Vec<f64>| -> Vec<Lanes<Baseline>> {
            let n = of(&states[0]).len();
            (0..n).map(|i| Lanes::from_array(std::array::from_fn(|lane| of(&states[lane])[i]))).collect()
        };
        let (q, v, a) = (pack(|s| &s.0), pack(|s| &s.1), pack(|s| &s.2));
        let mut ws = Workspace::<Lanes<Baseline>>::new(&model);
        let by = dynamics::rnea_derivatives(&model, &mut ws, &q, &v, &a, &[]).expect("runs");
        let (nv, mut single) = (model.nv(), Workspace::new(&model));
        for (lane, (q, v, a)) in states.iter().enumerate() {
            let alone = dynamics::rnea_derivatives(&model, &mut single, q, v, a, &[]).expect("runs");
            for (many, one) in [(by.dtau_dq, alone.dtau_dq), (by.dtau_dv, alone.dtau_dv), (by.dtau_da, alone.dtau_da)] {
                let many: Vec<_> = many.iter().map(|x| x.to_array()[lane]).collect();
                let d = deviation(&DMatrix::from_vec(nv, nv, many), &DMatrix::from_column_slice(nv, nv, one));
                // Fused products round once instead of twice.
                assert!(d < 1e-12, "lane {lane} deviates by {d:e}");
            }
        }
    }
}

/// Ten kilometers from the origin of the world entries lose no digits but those of the poses.
#[test]
fn far_from_the_origin_nothing_is_lost() {
    let options = gradyn::UrdfOptions::new().floating_base(true);
    let model = testing::robot("solo12", &options);
    let (mut q, v, a) = state(&model, 3);
    let mut ws = DerivativeWorkspace::new(&model);
    let wrenches = wrenches(&model, 3);
    q[0] = 1e4;
    let dual = rnea_derivatives(&model, &mut ws, Method::Dual, &q, &v, &a, &wrenches[..1]).expect("runs").clone();
    let by = rnea_derivatives(&model, &mut ws, Method::Analytical, &q, &v, &a, &wrenches[..1]).expect("runs");
    for ((name, x), (_, y)) in matrices(by).into_iter().zip(matrices(&dual)) {
        let d = deviation(x, y);
        assert!(d < 1e-12, "{name} deviates by {d:e}");
    }
}

/// Lengths, numbers that are not finite, another model's workspace: as everywhere.
#[test]
fn misuse_is_named() {
    let (model, other) = (tree_of_every_joint(0), testing::tree_of(5, 1));
    let (q, v, a) = state(&model, 0);
    let mut ws = Workspace::new(&model);
    let short = dynamics::rnea_derivatives(&model, &mut ws, &q, &v[1..], &a, &[]).expect_err("short");
    assert!(matches!(short, InputError::Length { what: "v", .. }), "{short}");
    for i in 0..q.len() {
        let mut bad = q.clone();
        bad[i] = f64::NAN;
        let error = dynamics::rnea_derivatives(&model, &mut ws, &bad, &v, &a, &[]).expect_err("NaN");
        assert!(matches!(error, InputError::NotFinite { what: "q", index, .. } if index == i), "{error}");
    }
    let mut foreign = Workspace::new(&other);
    let error = dynamics::rnea_derivatives(&model, &mut foreign, &q, &v, &a, &[]).expect_err("another model's");
    assert!(matches!(error, InputError::Workspace { .. }), "{error}");
    let huge = vec![1e200; model.nv()];
    let error = dynamics::rnea_derivatives(&model, &mut ws, &q, &huge, &a, &[]).expect_err("overflows");
    assert!(matches!(error, InputError::Overflow { .. }), "{error}");
    // And the workspace is as good as new.
    let again = dynamics::rnea_derivatives(&model, &mut ws, &q, &v, &a, &[]).expect("runs").dtau_dq.to_vec();
    let mut fresh = Workspace::new(&model);
    let first = dynamics::rnea_derivatives(&model, &mut fresh, &q, &v, &a, &[]).expect("runs");
    assert_same(&again, first.dtau_dq, "after errors");
}

/// Over eight directions at a time the values stay, and derivatives are those of one direction at a time.
#[test]
fn eight_directions_are_eight_times_one() {
    let model = tree_of_every_joint(2);
    let ((q, v, a), nv) = (state(&model, 2), model.nv());
    let v_8: Vec<Dual8> = (0..nv).map(|i| if i < 8 { Dual8::variable(v[i], i) } else { Dual8::from(v[i]) }).collect();
    let mut ws = Workspace::<Dual8>::new(&model);
    let by = dynamics::rnea_derivatives(&model, &mut ws, &lift(&q), &v_8, &lift(&a), &[]).expect("runs");
    assert!(by.tau.iter().all(|x| x.is_finite()));
    let mut single = Workspace::<Dual64>::new(&model);
    for k in 0..8 {
        let v_k = testing::dual(&v, &unit(nv, k));
        let one = dynamics::rnea_derivatives(&model, &mut single, &lift(&q), &v_k, &lift(&a), &[]).expect("runs");
        let eight: Vec<_> = by.dtau_dq.iter().map(|x| x.eps.to_array()[k]).collect();
        testing::assert_near(&eight, &eps(one.dtau_dq), 1e-12, format!("direction {k}"));
    }
}

/// With the robot's own parameters as variables: derivatives of the matrices by a mass and by a placement.
#[test]
fn matrices_are_differentiated_by_parameters() {
    let model = tree_of_every_joint(1);
    let ((q, v, a), nv) = (state(&model, 1), model.nv());
    let body = model.body_id(model.bodies().len() / 2).expect("is there");
    let with = |t: f64| {
        let mut inertia = *model.bodies()[body.index()].inertia();
        inertia.mass += t;
        let mut x = *model.bodies()[body.index()].placement();
        x.translation.y += t;
        let model = model.clone().with_inertia(body, inertia).expect("is there");
        model.with_placement(body, x).expect("is there")
    };
    let step = Dual64::new(0.0, 1.0);
    let lifted = model.lift::<Dual64>();
    let mut inertia = *lifted.bodies()[body.index()].inertia();
    inertia.mass += step;
    let mut x = *lifted.bodies()[body.index()].placement();
    x.translation.y += step;
    let lifted = lifted.with_inertia(body, inertia).and_then(|m| m.with_placement(body, x)).expect("is there");
    let mut ws = Workspace::<Dual64>::new(&lifted);
    let by = dynamics::rnea_derivatives(&lifted, &mut ws, &lift(&q), &lift(&v), &lift(&a), &[]).expect("runs");
    let run = |t: f64| {
        let model = with(t);
        let mut ws = Workspace::new(&model);
        let by = dynamics::rnea_derivatives(&model, &mut ws, &q, &v, &a, &[]).expect("runs");
        [by.dtau_dq, by.dtau_dv, by.dtau_da].map(|m| DMatrix::from_column_slice(nv, nv, m))
    };
    let h = 1e-3;
    let (far, close) = ([run(2.0 * h), run(-2.0 * h)], [run(h), run(-h)]);
    for (n, found) in [by.dtau_dq, by.dtau_dv, by.dtau_da].into_iter().enumerate() {
        let expected = ((&close[0][n] - &close[1][n]) * 8.0 - (&far[0][n] - &far[1][n])) / (12.0 * h);
        // Cubic in the step, so exact but for ε/h.
        let d = deviation(&DMatrix::from_vec(nv, nv, eps(found)), &expected);
        assert!(d < 1e-10, "deviates by {d:e}");
    }
}

/// `∂S_l/∂q_k = S_l × S_k` if the stage of l comes before that of k, else zero; and `c = Σ ∂S/∂q_k v_k v`.
#[test]
fn columns_vary_with_the_stages_after_them() {
    let rng = &mut testing::rng(77);
    let mut joints = testing::every_joint(rng);
    let parts: [Elementary; 5] = [
        Planar::new(testing::axis(rng)).into(),
        SphericalZyx.into(),
        FreeFlyer.into(),
        Universal { first: testing::axis(rng), second: testing::axis(rng) }.into(),
        Continuous { axis: testing::axis(rng) }.into(),
    ];
    joints.push(Composite::with_placements(parts.map(|part| (testing::transform(rng), part))).into());
    for joint in joints {
        let mut builder = gradyn::ModelBuilder::new("one");
        let (x, y) = (testing::transform(rng), testing::inertia(rng));
        builder.add_body(None, "body", "joint", x, joint.clone(), y).expect("builds");
        let model = builder.build().expect("builds");
        let ((q, v, _), n) = (state(&model, 5), model.nv());
        let mut s = vec![Motion::zero(); n];
        joint.motion_subspace(&q, &mut s);
        let mut sum = Motion::zero();
        for k in 0..n {
            let mut varied = vec![Motion::<Dual64>::zero(); n];
            joint.motion_subspace(&moved(&model, &q, &unit(n, k)), &mut varied);
            for l in 0..n {
                let before = joint.stage_end(l) <= k;
                let rate = if before { s[l].cross(s[k]) } else { Motion::zero() };
                let found = testing::motion(varied[l]).map(|x| x.eps);
                let what = format!("{} {l} along {k}", joint.kind());
                testing::assert_near(&found, &testing::motion(rate), 1e-14, what);
                sum += rate.scale(v[k] * v[l]);
            }
        }
        let bias = testing::motion(joint.bias(&q, &v));
        testing::assert_near(&bias, &testing::motion(sum), 1e-13, joint.kind());
    }
}
