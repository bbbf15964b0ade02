//! Compares the fast form with the page of equations, at every level of the processor.

use super::{Riccati, Stagewise, reference};
use crate::quadratic::{Dims, Quadratic, Structure};
use gradyn::derivatives::Level;
use gradyn::derivatives::simd::with_level;
use nalgebra::{DMatrix, DVector};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::ops::Range;

fn matrix(rng: &mut ChaCha8Rng, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| rng.random_range(-1.0..1.0))
}

fn node(rng: &mut ChaCha8Rng, ndx: usize, nu: usize, last: bool) -> (Dims, Quadratic) {
    let dims = Dims { nx: ndx, ndx, nu, n_eq: 0, n_in: 0 };
    let mut node = Quadratic::new(dims, last);
    let half = matrix(rng, ndx + nu, ndx + nu);
    let hessian = &half * half.transpose() / (ndx + nu) as f64 + DMatrix::identity(ndx + nu, ndx + nu) * 0.1;
    node.lxx.copy_from(&hessian.view((0, 0), (ndx, ndx)));
    node.lxu.copy_from(&hessian.view((0, ndx), (ndx, nu)));
    node.luu.copy_from(&hessian.view((ndx, ndx), (nu, nu)));
    node.lx = matrix(rng, ndx, 1).column(0).into();
    node.lu = matrix(rng, nu, 1).column(0).into();
    if !last {
        node.a = matrix(rng, ndx, ndx) / (ndx as f64).sqrt();
        node.b = matrix(rng, ndx, nu);
    }
    (dims, node)
}

/// Sets A and B to those of a semi-implicit step with such blocks.
fn make_semi_implicit(rng: &mut ChaCha8Rng, lq: &mut Quadratic, blocks: &[Range<usize>]) {
    let (ndx, nu, h) = (lq.lx.len(), lq.lu.len(), 0.05);
    let nv = ndx / 2;
    let (mut d, mut j) = (DMatrix::identity(nv, nv), DMatrix::identity(nv, nv));
    for block in blocks {
        let n = block.len();
        d.view_mut((block.start, block.start), (n, n)).copy_from(&matrix(rng, n, n));
        j.view_mut((block.start, block.start), (n, n)).copy_from(&matrix(rng, n, n));
    }
    let g = matrix(rng, nv, ndx + nu) / (nv as f64).sqrt();
    let mut q = &j * &g * h;
    let mut to_q = q.columns_mut(0, nv);
    to_q += &d;
    lq.a.rows_mut(0, nv).copy_from(&q.columns(0, ndx));
    lq.b.rows_mut(0, nv).copy_from(&q.columns(ndx, nu));
    lq.a.rows_mut(nv, nv).copy_from(&g.columns(0, ndx));
    lq.b.rows_mut(nv, nv).copy_from(&g.columns(ndx, nu));
    lq.structure = Structure::SemiImplicit { h, nv };
    if !blocks.is_empty() {
        (lq.step_dq, lq.step_dv) = (d, j);
    }
}

/// Checks that every result of the sweep is that of the page of equations.
fn hold_to_equations(dims: &[Dims], lq: &[Quadratic], what: &str) {
    let delta = 0.01;
    let mut riccati = Riccati::new(dims);
    for level in Level::available() {
        with_level(level, || riccati.sweep(lq, &[], delta)).expect("is positive definite");
        for k in (0..lq.len() - 1).rev() {
            let found = &riccati.nodes[k];
            let mut exact = found.clone();
            reference::step(&lq[k], &riccati.nodes[k + 1], delta, &mut exact).expect("is positive definite");
            for i in 0..exact.vx.len() {
                exact.vxx[(i, i)] += delta;
            }
            let column = |x: &DVector<f64>| DMatrix::from_column_slice(x.len(), 1, x.as_slice());
            let parts = |s: &Stagewise| {
                let vectors = [("k", &s.k), ("qu", &s.qu), ("quu_k", &s.quu_k), ("vx", &s.vx)];
                let mut parts: Vec<_> = vectors.into_iter().map(|(name, x)| (name, column(x))).collect();
                parts.extend([("gain", s.gain.clone()), ("vxx", s.vxx.clone())]);
                parts
            };
            for ((name, found), (_, exact)) in parts(found).into_iter().zip(parts(&exact)) {
                // Sums of at most 150 products, conditions of at most 1e2: some 1e-13 of rounding.
                let error = if exact.is_empty() { 0.0 } else { (found - &exact).amax() / (1.0 + exact.amax()) };
                assert!(error < 1e-12, "{what}, {level}, node {k}: {name} differs by {error:e}");
            }
            assert_eq!(found.vxx, found.vxx.transpose(), "{what}: symmetric to the bit");
        }
    }
}

#[test]
fn products_of_panels_are_the_equations() {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    // Around the width of registers, a node without controls, states of other sizes behind, and the three robots.
    for (ndx, nu) in [(1, 1), (7, 0), (8, 8), (9, 7), (16, 4), (23, 25), (14, 7), (36, 12), (98, 43)] {
        let nodes = [(ndx, nu, false), (ndx, nu, false), (ndx, 0, true)];
        let (dims, mut lq): (Vec<_>, Vec<_>) = nodes.map(|(x, u, last)| node(&mut rng, x, u, last)).into_iter().unzip();
        hold_to_equations(&dims, &lq, &format!("dense {ndx}, {nu}"));
        if ndx % 2 == 0 {
            let nv = ndx / 2;
            let base = Range { start: 0, end: 6 };
            let joints =
                if nv > 10 { vec![vec![], vec![base.clone()], vec![base, 6..9, nv - 3..nv]] } else { vec![vec![]] };
            for blocks in &joints {
                make_semi_implicit(&mut rng, &mut lq[0], blocks);
                make_semi_implicit(&mut rng, &mut lq[1], blocks);
                hold_to_equations(&dims, &lq, &format!("semi-implicit {ndx}, {nu}, blocks {blocks:?}"));
            }
        }
    }
    let nodes = [node(&mut rng, 9, 3, false), node(&mut rng, 12, 5, false), node(&mut rng, 5, 0, true)];
    let (dims, mut lq): (Vec<_>, Vec<_>) = nodes.into_iter().unzip();
    (lq[0].a, lq[0].b) = (matrix(&mut rng, 12, 9), matrix(&mut rng, 12, 3));
    (lq[1].a, lq[1].b) = (matrix(&mut rng, 5, 12), matrix(&mut rng, 5, 5));
    hold_to_equations(&dims, &lq, "sizes that change");
}

#[test]
fn what_is_remembered_takes_the_dense_way() {
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let nodes = [(10, 2, false), (10, 2, false), (10, 0, true)];
    let (dims, mut lq): (Vec<_>, Vec<_>) = nodes.map(|(x, u, last)| node(&mut rng, x, u, last)).into_iter().unzip();
    // Two remembered controls: A has not the form that nv = 5, half its size, would give it.
    for lq in &mut lq[..2] {
        lq.structure = Structure::SemiImplicit { h: 0.05, nv: 4 };
    }
    hold_to_equations(&dims, &lq, "remembered");
}
