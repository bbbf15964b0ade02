//! States of a robot: read from a file, or random.

pub(crate) mod json;
mod random;
mod read;

pub(crate) use random::{NEUTRAL, RANDOM, neutral, random, random_held};
pub(crate) use read::{bytes, constraints, name, nearest, read, read_held, unknown_link};

use crate::robot::LinkPlace;
use gradyn::dynamics::ExternalWrench;
use gradyn::spatial::{Force, Transform};
use nalgebra::{DMatrix, Vector3};

/// One state, checked: all lengths are right, all numbers finite, all quaternions of length one.
#[derive(Clone, Debug)]
pub(crate) struct State {
    /// nq
    pub(crate) q: Vec<f64>,
    /// nv
    pub(crate) v: Vec<f64>,
    /// nv
    pub(crate) a: Vec<f64>,
    /// Torques of the joints, nv, from which accelerations are computed; `None` if the state does not have them.
    pub(crate) tau: Option<Vec<f64>>,
    /// Wrenches on links; `None` if the state does not speak of them.
    pub(crate) f_ext: Option<Vec<LinkWrench>>,
}

/// A wrench that acts on a link from outside, in the link's own frame.
#[derive(Clone, Debug)]
pub(crate) struct LinkWrench {
    pub(crate) link: String,
    /// Force, N, then moment about the link's origin, N m.
    pub(crate) wrench: [f64; 6],
    pub(crate) place: LinkPlace,
}

impl LinkWrench {
    /// The same wrench on the body that carries the link; `None` on the world, where it changes nothing.
    fn on_body(&self) -> Option<ExternalWrench> {
        let [fx, fy, fz, nx, ny, nz] = self.wrench;
        let wrench = Force::new(Vector3::new(fx, fy, fz), Vector3::new(nx, ny, nz));
        let LinkPlace { body, placement } = self.place;
        // A link that is its body keeps its numbers to the last bit.
        let wrench = if placement == Transform::identity() { wrench } else { placement.act(wrench) };
        Some(ExternalWrench::in_body(body?, wrench))
    }
}

impl State {
    /// The wrenches on bodies.
    pub(crate) fn wrenches(&self) -> Vec<ExternalWrench> {
        self.f_ext.iter().flatten().filter_map(LinkWrench::on_body).collect()
    }

    /// For each link with a wrench the derivatives of so many rows by it, in the link's frame, from those by
    /// [`wrenches`](Self::wrenches).
    pub(crate) fn by_link(&self, by_body: &[DMatrix<f64>], rows: usize) -> Vec<(String, DMatrix<f64>)> {
        let mut by_body = by_body.iter();
        let links = self.f_ext.iter().flatten().map(|link| {
            let LinkPlace { body, placement } = link.place;
            let matrix = match body.and_then(|_| by_body.next()) {
                None => DMatrix::zeros(rows, 6),
                Some(m) if placement == Transform::identity() => m.clone(),
                Some(m) => DMatrix::from_iterator(rows, 6, (m * placement.dual_action()).iter().copied()),
            };
            (link.link.clone(), matrix)
        });
        links.collect()
    }
}
