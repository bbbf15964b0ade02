//! The functions of a program at given variables: values, and derivatives in the order of their patterns.

use super::block::Spot;
use super::{Nlp, next_of};
use crate::fault::{Fault, Reason};

/// Entries outside of a pattern may be this small beside the largest of their block.
const ROUNDING: f64 = 1e-10;

impl Nlp<'_> {
    /// The objective.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry.
    pub fn objective(&mut self, w: &[f64]) -> Result<f64, Fault> {
        self.evaluate(w)?;
        Ok(self.blocks.iter().map(|block| block.cost).sum())
    }
    /// The rows.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry.
    pub fn constraints(&mut self, w: &[f64], rows: &mut [f64]) -> Result<(), Fault> {
        self.evaluate(w)?;
        for (k, (layout, block)) in self.layout.iter().zip(&self.blocks).enumerate() {
            for i in 0..layout.gaps {
                rows[layout.first + i] = block.rows[i] - w[self.layout[k + 1].x + i];
            }
            for i in 0..layout.starts {
                rows[layout.first + layout.gaps + i] = self.start[i] - w[layout.x + i];
            }
            for (i, row) in layout.held.iter().enumerate() {
                rows[layout.held_row(i)] = block.rows[*row];
            }
        }
        Ok(())
    }
    /// The gradient of the objective.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry.
    pub fn gradient(&mut self, w: &[f64], out: &mut [f64]) -> Result<(), Fault> {
        self.linearize(w)?;
        for (layout, block) in self.layout.iter().zip(&self.blocks) {
            out[layout.x..][..layout.variables()].copy_from_slice(&block.gradient);
        }
        Ok(())
    }
    /// Values of the Jacobian's entries.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry; also if an entry outside of the pattern is not zero.
    pub fn jacobian(&mut self, w: &[f64], values: &mut [f64]) -> Result<(), Fault> {
        self.linearize(w)?;
        // All that is not in a block is the derivative of −δ.
        values.fill(-1.0);
        let mut at = 0;
        for (k, (layout, pattern)) in self.layout.iter().zip(&self.patterns).enumerate() {
            let (block, height) = (&self.blocks[k].jacobian, self.blocks[k].jacobian.nrows().max(1));
            self.stays_zero(k, block.as_slice(), &pattern.rest[0])?;
            for place in &pattern.jacobian {
                let (row, column) = (layout.row_of(place % height), layout.x + place / height);
                while (self.jacobian.rows[at], self.jacobian.columns[at]) != (row, column) {
                    at += 1;
                }
                values[at] = block.as_slice()[*place];
                at += 1;
            }
        }
        Ok(())
    }
    /// Values of the entries of the Hessian of `σ objective + λᵀ rows`.
    ///
    /// # Errors
    /// [`Fault`]: node, phase, term, entry; also if an entry outside of the pattern is not zero, or a node does not
    /// know its second derivatives.
    pub fn hessian(&mut self, w: &[f64], sigma: f64, lambda: &[f64], values: &mut [f64]) -> Result<(), Fault> {
        let mut first = 0;
        for k in 0..self.layout.len() {
            let Self { problem, base, chart, layout, patterns, blocks, memory, .. } = self;
            let (layout, block) = (&layout[k], &mut blocks[k]);
            let (delta, u) = w[layout.x..][..layout.variables()].split_at(layout.dims.ndx);
            let at = Spot { k, base: base.x(k), next_base: next_of(base, k), delta, u };
            let mut own = vec![0.0; block.rows.len()];
            layout.of_block(lambda, &mut own);
            if !block.evaluate_hessian(problem, chart, memory, at, (sigma, &own))? {
                return Err(self.fault(k, Reason::NoSecondDerivatives));
            }
            let places = &patterns[k].hessian;
            for (to, place) in values[first..].iter_mut().zip(places) {
                *to = block.hessian.as_slice()[*place];
            }
            first += places.len();
            self.stays_zero(k, self.blocks[k].hessian.as_slice(), &self.patterns[k].rest[1])?;
        }
        // What a turning step reaches has been written over.
        self.valued.clear();
        Ok(())
    }

    /// What is outside of the pattern may only be off by rounding.
    fn stays_zero(&self, k: usize, block: &[f64], rest: &[usize]) -> Result<(), Fault> {
        let size = || block.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        match rest.iter().find(|place| block[**place] != 0.0 && block[**place].abs() > ROUNDING * size()) {
            None => Ok(()),
            Some(place) => Err(self.fault(k, Reason::OutsidePattern { value: block[*place] })),
        }
    }

    fn evaluate(&mut self, w: &[f64]) -> Result<(), Fault> {
        if self.valued == w {
            return Ok(());
        }
        self.valued.clear();
        for k in 0..self.layout.len() {
            let Self { problem, base, layout, blocks, memory, .. } = self;
            let (delta, u) = w[layout[k].x..][..layout[k].variables()].split_at(layout[k].dims.ndx);
            let at = Spot { k, base: base.x(k), next_base: next_of(base, k), delta, u };
            blocks[k].value(problem, memory, at)?;
        }
        self.valued.extend_from_slice(w);
        Ok(())
    }
    fn linearize(&mut self, w: &[f64]) -> Result<(), Fault> {
        if self.linearized == w {
            return Ok(());
        }
        self.linearized.clear();
        self.valued.clear();
        for k in 0..self.layout.len() {
            let Self { problem, base, chart, layout, blocks, memory, .. } = self;
            let (delta, u) = w[layout[k].x..][..layout[k].variables()].split_at(layout[k].dims.ndx);
            let at = Spot { k, base: base.x(k), next_base: next_of(base, k), delta, u };
            blocks[k].linearize(problem, chart, memory, at)?;
        }
        self.linearized.extend_from_slice(w);
        self.valued.extend_from_slice(w);
        Ok(())
    }
}
