//! Many states in one call: a trajectory, a sample, a roll-out.
//!
//! Eight states go through an algorithm at once (four with AVX2, where that is faster), one to a lane of the vector registers
//! ([`Lanes`]; one after the other at the plain level), and with the cargo feature `rayon` blocks of eight are spread over threads, as far as there is about 50 µs of work for each. Robots of
//! revolute and prismatic joints, on a fixed or a floating base, have forms of their own for inverse dynamics, its derivatives
//! and mass matrices (unless joints mimic others or are given by cosine and sine). Matrices of eight large robots do not fit
//! into the processor's caches: from 57 degrees of freedom on, from 13 without such forms, matrices are made for one
//! state after the other, eight joints at a time.
//!
//! | of each state | eight states at a time |
//! |---|---|
//! | [`rnea`](Batch::rnea), [`aba`](Batch::aba), [`rnea_gradient`](Batch::rnea_gradient) | yes |
//! | [`crba`](Batch::crba), [`rnea_derivatives`](Batch::rnea_derivatives) | yes, up to that size |
//! | [`frame_poses`](Batch::frame_poses), [`frame_jacobians`](Batch::frame_jacobians) | yes |
//! | [`aba_derivatives`](Batch::aba_derivatives) | no |
//! | [`constraint_dynamics`](Batch::constraint_dynamics), [`constraint_dynamics_derivatives`](Batch::constraint_dynamics_derivatives) | no |
//!
//! Where the answer is no, each thread takes one state after the other, eight joints at a time, as the calls for single states do: what
//! a batch saves there are the loop, and threads.
//!
//! ```
//! use gradyn::batch::Batch;
//! # use gradyn::{Model, UrdfOptions};
//! # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
//! # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
//! let (n, nq, nv) = (100, model.nq(), model.nv());
//! let (q, v, a) = (vec![0.1; n * nq], vec![0.2; n * nv], vec![0.0; n * nv]);
//! let mut tau = vec![0.0; n * nv];
//!
//! let mut batch = Batch::new(&model);
//! let finite = batch.rnea(&model, &q, &v, &a, &mut tau)?;
//! assert!(finite.all());
//! println!("torques of state 7: {:?}", &tau[7 * nv..8 * nv]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Layout
//!
//! States stand one after the other, as a trajectory that a solver holds does, and as an array of shape (N, n) in row-major
//! order: entry `i` of state `s` of a vector with `n` entries is `x[s * n + i]`. Matrices of nv × nv are column-major within
//! their state, as everywhere here: entry (i, j) is `m[(s * nv + j) * nv + i]`. The transposition into lanes and back is
//! done eight by eight in registers and costs little (an arrangement by component would spare it, and ask every caller
//! to do the same less well).
//!
//! # Results
//!
//! Results agree with those of single states to rounding. They do not depend on the
//! number of threads, nor on where in the array a state stands, to the last bit. A state that is not finite, whose
//! quaternions or (cos, sin) pairs are not of unit length (to within 1e-6, as for single states), or whose result is not finite, makes
//! its own results NaN and is reported; it touches no other. Wrenches from outside are for single
//! states. A second call with as many states allocates nothing on one thread.

mod arguments;
mod block;
mod frames;
mod lanes;
mod memory;
mod outcome;
mod outputs;
mod quantity;
mod singles;

pub use memory::Batch;
pub use outcome::Finite;
pub use outputs::{
    BatchAbaDerivatives, BatchConstraintDynamics, BatchConstraintDynamicsDerivatives, BatchDerivatives, BatchGradient,
};

use crate::dynamics::constraints::check as check_constraints;
use crate::dynamics::reference::Attached;
use crate::dynamics::{Constraint, FrameRef, ReferenceFrame};
use crate::model::{InputError, Model};
use arguments::square;
use frames::{Jacobians, Poses};
use memory::Slot;
use quantity::{Aba, Crba, Gradient, Rnea, RneaDerivatives};
use singles::{AbaDerivatives, ConstraintDynamics, ConstraintDynamicsDerivatives};

#[cfg(doc)]
use gradyn_derivatives::Lanes;

impl Batch {
    /// Memory for this model; as many threads as rayon has, one without the cargo feature `rayon`.
    #[must_use]
    pub fn new(model: &Model) -> Self {
        #[cfg(feature = "rayon")]
        let threads = rayon::current_num_threads();
        #[cfg(not(feature = "rayon"))]
        let threads = 1;
        Self::with_threads(model, threads)
    }

    /// As [`new`](Self::new), for so many threads at most. More than one needs the cargo feature `rayon`.
    #[must_use]
    pub fn with_threads(model: &Model, threads: usize) -> Self {
        let threads = if cfg!(feature = "rayon") { threads.max(1) } else { 1 };
        let sizes = [model.nv, model.bodies.len()];
        Self {
            slots: (0..threads).map(|_| Slot::default()).collect(),
            masks: Vec::new(),
            structure: model.structure,
            sizes,
        }
    }

    /// Inverse dynamics, [`rnea`](crate::dynamics::rnea): `tau`, N × nv, of `q`, N × nq, and `v`, `a`, N × nv.
    ///
    /// # Errors
    /// [`InputError`] if a length is wrong or the model is another one.
    pub fn rnea(
        &mut self,
        model: &Model,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        tau: &mut [f64],
    ) -> Result<Finite<'_>, InputError> {
        self.run(model, &Rnea, [("q", q), ("v", v), ("a", a)], [("tau", "N nv", tau)])
    }

    /// The mass matrices, [`crba`](crate::dynamics::crba): N × nv × nv, of `q`, N × nq.
    ///
    /// # Errors
    /// As [`rnea`](Self::rnea).
    pub fn crba(&mut self, model: &Model, q: &[f64], mass_matrix: &mut [f64]) -> Result<Finite<'_>, InputError> {
        self.run(model, &Crba, [("q", q)], [("mass_matrix", "N nv nv", mass_matrix)])
    }

    /// Forward dynamics, [`aba`](crate::dynamics::aba): `ddq`, N × nv, of `q`, N × nq, and `v`, `tau`, N × nv.
    ///
    /// # Errors
    /// As [`rnea`](Self::rnea).
    pub fn aba(
        &mut self,
        model: &Model,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        ddq: &mut [f64],
    ) -> Result<Finite<'_>, InputError> {
        self.run(model, &Aba, [("q", q), ("v", v), ("tau", tau)], [("ddq", "N nv", ddq)])
    }

    /// Derivatives of inverse dynamics in closed form, [`rnea_derivatives`](crate::dynamics::rnea_derivatives), with the
    /// torques.
    ///
    /// # Errors
    /// As [`rnea`](Self::rnea).
    pub fn rnea_derivatives(
        &mut self,
        model: &Model,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        to: BatchDerivatives<'_>,
    ) -> Result<Finite<'_>, InputError> {
        let BatchDerivatives { tau, dtau_dq, dtau_dv, dtau_da } = to;
        let tau = ("tau", "N nv", tau);
        let [by_q, by_v, by_a] = [("dtau_dq", dtau_dq), ("dtau_dv", dtau_dv), ("dtau_da", dtau_da)].map(square);
        self.run(model, &RneaDerivatives, [("q", q), ("v", v), ("a", a)], [tau, by_q, by_v, by_a])
    }

    /// The gradient of `λᵀ τ`, [`rnea_gradient`](crate::dynamics::rnea_gradient), with its value; `lambda` is N × nv.
    ///
    /// # Errors
    /// As [`rnea`](Self::rnea).
    pub fn rnea_gradient(
        &mut self,
        model: &Model,
        q: &[f64],
        v: &[f64],
        a: &[f64],
        lambda: &[f64],
        to: BatchGradient<'_>,
    ) -> Result<Finite<'_>, InputError> {
        let BatchGradient { value, dq, dv, da } = to;
        let input = [("q", q), ("v", v), ("a", a), ("lambda", lambda)];
        let output = [("value", "N", value), ("dq", "N nv", dq), ("dv", "N nv", dv), ("da", "N nv", da)];
        self.run(model, &Gradient, input, output)
    }

    /// Accelerations by torques and their derivatives in closed form,
    /// [`aba_derivatives`](crate::partials::aba_derivatives) by
    /// [`Method::Analytical`](crate::partials::Method::Analytical), of `q`, N × nq, and `v`, `tau`, N × nv. The same bits as there.
    ///
    /// # Errors
    /// As [`rnea`](Self::rnea).
    pub fn aba_derivatives(
        &mut self,
        model: &Model,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        to: BatchAbaDerivatives<'_>,
    ) -> Result<Finite<'_>, InputError> {
        let BatchAbaDerivatives { ddq, ddq_dq, ddq_dv, ddq_dtau } = to;
        let ddq = ("ddq", "N nv", ddq);
        let [by_q, by_v, by_tau] = [("ddq_dq", ddq_dq), ("ddq_dv", ddq_dv), ("ddq_dtau", ddq_dtau)].map(square);
        let input = [("q", q), ("v", v), ("tau", tau)];
        self.run_one_by_one(model, &AbaDerivatives, input, [ddq, by_q, by_v, by_tau])
    }

    /// Accelerations under the same constraints in every state, and the forces that hold these,
    /// [`constraint_dynamics`](crate::dynamics::constraint_dynamics), of `q`, N × nq, and `v`, `tau`, N × nv. The same bits as there.
    ///
    /// ```
    /// use gradyn::batch::{Batch, BatchConstraintDynamics};
    /// use gradyn::dynamics::Constraint;
    /// # use gradyn::{Model, UrdfOptions};
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
    /// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    /// let hand = model.find_body("panda_link7").expect("is there");
    /// let contacts = [Constraint::contact(hand, [0.0, 0.0, 0.1].into(), [0.5, 0.0, 0.2].into())];
    /// let (n, nq, nv) = (100, model.nq(), model.nv());
    /// let (q, v, tau) = (vec![0.1; n * nq], vec![0.2; n * nv], vec![0.0; n * nv]);
    /// let (mut ddq, mut lambda, mut residual) = (vec![0.0; n * nv], vec![0.0; n * 3], vec![0.0; n]);
    ///
    /// let mut batch = Batch::new(&model);
    /// let to = BatchConstraintDynamics { ddq: &mut ddq, lambda: &mut lambda, residual: &mut residual };
    /// assert!(batch.constraint_dynamics(&model, &q, &v, &tau, &contacts, to)?.all());
    /// println!("contact force of state 7: {:?}", &lambda[7 * 3..8 * 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`rnea`](Self::rnea), and if a constraint is not one of this model.
    pub fn constraint_dynamics(
        &mut self,
        model: &Model,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        constraints: &[Constraint],
        to: BatchConstraintDynamics<'_>,
    ) -> Result<Finite<'_>, InputError> {
        check_constraints(model, constraints)?;
        let BatchConstraintDynamics { ddq, lambda, residual } = to;
        let output = [("ddq", "N nv", ddq), ("lambda", "N rows", lambda), ("residual", "N", residual)];
        self.run_one_by_one(model, &ConstraintDynamics { constraints }, [("q", q), ("v", v), ("tau", tau)], output)
    }

    /// The same with the derivatives in closed form,
    /// [`constraint_dynamics_derivatives`](crate::partials::constraint_dynamics_derivatives) by
    /// [`Method::Analytical`](crate::partials::Method::Analytical). The same bits as there.
    ///
    /// # Errors
    /// As [`constraint_dynamics`](Self::constraint_dynamics).
    pub fn constraint_dynamics_derivatives(
        &mut self,
        model: &Model,
        q: &[f64],
        v: &[f64],
        tau: &[f64],
        constraints: &[Constraint],
        to: BatchConstraintDynamicsDerivatives<'_>,
    ) -> Result<Finite<'_>, InputError> {
        check_constraints(model, constraints)?;
        let output = [
            ("ddq", "N nv", to.ddq),
            ("lambda", "N rows", to.lambda),
            ("ddq_dq", "N nv nv", to.ddq_dq),
            ("ddq_dv", "N nv nv", to.ddq_dv),
            ("ddq_dtau", "N nv nv", to.ddq_dtau),
            ("dlambda_dq", "N rows nv", to.dlambda_dq),
            ("dlambda_dv", "N rows nv", to.dlambda_dv),
            ("dlambda_dtau", "N rows nv", to.dlambda_dtau),
        ];
        self.run_one_by_one(
            model,
            &ConstraintDynamicsDerivatives { constraints },
            [("q", q), ("v", v), ("tau", tau)],
            output,
        )
    }

    /// Poses of frames or bodies in the world, N × frames × 12, of `q`, N × nq: the three axes of the frame, each in axes of the
    /// world, then its origin, m. That is the rotation matrix column by column, and the translation, as
    /// [`Kinematics::pose`](crate::dynamics::Kinematics::pose) has them.
    ///
    /// ```
    /// use gradyn::batch::Batch;
    /// # use gradyn::{Model, UrdfOptions};
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/robots/panda.urdf");
    /// # let model = Model::from_urdf_file(file, &UrdfOptions::new())?.model;
    /// let hand = model.find_frame("panda_link8").expect("is there");
    /// let (n, nq) = (100, model.nq());
    /// let (q, mut poses) = (vec![0.1; n * nq], vec![0.0; n * 12]);
    /// assert!(Batch::new(&model).frame_poses(&model, &q, &[hand.into()], &mut poses)?.all());
    /// println!("the hand is at {:?} in state 7", &poses[7 * 12..][9..12]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`rnea`](Self::rnea), and if the model has no such frame.
    pub fn frame_poses(
        &mut self,
        model: &Model,
        q: &[f64],
        frames: &[FrameRef],
        poses: &mut [f64],
    ) -> Result<Finite<'_>, InputError> {
        frames.iter().try_for_each(|frame| Attached::of(model, *frame).map(drop))?;
        self.run(model, &Poses { frames }, [("q", q)], [("poses", "N frames 12", poses)])
    }

    /// Jacobians of frames or bodies in a reference, [`frame_jacobian`](crate::dynamics::frame_jacobian): N × frames × 6 × nv, each
    /// column-major, linear rows first, of `q`, N × nq. Entry (i, j) of frame `f` of `F` in state `s` is
    /// `x[((s * F + f) * nv + j) * 6 + i]`.
    ///
    /// # Errors
    /// As [`frame_poses`](Self::frame_poses).
    pub fn frame_jacobians(
        &mut self,
        model: &Model,
        q: &[f64],
        frames: &[FrameRef],
        reference: ReferenceFrame,
        jacobians: &mut [f64],
    ) -> Result<Finite<'_>, InputError> {
        frames.iter().try_for_each(|frame| Attached::of(model, *frame).map(drop))?;
        let output = [("jacobians", "N frames 6 nv", jacobians)];
        self.run(model, &Jacobians { frames, reference }, [("q", q)], output)
    }
}
