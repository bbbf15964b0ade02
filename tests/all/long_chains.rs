//! Long chains, whose mass matrix has hardly a zero: accelerations come from sweeps along the tree, and products are
//! dense.

use gradyn::dynamics::{
    Constraint, ExternalWrench, Workspace, aba, aba_gradient, constraint_dynamics, crba, impulse_dynamics, minv, rnea,
};
use gradyn::joint::{Axis, Fixed, FreeFlyer, Joint, Revolute};
use gradyn::model::{BodyId, BodyKey, InputError, Model, ModelBuilder};
use gradyn::partials::{
    DerivativeWorkspace, Method, aba_derivatives, constraint_dynamics_derivatives, impulse_dynamics_derivatives,
    rnea_derivatives,
};
use gradyn::spatial::{Force, Inertia, Symmetric3, Transform};
use gradyn_derivatives::Level;
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::with_level;
use nalgebra::{DMatrix, DVector, Vector3};
use testing::{assert_near, condition, deviation};

/// A long chain of hinges and one of three, which hang from the world side by side. From the long one, if it has twigs,
/// two more hang at every ninth link, and some of its joints, the first one too, are free: six columns that stand in
/// one register. It has bodies welded on, and between links.
#[derive(Clone, Copy, Debug)]
struct Chains {
    long: usize,
    twigs: bool,
}

/// So long that factors of the mass matrix do not pay; rows do not fill the last register, and columns not the last
/// two.
const CHAINS: [Chains; 3] =
    [Chains { long: 98, twigs: false }, Chains { long: 110, twigs: false }, Chains { long: 90, twigs: true }];

/// Degrees of freedom of the short chain.
const SHORT: usize = 3;

impl Chains {
    fn model(self) -> Model {
        self.of_weight(1.0)
    }

    /// All inertias times a factor.
    fn of_weight(self, factor: f64) -> Model {
        let Self { long, twigs } = self;
        let mut rng = testing::rng(long as u64);
        let mut builder = ModelBuilder::new("chains");
        let mut add = |builder: &mut ModelBuilder, parent: Option<BodyKey>, name: String, free: bool| {
            let place = Transform::new(testing::rotation(&mut rng).rotation(), testing::vector(&mut rng) * 0.2);
            let hinge: Joint = Revolute { axis: testing::axis(&mut rng) }.into();
            let joint = if free { FreeFlyer.into() } else { hinge };
            let (body, motor) = (testing::inertia(&mut rng), testing::vector(&mut rng).norm() * factor);
            let inertia = Inertia::new(body.mass * factor, body.com, body.rotational.scale(factor));
            let added = builder.add_body(parent, &name, format!("joint of {name}"), place, joint, inertia);
            let body = added.expect("a link");
            if !free {
                builder.set_armature(body, &[motor]).expect("one entry");
            }
            body
        };
        let mut loads = testing::rng(long as u64 + 1);
        let mut weld = |builder: &mut ModelBuilder, parent, name: String| {
            let (place, body) = (testing::transform(&mut loads), testing::inertia(&mut loads));
            let inertia = Inertia::new(body.mass * factor, body.com, body.rotational.scale(factor));
            let joint = format!("seat of {name}");
            builder.add_body(parent, &name, joint, place, Fixed, inertia).expect("a load")
        };
        let mut parent = None;
        for k in 0..long {
            let link = add(&mut builder, parent, format!("link {k}"), twigs && k % 40 == 0);
            parent = Some(link);
            if twigs && k % 11 == 2 {
                // One that is carried, and one that carries the next link.
                weld(&mut builder, parent, format!("load {k}"));
                parent = Some(weld(&mut builder, parent, format!("bracket {k}")));
            }
            if twigs && k % 9 == 4 {
                let twig = add(&mut builder, parent, format!("twig {k}"), false);
                add(&mut builder, Some(twig), format!("end of twig {k}"), false);
            }
        }
        let mut parent = None;
        for k in 0..SHORT {
            parent = Some(add(&mut builder, parent, format!("short {k}"), false));
        }
        builder.build().expect("two chains")
    }
}

/// A thousand roundings, each as bad as M is conditioned.
fn tolerance(m: &DMatrix<f64>) -> f64 {
    1000.0 * f64::EPSILON * condition(m)
}

fn assert_apart(m: &DMatrix<f64>, what: &str) {
    let long = m.nrows() - SHORT;
    let apart = |(i, j): &(usize, usize)| (*i < long) != (*j < long);
    let entries = (0..m.nrows()).flat_map(|i| (0..m.ncols()).map(move |j| (i, j)));
    assert!(entries.filter(apart).all(|at| m[at] == 0.0), "{what}");
}

/// The torques of inverse dynamics at the accelerations of forward dynamics are those that these were asked for, under
/// wrenches.
#[test]
fn a_long_chain_accelerates_as_it_is_pushed() {
    for chains in CHAINS {
        let model = chains.model();
        let ((q, v, tau), wrenches) = (testing::state(&model, 5), testing::wrenches(&model, 5));
        for level in Level::available() {
            let what = format!("{chains:?}, {level}");
            let ws = &mut Workspace::<f64>::new(&model);
            let m = crba(&model, ws, &q).expect("valid").clone();
            let ddq = with_level(level, || aba(&model, ws, &q, &v, &tau, &wrenches).expect("regular").to_vec());
            let found = rnea(&model, ws, &q, &v, &ddq, &wrenches).expect("valid");
            assert_near(found, &tau, tolerance(&m), what);
        }
    }
}

/// `M M⁻¹ = 1`; symmetric to the bit, and exactly zero between the chains.
#[test]
fn the_inverse_of_a_long_chains_mass_matrix_is_its_inverse() {
    for chains in CHAINS {
        let model = chains.model();
        let (q, ..) = testing::state(&model, 1);
        for level in Level::available() {
            let what = format!("{chains:?}, {level}");
            let ws = &mut Workspace::<f64>::new(&model);
            let m = with_level(level, || crba(&model, ws, &q).expect("valid").clone());
            let inverse = with_level(level, || minv(&model, ws, &q).expect("regular").clone());
            assert_eq!(inverse, inverse.transpose(), "{what}");
            assert_apart(&inverse, &what);
            let one = DMatrix::<f64>::identity(model.nv(), model.nv());
            assert_near((&m * inverse).as_slice(), one.as_slice(), tolerance(&m), what);
        }
    }
}

/// `M ∂q̈/∂x = −∂τ/∂x` for configuration, velocity and wrenches, exactly zero between the chains.
#[test]
fn derivatives_of_a_long_chains_accelerations_solve_their_equation() {
    for chains in CHAINS {
        let model = chains.model();
        let ((q, v, tau), wrenches) = (testing::state(&model, 2), testing::wrenches(&model, 2));
        for level in Level::available() {
            let what = format!("{chains:?}, {level}");
            let (ws, inner) = (&mut DerivativeWorkspace::new(&model), &mut DerivativeWorkspace::new(&model));
            let method = Method::Analytical;
            let by = with_level(level, || {
                let by = aba_derivatives(&model, ws, method, &q, &v, &tau, &wrenches).expect("regular");
                let first = by.clone();
                let again = aba_derivatives(&model, ws, method, &q, &v, &tau, &wrenches);
                assert_eq!(&first, again.expect("regular"), "{what}");
                first
            });
            let torques = rnea_derivatives(&model, inner, method, &q, &v, by.ddq.as_slice(), &wrenches).expect("valid");
            let m = &torques.dtau_da;
            let pairs = [(&by.ddq_dq, &torques.dtau_dq), (&by.ddq_dv, &torques.dtau_dv)];
            for (ddq, dtau) in pairs.into_iter().chain(by.ddq_df_ext.iter().zip(&torques.dtau_df_ext)) {
                assert!(deviation(&(m * ddq), &-dtau) < tolerance(m), "{what}");
            }
            for matrix in [&by.ddq_dq, &by.ddq_dv, &by.ddq_dtau] {
                assert_apart(matrix, &what);
            }
        }
    }
}

/// Two hinges about one axis: what is left of the second one's inertia are roundings, of what hangs from it, which
/// alone it is to be compared with, or of what hangs from it on the heavier one of two branches. The error names it.
#[test]
fn a_hinge_whose_motion_another_one_cancels_is_named() {
    for heavier in [0, 1] {
        let mut rng = testing::rng(7);
        let mut builder = ModelBuilder::new("a hinge too many");
        let mut parent = None;
        let link = |builder: &mut ModelBuilder, parent, name: &str, inertia, (place, axis)| {
            let joint = Revolute { axis };
            builder.add_body(parent, name, format!("hinge of {name}"), place, joint, inertia).expect("a link")
        };
        for k in 0..95 {
            let place = Transform::new(testing::rotation(&mut rng).rotation(), testing::vector(&mut rng) * 0.2);
            let seat = (place, testing::axis(&mut rng));
            parent = Some(link(&mut builder, parent, &format!("link {k}"), testing::inertia(&mut rng), seat));
        }
        let axis = testing::axis(&mut rng);
        let empty = Inertia::new(0.0, testing::vector(&mut rng), Symmetric3::zero());
        let hub = link(&mut builder, parent, "hub", empty, (testing::transform(&mut rng), axis));
        for branch in 0..2 {
            let (body, factor) = (testing::inertia(&mut rng), if branch == heavier { 1.0 } else { 1e-9 });
            let inertia = Inertia::new(body.mass * factor, body.com, body.rotational.scale(factor));
            link(&mut builder, Some(hub), &format!("branch {branch}"), inertia, (Transform::identity(), axis));
        }
        let model = builder.build().expect("a tree");
        // Roundings have either sign.
        for (seed, level) in (0..12).flat_map(|seed| Level::available().map(move |level| (seed, level))) {
            let (q, v, tau) = testing::state(&model, seed);
            let ws = &mut Workspace::<f64>::new(&model);
            let accelerations = with_level(level, || aba(&model, ws, &q, &v, &tau, &[]).map(drop));
            let inverse = with_level(level, || minv(&model, ws, &q).map(drop));
            for error in [accelerations, inverse].map(|done| done.expect_err("singular")) {
                let InputError::SingularMassMatrix { index, joint } = &error else { panic!("{level}: {error}") };
                assert_eq!((*index, joint.as_str()), (95, "joint hinge of hub"), "{level}: {error}");
            }
        }
    }
}

/// The gradient of `λᵀ q̈` is `λᵀ` times the derivatives, by articulated bodies at every level, over dual numbers too.
#[test]
fn the_gradient_of_a_long_chains_accelerations_is_their_combination() {
    for chains in CHAINS {
        let model = chains.model();
        let ((q, v, tau), wrenches) = (testing::state(&model, 3), testing::wrenches(&model, 3));
        let (_, lambda, _) = testing::state(&model, 4);
        let row = DVector::from_column_slice(&lambda);
        let ws = &mut DerivativeWorkspace::new(&model);
        let by = aba_derivatives(&model, ws, Method::Analytical, &q, &v, &tau, &wrenches).expect("regular");
        let m = crba(&model, &mut Workspace::new(&model), &q).expect("valid").clone();
        let near = |found: [&[f64]; 3], df_ext: &[f64], what: &str| {
            for (found, matrix) in found.into_iter().zip([&by.ddq_dq, &by.ddq_dv, &by.ddq_dtau]) {
                assert_near(found, matrix.tr_mul(&row).as_slice(), tolerance(&m), what);
            }
            for (found, matrix) in df_ext.chunks_exact(6).zip(&by.ddq_df_ext) {
                assert_near(found, matrix.tr_mul(&row).as_slice(), tolerance(&m), what);
            }
        };
        for level in Level::available() {
            let ws = &mut Workspace::<f64>::new(&model);
            let by = with_level(level, || aba_gradient(&model, ws, &q, &v, &tau, &lambda, &wrenches));
            let by = by.expect("regular");
            near([by.dq, by.dv, by.dtau], by.df_ext, &format!("{chains:?}, {level}"));
        }
        let lift = testing::lift::<Dual64>;
        let (q, v, tau, lambda) = (lift(&q), lift(&v), lift(&tau), lift(&lambda));
        let wrenches: Vec<_> = wrenches.iter().map(|w| w.lift::<Dual64>()).collect();
        let ws = &mut Workspace::new(&model);
        let by = aba_gradient(&model, ws, &q, &v, &tau, &lambda, &wrenches).expect("regular");
        let re = |x: &[Dual64]| x.iter().map(|x| x.re).collect::<Vec<_>>();
        near([&re(by.dq), &re(by.dv), &re(by.dtau)], &re(by.df_ext), &format!("{chains:?}, dual numbers"));
    }
}

/// Bodies of the long chain and the short one under contacts and in loops, and how many rows are independent.
fn held(chains: Chains, model: &Model) -> Vec<(&'static str, Vec<Constraint>, usize)> {
    let rng = &mut testing::rng(chains.long as u64 + 2);
    let link = |k: usize| model.find_body(&format!("link {k}")).expect("is there");
    let (tip, middle) = (link(chains.long - 1), link(chains.long / 2));
    let short = model.find_body(&format!("short {}", SHORT - 1)).expect("is there");
    let contact = Constraint::contact(tip, testing::vector(rng), testing::vector(rng)).with_gains(5.0, 0.5);
    let frame = Constraint::frame(middle, testing::transform(rng), None, testing::transform(rng)).with_gains(3.0, 2.0);
    let hinge = Revolute { axis: testing::axis(rng) };
    let of_loop = Constraint::joint(Some(middle), testing::transform(rng), tip, testing::transform(rng), hinge);
    let of_loop = of_loop.expect("can close a loop").with_gains(2.0, 1.0);
    let of_both = Constraint::point(short, testing::vector(rng), tip, testing::vector(rng)).with_gains(4.0, 1.0);
    let twice = vec![contact, contact.with_gains(9.0, 1.0)];
    vec![
        ("nothing", vec![], 0),
        ("contact", vec![contact], 3),
        ("contact and frame", vec![contact, frame], 9),
        ("loop", vec![of_loop], 5),
        ("both chains", vec![of_both], 3),
        ("contradiction", twice, 3),
    ]
}

/// Derivatives of a long chain's motions under constraints, along one random direction, are those of dual numbers. So
/// are motions and multipliers. What moves nothing of the short chain leaves exact zeros there.
#[test]
fn derivatives_of_a_held_long_chain_are_those_of_dual_numbers() {
    for chains in CHAINS {
        let model = chains.model();
        let ((q, v, tau), wrenches) = (testing::state(&model, 8), testing::wrenches(&model, 8));
        let ((_, dq, dv), (_, dtau, _)) = (testing::state(&model, 9), testing::state(&model, 10));
        let m = crba(&model, &mut Workspace::new(&model), &q).expect("valid").clone();
        let direction = [&dq, &dv, &dtau].map(|x| DVector::from_column_slice(x));
        let (moved, v_moved, tau_moved) =
            (testing::moved(&model, &q, &dq), testing::dual(&v, &dv), testing::dual(&tau, &dtau));
        let pushed: Vec<_> = wrenches.iter().map(|w| w.lift::<Dual64>()).collect();
        for (kind, list, rank) in held(chains, &model) {
            let ws = &mut Workspace::<Dual64>::new(&model);
            let by = constraint_dynamics(&model, ws, &moved, &v_moved, &tau_moved, &list, &pushed).expect("regular");
            let dual = [by.ddq.to_vec(), by.lambda.to_vec()];
            let by = impulse_dynamics(&model, ws, &moved, &v_moved, 0.3, &list).expect("regular");
            let struck = [by.v.to_vec(), by.impulse.to_vec()];
            for level in Level::available() {
                let near = |value: &DVector<f64>, derivative: DVector<f64>, dual: &[Dual64], which: &str| {
                    let what = format!("{chains:?}, {kind}, {level}: {which}");
                    let re: Vec<f64> = dual.iter().map(|x| x.re).collect();
                    assert_near(value.as_slice(), &re, tolerance(&m), &what);
                    assert_near(derivative.as_slice(), &testing::eps(dual), tolerance(&m), &what);
                };
                let (ws, method) = (&mut DerivativeWorkspace::new(&model), Method::Analytical);
                let by = with_level(level, || {
                    constraint_dynamics_derivatives(&model, ws, method, &q, &v, &tau, &list, &wrenches)
                        .expect("regular")
                });
                assert_eq!(by.rank, rank, "{chains:?}, {kind}, {level}");
                let along = |m: [&DMatrix<f64>; 3]| m[0] * &direction[0] + m[1] * &direction[1] + m[2] * &direction[2];
                near(&by.ddq, along([&by.ddq_dq, &by.ddq_dv, &by.ddq_dtau]), &dual[0], "accelerations");
                near(&by.lambda, along([&by.dlambda_dq, &by.dlambda_dv, &by.dlambda_dtau]), &dual[1], "multipliers");
                assert!(deviation(&by.ddq_dtau, &by.ddq_dtau.transpose()) < tolerance(&m), "{kind}, {level}");
                if !["both chains"].contains(&kind) {
                    for matrix in [&by.ddq_dq, &by.ddq_dv, &by.ddq_dtau] {
                        assert_apart(matrix, kind);
                    }
                }
                // By the equations of motion what a wrench does is what the torques of its Jacobian do.
                let (ddq, inner) = (by.ddq.as_slice(), &mut DerivativeWorkspace::new(&model));
                let torques = rnea_derivatives(&model, inner, method, &q, &v, ddq, &wrenches).expect("valid");
                let of_lambda = by.dlambda_df_ext.iter().map(|m| (m, &by.dlambda_dtau));
                let of_ddq = by.ddq_df_ext.iter().map(|m| (m, &by.ddq_dtau));
                let jacobians = torques.dtau_df_ext.iter().cycle();
                for ((found, by_torques), minus) in of_ddq.chain(of_lambda).zip(jacobians) {
                    assert!(deviation(found, &-(by_torques * minus)) < tolerance(&m), "{kind}, {level}");
                }
                let by = with_level(level, || {
                    impulse_dynamics_derivatives(&model, ws, method, &q, &v, 0.3, &list).expect("regular")
                });
                let along = |m: [&DMatrix<f64>; 2]| m[0] * &direction[0] + m[1] * &direction[1];
                near(&by.v, along([&by.dv_dq, &by.dv_dv]), &struck[0], "velocities");
                near(&by.impulse, along([&by.dimpulse_dq, &by.dimpulse_dv]), &struck[1], "impulses");
            }
        }
    }
}

/// Numbers that are too large are an error, never part of a result: velocities grow, or inertias shrink, in steps so
/// small that only some derivatives overflow on the way.
#[test]
fn numbers_of_a_long_chain_that_overflow_are_an_error() {
    let chains = CHAINS[0];
    let model = chains.model();
    let (q, v, _) = testing::state(&model, 6);
    let rest = vec![0.0; model.nv()];
    let mut wrenches = testing::wrenches(&model, 6);
    wrenches.iter_mut().for_each(|w| w.wrench = Force::zero());
    // Around where results end.
    let steps = |from: f64, step: f64| (0..40).map(move |k| 10f64.powf(from + step * f64::from(k)));
    let fast = steps(151.8, 0.02).map(|factor| (&model, v.iter().map(|v| v * factor).collect::<Vec<_>>()));
    let light: Vec<_> = steps(-307.7, -0.02).map(|factor| chains.of_weight(factor)).collect();
    let light = light.iter().map(|model| (model, rest.clone()));
    for level in Level::available() {
        let (mut results, mut errors) = ([0, 0], [0, 0]);
        for (kind, (model, v)) in fast.clone().map(|x| (0, x)).chain(light.clone().map(|x| (1, x))) {
            let (ws, method) = (&mut DerivativeWorkspace::new(model), Method::Analytical);
            let body = |of: BodyId| model.body_id(of.index()).expect("is there");
            let on: Vec<_> = wrenches.iter().map(|w| ExternalWrench { body: body(w.body), ..*w }).collect();
            match with_level(level, || aba_derivatives(model, ws, method, &q, &v, &rest, &on).cloned()) {
                Ok(by) => {
                    results[kind] += 1;
                    for m in [&by.ddq_dq, &by.ddq_dv, &by.ddq_dtau].into_iter().chain(&by.ddq_df_ext) {
                        assert!(m.iter().all(|x| x.is_finite()), "{level}, kind {kind}");
                    }
                }
                Err(_) => errors[kind] += 1,
            }
        }
        assert!(results.iter().chain(&errors).all(|n| *n > 0), "{level}: {results:?} results, {errors:?} errors");
    }
}

/// Trees that are too large for tables of pairs take time and memory in proportion to their bodies.
#[test]
fn a_chain_of_twenty_thousand_hinges_is_nothing_special() {
    const N: usize = 20_000;
    let mut builder = ModelBuilder::new("chain");
    let (mass, step) = (1e-3, 1e-3);
    let mut parent = None;
    for k in 0..N {
        let placement = Transform::from_translation(Vector3::new(if k == 0 { 0.0 } else { step }, 0.0, 0.0));
        let inertia = Inertia::new(mass, Vector3::zeros(), Symmetric3::diagonal(1e-9, 1e-9, 1e-9));
        let hinge = Revolute { axis: Axis::Y };
        parent = Some(
            builder.add_body(parent, format!("link{k}"), format!("joint{k}"), placement, hinge, inertia).expect("good"),
        );
    }
    let model = builder.build().expect("a chain");
    let mut ws = Workspace::new(&model);
    let zero = vec![0.0; N];
    let tau = rnea(&model, &mut ws, &zero, &zero, &zero, &[]).expect("runs");
    // Stretched out level: m g Σ x, about −y.
    for (k, tau) in tau.iter().enumerate().step_by(1999) {
        let links = f64::from(u32::try_from(N - 1 - k).expect("small"));
        let expected = -mass * 9.81 * step * links * (links + 1.0) / 2.0;
        assert!((tau - expected).abs() <= 1e-9 * expected.abs(), "{k}: {tau}, expected {expected}");
    }
    let held = tau.to_vec();
    let ddq = aba(&model, &mut ws, &zero, &zero, &held, &[]).expect("runs");
    assert!(ddq[0].abs() < 1.0, "{}", ddq[0]);
}
