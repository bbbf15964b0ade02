//! Recorded functions beside the engine, before code is written.

use crate::emit::Cases;
use crate::error::CodegenError;
use crate::function::Function;
use crate::request::Request;
use gradyn::Model;
use gradyn_sensitivity::Parameters;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// Recorded functions compute what the engine does in the same order, signs aside; forms of derivatives do not, and mass
/// matrices of light bodies lose some five digits.
const TOLERANCE: f64 = 1e-9;
/// Contacts that nearly depend on each other lose ten digits before `rank_lost` says so.
const OF_CONTACTS: f64 = 1e-6;

impl Request {
    /// Compares the recorded function with the engine at random states: of values with the same function over `f64`, of
    /// derivatives with those by formulas where there are any, else with differences. Gives the states and right values.
    ///
    /// # Errors
    /// [`CodegenError::Differs`], and what the engine says.
    pub fn verify(
        &self,
        model: &Model,
        parameters: Option<&Parameters>,
        function: &Function,
        states: u64,
    ) -> Result<Cases, CodegenError> {
        let tolerance = if self.name.starts_with("contact_dynamics") { OF_CONTACTS } else { TOLERANCE };
        let mut cases = Cases { tolerance, ..Cases::default() };
        for seed in 0..states {
            let inputs = self.state(model, parameters, function, seed);
            let slices: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
            let found = function.evaluate(&slices)?;
            let expected = match self.by_engine(model, parameters, &inputs)? {
                Some(expected) => expected,
                None => self.by_differences(model, parameters, function, &inputs, &found)?,
            };
            for (output, (found, expected)) in function.outputs.iter().zip(found.iter().zip(&expected)) {
                self.near(&output.port.name, found, expected, tolerance)?;
            }
            cases.inputs.push(inputs);
            cases.outputs.push(found);
        }
        Ok(cases)
    }

    /// A random state; parameters as the robot has them.
    fn state(&self, model: &Model, parameters: Option<&Parameters>, function: &Function, seed: u64) -> Vec<Vec<f64>> {
        let rng = &mut ChaCha8Rng::seed_from_u64(seed);
        let mut inputs = Vec::with_capacity(function.inputs.len());
        for (k, port) in function.inputs.iter().enumerate() {
            inputs.push(match (k, parameters) {
                (0, _) => model.random(rng),
                (_, Some(parameters)) if port.name == "p" => parameters.nominal(),
                // A step of usual length, s.
                _ if port.name == "h" => vec![0.01],
                _ => (0..port.len()).map(|_| rng.random_range(-1.0..1.0)).collect(),
            });
        }
        inputs
    }

    /// Whether two outputs agree, of the largest entry.
    fn near(&self, output: &str, found: &[f64], expected: &[f64], tolerance: f64) -> Result<(), CodegenError> {
        let scale = expected.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        for (entry, (found, expected)) in found.iter().zip(expected).enumerate() {
            if !agree(*found, *expected, tolerance * scale) {
                let (function, output) = (self.name.clone(), output.to_owned());
                return Err(CodegenError::Differs { function, output, entry, found: *found, expected: *expected });
            }
        }
        Ok(())
    }

    /// Outputs that the engine has no formulas for: derivatives are compared with central differences of the function's own
    /// first outputs, to the digits that these have; then they count as right.
    fn by_differences(
        &self,
        model: &Model,
        parameters: Option<&Parameters>,
        function: &Function,
        inputs: &[Vec<f64>],
        found: &[Vec<f64>],
    ) -> Result<Vec<Vec<f64>>, CodegenError> {
        let values = self.values(model, parameters)?;
        let plain = values.inputs.len();
        let at = |inputs: &[Vec<f64>]| values.evaluate(&inputs[..plain].iter().map(Vec::as_slice).collect::<Vec<_>>());
        // Central differences of third order in h: 1e-10 of truncation, 1e-11 of rounding, of numbers some hundred times larger.
        let (h, tolerance) = (1e-5, 1e-6);
        let own = values.inputs.len() - usize::from(parameters.is_some());
        let failed =
            |error: gradyn::InputError| CodegenError::Engine { function: self.name.clone(), error: error.into() };
        let mut along: Vec<Vec<Vec<f64>>> = Vec::new();
        for input in 0..own {
            let count = if input == 0 { model.nv() } else { inputs[input].len() };
            for k in 0..count {
                let mut ends = Vec::new();
                for h in [h, -h] {
                    let mut moved = inputs.to_vec();
                    if input == 0 {
                        let mut step = vec![0.0; model.nv()];
                        step[k] = h;
                        moved[0] = model.integrate(&inputs[0], &step).map_err(failed)?;
                    } else {
                        moved[input][k] += h;
                    }
                    ends.push(at(&moved)?);
                }
                let mut here = Vec::new();
                for (o, (x, y)) in ends[0].iter().zip(&ends[1]).enumerate() {
                    let apart = match values.outputs[o].port.name.as_str() {
                        "q_next" => model.difference(y, x).map_err(failed)?,
                        _ => x.iter().zip(y).map(|(x, y)| x - y).collect(),
                    };
                    here.push(apart.iter().map(|x| x / (2.0 * h)).collect());
                }
                along.push(here);
            }
        }
        let names: Vec<&str> = function.outputs.iter().map(|output| output.port.name.as_str()).collect();
        if names == ["value", "gradient", "hessian"] {
            let lambda = inputs.last().map_or(&[][..], Vec::as_slice);
            let weighted = |x: &[f64]| x.iter().zip(lambda).map(|(x, w)| x * w).sum::<f64>();
            let gradient: Vec<f64> = along.iter().map(|of| weighted(&of[0])).collect();
            self.near("value", &found[0], &[weighted(&at(inputs)?[0])], TOLERANCE)?;
            self.near("gradient", &found[1], &gradient, tolerance)?;
            return Ok(found.to_vec());
        }
        let outputs = values.outputs.len();
        for (o, found) in found.iter().take(outputs).enumerate() {
            self.near(names[o], found, &at(inputs)?[o], TOLERANCE)?;
        }
        let mut next = outputs;
        for o in 0..outputs {
            let mut first = 0;
            for (input, given) in inputs.iter().enumerate().take(own) {
                let count = if input == 0 { model.nv() } else { given.len() };
                let expected: Vec<f64> = along[first..first + count].iter().flat_map(|of| of[o].clone()).collect();
                // Of what changes most: some blocks are zero.
                let scale = along.iter().flat_map(|of| &of[o]).fold(0.0_f64, |most, x| most.max(x.abs()));
                for (entry, (found, expected)) in found[next].iter().zip(&expected).enumerate() {
                    if !agree(*found, *expected, tolerance * scale) {
                        let (function, output) = (self.name.clone(), names[next].to_owned());
                        return Err(CodegenError::Differs {
                            function,
                            output,
                            entry,
                            found: *found,
                            expected: *expected,
                        });
                    }
                }
                (first, next) = (first + count, next + 1);
            }
        }
        Ok(found.to_vec())
    }
}

/// What is NaN agrees with nothing.
fn agree(found: f64, expected: f64, most: f64) -> bool {
    (found - expected).abs() <= most
}
