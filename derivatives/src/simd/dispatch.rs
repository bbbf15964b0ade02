//! Runs a computation with the registers of a level, chosen at each entry.

use super::Register;
use super::level::Level;
#[cfg(not(target_arch = "x86_64"))]
use super::portable::Portable as Plain;
#[cfg(target_arch = "x86_64")]
use super::stack::align_stack;
#[cfg(target_arch = "x86_64")]
use super::x86::Sse2 as Plain;

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

/// On its own, so that the other levels do not stand on its frame: a megabyte where nothing is optimized.
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
    #[must_use]
    pub fn of(level: Level) -> Option<Self> {
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

    /// Whether one register of the processor holds eight numbers, so that half of one takes as long.
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

    /// Runs a kernel of which half a register of eight is enough: at AVX2 where there is AVX-512, whose registers would
    /// go half empty and take twice the time on some processors. So it is not compiled for that.
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
