//! The nonlinear programs of the problems in `problems/`, behind a C interface: `conformance/optima.py` gives them to
//! Ipopt and Fatrop.
//!
//! `gradyn_…` choose a problem and say what it is; `nlp…` are its functions as CasADi's `external` wants them.

// What is called from outside reads and writes through pointers.
#![allow(unsafe_code)]

#[path = "../problems/drawn.rs"]
#[allow(dead_code)]
mod drawn;
#[path = "../problems/mod.rs"]
#[allow(dead_code)]
mod problems;
#[path = "../problems/starts.rs"]
#[allow(dead_code)]
mod starts;

use gradyn_trajectory::nlp::NlpMultipliers;
use gradyn_trajectory::{Fault, Newton, NewtonOptions, Nlp, Status, Trajectory, guess};
use std::ffi::{CStr, c_char, c_int};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// The problem that is chosen.
struct Chosen {
    nlp: Nlp<'static>,
    guess: Trajectory,
    /// Of each row: −1 where `x⁺ − f` is given in place of `f − x⁺`, as Fatrop wants it.
    signs: Vec<f64>,
    fatrop: bool,
    /// Sparsities as CasADi has them.
    shapes: [Vec<i64>; 6],
    /// Of each entry of the Hessian in CasADi's order: which of ours it is.
    hessian: Vec<usize>,
}

static CHOSEN: Mutex<Option<Chosen>> = Mutex::new(None);

fn chosen() -> MutexGuard<'static, Option<Chosen>> {
    CHOSEN.lock().unwrap_or_else(PoisonError::into_inner)
}

const X: usize = 0;
const P: usize = 1;
const ONE: usize = 2;
const G: usize = 3;
const JACOBIAN: usize = 4;
const HESSIAN: usize = 5;

/// Of triplets that are sorted by columns.
fn compressed(rows: usize, columns: usize, entries: impl Iterator<Item = (usize, usize)>) -> Vec<i64> {
    let mut out = vec![rows as i64, columns as i64];
    out.resize(2 + columns + 1, 0);
    for (row, column) in entries {
        out[2 + column + 1] += 1;
        out.push(row as i64);
    }
    for j in 0..columns {
        out[3 + j] += out[2 + j];
    }
    out
}

impl Chosen {
    fn new(name: &str, seed: i64, fatrop: bool) -> Option<Self> {
        let (problem, guess) = match u64::try_from(seed) {
            Ok(seed) => drawn::drawn(name, seed).ok()?,
            Err(_) => {
                let problem = problems::by_name(name).ok()?;
                let guess = guess::standing(&problem);
                (problem, guess)
            }
        };
        // It lives as long as the program.
        let problem = Box::leak(Box::new(problem));
        let nlp = Nlp::new(problem, &guess).ok()?;
        let (size, jacobian) = (nlp.dimensions(), nlp.jacobian_structure());
        let (n, m) = (size.variables, size.rows);
        let mut signs = vec![1.0; m];
        let mut row = 0;
        let stages = nlp.stages();
        for (k, [_, _, rows]) in stages.iter().enumerate() {
            let gaps = stages.get(k + 1).map_or(0, |next| next[0]);
            signs[row..row + gaps].fill(-1.0);
            row += gaps + rows;
        }
        let ours = nlp.hessian_structure();
        let mut entries: Vec<(usize, usize, usize)> = Vec::new();
        for (k, (row, column)) in ours.rows.iter().zip(&ours.columns).enumerate() {
            // The upper triangle, by columns; for Fatrop both.
            entries.push((*row, *column, k));
            if fatrop && row != column {
                entries.push((*column, *row, k));
            }
        }
        entries.sort_unstable();
        let shapes = [
            vec![n as i64, 1, 1],
            vec![0, 0, 0],
            vec![1, 1, 1],
            vec![m as i64, 1, 1],
            compressed(m, n, jacobian.rows.iter().copied().zip(jacobian.columns.iter().copied())),
            compressed(n, n, entries.iter().map(|(column, row, _)| (*row, *column))),
        ];
        let hessian = entries.into_iter().map(|(.., k)| k).collect();
        Some(Self { nlp, guess, signs, fatrop, shapes, hessian })
    }

    fn evaluate(&mut self, what: What, x: &[f64], sigma: f64, lambda: &[f64], out: &mut [Option<&mut [f64]>]) -> bool {
        let Self { nlp, signs, hessian, .. } = self;
        let fatrop = self.fatrop;
        let mut at = |kind: usize, to: &mut [f64]| -> bool {
            match kind {
                ONE => nlp.objective(x).map(|f| to[0] = f).is_ok(),
                G => {
                    let done = nlp.constraints(x, to);
                    to.iter_mut().zip(&*signs).for_each(|(to, sign)| *to *= sign);
                    done.is_ok()
                }
                X => nlp.gradient(x, to).is_ok(),
                JACOBIAN => {
                    let done = nlp.jacobian(x, to);
                    let rows = &nlp.jacobian_structure().rows;
                    to.iter_mut().zip(rows).for_each(|(to, row)| *to *= signs[*row]);
                    done.is_ok()
                }
                _ => {
                    let lambda: Vec<f64> = lambda.iter().zip(&*signs).map(|(l, s)| l * s).collect();
                    let mut values = vec![0.0; nlp.dimensions().hessian];
                    let done = nlp.hessian(x, sigma, &lambda, &mut values);
                    to.iter_mut().zip(&*hessian).for_each(|(to, k)| *to = values[*k]);
                    done.is_ok()
                }
            }
        };
        let mut done = true;
        let mut lagrangian = None;
        let mixed = matches!(what, What::Hessian | What::Lagrangian);
        for (kind, out) in what.outputs(fatrop).iter().zip(out) {
            let Some(to) = out else { continue };
            if mixed && kind.0 == X {
                lagrangian = Some(&mut **to);
            } else if kind.0 != P {
                done &= at(kind.0, to);
            }
        }
        if let Some(to) = lagrangian {
            // σ ∂f + λᵀ ∂g
            done &= nlp.gradient(x, to).is_ok();
            to.iter_mut().for_each(|to| *to *= sigma);
            let mut values = vec![0.0; nlp.dimensions().jacobian];
            done &= nlp.jacobian(x, &mut values).is_ok();
            let pattern = nlp.jacobian_structure();
            for ((row, column), value) in pattern.rows.iter().zip(&pattern.columns).zip(values) {
                to[*column] += signs[*row] * lambda[*row] * value;
            }
        }
        done
    }
}

/// One of CasADi's functions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    Both,
    Objective,
    Constraints,
    Gradient,
    Jacobian,
    Hessian,
    /// With gradients of the Lagrangian.
    Lagrangian,
}

type Named = (usize, &'static CStr);

impl What {
    fn inputs(self) -> &'static [Named] {
        const ALL: &[Named] = &[(X, c"x"), (P, c"p"), (ONE, c"lam_f"), (G, c"lam_g")];
        if matches!(self, Self::Hessian | Self::Lagrangian) { ALL } else { &ALL[..2] }
    }
    fn outputs(self, fatrop: bool) -> &'static [Named] {
        match (self, fatrop) {
            (Self::Both, _) => &[(ONE, c"f"), (G, c"g")],
            (Self::Objective, _) => &[(ONE, c"f")],
            (Self::Constraints, _) => &[(G, c"g")],
            (Self::Gradient, false) => &[(ONE, c"f"), (X, c"grad_f_x")],
            (Self::Gradient, true) => &[(X, c"grad_f_x")],
            (Self::Jacobian, _) => &[(G, c"g"), (JACOBIAN, c"jac_g_x")],
            (Self::Hessian, false) => &[(HESSIAN, c"triu_hess_gamma_x_x")],
            (Self::Lagrangian, _) => &[(ONE, c"f"), (G, c"g"), (X, c"grad_gamma_x"), (P, c"grad_gamma_p")],
            (Self::Hessian, true) => &[(X, c"grad_gamma_x"), (HESSIAN, c"hess_gamma_x_x")],
        }
    }
    fn listed(self, outputs: bool) -> &'static [Named] {
        let fatrop = chosen().as_ref().is_some_and(|chosen| chosen.fatrop);
        if outputs { self.outputs(fatrop) } else { self.inputs() }
    }
    fn name(self, outputs: bool, i: i64) -> *const c_char {
        let named = usize::try_from(i).ok().and_then(|i| self.listed(outputs).get(i));
        named.map_or(std::ptr::null(), |(_, name)| name.as_ptr())
    }
    fn shape(self, outputs: bool, i: i64) -> *const i64 {
        let named = usize::try_from(i).ok().and_then(|i| self.listed(outputs).get(i));
        match (named, &*chosen()) {
            (Some((kind, _)), Some(chosen)) => chosen.shapes[*kind].as_ptr(),
            _ => std::ptr::null(),
        }
    }
    /// # Safety
    /// `arg` and `res` as CasADi gives them: one pointer an input and an output, to as many numbers as their shapes
    /// say, or null.
    unsafe fn call(self, arg: *const *const f64, res: *const *mut f64) -> c_int {
        let mut guard = chosen();
        let Some(chosen) = guard.as_mut() else { return 1 };
        let size = chosen.nlp.dimensions();
        let length = |kind: usize, hessian: usize| match kind {
            X => size.variables,
            P => 0,
            ONE => 1,
            G => size.rows,
            JACOBIAN => size.jacobian,
            _ => hessian,
        };
        let read = |i: usize, n: usize| -> Vec<f64> {
            // SAFETY: as promised.
            let from = unsafe { *arg.add(i) };
            if from.is_null() { vec![0.0; n] } else { unsafe { std::slice::from_raw_parts(from, n) }.to_vec() }
        };
        let x = read(0, size.variables);
        let (mut sigma, mut lambda) = (0.0, Vec::new());
        if matches!(self, Self::Hessian | Self::Lagrangian) {
            (sigma, lambda) = (read(2, 1)[0], read(3, size.rows));
        }
        let outputs = self.outputs(chosen.fatrop);
        let hessian = chosen.hessian.len();
        let mut out: Vec<Option<&mut [f64]>> = (0..outputs.len())
            .map(|i| {
                // SAFETY: as promised.
                let to = unsafe { *res.add(i) };
                (!to.is_null()).then(|| unsafe { std::slice::from_raw_parts_mut(to, length(outputs[i].0, hessian)) })
            })
            .collect();
        c_int::from(!chosen.evaluate(self, &x, sigma, &lambda, &mut out))
    }
}

macro_rules! external {
    ($what:expr, $call:ident, $n_in:ident, $n_out:ident, $name_in:ident, $name_out:ident, $sparsity_in:ident, $sparsity_out:ident, $work:ident) => {
        /// # Safety
        /// As CasADi calls it.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $call(
            arg: *const *const f64,
            res: *const *mut f64,
            _: *mut i64,
            _: *mut f64,
            _: c_int,
        ) -> c_int {
            // SAFETY: as promised.
            unsafe { $what.call(arg, res) }
        }
        #[unsafe(no_mangle)]
        pub(crate) extern "C" fn $n_in() -> i64 {
            $what.listed(false).len() as i64
        }
        #[unsafe(no_mangle)]
        pub(crate) extern "C" fn $n_out() -> i64 {
            $what.listed(true).len() as i64
        }
        #[unsafe(no_mangle)]
        pub(crate) extern "C" fn $name_in(i: i64) -> *const c_char {
            $what.name(false, i)
        }
        #[unsafe(no_mangle)]
        pub(crate) extern "C" fn $name_out(i: i64) -> *const c_char {
            $what.name(true, i)
        }
        #[unsafe(no_mangle)]
        pub(crate) extern "C" fn $sparsity_in(i: i64) -> *const i64 {
            $what.shape(false, i)
        }
        #[unsafe(no_mangle)]
        pub(crate) extern "C" fn $sparsity_out(i: i64) -> *const i64 {
            $what.shape(true, i)
        }
        /// # Safety
        /// As CasADi calls it: each pointer to a number, or null.
        #[unsafe(no_mangle)]
        pub(crate) unsafe extern "C" fn $work(arg: *mut i64, res: *mut i64, iw: *mut i64, w: *mut i64) -> c_int {
            for (to, n) in [(arg, $what.listed(false).len()), (res, $what.listed(true).len()), (iw, 0), (w, 0)] {
                if !to.is_null() {
                    // SAFETY: as promised.
                    unsafe { *to = n as i64 };
                }
            }
            0
        }
    };
}

#[rustfmt::skip]
mod exported {
    use super::*;
    external!(What::Both, nlp, nlp_n_in, nlp_n_out, nlp_name_in, nlp_name_out, nlp_sparsity_in, nlp_sparsity_out, nlp_work);
    external!(What::Objective, nlp_f, nlp_f_n_in, nlp_f_n_out, nlp_f_name_in, nlp_f_name_out, nlp_f_sparsity_in, nlp_f_sparsity_out, nlp_f_work);
    external!(What::Constraints, nlp_g, nlp_g_n_in, nlp_g_n_out, nlp_g_name_in, nlp_g_name_out, nlp_g_sparsity_in, nlp_g_sparsity_out, nlp_g_work);
    external!(What::Gradient, nlp_grad_f, nlp_grad_f_n_in, nlp_grad_f_n_out, nlp_grad_f_name_in, nlp_grad_f_name_out, nlp_grad_f_sparsity_in, nlp_grad_f_sparsity_out, nlp_grad_f_work);
    external!(What::Jacobian, nlp_jac_g, nlp_jac_g_n_in, nlp_jac_g_n_out, nlp_jac_g_name_in, nlp_jac_g_name_out, nlp_jac_g_sparsity_in, nlp_jac_g_sparsity_out, nlp_jac_g_work);
    external!(What::Hessian, nlp_hess_l, nlp_hess_l_n_in, nlp_hess_l_n_out, nlp_hess_l_name_in, nlp_hess_l_name_out, nlp_hess_l_sparsity_in, nlp_hess_l_sparsity_out, nlp_hess_l_work);
    external!(What::Lagrangian, nlp_grad, nlp_grad_n_in, nlp_grad_n_out, nlp_grad_name_in, nlp_grad_name_out, nlp_grad_sparsity_in, nlp_grad_sparsity_out, nlp_grad_work);
}

/// Chooses a problem: of `problems/drawn.rs` by a seed, or, if that is below zero, of `problems/mod.rs`, for Fatrop or
/// not. 0 if there is one.
///
/// # Safety
/// `name` is a string of C.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gradyn_choose(name: *const c_char, seed: i64, fatrop: c_int) -> c_int {
    // SAFETY: as promised.
    let name = unsafe { CStr::from_ptr(name) };
    let made = name.to_str().ok().and_then(|name| Chosen::new(name, seed, fatrop != 0));
    let done = made.is_some();
    *chosen() = made;
    c_int::from(!done)
}

/// Variables, rows, nodes; and entries of Jacobian and Hessian.
///
/// # Safety
/// `out` has five numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gradyn_dimensions(out: *mut i64) {
    if let Some(chosen) = &*chosen() {
        let size = chosen.nlp.dimensions();
        let nodes = chosen.nlp.stages().len();
        let all = [size.variables, size.rows, nodes, size.jacobian, size.hessian];
        // SAFETY: as promised.
        unsafe { std::slice::from_raw_parts_mut(out, 5) }.copy_from_slice(&all.map(|n| n as i64));
    }
}

/// Of each node three numbers: variables of its state, its controls, rows beside those of its step.
///
/// # Safety
/// `out` has three numbers a node.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gradyn_stages(out: *mut i64) {
    if let Some(chosen) = &*chosen() {
        let stages = chosen.nlp.stages();
        // SAFETY: as promised.
        let out = unsafe { std::slice::from_raw_parts_mut(out, 3 * stages.len()) };
        out.iter_mut().zip(stages.iter().flatten()).for_each(|(to, n)| *to = *n as i64);
    }
}

/// Bounds of variables and rows, and the guess.
///
/// # Safety
/// `x`: three lists, as many numbers each as there are variables; `g`: two lists, as many as there are rows.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gradyn_bounds(x: *mut f64, g: *mut f64) {
    if let Some(chosen) = &*chosen() {
        let size = chosen.nlp.dimensions();
        // SAFETY: as promised.
        let (x, g) = unsafe {
            (std::slice::from_raw_parts_mut(x, 3 * size.variables), std::slice::from_raw_parts_mut(g, 2 * size.rows))
        };
        let (low, rest) = x.split_at_mut(size.variables);
        let (high, guess) = rest.split_at_mut(size.variables);
        chosen.nlp.variable_bounds(low, high);
        let (least, most) = g.split_at_mut(size.rows);
        chosen.nlp.row_bounds(least, most);
        let _ = chosen.nlp.variables(&chosen.guess, guess);
    }
}

/// Solves by [`Newton`], from the same guess: variables, their multipliers, those of rows, and cost, iterations,
/// seconds, whether solved, and the time of solving once more, the least of three.
///
/// # Safety
/// `w` and `bounds` have as many numbers as there are variables, `lambda` as many as there are rows, `info` five, and
/// `status` 200 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gradyn_newton(
    w: *mut f64,
    bounds: *mut f64,
    lambda: *mut f64,
    info: *mut f64,
    status: *mut u8,
) -> c_int {
    let mut guard = chosen();
    let Some(Chosen { nlp, guess, signs, .. }) = &mut *guard else { return 1 };
    let (size, problem) = (nlp.dimensions(), nlp.problem());
    // SAFETY: as promised.
    let (w, bounds, lambda, info, text) = unsafe {
        (
            std::slice::from_raw_parts_mut(w, size.variables),
            std::slice::from_raw_parts_mut(bounds, size.variables),
            std::slice::from_raw_parts_mut(lambda, size.rows),
            std::slice::from_raw_parts_mut(info, 5),
            std::slice::from_raw_parts_mut(status, 200),
        )
    };
    let mut options = NewtonOptions::default();
    // What is left of barriers in the cost is as little as that of the others, which are asked for as much.
    options.tolerance = 1e-9;
    let mut newton = Newton::new(problem, options);
    let began = Instant::now();
    let report = newton.solve(problem, guess);
    let seconds = began.elapsed().as_secs_f64();
    let mut least = seconds;
    if report.status == Status::Converged {
        for _ in 0..2 {
            let began = Instant::now();
            newton.solve(problem, guess);
            least = least.min(began.elapsed().as_secs_f64());
        }
    }
    let (at, last) = (newton.trajectory(), problem.steps());
    let nodes = (0..=last).map(|k| newton.multipliers(k).clone()).collect();
    let start = vec![0.0; problem.space().ndx()];
    let done = nlp.variables(at, w).and_then(|()| nlp.row_multipliers(w, &NlpMultipliers { start, nodes }, lambda));
    if done.and_then(|()| find_start(nlp, w, lambda)).is_err() {
        return 1;
    }
    lambda.iter_mut().zip(&*signs).for_each(|(l, sign)| *l *= sign);
    bounds.fill(0.0);
    let mut first = 0;
    for (k, [nx, nu, _]) in nlp.stages().iter().enumerate() {
        for i in 0..*nu {
            bounds[first + nx + i] = newton.control_multiplier(k, i).unwrap_or(0.0);
        }
        first += nx + nu;
    }
    let solved = f64::from(report.status == Status::Converged);
    info.copy_from_slice(&[report.cost, report.iterations as f64, seconds, solved, least]);
    text.fill(0);
    text.iter_mut().zip(report.status.to_string().bytes().take(199)).for_each(|(to, byte)| *to = byte);
    0
}

/// Multipliers of the start, by which the Lagrangian does not change with the first state.
fn find_start(nlp: &mut Nlp<'_>, w: &[f64], lambda: &mut [f64]) -> Result<(), Fault> {
    let (size, ndx) = (nlp.dimensions(), nlp.problem().space().ndx());
    let (mut gradient, mut jacobian) = (vec![0.0; size.variables], vec![0.0; size.jacobian]);
    nlp.gradient(w, &mut gradient)?;
    nlp.jacobian(w, &mut jacobian)?;
    let pattern = nlp.jacobian_structure();
    for ((row, column), value) in pattern.rows.iter().zip(&pattern.columns).zip(jacobian) {
        gradient[*column] += lambda[*row] * value;
    }
    // After the rows of the first step.
    lambda[ndx..2 * ndx].copy_from_slice(&gradient[..ndx]);
    Ok(())
}
