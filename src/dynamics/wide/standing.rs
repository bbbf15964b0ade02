//! Columns and inertias of all bodies, brought from lanes to bodies.

use super::rnea::{origin, pose};
use super::{Layout, Memory, outward};
use crate::dynamics::rooted::Rooted;
use crate::model::Model;
use crate::spatial::{InertiaAboutOrigin, Motion, Symmetric3};
use gradyn_derivatives::simd::{Kernel, Register, WIDTH};
use nalgebra::Vector3;

/// Fills in all of `rooted` but the poses.
pub(super) fn place(model: &Model, layout: &Layout, memory: &mut Memory, q: &[f64], rooted: &mut Rooted<f64>) {
    memory.level.run(Standing { model, layout, memory, q, rooted });
}

/// Poses, and the origins of the trees, after [`place`].
pub(super) fn poses(model: &Model, layout: &Layout, memory: &Memory, q: &[f64], rooted: &mut Rooted<f64>) {
    for (i, body) in model.bodies.iter().enumerate() {
        rooted.pose[i] = pose(layout, memory, i);
        if body.parent.is_none() {
            rooted.origin[i] = origin(model, i, q);
        }
    }
}

struct Standing<'a> {
    model: &'a Model,
    layout: &'a Layout,
    memory: &'a mut Memory,
    q: &'a [f64],
    rooted: &'a mut Rooted<f64>,
}

impl Kernel for Standing<'_> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { model, layout, memory, q, rooted } = self;
        outward::read_configuration::<R>(layout, memory, q);
        outward::place::<R>(model, layout, memory, q);
        let mut bodies = model.bodies.iter().zip(&layout.bodies).enumerate().peekable();
        let mut first = 0;
        for (g, group) in layout.groups.iter().enumerate() {
            let (s, y) = outward::weigh::<R>(group, &outward::poses(&memory.poses[g * WIDTH..(g + 1) * WIDTH]));
            let (u, w, h, m) = (s.linear, s.angular, y.first_moment, y.moment);
            let low = R::transpose([u.x.0, u.y.0, u.z.0, w.x.0, w.y.0, w.z.0, y.mass.0, h.x.0]);
            let high = R::transpose([h.y.0, h.z.0, m.xx.0, m.xy.0, m.xz.0, m.yy.0, m.yz.0, m.zz.0]);
            let (mut lows, mut highs) = ([[0.0; WIDTH]; WIDTH], [[0.0; WIDTH]; WIDTH]);
            for k in 0..WIDTH {
                (lows[k], highs[k]) = (low[k].to_array(), high[k].to_array());
            }
            while let Some((i, (body, step))) = bodies.next_if(|(_, (_, step))| step.lane / WIDTH == g) {
                let last = step.lane % WIDTH;
                for (k, to) in rooted.columns[first..first + body.v.len()].iter_mut().enumerate() {
                    let [a, b, c, d, e, f, ..] = lows[last + 1 - body.v.len() + k];
                    *to = Motion::new(Vector3::new(a, b, c), Vector3::new(d, e, f));
                }
                first += body.v.len();
                let ([.., mass, hx], [hy, hz, xx, xy, xz, yy, yz, zz]) = (lows[last], highs[last]);
                rooted.inertia[i] = InertiaAboutOrigin {
                    mass,
                    first_moment: Vector3::new(hx, hy, hz),
                    moment: Symmetric3::new(xx, xy, xz, yy, yz, zz),
                };
            }
        }
    }
}
