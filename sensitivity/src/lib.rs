//! Sensitivities of a robot's motion to its parameters, and their identification from data.
//!
//! [`Parameters`] have names: `panda_link5.mass`, `*.friction`, `gravity.z`. At a state, [`local()`] differentiates
//! torques, accelerations, masses, poses, energies and contact forces by them; along trajectories, a [`Rollout`] does,
//! forwards and by the adjoint, through contacts, impacts and [events](rollout::Event). Formulas, dual numbers and
//! differences agree.
//!
//! # Formulas
//!
//! For outputs `y = f(p)` of uncertain parameters p, with `V = Var y`:
//!
//! | question | formula | where |
//! |---|---|---|
//! | share of the variance by `p_i` alone | `S_i = Var(E[y given p_i]) / V` | [`global::Saltelli`] |
//! | share of the variance by `p_i` and all its interactions | `T_i = E[Var(y given all but p_i)] / V` | [`global::Saltelli`] |
//! | screening: parameters that matter at all | `μ*_i`, the mean of `\|Δy/Δu_i\|` over paths | [`global::Morris`] |
//! | upper bound of `T_i`, from gradients | `T_i ≤ C_i E[(∂y/∂p_i)²] / V` | [`global::dgsm`](global::dgsm()) |
//! | the same for linear f, without samples | `S_i = T_i = Y_i² s_i² / Σ Y_j² s_j²` | [`global::linear`](global::linear()) |
//! | y under another prior, without new samples | `Σ w y / Σ w`, `w = q(p)/p(p)` | [`global::reweight`](global::reweight()) |
//! | the covariance of y, on any manifold | `A P Aᵀ`, and `+ ½ tr(H_i P H_j P)` | [`uncertainty`] |
//! | p from data | `min Σ ρ(r) + ½ (p ⊖ p₀)ᵀ Λ (p ⊖ p₀)` | [`estimate`] |
//! | uncertainty of p, and its unidentifiable part | `s² (JᵀJ)⁻¹`, and the null space of J | [`estimate::Estimate`] |
//!
//! # Example
//!
//! The function of Ishigami and Homma (1990), `sin x₁ + a sin² x₂ + b x₃⁴ sin x₁`: the third variable has no effect
//! alone.
//!
//! ```
//! use gradyn_sensitivity::global::{Run, Saltelli};
//! use gradyn_sensitivity::{Prior, Resampling};
//! use std::f64::consts::PI;
//! use std::ops::ControlFlow;
//!
//! let plan = Saltelli::new(vec![Prior::Uniform { low: -PI, high: PI }; 3], 1024, 1);
//! let mut run = Run::new(plan, 1)?;
//! let f = |x: &[f64], y: &mut [f64]| {
//!     for (x, y) in x.chunks_exact(3).zip(y) {
//!         *y = x[0].sin() + 7.0 * x[1].sin().powi(2) + 0.1 * x[2].powi(4) * x[0].sin();
//!     }
//! };
//! run.advance(f, |_| ControlFlow::Continue(()))?;
//! let indices = run.indices(&Resampling::default())?;
//! for (found, exact) in indices.total.iter().zip([0.5576, 0.4424, 0.2437]) {
//!     assert!(found.contains(exact));
//! }
//! assert!(indices.first[2].contains(0.0) && indices.total[2].low() > 0.0);
//! # Ok::<(), gradyn_sensitivity::global::GlobalError>(())
//! ```
//!
//! # Layers
//!
//! Each depends only on those above it.
//!
//! | module | holds | sources |
//! |---|---|---|
//! | [`statistics`] | quantiles, intervals by resampling, sums in a fixed order | Wichura 1988; Hill 1970; Efron and Tibshirani 1993 |
//! | [`prior`] | distributions of parameters | |
//! | [`parameters`] | names, charts, the robot with other values | Rucker and Wensing 2022 |
//! | [`mod@local`] | derivatives at one state, including second ones | |
//! | [`rollout`] | forward sensitivities, adjoints, events | Hager 2000; Lauß et al. 2017; Kong et al. 2023 |
//! | [`estimate`] | fits, their covariance, identifiability | Moré 1978; Nielsen 1999; Huber 1964, 1981; Demmel and Veselić 1992 |
//! | [`identify`] | structure, checks of data, fits | Gautier and Khalil 1990; Wensing et al. 2017, 2018; Lee et al. 2020 |
//! | [`excite`] | most informative motions | Swevers et al. 1997 |
//! | [`global`] | plans of samples, their evaluation, indices | Saltelli et al. 2010; Jansen 1999; Morris 1991; Campolongo et al. 2007; Sobol' and Kucherenko 2009; Joe and Kuo 2008; Matoušek 1998; Owen 2003 |
//! | [`uncertainty`] | covariances through a function | Athans et al. 1968; Wan and van der Merwe 2000; Hertzberg et al. 2013 |

mod dual_direction;
pub mod error;
pub mod estimate;
pub mod excite;
pub mod global;
pub mod identify;
pub mod local;
pub mod parameters;
pub mod prior;
pub mod rollout;
pub mod statistics;
pub mod uncertainty;

pub use error::SensitivityError;
pub use local::{AtState, Local, Output, OutputPoint, StateOutput, evaluate_many, local, local_second};
pub use parameters::{Parameter, Parameters, parameters_of};
pub use prior::{Normals, Prior};
pub use rollout::{
    Adjoint, Direction, Feedback, Forward, HessianProduct, QuadraticCost, Rollout, Scheme, StateMemory, TrajectoryCost,
};
pub use statistics::{Interval, Resampling};

/// The engine.
pub use gradyn;

/// Pages whose programs are tests.
#[cfg(doctest)]
mod pages {
    #[doc = include_str!("../../docs/sensitivity.md")]
    struct Sensitivity;
}
