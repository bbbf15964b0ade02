//! Straight-line code of a robot's dynamics: [`Trace`] is a number that writes down what the engine computes with it, and
//! [`emit`] writes that as Rust, C or CasADi's Python.
//!
//! ```
//! use gradyn::{Model, UrdfOptions};
//! use gradyn_codegen::{Frames, Request, emit};
//!
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/ur5.urdf");
//! let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
//! let (rnea, _) = Request::of("rnea", &model, &Frames::default())?.record(&model, None)?;
//! assert_eq!(rnea.inputs().iter().map(|input| input.name.as_str()).collect::<Vec<_>>(), ["q", "v", "a"]);
//! let code = emit::rust(&[rnea], &emit::Options::of(&model))?;
//! assert!(code.contains("pub fn rnea(q: &[f64; 6], v: &[f64; 6], a: &[f64; 6], tau: &mut [f64; 6])"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod contact;
mod differentiate;
pub mod emit;
mod engine;
mod equal_parts;
mod error;
mod function;
mod graph;
pub mod math;
mod operation;
mod request;
mod trace;
mod verify;

pub use engine::{Frames, QUANTITIES, Quantity};
pub use error::{CodegenError, TraceError};
pub use function::{Counts, Failure, Function, Output, Port, Traced};
pub use graph::Graph;
pub use operation::{Binary, Id, Operation, Unary};
pub use request::{Forms, Order, Request};
pub use trace::{Trace, Tracer};
