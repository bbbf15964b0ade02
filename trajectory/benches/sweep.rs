//! Time of the Riccati sweep a node, for states and controls of a 7-joint arm, a quadruped with 18 and a humanoid with
//! 49 degrees of freedom; dense, and with the structure of a semi-implicit step. Least of many runs of ten nodes.

use gradyn_trajectory::quadratic::{Dims, Quadratic, Structure};
use gradyn_trajectory::riccati::Riccati;
use nalgebra::DMatrix;
use std::time::{Duration, Instant};

const STEPS: usize = 10;

/// Numbers without a pattern, from -1 to 1.
fn noise(i: usize, j: usize) -> f64 {
    (12.9898 * i as f64 + 78.233 * j as f64 + 1.0).sin()
}

/// A node like that of a robot: `v⁺ = v + h a`, `q⁺ = q + h v⁺`, D and J other than the identity for a floating base.
fn node(nv: usize, nu: usize, floating: bool, last: bool) -> Quadratic {
    let (ndx, h) = (2 * nv, 0.01);
    let mut lq = Quadratic::new(Dims { nx: ndx, ndx, nu, n_eq: 0, n_in: 0 }, last);
    lq.lx.fill(0.1);
    lq.lu.fill(0.1);
    lq.lxx.fill_diagonal(1.0);
    lq.luu.fill_diagonal(1.0);
    if last {
        return lq;
    }
    let (mut d, mut j) = (DMatrix::<f64>::identity(nv, nv), DMatrix::<f64>::identity(nv, nv));
    if floating {
        for (i, k) in (0..6).flat_map(|i| (0..6).map(move |k| (i, k))) {
            d[(i, k)] += 0.01 * noise(i, k);
            j[(i, k)] += 0.01 * noise(k, i);
        }
    }
    let mut g = DMatrix::from_fn(nv, ndx + nu, |i, k| h * noise(i, k));
    for i in 0..nv {
        g[(i, nv + i)] += 1.0;
    }
    let mut q = &j * &g * h;
    for k in 0..nv {
        for i in 0..nv {
            q[(i, k)] += d[(i, k)];
        }
    }
    lq.a.rows_mut(0, nv).copy_from(&q.columns(0, ndx));
    lq.a.rows_mut(nv, nv).copy_from(&g.columns(0, ndx));
    lq.b.rows_mut(0, nv).copy_from(&q.columns(ndx, nu));
    lq.b.rows_mut(nv, nv).copy_from(&g.columns(ndx, nu));
    lq.structure = Structure::SemiImplicit { h, nv };
    if floating {
        (lq.step_dq, lq.step_dv) = (d, j);
    }
    lq
}

fn time(nv: usize, nu: usize, lq: &[Quadratic]) -> f64 {
    let dims = |nu| Dims { nx: 2 * nv, ndx: 2 * nv, nu, n_eq: 0, n_in: 0 };
    let mut all = vec![dims(nu); STEPS];
    all.push(dims(0));
    let mut riccati = Riccati::new(&all);
    let mut least = Duration::MAX;
    let began = Instant::now();
    while began.elapsed() < Duration::from_millis(500) {
        let start = Instant::now();
        let done = riccati.sweep(lq, &[], 1e-9);
        least = least.min(start.elapsed());
        assert!(done.is_ok());
    }
    least.as_secs_f64() * 1e6 / STEPS as f64
}

fn main() {
    println!("robot      ndx   nu   dense    structured   us a node");
    for (name, nv, nu, floating) in [("arm", 7, 7, false), ("quadruped", 18, 12, true), ("humanoid", 49, 43, true)] {
        let mut lq = vec![node(nv, nu, floating, false); STEPS];
        lq.push(node(nv, 0, floating, true));
        let structured = time(nv, nu, &lq);
        for lq in &mut lq {
            lq.structure = Structure::Dense;
        }
        let dense = time(nv, nu, &lq);
        println!("{name:<10} {:>3} {nu:>4} {dense:>8.2} {structured:>12.2}", 2 * nv);
    }
}
