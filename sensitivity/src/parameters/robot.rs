//! The robot that has other values of its parameters, over any number type.

use super::kind::Kind;
use super::{Parameters, chart, joint_numbers};
use crate::error::SensitivityError;
use gradyn::joint::Axis;
use gradyn::spatial::{Motion, exp3, exp6};
use gradyn::{Model, Scalar};
use nalgebra::Vector3;
use std::collections::BTreeMap;

/// New values, in groups as setters want them.
#[derive(Default)]
struct Values<P> {
    inertia: BTreeMap<usize, Vec<(Kind, P)>>,
    placement: BTreeMap<usize, [Option<P>; 6]>,
    frame: BTreeMap<usize, [Option<P>; 6]>,
    axis: BTreeMap<(usize, usize), [Option<P>; 2]>,
    pitch: Vec<(usize, usize, P)>,
    mimic: BTreeMap<usize, [Option<P>; 2]>,
    joint: [BTreeMap<usize, Vec<(usize, P)>>; 3],
    width: Option<P>,
    gravity: [Option<P>; 3],
}

impl Parameters {
    /// The robot with these values, over any number type: dual numbers for derivatives, registers for eight robots at once. Those of the
    /// state at the start change nothing here.
    ///
    /// # Errors
    /// [`SensitivityError::Length`], and what the setters of the model refuse.
    pub fn robot_at<P: Scalar<f64>>(&self, values: &[P]) -> Result<Model<P>, SensitivityError> {
        self.check(values.len())?;
        let mut model: Model<P> = self.robot.lift();
        self.set(&mut model, values)?;
        Ok(model)
    }

    /// Sets these values in a robot that [`robot_at`](Self::robot_at) has made: no allocation of a new one, unless axes, pitches or
    /// mimic joints are among them. Workspaces stay, unless these are.
    ///
    /// # Errors
    /// As [`robot_at`](Self::robot_at).
    pub fn set<P: Scalar<f64>>(&self, model: &mut Model<P>, values: &[P]) -> Result<(), SensitivityError> {
        self.check(values.len())?;
        let groups = self.groups(values);
        let base = &self.robot;
        let mut inertias = Vec::with_capacity(groups.inertia.len());
        for (b, entries) in &groups.inertia {
            inertias.push((*b, chart::inertia(base.bodies()[*b].inertia(), entries)));
        }
        let body = |b: usize| base.body_id(b).ok_or_else(|| SensitivityError::Other(format!("no body {b}")));
        model.update_parameters(|to| {
            for (b, inertia) in &inertias {
                if let Some(id) = base.body_id(*b) {
                    to.set_inertia(id, *inertia)?;
                }
            }
            for (b, xi) in &groups.placement {
                if let Some(id) = base.body_id(*b) {
                    to.set_placement(id, base.bodies()[*b].placement().lift::<P>() * exp6(twist(xi)))?;
                }
            }
            for (f, xi) in &groups.frame {
                if let Some(id) = base.frame_id(*f) {
                    to.set_frame_placement(id, base.frames()[*f].placement().lift::<P>() * exp6(twist(xi)))?;
                }
            }
            for (which, of_bodies) in groups.joint.iter().enumerate() {
                for (b, entries) in of_bodies {
                    let mut numbers: Vec<P> = joint_numbers(base, *b).iter().map(|own| P::from(own[which])).collect();
                    entries.iter().for_each(|(k, x)| numbers[*k] = *x);
                    if let Some(id) = base.body_id(*b) {
                        match which {
                            0 => to.set_friction(id, &numbers)?,
                            1 => to.set_damping(id, &numbers)?,
                            _ => to.set_armature(id, &numbers)?,
                        };
                    }
                }
            }
            if let Some(width) = groups.width {
                to.set_friction_width(width)?;
            }
            if groups.gravity.iter().any(Option::is_some) {
                let of = |k: usize| groups.gravity[k].unwrap_or(P::from(base.gravity()[k]));
                to.set_gravity(Vector3::new(of(0), of(1), of(2)))?;
            }
            Ok(())
        })?;
        for ((b, number), along) in &groups.axis {
            let axis = base.bodies()[*b].joint().axes()[*number];
            let tangents = chart::tangents(axis.vector());
            let zero = P::from(0.0);
            let mut turn = Vector3::new(zero, zero, zero);
            for (x, tangent) in along.iter().zip(tangents) {
                for k in 0..3 {
                    turn[k] += x.unwrap_or(zero) * tangent[k];
                }
            }
            let (r, a) = (exp3(turn), axis.vector());
            let row = |i: usize| r[(i, 0)] * a.x + r[(i, 1)] * a.y + r[(i, 2)] * a.z;
            let turned = Axis::Any(Vector3::new(row(0), row(1), row(2)));
            *model = model.clone().with_axis(body(*b)?, *number, turned)?;
        }
        for (b, number, pitch) in &groups.pitch {
            *model = model.clone().with_pitch(body(*b)?, *number, *pitch)?;
        }
        for (b, [ratio, offset]) in &groups.mimic {
            if let gradyn::joint::Joint::Mimic(own) = base.bodies()[*b].joint() {
                let ratio = ratio.unwrap_or(P::from(own.multiplier()));
                let offset = offset.unwrap_or(P::from(own.offset()));
                *model = model.clone().with_mimic(body(*b)?, ratio, offset)?;
            }
        }
        Ok(())
    }

    /// Do workspaces have to be made anew after [`set`](Self::set)?
    #[must_use]
    pub fn changes_joints(&self) -> bool {
        self.any(|kind| matches!(kind, Kind::Axis(..) | Kind::Pitch(..) | Kind::Multiplier(_) | Kind::Offset(_)))
    }

    fn groups<P: Scalar<f64>>(&self, values: &[P]) -> Values<P> {
        let mut groups = Values {
            inertia: BTreeMap::new(),
            placement: BTreeMap::new(),
            frame: BTreeMap::new(),
            axis: BTreeMap::new(),
            pitch: Vec::new(),
            mimic: BTreeMap::new(),
            joint: [BTreeMap::new(), BTreeMap::new(), BTreeMap::new()],
            width: None,
            gravity: [None; 3],
        };
        for (members, x) in self.chosen.iter().zip(values) {
            let leader = self.all[members[0]].nominal;
            for parameter in members.iter().map(|i| &self.all[*i]) {
                let x = *x + P::from(parameter.nominal - leader);
                match parameter.kind {
                    Kind::Placement(b, k) => groups.placement.entry(b).or_insert([None; 6])[k] = Some(x),
                    Kind::FramePlacement(f, k) => groups.frame.entry(f).or_insert([None; 6])[k] = Some(x),
                    Kind::Axis(b, number, k) => groups.axis.entry((b, number)).or_insert([None; 2])[k] = Some(x),
                    Kind::Pitch(b, number) => groups.pitch.push((b, number, x)),
                    Kind::Multiplier(b) => groups.mimic.entry(b).or_insert([None; 2])[0] = Some(x),
                    Kind::Offset(b) => groups.mimic.entry(b).or_insert([None; 2])[1] = Some(x),
                    Kind::Friction(b, k) => groups.joint[0].entry(b).or_default().push((k, x)),
                    Kind::Damping(b, k) => groups.joint[1].entry(b).or_default().push((k, x)),
                    Kind::Armature(b, k) => groups.joint[2].entry(b).or_default().push((k, x)),
                    Kind::FrictionWidth => groups.width = Some(x),
                    Kind::Gravity(k) => groups.gravity[k] = Some(x),
                    Kind::StartQ(_) | Kind::StartV(_) | Kind::Own(_) => {}
                    kind => {
                        if let Some(b) = kind.inertia_of() {
                            groups.inertia.entry(b).or_default().push((kind, x));
                        }
                    }
                }
            }
        }
        groups
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

    /// Adds the gradient by the state at the start.
    pub(crate) fn add_start(&self, by_q: &[f64], by_v: &[f64], to: &mut [f64]) {
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

fn twist<P: Scalar<f64>>(xi: &[Option<P>; 6]) -> Motion<P> {
    let of = |k: usize| xi[k].unwrap_or(P::from(0.0));
    Motion::new(Vector3::new(of(0), of(1), of(2)), Vector3::new(of(3), of(4), of(5)))
}
