//! Kinds of residuals: a table. A new residual is one more entry.

use super::contacts::Held;
use super::entries::{Entries, by_entry};
use super::goal::{Form, Goal};
use super::named;
use super::parameters::find;
use super::phases::PhaseTask;
use super::source::{Item, Sign, Table};
use super::start::Start;
use super::surface;
use crate::error::Error;
use crate::number::five;
use gradyn::Motion;
use gradyn::dynamics::ReferenceFrame;
use gradyn::model::FrameId;
use gradyn::spatial::Momentum;
use gradyn_trajectory::Loss;
use gradyn_trajectory::residual::{
    Capsule, CenterOfMass, CenterOfPressure, CentroidalMomentum, ContactForce, Control, ControlRate, CoulombCone,
    Distance, ElapsedTime, FrameAcceleration, FramePlacement, FrameRotation, FrameTranslation, FrameVelocity,
    FrictionCone, JointLimits, MinusParameter, ParameterValue, Residual, StateError, WrenchCone,
};
use nalgebra::{Matrix3, Vector3};

/// The kind whose rows are `(t, w)` of a cone.
pub(super) const COULOMB: &str = "coulomb-cone";

/// The kind that sees controls of the step before.
pub(super) const CONTROL_RATE: &str = "control-rate";

/// The kind that has no number of its own, but adds up to time.
pub(super) const DURATION: &str = "duration";

/// The coefficient of friction of cones, if none is given.
const FRICTION: f64 = 0.7;

/// The coefficient of friction of a cone that has one.
pub(super) fn friction(table: &Table<'_>, kind: &Kind) -> Result<Option<f64>, Error> {
    let given = table.get("friction").map(|item| item.number(Sign::NotNegative)).transpose()?;
    Ok(kind.keys.contains(&"friction").then(|| given.unwrap_or(FRICTION)))
}

/// What a residual is made of.
pub(super) struct Made<'a, 'b> {
    pub(super) table: &'a Table<'b>,
    pub(super) start: &'a Start,
    pub(super) frame: Option<FrameId>,
    pub(super) contact: Option<&'a Held>,
    pub(super) goal: &'a Goal,
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
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// Keys of its own, beside those that all have. `frame` and `contact` must then be there.
    pub(super) keys: &'static [&'static str],
    pub(super) goal: Form,
    pub(super) entries: Entries,
    pub(super) make: fn(&Made<'_, '_>) -> Result<Built, Error>,
}

/// All kinds.
pub(super) const KINDS: [Kind; 19] = [
    Kind {
        name: "state",
        keys: &[],
        goal: Form::State,
        entries: Entries::State,
        make: |on| match on.goal {
            Goal::State(q, v) => plain(StateError::at(&on.start.model, q, v)),
            _ => Err(on.table.refuse("missing key `goal`")),
        },
    },
    Kind {
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
    Kind {
        name: CONTROL_RATE,
        keys: &["before"],
        goal: Form::None,
        entries: Entries::Controls,
        make: |on| {
            let before = on.table.get("before").map(|item| controls(&item, on.start)).transpose()?;
            Ok(Built { before, ..plain(ControlRate::new())? })
        },
    },
    Kind {
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
    Kind {
        name: "frame-placement",
        keys: &["frame"],
        goal: Form::Pose,
        entries: Entries::Twist,
        make: |on| plain(FramePlacement::new(on.frame()?, on.goal.pose())),
    },
    Kind {
        name: "frame-translation",
        keys: &["frame"],
        goal: Form::Vector(3),
        entries: Entries::Numbers(3),
        make: |on| plain(FrameTranslation::new(on.frame()?, on.goal.vector())),
    },
    Kind {
        name: "frame-rotation",
        keys: &["frame"],
        goal: Form::Rotation,
        entries: Entries::Numbers(3),
        make: |on| plain(FrameRotation::new(on.frame()?, on.goal.pose().rotation)),
    },
    Kind {
        name: "frame-velocity",
        keys: &["frame", "reference"],
        goal: Form::Rest(6),
        entries: Entries::Twist,
        make: |on| {
            let [linear, angular] = on.goal.parts();
            plain(FrameVelocity::new(on.frame()?, on.reference()?, Motion { linear, angular }))
        },
    },
    Kind {
        name: "frame-acceleration",
        keys: &["frame", "reference"],
        goal: Form::Rest(6),
        entries: Entries::Twist,
        make: |on| {
            let [linear, angular] = on.goal.parts();
            plain(FrameAcceleration::new(on.frame()?, on.reference()?, Motion { linear, angular }))
        },
    },
    Kind {
        name: "center-of-mass",
        keys: &[],
        goal: Form::Vector(3),
        entries: Entries::Numbers(3),
        make: |on| plain(CenterOfMass::new(on.goal.vector())),
    },
    Kind {
        name: "centroidal-momentum",
        keys: &[],
        goal: Form::Rest(6),
        entries: Entries::Twist,
        make: |on| {
            let [linear, angular] = on.goal.parts();
            plain(CentroidalMomentum::new(Momentum { linear, angular }))
        },
    },
    Kind {
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
    Kind {
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
    Kind {
        name: COULOMB,
        keys: &["contact", "friction", "normal"],
        goal: Form::None,
        entries: Entries::Numbers(3),
        make: |on| {
            let cone = CoulombCone::of(on.contact()?).friction(on.number("friction", Some(FRICTION))?);
            plain(cone.surface(surface::any_axes(on.normal()?)))
        },
    },
    Kind {
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
    Kind {
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
    Kind {
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
    Kind { name: DURATION, keys: &[], goal: Form::None, entries: Entries::Numbers(1), make: |_| plain(ElapsedTime) },
    Kind {
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

impl Kind {
    /// The residual, less a parameter where one is named.
    pub(super) fn built(&self, on: &Made<'_, '_>) -> Result<Built, Error> {
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

impl<'a> Made<'a, '_> {
    fn frame(&self) -> Result<FrameId, Error> {
        self.frame.ok_or_else(|| self.table.refuse("missing key `frame`, expected the name of a link or joint"))
    }

    fn contact(&self) -> Result<&'a str, Error> {
        Ok(&self.held()?.contact.name)
    }

    fn held(&self) -> Result<&'a Held, Error> {
        self.contact.ok_or_else(|| self.table.refuse("missing key `contact`, expected the name of a contact"))
    }

    /// `normal`: that of the contact, if nothing is said.
    fn normal(&self) -> Result<Vector3<f64>, Error> {
        self.table.get("normal").map_or_else(|| Ok(self.held()?.contact.normal), |item| surface::normal(&item))
    }

    /// `inside`: whether the facets lie inside of the cone. They do by default.
    fn inside(&self) -> Result<bool, Error> {
        self.table.get("inside").map_or(Ok(true), |item| item.flag())
    }

    /// `axes` of a sole, and the frame that they follow. Of these only the normal then counts.
    fn sole(&self) -> Result<(Matrix3<f64>, Option<FrameId>), Error> {
        let (held, normal, item) = (self.held()?, self.normal()?, self.table.get("axes"));
        let refuse = |why: String| match self.table.get("axes").or_else(|| self.table.get("normal")) {
            Some(item) => item.refuse(why),
            None => self.table.refuse(why),
        };
        if item.map_or(Ok(0), |item| item.one_of("axes", &["frame", "world"]))? == 1 {
            let axes = surface::axes_along(normal, Vector3::x());
            return axes.map(|axes| (axes, None)).ok_or_else(|| {
                refuse(String::from(
                    "the normal is along the world's x axis, which leaves a sole in its axes no direction",
                ))
            });
        }
        let x = surface::frame_axes(held, self.start).map(|axes| axes.column(0).into_owned());
        if x.is_some_and(|x| surface::axes_along(normal, x).is_none()) {
            let frame = self.start.model.frames()[held.frame.index()].name();
            return Err(refuse(format!(
                "the x axis of `{frame}` is along the normal at the start, which leaves the sole of `{}` no direction: \
                 `axes = \"world\"`, or a contact of another frame",
                held.contact.name
            )));
        }
        Ok((surface::any_axes(normal), Some(held.frame)))
    }

    /// `axes` of a pyramid, which are constant: the frame's x as it is at the start, or y where x is along the normal; or those of the world.
    fn pyramid(&self) -> Result<Matrix3<f64>, Error> {
        let (held, normal) = (self.held()?, self.normal()?);
        let at_start = self.table.get("axes").map_or(Ok(0), |item| item.one_of("axes", &["start", "world"]))? == 0;
        let frame = surface::frame_axes(held, self.start).filter(|_| at_start);
        let along = |k: usize| frame.and_then(|axes| surface::axes_along(normal, axes.column(k).into_owned()));
        Ok(along(0).or_else(|| along(1)).unwrap_or_else(|| surface::any_axes(normal)))
    }

    /// A number that is not negative, and must be there if it has no default.
    fn number(&self, key: &str, default: Option<f64>) -> Result<f64, Error> {
        match (self.table.get(key), default) {
            (Some(item), _) => item.number(Sign::NotNegative),
            (None, Some(default)) => Ok(default),
            (None, None) => self.table.need(key, "a number, m").and_then(|item| item.number(Sign::NotNegative)),
        }
    }

    fn reference(&self) -> Result<ReferenceFrame, Error> {
        let all = [ReferenceFrame::LocalWorldAligned, ReferenceFrame::Local, ReferenceFrame::World];
        let item = self.table.get("reference");
        Ok(all[item.map_or(Ok(0), |item| item.one_of("reference", &all.map(ReferenceFrame::name)))?])
    }

    /// `{ frame, from, to, radius }`: without a frame it is fixed to the world, without `to` it is a sphere.
    fn capsule(&self, key: &str) -> Result<Capsule, Error> {
        let what = "a capsule: { frame, from, to, radius }";
        let table = self.table.need(key, what)?.table(what)?;
        table.only(&["frame", "from", "to", "radius"])?;
        let from = table.get("from").map_or(Ok(Vector3::zeros()), |item| item.vector("x, y, z, m"))?;
        let to = table.get("to").map_or(Ok(from), |item| item.vector("x, y, z, m"))?;
        let radius = table.need("radius", "m")?.number(Sign::NotNegative)?;
        match table.get("frame") {
            None => Ok(Capsule::fixed([from, to], radius)),
            Some(item) => {
                let name = item.text("the name of a link or joint")?;
                Ok(Capsule::new(named::frame(&item, name, &self.start.model)?, [from, to], radius))
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
pub(super) fn held_by<'p>(contact: &str, phases: &'p [PhaseTask]) -> Option<&'p Held> {
    phases.iter().flat_map(|phase| &phase.held).find(|held| held.contact.name == contact)
}
