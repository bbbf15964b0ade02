//! Volumes and moments of simple shapes, solid or of their surface alone.

use super::element::Values;
use super::error::{Fault, MjcfError};
use super::inertial::of_mesh;
use super::mesh::MeshMass;
use super::orientation::from_z;
use crate::model::source::rotation::unit;
use crate::spatial::{Inertia, Symmetric3, vector as v3};
use nalgebra::{Matrix3, Vector3};
use std::f64::consts::PI;
use std::rc::Rc;

/// A shape about the origin of its frame. Lengths along z are half of the whole, as MJCF has it.
pub(super) enum Shape {
    Sphere(f64),
    /// Radius, and half the length of the cylinder.
    Capsule(f64, f64),
    Cylinder(f64, f64),
    Ellipsoid([f64; 3]),
    /// Half its edges.
    Box([f64; 3]),
    Mesh(Rc<MeshMass>),
}

impl Shape {
    /// A shape of MJCF with its sizes.
    pub(super) fn of(kind: &'static str, [a, b, c]: [f64; 3], values: &Values) -> Result<Self, MjcfError> {
        let (shape, sizes) = match kind {
            "capsule" => (Self::Capsule(a, b), vec![a, b]),
            "cylinder" => (Self::Cylinder(a, b), vec![a, b]),
            "ellipsoid" => (Self::Ellipsoid([a, b, c]), vec![a, b, c]),
            "box" => (Self::Box([a, b, c]), vec![a, b, c]),
            _ => (Self::Sphere(a), vec![a]),
        };
        if let Some(value) = sizes.into_iter().find(|size| *size <= 0.0) {
            let (owner, rule) = (values.element.owner(), "expected a positive number");
            return Err(Fault::BadNumber { owner, attribute: "size", value, rule }.at(values.place("size")));
        }
        Ok(shape)
    }

    /// Volume, m³; of a surface alone its area, m².
    pub(super) fn volume(&self, surface: bool) -> f64 {
        match (self, surface) {
            (Self::Sphere(r), false) => 4.0 / 3.0 * PI * r * r * r,
            (Self::Sphere(r), true) => 4.0 * PI * r * r,
            (Self::Capsule(r, h), false) => PI * (r * r * 2.0 * h + 4.0 / 3.0 * r * r * r),
            (Self::Capsule(r, h), true) => 4.0 * PI * r * r + 4.0 * PI * r * h,
            (Self::Cylinder(r, h), false) => 2.0 * PI * r * r * h,
            (Self::Cylinder(r, h), true) => 2.0 * PI * r * r + 4.0 * PI * r * h,
            (Self::Ellipsoid([a, b, c]), false) => 4.0 / 3.0 * PI * a * b * c,
            (Self::Ellipsoid([a, b, c]), true) => {
                // Thomsen's formula, which MuJoCo has: within 1.1 %.
                let p = 1.6075;
                let mean = ((a * b).powf(p) + (b * c).powf(p) + (c * a).powf(p)) / 3.0;
                4.0 * PI * mean.powf(1.0 / p)
            }
            (Self::Box([a, b, c]), false) => 8.0 * a * b * c,
            (Self::Box([a, b, c]), true) => 8.0 * (a * b + b * c + c * a),
            (Self::Mesh(mesh), _) => mesh.volume,
        }
    }

    /// The inertia of this mass, kg, in the axes of the shape.
    pub(super) fn inertia(&self, mass: f64, surface: bool) -> Inertia<f64> {
        // Σ m x², Σ m y², Σ m z² for each kg.
        let second = match (self, surface) {
            (Self::Sphere(r), false) => [r * r / 5.0; 3],
            (Self::Sphere(r), true) => [r * r / 3.0; 3],
            (Self::Capsule(r, h), false) => {
                // A cylinder, and a ball that is cut: a half of it has its center at 3/8 of the radius.
                let ball = 4.0 * r / (4.0 * r + 6.0 * h);
                let along = ball * (r * r / 5.0 + 0.75 * r * h + h * h) + (1.0 - ball) * h * h / 3.0;
                let across = ball * r * r / 5.0 + (1.0 - ball) * r * r / 4.0;
                [across, across, along]
            }
            (Self::Capsule(r, h), true) => {
                let ball = r / (r + h);
                let along = ball * (r * r / 3.0 + r * h + h * h) + (1.0 - ball) * h * h / 3.0;
                let across = ball * r * r / 3.0 + (1.0 - ball) * r * r / 2.0;
                [across, across, along]
            }
            (Self::Cylinder(r, h), false) => [r * r / 4.0, r * r / 4.0, h * h / 3.0],
            (Self::Cylinder(r, h), true) => {
                // Both discs together.
                let discs = r / (r + 2.0 * h);
                let across = discs * r * r / 4.0 + (1.0 - discs) * r * r / 2.0;
                [across, across, discs * h * h + (1.0 - discs) * h * h / 3.0]
            }
            (Self::Ellipsoid(axes), false) => axes.map(|a| a * a / 5.0),
            (Self::Ellipsoid([a, b, c]), true) => shell(*a, *b, *c),
            (Self::Box(edges), false) => edges.map(|a| a * a / 3.0),
            (Self::Box([a, b, c]), true) => {
                let (ab, bc, ca) = (a * b, b * c, c * a);
                let along = |x: f64, faces: f64| x * x * (faces + (ab + bc + ca - faces) / 3.0) / (ab + bc + ca);
                [along(*a, bc), along(*b, ca), along(*c, ab)]
            }
            (Self::Mesh(mesh), _) => return of_mesh(mesh, mass),
        };
        let [x, y, z] = second.map(|square| mass * square);
        Inertia::new(mass, v3::zero(), Symmetric3::diagonal(y + z, z + x, x + y))
    }
}

/// Of an ellipsoid's surface, for each kg: what MuJoCo takes for it, an ellipsoid that is larger by ε without this one.
fn shell(a: f64, b: f64, c: f64) -> [f64; 3] {
    // As thin as this, m.
    let thin = 1e-6;
    let outer = [a + thin, b + thin, c + thin];
    let (inner_volume, outer_volume) = (a * b * c, outer[0] * outer[1] * outer[2]);
    let between = outer_volume - inner_volume;
    let of = |x: f64, y: f64| (outer_volume * y * y - inner_volume * x * x) / between / 5.0;
    [of(a, outer[0]), of(b, outer[1]), of(c, outer[2])]
}

/// The shortest rotation that takes z from one point towards the first of two, and their distance; none for one point.
pub(super) fn from_z_between(from: Vector3<f64>, to: Vector3<f64>) -> Option<(Matrix3<f64>, f64)> {
    let difference = v3::sub(from, to);
    // MuJoCo has z from the second point to the first.
    let direction = unit(difference)?;
    let length = v3::dot(direction, difference);
    (length > 2e-14).then(|| (from_z(direction), length))
}
