//! The form over `f64`, eight joints at a time, is the plain form.

use gradyn::dynamics::{
    Workspace, aba, bias, coriolis_matrix, crba, factorize_mass_matrix, kinetic_energy, minv, rnea,
};
use gradyn::joint::{Axis, FreeFlyer, Revolute};
use gradyn::model::{DofDynamics, InputError, Model, ModelBuilder};
use gradyn::partials::{DerivativeWorkspace, Method, rnea_derivatives};
use gradyn::spatial::{Inertia, Symmetric3, Transform};
use gradyn_derivatives::Level;
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::with_level;
use nalgebra::Vector3;

/// All models, and more on a floating base.
fn models() -> impl Iterator<Item = (String, Model)> {
    testing::models().into_iter().chain(testing::afloat())
}

/// Torques over `f64` are those over dual numbers, which go through the plain form, at every level.
#[test]
fn torques_are_those_of_the_plain_form() {
    for (what, model) in models() {
        for seed in 0..3 {
            let ((q, v, a), wrenches) = (testing::state(&model, seed), testing::wrenches(&model, seed));
            let lifted: Vec<_> = wrenches.iter().map(|w| w.lift::<Dual64>()).collect();
            let lift = |x: &[f64]| testing::lift::<Dual64>(x);
            let mut ws = Workspace::<Dual64>::new(&model);
            let plain = rnea(&model, &mut ws, &lift(&q), &lift(&v), &lift(&a), &lifted).expect("valid");
            let plain: Vec<f64> = plain.iter().map(|x| x.re).collect();
            for level in Level::available() {
                let mut ws = Workspace::<f64>::new(&model);
                let found = with_level(level, || rnea(&model, &mut ws, &q, &v, &a, &wrenches).expect("valid").to_vec());
                // Sums in another order, about another point: some hundred roundings.
                testing::assert_near(&found, &plain, 1e-12, format!("{what}, state {seed}, {level}"));
            }
        }
    }
}

/// Analytical derivatives are those by dual numbers, which know nothing of this form, at every level.
#[test]
fn derivatives_are_those_by_dual_numbers() {
    for (what, model) in models() {
        for seed in 0..2 {
            let ((q, v, a), wrenches) = (testing::state(&model, seed), testing::wrenches(&model, seed));
            let mut ws = DerivativeWorkspace::new(&model);
            let by = |ws: &mut DerivativeWorkspace, method| {
                rnea_derivatives(&model, ws, method, &q, &v, &a, &wrenches).expect("valid").clone()
            };
            let dual = by(&mut ws, Method::Dual);
            for level in Level::available() {
                let mut ws = DerivativeWorkspace::new(&model);
                let found = with_level(level, || by(&mut ws, Method::Analytical));
                let what = format!("{what}, state {seed}, {level}");
                // Some thousand roundings of numbers that grow along chains.
                testing::assert_near(found.tau.as_slice(), dual.tau.as_slice(), 1e-12, format!("{what}: tau"));
                let wrenches = found.dtau_df_ext.iter().zip(&dual.dtau_df_ext).map(|(x, y)| ("dtau_df_ext", x, y));
                let matrices =
                    found.matrices().into_iter().zip(dual.matrices()).map(|((name, x), (_, y))| (name, x, y));
                for (name, x, y) in matrices.chain(wrenches) {
                    let off = testing::deviation(x, y);
                    assert!(off < 1e-12, "{what}: {name} deviates by {off:e}");
                }
            }
        }
    }
}

/// What comes of the mass matrix over `f64` is what comes of it over dual numbers, which go through the plain forms, at
/// every level; and it is symmetric to the bit.
#[test]
fn the_mass_matrix_and_what_comes_of_it_are_those_of_the_plain_forms() {
    for (what, model) in models() {
        let ((q, v, tau), wrenches) = (testing::state(&model, 5), testing::wrenches(&model, 5));
        let lift = |x: &[f64]| testing::lift::<Dual64>(x);
        let lifted: Vec<_> = wrenches.iter().map(|w| w.lift::<Dual64>()).collect();
        let values = |x: &[Dual64]| x.iter().map(|x| x.re).collect::<Vec<_>>();
        let (q_dual, v_dual) = (lift(&q), lift(&v));
        let mut plain = Workspace::<Dual64>::new(&model);
        let mass = values(crba(&model, &mut plain, &q_dual).expect("valid").as_slice());
        let coriolis = values(coriolis_matrix(&model, &mut plain, &q_dual, &v_dual).expect("valid").as_slice());
        let torques = values(bias(&model, &mut plain, &q_dual, &v_dual, &lifted).expect("valid"));
        let inverse = minv(&model, &mut plain, &q_dual).map(|m| values(m.as_slice()));
        let ddq = aba(&model, &mut plain, &q_dual, &v_dual, &lift(&tau), &lifted).map(values);
        for level in Level::available() {
            let what = format!("{what}, {level}");
            let ws = &mut Workspace::<f64>::new(&model);
            // Sums in another order: some hundred roundings of the largest entry.
            let m = with_level(level, || crba(&model, ws, &q).expect("valid").clone());
            assert_eq!(m, m.transpose(), "{what}");
            testing::assert_near(m.as_slice(), &mass, 1e-13, format!("{what}: mass matrix"));
            let found = with_level(level, || coriolis_matrix(&model, ws, &q, &v).expect("valid").clone());
            testing::assert_near(found.as_slice(), &coriolis, 1e-12, format!("{what}: Coriolis matrix"));
            let found = with_level(level, || bias(&model, ws, &q, &v, &wrenches).expect("valid").to_vec());
            testing::assert_near(&found, &torques, 1e-12, format!("{what}: bias"));
            // A thousand roundings, each as bad as M is conditioned.
            let tolerance = || 1000.0 * f64::EPSILON * testing::condition(&m);
            let found = with_level(level, || minv(&model, ws, &q).cloned());
            match (&inverse, found) {
                (Ok(inverse), Ok(found)) => {
                    assert_eq!(found, found.transpose(), "{what}");
                    testing::assert_near(found.as_slice(), inverse, tolerance(), format!("{what}: inverse"));
                    // M = Lᵀ D L by the same factors.
                    let factors = with_level(level, || factorize_mass_matrix(&model, ws, &q).expect("regular"));
                    let (l, d) = (factors.unit_lower(), nalgebra::DVector::from_vec(factors.diagonal()));
                    let product = l.transpose() * nalgebra::DMatrix::from_diagonal(&d) * l;
                    testing::assert_near(product.as_slice(), m.as_slice(), 1e-13, format!("{what}: factors"));
                }
                (Err(plain), Err(found)) => assert_eq!(*plain, found, "{what}"),
                (plain, found) => panic!("{what}: {found:?} instead of {plain:?}"),
            }
            let found = with_level(level, || aba(&model, ws, &q, &v, &tau, &wrenches).map(<[f64]>::to_vec));
            match (&ddq, found) {
                (Ok(ddq), Ok(found)) => {
                    testing::assert_near(&found, ddq, tolerance(), format!("{what}: accelerations"))
                }
                (Err(plain), Err(found)) => assert_eq!(*plain, found, "{what}"),
                (plain, found) => panic!("{what}: {found:?} instead of {plain:?}"),
            }
        }
    }
}

/// Joint dynamics that are given in two halves, of which one has no lane to stand in, are what they are in one piece.
#[test]
fn joint_dynamics_in_halves_add_up() {
    for (what, model) in models() {
        let half = |dof: &DofDynamics| {
            let [armature, damping, friction] = [dof.armature, dof.damping, dof.friction].map(|x| 0.5 * x);
            DofDynamics { armature, damping, friction, ..*dof }
        };
        let halves = model.joint_dynamics().iter().flat_map(|dof| [half(dof), half(dof)]).collect();
        let halves = model.clone().with_joint_dynamics(halves).expect("fits");
        let ((q, v, a), wrenches) = (testing::state(&model, 6), testing::wrenches(&model, 6));
        let by = |model: &Model| {
            let (ws, mut derivatives) = (&mut Workspace::<f64>::new(model), DerivativeWorkspace::new(model));
            let tau = rnea(model, ws, &q, &v, &a, &wrenches).expect("valid").to_vec();
            let mass = crba(model, ws, &q).expect("valid").as_slice().to_vec();
            let energy = kinetic_energy(model, ws, &q, &v).expect("valid");
            let by = rnea_derivatives(model, &mut derivatives, Method::Analytical, &q, &v, &a, &[]).expect("valid");
            [tau, mass, vec![energy], by.dtau_dv.as_slice().to_vec(), by.dtau_da.as_slice().to_vec()]
        };
        for (found, whole) in by(&halves).iter().zip(&by(&model)) {
            // Half of each is exact; sums come in another order.
            testing::assert_near(found, whole, 1e-14, &what);
        }
    }
}

/// The force on a base is finite along the axes of the world, and along its own axes not.
#[test]
fn a_torque_of_a_base_that_overflows_is_an_error() {
    let mut builder = ModelBuilder::new("askew");
    builder.set_gravity(Vector3::zeros());
    let of = |mass: f64| Inertia::new(mass, Vector3::zeros(), Symmetric3::diagonal(mass, mass, mass));
    let mut last = builder.add_body(None, "base", "root", Transform::identity(), FreeFlyer, of(1.4)).expect("fits");
    for k in 0..7 {
        let (body, joint) = (format!("body{k}"), format!("hinge{k}"));
        let hinge = Revolute { axis: Axis::Y };
        last = builder.add_body(Some(last), body, joint, Transform::identity(), hinge, of(1e-9)).expect("fits");
    }
    let model = builder.build().expect("builds");
    let (mut q, v, mut a) = (model.neutral(), vec![0.0; model.nv()], vec![0.0; model.nv()]);
    // An eighth of a turn about z.
    (q[5], q[6]) = std::f64::consts::FRAC_PI_8.sin_cos();
    let mut by = |x: f64, level| {
        a[0] = x;
        let mut ws = Workspace::<f64>::new(&model);
        with_level(level, || rnea(&model, &mut ws, &q, &v, &a, &[]).map(<[f64]>::to_vec))
    };
    for level in Level::available() {
        testing::assert_near(&by(1.2e308, level).expect("is finite")[..1], &[1.4 * 1.2e308], 1e-7, level);
        let error = by(1.5e308, level).expect_err("2.1e308 is no number");
        assert!(matches!(error, InputError::Overflow { .. }), "{level}: {error}");
    }
}
