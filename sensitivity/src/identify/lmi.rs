//! Parameters that explain measured torques, by convex optimization: the best of all physical robots.
//!
//! ```text
//! min ½ Σ ((τ_j − τ_j(p))/σ_j)²   with   P_i(p) ⪰ 0 of each link whose inertia varies,   friction, damping, armature ≥ 0
//! ```
//!
//! Torques are linear in p here (`pi`, friction, damping, armature), P are pseudo-inertias, 4×4. There is one optimum,
//! which is found from any start, also on the border, where log-Cholesky parameters go to infinity: links without
//! extent in some direction.
//!
//! The solver's own cone of semidefinite matrices needs LAPACK, and with it a Fortran compiler or a download; so
//! `P ⪰ 0` is approximated from outside by `Vᵀ P V ⪰ 0` for pairs V of directions, each a second-order cone of three
//! dimensions: first the pairs of axes, then those of the eigenvectors wherever P is still indefinite, until it is not.
//! Every round is a relaxation, so its cost bounds that of all physical robots from below. The result is moved inwards
//! until it is physical, and both costs are given.
//!
//! Sources: P. Wensing, S. Kim, J.-J. Slotine, *Linear matrix inequalities for physically consistent inertial parameter
//! identification*, RA-L 3(1), 2018; J. Kelley, *The cutting-plane method for solving convex programs*, 1960; P.
//! Goulart, Y. Chen, *Clarabel*, arXiv 2405.12762.

use super::Data;
use super::nullspace::by_parameters;
use super::rows::residuals;
use crate::error::SensitivityError;
use crate::parameters::{Kind, Parameters};
use clarabel::algebra::CscMatrix;
use clarabel::solver::{
    DefaultSettings, DefaultSolver, IPSolver, NonnegativeConeT, SecondOrderConeT, SolverStatus, SupportedConeT,
};
use nalgebra::{Cholesky, DMatrix, DVector, Matrix4, SymmetricEigen, Vector4};

/// The result of convex optimization.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexFit {
    /// Names of the parameters.
    pub parameters: Vec<String>,
    /// Their values: physical up to rounding.
    pub values: Vec<f64>,
    /// `½ Σ r²` there, residuals in units of their noise.
    pub cost: f64,
    /// A lower bound of the cost of all physical robots, up to the solver's tolerance: if data leave directions open,
    /// costs of rounds, which should only increase, were seen to decrease by 1e-3 of some hundred.
    pub bound: f64,
    /// Links at the border of physical ones: the least eigenvalue of `P₀⁻¹P` is below a millionth.
    pub at_border: Vec<String>,
    /// The number of rounds of cuts.
    pub rounds: usize,
}

/// The most rounds: each cuts off a part of the indefinite ones; four links took 10 to 23.
const ROUNDS: usize = 60;
/// Eigenvalues of `P₀⁻¹P` above minus this, relative to the largest, count as nonnegative: the solver's tolerance is
/// not much smaller.
const NEGATIVE: f64 = 1e-8;
/// The weight that holds unidentifiable directions at the robot's own values, relative to the best identified one: no
/// more than rounding of JᵀJ.
const HELD: f64 = 1e-12;

/// A link whose inertia varies.
struct Link {
    name: String,
    /// `L₀⁻¹`, of `P₀ = L₀ L₀ᵀ`.
    back: Matrix4<f64>,
    /// `∂π/∂x`, 10 × np.
    by: DMatrix<f64>,
    pairs: Vec<[Vector4<f64>; 2]>,
}

impl Link {
    /// `∂(uᵀ X w)/∂x`, `X = L₀⁻¹ P L₀⁻ᵀ`.
    fn row(&self, u: &Vector4<f64>, w: &Vector4<f64>) -> DVector<f64> {
        let (a, b) = (self.back.tr_mul(u), self.back.tr_mul(w));
        let g = a * b.transpose();
        let g = by_parameters(&(0.5 * (g + g.transpose())), 1.0);
        self.by.tr_mul(&DVector::from_row_slice(&g))
    }

    /// X at x; the unit matrix at zero.
    fn scaled(&self, x: &DVector<f64>) -> Matrix4<f64> {
        let axis = |i: usize| Vector4::ith(i, 1.0);
        Matrix4::from_fn(|i, j| f64::from(u8::from(i == j)) + self.row(&axis(i), &axis(j)).dot(x))
    }
}

/// Least squares over all physical robots. `noise`: standard deviation of each joint's torque, nv, as
/// [`fit`](super::fit()) finds them.
///
/// # Errors
/// Invalid data ([`Data::fits`]) or noise; parameters that torques are not linear in; a link of the robot that is not
/// physical, or flat, because inertias are measured relative to the robot's own; a failure of the solver.
pub fn fit_convex(parameters: &Parameters, data: &Data, noise: &[f64]) -> Result<ConvexFit, SensitivityError> {
    let model = parameters.robot();
    data.fits(model)?;
    let dofs = data.rows(model.nv());
    let (nv, np) = (dofs.len(), parameters.len());
    if noise.len() != nv {
        return Err(SensitivityError::Length { what: "noise", expected: nv, found: noise.len() });
    }
    if let Some(j) = noise.iter().position(|s| !(*s > 0.0 && s.is_finite())) {
        let what = format!("the noise of `{}`", model.dof_names()[dofs[j]]);
        return Err(SensitivityError::Number { what, value: noise[j], rule: "expected a positive number" });
    }
    let linear =
        |k: Kind| k.robot().is_some_and(|id| id.is_of_joint() || matches!(id, gradyn::model::ParameterId::Linear(..)));
    if parameters.is_empty() || parameters.any(|kind| !linear(kind)) {
        let why = "convex optimization is over `pi`, `friction`, `damping` and `armature`, one or more of them";
        return Err(SensitivityError::Other(why.into()));
    }
    let nominal = parameters.nominal();
    let (mut links, scale) = links(parameters, &nominal)?;
    let rows = data.len() * nv;
    let (mut r, mut j) = (vec![0.0; rows], DMatrix::zeros(rows, np));
    residuals(parameters, data, 0..data.len(), noise, &nominal, &mut r, &mut j)?;
    let r = DVector::from_vec(r);
    j.column_iter_mut().zip(&scale).for_each(|(mut column, scale)| column *= *scale);
    let mut hessian = j.tr_mul(&j);
    let largest = hessian.diagonal().max();
    let held = if largest > 0.0 { HELD * largest } else { 1.0 };
    (0..np).for_each(|k| hessian[(k, k)] += held);
    let gradient = j.tr_mul(&r);
    let never_negative: Vec<usize> = (0..np).filter(|k| parameters.is_never_negative(*k)).collect();
    let cost = |x: &DVector<f64>| 0.5 * (&r + &j * x).norm_squared();

    // Along eigenvectors of JᵀJ: its eigenvalues are up to 10¹² apart, and as a diagonal they do not mix in the
    // solver's sums.
    let SymmetricEigen { eigenvectors: axes, eigenvalues } = hessian.symmetric_eigen();
    let quadratic = (eigenvalues.map(|x| x.max(held)), axes.tr_mul(&gradient));

    let (mut round, mut by_axes) = (0, DVector::zeros(np));
    let (outside, least) = loop {
        round += 1;
        by_axes = solve(&quadratic, &axes, &links, &never_negative, (&nominal, &scale), &by_axes)?;
        let x = &axes * &by_axes;
        let mut least = f64::INFINITY;
        for link in &mut links {
            let eigen = link.scaled(&x).symmetric_eigen();
            let size = eigen.eigenvalues.amax().max(1.0);
            for i in (0..4).filter(|i| eigen.eigenvalues[*i] < -NEGATIVE * size) {
                let of = |i: usize| eigen.eigenvectors.column(i).into_owned();
                link.pairs.extend((0..4).filter(|other| *other != i).map(|other| [of(i), of(other)]));
            }
            least = least.min(eigen.eigenvalues.min() / size);
        }
        if least >= -NEGATIVE || round == ROUNDS {
            break (x, least);
        }
    };
    if least < -1e-3 {
        return Err(SensitivityError::Other(format!("{ROUNDS} rounds of cuts leave an eigenvalue of {least:e}")));
    }
    // Toward the robot's own values, where all X are the unit matrix: (1 − t) X + t 1 ⪰ 0.
    let lowest = |x: &DVector<f64>| links.iter().map(|l| l.scaled(x).symmetric_eigenvalues().min()).fold(0.0, f64::min);
    let below = -lowest(&outside);
    let mut inside = outside.clone() / (1.0 + below * (1.0 + 1e-12));
    for k in never_negative {
        inside[k] = inside[k].max(-nominal[k] / scale[k]);
    }
    let border = |link: &&Link| link.scaled(&inside).symmetric_eigenvalues().min() < 1e-6;
    Ok(ConvexFit {
        parameters: parameters.names(),
        values: (0..np).map(|k| nominal[k] + scale[k] * inside[k]).collect(),
        cost: cost(&inside),
        bound: cost(&outside),
        at_border: links.iter().filter(border).map(|link| link.name.clone()).collect(),
        rounds: round,
    })
}

/// Links with their first pairs, and the scale of each parameter by the robot's own inertia.
fn links(parameters: &Parameters, nominal: &[f64]) -> Result<(Vec<Link>, Vec<f64>), SensitivityError> {
    let (model, chain) = (parameters.robot(), parameters.chain(nominal)?);
    let layout = model.parameter_layout();
    let mut scale = vec![0.0_f64; nominal.len()];
    let mut links = Vec::new();
    for b in parameters.bodies() {
        let body = &model.bodies()[b];
        let refuse = |error| SensitivityError::Chart { name: body.name().to_owned(), error: Box::new(error) };
        body.inertia().log_cholesky().map_err(refuse)?;
        let factor = Cholesky::new(body.inertia().pseudo_inertia()).and_then(|factor| factor.l().try_inverse());
        let none = || SensitivityError::Other(format!("`{}`: the pseudo-inertia has no Cholesky factor", body.name()));
        let back = factor.ok_or_else(none)?;
        let mut ten = DMatrix::zeros(10, layout.len());
        (0..10).for_each(|k| ten[(k, layout.inertial.start + 10 * b + k)] = 1.0);
        let mut by = DMatrix::zeros(10, nominal.len());
        chain.times(&ten, &mut by);
        let axes: [Vector4<f64>; 4] = std::array::from_fn(|i| Vector4::ith(i, 1.0));
        let pairs = (0..4).flat_map(|i| (0..i).map(move |j| [axes[j], axes[i]])).collect();
        links.push(Link { name: body.name().to_owned(), back, by, pairs });
    }
    for (k, scale) in scale.iter_mut().enumerate() {
        let mut unit = DVector::zeros(nominal.len());
        unit[k] = 1.0;
        let moved = |link: &Link| (link.scaled(&unit) - Matrix4::identity()).norm();
        let most = links.iter().map(moved).fold(0.0, f64::max);
        *scale = if most > 0.0 { 1.0 / most } else { 1.0 };
    }
    for link in &mut links {
        link.by.column_iter_mut().zip(&scale).for_each(|(mut column, scale)| column *= *scale);
    }
    Ok((links, scale))
}

/// `min ½ xᵀ H x + gᵀ x` within the cuts: `A x + s = b`, s in cones; H diagonal, g and the result by these axes.
///
/// Solved for the difference from `near`, the solution with fewer cuts, so that the solver rounds only that difference.
/// (From zero, only the tenth digit of a cost of 10³ was accurate for badly conditioned data, and the relaxation cost
/// more than a robot.)
fn solve(
    (hessian, gradient): &(DVector<f64>, DVector<f64>),
    axes: &DMatrix<f64>,
    links: &[Link],
    never_negative: &[usize],
    (nominal, scale): (&[f64], &[f64]),
    near: &DVector<f64>,
) -> Result<DVector<f64>, SensitivityError> {
    let np = nominal.len();
    let mut cones: Vec<SupportedConeT<f64>> = Vec::new();
    let (mut a, mut b): (Vec<DVector<f64>>, Vec<f64>) = (Vec::new(), Vec::new());
    if !never_negative.is_empty() {
        cones.push(NonnegativeConeT(never_negative.len()));
    }
    for k in never_negative {
        let mut row = DVector::zeros(np);
        row[*k] = -scale[*k];
        a.push(axes.tr_mul(&row));
        b.push(nominal[*k]);
    }
    for link in links {
        for [u, w] in &link.pairs {
            // [[s, t], [t, v]] ⪰ 0 exactly if |(s − v, 2t)| ≤ s + v; at x = 0 it is the unit matrix.
            let (s, v, t) = (link.row(u, u), link.row(w, w), link.row(u, w));
            a.extend([-(&s + &v), &v - &s, -2.0 * t].map(|row| axes.tr_mul(&row)));
            b.extend([2.0, 0.0, 0.0]);
            cones.push(SecondOrderConeT(3));
        }
    }
    let dense = |rows: usize, at: &dyn Fn(usize, usize) -> f64| {
        let entries = (0..np).flat_map(|j| (0..rows).map(move |i| (i, j))).filter(|(i, j)| at(*i, *j) != 0.0);
        let entries: Vec<(usize, usize)> = entries.collect();
        let values = entries.iter().map(|(i, j)| at(*i, *j)).collect();
        let (i, j) = entries.into_iter().unzip();
        CscMatrix::new_from_triplets(rows, np, i, j, values)
    };
    for (b, row) in b.iter_mut().zip(&a) {
        *b -= row.dot(near);
    }
    let gradient = gradient + hessian.component_mul(near);
    let upper = dense(np, &|i, j| if i == j { hessian[i] } else { 0.0 });
    let rows = dense(a.len(), &|i, j| a[i][j]);
    let settings = DefaultSettings {
        verbose: false,
        tol_gap_abs: 1e-10,
        tol_gap_rel: 1e-10,
        tol_feas: 1e-10,
        ..DefaultSettings::default()
    };
    let refuse = |what: String| SensitivityError::Other(format!("the convex solver: {what}"));
    let mut solver = DefaultSolver::new(&upper, gradient.as_slice(), &rows, &b, &cones, settings)
        .map_err(|e| refuse(e.to_string()))?;
    solver.solve();
    let found = &solver.solution;
    let ends =
        matches!(found.status, SolverStatus::Solved | SolverStatus::AlmostSolved | SolverStatus::InsufficientProgress);
    if ends && found.x.iter().all(|x| x.is_finite()) {
        return Ok(near + DVector::from_column_slice(&found.x));
    }
    Err(refuse(format!("{:?}", found.status)))
}
