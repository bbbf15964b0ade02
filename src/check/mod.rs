//! Checks derivatives of a robot's dynamics: claimed matrices against evidence.
//!
//! This module is for quantities of a robot, which it knows by name ([`Quantity`]), computed by whatever program. For derivatives of
//! functions of your own, robots or not, there is [`derivatives::check`](mod@gradyn_derivatives::check), whose options, verdicts and
//! reports these are.
//!
//! [`check_claim`] takes what somebody computed, by whatever program, at a state, and says of each entry whether it is
//! right, with names of joints. Evidence are differences of values along `q ⊕ t e_k`, and dual numbers through the
//! algorithm (of accelerations, through the torques that they need); what they are worth and how verdicts come about is told in [`gradyn_derivatives::check`].
//!
//! ```
//! use gradyn::check::{Guess, Options, Quantity, State, check_claim};
//! use gradyn::{DerivativeWorkspace, Method, Model, UrdfOptions, rnea_derivatives};
//!
//! let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
//! let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
//! let (q, v, a) = ([0.1, -0.5, 0.3, -2.0, 0.2, 1.6, 0.8], [0.2; 7], [0.4; 7]);
//! let mut memory = DerivativeWorkspace::new(&model);
//! let by = rnea_derivatives(&model, &mut memory, Method::Analytical, &q, &v, &a, &[])?;
//!
//! let state = State { q: &q, v: &v, a: &a, ..State::default() };
//! let report = check_claim(&model, Quantity::DtauDq, state, &by.dtau_dq, &Options::default())?;
//! assert!(report.agrees(), "{report}");
//!
//! let transposed = by.dtau_dq.transpose();
//! let report = check_claim(&model, Quantity::DtauDq, state, &transposed, &Options::default())?;
//! assert_eq!(report.guess(), Some(&Guess::Transposed));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod claim;
mod conditioning;
mod frames;
mod functions;
mod mistakes;
mod quantity;
mod scale;
mod state;

pub use claim::{ClaimError, check_claim};
pub use gradyn_derivatives::check::{
    CheckError, Claim, Counts, Curve, Entry, Guess, Options, Reason, Report, Taylor, Verdict,
};
pub use quantity::Quantity;
pub use scale::Scale;
pub use state::State;
