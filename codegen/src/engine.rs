//! Functions of the engine that can be recorded: one generic computation each, over any number.

use crate::function::{Failure, Port};
use gradyn::dynamics::{self, FrameRef, ReferenceFrame, Workspace};
use gradyn::{Model, Scalar};
use gradyn_trajectory::Reason;
use gradyn_trajectory::step::{Algebra, Scheme};

/// What a function computes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Quantity {
    /// Inverse dynamics: `τ(q, v, a)`.
    Rnea,
    /// Forward dynamics: `q̈(q, v, τ)`.
    Aba,
    /// The mass matrix, `M(q)`.
    Crba,
    /// Its inverse.
    Minv,
    /// Torques without acceleration: `τ(q, v, 0)`.
    Bias,
    /// Gravity's torques.
    Gravity,
    /// The pose of a frame: rotation, column by column, and translation.
    FramePose(FrameRef),
    /// Its Jacobian, linear part first, in axes of the world.
    FrameJacobian(FrameRef),
    /// Center of mass, and the Jacobian of it.
    CenterOfMass,
    /// Momentum about the center of mass, linear part first, `h(q, v)`.
    CentroidalMomentum,
    /// The matrix `A(q)` with `h = A v`.
    CentroidalMomentumMatrix,
    /// Kinetic and potential energy.
    Energy,
    /// The state after a step of this length: `q⁺, v⁺ (q, v, τ, h)`.
    Step(Scheme, Algebra),
    /// Forward dynamics with points that are held, the origins of frames: `q̈, f (q, v, τ)`.
    ContactDynamics(Vec<FrameRef>),
}

/// The names of functions, what they take and give, in words.
pub const QUANTITIES: [(&str, &str); 16] = [
    ("rnea", "q, v, a -> tau: inverse dynamics"),
    ("aba", "q, v, tau -> ddq: forward dynamics"),
    ("crba", "q -> m: mass matrix"),
    ("minv", "q -> minv: inverse of the mass matrix"),
    ("bias", "q, v -> tau: torques without acceleration"),
    ("gravity", "q -> tau: torques of gravity"),
    ("frame_pose", "q -> rotation, translation: pose of --frame in the world"),
    ("frame_jacobian", "q -> jacobian: of --frame, linear part first, in axes of the world"),
    ("center_of_mass", "q -> com, jacobian"),
    ("centroidal_momentum", "q, v -> momentum: about the center of mass, linear part first"),
    ("centroidal_momentum_matrix", "q -> matrix"),
    ("energy", "q, v -> kinetic, potential"),
    ("step", "q, v, tau, h -> q_next, v_next: semi-implicit Euler"),
    ("step_euler", "q, v, tau, h -> q_next, v_next: explicit Euler"),
    ("step_rk4", "q, v, tau, h -> q_next, v_next: Runge and Kutta's of order 4"),
    ("contact_dynamics", "q, v, tau -> ddq, force, rank_lost: origins of --contact frames are held"),
];

/// The frames that functions are about.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frames {
    /// Of `frame_pose` and `frame_jacobian`.
    pub frame: Option<FrameRef>,
    /// Whose origins `contact_dynamics` holds.
    pub contacts: Vec<FrameRef>,
}

/// Outputs of a function, over any number.
pub(crate) type Results<T> = Vec<(Port, Vec<T>)>;

impl Quantity {
    /// What a name needs and there is not.
    #[must_use]
    pub fn missing(name: &str, frames: &Frames) -> Option<&'static str> {
        match name {
            "frame_pose" | "frame_jacobian" if frames.frame.is_none() => Some("it needs a frame (`--frame`)"),
            "contact_dynamics" if frames.contacts.is_empty() => Some("it needs the frames that touch (`--contact`)"),
            _ => None,
        }
    }

    /// The quantity of a name.
    #[must_use]
    pub fn of(name: &str, model: &Model, frames: &Frames) -> Option<Self> {
        let step = |scheme| Self::Step(scheme, Algebra::new(model));
        Some(match name {
            "rnea" => Self::Rnea,
            "aba" => Self::Aba,
            "crba" => Self::Crba,
            "minv" => Self::Minv,
            "bias" => Self::Bias,
            "gravity" => Self::Gravity,
            "frame_pose" => Self::FramePose(frames.frame?),
            "frame_jacobian" => Self::FrameJacobian(frames.frame?),
            "center_of_mass" => Self::CenterOfMass,
            "centroidal_momentum" => Self::CentroidalMomentum,
            "centroidal_momentum_matrix" => Self::CentroidalMomentumMatrix,
            "energy" => Self::Energy,
            "step" => step(Scheme::SemiImplicitEuler),
            "step_euler" => step(Scheme::Euler),
            "step_rk4" => step(Scheme::Rk4),
            "contact_dynamics" if !frames.contacts.is_empty() => Self::ContactDynamics(frames.contacts.clone()),
            _ => return None,
        })
    }

    /// Its inputs for a robot with so many coordinates and degrees of freedom.
    #[must_use]
    pub fn inputs(&self, nq: usize, nv: usize) -> Vec<Port> {
        let (q, v) = (Port::vector("q", nq), Port::vector("v", nv));
        match self {
            Self::Rnea => vec![q, v, Port::vector("a", nv)],
            Self::Aba | Self::ContactDynamics(_) => vec![q, v, Port::vector("tau", nv)],
            Self::Step(..) => vec![q, v, Port::vector("tau", nv), Port::vector("h", 1)],
            Self::Bias | Self::CentroidalMomentum | Self::Energy => vec![q, v],
            _ => vec![q],
        }
    }

    /// The outputs, by the pages of the engine.
    ///
    /// # Errors
    /// What the engine says.
    pub(crate) fn compute<T: Scalar<T>>(&self, model: &Model<T>, x: &[Vec<T>]) -> Result<Results<T>, Failure> {
        let ws = &mut Workspace::<T>::new(model);
        let zero = vec![T::zero(); model.nv()];
        let q = x.first().map_or(&[][..], Vec::as_slice);
        let [v, u] = [1, 2].map(|k| x.get(k).map_or(&zero[..], Vec::as_slice));
        let vector = |name: &str, x: &[T]| (Port::vector(name, x.len()), x.to_vec());
        let matrix =
            |name: &str, m: &nalgebra::DMatrix<T>| (Port::new(name, m.nrows(), m.ncols()), m.as_slice().to_vec());
        Ok(match self {
            Self::Rnea => vec![vector("tau", dynamics::rnea(model, ws, q, v, u, &[])?)],
            Self::Aba => vec![vector("ddq", dynamics::aba(model, ws, q, v, u, &[])?)],
            Self::Crba => vec![matrix("m", dynamics::crba(model, ws, q)?)],
            Self::Minv => vec![matrix("minv", dynamics::minv(model, ws, q)?)],
            Self::Bias => vec![vector("tau", dynamics::bias(model, ws, q, v, &[])?)],
            Self::Gravity => vec![vector("tau", dynamics::generalized_gravity(model, ws, q)?)],
            Self::FramePose(frame) => {
                let pose = dynamics::frame_pose(model, ws, q, *frame)?;
                let rotation = (Port::new("rotation", 3, 3), pose.rotation.as_slice().to_vec());
                vec![rotation, vector("translation", pose.translation.as_slice())]
            }
            Self::FrameJacobian(frame) => {
                let aligned = ReferenceFrame::LocalWorldAligned;
                vec![matrix("jacobian", dynamics::frame_jacobian(model, ws, q, *frame, aligned)?)]
            }
            Self::CenterOfMass => {
                let com = dynamics::center_of_mass(model, ws, q, &zero, &zero)?.whole.position;
                let com = vector("com", com.as_slice());
                vec![com, matrix("jacobian", dynamics::com_jacobian(model, ws, q, None)?)]
            }
            Self::CentroidalMomentum => {
                let h = dynamics::centroidal_momentum(model, ws, q, v, &zero)?.momentum;
                let h: Vec<T> = h.linear.iter().chain(h.angular.iter()).copied().collect();
                vec![vector("momentum", &h)]
            }
            Self::CentroidalMomentumMatrix => {
                vec![matrix("matrix", dynamics::centroidal_momentum_matrix(model, ws, q)?)]
            }
            Self::Energy => {
                let kinetic = dynamics::kinetic_energy(model, ws, q, v)?;
                let potential = dynamics::potential_energy(model, ws, q)?;
                vec![vector("kinetic", &[kinetic]), vector("potential", &[potential])]
            }
            Self::Step(scheme, algebra) => {
                let h = x.get(3).and_then(|h| h.first()).copied().unwrap_or_else(T::zero);
                let acceleration =
                    |q: &[T], v: &[T]| Ok(dynamics::aba(model, ws, q, v, u, &[]).map_err(Reason::from)?.to_vec());
                let (q, v) = scheme.advance::<T, T, Reason>((model, algebra), h, (q, v), acceleration)?;
                vec![vector("q_next", &q), vector("v_next", &v)]
            }
            Self::ContactDynamics(frames) => crate::contact::compute(model, frames, (q, v, u))?,
        })
    }

    /// Whether the engine has formulas for its derivatives.
    #[must_use]
    pub fn has_formulas(&self) -> bool {
        matches!(self, Self::Rnea | Self::Aba)
    }

    /// Derivatives by formulas, where the engine has them: those of each output by q (along the tangent) and the rest, as
    /// [`derivatives`](crate::Request) orders them.
    ///
    /// # Errors
    /// What the engine says.
    pub(crate) fn derivatives<T: Scalar<T>>(
        &self,
        model: &Model<T>,
        x: &[Vec<T>],
    ) -> Option<Result<Results<T>, Failure>> {
        match self {
            Self::Rnea => Some(rnea_derivatives(model, x)),
            Self::Aba => Some(aba_derivatives(model, x)),
            _ => None,
        }
    }
}

fn rnea_derivatives<T: Scalar<T>>(model: &Model<T>, x: &[Vec<T>]) -> Result<Results<T>, Failure> {
    let (ws, nv) = (&mut Workspace::<T>::new(model), model.nv());
    let by = dynamics::rnea_derivatives(model, ws, &x[0], &x[1], &x[2], &[])?;
    let square = |name: &str, m: &[T]| (Port::new(name, nv, nv), m.to_vec());
    Ok(vec![
        (Port::vector("tau", nv), by.tau.to_vec()),
        square("dtau_dq", by.dtau_dq),
        square("dtau_dv", by.dtau_dv),
        square("dtau_da", by.dtau_da),
    ])
}

/// `∂q̈/∂(q, v) = −M⁻¹ ∂τ/∂(q, v)` at that q̈ (J. Carpentier and N. Mansard, *Analytical derivatives of rigid body dynamics
/// algorithms*, 2018).
fn aba_derivatives<T: Scalar<T>>(model: &Model<T>, x: &[Vec<T>]) -> Result<Results<T>, Failure> {
    let (ws, nv) = (&mut Workspace::<T>::new(model), model.nv());
    let ddq = dynamics::aba(model, ws, &x[0], &x[1], &x[2], &[])?.to_vec();
    let inverse = dynamics::minv(model, ws, &x[0])?.clone();
    let by = dynamics::rnea_derivatives(model, ws, &x[0], &x[1], &ddq, &[])?;
    let times = |by: &[T]| {
        let mut all = Vec::with_capacity(nv * nv);
        for j in 0..nv {
            for i in 0..nv {
                let terms = (0..nv).map(|k| inverse[(i, k)] * by[j * nv + k]);
                all.push(-terms.reduce(|sum, x| sum + x).unwrap_or_else(T::zero));
            }
        }
        all
    };
    let square = |name: &str, m: Vec<T>| (Port::new(name, nv, nv), m);
    let (by_q, by_v) = (times(by.dtau_dq), times(by.dtau_dv));
    Ok(vec![
        (Port::vector("ddq", nv), ddq),
        square("dddq_dq", by_q),
        square("dddq_dv", by_v),
        square("dddq_dtau", inverse.as_slice().to_vec()),
    ])
}
