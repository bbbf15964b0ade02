//! The robot: its tree of bodies and joints, and the files it comes from.

pub mod urdf;
