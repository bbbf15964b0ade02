//! Which instructions the processor has: seen once.

use std::cell::Cell;
use std::fmt;
use std::sync::OnceLock;

/// A set of vector instructions.
///
/// The best one the processor has is used. A lower one can be forced for a closure with [`with_level`] or for the whole
/// process with the environment variable `GRADYN_LEVEL` (`plain`, `neon`, `avx2`, `avx512`); a level that the processor
/// lacks is answered with the best one below it, an unknown name is ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// What every processor of the architecture has: SSE2 on x86-64, plain arrays elsewhere.
    Plain,
    /// AArch64 NEON with fused multiply-add.
    Neon,
    /// x86-64 AVX2 with FMA.
    Avx2,
    /// x86-64 AVX-512 (F, DQ, VL, BW).
    Avx512,
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Plain => "plain",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        })
    }
}

thread_local! {
    static FORCED: Cell<Option<Level>> = const { Cell::new(None) };
}

impl Level {
    /// All levels, lowest first.
    pub const ALL: [Self; 4] = [Self::Plain, Self::Neon, Self::Avx2, Self::Avx512];

    /// Whether this processor has it.
    #[must_use]
    pub fn is_available(self) -> bool {
        match self {
            Self::Plain => true,
            Self::Neon => cfg!(target_arch = "aarch64"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("fma")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512bw")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
        }
    }

    /// The levels of this processor, lowest first: what a test should run through.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|level| level.is_available())
    }

    /// The best level of this processor that is not above `self`.
    #[must_use]
    pub fn or_below(self) -> Self {
        Self::available().filter(|level| *level <= self).last().unwrap_or(Self::Plain)
    }

    /// The level that [`dispatch`](super::dispatch) uses now, on this thread.
    #[inline]
    #[must_use]
    pub fn active() -> Self {
        static PROCESS: OnceLock<Level> = OnceLock::new();
        FORCED.get().unwrap_or_else(|| {
            *PROCESS.get_or_init(|| {
                let wanted = std::env::var("GRADYN_LEVEL").unwrap_or_default();
                let named = Self::ALL.into_iter().find(|level| level.to_string() == wanted);
                named.unwrap_or(Self::Avx512).or_below()
            })
        })
    }
}

/// Runs `f` with [`dispatch`](super::dispatch) held to `level` or the best one below it, on this thread.
pub fn with_level<T>(level: Level, f: impl FnOnce() -> T) -> T {
    struct Restore(Option<Level>);
    impl Drop for Restore {
        fn drop(&mut self) {
            FORCED.set(self.0);
        }
    }
    let _restore = Restore(FORCED.replace(Some(level.or_below())));
    f()
}

#[cfg(target_arch = "x86_64")]
impl Level {
    /// [`Level::or_below`] from one load and a comparison.
    #[inline]
    pub(super) fn or_below_cached(self) -> Self {
        static BEST: OnceLock<Level> = OnceLock::new();
        let best = *BEST.get_or_init(|| Self::Avx512.or_below());
        // A processor that has a level of x86-64 has all below it.
        self.min(best)
    }
}
