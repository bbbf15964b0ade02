//! Kinds of residuals: a table. A new residual is one more entry.

use super::contacts::HeldContact;
use super::entries::{Entries, by_entry};
use super::goal::{Form, Goal};
use super::parameters::find;
use super::phases::PhaseTask;
use super::residual_spec::ResidualSpec;
use super::source::{Item, Sign, Table};
use super::start::Start;
use super::surface;
use crate::error::Error;
use crate::number::five;
use gradyn::Motion;
use gradyn::spatial::Momentum;
use gradyn_trajectory::Loss;
use gradyn_trajectory::residual::{
    Capsule, CenterOfMass, CenterOfPressure, CentroidalMomentum, ContactForce, Control, ControlRate, CoulombCone,
    Distance, ElapsedTime, FrameAcceleration, FramePlacement, FrameRotation, FrameTranslation, FrameVelocity,
    FrictionCone, JointLimits, MinusParameter, ParameterValue, Residual, StateError, WrenchCone,
};

/// The kind whose rows are `(t, w)` of a cone.
pub(super) const COULOMB: &str = "coulomb-cone";

/// The kind that sees controls of the step before.
pub(super) const CONTROL_RATE: &str = "control-rate";

/// The kind that has no number of its own, but adds up to time.
pub(super) const DURATION: &str = "duration";

/// The coefficient of friction of cones, if none is given.
const FRICTION: f64 = 0.7;

/// The coefficient of friction of a cone that has one.
pub(super) fn friction(table: &Table<'_>, kind: &TermKind) -> Result<Option<f64>, Error> {
    let given = table.get("friction").map(|item| item.number(Sign::NotNegative)).transpose()?;
    Ok(kind.keys.contains(&"friction").then(|| given.unwrap_or(FRICTION)))
}

/// A residual, and the loss that it has if no other is asked for.
pub(super) struct Built {
    pub(super) residual: Box<dyn Residual>,
    pub(super) loss: Option<Loss>,
    /// What it keeps apart.
    pub(super) capsules: Vec<Capsule>,
    /// Controls before the first step.
    pub(super) before: Option<Vec<f64>>,
    /// What is to be known of it.
    pub(super) note: Option<String>,
}

fn plain(residual: impl Residual + 'static) -> Result<Built, Error> {
    Ok(Built { residual: Box::new(residual), loss: None, capsules: Vec::new(), before: None, note: None })
}

fn with(residual: impl Residual + 'static, loss: Loss) -> Result<Built, Error> {
    Ok(Built { loss: Some(loss), ..plain(residual)? })
}

/// A kind of residual.
pub(super) struct TermKind {
    pub(super) name: &'static str,
    /// Keys of its own, beside those that all have. `frame` and `contact` must then be there.
    pub(super) keys: &'static [&'static str],
    pub(super) goal: Form,
    pub(super) entries: Entries,
    pub(super) make: fn(&ResidualSpec<'_, '_>) -> Result<Built, Error>,
}

/// All kinds.
pub(super) const KINDS: [TermKind; 20] = [
    TermKind {
        name: "state",
        keys: &[],
        goal: Form::State,
        entries: Entries::State,
        make: |on| match on.goal {
            Goal::State(q, v) => plain(StateError::at(&on.start.model, q, v)),
            _ => Err(on.table.refuse("missing key `goal`")),
        },
    },
    TermKind {
        name: "control",
        keys: &[],
        goal: Form::Controls,
        entries: Entries::Controls,
        // Toward zero it also fits the end, where there are no controls.
        make: |on| match on.goal {
            Goal::Vector(u) if u.iter().any(|u| *u != 0.0) => plain(Control::at(u)),
            _ => plain(Control::zero()),
        },
    },
    TermKind {
        name: CONTROL_RATE,
        keys: &["before"],
        goal: Form::None,
        entries: Entries::Controls,
        make: |on| {
            let before = on.table.get("before").map(|item| controls(&item, on.start)).transpose()?;
            Ok(Built { before, ..plain(ControlRate::new())? })
        },
    },
    TermKind {
        name: "joint-limits",
        keys: &[],
        goal: Form::None,
        entries: Entries::Any,
        make: |on| {
            let limits = JointLimits::new(&on.start.model);
            let loss = limits.barrier();
            with(limits, loss)
        },
    },
    TermKind {
        name: "frame-placement",
        keys: &["frame"],
        goal: Form::Pose,
        entries: Entries::Twist,
        make: |on| plain(FramePlacement::new(on.frame()?, on.goal.pose())),
    },
    TermKind {
        name: "frame-translation",
        keys: &["frame"],
        goal: Form::Vector(3),
        entries: Entries::Numbers(3),
        make: |on| plain(FrameTranslation::new(on.frame()?, on.goal.vector())),
    },
    TermKind {
        name: "frame-rotation",
        keys: &["frame"],
        goal: Form::Rotation,
        entries: Entries::Numbers(3),
        make: |on| plain(FrameRotation::new(on.frame()?, on.goal.pose().rotation)),
    },
    TermKind {
        name: "frame-velocity",
        keys: &["frame", "reference"],
        goal: Form::Rest(6),
        entries: Entries::Twist,
        make: |on| {
            let [linear, angular] = on.goal.parts();
            plain(FrameVelocity::new(on.frame()?, on.reference()?, Motion { linear, angular }))
        },
    },
    TermKind {
        name: "frame-acceleration",
        keys: &["frame", "reference"],
        goal: Form::Rest(6),
        entries: Entries::Twist,
        make: |on| {
            let [linear, angular] = on.goal.parts();
            plain(FrameAcceleration::new(on.frame()?, on.reference()?, Motion { linear, angular }))
        },
    },
    TermKind {
        name: "center-of-mass",
        keys: &[],
        goal: Form::Vector(3),
        entries: Entries::Numbers(3),
        make: |on| plain(CenterOfMass::new(on.goal.vector())),
    },
    TermKind {
        name: "centroidal-momentum",
        keys: &[],
        goal: Form::Rest(6),
        entries: Entries::Twist,
        make: |on| {
            let [linear, angular] = on.goal.parts();
            plain(CentroidalMomentum::new(Momentum { linear, angular }))
        },
    },
    TermKind {
        name: "contact-force",
        keys: &["contact"],
        goal: Form::Free,
        entries: Entries::Any,
        make: |on| {
            let force = ContactForce::new(on.contact()?);
            match on.goal {
                Goal::Vector(goal) => plain(force.towards(goal)),
                _ => plain(force),
            }
        },
    },
    TermKind {
        name: "friction-cone",
        keys: &["contact", "friction", "inside", "least", "most", "normal", "axes"],
        goal: Form::None,
        entries: Entries::Numbers(5),
        make: |on| {
            let least = on.number("least", Some(0.0))?;
            let most = on.number("most", Some(f64::INFINITY))?;
            let friction = on.number("friction", Some(FRICTION))?;
            let cone = FrictionCone::of(on.contact()?).friction(friction).surface(on.pyramid()?);
            let cone = cone.normal_force(least, most);
            let inside = on.inside()?;
            let cone = if inside { cone.inside() } else { cone };
            let loss = cone.loss();
            Ok(Built { note: outside(inside, friction), ..with(cone, loss)? })
        },
    },
    TermKind {
        name: COULOMB,
        keys: &["contact", "friction", "normal"],
        goal: Form::None,
        entries: Entries::Numbers(3),
        make: |on| {
            let cone = CoulombCone::of(on.contact()?).friction(on.number("friction", Some(FRICTION))?);
            plain(cone.surface(surface::any_axes(on.normal()?)))
        },
    },
    TermKind {
        name: "center-of-pressure",
        keys: &["contact", "half_length_x", "half_length_y", "normal", "axes"],
        goal: Form::None,
        entries: Entries::Numbers(4),
        make: |on| {
            let (x, y) = (on.number("half_length_x", None)?, on.number("half_length_y", None)?);
            let (axes, frame) = on.sole()?;
            let pressure = CenterOfPressure::new(on.contact()?, axes, x, y);
            let pressure = match frame {
                Some(frame) => pressure.following(frame),
                None => pressure,
            };
            with(pressure, CenterOfPressure::barrier())
        },
    },
    TermKind {
        name: "wrench-cone",
        keys: &["contact", "half_length_x", "half_length_y", "friction", "inside", "normal", "axes"],
        goal: Form::None,
        entries: Entries::Numbers(17),
        make: |on| {
            let (x, y) = (on.number("half_length_x", None)?, on.number("half_length_y", None)?);
            let friction = on.number("friction", Some(FRICTION))?;
            let (axes, frame) = on.sole()?;
            let cone = WrenchCone::new(on.contact()?, axes, x, y, friction);
            let cone = match frame {
                Some(frame) => cone.following(frame),
                None => cone,
            };
            let inside = on.inside()?;
            let cone = if inside { cone.inside() } else { cone };
            Ok(Built { note: outside(inside, friction), ..with(cone, WrenchCone::barrier())? })
        },
    },
    TermKind {
        name: "distance",
        keys: &["a", "b", "least"],
        goal: Form::None,
        entries: Entries::Numbers(1),
        make: |on| {
            let capsules = vec![on.capsule("a")?, on.capsule("b")?];
            let distance = Distance::new(capsules[0], capsules[1]);
            let lower = vec![on.number("least", Some(0.0))?];
            let built = with(distance, Loss::QuadraticBarrier { lower, upper: vec![f64::INFINITY] })?;
            Ok(Built { capsules, ..built })
        },
    },
    TermKind {
        name: DURATION,
        keys: &[],
        goal: Form::None,
        entries: Entries::Numbers(1),
        make: |_| plain(ElapsedTime),
    },
    TermKind {
        name: "parameter",
        keys: &["parameter"],
        goal: Form::Free,
        entries: Entries::Any,
        make: |on| {
            let of = find(&on.table.need("parameter", "the name of a parameter")?, &on.start.parameters)?;
            let value = ParameterValue::new(of.parameter.name(), of.numbers);
            match on.goal {
                Goal::Vector(goal) => plain(value.towards(goal)),
                _ => plain(value),
            }
        },
    },
    TermKind {
        name: "own",
        keys: &["function"],
        goal: Form::None,
        entries: Entries::Any,
        make: |on| {
            let item = on.table.need("function", "the name of a residual of the program that gives the task")?;
            let (name, own) = (item.text("a name")?, &on.start.given.own);
            let Some((_, make)) = own.iter().find(|(known, _)| known == name) else {
                return Err(item.unknown("residual of a program", name, own.iter().map(|(name, _)| name.as_str())));
            };
            Ok(Built { residual: make(), loss: None, capsules: Vec::new(), before: None, note: None })
        },
    },
];

/// What is to be known of four facets outside of a cone.
fn outside(inside: bool, friction: f64) -> Option<String> {
    let most = friction * std::f64::consts::SQRT_2;
    (!inside && friction > 0.0).then(|| {
        format!(
            "facets outside of the cone (`inside = false`) let forces along the ground grow to {} of the normal force, \
             where friction gives {}",
            five(most),
            five(friction)
        )
    })
}

/// A control each: a list, or a table by name, in which `default` is for all others.
fn controls(item: &Item<'_>, start: &Start) -> Result<Vec<f64>, Error> {
    let nothing = vec![f64::NAN; start.actuated.names.len()];
    let before = by_entry(item, Entries::Controls, start, nothing, Sign::Any)?;
    match before.iter().position(|u| u.is_nan()) {
        Some(k) => {
            Err(item.refuse(format!("control `{}` is left out, and there is no `default`", start.actuated.names[k])))
        }
        None => Ok(before),
    }
}

impl TermKind {
    /// The residual, less a parameter where one is named.
    pub(super) fn built(&self, on: &ResidualSpec<'_, '_>) -> Result<Built, Error> {
        let built = (self.make)(on)?;
        match on.table.get("parameter").filter(|_| self.name != "parameter") {
            None => Ok(built),
            Some(item) => {
                let name = find(&item, &on.start.parameters)?.parameter.name();
                Ok(Built { residual: Box::new(MinusParameter::boxed(built.residual, name)), ..built })
            }
        }
    }
}

/// The phases that hold a contact of this name; `impacts`: those of no length too.
pub(super) fn phases_with(contact: &str, phases: &[PhaseTask], impacts: bool) -> Vec<usize> {
    let holds = |phase: &PhaseTask| phase.held.iter().any(|held| held.contact.name == contact);
    (0..phases.len()).filter(|k| (impacts || !phases[*k].is_jump()) && holds(&phases[*k])).collect()
}

/// Kinds whose rows say whether a force is inside a cone: what holds for forces holds for impulses.
pub(super) fn is_cone(kind: &str) -> bool {
    [COULOMB, "friction-cone", "center-of-pressure", "wrench-cone"].contains(&kind)
}

/// The contact of this name, in the first phase that holds it.
pub(super) fn held_by<'p>(contact: &str, phases: &'p [PhaseTask]) -> Option<&'p HeldContact> {
    phases.iter().flat_map(|phase| &phase.held).find(|held| held.contact.name == contact)
}
