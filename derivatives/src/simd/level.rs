//! Which instructions to use: seen once, chosen at each entry.

use super::Register;
#[cfg(not(target_arch = "x86_64"))]
use super::portable::Portable as Plain;
#[cfg(target_arch = "x86_64")]
use super::x86::Sse2 as Plain;
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

    /// Does this processor have it?
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

    /// The level that [`dispatch`] uses now, on this thread.
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

/// Runs `f` with [`dispatch`] held to `level` or the best one below it, on this thread.
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

/// A computation written once and compiled once per level.
///
/// `run` must be `#[inline(always)]`, and so must everything it calls that uses `R`.
pub trait Kernel {
    /// What it returns.
    type Output;
    /// The computation, with registers of type `R`.
    fn run<R: Register>(self) -> Self::Output;
}

/// Runs a kernel at the [active](Level::active) level.
#[inline]
pub fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    dispatch_at(Level::active(), kernel)
}

/// Runs a kernel at `level`, or at the best one below it that the processor has.
#[inline]
pub fn dispatch_at<K: Kernel>(level: Level, kernel: K) -> K::Output {
    if let Some(level) = VectorLevel::of(level) {
        return level.run(kernel);
    }
    at_plain(kernel)
}

/// On its own, so that the other levels do not stand on its frame: a megabyte where nothing is optimised.
#[inline(never)]
fn at_plain<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Plain>()
}

/// A level above the plain one, which the processor has: what pays only with vector registers and fused products is
/// compiled for no other.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct VectorLevel(Vector);

#[derive(Clone, Copy, Debug)]
enum Vector {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "aarch64")]
    Neon,
}

impl VectorLevel {
    /// The [active](Level::active) level, unless that is the plain one.
    #[inline]
    #[must_use]
    pub fn active() -> Option<Self> {
        Self::of(Level::active())
    }

    /// `level`, or the best one below it that the processor has, unless that is the plain one.
    #[inline]
    fn of(level: Level) -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        return match level.or_below_cached() {
            Level::Avx512 => Some(Self(Vector::Avx512)),
            Level::Avx2 => Some(Self(Vector::Avx2)),
            Level::Plain | Level::Neon => None,
        };
        #[cfg(target_arch = "aarch64")]
        return (level != Level::Plain).then_some(Self(Vector::Neon));
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        {
            let _ = level;
            None
        }
    }

    /// Does one register of the processor hold eight numbers, so that half of one takes as long?
    #[inline]
    #[must_use]
    pub fn holds_eight(self) -> bool {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Vector::Avx512 => true,
            #[cfg(target_arch = "x86_64")]
            Vector::Avx2 => false,
            #[cfg(target_arch = "aarch64")]
            Vector::Neon => false,
        }
    }

    /// Runs a kernel at this level.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `of` has seen that the processor has these features.
            Vector::Avx512 => unsafe { at_avx512(kernel) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: as above.
            Vector::Avx2 => unsafe { at_avx2(kernel) },
            #[cfg(target_arch = "aarch64")]
            Vector::Neon => kernel.run::<super::neon::Neon>(),
        }
    }

    /// Runs a kernel of which half a register of eight is enough: at AVX2 where there is AVX-512, whose registers would go half empty
    /// and take twice the time on some processors. So it is not compiled for that.
    #[inline]
    pub fn run_on_halves<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `of` has seen that the processor has these features: who has AVX-512 has AVX2.
            Vector::Avx512 | Vector::Avx2 => unsafe { at_avx2(kernel) },
            #[cfg(target_arch = "aarch64")]
            Vector::Neon => kernel.run::<super::neon::Neon>(),
        }
    }
}

/// Lets the stack of the function that this is inlined into begin at a line of the cache.
///
/// The compiler alone aligns it to 16 bytes, wherever the system has put it. In half of all runs of a program every other register of
/// AVX2 that it keeps there then crosses two lines, in three quarters every one of AVX-512: the same inverse dynamics over dual
/// numbers took 1.04 to 1.33 µs.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn align_stack() {
    #[repr(align(64))]
    struct Line(std::mem::MaybeUninit<u8>);
    let line = Line(std::mem::MaybeUninit::uninit());
    std::hint::black_box(&line.0);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw,avx2,fma,bmi1,bmi2")]
#[inline(never)]
fn at_avx512<K: Kernel>(kernel: K) -> K::Output {
    align_stack();
    kernel.run::<super::x86::Avx512>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,bmi1,bmi2")]
#[inline(never)]
fn at_avx2<K: Kernel>(kernel: K) -> K::Output {
    align_stack();
    kernel.run::<super::x86::Avx2>()
}

#[cfg(target_arch = "x86_64")]
impl Level {
    /// [`Level::or_below`] from one load and a comparison.
    #[inline]
    fn or_below_cached(self) -> Self {
        static BEST: OnceLock<Level> = OnceLock::new();
        let best = *BEST.get_or_init(|| Self::Avx512.or_below());
        // A processor that has a level of x86-64 has all below it.
        self.min(best)
    }
}
