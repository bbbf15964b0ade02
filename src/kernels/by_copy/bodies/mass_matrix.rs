//! The mass matrix of a quadruped: composite rigid bodies, in axes of its base ([`root_axes`](crate::kernels::by_copy::root_axes)), a leg in
//! each lane.

use crate::formulas::singular;
use crate::kernels::by_copy::bodies::body_rows::{BodyRow, gather, load_matrix, load_symmetric, load_vector, scatter};
use crate::kernels::by_copy::bodies::entries::{put, put_base, put_six, sum_mass};
use crate::kernels::by_copy::bodies::{BASE, HINGES, NV};
use crate::kernels::by_copy::root_axes::Placed;
use crate::plan::bodies::{DepthGroup, DepthGroups};
use crate::plan::states::{Kind, Link};
use crate::spatial::moments::Mass;
use gradyn_derivatives::simd::Register;
use gradyn_derivatives::{Lanes, Real};

/// What the pivots of the inverse are compared with.
#[derive(Clone, Debug)]
pub(crate) struct Scales {
    pub(crate) hinges: [BodyRow; HINGES],
    /// Mass and moment of inertia of everything.
    pub(crate) base: [f64; 2],
}

impl Scales {
    pub(crate) const ZERO: Self = Self { hinges: [BodyRow::ZERO; HINGES], base: [0.0; 2] };

    /// Of a hinge that stands so far from the base, with what it carries.
    #[inline(always)]
    pub(crate) fn set<R: Register>(&mut self, hinge: usize, of: &Placed<Lanes<R>>) {
        let Placed { s, mass, .. } = of;
        let trace = mass.second.trace();
        self.hinges[hinge].store(singular::scale_of(mass.mass, trace + trace, *s));
    }

    #[inline(always)]
    pub(crate) fn set_base(&mut self, whole: &Mass<f64>) {
        self.base = [whole.mass, 2.0 * whole.second.trace()];
    }
}

kernel!(
    halves,
    /// The mass matrix; entries that the tree makes zero are not written.
    pub(crate) fn mass_matrix<'a, R: Register>(
        groups: &'a DepthGroups,
        scales: &'a mut Scales,
        q: &'a [f64],
        to: &'a mut [f64],
    ) {
        let DepthGroups { groups, .. } = groups;
        let [base, hip, knee, foot] = of_quadruped(groups);
        let mut mass = link::<R::Low>(base).mass;
        let mut first = Placed::on_root(&link(hip), turn(hip, q));
        let mut second = Placed::on_parent(&link(knee), &first, turn(knee, q));
        let third = Placed::on_parent(&link(foot), &second, turn(foot, q));
        scales.set(2, &third);
        entries(foot, &third, &[(knee, &second), (hip, &first)], to);
        second.mass.add(&third.mass);
        scales.set(1, &second);
        entries(knee, &second, &[(hip, &first)], to);
        first.mass.add(&second.mass);
        scales.set(0, &first);
        entries(hip, &first, &[], to);
        mass.add(&first.mass);
        let whole = sum_mass(&mass);
        scales.set_base(&whole);
        let (columns, mut k) = (whole.matrix(), 0);
        while k < BASE {
            put_base(to, k, &columns[k]);
            k += 1;
        }
    }
);

/// The base, then the hinges of the legs, from the base on.
#[inline(always)]
pub(crate) fn of_quadruped(groups: &[DepthGroup]) -> [&DepthGroup; 1 + HINGES] {
    [&groups[0], &groups[1], &groups[2], &groups[3]]
}

/// Entries of the columns of a group with themselves, with those between them and the base, and with that.
#[inline(always)]
fn entries<R: Register>(
    group: &DepthGroup,
    body: &Placed<Lanes<R>>,
    above: &[(&DepthGroup, &Placed<Lanes<R>>)],
    to: &mut [f64],
) {
    let (momentum, at) = (body.momentum(), &group.v);
    scatter(body.s.power(momentum) + group.armature.load(), &at.map(|v| v * (NV + 1)), to);
    for (group, above) in above {
        let entry = above.s.power(momentum);
        put(to, (&group.v, at), (entry, entry));
    }
    put_six(to, at, (momentum, momentum));
}

/// The constants of a group of hinges, or of a free base.
#[inline(always)]
pub(crate) fn link<R: Register>(group: &DepthGroup) -> Link<Lanes<R>> {
    Link {
        kind: Kind::Hinge,
        rotation: load_matrix(&group.rotation),
        translation: load_vector(&group.translation),
        takes_origin: false,
        mass: Mass { mass: group.mass.load(), first: load_vector(&group.first), second: load_symmetric(&group.second) },
    }
}

/// Coordinates of hinges, which nobody asks for, and their sines and cosines.
#[inline(always)]
pub(crate) fn turn<R: Register>(group: &DepthGroup, q: &[f64]) -> (Lanes<R>, (Lanes<R>, Lanes<R>)) {
    (Lanes::zero(), gather::<R>(q, &group.q).sin_cos())
}
