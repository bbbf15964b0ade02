//! Statistics for every analysis: quantiles, sums in a fixed order, random streams, and intervals by resampling.

mod bootstrap;
mod interval;
pub(crate) mod normal;
mod student;
mod sums;

pub(crate) use bootstrap::{Columns, deviations, multiplier};
pub use interval::{Interval, Resampling};
pub use normal::normal_quantile;
pub use student::student_quantile;
pub(crate) use sums::{dot, sum};

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

/// The random numbers of one seed and one stream: those of a part do not depend on the others, nor on the thread.
pub(crate) fn stream(seed: u64, stream: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(stream);
    rng
}
