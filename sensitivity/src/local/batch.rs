//! One state of many robots: torques, accelerations and masses of eight at a time, one per lane of the vector
//! registers.

use super::output::{self, AtState, Output, OutputPoint};
use crate::parameters::Parameters;
use gradyn::derivatives::simd::VectorLevel;
use gradyn::derivatives::{Kernel, Lanes, Register};
use gradyn::{Model, Workspace};

/// Evaluates an output of the robots with these values: `samples` has those of one robot after the other, `outputs`
/// gets their outputs. Outputs of an invalid robot, such as one with negative friction, are NaN.
///
/// Use it in functions of samples: [`Run::advance`](crate::global::Run::advance). Results of a sample depend on that
/// sample alone.
pub fn evaluate_many(parameters: &Parameters, output: impl Output, samples: &[f64], outputs: &mut [f64]) {
    outputs.fill(f64::NAN);
    let np = parameters.len().max(1);
    let count = samples.len() / np;
    if count == 0 || !outputs.len().is_multiple_of(count) {
        return;
    }
    let batch = Batch { parameters, output: &output, samples, outputs, np };
    match VectorLevel::active() {
        Some(level) if output.is_batched() => level.run(batch),
        _ => batch.one_by_one(),
    }
}

struct Batch<'a, O> {
    parameters: &'a Parameters,
    output: &'a O,
    samples: &'a [f64],
    outputs: &'a mut [f64],
    np: usize,
}

/// Eight robots, and their memory.
type Robots<R> = (Model<Lanes<R>>, Workspace<Lanes<R>>);

impl<O: Output> Batch<'_, O> {
    fn one_by_one(self) {
        let count = self.samples.len() / self.np;
        let width = self.outputs.len() / count;
        for (to, values) in self.outputs.chunks_exact_mut(width.max(1)).zip(self.samples.chunks_exact(self.np)) {
            alone(self.parameters, self.output, values, to);
        }
    }
}

/// The output of one robot, or NaN if it is invalid.
fn alone(parameters: &Parameters, output: &impl Output, values: &[f64], to: &mut [f64]) {
    if let Ok(found) = output::value::<f64>(output, (parameters, values), parameters.robot())
        && found.len() == to.len()
    {
        to.copy_from_slice(&found);
    }
}

impl<O: Output> Kernel for Batch<'_, O> {
    type Output = ();
    #[inline(always)]
    fn run<R: Register>(self) {
        let Self { parameters, output, samples, outputs, np } = self;
        let count = samples.len() / np;
        let width = outputs.len() / count;
        let nominal = parameters.robot();
        let lift = |x: &[f64]| x.iter().map(|x| Lanes::<R>::from(*x)).collect::<Vec<_>>();
        let AtState { q, v, u } = output.state();
        let (q, v, u) = (lift(q), lift(v), lift(u));
        let mut robot: Option<Robots<R>> = None;
        for first in (0..count).step_by(8) {
            let lanes = (count - first).min(8);
            // Unused lanes repeat the last sample.
            let of = |k: usize| {
                let lane = |i: usize| samples[(first + i.min(lanes - 1)) * np + k];
                Lanes::<R>::from_array(std::array::from_fn(lane))
            };
            let values: Vec<Lanes<R>> = (0..parameters.len()).map(of).collect();
            let made = match robot.take().filter(|_| !parameters.changes_joints()) {
                Some((mut model, ws)) => parameters.set(&mut model, &values).map(|()| (model, ws)),
                None => parameters.robot_at(&values).map(|model| {
                    let ws = Workspace::new(&model);
                    (model, ws)
                }),
            };
            let found = made.and_then(|(model, mut ws)| {
                let u = output::driven(output, parameters, &values, u.clone())?;
                let mut on = OutputPoint { model: &model, workspace: &mut ws, nominal, q: &q, v: &v, u: &u };
                let found = output.value_batched(&mut on)?;
                robot = Some((model, ws));
                Ok(found)
            });
            match found {
                Ok(found) if found.len() == width => {
                    for (j, x) in found.iter().enumerate() {
                        let x = x.to_array();
                        (0..lanes).for_each(|i| outputs[(first + i) * width + j] = x[i]);
                    }
                }
                Ok(_) => {}
                // One of eight is invalid: each by itself.
                Err(_) => (first..first + lanes).for_each(|i| {
                    alone(parameters, output, &samples[i * np..][..np], &mut outputs[i * width..][..width]);
                }),
            }
        }
    }
}
