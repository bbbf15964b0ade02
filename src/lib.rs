//! gradyn
pub mod model;
pub mod spatial;
