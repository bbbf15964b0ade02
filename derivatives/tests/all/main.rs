//! Tests of derivatives without robots.
//!
//! One program, since each links everything that is tested.

mod allocation;
mod check;
mod check_sampled;
mod check_second;
mod difference;
mod drivers;
mod elementary;
mod lanes;
mod levels;
mod nesting;
mod operators;
mod real;
mod sin_cos;
mod smooth;
mod uniform;

#[global_allocator]
static ALLOCATOR: testing::Counting = testing::Counting;
