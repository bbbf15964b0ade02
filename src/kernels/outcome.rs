//! The outcome of a kernel: the state of its results.
//! Serves: `dynamics/by_plan/values.rs`. Test: `limbs_as_on_the_page::a_limb_that_ends_in_nothing_is_an_error`.

use gradyn_derivatives::Register;

/// The first degree of freedom whose pivot is lost, and the pivot.
pub(crate) type Lost = (usize, f64);

/// What is known of results: two words, which are returned in registers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use = "the page is asked where results are not finite"]
pub(crate) enum Outcome {
    /// They are finite.
    Finite,
    /// Some may not be: who asked looks, or asks the page, which says why.
    Unknown,
    /// There are none: the pivot of this degree of freedom is lost.
    Lost { dof: u32, pivot: f64 },
}

impl Outcome {
    /// From sums of what is zero times each of them.
    #[inline(always)]
    pub(crate) fn of<R: Register>(zero: R) -> Self {
        Self::when(zero.all_lt(R::splat(1.0)))
    }

    #[inline(always)]
    pub(crate) fn when(finite: bool) -> Self {
        if finite { Self::Finite } else { Self::Unknown }
    }

    /// Of solutions that nobody has looked at.
    #[inline(always)]
    pub(crate) fn of_pivots(lost: Option<Lost>) -> Self {
        lost.map_or(Self::Unknown, Self::lost)
    }

    #[inline(always)]
    pub(crate) fn lost((dof, pivot): Lost) -> Self {
        // No model has as many degrees of freedom as this could not count.
        Self::Lost { dof: dof as u32, pivot }
    }

    /// If that holds too.
    #[inline(always)]
    pub(crate) fn and(self, also: bool) -> Self {
        if also || matches!(self, Self::Lost { .. }) { self } else { Self::Unknown }
    }

    #[inline(always)]
    pub(crate) fn is_finite(self) -> bool {
        self == Self::Finite
    }

    /// Something, if they are finite.
    #[inline(always)]
    pub(crate) fn finite(self) -> Option<()> {
        self.is_finite().then_some(())
    }

    #[inline(always)]
    pub(crate) fn is_lost(self) -> bool {
        matches!(self, Self::Lost { .. })
    }

    /// For who looks at solutions anyway.
    #[inline(always)]
    pub(crate) fn pivots(self) -> Result<(), Lost> {
        match self {
            Self::Lost { dof, pivot } => Err((dof as usize, pivot)),
            Self::Finite | Self::Unknown => Ok(()),
        }
    }
}
