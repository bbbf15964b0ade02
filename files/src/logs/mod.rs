//! Measured motions and poses, read from CSV: a column for each number of the robot.

mod columns;
mod data;

pub use columns::{Columns, Configuration, Contact, need, odd, quaternion};
pub use data::{Files, Table, Units, number_in, read_all};
