//! Parts of Newton's method by themselves.

mod restoration;
mod strategies;
