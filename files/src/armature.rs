//! Armature from the command line: `--armature`.

use crate::error::Error;
use crate::json::{self, Json};
use std::path::PathBuf;

/// What one `--armature` says.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// Of this joint, one entry a degree of freedom.
    Joint(String, Vec<f64>),
    /// Of all joints that the file names.
    File(PathBuf),
}

/// `JOINT=VALUE`, or else a file.
pub fn setting(text: &str) -> Result<Setting, String> {
    let Some((joint, value)) = text.rsplit_once('=') else { return Ok(Setting::File(text.into())) };
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    let values = match value.split_once(':') {
        Some((rotor, ratio)) => number(rotor).zip(number(ratio)).map(|(rotor, ratio)| vec![ratio * rotor * ratio]),
        None => value.split(',').map(number).collect(),
    };
    match values {
        Some(values) if !joint.is_empty() => Ok(Setting::Joint(joint.to_owned(), values)),
        _ => Err(String::from(
            "expected JOINT=ARMATURE such as elbow=0.05, JOINT=ROTOR:RATIO such as elbow=5e-6:100, or a file",
        )),
    }
}

/// What they say together, in their order: the last one of a joint counts.
pub fn all(settings: &[Setting]) -> Result<Vec<(String, Vec<f64>)>, Error> {
    let mut all = Vec::new();
    for setting in settings {
        match setting {
            Setting::Joint(joint, values) => all.push((joint.clone(), values.clone())),
            Setting::File(path) => all.extend(read(path)?),
        }
    }
    Ok(all)
}

fn read(path: &PathBuf) -> Result<Vec<(String, Vec<f64>)>, Error> {
    let text = std::fs::read_to_string(path).map_err(|error| Error::read(path, error))?;
    let refuse = |reason: String| Error::content(path.display().to_string(), reason);
    let Json::Object(entries) = json::parse(&text).map_err(|error| refuse(error.to_string()))? else {
        return Err(refuse(String::from("expected an object: {\"JOINT\": ARMATURE, ..}")));
    };
    let read = |(joint, value): (String, Json)| {
        values(&value).map_err(|reason| refuse(format!("joint `{joint}`: {reason}"))).map(|values| (joint, values))
    };
    entries.into_iter().map(read).collect()
}

/// A number, a list of them, or a rotor and its gear.
fn values(value: &Json) -> Result<Vec<f64>, String> {
    match value {
        Json::Number(x) => Ok(vec![*x]),
        Json::Numbers(list) => Ok(list.clone()),
        Json::Object(entries) => {
            let (mut rotor, mut ratio) = (None, 1.0);
            for (key, value) in entries {
                match (key.as_str(), value) {
                    ("rotor_inertia", Json::Number(x)) => rotor = Some(*x),
                    ("gear_ratio", Json::Number(x)) => ratio = *x,
                    ("rotor_inertia" | "gear_ratio", other) => {
                        return Err(format!("`{key}`: expected a number, found {}", other.describe()));
                    }
                    _ => return Err(format!("`{key}`: expected `rotor_inertia` and `gear_ratio`")),
                }
            }
            rotor.map(|rotor| vec![ratio * rotor * ratio]).ok_or_else(|| String::from("it has no `rotor_inertia`"))
        }
        other => Err(format!(
            "expected a number, a list of numbers, or rotor_inertia and gear_ratio, found {}",
            other.describe()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_joints_with_values_or_files() {
        let joint = |name: &str, values: &[f64]| Ok(Setting::Joint(name.to_owned(), values.to_vec()));
        assert_eq!(setting("elbow=0.5"), joint("elbow", &[0.5]));
        assert_eq!(setting("a=b=1,2,3"), joint("a=b", &[1.0, 2.0, 3.0]));
        assert_eq!(setting("elbow=0.25:-4"), joint("elbow", &[4.0]));
        assert_eq!(setting("rotors.json"), Ok(Setting::File("rotors.json".into())));
        for wrong in ["=1", "elbow=", "elbow=x", "elbow=1:", "elbow=1:2:3", "elbow=nan", "elbow=inf", "elbow=1,,2"] {
            assert!(setting(wrong).is_err(), "{wrong}");
        }
    }
}
