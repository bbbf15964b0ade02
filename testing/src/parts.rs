//! Robots put together from the bodies of others.

use gradyn::joint::Joint;
use gradyn::model::{Body, BodyId, BodyKey, DofDynamics, FrictionCurve, Model, ModelBuilder};
use gradyn::spatial::{Inertia, Transform};

/// A body of a robot that is put together anew.
pub struct Part<'a> {
    /// The robot that it comes from.
    pub of: &'a Model,
    /// The body there whose joint it has, with followers, armature, friction and springs.
    pub body: usize,
    /// A place among the parts.
    pub parent: Option<usize>,
    /// Where its joint is on the parent.
    pub placement: Transform<f64>,
    /// Between the parent and it.
    pub joint: Joint,
    /// Its own.
    pub inertia: Inertia<f64>,
}

/// All bodies of a model as parts, their roots on `parent`; `before` parts come before them.
pub fn parts(of: &Model, parent: Option<usize>, before: usize) -> Vec<Part<'_>> {
    let part = |(body, b): (usize, &Body)| Part {
        of,
        body,
        parent: b.parent().map(|p| p.index() + before).or(parent),
        placement: *b.placement(),
        joint: b.joint().clone(),
        inertia: *b.inertia(),
    };
    of.bodies().iter().enumerate().map(part).collect()
}

/// The robot that parts make, the one at `k` by the name of `k`; followers, armature, friction and springs are theirs, all else is
/// the first one's.
pub fn assembled(parts: &[Part<'_>]) -> Model {
    let first = parts[0].of;
    let mut builder = ModelBuilder::new(first.name());
    builder.set_gravity(first.gravity()).set_friction_width(first.friction_width());
    let mut keys: Vec<BodyKey> = Vec::new();
    for (k, part) in parts.iter().enumerate() {
        let joint = match &part.joint {
            Joint::Mimic(mimic) => (*mimic.inner()).into(),
            joint => joint.clone(),
        };
        let parent = part.parent.map(|p| keys[p]);
        let key = builder.add_body(parent, format!("{k}"), format!("of {k}"), part.placement, joint, part.inertia);
        keys.push(key.expect("builds"));
    }
    let own = |part: &Part<'_>| part.of.bodies()[part.body].v_range();
    for (k, part) in parts.iter().enumerate() {
        if let Joint::Mimic(mimic) = &part.joint {
            let leads = |p: &Part<'_>| std::ptr::eq(p.of, part.of) && own(p) == own(part);
            let leader = parts.iter().position(|p| leads(p) && !matches!(p.joint, Joint::Mimic(_)));
            let leader = keys[leader.expect("is there")];
            builder.set_mimic(keys[k], leader, mimic.multiplier(), mimic.offset()).expect("one coordinate each");
        }
    }
    let model = builder.build().expect("builds");
    let mut dofs = Vec::new();
    for (k, part) in parts.iter().enumerate().filter(|(_, part)| !matches!(part.joint, Joint::Mimic(_))) {
        let to = model.bodies()[of_part(&model, k).index()].v_range();
        for (from, to) in own(part).zip(to) {
            let dynamics = part.of.joint_dynamics().iter().filter(|dof| dof.index == from);
            dofs.extend(dynamics.map(|dof| DofDynamics { index: to, ..*dof }));
        }
    }
    let mut model = model.with_joint_dynamics(dofs).expect("fits");
    for (k, part) in parts.iter().enumerate() {
        let (id, nv) = (of_part(&model, k), part.of.bodies()[part.body].v_range().len());
        let from = part.of.body_id(part.body).expect("is there");
        let own: Vec<_> = (0..nv).map(|k| part.of.spring_constants(from, k)).collect();
        if own.iter().any(Option::is_some) {
            let all = |which: usize| own.iter().map(|spring| spring.map_or(0.0, |s| s[which])).collect::<Vec<_>>();
            model = model.with_stiffness(id, &all(0)).expect("fits");
            model = model.with_spring_reference(id, &all(1)).expect("fits");
        }
        let own: Vec<_> = (0..nv).map(|k| part.of.friction_curve_of(from, k)).collect();
        if own.iter().any(Option::is_some) {
            let all = |of: fn(&FrictionCurve) -> f64, otherwise: f64| {
                own.iter().map(|curve| curve.map_or(otherwise, of)).collect::<Vec<_>>()
            };
            model = model.with_stribeck(id, &all(|curve| curve.stribeck, 0.0)).expect("fits");
            model = model.with_stribeck_velocity(id, &all(|curve| curve.stribeck_velocity, 1.0)).expect("fits");
            model = model.with_friction_asymmetry(id, &all(|curve| curve.asymmetry, 0.0)).expect("fits");
        }
    }
    model
}

/// The body that a part has become.
pub fn of_part(model: &Model, k: usize) -> BodyId {
    model.find_body(&k.to_string()).expect("is there")
}

/// The bodies of one model, and those of another, whose root is a child of a body of the first or of the world.
pub fn joined(first: &Model, second: &Model, on: Option<usize>) -> Model {
    let mut all = parts(first, None, 0);
    all.extend(parts(second, on, first.bodies().len()));
    assembled(&all)
}
