//! Many states in one call: a trajectory, a sample, a roll-out.
//!
//! Eight states go through an algorithm at once (four with AVX2, where that is faster), one to a lane of the vector registers
//! ([`Lanes`]), and with the cargo feature `rayon` blocks of eight are spread over threads, as far as there is about 50 µs of work for each. Robots of
//! revolute and prismatic joints, on a fixed or a floating base, have forms of their own for inverse dynamics, its derivatives
//! and mass matrices (unless joints mimic others or are given by cosine and sine). Matrices of eight large robots do not fit
//! into the processor's caches: from 57 degrees of freedom on, from 13 without such forms, matrices are made for one
//! state after the other, eight joints at a time.
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
//! quaternions or (cos, sin) pairs have not length one (to within 1e-6, as for single states), or whose result is not finite, makes
//! its own results NaN and is reported; it touches no other. Wrenches from outside are for single
//! states. A second call with as many states allocates nothing on one thread.

mod block;
mod outcome;
mod quantity;

pub use outcome::Finite;

use crate::model::{InputError, Model};
use block::Work;
use gradyn_derivatives::Level;
use gradyn_derivatives::simd::WIDTH;
use quantity::{Aba, Crba, Gradient, Quantity, Rnea, RneaDerivatives};
use std::any::Any;
use std::fmt;
use std::marker::PhantomData;

#[cfg(doc)]
use gradyn_derivatives::Lanes;

/// Memory of one thread, for whole registers and for halves; its type depends on the level.
type Slot = [Option<Box<dyn Any + Send + Sync>>; 2];

/// Evaluates many states of one model at once. See the [module](self) for the layout of arrays.
#[doc(alias("rneaInParallel", "ModelPool", "parallel"))]
pub struct Batch {
    /// One a thread.
    slots: Vec<Slot>,
    /// A bit a state: is it bad?
    masks: Vec<u8>,
    structure: u64,
    /// nv, and the number of bodies.
    sizes: [usize; 2],
}

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("threads", &self.slots.len()).finish_non_exhaustive()
    }
}

/// Where [`Batch::rnea_derivatives`] writes to, for N states.
#[derive(Debug)]
pub struct BatchDerivatives<'a> {
    /// `τ`, N × nv.
    pub tau: &'a mut [f64],
    /// `∂τ/∂q`, N × nv × nv.
    pub dtau_dq: &'a mut [f64],
    /// `∂τ/∂v`, N × nv × nv.
    pub dtau_dv: &'a mut [f64],
    /// `∂τ/∂a`, the mass matrices, N × nv × nv.
    pub dtau_da: &'a mut [f64],
}

/// Where [`Batch::rnea_gradient`] writes to, for N states.
#[derive(Debug)]
pub struct BatchGradient<'a> {
    /// `λᵀ τ`, N.
    pub value: &'a mut [f64],
    /// By `q`, N × nv.
    pub dq: &'a mut [f64],
    /// By `v`, N × nv.
    pub dv: &'a mut [f64],
    /// By `a`, N × nv.
    pub da: &'a mut [f64],
}

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
            slots: (0..threads).map(|_| [None, None]).collect(),
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
        self.run::<Rnea, _, _>(model, [("q", q), ("v", v), ("a", a)], [("tau", tau)])
    }

    /// The mass matrices, [`crba`](crate::dynamics::crba): N × nv × nv, of `q`, N × nq.
    ///
    /// # Errors
    /// As [`rnea`](Self::rnea).
    pub fn crba(&mut self, model: &Model, q: &[f64], mass_matrix: &mut [f64]) -> Result<Finite<'_>, InputError> {
        self.run::<Crba, _, _>(model, [("q", q)], [("mass_matrix", mass_matrix)])
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
        self.run::<Aba, _, _>(model, [("q", q), ("v", v), ("tau", tau)], [("ddq", ddq)])
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
        let output = [("tau", tau), ("dtau_dq", dtau_dq), ("dtau_dv", dtau_dv), ("dtau_da", dtau_da)];
        self.run::<RneaDerivatives, _, _>(model, [("q", q), ("v", v), ("a", a)], output)
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
        self.run::<Gradient, _, _>(model, input, [("value", value), ("dq", dq), ("dv", dv), ("da", da)])
    }

    /// Checks lengths, and spreads blocks over threads.
    fn run<Q: Quantity, const I: usize, const O: usize>(
        &mut self,
        model: &Model,
        input: [(&'static str, &[f64]); I],
        output: [(&'static str, &mut [f64]); O],
    ) -> Result<Finite<'_>, InputError> {
        self.check(model)?;
        let [nq, nv] = [model.nq, model.nv];
        let count = input.first().map_or(0, |(_, q)| q.len() / nq.max(1));
        let mut from: [&[f64]; 4] = [&[]; 4];
        for (k, (what, x)) in input.into_iter().enumerate() {
            let (size, n) = if k == 0 { ("N nq", nq) } else { ("N nv", nv) };
            model.check_length(what, size, x.len(), count * n)?;
            from[k] = x;
        }
        let mut to: [&mut [f64]; 4] = [&mut [], &mut [], &mut [], &mut []];
        for ((to, n), (what, x)) in to.iter_mut().zip(Q::sizes(model)).zip(output) {
            let size = if n == 1 {
                "N"
            } else if n == nv {
                "N nv"
            } else {
                "N nv nv"
            };
            model.check_length(what, size, x.len(), count * n)?;
            *to = x;
        }
        self.masks.clear();
        self.masks.resize(count.div_ceil(WIDTH), 0);
        let work = Work { model, input: from, output: to, count, masks: &mut self.masks, quantity: PhantomData::<Q> };
        work.spread(Level::active(), &mut self.slots);
        Ok(Finite { masks: &self.masks, count })
    }

    fn check(&self, model: &Model) -> Result<(), InputError> {
        if self.structure == model.structure {
            return Ok(());
        }
        let [found_nv, found] = self.sizes;
        Err(InputError::Workspace { expected: model.bodies.len(), found, expected_nv: model.nv, found_nv })
    }
}
