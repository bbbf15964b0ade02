//! Tests of the engine.
//!
//! One program, since each links everything that is tested.

mod aba_derivatives;
mod accuracy;
mod actuators;
mod after_failure;
mod allocation;
mod batch;
mod batch_contacts;
mod centroidal;
mod check;
mod closed_forms;
mod configurations;
mod constrained;
mod constrained_hessian;
mod constraints;
mod contractions;
mod dual8;
mod dual_method;
mod dynamics;
mod dynamics_as_on_the_page;
mod edited_models;
mod examples;
mod faults;
mod forward_dynamics;
mod friction_curves;
mod golden;
mod hessian_product;
mod joints;
mod kinematics;
mod kinematics_as_on_the_page;
mod last_results;
mod limbs_as_on_the_page;
mod long_chains;
mod mass_matrix;
mod mjcf;
mod model;
mod mutations;
mod nothing_moves;
mod once;
mod parameter_gradient;
mod parameters;
mod partials;
mod plan;
mod quantities;
mod regressor;
mod rerooted;
mod rnea_derivatives;
mod same_bits_again;
mod sdf;
mod sdf_damaged;
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
mod springs;
mod springs_mujoco;
mod srdf;
mod state_function;
mod state_hessian;
mod states;
mod surgery;
mod terms;
mod urdf;
mod urdf_fuzz;
mod urdf_model;
mod urdf_rewrite;
mod write;

#[global_allocator]
static ALLOCATOR: testing::Counting = testing::Counting;
