//! Parts of the augmented Lagrangian by themselves.

#![expect(clippy::float_cmp, reason = "numbers that are copied, or exact products and sums, are the same to the bit")]

mod constraints;
