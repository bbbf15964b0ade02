//! URDF: links, and joints between them.

use super::Writing;
use super::error::WriteError;
use super::joint_frames::Frames;
use super::names::{Taken, check};
use super::steps::{self, Dof, Least, Motion, NumberOf, Step};
use super::xml::{Element, Xml};
use crate::model::source::{Format, Owner, Rank};
use crate::spatial::{Inertia, Transform};
use crate::text::count;
use nalgebra::Vector3;

/// What readers take where a file says nothing, as URDF does: m/s².
const GRAVITY: Vector3<f64> = Vector3::new(0.0, 0.0, -9.81);
/// The width of smooth friction of a model that was read, rad/s (m/s).
const FRICTION_WIDTH: f64 = 0.01;

/// What transmissions cannot say of what drives the joints is left out.
fn actuators(writing: &mut Writing) -> Result<(), WriteError> {
    const REASON: &str = "a transmission drives one hinge or slide, within the limits of this joint";
    for actuator in writing.model.actuators().iter().filter(|actuator| !super::motors::is_said(actuator, writing.model))
    {
        let owner = Owner::Element("actuator".to_owned(), actuator.name.clone());
        let what = format!("its drive by {}", count(actuator.gears.len(), "gear"));
        writing.leave_out(owner, what, REASON, Rank::NotDynamics)?;
    }
    Ok(())
}

/// The text of the file.
pub(super) fn text(writing: &mut Writing) -> Result<String, WriteError> {
    let model = writing.model;
    check(Format::Urdf, "robot", model.name())?;
    let mut taken = Taken::default();
    for body in model.bodies() {
        check(Format::Urdf, "joint", body.joint_name())?;
        taken.insert(body.joint_name());
    }
    for frame in model.frames() {
        check(Format::Urdf, "frame", frame.name())?;
        taken.insert(frame.name());
    }
    world(writing)?;
    actuators(writing)?;
    let all = steps::of_bodies(writing, &mut taken)?;
    let frames = Frames::of(model, |body, name| {
        all.get(body).is_some_and(|steps| matches!(&steps[..], [step] if step.name == name))
    });

    // The root link: a frame of the world at its origin, or one made for it.
    let root = frames.of_world().find(|frame| *frame.placement() == Transform::identity());
    let root_name = root.map_or_else(|| taken.unused("world"), |frame| frame.name().to_owned());
    let mut joint_names = Taken::default();
    for step in all.iter().flatten() {
        joint_names.insert(&step.name);
    }
    let mut file = File { xml: Xml::new(), joint_names };
    file.xml.open(Element::new("robot").text("name", model.name()));
    file.link(&root_name, model.fixed_inertia());
    for frame in frames.of_world().filter(|frame| frame.name() != root_name) {
        file.frame(&root_name, frame.name(), frame.placement());
    }
    for (b, (body, steps)) in model.bodies().iter().zip(&all).enumerate() {
        let mut parent = body
            .parent()
            .and_then(|parent| model.bodies().get(parent.index()))
            .map_or(root_name.as_str(), |parent| parent.name());
        for (n, step) in steps.iter().enumerate() {
            let is_last = n + 1 == steps.len();
            // Links between steps have the names of the joints that lead to them.
            let (child, inertia) =
                if is_last { (body.name(), *body.inertia()) } else { (step.name.as_str(), Inertia::zero()) };
            file.joint(writing, step, parent, child)?;
            file.link(child, &inertia);
            parent = child;
        }
        for frame in frames.of_body(b) {
            file.frame(body.name(), frame.name(), frame.placement());
        }
    }
    super::motors::write(writing, &mut file.xml)?;
    Ok(file.xml.finish())
}

/// What URDF takes as given.
fn world(writing: &mut Writing) -> Result<(), WriteError> {
    let model = writing.model;
    let robot = || Owner::Robot(model.name().to_owned());
    let gravity = model.gravity();
    if gravity != GRAVITY {
        let what = format!("gravity {} m/s²", super::xml::list(gravity.as_slice()));
        writing.leave_out(robot(), what, "it has no gravity, and readers take 0 0 -9.81", Rank::ChangesDynamics)?;
    }
    let width = model.friction_width();
    let rubs = model.has_joint_friction() && model.joint_dynamics().iter().any(|dof| dof.friction != 0.0);
    if rubs && width != FRICTION_WIDTH {
        let what = format!("friction width {width} rad/s or m/s");
        let reason = "its friction has no width, and the reader of this crate takes 0.01";
        writing.leave_out(robot(), what, reason, Rank::ChangesDynamics)?;
    }
    Ok(())
}

/// The file as it grows.
struct File {
    xml: Xml,
    joint_names: Taken,
}

impl File {
    fn link(&mut self, name: &str, inertia: &Inertia<f64>) {
        let link = Element::new("link").text("name", name);
        if *inertia == Inertia::zero() {
            return self.xml.leaf(link);
        }
        self.xml.open(link);
        self.xml.open(Element::new("inertial"));
        let origin = Element::new("origin").vector_unless_zero("xyz", &inertia.com);
        if !origin.is_bare() {
            self.xml.leaf(origin);
        }
        self.xml.leaf(Element::new("mass").number("value", inertia.mass));
        let r = inertia.rotational;
        let entries = [("ixx", r.xx), ("ixy", r.xy), ("ixz", r.xz), ("iyy", r.yy), ("iyz", r.yz), ("izz", r.zz)];
        let tensor = entries.into_iter().fold(Element::new("inertia"), |element, (name, x)| element.number(name, x));
        self.xml.leaf(tensor);
        self.xml.close();
        self.xml.close();
    }

    fn frame(&mut self, parent: &str, name: &str, placement: &Transform<f64>) {
        self.xml.leaf(Element::new("link").text("name", name));
        // A joint with the name of its own link is no frame beside it.
        let joint = self.joint_names.unused(name);
        self.begin_joint(&joint, "fixed", (parent, name), placement);
        self.xml.close();
    }

    fn begin_joint(&mut self, name: &str, kind: &str, (parent, child): (&str, &str), placement: &Transform<f64>) {
        self.xml.open(Element::new("joint").text("name", name).text("type", kind));
        self.xml.leaf(Element::new("parent").text("link", parent));
        self.xml.leaf(Element::new("child").text("link", child));
        let rpy = Vector3::from(placement.rpy());
        let origin =
            Element::new("origin").vector_unless_zero("xyz", &placement.translation).vector_unless_zero("rpy", &rpy);
        if !origin.is_bare() {
            self.xml.leaf(origin);
        }
    }

    fn joint(&mut self, writing: &mut Writing, step: &Step, parent: &str, child: &str) -> Result<(), WriteError> {
        let range = step.range(writing, Least::Point)?;
        let (kind, axis) = match step.motion {
            Motion::Fixed => ("fixed", None),
            Motion::Hinge(axis) => (if range.is_some() { "revolute" } else { "continuous" }, Some(axis)),
            Motion::Slide(axis) => ("prismatic", Some(axis)),
            Motion::Planar(joint) => ("planar", Some(joint.normal().vector())),
            Motion::Free => ("floating", None),
            Motion::Ball => {
                let owner = Owner::Joint(step.name.clone());
                let reason = "three hinges in a row would have other coordinates, and a position in which they lock";
                return Err(writing.refuse(owner, "a spherical joint".to_owned(), reason));
            }
        };
        self.begin_joint(&step.name, kind, (parent, child), &step.placement);
        if let Some(axis) = axis {
            self.xml.leaf(Element::new("axis").numbers("xyz", axis.as_slice()));
        }
        if let [dof] = &step.dofs[..] {
            self.constants(writing, step, range, dof)?;
        } else {
            several(writing, step)?;
        }
        if let Some((leader, multiplier, offset)) = &step.follows {
            let mimic = Element::new("mimic").text("joint", leader);
            self.xml.leaf(mimic.number_unless("multiplier", 1.0, *multiplier).number_unless("offset", 0.0, *offset));
        }
        self.xml.close();
        Ok(())
    }

    /// Limits and constants of a joint with one degree of freedom.
    fn constants(
        &mut self,
        writing: &mut Writing,
        step: &Step,
        range: Option<(f64, f64)>,
        dof: &Dof,
    ) -> Result<(), WriteError> {
        let mut limit = Element::new("limit");
        if let Some((lower, upper)) = range {
            limit = limit.number("lower", lower).number("upper", upper);
        }
        limit = limit.number_unless("effort", f64::INFINITY, dof.effort).number_unless(
            "velocity",
            f64::INFINITY,
            dof.velocity,
        );
        if !limit.is_bare() {
            self.xml.leaf(limit);
        }
        let dynamics = Element::new("dynamics").number_unless("damping", 0.0, dof.damping);
        let dynamics =
            dynamics.number_unless("friction", 0.0, dof.friction).number_unless("armature", 0.0, dof.armature);
        if !dynamics.is_bare() {
            self.xml.leaf(dynamics);
        }
        if let Some([stiffness, _]) = dof.spring.filter(|[stiffness, _]| *stiffness != 0.0) {
            let (owner, what) = (Owner::Joint(step.name.clone()), format!("stiffness {stiffness} N m/rad or N/m"));
            writing.leave_out(owner, what, "it has no springs", Rank::ChangesDynamics)?;
        }
        Ok(())
    }
}

/// A planar or floating joint has no elements for what is its own.
fn several(writing: &mut Writing, step: &Step) -> Result<(), WriteError> {
    let reason = "only joints with one degree of freedom have it";
    let all: [(&str, Rank, NumberOf, f64); 6] = [
        ("stiffness", Rank::ChangesDynamics, Dof::stiffness, 0.0),
        ("armature", Rank::ChangesDynamics, |dof| dof.armature, 0.0),
        ("damping", Rank::ChangesDynamics, |dof| dof.damping, 0.0),
        ("friction", Rank::ChangesDynamics, |dof| dof.friction, 0.0),
        ("velocity limit", Rank::NotDynamics, |dof| dof.velocity, f64::INFINITY),
        ("effort limit", Rank::NotDynamics, |dof| dof.effort, f64::INFINITY),
    ];
    for (what, rank, of, none) in all {
        let numbers: Vec<f64> = step.dofs.iter().map(of).collect();
        if numbers.iter().any(|x| x.to_bits() != none.to_bits()) {
            let what = format!("{what} {}", super::xml::list(&numbers));
            writing.leave_out(Owner::Joint(step.name.clone()), what, reason, rank)?;
        }
    }
    Ok(())
}
