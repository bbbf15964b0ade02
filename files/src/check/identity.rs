//! What must hold of the results whatever the method: cheap, and blind to how derivatives are computed.

pub use super::identity_claim::Claim;
use super::methods::Conditions;
use crate::robot::Robot;
use crate::states::State;
use gradyn::check::Scale;
use gradyn::dynamics::{
    ReferenceFrame, Workspace, aba, aba_gradient, bias, center_of_mass, centroidal, com_jacobian, coriolis_matrix,
    forward_kinematics, frame_jacobian, frame_jacobian_rate, generalized_gravity, rnea, rnea_gradient, static_torque,
    torque_regressor,
};
use gradyn::model::urdf::NoteKind;
use gradyn::model::{InputError, Model};
use gradyn::partials::{
    AbaDerivatives, DerivativeWorkspace, Method, RneaDerivatives, aba_derivatives, mass_product_derivatives,
    rnea_derivatives,
};
use nalgebra::{DMatrix, DVector, Vector3};
use serde::Serialize;

/// Deviations allowed, relative to the largest number: some thousand roundings.
const RELATIVE: f64 = 1e-12;

/// What accelerations may be off by: so much for each unit of the mass matrix's condition.
const FEW: f64 = 1e-14;

/// A claim, and where it was nearest to failing.
#[derive(Debug)]
pub struct Identity {
    /// What must hold.
    pub claim: Claim,
    /// Where it holds worst.
    pub worst: Option<Worst>,
}

/// How near a claim was to failing.
#[derive(Clone, Copy, Debug)]
pub struct Worst {
    /// The state's number.
    pub state: u64,
    /// Of the largest number.
    pub relative: f64,
    /// How far it may be off.
    pub allowed: f64,
}

impl Worst {
    fn holds(&self) -> bool {
        self.relative <= self.allowed
    }
}

/// The claims that hold for this robot: with inertias that no body has, energy may be negative.
pub fn all(robot: &Robot) -> Vec<Identity> {
    let unphysical = |kind: &NoteKind| matches!(kind, NoteKind::UnphysicalInertia { .. });
    let positive = !robot.report.warnings().any(|note| unphysical(&note.kind));
    let claims = Claim::ALL.into_iter().filter(|claim| positive || *claim != Claim::Positive);
    claims.map(|claim| Identity { claim, worst: None }).collect()
}

/// What claims are about at a state, computed once.
pub struct Facts<'a> {
    /// Without damping and friction.
    model: Model,
    friction: &'a Model,
    state: &'a State,
    conditions: Conditions,
    torques: RneaDerivatives,
    /// Where there are some.
    accelerations: Option<AbaDerivatives>,
    scale: Scale,
    tau: Vec<f64>,
    lambda: Vec<f64>,
}

/// How far two sides of a claim are apart, and what that is measured by.
#[derive(Clone, Copy)]
struct Sides {
    apart: f64,
    /// The largest number in them.
    size: f64,
    /// The size of what they are sums of, of which a few roundings are left where it cancels.
    cancels: f64,
}

impl Sides {
    /// The deviation relative to a size that takes [`RELATIVE`] of what cancels to be allowed.
    fn relative(&self, allowed: f64) -> f64 {
        relative(self.apart, self.size.max(self.cancels * (RELATIVE / allowed)))
    }
}

impl<'a> Facts<'a> {
    /// Everything that identities are about, at a state.
    pub fn new(robot: &'a Robot, state: &'a State, conditions: Conditions) -> Result<Self, InputError> {
        let (friction, wrenches) = (&robot.model, state.wrenches());
        let State { q, v, a, .. } = state;
        let zeros = || vec![0.0; friction.nv()];
        let (tau, lambda) = (state.tau.clone().unwrap_or_else(zeros), state.lambda.clone().unwrap_or_else(zeros));
        let mut ws = DerivativeWorkspace::new(friction);
        let torques = rnea_derivatives(friction, &mut ws, Method::Dual, q, v, a, &wrenches)?.clone();
        let mut accelerations = None;
        if !conditions.hide_accelerations() {
            let by = aba_derivatives(friction, &mut ws, Method::Analytical, q, v, &tau, &wrenches)?;
            accelerations = Some(by.clone());
        }
        let model = friction.clone().with_joint_friction(false);
        let scale = Scale::new(&model, q, v, &wrenches)?;
        Ok(Self { model, friction, state, conditions, torques, accelerations, scale, tau, lambda })
    }

    /// The sides of a claim; `None` where it says nothing. Of several pairs of sides those that are furthest apart, by
    /// what is `allowed`.
    fn sides(&self, claim: Claim, allowed: f64) -> Result<Option<Sides>, InputError> {
        let (model, ws, scale) = (&self.model, &mut Workspace::new(&self.model), &self.scale);
        let State { q, v, a, .. } = self.state;
        let (mass, wrenches) = (&self.torques.dtau_da, self.state.wrenches());
        let column = |x: &[f64]| DVector::from_column_slice(x);
        let torque = scale.torque(a);
        let ((apart, size), cancels) = match claim {
            Claim::Symmetric => (apart(mass, &mass.transpose()), 0.0),
            Claim::Positive => ((if is_positive(mass) { 0.0 } else { f64::INFINITY }, 1.0), 0.0),
            Claim::Linear => {
                let rest = column(bias(self.friction, ws, q, v, &wrenches)?);
                (sum(&self.torques.tau, &[rest, mass * column(a)]), torque)
            }
            Claim::Skew => {
                let (rate, x) = (self.mass_rate(a)?, column(a));
                let coriolis = coriolis_matrix(model, ws, q, v)? * &x * 2.0;
                let off = x.dot(&(&rate - &coriolis)).abs();
                let size = x.norm() * rate.norm().max(coriolis.norm());
                ((off, size), x.norm_squared() * scale.velocity * scale.mass)
            }
            Claim::Power => {
                let tau = column(rnea(model, ws, q, v, a, &[])?);
                let gravity = column(static_torque(model, ws, q, &[])?);
                let (v, rate) = (column(v), self.mass_rate(v)?);
                let sides = [v.dot(&tau), v.dot(&(mass * column(a))), 0.5 * v.dot(&rate), v.dot(&gravity)];
                let size = v.norm() * tau.norm().max(gravity.norm()).max(rate.norm());
                (((sides[0] - sides[1] - sides[2] - sides[3]).abs(), size), v.norm() * torque)
            }
            Claim::Weight => {
                let still = vec![0.0; v.len()];
                let weight: Vector3<f64> = model.gravity() * center_of_mass(model, ws, q, &still, &still)?.whole.mass;
                let by_com = com_jacobian(model, ws, q, None)?.tr_mul(&weight) * -1.0;
                let gravity = column(generalized_gravity(model, ws, q)?);
                let off = difference(by_com.as_slice(), gravity.as_slice());
                ((off, gravity.amax().max(weight.amax())), torque)
            }
            Claim::MomentumRate => {
                let whole = centroidal(model, ws, q, v, a)?;
                let rate = column(&whole.momentum_rate.to_array());
                (sum(&rate, &[whole.matrix * column(a), whole.matrix_rate * column(v)]), torque)
            }
            Claim::Regressor => {
                let mut tau = torque_regressor(model, ws, q, v, a)? * column(&model.inertial_parameters());
                for dof in model.joint_dynamics() {
                    tau[dof.index] += dof.multiplier * dof.multiplier * dof.armature * a[dof.index];
                }
                for spring in model.springs() {
                    tau[spring.index] += spring.torque(q[spring.coordinate]);
                }
                for spring in model.pose_springs() {
                    let Some(at) = spring.at(q) else { continue };
                    let torque = at.torque().to_array();
                    let numbers = torque.iter().skip(6 - spring.dofs().len());
                    spring.dofs().zip(numbers).for_each(|(dof, number)| tau[dof] += number);
                }
                (apart_slices(tau.as_slice(), rnea(model, ws, q, v, a, &[])?), torque)
            }
            Claim::FrameRate => {
                let (mut largest, mut furthest) = (0.0_f64, 0.0_f64);
                let world = ReferenceFrame::World;
                for index in 0..model.bodies().len() {
                    let Some(body) = model.body_id(index) else { continue };
                    let jacobian = frame_jacobian(model, ws, q, body, world)?.clone();
                    let by_jacobian =
                        jacobian * column(a) + frame_jacobian_rate(model, ws, q, v, body, world)? * column(v);
                    let kinematics = forward_kinematics(model, ws, q, v, a)?;
                    let Some(acceleration) = kinematics.acceleration_in(body, world) else { continue };
                    let (off, size) = apart_slices(&acceleration.to_array(), by_jacobian.as_slice());
                    (furthest, largest) = (furthest.max(off), largest.max(size));
                }
                ((furthest, largest), scale.motion(a))
            }
            Claim::RneaGradient => {
                let by = rnea_gradient(self.friction, ws, q, v, a, &self.lambda, &wrenches)?;
                let (lambda, of) = (column(&self.lambda), &self.torques);
                let sides = [
                    (by.dq, &of.dtau_dq, torque),
                    (by.dv, &of.dtau_dv, scale.mass * scale.velocity),
                    (by.da, &of.dtau_da, scale.mass),
                ];
                return Ok(Some(furthest(sides, &lambda, allowed)));
            }
            Claim::RoundTrip => {
                let ddq = aba(self.friction, ws, q, v, &self.tau, &wrenches)?.to_vec();
                let (off, size) = apart_slices(&self.tau, rnea(self.friction, ws, q, v, &ddq, &wrenches)?);
                ((off, size.max(mass.amax() * column(&ddq).amax())), scale.torque(&ddq))
            }
            Claim::Inverse => {
                let Some(by) = &self.accelerations else { return Ok(None) };
                (apart(&(mass * &by.ddq_dtau), &DMatrix::identity(mass.nrows(), mass.nrows())), 0.0)
            }
            Claim::AbaGradient => {
                let Some(of) = &self.accelerations else { return Ok(None) };
                let by = aba_gradient(self.friction, ws, q, v, &self.tau, &self.lambda, &wrenches)?;
                let lambda = column(&self.lambda);
                // Solutions have roundings of what is solved for.
                let inverse = of.ddq_dtau.amax();
                let friction = self.torques.dtau_dv.amax();
                let sides = [
                    (by.dq, &of.ddq_dq, inverse * scale.torque(of.ddq.as_slice())),
                    (by.dv, &of.ddq_dv, inverse * friction.max(scale.mass * scale.velocity)),
                    (by.dtau, &of.ddq_dtau, inverse),
                ];
                return Ok(Some(furthest(sides, &lambda, allowed)));
            }
        };
        Ok(Some(Sides { apart, size, cancels }))
    }

    /// `Ṁ x` along the velocity.
    fn mass_rate(&self, x: &[f64]) -> Result<DVector<f64>, InputError> {
        let mut ws = DerivativeWorkspace::new(&self.model);
        let by = mass_product_derivatives(&self.model, &mut ws, Method::Analytical, &self.state.q, x)?;
        Ok(by.dproduct_dq * DVector::from_column_slice(&self.state.v))
    }
}

impl Identity {
    /// Looks at one more state, and whether the claim holds there.
    pub fn look(&mut self, facts: &Facts<'_>, index: u64) -> Result<bool, InputError> {
        let about_masses = matches!(self.claim, Claim::Weight | Claim::MomentumRate);
        if self.claim.needs_accelerations() && facts.accelerations.is_none()
            || about_masses && !facts.conditions.has_mass
        {
            return Ok(true);
        }
        let allowed = match self.claim.needs_accelerations() {
            true => RELATIVE.max(FEW * facts.conditions.mass),
            false => RELATIVE,
        };
        let Some(sides) = facts.sides(self.claim, allowed)? else { return Ok(true) };
        let worst = Worst { state: index, relative: sides.relative(allowed), allowed };
        let near = |worst: &Worst| worst.relative / worst.allowed;
        if self.worst.as_ref().is_none_or(|before| near(&worst) > near(before)) {
            self.worst = Some(worst);
        }
        Ok(worst.holds())
    }

    /// Whether it holds at all states.
    pub fn holds(&self) -> bool {
        self.worst.is_none_or(|worst| worst.holds())
    }

    /// For programs.
    pub fn answer(&self) -> Answer {
        Answer {
            identity: self.claim.name(),
            holds: self.holds(),
            state: self.worst.map(|worst| worst.state),
            relative: self.worst.map(|worst| worst.relative),
            tolerance: self.worst.map_or(RELATIVE, |worst| worst.allowed),
        }
    }
}

fn difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
}

/// The largest difference, and the largest entry.
fn apart_slices(a: &[f64], b: &[f64]) -> (f64, f64) {
    (difference(a, b), a.iter().chain(b).fold(0.0, |most: f64, x| most.max(x.abs())))
}

fn apart(a: &DMatrix<f64>, b: &DMatrix<f64>) -> (f64, f64) {
    apart_slices(a.as_slice(), b.as_slice())
}

/// A whole and its parts.
fn sum(whole: &DVector<f64>, parts: &[DVector<f64>; 2]) -> (f64, f64) {
    let (off, _) = apart_slices(whole.as_slice(), (&parts[0] + &parts[1]).as_slice());
    (off, whole.amax().max(parts[0].amax()).max(parts[1].amax()))
}

/// Of three gradients that which is furthest from its combined matrix, each by its own size and that of what cancels in
/// it.
fn furthest(gradients: [(&[f64], &DMatrix<f64>, f64); 3], lambda: &DVector<f64>, allowed: f64) -> Sides {
    let [a, b, c] = gradients.map(|(gradient, matrix, cancels)| {
        let (apart, _) = apart_slices(gradient, matrix.tr_mul(lambda).as_slice());
        Sides { apart, size: lambda.amax() * matrix.amax(), cancels: lambda.amax() * cancels }
    });
    let further = |a: Sides, b: Sides| if b.relative(allowed) > a.relative(allowed) { b } else { a };
    further(further(a, b), c)
}

/// Whether the matrix, with its diagonal scaled to one, has a Cholesky factor up to rounding.
fn is_positive(m: &DMatrix<f64>) -> bool {
    let scale = |i: usize| if m[(i, i)] > 0.0 { m[(i, i)].sqrt() } else { 1.0 };
    let scaled = |i: usize, j: usize| m[(i, j)] / (scale(i) * scale(j)) + if i == j { RELATIVE } else { 0.0 };
    m.is_empty() || DMatrix::from_fn(m.nrows(), m.ncols(), scaled).cholesky().is_some()
}

/// A deviation relative to a size; zero of zero.
fn relative(deviation: f64, size: f64) -> f64 {
    if deviation == 0.0 { 0.0 } else { deviation / size }
}

/// For programs. An infinite deviation is null.
#[derive(Serialize)]
pub struct Answer {
    identity: &'static str,
    holds: bool,
    state: Option<u64>,
    relative: Option<f64>,
    tolerance: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positive_matrices_are_told_from_others() {
        let m = |a, b, c| DMatrix::from_row_slice(2, 2, &[a, b, b, c]);
        assert!(
            is_positive(&m(2.0, 1.0, 1.0)) && is_positive(&m(1e9, 1e-3, 1e-12)) && is_positive(&DMatrix::zeros(0, 0))
        );
        assert!(is_positive(&m(1.0, 1.0, 1.0)) && is_positive(&m(1.0, 0.0, 0.0))); // singular: a link without inertia
        assert!(!is_positive(&m(1.0, 2.0, 1.0)) && !is_positive(&m(1.0, 0.0, -1.0)));
    }
}
