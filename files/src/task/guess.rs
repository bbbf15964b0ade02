//! Where a solver begins: one guess, or several.

use super::source::{Item, Sign, SourcePlace, Table};
use super::start::Start;
use crate::error::Error;
use std::path::PathBuf;

/// The states of a guess.
#[derive(Clone, Debug, PartialEq)]
pub enum States {
    /// All at the start.
    Standing,
    /// From the start to this configuration.
    Interpolation(Vec<f64>),
    /// Through configurations, each at its time, s.
    WayPoints(Vec<(f64, Vec<f64>)>),
    /// To a configuration, bent aside by at most this width, by a seed.
    Drawn(Vec<f64>, f64, u64),
}

/// The controls of a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controls {
    /// None.
    Zero,
    /// Those that hold the robot still.
    Static,
}

/// What a guess is made of.
#[derive(Clone, Debug, PartialEq)]
pub enum GuessSource {
    /// States and controls by rule.
    Of(States, Controls),
    /// A trajectory from a file.
    File(PathBuf),
}

/// A guess, with its place in the file for what goes wrong later.
#[derive(Clone, Debug, PartialEq)]
pub struct GuessTask {
    /// What attempts call it.
    pub name: String,
    /// What it is made of.
    pub made: GuessSource,
    /// Where it stands, and its key.
    pub at: SourcePlace,
}

const STATES: [&str; 4] = ["standing", "interpolation", "way-points", "drawn"];
const KEYS: [&str; 8] = ["name", "states", "to", "through", "seed", "width", "controls", "file"];

/// Of drawn guesses: how far they are bent aside, rad or m, where the task does not say it.
const WIDTH: f64 = 1.0;

impl GuessTask {
    /// The table `guess`, or the list of tables `[[guess]]`.
    pub(super) fn read_all(item: Option<Item<'_>>, start: &Start) -> Result<Vec<Self>, Error> {
        let Some(item) = item else {
            let made = GuessSource::Of(States::Standing, Controls::Static);
            return Ok(vec![Self {
                name: STATES[0].into(),
                made,
                at: SourcePlace { span: 0, key: String::from("guess") },
            }]);
        };
        if !item.is_list() {
            return Ok(vec![Self::read(&item, start)?]);
        }
        let all = item.list("a list of guesses: `[[guess]]`")?;
        if all.is_empty() {
            return Err(item.refuse("expected one guess at least"));
        }
        all.iter().map(|item| Self::read(item, start)).collect()
    }

    fn read(item: &Item<'_>, start: &Start) -> Result<Self, Error> {
        let table = item.table("a table, or several: `[[guess]]`")?;
        table.only(&KEYS)?;
        let made = made(&table, start)?;
        let default = match &made {
            GuessSource::File(file) => {
                file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
            }
            GuessSource::Of(States::Standing, _) => STATES[0].into(),
            GuessSource::Of(States::Interpolation(_), _) => STATES[1].into(),
            GuessSource::Of(States::WayPoints(_), _) => STATES[2].into(),
            GuessSource::Of(States::Drawn(_, _, seed), _) => format!("{}, seed {seed}", STATES[3]),
        };
        let name = table.get("name").map_or(Ok(default), |item| item.text("a name").map(str::to_owned))?;
        // What goes wrong with a file is said of it.
        Ok(Self { name, made, at: table.get("file").unwrap_or_else(|| item.clone()).place() })
    }
}

fn made(table: &Table<'_>, start: &Start) -> Result<GuessSource, Error> {
    if let Some(item) = table.get("file") {
        let others = ["states", "to", "through", "seed", "width", "controls"];
        if let Some(other) = others.into_iter().find_map(|key| table.get(key)) {
            return Err(other.refuse("the guess is read from a file: leave this out"));
        }
        return Ok(GuessSource::File(start.beside(item.text("the name of a file")?)));
    }
    let kind = table.get("states").map_or(Ok(0), |item| item.one_of("states", &STATES))?;
    // Which states a key belongs to.
    let owners: [(&str, &[usize]); 4] = [("to", &[1, 3]), ("through", &[2]), ("seed", &[3]), ("width", &[3])];
    for (key, owners) in owners {
        if let Some(item) = table.get(key).filter(|_| !owners.contains(&kind)) {
            let names: Vec<_> = owners.iter().map(|k| format!("`{}`", STATES[*k])).collect();
            return Err(item.refuse(format!(
                "only the states {} have this, not `{}`",
                names.join(" and "),
                STATES[kind]
            )));
        }
    }
    let to = || -> Result<Vec<f64>, Error> {
        let item = table.need("to", "the configuration that the guess ends at")?;
        start.poses.configuration(&item, &start.model)
    };
    let states = match kind {
        0 => States::Standing,
        1 => States::Interpolation(to()?),
        2 => {
            States::WayPoints(way_points(&table.need("through", "a list of way-points, `{ to, time }` each")?, start)?)
        }
        _ => {
            let seed = table.get("seed").map_or(Ok(0), |item| item.integer())?;
            let width = table.get("width").map_or(Ok(WIDTH), |item| item.number(Sign::NotNegative))?;
            States::Drawn(to()?, width, seed.cast_unsigned())
        }
    };
    let controls = table.get("controls").map_or(Ok(1), |item| item.one_of("controls", &["zero", "static"]))?;
    Ok(GuessSource::Of(states, if controls == 0 { Controls::Zero } else { Controls::Static }))
}

/// Configurations, each with its time.
fn way_points(item: &Item<'_>, start: &Start) -> Result<Vec<(f64, Vec<f64>)>, Error> {
    let what = "a list of way-points, `{ to, time }` each";
    let mut all: Vec<(f64, Vec<f64>)> = Vec::new();
    for item in item.list(what)? {
        let table = item.table("a way-point: a table with `to` and `time`")?;
        table.only(&["to", "time"])?;
        let to = table.need("to", "the configuration that the guess passes")?;
        let time_item = table.need("time", "when it passes, s")?;
        let time = time_item.number(Sign::Positive)?;
        if let Some((before, _)) = all.last().filter(|(before, _)| *before >= time) {
            return Err(time_item.refuse(format!("times of way-points ascend, found {time} s after {before} s")));
        }
        all.push((time, start.poses.configuration(&to, &start.model)?));
    }
    if all.is_empty() {
        return Err(item.refuse("expected one way-point at least"));
    }
    Ok(all)
}
