//! Operations: what a node of a graph computes from others.

/// The place of a node in its graph. Operands come before what is computed from them.
pub type Id = u32;

/// What a node computes. Each is one operation of `f64`, rounded once; [`Unary::Sin`] and [`Unary::Cos`] of one
/// argument are computed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// An input, by its number.
    Input(u32),
    /// A constant, by the bits of the `f64`.
    Constant(u64),
    /// One operand.
    Unary(Unary, Id),
    /// Two operands.
    Binary(Binary, Id, Id),
    /// `[a, b, x, y]`: x where `a < b`, else y (where one of them is NaN, too).
    Select([Id; 4]),
}

/// Operations of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the function of its name")]
pub enum Unary {
    Neg,
    Abs,
    Sqrt,
    Sin,
    Cos,
    Exp,
    ExpM1,
    Ln,
    Asin,
    Acos,
    Atan,
}

/// Operations of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each is the operation of its name")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    /// The angle of the point (second, first).
    Atan2,
}

impl Unary {
    /// The value, of `f64`.
    #[must_use]
    pub fn of(self, x: f64) -> f64 {
        match self {
            Self::Neg => -x,
            Self::Abs => x.abs(),
            Self::Sqrt => x.sqrt(),
            Self::Sin => crate::math::sin_cos(x).0,
            Self::Cos => crate::math::sin_cos(x).1,
            Self::Exp => x.exp(),
            Self::ExpM1 => x.exp_m1(),
            Self::Ln => x.ln(),
            Self::Asin => x.asin(),
            Self::Acos => x.acos(),
            Self::Atan => x.atan(),
        }
    }
}

impl Binary {
    /// The value, of `f64`.
    #[must_use]
    pub fn of(self, x: f64, y: f64) -> f64 {
        match self {
            Self::Add => x + y,
            Self::Sub => x - y,
            Self::Mul => x * y,
            Self::Div => x / y,
            Self::Atan2 => x.atan2(y),
        }
    }
    /// Whether operands can change places.
    #[must_use]
    pub fn commutes(self) -> bool {
        matches!(self, Self::Add | Self::Mul)
    }
}

impl Operation {
    /// The constant.
    #[must_use]
    pub fn constant(x: f64) -> Self {
        Self::Constant(x.to_bits())
    }
    /// The operands.
    pub fn operands(&self) -> impl Iterator<Item = Id> + use<> {
        let (all, count) = match *self {
            Self::Input(_) | Self::Constant(_) => ([0; 4], 0),
            Self::Unary(_, x) => ([x, 0, 0, 0], 1),
            Self::Binary(_, x, y) => ([x, y, 0, 0], 2),
            Self::Select(all) => (all, 4),
        };
        all.into_iter().take(count)
    }
    /// The same of other operands.
    #[must_use]
    pub fn map(self, mut f: impl FnMut(Id) -> Id) -> Self {
        match self {
            Self::Input(_) | Self::Constant(_) => self,
            Self::Unary(op, x) => Self::Unary(op, f(x)),
            Self::Binary(op, x, y) => Self::Binary(op, f(x), f(y)),
            Self::Select(all) => Self::Select(all.map(f)),
        }
    }
}
