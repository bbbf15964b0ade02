//! Samples that can be stopped by Ctrl-C or SIGTERM, and continued.

use crate::commands::progress;
use crate::error::Error;
use crate::output::Output;
#[cfg(unix)]
use crate::signals::is_ignored;
use gradyn::Model;
use gradyn_sensitivity::global::{GlobalError, Plan, Run};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What was left, and what it was asked of.
#[derive(Deserialize, Serialize)]
#[serde(bound = "P: Serialize + DeserializeOwned")]
struct StoredRun<P> {
    question: String,
    /// See [`fingerprint`].
    fingerprint: u64,
    run: Run<P>,
}

/// Evaluates a run, from where a file says it was left. What to say if it was stopped.
pub(super) fn evaluated<P: Plan + Serialize + DeserializeOwned + PartialEq>(
    mut run: Run<P>,
    (file, question, fingerprint): (Option<&Path>, &str, u64),
    f: impl Fn(&[f64], &mut [f64]) + Sync,
) -> Result<Result<Run<P>, String>, Error> {
    let usage = |error: GlobalError| Error::Usage(error.to_string());
    // Samples of hours are not lost for a folder that is not there.
    if let Some(folder) = file.and_then(Path::parent)
        && !folder.as_os_str().is_empty()
        && !folder.is_dir()
    {
        return Err(Error::Usage(format!("--resume: there is no folder {}", folder.display())));
    }
    if let Some(file) = file
        && let Some(left) = read::<P>(file)?
    {
        if left.question != question || left.run.plan() != run.plan() || left.run.outputs() != run.outputs() {
            let reason = format!("it holds samples of `{}`, of other parameters, counts or seeds", left.question);
            return Err(Error::read(file, reason));
        }
        if left.fingerprint != fingerprint {
            let reason = "it holds samples of another robot, state, gravity or task: their numbers have changed since";
            return Err(Error::read(file, reason));
        }
        run = left.run;
    }
    let stop = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    if file.is_some() {
        use signal_hook::consts::{SIGINT, SIGTERM};
        for signal in [SIGINT, SIGTERM].into_iter().filter(|signal| !is_ignored(*signal)) {
            let heeded = signal_hook::flag::register(signal, stop.clone());
            heeded.map_err(|error| Error::Usage(format!("cannot heed signals: {error}")))?;
        }
    }
    let total = run.progress().map_err(usage)?.total;
    let bar = progress(total as u64, "samples");
    let done = run.advance(f, |progress| {
        bar.set_position(progress.done as u64);
        if stop.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    bar.finish_and_clear();
    let done = done.map_err(usage)?;
    match file {
        Some(file) if !done => {
            let at = run.progress().map_err(usage)?.done;
            let left = StoredRun { question: question.to_owned(), fingerprint, run };
            let text = serde_json::to_string(&left).map_err(|error| Error::write(file, error))?;
            // All of it or nothing: what was there before is kept where the disk is full.
            let mut to = Output::new(Some(file), &[])?;
            to.write(|to| to.write_all(text.as_bytes()))?;
            to.finish()?;
            Ok(Err(format!("stopped at {at} of {total} samples; go on with --resume {}\n", file.display())))
        }
        Some(file) => match fs::remove_file(file) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::write(file, error)),
            _ => Ok(Ok(run)),
        },
        None => Ok(Ok(run)),
    }
}

/// A hash of what samples depend on: all numbers of the robot with its gravity, and what is computed at two of the
/// samples, in which the state and the task are. FNV-1a, which does not change between versions of the compiler.
pub(super) fn fingerprint(model: &Model, values: &[f64]) -> u64 {
    let bits = values.iter().flat_map(|value| value.to_bits().to_le_bytes());
    let bytes = format!("{model:?}").into_bytes().into_iter().chain(bits);
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

fn read<P: Serialize + DeserializeOwned>(file: &Path) -> Result<Option<StoredRun<P>>, Error> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Error::read(file, error)),
    };
    serde_json::from_str(&text).map(Some).map_err(|error| Error::read(file, error))
}
