//! gradyn
pub mod spatial;
