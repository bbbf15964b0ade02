//! Solves a task file without the command, and writes a page, JSON and arrays of NumPy beside each other.
//!
//! Prints the status and the cost: `converged: cost 0.4`, about, and the folder with the files.
//!
//! ```sh
//! cargo run --example solve_task -- examples/tasks/arm_reach.toml reach
//! ```

use gradyn_files::Error;
use gradyn_files::task::Task;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Error> {
    let mut args = std::env::args().skip(1).map(PathBuf::from);
    let example = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/tasks/arm_reach.toml");
    let file = args.next().unwrap_or_else(example);
    let folder = args.next().unwrap_or_else(|| std::env::temp_dir().join("gradyn-solve-task"));

    // The problem, its guesses and its solver; `task.problem` may be changed, or solved by other means.
    let task = Task::read(&file)?;
    let solution = task.solve()?;

    let report = &solution.solved.found.report;
    println!("{}: cost {:.6}", report.status, report.cost);
    std::fs::create_dir_all(&folder).map_err(|error| Error::write(&folder, error))?;
    let write = |name: &str, content: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, content).map_err(|error| Error::write(&path, error))
    };
    write("report.html", solution.page(None).as_bytes())?;
    write("trajectory.json", solution.json()?.as_bytes())?;
    write("trajectory.npz", &solution.npz()?)?;
    println!("written to {}", folder.display());
    Ok(())
}
