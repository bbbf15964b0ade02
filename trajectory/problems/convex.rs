//! Linear-quadratic problems with bounds, drawn by a seed: convex, so that whatever meets the conditions of optimality
//! is the optimum.
//!
//! Up to 40 numbers of state, 20 controls and 60 steps. All controls are bounded, and some rows `G x + H u` at each
//! node. Bounds and equalities are drawn around a trajectory, which is strictly inside, so that all of them are
//! feasible; the cost pulls elsewhere. A third each: without equalities; with some at each node, of which some repeat
//! others; with equalities of the last state alone.

use gradyn::joint::{Axis, Prismatic};
use gradyn::{Inertia, Model, ModelBuilder, Transform};
use gradyn_trajectory::node::{At, Memory, NodeError};
use gradyn_trajectory::quadratic::{Dims, Multipliers, Quadratic};
use gradyn_trajectory::residual::{Depends, FnResidual, StateError};
use gradyn_trajectory::{Cost, Node, PathConstraint, Phase, Problem};
use nalgebra::{DMatrix, DVector};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use std::error::Error;

type Made<T> = Result<T, Box<dyn Error>>;

/// One step: `x⁺ = A x + B u + d` at the price `½ zᵀ H z + hᵀ z`, `z = (x, u)`, with `C z = c` and
/// `lower ≤ G z ≤ upper`.
struct Step {
    a: DMatrix<f64>,
    b: DMatrix<f64>,
    d: DVector<f64>,
    hessian: DMatrix<f64>,
    gradient: DVector<f64>,
    c: DMatrix<f64>,
    c0: DVector<f64>,
    g: DMatrix<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

/// The nodes of all steps; which one it is comes with the place.
struct Linear {
    dims: Dims,
    steps: Vec<Step>,
    bounds: [Vec<f64>; 2],
}

fn both(at: At<'_>) -> DVector<f64> {
    DVector::from_iterator(at.x.len() + at.u.len(), at.x.iter().chain(at.u).copied())
}

impl Node for Linear {
    fn dims(&self) -> Dims {
        self.dims
    }
    fn memory(&self) -> Memory {
        Box::new(())
    }
    fn control_bounds(&self) -> Option<(&[f64], &[f64])> {
        Some((&self.bounds[0], &self.bounds[1]))
    }
    fn bounds(&self, at: At<'_>, lower: &mut [f64], upper: &mut [f64]) {
        let step = &self.steps[at.node];
        lower.copy_from_slice(&step.lower);
        upper.copy_from_slice(&step.upper);
    }
    fn value(&self, at: At<'_>, _: &mut Memory, next: &mut [f64], rows: &mut [f64]) -> Result<f64, NodeError> {
        let (step, z) = (&self.steps[at.node], both(at));
        let (x, u) = (z.rows(0, at.x.len()), z.rows(at.x.len(), at.u.len()));
        next.copy_from_slice((&step.a * x + &step.b * u + &step.d).as_slice());
        let (eq, ineq) = rows.split_at_mut(self.dims.n_eq);
        eq.copy_from_slice((&step.c * &z - &step.c0).as_slice());
        ineq.copy_from_slice((&step.g * &z).as_slice());
        Ok(0.5 * z.dot(&(&step.hessian * &z)) + step.gradient.dot(&z))
    }
    fn linearize(&self, at: At<'_>, memory: &mut Memory, out: &mut Quadratic) -> Result<(), NodeError> {
        let (step, z, nx, nu) = (&self.steps[at.node], both(at), at.x.len(), at.u.len());
        let mut rows = vec![0.0; self.dims.n_eq + self.dims.n_in];
        out.cost = self.value(at, memory, &mut out.next, &mut rows)?;
        let slope = &step.hessian * &z + &step.gradient;
        out.lx.copy_from(&slope.rows(0, nx));
        out.lu.copy_from(&slope.rows(nx, nu));
        out.lxx.copy_from(&step.hessian.view((0, 0), (nx, nx)));
        out.lxu.copy_from(&step.hessian.view((0, nx), (nx, nu)));
        out.luu.copy_from(&step.hessian.view((nx, nx), (nu, nu)));
        out.a.copy_from(&step.a);
        out.b.copy_from(&step.b);
        out.eq.copy_from_slice(&rows[..self.dims.n_eq]);
        out.ineq.copy_from_slice(&rows[self.dims.n_eq..]);
        out.eq_x.copy_from(&step.c.columns(0, nx));
        out.eq_u.copy_from(&step.c.columns(nx, nu));
        out.ineq_x.copy_from(&step.g.columns(0, nx));
        out.ineq_u.copy_from(&step.g.columns(nx, nu));
        Ok(())
    }
    /// Nothing is bent.
    fn linearize_exact(
        &self,
        at: At<'_>,
        memory: &mut Memory,
        _: &Multipliers,
        out: &mut Quadratic,
    ) -> Result<bool, NodeError> {
        out.curvature.clear();
        self.linearize(at, memory, out).map(|()| true)
    }
}

/// So many slides, one on the other: a space of 2 n numbers.
pub(super) fn slides(n: usize) -> Made<Model> {
    let mut builder = ModelBuilder::new("slides");
    let mut parent = None;
    for k in 0..n {
        let mass = Inertia::point_mass(1.0, nalgebra::Vector3::zeros())?;
        let joint = Prismatic { axis: Axis::X };
        let (body, name) = (format!("body {k}"), format!("slide {k}"));
        parent = Some(builder.add_body(parent, body, name, Transform::identity(), joint, mass)?);
    }
    Ok(builder.build()?)
}

/// The problem of a seed.
pub(crate) fn convex(seed: u64) -> Made<Problem> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let (n, nu, steps): (usize, usize, usize) =
        (rng.random_range(1..=20), rng.random_range(1..=20), rng.random_range(1..=60));
    let nx = 2 * n;
    let kind = seed % 3;
    let n_eq = if kind == 1 { rng.random_range(1..=nu.div_ceil(2)) } else { 0 };
    let n_in = rng.random_range(0..=nx);
    let matrix = |rng: &mut ChaCha8Rng, rows: usize, columns: usize| {
        DMatrix::from_fn(rows, columns, |_, _| rng.random_range(-1.0..1.0))
    };
    let vector = |rng: &mut ChaCha8Rng, n: usize| DVector::from_fn(n, |_, _| rng.random_range(-1.0..1.0));
    let start = vector(&mut rng, nx);
    let bounds = [(); 2].map(|()| vector(&mut rng, nu));
    let bounds = [bounds[0].map(|u| -1.0 - 0.5 * (u + 1.0)), bounds[1].map(|u| 1.0 + 0.5 * (u + 1.0))];
    let (mut x, mut all) = (start.clone(), Vec::new());
    for _ in 0..steps {
        // The trajectory that is inside; its controls are below 1.
        let u = vector(&mut rng, nu);
        let z = DVector::from_iterator(nx + nu, x.iter().chain(u.iter()).copied());
        let half = matrix(&mut rng, nx + nu, nx + nu);
        let hessian = &half * half.transpose() / (nx + nu) as f64 + DMatrix::identity(nx + nu, nx + nu) * 0.1;
        // Uniform entries of variance 1/3: eigenvalues up to one, so that states neither explode nor die out.
        let (a, b) = (matrix(&mut rng, nx, nx) * (3.0 / nx as f64).sqrt(), matrix(&mut rng, nx, nu));
        let d = vector(&mut rng, nx);
        let mut c = matrix(&mut rng, n_eq, nx + nu);
        for row in 1..n_eq {
            if rng.random_bool(0.3) {
                // It says twice what the one before says.
                let before = c.row(row - 1) * 2.0;
                c.row_mut(row).copy_from(&before);
            }
        }
        let c0 = &c * &z;
        let g = matrix(&mut rng, n_in, nx + nu);
        let held = &g * &z;
        let mut room = |sign: f64| held.iter().map(|g| g + sign * rng.random_range(0.01..1.0)).collect::<Vec<_>>();
        let (mut lower, mut upper) = (room(-1.0), room(1.0));
        for (l, u) in lower.iter_mut().zip(&mut upper) {
            // One side alone, often.
            match rng.random_range(0..3) {
                0 => *l = f64::NEG_INFINITY,
                1 => *u = f64::INFINITY,
                _ => (),
            }
        }
        let next = &a * &x + &b * &u + &d;
        let gradient = vector(&mut rng, nx + nu) * 10.0;
        all.push(Step { a, b, d, hessian, gradient, c, c0, g, lower, upper });
        x = next;
    }
    let model = slides(n)?;
    let dims = Dims { nx, ndx: nx, nu, n_eq, n_in };
    let bounds = bounds.map(|b| b.as_slice().to_vec());
    let goal = vector(&mut rng, nx);
    let mut builder = Problem::builder(&model)
        .start(&start.as_slice()[..n], &start.as_slice()[n..])
        .phase(Phase::own("linear", steps, 0.1, Linear { dims, steps: all, bounds }))
        .last(Cost::new("end", StateError::at(&model, &goal.as_slice()[..n], &goal.as_slice()[n..])));
    if kind == 2 {
        let rows = rng.random_range(1..=n);
        let c = matrix(&mut rng, rows, nx);
        let (c0, of_values) = (&c * &x, c.clone());
        let end = FnResidual::new(
            rows,
            Depends::QV,
            move |on, r| {
                let x = DVector::from_iterator(on.q.len() + on.v.len(), on.q.iter().chain(on.v).copied());
                r.copy_from_slice((&of_values * x - &c0).as_slice());
                Ok(())
            },
            move |on, out| {
                out.dq.copy_from(&c.columns(0, on.q.len()));
                out.dv.copy_from(&c.columns(on.q.len(), on.v.len()));
                Ok(())
            },
        );
        builder = builder.last_constraint(PathConstraint::equal("last", end));
    }
    Ok(builder.build()?)
}
