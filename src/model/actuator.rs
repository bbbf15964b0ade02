//! Motors, and whatever else drives joints: one control each.

use super::{BodyKey, Model, ModelBuilder, ModelError};
use gradyn_derivatives::Real;

/// One control: the torques that a unit of it exerts on joints, and what it can do.
#[derive(Clone, Debug, PartialEq)]
#[doc(alias("actuator", "motor", "transmission", "mjtGain", "gear"))]
pub struct Actuator {
    /// Its name.
    pub name: String,
    /// Degrees of freedom that it drives, indices into v, each with its gear: torque per control. Several for a coupled drive.
    pub gears: Vec<(usize, f64)>,
    /// Least and greatest control; infinite where there are none.
    pub limits: (f64, f64),
    /// What speed leaves of these, if that is known.
    pub speed_torque: Option<SpeedTorque>,
}

/// The line of a motor at full voltage, in units of its control: it stalls at one torque, and exerts none at its no-load speed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[doc(alias("torque-speed curve", "speed-torque curve", "DC motor"))]
pub struct SpeedTorque {
    /// The torque at rest, N m (N), positive.
    pub stall: f64,
    /// The speed without load, rad/s (m/s), positive.
    pub no_load: f64,
}

impl Actuator {
    /// How fast it turns where joints move at `v`, nv: `Σ gear v`, rad/s (m/s), as power is the same on both sides of a gear.
    #[must_use]
    pub fn speed(&self, v: &[f64]) -> f64 {
        self.gears.iter().filter_map(|(dof, gear)| Some(gear * v.get(*dof)?)).sum()
    }

    /// The least and the greatest control at a speed `ω`: its limits, and those of the motor,
    /// `−stall (1 + ω / no_load) ≤ u ≤ stall (1 − ω / no_load)`. Beyond twice the no-load speed the motor must brake: bounds have one sign.
    #[must_use]
    pub fn bounds(&self, speed: f64) -> (f64, f64) {
        let (lower, upper) = self.limits;
        match self.speed_torque {
            None => (lower, upper),
            Some(SpeedTorque { stall, no_load }) => {
                let share = speed / no_load;
                (lower.max(-stall * (1.0 + share)), upper.min(stall * (1.0 - share)))
            }
        }
    }
}

/// An actuator of a builder: bodies whose joints it drives, the degree of freedom of each, and its gear.
#[derive(Clone, Debug)]
pub(super) struct ActuatorDraft {
    pub(super) name: String,
    pub(super) drives: Vec<(usize, usize, f64)>,
    pub(super) limits: (f64, f64),
    pub(super) speed_torque: Option<SpeedTorque>,
}

impl<P: Real> ModelBuilder<P> {
    /// Adds a control that drives joints: bodies that these carry, the number of the degree of freedom among those of the joint, and the
    /// gear, torque per control. A joint that follows another is driven by way of its leader, `k gear` there. Returns its number.
    ///
    /// A robot without actuators is taken for one with a motor on every joint but its floating base
    /// ([`Actuation::of`](super::Actuation::of)).
    ///
    /// # Errors
    /// [`ModelError::UnknownBody`] if this builder has no body of one of the keys, [`ModelError::Length`] if a joint has no such degree of
    /// freedom, [`ModelError::BadNumber`] for a gear that is not finite.
    pub fn add_actuator(
        &mut self,
        name: impl Into<String>,
        drives: &[(BodyKey, usize, f64)],
    ) -> Result<usize, ModelError> {
        let name = name.into();
        for (body, k, gear) in drives {
            let draft = self.draft(*body, "actuator")?;
            let nv = crate::joint::JointKind::<P>::nv(&draft.joint);
            if *k >= nv {
                let joint = draft.joint_name.clone();
                return Err(ModelError::Length { what: "actuator", name: joint, expected: nv, found: k + 1 });
            }
            if !gear.is_finite() {
                return Err(ModelError::BadNumber {
                    what: "gear",
                    name,
                    value: *gear,
                    rule: "expected a finite number",
                });
            }
        }
        let drives = drives.iter().map(|(body, k, gear)| (body.0, *k, *gear)).collect();
        let limits = (f64::NEG_INFINITY, f64::INFINITY);
        self.actuators.push(ActuatorDraft { name, drives, limits, speed_torque: None });
        Ok(self.actuators.len() - 1)
    }

    /// Sets the least and the greatest control of an actuator, by its number.
    ///
    /// # Errors
    /// [`ModelError::UnknownBody`] if there is no such actuator, [`ModelError::BadNumber`] for bounds that hold no number.
    pub fn set_actuator_limits(&mut self, actuator: usize, lower: f64, upper: f64) -> Result<&mut Self, ModelError> {
        let draft = self.actuator(actuator)?;
        if lower.is_nan() || upper.is_nan() || lower > upper || lower == f64::INFINITY || upper == f64::NEG_INFINITY {
            let (what, rule) = ("lower limit", "expected a number that is not above the upper one");
            return Err(ModelError::BadNumber { what, name: draft.name.clone(), value: lower, rule });
        }
        draft.limits = (lower, upper);
        Ok(self)
    }

    /// Sets the speed-torque line of an actuator, by its number.
    ///
    /// # Errors
    /// [`ModelError::UnknownBody`] if there is no such actuator, [`ModelError::BadNumber`] for a number that is not positive and finite.
    pub fn set_speed_torque(&mut self, actuator: usize, line: SpeedTorque) -> Result<&mut Self, ModelError> {
        let draft = self.actuator(actuator)?;
        for (what, value) in [("stall torque", line.stall), ("no-load speed", line.no_load)] {
            if !(value > 0.0 && value.is_finite()) {
                let (name, rule) = (draft.name.clone(), "expected a positive number");
                return Err(ModelError::BadNumber { what, name, value, rule });
            }
        }
        draft.speed_torque = Some(line);
        Ok(self)
    }

    fn actuator(&mut self, number: usize) -> Result<&mut ActuatorDraft, ModelError> {
        let unknown = ModelError::UnknownBody { what: "actuator", name: format!("#{number}") };
        self.actuators.get_mut(number).ok_or(unknown)
    }

    /// Gives bodies other numbers, or takes them away; and with them what drives them, and actuators that drive nothing any more.
    pub(super) fn renumber_actuators(&mut self, place: impl Fn(usize) -> Option<usize>) {
        for actuator in &mut self.actuators {
            let moved = actuator.drives.iter().filter_map(|(body, k, gear)| Some((place(*body)?, *k, *gear)));
            actuator.drives = moved.collect();
        }
        self.actuators.retain(|actuator| !actuator.drives.is_empty());
    }
}

impl ActuatorDraft {
    /// That of a model; `owners`: for each degree of freedom the body whose joint it is of, and its number there.
    pub(super) fn of(actuator: &Actuator, owners: &[(usize, usize)]) -> Self {
        let drive = |(dof, gear): &(usize, f64)| (owners[*dof].0, owners[*dof].1, *gear);
        Self {
            name: actuator.name.clone(),
            drives: actuator.gears.iter().map(drive).collect(),
            limits: actuator.limits,
            speed_torque: actuator.speed_torque,
        }
    }

    /// As a model has it. `joint`: where the degrees of freedom of a body's joint begin, and the multiplier of one that follows another.
    pub(super) fn build(self, joint: impl Fn(usize) -> (usize, f64)) -> Actuator {
        let mut gears: Vec<(usize, f64)> = Vec::new();
        for (body, k, gear) in self.drives {
            let (start, multiplier) = joint(body);
            let (dof, gear) = (start + k, multiplier * gear);
            match gears.iter_mut().find(|(known, _)| *known == dof) {
                Some((_, sum)) => *sum += gear,
                None => gears.push((dof, gear)),
            }
        }
        Actuator { name: self.name, gears, limits: self.limits, speed_torque: self.speed_torque }
    }
}

impl<P: Real> Model<P> {
    /// What drives the robot, if it is known: one entry a control, in the order in which they were added.
    #[must_use]
    pub fn actuators(&self) -> &[Actuator] {
        &self.actuators
    }

    /// The least and the greatest control of each actuator at rest: its limits, and the effort limits of joints that it alone drives,
    /// `|gear u| ≤ effort`. Where nothing is in both, the end of the effort limits that is nearest.
    #[must_use]
    pub fn control_limits(&self) -> Vec<(f64, f64)> {
        let mut drivers = vec![0_usize; self.nv];
        let driven = |actuator: &Actuator| actuator.gears.clone().into_iter().filter(|(_, gear)| *gear != 0.0);
        for (dof, _) in self.actuators.iter().flat_map(driven) {
            drivers.get_mut(dof).into_iter().for_each(|count| *count += 1);
        }
        let of = |actuator: &Actuator| {
            let alone = driven(actuator).filter(|(dof, _)| drivers.get(*dof) == Some(&1));
            let most = alone.map(|(dof, gear)| self.limits.effort[dof] / gear.abs()).fold(f64::INFINITY, f64::min);
            let bring = |x: f64| x.max(-most).min(most);
            (bring(actuator.limits.0), bring(actuator.limits.1))
        };
        self.actuators.iter().map(of).collect()
    }

    /// For each degree of freedom the body whose joint it is of, and its number there.
    pub(super) fn dof_owners(&self) -> Vec<(usize, usize)> {
        let mut owners = vec![(0, 0); self.nv];
        for (b, body) in self.bodies.iter().enumerate().filter(|(_, body)| body.owns_coordinates) {
            for (k, dof) in body.v.clone().enumerate() {
                owners[dof] = (b, k);
            }
        }
        owners
    }
}
