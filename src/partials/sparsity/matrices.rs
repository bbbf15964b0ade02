//! The patterns of matrices.

use super::SparsityPattern;
use super::groups::Groups;
use super::reach::{movers, on_path};
use crate::dynamics::Constraint;
use crate::model::{BodyId, Model};

impl SparsityPattern {
    /// Of `∂τ/∂q`, `∂τ/∂v` and `∂τ/∂a = M`, nv × nv, and of the derivatives of bias forces, gravity and static torque.
    /// The pattern is symmetric.
    ///
    /// Cost O(nv²), and O(n d) for depth d.
    #[must_use]
    pub fn torques(model: &Model) -> Self {
        let nv = model.nv();
        let mut can = vec![false; nv * nv];
        for (below, body) in model.bodies().iter().enumerate() {
            let mut above = Some(below);
            while let Some(b) = above {
                for i in model.bodies()[b].v_range() {
                    for j in body.v_range() {
                        can[i + nv * j] = true;
                        can[j + nv * i] = true;
                    }
                }
                above = model.bodies()[b].parent().map(BodyId::index);
            }
        }
        Self::from_flags(nv, nv, |i, j| can[i + nv * j])
    }

    /// The lower triangle of [`torques`](Self::torques), diagonal included: of the symmetric matrix `M`.
    #[must_use]
    pub fn torques_lower(model: &Model) -> Self {
        let whole = Self::torques(model);
        Self::from_flags(whole.rows, whole.columns(), |i, j| i >= j && whole.contains(i, j))
    }

    /// Of `∂τ/∂φ` for a wrench on a body, nv × 6: the rows of the joints that carry the body.
    #[must_use]
    pub fn wrench(model: &Model, body: BodyId) -> Self {
        let moves = movers(model, |b| on_path(model, b, model.place_of(body)));
        Self::from_flags(model.nv(), 6, |i, _| moves[i])
    }

    /// Of `∂q̈/∂q`, `∂q̈/∂v` and `∂q̈/∂τ = M⁻¹`, nv × nv: all joints of a tree push on each other. Separate trees
    /// do not, unless a mimic joint couples them. The pattern is symmetric.
    ///
    /// Cost O(nv²).
    #[must_use]
    pub fn accelerations(model: &Model) -> Self {
        Self::constrained_accelerations(model, &[])
    }

    /// Of `∂q̈/∂q`, `∂q̈/∂v` and `∂q̈/∂τ` under constraints, nv × nv, and of `∂v⁺/∂q` and `∂v⁺/∂v⁻` of impulses: as
    /// [`accelerations`](Self::accelerations), and constraints couple the trees that they hold together. The pattern is
    /// symmetric.
    ///
    /// What constraints hold so that it cannot move at all has entries that are zero but for rounding. Impulses leave
    /// trees alone that nothing holds, and a joint that carries no side has a unit column in `∂v⁺/∂v⁻`. Cost O(nv²),
    /// and O(nv) a constraint.
    #[must_use]
    pub fn constrained_accelerations(model: &Model, constraints: &[Constraint]) -> Self {
        let groups = Groups::new(model, constraints);
        Self::from_flags(model.nv(), model.nv(), |i, j| groups.of_dof(i) == groups.of_dof(j))
    }

    /// Of [`constraint_jacobian`](crate::dynamics::constraint_jacobian), rows × nv: the columns of the joints that
    /// carry one side and not the other. Joints that carry both turn the offset of two points, in the rows that are in
    /// axes of the world: those of positions of [`Constraint::point`] and [`Constraint::frame`].
    ///
    /// Entries of the latter joints are zero where the constraint holds, for its offset is. Cost O(n + nv) a row.
    #[must_use]
    pub fn constraint_jacobian(model: &Model, constraints: &[Constraint]) -> Self {
        let mut rows = Vec::new();
        for c in constraints {
            let sides = |b| [c.a.body, c.b.body].map(|side| on_path(model, b, side));
            let one = movers(model, |b| sides(b)[0] != sides(b)[1]);
            let any = movers(model, |b| sides(b)[0] || sides(b)[1]);
            rows.extend((0..c.rows()).map(|r| if c.relation.is_turned(r) { any.clone() } else { one.clone() }));
        }
        Self::from_flags(rows.len(), model.nv(), |r, j| rows[r][j])
    }

    /// Of `∂λ/∂q`, `∂λ/∂v` and `∂λ/∂τ` of multipliers, rows × nv, and of `∂Λ/∂q` and `∂Λ/∂v⁻` of impulses: the columns
    /// of all joints of the trees that the constraint holds, and of those that other constraints couple with them.
    ///
    /// Rows that depend on others, or hold what cannot move, have entries that are zero but for rounding; in `∂Λ/∂v⁻` a
    /// joint that carries no side has a column of zeros. Cost O(nv²), and O(nv) a row.
    #[must_use]
    pub fn multipliers(model: &Model, constraints: &[Constraint]) -> Self {
        let groups = Groups::new(model, constraints);
        let of_rows = groups.of_rows(model, constraints);
        Self::from_flags(of_rows.len(), model.nv(), |r, j| of_rows[r] == Some(groups.of_dof(j)))
    }

    /// Of `∂q̈/∂φ` for a wrench on a body, with or without constraints, nv × 6: the rows of all joints of the body's
    /// tree, and of those that constraints or mimic joints couple with it.
    ///
    /// Cost as [`constrained_accelerations`](Self::constrained_accelerations).
    #[must_use]
    pub fn accelerations_by_wrench(model: &Model, constraints: &[Constraint], body: BodyId) -> Self {
        let groups = Groups::new(model, constraints);
        let own = groups.of_body(model, body);
        Self::from_flags(model.nv(), 6, |i, _| own == Some(groups.of_dof(i)))
    }

    /// Of `∂λ/∂φ` for a wrench on a body, rows × 6: the rows of the constraints that hold the body's tree, or one that
    /// others couple with it.
    ///
    /// Cost as [`multipliers`](Self::multipliers).
    #[must_use]
    pub fn multipliers_by_wrench(model: &Model, constraints: &[Constraint], body: BodyId) -> Self {
        let groups = Groups::new(model, constraints);
        let (own, of_rows) = (groups.of_body(model, body), groups.of_rows(model, constraints));
        Self::from_flags(of_rows.len(), 6, |r, _| own.is_some() && own == of_rows[r])
    }

    /// Of the Jacobian of a frame or point on a body, its rate, and the derivatives of its motion, 6 × nv: the columns
    /// of the joints that carry the body.
    #[must_use]
    pub fn frame(model: &Model, body: BodyId) -> Self {
        let moves = movers(model, |b| on_path(model, b, model.place_of(body)));
        Self::from_flags(6, model.nv(), |_, j| moves[j])
    }

    /// Of the Jacobian of a center of mass, and of the derivatives of its position, velocity and acceleration, 3 × nv:
    /// all columns for the robot (`None`); for the subtree of a body those of the joints in it and of the
    /// joints that carry it.
    #[must_use]
    pub fn center_of_mass(model: &Model, subtree: Option<BodyId>) -> Self {
        let moves = movers(model, |b| {
            subtree.is_none_or(|s| {
                model.place_of(s).is_some_and(|s| on_path(model, b, Some(s)) || on_path(model, s, Some(b)))
            })
        });
        Self::from_flags(3, model.nv(), |_, j| moves[j])
    }

    /// Of the centroidal momentum matrix, its rate, and the derivatives of the momentum and of its rate, 6 × nv: all
    /// entries, for each joint moves the center of mass that the momentum is about.
    ///
    /// The momentum about the center of mass does not know where a floating base is: `∂h_G/∂q` and `∂ḣ_G/∂q` by its
    /// position are zero but for rounding.
    #[must_use]
    pub fn centroidal(model: &Model) -> Self {
        Self::from_flags(6, model.nv(), |_, _| true)
    }

    /// Of [`torque_regressor`](crate::dynamics::torque_regressor), nv × 10 n: the ten columns of a body have entries in
    /// the rows of the joints that carry it.
    ///
    /// A hinge does not feel the force at its own body's origin: that entry, of the mass, is zero but for rounding.
    /// Cost O(n nv).
    #[must_use]
    pub fn torque_regressor(model: &Model) -> Self {
        Self::of_parameters(model, 10)
    }

    /// Of [`static_torque_regressor`](crate::dynamics::static_torque_regressor), nv × 10 n: as
    /// [`torque_regressor`](Self::torque_regressor), in the columns of mass and first moment alone.
    #[must_use]
    pub fn static_torque_regressor(model: &Model) -> Self {
        Self::of_parameters(model, 4)
    }

    /// Of [`kinetic_energy_regressor`](crate::dynamics::kinetic_energy_regressor), 1 × 10 n: all entries.
    #[must_use]
    pub fn kinetic_energy_regressor(model: &Model) -> Self {
        Self::from_flags(1, 10 * model.bodies().len(), |_, _| true)
    }

    /// Of [`potential_energy_regressor`](crate::dynamics::potential_energy_regressor), 1 × 10 n: mass and first moment
    /// of each body.
    #[must_use]
    pub fn potential_energy_regressor(model: &Model) -> Self {
        Self::from_flags(1, 10 * model.bodies().len(), |_, column| column % 10 < 4)
    }

    /// Of [`frame_wrench_regressor`](crate::dynamics::frame_wrench_regressor), 6 × 10: the force feels mass and first
    /// moment, the moment about the frame's origin does not feel the mass, nor each component of it that of the first
    /// moment.
    #[must_use]
    pub fn frame_wrench_regressor() -> Self {
        Self::from_flags(6, 10, |i, column| if i < 3 { column < 4 } else { column > 0 && column != i - 2 })
    }

    /// The first so many of the ten parameters of each body.
    fn of_parameters(model: &Model, count: usize) -> Self {
        let n = model.bodies().len();
        let moves: Vec<_> = (0..n).map(|body| movers(model, |b| on_path(model, b, Some(body)))).collect();
        Self::from_flags(model.nv(), 10 * n, |i, column| column % 10 < count && moves[column / 10][i])
    }

    /// Of [`kinematic_regressor`](crate::dynamics::kinematic_regressor) for a frame on a body, 6 × 6 n: the columns of
    /// the joints that carry the body; displacements turn nothing. The joint that ends in the frame's origin does not
    /// move it by turning, but for [`ReferenceFrame::World`](crate::dynamics::ReferenceFrame::World).
    #[must_use]
    pub fn kinematic_regressor(model: &Model, body: BodyId) -> Self {
        Self::from_flags(6, 6 * model.bodies().len(), |i, column| {
            (i < 3 || column % 6 >= 3) && on_path(model, column / 6, model.place_of(body))
        })
    }
}
