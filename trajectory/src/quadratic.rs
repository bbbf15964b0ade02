//! A node in the form that solvers use: dynamics to first order, cost to second order.

use nalgebra::{DMatrix, DVector};

/// Sizes of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dims {
    /// Numbers of a state.
    pub nx: usize,
    /// Directions that a state can be moved in.
    pub ndx: usize,
    /// Controls; zero at nodes where nothing can be chosen.
    pub nu: usize,
    /// Equalities `c(x, u) = 0`.
    pub n_eq: usize,
    /// Rows `g(x, u)` that are kept between bounds.
    pub n_in: usize,
}

/// What is known of `A` and `B` beside their entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Structure {
    /// Nothing.
    #[default]
    Dense,
    /// Of semi-implicit Euler, `v⁺ = v + h a`, `q⁺ = q ⊕ h v⁺`: with G the rows of velocities of `[A B]`,
    /// `δq⁺ = D δq + h J G (δx, δu)`, where D and J are the identity but for the [blocks](crate::space::Blocks) of the
    /// robot.
    SemiImplicit {
        /// Length of the step, s.
        h: f64,
        /// Degrees of freedom; of a state that remembers more than configuration and velocity `ndx` is above `2 nv`.
        nv: usize,
    },
}

/// A node to second order: `ℓ(x ⊕ δx, u + δu)`, `x⁺`, and equalities.
///
/// ```text
/// ℓ + lₓᵀ δx + lᵤᵀ δu + ½ δxᵀ lₓₓ δx + δxᵀ lₓᵤ δu + ½ δuᵀ lᵤᵤ δu
/// δx⁺ = A δx + B δu         c + C δx + D δu = 0         g + gₓ δx + gᵤ δu
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Quadratic {
    /// `ℓ`
    pub cost: f64,
    /// `∂ℓ/∂x`, ndx.
    pub lx: DVector<f64>,
    /// `∂ℓ/∂u`, nu.
    pub lu: DVector<f64>,
    /// `∂²ℓ/∂x²`, ndx × ndx, symmetric.
    pub lxx: DMatrix<f64>,
    /// `∂²ℓ/∂x∂u`, ndx × nu.
    pub lxu: DMatrix<f64>,
    /// `∂²ℓ/∂u²`, nu × nu, symmetric.
    pub luu: DMatrix<f64>,
    /// `x⁺`, nx; empty at the last node.
    pub next: Vec<f64>,
    /// `∂x⁺/∂x`, ndx × ndx; without entries at the last node.
    pub a: DMatrix<f64>,
    /// `∂x⁺/∂u`, ndx × nu.
    pub b: DMatrix<f64>,
    /// What is known of them.
    pub structure: Structure,
    /// `D` of [`Structure::SemiImplicit`], nv × nv; without entries for others, and where it is the identity.
    pub step_dq: DMatrix<f64>,
    /// `J` of [`Structure::SemiImplicit`], nv × nv; without entries for others, and where it is the identity.
    pub step_dv: DMatrix<f64>,
    /// `c`, n_eq.
    pub eq: DVector<f64>,
    /// `C = ∂c/∂x`, n_eq × ndx.
    pub eq_x: DMatrix<f64>,
    /// `D = ∂c/∂u`, n_eq × nu.
    pub eq_u: DMatrix<f64>,
    /// `g`, n_in.
    pub ineq: DVector<f64>,
    /// `gₓ`, n_in × ndx.
    pub ineq_x: DMatrix<f64>,
    /// `gᵤ`, n_in × nu.
    pub ineq_u: DMatrix<f64>,
    /// What `lₓₓ`, `lₓᵤ`, `lᵤᵤ` leave out of the second derivatives of the Lagrangian, where it was asked for.
    pub curvature: Curvature,
}

/// Second derivatives by state and controls; without entries where nobody asks for them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curvature {
    /// By states, ndx × ndx, symmetric.
    pub xx: DMatrix<f64>,
    /// ndx × nu.
    pub xu: DMatrix<f64>,
    /// By controls, nu × nu, symmetric.
    pub uu: DMatrix<f64>,
}

impl Curvature {
    /// All zero.
    #[must_use]
    pub fn new(dims: Dims) -> Self {
        let Dims { ndx, nu, .. } = dims;
        Self { xx: DMatrix::zeros(ndx, ndx), xu: DMatrix::zeros(ndx, nu), uu: DMatrix::zeros(nu, nu) }
    }
    /// Becomes zero, to be added to.
    pub fn clear(&mut self) {
        for m in [&mut self.xx, &mut self.xu, &mut self.uu] {
            m.as_mut_slice().fill(0.0);
        }
    }
}

/// Multipliers of a node, which weight second derivatives of what its Lagrangian is made of:
/// `L = ℓ + λ⁺ᵀ f + νᵀ c + yᵀ g`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Multipliers {
    /// λ⁺: of its step, ndx; none at the last node.
    pub next: DVector<f64>,
    /// ν: of its equalities, n_eq.
    pub eq: DVector<f64>,
    /// y: of its rows between bounds, n_in; negative at a lower bound, positive at an upper one.
    pub ineq: DVector<f64>,
}

impl Multipliers {
    /// All zero.
    #[must_use]
    pub fn new(dims: Dims, last: bool) -> Self {
        let Dims { ndx, n_eq, n_in, .. } = dims;
        Self { next: DVector::zeros(if last { 0 } else { ndx }), eq: DVector::zeros(n_eq), ineq: DVector::zeros(n_in) }
    }
}

impl Quadratic {
    /// All zero. `last`: without dynamics.
    #[must_use]
    pub fn new(dims: Dims, last: bool) -> Self {
        let Dims { nx, ndx, nu, n_eq, n_in } = dims;
        let (nx, rows) = if last { (0, 0) } else { (nx, ndx) };
        Self {
            cost: 0.0,
            lx: DVector::zeros(ndx),
            lu: DVector::zeros(nu),
            lxx: DMatrix::zeros(ndx, ndx),
            lxu: DMatrix::zeros(ndx, nu),
            luu: DMatrix::zeros(nu, nu),
            next: vec![0.0; nx],
            a: DMatrix::zeros(rows, if last { 0 } else { ndx }),
            b: DMatrix::zeros(rows, if last { 0 } else { nu }),
            structure: Structure::Dense,
            step_dq: DMatrix::zeros(0, 0),
            step_dv: DMatrix::zeros(0, 0),
            eq: DVector::zeros(n_eq),
            eq_x: DMatrix::zeros(n_eq, ndx),
            eq_u: DMatrix::zeros(n_eq, nu),
            ineq: DVector::zeros(n_in),
            ineq_x: DMatrix::zeros(n_in, ndx),
            ineq_u: DMatrix::zeros(n_in, nu),
            curvature: Curvature::default(),
        }
    }

    /// The same, with room for the curvature of the Lagrangian.
    #[must_use]
    pub fn exact(dims: Dims, last: bool) -> Self {
        Self { curvature: Curvature::new(dims), ..Self::new(dims, last) }
    }

    /// The cost and its derivatives become zero, to be added to.
    pub fn clear_cost(&mut self) {
        self.cost = 0.0;
        self.lx.as_mut_slice().fill(0.0);
        self.lu.as_mut_slice().fill(0.0);
        for m in [&mut self.lxx, &mut self.lxu, &mut self.luu] {
            m.as_mut_slice().fill(0.0);
        }
    }
}
