//! What becomes of joints that follow others.

/// What becomes of a joint that mimics another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MimicForm {
    /// It follows: it has no coordinate of its own, and stands at `multiplier q + offset`.
    #[default]
    Follow,
    /// It moves by itself, as if there were no `mimic` element: Pinocchio's choice unless asked.
    Independent,
}
