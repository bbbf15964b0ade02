//! Articulated inertias of four bodies, and their propagation to the bodies that carry them.
//! Page: `formulas/articulated_body.rs`. Test: `limbs_as_on_the_page::limbs_abreast_are_limbs_one_by_one`.

use crate::kernels::by_copy::bodies::body_rows::{
    BodyRow, load_matrix, load_symmetric, load_vector, permuted, permuted_matrix, permuted_symmetric, store_matrix,
    store_symmetric, store_vector,
};
use crate::kernels::by_copy::bodies::rnea::Body;
use crate::plan::bodies::Parent;
use crate::spatial::{ArticulatedInertia, Symmetric3, vector as v3};
use gradyn_derivatives::{Lanes, MulAdd, Places, Register};
use nalgebra::{Matrix3, Vector3};

/// What the subtrees of four bodies put up against being moved, and what is left of it.
#[derive(Clone, Debug)]
pub(crate) struct Articulated {
    pub(crate) inertia: Inertia,
    /// Of the subtree as one rigid body: first moment, and trace of the moment of inertia.
    pub(crate) first: [BodyRow; 3],
    pub(crate) trace: BodyRow,
    /// `U`: force and moment.
    pub(crate) force: [BodyRow; 3],
    pub(crate) moment: [BodyRow; 3],
    /// `D⁻¹`, `D⁻¹ u`
    pub(crate) reciprocal: BodyRow,
    pub(crate) rest: BodyRow,
    /// `a` of (2).
    pub(crate) linear: [BodyRow; 3],
    pub(crate) angular: [BodyRow; 3],
}

/// `(f, n) = (M v + H ω, Hᵀ v + J ω)`
#[derive(Clone, Debug)]
pub(crate) struct Inertia {
    pub(crate) m: [BodyRow; 6],
    pub(crate) h: [BodyRow; 9],
    pub(crate) j: [BodyRow; 6],
}

impl Articulated {
    pub(crate) const ZERO: Self = {
        let (three, six, nine) = ([BodyRow::ZERO; 3], [BodyRow::ZERO; 6], [BodyRow::ZERO; 9]);
        Self {
            inertia: Inertia { m: six, h: nine, j: six },
            first: three,
            trace: BodyRow::ZERO,
            force: three,
            moment: three,
            reciprocal: BodyRow::ZERO,
            rest: BodyRow::ZERO,
            linear: three,
            angular: three,
        }
    };
}

/// The same in registers.
pub(crate) type Loaded<R> = ArticulatedInertia<Lanes<R>>;

impl Inertia {
    #[inline(always)]
    pub(crate) fn load<R: Register>(&self) -> Loaded<R> {
        ArticulatedInertia {
            linear: load_symmetric(&self.m),
            coupling: load_matrix(&self.h),
            angular: load_symmetric(&self.j),
        }
    }
    #[inline(always)]
    pub(crate) fn store<R: Register>(&mut self, of: &Loaded<R>) {
        store_symmetric(&mut self.m, of.linear);
        store_matrix(&mut self.h, &of.coupling);
        store_symmetric(&mut self.j, of.angular);
    }
}

/// What passes from bodies to those that carry them, in their axes, about their origins.
pub(crate) struct Passed<R: Register> {
    pub(crate) inertia: Loaded<R>,
    pub(crate) force: Vector3<Lanes<R>>,
    pub(crate) moment: Vector3<Lanes<R>>,
    pub(crate) first: Vector3<Lanes<R>>,
    pub(crate) trace: Lanes<R>,
}

impl<R: Register> Passed<R> {
    /// Adds it to what the parents have.
    #[inline(always)]
    pub(crate) fn on(&self, parent: &Parent, to: &mut Articulated, body: &mut Body) {
        let mut sum = Self {
            inertia: to.inertia.load(),
            force: load_vector(&body.force),
            moment: load_vector(&body.moment),
            first: load_vector(&to.first),
            trace: to.trace.load(),
        };
        if let Parent::Other { children, .. } = parent {
            for of in children {
                sum.add(&self.permuted(of));
            }
        } else {
            sum.add(self);
        }
        to.inertia.store(&sum.inertia);
        store_vector(&mut body.force, sum.force);
        store_vector(&mut body.moment, sum.moment);
        store_vector(&mut to.first, sum.first);
        to.trace.store(sum.trace);
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, other: &Self) {
        self.inertia += other.inertia;
        self.force = v3::add(self.force, other.force);
        self.moment = v3::add(self.moment, other.moment);
        self.first = v3::add(self.first, other.first);
        self.trace += other.trace;
    }

    #[inline(always)]
    pub(crate) fn permuted(&self, of: &Places) -> Self {
        let ArticulatedInertia { linear, coupling, angular } = self.inertia;
        let inertia = ArticulatedInertia {
            linear: permuted_symmetric(linear, of),
            coupling: permuted_matrix(&coupling, of),
            angular: permuted_symmetric(angular, of),
        };
        Self {
            inertia,
            force: permuted(self.force, of),
            moment: permuted(self.moment, of),
            first: permuted(self.first, of),
            trace: Lanes(self.trace.0.permute(of)),
        }
    }
}

/// `A + x yᵀ`, which is symmetric.
#[inline(always)]
pub(crate) fn plus_outer<R: Register>(
    a: Symmetric3<Lanes<R>>,
    x: Vector3<Lanes<R>>,
    y: Vector3<Lanes<R>>,
) -> Symmetric3<Lanes<R>> {
    Symmetric3::new(
        x.x.mul_plus(y.x, a.xx),
        x.x.mul_plus(y.y, a.xy),
        x.x.mul_plus(y.z, a.xz),
        x.y.mul_plus(y.y, a.yy),
        x.y.mul_plus(y.z, a.yz),
        x.z.mul_plus(y.z, a.zz),
    )
}

/// An inertia that puts up nothing about the third axis, whose `H` has two columns and whose `J` the entries xx, xy and
/// yy, in the axes of the parent.
#[inline(always)]
pub(crate) fn turned<R: Register>(
    r: &Matrix3<Lanes<R>>,
    m: Symmetric3<Lanes<R>>,
    [h0, h1]: [Vector3<Lanes<R>>; 2],
    [xx, xy, yy]: [Lanes<R>; 3],
) -> Loaded<R> {
    let (x, y) = (v3::column(r, 0), v3::column(r, 1));
    let (a, b) = (v3::rotate(r, h0), v3::rotate(r, h1));
    let h = v3::from_columns(
        v3::times_plus(a, x.x, v3::times(b, y.x)),
        v3::times_plus(a, x.y, v3::times(b, y.y)),
        v3::times_plus(a, x.z, v3::times(b, y.z)),
    );
    let along_x = v3::times_plus(x, xx, v3::times(y, xy));
    let along_y = v3::times_plus(x, xy, v3::times(y, yy));
    let j = plus_outer(plus_outer(Symmetric3::zero(), x, along_x), y, along_y);
    ArticulatedInertia { linear: m.rotated(r), coupling: h, angular: j }
}

/// The third column of `H`, and third row and column of `J`, of such an inertia.
#[inline(always)]
pub(crate) fn add_third<R: Register>(
    to: &mut Loaded<R>,
    r: &Matrix3<Lanes<R>>,
    h: Vector3<Lanes<R>>,
    j: Vector3<Lanes<R>>,
) {
    let z = v3::column(r, 2);
    let h = v3::rotate(r, h);
    let (a, b, c) = (v3::column(&to.coupling, 0), v3::column(&to.coupling, 1), v3::column(&to.coupling, 2));
    to.coupling = v3::from_columns(v3::times_plus(h, z.x, a), v3::times_plus(h, z.y, b), v3::times_plus(h, z.z, c));
    // The entry on the diagonal is added twice.
    let j = v3::rotate(r, Vector3::new(j.x, j.y, j.z * 0.5));
    to.angular = plus_outer(plus_outer(to.angular, z, j), j, z);
}
