//! The robot, and what holds it.

use super::Layout;
use crate::error::Error;
use crate::memory::{self, Limit};
use clap::{Args, ValueEnum};
use gradyn::model::urdf::{ContinuousForm, JointOrder, MimicForm, UrdfOptions};
use gradyn_files::armature::{self, Setting};
use gradyn_files::constraints::{Constraints, Contact, find};
use gradyn_files::robot::{FileOptions, Robot};
use nalgebra::Vector3;
use std::path::PathBuf;

/// What holds the robot.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ConstraintArgs {
    /// Hold a point of the robot: the origin of this link or joint; may be repeated
    #[arg(long, help_heading = "Constraints", value_name = "FRAME")]
    pub(crate) contact: Vec<String>,
    /// Hold a link or joint, including its rotation; may be repeated
    #[arg(long, help_heading = "Constraints", value_name = "FRAME")]
    pub(crate) contact_frame: Vec<String>,
    /// Read contacts and loops from a file with `constraints`, as for `evaluate`; `-` is standard input
    #[arg(long, help_heading = "Constraints", value_name = "FILE")]
    pub(crate) constraints: Option<PathBuf>,
}

impl ConstraintArgs {
    /// Whether anything is said of what holds the robot.
    pub(crate) fn is_given(&self) -> bool {
        !self.contact.is_empty() || !self.contact_frame.is_empty() || self.constraints.is_some()
    }

    /// Those of the file, then the contacts.
    pub(crate) fn constraints(&self, robot: &Robot) -> Result<Constraints, Error> {
        let model = &robot.model;
        let mut constraints = match &self.constraints {
            Some(path) => Constraints::of_file(path, robot)?,
            None => Constraints::default(),
        };
        for (names, flag, contact) in
            [(&self.contact, "--contact", Contact::Point), (&self.contact_frame, "--contact-frame", Contact::Frame)]
        {
            for name in names {
                find(name, model).map_err(|reason| Error::Usage(format!("{flag}: {reason}")))?;
                let held = constraints.hold(name, contact, model);
                held.map_err(|reason| Error::Usage(format!("{flag} {name}: {reason}")))?;
            }
        }
        Ok(constraints)
    }
}

/// The robot, and options that change it.
#[derive(Clone, Debug, Args)]
pub(crate) struct RobotArgs {
    /// The robot: a URDF, MJCF or SDF file
    pub(crate) robot: PathBuf,
    /// Let the base float: connect the root link to the world by a free-flyer (URDF)
    #[arg(long, help_heading = "Robot")]
    pub(crate) floating_base: bool,
    /// Fix the base of a robot that an SDF file leaves free to the world
    #[arg(long, help_heading = "Robot")]
    pub(crate) fixed_base: bool,
    /// Read named configurations and groups from an SRDF file
    #[arg(long, help_heading = "Robot", value_name = "FILE")]
    pub(crate) srdf: Option<PathBuf>,
    /// Gravitational acceleration in the world, m/s² [default: that of the file, or 0,0,-9.81]
    #[arg(long, help_heading = "Robot", value_name = "X,Y,Z", value_parser = gravity, allow_hyphen_values = true)]
    pub(crate) gravity: Option<[f64; 3]>,
    /// Omit damping and friction of the joints
    #[arg(long, help_heading = "Robot")]
    pub(crate) no_joint_friction: bool,
    /// Speed over which Coulomb friction changes sign, rad/s (m/s) [default: 0.01, and `frictionloss` of MJCF is left out]
    #[arg(long, help_heading = "Robot", value_name = "SPEED", value_parser = positive)]
    pub(crate) friction_width: Option<f64>,
    /// Reject a file with warnings
    #[arg(long, help_heading = "Robot")]
    pub(crate) strict: bool,
    /// Coordinates of continuous joints: one angle, or (cos, sin) as in Pinocchio
    #[arg(long, help_heading = "Robot", value_enum, value_name = "FORM", default_value_t = Continuous::Angle)]
    pub(crate) continuous: Continuous,
    /// Mimic joints: follow their leaders, or move independently as in Pinocchio
    #[arg(long, help_heading = "Robot", value_enum, value_name = "FORM", default_value_t = Mimic::Follow)]
    pub(crate) mimic: Mimic,
    /// Rotor inertia at a joint, kg m² (kg), instead of the file's; may be repeated. JOINT=ARMATURE, or
    /// JOINT=ROTOR:RATIO for ratio² rotor, or a JSON file {"JOINT": ARMATURE, "JOINT": {"rotor_inertia": ..,
    /// "gear_ratio": ..}, ..}
    #[arg(long, help_heading = "Robot", value_name = "JOINT=VALUE|FILE", value_parser = armature::setting)]
    pub(crate) armature: Vec<Setting>,
    /// Order of joints: as in the file, or by name as in Pinocchio
    #[arg(long, help_heading = "Robot", value_enum, value_name = "ORDER", default_value_t = Order::File)]
    pub(crate) joint_order: Order,
    /// Memory limit, such as 8GB, or `none` for no limit [default: free memory, or less by `ulimit -v`]
    #[arg(long, help_heading = "Robot", value_name = "SIZE", value_parser = memory::parse)]
    pub(crate) max_memory: Option<Limit>,
}

impl RobotArgs {
    /// Reads the robot.
    pub(crate) fn load(&self) -> Result<Robot, Error> {
        let mut options = UrdfOptions::new()
            .floating_base(self.floating_base)
            .strict(self.strict)
            .continuous(self.continuous.into())
            .mimic(self.mimic.into())
            .joint_order(self.joint_order.into());
        for (joint, values) in armature::all(&self.armature)? {
            options = options.armature(joint, &values);
        }
        let options = FileOptions::from(options).fixed_base(self.fixed_base).friction_width(self.friction_width);
        let robot = Robot::read(&self.robot, options, self.gravity.map(Vector3::from), !self.no_joint_friction)?;
        let Some(file) = &self.srdf else { return Ok(robot) };
        let robot = robot.with_srdf(file)?;
        if self.strict
            && let Some(first) = robot.report.warnings().next()
        {
            let reason = format!("{first} (warning 1 of {}, refused by `strict`)", robot.report.warning_count());
            return Err(Error::content(self.robot.display().to_string(), reason));
        }
        Ok(robot)
    }

    /// With the choices that a layout makes.
    pub(crate) fn in_layout(&self, layout: Layout) -> Self {
        match layout {
            Layout::Gradyn => self.clone(),
            Layout::Pinocchio => Self { continuous: Continuous::CosSin, joint_order: Order::Pinocchio, ..self.clone() },
            Layout::Mujoco | Layout::Drake => {
                Self { continuous: Continuous::Angle, joint_order: Order::File, ..self.clone() }
            }
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Mimic {
    Follow,
    Independent,
}

impl From<Mimic> for MimicForm {
    fn from(form: Mimic) -> Self {
        match form {
            Mimic::Follow => Self::Follow,
            Mimic::Independent => Self::Independent,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Continuous {
    Angle,
    CosSin,
}

impl From<Continuous> for ContinuousForm {
    fn from(form: Continuous) -> Self {
        match form {
            Continuous::Angle => Self::Angle,
            Continuous::CosSin => Self::CosSin,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Order {
    File,
    Pinocchio,
}

impl From<Order> for JointOrder {
    fn from(order: Order) -> Self {
        match order {
            Order::File => Self::File,
            Order::Pinocchio => Self::Pinocchio,
        }
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(x) if x > 0.0 && f64::is_finite(x) => Ok(x),
        _ => Err(String::from("expected a positive number, such as 0.01")),
    }
}

fn gravity(text: &str) -> Result<[f64; 3], String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    match numbers.as_deref() {
        Ok([x, y, z]) if [x, y, z].into_iter().all(|g| g.is_finite()) => Ok([*x, *y, *z]),
        _ => Err(String::from("expected three finite numbers, such as 0,0,-9.81")),
    }
}

#[cfg(test)]
mod tests {
    use super::gravity;

    #[test]
    fn gravity_is_three_finite_numbers() {
        assert_eq!(gravity("1, -2,3e0"), Ok([1.0, -2.0, 3.0]));
        for wrong in ["", "1,2", "1,2,3,4", "1,2,nan", "1,2,inf", "1;2;3", "a,b,c"] {
            assert!(gravity(wrong).is_err(), "{wrong}");
        }
    }
}
