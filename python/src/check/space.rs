//! Where points of a function are: numbers, configurations, or both.

use crate::error::{Said, wrong};
use crate::model::PyModel;
use gradyn::derivatives::difference::Manifold;
use gradyn::partials::Configurations;
use pyo3::prelude::*;

/// A part of a point: numbers, or a configuration.
pub(super) enum Part<'a> {
    Numbers(usize),
    Robot(&'a gradyn::Model),
}

/// Where points of a function are: its parts one after the other.
pub(super) struct Space<'a>(Vec<Part<'a>>);

impl Part<'_> {
    fn sizes(&self) -> (usize, usize) {
        match self {
            Self::Numbers(n) => (*n, *n),
            Self::Robot(model) => (model.nq(), model.nv()),
        }
    }
}

impl Manifold for Space<'_> {
    fn coordinates(&self) -> usize {
        self.0.iter().map(|part| part.sizes().0).sum()
    }
    fn directions(&self) -> usize {
        self.0.iter().map(|part| part.sizes().1).sum()
    }
    fn integrate(&self, x: &[f64], dx: &[f64], out: &mut [f64]) {
        let (mut c, mut d) = (0, 0);
        for part in &self.0 {
            let (n, m) = part.sizes();
            let (x, dx, out) = (&x[c..c + n], &dx[d..d + m], &mut out[c..c + n]);
            match part {
                Part::Numbers(_) => out.iter_mut().zip(x).zip(dx).for_each(|((to, x), dx)| *to = x + dx),
                Part::Robot(model) => Configurations(model).integrate(x, dx, out),
            }
            (c, d) = (c + n, d + m);
        }
    }
    fn difference(&self, y0: &[f64], y1: &[f64], out: &mut [f64]) {
        let (mut c, mut d) = (0, 0);
        for part in &self.0 {
            let (n, m) = part.sizes();
            let (y0, y1, out) = (&y0[c..c + n], &y1[c..c + n], &mut out[d..d + m]);
            match part {
                Part::Numbers(_) => out.iter_mut().zip(y0).zip(y1).for_each(|((to, a), b)| *to = b - a),
                Part::Robot(model) => Configurations(model).difference(y0, y1, out),
            }
            (c, d) = (c + n, d + m);
        }
    }
    fn magnitude(&self, x: &[f64], direction: usize) -> f64 {
        let (mut c, mut d) = (0, 0);
        for part in &self.0 {
            let (n, m) = part.sizes();
            if direction < d + m {
                return match part {
                    Part::Numbers(_) => x.get(c + direction - d).map_or(1.0, |x| x.abs()),
                    Part::Robot(_) => 1.0,
                };
            }
            (c, d) = (c + n, d + m);
        }
        1.0
    }
}

/// Numbers without a robot; else the parts of the list, which are robots and counts.
pub(super) fn space<'a>(
    py: Python<'_>,
    what: &str,
    parts: Option<&'a [Bound<'_, PyAny>]>,
    n: usize,
) -> PyResult<Space<'a>> {
    let Some(parts) = parts else { return Ok(Space(vec![Part::Numbers(n)])) };
    let mut found = Vec::new();
    for part in parts {
        found.push(match part.cast::<PyModel>() {
            Ok(model) => Part::Robot(model.get().model()),
            Err(_) => Part::Numbers(part.extract().map_err(|_| {
                let message = format!("`{what}` is a list of gradyn.Model and numbers of coordinates");
                wrong(py, &message, Said { argument: Some(what.to_owned()), ..Said::default() })
            })?),
        });
    }
    let space = Space(found);
    if space.coordinates() == n {
        return Ok(space);
    }
    let message = format!("`{what}` has {} coordinates, the point has {n}", space.coordinates());
    Err(wrong(py, &message, Said { argument: Some(what.to_owned()), ..Said::default() }))
}
