//! Coordinates and conventions of joints that rotate about more than one axis.

use super::Guess;
use crate::joint::{Geometry, Joint, JointKind};
use crate::model::{Body, Model};
use nalgebra::{DMatrix, Matrix6};
use std::ops::Range;

/// Conventions of the velocity of a joint: of which point, in which axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Convention {
    /// Both parts in axes of the parent.
    Rotated,
    /// The linear part in axes of the parent, the angular part in those of the body.
    Mixed,
    /// The body-fixed point at the parent's origin, in axes of the parent.
    Spatial,
}

impl Convention {
    pub(super) const ALL: [Self; 3] = [Self::Rotated, Self::Mixed, Self::Spatial];

    pub(super) fn guess(self) -> Guess {
        let expected = String::from("the body's own coordinates");
        match self {
            Self::Rotated => Guess::MissingRotation,
            Self::Mixed => {
                let found = String::from("mixed coordinates (linear in world axes, angular in body axes)");
                Guess::Frame { found, expected }
            }
            Self::Spatial => Guess::Frame { found: String::from("world coordinates"), expected },
        }
    }
}

/// Bodies for whose joints the convention matters.
pub(super) fn turning(model: &Model) -> Vec<usize> {
    let turns = |body: &Body| body.owns_coordinates() && body.joint().parts().any(|j| j.geometry() != Geometry::Flat);
    model.bodies().iter().enumerate().filter(|(_, body)| turns(body)).map(|(i, _)| i).collect()
}

/// `C` and `C⁻¹`, nv × nv: the velocity in the convention is `C v`, for the joints of these bodies. `None` if it
/// matters for no joint.
pub(super) fn to_convention(
    model: &Model,
    q: &[f64],
    convention: Convention,
    bodies: &[usize],
) -> Option<(DMatrix<f64>, DMatrix<f64>)> {
    let n = model.nv();
    let (mut to, mut from) = (DMatrix::identity(n, n), DMatrix::identity(n, n));
    let mut differs = false;
    for body in bodies.iter().map(|i| &model.bodies()[*i]) {
        let joint = body.joint();
        for (part, (rq, rv)) in joint.parts().zip(joint.blocks(body.q_range().start, body.v_range().start)) {
            let places: &[usize] = match part.geometry() {
                Geometry::Flat => continue,
                Geometry::So3 => &[3, 4, 5],
                Geometry::Se2 => &[0, 1, 5],
                Geometry::Se3 => &[0, 1, 2, 3, 4, 5],
            };
            let (there, back) = match (convention, part.geometry()) {
                (Convention::Mixed, Geometry::So3) | (Convention::Mixed | Convention::Spatial, Geometry::Se2) => {
                    continue;
                }
                (_, Geometry::Se2) => {
                    let (cos, sin) = (q[rq.start + 2], q[rq.start + 3]);
                    let mut m = Matrix6::identity();
                    (m[(0, 0)], m[(0, 1)], m[(1, 0)], m[(1, 1)]) = (cos, -sin, sin, cos);
                    (m, m.transpose())
                }
                (Convention::Spatial, _) => {
                    let x = part.pose(&q[rq]);
                    (x.action(), x.inv_action())
                }
                _ => {
                    let x = part.pose(&q[rq]);
                    let mut m = Matrix6::identity();
                    m.fixed_view_mut::<3, 3>(0, 0).copy_from(&x.rotation);
                    if convention == Convention::Rotated {
                        m.fixed_view_mut::<3, 3>(3, 3).copy_from(&x.rotation);
                    }
                    (m, m.transpose())
                }
            };
            differs = true;
            for (i, a) in places.iter().enumerate() {
                for (j, b) in places.iter().enumerate() {
                    to[(rv.start + i, rv.start + j)] = there[(*a, *b)];
                    from[(rv.start + i, rv.start + j)] = back[(*a, *b)];
                }
            }
        }
    }
    differs.then_some((to, from))
}

/// `G` with `q̇ = G v`, nq × nv, and its left inverse, which maps a derivative along the tangent to that by
/// coordinates, for a function that does not depend on their length.
pub(super) fn coefficients(model: &Model, q: &[f64]) -> (DMatrix<f64>, DMatrix<f64>) {
    let (nq, nv) = (model.nq(), model.nv());
    let mut g = DMatrix::zeros(nq, nv);
    let mut direction = vec![0.0; nv];
    let mut rate = vec![0.0; nq];
    for k in 0..nv {
        direction[k] = 1.0;
        model.rates(q, &direction, &mut rate);
        direction[k] = 0.0;
        g.column_mut(k).copy_from_slice(&rate);
    }
    // The columns of G are orthogonal to each other: those of unit quaternions of length ½.
    let mut inverse = g.transpose();
    for k in 0..nv {
        let square = g.column(k).norm_squared();
        inverse.row_mut(k).scale_mut(1.0 / square);
    }
    (g, inverse)
}

impl Joint {
    /// Its elementary parts.
    fn parts(&self) -> impl Iterator<Item = Joint> + '_ {
        let composite = if let Self::Composite(joint) = self { Some(joint) } else { None };
        let parts = composite.into_iter().flat_map(|joint| joint.blocks().map(|(part, ..)| (*part).into()));
        parts.chain(composite.is_none().then(|| self.clone()))
    }

    /// The ranges of coordinates and directions of its elementary parts, in a model where its own start at `q` and `v`.
    pub(super) fn blocks(&self, q: usize, v: usize) -> Vec<(Range<usize>, Range<usize>)> {
        let shift = |range: Range<usize>, by: usize| range.start + by..range.end + by;
        match self {
            Self::Composite(joint) => joint.blocks().map(|(_, rq, rv)| (shift(rq, q), shift(rv, v))).collect(),
            _ => vec![(q..q + JointKind::<f64>::nq(self), v..v + JointKind::<f64>::nv(self))],
        }
    }
}
