//! Tasks are solved and written, and what is written is read.

use gradyn_files::Error;
use gradyn_files::solution::Reference;
use gradyn_files::task::Task;
use std::path::PathBuf;

fn task(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../examples/tasks").join(name)
}

/// The JSON of a solution is a trajectory of the same task, to the last bit, and its page and arrays are whole.
#[test]
fn what_a_solution_writes_is_read_again() {
    let file = task("arm_reach.toml");
    let solution = Task::read(&file).expect("the task is good").solve().expect("its guess is good");
    assert!(solution.is_solved());
    let folder = std::env::temp_dir().join(format!("gradyn-files-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("temporary files can be made");
    let json = folder.join("trajectory.json");
    std::fs::write(&json, solution.json().expect("numbers are finite")).expect("it can be written");
    let npz = folder.join("trajectory.npz");
    std::fs::write(&npz, solution.npz().expect("arrays can be written")).expect("it can be written");
    for path in [&json, &npz] {
        let read = Reference::read(path, &solution.task).and_then(|read| read.exactly(&solution.task));
        assert_eq!(read.expect("it is read"), solution.solved.found.trajectory, "{}", path.display());
    }
    std::fs::remove_dir_all(&folder).expect("temporary files can be removed");
    let page = solution.page(None);
    assert!(page.starts_with("<!DOCTYPE html>") && page.trim_end().ends_with("</html>"));
    assert_eq!(solution.csv().lines().count(), solution.task.nodes() + 1);
}

/// An error says the file, the line and the key each on its own, and all of them in one line.
#[test]
fn errors_have_places() {
    let file = std::env::temp_dir().join(format!("gradyn-files-{}.toml", std::process::id()));
    std::fs::write(&file, "name = \"a\"\n\nrobott = 1\n").expect("it can be written");
    let error = Task::read(&file).expect_err("there is no such key");
    std::fs::remove_file(&file).expect("it can be removed");
    let text = error.to_string();
    let Error::Content { file: found, line, key, reason } = error else { panic!("{text}") };
    assert_eq!((found.as_str(), line, key.as_deref()), (file.to_str().expect("UTF-8"), Some(3), Some("robott")));
    assert!(reason.contains("did you mean `robot`?"), "{reason}");
    assert_eq!(text, format!("{}, line 3: key `robott`: {reason}", file.display()));
}
