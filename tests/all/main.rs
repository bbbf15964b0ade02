//! Tests of the engine.
//!
//! One program, since each links everything that is tested.

mod aba_derivatives;
mod accuracy;
mod after_failure;
mod allocation;
mod batch;
mod batch_contacts;
mod branches;
mod centroidal;
mod check;
mod closed_forms;
mod configurations;
mod constrained;
mod constrained_hessian;
mod constraints;
mod contractions;
mod deep;
mod dual8;
mod dual_method;
mod dynamics;
mod edited_models;
mod examples;
mod forward_dynamics;
mod golden;
mod hessian_product;
mod joints;
mod kinematics;
mod mass_matrix;
mod model;
mod mutations;
mod once;
mod parameter_gradient;
mod parameters;
mod partials;
mod plan;
mod quantities;
mod regressor;
mod repeated;
mod rerooted;
mod results_again;
mod rnea_derivatives;
mod second_order;
mod second_order_forward;
#[cfg(feature = "serde")]
mod serde;
mod sparsity;
mod spatial;
mod spatial_checked;
mod spatial_exp_log;
mod spatial_inertia;
mod spatial_support;
mod state_function;
mod state_hessian;
mod states;
mod still;
mod terms;
mod urdf;
mod urdf_fuzz;
mod urdf_model;
mod urdf_rewrite;
mod wide;
mod wide_results;

#[global_allocator]
static ALLOCATOR: testing::Counting = testing::Counting;
