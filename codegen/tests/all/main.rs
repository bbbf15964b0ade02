//! Recorded functions are the engine's; generated code is the recorded function.

mod common;
mod compiled;
mod graph;
mod legs;
mod recorded;
mod trace;
