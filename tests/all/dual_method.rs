//! [`Method::Dual`] is the algorithm over dual numbers and nothing else: it has the bits of [`rnea`] over dual numbers,
//! one direction after the other through the whole robot, where registers round products and sums one by one as `f64`
//! does. No formula for a derivative can have these bits: those of the analytical method have others. And over the dual
//! numbers of `num-dual`, whose products are rounded in another order, the same to rounding.

use gradyn::dynamics::{ExternalWrench, Workspace, rnea};
use gradyn::model::Model;
use gradyn::partials::{DerivativeWorkspace, Method, RneaDerivatives, rnea_derivatives};
use gradyn::spatial::Force;
use gradyn_derivatives::num_dual::Dual64;
use gradyn_derivatives::simd::with_level;
use gradyn_derivatives::{Level, Scalar};
use nalgebra::{DMatrix, Vector3};
use testing::{lift, state, unit, wrenches};

/// A value and one derivative, as the registers have eight.
type Dual = gradyn_derivatives::Dual<f64, f64>;

/// Numbers with one derivative.
trait Numbers: Scalar {
    fn of(x: f64, dx: f64) -> Self;
    fn derivative(&self) -> f64;
}

impl Numbers for Dual {
    fn of(x: f64, dx: f64) -> Self {
        Self::new(x, dx)
    }
    fn derivative(&self) -> f64 {
        self.eps
    }
}

impl Numbers for Dual64 {
    fn of(x: f64, dx: f64) -> Self {
        Self::new(x, dx)
    }
    fn derivative(&self) -> f64 {
        self.eps
    }
}

fn vary<T: Numbers>(x: &[f64], dx: &[f64]) -> Vec<T> {
    x.iter().zip(dx).map(|(x, dx)| T::of(*x, *dx)).collect()
}

/// The derivatives, a column after the other.
fn one_by_one<T: Numbers>(
    model: &Model,
    (q, v, a): (&[f64], &[f64], &[f64]),
    wrenches: &[ExternalWrench],
) -> Vec<DMatrix<f64>> {
    let (nv, mut ws) = (model.nv(), Workspace::<T>::new(model));
    let lifted: Vec<ExternalWrench<T>> = wrenches.iter().map(ExternalWrench::lift).collect();
    let mut along = |q: &[T], v: &[T], a: &[T], wrenches: &[ExternalWrench<T>]| {
        let tau = rnea(model, &mut ws, q, v, a, wrenches).expect("runs");
        tau.iter().map(T::derivative).collect::<Vec<_>>()
    };
    let mut matrices = Vec::new();
    for by in 0..3 {
        let columns = (0..nv).flat_map(|k| {
            let e = unit(nv, k);
            let mut rate = vec![0.0; q.len()];
            model.q_dot_into(q, &e, &mut rate).expect("fits");
            match by {
                0 => along(&vary(q, &rate), &lift(v), &lift(a), &lifted),
                1 => along(&lift(q), &vary(v, &e), &lift(a), &lifted),
                _ => along(&lift(q), &lift(v), &vary(a, &e), &lifted),
            }
        });
        matrices.push(DMatrix::from_iterator(nv, nv, columns));
    }
    for w in 0..wrenches.len() {
        let columns = (0..6).flat_map(|k| {
            let x: Vec<T> = vary(&testing::force(wrenches[w].wrench), &unit(6, k));
            let mut varied = lifted.clone();
            varied[w].wrench = Force::new(Vector3::new(x[0], x[1], x[2]), Vector3::new(x[3], x[4], x[5]));
            along(&lift(q), &lift(v), &lift(a), &varied)
        });
        matrices.push(DMatrix::from_iterator(nv, 6, columns));
    }
    matrices
}

/// Another number; zero has two signs.
fn differs(x: f64, y: f64) -> bool {
    (x + 0.0).to_bits() != (y + 0.0).to_bits()
}

fn all(by: &RneaDerivatives) -> Vec<DMatrix<f64>> {
    by.matrices().into_iter().map(|(_, m)| m.clone()).chain(by.dtau_df_ext.iter().cloned()).collect()
}

/// On every kind of joint, mimic joints, and robots, under wrenches in both frames and without.
#[test]
fn it_has_the_bits_of_inverse_dynamics_over_dual_numbers() {
    let (mut entries, mut analytical_differs) = (0, 0);
    for (seed, (name, model)) in testing::models().into_iter().enumerate() {
        let (q, v, a) = state(&model, seed as u64);
        for wrenches in [wrenches(&model, seed as u64), Vec::new()] {
            let at = (&q[..], &v[..], &a[..]);
            let (own, other) = (one_by_one::<Dual>(&model, at, &wrenches), one_by_one::<Dual64>(&model, at, &wrenches));
            for level in Level::available() {
                let mut ws = DerivativeWorkspace::new(&model);
                let mut by = |method| {
                    with_level(level, || {
                        rnea_derivatives(&model, &mut ws, method, &q, &v, &a, &wrenches).expect("runs").clone()
                    })
                };
                let found = all(&by(Method::Dual));
                assert_eq!(found.len(), own.len());
                for (k, ((found, own), other)) in found.iter().zip(&own).zip(&other).enumerate() {
                    let what = format!("{name}, {level}: matrix {k} of q, v, a, wrenches");
                    if level == Level::Plain {
                        let differ = found.iter().zip(own).filter(|(x, y)| differs(**x, **y)).count();
                        assert_eq!(differ, 0, "{what}: {differ} of {} entries", own.len());
                        entries += found.len();
                    }
                    // Sums of some hundred terms, in another order or with a rounding less for each.
                    testing::assert_near(found.as_slice(), other.as_slice(), 1e-13, what);
                }
                if level == Level::Plain {
                    let others = all(&by(Method::Analytical));
                    let pairs = others.iter().zip(&own).flat_map(|(x, y)| x.iter().zip(y));
                    analytical_differs += pairs.filter(|(x, y)| differs(**x, **y)).count();
                }
            }
        }
    }
    assert!(entries > 10_000 && analytical_differs > entries / 10, "{analytical_differs} of {entries}");
}
