//! Finite Fourier series of each joint, at rest at the start.
//!
//! With `ω = 2π/period`, k = 1 … N, and a, b the amplitudes of velocities,
//!
//! ```text
//! q(t) = q(0) + Σ a_k sin(kωt)/(kω) + b_k (1 − cos(kωt))/(kω)
//! v(t) = Σ a_k cos(kωt) + b_k sin(kωt)
//! a(t) = Σ kω (b_k cos(kωt) − a_k sin(kωt))
//! ```
//!
//! so that `v(0) = 0` is `Σ a_k = 0` and `a(0) = 0` is `Σ k b_k = 0`: linear, and satisfied by coordinates of their
//! null spaces. A period ends as it began, so periods can follow each other.
//!
//! Source: J. Swevers, C. Ganseman, D. Tükel, J. de Schutter, H. van Brussel, *Optimal robot excitation and
//! identification*, IEEE Trans. Robot. Autom. 13(5), 1997. There the start is free. Here, rest at the start is enforced
//! by a linear correction, not by an additional polynomial of fifth order, which keeps the motion periodic.

use std::f64::consts::TAU;

/// A motion of all joints: one finite Fourier series each.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// s
    pub period: f64,
    /// Where it starts, nv numbers.
    pub start: Vec<f64>,
    /// `a_k` of each joint, rad/s or m/s.
    pub cosines: Vec<Vec<f64>>,
    /// `b_k` of each joint, rad/s or m/s.
    pub sines: Vec<Vec<f64>>,
}

impl Series {
    /// `(q, v, a)` at a time, s.
    #[must_use]
    pub fn at(&self, time: f64) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let omega = TAU / self.period;
        let (mut q, n) = (self.start.clone(), self.start.len());
        let (mut v, mut a) = (vec![0.0; n], vec![0.0; n]);
        let harmonics = self.cosines.iter().zip(&self.sines).map(|(a, b)| a.len().min(b.len())).max().unwrap_or(0);
        for k in 0..harmonics {
            let w = omega * (k + 1) as f64;
            let (sin, cos) = (w * time).sin_cos();
            // 1 − cos x without cancellation.
            let versine = 2.0 * (0.5 * w * time).sin().powi(2);
            for (j, (a_k, b_k)) in self.cosines.iter().zip(&self.sines).enumerate().take(n) {
                let (Some(a_k), Some(b_k)) = (a_k.get(k), b_k.get(k)) else { continue };
                q[j] += (a_k * sin + b_k * versine) / w;
                v[j] += a_k * cos + b_k * sin;
                a[j] += w * (b_k * cos - a_k * sin);
            }
        }
        (q, v, a)
    }
}

/// Coordinates of such series: for each joint N − 1 of cosines, N − 1 of sines, and its start if that is free.
#[derive(Clone, Debug)]
pub(super) struct Coordinates {
    pub(super) period: f64,
    /// The velocity of a unit amplitude, rad/s or m/s.
    pub(super) scale: Vec<f64>,
    /// The start of each joint, and how far a unit coordinate moves it: zero if it is fixed.
    pub(super) start: Vec<(f64, f64)>,
    /// Orthonormal bases of `Σ a_k = 0` and `Σ k b_k = 0`: the N entries of each basis vector.
    bases: [Vec<Vec<f64>>; 2],
}

impl Coordinates {
    /// Coordinates for at least two harmonics.
    pub(super) fn new(period: f64, harmonics: usize, scale: Vec<f64>, start: Vec<(f64, f64)>) -> Self {
        let ones = vec![1.0; harmonics];
        let counting: Vec<f64> = (1..=harmonics).map(|k| k as f64).collect();
        Self { period, scale, start, bases: [complement(&ones), complement(&counting)] }
    }

    /// The number of coordinates of one joint.
    pub(super) fn of_joint(&self) -> usize {
        2 * self.bases[0].len() + 1
    }
    pub(super) fn len(&self) -> usize {
        self.scale.len() * self.of_joint()
    }

    pub(super) fn series(&self, x: &[f64]) -> Series {
        let (mut start, mut cosines, mut sines) = (vec![], vec![], vec![]);
        for ((x, scale), (at, free)) in x.chunks_exact(self.of_joint()).zip(&self.scale).zip(&self.start) {
            let (of_start, waves) = x.split_at(1);
            let (a, b) = waves.split_at(self.bases[0].len());
            start.push(at + free * of_start[0]);
            let sum = |basis: &[Vec<f64>], x: &[f64]| -> Vec<f64> {
                let n = basis.len() + 1;
                (0..n).map(|k| scale * basis.iter().zip(x).map(|(vector, x)| vector[k] * x).sum::<f64>()).collect()
            };
            cosines.push(sum(&self.bases[0], a));
            sines.push(sum(&self.bases[1], b));
        }
        Series { period: self.period, start, cosines, sines }
    }

    /// The map from one joint's coordinates, without the start, to `(q, v, a)` at a time, for a scale of one.
    pub(super) fn waves(&self, time: f64) -> [Vec<f64>; 3] {
        let omega = TAU / self.period;
        let mut waves = [vec![], vec![], vec![]];
        for (is_sine, vector) in self.bases.iter().enumerate().flat_map(|(i, basis)| basis.iter().map(move |v| (i, v)))
        {
            // The series itself, of this vector alone.
            let none = vec![vec![0.0_f64; vector.len()]];
            let (mut cosines, mut sines) = (none.clone(), none);
            let to = if is_sine == 1 { &mut sines } else { &mut cosines };
            to[0].copy_from_slice(vector);
            let one = Series { period: TAU / omega, start: vec![0.0], cosines, sines };
            let (q, v, a) = one.at(time);
            for (wave, x) in waves.iter_mut().zip([q[0], v[0], a[0]]) {
                wave.push(x);
            }
        }
        waves
    }
}

/// An orthonormal basis of the complement of a vector of positive numbers: the other columns of the reflection that
/// maps it to the first axis (Householder).
fn complement(normal: &[f64]) -> Vec<Vec<f64>> {
    let length = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut u: Vec<f64> = normal.iter().map(|x| x / length).collect();
    // Away from the axis, so that nothing cancels.
    u[0] += 1.0;
    let square: f64 = u.iter().map(|x| x * x).sum();
    let column = |j: usize| (0..u.len()).map(|i| f64::from(u8::from(i == j)) - 2.0 * u[i] * u[j] / square).collect();
    (1..u.len()).map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the coordinates, every joint is at rest without acceleration at both ends of a period, and v and a are
    /// the derivatives.
    #[test]
    fn a_period_begins_and_ends_at_rest() {
        let c = Coordinates::new(7.0, 5, vec![1.3, 0.2], vec![(0.4, 0.0), (-1.0, 2.0)]);
        let x: Vec<f64> = (0..c.len()).map(|i| (3.0 * i as f64).sin()).collect();
        let series = c.series(&x);
        assert_eq!((series.start[0], series.start[1]), (0.4, -1.0 + 2.0 * x[c.of_joint()]));
        for time in [0.0, 7.0] {
            let (q, v, a) = series.at(time);
            for j in 0..2 {
                // Rounding of ten terms of size one.
                assert!((q[j] - series.start[j]).abs() < 1e-14 && v[j].abs() < 1e-13 && a[j].abs() < 1e-12);
            }
        }
        let h = 1e-4;
        for i in 0..20 {
            let t = 0.37 * f64::from(i);
            let ((q0, v0, _), (_, v, a), (q1, v1, _)) = (series.at(t - h), series.at(t), series.at(t + h));
            for j in 0..2 {
                // Second order: third derivatives, some hundred, by h²/6.
                assert!(((q1[j] - q0[j]) / (2.0 * h) - v[j]).abs() < 1e-6);
                assert!(((v1[j] - v0[j]) / (2.0 * h) - a[j]).abs() < 1e-6);
            }
        }
    }

    /// Waves are what a series is made of.
    #[test]
    fn waves_add_up_to_the_series() {
        let c = Coordinates::new(3.0, 4, vec![0.7], vec![(0.1, 0.5)]);
        let x: Vec<f64> = (0..c.len()).map(|i| (2.0 * i as f64).cos()).collect();
        let (q, v, a) = c.series(&x).at(0.9);
        let [wq, wv, wa] = c.waves(0.9);
        let sum = |wave: &[f64]| 0.7 * wave.iter().zip(&x[1..]).map(|(w, x)| w * x).sum::<f64>();
        for (found, expected) in [(0.1 + 0.5 * x[0] + sum(&wq), q[0]), (sum(&wv), v[0]), (sum(&wa), a[0])] {
            assert!((found - expected).abs() < 1e-13, "{found} against {expected}");
        }
    }
}
