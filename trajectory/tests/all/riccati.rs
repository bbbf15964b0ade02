//! The linear-quadratic kernel against the whole system of optimality, solved by LU without a look at its structure.

use gradyn_trajectory::quadratic::{Dims, Quadratic};
use gradyn_trajectory::riccati::{Failure, LqSolution, Regularization, Riccati};
use nalgebra::{DMatrix, DVector};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// A linear-quadratic problem.
#[derive(Clone)]
struct Lq {
    dims: Vec<Dims>,
    nodes: Vec<Quadratic>,
    gaps: Vec<DVector<f64>>,
}

fn matrix(rng: &mut ChaCha8Rng, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| rng.random_range(-1.0..1.0))
}

fn vector(rng: &mut ChaCha8Rng, n: usize) -> DVector<f64> {
    DVector::from_fn(n, |_, _| rng.random_range(-1.0..1.0))
}

/// Positive definite costs, dynamics that neither explode nor die out, gaps; no equalities.
fn plain(rng: &mut ChaCha8Rng, nx: usize, nu: usize, steps: usize) -> Lq {
    let mut lq = Lq { dims: Vec::new(), nodes: Vec::new(), gaps: Vec::new() };
    for k in 0..=steps {
        let nu = if k == steps { 0 } else { nu };
        let dims = Dims { nx, ndx: nx, nu, n_eq: 0, n_in: 0 };
        let mut node = Quadratic::new(dims, k == steps);
        let half = matrix(rng, nx + nu, nx + nu);
        let hessian = &half * half.transpose() / (nx + nu) as f64 + DMatrix::identity(nx + nu, nx + nu) * 0.1;
        node.lxx.copy_from(&hessian.view((0, 0), (nx, nx)));
        node.lxu.copy_from(&hessian.view((0, nx), (nx, nu)));
        node.luu.copy_from(&hessian.view((nx, nx), (nu, nu)));
        (node.lx, node.lu) = (vector(rng, nx), vector(rng, nu));
        if k < steps {
            // Uniform entries of variance 1/3 make eigenvalues up to one.
            node.a = matrix(rng, nx, nx) * (3.0 / nx as f64).sqrt();
            node.b = matrix(rng, nx, nu);
        }
        lq.dims.push(dims);
        lq.nodes.push(node);
        lq.gaps.push(vector(rng, nx));
    }
    lq
}

impl Lq {
    /// Sizes up to 40, 20 and 60, such that the whole system has at most so many rows.
    fn random_sizes(rng: &mut ChaCha8Rng, rows: usize) -> (usize, usize, usize) {
        let (nx, nu) = (rng.random_range(1..=40), rng.random_range(1..=20));
        let most = (rows.saturating_sub(2 * nx) / (2 * nx + nu)).clamp(1, 60);
        (nx, nu, rng.random_range(1..=most))
    }

    fn steps(&self) -> usize {
        self.nodes.len() - 1
    }

    /// States and controls of some trajectory of the linear dynamics.
    fn some_trajectory(&self, rng: &mut ChaCha8Rng) -> (Vec<DVector<f64>>, Vec<DVector<f64>>) {
        let (mut x, mut u) = (vec![self.gaps[0].clone()], Vec::new());
        for (k, node) in self.nodes.iter().enumerate() {
            u.push(vector(rng, node.lu.len()));
            if k < self.steps() {
                x.push(&node.a * &x[k] + &node.b * &u[k] + &self.gaps[k + 1]);
            }
        }
        (x, u)
    }

    /// Adds rows `C δx + D δu + c` to a node.
    fn add_rows(&mut self, k: usize, c_x: &DMatrix<f64>, c_u: &DMatrix<f64>, c: &DVector<f64>) {
        let node = &mut self.nodes[k];
        let stack = |above: &DMatrix<f64>, below: &DMatrix<f64>| {
            let mut all = DMatrix::zeros(above.nrows() + below.nrows(), above.ncols());
            all.rows_mut(0, above.nrows()).copy_from(above);
            all.rows_mut(above.nrows(), below.nrows()).copy_from(below);
            all
        };
        node.eq_x = stack(&node.eq_x, c_x);
        node.eq_u = stack(&node.eq_u, c_u);
        node.eq = DVector::from_iterator(node.eq.len() + c.len(), node.eq.iter().chain(c.iter()).copied());
        self.dims[k].n_eq = node.eq.len();
    }

    /// Equalities at every node of random number and rank by the controls, which some trajectory fulfils; in all no
    /// more than leave the start free: what the controls of a node cannot do, those of nodes before it have to.
    fn constrain_stages(&mut self, rng: &mut ChaCha8Rng) {
        let (x, u) = self.some_trajectory(rng);
        let nu = self.nodes[0].lu.len();
        let mut back = 0;
        for k in (0..=self.steps()).rev() {
            let own_u = self.nodes[k].lu.len();
            let room = k * nu;
            let nx = self.nodes[k].lx.len();
            let rows = rng.random_range(0..=nu.div_ceil(2)).min(nx / 2);
            let rank = rng.random_range(0..=rows.min(own_u));
            let left = (back + rows).saturating_sub((rank + back).min(own_u));
            // The half of what the nodes before can do, so that the problem is not ill-posed.
            let rows = if 2 * left <= room && 2 * left <= nx { rows } else { 0 };
            let rank = rank.min(rows);
            back = (back + rows).saturating_sub((rank + back).min(own_u));
            let c_x = matrix(rng, rows, nx);
            let c_u = matrix(rng, rows, rank) * matrix(rng, rank, own_u);
            let c = -(&c_x * &x[k] + &c_u * &u[k]);
            self.add_rows(k, &c_x, &c_u, &c);
        }
    }

    /// An equality of the last state, which some trajectory fulfils.
    fn constrain_end(&mut self, rng: &mut ChaCha8Rng) {
        let (x, _) = self.some_trajectory(rng);
        let (nx, nu, steps) = (self.nodes[0].lx.len(), self.nodes[0].lu.len(), self.steps());
        let rows = rng.random_range(1..=nx.min((nu * steps).div_ceil(2)));
        let c_x = matrix(rng, rows, nx);
        let c = -(&c_x * &x[steps]);
        self.add_rows(steps, &c_x, &DMatrix::zeros(rows, 0), &c);
    }

    /// Where the variables of the whole system stand: states, controls, co-states, multipliers of each node.
    fn places(&self) -> (Vec<[usize; 4]>, usize) {
        let mut n = 0;
        let places = self.dims.iter().map(|d| {
            let at = [n, n + d.ndx, n + d.ndx + d.nu, n + 2 * d.ndx + d.nu];
            n = at[3] + d.n_eq;
            at
        });
        (places.collect(), n)
    }

    /// Gradient of the Lagrangian at zero, and its second derivatives.
    fn system(&self, by: Regularization) -> (DMatrix<f64>, DVector<f64>) {
        let (places, n) = self.places();
        let (mut m, mut g) = (DMatrix::zeros(n, n), DVector::zeros(n));
        let mut put = |at: (usize, usize), block: &DMatrix<f64>| {
            m.view_mut(at, block.shape()).copy_from(block);
            m.view_mut((at.1, at.0), (block.ncols(), block.nrows())).copy_from(&block.transpose());
        };
        for (k, node) in self.nodes.iter().enumerate() {
            let [x, u, l, nu] = places[k];
            let d = self.dims[k];
            put((x, x), &(&node.lxx + DMatrix::identity(d.ndx, d.ndx) * by.primal));
            put((u, u), &(&node.luu + DMatrix::identity(d.nu, d.nu) * by.primal));
            put((x, u), &node.lxu);
            put((l, x), &-DMatrix::<f64>::identity(d.ndx, d.ndx));
            put((nu, x), &node.eq_x);
            put((nu, u), &node.eq_u);
            put((nu, nu), &(DMatrix::<f64>::identity(d.n_eq, d.n_eq) * -by.dual));
            if k < self.steps() {
                put((places[k + 1][2], x), &node.a);
                put((places[k + 1][2], u), &node.b);
            }
            for (at, part) in [(x, &node.lx), (u, &node.lu), (l, &self.gaps[k]), (nu, &node.eq)] {
                g.rows_mut(at, part.len()).copy_from(part);
            }
        }
        (m, g)
    }

    /// A solution as one vector.
    fn flat(&self, solution: &LqSolution) -> DVector<f64> {
        let nodes = solution.dx.iter().zip(&solution.du).zip(&solution.costates).zip(&solution.multipliers);
        let all: Vec<f64> = nodes
            .flat_map(|(((x, u), l), nu)| [x, u, l, nu].into_iter().flatten().copied().collect::<Vec<_>>())
            .collect();
        DVector::from_vec(all)
    }

    fn solve(&self, by: Regularization) -> Result<LqSolution, Failure> {
        let mut out = LqSolution::new(&self.dims);
        Riccati::new(&self.dims).solve_lq(&self.nodes, &self.gaps, by, &mut out)?;
        Ok(out)
    }

    /// The largest error of the solution, relative to its largest entry.
    fn error(&self, by: Regularization) -> f64 {
        let found = self.flat(&self.solve(by).expect("has a solution"));
        let (m, g) = self.system(by);
        let exact = exact(m, &g);
        (found - &exact).amax() / exact.amax()
    }

    /// Condition of the whole system in the largest sum of a row.
    fn condition(&self, by: Regularization) -> f64 {
        let norm = |m: &DMatrix<f64>| m.row_iter().map(|row| row.abs().sum()).fold(0.0, f64::max);
        let (m, _) = self.system(by);
        norm(&m) * norm(&m.try_inverse().expect("is regular"))
    }

    /// The same of one sweep and roll-out, without corrections.
    fn error_uncorrected(&self) -> f64 {
        let (mut riccati, mut out) = (Riccati::new(&self.dims), LqSolution::new(&self.dims));
        riccati.sweep(&self.nodes, &self.gaps, 0.0).expect("has a solution");
        riccati.roll_out(&self.nodes, &self.gaps, &mut out).expect("has a solution");
        let (m, g) = self.system(HARD);
        let exact = exact(m, &g);
        (self.flat(&out) - &exact).amax() / exact.amax()
    }

    /// What is left of the conditions of optimality, relative to the largest entry of the solution.
    fn residual(&self, by: Regularization) -> f64 {
        let found = self.flat(&self.solve(by).expect("has a solution"));
        let (m, g) = self.system(by);
        (m * &found + g).amax() / found.amax()
    }

    /// Adds rows that depend on those that are there, in a node or on those of the node behind; the latter with this
    /// much more on the right.
    fn repeat_rows(&mut self, rng: &mut ChaCha8Rng, k: usize, more: f64) {
        let behind = &self.nodes[k + 1];
        let mix = matrix(rng, 2, behind.eq.len());
        let (c_x, c) = (&mix * &behind.eq_x, &mix * &behind.eq);
        let node = &self.nodes[k];
        let own = matrix(rng, 1, node.eq.len());
        let (own_x, own_u, own_c) = (&own * &node.eq_x, &own * &node.eq_u, &own * &node.eq);
        let (by_x, by_u) = (&c_x * &node.a, &c_x * &node.b);
        let mut right = c + &c_x * &self.gaps[k + 1];
        right[0] += more;
        self.add_rows(k, &own_x, &own_u, &own_c);
        self.add_rows(k, &by_x, &by_u, &right);
    }
}

/// `−M⁻¹ g` by LU, corrected until nothing changes but rounding: where rows repeat others the condition has 1/δ_c in
/// it, and LU alone is off by some 1e-10.
fn exact(m: DMatrix<f64>, g: &DVector<f64>) -> DVector<f64> {
    let lu = m.clone().lu();
    let mut x = lu.solve(&-g).expect("is regular");
    for _ in 0..3 {
        x -= lu.solve(&(&m * &x + g)).expect("is regular");
    }
    x
}

const HARD: Regularization = Regularization { primal: 0.0, dual: 0.0 };

/// Relative. Conditions of these systems are 1e3 to 1e5, so LU itself is good to some 1e-11.
const TOLERANCE: f64 = 1e-10;

/// Of residuals, relative: sums of some hundred products, rounded.
const BACKWARD: f64 = 1e-12;

#[test]
fn random_problems_are_solved_at_once() {
    let mut rng = ChaCha8Rng::seed_from_u64(35);
    let mut largest = [0; 3];
    for i in 0..81 {
        let rows = if i % 20 == 0 { 800 } else { 300 };
        let (nx, nu, steps) = Lq::random_sizes(&mut rng, rows);
        largest = [largest[0].max(nx), largest[1].max(nu), largest[2].max(steps)];
        let mut lq = plain(&mut rng, nx, nu, steps);
        match i % 3 {
            0 => {}
            1 => lq.constrain_stages(&mut rng),
            _ => lq.constrain_end(&mut rng),
        }
        let (error, uncorrected) = (lq.error(HARD), lq.error_uncorrected());
        let rows: Vec<_> = lq.dims.iter().map(|d| d.n_eq).collect();
        assert!(error < TOLERANCE, "problem {i}: nx {nx}, nu {nu}, {steps} steps, rows {rows:?}: {error:e}");
        // Pivots of some 1e-4 cost twice as many digits; a mistake that corrections heal costs all.
        assert!(uncorrected < 1e-6, "problem {i}: nx {nx}, nu {nu}, {steps} steps, rows {rows:?}: {uncorrected:e}");
    }
    assert!(largest[0] > 35 && largest[1] == 20 && largest[2] > 30, "sizes reach far: {largest:?}");
}

/// Sixty steps of the largest sizes are too many for LU; the conditions of optimality, which have one solution only,
/// are not.
#[test]
fn the_largest_problem_is_optimal() {
    let mut rng = ChaCha8Rng::seed_from_u64(36);
    for kind in 0..3 {
        let mut lq = plain(&mut rng, 40, 20, 60);
        match kind {
            0 => {}
            1 => lq.constrain_stages(&mut rng),
            _ => lq.constrain_end(&mut rng),
        }
        let residual = lq.residual(HARD);
        assert!(residual < TOLERANCE, "kind {kind}: {residual:e}");
    }
}

#[test]
fn soft_equalities_are_those_of_the_regularized_system() {
    let mut rng = ChaCha8Rng::seed_from_u64(37);
    for i in 0..28 {
        let (nx, nu, steps) = Lq::random_sizes(&mut rng, 250);
        let mut lq = plain(&mut rng, nx, nu, steps);
        if i % 2 == 0 {
            lq.constrain_stages(&mut rng)
        } else {
            lq.constrain_end(&mut rng)
        }
        if i % 4 == 0 {
            // Any rank will do.
            lq.repeat_rows(&mut rng, steps - 1, 0.0);
        }
        let dual = 10.0_f64.powi(-(i % 7));
        let by = Regularization { primal: 0.01 * f64::from(i % 3), dual };
        let (error, condition) = (lq.error(by), lq.condition(by));
        // Repeated rows leave pivots of δ_c: two solutions that are each right to rounding differ by a part of ε ×
        // condition; found: up to a fortieth, on two processors.
        let tolerance = TOLERANCE.max(f64::EPSILON * condition / 16.0);
        assert!(
            error < tolerance,
            "problem {i}: nx {nx}, nu {nu}, {steps} steps, {by:?}: {error:e}, condition {condition:e}"
        );
        // It solves the system it is of, whatever the condition.
        let residual = lq.residual(by);
        assert!(residual < BACKWARD, "problem {i}: a residual of {residual:e}");
    }
}

#[test]
fn rows_that_agree_with_others_change_nothing_and_others_are_named() {
    let mut rng = ChaCha8Rng::seed_from_u64(38);
    let mut named = 0;
    for i in 0..60 {
        let (nx, nu, steps) = (rng.random_range(4..=12), rng.random_range(2..=6), rng.random_range(3..=8));
        let mut lq = plain(&mut rng, nx, nu, steps);
        if i % 2 == 0 {
            lq.constrain_stages(&mut rng)
        } else {
            lq.constrain_end(&mut rng)
        }
        if lq.dims[steps].n_eq == 0 {
            continue;
        }
        let exact = lq.solve(HARD).expect("has a solution");
        let mut more = lq.clone();
        more.repeat_rows(&mut rng, steps - 1, 0.0);
        let found = more.solve(HARD).expect("has a solution");
        for k in 0..=steps {
            let error = (&found.dx[k] - &exact.dx[k]).amax()
                + if nu > 0 && k < steps { (&found.du[k] - &exact.du[k]).amax() } else { 0.0 };
            assert!(error < TOLERANCE * 1e2, "problem {i}, node {k}: {error:e}");
        }
        let residual = more.residual(HARD);
        assert!(residual < TOLERANCE, "problem {i}: multipliers are some that are right: {residual:e}");

        let mut wrong = lq.clone();
        wrong.repeat_rows(&mut rng, steps - 1, 1e-3);
        match wrong.solve(HARD) {
            // Two such rows may contradict each other; else it is those of the last node, too.
            Err(Failure::Infeasible { nodes, .. }) => {
                assert!(nodes.contains(&(steps - 1)), "problem {i}: {nodes:?}");
                named += 1;
            }
            other => panic!("problem {i}: {other:?}"),
        }
    }
    assert!(named > 20);
}

#[test]
fn what_the_start_cannot_fulfil_is_infeasible() {
    let mut rng = ChaCha8Rng::seed_from_u64(39);
    let mut lq = plain(&mut rng, 6, 2, 4);
    // Four rows of the state after one step, of two controls.
    let c_x = matrix(&mut rng, 4, 6);
    let (x, _) = lq.some_trajectory(&mut rng);
    lq.add_rows(1, &c_x, &DMatrix::zeros(4, 2), &-(&c_x * &x[1]));
    assert!(lq.solve(HARD).is_ok(), "this start reaches them");
    lq.gaps[0][0] += 0.1;
    assert_eq!(lq.solve(HARD), Err(Failure::Infeasible { nodes: vec![1], node: 0 }));
    assert!(lq.solve(Regularization { primal: 0.0, dual: 1e-6 }).is_ok(), "softly it has a solution");
}

#[test]
fn indefinite_controls_are_found_where_equalities_leave_them_free() {
    let mut rng = ChaCha8Rng::seed_from_u64(40);
    let mut lq = plain(&mut rng, 5, 3, 6);
    lq.nodes[3].luu[(1, 1)] = -1e4;
    assert_eq!(lq.solve(HARD), Err(Failure::Indefinite { node: 3 }));
    let by = Regularization { primal: 0.0, dual: 1e-6 };
    assert_eq!(lq.solve(by), Err(Failure::Indefinite { node: 3 }));
    // That control held, the rest is positive definite.
    lq.add_rows(3, &DMatrix::zeros(1, 5), &DMatrix::from_row_slice(1, 3, &[0.0, 2.0, 0.0]), &DVector::zeros(1));
    assert!(lq.error(HARD) < TOLERANCE);
    assert!(lq.solve(by).is_ok());
    lq.nodes[2].lxx[(0, 0)] = f64::NAN;
    assert_eq!(lq.solve(HARD), Err(Failure::Indefinite { node: 2 }));
    lq.nodes[2].lxx = DMatrix::zeros(5, 4);
    assert_eq!(lq.solve(HARD), Err(Failure::Sizes { node: 2 }));
}

#[test]
fn a_sweep_goes_on_where_it_failed() {
    let mut rng = ChaCha8Rng::seed_from_u64(41);
    let mut lq = plain(&mut rng, 6, 3, 8);
    lq.constrain_end(&mut rng);
    let mut indefinite = lq.clone();
    indefinite.nodes[4].luu[(0, 0)] = -1e3;
    let mut riccati = Riccati::new(&lq.dims);
    let (low, high) = (1e-3, 2e3);
    assert_eq!(riccati.sweep(&indefinite.nodes, &lq.gaps, low), Err(Failure::Indefinite { node: 4 }));
    riccati.resume_from(4, &indefinite.nodes, &lq.gaps, high).expect("is positive definite now");
    // From scratch: the same cost, with what is added at each node written into it.
    for (k, node) in indefinite.nodes.iter_mut().enumerate() {
        let delta = if k <= 4 { high } else { low };
        node.luu += DMatrix::identity(node.lu.len(), node.lu.len()) * delta;
        node.lxx += DMatrix::identity(6, 6) * delta;
    }
    let mut again = Riccati::new(&lq.dims);
    again.sweep(&indefinite.nodes, &lq.gaps, 0.0).expect("is positive definite");
    for (k, (found, exact)) in riccati.nodes.iter().zip(&again.nodes).enumerate() {
        let error = (&found.vxx - &exact.vxx).amax() / exact.vxx.amax();
        assert!(error < 1e-13, "node {k}: {error:e}");
        if k < 8 {
            // The controls of the last nodes are what the end leaves of them, or nothing.
            let error = (&found.gain - &exact.gain).amax() / (1.0 + exact.gain.amax());
            assert!(error < 1e-12, "node {k}: {error:e}");
        }
    }
    // And to the bit where nothing is written differently.
    let mut other = Riccati::new(&lq.dims);
    other.sweep(&lq.nodes, &lq.gaps, low).expect("is positive definite");
    other.resume_from(4, &lq.nodes, &lq.gaps, low).expect("is positive definite");
    let mut whole = Riccati::new(&lq.dims);
    whole.sweep(&lq.nodes, &lq.gaps, low).expect("is positive definite");
    assert_eq!(other.nodes, whole.nodes);
}
