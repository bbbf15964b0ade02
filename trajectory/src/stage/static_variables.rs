//! The part of states that is carried unchanged: parameters; and how steps use those that are numbers of the robot.
//!
//! A step treats their values as additional controls, `u′ = (u, p)`, so that every scheme computes derivatives with
//! respect to them. This module moves the columns by `p` to their places in the state. Second derivatives are handled
//! in the same way.

use super::{Stage, StageMemory};
use crate::fault::{ProblemError, ProblemPlace, Reason};
use crate::node::At;
use crate::parameter::RobotNumbers;
use crate::quadratic::{Curvature, Dims, Quadratic, Structure};
use crate::residual::{Depends, Jacobian, Residual};
use crate::step::Sensitivities;
use nalgebra::{DMatrix, DVector};
use std::ops::Range;
use std::sync::Arc;

/// What states remember: the controls of the step before, durations of phases, and parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StateAugmentation {
    pub(crate) rates: usize,
    pub(crate) durations: usize,
    pub(crate) parameters: usize,
}

impl StateAugmentation {
    pub(crate) fn count(self) -> usize {
        self.rates + self.durations + self.parameters
    }
}

/// Parameters of a problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct StaticVariables {
    /// Names, with where their numbers stand among all that states have beside `(q, v)`.
    pub(crate) names: Vec<(String, Range<usize>)>,
    /// Those of the robot.
    pub(crate) numbers: Option<Arc<RobotNumbers>>,
    /// Where the values of these stand.
    pub(crate) places: Vec<usize>,
}

/// A residual is told of parameters; those of the robot must not be seen by one that has no derivatives by them.
pub(super) fn bind_parameters(
    residual: &mut dyn Residual,
    carried: &StaticVariables,
    place: &ProblemPlace,
) -> Result<(), ProblemError> {
    residual.bind_parameters(&carried.names, place)?;
    if carried.numbers.is_some() && residual.sees_robot() {
        let what = "it may see numbers of the robot that are parameters, which it has no derivatives by";
        return Err(ProblemError::Missing { place: place.clone(), what });
    }
    Ok(())
}

/// Memory of a stage whose robot varies.
pub(super) struct RobotAtParameters {
    /// `(u, p)`, with `p` not a number where the robot is not one of these values.
    pub(super) u: Vec<f64>,
    /// What the step makes, by `(u, p)`.
    pub(super) inner: Quadratic,
}

impl Stage {
    /// Memory, if the robot varies.
    pub(super) fn varied(&self) -> Option<Box<RobotAtParameters>> {
        self.carried.numbers.as_ref()?;
        let (nu, np) = (self.nu, self.carried.places.len());
        let (nq, nv) = (self.model.nq(), self.model.nv());
        let n_eq = self.step.as_ref().map_or(0, |step| step.equalities());
        let dims = Dims { nx: nq + nv, ndx: 2 * nv, nu: nu + np, n_eq, n_in: 0 };
        Some(Box::new(RobotAtParameters {
            u: vec![f64::NAN; nu + np],
            inner: Quadratic::exact(dims, self.step.is_none()),
        }))
    }

    /// The robot becomes that of the node's parameters.
    pub(super) fn settle(&self, at: At<'_>, memory: &mut StageMemory) -> Result<(), Reason> {
        let (Some(numbers), Some(varied)) = (&self.carried.numbers, &mut memory.varied) else { return Ok(()) };
        let (_, _, w) = self.space().split(at.x);
        let (controls, values) = varied.u.split_at_mut(self.nu);
        controls.copy_from_slice(at.u);
        let of = |place: &usize| w[*place];
        // The robot has just these values, or is set anew.
        if self.carried.places.iter().map(of).eq(values.iter().copied()) {
            return Ok(());
        }
        values.iter_mut().zip(&self.carried.places).for_each(|(to, place)| *to = w[*place]);
        // Nobody else has this robot.
        let done = match Arc::get_mut(&mut memory.model) {
            Some(model) => numbers.set(values, model).map_err(Reason::from),
            None => Err(Reason::SharedModel),
        };
        if done.is_err() {
            values.fill(f64::NAN);
        }
        done
    }

    /// What the step has made by `(u, p)`, into the node.
    pub(super) fn put_in(&self, inner: &Quadratic, out: &mut Quadratic) {
        let (nv, nu, places) = (self.model.nv(), self.nu, &self.carried.places);
        let n = 2 * nv;
        out.next[..inner.next.len()].copy_from_slice(&inner.next);
        out.a.view_mut((0, 0), (n, n)).copy_from(&inner.a);
        out.b.rows_mut(0, n).copy_from(&inner.b.columns(0, nu));
        out.structure = Structure::Dense;
        let rows = inner.eq.len();
        out.eq.rows_mut(0, rows).copy_from(&inner.eq);
        out.eq_x.view_mut((0, 0), (rows, n)).copy_from(&inner.eq_x);
        out.eq_u.rows_mut(0, rows).copy_from(&inner.eq_u.columns(0, nu));
        for (k, place) in places.iter().enumerate() {
            out.a.view_mut((0, n + place), (n, 1)).copy_from(&inner.b.column(nu + k));
            out.eq_x.view_mut((0, n + place), (rows, 1)).copy_from(&inner.eq_u.column(nu + k));
        }
    }

    /// Columns by what a step takes for controls, `(u, p)`, and by its length: those by what states have beside
    /// `(q, v)`, and those by controls.
    pub(crate) fn by_state_and_controls(
        &self,
        at: At<'_>,
        m: &DMatrix<f64>,
        by_length: &DVector<f64>,
    ) -> [DMatrix<f64>; 2] {
        let mut by_w = DMatrix::zeros(m.nrows(), self.memory.count());
        for (k, place) in self.carried.places.iter().enumerate() {
            by_w.set_column(*place, &m.column(self.nu + k));
        }
        if let Some(clock) = &self.clock {
            // h/T, which is the same of all durations.
            by_w.set_column(clock.index, &(by_length * (at.dt / clock.nominal)));
        }
        [by_w, m.columns(0, self.nu).into_owned()]
    }

    /// What a residual depends on, what states carry put in.
    pub(crate) fn depends(&self, residual: &dyn Residual) -> Depends {
        let own = residual.depends();
        let through = (!self.carried.places.is_empty() || self.sees_length()) && (own.a || own.f);
        Depends { w: own.w || through || (own.h && self.clock.is_some()), ..own }
    }

    /// Before a residual writes its Jacobian: columns that it is to write anew.
    pub(crate) fn clear_carried(&self, by: &mut Jacobian) {
        let rates = self.memory.rates;
        if by.dw.ncols() > rates {
            by.dw.columns_range_mut(rates..).fill(0.0);
        }
    }
    /// Adds to its columns by parameters what comes through accelerations and multipliers, and to that by the duration
    /// what comes through the length of the step.
    pub(crate) fn add_carried(&self, at: At<'_>, step: &Sensitivities, by: &mut Jacobian) -> Result<(), Reason> {
        if by.dw.ncols() == 0 {
            return Ok(());
        }
        let Jacobian { da, df, dw, dh, .. } = by;
        for (k, place) in self.carried.places.iter().enumerate() {
            for (m, s) in [(&*da, &step.a_u), (&*df, &step.f_u)] {
                if m.ncols() > 0 {
                    dw.column_mut(*place).gemv(1.0, m, &s.column(self.nu + k), 1.0);
                }
            }
        }
        if let Some(clock) = &self.clock {
            let share = at.dt / clock.duration(self.space().split(at.x).2)?;
            let mut column = dw.column_mut(clock.index);
            if dh.ncols() > 0 {
                column.axpy(share, &dh.column(0), 1.0);
            }
            // Accelerations and multipliers that depend on the length of the step.
            for (m, s) in [(&*da, &step.a_h), (&*df, &step.f_h)] {
                if m.ncols() > 0 && self.sees_length() {
                    column.gemv(share, m, s, 1.0);
                }
            }
        }
        Ok(())
    }

    /// Adds a symmetric matrix by `(q, v, u, p)` to a curvature; `n` rows of it count.
    pub(super) fn spread(&self, n: usize, of: impl Fn(usize, usize) -> f64, out: &mut Curvature) {
        let (nx, nu) = (2 * self.model.nv(), self.nu);
        let state = |i: usize| match i {
            i if i < nx => Some(i),
            i if i < nx + nu => None,
            i => Some(nx + self.carried.places[i - nx - nu]),
        };
        for j in 0..n {
            for i in 0..n {
                match (state(i), state(j)) {
                    (Some(i_x), Some(j_x)) => out.xx[(i_x, j_x)] += of(i, j),
                    (Some(i_x), None) => out.xu[(i_x, j - nx)] += of(i, j),
                    (None, None) => out.uu[(i - nx, j - nx)] += of(i, j),
                    (None, Some(_)) => {}
                }
            }
        }
    }
    /// The same of what a step has made by `(q, v)` and `(u, p)`.
    pub(super) fn spread_step(&self, inner: &Curvature, out: &mut Curvature) {
        let nx = inner.xx.nrows();
        let of = |i: usize, j: usize| match (i < nx, j < nx) {
            (true, true) => inner.xx[(i, j)],
            (true, false) => inner.xu[(i, j - nx)],
            (false, true) => inner.xu[(j, i - nx)],
            (false, false) => inner.uu[(i - nx, j - nx)],
        };
        self.spread(nx + inner.uu.nrows(), of, out);
    }
}
