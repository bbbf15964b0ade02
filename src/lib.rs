//! gradyn
pub mod dynamics;
pub mod joint;
pub mod model;
pub mod partials;
pub mod spatial;
