//! Are the derivatives of a problem right? Every step and every term, at nodes of a guess.
//!
//! What a step or a residual claims is held against differences of its values, with estimates of their errors, and against dual numbers
//! where it is written for these ([`gradyn::derivatives::check`]). Terms are looked at as functions of `(q, v, w, u, a, f)`, apart from the
//! step that makes `a` and `f`; all columns are looked at, those too that a term says it does not depend on.

use crate::fault::{ProblemError, Reason};
use crate::node::{At, Memory, Node, NodeError};
use crate::problem::Problem;
use crate::quadratic::Quadratic;
use crate::residual::{Jacobian, Residual, View};
use crate::stage::Stage;
use crate::trajectory::Trajectory;
use gradyn::Model;
use gradyn::derivatives::check::{self, Claim, Knowledge, Options, Report};
use gradyn::derivatives::difference::{Euclidean, Manifold};
use gradyn::partials::Configurations;
use nalgebra::DMatrix;
use std::fmt;

/// What was found about one derivative at one node.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The node, counted from the start of the trajectory.
    pub node: usize,
    /// Its phase.
    pub phase: String,
    /// The term; `None` for the step.
    pub term: Option<String>,
    /// Which derivative: rows and columns with names, claimed and found values, verdicts. Or why nothing could be checked.
    pub report: Result<Report, String>,
}

impl Checked {
    /// Does no entry disagree, and could it be checked?
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.report.as_ref().is_ok_and(Report::agrees)
    }
}

/// What was found about a problem. `Display` prints it for people.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProblemCheck {
    /// Derivative by derivative.
    pub checked: Vec<Checked>,
}

impl ProblemCheck {
    /// Does no entry of any derivative disagree, and could all be checked?
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.checked.iter().all(Checked::agrees)
    }
    /// Those that disagree, or could not be checked.
    pub fn failures(&self) -> impl Iterator<Item = &Checked> {
        self.checked.iter().filter(|checked| !checked.agrees())
    }
}

impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {} (phase `{}`), ", self.node, self.phase)?;
        match &self.term {
            Some(term) => write!(f, "term `{term}`: ")?,
            None => f.write_str("step: ")?,
        }
        match &self.report {
            Ok(report) => report.fmt(f),
            Err(why) => write!(f, "cannot be checked: {why}"),
        }
    }
}

impl fmt::Display for ProblemCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wrong = self.failures().count();
        match wrong {
            0 => write!(f, "all {} derivatives agree", self.checked.len())?,
            n => write!(f, "{n} of {} derivatives DISAGREE or cannot be checked", self.checked.len())?,
        }
        self.failures().try_for_each(|checked| write!(f, "\n{checked}"))
    }
}

impl Problem {
    /// Checks the derivatives of steps, equalities, residuals, and second derivatives of residuals, at the first, the middle and the last node
    /// of each phase of a guess, and of each term at a node where it counts. Slow: tens of evaluations a column.
    ///
    /// ```
    /// use gradyn_trajectory::residual::{Depends, Given};
    /// use gradyn_trajectory::step::{Actuation, ForwardDynamics, SemiImplicitEuler};
    /// use gradyn_trajectory::{Cost, Phase, Problem, guess};
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/double_pendulum.urdf");
    /// # let model = gradyn::Model::from_urdf_file(file, &gradyn::UrdfOptions::new())?.model;
    /// // The square of the first angle. Its derivative lacks a factor of two.
    /// let wrong = Given::new(
    ///     1,
    ///     Depends::Q,
    ///     |on, r| {
    ///         r[0] = on.q[0] * on.q[0];
    ///         Ok(())
    ///     },
    ///     |on, by| {
    ///         by.dq[(0, 0)] = on.q[0];
    ///         Ok(())
    ///     },
    /// );
    /// let step = SemiImplicitEuler::new(&model, ForwardDynamics::new(Actuation::of(&model)));
    /// let phase = Phase::new("swing", 10, 0.01, step).cost(Cost::new("square", wrong));
    /// let problem = Problem::builder(&model).start(&[0.5, 0.0], &[0.0; 2]).phase(phase).build()?;
    /// let check = problem.check(&guess::standing(&problem))?;
    /// let wrong = check.failures().next().expect("is found");
    /// assert_eq!((wrong.node, wrong.term.as_deref()), (0, Some("square")));
    /// println!("{check}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ProblemError::Number`] if the guess has not the sizes of the problem.
    pub fn check(&self, guess: &Trajectory) -> Result<ProblemCheck, ProblemError> {
        let mut nodes = self.ends();
        // Terms that count at none of these.
        for k in 0..=self.steps() {
            let weights = |k: usize| {
                self.stage(k)
                    .into_iter()
                    .flat_map(Stage::terms)
                    .map(move |(name, slots, _)| (name, self.parameters(k)[slots.weight]))
            };
            let counted = |name: &str, at: &[usize]| {
                let same = at.iter().filter(|other| self.phase_of(**other) == self.phase_of(k));
                same.into_iter().any(|other| weights(*other).any(|(n, weight)| n == name && weight > 0.0))
            };
            if weights(k).any(|(name, weight)| weight > 0.0 && !counted(name, &nodes)) {
                nodes.push(k);
            }
        }
        nodes.sort_unstable();
        self.check_at(guess, &nodes)
    }

    /// [`check`](Self::check), at these nodes.
    ///
    /// # Errors
    /// As there, and [`ProblemError::Number`] for a node that the trajectory has not.
    pub fn check_at(&self, guess: &Trajectory, nodes: &[usize]) -> Result<ProblemCheck, ProblemError> {
        let number = |what, value, rule| Err(ProblemError::Number { place: "check".into(), what, value, rule });
        if !guess.fits(self) {
            return number(
                "the number of steps of the guess",
                guess.steps() as f64,
                "the guess has not the sizes of the problem",
            );
        }
        if let Some(k) = nodes.iter().find(|k| **k > self.steps()) {
            return number("a node", *k as f64, "the trajectory has not so many");
        }
        let mut out = ProblemCheck::default();
        for k in nodes {
            let at = self.at(*k, guess.x(*k), guess.u(*k));
            let (model, memory) = (self.model(), self.node(*k).memory());
            match self.stage(*k) {
                Some(stage) => {
                    NodeCheck { stage, at, model, memory }.run(self.phase_of(*k), &mut out.checked);
                }
                None => own_node(self.node(*k), at, model, memory, self.phase_of(*k), &mut out.checked),
            }
        }
        Ok(out)
    }

    /// The first, the middle and the last node of each phase, and the last of all.
    fn ends(&self) -> Vec<usize> {
        let mut nodes = Vec::new();
        let mut first = 0;
        for k in 0..=self.steps() {
            if k == self.steps() || self.phase_of(k + 1) != self.phase_of(k) {
                nodes.extend([first, usize::midpoint(first, k), k]);
                first = k + 1;
            }
        }
        nodes.dedup();
        nodes
    }
}

/// Configurations of a robot, and so many numbers.
struct Inputs<'m> {
    q: Configurations<'m>,
    rest: Euclidean,
}

impl<'m> Inputs<'m> {
    fn new(model: &'m Model, rest: usize) -> Self {
        Self { q: Configurations(model), rest: Euclidean(rest) }
    }
}

impl Manifold for Inputs<'_> {
    fn coordinates(&self) -> usize {
        self.q.coordinates() + self.rest.0
    }
    fn directions(&self) -> usize {
        self.q.directions() + self.rest.0
    }
    fn integrate(&self, x: &[f64], dx: &[f64], out: &mut [f64]) {
        let (nq, nv) = (self.q.coordinates(), self.q.directions());
        self.q.integrate(&x[..nq], &dx[..nv], &mut out[..nq]);
        self.rest.integrate(&x[nq..], &dx[nv..], &mut out[nq..]);
    }
    fn difference(&self, y0: &[f64], y1: &[f64], out: &mut [f64]) {
        let (nq, nv) = (self.q.coordinates(), self.q.directions());
        self.q.difference(&y0[..nq], &y1[..nq], &mut out[..nv]);
        self.rest.difference(&y0[nq..], &y1[nq..], &mut out[nv..]);
    }
    fn magnitude(&self, x: &[f64], direction: usize) -> f64 {
        let (nq, nv) = (self.q.coordinates(), self.q.directions());
        match direction.checked_sub(nv) {
            None => self.q.magnitude(&x[..nq], direction),
            Some(k) => self.rest.magnitude(&x[nq..], k),
        }
    }
}

/// One node.
struct NodeCheck<'a> {
    stage: &'a Stage,
    at: At<'a>,
    model: &'a Model,
    memory: Memory,
}

/// Names of a block of columns or rows: by degree of freedom, or by number.
fn dofs(model: &Model, what: &str) -> Vec<String> {
    model.dof_names().iter().map(|name| format!("{what} {name}")).collect()
}
fn numbers(what: &str, n: usize) -> Vec<String> {
    (0..n).map(|k| format!("{what}[{k}]")).collect()
}

/// Columns of blocks one after the other.
fn joined(rows: usize, blocks: &[(&DMatrix<f64>, usize)]) -> DMatrix<f64> {
    let mut m = DMatrix::zeros(rows, blocks.iter().map(|(_, n)| n).sum());
    let mut first = 0;
    for (block, n) in blocks {
        if block.ncols() > 0 {
            m.columns_mut(first, *n).copy_from(block);
        }
        first += n;
    }
    m
}

fn claim(m: &DMatrix<f64>) -> Claim {
    Claim::from_fn(m.nrows(), m.ncols(), |i, j| m[(i, j)])
}

/// λ of Hessians: numbers without a pattern that a mistake could share.
fn lambda(m: usize) -> Vec<f64> {
    (0..m).map(|k| (1.0 + 1.7 * k as f64).cos()).collect()
}

/// A node of somebody's own: the gradient of its cost, its A and B, and its equalities, against differences.
fn own_node(node: &dyn Node, at: At<'_>, model: &Model, mut memory: Memory, phase: &str, out: &mut Vec<Checked>) {
    let dims = node.dims();
    let mut push = |report| out.push(Checked { node: at.node, phase: phase.into(), term: None, report });
    let mut lq = Quadratic::new(dims, false);
    if let Err(error) = node.linearize(at, &mut memory, &mut lq) {
        return push(Err(error.reason.to_string()));
    }
    let rest = dims.ndx - 2 * model.nv();
    let columns = [dofs(model, "q"), dofs(model, "v"), numbers("w", rest), numbers("u", dims.nu)].concat();
    let states = |n: usize| Inputs::new(model, dims.nx - model.nq() + n);
    let point = [at.x, at.u].concat();
    let mut run = |name: &str, rows: Vec<String>, m: &DMatrix<f64>, which: usize| {
        let options = Options::new(name).rows(rows).columns(columns.clone()).pictures(0, 0);
        let (mut next, mut eq) = (vec![0.0; dims.nx], vec![0.0; dims.n_eq]);
        let value = |x: &[f64], y: &mut [f64]| {
            let (x, u) = x.split_at(dims.nx);
            let cost = node.value(At { x, u, ..at }, &mut memory, &mut next, &mut eq).map_err(|error| error.reason)?;
            y.copy_from_slice([&[cost][..], &next, &eq][which]);
            Ok::<(), Reason>(())
        };
        let report = match which {
            1 => check::jacobian(&options, &states(dims.nu), &states(0), value, &point, &claim(m)),
            _ => check::jacobian(&options, &states(dims.nu), &Euclidean(m.nrows()), value, &point, &claim(m)),
        };
        push(report.map_err(|error| error.to_string()));
    };
    let gradient = joined(
        1,
        &[
            (&DMatrix::from_row_slice(1, dims.ndx, lq.lx.as_slice()), dims.ndx),
            (&DMatrix::from_row_slice(1, dims.nu, lq.lu.as_slice()), dims.nu),
        ],
    );
    run("cost", vec!["cost".into()], &gradient, 0);
    let rows = [dofs(model, "q⁺"), dofs(model, "v⁺"), numbers("w⁺", rest)].concat();
    run("next state", rows, &joined(dims.ndx, &[(&lq.a, dims.ndx), (&lq.b, dims.nu)]), 1);
    if dims.n_eq > 0 {
        let whole = joined(dims.n_eq, &[(&lq.eq_x, dims.ndx), (&lq.eq_u, dims.nu)]);
        run("equalities", numbers("c", dims.n_eq), &whole, 2);
    }
}

impl NodeCheck<'_> {
    fn run(mut self, phase: &str, out: &mut Vec<Checked>) {
        let node = self.at.node;
        let mut push = |term: Option<&str>, report| {
            out.push(Checked { node, phase: phase.into(), term: term.map(Into::into), report });
        };
        let made = match self.step(&mut |report| push(None, Ok(report))) {
            Ok(made) => made,
            Err(why) => return push(None, Err(why)),
        };
        let stage = self.stage;
        for (index, (name, slots, residual)) in stage.terms().enumerate() {
            if self.at.parameters[slots.weight] > 0.0 {
                let done = self.term(index, residual, &made, &mut |report| push(Some(name), Ok(report)));
                done.unwrap_or_else(|why| push(Some(name), Err(why)));
            }
        }
    }

    /// The step; acceleration and multipliers at the node.
    fn step(&mut self, push: &mut dyn FnMut(Report)) -> Result<(Vec<f64>, Vec<f64>), String> {
        let Self { stage, at, model, memory } = self;
        let dims = stage.dims();
        let failed = |error: NodeError| error.reason.to_string();
        let reason = |error: Reason| error.to_string();
        if stage.is_last() {
            return stage.made(memory).map_err(reason);
        }
        let mut lq = Quadratic::new(dims, false);
        let by = stage.step_derivatives(*at, memory, &mut lq).map_err(failed)?;
        let (a, f) = stage.made(memory).map_err(reason)?;
        let (nv, memory_of_state) = (model.nv(), dims.ndx - 2 * model.nv());
        let columns =
            [dofs(model, "q"), dofs(model, "v"), numbers("w", memory_of_state), numbers("u", dims.nu)].concat();
        let inputs = Inputs::new(model, dims.nx - model.nq() + dims.nu);
        let point = [at.x, at.u].concat();
        let mut next = vec![0.0; dims.nx];
        let mut eq = vec![0.0; dims.n_eq];
        let mut made = vec![0.0; a.len() + f.len()];
        let mut check = |name: &str, rows: Vec<String>, outputs: &Inputs<'_>, m: &DMatrix<f64>, which: usize| {
            let options = Options::new(name).rows(rows).columns(columns.clone()).pictures(0, 0);
            let run = |x: &[f64], y: &mut [f64]| {
                let (x, u) = x.split_at(dims.nx);
                stage.step(At { x, u, ..*at }, memory, &mut next, &mut eq, &mut made).map_err(|e| e.reason)?;
                y.copy_from_slice([&next, &eq, &made][which]);
                Ok::<(), Reason>(())
            };
            let report = match which {
                0 => check::jacobian(&options, &inputs, outputs, run, &point, &claim(m)),
                _ => check::jacobian(&options, &inputs, &outputs.rest, run, &point, &claim(m)),
            };
            report.map(&mut *push).map_err(|error| error.to_string())
        };
        let rows = [dofs(model, "q⁺"), dofs(model, "v⁺"), numbers("w⁺", memory_of_state)].concat();
        let whole = joined(dims.ndx, &[(&lq.a, dims.ndx), (&lq.b, dims.nu)]);
        check("next state", rows, &Inputs::new(model, dims.nx - model.nq()), &whole, 0)?;
        if dims.n_eq > 0 {
            let whole = joined(dims.n_eq, &[(&lq.eq_x, dims.ndx), (&lq.eq_u, dims.nu)]);
            check("equalities", numbers("c", dims.n_eq), &Inputs::new(model, dims.n_eq), &whole, 1)?;
        }
        let none = DMatrix::zeros(0, 0);
        let of_a = joined(nv, &[(&by.a_q, nv), (&by.a_v, nv), (&none, memory_of_state), (&by.a_u, dims.nu)]);
        let of_f = joined(f.len(), &[(&by.f_q, nv), (&by.f_v, nv), (&none, memory_of_state), (&by.f_u, dims.nu)]);
        let mut whole = DMatrix::zeros(nv + f.len(), of_a.ncols());
        whole.rows_mut(0, nv).copy_from(&of_a);
        whole.rows_mut(nv, f.len()).copy_from(&of_f);
        let rows = [dofs(model, "a"), numbers("f", f.len())].concat();
        check("acceleration and multipliers", rows, &Inputs::new(model, nv + f.len()), &whole, 2)?;
        Ok((a, f))
    }

    /// A term's Jacobian and Hessian.
    fn term(
        &mut self,
        index: usize,
        residual: &dyn Residual,
        (a, f): &(Vec<f64>, Vec<f64>),
        push: &mut dyn FnMut(Report),
    ) -> Result<(), String> {
        let Self { stage, at, model, memory } = self;
        let (m, nv, nx) = (residual.rows(), model.nv(), at.x.len());
        let nw = nx - model.nq() - nv;
        let (nu, nf) = (at.u.len(), f.len());
        let sizes = [nv, nv, nw, nu, nv, nf];
        let (mut r, mut by) = (vec![0.0; m], Jacobian::new(m, residual.depends(), nv, nu, nf, nw));
        let reason = |error: Reason| error.to_string();
        let error = |error: check::CheckError| error.to_string();
        let whole = |by: &Jacobian| {
            let blocks = [&by.dq, &by.dv, &by.dw, &by.du, &by.da, &by.df];
            joined(m, &blocks.into_iter().zip(sizes).collect::<Vec<_>>())
        };
        stage
            .view(index, *at, (a, f), memory, |residual, on| residual.jacobian(on, &mut r, &mut by))
            .map_err(reason)?;
        let claimed = whole(&by);
        let mut exact = Jacobian::new(m, residual.depends(), nv, nu, nf, nw);
        let run =
            |residual: &dyn Residual, on: &mut View<'_>| residual.jacobian_by_duals(on, &mut vec![0.0; m], &mut exact);
        let is_generic = stage.view(index, *at, (a, f), memory, run).map_err(reason)?;
        let knowledge = Knowledge {
            exact: is_generic.then(|| whole(&exact).transpose().as_slice().to_vec()),
            ..Knowledge::default()
        };
        let columns = [
            dofs(model, "q"),
            dofs(model, "v"),
            numbers("w", nw),
            numbers("u", nu),
            dofs(model, "a"),
            numbers("f", nf),
        ];
        let options = Options::new("Jacobian").rows(numbers("r", m)).columns(columns.concat()).pictures(0, 0);
        let inputs = Inputs::new(model, nv + nw + nu + nv + nf);
        let point = [at.x, at.u, a, f].concat();
        let value = |x: &[f64], y: &mut [f64]| {
            let (x, rest) = x.split_at(nx);
            let (u, rest) = rest.split_at(nu);
            let (a, f) = rest.split_at(nv);
            stage.view(index, At { x, u, ..*at }, (a, f), memory, |residual, on| residual.value(on, y))
        };
        let report =
            check::jacobian_with(&options, &inputs, &Euclidean(m), value, &point, &claim(&claimed), &knowledge);
        push(report.map_err(error)?);
        if !residual.has_hessian() {
            return Ok(());
        }

        // Of what is moved by numbers, x ↦ Jᵀ λ along q ⊕ x_q: symmetric, and to be differentiated once.
        let (lambda, sizes) = (lambda(m), [nv, nv, nu, nv, nf]);
        let n = sizes.iter().sum();
        let mut hessian = DMatrix::zeros(n, n);
        stage
            .view(index, *at, (a, f), memory, |residual, on| residual.hessian(on, &lambda, &mut hessian))
            .map_err(reason)?;
        let names = [dofs(model, "q"), dofs(model, "v"), numbers("u", nu), dofs(model, "a"), numbers("f", nf)].concat();
        let options = Options::new("Hessian").rows(names.clone()).columns(names).pictures(0, 0);
        let mut x = at.x.to_vec();
        let gradient = |d: &[f64], y: &mut [f64]| {
            let mut parts = sizes.iter().scan(d, |rest, n| {
                let (part, after) = rest.split_at(*n);
                *rest = after;
                Some(part)
            });
            let mut next = || parts.next().unwrap_or(&[]);
            let (dq, dv, du, da, df) = (next(), next(), next(), next(), next());
            let plus = |x: &[f64], d: &[f64]| x.iter().zip(d).map(|(x, d)| x + d).collect::<Vec<f64>>();
            let nq = model.nq();
            model.integrate_into(&at.x[..nq], dq, &mut x[..nq])?;
            x[nq..nq + nv].copy_from_slice(&plus(&at.x[nq..], dv));
            let (u, a, f) = (plus(at.u, du), plus(a, da), plus(f, df));
            let at = At { x: &x, u: &u, ..*at };
            stage.view(index, at, (&a, &f), memory, |residual, on| residual.jacobian(on, &mut r, &mut by))?;
            let turned = model.integrate_dv(dq)?;
            let along_q = if by.dq.ncols() > 0 { &by.dq * turned } else { DMatrix::zeros(0, 0) };
            let blocks = [&along_q, &by.dv, &by.du, &by.da, &by.df];
            let whole = joined(m, &blocks.into_iter().zip(sizes).collect::<Vec<_>>());
            for (y, column) in y.iter_mut().zip(whole.column_iter()) {
                *y = column.iter().zip(&lambda).map(|(j, l)| j * l).sum();
            }
            Ok::<(), Reason>(())
        };
        let report = check::jacobian(&options, &Euclidean(n), &Euclidean(n), gradient, &vec![0.0; n], &claim(&hessian));
        push(report.map_err(error)?);
        Ok(())
    }
}
