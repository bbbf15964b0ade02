//! Poses and joints as parts of other documents: [`Transform`] and [`Elementary`] are `Serialize` and `Deserialize` with
//! the cargo feature `serde`, in the form that models have them.

use super::serialized::{Kind, Pose};
use crate::joint::Elementary;
use crate::spatial::Transform;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// `rotation`, row by row, and `translation`, m.
impl Serialize for Transform<f64> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Pose::of(self).serialize(serializer)
    }
}

/// What [`Serialize`] wrote; whether it is a pose is checked where it is used.
impl<'de> Deserialize<'de> for Transform<f64> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Pose::deserialize(deserializer)?.transform())
    }
}

/// The kind, with its axes.
impl Serialize for Elementary<f64> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Kind::of_elementary(self).serialize(serializer)
    }
}

/// What [`Serialize`] wrote; whether axes are unit vectors is checked where it is used.
impl<'de> Deserialize<'de> for Elementary<f64> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Kind::deserialize(deserializer)?.elementary().map_err(D::Error::custom)
    }
}
