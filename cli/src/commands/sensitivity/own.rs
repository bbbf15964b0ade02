//! Samples that somebody else has drawn: CSV with a column for each parameter.

use crate::error::Error;
use gradyn_files::logs::{Table, number_in};
use gradyn_files::nearest::nearest;
use gradyn_sensitivity::Parameters;
use gradyn_sensitivity::global::{GlobalError, Layout, Plan, Points};
use std::path::Path;

/// Samples, one after the other, with the name of their file.
pub(super) struct Own {
    file: String,
    pub(super) values: Vec<f64>,
    parameters: usize,
    /// The line of each sample.
    lines: Vec<usize>,
}

impl Own {
    /// Reads a heading with the name of each parameter, in any order, then a line a sample.
    pub(super) fn read(path: &Path, parameters: &Parameters) -> Result<Self, Error> {
        let Table { file, line: first, heading, separator, rows } = Table::read(path)?;
        let refuse = |line: usize, reason: String| Error::in_line(&file, line, reason);
        let names = parameters.names();
        for (k, column) in heading.iter().enumerate() {
            if !names.iter().any(|name| name == column) {
                let nearest = nearest(column, names.iter().map(String::as_str)).unwrap_or_default();
                let reason = format!("column `{column}` is not one of the parameters that vary{nearest}");
                return Err(refuse(first, reason));
            }
            if heading[..k].contains(column) {
                return Err(refuse(first, format!("column `{column}` stands twice")));
            }
        }
        let place = |name: &String| heading.iter().position(|column| column == name);
        let place = |name: &String| place(name).ok_or_else(|| refuse(first, format!("there is no column `{name}`")));
        let places = names.iter().map(place).collect::<Result<Vec<_>, _>>()?;
        let mut own = Self { file: file.clone(), values: Vec::new(), parameters: names.len(), lines: Vec::new() };
        for (number, fields) in &rows {
            for place in &places {
                let value = number_in(&heading, fields, separator, *place);
                own.values.push(value.map_err(|reason| refuse(number + 1, reason))?);
            }
            own.lines.push(number + 1);
        }
        if own.lines.len() < 2 {
            return Err(refuse(first, format!("{} samples, expected two at least", own.lines.len())));
        }
        Ok(own)
    }

    /// An error of the analysis is one of the file.
    pub(super) fn refuse(&self, error: &GlobalError) -> Error {
        Error::content(self.file.clone(), error.to_string())
    }

    /// Checks that they are samples of this pattern: rows of A, A with each group from B, with second order B with each
    /// group from A, then B.
    pub(super) fn check_pattern(&self, layout: Layout, groups: &[Vec<usize>]) -> Result<(), Error> {
        let (k, stride, g) = (self.parameters, layout.stride(), groups.len());
        let count = self.lines.len();
        let pattern = "A, A with each parameter or group from B, with --second-order B with each from A, then B";
        if !count.is_multiple_of(stride) {
            let reason = format!("{count} samples, expected a multiple of {stride}: {pattern}");
            return Err(Error::content(self.file.clone(), reason));
        }
        for (row, samples) in self.values.chunks_exact(stride * k).enumerate() {
            let sample = |i: usize| &samples[i * k..][..k];
            let (a, b) = (sample(0), sample(stride - 1));
            for i in 1..stride - 1 {
                let (base, other) = if i <= g { (a, b) } else { (b, a) };
                let moved = &groups[(i - 1) % g];
                let expected = |j: usize| if moved.contains(&j) { other[j] } else { base[j] };
                if let Some(j) = (0..k).find(|j| sample(i)[*j].to_bits() != expected(*j).to_bits()) {
                    let (file, line) = (&self.file, self.lines[row * stride + i]);
                    let (found, expected) = (sample(i)[j], expected(j));
                    let reason = format!(
                        "the number of parameter {} is {found}, expected {expected}: samples of a row are {pattern}",
                        j + 1
                    );
                    return Err(Error::in_line(file.as_str(), line, reason));
                }
            }
        }
        Ok(())
    }
}

impl Plan for Own {
    fn parameters(&self) -> usize {
        self.parameters
    }
    fn samples(&self) -> Result<usize, GlobalError> {
        Ok(self.lines.len())
    }
    fn points(&self) -> Result<impl Points, GlobalError> {
        Ok(Given(self))
    }
    fn bytes(&self, outputs: usize) -> Result<u128, GlobalError> {
        // Outputs, and sums over them by parameters.
        Ok(8 * self.lines.len() as u128 * (outputs + 5 * self.parameters) as u128)
    }
}

struct Given<'a>(&'a Own);

impl Points for Given<'_> {
    fn write(&self, first: usize, x: &mut [f64]) {
        x.copy_from_slice(&self.0.values[first * self.0.parameters..][..x.len()]);
    }
}
