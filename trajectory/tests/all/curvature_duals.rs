//! Second derivatives of whole steps against nested dual numbers through the same step, written for every number type.

use crate::common::joints::{arm_on, kinds, rough};
use gradyn::model::InputError;
use gradyn::partials::{State, StateFunction, StateWorkspace, state_hessian};
use gradyn::{Model, Scalar, Workspace, aba};
use gradyn_trajectory::quadratic::{Multipliers, Quadratic};
use gradyn_trajectory::step::{
    Actuation, Algebra, Euler, ForwardDynamics, ImplicitMidpoint, Rk4, SemiImplicitEuler, Step,
};
use gradyn_trajectory::{Phase, Problem};
use nalgebra::DMatrix;
use testing::{numbers, rng};

const H: f64 = 0.02;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Scheme {
    Euler,
    SemiImplicit,
    Rk4,
    Midpoint,
}

/// Where a step arrives, from where it arrives at the state in question: 2 nv numbers.
struct Arrival<'a> {
    scheme: Scheme,
    algebra: Algebra,
    /// The state there.
    next: &'a [f64],
}

/// `x + s y`
fn plus<T: Scalar>(x: &[T], s: f64, y: &[T]) -> Vec<T> {
    x.iter().zip(y).map(|(x, y)| *x + *y * s).collect()
}

impl Arrival<'_> {
    fn bracket<T: Scalar>(&self, x: &[T], y: &[T]) -> Vec<T> {
        let mut z = vec![T::zero(); x.len()];
        for (i, j, k, c) in self.algebra.terms() {
            z[*i] += x[*j] * y[*k] * *c;
        }
        z
    }

    /// The increment of q, and the velocity after it.
    fn step<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        State { q, v, u, .. }: State<'_, T>,
    ) -> Result<[Vec<T>; 2], InputError> {
        let mut place = vec![T::zero(); model.nq()];
        let mut accelerate = |theta: &[T], v: &[T]| {
            model.integrate_into(q, theta, &mut place)?;
            Ok::<_, InputError>(aba(model, ws, &place, v, u, &[])?.to_vec())
        };
        let (zero, times) =
            (vec![T::zero(); model.nv()], |s: f64, x: &[T]| -> Vec<T> { x.iter().map(|x| *x * s).collect() });
        match self.scheme {
            Scheme::Euler => Ok([times(H, v), plus(v, H, &accelerate(&zero, v)?)]),
            Scheme::SemiImplicit => {
                let after = plus(v, H, &accelerate(&zero, v)?);
                Ok([times(H, &after), after])
            }
            Scheme::Rk4 => {
                let (mut k, mut l, mut sums) = (zero.clone(), zero.clone(), [zero.clone(), v.to_vec()]);
                for (c, b) in [(0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)] {
                    let (theta, v) = (times(c * H, &k), plus(v, c * H, &l));
                    l = accelerate(&theta, &v)?;
                    let once = self.bracket(&theta, &v);
                    k = plus(&plus(&v, 0.5, &once), 1.0 / 12.0, &self.bracket(&theta, &once));
                    sums = [plus(&sums[0], b * H, &k), plus(&sums[1], b * H, &l)];
                }
                Ok(sums)
            }
            Scheme::Midpoint => {
                // Each turn shrinks what is off, of derivatives too, by h/2 times those of accelerations.
                let mut w = v.to_vec();
                for _ in 0..60 {
                    w = plus(v, 0.5 * H, &accelerate(&times(0.5 * H, &w), &w)?);
                }
                Ok([times(H, &w), plus(&times(2.0, &w), -1.0, v)])
            }
        }
    }
}

impl StateFunction for Arrival<'_> {
    fn outputs(&self, model: &Model) -> usize {
        2 * model.nv()
    }
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        state: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let [increment, v] = self.step(model, ws, state)?;
        let mut q = vec![T::zero(); model.nq()];
        model.integrate_into(state.q, &increment, &mut q)?;
        let next: Vec<T> = self.next[..model.nq()].iter().map(|x| T::from(*x)).collect();
        let (to_q, to_v) = out.split_at_mut(model.nv());
        model.difference_into(&next, &q, to_q)?;
        to_v.copy_from_slice(&v);
        Ok(())
    }
}

fn made(model: &Model, scheme: Scheme) -> Box<dyn Step> {
    let moves = ForwardDynamics::new(Actuation::Full(model.nv()));
    match scheme {
        Scheme::Euler => Box::new(Euler::new(model, moves)),
        Scheme::SemiImplicit => Box::new(SemiImplicitEuler::new(model, moves)),
        Scheme::Rk4 => Box::new(Rk4::new(model, moves)),
        Scheme::Midpoint => Box::new(ImplicitMidpoint::new(moves)),
    }
}

#[test]
fn steps_bend_as_nested_dual_numbers_say() {
    let models = kinds().into_iter().map(|(name, joint)| (name, arm_on(name, joint))).chain([("rough", rough())]);
    for (seed, (name, model)) in models.enumerate() {
        let (nq, nv, rng) = (model.nq(), model.nv(), &mut rng(seed as u64 + 1));
        let x = [model.random(rng), numbers(rng, nv)].concat();
        let u = numbers(rng, nv);
        for scheme in [Scheme::Euler, Scheme::SemiImplicit, Scheme::Rk4, Scheme::Midpoint] {
            let phase = Phase::boxed("step", 1, H, made(&model, scheme));
            let problem = Problem::builder(&model).phase(phase).build().expect("is one");
            let (dims, mut by) = (problem.dims(0), Multipliers::new(problem.dims(0), false));
            let random = numbers(rng, by.next.len());
            by.next.copy_from_slice(&random);
            let mut node = Quadratic::exact(dims, false);
            assert!(problem.linearize_exact(0, &x, &u, &by, &mut problem.memory(), &mut node).expect("runs"));
            let f = Arrival { scheme, algebra: Algebra::new(&model), next: node.next.as_slice() };
            let at = State { q: &x[..nq], v: &x[nq..], u: &u, wrenches: &[] };
            let mut ws = StateWorkspace::new();
            let duals = state_hessian(&model, &mut ws, &f, at, by.next.as_slice()).expect("runs");
            let n = 2 * nv;
            let mut found = DMatrix::zeros(n + nv, n + nv);
            found.view_mut((0, 0), (n, n)).copy_from(&node.curvature.xx);
            found.view_mut((0, n), (n, nv)).copy_from(&node.curvature.xu);
            found.view_mut((n, 0), (nv, n)).copy_from(&node.curvature.xu.transpose());
            found.view_mut((n, n), (nv, nv)).copy_from(&node.curvature.uu);
            let off = (&found - &duals.hessian).amax() / duals.hessian.amax().max(1.0);
            // Forward dynamics of light links on heavy ones lose some three digits, second derivatives three more.
            assert!(off < 1e-9, "{name}, {scheme:?}: {off:e}");
        }
    }
}
