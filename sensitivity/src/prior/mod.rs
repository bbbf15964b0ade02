//! What is known of parameters before anything is measured: one by one ([`Prior`]), or together ([`Normals`]).

mod error;
mod independent;
mod normals;

pub use error::PriorError;
pub use independent::Prior;
pub use normals::Normals;
