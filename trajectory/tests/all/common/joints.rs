//! Robots of every kind of joint, and states of them.

use gradyn::joint::{Axis, Composite, Elementary, FreeFlyer, Joint, JointKind, Prismatic, Revolute, Spherical};
use gradyn::spatial::{Symmetric3, exp3};
use gradyn::{Inertia, Model, ModelBuilder, Transform};
use nalgebra::Vector3;

/// Every kind of joint that has coordinates, by name.
pub(crate) fn kinds() -> Vec<(&'static str, Joint)> {
    let moving = Elementary::every().filter(|kind| JointKind::<f64>::nv(kind) > 0);
    let composite = Composite::new([Prismatic { axis: Axis::X }.into(), Spherical.into()]);
    moving.map(|kind| (kind.name(), kind.into())).chain([("composite", composite.into())]).collect()
}

/// An inertia without symmetry.
fn inertia(mass: f64, com: [f64; 3]) -> Inertia<f64> {
    Inertia::new(mass, com.into(), Symmetric3::new(0.05, 0.004, -0.003, 0.07, 0.002, 0.09))
}

/// A joint of this kind, then three hinges across each other: a point of the last body can go anywhere.
pub(crate) fn arm_on(name: &str, joint: Joint) -> Model {
    let mut builder = ModelBuilder::new(name);
    let place = |turn: [f64; 3], at: [f64; 3]| Transform::new(exp3(turn.into()), at.into());
    let first = place([0.2, -0.4, 0.1], [0.1, 0.2, 0.3]);
    let mut last =
        builder.add_body(None, "base", "base joint", first, joint, inertia(2.0, [0.1, 0.02, -0.05])).expect("is valid");
    for (k, axis) in [Axis::Z, Axis::Y, Axis::X].into_iter().enumerate() {
        let at = place([0.1 * k as f64, 0.3, -0.2], [0.3, 0.05, 0.1]);
        let link = inertia(1.0 - 0.2 * k as f64, [0.15, 0.01, 0.03]);
        let added = builder.add_body(Some(last), format!("link{k}"), format!("hinge{k}"), at, Revolute { axis }, link);
        last = added.expect("is valid");
    }
    builder.build().expect("is a robot")
}

/// A loose base, two legs of two hinges, one of which follows the other, friction, damping and armature.
pub(crate) fn rough() -> Model {
    let mut builder = ModelBuilder::new("rough");
    builder.set_friction_width(0.4);
    let at = Transform::identity();
    let base = builder.add_body(None, "base", "loose", at, FreeFlyer, inertia(3.0, [0.1, 0.02, -0.05]));
    let (base, mut hinges) = (base.expect("is valid"), Vec::new());
    for leg in 0..2 {
        let mut last = base;
        for (k, axis) in [Axis::Y, Axis::X].into_iter().enumerate() {
            let x = 0.3 - 0.6 * leg as f64;
            let at = Transform::new(exp3([0.1 * k as f64, 0.3, -0.2].into()), [x, 0.05, -0.1].into());
            let (name, joint) = (format!("link{leg}{k}"), format!("hinge{leg}{k}"));
            let link = inertia(1.0 - 0.2 * k as f64, [0.15, 0.01, 0.03]);
            last = builder.add_body(Some(last), name, joint, at, Revolute { axis }, link).expect("is valid");
            hinges.push(last);
        }
    }
    for (k, hinge) in hinges.iter().enumerate() {
        builder.set_friction(*hinge, &[0.2 + 0.1 * k as f64]).expect("fits");
        builder.set_damping(*hinge, &[0.3]).expect("fits");
        builder.set_armature(*hinge, &[0.05]).expect("fits");
    }
    builder.set_mimic(hinges[2], hinges[0], -0.7, 0.2).expect("follows");
    builder.build().expect("is a robot")
}

/// One body on this joint, its center of mass at the joint, where nothing pulls.
pub(crate) fn afloat(joint: impl Into<Joint>) -> Model {
    let mut builder = ModelBuilder::new("afloat");
    builder.set_gravity(Vector3::zeros());
    let at = Transform::identity();
    builder.add_body(None, "body", "joint", at, joint, inertia(1.5, [0.0; 3])).expect("is valid");
    builder.build().expect("is a robot")
}
