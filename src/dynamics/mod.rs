//! Algorithms on the tree, one a file, generic over the scalar.
//!
//! Each has a form that works in a [`Workspace`] made once per thread and allocates nothing, and returns views that
//! borrow from it: results cannot be used after the next call has overwritten them. A form that allocates stands beside.

pub(crate) mod crba;
mod external;
mod forward_kinematics;
pub(crate) mod jacobian;
pub(crate) mod links;
mod reference;
pub(crate) mod rnea;
pub(crate) mod rnea_derivatives;
pub(crate) mod step;
pub(crate) mod wide;
mod workspace;
pub(crate) mod world;

pub use crba::{crba, mass_matrix};
pub(crate) use external::check as check_wrenches;
pub use external::{ExternalWrench, WrenchFrame};
pub use forward_kinematics::{Kinematics, forward_kinematics};
pub use jacobian::{frame_jacobian, point_jacobian, relative_jacobian};
pub use reference::{FrameRef, ReferenceFrame};
pub use rnea::{inverse_dynamics, rnea, rnea_with};
pub use rnea_derivatives::{TorqueDerivatives, rnea_derivatives};
pub use workspace::Workspace;
