//! The inverse of a quadruped's mass matrix and products with it, by the blocks of its legs, four at a time.
//! Page: `dynamics/minv.rs`, `partials/aba.rs`. Test: `limbs_as_on_the_page::limbs_abreast_are_limbs_one_by_one`.
//!
//! For leg `k` let `M_k` be the block of the mass matrix, and `H_k` its coupling to the base, whose block is `B`. Then
//! with
//!
//! ```text
//! N_k = −M_k⁻¹        Z_k = N_k H_k        P = −(B + Σ H_kᵀ Z_k)⁻¹        W_k = Z_k P
//! ```
//!
//! the inverse is, with δ = 1 if `k` is `l` and else 0,
//!
//! ```text
//!         [ P     W_lᵀ             ]            [ x₀ ]   [ b             ]
//! −M⁻¹ =  [ W_k   δ N_k + W_k Z_lᵀ ]      −M⁻¹  [ x_k ] = [ N_k x_k + Z_k b ]      b = P (x₀ + Σ Z_lᵀ x_l)      (1)
//! ```
//!
//! so that columns of one leg, which have no entries in the rows of others, reach these through six numbers.

mod inverse;
mod product;
mod six;

use crate::kernels::by_copy::bodies::body_rows::{BODIES, BodyRow, gather};
use crate::kernels::by_copy::bodies::{BASE, HINGES, NV, row};
use gradyn_derivatives::{Lanes, Real, Register};
pub(crate) use inverse::inverse_of_mass;
pub(crate) use product::product_with_inverse;
use six::store_six;

/// A number for each degree of freedom of the base.
type Six = [BodyRow; BASE];

/// A number for each hinge of a leg.
type Column = [BodyRow; HINGES];

/// What a mass matrix is inverted by: `N`, row by row, the rows of `H`, `Z` and `W`, and `P`, each number in all lanes.
#[derive(Clone, Debug)]
pub(crate) struct Inverted {
    n: [Column; HINGES],
    h: [Six; HINGES],
    z: [Six; HINGES],
    w: [Six; HINGES],
    base: [Six; BASE],
}

impl Inverted {
    pub(crate) const ZERO: Self = {
        let six = [[BodyRow::ZERO; BASE]; HINGES];
        Self { n: [[BodyRow::ZERO; HINGES]; HINGES], h: six, z: six, w: six, base: [[BodyRow::ZERO; BASE]; BASE] }
    };
}

/// Entries of one column in the rows of the legs.
#[inline(always)]
fn write_rows(column: &mut [f64], entry: impl Fn(usize, usize) -> f64) {
    let column = &mut column[BASE..NV];
    let mut k = 0;
    while k < BODIES {
        let mut r = 0;
        while r < HINGES {
            column[k * HINGES + r] = entry(k, r);
            r += 1;
        }
        k += 1;
    }
}

/// Column `c` of the legs, in lanes of the rows: entries with legs so many lanes further.
#[inline(always)]
fn write_columns(c: usize, columns: &[Column; BODIES], to: &mut [f64]) {
    let mut l = 0;
    while l < BODIES {
        let column = &mut to[row(l, c) * NV..][..NV];
        write_rows(column, |k, r: usize| columns[(l + BODIES - k) % BODIES][r].0[k]);
        l += 1;
    }
}

/// The rows of the legs of one column.
#[inline(always)]
fn read_rows<R: Register>(from: &[f64]) -> [Lanes<R>; HINGES] {
    let (mut x, mut r) = ([Lanes::zero(); HINGES], 0);
    while r < HINGES {
        x[r] = gather(from, &[row(0, r), row(1, r), row(2, r), row(3, r)]);
        r += 1;
    }
    x
}

/// Column `c` of the legs in their own rows.
#[inline(always)]
fn read_column<R: Register>(c: usize, from: &[f64]) -> [Lanes<R>; HINGES] {
    let (mut x, mut r) = ([Lanes::zero(); HINGES], 0);
    while r < HINGES {
        let at = |leg: usize| from[row(leg, c) * NV + row(leg, r)];
        x[r] = BodyRow([at(0), at(1), at(2), at(3)]).load();
        r += 1;
    }
    x
}

/// Column `c` of the legs in the rows of the base.
#[inline(always)]
fn read_six<R: Register>(c: usize, from: &[f64]) -> [Lanes<R>; BASE] {
    let (mut six, mut i) = ([Lanes::zero(); BASE], 0);
    while i < BASE {
        let at = |leg: usize| from[row(leg, c) * NV + i];
        six[i] = BodyRow([at(0), at(1), at(2), at(3)]).load();
        i += 1;
    }
    six
}

/// And back.
#[inline(always)]
fn put_six<R: Register>(c: usize, six: &[Lanes<R>; BASE], to: &mut [f64]) {
    let mut rows = [BodyRow::ZERO; BASE];
    store_six(&mut rows, six);
    let mut k = 0;
    while k < BODIES {
        let column = &mut to[row(k, c) * NV..][..BASE];
        let mut i = 0;
        while i < BASE {
            column[i] = rows[i].0[k];
            i += 1;
        }
        k += 1;
    }
}

#[cfg(test)]
mod tests {
    use crate::joint::{Axis, FreeFlyer, Revolute};
    use crate::kernels::by_copy::bodies::{BodiesMemory, NV, mass_matrix, minv};
    use crate::model::ModelBuilder;
    use crate::plan::bodies::BodiesLayout;
    use crate::plan::states::StatesLayout;
    use crate::spatial::{Inertia, Symmetric3, Transform};
    use gradyn_derivatives::simd::VectorLevel;
    use nalgebra::{DMatrix, Vector3};

    /// Nobody is asked again.
    #[test]
    fn a_quadruped_is_inverted_here() {
        let Some(level) = VectorLevel::active() else { return };
        let mut builder = ModelBuilder::new("quadruped");
        let y = Inertia::new(1.0, Vector3::new(0.1, 0.2, 0.3), Symmetric3::diagonal(0.1, 0.2, 0.3));
        let x = Transform::from_translation(Vector3::new(0.1, 0.2, 0.3));
        let base = builder.add_body(None, "base", "root", x, FreeFlyer, y).expect("fits");
        for leg in 0..4 {
            let mut last = base;
            for k in 0..3 {
                let (name, axis) = (format!("{leg}.{k}"), if k % 2 == 0 { Axis::Y } else { Axis::X });
                let joint = Revolute { axis };
                last = builder.add_body(Some(last), &name, format!("to {name}"), x, joint, y).expect("fits");
            }
        }
        let model = builder.build().expect("builds");
        let groups = BodiesLayout::new(&model, &StatesLayout::new(&model).expect("is of hinges")).expect("has limbs");
        let (mut memory, mut mass) = (BodiesMemory::new(&groups), DMatrix::zeros(NV, NV));
        let mut inverse = mass.clone();
        assert!(groups.is_quadruped());
        assert!(mass_matrix((&groups, level), &mut memory, &model.neutral(), &mut mass).is_finite());
        assert!(minv((&groups, level), &mut memory, mass.as_slice(), inverse.as_mut_slice()).is_finite());
        let off = (&mass * &inverse - DMatrix::identity(NV, NV)).amax();
        // Some ten thousand roundings: condition numbers are in the hundreds.
        assert!(off < 1e-11, "M⁻¹ M deviates by {off:e} from 1");
    }
}
