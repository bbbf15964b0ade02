//! Kernels of steps against dual numbers through their page: value, A, B, derivatives by the length, and curvature.

use crate::common::joints::{arm_on, kinds, rough};
use crate::common::robot;
use gradyn::model::InputError;
use gradyn::partials::{State, StateFunction, StateWorkspace, state_hessian, state_jacobian};
use gradyn::{DerivativeWorkspace, Model, Scalar, Workspace, aba};
use gradyn_trajectory::Reason;
use gradyn_trajectory::node::At;
use gradyn_trajectory::quadratic::{Dims, Quadratic};
use gradyn_trajectory::step::{
    Actuation, Algebra, ForwardDynamics, Rk4, Scheme, Sensitivities, Step, StepView, StepWeights,
};
use nalgebra::DMatrix;
use std::any::Any;
use testing::{numbers, rng};

/// Length of steps, s.
const H: f64 = 0.02;

/// The page of a scheme: where a step of length `u[nv]` under torques `u[..nv]` arrives, from where it arrives at the
/// state in question, 2 nv numbers.
struct Page<'a> {
    scheme: Scheme,
    algebra: Algebra,
    /// The configuration at the end.
    end: &'a [f64],
}

impl StateFunction for Page<'_> {
    fn outputs(&self, model: &Model) -> usize {
        2 * model.nv()
    }
    fn controls(&self, model: &Model) -> usize {
        model.nv() + 1
    }
    fn evaluate<T: Scalar>(
        &self,
        model: &Model,
        ws: &mut Workspace<T>,
        State { q, v, u, .. }: State<'_, T>,
        out: &mut [T],
    ) -> Result<(), InputError> {
        let (tau, h) = u.split_at(model.nv());
        let moved = self.scheme.advance((model, &self.algebra), h[0], (q, v), |q, v| -> Result<_, Reason> {
            Ok(aba(model, ws, q, v, tau, &[])?.to_vec())
        });
        let (q, v) = moved.expect("the step is short");
        let end: Vec<T> = self.end.iter().map(|x| T::from(*x)).collect();
        let (to_q, to_v) = out.split_at_mut(model.nv());
        model.difference_into(&end, &q, to_q)?;
        to_v.copy_from_slice(&v);
        Ok(())
    }
}

/// What a kernel is called with, from state `(q, v)` and torques.
struct Kernel<'a> {
    model: &'a Model,
    step: Box<dyn Step>,
    memory: Box<dyn Any + Send>,
    state: [&'a [f64]; 3],
    workspace: Workspace,
    derivatives: DerivativeWorkspace,
    /// The acceleration, which derivatives by the length take from the call before.
    a: Vec<f64>,
    by: Sensitivities,
    node: Quadratic,
}

impl<'a> Kernel<'a> {
    fn new(model: &'a Model, scheme: Scheme, state: [&'a [f64]; 3]) -> Self {
        let (nq, nv) = (model.nq(), model.nv());
        let step = scheme.kernel(model, ForwardDynamics::new(Actuation::Full(nv)));
        let dims = Dims { nx: nq + nv, ndx: 2 * nv, nu: nv, n_eq: 0, n_in: 0 };
        Self {
            memory: step.memory(model),
            step,
            model,
            state,
            workspace: Workspace::new(model),
            derivatives: DerivativeWorkspace::new(model),
            a: vec![0.0; nv],
            by: Sensitivities::new(nv, nv, 0),
            node: Quadratic::exact(dims, false),
        }
    }

    fn call<R>(
        &mut self,
        run: impl FnOnce(&dyn Step, &mut StepView<'_>, &mut Sensitivities, &mut Quadratic) -> Result<R, Reason>,
    ) -> R {
        let [q, v, u] = self.state;
        let on = &mut StepView {
            model: self.model,
            at: At { node: 0, time: 0.0, dt: H, x: &[], u, parameters: &[] },
            q,
            v,
            u,
            workspace: &mut self.workspace,
            derivatives: &mut self.derivatives,
            own: &mut *self.memory,
            a: &mut self.a,
            f: &mut [],
        };
        run(&*self.step, on, &mut self.by, &mut self.node).expect("runs")
    }
}

/// The largest difference, relative to the largest entry, or to one.
fn off(found: &DMatrix<f64>, expected: &DMatrix<f64>) -> f64 {
    (found - expected).amax() / expected.amax().max(1.0)
}

fn column(x: &[f64]) -> DMatrix<f64> {
    DMatrix::from_column_slice(x.len(), 1, x)
}

/// Arms on every kind of joint, floating bases, closed by mimics and rough, and a fixed one.
fn robots() -> Vec<(&'static str, Model)> {
    let arms = kinds().into_iter().map(|(name, joint)| (name, arm_on(name, joint)));
    let named = [("solo12", true), ("panda", false)].map(|(name, floating)| (name, robot(name, floating)));
    arms.chain([("rough", rough())]).chain(named).collect()
}

/// Every scheme, on every robot: the kernel's `x⁺`, A, B, `∂x⁺/∂h`, `∂²(λᵀ x⁺)` by state and controls, and by the
/// length.
#[test]
fn kernels_of_steps_agree_with_dual_numbers_through_their_page() {
    for (seed, (name, model)) in robots().into_iter().enumerate() {
        let (nv, rng) = (model.nv(), &mut rng(seed as u64 + 1));
        let (q, v, u, lambda) = (model.random(rng), numbers(rng, nv), numbers(rng, nv), numbers(rng, 2 * nv));
        let with_h = [&u[..], &[H]].concat();
        for scheme in Scheme::ALL {
            let mut kernel = Kernel::new(&model, scheme, [&q, &v, &u]);
            let mut next = [q.clone(), v.clone()].concat();
            kernel.call(|step, on, _, _| step.next(on, &mut next, &mut []));
            kernel.call(|step, on, by, node| step.linearize(on, by, node));

            let page = Page { scheme, algebra: Algebra::new(&model), end: &next[..model.nq()] };
            let state = State { q: &q, v: &v, u: &with_h, wrenches: &[] };
            let mut duals = StateWorkspace::new();
            let first = state_jacobian(&model, &mut duals, &page, state).expect("runs");
            // Forward dynamics of light links on heavy ones lose some three digits of sixteen, x⁺ keeps the more as h
            // is small, and derivatives are sums of some ten such numbers.
            let value = [&vec![0.0; nv][..], &next[model.nq()..]].concat();
            let agree = |what: &str, found: &DMatrix<f64>, expected: &DMatrix<f64>, tolerance: f64| {
                let off = off(found, expected);
                assert!(off < tolerance, "{name}, {scheme}, {what}: {off:e}");
            };
            // With and without derivatives, kernels may round otherwise.
            agree("x⁺ with derivatives", &column(&kernel.node.next), &column(&next), 1e-13);
            agree("x⁺", &column(&value), &column(first.value.as_slice()), 1e-13);
            agree("A by q", &kernel.node.a.columns(0, nv).into_owned(), &first.dq, 1e-11);
            agree("A by v", &kernel.node.a.columns(nv, nv).into_owned(), &first.dv, 1e-11);
            agree("B", &kernel.node.b, &first.du.columns(0, nv).into_owned(), 1e-11);
            let mut by_h = vec![0.0; 2 * nv];
            let has_length = kernel.step.has_dt_derivative();
            if has_length {
                kernel.call(|step, on, by, node| step.dt_derivative(on, by, node, &mut by_h));
                agree("∂x⁺/∂h", &column(&by_h), &first.du.columns(nv, 1).into_owned(), 1e-11);
            }

            let weights = StepWeights { next: &lambda, eq: &[], a: &vec![0.0; nv], f: &[] };
            assert!(kernel.call(|step, on, by, node| step.curvature(on, by, weights, node)), "{name}, {scheme}");
            let second = state_hessian(&model, &mut duals, &page, state, &lambda).expect("runs");
            let (n, all) = (2 * nv, 3 * nv);
            let mut found = DMatrix::zeros(all, all);
            found.view_mut((0, 0), (n, n)).copy_from(&kernel.node.curvature.xx);
            found.view_mut((0, n), (n, nv)).copy_from(&kernel.node.curvature.xu);
            found.view_mut((n, 0), (nv, n)).copy_from(&kernel.node.curvature.xu.transpose());
            found.view_mut((n, n), (nv, nv)).copy_from(&kernel.node.curvature.uu);
            // Second derivatives lose three digits more.
            agree("curvature", &found, &second.hessian.view((0, 0), (all, all)).into_owned(), 1e-9);
            if has_length {
                let mut by_h = vec![0.0; all + 1];
                let known = kernel.call(|step, on, by, node| step.dt_curvature(on, by, weights, node, &mut by_h));
                assert!(known, "{name}, {scheme}: curvature by the length");
                agree("curvature by h", &column(&by_h), &second.hessian.columns(all, 1).into_owned(), 1e-9);
            }
        }
    }
}

/// A step for which the fixed-point iteration of the midpoint does not contract is an error.
#[test]
fn a_midpoint_that_does_not_contract_is_an_error() {
    let model = robot("pendulum", false);
    let algebra = Algebra::new(&model);
    // v̇ = −30 v: w = v − 15 h w, and each iteration multiplies the error by −15 h.
    let advance = |h: f64| {
        let brake = |_: &[f64], v: &[f64]| -> Result<Vec<f64>, Reason> { Ok(vec![-30.0 * v[0]]) };
        Scheme::ImplicitMidpoint.advance((&model, &algebra), h, (&[0.0], &[1.0]), brake)
    };
    // w = v/(1 + 15 h), v⁺ = 2 w − v; 0.3 to the power of 60 is below rounding.
    let (_, v) = advance(0.02).expect("has a solution");
    assert!((v[0] - (2.0 / 1.3 - 1.0)).abs() < 1e-15, "{v:?}");
    assert_eq!(advance(0.1), Err(Reason::MidpointNotFound { iterations: 60 }));
}

/// Names of schemes are those of task files, and the reference of every step is a step of the fourth order.
#[test]
fn schemes_have_names_and_orders() {
    let names = ["semi-implicit-euler", "euler", "rk4", "implicit-midpoint"];
    assert_eq!(Scheme::ALL.map(Scheme::name), names);
    let model = robot("pendulum", false);
    let dynamics = || ForwardDynamics::new(Actuation::of(&model));
    let orders = Scheme::ALL.map(|scheme| scheme.kernel(&model, dynamics()).order());
    assert_eq!(orders, [1, 1, 4, 2]);
    assert_eq!(Rk4::new(&model, dynamics()).order(), 4);
}
