//! Answers about sensitivities: which parameters matter, as JSON, CSV and a page.

mod answer;
mod formats;
mod motion;
mod page;
mod rollout;
mod scatter;

pub use answer::{Answer, ByOutput, CLEAR, Column, Finding, NONE, percent, with_interval};
pub use formats::{to_csv, to_csv_by_outputs, to_json};
pub use motion::Motion;
pub use page::write;
pub use rollout::{check_given, motion, rollout};
pub use scatter::{Scatter, Series, Tube, Uncertainty};

/// How an answer was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Derivatives at the robot's own values.
    FirstOrder,
    /// Sobol's indices.
    Sobol,
    /// Morris's elementary effects.
    Morris,
    /// Bounds of total indices from derivatives.
    Dgsm,
}

impl Method {
    /// What it is called in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::FirstOrder => "first-order",
            Self::Sobol => "sobol",
            Self::Morris => "morris",
            Self::Dgsm => "dgsm",
        }
    }
}
