//! The schemes of integration, each once, over any number type.
//!
//! With h the length of the step, constant controls, and `a(q, v)` the acceleration:
//!
//! ```text
//! euler                q⁺ = q ⊕ h v ,    v⁺ = v + h a(q, v)
//! semi-implicit-euler  v⁺ = v + h a(q, v) ,    q⁺ = q ⊕ h v⁺
//! rk4                  θ_i = c_i h k_{i−1} ,  v_i = v + c_i h l_{i−1} ,  l_i = a(q ⊕ θ_i, v_i) ,  k_i = J_r⁻¹(θ_i) v_i
//!                      q⁺ = q ⊕ h Σ b_i k_i ,    v⁺ = v + h Σ b_i l_i                    c = 0, ½, ½, 1   b = ⅙, ⅓, ⅓, ⅙
//! implicit-midpoint    w = v + (h/2) a(q ⊕ (h/2) w, w) ,    q⁺ = q ⊕ h w ,    v⁺ = 2 w − v
//! ```
//!
//! [`Euler`], [`SemiImplicitEuler`], [`Rk4`] and [`ImplicitMidpoint`] are the kernels of these pages: `f64`, with
//! derivatives by hand. The test `steps_page` holds their values, A, B, `∂/∂h` and second derivatives against dual
//! numbers through [`Scheme::advance`]. Sources are cited at the kernels.

use super::{Acceleration, Algebra, Euler, ImplicitMidpoint, Rk4, SemiImplicitEuler, Step};
use crate::fault::Reason;
use gradyn::{Model, Real, Scalar};
use std::fmt;

/// A scheme of integration. Controls are constant over a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// `v⁺ = v + h a(q, v)`, `q⁺ = q ⊕ h v⁺`: first order, energies stay bounded in practice.
    #[default]
    SemiImplicitEuler,
    /// `q⁺ = q ⊕ h v`, `v⁺ = v + h a(q, v)`: first order, energies grow.
    Euler,
    /// The classical method of Runge and Kutta on the Lie group of configurations: order 4 for every kind of joint.
    Rk4,
    /// The implicit midpoint rule: order 2, symmetric in time.
    ImplicitMidpoint,
}

/// `(c_i, b_i)` of the stages of [`Scheme::Rk4`].
pub const STAGES: [(f64, f64); 4] = [(0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)];

/// Fixed-point iterations of the midpoint. Each multiplies errors, of derivatives too, by about `(h/2) |∂a/∂(q, v)|`: a
/// half to the power of 60 is below rounding.
const ITERATIONS: usize = 60;
/// Relative size of the last correction above which the iteration has not converged. Accelerations of ill-conditioned
/// mass matrices lose up to seven digits, so that corrections do not always reach 1e-16.
const CONVERGED: f64 = 1e-9;

impl Scheme {
    /// All schemes, the default first.
    pub const ALL: [Self; 4] = [Self::SemiImplicitEuler, Self::Euler, Self::Rk4, Self::ImplicitMidpoint];

    /// The name in task files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SemiImplicitEuler => "semi-implicit-euler",
            Self::Euler => "euler",
            Self::Rk4 => "rk4",
            Self::ImplicitMidpoint => "implicit-midpoint",
        }
    }

    /// The kernel of the scheme with these accelerations, over `f64` and with derivatives by hand.
    pub fn kernel<A: Acceleration + 'static>(self, model: &Model, acceleration: A) -> Box<dyn Step> {
        match self {
            Self::SemiImplicitEuler => Box::new(SemiImplicitEuler::new(model, acceleration)),
            Self::Euler => Box::new(Euler::new(model, acceleration)),
            Self::Rk4 => Box::new(Rk4::new(model, acceleration)),
            Self::ImplicitMidpoint => Box::new(ImplicitMidpoint::new(acceleration)),
        }
    }

    /// The state `(q⁺, v⁺)` after a step of length `h` from `(q, v)`, nq and nv numbers.
    ///
    /// `acceleration`: `a(q, v)`, nv numbers. `algebra`: of the same robot. Cost: one acceleration; four of
    /// [`Rk4`](Self::Rk4), 60 of [`ImplicitMidpoint`](Self::ImplicitMidpoint), whose kernel is the fast form.
    ///
    /// # Errors
    /// As the acceleration; [`Reason::Input`] for wrong lengths; [`Reason::MidpointNotFound`] if the fixed-point
    /// iteration of the midpoint does not converge.
    pub fn advance<P: Real, T: Scalar + Scalar<P>, E: From<Reason>>(
        self,
        (model, algebra): (&Model<P>, &Algebra),
        h: T,
        (q, v): (&[T], &[T]),
        mut acceleration: impl FnMut(&[T], &[T]) -> Result<Vec<T>, E>,
    ) -> Result<(Vec<T>, Vec<T>), E> {
        let times = |x: &[T], s: T| x.iter().map(|x| *x * s).collect::<Vec<T>>();
        let sum = |x: &[T], y: &[T]| x.iter().zip(y).map(|(x, y)| *x + *y).collect::<Vec<T>>();
        let integrate = |theta: &[T]| -> Result<Vec<T>, E> {
            let mut next = q.to_vec();
            model.integrate_into(q, theta, &mut next).map_err(Reason::from)?;
            Ok(next)
        };
        match self {
            Self::SemiImplicitEuler => {
                let v = sum(v, &times(&acceleration(q, v)?, h));
                Ok((integrate(&times(&v, h))?, v))
            }
            Self::Euler => {
                let a = acceleration(q, v)?;
                Ok((integrate(&times(v, h))?, sum(v, &times(&a, h))))
            }
            Self::Rk4 => {
                let zero = vec![T::from(0.0); v.len()];
                let (mut k, mut l, mut sum_k, mut sum_l) = (zero.clone(), zero.clone(), zero.clone(), zero);
                for (c, b) in STAGES {
                    let (ch, bh) = (h * c, h * b);
                    let (theta, v_i) = (times(&k, ch), sum(v, &times(&l, ch)));
                    l = acceleration(&integrate(&theta)?, &v_i)?;
                    k = algebra.rate(&theta, &v_i);
                    sum_k = sum(&sum_k, &times(&k, bh));
                    sum_l = sum(&sum_l, &times(&l, bh));
                }
                Ok((integrate(&sum_k)?, sum(v, &sum_l)))
            }
            Self::ImplicitMidpoint => {
                let (half, mut w, mut before) = (h * 0.5, v.to_vec(), v.to_vec());
                for _ in 0..ITERATIONS {
                    let a = acceleration(&integrate(&times(&w, half))?, &w)?;
                    before = std::mem::replace(&mut w, sum(v, &times(&a, half)));
                }
                let close = |(w, before): (&T, &T)| (*w - *before).abs() - w.abs() * CONVERGED;
                if !w.iter().zip(&before).all(|pair| close(pair).is_below(CONVERGED) == Some(true)) {
                    return Err(Reason::MidpointNotFound { iterations: ITERATIONS }.into());
                }
                Ok((integrate(&times(&w, h))?, w.iter().zip(v).map(|(w, v)| *w * 2.0 - *v).collect()))
            }
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
