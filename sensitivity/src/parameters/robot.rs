//! The robot with other values of its parameters, over any number type.

use super::kind::Kind;
use super::values::{Moved, Values};
use super::{Parameters, changes_joint, chart};
use crate::error::SensitivityError;
use gradyn::model::{BodyId, FrictionCurve, ParameterId};
use gradyn::spatial::exp6;
use gradyn::{Model, Scalar};
use nalgebra::Vector3;
use std::collections::BTreeMap;
use std::ops::Range;

/// Numbers of a joint, and those of them that move, each with a factor.
type Own = (Vec<f64>, Vec<(usize, Moved, f64)>);

/// The numbers of a robot that move, grouped for the setters; the same for every number type.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    pub(super) inertia: BTreeMap<usize, Vec<(ParameterId, Moved)>>,
    pub(super) placement: BTreeMap<usize, [Option<Moved>; 6]>,
    pub(super) frame: BTreeMap<usize, [Option<Moved>; 6]>,
    pub(super) axis: BTreeMap<(usize, usize), [Option<Moved>; 2]>,
    pitch: Vec<(usize, usize, Moved)>,
    mimic: BTreeMap<usize, [Option<Moved>; 2]>,
    /// Friction, damping, armature, stiffness, spring reference, Stribeck friction, its velocity, asymmetry: those of the given robot, and those that move.
    joint: [BTreeMap<usize, Own>; 8],
    width: Option<Moved>,
    gravity: [Option<Moved>; 3],
}

impl Parameters {
    /// The robot with these values, over any number type: dual numbers for derivatives, registers for eight robots at
    /// once. Parameters of the state at the start have no effect here.
    ///
    /// # Errors
    /// [`SensitivityError::Length`], and values that the setters of the model reject.
    pub fn robot_at<P: Scalar<f64>>(&self, values: &[P]) -> Result<Model<P>, SensitivityError> {
        self.check(values.len())?;
        let mut model: Model<P> = self.robot.lift();
        self.set(&mut model, values)?;
        Ok(model)
    }

    /// Sets these values in a robot from [`robot_at`](Self::robot_at), without allocating a new one, unless axes,
    /// pitches or mimic joints are among them. Otherwise workspaces remain valid.
    ///
    /// # Errors
    /// As [`robot_at`](Self::robot_at).
    pub fn set<P: Scalar<f64>>(&self, model: &mut Model<P>, values: &[P]) -> Result<(), SensitivityError> {
        self.check(values.len())?;
        let (groups, values, base) = (self.grouped(), Values(values), &self.robot);
        let body = |b: usize| base.body_id(b).ok_or_else(|| SensitivityError::Other(format!("no body {b}")));
        model.update_parameters(|to| {
            for (b, entries) in &groups.inertia {
                if let Some(id) = base.body_id(*b) {
                    let entries = entries.iter().map(|(kind, x)| (*kind, values.of(*x)));
                    to.set_inertia(id, chart::inertia(base.bodies()[*b].inertia(), entries))?;
                }
            }
            for (b, xi) in &groups.placement {
                if let Some(id) = base.body_id(*b) {
                    to.set_placement(id, base.bodies()[*b].placement().lift::<P>() * exp6(values.twist(xi)))?;
                }
            }
            for (f, xi) in &groups.frame {
                if let Some(id) = base.frame_id(*f) {
                    to.set_frame_placement(id, base.frames()[*f].placement().lift::<P>() * exp6(values.twist(xi)))?;
                }
            }
            for (which, of_bodies) in groups.joint.iter().enumerate() {
                for (b, (own, entries)) in of_bodies {
                    let mut numbers: Vec<P> = own.iter().map(|x| P::from(*x)).collect();
                    entries.iter().for_each(|(k, x, factor)| numbers[*k] = values.of(*x) * *factor);
                    if let Some(id) = base.body_id(*b) {
                        match which {
                            0 => to.set_friction(id, &numbers)?,
                            1 => to.set_damping(id, &numbers)?,
                            2 => to.set_armature(id, &numbers)?,
                            3 => to.set_stiffness(id, &numbers)?,
                            4 => to.set_spring_reference(id, &numbers)?,
                            5 => to.set_stribeck(id, &numbers)?,
                            6 => to.set_stribeck_velocity(id, &numbers)?,
                            _ => to.set_friction_asymmetry(id, &numbers)?,
                        };
                    }
                }
            }
            if let Some(width) = groups.width {
                to.set_friction_width(values.of(width))?;
            }
            if groups.gravity.iter().any(Option::is_some) {
                let of = |k: usize| values.or(groups.gravity[k], base.gravity()[k]);
                to.set_gravity(Vector3::new(of(0), of(1), of(2)))?;
            }
            Ok(())
        })?;
        for ((b, number), along) in &groups.axis {
            let axis = base.bodies()[*b].joint().axes()[*number];
            *model = model.clone().with_axis(body(*b)?, *number, values.axis(axis.vector(), along))?;
        }
        for (b, number, pitch) in &groups.pitch {
            *model = model.clone().with_pitch(body(*b)?, *number, values.of(*pitch))?;
        }
        for (b, [ratio, offset]) in &groups.mimic {
            if let gradyn::joint::Joint::Mimic(own) = base.bodies()[*b].joint() {
                let (ratio, offset) = (values.or(*ratio, own.multiplier()), values.or(*offset, own.offset()));
                *model = model.clone().with_mimic(body(*b)?, ratio, offset)?;
            }
        }
        Ok(())
    }

    /// Whether workspaces must be created anew after [`set`](Self::set).
    #[must_use]
    pub fn changes_joints(&self) -> bool {
        self.any(changes_joint)
    }

    /// The numbers that move, in groups.
    pub(super) fn grouped(&self) -> &Groups {
        self.groups.get_or_init(|| self.group())
    }

    fn group(&self) -> Groups {
        let mut groups = Groups::default();
        let (layout, numbers) = (self.robot.parameter_layout(), self.robot.standard_parameters());
        let own = |body: BodyId, of: &Range<usize>| -> Own {
            (layout.of_joint(body).map(|j| numbers[of.start + j]).collect(), Vec::new())
        };
        let springs = |body: BodyId, which: usize| -> Vec<f64> {
            let dofs = 0..self.robot.bodies()[body.index()].v_range().len();
            dofs.map(|k| self.robot.spring_constants(body, k).map_or(0.0, |numbers| numbers[which])).collect()
        };
        let curves = |body: BodyId, of: fn(&FrictionCurve) -> f64, otherwise: f64| -> Vec<f64> {
            let dofs = 0..self.robot.bodies()[body.index()].v_range().len();
            dofs.map(|k| self.robot.friction_curve_of(body, k).map_or(otherwise, of)).collect()
        };
        for (place, members) in self.chosen.iter().enumerate() {
            let leader = self.all[members[0]].nominal;
            for parameter in members.iter().map(|i| &self.all[*i]) {
                let x = (place, parameter.nominal - leader);
                let Some(id) = parameter.kind.robot() else { continue };
                let joint = |of_bodies: &mut BTreeMap<usize, Own>, b: BodyId, k: usize, of: &Range<usize>| {
                    of_bodies.entry(b.index()).or_insert_with(|| own(b, of)).1.push((k, x, 1.0));
                };
                let force = |of_bodies: &mut BTreeMap<usize, Own>, b: BodyId, k: usize, own: Vec<f64>| {
                    of_bodies.entry(b.index()).or_insert_with(|| (own, Vec::new())).1.push((k, x, 1.0));
                };
                match id {
                    ParameterId::Placement(b, k) => {
                        groups.placement.entry(b.index()).or_insert([None; 6])[k] = Some(x);
                    }
                    ParameterId::FramePlacement(f, k) => {
                        groups.frame.entry(f.index()).or_insert([None; 6])[k] = Some(x);
                    }
                    ParameterId::Axis(b, number, k) => {
                        groups.axis.entry((b.index(), number)).or_insert([None; 2])[k] = Some(x);
                    }
                    ParameterId::Pitch(b, number) => groups.pitch.push((b.index(), number, x)),
                    ParameterId::Ratio(b) => groups.mimic.entry(b.index()).or_insert([None; 2])[0] = Some(x),
                    ParameterId::Offset(b) => groups.mimic.entry(b.index()).or_insert([None; 2])[1] = Some(x),
                    ParameterId::Friction(b, k) => joint(&mut groups.joint[0], b, k, &layout.friction),
                    ParameterId::Damping(b, k) => joint(&mut groups.joint[1], b, k, &layout.damping),
                    ParameterId::Armature(b, k) => joint(&mut groups.joint[2], b, k, &layout.armature),
                    ParameterId::RotorInertia(b, k) => {
                        let armature = groups.joint[2].entry(b.index()).or_insert_with(|| own(b, &layout.armature));
                        armature.1.push((k, x, self.squared_ratio(b, k)));
                    }
                    ParameterId::Stiffness(b, k) => force(&mut groups.joint[3], b, k, springs(b, 0)),
                    ParameterId::SpringReference(b, k) => {
                        force(&mut groups.joint[4], b, k, springs(b, 1));
                    }
                    ParameterId::Stribeck(b, k) => force(&mut groups.joint[5], b, k, curves(b, |c| c.stribeck, 0.0)),
                    ParameterId::StribeckVelocity(b, k) => {
                        let own = curves(b, |c| c.stribeck_velocity, FrictionCurve::<f64>::VELOCITY);
                        force(&mut groups.joint[6], b, k, own);
                    }
                    ParameterId::FrictionAsymmetry(b, k) => {
                        force(&mut groups.joint[7], b, k, curves(b, |c| c.asymmetry, 0.0));
                    }
                    ParameterId::FrictionWidth => groups.width = Some(x),
                    ParameterId::Gravity(k) => groups.gravity[k] = Some(x),
                    id => {
                        if let Some(b) = id.inertia_of() {
                            groups.inertia.entry(b.index()).or_default().push((id, x));
                        }
                    }
                }
            }
        }
        groups
    }

    /// Armature for each unit of a rotor's inertia.
    pub(super) fn squared_ratio(&self, body: BodyId, k: usize) -> f64 {
        self.robot.bodies()[body.index()].gear_ratio(k).map_or(1.0, |ratio| ratio * ratio)
    }

    /// The steps of the state at the start: `(δq, δv)`, nv each.
    ///
    /// # Errors
    /// [`SensitivityError::Length`]
    pub fn start_at<P: Scalar<f64>>(&self, values: &[P]) -> Result<(Vec<P>, Vec<P>), SensitivityError> {
        self.check(values.len())?;
        let nv = self.robot.nv();
        let (mut dq, mut dv) = (vec![P::from(0.0); nv], vec![P::from(0.0); nv]);
        for (members, x) in self.chosen.iter().zip(values) {
            for parameter in members.iter().map(|i| &self.all[*i]) {
                match parameter.kind {
                    Kind::StartQ(k) => dq[k] = *x,
                    Kind::StartV(k) => dv[k] = *x,
                    _ => {}
                }
            }
        }
        Ok((dq, dv))
    }

    /// The biases of torque sensors, nv; zero if they do not vary.
    ///
    /// # Errors
    /// [`SensitivityError::Length`]
    pub fn torque_offsets(&self, values: &[f64]) -> Result<Vec<f64>, SensitivityError> {
        self.check(values.len())?;
        let mut offsets = vec![0.0; self.robot.nv()];
        for (dof, k) in self.of_torque_sensors() {
            offsets[dof] = values[k];
        }
        Ok(offsets)
    }

    /// Degrees of freedom with a varying bias of the torque sensor, and the selected parameter of each.
    pub(crate) fn of_torque_sensors(&self) -> Vec<(usize, usize)> {
        let of = |(k, members): (usize, &Vec<usize>)| {
            let dofs = members.iter().filter_map(|i| match self.all[*i].kind {
                Kind::TorqueOffset(dof) => Some((dof, k)),
                _ => None,
            });
            dofs.collect::<Vec<_>>()
        };
        self.chosen.iter().enumerate().flat_map(of).collect()
    }

    /// Adds the gradient by the state at the start.
    pub(crate) fn add_start<P: Scalar<f64>>(&self, by_q: &[P], by_v: &[P], to: &mut [P]) {
        for (to, members) in to.iter_mut().zip(&self.chosen) {
            for i in members {
                match self.all[*i].kind {
                    Kind::StartQ(k) => *to += by_q[k],
                    Kind::StartV(k) => *to += by_v[k],
                    _ => {}
                }
            }
        }
    }
}
