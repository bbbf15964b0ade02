//! The Hessian of `λᵀ q̈` times a direction: by dual numbers and by differences, in memory of earlier calls, and what
//! errors name. By the whole Hessian: `second_order_forward.rs`.

use gradyn::dynamics::{ExternalWrench, Workspace, aba_gradient};
use gradyn::model::{InputError, Model};
use gradyn::once;
use gradyn::partials::{
    AbaHessianProduct, Method, SecondOrderWorkspace, aba_hessian, aba_hessian_product, aba_second_derivatives,
};
use gradyn_derivatives::difference::{self, Euclidean, along};
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::{Level, with_level};
use testing::{
    SINGULAR, assert_near, assert_same, condition, dual, eps, lift, models, moved, regular, state, wrenches,
};

/// A state, weights and a direction: `q`, `v`, `τ`, `λ`, `δq`, `δv`, `δτ`.
#[derive(Clone, Debug)]
struct At([Vec<f64>; 7]);

const NAMES: [&str; 7] = ["q", "v", "tau", "lambda", "along_q", "along_v", "along_tau"];

impl At {
    fn random(model: &Model, seed: u64) -> Self {
        let ((q, v, tau), (_, lambda, along_q)) = (state(model, seed), state(model, seed + 100));
        let (_, along_v, along_tau) = state(model, seed + 200);
        Self([q, v, tau, lambda, along_q, along_v, along_tau])
    }

    fn product<'w>(
        &self,
        model: &Model,
        ws: &'w mut SecondOrderWorkspace,
        f_ext: &[ExternalWrench],
    ) -> Result<&'w AbaHessianProduct, InputError> {
        let [q, v, tau, lambda, along_q, along_v, along_tau] = &self.0;
        aba_hessian_product(model, ws, q, v, tau, lambda, along_q, along_v, along_tau, f_ext)
    }

    /// In new memory.
    fn once(&self, model: &Model, f_ext: &[ExternalWrench]) -> [Vec<f64>; 3] {
        vectors(self.product(model, &mut SecondOrderWorkspace::new(model), f_ext).expect("valid"))
    }

    /// One gradient over dual numbers.
    fn by_duals(&self, model: &Model, f_ext: &[ExternalWrench]) -> [Vec<f64>; 3] {
        let [q, v, tau, lambda, along_q, along_v, along_tau] = &self.0;
        let (q, v, tau) = (moved(model, q, along_q), dual(v, along_v), dual(tau, along_tau));
        let f_ext: Vec<_> = f_ext.iter().map(ExternalWrench::lift::<Dual64>).collect();
        let mut ws = Workspace::<Dual64>::new(model);
        let by = aba_gradient(model, &mut ws, &q, &v, &tau, &lift::<Dual64>(lambda), &f_ext).expect("valid");
        [by.dq, by.dv, by.dtau].map(eps)
    }
}

fn vectors(by: &AbaHessianProduct) -> [Vec<f64>; 3] {
    [&by.dq, &by.dv, &by.dtau].map(|x| x.as_slice().to_vec())
}

/// What two ways to the same number may differ by, of the largest entry: a hundred thousand roundings, which solving
/// with the mass matrix makes larger by its condition number; never less than 1e-9. Dual numbers divide twice by pivots
/// that are differences.
fn rounding(model: &Model, q: &[f64]) -> f64 {
    let m = once::crba(model, q).expect("runs");
    (1e5 * f64::EPSILON * condition(&m)).max(1e-9)
}

#[track_caller]
fn assert_all_near(found: &[Vec<f64>; 3], expected: &[Vec<f64>; 3], tolerance: f64, what: &str) {
    for ((found, expected), name) in found.iter().zip(expected).zip(["dq", "dv", "dtau"]) {
        assert_near(found, expected, tolerance, format!("{what}: {name}"));
    }
}

/// As dual numbers give it, along all at once and along each alone, with and without wrenches, at rest too, at every
/// level.
#[test]
fn products_are_gradients_over_dual_numbers() {
    for (what, model) in regular() {
        let (at, f_ext) = (At::random(&model, 3), wrenches(&model, 3));
        let tolerance = rounding(&model, &at.0[0]);
        let mut cases = vec![("all", at.clone(), &f_ext[..]), ("no wrench", at.clone(), &[])];
        for (name, zeros) in [
            ("along q", &[5, 6][..]),
            ("along v", &[4, 6]),
            ("along tau", &[4, 5]),
            ("at rest", &[1]),
            ("nothing moves", &[1, 4, 5, 6]),
            ("no weight", &[3]),
        ] {
            let mut at = at.clone();
            zeros.iter().for_each(|k| at.0[*k].fill(0.0));
            cases.push((name, at, &f_ext));
        }
        for (name, at, f_ext) in cases {
            let expected = at.by_duals(&model, f_ext);
            for level in Level::available() {
                let found = with_level(level, || at.once(&model, f_ext));
                assert_all_near(&found, &expected, tolerance, &format!("{what}, {name}, {level}"));
            }
            if ["nothing moves", "no weight"].contains(&name) {
                assert!(expected.iter().flatten().all(|x| *x == 0.0), "{what}, {name}");
            }
        }
    }
}

/// As extrapolated differences of the gradient give it.
#[test]
fn products_are_differences_of_gradients() {
    for (what, model) in regular() {
        let (at, f_ext, nv) = (At::random(&model, 5), wrenches(&model, 5), model.nv());
        let [q, v, tau, lambda, along_q, along_v, along_tau] = &at.0;
        let mut ws = Workspace::new(&model);
        let path = |t: f64, out: &mut [f64]| {
            let step = |x: &[f64], dx: &[f64]| x.iter().zip(dx).map(|(x, dx)| x + t * dx).collect::<Vec<f64>>();
            let q = model.integrate(q, &step(&vec![0.0; nv], along_q)).expect("fits");
            let (v, tau) = (step(v, along_v), step(tau, along_tau));
            let by = aba_gradient(&model, &mut ws, &q, &v, &tau, lambda, &f_ext).expect("valid");
            out.copy_from_slice(&[by.dq, by.dv, by.dtau].concat());
        };
        let by = along(difference::Method::ridders(), &Euclidean(3 * nv), path).expect("runs").value;
        let expected = [0, 1, 2].map(|k| by[k * nv..][..nv].to_vec());
        // Ridders' table loses some three digits of the gradients.
        assert_all_near(&at.once(&model, &f_ext), &expected, 1e3 * rounding(&model, q), &what);
    }
}

/// Memory keeps nothing of earlier calls: of other states, of other functions, of calls that failed, of a model that
/// has changed.
#[test]
fn the_same_bits_whatever_came_before() {
    for (what, model) in regular() {
        let (at, other, f_ext) = (At::random(&model, 6), At::random(&model, 7), wrenches(&model, 6));
        let body = model.body_id(model.bodies().len() - 1).expect("is there");
        let mut heavier = *model.bodies()[body.index()].inertia();
        heavier.mass = 2.0 * heavier.mass + 0.1;
        let changed = model.clone().with_inertia(body, heavier).expect("is there");
        let changed = changed.with_gravity([0.1, 0.2, -1.6].into());
        let expected = [&model, &changed].map(|model| at.once(model, &f_ext));
        assert!(expected[0] != expected[1], "{what}: parameters matter");
        let mut ws = SecondOrderWorkspace::new(&model);
        for round in 0..3 {
            for (model, expected) in [&model, &changed].into_iter().zip(&expected) {
                let found = vectors(at.product(model, &mut ws, &f_ext).expect("valid"));
                for (found, expected) in found.iter().zip(expected) {
                    assert_same(found, expected, format!("{what}, round {round}"));
                }
                other.product(model, &mut ws, &[]).expect("valid");
                let [q, v, tau, lambda, ..] = &other.0;
                aba_hessian(model, &mut ws, Method::Analytical, q, v, tau, lambda, &[]).expect("valid");
                if model.nv() < 30 {
                    aba_second_derivatives(model, &mut ws, Method::Analytical, q, v, tau, &[]).expect("valid");
                }
                let mut bad = other.clone();
                bad.0[3].fill(f64::MAX);
                bad.0[4].fill(f64::MAX);
                bad.product(model, &mut ws, &f_ext).expect_err("too large");
            }
        }
    }
}

/// Lengths, numbers that are none, another model's memory.
#[test]
fn wrong_arguments_are_named() {
    for (what, model) in regular() {
        let (at, mut ws) = (At::random(&model, 8), SecondOrderWorkspace::new(&model));
        for (k, name) in NAMES.into_iter().enumerate() {
            let mut long = at.clone();
            long.0[k].push(0.0);
            let error = long.product(&model, &mut ws, &[]).expect_err("too long");
            assert!(matches!(error, InputError::Length { what, .. } if what == name), "{what}: {name}: {error}");
            for number in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut bad = at.clone();
                *bad.0[k].last_mut().expect("moves") = number;
                let error = bad.product(&model, &mut ws, &[]).expect_err("no number");
                // Of a length that is no number, of a quaternion, that is said.
                let quaternion = k == 0 && matches!(error, InputError::NotNormalized { .. });
                let named = matches!(error, InputError::NotFinite { what, .. } if what == name);
                assert!(named || quaternion, "{what}: {name} = {number}: {error}");
            }
        }
        let mut f_ext = wrenches(&model, 8);
        f_ext[1].wrench.linear.x = f64::NAN;
        assert!(at.product(&model, &mut ws, &f_ext).is_err(), "{what}: wrench");
    }
    let (small, large) = (testing::tree_of(9, 9), testing::tree_of(60, 60));
    for (of, model) in [(&small, &large), (&large, &small)] {
        let mut ws = SecondOrderWorkspace::new(of);
        At::random(of, 8).product(of, &mut ws, &[]).expect("its own");
        let error = At::random(model, 8).product(model, &mut ws, &[]).expect_err("another's");
        assert!(matches!(error, InputError::Workspace { .. }), "{error}");
    }
}

/// A mass matrix that cannot be inverted is named by a joint.
#[test]
fn singular_mass_matrices_are_named() {
    let singular = models().into_iter().filter(|(what, _)| SINGULAR.contains(&what.as_str()));
    let mut all = 0;
    for (what, model) in singular {
        let mut ws = SecondOrderWorkspace::new(&model);
        for _ in 0..2 {
            let error = At::random(&model, 9).product(&model, &mut ws, &[]).expect_err("singular");
            assert!(matches!(error, InputError::SingularMassMatrix { .. }), "{what}: {error}");
        }
        all += 1;
    }
    assert_eq!(all, SINGULAR.len());
}

/// Finite arguments that are too large: there is no result that is not finite, and no argument is said not to be.
#[test]
fn too_large_numbers_overflow_by_name() {
    let (mut overflows, mut results) = (0, 0);
    for (what, model) in regular() {
        let (at, mut ws) = (At::random(&model, 10), SecondOrderWorkspace::new(&model));
        let f_ext = wrenches(&model, 10);
        for (k, name) in NAMES.into_iter().enumerate().skip(1) {
            for number in [1e100, 1e155, 1e200, 1e300, f64::MAX] {
                for both in [false, true] {
                    let mut large = at.clone();
                    large.0[k].fill(number);
                    if both {
                        large.0[3].fill(number);
                    }
                    match large.product(&model, &mut ws, &f_ext) {
                        Ok(by) => {
                            results += 1;
                            let finite = vectors(by).iter().flatten().all(|x| x.is_finite());
                            assert!(finite, "{what}: {name} = {number}: not finite");
                        }
                        Err(InputError::Overflow { .. }) => overflows += 1,
                        Err(error) => panic!("{what}: {name} = {number}: {error}"),
                    }
                }
            }
        }
    }
    assert!(overflows > 500 && results > 500, "{overflows} overflow, {results} do not");
}
