//! Contacts by complementarity, and a car among obstacles: the five problems of A. Pavlov and others' *FilterDDP*,
//! drawn by our seeds.
//!
//! Forces, slacks and the next configuration are controls; `λ s = σ` with a price on `σ ≥ 0` in place of `λ s = 0`.
//! Constants, ranges of what is drawn and guesses are those of its experiments. Its last states have controls of their
//! own, which only cost; here they have none.

use super::Made;
use super::convex::slides;
use gradyn::Function;
use gradyn::Scalar;
use gradyn::derivatives::drivers::{DriverError, jacobian, weighted_hessian};
use gradyn_trajectory::node::{At, Memory, NodeError};
use gradyn_trajectory::quadratic::{Dims, Multipliers, Quadratic};
use gradyn_trajectory::residual::{Depends, FnResidual};
use gradyn_trajectory::{Cost, Node, Phase, Problem, Reason, Trajectory, guess};
use nalgebra::{DMatrix, DVector};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use std::f64::consts::PI;

/// Numbers of a state.
const NX: usize = 4;
const STEPS: usize = 100;

/// Steps of a problem: `(x, u)` to `(x⁺, c, ℓ)`.
#[derive(Clone, Debug)]
enum Steps {
    Car { obstacles: [[f64; 3]; 4], quadratic: bool },
    Acrobot { masses: [f64; 2], lengths: [f64; 2] },
    CartPole { masses: [f64; 2], length: f64, friction: [f64; 2] },
    Pushing { sides: [f64; 2], ratio: f64, friction: f64, obstacle: [f64; 3] },
}

impl Steps {
    fn nu(&self) -> usize {
        match self {
            Self::Car { .. } => 10,
            Self::Acrobot { .. } => 9,
            Self::CartPole { .. } => 21,
            Self::Pushing { .. } => 11,
        }
    }
    fn equalities(&self) -> usize {
        match self {
            Self::Car { .. } => 4,
            Self::Acrobot { .. } | Self::Pushing { .. } => 6,
            Self::CartPole { .. } => 14,
        }
    }
    fn dt(&self) -> f64 {
        if matches!(self, Self::Pushing { .. }) { 0.04 } else { 0.05 }
    }
}

/// `½ (a + b)` and `(b − a) / h` of two configurations.
fn midpoint<T: Scalar>(a: [T; 2], b: [T; 2], h: f64) -> [[T; 2]; 2] {
    [[(a[0] + b[0]) * 0.5, (a[1] + b[1]) * 0.5], [(b[0] - a[0]) / h, (b[1] - a[1]) / h]]
}

/// Momenta `M(q) v` and forces `C(q, v) v + g(q)` of an arm of two links or a cart with a pole.
trait Momenta {
    fn momenta<T: Scalar>(&self, q: [T; 2], v: [T; 2]) -> [T; 2];
    fn forces<T: Scalar>(&self, q: [T; 2], v: [T; 2]) -> [T; 2];

    /// The variational integrator by midpoints: zero where `(q⁻, q, q⁺)` is a motion under `pushes`.
    #[inline(always)]
    fn motion<T: Scalar>(&self, [before, q, after]: [[T; 2]; 3], h: f64, pushes: [T; 2]) -> [T; 2] {
        let ([qa, va], [qb, vb]) = (midpoint(before, q, h), midpoint(q, after, h));
        let (pa, pb) = (self.momenta(qa, va), self.momenta(qb, vb));
        let (fa, fb) = (self.forces(qa, va), self.forces(qb, vb));
        [0, 1].map(|i| pb[i] - pa[i] + ((fa[i] + fb[i]) * 0.5 - pushes[i]) * h)
    }
}

const GRAVITY: f64 = 9.81;

/// Links with their centers half way, and a third as moment of inertia.
struct Links([f64; 2], [f64; 2]);

impl Momenta for Links {
    #[inline(always)]
    fn momenta<T: Scalar>(&self, q: [T; 2], v: [T; 2]) -> [T; 2] {
        let (Self([_, m2], [l1, _]), inertia) = (self, 0.333);
        let bent = q[1].cos() * (m2 * l1 * 0.5);
        let coupled = bent + inertia;
        let a = bent * 2.0 + (2.0 * inertia + m2 * l1 * l1);
        [a * v[0] + coupled * v[1], coupled * v[0] + v[1] * inertia]
    }
    #[inline(always)]
    fn forces<T: Scalar>(&self, q: [T; 2], v: [T; 2]) -> [T; 2] {
        let Self([m1, m2], [l1, _]) = self;
        let bent = q[1].sin() * (m2 * l1 * 0.5);
        let (upper, both) = (q[0].sin(), (q[0] + q[1]).sin());
        let coriolis = [bent * v[1] * (v[0] * -2.0 - v[1]), bent * v[0] * v[0]];
        let weight =
            [upper * (GRAVITY * (m1 * 0.5 + m2 * l1)) + both * (GRAVITY * m2 * 0.5), both * (GRAVITY * m2 * 0.5)];
        [coriolis[0] + weight[0], coriolis[1] + weight[1]]
    }
}

/// A cart and a point mass at the end of its pole.
struct Cart([f64; 2], f64);

impl Momenta for Cart {
    #[inline(always)]
    fn momenta<T: Scalar>(&self, q: [T; 2], v: [T; 2]) -> [T; 2] {
        let Self([cart, pole], l) = self;
        let coupled = q[1].cos() * (pole * l);
        [v[0] * (cart + pole) + coupled * v[1], coupled * v[0] + v[1] * (pole * l * l)]
    }
    #[inline(always)]
    fn forces<T: Scalar>(&self, q: [T; 2], v: [T; 2]) -> [T; 2] {
        let Self([_, pole], l) = self;
        let sin = q[1].sin();
        [T::zero() - sin * v[1] * v[1] * (pole * l), sin * (pole * GRAVITY * l)]
    }
}

impl Function for Steps {
    fn inputs(&self) -> usize {
        NX + self.nu()
    }
    fn outputs(&self) -> usize {
        NX + self.equalities() + 1
    }
    #[inline(always)]
    fn eval<T: Scalar>(&self, z: &[T], out: &mut [T]) {
        let (x, u) = z.split_at(NX);
        let (next, rest) = out.split_at_mut(NX);
        let (c, cost) = rest.split_at_mut(rest.len() - 1);
        let (h, sum) = (self.dt(), |x: &[T]| x.iter().fold(T::zero(), |sum, x| sum + *x));
        let pair = |x: &[T]| [x[0], x[1]];
        match self {
            // u: force, turning rate, what obstacles give way (4), room left (4). Runge and Kutta's of second order.
            Self::Car { obstacles, quadratic } => {
                let (theta, v) = (x[2] + u[1] * (0.5 * h), x[3] + u[0] * (0.5 * h));
                let (sin, cos) = theta.sin_cos();
                next.copy_from_slice(&[x[0] + v * cos * h, x[1] + v * sin * h, x[2] + u[1] * h, x[3] + u[0] * h]);
                for (k, [a, b, r]) in obstacles.iter().enumerate() {
                    let (dx, dy) = (x[0] - *a, x[1] - *b);
                    c[k] = T::from((r + 0.02) * (r + 0.02)) - dx * dx - dy * dy - u[2 + k] + u[6 + k];
                }
                let given = &u[2..6];
                let price = match quadratic {
                    true => {
                        sum(&[given[0] * given[0], given[1] * given[1], given[2] * given[2], given[3] * given[3]]) * 1e3
                    }
                    false => sum(given) * 50.0,
                };
                cost[0] = (u[0] * u[0] * 5.0 + u[1] * u[1]) * h + price;
            }
            // x: q⁻, q. u: torque at the elbow, q⁺, forces of its stops (2), distances from them (2), σ (2).
            Self::Acrobot { masses, lengths } => {
                let (before, q, after) = (pair(x), pair(&x[2..]), pair(&u[1..]));
                let pushes = [T::zero(), u[0] + u[4] - u[3]];
                let v = midpoint(q, after, h)[1];
                let off = Links(*masses, *lengths).motion([before, q, after], h, pushes);
                next.copy_from_slice(&[q[0], q[1], after[0], after[1]]);
                for i in 0..2 {
                    c[i] = off[i] + v[i] * (0.5 * h);
                    let room = if i == 0 { T::from(0.5 * PI) - after[1] } else { after[1] + 0.5 * PI };
                    c[2 + i] = u[5 + i] - room;
                    c[4 + i] = u[3 + i] * u[5 + i] - u[7 + i];
                }
                cost[0] = u[0] * u[0] * (0.01 * h) + sum(&u[7..]) * 2.0;
            }
            // u: force, q⁺, friction forth and back of both joints (4), η (4), ψ (2), s (2), σ (6).
            Self::CartPole { masses, length, friction } => {
                let (before, q, after) = (pair(x), pair(&x[2..]), pair(&u[1..]));
                let (beta, eta, psi, s, sigma) = (&u[3..7], &u[7..11], &u[11..13], &u[13..15], &u[15..]);
                let pushes = [u[0] + beta[0] - beta[1], beta[2] - beta[3]];
                let v = midpoint(q, after, h)[1];
                let off = Cart(*masses, *length).motion([before, q, after], h, pushes);
                let most =
                    [friction[0] * (masses[0] + masses[1]) * GRAVITY, friction[1] * masses[1] * GRAVITY * length];
                next.copy_from_slice(&[q[0], q[1], after[0], after[1]]);
                for i in 0..2 {
                    c[i] = off[i];
                    c[2 + 2 * i] = v[i] + psi[i] - eta[2 * i];
                    c[3 + 2 * i] = psi[i] - v[i] - eta[2 * i + 1];
                    c[6 + i] = T::from(most[i]) - beta[2 * i] - beta[2 * i + 1] - s[i];
                    c[8 + i] = psi[i] * s[i] - sigma[i];
                }
                for i in 0..4 {
                    c[10 + i] = beta[i] * eta[i] - sigma[2 + i];
                }
                cost[0] = u[0] * u[0] * (0.01 * h) + sum(sigma);
            }
            // x: place, turn, angle of the pusher. u: push along, across, its rate forth and back, room in the cone
            // (2), σ (2), the angle, room beside the obstacle, what that gives way.
            Self::Pushing { sides: [width, height], ratio, friction, obstacle } => {
                let (tan, (sin, cos)) = (x[3].tan(), x[2].sin_cos());
                let turn = (u[0] * tan - u[1]) * (0.5 * width / (ratio * ratio));
                let rates = [cos * u[0] - sin * u[1], sin * u[0] + cos * u[1], turn, u[2] - u[3]];
                (0..NX).for_each(|i| next[i] = x[i] + rates[i] * h);
                let (dx, dy) = (x[0] - obstacle[0], x[1] - obstacle[1]);
                let apart = obstacle[2] + width.max(*height) + 0.01;
                c.copy_from_slice(&[
                    u[0] * *friction - u[1] - u[4],
                    u[0] * *friction + u[1] - u[5],
                    u[4] * u[2] - u[6],
                    u[5] * u[3] - u[7],
                    x[3] - u[8],
                    T::from(apart * apart) - dx * dx - dy * dy + u[9] - u[10],
                ]);
                cost[0] = (u[0] * u[0] + u[1] * u[1]) * 1e-2 + (u[6] + u[7] + u[10]) * 2.0;
            }
        }
    }
}

/// The node of all steps.
struct Smooth {
    steps: Steps,
    bounds: [Vec<f64>; 2],
}

fn off(error: DriverError) -> Reason {
    Reason::Other(error.to_string())
}

impl Smooth {
    /// Second derivatives of a weighted sum of outputs, into blocks by x and u.
    fn bend(&self, z: &[f64], weights: &[f64], into: [&mut DMatrix<f64>; 3]) -> Result<Vec<f64>, NodeError> {
        let found = weighted_hessian(&self.steps, z, weights).map_err(off)?;
        let (n, nu) = (z.len(), z.len() - NX);
        let all = DMatrix::from_row_slice(n, n, &found.hessian);
        let places = [((0, 0), (NX, NX)), ((0, NX), (NX, nu)), ((NX, NX), (nu, nu))];
        into.into_iter().zip(places).for_each(|(to, (at, size))| to.copy_from(&all.view(at, size)));
        Ok(found.gradient)
    }
}

impl Node for Smooth {
    fn dims(&self) -> Dims {
        Dims { nx: NX, ndx: NX, nu: self.steps.nu(), n_eq: self.steps.equalities(), n_in: 0 }
    }
    fn memory(&self) -> Memory {
        Box::new(())
    }
    fn control_bounds(&self) -> Option<(&[f64], &[f64])> {
        Some((&self.bounds[0], &self.bounds[1]))
    }
    fn value(&self, at: At<'_>, _: &mut Memory, next: &mut [f64], rows: &mut [f64]) -> Result<f64, NodeError> {
        let mut out = vec![0.0; self.steps.outputs()];
        self.steps.eval(&[at.x, at.u].concat(), &mut out);
        next.copy_from_slice(&out[..NX]);
        rows.copy_from_slice(&out[NX..NX + rows.len()]);
        Ok(out[out.len() - 1])
    }
    fn linearize(&self, at: At<'_>, _: &mut Memory, out: &mut Quadratic) -> Result<(), NodeError> {
        let z = [at.x, at.u].concat();
        let (value, by) = jacobian(&self.steps, &z).map_err(off)?;
        let (m, n_eq) = (value.len(), self.steps.equalities());
        let by = DMatrix::from_row_slice(m, z.len(), &by);
        out.next.copy_from_slice(&value[..NX]);
        out.eq.copy_from_slice(&value[NX..NX + n_eq]);
        out.cost = value[m - 1];
        out.a.copy_from(&by.view((0, 0), (NX, NX)));
        out.b.copy_from(&by.view((0, NX), (NX, at.u.len())));
        out.eq_x.copy_from(&by.view((NX, 0), (n_eq, NX)));
        out.eq_u.copy_from(&by.view((NX, NX), (n_eq, at.u.len())));
        let mut weights = vec![0.0; m];
        weights[m - 1] = 1.0;
        let slope = self.bend(&z, &weights, [&mut out.lxx, &mut out.lxu, &mut out.luu])?;
        out.lx.copy_from_slice(&slope[..NX]);
        out.lu.copy_from_slice(&slope[NX..]);
        Ok(())
    }
    fn linearize_exact(
        &self,
        at: At<'_>,
        memory: &mut Memory,
        by: &Multipliers,
        out: &mut Quadratic,
    ) -> Result<bool, NodeError> {
        self.linearize(at, memory, out)?;
        let weights = [by.next.as_slice(), by.eq.as_slice(), &[0.0]].concat();
        let bends = &mut out.curvature;
        self.bend(&[at.x, at.u].concat(), &weights, [&mut bends.xx, &mut bends.xu, &mut bends.uu])?;
        Ok(true)
    }
}

/// A problem of a family: `car`, `car_quadratic`, `acrobot_stops`, `cart_pole_friction`, `pushing`. With its guess.
pub(crate) fn complementarity(family: &str, rng: &mut ChaCha8Rng) -> Option<Made<(Problem, Trajectory)>> {
    const FREE: f64 = f64::INFINITY;
    let mut near = |least: f64, more: f64| least + more * rng.random_range(0.0..1.0);
    let swing = |top: [f64; 2]| {
        // 200 |v|² + 700 |q − top|², of x = (q⁻, q).
        let (v, q) = ((2.0 * 200.0_f64).sqrt() / 0.05, (2.0 * 700.0_f64).sqrt());
        let m = DMatrix::from_row_slice(4, 4, &[-v, 0.0, v, 0.0, 0.0, -v, 0.0, v, 0.0, 0.0, q, 0.0, 0.0, 0.0, 0.0, q]);
        (m, DVector::from_column_slice(&[0.0, 0.0, q * top[0], q * top[1]]))
    };
    let to = |goal: [f64; 4], weight: f64| {
        let w = (2.0 * weight).sqrt();
        (DMatrix::identity(4, 4) * w, DVector::from_column_slice(&goal) * w)
    };
    let mut start = [0.0; NX];
    let (steps, lower, upper, free, end) = match family {
        "car" | "car_quadratic" => {
            let most = [near(1.5, 1.0), near(3.0, 2.0)];
            let places = [[0.25, 0.25], [0.75, 0.75], [0.25, 0.75], [0.75, 0.25]];
            let obstacles = places.map(|[x, y]| [near(x - 0.1, 0.2), near(y - 0.1, 0.2), near(0.05, 0.15)]);
            start[2] = near(PI / 8.0, PI / 4.0);
            let steps = Steps::Car { obstacles, quadratic: family == "car_quadratic" };
            (steps, most.map(|x| -x).to_vec(), most.to_vec(), 2, to([1.0, 1.0, PI / 4.0, 0.0], 200.0))
        }
        "acrobot_stops" => {
            let [m1, l1, m2, l2] = [(); 4].map(|()| near(0.9, 0.2));
            let steps = Steps::Acrobot { masses: [m1, m2], lengths: [l1, l2] };
            (steps, vec![-8.0, -FREE, -FREE], vec![8.0, FREE, FREE], 3, swing([PI, 0.0]))
        }
        "cart_pole_friction" => {
            let (masses, length) = ([near(0.9, 0.2), near(0.15, 0.1)], near(0.45, 0.1));
            let steps = Steps::CartPole { masses, length, friction: [near(0.05, 0.1), near(0.05, 0.1)] };
            (steps, vec![-10.0, -FREE, -FREE], vec![10.0, FREE, FREE], 3, swing([0.0, PI]))
        }
        "pushing" => {
            // Sides of the block, m, and the ratio of its ellipsoid of friction.
            let blocks = [
                [0.07, 0.12, 0.03711],
                [0.06, 0.12, 0.0355938],
                [0.08, 0.12, 0.0387237],
                [0.07, 0.13, 0.0393039],
                [0.06, 0.13, 0.0378424],
                [0.08, 0.13, 0.0366212],
                [0.07, 0.11, 0.0349493],
                [0.06, 0.11, 0.0333738],
                [0.08, 0.11, 0.0408633],
            ];
            let [width, height, ratio] = blocks[near(0.0, 9.0) as usize];
            let obstacle = [near(0.05, 0.3), near(0.15, 0.1), near(0.04, 0.02)];
            let steps = Steps::Pushing { sides: [width, height], ratio, friction: near(0.15, 0.1), obstacle };
            let lower = vec![0.0, -0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, -0.9];
            let upper = vec![0.3, 0.3, 3.0, 3.0, FREE, FREE, FREE, FREE, 0.9];
            (steps, lower, upper, 0, to([0.3, 0.4, 1.5 * PI, 0.0], 20.0))
        }
        _ => return None,
    };
    Some(build(steps, start, [lower, upper], free, end))
}

/// The first `free` controls are zero in the guess, all others 0.01. Those that are left out of the bounds are not
/// negative.
fn build(
    steps: Steps,
    start: [f64; NX],
    [mut lower, mut upper]: [Vec<f64>; 2],
    free: usize,
    (m, m0): (DMatrix<f64>, DVector<f64>),
) -> Made<(Problem, Trajectory)> {
    lower.resize(steps.nu(), 0.0);
    upper.resize(steps.nu(), f64::INFINITY);
    let model = slides(2)?;
    let by = m.clone();
    let end = FnResidual::new(
        NX,
        Depends::QV,
        move |on, r| {
            let x = DVector::from_iterator(NX, on.q.iter().chain(on.v).copied());
            r.copy_from_slice((&m * x - &m0).as_slice());
            Ok(())
        },
        move |_, out| {
            out.dq.copy_from(&by.columns(0, 2));
            out.dv.copy_from(&by.columns(2, 2));
            Ok(())
        },
    );
    let dt = steps.dt();
    let problem = Problem::builder(&model)
        .start(&start[..2], &start[2..])
        .phase(Phase::own("go", STEPS, dt, Smooth { steps, bounds: [lower, upper] }))
        .last(Cost::new("end", end))
        .build()?;
    let mut guess = guess::standing(&problem);
    for k in 0..STEPS {
        guess.u_mut(k)[free..].fill(0.01);
    }
    Ok((problem, guess))
}
