//! The form of every quantity at every level.

use crate::plan::only::{Only, only};
use crate::plan::rules::ModelFacts;
use gradyn_derivatives::{Level, VectorLevel};
use std::fmt;

/// What has several forms over `f64`. All else is [`Others`](Self::Others).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// [`rnea`](crate::dynamics::rnea()) and [`bias`](crate::dynamics::bias())
    InverseDynamics,
    /// [`aba`](crate::dynamics::aba())
    ForwardDynamics,
    /// [`crba`](crate::dynamics::crba())
    MassMatrix,
    /// [`minv`](crate::dynamics::minv())
    MassMatrixInverse,
    /// [`rnea_derivatives`](crate::partials::rnea_derivatives)
    InverseDynamicsDerivatives,
    /// [`aba_derivatives`](crate::partials::aba_derivatives)
    ForwardDynamicsDerivatives,
    /// [`constraint_dynamics`](crate::dynamics::constraint_dynamics()) and
    /// [`impulse_dynamics`](crate::dynamics::impulse_dynamics())
    ConstraintDynamics,
    /// Kinematics, energies, momentum, regressors.
    Others,
    /// Inverse dynamics of many states at once.
    BatchInverseDynamics,
    /// Mass matrices of many states at once.
    BatchMassMatrix,
    /// Derivatives of inverse dynamics of many states at once.
    BatchInverseDynamicsDerivatives,
    /// All else of many states at once.
    BatchOthers,
}

impl Quantity {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::InverseDynamics,
        Self::ForwardDynamics,
        Self::MassMatrix,
        Self::MassMatrixInverse,
        Self::InverseDynamicsDerivatives,
        Self::ForwardDynamicsDerivatives,
        Self::ConstraintDynamics,
        Self::Others,
        Self::BatchInverseDynamics,
        Self::BatchMassMatrix,
        Self::BatchInverseDynamicsDerivatives,
        Self::BatchOthers,
    ];
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::InverseDynamics => "inverse dynamics",
            Self::ForwardDynamics => "forward dynamics",
            Self::MassMatrix => "mass matrix",
            Self::MassMatrixInverse => "inverse of the mass matrix",
            Self::InverseDynamicsDerivatives => "derivatives of inverse dynamics",
            Self::ForwardDynamicsDerivatives => "derivatives of forward dynamics",
            Self::ConstraintDynamics => "constrained dynamics",
            Self::Others => "all else",
            Self::BatchInverseDynamics => "batch: inverse dynamics",
            Self::BatchMassMatrix => "batch: mass matrix",
            Self::BatchInverseDynamicsDerivatives => "batch: derivatives of inverse dynamics",
            Self::BatchOthers => "batch: all else",
        })
    }
}

/// A form of an algorithm over `f64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// The page of the book, body by body; in a batch with a state in each lane, or one state after the other at the
    /// plain level.
    Book,
    /// Eight joints in a register.
    Joints,
    /// Eight joints in a register, and factors of the mass matrix in blocks of eight by eight.
    Factors,
    /// Eight joints in a register, and articulated bodies: for trees so deep that factors take longer.
    Articulated,
    /// By copy: bodies of equal depth in the lanes.
    Bodies,
    /// By copy: states of a batch in the lanes.
    States,
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Book => "book",
            Self::Joints => "joints",
            Self::Factors => "joints, factors",
            Self::Articulated => "joints, articulated",
            Self::Bodies => "copies: bodies",
            Self::States => "copies: states",
        })
    }
}

/// What registers hold: two numbers, which is the plain level, four, or eight.
const WIDTHS: usize = 3;

/// The form of every quantity at every level, for one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// By what calls are held to, by quantity, by the width of registers.
    forms: [[[Form; WIDTHS]; Quantity::ALL.len()]; Only::ALL.len() + 1],
    /// Why no form takes eight joints at a time, if there is none.
    book_only: Option<String>,
}

impl Plan {
    pub(crate) fn new(facts: &ModelFacts) -> Self {
        let forms = std::array::from_fn(|held| {
            let only = held.checked_sub(1).map(|k| Only::ALL[k]);
            Quantity::ALL.map(|quantity| std::array::from_fn(|width| facts.form(quantity, width, only)))
        });
        Self { forms, book_only: facts.book_only.clone() }
    }

    /// The form that a call takes at a level, held to what [`with_only`](super::with_only) says on this thread. Forms without wrenches of
    /// their own leave calls with wrenches to [`Form::Joints`] and its like: those are [`Form::Bodies`].
    #[must_use]
    pub fn form(&self, quantity: Quantity, level: Level) -> Form {
        self.at(quantity, usize::from(level > Level::Plain) + usize::from(level == Level::Avx512))
    }

    /// The same for a level above plain.
    #[inline(always)]
    pub(crate) fn at_vector(&self, quantity: Quantity, level: VectorLevel) -> Form {
        self.at(quantity, 1 + usize::from(level.holds_eight()))
    }

    /// The form of what goes by joints, where forms for bodies have no part in it: under wrenches, or where sweeps are
    /// kept.
    #[inline(always)]
    pub(crate) fn by_joints(&self, quantity: Quantity, level: VectorLevel) -> Form {
        self.forms[1 + Only::Joints as usize][quantity as usize][1 + usize::from(level.holds_eight())]
    }

    #[inline(always)]
    fn at(&self, quantity: Quantity, width: usize) -> Form {
        let held = only().map_or(0, |only| 1 + only as usize);
        self.forms[held][quantity as usize][width]
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quantity = Quantity::ALL.iter().map(|quantity| quantity.to_string().len()).max().unwrap_or(0);
        let levels: Vec<Level> = Level::available().collect();
        let row = |name: &str, forms: &mut dyn Iterator<Item = String>| {
            let cells: String = forms.map(|form| format!("  {form:<19}")).collect();
            format!("{name:quantity$}{cells}").trim_end().to_owned()
        };
        f.write_str(&row("", &mut levels.iter().map(Level::to_string)))?;
        for quantity in Quantity::ALL {
            let forms = &mut levels.iter().map(|level| self.form(quantity, *level).to_string());
            write!(f, "\n{}", row(&quantity.to_string(), forms))?;
        }
        match &self.book_only {
            Some(why) => write!(f, "\n{why}"),
            None => Ok(()),
        }
    }
}
