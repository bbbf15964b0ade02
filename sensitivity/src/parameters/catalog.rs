//! All parameters of a robot, by name.

use super::Parameter;
use super::kind::{Kind, LINEAR, LOG_CHOLESKY, MOMENTS, PAYLOAD, POSE};
use gradyn::Model;
use gradyn::joint::Joint;
use std::collections::BTreeSet;

/// Names in the order of the file: each body with its joint, then frames, then those of the whole robot.
pub(crate) fn of(model: &Model) -> Vec<Parameter> {
    let mut all = Catalog { list: Vec::new(), names: BTreeSet::new() };
    let dofs = model.dof_names();
    for (b, body) in model.bodies().iter().enumerate() {
        let (link, joint) = (body.name(), body.joint_name());
        let inertia = body.inertia();
        all.add(format!("{link}.mass"), Kind::Mass(b), inertia.mass);
        all.add(format!("{link}.density"), Kind::Density(b), 1.0);
        for (k, axis) in POSE[..3].iter().enumerate() {
            all.add(format!("{link}.com.{axis}"), Kind::Com(b, k), inertia.com[k]);
        }
        let about = inertia.rotational;
        for (k, x) in [about.xx, about.xy, about.yy, about.xz, about.yz, about.zz].into_iter().enumerate() {
            all.add(format!("{link}.inertia.{}", MOMENTS[k]), Kind::Moment(b, k), x);
        }
        for (k, x) in inertia.to_parameters().into_iter().enumerate() {
            all.add(format!("{link}.pi.{}", LINEAR[k]), Kind::Linear(b, k), x);
        }
        // An inertia that is not physical has none; selecting one is an error that says why.
        let theta = inertia.log_cholesky().map_or([f64::NAN; 10], |theta| theta.to_array());
        for (k, x) in theta.into_iter().enumerate() {
            all.add(format!("{link}.log_cholesky.{}", LOG_CHOLESKY[k]), Kind::LogCholesky(b, k), x);
        }
        for (k, name) in PAYLOAD.iter().enumerate() {
            all.add(format!("{link}.payload.{name}"), Kind::Payload(b, k), 0.0);
        }
        for (k, name) in POSE.iter().enumerate() {
            all.add(format!("{joint}.placement.{name}"), Kind::Placement(b, k), 0.0);
        }
        for number in 0..body.joint().axes().len() {
            let which = if number == 0 { String::new() } else { (number + 1).to_string() };
            for k in 0..2 {
                all.add(format!("{joint}.axis{which}.{}", k + 1), Kind::Axis(b, number, k), 0.0);
            }
        }
        for (number, pitch) in body.joint().pitches().into_iter().enumerate() {
            let which = if number == 0 { String::new() } else { (number + 1).to_string() };
            all.add(format!("{joint}.pitch{which}"), Kind::Pitch(b, number), pitch);
        }
        if let Joint::Mimic(mimic) = body.joint() {
            all.add(format!("{joint}.ratio"), Kind::Multiplier(b), mimic.multiplier());
            all.add(format!("{joint}.offset"), Kind::Offset(b), mimic.offset());
        }
        let own = super::joint_numbers(model, b);
        for (k, dof) in body.v_range().enumerate() {
            let name = if body.owns_coordinates() { dofs[dof].as_str() } else { joint };
            let [friction, damping, armature] = own[k];
            all.add(format!("{name}.friction"), Kind::Friction(b, k), friction);
            all.add(format!("{name}.damping"), Kind::Damping(b, k), damping);
            all.add(format!("{name}.armature"), Kind::Armature(b, k), armature);
        }
    }
    for (f, frame) in model.frames().iter().enumerate().skip(model.bodies().len()) {
        for (k, name) in POSE.iter().enumerate() {
            all.add(format!("{}.placement.{name}", frame.name()), Kind::FramePlacement(f, k), 0.0);
        }
    }
    for (k, axis) in POSE[..3].iter().enumerate() {
        all.add(format!("gravity.{axis}"), Kind::Gravity(k), model.gravity()[k]);
    }
    all.add("friction_width".into(), Kind::FrictionWidth, model.friction_width());
    for (k, dof) in dofs.iter().enumerate() {
        all.add(format!("{dof}.torque_offset"), Kind::TorqueOffset(k), 0.0);
    }
    for (k, dof) in dofs.iter().enumerate() {
        all.add(format!("state.q.{dof}"), Kind::StartQ(k), 0.0);
    }
    for (k, dof) in dofs.iter().enumerate() {
        all.add(format!("state.v.{dof}"), Kind::StartV(k), 0.0);
    }
    all.list
}

struct Catalog {
    list: Vec<Parameter>,
    names: BTreeSet<String>,
}

impl Catalog {
    /// The first of a name counts: a frame may have the name of a joint.
    fn add(&mut self, name: String, kind: Kind, nominal: f64) {
        if self.names.insert(name.clone()) {
            self.list.push(Parameter { name, kind, nominal });
        }
    }
}
