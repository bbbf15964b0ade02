//! How far outputs scatter: to first order, and by samples.

use super::question::{First, Question};
use crate::args::Sensitivity;
use crate::error::Error;
use crate::memory::MemoryLimit;
use gradyn_files::sensitivity::{Scatter, Tube, Uncertainty};
use gradyn_sensitivity::uncertainty::{Euclidean, MonteCarlo, UncertaintyError, first_order, monte_carlo};
use gradyn_sensitivity::{Interval, Parameters, Prior, Resampling};
use nalgebra::{DMatrix, DVector};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// So many samples are drawn as dots, at so many times.
const DOTS: usize = 40;
const TIMES: usize = 25;

/// How far outputs of a question scatter. Of a motion whose simulations leave every bound: what to say of it.
pub(super) fn of(
    question: &dyn Question,
    (first, parameters, priors): (&First, &Parameters, &[Prior]),
    args: &Sensitivity,
) -> Result<Result<Uncertainty, String>, Error> {
    let (n, m) = (parameters.len(), question.rows().len());
    // Samples, those that are finite, and how far they are from their mean; sums of two columns an output.
    let bytes = 8 * args.samples as u128 * (5 * m as u128 + 1);
    let what = || format!("--samples {}, of {m} outputs by {n} parameters,", args.samples);
    let memory = MemoryLimit::new(args.robot.max_memory);
    memory.check(bytes).map_err(|reason| Error::Memory { what: what(), reason })?;
    let refuse = |error: UncertaintyError| Error::Usage(error.to_string());
    let rows = question.rows();
    let variances = priors.iter().map(Prior::variance);
    let p = DMatrix::from_diagonal(&DVector::from_iterator(priors.len(), variances));
    let deviation = |jacobian: &DMatrix<f64>| -> Result<Vec<f64>, Error> {
        let covariance = first_order(jacobian, &p).map_err(refuse)?;
        Ok(covariance.diagonal().iter().map(|x| x.max(0.0).sqrt()).collect())
    };
    let at_end = deviation(&first.jacobian)?;
    let options = MonteCarlo {
        samples: args.samples,
        seed: args.seed,
        resampling: Resampling { times: 200, level: args.confidence, seed: args.seed },
    };
    // Normal deviates become values of the parameters.
    let f = |z: &[f64], y: &mut [f64]| {
        let values: Vec<f64> = z.iter().zip(priors.iter().cycle()).map(|(z, prior)| prior.at_normal(*z)).collect();
        question.evaluate(&values, y);
    };
    let zero = vec![0.0; n];
    let (inputs, outputs) = (Euclidean(n), Euclidean(rows.len()));
    let found = match monte_carlo(&inputs, &zero, &DMatrix::identity(n, n), &outputs, f, &options) {
        Err(UncertaintyError::Failed { count, total, .. }) if question.is_motion() => {
            let what = format!("{count} of {total} simulations have no finite output, so the scatter is unknown");
            return Ok(Err(format!("not trustworthy: {what}")));
        }
        found => found.map_err(refuse)?,
    };
    let rounding = question.rounding()?;
    let mut here = vec![0.0; rows.len()];
    question.evaluate(&parameters.nominal(), &mut here);
    let scatter = rows.iter().enumerate().map(|(i, row)| Scatter {
        row: row.clone(),
        rounding: rounding[i],
        first: at_end[i],
        sampled: found.deviation[i],
        shift: Interval { value: found.moments.mean[i] - here[i], half_width: found.mean_half_width.get(i).copied() },
    });
    let scatter = scatter.collect();
    let mut tubes = Vec::new();
    if let Some(series) = &first.series {
        let over_time = series.jacobians.iter().map(&deviation).collect::<Result<Vec<_>, _>>()?;
        let dots = dots(question, priors, args.seed);
        for (i, row) in rows.iter().enumerate() {
            let sd = series.time.iter().zip(&over_time).map(|(t, sd)| (*t, sd[i])).collect();
            let dots = dots.iter().map(|(node, y)| (series.time[*node], y[i])).collect();
            tubes.push(Tube { row: row.clone(), sd, dots });
        }
    }
    Ok(Ok(Uncertainty { scatter, tubes, samples: args.samples, kept_out: found.kept_out }))
}

/// Some samples at some nodes: the node, and all outputs there.
fn dots(question: &dyn Question, priors: &[Prior], seed: u64) -> Vec<(usize, Vec<f64>)> {
    let (nodes, m) = (question.nodes(), question.rows().len());
    let every = nodes.div_ceil(TIMES).max(1);
    let shown: Vec<usize> = (0..nodes).rev().step_by(every).collect();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // A stream that no other samples of this seed have.
    rng.set_stream(u64::MAX);
    let mut dots = Vec::new();
    for _ in 0..DOTS {
        let draw = |prior: &Prior| prior.quantile(rng.random_range(1e-12..1.0)).unwrap_or_else(|| prior.mean());
        let values: Vec<f64> = priors.iter().map(draw).collect();
        let mut y = vec![f64::NAN; shown.len() * m];
        question.evaluate_series(&shown, &values, &mut y);
        dots.extend(shown.iter().zip(y.chunks_exact(m.max(1))).map(|(node, y)| (*node, y.to_vec())));
    }
    dots
}
