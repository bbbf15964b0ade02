//! Derivatives of a quadruped's inverse dynamics, in axes of its base ([`root_axes`](crate::kernels::by_copy::root_axes)), a leg in each lane.

use crate::joint::{FreeFlyer, JointKind};
use crate::kernels::by_copy::bodies::body_rows::{by_rows, gather, scatter};
use crate::kernels::by_copy::bodies::entries::{put, put_base, put_six, sum_flow, sum_mass, sum_vector};
use crate::kernels::by_copy::bodies::mass_matrix::{link, turn};
use crate::kernels::by_copy::bodies::{BASE, BodiesMemory, HINGES, NV};
use crate::kernels::by_copy::root_axes::{Moving, of_free};
use crate::plan::bodies::DepthGroups;
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
        let mut bodies = [Moving::<Lanes<R::Low>>::root(&link(&groups[0])); 1 + HINGES];
        bodies[0].set_free(v3::lift(up), lifted(&v0), lifted(&a0));
        let mut i = 1;
        while i <= HINGES {
            let (before, here) = bodies.split_at_mut(i);
            let (group, rates) = (&groups[i], (gather(v, &groups[i].v), gather(a, &groups[i].v)));
            here[0].set_on_parent(&link(group), &before[i - 1], turn(group, q), rates);
            i += 1;
        }
        while i > 1 {
            i -= 1;
            let (before, here) = bodies.split_at_mut(i);
            let (body, at) = (&here[0], &groups[i].v);
            before[i - 1].add(body);
            scales.set(i - 1, &body.at);
            let (column, s) = (body.column(), body.at.s);
            scatter(s.power(body.force), at, tau);
            let own = at.map(|v| v * (NV + 1));
            scatter(s.power(column.Q), &own, dq);
            scatter(s.power(column.V), &own, dv);
            scatter(s.power(column.A), &own, da);
            let mut above = i;
            while above > 1 {
                above -= 1;
                let entries = column.with(&before[above]);
                let at = (&groups[above].v, at);
                put(dq, at, entries.by_q);
                put(dv, at, entries.by_v);
                put(da, at, (entries.by_a, entries.by_a));
            }
            let entries = column.with_free(&before[0]);
            put_six(dq, at, entries.by_q);
            put_six(dv, at, entries.by_v);
            put_six(da, at, (entries.by_a, entries.by_a));
        }

        let base = &bodies[0];
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
