//! Base parameters: combinations that some motion identifies.

use crate::error::SensitivityError;
use crate::estimate::four_digits;
use crate::identify::structure;
use crate::parameters::Parameters;
use std::fmt::Write;

/// `p_k − Σ c_d p_d` for each parameter k that is kept: for each direction that no motion identifies, one parameter d
/// is expressed by the others.
#[derive(Clone, Debug)]
pub(super) struct Base {
    columns: Vec<usize>,
    /// The other terms of each.
    with: Vec<Vec<(usize, f64)>>,
}

impl Base {
    /// The base parameters, at the parameters' values.
    ///
    /// # Errors
    /// As [`structure`], and [`SensitivityError::Other`] if no motion identifies any of them.
    pub(super) fn of(parameters: &Parameters) -> Result<Self, SensitivityError> {
        let found = structure(parameters, &parameters.nominal(), 1)?;
        let directions = &found.identifiability.cannot_tell;
        let mut left: Vec<Option<usize>> = vec![None; parameters.len()];
        for (d, direction) in directions.iter().enumerate() {
            // Its own parameter, with the coefficient one; if others have that too, one that is in no other direction.
            let is_in_another = |k: usize| {
                directions.iter().enumerate().any(|(other, all)| other != d && all.iter().any(|(at, _)| *at == k))
            };
            let own =
                direction.iter().filter(|(k, _)| !is_in_another(*k)).max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()));
            if let Some((k, _)) = own {
                left[*k] = Some(d);
            }
        }
        let columns: Vec<usize> = (0..left.len()).filter(|k| left[*k].is_none()).collect();
        if columns.is_empty() || found.rank == 0 {
            let sentence = format!("no motion identifies any of the {} selected parameters", parameters.len());
            return Err(SensitivityError::Other(sentence));
        }
        let coefficient = |d: usize, k: usize| directions[d].iter().find(|(at, _)| *at == k).map_or(0.0, |(_, c)| *c);
        // J e_d = −Σ (c_k / c_d) J e_k, so that J p = Σ J e_k (p_k − Σ_d (c_k / c_d) p_d).
        let with = |k: &usize| {
            let of = |d: usize| left[d].map(|direction| (d, -coefficient(direction, *k) / coefficient(direction, d)));
            (0..left.len()).filter_map(of).filter(|(_, c)| *c != 0.0).collect()
        };
        Ok(Self { with: columns.iter().map(with).collect(), columns })
    }

    /// The parameters that are kept, in their order.
    pub(super) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Whether a parameter is a base parameter by itself.
    pub(super) fn alone(&self, parameter: usize) -> bool {
        self.columns.iter().position(|k| *k == parameter).is_some_and(|at| self.with[at].is_empty())
    }

    /// In names: `a - 0.5 b`.
    pub(super) fn names(&self, names: &[String]) -> Vec<String> {
        let name = |(k, with): (&usize, &Vec<(usize, f64)>)| {
            let mut text = names[*k].clone();
            for (d, c) in with {
                let sign = if *c < 0.0 { "-" } else { "+" };
                let size =
                    if (c.abs() - 1.0).abs() < 1e-9 { String::new() } else { format!("{} ", four_digits(c.abs())) };
                // Writing to a string cannot fail.
                let _ = write!(text, " {sign} {size}{}", names[*d]);
            }
            text
        };
        self.columns.iter().zip(&self.with).map(name).collect()
    }
}
