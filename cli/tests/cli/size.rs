//! Large robots and large answers: only what is asked for is computed, and what does not fit is refused before the work
//! begins.

use super::{directory, json, output, refused, robot, run, text_of};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A chain of so many revolute joints and a state of it, as files.
fn chain(here: &Path, joints: usize) -> [PathBuf; 2] {
    let mut text = String::from("<robot name=\"chain\">\n<link name=\"link_0\"/>\n");
    for k in 0..joints {
        write!(
            text,
            "<link name=\"link_{next}\"><inertial><origin xyz=\"0.01 0 0\"/><mass value=\"0.1\"/><inertia ixx=\"0.01\" \
             iyy=\"0.01\" izz=\"0.01\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>\n<joint name=\"joint_{k}\" \
             type=\"revolute\"><parent link=\"link_{k}\"/><child link=\"link_{next}\"/><origin xyz=\"0.02 0 0\" \
             rpy=\"{turn} 0 0\"/><axis xyz=\"0 {y} {z}\"/><limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint>\n",
            next = k + 1,
            turn = k % 3,
            y = k % 2,
            z = 1 - k % 2,
        )
        .expect("writes to memory");
    }
    text.push_str("</robot>\n");
    let numbers = vec![0.001; joints];
    let state = serde_json::json!({"states": [{"q": numbers, "v": numbers, "a": numbers, "tau": numbers}]});
    let files = [here.join("chain.urdf"), here.join("state.json")];
    for (file, text) in files.iter().zip([text, state.to_string()]) {
        std::fs::write(file, text).expect("writes");
    }
    files
}

/// `gradyn evaluate` of these quantities.
fn evaluate(files: &[PathBuf; 2], quantities: &str, more: &[&str]) -> Output {
    let [robot, states] = files.each_ref().map(|file| file.to_str().expect("UTF-8"));
    run([&["evaluate", robot, "--states", states, "--quantities", quantities], more].concat())
}

/// The same, with no more than so many kilobytes of addresses: the system refuses what goes beyond.
#[cfg(unix)]
fn evaluate_within(kilobytes: u32, files: &[PathBuf; 2], quantities: &str, more: &[&str]) -> Output {
    let [robot, states] = files.each_ref().map(|file| file.to_str().expect("UTF-8"));
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("ulimit -v {kilobytes}; exec \"$@\""), "sh", env!("CARGO_BIN_EXE_gradyn")])
        .args(["evaluate", robot, "--states", states, "--quantities", quantities])
        .args(more);
    output(&mut command, b"")
}

/// Torques, accelerations and motions of a chain of 20 000 joints: a matrix of as many rows and columns takes 3.2 GB,
/// of which there are not half. No step of the way is recursive.
#[cfg(unix)]
#[test]
fn values_of_a_long_chain_take_no_matrices() {
    const JOINTS: usize = 20_000;
    let files = chain(&directory("long"), JOINTS);
    let list = "tau,ddq,energy,bias,gravity,static_torque,mass_product,com,frame_velocities,frame_accelerations";
    let last = format!("link_{JOINTS}");
    let answer = text_of(&evaluate_within(1_500_000, &files, list, &["--frames", &last]));
    let state = &json(&answer)["states"][0];
    for quantity in ["tau", "ddq", "bias", "gravity", "static_torque", "mass_product"] {
        assert_eq!(state[quantity].as_array().map(Vec::len), Some(JOINTS), "{quantity}");
    }
    assert_eq!(state["frame_velocities"]["frames"].as_object().map(|frames| frames.len()), Some(1));
    // M a + bias = tau, at the root the largest by far: sums of 20 000 bodies, each with a rounding of 1e-16.
    let root = |quantity: &str| state[quantity][0].as_f64().expect("a number");
    let (tau, sum) = (root("tau"), root("mass_product") + root("bias"));
    assert!((tau - sum).abs() <= 20_000.0 * 1e-16 * (root("mass_product").abs() + root("bias").abs()), "{tau} {sum}");
}

/// What the command line allows, or else what is free, is looked at before anything is computed.
#[test]
fn what_does_not_fit_is_refused_with_its_size() {
    let files = chain(&directory("fits"), 1000);
    for (quantity, limit, needed) in [
        // Four tensors of the library and the answer, of 8 GB each.
        ("d2tau_dqdq", "10GB", "40 GB"),
        ("d2ddq_dqdv", "40GB", "88 GB"),
        ("dtau_dq", "10MB", "32 MB"),
        ("mass_matrix", "10 MB", "16 MB"),
    ] {
        let message = refused(&evaluate(&files, quantity, &["--max-memory", limit]));
        for part in [quantity, "1000 degrees of freedom", needed, "--max-memory"] {
            assert!(message.contains(part), "{message}\nlacks {part}");
        }
    }
    // Whose answer is kept in memory, and whose goes to a file.
    let file = files[0].with_file_name("answer.json");
    let to_file = ["--max-memory", "20MB", "--output", file.to_str().expect("UTF-8")];
    text_of(&evaluate(&files, "mass_matrix", &to_file));
    let message = refused(&evaluate(&files, "mass_matrix", &to_file[..2]));
    assert!(message.contains("the answer") && message.contains("36 MB") && message.contains("--output"), "{message}");
    for wrong in ["", "8XB", "-1GB", "many"] {
        let option = format!("--max-memory={wrong}");
        assert!(refused(&evaluate(&files, "tau", &[&option])).contains("8GB"), "{wrong}");
    }
}

/// Where the command line allows anything, the library asks the system, and says what it does not get.
#[cfg(unix)]
#[test]
fn memory_that_cannot_be_had_is_an_error() {
    let files = chain(&directory("had"), 1000);
    for (quantity, needed) in [("d2tau_dqdq", "32 GB"), ("d2ddq_dqdq", "64 GB"), ("d2tau_dvdv", "32 GB")] {
        let output = evaluate_within(4_000_000, &files, quantity, &["--max-memory", "none"]);
        let message = refused(&output);
        assert!(message.contains("state 0") && message.contains(needed), "{message}");
    }
    // What is free, or the limit of the address space if that is less, is asked for first: seven eighths of 409.6 MB.
    let message = refused(&evaluate_within(400_000, &files, "d2tau_dqdq", &[]));
    assert!(message.contains("expected 358 MB at most (what is free"), "{message}");
}

/// Derivatives of a table are a matter of memory too.
#[test]
fn tables_that_do_not_fit_are_refused() {
    let message = refused(&run(["derivatives", &robot("g1"), "--floating-base", "--max-memory", "1kB"]));
    assert!(message.contains("degrees of freedom") && message.contains("1.0 kB"), "{message}");
}
