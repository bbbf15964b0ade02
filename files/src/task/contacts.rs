//! Contacts with the ground, and loops, by name.

use super::named::frame;
use super::pose::transform;
use super::source::{Item, Sign, Table};
use super::start::Start;
use super::surface;
use crate::constraints;
use crate::error::Error;
use crate::json::Json;
use gradyn::dynamics::{Workspace, frame_pose};
use gradyn::model::{FrameId, Model};
use gradyn::{Constraint, Transform};
use gradyn_trajectory::step::Contact;
use nalgebra::Vector3;

/// What a contact holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hold {
    /// A point: 3 rows.
    Point,
    /// A surface: 6 rows.
    Surface,
    /// Two frames of a closed loop.
    Loop,
}

impl Hold {
    pub fn name(self) -> &'static str {
        match self {
            Self::Point => "point",
            Self::Surface => "surface",
            Self::Loop => "loop",
        }
    }
}

/// A contact, or a loop.
#[derive(Clone, Debug)]
pub struct HeldContact {
    /// What the problem holds.
    pub contact: Contact,
    /// The frame that is held.
    pub frame: FrameId,
    /// How much of it is held.
    pub hold: Hold,
    /// Whether it is known where it is held.
    pub stays: bool,
}

impl HeldContact {
    /// Whether it closes a loop.
    pub fn is_loop(&self) -> bool {
        self.hold == Hold::Loop
    }
}

/// The contacts and loops that a file describes.
#[derive(Debug, Default)]
pub(super) struct Contacts {
    described: Vec<Described>,
    pub loops: Vec<HeldContact>,
}

/// A contact as described: where it holds, and gains if they are given.
#[derive(Debug)]
struct Described {
    name: String,
    frame: FrameId,
    hold: Hold,
    place: Option<Transform<f64>>,
    gains: Option<[f64; 2]>,
    normal: Vector3<f64>,
}

impl Contacts {
    /// The tables `contacts` and `loops`.
    pub(super) fn read(root: &Table<'_>, model: &Model, dt: f64) -> Result<Self, Error> {
        let mut contacts = Self::default();
        if let Some(item) = root.get("contacts") {
            for (name, item) in item.table("a table of contacts by name")?.entries() {
                contacts.described.push(described(name, &item.table("a table")?, model)?);
            }
        }
        if let Some(item) = root.get("loops") {
            for (name, item) in item.table("a table of loops by name")?.entries() {
                contacts.loops.push(closed(name, &item.table("a table")?, model, dt)?);
            }
        }
        Ok(contacts)
    }

    /// A contact of a phase: one described, or the origin of a frame. HeldContact where it is at the start, if no place
    /// is given; `stays`: it is there since then.
    pub(super) fn find(
        &self,
        item: &Item<'_>,
        name: &str,
        start: &Start,
        dt: f64,
        stays: bool,
    ) -> Result<HeldContact, Error> {
        let (model, q) = (&start.model, &start.q[..]);
        let known = self.described.iter().find(|contact| contact.name == name);
        let (frame, hold, place, gains, normal) = match known {
            Some(contact) => (contact.frame, contact.hold, contact.place, contact.gains, contact.normal),
            None => {
                let described = self.described.iter().map(|contact| contact.name.as_str());
                let names = described.chain(model.frames().iter().map(|frame| frame.name()));
                let frame = model.find_frame(name).ok_or_else(|| item.unknown("contact or frame", name, names))?;
                (frame, Hold::Point, None, None, surface::level())
            }
        };
        let there = frame_pose(model, &mut Workspace::new(model), q, frame);
        let stays = stays || place.is_some();
        let place = place.map_or(there, Ok).map_err(|error| item.refuse(error.to_string()))?;
        let constraint = if hold == Hold::Surface {
            let frame = &model.frames()[frame.index()];
            Constraint::frame(None, place, frame.body(), *frame.placement())
        } else {
            Constraint::frame_contact(model, frame, place.translation)
                .map_err(|error| item.refuse(error.to_string()))?
        };
        let contact = Contact::new(name, constraint);
        let contact = match (gains, stays) {
            (Some([kp, kd]), _) => contact.with_gains(kp, kd),
            (None, true) => contact.with_default_gains(dt),
            // Where it is held is not known before it is there: only its velocity is damped, half of it a step.
            (None, false) => contact.with_gains(0.0, 0.5 / dt),
        };
        Ok(HeldContact { contact: contact.with_normal(normal), frame, hold, stays })
    }
}

fn described(name: &str, table: &Table<'_>, model: &Model) -> Result<Described, Error> {
    table.only(&["frame", "type", "place", "gains", "normal"])?;
    let named = match table.get("frame") {
        Some(item) => frame(&item, item.text("the name of a link or joint")?, model)?,
        None => model.find_frame(name).ok_or_else(|| {
            table.refuse(format!("missing key `frame`, expected the name of a link or joint (none is called `{name}`)"))
        })?,
    };
    let hold = match table.get("type").map(|item| item.one_of("type", &["point", "surface"])).transpose()? {
        Some(1) => Hold::Surface,
        _ => Hold::Point,
    };
    let gains = match table.get("gains") {
        None => None,
        Some(item) => {
            item.numbers(Some(2), "kp in 1/s², kd in 1/s")?;
            let list = item.list("kp, kd")?;
            Some([list[0].number(Sign::NotNegative)?, list[1].number(Sign::NotNegative)?])
        }
    };
    let place = table.get("place").map(|item| transform(&item)).transpose()?;
    let normal = table.get("normal").map_or_else(|| Ok(surface::level()), |item| surface::normal(&item))?;
    Ok(Described { name: name.to_owned(), frame: named, hold, place, gains, normal })
}

/// A loop, by the rules of the constraints that `evaluate` reads.
fn closed(name: &str, table: &Table<'_>, model: &Model, dt: f64) -> Result<HeldContact, Error> {
    let (constraint, frame) = constraints::one(&json_of(table)?, model).map_err(|reason| {
        // Errors name a key: its line is the one to show.
        let key = table.entries().into_iter().find(|(key, _)| reason.contains(&format!("key `{key}`")));
        let reason = reason.trim_start_matches([':', ',', ' ']).to_owned();
        key.map_or_else(|| table.refuse(reason.clone()), |(_, item)| item.refuse(reason.clone()))
    })?;
    let contact = Contact::new(name, constraint);
    let contact = if table.get("gains").is_some() { contact } else { contact.with_default_gains(dt) };
    Ok(HeldContact { contact, frame, hold: Hold::Loop, stays: true })
}

fn json_of(table: &Table<'_>) -> Result<Json, Error> {
    let value = |(key, item): (&str, Item<'_>)| {
        let value = if item.is_table() {
            json_of(&item.table("a table")?)?
        } else if item.is_list() {
            Json::Numbers(item.numbers(None, "numbers")?)
        } else if let Some(x) = item.as_number() {
            Json::Number(x)
        } else {
            Json::String(item.text("a text or a number")?.to_owned())
        };
        Ok((key.to_owned(), value))
    };
    Ok(Json::Object(table.entries().into_iter().map(value).collect::<Result<_, Error>>()?))
}
