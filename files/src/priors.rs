//! Files of priors, in TOML: what is thought of parameters before, by patterns of their names. The reference is
//! `docs/sensitivity.md`.

use crate::error::Error;
use crate::input;
use crate::task::source::{Item, Sign, Source, Table};
use gradyn_sensitivity::{Parameters, Prior};
use std::path::Path;

/// The priors of a file, one for each of the parameters that it speaks of; where two patterns fit, the later counts.
pub fn read(path: &Path, parameters: &Parameters) -> Result<Vec<Option<Prior>>, Error> {
    let (file, bytes) = input::bytes(path)?;
    let text = String::from_utf8(bytes).map_err(|_| Error::read(path, "it is not UTF-8 text"))?;
    parse(&Source { file, text }, parameters)
}

/// The same of a text.
pub fn parse(source: &Source, parameters: &Parameters) -> Result<Vec<Option<Prior>>, Error> {
    let entries = source.parse()?;
    let mut items = Table::root(source, &entries).entries();
    // In the order of the file.
    items.sort_by_key(|(_, item)| item.span.start);
    let nominal = parameters.nominal();
    let mut priors = vec![None; nominal.len()];
    for (pattern, item) in items {
        let fitting = parameters.fitting(pattern).map_err(|error| item.refuse(error.to_string()))?;
        for k in fitting {
            let found = prior(&item, nominal[k])?;
            found.check().map_err(|error| item.refuse(error.to_string()))?;
            priors[k] = Some(found);
        }
    }
    Ok(priors)
}

/// One entry, of a parameter with this value.
fn prior(item: &Item<'_>, value: f64) -> Result<Prior, Error> {
    let what = "a table with `sd`, `share`, `factor`, `scale`, or `low` and `high`";
    let table = item.table(what)?;
    table.only(&["mean", "sd", "share", "factor", "scale", "low", "high"])?;
    let number = |key: &str, sign: Sign| table.get(key).map(|item| item.number(sign)).transpose();
    let mean = number("mean", Sign::Any)?.unwrap_or(value);
    let given = (
        number("sd", Sign::Positive)?,
        number("share", Sign::Positive)?,
        number("factor", Sign::Positive)?,
        number("scale", Sign::Positive)?,
        number("low", Sign::Any)?,
        number("high", Sign::Any)?,
    );
    match given {
        (Some(sd), None, None, None, None, None) => Ok(Prior::Normal { mean, sd }),
        (None, Some(share), None, None, None, None) if mean != 0.0 => {
            Ok(Prior::Normal { mean, sd: share * mean.abs() })
        }
        (None, Some(_), None, None, None, None) => Err(item.refuse("a share of zero is zero: expected `sd`")),
        (None, None, Some(factor), None, None, None) if mean > 0.0 => {
            Ok(Prior::LogNormal { median: mean, log_sd: factor })
        }
        (None, None, None, Some(scale), None, None) if table.get("mean").is_none() => Ok(Prior::HalfNormal { scale }),
        (None, None, None, Some(_), None, None) => {
            Err(item.refuse("a `scale` is of a half-normal prior about zero, which has no `mean`"))
        }
        (None, None, Some(_), None, None, None) => {
            Err(item.refuse(format!("a `factor` is of what is positive, and the value is {mean}: expected `sd`")))
        }
        (None, None, None, None, Some(low), Some(high)) => Ok(Prior::Uniform { low, high }),
        _ => Err(item.refuse(format!("expected {what}, and one of these"))),
    }
}
