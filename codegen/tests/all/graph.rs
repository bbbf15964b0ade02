//! Derivatives of graphs, beside those of dual numbers.

use gradyn::Real;
use gradyn::num_dual::Dual64;
use gradyn_codegen::{Function, Port};
use testing::{numbers, rng};

/// Everything that a number can do, once.
fn f<T: Real>(x: T, y: T) -> [T; 6] {
    let (s, c) = x.sin_cos();
    [
        s * y + c / (y * y + 1.0),
        (x * x + 0.5).sqrt() * y.exp() - (x * 0.1).exp_m1(),
        (x * x + 2.0).ln() + (x * 0.3).asin() - (y * 0.2).acos() * x,
        x.atan2(y) + (x * y).atan() - y.abs() * x,
        x.select_less(y, x * y, y - x) + x.min(y) * 2.0 + x.max(y).tanh(),
        -x.recip() + x.powi(3) * y.smooth_abs(0.3),
    ]
}

#[test]
fn derivatives_of_every_operation() {
    let function = Function::record("f", vec![Port::vector("x", 1), Port::vector("y", 1)], |x| {
        Ok(vec![(Port::vector("z", 6), f(x[0][0], x[1][0]).to_vec())])
    });
    let function = function.expect("is recorded");
    let jacobian = function.jacobian("jac_f");
    assert_eq!(jacobian.outputs()[1].port, Port::new("jac_z_y", 6, 1));
    for seed in 0..200 {
        let at = numbers(&mut rng(seed), 2);
        let (x, y) = (2.0 * at[0], 2.0 * at[1]);
        let values = function.evaluate(&[&[x], &[y]]).expect("fits").remove(0);
        let by = jacobian.evaluate(&[&[x], &[y]]).expect("fits");
        let along_x = f(Dual64::new(x, 1.0), Dual64::new(y, 0.0));
        let along_y = f(Dual64::new(x, 0.0), Dual64::new(y, 1.0));
        for k in 0..6 {
            // Some operations each, in another order.
            let near = |found: f64, expected: f64| (found - expected).abs() <= 1e-13 * (1.0 + expected.abs());
            assert!(near(values[k], along_x[k].re), "{k}, {x}, {y}: {} {}", values[k], along_x[k].re);
            assert!(near(by[0][k], along_x[k].eps), "{k} by x, {x}, {y}: {} {}", by[0][k], along_x[k].eps);
            assert!(near(by[1][k], along_y[k].eps), "{k} by y, {x}, {y}: {} {}", by[1][k], along_y[k].eps);
        }
    }
}

#[test]
fn second_derivatives_by_doing_it_twice() {
    let function = Function::record("f", vec![Port::vector("x", 2)], |x| {
        Ok(vec![(Port::vector("z", 1), vec![x[0][0].sin() * x[0][1] * x[0][1]])])
    });
    let twice = function.expect("is recorded").jacobian("j").jacobian("h");
    let (x, y) = (0.7_f64, 1.3);
    let found = twice.evaluate(&[&[x, y]]).expect("fits").remove(0);
    let expected = [-x.sin() * y * y, 2.0 * x.cos() * y, 2.0 * x.cos() * y, 2.0 * x.sin()];
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-14, "{found} {expected}");
    }
}
