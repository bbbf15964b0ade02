//! Spatial quantities that know their frames, for user code that wants mistakes reported.
//!
//! The plain types keep frames in names (`x_ab`), which costs nothing and checks nothing. Here each quantity carries its
//! [`Frame`]s: an operation between quantities that do not fit returns a [`FrameMismatch`] naming both; its result is that
//! of the plain operation, with frames of its own. The algorithms never use this layer.
//!
//! ```
//! use gradyn::spatial::checked::{CheckedPoint, CheckedTransform, Frame};
//! use gradyn::spatial::Transform;
//! use nalgebra::Vector3;
//!
//! let (world, hand, eye) = (Frame::new("world"), Frame::new("hand"), Frame::new("eye"));
//! let x_wh = CheckedTransform::new(&world, &hand, Transform::from_translation(Vector3::new(0.0, 0.0, 1.0)));
//! let p_h = CheckedPoint::new(&hand, Vector3::new(0.5, 0.0, 0.0));
//! assert_eq!(x_wh.act(&p_h)?.value(), Vector3::new(0.5, 0.0, 1.0));
//!
//! let p_e = CheckedPoint::new(&eye, Vector3::new(0.5, 0.0, 0.0));
//! let error = x_wh.act(&p_e).unwrap_err();
//! assert_eq!(error.to_string(), "act: the pose is of `hand`, but the quantity is expressed in `eye`");
//! # Ok::<(), gradyn::spatial::checked::FrameMismatch>(())
//! ```

/// The frames and the value of a quantity: its constructor, what tells them, other coordinates of it, and its text.
macro_rules! checked {
    (@display $type:ident, $format:expr, $($frame:ident),+) => {
        impl<T: Display> Display for $type<T> {
            /// What, of which body, in which frames, and the numbers.
            fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
                write!(f, $format, $(self.$frame),+)?;
                self.value.fmt(f)
            }
        }
    };
    (
        $(#[$of_new:meta])* $type:ident: $value_type:ty, $act:ident, $inv_act:ident;
        $($(#[$of_frame:meta])* $frame:ident),+;
        $(#[$of_value:meta])* value
    ) => {
        impl<T: Real> $type<T> {
            $(#[$of_new])*
            pub fn new($($frame: &Frame,)+ value: $value_type) -> Self {
                Self { $($frame: $frame.clone(),)+ value }
            }
            $(
                $(#[$of_frame])*
                pub fn $frame(&self) -> &Frame {
                    &self.$frame
                }
            )+
            $(#[$of_value])*
            pub fn value(&self) -> $value_type {
                self.value
            }
        }

        impl<P: Real, T: Scalar<P>> Expressed<P> for $type<T> {
            fn expressed_in(&self) -> &Frame {
                &self.expressed_in
            }
            fn carried(&self, x_ab: &Transform<P>, a: &Frame) -> Self {
                let mut carried = self.clone();
                (carried.expressed_in, carried.value) = (a.clone(), x_ab.$act(self.value));
                carried
            }
            fn carried_back(&self, x_ab: &Transform<P>, b: &Frame) -> Self {
                let mut carried = self.clone();
                (carried.expressed_in, carried.value) = (b.clone(), x_ab.$inv_act(self.value));
                carried
            }
        }
    };
}

mod force;
mod inertia;
mod matrices;
mod momentum;
mod motion;
mod point;
mod transform;

pub use force::CheckedForce;
pub use inertia::CheckedInertia;
pub use matrices::{CheckedJacobian, CheckedMomentumMatrix};
pub use momentum::CheckedMomentum;
pub use motion::{CheckedAcceleration, CheckedMotion};
pub use point::{CheckedPoint, CheckedVector};
pub use transform::{CheckedTransform, Expressed};

use std::fmt::{Display, Formatter};
use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use thiserror::Error;

/// A coordinate frame, or the body it is fixed to.
///
/// Each call of [`Frame::new`] makes another frame, whatever its name; clones are the same frame. Nothing is registered
/// anywhere: a frame is its shared name and a number that no other frame of the process has.
#[derive(Clone, Debug)]
#[doc(alias("CartesianFrame3D", "monogram"))]
pub struct Frame {
    name: Arc<str>,
    id: u64,
}

/// The number of the next frame.
static NEXT_ID: AtomicU64 = AtomicU64::new(0);

impl Frame {
    /// A new frame.
    pub fn new(name: &str) -> Self {
        Self { name: name.into(), id: NEXT_ID.fetch_add(1, Ordering::Relaxed) }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl PartialEq for Frame {
    /// Whether it is the same frame. Names do not count.
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Frame {}

impl Hash for Frame {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl Display for Frame {
    /// The name.
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.name)
    }
}

/// Two quantities do not fit together.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{operation}: {left_role} `{left}`, but {right_role} `{right}`{}", if left.name == right.name { ", another frame of this name" } else { "" })]
#[non_exhaustive]
pub struct FrameMismatch {
    /// What was to be done: the method's name.
    pub operation: &'static str,
    /// What the left frame is, as the beginning of a sentence.
    pub left_role: &'static str,
    /// The frame that the left side, or the object of the method, has.
    pub left: Frame,
    /// What the right frame is, as the beginning of a sentence.
    pub right_role: &'static str,
    /// The frame that the right side, or the argument, has.
    pub right: Frame,
}

/// Asks for the same frame in code of your own: `same_frame("grasp", ("the hand is seen from", a), ("the object from", b))?`.
///
/// `operation` is what was to be done; each side says what its frame is, as the beginning of a sentence. [`framecheck!`](crate::framecheck) writes
/// the sides for you.
///
/// # Errors
/// [`FrameMismatch`] with both frames.
pub fn same_frame(
    operation: &'static str,
    left: (&'static str, &Frame),
    right: (&'static str, &Frame),
) -> Result<(), FrameMismatch> {
    same(operation, left, right)
}

/// Returns a [`FrameMismatch`](crate::spatial::checked::FrameMismatch) from the function around it unless two frames are the same:
/// `@framecheck` of RigidBodyDynamics.jl. The error names the expressions as they stand there.
///
/// ```
/// use gradyn::framecheck;
/// use gradyn::spatial::checked::{CheckedPoint, Frame, FrameMismatch};
/// # use nalgebra::Vector3;
///
/// /// The distance of two points, m.
/// fn distance(p: &CheckedPoint<f64>, q: &CheckedPoint<f64>) -> Result<f64, FrameMismatch> {
///     framecheck!("distance", p.expressed_in(), q.expressed_in());
///     Ok((p.value() - q.value()).norm())
/// }
///
/// let (hand, eye) = (Frame::new("hand"), Frame::new("eye"));
/// let at = |frame: &Frame| CheckedPoint::new(frame, Vector3::zeros());
/// assert_eq!(distance(&at(&hand), &at(&hand)), Ok(0.0));
/// let error = distance(&at(&hand), &at(&eye)).unwrap_err();
/// assert_eq!(error.to_string(), "distance: p.expressed_in() is `hand`, but q.expressed_in() is `eye`");
/// ```
#[macro_export]
macro_rules! framecheck {
    ($operation:literal, $left:expr, $right:expr $(,)?) => {
        $crate::spatial::checked::same_frame(
            $operation,
            (::std::concat!(::std::stringify!($left), " is"), $left),
            (::std::concat!(::std::stringify!($right), " is"), $right),
        )?
    };
}

/// Checks that it is the same frame.
fn same(
    operation: &'static str,
    left: (&'static str, &Frame),
    right: (&'static str, &Frame),
) -> Result<(), FrameMismatch> {
    if left.1 == right.1 {
        return Ok(());
    }
    Err(FrameMismatch {
        operation,
        left_role: left.0,
        left: left.1.clone(),
        right_role: right.0,
        right: right.1.clone(),
    })
}

/// Checks that two quantities are expressed in the same frame.
fn same_coordinates(operation: &'static str, left: &Frame, right: &Frame) -> Result<(), FrameMismatch> {
    same(operation, ("the left side is expressed in", left), ("the right side in", right))
}
