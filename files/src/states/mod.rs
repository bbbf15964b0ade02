//! States of a robot: read from a file, or random.

mod asked;
mod random;
mod read;

pub use asked::asked;
pub use random::{NEUTRAL, RANDOM, neutral, random, random_whole};
pub use read::{one_each, read, read_held, unknown_link};

use crate::robot::LinkPlace;
use gradyn::Scalar;
use gradyn::dynamics::{ExternalWrench, WrenchFrame};
use gradyn::spatial::{Force, Transform};
use nalgebra::{DMatrix, Vector3};

/// One state, checked: all lengths are right, all numbers finite, all quaternions of length one.
#[derive(Clone, Debug)]
pub struct State {
    /// nq
    pub q: Vec<f64>,
    /// nv
    pub v: Vec<f64>,
    /// nv
    pub a: Vec<f64>,
    /// Torques of the joints, nv, from which accelerations are computed; `None` if the state does not have them.
    pub tau: Option<Vec<f64>>,
    /// Wrenches on links; `None` if the state does not speak of them.
    pub f_ext: Option<Vec<LinkWrench>>,
    /// What torques or accelerations are combined by, nv.
    pub lambda: Option<Vec<f64>>,
    /// A direction of q, v, a and torques, nv each, that Hessians are multiplied by.
    pub direction: Option<[Vec<f64>; 4]>,
}

/// The keys of a direction.
pub const DIRECTION: [&str; 4] = ["q", "v", "a", "tau"];

/// A wrench that acts on a link from outside.
#[derive(Clone, Debug)]
pub struct LinkWrench {
    /// The name of the link.
    pub link: String,
    /// Force, N, then moment about the origin of its frame, N m.
    pub wrench: [f64; 6],
    /// The link's own frame, or the world's.
    pub frame: WrenchFrame,
    /// Where the link is.
    pub place: LinkPlace,
}

impl LinkWrench {
    /// Its numbers as they are.
    pub fn force(&self) -> Force<f64> {
        let [fx, fy, fz, nx, ny, nz] = self.wrench;
        Force::new(Vector3::new(fx, fy, fz), Vector3::new(nx, ny, nz))
    }

    /// Whether they are those of the body that carries the link.
    pub fn is_of_body(&self) -> bool {
        self.frame == WrenchFrame::World || self.place.placement == Transform::identity()
    }

    /// The same wrench on the body that carries the link, with these numbers; `None` on the world, where it changes
    /// nothing.
    pub fn on_body<T: Scalar>(&self, force: Force<T>) -> Option<ExternalWrench<T>> {
        let LinkPlace { body, placement } = self.place;
        // A link that is its body keeps its numbers to the last bit.
        let wrench = if self.is_of_body() { force } else { placement.lift::<T>().act(force) };
        Some(ExternalWrench { body: body?, frame: self.frame, wrench })
    }
}

impl State {
    /// The wrenches on bodies.
    pub fn wrenches(&self) -> Vec<ExternalWrench> {
        self.f_ext.iter().flatten().filter_map(|link| link.on_body(link.force())).collect()
    }

    /// For each link with a wrench the derivatives of so many rows by it, in its own frame, from those by
    /// [`wrenches`](Self::wrenches).
    pub fn by_link(&self, by_body: &[DMatrix<f64>], rows: usize) -> Vec<(String, DMatrix<f64>)> {
        let mut by_body = by_body.iter();
        let links = self.f_ext.iter().flatten().map(|link| {
            let LinkPlace { body, placement } = link.place;
            let matrix = match body.and_then(|_| by_body.next()) {
                None => DMatrix::zeros(rows, 6),
                Some(m) if link.is_of_body() => m.clone(),
                Some(m) => DMatrix::from_iterator(rows, 6, (m * placement.dual_action()).iter().copied()),
            };
            (link.link.clone(), matrix)
        });
        links.collect()
    }
}
