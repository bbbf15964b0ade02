//! Priors of parameters: one by one ([`Prior`]), or jointly ([`Normals`]).

mod error;
mod independent;
mod normals;

pub use error::PriorError;
pub use independent::Prior;
pub use normals::Normals;
