//! Where a solver begins.

use super::source::{Item, Table};
use super::start::Start;
use crate::error::Error;
use std::path::PathBuf;

/// The states of the guess.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum States {
    /// All at the start.
    Standing,
    /// From the start to this configuration.
    Interpolation(Vec<f64>),
}

/// The controls of the guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Controls {
    Zero,
    /// Those that hold the robot still.
    Static,
}

/// The table `guess`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum GuessTask {
    Made(States, Controls),
    File(PathBuf),
}

impl GuessTask {
    pub(super) fn read(item: Option<Item<'_>>, start: &Start) -> Result<Self, Error> {
        let Some(item) = item else { return Ok(Self::Made(States::Standing, Controls::Static)) };
        let table = item.table("a table")?;
        table.only(&["states", "to", "controls", "file"])?;
        if let Some(item) = table.get("file") {
            other_than_file(&table)?;
            return Ok(Self::File(start.beside(item.text("the name of a file")?)));
        }
        let states = table.get("states").map_or(Ok(0), |item| item.one_of("states", &["standing", "interpolation"]))?;
        let states = match (states, table.get("to")) {
            (0, None) => States::Standing,
            (0, Some(item)) => return Err(item.refuse("only the states `interpolation` lead to a configuration")),
            _ => {
                let item = table.need("to", "the configuration that the guess ends at")?;
                States::Interpolation(start.poses.configuration(&item, &start.model)?)
            }
        };
        let controls = table.get("controls").map_or(Ok(1), |item| item.one_of("controls", &["zero", "static"]))?;
        Ok(Self::Made(states, if controls == 0 { Controls::Zero } else { Controls::Static }))
    }
}

fn other_than_file(table: &Table<'_>) -> Result<(), Error> {
    let other = ["states", "to", "controls"].into_iter().find_map(|key| table.get(key));
    other.map_or(Ok(()), |item| Err(item.refuse("the guess is read from a file: leave this out")))
}
