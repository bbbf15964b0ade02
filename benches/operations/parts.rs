//! What inverse dynamics is made of, timed part by part.

use crate::states;
use gradyn::dynamics::{Workspace, rnea};
use gradyn::joint::{Axis, Revolute};
use gradyn::model::{Model, ModelBuilder};
use gradyn::spatial::{Inertia, Symmetric3, Transform};
use gradyn_derivatives::simd::{Kernel, Register, WIDTH, dispatch};
use gradyn_derivatives::{Lanes, Real};
use nalgebra::{Matrix3, Vector3};
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The least time of a call in nanoseconds.
fn least(mut call: impl FnMut()) -> f64 {
    let mut sample = |calls: u32| {
        let start = Instant::now();
        for _ in 0..calls {
            call();
        }
        start.elapsed()
    };
    let mut calls = 1;
    while sample(calls) < Duration::from_micros(50) {
        calls *= 2;
    }
    let times = (0..200).map(|_| sample(calls).as_secs_f64() * 1e9 / f64::from(calls));
    times.fold(f64::INFINITY, f64::min)
}

/// Sines and cosines of registers full of angles.
struct Sines<'a>(&'a [[f64; WIDTH]], &'a mut [[f64; WIDTH]]);

impl Kernel for Sines<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let mut k = 0;
        while k < self.0.len() {
            let (sin, cos) = Lanes(R::from_array(self.0[k])).sin_cos();
            self.1[2 * k] = sin.0.to_array();
            self.1[2 * k + 1] = cos.0.to_array();
            k += 1;
        }
    }
}

/// `n` equal links, one after the other.
fn chain(n: usize) -> Model {
    let mut builder = ModelBuilder::new("chain");
    let link = Inertia::new(1.0, Vector3::new(0.01, 0.02, 0.05), Symmetric3::diagonal(0.01, 0.02, 0.015));
    let (sin, cos) = 0.3_f64.sin_cos();
    let turned = Matrix3::new(1.0, 0.0, 0.0, 0.0, cos, -sin, 0.0, sin, cos);
    let place = Transform::new(turned, Vector3::new(0.02, 0.01, 0.1));
    let mut parent = None;
    for k in 0..n {
        let hinge = Revolute { axis: Axis::Z };
        let body = builder.add_body(parent, format!("link{k}"), format!("joint{k}"), place, hinge, link);
        parent = Some(body.expect("a link"));
    }
    builder.build().expect("a chain")
}

fn time_rnea(model: &Model) -> f64 {
    let (q, v) = states(model);
    let ws = &mut Workspace::<f64>::new(model);
    least(|| {
        black_box(rnea(model, ws, black_box(&q), black_box(&v), black_box(&v), &[]).expect("finite"));
    })
}

/// Of a robot's inverse dynamics, in nanoseconds.
pub(crate) fn of_robot(model: &Model) -> String {
    let (q, v) = states(model);
    let angles = vec![[0.3; WIDTH]; model.nv().div_ceil(WIDTH)];
    let mut found = vec![[0.0; WIDTH]; 2 * angles.len()];
    let sines = least(|| dispatch(Sines(black_box(&angles), black_box(&mut found))));
    let tau = v.clone();
    let finite = least(|| {
        let all = [black_box(&q), black_box(&v), black_box(&v), black_box(&tau)];
        black_box(all.into_iter().flatten().all(|x| x.is_finite()));
    });
    format!(r#"{{"rnea": {:.2}, "sines": {sines:.2}, "finite": {finite:.2}}}"#, time_rnea(model))
}

/// Of chains with so many joints, in nanoseconds: none, one, then one and two full registers.
pub(crate) fn of_chains() -> String {
    let all = [0, 1, 2, 4, 8, 16].map(|n| format!(r#""{n}": {:.2}"#, time_rnea(&chain(n))));
    format!("{{{}}}", all.join(", "))
}
