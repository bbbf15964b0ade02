//! Tests of sensitivities, identification and what comes with them.
//!
//! One program, since each links everything that is tested.

mod common;
mod derivative_bounds;
mod entropic;
mod estimate;
mod events;
mod excite;
mod floating;
mod hessian;
mod identify;
mod local;
mod logs;
mod morris;
mod motors;
mod output_error;
mod own_output;
mod poses;
mod prior;
mod realistic_data;
mod reweight;
mod rollout;
mod rollout_document;
mod rounding;
mod run;
mod salib;
mod sobol;
mod stance;
mod structure;
mod uncertainty;
