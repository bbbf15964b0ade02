//! The program of a problem, solved by `pounce-rs`: an independent interior-point solver in Rust, as a second route to
//! an optimum.
//!
//! The solver owns its input for longer than a problem can be borrowed. It therefore runs in a separate thread, and
//! asks this one for numbers.

use super::{Nlp, NlpDimensions, NlpMultipliers, Triplets};
use crate::fault::{Fault, Reason};
use crate::node::ConstraintRow;
use crate::problem::Problem;
use crate::solver::Status;
use crate::trajectory::Trajectory;
use pounce_rs::{
    ApplicationReturnStatus, BoundsInfo, IndexStyle, IpoptApplication, IpoptCq, IpoptData, NlpInfo, Solution,
    SparsityRequest, StartingPoint, TNLP,
};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Options of [`solve_by_pounce`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PounceOptions {
    /// At most so many iterations.
    pub iterations: usize,
    /// As Ipopt's `tol`.
    pub tolerance: f64,
    /// As Ipopt's `print_level`; 0 prints nothing.
    pub print_level: i32,
}

impl Default for PounceOptions {
    fn default() -> Self {
        Self { iterations: 500, tolerance: 1e-8, print_level: 0 }
    }
}

/// What [`solve_by_pounce`] has found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PounceReport {
    /// Why it stopped.
    pub status: Status,
    /// The trajectory at which it did.
    pub trajectory: Trajectory,
    /// Its multipliers.
    pub multipliers: NlpMultipliers,
    /// Multipliers of the bounds of each node's controls: negative at a lower one, positive at an upper one.
    pub controls: Vec<Vec<f64>>,
    /// Its cost.
    pub cost: f64,
    /// The most by which a row is off.
    pub violation: f64,
    /// Iterations done.
    pub iterations: usize,
}

/// Solves a problem by `pounce-rs`, from a guess, with exact second derivatives.
///
/// # Errors
/// [`Fault`] if the problem cannot be evaluated around the guess, does not know its second derivatives, or the solver
/// refuses an option.
pub fn solve_by_pounce(problem: &Problem, guess: &Trajectory, options: &PounceOptions) -> Result<PounceReport, Fault> {
    let mut nlp = Nlp::new(problem, guess)?;
    if !nlp.has_hessian() {
        return Err(nlp.fault(0, Reason::NoSecondDerivatives));
    }
    let lost = nlp.fault(0, Reason::NoAnswer { solver: "pounce-rs" });
    let (ask, asked) = channel();
    let (answer, answered) = channel();
    let program = Program::new(&nlp, guess, ask, answered)?;
    let mut fault = None;
    let found = std::thread::scope(|scope| {
        let solver = scope.spawn(|| run(program, options));
        for question in asked {
            let reply = nlp.reply(&question).map_err(|why| fault = Some(why)).ok();
            if answer.send(reply).is_err() {
                break;
            }
        }
        solver.join().ok().flatten()
    });
    let Some(Found { status, iterations, x, lambda, bounds }) = found else { return Err(lost) };
    let cost = nlp.objective(&x)?;
    let mut rows = vec![0.0; nlp.dimensions().rows];
    nlp.constraints(&x, &mut rows)?;
    let off = nlp.off(&rows);
    let violation = off.iter().fold(0.0_f64, |most, off| most.max(*off));
    let status = nlp.status_of(status, fault, &off, options.tolerance);
    let controls = nlp.layout.iter().map(|l| bounds[l.u..][..l.dims.nu].to_vec()).collect();
    let (trajectory, multipliers) = (nlp.trajectory(&x)?, nlp.multipliers(&x, &lambda)?);
    Ok(PounceReport { status, trajectory, multipliers, controls, cost, violation, iterations })
}

/// What the solver asks for, at variables.
enum Question {
    Objective(Vec<f64>),
    Gradient(Vec<f64>),
    Constraints(Vec<f64>),
    Jacobian(Vec<f64>),
    Hessian(Vec<f64>, f64, Vec<f64>),
}

/// Numbers, or none where they cannot be computed.
type Answer = Option<Vec<f64>>;

impl Nlp<'_> {
    fn reply(&mut self, question: &Question) -> Result<Vec<f64>, Fault> {
        let NlpDimensions { variables, rows, jacobian, hessian } = self.dimensions();
        match question {
            Question::Objective(w) => Ok(vec![self.objective(w)?]),
            Question::Gradient(w) => filled(variables, |out| self.gradient(w, out)),
            Question::Constraints(w) => filled(rows, |out| self.constraints(w, out)),
            Question::Jacobian(w) => filled(jacobian, |out| self.jacobian(w, out)),
            Question::Hessian(w, sigma, lambda) => filled(hessian, |out| self.hessian(w, *sigma, lambda, out)),
        }
    }

    /// By how much each row is off.
    fn off(&self, rows: &[f64]) -> Vec<f64> {
        let (mut lower, mut upper) = (vec![0.0; rows.len()], vec![0.0; rows.len()]);
        self.row_bounds(&mut lower, &mut upper);
        rows.iter().zip(lower.iter().zip(&upper)).map(|(r, (l, u))| (l - r).max(r - u).max(0.0)).collect()
    }

    fn status_of(&self, status: ApplicationReturnStatus, fault: Option<Fault>, off: &[f64], tolerance: f64) -> Status {
        use ApplicationReturnStatus as Returned;
        match status {
            Returned::SolveSucceeded => Status::Converged,
            Returned::SolvedToAcceptableLevel => Status::Acceptable,
            Returned::InfeasibleProblemDetected => {
                Status::NoFeasiblePoint { constraints: self.violated(off, tolerance) }
            }
            Returned::MaximumIterationsExceeded => Status::IterationLimit,
            Returned::MaximumCpuTimeExceeded | Returned::MaximumWallTimeExceeded => Status::TimeLimit,
            Returned::DivergingIterates => Status::Diverged,
            Returned::UserRequestedStop => Status::Stopped,
            _ => fault.map_or(Status::Stalled { node: 0, term: None }, Status::Fault),
        }
    }

    /// Names of what does not hold.
    fn violated(&self, off: &[f64], tolerance: f64) -> Vec<String> {
        let mut names = Vec::new();
        for (k, layout) in self.layout.iter().enumerate() {
            let phase = self.problem.phase_of(k);
            for i in (0..layout.rows).filter(|i| off[layout.first + i] > tolerance) {
                let name = match i.checked_sub(layout.gaps + layout.starts) {
                    None => format!("steps of phase `{phase}`"),
                    Some(held) => {
                        let row = layout.held[held] - layout.gaps;
                        let row = row
                            .checked_sub(layout.dims.n_eq)
                            .map_or(ConstraintRow::Equality(row), ConstraintRow::Inequality);
                        self.problem.constraint_of(k, row).unwrap_or("a row without a name").to_string()
                    }
                };
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }
}

fn filled(n: usize, fill: impl FnOnce(&mut [f64]) -> Result<(), Fault>) -> Result<Vec<f64>, Fault> {
    let mut out = vec![0.0; n];
    fill(&mut out)?;
    Ok(out)
}

/// A solution as the solver gives it.
struct Found {
    status: ApplicationReturnStatus,
    iterations: usize,
    x: Vec<f64>,
    lambda: Vec<f64>,
    /// Of the bounds of variables: of the upper less of the lower one.
    bounds: Vec<f64>,
}

fn run(program: Program, options: &PounceOptions) -> Option<Found> {
    let program = Rc::new(RefCell::new(program));
    let mut solver = IpoptApplication::new();
    let set = solver.options_mut();
    set.set_integer_value("max_iter", i32::try_from(options.iterations).ok()?, true, true).ok()?;
    set.set_integer_value("print_level", options.print_level, true, true).ok()?;
    set.set_numeric_value("tol", options.tolerance, true, true).ok()?;
    set.set_string_value("sb", "yes", true, true).ok()?;
    solver.initialize().ok()?;
    let status = solver.optimize_tnlp(Rc::clone(&program) as Rc<RefCell<dyn TNLP>>);
    let iterations = usize::try_from(solver.statistics().iteration_count).unwrap_or(0);
    let (x, lambda, bounds) = program.borrow_mut().found.take()?;
    Some(Found { status, iterations, x, lambda, bounds })
}

/// The program as the solver sees it: its patterns, and somebody to ask.
struct Program {
    dimensions: NlpDimensions,
    jacobian: Triplets,
    hessian: Triplets,
    /// Bounds of variables and of rows.
    bounds: [Vec<f64>; 4],
    guess: Vec<f64>,
    ask: Sender<Question>,
    answered: Receiver<Answer>,
    found: Option<(Vec<f64>, Vec<f64>, Vec<f64>)>,
}

impl Program {
    fn new(
        nlp: &Nlp<'_>,
        guess: &Trajectory,
        ask: Sender<Question>,
        answered: Receiver<Answer>,
    ) -> Result<Self, Fault> {
        let dimensions = nlp.dimensions();
        let mut bounds =
            [dimensions.variables, dimensions.variables, dimensions.rows, dimensions.rows].map(|n| vec![0.0; n]);
        let [low, high, least, most] = &mut bounds;
        nlp.variable_bounds(low, high);
        nlp.row_bounds(least, most);
        let mut w = vec![0.0; dimensions.variables];
        nlp.variables(guess, &mut w)?;
        let (jacobian, hessian) = (nlp.jacobian_structure().clone(), nlp.hessian_structure().clone());
        Ok(Self { dimensions, jacobian, hessian, bounds, guess: w, ask, answered, found: None })
    }

    fn request(&self, question: Question) -> Answer {
        self.ask.send(question).ok()?;
        self.answered.recv().ok()?
    }
    fn fill(&self, question: Question, to: &mut [f64]) -> bool {
        self.request(question).map(|numbers| to.copy_from_slice(&numbers)).is_some()
    }
    fn describe(of: &Triplets, rows: &mut [i32], columns: &mut [i32]) -> bool {
        let write = |to: &mut [i32], from: &[usize]| {
            let mut fits = true;
            for (to, from) in to.iter_mut().zip(from) {
                *to = i32::try_from(*from).unwrap_or_else(|_| {
                    fits = false;
                    0
                });
            }
            fits
        };
        write(rows, &of.rows) && write(columns, &of.columns)
    }
}

impl TNLP for Program {
    fn get_nlp_info(&mut self) -> Option<NlpInfo> {
        let count = |n: usize| i32::try_from(n).ok();
        Some(NlpInfo {
            n: count(self.dimensions.variables)?,
            m: count(self.dimensions.rows)?,
            nnz_jac_g: count(self.dimensions.jacobian)?,
            nnz_h_lag: count(self.dimensions.hessian)?,
            index_style: IndexStyle::C,
        })
    }
    fn get_bounds_info(&mut self, b: BoundsInfo<'_>) -> bool {
        let [low, high, least, most] = &self.bounds;
        // Beyond 1e19, bounds count as infinite.
        for (to, from) in [(b.x_l, low), (b.x_u, high), (b.g_l, least), (b.g_u, most)] {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = from.clamp(-2e19, 2e19));
        }
        true
    }
    fn get_starting_point(&mut self, sp: StartingPoint<'_>) -> bool {
        sp.x.copy_from_slice(&self.guess);
        true
    }
    fn eval_f(&mut self, x: &[f64], _: bool) -> Option<f64> {
        self.request(Question::Objective(x.to_vec())).map(|f| f[0])
    }
    fn eval_grad_f(&mut self, x: &[f64], _: bool, grad_f: &mut [f64]) -> bool {
        self.fill(Question::Gradient(x.to_vec()), grad_f)
    }
    fn eval_g(&mut self, x: &[f64], _: bool, g: &mut [f64]) -> bool {
        self.fill(Question::Constraints(x.to_vec()), g)
    }
    fn eval_jac_g(&mut self, x: Option<&[f64]>, _: bool, mode: SparsityRequest<'_>) -> bool {
        match (mode, x) {
            (SparsityRequest::Structure { irow, jcol }, _) => Self::describe(&self.jacobian, irow, jcol),
            (SparsityRequest::Values { values }, Some(x)) => self.fill(Question::Jacobian(x.to_vec()), values),
            _ => false,
        }
    }
    fn eval_h(
        &mut self,
        x: Option<&[f64]>,
        _: bool,
        obj_factor: f64,
        lambda: Option<&[f64]>,
        _: bool,
        mode: SparsityRequest<'_>,
    ) -> bool {
        match (mode, x, lambda) {
            (SparsityRequest::Structure { irow, jcol }, ..) => Self::describe(&self.hessian, irow, jcol),
            (SparsityRequest::Values { values }, Some(x), Some(lambda)) => {
                self.fill(Question::Hessian(x.to_vec(), obj_factor, lambda.to_vec()), values)
            }
            _ => false,
        }
    }
    fn finalize_solution(&mut self, sol: Solution<'_>, _: &IpoptData, _: &IpoptCq) {
        let bounds = sol.z_u.iter().zip(sol.z_l).map(|(u, l)| u - l).collect();
        self.found = Some((sol.x.to_vec(), sol.lambda.to_vec(), bounds));
    }
}
