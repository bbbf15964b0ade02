//! Panels against plain matrices, at every level of the processor and around the width of its registers.

#![expect(clippy::float_cmp, reason = "numbers that are copied, or exact products and sums, are the same to the bit")]

use super::{
    Blocks, Into, Lanes, Panel, add_matrix_times, add_times, back, eliminate, forward, is_finite, product,
    subtract_square, write_symmetric, write_transposed,
};
use crate::solver::tests::Random;
use gradyn::derivatives::Level;
use gradyn::derivatives::simd::{WIDTH, with_level};
use nalgebra::{DMatrix, DVector};

const SIZES: [usize; 6] = [1, 7, 8, 9, 16, 21];

/// A matrix in a panel.
fn panel(from: &DMatrix<f64>) -> Panel {
    let mut panel = Panel::new(from.nrows().div_ceil(WIDTH), from.ncols());
    panel.put(from.as_slice(), from.nrows(), (0, 0), false);
    panel
}

/// Of a panel so many rows and columns.
fn plain(from: &Panel, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |i, j| from.at(i, j))
}

fn lanes(x: &DVector<f64>, height: usize) -> Vec<Lanes> {
    let mut to = vec![Lanes::ZERO; height];
    x.iter().enumerate().for_each(|(i, x)| to[i / WIDTH].0[i % WIDTH] = *x);
    to
}

fn numbers(from: &[Lanes], n: usize) -> DVector<f64> {
    DVector::from_fn(n, |i, _| from[i / WIDTH].0[i % WIDTH])
}

/// Sums of some twenty products of numbers below 1.
fn same(found: &DMatrix<f64>, expected: &DMatrix<f64>, what: &str) {
    assert!((found - expected).amax() < 1e-13, "{what}: {:e}", (found - expected).amax());
}

#[test]
fn matrices_go_into_panels_and_back() {
    let mut random = Random::new(1);
    for level in Level::available() {
        for (rows, columns) in SIZES.into_iter().flat_map(|n| SIZES.map(|m| (n, m))) {
            let m = random.matrix(rows, columns);
            with_level(level, || {
                let mut to = panel(&m);
                assert_eq!(plain(&to, rows, columns), m);
                // Padding is zero.
                assert!((rows..to.height * WIDTH).all(|i| to.at(i, 0) == 0.0));
                to.put(m.as_slice(), rows, (0, 0), true);
                assert_eq!(plain(&to, rows, columns), &m * 2.0);
                *to.at_mut(rows - 1, columns - 1) = 7.0;
                assert_eq!(to.at(rows - 1, columns - 1), 7.0);
                let mut turned = Panel::new(columns.div_ceil(WIDTH), rows);
                turned.put_transposed(m.as_slice(), rows, (0, rows), 0);
                assert_eq!(plain(&turned, columns, rows), m.transpose());
                let mut again = DMatrix::zeros(rows, columns);
                write_transposed(&turned, 0, &mut again);
                assert_eq!(again, m, "{level}");
            });
        }
    }
}

#[test]
fn products_are_those_of_plain_matrices() {
    let mut random = Random::new(2);
    for level in Level::available() {
        for (n, inner) in SIZES.into_iter().flat_map(|n| SIZES.map(|m| (n, m))) {
            let (a, b, c) = (random.matrix(n, inner), random.matrix(n, inner), random.matrix(n, n));
            let x = random.vector(inner);
            with_level(level, || {
                let height = n.div_ceil(WIDTH);
                for (into, sign) in [(Into::Add, 1.0), (Into::Subtract, -1.0)] {
                    for lower in [None, Some(0)] {
                        let mut to = panel(&c);
                        let blocks = Blocks { rows: (0, height), columns: (0, n), lower };
                        product(&panel(&a), (&panel(&b), 0), inner, &mut to, blocks, into);
                        let (found, expected) = (plain(&to, n, n), &c + sign * &a * b.transpose());
                        // Of the lower half at least that.
                        let keep = |m: &DMatrix<f64>| if lower.is_some() { m.lower_triangle() } else { m.clone() };
                        same(&keep(&found), &keep(&expected), &format!("{level}, {n}, {inner}, {into:?}"));
                    }
                }
                let mut to = lanes(&c.column(0).into(), height);
                add_times(&panel(&a), x.as_slice(), &mut to);
                let expected = c.column(0) + &a * &x;
                assert!((numbers(&to, n) - &expected).amax() < 1e-13, "{level}, {n}, {inner}");
                let mut to = c.column(0).clone_owned();
                add_matrix_times(a.as_slice(), x.as_slice(), to.as_mut_slice());
                assert!((to - expected).amax() < 1e-13, "{level}, {n}, {inner}");
            });
        }
    }
}

/// `[U Wᵀ; W V]`: L of U = L Lᵀ, `Y = W L⁻ᵀ`, and the Schur complement `V − Y Yᵀ`.
#[test]
fn eliminations_leave_the_schur_complement() {
    let mut random = Random::new(3);
    for level in Level::available() {
        for (n, m) in SIZES.into_iter().flat_map(|n| SIZES.map(|m| (n, m))) {
            let half = random.matrix(n, n);
            let u = &half * half.transpose() + DMatrix::identity(n, n);
            let (w, v, x) = (random.matrix(m, n), random.matrix(m, m), random.vector(n + m));
            let v = &v + v.transpose();
            with_level(level, || {
                let first = n.div_ceil(WIDTH);
                // U and W below it, from a block of rows on, and V beside it, from as many columns on.
                let mut matrix = Panel::new(first + m.div_ceil(WIDTH), first * WIDTH + m);
                matrix.put(u.as_slice(), n, (0, 0), false);
                matrix.put(w.as_slice(), m, (first, 0), false);
                matrix.put(v.as_slice(), m, (first, first * WIDTH), false);
                let mut reciprocal = vec![Lanes::ZERO; first];
                eliminate(&mut matrix, n, &mut reciprocal).expect("is positive definite");
                let factor = u.clone().cholesky().expect("is positive definite").l();
                let y = factor.solve_lower_triangular(&w.transpose()).expect("is regular").transpose();
                let what = format!("{level}, {n}, {m}");
                let below = DMatrix::from_fn(m, n, |i, j| matrix.at(first * WIDTH + i, j));
                // U is known to 1e2 roundings.
                assert!((below - &y).amax() < 1e-11, "{what}");
                for (i, l) in factor.diagonal().iter().enumerate() {
                    assert!((reciprocal[i / WIDTH].0[i % WIDTH] * l - 1.0).abs() < 1e-12, "{what}");
                }
                let mut right = lanes(&x.rows(0, n).into(), first);
                right.extend(lanes(&x.rows(n, m).into(), m.div_ceil(WIDTH)));
                forward(&matrix, n, &reciprocal, &mut right);
                let top = factor.solve_lower_triangular(&x.rows(0, n)).expect("is regular");
                assert!((numbers(&right, n) - &top).amax() < 1e-11, "{what}");
                assert!((numbers(&right[first..], m) - x.rows(n, m) + &y * &top).amax() < 1e-11, "{what}");
                let mut rows = panel(&y);
                let mut turned = Panel::new(first, first * WIDTH);
                back(&matrix, n, &reciprocal, &mut turned, &mut rows);
                let expected = factor.tr_solve_lower_triangular(&y.transpose()).expect("is regular").transpose();
                assert!((plain(&rows, m, n) - expected).amax() < 1e-10, "{what}");
                subtract_square(&mut matrix, n, (first, m));
                let mut schur = DMatrix::zeros(m, m);
                write_symmetric(&matrix, first, &mut schur);
                assert!((&schur - (&v - &y * y.transpose())).amax() < 1e-11, "{what}");
                assert_eq!(schur, schur.transpose());
            });
            let indefinite = u - 1e3 * DMatrix::identity(n, n);
            let mut matrix = panel(&indefinite);
            assert!(with_level(level, || eliminate(&mut matrix, n, &mut [Lanes::ZERO; 3])).is_none(), "{n}");
        }
    }
}

#[test]
fn a_number_that_is_none_is_found_wherever_it_stands() {
    for level in Level::available() {
        for n in [0, 1, 7, 8, 9, 33] {
            let x = vec![1e300; n];
            assert!(with_level(level, || is_finite(&x)), "{n}");
            for (i, bad) in (0..n).flat_map(|i| [f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(|x| (i, x))) {
                let mut x = x.clone();
                x[i] = bad;
                assert!(!with_level(level, || is_finite(&x)), "{level}, {n}, {i}: {bad}");
            }
        }
    }
}
