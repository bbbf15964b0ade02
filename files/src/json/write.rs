//! Matrices and named values as JSON has them.

use nalgebra::DMatrix;
use serde::ser::{SerializeMap, SerializeSeq};
use serde::{Serialize, Serializer};

/// A matrix as a list of its rows.
#[derive(Debug)]
pub struct Rows<'a>(pub &'a DMatrix<f64>);

impl Serialize for Rows<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.0.nrows()))?;
        let mut numbers = Vec::with_capacity(self.0.ncols());
        for row in self.0.row_iter() {
            numbers.clear();
            numbers.extend(row.iter().copied());
            rows.serialize_element(&numbers)?;
        }
        rows.end()
    }
}

/// Names with values, in this order, as an object.
#[derive(Clone, Debug)]
pub struct Entries<T>(pub Vec<(String, T)>);

impl<T: Serialize> Serialize for Entries<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
