//! Derivatives of torques and accelerations by numbers of the robot: the robot itself in dual numbers, one direction at
//! a time. There are few directions, and eight at a time would take ten times the code.

use super::RobotNumbers;
use gradyn::dynamics::rnea_parameter_gradient;
use gradyn::model::InputError;
use gradyn::num_dual::{Dual64, HyperDual64};
use gradyn::{Model, Workspace, rnea};
use nalgebra::DMatrix;

/// The robot in dual numbers, and memory.
pub(crate) struct RobotDerivatives {
    model: Model<Dual64>,
    workspace: Workspace<Dual64>,
    values: Vec<Dual64>,
    /// q, v, and torques or accelerations.
    state: [Vec<Dual64>; 3],
    lambda: Vec<Dual64>,
    /// `∂τ/∂p`, nv × np.
    pub(crate) torques: DMatrix<f64>,
    /// `∂a/∂p`, nv × np.
    accelerations: DMatrix<f64>,
    twice: Vec<HyperDual64>,
    /// Parameters of joints, and which value each is.
    joints: Vec<(usize, usize)>,
    /// The numbers that it has an effect of, if not all.
    own: Option<RobotNumbers>,
}

impl RobotDerivatives {
    pub(crate) fn new(model: &Model, numbers: &RobotNumbers) -> Self {
        let zero = |n: usize| vec![Dual64::from(0.0); n];
        Self {
            model: model.lift(),
            workspace: Workspace::new(model),
            values: zero(numbers.len()),
            state: [zero(model.nq()), zero(model.nv()), zero(model.nv())],
            lambda: zero(model.nv()),
            torques: DMatrix::zeros(model.nv(), numbers.len()),
            accelerations: DMatrix::zeros(model.nv(), numbers.len()),
            twice: vec![HyperDual64::from(0.0); numbers.len()],
            joints: numbers.places_of_joints(model),
            own: None,
        }
    }
    /// Where nothing falls and no spring pushes: torques at rest are those of accelerations alone, `M a`.
    pub(crate) fn without_gravity(model: &Model, numbers: &RobotNumbers) -> Self {
        let free = model.clone().with_gravity(nalgebra::Vector3::zeros()).without_springs();
        Self { own: Some(numbers.without_springs()), ..Self::new(&free, numbers) }
    }

    /// Lets value `k` vary; the state is constant.
    fn vary(&mut self, numbers: &RobotNumbers, values: &[f64], k: usize, state: [&[f64]; 3]) -> Result<(), InputError> {
        for (i, (to, x)) in self.values.iter_mut().zip(values).enumerate() {
            *to = Dual64::new(*x, if i == k { 1.0 } else { 0.0 });
        }
        for (to, from) in self.state.iter_mut().zip(state) {
            to.iter_mut().zip(from).for_each(|(to, x)| *to = Dual64::from(*x));
        }
        self.own.as_ref().unwrap_or(numbers).set(&self.values, &mut self.model)
    }

    /// `∂τ/∂p` of `τ = id(q, v, a)`, into [`torques`](Self::torques).
    pub(crate) fn of_torques(
        &mut self,
        numbers: &RobotNumbers,
        values: &[f64],
        state: [&[f64]; 3],
    ) -> Result<(), InputError> {
        for k in 0..values.len() {
            self.vary(numbers, values, k, state)?;
            let [q, v, a] = &self.state;
            let tau = rnea(&self.model, &mut self.workspace, q, v, a, &[])?;
            for (to, tau) in self.torques.column_mut(k).iter_mut().zip(tau) {
                *to = tau.eps;
            }
        }
        Ok(())
    }

    /// Second derivatives of `L = gᵃ·a + gᶠ·f` by the values and by `(q, v, τ)`, and by pairs of values:
    /// `to(value, block, entry, x)`, blocks q, v, τ, p. With `μ = ∂L/∂τ` and `t = μᵀ id(q, v, a; p)`, in which μ is
    /// held,
    ///
    /// ```text
    /// ∂²L/∂p∂q = −(∂μ/∂q)ᵀ ∂id/∂p − ∂²t/∂p∂q − (∂a/∂q)ᵀ ∂²t/∂p∂a
    /// ∂²L/∂p∂v = −∂²t/∂p∂v − (∂a/∂v)ᵀ ∂²t/∂p∂a ,    ∂²L/∂p∂τ = −(∂a/∂τ)ᵀ ∂²t/∂p∂a
    /// ∂²L/∂p_i∂p_j = −∂²t/∂p_i∂p_j − ∂²t/∂p_i∂a · ∂a/∂p_j − ∂²t/∂p_j∂a · ∂a/∂p_i ,    ∂a/∂p = −∂a/∂τ ∂id/∂p
    /// ```
    pub(crate) fn of_accelerations(
        &mut self,
        numbers: &RobotNumbers,
        values: &[f64],
        [q, v]: [&[f64]; 2],
        by: &Response<'_>,
        mut to: impl FnMut(usize, usize, usize, f64),
    ) -> Result<(), InputError> {
        let (nv, np) = (v.len(), values.len());
        self.of_torques(numbers, values, [q, v, by.a])?;
        for (k, tau) in self.torques.column_iter().enumerate() {
            self.accelerations.column_mut(k).gemv(-1.0, by.a_tau, &tau, 0.0);
            for (i, column) in by.mu_q.column_iter().enumerate() {
                to(k, 0, i, -column.dot(&tau));
            }
        }
        for (j, lambda) in self.lambda.iter_mut().enumerate() {
            let mu = |m: &DMatrix<f64>, g: &[f64]| m.column(j).iter().zip(g).map(|(m, g)| m * g).sum::<f64>();
            let [by_a, by_f] = by.weights;
            *lambda = Dual64::from(mu(by.a_tau, by_a) + by.f_tau.map_or(0.0, |m| mu(m, by_f)));
        }
        for j in 0..np {
            self.vary(numbers, values, j, [q, v, by.a])?;
            let Self { model, workspace, state: [q, v, a], lambda, twice, joints, accelerations, .. } = self;
            let t = rnea_parameter_gradient(model, workspace, q, v, a, lambda, &[])?;
            for (block, entries) in [t.state.dq, t.state.dv].into_iter().enumerate() {
                entries.iter().enumerate().for_each(|(i, x)| to(j, block, i, -x.eps));
            }
            for (l, x) in t.state.da.iter().enumerate() {
                let x = x.eps;
                for (block, m) in [by.a_q, by.a_v, by.a_tau].into_iter().enumerate() {
                    (0..nv).for_each(|i| to(j, block, i, -x * m[(l, i)]));
                }
                for i in 0..np {
                    // Both of a pair; along the diagonal twice.
                    let x = -x * accelerations[(l, i)];
                    to(j, 3, i, x);
                    to(i, 3, j, x);
                }
            }
            // ∂/∂p_j (G_π ∂π/∂p_i) = ∂G_π/∂p_j ∂π/∂p_i + G_π ∂²π/∂p_i∂p_j, with G = ∂t/∂π by standard parameters π.
            for (place, i) in joints.iter() {
                to(j, 3, *i, -t.dp[*place].eps);
            }
            for i in 0..np {
                twice.iter_mut().zip(values).for_each(|(to, x)| *to = HyperDual64::from(*x));
                twice[i].eps1 = 1.0;
                twice[j].eps2 = 1.0;
                let mut sum = 0.0;
                for (body, parameters) in numbers.inertias(twice) {
                    for (g, p) in t.dp[10 * body..][..10].iter().zip(parameters) {
                        sum += g.eps * p.eps1 + g.re * p.eps1eps2;
                    }
                }
                to(j, 3, i, -sum);
            }
        }
        Ok(())
    }
}

/// What a robot, under contacts or not, does at a state, and weights `gᵃ`, `gᶠ` of accelerations and multipliers.
pub(crate) struct Response<'a> {
    pub(crate) a: &'a [f64],
    pub(crate) a_q: &'a DMatrix<f64>,
    pub(crate) a_v: &'a DMatrix<f64>,
    pub(crate) a_tau: &'a DMatrix<f64>,
    /// None without contacts.
    pub(crate) f_tau: Option<&'a DMatrix<f64>>,
    /// `∂μ/∂q`, a column a direction of q.
    pub(crate) mu_q: &'a DMatrix<f64>,
    pub(crate) weights: [&'a [f64]; 2],
}
