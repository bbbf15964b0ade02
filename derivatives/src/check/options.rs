//! Tolerances and names of a check.

use super::CheckError;

/// Tolerances and names of a check.
///
/// An entry agrees if `|claimed − found| ≤ tolerance |found| + floor · scale + safety · error`, with the error that the
/// evidence estimates for itself. The `scale` is the largest of the change of the output along any input of that
/// input's size, the output itself, and [`size`](Self::size): each row and column has its own.
///
/// ```
/// use gradyn_derivatives::check::Options;
///
/// let options = Options::new("∂y/∂x").columns(["hip", "knee"]).seed(7).tolerance(1e-4);
/// assert_eq!((options.seed, options.columns.len()), (7, 2));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// The name of the derivative in messages.
    pub name: String,
    /// Names of the rows; `y[0]`, `y[1]`, … if empty.
    pub rows: Vec<String>,
    /// Names of the columns; `x[0]`, `x[1]`, … if empty.
    pub columns: Vec<String>,
    /// Allowed deviation relative to the entry itself. Default 1e-6.
    pub tolerance: f64,
    /// Allowed deviation relative to the scale, for entries that are small by cancellation. Default 1e-12.
    pub floor: f64,
    /// The size of the terms that entries are sums of, if that is known: where they cancel, a few roundings of them
    /// remain. Default zero.
    pub size: f64,
    /// The same for each entry, row by row; [`size`](Self::size) applies, too. Default empty.
    pub sizes: Vec<f64>,
    /// The length along each input over which the function changes much, the unit of steps. Default empty: then it is
    /// `max(1, |x|)` for a function that can be called, and for samples `|x|`, or 1 at zero.
    pub scales: Vec<f64>,
    /// The longest step along each input at which samples count. Default empty: all of them do.
    pub steps: Vec<f64>,
    /// The factor of the estimated error. Default 10.
    pub safety: f64,
    /// The first and longest step, in units of [`scales`](Self::scales). Default 1/8.
    pub step: f64,
    /// The seed of everything random: directions of Taylor tests.
    pub seed: u64,
    /// Whether the matrix is symmetric at every point.
    pub symmetric: bool,
    /// The number of curves of the difference over the step, for the worst entries.
    pub curves: usize,
    /// The number of random directions of Taylor tests.
    pub directions: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self::new("the derivative")
    }
}

impl Options {
    /// Default options, for a derivative of this name.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            rows: Vec::new(),
            columns: Vec::new(),
            tolerance: 1e-6,
            floor: 1e-12,
            size: 0.0,
            sizes: Vec::new(),
            scales: Vec::new(),
            steps: Vec::new(),
            safety: 10.0,
            step: 0.125,
            seed: 0,
            symmetric: false,
            curves: 2,
            directions: 2,
        }
    }

    /// With these names of the rows.
    #[must_use]
    pub fn rows<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.rows = names.into_iter().map(Into::into).collect();
        self
    }
    /// With these names of the columns.
    #[must_use]
    pub fn columns<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.columns = names.into_iter().map(Into::into).collect();
        self
    }
    /// With this [`tolerance`](Self::tolerance).
    #[must_use]
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }
    /// With this [`floor`](Self::floor).
    #[must_use]
    pub fn floor(mut self, floor: f64) -> Self {
        self.floor = floor;
        self
    }
    /// With terms of this [`size`](Self::size).
    #[must_use]
    pub fn size(mut self, size: f64) -> Self {
        self.size = size;
        self
    }
    /// With this first [`step`](Self::step).
    #[must_use]
    pub fn step(mut self, step: f64) -> Self {
        self.step = step;
        self
    }
    /// With this [`seed`](Self::seed).
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
    /// Of a matrix that is [`symmetric`](Self::symmetric).
    #[must_use]
    pub fn symmetric(mut self) -> Self {
        self.symmetric = true;
        self
    }
    /// With so many [`curves`](Self::curves) and [`directions`](Self::directions) of Taylor tests; none of them are
    /// needed for verdicts.
    #[must_use]
    pub fn pictures(mut self, curves: usize, directions: usize) -> Self {
        (self.curves, self.directions) = (curves, directions);
        self
    }

    /// With these [`sizes`](Self::sizes) of entries.
    #[must_use]
    pub fn sizes(mut self, sizes: impl IntoIterator<Item = f64>) -> Self {
        self.sizes = sizes.into_iter().collect();
        self
    }
    /// With these [`scales`](Self::scales) of inputs.
    #[must_use]
    pub fn scales(mut self, scales: impl IntoIterator<Item = f64>) -> Self {
        self.scales = scales.into_iter().collect();
        self
    }
    /// With these longest [`steps`](Self::steps) along inputs.
    #[must_use]
    pub fn steps(mut self, steps: impl IntoIterator<Item = f64>) -> Self {
        self.steps = steps.into_iter().collect();
        self
    }

    /// The size of the terms of an entry.
    pub(super) fn size_of(&self, entry: usize) -> f64 {
        self.sizes.get(entry).map_or(self.size, |size| size.max(self.size))
    }

    /// Checks that the options are valid for a matrix of this size.
    pub(super) fn check(&self, rows: usize, columns: usize) -> Result<(), CheckError> {
        for (what, names, expected) in
            [("names of rows", &self.rows, rows), ("names of columns", &self.columns, columns)]
        {
            if !names.is_empty() && names.len() != expected {
                return Err(CheckError::Size { what, expected, found: names.len() });
            }
        }
        for (what, values, expected) in
            [("sizes", &self.sizes, rows * columns), ("scales", &self.scales, columns), ("steps", &self.steps, columns)]
        {
            if !values.is_empty() && values.len() != expected {
                return Err(CheckError::Size { what, expected, found: values.len() });
            }
            let good = |x: f64| x.is_finite() && if what == "sizes" { x >= 0.0 } else { x > 0.0 };
            if let Some(index) = values.iter().position(|x| !good(*x)) {
                return Err(CheckError::Number {
                    what,
                    index,
                    value: values[index],
                    rule: "it must be a positive number",
                });
            }
        }
        let numbers = [
            ("tolerance", self.tolerance, self.tolerance >= 0.0),
            ("floor", self.floor, self.floor >= 0.0),
            ("size", self.size, self.size >= 0.0),
            ("safety", self.safety, self.safety >= 1.0),
            ("step", self.step, self.step > 0.0),
        ];
        for (what, value, good) in numbers {
            if !(good && value.is_finite()) {
                let rule = if what == "safety" { "it must be one or more" } else { "it must be a positive number" };
                return Err(CheckError::Number { what, index: 0, value, rule });
            }
        }
        Ok(())
    }
}
