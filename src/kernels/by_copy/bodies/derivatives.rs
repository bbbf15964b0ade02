//! Derivatives of a quadruped's inverse dynamics, in axes of its base ([`root_axes`](crate::kernels::by_copy::root_axes)), a leg in each lane.

use crate::joint::{FreeFlyer, JointKind};
use crate::kernels::by_copy::bodies::body_rows::{by_rows, gather, scatter};
use crate::kernels::by_copy::bodies::entries::{put, put_base, put_six, sum_flow, sum_mass, sum_vector};
use crate::kernels::by_copy::bodies::mass_matrix::{link, of_quadruped, turn};
use crate::kernels::by_copy::bodies::{BASE, BodiesMemory, NV};
use crate::kernels::by_copy::root_axes::{Moving, Placed, of_free};
use crate::plan::bodies::{DepthGroup, DepthGroups};
use crate::spatial::{Force, Motion, vector as v3};
use gradyn_derivatives::Lanes;
use gradyn_derivatives::simd::Register;
use nalgebra::Vector3;

kernel!(
    halves,
    /// Torques and derivatives, without what joints add; entries that the tree makes zero are not written.
    pub(crate) fn derivatives<'a, R: Register>(
        gravity: Vector3<f64>,
        groups: &'a DepthGroups,
        memory: &'a mut BodiesMemory,
        q: &'a [f64],
        v: &'a [f64],
        a: &'a [f64],
        tau: &'a mut [f64],
        /// By configurations, velocities and accelerations.
        to: [&'a mut [f64]; 3],
    ) {
        let DepthGroups { groups, .. } = groups;
        let BodiesMemory { orientation, scales, .. } = memory;
        let [dq, dv, da] = to;
        let pose = JointKind::<f64>::pose::<f64>(&FreeFlyer, &q[..7]);
        *orientation = v3::product(&by_rows(groups[0].rotation.map(|four| four.0[0])), &pose.rotation);
        let up: Vector3<f64> = v3::rotate_back(orientation, v3::neg(gravity));

        let (v0, a0) = (six(v), six(a));
        let [group, hip, knee, foot] = of_quadruped(groups);
        let mut base = Moving::<Lanes<R::Low>>::root(&link(group));
        base.set_free(v3::lift(up), lifted(&v0), lifted(&a0));
        let at = Placed::on_root(&link(hip), turn(hip, q));
        let mut first = Moving::on_parent(at, &base, rates(hip, v, a));
        let at = Placed::on_parent(&link(knee), &first.at, turn(knee, q));
        let mut second = Moving::on_parent(at, &first, rates(knee, v, a));
        let at = Placed::on_parent(&link(foot), &second.at, turn(foot, q));
        let third = Moving::on_parent(at, &second, rates(foot, v, a));

        let mut to = Matrices { dq: &mut *dq, dv: &mut *dv, da: &mut *da };
        scales.set(2, &third.at);
        to.entries(foot, &third, &[(knee, &second), (hip, &first)], &base, tau);
        second.add(&third);
        scales.set(1, &second.at);
        to.entries(knee, &second, &[(hip, &first)], &base, tau);
        first.add(&second);
        scales.set(0, &first.at);
        to.entries(hip, &first, &[], &base, tau);
        base.add(&first);
        let (mass, flow) = (sum_mass(&base.at.mass), sum_flow(&base.flow));
        scales.set_base(&mass);
        let force = Force::new(sum_vector(base.force.linear), sum_vector(base.force.angular));
        tau[..BASE].copy_from_slice(&force.to_array());
        let [x, y, z, a, b, c] = v0;
        let velocity = Motion::new(Vector3::new(x, y, z), Vector3::new(a, b, c));
        let (columns, mut k) = (mass.matrix(), 0);
        while k < BASE {
            let [by_q, by_v] = of_free(k, (&mass, &flow), Motion::new(up, v3::zero()), velocity);
            put_base(dq, k, &by_q.to_array());
            put_base(dv, k, &by_v.to_array());
            put_base(da, k, &columns[k]);
            k += 1;
        }
    }
);

/// Derivatives of torques, column by column.
struct Matrices<'a> {
    dq: &'a mut [f64],
    dv: &'a mut [f64],
    da: &'a mut [f64],
}

impl Matrices<'_> {
    /// Torques of a group, and entries of its columns with themselves, with those between them and the base, and with that.
    #[inline(always)]
    fn entries<R: Register>(
        &mut self,
        group: &DepthGroup,
        body: &Moving<Lanes<R>>,
        above: &[(&DepthGroup, &Moving<Lanes<R>>)],
        base: &Moving<Lanes<R>>,
        tau: &mut [f64],
    ) {
        let (column, s, at) = (body.column(), body.at.s, &group.v);
        scatter(s.power(body.force), at, tau);
        let own = at.map(|v| v * (NV + 1));
        scatter(s.power(column.Q), &own, self.dq);
        scatter(s.power(column.V), &own, self.dv);
        scatter(s.power(column.A), &own, self.da);
        for (group, above) in above {
            let (entries, at) = (column.with(above), (&group.v, at));
            put(self.dq, at, entries.by_q);
            put(self.dv, at, entries.by_v);
            put(self.da, at, (entries.by_a, entries.by_a));
        }
        let entries = column.with_free(base);
        put_six(self.dq, at, entries.by_q);
        put_six(self.dv, at, entries.by_v);
        put_six(self.da, at, (entries.by_a, entries.by_a));
    }
}

/// Velocities and accelerations of hinges.
#[inline(always)]
fn rates<R: Register>(group: &DepthGroup, v: &[f64], a: &[f64]) -> (Lanes<R>, Lanes<R>) {
    (gather(v, &group.v), gather(a, &group.v))
}

/// The same in all lanes.
#[inline(always)]
fn lifted<R: Register>(x: &[f64; BASE]) -> [Lanes<R>; BASE] {
    let [a, b, c, d, e, f] = *x;
    [a.into(), b.into(), c.into(), d.into(), e.into(), f.into()]
}

/// The first six.
#[inline(always)]
fn six(x: &[f64]) -> [f64; BASE] {
    [x[0], x[1], x[2], x[3], x[4], x[5]]
}
