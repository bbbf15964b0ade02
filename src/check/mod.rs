//! Checks derivatives of a robot's dynamics: claimed matrices against evidence.
//!
//! This module is for quantities of a robot, which it knows by name ([`Quantity`]), computed by any program. For
//! derivatives of your own functions, of robots or not, there is [`derivatives::check`](mod@gradyn_derivatives::check),
//! which also defines the options, verdicts and reports.
//!
//! [`check_claim`] takes a quantity that a program computed at a state, and gives a verdict on each entry, with names
//! of joints. The evidence is differences of values along `q ⊕ t e_k`, and dual numbers through the algorithm (for
//! accelerations, through the torques that they need). [`gradyn_derivatives::check`] explains the evidence and the
//! verdicts.
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
