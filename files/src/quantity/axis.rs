//! Shapes of quantities, and what they are computed with.

/// What stands along the rows or the columns of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// A single number.
    One,
    /// Degrees of freedom, nv.
    Dofs,
    /// Two degrees of freedom, nv², the second running first.
    DofPairs,
    /// Force, then moment.
    Wrench,
    /// Linear, then angular velocity.
    Motion,
    /// Linear, then angular momentum.
    Momentum,
    /// x, y, z.
    Space,
    /// Rows of constraints.
    Rows,
    /// Rows or columns of a 4 × 4 matrix.
    Homogeneous,
    /// Inertial parameters of one body, ten.
    Body,
    /// Log-Cholesky parameters of one body, ten.
    Shape,
    /// Inertial parameters of all bodies, ten each.
    Bodies,
    /// Mass and first moment of mass of each body.
    Masses,
    /// Small motions of the joints' placements, six each.
    Placements,
}

/// What a quantity has one of each for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parts {
    /// Nothing: it is one matrix.
    Whole,
    /// Links with a wrench.
    Wrenches,
    /// Links and joints, in a reference.
    Frames,
    /// Links and joints, whatever the reference.
    Places,
    /// Points that the command line names, in a reference.
    Points,
    /// Two links or joints that the command line names, in a reference.
    Pairs,
    /// The subtree of a joint, called by its link.
    Subtrees,
    /// Bodies, called by their links.
    Bodies,
    /// Fields of its own.
    Fields(&'static [Field]),
}

/// A part with a shape of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its key in the answer.
    pub name: &'static str,
    /// Its rows and columns.
    pub axes: (Axis, Axis),
    /// The inputs besides `q` that it depends on, one letter each.
    pub inputs: &'static str,
}

/// What is computed in one go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Inverse dynamics and its derivatives.
    Torques,
    /// Forward dynamics and its derivatives.
    Accelerations,
    /// Terms of the equation of motion.
    Terms,
    /// Mass matrix, its inverse, energy.
    Masses,
    /// Motions of frames.
    Frames,
    /// Motions of points.
    Points,
    /// Centers of mass.
    Centers,
    /// Momentum.
    Momenta,
    /// Regressors, and parameters of bodies.
    Regressors,
    /// Second derivatives of torques.
    TorqueTensors,
    /// Second derivatives of accelerations.
    AccelerationTensors,
    /// Gradients and Hessians of combinations.
    Contractions,
    /// Accelerations under constraints.
    Constrained,
    /// Impacts.
    Impulses,
    /// Errors and rows of constraints.
    Constraints,
}
