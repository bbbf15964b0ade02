//! Once it is made, the linear-quadratic kernel allocates nothing.

use gradyn_trajectory::quadratic::{Dims, Quadratic, Structure};
use gradyn_trajectory::riccati::{LqSolution, Regularization, Riccati};
use nalgebra::DVector;

/// A chain of masses with equalities at some nodes and at the end, dense and with the structure of its steps.
fn chain() -> (Vec<Dims>, Vec<Quadratic>) {
    let (nv, nu, steps, h) = (9, 4, 12, 0.1);
    let nodes = (0..=steps).map(|k| {
        let last = k == steps;
        let dims = Dims {
            nx: 2 * nv,
            ndx: 2 * nv,
            nu: if last { 0 } else { nu },
            n_eq: if k % 3 == 0 { 2 } else { 0 },
            n_in: 0,
        };
        let mut lq = Quadratic::new(dims, last);
        lq.lxx.fill_diagonal(1.0);
        lq.luu.fill_diagonal(1.0);
        lq.lx.fill(0.5);
        lq.eq.fill(0.1);
        for i in 0..dims.n_eq {
            lq.eq_x[(i, i)] = 1.0;
            if !last {
                lq.eq_u[(i, i)] = 1.0;
            }
        }
        if !last {
            for i in 0..nv {
                (lq.a[(i, i)], lq.a[(nv + i, nv + i)], lq.a[(nv + i, (i + 1) % nv)]) = (1.0, 1.0, -h);
                lq.b[(nv + i, i % nu)] = h * (1.0 + i as f64);
                for j in 0..2 * nv {
                    lq.a[(i, j)] += h * lq.a[(nv + i, j)];
                }
                for j in 0..nu {
                    lq.b[(i, j)] = h * lq.b[(nv + i, j)];
                }
            }
            if k % 2 == 0 {
                lq.structure = Structure::SemiImplicit { h, nv };
            }
        }
        (dims, lq)
    });
    nodes.unzip()
}

#[test]
fn sweeps_and_solutions_allocate_nothing() {
    let (dims, lq) = chain();
    let gaps: Vec<_> = dims.iter().map(|d| DVector::from_element(d.ndx, 0.01)).collect();
    let mut riccati = Riccati::new(&dims);
    let mut out = LqSolution::new(&dims);
    // The level of the processor is found out once.
    riccati.sweep(&lq, &gaps, 0.0).expect("has a solution");
    let before = testing::allocation_count();
    for dual in [0.0, 1e-6] {
        riccati.solve_lq(&lq, &gaps, Regularization { primal: 1e-9, dual }, &mut out).expect("has a solution");
        riccati.resume_from(5, &lq, &gaps, 1e-3).expect("has a solution");
    }
    assert_eq!(testing::allocation_count(), before);
}
