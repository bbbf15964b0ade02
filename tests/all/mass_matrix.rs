//! The mass matrix: what inverse dynamics says, symmetry, definiteness, structure.

use gradyn::dynamics::{Workspace, bias, coriolis_matrix, crba, static_torque};
use gradyn::model::InputError;
use gradyn::once;
use gradyn::partials::{DerivativeWorkspace, Method, rnea_derivatives};
use testing::{assert_near, deviation, dual, models, state};

/// The mass matrix is the derivative of inverse dynamics by the accelerations.
#[test]
fn mass_matrix_is_the_derivative_of_inverse_dynamics() {
    for (what, model) in models() {
        let mut ws = Workspace::new(&model);
        let mut derivatives = DerivativeWorkspace::new(&model);
        for seed in 0..3 {
            let (q, v, a) = state(&model, seed);
            let found = crba(&model, &mut ws, &q).expect("runs");
            let by = rnea_derivatives(&model, &mut derivatives, Method::Dual, &q, &v, &a, &[]).expect("runs");
            // Sums along chains of up to sixty bodies: a few thousand roundings.
            let d = deviation(found, &by.dtau_da);
            assert!(d < 1e-12, "{what}, state {seed}: deviates by {d:e}");
            assert!(*found == once::crba(&model, &q).expect("runs"), "{what}");
        }
    }
}

/// Symmetric to the last bit, and no motion has negative energy. A massless base has motions without energy.
#[test]
fn mass_matrix_is_symmetric_and_not_negative() {
    for (what, model) in models() {
        let (q, ..) = state(&model, 5);
        let m = once::crba(&model, &q).expect("runs");
        assert!(m == m.transpose(), "{what}");
        let eigenvalues = m.symmetric_eigenvalues();
        assert!(eigenvalues.min() > -1e-14 * eigenvalues.max(), "{what}: {eigenvalues}");
    }
}

/// Degrees of freedom that move no two bodies of one path to the root do not couple: the entry is exactly zero.
#[test]
fn entries_between_branches_are_exactly_zero() {
    let mut zeros = 0;
    for (what, model) in models() {
        let (q, ..) = state(&model, 6);
        let m = once::crba(&model, &q).expect("runs");
        let id = |index| model.body_id(index).expect("is there");
        let mut coupled = nalgebra::DMatrix::from_element(model.nv(), model.nv(), false);
        for (i, a) in model.bodies().iter().enumerate() {
            for (j, b) in model.bodies().iter().enumerate() {
                if model.supports(id(i), id(j)) || model.supports(id(j), id(i)) {
                    a.v_range().for_each(|r| b.v_range().for_each(|c| coupled[(r, c)] = true));
                }
            }
        }
        for (x, coupled) in m.iter().zip(&coupled) {
            assert!(*coupled || *x == 0.0, "{what}: {x:e}");
            zeros += usize::from(!coupled);
        }
    }
    assert!(zeros > 1000, "the trees branch");
}

/// Over dual numbers the value is that over numbers, and the rate what differences along the motion converge to.
#[test]
fn rate_of_the_mass_matrix_by_dual_numbers() {
    for (what, model) in models() {
        let (q, v, _) = state(&model, 7);
        let mut rate = vec![0.0; model.nq()];
        model.q_dot_into(&q, &v, &mut rate).expect("fits");
        let m = once::crba(&model, &dual(&q, &rate)).expect("runs");
        let values: Vec<f64> = m.iter().map(|x| x.re).collect();
        let rates: Vec<f64> = m.iter().map(|x| x.eps).collect();
        // Over f64 eight joints at a time: sums in another order, some hundred roundings.
        testing::assert_near(&values, once::crba(&model, &q).expect("runs").as_slice(), 1e-13, &what);
        let h = 1e-5;
        let at = |t: f64| {
            let step: Vec<f64> = v.iter().map(|v| v * t).collect();
            once::crba(&model, &model.integrate(&q, &step).expect("fits")).expect("runs")
        };
        let difference = (at(h) - at(-h)) / (2.0 * h);
        // Rounding 1e-16 M / h and h² M''' together stay below 1e-7 of the largest entry, which counts as at least one;
        // the velocities of long chains make the third derivative some hundred times the matrix.
        let scale = values.iter().fold(1.0, |s: f64, x| s.max(x.abs()));
        let scaled = |x: &[f64]| x.iter().map(|x| x / scale).collect::<Vec<_>>();
        assert_near(&scaled(&rates), &scaled(difference.as_slice()), 1e-7, &what);
    }
}

/// `Ṁ − 2 C` is skew-symmetric, with `Ṁ` by dual numbers, and `C v` is the bias without gravity, springs and friction.
#[test]
fn coriolis_matrix_is_half_the_rate_of_the_mass_matrix_but_for_a_skew_part() {
    for (what, model) in models() {
        let model = model.with_joint_friction(false);
        let mut ws = Workspace::new(&model);
        for seed in 0..2 {
            let (q, v, _) = state(&model, seed);
            let c = coriolis_matrix(&model, &mut ws, &q, &v).expect("runs").clone();
            let rate = once::crba(&model, &testing::moved(&model, &q, &v)).expect("runs").map(|x| x.eps);
            let d = deviation(&(&c + c.transpose()), &rate);
            // Products of velocities, which grow along chains, cancel in the sum: some thousand roundings.
            assert!(d < 1e-12, "{what}, state {seed}: off by {d:e}");
            let still = static_torque(&model, &mut ws, &q, &[]).expect("runs").to_vec();
            let torques = bias(&model, &mut ws, &q, &v, &[]).expect("runs").to_vec();
            let sum = &c * nalgebra::DVector::from_vec(v) + nalgebra::DVector::from_vec(still);
            assert_near(sum.as_slice(), &torques, 1e-12, &what);
        }
    }
}

/// Misuse is named.
#[test]
fn errors_name_what_is_wrong() {
    let model = testing::tree_of_every_joint(1);
    let other = testing::tree_of(5, 1);
    let (mut q, ..) = state(&model, 8);
    let error = crba(&model, &mut Workspace::new(&model), &q[1..]).expect_err("short");
    assert!(error.to_string().contains("`q`"), "{error}");
    let error = crba(&model, &mut Workspace::new(&other), &q).expect_err("another model's");
    assert!(matches!(error, InputError::Workspace { .. }), "{error}");
    q[3] = f64::NAN;
    let error = crba(&model, &mut Workspace::new(&model), &q).expect_err("not a number");
    assert!(matches!(error, InputError::NotFinite { what: "q", index: 3, .. }), "{error}");
}
