//! Rows of four numbers: one quantity of four bodies.
//! Serves: `kernels/by_copy/bodies/mod.rs`. Test: `limbs_as_on_the_page::limbs_abreast_are_limbs_one_by_one`.

pub(crate) use crate::plan::rows::{BODIES, BodyRow, load_matrix, load_symmetric, load_vector, store_vector};
use crate::spatial::{Symmetric3, vector as v3};
use gradyn_derivatives::{Lanes, Places, Register};
use nalgebra::{Matrix3, Vector3};

/// Numbers at their places in a slice.
#[inline(always)]
pub(crate) fn gather<R: Register>(x: &[f64], at: &[usize; BODIES]) -> Lanes<R> {
    BodyRow([x[at[0]], x[at[1]], x[at[2]], x[at[3]]]).load()
}

/// And back. Lanes that are over write where the first does, before it.
#[inline(always)]
pub(crate) fn scatter<R: Register>(x: Lanes<R>, at: &[usize; BODIES], to: &mut [f64]) {
    let x = x.0.to_array();
    let mut k = BODIES;
    while k > 0 {
        k -= 1;
        to[at[k]] = x[k];
    }
}

/// Row by row.
#[inline(always)]
pub(crate) fn store_matrix<R: Register>(to: &mut [BodyRow; 9], x: &Matrix3<Lanes<R>>) {
    let mut k = 0;
    while k < 9 {
        to[k].store(x[(k / 3, k % 3)]);
        k += 1;
    }
}

#[inline(always)]
pub(crate) fn store_symmetric<R: Register>(to: &mut [BodyRow; 6], x: Symmetric3<Lanes<R>>) {
    let six = x.to_array();
    let mut k = 0;
    while k < 6 {
        to[k].store(six[k]);
        k += 1;
    }
}

/// `R`, whose third column is that of `g`: the first two turned by an angle with this sine and cosine.
#[inline(always)]
pub(crate) fn turned<R: Register>(g: &Matrix3<Lanes<R>>, (sin, cos): (Lanes<R>, Lanes<R>)) -> Matrix3<Lanes<R>> {
    let (g0, g1) = (v3::column(g, 0), v3::column(g, 1));
    let x = v3::times_plus(g0, cos, v3::times(g1, sin));
    let y = v3::times_plus(g1, cos, v3::times(g0, -sin));
    v3::from_columns(x, y, v3::column(g, 2))
}

#[inline(always)]
pub(crate) fn permuted<R: Register>(x: Vector3<Lanes<R>>, places: &Places) -> Vector3<Lanes<R>> {
    Vector3::new(Lanes(x.x.0.permute(places)), Lanes(x.y.0.permute(places)), Lanes(x.z.0.permute(places)))
}

#[inline(always)]
pub(crate) fn permuted_symmetric<R: Register>(x: Symmetric3<Lanes<R>>, places: &Places) -> Symmetric3<Lanes<R>> {
    let a = permuted(Vector3::new(x.xx, x.xy, x.xz), places);
    let b = permuted(Vector3::new(x.yy, x.yz, x.zz), places);
    Symmetric3::new(a.x, a.y, a.z, b.x, b.y, b.z)
}

#[inline(always)]
pub(crate) fn permuted_matrix<R: Register>(x: &Matrix3<Lanes<R>>, places: &Places) -> Matrix3<Lanes<R>> {
    let [a, b, c] = [v3::column(x, 0), v3::column(x, 1), v3::column(x, 2)];
    v3::from_columns(permuted(a, places), permuted(b, places), permuted(c, places))
}

/// Of each quantity all four together.
#[inline(always)]
pub(crate) fn sums<const N: usize>(x: &[BodyRow; N]) -> [f64; N] {
    let mut sums = [0.0; N];
    let mut k = 0;
    while k < N {
        sums[k] = x[k].sum();
        k += 1;
    }
    sums
}

/// Row by row.
#[inline(always)]
pub(crate) fn by_rows([a, b, c, d, e, f, g, h, i]: [f64; 9]) -> Matrix3<f64> {
    Matrix3::new(a, b, c, d, e, f, g, h, i)
}
