//! Rows of eight numbers: one quantity of eight degrees of freedom.
//! Serves: `kernels/by_joint/outward.rs`, `kernels/by_joint/inward.rs`. Test:
//! `plan::every_kernel_gives_what_its_page_gives`.

pub(crate) use crate::plan::rows::{Row, load_matrix, load_symmetric, load_vector, store_vector};
use crate::spatial::{BodyCoriolis, Force, InertiaAboutOrigin, Motion, Symmetric3};
use gradyn_derivatives::{Lanes, Register, WIDTH};
use nalgebra::{Matrix3, Vector3};

/// Linear and angular part.
pub(crate) type Six = [Row; 6];

#[inline(always)]
pub(crate) fn load_motion<R: Register>(m: &Six) -> Motion<Lanes<R>> {
    Motion::new(
        Vector3::new(m[0].load(), m[1].load(), m[2].load()),
        Vector3::new(m[3].load(), m[4].load(), m[5].load()),
    )
}
#[inline(always)]
pub(crate) fn store_motion<R: Register>(to: &mut Six, m: Motion<Lanes<R>>) {
    store_vectors(to, m.linear, m.angular);
}
#[inline(always)]
pub(crate) fn store_force<R: Register>(to: &mut Six, f: Force<Lanes<R>>) {
    store_vectors(to, f.linear, f.angular);
}
#[inline(always)]
fn store_vectors<R: Register>(to: &mut Six, a: Vector3<Lanes<R>>, b: Vector3<Lanes<R>>) {
    to[0].store(a.x);
    to[1].store(a.y);
    to[2].store(a.z);
    to[3].store(b.x);
    to[4].store(b.y);
    to[5].store(b.z);
}

/// What is summed up over subtrees: force, then for derivatives inertia and Coriolis matrix.
pub(crate) const FORCE: usize = 6;
/// Mass, first moment, moment about the origin.
pub(crate) const INERTIA: usize = 10;
/// And the Coriolis matrix: momentum, nine entries.
pub(crate) const ALL: usize = FORCE + INERTIA + 12;

/// The sums of eight degrees of freedom.
pub(crate) type Sums = [Row; ALL];

#[inline(always)]
pub(crate) fn load_sum_force<R: Register>(x: &Sums) -> Force<Lanes<R>> {
    Force::new(Vector3::new(x[0].load(), x[1].load(), x[2].load()), Vector3::new(x[3].load(), x[4].load(), x[5].load()))
}
#[inline(always)]
pub(crate) fn store_sum_force<R: Register>(to: &mut Sums, f: Force<Lanes<R>>) {
    to[0].store(f.linear.x);
    to[1].store(f.linear.y);
    to[2].store(f.linear.z);
    to[3].store(f.angular.x);
    to[4].store(f.angular.y);
    to[5].store(f.angular.z);
}
#[inline(always)]
pub(crate) fn load_inertia<R: Register>(x: &Sums) -> InertiaAboutOrigin<Lanes<R>> {
    InertiaAboutOrigin {
        mass: x[6].load(),
        first_moment: Vector3::new(x[7].load(), x[8].load(), x[9].load()),
        moment: Symmetric3::new(x[10].load(), x[11].load(), x[12].load(), x[13].load(), x[14].load(), x[15].load()),
    }
}
#[inline(always)]
pub(crate) fn store_inertia<R: Register>(to: &mut Sums, y: InertiaAboutOrigin<Lanes<R>>) {
    store_weight(to, y.mass, y.first_moment);
    to[10].store(y.moment.xx);
    to[11].store(y.moment.xy);
    to[12].store(y.moment.xz);
    to[13].store(y.moment.yy);
    to[14].store(y.moment.yz);
    to[15].store(y.moment.zz);
}
/// The inertia in a lane.
#[inline(always)]
pub(crate) fn inertia_of_lane(sums: &[Sums], lane: usize) -> InertiaAboutOrigin<f64> {
    let x = |row: usize| sums[lane / WIDTH][row].0[lane % WIDTH];
    InertiaAboutOrigin {
        mass: x(6),
        first_moment: Vector3::new(x(7), x(8), x(9)),
        moment: Symmetric3::new(x(10), x(11), x(12), x(13), x(14), x(15)),
    }
}
/// The Coriolis matrix in a lane.
#[inline(always)]
pub(crate) fn coriolis_of_lane(sums: &[Sums], lane: usize) -> BodyCoriolis<f64> {
    let x = |row: usize| sums[lane / WIDTH][row].0[lane % WIDTH];
    #[rustfmt::skip]
    let angular = Matrix3::new(
        x(19), x(20), x(21),
        x(22), x(23), x(24),
        x(25), x(26), x(27),
    );
    BodyCoriolis { momentum: Vector3::new(x(16), x(17), x(18)), angular }
}
/// Mass and first moment of an inertia.
#[inline(always)]
pub(crate) fn load_weight<R: Register>(x: &Sums) -> (Lanes<R>, Vector3<Lanes<R>>) {
    (x[6].load(), Vector3::new(x[7].load(), x[8].load(), x[9].load()))
}
/// Mass and first moment of an inertia.
#[inline(always)]
pub(crate) fn store_weight<R: Register>(to: &mut Sums, mass: Lanes<R>, first_moment: Vector3<Lanes<R>>) {
    to[6].store(mass);
    to[7].store(first_moment.x);
    to[8].store(first_moment.y);
    to[9].store(first_moment.z);
}
#[inline(always)]
pub(crate) fn load_coriolis<R: Register>(x: &Sums) -> BodyCoriolis<Lanes<R>> {
    BodyCoriolis {
        momentum: Vector3::new(x[16].load(), x[17].load(), x[18].load()),
        #[rustfmt::skip]
        angular: Matrix3::new(
            x[19].load(), x[20].load(), x[21].load(),
            x[22].load(), x[23].load(), x[24].load(),
            x[25].load(), x[26].load(), x[27].load(),
        ),
    }
}
#[inline(always)]
pub(crate) fn store_coriolis<R: Register>(to: &mut Sums, b: &BodyCoriolis<Lanes<R>>) {
    to[16].store(b.momentum.x);
    to[17].store(b.momentum.y);
    to[18].store(b.momentum.z);
    let mut row = 0;
    while row < 3 {
        let mut column = 0;
        while column < 3 {
            to[19 + 3 * row + column].store(b.angular[(row, column)]);
            column += 1;
        }
        row += 1;
    }
}

/// What derivatives need of eight degrees of freedom besides their sums; names as in the literature (IDSVA).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Columns {
    /// `Ψ̇ = v_λ × S`
    pub(crate) psi_d: Six,
    /// `Ψ̈ = a_λ × S + v_λ × Ψ̇`
    pub(crate) psi_dd: Six,
    /// `Ψ̇ + Ṡ`
    pub(crate) psi_s: Six,
    /// `A = I_C S`
    pub(crate) a: Six,
    /// `Q = B_C Ψ̇ + I_C Ψ̈ + f_C ×̄* S`
    pub(crate) q: Six,
    /// `V = B_C S + I_C (Ψ̇ + Ṡ)`
    pub(crate) v: Six,
    /// `T = B_Cᵀ S`: its linear part is zero.
    pub(crate) t: [Row; 3],
}

impl Columns {
    pub(crate) const ZERO: Self = {
        let six = [Row::ZERO; 6];
        Self { psi_d: six, psi_dd: six, psi_s: six, a: six, q: six, v: six, t: [Row::ZERO; 3] }
    };
}

/// Where eight bodies are and how they move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bodies {
    /// Row by row.
    pub(crate) rotation: [Row; 9],
    /// In coordinates of the tree.
    pub(crate) translation: [Row; 3],
    /// In coordinates of the body.
    pub(crate) velocity: Six,
    /// In coordinates of the body.
    pub(crate) acceleration: Six,
}
