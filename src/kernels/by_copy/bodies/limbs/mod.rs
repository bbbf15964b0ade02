//! The inverse of the mass matrix and products with it, of robots whose limbs are chains that hang from the base: by the blocks of
//! the limbs, four of them abreast.
//!
//! Of limb `k` let `M_k` be the block of the mass matrix, and `H_k` what couples it to a free base, whose block is `B`. Then with
//!
//! ```text
//! N_k = −M_k⁻¹        Z_k = N_k H_k        P = −(B + Σ H_kᵀ Z_k)⁻¹        W_k = Z_k P
//! ```
//!
//! there are, with δ = 1 where `k` is `l` and else 0,
//!
//! ```text
//!         [ P     W_lᵀ             ]            [ x₀ ]   [ b             ]
//! −M⁻¹ =  [ W_k   δ N_k + W_k Z_lᵀ ]      −M⁻¹  [ x_k ] = [ N_k x_k + Z_k b ]      b = P (x₀ + Σ Z_lᵀ x_l)      (1)
//! ```
//!
//! so that columns of one limb, which have nothing in the rows of others, reach these through six numbers. On a fixed base nothing
//! couples limbs.

mod inverse;
mod places;
mod product;
mod six;

use crate::kernels::by_copy::bodies::four::Four;
use crate::plan::bodies::Limb;
pub(crate) use inverse::Inverse;
pub(crate) use product::Product;

/// Degrees of freedom of a free base.
const BASE: usize = 6;

/// A number for each of these.
type Six = [Four; BASE];

/// A number for each hinge of the longest limb, which shorter ones are filled up to.
type Column<const N: usize> = [Four; N];

/// What a mass matrix is inverted by, of limbs that have up to so many hinges.
#[derive(Clone, Debug)]
pub(crate) enum Inverted {
    Short(Limbs<SHORT>),
    Long(Limbs<LONG>),
}

/// Hinges of a leg.
const SHORT: usize = 3;
/// Hinges of the longest limbs that go this way.
pub(crate) const LONG: usize = 6;

/// How many hinges limbs of up to so many are taken to have.
pub(crate) fn filled_up_to(hinges: usize) -> usize {
    if hinges <= SHORT { SHORT } else { LONG }
}

#[derive(Clone, Debug)]
pub(crate) struct Limbs<const N: usize> {
    limbs: Vec<OfLimb<N>>,
    /// `P`, each number in all lanes.
    base: [Six; BASE],
}

/// What belongs to four limbs: `N`, row by row, and the rows of `H`, `Z` and `W`.
#[derive(Clone, Debug)]
struct OfLimb<const N: usize> {
    n: [Column<N>; N],
    h: [Six; N],
    z: [Six; N],
    w: [Six; N],
}

impl Inverted {
    pub(crate) fn new(limbs: &[Limb]) -> Self {
        let most = limbs.iter().map(|limb| limb.places.len()).max().unwrap_or(0);
        match filled_up_to(most) {
            SHORT => Self::Short(Limbs::new(limbs.len())),
            _ => Self::Long(Limbs::new(limbs.len())),
        }
    }
}

impl<const N: usize> Limbs<N> {
    fn new(count: usize) -> Self {
        let six = [[Four::ZERO; BASE]; N];
        let of = OfLimb { n: [[Four::ZERO; N]; N], h: six, z: six, w: six };
        Self { limbs: vec![of; count], base: [[Four::ZERO; BASE]; BASE] }
    }
}

#[cfg(test)]
mod tests {
    use crate::joint::{Axis, FreeFlyer, Revolute};
    use crate::kernels::by_copy::bodies::{Memory, mass_matrix, minv};
    use crate::model::ModelBuilder;
    use crate::plan::bodies::Ranks;
    use crate::plan::states::Table;
    use crate::spatial::{Inertia, Symmetric3, Transform};
    use gradyn_derivatives::simd::VectorLevel;
    use nalgebra::{DMatrix, Vector3};

    /// Limbs of any length up to the longest are inverted here: nobody is asked again.
    #[test]
    fn limbs_are_filled_up_to_the_longest() {
        let Some(level) = VectorLevel::active() else { return };
        let lengths: [&[usize]; 5] = [&[3, 3, 3, 3], &[3, 3, 3, 2], &[3, 2, 1, 1, 1, 1], &[4, 4, 4], &[6, 5, 2, 2]];
        for lengths in lengths {
            let mut builder = ModelBuilder::new("limbs");
            let y = Inertia::new(1.0, Vector3::new(0.1, 0.2, 0.3), Symmetric3::diagonal(0.1, 0.2, 0.3));
            let x = Transform::from_translation(Vector3::new(0.1, 0.2, 0.3));
            let base = builder.add_body(None, "base", "root", x, FreeFlyer, y).expect("fits");
            for (limb, joints) in lengths.iter().enumerate() {
                let mut last = base;
                for k in 0..*joints {
                    let (name, axis) = (format!("{limb}.{k}"), if k % 2 == 0 { Axis::Y } else { Axis::X });
                    let joint = Revolute { axis };
                    last = builder.add_body(Some(last), &name, format!("to {name}"), x, joint, y).expect("fits");
                }
            }
            let model = builder.build().expect("builds");
            let ranks = Ranks::new(&model, &Table::new(&model).expect("is of hinges")).expect("has limbs");
            let (mut memory, zero) = (Memory::new(&ranks), DMatrix::zeros(model.nv(), model.nv()));
            let (mut mass, mut inverse) = (zero.clone(), zero);
            assert!(ranks.walk().limbs, "{lengths:?}");
            assert!(mass_matrix((&ranks, level), &mut memory, &model.neutral(), &mut mass), "{lengths:?}");
            assert!(minv((&ranks, level), &mut memory, mass.as_slice(), inverse.as_mut_slice()), "{lengths:?}");
            let off = (&mass * &inverse - DMatrix::identity(model.nv(), model.nv())).amax();
            // Some ten thousand roundings: condition numbers are in the hundreds.
            assert!(off < 1e-11, "{lengths:?}: M⁻¹ M deviates by {off:e} from 1");
        }
    }
}
