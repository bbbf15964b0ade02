//! Parts of the augmented Lagrangian by themselves.

mod constraints;
