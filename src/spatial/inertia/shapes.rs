//! Bodies of uniform density, from their mass and size, centered at the frame's origin (but for the tetrahedron).
//!
//! Any number type, so that a size can be a design parameter to differentiate by. Sizes may be zero (a box without
//! height is a plate). Formulas: any handbook; the tests integrate each over its volume.

use super::{Inertia, InertiaError};
use crate::spatial::{Symmetric3, vector as v3};
use gradyn_derivatives::Real;
use nalgebra::Vector3;

impl<T: Real> Inertia<T> {
    /// All mass at one point `p`, m.
    ///
    /// # Errors
    /// [`InertiaError::Size`] for a mass that is negative, or a number that is not finite.
    pub fn point_mass(mass: T, p: Vector3<T>) -> Result<Self, InertiaError> {
        sizes("point mass", [("mass", mass)])?;
        finite("point mass", "position", p)?;
        Ok(Self::new(mass, p, Symmetric3::zero()))
    }

    /// A solid box with the edges `a`, `b`, `c` along x, y, z, m: `Ixx = m (b² + c²)/12`.
    ///
    /// # Errors
    /// [`InertiaError::Size`] for a mass or size that is negative or not finite; so for all shapes.
    pub fn solid_box(mass: T, [a, b, c]: [T; 3]) -> Result<Self, InertiaError> {
        sizes("solid box", [("mass", mass), ("x", a), ("y", b), ("z", c)])?;
        Ok(Self::from_second_moments(mass, [a * a, b * b, c * c].map(|x| x * (1.0 / 12.0))))
    }

    /// A solid ball: `I = 2/5 m r²`. `radius` in m.
    ///
    /// # Errors
    /// [`InertiaError::Size`]
    pub fn solid_sphere(mass: T, radius: T) -> Result<Self, InertiaError> {
        sizes("solid sphere", [("mass", mass), ("radius", radius)])?;
        Ok(Self::from_second_moments(mass, [radius * radius * (1.0 / 5.0); 3]))
    }

    /// A thin spherical shell: `I = 2/3 m r²`. `radius` in m.
    ///
    /// # Errors
    /// [`InertiaError::Size`]
    pub fn hollow_sphere(mass: T, radius: T) -> Result<Self, InertiaError> {
        sizes("hollow sphere", [("mass", mass), ("radius", radius)])?;
        Ok(Self::from_second_moments(mass, [radius * radius * (1.0 / 3.0); 3]))
    }

    /// A solid ellipsoid with the semi-axes `a`, `b`, `c` along x, y, z, m: `Ixx = m (b² + c²)/5`.
    ///
    /// # Errors
    /// [`InertiaError::Size`]
    pub fn solid_ellipsoid(mass: T, [a, b, c]: [T; 3]) -> Result<Self, InertiaError> {
        sizes("solid ellipsoid", [("mass", mass), ("x", a), ("y", b), ("z", c)])?;
        Ok(Self::from_second_moments(mass, [a * a, b * b, c * c].map(|x| x * (1.0 / 5.0))))
    }

    /// A solid cylinder about z, of `radius` and `length`, m: `Ixx = m (3 r² + l²)/12`, `Izz = m r²/2`.
    ///
    /// # Errors
    /// [`InertiaError::Size`]
    pub fn solid_cylinder(mass: T, radius: T, length: T) -> Result<Self, InertiaError> {
        sizes("solid cylinder", [("mass", mass), ("radius", radius), ("length", length)])?;
        let r2 = radius * radius * (1.0 / 4.0);
        Ok(Self::from_second_moments(mass, [r2, r2, length * length * (1.0 / 12.0)]))
    }

    /// A thin rod along z, of `length`, m: `Ixx = m l²/12`, `Izz = 0`.
    ///
    /// # Errors
    /// [`InertiaError::Size`]
    pub fn thin_rod(mass: T, length: T) -> Result<Self, InertiaError> {
        sizes("thin rod", [("mass", mass), ("length", length)])?;
        Ok(Self::from_second_moments(mass, [T::zero(), T::zero(), length * length * (1.0 / 12.0)]))
    }

    /// A solid capsule about z: a cylinder of `radius` and `length`, m, with a half ball of the same radius on each
    /// end.
    ///
    /// The mass is shared by volume, `l : 4/3 r`. Per kilogram, the second moments of the cylinder are `r²/4`, `r²/4`,
    /// `l²/12`, and those of the two half balls `r²/5`, `r²/5`, `r²/5 + 3/8 r l + l²/4`.
    ///
    /// # Errors
    /// [`InertiaError::Size`]
    pub fn solid_capsule(mass: T, radius: T, length: T) -> Result<Self, InertiaError> {
        sizes("solid capsule", [("mass", mass), ("radius", radius), ("length", length)])?;
        let (r2, l2, rl) = (radius * radius, length * length, radius * length);
        let volume = length + radius * (4.0 / 3.0);
        // no size, no volume: all moments are zero whatever the share
        let volume = (-volume).select_lt(0.0, volume, T::one());
        let (cylinder, ends) = (length / volume, radius * (4.0 / 3.0) / volume);
        let across = cylinder * r2 * (1.0 / 4.0) + ends * r2 * (1.0 / 5.0);
        let along = cylinder * l2 * (1.0 / 12.0) + ends * (r2 * (1.0 / 5.0) + rl * (3.0 / 8.0) + l2 * (1.0 / 4.0));
        Ok(Self::from_second_moments(mass, [across, across, along]))
    }

    /// A solid tetrahedron with the corners `p_i`, m: `c = ¼ Σ p_i`, second moments `m/20 Σ (p_i − c)(p_i − c)ᵀ`. The
    /// sum over the tetrahedra of a mesh is the inertia of its inside.
    ///
    /// # Errors
    /// [`InertiaError::Size`]
    pub fn solid_tetrahedron(mass: T, corners: [Vector3<T>; 4]) -> Result<Self, InertiaError> {
        let shape = "solid tetrahedron";
        sizes(shape, [("mass", mass)])?;
        let mut com = v3::zero::<T>();
        for p in corners {
            finite(shape, "corner", p)?;
            com = v3::add::<T, T>(com, v3::scale(0.25, p));
        }
        let mut second = Symmetric3::<T>::zero();
        for p in corners {
            second = second + Symmetric3::square_of(v3::sub(p, com));
        }
        Ok(Self::new(mass, com, second.trace_minus().scale::<T>(mass * (1.0 / 20.0))))
    }

    /// Centered, with principal axes x, y, z, from the second moments of mass per kilogram `[⟨x²⟩, ⟨y²⟩, ⟨z²⟩]`, m²:
    /// `Ixx = m (⟨y²⟩ + ⟨z²⟩)`.
    #[inline(always)]
    fn from_second_moments(mass: T, [x, y, z]: [T; 3]) -> Self {
        Self::new(mass, v3::zero(), Symmetric3::diagonal((y + z) * mass, (x + z) * mass, (x + y) * mass))
    }
}

/// Checks that all numbers are finite and nonnegative.
fn sizes<T: Real, const N: usize>(shape: &'static str, given: [(&'static str, T); N]) -> Result<(), InertiaError> {
    for (name, x) in given {
        // comparisons work in each lane, so a negative number becomes one that is not finite
        let marked = x.select_lt(0.0, T::from(f64::NAN), x);
        if !marked.is_finite() {
            return Err(InertiaError::Size { shape, name, value: format!("{x:?}") });
        }
    }
    Ok(())
}

/// Checks that a position is finite.
fn finite<T: Real>(shape: &'static str, name: &'static str, p: Vector3<T>) -> Result<(), InertiaError> {
    if p.x.is_finite() && p.y.is_finite() && p.z.is_finite() {
        return Ok(());
    }
    Err(InertiaError::Size { shape, name, value: format!("{:?}", [p.x, p.y, p.z]) })
}
