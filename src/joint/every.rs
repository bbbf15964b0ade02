//! One joint of each kind.

use super::*;
use nalgebra::Vector3;

impl Elementary {
    /// One joint of each kind, in the order of the variants: to try what is to work for all of them. Axes stand askew, so that nothing
    /// is right by symmetry.
    ///
    /// ```
    /// use gradyn::joint::{Elementary, JointKind};
    ///
    /// let most = Elementary::every().max_by_key(JointKind::<f64>::nv).expect("there are some");
    /// assert_eq!(most.name(), "free-flyer");
    /// ```
    pub fn every() -> impl Iterator<Item = Self> {
        std::iter::successors(Some(Self::Fixed(Fixed)), Self::after)
    }

    /// Of [`every`](Self::every), the one after this.
    fn after(&self) -> Option<Self> {
        // Of length one: 2, 3 and 6 are the sides of a box whose diagonal is 7.
        let axis = Axis::Any(Vector3::new(2.0, -3.0, 6.0) / 7.0);
        Some(match self {
            Self::Fixed(_) => Revolute { axis }.into(),
            Self::Revolute(_) => Continuous { axis }.into(),
            Self::Continuous(_) => Prismatic { axis }.into(),
            Self::Prismatic(_) => Helical { axis, pitch: 0.2 }.into(),
            Self::Helical(_) => Cylindrical { axis }.into(),
            Self::Cylindrical(_) => Universal { first: axis, second: Axis::Y }.into(),
            Self::Universal(_) => Planar::new(axis).into(),
            Self::Planar(_) => Translation.into(),
            Self::Translation(_) => Spherical.into(),
            Self::Spherical(_) => SphericalZyx.into(),
            Self::SphericalZyx(_) => FreeFlyer.into(),
            Self::FreeFlyer(_) => return None,
        })
    }
}
