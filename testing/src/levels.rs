//! What a processor's registers can be.

use gradyn_derivatives::Level;
use gradyn_derivatives::simd::with_level;

/// Runs `test` at each level of this processor; the level is printed.
pub fn at_every_level(mut test: impl FnMut()) {
    for level in Level::available() {
        println!("level {level}");
        with_level(level, &mut test);
    }
}

/// So many, but few under Miri, which is some thousand times slower.
pub fn rounds(full: usize) -> usize {
    if cfg!(miri) { full.min(8) } else { full }
}
