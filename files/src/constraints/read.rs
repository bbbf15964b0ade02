//! Constraints in JSON.

use super::{AXES, Constraints, find, place};
use crate::json::Json;
use gradyn::dynamics::Constraint;
use gradyn::joint::{
    Axis, Cylindrical, Elementary, Helical, Planar, Prismatic, Revolute, Spherical, Translation, Universal,
};
use gradyn::model::Model;
use gradyn::spatial::Transform;
use nalgebra::Vector3;

/// What a constraint may hold.
const KEYS: [&str; 9] = ["frame", "type", "placement", "to", "to_placement", "axis", "second_axis", "pitch", "gains"];

/// What it may be.
const TYPES: [&str; 10] = [
    "point",
    "frame",
    "revolute",
    "prismatic",
    "helical",
    "cylindrical",
    "universal",
    "planar",
    "spherical",
    "translation",
];

/// The value of `constraints`, and that of `restitution`; errors name the constraint by its place.
pub fn read(list: Option<Json>, restitution: Option<Json>, model: &Model) -> Result<Constraints, String> {
    let mut constraints = Constraints::default();
    match restitution {
        None => {}
        Some(Json::Number(x)) if (0.0..=1.0).contains(&x) => constraints.restitution = x,
        Some(other) => {
            return Err(format!("key `restitution`: expected a number from 0 to 1, found {}", other.describe()));
        }
    }
    let items = match list {
        None => return Ok(constraints),
        Some(Json::List(items)) => items,
        Some(Json::Numbers(numbers)) => numbers.into_iter().map(Json::Number).collect(),
        Some(other) => {
            return Err(format!("key `constraints`: expected a list of constraints, found {}", other.describe()));
        }
    };
    constraints.given = Some(Vec::with_capacity(items.len()));
    for (k, item) in items.into_iter().enumerate() {
        constraints.add(item, model).map_err(|reason| format!("constraint {k}{reason}"))?;
    }
    constraints.check(model)?;
    Ok(constraints)
}

/// One constraint, and what its rows are called: a name, and axes if these have names. Errors begin with what follows
/// "constraint 2".
pub(super) fn constraint(item: &Json, model: &Model) -> Result<(Constraint, String, &'static [&'static str]), String> {
    let Json::Object(entries) = item else {
        return Err(format!(": expected an object with the keys `frame` and `type`, found {}", item.describe()));
    };
    if let Some((key, _)) = entries.iter().find(|(key, _)| !KEYS.contains(&key.as_str())) {
        return Err(format!(": unknown key `{key}`, expected some of {}", KEYS.join(", ")));
    }
    let given = Given(entries);
    let missing = |key: &str, what: &str| format!(": missing key `{key}`, expected {what}");
    let name = given.text("frame")?.ok_or_else(|| missing("frame", "a link or joint of the robot"))?;
    let kind = given.text("type")?.ok_or_else(|| missing("type", &format!("one of {}", TYPES.join(", "))))?;
    let joint = given.joint(kind)?;
    let own: &[&str] = match kind {
        "universal" => &["axis", "second_axis"],
        "helical" => &["axis", "pitch"],
        "revolute" | "prismatic" | "cylindrical" | "planar" => &["axis"],
        _ => &[],
    };
    if let Some(key) = ["axis", "second_axis", "pitch"].iter().find(|key| given.of(key).is_some() && !own.contains(key))
    {
        return Err(format!(", key `{key}`: type `{kind}` has none"));
    }
    let gains = given.numbers::<2>("gains", "kp, kd")?.unwrap_or_default();
    let frame = |key: &str, name: &str| find(name, model).map_err(|reason| format!(", key `{key}`: {reason}"));
    let (b, x_b) = place(model, frame("frame", name)?);
    let x_b = x_b * given.pose("placement")?.unwrap_or_else(Transform::identity);
    let to = given.text("to")?;
    let (a, x_a) = match to {
        Some(to) => place(model, frame("to", to)?),
        None => (None, Transform::identity()),
    };
    let at = given.pose("to_placement")?;
    let held_anywhere = matches!(kind, "point" | "frame") && gains == [0.0, 0.0];
    if to.is_none() && at.is_none() && !held_anywhere {
        return Err(missing(
            "to_placement",
            "where in the world it is held, such as {\"xyz\": [x,y,z], \"rpy\": [r,p,y]}",
        ));
    }
    let x_a = x_a * at.unwrap_or_else(Transform::identity);
    let constraint = match joint {
        Some(joint) => Constraint::joint(a, x_a, b, x_b, joint).map_err(|error| format!(", key `type`: {error}"))?,
        None if kind == "point" => Constraint::point(a, x_a.translation, b, x_b.translation),
        None => Constraint::frame(a, x_a, b, x_b),
    };
    let [kp, kd] = gains;
    let name = to.map_or_else(|| name.to_owned(), |to| format!("{to}-{name}"));
    Ok((constraint.with_gains(kp, kd), name, if joint.is_none() { &AXES } else { &[] }))
}

/// The entries of a constraint by their keys.
struct Given<'a>(&'a [(String, Json)]);

impl<'a> Given<'a> {
    fn of(&self, key: &str) -> Option<&'a Json> {
        self.0.iter().find(|(found, _)| found == key).map(|(_, value)| value)
    }

    fn text(&self, key: &str) -> Result<Option<&'a str>, String> {
        match self.of(key) {
            None => Ok(None),
            Some(Json::String(text)) => Ok(Some(text)),
            Some(other) => Err(format!(", key `{key}`: expected a string, found {}", other.describe())),
        }
    }

    fn numbers<const N: usize>(&self, key: &str, what: &str) -> Result<Option<[f64; N]>, String> {
        self.of(key).map(|value| numbers(value, what).map_err(|reason| format!(", key `{key}`{reason}"))).transpose()
    }

    /// As URDF's `origin` has it: roll, pitch, yaw about the axes of the frame, and a position.
    fn pose(&self, key: &str) -> Result<Option<Transform<f64>>, String> {
        let entries = match self.of(key) {
            None => return Ok(None),
            Some(Json::Object(entries)) => entries,
            Some(other) => {
                let what = "{\"xyz\": [x,y,z], \"rpy\": [r,p,y]}";
                return Err(format!(", key `{key}`: expected {what}, found {}", other.describe()));
            }
        };
        let (mut xyz, mut rpy) = ([0.0; 3], [0.0; 3]);
        for (inner, value) in entries {
            let to = match inner.as_str() {
                "xyz" => &mut xyz,
                "rpy" => &mut rpy,
                _ => return Err(format!(", key `{key}`: unknown key `{inner}`, expected `xyz` or `rpy`")),
            };
            *to = numbers(value, "m, or rad").map_err(|reason| format!(", key `{key}`, key `{inner}`{reason}"))?;
        }
        Ok(Some(Transform::from_rpy(rpy, Vector3::from(xyz))))
    }

    fn axis(&self, key: &str) -> Result<Axis, String> {
        let direction = self.numbers::<3>(key, "x, y, z")?;
        let direction = direction.ok_or_else(|| format!(": missing key `{key}`, expected 3 numbers (x, y, z)"))?;
        Axis::along(Vector3::from(direction))
            .ok_or_else(|| format!(", key `{key}`: expected a direction, found one of length 0"))
    }

    /// `None` for points and frames.
    fn joint(&self, kind: &str) -> Result<Option<Elementary>, String> {
        let axis = || self.axis("axis");
        Ok(Some(match kind {
            "point" | "frame" => return Ok(None),
            "revolute" => Revolute { axis: axis()? }.into(),
            "prismatic" => Prismatic { axis: axis()? }.into(),
            "cylindrical" => Cylindrical { axis: axis()? }.into(),
            "planar" => Planar::new(axis()?).into(),
            "universal" => Universal { first: axis()?, second: self.axis("second_axis")? }.into(),
            "helical" => {
                let pitch = match self.of("pitch") {
                    Some(Json::Number(pitch)) => *pitch,
                    None => return Err(String::from(": missing key `pitch`, expected a number (m a radian)")),
                    Some(other) => {
                        return Err(format!(
                            ", key `pitch`: expected a number (m a radian), found {}",
                            other.describe()
                        ));
                    }
                };
                Helical { axis: axis()?, pitch }.into()
            }
            "spherical" => Spherical.into(),
            "translation" => Translation.into(),
            _ => {
                let kind = kind.chars().take(100).collect::<String>();
                return Err(format!(", key `type`: expected one of {}, found `{kind}`", TYPES.join(", ")));
            }
        }))
    }
}

/// A list of so many numbers.
fn numbers<const N: usize>(value: &Json, what: &str) -> Result<[f64; N], String> {
    let refused = |found: String| Err(format!(": expected {N} numbers ({what}), found {found}"));
    match value {
        Json::Numbers(list) => match <[f64; N]>::try_from(list.as_slice()) {
            Ok(numbers) => Ok(numbers),
            Err(_) => refused(list.len().to_string()),
        },
        other => refused(other.describe()),
    }
}
