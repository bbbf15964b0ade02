//! Pieces where they stand.

use gradyn_derivatives::{Piece, Register};

/// Runs a piece where it stands; in builds for finding mistakes, which may not be optimized, as a function of its own:
/// what is inlined would pile up on the stack.
#[inline(always)]
pub(super) fn in_place<R: Register, P: Piece>(piece: P) -> P::Output {
    if cfg!(debug_assertions) { R::call(piece) } else { piece.run() }
}
