//! gradyn
pub mod joint;
pub mod model;
pub mod spatial;
